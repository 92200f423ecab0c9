//! From requests to outcomes: group by table and shape, look each group up in
//! batches, judge what was seen.

use std::sync::Arc;

use crosscheck_core::JsString;
use smol_str::SmolStr;

use super::judge::{self, Effect, Outcome};
use super::plan::{Request, RowRequest};
use super::reasons::ContractReason;
use crate::observe::ends::{Claimed, length};
use crate::observe::groups::Groups;
use crate::observe::source::{self, BatchError, Key, RowLookup, ScalarKind, ScalarLookup, Source};
use crate::observe::{Cell, RowsSeen};

/// The outcome of each request.
pub(crate) fn outcomes(source: &mut dyn Source, requests: &[&Request]) -> Vec<Outcome> {
    let mut looks = Looks::default();
    for request in requests {
        looks.plan(request);
    }
    let claimed = looks.claimed;
    let mut rows = looks
        .rows
        .answer(|lookup, keys| source::rows(source, lookup, keys, claimed))
        .into_iter();
    let mut scalars = looks
        .scalars
        .answer(|lookup, keys| source::scalars(source, lookup, keys))
        .into_iter();
    requests
        .iter()
        .map(|request| judged(source, request, &mut rows, &mut scalars))
        .collect()
}

type Scalar = Result<Cell, BatchError>;

#[derive(Default)]
struct Looks {
    /// By the place of the shape in memory: a shape is made only once.
    rows: Groups<usize, Arc<RowLookup>>,
    scalars: Groups<ScalarLookup, ScalarLookup>,
    claimed: Claimed,
}

impl Looks {
    fn plan(&mut self, request: &Request) {
        match request {
            Request::Row(row) => self.row(row),
            Request::Effects(effects) => effects.iter().for_each(|(_, row)| self.row(row)),
            Request::Absent(absent) => {
                self.scalar(absent.shape.clone(), key(&absent.key));
            }
            Request::Relational(checks) => {
                for (_, check) in checks {
                    self.scalar(check.shape.clone(), key(&check.key));
                }
            }
            Request::Witness(_) => {}
        }
    }

    fn row(&mut self, row: &RowRequest) {
        let key = row.key.iter().map(text).collect();
        for value in &row.values {
            self.claimed.add(length(value));
        }
        let shape = Arc::as_ptr(&row.shape).addr();
        self.rows.add(shape, || Arc::clone(&row.shape), key);
    }

    fn scalar(&mut self, lookup: ScalarLookup, key: Key) {
        self.scalars.add(lookup.clone(), || lookup, key);
    }
}

fn judged(
    source: &mut dyn Source,
    request: &Request,
    rows: &mut impl Iterator<Item = RowsSeen>,
    scalars: &mut impl Iterator<Item = Scalar>,
) -> Outcome {
    match request {
        Request::Row(row) => judged_row(source, row, rows),
        Request::Effects(effects) => judge::roll_up(
            effects
                .iter()
                .map(|(id, row)| Effect {
                    id: id.clone(),
                    outcome: judged_row(source, row, rows),
                })
                .collect(),
        ),
        Request::Absent(absent) => {
            let (seen, sample) = next(source, &absent.shape, &absent.key, scalars);
            judge::absent(absent, &seen, &sample)
        }
        Request::Relational(checks) => {
            let mut effects: Vec<Effect> = Vec::new();
            for (id, check) in checks {
                let (seen, sample) = next(source, &check.shape, &check.key, scalars);
                let outcome = judge::check(id, check, &seen, &sample);
                effects.push(Effect {
                    id: id.clone(),
                    outcome,
                });
            }
            match <[Effect; 1]>::try_from(effects) {
                Ok([single]) => single.outcome,
                Err(effects) => judge::roll_up(effects),
            }
        }
        Request::Witness(witness) => {
            let reason = if source.is_file() {
                ContractReason::StateWitnessUnavailable
            } else {
                ContractReason::ConnectorUnsupportedInScope
            };
            Outcome::unread(
                reason,
                &format!("{}: {}", witness.kind, reason.reason().meaning),
            )
        }
    }
}

fn judged_row(
    source: &mut dyn Source,
    row: &RowRequest,
    rows: &mut impl Iterator<Item = RowsSeen>,
) -> Outcome {
    let seen = rows
        .next()
        .unwrap_or_else(|| RowsSeen::Failed(BatchError::unanswered()));
    // it was asked for with a replacement character, which another row may hold
    let seen = if row.key.iter().all(is_text) {
        seen
    } else {
        RowsSeen::None
    };
    let missing = matches!(&seen, RowsSeen::One(cells) if cells.width() < row.values.len());
    let columns = if missing {
        source.columns(&row.shape.table).unwrap_or_default()
    } else {
        Vec::new()
    };
    judge::row(row, &seen, &columns)
}

/// The next scalar, and a sample of the rows it is about.
fn next(
    source: &mut dyn Source,
    shape: &ScalarLookup,
    values: &[JsString],
    scalars: &mut impl Iterator<Item = Scalar>,
) -> (Scalar, Vec<source::SampleRow>) {
    let seen = scalars.next();
    let seen = seen.unwrap_or_else(|| Err(BatchError::unanswered()));
    let seen = if values.iter().all(is_text) {
        seen
    } else {
        let text = "the key holds half of a surrogate pair, which no database holds";
        Err(BatchError::Values(text.to_owned()))
    };
    let sample = sample(source, &seen, shape, &key(values));
    (seen, sample)
}

/// A sample is for people; that it cannot be read changes no verdict.
fn sample(
    source: &mut dyn Source,
    seen: &Scalar,
    lookup: &ScalarLookup,
    key: &Key,
) -> Vec<source::SampleRow> {
    let nothing = lookup.kind != ScalarKind::Count && lookup.kind != ScalarKind::Orphans;
    let nothing = nothing
        || match seen {
            Ok(Cell::Number(count)) => *count < 1.0,
            Ok(Cell::Text(count)) => count == "0",
            Ok(_) | Err(_) => true,
        };
    if nothing {
        Vec::new()
    } else {
        let mut sample = source.sample(lookup, key).unwrap_or_default();
        let cells = sample.iter_mut().flatten();
        cells.for_each(|(_, cell)| Claimed::default().shorten(cell));
        sample
    }
}

/// No database holds half of a surrogate pair.
fn is_text(value: &JsString) -> bool {
    value.as_str().is_some()
}

fn key(values: &[JsString]) -> Key {
    values.iter().map(text).collect()
}

fn text(value: &JsString) -> SmolStr {
    value.to_str_lossy().into()
}
