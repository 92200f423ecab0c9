//! What cites what: from the structure of a text to its citations.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::bibliography::{self, Item, Lists};
use super::claims::{self, Found, Reads, spelled};
use super::keys::Keys;
use super::marks;
use super::plain::places;
use super::spans::{Spans, Walk};
use super::structure::{DocumentParts, Link};
use super::tables::{Cites, Said};
use super::telling::{Telling, telling};
use super::{Mention, ReadOptions, SourceEntry, authors, labels, silent, statement, tables};
use crate::read::cited::unwrapped;
use crate::read::identifier::identifiers_in;

/// The citations of a text whose structure is known,
/// and the marks that point to no entry, with their lines.
#[expect(
    clippy::too_many_lines,
    reason = "one step after the other over the same parts"
)]
pub(super) fn mentions(
    text: &str,
    mut seen: DocumentParts,
    options: ReadOptions,
    dangling: &mut Vec<(u64, String)>,
    keys: &mut Keys,
) -> Vec<Mention> {
    seen.links.sort_by_key(|link| link.range.start);
    claims::sort(&mut seen.edits);
    let mut stated = statement::find(text, &seen);
    let silent = silent::find(text, &mut seen);
    let areas = Areas::of(text, &mut seen);
    let marks = all_marks(text, &mut seen);
    let firm = marks.iter().filter(|mark| !mark.is_faint);
    stated.without_marked(firm.map(|mark| mark.range.start).collect());
    let bare = bare(text, &seen, options);
    let urls = |range: &Range<usize>| urls_in(range, &seen.links, &bare, &areas, options);
    let naming = stated.spans();
    let no_list = |at: usize| {
        let others = [&areas.notes, &areas.code, &areas.hidden, &naming];
        others.into_iter().any(|spans| spans.covers(at))
    };
    let lists = bibliography::lists(text, &seen, &first_uses(text, &marks), no_list, urls);
    let listed = lists.spans();
    let notes = footnotes(&seen, &urls, text);
    let mut found = notes;
    let (used, mut lost) = marked(text, &mut seen, marks, &lists, &listed, &areas, &mut found);
    lost.sort_by_key(|range: &Range<usize>| range.start);
    let is_no_key = |at: usize| {
        let others = [&areas.code, &areas.hidden, &areas.linked, &listed];
        others.into_iter().any(|spans| spans.covers(at))
    };
    for use_of_keys in keys.uses(text, &seen, is_no_key) {
        let range = use_of_keys.range;
        let urls = use_of_keys.urls.into_iter();
        found.extend(urls.map(|url| Found::mark(text, &range, url)));
        seen.edit(range, Reads::Mark);
    }
    let mut walk = Walk::new(text);
    dangling.extend(lost.into_iter().filter_map(|range| {
        let (line, _) = walk.place(range.start);
        Some((line, text.get(range)?.to_owned()))
    }));
    claims::sort(&mut seen.edits);
    found.extend(entries(text, &seen, &lists, &used));
    labels::remove(text, &mut seen);

    let mut rows = Rows::default();
    found.sort_by_key(|one| one.at);
    for mark in found.iter_mut().filter(|one| one.place.is_some()) {
        let said = rows.claim(text, &seen, &(mark.at..mark.at + 1), Cites::Mark);
        mark.claim = said.as_ref().map(|said| said.claim.clone());
        mark.whole = said.and_then(|said| said.whole);
    }
    for link in &seen.links {
        let at = link.range.start;
        let elsewhere = listed.covers(at)
            || areas.notes.covers(at)
            || areas.code.covers(at)
            || areas.hidden.covers(at)
            || (link.is_mark_by_reference && lists.has(&link.title));
        if let Some(url) = target(link, options).filter(|_| !elsewhere) {
            let said = rows.claim(text, &seen, &link.range, Cites::Link(link));
            let one = link_found(link, url);
            let said = said.or_else(|| stated.at(at).cloned());
            let quiet = silent.at(at).filter(|_| said.is_none());
            let one = match quiet {
                Some(quiet) => one.without_claim(quiet.words.clone()),
                None => one.said(said),
            };
            found.push(one.loose_if(lists.doubtful.covers(at)));
        }
    }
    for (at, url) in seen.cites.iter().filter(|(_, url)| is_web(url)) {
        let said = stated.at(*at).cloned();
        let one = Found::unbound(*at, url.clone(), None);
        found.extend(said.map(|said| one.said(Some(said))));
    }
    for (range, url) in bare {
        let at = range.start;
        let taken = [
            &listed,
            &areas.linked,
            &areas.notes,
            &areas.images,
            &areas.hidden,
        ];
        let wanted = if areas.code.covers(at) {
            options.include_code && !listed.covers(at)
        } else {
            !taken.iter().any(|spans| spans.covers(at)) && areas.blocks.around(&range).is_some()
        };
        if wanted && labels::defines(text, at) {
            found.push(Found::unbound(at, url, None));
        } else if wanted {
            let said = rows.claim(text, &seen, &range, Cites::Url);
            let said = said.or_else(|| stated.at(at).cloned());
            let one = Found::new(text, &range, url);
            let quiet = silent.at(at).filter(|_| said.is_none());
            let one = match quiet {
                Some(quiet) => one.without_claim(quiet.words.clone()),
                None => one.said(said),
            };
            found.push(one.loose_if(lists.doubtful.covers(at)));
        }
    }
    let blocks = if options.include_code {
        Spans::new([areas.blocks.0, areas.code.0].concat())
    } else {
        areas.blocks
    };
    claims::mentions(text, &blocks, &seen.edits, found)
}

