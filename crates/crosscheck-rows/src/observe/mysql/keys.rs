//! The keys of a batch on their way to the server.
//!
//! They become the columns of a derived table, and the server would compare a
//! derived column by its own type and collation, not by those of the table. So
//! every key column gets the type and collation of the column it is compared
//! with. What the columns cannot hold together is asked for one by one.

use mysql_async::Value;
use smol_str::SmolStr;

use super::identity::{self, DECIMAL_DIGITS};
use super::survey::{KnownColumn, MysqlType};
use crate::observe::source::{BatchError, Key};

/// A key column is never declared shorter, so that statements look alike.
const SHORTEST_TEXT: usize = 64;
/// The protocol counts the values of a statement with 16 bits.
const MAX_VALUES: usize = 65_000;

/// How the keys are written in a statement.
#[derive(Debug)]
pub(super) struct BoundKeys {
    /// What stands for the value of each column, in every row.
    pub(super) casts: Vec<String>,
    /// The values, row by row.
    pub(super) values: Vec<Value>,
    /// A log names bytes in some spelling (hex, UUID, Base64); that they were
    /// not found as written does not mean that they are not there.
    pub(super) over_bytes: bool,
}

/// Binds the keys for the columns they are compared with. A failure names the
/// value where there is one key only; otherwise the batch is to be split.
pub(super) fn bind(
    columns: &[&KnownColumn],
    keys: &[Key],
    max_bytes: usize,
) -> Result<BoundKeys, BatchError> {
    let wrong = |message: String| BatchError::Values(message);
    if keys.len() > 1 && keys.len() * columns.len() > MAX_VALUES {
        return Err(wrong("too many values for one statement".to_owned()));
    }
    let bytes: usize = keys.iter().flatten().map(SmolStr::len).sum();
    if bytes > max_bytes {
        return Err(wrong(
            "the key is longer than the server accepts".to_owned(),
        ));
    }
    let mut casts = Vec::with_capacity(columns.len());
    let mut bound: Vec<Vec<Value>> = Vec::with_capacity(columns.len());
    for (at, column) in columns.iter().enumerate() {
        let values = keys
            .iter()
            .map(|key| {
                let text = key.get(at).map_or("", SmolStr::as_str);
                identity::bind(column.kind, text)
            })
            .collect::<Result<Vec<Value>, String>>()
            .map_err(|why| wrong(format!("column {}: {why}", column.name)))?;
        casts.push(cast(column, &values, keys.len() == 1)?);
        bound.push(values);
    }
    Ok(BoundKeys {
        casts,
        values: row_by_row(bound, keys.len()),
        over_bytes: columns.iter().any(|column| column.kind == MysqlType::Bytes),
    })
}

fn row_by_row(columns: Vec<Vec<Value>>, count: usize) -> Vec<Value> {
    let width = columns.len();
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    let mut values = Vec::with_capacity(width * count);
    for _ in 0..count {
        values.extend(columns.iter_mut().filter_map(Iterator::next));
    }
    values
}

/// The type in which all values of a column fit, exactly.
fn cast(column: &KnownColumn, values: &[Value], is_alone: bool) -> Result<String, BatchError> {
    Ok(match column.kind {
        MysqlType::Integer | MysqlType::Bits | MysqlType::Year => integer_cast(values).to_owned(),
        MysqlType::Decimal => decimal_cast(values)?,
        // adding zero is a conversion every version knows
        MysqlType::Float | MysqlType::Double => "(? + 0e0)".to_owned(),
        MysqlType::Date => "CAST(? AS DATE)".to_owned(),
        MysqlType::DateTime => "CAST(? AS DATETIME(6))".to_owned(),
        MysqlType::Time => "CAST(? AS TIME(6))".to_owned(),
        MysqlType::Bytes => "CAST(? AS BINARY)".to_owned(),
        MysqlType::Text | MysqlType::Json | MysqlType::Other => {
            text_cast(column, values, is_alone)?
        }
    })
}

