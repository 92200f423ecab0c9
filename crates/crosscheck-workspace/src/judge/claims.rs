//! The files that a report names as its evidence (workspace 18).

use std::ops::Range;

use crosscheck_core::rules::Rule;

use super::lines::{HeadingTopic, ReportLine, ReportLines};
use super::parse::is_issue_heading;
use super::spans::code_spans;
use crate::plan::path_claim::{PathClaim, claimed_path, plain_path};

/// The largest number of claims of one report.
pub const MAX_CLAIMS: usize = 10_000;

/// The claims, and whether there are more.
pub(super) fn paths(lines: &ReportLines<'_>) -> (Vec<PathClaim>, bool) {
    let mut claims: Vec<PathClaim> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut read_up_to = 0;
    for (at, line) in lines.iter().enumerate() {
        let Some(heading) = &line.heading else {
            continue;
        };
        let lists_deliverables = heading.topic == HeadingTopic::Deliverables;
        if at < read_up_to || !(lists_deliverables || heading.topic == HeadingTopic::FilesReviewed)
        {
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

/// Path and line of every claim of a line: text in backticks or alone in a list
/// item, and in sentences what can only be the path of a file.
fn claims_of(line: &str) -> impl Iterator<Item = (&str, Option<u64>)> {
    let spans = code_spans(line);
    let alone = spans.is_empty().then(|| list_item(line)).flatten();
    let alone = alone.and_then(claimed_path);
    // a path in prose has an ending
    let mut prose = outside(line, &spans);
    prose.retain(|part| part.contains('.'));
    if alone.is_some() || !prose.is_empty() && speaks_of_absence(line) {
        prose.clear();
    }
    let named = prose
        .into_iter()
        .flat_map(str::split_whitespace)
        .filter_map(plain_path);
    let quoted = spans
        .into_iter()
        .filter_map(|(_, inside)| claimed_path(line.get(inside)?.trim()));
    alone.into_iter().chain(quoted).chain(named)
}

/// The parts of a line outside its code spans.
fn outside<'l>(line: &'l str, spans: &[(Range<usize>, Range<usize>)]) -> Vec<&'l str> {
    let starts = spans.iter().map(|(whole, _)| whole.end);
    let ends = spans.iter().map(|(whole, _)| whole.start);
    std::iter::once(0)
        .chain(starts)
        .zip(ends.chain([line.len()]))
        .filter_map(|(start, end)| line.get(start..end))
        .collect()
}

static ABSENCE: Rule = Rule::new(
    "workspace.absence",
    "a sentence with a word such as `removed` or `without` claims no file",
);

/// A sentence about a file that was removed, does not exist, or is only an
/// example claims no file.
fn speaks_of_absence(line: &str) -> bool {
    const WORDS: [&str; 14] = [
        " not ", " no ", "n't ", "without", "e.g.", "such as", "would", "should", "remov", "delet",
        "renam", "moved", "replac", "instead",
    ];
    let line = line.to_lowercase();
    ABSENCE.is_on() && WORDS.iter().any(|word| line.contains(word))
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
            .claims()
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
    fn a_path_in_a_sentence_is_a_claim_and_words_with_slashes_are_not() {
        let named = |line: &str| {
            let report = format!("## Files Reviewed\n{line}\n");
            let claims = claimed(&report).into_iter();
            claims
                .map(|(path, line)| format!("{path} {}", line.unwrap_or_default()))
                .collect::<Vec<_>>()
        };
        let table: &[(&str, &[&str])] = &[
            ("- src/a.py holds the client", &["src/a.py 0"]),
            (
                "see src/a.py:400, (lib/b.rs) and **docs/c.md**.",
                &["src/a.py 400", "lib/b.rs 0", "docs/c.md 0"],
            ),
            (
                "`x.rs` and src/main.py:12-20 and README.md",
                &["x.rs 0", "src/main.py 20"],
            ),
            ("./run/me.sh", &["./run/me.sh 0"]),
            (
                "read/write, client/server, 3/3 done, N/A, and/or, e.g. this",
                &[],
            ),
            (
                "https://example.test/a/b.html and example.com/a/b.html",
                &[],
            ),
            ("Node.js and Vue.js, ASP.NET, v1.2.3, TCP/IP", &[]),
            ("src/a.py was removed as asked", &[]),
            ("there is no src/a.py, and src/b.py would be wrong", &[]),
            ("src/a.py does not need lib/b.py", &[]),
            ("src/missing.py holds it", &["src/missing.py 0"]),
            ("a/b.py|c/d.py and src/*.py and <a/b.py>", &[]),
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
