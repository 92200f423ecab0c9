//! Names in a claim that must be found exactly as written (judge I1, I2).

use std::ops::Range;

use crate::builtin::prepared::Text;
use crosscheck_language::quantity::Quantity;
use crosscheck_language::text::chars::{char_at, char_before};
use crosscheck_language::text::{collapse, is_letter, is_whole, is_word_char, normal::lowered};

/// One name in a claim.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::builtin) struct Name<'c> {
    /// Its range, including its marks.
    pub(in crate::builtin) range: Range<usize>,
    /// What to look for.
    pub(in crate::builtin) text: &'c str,
    found: Found,
}

/// How a name is matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// As written.
    Exactly,
    /// In any letter case.
    AnyCase,
    /// In any letter case, but not as a part of a longer name.
    Whole,
}

/// The names in a claim in normal form, in order.
pub(in crate::builtin) fn names(claim: &str) -> Vec<Name<'_>> {
    let mut found: Vec<Name<'_>> = Vec::new();
    if claim.contains('`') {
        quoted(claim, &mut found);
    }
    if claim.contains("--") {
        runs(claim, &mut found, |c| is_word_char(c) || c == '-', flag);
    }
    if claim.contains('/') {
        runs(claim, &mut found, is_path_char, path);
    }
    if claim.contains("::") {
        runs(claim, &mut found, |c| is_word_char(c) || c == ':', scoped);
    }
    if claim.contains("()") {
        runs(
            claim,
            &mut found,
            |c| is_word_char(c) || matches!(c, '.' | '(' | ')'),
            call,
        );
    }
    let is_free = |at: usize| !found.iter().any(|one| one.range.contains(&at));
    if claim.match_indices('_').any(|(at, _)| is_free(at)) {
        runs(claim, &mut found, is_word_char, snake);
    }
    if may_hold_hump(claim) {
        runs(claim, &mut found, is_word_char, camel);
    }
    if claim.contains('-') {
        numbered(claim, &mut found);
    }
    found.sort_by_key(|name| name.range.start);
    found
}

impl Name<'_> {
    /// Whether the claim marks it as a name with back-quotes.
    pub(super) fn is_quoted(&self, claim: &str) -> bool {
        claim.as_bytes().get(self.range.start) == Some(&b'`')
    }

    /// Whether it shares text with a quantity of the claim.
    pub(in crate::builtin) const fn overlaps(&self, quantity: &Quantity) -> bool {
        self.range.start < quantity.range.end && quantity.range.start < self.range.end
    }

    /// Whether the name is in the text, or names its origin.
    pub(in crate::builtin) fn is_in(&self, text: &Text<'_>, reference: Option<&str>) -> bool {
        let name = collapse(self.text);
        let holds = |text: &str, name: &str| {
            memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some()
        };
        match self.found {
            Found::AnyCase => return holds(&text.lower().text, &lowered(&name).text),
            Found::Whole => return is_whole_in(&text.lower().text, &lowered(&name).text),
            Found::Exactly => {}
        }
        let literal = if name.contains(' ') {
            holds(text.collapsed(), &name)
        } else {
            holds(text.normal_text(), &name)
        };
        literal || self.is_place(reference) || last_part_is_in(&name, text.normal_text())
    }

    /// Whether this names the origin of the text.
    pub(in crate::builtin) fn is_place(&self, reference: Option<&str>) -> bool {
        let name = collapse(self.text);
        let is_end = |path: &str| {
            let head = path.strip_suffix(name.as_ref());
            head.is_some_and(|head| head.is_empty() || head.ends_with('/') || name.starts_with('/'))
        };
        name.contains(['/', '.']) && reference.is_some_and(is_end)
    }
}

fn is_whole_in(text: &str, name: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), name).any(|at| {
        let head = text.get(..at).unwrap_or_default();
        is_whole(head, name, text.get(at + name.len()..).unwrap_or_default())
    })
}

/// `a::b` and `a.b` are present when `b` is, as a whole word.
fn last_part_is_in(name: &str, text: &str) -> bool {
    let parts: Vec<&str> = name.split("::").flat_map(|part| part.split('.')).collect();
    let is_name = parts.len() > 1
        && parts
            .iter()
            .all(|part| !part.is_empty() && part.chars().all(is_word_char));
    let Some(last) = parts.last().filter(|_| is_name) else {
        return false;
    };
    text.match_indices(last).any(|(at, _)| {
        let beside = [char_before(text, at), char_at(text, at + last.len())];
        !beside.into_iter().flatten().any(is_word_char)
    })
}

