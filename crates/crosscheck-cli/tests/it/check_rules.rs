//! Rules of `check` and its bundles that a hurried reader would overlook.

use std::fs;

use crosscheck::core::digest::Digest;
use crosscheck_testkit::{Desk, Seen};
use serde_json::Value;

use crate::check::{FLAGS, event, execute, line};

const KEY: &str = include_str!("../../../../vectors/rows-check/signing-key.test.pem");
const PUBLIC: &str = include_str!("../../../../vectors/rows-check/signing-key.test.pub.pem");
const ROW: &str = r#"{"id":"g1","fields":{"room":204}}"#;

fn desk() -> Desk {
    let desk = crate::check::desk();
    desk.file("key.pem", KEY);
    desk.file("pub.pem", PUBLIC);
    desk.file("events.ndjson", event(0, "guest.save", ROW));
    desk
}

fn check(desk: &Desk, extra: &[&str]) -> Seen {
    let fixed = ["--no-human-report"];
    desk.crosscheck(["check"].iter().chain(&FLAGS).chain(&fixed).chain(extra))
}

fn validate(desk: &Desk, folder: &str) -> Seen {
    desk.crosscheck(["decision-bundle", "validate", folder])
}

fn verify(desk: &Desk) -> Seen {
    desk.crosscheck([
        "verify-bundle-signature",
        "--run-dir",
        "r",
        "--public-key",
        "pub.pem",
    ])
}

#[test]
fn a_signed_run_bundle_cannot_deny_who_wrote_it() {
    let desk = desk();
    let signed = [
        "--write-run-bundle",
        "r",
        "--sign-ed25519-private-key",
        "key.pem",
    ];
    assert_eq!(check(&desk, &signed).code, 0);
    assert_eq!(verify(&desk).code, 0);
    let forged = "{\"forged\":1}\n";
    desk.file("r/events.ndjson", forged);
    let mut record: Value = serde_json::from_str(&desk.read("r/agent-run.json")).unwrap();
    record["producer"]["name"] = "somebody else".into();
    record["artifacts"]["events"]["sha256"] = Digest::of(forged).hex().into();
    record["artifacts"]["events"]["byteLength"] = forged.len().into();
    desk.file("r/agent-run.json", record.to_string());
    for name in ["crosscheck-files.json", "crosscheck-files.sig.json"] {
        fs::remove_file(desk.path().join("r").join(name)).unwrap();
    }
    let seen = verify(&desk);
    insta::assert_snapshot!(seen.summary());
}

#[test]
fn a_signature_that_is_no_base64_is_judged_after_hash_and_key() {
    let desk = desk();
    let signed = [
        "--write-run-bundle",
        "r",
        "--sign-ed25519-private-key",
        "key.pem",
    ];
    assert_eq!(check(&desk, &signed).code, 0);
    let whole: Value = serde_json::from_str(&desk.read("r/workflow-result.sig.json")).unwrap();
    for (change, code) in [
        (
            ("signatureBase64", "!!!"),
            "BUNDLE_SIGNATURE_CRYPTO_INVALID",
        ),
        (
            (
                "signingPublicKeySpkiPem",
                "another key, and as long as a key must be",
            ),
            "BUNDLE_SIGNATURE_PUBLIC_KEY_MISMATCH",
        ),
        (("algorithm", "rsa"), "BUNDLE_SIGNATURE_SIDECAR_INVALID"),
    ] {
        let mut sidecar = whole.clone();
        sidecar["signatureBase64"] = "!!!".into();
        sidecar[change.0] = change.1.into();
        let sidecar = sidecar.to_string();
        let mut record: Value = serde_json::from_str(&desk.read("r/agent-run.json")).unwrap();
        let listed = &mut record["artifacts"]["workflowResultSignature"];
        listed["sha256"] = Digest::of(&sidecar).hex().into();
        listed["byteLength"] = sidecar.len().into();
        desk.file("r/workflow-result.sig.json", sidecar);
        desk.file("r/agent-run.json", record.to_string());
        let seen = verify(&desk);
        assert_eq!(seen.refusal(), format!("3 {code}"));
    }
}

#[test]
fn a_key_for_an_unsigned_bundle_is_said_to_prove_nothing() {
    let desk = desk();
    assert_eq!(check(&desk, &["--proof", "d"]).code, 0);
    let validate = "decision-bundle validate d";
    insta::assert_snapshot!(
        desk.talk([validate, "decision-bundle validate d --public-key pub.pem"])
    );
}

