//! The evidence of one claim, typed and in check order (claims 6.1, 7.1).
//!
//! Contract: claims 7.1.

use std::borrow::Cow;

use crosscheck_core::Node;
use crosscheck_core::json::Value;

use crate::read::{Claim, Evidence};
use crate::warning::Warning;

/// One claim to check.
pub(crate) struct Unit<'j> {
    pub(crate) claim: Claim<'j>,
    /// `line_range` items first, then the others, each in the order of the document.
    pub(crate) items: Vec<(Evidence<'j>, Probe<'j>, Quote<'j>)>,
    pub(crate) warnings: Vec<Warning>,
}

/// Where one evidence item points to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Probe<'j> {
    Lines {
        path: Cow<'j, str>,
        start: u64,
        end: u64,
    },
    Symbol {
        path: Cow<'j, str>,
        symbol: Cow<'j, str>,
    },
    Bytes {
        path: Cow<'j, str>,
        start: u64,
        end: u64,
    },
    JsonPath {
        file: Cow<'j, str>,
        query: Cow<'j, str>,
    },
    Stack {
        file: Cow<'j, str>,
        signature: Cow<'j, str>,
    },
    ToolCall(Hint<'j>),
    Malformed,
    Unsupported,
}

/// How to repeat a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Hint<'j> {
    Missing,
    Invalid,
    Unknown,
    Fetch {
        url: Cow<'j, str>,
        prompt: Cow<'j, str>,
    },
    Search {
        query: Cow<'j, str>,
        allowed: Vec<Cow<'j, str>>,
        blocked: Vec<Cow<'j, str>>,
    },
}

/// What was quoted. A blank quote or a malformed hash counts as absent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Quote<'j> {
    pub(crate) text: Option<Cow<'j, str>>,
    /// 64 lower-case hex digits.
    pub(crate) hash: Option<String>,
}

/// The unit of one claim.
pub(crate) fn unit(claim: Claim<'_>, extended: bool) -> Unit<'_> {
    let mut items = Vec::new();
    let mut warnings = Vec::new();
    for evidence in claim.evidence() {
        let quote = quote(&evidence, &claim, &mut warnings);
        items.push((evidence, probe(&evidence, extended), quote));
    }
    items.sort_by_key(|(evidence, ..)| !is_line_range(evidence.locator));
    Unit {
        claim,
        items,
        warnings,
    }
}

fn is_line_range(locator: Node<'_>) -> bool {
    locator.get("type").and_then(Node::as_str) == Some("line_range")
}

fn quote<'j>(evidence: &Evidence<'j>, claim: &Claim<'j>, warnings: &mut Vec<Warning>) -> Quote<'j> {
    let text = evidence
        .quote
        .and_then(Node::as_js)
        .map(crosscheck_core::JsStr::to_str_lossy)
        .filter(|text| !text.trim().is_empty());
    let hash = evidence
        .quote_hash
        .and_then(Node::as_str)
        .and_then(|hash| hash.strip_prefix("sha256:"))
        .filter(|hex| hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .map(str::to_ascii_lowercase);
    if evidence.quote_hash.is_some() && hash.is_none() {
        warnings.push(Warning {
            path: format!("{}.evidence[{}].quote_hash", claim.path(), evidence.index),
            code: "quote_hash_malformed",
            message: "quote_hash is not sha256: and 64 hex digits; it is not used".to_owned(),
        });
    }
    Quote { text, hash }
}

fn probe<'j>(evidence: &Evidence<'j>, extended: bool) -> Probe<'j> {
    let fields = evidence.locator;
    let kind = fields.get("type").and_then(Node::as_str);
    match kind {
        Some("line_range") => lines(fields),
        Some("symbol_range") => both(fields, "path", "symbol")
            .filter(|(_, symbol)| !symbol.is_empty())
            .map_or(Probe::Malformed, |(path, symbol)| Probe::Symbol {
                path,
                symbol,
            }),
        Some("tool_call") => Probe::ToolCall(hint(fields)),
        Some("byte_range") if extended => bytes(fields),
        Some("json_path") if extended => {
            both(fields, "source", "path").map_or(Probe::Malformed, |(file, query)| {
                Probe::JsonPath { file, query }
            })
        }
        Some("stack_signature") if extended => text(fields, "signature")
            .zip(
                evidence
                    .source
                    .as_js()
                    .map(crosscheck_core::JsStr::to_str_lossy),
            )
            .map_or(Probe::Malformed, |(signature, file)| Probe::Stack {
                file,
                signature,
            }),
        _ => Probe::Unsupported,
    }
}

fn lines(fields: Node<'_>) -> Probe<'_> {
    let number = |key| {
        fields
            .get(key)
            .and_then(whole_number)
            .filter(|line| *line > 0)
    };
    match (text(fields, "path"), number("start"), number("end")) {
        (Some(path), Some(start), Some(end)) => Probe::Lines { path, start, end },
        _ => Probe::Malformed,
    }
}

fn bytes(fields: Node<'_>) -> Probe<'_> {
    let number = |key| fields.get(key).and_then(whole_number);
    match (text(fields, "path"), number("start"), number("end")) {
        (Some(path), Some(start), Some(end)) => Probe::Bytes { path, start, end },
        _ => Probe::Malformed,
    }
}

/// A non-negative integer in any spelling; too large ones are capped.
fn whole_number(node: Node<'_>) -> Option<u64> {
    let Value::Number(digits) = node.value() else {
        return None;
    };
    let number = digits.to_f64();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, as wanted"
    )]
    let rounded = (number >= 0.0 && number.fract() == 0.0).then_some(number as u64);
    digits.text().parse().ok().or(rounded)
}

