//! Compares the fast path with the tables, which implement the whole contract.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crosscheck_core::files::read_limited;
use proptest::prelude::*;

use super::super::event::{Body, Event};
use super::super::named::Named;
use super::*;
use crate::canonical;

/// Everything that the checks use of an event.
fn shown(event: &Event<'_>) -> String {
    let text = format!(
        "{} {:?} {}\n{}",
        event.kind(),
        event.idx(),
        event.step_id,
        event.text
    );
    let value = |node: Option<crosscheck_core::Node<'_>>| {
        node.filter(|node| !node.is_null()).map(canonical::of_node)
    };
    let name = |name: &Named<'_>| format!("{name:?}");
    let body = match &event.body {
        Body::Started | Body::Finished(_) => String::new(),
        Body::Called(call) => format!(
            "{} {} {} {}",
            name(&call.name),
            call.tool_name,
            call.step_id,
            call.arguments
        ),
        Body::Returned(result) => format!(
            "{} {:?} {} {:?}",
            result.call_id, result.call_key, result.success, result.error
        ),
        Body::Registered(evidence) => format!(
            "{} {} {:?} {} {} {}",
            name(&evidence.name),
            evidence.sha256,
            evidence.span,
            evidence.chunk_id,
            evidence.content_path,
            evidence.uri
        ),
        Body::Claimed(claim) => {
            let mut all = format!(
                "{} {} {:?} {:?} {:?}",
                name(&claim.name),
                claim.statement,
                claim.origin,
                claim.status,
                value(claim.structured)
            );
            for support in &claim.supports {
                let _ = write!(
                    all,
                    " {:?} {} {:?} {:?} {}",
                    support.kind, support.ref_id, support.key, support.span, support.hash
                );
            }
            all
        }
    };
    let position = event.idx().and_then(|digits| digits.parse().ok());
    let is_at = position.is_some_and(|position| event.is_at(position));
    format!("{text}\n{body} {is_at}")
}

/// What the fast path reads from a line.
fn directly(line: &str) -> Option<String> {
    let mut payload = direct::payload_reader();
    let event = direct::event(line, &mut payload);
    event.as_ref().map(shown)
}

/// What the tables read from it.
fn by_tables(line: &str) -> Option<String> {
    let mut reader = Reader::new(Rules::STRICT);
    let event = EventReader::by_tables(&mut reader, line.as_bytes());
    event.as_ref().map(shown).ok()
}

/// Whether the fast path read the line. It may only read what the tables
/// accept, and must return the same event.
fn agrees(line: &str) -> bool {
    let direct = directly(line);
    if direct.is_some() {
        assert_eq!(direct, by_tables(line), "{line}");
    }
    direct.is_some()
}

