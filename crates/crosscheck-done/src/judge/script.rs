//! Scripts by which a run goes, and whether a check is left in them.

use std::path::{Path, PathBuf};

use super::Ground;
use super::run::Shown;
use crate::kind::Work;
use crate::read::session::{Edit, Session};
use crate::relevance::is_test_file;
use crate::runner;
use crate::shell::{self, Segment, Standing};

/// Scripts call others at most so deep.
const MAX_DEPTH: usize = 4;

/// Whether the script behind the run was changed so that it no longer runs
/// the check.
pub(super) fn is_tampered(shown: &Shown<'_>, session: &Session, ground: &Ground<'_>) -> bool {
    let Some(script) = script_of(shown) else {
        return false;
    };
    let edits = session.edits.iter();
    let edits =
        edits.filter(|edit| edit.done && shown.is_after(edit) && script.is_defined_in(&edit.path));
    let mut edits = edits.peekable();
    let file = script.file(shown, ground);
    let file = file.filter(|file| edits.peek().is_some() || ground.layout.is_changed(file));
    let before = file.as_ref().and_then(|file| ground.layout.before(file));
    let before = before.and_then(|text| script.body(&text));
    let mut text = file.and_then(|file| ground.layout.now(&file));
    text = text.filter(|_| before.is_some());
    for edit in edits {
        let printed = changes(edit, ground).into_iter().map(|(_, new)| new);
        let printed: Vec<String> = printed
            .chain(edit.command.as_deref().map(str::to_owned))
            .collect();
        let shown = printed
            .iter()
            .rfind(|text| script.body(text).is_some())
            .cloned();
        // what a command wrote, or an edit does not show, is what is there now:
        // a later change would make the run stale
        let now = ground.layout.now(&edit.path).filter(|now| {
            let body = script.body(now).unwrap_or_default();
            before.is_some() || printed.iter().any(|printed| tells(printed, &body))
        });
        text = match edit.tool {
            Some(_) => shown.or(now),
            None => now.or(shown),
        }
        .or(text);
    }
    text.is_some_and(|text| {
        let is_old = before.is_some() && script.body(&text) == before;
        !is_old && !script.checks(&text, shown, session, ground, MAX_DEPTH)
    })
}

/// Whether words hold the body of a script, or a line of it.
fn tells(words: &str, body: &str) -> bool {
    let mut lines = words.lines().map(step).filter(|line| line.len() > 3);
    !body.is_empty() && words.contains(body) || lines.any(|line| body.contains(&line))
}

/// What an edit replaced, and by what. Of a command that is known only from
/// the file before the session and now, else from its own words.
pub(super) fn changes(edit: &Edit, ground: &Ground<'_>) -> Vec<(Option<String>, String)> {
    if edit.tool.is_some() {
        let replaced = ground.outputs.replaced(edit).into_iter();
        return replaced.map(|one| (one.old, one.new)).collect();
    }
    let both = ground
        .layout
        .before(&edit.path)
        .zip(ground.layout.now(&edit.path));
    let both = both.map(|(before, now)| (Some(before), now));
    let words = || {
        edit.command
            .as_ref()
            .map(|command| (None, command.to_string()))
    };
    both.or_else(words).into_iter().collect()
}

/// A script by which a run goes.
pub(super) struct Script {
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
    pub(super) fn is_defined_in(&self, path: &Path) -> bool {
        self.files.iter().any(|file| path.ends_with(file))
    }

    /// The file that defines it for a run.
    fn file(&self, shown: &Shown<'_>, ground: &Ground<'_>) -> Option<PathBuf> {
        let dir = shown.candidate.dir.as_ref()?;
        let mut files = self.files.iter().map(|file| dir.join(file));
        files.find(|file| ground.layout.now(file).is_some())
    }

    /// Whether it still runs a check and does not hide that it failed. A
    /// script that cannot be cut must at least name a runner.
    fn checks(
        &self,
        text: &str,
        shown: &Shown<'_>,
        session: &Session,
        ground: &Ground<'_>,
        depth: usize,
    ) -> bool {
        let Some(body) = self.body(text) else {
            return true;
        };
        let works = &shown.candidate.found.work;
        let is_program =
            body.starts_with("#!") && !body.contains("sh\n") || body.contains("import ");
        let is_plain = works == &[Work::Exec] || is_program;
        if is_plain && hides(&body) {
            return false;
        }
        let Ok(line) = shell::line(&body) else {
            return is_plain || names_a_runner(&body, ground);
        };
        is_plain
            || line.segments.iter().any(|segment| {
                let inner = named(&segment.run.words).filter(|inner| {
                    inner.form == self.form && inner.name != self.name && inner.body(text).is_some()
                });
                match inner.filter(|_| depth > 0) {
                    Some(inner) => inner.checks(text, shown, session, ground, depth - 1),
                    None => is_check(segment, works, session, ground),
                }
            })
    }

