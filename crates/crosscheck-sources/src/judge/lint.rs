//! Rules of the debate that a program can check without the web.
//!
//! Contract: sources 7.

use std::collections::HashSet;

use crosscheck_judge::builtin::{Quantity, normalise, quantities, stems};

use crate::finding::{Finding, Rule};
use crate::pattern::pattern;
use crate::read::cited::Cited;
use crate::read::entry::{LogEntry, seq_in};
use crate::read::sentence::Sentence;
use crate::read::urls::urls_in;

const LABEL: &str = "[CONJECTURE]";
const SOURCES_MAX: usize = 5;

pattern! {
    CORRECTION, r"(?s)^SOURCE CORRECTION for seq \d+: replacing (\S+) with (\S+) — \S"
}
pattern! {
    CHALLENGE, r"(?i)SOURCE CHALLENGE:?\s*(?:seq\s*\d+)?|\bseq\s*\d+"
}

/// Looks at entries in the order of the log; figures of earlier entries are remembered.
#[derive(Debug, Default)]
pub struct Linter {
    figures: Vec<Quantity>,
    seen: HashSet<String>,
}

impl Linter {
    /// The findings about one entry.
    pub fn look(&mut self, entry: &LogEntry) -> Vec<Finding> {
        let mut found = Vec::new();
        if entry.is_result() {
            self.remember(entry);
            return found;
        }
        let mut add = |rule, message: &str| found.push(Finding::entry(rule, entry.seq, message));
        let labelled = entry.content.trim_start().starts_with(LABEL);
        match entry.kind.as_str() {
            "conjecture" if !labelled => add(Rule::R9, "a conjecture must start with [CONJECTURE]"),
            "rebuttal" if labelled && entry.sources.is_empty() => {
                add(Rule::R10, "a rebuttal cannot rest on conjecture alone");
            }
            "opening_statement" | "new_point" | "rebuttal"
                if !labelled && unsourced_figure(entry) =>
            {
                add(
                    Rule::R11,
                    "a figure without a source must be labelled [CONJECTURE]",
                );
            }
            "source_challenge" if !is_specific(entry) => {
                add(
                    Rule::R15,
                    "a challenge must name the entry and say what its source fails to support",
                );
            }
            "closing_statement" if self.has_new_figure(entry) => {
                add(
                    Rule::ClosingNewFigure,
                    "a closing statement gives a figure that no earlier entry contains",
                );
            }
            _ => {}
        }
        if entry.sources.len() > SOURCES_MAX {
            add(
                Rule::R16,
                &format!(
                    "{} sources; at most {SOURCES_MAX} are allowed",
                    entry.sources.len()
                ),
            );
        }
        if entry.content.trim_start().starts_with("SOURCE CORRECTION")
            && !is_correction(&entry.content)
        {
            add(
                Rule::R17,
                "a correction reads: SOURCE CORRECTION for seq N: replacing OLD with NEW — text",
            );
        }
        self.remember(entry);
        found
    }

    fn has_new_figure(&self, entry: &LogEntry) -> bool {
        figures(&entry.content)
            .iter()
            .any(|figure| !self.figures.iter().any(|known| figure.matches(known)))
    }

    fn remember(&mut self, entry: &LogEntry) {
        let text = plain(&entry.content);
        for figure in quantities(&text) {
            let written = text
                .get(figure.range.clone())
                .unwrap_or_default()
                .to_owned();
            if self.seen.insert(format!("{written} {figure:?}")) {
                self.figures.push(figure);
            }
        }
    }
}

/// The content without URLs and citation marks.
fn plain(content: &str) -> String {
    let sentences: Vec<String> = Sentence::of_entry(content)
        .into_iter()
        .map(|sentence| sentence.text)
        .collect();
    normalise(&sentences.join("\n"))
}

fn figures(content: &str) -> Vec<Quantity> {
    quantities(&plain(content))
        .into_iter()
        .filter(Quantity::is_figure)
        .collect()
}

fn unsourced_figure(entry: &LogEntry) -> bool {
    entry.sources.is_empty()
        && urls_in(&entry.content).is_empty()
        && Sentence::of_entry(&entry.content)
            .iter()
            .any(|sentence| sentence.has_figure() && sentence.is_claim())
}

/// Names an entry, and says at least two words about it.
fn is_specific(entry: &LogEntry) -> bool {
    let names = entry.target_seq.is_some() || seq_in(&entry.content).is_some();
    let mut rest = entry.content.clone();
    for range in urls_in(&entry.content).into_iter().rev() {
        rest.replace_range(range, " ");
    }
    let mut words = stems(&CHALLENGE.replace_all(&rest, " "));
    words.sort();
    words.dedup();
    names && words.len() >= 2
}

