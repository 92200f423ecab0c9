//! Runs that prove nothing because the session put something else in their
//! place.

use std::path::Path;

use super::Ground;
use super::run::Shown;
use crate::kind::Work;
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
    is_tampered(shown, session, ground).then_some(DoneReason::TamperedTarget)
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
            stands_in(edit, program, ground) || is_read(edit) && changes_shell(edit, ground)
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
    const SIGNS: [&str; 8] = [
        "PATH=",
        "alias ",
        "() {",
        "(){",
        "function ",
        "exit",
        "exec ",
        "hash -p",
    ];
    let texts = written(edit, ground);
    texts
        .iter()
        .any(|text| SIGNS.iter().any(|sign| text.contains(sign)))
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
fn stands_in(edit: &Edit, program: &str, ground: &Ground<'_>) -> bool {
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
        return written(edit, ground).iter().any(|text| {
            let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            plain.contains("os._exit(0")
                || plain.contains("pytest.exit(") && plain.contains("returncode=0")
                || plain.contains("sys.exit(0)")
                || plain.contains("exitstatus=0")
                || plain.contains("outcome=\"passed\"")
                || plain.contains("outcome='passed'")
        });
    }
    false
}

/// Settings of runners of tests, and words in them that leave tests out.
const LEAVE_OUT: [(&[&str], &[&str]); 3] = [
    (
        &["conftest.py"],
        &[
            "collect_ignore",
            "pytest_ignore_collect",
            "pytest_deselected",
            "items[:]=",
            "items.remove(",
            "items.clear(",
            "delitems[",
            "pytest.mark.skip",
        ],
    ),
    (
        &[
            "pytest.ini",
            ".pytest.ini",
            "tox.ini",
            "setup.cfg",
            "pyproject.toml",
        ],
        &[
            "--ignore",
            "--deselect",
            "-k",
            "-m",
            "--lf",
            "collect_ignore",
        ],
    ),
    (
        &[
            "package.json",
            "jest.config",
            "vitest.config",
            "vite.config",
            ".mocharc",
        ],
        &[
            "testPathIgnorePatterns",
            "testNamePattern",
            "exclude:[",
            "exclude\":[",
            "passWithNoTests",
        ],
    ),
];

/// Whether the session wrote settings of the runner that leave tests out.
pub(super) fn leaves_out_tests(shown: &Shown<'_>, session: &Session, ground: &Ground<'_>) -> bool {
    if !shown.candidate.found.work.contains(&Work::Tests) {
        return false;
    }
    let script = script_of(shown);
    let mut left_out: Vec<&Path> = Vec::new();
    let edits = session
        .edits
        .iter()
        .filter(|edit| edit.done && shown.is_after(edit));
    for edit in edits {
        let name = edit
            .path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let row = LEAVE_OUT
            .iter()
            .find(|(files, _)| files.iter().any(|file| name.starts_with(file)));
        let script = script
            .as_ref()
            .filter(|script| script.is_defined_in(&edit.path));
        let bodies = script.map(|script| bodies(script, edit, ground));
        if bodies.is_some_and(|bodies| bodies.iter().any(|body| runs_a_part(body, ground))) {
            return true;
        }
        let Some((_, words)) = row else {
            continue;
        };
        let replaced = ground.outputs.replaced(edit);
        let old = replaced.iter().filter_map(|one| one.old.as_deref());
        let was = old
            .map(|old| left_out_in(old, words))
            .max()
            .unwrap_or_default();
        let texts = written(edit, ground);
        let is = texts
            .iter()
            .map(|text| left_out_in(text, words))
            .max()
            .unwrap_or_default();
        left_out.retain(|path| *path != edit.path || is >= was);
        if is > was {
            left_out.push(&edit.path);
        }
    }
    !left_out.is_empty()
}

fn bodies(script: &Script, edit: &Edit, ground: &Ground<'_>) -> Vec<String> {
    let texts = written(edit, ground);
    texts.iter().filter_map(|text| script.body(text)).collect()
}

