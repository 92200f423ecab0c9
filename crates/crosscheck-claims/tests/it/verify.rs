//! Whole verifications over a folder.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crosscheck_claims::Rate;
use crosscheck_claims::observe::{Found, PageSeen, Pages, Search};
use crosscheck_claims::plan::Selection;
use crosscheck_claims::{EvidenceMode, OnUnclear, Options, QuoteLevel, Session, World};
use crosscheck_core::digest::Digest;
use crosscheck_judge::{Answer, Builtin, Judge, NoAnswer, Question, Text};
use crosscheck_testkit::Schema;
use serde_json::{Value, json};

fn document(claims: &[Value]) -> Vec<u8> {
    json!({
        "version": "SubResult.v1", "task_id": "t", "status": "ok",
        "answers": [{"question": "q", "summary": "", "claims": claims}],
        "coverage": {"inputs_scanned": []}
    })
    .to_string()
    .into_bytes()
}

fn claim(text: &str, evidence: &[Value]) -> Value {
    json!({"claim": text, "confidence": 0.9, "evidence": evidence})
}

fn lines(path: &str, start: u64, end: u64, quote: &str) -> Value {
    json!({"source": path, "locator": {"type": "line_range", "path": path, "start": start, "end": end}, "quote": quote})
}

fn options(root: &Path) -> Options {
    Options {
        selection: Selection::All,
        ..Options::new(root.to_owned())
    }
}

struct Seen {
    report: Value,
    details: Value,
}