/// URLs and identifiers that are in the text by themselves.
fn bare(text: &str, seen: &DocumentParts, options: ReadOptions) -> Vec<(Range<usize>, String)> {
    let found = places(text, options).into_iter().map(|(range, url)| {
        // Only an identifier becomes another text than the one that is there.
        let raw = text.get(range.clone()).unwrap_or_default();
        let written = spelled(text, &range, &seen.edits);
        let url = if raw == url {
            unwrapped(&written).unwrap_or(written)
        } else if raw == written {
            url
        } else {
            let named = identifiers_in(&written).into_iter().next();
            named.map_or(url, |(_, url)| url)
        };
        (range, url)
    });
    found.collect()
}

/// Parts of the text that are read in their own way.
struct Areas {
    blocks: Spans,
    code: Spans,
    images: Spans,
    hidden: Spans,
    notes: Spans,
    uses: Spans,
    linked: Spans,
}

impl Areas {
    fn of(text: &str, seen: &mut DocumentParts) -> Self {
        let ranges = |named: &[(Range<usize>, String)]| {
            Spans::new(named.iter().map(|(range, _)| range.clone()).collect())
        };
        let code = Spans::new(std::mem::take(&mut seen.code));
        let mut blocks = std::mem::take(&mut seen.blocks);
        // a paragraph may begin with a word of code
        let is_code = |block: &Range<usize>| {
            let own = code.around(&(block.start..block.start + 1));
            own.is_some_and(|own| {
                text.get(own.end..block.end)
                    .unwrap_or_default()
                    .trim()
                    .is_empty()
            })
        };
        blocks.retain(|block| !is_code(block));
        Self {
            blocks: Spans::new(blocks),
            code,
            images: Spans::new(std::mem::take(&mut seen.images)),
            hidden: Spans::new(std::mem::take(&mut seen.hidden)),
            notes: ranges(&seen.footnotes),
            uses: ranges(&seen.footnote_uses),
            linked: Spans::new(seen.links.iter().map(|link| link.range.clone()).collect()),
        }
    }
}

