//! LaTeX: links, footnotes, citations and the bibliography they point to.

use std::collections::HashSet;
use std::ops::Range;

use super::claims::{Reads, last_char};
use super::grid;
use super::local::anchor;
use super::spans::{Pairs, Spans};
use super::structure::{DocumentParts, Heading, Link};
use crate::pattern::pattern;
use crate::read::urls::urls_in;

/// Environments whose content is code.
const CODE: &[&str] = &[
    "verbatim",
    "Verbatim",
    "lstlisting",
    "minted",
    "alltt",
    "comment",
    "filecontents",
];

/// Environments whose content is a table.
const TABLES: &[&str] = &[
    "tabular",
    "tabularx",
    "tabulary",
    "longtable",
    "xltabular",
    "supertabular",
    "tblr",
];

pattern! {
    COMMAND,
    concat!(
            r"(%[^\n]*)",                               // 1 comment
            r"|\\begin\{(\w+)\*?\}|\\end\{(\w+)\*?\}",  // 2, 3 environment
            r"|\\(verb|lstinline)\*?([^\sa-zA-Z*\[{])", // 4, 5 inline code
            r"|\\((?:[a-zA-Z]*[cC]ite[a-zA-Z]*)|bibitem|(?:sub)*section|chapter|part|paragraph|href|url|nolinkurl|footnote|footnotetext|thanks|label|ref|eqref|pageref|includegraphics|input|include|usepackage|documentclass|bibliographystyle|bibliography|newcommand|renewcommand)\*?((?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)\{", // 6 command 7 options
            r"|\\item(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])?",
            r"|(\\[a-zA-Z]+\*?(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])?)", // 8 other command
            r"|\\([%&$#_{} ])",                                     // 9 escaped sign
            r"|(\\\\|~|\\[,;:!])",                                  // 10 blank
            r"|(``|'')|([{}])",                                     // 11 quotation, 12 brace
            r"|(\\[-/])"                                            // 13 where a word may be broken
        )
}

/// Reads the structure of a document.
pub(super) fn parse(text: &str) -> DocumentParts {
    let mut reader = Reader {
        text,
        seen: DocumentParts::default(),
        braces: Pairs::new(text, [b'{', b'}'], Some(b'\\')),
        code: None,
        entry: None,
        table: None,
        notes: 0,
        until: 0,
    };
    // What comes before the document itself is not text of it.
    if let Some(start) = text.find("\\begin{document}") {
        reader.seen.hidden.push(0..start);
        reader.until = start;
    }
    for form in COMMAND.captures_iter(text) {
        reader.command(&form);
    }
    reader.end_entry(text.len());
    reader.bare_urls();
    reader.seen.find_blocks(text, false);
    reader.seen.sort();
    reader.seen
}

pattern! {
    REFERENCE, r"\\(?:ref|eqref|pageref|autoref|nameref|[cC]ref|hyperref)(?:\*?\{([^}]*)\}|\[([^\]]*)\])"
}
pattern! {
    LABEL, r"\\(?:label|hypertarget)\{([^}]*)\}|label=\{?([^,}\]]+)"
}

/// References to labels, as links to places of the document.
pub(super) fn references(text: &str, seen: &DocumentParts) -> Vec<Link> {
    let found = REFERENCE.captures_iter(text);
    let code = Spans::new(seen.code.clone());
    let mut links = Vec::new();
    // Each line is looked at once for all references in it.
    let mut last = 0;
    let mut is_comment = false;
    for form in found {
        let (Some(whole), Some(names)) = (form.get(0), form.get(1).or_else(|| form.get(2))) else {
            continue;
        };
        let passed = text.get(last..whole.start()).unwrap_or_default();
        last = whole.start();
        let line = passed.rsplit('\n').next().unwrap_or_default();
        is_comment &= line.len() == passed.len();
        is_comment |= COMMENT.is_match(line);
        if is_comment || code.covers(whole.start()) {
            continue;
        }
        links.extend(names.as_str().split(',').map(|name| Link {
            range: whole.range(),
            place: whole.start(),
            url: format!("#{}", name.trim().replace(' ', "%20")),
            title: String::new(),
            bare: true,
            is_mark_by_reference: false,
            is_mark: false,
        }));
    }
    links
}

pattern! {
    COMMENT, r"(?:^|[^\\])%"
}

