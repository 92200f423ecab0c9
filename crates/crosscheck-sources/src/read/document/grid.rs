//! Tables that are drawn with lines of text.

use std::ops::Range;

use super::spans::Pairs;
use super::structure::Table;
use crate::pattern::pattern;

/// Cells of a text that are laid into the rows and columns of a table.
#[derive(Default)]
pub(super) struct Layout {
    pub(super) rows: Vec<Vec<Range<usize>>>,
    open: Vec<Range<usize>>,
    /// For each column a cell of a row above that reaches down, and how many rows.
    above: Vec<(usize, Range<usize>)>,
}

/// Cells that span more columns, or reach down in more of them, are drawings.
const SPAN_MAX: usize = 8;

impl Layout {
    /// The next cell of the row that is open.
    pub(super) fn cell(&mut self, range: Range<usize>, wide: usize, high: usize) {
        self.inherit();
        for _ in 0..wide.clamp(1, SPAN_MAX) {
            let column = self.open.len();
            if high > 1 && column < SPAN_MAX {
                self.above
                    .resize(self.above.len().max(column + 1), (0, 0..0));
                if let Some(above) = self.above.get_mut(column) {
                    *above = (high - 1, range.clone());
                }
            }
            self.open.push(range.clone());
        }
    }

    /// Takes the cells that reach into the next columns of the row.
    fn inherit(&mut self) {
        while let Some((rows, range)) = self.above.get_mut(self.open.len())
            && *rows > 0
        {
            *rows -= 1;
            self.open.push(range.clone());
        }
    }

    /// Ends the row; false where there is none.
    pub(super) fn end_row(&mut self) -> bool {
        if self.open.is_empty() {
            return false;
        }
        self.inherit();
        self.rows.push(std::mem::take(&mut self.open));
        true
    }

    /// Whether the row that is open has so many columns.
    fn is_full(&mut self, columns: usize) -> bool {
        if !self.open.is_empty() {
            self.inherit();
        }
        self.open.len() >= columns
    }
}

pattern! {
    COLUMNS, r#"cols=(?:"([^"]+)"|([^,\]]+))"#
}

/// A table of AsciiDoc: the lines between its fences, and the line of
/// attributes before it. The first row is the head where a blank line follows
/// it, or the attributes say so.
pub(super) fn adoc(text: &str, lines: &[Range<usize>], attributes: &str) -> Option<Table> {
    let words = |line: &Range<usize>| text.get(line.clone()).unwrap_or_default();
    let mut lines = lines
        .iter()
        .skip_while(|line| words(line).trim().is_empty())
        .peekable();
    let mut cells: Vec<AdocCell> = Vec::new();
    let mut columns = columns(attributes);
    let mut has_head = attributes.contains("header");
    while let Some(line) = lines.next() {
        let is_first = cells.is_empty();
        add_cells(words(line), line.start, &mut cells);
        if is_first {
            let wide = cells.iter().map(|cell| cell.wide).sum();
            columns = columns.or(Some(wide));
            let is_apart = lines
                .peek()
                .is_some_and(|next| words(next).trim().is_empty());
            has_head |= is_apart && columns == Some(wide);
        }
    }
    let columns = columns.filter(|columns| *columns > 0)?;
    let mut layout = Layout::default();
    for cell in cells {
        layout.cell(cell.range, cell.wide, cell.high);
        if layout.is_full(columns) {
            layout.end_row();
        }
    }
    layout.end_row();
    let rows = layout
        .rows
        .split_off(layout.rows.len().min(usize::from(has_head)));
    Some(Table {
        head: layout.rows,
        rows,
    })
}

/// How many columns the attributes give: `cols="1,2"`, `cols="3*"`.
fn columns(attributes: &str) -> Option<usize> {
    let form = COLUMNS.captures(attributes)?;
    let given = form.get(1).or(form.get(2))?.as_str();
    match given.split_once('*') {
        Some((count, _)) => count.trim().parse().ok(),
        None => Some(given.split(',').count()),
    }
}

