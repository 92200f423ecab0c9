//! Whether a figure that a page does not have speaks against a sentence. It does where the page
//! gives another figure of the same kind for the same thing, from which it cannot come.

use std::borrow::Cow;
use std::collections::HashSet;

use crosscheck_judge::builtin::{Amount, AmountOf, Quantity, normalise, quantities, stems};

use crate::observe::{PageSeen, Passage};

/// A converted figure and a share of a count are rounded by at most this part.
const ROUNDED: f64 = 0.02;
/// Shares are rounded to whole percents.
const PERCENT: f64 = 0.01;
/// A calculated figure that nothing says is rounded is off by at most this part.
const EXACT: f64 = 0.001;
/// Whole numbers up to this are not taken for calculated ones.
const SMALL: f64 = 12.0;
/// More amounts of one passage are not combined.
const AMOUNTS_MAX: usize = 32;
/// More shares of one passage are not tried on its amounts.
const SHARES_MAX: usize = 64;
/// With more text than this, nothing is calculated from the rest of the page.
const TEXT_MAX: usize = 32 * 1024;

/// What a page can say against the figures of a sentence.
pub(super) struct Accuser<'a> {
    text: &'a str,
    page: &'a PageSeen,
    passages: Cow<'a, [Passage]>,
    /// Whether each of them is about the same whatever its words are.
    known: Vec<bool>,
}

impl<'a> Accuser<'a> {
    /// What the judge named against the sentence is about the same, and so is what has a figure of it.
    pub(super) fn of(text: &'a str, page: &'a PageSeen, named: Option<&str>) -> Self {
        let passages = named.map_or_else(
            || Cow::Borrowed(page.passages()),
            |named| Cow::Owned(vec![Passage::of(named.to_owned())]),
        );
        let own = quantities(text);
        let has = |its: &Quantity| own.iter().any(|one| one.matches(its));
        let known = passages.iter();
        let known = known.map(|one| named.is_some() || one.figures.iter().any(has));
        Self {
            known: known.collect(),
            passages,
            text,
            page,
        }
    }

    /// Whether the page has another figure of this kind for what the sentence is about, from which
    /// the sentence does not have its own. A page without any figure has nothing to do with one.
    pub(super) fn accuses(&self, figure: &Quantity) -> bool {
        let source = self.page.text.source();
        if !source.contains(char::is_numeric) {
            return true; // nothing that a figure could come from
        }
        let subject = self.subject(figure);
        let all = self.passages.iter().zip(&self.known).enumerate();
        let at: Vec<usize> = all
            .filter(|(_, (one, known))| **known || is_about(one, &subject))
            .map(|(at, _)| at)
            .collect();
        let about: Vec<&Passage> = at.iter().filter_map(|at| self.passages.get(*at)).collect();
        let mut near: Vec<usize> = at.iter().flat_map(|at| [*at, at + 1]).collect();
        near.dedup();
        let near: Vec<&Passage> = near
            .iter()
            .filter_map(|at| self.passages.get(*at))
            .collect();
        self.has_rival(figure, &about)
            && !is_converted(figure, &about)
            && !is_part(self.text, figure, &about, source)
            && !is_between(figure, near.iter().flat_map(|one| &one.figures))
            && !near.into_iter().any(|one| is_made(figure, one))
    }

    fn has_rival(&self, figure: &Quantity, about: &[&Passage]) -> bool {
        let own = period(self.text);
        let is_other_rate = |text: &str| own.zip(period(text)).is_some_and(|(a, b)| a != b);
        let is_named = matches!(self.passages, Cow::Owned(_));
        let kinds = Kinds::of(self, figure);
        about.iter().any(|one| {
            (is_named || one.figures.iter().any(|seen| kinds.is_of_kind(seen)))
                && !is_other_rate(&one.text)
        })
    }

    /// What the sentence says besides a figure, and besides what the whole page is about.
    fn subject(&self, figure: &Quantity) -> HashSet<String> {
        let unit = stems(self.text.get(figure.range.clone()).unwrap_or_default());
        let mut known: HashSet<String> = unit.into_iter().collect();
        known.extend(stems(&self.page.header()));
        let own = stems(self.text).into_iter();
        own.filter(|stem| !known.contains(stem) && !stem.starts_with(char::is_numeric))
            .collect()
    }
}

