//! What a record of a harness says, before anybody asks what it means.
//!
//! Every harness has one reader, which makes records. Sessions
//! ([`fold`](super::fold)) and calls ([`calls`](super::calls)) are two views of
//! them.

use std::borrow::Cow;

use super::{By, Harness, Output, Span, State};
use crate::model::{Exit, Role};
use crate::raw::{Broken, Raw};

/// At most this many bytes of each end of an output are decoded.
pub const MAX_OUTPUT: usize = 64 * 1024;

/// The position of a record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) span: Span,
}

/// One record. Members that a harness does not write are `None`.
#[derive(Debug, Default)]
pub(crate) struct Record<'l> {
    /// The harness's own word for it.
    pub(crate) kind: Cow<'l, str>,
    /// Whether its type is one that is read.
    pub(crate) is_known: bool,
    pub(crate) id: Option<Cow<'l, str>>,
    pub(crate) parent: Option<Cow<'l, str>>,
    /// The message or turn it is part of.
    pub(crate) group: Option<Cow<'l, str>>,
    pub(crate) session: Option<Cow<'l, str>>,
    pub(crate) time: Option<Cow<'l, str>>,
    pub(crate) cwd: Option<Cow<'l, str>>,
    pub(crate) model: Option<Cow<'l, str>>,
    /// The subagent it belongs to.
    pub(crate) agent: Option<Cow<'l, str>>,
    /// Whether it belongs to a subagent.
    pub(crate) is_aside: bool,
    /// Whether the harness wrote it in another's name.
    pub(crate) is_inserted: bool,
    /// Who caused it, where the record says so.
    pub(crate) by: Option<By>,
    pub(crate) step: Step,
    pub(crate) items: Vec<Item<'l>>,
}

/// Which message of the model a record belongs to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Step {
    /// That of the record before it.
    #[default]
    Same,
    /// The one with this number.
    Number(usize),
    /// The one that `group` names; without a name it is a new one.
    Message,
    /// Not said: words, and a call after an answer, begin a new one.
    Follows,
}

/// One thing that a record says.
#[derive(Debug)]
pub(crate) enum Item<'l> {
    Said(Role, Cow<'l, str>),
    Called {
        id: Cow<'l, str>,
        name: Cow<'l, str>,
        input: Input<'l>,
        /// Whether other records tell of the same call.
        is_retold: bool,
    },
    Answered {
        id: Cow<'l, str>,
        answer: Answer<'l>,
    },
    /// How the harness says that a call ended, and its output.
    Exited(Exit, Option<Raw<'l>>),
    TurnEnd,
    /// What follows is another conversation.
    Begins,
    /// Something that is not read.
    Other,
}

/// The arguments of a call.
#[derive(Debug, Clone)]
pub(crate) enum Input<'l> {
    Value(Raw<'l>),
    /// Text, which may be JSON.
    Text(Cow<'l, str>),
    Absent,
}

impl Input<'_> {
    /// A string of the log, or another value of it.
    pub(crate) fn of(value: Option<Raw<'_>>) -> Input<'_> {
        match (value, value.and_then(Raw::text)) {
            (_, Some(text)) => Input::Text(text),
            (Some(value), None) => Input::Value(value),
            (None, None) => Input::Absent,
        }
    }

    /// Some members of an object, as an object of their own.
    pub(crate) fn picked(value: Raw<'_>, keys: &[&str]) -> Self {
        let member = |key: &&str| {
            let value = value.present(key)?;
            Some(format!("\"{key}\":{}", value.beginning(usize::MAX)))
        };
        let members: Vec<String> = keys.iter().filter_map(member).collect();
        Self::Text(Cow::Owned(format!("{{{}}}", members.join(","))))
    }

    pub(crate) fn raw(&self) -> Option<Raw<'_>> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Text(text) => Raw::line(text.as_bytes()).ok(),
            Self::Absent => None,
        }
    }

    /// The first of several members that is a text.
    pub(crate) fn first<'k>(&self, keys: impl IntoIterator<Item = &'k str>) -> Option<String> {
        let raw = self.raw()?;
        let found = keys.into_iter().find_map(|key| raw.get(key)?.text());
        found.map(Cow::into_owned)
    }
}

