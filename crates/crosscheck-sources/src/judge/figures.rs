//! Figures of a sentence that a page need not repeat, or that it has in
//! another form.

use crosscheck_judge::builtin::{Quantity, normalise, quantities};

use crate::observe::PageSeen;

/// Whether a figure is the author's own: the date of the statement (`As of March 3, 2025`), the
/// least version that is needed (`2.30+`), or a number with a sign for thousands behind it, which
/// the judge cannot read.
pub fn is_own(text: &str, figure: &Quantity) -> bool {
    let head = text.get(..figure.range.start).unwrap_or_default();
    let head = head.trim_end_matches([' ', ':', '(', '*']).to_lowercase();
    let tail = text.get(figure.range.end..).unwrap_or_default();
    let written = text.get(figure.range.clone()).unwrap_or_default();
    let says_when = || {
        let marks = [
            "as of",
            "as at",
            "last updated",
            "last checked",
            "accessed",
            "retrieved",
            "accessed on",
            "retrieved on",
            "stand",
        ];
        figure.date().is_some() && marks.iter().any(|mark| head.ends_with(mark))
    };
    let is_version = written.contains('.') || written.starts_with(['v', 'V']);
    let needs = || {
        let more = [
            " or higher",
            " or newer",
            " or later",
            " or above",
            " or greater",
        ];
        is_version
            && (tail.starts_with('+')
                || more.iter().any(|words| tail.starts_with(words))
                || head.ends_with(">=")
                || head.ends_with('≥'))
    };
    let counts = || tail.starts_with(['万', '萬', '亿', '億', '千', '百', '兆', '만', '억', '조']);
    says_when() || needs() || counts()
}

/// Whether the author calculated the figure from others, so that the page need not have it: a
/// change (`fell by 25,000`), a difference (`9 decibels quieter`), a time between (`18 years
/// after`), a sum (`50 minutes in total`), a share beside its counts (`8 of 84, roughly 10 %`).
pub fn is_calculated(text: &str, figure: &Quantity) -> bool {
    const ABOUT: [&str; 8] = [
        "about",
        "around",
        "roughly",
        "some",
        "nearly",
        "almost",
        "approximately",
        "only",
    ];
    const COMPARED: [&str; 38] = [
        "more",
        "less",
        "fewer",
        "higher",
        "lower",
        "longer",
        "shorter",
        "larger",
        "smaller",
        "bigger",
        "older",
        "younger",
        "taller",
        "heavier",
        "lighter",
        "faster",
        "slower",
        "later",
        "earlier",
        "cheaper",
        "dearer",
        "quieter",
        "louder",
        "warmer",
        "colder",
        "hotter",
        "cooler",
        "wider",
        "narrower",
        "deeper",
        "wetter",
        "drier",
        "stronger",
        "weaker",
        "combined",
        "altogether",
        "overall",
        "together",
    ];
    const SPANS: [&str; 6] = ["year", "years", "month", "months", "decade", "decades"];
    let bare = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
        word.to_lowercase()
    };
    let head = text.get(..figure.range.start).unwrap_or_default();
    let mut before = head.split_whitespace().rev().map(bare);
    let first = before.find(|word| !ABOUT.contains(&word.as_str()));
    let last = head.split_whitespace().next_back().map(bare);
    let is_about = last.is_some_and(|word| ABOUT.contains(&word.as_str()));
    let tail = text.get(figure.range.start..).unwrap_or_default();
    let end = tail.find([',', ';', '(']).unwrap_or(tail.len());
    let behind: Vec<String> = tail
        .get(..end)
        .unwrap_or_default()
        .split_whitespace()
        .map(bare)
        .take(6)
        .collect();
    let compares = || {
        behind
            .iter()
            .skip(1)
            .take(4)
            .any(|word| COMPARED.contains(&word.as_str()))
    };
    let pairs = |is_pair: fn(&str, &str) -> bool| {
        behind
            .windows(2)
            .any(|two| matches!(two, [a, b] if is_pair(a, b)))
    };
    let is_share = || {
        let written = text.get(figure.range.clone()).unwrap_or_default();
        let counts = quantities(&normalise(head))
            .iter()
            .filter(|one| one.is_figure())
            .count();
        is_about
            && counts > 1
            && (written.contains('%') || tail.contains("per cent") || tail.contains("percent"))
    };
    first.as_deref() == Some("by") && figure.date().is_none()
        || compares()
        || pairs(|a, b| SPANS.contains(&a) && matches!(b, "after" | "before"))
        || pairs(|a, b| a == "in" && matches!(b, "total" | "all"))
        || head.trim_end().ends_with("a total of")
        || is_share()
}