/// The labels of a document that is one file; others may hold more.
pub(super) fn labels(text: &str) -> Option<HashSet<String>> {
    const PARTS: [&str; 6] = [
        "\\input{",
        "\\include{",
        "\\subfile{",
        "\\import{",
        "\\externaldocument",
        "\\newcommand",
    ];
    let is_whole =
        text.contains("\\begin{document}") && !PARTS.iter().any(|part| text.contains(part));
    let found = LABEL.captures_iter(text);
    let names = found.filter_map(|form| form.get(1).or_else(|| form.get(2)));
    is_whole.then(|| names.map(|name| anchor(name.as_str())).collect())
}

struct Reader<'t> {
    text: &'t str,
    seen: DocumentParts,
    braces: Pairs,
    /// The environment of code that is open, and where it began.
    code: Option<(String, usize)>,
    /// The entry of the bibliography that is open.
    entry: Option<(usize, String)>,
    /// Where the rows of the table begin that is open.
    table: Option<usize>,
    notes: usize,
    /// Commands that begin before this are part of another one.
    until: usize,
}

impl Reader<'_> {
    fn command(&mut self, form: &regex::Captures<'_>) {
        let Some(whole) = form.get(0).map(|whole| whole.range()) else {
            return;
        };
        let group = |number: usize| form.get(number).map(|group| group.as_str());
        if let Some((name, start)) = &self.code {
            if group(3) == Some(name) {
                self.seen.code.push(*start..whole.end);
                self.code = None;
            }
            return;
        }
        if whole.start < self.until {
            return;
        }
        if group(1).is_some() {
            self.seen.edit(whole.clone(), Reads::Nothing);
            self.seen.hidden.push(whole);
        } else if let Some(name) = group(2) {
            if CODE.contains(&name) {
                self.code = Some((name.to_owned(), whole.start));
            }
            let mut range = whole;
            if TABLES.contains(&name) {
                // how its columns are set
                while let Some(inner) = self.group(range.end) {
                    range.end = inner.end + 1;
                }
                self.until = range.end;
                self.table = Some(range.end);
            }
            self.seen.edit(range, Reads::Nothing);
        } else if let Some(name) = group(3) {
            if let Some(start) = self.table.take_if(|_| TABLES.contains(&name)) {
                let table = grid::tex(self.text, start..whole.start, &self.braces);
                self.seen.tables.push(table);
            }
            if name == "thebibliography" {
                self.end_entry(whole.start);
            }
            self.seen.edit(whole, Reads::Nothing);
        } else if let Some(sign) = group(5) {
            let tail = self.text.get(whole.end..).unwrap_or_default();
            let length = tail.find(sign).unwrap_or(0);
            self.until = whole.end + length + sign.len();
            self.seen.code.push(whole.start..self.until);
        } else if let Some(name) = group(6) {
            let inner = self.argument(whole.end);
            self.named(name, whole, inner);
        } else if let Some(sign) = group(9) {
            self.seen.edit(whole, Reads::Chars(sign.to_owned()));
        } else if group(10).is_some() {
            self.seen.edit(whole, Reads::Blank);
        } else if group(13).is_some() {
            self.seen.edit(whole, Reads::Chars(String::new()));
        } else if group(12) == Some("}") && self.is_before_argument(whole.end) {
            self.seen.edit(whole, Reads::Blank);
        } else if group(11).is_some() {
            self.seen.edit(whole, Reads::Chars("\"".to_owned()));
        } else {
            self.seen.edit(whole, Reads::Nothing);
        }
    }

    /// The options or the argument that are right behind a place.
    fn group(&self, at: usize) -> Option<Range<usize>> {
        let tail = self.text.get(at..)?;
        let inner = if tail.starts_with('[') {
            at + 1..at + tail.find(']')?
        } else {
            self.argument(tail.starts_with('{').then_some(at + 1)?)
        };
        (!inner.is_empty()).then_some(inner)
    }

    /// Whether another argument follows: `\pair{oaks}{elms}`.
    fn is_before_argument(&self, at: usize) -> bool {
        let tail = self.text.get(at..).unwrap_or_default();
        tail.starts_with('{')
    }

    /// URLs that are in the text with the signs of TeX in them.
    fn bare_urls(&mut self) {
        let taken = [&self.seen.code, &self.seen.hidden].into_iter().flatten();
        let links = self.seen.links.iter().map(|link| &link.range);
        let taken = Spans::new(taken.chain(links).cloned().collect());
        for range in urls_in(self.text) {
            let written = self.text.get(range.clone()).unwrap_or_default();
            let url = url(written);
            if url != written && !taken.covers(range.start) {
                let words = range.end..range.end;
                self.seen.link(self.text, range, words, url);
            }
        }
    }

    /// What is up to the brace that closes the one before this place.
    fn argument(&self, start: usize) -> Range<usize> {
        const LONGEST: usize = 20_000;
        let end = self.braces.closing(start);
        let near = end.filter(|end| end - start < LONGEST);
        start..near.unwrap_or(start)
    }

    fn named(&mut self, name: &str, start: Range<usize>, inner: Range<usize>) {
        let whole = start.start..inner.end + 1;
        let words = self.text.get(inner.clone()).unwrap_or_default();
        match name {
            "url" | "nolinkurl" => self.link(whole, url(words), &inner, false),
            "href" => {
                let tail = self.text.get(whole.end..).unwrap_or_default();
                let label = match tail.strip_prefix('{') {
                    Some(_) => self.argument(whole.end + 1),
                    None => whole.end..whole.end,
                };
                let all = whole.start..(label.end + usize::from(!label.is_empty())).max(whole.end);
                self.link(all, url(words), &label, true);
            }
            "footnote" | "footnotetext" | "thanks" => {
                self.notes += 1;
                let name = format!("\u{0}{}", self.notes);
                self.seen.edit(whole.clone(), Reads::Mark);
                self.seen.footnotes.push((inner, name.clone()));
                self.seen.footnote_uses.push((whole, name));
            }
            "bibitem" => {
                self.end_entry(start.start);
                self.entry = Some((start.start, words.trim().to_owned()));
                self.seen.edit(whole, Reads::Nothing);
            }
            _ if name.to_ascii_lowercase().contains("cite") => {
                self.seen.edit(whole.clone(), Reads::Mark);
                let keys = words.split(',').map(|key| key.trim().to_owned());
                self.seen
                    .footnote_uses
                    .extend(keys.map(|key| (whole.clone(), key)));
            }
            "part" | "chapter" => self.heading(whole, inner, 1),
            _ if name.ends_with("section") => {
                let depth = name.matches("sub").count();
                self.heading(whole, inner, 2 + u8::try_from(depth).unwrap_or(4).min(4));
            }
            "paragraph" => self.heading(whole, inner, 6),
            _ => {
                self.seen.edit(whole.clone(), Reads::Nothing);
                self.until = whole.end;
                self.seen.hidden.push(whole);
            }
        }
    }

    fn heading(&mut self, whole: Range<usize>, inner: Range<usize>, level: u8) {
        self.seen.edit(whole.start..inner.start, Reads::Nothing);
        self.until = inner.start;
        self.seen.headings.push(Heading {
            range: whole,
            level,
        });
    }

    fn link(&mut self, range: Range<usize>, url: String, inner: &Range<usize>, has_words: bool) {
        self.until = if has_words { inner.start } else { range.end };
        let title = if has_words {
            self.text.get(inner.clone()).unwrap_or_default()
        } else {
            ""
        };
        if title.trim().is_empty() {
            self.seen.edit(range.clone(), Reads::Nothing);
        } else {
            self.seen.edit(range.start..inner.start, Reads::Nothing);
        }
        self.seen.links.push(Link {
            place: if title.trim().is_empty() {
                last_char(self.text, &range)
            } else {
                last_char(self.text, inner)
            },
            range,
            url,
            title: title.to_owned(),
            bare: title.trim().is_empty(),
            is_mark_by_reference: false,
            is_mark: false,
        });
    }

    fn end_entry(&mut self, end: usize) {
        if let Some((start, key)) = self.entry.take() {
            self.seen.footnotes.push((start..end, key));
        }
    }
}

