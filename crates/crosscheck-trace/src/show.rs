//! `trace show`: the events of a run as text, with the cited bytes and whether
//! each citation holds.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crosscheck_core::files::Root;
use crosscheck_core::redact::redacted;
use crosscheck_core::text::{cut_units, one_line, terminal_safe};
use crosscheck_core::{Event as ListenerEvent, Listener};

use crate::check::Check;
use crate::error::TraceError;
use crate::finding::{Failure, flat};
use crate::ids::{self, Key};
use crate::observe::artifacts::open;
use crate::read::claim::{Claim, Support, SupportKind};
use crate::read::event::{Body, Event, Evidence};
use crate::read::marker::{Piece, pieces};
use crate::read::output::Output;
use crate::reader::TraceFile;
use crate::report::TraceReport;
use crate::request::TraceRequest;
use crate::run::verify_with;

/// Length of a quote, in UTF-16 units.
const QUOTE: usize = 160;
/// Length of arguments and answers, in UTF-16 units.
const LONG: usize = 400;

/// Prints a run directory piece by piece ([`ListenerEvent::Text`]); returns the
/// report.
pub fn show(folder: &Path, listener: &mut dyn Listener) -> Result<TraceReport, TraceError> {
    let request = TraceRequest::run_dir(folder);
    let report = verify_with(&request, &mut io::empty(), listener)?;
    let mut emit = |text: &str| {
        let shown = redacted(text);
        listener.hear(ListenerEvent::Text(&terminal_safe(&shown)));
    };
    let mut reader = TraceFile::open(folder)?;
    let mut events = Events {
        root: Root::new(folder).ok(),
        evidence: HashMap::new(),
        wrong: wrong(&report),
        broken: broken(&report),
    };
    emit(&format!("{}\n", report.summary()));
    match reader.header() {
        Ok(header) => {
            let id = flat(&header.id);
            let text = format!("trace {id}\n{}\n", elsewhere(&report));
            emit(&text);
        }
        // the verdict is already printed; there are no events to show
        Err(TraceError::Broken { line, why, .. }) if !report.is_accepted() => {
            let text = format!("\n  line {line} is not a header: {}\n", flat(&why));
            emit(&text);
            return Ok(report);
        }
        Err(error) => return Err(error),
    }
    let mut position = 0;
    while let Some((line, event)) = reader.next()? {
        let mut text = String::new();
        match event {
            Ok(event) => events.event(position, line, &event, &mut text),
            Err(why) => {
                let _ = writeln!(text, "  line {line} is not an event: {}", flat(&why));
            }
        }
        position += 1;
        for code in events.wrong.remove(&line).into_iter().flatten() {
            let _ = writeln!(text, "        ! {code}");
        }
        emit(&text);
    }
    Ok(report)
}

/// The codes of failures by line of the trace.
fn wrong(report: &TraceReport) -> HashMap<u64, Vec<String>> {
    let mut wrong: HashMap<u64, Vec<String>> = HashMap::new();
    for failure in report.failures() {
        if let Some(line) = line_of(failure) {
            wrong.entry(line).or_default().push(code(failure));
        }
    }
    wrong
}

/// Why citations do not hold.
fn broken(report: &TraceReport) -> HashMap<(u64, String), String> {
    let failures = report.failures().iter();
    let spans = failures.filter(|failure| failure.check == Check::SupportSpans);
    spans
        .filter_map(|failure| {
            let place = (failure.location.line?, failure.location.field.clone()?);
            Some((place, failure.full_message()))
        })
        .collect()
}

/// The failures that belong to no event: of plan, header, seal and the run.
fn elsewhere(report: &TraceReport) -> String {
    let mut text = String::new();
    for failure in report.failures() {
        if line_of(failure).is_none() {
            let _ = writeln!(text, "  ! {}: {}", code(failure), failure.message);
        }
    }
    text
}

fn code(failure: &Failure) -> String {
    format!("{} ({})", failure.reason.wire(), failure.check.name())
}

/// The line of the trace a failure belongs to, unless it is that of the header.
fn line_of(failure: &Failure) -> Option<u64> {
    let is_trace = failure.location.file.as_deref() == Some("trace");
    failure.location.line.filter(|line| is_trace && *line > 1)
}

struct Events {
    root: Option<Root>,
    /// The path of evidence registered so far.
    evidence: HashMap<Key, Box<str>>,
    wrong: HashMap<u64, Vec<String>>,
    /// Why citations do not hold, by line and place in the claim.
    broken: HashMap<(u64, String), String>,
}

impl Events {
    fn event(&mut self, position: u64, line: u64, event: &Event<'_>, text: &mut String) {
        let _ = write!(text, "{position:>5} ");
        match &event.body {
            Body::Started => {
                let _ = writeln!(text, "step {} starts", brief(event.step_id));
            }
            Body::Finished(output) => finished(event.step_id, output, text),
            Body::Called(call) => {
                let arguments = short(&call.arguments);
                let _ = writeln!(text, "  calls {} {arguments}", flat(call.tool_name));
            }
            Body::Returned(result) => {
                let outcome = match (result.success, result.error) {
                    (true, _) => "returns".to_owned(),
                    (false, error) => {
                        format!("fails: {}", short(error.unwrap_or("no reason given")))
                    }
                };
                let _ = writeln!(text, "  {outcome} (call {})", brief(result.call_id));
            }
            Body::Registered(evidence) => self.registered(evidence, text),
            Body::Claimed(claim) => self.claimed(claim, line, text),
        }
    }

