//! Places in pages of the web: `#part` of a cited URL. A page that lacks the
//! element proves nothing, because scripts add elements; it is left open.

use crosscheck_fetch::Fetched;

use crate::judge::ruling::Ruling;
use crate::read::cited::Cited;
use crate::read::document::{Format, anchor, anchors, decode};
use crate::read::fragment::decoded;
use crate::reasons::Code;
use crate::status::SourceStatus;

/// The elements of a page that URLs can name.
pub(super) struct Places(Vec<String>);

impl Places {
    /// None where an answer is not a whole page of HTML.
    pub(super) fn of(fetched: &Fetched) -> Option<Self> {
        let response = fetched.outcome.as_ref().ok()?;
        let is_html = response
            .content_type
            .as_deref()
            .is_some_and(|kind| kind.contains("html"));
        if response.status != 200 || response.truncated || !is_html {
            return None;
        }
        let text = decode(&response.body).ok()?;
        let names = anchors(&text, Format::Html)?;
        Some(Self(names.into_iter().collect()))
    }

    /// What is to be said where a URL names a place that the page lacks.
    pub(super) fn missing(&self, cited: &Cited) -> Option<Ruling> {
        let place = place(cited)?;
        // a site may put words of its own before the name: `user-content-part`
        let is_there = self.0.iter().any(|name| name.ends_with(&place));
        (!is_there).then(|| {
            let meaning = Code::PlaceUnseen.reason().meaning;
            Ruling::plain(SourceStatus::Suspect, Code::PlaceUnseen, meaning)
        })
    }
}

/// The place that a URL names, as [`anchor`] compares it; directives such as
/// `:~:text=` are none.
pub(super) fn place(cited: &Cited) -> Option<String> {
    let fragment = cited.url()?.fragment()?;
    let name = fragment.split(":~:").next().unwrap_or_default();
    let name = decoded(name);
    let is_route = name.starts_with(['/', '!']) || name.contains('=');
    let name = anchor(&name);
    (!name.is_empty() && name != "top" && !is_route).then_some(name)
}
