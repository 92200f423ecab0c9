//! Names and values that an entry asks for, out of what a call holds.

use std::collections::HashMap;
use std::fmt::Display;

use crosscheck_core::json::{Members, Node, Scalar, Value};
use crosscheck_core::{JsStr, JsString};

use super::{Place, Resolved};
use crate::check::plan::Expect;
use crate::check::read::{ExpectSpec, PairSpec, Spec};
use crate::check::reasons::ContractReason;
use crate::quick::plan::names::is_plain_name;

/// Up to so many keys of an object are compared one by one.
const FEW: usize = 16;

impl<'p> Place<'p> {
    pub(super) fn table<'a>(&self, spec: &'a Spec<JsString>, part: &str) -> Resolved<&'a str>
    where
        'p: 'a,
    {
        let name = match spec {
            Spec::Const(name) => name.as_js(),
            Spec::Pointer(pointer) => match self.at(pointer).and_then(Node::as_js) {
                Some(name) if !name.is_empty() => name,
                _ => {
                    return self.fail(
                        ContractReason::TablePointerInvalid,
                        part,
                        &format!("no table name at {pointer}"),
                    );
                }
            },
        };
        self.identifier(name, spec.pointer(), part)
    }

    pub(super) fn column<'a>(
        &self,
        spec: &'a Spec<JsString>,
        part: impl Display,
    ) -> Resolved<&'a str>
    where
        'p: 'a,
    {
        let name = self.string(spec, &part)?;
        self.identifier(name, spec.pointer(), part)
    }

    pub(super) fn string<'a>(
        &self,
        spec: &'a Spec<JsString>,
        part: impl Display,
    ) -> Resolved<JsStr<'a>>
    where
        'p: 'a,
    {
        let pointer = match spec {
            Spec::Const(text) if text.is_empty() => {
                return self.fail(
                    ContractReason::ConstStringEmpty,
                    part,
                    "the constant is empty",
                );
            }
            Spec::Const(text) => return Ok(text.as_js()),
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
            Some(Value::String(text)) => Ok(text),
            Some(_) => self.fail(
                ContractReason::StringSpecType,
                part,
                &format!("no text at {pointer}"),
            ),
        }
    }

    pub(super) fn identifier<'a>(
        &self,
        name: JsStr<'a>,
        pointer: Option<&JsString>,
        part: impl Display,
    ) -> Resolved<&'a str> {
        if let Some(name) = name.as_str().filter(|name| is_plain_name(name)) {
            return Ok(name);
        }
        let place = pointer.map_or_else(String::new, |pointer| format!(" at {pointer}"));
        self.fail(
            ContractReason::InvalidIdentifier,
            part,
            &format!("`{name}`{place} is not a plain identifier"),
        )
    }

    pub(super) fn pair<'a>(&self, spec: &'a PairSpec, part: impl Display) -> Resolved<Named<'a>>
    where
        'p: 'a,
    {
        let column = self.column(&spec.column, format_args!("{part}.column"))?;
        let value = self.value(&spec.value, format_args!("{part}.value"))?;
        Ok((column, value))
    }

    pub(super) fn named<'a>(&self, specs: &'a [PairSpec], list: &str) -> Resolved<Vec<Named<'a>>>
    where
        'p: 'a,
    {
        let mut named = Vec::with_capacity(specs.len());
        for (at, spec) in specs.iter().enumerate() {
            named.push(self.pair(spec, format_args!("{list}[{at}]"))?);
        }
        Ok(named)
    }

    /// By column; plain identifiers are ASCII, so that bytes are UTF-16 order.
    pub(super) fn sorted<'a>(
        &self,
        mut named: Vec<Named<'a>>,
        list: &str,
    ) -> Resolved<Vec<Named<'a>>> {
        named.sort_by_key(|(column, _)| *column);
        match named
            .windows(2)
            .find(|two| matches!(two, [a, b] if a.0 == b.0))
        {
            Some([(column, _), ..]) => self.fail(
                ContractReason::EqualityDuplicateColumn,
                list,
                &format!("the column `{column}` is listed twice"),
            ),
            _ => Ok(named),
        }
    }

    pub(super) fn value(&self, spec: &Spec<Scalar>, part: impl Display) -> Resolved<JsString> {
        let pointer = match spec {
            Spec::Const(value) => return Ok(value.text()),
            Spec::Pointer(pointer) => pointer,
        };
        let Some(node) = self.at(pointer).filter(|node| !node.is_null()) else {
            return self.fail(
                ContractReason::KeyValuePointerMissing,
                part,
                &format!("nothing at {pointer}"),
            );
        };
        if let Some(text) = node.as_js() {
            return Ok(text.to_owned());
        }
        match Scalar::of(node) {
            Some(value) => Ok(value.text()),
            None => self.fail(
                ContractReason::KeyValueNotScalar,
                part,
                &format!("an object or array at {pointer}"),
            ),
        }
    }

    pub(super) fn expect(&self, spec: &ExpectSpec) -> Resolved<Expect> {
        let value = match &spec.value {
            Spec::Const(number) => Some(*number),
            Spec::Pointer(pointer) => self.at(pointer).and_then(Node::as_f64),
        };
        if let Some(value) = value.filter(|number| number.is_finite()) {
            return Ok(Expect { op: spec.op, value });
        }
        let what = match &spec.value {
            Spec::Const(_) => "not a finite JSON number".to_owned(),
            Spec::Pointer(pointer) => format!("no finite JSON number at {pointer}"),
        };
        self.fail(
            ContractReason::RelationalExpectValueInvalid,
            "expect.value",
            &what,
        )
    }

    pub(super) fn scalar(
        &self,
        node: Node<'_>,
        part: impl Display,
        place: impl Display,
    ) -> Resolved<Scalar> {
        match Scalar::of(node) {
            Some(value) => Ok(value),
            None => self.fail(
                ContractReason::RequiredFieldsValueNotScalar,
                part,
                &format!("an object or array at {place}"),
            ),
        }
    }

    /// The members of an object of the parameters.
    pub(super) fn members(&self, pointer: &JsString, part: &str) -> Resolved<Members<'p>> {
        let (code, what) = match self.at(pointer).map(Node::value) {
            Some(Value::Object(members)) => return Ok(members),
            None | Some(Value::Null) => (ContractReason::RequiredFieldsPointerMissing, "nothing"),
            Some(_) => (ContractReason::RequiredFieldsNotObject, "no object"),
        };
        self.fail(code, part, &format!("{what} at {pointer}"))
    }

    pub(super) fn fields(&self, pointer: &JsString) -> Resolved<Vec<(&'p str, Scalar)>> {
        let mut fields = Vec::new();
        for (key, value) in counting(self.members(pointer, "requiredFields")?) {
            fields.push(self.field(pointer, key, value)?);
        }
        fields.sort_by_key(|(name, _)| *name);
        Ok(fields)
    }

    pub(super) fn field(
        &self,
        pointer: &JsString,
        key: JsStr<'p>,
        value: Node<'p>,
    ) -> Resolved<(&'p str, Scalar)> {
        let part = format_args!("requiredFields.{key}");
        let name = self.identifier(key, Some(pointer), part)?;
        let place = format_args!("{pointer}/{key}");
        Ok((name, self.scalar(value, part, place)?))
    }
}