fn integer_cast(values: &[Value]) -> &'static str {
    let has_large = values.iter().any(|value| matches!(value, Value::UInt(_)));
    let has_negative = values
        .iter()
        .any(|value| matches!(value, Value::Int(number) if *number < 0));
    match (has_large, has_negative) {
        (false, _) => "CAST(? AS SIGNED)",
        (true, false) => "CAST(? AS UNSIGNED)",
        (true, true) => "CAST(? AS DECIMAL(20,0))",
    }
}

/// The values were written out as `whole.fraction0`.
fn decimal_cast(values: &[Value]) -> Result<String, BatchError> {
    let (mut whole, mut scale) = (1, 0);
    for value in values {
        let Value::Bytes(digits) = value else {
            continue;
        };
        let unsigned = digits.strip_prefix(b"-").unwrap_or(digits);
        let point = unsigned.iter().position(|byte| *byte == b'.');
        let point = point.unwrap_or(unsigned.len());
        whole = whole.max(point);
        scale = scale.max(unsigned.len().saturating_sub(point + 2));
    }
    if whole + scale > DECIMAL_DIGITS {
        let message = "the decimals of one batch differ too much in size";
        return Err(BatchError::Values(message.to_owned()));
    }
    Ok(format!("CAST(? AS DECIMAL({DECIMAL_DIGITS},{scale}))"))
}

/// Text in the character set and collation of its column. Text that the set
/// may not hold goes out as Unicode, alone: then the server converts the
/// column, as it does for a plain value.
fn text_cast(column: &KnownColumn, values: &[Value], is_alone: bool) -> Result<String, BatchError> {
    let longest = values.iter().map(characters).max().unwrap_or_default();
    let length = longest.next_power_of_two().max(SHORTEST_TEXT);
    let Some((set, collation)) = &column.collation else {
        return Ok(format!("CAST(? AS CHAR({length}) CHARACTER SET utf8mb4)"));
    };
    if values.iter().all(|value| holds(set, value)) {
        return Ok(format!(
            "CAST(? AS CHAR({length}) CHARACTER SET {set}) COLLATE {collation}"
        ));
    }
    if is_alone {
        return Ok(format!("CAST(? AS CHAR({length}) CHARACTER SET utf8mb4)"));
    }
    let message = format!("not every text fits the character set {set}");
    Err(BatchError::Values(message))
}

fn characters(value: &Value) -> usize {
    match value {
        Value::Bytes(text) => String::from_utf8_lossy(text).chars().count(),
        _ => 0,
    }
}

