//! One verification from start to end (trace 5): read plan and trace, judge
//! events as they are read, read the files, judge them, report.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crosscheck_core::digest::Digest;
use crosscheck_core::files::{ReadError, Root, drain_limited, open_regular, read_limited};
use crosscheck_core::listener::Shared;
use crosscheck_core::{Event as ListenerEvent, Listener, NoListener};

use crate::check::Check;
use crate::error::TraceError;
use crate::finding::{Findings, Spot};
use crate::judge::{Collected, Judge, binding, evidence, seal};
use crate::observe::artifacts::{self, Artifact, MAX_DOCUMENT};
use crate::observe::{chunks, files};
use crate::plan::Steps;
use crate::read::event::Event;
use crate::read::header::{Header, NoHeader};
use crate::read::manifest::Manifest;
use crate::read::object::Flaw;
use crate::read::plan::{self as read_plan, NoPlan, Plan};
use crate::read::trace::TraceReader;
use crate::reasons::TraceReason;
use crate::report::TraceReport;
use crate::request::{Input, TraceRequest};

const MAX_FINGERPRINT: u64 = 4096;

/// Verifies a run. `stdin` is read when the request says so.
pub fn verify(request: &TraceRequest, stdin: &mut dyn Read) -> Result<TraceReport, TraceError> {
    verify_with(request, stdin, &mut NoListener)
}

/// As [`verify`]; the listener hears how much was read ([`ListenerEvent::Read`]).
pub fn verify_with(
    request: &TraceRequest,
    stdin: &mut dyn Read,
    listener: &mut dyn Listener,
) -> Result<TraceReport, TraceError> {
    let root = request.artifacts.as_deref().map(open_root).transpose()?;
    let trace = open_trace(&request.input, stdin)?;
    let plan_bytes = open_plan(&request.input)?;
    let listener = Shared::new(listener);
    verify_read(request, root.as_ref(), trace, plan_bytes, &listener)
}

/// Verifies a trace and a plan that are in memory, without artifacts.
pub fn verify_bytes(trace: &[u8], plan: &[u8]) -> Result<TraceReport, TraceError> {
    let request = TraceRequest::of(Input::Files {
        trace: None,
        plan: "plan".into(),
    });
    let listener = &mut NoListener;
    let plan = Some(plan.to_vec());
    verify_read(&request, None, trace, plan, &Shared::new(listener))
}

fn verify_read(
    request: &TraceRequest,
    root: Option<&Root>,
    trace: impl Read,
    plan_bytes: Option<Vec<u8>>,
    listener: &Shared<'_>,
) -> Result<TraceReport, TraceError> {
    // the seal is read first: it decides whether the hash of the trace is needed
    let sealed = Sealed::read(root);
    let trace = CountedTrace { trace, listener };
    let is_hashed = request.hash_trace || sealed.asks(request);
    let mut trace = TraceReader::new(trace, is_hashed);
    let mut findings = Findings::new(request.max_failures);

    let header = read_header(&mut trace, &mut findings)?;
    let Opened::Header(header) = header else {
        if matches!(header, Opened::Unreadable) {
            let _ = read_plan(plan_bytes.as_deref(), None, &mut findings);
        } else if plan_bytes.is_none() {
            plan_missing(&mut findings);
        }
        return Ok(TraceReport::stopped(request, None, None, findings));
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
            let plan = plan.as_ref();
            return Ok(TraceReport::stopped(request, Some(&header), plan, findings));
        }
    };

    let steps = Steps::of(&plan);
    let Some((collected, mut judged)) =
        judge_events(request, &header, &plan, &steps, &mut trace, &mut findings)?
    else {
        return Ok(TraceReport::stopped(
            request,
            Some(&header),
            Some(&plan),
            findings,
        ));
    };
    let (digest, bytes) = trace
        .finish()
        .map_err(|source| TraceError::Read { line: 0, source })?;
    let plan_digest = plan_bytes.map(Digest::of);
    let artifacts = Artifacts {
        request,
        listener,
        root,
        sealed,
        trace: digest,
        plan: plan_digest,
    };
    let collected = artifacts.judge(&header, &plan, collected, &mut judged);
    Ok(TraceReport::complete(
        request,
        &header,
        &plan,
        &collected,
        (digest, bytes),
        judged,
    ))
}

