//! A session as evidence: the commands that can prove something, and the
//! changes that can make their proof stale.
//!
//! Lines are read once and not kept. What grows with the session is pruned:
//! commands that prove nothing are forgotten, and of those before the last
//! change of a source file only the newest of each kind is needed.
//!
//! Contract: done 3.

mod files;

pub use files::{
    AgentLogs, Head, LastText, Log, LogError, MAX_LOG, SessionStream, each_line, hash, head,
    last_text, line_at, read,
};

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use aho_corasick::AhoCorasick;
use crosscheck_core::rules::Rule;
use crosscheck_transcript::session::{
    self as log, Body, By, Change, Harness, LogFacts, Span, State,
};

use crate::claim::{listed, words};
use crate::kind::Work;
use crate::place::Places;
use crate::runner::{Match, Table};
use crate::shell::{self, Standing, Write};

/// So much of a command is kept for showing it.
const MAX_COMMAND: usize = 2048;
/// After so many runs those that are no longer needed are forgotten.
const PRUNE: usize = 4096;
/// At most this many programs of one command line are kept as proof: the last ones.
const CANDIDATES: usize = 64;
/// At most this many commands that prove nothing are remembered.
const OTHERS: usize = 512;

const FOREIGN: Rule = Rule::new(
    "done.foreign",
    "a summary may be an old one when the line prints a file that no program of it wrote",
);

/// Where something is in a session: the line, and its place behind it
/// when a subagent's log is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Order {
    /// Line of the session's own log.
    pub line: usize,
    /// Event of a subagent's log, from 1; 0 for the session itself.
    pub sub: usize,
}

/// A command that ran.
#[derive(Debug, Clone)]
pub struct Run {
    /// Where it began.
    pub order: Order,
    /// The message of the model, by number; 0 is unknown.
    pub step: usize,
    /// The id of its call.
    pub id: Box<str>,
    /// The command line, cut.
    pub command: Box<str>,
    /// Who ran it.
    pub by: By,
    /// Exit status, where the log has it.
    pub status: Option<i64>,
    /// How far the log tells of its end.
    pub state: State,
    /// Where its output is: which log, and the line.
    pub output: Option<(usize, Span)>,
    /// The programs in it that can prove something.
    pub candidates: Vec<Candidate>,
    /// Whether the command line could not be cut.
    pub unparsed: bool,
}

/// A program within a command that can prove something.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Which program of the line.
    pub segment: usize,
    /// Its own name.
    pub program: Box<str>,
    /// What it is in the table of runners.
    pub found: Match,
    /// What the exit status of the line says about it.
    pub standing: Standing,
    /// Whether a pipe shows only a part of its output.
    pub partly: bool,
    /// Whether a pipe chooses lines of it.
    pub sifted: bool,
    /// Whether a summary in the output may not be its own.
    pub altered: bool,
    /// The folder it runs in, where that can be said.
    pub dir: Option<PathBuf>,
    /// The words before a number that the line itself prints of its status.
    pub echo: Option<String>,
    /// Whether a time limit of its own was set.
    pub limited: bool,
    /// Whether nobody can say that it ran in this project.
    pub away: bool,
    /// Whether its output went to a file that nothing shows, so that what was
    /// printed comes from another program of the line.
    pub unseen: bool,
}

/// A change of a file.
#[derive(Debug, Clone)]
pub struct Edit {
    /// Where it was asked for.
    pub order: Order,
    /// The message of the model; 0 is unknown.
    pub step: usize,
    /// The id of its call.
    pub id: Box<str>,
    /// Which program of a command line; 0 for a tool.
    pub segment: usize,
    /// The file or folder.
    pub path: PathBuf,
    /// What was done.
    pub change: Change,
    /// Whether it was done.
    pub done: bool,
    /// Who did it.
    pub by: By,
    /// Whether a tool of the harness did it, and where its lines are.
    pub tool: Option<(usize, log::Edit)>,
    /// A command that wrote it, cut.
    pub command: Option<Box<str>>,
}

