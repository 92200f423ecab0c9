//! Dates and timestamps in the text form of a server whose session runs in
//! UTC with ISO dates, brought into the form ECMAScript prints. What lies outside
//! of the years 0 to 9999 is not compared.

use super::Cell;

/// `2024-02-03 04:05:06.789+00`, `infinity`.
pub(super) fn timestamp(text: &str) -> Cell {
    infinity(text).unwrap_or_else(|| instant(text).map_or(Cell::Unreadable, Cell::Moment))
}

/// `2024-02-03`, `infinity`.
pub(super) fn date(text: &str) -> Cell {
    let day = || is_day(text).then(|| Cell::Day(text.to_owned()));
    infinity(text).or_else(day).unwrap_or(Cell::Unreadable)
}

fn infinity(text: &str) -> Option<Cell> {
    match text {
        "infinity" => Some(Cell::Number(f64::INFINITY)),
        "-infinity" => Some(Cell::Number(f64::NEG_INFINITY)),
        _ => None,
    }
}

fn is_day(text: &str) -> bool {
    let is_digit = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(is_digit)
}

fn instant(text: &str) -> Option<String> {
    let (date, time) = text.split_once(' ')?;
    let time = time.strip_suffix("+00").unwrap_or(time);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let millis: String = fraction.chars().take(3).collect();
    (is_day(date) && clock.len() == 8).then(|| format!("{date}T{clock}.{millis:0<3}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_take_the_ecmascript_form() {
        for (text, iso) in [
            ("2024-02-03 04:05:06", "2024-02-03T04:05:06.000Z"),
            ("2024-02-03 04:05:06.7+00", "2024-02-03T04:05:06.700Z"),
            ("2024-02-03 04:05:06.789999", "2024-02-03T04:05:06.789Z"),
        ] {
            assert_eq!(timestamp(text), Cell::Moment(iso.to_owned()), "{text}");
        }
        assert_eq!(timestamp("infinity"), Cell::Number(f64::INFINITY));
        for text in ["0044-03-15 12:00:00 BC", "12024-01-01 00:00:00+00"] {
            assert_eq!(timestamp(text), Cell::Unreadable, "{text}");
        }
    }

    #[test]
    fn dates_keep_their_day() {
        assert_eq!(date("2024-02-03"), Cell::Day("2024-02-03".to_owned()));
        assert_eq!(date("-infinity"), Cell::Number(f64::NEG_INFINITY));
        for text in ["tomorrow", "0044-03-15 BC", "12024-01-01"] {
            assert_eq!(date(text), Cell::Unreadable, "{text}");
        }
    }
}