/// Whether every run of tests in a script leaves something out.
fn runs_a_part(body: &str, ground: &Ground<'_>) -> bool {
    let segments = shell::line(body)
        .map(|line| line.segments)
        .unwrap_or_default();
    let found = segments
        .iter()
        .flat_map(|segment| ground.table.matches(&segment.run));
    let mut tests = found
        .filter(|found| found.work.contains(&Work::Tests))
        .peekable();
    tests.peek().is_some() && tests.all(|found| found.partial)
}

/// How many words of a text leave tests out; an option counts only where
/// options are given to the runner.
fn left_out_in(text: &str, words: &[&str]) -> usize {
    let built = ["node_modules", "dist", "build", ".next", "coverage"];
    let is_harmless = |behind: &str| {
        let listed = behind.split(']').next().unwrap_or_default();
        let listed = listed.rsplit('[').next().unwrap_or_default();
        let mut names = listed.split(',').filter(|name| !name.is_empty());
        names.all(|name| built.iter().any(|folder| name.contains(folder)))
    };
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let options: Vec<&str> = text
        .split("addopts")
        .skip(1)
        .filter_map(|behind| behind.split("\n[").next())
        .flat_map(|behind| behind.split(|c: char| c.is_whitespace() || "\"'=[],".contains(c)))
        .collect();
    let counts = words.iter().map(|word| {
        if word.starts_with('-') {
            return options.iter().filter(|option| option == &word).count();
        }
        let is_list = word.ends_with('[') || word.ends_with("Patterns");
        let behind = plain.split(word).skip(1);
        behind
            .filter(|behind| !is_list || !is_harmless(behind))
            .count()
    });
    counts.sum()
}

fn is_on_path(path: &Path) -> bool {
    path.parent()
        .is_some_and(|parent| parent.ends_with("bin") || parent.ends_with(".bin"))
}

/// The texts that an edit wrote.
fn written(edit: &Edit, ground: &Ground<'_>) -> Vec<String> {
    let mut texts: Vec<String> = ground
        .outputs
        .replaced(edit)
        .into_iter()
        .map(|replaced| replaced.new)
        .collect();
    texts.extend(edit.command.iter().map(ToString::to_string));
    texts
}

/// Whether the script behind the run was changed so that it no longer runs
/// the check.
fn is_tampered(shown: &Shown<'_>, session: &Session, ground: &Ground<'_>) -> bool {
    let Some(script) = script_of(shown) else {
        return false;
    };
    let edits = session
        .edits
        .iter()
        .filter(|edit| edit.done && edit.order < shown.order());
    let mut verdict = false;
    for edit in edits.filter(|edit| script.is_defined_in(&edit.path)) {
        for body in bodies(&script, edit, ground) {
            verdict = proves_nothing(&body, shown, ground);
        }
    }
    verdict
}

/// A script by which a run goes.
struct Script {
    files: Vec<String>,
    name: String,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `"name": "body"` of a package.json.
    Json,
    /// `name:` and indented lines below it.
    Target,
    /// `commands =` of a tox.ini.
    Commands,
    /// The file itself.
    Whole,
}

impl Script {
    fn is_defined_in(&self, path: &Path) -> bool {
        self.files.iter().any(|file| path.ends_with(file))
    }

