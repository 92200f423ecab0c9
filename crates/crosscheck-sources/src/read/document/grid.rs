//! Tables that are drawn with lines of text.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::structure::Table;

static COLUMNS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"cols=(?:"([^"]+)"|([^,\]]+))"#).ok());

/// A table of AsciiDoc: the lines between its fences, and the line of
/// attributes before it. The first row is the head where a blank line follows
/// it, or the attributes say so.
pub(super) fn adoc(text: &str, lines: &[Range<usize>], attributes: &str) -> Option<Table> {
    let words = |line: &Range<usize>| text.get(line.clone()).unwrap_or_default();
    let mut lines = lines
        .iter()
        .skip_while(|line| words(line).trim().is_empty())
        .peekable();
    let mut cells: Vec<Range<usize>> = Vec::new();
    let mut columns = columns(attributes);
    let mut has_head = attributes.contains("header");
    while let Some(line) = lines.next() {
        let is_first = cells.is_empty();
        add_cells(words(line), line.start, &mut cells);
        if is_first {
            columns = columns.or(Some(cells.len()));
            let is_apart = lines
                .peek()
                .is_some_and(|next| words(next).trim().is_empty());
            has_head |= is_apart && columns == Some(cells.len());
        }
    }
    let columns = columns.filter(|columns| *columns > 0)?;
    let mut rows: Vec<Vec<Range<usize>>> = cells.chunks(columns).map(<[_]>::to_vec).collect();
    let head = if has_head && !rows.is_empty() {
        rows.remove(0)
    } else {
        Vec::new()
    };
    Some(Table { head, rows })
}

/// How many columns the attributes give: `cols="1,2"`, `cols="3*"`.
fn columns(attributes: &str) -> Option<usize> {
    let form = COLUMNS.as_ref()?.captures(attributes)?;
    let given = form.get(1).or(form.get(2))?.as_str();
    match given.split_once('*') {
        Some((count, _)) => count.trim().parse().ok(),
        None => Some(given.split(',').count()),
    }
}

/// Cells begin with a bar; what stands before the first one on a line belongs
/// to the cell before.
fn add_cells(words: &str, start: usize, cells: &mut Vec<Range<usize>>) {
    let is_bar = |(at, _): &(usize, &str)| !words.get(..*at).is_some_and(|w| w.ends_with('\\'));
    let bars: Vec<usize> = words
        .match_indices('|')
        .filter(is_bar)
        .map(|(at, _)| at)
        .collect();
    let before = bars.first().copied().unwrap_or(words.len());
    // `a|`, `2+|`: how the cell is set
    let is_kind = words.get(..before).is_some_and(|kind| kind.len() <= 4) && !bars.is_empty();
    if let Some(last) = cells.last_mut().filter(|_| !is_kind && before > 0) {
        last.end = start + before;
    }
    for (number, bar) in bars.iter().enumerate() {
        let end = bars.get(number + 1).copied().unwrap_or(words.len());
        cells.push(start + bar + 1..start + end);
    }
}

/// A grid of reStructuredText. Rows of several lines are left out: their cells
/// stand in no one place.
pub(super) fn rst(text: &str, lines: &[Range<usize>]) -> Table {
    let words = |line: &Range<usize>| text.get(line.clone()).unwrap_or_default();
    let mut table = Table::default();
    let mut border = "";
    let mut row: Vec<&Range<usize>> = Vec::new();
    for line in lines {
        if !words(line).trim_start().starts_with('+') {
            row.push(line);
            continue;
        }
        let cells = match row.as_slice() {
            [only] => grid_cells(words(only), only.start, border),
            _ => Vec::new(),
        };
        border = words(line);
        if border.contains('=') && table.rows.is_empty() {
            table.head = cells;
        } else if !cells.is_empty() {
            table.rows.push(cells);
        }
        row.clear();
    }
    table
}

/// The cells of a row below a border such as `+---+---+`; none where cells span columns.
fn grid_cells(words: &str, start: usize, border: &str) -> Vec<Range<usize>> {
    let places: Vec<(usize, char)> = words.char_indices().collect();
    let corners = border.chars().enumerate().filter(|(_, c)| *c == '+');
    let bars: Option<Vec<usize>> = corners
        .map(|(corner, _)| {
            let (at, c) = places.get(corner)?;
            (*c == '|').then_some(*at)
        })
        .collect();
    let bars = bars.unwrap_or_default();
    let cells = bars.iter().zip(bars.iter().skip(1));
    cells
        .map(|(bar, next)| start + bar + 1..start + next)
        .collect()
}

/// Whether a line is the border of a simple table: `=====  =====`.
pub(super) fn is_border(words: &str) -> bool {
    let words = words.trim();
    words.contains("= ") && words.starts_with("==") && words.chars().all(|c| matches!(c, '=' | ' '))
}

/// A simple table of reStructuredText, from its first border to its last.
/// Rows of several lines are left out.
pub(super) fn simple(text: &str, lines: &[Range<usize>]) -> Table {
    let words = |line: &Range<usize>| text.get(line.clone()).unwrap_or_default();
    let borders = lines.iter().filter(|line| is_border(words(line))).count();
    let Some(border) = lines.first().map(words) else {
        return Table::default();
    };
    let mut table = Table::default();
    let mut passed = 0;
    let mut rows: Vec<Vec<Range<usize>>> = Vec::new();
    for line in lines {
        if is_border(words(line)) {
            passed += 1;
            if passed == 2 && borders > 2 {
                table.head = rows.pop().filter(|_| rows.is_empty()).unwrap_or_default();
                rows.clear();
            }
            continue;
        }
        let cells = simple_cells(words(line), line.start, border);
        let is_blank = |cell: &Range<usize>| words(cell).trim().is_empty();
        if cells.first().is_none_or(is_blank) {
            rows.pop(); // the row goes on
        } else {
            rows.push(cells);
        }
    }
    table.rows = rows;
    table
}