/// Whether a third of the stems are in a part of the page.
fn is_about(passage: &Passage, stems: &HashSet<String>) -> bool {
    let shared = stems.iter().filter(|stem| passage.has_root(stem)).count();
    shared > 0 && shared * 3 >= stems.len()
}

/// Which figures of a page are of the kind of one of a sentence. One without a unit takes it from the
/// words around it, as in a table.
struct Kinds<'a> {
    figure: &'a Quantity,
    own: Vec<Amount>,
    /// Whether some passage counts the same.
    counts: bool,
    /// The stems of the sentence.
    said: Vec<String>,
}

impl<'a> Kinds<'a> {
    fn of(accuser: &Accuser<'_>, figure: &'a Quantity) -> Self {
        let own = figure.amounts();
        let is_said = |noun: &str| accuser.passages.iter().any(|one| one.has(noun));
        let counts = own
            .iter()
            .any(|one| matches!(&one.of, AmountOf::Count(noun) if is_said(noun)));
        let said = stems(accuser.text);
        Self {
            figure,
            own,
            counts,
            said,
        }
    }

    fn is_of_kind(&self, seen: &Quantity) -> bool {
        let its = seen.amounts();
        if self.own.is_empty() || its.is_empty() {
            return self.own.is_empty() && its.is_empty() && self.figure.is_alike(seen);
        }
        let same = |a: &Amount, b: &Amount| match (&a.of, &b.of) {
            (AmountOf::Count(_), AmountOf::Bare) => self.counts,
            (AmountOf::Bare, AmountOf::Count(noun)) => {
                self.said.iter().any(|stem| **stem == **noun)
            }
            (a, b) => a == b,
        };
        self.own.iter().any(|a| its.iter().any(|b| same(a, b)))
    }
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

fn amounts(about: &[&Passage]) -> impl Iterator<Item = Amount> {
    let figures = about.iter().flat_map(|one| &one.figures);
    figures.flat_map(Quantity::amounts)
}

fn near(value: f64, other: f64, part: f64) -> bool {
    (value - other).abs() <= value.abs() * part
}

/// Whether the figure is one of these in another unit: 53 pounds for 24 kg.
fn is_converted(figure: &Quantity, about: &[&Passage]) -> bool {
    let own = figure.amounts();
    let mut its = amounts(about);
    its.any(|b| {
        let is_other = |a: &Amount| a.of == b.of && !near(a.unit, b.unit, f64::EPSILON);
        own.iter()
            .any(|a| is_other(a) && near(a.value, b.value, ROUNDED))
    })
}

/// Whether the figure is the rest of a share of the passage, such a share of a count of the page,
/// or an amount before or after a change by that share.
fn is_part(text: &str, figure: &Quantity, about: &[&Passage], source: &str) -> bool {
    let shares: Vec<f64> = amounts(about)
        .filter(|one| one.of == AmountOf::Share)
        .map(|one| one.value)
        .collect();
    let counts = |one: &Amount| matches!(one.of, AmountOf::Count(_) | AmountOf::Bare);
    let rest = |own: &Amount| {
        shares
            .iter()
            .any(|share| (1.0 - share - own.value).abs() <= PERCENT)
    };
    let is_changed = |own: &Amount, one: &&Passage| {
        let its: Vec<Amount> = amounts(&[*one]).collect();
        let shares = || {
            let shares = its.iter().filter(|one| one.of == AmountOf::Share);
            shares.take(SHARES_MAX)
        };
        let mut wholes = its
            .iter()
            .filter(|one| one.of == own.of || counts(one) && counts(own));
        wholes.any(|whole| shares().any(|share| is_share_of(own.value, share.value, whole.value)))
    };
    let changed = |own: &Amount| about.iter().any(|one| is_changed(own, one));
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
fn says_more(text: &str, about: &[&Passage]) -> bool {
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
    let is_all = |one: &&Passage| {
        own.iter()
            .all(|stem| one.has(stem) || stem.starts_with(char::is_numeric))
    };
    denies || !about.iter().any(is_all)
}

/// Whether the figure is the time between two of these dates, give or take one of its units.
fn is_between<'q>(figure: &Quantity, dates: impl Iterator<Item = &'q Quantity>) -> bool {
    let amounts = figure.amounts();
    let Some(own) = amounts.iter().find(|one| one.of == AmountOf::Time) else {
        return false;
    };
    let day = |one: &Quantity| {
        let (_, month, day) = one.date().unwrap_or((0, 1, None));
        let days = f64::from(month.max(1) - 1) * 30.4375 + f64::from(day.unwrap_or(1));
        Some(f64::from(one.year()?) * 365.25 + days)
    };
    let mut days: Vec<f64> = dates.filter_map(day).collect();
    days.sort_unstable_by(f64::total_cmp);
    days.iter().any(|from| {
        let least = from + (own.value - own.unit).max(f64::MIN_POSITIVE);
        let at = days.partition_point(|day| *day < least || day <= from);
        let first = days.get(at);
        first.is_some_and(|day| day - from <= own.value + own.unit)
    })
}

/// Whether two figures of one passage make the figure: their sum, difference, middle or quotient. A
/// figure that is rounded in words may be a little off.
fn is_made(figure: &Quantity, passage: &Passage) -> bool {
    let all: Vec<Amount> = amounts(&[passage]).take(AMOUNTS_MAX).collect();
    let part = if figure.is_rounded() { ROUNDED } else { EXACT };
    let counts = |one: &Amount| matches!(one.of, AmountOf::Count(_) | AmountOf::Bare);
    let alike = |a: &Amount, b: &Amount| a.of == b.of || counts(a) && counts(b);
    let makes = |own: &Amount, a: &Amount, b: &Amount| {
        let (sum, rest) = (a.value + b.value, a.value - b.value);
        let same = alike(a, b)
            && [sum, rest, sum / 2.0]
                .iter()
                .any(|one| near(own.value, *one, part));
        same || counts(b) && b.value > 1.0 && near(own.value, a.value / b.value, part)
    };
    // small numbers and shares come from others by chance
    figure
        .amounts()
        .iter()
        .filter(|own| own.of != AmountOf::Share && (own.value > SMALL || own.value.fract() != 0.0))
        .any(|own| {
            let mut firsts = all.iter().filter(|a| alike(own, a));
            firsts.any(|a| all.iter().any(|b| !std::ptr::eq(a, b) && makes(own, a, b)))
        })
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
        missing.any(|one| Accuser::of(text, &page, None).accuses(&one))
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
    fn a_changed_amount_and_the_amount_before_are_distinguished_from_a_false_one() {
        let page = "The hall cost 4.2 million crowns, 15 percent more than planned.";
        for (text, expected) in [
            ("The planned cost was about 3.65 million crowns.", false),
            ("The planned cost was about 3.1 million crowns.", true),
        ] {
            assert_eq!(accuses(text, page, "A hall"), expected, "{text}");
        }
    }

    #[test]
    fn a_figure_that_two_of_a_passage_make_accuses_no_one() {
        let page = "The town had 4,310 elms in 2010 and 3,120 elms in 2020. It will plant 800 elms for \
                    240,000 euros. Pruning costs between 30,000 and 50,000 euros.";
        for (text, expected) in [
            ("The town lost more than 1,150 elms.", true),
            ("The town lost more than 1,180 elms.", false),
            ("Each elm will cost about 300 euros.", false),
            ("Each elm will cost about 450 euros.", true),
            ("Pruning costs 40,000 euros, give or take a quarter.", false),
            ("Pruning costs 47,000 euros.", true),
        ] {
            assert_eq!(accuses(text, page, "A town"), expected, "{text}");
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

    /// CPU time of this thread, in nanoseconds.
    #[cfg(target_os = "linux")]
    #[expect(clippy::disallowed_methods, reason = "a file of the system, and short")]
    fn cpu() -> u64 {
        let seen = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
        seen.split(' ').next().unwrap().parse().unwrap()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn four_times_the_page_takes_about_four_times_as_long() {
        let text = "The mill ground 123 tonnes in 11 months, 7 staff left it for 5 cities.";
        let taken = |page: &str| {
            let before = cpu();
            accuses(text, page, "A mill");
            cpu() - before
        };
        for piece in [
            "1-2-3-4 ",
            "1 2,5 3.5% ",
            "The mill 4 % 9 ",
            "The mill ground 4 % of 9 tonnes. ",
            "The mill, 3 June 1961, ",
            "城市种植树木1999年",
        ] {
            let pages = [8_000, 32_000].map(|size| piece.repeat(size / piece.len()));
            let mut best = [u64::MAX; 2];
            let is_linear = (0..4).any(|_| {
                best = [0, 1].map(|at| best[at].min(taken(&pages[at])));
                best[1] < 8 * best[0] + 20_000_000
            });
            assert!(is_linear, "{piece}: {best:?}");
        }
    }
}
