//! `validate-registry`: is the registry well formed, and do the events resolve
//! against it? No database is touched.

use std::path::Path;

use crosscheck_core::JsString;
use crosscheck_core::text::one_line;
use serde_json::{Value, json};

use super::error::ContractError;
use super::plan::{self, Shapes};
use super::read::{self, Registry, RegistryError, Verification};
use super::reasons::ContractReason;

/// What was found.
#[derive(Debug)]
pub struct Validation {
    /// The document.
    pub result: Value,
    /// Whether the registry can be used.
    pub valid: bool,
    /// One line for each problem.
    pub issues: Vec<String>,
    /// What does not make the registry invalid, and yet will spoil a run.
    pub notes: Vec<String>,
}

/// Validates a registry, and the events of a workflow against it.
pub fn registry(path: &Path, events: Option<(&Path, &str)>) -> Result<Validation, ContractError> {
    let mut found = Findings::default();
    let registry = match read::registry(path) {
        Ok(registry) => Some(registry),
        Err(RegistryError::Invalid { issues, lines, .. }) => {
            found.lines.extend(lines);
            found.structural.extend(issues.iter().map(|one| {
                json!({ "kind": "json_schema", "instancePath": one.path, "keyword": one.keyword, "message": one.message })
            }));
            None
        }
        Err(error) => return Err(error.of_run(path)),
    };
    if let Some(registry) = &registry {
        found.repeats(registry);
    }
    let mut load = None;
    if let (Some((path, workflow_id)), Some(registry), true) =
        (events, &registry, found.structural.is_empty())
    {
        load = Some(found.resolve(path, workflow_id, registry)?);
    }
    let valid = found.structural.is_empty() && found.resolution.is_empty();
    let mut result = json!({
        "schemaVersion": 1, "valid": valid, "structuralIssues": found.structural,
        "resolutionIssues": found.resolution, "resolutionSkipped": found.skipped,
    });
    if let (Some(load), Some(map)) = (load, result.as_object_mut()) {
        map.insert("eventLoad".to_owned(), load);
    }
    Ok(Validation {
        result,
        valid,
        issues: found.lines.iter().map(|line| one_line(line)).collect(),
        notes: found.notes,
    })
}

#[derive(Default)]
struct Findings {
    structural: Vec<Value>,
    resolution: Vec<Value>,
    skipped: Vec<Value>,
    lines: Vec<String>,
    notes: Vec<String>,
}

impl Findings {
    fn repeats(&mut self, registry: &Registry) {
        for entry in &registry.entries {
            if let Verification::Effects(effects) = &entry.verification {
                let ids = effects.iter().map(|(id, _)| id);
                let kind = ("sql_effects_duplicate_effect_id", "effectId");
                self.repeated_ids(&entry.tool_id, kind, ids);
            }
        }
        for entry in &registry.entries {
            if let Verification::Relational(checks) = &entry.verification {
                let ids = checks.iter().map(|(id, _)| id);
                let kind = ("sql_relational_duplicate_check_id", "checkId");
                self.repeated_ids(&entry.tool_id, kind, ids);
            }
        }
        if let Some(tool) = registry.repeated() {
            let message = format!("two entries have the toolId `{tool}`");
            self.lines.push(message.clone());
            self.structural
                .push(json!({ "kind": "duplicate_tool_id", "message": message }));
        }
    }

    /// An issue for every further occurrence of an id.
    fn repeated_ids<'i>(
        &mut self,
        tool: &JsString,
        (kind, key): (&str, &str),
        ids: impl Iterator<Item = &'i JsString>,
    ) {
        let mut seen = std::collections::HashSet::new();
        for id in ids {
            if !seen.insert(id) {
                let (tool, id) = (tool.to_string(), id.to_string());
                let message = format!("the entry of {tool} uses the id `{id}` more than once");
                self.lines.push(message.clone());
                self.structural
                    .push(json!({ "kind": kind, "toolId": tool, key: id, "message": message }));
            }
        }
    }

    fn resolve(
        &mut self,
        path: &Path,
        workflow_id: &str,
        registry: &Registry,
    ) -> Result<Value, ContractError> {
        let mut log = read::events(path, workflow_id)?;
        self.notes(&log);
        if log.counts.observed == 0 {
            let reason = ContractReason::NoStepsForWorkflow.reason();
            self.lines
                .push(format!("{}: {}", reason.code, reason.meaning));
            self.resolution.push(json!({
                "workflowId": workflow_id, "code": reason.code, "message": reason.meaning, "seq": null, "toolId": null,
            }));
        }
        let mut shapes = Shapes::default();
        log.next_steps(&mut 0, usize::MAX, |step| {
            self.step(&step, workflow_id, registry, &mut shapes);
        })?;
        Ok(json!({ "workflowId": workflow_id, "malformedEventLineCount": log.counts.malformed }))
    }

    fn notes(&mut self, log: &read::Log) {
        self.notes.extend(log.malformed.iter().cloned());
        let unnamed = log.counts.malformed - log.malformed.len();
        if unnamed > 0 {
            self.notes
                .push(format!("more lines that are not events: {unnamed}"));
        }
    }

    fn step(
        &mut self,
        step: &read::Step<'_>,
        workflow_id: &str,
        registry: &Registry,
        shapes: &mut Shapes,
    ) {
        let tool = step.tool_id.to_string();
        let issue = |code: ContractReason, message: &str| json!({ "workflowId": workflow_id, "code": code.code(), "message": message, "seq": step.seq, "toolId": tool });
        if step.diverges {
            let reason = ContractReason::RetryObservationsDiverge;
            self.skipped.push(issue(reason, reason.reason().meaning));
            return;
        }
        let (code, message) = match registry.get(step.tool_id) {
            None => (
                ContractReason::UnknownTool,
                ContractReason::UnknownTool.reason().meaning.to_owned(),
            ),
            Some(entry) => match plan::request(&entry.verification, step.params, shapes) {
                Ok(_) => return,
                Err(why) => (why.code, why.message),
            },
        };
        self.lines
            .push(format!("seq={} tool={tool} {code}: {message}", step.seq));
        self.resolution.push(issue(code, &message));
    }
}
