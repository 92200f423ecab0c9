//! LaTeX: links, footnotes, citations and the bibliography they point to.

use std::ops::Range;

use super::doc::{Doc, Writer};
use super::lines::{Flow, Part, inline, words};
use super::spans::Pairs;
use crate::pattern::pattern;

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
    ENVIRONMENT, r"(?m)\\begin\{(\w+)\*?\}|\\(part|chapter|(?:sub)*section|paragraph)\*?(?:\[[^\]]*\])?\{|\\bibitem(?:\[[^\]]*\])?\{([^{}]*)\}|\\end\{thebibliography\}"
}
pattern! {
    COMMAND,
    concat!(
            r"(%[^\n]*)",                               // 1 comment
            r"|\\(?:begin|end)\{\w+\*?\}(?:\[[^\]\n]*\])?",
            r"|\\(?:verb|lstinline)\*?([^\sa-zA-Z*\[{])", // 2 inline code
            r"|\\((?:[a-zA-Z]*[cC]ite[a-zA-Z]*)|href|url|nolinkurl|footnote|footnotetext|thanks|label|ref|eqref|pageref|includegraphics|input|include|usepackage|documentclass|bibliographystyle|bibliography|addbibresource|newcommand|renewcommand|vspace|hspace)\*?(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])*\{", // 3 command
            r"|(\\[a-zA-Z]+\*?(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])?)", // 4 other command
            r"|\\([%&$#_{} ])",                                     // 5 escaped sign
            r"|(\\\\|~|\\[,;:!])",                                  // 6 blank
            r"|(``|'')|[{}]|\\[-/]",                                // 7 quotation
        )
}

/// Reads a document.
pub(super) fn parse(text: &str) -> Doc {
    let braces = Pairs::new(text, [b'{', b'}'], Some(b'\\'));
    let parts = parts(text, &braces);
    let mut count = 0;
    let mut write = |writer: &mut Writer, range: Range<usize>| {
        let mut notes = Vec::new();
        inline(writer, text, range, &COMMAND, |writer, form| {
            let whole = form.get(0).map_or(0..0, |whole| whole.range());
            let tail = text.get(whole.end..).unwrap_or_default();
            if let Some(sign) = form.get(2) {
                let length = tail.find(sign.as_str()).unwrap_or(0);
                writer.code(whole.end, tail.get(..length).unwrap_or_default());
                return whole.end + length + 1;
            }
            if let Some(name) = form.get(3) {
                let inner = argument(&braces, whole.end);
                let end = inner.end + 1;
                let own = text.get(inner.clone()).unwrap_or_default();
                match name.as_str() {
                    "url" | "nolinkurl" => writer.whole_link(whole.start, url(own), (end, "")),
                    "href" => {
                        let is_open = text.get(end..).is_some_and(|tail| tail.starts_with('{'));
                        let label = argument(&braces, end + usize::from(is_open));
                        writer.link(whole.start, url(own));
                        words(writer, text, label.clone());
                        writer.end_link();
                        return if is_open { label.end + 1 } else { end };
                    }
                    "footnote" | "footnotetext" | "thanks" => {
                        count += 1;
                        let name = format!("\u{0}{count}");
                        writer.point(whole.start, Some(name.clone()), Vec::new());
                        notes.push((name, inner));
                    }
                    name if name.to_ascii_lowercase().contains("cite") => {
                        for key in own.split(',') {
                            writer.point(whole.start, Some(key.trim().to_owned()), Vec::new());
                        }
                    }
                    _ => {}
                }
                return end;
            }
            if let Some(sign) = form.get(5) {
                writer.text(sign.start(), sign.as_str());
            } else if form.get(6).is_some() || form.get(4).is_some() && tail.starts_with(' ') {
                writer.text(whole.start, " ");
            } else if form.get(7).is_some() {
                writer.text(whole.start, "\"");
            } else if tail.starts_with('{') && text.get(whole.clone()) == Some("}") {
                writer.text(whole.start, " "); // `\pair{oaks}{elms}`
            }
            whole.end
        });
        notes
    };
    let flow = Flow {
        text,
        writer: Writer::default(),
        inline: &mut write,
    };
    flow.write(parts).finish()
}

/// What is up to the brace that closes the one before this place.
fn argument(braces: &Pairs, start: usize) -> Range<usize> {
    const LONGEST: usize = 20_000;
    let end = braces.closing(start);
    let near = end.filter(|end| end - start < LONGEST);
    start..near.unwrap_or(start)
}

/// Code, tables, headings, and the entries of the bibliography.
fn parts(text: &str, braces: &Pairs) -> Vec<(Range<usize>, Part)> {
    let mut found: Vec<(Range<usize>, Part)> = Vec::new();
    // what comes before the document itself is not text of it
    let start = text.find("\\begin{document}").unwrap_or(0);
    found.push((0..start, Part::Hidden));
    let mut until = start;
    let mut entry: Option<(usize, String)> = None;
    for form in ENVIRONMENT.captures_iter(text) {
        let Some(whole) = form.get(0).map(|whole| whole.range()) else {
            continue;
        };
        if whole.start < until {
            continue;
        }
        if let Some(name) = form.get(1).map(|name| name.as_str()) {
            let is_code = CODE.contains(&name);
            if !is_code && !TABLES.contains(&name) {
                continue;
            }
            let tail = text.get(whole.end..).unwrap_or_default();
            let end = tail.find(&format!("\\end{{{name}"));
            let end = end.map_or(text.len(), |length| whole.end + length);
            let first = tail.find('\n').map_or(end, |length| whole.end + length);
            let (start, part) = if is_code {
                (whole.start, Part::Code)
            } else {
                found.push((whole.start..first.min(end), Part::Hidden));
                (first.min(end), Part::Drawing)
            };
            found.push((start..end, part));
            until = end;
        } else if let Some(name) = form.get(2).map(|name| name.as_str()) {
            let level = match name {
                "part" | "chapter" => 1,
                "paragraph" => 6,
                _ => {
                    2 + u8::try_from(name.matches("sub").count())
                        .unwrap_or(0)
                        .min(3)
                }
            };
            let inner = argument(braces, whole.end);
            found.push((whole.start..whole.end, Part::Hidden));
            found.push((inner.clone(), Part::Heading(level)));
            found.push((inner.end..inner.end + 1, Part::Hidden));
        } else {
            if let Some((start, key)) = entry.take() {
                found.push((start..whole.start, Part::Note(key)));
            }
            let key = form.get(3).map(|key| key.as_str().trim().to_owned());
            entry = key.map(|key| (whole.end, key));
        }
    }
    found
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