/// What hides a program from the commands after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shadow {
    /// Where it was set up.
    pub order: Order,
    /// The call that did it.
    pub id: Box<str>,
    /// The name that is hidden, or the folder that hides.
    pub what: Hides,
}

/// What a shadow is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hides {
    /// A function or alias of this name.
    Name(String),
    /// A folder on `PATH`, or a file that a shell reads first.
    Path(String),
}

/// Which log holds an output, and where.
pub type OutputPlace = (usize, Span);

/// A session as evidence.
#[derive(Debug, Clone, Default)]
pub struct Session {
    /// Who wrote the log.
    pub harness: Harness,
    /// What can be said of the log as a whole.
    pub facts: LogFacts,
    /// Commands that can prove something, in the order in which they began.
    pub runs: Vec<Run>,
    /// Changes of files, in order.
    pub edits: Vec<Edit>,
    /// Subagents whose own log cannot be read, and which may have changed files.
    pub opaque: Vec<Order>,
    /// What hides programs.
    pub shadows: Vec<Shadow>,
    /// The last commands that prove nothing, and where their outputs are.
    pub others: VecDeque<(Order, Box<str>, Option<OutputPlace>)>,
    /// Whether a command of a shell may have written rows.
    pub runs_sql: bool,
    /// Calls of other tools, and where.
    pub tools: Vec<(Order, log::Tool)>,
    /// Where the current turn began.
    pub turn: Order,
    /// What the user typed last.
    pub prompt: Option<String>,
    /// Where the agent spoke behind its last call.
    pub said: Vec<Order>,
    /// The last of its words, whatever came after them.
    pub last: LastText,
    /// Whether the beginning of a long log was left out.
    pub is_cut: bool,
    /// Bytes of the log.
    pub bytes: u64,
    /// The logs that were read: the session's own first.
    pub files: Vec<PathBuf>,
    /// Subagents that wait for their logs to be read.
    pub agents: Vec<(Order, log::Subagent)>,
    /// Why the log cannot be believed.
    pub doubt: Option<LogDoubt>,
}

/// Why a log cannot be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogDoubt {
    /// The log is a link.
    Link,
    /// A command or an edit names it, on this line.
    Named(usize),
    /// The harness did not write this line.
    Unchained(usize),
}

impl LogDoubt {
    /// The word in findings, and the line.
    pub const fn told(self) -> (&'static str, usize) {
        match self {
            Self::Link => ("link", 1),
            Self::Named(line) => ("named", line),
            Self::Unchained(line) => ("unchained", line),
        }
    }
}

impl Session {
    /// Whether the last command has no answer, which may still be written.
    pub fn is_waiting(&self) -> bool {
        self.runs
            .last()
            .is_some_and(|run| run.state == State::Unanswered)
    }

    /// What the agent said last, if nothing came after it, and its line: the
    /// words of one message of the model, as the harness hands them to a hook.
    pub fn last_words(&self) -> Option<(usize, String)> {
        let order = self.said.last()?;
        let words = self.last.handback.as_ref().or(self.last.text.as_ref())?;
        Some((order.line, words.clone()))
    }

    /// Adds changes that the log does not show.
    pub fn rewrite(&mut self, edits: Vec<Edit>) {
        self.edits.extend(edits);
        self.edits.sort_by_key(|edit| (edit.order, edit.segment));
    }

    /// The last line on which something was run or changed.
    pub fn last_deed(&self) -> usize {
        let runs = self.runs.iter().map(|run| run.order.line);
        let edits = self.edits.iter().map(|edit| edit.order.line);
        let others = self.others.iter().map(|(order, ..)| order.line);
        runs.chain(edits)
            .chain(others)
            .filter(|line| *line != usize::MAX)
            .max()
            .unwrap_or_default()
    }
}

/// Turns events into evidence.
#[derive(Debug, Clone)]
pub struct Folder<'f> {
    table: &'f Table,
    places: &'f Places,
    own_log: OwnLog,
    /// Lines of logs whose text names the log, by log and place.
    naming: HashSet<(usize, u64)>,
    /// The session so far.
    pub session: Session,
    /// Whether a variable of the shell steers programs.
    steers: bool,
}