/// The URLs of a range, each once: those of links, and those that are there by themselves.
fn urls_in(
    range: &Range<usize>,
    links: &[Link],
    bare: &[(Range<usize>, String)],
    areas: &Areas,
    options: ReadOptions,
) -> Vec<(usize, String)> {
    let mut list: Vec<(usize, String)> = Vec::new();
    let first = links.partition_point(|link| link.range.start < range.start);
    let inside = links.get(first..).unwrap_or_default().iter();
    for link in inside.take_while(|link| link.range.start < range.end) {
        list.extend(target(link, options).map(|url| (link.range.start, url)));
    }
    let first = bare.partition_point(|(place, _)| place.start < range.start);
    let inside = bare.get(first..).unwrap_or_default().iter();
    for (place, url) in inside.take_while(|(place, _)| place.start < range.end) {
        let taken = [&areas.linked, &areas.images, &areas.hidden, &areas.code];
        if !taken.iter().any(|spans| spans.covers(place.start)) {
            list.push((place.start, url.clone()));
        }
    }
    list.sort();
    let mut seen = HashSet::new();
    list.retain(|(_, url)| seen.insert(url.clone()));
    list
}

fn link_found(link: &Link, url: String) -> Found {
    let title = Some(link.title.trim().to_owned());
    Found {
        place: Some(link.place),
        title: title.filter(|title| !title.is_empty() && !is_web(title)),
        ..Found::unbound(link.range.start, url, None)
    }
}

/// Where a link leads, if that is the web or an identifier.
pub(super) fn target(link: &Link, options: ReadOptions) -> Option<String> {
    if is_web(&link.url) {
        // `<…>` around a target allows blanks in it, as browsers do.
        let url = link.url.trim().replace(' ', "%20");
        return Some(unwrapped(&url).unwrap_or(url));
    }
    let (place, url) = identifiers_in(&link.url).into_iter().next()?;
    (options.identifiers && place.start == 0).then_some(url)
}

/// Each use of a footnote cites every URL of its definition; a definition
/// is not used is bound to nothing.
fn footnotes(
    seen: &DocumentParts,
    urls: &impl Fn(&Range<usize>) -> Vec<(usize, String)>,
    text: &str,
) -> Vec<Found> {
    let mut notes: HashMap<&str, Vec<(usize, String)>> = HashMap::new();
    for (range, name) in &seen.footnotes {
        notes.entry(name).or_default().extend(urls(range));
    }
    let mut found = Vec::new();
    for (range, name) in &seen.footnote_uses {
        for (_, url) in notes.get(name.as_str()).into_iter().flatten() {
            found.push(Found::mark(text, range, url.clone()));
        }
    }
    let used: HashSet<&str> = seen.footnote_uses.iter().map(|(_, name)| &**name).collect();
    for (range, name) in &seen.footnotes {
        if used.contains(name.as_str()) {
            continue;
        }
        let words = entry_words(text, seen, range);
        let is_certain = telling(text, seen, range, false) == Telling::Entry;
        for (at, url) in urls(range) {
            found.push(Found {
                entry: Some(SourceEntry {
                    words: Arc::clone(&words),
                    is_certain,
                }),
                ..Found::unbound(at, url, None)
            });
        }
    }
    found
}

/// The marks of a text: raised numbers, then all others.
fn all_marks(text: &str, seen: &mut DocumentParts) -> Vec<marks::Mark> {
    let raised = Spans::new(seen.marks.iter().map(|(range, _)| range.clone()).collect());
    let own = std::mem::take(&mut seen.marks).into_iter();
    let mut all: Vec<marks::Mark> = own
        .map(|(range, numbers)| marks::Mark {
            range,
            numbers,
            is_faint: false,
        })
        .collect();
    let found = marks::find(text).into_iter();
    all.extend(found.filter(|mark| !raised.covers(mark.range.start)));
    all
}

/// Where each number first occurs as a mark; one that is glued to a full stop
/// may be anything.
fn first_uses(text: &str, marks: &[marks::Mark]) -> HashMap<usize, usize> {
    let mut first = HashMap::new();
    for mark in marks {
        let written = text.get(mark.range.clone()).unwrap_or_default();
        if mark.is_faint && written.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        for number in &mark.numbers {
            let at = first.entry(*number).or_insert(mark.range.start);
            *at = mark.range.start.min(*at);
        }
    }
    first
}