#[test]
fn the_list_of_a_bundle_has_one_form_only() {
    let desk = desk();
    assert_eq!(check(&desk, &["--write-decision-bundle", "d"]).code, 0);
    assert_eq!(validate(&desk, "d").code, 0);
    let path = "d/crosscheck-files.json";
    let whole = desk.read(path);
    let mut shown = String::new();
    for changed in [
        whole.replacen("\"byteLength\":", "\"byteLength\":1", 1),
        whole.replace("crosscheck_bundle_files", "crosscheck_bundle_file"),
        whole.clone() + " ",
        whole.replacen('[', "[ ", 1),
    ] {
        desk.file(path, changed);
        shown += &desk.talk(["decision-bundle validate d"]);
    }
    insta::assert_snapshot!(shown);
    desk.file(path, whole);
    desk.file("d/crosscheck-files.sig.json", "{}");
    assert_eq!(validate(&desk, "d").code, 2);
}

#[test]
fn a_bundle_is_read_from_regular_files_of_its_folder_only() {
    let whole = desk();
    assert_eq!(check(&whole, &["--write-decision-bundle", "d"]).code, 0);
    for name in whole.names("d") {
        let desk = desk();
        assert_eq!(check(&desk, &["--write-decision-bundle", "d"]).code, 0);
        let path = desk.path().join("d").join(&name);
        let kept = desk.file("outside.json", desk.read(&format!("d/{name}")));
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(&kept, &path).unwrap();
        assert_eq!(validate(&desk, "d").code, 2, "{name} is a link");
        fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        assert_eq!(validate(&desk, "d").code, 2, "{name} is a FIFO");
    }
}

#[test]
fn a_bundle_clears_away_only_what_an_earlier_one_lists() {
    let desk = desk();
    let next = r#"{"schemaVersion":1,"createdAt":"2026-01-01T00:00:00Z","summary":"x"}"#;
    desk.file("next.json", next);
    let plain = ["--write-decision-bundle", "d"];
    let answered = [
        "--write-decision-bundle",
        "d",
        "--decision-next-action",
        "next.json",
    ];
    assert_eq!(check(&desk, &answered).code, 0);
    assert_eq!(check(&desk, &plain).code, 0);
    assert!(!desk.path().join("d/next-action.json").exists());
    assert_eq!(validate(&desk, "d").code, 0);

    desk.file("d/next-action.json", next);
    let seen = check(&desk, &plain);
    assert_eq!(seen.refusal(), "3 BUNDLE_WRITE_FAILED");
    assert_eq!(
        desk.read("d/next-action.json"),
        next,
        "it is not ours to remove"
    );
}

#[test]
fn two_bundles_need_a_folder_each_however_it_is_spelled() {
    let desk = desk();
    for (run, decision) in [("s", "./s"), ("s/", "s"), ("t/../s", "s")] {
        fs::create_dir_all(desk.path().join("t")).unwrap();
        if run.starts_with("t/") {
            fs::create_dir_all(desk.path().join("s")).unwrap();
        }
        let seen = check(&desk, &["--write-run-bundle", run, "--proof", decision]);
        assert_eq!(seen.refusal(), "3 CLI_USAGE", "{run} {decision}");
    }
}

#[test]
fn files_that_people_add_keep_the_order_of_their_keys() {
    let desk = desk();
    desk.file(
        "next.json",
        "{ \"summary\": \"x\\u0041\", \"schemaVersion\": 1.0,\n \"createdAt\": \"2026-01-01T00:00:00Z\" }",
    );
    let answered = ["--proof", "d", "--decision-next-action", "next.json"];
    let seen = check(&desk, &answered);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert_eq!(
        desk.read("d/next-action.json"),
        "{\"summary\":\"xA\",\"schemaVersion\":1,\"createdAt\":\"2026-01-01T00:00:00Z\"}\n"
    );
    assert_eq!(validate(&desk, "d").code, 0);
}

#[test]
fn lines_of_any_white_space_are_blank() {
    let desk = desk();
    for blank in [
        "\u{b}",
        "\u{a0}",
        "\u{feff}",
        " \u{2003}\t\u{3000}",
        "\u{2028}",
        "\r",
    ] {
        let events = format!("{}{blank}\n", event(0, "guest.save", ROW));
        desk.file("events.ndjson", events);
        let seen = check(&desk, &[]);
        assert_eq!(seen.code, 0, "{blank:?}: {}", seen.summary());
    }
    for other in ["\u{85}", "\u{200b}", "\0"] {
        desk.file(
            "events.ndjson",
            format!("{}{other}\n", event(0, "guest.save", ROW)),
        );
        assert_eq!(check(&desk, &[]).code, 2, "{other:?}");
    }
}

fn registry_with(desk: &Desk, from: &str, to: &str) -> String {
    let registry = desk.read("registry.json");
    assert!(registry.contains(from), "{registry}");
    registry.replacen(from, to, 1)
}

