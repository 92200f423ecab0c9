//! What a session shows besides claims: weakened tests, bypassed checks,
//! stubs, unchecked changes.
//!
//! Contract: done 8.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crosscheck_transcript::session::{Change, Replacement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Ground;
use super::run::{How, anchor, anything_ran, matters, shown};
use crate::kind::{ClaimKind, Work};
use crate::read::session::Session;
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

/// The words that findings go by.
#[derive(Default, Deserialize)]
struct Words {
    skips: Vec<String>,
    assertions: Vec<String>,
    loosened: Vec<(String, String)>,
    trivial: Vec<String>,
    stubs: Vec<String>,
    scripts: Vec<String>,
    ignored: Vec<String>,
    bypasses: BTreeMap<String, Vec<String>>,
    cases: BTreeMap<String, Vec<String>>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    toml::from_str(include_str!("../../patterns/findings.toml")).unwrap_or_default()
});

/// What edits do, by their call and file: an audit asks again at every stop.
pub type Seen = RefCell<HashMap<(Box<str>, PathBuf, Change), EditFacts>>;

/// What one edit does.
#[derive(Debug, Clone, Default)]
pub struct EditFacts {
    found: Vec<(What, &'static str)>,
    lines: usize,
}

/// Collects findings, each once.
struct Finder<'f> {
    findings: Vec<Finding>,
    session: &'f Session,
    ground: &'f Ground<'f>,
}

/// All findings of a session.
pub fn all(session: &Session, ground: &Ground<'_>) -> Vec<Finding> {
    let mut finder = Finder {
        findings: Vec::new(),
        session,
        ground,
    };
    let mut lines = 0;
    for edit in session.edits.iter().filter(|edit| edit.done) {
        let rel = ground.places.below(&edit.path);
        let Some(rel) = rel.filter(|_| ground.relevance.is_change(&edit.path)) else {
            continue;
        };
        if finder.findings.len() >= MAX {
            break;
        }
        let key = (edit.id.clone(), edit.path.clone(), edit.change);
        let mut seen = ground.seen.borrow_mut();
        let facts = seen
            .entry(key)
            .or_insert_with(|| EditFacts::of(edit.change, rel, &ground.outputs.replaced(edit)));
        for (what, kind) in &facts.found {
            match what {
                What::StubIntroduced => {
                    finder.strictly(*what, kind, Some(rel), edit.order.line);
                }
                _ => finder.warn(*what, kind, Some(rel), edit.order.line),
            }
        }
        if edit.order > session.turn {
            lines += facts.lines;
        }
    }
    finder.commands();
    finder.last_check();
    finder.unchecked(lines);
    finder.findings.truncate(MAX);
    finder.findings
}

impl Finder<'_> {
    fn warn(&mut self, finding: What, kind: &'static str, rel: Option<&Path>, step: usize) {
        self.add(finding, kind, rel, step, Severity::Warn);
    }

    /// What the strict mode sends back for.
    fn strictly(&mut self, finding: What, kind: &'static str, rel: Option<&Path>, step: usize) {
        let is_failure = finding == What::LastCheckFailed;
        let severity = match (self.ground.settings.strict, is_failure) {
            (true, _) => Severity::Block,
            (false, true) => Severity::Warn,
            (false, false) => Severity::Info,
        };
        self.add(finding, kind, rel, step, severity);
    }

    fn add(
        &mut self,
        finding: What,
        kind: &'static str,
        rel: Option<&Path>,
        step: usize,
        severity: Severity,
    ) {
        let path = rel.map(|rel| rel.display().to_string());
        let is_known = self
            .findings
            .iter()
            .any(|one| one.finding == finding && one.kind == kind && one.path == path);
        if !is_known {
            self.findings.push(Finding {
                finding,
                kind,
                path,
                step,
                severity,
            });
        }
    }

    /// Commands that go around a hook.
    fn commands(&mut self) {
        let session = self.session;
        for run in &session.runs {
            let does = |work| {
                run.candidates
                    .iter()
                    .any(|one| one.found.work.contains(&work))
            };
            let step = run.order.line;
            if does(Work::Tests) && run.command.contains("--passWithNoTests") {
                self.warn(What::CheckBypassed, "pass_with_no_tests", None, step);
            }
            let mut words = run.command.split_whitespace();
            if does(Work::Git) && words.any(|word| word == "--no-verify") {
                self.warn(What::CheckBypassed, "no_verify", None, step);
            }
        }
    }

    /// The last check of the turn failed, and nothing was changed since.
    fn last_check(&mut self) {
        let works = [Work::Tests, Work::Build, Work::Lint, Work::Types];
        let (session, ground) = (self.session, self.ground);
        let all = shown(session, &works, ground);
        let Some(last) = all.iter().rfind(|one| !one.candidate.found.disqualified) else {
            return;
        };
        let edited = anchor(session, ClaimKind::TestsPass, ground);
        let is_now = last.order() >= session.turn && edited.is_none_or(|edit| last.is_after(edit));
        if is_now && matches!(last.ended(ground).how, How::Badly { .. }) {
            self.strictly(What::LastCheckFailed, "check", None, last.order().line);
        }
    }

    /// Much code was changed in the turn, and nothing ran since.
    fn unchecked(&mut self, lines: usize) {
        let (session, ground) = (self.session, self.ground);
        let edited = session.edits.iter().rfind(|edit| {
            edit.done && edit.order > session.turn && matters(edit, ClaimKind::TestsPass, ground)
        });
        let Some(edit) = edited.filter(|_| lines >= MANY_LINES) else {
            return;
        };
        if !anything_ran(session, Some(edit)) {
            self.strictly(What::UncheckedChange, "change", None, edit.order.line);
        }
    }
}

