//! Values on their way from the server, by the type of their column.

use mysql_async::Value;

use super::super::catalog::{Identifier, TableRef};
use super::super::sql::Dialect;
use super::super::{Cell, VALUE_MAX, json_cell, moment};
use super::survey::MysqlType;

const SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// A column as it is selected. Times come as the server's own text, which
/// knows their precision; values that are not scalars are not transferred.
pub(super) fn selected(table: &TableRef, column: &Identifier, kind: MysqlType) -> String {
    let name = Dialect::Mysql.column(table, column);
    match kind {
        MysqlType::Time | MysqlType::Other => format!("CAST({name} AS CHAR)"),
        MysqlType::Bits | MysqlType::Bytes => format!("CASE WHEN {name} IS NOT NULL THEN '' END"),
        _ => name,
    }
}

/// Whether a value of a kind may be longer than is read.
pub(super) fn may_be_long(kind: MysqlType) -> bool {
    matches!(kind, MysqlType::Text | MysqlType::Json | MysqlType::Other)
}

/// The columns as they are selected, and after them whether those of the row
/// are too long to be read, together. Such values are not sent.
pub(super) fn bounded(columns: &[(String, MysqlType)]) -> Vec<String> {
    let lengths: Vec<String> = columns
        .iter()
        .filter(|(_, kind)| may_be_long(*kind))
        .map(|(column, _)| format!("COALESCE(LENGTH({column}), 0)"))
        .collect();
    let is_long = if lengths.is_empty() {
        "0".to_owned()
    } else {
        format!("{} > {VALUE_MAX}", lengths.join(" + "))
    };
    let shown = |(column, kind): &(String, MysqlType)| {
        if may_be_long(*kind) {
            format!("IF({is_long}, NULL, {column})")
        } else {
            column.clone()
        }
    };
    let mut list: Vec<String> = columns.iter().map(shown).collect();
    list.push(is_long.clone());
    let named = list.iter().enumerate();
    named
        .map(|(at, shown)| format!("{shown} AS f{at}"))
        .collect()
}

/// The value as the comparison sees it.
pub(super) fn cell(value: Value, kind: MysqlType) -> Cell {
    match value {
        Value::NULL => Cell::Null,
        _ if matches!(kind, MysqlType::Bits | MysqlType::Bytes) => Cell::Unreadable,
        Value::Int(number) => integer(number.unsigned_abs(), number < 0),
        Value::UInt(number) => integer(number, false),
        // the shortest text that names this float is what people wrote
        Value::Float(number) => number
            .to_string()
            .parse()
            .map_or(Cell::Unreadable, Cell::Number),
        Value::Double(number) => Cell::Number(number),
        Value::Date(year, month, day, hour, minute, second, micros) => {
            let date = format!("{year:04}-{month:02}-{day:02}");
            let time = format!("{date} {hour:02}:{minute:02}:{second:02}");
            match (kind, month == 0 || day == 0) {
                (MysqlType::Date, true) => Cell::Text(date.into()),
                (MysqlType::Date, false) => moment::date(&date),
                (_, true) => Cell::Text(time.into()),
                (_, false) => moment::timestamp(&format!("{time}.{micros:06}")),
            }
        }
        Value::Bytes(bytes) => text(bytes, kind),
        Value::Time(..) => Cell::Unreadable,
    }
}

fn text(bytes: Vec<u8>, kind: MysqlType) -> Cell {
    // replacement characters would make it equal to a text that holds them
    let Ok(text) = String::from_utf8(bytes) else {
        return Cell::Unreadable;
    };
    match kind {
        MysqlType::Json => json_cell(&text),
        _ => Cell::Text(text.into()),
    }
}

/// A number while a double holds it exactly, its digits beyond.
#[expect(
    clippy::cast_precision_loss,
    reason = "only integers that a double holds exactly"
)]
fn integer(magnitude: u64, is_negative: bool) -> Cell {
    match (magnitude <= SAFE_INTEGER, is_negative) {
        (true, true) => Cell::Number(-(magnitude as f64)),
        (true, false) => Cell::Number(magnitude as f64),
        (false, true) => Cell::Text(format!("-{magnitude}").into()),
        (false, false) => Cell::Text(magnitude.to_string().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_beyond_a_double_keep_their_digits() {
        let table = [
            (Value::Int(-7), Cell::Number(-7.0)),
            (
                Value::Int(9_007_199_254_740_991),
                Cell::Number(9_007_199_254_740_991.0),
            ),
            (
                Value::Int(-9_007_199_254_740_992),
                Cell::Text("-9007199254740992".into()),
            ),
            (
                Value::Int(i64::MIN),
                Cell::Text("-9223372036854775808".into()),
            ),
            (
                Value::UInt(u64::MAX),
                Cell::Text("18446744073709551615".into()),
            ),
        ];
        for (value, cell) in table {
            assert_eq!(super::cell(value, MysqlType::Integer), cell);
        }
    }

    #[test]
    fn a_date_without_a_day_is_text() {
        let zero = Value::Date(0, 0, 0, 0, 0, 0, 0);
        assert_eq!(
            cell(zero.clone(), MysqlType::Date),
            Cell::Text("0000-00-00".into())
        );
        assert_eq!(
            cell(zero, MysqlType::DateTime),
            Cell::Text("0000-00-00 00:00:00".into())
        );
        let half = Value::Date(2024, 2, 0, 0, 0, 0, 0);
        assert_eq!(cell(half, MysqlType::Date), Cell::Text("2024-02-00".into()));
    }
}
