//! The required fields (claims 2): without them there is nothing to verify.
//! Deeper fields are not required, because one bad locator must not hide the
//! other claims.

use std::borrow::Cow;

use crosscheck_core::json::{Elements, Value};
use crosscheck_core::redact::SecretUrl;
use crosscheck_core::text::JsStr;
use crosscheck_core::{JsString, Node};

use super::Invalid;

/// A document that can be verified.
#[derive(Debug)]
pub struct ClaimsDocument<'j> {
    /// The task it answers.
    pub task_id: JsStr<'j>,
    /// All claims, answers in order, claims in order.
    pub claims: Vec<Claim<'j>>,
}

/// One claim.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'j> {
    /// The position of its answer.
    pub answer: usize,
    /// Its position in the answer.
    pub position: usize,
    own_id: Option<JsStr<'j>>,
    text: JsStr<'j>,
    evidence: Elements<'j>,
}

/// How a claim is named in reports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimId(pub JsString);

/// One evidence item.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'j> {
    /// Its position in the claim.
    pub index: usize,
    /// Its source, as in the document.
    pub source: Node<'j>,
    /// Its locator, as in the document.
    pub locator: Node<'j>,
    pub(crate) quote: Option<Node<'j>>,
    pub(crate) quote_hash: Option<Node<'j>>,
}

impl<'j> Claim<'j> {
    /// Its own id, or one made from its position.
    pub fn id(&self) -> ClaimId {
        ClaimId(
            self.own_id
                .map_or_else(|| self.path().into(), JsStr::to_owned),
        )
    }

    /// Its position in the document.
    pub fn path(&self) -> String {
        format!("answers[{}].claims[{}]", self.answer, self.position)
    }

    /// What is claimed.
    pub fn text(&self) -> Cow<'j, str> {
        self.text.to_str_lossy()
    }

    /// Its evidence in the order of the document.
    pub fn evidence(&self) -> impl Iterator<Item = Evidence<'j>> + use<'j> {
        self.evidence.enumerate().filter_map(|(index, node)| {
            let (mut source, mut locator, mut quote, mut quote_hash) = (None, None, None, None);
            // The last value of a repeated key counts.
            for (key, value) in node.as_object()? {
                match key.bytes() {
                    b"source" => source = Some(value),
                    b"locator" => locator = Some(value),
                    b"quote" => quote = Some(value),
                    b"quote_hash" => quote_hash = Some(value),
                    _ => {}
                }
            }
            Some(Evidence {
                index,
                source: source?,
                locator: locator?,
                quote,
                quote_hash,
            })
        })
    }
}

impl<'j> Evidence<'j> {
    /// The file or page it points to, if the document names one; a page without
    /// the secrets in its address.
    pub(crate) fn place(&self) -> Option<Cow<'j, str>> {
        let text = |key: &str| self.locator.get(key).and_then(Node::as_str);
        let named = match text("type") {
            // Its `source` is the name of a tool.
            Some("tool_call") => return self.page().map(Cow::Owned),
            // The `path` of a JSON path is a query; its file is its `source`.
            Some("json_path") => text("source"),
            _ => text("path"),
        };
        named.or_else(|| self.source.as_str()).map(Cow::Borrowed)
    }

    fn page(&self) -> Option<String> {
        let url = self.locator.get("rerun_hint")?.get("url")?.as_str()?;
        let is_web = url.starts_with("http://") || url.starts_with("https://");
        is_web.then(|| SecretUrl::new(url).shown())
    }
}