    fn registered(&mut self, evidence: &Evidence<'_>, text: &mut String) {
        let (start, end) = evidence.span;
        let _ = writeln!(
            text,
            "  evidence {} from {} bytes {start}-{end} in {}",
            brief(&evidence.name.id),
            flat(evidence.uri),
            flat(evidence.content_path)
        );
        let key = ids::key(&evidence.name.id);
        self.evidence.insert(key, evidence.content_path.into());
    }

    fn claimed(&self, claim: &Claim<'_>, line: u64, text: &mut String) {
        let (kind, status) = (claim.origin.word(), claim.status.word());
        let _ = writeln!(
            text,
            "  claims ({kind}, {status}) {}",
            brief(&claim.name.id)
        );
        let _ = writeln!(
            text,
            "        \"{}\"",
            short(&shortened(claim.statement, &claim.supports))
        );
        for (nth, support) in claim.supports.iter().enumerate() {
            let place = (line, format!("event.claim.supports[{nth}]"));
            let broken = self.broken.get(&place).map(String::as_str);
            let shown = self.support(support, broken);
            let _ = writeln!(text, "        [{}] {shown}", nth + 1);
        }
    }

    fn support(&self, support: &Support<'_>, broken: Option<&str>) -> String {
        let (start, end) = support.span;
        let name = brief(support.ref_id);
        let quote = match self.quote(support) {
            Ok(quote) => format!("\"{quote}\""),
            Err(error) => error.to_string(),
        };
        match (support.kind, broken) {
            (SupportKind::Claim, _) => format!("rests on claim {name} (linkage only)"),
            (SupportKind::ToolCall, _) => format!("rests on call {name} (linkage only)"),
            (SupportKind::Evidence, None) => format!("holds: {name} {start}-{end} {quote}"),
            (SupportKind::Evidence, Some(why)) => {
                format!("does NOT hold: {name} {start}-{end}: {why}; there: {quote}")
            }
        }
    }

    /// The beginning of the cited text.
    fn quote(&self, support: &Support<'_>) -> io::Result<String> {
        let missing = || io::Error::other("nothing");
        let path = self.evidence.get(&ids::key(support.ref_id));
        let (path, root) = path.zip(self.root.as_ref()).ok_or_else(missing)?;
        let mut file = open(root, path).map_err(|refusal| io::Error::other(refusal.why()))?;
        let (start, end) = support.span;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take((end - start).min(4 * QUOTE as u64))
            .read_to_end(&mut bytes)?;
        Ok(short_to(&String::from_utf8_lossy(&bytes), QUOTE))
    }
}

fn finished(step: &str, output: &Output<'_>, text: &mut String) {
    let _ = writeln!(text, "step {} finishes: {}", brief(step), output.word());
    for (list, ids) in output.claim_lists() {
        let ids: Vec<String> = ids.map(brief).collect();
        if !ids.is_empty() {
            let _ = writeln!(text, "        {list}: {}", ids.join(", "));
        }
    }
    if let Some(answer) = output.final_answer() {
        let _ = writeln!(
            text,
            "        answer: \"{}\"",
            short(&shortened(answer, &[]))
        );
    }
}

/// A text with its markers shortened: to the number of the equal support, or to
/// the evidence they name. Every other bracket gets a backslash, so that prose
/// cannot look like a citation.
fn shortened(text: &str, supports: &[Support<'_>]) -> String {
    let mut numbers = HashMap::new();
    for (nth, support) in supports.iter().enumerate() {
        let key = (support.ref_id, support.span, support.hash);
        numbers.entry(key).or_insert(nth + 1);
    }
    let mut short = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Prose(prose) => short.push_str(&prose.replace('[', "\\[")),
            Piece::Marker(marker) => {
                let (id, start, end) = (marker.id, marker.start, marker.end);
                if short.ends_with('\\') {
                    short.push(' ');
                }
                let _ = match numbers.get(&(id, (start, end), marker.hash)) {
                    Some(number) => write!(short, "[{number}]"),
                    None => write!(short, "[{} {start}-{end}]", brief(id)),
                };
            }
        }
    }
    short
}

/// The beginning of a long id.
fn brief(id: &str) -> String {
    match id.char_indices().nth(24) {
        Some((cut, _)) => format!("{}…", flat(id.split_at(cut).0)),
        None => flat(id),
    }
}

fn short(text: &str) -> String {
    short_to(text, LONG)
}

fn short_to(text: &str, max: usize) -> String {
    let line = one_line(text);
    let cut = cut_units(&line, max);
    if cut.len() == line.len() {
        line
    } else {
        format!("{cut}...")
    }
}
