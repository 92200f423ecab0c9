//! Keys of a bibliography: `[@smith2020]` of Pandoc and Quarto, `\cite{smith2020}` of LaTeX.

use std::collections::HashMap;
use std::ops::Range;

use super::bind::{By, Spot};
use super::doc::Block;
use super::markdown::front_matter;
use super::{Format, ReadOptions, bib};
use crate::lists::list;
use crate::pattern::pattern;

pattern! {
    TEX_FILES, r"\\(?:bibliography|addbibresource)\s*(?:\[[^\]]*\])?\{([^{}]+)\}"
}
pattern! {
    /// Brackets with a key in them, and what follows them.
    BRACKETS, r"\[([^\[\]\n]*@[^\[\]\n]*)\]"
}
pattern! {
    KEY, r"(?:^|[\s;,(\[-])@\{?([A-Za-z0-9_](?:[\w:.#$%&+?~/-]*[\w/])?)"
}
list! {
    /// Parts of the document itself, as Quarto names them.
    PARTS, "parts_of_a_document"
}

/// The files of BibTeX that a document names.
pub fn bibliographies(text: &str, format: Format) -> Vec<String> {
    let with_end = |name: &str| {
        let name = name.trim().trim_matches(['"', '\'', ' ']);
        let end = if name.to_ascii_lowercase().ends_with(".bib") {
            ""
        } else {
            ".bib"
        };
        format!("{name}{end}")
    };
    match format {
        Format::Tex => {
            let found = TEX_FILES.captures_iter(text);
            let lists = found.filter_map(|form| Some(form.get(1)?.as_str()));
            lists
                .flat_map(|list| list.split(','))
                .map(with_end)
                .collect()
        }
        Format::Markdown => {
            let front = text.get(front_matter(text)).unwrap_or_default();
            let mut lines = front
                .lines()
                .skip_while(|line| !line.starts_with("bibliography:"));
            let Some((_, value)) = lines.next().and_then(|line| line.split_once(':')) else {
                return Vec::new();
            };
            let below = lines.map_while(|line| line.trim_start().strip_prefix("- "));
            let own = value.trim().trim_matches(['[', ']']).split(',');
            let named = own.chain(below).filter(|name| name.contains(".bib"));
            named.map(with_end).collect()
        }
        _ => Vec::new(),
    }
}

/// What the keys of a document stand for.
#[derive(Default)]
pub(super) struct Keys {
    urls: HashMap<String, Vec<String>>,
    is_markdown: bool,
    is_tex: bool,
    /// The document names a bibliography.
    is_named: bool,
    /// Keys that lead to no page, and where they are.
    pub(super) unread: Vec<(usize, String)>,
}

impl Keys {
    /// The keys of these bibliographies, for a document.
    pub(super) fn new(
        text: &str,
        format: Format,
        options: ReadOptions,
        bibliographies_read: &[String],
    ) -> Self {
        let entries = bibliographies_read
            .iter()
            .flat_map(|text| bib::entries(text, options));
        Self {
            urls: entries.collect(),
            is_markdown: format == Format::Markdown,
            is_tex: format == Format::Tex,
            is_named: !bibliographies(text, format).is_empty(),
            unread: Vec::new(),
        }
    }

    /// The uses of keys in a block; those that lead to no page are remembered.
    pub(super) fn uses(
        &mut self,
        block: &Block,
        notes: &HashMap<String, usize>,
        is_skipped: impl Fn(usize) -> bool,
    ) -> Vec<Spot> {
        let text = &block.text;
        let mut found: Vec<(Range<usize>, usize, Vec<String>)> = Vec::new();
        if self.is_markdown {
            let uses = in_brackets(text).into_iter().chain(self.narrative(text));
            let uses = uses.filter(|(range, _)| !is_skipped(range.start));
            found.extend(uses.map(|(range, keys)| (range.clone(), block.at(range.start), keys)));
        } else if self.is_tex {
            for pointer in &block.pointers {
                let key = pointer
                    .name
                    .iter()
                    .filter(|name| !notes.contains_key(*name));
                found.extend(
                    key.map(|key| (pointer.place..pointer.place, pointer.at, vec![key.clone()])),
                );
            }
        }
        let has_year = |key: &String| key.bytes().filter(u8::is_ascii_digit).count() >= 4;
        let is_named = self.is_named || !self.urls.is_empty() || !self.is_markdown;
        let mut uses = Vec::new();
        for (span, at, keys) in found {
            let is_cited = is_named || keys.iter().any(has_year);
            for key in keys {
                let urls = self.urls.get(&key).filter(|urls| !urls.is_empty());
                uses.extend(urls.into_iter().flatten().map(|url| Spot {
                    span: span.clone(),
                    at,
                    url: url.clone(),
                    title: None,
                    by: By::Mark,
                }));
                if urls.is_none() && is_cited {
                    self.unread.push((at, key));
                }
            }
        }
        uses
    }