impl<'f> Folder<'f> {
    /// For a session of which nothing was read.
    pub fn new(table: &'f Table, places: &'f Places, harness: Harness) -> Self {
        Self {
            table,
            places,
            session: Session {
                harness,
                ..Session::default()
            },
            own_log: OwnLog::default(),
            naming: HashSet::new(),
            steers: false,
        }
    }

    /// Takes one event of the session's own log.
    pub fn take(&mut self, event: log::Event) {
        let order = Order {
            line: event.line,
            sub: 0,
        };
        self.event(event, order, 0);
        if self.session.runs.len() >= PRUNE {
            self.prune();
        }
    }

    /// Takes one event of a subagent's log, which is at a place of the
    /// session.
    pub fn take_of_agent(&mut self, mut event: log::Event, order: Order, file: usize) {
        event.by = By::Subagent;
        event.step = 0;
        if let Body::Tool(tool) = &event.body {
            self.note_tool(tool, order.line);
        }
        if matches!(event.body, Body::Run(_) | Body::Edit(_)) {
            self.event(event, order, file);
        }
    }

    /// Notes that the log cannot be believed; the first reason counts.
    fn doubt(&mut self, doubt: LogDoubt) {
        self.session.doubt.get_or_insert(doubt);
    }

    /// Tools that are not of the harness can do anything with what they are
    /// given; those of the harness have names in capitals.
    fn note_tool(&mut self, tool: &log::Tool, line: usize) {
        let is_foreign = tool.name.starts_with(|c: char| c.is_lowercase());
        let input = tool.input.as_deref().unwrap_or_default();
        if is_foreign && self.own_log.is_named_in(input) {
            self.doubt(LogDoubt::Named(line));
        }
    }

    /// Takes note of a line that names the log in what it writes.
    fn note_line(&mut self, file: usize, at: u64, line: &[u8]) {
        if self.own_log.is_written_in(line) {
            self.naming.insert((file, at));
        }
    }

    fn event(&mut self, event: log::Event, order: Order, file: usize) {
        self.session.last.hear(&event);
        let log::Event {
            step,
            cwd,
            by,
            body,
            ..
        } = event;
        let step = if by == By::User { 0 } else { step };
        let cwd = cwd.map_or_else(|| self.places.cwd.clone(), |cwd| PathBuf::from(&*cwd));
        let calls = matches!(
            body,
            Body::Run(_) | Body::Edit(_) | Body::Subagent(_) | Body::Tool(_)
        );
        if calls && by == By::Agent {
            self.session.said.retain(|said| *said > order);
        }
        match body {
            Body::Prompt(words) => {
                self.session.turn = order;
                self.session.prompt = Some(words);
                self.session.said.clear();
                // what is said after a prompt is another message
                self.session.last.step = 0;
            }
            Body::Feedback => self.session.said.clear(),
            Body::Text(_) if by == By::Agent => self.session.said.push(order),
            Body::Text(_) => {}
            Body::Run(run) => self.run(run, order, step, by, &cwd, file),
            Body::Edit(edit) => self.edit(edit, order, step, by, &cwd, file),
            Body::Subagent(agent) => {
                let line = agent.answered.unwrap_or(usize::MAX);
                let line = if agent.in_background {
                    usize::MAX
                } else {
                    line
                };
                self.session.agents.push((Order { line, sub: 0 }, agent));
            }
            Body::Ended(ended) => self.ended(&ended, order, file),
            Body::Tool(tool) => {
                self.note_tool(&tool, order.line);
                self.session.tools.push((order, tool));
                if self.session.tools.len() > PRUNE {
                    self.session.tools.drain(..PRUNE / 2);
                }
            }
        }
    }

