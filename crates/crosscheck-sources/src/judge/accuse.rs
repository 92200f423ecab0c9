//! Whether a figure that a page does not have speaks against a sentence. It does where the page
//! gives another figure of the same kind for the same thing, from which it cannot come.

use std::collections::HashSet;

use crosscheck_judge::builtin::{
    Amount, AmountOf, Quantity, normalise, quantities, sentences, stems,
};

use crate::observe::PageSeen;

/// A converted figure and a share of a count are rounded by at most this part.
const ROUNDED: f64 = 0.02;
/// Shares are rounded to whole percents.
const PERCENT: f64 = 0.01;
/// No more of a page than this is searched.
const PAGE_MAX: usize = 512 * 1024;
/// A shorter stem is not taken for the root of another one.
const ROOT_MIN: usize = 5;
/// With more text than this, nothing is calculated from the rest of the page.
const TEXT_MAX: usize = 32 * 1024;

/// Whether the page has another figure of this kind for what the sentence is about, from which the
/// sentence does not have its own. What the judge named against the sentence is about the same.
/// A page without any figure has nothing to do with one.
pub(super) fn may_accuse(
    text: &str,
    figure: &Quantity,
    page: &PageSeen,
    named: Option<&str>,
) -> bool {
    let source = page.text.source();
    if !source.contains(char::is_numeric) {
        return true; // nothing that a figure could come from
    }
    let all = named.map_or_else(|| units(source), |named| vec![named.to_owned()]);
    let subject = Subject::of(text, figure, page);
    let is_about = |unit: &str| named.is_some() || subject.is_in(unit);
    let at: Vec<usize> = (0..all.len())
        .filter(|at| all.get(*at).is_some_and(|unit| is_about(unit)))
        .collect();
    let about: Vec<&str> = at
        .iter()
        .filter_map(|at| all.get(*at).map(String::as_str))
        .collect();
    let around = all.join(" ");
    let own = period(text);
    let is_other_rate = |unit: &str| own.zip(period(unit)).is_some_and(|(a, b)| a != b);
    let is_rival = |unit: &&&str| {
        let is_same = |one: &Quantity| is_of_kind(text, figure, one, &around);
        !is_other_rate(unit) && (named.is_some() || quantities(unit).iter().any(is_same))
    };
    let seen: Vec<Quantity> = about.iter().flat_map(|unit| quantities(unit)).collect();
    let mut near: Vec<usize> = at.iter().flat_map(|at| [*at, at + 1]).collect();
    near.dedup();
    let dates = near.iter().filter_map(|at| all.get(*at));
    let dates: Vec<Quantity> = dates.flat_map(|unit| quantities(unit)).collect();
    about.iter().any(|unit| is_rival(&unit))
        && !is_converted(figure, &seen)
        && !is_part(text, figure, &about, &seen, source)
        && !is_between(figure, &dates)
}

/// The sentences and lines of a text.
fn units(source: &str) -> Vec<String> {
    let lines = source.lines().filter(|line| !line.trim().is_empty());
    let mut read = 0;
    let lines = lines.take_while(|line| {
        read += line.len();
        read <= PAGE_MAX
    });
    lines.flat_map(|line| sentences(&normalise(line))).collect()
}

/// What a sentence says besides a figure, and besides what the whole page is about.
struct Subject {
    stems: HashSet<String>,
    figures: Vec<Quantity>,
}

impl Subject {
    fn of(text: &str, figure: &Quantity, page: &PageSeen) -> Self {
        let unit = stems(text.get(figure.range.clone()).unwrap_or_default());
        let mut known: HashSet<String> = unit.into_iter().collect();
        known.extend(stems(&page.header()));
        let own = stems(text).into_iter();
        let own = own.filter(|stem| !known.contains(stem) && !stem.starts_with(char::is_numeric));
        let figures = quantities(text).into_iter();
        Self {
            stems: own.collect(),
            figures: figures.filter(|one| one.range != figure.range).collect(),
        }
    }

    /// Whether a third of it, or another of its figures, is in a part of the page.
    fn is_in(&self, unit: &str) -> bool {
        let its: HashSet<String> = stems(unit).into_iter().collect();
        let is_there = |stem: &&String| {
            its.contains(*stem)
                || stem.len() >= ROOT_MIN && its.iter().any(|its| its.starts_with(stem.as_str()))
        };
        let shared = self.stems.iter().filter(is_there).count();
        let has = |one: &Quantity| quantities(unit).iter().any(|its| one.matches(its));
        shared > 0 && shared * 3 >= self.stems.len() || self.figures.iter().any(has)
    }
}

/// Whether a figure of the page is of the same kind. One without a unit takes it from the words
/// around it, as in a table.
fn is_of_kind(text: &str, figure: &Quantity, seen: &Quantity, around: &str) -> bool {
    let (own, its) = (figure.amounts(), seen.amounts());
    if own.is_empty() || its.is_empty() {
        return own.is_empty() && its.is_empty() && figure.is_alike(seen);
    }
    let is_said = |noun: &str, words: &str| stems(words).iter().any(|stem| stem == noun);
    let same = |a: &Amount, b: &Amount| match (&a.of, &b.of) {
        (AmountOf::Count(noun), AmountOf::Bare) => is_said(noun, around),
        (AmountOf::Bare, AmountOf::Count(noun)) => is_said(noun, text),
        (a, b) => a == b,
    };
    own.iter().any(|a| its.iter().any(|b| same(a, b)))
}