/// The cells below the parts of a border; the last one goes on to the end of the line.
fn simple_cells(words: &str, start: usize, border: &str) -> Vec<Range<usize>> {
    let mut before = ' ';
    let mut places = words.char_indices().map(|(at, _)| at);
    let mut columns = Vec::new();
    for sign in border.chars() {
        // a line that ends here has no further cells
        let Some(place) = places.next() else {
            break;
        };
        if sign == '=' && before != '=' {
            columns.push(place);
        }
        before = sign;
    }
    let ends = columns.iter().skip(1).copied().chain([words.len()]);
    columns
        .iter()
        .zip(ends)
        .map(|(from, to)| start + from..start + to)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Format, ReadOptions, mentions};

    #[test]
    fn a_mark_in_a_table_cites_the_row_with_its_headings() {
        let adoc = "|===\n|Model |Score |Source\n\n|Alpha |61.2 |https://a.example/1\n\n|Beta\n|64.8\n|https://a.example/2\n|===\n";
        let listed = "[cols=\"1,1,1\",options=\"header\"]\n|===\n|Model\n|Score\n|Source\n|Alpha\n|61.2\n|https://a.example/1\n|Beta\n|64.8\n|https://a.example/2\n|===\n";
        let rst = "+-------+-------+---------------------+\n| Model | Score | Source              |\n+=======+=======+=====================+\n\
                   | Alpha | 61.2  | https://a.example/1 |\n+-------+-------+---------------------+\n\
                   | Beta  | 64.8  | https://a.example/2 |\n+-------+-------+---------------------+\n";
        let simple = "=====  =====  ===================\nModel  Score  Source\n=====  =====  ===================\n\
                      Alpha  61.2   https://a.example/1\nBeta   64.8   https://a.example/2\n=====  =====  ===================\n\nEnd.\n";
        let inset = "  =====  =====  =======\n  Model  Score  Source\n  =====  =====  =======\n  Alpha  61.2   one_\n  Beta   64.8   two_\n\
                     \x20 =====  =====  =======\n.. _one: https://a.example/1\n.. _two: https://a.example/2\n";
        let marked = "| Model | Score | Source |\n|---|---|---|\n| Alpha | 61.2 | [1] |\n| Beta | 64.8 | [2] |\n\n[1] https://a.example/1\n[2] https://a.example/2\n";
        let notes = "| Model | Score |\n|---|---|\n| Alpha | 61.2 [^1] |\n| Beta [^2] | 64.8 |\n\n[^1]: https://a.example/1\n[^2]: https://a.example/2\n";
        let html = "<table><tr><th>Model</th><th>Score</th></tr><tr><td>Alpha</td><td>61.2<sup>1</sup></td></tr><tr><td>Beta</td><td>64.8 [2]</td></tr></table>\n\
                    <h2>References</h2><ol><li>https://a.example/1</li><li>https://a.example/2</li></ol>";
        for (text, format) in [
            (adoc, Format::Adoc),
            (listed, Format::Adoc),
            (rst, Format::Rst),
            (simple, Format::Rst),
            (inset, Format::Rst),
            (marked, Format::Markdown),
            (notes, Format::Markdown),
            (html, Format::Html),
        ] {
            let options = ReadOptions {
                include_code: false,
                identifiers: true,
            };
            let found = mentions(text, format, options).unwrap();
            let seen: Vec<(&str, Option<&str>)> = found
                .iter()
                .map(|one| (one.url.as_str(), one.claim.as_deref()))
                .collect();
            assert_eq!(
                seen,
                [
                    ("https://a.example/1", Some("Alpha, Score 61.2")),
                    ("https://a.example/2", Some("Beta, Score 64.8")),
                ],
                "{text}"
            );
        }
    }

    #[test]
    fn a_table_without_headings_keeps_its_figures() {
        let html = "<table><tr><td>1</td><td>Alpha</td><td>61.2<sup>1</sup></td></tr></table>\n\
                    <h2>References</h2><ol><li>https://a.example/1</li></ol>";
        let options = ReadOptions {
            include_code: false,
            identifiers: true,
        };
        let found = mentions(html, Format::Html, options).unwrap();
        assert_eq!(found[0].claim.as_deref(), Some("Alpha, 61.2"));
    }

    #[test]
    fn a_mark_in_a_cell_cites_neither_another_marks_cell_nor_more_than_its_sentence() {
        let list = "\n\n[1] https://a.example/1\n[2] https://a.example/2\n";
        for (row, claim) in [
            ("| Alpha | 61.2 [1] | 2020 [2] |", "Alpha, Score 61.2"),
            (
                "| Alpha | 61.2 [1] | 2020 |",
                "Alpha, Score 61.2, Year 2020",
            ),
            (
                "| Alpha | The model beats every other model by far [1]. Beta is slow [2]. | 2020 |",
                "The model beats every other model by far.",
            ),
        ] {
            let text = format!("| Model | Score | Year |\n|---|---|---|\n{row}{list}");
            let options = ReadOptions {
                include_code: false,
                identifiers: true,
            };
            let found = mentions(&text, Format::Markdown, options).unwrap();
            assert_eq!(found[0].claim.as_deref(), Some(claim), "{row}");
        }
    }
}
