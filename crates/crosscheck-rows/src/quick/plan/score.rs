//! How well names match.

use crosscheck_core::{JsStr, JsString};

use super::names::{Units, fold, lower, tokens, units, variants};

/// A.11: a path belongs to a table from here on.
pub(super) const T_TABLE: f64 = 0.60;
/// A.11: a parameter belongs to a column from here on.
pub const T_COL: f64 = 0.50;
/// A.11: the best table must reach this.
pub(super) const T_OVERALL: f64 = 0.55;
/// A.11: two tables this close are ambiguous.
pub(super) const T_AMBIGUITY_DELTA: f64 = 0.08;
/// A.11: a row unit is exported with constants from here on.
pub const T_EXPORT: f64 = 0.55;

const CONTAINS: f64 = 0.75;
const SIMILAR: f64 = 0.7;

/// A table's name, ready to be scored.
#[derive(Debug)]
pub(super) struct TableName {
    variants: Vec<Units>,
}

impl TableName {
    pub(super) fn new(name: &str) -> Self {
        Self {
            variants: variants(name).into_iter().collect(),
        }
    }

    /// The best match of a word against the spellings of the table.
    fn best(&self, word: &[u16]) -> f64 {
        self.variants
            .iter()
            .map(|variant| match_score(word, variant))
            .fold(0.0, f64::max)
    }

    /// A.9.3
    pub(super) fn tool_score(&self, tool_tokens: &[Units]) -> f64 {
        tool_tokens
            .iter()
            .map(|token| self.best(token))
            .fold(0.0, f64::max)
    }

    /// A.9.5, for a segment that is already folded.
    pub(super) fn segment_score(&self, segment: &[u16]) -> f64 {
        self.best(segment)
    }
}

/// The words of a tool name.
pub(super) fn tool_tokens(tool: JsStr<'_>) -> Vec<Units> {
    tokens(tool)
}

/// A.9.4: what comes before the first dot, folded.
pub(super) fn segment(path: JsStr<'_>) -> Units {
    let all = units(path);
    let head = all
        .split(|unit| *unit == u16::from(b'.'))
        .next()
        .unwrap_or_default();
    fold(head)
}

fn match_score(word: &[u16], variant: &[u16]) -> f64 {
    if word == variant {
        1.0
    } else if contains(word, variant) || contains(variant, word) {
        CONTAINS
    } else if ratio_from(word, variant, 0.85).is_some() {
        SIMILAR
    } else {
        0.0
    }
}

fn contains(text: &[u16], part: &[u16]) -> bool {
    let Some((first, rest)) = part.split_first() else {
        return true;
    };
    if part.len() > text.len() {
        return false;
    }
    let starts = text.get(..=text.len() - part.len()).unwrap_or_default();
    starts
        .iter()
        .enumerate()
        .any(|(at, unit)| unit == first && text.get(at + 1..at + part.len()) == Some(rest))
}

/// The Levenshtein ratio, if it reaches `least`. Lengths that differ too much
/// are refused without looking at the text.
fn ratio_from(a: &[u16], b: &[u16], least: f64) -> Option<f64> {
    if a == b {
        return Some(1.0);
    }
    let (longer, shorter) = (a.len().max(b.len()), a.len().min(b.len()));
    if shorter == 0 || ratio(longer - shorter, longer) < least {
        return None;
    }
    let distance = strsim::generic_levenshtein(&Slice(a), &Slice(b));
    Some(ratio(distance, longer)).filter(|ratio| *ratio >= least)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "lengths of names are far below 2^53"
)]
fn ratio(distance: usize, longer: usize) -> f64 {
    1.0 - distance as f64 / longer as f64
}

/// `strsim` wants references that iterate by value.
struct Slice<'a>(&'a [u16]);

impl<'a> IntoIterator for &Slice<'a> {
    type Item = u16;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, u16>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().copied()
    }
}

/// A column's name, ready to be scored.
#[derive(Debug)]
pub(super) struct ColumnName {
    exact: Units,
    lower: Units,
    bare: Units,
    is_id: bool,
}

/// A parameter's name, ready to be scored.
#[derive(Debug)]
pub(super) struct ParameterName {
    exact: Units,
    lower: Units,
    bare: Units,
    /// The lower-cased name without a final `Id` or `ID`, and without a final
    /// `_id`: `shelf_Id` may mean `shelf_` or `shelf`.
    without_id: Vec<Units>,
    is_record_id: bool,
}