/// The trace on its way to the reader.
struct CountedTrace<'l, 's, R> {
    trace: R,
    listener: &'l Shared<'s>,
}

impl<R: Read> Read for CountedTrace<'_, '_, R> {
    fn read(&mut self, block: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.trace.read(block)?;
        let input = "trace";
        self.listener.hear(ListenerEvent::Read { input, bytes });
        Ok(bytes)
    }
}

fn open_root(folder: &Path) -> Result<Root, TraceError> {
    let fail = |source| TraceError::Open {
        what: "artifacts directory",
        source,
    };
    let root = Root::new(folder).map_err(fail)?;
    if root.path().is_dir() {
        Ok(root)
    } else {
        Err(fail(ReadError::Io {
            path: folder.to_owned(),
            source: std::io::ErrorKind::NotADirectory.into(),
        }))
    }
}

fn open_trace<'s>(
    input: &Input,
    stdin: &'s mut dyn Read,
) -> Result<Box<dyn Read + 's>, TraceError> {
    let fail = |source| TraceError::Open {
        what: "trace",
        source,
    };
    match input {
        Input::RunDir(folder) => Ok(Box::new(
            open_regular(&folder.join("trace.jsonl")).map_err(fail)?,
        )),
        Input::Files { trace: None, .. } => Ok(Box::new(stdin)),
        Input::Files {
            trace: Some(path), ..
        } => {
            let io = |source| {
                fail(ReadError::Io {
                    path: path.clone(),
                    source,
                })
            };
            let file = File::open(path).map_err(io)?; // the caller named it, so it may be a pipe
            if file.metadata().map_err(io)?.is_dir() {
                return Err(fail(ReadError::NotRegular { path: path.clone() }));
            }
            Ok(Box::new(file))
        }
    }
}

/// The bytes of the plan; nothing when a run directory has none.
fn open_plan(input: &Input) -> Result<Option<Vec<u8>>, TraceError> {
    let fail = |source| TraceError::Open {
        what: "plan",
        source,
    };
    let path = match input {
        Input::Files { plan, .. } => {
            return read_limited(plan, MAX_DOCUMENT).map(Some).map_err(fail);
        }
        Input::RunDir(folder) => folder.join("plan.json"),
    };
    let file = match open_regular(&path) {
        Ok(file) => file,
        Err(ReadError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Ok(None);
        }
        Err(error) => return Err(fail(error)),
    };
    match drain_limited(file, MAX_DOCUMENT) {
        Ok(Some(bytes)) => Ok(Some(bytes)),
        Ok(None) => Err(fail(ReadError::TooLarge {
            path,
            limit: MAX_DOCUMENT,
        })),
        Err(source) => Err(fail(ReadError::Io { path, source })),
    }
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
            // the header is known well enough to read on
            flawed(flaw, Spot::Line(line), findings);
            Ok(Opened::Header(header))
        }
        Err(NoHeader::Unsupported(versions)) => {
            for version in versions {
                let spot = Spot::Line(line);
                findings.add(Check::CoreInvariants, version.reason, spot, |failure| {
                    failure.location.field = Some(version.field.to_owned());
                    failure.differs(version.supported, version.found);
                });
            }
            Ok(Opened::Unsupported)
        }
    }
}

/// Reads the plan; what is wrong with it becomes a finding.
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
            findings.add(
                Check::CoreInvariants,
                TraceReason::PlanVersionMismatch,
                Spot::Plan,
                |failure| {
                    failure.differs(expected, found);
                },
            );
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
    findings.add(
        Check::CoreInvariants,
        TraceReason::PlanMissing,
        Spot::Plan,
        |_| {},
    );
}

/// Passes all events to the checks. From the first line that cannot be read
/// on, no check runs any more, and only further such lines are listed.
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

