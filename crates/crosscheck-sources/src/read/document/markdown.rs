//! Markdown: links, reference links, footnotes, autolinks, bare URLs, and
//! numbered lists of sources.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::claims::{self, Found, spelled};
use super::markup::{Link, Seen, parse};
use super::plain::places;
use super::references::{self, items};
use super::spans::Spans;
use super::{Mention, ReadOptions};
use crate::read::identifier::identifiers_in;

/// The citations of a document.
pub(super) fn mentions(text: &str, options: ReadOptions) -> Vec<Mention> {
    let mut seen = parse(text);
    let code = Spans::new(std::mem::take(&mut seen.code));
    let images = Spans::new(std::mem::take(&mut seen.images));
    let hidden = Spans::new(std::mem::take(&mut seen.hidden));
    let notes = Spans::new(ranges(&seen.footnotes));
    let uses = Spans::new(ranges(&seen.footnote_uses));
    let linked = Spans::new(seen.links.iter().map(|link| link.range.clone()).collect());
    let mut blocks = std::mem::take(&mut seen.blocks);
    blocks.retain(|block| !code.covers(block.start));
    let blocks = Spans::new(blocks);
    let list = items(text, options, |offset| {
        notes.covers(offset) || code.covers(offset) || hidden.covers(offset)
    });
    let listed = references::spans(&list);

    let mut found: Vec<Found> = Vec::new();
    for link in &seen.links {
        let elsewhere = listed.covers(link.range.start)
            || notes.covers(link.range.start)
            || (link.is_mark_by_reference && references::has(&list, &link.title));
        if let Some(url) = target(link, options).filter(|_| !elsewhere) {
            found.push(link_found(link, url));
        }
    }
    found.extend(footnotes(text, &seen, &linked, options));
    let is_no_mark = |offset| {
        let mut no_marks = [&code, &uses, &notes, &hidden].into_iter();
        no_marks.any(|spans| spans.covers(offset))
    };
    found.extend(references::cited(text, &list, &listed, is_no_mark));
    for (range, url) in places(text, options) {
        let at = range.start;
        // Only an identifier becomes another text than the one that stands there.
        let url = if text.get(range.clone()) == Some(&*url) {
            spelled(text, &range, &seen.edits)
        } else {
            url
        };
        let in_code = code.covers(at);
        let taken = [&listed, &linked, &notes, &images, &hidden]
            .iter()
            .any(|spans| spans.covers(at));
        let wanted = if in_code {
            options.include_code && !listed.covers(at)
        } else {
            !taken && blocks.around(&range).is_some()
        };
        if wanted {
            found.push(Found::new(text, &range, url));
        }
    }
    let blocks = if options.include_code {
        Spans::new([blocks.0, code.0].concat())
    } else {
        blocks
    };
    claims::mentions(text, &blocks, &seen.edits, found)
}

fn ranges(named: &[(Range<usize>, String)]) -> Vec<Range<usize>> {
    named.iter().map(|(range, _)| range.clone()).collect()
}

fn link_found(link: &Link, url: String) -> Found {
    let title = Some(link.title.trim().to_owned());
    Found {
        at: link.range.start,
        place: Some(link.place),
        url,
        title: title.filter(|title| !title.is_empty() && !is_web(title)),
    }
}

/// Where a link leads, if that is the web or an identifier.
fn target(link: &Link, options: ReadOptions) -> Option<String> {
    if is_web(&link.url) {
        // `<…>` around a target allows blanks in it, as browsers do.
        return Some(link.url.trim().replace(' ', "%20"));
    }
    let (place, url) = identifiers_in(&link.url).into_iter().next()?;
    (options.identifiers && place.start == 0).then_some(url)
}