/// One line of each kind, with matching and other ids.
fn lines() -> Vec<String> {
    let hash = "0123456789abcdef".repeat(4);
    let support = format!(
        r#"{{"hash_algo":"sha256","kind":"evidence","ref_id":"é","snippet_sha256":"{hash}","span":[0,20]}}"#
    );
    let record = |event: &str| format!(r#"{{"event":{{{event},"record":"trace_event"}}"#);
    let claim = |id: &str, structured: &str, supports: &str| {
        record(&format!(
            r#""claim":{{"claim_type":"derived","confidence":0.5,"id":"{id}","statement":"Gale é [evidence:a].","status":"proposed","structured":{structured},"supports":[{supports}]}},"idx":7,"kind":"claim_emitted","step_id":"s"}}"#
        ))
    };
    vec![
        claim("c", "null", ""),
        claim(
            &format!("claim_v1_{hash}"),
            r#"{"a":[1.5,{}],"b":true}"#,
            &support,
        ),
        claim("c", "{}", &format!("{support},{support}")),
        record(&format!(
            r#""call":{{"arguments":{{"query":"x","top_k":3}},"call_idx":0,"id":"call_v1_{hash}","step_id":"s","tool_name":"retrieve"}},"idx":null,"kind":"tool_called","step_id":"s"}}"#
        )),
        record(
            r#""idx":4,"kind":"tool_returned","result":{"call_id":"a","error":null,"result":{"hits":[0,1],"score":0.25,"text":"a\n\"b\""},"success":true},"step_id":"s"}"#,
        ),
        record(
            r#""idx":12345,"kind":"tool_returned","result":{"call_id":"","error":"no","result":null,"success":false},"step_id":"s"}"#,
        ),
        record(&format!(
            r#""evidence":{{"chunk_id":"{hash}","content_path":"evidence/a.txt","id":"ev_v1_{hash}","sha256":"{hash}","span":[3,20000],"uri":"corpus://0"}},"idx":0,"kind":"evidence_registered","step_id":"s"}}"#
        )),
    ]
}

#[test]
fn lines_as_their_producer_writes_them_take_the_fast_path() {
    for line in lines() {
        assert!(agrees(&line), "{line}");
    }
}

#[test]
fn any_other_line_is_left_to_the_tables() {
    for line in lines() {
        for (from, to) in [
            ("{\"event\"", "{ \"event\""),
            ("\"step_id\":\"s\"},", "\"step_id\":\"\"},"),
            ("\"confidence\":0.5", "\"confidence\":1"),
            ("\"confidence\":0.5", "\"confidence\":0.50"),
            ("\"confidence\":0.5", "\"confidence\":-0.5"),
            ("\"confidence\":0.5", "\"confidence\":0.00001"),
            ("\"confidence\":0.5", "\"confidence\":0.5e1"),
            ("\"confidence\":0.5", "\"confidence\":0."),
            ("\"confidence\":0.5", "\"confidence\":0.1234567890123456"),
            ("\"id\":\"c", "\"id\":\"\\u0063"),
            ("\"id\":\"c\"", "\"id\":\"\""),
            ("derived", "guessed"),
            ("[0,20]", "[20,20]"),
            ("[0,20]", "[00,20]"),
            ("[0,20]", "[0,9223372036854775808]"),
            ("[3,20000]", "[3,-20000]"),
            ("evidence/a", "evidence/../a"),
            ("\"idx\":", "\"idx\":0"),
            ("\"idx\":4", "\"idx\":-4"),
            ("\"idx\":4", "\"idx\":4.0"),
            ("\"idx\":4", "\"idx\": 4"),
            ("\"hits\":[0,1]", "\"hits\":[0,1,]"),
            ("\"hits\":[0,1]", "\"hits\":[0, 1]"),
            ("\"hits\":[0,1]", "\"hits\":1,\"hits\":2"),
            ("\"top_k\":3", "\"a\":3"),
            ("\"arguments\":{", "\"arguments\":[{"),
            ("true", "True"),
            ("trace_event\"}", "trace_event\"} "),
            ("trace_event\"}", "trace_event\",\"x\":1}"),
            ("trace_event\"}", "trace_header\"}"),
            ("Gale", "Ga\tle"),
            ("Gale", "Ga\\nle"),
            ("é", "\\u00e9"),
            ("sha256\":\"0", "sha256\":\"A"),
            ("chunk_id\":\"0", "chunk_id\":\""),
        ] {
            let other = line.replacen(from, to, 1);
            assert!(other == line || !agrees(&other), "{other}");
        }
    }
}

#[test]
fn the_fast_path_reads_the_lines_of_all_vectors_as_the_tables_do() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/trace");
    let mut taken = 0;
    for case in fs::read_dir(vectors).unwrap() {
        let trace = read_limited(&case.unwrap().path().join("trace.jsonl"), 1 << 20);
        for line in String::from_utf8_lossy(&trace.unwrap_or_default()).lines() {
            taken += usize::from(agrees(line));
        }
    }
    assert!(taken > 100, "{taken}");
}

/// What the fast path saves: `cargo test --release -p crosscheck-trace
/// what_the_fast_path_saves -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn what_the_fast_path_saves() {
    let lines = lines();
    let time = |read: &mut dyn FnMut(&str)| {
        let rounds = (0..5).map(|_| {
            let start = std::time::Instant::now();
            for _ in 0..20_000 {
                for line in &lines {
                    read(line);
                }
            }
            start.elapsed()
        });
        rounds.min().unwrap().as_nanos() / (20_000 * lines.len() as u128)
    };
    let mut events = EventReader::default();
    let with = time(&mut |line| assert!(events.read(line.as_bytes()).is_ok()));
    let mut reader = Reader::new(Rules::STRICT);
    let without =
        time(&mut |line| assert!(EventReader::by_tables(&mut reader, line.as_bytes()).is_ok()));
    println!("{with} ns for each event with the fast path, {without} ns without");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_fast_path_reads_any_changed_line_as_the_tables_do(
        which in any::<proptest::sample::Index>(),
        at in any::<proptest::sample::Index>(),
        length in 0_usize..12,
        instead in r#"([0-9a-z\[\]{}":,.\-\\ é]|null|true|"idx":|\PC){0,4}"#,
    ) {
        let lines = lines();
        let mut line = which.get(&lines).clone();
        let floor = |line: &str, mut at: usize| {
            while !line.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = floor(&line, at.index(line.len()));
        let end = floor(&line, (start + length).min(line.len())).max(start);
        line.replace_range(start..end, &instead);
        agrees(&line);
    }

    #[test]
    fn a_confidence_takes_the_fast_path_only_in_canonical_form(number in r"(0|[1-9][0-9]{0,9})\.[0-9]{1,9}") {
        agrees(&lines()[0].replace("0.5", &number));
    }
}
