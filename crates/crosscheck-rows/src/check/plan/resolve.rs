//! Registry entry and parameters become a request; the first failure wins.

use std::collections::{HashMap, HashSet};

use crosscheck_core::JsString;
use crosscheck_core::json::{Node, Scalar, Value};

use super::{AbsentRequest, Check, Expect, Pair, Request, RowRequest, Witness};
use crate::check::read::{
    CheckSpec, ExpectSpec, PairSpec, RowSpec, Spec, Verification, WitnessSpec,
};
use crate::check::reasons::ContractReason;
use crate::plan::pointer::{is_plain_name, resolve_pointer};

/// Why an entry and parameters do not make a request.
#[derive(Debug, Clone)]
pub(crate) struct Unresolved {
    pub(crate) code: ContractReason,
    pub(crate) message: String,
}

type Resolved<T> = Result<T, Unresolved>;

/// The request of a step.
pub(crate) fn request(verification: &Verification, params: Node<'_>) -> Resolved<Request> {
    let at = Place {
        params,
        prefix: String::new(),
    };
    match verification {
        Verification::Row(spec) => at.row(spec).map(Request::Row),
        Verification::Absent {
            table,
            identity,
            filter,
        } => at.absent(table, identity, filter).map(Request::Absent),
        Verification::Effects(effects) => {
            distinct(effects.iter().map(|(id, _)| id), "effects")?;
            let mut rows = Vec::new();
            for (id, spec) in effects {
                rows.push((id.clone(), at.inside("effects", id).row(spec)?));
            }
            rows.sort_by(|a, b| a.0.cmp(&b.0));
            Ok(Request::Effects(rows))
        }
        Verification::Relational(specs) => {
            distinct(specs.iter().map(|(id, _)| id), "checks")?;
            let mut checks = Vec::new();
            for (id, spec) in specs {
                checks.push((id.clone(), at.inside("checks", id).check(spec)?));
            }
            checks.sort_by(|a, b| a.0.cmp(&b.0));
            Ok(Request::Relational(checks))
        }
        Verification::Witness(spec) => at.witness(spec).map(Request::Witness),
    }
}

fn distinct<'s>(ids: impl Iterator<Item = &'s JsString>, list: &str) -> Resolved<()> {
    let mut seen = HashSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(Unresolved {
                code: ContractReason::DuplicateEffectId,
                message: format!("{list}[{id}].id stands twice in the registry entry"),
            });
        }
    }
    Ok(())
}

struct Place<'p> {
    params: Node<'p>,
    prefix: String,
}

impl<'p> Place<'p> {
    fn inside(&self, list: &str, id: &JsString) -> Self {
        Self {
            params: self.params,
            prefix: format!("{list}[{id}]."),
        }
    }

    fn fail<T>(&self, code: ContractReason, part: &str, what: &str) -> Resolved<T> {
        Err(Unresolved {
            code,
            message: format!("{}{part}: {what}", self.prefix),
        })
    }

