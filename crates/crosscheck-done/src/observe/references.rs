//! Where the lines are that a message points to, and whether what is there
//! now was there all the session long.
//!
//! Contract: done 6.2.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::files::{Found, find};
use crate::claim::{Lines, Reference, references};
use crate::handover::{Handover, LinesAsked, Question, Verifier};
use crate::place::Places;

/// What is known of the session that wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// There is no session: the message speaks of now.
    Now,
    /// It began at this second since 1970.
    Start(i64),
    /// Its beginning is not known.
    Unknown,
}

/// The references of a message, as questions to the verifiers that are wanted.
pub fn questions(
    message: &str,
    wanted: &[Verifier],
    places: &Places,
    since: impl FnOnce() -> Since,
) -> Vec<Handover> {
    if !wanted.contains(&Verifier::Claims) && !wanted.contains(&Verifier::Sources) {
        return Vec::new();
    }
    let mut all = references(message);
    all.retain(|one| match one {
        Reference::Page(_) => wanted.contains(&Verifier::Sources),
        Reference::Lines(_) => wanted.contains(&Verifier::Claims),
    });
    let has_lines = all.iter().any(|one| matches!(one, Reference::Lines(_)));
    let since = if has_lines { since() } else { Since::Unknown };
    let question = |one: Reference| match one {
        Reference::Page(url) => Handover::of_reference(Question::Page(url.clone()), &url),
        Reference::Lines(lines) => {
            Handover::of_reference(Question::Lines(asked(&lines, places, since)), &lines.quote)
        }
    };
    all.into_iter().map(question).collect()
}

fn asked(lines: &Lines, places: &Places, since: Since) -> LinesAsked {
    let (path, is_sure) = located(&lines.path, places, since);
    let decides = is_sure && lines.is_plain;
    LinesAsked {
        path,
        start: lines.start,
        end: lines.end,
        text: lines.text.as_ref().map(|text| text.text.clone()),
        text_decides: decides && lines.text.as_ref().is_some_and(|text| text.is_said),
        decides,
    }
}

/// The file from the root, and whether it can be no other one.
fn located(name: &str, places: &Places, since: Since) -> (PathBuf, bool) {
    let from = [places.cwd.clone()];
    match find(name, places, &from) {
        Found::There(path, _) => {
            // a name that fits the end of some path may mean another file
            let is_named = std::iter::once(&places.root)
                .chain(&from)
                .any(|folder| places.absolute(folder, name) == path);
            let is_old = is_unchanged(&path, since);
            let below = places.below(&path).unwrap_or(&path);
            (below.to_owned(), is_named && is_old)
        }
        Found::Nowhere => {
            let folder = places.root.join(name);
            let folder = folder.parent().filter(|_| name.contains('/'));
            // removing a file changes the time of its folder
            let was_missing = folder.is_some_and(|folder| is_unchanged(folder, since));
            (PathBuf::from(name), was_missing)
        }
        Found::Outside | Found::Foreign | Found::Hidden(_) => (PathBuf::from(name), false),
    }
}

/// Whether a file or folder is older than the session.
fn is_unchanged(path: &Path, since: Since) -> bool {
    let changed = || {
        let time = fs::symlink_metadata(path).and_then(|meta| meta.modified());
        let time = time.ok()?.duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(time.as_secs()).ok()
    };
    match since {
        Since::Now => path.exists(),
        Since::Start(start) => changed().is_some_and(|changed| changed < start),
        Since::Unknown => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 4_000_000_000; // long after every file of a test

    fn decides(message: &str, since: Since) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("src")).unwrap();
        fs::File::create(root.join("src/a.rs")).unwrap();
        let places = Places {
            root: root.clone(),
            cwd: root,
            home: None,
            temporary: Vec::new(),
        };
        let mut all = questions(message, &[Verifier::Claims], &places, || since);
        match all.remove(0).question {
            Question::Lines(asked) => asked.decides,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn missing_lines_contradict_only_what_did_not_change_during_the_session() {
        let (later, earlier) = (Since::Start(NOW), Since::Start(1_000_000_000));
        for (message, since, expected) in [
            ("The parser is in src/a.rs:4.", later, true),
            ("The parser is in src/a.rs:4.", Since::Now, true),
            ("The parser is in src/a.rs:4.", earlier, false),
            ("The parser is in src/a.rs:4.", Since::Unknown, false),
            // a file that is not there, in a folder that is
            ("The parser is in src/b.rs:4.", later, true),
            ("The parser is in src/b.rs:4.", earlier, false),
            // another file may be meant
            ("The parser is in lib/b.rs:4.", later, false),
            ("The parser is in a.rs:4.", later, false),
            ("The parser is in /usr/lib/a.rs:4.", later, false),
            ("The parser in src/a.rs:4 was removed.", later, false),
        ] {
            assert_eq!(decides(message, since), expected, "{message} {since:?}");
        }
    }
}
