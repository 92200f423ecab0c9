//! The reduced profile for logs of agents.
//!
//! Such logs have no plan and no byte spans, so only part of the contract
//! applies (trace 14): the log can be read, its records follow each other, each
//! call has one result, and the model was shown what the tool returned. The
//! verdict is `linkage_holds`, never `accepted`.

mod calls;
mod records;
mod report;
mod shown;
mod threads;
mod times;
mod turns;

use crosscheck_transcript::{Format, Transcript};

pub use report::{LinkageReport, LinkageReportV1, OpenCall};

use crate::check::Check;
use crate::finding::{Findings, Spot};
use crate::reasons::TraceReason;

/// Whether the order of a log is the order of what happened. Exporters of
/// spans and runs write a record when it ends.
const fn is_ordered(format: Format) -> bool {
    match format {
        Format::ClaudeCode
        | Format::Codex
        | Format::OpenAi
        | Format::Anthropic
        | Format::Mcp
        | Format::Calls => true,
        Format::Otel | Format::LangSmith => false,
    }
}

/// Judges what can be judged of a log. `subject` names it for people.
pub fn linkage(transcript: &Transcript, subject: &str, max_failures: usize) -> LinkageReport {
    let mut findings = Findings::new(max_failures);
    readable(transcript, subject, &mut findings);
    records::judge(transcript, subject, &mut findings);
    let judged = calls::judge(transcript, subject, max_failures, &mut findings);
    let cited = citations(transcript, subject, &mut findings);
    LinkageReport::new(transcript, subject, judged, cited, findings)
}

/// A place in the log.
fn spot(subject: &str, record: usize) -> Spot<'_> {
    Spot::File {
        path: subject,
        line: Some(record as u64),
    }
}

fn readable(transcript: &Transcript, subject: &str, findings: &mut Findings) {
    if transcript.records == 0 {
        let spot = Spot::File {
            path: subject,
            line: None,
        };
        findings.add(Check::InputSchema, TraceReason::EmptyTrace, spot);
    }
    let malformed = &transcript.malformed;
    // beyond a limit only their number is kept
    let last = malformed.lines.last().into_iter().cycle();
    for line in malformed.lines.iter().chain(last).take(malformed.count) {
        let spot = spot(subject, *line);
        findings.add(Check::InputSchema, TraceReason::BadJson, spot);
    }
}

/// Ranges of citations lie inside their text. Returns the number of citations.
fn citations(transcript: &Transcript, subject: &str, findings: &mut Findings) -> u64 {
    let mut count = 0;
    for (event, message) in transcript.messages() {
        for citation in &message.citations {
            count += 1;
            let start = citation.start.unwrap_or_default();
            let end = citation.end.unwrap_or(start);
            // a link always has a range; one that is not a range is outside
            let is_nowhere = citation.kind == "url_citation"
                && (citation.start.is_none() || citation.end.is_none());
            let is_unreadable = citation.is_unreadable || is_nowhere;
            if is_unreadable || start > end || end > citation.block_chars {
                let spot = spot(subject, event.position.record);
                findings
                    .add(Check::SupportSpans, TraceReason::SpanOutOfBounds, spot)
                    .refers_to(&citation.target)
                    .differs(
                        format!("a range inside {} characters", citation.block_chars),
                        if is_unreadable {
                            "a place that is not a natural number".to_owned()
                        } else {
                            format!("{start}-{end}")
                        },
                    );
            }
        }
    }
    count
}
