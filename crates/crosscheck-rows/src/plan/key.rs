//! The key of a table in an object (rows 8.2).

use std::sync::Arc;

use crosscheck_core::json::{Node, Value as Kind};
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::field::Field;
use super::model::{ColumnId, ColumnModel, Model, TableId};
use super::names::Name;
use super::object::Member;
use crate::compare::moment;
use crate::compare::value::is_scalar;
use crate::observe::Holds;

/// The key of a table, as an object has it.
#[derive(Debug, Clone)]
pub(crate) struct FoundKey {
    pub(crate) columns: SmallVec<[ColumnId; 2]>,
    /// As text, or `None` for a value that the column cannot hold.
    pub(crate) values: SmallVec<[Option<SmolStr>; 1]>,
    pub(crate) fields: SmallVec<[Arc<Field>; 2]>,
    /// Whether a field says more than `id`.
    pub(crate) is_own: bool,
    /// Whether it is the first key of the table.
    pub(crate) is_primary: bool,
    /// Whether every field is called like its column or ends in an id word:
    /// `order: 10` finds a row and refutes nothing.
    pub(crate) is_plain: bool,
}

impl FoundKey {
    /// Whether each value fits its column.
    pub(crate) fn is_fitting(&self) -> bool {
        self.values.iter().all(Option::is_some)
    }

    /// The names of the fields.
    pub(crate) fn shown(&self) -> SmolStr {
        if let [field] = &self.fields[..] {
            return field.name.text.clone();
        }
        let names = self.fields.iter().map(|field| field.name.text.as_str());
        names.collect::<Vec<&str>>().join("+").into()
    }

    /// Whether one of its values is this text.
    pub(crate) fn holds(&self, text: &str) -> bool {
        let mut values = self.values.iter().flatten();
        values.any(|value| value.as_str() == text)
    }

    pub(crate) fn has_field(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name.text == name)
    }
}