    /// For the log at this path.
    #[must_use]
    pub fn of_log(mut self, path: &Path) -> Self {
        self.session.files.push(path.to_owned());
        self.own_log = OwnLog::at(path, self.places);
        if path.is_symlink() {
            self.session.doubt = Some(LogDoubt::Link);
        }
        self
    }

    fn run(&mut self, run: log::Run, order: Order, step: usize, by: By, cwd: &Path, file: usize) {
        let command = cut(&run.command);
        // `.cl''aude` and `.cl\aude` are what the shell makes of them
        let unquoted = || run.command.replace(['"', '\'', '\\'], "");
        let is_named = || {
            let own = &self.own_log;
            own.is_named_in(&run.command)
                || own.is_named_in(&unquoted())
                || hides_home(&run.command)
        };
        if by != By::User && is_named() {
            self.doubt(LogDoubt::Named(order.line));
        }
        self.session.runs_sql |= may_write_rows(&run.command);
        let mut seen = Run {
            order,
            step,
            id: run.id,
            command: command.clone(),
            by,
            status: run.status,
            state: run.state,
            output: run.output.map(|span| (file, span)),
            candidates: Vec::new(),
            unparsed: false,
        };
        let Ok(line) = shell::line(&run.command) else {
            seen.unparsed = true;
            self.session.runs.push(seen);
            return;
        };
        let file = self.session.files.first();
        if by != By::User && file.is_some_and(|file| shell::reaches(&line, cwd, file, self.places))
        {
            self.doubt(LogDoubt::Named(order.line));
        }
        let is_steered = self.steers && !line.unsets;
        self.steers = is_steered || line.steers;
        let mut matches: Vec<(usize, Match, Option<PathBuf>)> = Vec::new();
        for (segment, program) in line.segments.iter().enumerate() {
            let dir = program.dir.as_ref().map(|dir| {
                let below = dir.strip_prefix(shell::TOP);
                let below = below.filter(|_| self.places.below(cwd).is_some());
                match below {
                    Some(below) => self.places.root.join(below.trim_start_matches('/')),
                    None => self.places.absolute(cwd, dir),
                }
            });
            if by != By::User {
                let dir = dir.as_deref().unwrap_or(cwd);
                self.writes(&seen, segment, shell::writes(program), dir);
            }
            let is_steered = is_steered || program.run.steered;
            let found = self.table.matches(&program.run).into_iter();
            matches.extend(found.map(|mut found| {
                // whoever steers a check does not show what it finds
                found.disqualified |= is_steered && found.work != [Work::Exec];
                (segment, found, dir.clone())
            }));
        }
        matches.drain(..matches.len().saturating_sub(CANDIDATES));
        for (segment, found, dir) in matches {
            let Some(program) = line.segments.get(segment) else {
                continue;
            };
            seen.candidates.push(Candidate {
                segment,
                program: program.run.words.first().map_or("", String::as_str).into(),
                found,
                standing: program.standing,
                partly: program.behind.partly,
                sifted: program.behind.sifted,
                altered: program.altered
                    || FOREIGN.is_on()
                        && shell::prints_foreign(&line.segments, &run.command, program),
                dir,
                echo: program.echo.clone(),
                limited: program.run.limited,
                away: program.away,
                unseen: is_unseen(&line.segments, segment),
            });
        }
        let names = line.shadows.into_iter().map(Hides::Name);
        let paths = line.paths.into_iter().map(Hides::Path);
        for what in names.chain(paths) {
            let shadow = Shadow {
                order,
                id: seen.id.clone(),
                what,
            };
            if self.session.shadows.len() < PRUNE {
                self.session.shadows.push(shadow);
            }
        }
        if seen.candidates.is_empty() {
            self.session.others.push_back((order, command, seen.output));
            if self.session.others.len() > OTHERS {
                self.session.others.pop_front();
            }
        } else {
            self.session.runs.push(seen);
        }
    }

