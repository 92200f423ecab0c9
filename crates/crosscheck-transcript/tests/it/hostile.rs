//! Hostile logs: nothing here may panic, hang, or lose count.

use crosscheck_transcript::{Format, Reader, detect, read, read_bytes};
use proptest::prelude::*;

use crate::formats::LOGS;

#[test]
fn endless_nesting_is_read_without_overflowing_the_stack() {
    let deep = 200_000;
    let nest = |open: &str, close: &str| format!("{}1{}", open.repeat(deep), close.repeat(deep));
    let arguments = nest("[", "]");
    let texts = [
        nest("[", "]"),
        nest(r#"{"child_runs":["#, "]}"),
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","input":{arguments}}}]}}}}"#
        ),
        format!(
            r#"{{"attributes":[{{"key":"gen_ai.output.messages","value":{}}}]}}"#,
            nest(r#"{"arrayValue":{"values":["#, "]}}")
        ),
    ];
    for text in &texts {
        detect(text);
        for format in Format::ALL {
            assert_eq!(read(format, text).malformed.count, 0);
        }
    }
}

#[test]
fn lines_that_are_not_utf_8_are_malformed_and_the_rest_is_read() {
    let mut log =
        b"\xEF\xBB\xBF{\"type\":\"user\",\"message\":{\"content\":\"a\"}}\r\n\"\xFF\"\n".to_vec();
    log.extend_from_slice(b"{\"type\":\"user\",\"message\":{\"content\":\"b\"}}");
    let transcript = read_bytes(Format::ClaudeCode, &log);
    assert_eq!(transcript.malformed.lines, [2]);
    assert_eq!(transcript.events.len(), 2);
}

#[test]
fn a_reader_returns_events_while_it_reads_and_counts_all_lines() {
    let mut reader = Reader::new(Format::ClaudeCode);
    reader.line(br#"{"type":"user","message":{"content":"a"}}"#);
    assert_eq!(reader.drain_events().count(), 1);
    reader.line(b"");
    reader.line(br#"{"type":"user","message":{"content":"b"}}"#);
    let rest = reader.finish();
    assert_eq!(rest.events.len(), 1);
    assert_eq!(rest.events[0].record, 3);
}

/// Words the readers look for, so that generated objects reach their code.
fn word() -> impl Strategy<Value = String> {
    let known: Vec<&str> = "type message content role tool_use tool_result id name input text user assistant \
        attachment prompt payload response_item function_call function_call_output call_id arguments output \
        item item.completed command_execution exit_code messages tool_calls function choices request response \
        resourceSpans scopeSpans spans attributes key value stringValue arrayValue kvlistValue values \
        gen_ai.operation.name execute_tool gen_ai.output.messages gen_ai.tool.call.result parts tool_call \
        run_type tool llm inputs outputs generations kwargs runs child_runs annotations url body error"
        .split_whitespace()
        .collect();
    prop_oneof![4 => prop::sample::select(known).prop_map(str::to_owned), 1 => "\\PC{0,4}"]
}

fn quoted(text: &str) -> String {
    crosscheck_core::canonical::quoted(text.into())
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        word().prop_map(|text| quoted(&text)),
        prop::sample::select(vec![
            "null",
            "true",
            "-0",
            "1e999",
            "\"\\ud800\"",
            "\"[{}]\""
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((word(), inner), 0..6).prop_map(|members| {
                let members: Vec<_> = members
                    .iter()
                    .map(|(key, value)| format!("{}:{value}", quoted(key)))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_read_in_any_format(lines in prop::collection::vec(value(), 1..4)) {
        let text = lines.join("\n");
        detect(&text);
        for format in Format::ALL {
            let transcript = read(format, &text);
            // a plain call must not repeat a key
            prop_assert!(format == Format::Calls || transcript.malformed.count == 0);
            prop_assert!(transcript.events.is_sorted_by_key(|event| event.record));
        }
    }

    #[test]
    fn any_bytes_are_read_in_any_format(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in Format::ALL {
            read_bytes(format, &bytes);
        }
    }

    #[test]
    fn a_log_cut_or_damaged_anywhere_is_still_read(at in 0usize..9, cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let (format, text) = LOGS[at];
        let mut bytes = text.as_bytes().to_vec();
        let cut = cut.index(bytes.len());
        read_bytes(format, &bytes[..cut]);
        bytes[cut] = byte;
        read_bytes(format, &bytes);
    }
}
