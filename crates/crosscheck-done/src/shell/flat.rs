//! The programs of a command line in a row, each with what the exit status
//! of the whole says about it.
//!
//! Contract: done 5.3.

use super::lex::{FIRST_STATUS, STATUS, TOP, Unparsed, Word};
use super::parse::{Joint, List, Node, Pipeline, Simple, parse};
use super::pipes::Behind;
use super::strip::{Stripped, is_steering, strip};

/// No folder has a longer name.
const MAX_PATH: usize = 4096;

/// A command line, cut into the programs it runs.
#[derive(Debug, Default)]
pub struct Line {
    /// The programs, in order.
    pub segments: Vec<Segment>,
    /// Names that shell functions and aliases hide.
    pub shadows: Vec<String>,
    /// Folders that were put before the others on `PATH`, and files that a
    /// shell reads first.
    pub paths: Vec<String>,
    /// Whether it exports a variable that steers programs.
    pub steers: bool,
    /// Whether it takes variables away.
    pub unsets: bool,
}

/// One program with its arguments.
#[derive(Debug, Clone)]
pub struct Segment {
    /// What is really run, without wrappers and assignments.
    pub run: Stripped,
    /// Files that its output goes to.
    pub outputs: Vec<(bool, String)>,
    /// Files that it reads in place of what is typed.
    pub inputs: Vec<String>,
    /// What is typed in for it, as a here-document.
    pub typed: String,
    /// What the exit status of the whole says about it.
    pub standing: Standing,
    /// What is between it and the output of the line.
    pub behind: Behind,
    /// Whether something else may be printed in its place.
    pub altered: bool,
    /// The folder it runs in, from the folder of the whole; `None` when that
    /// cannot be said.
    pub dir: Option<String>,
    /// Whether nobody can say that it runs in this project: on another machine, in a container of
    /// something else, in a folder that only a variable names.
    pub away: bool,
    /// Whether every variable that it sets is exported.
    pub exports: bool,
    /// The words before a number that the line itself prints of its status.
    pub echo: Option<String>,
}

/// What the exit status of a command line says about one of its programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is one of a chain that goes on only after success: this one, of so
    /// many.
    Chain(usize, usize),
    /// Nothing.
    Masked,
    /// It went on in the background.
    Background,
}

/// What a list inherits from around it.
#[derive(Debug, Clone, Copy)]
struct Around {
    decides: bool,
    background: bool,
}

#[derive(Debug, Default)]
struct Shell {
    line: Line,
    dir: Option<String>,
    /// The folder before the last `cd`, and those that `pushd` keeps.
    last_dir: Option<String>,
    dirs: Vec<Option<String>>,
    /// Whether it runs in a container of the project, whose folders have other names.
    contained: bool,
    /// Whether it runs elsewhere.
    away: bool,
    errexit: bool,
    pipefail: bool,
    depth: usize,
    /// Whether the shell may have ended with success before what follows.
    over: bool,
    /// Whether a trap sets the exit status.
    trapped: bool,
    /// Whether something that nobody can read may have changed the shell.
    unread: bool,
    /// Whether every variable that is set is exported.
    exports: bool,
}

pub(super) fn line(text: &str) -> Result<Line, Unparsed> {
    let list = parse(text)?;
    let mut shell = Shell {
        dir: Some(String::new()),
        ..Shell::default()
    };
    let around = Around {
        decides: true,
        background: false,
    };
    shell.list(&list, around)?;
    shell.line.wait();
    Ok(shell.line)
}

impl Line {
    /// `pytest & wait`: what was waited for has ended, with a status that
    /// the line does not show.
    fn wait(&mut self) {
        let is_wait =
            |segment: &Segment| segment.run.words.first().is_some_and(|word| word == "wait");
        let last = self.segments.iter().rposition(is_wait).unwrap_or(0);
        let before = self.segments.get_mut(..last).unwrap_or_default();
        for segment in before
            .iter_mut()
            .filter(|segment| segment.standing == Standing::Background)
        {
            segment.standing = Standing::Masked;
        }
    }
}

impl Shell {
    fn list(&mut self, list: &List, around: Around) -> Result<(), Unparsed> {
        self.depth += 1;
        if self.depth > 16 {
            return Err(Unparsed);
        }
        let chains = chains(list);
        let end = chains.len().saturating_sub(1);
        let first = self.line.segments.len();
        for (number, chain) in chains.iter().enumerate() {
            let begin = self.line.segments.len();
            let decides = around.decides && (number == end || self.errexit);
            self.chain(chain, Around { decides, ..around })?;
            self.echoed(begin, chains.get(number + 1).copied());
        }
        self.number(first);
        self.depth -= 1;
        Ok(())
    }

