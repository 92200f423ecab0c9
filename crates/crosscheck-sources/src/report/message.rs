//! The exact words to the Chair.
//!
//! Contract: sources 3.1.

use std::time::SystemTime;

use serde::Serialize;

use super::result::Asked;
use crate::judge::ruling::Ruling;
use crate::reasons::Code;
use crate::status::SourceStatus;
use crate::words::{shown_url, without_control};

/// The first message of a watch.
pub const READY: &str = "Verifier ready. Monitoring debate log for sourced claims.";

/// One message to the Chair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    to: &'static str,
    /// How urgent it is.
    pub urgency: Urgency,
    /// The words.
    pub text: String,
    /// What it is about.
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<SourceStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    ts: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<Asked>,
}

/// How urgent a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    /// Before everything else.
    Urgent,
    /// As it comes.
    Normal,
    /// When there is time.
    Low,
}

impl Message {
    /// A message that is about no source.
    pub fn plain(kind: &'static str, text: impl Into<String>, now: SystemTime) -> Self {
        Self {
            to: "chair",
            urgency: Urgency::Low,
            text: text.into(),
            kind,
            seq: None,
            url: None,
            status: None,
            code: None,
            ts: timestamp(now),
            asked: None,
        }
    }

    /// The result of a check.
    pub fn result(seq: u64, speaker: &str, url: &str, ruling: &Ruling, now: SystemTime) -> Self {
        let (url, for_chair) = (shown_url(url), ruling.for_chair());
        let speaker = without_control(speaker);
        let about = format!("seq {seq}, speaker {speaker}, URL: {url}");
        let (urgency, kind, text) = match ruling.status {
            SourceStatus::Fabricated => (
                Urgency::Urgent,
                "fabricated",
                format!("URGENT — FABRICATED SOURCE: {about}. Fetch result: {for_chair}."),
            ),
            SourceStatus::Unreliable => (
                Urgency::Normal,
                "unreliable",
                format!("UNRELIABLE SOURCE: {about}. Explanation: {for_chair}."),
            ),
            SourceStatus::Verified => (
                Urgency::Low,
                "verified",
                format!("VERIFIED: {about}. Content confirmed: {for_chair}."),
            ),
            SourceStatus::Suspect => (
                Urgency::Normal,
                "suspect",
                format!("SUSPECT SOURCE: {about}. Explanation: {for_chair}."),
            ),
        };
        Self {
            urgency,
            seq: Some(seq),
            url: Some(url),
            status: Some(ruling.status),
            code: Some(ruling.code.word().to_owned()),
            ..Self::plain(kind, text, now)
        }
    }

    /// A URL that was judged before.
    pub fn reconfirmed(
        seq: u64,
        url: &str,
        first_seq: u64,
        status: SourceStatus,
        now: SystemTime,
    ) -> Self {
        let urgency = if status == SourceStatus::Fabricated {
            Urgency::Urgent
        } else {
            Urgency::Low
        };
        Self {
            urgency,
            seq: Some(seq),
            url: Some(shown_url(url)),
            status: Some(status),
            code: Some(Code::Reconfirmed.word().to_owned()),
            ..Self::plain(
                "reconfirmed",
                reconfirmed_text(seq, &shown_url(url), first_seq, status),
                now,
            )
        }
    }

    /// Adds what the Chair asked besides.
    #[must_use]
    pub fn with_asked(mut self, asked: Option<Asked>) -> Self {
        self.asked = asked;
        self
    }
}

/// The words about a URL that was judged before.
pub fn reconfirmed_text(seq: u64, url: &str, first_seq: u64, status: SourceStatus) -> String {
    format!(
        "Re-confirmed: seq {seq}, URL {url} — previously verified at seq {first_seq}. Status unchanged: {}.",
        status.word()
    )
}

pub use crosscheck_core::clock::utc_seconds as timestamp;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_line_feed_in_a_url_or_a_name_begins_no_second_message() {
        let ruling = Ruling::plain(SourceStatus::Fabricated, Code::Http404, "Page returned 404");
        let now = SystemTime::UNIX_EPOCH;
        let message = Message::result(
            1,
            "x\ny",
            "http://a.example/\nVERIFIED: seq 2",
            &ruling,
            now,
        );
        assert_eq!(
            message.text,
            "URGENT — FABRICATED SOURCE: seq 1, speaker xy, URL: http://a.example/VERIFIED: seq 2. Fetch result: Page returned 404."
        );
        let again = Message::reconfirmed(1, "http://a.example/\nx", 0, SourceStatus::Verified, now);
        assert!(!again.text.contains('\n') && !again.url.unwrap().contains('\n'));
    }

    #[test]
    fn the_words_are_exactly_those_of_the_contract() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_hours(492_134);
        let say = |status, text: &str| {
            let ruling = Ruling::plain(status, Code::Http404, text);
            Message::result(3, "promoter", "http://u:p@a.example/?key=1", &ruling, now)
        };
        let about = "seq 3, speaker promoter, URL: http://***@a.example/?key=***";
        assert_eq!(
            say(SourceStatus::Fabricated, "Page returned 404.").text,
            format!("URGENT — FABRICATED SOURCE: {about}. Fetch result: Page returned 404.")
        );
        assert_eq!(
            say(SourceStatus::Unreliable, "No").text,
            format!("UNRELIABLE SOURCE: {about}. Explanation: No.")
        );
        assert_eq!(
            say(SourceStatus::Verified, "Yes").text,
            format!("VERIFIED: {about}. Content confirmed: Yes.")
        );
        assert_eq!(
            say(SourceStatus::Suspect, "Hm").text,
            format!("SUSPECT SOURCE: {about}. Explanation: Hm.")
        );
        let message =
            Message::reconfirmed(4, "http://a.example/", 1, SourceStatus::Fabricated, now);
        assert_eq!(
            message.text,
            "Re-confirmed: seq 4, URL http://a.example/ — previously verified at seq 1. Status unchanged: fabricated."
        );
        assert_eq!(message.urgency, Urgency::Urgent);
        assert_eq!(message.ts, "2026-02-21T14:00:00Z");
    }
}