/// The uses of the marks in the text, one citation for each URL behind them,
/// placed where the mark is. Returns which entries are used, and the marks
/// that are lost: no entry has their number.
fn marked(
    text: &str,
    seen: &mut DocumentParts,
    mut all: Vec<marks::Mark>,
    lists: &Lists,
    listed: &Spans,
    areas: &Areas,
    found: &mut Vec<Found>,
) -> (HashSet<usize>, Vec<Range<usize>>) {
    let mut used = HashSet::new();
    let mut lost = Vec::new();
    let front = silent::front_matter(text);
    let is_no_mark = |at: usize| {
        let mut no_marks = [
            &areas.code,
            &areas.uses,
            &areas.notes,
            &areas.hidden,
            listed,
        ]
        .into_iter();
        front.contains(&at) || no_marks.any(|spans| spans.covers(at))
    };
    if all.iter().all(|mark| mark.is_faint) && lists.is_numbered() {
        all.extend(marks::in_round_brackets(text));
    }
    for mark in all {
        // The list's own number is not a use of it.
        if is_no_mark(mark.range.start) {
            continue;
        }
        let points = |number: &usize| lists.entry(*number, mark.range.start);
        let targets: Vec<usize> = mark.numbers.iter().filter_map(points).collect();
        if is_lost(text, seen, lists, areas, &mark) {
            lost.push(mark.range.clone());
        }
        if targets.is_empty() && (mark.is_faint || !mark.numbers.is_empty()) {
            continue;
        }
        // `<a href="https://…">[1]</a>` cites what it leads to, whatever the list has
        if let Some(link) = link_around(seen, mark.range.start) {
            let items = targets.iter().filter_map(|at| lists.items.get(*at));
            let mut urls = items.flat_map(|item| &item.urls);
            if urls.any(|(_, url)| *url == link.url) {
                used.extend(&targets);
            }
            continue;
        }
        let is_link = areas.linked.covers(mark.range.start);
        if mark.is_faint && is_link {
            continue; // a number in the words or the target of a link
        }
        if !is_link {
            seen.edit(mark.range.clone(), Reads::Mark);
        }
        used.extend(&targets);
        found.extend(cited(text, lists, &mark.range, &targets));
    }
    for mark in authors::find(text, lists) {
        let at = mark.range.start;
        if !is_no_mark(at) && !areas.linked.covers(at) {
            seen.edit(mark.range.clone(), Reads::Mark);
            used.extend(&mark.items);
            found.extend(cited(text, lists, &mark.range, &mark.items));
        }
    }
    (used, lost)
}

/// The link around a mark, if it leads to the web by itself.
fn link_around(seen: &DocumentParts, at: usize) -> Option<&Link> {
    let behind = seen.links.partition_point(|link| link.range.start <= at);
    let link = seen.links.get(behind.checked_sub(1)?)?;
    let is_own = link.is_mark && !link.is_mark_by_reference && is_web(&link.url);
    (is_own && link.range.contains(&at)).then_some(link)
}

/// What a mark cites: each URL of the entries that it points to.
fn cited<'l>(
    text: &'l str,
    lists: &'l Lists,
    mark: &'l Range<usize>,
    items: &'l [usize],
) -> impl Iterator<Item = Found> + 'l {
    let items = items.iter().filter_map(|at| lists.items.get(*at));
    let urls = items.flat_map(|item| item.urls.iter().map(move |(_, url)| (item, url)));
    urls.map(move |(item, url)| Found {
        title: item.title.clone(),
        ..Found::mark(text, mark, url.clone())
    })
}

