//! The commands around the verifiers.

use std::process::Stdio;

use crate::config::about_configuration;
use crate::desk;

#[test]
fn explain_says_of_every_code_what_it_means_when_it_occurs_and_what_to_do() {
    insta::assert_snapshot!(desk().talk(["explain CLI_USAGE"]));
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
    insta::assert_snapshot!(desk().talk(["explain NO_SUCH"]));
}

#[test]
fn a_log_is_asked_for_before_the_command_and_changes_no_answer() {
    let plain = desk().crosscheck(["explain", "CLI_USAGE"]);
    let logged = desk().crosscheck(["--log", "trace", "explain", "CLI_USAGE"]);
    assert_eq!((logged.code, &logged.stdout), (0, &plain.stdout));
    for line in [&["--log", "loud", "explain"][..], &["--log"]] {
        let seen = desk().crosscheck(line);
        assert_eq!(seen.code, 3, "{}", seen.summary());
        assert!(seen.stderr.contains("no level of --log"), "{}", seen.stderr);
    }
}

#[test]
fn a_usage_error_ends_with_3() {
    let lines = ["no-such-command", "", "schema nothing", "explain --loud"];
    insta::assert_snapshot!(desk().talk(lines));
}

#[test]
fn a_slip_of_the_pen_gets_the_nearest_word_and_the_way_to_all_of_them() {
    insta::assert_snapshot!(desk().talk([
        "quick --inptu x",
        "check --regsitry x",
        "enforce --accept-drfit",
        "compare certificate",
        "decision-bundle validte x",
        "validate-registry --evnts x",
        "verify-bundle-signature --rn-dir x",
        "trace --json --josn x",
        "claims --reslt x",
    ]));
}

#[test]
fn a_word_that_is_like_no_other_gets_the_way_to_all_of_them() {
    insta::assert_snapshot!(desk().talk(["check --format json", "claims"]));
}

#[test]
fn every_log_format_is_in_the_help_and_on_the_page() {
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
    let line = "canonical --stdin --profile rows";
    let input = "{\"b\":1.0,\"a\":\"\\ud800\"}\n{nope\n[1e21]\n";
    let seen = desk().crosscheck_with_input(line.split(' '), input.as_bytes());
    insta::assert_snapshot!(seen.after(line));
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
    let line = "canonical --stdin --profile trace";
    let input = b"{\"b\":1.0,\"a\":-0}\n{\"a\":1,\"a\":2}\n[1e999]\n";
    insta::assert_snapshot!(
        desk()
            .crosscheck_with_input(line.split(' '), input)
            .after(line)
    );
}

#[test]
fn doctor_reads_the_configuration_as_the_commands_do() {
    let desk = desk();
    let mut shown = String::new();
    for text in [
        "[sources]\njobs = 3\n",
        "[sources]\njosb = 3\n",
        "[fetch]\nalow_private = true\n",
        "[suorces]\n",
        "[sources]\ntimeout = -1\n",
        "[sources]\nunreliable_domains = [\"a b\"]\n",
        "[sources\n",
    ] {
        desk.file("crosscheck.toml", text);
        let seen = desk.crosscheck(["doctor"]);
        assert!(shown.is_empty() || seen.code == 2, "{text}"); // the first is fine
        shown += &format!("{text}{}\n", about_configuration(&seen));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn the_tour_lists_every_file_it_writes() {
    let desk = desk();
    insta::assert_snapshot!(desk.talk(["demo tour"]));
    insta::assert_snapshot!(desk.names("tour").join("\n"));
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
    assert!(commands.len() > 8, "{commands:?}");
    for command in commands {
        for way in ways {
            let words: Vec<&str> = [command].iter().chain(way).copied().collect();
            let seen = desk.crosscheck(&words);
            let said = format!("{}{}", seen.stdout, seen.stderr);
            assert!(!said.contains("geheim"), "{words:?}: {}", seen.summary());
        }
    }
    let stray = desk.crosscheck(["quick", "--input", "x", "--export-registry", "r", URL]);
    insta::assert_snapshot!(stray.summary());
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