    /// What goes on in the background may write until it ends.
    fn writes(&mut self, run: &Run, segment: usize, writes: Vec<Write>, dir: &Path) {
        let order = match run.state {
            State::Background => Order {
                line: usize::MAX,
                sub: 0,
            },
            _ => run.order,
        };
        for write in writes {
            let (name, change) = match &write {
                Write::File(name) => (name, Change::Write),
                Write::Gone(name) => (name, Change::Delete),
                Write::Tree(name) => (name, Change::Tree),
            };
            let path = self.places.absolute(dir, name);
            // what is copied over the whole home may hold the log
            if self.places.home.as_ref() == Some(&path) {
                self.doubt(LogDoubt::Named(order.line));
            }
            self.push_edit(Edit {
                order,
                step: run.step,
                id: run.id.clone(),
                segment,
                path,
                change,
                done: true,
                by: run.by,
                tool: None,
                command: Some(run.command.clone()),
            });
        }
    }

    fn edit(
        &mut self,
        edit: log::Edit,
        order: Order,
        step: usize,
        by: By,
        cwd: &Path,
        file: usize,
    ) {
        let [call, _] = edit.lines;
        let is_written = call.is_some_and(|call| self.naming.contains(&(file, call.at)));
        if is_written || self.own_log.is_path(&edit.path) {
            self.doubt(LogDoubt::Named(order.line));
        }
        self.push_edit(Edit {
            order,
            step,
            id: edit.id.clone(),
            segment: 0,
            path: self.places.absolute(cwd, &edit.path),
            change: edit.change,
            done: edit.done,
            by,
            tool: Some((file, edit)),
            command: None,
        });
    }

    fn push_edit(&mut self, edit: Edit) {
        self.session.edits.push(edit);
        if self.session.edits.len() >= 4 * PRUNE {
            self.prune_edits();
        }
    }

    /// Something in the background ended: the run gets its status, an agent
    /// its place.
    fn ended(&mut self, ended: &log::Ended, order: Order, file: usize) {
        if let Some((place, _)) = self
            .session
            .agents
            .iter_mut()
            .rfind(|(_, agent)| agent.id == ended.id)
        {
            place.line = order.line;
            return;
        }
        if let Some(run) = self.session.runs.iter_mut().rfind(|run| run.id == ended.id) {
            run.state = State::Ended;
            run.status = ended.status;
            run.output = ended.output.map(|span| (file, span)).or(run.output);
        }
        let late = |edit: &&mut Edit| edit.id == ended.id && edit.order.line == usize::MAX;
        for edit in self.session.edits.iter_mut().filter(late) {
            edit.order = order;
        }
    }

    /// Forgets runs that no claim can need: those before the last change of
    /// any file, but for the newest of each kind of work.
    fn prune(&mut self) {
        let Some(last) = self
            .session
            .edits
            .iter()
            .rfind(|edit| edit.done)
            .map(|edit| edit.order)
        else {
            let half = self.session.runs.len() / 2;
            self.session.runs.drain(..half);
            return;
        };
        let mut kept: Vec<Work> = Vec::new();
        let mut runs = std::mem::take(&mut self.session.runs);
        runs.reverse();
        runs.retain(|run| {
            let works: Vec<Work> = run
                .candidates
                .iter()
                .flat_map(|one| one.found.work.clone())
                .collect();
            let is_new = works.iter().any(|work| !kept.contains(work));
            kept.extend(works);
            run.order > last || is_new
        });
        runs.reverse();
        runs.drain(..runs.len().saturating_sub(PRUNE / 2));
        self.session.runs = runs;
    }

    /// Keeps the last change of each file.
    fn prune_edits(&mut self) {
        let mut seen = HashSet::new();
        let mut edits = std::mem::take(&mut self.session.edits);
        edits.reverse();
        edits.retain(|edit| seen.insert((edit.path.clone(), edit.done)));
        edits.reverse();
        edits.drain(..edits.len().saturating_sub(2 * PRUNE));
        self.session.edits = edits;
    }

    /// The session, in order.
    pub fn finish(mut self) -> Session {
        self.session.runs.sort_by_key(|run| run.order);
        self.session
            .edits
            .sort_by_key(|edit| (edit.order, edit.segment));
        self.session
    }
}

