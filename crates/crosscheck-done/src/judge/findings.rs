//! What a session shows besides claims: weakened tests, bypassed checks,
//! stubs, unchecked changes.
//!
//! Contract: done 8.

use std::path::Path;

use crosscheck_transcript::session::{Change, Replacement};
use schemars::JsonSchema;
use serde::Serialize;

use super::Ground;
use super::run::{How, anchor, matters, shown};
use crate::kind::{ClaimKind, Work};
use crate::read::session::{Edit, Session};
use crate::relevance::{is_code, is_test_file};

/// Something worth reporting that is not a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// What it is.
    pub finding: What,
    /// Which sort of it.
    pub kind: &'static str,
    /// The file, from the root.
    pub path: Option<String>,
    /// Line of the log.
    pub step: usize,
    /// How much it weighs.
    pub severity: Severity,
}

impl Finding {
    /// The same as it may be shown.
    #[must_use]
    pub fn shown(&self) -> Self {
        Self {
            path: self.path.as_deref().map(crate::redact::redacted),
            ..self.clone()
        }
    }
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Tests check less than before.
    TestsWeakened,
    /// A check was switched off.
    CheckBypassed,
    /// Code that does nothing yet was added.
    StubIntroduced,
    /// The last check of the turn failed.
    LastCheckFailed,
    /// Much was changed and nothing was run.
    UncheckedChange,
    /// A file that steers the gate was written.
    Tamper,
    /// Something was put in front of a program.
    ShadowedTool,
    /// A script behind a check was changed.
    TamperedTarget,
    /// The session touched its own log.
    LogWritten,
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// The user is told.
    Warn,
    /// The agent is sent back.
    Block,
}

/// At most this many findings are listed.
const MAX: usize = 64;
/// At least this many changed lines of code without a run are reported.
const MANY_LINES: usize = 15;

/// All findings of a session.
pub fn all(session: &Session, ground: &Ground<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let strict = ground.settings.strict;
    let mut lines = 0;
    for edit in session.edits.iter().filter(|edit| edit.done) {
        if !ground.relevance.is_change(&edit.path) || findings.len() >= MAX {
            continue;
        }
        let Some(rel) = ground.places.below(&edit.path) else {
            continue;
        };
        let replaced = ground.outputs.replaced(edit);
        if is_test_file(rel) {
            weakened(edit, rel, &replaced, &mut findings);
        }
        bypassed(edit, rel, &replaced, &mut findings);
        stubs(edit, rel, &replaced, strict, &mut findings);
        if edit.order > session.turn && is_code(rel) {
            lines += replaced.iter().map(changed_lines).sum::<usize>();
        }
    }
    commands(session, &mut findings);
    last_check(session, ground, strict, &mut findings);
    unchecked(session, ground, lines, strict, &mut findings);
    findings.truncate(MAX);
    findings
}

fn push(
    findings: &mut Vec<Finding>,
    finding: What,
    kind: &'static str,
    rel: Option<&Path>,
    step: usize,
    severity: Severity,
) {
    let path = rel.map(|rel| rel.display().to_string());
    let one = Finding {
        finding,
        kind,
        path,
        step,
        severity,
    };
    let known = findings.iter().any(|other| {
        other.finding == one.finding && other.kind == one.kind && other.path == one.path
    });
    if !known {
        findings.push(one);
    }
}

/// How many test cases a text defines.
pub fn test_cases(text: &str, path: &Path) -> u64 {
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default();
    let count = text
        .lines()
        .map(str::trim_start)
        .filter(|line| is_case(line, extension))
        .count();
    count as u64
}