/// The time for which a rate is given.
fn period(text: &str) -> Option<&'static str> {
    const PERIODS: [(&str, [&str; 3]); 5] = [
        ("hour", ["hourly", "hour", "h"]),
        ("day", ["daily", "day", "d"]),
        ("week", ["weekly", "week", "wk"]),
        ("month", ["monthly", "month", "mo"]),
        ("year", ["yearly", "year", "yr"]),
    ];
    const EACH: [&str; 5] = ["a", "an", "per", "each", "every"];
    let text = text.to_lowercase().replace('/', " per ");
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let of = |word: &str| {
        let known = PERIODS.iter().find(|(_, words)| words.contains(&word));
        known.map(|(period, _)| *period)
    };
    let alone = |word: &&str| match *word {
        "annual" | "annually" => Some("year"),
        word if word.ends_with("ly") => of(word),
        _ => None,
    };
    let each = words.windows(2).find_map(|two| match two {
        [each, word] if EACH.contains(each) => of(word),
        _ => None,
    });
    each.or_else(|| words.iter().find_map(alone))
}

fn near(value: f64, other: f64, part: f64) -> bool {
    (value - other).abs() <= value.abs() * part
}

/// Whether the figure is one of these in another unit: 53 pounds for 24 kg.
fn is_converted(figure: &Quantity, seen: &[Quantity]) -> bool {
    let own = figure.amounts();
    let mut its = seen.iter().flat_map(Quantity::amounts);
    its.any(|b| {
        let is_other = |a: &Amount| a.of == b.of && !near(a.unit, b.unit, f64::EPSILON);
        own.iter()
            .any(|a| is_other(a) && near(a.value, b.value, ROUNDED))
    })
}

/// Whether the figure is the rest of a share of the passage, such a share of a count of the page,
/// or an amount before or after a change by that share.
fn is_part(text: &str, figure: &Quantity, about: &[&str], seen: &[Quantity], source: &str) -> bool {
    let amounts = || seen.iter().flat_map(Quantity::amounts);
    let shares: Vec<f64> = amounts()
        .filter(|one| one.of == AmountOf::Share)
        .map(|one| one.value)
        .collect();
    let counts = |one: &Amount| matches!(one.of, AmountOf::Count(_) | AmountOf::Bare);
    let rest = |own: &Amount| {
        shares
            .iter()
            .any(|share| (1.0 - share - own.value).abs() <= PERCENT)
    };
    let is_changed = |own: &Amount, unit: &str| {
        let its: Vec<Amount> = quantities(unit)
            .iter()
            .flat_map(Quantity::amounts)
            .collect();
        let shares = || its.iter().filter(|one| one.of == AmountOf::Share);
        let mut wholes = its
            .iter()
            .filter(|one| one.of == own.of || counts(one) && counts(own));
        wholes.any(|whole| shares().any(|share| is_share_of(own.value, share.value, whole.value)))
    };
    let changed = |own: &Amount| about.iter().any(|unit| is_changed(own, unit));
    let of_page = |own: &Amount| {
        let text = Some(source).filter(|text| !shares.is_empty() && text.len() <= TEXT_MAX);
        let all = quantities(&normalise(text.unwrap_or_default()));
        let mut wholes = all.iter().flat_map(Quantity::amounts).filter(counts);
        wholes.any(|whole| {
            let mut parts = shares.iter().flat_map(|share| [*share, 1.0 - share]);
            parts.any(|part| near(own.value, whole.value * part, ROUNDED))
        })
    };
    figure.amounts().iter().any(|own| match own.of {
        AmountOf::Share => rest(own) && says_more(text, about),
        AmountOf::Count(_) | AmountOf::Bare => changed(own) || of_page(own),
        _ => changed(own),
    })
}

fn is_share_of(own: f64, share: f64, whole: f64) -> bool {
    let (more, less) = (1.0 + share, 1.0 - share);
    let made = [whole * share, whole * more, whole * less];
    let undone = [whole / more, whole / less];
    let mut all = made.into_iter().chain(undone);
    all.any(|value| near(own, value, PERCENT))
}

/// Whether a sentence says or denies anything that none of these parts does, so that the rest of a
/// share can be meant.
fn says_more(text: &str, about: &[&str]) -> bool {
    const DENIED: [&str; 9] = [
        "not",
        "no",
        "n't",
        "never",
        "without",
        "other",
        "others",
        "rest",
        "remaining",
    ];
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let denies = words.any(|word| DENIED.contains(&word) || word.ends_with("n't"));
    let own = stems(&text);
    let is_all = |unit: &&str| {
        let its: HashSet<String> = stems(unit).into_iter().collect();
        own.iter()
            .all(|stem| its.contains(stem) || stem.starts_with(char::is_numeric))
    };
    denies || !about.iter().any(is_all)
}

