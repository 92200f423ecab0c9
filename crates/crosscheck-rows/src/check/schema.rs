//! Documents of others against their schemas. The schemas are part of the
//! program; nothing is ever fetched.

use std::fmt::Write as _;

use boon::{Compiler, Draft, ErrorKind, SchemaIndex, Schemas, ValidationError};
use crosscheck_core::json::{self, Json, Node};
use serde_json::{Value, json};

/// A schema that documents are checked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schema {
    ToolsRegistry,
    Event,
    CoverageBudget,
    Certificate,
    Attestation,
    NextAction,
    ManifestV1,
    ManifestV2,
    MaterialTruth,
    RunRecordV2,
    Signature,
}

/// One violation: where in the document, and which rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    pub(crate) path: String,
    pub(crate) keyword: String,
    pub(crate) message: String,
    /// It belongs to an alternative that was hardly meant.
    pub(crate) is_aside: bool,
}

/// The deepest nesting of a document that is looked at.
const DEPTH_MAX: usize = 128;
/// Where the schema is that a document is checked against.
const OWN: &str = "https://crosscheck.invalid/schema.json";
/// Members that say which of several forms is meant.
const KINDS: [&str; 3] = ["/kind", "/checkKind", "/type"];

macro_rules! schema {
    ($name:literal) => {
        include_str!(concat!("../../../../schemas/rows/", $name, ".json"))
    };
}

const SHARED: [(&str, &str); 4] = [
    (
        "https://agentskeptic.com/schemas/evidence-completeness-v1.schema.json",
        schema!("evidence-completeness-v1"),
    ),
    (
        "https://agentskeptic.com/schemas/failure-spine-v1.schema.json",
        schema!("failure-spine-v1"),
    ),
    (
        "https://agentskeptic.com/schemas/workflow-truth-report.schema.json",
        schema!("workflow-truth-report"),
    ),
    (
        "https://agentskeptic.com/schemas/workflow-engine-result.schema.json",
        schema!("workflow-engine-result"),
    ),
];

impl Schema {
    const fn text(self) -> &'static str {
        match self {
            Self::ToolsRegistry => schema!("tools-registry"),
            Self::Event => schema!("event"),
            Self::CoverageBudget => schema!("coverage-budget-v1"),
            Self::Certificate => schema!("outcome-certificate-v3"),
            Self::Attestation => schema!("decision-evidence-attestation-v1"),
            Self::NextAction => schema!("decision-evidence-next-action-v1"),
            Self::ManifestV1 => schema!("decision-evidence-bundle-manifest-v1"),
            Self::ManifestV2 => schema!("decision-evidence-bundle-manifest-v2"),
            Self::MaterialTruth => schema!("material-truth-v2"),
            Self::RunRecordV2 => schema!("agent-run-record-v2"),
            Self::Signature => schema!("workflow-result-signature"),
        }
    }

    /// Every violation, sorted by place and rule; none when the document fits.
    pub(crate) fn violations(self, document: &Value) -> Vec<Violation> {
        violations(&self.compile(), document)
    }

    /// Every violation of a document that may hold half surrogate pairs and
    /// numbers too large for a double.
    pub(crate) fn violations_of(self, document: Node<'_>) -> Vec<Violation> {
        violations_in(&self.compile(), document).0
    }

    /// Whether the document fits.
    pub(crate) fn fits(self, document: &Value) -> bool {
        self.violations(document).is_empty()
    }

    /// The schemas that this one refers to, with their addresses.
    fn shared(self) -> &'static [(&'static str, &'static str)] {
        if self == Self::Certificate {
            &SHARED
        } else {
            &[]
        }
    }

    /// The schema as one document, with those it refers to inside.
    pub(crate) fn whole(self) -> schemars::Schema {
        let read = |text: &str| serde_json::from_str::<schemars::Schema>(text).unwrap_or_default();
        let mut whole = read(self.text());
        for (place, text) in self.shared() {
            let parts = whole.ensure_object().entry("$defs").or_insert(json!({}));
            if let Value::Object(parts) = parts {
                parts.insert((*place).to_owned(), read(text).to_value());
            }
        }
        whole
    }

    /// The schema with all it refers to.
    pub(crate) fn compile(self) -> Compiled {
        let mut compiler = Compiler::new();
        compiler.set_default_draft(Draft::V2020_12);
        compiler.enable_format_assertions();
        for (place, text) in self.shared().iter().chain(&[(OWN, self.text())]) {
            let schema = serde_json::from_str(text).map_err(|error| error.to_string())?;
            compiler
                .add_resource(place, schema)
                .map_err(|error| error.to_string())?;
        }
        let mut schemas = Schemas::new();
        let own = compiler
            .compile(OWN, &mut schemas)
            .map_err(|error| error.to_string())?;
        Ok((schemas, own))
    }
}

