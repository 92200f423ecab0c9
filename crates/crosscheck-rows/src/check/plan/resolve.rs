//! Registry entry and parameters become a request; the first failure wins.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::sync::Arc;

use crosscheck_core::canonical;
use crosscheck_core::json::{Members, Node, Scalar, Value};
use crosscheck_core::{JsStr, JsString};
use smallvec::SmallVec;

use super::shapes::{Places, Recipe};
use super::{AbsentRequest, Check, Expect, Pair, Request, RowRequest, Shapes, Witness};
use crate::check::read::{
    CheckSpec, ExpectSpec, FieldsSpec, PairSpec, RowSpec, Spec, Verification, WitnessSpec,
};
use crate::check::reasons::ContractReason;
use crate::plan::lookup::RowLookup;
use crate::quick::plan::names::is_plain_name;
use crate::read::pointer::Pointer;

/// Why an entry and parameters do not make a request.
#[derive(Debug, Clone)]
pub(crate) struct Unresolved {
    pub(crate) code: ContractReason,
    pub(crate) message: String,
}

type Resolved<T> = Result<T, Unresolved>;

/// Up to so many keys of an object are compared one by one.
const FEW: usize = 16;

/// The request of a step.
pub(crate) fn request(
    verification: &Verification,
    params: Node<'_>,
    result: Option<Node<'_>>,
    shapes: &mut Shapes,
) -> Resolved<Request> {
    let at = Place {
        params,
        result,
        element: None,
        within: None,
    };
    match verification {
        Verification::Row(spec) if spec.for_each.is_none() => {
            at.row(spec, shapes).map(Request::Row)
        }
        Verification::Row(spec) => {
            let rows = at.each(spec.for_each.as_ref(), |at| at.row(spec, shapes))?;
            at.numbered(vec![(&JsString::default(), rows)])
                .map(Request::Effects)
        }
        Verification::Absent {
            table,
            identity,
            filter,
        } => at.absent(table, identity, filter).map(Request::Absent),
        Verification::Effects(effects) => {
            let mut rows = Vec::new();
            let mut seen = HashSet::new();
            for (id, spec) in effects {
                first_time(id, &mut seen, "effects")?;
                let at = at.inside("effects", id);
                rows.push((
                    id,
                    at.each(spec.for_each.as_ref(), |at| at.row(spec, shapes))?,
                ));
            }
            at.numbered(rows).map(Request::Effects)
        }
        Verification::Relational(specs) => {
            let mut checks = Vec::new();
            let mut seen = HashSet::new();
            for (id, for_each, spec) in specs {
                first_time(id, &mut seen, "checks")?;
                let at = at.inside("checks", id);
                checks.push((id, at.each(for_each.as_ref(), |at| at.check(spec))?));
            }
            at.numbered(checks).map(Request::Relational)
        }
        Verification::Witness(spec) => at.witness(spec).map(Request::Witness),
    }
}

/// A value of the identity; `None` when something is to be said about it.
fn key_text(spec: &RowSpec, at: usize, node: Option<Node<'_>>) -> Option<JsString> {
    match (&spec.identity.get(at)?.value, node) {
        (Spec::Const(value), _) => Some(value.text()),
        (Spec::Pointer(_), Some(node)) => match node.value() {
            Value::Null => None,
            Value::String(text) => Some(text.to_owned()),
            _ => Scalar::of(node).map(|value| value.text()),
        },
        (Spec::Pointer(_), None) => None,
    }
}

/// Ids are looked at on the way, so that an earlier failure comes first.
fn first_time<'s>(id: &'s JsString, seen: &mut HashSet<&'s JsString>, list: &str) -> Resolved<()> {
    if seen.insert(id) {
        return Ok(());
    }
    Err(Unresolved {
        code: ContractReason::DuplicateEffectId,
        message: format!("{list}[{id}].id occurs twice in the registry entry"),
    })
}

/// One of it, or one for each element of a list.
enum Many<T> {
    One(T),
    Each(Vec<T>),
}

/// The call, and the part of the entry that is being resolved. Names of
/// parts are put together only when something is wrong with them.
#[derive(Clone, Copy)]
struct Place<'p> {
    params: Node<'p>,
    /// What the tool answered.
    result: Option<Node<'p>>,
    /// The element of a list.
    element: Option<Node<'p>>,
    /// A list of the entry, and the id of an element.
    within: Option<(&'p str, &'p JsString)>,
}

