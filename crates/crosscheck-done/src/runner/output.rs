//! What the output of a runner says: how many passed, how many failed, or
//! that nothing ran. Numbers come from summary lines, never from names.
//!
//! Contract: done 5.4.

use std::borrow::Cow;

use super::row::{Patterns, Row};
use super::table::Table;
use crate::kind::Work;
use crate::shell;

/// What an output says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// How many passed.
    pub passed: Option<u64>,
    /// How many there were.
    pub total: Option<u64>,
    /// How many failed or could not be run.
    pub failed: Option<u64>,
    /// How many were left out on purpose.
    pub skipped: Option<u64>,
    /// How many were left out by a choice of the command line.
    pub deselected: u64,
    /// How many files or packages there were.
    pub suites: Option<u64>,
    /// How many passed in each part, where an output has several.
    pub parts: Vec<u64>,
    /// Whether a line says that it went well.
    pub says_pass: bool,
    /// Whether a line says that it did not.
    pub says_fail: bool,
    /// Whether nothing ran.
    pub is_empty: bool,
    /// The line that decides.
    pub line: String,
}

impl Reading {
    /// Whether the output alone says that all went well.
    pub fn is_good(&self) -> bool {
        !self.says_fail
            && !self.is_empty
            && (self.says_pass || self.passed.is_some_and(|passed| passed > 0))
    }

    /// Whether the output speaks against an exit status of success: it names a
    /// failure, and its own counts do not excuse that. Compilers also print
    /// what went wrong before all went well.
    pub fn denies(&self, is_build: bool) -> bool {
        let failed = self.failed.unwrap_or_default();
        let counted = self.passed.is_some_and(|passed| passed > 0);
        self.says_fail && (failed > 0 || !(counted || is_build && self.says_pass))
    }
}

/// Reads the output of a runner.
pub fn read(table: &Table, row: &Row, output: &str) -> Reading {
    let output = strip_ansi(output);
    let mut reading = one(row, &output);
    for other in row.also.iter().filter_map(|name| table.row_of(name)) {
        add(&mut reading, one(other, &output));
    }
    reading
}

fn one(row: &Row, output: &str) -> Reading {
    let mut reading = Reading::default();
    summaries(row, output, &mut reading);
    for pattern in row.suites.on(output) {
        if let Some(found) = pattern.captures_iter(output.as_bytes()).last() {
            let counts = Counts::of(&piece(found.get(1)));
            reading.suites = counts.total.or(counts.passed);
        }
    }
    for pattern in row.suite_lines.on(output) {
        let lines = pattern.find_iter(output.as_bytes()).count() as u64;
        reading.suites = (lines > 0).then_some(lines);
    }
    for pattern in row.cases.on(output) {
        let lines = pattern.find_iter(output.as_bytes()).count() as u64;
        let cases = pattern.find_iter(output.as_bytes());
        let top = cases.filter(|case| !matches!(case.as_bytes(), [b' ' | b'\t' | b'\n', ..]));
        reading.total = reading
            .total
            .or(Some(top.count() as u64).filter(|top| *top > 0));
        reading.passed = reading.passed.or((lines > 0).then_some(lines));
    }
    let matched = |patterns: &Patterns| {
        let last = patterns
            .on(output)
            .filter_map(|pattern| pattern.find_iter(output.as_bytes()).last());
        last.max_by_key(regex::bytes::Match::start)
            .map(|found| line_around(output, found.start()))
    };
    if let Some(line) = matched(&row.fail) {
        reading.says_fail = true;
        reading.line = line;
    }
    if let Some(line) = matched(&row.pass) {
        reading.says_pass = true;
        if reading.line.is_empty() {
            reading.line = line;
        }
    }
    if let Some(line) = matched(&row.empty) {
        reading.is_empty |= reading.passed.unwrap_or_default() == 0;
        reading.line = line;
    }
    if matched(&row.empty_all).is_some() && !reading.says_pass && !reading.says_fail {
        reading.is_empty = true;
    }
    reading
}

