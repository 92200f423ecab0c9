//! The two HTTP requests that an endpoint needs.

use std::time::Duration;

use crate::NoAnswer;

/// The longest answer.
const BODY_MAX: u64 = 1024 * 1024;

/// Where questions are sent.
pub(super) struct Transport {
    agent: ureq::Agent,
    url: String,
    key: Option<String>,
}

/// What the endpoint answered.
pub(super) struct Reply {
    pub(super) status: u16,
    /// Seconds to wait before another try.
    pub(super) retry_after: u64,
    pub(super) text: String,
}

impl Transport {
    pub(super) fn new(url: String, key: Option<String>, timeout: Duration) -> Self {
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .build()
            .into();
        Self { agent, url, key }
    }

    /// Sends a JSON body. Redirects are not followed, so that the key goes to no
    /// other server.
    pub(super) fn post(&self, body: &str) -> Result<Reply, NoAnswer> {
        let mut request = self
            .agent
            .post(&self.url)
            .header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        read(request.send(body))
    }

    /// Asks without a body and without the key.
    pub(super) fn get(&self) -> Result<Reply, NoAnswer> {
        read(self.agent.get(&self.url).call())
    }
}

type Sent = Result<ureq::http::Response<ureq::Body>, ureq::Error>;

fn read(sent: Sent) -> Result<Reply, NoAnswer> {
    let mut response =
        sent.map_err(|error| NoAnswer::new(format!("the judge could not be asked: {error}")))?;
    let retry_after = response
        .headers()
        .get("retry-after")
        .and_then(|value| value.to_str().ok()?.parse().ok());
    let status = response.status().as_u16();
    let text = response
        .body_mut()
        .with_config()
        .limit(BODY_MAX)
        .read_to_string()
        .map_err(|error| NoAnswer::new(format!("the judge's answer could not be read: {error}")))?;
    Ok(Reply {
        status,
        retry_after: retry_after.unwrap_or(1),
        text,
    })
}
