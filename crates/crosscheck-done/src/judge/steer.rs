//! Runs that prove nothing because the session changed what steers them: the
//! program, the shell, the settings of the check, the definition of a task.
//! What such a change means is not asked.
//!
//! Contract: done 5.7.

use super::Ground;
use super::run::Shown;
use crate::claim::listed;
use crate::kind::Work;
use crate::read::session::{Edit, Hides, Session};
use crate::reasons::DoneReason;
use crate::runner::changed_lines;
use crate::shell;

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
            Hides::Name(name) => name == program || calls(&shown.run.command, name),
            Hides::Path(path) => ground.table.steers.hides(path),
        });
    if is_hidden {
        return Some((DoneReason::ShadowedTool, None));
    }
    if loads_plugin(shown, ground) {
        return Some((DoneReason::Steered, None));
    }
    let before = |edit: &&Edit| edit.done && (edit.order < shown.order() || shown.is_after(edit));
    let read = sourced(shown);
    let places = ground.places;
    let mut exported = read.iter().filter(|(_, exports)| *exports);
    // `set -a; . ./.env`: what is set there reaches every program
    if exported.any(|(file, _)| {
        let dir = shown.candidate.dir.as_deref().unwrap_or(&places.root);
        let text = ground.layout.now(&places.absolute(dir, file));
        !text.is_some_and(|text| shell::only_sets(&text))
    }) {
        return Some((DoneReason::ShadowedTool, None));
    }
    for edit in session.edits.iter().filter(before) {
        let mut read = read.iter();
        if is_program(edit, program) || read.any(|(file, _)| edit.path.ends_with(file)) {
            return Some((DoneReason::ShadowedTool, Some(edit)));
        }
        if steers(edit, shown, ground) {
            return Some((DoneReason::Steered, Some(edit)));
        }
    }
    None
}

/// Whether a command line has a name as a word: `python3` of `python3 -m pytest`.
fn calls(command: &str, name: &str) -> bool {
    let mut words = command.split(|c: char| c.is_whitespace() || "();&|".contains(c));
    words.any(|word| word == name)
}

/// `pytest -p nofail`: a plugin that is named may do anything.
fn loads_plugin(shown: &Shown<'_>, ground: &Ground<'_>) -> bool {
    if shown.row(ground).is_none_or(|row| row.name != "pytest") {
        return false;
    }
    let line = shell::line(&shown.run.command).unwrap_or_default();
    let segment = line.segments.get(shown.candidate.segment);
    let mut pairs = segment.into_iter().flat_map(|one| one.run.words.windows(2));
    let is_plugin = |pair: &[String]| match pair {
        [option, name] => option == "-p" && !name.starts_with("no:"),
        _ => false,
    };
    pairs.any(is_plugin)
}

/// The files that the shell reads before the run, and whether it exports what they set:
/// `. ./env.sh; pytest`. What a program prints for `eval` is as good as a file of its name.
fn sourced(shown: &Shown<'_>) -> Vec<(String, bool)> {
    let signs = [". ", "source ", "eval "];
    if !signs.iter().any(|sign| shown.run.command.contains(sign)) {
        return Vec::new();
    }
    let line = shell::line(&shown.run.command).unwrap_or_default();
    let before = line.segments.iter().take(shown.candidate.segment);
    let files = before.filter_map(|segment| match segment.run.words.as_slice() {
        [name, file, ..] if matches!(name.as_str(), "." | "source") => {
            Some((file.trim_start_matches("./").to_owned(), segment.exports))
        }
        [name, ..] if shell::is_environment(name) => Some((name.clone(), false)),
        _ => None,
    });
    files.collect()
}

/// Whether a file is run in the place of a program, or read by every shell.
fn is_program(edit: &Edit, program: &str) -> bool {
    let name = edit.path.file_name().and_then(|name| name.to_str());
    let name = name.unwrap_or_default();
    // a program with a dot is a file of the project that was named itself
    let is_name = !program.is_empty() && !program.contains('.');
    listed("profiles", name) || is_name && (name == program || name == format!("{program}.py"))
}

/// Whether a changed file steers a run.
fn steers(edit: &Edit, shown: &Shown<'_>, ground: &Ground<'_>) -> bool {
    let found = &shown.candidate.found;
    let name = edit.path.file_name().and_then(|name| name.to_str());
    let name = name.unwrap_or_default();
    // programs look for their settings above the project, too
    let is_above = |folder: &std::path::Path| ground.places.root.starts_with(folder);
    if ground.places.below(&edit.path).is_none() && !edit.path.parent().is_some_and(is_above) {
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
    let Some(words) = ground.table.steers.words(&found.work, name, &found.tasks) else {
        return false;
    };
    let is_unlogged = edit.tool.is_none() && edit.command.is_none();
    if words.is_empty() && !is_unlogged {
        return true;
    }
    // of a manifest only some lines steer; an edit may be of a part of one
    let texts = ground.outputs.replaced(edit);
    let holds = |text: &str| words.iter().any(|word| text.contains(word.as_str()));
    let is_held = texts.iter().any(|one| {
        let old = one.old.as_deref().unwrap_or_default();
        changed_lines(old, &one.new).any(holds)
    });
    let before = ground.layout.before(&edit.path);
    let is_changed = || {
        let now = ground.layout.now(&edit.path).unwrap_or_default();
        let steers = &ground.table.steers;
        steers.is_changed(name, before.as_deref(), &now)
    };
    let is_command = texts.is_empty() && !is_unlogged;
    let is_known = texts.is_empty() || before.is_some();
    is_command || is_held || is_known && is_changed()
}
