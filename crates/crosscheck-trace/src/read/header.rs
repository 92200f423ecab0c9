//! The first record of a trace (trace 2.2).
//!
//! Contract: trace 4.

use crosscheck_core::json::{Json, Node};

use super::object::{Field, Flaw, Object, Shape, is_integer, optional, required};
use crate::canonical;
use crate::reasons::TraceReason;

pub(super) static HEADER: [Field; 9] = [
    optional("canonicalization_version", Shape::Integer, "1"),
    optional("fingerprint_algo", Shape::Str, "\"sha256\""),
    required("id", Shape::Str),
    optional("metadata", Shape::Object, "{}"),
    optional("plan_id", Shape::StrOrNull, "null"),
    required("record", Shape::OneOf(&["trace_header"])),
    optional("runtime_protocol_version", Shape::Integer, "1"),
    required("schema_version", Shape::Integer),
    optional("spec_id", Shape::StrOrNull, "null"),
];

/// The header.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    pub(crate) line: u64,
    pub(crate) id: String,
    pub(crate) schema_version: String,
    pub(crate) plan_id: Option<String>,
    pub(crate) spec_id: Option<String>,
    /// Absent is the empty object.
    metadata: Option<Json>,
}

/// A version this verifier does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unsupported {
    pub(crate) reason: TraceReason,
    pub(crate) field: &'static str,
    pub(crate) supported: &'static str,
    pub(crate) found: String,
}

/// Why the header cannot be used.
#[derive(Debug)]
pub(crate) enum NoHeader {
    Flawed(Flaw),
    Unsupported(Vec<Unsupported>),
    /// All of it can be read, but it has an unknown field.
    Unknown(Box<Header>, Flaw),
}

/// Reads the first record. Versions are judged before unknown fields, because
/// another version may have more fields.
pub(crate) fn header(node: Node<'_>, line: u64) -> Result<Header, NoHeader> {
    let flawed = |reason, field: &str| NoHeader::Flawed(Flaw::new(reason, field));
    if node.get("record").and_then(Node::as_str) != Some("trace_header") {
        return Err(flawed(TraceReason::HeaderMissing, "record"));
    }
    let (object, unknown) =
        Object::sort(node, &HEADER).map_err(|(reason, field)| flawed(reason, field))?;
    let versions = [
        (
            TraceReason::UnsupportedSchemaVersion,
            "schema_version",
            &["1", "2"][..],
            "1 or 2",
        ),
        (
            TraceReason::UnsupportedRuntimeProtocolVersion,
            "runtime_protocol_version",
            &["1"],
            "1",
        ),
        (
            TraceReason::UnsupportedCanonicalizationVersion,
            "canonicalization_version",
            &["1"],
            "1",
        ),
        (
            TraceReason::UnsupportedFingerprintAlgo,
            "fingerprint_algo",
            &["\"sha256\""],
            "sha256",
        ),
    ]
    .map(|(reason, field, known, supported)| {
        unsupported(reason, field, object.get(field), known, supported)
    });
    let versions: Vec<Unsupported> = versions.into_iter().flatten().collect();
    if !versions.is_empty() {
        return Err(NoHeader::Unsupported(versions));
    }
    let text = |name| Some(object.get(name)?.as_str()?.to_owned());
    let schema = object.get("schema_version");
    let header = Header {
        line,
        id: object.text("id").to_owned(),
        schema_version: schema.map(canonical::of_node).unwrap_or_default(),
        plan_id: text("plan_id"),
        spec_id: text("spec_id"),
        metadata: object.get("metadata").map(Node::to_json),
    };
    match unknown {
        None => Ok(header),
        Some(field) => Err(NoHeader::Unknown(
            Box::new(header),
            Flaw::new(TraceReason::UnknownField, field),
        )),
    }
}