/// The text of a part of a match.
fn piece(part: Option<regex::bytes::Match<'_>>) -> Cow<'_, str> {
    part.map_or(Cow::Borrowed(""), |part| {
        String::from_utf8_lossy(part.as_bytes())
    })
}

fn summaries(row: &Row, output: &str, reading: &mut Reading) {
    let mut all: Vec<(usize, Counts)> = Vec::new();
    for pattern in row.summary.on(output) {
        for found in pattern.captures_iter(output.as_bytes()) {
            let at = found.get(0).map_or(0, |whole| whole.start());
            all.push((at, Counts::of(&piece(found.get(1)))));
        }
    }
    all.sort_by_key(|(at, _)| *at);
    let Some((last, newest)) = all.last() else {
        return;
    };
    reading.line = line_around(output, *last);
    let counts = if row.sum {
        reading.parts = all.iter().filter_map(|(_, counts)| counts.passed).collect();
        let parts: Vec<Counts> = all.iter().map(|(_, counts)| counts.clone()).collect();
        Counts::sum(&parts)
    } else if row.join || row.summary.len() > 1 {
        let mut joined = Counts::default();
        for (_, counts) in &all {
            joined.join(counts);
        }
        joined
    } else {
        newest.clone()
    };
    let failed = counts.failed.unwrap_or_default() + counts.errors.unwrap_or_default();
    let known = counts.failed.is_some() || counts.errors.is_some();
    let skipped = counts.skipped.unwrap_or_default();
    let rest = counts
        .total
        .map(|total| total.saturating_sub(failed + skipped));
    reading.passed = counts.passed.or(rest);
    reading.failed = known.then_some(failed);
    reading.skipped = counts.skipped;
    reading.deselected = counts.deselected.unwrap_or_default();
    reading.total = counts
        .total
        .or_else(|| Some(counts.passed? + failed + skipped));
    reading.says_fail = failed > 0;
    reading.is_empty = reading.passed == Some(0) && failed == 0;
}

/// Adds what the lines of another runner say.
fn add(reading: &mut Reading, other: Reading) {
    reading.says_fail |= other.says_fail;
    reading.says_pass |= other.says_pass;
    reading.is_empty |= other.is_empty && reading.passed.is_none();
    if let Some(passed) = other.passed.filter(|passed| *passed > 0) {
        reading.is_empty = false;
        reading.parts.push(passed);
        reading.passed = Some(reading.passed.unwrap_or_default() + passed);
        reading.total = Some(reading.total.unwrap_or_default() + other.total.unwrap_or(passed));
    }
    if let Some(failed) = other.failed {
        reading.failed = Some(reading.failed.unwrap_or_default() + failed);
    }
    reading.skipped = reading.skipped.or(other.skipped);
    reading.suites = reading.suites.or(other.suites);
    reading.deselected += other.deselected;
    if reading.line.is_empty() || (other.says_fail && !other.line.is_empty()) {
        reading.line = other.line;
    }
}

fn line_around(text: &str, at: usize) -> String {
    let start = text
        .get(..at)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |at| at + 1);
    let rest = text.get(start..).unwrap_or_default();
    // a pattern may begin with blanks over several lines
    let line = rest
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    line.trim().chars().take(200).collect()
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Counts {
    passed: Option<u64>,
    failed: Option<u64>,
    errors: Option<u64>,
    skipped: Option<u64>,
    deselected: Option<u64>,
    total: Option<u64>,
}

impl Counts {
    /// Reads numbers and the words beside them: `3 passed`, `Failures: 0`,
    /// `2 passed (3)`.
    fn of(text: &str) -> Self {
        let mut counts = Self::default();
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if !bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
                continue;
            }
            let length = bytes
                .iter()
                .skip(at)
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let end = at + length;
            let number = text.get(at..end).and_then(|digits| digits.parse().ok());
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(end..).unwrap_or_default();
            let inside =
                before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
            if let Some(number) = number.filter(|_| !inside) {
                counts.put(before, after, number);
            }
            at = end;
        }
        counts
    }

    fn put(&mut self, before: &str, after: &str, number: u64) {
        if before.trim_end().ends_with('(') && after.trim_start().starts_with(')') {
            self.total = Some(number);
            return;
        }
        if before.trim_end().ends_with("out of") {
            self.total = Some(number);
            return;
        }
        let mut next = after
            .trim_start_matches(' ')
            .split(|c: char| !c.is_ascii_alphabetic());
        let first = next.next().unwrap_or_default();
        let second = next.next().unwrap_or_default();
        let last = before
            .trim_end_matches([' ', ':', '='])
            .rsplit(|c: char| !c.is_ascii_alphabetic())
            .next()
            .unwrap_or_default();
        let is_plain = matches!(first, "test" | "tests");
        let found = (is_plain.then(|| self.slot(second).is_some()) == Some(true)).then_some(second);
        let word = found.unwrap_or(if self.slot(first).is_some() {
            first
        } else {
            last
        });
        let ok = self.slot(word);
        if let Some(slot) = ok {
            *slot = Some(number);
        }
    }

    fn slot(&mut self, word: &str) -> Option<&mut Option<u64>> {
        Some(match word.to_ascii_lowercase().as_str() {
            "passed" | "passing" | "pass" | "succeeded" | "ok" => &mut self.passed,
            "failed" | "failing" | "fail" | "failures" | "failure" => &mut self.failed,
            "error" | "errors" => &mut self.errors,
            "skipped" | "skip" | "skips" | "ignored" | "pending" | "todo" | "xfailed"
            | "incomplete" => &mut self.skipped,
            "deselected" | "filtered" => &mut self.deselected,
            "total" | "tests" | "test" | "examples" | "example" | "runs" | "run" | "executed" => {
                &mut self.total
            }
            _ => return None,
        })
    }

    fn sum(all: &[Self]) -> Self {
        let add = |pick: fn(&Self) -> Option<u64>| {
            let known: Vec<u64> = all.iter().filter_map(pick).collect();
            (!known.is_empty()).then(|| known.iter().sum())
        };
        Self {
            passed: add(|counts| counts.passed),
            failed: add(|counts| counts.failed),
            errors: add(|counts| counts.errors),
            skipped: add(|counts| counts.skipped),
            deselected: add(|counts| counts.deselected),
            total: add(|counts| counts.total),
        }
    }

    fn join(&mut self, other: &Self) {
        self.passed = other.passed.or(self.passed);
        self.failed = other.failed.or(self.failed);
        self.errors = other.errors.or(self.errors);
        self.skipped = other.skipped.or(self.skipped);
        self.deselected = other.deselected.or(self.deselected);
        self.total = other.total.or(self.total);
    }
}