impl Seen {
    /// Codes of all evidence that was tried, claim by claim.
    fn codes(&self) -> Vec<String> {
        let claims = self.details["claims"].as_array().unwrap();
        claims
            .iter()
            .flat_map(|claim| claim["evidence"].as_array().unwrap())
            .map(|evidence| evidence["code"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn verify_in(options: &Options, world: World<'_>, document: &[u8]) -> Seen {
    let session = Session::new(options, world).unwrap();
    let report = session.verify(document);
    Seen {
        report: serde_json::from_slice(&report.json(false)).unwrap(),
        details: serde_json::from_slice(&report.details_json(false)).unwrap(),
    }
}

fn verify(options: &Options, document: &[u8]) -> Seen {
    let world = World {
        judge: &Builtin,
        pages: None,
        search: None,
    };
    verify_in(options, world, document)
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    for (name, text) in files {
        crosscheck_core::files::write_atomic(&desk.path().join(name), text.as_bytes()).unwrap();
    }
    desk
}

#[test]
fn a_missing_quote_is_found_elsewhere_for_the_hint_only() {
    let text = (1..=30)
        .map(|n| format!("line number {n}\n"))
        .collect::<Vec<_>>()
        .concat();
    let desk = folder(&[("a.txt", &text)]);
    let seen = verify(
        &options(desk.path()),
        &document(&[claim(
            "line number 20 exists",
            &[lines("a.txt", 1, 3, "line number 20\nline number 21")],
        )]),
    );
    let failure = &seen.report["failures"][0];
    assert_eq!(failure["evidence"]["code"], "quote_not_found");
    assert_eq!(
        failure["evidence"]["hint"]["quote_found_at"],
        json!({"start": 20, "end": 21})
    );
    assert_eq!(failure["evidence"]["hint"]["line_count"], 30);
    assert_eq!(failure["evidence"]["hint"]["resolved_path"], "a.txt");
    assert!(failure["reason"].as_str().unwrap().contains("lines 20-21"));
}

#[test]
fn the_decision_table_holds_for_every_way_to_read_unclear() {
    let desk = folder(&[("a.txt", "the cache holds much\n")]);
    let doc = document(&[
        claim("The cache holds 5 MB", &[lines("a.txt", 1, 1, "cache")]),
        claim("The cache holds 5 MB", &[lines("a.txt", 1, 1, " ")]),
        claim("Penguins swim well", &[lines("a.txt", 1, 1, "cache")]),
    ]);
    let table = [
        (OnUnclear::Auto, ["consistent", "unclear", "unrelated"]),
        (OnUnclear::Pass, ["consistent", "consistent", "consistent"]),
        (OnUnclear::Partial, ["unclear", "unclear", "unrelated"]),
        (OnUnclear::Fail, ["unclear", "unclear", "unclear"]),
    ];
    for (on_unclear, expected) in table {
        let options = Options {
            on_unclear,
            ..options(desk.path())
        };
        assert_eq!(verify(&options, &doc).codes(), expected, "{on_unclear:?}");
    }
}

#[test]
fn a_judge_that_fails_decides_nothing_but_a_missing_quote_still_fails() {
    struct Silent;
    impl Judge for Silent {
        fn id(&self) -> &'static str {
            "silent"
        }
        fn is_model(&self) -> bool {
            true
        }
        fn judge(&self, _: &Question<'_>) -> Result<Answer, NoAnswer> {
            Err(NoAnswer::new("no"))
        }
    }
    let desk = folder(&[("a.txt", "the cache holds much\n")]);
    let world = World {
        judge: &Silent,
        pages: None,
        search: None,
    };
    let options = Options {
        on_unclear: OnUnclear::Fail,
        ..options(desk.path())
    };
    let seen = verify_in(
        &options,
        world,
        &document(&[
            claim("x", &[lines("a.txt", 1, 1, "cache")]),
            claim("x", &[lines("a.txt", 1, 1, "gone")]),
        ]),
    );
    assert_eq!(seen.codes(), ["judge_error", "quote_not_found"]);
}

#[test]
fn equal_claims_with_equal_evidence_are_judged_once() {
    /// Counts its questions.
    #[derive(Default)]
    struct Counting {
        asked: AtomicUsize,
        is_model: bool,
    }
    impl Judge for Counting {
        fn id(&self) -> &'static str {
            "counting"
        }
        fn is_model(&self) -> bool {
            self.is_model
        }
        fn judge(&self, question: &Question<'_>) -> Result<Answer, NoAnswer> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            Builtin.judge(question)
        }
    }
    let desk = folder(&[("a.txt", "the cache holds 5 entries\nthe door is red\n")]);
    let one = claim(
        "The cache holds 5 entries",
        &[lines("a.txt", 1, 1, "cache")],
    );
    let others = [
        claim(
            "The cache holds 6 entries",
            &[lines("a.txt", 1, 1, "cache")],
        ),
        claim("The cache holds 5 entries", &[lines("a.txt", 2, 2, "door")]),
        claim(
            "The cache holds 5 entries",
            &[lines("a.txt", 1, 1, "holds")],
        ),
    ];
    let claims = [&vec![one; 40][..], &others].concat();
    for (is_model, questions) in [(false, 4), (true, 43)] {
        let judge = Counting {
            is_model,
            ..Counting::default()
        };
        let world = World {
            judge: &judge,
            pages: None,
            search: None,
        };
        let seen = verify_in(&options(desk.path()), world, &document(&claims));
        assert_eq!(judge.asked.into_inner(), questions);
        assert_eq!(
            seen.codes()
                .iter()
                .filter(|code| *code == "supported")
                .count(),
            41
        );
    }
}

#[test]
fn checks_come_in_the_stated_order() {
    let desk = folder(&[("a.txt", "one\ntwo\n"), ("b.bin", "a\0b")]);
    let table = [
        (lines("gone.txt", 5, 1, "x"), "file_not_found"),
        (lines("a.txt", 5, 1, "x"), "invalid_range"),
        (lines("b.bin", 5, 1, "x"), "invalid_range"),
        (lines("b.bin", 9, 9, "x"), "binary_file"),
        (lines("a.txt", 3, 4, "x"), "range_out_of_bounds"),
        (lines(".", 1, 1, "x"), "not_a_file"),
        (
            json!({"source": "s", "locator": {"type": "line_range", "path": "a.txt", "start": 0, "end": 1}}),
            "malformed_locator",
        ),
        (
            json!({"source": "s", "locator": {"type": "line_range", "path": "a.txt", "start": "1", "end": 1}}),
            "malformed_locator",
        ),
        (
            json!({"source": "s", "locator": {"type": "new_type"}}),
            "unsupported_locator",
        ),
        (
            json!({"source": "s", "locator": {"type": "symbol_range", "path": "a.txt", "symbol": "three"}}),
            "symbol_not_found",
        ),
    ];
    for (evidence, code) in table {
        let seen = verify(
            &options(desk.path()),
            &document(&[claim("two", std::slice::from_ref(&evidence))]),
        );
        assert_eq!(seen.codes(), [code], "{evidence}");
    }
}

#[test]
fn an_inverted_range_fails_in_a_file_that_is_too_large_to_be_read() {
    let desk = folder(&[("big.txt", "one\ntwo\nthree\nfour\nfive\n")]);
    let options = Options {
        max_file_bytes: 10,
        ..options(desk.path())
    };
    for (start, end, code) in [(5, 2, "invalid_range"), (2, 5, "file_too_large")] {
        let evidence = lines("big.txt", start, end, "two");
        let seen = verify(&options, &document(&[claim("two", &[evidence])]));
        assert_eq!(seen.codes(), [code]);
    }
}

#[test]
fn a_document_is_no_evidence_of_itself() {
    let desk = folder(&[("a.txt", "The audit found 17 leaks.\n")]);
    let text = "The audit found 17 leaks.";
    std::fs::hard_link(desk.path().join("a.txt"), desk.path().join("b.txt")).unwrap();
    let doc = document(&[claim(text, &[lines("b.txt", 1, 1, text)])]);
    assert_eq!(verify(&options(desk.path()), &doc).codes(), ["supported"]);
    let options = Options {
        documents: vec![desk.path().join("a.txt")],
        ..options(desk.path())
    };
    assert_eq!(verify(&options, &doc).codes(), ["own_document"]);
}

#[test]
fn all_evidence_must_pass_in_mode_all() {
    let desk = folder(&[("a.txt", "the default port is 8080\n")]);
    let doc = document(&[claim(
        "The default port is 8080",
        &[
            lines("a.txt", 1, 1, "port is 8080"),
            lines("a.txt", 1, 1, "nope"),
        ],
    )]);
    assert_eq!(verify(&options(desk.path()), &doc).codes(), ["supported"]);
    let all = Options {
        evidence_mode: EvidenceMode::All,
        ..options(desk.path())
    };
    let seen = verify(&all, &doc);
    assert_eq!(seen.codes(), ["supported", "quote_not_found"]);
    assert_eq!(seen.report["failures"][0]["evidence"]["evidence_index"], 1);
}

#[test]
fn a_wrong_hash_only_warns_unless_it_is_strict() {
    let desk = folder(&[("a.txt", "the default port is 8080\n")]);
    let mut evidence = lines("a.txt", 1, 1, "default port");
    evidence["quote_hash"] = json!(format!("sha256:{}", "0".repeat(64)));
    let doc = document(&[claim("The default port is 8080", &[evidence])]);
    let seen = verify(&options(desk.path()), &doc);
    assert_eq!(seen.codes(), ["supported"]);
    assert_eq!(seen.details["warnings"][0]["code"], "quote_hash_mismatch");
    let strict = Options {
        strict_hash: true,
        ..options(desk.path())
    };
    assert_eq!(verify(&strict, &doc).codes(), ["quote_hash_mismatch"]);
}

#[test]
fn line_slack_widens_the_range_for_the_quote() {
    let desk = folder(&[("a.txt", "a\nb\nc\nd\ne\n")]);
    let doc = document(&[claim("c and d are letters", &[lines("a.txt", 1, 1, "c")])]);
    assert_eq!(
        verify(&options(desk.path()), &doc).codes(),
        ["quote_not_found"]
    );
    let slack = Options {
        line_slack: 2,
        on_unclear: OnUnclear::Pass,
        ..options(desk.path())
    };
    assert_eq!(verify(&slack, &doc).codes(), ["consistent"]);
}

#[test]
fn extended_locators_are_verified_on_request() {
    let desk = folder(&[
        ("a.txt", "the limit is 5 MB\n"),
        ("d.json", "{\"limits\":{\"upload\":\"5 MB\",\"n\":[1,2]}}"),
        ("l.jsonl", "{\"upload\":\"5 MB\"}\n{\"upload\":\"6 MB\"}\n"),
        ("n.json", "{\"dec\":1.50,\"e\":1e2}"),
        (
            "s.json",
            "{\"a\": {\"upload\": \"5 MB\",\n \"n\": [1, 2.50]}}",
        ),
        (
            "u.json",
            r#"{"upload": "5\u0020MB \/ day", "z": {"upload": "5 MB", "limit": 1}}"#,
        ),
        ("trace.log", "start\nat main\nat upload limit 5 MB\nend\n"),
    ]);
    let query = |file: &str, path: &str, quote: &str| json!({"source": "x", "locator": {"type": "json_path", "source": file, "path": path}, "quote": quote});
    let stack = |source: &str, signature: &str| json!({"source": source, "locator": {"type": "stack_signature", "signature": signature}, "quote": "limit"});
    let bytes = |start: u64, end: u64, quote: &str| json!({"source": "x", "locator": {"type": "byte_range", "path": "a.txt", "start": start, "end": end}, "quote": quote});
    let table = [
        (bytes(4, 17, "limit is 5 MB"), "supported"),
        (bytes(4, 16, "limit is 5 MB"), "supported"),
        (bytes(4, 15, "limit is 5 MB"), "quote_not_found"),
        (bytes(9, 9, "x"), "invalid_range"),
        (bytes(99, 100, "x"), "range_out_of_bounds"),
        (query("d.json", "$.limits.upload", "5 MB"), "supported"),
        (
            query("d.json", "$.limits", "\"upload\":\"5 MB\""),
            "supported",
        ),
        (
            query("l.jsonl", "$[0].upload", "upload = 5 MB"),
            "supported",
        ),
        (
            query("s.json", "$.a", "{\"upload\": \"5 MB\", \"n\": [1, 2.50]}"),
            "supported",
        ),
        (query("s.json", "$.a", "[1, 2.5]"), "quote_not_found"),
        (query("s.json", "$.a", "\"upload\": \"5 MB\""), "supported"),
        (query("s.json", "$.a.n", "1, 2.50"), "supported"),
        (query("s.json", "$.a", "\"5 MB\",\n \"n\": ["), "supported"),
        (
            query("s.json", "$.a.upload", "\"upload\": \"5 MB\""),
            "supported",
        ),
        (
            query("s.json", "$.a.n", "\"upload\": \"5 MB\""),
            "quote_not_found",
        ),
        (
            query("u.json", "$.upload", "5\\u0020MB \\/ day"),
            "supported",
        ),
        (query("u.json", "$.upload", "5 MB / day"), "supported"),
        (
            query("u.json", "$.z.*", "upload = 5 MB\nlimit = 1"),
            "supported",
        ),
        (query("d.json", "$.nothing", "x"), "path_no_match"),
        (query("d.json", "$[", "x"), "malformed_locator"),
        (query("d.json", "$.limits x", "x"), "malformed_locator"),
        (
            query("d.json", "$[?length(@.upload)]", "x"),
            "malformed_locator",
        ),
        (query("n.json", "$.dec", "1.50"), "supported"),
        (query("n.json", "$.e", "1e2"), "supported"),
        (query("n.json", "$.e", "e = 1e2"), "supported"),
        (query("n.json", "$.e", "100"), "quote_not_found"),
        (query("a.txt", "$.a", "x"), "unreadable"),
        (query("gone.json", "$.a", "x"), "source_not_file"),
        (stack("trace.log", "at main > at upload"), "supported"),
        (stack("trace.log", "at upload > at main"), "stack_not_found"),
        (stack("somewhere", "at main"), "source_not_file"),
    ];
    for (evidence, code) in table {
        let doc = document(&[claim(
            "The upload limit is 5 MB",
            std::slice::from_ref(&evidence),
        )]);
        let extended = Options {
            extended: true,
            on_unclear: OnUnclear::Pass,
            ..options(desk.path())
        };
        let got = verify(&extended, &doc)
            .codes()
            .join(" ")
            .replace("consistent", "supported");
        assert_eq!(got, code, "{evidence}");
        assert_eq!(
            verify(&options(desk.path()), &doc).codes(),
            ["unsupported_locator"]
        );
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a long table of data")]
fn tool_calls_follow_their_table() {
    struct OnePage;
    impl Pages for OnePage {
        fn fetch(&self, url: &str) -> PageSeen {
            match url {
                "blocked" => PageSeen::Blocked("guard".into()),
                "failed" => PageSeen::Failed("404".into()),
                _ => PageSeen::Page {
                    text: Box::new(Text::new(
                        "The gateway retries failed requests up to 4 times.",
                    )),
                    header: "Notes".into(),
                },
            }
        }
    }
    struct Engine;
    impl Search for Engine {
        fn search(
            &self,
            query: &str,
            _: &str,
            _: &[&str],
            _: &[&str],
        ) -> Result<Vec<Found>, String> {
            let found = |snippet: &str| Found {
                url: "https://a.org/".into(),
                title: "T".into(),
                snippet: snippet.into(),
            };
            match query {
                "fail" => Err("exit 1".into()),
                "none" => Ok(Vec::new()),
                "bad" => Ok(vec![found("The gateway retries failed requests 7 times.")]),
                _ => Ok(vec![
                    found("The gateway retries failed requests 7 times."),
                    found("The gateway retries failed requests up to 4 times."),
                ]),
            }
        }
    }
    let desk = folder(&[]);
    let tool = |hint: Value, quote: &str| json!({"source": "s", "locator": {"type": "tool_call", "tool": "t", "args_hash": "sha256:0", "rerun_hint": hint}, "quote": quote});
    let fetch = |url: &str| json!({"type": "web_fetch", "url": url, "prompt": "p"});
    let search = |query: &str, allowed: &[&str]| json!({"type": "web_search", "query": query, "allowed_domains": allowed});
    let retries = "The gateway retries failed requests up to 4 times";
    let table = [
        (retries, tool(fetch("page"), "not on the page"), "supported"),
        (
            "The gateway retries failed requests 9 times",
            tool(fetch("page"), "x"),
            "contradicted",
        ),
        (
            "The gateway retries",
            tool(fetch("blocked"), "x"),
            "fetch_blocked",
        ),
        (
            "The gateway retries",
            tool(fetch("failed"), "x"),
            "fetch_failed",
        ),
        (
            "The gateway is written in a modern language",
            tool(fetch("page"), "UP TO 4 times"),
            "consistent",
        ),
        (
            "The gateway is written in a modern language",
            tool(fetch("page"), "x"),
            "unclear",
        ),
        (retries, tool(search("ok", &[]), "x"), "supported"),
        (retries, tool(search("bad", &[]), "x"), "contradicted"),
        (retries, tool(search("bad", &["b.org"]), "x"), "unclear"),
        (retries, tool(search("none", &[]), "x"), "unclear"),
        (retries, tool(search("fail", &[]), "x"), "search_failed"),
        (retries, tool(Value::Null, "x"), "rerun_hint_missing"),
        (
            retries,
            tool(json!({"type": "unknown"}), "x"),
            "rerun_hint_unknown",
        ),
        (retries, tool(json!(7), "x"), "rerun_hint_invalid"),
    ];
    for (text, evidence, code) in table {
        let world = World {
            judge: &Builtin,
            pages: Some(&OnePage),
            search: Some(&Engine),
        };
        let doc = document(&[claim(text, std::slice::from_ref(&evidence))]);
        assert_eq!(
            verify_in(&options(desk.path()), world, &doc).codes(),
            [code],
            "{evidence}"
        );
        if code == "unclear" {
            // `--on-unclear` applies to files only: an unclear page or search is unverified.
            for on_unclear in [OnUnclear::Fail, OnUnclear::Pass] {
                let options = Options {
                    on_unclear,
                    ..options(desk.path())
                };
                let seen = verify_in(&options, world, &doc);
                assert_eq!(seen.report["status"], "partial", "{evidence}");
                assert_eq!(seen.codes(), ["unclear"], "{evidence}");
            }
        }
        let offline = Options {
            offline: true,
            ..options(desk.path())
        };
        let expected = if evidence.to_string().contains("web_") {
            "offline"
        } else {
            code
        };
        assert_eq!(
            verify_in(&offline, world, &doc).codes(),
            [expected],
            "{evidence}"
        );
    }
}

#[test]
fn the_output_does_not_depend_on_the_number_of_workers() {
    let text = (1..=200)
        .map(|n| format!("value_{n} = {n}\n"))
        .collect::<Vec<_>>()
        .concat();
    let desk = folder(&[("a.txt", &text), ("b.txt", &text)]);
    let claims: Vec<Value> = (0..500u64)
        .map(|n| {
            let file = if n % 2 == 0 { "a.txt" } else { "b.txt" };
            let line = n % 210 + 1;
            claim(
                &format!("`value_{line}` is {}", n % 200),
                &[lines(file, line, line + 1, &format!("value_{line}"))],
            )
        })
        .collect();
    let doc = document(&claims);
    let run = |jobs| {
        let options = Options {
            jobs,
            ..options(desk.path())
        };
        verify(&options, &doc).report
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(7));
    assert_eq!(one["checked"], 500);
}

#[test]
fn every_report_fits_its_schema() {
    let schema: Value = serde_json::from_str(include_str!(
        "../../../../schemas/context-firewall/verify-report.v1.schema.json"
    ))
    .unwrap();
    let schema = Schema::new(schema);
    let desk = folder(&[("a.txt", "x\n")]);
    for doc in [
        document(&[claim("y is 7", &[lines("a.txt", 1, 1, "z")])]),
        b"{".to_vec(),
        document(&[]),
    ] {
        let seen = verify(&options(desk.path()), &doc);
        assert!(schema.fits(&seen.report), "{}", seen.report);
    }
}

#[test]
fn samples_are_drawn_as_stated() {
    let desk = folder(&[("a.txt", "x\n")]);
    let claims: Vec<Value> = (0..20)
        .map(|_| claim("x", &[lines("a.txt", 1, 1, "x")]))
        .collect();
    let doc = document(&claims);
    for selection in [Selection::Random, Selection::Stratified] {
        let options = Options {
            selection,
            seed: Some("s".into()),
            sample_rate: Rate::parse("0.25"),
            ..options(desk.path())
        };
        let seen = verify(&options, &doc);
        let mut by_hash: Vec<(String, u64)> = (0..20)
            .map(|n| (Digest::of(format!("s\n{n}")).hex(), n))
            .collect();
        by_hash.sort();
        let mut expected: Vec<u64> = by_hash.into_iter().take(5).map(|(_, n)| n).collect();
        expected.sort_unstable();
        assert_eq!(seen.details["selection"]["indices"], json!(expected));
        assert!(seen.details["confidence"]["upper_bound_share_bad"].is_number());
    }
    // without a seed the document decides, whatever its blanks
    let unseeded = Options {
        selection: Selection::Random,
        seed: None,
        sample_rate: Rate::parse("0.25"),
        ..options(desk.path())
    };
    let drawn = |doc: &[u8]| verify(&unseeded, doc).details["selection"].clone();
    let spaced = [b" ".as_slice(), &doc].concat();
    assert_eq!(drawn(&doc), drawn(&spaced));
    let mut other = claims.clone();
    other.push(claim("x", &[lines("a.txt", 1, 1, "x")]));
    assert_ne!(drawn(&doc)["seed"], drawn(&document(&other))["seed"]);
    let first = Options {
        selection: Selection::First,
        ..options(desk.path())
    };
    let seen = verify(&first, &doc);
    assert!(seen.details["confidence"]["upper_bound_share_bad"].is_null());
    assert!(
        seen.details["confidence"]["statement"]
            .as_str()
            .unwrap()
            .contains("not a random sample")
    );
}

#[test]
fn hostile_documents_end_in_a_report() {
    let desk = folder(&[("a.txt", "x\n")]);
    let deep = format!(
        "{}{}",
        "{\"a\":".repeat(200_000),
        "1".to_owned() + &"}".repeat(200_000)
    );
    let ids: Vec<Value> = (0..20_000).map(|_| json!({"claim_id": "same", "claim": "x", "confidence": 1e300, "evidence": [{"source": "s", "locator": {"type": ""}}]})).collect();
    for doc in [
        deep.into_bytes(),
        document(&ids),
        vec![0xff; 1 << 20],
        vec![b'['; 1 << 20],
    ] {
        let seen = verify(&options(desk.path()), &doc);
        assert_eq!(seen.report["version"], "VerifyReport.v1");
        assert!(seen.details["warnings"].as_array().unwrap().len() <= 1001);
    }
}

#[test]
fn quote_levels_are_respected() {
    let desk = folder(&[("a.txt", "the  port is\t8080\n")]);
    let doc = document(&[claim(
        "The port is 8080",
        &[lines("a.txt", 1, 1, "The port is 8080")],
    )]);
    for (level, code) in [
        (QuoteLevel::Exact, "quote_not_found"),
        (QuoteLevel::Whitespace, "quote_not_found"),
        (QuoteLevel::Loose, "supported"),
    ] {
        let options = Options {
            quote_level: level,
            ..options(desk.path())
        };
        let seen = verify(&options, &doc);
        assert_eq!(seen.codes(), [code], "{level:?}");
        if code == "quote_not_found" {
            assert_eq!(
                seen.report["failures"][0]["evidence"]["hint"]["quote_matches_if"],
                "loose"
            );
        }
    }
}

#[test]
fn what_denies_its_own_quote_is_not_consistent_with_it() {
    let table = [
        ("The table does not hold 7", "The table holds 7.", "holds 7"),
        (
            "The table does not hold 7 rows",
            "The table holds 7 rows.",
            "holds 7",
        ),
        (
            "The cache no longer holds 7 pages",
            "The cache holds 7 pages.",
            "holds 7 pages",
        ),
        (
            "The cache never holds 7 pages",
            "The cache holds 7 pages.",
            "holds 7 pages",
        ),
        (
            "The server runs without 7 workers",
            "The server runs with 7 workers.",
            "7 workers",
        ),
        (
            "The server does not use port 8080",
            "server:\n  port: 8080",
            "port: 8080",
        ),
        (
            "Retries are not enabled",
            "retries = enabled",
            "retries = enabled",
        ),
        (
            "The table holds 7 rows",
            "The table does not hold 7 rows.",
            "hold 7 rows",
        ),
        (
            "The cache holds 7 pages",
            "The cache no longer holds 7 pages.",
            "holds 7 pages",
        ),
        (
            "The cache holds 7 pages",
            "The cache never holds 7 pages.",
            "holds 7 pages",
        ),
        (
            "The server runs with 7 workers",
            "The server runs without 7 workers.",
            "7 workers",
        ),
        ("Anna hired Ben", "Ben hired Anna", "hired"),
    ];
    for (text, file, quote) in table {
        let desk = folder(&[("a.txt", file)]);
        let last = file.lines().count() as u64;
        let doc = document(&[claim(text, &[lines("a.txt", 1, last, quote)])]);
        let seen = verify(&options(desk.path()), &doc);
        let codes = seen.codes();
        let is_passed = codes == ["consistent"] || codes == ["supported"];
        assert!(!is_passed, "{text} / {file}: {codes:?}");
    }
}
