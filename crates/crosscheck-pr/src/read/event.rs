//! The event file of GitHub Actions.

use serde::Deserialize;

use crate::{PrError, PrText};

/// What an event says about a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrEvent {
    /// The commit of the base branch, where the event names one.
    pub base: Option<String>,
    /// The last commit of the pull request, where the event names one.
    pub head: Option<String>,
    /// Title, body, review and comment, as far as they are there.
    pub texts: Vec<PrText>,
}

#[derive(Deserialize)]
struct RawEvent {
    pull_request: Option<RawPull>,
    issue: Option<RawPull>,
    comment: Option<RawText>,
    review: Option<RawText>,
}

#[derive(Deserialize)]
struct RawPull {
    title: Option<String>,
    body: Option<String>,
    base: Option<RawCommit>,
    head: Option<RawCommit>,
}

#[derive(Deserialize)]
struct RawCommit {
    sha: String,
}

#[derive(Deserialize)]
struct RawText {
    body: Option<String>,
}

/// Reads the event of a pull request, of a review, or of a comment on one.
pub fn read(bytes: &[u8]) -> Result<PrEvent, PrError> {
    let refused = |why: String| PrError::Input {
        what: "the event file",
        why,
    };
    let raw: RawEvent =
        serde_json::from_slice(bytes).map_err(|error| refused(error.to_string()))?;
    let Some(pull) = raw.pull_request.or(raw.issue) else {
        return Err(refused("it is not about a pull request".to_owned()));
    };
    let named = [
        ("title", pull.title),
        ("body", pull.body),
        ("review", raw.review.and_then(|review| review.body)),
        ("comment", raw.comment.and_then(|comment| comment.body)),
    ];
    let text = |(name, text): (&str, Option<String>)| {
        Some(PrText {
            name: name.to_owned(),
            text: text?,
        })
    };
    // a commit is handed to git, so it is one
    let commit = |commit: Option<RawCommit>| {
        let id = commit.map(|commit| commit.sha)?;
        let is_id = id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then_some(id)
    };
    Ok(PrEvent {
        base: commit(pull.base),
        head: commit(pull.head),
        texts: named.into_iter().filter_map(text).collect(),
    })
}