/// A schema that can be used, or why it cannot.
pub(crate) type Compiled = Result<(Schemas, SchemaIndex), String>;

fn violations(schema: &Compiled, document: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    match schema {
        Ok((schemas, own)) => {
            if let Err(error) = schemas.validate(document, *own) {
                Collector {
                    document,
                    found: &mut found,
                }
                .collect(&error, false);
            }
        }
        Err(message) => found.push(Violation {
            path: "/".to_owned(),
            keyword: "schema".to_owned(),
            message: message.clone(),
            is_aside: false,
        }),
    }
    found.sort();
    found
}

/// Every violation of a document that may hold half surrogate pairs and numbers
/// too large for a double, and the document as others take it.
pub(crate) fn violations_in(schema: &Compiled, document: Node<'_>) -> (Vec<Violation>, Value) {
    let mut found = Vec::new();
    let plain = plain(document, &mut String::new(), DEPTH_MAX, &mut found);
    found.extend(violations(schema, &plain));
    found.sort();
    (found, plain)
}

/// A document as its text says it, and as others take it: with U+FFFD for
/// every half of a surrogate pair. Certificates hold such halves, of what an
/// agent wrote and where a text was cut.
pub(crate) fn document(bytes: &[u8]) -> Result<(Json, Value), String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let json = Json::parse(text).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    let value = plain(json.root(), &mut String::new(), DEPTH_MAX, &mut found);
    match found.first() {
        Some(first) => Err(format!("at {}: {}", first.path, first.message)),
        None => Ok((json, value)),
    }
}

/// The document as the schema library takes it; what it cannot take is found
/// here. The form of a document does not depend on half surrogate pairs.
fn plain(node: Node<'_>, path: &mut String, depth: usize, found: &mut Vec<Violation>) -> Value {
    let mut refuse = |message: &str, path: &str| {
        found.push(Violation {
            path: if path.is_empty() { "/" } else { path }.to_owned(),
            keyword: "type".to_owned(),
            message: message.to_owned(),
            is_aside: false,
        });
        Value::Null
    };
    let before = path.len();
    match node.value() {
        json::Value::Null => Value::Null,
        json::Value::Bool(truth) => Value::Bool(truth),
        json::Value::Number(digits) => match digits.text().parse() {
            Ok(number) => Value::Number(number),
            Err(_) => refuse("the number is too large for a double", path),
        },
        json::Value::String(text) => Value::String(text.to_str_lossy().into_owned()),
        _ if depth == 0 => refuse("nested too deeply", path),
        json::Value::Array(elements) => elements
            .enumerate()
            .map(|(at, element)| {
                let _ = write!(path, "/{at}");
                let value = plain(element, path, depth - 1, found);
                path.truncate(before);
                value
            })
            .collect(),
        json::Value::Object(members) => members
            .map(|(key, member)| {
                let key = key.to_str_lossy().into_owned();
                let _ = write!(path, "/{}", key.replace('~', "~0").replace('/', "~1"));
                let value = plain(member, path, depth - 1, found);
                path.truncate(before);
                (key, value)
            })
            .collect(),
    }
}

/// Turns what the library found into violations.
struct Collector<'c> {
    document: &'c Value,
    found: &'c mut Vec<Violation>,
}

impl Collector<'_> {
    /// A choice that nothing fits is reported with what each alternative missed.
    fn collect(&mut self, error: &ValidationError<'_, '_>, is_aside: bool) {
        let path = error.instance_location.to_string();
        let at = self.document.pointer(&path).unwrap_or(&Value::Null);
        let mut note = |message: String| {
            self.found.push(Violation {
                path: if path.is_empty() { "/" } else { &path }.to_owned(),
                keyword: keyword(&error.kind).to_owned(),
                message,
                is_aside,
            });
        };
        match &error.kind {
            ErrorKind::AdditionalProperties { got } => {
                let is_both = ["const", "pointer"].map(|name| at.get(name).is_some()) == [true; 2];
                for name in got {
                    note(if is_both && matches!(&**name, "const" | "pointer") {
                        "`const` and `pointer` exclude each other".to_owned()
                    } else {
                        format!("there is no property `{name}` here")
                    });
                }
            }
            ErrorKind::Required { want } => {
                for name in want {
                    note(format!("the property `{name}` is missing"));
                }
            }
            ErrorKind::OneOf(None) | ErrorKind::AnyOf => {
                note("fits none of the possible forms".to_owned());
                let least = error.causes.iter().map(|form| distance(&path, form)).min();
                for form in &error.causes {
                    let is_aside = is_aside || Some(distance(&path, form)) != least;
                    self.collect(form, is_aside);
                }
            }
            ErrorKind::Const { want } if names_kind(&path) => {
                note(if is_known_kind(&path, at) {
                    format!("this form is the one of {want}")
                } else {
                    unknown_kind(&path, at)
                });
            }
            kind if error.causes.is_empty() => note(kind.to_string()),
            _ => {
                for cause in &error.causes {
                    self.collect(cause, is_aside);
                }
            }
        }
    }
}

