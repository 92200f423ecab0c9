//! An OpenAI-compatible endpoint as a model.
//!
//! The address comes from the user's configuration, never from checked text.
//! The key is sent in one header and never shown.

mod transport;

use std::fmt;
use std::thread;
use std::time::Duration;

use crosscheck_core::redact::SecretUrl;
use serde_json::{Value, json};

use super::NoAnswer;
use super::model::{Ask, Model};
use transport::{Reply, Transport};

/// A server may ask for a longer pause; this is the longest.
const RETRY_AFTER_MAX: u64 = 30;

/// A model behind `POST <base>/chat/completions`.
pub struct HttpModel {
    transport: Transport,
    model: String,
    structured: bool,
    id: String,
}

impl fmt::Debug for HttpModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpModel")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl HttpModel {
    /// A model at this base URL.
    pub fn new(
        base: &str,
        model: String,
        key: Option<String>,
        structured: bool,
        timeout: Duration,
    ) -> Self {
        let base = base.trim_end_matches('/');
        let url = format!("{base}/chat/completions");
        Self {
            transport: Transport::new(url, key, timeout),
            id: format!("http:{} {model}", SecretUrl::new(base)),
            model,
            structured,
        }
    }

    fn body(&self, ask: &Ask) -> String {
        let message = |role: &str, content: &str| json!({"role": role, "content": content});
        let system = ask.system().map(|system| message("system", system));
        let messages: Vec<Value> = system
            .into_iter()
            .chain([message("user", &ask.user())])
            .collect();
        let mut body = json!({"model": self.model, "temperature": 0, "messages": messages});
        if let Some(object) = body.as_object_mut().filter(|_| self.structured) {
            object.insert("response_format".to_owned(), response_format());
        }
        body.to_string()
    }
}

/// The models that an endpoint offers, by `GET <base>/models`.
pub fn models(base: &str, timeout: Duration) -> Result<Vec<String>, NoAnswer> {
    let url = format!("{}/models", base.trim_end_matches('/'));
    let Reply { status, text, .. } = Transport::new(url, None, timeout).get()?;
    let answer: Value = serde_json::from_str(&text).unwrap_or_default();
    let list = answer.get("data").and_then(Value::as_array);
    let Some(list) = list.filter(|_| status == 200) else {
        return Err(NoAnswer::new(format!("no list of models, status {status}")));
    };
    let names = list.iter().filter_map(|one| one.get("id")?.as_str());
    Ok(names.map(str::to_owned).collect())
}

fn response_format() -> Value {
    json!({"type": "json_schema", "json_schema": {"name": "verdict", "strict": true, "schema": {
        "type": "object",
        "additionalProperties": false,
        "required": ["verdict", "span", "reason"],
        "properties": {
            "verdict": {"enum": ["supports", "contradicts", "unclear"]},
            "span": {"type": ["string", "null"]},
            "reason": {"type": "string"},
        },
    }}})
}

impl Model for HttpModel {
    fn id(&self) -> &str {
        &self.id
    }

    /// The only retry happens here, after the pause that the server asks for.
    fn attempts(&self) -> u32 {
        1
    }