impl Header {
    /// A key of the metadata.
    pub(crate) fn metadata(&self, key: &str) -> Option<Node<'_>> {
        self.metadata.as_ref()?.root().get(key)
    }

    /// The metadata as canonical text.
    pub(crate) fn metadata_text(&self) -> String {
        match &self.metadata {
            Some(metadata) => canonical::of_node(metadata.root()),
            None => "{}".to_owned(),
        }
    }

    /// What the trace id hashes after the events.
    pub(crate) fn closing(&self) -> String {
        let mut out = String::from(r#","fingerprint_algo":"sha256","metadata":"#);
        out.push_str(&self.metadata_text());
        out.push_str(r#","plan_id":"#);
        write_or_null(&mut out, self.plan_id.as_deref());
        out.push_str(r#","runtime_protocol_version":1,"schema_version":"#);
        out.push_str(&self.schema_version);
        out.push_str(r#","spec_id":"#);
        write_or_null(&mut out, self.spec_id.as_deref());
        out.push('}');
        out
    }
}

/// What the trace id hashes before the events.
pub(crate) const OPENING: &str = r#"{"canonicalization_version":1,"events":["#;

fn write_or_null(out: &mut String, text: Option<&str>) {
    match text {
        Some(text) => canonical::write_str(out, text),
        None => out.push_str("null"),
    }
}

fn unsupported(
    reason: TraceReason,
    field: &'static str,
    node: Option<Node<'_>>,
    known: &[&str],
    supported: &'static str,
) -> Option<Unsupported> {
    let found = canonical::of_node(node?);
    (!known.contains(&found.as_str())).then_some(Unsupported {
        reason,
        field,
        supported,
        found,
    })
}

/// The digits of an integer, if this is one.
pub(crate) fn integer_text(node: Node<'_>) -> Option<String> {
    is_integer(node).then(|| canonical::of_node(node))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Vec<TraceReason> {
        let json = canonical::parse(text).unwrap();
        match header(json.root(), 1) {
            Ok(_) => Vec::new(),
            Err(NoHeader::Flawed(flaw) | NoHeader::Unknown(_, flaw)) => vec![flaw.reason],
            Err(NoHeader::Unsupported(all)) => all.into_iter().map(|one| one.reason).collect(),
        }
    }

    #[test]
    fn fields_then_versions_then_unknown_fields() {
        let table: &[(&str, &[TraceReason])] = &[
            (
                r#"{"record":"trace_header","id":"","schema_version":1}"#,
                &[],
            ),
            (
                r#"{"record":"trace_header","id":"","schema_version":2,"plan_id":null,"metadata":{}}"#,
                &[],
            ),
            ("[]", &[TraceReason::HeaderMissing]),
            (r#"{"record":"trace_event"}"#, &[TraceReason::HeaderMissing]),
            (
                r#"{"record":"trace_header","schema_version":3}"#,
                &[TraceReason::MissingField],
            ),
            (
                r#"{"record":"trace_header","id":null,"schema_version":3}"#,
                &[TraceReason::BadField],
            ),
            (
                r#"{"record":"trace_header","id":"","schema_version":true}"#,
                &[TraceReason::BadField],
            ),
            (
                r#"{"record":"trace_header","id":"","schema_version":3,"new":1}"#,
                &[TraceReason::UnsupportedSchemaVersion],
            ),
            (
                r#"{"record":"trace_header","id":"","schema_version":0,"runtime_protocol_version":2,"canonicalization_version":99999999999999999999,"fingerprint_algo":"SHA256"}"#,
                &[
                    TraceReason::UnsupportedSchemaVersion,
                    TraceReason::UnsupportedRuntimeProtocolVersion,
                    TraceReason::UnsupportedCanonicalizationVersion,
                    TraceReason::UnsupportedFingerprintAlgo,
                ],
            ),
            (
                r#"{"record":"trace_header","id":"","schema_version":1,"new":1}"#,
                &[TraceReason::UnknownField],
            ),
        ];
        for (text, expected) in table {
            assert_eq!(refused(text), *expected, "{text}");
        }
    }
}