/// Whether the figure is the time between two of these dates, give or take one of its units.
fn is_between(figure: &Quantity, dates: &[Quantity]) -> bool {
    let amounts = figure.amounts();
    let Some(own) = amounts.iter().find(|one| one.of == AmountOf::Time) else {
        return false;
    };
    let day = |one: &Quantity| {
        let (_, month, day) = one.date().unwrap_or((0, 1, None));
        let days = f64::from(month.max(1) - 1) * 30.4375 + f64::from(day.unwrap_or(1));
        Some(f64::from(one.year()?) * 365.25 + days)
    };
    let days: Vec<f64> = dates.iter().filter_map(day).collect();
    let mut pairs = days
        .iter()
        .flat_map(|a| days.iter().map(move |b| b - a))
        .filter(|between| *between > 0.0);
    pairs.any(|between| (between - own.value).abs() <= own.unit)
}

/// Whether a sentence denies of the rest what the passage says of a share: one in three did not
/// want it, and two thirds wanted it.
pub(super) fn is_rest(text: &str, passage: &str) -> bool {
    let shares = |text: &str| {
        let text = normalise(text).to_lowercase();
        let one_in = ["one in ", "one out of ", "1 in ", "1 out of "];
        let wholes = one_in.iter().filter_map(|words| {
            let (_, tail) = text.split_once(words)?;
            let whole = quantities(tail).into_iter().next()?;
            let whole = Some(whole).filter(|whole| whole.range.start == 0)?;
            whole.amounts().first().map(|whole| 1.0 / whole.value)
        });
        let said = quantities(&text);
        let said = said.iter().flat_map(Quantity::amounts);
        let said = said.filter(|one| one.of == AmountOf::Share);
        said.map(|one| one.value).chain(wholes).collect::<Vec<_>>()
    };
    let (own, its) = (shares(text), shares(passage));
    let is_rest = |a: f64, b: f64| (1.0 - a - b).abs() <= PERCENT;
    own.iter().any(|a| its.iter().any(|b| is_rest(*a, *b)))
}

#[cfg(test)]
mod tests {
    use crosscheck_fetch::text::Page;

    use super::*;

    fn accuses(text: &str, page: &str, title: &str) -> bool {
        let page = Page {
            text: page.to_owned(),
            title: Some(title.to_owned()),
            ..Page::default()
        };
        let page = PageSeen::new(page, false, None);
        let figures = quantities(text).into_iter().filter(Quantity::is_figure);
        let mut missing = figures.filter(|one| !page.has(one));
        missing.any(|one| may_accuse(text, &one, &page, None))
    }

    #[test]
    fn only_another_figure_of_the_same_kind_for_the_same_thing_accuses() {
        let mill = "The mill was built between May 1902 and March 1907. Its wheel is 9 m wide.\n\n\
                    Repairs of the wheel took 18 months. It grinds 40 tonnes a day.\n\n\
                    It has 62 staff. Of the guests, 30 % came by train.\n\n\
                    The yard holds 500 guests. Flour sacks weigh 25 kg.\n\nStores\t4";
        for (text, expected) in [
            ("The wheel is 7 m wide.", true),
            ("The wheel is 90 m wide.", true),
            ("Repairs of the wheel took 11 months.", true),
            ("Repairs of the wheel took 90 weeks.", true),
            ("The mill grinds 70 tonnes a day.", true),
            ("It has 85 staff.", true),
            ("Of the guests, 45 % came by train.", true),
            ("Of the guests, 70 % came by train.", true),
            ("The yard holds 650 guests.", true),
            // another kind, or nothing of the kind
            ("The mill has turned for 117 years.", false),
            ("The wheel cost $700.", false),
            ("The mill grinds 14,600 tonnes a year.", false),
            ("The millers baked 33 loaves.", false),
            // calculated
            ("The mill was built in 58 months.", false),
            ("Some 70 % of the guests did not come by train.", false),
            ("About 150 guests came by train.", false),
            ("A flour sack weighs 55 pounds.", false),
            ("The wheel is 29.5 feet wide.", false),
        ] {
            assert_eq!(accuses(text, mill, "The Ostby mill"), expected, "{text}");
        }
    }

    #[test]
    fn a_changed_amount_and_the_amount_before_are_told_apart_from_a_false_one() {
        let page = "The hall cost 4.2 million crowns, 15 percent more than planned.";
        for (text, expected) in [
            ("The planned cost was about 3.65 million crowns.", false),
            ("The planned cost was about 3.1 million crowns.", true),
        ] {
            assert_eq!(accuses(text, page, "A hall"), expected, "{text}");
        }
    }

    #[test]
    fn the_rest_of_a_share_is_known_in_words_and_figures() {
        let said = "Two thirds of the staff wanted to keep it.";
        for (text, expected) in [
            ("One in three employees did not want to keep it.", true),
            ("33 % did not want to keep it.", true),
            ("Half of them did not want to keep it.", false),
            ("Two thirds did not want to keep it.", false),
            ("One in four did not want to keep it.", false),
        ] {
            assert_eq!(is_rest(text, said), expected, "{text}");
        }
    }
}
