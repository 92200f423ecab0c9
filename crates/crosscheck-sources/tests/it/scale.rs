//! A document with four times as many citations takes about four times as long,
//! however they are written: what grows with the square takes sixteen times.

use std::fs;

use crosscheck_core::NoListener;
use crosscheck_fetch::FetchSettings;
use crosscheck_sources::check::Checker;
use crosscheck_sources::read::document::{Format, ReadOptions, read};
use crosscheck_sources::run::documents::{CitingDocument, check};
use crosscheck_sources::settings::Settings;

const LIST: &str = "\n\n## References\n\n[1] One. https://a.example/1\n\n[2] Two. https://a.example/2\n\n[3] Three. https://a.example/3\n";

/// Name of the document, and its beginning, a piece of it and its end. `{n}` is the number of the piece.
const FORMS: &[(&str, &str, &str, &str)] = &[
    ("mark.md", "", "see [1]. ", LIST),
    ("marks.md", "", "Trees cool streets [1][2][3]. ", LIST),
    ("only-marks.md", "", "[1][2][3]", LIST),
    ("lost-marks.md", "", "streets[7][8]", LIST),
    ("sup.md", "", "Trees cool streets<sup>1</sup>. ", LIST),
    ("raised.md", "", "Trees cool streets¹. ", LIST),
    (
        "footnotes.md",
        "",
        "Trees cool.[^1] ",
        "\n\n[^1]: https://a.example/1\n",
    ),
    (
        "own-notes.md",
        "",
        "Trees cool {n}.[^{n}]\n\n[^{n}]: https://a.example/{n}\n\n",
        "",
    ),
    ("arxiv.md", "", "See arXiv:2001.1{n}. ", ""),
    ("pmid.md", "", "See PMID: 1{n}. ", ""),
    ("doi.md", "", "See doi:10.1000/{n}. ", ""),
    ("bare.md", "", "See https://a.example/{n}. ", ""),
    (
        "links.md",
        "",
        "Trees cool [{n} streets](https://a.example/{n}). ",
        "",
    ),
    ("sentence.md", "", "[{n}](https://a.example/{n}) and ", "."),
    (
        "defined.md",
        "",
        "Trees cool [streets][name]. ",
        "\n\n[name]: https://a.example/\n",
    ),
    (
        "table.md",
        "|a|b|\n|---|---|\n",
        "| street {n} | [source](https://a.example/{n}) |\n",
        "",
    ),
    (
        "nested.md",
        "",
        "- a\n  - Street {n} (https://a.example/{n})\n    - b\n",
        "",
    ),
    (
        "sources.md",
        "",
        "Street {n} has 900 trees.\n\nSource: [Trees of street {n}](https://a.example/{n})\n\n",
        "",
    ),
    (
        "titles.md",
        "- The town has 900 trees.\n",
        "  - [Trees of street {n}](https://a.example/{n})\n",
        "",
    ),
    (
        "quotations.md",
        "",
        "> Street {n} has 900 trees.\n> — [Trees of street {n}](https://a.example/{n})\n\n",
        "",
    ),
    (
        "deep-quotations.md",
        "",
        "> > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > Street {n} has trees (https://a.example/{n}).\n\n",
        "",
    ),
    (
        "source-lines.md",
        "The town has 900 trees.\n\n",
        "Source: [Trees of street {n}](https://a.example/{n})\n\n",
        "",
    ),
    (
        "nested.html",
        "<ul>",
        "<li>Street {n} has 900 trees.<ul><li><a href=\"https://a.example/{n}\">Trees of street {n}</a></li></ul>",
        "</ul>",
    ),
    (
        "list.md",
        "## References\n\n",
        "1. Author, A. (2020). Title {n}. https://a.example/{n}\n",
        "",
    ),
    (
        "entry.md",
        "## References\n\n1. Title. ",
        "https://a.example/{n} ",
        "\n",
    ),
    (
        "line.md",
        "",
        "the street {n} (https://a.example/{n}), ",
        ".",
    ),
    (
        "html.md",
        "<div>",
        "Trees cool <a href=\"https://a.example/{n}\">{n} streets</a>. ",
        "</div>",
    ),
    (
        "links.html",
        "<p>",
        "Trees cool <a href=\"https://a.example/{n}\">{n} streets</a>. ",
        "</p>",
    ),
    (
        "sup.html",
        "<p>",
        "Trees cool<sup>1</sup>. ",
        "</p><h2>References</h2><ol><li>One https://a.example/1</li></ol>",
    ),
    (
        "links.rst",
        "",
        "Trees cool `{n} streets <https://a.example/{n}>`_. ",
        "\n",
    ),
    (
        "notes.rst",
        "",
        "Trees cool streets [1]_. ",
        "\n\n.. [1] https://a.example/1\n",
    ),
    (
        "links.tex",
        "",
        "Trees cool \\href{https://a.example/{n}}{{n} streets}. ",
        "\n",
    ),
    (
        "cite.tex",
        "",
        "Trees cool \\cite{a}. ",
        "\n\\begin{thebibliography}{9}\n\\bibitem{a} One \\url{https://a.example/1}\n\\end{thebibliography}\n",
    ),
    (
        "list.bib",
        "",
        "@misc{k{n}, title={Title {n}}, url={https://a.example/{n}}}\n",
        "",
    ),
    (
        "records.jsonl",
        "",
        "{\"text\": \"Trees cool {n} streets (https://a.example/{n}).\"}\n",
        "",
    ),
    (
        "answer.json",
        "{\"text\": \"Trees cool.\", \"sources\": [\"https://a.example/\"",
        ", \"https://a.example/{n}\"",
        "]}",
    ),
    (
        "marked.json",
        "{\"sources\": [\"https://a.example/1\", \"https://a.example/2\"], \"text\": \"",
        "Street {n} is cool [1, 2]. ",
        "\"}",
    ),
    (
        "plain.txt",
        "",
        "Trees cool {n} streets (https://a.example/{n}). ",
        "\n",
    ),
];