fn is_case(line: &str, extension: &str) -> bool {
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    match extension {
        "py" => starts(&["def test", "async def test"]),
        "rs" => starts(&[
            "#[test]",
            "#[tokio::test",
            "#[test_case",
            "#[rstest",
            "#[async_std::test",
        ]),
        "go" => starts(&["func Test", "func Fuzz", "func Example"]),
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "vue" | "svelte" => starts(&[
            "it(",
            "test(",
            "it.each",
            "test.each",
            "it.only(",
            "test.only(",
            "it.skip(",
            "test.skip(",
            "it.concurrent(",
            "test.concurrent(",
            "Deno.test(",
        ]),
        "java" | "kt" | "scala" => starts(&["@Test", "@ParameterizedTest", "@RepeatedTest"]),
        "cs" | "fs" => starts(&["[Fact", "[Theory", "[Test]", "[TestMethod", "[TestCase"]),
        "rb" => starts(&[
            "it \"",
            "it '",
            "it(",
            "test \"",
            "test '",
            "def test_",
            "scenario ",
        ]),
        "php" => starts(&["public function test", "function test", "it('", "test('"]),
        "ex" | "exs" => starts(&["test \"", "property \""]),
        "swift" => starts(&["func test", "@Test"]),
        "dart" => starts(&["test(", "testWidgets("]),
        "sh" | "bash" | "bats" => starts(&["@test "]),
        _ => false,
    }
}

/// Words that leave a test out.
const SKIPS: [&str; 30] = [
    "@pytest.mark.skip",
    "@pytest.mark.xfail",
    "pytest.skip(",
    "pytest.xfail(",
    "@unittest.skip",
    "self.skipTest(",
    "#[ignore",
    "t.Skip(",
    "t.SkipNow(",
    "b.Skip(",
    "it.skip(",
    "test.skip(",
    "describe.skip(",
    "xit(",
    "xdescribe(",
    "xtest(",
    "it.only(",
    "test.only(",
    "describe.only(",
    "fit(",
    "fdescribe(",
    "it.todo(",
    "test.todo(",
    "@Disabled",
    "@Ignore",
    "[Ignore",
    "Skip =",
    "@tag :skip",
    "markTestSkipped",
    "pending(",
];

fn weakened(edit: &Edit, rel: &Path, replaced: &[Replacement], findings: &mut Vec<Finding>) {
    let step = edit.order.line;
    let mut tell = |kind| {
        push(
            findings,
            What::TestsWeakened,
            kind,
            Some(rel),
            step,
            Severity::Warn,
        );
    };
    if edit.change == Change::Delete {
        tell("test_file_deleted");
        return;
    }
    for one in replaced {
        let Some(old) = &one.old else {
            if skips(&one.new) > 0 && edit.change != Change::Write {
                tell("skip_added");
            }
            continue;
        };
        if skips(&one.new) > skips(old) {
            tell("skip_added");
        }
        let (cases_before, cases_after) = (test_cases(old, rel), test_cases(&one.new, rel));
        if cases_after < cases_before && !renamed(old, &one.new, rel) {
            tell("test_case_deleted");
        }
        let (before, after) = (assertions(old), assertions(&one.new));
        let same_cases = cases_after == cases_before;
        if after < before && same_cases {
            tell("assertions_removed");
        } else if after == before && after > 0 && same_cases {
            if loosened(old, &one.new) {
                tell("assertion_loosened");
            } else if only_expected_changed(old, &one.new) {
                tell("expected_value_changed");
            }
        }
    }
}

fn skips(text: &str) -> usize {
    SKIPS.iter().map(|word| text.matches(word).count()).sum()
}

/// Whether as many cases are left under other names.
fn renamed(old: &str, new: &str, rel: &Path) -> bool {
    assertions(new) >= assertions(old) && test_cases(new, rel) > 0
}

/// How many assertions a text makes; one that goes over several lines is one.
fn assertions(text: &str) -> usize {
    const WORDS: [&str; 24] = [
        "assert ",
        "assert!(",
        "assert_eq!(",
        "assert_ne!(",
        "assert(",
        "self.assert",
        "expect(",
        "assertEqual",
        "assertThat(",
        "assertTrue",
        "assertFalse",
        "assertEquals",
        "require.",
        "assert.",
        "t.Error",
        "t.Fatal",
        "should.",
        ".should ",
        "Assert.",
        "XCTAssert",
        "#expect(",
        "pytest.raises(",
        "matches!(",
        "assertRaises",
    ];
    let lines = text.lines().map(str::trim).filter(|line| {
        !line.starts_with("//") && !line.starts_with('#') || line.starts_with("#expect(")
    });
    lines
        .filter(|line| WORDS.iter().any(|word| line.contains(word)))
        .count()
}

