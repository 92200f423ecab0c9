//! Markdown: links, reference links, footnotes, autolinks, bare URLs, and
//! lists of sources.

use super::*;

fn read(text: &str) -> Vec<(String, u64, u64, Option<String>)> {
    cited(text, Format::Markdown)
        .into_iter()
        .map(|one| {
            let claim = one.claim.as_deref().map(str::to_owned);
            (one.url, one.line, one.column, claim)
        })
        .collect()
}

fn one(url: &str, line: u64, column: u64, claim: &str) -> (String, u64, u64, Option<String>) {
    (url.to_owned(), line, column, Some(claim.to_owned()))
}

#[test]
fn citations_of_one_sentence_share_its_text() {
    let text = format!("{}\n\n[1]: https://a.invalid/\n", "see [1]. ".repeat(2000));
    let found = cited(&text, Format::Markdown);
    let mut texts: Vec<*const u8> = found
        .iter()
        .filter_map(|one| Some(one.claim.as_ref()?.as_ptr()))
        .collect();
    assert_eq!(texts.len(), 2000);
    texts.dedup();
    assert!(texts.len() < 20, "{} texts", texts.len());
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
fn a_label_of_one_letter_makes_no_list_of_sources() {
    let text = "Trees cool [streets][a]. Oaks cool [roads][a].\n\n[a]: https://a.example/x\n";
    assert_eq!(
        read(text),
        [
            one("https://a.example/x", 1, 12, "Trees cool streets."),
            one("https://a.example/x", 1, 36, "Oaks cool roads."),
        ]
    );
}

#[test]
fn numbers_of_changes_and_broken_definitions_are_no_claims() {
    let text = "- Doc improvements [#632](https://a.example/632) [#634](https://a.example/634)\n";
    let claims: Vec<_> = read(text).into_iter().filter_map(|one| one.3).collect();
    assert_eq!(claims, ["Doc improvements", "Doc improvements"]);
    let text = "[#1]: https://a.example/for merged/1\n[#2]: https://a.example/2\n";
    assert!(read(text).into_iter().all(|one| one.3.is_none()));
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
        ..OPTIONS
    };
    assert_eq!(mentions(text, Format::Markdown, options).unwrap().len(), 2);
}

#[test]
fn directives_that_hold_text_are_read_and_others_are_code() {
    let text = "```{note}\nOaks are [old](https://a.example/x) trees.\n```\n\n```{code-block} python\nget(\"https://b.example/\")\n```\n\n\
                ````{warning}\nElms are [tall](https://c.example/z) trees.\n\n```\nget(\"https://d.example/\")\n```\n````\n\n\
                ```\n```{note}\nhttps://e.example/\n```\n";
    assert_eq!(
        read(text),
        [
            one("https://a.example/x", 2, 10, "Oaks are old trees."),
            one("https://c.example/z", 10, 10, "Elms are tall trees."),
        ]
    );
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
    assert_eq!(
        claims(text, Format::Markdown),
        [
            super::one("https://a.example/x", "Oaks are old"),
            super::one("https://b.example/y", "Elms are tall"),
        ]
    );
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
        let found = claims(text, Format::Markdown);
        assert_eq!(found, [super::one("https://a.example/x", claim)], "{text}");
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
        let found = claims(text, Format::Markdown);
        assert_eq!(found, [super::one("https://a.example/x", claim)], "{text}");
    }
    assert_eq!(
        read(r"See https://a.example/x\_y&amp;z\#q now.")[0].0,
        "https://a.example/x_y&z#q"
    );
}

#[test]
fn a_short_sentence_with_a_mark_is_its_own_claim() {
    let list =
        "\n\n## References\n\n[1] Harbour. https://a.example/1\n[2] Line. https://a.example/2\n";
    for own in [
        "It opened in 1999",
        "The line has six vessels",
        "It has 9 vessels",
        "He died in 1999",
        "Of these, 40 % failed",
        "Line 5 is closed",
        "It closed",
        "9 vessels in 1999",
        "More than 40 failed",
    ] {
        let claim = |cited: &str| Some(format!("{own}.")).filter(|_| !cited.is_empty());
        for cited in [
            "[2]",
            "([source](https://a.example/2))",
            "(https://a.example/2)",
        ] {
            let text = format!("The bridge opened in May 2021 [1]. {own} {cited}.{list}");
            let seen: Vec<Option<String>> = read(&text)
                .into_iter()
                .filter(|one| one.1 == 1 && one.0.ends_with('2'))
                .map(|one| one.3)
                .collect();
            assert_eq!(seen, [claim(cited)], "{text}");
        }
        let note = format!(
            "The bridge opened [^1]. {own} [^2].\n\n[^1]: https://a.example/1\n[^2]: https://a.example/2\n"
        );
        assert_eq!(read(&note)[1].3, claim("[^2]"), "{note}");
    }
}

#[test]
fn a_sentence_that_only_points_takes_the_one_before_unless_that_cites_another_source() {
    let list =
        "\n\n## References\n\n[1] Harbour. https://a.example/1\n[2] Line. https://a.example/2\n";
    let fact = "The ferry carried 412,000 people";
    for points in [
        "See",
        "Source:",
        "Reuters, 2021",
        "The Guardian",
        "Read more",
    ] {
        for (mark, claim) in [
            ("", Some(fact)),
            (" [1]", Some(fact)),
            (" [2]", None),
            (" [7]", None),
        ] {
            let text = format!("{fact}{mark}. {points} [1].{list}");
            let seen = read(&text);
            let final_one = seen.iter().rfind(|one| one.1 == 1).unwrap();
            assert_eq!(
                final_one.3,
                claim.map(|claim| format!("{claim}.")),
                "{text}"
            );
        }
    }
    let link = format!("{fact} [7]. [Reuters](https://a.example/2).{list}");
    assert_eq!(read(&link)[0].3, None);
}

#[test]
fn a_mark_without_an_entry_is_reported() {
    let dangling = |text: &str| {
        let reading = super::super::read(text, Format::Markdown, OPTIONS).unwrap();
        reading.dangling
    };
    let list =
        "\n\n## References\n\n[1] Harbour. https://a.example/1\n[3] A book without a page.\n";
    for (text, mark) in [
        ("Trees cool [7].", "[7]"),
        ("Trees cool [1, 7].", "[1, 7]"),
        ("Trees cool[7].", "[7]"),
    ] {
        let shown = [(1, mark.to_owned())];
        assert_eq!(dangling(&format!("{text}{list}")), shown, "{text}");
        assert_eq!(dangling(text), [], "no list: {text}");
    }
    for text in [
        "Trees cool [1].",
        "Trees cool [3].",
        "Trees cool [2021].",
        "Trees cool `a[7]`.",
        "Call it with a_b[7] = 3.",
        "It lies in [0, 7].",
        "Trees cool [7](https://a.example/7).",
    ] {
        assert_eq!(dangling(&format!("{text}{list}")), [], "{text}");
    }
    let notes = "Trees cool [^7]. Oaks grow [^1].\n\n[^1]: https://a.example/1\n";
    assert_eq!(dangling(notes), [(1, "[^7]".to_owned())]);
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
            Some("It counted 41,000 trees."),
        ),
        (
            "## Trees\n\nSource: [the study](https://a.example/x)\n",
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
    let text =
        "Trees cool streets.[1][2] Oaks.\n\n[1]: https://a.example/x\n[2]: https://b.example/y\n";
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
        let found = claims(text, Format::Markdown);
        assert_eq!(found, [super::one(url, "Trees cool.")], "{text}");
        let plain = ReadOptions {
            identifiers: false,
            ..OPTIONS
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
