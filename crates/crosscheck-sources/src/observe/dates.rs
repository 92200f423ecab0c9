//! The dates that a page bears without showing them: in its metadata and its
//! address.

use crate::pattern::pattern;

/// No more of a page is searched.
const READ_MAX: usize = 512 * 1024;
/// More dates are not kept.
const DATES_MAX: usize = 64;
/// A date is this near behind its name.
const REACH: usize = 48;

pattern! {
    /// Names of dates in metadata.
    NAMES, "published_time|modified_time|datePublished|dateModified|datetime=|publish"
}

/// Year, month and day.
pub type Date = (u16, u8, Option<u8>);

/// The dates of a page in HTML and of its address.
pub fn dates(body: &[u8], path: &str) -> Vec<Date> {
    let body = body.get(..READ_MAX).unwrap_or(body);
    let text = String::from_utf8_lossy(body);
    let names = NAMES.find_iter(&text).take(DATES_MAX);
    let behind = names.filter_map(|name| {
        let tail = text.as_bytes().get(name.end()..)?;
        first_date(tail.get(..REACH).unwrap_or(tail))
    });
    let mut found: Vec<Date> = behind
        .chain(first_date(path.as_bytes()))
        .chain(month(path))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.truncate(DATES_MAX);
    found
}

/// `2025-01-14` or `2025/01/14`
fn first_date(bytes: &[u8]) -> Option<Date> {
    bytes.windows(10).find_map(|ten| {
        let number = |from: usize, to: usize| -> Option<u16> {
            let digits = std::str::from_utf8(ten.get(from..to)?).ok()?;
            digits
                .parse()
                .ok()
                .filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let marked = matches!(
            (ten.get(4), ten.get(7)),
            (Some(b'-'), Some(b'-')) | (Some(b'/'), Some(b'/'))
        );
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let real =
            (1900..2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        let small = |number: u16| u8::try_from(number).ok();
        (marked && real).then_some((year, small(month)?, small(day)))
    })
}

/// `/2025/01/`
fn month(path: &str) -> Option<Date> {
    let parts: Vec<&str> = path.split('/').collect();
    parts.windows(2).find_map(|two| {
        let &[year, month] = two else { return None };
        let fits = year.len() == 4 && month.len() == 2;
        let year: u16 = year
            .parse()
            .ok()
            .filter(|year| (1900..2100).contains(year))?;
        let month: u8 = month
            .parse()
            .ok()
            .filter(|month| (1..=12).contains(month))?;
        fits.then_some((year, month, None))
    })
}

/// Whether a text names this day without its year: `Jan 14 (Reuters)`.
pub fn names_day(text: &str, month: u8, day: u8) -> bool {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let Some(name) = usize::from(month)
        .checked_sub(1)
        .and_then(|at| MONTHS.get(at))
    else {
        return false;
    };
    let short = name.get(..3).unwrap_or(name);
    let forms = [
        format!("{name} {day}"),
        format!("{short} {day}"),
        format!("{short}. {day}"),
        format!("{day} {name}"),
        format!("{day} {short}"),
    ];
    forms.iter().any(|form| {
        text.match_indices(form.as_str()).any(|(at, _)| {
            let before = text.get(..at).and_then(|head| head.chars().next_back());
            let tail = text.get(at + form.len()..).unwrap_or_default();
            let year = tail.trim_start_matches([' ', ',', '.']);
            let year = year.bytes().take_while(u8::is_ascii_digit).count();
            !before.is_some_and(char::is_alphanumeric)
                && !tail.starts_with(char::is_alphanumeric)
                && year != 4
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_found_in_metadata_and_address() {
        let day = |day| (2025, 1, Some(day));
        for (body, path, expected) in [
            (
                "<meta property=\"article:published_time\" content=\"2025-01-14T10:00\">",
                "/x",
                vec![day(14)],
            ),
            (
                "<time datetime='2025-01-15'>today</time>",
                "/x",
                vec![day(15)],
            ),
            ("{\"datePublished\": \"2025-01-16\"}", "/x", vec![day(16)]),
            ("", "/2025/01/14/solar", vec![(2025, 1, None), day(14)]),
            ("", "/news/2025-01-14-solar", vec![day(14)]),
            ("", "/2025/01/solar", vec![(2025, 1, None)]),
            ("<p>2025-01-14</p>", "/2025/13/40", vec![]),
        ] {
            assert_eq!(dates(body.as_bytes(), path), expected, "{body} {path}");
        }
    }

    #[test]
    fn a_day_can_be_named_without_its_year() {
        for (text, expected) in [
            ("BERLIN, Jan 14 (Reuters) - Solar grew", true),
            ("on 14 January it grew", true),
            ("Jan 14, 2019", false),
            ("Jan 140", false),
            ("Jan 15", false),
        ] {
            assert_eq!(names_day(text, 1, 14), expected, "{text}");
        }
    }
}
