//! The evidence of one claim, typed and in check order (claims 6.1, 7.1).
//!
//! Contract: claims 7.1.

use std::borrow::Cow;

use crosscheck_core::Node;
use crosscheck_core::json::Value;

use crate::read::{Claim, Evidence};
use crate::reasons::ClaimReason;
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
    /// A place in a file.
    File { path: Cow<'j, str>, spot: Spot<'j> },
    /// A page to fetch again.
    Page {
        url: Cow<'j, str>,
        prompt: Cow<'j, str>,
    },
    /// A search to repeat.
    Search {
        query: Cow<'j, str>,
        allowed: Vec<Cow<'j, str>>,
        blocked: Vec<Cow<'j, str>>,
    },
    /// It points nowhere, for this reason.
    Open(ClaimReason),
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Spot<'j> {
    Lines(u64, u64),
    Symbol(Cow<'j, str>),
    Bytes(u64, u64),
    Json(Cow<'j, str>),
    Stack(Cow<'j, str>),
}

impl Spot<'_> {
    /// Whether it ends before it begins.
    pub(crate) const fn is_inverted(&self) -> bool {
        match self {
            Self::Lines(start, end) => *end < *start,
            Self::Bytes(start, end) => *end <= *start,
            Self::Symbol(_) | Self::Json(_) | Self::Stack(_) => false,
        }
    }

    /// Whether its file is the source of the evidence, which may be none.
    pub(crate) const fn is_of_source(&self) -> bool {
        matches!(self, Self::Json(_) | Self::Stack(_))
    }
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
    let number = |key| fields.get(key).and_then(whole_number);
    let range = number("start").zip(number("end"));
    let path = |key| text(fields, key);
    let found = match kind {
        Some("line_range") => {
            let range = range.filter(|(start, end)| *start > 0 && *end > 0);
            path("path").zip(range.map(|(start, end)| Spot::Lines(start, end)))
        }
        Some("symbol_range") => {
            let symbol = path("symbol").filter(|symbol| !symbol.is_empty());
            path("path").zip(symbol.map(Spot::Symbol))
        }
        Some("tool_call") => return hint(fields),
        Some("byte_range") if extended => {
            path("path").zip(range.map(|(start, end)| Spot::Bytes(start, end)))
        }
        Some("json_path") if extended => path("source").zip(path("path").map(Spot::Json)),
        Some("stack_signature") if extended => {
            let source = evidence.source.as_js();
            let source = source.map(crosscheck_core::JsStr::to_str_lossy);
            source.zip(path("signature").map(Spot::Stack))
        }
        _ => return Probe::Open(ClaimReason::UnsupportedLocator),
    };
    let malformed = Probe::Open(ClaimReason::MalformedLocator);
    found.map_or(malformed, |(path, spot)| Probe::File { path, spot })
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

/// What the hint of a tool call says to repeat, if it has exactly the shape of the schema.
fn hint(fields: Node<'_>) -> Probe<'_> {
    let Some(node) = fields.get("rerun_hint").filter(|node| !node.is_null()) else {
        return Probe::Open(ClaimReason::RerunHintMissing);
    };
    let only = |known: &[&str]| {
        node.as_object().is_some_and(|mut members| {
            members.all(|(key, _)| known.iter().any(|name| name.as_bytes() == key.bytes()))
        })
    };
    let long = |key, least: usize| text(node, key).filter(|text| text.chars().count() >= least);
    let read = || match node.get("type").and_then(Node::as_str)? {
        "web_fetch" if only(&["type", "url", "prompt"]) => Some(Probe::Page {
            url: long("url", 1)?,
            prompt: long("prompt", 1)?,
        }),
        "web_search" if only(&["type", "query", "allowed_domains", "blocked_domains"]) => {
            Some(Probe::Search {
                query: long("query", 2)?,
                allowed: domains(node, "allowed_domains")?,
                blocked: domains(node, "blocked_domains")?,
            })
        }
        "unknown" if node.get("note").is_none_or(|note| note.as_js().is_some()) => {
            Some(Probe::Open(ClaimReason::RerunHintUnknown))
        }
        _ => None,
    };
    read().unwrap_or(Probe::Open(ClaimReason::RerunHintInvalid))
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
            Probe::Open(code) => code.code().replace("rerun_hint_", ""),
            Probe::Page { url, prompt } => format!("fetch {url} {prompt}"),
            Probe::Search {
                query,
                allowed,
                blocked,
            } => format!("search {query} {allowed:?} {blocked:?}"),
            Probe::File { path, .. } => path.into_owned(),
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
        assert_eq!(
            hint(json.root()),
            Probe::Open(ClaimReason::RerunHintMissing)
        );
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
