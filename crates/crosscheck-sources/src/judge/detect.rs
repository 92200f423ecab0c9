//! Pages that are where the cited page should be: parked domains, "not
//! found" with status 200, removed pages, unrelated pages.
//!
//! Contract: sources 5.1.

use std::collections::HashSet;

use crosscheck_core::rules::Rule;
use crosscheck_judge::builtin::{Quantity, quantities, stems};

use crate::observe::PageSeen;
use crate::pattern::{Pattern, pattern};
use crate::read::sentence::Sentence;

const WALL: Rule = Rule::new(
    "sources.wall",
    "a short page that asks for consent or a login is not the cited one",
);

const PARKED_TEXT_MAX: usize = 3000;
const SOFT_404_TEXT_MAX: usize = 1500;
const UNRELATED_TEXT_MIN: usize = 200;
const UNRELATED_STEMS_MIN: usize = 5;

pattern! {
    PARKED,
    r"(?i)domain (name )?(is|may be) for sale|buy this domain|domain has expired|parked (free|domain)|this (site|domain) is parked"
}
pattern! {
    SOFT_404,
    r"(?i)(?:^|[^#\w])404\b|page not found|not found|(page|article|content) (does not|doesn['’]t) exist|nothing (was )?found here"
}
pattern! {
    REMOVED, r"(?i)page (has been |was )?removed|no longer available"
}

pattern! {
    /// Titles and headings of pages that come before the cited one.
    WALL_TITLE,
    r"(?i)^\W*(?:please )?(?:log ?in|sign ?in|sign ?up|anmelden|einloggen|connexion|before you continue|we value your privacy|(?:your )?(?:cookie|privacy|consent)(?:s| (?:consent|notice|settings|preferences|choices))?\W*$|verify (?:that )?you|are you (?:a robot|human)|(?:security|robot|bot) check|captcha|human verification|one more step|subscribe to (?:read|continue)|register to|enable (?:javascript|cookies))"
}
pattern! {
    /// What such pages say; one of them alone may be at the foot of any page.
    WALL_WORDS,
    r"(?i)accept (?:all|cookies)|reject all|we (?:and our (?:\d+ )?partners )?use cookies|(?:cookie|privacy) (?:settings|preferences|policy)|manage (?:your )?(?:choices|preferences|options)|(?:log|sign) ?in to (?:continue|read|view|see)|you (?:must|need to) (?:be logged|log|sign)|forgot (?:your )?password|create an account|e-?mail (?:address )?(?:or|and) password|unusual traffic|not a robot|captcha|verify (?:that )?you(?:'re| are)|javascript (?:is|and cookies)|subscribe (?:now )?to (?:continue|read)|continue reading"
}
const WALL_TEXT_MAX: usize = 2500;

/// A page that asks for consent, a login or a proof that its reader is human. It
/// says nothing about the cited one. A page that has the words of the claim, or
/// text of its own beside the banner, is the cited one.
pub fn is_wall(page: &PageSeen, claimed: &[Sentence]) -> bool {
    let has_words_of = |sentence: &Sentence| {
        let wanted = stems(&sentence.text);
        let found = wanted.iter().filter(|stem| page.text.has_stem(stem));
        found.count() >= 2.max(wanted.len().div_ceil(2))
    };
    if page.length() >= WALL_TEXT_MAX || !WALL.is_on() {
        return false;
    }
    let words = || {
        let found = WALL_WORDS.find_iter(page.text.source());
        let found: HashSet<String> = found.map(|one| one.as_str().to_lowercase()).collect();
        found.len()
    };
    let titles = [&page.page.title, &page.page.heading].into_iter().flatten();
    let is_titled = titles.into_iter().any(|title| WALL_TITLE.is_match(title));
    // a story may be called `Sign in to Parliament`
    let is_asking = words() >= (if is_titled { 1 } else { 2 });
    is_asking && (is_titled || !has_own_text(page)) && !claimed.iter().any(has_words_of)
}

