//! Links of a document that lead to other files or to places in them.

use std::collections::HashSet;

use crosscheck_fetch::text::tokens::{Token, tokens};

use super::doc::{Block, Doc, Kind};
use super::spans::Walk;
use super::{Format, doc_of, markdown};

/// A link that does not name a site of the web.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalLink {
    /// As it was written.
    pub target: String,
    /// Line, from 1.
    pub line: u64,
    /// Column, from 1, in characters.
    pub column: u64,
    /// Its words.
    pub title: String,
}

/// The local links of a document, in the order of the text; none where the
/// format has no links of this kind.
pub fn local_links(text: &str, format: Format) -> Vec<LocalLink> {
    // plain text and data have no links but URLs
    if !matches!(format, Format::Markdown | Format::Html | Format::Tex) {
        return Vec::new();
    }
    let (doc, written) = doc_of(text, format);
    let mut found: Vec<(usize, String, &str)> = Vec::new();
    for block in &doc.blocks {
        let own = block.links.iter().filter(|link| is_local(&link.url));
        found.extend(own.map(|link| {
            let words = block.text.get(link.words.clone());
            (link.at, link.url.clone(), words.unwrap_or_default())
        }));
        let marks = block.pointers.iter().filter(|_| format != Format::Tex);
        let marks = marks.filter(|one| {
            !text
                .get(one.at..)
                .is_some_and(|tail| tail.starts_with("[^"))
        });
        found
            .extend(marks.filter_map(|one| Some((one.at, format!("#{}", one.name.as_ref()?), ""))));
    }
    let at = |place| written.as_ref().map_or(place, |own| own.at(place));
    found.sort_by_key(|(place, ..)| at(*place));
    let mut walk = Walk::new(text);
    let placed = found.into_iter().map(|(place, target, words)| {
        let (line, column) = walk.place(at(place));
        LocalLink {
            target,
            line,
            column,
            title: words.to_owned(),
        }
    });
    placed.collect()
}

fn headings(doc: &Doc) -> impl Iterator<Item = &str> {
    let is_heading = |block: &&Block| matches!(block.kind, Kind::Heading(_));
    let headings = doc.blocks.iter().filter(is_heading);
    headings.map(|block| block.text.trim())
}

/// Whether a target has neither a scheme nor a host.
fn is_local(target: &str) -> bool {
    let target = target.trim();
    let scheme = target.split(['/', '?', '#']).next().unwrap_or_default();
    let has_blank = target.contains(char::is_whitespace);
    !(target.is_empty() || scheme.contains(':') || target.starts_with("//") || has_blank)
}

/// The names of places in a document, as [`anchor`] compares them; none where
/// they are not known.
pub fn anchors(text: &str, format: Format) -> Option<HashSet<String>> {
    matches!(format, Format::Markdown | Format::Html).then(|| elements(text, format))
}

/// The names that headings and elements give to places.
fn elements(text: &str, format: Format) -> HashSet<String> {
    let mut names = HashSet::new();
    for (_, token) in tokens(text) {
        if let Token::Open { attributes, .. } = token {
            let given = attributes
                .into_iter()
                .filter(|(key, _)| key == "id" || key == "name");
            names.extend(given.map(|(_, name)| anchor(&name)));
        }
    }
    if format == Format::Markdown {
        for words in headings(&markdown::parse(text)) {
            // `## Words {#name}`
            if let Some((words, name)) = words.rsplit_once("{#") {
                names.insert(anchor(words));
                names.insert(anchor(name));
            }
            names.insert(anchor(words));
        }
    }
    names
}

/// The name of a place as every renderer makes it alike: letters and digits in
/// lower case. Which hyphens a renderer writes, and which accents it keeps,
/// differs.
pub fn anchor(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_without_a_site_are_local_and_others_are_not() {
        let text = "See [a](docs/a.md#part), [b](#b), [c](/c), [d](https://d.example/), <https://e.example>, \
                    [f](mailto:f@f.example) and <a href=\"g.html\">g</a>.\n";
        let found = local_links(text, Format::Markdown);
        let targets: Vec<&str> = found.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(targets, ["docs/a.md#part", "#b", "/c", "g.html"]);
        assert_eq!((found[0].line, found[0].column), (1, 5));
    }

    #[test]
    fn headings_and_elements_name_places() {
        let text = "# Bäume & *more*\n\n<a name=\"old-name\"></a>\n\n## Usage {#use}\n";
        let names = anchors(text, Format::Markdown).unwrap();
        for name in ["bäume--more", "old-name", "usage", "use"] {
            assert!(names.contains(&anchor(name)), "{name}: {names:?}");
        }
        assert!(!names.contains(&anchor("other")));
        assert_eq!(anchors(text, Format::Text), None);
    }
}