fn text<'j>(fields: Node<'j>, key: &str) -> Option<Cow<'j, str>> {
    fields
        .get(key)
        .and_then(Node::as_js)
        .map(crosscheck_core::JsStr::to_str_lossy)
}

fn both<'j>(fields: Node<'j>, a: &str, b: &str) -> Option<(Cow<'j, str>, Cow<'j, str>)> {
    text(fields, a).zip(text(fields, b))
}

/// The typed hint, exactly in the shape of the schema.
fn hint(fields: Node<'_>) -> Hint<'_> {
    let node = match fields.get("rerun_hint") {
        None => return Hint::Missing,
        Some(node) if node.is_null() => return Hint::Missing,
        Some(node) => node,
    };
    if node.as_object().is_none() {
        return Hint::Invalid;
    }
    let fields = node;
    let only = |known: &[&str]| {
        node.as_object().is_some_and(|mut members| {
            members.all(|(key, _)| known.iter().any(|name| name.as_bytes() == key.bytes()))
        })
    };
    let long = |key, least: usize| text(fields, key).filter(|text| text.chars().count() >= least);
    match fields.get("type").and_then(Node::as_str) {
        Some("web_fetch") if only(&["type", "url", "prompt"]) => long("url", 1)
            .zip(long("prompt", 1))
            .map_or(Hint::Invalid, |(url, prompt)| Hint::Fetch { url, prompt }),
        Some("web_search") if only(&["type", "query", "allowed_domains", "blocked_domains"]) => {
            match (
                long("query", 2),
                domains(fields, "allowed_domains"),
                domains(fields, "blocked_domains"),
            ) {
                (Some(query), Some(allowed), Some(blocked)) => Hint::Search {
                    query,
                    allowed,
                    blocked,
                },
                _ => Hint::Invalid,
            }
        }
        Some("unknown") if fields.get("note").is_none_or(|note| note.as_js().is_some()) => {
            Hint::Unknown
        }
        _ => Hint::Invalid,
    }
}

fn domains<'j>(fields: Node<'j>, key: &str) -> Option<Vec<Cow<'j, str>>> {
    match fields.get(key) {
        None => Some(Vec::new()),
        Some(node) => node
            .as_array()?
            .map(|item| item.as_js().map(crosscheck_core::JsStr::to_str_lossy))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use crosscheck_core::Json;

    use super::*;

    fn hint_of(text: &str) -> String {
        let json = Json::parse(&format!("{{\"rerun_hint\":{text}}}")).unwrap();
        match hint(json.root()) {
            Hint::Missing => "missing".into(),
            Hint::Invalid => "invalid".into(),
            Hint::Unknown => "unknown".into(),
            Hint::Fetch { url, prompt } => format!("fetch {url} {prompt}"),
            Hint::Search {
                query,
                allowed,
                blocked,
            } => format!("search {query} {allowed:?} {blocked:?}"),
        }
    }

    #[test]
    fn a_hint_has_one_of_three_shapes() {
        let table = [
            ("null", "missing"),
            ("\"again\"", "invalid"),
            ("{\"type\":\"unknown\",\"more\":1}", "unknown"),
            ("{\"type\":\"unknown\",\"note\":1}", "invalid"),
            (
                "{\"type\":\"web_fetch\",\"url\":\"u\",\"prompt\":\"p\"}",
                "fetch u p",
            ),
            (
                "{\"type\":\"web_fetch\",\"url\":\"u\",\"prompt\":\"\"}",
                "invalid",
            ),
            (
                "{\"type\":\"web_fetch\",\"url\":\"u\",\"prompt\":\"p\",\"x\":1}",
                "invalid",
            ),
            ("{\"type\":\"web_search\",\"query\":\"q\"}", "invalid"),
            (
                "{\"type\":\"web_search\",\"query\":\"qq\",\"allowed_domains\":[\"a\"]}",
                "search qq [\"a\"] []",
            ),
            (
                "{\"type\":\"web_search\",\"query\":\"qq\",\"blocked_domains\":[1]}",
                "invalid",
            ),
            ("{\"type\":\"other\"}", "invalid"),
        ];
        for (text, expected) in table {
            assert_eq!(hint_of(text), expected, "{text}");
        }
        let json = Json::parse("{}").unwrap();
        assert_eq!(hint(json.root()), Hint::Missing);
    }

    #[test]
    fn whole_numbers_are_read_in_every_spelling() {
        let table = [
            ("3", Some(3)),
            ("3.0", Some(3)),
            ("3e2", Some(300)),
            ("-0", Some(0)),
            ("-1", None),
            ("2.5", None),
            ("\"3\"", None),
            ("99999999999999999999999", Some(u64::MAX)),
        ];
        for (text, expected) in table {
            let json = Json::parse(text).unwrap();
            assert_eq!(whole_number(json.root()), expected, "{text}");
        }
    }
}