pattern! {
    /// How TeX and its programs write what is in a URL: `\_`, `{\_}`, `\~{}`,
    /// `{\textasciitilde}`, `$<$`, and `\-` where it may be broken.
    SIGN,
    concat!(
            r"(\{\\(?:textasciitilde\s*|~)(?:\{\})?\}|\\textasciitilde(?:\{\}|\s+)?|\{?\$\\sim\$\}?|\\~(?:\{\})?)",
            r"|(\\textunderscore(?:\{\}|\s+)?)",
            r"|\{?\$([<>])\$\}?|\{([-_~%&#=+])\}|\{\\([_%&#$])\}",
            r"|(\\[-/]|\\allowbreak\s*|\{\}|\s)|\\([^A-Za-z0-9\s])",
        )
}

/// A URL as TeX prints it.
pub(super) fn url(written: &str) -> String {
    let sign = |found: &regex::Captures<'_>| {
        let is = |group: usize| found.get(group).is_some();
        if is(1) {
            return "~".to_owned();
        }
        if is(2) {
            return "_".to_owned();
        }
        let own = [3, 4, 5, 7].into_iter().find_map(|group| found.get(group));
        own.map_or_else(String::new, |own| own.as_str().to_owned())
    };
    SIGN.replace_all(written.trim(), sign).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::{claims, one};

    fn read(text: &str) -> Vec<(String, Option<String>)> {
        claims(text, Format::Tex)
    }

    #[test]
    fn links_footnotes_and_citations_cite_their_sentences() {
        let text = "\\documentclass{article}\n\\newcommand{\\home}{https://a.example/pre}\n\\begin{document}\n\\section{Findings}\nThe mill grinds 90\\,\\% of the rye (\\href{https://a.example/mill\\_b}{log}). Oaks are \\emph{old} trees.\\footnote{See \\url{https://a.example/oaks}.} Elms are tall trees~\\cite{smith,okafor}.\n\n\\begin{itemize}\n\\item Ash is hard wood \\citep[p.~3]{okafor}\n\\item Yew is soft, says \\href{https://a.example/yew}{the long survey of yews}\n\\end{itemize}\n% https://a.example/comment\n\\begin{thebibliography}{9}\n\\bibitem{smith} Smith, J. Elms. \\url{https://a.example/elms}\n\\bibitem{okafor} Okafor, N. Ash. \\url{https://a.example/ash}\n\\bibitem{unused} Moreau, C. Fir. \\url{https://a.example/fir}\n\\end{thebibliography}\n\\end{document}\n";
        assert_eq!(
            read(text),
            [
                one(
                    "https://a.example/mill_b",
                    "The mill grinds 90 % of the rye."
                ),
                one("https://a.example/oaks", "Oaks are old trees."),
                one("https://a.example/elms", "Elms are tall trees."),
                one("https://a.example/ash", "Elms are tall trees."),
                one("https://a.example/ash", "Ash is hard wood"),
                one(
                    "https://a.example/yew",
                    "Yew is soft, says the long survey of yews"
                ),
                ("https://a.example/fir".to_owned(), None),
            ]
        );
    }

    #[test]
    fn code_is_not_read() {
        let text = "Oaks are old. \\verb|https://a.example/v| is code.\n\\begin{verbatim}\nhttps://a.example/code\n\\end{verbatim}\nElms are tall \\url{https://a.example/x}.\n";
        assert_eq!(read(text), [one("https://a.example/x", "Elms are tall.")]);
    }

    #[test]
    fn urls_are_asked_as_tex_prints_them() {
        for (written, url) in [
            (
                r"See http://a.example/x\_y\%20z\&q=1\#s now.",
                "http://a.example/x_y%20z&q=1#s",
            ),
            (
                r"See http://a.example/\~{}lee/p now.",
                "http://a.example/~lee/p",
            ),
            (
                r"See \url{http://a.example/{\textasciitilde}lee} now.",
                "http://a.example/~lee",
            ),
            (
                r"See http://a.example/\textasciitilde{}lee now.",
                "http://a.example/~lee",
            ),
            (
                r"See http://a.example/$\sim$lee now.",
                "http://a.example/~lee",
            ),
            (
                r"See http://a.example/\-Dyna\-Report now.",
                "http://a.example/DynaReport",
            ),
            (
                r"See doi:10.1007/978-3-642\_12 now.",
                "https://doi.org/10.1007/978-3-642_12",
            ),
            (r"See http://a.example/~lee now.", "http://a.example/~lee"),
            (
                r"See \href{http://a.example/a\_b}{http://a.example/a\_b} now.",
                "http://a.example/a_b",
            ),
        ] {
            let urls: Vec<String> = read(written).into_iter().map(|one| one.0).collect();
            assert_eq!(urls, [url], "{written}");
        }
    }

    #[test]
    fn arguments_of_unknown_commands_are_words_of_their_own() {
        let text = r"\pair{Oaks}{elms} are hy\-phen\-ated trees \url{https://a.example/x}.";
        assert_eq!(
            read(text),
            [one(
                "https://a.example/x",
                "Oaks elms are hyphenated trees."
            )]
        );
    }
}
