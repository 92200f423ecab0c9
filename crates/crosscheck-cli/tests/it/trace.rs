//! Conversations about reasoning runs.

use std::path::{Path, PathBuf};

use crosscheck::render::Format;
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
    let commands = ["trace run --require-seal", "trace run --min-supports 1"];
    insta::assert_snapshot!(desk.talk(commands), @r#"
    $ crosscheck trace run --require-seal
    exit 0
    --- stdout
    accepted: all 16 checks hold for 16 events, 3 evidence and 2 of 2 citations
      run
    --- stderr

    $ crosscheck trace run --min-supports 1
    exit 0
    --- stdout
    accepted: all 16 checks hold for 16 events, 3 evidence and 2 of 2 citations
      run
    --- stderr
    "#);
}

#[test]
fn a_rejected_run_shows_the_first_failure_in_full() {
    let desk = desk();
    lay(&desk, "order-finished-before-started");
    insta::assert_snapshot!(desk.talk(["trace run"]), @r#"
    $ crosscheck trace run
    exit 1
    --- stdout
    rejected: 1 of 16 checks failed with 1 failure
      run

    step_not_started in step_order (INV-ORD-001)
      an event of a step, or its finish, comes before its start
      where     run/trace.jsonl:2, event 0
      step      node_v1_cde964ed7a20c17a93c2159c5094c2a7b2af8affcb5158c2040d5ee9bcd0b2cd
      means     the steps did not happen in the order of the plan
      help      use the trace as the run wrote it
    --- stderr
    "#);
}

#[test]
fn options_can_only_make_the_check_stricter() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let other = format!("trace run --expect-trace-sha256 {}", "0".repeat(64));
    let commands = [
        "trace run --min-supports 3",
        other.as_str(),
        "trace run --no-artifacts",
    ];
    insta::assert_snapshot!(desk.talk(commands), @r#"
    $ crosscheck trace run --min-supports 3
    exit 1
    --- stdout
    rejected: 1 of 16 checks failed with 1 failure
      run

    too_few_supports in derived_claim_grounding (INV-GRD-002)
      a derived claim has fewer distinct citations than the policy demands
      where     run/trace.jsonl:12, event 10
      step      node_v1_5d3c2a5f371ccd9e40463545093dc962d8d013291dceaca1afaed307e24b1135
      claim     claim_v1_e68306937ae8c3f7d094f927f180bc6a3e71aed306de1a8ded4600bbccfd691f
      expected  3 distinct citations
      found     2
      means     a claim is not grounded in cited evidence
      help      cite more evidence; the same citation counts once
    --- stderr

    $ crosscheck trace run --expect-trace-sha256 0000000000000000000000000000000000000000000000000000000000000000
    exit 1
    --- stdout
    rejected: 1 of 16 checks failed with 1 failure
      run

    trace_sha256_unexpected in sealed_artifacts (INV-ART-001)
      the trace file does not have the expected hash
      where     run/trace.jsonl
      expected  0000000000000000000000000000000000000000000000000000000000000000
      found     caebd7c2f5ccb1fa4d67b25893d0db37b2981d55a3696db20e688655975c2aa4
      means     the run was changed after it was sealed
      help      compare with the hash you trust; anyone can recompute ids and seals, but not this hash
    --- stderr

    $ crosscheck trace run --no-artifacts
    exit 1
    --- stdout
    rejected: 2 of 16 checks failed with 2 failures
      run

    artifacts_unavailable in evidence_hashes (INV-EVD-001)
      3 evidence files and 2 citations cannot be checked without an artifacts directory
      where     run/trace.jsonl
      means     the evidence is not what was registered
      help      name the directory with --artifacts

    also
      support_spans            artifacts_unavailable        run/trace.jsonl
    --- stderr
    "#);
    let trusted = desk.read("run/fingerprint.txt").trim().to_uppercase();
    let seen = desk.crosscheck(["trace", "run", "--expect-trace-sha256", &trusted]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
}

#[test]
fn a_run_directory_without_a_plan_is_rejected_with_a_report() {
    let desk = desk();
    lay(&desk, "plan-file-missing");
    insta::assert_snapshot!(desk.talk(["trace run"]), @r#"
    $ crosscheck trace run
    exit 1
    --- stdout
    rejected: 1 of 16 checks failed with 1 failure; 15 could not run
      run

    plan_missing in core_invariants (INV-SCH-001)
      the run directory has no plan.json, so nothing says what should have happened
      where     run/plan.json
      means     the run does not follow its plan, or events are missing or moved
      help      put the plan of the run beside its trace
    --- stderr
    "#);
}

#[test]
fn files_that_cannot_be_read_end_the_run_with_3_and_advice() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    desk.file("empty/note", "");
    let commands = [
        "trace absent",
        "trace empty",
        "trace run/trace.jsonl",
        "trace --trace absent --plan run/plan.json",
        "trace --trace run/trace.jsonl --plan absent",
        "trace run --artifacts run/plan.json",
        "trace diff run absent",
        "trace seal empty",
    ];
    insta::assert_snapshot!(desk.talk(commands), @r"
    $ crosscheck trace absent
    exit 3
    --- stdout

    --- stderr
    error[TRACE_INPUT_UNREADABLE]: cannot read the artifacts directory
      caused by: cannot read `absent`
      caused by: No such file or directory (os error 2)
    help: check the path and its permissions
    $ crosscheck trace empty
    exit 3
    --- stdout

    --- stderr
    error[TRACE_INPUT_UNREADABLE]: cannot read the trace
      caused by: cannot read `empty/trace.jsonl`
      caused by: No such file or directory (os error 2)
    help: name a run directory with a trace.jsonl, or a trace with --trace
    $ crosscheck trace run/trace.jsonl
    exit 3
    --- stdout

    --- stderr
    error[CLI_USAGE]: `run/trace.jsonl` is a file, not a run directory
    help: name the directory, or a trace and its plan with --trace and --plan
    $ crosscheck trace --trace absent --plan run/plan.json
    exit 3
    --- stdout

    --- stderr
    error[TRACE_INPUT_UNREADABLE]: cannot read the trace
      caused by: cannot read `absent`
      caused by: No such file or directory (os error 2)
    help: name a run directory with a trace.jsonl, or a trace with --trace
    $ crosscheck trace --trace run/trace.jsonl --plan absent
    exit 3
    --- stdout

    --- stderr
    error[TRACE_INPUT_UNREADABLE]: cannot read the plan
      caused by: cannot read `absent`
      caused by: No such file or directory (os error 2)
    help: name the plan of the run with --plan
    $ crosscheck trace run --artifacts run/plan.json
    exit 3
    --- stdout

    --- stderr
    error[TRACE_INPUT_UNREADABLE]: cannot read the artifacts directory
      caused by: cannot read `run/plan.json`
      caused by: not a directory
    help: check the path and its permissions
    $ crosscheck trace diff run absent
    exit 3
    --- stdout

    --- stderr
    error[TRACE_INPUT_UNREADABLE]: cannot read the trace
      caused by: cannot read `absent`
      caused by: No such file or directory (os error 2)
    help: name a run directory with a trace.jsonl, or a trace with --trace
    $ crosscheck trace seal empty
    exit 3
    --- stdout

    --- stderr
    error[TRACE_INPUT_UNREADABLE]: cannot read the trace
      caused by: cannot read `empty/trace.jsonl`
      caused by: No such file or directory (os error 2)
    help: name a run directory with a trace.jsonl, or a trace with --trace
    ");
}

#[test]
fn options_that_make_no_sense_are_refused_with_3_and_advice() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let commands = [
        "trace",
        "trace --trace run/trace.jsonl",
        "trace run --artifacts run --no-artifacts",
        "trace run --max-failures 0",
        "trace run --policy permissive",
        "trace run --expect-trace-sha256 abc",
        "trace run --out run/plan.json/report.json",
        "trace run --out run/plan.json",
    ];
    insta::assert_snapshot!(desk.talk(commands), @r"
    $ crosscheck trace
    exit 3
    --- stdout

    --- stderr
    error: the following required arguments were not provided:
      <RUN_DIR>

    Usage: crosscheck trace <RUN_DIR>

    For more information, try '--help'.
    $ crosscheck trace --trace run/trace.jsonl
    exit 3
    --- stdout

    --- stderr
    error: the following required arguments were not provided:
      --plan <FILE>

    Usage: crosscheck trace --trace <FILE> --plan <FILE> [RUN_DIR]

    For more information, try '--help'.
    $ crosscheck trace run --artifacts run --no-artifacts
    exit 3
    --- stdout

    --- stderr
    error: the argument '--artifacts <DIR>' cannot be used with '--no-artifacts'

    Usage: crosscheck trace --artifacts <DIR> <RUN_DIR>

    For more information, try '--help'.
    $ crosscheck trace run --max-failures 0
    exit 3
    --- stdout

    --- stderr
    error: invalid value '0' for '--max-failures <N>': must be a whole number of at least 1, got 0

    For more information, try '--help'.
    $ crosscheck trace run --policy permissive
    exit 3
    --- stdout

    --- stderr
    error: invalid value 'permissive' for '--policy <POLICY>'
      [possible values: strict, audit]

    For more information, try '--help'.
    $ crosscheck trace run --expect-trace-sha256 abc
    exit 3
    --- stdout

    --- stderr
    error[CLI_USAGE]: `abc` is not a SHA-256
    help: write 64 hex digits, as `sha256sum trace.jsonl` prints them
    $ crosscheck trace run --out run/plan.json/report.json
    exit 3
    --- stdout

    --- stderr
    error[OUTPUT_UNWRITABLE]: cannot create the folder of `run/plan.json/report.json`: File exists (os error 17)
    help: check that the folder exists, is writable and has free space, or name another file
    $ crosscheck trace run --out run/plan.json
    exit 3
    --- stdout

    --- stderr
    error[CLI_USAGE]: the report would replace `run/plan.json`, which this run reads
    help: name another file for the report
    ");
}

#[test]
fn a_printed_report_and_a_written_one_are_the_same() {
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
fn a_trace_is_read_from_standard_input() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let trace = desk.read("run/trace.jsonl");
    let args = ["trace", "--trace", "-", "--plan", "run/plan.json"];
    let bare = desk.crosscheck_with_input(args, trace.as_bytes());
    insta::assert_snapshot!(bare.summary());
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
fn with_json_an_error_is_one_envelope() {
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
            "OUTPUT_UNWRITABLE",
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
fn a_run_is_sealed_once() {
    let desk = desk();
    lay(&desk, "valid-unicode");
    for name in ["manifest.json", "fingerprint.txt"] {
        let _ = std::fs::remove_file(desk.path().join("run").join(name));
    }
    let commands = ["trace seal run", "trace run --require-seal"];
    insta::assert_snapshot!(desk.talk(commands), @r#"
    $ crosscheck trace seal run
    exit 0
    --- stdout
    sealed 13 files
      trace sha256 cf9a75c511e12109b81c47c9086752ae47c40a29a1a4c1ad32fef42a9ce7d941
      manifest     run/manifest.json
    --- stderr

    $ crosscheck trace run --require-seal
    exit 0
    --- stdout
    accepted: all 16 checks hold for 16 events, 3 evidence and 2 of 2 citations
      run
    --- stderr
    "#);
    let again = desk.crosscheck(["trace", "seal", "run"]);
    assert_eq!(again.code, 3, "{}", again.summary());
}

#[test]
fn two_runs_are_compared() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let trace = desk.read("run/trace.jsonl");
    let cut: Vec<&str> = trace.lines().take(4).collect();
    desk.file("cut.jsonl", cut.join("\n"));
    let commands = ["trace diff run run/trace.jsonl", "trace diff run cut.jsonl"];
    insta::assert_snapshot!(desk.talk(commands), @r#"
    $ crosscheck trace diff run run/trace.jsonl
    exit 0
    --- stdout
    identical: 16 events
    --- stderr

    $ crosscheck trace diff run cut.jsonl
    exit 1
    --- stdout
    the traces differ from event 3 on
      a: 16 events, line 5
         {"call":{"arguments":{"query":"How strong was the gale at the pier?","top_k":3},"call_idx":0,"id":"call_v1_f245e4a46a9f2bdc5c46b8b608decbc67a483a398bf3cd17c755a9109d900187","step_id":"node_v1_f98bf1602698e5385fe3958c1adad284312bddfe2c680c6c640fda9d50befc6b","tool_name":"retrieve"},"idx":3,"kind":"tool_called","step_id":"node_v1_f98bf1602698e5385fe3958c1adad284312bddfe2c680c6c640fda9d50befc6b"}
         from there: 1 claim_emitted, 3 evidence_registered, 4 step_finished, 3 step_started, 1 tool_called, 1 tool_returned
      b: 3 events, ended before
    --- stderr
    "#);
    let parted = desk.crosscheck(["trace", "diff", "run", "cut.jsonl", "--json"]);
    let parted: serde_json::Value = serde_json::from_str(&parted.stdout).unwrap();
    assert_eq!(parted["first_difference"], 3);
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
fn every_format_names_the_failure() {
    let desk = desk();
    lay(&desk, "order-finished-before-started");
    let formats = Format::NAMES;
    insta::assert_snapshot!(
        desk.talk(formats.map(|format| format!("trace run --format {format}")))
    );
    desk.file("out/other.txt", "a folder that is there");
    let seen = desk.crosscheck([
        "trace",
        "run",
        "--format",
        "sarif",
        "--output",
        "out/trace.sarif",
    ]);
    assert_eq!((seen.code, seen.stdout.as_str()), (1, ""));
    let printed = desk.crosscheck(["trace", "run", "--format", "sarif"]);
    assert_eq!(desk.read("out/trace.sarif"), printed.stdout);
}

#[test]
fn quiet_verbose_and_colour_are_known_to_every_trace_command() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    for command in [vec!["trace", "run"], vec!["trace", "diff", "run", "run"]] {
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
fn the_verdict_is_coloured_on_demand_and_never_in_a_file() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let accepted = "\u{1b}[32maccepted\u{1b}[0m: ";
    let seen = desk.crosscheck(["trace", "run", "--color", "always"]);
    assert!(seen.stdout.starts_with(accepted), "{}", seen.stdout);
    let to_file = ["trace", "run", "--color", "always", "--output", "r.txt"];
    assert_eq!(desk.crosscheck(to_file).code, 0);
    assert!(desk.read("r.txt").starts_with("accepted: "));
}

#[test]
fn quiet_prints_nothing_beside_a_written_report() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let shown = desk.crosscheck(["trace", "run", "--out", "a.json"]);
    let quiet = desk.crosscheck(["trace", "run", "--out", "b.json", "--quiet"]);
    assert!(shown.stderr.starts_with("accepted"), "{}", shown.stderr);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    assert_eq!(desk.read("a.json"), desk.read("b.json"));
}

#[test]
fn a_report_never_replaces_a_file_of_the_run() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let evidence = format!("run/evidence/{}", desk.names("run/evidence")[0]);
    desk.file("run/notes.md", "# mine\n");
    let mut refused = String::new();
    for file in [
        "run/notes.md",
        "run/trace.jsonl",
        "run/plan.json",
        "run/manifest.json",
        &evidence,
    ] {
        let before = desk.read(file);
        for option in ["--out", "--output"] {
            let seen = desk.crosscheck(["trace", "run", option, file]);
            refused += &seen.after(&format!("trace run {option} {file}"));
        }
        assert_eq!(desk.read(file), before);
    }
    insta::assert_snapshot!(refused);
    let seen = desk.crosscheck(["trace", "run", "--out", "run/report.json"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    let again = desk.crosscheck(["trace", "run", "--out", "run/report.json"]);
    assert_eq!(again.code, 3, "{}", again.stderr);
}

#[test]
fn evidence_that_differs_makes_two_runs_different() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    let copied = std::process::Command::new("cp")
        .args(["-r", "run", "other"])
        .current_dir(desk.path())
        .status();
    assert!(copied.unwrap().success());
    assert_eq!(desk.crosscheck(["trace", "diff", "run", "other"]).code, 0);
    let names = desk.names("other/evidence");
    desk.file(&format!("other/evidence/{}", names[0]), "another text");
    let seen = desk.crosscheck(["trace", "diff", "run", "other"]);
    assert_eq!(seen.code, 1, "{}", seen.summary());
    assert!(seen.stdout.contains(&names[0]), "{}", seen.stdout);
}

#[test]
fn a_broken_configuration_ends_every_command() {
    let desk = desk();
    for broken in ["nope = 1", "[nope]\nx = 1", "not toml ["] {
        desk.file("crosscheck.toml", broken);
        for words in [
            &["trace", "run"][..],
            &["trace", "diff", "a", "b"],
            &["rows", "run.jsonl", "--db", "shop.db", "--ledger", "l.db"],
            &["quick", "--input", "run.jsonl"],
            &["check", "--workflow-id", "w"],
            &["enforce", "--workflow-id", "w"],
            &["validate-registry", "--registry", "r.json"],
            &["ledger", "show"],
            &["sources", "a.md"],
            &["claims", "--result", "r.json"],
        ] {
            let seen = desk.crosscheck(words);
            assert_eq!(seen.code, 3, "{words:?}: {}", seen.summary());
            let said = format!("{}{}", seen.stdout, seen.stderr);
            assert!(said.contains("crosscheck.toml"), "{words:?}: {said}");
        }
    }
}

#[test]
fn the_configuration_tightens_and_what_is_typed_goes_before_it() {
    let desk = desk();
    lay(&desk, "valid-sealed-bm25");
    for seal in ["run/fingerprint.txt", "run/manifest.json"] {
        std::fs::remove_file(desk.path().join(seal)).unwrap();
    }
    let code = |more: &[&str]| desk.crosscheck([&["trace", "run"], more].concat()).code;
    assert_eq!((code(&[]), code(&["--require-seal"])), (0, 1));
    desk.file("crosscheck.toml", "[trace]\nrequire_seal = true\n");
    assert_eq!(code(&[]), 1);
    // the project asks for more citations than there are, and for fewer than are typed
    desk.file("crosscheck.toml", "[trace]\nmin_supports = 50\n");
    assert_eq!((code(&[]), code(&["--min-supports", "1"])), (1, 0));
    desk.file("crosscheck.toml", "[trace]\nmin_supports = \"many\"\n");
    assert_eq!(code(&[]), 3);
}