impl<'p> Place<'p> {
    fn inside(&self, list: &'p str, id: &'p JsString) -> Self {
        Self {
            within: Some((list, id)),
            ..*self
        }
    }

    /// What is made of this place, or of each element of a list.
    fn each<T>(
        &self,
        list: Option<&Pointer>,
        mut make: impl FnMut(&Self) -> Resolved<T>,
    ) -> Resolved<Many<T>> {
        let Some(pointer) = list else {
            return make(self).map(Many::One);
        };
        let Some(elements) = self.at(pointer).and_then(Node::as_array) else {
            let what = format!("no array at {pointer}");
            return self.fail(ContractReason::ForEachNotArray, "forEach", &what);
        };
        let of = |element| Self {
            element: Some(element),
            ..*self
        };
        let parts: Resolved<_> = elements.map(|element| make(&of(element))).collect();
        parts.map(Many::Each)
    }

    /// By id; elements keep their order and are numbered. Nothing at all would
    /// hold without being looked at.
    fn numbered<T>(&self, mut parts: Vec<(&JsString, Many<T>)>) -> Resolved<Vec<(JsString, T)>> {
        parts.sort_by(|a, b| a.0.cmp(b.0));
        let mut all = Vec::new();
        for (id, part) in parts {
            match part {
                Many::One(one) => all.push((id.clone(), one)),
                Many::Each(elements) => {
                    for (at, one) in elements.into_iter().enumerate() {
                        let mut id = id.clone();
                        id.push_str(&format!("[{at}]"));
                        all.push((id, one));
                    }
                }
            }
        }
        if all.is_empty() {
            let what = "the list has no element, so that nothing is looked at";
            return self.fail(ContractReason::ForEachEmpty, "forEach", what);
        }
        Ok(all)
    }

    fn fail<T>(&self, code: ContractReason, part: impl Display, what: &str) -> Resolved<T> {
        let message = match self.within {
            Some((list, id)) => format!("{list}[{id}].{part}: {what}"),
            None => format!("{part}: {what}"),
        };
        Err(Unresolved { code, message })
    }

