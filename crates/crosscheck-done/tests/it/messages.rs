//! Final messages as agents write them: every claim is found, and nothing
//! else is taken for one.

use std::path::Path;

use crosscheck_done::claim::Extractor;
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

/// A sentence and the kinds that it claims; none when it claims nothing.
fn wordings() -> Vec<(String, Vec<String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages/wording.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter_map(|line| {
        if let Some(sentence) = line.strip_prefix("- ") {
            return Some((unescaped(sentence), Vec::new()));
        }
        let (kinds, sentence) = line.strip_prefix("+ ")?.split_once(" | ")?;
        let kinds = kinds.split(' ').map(str::to_owned);
        Some((unescaped(sentence), kinds.collect()))
    });
    lines.collect()
}

fn unescaped(text: &str) -> String {
    let text = text.replace("\\n", "\n").replace("\\r", "\r");
    text.replace("\\t", "\t").replace("\\u{2028}", "\u{2028}")
}

#[test]
fn a_word_takes_a_statement_back_only_where_it_governs_it() {
    let table = Table::new(&[]).unwrap();
    let extractor = Extractor::new(&["en".to_owned()], &[]).unwrap();
    let wordings = wordings();
    assert!(wordings.len() >= 150);
    let mut wrong = Vec::new();
    for (sentence, mut wanted) in wordings {
        let seen = extractor.read(&sentence, &table, true);
        let mut kinds: Vec<String> = seen.claims.iter().map(|one| one.kind.to_string()).collect();
        kinds.sort();
        wanted.sort();
        if kinds != wanted {
            let dropped = seen.dropped.iter().map(|one| (one.rule, &one.quote));
            let dropped: Vec<_> = dropped.collect();
            wrong.push(format!(
                "{sentence:?} claims {kinds:?}, not {wanted:?}; dropped {dropped:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_leads_to_a_statement_leaves_it_one() {
    check("leads.txt");
}
