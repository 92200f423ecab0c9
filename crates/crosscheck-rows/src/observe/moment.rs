//! Dates and timestamps in the text form of a server whose session runs in
//! UTC with ISO dates, brought into the form ECMAScript prints.

use super::Cell;

/// ECMAScript dates end in this year.
const LAST_YEAR: i64 = 275_760;

/// `2024-02-03 04:05:06.789+00`, `infinity`, `0044-03-15 12:00:00 BC`.
pub(super) fn timestamp(text: &str) -> Cell {
    if let Some(infinite) = infinity(text) {
        return infinite;
    }
    parse_timestamp(text).map_or_else(|| Cell::Text(text.into()), Cell::Moment)
}

/// `2024-02-03`, `infinity`, `0044-03-15 BC`.
pub(super) fn date(text: &str) -> Cell {
    if let Some(infinite) = infinity(text) {
        return infinite;
    }
    day(text).map_or_else(|| Cell::Text(text.into()), Cell::Day)
}

fn infinity(text: &str) -> Option<Cell> {
    match text {
        "infinity" => Some(Cell::Number(f64::INFINITY)),
        "-infinity" => Some(Cell::Number(f64::NEG_INFINITY)),
        _ => None,
    }
}

/// The day with an ECMAScript year.
fn day(text: &str) -> Option<String> {
    let (day, before_christ) = match text.strip_suffix(" BC") {
        Some(day) => (day, true),
        None => (text, false),
    };
    let (year, rest) = day.split_once('-')?;
    let year: i64 = year.parse().ok()?;
    let year = if before_christ { 1 - year } else { year };
    let rest_is_month_and_day = rest.len() == 5
        && rest
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
    if !rest_is_month_and_day || !(-LAST_YEAR..LAST_YEAR).contains(&year) {
        return None;
    }
    Some(match year {
        0..=9999 => format!("{year:04}-{rest}"),
        _ if year < 0 => format!("-{:06}-{rest}", -year),
        _ => format!("+{year:06}-{rest}"),
    })
}

fn parse_timestamp(text: &str) -> Option<String> {
    let (text, suffix) = match text.strip_suffix(" BC") {
        Some(text) => (text, " BC"),
        None => (text, ""),
    };
    let (date, time) = text.split_once(' ')?;
    let time = time.strip_suffix("+00").unwrap_or(time);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    if clock.len() != 8 {
        return None;
    }
    let mut millis: String = fraction.chars().take(3).collect();
    while millis.len() < 3 {
        millis.push('0');
    }
    Some(format!(
        "{}T{clock}.{millis}Z",
        day(&format!("{date}{suffix}"))?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_take_the_ecmascript_form() {
        let table = [
            ("2024-02-03 04:05:06", "2024-02-03T04:05:06.000Z"),
            ("2024-02-03 04:05:06.7+00", "2024-02-03T04:05:06.700Z"),
            ("2024-02-03 04:05:06.789999", "2024-02-03T04:05:06.789Z"),
            ("0044-03-15 12:00:00 BC", "-000043-03-15T12:00:00.000Z"),
            ("12024-01-01 00:00:00+00", "+012024-01-01T00:00:00.000Z"),
        ];
        for (text, iso) in table {
            assert_eq!(timestamp(text), Cell::Moment(iso.to_owned()), "{text}");
        }
        assert_eq!(timestamp("infinity"), Cell::Number(f64::INFINITY));
        assert_eq!(
            timestamp("294276-01-01 00:00:00"),
            Cell::Text("294276-01-01 00:00:00".into())
        );
    }

    #[test]
    fn dates_keep_their_day() {
        assert_eq!(date("2024-02-03"), Cell::Day("2024-02-03".to_owned()));
        assert_eq!(date("-infinity"), Cell::Number(f64::NEG_INFINITY));
        assert_eq!(date("tomorrow"), Cell::Text("tomorrow".into()));
    }
}
