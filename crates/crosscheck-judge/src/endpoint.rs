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

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpListener;
    use std::thread::JoinHandle;

    use crosscheck_core::judge::Question;

    use super::*;

    /// Answers one connection after the other; gives back what was asked.
    fn serve(answers: Vec<&'static str>) -> (String, JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1/", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let mut asked = Vec::new();
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut head, mut length) = (String::new(), 0);
                loop {
                    let mut line = String::new();
                    reader.read_line(&mut line).unwrap();
                    let lower = line.to_lowercase();
                    if let Some(value) = lower.strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    if line.trim().is_empty() {
                        break;
                    }
                    head.push_str(&line);
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                asked.push(head + &String::from_utf8(body).unwrap());
                stream.write_all(answer.as_bytes()).unwrap();
            }
            asked
        });
        (base, server)
    }

    const GOOD: &str = "HTTP/1.1 200 OK\r\ncontent-length: 57\r\nconnection: close\r\n\r\n{\"choices\":[{\"message\":{\"content\":\"the answer, as text\"}}]}";
    const BUSY: &str =
        "HTTP/1.1 429 Slow\r\nretry-after: 0\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

    fn model(base: &str) -> HttpModel {
        let key = Some("sk-very-secret".to_owned());
        HttpModel::new(base, "m1".to_owned(), key, true, Duration::from_secs(5))
    }

    fn question() -> Ask {
        Ask::of(&Question {
            claim: "the claim",
            snippet: "the snippet",
            ..Question::default()
        })
    }

    #[test]
    fn a_busy_endpoint_is_asked_once_more() {
        let length = GOOD.split("\r\n\r\n").nth(1).unwrap().len();
        let good: &'static str = GOOD.replace("57", &length.to_string()).leak();
        let (base, server) = serve(vec![BUSY, good]);
        assert_eq!(
            model(&base).ask(&question()).unwrap(),
            "the answer, as text"
        );
        let asked = server.join().unwrap();
        assert_eq!(asked.len(), 2);
        let first = asked.first().unwrap();
        assert!(
            first.starts_with("POST /v1/chat/completions HTTP/1.1"),
            "{first}"
        );
        assert!(first.contains("Bearer sk-very-secret"), "{first}");
        assert!(first.contains("\"temperature\":0"), "{first}");
        assert!(first.contains("json_schema"), "{first}");
    }

    #[test]
    fn a_second_refusal_is_an_error_and_the_key_is_shown_nowhere() {
        let (base, server) = serve(vec![BUSY, BUSY]);
        let model = model(&base);
        let error = model.ask(&question()).unwrap_err();
        server.join().unwrap();
        assert!(error.0.contains("429"), "{error}");
        let shown = format!("{model:?} {} {error}", model.id());
        assert!(!shown.contains("secret"), "{shown}");
    }
}
