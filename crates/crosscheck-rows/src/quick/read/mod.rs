//! What was said: the tool calls of a log.
//!
//! Turns bytes into deduplicated actions with flat parameters. Touches
//! nothing but its input.

mod dedupe;
mod extract;
mod flatten;
mod ladder;
pub(crate) mod patterns;

use crosscheck_core::{JsString, Json};

use dedupe::Same;
pub use flatten::Flat;
pub use ladder::MAX_INPUT_BYTES;

use crate::error::RowsError;
use crate::reasons::RowReason;

/// At most this many tool calls are examined.
pub const MAX_ACTIONS: usize = 50;

/// One tool call.
#[derive(Debug, Clone)]
pub struct Action {
    /// The tool's name.
    pub tool: JsString,
    /// The parameter bag, an object.
    pub params: Json,
    /// The scalars of the bag by path.
    pub flat: Flat,
}

/// What reading a log gave.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// The tool calls that are checked, without repetitions.
    pub actions: Vec<Action>,
    /// Why nothing, or not everything, could be read.
    pub ingest: Ingest,
    /// The keys of repeated tool calls.
    pub repeated: Vec<JsString>,
}

/// How the reading went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ingest {
    /// One `MALFORMED_LINE` for each of these comes before the other codes.
    pub malformed_codes: usize,
    /// The other codes.
    pub codes: Vec<RowReason>,
    /// Lines that are not JSON.
    pub malformed_lines: usize,
    /// Tool calls of a transcript whose arguments are not a JSON object.
    pub unreadable_calls: usize,
}

impl Ingest {
    /// All codes in order.
    pub fn all_codes(&self) -> impl Iterator<Item = RowReason> + '_ {
        std::iter::repeat_n(RowReason::MalformedLine, self.malformed_codes)
            .chain(self.codes.iter().copied())
    }

    /// Each code once, in order of appearance.
    pub fn distinct_codes(&self) -> Vec<RowReason> {
        let mut codes: Vec<RowReason> = Vec::new();
        if self.malformed_codes > 0 {
            codes.push(RowReason::MalformedLine);
        }
        codes.extend(&self.codes);
        codes
    }

    /// Whether nothing prevents it.
    pub fn is_clean(&self) -> bool {
        self.malformed_codes == 0 && self.codes.is_empty()
    }

    /// Whether this code was raised.
    pub fn has(&self, code: RowReason) -> bool {
        self.codes.contains(&code)
    }
}

/// A tool call as it stands in the log.
#[derive(Debug, Clone)]
pub struct Call {
    /// The tool's name.
    pub tool: JsString,
    /// The parameter bag, an object.
    pub params: Json,
}

/// Reads a log by the seed's ladder. `None` is a log over the size limit.
pub fn log(input: Option<&[u8]>) -> Result<Log, RowsError> {
    let Some(bytes) = input else {
        return Ok(Log {
            ingest: Ingest {
                codes: vec![RowReason::IngestInputTooLarge],
                ..Ingest::default()
            },
            ..Log::default()
        });
    };
    let (calls, ingest) = ladder::climb(bytes);
    dedupe::calls(calls, ingest, Same::Scalars)
}

/// Makes a log of tool calls that another reader found.
pub fn log_of_calls(calls: impl IntoIterator<Item = Call>) -> Result<Log, RowsError> {
    let mut ingest = Ingest::default();
    let mut kept: Vec<Call> = Vec::new();
    for call in calls {
        if kept.len() == MAX_ACTIONS {
            ingest.codes.push(RowReason::IngestActionCap);
            break;
        }
        kept.push(call);
    }
    dedupe::calls(kept, ingest, Same::Everything)
}