/// Whether a mark has a number that no entry of the document's lists has.
/// An index (`a_b[7]`) and a range from zero are not marks.
fn is_lost(
    text: &str,
    seen: &DocumentParts,
    lists: &Lists,
    areas: &Areas,
    mark: &marks::Mark,
) -> bool {
    let is_known = mark.numbers.iter().all(|number| lists.knows(*number));
    if mark.is_faint || is_known || mark.numbers.contains(&0) {
        return false;
    }
    let written = text.get(mark.range.clone()).unwrap_or_default();
    let is_note = written.contains('^') && !seen.footnotes.is_empty();
    let is_read =
        areas.blocks.around(&mark.range).is_some() && !areas.linked.covers(mark.range.start);
    is_read && (lists.is_numbered() || is_note) && !is_index(text, mark.range.start)
}

/// A name that an index is glued to is no longer than this.
const GLUED_MAX: usize = 256;

/// Whether the brackets that begin here are glued to a name: `a_b[7]`.
fn is_index(text: &str, at: usize) -> bool {
    let start = text.floor_char_boundary(at.saturating_sub(GLUED_MAX));
    let head = text.get(start..at).unwrap_or_default();
    let glued = head
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default()
        .trim_start_matches(['(', '"', '*', '_']);
    glued.contains(['_', '=', '$']) || glued.chars().count() == 1
}

/// Entries that nothing points to, placed where they are.
fn entries(text: &str, seen: &DocumentParts, lists: &Lists, used: &HashSet<usize>) -> Vec<Found> {
    let mut found = Vec::new();
    let all = lists.items.iter().enumerate();
    for (_, item) in all.filter(|(at, _)| !used.contains(at)) {
        let entry = entry(text, seen, item);
        for (at, url) in &item.urls {
            found.push(Found {
                entry: Some(entry.clone()),
                ..Found::unbound(*at, url.clone(), item.title.clone())
            });
        }
    }
    found
}

fn entry(text: &str, seen: &DocumentParts, item: &Item) -> SourceEntry {
    SourceEntry {
        words: entry_words(text, seen, &item.range),
        is_certain: item.is_certain,
    }
}

/// What lies behind this many bytes does not say what an entry is about.
const ENTRY_MAX: usize = 4096;

fn entry_words(text: &str, seen: &DocumentParts, range: &Range<usize>) -> Arc<str> {
    let most = text.floor_char_boundary(range.start + ENTRY_MAX);
    seen.read(text, &(range.start..range.end.min(most))).into()
}

fn is_web(url: &str) -> bool {
    let start = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    ["http://", "https://", "www."]
        .iter()
        .any(|scheme| start.starts_with(scheme))
}

/// Table, row, cell, and how it cites.
type Cell = (usize, usize, usize, bool, bool);

/// What rows of tables say, each read once.
#[derive(Default)]
struct Rows {
    last: Option<(Cell, Option<Said>)>,
}

