//! Every report against the schema that the program prints for it.

use crosscheck_testkit::{Desk, Reply, Schema, Site};
use serde_json::Value;

use crate::done::session;
use crate::{check, desk};

/// Runs a command whose standard output is one JSON document, or one on each line,
/// and tells what of it does not fit.
fn problems(desk: &Desk, schema: &str, command: &str, part: Option<&str>) -> Vec<String> {
    let printed = desk.crosscheck(["schema", schema]).stdout;
    let own = Schema::new(serde_json::from_str(&printed).unwrap());
    let seen = desk.crosscheck(command.split(' '));
    let whole = serde_json::from_str::<Value>(&seen.stdout).map(|one| vec![one]);
    let documents = whole.unwrap_or_else(|_| {
        let lines = seen.stdout.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().unwrap_or_default()
    });
    if documents.is_empty() {
        return vec![format!("{command}: {}", seen.summary())];
    }
    let parts = documents
        .iter()
        .map(|one| part.map_or(one, |part| &one[part]));
    let found = parts.flat_map(|one| own.problems(one));
    found.map(|one| format!("{command}: {one}")).collect()
}

fn assert_fit(desk: &Desk, cases: &[(&str, &str, Option<&str>)]) {
    let found = cases.iter();
    let found: Vec<String> = found
        .flat_map(|(schema, command, part)| problems(desk, schema, command, *part))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn reports_on_sources_fit_their_schema_empty_or_not() {
    let desk = desk();
    let site = Site::start(|asked| {
        if asked.target == "/gone" {
            Reply::new(404)
        } else {
            Reply::html("<html><title>Trees</title><p>Rome planted 41,000 trees.</p></html>")
        }
    });
    let (url, gone) = (
        format!("{}/x", site.base()),
        format!("{}/gone", site.base()),
    );
    desk.file("empty.md", "");
    desk.file("none.md", "Trees grow.\n");
    desk.file("code.md", "```\nhttps://a.example/x\n```\n");
    desk.file(
        "some.md",
        format!("Rome planted 41,000 trees [1].\n\nRome planted 9 trees ({url}).\n\nOaks grow ({gone}).\n\n## Sources\n\n1. {url}\n"),
    );
    desk.file("log/debate-log.jsonl", "");
    let quick = "--allow-private --retry-wait 0 --host-request-interval 0 --quiet --format json";
    for input in [
        "empty.md",
        "none.md",
        "code.md",
        "some.md",
        "--outbox told.ndjson --log log",
    ] {
        let command = format!("sources {quick} {input}");
        assert_fit(&desk, &[("sources-report", &command, None)]);
    }
}

#[test]
fn reports_on_sessions_and_runs_fit_their_schemas_empty_or_not() {
    let desk = desk();
    desk.file(
        "s1.jsonl",
        session(&desk, "1 failed, 11 passed in 0.30s", 1),
    );
    desk.file("lie.md", "All tests pass.");
    desk.file("nothing.md", "Which of the two do you mean?");
    desk.file("logs/s1.jsonl", session(&desk, "12 passed in 0.30s", 0));
    desk.file("others/a.jsonl", "no session\n");
    desk.file("run/trace.jsonl", "");
    desk.file("run/plan.json", "{}");
    desk.file("report.md", "# Verification report\n\n## Summary\n\nPASS\n");
    desk.file("empty.md", "");
    assert_fit(
        &desk,
        &[
            (
                "done-receipt",
                "done check --transcript s1.jsonl --message lie.md --format json --ledger h.db",
                None,
            ),
            (
                "done-receipt",
                "done check --transcript s1.jsonl --message nothing.md --format json",
                None,
            ),
            ("done-audit", "done audit logs --format json", None),
            ("done-audit", "done audit others --format json", None),
            (
                "ledger-record",
                "ledger show h.db --format ndjson",
                Some("record"),
            ),
            ("trace-report", "trace run --json", None),
            (
                "workspace-parsed-report",
                "workspace parse-report report.md --json",
                None,
            ),
            (
                "workspace-parsed-report",
                "workspace parse-report empty.md --json",
                None,
            ),
        ],
    );
}

#[test]
fn reports_on_claims_fit_their_schema_also_where_nothing_was_read() {
    let desk = crate::claims::with_file();
    assert_fit(
        &desk,
        &[
            (
                "verify-report",
                "claims --result good.json --no-persist",
                None,
            ),
            (
                "verify-report",
                "claims --result bad.json --no-persist",
                None,
            ),
            ("verify-report", "claims --result gone.json", None),
        ],
    );
}

/// A contract of `schemas/rows`, with those inside that it refers to.
fn contract(name: &str) -> Schema {
    let read = |name: &str| -> Value {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/rows");
        let text = std::fs::read_to_string(format!("{path}/{name}.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let mut whole = read(name);
    for part in [
        "evidence-completeness-v1",
        "failure-spine-v1",
        "workflow-engine-result",
        "workflow-truth-report",
    ] {
        whole["$defs"][part] = read(part);
    }
    Schema::new(whole)
}

#[test]
fn what_check_writes_for_other_programs_fits_their_contracts() {
    let desk = check::desk();
    desk.file("key.pem", check::KEY);
    let (good, bad) = (
        r#"{"id":"g1","fields":{"room":204}}"#,
        r#"{"id":"g2","fields":{"room":1}}"#,
    );
    let events = check::event(0, "guest.save", good) + &check::event(1, "guest.save", bad);
    desk.file("events.ndjson", &events);
    desk.talk([
        check::line("--proof d --write-run-bundle r"),
        check::line("--proof ds --write-run-bundle rs --sign-ed25519-private-key key.pem"),
    ]);
    let printed = |line: &str| desk.crosscheck(line.split(' ')).json();
    let validate = "validate-registry --registry registry.json";
    for (name, document) in [
        ("agent-run-record-v1", desk.json("r/agent-run.json")),
        ("agent-run-record-v2", desk.json("rs/agent-run.json")),
        ("workflow-result", desk.json("r/workflow-result.json")),
        (
            "workflow-result-signature",
            desk.json("rs/workflow-result.sig.json"),
        ),
        (
            "decision-evidence-bundle-manifest-v2",
            desk.json("d/manifest.json"),
        ),
        (
            "decision-evidence-bundle-manifest-v2",
            desk.json("ds/manifest.json"),
        ),
        ("material-truth-v2", desk.json("d/material-truth.json")),
        (
            "decision-bundle-validation-v1",
            printed("decision-bundle validate d"),
        ),
        (
            "decision-bundle-validation-v1",
            printed("decision-bundle validate r"),
        ),
        ("registry-validation-result", printed(validate)),
        (
            "registry-validation-result",
            printed(&validate.replace("registry.json", "d/manifest.json")),
        ),
        ("outcome-certificate-v3", printed(&check::line(""))),
    ] {
        let found = contract(name).problems(&document);
        assert!(found.is_empty(), "{name}: {}", found.join("\n"));
    }
}