/// A cell, and how many columns and rows it spans.
struct AdocCell {
    range: Range<usize>,
    wide: usize,
    high: usize,
}

pattern! {
    /// `2+`, `.3+`, `2.3+` before the bar of a cell; `2*` repeats it.
    SPANS, r"(?:^|\s)(?:([0-9]{1,2})?(?:\.([0-9]{1,2}))?\+|([0-9]{1,2})\*)[<^>.a-z]{0,4}$"
}

/// Cells begin with a bar; what comes before the first one on a line belongs
/// to the cell before.
fn add_cells(words: &str, start: usize, cells: &mut Vec<AdocCell>) {
    let is_bar = |(at, _): &(usize, &str)| !words.get(..*at).is_some_and(|w| w.ends_with('\\'));
    let bars: Vec<usize> = words
        .match_indices('|')
        .filter(is_bar)
        .map(|(at, _)| at)
        .collect();
    let before = bars.first().copied().unwrap_or(words.len());
    // `a|`: how the cell is set
    let is_kind = words.get(..before).is_some_and(|kind| kind.len() <= 4) && !bars.is_empty();
    if let Some(last) = cells.last_mut().filter(|_| !is_kind && before > 0) {
        last.range.end = start + before;
    }
    for (number, bar) in bars.iter().enumerate() {
        let end = bars.get(number + 1).copied().unwrap_or(words.len());
        let head = words.get(..*bar).unwrap_or_default();
        let kind = SPANS.captures(head);
        let count = |group: usize| {
            let kind = kind.as_ref().and_then(|kind| kind.get(group));
            kind.and_then(|count| count.as_str().parse().ok())
                .unwrap_or(1)
        };
        if let (Some(kind), Some(last)) = (&kind, cells.last_mut()) {
            let begins = kind.get(0).map_or(*bar, |kind| kind.start());
            last.range.end = last.range.end.min(start + begins).max(last.range.start);
        }
        for _ in 0..count(3).min(SPAN_MAX) {
            cells.push(AdocCell {
                range: start + bar + 1..start + end,
                wide: count(1),
                high: count(2),
            });
        }
    }
}

/// A grid of reStructuredText. Rows of several lines are left out: their cells
/// have no one place.
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
        let mut cells = match row.as_slice() {
            [only] => grid_cells(words(only), only.start, border),
            _ => Vec::new(),
        };
        // below a gap in the border the cell above goes on
        let gaps = gaps(border).into_iter();
        let above = table.rows.last().into_iter().flatten();
        for ((cell, above), _) in cells
            .iter_mut()
            .zip(above)
            .zip(gaps)
            .filter(|(_, gap)| *gap)
        {
            *cell = above.clone();
        }
        border = words(line);
        if border.contains('=') && table.rows.is_empty() {
            table.head = vec![cells];
        } else if !cells.is_empty() {
            table.rows.push(cells);
        }
        row.clear();
    }
    table
}

/// The cells of a row below a border such as `+---+---+`; one without a bar below
/// a corner spans the columns on both sides of it.
fn grid_cells(words: &str, start: usize, border: &str) -> Vec<Range<usize>> {
    let places: Vec<(usize, char)> = words.char_indices().collect();
    let corners = border.chars().enumerate().filter(|(_, c)| *c == '+');
    let bars = corners.map(|(corner, _)| {
        let at = places.get(corner);
        at.and_then(|(at, c)| (*c == '|').then_some(*at))
    });
    let bars: Vec<Option<usize>> = bars.collect();
    let columns = 0..bars.len().saturating_sub(1);
    let cells = columns.map(|column| {
        let from = bars.get(..=column)?.iter().rev().flatten().next()?;
        let to = bars.get(column + 1..)?.iter().flatten().next()?;
        Some(start + from + 1..start + to)
    });
    cells.collect::<Option<_>>().unwrap_or_default()
}