    /// Counts the programs of the chain that decides.
    fn number(&mut self, first: usize) {
        let segments = self.line.segments.get_mut(first..).unwrap_or_default();
        let decides = |segment: &Segment| matches!(segment.standing, Standing::Chain(..));
        let count = segments.iter().filter(|segment| decides(segment)).count();
        let deciding = segments.iter_mut().filter(|segment| decides(segment));
        for (nth, segment) in deciding.enumerate() {
            segment.standing = Standing::Chain(nth, count);
        }
    }

    fn chain(&mut self, chain: &[(Pipeline, Joint)], around: Around) -> Result<(), Unparsed> {
        let mut may_be_skipped = false;
        let mut gave_up = false;
        let exits_behind = |at: usize| chain.get(at + 1).is_some_and(|(next, _)| exits(next));
        let mut joints = chain.iter().enumerate();
        let last_way_out =
            joints.rposition(|(at, (_, joint))| *joint == Joint::Or && !exits_behind(at));
        for (at, (pipeline, joint)) in chain.iter().enumerate() {
            let gives_up = *joint == Joint::Or && exits_behind(at);
            let is_last = at + 1 == chain.len();
            let plain = !pipeline.negated
                && !may_be_skipped
                && !gave_up
                && (is_last || *joint == Joint::And || gives_up);
            let rest_is_plain = last_way_out.is_none_or(|way_out| way_out < at);
            let around = Around {
                decides: around.decides && plain && rest_is_plain,
                background: around.background || *joint == Joint::Background,
            };
            self.pipeline(pipeline, around)?;
            let before = at.checked_sub(1).and_then(|before| chain.get(before));
            let after_failure = before.is_some_and(|(_, joint)| *joint == Joint::Or);
            self.over |= ends_well(pipeline, after_failure);
            may_be_skipped |= *joint == Joint::Or && !gives_up;
            gave_up = gives_up;
        }
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline, around: Around) -> Result<(), Unparsed> {
        let mut behind: Vec<Behind> = vec![Behind::default()];
        for node in pipeline.nodes.iter().skip(1).rev() {
            let next = behind.last().copied().unwrap_or_default();
            behind.push(next.through(node));
        }
        for (node, behind) in pipeline.nodes.iter().zip(behind.into_iter().rev()) {
            let decides = around.decides && (!behind.piped || self.pipefail);
            let begin = self.line.segments.len();
            self.node(node, Around { decides, ..around })?;
            for segment in self.line.segments.get_mut(begin..).unwrap_or_default() {
                segment.behind = segment.behind.or(behind);
                segment.altered |= behind.altered;
            }
        }
        Ok(())
    }

    /// What a shell of its own does not change outside.
    const fn flags(&self) -> [bool; 4] {
        [self.errexit, self.pipefail, self.over, self.trapped]
    }

    const fn set_flags(&mut self, flags: [bool; 4]) {
        [self.errexit, self.pipefail, self.over, self.trapped] = flags;
    }

    fn node(&mut self, node: &Node, around: Around) -> Result<(), Unparsed> {
        match node {
            Node::Simple(simple) => self.simple(simple, around),
            Node::Group(list, own) => {
                let dir = self.dir.clone();
                let flags = self.flags();
                self.list(list, around)?;
                if *own {
                    self.dir = dir;
                    self.set_flags(flags);
                }
                Ok(())
            }
            Node::Compound(lists) => {
                let hidden = Around {
                    decides: false,
                    ..around
                };
                lists.iter().try_for_each(|list| self.list(list, hidden))
            }
            Node::Function(name) => {
                self.line.shadows.push(name.clone());
                Ok(())
            }
        }
    }

