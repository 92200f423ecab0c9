//! What the Chair asks for.
//!
//! Contract: sources 3.2.

use crosscheck_core::json::Value;
use crosscheck_core::{Json, Node};

use super::entry::seq_in;
use super::urls::urls_in;
use crate::pattern::pattern;

/// A request of the Chair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Check this now.
    Urgent(Urgent),
    /// There is a new entry.
    Notify(u64),
    /// How far are you?
    Status,
    /// Finish what is in progress, then end.
    Stop,
}

/// An urgent request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Urgent {
    /// The entry.
    pub seq: u64,
    /// Only this URL of it.
    pub url: Option<String>,
    /// What the Chair wants to know about it besides.
    pub claim: Option<String>,
}

pattern! {
    ANNOUNCED, r"(?i)^\s*New entry at seq (\d+) from "
}
pattern! {
    ASKED, r"(?is)^\s*URGENT: Please verify seq (\d+), URL: (.+?)\.? Report back immediately\.?\s*$"
}

/// Reads one line of the inbox; the error says why it is not understood.
pub fn request(line: &str) -> Result<Request, &'static str> {
    let json = Json::parse(line.trim()).map_err(|_| "the line is not JSON")?;
    let root = json.root();
    root.as_object().ok_or("the line is not a JSON object")?;
    let text = |key: &str| {
        root.get(key)
            .and_then(Node::as_js)
            .map(|text| text.to_str_lossy().into_owned())
    };
    let seq = || match root.get("seq").map(Node::value) {
        Some(Value::Number(digits)) => digits
            .text()
            .parse()
            .map_err(|_| "`seq` is not an entry number"),
        _ => Err("`seq` is missing"),
    };
    match text("type").as_deref() {
        Some("urgent") => Ok(Request::Urgent(Urgent {
            seq: seq()?,
            url: text("url"),
            claim: text("claim"),
        })),
        Some("notify") => Ok(Request::Notify(seq()?)),
        Some("status") => Ok(Request::Status),
        Some("stop") => Ok(Request::Stop),
        Some(_) => Err("the type is not known"),
        None => spoken(&text("text").ok_or("there is neither `type` nor `text`")?),
    }
}

/// Reads a message in words.
fn spoken(text: &str) -> Result<Request, &'static str> {
    let number =
        |found: &regex::Captures<'_>| found.get(1).and_then(|part| part.as_str().parse().ok());
    if let Some(seq) = ANNOUNCED.captures(text).and_then(|found| number(&found)) {
        return Ok(Request::Notify(seq));
    }
    if let Some(found) = ASKED.captures(text)
        && let (Some(seq), Some(url)) = (number(&found), found.get(2))
    {
        return Ok(Request::Urgent(Urgent {
            seq,
            url: Some(url.as_str().trim().to_owned()),
            claim: None,
        }));
    }
    let seq = seq_in(text).ok_or("the text names no entry")?;
    let lower = text.to_lowercase();
    if ["urgent", "challenge", "fast-track"]
        .iter()
        .any(|word| lower.contains(word))
    {
        let url = urls_in(text)
            .into_iter()
            .next()
            .and_then(|range| text.get(range))
            .map(str::to_owned);
        return Ok(Request::Urgent(Urgent {
            seq,
            url,
            claim: None,
        }));
    }
    Ok(Request::Notify(seq))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "compared with what a parse gives")]
    fn urgent(seq: u64, url: Option<&str>) -> Result<Request, &'static str> {
        Ok(Request::Urgent(Urgent {
            seq,
            url: url.map(str::to_owned),
            claim: None,
        }))
    }

    fn said(text: &str) -> Result<Request, &'static str> {
        request(&serde_json::json!({"text": text}).to_string())
    }

    #[test]
    fn objects_are_understood() {
        assert_eq!(
            request(r#"{"type":"notify","seq":3,"speaker":"a"}"#),
            Ok(Request::Notify(3))
        );
        assert_eq!(request(r#"{"type":"status"}"#), Ok(Request::Status));
        assert_eq!(request(r#"{"type":"stop"}"#), Ok(Request::Stop));
        assert_eq!(
            request(r#"{"type":"urgent","seq":2,"url":"http://a.example/"}"#),
            urgent(2, Some("http://a.example/"))
        );
        for bad in [
            "",
            "urgent",
            "[]",
            "{}",
            r#"{"type":"dance"}"#,
            r#"{"type":"notify"}"#,
            r#"{"type":"urgent","seq":"2"}"#,
        ] {
            assert!(request(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn words_are_understood() {
        assert_eq!(
            said("URGENT: Please verify seq 7, URL: http://a.example/x. Report back immediately."),
            urgent(7, Some("http://a.example/x"))
        );
        assert_eq!(
            said(
                "New entry at seq 5 from promoter (source_challenge). Sources: [{\"url\":\"http://urgent.example\"}]. Please verify any sources."
            ),
            Ok(Request::Notify(5))
        );
        assert_eq!(
            said("New entry at seq 6 from x (rebuttal). Sources: none. Please verify."),
            Ok(Request::Notify(6))
        );
        assert_eq!(said("Could you fast-track Seq 9 please?"), urgent(9, None));
        assert_eq!(
            said("A CHALLENGE was raised on seq 4: https://b.example/y."),
            urgent(4, Some("https://b.example/y"))
        );
        assert_eq!(
            said("Please look at seq 4 as well, https://b.example/y."),
            Ok(Request::Notify(4))
        );
        assert!(said("Good morning.").is_err());
    }
}
