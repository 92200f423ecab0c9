//! One verification from start to end (trace 5): read plan and trace, judge
//! events as they are read, read the files, judge them, report.

mod artifacts;

use std::io::Read;

use artifacts::{Artifacts, Sealed};
use crosscheck_core::digest::Digest;
use crosscheck_core::files::Root;

use crate::check::Check;
use crate::error::TraceError;
use crate::finding::{Findings, Spot};
use crate::judge::{Collected, Judge};
use crate::observe::inputs::{open_plan, open_root, open_trace};
use crate::plan::Steps;
use crate::read::event::Event;
use crate::read::header::{Header, NoHeader};
use crate::read::object::Flaw;
use crate::read::plan::{self as read_plan, NoPlan, Plan};
use crate::read::trace::TraceReader;
use crate::reasons::TraceReason;
use crate::report::TraceReport;
use crate::request::{Input, TraceRequest};

/// Verifies a run. `stdin` is read when the request says so.
pub fn verify(request: &TraceRequest, stdin: &mut dyn Read) -> Result<TraceReport, TraceError> {
    let root = request.artifacts.as_deref().map(open_root).transpose()?;
    let trace = open_trace(&request.input, stdin)?;
    let plan_bytes = open_plan(&request.input)?;
    verify_read(request, root.as_ref(), trace, plan_bytes)
}

/// Verifies a trace and a plan that are in memory, without artifacts.
pub fn verify_bytes(trace: &[u8], plan: &[u8]) -> Result<TraceReport, TraceError> {
    let request = TraceRequest::of(Input::Files {
        trace: None,
        plan: "plan".into(),
    });
    verify_read(&request, None, trace, Some(plan.to_vec()))
}

fn verify_read(
    request: &TraceRequest,
    root: Option<&Root>,
    trace: impl Read,
    plan_bytes: Option<Vec<u8>>,
) -> Result<TraceReport, TraceError> {
    // the seal is read first: it decides whether the hash of the trace is needed
    let sealed = Sealed::read(root);
    let is_hashed = request.hash_trace || sealed.needs_trace_hash(request);
    let mut trace = TraceReader::new(trace, is_hashed);
    let mut findings = Findings::new(request.max_failures);

    let header = read_header(&mut trace, &mut findings)?;
    let Opened::Header(header) = header else {
        if matches!(header, Opened::Unreadable) {
            let _ = read_plan(plan_bytes.as_deref(), None, &mut findings);
        } else if plan_bytes.is_none() {
            plan_missing(&mut findings);
        }
        return Ok(TraceReport::new(request, None, None, None, findings));
    };
    let plan = read_plan(
        plan_bytes.as_deref(),
        Some(&header.schema_version),
        &mut findings,
    );
    let plan = match plan {
        Some(plan) if findings.total() == 0 => plan,
        plan => {
            scan(&mut trace, &mut findings)?;
            let (header, plan) = (Some(&*header), plan.as_ref());
            return Ok(TraceReport::new(request, header, plan, None, findings));
        }
    };

    let steps = Steps::of(&plan);
    let judged = judge_events(request, &header, &plan, &steps, &mut trace, &mut findings)?;
    let report = |read, findings| {
        let (header, plan) = (Some(&*header), Some(&plan));
        TraceReport::new(request, header, plan, read, findings)
    };
    let Some((collected, mut judged)) = judged else {
        return Ok(report(None, findings));
    };
    let (digest, bytes) = trace
        .finish()
        .map_err(|source| TraceError::Read { line: 0, source })?;
    let plan_digest = plan_bytes.map(Digest::of);
    let artifacts = Artifacts {
        request,
        root,
        sealed,
        trace: digest,
        plan: plan_digest,
    };
    let collected = artifacts.judge(&header, &plan, collected, &mut judged);
    Ok(report(Some((collected, digest, bytes)), judged))
}

enum Opened {
    Header(Box<Header>),
    /// The header cannot be read; the plan still can.
    Unreadable,
    /// The trace has a version that is not supported.
    Unsupported,
}