fn quoted<'c>(claim: &'c str, found: &mut Vec<Name<'c>>) {
    let mut rest = 0;
    while let Some(open) = claim.get(rest..).and_then(|tail| tail.find('`')) {
        let start = rest + open;
        let Some(len) = claim.get(start + 1..).and_then(|tail| tail.find('`')) else {
            break;
        };
        let inner = claim.get(start + 1..start + 1 + len).unwrap_or_default();
        let chars = inner.chars().count();
        if (1..=80).contains(&chars) && !inner.contains('\n') {
            let name = inner.strip_suffix("()").unwrap_or(inner).trim();
            if !name.is_empty() {
                found.push(Name {
                    range: start..start + len + 2,
                    text: name,
                    found: Found::Exactly,
                });
            }
            rest = start + len + 2;
        } else {
            rest = start + 1;
        }
    }
}

/// Passes every run of such characters outside the names found so far to `pick`.
fn runs<'c>(
    claim: &'c str,
    found: &mut Vec<Name<'c>>,
    belongs: impl Fn(char) -> bool,
    pick: impl Fn(&'c str) -> Picked<'c>,
) {
    let mut taken = vec![false; claim.len()];
    for place in found.iter().flat_map(|one| one.range.clone()) {
        if let Some(taken) = taken.get_mut(place) {
            *taken = true;
        }
    }
    let mut start = None;
    let ends = claim
        .char_indices()
        .map(|(at, c)| (at, belongs(c) && taken.get(at) == Some(&false)))
        .chain([(claim.len(), false)]);
    for (at, inside) in ends {
        match (start, inside) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                start = None;
                let run = claim.get(from..at).unwrap_or_default();
                if let Some((range, name, how)) = pick(run) {
                    found.push(Name {
                        range: from + range.start..from + range.end,
                        text: name,
                        found: how,
                    });
                }
            }
            _ => {}
        }
    }
}

/// Whether an upper-case letter follows a lower-case one in some run; most
/// claims have none.
fn may_hold_hump(claim: &str) -> bool {
    let mut small = false;
    claim.bytes().any(|byte| {
        let hump = small && byte.is_ascii_uppercase();
        small = byte.is_ascii_lowercase() || (small && byte.is_ascii_alphanumeric());
        hump || !byte.is_ascii()
    })
}

/// Judge I2: `COVID-19`, `GPT-4`, `UTF-8`; not `mid-2019`, which contains a
/// year.
fn numbered<'c>(claim: &'c str, found: &mut Vec<Name<'c>>) {
    let belongs = |c: char| is_word_char(c) || c == '-';
    let mut at = 0;
    while let Some(start) = claim.get(at..).and_then(|tail| tail.find(belongs)) {
        let start = at + start;
        let tail = claim.get(start..).unwrap_or_default();
        let run = tail.get(..tail.find(|c| !belongs(c)).unwrap_or(tail.len()));
        let run = run.unwrap_or_default();
        at = start + run.len();
        let name = with_version(tail, hyphenated(run));
        let last = name.rsplit('-').next().unwrap_or_default();
        let is_year = last.len() == 4 && matches!(last.parse(), Ok(1900..=2099));
        let mut parts = name.split('-').skip(1);
        let numbered = parts.any(|part| part.starts_with(|c: char| c.is_ascii_digit()));
        let range = start..start + name.len();
        let is_free = |one: &Name<'_>| one.range.end <= range.start || range.end <= one.range.start;
        if numbered && !is_year && found.iter().all(is_free) {
            found.push(Name {
                range,
                text: name,
                found: Found::Whole,
            });
        }
    }
}

/// The words joined by single hyphens at the start of a run, if it starts with a
/// letter.
fn hyphenated(run: &str) -> &str {
    if !run.starts_with(is_letter) {
        return "";
    }
    let end = run.find("--").unwrap_or(run.len());
    run.get(..end).unwrap_or_default().trim_end_matches('-')
}

/// The name with the rest of its version: `log4j-2.17.1`.
fn with_version<'c>(tail: &'c str, name: &'c str) -> &'c str {
    let mut end = name.len();
    let goes_on = |c: char| c.is_ascii_alphanumeric();
    let is_digit = |c: char| c.is_ascii_digit();
    while tail.get(..end).is_some_and(|head| head.ends_with(is_digit))
        && let Some(rest) = tail.get(end..).and_then(|rest| rest.strip_prefix('.'))
        && rest.starts_with(is_digit)
    {
        end += 1 + rest.find(|c| !goes_on(c)).unwrap_or(rest.len());
    }
    tail.get(..end).unwrap_or(name)
}

type Picked<'c> = Option<(Range<usize>, &'c str, Found)>;

fn flag(run: &str) -> Picked<'_> {
    let name = run.trim_end_matches('-');
    let letters = name.strip_prefix("--")?;
    letters
        .starts_with(|c: char| c.is_alphanumeric())
        .then_some((0..name.len(), name, Found::Exactly))
}

