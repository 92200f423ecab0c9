//! Reads the SubResult.v1 and the settings into checked types.

mod gate;
mod schema;
mod settings;
mod yaml;

use crosscheck_core::digest::Digest;
use crosscheck_core::json::{ParseError, Rules};
use crosscheck_core::{Json, canonical};

pub use gate::{Claim, ClaimId, ClaimsDocument, Evidence};
pub use settings::Settings;

pub(crate) use settings::read_settings;

use crate::warning::Warnings;

/// The largest document.
pub const MAX_DOCUMENT_BYTES: u64 = 64 * 1024 * 1024;

/// Strict JSON of RFC 8259 with at most 128 levels (claims 2).
const RULES: Rules = Rules {
    max_depth: Some(128),
    lone_surrogates: true,
    repeated_keys: false,
    infinite_numbers: true,
};

/// Why a document is not a SubResult.v1: where, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// For example `answers[0].claims[2].evidence`; empty for the whole document.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}

/// A parsed document; the gate borrows from it.
pub struct Source {
    json: Json,
    /// Where a key is repeated; then its last value counts.
    repeated: Option<String>,
}

impl Source {
    /// Parses the bytes of a document.
    pub fn parse(bytes: &[u8]) -> Result<Self, Invalid> {
        let broken = |problem: String| Invalid {
            path: String::new(),
            problem,
        };
        let text = std::str::from_utf8(bytes)
            .map_err(|error| broken(format!("it is not UTF-8 ({error})")))?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let repeated = match Json::parse_with(text, &RULES) {
            Ok(json) => {
                return Ok(Self {
                    json,
                    repeated: None,
                });
            }
            Err(error @ ParseError::RepeatedKey { .. }) => Some(error.to_string()),
            Err(_) => None,
        };
        let lenient = Rules {
            repeated_keys: true,
            ..RULES
        };
        let json = Json::parse_with(text, &lenient).map_err(|error| {
            let fenced = text.trim_start().starts_with("```");
            broken(if fenced {
                "it is JSON inside a Markdown fence; remove the fence".to_owned()
            } else {
                format!("it is not JSON: {error}")
            })
        })?;
        Ok(Self { json, repeated })
    }

    /// A hash of what the document says; blanks and the order of keys do not change it.
    pub(crate) fn seed(&self) -> String {
        Digest::of(canonical::of_node(self.json.root())).hex()
    }

    /// The document, if it is a SubResult.v1; with `strict`, in every detail.
    pub fn document(&self, strict: bool) -> Result<ClaimsDocument<'_>, Invalid> {
        let root = self.json.root();
        let document = gate::document(root)?;
        let first = strict.then(|| schema::deviations(root).into_iter().next());
        first.flatten().map_or(Ok(document), Err)
    }

    /// Warns of everything that deviates from the schema.
    pub(crate) fn list_deviations(&self, warnings: &mut Warnings) {
        if let Some(what) = &self.repeated {
            warnings.add("", "duplicate_key", what.as_str());
        }
        for deviation in schema::deviations(self.json.root()) {
            warnings.add(deviation.path, "schema_deviation", deviation.problem);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_json_in_utf8_is_read() {
        let table: &[(&[u8], &str)] = &[
            (b"\xff{}", "it is not UTF-8"),
            (b"{", "it is not JSON"),
            (b"{} x", "it is not JSON"),
            (b"{\"a\":NaN}", "it is not JSON"),
            (b"// c\n{}", "it is not JSON"),
            (b"```json\n{}\n```", "it is JSON inside a Markdown fence"),
        ];
        for (bytes, problem) in table {
            let invalid = Source::parse(bytes).err().unwrap();
            assert!(invalid.problem.starts_with(problem), "{invalid:?}");
        }
        assert!(Source::parse("\u{FEFF}{}".as_bytes()).is_ok());
        let deep = format!("{}{}", "[".repeat(129), "]".repeat(129));
        assert!(Source::parse(deep.as_bytes()).is_err());
    }
}
