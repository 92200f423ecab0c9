//! URLs that look made up: they are looked at early, and judged like all others.
//!
//! Contract: sources 2.

use crosscheck_fetch::Url;

use crate::pattern::pattern;
use crate::read::cited::{Cited, host_of};

const PLACEHOLDERS: &[&str] = &["lorem", "placeholder", "your-", "xxxx", "insert-"];

pattern! {
    ARXIV,
    concat!(
            r"(?i)(?:arxiv\.org(?::\d+)?/(?:abs|pdf|html)/|arxiv[:/])",
            r"(?:(\d{2})(\d{2})\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/(\d{2})(\d{2})\d{3})",
        )
}
pattern! {
    DOI, r"^10\.\d{4,9}/\S+$"
}
pattern! {
    DATE, r"(?:^|[/_-])((?:19|20)\d{2})[/_-](\d{1,2})(?:[/_-](\d{1,2}))?(?:[/._-]|$)"
}

/// Whether a URL looks made up; `written` is the timestamp of the entry.
pub fn is_candidate(cited: &Cited, written: &str) -> bool {
    let Some(url) = cited.url() else {
        return false;
    };
    let host = host_of(url).unwrap_or_default();
    let written = date_of(written);
    odd_host(&host)
        || odd_arxiv(&cited.text, written)
        || odd_doi(url, &host)
        || future_path(url.path(), written)
        || PLACEHOLDERS
            .iter()
            .any(|word| url.path().to_ascii_lowercase().contains(word))
}

type Day = (u32, u32, u32);

fn date_of(timestamp: &str) -> Option<Day> {
    let mut parts = timestamp
        .get(..10)?
        .split('-')
        .map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}

fn odd_host(host: &str) -> bool {
    let plain = host.trim_matches(['[', ']']);
    if let Ok(address) = plain.parse::<std::net::IpAddr>() {
        return !address.is_loopback();
    }
    [".example", ".test", ".invalid", ".localhost"]
        .iter()
        .any(|end| host.ends_with(end))
        || matches!(host, "example.com" | "example.org" | "example.net")
        || host
            .split('.')
            .any(|label| label.starts_with("xn--") && mixes_scripts(label))
}

fn odd_arxiv(text: &str, written: Option<Day>) -> bool {
    let Some(found) = ARXIV.captures(text) else {
        return false;
    };
    let number = |at: usize| {
        found
            .get(at)
            .and_then(|part| part.as_str().parse::<u32>().ok())
            .unwrap_or(0)
    };
    let (year, month) = match found.get(3) {
        None => (2000 + number(1), number(2)),
        // the form from 1991 to 2007, with its archive before the number
        Some(_) if number(3) >= 91 => (1900 + number(3), number(4)),
        Some(_) => (2000 + number(3), number(4)),
    };
    !(1..=12).contains(&month) || written.is_some_and(|(y, m, _)| (year, month) > (y, m))
}

fn odd_doi(url: &Url, host: &str) -> bool {
    if !matches!(host, "doi.org" | "dx.doi.org" | "www.doi.org") {
        return false;
    }
    let name = url.path().trim_start_matches('/');
    !DOI.is_match(name)
}

fn future_path(path: &str, written: Option<Day>) -> bool {
    let Some(written) = written else {
        return false;
    };
    DATE.captures_iter(path).any(|found| {
        let number = |at: usize| {
            found
                .get(at)
                .and_then(|part| part.as_str().parse::<u32>().ok())
        };
        let (Some(year), Some(month)) = (number(1), number(2)) else {
            return false;
        };
        let day = number(3);
        let real = (1..=12).contains(&month) && day.is_none_or(|day| (1..=31).contains(&day));
        real && (year, month, day.unwrap_or(1)) > written
    })
}

/// Whether a label that looks like one word is put together from several alphabets.
fn mixes_scripts(label: &str) -> bool {
    let (text, _) = idna::domain_to_unicode(label);
    let mut scripts: Vec<u8> = text.chars().filter_map(script).collect();
    scripts.sort_unstable();
    scripts.dedup();
    scripts.len() > 1
}

const fn script(c: char) -> Option<u8> {
    match c {
        'a'..='z' | 'A'..='Z' | '\u{C0}'..='\u{24F}' => Some(0),
        '\u{370}'..='\u{3FF}' => Some(1),
        '\u{400}'..='\u{52F}' => Some(2),
        '\u{530}'..='\u{58F}' => Some(3),
        '\u{590}'..='\u{5FF}' => Some(4),
        '\u{600}'..='\u{6FF}' => Some(5),
        '\u{13A0}'..='\u{13FF}' => Some(6),
        '\u{3040}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}' => Some(7),
        '\u{AC00}'..='\u{D7A3}' => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_that_look_made_up_are_candidates() {
        let written = "2026-02-21T15:00:00Z";
        for (text, expected) in [
            ("http://93.184.216.34/x", true),
            ("http://127.0.0.1/x", false),
            ("http://[2606:4700::1]/x", true),
            ("http://[::1]/x", false),
            ("https://trees.example/x", true),
            ("https://example.org/x", true),
            ("https://myexample.org/x", false),
            ("https://arxiv.org/abs/2413.00001", true),
            ("https://arxiv.org:8443/abs/2413.00001", true),
            ("https://arxiv.org/abs/hep-th/9913001", true),
            ("https://arxiv.org/abs/math.GT/0309136", false),
            ("https://arxiv.org/abs/hep-th/9901001", false),
            ("https://arxiv.org/abs/2603.00001", true),
            ("https://arxiv.org/abs/2602.00001", false),
            ("https://doi.org/10.12/abc", true),
            ("https://doi.org/10.1038/s41586-020-2649-2", false),
            ("doi:11.1038/x", true),
            ("https://news.org/2026/03/01/story", true),
            ("https://news.org/2026/02/21/story", false),
            ("https://news.org/2026-02-22-story", true),
            ("https://news.org/2025/13/45/story", false),
            ("https://news.org/Lorem-ipsum", true),
            ("https://news.org/your-article", true),
            ("https://xn--pple-43d.com/", true),
            ("https://xn--mnchen-3ya.de/", false),
            ("https://nature.com/articles/x", false),
            ("just text", false),
        ] {
            assert_eq!(is_candidate(&Cited::new(text), written), expected, "{text}");
        }
    }
}