/// The answer to a call.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Answer<'l> {
    pub(crate) content: Option<Raw<'l>>,
    /// What the harness keeps beside the content.
    pub(crate) data: Option<Raw<'l>>,
    pub(crate) failed: bool,
    /// Exit status and end, where the record has them.
    pub(crate) status: Option<i64>,
    pub(crate) state: Option<State>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ending {
    pub(crate) status: Option<i64>,
    pub(crate) state: State,
    pub(crate) failed: bool,
    /// The call did not happen.
    pub(crate) is_refused: bool,
    /// The number under which a command goes on.
    pub(crate) process: Option<i64>,
}

impl<'l> Answer<'l> {
    /// Around a result there may be `{content, success}`.
    pub(crate) fn wrapped(output: Option<Raw<'l>>, failed: bool) -> Self {
        let inside = output.and_then(|output| output.present("content"));
        let success = inside.and_then(|_| output?.get("success"));
        Self {
            content: inside.or(output),
            data: output.filter(|output| !output.is_string() && !output.is_null()),
            failed: failed || success.is_some_and(Raw::is_unset),
            ..Self::default()
        }
    }

    /// Something that the harness keeps beside the content.
    pub(crate) fn has(&self, key: &str) -> Option<Raw<'l>> {
        self.data?.present(key)
    }

    /// What the record itself says about the end.
    pub(crate) fn ending(&self) -> Ending {
        Ending {
            status: self.status,
            state: self.state.unwrap_or(State::Ended),
            failed: self.failed,
            is_refused: false,
            process: None,
        }
    }

    /// The output of a command.
    pub(crate) fn output(&self) -> Option<Output> {
        let [stdout, stderr, file] = match self.data.filter(|data| data.is_object()) {
            Some(data) => data
                .pick(["stdout", "stderr", "persistedOutputPath"])
                .ok()?,
            None => [None; 3],
        };
        let mut texts: Vec<(String, bool)> = [stdout, stderr]
            .into_iter()
            .flatten()
            .filter_map(|text| text.text_ends(MAX_OUTPUT))
            .collect();
        if texts.is_empty() {
            let content = self.content?;
            let plain = || (content.readable().into_owned(), false);
            texts.push(content.text_ends(MAX_OUTPUT).unwrap_or_else(plain));
        }
        let file = file.and_then(Raw::text).map(Cow::into_owned);
        let is_cut = texts.iter().any(|(_, is_cut)| *is_cut) || file.is_some();
        let texts: Vec<String> = texts.into_iter().map(|(text, _)| text).collect();
        Some(Output {
            text: texts.join("\n"),
            is_cut,
            file,
        })
    }
}

/// Reads the records of a line, or of a document, which is one line.
pub(crate) fn records<'l>(
    harness: Harness,
    place: Place,
    text: &'l [u8],
    each: &mut dyn FnMut(Place, Record<'l>),
) -> Result<(), Broken> {
    match harness {
        Harness::ClaudeCode => each(place, super::claude::record(text)?),
        Harness::Codex => each(place, super::codex::record(text)?),
        Harness::Copilot => each(place, super::exports::copilot(text)?),
        Harness::Neutral => each(place, super::neutral::record(place, text)?),
        Harness::OpenCode => super::exports::opencode(place, text, each)?,
        Harness::Gemini => super::exports::gemini(place, text, each)?,
    }
    Ok(())
}

/// Reads a piece again to which an event refers: a line, or a part of a
/// document.
pub(crate) fn piece(harness: Harness, text: &[u8]) -> Option<Record<'_>> {
    let span = Span { at: 0, len: 0 };
    let place = Place { line: 0, span };
    let mut found = None;
    match harness {
        Harness::OpenCode => return super::exports::opencode_part(Raw::record(text).ok()?).ok(),
        Harness::Gemini => return super::exports::gemini_call(Raw::record(text).ok()?).ok(),
        _ => records(harness, place, text, &mut |_, record| found = Some(record)).ok()?,
    }
    found
}
