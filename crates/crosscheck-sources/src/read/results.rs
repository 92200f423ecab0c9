//! What the verifier has said before, read back from the log itself.
//!
//! Contract: sources 2.

use std::collections::{HashMap, HashSet};

use crosscheck_core::Json;
use crosscheck_core::Node;

use super::cited::Cited;
use super::entry::LogEntry;
use crate::status::SourceStatus;

/// A result of the verifier that is in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// The entry that was checked.
    pub verified_seq: u64,
    /// The key of the URL that was checked.
    pub key: String,
    /// What was found.
    pub status: SourceStatus,
    /// The number of the result's own entry.
    pub result_seq: u64,
}

/// Reads a result entry; `None` when its content is not what it should be.
pub fn earlier(entry: &LogEntry) -> Option<Earlier> {
    if !entry.is_result() {
        return None;
    }
    let json = Json::parse(&entry.content).ok()?;
    let text = |key: &str| {
        json.root()
            .get(key)
            .and_then(Node::as_js)
            .map(|text| text.to_str_lossy().into_owned())
    };
    // The job is done whatever word was found for it; an unknown word is not a finding.
    let status = text("status").and_then(|word| SourceStatus::from_word(&word));
    let status = status.unwrap_or(SourceStatus::Suspect);
    // For readers that know three words, an undecided result is dressed as unreliable.
    let disguised = text("explanation").is_some_and(|words| words.starts_with("SUSPECT: "));
    Some(Earlier {
        verified_seq: json
            .root()
            .get("verified_seq")
            .and_then(Node::as_f64)
            .and_then(whole)?,
        key: Cited::new(&text("url")?).key,
        status: if disguised {
            SourceStatus::Suspect
        } else {
            status
        },
        result_seq: entry.seq,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be a whole number that a double holds exactly"
)]
fn whole(number: f64) -> Option<u64> {
    (number >= 0.0 && number.fract() == 0.0 && number < 9e15).then_some(number as u64)
}

/// What is known from the log: which jobs are done and which URLs were judged.
#[derive(Debug, Clone, Default)]
pub struct Known {
    seen: HashSet<(u64, u64, String)>,
    jobs: HashMap<(u64, String), Done>,
    urls: HashMap<String, Earlier>,
}

/// How far a job has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// How many results are in the log.
    pub times: usize,
    /// What the last one says.
    pub last: SourceStatus,
}

impl Known {
    /// Takes note of a result, in the order of the log; of one that is known
    /// already, once.
    pub fn learn(&mut self, result: Earlier) {
        if !self
            .seen
            .insert((result.result_seq, result.verified_seq, result.key.clone()))
        {
            return;
        }
        let job = self
            .jobs
            .entry((result.verified_seq, result.key.clone()))
            .or_insert(Done {
                times: 0,
                last: result.status,
            });
        job.times += 1;
        job.last = result.status;
        if result.status != SourceStatus::Suspect {
            self.urls.entry(result.key.clone()).or_insert(result);
        }
    }

    /// How far this job has got, if a result is in the log.
    pub fn job(&self, seq: u64, key: &str) -> Option<Done> {
        self.jobs.get(&(seq, key.to_owned())).copied()
    }

    /// The first finding about a URL; a suspect result is none.
    pub fn url(&self, key: &str) -> Option<&Earlier> {
        self.urls.get(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(seq: u64, speaker: &str, content: &str) -> Option<Earlier> {
        let line = serde_json::json!({"seq": seq, "speaker": speaker, "type": "verification_result", "content": content});
        let json = Json::parse(&line.to_string()).unwrap();
        earlier(&LogEntry::from_json(json.root(), 0).unwrap().0)
    }

    #[test]
    fn only_the_verifiers_results_count() {
        let content = r#"{"verified_seq": 1, "url": "http://a.example", "status": "fabricated", "explanation": "x"}"#;
        assert_eq!(result(4, "promoter", content), None);
        let seen = result(4, "verifier", content).unwrap();
        assert_eq!(
            (seen.verified_seq, seen.key.as_str(), seen.status),
            (1, "http://a.example/", SourceStatus::Fabricated)
        );
        for bad in [
            "",
            "[]",
            r#"{"verified_seq":"1","url":"x","status":"verified"}"#,
        ] {
            assert_eq!(result(4, "verifier", bad), None, "{bad}");
        }
    }

    #[test]
    fn a_result_with_an_unknown_word_completes_its_job_and_is_no_finding() {
        for status in [r#","status":"VERIFIED""#, r#","status":"disputed""#, ""] {
            let content = format!(r#"{{"verified_seq":1,"url":"http://a.example/"{status}}}"#);
            let mut known = Known::default();
            known.learn(result(4, "verifier", &content).unwrap());
            assert!(known.job(1, "http://a.example/").is_some(), "{status}");
            assert_eq!(known.url("http://a.example/"), None, "{status}");
        }
    }

    #[test]
    fn the_first_finding_stays_and_suspect_is_none() {
        let of = |seq: u64, status: &str, words: &str| {
            result(seq + 10, "verifier", &format!(r#"{{"verified_seq":{seq},"url":"http://a.example/","status":"{status}","explanation":"{words}"}}"#)).unwrap()
        };
        let mut known = Known::default();
        known.learn(of(1, "suspect", "x"));
        known.learn(of(2, "unreliable", "SUSPECT: timeout"));
        assert_eq!(known.url("http://a.example/"), None);
        known.learn(Earlier {
            result_seq: 90,
            ..of(1, "verified", "x")
        });
        known.learn(Earlier {
            result_seq: 90,
            ..of(1, "verified", "x")
        });
        known.learn(of(3, "fabricated", "x"));
        assert_eq!(known.url("http://a.example/").unwrap().verified_seq, 1);
        assert_eq!(
            known.job(1, "http://a.example/"),
            Some(Done {
                times: 2,
                last: SourceStatus::Verified
            })
        );
        assert_eq!(
            known.job(2, "http://a.example/").unwrap().last,
            SourceStatus::Suspect
        );
    }
}