/// For each column whether its border is open.
fn gaps(border: &str) -> Vec<bool> {
    let inner = border.trim().trim_matches('+').split('+');
    inner.map(|part| part.trim().is_empty()).collect()
}

pattern! {
    /// Space and lines between the rows of a table of LaTeX.
    RULES,
    r"^(?:\*?\[[^\]\n]*\])?(?:\s*(?:%[^\n]*\n|\\(?:hline|[a-z]*rule|cline|end[a-z]*head)\b(?:\([^)]*\)|\[[^\]]*\]|\{[^}]*\})*))*"
}
pattern! {
    /// How many columns and rows a cell spans.
    MERGED, r"^\\multi(?:column\{([0-9]{1,2})\}|row(?:\[[^\]]*\])?\{([0-9]{1,2})\})(?:\[[^\]]*\])?\{[^}]*\}\{"
}

/// A table of LaTeX. Its head ends where the first line below a row is drawn.
pub(super) fn tex(text: &str, range: Range<usize>, braces: &Pairs) -> Table {
    let mut layout = Layout::default();
    let mut heads = None;
    let (mut start, mut at, mut depth) = (range.start, range.start, 0_usize);
    while at <= range.end {
        let rest = text.get(at..range.end).unwrap_or_default();
        let sign = rest.bytes().next();
        let is_row = rest.starts_with("\\\\") || sign.is_none();
        let is_end = depth == 0 && (is_row || sign == Some(b'&'));
        if is_end {
            let before = layout.open.is_empty();
            let own = text.get(start..at).unwrap_or_default();
            let rule = RULES.find(own).filter(|_| before);
            let rule = rule.map_or(0, |rule| rule.end());
            let is_ruled = own.get(..rule).is_some_and(|rule| rule.contains('\\'));
            if is_ruled && !layout.rows.is_empty() {
                heads.get_or_insert(layout.rows.len());
            }
            tex_cell(text, start + rule..at, braces, &mut layout);
            if is_row {
                layout.end_row();
            }
        }
        let step = match sign {
            Some(b'\\') => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            Some(b'%') => rest.find('\n').unwrap_or(rest.len()),
            Some(_) => rest.chars().next().map_or(1, char::len_utf8),
            None => 1,
        };
        depth = match sign {
            Some(b'{') => depth + 1,
            Some(b'}') => depth.saturating_sub(1),
            _ => depth,
        };
        at += step;
        start = if is_end { at } else { start };
    }
    let rows = layout.rows.split_off(heads.unwrap_or(0));
    Table {
        head: layout.rows,
        rows,
    }
}

/// Adds a cell; what a row above reaches down to is left empty in LaTeX.
fn tex_cell(text: &str, range: Range<usize>, braces: &Pairs, layout: &mut Layout) {
    let own = text.get(range.clone()).unwrap_or_default();
    let start = range.start + own.len() - own.trim_start().len();
    let form = MERGED.captures(own.trim());
    let count = |group: usize| {
        let count = form.as_ref().and_then(|form| form.get(group));
        count
            .and_then(|count| count.as_str().parse().ok())
            .unwrap_or(1)
    };
    let inner = form.as_ref().and_then(|form| {
        let start = start + form.get(0)?.end();
        Some(start..braces.closing(start)?)
    });
    let is_below = layout
        .above
        .get(layout.open.len())
        .is_some_and(|(rows, _)| *rows > 0);
    if !own.trim().is_empty() || !is_below {
        layout.cell(
            inner.unwrap_or(start..start + own.trim().len()),
            count(1),
            count(2),
        );
    } else {
        layout.inherit();
    }
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
                table.head = rows.pop().filter(|_| rows.is_empty()).into_iter().collect();
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
    use super::super::Format;
    use super::super::tests::cited;

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
            let found = cited(text, format);
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
        let found = cited(html, Format::Html);
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
            let found = cited(&text, Format::Markdown);
            assert_eq!(found[0].claim.as_deref(), Some(claim), "{row}");
        }
    }
}
