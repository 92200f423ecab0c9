//! The members of a line that are used, and the result in an answer.

use std::borrow::Cow;

use super::super::Sink;
use super::super::skim::{Broken, Raw};

/// The type of a record that is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum RecordKind {
    User,
    Assistant,
    Attachment,
    System,
    /// A type that is not read; other lines may follow it in the chain.
    Other,
}

/// The members of a record, undecoded.
pub(super) struct Record<'l> {
    pub(super) kind: RecordKind,
    pub(super) message: Option<Raw<'l>>,
    pub(super) attachment: Option<Raw<'l>>,
    pub(super) result: Option<Raw<'l>>,
    pub(super) cwd: Option<Raw<'l>>,
    pub(super) time: Option<Raw<'l>>,
    pub(super) session: Option<Raw<'l>>,
    pub(super) uuid: Option<Raw<'l>>,
    pub(super) parent: Option<Raw<'l>>,
    pub(super) sidechain: Option<Raw<'l>>,
    /// `isMeta`, `isCompactSummary`, `isReplay`.
    inserted: [Option<Raw<'l>>; 3],
    /// `origin`, `turnOrigin`.
    origins: [Option<Raw<'l>>; 2],
}

impl<'l> Record<'l> {
    /// The members of a line; those of another type are counted.
    pub(super) fn read(line: Raw<'l>, sink: &mut Sink) -> Result<Self, Broken> {
        let mut record = Self {
            kind: RecordKind::System,
            message: None,
            attachment: None,
            result: None,
            cwd: None,
            time: None,
            session: None,
            uuid: None,
            parent: None,
            sidechain: None,
            inserted: [None; 3],
            origins: [None; 2],
        };
        let mut kind = None;
        if !line.is_object() {
            return Err(Broken);
        }
        for member in line.members() {
            let (key, value) = member?;
            let value = Some(value);
            match key {
                b"type" => kind = value.and_then(Raw::text),
                b"message" => record.message = value,
                b"attachment" => record.attachment = value,
                b"toolUseResult" => record.result = value,
                b"cwd" => record.cwd = value,
                b"timestamp" => record.time = value,
                b"sessionId" => record.session = value,
                b"uuid" => record.uuid = value,
                b"parentUuid" => record.parent = value,
                b"isSidechain" => record.sidechain = value,
                b"isMeta" => record.inserted[0] = value,
                b"isCompactSummary" => record.inserted[1] = value,
                b"isReplay" => record.inserted[2] = value,
                b"origin" => record.origins[0] = value,
                b"turnOrigin" => record.origins[1] = value,
                _ => {}
            }
        }
        record.kind = match kind.as_deref() {
            Some("user") => RecordKind::User,
            Some("assistant") => RecordKind::Assistant,
            Some("attachment") => RecordKind::Attachment,
            Some("system") => RecordKind::System,
            other => {
                sink.facts.unknown(other.unwrap_or("no type"));
                RecordKind::Other
            }
        };
        Ok(record)
    }

    /// Whether the harness wrote it under the user's name.
    pub(super) fn is_inserted(&self) -> bool {
        let marked = self.inserted.into_iter().flatten().any(Raw::is_true);
        let [origin, turn] = self.origins;
        marked
            || origin.is_some_and(is_foreign)
            || turn.is_some_and(|turn| turn.is_string() && !turn.is("human"))
    }
}

/// Whether an `origin` names someone other than the user.
pub(super) fn is_foreign(origin: Raw<'_>) -> bool {
    origin.get("kind").is_some_and(|kind| !kind.is("human"))
}

/// The result in the answer to a call.
pub(super) struct Answer<'l> {
    pub(super) failed: bool,
    /// The beginning of its text.
    pub(super) start: Cow<'l, str>,
    data: [Option<Raw<'l>>; DATA.len()],
    pub(super) content: Option<Raw<'l>>,
}

/// The members of a result that are used: a long one is read once.
const DATA: [&str; 8] = [
    "stdout",
    "stderr",
    "interrupted",
    "backgroundTaskId",
    "persistedOutputPath",
    "agentId",
    "isAsync",
    "status",
];

impl<'l> Answer<'l> {
    pub(super) fn of(block: Raw<'l>, data: Option<Raw<'l>>) -> Result<Self, Broken> {
        let [content, failed] = block.pick(["content", "is_error"])?;
        let start = content.map(start_of).unwrap_or_default();
        Ok(Self {
            failed: failed.is_some_and(Raw::is_true),
            start,
            data: data.map_or(Ok([None; DATA.len()]), |data| data.pick(DATA))?,
            content,
        })
    }

    /// A call that was refused did not happen.
    pub(super) fn is_refusal(&self) -> bool {
        const REFUSALS: [&str; 5] = [
            "<tool_use_error>",
            "The user doesn't want to proceed",
            "The user doesn't want to take this action",
            "Permission to use",
            "This command requires approval",
        ];
        self.failed && REFUSALS.iter().any(|words| self.start.starts_with(words))
    }

    pub(super) fn has(&self, key: &str) -> Option<Raw<'l>> {
        let at = DATA.iter().position(|name| *name == key)?;
        self.data
            .get(at)
            .copied()
            .flatten()
            .filter(|value| !value.is_null())
    }
}

fn start_of(content: Raw<'_>) -> Cow<'_, str> {
    let first = content
        .elements()
        .find_map(|block| block.get("text"))
        .unwrap_or(content);
    first.text_start(400).unwrap_or_default()
}