/// Whether a character set surely holds a text.
fn holds(set: &str, value: &Value) -> bool {
    let Value::Bytes(text) = value else {
        return true;
    };
    match set {
        "utf8mb4" | "utf16" | "utf16le" | "utf32" => true,
        // everything but the outer planes
        "utf8mb3" | "utf8" | "ucs2" => !text.iter().any(|byte| *byte >= 0xf0),
        _ => text.is_ascii(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: MysqlType, collation: Option<(&str, &str)>) -> KnownColumn {
        KnownColumn {
            name: "c".to_owned(),
            kind,
            collation: collation.map(|(set, name)| (set.to_owned(), name.to_owned())),
        }
    }

    fn casts(
        kind: MysqlType,
        collation: Option<(&str, &str)>,
        texts: &[&str],
    ) -> Result<String, String> {
        let column = column(kind, collation);
        let keys: Vec<Key> = texts.iter().map(|text| [(*text).into()].into()).collect();
        match bind(&[&column], &keys, 1000) {
            Ok(bound) => Ok(bound.casts.concat()),
            Err(BatchError::Values(message)) => Err(message),
            Err(other) => panic!("{other:?}"),
        }
    }

    /// Kind and collation of a column, its keys, and how they are cast.
    type Case<'a> = (
        MysqlType,
        Option<(&'a str, &'a str)>,
        &'a [&'a str],
        &'a str,
    );

    #[test]
    fn every_kind_of_key_has_a_type_that_holds_all_of_its_values() {
        let swedish = Some(("latin1", "latin1_swedish_ci"));
        let table: [Case<'_>; 12] = [
            (MysqlType::Integer, None, &["-7", "7"], "CAST(? AS SIGNED)"),
            (
                MysqlType::Integer,
                None,
                &["7", "18446744073709551615"],
                "CAST(? AS UNSIGNED)",
            ),
            (
                MysqlType::Bits,
                None,
                &["-7", "18446744073709551615"],
                "CAST(? AS DECIMAL(20,0))",
            ),
            (
                MysqlType::Decimal,
                None,
                &["1.5", "-20.125"],
                "CAST(? AS DECIMAL(65,3))",
            ),
            (MysqlType::Decimal, None, &["7"], "CAST(? AS DECIMAL(65,0))"),
            (MysqlType::Float, None, &["0.1"], "(? + 0e0)"),
            (MysqlType::Date, None, &["2024-01-02"], "CAST(? AS DATE)"),
            (
                MysqlType::DateTime,
                None,
                &["2024-01-02 03:04:05"],
                "CAST(? AS DATETIME(6))",
            ),
            (MysqlType::Time, None, &["03:04:05"], "CAST(? AS TIME(6))"),
            (MysqlType::Bytes, None, &["x"], "CAST(? AS BINARY)"),
            (
                MysqlType::Other,
                None,
                &["x"],
                "CAST(? AS CHAR(64) CHARACTER SET utf8mb4)",
            ),
            (
                MysqlType::Text,
                swedish,
                &["x"],
                "CAST(? AS CHAR(64) CHARACTER SET latin1) COLLATE latin1_swedish_ci",
            ),
        ];
        for (kind, collation, texts, wanted) in table {
            assert_eq!(
                casts(kind, collation, texts).as_deref(),
                Ok(wanted),
                "{kind:?} {texts:?}"
            );
        }
    }

    #[test]
    fn no_text_is_cut() {
        let general = Some(("utf8mb4", "utf8mb4_general_ci"));
        let long = "é".repeat(65);
        assert_eq!(
            casts(MysqlType::Text, general, &["a", &long]).as_deref(),
            Ok("CAST(? AS CHAR(128) CHARACTER SET utf8mb4) COLLATE utf8mb4_general_ci")
        );
    }

    #[test]
    fn text_that_the_character_set_may_not_hold_goes_alone() {
        let unicode = Ok("CAST(? AS CHAR(64) CHARACTER SET utf8mb4)");
        for (set, text) in [
            ("latin1", "é"),
            ("utf8mb3", "😀"),
            ("utf8", "😀"),
            ("ucs2", "😀"),
            ("gbk", "é"),
        ] {
            let collation = Some((set, "x"));
            assert!(
                casts(MysqlType::Text, collation, &["a", text]).is_err(),
                "{set}"
            );
            assert_eq!(
                casts(MysqlType::Text, collation, &[text]).as_deref(),
                unicode,
                "{set}"
            );
        }
        assert!(casts(MysqlType::Text, Some(("utf8mb3", "x")), &["a", "é"]).is_ok());
    }

    #[test]
    fn what_does_not_fit_together_is_refused_and_fits_alone() {
        let (large, small) = (format!("{}5", "1".repeat(60)), "0.000000001");
        assert!(casts(MysqlType::Decimal, None, &[&large, small]).is_err());
        assert!(casts(MysqlType::Decimal, None, &[&large]).is_ok());
        assert!(casts(MysqlType::Decimal, None, &[small]).is_ok());
        assert!(casts(MysqlType::Integer, None, &["1", "x"]).is_err());
        assert!(casts(MysqlType::Text, None, &[&"x".repeat(1001)]).is_err());
    }

    #[test]
    fn values_go_out_row_by_row() {
        let (number, text) = (
            column(MysqlType::Integer, None),
            column(MysqlType::Text, None),
        );
        let keys = [
            Key::from_vec(vec!["1".into(), "a".into()]),
            Key::from_vec(vec!["2".into(), "b".into()]),
        ];
        let bound = bind(&[&number, &text], &keys, 1000).unwrap();
        let bytes = |text: &str| Value::Bytes(text.into());
        assert_eq!(
            bound.values,
            [Value::Int(1), bytes("a"), Value::Int(2), bytes("b")]
        );
    }
}
