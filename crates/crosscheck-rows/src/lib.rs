//! Tool calls against database rows.
//!
//! Works out which rows each tool call should have left behind, looks them up
//! read-only, and says which calls the database agrees with.

pub mod check;
pub mod error;
pub mod judge;
pub mod observe;
pub mod plan;
pub mod read;
pub mod reasons;
pub mod report;
pub mod schemas;
mod wire;

use crosscheck_core::Listener;

pub use error::RowsError;
pub use report::QuickReport;

use judge::Seen;
use observe::{RelatedSeen, RowSource, RowsSeen};
use plan::{Expectation, Identity};
use read::Log;

/// Checks a log against a database: plan, observe, judge, sum up. A log that
/// was too large to read is reported without looking at any database.
pub fn quick(
    log: &Log,
    source: &mut dyn RowSource,
    listener: &mut dyn Listener,
) -> Result<QuickReport, RowsError> {
    let catalog = source.survey()?;
    let plan = plan::units(log, &catalog);
    listener.planned(plan.units.len());

    let mut findings = Vec::with_capacity(plan.units.len());
    for unit in plan.units {
        let seen = look(source, &unit.expectation);
        let judgement = judge::unit(&unit.expectation, &seen);
        listener.judged(unit.id.as_str(), judgement.verdict);
        findings.push(report::Finding::new(unit, seen, judgement));
    }
    source.finish()?;
    let mappings = plan::explain(log, &catalog);
    Ok(QuickReport::new(log, findings, plan.capped, mappings))
}

fn look(source: &mut dyn RowSource, expectation: &Expectation) -> Seen {
    match expectation {
        Expectation::Row(request) => Seen::Rows(match source.row(request) {
            RowsSeen::One(_) | RowsSeen::Many if is_inexpressible(&request.identity) => {
                RowsSeen::None
            }
            seen => seen,
        }),
        Expectation::Related(request) => Seen::Related(match source.related(request) {
            RelatedSeen::Present if is_inexpressible(&request.match_eq) => RelatedSeen::Absent,
            seen => seen,
        }),
        Expectation::Unmapped(_) => Seen::Nothing,
    }
}

/// Half of a surrogate pair travels as U+FFFD, because no database can hold it:
/// a row that is found by that is another one.
fn is_inexpressible(identity: &[Identity]) -> bool {
    identity.iter().any(|pair| pair.value.as_str().is_none())
}
