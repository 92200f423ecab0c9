//! The command line.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::{CALL, RUN, assert_refused, stage, with};

#[test]
fn a_flag_that_is_missing_empty_or_repeated_is_refused() {
    let table: &[(&[&str], &str)] = &[
        (&["quick"], "CLI_USAGE"),
        (
            &["quick", "--db", "data/app.db", "--export-registry", "out/r"],
            "CLI_USAGE",
        ),
        (
            &[
                "quick",
                "--input",
                "",
                "--db",
                "data/app.db",
                "--export-registry",
                "out/r",
            ],
            "CLI_USAGE",
        ),
        (
            &["quick", "--input", "log", "--db", "data/app.db"],
            "CLI_USAGE",
        ),
        (
            &[
                "quick",
                "--input",
                "log",
                "--db",
                "data/app.db",
                "--export-registry",
            ],
            "CLI_USAGE",
        ),
        (
            &[
                "quick",
                "--input",
                "log",
                "--db",
                "data/app.db",
                "--export-registry",
                "",
            ],
            "CLI_USAGE",
        ),
        (
            &["quick", "--input", "log", "--export-registry", "out/r"],
            "CLI_USAGE",
        ),
        (
            &[
                "quick",
                "--input",
                "log",
                "--db",
                "",
                "--export-registry",
                "out/r",
            ],
            "CLI_USAGE",
        ),
        (
            &[
                "quick",
                "--input",
                "log",
                "--export-registry",
                "out/r",
                "--db",
            ],
            "CLI_USAGE",
        ),
        (
            &with(&["--postgres-url", "postgres://localhost/x"]),
            "CLI_USAGE",
        ),
        (&with(&["--input", "log"]), "CLI_USAGE"),
        (&with(&["--db=data/app.db"]), "CLI_USAGE"),
        (
            &with(&["--no-human-report", "--no-human-report"]),
            "CLI_USAGE",
        ),
        (&with(&["--no-human-report=yes"]), "CLI_USAGE"),
        (&with(&["--emit-event", "out/e"]), "CLI_USAGE"),
        (&with(&["--emit-events", ""]), "CLI_USAGE"),
        (&with(&["--write-report", ""]), "CLI_USAGE"),
    ];
    let desk = stage();
    for (args, code) in table {
        let seen = desk.crosscheck(*args);
        assert_refused(&desk, &seen, code, &args.join(" "));
    }
}

#[test]
fn whatever_the_grammar_does_not_know_is_refused() {
    let long = "x".repeat(513);
    let smiles = "\u{1F600}".repeat(257); // 514 UTF-16 units
    let table: &[(&[&str], &str)] = &[
        (&with(&["--verbose"]), "CLI_USAGE"),
        (&with(&["-v"]), "CLI_USAGE"),
        (&with(&["stray"]), "CLI_USAGE"),
        (&with(&["--"]), "CLI_USAGE"),
        (&with(&["--", "stray"]), "CLI_USAGE"),
        (&with(&["--workflow-id", ""]), "CLI_USAGE"),
        (&with(&["--workflow-id", &long]), "CLI_USAGE"),
        (&with(&["--workflow-id", &smiles]), "CLI_USAGE"),
        (&with(&["--share-report-origin", "x"]), "CLI_USAGE"),
        (&with(&["--write-decision-bundle", "x"]), "CLI_USAGE"),
        (&with(&["--decision-attestation", "x"]), "CLI_USAGE"),
        (&with(&["--decision-next-action", "x"]), "CLI_USAGE"),
        (&with(&["--sign-ed25519-private-key", "x"]), "CLI_USAGE"),
        (&with(&["--format", "fortran"]), "CLI_USAGE"),
        (&with(&["--format", ""]), "CLI_USAGE"),
        (&with(&["--schema", "public"]), "CLI_USAGE"),
        (&with(&["--expect-lock", "x"]), "ENFORCE_USAGE"),
        (&with(&["--output-lock", "x"]), "ENFORCE_USAGE"),
        (&with(&["--output-lock=x"]), "ENFORCE_USAGE"),
        (&["quick", "--bogus", "--expect-lock", "x"], "ENFORCE_USAGE"),
        (&with(&["--expect-lock"]), "CLI_USAGE"),
    ];
    let desk = stage();
    for (args, code) in table {
        let seen = desk.crosscheck(*args);
        assert_refused(&desk, &seen, code, &args.join(" "));
    }
}

#[test]
fn an_input_that_cannot_be_read_is_a_usage_error() {
    let desk = stage();
    for input in ["nowhere", "out", "log/below"] {
        let mut args = with(&[]);
        args[2] = input;
        assert_refused(&desk, &desk.crosscheck(args), "CLI_USAGE", input);
    }
}