/// Reads on only to list what else cannot be read.
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
    findings.add(Check::InputSchema, flaw.reason, spot, |failure| {
        if !flaw.field.is_empty() {
            let meaning = flaw.reason.reason().meaning;
            failure.says(format!("{meaning}: `{}`", flaw.field));
            failure.location.field = Some(flaw.field);
        }
        failure.found = flaw.found;
    });
}

/// The files of a seal that name the hash of the trace file.
struct Sealed {
    manifest: Artifact,
    fingerprint: Artifact,
}

impl Sealed {
    fn read(root: Option<&Root>) -> Self {
        Self {
            manifest: artifacts::read(root, seal::MANIFEST, MAX_DOCUMENT),
            fingerprint: artifacts::read(root, seal::FINGERPRINT, MAX_FINGERPRINT),
        }
    }

    /// Whether anything will be compared with the hash of the trace file.
    const fn asks(&self, request: &TraceRequest) -> bool {
        !matches!(
            (
                &self.manifest,
                &self.fingerprint,
                request.expect_trace_sha256
            ),
            (Artifact::Absent, Artifact::Absent, None)
        )
    }
}

/// The artifacts directory and what is known of the files in it.
struct Artifacts<'r, 's> {
    request: &'r TraceRequest,
    listener: &'r Shared<'s>,
    root: Option<&'r Root>,
    sealed: Sealed,
    /// Hash of the trace file, if anything is compared with it.
    trace: Option<Digest>,
    plan: Option<Digest>,
}

impl Artifacts<'_, '_> {
    /// Looks at the files once and judges everything they decide.
    fn judge(
        &self,
        header: &Header,
        plan: &Plan,
        mut collected: Collected,
        judged: &mut Findings,
    ) -> Collected {
        let read = |path, limit| artifacts::read(self.root, path, limit);
        collected.metrics.opaque_ids +=
            binding::judge(header, plan, &read("spec.json", MAX_DOCUMENT), judged);

        let required = self.request.require_seal;
        let manifest = seal::manifest(&self.sealed.manifest, required, judged);
        let mut jobs = evidence::jobs(&collected);
        let evidence_files = jobs.len();
        collected.metrics.evidence_files = evidence_files as u64;
        for path in manifest.iter().flat_map(Manifest::safe_paths) {
            let number = collected.files.add(path) as usize;
            if number == jobs.len() {
                jobs.push(files::FileJob::default());
            }
            if let Some(job) = jobs.get_mut(number) {
                job.known = self.known(path);
            }
        }
        let files = self
            .root
            .map(|root| files::look(root, &collected.files, &mut jobs, self.listener))
            .unwrap_or_default();
        let seen = evidence::Seen {
            jobs: &jobs,
            files: &files,
        };

        if self.root.is_some() {
            let wanted = || {
                let ids = collected.evidence.iter().map(|evidence| evidence.chunk_id);
                ids.collect()
            };
            let chunks = chunks::read(self.root, wanted);
            evidence::judge(&mut collected, seen, &chunks, judged);
        } else {
            evidence::unavailable(&collected, judged);
        }
        collected.metrics.evidence_bytes = files
            .iter()
            .take(evidence_files)
            .map(files::FileSeen::len)
            .sum();
        if let Some(manifest) = &manifest {
            let verified = [("trace.jsonl", self.trace), ("plan.json", self.plan)];
            seal::judge_manifest(manifest, &collected, seen, verified, judged);
        }
        seal::fingerprint(&self.sealed.fingerprint, self.trace, required, judged);
        seal::expected_hash(self.request.expect_trace_sha256, self.trace, judged);
        seal::run_meta(
            &read(seal::RUN_META, MAX_DOCUMENT),
            header,
            plan,
            &collected,
            judged,
        );
        collected
    }

    /// Trace and plan of a run directory were read already; the hash of what
    /// was read then counts, not that of a second read.
    fn known(&self, path: &str) -> Option<Digest> {
        let Input::RunDir(folder) = &self.request.input else {
            return None;
        };
        if self.request.artifacts.as_ref() != Some(folder) {
            return None;
        }
        match path {
            "trace.jsonl" => self.trace,
            "plan.json" => self.plan,
            _ => None,
        }
    }
}
