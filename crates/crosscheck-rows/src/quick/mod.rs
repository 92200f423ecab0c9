//! `quick`: any tool-call log against a database, nothing configured.

mod decimals;
pub mod judge;
pub mod plan;
pub mod read;
pub mod report;
pub mod transcript;

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
        if let Expectation::Row(request) = &unit.expectation {
            let values = request.fields.iter().map(|(_, value)| value);
            values.for_each(|value| claimed.add(length(value)));
        }
        ask(&mut groups, &unit.expectation);
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

/// Adds what has to be looked up for a unit.
fn ask(groups: &mut Groups<RowLookup, RowLookup>, expectation: &Expectation) {
    let (table, identity, fields) = match expectation {
        Expectation::Row(request) => {
            let fields = request.fields.iter().map(|(field, _)| field).collect();
            (&request.table, &request.identity, fields)
        }
        Expectation::Related(request) => (&request.child, &request.match_eq, Vec::new()),
        Expectation::Unmapped(_) => return,
    };
    let lookup = lookup(table, identity, &fields);
    let key = identity
        .iter()
        .map(|pair| pair.value.to_str_lossy().into())
        .collect();
    groups.add(lookup.clone(), || lookup, key);
}

fn lookup(table: &TableRef, identity: &[Identity], fields: &[&Identifier]) -> RowLookup {
    let name = |name: &Identifier| name.as_str().to_owned();
    RowLookup {
        table: table.clone(),
        identity: identity.iter().map(|pair| name(&pair.column)).collect(),
        fields: fields.iter().map(|field| name(field)).collect(),
    }
}

/// What was seen of a unit.
fn seen(expectation: &Expectation, rows: &mut impl Iterator<Item = RowsSeen>) -> Option<RowsSeen> {
    let identity = match expectation {
        Expectation::Row(request) => &request.identity,
        Expectation::Related(request) => &request.match_eq,
        Expectation::Unmapped(_) => return None,
    };
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