/// Whether a strict comparison became a loose one.
fn loosened(old: &str, new: &str) -> bool {
    const PAIRS: [(&str, &str); 10] = [
        ("toBe(", "toBeDefined("),
        ("toBe(", "toBeTruthy("),
        ("toEqual(", "toBeDefined("),
        ("toEqual(", "toBeTruthy("),
        ("toEqual(", "toMatchObject("),
        ("toStrictEqual(", "toBeTruthy("),
        ("assertEqual", "assertTrue"),
        ("assertEqual", "assertIsNotNone"),
        ("assert_eq!(", "assert!("),
        (" == ", " is not None"),
    ];
    let fewer = |word: &str| new.matches(word).count() < old.matches(word).count();
    let more = |word: &str| new.matches(word).count() > old.matches(word).count();
    let trivial = [
        "assert True",
        "assert!(true)",
        "expect(true).toBe(true)",
        "assertTrue(True)",
        "assert 1 == 1",
    ];
    PAIRS
        .iter()
        .any(|(strict, loose)| fewer(strict) && more(loose))
        || trivial.iter().any(|word| more(word))
}

/// Whether an edit changes nothing but the value that is expected.
fn only_expected_changed(old: &str, new: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty())
            .collect()
    };
    let (old, new) = (lines(old), lines(new));
    if old.len() != new.len() {
        return false;
    }
    let changed: Vec<(&String, &String)> = old.iter().zip(&new).filter(|(a, b)| a != b).collect();
    let [(before, after)] = changed.as_slice() else {
        return false;
    };
    let split = |line: &str| -> Option<(String, String)> {
        for mark in [" == ", ".toBe(", ".toEqual(", ".toStrictEqual(", ", "] {
            if let Some((left, right)) = line.rsplit_once(mark) {
                return Some((left.to_owned(), right.to_owned()));
            }
        }
        None
    };
    match (split(before), split(after)) {
        (Some((left, value)), Some((other, new_value))) => {
            left == other && value != new_value && assertions(before) > 0
        }
        _ => false,
    }
}

/// Words that switch a check off.
const BYPASSES: [(&str, &str); 16] = [
    ("eslint-disable", "lint_rule_disabled"),
    ("# noqa", "lint_rule_disabled"),
    ("# type: ignore", "type_check_disabled"),
    ("@ts-ignore", "type_check_disabled"),
    ("@ts-nocheck", "type_check_disabled"),
    ("@ts-expect-error", "type_check_disabled"),
    ("# pylint: disable", "lint_rule_disabled"),
    ("#[allow(", "lint_rule_disabled"),
    ("//nolint", "lint_rule_disabled"),
    ("# rubocop:disable", "lint_rule_disabled"),
    ("--passWithNoTests", "pass_with_no_tests"),
    ("# pragma: no cover", "coverage_disabled"),
    ("@SuppressWarnings", "lint_rule_disabled"),
    ("biome-ignore", "lint_rule_disabled"),
    ("# nosec", "lint_rule_disabled"),
    ("# shellcheck disable", "lint_rule_disabled"),
];

