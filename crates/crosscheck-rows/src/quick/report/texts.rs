//! Every sentence a quick run says to people, under the names of the seed's
//! Appendix H.

use crosscheck_core::Verdict;
use crosscheck_core::text::{cut_units, one_line, unit_len};

use crate::certificate::texts;
use crate::quick::plan::{Expectation, Unit};
use crate::reasons::RowReason;

texts! { include_str!("texts.tsv");
    HUMAN_REPORT_BEGIN, HUMAN_REPORT_END, QUICK_VERIFY_BANNER_LINE_1,
    QUICK_VERIFY_BANNER_LINE_2, QUICK_VERIFY_BANNER_LINE_3, MSG_NO_TOOL_CALLS,
    MSG_NO_STRUCTURED_TOOL_ACTIVITY, RELIANCE_RATIONALE, LAYER_DECLARED, LAYER_EXPECTED,
    LAYER_OBSERVED, NOT_CHECKED, LOG_UNREAD, NO_TABLE_VISIBLE, READS_TAKEN_AS_WRITES,
    DELETES_TAKEN_AS_WRITES, ANSWERS_UNREAD, SEE_ROWS, NOT_RESOLVED, NOTHING_OBSERVED,
    QUERY_FAILED, RELATED_PRESENT, RELATED_ABSENT, NOT_PROVEN_RUN, NOT_PROVEN_CHANGED,
    NOT_PROVEN_WHOLE,
}

pub(crate) const DOES_NOT_PROVE: [&str; 3] = [NOT_PROVEN_RUN, NOT_PROVEN_CHANGED, NOT_PROVEN_WHOLE];

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
