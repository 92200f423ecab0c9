//! What a text claims: Markdown to statements, statements to claims.

pub mod checks;
pub mod event;
mod grammar;
mod markdown;
mod names;

use crosscheck_language::clause;
use crosscheck_language::text::cut_sentences;

pub use grammar::{
    ClaimKind, class_of, is_test_definition, may_hold_tests, shows_several_tests, shows_test,
};
pub use names::{Name, NameForm};

use crate::PrText;
use grammar::{Frame, GRAMMAR, Scope};
use markdown::Statement;

/// One thing that a text says about the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The text it is in.
    pub text: String,
    /// The line of that text, from 1.
    pub line: u64,
    /// The sentence.
    pub quote: String,
    /// What is said.
    pub kind: ClaimKind,
    /// What it is said about.
    pub subject: Subject,
}

/// What a claim is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The whole change.
    Change,
    /// A path, a symbol, a commit or a script.
    Name(Name),
    /// Several paths at once.
    Names(Vec<Name>),
    /// An old and a new name.
    Pair(Name, Name),
    /// A number of things.
    Count(u64),
    /// Files of a class, such as `docs`.
    Class(String),
}

/// The claims of a text, in its order.
pub fn claims(text: &PrText) -> Vec<Claim> {
    let mut found = Vec::new();
    for statement in markdown::statements(without_history(&text.text)) {
        if read_list_item(text, &statement, &mut found) {
            continue;
        }
        let mut sentences = Vec::new();
        cut_sentences(&statement.masked, 0..statement.masked.len(), &mut sentences);
        for range in sentences {
            let sentence = statement.masked.get(range).unwrap_or_default();
            read_sentence(text, &statement, sentence, &mut found);
        }
    }
    found
}

/// The title alone of a release, which tells of earlier changes, and where a host put the messages
/// of squashed commits below it: what one of them did, a later one may have undone.
fn without_history(text: &str) -> &str {
    let Some((title, body)) = text.split_once("\n\n") else {
        return text;
    };
    let is_squashed = body.starts_with("* ") && body.contains("\n\n* ");
    if is_squashed || GRAMMAR.recap_title.is_match(title) {
        title
    } else {
        text
    }
}

/// An item below a line such as "New files:".
fn read_list_item(text: &PrText, statement: &Statement, found: &mut Vec<Claim>) -> bool {
    let Some(intro) = &statement.intro else {
        return false;
    };
    let Some(list) = GRAMMAR
        .lists
        .iter()
        .find(|list| list.heading.is_match(intro))
    else {
        return false;
    };
    let Some(paths) = GRAMMAR.leading_paths.find(&statement.masked) else {
        return false;
    };
    // "(updated)" behind the path knows better than the line above
    let behind = statement.masked.get(paths.end()..).unwrap_or_default();
    if behind.starts_with(" (updated") || behind.starts_with(" (modified") {
        return false;
    }
    for name in statement.names_in(paths.as_str()) {
        found.push(Claim {
            text: text.name.clone(),
            line: statement.line,
            quote: statement.unmasked(&statement.masked),
            kind: list.kind,
            subject: Subject::Name(name),
        });
    }
    true
}

fn read_sentence(text: &PrText, statement: &Statement, sentence: &str, found: &mut Vec<Claim>) {
    if sentence.ends_with('?') {
        return;
    }
    let mut taken: Vec<std::ops::Range<usize>> = Vec::new();
    let mut starts = clause_starts(sentence);
    // behind a colon a title begins; elsewhere what stands before it may be any label
    if statement.line > 1 {
        starts.retain(|start| {
            !sentence
                .get(..*start)
                .is_some_and(|head| head.ends_with(": "))
        });
    }
    for frame in &GRAMMAR.frames {
        if frame.scope == Some(Scope::Item) && !is_led(statement) {
            continue;
        }
        for start in frame.starts(&starts) {
            let tail = sentence.get(start..).unwrap_or_default();
            for captures in frame.pattern.captures_iter(tail) {
                let Some(whole) = captures.get(0) else {
                    continue;
                };
                // the word behind what is named may begin the next claim: "add a.rs and remove b.rs"
                let named = captures.iter().skip(1).flatten().map(|group| group.end());
                let end = named.max().unwrap_or(whole.end());
                let span = start + whole.start()..start + end;
                let is_taken =
                    |one: &std::ops::Range<usize>| one.start < span.end && span.start < one.end;
                if taken.iter().any(is_taken) || !is_plain(sentence, &span) {
                    continue;
                }
                taken.push(span);
                for subject in subjects(frame, &captures, statement) {
                    found.push(Claim {
                        text: text.name.clone(),
                        line: statement.line,
                        quote: statement.unmasked(sentence),
                        kind: frame.kind,
                        subject,
                    });
                }
            }
        }
    }
}

