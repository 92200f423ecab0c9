//! Checks the claims of a SubResult.v1 against the files and pages they name.

mod check;
pub mod config;
mod error;
mod judge;
pub mod observe;
pub mod plan;
mod rate;
pub mod read;
mod reasons;
pub mod report;
mod request;
mod warning;
mod wire;

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crosscheck_judge::{Judge, JudgeSeen};

pub use error::ClaimsError;
pub use judge::ClaimStatus;
pub use rate::Rate;
pub use reasons::{ClaimReason, ClaimWarning, JudgeReason};
pub use report::{ClaimsReport, below, is_report};
pub use request::{EvidenceMode, OnUnclear, Options, QuoteLevel, Risk};
pub use warning::{Warning, Warnings};
pub use wire::VerifyReportV1;

use check::Attempts;
use judge::{Attempt, settle};
use observe::{PageStore, Pages, Policy, Privacy, Search, Store, Texts};
use plan::{Selection, Unit, select, unit};
use read::{Claim, ClaimId, Settings, Source, read_settings};

/// What a run uses besides files.
#[derive(Clone, Copy)]
pub struct World<'w> {
    /// Decides whether a text supports a claim.
    pub judge: &'w dyn Judge,
    /// Fetches pages, if that is allowed.
    pub pages: Option<&'w dyn Pages>,
    /// Searches the web, if that is configured.
    pub search: Option<&'w dyn Search>,
}

/// One checked claim.
#[derive(Debug)]
pub(crate) struct Checked<'j> {
    pub(crate) index: usize,
    pub(crate) unit_claim: Claim<'j>,
    pub(crate) status: ClaimStatus,
    /// Whether an evidence item that was tried stayed unverified.
    pub(crate) unverified: bool,
    /// Whether confinement refused some evidence.
    pub(crate) refused: bool,
    /// What was tried; empty for a passed claim that no document reports.
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) warnings: Vec<Warning>,
}

impl Checked<'_> {
    /// The name of the claim in reports, made only when needed.
    pub(crate) fn id(&self) -> ClaimId {
        self.unit_claim.id()
    }
}

/// Memory limit for what was found out about equal claims with equal evidence.
const ATTEMPTS: usize = 4 * 1024 * 1024;

/// A verifier that shares files and pages between documents.
pub struct Session<'s> {
    options: &'s Options,
    world: World<'s>,
    store: Store,
    pages: PageStore<'s>,
    texts: Texts,
    attempts: Attempts,
}

impl<'s> Session<'s> {
    /// Fixes the root and the allowed folders; fails when one cannot be used.
    pub fn new(options: &'s Options, world: World<'s>) -> Result<Self, ClaimsError> {
        let policy = Policy::new(&options.root, options.confined, &options.allow_paths)?;
        Ok(Self {
            options,
            world,
            store: Store::new(policy, options.max_file_bytes, &options.documents),
            pages: PageStore::new(world.pages),
            texts: Texts::new(),
            attempts: Attempts::new(ATTEMPTS),
        })
    }

    /// Verifies one document: read, plan, observe and judge, report.
    pub fn verify(&self, document: &[u8]) -> ClaimsReport {
        let mut warnings = Warnings::default();
        for notice in &self.options.notices {
            warnings.add("configuration", "setting_ignored", notice);
        }
        let settings = if self.options.read_settings {
            read_settings(self.store.policy.root(), &mut warnings)
        } else {
            Settings::default()
        };
        let source = match Source::parse(document) {
            Ok(source) => source,
            Err(invalid) => return ClaimsReport::invalid(&invalid, settings, warnings),
        };
        let document = match source.document(self.options.strict_schema) {
            Ok(document) => document,
            Err(invalid) => return ClaimsReport::invalid(&invalid, settings, warnings),
        };
        if self.options.details {
            source.list_deviations(&mut warnings);
        }
        let rate = self
            .options
            .sample_rate
            .as_ref()
            .unwrap_or_else(|| settings.rate(self.options.risk))
            .clone();
        let seed = match (&self.options.seed, self.options.selection) {
            (Some(seed), _) => seed.clone(),
            (None, Selection::Random | Selection::Stratified) => source.seed(),
            (None, Selection::First | Selection::All) => String::new(),
        };
        let chosen = select(&document.claims, &rate, self.options.selection, &seed);
        let checked = self.check_all(&document.claims, &chosen);
        ClaimsReport::build(
            &report::Findings {
                document: &document,
                options: self.options,
                rate: &rate,
                seed: &seed,
                checked: &checked,
                judge: JudgeSeen::of(self.world.judge),
                store: &self.store,
            },
            settings,
            warnings,
        )
    }