/// A column and its value.
pub(super) type Named<'a> = (&'a str, JsString);

/// In memory of their own size: collecting in place would shrink the old one,
/// which costs more.
pub(super) fn values<T>(named: Vec<(&str, T)>) -> Vec<T> {
    let mut values = Vec::with_capacity(named.len());
    values.extend(named.into_iter().map(|(_, value)| value));
    values
}

/// Whether no key repeats; only a few keys are compared.
pub(super) fn are_distinct(members: Members<'_>) -> bool {
    let mut rest = members;
    let mut seen = 0;
    while let Some((key, _)) = rest.next() {
        seen += 1;
        // a copy is searched: the search would use up what comes next
        let mut others = rest;
        if seen > FEW || others.any(|(other, _)| other == key) {
            return false;
        }
    }
    true
}

/// The members that count: of a repeated key the last value, at the place of
/// the first.
pub(super) fn counting<'j>(members: Members<'j>) -> Vec<(JsStr<'j>, Node<'j>)> {
    let mut kept: Vec<(JsStr<'j>, Node<'j>)> = Vec::with_capacity(members.size_hint().0);
    let mut places: HashMap<JsStr<'j>, usize> = HashMap::new();
    for (key, value) in members {
        let place = *places.entry(key).or_insert(kept.len());
        match kept.get_mut(place) {
            Some(slot) => slot.1 = value,
            None => kept.push((key, value)),
        }
    }
    kept
}