/// Text without colours and other signs for terminals.
pub fn strip_ansi(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') && !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => {
                if rest.next_if_eq(&'[').is_some() {
                    while rest
                        .next()
                        .is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c))
                    {}
                } else if rest.next_if_eq(&']').is_some() {
                    while rest.next().is_some_and(|c| c != '\u{7}' && c != '\u{1b}') {}
                } else {
                    rest.next();
                }
            }
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' => plain.push('\n'),
            c => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

/// The summary of whatever runner of tests printed one in an output that it
/// did not begin itself: in a hook, a container, a script.
pub(crate) fn summary(table: &Table, output: &str) -> Option<Reading> {
    let output = strip_ansi(output);
    let tests = table.rows().iter().filter(|row| row.work == [Work::Tests]);
    let readings = tests
        .filter(|row| row.summary.len() > 0)
        .map(|row| one(row, &output));
    readings
        .filter(|reading| !reading.is_empty)
        .max_by_key(|reading| (reading.passed.unwrap_or_default(), reading.failed))
        .filter(|reading| reading.passed.is_some() || reading.failed.is_some())
}

/// The jobs that `gh pr checks` lists, by their names, and whether each passed.
pub(crate) fn job_works(table: &Table, output: &str) -> Vec<(Work, bool)> {
    let output = strip_ansi(output);
    let mut all = Vec::new();
    for line in output.lines() {
        let mut cells = line.split('\t').map(str::trim);
        let (Some(name), Some(state)) = (cells.next(), cells.next()) else {
            continue;
        };
        let well = match state {
            "pass" => true,
            "fail" => false,
            _ => continue,
        };
        let work = table.tasks.works_of(name).first();
        all.extend(work.map(|work| (*work, well)));
    }
    all
}