    /// Checks the selected claims on several threads; the results are in the
    /// order of the selection.
    fn check_all<'j>(&self, claims: &[Claim<'j>], chosen: &[usize]) -> Vec<Checked<'j>> {
        // A model is slow, so every worker takes one claim at a time; otherwise many, to touch the
        // counter less often.
        let batch = if self.world.judge.is_model() { 1 } else { 32 };
        let slots: Vec<OnceLock<Checked<'j>>> = chosen.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let from = next.fetch_add(batch, Ordering::Relaxed);
                if from >= chosen.len() {
                    break;
                }
                let to = (from + batch).min(chosen.len());
                let mine = chosen.get(from..to).unwrap_or_default();
                for (index, slot) in mine.iter().zip(slots.get(from..to).unwrap_or_default()) {
                    // A claim is parsed only now, so that few of them are in memory at once.
                    if let Some(claim) = claims.get(*index) {
                        let _ = slot.set(self.check(*index, unit(*claim, self.options.extended)));
                    }
                }
            }
        };
        let jobs = self.options.jobs.min(chosen.len().div_ceil(batch)).max(1);
        if jobs == 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 1..jobs {
                    scope.spawn(work);
                }
                work();
            });
        }
        slots.into_iter().filter_map(OnceLock::into_inner).collect()
    }

    /// Tries the evidence of one claim in check order.
    fn check<'j>(&self, index: usize, unit: Unit<'j>) -> Checked<'j> {
        let claim = unit.claim.text();
        let mut attempts = Vec::with_capacity(unit.items.len().min(8));
        for (evidence, probe, quote) in &unit.items {
            let place = evidence.place().filter(|_| self.options.hides_private);
            let privacy = place.map(|place| self.store.policy.privacy(&place));
            let mut attempt = match privacy {
                Some(Privacy::Secret) => Attempt::new(
                    evidence.index,
                    ClaimStatus::Partial,
                    ClaimReason::SecretFile,
                ),
                _ => self.attempt(&claim, evidence.index, probe, quote),
            };
            if privacy == Some(Privacy::Hidden) {
                attempt.hide_text();
            }
            let passed = attempt.status == ClaimStatus::Passed;
            attempts.push(attempt);
            if passed && self.options.evidence_mode == EvidenceMode::Any {
                break;
            }
        }
        self.concluded(index, unit, attempts)
    }

    /// The result of a claim. What no document reports is dropped, so that a
    /// run over many passing claims takes little memory.
    fn concluded<'j>(
        &self,
        index: usize,
        unit: Unit<'j>,
        mut attempts: Vec<Attempt>,
    ) -> Checked<'j> {
        let status = settle(&attempts, self.options.evidence_mode);
        let unverified = attempts
            .iter()
            .any(|one| one.status == ClaimStatus::Partial);
        let refused = attempts
            .iter()
            .any(|one| one.code == ClaimReason::OutsideRoot);
        let mut warnings = Vec::new();
        if self.options.details {
            warnings = unit.warnings;
            for attempt in &attempts {
                warnings.extend(attempt.warnings.iter().map(|(code, message)| Warning {
                    path: format!("{}.evidence[{}]", unit.claim.path(), attempt.index),
                    code,
                    message: message.clone(),
                }));
            }
        } else if status == ClaimStatus::Passed && !self.options.views {
            attempts = Vec::new();
        }
        Checked {
            index,
            unit_claim: unit.claim,
            status,
            unverified,
            refused,
            attempts,
            warnings,
        }
    }
}

/// The default number of parallel checks.
pub fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
