//! A message is read in a time that grows with its length alone: what grows
//! with the square of it would let a long message outlast the hook.

use std::fs;

use crosscheck_done::claim::{Extractor, hints};
use crosscheck_done::runner::Table;

/// One that is read word by word, and those that are not.
const LANGUAGES: [&str; 4] = ["en", "ja", "zh", "ko"];

/// A message is one of these, over and over. `{n}` is the number of the piece.
const PIECES: &[&str] = &[
    ".",
    "...",
    ". ",
    "a.",
    "A.",
    "a. ",
    "a.A",
    "&amp;",
    " ",
    "\t",
    "\n",
    "\n\n",
    "1",
    "1,",
    "1 ",
    "1.",
    "0 ",
    "/",
    "a/",
    "A/",
    "/a.B",
    "-",
    "- ",
    "a-",
    "--",
    "'",
    "'a ",
    "'a",
    "\"",
    "\"a",
    "(",
    ")",
    "()",
    "(a",
    "(a)",
    "[",
    "]",
    "[x]",
    "[ ]",
    "](",
    "*",
    "**",
    "_",
    "_a",
    "a_",
    "|",
    "|a",
    "| a |\n",
    "#",
    "# a\n",
    "#L1",
    "<",
    "< ",
    "<a",
    "<a ",
    ">",
    "<!--",
    "<!-- -->",
    "<b>a",
    "a**",
    "no doubt ",
    "you can ",
    "because ",
    "previously ",
    "tests pass; ",
    "tests pass and may ",
    "tests passed (previously) ",
    "`",
    "``",
    "`a",
    "`a`",
    "`a` ",
    "`a b` ",
    "~~",
    "~~~",
    "~ ",
    ":",
    "a:",
    "a:1",
    "a:1.",
    ",",
    ", ",
    ";",
    "; ",
    "!",
    "! ",
    "?",
    "? ",
    "=",
    "+",
    "@",
    "é",
    "é.",
    "ß ",
    "а",
    "aа ",
    "界",
    "界。",
    "テスト",
    "テスト、",
    "✅",
    "✅ ",
    "❌ ",
    "—",
    " — a",
    "a — ",
    "\u{301}",
    "a\u{200b}",
    "a",
    "a ",
    "I ",
    "and ",
    ", and ",
    "and now ",
    "then ",
    "not ",
    "no ",
    "no new ",
    "now ",
    "it ",
    "all ",
    "to ",
    "if ",
    "will ",
    "I'll ",
    "n't ",
    "don't ",
    "was ",
    "is ",
    "has been ",
    "the ",
    "of ",
    "test ",
    "tests ",
    "tests and ",
    "tests, ",
    "test_",
    "pass ",
    "pass, ",
    "tests pass ",
    "tests pass, ",
    "tests pass. ",
    "tests pass\n",
    "all tests pass ",
    "all tests pass and ",
    "now pass ",
    "tests now ",
    "`cargo test` passes ",
    "`cargo test` ",
    "`cargo test`, ",
    "(`cargo test` passes) ",
    "✅ tests ",
    "tests: ✅ ",
    "| tests | pass ",
    "tests fail ",
    "failing tests ",
    "no failing tests ",
    "0 failed ",
    "12 passed, 0 failed ",
    "1/1 ",
    "1 of the ",
    "no errors ",
    "no errors, ",
    "nothing failed ",
    "it compiles ",
    "without errors ",
    "created ",
    "created a{n}.py ",
    "created a{n}.py, ",
    "created a{n}.py. ",
    "a{n}.py, ",
    "`a{n}.py` ",
    "was created ",
    "a.py was created ",
    "removed `f{n}`, ",
    "added `f` to a.py ",
    "committed ",
    "pushed ",
    "pushed to ",
    "deployed ",
    "live ",
    "fixed ",
    "fixed the bug ",
    "the bug is gone ",
    "verified ",
    "ran ",
    "everything works ",
    "https://a.example/ ",
    "https://a.example/{n} works ",
    "http",
    "a.rs:1 ",
    "a.rs:1 `",
    "line 1 of ",
    "test t{n} passes. ",
    "test `t{n}` passes ",
    "in 2019 ",
    "according to ",
    "e.g. ",
    "- a\n",
    "- [ ] a\n",
    "- [x] tests pass\n",
    "1. a\n",
    "## a\n- b\n",
    "a:\n- b\n",
    "> a\n",
    "    a\n",
    "```\n",
    "```\na\n```\n",
    "done ",
    "Done. ",
    "テストは成功しました。",
    "所有测试通过，",
    "测试都通过，",
    "모든 테스트 통과 ",
    "x를 제외한 테스트가 통과했습니다, ",
    "我创建了a{n}.py，",
];

const SMALL: usize = 8_000;
/// Between the four times of linear work and the sixteen of its square.
const RATIO_MAX: u64 = 8;
/// What the machine takes in between, in nanoseconds.
const NOISE: u64 = 20_000_000;
/// A busy machine measures too much, never too little.
const TRIES: usize = 4;

fn message(piece: &str, size: usize) -> String {
    let pieces = (0..size / piece.len()).map(|n| piece.replace("{n}", &n.to_string()));
    let text: String = pieces.collect();
    format!("All tests pass.\n\n{text}")
}

