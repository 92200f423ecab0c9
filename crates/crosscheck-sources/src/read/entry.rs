//! One entry of a debate log, and the sources it names.
//!
//! Contract: sources 1.1, sources 1.4.

use std::collections::HashMap;
use std::sync::Arc;

use crosscheck_core::json::Value;
use crosscheck_core::{Json, Node};

use super::cited::Cited;

/// Who may strike entries and end a debate.
pub const CHAIR: &str = "chair";
/// Whose results count.
pub const VERIFIER: &str = "verifier";

/// One entry of the log.
#[derive(Debug, Clone)]
pub struct LogEntry {
    /// Its own number.
    pub seq: u64,
    /// When it was written, as it says itself.
    pub timestamp: String,
    /// Who speaks.
    pub speaker: String,
    /// What kind of entry it is.
    pub kind: String,
    /// What is said.
    pub content: String,
    /// What is cited, each URL once.
    pub sources: Vec<Source>,
    /// How many items of `sources` name no URL.
    pub bad_sources: usize,
    /// The entry it is about.
    pub target_seq: Option<u64>,
}

/// One source of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The URL as it was cited.
    pub cited: Arc<Cited>,
    /// Its title, as the debater gives it.
    pub title: Option<String>,
    /// What it is said to show.
    pub claim: Option<Arc<str>>,
    /// Its places in the list, from 1: what `[k]` in the text means.
    pub places: Vec<usize>,
    /// Where it is in a text of JSON, if it is one.
    pub at: Option<usize>,
}

impl LogEntry {
    /// Reads one line of the log that is JSON; `line` is its number from 0.
    /// The flag says that the entry's own number is missing.
    pub fn from_json(node: Node<'_>, line: u64) -> Option<(Self, bool)> {
        node.as_object()?;
        let text = |key: &str| {
            node.get(key)
                .and_then(Node::as_js)
                .map(|text| text.to_str_lossy().into_owned())
        };
        let number = |key: &str| node.get(key).and_then(whole_number);
        let seq = number("seq");
        let listed = node.get("sources").map(sources).unwrap_or_default();
        let entry = Self {
            seq: seq.unwrap_or(line),
            timestamp: text("timestamp").unwrap_or_default(),
            speaker: text("speaker").unwrap_or_default(),
            kind: text("type").unwrap_or_default(),
            content: text("content").unwrap_or_default(),
            bad_sources: listed.bad,
            sources: listed.sources,
            target_seq: number("target_seq"),
        };
        Some((entry, seq.is_none()))
    }

    /// A result of the verifier: the checker does not check its own entries: "'s own entries.
    pub fn is_result(&self) -> bool {
        self.kind == "verification_result" && self.speaker == VERIFIER
    }

    /// The entry a challenge is about: the field, else the first `seq <number>` in the text.
    pub fn challenged(&self) -> Option<u64> {
        if self.kind != "source_challenge" {
            return None;
        }
        self.target_seq.or_else(|| seq_in(&self.content))
    }

    /// The entries the Chair struck with this one.
    pub fn strikes(&self) -> Vec<u64> {
        if self.kind != "redaction" || self.speaker != CHAIR {
            return Vec::new();
        }
        let named = |after: &str| {
            after
                .trim_start()
                .strip_prefix("seq")
                .and_then(leading_number)
        };
        self.content
            .split("REDACTED:")
            .skip(1)
            .filter_map(named)
            .collect()
    }
}

/// The first `seq <number>` of a text, in any letter case.
pub fn seq_in(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    lower.match_indices("seq").find_map(|(at, _)| {
        let before = lower.get(..at).and_then(|head| head.chars().next_back());
        let word = before.is_none_or(|c| !c.is_alphanumeric());
        lower
            .get(at + 3..)
            .filter(|_| word)
            .and_then(leading_number)
    })
}