/// What cites nothing: a document is one of these, over and over.
const PIECES: &[(&str, &[&str])] = &[
    (
        "a.tex",
        &[
            "\\cite{",
            "\\cite[",
            "\\cite[a]{",
            "\\section{",
            "\\section{a}",
            "\\bibitem{",
            "\\bibitem{a}",
            "\\footnote{",
            "\\url{",
            "\\href{",
            "\\href{}{",
            "\\input{",
            "\\item",
            "\\item[",
            "\\a[",
            "\\a{",
            "{",
            "}",
            "{}",
            "[",
            "\\",
            "\\\\",
            "%",
            "%\n",
            "~",
            "\\verb|",
            "\\verb+",
            "\\begin{",
            "\\begin{a}",
            "\\end{a}",
            "\\begin{verbatim}",
            "\\end{verbatim}",
            "\\ref{",
            "\\ref{a}",
            "\\label{",
            "\\label{a}",
            "label={",
            "``",
            "''",
            "$",
            "\\begin{thebibliography}",
            "\\$\\sim$",
        ],
    ),
    (
        "a.html",
        &[
            "<",
            "<a",
            "<a ",
            "<a href=",
            "<a href=\"",
            "<a href=\"x\">",
            "<p>",
            "<div>",
            "</div>",
            "<b>",
            "</b>",
            "<table>",
            "<tr>",
            "<td>",
            "<table><tr><td>",
            "<!--",
            "<!-- -->",
            "<![CDATA[",
            "<script>",
            "<style>",
            "<sup>",
            "<sup>1</sup>",
            "<ol>",
            "<li>",
            "<li>a</li>",
            "<h1>",
            "<h1>a</h1>",
            "&",
            "&amp;",
            "&#",
            "<svg>",
            "<template>",
            "<base href=x>",
            "<pre>",
            "<code>",
            "<blockquote>",
            "<a name=a>",
            "<i id=a>",
        ],
    ),
    (
        "a.md",
        &[
            "1,",
            "1, ",
            "1,000,",
            "[",
            "]",
            "[]",
            "[a]",
            "[a](",
            "[a](b",
            "[a][",
            "![",
            "![a](",
            "![](b)",
            "<",
            "<a",
            "<a>",
            "<!--",
            "`",
            "``",
            "`a",
            "*",
            "**",
            "*a",
            "_",
            "_a",
            "~~",
            "> ",
            ">",
            "- ",
            "- a\n",
            "1. ",
            "#",
            "# a\n",
            "|",
            "|a",
            "|a|\n|-|\n",
            "```\n",
            "~~~\n",
            "    a\n",
            "[^",
            "[^1",
            "[^1]",
            "[^1]:",
            "[a]: ",
            "[a]: b\n",
            "[1]",
            "[1",
            "[1, ",
            "(",
            "(1",
            "((",
            "&",
            "&amp;",
            "\\",
            "$",
            "$$",
            "<sup>",
            "<sup>1",
            "---\n",
            "===\n",
            "a\n---\n",
            "@",
            "[@a]",
            "[@a; ",
            "http",
            "http://",
            "https://a",
            "www.",
            "doi:",
            "10.",
            "arXiv:",
            "et al. ",
            "(Lee, 2020) ",
            "(Lee, 2020",
            "¹",
            "\"",
            "“",
            ". ",
            "A. ",
            "a",
            "a ",
            "é",
            "界",
            "1 ",
            "\n",
            "\n\n",
            " ",
        ],
    ),
    (
        "a.txt",
        &[
            "(",
            "[1] ",
            "[1]\n",
            "http://",
            "https://a.b/c ",
            "a. ",
            "\"",
            "1",
            "-",
            "\n",
            "1. a\n",
            "10.1/a ",
            "References\n",
        ],
    ),
    (
        "a.bib",
        &[
            "@",
            "@a{",
            "@a{b,",
            "@a{b, url=",
            "@a{b, url={",
            "@a{b}",
            "{",
            "}",
            "\"",
            ",",
            "%\n",
            "@string{",
            "@comment{",
        ],
    ),
    (
        "a.jsonl",
        &[
            "[\n",
            "{}\n",
            "[]\n",
            "1\n",
            "\"\n",
            "{\"text\":\"\"}\n",
            "[[[[\n",
            "{\"a\":{\"a\":1}}\n",
            "\n",
            "x\n",
        ],
    ),
];

