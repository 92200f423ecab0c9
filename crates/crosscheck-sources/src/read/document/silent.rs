//! Links that claim nothing: names of pages in headings, rows of links, and
//! fields such as `Repository: https://…`. Their pages can confirm the words
//! of the link, and no one is accused.

use std::ops::Range;
use std::sync::Arc;

use crosscheck_judge::builtin::{has_figure, stems};

use super::claims::Reads;
use super::labels::is_citation;
use super::lines::physical;
use super::shape::{Shape, shape};
use super::spans::Spans;
use super::structure::{DocumentParts, Link};
use crate::pattern::pattern;
use crate::read::urls::urls_in;

/// A heading with as many words says something.
const SENTENCE: usize = 4;

pattern! {
    /// Labels of lines that say where the line before is from.
    SOURCE, r"(?i)^(?:sources?|references?|refs?|citations?|evidence|via|quellen?|links?|urls?)$"
}
pattern! {
    /// Labels of lines that describe a document or a project, and state nothing.
    ABOUT,
    r"(?i)^(?:(?:full |paper |article |document )?title|name|authors?|by|institutions?|affiliations?|organi[sz]ation|publishers?|venue|journal|conference|version|license|date|year|published|(?:last )?(?:updated|modified|reviewed)|accessed|status|type|category|tags?|keywords?|topics?|language|maintainers?|contact|email|e-mail|repository|repo|homepage|website|site|standard|purpose|goal|objective|scope|audience|priority|owner|platforms?|price|doi|arxiv(?: id)?|pages|isbn|issn)$"
}

/// What of a text claims nothing.
pub(super) struct Silent(Vec<Quiet>);

/// A link that claims nothing.
pub(super) struct Quiet {
    range: Range<usize>,
    /// The words that its page may bear; none where only a label is beside it.
    pub(super) words: Option<Arc<str>>,
}

impl Silent {
    /// The link at this place, where it claims nothing.
    pub(super) fn at(&self, at: usize) -> Option<&Quiet> {
        let next = self.0.partition_point(|one| one.range.start <= at);
        let own = self.0.get(next.checked_sub(1)?)?;
        own.range.contains(&at).then_some(own)
    }
}

/// Finds what claims nothing, and makes a block of each field.
pub(super) fn find(text: &str, seen: &mut DocumentParts) -> Silent {
    let mut quiet = Vec::new();
    let mut edits: Vec<(Range<usize>, Reads)> = Vec::new();
    for heading in &seen.headings {
        name_in_heading(text, seen, &heading.range, &mut quiet);
    }
    for (start, _) in text.match_indices("![[") {
        // a picture or a note that is shown in this place
        let line = text.get(start..).and_then(|rest| rest.lines().next());
        let length = line.and_then(|line| line.find("]]"));
        edits.extend(length.map(|length| (start..start + length + 2, Reads::Nothing)));
    }
    let front = front_matter(text);
    urls_claim_nothing(text, seen, &front, &mut quiet);
    let mut blocks = seen.blocks.clone();
    blocks.retain(|block| block.start >= front.end);
    blocks.sort_by_key(|block| (block.start, std::cmp::Reverse(block.end)));
    blocks.dedup();
    for (at, block) in blocks.iter().enumerate() {
        let next = blocks.get(at + 1).map_or(text.len(), |next| next.start);
        let own = block.start..block.end.min(next);
        edits.extend(sources_named(text, &own));
        if is_open_task(text, &own) {
            urls_claim_nothing(text, seen, &own, &mut quiet);
            continue;
        }
        let fields = fields(text, &own);
        if !is_list_of_fields(text, &own, &fields) {
            match fields.first().filter(|_| fields.len() == 1) {
                Some(field) => field.silence(text, seen, &mut quiet),
                None => row_of_links(text, seen, &own, &mut quiet),
            }
            continue;
        }
        let mut pieces: Vec<Range<usize>> = Vec::new();
        let mut is_claim = false;
        for field in &fields {
            if let Some(sign) = field.sign {
                edits.push((sign..sign + 1, Reads::Nothing));
            }
            let is_source = SOURCE.is_match(field.label);
            if is_source && is_claim {
                // the line before is what it is a source of
                let end = if has_words(text, seen, &field.value) {
                    field.value.start
                } else {
                    field.value.end
                };
                edits.push((field.range.start..end, Reads::Blank));
                if let Some(last) = pieces.last_mut() {
                    last.end = field.range.end;
                }
                is_claim = false;
                continue;
            }
            field.silence(text, seen, &mut quiet);
            pieces.push(field.range.clone());
            let is_about = ABOUT.is_match(field.label);
            is_claim = !is_about && !is_source && has_words(text, seen, &field.value);
        }
        seen.blocks.extend(pieces);
    }
    quiet.sort_by_key(|one| one.range.start);
    for (range, with) in edits {
        seen.edit(range, with);
    }
    seen.sort();
    Silent(quiet)
}

