//! Runs that prove nothing because the session put something else in their
//! place.
//!
//! Contract: done 5.7.

use std::path::Path;

use super::Ground;
use super::run::Shown;
use super::script::{self, changes};
use crate::read::session::{Edit, Hides, Session};
use crate::reasons::DoneReason;
use crate::shell;

/// Why a run proves nothing, if that is so.
pub(super) fn reason(
    shown: &Shown<'_>,
    session: &Session,
    ground: &Ground<'_>,
) -> Option<DoneReason> {
    if is_shadowed(shown, session, ground) {
        return Some(DoneReason::ShadowedTool);
    }
    script::is_tampered(shown, session, ground).then_some(DoneReason::TamperedTarget)
}

fn is_shadowed(shown: &Shown<'_>, session: &Session, ground: &Ground<'_>) -> bool {
    let program = shown
        .candidate
        .program
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let hidden = session
        .shadows
        .iter()
        .filter(|shadow| shadow.order <= shown.order())
        .any(|shadow| match &shadow.what {
            Hides::Name(name) => name == program,
            Hides::Path(path) => hides(path, ground),
        });
    let earlier = session
        .edits
        .iter()
        .filter(|edit| edit.done && (edit.order < shown.order() || shown.is_after(edit)));
    let read = sourced(shown);
    let is_read = |edit: &Edit| read.iter().any(|file| edit.path.ends_with(file));
    hidden
        || earlier.into_iter().any(|edit| {
            replaces_program(edit, program, ground) || is_read(edit) && changes_shell(edit, ground)
        })
}

/// The files that the shell reads before the run: `. ./env.sh; pytest`.
fn sourced(shown: &Shown<'_>) -> Vec<String> {
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

/// Whether a file for the shell puts something in the place of programs.
fn changes_shell(edit: &Edit, ground: &Ground<'_>) -> bool {
    const SIGNS: [&str; 10] = [
        "PATH=",
        "PYTEST_ADDOPTS=",
        "GOFLAGS=",
        "alias ",
        "() {",
        "(){",
        "function ",
        "exit",
        "exec ",
        "hash -p",
    ];
    gains(edit, ground, |text| {
        SIGNS.iter().filter(|sign| text.contains(*sign)).count()
    })
}

/// Whether a folder before the others on `PATH` is one that the session can
/// fill; those that package managers use are not meant.
fn hides(path: &str, ground: &Ground<'_>) -> bool {
    const USUAL: [&str; 12] = [
        "node_modules/.bin",
        ".venv/bin",
        "venv/bin",
        ".cargo/bin",
        ".local/bin",
        "go/bin",
        "vendor/bin",
        ".nvm/",
        ".pyenv/",
        ".rbenv/",
        ".bun/bin",
        ".deno/bin",
    ];
    let shown = path
        .replace("${HOME}", "~")
        .replace("$HOME", "~")
        .replace("$PWD", ".")
        .replace("$(pwd)", ".")
        .replace("$()", ".");
    if USUAL.iter().any(|usual| shown.contains(usual)) {
        return false;
    }
    if shown.contains('$') {
        return false;
    }
    let place = ground.places.absolute(&ground.places.root, &shown);
    let in_home = ground
        .places
        .home
        .as_deref()
        .is_some_and(|home| place.starts_with(home));
    place.starts_with(&ground.places.root)
        || in_home
        || ground
            .places
            .temporary
            .iter()
            .any(|folder| place.starts_with(folder))
}

/// Whether a file that the session wrote is run instead of the program, or
/// ends it early.
fn replaces_program(edit: &Edit, program: &str, ground: &Ground<'_>) -> bool {
    let name = edit
        .path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let is_profile = matches!(
        name,
        ".bashrc"
            | ".bash_profile"
            | ".profile"
            | ".zshrc"
            | ".zprofile"
            | ".zshenv"
            | ".bash_aliases"
            | ".envrc"
    );
    if name == program
        || name == format!("{program}.py")
        || name == format!("{program}.sh") && program.len() > 3
    {
        return ground.places.below(&edit.path).is_some() || is_on_path(&edit.path);
    }
    if is_profile {
        return changes_shell(edit, ground);
    }
    if matches!(name, "conftest.py" | "sitecustomize.py") && program == "pytest" {
        return gains(edit, ground, |text| {
            let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            let has = |word: &str| plain.contains(word);
            let calls = ["testfunction(", ".obj", ".function"];
            let signs = [
                has("os._exit(0"),
                has("pytest.exit(") && has("returncode=0"),
                has("sys.exit(0)"),
                has("exitstatus=0"),
                has("outcome=\"passed\"") || has("outcome='passed'"),
                has("defpytest_pyfunc_call(") && !calls.iter().any(|call| has(call)),
            ];
            signs.into_iter().filter(|sign| *sign).count()
        });
    }
    false
}

fn is_on_path(path: &Path) -> bool {
    path.parent()
        .is_some_and(|parent| parent.ends_with("bin") || parent.ends_with(".bin"))
}

/// Whether an edit brought in more of something than it took out.
fn gains(edit: &Edit, ground: &Ground<'_>, count: impl Fn(&str) -> usize) -> bool {
    let mut texts = changes(edit, ground).into_iter();
    texts.any(|(old, new)| count(&new) > old.as_deref().map_or(0, &count))
}
