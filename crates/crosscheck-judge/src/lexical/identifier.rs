//! Names in a claim that must be found as they are written.

use std::ops::Range;

use super::quantity::Quantity;
use super::text::{collapse, is_letter, is_word_char};

/// One name in a claim.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Identifier<'c> {
    /// Where it stands, with its marks.
    pub(super) range: Range<usize>,
    /// What to look for.
    pub(super) name: &'c str,
    /// Compared without regard to letter case.
    any_case: bool,
}

/// The names in a claim in normal form, in the order they stand.
pub(super) fn identifiers(claim: &str) -> Vec<Identifier<'_>> {
    let mut found: Vec<Identifier<'_>> = Vec::new();
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
    found.sort_by_key(|identifier| identifier.range.start);
    found
}

impl Identifier<'_> {
    /// Whether the claim marks it as a name with back-quotes.
    pub(super) fn is_quoted(&self, claim: &str) -> bool {
        claim.as_bytes().get(self.range.start) == Some(&b'`')
    }

    /// Whether it shares text with a quantity of the claim.
    pub(super) const fn overlaps(&self, quantity: &Quantity) -> bool {
        self.range.start < quantity.range.end && quantity.range.start < self.range.end
    }

    /// Whether the name stands in the snippet (in normal form), or names the place it is from.
    pub(super) fn is_in(&self, snippet: &str, reference: Option<&str>) -> bool {
        let name = collapse(self.name);
        if self.any_case {
            return snippet.to_lowercase().contains(&name.to_lowercase());
        }
        let literal = if name.contains(' ') {
            collapse(snippet).contains(name.as_ref())
        } else {
            snippet.contains(name.as_ref())
        };
        literal || self.is_place(&name, reference) || last_part_is_in(&name, snippet)
    }

    fn is_place(&self, name: &str, reference: Option<&str>) -> bool {
        name.contains(['/', '.'])
            && reference.is_some_and(|path| {
                path.strip_suffix(name).is_some_and(|head| {
                    head.is_empty() || head.ends_with('/') || self.name.starts_with('/')
                })
            })
    }
}

/// `a::b` and `a.b` are there when `b` is, as a whole word.
fn last_part_is_in(name: &str, snippet: &str) -> bool {
    let parts: Vec<&str> = name.split("::").flat_map(|part| part.split('.')).collect();
    let is_name = parts.len() > 1
        && parts
            .iter()
            .all(|part| !part.is_empty() && part.chars().all(is_word_char));
    let Some(last) = parts.last().filter(|_| is_name) else {
        return false;
    };
    snippet.match_indices(last).any(|(at, _)| {
        let before = snippet.get(..at).and_then(|head| head.chars().next_back());
        let after = snippet
            .get(at + last.len()..)
            .and_then(|tail| tail.chars().next());
        !before.is_some_and(is_word_char) && !after.is_some_and(is_word_char)
    })
}

fn quoted<'c>(claim: &'c str, found: &mut Vec<Identifier<'c>>) {
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
                found.push(Identifier {
                    range: start..start + len + 2,
                    name,
                    any_case: false,
                });
            }
            rest = start + len + 2;
        } else {
            rest = start + 1;
        }
    }
}

/// Offers every run of such characters, outside the names already found, to `pick`.
fn runs<'c>(
    claim: &'c str,
    found: &mut Vec<Identifier<'c>>,
    belongs: impl Fn(char) -> bool,
    pick: impl Fn(&'c str) -> Option<(Range<usize>, &'c str, bool)>,
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
                if let Some((range, name, any_case)) = pick(run) {
                    found.push(Identifier {
                        range: from + range.start..from + range.end,
                        name,
                        any_case,
                    });
                }
            }
            _ => {}
        }
    }
}

/// Whether a capital follows a small letter in some run; most claims have none.
fn may_hold_hump(claim: &str) -> bool {
    let mut small = false;
    claim.bytes().any(|byte| {
        let hump = small && byte.is_ascii_uppercase();
        small = byte.is_ascii_lowercase() || (small && byte.is_ascii_alphanumeric());
        hump || !byte.is_ascii()
    })
}

type Picked<'c> = Option<(Range<usize>, &'c str, bool)>;

fn flag(run: &str) -> Picked<'_> {
    let name = run.trim_end_matches('-');
    let letters = name.strip_prefix("--")?;
    letters
        .starts_with(|c: char| c.is_alphanumeric())
        .then_some((0..name.len(), name, false))
}

fn is_path_char(c: char) -> bool {
    is_word_char(c) || matches!(c, '/' | '.' | '-' | '~' | '@' | '+')
}

fn path(run: &str) -> Picked<'_> {
    let name = run.trim_end_matches(['.', '-', '+']);
    (name.contains('/') && name.chars().any(is_letter)).then_some((0..name.len(), name, false))
}

fn scoped(run: &str) -> Picked<'_> {
    let name = run.trim_matches(':');
    let start = run.len() - run.trim_start_matches(':').len();
    let whole = name.contains("::")
        && name
            .split("::")
            .all(|part| !part.is_empty() && part.chars().all(is_word_char));
    whole.then_some((start..start + name.len(), name, false))
}

fn call(run: &str) -> Picked<'_> {
    let head = run.get(..run.find("()")?)?;
    let name = head.rsplit(['(', ')']).next()?.trim_start_matches('.');
    let start = head.len() - name.len();
    (name.chars().any(is_letter) && !name.ends_with('.')).then_some((
        start..head.len() + 2,
        name,
        false,
    ))
}

fn snake(run: &str) -> Picked<'_> {
    let inner = run.trim_matches('_');
    (inner.contains('_') && inner.chars().any(is_letter)).then_some((0..run.len(), run, false))
}

/// A capital somewhere behind a small letter.
fn camel(run: &str) -> Picked<'_> {
    let mut small = false;
    let humped = !run.contains('_')
        && run.starts_with(is_letter)
        && run.chars().any(|c| {
            let inner = small && c.is_uppercase();
            small |= c.is_lowercase();
            inner
        });
    humped.then_some((0..run.len(), run, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(claim: &str) -> Vec<&str> {
        identifiers(claim)
            .into_iter()
            .map(|identifier| identifier.name)
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
            ("`a`_b_c`", &["a", "_b_c"]),
        ];
        for (claim, expected) in table {
            assert_eq!(names(claim), *expected, "{claim}");
        }
    }

    #[test]
    fn a_name_is_present_literally_as_the_place_or_by_its_last_part() {
        let one = |claim| {
            identifiers(claim)
                .into_iter()
                .next()
                .map(|one| (one.name, one.any_case))
        };
        assert_eq!(one("`x`"), Some(("x", false)));
        let table = [
            ("`load  user`", "a load\nuser b", None, true),
            ("javaScript", "JAVASCRIPT", None, true),
            ("`javaScript`", "JAVASCRIPT", None, false),
            ("src/a.rs", "nothing", Some("/x/src/a.rs"), true),
            ("src/a.rs", "nothing", Some("/x/mysrc/a.rs"), false),
            ("`Error::Missing`", "Missing => x", None, true),
            ("`Error::Missing`", "MissingX", None, false),
            ("`--flag`", "flag", None, false),
        ];
        for (claim, snippet, reference, expected) in table {
            let found = identifiers(claim);
            assert_eq!(found[0].is_in(snippet, reference), expected, "{claim}");
        }
    }
}
