//! Options of `crosscheck sources`: which documents and links are checked, and
//! how their pages are asked for.

use std::sync::{Arc, OnceLock};

use crosscheck::render::Format;
use crosscheck_testkit::{Desk, Reply, Seen, Site};
use serde_json::Value;

use crate::desk;

const PAGE: &str = "<!doctype html><html lang=\"en\"><head><title>City trees study</title></head><body><h1>City trees study</h1>\
    <p>A city survey counted 41,000 street trees in 2024.</p><p>Researchers found that shaded streets were 3.2 degrees \
    cooler on summer afternoons than streets without trees.</p><p>The report recommends planting two thousand trees every \
    year.</p></body></html>";
const CLAIM: &str = "A city survey counted 41,000 street trees in 2024";

fn sources(desk: &Desk, args: &[&str]) -> Seen {
    let quick = [
        "sources",
        "--allow-private",
        "--retry-wait",
        "0",
        "--host-request-interval",
        "0",
    ];
    desk.crosscheck([&quick[..], args].concat())
}

fn report(seen: &Seen) -> Value {
    serde_json::from_str(&seen.stdout).unwrap_or_else(|_| panic!("{}", seen.summary()))
}

/// Line and code of every row.
fn codes(seen: &Seen) -> Vec<(String, String)> {
    let report = report(seen);
    let rows = report["results"].as_array().unwrap().iter();
    rows.map(|row| {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        (text("url"), text("code"))
    })
    .collect()
}

#[test]
fn folders_and_patterns_name_their_documents_and_say_what_they_leave_out() {
    let desk = desk();
    for (name, host) in [
        ("docs/a.md", "a"),
        ("docs/deep/b.rst", "b"),
        ("docs/deep/c.html", "c"),
        ("docs/data.json", "d"),
        ("docs/.hidden/e.md", "e"),
        ("notes.md", "f"),
    ] {
        let link = match name.rsplit('.').next() {
            Some("html") => {
                format!("<p>Elms grow <a href=\"https://{host}.example/\">here</a>.</p>")
            }
            Some("json") => format!("{{\"text\":\"Elms grow at https://{host}.example/ now.\"}}"),
            _ => format!("Elms grow at https://{host}.example/ now.\n"),
        };
        desk.file(name, link);
    }
    let hosts = |args: &[&str]| {
        let seen = sources(&desk, &[&["--dump"], args].concat());
        assert_eq!(seen.code, 0, "{args:?}: {}", seen.summary());
        let found = ["a", "b", "c", "d", "e", "f"].into_iter();
        let found = found.filter(|host| seen.stdout.contains(&format!("https://{host}.example")));
        (found.collect::<String>(), seen.stderr)
    };
    let (found, shown) = hosts(&["docs"]);
    assert_eq!(found, "abc");
    assert!(
        shown.contains("3 document(s) were read and 1 other file(s) left out"),
        "{shown}"
    );
    let note = "other file(s) left out";
    for (format, count) in [("human", [0, 1]), ("json", [1, 1])] {
        let args = ["--exclude", "example", "--format", format, "docs"];
        let seen = desk.crosscheck(["sources"].iter().chain(&args));
        let shown = [&seen.stderr, &seen.stdout].map(|text| text.matches(note).count());
        assert_eq!(shown, count, "{}", seen.summary());
    }
    for (args, found) in [
        (&["docs", "notes.md"][..], "abcf"),
        (&["docs/*.md"], "a"),
        (&["docs/**/*.{rst,html}"], "bc"),
        (&["*.md"], "f"),
        (&["docs", "--include-files", "*.json"], "d"),
        (&["docs", "--include-files", "deep/*"], "bc"),
        (&["docs", "--exclude-files", "deep/**"], "a"),
    ] {
        assert_eq!(hosts(args).0, found, "{args:?}");
    }
    let mut refused = String::new();
    for args in [
        &["docs/*.tex"][..],
        &["docs", "--include-files", "*.tex"],
        &["docs", "--include-files", "["],
    ] {
        refused += &sources(&desk, args).after(&args.join(" "));
    }
    insta::assert_snapshot!(refused);
}