/// Lines that name a source and state nothing, `Source: report no. 17, https://…`:
/// what follows their label is not read.
fn sources_named(text: &str, block: &Range<usize>) -> Vec<(Range<usize>, Reads)> {
    let own = text.get(block.clone()).unwrap_or_default();
    if !own.contains("://") {
        return Vec::new();
    }
    let lines = physical(own).filter_map(|line| {
        let words = own.get(line.clone())?;
        let start = behind_sign(words).or_else(|| {
            let label = Label::of(words)?;
            let is_source = SOURCE.is_match(label.name);
            is_source.then_some(label.end)
        })?;
        let value = words.get(start..)?;
        let names = value.contains("://") && shape(value, false) != Shape::Claim;
        let start = block.start + line.start + start;
        names.then(|| (start..block.start + line.end, Reads::Nothing))
    });
    lines.collect()
}

/// Where the words of a note begin that a sign marks: `† Report no. 17, https://…`.
fn behind_sign(line: &str) -> Option<usize> {
    let note = line.trim_start();
    let mut signs = ["\\*", "†", "‡"].into_iter();
    let rest = signs.find_map(|sign| note.strip_prefix(sign))?;
    Some(line.len() - rest.len())
}

/// A line `Label: value` with the lines that continue it.
struct Field<'t> {
    label: &'t str,
    is_plain: bool,
    /// The colon before its label.
    sign: Option<usize>,
    range: Range<usize>,
    value: Range<usize>,
}

impl Field<'_> {
    /// A label with nothing but a link claims nothing.
    fn silence(&self, text: &str, seen: &DocumentParts, quiet: &mut Vec<Quiet>) {
        let is_source = SOURCE.is_match(self.label);
        if is_source || has_words(text, seen, &self.value) {
            return;
        }
        let links = links_in(seen, &self.value);
        if links.iter().all(|link| is_name(&link.title, SENTENCE)) {
            urls_claim_nothing(text, seen, &self.value, quiet);
        }
    }
}

impl Quiet {
    fn of(link: &Link) -> Self {
        let words = link.title.trim();
        Self {
            range: link.range.clone(),
            words: (!words.is_empty()).then(|| words.into()),
        }
    }
}

/// No link and no URL of a range claims anything.
fn urls_claim_nothing(
    text: &str,
    seen: &DocumentParts,
    range: &Range<usize>,
    quiet: &mut Vec<Quiet>,
) {
    let links = links_in(seen, range);
    quiet.extend(links.iter().map(|link| Quiet::of(link)));
    let taken = Spans::new(links.iter().map(|link| link.range.clone()).collect());
    let own = text.get(range.clone()).unwrap_or_default();
    quiet.extend(urls_in(own).into_iter().filter_map(|url| {
        let url = range.start + url.start..range.start + url.end;
        (!taken.covers(url.start)).then_some(Quiet {
            range: url,
            words: None,
        })
    }));
}

/// The fields in front of a text, between two lines `---`.
pub(super) fn front_matter(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let own = text.get(start..).unwrap_or_default();
    let mut lines = physical(own);
    let is_line = |line: &Range<usize>, sign: &str| own.get(line.clone()) == Some(sign);
    if !lines.next().is_some_and(|first| is_line(&first, "---")) {
        return 0..0;
    }
    let is_field = |line: &Range<usize>| {
        let line = own.get(line.clone()).unwrap_or_default();
        let is_key = |key: &str| {
            key.chars()
                .all(|c| is_word(c) || matches!(c, '-' | '.' | '"'))
        };
        let has_key = line.split_once(':').is_some_and(|(key, _)| is_key(key));
        line.is_empty() || line.starts_with([' ', '\t', '#', '-']) || has_key
    };
    for line in lines {
        if is_line(&line, "---") || is_line(&line, "...") {
            return start..start + line.end;
        }
        if !is_field(&line) {
            break;
        }
    }
    0..0
}

/// Whether a block says what is still to be done: `- [ ] read …`.
fn is_open_task(text: &str, block: &Range<usize>) -> bool {
    let own = text.get(block.clone()).unwrap_or_default().trim_start();
    let own = own
        .strip_prefix(['-', '*', '+'])
        .map_or(own, str::trim_start);
    own.starts_with("[ ] ")
}

