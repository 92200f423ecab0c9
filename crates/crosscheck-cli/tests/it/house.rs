//! The commands around the verifiers.

use std::process::Stdio;

use crate::desk;

#[test]
fn explain_says_of_every_code_what_it_means_when_it_occurs_and_what_to_do() {
    let seen = desk().crosscheck(["explain", "CLI_USAGE"]);
    assert_eq!(seen.code, 0);
    assert!(
        seen.stdout.starts_with("CLI_USAGE (error, run)"),
        "{}",
        seen.stdout
    );
    for heading in ["What it means:", "When it occurs: when ", "What to do:"] {
        assert!(seen.stdout.contains(heading), "{}", seen.stdout);
    }
    let seen = desk().crosscheck(["explain", "--format", "json"]);
    let entries: Vec<serde_json::Value> = serde_json::from_str(&seen.stdout).unwrap();
    for entry in entries {
        assert!(
            entry["occurs"].as_str().unwrap().starts_with("when "),
            "{entry}"
        );
    }
}

#[test]
fn an_unknown_code_is_a_usage_error_with_a_way_out() {
    let seen = desk().crosscheck(["explain", "NO_SUCH"]);
    assert_eq!((seen.code, seen.stdout.as_str()), (3, ""));
    assert_eq!(
        seen.stderr,
        "error[CLI_USAGE]: unknown code `NO_SUCH`\nhelp: run `crosscheck explain` without a code to see all of them\n"
    );
}

