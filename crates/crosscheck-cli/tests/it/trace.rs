//! Conversations about reasoning runs.

use std::path::{Path, PathBuf};

use crosscheck_testkit::Desk;

use crate::desk;

fn vector(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../vectors/trace")
        .join(name)
}

/// Puts the files of a vector on the desk, under `run`.
fn lay(desk: &Desk, name: &str) {
    lay_folder(desk, &vector(name), "run");
}

fn lay_folder(desk: &Desk, folder: &Path, at: &str) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{at}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            lay_folder(desk, &entry.path(), &name);
        } else if entry.file_name() != "case.json" {
            desk.file(&name, std::fs::read(entry.path()).unwrap());
        }
    }
}

#[test]
fn an_accepted_run_says_so_in_one_line() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let seen = desk.crosscheck(["trace", "run", "--require-seal"]);
    insta::assert_snapshot!(seen.summary(), @r"
    exit 0
    --- stdout
    accepted: all 16 checks hold for 16 events, 3 evidence and 2 of 2 citations
      run
    --- stderr
    ");
}

#[test]
fn a_rejected_run_names_the_first_failing_thing_in_full() {
    let desk = desk();
    lay(&desk, "order-finished-before-started");
    let seen = desk.crosscheck(["trace", "run"]);
    insta::assert_snapshot!(seen.summary(), @r"
    exit 1
    --- stdout
    rejected: 1 of 16 checks failed with 1 failure
      run

    step_not_started in step_order (INV-ORD-001)
      something happened in a step, or it finished, before it started
      where     run/trace.jsonl:2, event 0
      step      node_v1_cde964ed7a20c17a93c2159c5094c2a7b2af8affcb5158c2040d5ee9bcd0b2cd
      breaks    the steps did not happen in the order of the plan
      to do     take the trace as it was written by the run
    --- stderr
    ");
}

#[test]
fn the_report_goes_to_standard_output_or_into_a_file_and_is_the_same() {
    let desk = desk();
    lay(&desk, "span-snippet-hash-wrong");
    let before = desk.names("run");
    let printed = desk.crosscheck(["trace", "run", "--json"]);
    let written = desk.crosscheck(["trace", "run", "--out", "report.json"]);
    assert_eq!((printed.code, written.code), (1, 1));
    assert_eq!(printed.stdout, desk.read("report.json"));
    assert_eq!((printed.stderr.as_str(), written.stdout.as_str()), ("", ""));
    assert_eq!(
        desk.names("run"),
        before,
        "the run directory is not written to"
    );
}

#[test]
fn a_trace_can_be_piped_in() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let trace = desk.read("run/trace.jsonl");
    let args = ["trace", "--trace", "-", "--plan", "run/plan.json"];
    let bare = desk.crosscheck_with_input(args, trace.as_bytes());
    assert_eq!(bare.code, 1, "without artifacts nothing is grounded");
    assert!(
        bare.stdout.contains("artifacts_unavailable"),
        "{}",
        bare.stdout
    );
    let args = [
        "trace",
        "--trace",
        "-",
        "--plan",
        "run/plan.json",
        "--artifacts",
        "run",
    ];
    assert_eq!(desk.crosscheck_with_input(args, trace.as_bytes()).code, 0);
    let beside = desk.crosscheck([
        "trace",
        "--trace",
        "run/trace.jsonl",
        "--plan",
        "run/plan.json",
    ]);
    assert_eq!(beside.code, 0, "artifacts lie beside the trace by default");
}

