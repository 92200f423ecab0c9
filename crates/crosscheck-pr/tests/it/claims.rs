//! Texts against one change: each line of the table is a sentence and what it comes to.

use crosscheck_pr::read::{checks, event};
use crosscheck_pr::{PrRequest, PrText, verify};

use crate::repository::{Files, Repository};

const BEFORE: Files<'_> = &[
    ("README.md", Some("# Shop\n")),
    ("docs/README.md", Some("docs\n")),
    ("docs/old.md", Some("a page that nobody reads\n")),
    ("src/main.rs", Some("fn main() {}\nfn parse_old() {}\n")),
    ("src/util.rs", Some("pub fn help() {}\n")),
    ("src/http.py", Some("one\ntwo\nthree\nfour\nfive\n")),
    ("web/util.rs", Some("pub fn other() {}\n")),
    ("logo.png", Some("\0\u{1}old")),
    ("package.json", Some("{\"scripts\":{\"lint\":\"eslint\"}}")),
    ("Makefile", Some("check: lint\n\ttrue\n")),
    ("justfile", Some("import 'more.just'\n")),
];

const AFTER: Files<'_> = &[
    ("docs/old.md", None),
    (
        "src/main.rs",
        Some("fn main() {}\n// not read at any time\nfn parse_header(max_size: u32) {}\n"),
    ),
    ("src/http.py", None),
    ("src/web/http.py", Some("one\ntwo\nthree\nfour\nfive\n")),
    (
        "src/cache.rs",
        Some("pub struct Cache;\n#[test]\nfn a() {}\n"),
    ),
    ("tests/cache.rs", Some("#[test]\nfn b() {}\n")),
];

fn request(repository: &Repository, texts: &[&str]) -> PrRequest {
    let text = |text: &&str| PrText {
        name: "body".to_owned(),
        text: (*text).to_owned(),
    };
    PrRequest {
        repository: repository.path().to_owned(),
        base: "base".to_owned(),
        head: "HEAD".to_owned(),
        texts: texts.iter().map(text).collect(),
        has_commits: false,
        checks: None,
        allow_empty: false,
    }
}

/// Each claim as `verdict CODE`.
fn found(request: &PrRequest) -> Vec<String> {
    let report = verify(request).unwrap().neutral();
    let line = |outcome: &crosscheck_core::Outcome| {
        let code = outcome.reasons[0].reason.code;
        format!("{} {code}", outcome.verdict.word())
    };
    report.outcomes.iter().map(line).collect()
}

const AGREES: &str = "confirmed PR_DIFF_AGREES";
const UNCLEAR: &str = "undecided PR_AMBIGUOUS";