fn leading_number(text: &str) -> Option<u64> {
    let text = text.trim_start_matches([' ', '\t', '#', ':', '=', '\u{a0}']);
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn whole_number(node: Node<'_>) -> Option<u64> {
    match node.value() {
        Value::Number(digits) => digits.text().parse().ok(),
        _ => None,
    }
}

/// What a `sources` field lists.
#[derive(Debug, Default)]
struct Listed {
    sources: Vec<Source>,
    /// Where each URL is among them, by its key.
    by_key: HashMap<String, usize>,
    named: usize,
    bad: usize,
}

impl Listed {
    fn url(&mut self, url: &str) {
        self.add(None, Some(url.to_owned()), None, None);
    }

    fn add(
        &mut self,
        at: Option<usize>,
        url: Option<String>,
        title: Option<String>,
        claim: Option<String>,
    ) {
        self.named += 1;
        let url = url.filter(|url| !url.trim().is_empty() && url.trim() != "null");
        let Some(url) = url else {
            self.bad += 1;
            return;
        };
        let cited = Arc::new(Cited::new(&url));
        let next = self.sources.len();
        let own = *self.by_key.entry(cited.key.clone()).or_insert(next);
        if let Some(known) = self.sources.get_mut(own) {
            known.places.push(self.named);
            known.claim = known.claim.take().or(claim.map(Into::into));
            return;
        }
        self.sources.push(Source {
            cited,
            title,
            claim: claim.map(Into::into),
            places: vec![self.named],
            at,
        });
    }
}

/// What a list of sources names, in whatever shape it comes.
pub(crate) fn listed(node: Node<'_>) -> Vec<Source> {
    sources(node).sources
}

fn sources(node: Node<'_>) -> Listed {
    let mut listed = Listed::default();
    match node.value() {
        Value::String(text) => from_text(&text.to_str_lossy(), &mut listed),
        _ => from_value(node, &mut listed),
    }
    listed
}

/// A string may be `null`, hold JSON, or be a URL.
fn from_text(text: &str, listed: &mut Listed) {
    let text = text.trim();
    if text.is_empty() || text == "null" {
        return;
    }
    match Json::parse(text) {
        Ok(json) if !matches!(json.root().value(), Value::Number(_) | Value::Bool(_)) => {
            if let Value::String(inner) = json.root().value() {
                listed.url(&inner.to_str_lossy());
                return;
            }
            from_value(json.root(), listed);
            for source in &mut listed.sources {
                source.at = None; // places in the string, not in the file
            }
        }
        _ => {
            if let Some(urls) = several(text) {
                for url in urls {
                    listed.url(url);
                }
                return;
            }
            let url = Some(text.to_owned())
                .filter(|text| Cited::new(text).url().is_some() || text.contains("://"));
            listed.add(None, url, None, None);
        }
    }
}

/// The URLs of a text that is nothing but URLs, with blanks between them.
fn several(text: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = text
        .split_whitespace()
        .map(|part| part.trim_matches([',', ';']))
        .filter(|part| !part.is_empty())
        .collect();
    let all_urls = parts.iter().all(|part| Cited::new(part).url().is_some());
    (parts.len() > 1 && all_urls).then_some(parts)
}

fn from_value(node: Node<'_>, listed: &mut Listed) {
    match node.value() {
        Value::Array(items) => items.for_each(|item| one(item, listed)),
        Value::Object(_) => one(node, listed),
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) => listed.add(None, None, None, None),
    }
}

