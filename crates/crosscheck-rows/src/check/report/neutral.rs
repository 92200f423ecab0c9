//! The neutral report: one outcome for each step, read back from the spools.

use std::io;

use crosscheck_core::json::{Json, Node};
use crosscheck_core::outcome::Grounds;
use crosscheck_core::{Outcome, Report as Neutral, UnitId, Verdict, canonical};

use super::Report;

impl Report {
    /// The neutral report. Costly for a long run, so built only when asked for.
    pub fn neutral(&self, subject: &str) -> Neutral {
        let run_level = self.head.run_level.iter();
        let mut notices: Vec<String> = run_level
            .map(|(code, message)| format!("{code}: {message}"))
            .collect();
        let mut outcomes = Vec::new();
        if let Err(error) = self.each_outcome(|outcome| outcomes.push(outcome)) {
            notices.push(format!("further steps cannot be shown: {error}"));
        }
        Neutral {
            verifier: "check",
            subject: subject.to_owned(),
            verdict: self.verdict(),
            summary: self.certificate.headline.clone(),
            outcomes,
            notices,
        }
    }

    fn each_outcome(&self, mut take: impl FnMut(Outcome)) -> io::Result<()> {
        let mut messages = Vec::new();
        self.details.each(|detail| {
            messages.push(member(parsed(detail)?.root(), "message"));
            Ok(())
        })?;
        let mut failing = self.failing.iter().zip(messages).peekable();
        let mut at = 0;
        self.steps.each(|step| {
            let step = parsed(step)?;
            let own = failing.next_if(|(failing, _)| failing.at == at);
            let seq = step.root().get("seq").map(canonical::of_node);
            take(Outcome {
                unit: UnitId::numbered('s', seq.and_then(|seq| seq.parse().ok()).unwrap_or(at)),
                claim: member(step.root(), "declaredAction"),
                verdict: own
                    .as_ref()
                    .map_or(Verdict::Confirmed, |(failing, _)| failing.status.into()),
                reasons: own
                    .into_iter()
                    .map(|(failing, message)| Grounds {
                        reason: failing.reason,
                        message,
                    })
                    .collect(),
                expected: Some(member(step.root(), "expectedOutcome")),
                observed: Some(member(step.root(), "observedOutcome")),
                place: None,
                link: None,
            });
            at += 1;
            Ok(())
        })
    }
}

fn parsed(text: &[u8]) -> io::Result<Json> {
    let text = std::str::from_utf8(text).map_err(io::Error::other)?;
    Json::parse(text).map_err(io::Error::other)
}

fn member(node: Node<'_>, name: &str) -> String {
    let text = node.get(name).and_then(Node::as_js);
    text.map_or_else(String::new, |text| text.to_str_lossy().into_owned())
}