/// The rule of the schema that a value breaks.
fn keyword(kind: &ErrorKind<'_, '_>) -> &'static str {
    match kind {
        ErrorKind::AdditionalProperties { .. } => "additionalProperties",
        kind => kind.keyword_path().map_or("false", |path| path.keyword),
    }
}

/// The kinds that may be at a place.
fn known_kinds(path: &str) -> &'static [&'static str] {
    if path.ends_with("/checkKind") {
        &["related_exists", "aggregate", "join_count", "anti_join"]
    } else if path.ends_with("/type") {
        &[
            "tool_observed",
            "model_turn",
            "retrieval",
            "control",
            "tool_skipped",
        ]
    } else {
        &[
            "sql_row",
            "sql_row_absent",
            "sql_effects",
            "sql_relational",
            "http_witness",
            "object_storage_object",
            "vector_document",
            "mongo_document",
        ]
    }
}

fn is_known_kind(path: &str, found: &Value) -> bool {
    found
        .as_str()
        .is_some_and(|kind| known_kinds(path).contains(&kind))
}

/// What to say about an unknown kind.
fn unknown_kind(path: &str, found: &Value) -> String {
    let known = known_kinds(path);
    let word = found.as_str().unwrap_or_default();
    let nearest = known
        .iter()
        .min_by_key(|kind| strsim::damerau_levenshtein(word, kind))
        .filter(|kind| strsim::damerau_levenshtein(word, kind) <= kind.len() / 2);
    let meant = nearest.map_or_else(String::new, |kind| format!(" Did you mean `{kind}`?"));
    format!(
        "there is no kind {found}.{meant} Known are {}",
        known.join(", ")
    )
}

fn names_kind(path: &str) -> bool {
    KINDS.iter().any(|kind| path.ends_with(kind))
}

/// How little a document at a place looks like one of several forms.
fn distance(place: &str, error: &ValidationError<'_, '_>) -> usize {
    let path = error.instance_location.to_string();
    match &error.kind {
        ErrorKind::Const { .. } if names_kind(&path) => 100,
        _ if path != place => 0,
        ErrorKind::AdditionalProperties { got } => got.len(),
        ErrorKind::Required { want } => want.len(),
        ErrorKind::Group | ErrorKind::Reference { .. } | ErrorKind::AllOf => error
            .causes
            .iter()
            .map(|cause| distance(place, cause))
            .sum(),
        _ => 1,
    }
}

/// The violations that people need: those of the form that was meant, each
/// once. Below an unknown kind no form is meant, so that what the
/// known ones miss there says nothing.
pub(crate) fn meant(violations: &[Violation]) -> Vec<&Violation> {
    let is_choice = |one: &Violation| matches!(one.keyword.as_str(), "oneOf" | "anyOf");
    let meant = || {
        violations
            .iter()
            .filter(|one| !one.is_aside && !is_choice(one))
    };
    let unknown: Vec<&str> = meant()
        .filter(|one| one.keyword == "const" && names_kind(&one.path))
        .filter_map(|one| Some(one.path.rsplit_once('/')?.0))
        .collect();
    let mut kept: Vec<&Violation> = Vec::new();
    for one in meant() {
        let is_kind = one.keyword == "const" && names_kind(&one.path);
        let is_noise = unknown.contains(&one.path.as_str());
        let is_stated = kept
            .iter()
            .any(|shown| shown.path == one.path && shown.message == one.message);
        if (is_kind || !is_noise) && !is_stated {
            kept.push(one);
        }
    }
    kept
}

