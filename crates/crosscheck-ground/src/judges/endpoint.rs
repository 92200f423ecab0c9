//! An OpenAI-compatible endpoint as a model.
//!
//! The address comes from the user's configuration, never from checked text.
//! The key travels in one header and is shown nowhere.

use std::fmt;
use std::thread;
use std::time::Duration;

use crosscheck_core::judge::NoAnswer;
use serde_json::json;

use super::model::{Ask, Model};

/// A server may ask for a longer pause; nobody waits longer than this.
const RETRY_AFTER_MAX: u64 = 30;
/// The longest answer.
const BODY_MAX: u64 = 1024 * 1024;

/// A model behind `POST <base>/chat/completions`.
pub struct HttpModel {
    agent: ureq::Agent,
    url: String,
    model: String,
    key: Option<String>,
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
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .build()
            .into();
        Self {
            agent,
            url: format!("{base}/chat/completions"),
            id: format!(
                "http:{} {model}",
                crosscheck_core::redact::SecretUrl::new(base)
            ),
            model,
            key,
            structured,
        }
    }

    fn body(&self, ask: &Ask) -> String {
        let mut body = json!({
            "model": self.model,
            "temperature": 0,
            "messages": [
                {"role": "system", "content": ask.instructions()},
                {"role": "user", "content": ask.json()},
            ],
        });
        if self.structured
            && let Some(object) = body.as_object_mut()
        {
            object.insert("response_format".to_owned(), response_format());
        }
        body.to_string()
    }

    fn post(&self, body: &str) -> Result<(u16, u64, String), NoAnswer> {
        let mut request = self
            .agent
            .post(&self.url)
            .header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let mut response = request
            .send(body)
            .map_err(|error| NoAnswer(format!("the judge could not be asked: {error}")))?;
        let pause = response
            .headers()
            .get("retry-after")
            .and_then(|value| value.to_str().ok()?.parse().ok())
            .unwrap_or(1);
        let status = response.status().as_u16();
        let text = response
            .body_mut()
            .with_config()
            .limit(BODY_MAX)
            .read_to_string()
            .map_err(|error| NoAnswer(format!("the judge's answer could not be read: {error}")))?;
        Ok((status, pause, text))
    }
}

fn response_format() -> serde_json::Value {
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

    /// The one retry is made here, after the pause the server asks for.
    fn attempts(&self) -> u32 {
        1
    }

    fn ask(&self, ask: &Ask) -> Result<String, NoAnswer> {
        let body = self.body(ask);
        let (mut status, pause, mut text) = self.post(&body)?;
        if status == 429 || status >= 500 {
            thread::sleep(Duration::from_secs(pause.min(RETRY_AFTER_MAX)));
            (status, _, text) = self.post(&body)?;
        }
        if status != 200 {
            return Err(NoAnswer(format!("the judge answered with status {status}")));
        }
        let answer: serde_json::Value = serde_json::from_str(&text)
            .map_err(|_| NoAnswer("the judge's answer is not JSON".to_owned()))?;
        answer
            .pointer("/choices/0/message/content")
            .and_then(serde_json::Value::as_str)
            .map(str::to_owned)
            .ok_or_else(|| NoAnswer("the judge's answer has no message".to_owned()))
    }
}