    fn simple(&mut self, simple: &Simple, around: Around) -> Result<(), Unparsed> {
        let hidden = Around {
            decides: false,
            ..around
        };
        for inner in simple.words.iter().flat_map(|word| &word.inner) {
            let list = parse(inner)?;
            self.list(&list, hidden)?;
        }
        let words: Vec<String> = simple.words.iter().map(|word| word.text.clone()).collect();
        let mut run = strip(&words);
        run.steered |= self.line.steers || self.unread;
        self.line.paths.extend(run.paths.iter().cloned());
        if let Some(script) = &run.script {
            let flags = self.flags();
            self.errexit |= run.errexit;
            self.pipefail |= run.pipefail;
            let list = parse(script)?;
            let dir = self.dir.clone();
            let outside = [self.contained, self.away, self.unread];
            if run.contained {
                self.dir = None; // a folder of another machine
            }
            self.contained |= run.contained;
            self.away |= run.away;
            self.unread |= run.steered;
            self.list(&list, around)?;
            self.dir = dir;
            self.set_flags(flags);
            [self.contained, self.away, self.unread] = outside;
            return Ok(());
        }
        self.line.steers |= run.words.is_empty() && self.exports && run.steered;
        if self.builtin(&run.words, &simple.words) {
            return Ok(());
        }
        let standing = if around.background {
            Standing::Background
        } else if around.decides && !self.over && !self.trapped {
            Standing::Chain(0, 0)
        } else {
            Standing::Masked
        };
        let dir = match (&self.dir, &run.dir) {
            _ if run.contained => None,
            (dir, None) => dir.clone(),
            (_, Some(more)) => self.place(more),
        };
        let is_contained = self.contained || run.contained;
        let away = self.away || run.away || is_away(&run.words) || dir.is_none() && !is_contained;
        let outputs = simple
            .redirects
            .iter()
            .filter(|(op, _)| matches!(*op, ">" | ">>"));
        let inputs = simple.redirects.iter().filter(|(op, _)| *op == "<");
        let mut bodies = simple.redirects.iter().filter(|(op, _)| *op == "<<");
        self.line.segments.push(Segment {
            outputs: outputs
                .map(|(op, target)| (*op == ">>", target.clone()))
                .collect(),
            inputs: inputs.map(|(_, target)| target.clone()).collect(),
            typed: bodies
                .next_back()
                .map_or_else(String::new, |(_, body)| body.clone()),
            run,
            standing,
            behind: Behind::default(),
            altered: self.over,
            dir,
            away,
            exports: self.exports,
            echo: None,
        });
        Ok(())
    }

    /// Commands that change the shell itself.
    fn builtin(&mut self, words: &[String], raw: &[Word]) -> bool {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["cd" | "pushd", rest @ ..] => {
                let target = rest
                    .iter()
                    .find(|word| !word.starts_with('-') || **word == "-");
                let next = match target {
                    Some(&"-") => self.last_dir.take(),
                    Some(target) => self.place(target),
                    None => Some("~".to_owned()),
                };
                self.last_dir = std::mem::replace(&mut self.dir, next);
                if words.first() == Some(&"pushd") {
                    self.dirs.push(self.last_dir.clone());
                }
                true
            }
            ["popd", ..] => {
                self.dir = self.dirs.pop().flatten();
                true
            }
            ["set", rest @ ..] => {
                for (at, word) in rest.iter().enumerate() {
                    let next = rest.get(at + 1).copied().unwrap_or_default();
                    let on = word.starts_with('-');
                    if (on || word.starts_with('+')) && !word.starts_with("--") {
                        self.exports |= on && word.contains('a');
                        if word.contains('e') {
                            self.errexit = on;
                        }
                        if word.contains('o') && next == "pipefail" {
                            self.pipefail = on;
                        }
                        if word.contains('o') && next == "errexit" {
                            self.errexit = on;
                        }
                    }
                }
                true
            }
            ["alias", rest @ ..] => {
                let names = rest.iter().filter_map(|word| word.split_once('='));
                self.line
                    .shadows
                    .extend(names.map(|(name, _)| name.to_owned()));
                true
            }
            ["export" | "declare" | "typeset", rest @ ..] => {
                self.line
                    .paths
                    .extend(rest.iter().filter_map(|word| super::strip::path_of(word)));
                self.line.steers |= rest.iter().any(|word| is_steering(word));
                // `export NAME`: its value came from elsewhere
                let mut names = rest.iter().filter(|word| !word.contains('='));
                self.unread |= names.any(|name| is_steering(&format!("{name}=")));
                true
            }
            ["eval" | "enable", ..] => {
                self.unread |= !self.sets_environment(raw);
                false
            }
            ["unset", ..] => {
                self.line.steers = false;
                self.line.unsets = true;
                true
            }
            ["hash", "-p", _, names @ ..] => {
                let names = names.iter().map(|name| (*name).to_owned());
                self.line.shadows.extend(names);
                true
            }
            ["trap", action, signals @ ..] => {
                let ends = |signal: &&str| matches!(*signal, "EXIT" | "0" | "ERR" | "DEBUG");
                self.trapped |= action.contains("exit") && signals.iter().any(ends);
                false
            }
            [] => raw.is_empty() || raw.iter().all(|word| word.text.contains('=')),
            _ => false,
        }
    }

    /// A folder from where the line is; `None` where a variable or a pattern names it.
    fn place(&self, target: &str) -> Option<String> {
        let dir = self.dir.as_deref()?;
        if matches!(target, "$PWD" | "${PWD}") {
            return Some(dir.to_owned());
        }
        if target == TOP && dir.is_empty() {
            return Some(TOP.to_owned());
        }
        let is_plain = !target.contains(['$', '*', '?', '[', '{']);
        is_plain
            .then(|| joined(dir, target))
            .filter(|dir| dir.len() <= MAX_PATH)
    }

    /// `eval "$(conda shell.bash hook)"`: what a manager of environments prints.
    fn sets_environment(&self, raw: &[Word]) -> bool {
        let [_, word] = raw else {
            return false;
        };
        let [inner] = word.inner.as_slice() else {
            return false;
        };
        let name = inner.split_whitespace().next().unwrap_or_default();
        let is_known =
            super::is_environment(name) && !self.line.shadows.iter().any(|one| one == name);
        word.text == "$()" && is_known && !inner.contains([';', '&', '|', '\n', '>', '<', '$', '`'])
    }

    /// `pytest; echo $?` prints what the line itself hides.
    fn echoed(&mut self, begin: usize, next: Option<&[(Pipeline, Joint)]>) {
        let Some([(pipeline, _), ..]) = next else {
            return;
        };
        let [Node::Simple(simple)] = pipeline.nodes.as_slice() else {
            return;
        };
        let words: Vec<&str> = simple.words.iter().map(|word| word.text.as_str()).collect();
        let ["echo" | "printf", rest @ ..] = words.as_slice() else {
            return;
        };
        let words = rest.iter().filter(|word| !matches!(**word, "-n" | "-e"));
        let text = words.copied().collect::<Vec<_>>().join(" ");
        let mut segments = self.line.segments.iter_mut().skip(begin);
        let (shown, before) = if let Some((before, _)) = text.split_once(STATUS) {
            (segments.rfind(|segment| !segment.behind.piped), before)
        } else if let Some((before, _)) = text.split_once(FIRST_STATUS) {
            (segments.next(), before)
        } else {
            return;
        };
        if let Some(segment) = shown {
            segment.echo = Some(before.to_owned());
        }
    }
}