#[test]
fn arguments_that_are_not_text_are_refused_or_used_as_paths() {
    let desk = stage();
    let raw = OsStr::from_bytes(b"\xff");
    let args = |flag: &'static str| {
        let mut args: Vec<&OsStr> = RUN.iter().map(OsStr::new).collect();
        args.extend([OsStr::new(flag), raw]);
        args
    };
    for flag in [
        "--workflow-id",
        "--format",
        "--schema",
        "--postgres-url",
        "--\u{fffd}",
    ] {
        assert_refused(&desk, &desk.crosscheck(args(flag)), "CLI_USAGE", flag);
    }
    let mut args: Vec<&OsStr> = RUN.iter().map(OsStr::new).collect();
    args[2] = raw;
    std::fs::write(desk.path().join(raw), CALL).unwrap();
    assert_eq!(desk.crosscheck(args).code, 0);
}

#[test]
fn values_may_follow_an_equals_sign_or_look_like_flags() {
    let desk = stage();
    let seen = desk.crosscheck([
        "quick",
        "--input=log",
        "--db=data/app.db",
        "--export-registry=out/registry.json",
        "--workflow-id=--odd",
    ]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert_eq!(seen.json()["workflowId"], "--odd");

    desk.file("--", CALL);
    let mut args = with(&[]);
    args[2] = "--";
    assert_eq!(desk.crosscheck(args).code, 0);

    desk.file("--db", CALL);
    let seen = desk.crosscheck([
        "quick",
        "--input",
        "--db",
        "--db",
        "data/app.db",
        "--export-registry",
        "-",
    ]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert!(desk.read("-").starts_with('['), "`-` is a file's name here");
}

#[test]
fn a_workflow_id_of_512_units_is_accepted() {
    let desk = stage();
    for id in ["x".repeat(512), "\u{1F600}".repeat(256), " ".to_owned()] {
        assert_eq!(
            desk.crosscheck(with(&["--workflow-id", &id])).code,
            0,
            "{id}"
        );
    }
}

#[test]
fn help_anywhere_wins_and_nothing_else_happens() {
    let desk = stage();
    let help = desk.crosscheck(["quick", "--help"]).stdout; // on the page of commands
    for args in [
        &["quick", "-h"][..],
        &["quick", "--bogus", "--expect-lock", "x", "--help"],
        &["quick", "--input", "-h"],
        &with(&["--help"]),
    ] {
        let seen = desk.crosscheck(args);
        assert_eq!((seen.code, seen.stderr.as_str()), (0, ""), "{args:?}");
        assert_eq!(seen.stdout, help, "{args:?}");
        assert!(desk.names("out").is_empty(), "{args:?}");
    }
}

#[test]
fn an_output_never_replaces_the_database_the_log_or_another_output() {
    let desk = stage();
    std::os::unix::fs::symlink("app.db", desk.path().join("data/link.db")).unwrap();
    let before = std::fs::read(desk.path().join("data/app.db")).unwrap();
    for (flag, path) in [
        ("--emit-events", "data/app.db"),
        ("--emit-events", "data/../data/app.db"),
        ("--write-report", "log"),
        ("--emit-events", "out/registry.json"),
        ("--emit-events", "out/../out/registry.json"),
    ] {
        let seen = desk.crosscheck(with(&[flag, path]));
        assert_refused(&desk, &seen, "CLI_USAGE", path);
    }
    let mut through_link = with(&["--emit-events", "data/app.db"]);
    through_link[4] = "data/link.db";
    assert_refused(&desk, &desk.crosscheck(through_link), "CLI_USAGE", "link");
    let mut new_folder = with(&["--emit-events", "new/x"]);
    new_folder[6] = "new/x";
    assert_refused(
        &desk,
        &desk.crosscheck(new_folder),
        "CLI_USAGE",
        "new folder",
    );
    assert_eq!(
        std::fs::read(desk.path().join("data/app.db")).unwrap(),
        before
    );
    assert_eq!(desk.read("log"), CALL);
}

#[test]
fn neither_environment_nor_file_replaces_a_flag() {
    let desk = stage()
        .variable("DATABASE_URL", "postgres://localhost/x")
        .variable("CROSSCHECK_DB", "data/app.db");
    desk.file("crosscheck.toml", "[quick]\ndb = \"data/app.db\"\n");
    let seen = desk.crosscheck(["quick", "--input", "log", "--export-registry", "out/r"]);
    assert_refused(&desk, &seen, "CLI_USAGE", "no database flag");
}

#[test]
fn a_database_that_is_not_there_is_named_with_what_to_look_at() {
    let desk = crate::desk();
    desk.file("log.ndjson", "{}\n");
    let line = "quick --input log.ndjson --db nope.db --export-registry tools.json";
    insta::assert_snapshot!(desk.talk([line]));
}
