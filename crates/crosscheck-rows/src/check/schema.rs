//! Documents of others against their schemas. The schemas are part of the
//! program; nothing is ever fetched.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Registry, ValidationError};
use serde_json::Value;

/// A schema that documents are checked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schema {
    ToolsRegistry,
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
pub(crate) struct Violation {
    pub(crate) path: String,
    pub(crate) keyword: String,
    pub(crate) message: String,
}

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
        match self.check(document) {
            Ok(mut found) => {
                found.sort();
                found
            }
            Err(message) => vec![Violation {
                path: "/".to_owned(),
                keyword: "schema".to_owned(),
                message,
            }],
        }
    }

    /// Whether the document fits.
    pub(crate) fn fits(self, document: &Value) -> bool {
        self.violations(document).is_empty()
    }

    fn check(self, document: &Value) -> Result<Vec<Violation>, String> {
        let own: Value = serde_json::from_str(self.text()).map_err(|error| error.to_string())?;
        let mut registry = Registry::new();
        if self == Self::Certificate {
            for (id, text) in SHARED {
                let shared: Value =
                    serde_json::from_str(text).map_err(|error| error.to_string())?;
                registry = registry
                    .add(id, shared)
                    .map_err(|error| error.to_string())?;
            }
        }
        let registry = registry.prepare().map_err(|error| error.to_string())?;
        let validator = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .offline()
            .with_registry(&registry)
            .build(&own)
            .map_err(|error| error.to_string())?;
        let mut found = Vec::new();
        for error in validator.iter_errors(document) {
            collect(&error, &mut found);
        }
        Ok(found)
    }
}

/// A choice that nothing fits is reported with what each alternative missed.
fn collect(error: &ValidationError<'_>, found: &mut Vec<Violation>) {
    let mut note = |message: String| {
        let path = error.instance_path().as_str();
        found.push(Violation {
            path: if path.is_empty() { "/" } else { path }.to_owned(),
            keyword: error.kind().keyword().to_owned(),
            message,
        });
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            for name in unexpected {
                note(format!("there is no property `{name}` here"));
            }
        }
        ValidationErrorKind::OneOfNotValid { context } | ValidationErrorKind::AnyOf { context } => {
            note("fits none of the possible forms".to_owned());
            for inner in context.iter().flatten() {
                collect(inner, found);
            }
        }
        _ => note(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    fn every_schema_can_be_built() {
        for schema in [
            Schema::ToolsRegistry,
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
}