fn bypassed(edit: &Edit, rel: &Path, replaced: &[Replacement], findings: &mut Vec<Finding>) {
    let name = rel
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let is_script = matches!(
        name,
        "package.json"
            | "Makefile"
            | "makefile"
            | "justfile"
            | "tox.ini"
            | "noxfile.py"
            | ".pre-commit-config.yaml"
    ) || rel.extension().is_some_and(|end| end == "sh")
        || rel.starts_with(".github/workflows");
    for one in replaced {
        let old = one.old.as_deref().unwrap_or_default();
        let more = |word: &str| one.new.matches(word).count() > old.matches(word).count();
        for (word, kind) in BYPASSES {
            if more(word) {
                push(
                    findings,
                    What::CheckBypassed,
                    kind,
                    Some(rel),
                    edit.order.line,
                    Severity::Warn,
                );
            }
        }
        if is_script && (more("|| true") || more("|| exit 0") || more("continue-on-error: true")) {
            push(
                findings,
                What::CheckBypassed,
                "failure_ignored",
                Some(rel),
                edit.order.line,
                Severity::Warn,
            );
        }
    }
}

/// Commands that go around a hook.
fn commands(session: &Session, findings: &mut Vec<Finding>) {
    for run in &session.runs {
        let git = run
            .candidates
            .iter()
            .any(|one| one.found.work.contains(&Work::Git));
        let bypass = run
            .command
            .split_whitespace()
            .any(|word| word == "--no-verify");
        let tests = run
            .candidates
            .iter()
            .any(|one| one.found.work.contains(&Work::Tests));
        if tests && run.command.contains("--passWithNoTests") {
            push(
                findings,
                What::CheckBypassed,
                "pass_with_no_tests",
                None,
                run.order.line,
                Severity::Warn,
            );
        }
        if git && bypass {
            push(
                findings,
                What::CheckBypassed,
                "no_verify",
                None,
                run.order.line,
                Severity::Warn,
            );
        }
    }
}

fn stubs(
    edit: &Edit,
    rel: &Path,
    replaced: &[Replacement],
    strict: bool,
    findings: &mut Vec<Finding>,
) {
    const WORDS: [&str; 8] = [
        "TODO",
        "FIXME",
        "XXX",
        "NotImplementedError",
        "unimplemented!",
        "todo!(",
        "NotImplementedException",
        "throw new Error(\"Not implemented",
    ];
    if !is_code(rel) {
        return;
    }
    for one in replaced {
        let old = one.old.as_deref().unwrap_or_default();
        let more = WORDS
            .iter()
            .any(|word| one.new.matches(word).count() > old.matches(word).count());
        if more {
            let severity = if strict {
                Severity::Block
            } else {
                Severity::Info
            };
            push(
                findings,
                What::StubIntroduced,
                "stub",
                Some(rel),
                edit.order.line,
                severity,
            );
        }
    }
}

fn changed_lines(one: &Replacement) -> usize {
    let old: std::collections::HashSet<&str> = one
        .old
        .as_deref()
        .unwrap_or_default()
        .lines()
        .map(str::trim)
        .collect();
    one.new
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !old.contains(line))
        .count()
}

/// The last check of the turn failed, and nothing was changed since.
fn last_check(session: &Session, ground: &Ground<'_>, strict: bool, findings: &mut Vec<Finding>) {
    let all = shown(
        session,
        &[Work::Tests, Work::Build, Work::Lint, Work::Types],
        ground,
    );
    let Some(last) = all.iter().rfind(|one| !one.candidate.found.disqualified) else {
        return;
    };
    let edited = anchor(session, ClaimKind::TestsPass, ground);
    if last.order() < session.turn || edited.is_some_and(|edit| !last.is_after(edit)) {
        return;
    }
    if matches!(last.ended(ground).how, How::Badly { .. }) {
        let severity = if strict {
            Severity::Block
        } else {
            Severity::Warn
        };
        push(
            findings,
            What::LastCheckFailed,
            "check",
            None,
            last.order().line,
            severity,
        );
    }
}