/// The first key whose columns all have a field, and whose values fit; else
/// the first whose values do not.
pub(crate) fn find(
    model: &Model,
    id: TableId,
    object: &[Member<'_>],
    is_named: bool,
) -> Option<FoundKey> {
    let table = model.table(id);
    let mut unfit = None;
    for (place, columns) in table.keys.iter().enumerate() {
        let mut found: SmallVec<[&Member<'_>; 2]> = SmallVec::new();
        let of_columns = columns
            .iter()
            .map_while(|column| field_of(id, table.column(*column), object, is_named));
        found.extend(of_columns);
        if found.len() < columns.len() {
            continue;
        }
        let pairs = || {
            found
                .iter()
                .zip(columns)
                .map(|(member, column)| (member, table.column(*column)))
        };
        let key = FoundKey {
            values: pairs()
                .map(|(member, column)| fit(column.holds, member.node))
                .collect(),
            is_own: found.iter().any(|member| {
                !member.field.name.is_bare_id || table.is_id(&member.field.name.words)
            }),
            is_primary: place == 0,
            is_plain: pairs().all(|(member, column)| {
                let name = &member.field.name;
                name.ends_in_id || name.norm == column.name.norm
            }),
            fields: found
                .iter()
                .map(|member| Arc::clone(&member.field))
                .collect(),
            columns: columns.iter().copied().collect(),
        };
        if key.is_fitting() {
            return Some(key);
        }
        unfit = unfit.or(Some(key));
    }
    unfit
}

/// The field that holds the value of a key column.
fn field_of<'o, 'j>(
    id: TableId,
    column: &ColumnModel,
    object: &'o [Member<'j>],
    is_named: bool,
) -> Option<&'o Member<'j>> {
    let is_bare = column.name.is_bare_id;
    let find = |fits: &dyn Fn(&Field) -> bool| {
        let mut members = object.iter();
        members.find(|member| fits(&member.field) && is_given(member.node))
    };
    if is_named || !is_bare {
        let same = find(&|field| field.name.norm == column.name.norm);
        if same.is_some() {
            return same;
        }
    }
    if !is_bare && !column.is_table_id {
        return None;
    }
    // `issue_id` is meant for any id, `issue_key` only for a key
    let is_meant = |name: &Name| name.last() == "id" || name.last() == column.name.last();
    let by_id = find(&|field| field.is_id_of(id) && is_meant(&field.name));
    if by_id.is_some() || !is_named {
        return by_id;
    }
    let bare = find(&|field| {
        field.name.is_bare_id && (field.name.norm == "id" || field.name.norm == column.name.last())
    });
    bare.or_else(|| find(&|field| field.called.contains(&id)))
}

/// Whether there is a value: an empty text stands for none.
fn is_given(node: Node<'_>) -> bool {
    is_scalar(node) && node.as_js().is_none_or(|text| !text.trim().is_empty())
}

/// The value as its column would hold it, or `None` if it cannot.
pub(crate) fn fit(holds: Holds, node: Node<'_>) -> Option<SmolStr> {
    let text = match node.value() {
        Kind::Number(digits) => SmolStr::from(digits.text()),
        Kind::String(text) => text.as_str()?.trim().into(),
        Kind::Null | Kind::Bool(_) | Kind::Array(_) | Kind::Object(_) => return None,
    };
    fit_text(holds, text)
}

/// The same for a text.
pub(crate) fn fit_text(holds: Holds, text: SmolStr) -> Option<SmolStr> {
    match holds {
        Holds::Integer => whole(&text),
        Holds::Number(_) | Holds::Single => {
            crate::compare::number::Decimal::parse(&text).map(|_| text)
        }
        Holds::Uuid => uuid(&text),
        Holds::Day | Holds::Moment(_) => moment::Moment::parse(&text).map(|_| text),
        Holds::Text | Holds::Other => Some(text),
        Holds::Boolean | Holds::Json | Holds::List | Holds::Bytes => None,
    }
}

/// A whole number in its shortest spelling.
fn whole(text: &str) -> Option<SmolStr> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    if digits.is_empty() {
        return None;
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.len() <= 20 {
        let digits = digits.trim_start_matches('0');
        return Some(match (sign, digits) {
            (_, "") => "0".into(),
            ("", digits) => digits.into(),
            _ => format!("{sign}{digits}").into(),
        });
    }
    // 7.0 and 7e0 are whole, too
    let number: f64 = text.parse().ok()?;
    let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
    is_whole.then(|| crosscheck_core::canonical::number_text(number).into())
}

/// A UUID in the spelling that servers print.
fn uuid(text: &str) -> Option<SmolStr> {
    let text = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
        .unwrap_or(text);
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    if digits.len() != 32 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let digits = digits.to_ascii_lowercase();
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    let parts = [
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32),
    ];
    Some(parts.join("-").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::{model, vocabulary};
    use crosscheck_core::Json;

    fn key(tables: &[&str], table: u32, object: &str, is_named: bool) -> String {
        let mut vocabulary = vocabulary(tables);
        let json = Json::parse(object).unwrap();
        let object = vocabulary.object(json.root());
        let found = find(&vocabulary.model, TableId(table), &object, is_named);
        found.map_or("none".to_owned(), |key| {
            let values: Vec<String> = key
                .values
                .iter()
                .map(|value| {
                    value
                        .as_ref()
                        .map_or("unfit".to_owned(), ToString::to_string)
                })
                .collect();
            format!("{} = {}", key.shown(), values.join("+"))
        })
    }

    #[test]
    fn a_key_is_found_by_the_names_of_its_fields() {
        let loans = &["loans: id* text, email! text, status"][..];
        let table = [
            (loans, r#"{"loan_id":"l-1"}"#, false, "loan_id = l-1"),
            (loans, r#"{"loanId":" l-1 "}"#, false, "loanId = l-1"),
            (loans, r#"{"id":"l-1"}"#, true, "id = l-1"),
            (loans, r#"{"id":"l-1"}"#, false, "none"),
            (loans, r#"{"loan":"l-1"}"#, true, "loan = l-1"),
            (loans, r#"{"loan":"l-1"}"#, false, "none"),
            (loans, r#"{"email":"a@b"}"#, false, "email = a@b"),
            (loans, r#"{"id":"l-1","loan_id":"l-2"}"#, true, "id = l-1"),
            (
                loans,
                r#"{"loan_id":null,"email":"a@b"}"#,
                true,
                "email = a@b",
            ),
            (loans, r#"{"loan_id":""}"#, true, "none"),
            (loans, r#"{"loan_key":"x"}"#, true, "none"),
            (
                &["t: a* int, b* text"],
                r#"{"b":"x","a":"7"}"#,
                false,
                "a+b = 7+x",
            ),
            (&["t: a* int, b* text"], r#"{"a":7}"#, true, "none"),
            (
                &["parts: id* int, part_id! text"],
                r#"{"part_id":"P-7"}"#,
                true,
                "part_id = P-7",
            ),
            (
                &["books: id* int"],
                r#"{"book_id":"bk_9"}"#,
                true,
                "book_id = unfit",
            ),
            (
                &["issues: key* text"],
                r#"{"issue_key":"A-1"}"#,
                false,
                "issue_key = A-1",
            ),
            (
                &["issues: key* text"],
                r#"{"issue_id":"A-1"}"#,
                false,
                "issue_id = A-1",
            ),
        ];
        for (tables, object, is_named, expected) in table {
            assert_eq!(key(tables, 0, object, is_named), expected, "{object}");
        }
    }

    #[test]
    fn a_value_must_fit_the_type_of_its_column() {
        let table = [
            (Holds::Integer, "007", Some("7")),
            (Holds::Integer, "-7", Some("-7")),
            (Holds::Integer, "7.0", Some("7")),
            (Holds::Integer, "7.5", None),
            (Holds::Integer, "abc", None),
            (Holds::Integer, "0", Some("0")),
            (
                Holds::Uuid,
                "7D444840-9DC0-11D1-B245-5FFDCE74FAD2",
                Some("7d444840-9dc0-11d1-b245-5ffdce74fad2"),
            ),
            (
                Holds::Uuid,
                "{7d4448409dc011d1b2455ffdce74fad2}",
                Some("7d444840-9dc0-11d1-b245-5ffdce74fad2"),
            ),
            (Holds::Uuid, "u-1", None),
            (Holds::Number(None), "1.50", Some("1.50")),
            (Holds::Number(None), "x", None),
            (Holds::Day, "2026-01-02", Some("2026-01-02")),
            (Holds::Day, "soon", None),
            (Holds::Text, "x", Some("x")),
            (Holds::Bytes, "x", None),
        ];
        for (holds, text, expected) in table {
            assert_eq!(
                fit_text(holds, text.into()).as_deref(),
                expected,
                "{holds:?} {text}"
            );
        }
        let _ = model(&[]);
    }
}