    fn at(&self, pointer: &JsString) -> Option<Node<'p>> {
        resolve_pointer(self.params, pointer.as_js())
    }

    fn row(&self, spec: &RowSpec) -> Resolved<RowRequest> {
        let table = self.table(&spec.table, "table")?;
        let identity = self.sorted_pairs(&spec.identity, "identityEq")?;
        Ok(RowRequest {
            table,
            identity,
            fields: self.fields(&spec.fields)?,
        })
    }

    fn absent(
        &self,
        table: &Spec<JsString>,
        identity: &[PairSpec],
        filter: &[PairSpec],
    ) -> Resolved<AbsentRequest> {
        let table = self.table(table, "table")?;
        let identity = self.sorted_pairs(identity, "identityEq")?;
        let mut pairs = Vec::new();
        for (at, spec) in filter.iter().enumerate() {
            let part = format!("filterEq[{at}]");
            let column = self.column(&spec.column, &format!("{part}.column"))?;
            if identity.iter().any(|pair| pair.column == column) {
                return self.fail(
                    ContractReason::FilterEqOverlapsIdentity,
                    &format!("{part}.column"),
                    &format!("`{column}` is an identity column already"),
                );
            }
            let value = self.value(&spec.value, &format!("{part}.value"))?;
            pairs.push(Pair { column, value });
        }
        self.no_repeats(&mut pairs, "filterEq")?;
        Ok(AbsentRequest {
            table,
            identity,
            filter: pairs,
        })
    }

    fn check(&self, spec: &CheckSpec) -> Resolved<Check> {
        Ok(match spec {
            CheckSpec::Exists { table, match_eq } => Check::Exists {
                table: self.table(table, "childTable")?,
                match_eq: self.sorted_pairs(match_eq, "matchEq")?,
            },
            CheckSpec::Aggregate {
                table,
                sum,
                where_eq,
                expect,
            } => {
                let table = self.table(table, "table")?;
                let sum = match sum {
                    None => None,
                    Some(Some(column)) => Some(self.column(column, "sumColumn")?),
                    Some(None) => {
                        return self.fail(
                            ContractReason::RelationalSumColumnRequired,
                            "sumColumn",
                            "a SUM needs the column it adds up",
                        );
                    }
                };
                Check::Aggregate {
                    table,
                    sum,
                    where_eq: self.pairs(where_eq, "whereEq")?,
                    expect: self.expect(expect)?,
                }
            }
            CheckSpec::JoinCount {
                left,
                right,
                left_column,
                right_column,
                where_eq,
                expect,
            } => {
                let left = self.table(left, "leftTable")?;
                let right = self.table(right, "rightTable")?;
                let left_column = self.column(left_column, "join.leftColumn")?;
                let right_column = self.column(right_column, "join.rightColumn")?;
                let mut conditions = Vec::new();
                for (at, (is_left, spec)) in where_eq.iter().enumerate() {
                    conditions.push((*is_left, self.pair(spec, &format!("whereEq[{at}]"))?));
                }
                let expect = self.expect(expect)?;
                Check::JoinCount {
                    left,
                    right,
                    left_column,
                    right_column,
                    where_eq: conditions,
                    expect,
                }
            }
            CheckSpec::AntiJoin {
                anchor,
                lookup,
                anchor_column,
                lookup_column,
                presence,
                anchor_filter,
                lookup_filter,
            } => Check::AntiJoin {
                anchor: self.table(anchor, "anchorTable")?,
                lookup: self.table(lookup, "lookupTable")?,
                anchor_column: self.column(anchor_column, "anchorColumn")?,
                lookup_column: self.column(lookup_column, "lookupColumn")?,
                presence: self.column(presence, "lookupPresenceColumn")?,
                anchor_filter: self.sorted_pairs(anchor_filter, "filterEqAnchor")?,
                lookup_filter: self.sorted_pairs(lookup_filter, "filterEqLookup")?,
            },
        })
    }

    fn witness(&self, spec: &WitnessSpec) -> Resolved<Witness> {
        let mut parts = Vec::new();
        for (name, value) in &spec.parts {
            parts.push((*name, self.string(value, name)?));
        }
        let status = match &spec.status {
            None => None,
            Some(Spec::Const(number)) => Some(*number),
            Some(Spec::Pointer(pointer)) => match self.at(pointer).and_then(Node::as_f64) {
                Some(number) => Some(number),
                None => {
                    return self.fail(
                        ContractReason::RelationalExpectValueInvalid,
                        "expectedStatus",
                        &format!("no number at {pointer}"),
                    );
                }
            },
        };
        Ok(Witness {
            kind: spec.kind,
            parts,
            method: spec.method,
            status,
        })
    }

    fn table(&self, spec: &Spec<JsString>, part: &str) -> Resolved<String> {
        let name = match spec {
            Spec::Const(name) => name.clone(),
            Spec::Pointer(pointer) => match self.at(pointer).and_then(Node::as_js) {
                Some(name) if !name.is_empty() => name.to_owned(),
                _ => {
                    return self.fail(
                        ContractReason::TablePointerInvalid,
                        part,
                        &format!("no table name at {pointer}"),
                    );
                }
            },
        };
        self.identifier(&name, part)
    }

    fn column(&self, spec: &Spec<JsString>, part: &str) -> Resolved<String> {
        let name = self.string(spec, part)?;
        self.identifier(&name, part)
    }

    fn string(&self, spec: &Spec<JsString>, part: &str) -> Resolved<JsString> {
        let pointer = match spec {
            Spec::Const(text) if text.is_empty() => {
                return self.fail(
                    ContractReason::ConstStringEmpty,
                    part,
                    "the constant is empty",
                );
            }
            Spec::Const(text) => return Ok(text.clone()),
            Spec::Pointer(pointer) => pointer,
        };
        match self.at(pointer).map(Node::value) {
            None | Some(Value::Null) => self.fail(
                ContractReason::StringSpecPointerMissing,
                part,
                &format!("nothing at {pointer}"),
            ),
            Some(Value::String(text)) if text.is_empty() => self.fail(
                ContractReason::StringSpecEmpty,
                part,
                &format!("empty text at {pointer}"),
            ),
            Some(Value::String(text)) => Ok(text.to_owned()),
            Some(_) => self.fail(
                ContractReason::StringSpecType,
                part,
                &format!("no text at {pointer}"),
            ),
        }
    }

    fn identifier(&self, name: &JsString, part: &str) -> Resolved<String> {
        match name.as_str().filter(|name| is_plain_name(name)) {
            Some(name) => Ok(name.to_owned()),
            None => self.fail(
                ContractReason::InvalidIdentifier,
                part,
                &format!("`{name}` is not a plain identifier"),
            ),
        }
    }

    fn pair(&self, spec: &PairSpec, part: &str) -> Resolved<Pair> {
        let column = self.column(&spec.column, &format!("{part}.column"))?;
        let value = self.value(&spec.value, &format!("{part}.value"))?;
        Ok(Pair { column, value })
    }

    fn pairs(&self, specs: &[PairSpec], list: &str) -> Resolved<Vec<Pair>> {
        specs
            .iter()
            .enumerate()
            .map(|(at, spec)| self.pair(spec, &format!("{list}[{at}]")))
            .collect()
    }

    fn sorted_pairs(&self, specs: &[PairSpec], list: &str) -> Resolved<Vec<Pair>> {
        let mut pairs = self.pairs(specs, list)?;
        self.no_repeats(&mut pairs, list)?;
        Ok(pairs)
    }

    /// Sorts by column; plain identifiers are ASCII, so that bytes are UTF-16 order.
    fn no_repeats(&self, pairs: &mut [Pair], list: &str) -> Resolved<()> {
        pairs.sort_by(|a, b| a.column.cmp(&b.column));
        match pairs
            .windows(2)
            .find(|two| matches!(two, [a, b] if a.column == b.column))
        {
            Some([a, ..]) => self.fail(
                ContractReason::EqualityDuplicateColumn,
                list,
                &format!("the column `{}` stands twice", a.column),
            ),
            _ => Ok(()),
        }
    }

    fn value(&self, spec: &Spec<Scalar>, part: &str) -> Resolved<JsString> {
        let pointer = match spec {
            Spec::Const(value) => return Ok(value.text()),
            Spec::Pointer(pointer) => pointer,
        };
        match self
            .at(pointer)
            .map(|node| (node.is_null(), Scalar::of(node)))
        {
            None | Some((true, _)) => self.fail(
                ContractReason::KeyValuePointerMissing,
                part,
                &format!("nothing at {pointer}"),
            ),
            Some((_, Some(value))) => Ok(value.text()),
            Some((_, None)) => self.fail(
                ContractReason::KeyValueNotScalar,
                part,
                &format!("an object or array at {pointer}"),
            ),
        }
    }

    fn expect(&self, spec: &ExpectSpec) -> Resolved<Expect> {
        let value = match &spec.value {
            Spec::Const(number) => Some(*number),
            Spec::Pointer(pointer) => self.at(pointer).and_then(Node::as_f64),
        };
        match value.filter(|number| number.is_finite()) {
            Some(value) => Ok(Expect { op: spec.op, value }),
            None => self.fail(
                ContractReason::RelationalExpectValueInvalid,
                "expect.value",
                "not a finite JSON number",
            ),
        }
    }

    fn fields(&self, pointer: &JsString) -> Resolved<Vec<(String, Scalar)>> {
        let members = match self.at(pointer).map(Node::value) {
            None | Some(Value::Null) => {
                return self.fail(
                    ContractReason::RequiredFieldsPointerMissing,
                    "requiredFields",
                    &format!("nothing at {pointer}"),
                );
            }
            Some(Value::Object(members)) => members,
            Some(_) => {
                return self.fail(
                    ContractReason::RequiredFieldsNotObject,
                    "requiredFields",
                    &format!("no object at {pointer}"),
                );
            }
        };
        // of a repeated key the last value counts, at the place of the first
        let last: HashMap<&[u8], Node<'_>> =
            members.map(|(key, value)| (key.bytes(), value)).collect();
        let mut seen = HashSet::new();
        let mut fields: Vec<(String, Scalar)> = Vec::new();
        for (key, _) in members.filter(|(key, _)| seen.insert(key.bytes())) {
            let part = format!("requiredFields.{key}");
            let name = self.identifier(&key.to_owned(), &part)?;
            match last.get(key.bytes()).copied().and_then(Scalar::of) {
                Some(value) => fields.push((name, value)),
                None => {
                    return self.fail(
                        ContractReason::RequiredFieldsValueNotScalar,
                        &part,
                        &format!("an object or array at {pointer}/{key}"),
                    );
                }
            }
        }
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(fields)
    }
}