#[test]
fn a_remapped_address_is_asked_and_the_cited_one_is_reported() {
    let (desk, site) = (desk(), Site::start(|_| Reply::html(PAGE)));
    desk.file(
        "a.md",
        format!("{CLAIM} ([study](https://docs.example/v2/trees)).\n"),
    );
    let to = format!("{}/$1", site.base());
    let args = [
        "--remap",
        r"^https://docs\.example/v(\d)",
        &to,
        "--format",
        "json",
        "a.md",
    ];
    let seen = sources(&desk, &args);
    assert_eq!(
        codes(&seen),
        [(
            "https://docs.example/v2/trees".to_owned(),
            "supported".to_owned()
        )]
    );
    assert_eq!(site.count("/2/trees"), 1);
    assert_eq!(sources(&desk, &["--remap", "(", "x", "a.md"]).code, 3);
}

#[test]
fn secrets_of_one_host_go_to_it_alone_and_never_behind_a_redirect() {
    let back = Arc::new(OnceLock::<String>::new());
    let way_back = Arc::clone(&back);
    let other = Site::start(move |asked| match asked.target.as_str() {
        "/back" => Reply::redirect(way_back.get().unwrap()),
        _ => Reply::html(PAGE),
    });
    let to = |path: &str| format!("{}/{path}", other.base());
    let (end, around) = (to("end"), to("back"));
    let site = Site::start(move |asked| match asked.target.as_str() {
        "/moved" => Reply::redirect(&end),
        "/around" => Reply::redirect(&around),
        _ => Reply::html(PAGE),
    });
    let desk = desk();
    let base = site.base();
    back.set(format!("{base}/chosen")).unwrap();
    let elsewhere = other.base();
    desk.file(
        "a.md",
        format!(
            "{CLAIM} ({base}/own).\n\n{CLAIM} ({base}/moved).\n\n{CLAIM} ({base}/around).\n\n{CLAIM} ({elsewhere}/cited).\n"
        ),
    );
    let login = format!("{base} reader:s3cret");
    let note = format!("{base} X-Note: n0te");
    let seen = sources(
        &desk,
        &[
            "--basic-auth",
            &login,
            "--host-header",
            &note,
            "--verbose",
            "--format",
            "json",
            "a.md",
        ],
    );
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let own = site
        .asked()
        .into_iter()
        .find(|asked| asked.target == "/own")
        .unwrap();
    assert_eq!(
        own.header("authorization"),
        Some("Basic cmVhZGVyOnMzY3JldA==")
    );
    assert_eq!(own.header("x-note"), Some("n0te"));
    let mut chosen = site.asked();
    chosen.retain(|asked| asked.target == "/chosen");
    assert_eq!(chosen.len(), 1);
    for asked in other.asked().into_iter().chain(chosen) {
        assert_eq!(
            (asked.header("authorization"), asked.header("x-note")),
            (None, None),
            "{}",
            asked.target
        );
    }
    let shown = format!("{}{}", seen.stdout, seen.stderr);
    assert!(
        !shown.contains("s3cret") && !shown.contains("n0te"),
        "{shown}"
    );

    for (args, shown) in [
        (
            ["--header", "Authorization: Bearer s3cret"],
            "--host-header",
        ),
        (["--header", "Api-Key: s3cret"], "--host-header"),
        (["--header", "Token: s3cret"], "--host-header"),
        (["--header", "X-Auth-User: s3cret"], "--host-header"),
        (["--header", "Session-Id: s3cret"], "--host-header"),
        (
            ["--header", "X-Note: ghp_s3cret0123456789"],
            "--host-header",
        ),
        (["--basic-auth", "reader:s3cret"], "HOST USER:PASSWORD"),
        (["--basic-auth", "a.example env:NOT_THERE"], "NOT_THERE"),
        (["--host-header", "a.example s3cret"], "HOST Name: value"),
    ] {
        let seen = sources(&desk, &[&args[..], &["a.md"]].concat());
        assert_eq!(seen.code, 3, "{args:?}: {}", seen.summary());
        assert!(
            seen.stderr.contains(shown) && !seen.stderr.contains("s3cret"),
            "{}",
            seen.stderr
        );
    }
}