fn is_path_char(c: char) -> bool {
    is_word_char(c) || matches!(c, '/' | '.' | '-' | '~' | '@' | '+')
}

fn path(run: &str) -> Picked<'_> {
    let name = run.trim_end_matches(['.', '-', '+']);
    (name.contains('/') && name.chars().any(is_letter)).then_some((
        0..name.len(),
        name,
        Found::Exactly,
    ))
}

fn scoped(run: &str) -> Picked<'_> {
    let name = run.trim_matches(':');
    let start = run.len() - run.trim_start_matches(':').len();
    let whole = name.contains("::")
        && name
            .split("::")
            .all(|part| !part.is_empty() && part.chars().all(is_word_char));
    whole.then_some((start..start + name.len(), name, Found::Exactly))
}

fn call(run: &str) -> Picked<'_> {
    let head = run.get(..run.find("()")?)?;
    let name = head.rsplit(['(', ')']).next()?.trim_start_matches('.');
    let start = head.len() - name.len();
    (name.chars().any(is_letter) && !name.ends_with('.')).then_some((
        start..head.len() + 2,
        name,
        Found::Exactly,
    ))
}

fn snake(run: &str) -> Picked<'_> {
    let inner = run.trim_matches('_');
    (inner.contains('_') && inner.chars().any(is_letter)).then_some((
        0..run.len(),
        run,
        Found::Exactly,
    ))
}

/// An upper-case letter after a lower-case one.
fn camel(run: &str) -> Picked<'_> {
    let mut small = false;
    let humped = !run.contains('_')
        && run.starts_with(is_letter)
        && run.chars().any(|c| {
            let inner = small && c.is_uppercase();
            small |= c.is_lowercase();
            inner
        });
    humped.then_some((0..run.len(), run, Found::AnyCase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(claim: &str) -> Vec<&str> {
        super::names(claim)
            .into_iter()
            .map(|name| name.text)
            .collect()
    }

    #[test]
    fn names_are_found_by_their_shape() {
        let table: &[(&str, &[&str])] = &[
            (
                "`parse config()` uses --dry-run, e.g. in src/server.rs.",
                &["parse config", "--dry-run", "src/server.rs"],
            ),
            (
                "a::b calls run() and obj.go() with MAX_BATCH",
                &["a::b", "run", "obj.go", "MAX_BATCH"],
            ),
            (
                "JavaScript and fooBar but not Plain, NASA or HTTPs",
                &["JavaScript", "fooBar"],
            ),
            ("24/7 is no path, and/or is one", &["and/or"]),
            ("an `unclosed one", &[]),
            (
                "COVID-19, GPT-4o-mini and UTF-8 in mid-2019, not 7-zip or --x-1",
                &["COVID-19", "GPT-4o-mini", "UTF-8", "--x-1"],
            ),
            ("well-known x86-64-v3, T-1-2020 a--b-2", &["x86-64-v3"]),
            ("`a`_b_c`", &["a", "_b_c"]),
        ];
        for (claim, expected) in table {
            assert_eq!(names(claim), *expected, "{claim}");
        }
    }

    #[test]
    fn a_name_is_present_literally_as_the_place_or_by_its_last_part() {
        let one = |claim| {
            super::names(claim)
                .into_iter()
                .next()
                .map(|one| (one.text, one.found))
        };
        assert_eq!(one("`x`"), Some(("x", Found::Exactly)));
        let table = [
            ("`load  user`", "a load\nuser b", None, true),
            ("javaScript", "JAVASCRIPT", None, true),
            ("`javaScript`", "JAVASCRIPT", None, false),
            ("src/a.rs", "nothing", Some("/x/src/a.rs"), true),
            ("src/a.rs", "nothing", Some("/x/mysrc/a.rs"), false),
            ("`Error::Missing`", "Missing => x", None, true),
            ("`Error::Missing`", "MissingX", None, false),
            ("`--flag`", "flag", None, false),
            ("Covid-19", "the COVID-19 wave", None, true),
            ("Covid-19", "SARS-CoV-2", None, false),
            ("GPT-4", "GPT-4o and GPT-4.5", None, false),
            ("GPT-4", "(gpt-4)", None, true),
            ("log4j-2.17.1", "log4j-2.14.0", None, false),
            ("log4j-2.17.1", "log4j-2.17.1.jar", None, true),
        ];
        for (claim, snippet, reference, expected) in table {
            let found = super::names(claim);
            assert_eq!(
                found[0].is_in(&Text::new(snippet), reference),
                expected,
                "{claim}"
            );
        }
    }
}
