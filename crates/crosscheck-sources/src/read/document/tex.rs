//! LaTeX as HTML: links, footnotes, citations and the bibliography they point to.

use std::collections::VecDeque;
use std::ops::Range;

use super::spans::Pairs;
use super::written::{Written, quoted};
use crate::pattern::pattern;

pattern! {
    /// Environments whose content is code.
    CODE, r"^(?:verbatim|Verbatim|lstlisting|minted|alltt|comment|filecontents)$"
}
pattern! {
    /// Environments whose content is a table.
    TABLES, r"^(?:tabular[xy]?|longtable|xltabular|supertabular|tblr)$"
}
pattern! {
    COMMAND,
    concat!(
            r"(%[^\n]*)",                                          // 1 comment
            r"|\\(begin|end)\{(\w+)\*?\}(?:\[[^\]\n]*\])?",        // 2, 3 environment
            r"|\\(?:verb|lstinline)\*?([^\sa-zA-Z*\[{])",         // 4 inline code
            r"|\\((?:[a-zA-Z]*[cC]ite[a-zA-Z]*)|href|url|nolinkurl|footnote|footnotetext|thanks|bibitem|part|chapter|(?:sub)*section|paragraph|label|ref|eqref|pageref|includegraphics|input|include|usepackage|documentclass|bibliographystyle|bibliography|addbibresource|newcommand|renewcommand|vspace|hspace)\*?(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])*\{", // 5 command
            r"|(\\[a-zA-Z]+\*?(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])?)", // 6 other command
            r"|\\([%&$#_{} ])",                                     // 7 escaped sign
            r"|(\\\\|~|\\[,;:!])",                                  // 8 blank
            r"|(``|'')|[{}]|\\[-/]",                                // 9 quotation
            r"|(\n[ \t]*\n)",                                       // 10 blank line
        )
}

/// A document as HTML. What comes before the document itself is not text of it, and its
/// footnotes are behind it.
pub(super) fn html(text: &str) -> Written {
    let mut reader = Reader {
        text,
        braces: Pairs::new(text, [b'{', b'}'], Some(b'\\')),
        ends: Vec::new(),
        notes: VecDeque::new(),
        count: 0,
        table: None,
    };
    let mut out = Written::default();
    let start = text.find("\\begin{document}").unwrap_or(0);
    reader.write(&mut out, start..text.len());
    while let Some((name, range)) = reader.notes.pop_front() {
        // no entry of a list of sources that comes last
        out.markup(range.start, "<h1></h1>");
        out.markup(range.start, &format!("<p id=\"{name}\">"));
        reader.write(&mut out, range);
    }
    out
}

struct Reader<'t> {
    text: &'t str,
    braces: Pairs,
    /// Braces that end an element, the innermost last.
    ends: Vec<(usize, &'static str)>,
    /// Footnotes with their names.
    notes: VecDeque<(String, Range<usize>)>,
    count: usize,
    /// The table that is open: its lines claim nothing.
    table: Option<String>,
}

