//! What is asked of a table is the same for all calls of a tool, so that it
//! is made once and shared; steps with one shape are looked up together.

use std::collections::HashSet;
use std::sync::Arc;

use crosscheck_core::json::{FormId, Place};

use crate::check::read::RowSpec;
use crate::plan::lookup::RowLookup;

/// How the rows of an entry come about, as long as nothing but values differ: the
/// values are where they were.
#[derive(Debug)]
pub(super) struct Recipe {
    pub(super) shape: Arc<RowLookup>,
    /// The form of the parameters.
    pub(super) form: FormId,
    /// For each column of the identity its pair in the entry, and where the value
    /// is; a constant is nowhere.
    pub(super) key: Vec<(usize, Option<Place>)>,
    /// For each field, as the call writes them, its place in the shape and in the
    /// parameters.
    pub(super) fields: Vec<(usize, Place)>,
}

/// Recipes that are kept.
const RECENT: usize = 8;

/// Every shape that was asked for, each of them once.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    known: HashSet<Arc<RowLookup>>,
    /// By the place of the entry in memory, which the registry keeps.
    recipes: Vec<(usize, Recipe)>,
}

impl Shapes {
    /// The shape with this table, these columns and these fields.
    pub(super) fn of<K, V>(
        &mut self,
        table: &str,
        identity: &[(&str, K)],
        fields: &[(&str, V)],
    ) -> Arc<RowLookup> {
        let shape = RowLookup {
            table: table.into(),
            identity: names(identity),
            fields: names(fields),
        };
        if let Some(known) = self.known.get(&shape) {
            return Arc::clone(known);
        }
        let shape = Arc::new(shape);
        self.known.insert(Arc::clone(&shape));
        shape
    }

    /// How the row of the last such call came about.
    pub(super) fn recipe(&self, spec: &RowSpec) -> Option<&Recipe> {
        let place = std::ptr::from_ref(spec).addr();
        let found = self.recipes.iter().find(|(known, _)| *known == place);
        found.map(|(_, recipe)| recipe)
    }

    /// Keeps it for the next call.
    pub(super) fn keep(&mut self, spec: &RowSpec, recipe: Recipe) {
        let place = std::ptr::from_ref(spec).addr();
        self.recipes.retain(|(known, _)| *known != place);
        if self.recipes.len() >= RECENT {
            self.recipes.remove(0);
        }
        self.recipes.push((place, recipe));
    }
}

fn names<T>(asked: &[(&str, T)]) -> Vec<String> {
    asked.iter().map(|(name, _)| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_made_once_however_many_there_are() {
        let mut shapes = Shapes::default();
        let tables: Vec<String> = (0..3 * RECENT).map(|at| format!("t{at}")).collect();
        let mut ask = |table: &str| shapes.of(table, &[("id", ())], &[("a", ()), ("b", ())]);
        let first: Vec<Arc<RowLookup>> = tables.iter().map(|table| ask(table)).collect();
        for (table, shape) in tables.iter().zip(&first) {
            assert!(Arc::ptr_eq(&ask(table), shape), "{table}");
        }
    }

    #[test]
    fn columns_and_fields_tell_shapes_apart() {
        let mut shapes = Shapes::default();
        let shape = shapes.of("t", &[("id", ())], &[("a", ())]);
        for other in [
            shapes.of("t", &[("a", ())], &[("id", ())]),
            shapes.of::<(), ()>("t", &[("id", ())], &[]),
            shapes.of("t", &[("id", ()), ("a", ())], &[("a", ())]),
            shapes.of("u", &[("id", ())], &[("a", ())]),
        ] {
            assert!(!Arc::ptr_eq(&other, &shape), "{other:?}");
        }
    }
}