/// Whether the page says the figure in another form: 20 % for `1 in 5`, 3 minutes 45 seconds for
/// `3:45`, and the reverse.
pub fn is_in_another_form(text: &str, figure: &Quantity, page: &PageSeen) -> bool {
    let has = |words: &str| {
        let wanted = quantities(&normalise(words));
        !wanted.is_empty() && wanted.iter().all(|one| page.has(one))
    };
    let mut forms = share(text, figure)
        .into_iter()
        .chain(clock(text, figure))
        .chain(duration(text, figure));
    forms.any(|form| has(&form))
}

/// The numbers of `1 in 5` or `1 out of 5`, of which the figure is one, as a percentage.
fn share(text: &str, figure: &Quantity) -> Option<String> {
    const JOINS: [&str; 4] = [" in ", " in every ", " out of ", " out of every "];
    let head = text.get(..figure.range.start)?;
    let rest = text.get(figure.range.start..)?;
    let own = leading(rest)?;
    let (part, whole) = JOINS.iter().find_map(|join| {
        let behind = rest.get(own.to_string().len()..)?.strip_prefix(join);
        let before = head.strip_suffix(join).and_then(trailing);
        behind
            .and_then(leading)
            .map(|whole| (own, whole))
            .or_else(|| Some((before?, own)))
    })?;
    (part < whole && part * 100 % whole == 0).then(|| format!("{} %", part * 100 / whole))
}

/// `3:45` in words.
fn clock(text: &str, figure: &Quantity) -> Vec<String> {
    let written = text.get(figure.range.clone()).unwrap_or_default();
    let numbers: Option<Vec<u32>> = written.split(':').map(|part| part.parse().ok()).collect();
    match numbers.as_deref() {
        Some([a, b]) => vec![
            format!("{a} minutes, {b} seconds"),
            format!("{a} hours, {b} minutes"),
        ],
        Some([a, b, 0]) => vec![format!("{a} hours, {b} minutes")],
        Some([a, b, c]) => vec![format!("{a} hours, {b} minutes, {c} seconds")],
        _ => Vec::new(),
    }
}

/// The numbers of `2 h 3 min`, of which the figure is one, as a clock shows them.
fn duration(text: &str, figure: &Quantity) -> Vec<String> {
    let is_unit = |word: &str, units: &[&str]| {
        let word = word.trim_end_matches(['.', ',']).to_lowercase();
        units.contains(&word.as_str())
    };
    let long = ["h", "hr", "hrs", "hour", "hours"];
    let middle = ["min", "mins", "minute", "minutes", "m"];
    let short = ["s", "sec", "secs", "second", "seconds"];
    let words: Vec<(usize, &str)> = text
        .split([' ', '-'])
        .filter(|word| !word.is_empty() && *word != "and")
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
        .collect();
    let mut forms = Vec::new();
    for four in words.windows(4) {
        let &[(at, a), (_, first), (other, b), (_, second)] = four else {
            continue;
        };
        let own = at == figure.range.start || other == figure.range.start;
        let hours = is_unit(first, &long) && is_unit(second, &middle);
        let minutes = is_unit(first, &middle) && is_unit(second, &short);
        let numbers = a.parse::<u32>().ok().zip(b.parse::<u32>().ok());
        if let Some((a, b)) = numbers.filter(|_| own && (hours || minutes)) {
            forms.push(format!("{a}:{b:02}"));
            forms.extend(hours.then(|| format!("{a}:{b:02}:00")));
        }
    }
    forms
}