/// What the hooks of a commit did, by the lines of pre-commit, lefthook and
/// npm, and whether each did well.
pub(crate) fn hook_works(table: &Table, output: &str) -> Vec<(Work, bool)> {
    let output = strip_ansi(output);
    let mut all = Vec::new();
    for line in output.lines().map(str::trim) {
        // `ruff.....................Passed`
        let dotted = line.split_once("....").and_then(|(name, rest)| {
            let rest = rest.trim_start_matches('.');
            let end = rest
                .trim_start_matches(|c: char| c != 'P' && c != 'F')
                .to_owned();
            match end.as_str() {
                "Passed" => Some((name, true)),
                "Failed" => Some((name, false)),
                _ => None,
            }
        });
        // `✔️ lint (0.53 seconds)`
        let ticked = line.strip_prefix('✔').map(|rest| (rest, true));
        let crossed = line.strip_prefix('🥊').map(|rest| (rest, false));
        // `$ tsc --noEmit`, `> eslint .`: the commit would not be there if it
        // had failed
        let echoed = line.strip_prefix("$ ").or_else(|| line.strip_prefix("> "));
        if let Some(command) = echoed {
            let parsed = shell::line(command).unwrap_or_default();
            let found = parsed
                .segments
                .iter()
                .flat_map(|segment| table.matches(&segment.run));
            all.extend(found.flat_map(|found| found.work).map(|work| (work, true)));
            continue;
        }
        let Some((name, well)) = dotted.or(ticked).or(crossed) else {
            continue;
        };
        let work = table.tasks.works_of(name).first();
        all.extend(work.map(|work| (*work, well)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(name: &str, output: &str) -> Reading {
        let table = Table::new(&[]).unwrap();
        let row = table.row_of(name).unwrap();
        read(&table, row, output)
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of outputs")]
    fn each_runner_is_read_by_its_own_summary() {
        // name, output, passed, failed, good
        let table: &[(&str, &str, Option<u64>, bool, bool)] = &[
            ("pytest", "12 passed in 0.21s", Some(12), false, true),
            (
                "pytest",
                "=== 1 failed, 11 passed, 2 skipped in 0.30s ===",
                Some(11),
                true,
                false,
            ),
            ("pytest", "1 error in 0.10s", None, true, false),
            (
                "pytest",
                "3 passed, 1 warning in 0.10s",
                Some(3),
                false,
                true,
            ),
            (
                "pytest",
                "test_error_handling FAILED_LOGIN PASSED\n2 passed in 1s",
                Some(2),
                false,
                true,
            ),
            (
                "unittest",
                "Ran 12 tests in 0.1s\n\nOK",
                Some(12),
                false,
                true,
            ),
            (
                "unittest",
                "Ran 12 tests in 0.1s\n\nFAILED (failures=1, errors=2)",
                Some(9),
                true,
                false,
            ),
            (
                "jest",
                "Test Suites: 1 passed, 1 total\nTests:       1 failed, 2 passed, 3 total",
                Some(2),
                true,
                false,
            ),
            (
                "vitest",
                " Test Files  1 passed (1)\n      Tests  2 passed (2)",
                Some(2),
                false,
                true,
            ),
            (
                "vitest",
                " Tests  1 failed | 2 passed (3)",
                Some(2),
                true,
                false,
            ),
            (
                "mocha",
                "  12 passing (20ms)\n  1 failing\n",
                Some(12),
                true,
                false,
            ),
            (
                "go",
                "ok  \texample.com/demo\t0.004s\n?   \tx\t[no test files]",
                None,
                false,
                true,
            ),
            (
                "go",
                "--- FAIL: TestX (0.00s)\nFAIL\texample.com/demo\t0.004s",
                None,
                true,
                false,
            ),
            (
                "cargo-test",
                "test result: ok. 8 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out",
                Some(10),
                false,
                true,
            ),
            (
                "cargo-test",
                "test result: FAILED. 7 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
                Some(7),
                true,
                false,
            ),
            (
                "nextest",
                "     Summary [   1.2s] 12 tests run: 12 passed, 0 skipped",
                Some(12),
                false,
                true,
            ),
            (
                "maven",
                "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1\n[INFO] BUILD SUCCESS",
                Some(4),
                false,
                true,
            ),
            (
                "rspec",
                "12 examples, 0 failures, 1 pending",
                Some(11),
                false,
                true,
            ),
            (
                "dotnet-test",
                "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 5 ms - a.dll",
                Some(5),
                false,
                true,
            ),
            (
                "ctest",
                "100% tests passed, 0 tests failed out of 12",
                Some(12),
                false,
                true,
            ),
            (
                "node-test",
                "# tests 3\n# pass 3\n# fail 0",
                Some(3),
                false,
                true,
            ),
            ("bun", " 3 pass\n 0 fail\n", Some(3), false, true),
            (
                "phpunit",
                "OK (12 tests, 30 assertions)",
                Some(12),
                false,
                true,
            ),
            (
                "phpunit",
                "Tests: 12, Assertions: 30, Failures: 1.",
                Some(11),
                true,
                false,
            ),
            ("mix", "12 tests, 0 failures", Some(12), false, true),
            ("ruff", "All checks passed!", None, false, true),
            ("ruff", "Found 1 error.", None, true, false),
            (
                "ruff",
                "Found 2 errors (2 fixed, 0 remaining).",
                None,
                false,
                true,
            ),
            (
                "eslint",
                "✖ 3 problems (1 error, 2 warnings)",
                None,
                true,
                false,
            ),
            (
                "eslint",
                "✖ 3 problems (0 errors, 3 warnings)",
                None,
                false,
                false,
            ),
            (
                "mypy",
                "Success: no issues found in 4 source files",
                None,
                false,
                true,
            ),
            (
                "mypy",
                "Found 2 errors in 1 file (checked 3 source files)",
                None,
                true,
                false,
            ),
            (
                "tsc",
                "src/app.ts(3,1): error TS2322: Type",
                None,
                true,
                false,
            ),
            (
                "npm-test",
                " Test Files  4 passed (4)\n      Tests  31 passed (31)\n",
                Some(31),
                false,
                true,
            ),
            ("npm-test", "npm notice\n", None, false, false),
            (
                "git-commit",
                "[main 1a2b3c4] tok\n 1 file changed",
                None,
                false,
                true,
            ),
            (
                "git-push",
                " ! [rejected]        main -> main (fetch first)",
                None,
                true,
                false,
            ),
        ];
        for (name, output, passed, fails, good) in table {
            let seen = reading(name, output);
            assert_eq!(
                (seen.passed, seen.says_fail, seen.is_good()),
                (*passed, *fails, *good),
                "{name}: {output}\n{seen:?}"
            );
        }
    }

    #[test]
    fn nothing_ran_is_neither_good_nor_bad() {
        for (name, output) in [
            ("pytest", "collected 0 items\n\nno tests ran in 0.01s"),
            (
                "cargo-test",
                "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
            ),
            ("unittest", "Ran 0 tests in 0.000s\n\nOK"),
            ("jest", "No tests found, exiting with code 1"),
            ("go", "?   \texample.com/demo\t[no test files]"),
            ("rspec", "0 examples, 0 failures"),
        ] {
            let seen = reading(name, output);
            assert!(
                seen.is_empty && !seen.is_good() && !seen.says_fail,
                "{name}: {seen:?}"
            );
        }
    }

    #[test]
    fn colours_do_not_hide_a_summary() {
        let output = "\u{1b}[32m\u{1b}[1m12 passed\u{1b}[0m\u{1b}[32m in 0.21s\u{1b}[0m";
        assert_eq!(reading("pytest", output).passed, Some(12));
    }
}