/// How a session can name its own log. Whoever names it can write to it: what
/// a command does with a file is not read.
#[derive(Debug, Clone, Default)]
struct OwnLog {
    names: Vec<String>,
    /// Looks for all of them at once, and for the folders of the harnesses.
    search: Option<AhoCorasick>,
    /// The project, whose own `.claude` holds no log.
    root: String,
    home: Option<String>,
}

impl OwnLog {
    /// A shorter name may be that of another thing.
    const LEAST: usize = 16;

    fn at(path: &Path, places: &Places) -> Self {
        let mut names: Vec<String> = words("log_homes").map(str::to_owned).collect();
        names.push(path.display().to_string());
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        names.extend(
            stem.filter(|stem| stem.len() >= Self::LEAST)
                .map(str::to_owned),
        );
        // a log beside or above the project is one that somebody put there
        let folder = path
            .parent()
            .filter(|folder| !places.root.starts_with(folder) && !folder.starts_with(&places.root));
        let folder = folder.map(|folder| folder.display().to_string());
        names.extend(folder.filter(|folder| folder.len() >= Self::LEAST));
        let home = places.home.as_deref();
        let known = words("log_folders").chain(words("log_variables"));
        let known = known.map(str::to_owned).chain(names.iter().cloned());
        let search = AhoCorasick::new(known);
        Self {
            search: search.ok(),
            names,
            root: places.root.display().to_string(),
            home: home.map(|home| home.display().to_string()),
        }
    }

    /// Whether a text names the log or what lies beside it.
    fn is_path(&self, text: &str) -> bool {
        let mut names = self
            .names
            .iter()
            .flat_map(|name| text.match_indices(name.as_str()));
        names.any(|(at, name)| !is_other_file(text.get(at + name.len()..).unwrap_or_default()))
    }

    /// Whether a text names the log, or the folder of the harness in a home.
    fn is_named_in(&self, text: &str) -> bool {
        if self.is_path(text) || words("log_variables").any(|name| text.contains(name)) {
            return true;
        }
        let seeks = text.contains("jsonl") && seeks_at_home(text);
        let mut folders = words("log_folders").flat_map(|name| text.match_indices(name));
        seeks || folders.any(|(at, name)| self.is_of_home(text, at, name))
    }

    /// Whether the folder that is named here is one of a home.
    fn is_of_home(&self, text: &str, at: usize, name: &str) -> bool {
        let before = text.get(..at).unwrap_or_default();
        let behind = text.get(at + name.len()..).unwrap_or_default();
        let is_whole = !behind.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c));
        let is_other = words("log_others").any(|other| behind.starts_with(other));
        if !is_whole || is_other && !behind.contains("/..") || is_other_file(behind) {
            return false;
        }
        let ends = |c: char| c.is_whitespace() || "\"'`=(:;,<>|&".contains(c);
        let start = before.rfind(ends).map_or(0, |at| at + 1);
        let folder = before
            .get(start..)
            .unwrap_or_default()
            .trim_end_matches('/');
        // a path from the root of all: the home of somebody, or another project
        if folder.starts_with('/') {
            let is_own = self.home.as_deref() == Some(folder) && self.root != folder;
            let mut parts = folder.split('/').filter(|part| !part.is_empty());
            let first = parts.next();
            let rest = parts.count();
            return is_own
                || matches!(
                    (first, rest),
                    (Some("home" | "Users"), 1) | (Some("root"), 0)
                );
        }
        before.contains("\"HOME") || words("at_home").any(|home| before.contains(home))
    }

    /// Whether a line of the log is a call that writes the name of the log
    /// into a file. The path of the file is looked at on its own.
    fn is_written_in(&self, line: &[u8]) -> bool {
        let has = |word: &str| memchr::memmem::find(line, word.as_bytes()).is_some();
        let is_call = has("\"tool_use\"") || has("_call\"");
        // every line of a session has its id, which may be the name of the log
        let is_id = |at: usize| {
            let before = line.get(..at).unwrap_or_default();
            before.ends_with(b"\"sessionId\":\"")
        };
        let is_named = |all: &AhoCorasick| all.find_iter(line).any(|hit| !is_id(hit.start()));
        if !is_call || !self.search.as_ref().is_none_or(is_named) {
            return false;
        }
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(line) else {
            return false;
        };
        let mut texts = Vec::new();
        given(&value, &mut texts);
        texts.iter().any(|text| self.is_named_in(text))
    }
}