/// A page with as much text beside its banner could answer, in characters.
const OWN_TEXT_MIN: usize = 200;
/// A shorter paragraph is a button or an entry of a menu, in words.
const OWN_WORDS_MIN: usize = 8;

/// Whether a page has text of its own beside what asks for consent or a login.
fn has_own_text(page: &PageSeen) -> bool {
    let parts = page.text.source().split("\n\n");
    let own = parts.filter(|part| {
        part.split_whitespace().count() >= OWN_WORDS_MIN && !WALL_WORDS.is_match(part)
    });
    own.map(|part| part.chars().count()).sum::<usize>() >= OWN_TEXT_MIN
}

/// The domain is for sale; `host` is where the last redirect led.
pub fn is_parked(page: &PageSeen, host: Option<&str>, parked_hosts: &[String]) -> bool {
    if host.is_some_and(|host| crate::settings::is_listed(host, parked_hosts)) {
        return true;
    }
    let title = page.page.title.as_deref().unwrap_or_default();
    page.length() < PARKED_TEXT_MAX && PARKED.is_match(&format!("{title}\n{}", page.text.source()))
}

/// The title or heading that says the page was removed.
pub fn removed_title(page: &PageSeen) -> Option<&str> {
    headline(page, &REMOVED)
}

/// The title or heading says that there is no such page.
pub fn is_soft_404(page: &PageSeen) -> bool {
    headline(page, &SOFT_404).is_some()
}

/// Never the body: an article about the number 404 exists.
fn headline<'p>(page: &'p PageSeen, pattern: &Pattern) -> Option<&'p str> {
    if page.length() >= SOFT_404_TEXT_MAX {
        return None;
    }
    [&page.page.title, &page.page.heading]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .find(|text| pattern.is_match(text))
}

/// Two pages say the same, except for a word here and there.
pub fn is_same(page: &PageSeen, other: &PageSeen) -> bool {
    let (own, its) = (page.stems(), other.stems());
    let shared = own.intersection(&its).count();
    let most = own.len().max(its.len());
    most > 0 && shared * 100 >= most * 95
}

/// What a page would have to be about.
#[derive(Debug, Clone, Default)]
pub struct Subject<'s> {
    /// Stems of the source's title and the topic.
    pub named: HashSet<String>,
    /// Stems of what the source is said to show.
    pub claimed: HashSet<String>,
    /// Stems of everything that was said, shared by all sources of a text.
    pub said: Option<&'s HashSet<String>>,
}

impl Subject<'_> {
    fn is_said(&self, stem: &str) -> bool {
        self.said.is_some_and(|said| said.contains(stem))
    }

    fn contains(&self, stem: &str) -> bool {
        self.named.contains(stem) || self.claimed.contains(stem) || self.is_said(stem)
    }

    fn len(&self) -> usize {
        let own = self.named.union(&self.claimed);
        own.filter(|stem| !self.is_said(stem)).count() + self.said.map_or(0, HashSet::len)
    }
}

/// The page has nothing to do with title, topic or text.
pub fn is_unrelated(page: &PageSeen, subject: &Subject<'_>) -> bool {
    let all = subject.len();
    if page.length() < UNRELATED_TEXT_MIN || all < UNRELATED_STEMS_MIN {
        return false;
    }
    let header = stems(&page.header());
    let own: HashSet<&str> = header.iter().map(String::as_str).collect();
    let text = page.text.stems().filter(|stem| !own.contains(stem));
    let mut shared = 0;
    // Most pages share enough in their first sentences; the rest need not be read.
    !own.iter().copied().chain(text).any(|stem| {
        shared += usize::from(subject.contains(stem));
        // shared / all < 0.10, without rounding
        subject.named.contains(stem) || shared * 10 >= all
    })
}

/// A title of fewer words says too little.
const TITLE_STEMS_MIN: usize = 2;

/// The figures of a text as they are written.
fn figures(text: &str) -> Vec<&str> {
    let found = quantities(text).into_iter().filter(Quantity::is_figure);
    found.filter_map(|one| text.get(one.range)).collect()
}