#[test]
fn all_links_are_local_files_and_places_too() {
    let desk = desk();
    desk.file("docs/b.md", "# First part\n\nText.\n");
    desk.file(
        "docs/a.md",
        "# Own part\n\nSee [b](b.md), [part](b.md#first-part), [none](b.md#second), [lost](c.md), [own](#own-part), [root](/x).\n",
    );
    let seen = sources(&desk, &["--allow-empty", "docs/a.md"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let seen = sources(&desk, &["--links", "all", "--format", "json", "docs/a.md"]);
    assert_eq!(seen.code, 1, "{}", seen.summary());
    let expected = [
        ("b.md", "link_exists"),
        ("b.md#first-part", "link_exists"),
        ("b.md#second", "place_missing"),
        ("c.md", "link_missing"),
        ("#own-part", "link_exists"),
        ("/x", "link_unknown"),
    ];
    assert_eq!(
        codes(&seen),
        expected.map(|(url, code)| (url.to_owned(), code.to_owned()))
    );

    let site = Site::start(|asked| match asked.target.as_str() {
        // the document itself need not be there
        "/docs/b.md" | "/x" => Reply::html(PAGE),
        _ => Reply::new(404),
    });
    let base = format!("{}/docs/", site.base());
    let args = [
        "--links",
        "all",
        "--base-url",
        &base,
        "--format",
        "json",
        "docs/a.md",
    ];
    let seen = sources(&desk, &args);
    let codes: Vec<String> = codes(&seen).into_iter().map(|(_, code)| code).collect();
    assert_eq!(
        codes,
        [
            "link_exists",
            "link_exists",
            "link_exists",
            "http_404",
            "link_exists",
            "link_exists"
        ]
    );
    assert_eq!(sources(&desk, &["--base-url", &base, "docs/a.md"]).code, 3);
}

#[test]
fn local_links_can_be_left_out() {
    let desk = desk();
    desk.file("a.md", "See [b](b.md) and [c](build/c.md).\n");
    let all = ["--links", "all", "--format", "json"];
    let seen = sources(
        &desk,
        &[&all[..], &["--exclude", "^build/", "a.md"]].concat(),
    );
    assert_eq!(
        codes(&seen),
        [("b.md".to_owned(), "link_missing".to_owned())]
    );
    let seen = sources(&desk, &[&all[..], &["--exclude", ".", "a.md"]].concat());
    assert_eq!(
        (codes(&seen).len(), seen.code),
        (0, 2),
        "{}",
        seen.summary()
    );
}

#[test]
fn a_place_that_a_page_lacks_is_left_open_and_only_looked_for_on_request() {
    let site = Site::start(|_| {
        Reply::html(
            "<html><body><h2 id=\"user-content-oaks\">Oaks</h2><p>Oaks are old trees.</p></body></html>",
        )
    });
    let (desk, base) = (desk(), site.base());
    let text = format!(
        "Oaks are old trees ({base}/t#oaks). Oaks are old trees ({base}/t#elms). Oaks are old trees ({base}/t#/route).\n"
    );
    desk.file("a.md", text);
    let seen = sources(&desk, &["--format", "json", "a.md"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let seen = sources(&desk, &["--links", "all", "--format", "json", "a.md"]);
    let (url, code) = codes(&seen).pop().unwrap();
    assert_eq!(
        (url, code.as_str()),
        (format!("{base}/t#elms"), "place_unseen")
    );
    assert_eq!(
        (codes(&seen).len(), seen.code),
        (4, 2),
        "{}",
        seen.summary()
    );
}

#[test]
fn an_archived_copy_is_suggested_for_a_page_that_is_gone() {
    let site = Site::start(|asked| match asked.target.as_str() {
        "/gone" => Reply::new(404),
        target if target.starts_with("/latest/") => Reply::redirect("/kept/1"),
        _ => Reply::html(PAGE),
    });
    let (desk, base) = (desk(), site.base());
    desk.file("a.md", format!("{CLAIM} ({base}/gone).\n"));
    let archive = format!("{base}/latest/{{url}}");
    let copy = format!("{base}/kept/1");
    for format in Format::NAMES {
        let args = [
            "--archive",
            &archive,
            "--suggest",
            "--format",
            format,
            "a.md",
        ];
        let seen = sources(&desk, &args);
        assert_eq!(seen.code, 1, "{}", seen.summary());
        assert!(seen.stdout.contains(&copy), "{format}: {}", seen.stdout);
    }
    assert_eq!(sources(&desk, &["--suggest", "a.md"]).code, 3);
}

#[test]
fn what_the_project_leaves_out_stays_undecided_and_is_named() {
    let site = Site::start(|asked| match asked.target.as_str() {
        "/gone" => Reply::new(404),
        _ => Reply::html(PAGE),
    });
    let (desk, base) = (desk(), site.base());
    desk.file(
        "a.md",
        format!("{CLAIM} ({base}/a).\n\n{CLAIM} ({base}/gone).\n"),
    );
    desk.file(".lycheeignore", "gone\n");
    let seen = sources(&desk, &["--format", "json", "a.md"]);
    assert_eq!(seen.code, 2, "{}", seen.summary());
    let notices = report(&seen)["notices"].to_string();
    assert!(
        notices.contains(".lycheeignore lists 1 cited URL"),
        "{notices}"
    );
    desk.file(".lycheeignore", ".\n");
    assert_eq!(sources(&desk, &["a.md"]).code, 2);
}

#[test]
fn every_setting_is_a_key_a_variable_and_an_option() {
    let (desk, site) = (desk(), Site::start(|_| Reply::new(404)));
    desk.file("a.md", format!("{CLAIM} ({}/gone).\n", site.base()));
    let json = ["--format", "json", "a.md"];
    let gone = report(&sources(&desk, &json))["results"][0]["code"].clone();
    assert!(gone.is_string(), "{gone}");
    // keys of the web moved to `[fetch]`, and mean the same where they were
    for text in ["[fetch]\naccept = '404'\n", "[sources]\naccept = '404'\n"] {
        desk.file("own.toml", text);
        let seen = sources(&desk, &["--config", "own.toml", "--format", "json", "a.md"]);
        assert_ne!(
            report(&seen)["results"][0]["code"],
            gone,
            "{text}: {}",
            seen.summary()
        );
    }
    let typed = ["--accept", "404", "--format", "json", "a.md"];
    assert_ne!(report(&sources(&desk, &typed))["results"][0]["code"], gone);
    // an option wins over a file
    desk.file("own.toml", "[sources]\nfail_on = 'suspect'\n");
    let file = ["--config", "own.toml", "--offline", "a.md"];
    assert_eq!(sources(&desk, &file).code, 1);
    let both = [
        "--config",
        "own.toml",
        "--fail-on",
        "fabricated",
        "--offline",
        "a.md",
    ];
    assert_eq!(sources(&desk, &both).code, 2);
}

#[test]
fn kept_pages_and_new_ones_are_each_judged_as_without_a_cache() {
    let site = Site::start(|asked| match asked.target.as_str() {
        "/gone" => Reply::new(404),
        _ => Reply::html(PAGE),
    });
    let desk = desk();
    let line = |path: &str| format!("{CLAIM} ({}{path}).\n\n", site.base());
    let outside = tempfile::tempdir().unwrap();
    let cache = outside.path().display().to_string();
    let args = ["--cache-dir", &cache, "--format", "json", "a.md"];
    let rows = |seen: &Seen| -> Vec<_> {
        let report = report(seen);
        let rows = report["results"].as_array().unwrap().iter();
        rows.map(|row| {
            (
                row["url"].clone(),
                row["status"].clone(),
                row["code"].clone(),
            )
        })
        .collect()
    };
    desk.file("a.md", line("/b") + &line("/gone"));
    sources(&desk, &args);
    desk.file("a.md", ["/a", "/gone", "/b", "/c"].map(line).concat());
    let mixed = sources(&desk, &args);
    assert_eq!(
        rows(&mixed),
        rows(&sources(&desk, &["--format", "json", "a.md"]))
    );
    assert_eq!((site.count("/b"), site.count("/a")), (2, 2));
}