#[test]
fn a_usage_error_ends_with_3() {
    for args in [
        &["no-such-command"][..],
        &[],
        &["schema", "nothing"],
        &["explain", "--loud"],
    ] {
        let seen = desk().crosscheck(args);
        assert_eq!((seen.code, seen.stdout.as_str()), (3, ""), "{args:?}");
        assert!(!seen.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn a_slip_of_the_pen_gets_the_nearest_word_and_the_way_to_all_of_them() {
    for (line, meant) in [
        ("quick --inptu x", "`--input`"),
        ("check --regsitry x", "`--registry`"),
        ("enforce --accept-drfit", "`--accept-drift`"),
        ("compare certificate", "`certificates`"),
        ("decision-bundle validte x", "`validate`"),
        ("validate-registry --evnts x", "`--events`"),
        ("verify-bundle-signature --rn-dir x", "`--run-dir`"),
        ("trace --json --josn x", "`--json`"),
    ] {
        let seen = desk().crosscheck(line.split(' '));
        assert_eq!((seen.code, seen.stdout.as_str()), (3, ""), "{line}");
        let envelope: serde_json::Value = serde_json::from_str(&seen.stderr).unwrap();
        let message = envelope["message"].as_str().unwrap();
        let command = line.split(' ').next().unwrap();
        let tail =
            format!("did you mean {meant}? `crosscheck {command} --help` lists what it takes");
        assert!(message.ends_with(&tail), "{line}: {message}");
    }
}

#[test]
fn a_word_that_is_like_no_other_gets_the_way_to_all_of_them() {
    let seen = desk().crosscheck(["check", "--format", "json"]);
    assert!(
        seen.stderr.contains(
            "unexpected argument '--format' found; `crosscheck check --help` lists what it takes"
        ),
        "{}",
        seen.stderr
    );
    let seen = desk().crosscheck(["claims"]);
    assert!(
        seen.stdout
            .contains("--result <FILE|JSON|-> or --batch <DIR|GLOB>"),
        "{}",
        seen.stdout
    );
    let seen = desk().crosscheck(["claims", "--reslt", "x"]);
    assert!(
        seen.stdout.contains("did you mean `--result`?"),
        "{}",
        seen.stdout
    );
}

#[test]
fn every_log_format_stands_in_the_help_and_on_the_page() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/quick.md"));
    let page = page.unwrap();
    let help = desk().crosscheck(["quick", "--help"]).stdout;
    let refusal =
        desk().crosscheck("quick --input - --db x --export-registry y --format nope".split(' '));
    let known = refusal
        .stderr
        .split("known are ")
        .nth(1)
        .unwrap_or_default();
    let known = known.split(", or auto").next().unwrap_or_default();
    assert!(known.contains("langsmith"), "{}", refusal.stderr);
    for format in known.split(", ") {
        assert!(help.contains(format) && page.contains(format), "{format}");
    }
}

#[test]
fn canonical_answers_line_by_line() {
    let seen = desk().crosscheck_with_input(
        ["canonical", "--stdin", "--profile", "rows"],
        "{\"b\":1.0,\"a\":\"\\ud800\"}\n{nope\n[1e21]\n".as_bytes(),
    );
    assert_eq!(seen.code, 0);
    let lines: Vec<&str> = seen.stdout.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[0].starts_with(r#"{"canonical":"{\"a\":\"\\ud800\",\"b\":1}","sha256":""#),
        "{}",
        lines[0]
    );
    assert_eq!(lines[1], r#"{"error":"bad_json"}"#);
    assert!(lines[2].contains("[1e+21]"), "{}", lines[2]);
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let desk = desk();
    let mut child = desk
        .command(["completions", "bash"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let seen = desk.seen(&child.wait_with_output().unwrap());
    assert_eq!((seen.code, seen.stderr.as_str()), (0, ""));
}

#[test]
fn help_version_man_and_completions_go_to_standard_output() {
    for args in [
        &["--help"][..],
        &["--version"],
        &["man"],
        &["completions", "zsh"],
        &["schema"],
        &["explain"],
    ] {
        let seen = desk().crosscheck(args);
        assert_eq!((seen.code, seen.stderr.as_str()), (0, ""), "{args:?}");
        assert!(!seen.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn canonical_offers_the_form_of_traces() {
    let seen = desk().crosscheck_with_input(
        ["canonical", "--stdin", "--profile", "trace"],
        b"{\"b\":1.0,\"a\":-0}\n{\"a\":1,\"a\":2}\n[1e999]\n",
    );
    assert_eq!(seen.code, 0);
    let lines: Vec<&str> = seen.stdout.lines().collect();
    assert!(
        lines[0].starts_with(r#"{"canonical":"{\"a\":0,\"b\":1.0}","sha256":""#),
        "{}",
        lines[0]
    );
    assert_eq!(lines[1], r#"{"error":"duplicate_key"}"#);
    assert_eq!(lines[2], r#"{"error":"bad_json"}"#);
}

#[test]
fn doctor_reads_the_configuration_as_the_commands_do() {
    let desk = desk();
    let lines = |text: &str| {
        desk.file("crosscheck.toml", text);
        let seen = desk.crosscheck(["doctor"]);
        let lines = seen
            .stdout
            .lines()
            .filter(|line| line.contains("project configuration"));
        (seen.code, lines.map(str::to_owned).collect::<Vec<_>>())
    };
    let (_, fine) = lines("[sources]\njobs = 3\n");
    assert!(fine.len() == 1 && fine[0].contains("ok "), "{fine:?}");

    for (text, said) in [
        ("[sources]\njosb = 3\n", "did you mean sources.jobs?"),
        (
            "[fetch]\nalow_private = true\n",
            "did you mean fetch.allow_private?",
        ),
        ("[suorces]\n", "did you mean sources?"),
        (
            "[sources]\ntimeout = -1\n",
            "sources.timeout: must be a number of seconds",
        ),
        (
            "[sources]\nunreliable_domains = [\"a b\"]\n",
            "is not a domain such as example.com",
        ),
        ("[sources\n", "not valid TOML"),
    ] {
        let (code, told) = lines(text);
        assert_eq!((code, told.len()), (2, 1), "{text}: {told:?}");
        assert!(
            told[0].contains("BROKEN") && told[0].contains(said),
            "{told:?}"
        );
    }
}

#[test]
fn the_tour_lists_every_file_it_writes() {
    let desk = desk();
    let seen = desk.crosscheck(["demo", "tour"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    for entry in std::fs::read_dir(desk.path().join("tour")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(seen.stdout.contains(&format!("\n  {name} ")), "{name}");
    }
}

#[test]
fn no_command_repeats_the_password_of_a_url_in_the_wrong_place() {
    const URL: &str = "postgres://u:geheim@127.0.0.1:1/x";
    let desk = desk();
    let joined = format!("--no-human-report={URL}");
    let unknown = format!("--nonsense={URL}");
    let ways: [&[&str]; 9] = [
        &[URL],
        &["--input", URL],
        &["--format", URL],
        &["--db", URL, URL],
        &["--postgres-url", "=", URL],
        &[
            "--events",
            URL,
            "--registry",
            URL,
            "--workflow-id",
            "w",
            "--db",
            "x.db",
        ],
        &["--trace", URL, "--plan", URL],
        &[&joined],
        &[&unknown],
    ];
    let help = desk.crosscheck(["--help"]).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> = listed
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "demo") // makes a folder of any name
        .collect();
    assert!(
        commands.contains(&"quick") && commands.len() > 8,
        "{commands:?}"
    );
    for command in commands {
        for way in ways {
            let words: Vec<&str> = [command].iter().chain(way).copied().collect();
            let seen = desk.crosscheck(&words);
            let said = format!("{}{}", seen.stdout, seen.stderr);
            assert!(!said.contains("geheim"), "{words:?}: {}", seen.summary());
        }
    }
    let stray = desk.crosscheck(["quick", "--input", "x", "--export-registry", "r", URL]);
    assert!(
        stray.stderr.contains("postgres://u:***@127.0.0.1:1/x"),
        "{}",
        stray.stderr
    );
}

#[test]
fn doctor_runs_no_program_of_the_folder_it_is_called_in() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = desk().variable("PATH", ".:tools::/usr/bin:/bin");
    for name in ["claude", "git", "tools/codex"] {
        let path = desk.file(name, "#!/bin/sh\necho 1.0; touch ran\n");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let seen = desk.crosscheck(["doctor"]);
    assert!(!desk.path().join("ran").exists(), "{}", seen.summary());
    assert!(!seen.stdout.contains("./"), "{}", seen.summary());
}