/// Whether a program runs what it is given on another machine.
fn is_away(words: &[String]) -> bool {
    let first = words.first().map_or("", String::as_str);
    super::words::has(&super::words::WORDS.away, first)
}

/// The parts of a list between semicolons.
fn chains(list: &List) -> Vec<&[(Pipeline, Joint)]> {
    let mut all = Vec::new();
    let mut start = 0;
    for (at, (_, joint)) in list.items.iter().enumerate() {
        if matches!(joint, Joint::Then | Joint::Background) || at + 1 == list.items.len() {
            all.extend(list.items.get(start..=at));
            start = at + 1;
        }
    }
    all
}

/// `|| exit 1`, `|| { echo …; exit 1; }`: the failure goes on.
fn exits(pipeline: &Pipeline) -> bool {
    match pipeline.nodes.as_slice() {
        [Node::Simple(simple)] => {
            let words: Vec<&str> = simple.words.iter().map(|word| word.text.as_str()).collect();
            matches!(
                words.as_slice(),
                ["exit" | "return"] | ["exit" | "return", _]
            ) && words.get(1).is_none_or(|code| *code != "0")
        }
        [Node::Group(list, _)] => list.items.last().is_some_and(|(last, _)| exits(last)),
        _ => false,
    }
}

/// `exit 0`, `exec cat x`: the shell ends here, and maybe with success.
fn ends_well(pipeline: &Pipeline, after_failure: bool) -> bool {
    let [Node::Simple(simple)] = pipeline.nodes.as_slice() else {
        return false;
    };
    let words: Vec<&str> = simple.words.iter().map(|word| word.text.as_str()).collect();
    match words.as_slice() {
        ["exit" | "return"] => !after_failure,
        ["exit" | "return", code, ..] => *code == "0",
        ["exec", _, ..] => true,
        _ => false,
    }
}