    fn at(&self, pointer: &Pointer) -> Option<Node<'p>> {
        pointer.follow(Some(self.params), self.result, self.element)
    }

    fn row(&self, spec: &RowSpec, shapes: &mut Shapes) -> Resolved<RowRequest> {
        if let Some(recipe) = shapes.recipe(spec) {
            if let Some(request) = self.in_place(spec, recipe) {
                return Ok(request);
            }
            if let Some(request) = self.as_before(spec, recipe) {
                recipe.places = self.places(spec, recipe);
                return Ok(request);
            }
        }
        let request = self.resolve_row(spec, shapes)?;
        if let Some(recipe) = self.recipe(spec, &request.shape) {
            shapes.keep(spec, recipe);
        }
        Ok(request)
    }

    /// The row of a call whose parameters have the form of those before, so
    /// that nothing has to be searched. `None` as in [`Self::as_before`].
    fn in_place(&self, spec: &RowSpec, recipe: &Recipe) -> Option<RowRequest> {
        let places = recipe.places.as_ref()?;
        if self.params.form() != Some(places.form) {
            return None;
        }
        let mut key = SmallVec::with_capacity(recipe.pairs.len());
        for (at, place) in recipe.pairs.iter().zip(&places.key) {
            let node = place.map(|place| self.params.at(place));
            key.push(key_text(spec, *at, node)?);
        }
        let mut values = vec![Scalar::Null; recipe.fields.len()];
        for ((_, at), place) in recipe.fields.iter().zip(&places.fields) {
            *values.get_mut(*at)? = Scalar::of(self.params.at(*place))?;
        }
        Some(RowRequest {
            shape: Arc::clone(&recipe.shape),
            key,
            values,
        })
    }

    /// The row of a call that has the names of the call before. `None` when
    /// anything else is to be said about it.
    fn as_before(&self, spec: &RowSpec, recipe: &Recipe) -> Option<RowRequest> {
        let mut key = SmallVec::with_capacity(recipe.pairs.len());
        for at in &recipe.pairs {
            let node = match &spec.identity.get(*at)?.value {
                Spec::Const(_) => None,
                Spec::Pointer(pointer) => Some(self.at(pointer)?),
            };
            key.push(key_text(spec, *at, node)?);
        }
        let mut values = vec![Scalar::Null; recipe.fields.len()];
        let mut members = self.members(spec)?;
        for (name, place) in &recipe.fields {
            let (key, node) = members.next()?;
            if key.bytes() != name.as_bytes() {
                return None;
            }
            *values.get_mut(*place)? = Scalar::of(node)?;
        }
        members.next().is_none().then(|| RowRequest {
            shape: Arc::clone(&recipe.shape),
            key,
            values,
        })
    }

    /// Where the values of a row stand that came about as before.
    fn places(&self, spec: &RowSpec, recipe: &Recipe) -> Option<Places> {
        let form = self.params.form()?;
        let mut key = Vec::new();
        for at in &recipe.pairs {
            key.push(match &spec.identity.get(*at)?.value {
                Spec::Const(_) => None,
                Spec::Pointer(pointer) => Some(self.at(pointer)?.place()),
            });
        }
        let fields = self.members(spec)?;
        Some(Places {
            form,
            key,
            fields: fields.map(|(_, node)| node.place()).collect(),
        })
    }

    /// How this row came about, if nothing but values can differ next time.
    fn recipe(&self, spec: &RowSpec, shape: &Arc<RowLookup>) -> Option<Recipe> {
        let Spec::Const(_) = spec.table else {
            return None;
        };
        if !spec.is_plain() {
            return None;
        }
        let pair = |column: &String| {
            let is = |pair: &PairSpec| matches!(&pair.column, Spec::Const(name) if name.as_str() == Some(column));
            spec.identity.iter().position(is)
        };
        let members = self.members(spec)?;
        // also a bound: each of the few fields is searched for among the others
        if spec.identity.len() != shape.identity.len() || !are_distinct(members) {
            return None;
        }
        let place = |(name, _): (JsStr<'_>, Node<'_>)| {
            let name = name.as_str()?;
            let place = shape.fields.iter().position(|field| field == name)?;
            Some((name.to_owned(), place))
        };
        let (pairs, fields) = (shape.identity.iter().map(pair), members.map(place));
        Some(Recipe {
            shape: Arc::clone(shape),
            pairs: pairs.collect::<Option<_>>()?,
            fields: fields.collect::<Option<_>>()?,
            places: None,
        })
    }

    /// The object that holds the fields.
    fn members(&self, spec: &RowSpec) -> Option<Members<'p>> {
        match &spec.fields {
            FieldsSpec::At(pointer) => self.at(pointer)?.as_object(),
            FieldsSpec::Listed(_) => None,
        }
    }

    fn resolve_row(&self, spec: &RowSpec, shapes: &mut Shapes) -> Resolved<RowRequest> {
        let table = self.table(&spec.table, "table")?;
        let identity = self.named(&spec.identity, "identityEq")?;
        let identity = self.sorted(identity, "identityEq")?;
        let fields = match &spec.fields {
            FieldsSpec::At(pointer) => self.fields(pointer)?,
            FieldsSpec::Listed(fields) => self.listed(fields)?,
        };
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
        let table = self.table(table, "table")?.to_owned();
        let identity = self.sorted_pairs(identity, "identityEq")?;
        let mut named = Vec::new();
        for (at, spec) in filter.iter().enumerate() {
            let part = format_args!("filterEq[{at}].column");
            let column = self.column(&spec.column, part)?;
            if identity.iter().any(|pair| pair.column == column) {
                return self.fail(
                    ContractReason::FilterEqOverlapsIdentity,
                    part,
                    &format!("`{column}` is an identity column already"),
                );
            }
            let value = self.value(&spec.value, format_args!("filterEq[{at}].value"))?;
            named.push((column, value));
        }
        Ok(AbsentRequest {
            table,
            identity,
            filter: pairs(self.sorted(named, "filterEq")?),
        })
    }

    fn check(&self, spec: &CheckSpec) -> Resolved<Check> {
        Ok(match spec {
            CheckSpec::Exists { table, match_eq } => Check::Exists {
                table: self.table(table, "childTable")?.to_owned(),
                match_eq: self.sorted_pairs(match_eq, "matchEq")?,
            },
            CheckSpec::Aggregate {
                table,
                sum,
                where_eq,
                expect,
            } => {
                let table = self.table(table, "table")?.to_owned();
                let sum = match sum {
                    None => None,
                    Some(Some(column)) => Some(self.column(column, "sumColumn")?.to_owned()),
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
                    where_eq: pairs(self.named(where_eq, "whereEq")?),
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
                let left = self.table(left, "leftTable")?.to_owned();
                let right = self.table(right, "rightTable")?.to_owned();
                let left_column = self.column(left_column, "join.leftColumn")?.to_owned();
                let right_column = self.column(right_column, "join.rightColumn")?.to_owned();
                let mut conditions = Vec::new();
                for (at, (is_left, spec)) in where_eq.iter().enumerate() {
                    let (column, value) = self.pair(spec, format_args!("whereEq[{at}]"))?;
                    let column = column.to_owned();
                    conditions.push((*is_left, Pair { column, value }));
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
            } => {
                let anchor = self.table(anchor, "anchorTable")?.to_owned();
                let lookup = self.table(lookup, "lookupTable")?.to_owned();
                let anchor_column = self.column(anchor_column, "anchorColumn")?.to_owned();
                let lookup_column = self.column(lookup_column, "lookupColumn")?.to_owned();
                let presence = self.column(presence, "lookupPresenceColumn")?.to_owned();
                // values of both lists come before columns that stand twice in one
                let of_anchor = self.named(anchor_filter, "filterEqAnchor")?;
                let of_lookup = self.named(lookup_filter, "filterEqLookup")?;
                Check::AntiJoin {
                    anchor,
                    lookup,
                    anchor_column,
                    lookup_column,
                    presence,
                    anchor_filter: pairs(self.sorted(of_anchor, "filterEqAnchor")?),
                    lookup_filter: pairs(self.sorted(of_lookup, "filterEqLookup")?),
                }
            }
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
    fn object(
        &self,
        pointer: &Pointer,
        part: &str,
    ) -> Resolved<serde_json::Map<String, serde_json::Value>> {
        let node = match self.at(pointer) {
            Some(node) if !node.is_null() => node,
            _ => {
                return self.fail(
                    ContractReason::RequiredFieldsPointerMissing,
                    part,
                    &format!("nothing at {pointer}"),
                );
            }
        };
        if !matches!(node.value(), Value::Object(_)) {
            return self.fail(
                ContractReason::RequiredFieldsNotObject,
                part,
                &format!("no object at {pointer}"),
            );
        }
        // it is only shown: what serde cannot hold is left out
        Ok(serde_json::from_str(&canonical::of_node(node)).unwrap_or_default())
    }

    fn table<'a>(&self, spec: &'a Spec<JsString>, part: &str) -> Resolved<&'a str>
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

    fn column<'a>(&self, spec: &'a Spec<JsString>, part: impl Display) -> Resolved<&'a str>
    where
        'p: 'a,
    {
        let name = self.string(spec, &part)?;
        self.identifier(name, spec.pointer(), part)
    }

    fn string<'a>(&self, spec: &'a Spec<JsString>, part: impl Display) -> Resolved<JsStr<'a>>
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

    fn identifier<'a>(
        &self,
        name: JsStr<'a>,
        pointer: Option<&Pointer>,
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

    fn pair<'a>(&self, spec: &'a PairSpec, part: impl Display) -> Resolved<Named<'a>>
    where
        'p: 'a,
    {
        let column = self.column(&spec.column, format_args!("{part}.column"))?;
        let value = self.value(&spec.value, format_args!("{part}.value"))?;
        Ok((column, value))
    }

    fn named<'a>(&self, specs: &'a [PairSpec], list: &str) -> Resolved<Vec<Named<'a>>>
    where
        'p: 'a,
    {
        let mut named = Vec::with_capacity(specs.len());
        for (at, spec) in specs.iter().enumerate() {
            named.push(self.pair(spec, format_args!("{list}[{at}]"))?);
        }
        Ok(named)
    }

    fn sorted_pairs(&self, specs: &[PairSpec], list: &str) -> Resolved<Vec<Pair>> {
        let named = self.named(specs, list)?;
        Ok(pairs(self.sorted(named, list)?))
    }

    /// By column; plain identifiers are ASCII, so that bytes are UTF-16 order.
    fn sorted<'a>(&self, mut named: Vec<Named<'a>>, list: &str) -> Resolved<Vec<Named<'a>>> {
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

    fn value(&self, spec: &Spec<Scalar>, part: impl Display) -> Resolved<JsString> {
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

    fn expect(&self, spec: &ExpectSpec) -> Resolved<Expect> {
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

    /// The columns that an entry lists, in order.
    fn listed<'a>(
        &self,
        specs: &'a [(JsString, Spec<Scalar>)],
    ) -> Resolved<Vec<(&'a str, Scalar)>> {
        let mut fields = Vec::with_capacity(specs.len());
        for (name, spec) in specs {
            let part = format_args!("requiredFields.fields.{name}");
            let column = self.identifier(name.as_js(), None, part)?;
            let value = match spec {
                Spec::Const(value) => value.clone(),
                Spec::Pointer(pointer) => match self.at(pointer) {
                    None => {
                        let (code, what) = (
                            ContractReason::RequiredFieldsPointerMissing,
                            format!("nothing at {pointer}"),
                        );
                        return self.fail(code, part, &what);
                    }
                    Some(node) => self.scalar(node, part, pointer)?,
                },
            };
            fields.push((column, value));
        }
        Ok(fields)
    }

    fn scalar(&self, node: Node<'_>, part: impl Display, place: impl Display) -> Resolved<Scalar> {
        match Scalar::of(node) {
            Some(value) => Ok(value),
            None => self.fail(
                ContractReason::RequiredFieldsValueNotScalar,
                part,
                &format!("an object or array at {place}"),
            ),
        }
    }

    fn fields(&self, pointer: &Pointer) -> Resolved<Vec<(&'p str, Scalar)>> {
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
        let mut fields = Vec::with_capacity(members.size_hint().0);
        if are_distinct(members) {
            for (key, value) in members {
                fields.push(self.field(pointer, key, value)?);
            }
        } else {
            for (key, value) in counting(members) {
                fields.push(self.field(pointer, key, value)?);
            }
        }
        fields.sort_by_key(|(name, _)| *name);
        Ok(fields)
    }

    fn field(
        &self,
        pointer: &Pointer,
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
type Named<'a> = (&'a str, JsString);

/// In memory of their own size: collecting in place would shrink the old one,
/// which costs more.
fn values<T>(named: Vec<(&str, T)>) -> Vec<T> {
    let mut values = Vec::with_capacity(named.len());
    values.extend(named.into_iter().map(|(_, value)| value));
    values
}

fn pairs(named: Vec<Named<'_>>) -> Vec<Pair> {
    let pair = |(column, value): Named<'_>| Pair {
        column: column.to_owned(),
        value,
    };
    named.into_iter().map(pair).collect()
}