/// Four times as much is a list of over 1,000 entries.
const SMALL: usize = 16_000;
/// Between the four times of linear work and the sixteen of its square.
const RATIO_MAX: u64 = 8;
/// What the machine takes in between, in nanoseconds.
const NOISE: u64 = 20_000_000;
/// A busy machine measures too much, never too little.
const TRIES: usize = 4;

fn document(form: &(&str, &str, &str, &str), size: usize) -> String {
    let (_, head, piece, tail) = form;
    let count = size / piece.len();
    let pieces: String = (0..count)
        .map(|n| piece.replace("{n}", &format!("{n:03}")))
        .collect();
    format!("{head}{pieces}{tail}")
}

/// CPU time of this thread, in nanoseconds.
fn cpu() -> u64 {
    let seen = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    seen.split(' ').next().unwrap().parse().unwrap()
}

fn offline() -> Checker {
    let fetch = FetchSettings {
        offline: true,
        ..FetchSettings::default()
    };
    crate::desk::checker(fetch, Settings::default())
}

/// Reads and checks a document; returns how many rows came of it and the time it took.
fn run(name: &str, text: &str, checker: &Checker) -> (usize, u64) {
    let options = ReadOptions {
        include_code: false,
        identifiers: true,
    };
    let before = cpu();
    let reading = read(text, Format::by_name(name), options).unwrap();
    let document = CitingDocument {
        name: name.to_owned(),
        text: text.to_owned(),
        mentions: reading.mentions,
        ignored: Vec::new(),
        bad_lines: reading.bad_lines,
        unclosed: reading.unclosed,
        dangling: reading.dangling,
        links: Vec::new(),
        excluded: 0,
        unread: 0,
        keys: reading.keys,
        bibliographies: 0,
    };
    let report = check(&[document], checker, &mut NoListener);
    assert!(!report.json().is_empty());
    (report.results.len() + report.lint.len(), cpu() - before)
}

#[test]
#[cfg(target_os = "linux")]
fn four_times_the_citations_take_about_four_times_as_long() {
    let checker = offline();
    let mut wrong = Vec::new();
    for form in FORMS {
        let name = form.0;
        let (small, large) = (document(form, SMALL), document(form, 4 * SMALL));
        run(name, &small, &checker); // patterns are compiled once
        let mut best = (u64::MAX, u64::MAX);
        let is_linear = (0..TRIES).any(|_| {
            let (few, short) = run(name, &small, &checker);
            let (many, long) = run(name, &large, &checker);
            assert!(many > 3 * few && few > 20, "{name}: {few} and {many} rows");
            best = (best.0.min(short), best.1.min(long));
            best.1 < RATIO_MAX * best.0 + NOISE
        });
        if !is_linear {
            wrong.push((name, best));
        }
    }
    assert!(wrong.is_empty(), "nanoseconds: {wrong:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn four_times_of_what_cites_nothing_takes_about_four_times_as_long() {
    let checker = offline();
    let mut wrong = Vec::new();
    for (name, pieces) in PIECES {
        for piece in *pieces {
            let small = piece.repeat(SMALL / piece.len());
            let large = piece.repeat(4 * SMALL / piece.len());
            let mut best = (u64::MAX, u64::MAX);
            let is_linear = (0..TRIES).any(|_| {
                best.0 = best.0.min(run(name, &small, &checker).1);
                best.1 = best.1.min(run(name, &large, &checker).1);
                best.1 < RATIO_MAX * best.0 + NOISE
            });
            if !is_linear {
                wrong.push((*name, *piece, best));
            }
        }
    }
    assert!(wrong.is_empty(), "nanoseconds: {wrong:?}");
}
