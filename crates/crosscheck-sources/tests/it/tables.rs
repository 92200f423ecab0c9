//! Tables of documents and of pages whose cells span columns and rows.

use crosscheck_sources::read::document::Format;
use crosscheck_sources::status::SourceStatus::{Suspect, Verified};
use crosscheck_testkit::{Asked, Reply, Site};

use crate::desk::{self, claims};

#[test]
fn a_row_is_read_below_its_own_heads_whatever_spans_columns_and_rows() {
    let html = "<table><tr><th rowspan=2>Tower</th><th colspan=2>Height</th><th rowspan=2>Source</th></tr><tr><th>before</th><th>after</th></tr>\
        <tr><td rowspan=2>Alpha<td>61 m<td>64 m<td><a href='https://a.example/1'>link</a>\
        <tr><td>62 m</td><td></td><td><a href='https://a.example/2'>link</a></td></tr>\
        <tr><td>Beta</td><td colspan=2>none</td><td><a href='https://a.example/3'>link</a></td></tr></table>";
    let rowed = "<table><tr><th>Alpha</th><td>61 m</td><td><a href='https://a.example/1'>source</a></td></tr></table>";
    let plain = "| Site | Fact | Source |\n|---|---|---|\n| Central library | lent 9 items | https://a.example/1 |\n";
    for (text, format, rows) in [
        (
            plain,
            Format::Markdown,
            &["Central library, lent 9 items"][..],
        ),
        (
            html,
            Format::Html,
            &[
                "Alpha, Height before 61 m, Height after 64 m",
                "Alpha, Height before 62 m",
                "Beta, none",
            ][..],
        ),
        (rowed, Format::Html, &["Alpha, 61 m"]),
    ] {
        let rows = rows.iter().enumerate();
        let expected: Vec<(String, String)> = rows
            .map(|(at, row)| (format!("https://a.example/{}", at + 1), (*row).to_owned()))
            .collect();
        assert_eq!(claims(text, format), expected, "{text}");
    }
}

const INTRODUCTION: &str = "This page lists towers for visitors, and it has been kept for many years by people who care \
    about towers and their surroundings in every season.";

fn site() -> Site {
    Site::start(|asked: &Asked| {
        let tables = match asked.target.as_str() {
            "/captions" => {
                "<table><caption>Height in 2020</caption><tr><th>Name</th><th>Height</th></tr><tr><td>Alpha</td><td>61 m</td></tr></table>\
                 <table><caption>Height in 2021</caption><tr><th>Name</th><th>Height</th></tr><tr><td>Alpha</td><td>66 m</td></tr></table>"
            }
            "/spans" => {
                "<table><tr><th>Name</th><th>Height</th><th>Width</th><th>Note</th></tr><tr><td>Alpha</td><td>61 m</td><td>7 m</td><td></td></tr>\
                 <tr><td>Beta</td><td colspan=2>12 m</td><td>5 m</td></tr><tr><td rowspan=2>Gamma</td><td>31 m</td><td>3 m</td><td>x</td></tr>\
                 <tr><td>32 m</td><td>4 m</td><td>y</td></tr><tr><td>Delta</td><td>8 m</td><td>9 m</td><td></td></tr></table>"
            }
            _ => return Reply::new(404),
        };
        Reply::html(format!(
            "<html lang=en><title>Towers</title><h1>Towers</h1><p>{INTRODUCTION}</p>{tables}</html>"
        ))
    })
}

#[test]
fn a_figure_of_another_cell_confirms_nothing_and_an_honest_one_is_not_refuted() {
    let site = site();
    for (page, claim, is_said) in [
        ("captions", "The height of Alpha was 61 m in 2020", true),
        ("captions", "The height of Alpha was 66 m in 2021", true),
        ("captions", "The height of Alpha was 66 m in 2020", false),
        ("captions", "The height of Alpha is 66 m", true),
        ("spans", "The height of Alpha is 61 m", true),
        ("spans", "The width of Delta is 9 m", true),
        ("spans", "The width of Alpha is 61 m", false),
        ("spans", "The width of Beta is 5 m", false),
        ("spans", "The height of Gamma is 3 m", false),
    ] {
        let rows = desk::rows(&site, "d.md", &format!("{claim} ([source](URL/{page}))."));
        let status = rows.first().unwrap().status;
        assert!(
            status == Suspect || is_said && status == Verified,
            "{claim}: {status:?}"
        );
    }
}

#[test]
fn a_source_that_nothing_cites_is_bound_to_no_other_sentence() {
    let site = site();
    let text = "The height of Alpha was 61 m in 2020.\n\nOaks grow in every valley of the land.\n\nURL/captions\n";
    for (name, text) in [
        ("d.md", text.to_owned()),
        ("d.txt", text.to_owned()),
        ("d.json", format!("{{\"answer\": {text:?}}}")),
    ] {
        let rows = desk::rows(&site, name, &text);
        let row = rows.first().unwrap();
        assert_eq!(
            (row.status, row.code),
            (Suspect, "claim_not_located"),
            "{name}"
        );
        assert!(row.claim.is_none(), "{name}: {:?}", row.claim);
    }
}

#[test]
fn rows_of_heads_cost_no_more_than_their_length() {
    let heads = "<tr><th>a<th>b".repeat(2_000);
    let rows = "<tr><td>x<td><a href='https://a.example/1'>link</a>".repeat(2_000);
    let began = std::time::Instant::now();
    let found = claims(&format!("<table>{heads}{rows}</table>"), Format::Html);
    assert_eq!(found.len(), 2_000);
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}