/// Whether no key repeats; only a few keys are compared.
fn are_distinct(members: Members<'_>) -> bool {
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
fn counting<'j>(members: Members<'j>) -> Vec<(JsStr<'j>, Node<'j>)> {
    let mut kept: Vec<(JsStr<'j>, Node<'j>)> = Vec::new();
    let mut places: HashMap<JsStr<'j>, usize> = HashMap::new();
    for (key, value) in members {
        // a few keys are compared faster than hashed
        let known = if kept.len() <= FEW {
            kept.iter().position(|(name, _)| *name == key)
        } else {
            if places.is_empty() {
                places.extend(kept.iter().enumerate().map(|(at, (name, _))| (*name, at)));
            }
            places.get(&key).copied()
        };
        if let Some(slot) = known.and_then(|at| kept.get_mut(at)) {
            slot.1 = value;
            continue;
        }
        if !places.is_empty() {
            places.insert(key, kept.len());
        }
        kept.push((key, value));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::pointer::Root;
    use crosscheck_core::json::Json;

    fn entry() -> RowSpec {
        let pair = |column: &str, pointer: &str| PairSpec {
            column: Spec::Const(column.into()),
            value: Spec::Pointer(params(pointer)),
        };
        RowSpec {
            table: Spec::Const("t".into()),
            identity: vec![pair("z", "/id"), pair("a", "/line")],
            fields: FieldsSpec::At(params("/fields")),
            for_each: None,
        }
    }

    fn params(path: &str) -> Pointer {
        Pointer {
            root: Root::Args,
            path: path.into(),
        }
    }

    fn place(params: Node<'_>) -> Place<'_> {
        Place {
            params,
            result: None,
            element: None,
            within: None,
        }
    }

    #[test]
    fn a_call_like_the_one_before_is_resolved_as_if_it_were_the_first() {
        let spec = entry();
        let mut shapes = Shapes::default();
        let calls = [
            r#"{"id":"x","line":1,"fields":{"name":"n","amount":2,"b":null}}"#,
            r#"{"id":7,"line":"y","fields":{"name":true,"amount":"3","b":0}}"#,
            r#"{"id":"x","line":1,"fields":{"amount":2,"name":"n","b":null}}"#,
            r#"{"id":"x","line":1,"fields":{"name":"n","amount":2}}"#,
            r#"{"id":"x","line":1,"fields":{"name":"n","amount":2,"b":1,"c":1}}"#,
            r#"{"id":"x","line":1,"fields":{"name":"n","amount":2,"name":3}}"#,
            r#"{"id":"x","line":1,"fields":{"name":"n","amount":2,"no name":3}}"#,
            r#"{"id":"x","line":1,"fields":{"name":"n","amount":[],"b":[]}}"#,
            r#"{"id":null,"line":1,"fields":{"name":"n","amount":2,"b":null}}"#,
            r#"{"id":"x","line":{},"fields":{"name":"n","amount":2,"b":null}}"#,
            r#"{"id":"x","line":1,"fields":null}"#,
            r#"{"id":"x","line":1,"fields":{}}"#,
            r#"{"id":"x","line":false,"fields":{}}"#,
        ];
        for first in calls {
            for call in calls {
                let resolve = |text: &str, shapes: &mut Shapes| {
                    let json = Json::parse(text).unwrap();
                    format!("{:?}", place(json.root()).row(&spec, shapes))
                };
                resolve(first, &mut shapes);
                let after = resolve(call, &mut shapes);
                assert_eq!(
                    after,
                    resolve(call, &mut Shapes::default()),
                    "{first} {call}"
                );
            }
        }
    }

    fn row_of(fields: &str) -> RowRequest {
        let json = Json::parse(&format!("{{\"id\":1,\"line\":2,\"fields\":{fields}}}")).unwrap();
        place(json.root())
            .row(&entry(), &mut Shapes::default())
            .ok()
            .unwrap()
    }

    #[test]
    fn a_repeated_field_counts_once_wherever_it_stands() {
        let wanted = [Scalar::Number(1.0), Scalar::Number(2.0)];
        for fields in [
            r#"{"a":9,"a":1,"b":2}"#,
            r#"{"a":1,"b":9,"b":2}"#,
            r#"{"b":9,"a":1,"b":2}"#,
        ] {
            let request = row_of(fields);
            assert_eq!(request.shape.fields, ["a", "b"], "{fields}");
            assert_eq!(request.values, wanted, "{fields}");
        }
    }

    #[test]
    fn twice_the_fields_take_twice_the_time() {
        let fields: Vec<String> = (0..100_000).map(|at| format!("\"k{at}\":{at}")).collect();
        let begun = std::time::Instant::now();
        let request = row_of(&format!("{{{}}}", fields.join(",")));
        assert_eq!(request.values.len(), fields.len());
        // comparing each with each would take a minute
        assert!(begun.elapsed() < std::time::Duration::from_secs(10));
    }

    #[test]
    fn of_repeated_keys_the_last_value_counts_at_the_place_of_the_first() {
        for keys in [3, FEW, FEW + 1, 5 * FEW] {
            let member = |at: usize| format!("\"k{}\":{at}", at % keys);
            let members: Vec<String> = (0..2 * keys).map(member).collect();
            let json = Json::parse(&format!("{{{}}}", members.join(","))).unwrap();
            let kept: Vec<(String, Option<f64>)> = counting(json.root().as_object().unwrap())
                .into_iter()
                .map(|(key, value)| (key.to_string(), value.as_f64()))
                .collect();
            let number = |at: usize| f64::from(u32::try_from(at).unwrap());
            let expected: Vec<(String, Option<f64>)> = (0..keys)
                .map(|at| (format!("k{at}"), Some(number(at + keys))))
                .collect();
            assert_eq!(kept, expected);
        }
    }
}