#[test]
fn a_registry_that_check_refuses_is_not_called_valid() {
    let desk = desk();
    let long = "x".repeat(513);
    let refused = [
        registry_with(&desk, "guest.save", &long),
        registry_with(&desk, r#""const":"guests""#, r#""const":1e400"#),
        registry_with(&desk, r#"{"pointer":"/fields"}"#, r#"{"pointer":"fields"}"#),
        registry_with(&desk, "[", &"[".repeat(300)) + &"]".repeat(299),
    ];
    for registry in refused {
        desk.file("registry.json", registry);
        let seen = desk.crosscheck(["validate-registry", "--registry", "registry.json"]);
        assert_eq!(seen.code, 1, "{}", seen.summary());
        let seen = check(&desk, &[]);
        assert_eq!(seen.refusal(), "3 REGISTRY_SCHEMA_INVALID");
    }
}

#[test]
fn a_registry_that_does_not_fit_is_reported_by_the_form_that_was_meant() {
    let desk = desk();
    let broken = registry_with(&desk, r#"{"pointer":"/fields"}"#, r#"{"pointer":"fields"}"#);
    desk.file("registry.json", broken);
    insta::assert_snapshot!(desk.talk([line("--no-human-report")]));
}

#[test]
fn an_unknown_kind_is_one_line_for_people_and_every_violation_for_machines() {
    let desk = desk();
    let registry = registry_with(&desk, "\"kind\":\"sql_row\",", "\"kind\":\"sql_rwo\",");
    desk.file("registry.json", registry);
    let seen = desk.crosscheck(["validate-registry", "--registry", "registry.json"]);
    assert_eq!(seen.code, 1);
    let lines: Vec<&str> = seen.stderr.lines().collect();
    let said = "/0/verification/kind (const): there is no kind \"sql_rwo\". Did you mean `sql_row`? Known are sql_row, ";
    assert_eq!(lines.len(), 2, "{}", seen.stderr);
    assert!(lines[1].starts_with(&format!("- {said}")), "{}", lines[1]);
    let result: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert!(result["structuralIssues"].as_array().unwrap().len() > 8);
}

#[test]
fn half_a_surrogate_pair_in_a_registry_is_text() {
    let desk = desk();
    execute(&desk, "INSERT INTO guests VALUES ('\u{fffd}x', 'a', 1)");
    let registry = registry_with(&desk, r#"{"pointer":"/id"}"#, r#"{"const":"\ud800x"}"#);
    desk.file(
        "registry.json",
        registry.replace("save {/id}", r"save \udc00 {/id}"),
    );
    insta::assert_snapshot!(desk.talk([line("--no-human-report")]));
}

#[test]
fn what_quick_exports_with_half_a_surrogate_pair_is_replayed() {
    let desk = desk();
    desk.file(
        "in.json",
        r#"{"toolId":"guests","params":{"id":"\ud800x","name":"a"}}"#,
    );
    let quick = [
        "quick",
        "--input",
        "in.json",
        "--db",
        "app.db",
        "--export-registry",
        "registry.json",
        "--emit-events",
        "events.ndjson",
        "--workflow-id",
        "wf",
    ];
    let inferred = desk.crosscheck(quick);
    let replayed = check(&desk, &[]);
    assert_eq!(
        (inferred.code, replayed.code),
        (1, 1),
        "{}",
        replayed.summary()
    );
    insta::assert_snapshot!(replayed.summary());
}

#[test]
fn the_first_failure_of_an_entry_comes_before_an_id_that_comes_twice_later() {
    let desk = desk();
    let effect = |id: &str, value: &str| {
        format!(
            r#"{{"id":"{id}","table":{{"const":"guests"}},"identityEq":[{{"column":{{"const":"id"}},"value":{{"pointer":"{value}"}}}}],"requiredFields":{{"pointer":"/fields"}}}}"#
        )
    };
    let mut shown = String::new();
    for first in ["/nope", "/id"] {
        let effects = [effect("a", first), effect("b", "/id"), effect("b", "/id")].join(",");
        desk.file(
            "registry.json",
            format!(
                r#"[{{"toolId":"guest.save","effectDescriptionTemplate":"","verification":{{"kind":"sql_effects","effects":[{effects}]}}}}]"#
            ),
        );
        shown += &desk.talk([line("--no-human-report")]);
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_pointer_that_leads_to_no_expected_number_is_named() {
    let desk = desk();
    desk.file(
        "registry.json",
        r#"[{"toolId":"guest.save","effectDescriptionTemplate":"","verification":{"kind":"sql_relational","checks":[
            {"checkKind":"aggregate","id":"a","table":{"const":"guests"},"fn":"COUNT_STAR","expect":{"op":"eq","value":{"pointer":"/nope"}}}]}}]"#,
    );
    insta::assert_snapshot!(desk.talk([line("--no-human-report")]));
}