impl EditFacts {
    fn of(change: Change, rel: &Path, replaced: &[Replacement]) -> Self {
        let mut facts = Self::default();
        if is_test_file(rel) {
            let kinds = weakened(change, rel, replaced).into_iter();
            facts
                .found
                .extend(kinds.map(|kind| (What::TestsWeakened, kind)));
        }
        for one in replaced {
            facts.bypassed(rel, one);
        }
        if is_code(rel) {
            facts.lines = replaced.iter().map(changed_lines).sum();
        }
        facts
    }

    /// An edit that switches a check off, or leaves code for later.
    fn bypassed(&mut self, rel: &Path, one: &Replacement) {
        let old = one.old.as_deref().unwrap_or_default();
        let more = |words: &[String]| words.iter().any(|word| is_more(word, old, &one.new));
        let bypasses = WORDS.bypasses.iter().filter(|(_, words)| more(words));
        let kinds = bypasses.map(|(kind, _)| (What::CheckBypassed, kind.as_str()));
        self.found.extend(kinds);
        let is_script = rel.file_name().is_some_and(|name| {
            WORDS.scripts.iter().any(|script| name == script.as_str())
                || rel.extension().is_some_and(|end| end == "sh")
                || rel.starts_with(".github/workflows")
        });
        if is_script && more(&WORDS.ignored) {
            self.found.push((What::CheckBypassed, "failure_ignored"));
        }
        if is_code(rel) && more(&WORDS.stubs) {
            self.found.push((What::StubIntroduced, "stub"));
        }
    }
}

fn is_more(word: &str, old: &str, new: &str) -> bool {
    new.matches(word).count() > old.matches(word).count()
}

/// How many test cases a text defines.
pub fn test_cases(text: &str, path: &Path) -> u64 {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let Some(begins) = extension.and_then(|extension| WORDS.cases.get(extension)) else {
        return 0;
    };
    let lines = text.lines().map(str::trim_start);
    let is_case = |line: &&str| begins.iter().any(|begin| line.starts_with(begin.as_str()));
    lines.filter(is_case).count() as u64
}

/// How an edit of a test file makes it check less.
fn weakened(change: Change, rel: &Path, replaced: &[Replacement]) -> Vec<&'static str> {
    if change == Change::Delete {
        return vec!["test_file_deleted"];
    }
    let mut kinds = Vec::new();
    for one in replaced {
        let Some(old) = &one.old else {
            if skips(&one.new) > 0 && change != Change::Write {
                kinds.push("skip_added");
            }
            continue;
        };
        if skips(&one.new) > skips(old) {
            kinds.push("skip_added");
        }
        let (cases_before, cases_after) = (test_cases(old, rel), test_cases(&one.new, rel));
        let (before, after) = (assertions(old), assertions(&one.new));
        // as many cases may be left under other names
        let is_renamed = after >= before && cases_after > 0;
        if cases_after < cases_before && !is_renamed {
            kinds.push("test_case_deleted");
        }
        if cases_after != cases_before {
            continue;
        }
        if after < before {
            kinds.push("assertions_removed");
        } else if after == before && after > 0 {
            if loosened(old, &one.new) {
                kinds.push("assertion_loosened");
            } else if only_expected_changed(old, &one.new) {
                kinds.push("expected_value_changed");
            }
        }
    }
    kinds
}

fn skips(text: &str) -> usize {
    let words = WORDS.skips.iter();
    words.map(|word| text.matches(word.as_str()).count()).sum()
}

/// How many assertions a text makes; one that goes over several lines is one.
fn assertions(text: &str) -> usize {
    let lines = text.lines().map(str::trim).filter(|line| {
        !line.starts_with("//") && !line.starts_with('#') || line.starts_with("#expect(")
    });
    let has = |line: &&str| {
        WORDS
            .assertions
            .iter()
            .any(|word| line.contains(word.as_str()))
    };
    lines.filter(has).count()
}

/// Whether a strict comparison became a loose one.
fn loosened(old: &str, new: &str) -> bool {
    let mut pairs = WORDS.loosened.iter();
    pairs.any(|(strict, loose)| is_more(strict, new, old) && is_more(loose, old, new))
        || WORDS.trivial.iter().any(|word| is_more(word, old, new))
}

/// Whether an edit changes nothing but the value that is expected.
fn only_expected_changed(old: &str, new: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.trim().to_owned());
        lines.filter(|line| !line.is_empty()).collect()
    };
    let (old, new) = (lines(old), lines(new));
    let changed: Vec<(&String, &String)> = old.iter().zip(&new).filter(|(a, b)| a != b).collect();
    let ([(before, after)], true) = (changed.as_slice(), old.len() == new.len()) else {
        return false;
    };
    let marks = [" == ", ".toBe(", ".toEqual(", ".toStrictEqual(", ", "];
    let split = |line: &'_ str| {
        marks
            .iter()
            .find_map(|mark| line.rsplit_once(mark).map(|(left, _)| left.to_owned()))
    };
    let left = split(before);
    left.is_some() && left == split(after) && assertions(before) > 0
}

fn changed_lines(one: &Replacement) -> usize {
    let old = one.old.as_deref().unwrap_or_default();
    let old: HashSet<&str> = old.lines().map(str::trim).collect();
    let new = one.new.lines().map(str::trim);
    new.filter(|line| !line.is_empty() && !old.contains(line))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(path: &str, old: &str, new: &str) -> Vec<&'static str> {
        let replaced = [Replacement {
            old: Some(old.to_owned()),
            new: new.to_owned(),
        }];
        weakened(Change::Modify, Path::new(path), &replaced)
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
