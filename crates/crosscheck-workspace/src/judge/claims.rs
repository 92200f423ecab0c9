//! The files a report names as its evidence.

use super::lines::{Line, Lines, Topic};
use super::parse::is_issue_heading;
use super::spans::code_spans;
use crate::plan::path_claim::{PathClaim, claimed_path};

/// The most claims that are looked at in one report.
pub const MAX_CLAIMS: usize = 10_000;

/// The claims, and whether there are more.
pub(super) fn paths(lines: &Lines<'_>) -> (Vec<PathClaim>, bool) {
    let mut claims: Vec<PathClaim> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut read_up_to = 0;
    for (at, line) in lines.iter().enumerate() {
        let Some(heading) = &line.heading else {
            continue;
        };
        let lists_deliverables = heading.topic == Topic::Deliverables;
        if at < read_up_to || !(lists_deliverables || heading.topic == Topic::FilesReviewed) {
            continue;
        }
        let level = heading.level;
        let body = lines.until(at + 1, |line| {
            line.heading
                .is_some_and(|next| next.level <= level || is_issue_heading(next))
        });
        read_up_to = at + 1 + body.len();
        let mut lists_deliverables = lists_deliverables.then_some(0);
        let claiming = body.iter().filter(|line| {
            if let Some(heading) = line.heading {
                let is_over = lists_deliverables.is_some_and(|above| heading.level <= above);
                if is_over {
                    lists_deliverables = None;
                }
                if heading.topic == Topic::Deliverables {
                    lists_deliverables.get_or_insert(heading.level);
                }
            }
            !(line.fenced || lists_deliverables.is_some() && denies(line))
        });
        for (path, line) in claiming.flat_map(|line| claims_of(&line.text)) {
            if seen.insert((path, line)) {
                if claims.len() == MAX_CLAIMS {
                    return (claims, true);
                }
                claims.push(PathClaim {
                    path: path.to_owned(),
                    line,
                });
            }
        }
    }
    (claims, false)
}

/// A line that says something is not there claims no file.
fn denies(line: &Line<'_>) -> bool {
    let text = line.text.as_bytes();
    has_word(text, b"missing")
        || has_word(text, b"not found")
        || (!text.is_ascii() && line.text.contains('❌'))
}

/// Whether a lower-case word occurs, in any case.
fn has_word(text: &[u8], word: &[u8]) -> bool {
    let Some(first) = word.first() else {
        return true;
    };
    memchr::memchr2_iter(*first, first.to_ascii_uppercase(), text).any(|at| {
        text.get(at..at + word.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(word))
    })
}

/// Path and line of every claim of a line.
fn claims_of(line: &str) -> impl Iterator<Item = (&str, Option<u64>)> {
    let spans = code_spans(line);
    let alone = spans.is_empty().then(|| list_item(line)).flatten();
    let quoted = spans
        .into_iter()
        .filter_map(|(_, inside)| Some(line.get(inside)?.trim()));
    alone.into_iter().chain(quoted).filter_map(claimed_path)
}

/// The text of a list item, whatever its bullet.
fn list_item(line: &str) -> Option<&str> {
    let line = line.trim();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if numbered.len() < line.len() {
        numbered.strip_prefix(['.', ')'])?
    } else {
        line.strip_prefix(['-', '*', '+'])?
    };
    rest.starts_with([' ', '\t']).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::super::Report;

    fn claimed(report: &str) -> Vec<(String, Option<u64>)> {
        Report::read(report.as_bytes())
            .claims()
            .iter()
            .map(|claim| (claim.path.clone(), claim.line))
            .collect()
    }

    #[test]
    fn only_the_two_sections_claim_and_denials_do_not() {
        let report = "`x/a.rs`\n## Deliverables Verified\n- `b.rs` and `c.rs:4`\n- d.rs\n- e.rs too\n- `f.rs` is missing\n- ❌ `g.rs`\n```\n`h.rs`\n```\n### Incomplete Requirements\n1. **x**: `i.rs`\n## Notes\n- `j.rs`\n#### Files reviewed\n1. `k.rs` not found elsewhere\n";
        let names: Vec<String> = claimed(report).into_iter().map(|(path, _)| path).collect();
        assert_eq!(names, ["b.rs", "c.rs", "d.rs", "k.rs"]);
    }

    #[test]
    fn a_denial_counts_in_an_inner_section_as_in_an_outer_one() {
        let report = "## Files Reviewed\n- ❌ `a.rs`\n### Deliverables Verified\n- ❌ `b.rs`\n#### x\n- ❌ `c.rs`\n### Files Reviewed\n- ❌ `d.rs`\n## Deliverables Verified\n### Files Reviewed\n- ❌ `e.rs`\n";
        let names: Vec<String> = claimed(report).into_iter().map(|(path, _)| path).collect();
        assert_eq!(names, ["a.rs", "d.rs"]);
    }
}