#[test]
fn what_cannot_be_run_ends_with_3_and_a_way_out() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    desk.file("empty/note", "");
    for args in [
        &["trace"][..],
        &["trace", "absent"],
        &["trace", "empty"],
        &["trace", "--trace", "run/trace.jsonl"],
        &["trace", "--trace", "absent", "--plan", "run/plan.json"],
        &["trace", "--trace", "run/trace.jsonl", "--plan", "absent"],
        &["trace", "run", "--artifacts", "absent"],
        &["trace", "run", "--artifacts", "run/plan.json"],
        &["trace", "run", "--artifacts", "run", "--no-artifacts"],
        &["trace", "run", "--max-failures", "0"],
        &["trace", "run", "--policy", "permissive"],
        &["trace", "run", "--expect-trace-sha256", "abc"],
        &["trace", "run", "--out", "run/plan.json/report.json"],
        &["trace", "diff", "run", "absent"],
        &["trace", "seal", "empty"],
    ] {
        let seen = desk.crosscheck(args);
        assert_eq!(
            (seen.code, seen.stdout.as_str()),
            (3, ""),
            "{args:?} {}",
            seen.stderr
        );
        assert!(!seen.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn whoever_asks_for_json_is_told_of_errors_in_one_envelope() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    desk.file("prose.txt", "nothing of the kind\n");
    let table: &[(&str, &[&str])] = &[
        ("TRACE_INPUT_UNREADABLE", &["trace", "absent", "--json"]),
        (
            "TRACE_INPUT_UNREADABLE",
            &["trace", "absent", "--format", "json"],
        ),
        (
            "TRACE_INPUT_UNREADABLE",
            &["trace", "run", "--json", "--artifacts", "absent"],
        ),
        (
            "TRACE_OUTPUT_UNWRITABLE",
            &["trace", "run", "--json", "--out", "run/plan.json/report"],
        ),
        ("CLI_USAGE", &["trace", "--json"]),
        (
            "CLI_USAGE",
            &["trace", "run", "--format=json", "--policy", "permissive"],
        ),
        (
            "CLI_USAGE",
            &["trace", "run", "--json", "--expect-trace-sha256", "abc"],
        ),
        (
            "TRACE_INPUT_UNREADABLE",
            &["trace", "diff", "run", "absent", "--json"],
        ),
        (
            "TRACE_INPUT_UNREADABLE",
            &["trace", "linkage", "absent", "--format", "json"],
        ),
        ("CLI_USAGE", &["trace", "linkage", "prose.txt", "--json"]),
    ];
    for (code, args) in table {
        let seen = desk.crosscheck(*args);
        assert_eq!((seen.code, seen.stdout.as_str()), (3, ""), "{args:?}");
        assert_eq!(seen.stderr.lines().count(), 1, "{}", seen.stderr);
        let envelope: serde_json::Value = serde_json::from_str(&seen.stderr).unwrap();
        assert_eq!(envelope["schemaVersion"], 2, "{args:?}");
        assert_eq!(envelope["kind"], "execution_truth_layer_error", "{args:?}");
        assert_eq!(envelope["code"], *code, "{args:?}");
        let diagnosis = &envelope["failureDiagnosis"];
        assert_eq!(diagnosis["evidence"][0]["referenceCode"], *code, "{args:?}");
        assert!(
            !envelope["message"].as_str().unwrap().is_empty(),
            "{args:?}"
        );
    }
    let plain = desk.crosscheck(["trace", "absent", "--format", "sarif"]);
    assert!(plain.stderr.starts_with("error["), "{}", plain.stderr);
}

#[test]
fn a_run_directory_without_a_plan_is_rejected_with_a_report() {
    let desk = desk();
    lay(&desk, "plan-file-missing");
    let seen = desk.crosscheck(["trace", "run", "--json"]);
    assert_eq!(seen.code, 1);
    assert!(seen.stdout.contains("\"plan_missing\""), "{}", seen.stdout);
}

#[test]
fn the_hash_one_trusts_decides() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let trusted = desk.read("run/fingerprint.txt").trim().to_uppercase();
    let good = desk.crosscheck(["trace", "run", "--expect-trace-sha256", &trusted]);
    assert_eq!(good.code, 0, "{}", good.stderr);
    let other = "0".repeat(64);
    let bad = desk.crosscheck(["trace", "run", "--expect-trace-sha256", &other]);
    assert_eq!(bad.code, 1);
    assert!(
        bad.stdout.contains("trace_sha256_unexpected"),
        "{}",
        bad.stdout
    );
}

#[test]
fn a_floor_on_supports_can_only_raise() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    assert_eq!(
        desk.crosscheck(["trace", "run", "--min-supports", "1"])
            .code,
        0
    );
    let seen = desk.crosscheck(["trace", "run", "--min-supports", "3"]);
    assert_eq!(seen.code, 1);
    assert!(seen.stdout.contains("too_few_supports"), "{}", seen.stdout);
}