impl Reader<'_> {
    fn write(&mut self, out: &mut Written, range: Range<usize>) {
        out.inline(self.text, range, &COMMAND, |out, form| self.form(out, form));
    }

    /// Writes what was found; gives where it ends.
    fn form(&mut self, out: &mut Written, form: &regex::Captures<'_>) -> usize {
        let whole = form.get(0).map_or(0..0, |whole| whole.range());
        let tail = self.text.get(whole.end..).unwrap_or_default();
        let word = |group: usize| form.get(group).map(|word| word.as_str());
        if let (Some(side), Some(name)) = (word(2), word(3)) {
            return self.environment(out, side == "begin", name, whole);
        }
        if let Some(sign) = word(4) {
            let length = tail.find(sign).unwrap_or(0);
            out.markup(whole.start, "<code>");
            out.words(whole.end, tail.get(..length).unwrap_or_default());
            out.markup(whole.end + length, "</code>");
            return whole.end + length + 1;
        }
        if let Some(name) = word(5) {
            return self.command(out, name, whole);
        }
        let other = word(6);
        if other == Some("\\item") || other.is_some_and(|item| item.starts_with("\\item[")) {
            out.markup(whole.start, "<li>");
        } else if let Some(sign) = form.get(7) {
            out.words(sign.start(), sign.as_str());
        } else if self.table.is_some() && word(8) == Some("\\\\") {
            out.markup(whole.start, "</h6><h6>");
        } else if word(8).is_some() || other.is_some() && tail.starts_with(' ') {
            out.words(whole.start, " ");
        } else if word(9).is_some() {
            out.words(whole.start, "\"");
        } else if word(10).is_some() {
            out.markup(whole.start, "<p>");
            return whole.end - 1; // more blank lines may follow
        } else if self.text.get(whole.clone()) == Some("}") {
            let own = self.ends.pop_if(|(end, _)| *end == whole.start);
            if let Some((_, tag)) = own {
                out.markup(whole.start, tag);
            } else if tail.starts_with('{') {
                out.words(whole.start, " "); // `\pair{oaks}{elms}`
            }
        }
        whole.end
    }

    fn environment(
        &mut self,
        out: &mut Written,
        begins: bool,
        name: &str,
        whole: Range<usize>,
    ) -> usize {
        let tail = self.text.get(whole.end..).unwrap_or_default();
        if begins && CODE.is_match(name) {
            let end = tail.find(&format!("\\end{{{name}"));
            let end = end.map_or(self.text.len(), |length| whole.end + length);
            let code = self.text.get(whole.end..end).unwrap_or_default();
            out.markup(whole.start, "<pre>");
            out.words(whole.end, code);
            out.markup(end, "</pre>");
            return end;
        }
        if self.table.as_deref() == Some(name) && !begins {
            self.table = None;
            out.markup(whole.start, "</h6>");
        } else if begins && TABLES.is_match(name) && self.table.is_none() {
            self.table = Some(name.to_owned());
            out.markup(whole.start, "<h6>");
            // the rest of the line says how its columns look
            return whole.end + tail.find('\n').unwrap_or(tail.len());
        } else if name == "thebibliography" {
            let tag = if begins {
                "<h2>References</h2><ul>"
            } else {
                "</ul><h2></h2>"
            };
            out.markup(whole.start, tag);
            let widest = self.argument(whole.end + usize::from(tail.starts_with('{')));
            return if widest.is_empty() {
                whole.end
            } else {
                widest.end + 1
            };
        } else if matches!(name, "itemize" | "enumerate" | "description") {
            out.markup(whole.start, if begins { "<ul>" } else { "</ul>" });
        }
        whole.end
    }

    fn command(&mut self, out: &mut Written, name: &str, whole: Range<usize>) -> usize {
        let inner = self.argument(whole.end);
        let end = inner.end + 1;
        let own = self.text.get(inner.clone()).unwrap_or_default();
        let heading = |level: usize| {
            const TAGS: [(&str, &str); 6] = [
                ("<h1>", "</h1>"),
                ("<h2>", "</h2>"),
                ("<h3>", "</h3>"),
                ("<h4>", "</h4>"),
                ("<h5>", "</h5>"),
                ("<h6>", "</h6>"),
            ];
            TAGS.get(level - 1).copied()
        };
        let element = match name {
            "part" | "chapter" => heading(1),
            "paragraph" => heading(6),
            _ if name.ends_with("section") => heading(2 + name.matches("sub").count().min(3)),
            _ => None,
        };
        if let Some((tag, closing)) = element {
            out.markup(whole.start, tag);
            self.ends.push((inner.end, closing));
            return inner.start;
        }
        match name {
            "url" | "nolinkurl" => {
                out.link(whole.start, &url(own));
                out.markup(end, "</a>");
            }
            "href" => {
                out.link(whole.start, &url(own));
                if self
                    .text
                    .get(end..)
                    .is_some_and(|tail| tail.starts_with('{'))
                {
                    self.ends.push((self.argument(end + 1).end, "</a>"));
                    return end + 1;
                }
                out.markup(end, "</a>");
            }
            "footnote" | "footnotetext" | "thanks" => {
                self.count += 1;
                let name = format!("\\{}", self.count);
                out.point(whole.start, &name);
                self.notes.push_back((name, inner));
            }
            "bibitem" => {
                let tag = format!("<li id=\"{}\">", quoted(own.trim()));
                out.markup(whole.start, &tag);
            }
            _ if name.to_ascii_lowercase().contains("cite") => {
                for key in own.split(',') {
                    out.point(whole.start, key.trim());
                }
            }
            _ => {}
        }
        end
    }

    /// What is up to the brace that closes the one before this place.
    fn argument(&self, start: usize) -> Range<usize> {
        const LONGEST: usize = 20_000;
        let end = self.braces.closing(start);
        let near = end.filter(|end| end - start < LONGEST);
        start..near.unwrap_or(start)
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