/// How a label is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `**Label:**` or `**Label**:`
    Bold,
    /// `Label:`
    Plain,
    /// `:label:`, a field of reStructuredText.
    Field,
}

/// The label at the start of a line.
struct Label<'t> {
    name: &'t str,
    form: Form,
    start: usize,
    /// Where its value begins.
    end: usize,
}

impl<'t> Label<'t> {
    /// Bold labels have at most so many characters.
    const BOLD_MAX: usize = 40;
    /// Fields have at most so many characters.
    const FIELD_MAX: usize = 30;
    /// Plain labels have at most so many words.
    const WORDS_MAX: usize = 4;

    fn of(line: &'t str) -> Option<Self> {
        let start = line.trim_start_matches(|c: char| c == '>' || c.is_whitespace());
        let body = start
            .strip_prefix(['-', '*', '+', '•'])
            .filter(|rest| rest.starts_with(char::is_whitespace))
            .map_or(start, str::trim_start);
        let (name, rest, form) = Self::bold(body)
            .or_else(|| Self::field(body))
            .or_else(|| Self::plain(body))?;
        Some(Self {
            name: name.trim(),
            form,
            start: line.len() - body.len(),
            end: line.len() - rest.len(),
        })
    }

    fn bold(body: &'t str) -> Option<(&'t str, &'t str, Form)> {
        let inner = without_stars(body)?;
        let (name, rest) = inner.split_at(inner.find(['*', '_', ':'])?);
        let rest = match rest.strip_prefix(':') {
            Some(rest) => without_stars(rest.trim_start())?,
            None => without_stars(rest)?.trim_start().strip_prefix(':')?,
        };
        let length = name.trim_end().chars().count();
        (1..=Self::BOLD_MAX)
            .contains(&length)
            .then_some((name, rest, Form::Bold))
    }

    fn field(body: &'t str) -> Option<(&'t str, &'t str, Form)> {
        let (name, rest) = body.strip_prefix(':')?.split_once(':')?;
        let is_name = name.chars().all(|c| is_word(c) || matches!(c, ' ' | '-'));
        let is_short = (1..=Self::FIELD_MAX).contains(&name.chars().count());
        (is_name && is_short).then_some((name, behind_blank(rest)?, Form::Field))
    }

    fn plain(body: &'t str) -> Option<(&'t str, &'t str, Form)> {
        let (name, rest) = body.split_once(':')?;
        let is_name = |word: &str| {
            let is_sign = |c: char| matches!(c, '/' | '&' | '’' | '\'' | '-');
            !word.is_empty() && word.chars().all(|c| is_word(c) || is_sign(c))
        };
        let is_label = name.starts_with(char::is_uppercase)
            && name.split(' ').take(Self::WORDS_MAX + 1).count() <= Self::WORDS_MAX
            && name.split(' ').all(is_name);
        is_label.then_some((name, behind_blank(rest)?, Form::Plain))
    }
}

fn without_stars(text: &str) -> Option<&str> {
    text.strip_prefix("**").or_else(|| text.strip_prefix("__"))
}

/// What follows the blank that a text begins with; an empty text needs none.
fn behind_blank(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    match chars.next() {
        Some(c) if !c.is_whitespace() => None,
        _ => Some(chars.as_str()),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The fields of a block, from the first line with a label on.
fn fields<'t>(text: &'t str, block: &Range<usize>) -> Vec<Field<'t>> {
    let mut found: Vec<Field<'t>> = Vec::new();
    let own = text.get(block.clone()).unwrap_or_default();
    if !own.contains(':') {
        return found;
    }
    for line in physical(own) {
        let words = own.get(line.clone()).unwrap_or_default();
        let line = block.start + line.start..block.start + line.end;
        match Label::of(words) {
            Some(label) => found.push(Field {
                label: label.name,
                is_plain: label.form == Form::Plain,
                sign: (label.form == Form::Field).then(|| line.start + label.start),
                value: line.start + label.end..line.end,
                range: line,
            }),
            None => match found.last_mut() {
                Some(last) => (last.range.end, last.value.end) = (line.end, line.end),
                None => return found,
            },
        }
    }
    found
}

