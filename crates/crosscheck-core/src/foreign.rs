//! The one writer of foreign text for each format.
//!
//! Text of logs, pages, databases and models is untrusted: it may steer a
//! terminal, reorder a line, begin markup or add rows to a table. Every report
//! writes it through one of these functions, and none of them lets a control
//! character, a C1 control or a bidirectional sign through.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use crate::text::{cut_units, is_plain, safe_line, terminal_safe, unit_len};

/// Comments have a size limit, and readers lose patience; in UTF-16 units.
const SPAN_MAX: usize = 400;

/// Text on any number of lines, for a terminal.
pub fn terminal(text: &str) -> Cow<'_, str> {
    terminal_safe(text)
}

/// Text on one line, for a terminal and as the content of any other format.
pub fn line(text: &str) -> Cow<'_, str> {
    safe_line(text)
}

/// Markdown: a code span that the text cannot leave. In the cell of a table,
/// where a `|` ends even a code span, use [`markdown_cell`].
pub fn markdown_code(text: &str) -> String {
    let text = line(text);
    let text = short(&text);
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // Markdown readers remove one space on both sides
    let needs_space = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let pad = if needs_space { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Markdown: a sentence, with everything that could be markup escaped.
pub fn markdown_prose(text: &str) -> String {
    let escaped = markdown_cell(text);
    // what would open a list or a rule at the start of a line
    match escaped.chars().next() {
        Some('-' | '=') => format!("\\{escaped}"),
        Some('0'..='9') => escaped.replacen(". ", "\\. ", 1),
        _ => escaped,
    }
}

/// Markdown: the content of one cell of a table.
pub fn markdown_cell(text: &str) -> String {
    let mut escaped = String::new();
    for c in short(&line(text)).chars() {
        match c {
            // a mention or a reference works even when escaped, so it is broken up
            '@' | '#' => escaped.extend(['\\', c].into_iter().chain("&#8203;".chars())),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '.' | ',' | '\'' | ' ' | '-' | '/' | '?' | '"' | ';' | '=' | '%' => escaped.push(c),
            c if c.is_ascii_punctuation() => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

/// HTML: text or the value of a quoted attribute.
pub fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in line(text).chars() {
        match c {
            '<' => escaped.push_str("&#60;"),
            '>' => escaped.push_str("&#62;"),
            '&' => escaped.push_str("&#38;"),
            '"' => escaped.push_str("&#34;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// CSV: one cell. Spreadsheets run cells that begin like a formula, so such
/// cells are made text; where they divide lines at semicolons, a formula could
/// begin behind one, too.
pub fn csv_cell(text: &str) -> Cow<'_, str> {
    let text = without_formulas(text);
    if text.contains([',', '"', ';', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text
    }
}

/// An apostrophe before what begins like a formula.
fn without_formulas(text: &str) -> Cow<'_, str> {
    if text.starts_with(char::is_alphanumeric) && !text.contains(';') {
        return text.into();
    }
    let mut harmless = String::with_capacity(text.len());
    let mut begins = true;
    for c in text.chars() {
        if begins && matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') {
            harmless.push('\'');
        }
        // blanks and quotes before a formula do not change what it is
        begins = c == ';' || begins && matches!(c, ' ' | '"');
        harmless.push(c);
    }
    harmless.into()
}

/// TOML: a basic string with its quotation marks.
pub fn toml_string(text: &str) -> String {
    // what JSON escapes, TOML reads alike
    json_compact(text)
}

/// JSON on one line.
pub fn json_compact(document: &(impl Serialize + ?Sized)) -> String {
    // a value that cannot be written is a mistake of ours; a broken document would hide it
    let text = serde_json::to_string(document).unwrap_or_else(|_| "null".to_owned());
    json_text(text)
}

/// JSON with indentation, without a line feed at the end.
pub fn json_pretty(document: &(impl Serialize + ?Sized)) -> String {
    let text = serde_json::to_string_pretty(document).unwrap_or_else(|_| "null".to_owned());
    json_text(text)
}

/// A JSON text that is there already, canonical or not.
pub fn json_written(text: String) -> String {
    json_text(text)
}

/// A JSON text without raw control and bidirectional characters. JSON allows
/// some of them inside strings, and only there, where the escapes of the
/// terminal filter are valid JSON.
fn json_text(text: String) -> String {
    match terminal_safe(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(safe) => safe,
    }
}

/// The same for documents that are written piece by piece.
pub struct JsonWriter<'w>(pub &'w mut dyn Write);

impl Write for JsonWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    /// The serializer writes whole characters.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if is_plain(bytes) {
            return self.0.write_all(bytes);
        }
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_all(terminal_safe(text).as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn short(text: &str) -> Cow<'_, str> {
    if text.len() <= SPAN_MAX || unit_len(text) <= SPAN_MAX {
        text.into()
    } else {
        format!("{}...", cut_units(text, SPAN_MAX - 3).trim_end()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::steers_terminal;

    const HOSTILE: &str = "a\u{1b}[31m\u{7}\u{9b}\u{85}\u{202e}\u{2066}\u{200f}\u{2028}\r\n| b | <script>`x`</script> \"'";

    #[test]
    fn no_format_lets_a_character_through_that_steers() {
        for text in [
            terminal(HOSTILE).into_owned(),
            line(HOSTILE).into_owned(),
            markdown_code(HOSTILE),
            markdown_prose(HOSTILE),
            markdown_cell(HOSTILE),
            html(HOSTILE),
            csv_cell(&line(HOSTILE)).into_owned(),
            toml_string(HOSTILE),
            json_compact(HOSTILE),
            json_pretty(&[HOSTILE]),
        ] {
            let raw = text.replace("\r\n", "\n");
            assert!(!raw.contains(steers_terminal), "{text:?}");
        }
    }

    #[test]
    fn foreign_text_is_neither_markup_nor_a_second_cell_nor_a_second_line() {
        for text in [
            markdown_cell(HOSTILE),
            markdown_prose(HOSTILE),
            html(HOSTILE),
        ] {
            assert!(!text.contains('<') && !text.contains('\n'), "{text}");
        }
        let cell = markdown_cell("a|b \\| c");
        assert_eq!(cell, "a\\|b \\\\\\| c");
        assert!(!toml_string(HOSTILE).contains('\n'));
    }

    #[test]
    fn json_says_the_same_text() {
        let read: String = serde_json::from_str(&json_compact(HOSTILE)).unwrap();
        assert_eq!(read, HOSTILE);
        let mut written = Vec::new();
        serde_json::to_writer(JsonWriter(&mut written), HOSTILE).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), json_compact(HOSTILE));
    }

    #[test]
    fn a_code_span_is_longer_than_any_backticks_inside() {
        for (text, expected) in [
            ("a", "`a`"),
            ("a``b", "```a``b```"),
            ("`", "`` ` ``"),
            ("", "(empty)"),
            ("a\n\n# b", "`a # b`"),
        ] {
            assert_eq!(markdown_code(text), expected);
        }
    }

    #[test]
    fn prose_can_neither_mark_up_nor_mention() {
        for (text, expected) in [
            ("<b>*x*</b>", "&lt;b&gt;\\*x\\*&lt;/b&gt;"),
            ("@all #1", "\\@&#8203;all \\#&#8203;1"),
            ("[a](b)", "\\[a\\]\\(b\\)"),
            ("- x", "\\- x"),
            ("1. x", "1\\. x"),
            ("https://x", "https\\://x"),
        ] {
            assert_eq!(markdown_prose(text), expected);
        }
    }

    #[test]
    fn a_cell_is_never_a_formula_and_never_two_cells() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a, b", "\"a, b\""),
            ("he said \"no\"", "\"he said \"\"no\"\"\""),
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            (" =1", " '=1"),
            ("\"=1", "\"\"\"'=1\""),
            ("a;=1", "\"a;'=1\""),
            ("a; -1", "\"a; '-1\""),
            ("＝1", "'＝1"),
            ("a-b=c", "a-b=c"),
        ] {
            assert_eq!(csv_cell(text), expected, "{text}");
        }
    }
}
