//! Records as a session: calls are joined with their answers, and named by what
//! they do.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::deed::{Deed, words};
use super::patch::patched;
use super::record::{Answer, Ending, Item, Place, Record, Step};
use super::{
    Body, By, Edit, Ended, Event, Harness, LogFacts, MAX_TEXT, Run, State, Subagent, Tool,
};
use super::{claude, codex};
use crate::model::Role;
use crate::raw::Raw;

/// At most this many calls can be waiting for an answer.
const MAX_OPEN: usize = 4096;
/// A line is written a little later than its time says: in a hundred real logs
/// up to 40 seconds after those that follow it.
const LATENESS: SignedDuration = SignedDuration::from_mins(1);

/// A session so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Fold {
    harness: Harness,
    own: bool,
    cwd: Option<Arc<str>>,
    step: usize,
    /// The message of the model that the last record named.
    message: Option<String>,
    /// Whether an answer arrived since the last call.
    answered: bool,
    open: HashMap<Box<str>, Open>,
    /// Exit codes that were reported before the answer.
    exits: HashMap<Box<str>, i64>,
    /// Commands that go on, by the number under which the harness keeps them.
    processes: HashMap<i64, Box<str>>,
    /// A command that the user typed, whose output is on the next line.
    typed: Option<(usize, String)>,
    chain: Chain,
    pub(super) facts: LogFacts,
    pub(super) events: Vec<Event>,
}

/// A call that waits for its answer.
#[derive(Debug, Clone)]
struct Open {
    place: Place,
    step: usize,
    cwd: Option<Arc<str>>,
    by: By,
    deed: Deed,
}