#[test]
fn a_run_is_sealed_shown_and_compared() {
    let desk = desk();
    lay(&desk, "valid-unicode");
    for name in ["manifest.json", "fingerprint.txt"] {
        let _ = std::fs::remove_file(desk.path().join("run").join(name));
    }
    let sealed = desk.crosscheck(["trace", "seal", "run"]);
    assert_eq!(sealed.code, 0, "{}", sealed.stderr);
    let again = desk.crosscheck(["trace", "seal", "run"]);
    assert_eq!(again.summary(), sealed.summary(), "sealing can be repeated");
    assert_eq!(desk.crosscheck(["trace", "run", "--require-seal"]).code, 0);
    let shown = desk.crosscheck(["trace", "show", "run"]);
    assert_eq!(shown.code, 0);
    assert!(shown.stdout.contains("] holds: "), "{}", shown.stdout);
    let same = desk.crosscheck(["trace", "diff", "run", "run/trace.jsonl"]);
    assert_eq!((same.code, same.stderr.as_str()), (0, ""));
    desk.file(
        "cut.jsonl",
        desk.read("run/trace.jsonl")
            .lines()
            .take(4)
            .collect::<Vec<_>>()
            .join("\n"),
    );
    let parted = desk.crosscheck(["trace", "diff", "run", "cut.jsonl", "--json"]);
    assert_eq!(parted.code, 1);
    assert!(
        parted.stdout.contains("\"first_difference\": 3"),
        "{}",
        parted.stdout
    );
}

#[test]
fn every_code_of_the_report_can_be_explained() {
    let seen = desk().crosscheck(["explain", "snippet_hash_mismatch"]);
    assert_eq!(seen.code, 0);
    assert!(
        seen.stdout
            .starts_with("SNIPPET_HASH_MISMATCH (error, trace)"),
        "{}",
        seen.stdout
    );
}

#[test]
fn every_format_tells_the_same_story() {
    let desk = desk();
    lay(&desk, "order-finished-before-started");
    for format in [
        "human", "json", "ndjson", "junit", "sarif", "markdown", "html", "github",
    ] {
        let seen = desk.crosscheck(["trace", "run", "--format", format]);
        assert_eq!(seen.code, 1, "{format}: {}", seen.stderr);
        let text = seen.stdout.to_lowercase();
        assert!(text.contains("step_not_started"), "{format}: {text}");
    }
    let seen = desk.crosscheck([
        "trace",
        "run",
        "--format",
        "sarif",
        "--output",
        "out/trace.sarif",
    ]);
    assert_eq!((seen.code, seen.stdout.as_str()), (1, ""));
    assert!(desk.read("out/trace.sarif").contains("STEP_NOT_STARTED"));
}

#[test]
fn a_log_is_looked_at_under_the_reduced_profile_and_never_accepted() {
    let desk = desk();
    let call = r#"{"type":"assistant","uuid":"a","parentUuid":null,"sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}"#;
    let answer = r#"{"type":"user","uuid":"b","parentUuid":"a","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}"#;
    desk.file("good.jsonl", format!("{call}\n{answer}\n"));
    let seen = desk.crosscheck(["trace", "linkage", "good.jsonl", "--json"]);
    assert_eq!(seen.code, 2, "{}", seen.stderr);
    assert!(
        seen.stdout.contains("\"verdict\": \"linkage_holds\""),
        "{}",
        seen.stdout
    );
    assert!(
        seen.stdout.contains("\"not_applicable\""),
        "{}",
        seen.stdout
    );
    assert!(!seen.stdout.contains("accepted"), "{}", seen.stdout);

    desk.file("orphan.jsonl", format!("{answer}\n"));
    let args = ["trace", "linkage", "orphan.jsonl", "--from", "claude-code"];
    let seen = desk.crosscheck(args);
    assert_eq!(seen.code, 1, "{}", seen.stderr);
    assert!(
        seen.stdout.contains("orphan_tool_result"),
        "{}",
        seen.stdout
    );

    desk.file("prose.txt", "nothing of the kind\n");
    assert_eq!(desk.crosscheck(["trace", "linkage", "prose.txt"]).code, 3);
    assert_eq!(desk.crosscheck(["trace", "linkage", "absent"]).code, 3);
}