/// Whether a block is a list of fields: several, and none of the plain ones goes on.
fn is_list_of_fields(text: &str, block: &Range<usize>, fields: &[Field<'_>]) -> bool {
    let own = text.get(block.clone()).unwrap_or_default();
    let lines = own.lines().filter(|line| !line.trim().is_empty()).count();
    let starts = fields.first().is_some_and(|first| {
        text.get(block.start..first.range.start)
            .is_some_and(|before| before.trim().is_empty())
    });
    let is_plain = fields.iter().any(|field| field.is_plain);
    fields.len() >= 2 && starts && (!is_plain || lines == fields.len())
}

/// A link in a heading names a page, unless the heading says more than a name.
fn name_in_heading(
    text: &str,
    seen: &DocumentParts,
    heading: &Range<usize>,
    quiet: &mut Vec<Quiet>,
) {
    let links = links_in(seen, heading);
    if links.is_empty() {
        return;
    }
    let words = seen.read(text, heading);
    let plain: Vec<&str> = words
        .split_whitespace()
        .filter(|word| !word.contains(|c: char| c.is_ascii_digit()))
        .collect();
    if stems(&plain.join(" ")).len() < SENTENCE {
        let words: Arc<str> = words.trim_matches(['#', '=', ' ']).into();
        let named = links
            .iter()
            .filter(|link| !link.bare && !is_citation(&link.title));
        quiet.extend(named.map(|link| Quiet {
            range: link.range.clone(),
            words: Some(Arc::clone(&words)),
        }));
    }
}

/// Links with nothing between them are names of pages.
fn row_of_links(text: &str, seen: &DocumentParts, block: &Range<usize>, quiet: &mut Vec<Quiet>) {
    let links = links_in(seen, block);
    let most = if links.len() > 1 { 3 } else { 2 };
    let is_row = !links.is_empty()
        && links.iter().all(|link| is_name(&link.title, most))
        && !has_words(text, seen, block);
    if is_row {
        let named = links.iter().filter(|link| !link.title.trim().is_empty());
        quiet.extend(named.map(|link| Quiet::of(link)));
    }
}

/// Whether the words of a link are a name: few, and without a figure.
fn is_name(title: &str, most: usize) -> bool {
    // scripts without blanks say more in fewer characters
    let wide = title.chars().filter(|c| *c >= '\u{2e80}').count();
    title.split_whitespace().count() <= most
        && wide <= 3 * most
        && !is_citation(title)
        && (!has_figure(title) || is_version(title))
}

/// Whether a title is the number of a version, which names a page and states nothing.
fn is_version(title: &str) -> bool {
    let number = title.trim().trim_start_matches(['v', 'V']);
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-+".contains(c))
    };
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.contains('.')
        && number.split('.').all(is_part)
}

/// The links of a range that are not marks.
pub(super) fn links_in<'s>(seen: &'s DocumentParts, range: &Range<usize>) -> Vec<&'s Link> {
    let first = seen
        .links
        .partition_point(|link| link.range.start < range.start);
    let inside = seen.links.get(first..).unwrap_or_default().iter();
    inside
        .take_while(|link| link.range.start < range.end)
        .filter(|link| !link.is_mark)
        .collect()
}