/// Much code was changed in the turn, and nothing ran since.
fn unchecked(
    session: &Session,
    ground: &Ground<'_>,
    lines: usize,
    strict: bool,
    findings: &mut Vec<Finding>,
) {
    let edited = session.edits.iter().rfind(|edit| {
        edit.done && edit.order > session.turn && matters(edit, ClaimKind::TestsPass, ground)
    });
    let Some(edit) = edited.filter(|_| lines >= MANY_LINES) else {
        return;
    };
    let ran = session.runs.iter().any(|run| {
        run.candidates.iter().any(|candidate| {
            let one = super::run::Shown {
                run,
                candidate,
                via: super::run::Via::Own,
            };
            candidate.found.work != [Work::Git]
                && !candidate.found.disqualified
                && one.is_after(edit)
        })
    });
    if !ran {
        let severity = if strict {
            Severity::Block
        } else {
            Severity::Info
        };
        push(
            findings,
            What::UncheckedChange,
            "change",
            None,
            edit.order.line,
            severity,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(path: &str, old: &str, new: &str) -> Vec<&'static str> {
        let edit = Edit {
            order: crate::read::session::Order { line: 1, sub: 0 },
            step: 1,
            id: "e".into(),
            segment: 0,
            path: Path::new(path).to_owned(),
            change: Change::Modify,
            done: true,
            by: crosscheck_transcript::session::By::Agent,
            tool: None,
            command: None,
        };
        let replaced = [Replacement {
            old: Some(old.to_owned()),
            new: new.to_owned(),
        }];
        let mut findings = Vec::new();
        weakened(&edit, Path::new(path), &replaced, &mut findings);
        findings.iter().map(|finding| finding.kind).collect()
    }

    #[test]
    fn weakened_tests_are_distinguished_from_rewritten_ones() {
        let table: &[(&str, &str, &str, &[&str])] = &[
            (
                "tests/test_a.py",
                "def test_a():\n    assert f() == 1\n",
                "@pytest.mark.skip\ndef test_a():\n    assert f() == 1\n",
                &["skip_added"],
            ),
            (
                "tests/test_a.py",
                "def test_a():\n    assert f() == 1\n    assert g() == 2\n",
                "def test_a():\n    assert f() == 1\n",
                &["assertions_removed"],
            ),
            (
                "tests/test_a.py",
                "def test_a():\n    assert f() == 1\ndef test_b():\n    assert g() == 1\n",
                "def test_a():\n    assert f() == 1\n",
                &["test_case_deleted"],
            ),
            (
                "tests/test_a.py",
                "    assert f() == 1\n",
                "    assert f() == 2\n",
                &["expected_value_changed"],
            ),
            (
                "a.test.ts",
                "expect(f()).toBe(1)",
                "expect(f()).toBeDefined()",
                &["assertion_loosened"],
            ),
            (
                "tests/test_a.py",
                "    assert f(1, 2) == 3\n",
                "    assert (\n        f(1, 2)\n        == 3\n    )\n",
                &[],
            ),
            (
                "tests/test_a.py",
                "def test_a():\n    assert f() == 1\n",
                "def test_renamed():\n    assert f() == 1\n",
                &[],
            ),
            (
                "tests/test_a.py",
                "def test_a():\n    assert f() == 1\n",
                "def test_a():\n    x = f()\n    assert x == 1\n    assert x != 2\n",
                &[],
            ),
        ];
        for (path, old, new, expected) in table {
            assert_eq!(kinds(path, old, new), *expected, "{old} -> {new}");
        }
    }

    #[test]
    fn test_cases_are_counted_in_each_language() {
        for (path, text, count) in [
            (
                "t.py",
                "def test_a():\n    pass\nasync def test_b():\n    pass\ndef helper(): pass",
                2,
            ),
            (
                "t.rs",
                "#[test]\nfn a() {}\n#[tokio::test]\nasync fn b() {}",
                2,
            ),
            ("t.go", "func TestA(t *testing.T) {}\nfunc helper() {}", 1),
            (
                "t.test.ts",
                "describe('x', () => {\n  it('a', () => {})\n  test('b', () => {})\n})",
                2,
            ),
        ] {
            assert_eq!(test_cases(text, Path::new(path)), count, "{path}");
        }
    }
}