impl ColumnName {
    pub(super) fn new(name: &str) -> Self {
        let lower = lower(name.into());
        Self {
            exact: units(name.into()),
            bare: without_underscores(&lower),
            is_id: lower == units("id".into()),
            lower,
        }
    }
}

impl ParameterName {
    pub(super) fn new(name: JsStr<'_>) -> Self {
        let exact = units(name);
        let lower_units = lower(name);
        let is_record_id = ["recordid", "record_id"]
            .iter()
            .any(|id| lower_units == units((*id).into()));
        Self {
            bare: without_underscores(&lower_units),
            without_id: without_id(name, &lower_units),
            is_record_id,
            lower: lower_units,
            exact,
        }
    }
}

/// A.10: the first rule that hits decides.
pub(super) fn column_score(key: &ParameterName, column: &ColumnName) -> f64 {
    if key.exact == column.exact {
        1.0
    } else if key.lower == column.lower {
        0.95
    } else if key.bare == column.bare {
        0.90
    } else if key.without_id.contains(&column.lower) {
        0.85
    } else if column.is_id && key.is_record_id {
        0.9
    } else {
        ratio_from(&key.lower, &column.lower, 0.80).unwrap_or(0.0)
    }
}

fn without_underscores(name: &[u16]) -> Units {
    name.iter()
        .copied()
        .filter(|unit| *unit != u16::from(b'_'))
        .collect()
}

fn without_id(name: JsStr<'_>, lowered: &[u16]) -> Vec<Units> {
    let exact = units(name);
    let ends = |name: &[u16], tail: &str| name.ends_with(&units(tail.into()));
    let stripped = |cut: usize| {
        let rest = exact.iter().copied().take(exact.len().saturating_sub(cut));
        lower(JsString::from_units(rest).as_js())
    };
    let mut rests = Vec::new();
    if ends(&exact, "Id") || ends(&exact, "ID") {
        rests.push(stripped(2));
    }
    if ends(lowered, "_id") {
        rests.push(stripped(3));
    }
    rests
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(key: &str, column: &str) -> f64 {
        column_score(&ParameterName::new(key.into()), &ColumnName::new(column))
    }

    #[test]
    fn the_first_column_rule_that_hits_decides() {
        let table = [
            ("status", "status", 1.0),
            ("Status", "status", 0.95),
            ("firstName", "first_name", 0.90),
            ("customerId", "customer", 0.85),
            ("customer_id", "customer", 0.85),
            ("CUSTOMER_ID", "Customer", 0.85),
            ("orderID", "order", 0.85),
            ("shelf_Id", "shelf_", 0.85),
            ("a_Id", "a_", 0.85),
            ("a_Id", "a", 0.85),
            ("ΟΔΟΣId", "ΟΔΟΣ", 0.85),
            ("record_id", "id", 0.9),
            ("recordId", "ID", 0.9),
            ("valid", "val", 0.0),
            ("orderid", "order", 0.0),
            ("stats", "status", 1.0 - 1.0 / 6.0),
            ("x", "status", 0.0),
            ("id", "_id", 0.90),
        ];
        for (key, name, expected) in table {
            assert!(
                (column(key, name) - expected).abs() < 1e-15,
                "{key} / {name}: {}",
                column(key, name)
            );
        }
    }

    #[test]
    fn table_scores_know_four_values() {
        let score =
            |tool: &str, table: &str| TableName::new(table).tool_score(&tool_tokens(tool.into()));
        let table = [
            ("contacts.upsert", "contacts", 1.0),
            ("create_contact", "contacts", 1.0),
            ("createContact", "contacts", 0.75),
            ("get_contcats", "contact_s", 0.0),
            ("x.organisaton", "organisation", 0.7),
            ("noop", "contacts", 0.0),
            ("\u{e9}", "contacts", 0.0),
        ];
        for (tool, name, expected) in table {
            assert!(
                (score(tool, name) - expected).abs() < 1e-15,
                "{tool} / {name}: {}",
                score(tool, name)
            );
        }
    }

    #[test]
    fn a_segment_ends_at_the_first_dot_and_keeps_brackets() {
        assert_eq!(segment("Order.items".into()), units("order".into()));
        assert_eq!(segment("items[0].x".into()), units("items[0]".into()));
        assert_eq!(segment(".x".into()), Units::new());
    }
}
