//! `quick`: any tool-call log against a database, nothing configured.

mod decimals;
pub mod judge;
pub mod plan;
pub mod read;
pub mod report;
pub mod transcript;

use crosscheck_core::json::Scalar;
use crosscheck_core::{Event, Listener};

pub use report::QuickReport;

use crate::error::RowsError;
use crate::observe::ends::{Claimed, length};
use crate::observe::groups::Groups;
use crate::observe::source::{self, BatchError, RowLookup};
use crate::observe::{Identifier, RowsSeen, Scope, Source, TableRef};
use plan::{Expectation, Identity};
use read::Log;

/// Checks a log against a database: plan, observe, judge, sum up. A log that
/// was too large to read is reported without looking at any database.
pub fn run(
    log: &Log,
    source: &mut dyn Source,
    listener: &mut dyn Listener,
) -> Result<QuickReport, RowsError> {
    let catalog = source.survey(Scope::Contract)?;
    let plan = plan::units(log, &catalog);
    listener.hear(Event::Planned(plan.units.len()));

    let mut groups = Groups::default();
    let mut claimed = Claimed::default();
    for unit in &plan.units {
        if let Some((table, identity, fields)) = unit.expectation.looked_up() {
            for (_, value) in fields {
                claimed.add(length(value));
            }
            let key = identity.iter().map(|pair| pair.value.to_str_lossy().into());
            let lookup = lookup(table, identity, fields);
            groups.add(lookup.clone(), || lookup, key.collect());
        }
    }
    let mut rows = groups
        .answer(|lookup, keys| source::rows(source, lookup, keys, claimed))
        .into_iter();
    let mut findings = Vec::with_capacity(plan.units.len());
    for unit in plan.units {
        let seen = seen(&unit.expectation, &mut rows);
        let judgement = judge::unit(&unit.expectation, seen.as_ref());
        listener.hear(Event::Judged {
            unit: unit.id.as_str(),
            verdict: judgement.verdict,
            text: &[],
        });
        findings.push(report::Finding::new(unit, seen, judgement));
    }
    source.close()?;
    Ok(QuickReport::new(log, catalog, findings, plan.capped))
}

fn lookup(table: &TableRef, identity: &[Identity], fields: &[(Identifier, Scalar)]) -> RowLookup {
    let name = |name: &Identifier| name.as_str().to_owned();
    RowLookup {
        table: table.clone(),
        identity: identity.iter().map(|pair| name(&pair.column)).collect(),
        fields: fields.iter().map(|(field, _)| name(field)).collect(),
    }
}

/// What was seen of a unit.
fn seen(expectation: &Expectation, rows: &mut impl Iterator<Item = RowsSeen>) -> Option<RowsSeen> {
    let (_, identity, _) = expectation.looked_up()?;
    Some(match rows.next() {
        Some(RowsSeen::One(_) | RowsSeen::Many(_)) if is_inexpressible(identity) => RowsSeen::None,
        Some(seen) => seen,
        None => RowsSeen::Failed(BatchError::unanswered()),
    })
}

/// Half of a surrogate pair travels as U+FFFD, because no database can hold it:
/// a row that is found by that is another one.
fn is_inexpressible(identity: &[Identity]) -> bool {
    identity.iter().any(|pair| pair.value.as_str().is_none())
}
