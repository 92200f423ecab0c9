//! Transcripts of known agents as logs.

use std::path::Path;

use super::{report_on, stage, with};

fn transcript(name: &str) -> Vec<u8> {
    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crosscheck-transcript/tests/logs");
    std::fs::read(logs.join(name)).unwrap()
}

/// The tools whose calls became units.
fn tools(name: &str, format: &str) -> Vec<String> {
    let desk = stage();
    desk.file("log", transcript(name));
    let seen = desk.crosscheck(with(&["--format", format, "--write-report", "report.json"]));
    assert_ne!(seen.code, 3, "{name}: {}", seen.stderr);
    let report: serde_json::Value = serde_json::from_str(&desk.read("report.json")).unwrap();
    let mut tools: Vec<String> = report["units"]
        .as_array()
        .unwrap()
        .iter()
        .map(|unit| {
            unit["sourceAction"]["toolName"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    tools.sort();
    tools.dedup();
    tools
}

#[test]
fn each_kind_of_transcript_yields_its_tool_calls() {
    let table: &[(&str, &str, &[&str])] = &[
        ("claude-code.jsonl", "claude-code", &["Read"]),
        (
            "codex-exec.jsonl",
            "codex",
            &["command_execution", "upsert"],
        ),
        ("codex-rollout.jsonl", "codex", &["local_shell"]),
        // its MCP call and its first command failed
        ("codex-rollout-items.jsonl", "codex", &["exec_command"]),
        ("openai-chat.json", "openai", &["contacts.upsert"]),
        (
            "openai-responses.jsonl",
            "openai",
            &["contacts.upsert", "web_search"],
        ),
        ("langsmith.json", "langsmith", &["docs", "slow", "upsert"]),
    ];
    for (name, format, expected) in table {
        assert_eq!(tools(name, format), *expected, "{name} as {format}");
        assert_eq!(tools(name, "auto"), *expected, "{name} as auto");
    }
}

#[test]
fn a_call_that_the_transcript_itself_reports_as_failed_claims_nothing() {
    for (name, format) in [("anthropic.jsonl", "anthropic"), ("otel.json", "otel")] {
        assert!(tools(name, format).is_empty(), "{name}");
    }
}

#[test]
fn without_the_flag_a_transcript_is_read_by_the_ladder_alone() {
    let (code, report) = report_on(&stage(), &transcript("openai-responses.jsonl"));
    assert_eq!(code, 2);
    assert_eq!(
        report["ingest"]["reasonCodes"]
            .as_array()
            .unwrap()
            .last()
            .unwrap(),
        "INGEST_NO_STRUCTURED_TOOL_ACTIVITY"
    );
}

#[test]
fn auto_leaves_a_log_that_the_ladder_understands_to_the_ladder() {
    let desk = stage();
    let plain = desk.crosscheck(with(&[]));
    let auto = desk.crosscheck(with(&["--format", "auto"]));
    assert_eq!((plain.code, plain.stdout), (auto.code, auto.stdout));
}

#[test]
fn input_format_and_the_older_format_mean_the_same() {
    let desk = stage();
    desk.file("log", transcript("openai-chat.json"));
    let old = desk.crosscheck(with(&["--format", "openai"]));
    let new = desk.crosscheck(with(&["--input-format", "openai"]));
    assert_eq!((old.code, &old.stdout), (new.code, &new.stdout));
    let both = desk.crosscheck(with(&["--format", "openai", "--input-format", "openai"]));
    assert_eq!(both.code, 3, "{}", both.stdout);
}

#[test]
fn a_report_format_takes_the_place_of_the_certificate() {
    let desk = stage();
    let certificate = desk.crosscheck(with(&[]));
    for (format, begins) in [
        ("json", "{"),
        ("junit", "<?xml"),
        ("html", "<!"),
        ("markdown", "#"),
    ] {
        let seen = desk.crosscheck(with(&["--report-format", format]));
        assert_eq!(seen.code, certificate.code, "{format}");
        assert_ne!(seen.stdout, certificate.stdout, "{format}");
        assert!(
            seen.stdout.to_lowercase().starts_with(begins),
            "{format}: {}",
            seen.stdout
        );
        assert!(
            seen.stdout.contains("what the tools answered"),
            "{format}: {}",
            seen.stdout
        );
    }
    let seen = desk.crosscheck(with(&["--report-format", "pdf"]));
    assert_eq!((seen.code, seen.stdout.as_str()), (3, ""));
}
