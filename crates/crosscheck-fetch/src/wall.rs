//! Bot walls: pages shown instead of the requested page (sources 5.3).

use super::fetch::Response;
use super::text;

const WALL_TEXT_MAX: usize = 1500;
const TITLES: &[&str] = &["just a moment...", "attention required", "access denied"];

/// Whether a page asks its reader to prove that they are human. Such a page
/// says nothing about the cited one, so it counts as access refused.
pub fn is_bot_wall(response: &Response) -> bool {
    let page = || text::extract(response.content_type.as_deref(), &response.body);
    matches!(response.status, 200 | 503)
        && page().is_ok_and(|page| is_bot_wall_page(response, &page))
}

/// As [`is_bot_wall`], for a page whose text is already extracted.
pub fn is_bot_wall_page(response: &Response, page: &text::Page) -> bool {
    let title = page.title.as_deref().unwrap_or_default().to_lowercase();
    let marked = response.challenged || TITLES.iter().any(|wall| title.trim().starts_with(wall));
    matches!(response.status, 200 | 503) && marked && page.length() < WALL_TEXT_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, challenged: bool, body: &str) -> Response {
        Response {
            status,
            content_type: Some("text/html".to_owned()),
            challenged,
            retry_after: None,
            sha256: None,
            body: body.as_bytes().to_vec(),
            truncated: false,
        }
    }

    #[test]
    fn walls_are_recognised_by_title_or_header_and_only_when_short() {
        let wall = "<title>Just a moment...</title><p>Checking your browser</p>";
        let long = format!(
            "<title>Access denied</title><p>{}</p>",
            "a story about doors ".repeat(100)
        );
        assert!(is_bot_wall(&answer(200, false, wall)));
        assert!(is_bot_wall(&answer(503, false, wall)));
        assert!(!is_bot_wall(&answer(404, false, wall)));
        assert!(is_bot_wall(&answer(200, true, "<p>Hm.</p>")));
        assert!(!is_bot_wall(&answer(200, false, &long)));
    }
}
