//! Final messages as agents write them: every claim is found, and nothing
//! else is taken for one.

use std::path::Path;

use crosscheck_done::read::message::Extractor;
use crosscheck_done::runner::Table;

/// A message and the claims it holds: kind and words.
struct Case {
    message: String,
    claims: Vec<(String, String)>,
}

fn cases(name: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/messages")
        .join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let mut cases = Vec::new();
    let mut message: Vec<&str> = Vec::new();
    let mut lines = text
        .lines()
        .skip_while(|line| line.starts_with('#') || line.is_empty())
        .peekable();
    while let Some(line) = lines.next() {
        if line != "=====" {
            message.push(line);
            continue;
        }
        let mut claims = Vec::new();
        while let Some(claim) = lines.next_if(|line| !line.is_empty()) {
            let (kind, quote) = claim.split_once(" | ").unwrap();
            claims.push((kind.to_owned(), quote.to_owned()));
        }
        let text = message.join("\n").trim().to_owned();
        message.clear();
        cases.push(Case {
            message: text,
            claims,
        });
    }
    cases
}

fn overlap(message: &str, expected: &str, reported: &str) -> bool {
    let start = message.find(expected);
    assert!(start.is_some(), "{expected:?} is not in {message:?}");
    let start = start.unwrap_or_default();
    let end = start + expected.len();
    message
        .match_indices(reported)
        .any(|(at, _)| at < end && start < at + reported.len())
}

fn check(name: &str) {
    let table = Table::new(&[]).unwrap();
    let languages: Vec<String> = ["en", "ko", "ja", "zh", "de", "es", "fr", "pt"]
        .map(str::to_owned)
        .into();
    let extractor = Extractor::new(&languages, &[]).unwrap();
    let mut wrong = Vec::new();
    let cases = cases(name);
    for case in &cases {
        let seen = extractor.read(&case.message, &table, true);
        let mut left: Vec<_> = seen.claims.iter().collect();
        for (kind, quote) in &case.claims {
            let found = left.iter().position(|claim| {
                claim.kind.name() == kind && overlap(&case.message, quote, &claim.quote)
            });
            match found {
                Some(at) => drop(left.remove(at)),
                None => wrong.push(format!(
                    "{:?}\n  lacks {kind} {quote:?}; dropped {:?}",
                    case.message, seen.dropped
                )),
            }
        }
        for claim in left {
            wrong.push(format!(
                "{:?}\n  holds {} {:?} ({})",
                case.message, claim.kind, claim.quote, claim.subject
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} messages:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn english_messages_hold_the_claims_that_a_reader_sees() {
    check("english.txt");
}

#[test]
fn wordings_near_the_border_are_claims_only_where_they_state_something() {
    check("border.txt");
}