/// CPU time of this thread, in nanoseconds.
fn cpu() -> u64 {
    let seen = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    seen.split(' ').next().unwrap().parse().unwrap()
}

fn read(extractor: &Extractor, table: &Table, message: &str) -> u64 {
    let languages = LANGUAGES.map(str::to_owned);
    let before = cpu();
    assert!(!hints(message, &languages).languages.is_empty());
    let seen = extractor.read(message, table, false);
    let taken = cpu() - before;
    assert!(!seen.claims.is_empty(), "{message:.40}");
    taken
}

#[test]
fn a_list_of_files_does_not_push_out_what_the_tests_are_said_to_do() {
    use std::fmt::Write as _;
    let table = Table::new(&[]).unwrap();
    let extractor = Extractor::new(&LANGUAGES.map(str::to_owned), &[]).unwrap();
    let mut message = String::new();
    for number in 0..80 {
        let _ = writeln!(message, "Created `src/n{number}.py`.");
    }
    message.push_str("All tests pass.\n");
    let seen = extractor.read(&message, &table, true);
    assert_eq!((seen.claims.len(), seen.left_out), (64, 17));
    assert_eq!(seen.claims.last().unwrap().kind.name(), "tests_pass");
}

/// What is said far before a statement still makes it none.
#[test]
fn no_length_parts_a_statement_from_its_condition() {
    let table = Table::new(&[]).unwrap();
    let extractor = Extractor::new(&LANGUAGES.map(str::to_owned), &[]).unwrap();
    for filler in ["a ", "1 ", "a 1 "] {
        let long = filler.repeat(5_000);
        for message in [
            format!("It is not {long} that all tests pass."),
            format!("If {long} all tests pass."),
            format!("I will see {long} that all tests pass."),
            format!("Do all {long} tests pass?"),
            format!("The script {long} created src/new.py"),
        ] {
            let seen = extractor.read(&message, &table, true);
            assert!(seen.claims.is_empty(), "{message:.40}: {:?}", seen.claims);
        }
    }
}

/// A command line is one of these, over and over.
const COMMANDS: &[&str] = &[
    "pytest | ",
    "pytest && ",
    "pytest || ",
    "pytest || exit 1; ",
    "pytest; ",
    "pytest & ",
    "pytest\n",
    "(pytest); ",
    "$(",
    "echo $(pytest); ",
    "\"$(",
    "bash -c 'pytest'; ",
    "cat <<E\nx\nE\n",
    "cat <<E; ",
    "if pytest; then ls; fi; ",
    "for i in a; do pytest; done; ",
    "pytest > a.txt; ",
    "pytest; cat old.log; ",
    "pytest | tee a.log; ",
    "pytest; echo $?; ",
    "cd a && pytest; ",
    "rm a.py; ",
    "A=1 ",
    "env ",
    "export PYTEST_ADDOPTS=-x; pytest; ",
    "alias a=b; ",
    ". ./a.sh; pytest; ",
    "./test.sh; ",
    "'",
    "`",
    "${a",
    "1",
];

#[test]
#[cfg(target_os = "linux")]
fn four_times_the_command_line_takes_about_four_times_as_long() {
    use crosscheck_done::place::Places;
    use crosscheck_done::read::session::Folder;
    use crosscheck_transcript::session::{Body, By, Event, Harness, Run, State};
    let table = Table::new(&[]).unwrap();
    let places = Places {
        root: "/p".into(),
        cwd: "/p".into(),
        home: None,
        temporary: Vec::new(),
    };
    let take = |piece: &str, size: usize| {
        let run = Run {
            id: "r".into(),
            command: piece.repeat(size / piece.len()) + "true",
            status: Some(0),
            state: State::Ended,
            output: None,
        };
        let event = Event {
            line: 1,
            step: 0,
            cwd: None,
            by: By::Agent,
            body: Body::Run(run),
        };
        let before = cpu();
        let mut folder = Folder::new(&table, &places, Harness::Neutral);
        folder.take(event);
        drop(folder.finish());
        cpu() - before
    };
    let mut wrong = Vec::new();
    for piece in COMMANDS {
        let mut best = (u64::MAX, u64::MAX);
        let is_linear = (0..TRIES).any(|_| {
            best.0 = best.0.min(take(piece, SMALL));
            best.1 = best.1.min(take(piece, 4 * SMALL));
            best.1 < RATIO_MAX * best.0 + NOISE
        });
        if !is_linear {
            wrong.push((piece, best));
        }
    }
    assert!(wrong.is_empty(), "nanoseconds: {wrong:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn four_times_the_message_takes_about_four_times_as_long() {
    let table = Table::new(&[]).unwrap();
    let extractor = Extractor::new(&LANGUAGES.map(str::to_owned), &[]).unwrap();
    let mut wrong = Vec::new();
    for piece in PIECES {
        let (small, large) = (message(piece, SMALL), message(piece, 4 * SMALL));
        let mut best = (u64::MAX, u64::MAX);
        let is_linear = (0..TRIES).any(|_| {
            best.0 = best.0.min(read(&extractor, &table, &small));
            best.1 = best.1.min(read(&extractor, &table, &large));
            best.1 < RATIO_MAX * best.0 + NOISE
        });
        if !is_linear {
            wrong.push((piece, best));
        }
    }
    assert!(wrong.is_empty(), "nanoseconds: {wrong:?}");
}
