//! Which step wrote what last. In an agent's log a row is often written more
//! than once, and the database only shows the last value (rows 9).
//!
//! Contract: check 5.

use std::collections::HashMap;

use crosscheck_core::{JsStr, JsString};

use super::{Request, RowRequest, Shapes};

/// The last writer of every row and field.
#[derive(Debug, Default)]
pub(crate) struct Owners(HashMap<Vec<u8>, RowOwners>);

/// Steps by their `seq`.
#[derive(Debug, Default)]
struct RowOwners {
    there: Option<u64>,
    gone: Option<u64>,
    fields: HashMap<String, u64>,
}

/// What is left of a step.
pub(crate) enum Left {
    /// What no later step wrote.
    Open(Request),
    /// Nothing: this step wrote all of it again.
    Superseded(Request, u64),
}

impl Owners {
    /// Takes down what a step writes; steps come in order.
    pub(crate) fn note(&mut self, seq: u64, request: &Request) {
        match request {
            Request::Row(row) => self.note_row(seq, row),
            Request::Effects(rows) => rows.iter().for_each(|(_, row)| self.note_row(seq, row)),
            // with a filter the row itself may stay
            Request::Absent(absent) if absent.filter.is_empty() => {
                let identity = absent.identity.iter();
                let identity = identity.map(|pair| (pair.column.as_str(), &pair.value));
                self.0.entry(key(&absent.table, identity)).or_default().gone = Some(seq);
            }
            Request::Absent(_) | Request::Relational(_) | Request::Witness(_) => {}
        }
    }

    fn note_row(&mut self, seq: u64, row: &RowRequest) {
        let owners = self.0.entry(key(row.table(), row.identity())).or_default();
        owners.there = Some(seq);
        let fields = row.fields();
        owners
            .fields
            .extend(fields.map(|(name, _)| (name.to_ascii_lowercase(), seq)));
    }

    /// What is left to look at after all steps.
    pub(crate) fn left(&self, seq: u64, request: Request, shapes: &mut Shapes) -> Left {
        match request {
            Request::Row(row) => match self.left_of_row(seq, &row, shapes) {
                Ok(left) => Left::Open(Request::Row(left.unwrap_or(row))),
                Err(by) => Left::Superseded(Request::Row(row), by),
            },
            Request::Effects(rows) => {
                let (mut open, mut last) = (Vec::new(), 0);
                for (id, row) in &rows {
                    match self.left_of_row(seq, row, shapes) {
                        Ok(left) => open.push((id.clone(), left.unwrap_or_else(|| row.clone()))),
                        Err(by) => last = last.max(by),
                    }
                }
                if open.is_empty() {
                    return Left::Superseded(Request::Effects(rows), last);
                }
                Left::Open(Request::Effects(open))
            }
            Request::Absent(absent) => {
                let identity = absent.identity.iter();
                let identity = identity.map(|pair| (pair.column.as_str(), &pair.value));
                let owners = self.0.get(&key(&absent.table, identity));
                match owners
                    .and_then(|owners| owners.there)
                    .filter(|by| *by > seq)
                {
                    Some(by) => Left::Superseded(Request::Absent(absent), by),
                    None => Left::Open(Request::Absent(absent)),
                }
            }
            Request::Relational(_) | Request::Witness(_) => Left::Open(request),
        }
    }

    /// The row with the fields that are left, if some are not; the step that
    /// replaced all of it as error.
    fn left_of_row(
        &self,
        seq: u64,
        row: &RowRequest,
        shapes: &mut Shapes,
    ) -> Result<Option<RowRequest>, u64> {
        let Some(owners) = self.0.get(&key(row.table(), row.identity())) else {
            return Ok(None);
        };
        if let Some(by) = owners.gone.filter(|by| *by > seq) {
            return Err(by);
        }
        let owner = |name: &str| {
            let last = owners.fields.get(&name.to_ascii_lowercase());
            last.copied().unwrap_or(seq)
        };
        let kept: Vec<_> = row
            .fields()
            .filter(|(name, _)| owner(name) <= seq)
            .collect();
        if kept.len() == row.values.len() {
            return Ok(None);
        }
        if kept.is_empty() {
            let last = row.fields().map(|(name, _)| owner(name)).max();
            return Err(last.unwrap_or(seq));
        }
        let identity: Vec<_> = row.identity().collect();
        Ok(Some(RowRequest {
            shape: shapes.of(row.table(), &identity, &kept),
            key: row.key.clone(),
            values: kept.into_iter().map(|(_, value)| value.clone()).collect(),
        }))
    }
}