fn is_correction(content: &str) -> bool {
    let is_url = |text: &str| Cited::new(text).url().is_some();
    CORRECTION
        .captures(content.trim_start())
        .is_some_and(|found| {
            let mut urls = found.iter().skip(1).flatten();
            urls.all(|url| is_url(url.as_str()))
        })
}

#[cfg(test)]
mod tests {
    use crosscheck_core::Json;

    use super::*;

    fn entry(kind: &str, content: &str, sources: usize) -> LogEntry {
        let urls: Vec<String> = (0..sources)
            .map(|number| format!("http://a.example/{number}"))
            .collect();
        let line = serde_json::json!({"seq": 4, "speaker": "a", "type": kind, "content": content, "sources": urls});
        LogEntry::from_json(Json::parse(&line.to_string()).unwrap().root(), 4)
            .unwrap()
            .0
    }

    fn rules(kind: &str, content: &str, sources: usize) -> Vec<Rule> {
        Linter::default()
            .look(&entry(kind, content, sources))
            .into_iter()
            .map(|finding| finding.rule)
            .collect()
    }

    #[test]
    fn each_rule_flags_a_breach_and_nothing_else() {
        for (kind, content, sources, expected) in [
            ("conjecture", "Perhaps trees could talk.", 0, vec![Rule::R9]),
            ("conjecture", "[CONJECTURE] Perhaps.", 0, vec![]),
            (
                "rebuttal",
                "[CONJECTURE] Trees may lower rents.",
                0,
                vec![Rule::R10],
            ),
            ("rebuttal", "[CONJECTURE] Trees may lower rents.", 1, vec![]),
            (
                "new_point",
                "Trees cut costs by 12% everywhere.",
                0,
                vec![Rule::R11],
            ),
            (
                "new_point",
                "Trees cut costs by 12% (http://a.example/).",
                0,
                vec![],
            ),
            ("new_point", "Trees cut costs by 12%.", 1, vec![]),
            ("new_point", "Trees grew in 2024.", 0, vec![]),
            (
                "new_point",
                "Good. [CONJECTURE] Trees cut costs by 12%.",
                0,
                vec![],
            ),
            ("announcement", "Round 2 of 3 starts.", 0, vec![]),
            (
                "source_challenge",
                "I do not like that source.",
                0,
                vec![Rule::R15],
            ),
            (
                "source_challenge",
                "SOURCE CHALLENGE: seq 2 — no.",
                0,
                vec![Rule::R15],
            ),
            (
                "source_challenge",
                "SOURCE CHALLENGE: seq 2 — http://a.example/long/words/here",
                0,
                vec![Rule::R15],
            ),
            (
                "source_challenge",
                "SOURCE CHALLENGE: seq 2 — the page gives no temperature.",
                0,
                vec![],
            ),
            ("new_point", "Many.", 6, vec![Rule::R16]),
            ("new_point", "Many.", 5, vec![]),
            (
                "rebuttal",
                "SOURCE CORRECTION: new link",
                1,
                vec![Rule::R17],
            ),
            (
                "rebuttal",
                "SOURCE CORRECTION for seq 3: replacing http://a.example/ with http://b.example/ — moved",
                1,
                vec![],
            ),
            (
                "rebuttal",
                "SOURCE CORRECTION for seq 3: replacing foo with bar — moved",
                1,
                vec![Rule::R17],
            ),
            (
                "closing_statement",
                "It was 12% after all.",
                0,
                vec![Rule::ClosingNewFigure],
            ),
            ("closing_statement", "We agree on trees.", 0, vec![]),
        ] {
            assert_eq!(rules(kind, content, sources), expected, "{kind}: {content}");
        }
    }

    #[test]
    fn a_url_that_is_named_twice_is_one_source() {
        let list: Vec<String> = (0..5).map(|n| format!("http://a.example/{n}")).collect();
        let mut urls = list.clone();
        urls.extend(["http://a.example/0#part".to_owned(), String::new()]);
        let line =
            serde_json::json!({"seq": 4, "type": "new_point", "content": "Many.", "sources": urls});
        let entry = LogEntry::from_json(Json::parse(&line.to_string()).unwrap().root(), 4);
        assert!(Linter::default().look(&entry.unwrap().0).is_empty());
    }

    #[test]
    fn a_closing_figure_that_was_given_before_is_fine() {
        let mut linter = Linter::default();
        linter.look(&entry("new_point", "It was 12 per cent.", 1));
        assert!(
            linter
                .look(&entry("closing_statement", "As said, 12%.", 0))
                .is_empty()
        );
    }
}
