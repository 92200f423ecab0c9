//! Calls of a tool are mostly alike: how the row of one came about is kept,
//! and the next one is read in the same way.

use std::sync::Arc;

use crosscheck_core::json::{Node, Scalar, Value};
use crosscheck_core::{JsStr, JsString};
use smallvec::SmallVec;

use super::values::are_distinct;
use super::{Place, Resolved};
use crate::check::plan::shapes::Recipe;
use crate::check::plan::{RowRequest, Shapes};
use crate::check::read::{PairSpec, RowSpec, Spec};
use crate::plan::lookup::RowLookup;

impl Place<'_> {
    pub(super) fn row(&self, spec: &RowSpec, shapes: &mut Shapes) -> Resolved<RowRequest> {
        let recipe = shapes.recipe(spec);
        if let Some(request) = recipe.and_then(|recipe| self.in_place(spec, recipe)) {
            return Ok(request);
        }
        let request = self.resolve_row(spec, shapes)?;
        if let Some(recipe) = self.recipe(spec, &request.shape) {
            shapes.keep(spec, recipe);
        }
        Ok(request)
    }

    /// The row of a call whose parameters have the form of those before, so
    /// that nothing has to be searched. `None` when anything else is to be said
    /// about it.
    fn in_place(&self, spec: &RowSpec, recipe: &Recipe) -> Option<RowRequest> {
        if self.params.form() != Some(recipe.form) {
            return None;
        }
        let mut key = SmallVec::with_capacity(recipe.key.len());
        for (at, place) in &recipe.key {
            let node = place.map(|place| self.params.at(place));
            key.push(key_text(spec, *at, node)?);
        }
        let mut values = vec![Scalar::Null; recipe.fields.len()];
        for (at, place) in &recipe.fields {
            *values.get_mut(*at)? = Scalar::of(self.params.at(*place))?;
        }
        Some(RowRequest {
            shape: Arc::clone(&recipe.shape),
            key,
            values,
        })
    }

    /// How this row came about, if nothing but values can differ next time.
    fn recipe(&self, spec: &RowSpec, shape: &Arc<RowLookup>) -> Option<Recipe> {
        let Spec::Const(_) = spec.table else {
            return None;
        };
        let pair = |column: &String| {
            let is = |pair: &PairSpec| matches!(&pair.column, Spec::Const(name) if name.as_str() == Some(column));
            let at = spec.identity.iter().position(is)?;
            let place = match &spec.identity.get(at)?.value {
                Spec::Const(_) => None,
                Spec::Pointer(pointer) => Some(self.at(pointer)?.place()),
            };
            Some((at, place))
        };
        let members = self.at(&spec.fields)?.as_object()?;
        // also a bound: each of the few fields is searched for among the others
        if spec.identity.len() != shape.identity.len() || !are_distinct(members) {
            return None;
        }
        let field = |(name, node): (JsStr<'_>, Node<'_>)| {
            let name = name.as_str()?;
            let at = shape.fields.iter().position(|field| field == name)?;
            Some((at, node.place()))
        };
        let (pairs, fields) = (shape.identity.iter().map(pair), members.map(field));
        Some(Recipe {
            shape: Arc::clone(shape),
            form: self.params.form()?,
            key: pairs.collect::<Option<_>>()?,
            fields: fields.collect::<Option<_>>()?,
        })
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