/// The violation that tells most: an unknown kind, else the first of a form
/// that was meant; and how many there are of these.
pub(crate) fn telling(violations: &[Violation]) -> Option<(&Violation, usize)> {
    let meant = meant(violations);
    let kind = meant
        .iter()
        .find(|one| one.keyword == "const" && names_kind(&one.path));
    let first = kind.or(meant.first()).copied().or(violations.first())?;
    Some((first, meant.len().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missing_property_is_one_violation() {
        let found = Schema::ToolsRegistry.violations(&json!([{"toolId": "x"}]));
        let short: Vec<_> = found
            .iter()
            .map(|one| (one.path.as_str(), one.keyword.as_str()))
            .collect();
        assert_eq!(short, [("/0", "required"), ("/0", "required")]);
    }

    #[test]
    fn no_violation_says_that_a_known_kind_is_unknown() {
        let entry = json!([{"toolId": "t", "effectDescriptionTemplate": "", "verification":
            {"kind": "sql_row", "table": {"const": "t", "pointer": "/t"}, "identityEqs": []}}]);
        let found = Schema::ToolsRegistry.violations(&entry);
        assert!(!found.is_empty());
        assert!(found.iter().all(|one| !one.message.contains("no kind")));
        let shown: Vec<&str> = meant(&found)
            .iter()
            .filter(|one| one.path.ends_with("/table"))
            .map(|one| one.message.as_str())
            .collect();
        assert_eq!(shown, ["`const` and `pointer` exclude each other"]);
    }

    #[test]
    fn every_schema_can_be_built() {
        for schema in [
            Schema::ToolsRegistry,
            Schema::Event,
            Schema::CoverageBudget,
            Schema::Certificate,
            Schema::Attestation,
            Schema::NextAction,
            Schema::ManifestV1,
            Schema::ManifestV2,
            Schema::MaterialTruth,
            Schema::RunRecordV2,
            Schema::Signature,
        ] {
            let found = schema.violations(&json!(7));
            assert!(
                found.iter().all(|one| one.keyword != "schema"),
                "{schema:?}: {found:?}"
            );
        }
    }

    fn shown(registry: &Value) -> (String, String, usize) {
        let text = registry.to_string();
        let json = Json::parse(&text).unwrap();
        let found = Schema::ToolsRegistry.violations_of(json.root());
        let (first, count) = telling(&found).unwrap();
        (first.path.clone(), first.message.clone(), count)
    }

    #[test]
    fn the_form_that_was_meant_is_reported() {
        let entry = |verification: Value| json!([{"toolId": "x", "effectDescriptionTemplate": "", "verification": verification}]);
        let pair = json!([{"column": {"const": "id"}, "value": {"pointer": "/id"}}]);
        let row = json!({"kind": "sql_row", "table": {"const": "t"}, "identityEq": pair, "requiredFields": {"pointer": "f"}});
        let (path, _, count) = shown(&entry(row.clone()));
        assert_eq!(path, "/0/verification/requiredFields/pointer");
        assert_eq!(count, 1);

        let mut unknown = row.clone();
        unknown["kind"] = json!("sql_rows");
        let (path, message, _) = shown(&entry(unknown));
        assert_eq!(path, "/0/verification/kind");
        assert!(
            message.starts_with(
                "there is no kind \"sql_rows\". Did you mean `sql_row`? Known are sql_row, sql_row_absent, "
            ),
            "{message}"
        );

        let mut table = row;
        table["table"] = json!({"pointer": "t"});
        table["requiredFields"] = json!({"pointer": "/f"});
        assert_eq!(shown(&entry(table)).0, "/0/verification/table/pointer");

        let check = json!({"checkKind": "related_exists", "id": "a", "childTable": {"const": ""}, "matchEq": pair});
        let relational = json!({"kind": "sql_relational", "checks": [check]});
        assert_eq!(
            shown(&entry(relational)).0,
            "/0/verification/checks/0/childTable/const"
        );
    }

    #[test]
    fn what_the_library_cannot_take_is_named_with_its_place() {
        let deep = format!("[{}{}]", "[".repeat(400), "]".repeat(400));
        for (text, path, message) in [
            (
                r#"[{"toolId": 1e400}]"#,
                "/0/toolId",
                "the number is too large for a double",
            ),
            (&deep, "/0", "nested too deeply"),
        ] {
            let json = Json::parse(text).unwrap();
            let found = Schema::ToolsRegistry.violations_of(json.root());
            assert!(
                found
                    .iter()
                    .any(|one| one.path.starts_with(path) && one.message == message),
                "{found:?}"
            );
        }
    }
}
