//! Every sentence a quick run says to people, under the names of the seed's
//! Appendix H.

use crosscheck_core::Verdict;
use crosscheck_core::text::{cut_units, one_line, unit_len};

use crate::quick::plan::{Expectation, Unit};
use crate::reasons::RowReason;

pub(crate) const HUMAN_REPORT_BEGIN: &str = "=== quick-verify human report ===";
pub(crate) const HUMAN_REPORT_END: &str = "=== end quick-verify human report ===";

pub(crate) const QUICK_VERIFY_BANNER_LINE_1: &str = "Input: only structured tool activity (JSON tool calls) is examined; free log text is not evidence.";
pub(crate) const QUICK_VERIFY_BANNER_LINE_2: &str = "Mapping: tables and columns were inferred from names and are provisional; uncertain is a normal answer here.";
pub(crate) const QUICK_VERIFY_BANNER_LINE_3: &str = "Meaning: pass says the rows look as declared right now; it proves neither that a tool ran nor that it changed anything, and is no statement of production safety.";

pub(crate) const MSG_NO_TOOL_CALLS: &str = "The input is blank: there is no tool call to check.";
pub(crate) const MSG_NO_STRUCTURED_TOOL_ACTIVITY: &str =
    "The input holds text, but no JSON object with a tool name and parameters was found in it.";

pub(crate) const RELIANCE_RATIONALE: &str = "This is a preview with an inferred mapping. It is never enough on its own for a decision to ship, bill, certify compliance or close an audit; write a registry and run the contract check for those.";

pub(crate) const DOES_NOT_PROVE: [&str; 3] = [
    "It does not prove that the tool or action was executed.",
    "It does not prove that a write, or any other change of state, took place.",
    "It covers inferred SQL checks read from one database only, not the whole contract surface.",
];
pub(crate) const LAYER_DECLARED: &str =
    "Declared: the tool and its parameters as the log has them.";
pub(crate) const LAYER_EXPECTED: &str = "Expected: rows and foreign-key relations inferred from the names of the parameters, provisionally.";
pub(crate) const LAYER_OBSERVED: &str = "Observed: what read-only SQL showed when the check ran.";

/// The head of the list of what was not checked; see `unchecked.rs`.
pub(crate) const NOT_CHECKED: &str = "Not checked:";
pub(crate) const LOG_UNREAD: &str =
    "the whole log: it is larger than 8 MiB, and not one tool call of it was read";
pub(crate) const NO_TABLE_VISIBLE: &str = "every tool call: no table is visible. Is this the right database and schema, does it have tables, and may this user read them?";
pub(crate) const READS_TAKEN_AS_WRITES: &str =
    "whether anything was written by tools that read; their calls were taken for written rows";
pub(crate) const DELETES_TAKEN_AS_WRITES: &str = "whether anything was deleted; calls of these tools were taken for written rows, so a row that is still there counts as agreement, and one that is gone as a contradiction";
pub(crate) const ANSWERS_UNREAD: &str = "what the tools answered: parameters alone are compared";
pub(crate) const SEE_ROWS: &str = "`crosscheck rows LOG` with the same database checks most of this: it reads the answers, tells reads, failed calls and deletes apart, follows arrays, and checks every call.";

pub(crate) const NOT_RESOLVED: &str =
    "no expectation could be resolved from the tool name and parameters";
pub(crate) const NOTHING_OBSERVED: &str = "nothing was observed: no query was sent";
pub(crate) const QUERY_FAILED: &str = "the query failed, nothing was observed";
pub(crate) const RELATED_PRESENT: &str = "a related row is present";
pub(crate) const RELATED_ABSENT: &str = "no related row is present";

/// What a verified unit really says: the names of what was compared, and of
/// the parameters that were not.
pub(crate) fn what_was_confirmed(unit: &Unit) -> String {
    let mut text = match &unit.expectation {
        Expectation::Row(request) if request.fields.is_empty() => {
            "A row with this key is there; nothing else was compared.".to_owned()
        }
        Expectation::Row(request) => {
            let names = request.fields.iter().map(|(column, _)| column.to_string());
            let names: Vec<String> = names.take(MOST_NAMES).collect();
            let names = listed(&names, request.fields.len());
            format!("The database holds what the tool call declared for {names}.")
        }
        Expectation::Related(_) => "The related row that the tool call names is there.".to_owned(),
        Expectation::Unmapped(_) => NOTHING_OBSERVED.to_owned(),
    };
    let unused = &unit.unused;
    if unused.count > 0 {
        let names: Vec<String> = unused.first.iter().map(ToString::to_string).collect();
        text.push_str(" Not compared, because no column matches: ");
        text.push_str(&listed(&names, unused.count));
        text.push('.');
    }
    text
}

const MOST_NAMES: usize = 5;

/// The first few names, each on one line and not too long, and how many more.
pub(super) fn listed(names: &[String], count: usize) -> String {
    const LONGEST: usize = 60;
    let shown = |name: &String| {
        let dots = if unit_len(name) > LONGEST { "…" } else { "" };
        one_line(&format!("{}{dots}", cut_units(name, LONGEST)))
    };
    let names: Vec<String> = names.iter().take(MOST_NAMES).map(shown).collect();
    match count.saturating_sub(names.len()) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// The word of a run.
pub(crate) const fn rollup_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "pass",
        Verdict::Refuted => "fail",
        Verdict::Undecided => "uncertain",
    }
}

/// The word of a unit.
pub(crate) const fn unit_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "verified",
        Verdict::Refuted => "fail",
        Verdict::Undecided => "uncertain",
    }
}

/// The second anchor line.
pub(crate) fn verdict_line(verdict: Verdict) -> String {
    format!("Rollup (inferred, provisional): {}", rollup_word(verdict))
}

/// What an ingest code means for the reader of the report.
pub(crate) fn human_line_for_ingest_reason_code(code: RowReason) -> String {
    let text = match code {
        RowReason::IngestNoActions => MSG_NO_TOOL_CALLS,
        RowReason::IngestNoStructuredToolActivity => MSG_NO_STRUCTURED_TOOL_ACTIVITY,
        other => {
            return format!(
                "{other}: {}; {}.",
                other.reason().meaning,
                other.reason().help
            );
        }
    };
    format!("{code}: {text} {}.", sentence(code.reason().help))
}

/// What a unit's code means, as a part of a sentence.
pub(crate) fn human_fragment_for_reason_code(code: RowReason) -> &'static str {
    code.reason().meaning
}

fn sentence(fragment: &str) -> String {
    let mut chars = fragment.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}
