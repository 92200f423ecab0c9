//! Registry entry and parameters become a request; the first failure wins.
//!
//! Contract: check 4.

mod again;
mod values;

use std::collections::HashSet;
use std::fmt::Display;

use crosscheck_core::JsString;
use crosscheck_core::canonical;
use crosscheck_core::json::Node;

use super::{AbsentRequest, Check, Request, RowRequest, Shapes, Witness};
use crate::check::read::{CheckSpec, PairSpec, RowSpec, Spec, Verification, WitnessSpec};
use crate::check::reasons::ContractReason;
use crate::plan::lookup::{ScalarKind, ScalarLookup};
use crate::read::pointer::resolve_pointer;
use values::values;

/// Why an entry and parameters do not make a request.
#[derive(Debug, Clone)]
pub(crate) struct Unresolved {
    pub(crate) code: ContractReason,
    pub(crate) message: String,
}

type Resolved<T> = Result<T, Unresolved>;

/// The request of a step.
pub(crate) fn request(
    verification: &Verification,
    params: Node<'_>,
    shapes: &mut Shapes,
) -> Resolved<Request> {
    let at = Place {
        params,
        within: None,
    };
    match verification {
        Verification::Row(spec) => at.row(spec, shapes).map(Request::Row),
        Verification::Absent {
            table,
            identity,
            filter,
        } => at.absent(table, identity, filter).map(Request::Absent),
        Verification::Effects(effects) => at
            .by_id(effects, "effects", |at, spec| at.row(spec, shapes))
            .map(Request::Effects),
        Verification::Relational(specs) => at
            .by_id(specs, "checks", Place::check)
            .map(Request::Relational),
        Verification::Witness(spec) => at.witness(spec).map(Request::Witness),
    }
}

/// The call, and the part of the entry that is being resolved. Names of
/// parts are put together only when something is wrong with them.
#[derive(Clone, Copy)]
struct Place<'p> {
    params: Node<'p>,
    /// A list of the entry, and the id of an element.
    within: Option<(&'p str, &'p JsString)>,
}

impl<'p> Place<'p> {
    /// The parts of a list, by id. Ids are looked at on the way, so that an
    /// earlier failure comes first.
    fn by_id<S, T>(
        &self,
        specs: &'p [(JsString, S)],
        list: &'p str,
        mut make: impl FnMut(&Self, &'p S) -> Resolved<T>,
    ) -> Resolved<Vec<(JsString, T)>> {
        let mut seen = HashSet::new();
        let mut parts = Vec::new();
        for (id, spec) in specs {
            if !seen.insert(id) {
                return Err(Unresolved {
                    code: ContractReason::DuplicateEffectId,
                    message: format!("{list}[{id}].id occurs twice in the registry entry"),
                });
            }
            let within = Some((list, id));
            parts.push((id.clone(), make(&Self { within, ..*self }, spec)?));
        }
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(parts)
    }

    fn fail<T>(&self, code: ContractReason, part: impl Display, what: &str) -> Resolved<T> {
        let message = match self.within {
            Some((list, id)) => format!("{list}[{id}].{part}: {what}"),
            None => format!("{part}: {what}"),
        };
        Err(Unresolved { code, message })
    }

    fn at(&self, pointer: &JsString) -> Option<Node<'p>> {
        resolve_pointer(self.params, pointer.as_js())
    }

    fn resolve_row(&self, spec: &RowSpec, shapes: &mut Shapes) -> Resolved<RowRequest> {
        let table = self.table(&spec.table, "table")?;
        let identity = self.named(&spec.identity, "identityEq")?;
        let identity = self.sorted(identity, "identityEq")?;
        let fields = self.fields(&spec.fields)?;
        Ok(RowRequest {
            shape: shapes.of(table, &identity, &fields),
            key: values(identity).into(),
            values: values(fields),
        })
    }

    fn absent(
        &self,
        table: &Spec<JsString>,
        identity: &[PairSpec],
        filter: &[PairSpec],
    ) -> Resolved<AbsentRequest> {
        let table = self.table(table, "table")?;
        let identity = self.named(identity, "identityEq")?;
        let mut all = self.sorted(identity, "identityEq")?;
        let identities = all.len();
        let mut named = Vec::new();
        for (at, spec) in filter.iter().enumerate() {
            let part = format_args!("filterEq[{at}].column");
            let column = self.column(&spec.column, part)?;
            if all.iter().any(|(known, _)| *known == column) {
                return self.fail(
                    ContractReason::FilterEqOverlapsIdentity,
                    part,
                    &format!("`{column}` is an identity column already"),
                );
            }
            let value = self.value(&spec.value, format_args!("filterEq[{at}].value"))?;
            named.push((column, value));
        }
        all.extend(self.sorted(named, "filterEq")?);
        let columns: Vec<&str> = all.iter().map(|(column, _)| *column).collect();
        Ok(AbsentRequest {
            shape: ScalarLookup::of_one(ScalarKind::Count, table, &[], &columns),
            key: values(all),
            identities,
        })
    }