    /// `@smith2020 found`, where the bibliography has the key.
    fn narrative(&self, text: &str) -> Vec<(Range<usize>, Vec<String>)> {
        if self.urls.is_empty() {
            return Vec::new();
        }
        let brackets: Vec<Range<usize>> = BRACKETS.find_iter(text).map(|one| one.range()).collect();
        let known = keys_in(text).filter(|(range, key)| {
            let is_inside = brackets.iter().any(|one| one.contains(&range.start));
            !is_inside && self.urls.contains_key(key)
        });
        known.map(|(range, key)| (range, vec![key])).collect()
    }
}

/// `[@smith2020; @moreau, p. 3]`
fn in_brackets(text: &str) -> Vec<(Range<usize>, Vec<String>)> {
    let all = BRACKETS.captures_iter(text);
    let found = all.filter_map(|form| {
        let range = form.get(0)?.range();
        let after = text.get(range.end..)?;
        let keys: Vec<String> = keys_in(form.get(1)?.as_str()).map(|(_, key)| key).collect();
        let is_link = after.starts_with(['(', '[', ':']);
        (!is_link && !keys.is_empty()).then_some((range, keys))
    });
    found.collect()
}

/// The keys of a text and where they are.
fn keys_in(text: &str) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    let all = KEY.captures_iter(text);
    let keys = all.filter_map(|form| {
        let key = form.get(1)?;
        Some((key.start() - 1..key.end(), key.as_str().to_owned()))
    });
    keys.filter(|(_, key)| {
        let kind = key.split(['-', ':']).next().unwrap_or_default();
        kind.len() == key.len() || !PARTS.contains(kind)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::OPTIONS;
    use super::super::{Reading, read_with};
    use super::*;

    const BIB: &str = "@article{smith2020, title={Oaks}, doi={10.1000/182}}\n@misc{moreau, url={https://a.example/2}}\n@book{old, title={Elms}}\n";

    fn read(text: &str, format: Format, bibs: &[String]) -> (Vec<(String, String)>, Vec<String>) {
        let Reading { mentions, keys, .. } = read_with(text, format, OPTIONS, &[], bibs).unwrap();
        let claims = mentions
            .into_iter()
            .map(|one| (one.url, one.claim.as_deref().unwrap_or("-").to_owned()));
        (
            claims.collect(),
            keys.into_iter().map(|(_, key)| key).collect(),
        )
    }

    #[test]
    fn keys_cite_what_their_entries_lead_to() {
        let one = |url: &str, claim: &str| (url.to_owned(), claim.to_owned());
        let markdown = "---\ntitle: Trees\nbibliography: refs.bib\n---\n\nOaks are old trees [@smith2020; @old, p. 3]. As @moreau found, elms were cut in 2019. See [@fig-trees] and a@b.example.\n";
        assert_eq!(bibliographies(markdown, Format::Markdown), ["refs.bib"]);
        let (claims, unread) = read(markdown, Format::Markdown, &[BIB.to_owned()]);
        assert_eq!(
            claims[0],
            one("https://doi.org/10.1000/182", "Oaks are old trees.")
        );
        assert_eq!(claims[1].0, "https://a.example/2");
        assert!(
            claims[1].1.ends_with("elms were cut in 2019."),
            "{claims:?}"
        );
        assert_eq!(unread, ["old"]);
        let tex = "\\begin{document}\nOaks are old trees~\\cite{smith2020,old}.\n\\bibliography{refs}\n\\end{document}\n";
        assert_eq!(bibliographies(tex, Format::Tex), ["refs.bib"]);
        let (claims, unread) = read(tex, Format::Tex, &[BIB.to_owned()]);
        assert_eq!(
            claims,
            [one("https://doi.org/10.1000/182", "Oaks are old trees.")]
        );
        assert_eq!(unread, ["old"]);
    }

    #[test]
    fn keys_of_a_bibliography_that_was_not_read_are_named() {
        let markdown = "Oaks are old trees [@smith2020]. Elms were cut [-@moreau2019].\n";
        let (claims, unread) = read(markdown, Format::Markdown, &[]);
        assert_eq!(
            (claims, unread),
            (
                vec![],
                vec!["smith2020".to_owned(), "moreau2019".to_owned()]
            )
        );
        let (_, unread) = read(
            "Thanks to [@anna] and [@paul](https://a.example/).\n",
            Format::Markdown,
            &[],
        );
        assert_eq!(unread, [""; 0]);
    }

    #[test]
    fn bibliographies_are_named_in_every_form() {
        for (front, names) in [
            ("bibliography: [a.bib, \"b.bib\"]", &["a.bib", "b.bib"][..]),
            ("bibliography:\n  - a.bib\n  - b.bib", &["a.bib", "b.bib"]),
            ("title: x", &[]),
        ] {
            let text = format!("---\n{front}\n---\n\nText.\n");
            assert_eq!(bibliographies(&text, Format::Markdown), names, "{front}");
        }
    }
}