/// Whether an item stands below a line that is about changes, or below none.
fn is_led(statement: &Statement) -> bool {
    let intro = statement.intro.as_deref();
    statement.is_item && intro.is_none_or(|intro| GRAMMAR.led_by_path.is_match(intro))
}

/// Where a frame may begin: the sentence, its clauses, and the parts of a list of verbs.
fn clause_starts(sentence: &str) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(clause::cuts(sentence));
    for mark in [", ", " and ", "✅ ", "✓ "] {
        starts.extend(sentence.match_indices(mark).map(|(at, _)| at + mark.len()));
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// Whether nothing around a claim makes it a wish, a condition, a doubt or a memory.
fn is_plain(sentence: &str, span: &std::ops::Range<usize>) -> bool {
    let before = sentence.get(..span.start).unwrap_or_default();
    let behind = sentence.get(span.end..).unwrap_or_default();
    !GRAMMAR.not_plain.iter().any(|words| words.is_match(before))
        && !GRAMMAR
            .not_plain_behind
            .iter()
            .any(|words| words.is_match(behind))
}

fn subjects(frame: &Frame, captures: &regex::Captures<'_>, statement: &Statement) -> Vec<Subject> {
    let group = |name: &str| captures.name(name).map(|found| found.as_str());
    if let (Some(a), Some(b)) = (group("a"), group("b")) {
        let pair = statement.names_in(a).pop().zip(statement.names_in(b).pop());
        return pair.map(|(a, b)| Subject::Pair(a, b)).into_iter().collect();
    }
    if let Some(class) = group("class") {
        let class = class.to_lowercase();
        return vec![match frame.kind {
            ClaimKind::OnlyTouches => Subject::Names(vec![names::word(&class)]),
            _ => Subject::Class(class),
        }];
    }
    if let Some(places) = group("places") {
        return vec![Subject::Names(named_places(places, statement))];
    }
    let marks = ["path", "sym", "hash", "run"];
    if let Some(marks) = marks.iter().find_map(|name| group(name)) {
        let names = statement.names_in(marks);
        if frame.kind == ClaimKind::OnlyTouches {
            return vec![Subject::Names(names)];
        }
        return names.into_iter().map(Subject::Name).collect();
    }
    match group("n").map(number) {
        Some(Some(count)) => vec![Subject::Count(count)],
        Some(None) => Vec::new(),
        None => vec![Subject::Change],
    }
}

/// The paths and words of a list such as "`src/`, docs and the tests".
fn named_places(list: &str, statement: &Statement) -> Vec<Name> {
    let parts = list.split([',', '&', ' ']);
    let parts = parts.filter(|part| !matches!(*part, "" | "and" | "the"));
    parts
        .flat_map(|part| {
            let masked = statement.names_in(part);
            if masked.is_empty() {
                vec![names::word(part)]
            } else {
                masked
            }
        })
        .collect()
}

fn number(text: &str) -> Option<u64> {
    const WORDS: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let lower = text.to_lowercase();
    let spoken = WORDS.iter().zip(1..).find(|(word, _)| **word == lower);
    spoken
        .map(|(_, value)| value)
        .or_else(|| lower.replace(',', "").parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The word of a kind in the grammar.
    fn word(kind: ClaimKind) -> String {
        let mut word = String::new();
        for (at, c) in format!("{kind:?}").char_indices() {
            if at > 0 && c.is_uppercase() {
                word.push('_');
            }
            word.extend(c.to_lowercase());
        }
        word
    }

    /// A claim in one line, as the examples of the grammar write it.
    fn short(claim: &Claim) -> String {
        let kind = word(claim.kind);
        match &claim.subject {
            Subject::Change => kind,
            Subject::Name(name) => format!("{kind} {}", name.text),
            Subject::Names(names) => {
                let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
                format!("{kind} {}", names.join(" "))
            }
            Subject::Pair(a, b) => format!("{kind} {} -> {}", a.text, b.text),
            Subject::Count(count) => format!("{kind} {count}"),
            Subject::Class(class) => format!("{kind} {class}"),
        }
    }

    fn read(text: &str) -> Vec<String> {
        let text = PrText {
            name: "body".to_owned(),
            text: text.to_owned(),
        };
        claims(&text).iter().map(short).collect()
    }

    #[test]
    fn every_frame_reads_its_example() {
        for (example, reads) in grammar::examples() {
            assert_eq!(read(&example), reads, "{example}");
        }
    }

    #[test]
    fn each_half_of_a_sentence_is_a_claim() {
        for (text, reads) in [
            (
                "Add n.txt and remove m.txt",
                "file_added n.txt; file_deleted m.txt",
            ),
            (
                "Add n.txt, remove shop.db",
                "file_added n.txt; file_deleted shop.db",
            ),
            (
                "Added `a.rs` and updated `b.rs`.",
                "file_added a.rs; touched b.rs",
            ),
        ] {
            let mut found = read(text);
            found.sort();
            assert_eq!(found.join("; "), reads, "{text}");
        }
    }

    #[test]
    fn of_squashed_commits_and_releases_only_the_title_is_read() {
        let squashed = "Add `src/a.rs` (#7)\n\n* Add `src/b.rs`\n\n* Remove `src/b.rs`\n";
        assert_eq!(read(squashed), ["file_added src/a.rs"]);
        assert_eq!(
            read("Release 1.2.0\n\n- Add `src/b.rs`\n"),
            Vec::<String>::new()
        );
        let listed = "Add `src/a.rs`\n\n* Add `src/b.rs`\n* Add `src/c.rs`\n";
        assert_eq!(read(listed).len(), 3);
    }

    #[test]
    fn what_no_frame_reads_of_a_file_is_left_open() {
        for (text, reads) in [
            (
                "Adds `n.py` (and deletes `a.py`).",
                "file_added n.py; unread a.py",
            ),
            (
                "Adds `n.py`, which replaces the removed `a.py`.",
                "file_added n.py; unread a.py",
            ),
            ("`a.py` was removed.", "unread a.py"),
            (
                "`a.py` moved to `src/a.py`.",
                "unread a.py; unread src/a.py",
            ),
            ("`a.py` no longer exists.", "unread a.py"),
            ("`a.py` is left untouched.", "unread a.py"),
            ("Gets rid of `a.py`.", "unread a.py"),
            ("Adds `bar()` to `n.py`.", "unread n.py"),
            ("Adds 500 lines.", "unread 500"),
            ("Fix parsing of `src/a.rs`.", "unread src/a.rs"),
            ("Add `src/a.rs` to the build.", "unread src/a.rs"),
            // nothing is said to have happened to these
            ("See `a.py` for how it is used.", ""),
            ("Why: `a.py` had a hard-coded value.", ""),
            ("Now `a.py` calls `foo()`.", ""),
        ] {
            let mut found = read(text);
            found.sort();
            assert_eq!(found.join("; "), reads, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_plain_statement_is_no_claim() {
        for text in [
            "Not yet: added `src/a.rs`.",
            "We should also update `src/a.rs`.",
            "Maybe we could remove `src/a.rs`.",
            "A later PR will rename `src/a.rs` to `src/b.rs`.",
            "When users edit `src/a.rs`, and update `src/b.rs`, it breaks.",
            "Update `src/a.rs` if it exists.",
            "Previously we added `src/a.rs`.",
            "Did you update `src/a.rs`?",
            "> Updated `src/a.rs`.",
            "```\nUpdated src/a.rs\n```",
            "    Updated src/a.rs",
            "- [ ] Updated `src/a.rs`",
            "- [ ] Files\n  - Updated `src/a.rs`",
            "<!-- Updated src/a.rs -->",
            "The bot said \"Updated src/a.rs\".",
            "~~Updated `src/a.rs`~~",
            "## Follow-ups\n\nUpdated `src/a.rs`.",
            "Add Node.js and and/or.",
            "Still to do:\n- Update `src/a.rs`",
            "Commit 1a2b3c4d:\n- Updated `src/a.rs`",
            "In https://github.com/a/b/pull/7, we added tests to `src/a.rs`.",
            "Step 1: Add script tags to index.html",
            "See https://example.com/a/b.rs and update it.",
        ] {
            assert_eq!(read(text), Vec::<String>::new(), "{text}");
        }
    }
}