    fn check(&self, spec: &CheckSpec) -> Resolved<Check> {
        let relation = spec.relation;
        let mut tables = Vec::new();
        for (table, part) in spec.tables.iter().zip(relation.tables) {
            tables.push(self.table(table, part)?.into());
        }
        let mut columns = Vec::new();
        for (column, (part, _)) in spec.columns.iter().zip(relation.columns) {
            let Some(column) = column else {
                let what = "a SUM needs the column it adds up";
                return self.fail(ContractReason::RelationalSumColumnRequired, part, what);
            };
            columns.push(self.column(column, part)?.to_owned());
        }
        // the values of all lists come before columns that come twice in one
        let mut lists = Vec::new();
        for (list, (part, ..)) in spec.lists.iter().zip(relation.lists) {
            let mut named = Vec::new();
            for (at, (side, pair)) in list.iter().enumerate() {
                let (column, value) = self.pair(pair, format_args!("{part}[{at}]"))?;
                named.push((*side, (column, value)));
            }
            lists.push(named);
        }
        let (mut conditions, mut key) = (Vec::new(), Vec::new());
        for (mut list, (part, _, is_sorted)) in lists.into_iter().zip(relation.lists) {
            if *is_sorted {
                let side = list.first().map_or(0, |(side, _)| *side);
                let named = list.into_iter().map(|(_, named)| named).collect();
                let sorted = self.sorted(named, part)?;
                list = sorted.into_iter().map(|named| (side, named)).collect();
            }
            for (side, (column, value)) in list {
                conditions.push((side, column.to_owned()));
                key.push(value);
            }
        }
        Ok(Check {
            relation,
            shape: ScalarLookup {
                kind: relation.kind,
                tables,
                columns,
                conditions,
            },
            key,
            expect: match &spec.expect {
                Some(expect) => Some(self.expect(expect)?),
                None => None,
            },
        })
    }

    fn witness(&self, spec: &WitnessSpec) -> Resolved<Witness> {
        let mut parts = Vec::new();
        for (name, value) in &spec.parts {
            parts.push((*name, self.string(value, name)?.to_owned()));
        }
        let mut objects = Vec::new();
        for (name, pointer) in &spec.objects {
            objects.push((*name, self.object(pointer, name)?));
        }
        Ok(Witness {
            kind: spec.kind,
            parts,
            method: spec.method,
            status: self.status(spec.status.as_ref())?,
            objects,
        })
    }

    fn status(&self, spec: Option<&Spec<f64>>) -> Resolved<Option<f64>> {
        let fail = |code, what: &str| self.fail(code, "expectedStatus", what);
        let status = match spec {
            None => return Ok(None),
            Some(Spec::Const(number)) => *number,
            Some(Spec::Pointer(pointer)) => {
                let Some(node) = self.at(pointer).filter(|node| !node.is_null()) else {
                    let what = format!("nothing at {pointer}");
                    return fail(ContractReason::KeyValuePointerMissing, &what);
                };
                let Some(number) = node.as_f64() else {
                    let what = format!("no number at {pointer}");
                    return fail(ContractReason::KeyValueNotScalar, &what);
                };
                number
            }
        };
        if status.fract() == 0.0 && (100.0..=599.0).contains(&status) {
            return Ok(Some(status));
        }
        fail(
            ContractReason::KeyValueSpecInvalid,
            "an HTTP status is a whole number from 100 to 599",
        )
    }

    /// An object of the parameters, as it is.
    fn object(&self, pointer: &JsString, part: &str) -> Resolved<Object> {
        self.members(pointer, part)?;
        let text = self.at(pointer).map(canonical::of_node);
        // it is only shown: what serde cannot hold is left out
        Ok(serde_json::from_str(&text.unwrap_or_default()).unwrap_or_default())
    }
}

type Object = serde_json::Map<String, serde_json::Value>;

#[cfg(test)]
mod tests;