    /// The body of the script within a text that was written.
    fn body(&self, text: &str) -> Option<String> {
        match self.form {
            Form::Whole => Some(text.to_owned()),
            Form::Json => {
                let key = format!("\"{}\"", self.name);
                let (_, rest) = text.split_once(&key)?;
                let rest = rest
                    .trim_start()
                    .strip_prefix(':')?
                    .trim_start()
                    .strip_prefix('"')?;
                let mut body = String::new();
                let mut escaped = false;
                for c in rest.chars() {
                    match (escaped, c) {
                        (false, '"') => return Some(body),
                        (false, '\\') => escaped = true,
                        (_, c) => {
                            body.push(c);
                            escaped = false;
                        }
                    }
                }
                None
            }
            Form::Target => {
                let start = format!("{}:", self.name);
                let at = text.lines().position(|line| {
                    line.starts_with(&start)
                        || line.starts_with(&format!("{} ", self.name)) && line.contains(':')
                })?;
                let below = text
                    .lines()
                    .skip(at + 1)
                    .take_while(|line| line.starts_with(['\t', ' ']) || line.is_empty());
                let lines: Vec<&str> = below
                    .map(|line| line.trim().trim_start_matches(['@', '-']))
                    .filter(|line| !line.is_empty())
                    .collect();
                Some(lines.join("\n"))
            }
            Form::Commands => {
                let (_, rest) = text.split_once("commands")?;
                let rest = rest.trim_start().strip_prefix('=')?;
                let lines = rest
                    .lines()
                    .enumerate()
                    .take_while(|(at, line)| *at == 0 || line.starts_with([' ', '\t']));
                Some(
                    lines
                        .map(|(_, line)| line.trim().trim_start_matches('-').to_owned())
                        .collect::<Vec<_>>()
                        .join("\n"),
                )
            }
        }
    }
}

fn script_of(shown: &Shown<'_>) -> Option<Script> {
    let command = &shown.run.command;
    let line = shell::line(command).ok()?;
    let words = line
        .segments
        .get(shown.candidate.segment)
        .map(|segment| segment.run.words.clone())?;
    let plain: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let script = |files: &[&str], name: &str, form| {
        Some(Script {
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            name: name.to_owned(),
            form,
        })
    };
    match plain.as_slice() {
        [
            "npm" | "pnpm" | "yarn" | "bun",
            "run" | "run-script",
            name,
            ..,
        ] => script(&["package.json"], name, Form::Json),
        ["npm", "t" | "tst", ..] => script(&["package.json"], "test", Form::Json),
        ["npm" | "pnpm" | "yarn", name, ..] => script(&["package.json"], name, Form::Json),
        ["composer", "run", name, ..] | ["composer", name, ..] => {
            script(&["composer.json"], name, Form::Json)
        }
        ["make" | "gmake", name, ..] => {
            script(&["Makefile", "makefile", "GNUmakefile"], name, Form::Target)
        }
        ["just", name, ..] => script(&["justfile", "Justfile"], name, Form::Target),
        ["task", name, ..] => script(&["Taskfile.yml", "Taskfile.yaml"], name, Form::Target),
        ["tox", ..] => script(&["tox.ini"], "", Form::Commands),
        ["nox", ..] => script(&["noxfile.py"], "", Form::Whole),
        ["bash" | "sh" | "zsh", file, ..] => {
            script(&[file.trim_start_matches("./")], "", Form::Whole)
        }
        [file, ..] if file.contains('/') => {
            script(&[file.trim_start_matches("./")], "", Form::Whole)
        }
        _ => None,
    }
}

/// Whether a script no longer runs any check, or hides that it failed.
fn proves_nothing(body: &str, shown: &Shown<'_>, ground: &Ground<'_>) -> bool {
    let plain: String = body.split_whitespace().collect::<Vec<_>>().join(" ");
    let hides = [
        "|| true",
        "||true",
        "|| :",
        "|| exit 0",
        "; exit 0",
        "; true",
        "|| echo",
        "--passWithNoTests",
    ];
    if hides.iter().any(|words| plain.contains(words)) {
        return true;
    }
    let works = &shown.candidate.found.work;
    if works == &[Work::Exec] {
        return false;
    }
    let is_script = body.starts_with("#!") && !body.contains("sh\n");
    if is_script || body.contains("import ") {
        return false;
    }
    if let Ok(line) = shell::line(body) {
        return !line.segments.iter().any(|segment| {
            let found = ground.table.matches(&segment.run);
            found.iter().any(|found| !found.disqualified)
        });
    }
    // without being understood, it must at least name a runner
    let named: Vec<&str> = body
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .collect();
    let mut runners = ground
        .table
        .rows()
        .iter()
        .filter(|row| row.name != "exec")
        .flat_map(|row| row.commands().collect::<Vec<_>>());
    !runners.any(|runner| {
        let program = runner.split(' ').next();
        program.is_some_and(|program| named.contains(&program))
    })
}