const SENTENCES: &[(&str, &[&str])] = &[
    ("Created `src/cache.rs`.", &[AGREES]),
    ("Created cache.rs and `tests/cache.rs`.", &[AGREES, AGREES]),
    ("Created `src/store.rs`.", &["refuted PR_FILE_MISSING"]),
    (
        "Added `other/place.rs`.",
        &["undecided PR_NOT_DECIDED_BY_DIFF"],
    ),
    ("Created `src/main.rs`.", &["refuted PR_FILE_NOT_NEW"]),
    ("Added `src/main.rs`.", &[UNCLEAR]),
    ("Added `src/util.rs`.", &["refuted PR_FILE_NOT_NEW"]),
    ("Added store.rs.", &["undecided PR_NOT_DECIDED_BY_DIFF"]),
    ("Removed docs/old.md.", &[AGREES]),
    ("Deleted `src/util.rs`.", &["refuted PR_FILE_STILL_THERE"]),
    ("Renamed `src/http.py` to `src/web/http.py`.", &[AGREES]),
    ("Moved `http.py` into `src/web/`.", &[AGREES]),
    (
        "Renamed `src/main.rs` to `src/app.rs`.",
        &["refuted PR_FILE_STILL_THERE"],
    ),
    (
        "Renamed `src/util.rs` to `src/cache.rs`.",
        &["refuted PR_FILE_STILL_THERE"],
    ),
    ("Updated `src/main.rs` to read the header.", &[AGREES]),
    ("Updated main.rs.", &[AGREES]),
    (
        "Updated `src/util.rs` and `docs/README.md`.",
        &["refuted PR_FILE_NOT_CHANGED"; 2],
    ),
    ("Updated README.md.", &["refuted PR_FILE_NOT_CHANGED"]),
    ("Updated the `docs/` folder.", &[AGREES]),
    ("Updated `origin/main`.", &[]),
    (
        "## Test plan\n\n- [x] `npm run lint` passes\n- [x] `npm run nope` passes",
        &[AGREES, "refuted PR_SCRIPT_MISSING"],
    ),
    ("## Rollout plan\n\n- `npm run nope`", &[]),
    (
        "Only touches `src/` and the tests.",
        &["refuted PR_OTHER_FILE_CHANGED"],
    ),
    ("Only touches `src/`, docs and the tests.", &[AGREES]),
    ("Only touches files in src/, docs/ and tests/.", &[AGREES]),
    (
        "Only touches src and tests.",
        &["refuted PR_OTHER_FILE_CHANGED"],
    ),
    (
        "Only edits files in `docs`.",
        &["refuted PR_OTHER_FILE_CHANGED"],
    ),
    ("It only touches docs.", &["refuted PR_OTHER_FILE_CHANGED"]),
    ("It only touches tests.", &["refuted PR_OTHER_FILE_CHANGED"]),
    ("It only touches the formatting.", &[]),
    ("It only changes src.", &[]),
    ("No tests were changed.", &["refuted PR_OTHER_FILE_CHANGED"]),
    ("Leaves `package.json` untouched.", &[AGREES]),
    (
        "This does not touch `src/main.rs`",
        &["refuted PR_OTHER_FILE_CHANGED"],
    ),
    (
        "Only touches `src/main.rs`.",
        &["refuted PR_OTHER_FILE_CHANGED"],
    ),
    (
        "Only touches `src/`, `docs/` and tests/cache.rs.",
        &[AGREES],
    ),
    ("No changes to `src/util.rs`.", &[AGREES]),
    ("No changes to util.rs.", &[AGREES]),
    ("No changes to `src/`.", &["refuted PR_OTHER_FILE_CHANGED"]),
    (
        "This PR does not touch the tests.",
        &["refuted PR_OTHER_FILE_CHANGED"],
    ),
    ("No changes to dependencies.", &[AGREES]),
    ("Adds tests.", &[AGREES]),
    ("Adds two tests for the cache.", &[AGREES]),
    ("Adds 5 tests for the cache.", &["refuted PR_COUNT_DIFFERS"]),
    ("Added the struct `Cache`.", &[AGREES]),
    (
        "Added the function `any`.",
        &["undecided PR_NOT_DECIDED_BY_DIFF"],
    ),
    (
        "Added a `--max-size` flag.",
        &["undecided PR_NOT_DECIDED_BY_DIFF"],
    ),
    (
        "Added the function `parse_body`.",
        &["undecided PR_SYMBOL_NOT_IN_DIFF"],
    ),
    ("Removed the function `parse_old`.", &[AGREES]),
    (
        "Removed the function `help`.",
        &["undecided PR_SYMBOL_NOT_IN_DIFF"],
    ),
    ("Rename `parse_old` to `parse_header`.", &[AGREES]),
    (
        "Rename `parse_old` to `parse_body`.",
        &["undecided PR_SYMBOL_NOT_IN_DIFF"],
    ),
    (
        "5 files changed, 7 insertions(+), 7 deletions(-)",
        &[AGREES, AGREES, "refuted PR_COUNT_DIFFERS"],
    ),
    ("This PR touches 4 files.", &["refuted PR_COUNT_DIFFERS"]),
    ("Adds two new files.", &[AGREES]),
    ("Adds three new files.", &["refuted PR_COUNT_DIFFERS"]),
    ("Fixed in deadbee1.", &["undecided PR_COMMIT_MISSING"]),
    (
        "- [x] `npm run lint`\n- [x] `make check`",
        &[AGREES, AGREES],
    ),
    ("- [x] `npm run e2e`", &["refuted PR_SCRIPT_MISSING"]),
    ("Ran `make bench`.", &["refuted PR_SCRIPT_MISSING"]),
    ("Ran `just bench`.", &["undecided PR_NOT_DECIDED_BY_DIFF"]),
    ("All tests pass.", &["undecided PR_RESULTS_MISSING"]),
    (
        "New files:\n- `src/cache.rs`\n- `src/util.rs`",
        &[AGREES, "refuted PR_FILE_NOT_NEW"],
    ),
    ("Updated `src/util.rs` if it exists.", &[]),
];

#[test]
fn a_sentence_comes_to_what_the_diff_shows() {
    let repository = Repository::new(BEFORE, AFTER, "second");
    for (text, expected) in SENTENCES {
        assert_eq!(found(&request(&repository, &[text])), *expected, "{text}");
    }
}