    fn ask(&self, ask: &Ask) -> Result<String, NoAnswer> {
        let body = self.body(ask);
        let mut reply = self.transport.post(&body)?;
        if reply.status == 429 || reply.status >= 500 {
            thread::sleep(Duration::from_secs(reply.retry_after.min(RETRY_AFTER_MAX)));
            reply = self.transport.post(&body)?;
        }
        let Reply { status, text, .. } = reply;
        if status != 200 {
            return Err(NoAnswer::new(format!(
                "the judge answered with status {status}"
            )));
        }
        let answer: Value = serde_json::from_str(&text)
            .map_err(|_| NoAnswer::new("the judge's answer is not JSON".to_owned()))?;
        answer
            .pointer("/choices/0/message/content")
            .and_then(Value::as_str)
            .map(str::to_owned)
            .ok_or_else(|| NoAnswer::new("the judge's answer has no message".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crosscheck_testkit::{Asked, Reply as Page, Site};

    use super::*;
    use crate::model::Style;
    use crate::{Judge, ModelJudge, Opinion, Question, Text, Use};

    const TEXT: &str = "The old mill grinds corn for the whole valley. It was built by monks.";

    /// An endpoint that gives these answers one after the other, then repeats the last
    /// one.
    fn endpoint<const N: usize>(answers: [&'static str; N]) -> Site {
        let next = AtomicUsize::new(0);
        Site::start(move |_: &Asked| {
            let at = next.fetch_add(1, Ordering::Relaxed).min(answers.len() - 1);
            match answers[at] {
                "busy" => Page::new(429).header("retry-after", "0"),
                said => {
                    let body =
                        json!({"choices": [{"message": {"role": "assistant", "content": said}}]});
                    Page::new(200)
                        .header("content-type", "application/json")
                        .body(body.to_string())
                }
            }
        })
    }

    fn model(site: &Site, structured: bool) -> HttpModel {
        let key = Some("sk-very-secret".to_owned());
        let base = format!("{}/v1/", site.base());
        HttpModel::new(
            &base,
            "m1".to_owned(),
            key,
            structured,
            Duration::from_secs(5),
        )
    }

    fn judged(site: &Site, plan: Use, claim: &str) -> Result<crate::Answer, NoAnswer> {
        ModelJudge::new(model(site, false), plan).judge(&Question::new(claim, &Text::new(TEXT)))
    }

    fn yes_no() -> Use {
        Use {
            style: Style::yes_no(None, None).unwrap(),
            ..Use::default()
        }
    }

    #[test]
    fn a_busy_endpoint_is_asked_once_more() {
        let site = endpoint(["busy", "the answer, as text"]);
        let text = Text::new(TEXT);
        let ask = Ask::of(&Question::new("the claim", &text), &Style::Json);
        assert_eq!(model(&site, true).ask(&ask).unwrap(), "the answer, as text");
        let asked = site.asked();
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[0].target, "/v1/chat/completions");
        assert_eq!(
            asked[0].header("authorization"),
            Some("Bearer sk-very-secret")
        );
        let body: Value = serde_json::from_slice(&asked[0].body).unwrap();
        assert_eq!(
            (&body["model"], &body["temperature"]),
            (&json!("m1"), &json!(0))
        );
        assert_eq!(body["response_format"]["type"], "json_schema");
        assert_eq!(body["messages"][0]["role"], "system");
    }

    #[test]
    fn an_endpoint_names_its_models() {
        let site = Site::start(|asked: &Asked| {
            let body = r#"{"data":[{"id":"small:1b"},{"id":"large"}]}"#;
            let status = if asked.target == "/v1/models" {
                200
            } else {
                404
            };
            Page::new(status).body(body)
        });
        let second = Duration::from_secs(5);
        let found = models(&format!("{}/v1/", site.base()), second).unwrap();
        assert_eq!(found, ["small:1b", "large"]);
        assert!(models(&format!("{}/v2", site.base()), second).is_err());
    }

    #[test]
    fn a_second_refusal_is_an_error_and_the_key_is_never_shown() {
        let site = endpoint(["busy"]);
        let model = model(&site, false);
        let text = Text::new(TEXT);
        let error = model
            .ask(&Ask::of(&Question::new("c", &text), &Style::Json))
            .unwrap_err();
        assert!(error.why.contains("429"), "{error}");
        let shown = format!("{model:?} {} {error}", model.id());
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn a_grounded_checker_sees_document_and_claim_and_says_yes_or_no() {
        let site = endpoint(["Yes"]);
        let answer = judged(&site, yes_no(), "Corn is ground in the mill").unwrap();
        assert_eq!(answer.verdict, Opinion::Supports, "{answer:?}");
        assert_eq!(answer.span.as_deref(), Some(TEXT));
        let body: Value = serde_json::from_slice(&site.asked()[0].body).unwrap();
        let expected = format!("Document: {TEXT}\nClaim: Corn is ground in the mill");
        assert_eq!(
            body["messages"],
            json!([{"role": "user", "content": expected}])
        );

        let site = endpoint(["No"]);
        let answer = judged(&site, yes_no(), "Corn is ground in the mill").unwrap();
        assert_eq!(
            (answer.verdict, answer.has("not_grounded")),
            (Opinion::Unclear, true)
        );

        let site = endpoint(["I cannot tell"]);
        assert!(judged(&site, yes_no(), "Corn is ground in the mill").is_err());
    }

    #[test]
    fn a_yes_does_not_confirm_a_missing_figure() {
        let site = endpoint(["Yes"]);
        let answer = judged(&site, yes_no(), "The mill grinds 7 tons of corn").unwrap();
        assert_eq!(
            (answer.verdict, answer.has("quantity_missing")),
            (Opinion::Unclear, true)
        );
    }

    #[test]
    fn a_contradiction_counts_only_with_words_of_the_text() {
        let made_up = r#"{"verdict":"contradicts","span":"the mill burned down","reason":"r"}"#;
        let site = endpoint([made_up]);
        let answer = judged(&site, Use::default(), "The mill is idle").unwrap();
        assert_eq!(
            (answer.verdict, answer.has("span_not_found")),
            (Opinion::Unclear, true)
        );

        let quoted = r#"{"verdict":"contradicts","span":"mill  grinds corn","reason":"r"}"#;
        let site = endpoint([quoted]);
        let answer = judged(&site, Use::default(), "The mill is idle").unwrap();
        assert_eq!(answer.verdict, Opinion::Contradicts);
        assert_eq!(answer.span.as_deref(), Some("mill grinds corn"));
    }
}