/// Each use of a footnote cites every URL of its definition; a definition
/// nobody uses is bound to nothing.
fn footnotes(text: &str, seen: &Seen, linked: &Spans, options: ReadOptions) -> Vec<Found> {
    let mut urls: HashMap<&str, Vec<(usize, String)>> = HashMap::new();
    for (range, name) in &seen.footnotes {
        let list = urls.entry(name).or_default();
        let note = text.get(range.clone()).unwrap_or_default();
        for (place, url) in places(note, options) {
            let at = range.start + place.start;
            if !linked.covers(at) {
                list.push((at, url));
            }
        }
        let first = seen
            .links
            .partition_point(|link| link.range.start < range.start);
        let inside = seen.links.get(first..).unwrap_or_default().iter();
        for link in inside.take_while(|link| link.range.start < range.end) {
            list.extend(target(link, options).map(|url| (link.range.start, url)));
        }
        list.sort();
    }
    let mut found = Vec::new();
    for (range, name) in &seen.footnote_uses {
        for (_, url) in urls.get(name.as_str()).into_iter().flatten() {
            found.push(Found::new(text, range, url.clone()));
        }
    }
    let used: HashSet<&str> = seen.footnote_uses.iter().map(|(_, name)| &**name).collect();
    for (_, list) in urls.iter().filter(|(name, _)| !used.contains(**name)) {
        let unused = list.iter().cloned();
        found.extend(unused.map(|(at, url)| Found::unbound(at, url, None)));
    }
    found
}

fn is_web(url: &str) -> bool {
    let start = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    ["http://", "https://", "www."]
        .iter()
        .any(|scheme| start.starts_with(scheme))
}
#[cfg(test)]
mod tests {
    use super::super::{Format, mentions};
    use super::*;

    fn read(text: &str) -> Vec<(String, u64, u64, Option<String>)> {
        let options = ReadOptions {
            include_code: false,
            identifiers: true,
        };
        let found = mentions(text, Format::Markdown, options).unwrap();
        found
            .into_iter()
            .map(|one| (one.url, one.line, one.column, one.claim))
            .collect()
    }

    fn one(url: &str, line: u64, column: u64, claim: &str) -> (String, u64, u64, Option<String>) {
        (url.to_owned(), line, column, Some(claim.to_owned()))
    }

    #[test]
    fn links_of_all_kinds_cite_their_sentence() {
        let text = "# Title\n\nFirst. [Trees cool streets](https://a.example/x) by 3 degrees. Last.\n\nSee <https://b.example/y> for oaks.\n\nOak is [so][ref], they say.\n\n[ref]: https://c.example/z\n\nBare https://d.example/w, too.\n";
        assert_eq!(
            read(text),
            [
                one(
                    "https://a.example/x",
                    3,
                    8,
                    "Trees cool streets by 3 degrees."
                ),
                one("https://b.example/y", 5, 5, "See for oaks."),
                one("https://c.example/z", 7, 8, "Oak is so, they say."),
                one("https://d.example/w", 11, 6, "Bare, too."),
            ]
        );
    }