/// Table, columns and values, each with its length: no two rows share a key.
fn key<'k>(table: &str, identity: impl Iterator<Item = (&'k str, &'k JsString)>) -> Vec<u8> {
    let mut key = Vec::new();
    let mut add = |part: JsStr<'_>| {
        key.extend_from_slice(&(part.bytes().len() as u64).to_le_bytes());
        key.extend_from_slice(part.bytes());
    };
    add(table.into());
    for (column, value) in identity {
        add(column.into());
        add(value.as_js());
    }
    key
}

#[cfg(test)]
mod tests {
    use crosscheck_core::json::Scalar;

    use super::*;
    use crate::check::plan::{AbsentRequest, Pair};

    fn row(id: &str, fields: &[&str]) -> Request {
        let fields: Vec<(&str, ())> = fields.iter().map(|name| (*name, ())).collect();
        Request::Row(RowRequest {
            shape: Shapes::default().of("orders", &[("id", ())], &fields),
            key: [JsString::from(id)].into_iter().collect(),
            values: vec![Scalar::Null; fields.len()],
        })
    }

    fn gone(id: &str, filter: &[&str]) -> Request {
        let pair = |column: &str, value: &str| Pair {
            column: column.to_owned(),
            value: value.into(),
        };
        Request::Absent(AbsentRequest {
            table: "orders".to_owned(),
            identity: vec![pair("id", id)],
            filter: filter.iter().map(|column| pair(column, "x")).collect(),
        })
    }

    /// What is left of each step: its fields, or the step that replaced it.
    fn left(steps: &[Request]) -> Vec<String> {
        let mut owners = Owners::default();
        for (seq, request) in (0..).zip(steps) {
            owners.note(seq, request);
        }
        let shown = |(seq, request): (u64, &Request)| match owners.left(
            seq,
            request.clone(),
            &mut Shapes::default(),
        ) {
            Left::Superseded(_, by) => format!("by {by}"),
            Left::Open(Request::Row(row)) => row.shape.fields.join(" "),
            Left::Open(Request::Effects(rows)) => format!("{} rows", rows.len()),
            Left::Open(_) => "open".to_owned(),
        };
        (0..).zip(steps).map(shown).collect()
    }

    #[test]
    fn the_last_write_owns_a_field_and_a_deletion_the_row() {
        let table: [(&[Request], &[&str]); 7] = [
            (
                &[row("1", &["a", "b"]), row("2", &["a", "b"])],
                &["a b", "a b"],
            ),
            (&[row("1", &["a", "b"]), row("1", &["B"])], &["a", "B"]),
            (
                &[row("1", &["a"]), row("1", &["a"]), row("1", &["a"])],
                &["by 2", "by 2", "a"],
            ),
            (&[row("1", &[]), row("1", &["a"])], &["", "a"]),
            (&[row("1", &["a"]), gone("1", &[])], &["by 1", "open"]),
            (&[row("1", &["a"]), gone("1", &["state"])], &["a", "open"]),
            (
                &[row("1", &["a", "b"]), gone("1", &[]), row("1", &["a"])],
                &["by 1", "by 2", "a"],
            ),
        ];
        for (steps, expected) in table {
            assert_eq!(left(steps), expected);
        }
    }

    #[test]
    fn of_several_rows_those_stay_that_nothing_replaced() {
        let (Request::Row(one), Request::Row(two)) = (row("1", &["a"]), row("2", &["a"])) else {
            panic!("rows");
        };
        let both = Request::Effects(vec![("x".into(), one), ("y".into(), two)]);
        assert_eq!(left(&[both.clone(), row("1", &["a"])]), ["1 rows", "a"]);
        let after = [both, row("1", &["a"]), row("2", &["a"])];
        assert_eq!(left(&after), ["by 2", "a", "a"]);
    }
}
