//! The direct reader beside the tables, which know the whole contract.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crosscheck_core::files::read_limited;
use proptest::prelude::*;

use super::super::event::{self, Body, Event};
use super::super::named::Named;
use super::super::object::Flaws;
use crate::canonical;
use crate::tape::{Node, Tape};

/// Everything that anybody asks of an event.
fn told(event: &Event<'_>) -> String {
    let mut text = format!("{} {:?} {}\n", event.kind(), event.idx(), event.step_id);
    event.write(&mut text);
    let value =
        |node: Option<Node<'_>>| node.filter(|node| !node.is_null()).map(canonical::of_node);
    let name = |name: &Named<'_>| format!("{name:?}");
    let body = match &event.body {
        Body::Started | Body::Finished(_) => String::new(),
        Body::Called(call) => format!(
            "{} {} {} {}",
            name(&call.name),
            call.tool_name,
            call.step_id,
            call.arguments()
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

/// What the direct reader makes of a line.
fn directly(line: &str) -> Option<String> {
    let mut tape = Tape::default();
    line.clone_into(&mut tape.text);
    super::event(&mut tape).as_ref().map(told)
}

/// What the tables make of it.
fn by_tables(line: &str) -> Option<String> {
    let json = canonical::parse(line).ok()?;
    let mut flaws = Flaws::new();
    let event = event::event(json.root(), &mut flaws);
    event.filter(|_| flaws.is_empty()).as_ref().map(told)
}

/// Whether the direct reader took the line; it may take only what the tables
/// take, and must see the same in it.
fn agrees(line: &str) -> bool {
    let direct = directly(line);
    if direct.is_some() {
        assert_eq!(direct, by_tables(line), "{line}");
    }
    direct.is_some()
}

/// One line of each kind, all ids being what they should be or not.
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
fn lines_as_their_producer_writes_them_are_read_directly() {
    for line in lines() {
        assert!(agrees(&line), "{line}");
    }
}

#[test]
fn what_differs_in_anything_is_left_to_the_tables() {
    for line in lines() {
        for (from, to) in [
            ("{\"event\"", "{ \"event\""),
            ("\"step_id\":\"s\"},", "\"step_id\":\"\"},"),
            ("\"confidence\":0.5", "\"confidence\":1"),
            ("\"confidence\":0.5", "\"confidence\":0.50"),
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
fn the_lines_of_all_vectors_are_read_as_the_tables_read_them() {
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_change_of_a_line_is_read_as_the_tables_read_it(
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
}
