//! The files that a report names as its evidence (workspace 18).

use super::lines::{HeadingTopic, ReportHeading, ReportLine, ReportLines};
use super::parse::is_issue_heading;
use super::spans::code_spans;
use crate::plan::path_claim::{PathClaim, claimed_path, plain_path};

/// The largest number of claims of one report.
pub const MAX_CLAIMS: usize = 10_000;

/// The claims, and whether there are more.
pub(super) fn paths(lines: &ReportLines<'_>) -> (Vec<PathClaim>, bool) {
    let mut claims: Vec<PathClaim> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let begins = |heading: ReportHeading| {
        matches!(
            heading.topic,
            HeadingTopic::Deliverables | HeadingTopic::FilesReviewed
        )
    };
    let ends = |above: ReportHeading, next: ReportHeading| {
        next.level <= above.level || is_issue_heading(next)
    };
    for (heading, body) in lines.sections(begins, ends) {
        let mut lists_deliverables = (heading.topic == HeadingTopic::Deliverables).then_some(0);
        let claiming = body.iter().filter(|line| {
            if let Some(heading) = line.heading {
                let is_over = lists_deliverables.is_some_and(|above| heading.level <= above);
                if is_over {
                    lists_deliverables = None;
                }
                if heading.topic == HeadingTopic::Deliverables {
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

/// A line that says something is missing claims no file. The word counts, not a
/// part of a path such as `src/missing.py`.
fn denies(line: &ReportLine<'_>) -> bool {
    let text = line.text.to_lowercase();
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation()))
        .collect();
    text.contains('❌')
        || words.contains(&"missing")
        || words.windows(2).any(|two| two == ["not", "found"])
}

/// Path and line of every claim of a line: tokens in backticks, and a list item
/// that is a path or begins with one.
fn claims_of(line: &str) -> impl Iterator<Item = (&str, Option<u64>)> {
    let spans = code_spans(line);
    let item = list_item(line);
    let alone = item.filter(|_| spans.is_empty()).and_then(claimed_path);
    let first = item.and_then(|item| item.split_whitespace().next());
    let first = first.filter(|_| alone.is_none()).and_then(plain_path);
    let quoted = spans
        .into_iter()
        .filter_map(|(_, inside)| claimed_path(line.get(inside)?.trim()));
    alone.into_iter().chain(quoted).chain(first)
}

/// The text of a list item, with any bullet.
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
            .claims
            .iter()
            .map(|claim| (claim.path.clone(), claim.line))
            .collect()
    }

    #[test]
    fn only_the_two_sections_claim_and_denials_do_not() {
        let report = "`x/a.rs`\n## Deliverables Verified\n- `b.rs` and `c.rs:4`\n- d.rs\n- node.js too\n- `f.rs` is missing\n- ❌ `g.rs`\n```\n`h.rs`\n```\n### Incomplete Requirements\n1. **x**: `i.rs`\n## Notes\n- `j.rs`\n#### Files reviewed\n1. `k.rs` not found elsewhere\n";
        let names: Vec<String> = claimed(report).into_iter().map(|(path, _)| path).collect();
        assert_eq!(names, ["b.rs", "c.rs", "d.rs", "k.rs"]);
    }

    #[test]
    fn an_item_that_begins_with_a_path_claims_it_and_words_with_slashes_do_not() {
        let named = |line: &str| {
            let report = format!("## Files Reviewed\n{line}\n");
            let claims = claimed(&report).into_iter();
            claims
                .map(|(path, line)| format!("{path} {}", line.unwrap_or_default()))
                .collect::<Vec<_>>()
        };
        let table: &[(&str, &[&str])] = &[
            ("- src/a.py holds the client", &["src/a.py 0"]),
            ("- src/a.py:400, as asked", &["src/a.py 400"]),
            ("1. **docs/c.md**: whole", &["docs/c.md 0"]),
            (
                "- src/main.py:12-20 and `x.rs`",
                &["x.rs 0", "src/main.py 20"],
            ),
            ("- ./run/me.sh", &["./run/me.sh 0"]),
            ("- holds src/a.py", &[]),
            ("src/a.py holds the client", &[]),
            ("- read/write, client/server", &[]),
            ("- https://example.test/a/b.html it", &[]),
            ("- example.com/a/b.html it", &[]),
            ("- Node.js and Vue.js", &[]),
            ("- src/*.py and more", &[]),
        ];
        for (line, expected) in table {
            assert_eq!(named(line), *expected, "{line}");
        }
    }

    #[test]
    fn a_denial_counts_in_an_inner_section_as_in_an_outer_one() {
        let report = "## Files Reviewed\n- ❌ `a.rs`\n### Deliverables Verified\n- ❌ `b.rs`\n#### x\n- ❌ `c.rs`\n### Files Reviewed\n- ❌ `d.rs`\n## Deliverables Verified\n### Files Reviewed\n- ❌ `e.rs`\n";
        let names: Vec<String> = claimed(report).into_iter().map(|(path, _)| path).collect();
        assert_eq!(names, ["a.rs", "d.rs"]);
    }
}