#[test]
fn results_of_checks_decide_whether_tests_pass() {
    let runs = |ending: &str| {
        format!(
            r#"{{"check_runs":[{{"name":"unit tests","conclusion":{ending}}},{{"name":"lint","conclusion":"failure"}}]}}"#
        )
    };
    let table = [
        (
            runs("\"success\""),
            "All tests pass.",
            "confirmed PR_DIFF_AGREES",
        ),
        (
            runs("\"failure\""),
            "All tests pass.",
            "refuted PR_CHECK_FAILED",
        ),
        (
            runs("null"),
            "All tests pass.",
            "undecided PR_RESULTS_MISSING",
        ),
        (
            runs("\"success\""),
            "CI is green.",
            "refuted PR_CHECK_FAILED",
        ),
        (
            r#"[{"name":"lint","state":"SUCCESS"}]"#.to_owned(),
            "All tests pass.",
            "undecided PR_RESULTS_MISSING",
        ),
        (
            "<testsuite><testcase name='a'/></testsuite>".to_owned(),
            "All tests pass.",
            "confirmed PR_DIFF_AGREES",
        ),
        (
            "<testsuite><testcase name='a'><failure/></testcase></testsuite>".to_owned(),
            "All tests pass.",
            "refuted PR_CHECK_FAILED",
        ),
        (
            "<testsuite tests='3' failures='1'><testcase name='a'/></testsuite>".to_owned(),
            "All tests pass.",
            "refuted PR_CHECK_FAILED",
        ),
        (
            "<testsuite><error/><testcase name='a'/></testsuite>".to_owned(),
            "All tests pass.",
            "refuted PR_CHECK_FAILED",
        ),
        (
            "<testsuite><testcase name='a' status='failed'/></testsuite>".to_owned(),
            "All tests pass.",
            "refuted PR_CHECK_FAILED",
        ),
    ];
    let repository = Repository::new(BEFORE, AFTER, "second");
    for (results, text, expected) in table {
        let request = PrRequest {
            checks: Some(checks::read(results.as_bytes()).unwrap()),
            ..request(&repository, &[text])
        };
        assert_eq!(found(&request), [expected], "{results} {text}");
    }
    for broken in [
        "{}",
        "<a>",
        "\u{1}",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    ] {
        assert!(checks::read(broken.as_bytes()).is_err(), "{broken}");
    }
}

#[test]
fn another_mode_is_no_change_of_what_a_file_holds() {
    let repository = Repository::new(BEFORE, &[], "second");
    repository.git(&["update-index", "--chmod=+x", "src/util.rs"]);
    repository.git(&["commit", "-q", "-m", "third"]);
    let seen = found(&request(&repository, &["Updates `src/util.rs`."]));
    assert_eq!(seen, ["undecided PR_NOT_DECIDED_BY_DIFF"]);
}

#[test]
fn what_only_touches_a_class_may_stand_beside_the_code() {
    let before: Files<'_> = &[
        ("docs/a.md", Some("a\n")),
        ("tests/a.rs", Some("a();\n")),
        ("src/a.rs", Some("fn a() {}\n")),
    ];
    for (text, after, verdict) in [
        (
            "Only touches docs.",
            "/// Documented.\nfn a() {}\n",
            UNCLEAR,
        ),
        ("Only touches tests.", "fn a() {}\nfn b() {}\n", UNCLEAR),
        (
            "Only touches docs.",
            "fn a() {}\nfn b() {}\n",
            "refuted PR_OTHER_FILE_CHANGED",
        ),
    ] {
        let repository = Repository::new(before, &[("src/a.rs", Some(after))], "change");
        assert_eq!(found(&request(&repository, &[text])), [verdict], "{text}");
    }
}

#[test]
fn a_message_is_checked_against_its_own_commit() {
    let repository = Repository::new(BEFORE, AFTER, "Add src/cache.rs");
    repository.commit(&[("src/cache.rs", None)], "Remove `src/cache.rs`");
    repository.commit(&[("README.md", Some("x"))], "Update `src/util.rs`");
    let request = PrRequest {
        has_commits: true,
        ..request(&repository, &[])
    };
    let expected = [
        "confirmed PR_DIFF_AGREES",
        "confirmed PR_DIFF_AGREES",
        "refuted PR_FILE_NOT_CHANGED",
    ];
    assert_eq!(found(&request), expected);
    let id = repository.git(&["rev-parse", "HEAD"]);
    let first = repository.git(&["rev-parse", "base"]);
    let mut request = PrRequest {
        has_commits: false,
        ..request
    };
    for (id, expected) in [
        (id, "confirmed PR_DIFF_AGREES"),
        (first, "undecided PR_NOT_DECIDED_BY_DIFF"),
    ] {
        request.texts = vec![PrText {
            name: "comment".to_owned(),
            text: format!("Fixed in {}.", &id[..10]),
        }];
        assert_eq!(found(&request), [expected]);
    }
}