/// Checks every required field of the whole document.
pub(super) fn document(root: Node<'_>) -> Result<ClaimsDocument<'_>, Invalid> {
    let top: &dyn Fn() -> String = &String::new;
    if root.as_object().is_none() {
        return Err(wrong("", "it is not an object"));
    }
    if root.get("version").and_then(Node::as_str) != Some("SubResult.v1") {
        return Err(wrong("version", "it must be \"SubResult.v1\""));
    }
    let task_id = text_of(root, "task_id", true, top)?;
    let status = root.get("status").and_then(Node::as_str);
    if !matches!(status, Some("ok" | "partial" | "tool_error")) {
        return Err(wrong("status", "it must be one of ok, partial, tool_error"));
    }
    let answers = array_of(root, "answers", top)?;
    let coverage = object_of(root, "coverage", top)?;
    array_of(coverage, "inputs_scanned", &|| "coverage".to_owned())?;
    let mut document = ClaimsDocument {
        task_id,
        claims: Vec::new(),
    };
    for (number, answer) in answers.enumerate() {
        let path = || format!("answers[{number}]");
        is_object(answer, &path)?;
        text_of(answer, "question", true, &path)?;
        text_of(answer, "summary", false, &path)?;
        for (position, node) in array_of(answer, "claims", &path)?.enumerate() {
            document.claims.push(claim(number, position, node)?);
        }
    }
    Ok(document)
}

fn claim(answer: usize, position: usize, node: Node<'_>) -> Result<Claim<'_>, Invalid> {
    let path = || format!("answers[{answer}].claims[{position}]");
    is_object(node, &path)?;
    let text = text_of(node, "claim", true, &path)?;
    let confidence = node.get("confidence").map(Node::value);
    if !matches!(confidence, Some(Value::Number(_))) {
        let is_present = confidence.is_some();
        return Err(wrong_field(&path(), "confidence", is_present, "a number"));
    }
    let evidence = array_of(node, "evidence", &path)?;
    if evidence.count() == 0 {
        return Err(wrong(&format!("{}.evidence", path()), "it has no element"));
    }
    for (index, item) in evidence.enumerate() {
        let path = || format!("{}.evidence[{index}]", path());
        is_object(item, &path)?;
        text_of(item, "source", true, &path)?;
        let locator = object_of(item, "locator", &path)?;
        text_of(locator, "type", false, &|| format!("{}.locator", path()))?;
    }
    let own_id = node.get("claim_id").and_then(Node::as_js);
    Ok(Claim {
        answer,
        position,
        own_id: own_id.filter(|id| !id.is_empty()),
        text,
        evidence,
    })
}

fn is_object(node: Node<'_>, path: &dyn Fn() -> String) -> Result<(), Invalid> {
    let fields = node.as_object();
    fields
        .map(drop)
        .ok_or_else(|| wrong(&path(), "it is not an object"))
}

fn object_of<'j>(
    node: Node<'j>,
    key: &str,
    path: &dyn Fn() -> String,
) -> Result<Node<'j>, Invalid> {
    let field = node.get(key);
    field
        .filter(|field| field.as_object().is_some())
        .ok_or_else(|| wrong_field(&path(), key, field.is_some(), "an object"))
}

fn text_of<'j>(
    node: Node<'j>,
    key: &str,
    filled: bool,
    path: &dyn Fn() -> String,
) -> Result<JsStr<'j>, Invalid> {
    let field = node.get(key);
    let text = field
        .and_then(Node::as_js)
        .ok_or_else(|| wrong_field(&path(), key, field.is_some(), "a string"))?;
    if filled && text.is_empty() {
        return Err(wrong(&join(&path(), key), "it is empty"));
    }
    Ok(text)
}

fn array_of<'j>(
    node: Node<'j>,
    key: &str,
    path: &dyn Fn() -> String,
) -> Result<Elements<'j>, Invalid> {
    let field = node.get(key);
    field
        .and_then(Node::as_array)
        .ok_or_else(|| wrong_field(&path(), key, field.is_some(), "an array"))
}