    /// The body of the script within a text that was written.
    pub(super) fn body(&self, text: &str) -> Option<String> {
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
                let mut lines = text.lines().skip(at);
                let needs = lines.next().and_then(|line| line.split_once(':'));
                let needs = needs.map_or("", |(_, needs)| needs).split('#').next();
                let needs = needs.unwrap_or_default().split_whitespace();
                let called = needs.map(|name| format!("make {name}"));
                let below =
                    lines.take_while(|line| line.starts_with(['\t', ' ']) || line.is_empty());
                Some(chain(called.chain(below.map(step))))
            }
            Form::Commands => {
                let (_, rest) = text.split_once("commands")?;
                let rest = rest.trim_start().strip_prefix('=')?;
                let lines = rest
                    .lines()
                    .enumerate()
                    .take_while(|(at, line)| *at == 0 || line.starts_with([' ', '\t']));
                Some(chain(lines.map(|(_, line)| step(line))))
            }
        }
    }
}

/// Steps of which each is made only after the one before it went well.
fn chain(steps: impl Iterator<Item = String>) -> String {
    let steps: Vec<String> = steps.filter(|step| !step.is_empty()).collect();
    steps.join(" && ")
}

/// A line of a target; a dash before it says that a failure does not count.
fn step(line: &str) -> String {
    let line = line.trim();
    let command = line.trim_start_matches(['@', '-', '+', ' ']);
    let marks = line.strip_suffix(command).unwrap_or_default();
    if marks.contains('-') {
        format!("{{ {command} || true; }}")
    } else {
        command.to_owned()
    }
}

pub(super) fn script_of(shown: &Shown<'_>) -> Option<Script> {
    let line = shell::line(&shown.run.command).ok()?;
    let segment = line.segments.get(shown.candidate.segment)?;
    named(&segment.run.words)
}

/// The script that a command names.
fn named(words: &[String]) -> Option<Script> {
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

/// Whether a script ends well whatever it finds.
fn hides(body: &str) -> bool {
    const WORDS: [&str; 6] = [
        "|| true",
        "|| :",
        "|| exit 0",
        "; exit 0",
        "; true",
        "|| echo",
    ];
    let plain: Vec<&str> = body.split_whitespace().collect();
    let plain = plain.join(" ").replace("||true", "|| true");
    WORDS.iter().any(|words| plain.contains(words))
}

/// Whether a program of a script does the work of the run: it is a runner for
/// it, or something of the project that the session did not write, or wrote
/// as a test.
fn is_check(segment: &Segment, works: &[Work], session: &Session, ground: &Ground<'_>) -> bool {
    let is_own = |path: &str| {
        let mut edits = session.edits.iter();
        let path = path.trim_start_matches("./");
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut parts = name.split(['.', '-', '_']);
        let is_test = parts.any(|word| matches!(word, "test" | "tests"));
        !is_test
            && !is_test_file(Path::new(path))
            && edits.any(|edit| edit.done && edit.path.ends_with(path))
    };
    let counts = matches!(segment.standing, Standing::Chain(..)) || segment.behind.piped;
    let runs_nothing = segment
        .run
        .words
        .iter()
        .any(|word| word == "--passWithNoTests");
    let argv = &segment.run.words;
    // `npm-run-all test:*` names scripts by a pattern
    let calls = ["npm-run-all", "run-s", "run-p", "concurrently", "wireit"];
    if argv
        .first()
        .is_some_and(|first| calls.contains(&first.as_str()))
    {
        return counts;
    }
    if argv.first().is_some_and(|first| first.contains('$')) {
        return counts && names_a_runner(&argv.join(" "), ground);
    }
    let found = ground.table.matches(&segment.run);
    let mut found = found.iter().filter(|_| counts && !runs_nothing);
    found.any(|found| {
        let is_exec = found.work == [Work::Exec];
        let runs_own = || runner::script(&segment.run.words).is_some_and(|file| is_own(file));
        let does = found.work.iter().any(|work| works.contains(work));
        let is_tests = works.contains(&Work::Tests);
        !found.disqualified && (does || (is_exec && !runs_own()) || (!is_tests && !is_exec))
    })
}

/// Whether a text that cannot be cut names a runner.
fn names_a_runner(body: &str, ground: &Ground<'_>) -> bool {
    let named: Vec<&str> = body
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .collect();
    let rows = ground.table.rows().iter().filter(|row| row.name != "exec");
    let mut runners = rows.flat_map(|row| row.commands().collect::<Vec<_>>());
    runners.any(|runner| {
        let program = runner.split(' ').next();
        program.is_some_and(|program| named.contains(&program))
    })
}