fn leading(text: &str) -> Option<u64> {
    let len = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..len).filter(|_| len <= 4)?.parse().ok()
}

fn trailing(text: &str) -> Option<u64> {
    let len = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    text.get(text.len() - len..)
        .filter(|_| len <= 4)?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use crosscheck_fetch::text::Page;

    use super::*;

    fn figures(text: &str) -> Vec<Quantity> {
        let all = quantities(text).into_iter();
        all.filter(Quantity::is_figure).collect()
    }

    #[test]
    fn the_date_of_a_statement_and_a_needed_version_are_the_authors_own() {
        for (text, own) in [
            ("As of March 3, 2025, it has 5 doors.", vec![true, false]),
            ("It opened on March 3, 2025.", vec![false]),
            ("(accessed 3 March 2025)", vec![true]),
            (
                "It needs Git 2.30+ and Node v20 or higher",
                vec![true, true],
            ),
            ("It has 100+ doors and 7 or more.", vec![false, false]),
            ("人口约14亿", vec![true]),
        ] {
            let seen: Vec<bool> = figures(text).iter().map(|one| is_own(text, one)).collect();
            assert_eq!(seen, own, "{text}");
        }
    }

    #[test]
    fn a_figure_that_was_calculated_is_known() {
        for (text, expected) in [
            ("Traffic dropped by 25,000 in that time.", true),
            ("Traffic dropped by about 12%.", true),
            ("The sum was 0.4 million euros lower than before.", true),
            ("It ended 18 years after the last tram.", true),
            ("The loss was $6.4 million smaller.", true),
            ("It is 9 decibels quieter than the old one.", true),
            ("It takes 50 minutes in total.", true),
            ("The firm paid 4.7 million euros.", false),
            ("The bridge is 312 metres long.", false),
            ("It leaves 40 minutes after sunset.", false),
            ("Traffic dropped to 25,000.", false),
        ] {
            let seen = figures(text).iter().any(|one| is_calculated(text, one));
            assert_eq!(seen, expected, "{text}");
        }
        let share = "8 of 84 nurses, roughly 10%, left.";
        let seen: Vec<bool> = figures(share)
            .iter()
            .map(|one| is_calculated(share, one))
            .collect();
        assert_eq!(seen, [false, false, true]);
    }

    #[test]
    fn shares_and_durations_are_known_in_other_forms() {
        for (claim, text, expected) in [
            ("About 1 in 5 adults smoke.", "20% of adults smoke.", true),
            ("About 1 in 5 adults smoke.", "25% of adults smoke.", false),
            ("2 out of 5 do.", "Of them 40 percent do it.", true),
            (
                "The song is 3:45 long.",
                "The song is 3 minutes 45 seconds long.",
                true,
            ),
            (
                "The song is 3:45 long.",
                "The song is 3 minutes 54 seconds long.",
                false,
            ),
            ("He needed 2 h 3 min.", "He needed 2:03:00.", true),
            ("He needed 2 h 4 min.", "He needed 2:03:00.", false),
            ("It weighs 1.1 kg.", "It weighs 2.4 pounds.", true),
            ("It weighs 2.1 kg.", "It weighs 2.4 pounds.", false),
        ] {
            let page = PageSeen::new(
                Page {
                    text: text.to_owned(),
                    ..Page::default()
                },
                false,
                None,
            );
            let has = |one: &Quantity| page.has(one) || is_in_another_form(claim, one, &page);
            assert_eq!(figures(claim).iter().all(has), expected, "{claim} / {text}");
        }
    }
}