fn read_header<R: Read>(
    trace: &mut TraceReader<R>,
    findings: &mut Findings,
) -> Result<Opened, TraceError> {
    let header = trace
        .header()
        .map_err(|source| TraceError::Read { line: 0, source })?;
    let line = trace.number();
    match header {
        Ok(header) => Ok(Opened::Header(Box::new(header))),
        Err(NoHeader::Flawed(flaw)) => {
            let is_empty = flaw.reason == TraceReason::EmptyTrace;
            let spot = if is_empty {
                Spot::End
            } else {
                Spot::Line(line)
            };
            flawed(flaw, spot, findings);
            Ok(Opened::Unreadable)
        }
        Err(NoHeader::Unknown(header, flaw)) => {
            // enough of the header is known to continue
            flawed(flaw, Spot::Line(line), findings);
            Ok(Opened::Header(header))
        }
        Err(NoHeader::Unsupported(versions)) => {
            for version in versions {
                let spot = Spot::Line(line);
                findings
                    .add(Check::CoreInvariants, version.reason, spot)
                    .field(version.field)
                    .differs(version.supported, version.found);
            }
            Ok(Opened::Unsupported)
        }
    }
}

/// Reads the plan; an error in it becomes a finding.
fn read_plan(
    bytes: Option<&[u8]>,
    trace_version: Option<&str>,
    findings: &mut Findings,
) -> Option<Plan> {
    let Some(bytes) = bytes else {
        plan_missing(findings);
        return None;
    };
    match read_plan::plan(bytes, trace_version) {
        Ok(plan) => return Some(plan),
        Err(NoPlan::Version { expected, found }) => {
            findings
                .add(
                    Check::CoreInvariants,
                    TraceReason::PlanVersionMismatch,
                    Spot::Plan,
                )
                .differs(expected, found);
        }
        Err(NoPlan::Flawed(flaws)) => {
            for flaw in flaws {
                flawed(flaw, Spot::Plan, findings);
            }
        }
    }
    None
}

fn plan_missing(findings: &mut Findings) {
    findings.add(Check::CoreInvariants, TraceReason::PlanMissing, Spot::Plan);
}

/// Passes all events to the checks. After the first line that cannot be read,
/// no check runs any more, and only further such lines are listed.
fn judge_events<R: Read>(
    request: &TraceRequest,
    header: &Header,
    plan: &Plan,
    steps: &Steps,
    trace: &mut TraceReader<R>,
    findings: &mut Findings,
) -> Result<Option<(Collected, Findings)>, TraceError> {
    let mut judged = Findings::new(request.max_failures);
    let mut judge = Judge::new(header, plan, steps, request.min_supports, &mut judged);
    let is_sound = each_event(trace, findings, |event, line| {
        judge.event(event, line, &mut judged);
    })?;
    if !is_sound {
        scan(trace, findings)?;
        return Ok(None);
    }
    let collected = judge.finish(request.insufficient, &mut judged);
    Ok(Some((collected, judged)))
}

/// Continues only to list further lines that cannot be read.
fn scan<R: Read>(trace: &mut TraceReader<R>, findings: &mut Findings) -> Result<(), TraceError> {
    while !each_event(trace, findings, |_, _| {})? {}
    Ok(())
}

/// Passes each event to `handle`, up to the first line that is not one;
/// returns whether there was none.
fn each_event<R: Read>(
    trace: &mut TraceReader<R>,
    findings: &mut Findings,
    mut handle: impl FnMut(&Event<'_>, u64),
) -> Result<bool, TraceError> {
    loop {
        let before = trace.number();
        let record = trace.next().map_err(|source| TraceError::Read {
            line: before,
            source,
        })?;
        match record {
            None => return Ok(true),
            Some((line, Ok(event))) => handle(&event, line),
            Some((line, Err(flaws))) => {
                for flaw in flaws {
                    flawed(flaw, Spot::Line(line), findings);
                }
                return Ok(false);
            }
        }
    }
}

fn flawed(flaw: Flaw, spot: Spot<'_>, findings: &mut Findings) {
    let mut noted = findings.add(Check::InputSchema, flaw.reason, spot);
    if !flaw.field.is_empty() {
        let meaning = flaw.reason.reason().meaning;
        noted = noted
            .says(format!("{meaning}: `{}`", flaw.field))
            .field(flaw.field);
    }
    noted.with(|failure| failure.found = flaw.found);
}
