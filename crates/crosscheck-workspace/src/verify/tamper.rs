//! What must not change while the judge runs (workspace 18).

use std::collections::{BTreeMap, HashSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crosscheck_core::digest::{self, Digest};
use crosscheck_core::files::open_regular;

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

/// The hashes of the inputs of a verdict; `None` for a missing one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inputs(BTreeMap<&'static str, Option<Digest>>);

impl Inputs {
    pub(crate) fn take(workspace: &Workspace, acceptance: Option<&Path>) -> Self {
        let own = workspace.folder.join(ACCEPTANCE_FILE);
        // As read for the verdict: a link is followed.
        let hash = |path: &Path| {
            let file = open_regular(path).ok()?;
            digest::of_reader(file.take(LIMIT)).ok()
        };
        let mut hashes: BTreeMap<&'static str, Option<Digest>> =
            [INSTRUCTIONS_FILE, STATUS_FILE, METADATA_FILE]
                .into_iter()
                .map(|name| (name, hash(&workspace.folder.join(name))))
                .collect();
        hashes.insert(ACCEPTANCE, hash(acceptance.unwrap_or(&own)));
        Self(hashes)
    }

    /// Only instructions and criteria.
    pub(crate) fn asked_for(&self) -> Self {
        let mut asked_for = self.clone();
        asked_for
            .0
            .retain(|name, _| matches!(*name, INSTRUCTIONS_FILE | ACCEPTANCE));
        asked_for
    }

    /// By name, in hexadecimal.
    pub(super) fn hex(&self) -> BTreeMap<String, Option<String>> {
        let hex = |digest: &Option<Digest>| digest.as_ref().map(Digest::hex);
        let hashes = self.0.iter();
        hashes
            .map(|(name, digest)| ((*name).to_owned(), hex(digest)))
            .collect()
    }

    pub(crate) fn differences(&self, later: &Self) -> Vec<String> {
        self.0
            .iter()
            .filter(|(name, hash)| later.0.get(*name) != Some(hash))
            .map(|(name, _)| (*name).to_owned())
            .collect()
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
    let report_name = report
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    // no command writes the log while the judge runs
    let ours = OWN_FILES.iter().filter(|name| **name != LOG_FILE);
    let mut changed = before.differences(&after);
    changed.retain(|path| {
        let path = workspace.project.join(path);
        if acceptance.is_some_and(|file| normal(file) == path) {
            return false;
        }
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let is_ours = path.parent() == Some(&workspace.folder)
            && (ours.clone().any(|own| name == *own)
                || (name.starts_with("iterate-")
                    && path.extension().is_some_and(|end| end == "log")));
        let is_report = path.parent() == report.parent()
            && name
                .strip_prefix(&report_name)
                .is_some_and(|rest| matches!(rest, "" | ".rejected") || rest.starts_with(".prev-"));
        !is_ours && !is_report
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