/// Whether words are in a range beside its links and URLs.
fn has_words(text: &str, seen: &DocumentParts, range: &Range<usize>) -> bool {
    let first = seen
        .edits
        .partition_point(|edit| edit.range.start < range.start);
    let inside = seen.edits.get(first..).unwrap_or_default().iter();
    let edits = inside.take_while(|edit| edit.range.start < range.end);
    let links = links_in(seen, range);
    let mut cut: Vec<Range<usize>> = edits.map(|edit| edit.range.clone()).collect();
    cut.extend(links.iter().map(|link| link.range.clone()));
    let own = text.get(range.clone()).unwrap_or_default();
    let urls = urls_in(own).into_iter();
    cut.extend(urls.map(|url| range.start + url.start..range.start + url.end));
    cut.sort_by_key(|piece| piece.start);
    let mut cursor = range.start;
    for piece in cut.into_iter().chain(std::iter::once(range.end..range.end)) {
        let between = text.get(cursor..piece.start).unwrap_or_default();
        if between.contains(char::is_alphanumeric) {
            return true;
        }
        cursor = cursor.max(piece.end);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::cited;

    /// URL, claim, and the words of an entry, of each citation.
    fn read(text: &str, format: Format) -> Vec<(String, Option<String>, Option<String>)> {
        let found = cited(text, format);
        let words = |words: &str| words.to_owned();
        found
            .into_iter()
            .map(|one| {
                let entry = one.entry.map(|entry| words(&entry.words));
                (one.url, one.claim.as_deref().map(words), entry)
            })
            .collect()
    }

    #[test]
    fn names_of_pages_claim_nothing() {
        for (text, words) in [
            (
                "## [1.2.0](https://a.example/compare/v1...v2) (2022-11-30)\n",
                Some("1.2.0 (2022-11-30)"),
            ),
            (
                "### [v15.3.4 - 2022-11-30](https://a.example/x)\n",
                Some("v15.3.4 - 2022-11-30"),
            ),
            (
                "[GitHub](https://a.example/x) | [Our chat](https://a.example/y)\n",
                Some("GitHub"),
            ),
            (
                "Our chat: [Discord](https://a.example/x)\n",
                Some("Discord"),
            ),
            (
                "- **Docs**: [user guide](https://a.example/x)\n",
                Some("user guide"),
            ),
            (
                "**Version**: 2.5.0\n**License**: MIT\n**Repository**: https://a.example/x\n",
                Some(""),
            ),
            (
                "Version: 2.5.0\nLicense: MIT\nHome page: https://a.example/x\n",
                Some(""),
            ),
            (
                "**Title:** \"The Bank: a Memory of Reasoning\"\n**Source:** [arXiv:2509.25140v1](https://a.example/x)\n",
                Some("arXiv:2509.25140v1"),
            ),
        ] {
            let found = read(text, Format::Markdown);
            let first = found.first().unwrap();
            assert_eq!((&first.1, first.2.as_deref()), (&None, words), "{text}");
        }
        let html = "<div><a href=\"https://a.example/x\"><span>GitHub</span></a>\n<a href=\"https://a.example/y\"><span>LinkedIn</span></a></div>";
        let found = read(html, Format::Html);
        let words: Vec<Option<&str>> = found.iter().map(|one| one.2.as_deref()).collect();
        assert_eq!(words, [Some("GitHub"), Some("LinkedIn")]);
        assert!(found.iter().all(|one| one.1.is_none()));
        let rst = ":Homepage: https://a.example/x\n:Version: 2.5\n:Docs: https://a.example/y\n";
        assert!(read(rst, Format::Rst).iter().all(|one| one.1.is_none()));
    }

    #[test]
    fn what_says_something_stays_a_claim() {
        for (text, claim) in [
            (
                "**Finding**: Rome planted 41,000 trees.\n**Source**: https://a.example/x\n",
                "Finding: Rome planted 41,000 trees.",
            ),
            (
                "**Finding:** Rome planted 41,000 trees\n**Source:** [council](https://a.example/x)\n",
                "Finding: Rome planted 41,000 trees",
            ),
            (
                "## Rome planted more trees than Milan ([source](https://a.example/x))\n",
                "Rome planted more trees than Milan",
            ),
            (
                "## [Rome planted more street trees than Milan](https://a.example/x)\n",
                "Rome planted more street trees than Milan",
            ),
            (
                "- **Sweden**: [40% of homes](https://a.example/x)\n",
                "Sweden: 40% of homes",
            ),
            (
                "[Rome planted 90,000 trees](https://a.example/x)\n",
                "Rome planted 90,000 trees",
            ),
            (
                "[罗马种植的树比米兰多得多](https://a.example/x)\n",
                "罗马种植的树比米兰多得多",
            ),
            (
                "Rome planted 41,000 trees.\n**Source:** https://a.example/x\n",
                "Rome planted 41,000 trees.",
            ),
            (
                "**Score**: 64.8 points ([source](https://a.example/x))\n**Year**: 2020\n",
                "Score: 64.8 points",
            ),
        ] {
            let found = read(text, Format::Markdown);
            assert_eq!(found[0].1.as_deref(), Some(claim), "{text}");
        }
    }

    #[test]
    fn front_matter_and_open_tasks_claim_nothing() {
        for text in [
            "---\nsource: https://a.example/x\ncreated: 2025-03-01\n---\n\nTrees.\n",
            "---\nsources:\n  - https://a.example/x\ncreated: 2025-03-01\n---\n",
            "- [ ] read [the paper](https://a.example/x) before 2025-04-01\n",
        ] {
            let found = read(text, Format::Markdown);
            assert_eq!((found.len(), &found[0].1), (1, &None), "{text}");
        }
        let text = "---\n\nRome planted 41,000 trees (https://a.example/x).\n\n---\n";
        assert!(read(text, Format::Markdown)[0].1.is_some());
    }

    #[test]
    fn what_a_page_was_made_with_is_no_claim() {
        let text = "<p>Charts.</p><div>&copy; Copyright 2014, Mark M. Created using <a href=\"https://a.example/\">Sphinx</a> 1.3.1.</div>";
        assert_eq!(read(text, Format::Html)[0].1, None);
        for text in [
            "Powered by [Jekyll](https://a.example/) 4.2.",
            "Built with [Sphinx](https://a.example/) 1.3.1",
        ] {
            assert_eq!(read(text, Format::Markdown)[0].1, None, "{text}");
        }
        let text = "Built with [steel](https://a.example/), the bridge carries 40,000 cars.";
        assert!(read(text, Format::Markdown)[0].1.is_some());
    }
}