fn wrong_field(path: &str, key: &str, present: bool, wanted: &str) -> Invalid {
    let path = join(path, key);
    if present {
        wrong(&path, &format!("it is not {wanted}"))
    } else {
        wrong(&path, "it is missing")
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

fn wrong(path: &str, problem: &str) -> Invalid {
    Invalid {
        path: path.to_owned(),
        problem: problem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use crate::warning::Warnings;

    const GOOD: &str = r#"{"version":"SubResult.v1","task_id":"t","status":"ok","answers":[{"question":"q","summary":"","claims":[{"claim":"c","confidence":0.5,"evidence":[{"source":"s","locator":{"type":"x"}}]}]}],"coverage":{"inputs_scanned":[]}}"#;

    fn first_problem(text: &str) -> Option<String> {
        let source = Source::parse(text.as_bytes()).unwrap();
        source.document(false).err().map(|invalid| invalid.path)
    }

    #[test]
    fn every_gating_field_is_named_when_it_is_wrong() {
        assert_eq!(first_problem(GOOD), None);
        let table = [
            ("\"SubResult.v1\"", "\"SubResult.v2\"", "version"),
            ("\"task_id\":\"t\",", "", "task_id"),
            ("\"task_id\":\"t\"", "\"task_id\":\"\"", "task_id"),
            ("\"ok\"", "\"fine\"", "status"),
            ("{\"inputs_scanned\":[]}", "[]", "coverage"),
            (
                "\"inputs_scanned\":[]",
                "\"inputs_scanned\":{}",
                "coverage.inputs_scanned",
            ),
            (
                "\"question\":\"q\"",
                "\"question\":\"\"",
                "answers[0].question",
            ),
            ("\"summary\":\"\"", "\"summary\":null", "answers[0].summary"),
            (
                "\"claim\":\"c\"",
                "\"claim\":\"\"",
                "answers[0].claims[0].claim",
            ),
            ("0.5", "\"0.5\"", "answers[0].claims[0].confidence"),
            (
                "[{\"source\":\"s\",\"locator\":{\"type\":\"x\"}}]",
                "[]",
                "answers[0].claims[0].evidence",
            ),
            (
                "\"source\":\"s\"",
                "\"source\":\"\"",
                "answers[0].claims[0].evidence[0].source",
            ),
            (
                "{\"type\":\"x\"}",
                "[]",
                "answers[0].claims[0].evidence[0].locator",
            ),
            (
                "{\"type\":\"x\"}",
                "{\"type\":1}",
                "answers[0].claims[0].evidence[0].locator.type",
            ),
        ];
        for (from, to, path) in table {
            assert!(GOOD.contains(from), "{from}");
            assert_eq!(
                first_problem(&GOOD.replace(from, to)).as_deref(),
                Some(path)
            );
        }
        assert_eq!(first_problem("[]").as_deref(), Some(""));
    }

    #[test]
    fn what_is_deeper_is_listed_as_a_warning() {
        let odd = GOOD.replace("0.5", "7,\"claim_id\":5,\"claim\":\"d\"");
        let source = Source::parse(odd.as_bytes()).unwrap();
        let mut warnings = Warnings::default();
        let document = source.document(false).unwrap();
        assert_eq!(document.claims[0].text(), "d");
        assert_eq!(
            document.claims[0].id().0.to_string(),
            "answers[0].claims[0]"
        );
        source.list_deviations(&mut warnings);
        let listed: Vec<_> = warnings
            .into_list()
            .into_iter()
            .map(|one| (one.code, one.path))
            .collect();
        for (code, path) in [
            ("duplicate_key", ""),
            ("schema_deviation", "answers[0].claims[0].claim_id"),
            ("schema_deviation", "answers[0].claims[0].confidence"),
            (
                "schema_deviation",
                "answers[0].claims[0].evidence[0].locator.type",
            ),
        ] {
            assert!(listed.contains(&(code, path.to_owned())), "{listed:?}");
        }
    }

    #[test]
    fn strict_schema_names_the_key_that_does_not_belong_or_is_missing() {
        let good = GOOD.replace(
            "{\"type\":\"x\"}",
            "{\"type\":\"stack_signature\",\"signature\":\"f\"},\"quote\":\"q\"",
        );
        let table = [
            (
                "\"status\":\"ok\"",
                "\"status\":\"ok\",\"extra\":1",
                "extra",
            ),
            (
                "\"summary\":\"\"",
                "\"summary\":\"\",\"extra\":1",
                "answers[0].extra",
            ),
            ("0.5", "0.5,\"extra\":1", "answers[0].claims[0].extra"),
            (
                "\"inputs_scanned\":[]",
                "\"inputs_scanned\":[],\"extra\":1",
                "coverage.extra",
            ),
            (
                "\"inputs_scanned\":[]",
                "\"inputs_scanned\":[{\"source\":\"s\",\"method\":\"m\"}]",
                "coverage.inputs_scanned[0].scope",
            ),
        ];
        for (from, to, path) in table {
            assert!(good.contains(from), "{from}");
            let text = good.replace(from, to);
            let source = Source::parse(text.as_bytes()).unwrap();
            let invalid = source.document(true).unwrap_err();
            assert_eq!(invalid.path, path, "{invalid:?}");
        }
    }

    #[test]
    fn strict_schema_refuses_every_violation() {
        let source = Source::parse(GOOD.as_bytes()).unwrap();
        let invalid = source.document(true).unwrap_err();
        assert!(
            invalid.path.starts_with("answers[0].claims[0].evidence[0]"),
            "{invalid:?}"
        );
    }
}
