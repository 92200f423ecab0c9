//! What must not change while the judge runs (workspace 18).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crosscheck_core::digest;
use crosscheck_core::files::open_regular;
use serde::{Deserialize, Serialize};

use super::RunStart;
use super::place::OWN_FILES;
use crate::observe::snapshot::Snapshot;
use crate::plan::path_claim::PathClaim;
use crate::read::acceptance::{ACCEPTANCE_FILE, Criterion, CriterionCheck};
use crate::read::layout::{INSTRUCTIONS_FILE, normal};
use crate::read::metadata::METADATA_FILE;
use crate::read::status::STATUS_FILE;
use crate::report::log::LOG_FILE;
use crate::workspace::Workspace;

const LIMIT: u64 = 64 << 20;
pub(super) const ACCEPTANCE: &str = "acceptance file";

/// SHA-256 of the inputs of a verdict by their names; `None` for a missing one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Inputs(BTreeMap<String, Option<String>>);

impl Inputs {
    pub(crate) fn take(workspace: &Workspace, acceptance: Option<&Path>) -> Self {
        let own = workspace.folder.join(ACCEPTANCE_FILE);
        // As read for the verdict: a link is followed.
        let hash = |path: &Path| {
            let file = open_regular(path).ok()?;
            let digest = digest::of_reader(file.take(LIMIT)).ok()?;
            Some(digest.hex())
        };
        let files = [INSTRUCTIONS_FILE, STATUS_FILE, METADATA_FILE];
        let files = files.map(|name| (name.to_owned(), hash(&workspace.folder.join(name))));
        let mut hashes = BTreeMap::from(files);
        let acceptance = hash(acceptance.unwrap_or(&own));
        hashes.insert(ACCEPTANCE.to_owned(), acceptance);
        Self(hashes)
    }

    /// Only instructions and criteria.
    pub(crate) fn asked_for(mut self) -> Self {
        let is_asked = |name: &str| matches!(name, INSTRUCTIONS_FILE | ACCEPTANCE);
        self.0.retain(|name, _| is_asked(name));
        self
    }

    pub(crate) fn differences(&self, later: &Self) -> Vec<String> {
        let names: BTreeSet<&String> = self.0.keys().chain(later.0.keys()).collect();
        let is_other = |name: &&String| self.0.get(*name) != later.0.get(*name);
        names.into_iter().filter(is_other).cloned().collect()
    }
}

/// Project files that changed, without those that the tool itself writes and
/// those that count as inputs; `None` when there are too many.
pub(super) fn project_differences(
    workspace: &Workspace,
    before: Option<Snapshot>,
    report: &Path,
    acceptance: Option<&Path>,
) -> Option<Vec<PathBuf>> {
    let (before, after) = (before?, Snapshot::take(&workspace.project)?);
    let name_of = |path: &Path| -> String {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    let report_name = name_of(report);
    // no command writes the log while the judge runs
    let is_ours = |name: &str| name != LOG_FILE && OWN_FILES.contains(&name);
    let log_of = |name: &str| Some(name.strip_prefix("iterate-")?.strip_suffix(".log")?.len());
    let is_log = |name: &str| log_of(name).is_some();
    let is_report_end = |end: &str| matches!(end, "" | ".rejected") || end.starts_with(".prev-");
    let mut changed = before.differences(&after);
    changed.retain(|path| {
        let path = workspace.project.join(path);
        let name = name_of(&path);
        let is_beside = path.parent() == report.parent();
        let is_report = is_beside && name.strip_prefix(&report_name).is_some_and(is_report_end);
        let is_here = path.parent() == Some(&workspace.folder);
        let is_acceptance = acceptance.is_some_and(|file| normal(file) == path);
        !(is_acceptance || is_report || is_here && (is_ours(&name) || is_log(&name)))
    });
    Some(changed)
}

/// Paths in backticks on lines of the instructions, and how many more there
/// are than a report should list.
pub(super) fn named_paths(instructions: &str) -> (Vec<PathClaim>, usize) {
    const MOST: usize = 200;
    let mut named = Vec::new();
    let mut seen = HashSet::new();
    for line in instructions.lines() {
        let tokens = line.split('`').skip(1).step_by(2);
        for claim in tokens.filter_map(|token| PathClaim::of(token.trim())) {
            if seen.insert(claim.clone()) && named.len() < MOST {
                named.push(claim);
            }
        }
    }
    let more = seen.len() - named.len();
    (named, more)
}

/// Whether a known base commit exists and nothing outside the workspaces
/// folder differs from it.
pub(super) fn nothing_changed(
    workspace: &Workspace,
    run: Option<&RunStart<'_>>,
    criteria: &[Criterion],
) -> bool {
    let declared = criteria
        .iter()
        .find_map(|criterion| match &criterion.check {
            CriterionCheck::GitChanged { base, .. } => Some(base.clone()),
            _ => None,
        });
    let Some(base) = run.and_then(|run| run.base.clone()).or(declared) else {
        return false;
    };
    crate::observe::changed_files(&workspace.project, &base).is_ok_and(|files| {
        files
            .iter()
            .all(|path| workspace.project.join(path).starts_with(&workspace.home))
    })
}
