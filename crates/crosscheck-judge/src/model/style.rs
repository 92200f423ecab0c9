//! How a model is asked: by our own protocol, or as grounded-checking models
//! are, which see a document and a claim and say yes or no.

/// How questions are put and answers read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Style {
    /// The question is a JSON object, and so is the answer.
    #[default]
    Json,
    /// The question is text, the answer yes or no.
    YesNo {
        /// Text with `{document}` and `{claim}`.
        template: String,
        /// The system message, if the model needs one.
        system: Option<String>,
    },
}

/// A template without the places for document and claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the template of a yes-no judge needs `{{document}}` and `{{claim}}` once each")]
pub struct BadTemplate;

const DOCUMENT: &str = "{document}";
const CLAIM: &str = "{claim}";

impl Style {
    /// The form that the models of `MiniCheck` are trained on.
    pub const MINICHECK: &'static str = "Document: {document}\nClaim: {claim}";

    /// Yes or no to a text with document and claim.
    pub fn yes_no(template: Option<String>, system: Option<String>) -> Result<Self, BadTemplate> {
        let template = template.unwrap_or_else(|| Self::MINICHECK.to_owned());
        let once = |mark: &str| template.matches(mark).count() == 1;
        if once(DOCUMENT) && once(CLAIM) {
            Ok(Self::YesNo { template, system })
        } else {
            Err(BadTemplate)
        }
    }
}

/// The template with document and claim filled in; neither is expanded again.
pub(super) fn filled(template: &str, document: &str, claim: &str) -> String {
    let in_part = |part: &str| part.replace(CLAIM, claim);
    match template.split_once(DOCUMENT) {
        Some((head, tail)) => format!("{}{document}{}", in_part(head), in_part(tail)),
        None => in_part(template),
    }
}

/// Yes or no, whatever follows it.
pub(super) fn yes_or_no(text: &str) -> Option<bool> {
    let word = text.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let len = word.find(|c: char| !c.is_ascii_alphanumeric());
    let word = word.get(..len.unwrap_or(word.len())).unwrap_or_default();
    match word.to_ascii_lowercase().as_str() {
        "yes" | "true" | "supported" | "1" => Some(true),
        "no" | "not" | "false" | "unsupported" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_says_where_document_and_claim_go() {
        let custom = Some("Premise: {document}\n\nHypothesis: {claim}".to_owned());
        assert!(Style::yes_no(custom, None).is_ok());
        assert_eq!(
            Style::yes_no(None, None).unwrap(),
            Style::YesNo {
                template: Style::MINICHECK.to_owned(),
                system: None
            }
        );
        for bad in ["{claim}", "{document}", "{claim} {claim} {document}"] {
            assert_eq!(Style::yes_no(Some(bad.to_owned()), None), Err(BadTemplate));
        }
    }

    #[test]
    fn neither_document_nor_claim_is_expanded_again() {
        let text = filled(Style::MINICHECK, "a {claim} b", "c {document} d");
        assert_eq!(text, "Document: a {claim} b\nClaim: c {document} d");
        let turned = filled("{claim} / {document}", "x {claim}", "y {document}");
        assert_eq!(turned, "y {document} / x {claim}");
    }

    #[test]
    fn an_answer_begins_with_yes_or_no() {
        for (text, expected) in [
            ("Yes", Some(true)),
            (" **yes**, it is", Some(true)),
            ("No.", Some(false)),
            ("not supported", Some(false)),
            ("1", Some(true)),
            ("maybe", None),
            ("", None),
        ] {
            assert_eq!(yes_or_no(text), expected, "{text}");
        }
    }
}