fn one(node: Node<'_>, listed: &mut Listed) {
    let text = |key: &str| {
        node.get(key)
            .and_then(Node::as_js)
            .map(|text| text.to_str_lossy().into_owned())
    };
    match node.value() {
        Value::String(url) => listed.add(
            node.text_start(),
            Some(url.to_str_lossy().into_owned()),
            None,
            None,
        ),
        Value::Object(_) => {
            let claim = text("claim").filter(|claim| !claim.trim().is_empty());
            let at = node.get("url").and_then(Node::text_start);
            listed.add(at, text("url"), text("title"), claim);
        }
        _ => listed.add(None, None, None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(json: &str) -> LogEntry {
        LogEntry::from_json(Json::parse(json).unwrap().root(), 7)
            .unwrap()
            .0
    }

    fn urls(sources: &str) -> (Vec<String>, usize) {
        let entry = entry(&format!(r#"{{"seq":1,"sources":{sources}}}"#));
        (
            entry
                .sources
                .into_iter()
                .map(|source| source.cited.text.clone())
                .collect(),
            entry.bad_sources,
        )
    }

    #[test]
    fn sources_come_in_many_shapes() {
        let a = "http://a.example/";
        for (json, expected, bad) in [
            ("null", vec![], 0),
            (r#""null""#, vec![], 0),
            (r#""""#, vec![], 0),
            ("[]", vec![], 0),
            (r#"["http://a.example/"]"#, vec![a], 0),
            (r#"[{"url":"http://a.example/","title":"A"}]"#, vec![a], 0),
            (r#"{"url":"http://a.example/"}"#, vec![a], 0),
            (r#""http://a.example/""#, vec![a], 0),
            (r#""[\"http://a.example/\"]""#, vec![a], 0),
            (r#""{\"url\":\"http://a.example/\"}""#, vec![a], 0),
            (
                r#"[{"url":""},{"title":"x"},7,null,{"url":5},"http://a.example/"]"#,
                vec![a],
                5,
            ),
            (r#"["http://a.example/","HTTP://A.example#x"]"#, vec![a], 0),
            ("7", vec![], 1),
            (
                r#""http://a.example/, http://b.example/""#,
                vec![a, "http://b.example/"],
                0,
            ),
            (
                r#""http://a.example/\nhttp://b.example/;\n""#,
                vec![a, "http://b.example/"],
                0,
            ),
            (
                r#""see http://a.example/""#,
                vec!["see http://a.example/"],
                0,
            ),
        ] {
            assert_eq!(
                urls(json),
                (expected.into_iter().map(str::to_owned).collect(), bad),
                "{json}"
            );
        }
        assert!(entry(r#"{"seq":1}"#).sources.is_empty());
    }

    #[test]
    fn places_count_every_item_of_the_list() {
        let entry = entry(
            r#"{"seq":1,"sources":["http://a.example/",{"url":"x y"},"http://a.example/#2"]}"#,
        );
        assert_eq!(entry.sources[0].places, [1, 3]);
        assert_eq!(entry.sources[1].places, [2]);
    }

    #[test]
    fn only_the_chair_strikes() {
        let by = |speaker: &str| {
            entry(&format!(r#"{{"seq":2,"speaker":"{speaker}","type":"redaction","content":"REDACTED: seq 12 (x).\nREDACTED: seq 13"}}"#)).strikes()
        };
        assert_eq!(by("chair"), [12, 13]);
        assert!(by("promoter").is_empty());
    }

    #[test]
    fn a_challenge_names_its_entry_by_field_or_in_words() {
        let of = |rest: &str| {
            entry(&format!(r#"{{"seq":2,"type":"source_challenge",{rest}}}"#)).challenged()
        };
        assert_eq!(
            of(r#""content":"SOURCE CHALLENGE: seq 4 and seq 5","target_seq":null"#),
            Some(4)
        );
        assert_eq!(of(r#""content":"seq 4","target_seq":3"#), Some(3));
        assert_eq!(of(r#""content":"consequences of 4""#), None);
    }

    #[test]
    fn a_missing_number_is_the_lines_own() {
        let json = Json::parse(r#"{"speaker":"a"}"#).unwrap();
        let (entry, missing) = LogEntry::from_json(json.root(), 7).unwrap();
        assert_eq!((entry.seq, missing), (7, true));
        assert!(LogEntry::from_json(Json::parse("[1]").unwrap().root(), 0).is_none());
    }
}
