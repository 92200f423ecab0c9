//! A.9.8: a tool call that names both ends of a foreign key implies a child row.

use crosscheck_core::JsStr;
use crosscheck_core::json::Scalar;
use crosscheck_core::text::utf16_order;

use super::score::{ColumnName, ParameterName, T_COL, column_score};
use super::{Expectation, Identity, Planned, RELATED_CONFIDENCE, RelatedRequest};
use crate::observe::{Catalog, ForeignKey, Identifier};
use crate::quick::read::Action;

/// One unit for each foreign key whose columns, on both sides, the parameters name.
pub(super) fn units<'a>(
    action: &'a Action,
    catalog: &'a Catalog,
) -> impl Iterator<Item = Planned> + 'a {
    let names: Vec<(ParameterName, JsStr<'a>, &'a Scalar)> = action
        .flat
        .iter()
        .map(|(path, value)| (ParameterName::new(path), path, value))
        .collect();
    catalog
        .foreign_keys
        .iter()
        .filter_map(move |key| unit(key, &names))
}

fn unit(key: &ForeignKey, names: &[(ParameterName, JsStr<'_>, &Scalar)]) -> Option<Planned> {
    for column in &key.parent_columns {
        value_for(column, names)?;
    }
    let mut match_eq = key
        .child_columns
        .iter()
        .map(|column| {
            let (path, value) = value_for(column, names)?;
            Some(Identity {
                column: column.clone(),
                value: value.text(),
                path: path.to_owned(),
            })
        })
        .collect::<Option<Vec<Identity>>>()?;
    match_eq.sort_by(|a, b| utf16_order(a.column.as_str(), b.column.as_str()));
    let columns: Vec<&str> = match_eq.iter().map(|pair| pair.column.as_str()).collect();
    let check_id = format!("fk:{}.{}", key.child.shown(), columns.join(","));
    let rationale = vec![format!(
        "the parameters name both ends of the foreign key {check_id}"
    )];
    let request = RelatedRequest {
        check_id,
        child: key.child.clone(),
        match_eq,
    };
    Some(Planned {
        unused: super::Unused::default(),
        confidence: RELATED_CONFIDENCE,
        expectation: Expectation::Related(request),
        rationale,
    })
}

/// The parameter whose whole path fits best; ties go to the earlier one. A
/// null takes no part.
fn value_for<'n>(
    column: &Identifier,
    names: &'n [(ParameterName, JsStr<'_>, &'n Scalar)],
) -> Option<(JsStr<'n>, &'n Scalar)> {
    let name = ColumnName::new(column.as_str());
    let mut best: Option<(f64, JsStr<'n>, &'n Scalar)> = None;
    for (key, path, value) in names {
        let score = column_score(key, &name);
        if best.is_none_or(|(top, _, _)| score > top) {
            best = Some((score, *path, value));
        }
    }
    let (score, path, value) = best?;
    (score >= T_COL && *value != Scalar::Null).then_some((path, value))
}