    #[test]
    fn comments_are_not_read() {
        for text in [
            "Oaks are old <!-- https://a.example/gone --> now.",
            "<!-- https://a.example/gone -->",
            "- Oaks are old\n\n  <!-- see\n  https://a.example/gone\n  -->\n",
            "Oaks are old [1].\n\n<!--\n[1]: https://a.example/gone\n-->\n",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
        assert_eq!(
            read("Oaks <!-- perhaps https://a.example/gone --> are old https://a.example/x."),
            [one("https://a.example/x", 1, 54, "Oaks are old.")]
        );
    }

    #[test]
    fn code_is_not_read_unless_asked_for() {
        let text = "Text.\n\n```\ncurl https://a.example/\n```\n\nInline `https://b.example/`.\n";
        assert!(read(text).is_empty());
        let options = ReadOptions {
            include_code: true,
            identifiers: true,
        };
        assert_eq!(mentions(text, Format::Markdown, options).unwrap().len(), 2);
    }

    #[test]
    fn footnotes_and_numbered_lists_bind_to_the_sentence_with_the_mark() {
        let note = "Trees cool streets.[^1] More.\n\n[^1]: See https://a.example/x.\n";
        assert_eq!(
            read(note),
            [one("https://a.example/x", 1, 20, "Trees cool streets.")]
        );
        let list = "Trees cool streets [1]. Oaks are old [2].\n\n## References\n\n1. Cooling, https://a.example/x\n2. Oaks https://b.example/y\n3. Unused https://c.example/z\n";
        let found = read(list);
        assert_eq!(
            found[0],
            one("https://a.example/x", 1, 20, "Trees cool streets.")
        );
        assert_eq!(found[1], one("https://b.example/y", 1, 38, "Oaks are old."));
        assert_eq!(
            (found[2].0.as_str(), &found[2].3, found.len()),
            ("https://c.example/z", &None, 3)
        );
    }

    #[test]
    fn a_table_cell_and_a_list_item_are_the_claim() {
        let text = "| a | b |\n|---|---|\n| Oaks are old https://a.example/x | other |\n\n- Elms are tall (https://b.example/y)\n- nothing\n";
        let found = read(text);
        assert_eq!(
            (found[0].0.as_str(), found[0].3.as_deref()),
            ("https://a.example/x", Some("Oaks are old"))
        );
        assert_eq!(
            (found[1].0.as_str(), found[1].3.as_deref()),
            ("https://b.example/y", Some("Elms are tall"))
        );
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn named_footnotes_bind_like_numbered_ones() {
        let text = "Trees cool streets.[^a] Oaks are old.[^smith-99] Elms.\n\n[^a]: https://a.example/x\n[^smith-99]: https://b.example/y\n";
        assert_eq!(
            read(text),
            [
                one("https://a.example/x", 1, 20, "Trees cool streets."),
                one("https://b.example/y", 1, 38, "Oaks are old."),
            ]
        );
    }

    #[test]
    fn of_a_link_only_its_words_are_read() {
        for (text, claim) in [
            (
                "Trees [cool streets][] now.\n\n[cool streets]: https://a.example/x",
                "Trees cool streets now.",
            ),
            (
                "[Trees cool streets][smith-17] now.\n\n[smith-17]: https://a.example/x",
                "Trees cool streets now.",
            ),
            (
                "[Trees cool streets](https://a.example/x \"a title with four words\") now.",
                "Trees cool streets now.",
            ),
            (
                "Trees cool streets. [Oaks are old.](https://a.example/x) Elms grow.",
                "Oaks are old.",
            ),
            (
                "Trees cool streets [[1]](https://a.example/x). Oaks are old.",
                "Trees cool streets.",
            ),
            (
                "Trees cool streets [1](https://a.example/x).",
                "Trees cool streets.",
            ),
            (
                "> Trees cool\n> many streets <b>now</b> (https://a.example/x).",
                "Trees cool many streets now.",
            ),
            (
                "Trees cool ![a tree](https://img.example/p.png) streets, https://a.example/x says.",
                "Trees cool streets, says.",
            ),
        ] {
            let found = read(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(
                (found[0].0.as_str(), found[0].3.as_deref()),
                ("https://a.example/x", Some(claim)),
                "{text}"
            );
        }
    }

    #[test]
    fn markup_is_not_judged() {
        for (text, claim) in [
            (
                "It counted 41,000 <!-- 12 --> trees (https://a.example/x).",
                "It counted 41,000 trees.",
            ),
            (
                "It counted trees in 2024<sup>12</sup> (https://a.example/x).",
                "It counted trees in 2024.",
            ),
            (
                "It covers 5 km<sup>2</sup> (https://a.example/x).",
                "It covers 5 km2.",
            ),
            (
                "<span style=\"width:120px\">41,000</span> trees (https://a.example/x).",
                "41,000 trees.",
            ),
        ] {
            assert_eq!(read(text)[0].3.as_deref(), Some(claim), "{text}");
        }
    }

    #[test]
    fn what_is_written_otherwise_is_judged_as_it_reads() {
        for (text, claim) in [
            (
                r"It counted 41\,000 trees [\[12\]](https://a.example/x).",
                "It counted 41,000 trees.",
            ),
            (
                r"It counted trees \(https://a.example/x\).",
                "It counted trees.",
            ),
            (
                "It &ldquo;counted&rdquo;&nbsp;all &#116;rees &amp; oaks (https://a.example/x).",
                "It \"counted\" all trees & oaks.",
            ),
            (
                "It *says* \"every *street* needs **one** tree\" (https://a.example/x).",
                "It says \"every street needs one tree\".",
            ),
            (
                r"C:\\dir and a \\ sign (https://a.example/x).",
                r"C:\dir and a \ sign.",
            ),
        ] {
            let found = read(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(
                (found[0].0.as_str(), found[0].3.as_deref()),
                ("https://a.example/x", Some(claim)),
                "{text}"
            );
        }
        assert_eq!(
            read(r"See https://a.example/x\_y&amp;z\#q now.")[0].0,
            "https://a.example/x_y&z#q"
        );
    }

    #[test]
    fn a_line_that_only_names_its_source_claims_nothing() {
        for (text, claim) in [
            (
                "It counted 41,000 trees.\nSource: [site](https://a.example/x)\n",
                Some("It counted 41,000 trees."),
            ),
            (
                "It counted 41,000 trees.\n\nSource: [the study](https://a.example/x)\n",
                None,
            ),
            (
                "Source: it counted 41,000 trees (https://a.example/x).",
                Some("Source: it counted 41,000 trees."),
            ),
        ] {
            assert_eq!(read(text)[0].3.as_deref(), claim, "{text}");
        }
    }

    #[test]
    fn two_numbers_side_by_side_are_two_citations() {
        let text = "Trees cool streets.[1][2] Oaks.\n\n[1]: https://a.example/x\n[2]: https://b.example/y\n";
        assert_eq!(
            read(text),
            [
                one("https://a.example/x", 1, 20, "Trees cool streets."),
                one("https://b.example/y", 1, 23, "Trees cool streets."),
            ]
        );
    }

    #[test]
    fn a_url_ends_where_its_language_says_so() {
        assert_eq!(
            read("(https://a.example/q?a=1&amp;b=2)")[0].0,
            "https://a.example/q?a=1&b=2"
        );
        assert_eq!(
            read("树木很好，见https://a.example/t。后面")[0].0,
            "https://a.example/t"
        );
    }

    #[test]
    fn a_url_in_a_paragraph_of_its_own_is_bound_to_nothing() {
        for text in [
            "It counted trees.\n\nhttps://a.example/x\n",
            "It counted.\n\nSource: https://a.example/x\n",
        ] {
            assert_eq!(read(text)[0].3, None, "{text}");
        }
    }

    #[test]
    fn identifiers_are_marks_and_no_part_of_the_claim() {
        for (text, url) in [
            (
                "Trees cool (doi:10.1038/nature12373).",
                "https://doi.org/10.1038/nature12373",
            ),
            (
                "Trees cool (arXiv:2101.00001).",
                "https://arxiv.org/abs/2101.00001",
            ),
            (
                "Trees cool (PMID: 12345).",
                "https://pubmed.ncbi.nlm.nih.gov/12345",
            ),
            (
                "Trees [cool](arxiv:2101.00002).",
                "https://arxiv.org/abs/2101.00002",
            ),
            (
                "Trees [cool](pmid:99).",
                "https://pubmed.ncbi.nlm.nih.gov/99",
            ),
            (
                "Trees [cool](doi:10.1000/184).",
                "https://doi.org/10.1000/184",
            ),
        ] {
            let found = read(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(
                (found[0].0.as_str(), found[0].3.as_deref()),
                (url, Some("Trees cool.")),
                "{text}"
            );
            let plain = ReadOptions {
                include_code: false,
                identifiers: false,
            };
            assert!(mentions(text, Format::Markdown, plain).unwrap().is_empty());
        }
    }

    #[test]
    fn code_is_neither_a_list_of_sources_nor_a_mark() {
        let fenced = "Trees cool streets [1].\n\n```\n[1] https://a.example/x\n```\n";
        assert!(read(fenced).is_empty());
        let inline = "Use `arr[1]` to index. Trees cool streets [1].\n\n[1]: https://a.example/x\n";
        assert_eq!(
            read(inline),
            [one("https://a.example/x", 1, 43, "Trees cool streets.")]
        );
    }

    #[test]
    fn an_entry_of_a_list_may_go_on_and_name_several_urls() {
        let text = "Trees cool streets [1].\n\n## References\n\n1. Smith, City trees study.\n   https://a.example/x\n   (archived at https://b.example/y)\n- Unnumbered, https://c.example/z\n";
        let found = read(text);
        assert_eq!(
            found[..2],
            [
                one("https://a.example/x", 1, 20, "Trees cool streets."),
                one("https://b.example/y", 1, 20, "Trees cool streets."),
            ]
        );
        assert_eq!(
            (found[2].0.as_str(), &found[2].3),
            ("https://c.example/z", &None)
        );
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn a_paragraph_of_many_links_takes_no_longer_than_its_length() {
        let text = "Oaks grow (https://a.example/x). ".repeat(20_000);
        assert_eq!(read(&text).len(), 20_000);
        let nested = "> ".repeat(5_000) + "https://a.example/x";
        let _ = read(&nested);
    }
}