#[test]
fn a_binary_file_and_a_name_that_is_not_utf_8_leave_the_rest_to_be_checked() {
    use std::os::unix::ffi::OsStrExt as _;
    let repository = Repository::new(BEFORE, &[("logo.png", Some("\0\u{1}new"))], "second");
    let odd = repository
        .path()
        .join(std::ffi::OsStr::from_bytes(b"odd-\xff.txt"));
    std::fs::write(odd, "x").unwrap();
    repository.commit(&[], "third");
    let table = [
        ("Updated `logo.png`.", "confirmed PR_DIFF_AGREES"),
        ("Updated the function `help`.", ""),
        ("Added the function `help`.", "undecided PR_PATCH_UNREAD"),
        ("This PR touches 2 files.", "confirmed PR_DIFF_AGREES"),
        ("Updated `src/main.rs`.", "refuted PR_FILE_NOT_CHANGED"),
    ];
    for (text, expected) in table {
        assert_eq!(
            found(&request(&repository, &[text])).join(" "),
            expected,
            "{text}"
        );
    }
}

#[test]
fn settings_of_the_repository_start_no_program_and_change_no_answer() {
    let repository = Repository::new(BEFORE, AFTER, "second");
    let mark = repository.path().join("ran");
    let program = format!("touch {} && cat", mark.display());
    for (key, value) in [
        ("diff.external", program.as_str()),
        ("diff.rust.textconv", &program),
        ("diff.rust.command", &program),
        ("diff.noprefix", "true"),
        ("diff.renames", "false"),
        ("diff.context", "9"),
        ("color.ui", "always"),
        ("core.hooksPath", "."),
    ] {
        repository.git(&["config", key, value]);
    }
    std::fs::write(repository.path().join(".gitattributes"), "*.rs diff=rust\n").unwrap();
    let text = "Renamed `src/http.py` to `src/web/http.py`. Added the struct `Cache`.";
    assert_eq!(
        found(&request(&repository, &[text])),
        ["confirmed PR_DIFF_AGREES"; 2]
    );
    assert!(!mark.exists());
}

#[test]
fn what_cannot_be_compared_says_what_is_missing() {
    let repository = Repository::new(BEFORE, AFTER, "second");
    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", repository.path().display());
    repository.git(&[
        "clone",
        "-q",
        "--depth",
        "1",
        &url,
        &clone.path().display().to_string(),
    ]);
    let plain = tempfile::tempdir().unwrap();
    let error = |request: &PrRequest| verify(request).unwrap_err().to_string();
    let base = |base: &str| PrRequest {
        base: base.to_owned(),
        ..request(&repository, &[])
    };
    assert_eq!(
        error(&base("nowhere")),
        "`nowhere` is not a commit of this repository"
    );
    assert_eq!(
        error(&base("--output=x")),
        "`--output=x` is not a commit of this repository"
    );
    let shallow = PrRequest {
        repository: clone.path().to_owned(),
        ..base("HEAD^")
    };
    assert!(error(&shallow).ends_with("which has only a part of its history"));
    let outside = PrRequest {
        repository: plain.path().to_owned(),
        ..base("HEAD")
    };
    assert!(error(&outside).starts_with("no git repository can be read here"));
    repository.git(&["checkout", "-q", "--orphan", "other"]);
    repository.commit(&[], "alone");
    assert_eq!(
        error(&base("main")),
        "`main` and `HEAD` have no common commit"
    );
}

#[test]
fn an_event_names_its_texts_and_commits() {
    let id = "a".repeat(40);
    let bytes = format!(
        r#"{{"pull_request":{{"title":"T","body":null,"base":{{"sha":"{id}"}},"head":{{"sha":"--x"}}}},"comment":{{"body":"C"}}}}"#
    );
    let event = event::read(bytes.as_bytes()).unwrap();
    let names: Vec<&str> = event.texts.iter().map(|text| text.name.as_str()).collect();
    assert_eq!((event.base, event.head), (Some(id), None));
    assert_eq!(names, ["title", "comment"]);
    assert!(event::read(b"{\"push\":1}").is_err());
    assert!(event::read(b"[").is_err());
}
