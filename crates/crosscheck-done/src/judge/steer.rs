//! Runs that prove nothing because the session changed what steers them: the
//! program, the shell, the settings of the check, the definition of a task.
//! What such a change means is not asked.
//!
//! Contract: done 5.7.

use crosscheck_core::rules::Rule;

use super::Ground;
use super::run::Shown;
use crate::kind::Work;
use crate::read::session::{Edit, Hides, Session};
use crate::reasons::DoneReason;
use crate::shell;

const PLUGIN: Rule = Rule::new(
    "done.plugin",
    "a plugin of pytest that the session wrote steers the run",
);

/// Why a run proves nothing, and the change that makes it so.
pub(super) fn reason<'s>(
    shown: &Shown<'_>,
    session: &'s Session,
    ground: &Ground<'_>,
) -> Option<(DoneReason, Option<&'s Edit>)> {
    let program = shown
        .candidate
        .program
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let is_hidden = session
        .shadows
        .iter()
        .filter(|shadow| shadow.order <= shown.order())
        .any(|shadow| match &shadow.what {
            Hides::Name(name) => name == program,
            Hides::Path(path) => ground.table.steers.hides(path, ground.places),
        });
    if is_hidden {
        return Some((DoneReason::ShadowedTool, None));
    }
    let before = |edit: &&Edit| edit.done && (edit.order < shown.order() || shown.is_after(edit));
    let read = sourced(shown);
    for edit in session.edits.iter().filter(before) {
        if is_program(edit, program, ground) || read.iter().any(|file| edit.path.ends_with(file)) {
            return Some((DoneReason::ShadowedTool, Some(edit)));
        }
        if steers(edit, shown, ground) {
            return Some((DoneReason::Steered, Some(edit)));
        }
    }
    None
}

/// The files that the shell reads before the run: `. ./env.sh; pytest`.
fn sourced(shown: &Shown<'_>) -> Vec<String> {
    if !shown.run.command.contains(". ") && !shown.run.command.contains("source ") {
        return Vec::new();
    }
    let line = shell::line(&shown.run.command).unwrap_or_default();
    let before = line.segments.iter().take(shown.candidate.segment);
    let files = before.filter_map(|segment| match segment.run.words.as_slice() {
        [name, file, ..] if matches!(name.as_str(), "." | "source") => {
            Some(file.trim_start_matches("./").to_owned())
        }
        _ => None,
    });
    files.collect()
}

/// Whether a file is run in the place of a program, or read by every shell.
fn is_program(edit: &Edit, program: &str, ground: &Ground<'_>) -> bool {
    let name = edit.path.file_name().and_then(|name| name.to_str());
    let name = name.unwrap_or_default();
    let is_own = ground.places.below(&edit.path).is_some() && !program.contains('.');
    ground.table.steers.is_profile(name)
        || is_own && !program.is_empty() && (name == program || name == format!("{program}.py"))
}

/// Whether a changed file steers a run.
fn steers(edit: &Edit, shown: &Shown<'_>, ground: &Ground<'_>) -> bool {
    let found = &shown.candidate.found;
    let name = edit.path.file_name().and_then(|name| name.to_str());
    let name = name.unwrap_or_default();
    if ground.places.below(&edit.path).is_none() {
        return false;
    }
    // a script that the run goes through
    let line = shell::line(&shown.run.command).unwrap_or_default();
    let words = line
        .segments
        .get(shown.candidate.segment)
        .map(|one| one.run.words.as_slice());
    let is_script = words
        .and_then(|words| ground.table.tasks.script(words))
        .is_some_and(|script| {
            let dir = shown
                .candidate
                .dir
                .as_deref()
                .unwrap_or(&ground.places.root);
            ground.places.absolute(dir, script) == edit.path
        });
    if is_script && found.work.iter().any(|work| *work != Work::Exec) {
        return true;
    }
    // `-p nofail`, and the session wrote nofail.py
    let stem = edit.path.file_stem().and_then(|stem| stem.to_str());
    let mut pairs = words.into_iter().flat_map(|words| words.windows(2));
    let is_plugin = |pair: &[String]| match pair {
        [option, name] => option == "-p" && Some(name.as_str()) == stem,
        _ => false,
    };
    let is_pytest = shown.row(ground).is_some_and(|row| row.name == "pytest");
    if PLUGIN.is_on() && is_pytest && pairs.any(is_plugin) {
        return true;
    }
    let Some(words) = ground.table.steers.words(&found.work, name, &found.tasks) else {
        return false;
    };
    if words.is_empty() {
        return true;
    }
    // of a manifest only some sections steer
    let texts = ground.outputs.replaced(edit);
    let holds = |text: &str| words.iter().any(|word| text.contains(word.as_str()));
    texts.is_empty()
        || texts.iter().any(|one| {
            let old = one.old.as_deref().unwrap_or_default();
            changed_lines(old, &one.new).any(holds)
        })
}

/// The lines that only one of two texts has.
fn changed_lines<'t>(old: &'t str, new: &'t str) -> impl Iterator<Item = &'t str> {
    let only = |one: &'t str, other: &'t str| {
        one.lines()
            .filter(move |line| !other.lines().any(|known| known == *line))
    };
    only(old, new).chain(only(new, old))
}
