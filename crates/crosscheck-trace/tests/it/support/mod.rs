//! A run on disk that tests can change and seal again.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crosscheck_core::Json;
use crosscheck_core::canonical::{self, Style};
use crosscheck_core::digest::Digest;
use crosscheck_trace::{TraceReport, TraceRequest, verify};
use serde_json::{Value, json};

/// The folder of the vectors.
pub(crate) fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/trace")
}

/// Copies a folder with its contents.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A run directory that can be changed.
pub(crate) struct Run {
    folder: tempfile::TempDir,
    pub(crate) header: Value,
    pub(crate) events: Vec<Value>,
    pub(crate) plan: Value,
}

impl Run {
    /// A copy of a vector without its seal.
    pub(crate) fn of(vector: &str) -> Self {
        let run = Self::sealed(vector);
        for name in [
            "manifest.json",
            "fingerprint.txt",
            "run_meta.json",
            "verify.json",
        ] {
            let _ = fs::remove_file(run.path().join(name));
        }
        run
    }

    /// An unchanged copy of a vector.
    pub(crate) fn sealed(vector: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(&vectors().join(vector), folder.path());
        fs::remove_file(folder.path().join("case.json")).unwrap();
        let text = fs::read_to_string(folder.path().join("trace.jsonl")).unwrap();
        let mut lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let header = lines.next().unwrap();
        let events = lines.map(|mut line| line["event"].take()).collect();
        let plan = fs::read_to_string(folder.path().join("plan.json")).unwrap();
        Self {
            header,
            events,
            plan: serde_json::from_str(&plan).unwrap(),
            folder,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes trace and plan in their current state.
    pub(crate) fn write(&self) -> &Self {
        let mut text = format!("{}\n", self.header);
        for event in &self.events {
            text.push_str(&json!({"record": "trace_event", "event": event}).to_string());
            text.push('\n');
        }
        fs::write(self.path().join("trace.jsonl"), text).unwrap();
        fs::write(self.path().join("plan.json"), self.plan.to_string()).unwrap();
        self
    }

    /// Recomputes all ids: evidence, calls, claims, nodes, plan, trace.
    pub(crate) fn reseal(&mut self) -> &mut Self {
        for at in 0..self.events.len() {
            let event = &self.events[at];
            let made = match event["kind"].as_str().unwrap() {
                "evidence_registered" => Some((
                    &event["evidence"],
                    stable(
                        "ev",
                        &pick(&event["evidence"], &["uri", "sha256", "span", "chunk_id"]),
                    ),
                )),
                "tool_called" => {
                    let call = &event["call"];
                    let recipe = json!({"step_id": call["step_id"], "i": call["call_idx"],
                                        "tool": call["tool_name"], "args": call["arguments"]});
                    Some((call, stable("call", &recipe)))
                }
                "claim_emitted" => {
                    let keys = [
                        "statement",
                        "status",
                        "confidence",
                        "supports",
                        "claim_type",
                        "structured",
                    ];
                    Some((
                        &event["claim"],
                        stable("claim", &pick(&event["claim"], &keys)),
                    ))
                }
                _ => None,
            };
            let ids = made.map(|(object, id)| (object["id"].as_str().unwrap().to_owned(), id));
            if let Some((old, new)) = ids.filter(|(old, new)| old != new && old.contains("_v1_")) {
                self.rename(&old, &new);
            }
        }
        self.reseal_plan();
        self.reseal_trace()
    }

    /// Recomputes the ids of nodes and plan.
    pub(crate) fn reseal_plan(&mut self) -> &mut Self {
        for at in 0..self.plan["nodes"].as_array().unwrap().len() {
            let node = &self.plan["nodes"][at];
            let recipe = json!({"kind": node["kind"], "deps": node["dependencies"], "params": node["parameters"]});
            let (old, new) = (
                node["id"].as_str().unwrap().to_owned(),
                stable("node", &recipe),
            );
            if old != new {
                self.rename(&old, &new);
            }
        }
        let id = stable(
            "plan",
            &pick(&self.plan, &["problem", "spec_id", "nodes", "edges"]),
        );
        self.plan["id"] = json!(id);
        self.header["plan_id"] = json!(id);
        self
    }

    /// Recomputes the id of the trace.
    pub(crate) fn reseal_trace(&mut self) -> &mut Self {
        for (at, event) in self.events.iter_mut().enumerate() {
            if event.get("idx").is_some_and(Value::is_number) {
                event["idx"] = json!(at);
            }
        }
        let keys = [
            "metadata",
            "spec_id",
            "plan_id",
            "runtime_protocol_version",
            "schema_version",
            "fingerprint_algo",
            "canonicalization_version",
        ];
        let mut recipe = pick(&self.header, &keys);
        recipe["events"] = json!(self.events);
        self.header["id"] = json!(stable("trace", &recipe));
        self
    }

    fn rename(&mut self, old: &str, new: &str) {
        let swap =
            |value: &Value| serde_json::from_str(&value.to_string().replace(old, new)).unwrap();
        self.header = swap(&self.header);
        self.plan = swap(&self.plan);
        self.events = self.events.iter().map(swap).collect();
    }

    /// The position of the nth event of a kind.
    pub(crate) fn nth(&self, kind: &str, nth: usize) -> usize {
        let mut found = self
            .events
            .iter()
            .enumerate()
            .filter(|(_, event)| event["kind"] == kind);
        found.nth(nth).unwrap().0
    }

    /// The first event of a kind.
    pub(crate) fn first(&mut self, kind: &str) -> &mut Value {
        let at = self.nth(kind, 0);
        &mut self.events[at]
    }

    /// The event that finishes the step of a kind.
    pub(crate) fn output(&mut self, kind: &str) -> &mut Value {
        let found = self
            .events
            .iter_mut()
            .find(|event| event["output"]["type"] == kind);
        &mut found.unwrap()["output"]
    }

    pub(crate) fn verify(&self) -> TraceReport {
        verify(&TraceRequest::run_dir(self.path()), &mut io::empty()).unwrap()
    }

    /// Writes, verifies and returns `check:code` for each failure, as a set.
    pub(crate) fn failures(&self) -> BTreeSet<String> {
        failures(&self.write().verify())
    }
}

/// `check:code` for each failure, as a set.
pub(crate) fn failures(report: &TraceReport) -> BTreeSet<String> {
    report
        .failures()
        .iter()
        .map(|failure| format!("{}:{}", failure.check.name(), failure.reason.wire()))
        .collect()
}

/// A set of texts, for comparison.
pub(crate) fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

pub(crate) fn stable(prefix: &str, value: &Value) -> String {
    let json = Json::parse(&value.to_string()).unwrap();
    let text = canonical::text(json.root(), &Style::TRACE);
    format!("{prefix}_v1_{}", Digest::of(text))
}

fn pick(value: &Value, keys: &[&str]) -> Value {
    keys.iter()
        .map(|key| ((*key).to_owned(), value[*key].clone()))
        .collect()
}

/// SHA-256 as hex.
pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> String {
    Digest::of(bytes).hex()
}