/// One folder behind another; an absolute one stands alone.
pub(super) fn joined(dir: &str, more: &str) -> String {
    if more.starts_with('/') || more.starts_with('~') || dir.is_empty() {
        more.to_owned()
    } else {
        format!("{dir}/{more}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let Ok(line) = line(text) else {
            return "unparsed".to_owned();
        };
        let shown = line.segments.iter().map(|segment| {
            let standing = match segment.standing {
                Standing::Chain(at, of) => format!("{}/{of}", at + 1),
                Standing::Masked => "masked".to_owned(),
                Standing::Background => "background".to_owned(),
            };
            let dir = segment.dir.as_ref().map_or("?", String::as_str);
            let echo = segment
                .echo
                .as_ref()
                .map_or(String::new(), |echo| format!(" echo{echo:?}"));
            format!(
                "{} ({standing}){}{echo}",
                segment.run.words.join(" "),
                if dir.is_empty() {
                    String::new()
                } else {
                    format!(" in {dir}")
                }
            )
        });
        shown.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn the_status_says_something_about_some_programs_only() {
        for (text, expected) in [
            ("pytest", "pytest (1/1)"),
            (
                "cargo build && cargo test",
                "cargo build (1/2); cargo test (2/2)",
            ),
            ("cd a && npm test", "npm test (1/1) in a"),
            ("(cd a && npm test)", "npm test (1/1) in a"),
            ("(cd a && ls); npm test", "ls (masked) in a; npm test (1/1)"),
            ("pytest | tail -3", "pytest (masked); tail -3 (1/1)"),
            (
                "set -o pipefail; pytest | tail -3",
                "pytest (1/2); tail -3 (2/2)",
            ),
            (
                "bash -o pipefail -c 'pytest | tee x'",
                "pytest (1/2); tee x (2/2)",
            ),
            ("pytest || true", "pytest (masked); true (masked)"),
            ("pytest || exit 1", "pytest (1/1); exit 1 (masked)"),
            ("pytest; echo done", "pytest (masked); echo done (1/1)"),
            (
                "pytest; echo \"exit $?\"",
                "pytest (masked) echo\"exit \"; echo exit \u{E000} (1/1)",
            ),
            (
                "pytest | tail -1; echo ${PIPESTATUS[0]}",
                "pytest (masked) echo\"\"; tail -1 (masked); echo \u{E001} (1/1)",
            ),
            (
                "set -e\npytest\nruff check .",
                "pytest (1/2); ruff check . (2/2)",
            ),
            ("pytest &", "pytest (background)"),
            ("pytest & wait", "pytest (masked); wait (1/1)"),
            ("wait; pytest &", "wait (masked); pytest (background)"),
            (
                "for d in a b; do pytest $d; done",
                ": a b (masked); pytest $d (masked)",
            ),
            (
                "if pytest; then echo ok; fi",
                "pytest (masked); echo ok (masked)",
            ),
            ("! pytest", "pytest (masked)"),
            ("echo $(pytest)", "pytest (masked); echo $() (1/1)"),
            ("FOO=1 timeout 60 uv run pytest -q", "pytest -q (1/1)"),
            ("case x in y) ls;; esac", "unparsed"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn nothing_is_proven_behind_the_end_of_the_shell() {
        let last = |text: &str| {
            let last = line(text).unwrap().segments.pop().unwrap();
            (last.standing == Standing::Chain(0, 1), last.altered)
        };
        for text in [
            "exec cat old.log; pytest",
            "cat old.log; exit 0; pytest",
            "[ -f x ] || exit 0; pytest",
            "if [ -f x ]; then exit 0; fi; pytest",
            "bash -c 'exit; pytest'",
        ] {
            assert_eq!(last(text), (false, true), "{text}");
        }
        for text in [
            "cd a || exit 1; pytest",
            "[ -f x ] || exit; pytest",
            "exec 2>&1; pytest",
            "exec pytest",
            "(exit 0); pytest",
            "trap 'kill 1' EXIT; pytest",
        ] {
            assert!(!last(text).1, "{text}");
        }
        assert_eq!(last("trap 'exit 0' EXIT; pytest"), (false, false));
        assert_eq!(
            line("hash -p /bin/true pytest; pytest").unwrap().shadows,
            ["pytest"]
        );
    }

    #[test]
    fn functions_aliases_and_paths_are_noted() {
        let seen = line(
            "pytest() { echo ok; }; alias ruff=true; export PATH=./bin:$PATH; PATH=/tmp/x:$PATH ls",
        )
        .unwrap();
        assert_eq!(seen.shadows, ["pytest", "ruff"]);
        assert_eq!(seen.paths, ["./bin", "/tmp/x"]);
    }
}
