//! Does the evidence agree with the statement? What is read of logs and files
//! comes in through `Ground`.

mod action;
pub mod findings;
mod git;
pub mod policy;
mod run;
mod runs;
mod steer;
mod tried;
mod verdict;

pub use verdict::settle;

use crosscheck_core::Verdict;

use crate::config::Settings;
use crate::kind::{Claim, ClaimKind, Scope};
use crate::observe::layout::Disk;
use crate::observe::outputs::Logs;
use crate::opinion::{Opinion, Source, Trace};
use crate::place::Places;
use crate::read::session::{Edit, Session};
use crate::reasons::DoneReason;
use crate::relevance::Relevance;
use crate::runner::Table;

/// Everything that decides what a session shows.
pub struct Ground<'g> {
    /// The session; `None` in text mode.
    pub session: Option<&'g Session>,
    /// The table of runners.
    pub table: &'g Table,
    /// The folders.
    pub places: &'g Places,
    /// What matters.
    pub relevance: &'g Relevance<'g>,
    /// The settings.
    pub settings: &'g Settings,
    /// Texts that stay in the log until they are asked for.
    pub outputs: &'g Logs,
    /// What is known of the layout of the project.
    pub layout: &'g Disk<'g>,
    /// Commands that the harness says are still running.
    pub running: &'g [String],
    /// What edits were seen to do.
    pub seen: &'g findings::Seen,
}

/// What the session shows about a claim.
pub fn transcript(claim: &Claim, ground: &Ground<'_>) -> Opinion {
    let Some(session) = ground.session else {
        return unproven(DoneReason::NoTranscript);
    };
    match claim.kind {
        ClaimKind::TestsPass
        | ClaimKind::BuildOk
        | ClaimKind::LintClean
        | ClaimKind::TypesClean
        | ClaimKind::Deployed => runs::judge(claim, session, ground),
        ClaimKind::ChecksPass => runs::checks(claim, session, ground),
        // what was looked at in a browser, no run of the tests has seen
        ClaimKind::Verified if !claim.subject.is_empty() => action::judge(claim, session),
        ClaimKind::Verified | ClaimKind::Fixed => tried::tried(claim, session, ground),
        ClaimKind::Ran => tried::ran(claim, session, ground),
        ClaimKind::Count => runs::count(claim, session, ground),
        ClaimKind::Committed | ClaimKind::Pushed => git::judge(claim, session, ground),
        ClaimKind::FileCreated | ClaimKind::FileModified | ClaimKind::FileDeleted => {
            git::file(claim, session, ground)
        }
        ClaimKind::SymbolAdded
        | ClaimKind::SymbolRemoved
        | ClaimKind::EnvSet
        | ClaimKind::EndpointWorks => unproven(DoneReason::NoProbe),
        ClaimKind::RowWritten | ClaimKind::MigrationApplied => unproven(DoneReason::NoRowsCheck),
        ClaimKind::Action => action::judge(claim, session),
        ClaimKind::Complete => unproven(DoneReason::NotRequired),
        ClaimKind::Done => runs::done(session, ground),
    }
}

fn confirmed(reason: DoneReason) -> Opinion {
    Opinion::new(Verdict::Confirmed, reason, Source::Transcript)
}

fn refuted(reason: DoneReason) -> Opinion {
    Opinion::new(Verdict::Refuted, reason, Source::Transcript)
}

fn unproven(reason: DoneReason) -> Opinion {
    Opinion::undecided(reason, Source::Transcript)
}

/// A change of a file, as evidence.
fn edited(edit: &Edit, ground: &Ground<'_>) -> Trace {
    Trace::Edit {
        step: edit.order.line,
        path: ground.places.shown(&edit.path),
    }
}

/// Whether a statement counts: what is said of one test does only where a run
/// tells of it, a commit that is only named where git or the log knows it.
pub fn counts(claim: &Claim, opinion: &Opinion) -> bool {
    let is_one = matches!(&claim.scope, Scope::Name(name) if *name == claim.subject);
    let kinds = [ClaimKind::TestsPass, ClaimKind::Committed];
    !(is_one && kinds.contains(&claim.kind) && opinion.verdict == Verdict::Undecided)
}

/// The verdict of all claims together.
pub fn roll_up(opinions: &[Opinion]) -> Option<Verdict> {
    opinions.iter().map(|opinion| opinion.verdict).max()
}