impl Fold {
    pub(super) fn new(harness: Harness, own: bool) -> Self {
        Self {
            harness,
            own,
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, place: Place, record: Record<'_>) {
        if record.is_known {
            self.facts.known += 1;
            self.note(&record);
        } else {
            self.facts.unknown(match &*record.kind {
                "" => "no type",
                kind => kind,
            });
        }
        if self.harness == Harness::ClaudeCode {
            let is_asked = |open: &Open| matches!(open.deed, Deed::Subagent(_));
            let has_agent = self.own || self.open.values().any(is_asked);
            self.chain
                .follow(place, &record, has_agent, &mut self.facts);
        }
        if record.is_known {
            self.items(place, record);
        }
    }

    /// Keeps what later records and the caller need from a record.
    fn note(&mut self, record: &Record<'_>) {
        if let Some(cwd) = record.cwd.as_deref()
            && self.cwd.as_deref() != Some(cwd)
        {
            self.cwd = Some(Arc::from(cwd));
        }
        let facts = &mut self.facts;
        if facts.cwd.is_none() {
            facts.cwd.clone_from(&self.cwd);
        }
        if let Some(time) = &record.time {
            facts.at(time);
        }
        if facts.session.is_none() {
            facts.session = record.session.as_deref().map(str::to_owned);
        }
        if let Some(model) = record.model.as_deref().filter(|_| !record.is_inserted)
            && facts.model.as_deref() != Some(model)
        {
            facts.model = Some(model.to_owned());
        }
        match record.step {
            Step::Number(step) => self.step = step,
            Step::Message
                if record.group.is_none() || self.message.as_deref() != record.group.as_deref() =>
            {
                self.step += 1;
                self.message = record.group.as_deref().map(str::to_owned);
            }
            Step::Same | Step::Message | Step::Follows => {}
        }
    }

    fn items(&mut self, place: Place, record: Record<'_>) {
        let is_aside = record.is_aside && !self.own;
        let by = if is_aside { By::Subagent } else { By::Agent };
        let by = record.by.unwrap_or(by);
        let follows = matches!(record.step, Step::Follows);
        let brings = |item: &Item<'_>| matches!(item, Item::Answered { .. });
        let is_answer = record.items.iter().any(brings);
        let is_typed = !record.is_inserted && record.agent.is_none();
        for item in record.items {
            match item {
                Item::Said(_, words) if words.trim().is_empty() => {}
                Item::Said(Role::Assistant, words) if !record.is_inserted => {
                    self.step += usize::from(follows);
                    self.answered = false;
                    self.tell(place.line, by, Body::Text(limited(&words)));
                }
                Item::Said(Role::User, words) if !is_answer => {
                    self.said(place, &words, by != By::Subagent && is_typed);
                }
                Item::Called {
                    id,
                    is_retold: true,
                    ..
                } if self.open.contains_key(&*id) => {}
                Item::Called {
                    id, name, input, ..
                } => {
                    if std::mem::take(&mut self.answered) && follows {
                        self.step += 1;
                    }
                    let deed = Deed::of(&name, &input);
                    let cwd = match (deed.folder(&input), &self.cwd) {
                        (Some(dir), Some(cwd)) if !dir.starts_with('/') => {
                            Some(Arc::from(format!("{cwd}/{dir}")))
                        }
                        (Some(dir), _) => Some(Arc::from(dir)),
                        (None, cwd) => cwd.clone(),
                    };
                    if self.open.len() >= MAX_OPEN {
                        self.flush();
                    }
                    let open = Open {
                        place,
                        step: self.step,
                        cwd,
                        by,
                        deed,
                    };
                    self.open.insert(id.into(), open);
                }
                Item::Answered { id, answer } => {
                    self.answered = true;
                    if let Some((id, open)) = self.open.remove_entry(&*id) {
                        self.answer(id, open, &answer, place);
                    }
                }
                Item::Exited(exit, _) => {
                    let (Some(id), Some(code)) = (exit.call_id, exit.code) else {
                        continue;
                    };
                    let id = id.into_boxed_str();
                    if self.open.contains_key(&id) {
                        self.exits.insert(id, code);
                    } else {
                        let ended = Ended {
                            id,
                            status: Some(code),
                            output: Some(place.span),
                        };
                        self.tell(place.line, By::Agent, Body::Ended(ended));
                    }
                }
                Item::Said(..) | Item::TurnEnd | Item::Begins | Item::Other => {}
            }
        }
    }

    fn tell(&mut self, line: usize, by: By, body: Body) {
        self.events.push(Event {
            line,
            step: self.step,
            cwd: self.cwd.clone(),
            by,
            body,
        });
    }

    /// A prompt of the user, or a notice that looks like one.
    fn said(&mut self, place: Place, words: &str, by_user: bool) {
        if let Some(ended) = notice(words) {
            self.tell(place.line, By::Agent, Body::Ended(ended));
        } else if begins(words.trim_start(), "feedback") {
            self.tell(place.line, By::Agent, Body::Feedback);
        } else if !by_user {
            // the harness, or another agent
        } else if let Some(command) = tagged(words, "bash-input") {
            self.typed = Some((place.line, command.to_owned()));
        } else if words.starts_with("<bash-std")
            && let Some((line, command)) = self.typed.take()
        {
            let run = Run {
                id: Box::default(),
                command,
                status: None,
                state: State::Ended,
                output: Some(place.span),
            };
            self.tell(line, By::User, Body::Run(run));
        } else if !begins(words.trim_start(), "notices") {
            self.tell(place.line, By::User, Body::Prompt(limited(words)));
        }
    }

    fn answer(&mut self, id: Box<str>, open: Open, answer: &Answer<'_>, place: Place) {
        let ends = matches!(open.deed, Deed::Run(_) | Deed::Subagent(_));
        let ending = match self.harness {
            Harness::Codex => codex::ending(answer, self.exits.remove(&id)),
            Harness::ClaudeCode if ends => claude::ending(answer),
            _ => answer.ending(),
        };
        if ending.is_refused {
            return;
        }
        // whoever asks again is not the command that runs
        if let Some(process) = ending.process
            && !matches!(open.deed, Deed::Poll(_))
        {
            self.processes.insert(process, id.clone());
        }
        self.close(id, open, Some((answer, ending, place)));
    }

    /// Reports the calls that have no answer so far, and drops them.
    pub(super) fn flush(&mut self) {
        let mut left: Vec<_> = self.open.drain().collect();
        left.sort_by_key(|(_, open)| open.place.line);
        for (id, open) in left {
            self.close(id, open, None);
        }
    }

    /// Reports a call with its answer, if there is one.
    fn close(&mut self, id: Box<str>, open: Open, answer: Option<(&Answer<'_>, Ending, Place)>) {
        let ending = answer.map(|(_, ending, _)| ending);
        let span = answer.map(|(.., place)| place.span);
        let failed = ending.is_some_and(|ending| ending.failed);
        let mut bodies = Vec::new();
        match open.deed {
            Deed::Run(command) => {
                if let Some(at) = command.find("*** Begin Patch") {
                    let patch = command.get(at..).unwrap_or_default();
                    patched(patch, &id, !failed, open.place.span, &mut bodies);
                }
                bodies.push(Body::Run(Run {
                    id,
                    command,
                    status: ending.and_then(|ending| ending.status),
                    state: ending.map_or(State::Unanswered, |ending| ending.state),
                    output: span,
                }));
            }
            Deed::Edit { path, change } => bodies.push(Body::Edit(Edit {
                id,
                path,
                change,
                done: !failed,
                lines: [Some(open.place.span), span],
            })),
            Deed::Patch(patch) => {
                patched(&patch, &id, !failed, open.place.span, &mut bodies);
            }
            Deed::Subagent(kind) => bodies.push(Body::Subagent(subagent(id, kind, answer))),
            Deed::Poll(process) => {
                let status = ending.and_then(|ending| ending.status);
                if status.is_some()
                    && let Some(id) = self.processes.remove(&process)
                {
                    bodies.push(Body::Ended(Ended {
                        id,
                        status,
                        output: span,
                    }));
                }
            }
            Deed::Tool {
                name,
                input,
                handback,
            } => bodies.push(Body::Tool(Tool {
                name,
                input,
                failed,
                handback,
            })),
        }
        self.events.extend(bodies.into_iter().map(|body| Event {
            line: open.place.line,
            step: open.step,
            cwd: open.cwd.clone(),
            by: open.by,
            body,
        }));
    }
}

fn subagent(id: Box<str>, kind: String, answer: Option<(&Answer<'_>, Ending, Place)>) -> Subagent {
    let Some((answer, _, place)) = answer else {
        return Subagent {
            id,
            kind,
            agent: None,
            in_background: true,
            answered: None,
        };
    };
    let agent = answer.has("agentId").or_else(|| answer.has("agent"));
    let status = answer.has("status");
    Subagent {
        id,
        kind,
        agent: agent.and_then(Raw::text).map(std::borrow::Cow::into_owned),
        in_background: answer.has("isAsync").is_some_and(Raw::is_true)
            || status.is_some_and(|word| word.is("async_launched")),
        answered: Some(place.line),
    }
}

/// The chain of the lines of Claude Code: each names the one before it.
#[derive(Debug, Clone, Default)]
struct Chain {
    /// When each line was written, by the hash of its id.
    seen: HashMap<u64, Option<Timestamp>>,
    /// Hashes of the ids of all calls.
    calls: HashSet<u64>,
    /// Whether a line of this log has an id, a session and a time.
    is_chained: bool,
    /// Whether one lacks them.
    is_bare: bool,
    /// Whether a line has named the one before it.
    has_links: bool,
}

impl Chain {
    /// A log with a line that has an id, a session and a time has them on all
    /// lines, each id once and one session, and a line is no older than the one
    /// before it; a line without is not the harness's.
    fn follow(&mut self, place: Place, record: &Record<'_>, has_agent: bool, facts: &mut LogFacts) {
        let id = record.id.as_deref().map(hashed);
        let time: Option<Timestamp> = record.time.as_ref().and_then(|time| time.parse().ok());
        let is_new = id.is_none_or(|id| self.seen.insert(id, time).is_none());
        if !record.is_known {
            return;
        }
        let parent = record.parent.as_ref().map(|id| self.seen.get(&hashed(id)));
        let is_in_time = match (parent.flatten().copied().flatten(), time) {
            (Some(before), Some(time)) => before.duration_until(time) >= -LATENESS,
            _ => true,
        };
        let is_same = record.session.as_deref() == facts.session.as_deref();
        // in the log of a session the lines of an agent stand aside
        let has_place = record.agent.is_none() || record.is_aside;
        let mut calls = record.items.iter().filter_map(|item| match item {
            Item::Called { id, is_retold, .. } if !is_retold => Some(hashed(id)),
            _ => None,
        });
        let is_unused = calls.all(|id| self.calls.insert(id));
        let is_linked = match parent {
            Some(parent) => parent.is_some(),
            // once lines follow each other, none begins anew but behind a
            // summary, or in the log of an agent that was asked for
            None => !self.has_links || record.kind == "system" || record.is_aside && has_agent,
        };
        self.has_links |= record.parent.is_some();
        let is_whole = id.is_some() && record.session.is_some() && record.time.is_some();
        if facts.known == 1 {
            facts.begins_midway = !is_linked;
        }
        self.is_bare |= !is_whole;
        self.is_chained |= is_whole;
        let is_ours = facts.known == 1 || is_linked;
        let is_ours = is_ours && is_in_time && is_same && has_place && is_unused;
        let is_followed = self.is_chained && self.has_links;
        if is_followed && (self.is_bare || !is_ours || !is_new) {
            facts.unchained.get_or_insert(place.line);
        }
    }
}

fn hashed(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// Whether a text begins with a word of a list.
pub(super) fn begins(text: &str, list: &str) -> bool {
    words(list).any(|start| text.starts_with(start))
}

/// The end of a background task, from a notice.
fn notice(words: &str) -> Option<Ended> {
    let inside = words.trim_start().strip_prefix("<task-notification>")?;
    let id = tagged(inside, "tool-use-id")?;
    let over = ["completed", "failed", "killed", "stopped"];
    if !tagged(inside, "status").is_some_and(|status| over.contains(&status)) {
        return None;
    }
    let summary = tagged(inside, "summary").unwrap_or_default();
    let (_, code) = summary.split_once("exit code ").unwrap_or_default();
    let digits: String = code.chars().take_while(char::is_ascii_digit).collect();
    Some(Ended {
        id: id.into(),
        status: digits.parse().ok(),
        output: None,
    })
}

/// The text between a tag and its end.
pub(super) fn tagged<'w>(words: &'w str, tag: &str) -> Option<&'w str> {
    let (_, rest) = words.split_once(&format!("<{tag}>"))?;
    let (inside, _) = rest.split_once(&format!("</{tag}>"))?;
    Some(inside.trim())
}

fn limited(words: &str) -> String {
    let end = words.floor_char_boundary(MAX_TEXT);
    words.get(..end).unwrap_or_default().to_owned()
}