impl Rows {
    fn claim(
        &mut self,
        text: &str,
        seen: &DocumentParts,
        range: &Range<usize>,
        by: Cites<'_>,
    ) -> Option<Said> {
        let (table, row) = tables::around(&seen.tables, range.start)?;
        let of_table = seen.tables.get(table)?;
        let cells = of_table.rows.get(row)?;
        let cell = cells.partition_point(|cell| cell.start <= range.start);
        let is_mark = matches!(by, Cites::Mark);
        let key = (table, row, cell, by.is_label(), is_mark);
        if self.last.as_ref().is_none_or(|(known, _)| *known != key) {
            let claim = tables::claim(text, seen, of_table, row, range, by);
            self.last = Some((key, claim));
        }
        self.last.as_ref().and_then(|(_, claim)| claim.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::cited;

    /// The claim and the URL of each sentence that cites.
    fn read(text: &str) -> Vec<(String, String)> {
        let found = cited(text, Format::Markdown);
        let claimed = found.into_iter();
        claimed
            .filter_map(|one| Some((one.claim?.to_string(), one.url)))
            .collect()
    }

    #[test]
    fn marks_without_square_brackets_find_their_entries() {
        let journal = "## References\n\n1. Meyer K. Aspirin and stroke. N Engl J Med. 2019;380(4):347-57. https://a.example/1\n2. Wright JT. Targets. JAMA. 2018;320(2):101-9. https://a.example/2\n";
        let authors = "## References\n\nGarcia, M., & Chen, L. (2021). Storage and the grid. *Nature*, *595*, 12–19. https://a.example/1\n\nSmith, J., & Miller, A. (2020). The learning curve. *Joule*, *7*(1), 33–41. https://a.example/2\n";
        let table = "## Sources\n\n| # | Title | URL |\n|---|---|---|\n| 1 | Boom | https://a.example/1 |\n| 2 | Bust | https://a.example/2 |\n";
        let export = "Works cited\n\nSolar 2025, accessed March 3, 2025, https://a.example/1\n\nBoom, accessed March 3, 2025, https://a.example/2\n";
        for (list, first, second) in [
            (journal, " (1).", " (1,2)."),
            (
                authors,
                " (Garcia and Chen, 2021, p. 14).",
                " (Garcia & Chen 2021; Smith & Miller, 2020).",
            ),
            (table, " [1].", " [1, 2]."),
            (export, ".1", ".1,2"),
        ] {
            let text = format!(
                "Aspirin helped 9,330 patients{first} It cured 80% of them{second} Oaks grow.\n\n{list}"
            );
            let one =
                |claim: &str, url: &str| (claim.to_owned(), format!("https://a.example/{url}"));
            assert_eq!(
                read(&text),
                [
                    one("Aspirin helped 9,330 patients.", "1"),
                    one("It cured 80% of them.", "1"),
                    one("It cured 80% of them.", "2"),
                ],
                "{text}"
            );
        }
        let text = format!("As Smith and Miller (2020) show, prices fell by 20%.\n\n{authors}");
        let claim = "As Smith and Miller show, prices fell by 20%.";
        assert_eq!(
            read(&text),
            [(claim.to_owned(), "https://a.example/2".to_owned())]
        );
    }

    #[test]
    fn a_paragraph_that_begins_with_code_has_its_claims() {
        let one = |claim: &str, url: &str| (claim.to_owned(), format!("https://a.example/{url}"));
        let text = "# Quill 4.2\n\nOaks grow.\n\n`fast_sync` was removed in 4.2 [notes](https://a.example/1). The default port changed from 5291 to 5290 ([notes](https://a.example/2)).\n";
        let port = "The default port changed from 5291 to 5290.";
        let seen = read(text);
        assert!(seen[0].0.contains("was removed in 4.2"), "{seen:?}");
        assert_eq!(seen[1..], [one(port, "2")]);
        let text = "Oaks grow.\n\n`fast_sync` was removed in 4.2.[^1]\n\n[^1]: [Notes](https://a.example/1)\n";
        assert!(read(text)[0].0.contains("was removed in 4.2"), "{text}");
    }

    #[test]
    fn the_sentence_before_is_not_glued_to_a_name_that_is_written_small() {
        for (form, claim) in [
            (
                "iPhone users cannot join MARK.",
                "iPhone users cannot join.",
            ),
            (
                "`fast_sync` has been removed MARK.",
                "fast_sync has been removed.",
            ),
            (
                "**`fast_sync`** has been removed MARK.",
                "fast_sync has been removed.",
            ),
        ] {
            let own = form.replace("MARK", "([notes](https://a.example/1))");
            let seen = read(&format!("A version for tablets is planned. {own}\n"));
            assert_eq!(seen[0].0.replace('`', ""), claim, "{form}");
        }
    }

    #[test]
    fn numbers_and_years_in_brackets_are_no_marks_without_an_entry() {
        let list =
            "## References\n\n1. Meyer K. Aspirin. JAMA. 2019;380(4):347-57. https://a.example/1\n";
        for text in [
            "The plan has two goals: (1) cut costs, and (1) save time.",
            "Equation (1) and Figure (1) show it.",
            "It grew in Paris (2019) and in Rome (Smith, 2011).",
            "It has nine parts (9).",
        ] {
            assert_eq!(read(&format!("{text}\n\n{list}")), [], "{text}");
        }
    }
}