#[test]
fn quiet_verbose_and_colour_are_known_to_every_trace_command() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let log =
        r#"{"type":"user","uuid":"u","parentUuid":null,"message":{"role":"user","content":"hi"}}"#;
    desk.file("log.jsonl", format!("{log}\n"));
    for command in [
        vec!["trace", "run"],
        vec!["trace", "show", "run"],
        vec!["trace", "diff", "run", "run"],
        vec!["trace", "linkage", "log.jsonl", "--from", "claude-code"],
    ] {
        let plain = desk.crosscheck(&command);
        let with = |more: &[&str]| {
            let mut args = command.clone();
            args.extend(more);
            desk.crosscheck(&args)
        };
        for more in [
            &["--quiet"][..],
            &["--color", "never"],
            &["--color", "auto"],
        ] {
            let seen = with(more);
            assert_eq!(seen.summary(), plain.summary(), "{command:?} {more:?}");
        }
        let verbose = with(&["--verbose"]);
        assert_eq!(
            (verbose.code, &verbose.stdout),
            (plain.code, &plain.stdout),
            "{command:?}"
        );
        assert!(!verbose.stderr.is_empty(), "{command:?}");
        assert_eq!(with(&["--quiet", "--verbose"]).code, 3, "{command:?}");
    }
}

#[test]
fn the_word_of_the_verdict_is_coloured_on_demand_and_never_in_a_file() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let accepted = "\u{1b}[32maccepted\u{1b}[0m: ";
    for command in [&["trace", "run"][..], &["trace", "show", "run"]] {
        let mut args = command.to_vec();
        args.extend(["--color", "always"]);
        let seen = desk.crosscheck(&args);
        assert!(seen.stdout.starts_with(accepted), "{}", seen.stdout);
    }
    let to_file = ["trace", "run", "--color", "always", "--output", "r.txt"];
    assert_eq!(desk.crosscheck(to_file).code, 0);
    assert!(desk.read("r.txt").starts_with("accepted: "));
}

#[test]
fn quiet_silences_the_sentence_beside_a_written_report() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let told = desk.crosscheck(["trace", "run", "--out", "a.json"]);
    let quiet = desk.crosscheck(["trace", "run", "--out", "b.json", "--quiet"]);
    assert!(told.stderr.starts_with("accepted"), "{}", told.stderr);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    assert_eq!(desk.read("a.json"), desk.read("b.json"));
}

#[test]
fn a_report_never_replaces_what_it_is_about() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let evidence = format!("run/evidence/{}", desk.names("run/evidence")[0]);
    for file in [
        "run/trace.jsonl",
        "run/plan.json",
        "run/manifest.json",
        &evidence,
    ] {
        let before = desk.read(file);
        for option in ["--out", "--output"] {
            let seen = desk.crosscheck(["trace", "run", option, file]);
            assert_eq!(seen.code, 3, "{file}: {}", seen.stderr);
            assert!(seen.stderr.contains("would replace"), "{}", seen.stderr);
        }
        assert_eq!(desk.read(file), before);
    }
    let seen = desk.crosscheck(["trace", "run", "--out", "run/report.json"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    let again = desk.crosscheck(["trace", "run", "--out", "run/report.json"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
}

#[test]
fn a_report_about_a_log_never_replaces_the_log() {
    let desk = desk();
    let line =
        r#"{"type":"user","uuid":"1","sessionId":"s","message":{"role":"user","content":"hello"}}"#;
    desk.file("log.jsonl", line);
    let seen = desk.crosscheck(["trace", "linkage", "log.jsonl", "--output", "log.jsonl"]);
    assert_eq!(seen.code, 3, "{}", seen.stderr);
    assert_eq!(desk.read("log.jsonl"), line);
}

#[test]
fn a_log_of_which_nothing_was_read_does_not_hold() {
    let desk = desk();
    desk.file(
        "log.jsonl",
        r#"{"type":"user","uuid":"1","sessionId":"s","message":{"role":"user","content":"hello"}}"#,
    );
    let seen = desk.crosscheck(["trace", "linkage", "log.jsonl", "--from", "codex"]);
    assert_eq!(seen.code, 3, "{}", seen.summary());
    assert!(
        seen.stderr.contains("none of the 1 records"),
        "{}",
        seen.stderr
    );
}