/// The texts of a call, but for paths of files.
fn given<'v>(value: &'v serde_json::Value, texts: &mut Vec<&'v str>) {
    match value {
        serde_json::Value::Array(all) => all.iter().for_each(|one| given(one, texts)),
        serde_json::Value::Object(members) => {
            for (key, member) in members {
                match member.as_str() {
                    Some(text) if listed("given", key) => texts.push(text),
                    _ => given(member, texts),
                }
            }
        }
        _ => {}
    }
}

/// Whether a path goes on to one file that is no log: notes of the harness, settings.
fn is_other_file(behind: &str) -> bool {
    let ends = |c: char| c.is_whitespace() || "\"'`=(:;,<>|&\\".contains(c);
    let rest = behind.split(ends).next().unwrap_or_default();
    let file = rest.rsplit_once('/').map_or("", |(_, file)| file);
    let is_plain = !rest.contains("..") && !rest.contains(['*', '?', '[', '{', '$']);
    let end = file.rsplit_once('.').map(|(_, end)| end);
    is_plain && end.is_some_and(|end| end != "jsonl")
}

/// Whether a word begins at the home and leaves open which folder of it is meant:
/// `~/.cl*/x`, `~/$D/x`, `$HOME/.[c]laude`.
fn hides_home(command: &str) -> bool {
    let mut parts = command.split(|c: char| c.is_whitespace() || "\"'=;|&".contains(c));
    parts.any(|word| {
        let mut homes = ["~/", "$HOME/", "${HOME}/"].into_iter();
        let inside = homes.find_map(|home| word.strip_prefix(home));
        let inside = inside.unwrap_or_default();
        let (folder, is_last) = match inside.split_once('/') {
            Some((folder, _)) => (folder, false),
            None => (inside, true),
        };
        // `~/*.pdf` is no folder of settings, `~/.cl*` is
        let begin = folder.split(['*', '?', '[']).next().unwrap_or_default();
        let mut known = words("log_folders");
        let is_hidden = !is_last || !begin.is_empty() && known.any(|name| name.starts_with(begin));
        folder.contains(['$', '{']) || is_hidden && folder.contains(['*', '?', '['])
    })
}

/// Whether a command looks through a whole home.
fn seeks_at_home(command: &str) -> bool {
    let mut words = command.split_whitespace();
    words.any(|word| word == "find")
        && words
            .next()
            .is_some_and(|word| listed("bare_homes", word.trim_matches('"')))
}

/// Whether the output of a program went elsewhere, and another one printed.
fn is_unseen(segments: &[shell::Segment], at: usize) -> bool {
    let outputs = segments.get(at).map_or(&[][..], |one| &one.outputs);
    let others = || {
        let all = segments.iter().enumerate();
        all.filter(move |(other, _)| *other != at)
            .map(|(_, one)| one)
    };
    let shows =
        |file: &String| others().any(|one| one.run.words.iter().skip(1).any(|word| word == file));
    !outputs.is_empty()
        && others().any(|one| one.outputs.is_empty())
        && !outputs.iter().any(|(_, file)| shows(file))
}

fn cut(command: &str) -> Box<str> {
    let mut end = command.len().min(MAX_COMMAND);
    while !command.is_char_boundary(end) {
        end -= 1;
    }
    command.get(..end).unwrap_or_default().into()
}

/// Whether a command line names a client of a database, or SQL that writes.
fn may_write_rows(command: &str) -> bool {
    let lower = command.to_ascii_lowercase();
    words("row_writers").any(|word| lower.contains(word))
}