/// Whether an entry of a list of sources names the page by its title.
pub fn bears_title(page: &PageSeen, words: &str) -> bool {
    let entry: HashSet<String> = stems(words).into_iter().collect();
    let title = page.page.title.as_deref().unwrap_or_default();
    let heading = page.page.heading.as_deref().unwrap_or_default();
    // Sites put their name before or behind the title.
    let parts = [" - ", " | ", " – ", " — ", " · ", ": "]
        .into_iter()
        .flat_map(|separator| title.split(separator));
    let mut names = [title, heading].into_iter().chain(parts);
    // `Germany added 99 GW` is not what the page is called that says 16 GW
    let written = figures(words);
    names.any(|name| {
        let own_figures = figures(name);
        let lacks = own_figures.iter().any(|figure| !written.contains(figure));
        if lacks && written.len() >= own_figures.len() {
            return false;
        }
        let mut own = stems(name);
        own.sort_unstable();
        own.dedup();
        let shared = own.iter().filter(|stem| entry.contains(*stem)).count();
        // shared / own >= 0.8, without rounding
        own.len() >= TITLE_STEMS_MIN && shared * 5 >= own.len() * 4
    })
}

#[cfg(test)]
mod tests {
    use crosscheck_fetch::text::Page;

    use super::*;

    fn page(title: &str, heading: &str, text: &str) -> PageSeen {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        PageSeen::new(
            Page {
                text: text.to_owned(),
                title: some(title),
                heading: some(heading),
                ..Page::default()
            },
            false,
            None,
        )
    }

    #[test]
    fn parked_pages_are_short_and_say_so_or_are_on_a_parking_host() {
        assert!(is_parked(
            &page("x", "", "This Domain Name is for sale!"),
            None,
            &[]
        ));
        assert!(is_parked(&page("Buy this domain", "", ""), None, &[]));
        assert!(!is_parked(
            &page("x", "", &"The domain is for sale. ".repeat(200)),
            None,
            &[]
        ));
        assert!(is_parked(
            &page("x", "", "Anything"),
            Some("a.park.example"),
            &["park.example".to_owned()]
        ));
    }

    #[test]
    fn only_titles_and_headings_say_not_found() {
        for (title, heading, text, expected) in [
            ("Error 404", "", "x", true),
            ("Site", "Page not found", "x", true),
            ("Site", "This article doesn't exist", "x", true),
            ("Nothing was found here", "", "x", true),
            ("Highway 4040", "", "x", false),
            ("Crash on start · Issue #404", "", "x", false),
            ("A story", "", "404 page not found", false),
        ] {
            assert_eq!(
                is_soft_404(&page(title, heading, text)),
                expected,
                "{title} / {heading}"
            );
        }
        assert!(!is_soft_404(&page("404", "", &"long story ".repeat(200))));
        assert_eq!(
            removed_title(&page("Site", "This page was removed", "x")),
            Some("This page was removed")
        );
        assert_eq!(
            removed_title(&page("No longer available - not found", "", "x")),
            Some("No longer available - not found")
        );
        assert_eq!(removed_title(&page("Story", "", "page removed")), None);
    }

    #[test]
    fn unrelated_pages_share_nothing_with_the_subject() {
        let set = |words: &str| stems(words).into_iter().collect::<HashSet<_>>();
        let said = set("trees city street survey count plant shade");
        let subject = Subject {
            named: set("trees"),
            claimed: set("oak trees"),
            said: Some(&said),
        };
        assert_eq!(subject.len(), 8, "each stem counts once");
        let casino = "Spin the reels tonight and claim a welcome bonus. ".repeat(6);
        assert!(is_unrelated(&page("Casino", "", &casino), &subject));
        assert!(!is_unrelated(
            &page("Casino", "", &format!("{casino} tree")),
            &subject
        ));
        assert!(!is_unrelated(&page("Casino", "", "Spin."), &subject));
        assert!(!is_unrelated(
            &page("Casino", "", &casino),
            &Subject {
                claimed: set("oak elm"),
                ..Subject::default()
            }
        ));
    }
}
