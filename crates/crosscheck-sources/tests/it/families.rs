//! Families of documents as people write them: the honest are not accused, and
//! what is marked is checked.

use crosscheck_sources::judge::ruling::Confidence::High;
use crosscheck_sources::report::result::Row;
use crosscheck_sources::status::SourceStatus;
use crosscheck_testkit::{Asked, Reply, Site};

use crate::desk;

const FACT: &str = "Germany added 16.2 GW of solar capacity in 2024";

fn page(title: &str, said: &str) -> Reply {
    let rest = "The authors describe how the work came about and who took part in it. \
        Readers will find further material in the appendix and in the notes of the editors. \
        A summary of the background helps to understand why the subject matters to many people. \
        Several colleagues read earlier drafts and suggested changes to the text.";
    Reply::html(format!(
        "<html lang=en><head><title>{title}</title></head><body><h1>{title}</h1><p>{said}</p><p>{rest}</p></body></html>"
    ))
}

/// A page that comes before another one.
fn wall(title: &str, said: &str) -> Reply {
    let rest = "Our newsroom keeps you informed about everything that happens in the harbour every day. \
        Thank you for your patience and for your interest in our work, which depends on readers like you.";
    Reply::html(format!(
        "<html lang=en><head><title>{title}</title></head><body><h1>{title}</h1><p>{said}</p><p>{rest}</p></body></html>"
    ))
}

/// The page at `/fact` says [`FACT`].
fn site() -> Site {
    Site::start(|asked: &Asked| match asked.target.as_str() {
        "/fact" => page("Notes", &format!("{FACT}.")),
        "/oaks" => page(
            "Oaks for the town",
            "The minister, Anna Meyer, said on 4 June 2024: “We will plant two thousand oaks every year.” Paul Brandt \
            disagreed. “The plan costs far too much money,” said Brandt, who leads the council.",
        ),
        "/series" => page("Solar 5 of 12: a year of sun and wind", &format!("{FACT}.")),
        "/banner" => page(
            "Notes",
            &format!("We use cookies. Accept all or reject all. {FACT}."),
        ),
        "/consent" => wall(
            "Before you continue",
            "We and our 812 partners use cookies. Accept all or manage your choices. Privacy policy.",
        ),
        "/cookies" => wall(
            "Daily News",
            "We use cookies to make this site better. Accept all. Reject all. Cookie settings.",
        ),
        "/members" => wall(
            "Log in",
            "Please log in to continue. Forgot your password? Create an account to read the Daily News.",
        ),
        "/robot" => wall(
            "Daily News",
            "Our systems have detected unusual traffic from your network. Confirm that you are not a robot.",
        ),
        "/door" => Reply::redirect("/account/login?next=door"),
        "/account/login?next=door" => page(
            "Daily News",
            "Welcome back to the Daily News of the harbour.",
        ),
        "/moved" => Reply::redirect("/"),
        "/" => page(
            "Daily News",
            "Welcome to the Daily News of the harbour, with weather and sports.",
        ),
        _ => Reply::new(404),
    })
}

/// A list of sources with one entry, and the sentence that cites it. `FACT` is true.
const ONE_ENTRY: &[(&str, &str)] = &[
    ("FACT [1].", "1. URL/fact"),
    ("FACT [1].", "1) URL/fact"),
    ("FACT [1].", "(1) URL/fact"),
    ("FACT [1].", "1: URL/fact"),
    ("FACT [1].", "1 URL/fact"),
    ("FACT [1].", "1 - URL/fact"),
    ("FACT [1].", "[1] URL/fact"),
    ("FACT [1].", "[1]: URL/fact"),
    ("FACT [1].", "[1] - URL/fact"),
    ("FACT [1].", "[1] = URL/fact"),
    ("FACT [1].", "**[1]** URL/fact"),
    ("FACT [1].", "- [1] URL/fact"),
    ("FACT [1].", "- 1. URL/fact"),
    (
        "FACT [1].",
        "[1] Solar report no. 17, 12 March 2025, URL/fact",
    ),
    ("FACT [1].", "[1] [Solar report no. 17](URL/fact)"),
    (
        "FACT [1].",
        "1. Solar report no. 17, accessed 3 May 2025, URL/fact",
    ),
    ("FACT [1].", "1. [Solar report no. 17](URL/fact)"),
    ("FACT [1].", "1. Solar report no. 17. URL/fact"),
    ("FACT [1].", "---\n\n1. URL/fact"),
    ("FACT [1].", "## References\n\n1. URL/fact"),
    (
        "FACT [1].",
        "References\n\n1. Solar report no. 17. URL/fact",
    ),
    (
        "FACT [1].",
        "**References**\n\n[1] Solar report no. 17. URL/fact",
    ),
    ("FACT [1].", "Sources: [1] Solar report no. 17. URL/fact"),
    ("FACT [1].", "Source [1]: URL/fact"),
    ("FACT [1].", "Reference [1] URL/fact"),
    ("FACT [1].", "Ref. 1: Solar report no. 17, URL/fact"),
    ("FACT [1].", "Source 1: URL/fact"),
    ("FACT [1].", "#1 URL/fact"),
    ("FACT【1】.", "【1】 URL/fact"),
    ("FACT.¹", "¹ URL/fact"),
    ("FACT.¹", "¹ Solar report no. 17, URL/fact"),
    ("FACT.¹", "¹: URL/fact"),
    ("FACT [1].", "<sup>1</sup> URL/fact"),
    ("FACT^1^.", "^1^ URL/fact"),
    ("FACT.[^1]", "[^1]: URL/fact"),
    (
        "FACT.[^1]",
        "[^1]: Solar report no. 17, 12 March 2025. URL/fact",
    ),
    ("FACT.[^1]", "[^1] URL/fact"),
    ("FACT (1).", "1. URL/fact"),
];

/// What is wrong in a family of documents.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    /// Notes a document whose first citation does not end as it should.
    fn note(&mut self, rows: &[Row], text: &str, is_right: impl Fn(&Row) -> bool) {
        let first = rows.first();
        if !first.is_some_and(is_right) {
            let seen = first.map(|row| (row.status, row.code, row.claim.as_deref()));
            self.0.push(format!("{seen:?} for {text:?}"));
        }
    }
}

impl Drop for Wrong {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.0.is_empty(), "{}", self.0.join("\n"));
        }
    }
}

/// Nobody is accused.
fn is_open(row: &Row) -> bool {
    matches!(row.status, SourceStatus::Verified | SourceStatus::Suspect)
}

#[test]
fn the_only_entry_of_a_list_is_bound_to_its_mark() {
    let site = site();
    let mut wrong = Wrong::default();
    for (name, (said, entry)) in in_both(ONE_ENTRY) {
        let text = format!("{said}\n\n{entry}\n").replace("FACT", FACT);
        let rows = desk::rows(&site, name, &text);
        wrong.note(&rows, &text, |row| {
            rows.len() == 1 && row.status == SourceStatus::Verified && row.confidence == Some(High)
        });
        let lie = text.replace("16.2", "61.9");
        let rows = desk::rows(&site, name, &lie);
        wrong.note(&rows, &lie, |row| row.status == SourceStatus::Unreliable);
    }
}

/// Each document as Markdown and as plain text.
fn in_both<T: Copy>(all: &[T]) -> impl Iterator<Item = (&'static str, T)> {
    let all = all.iter();
    all.flat_map(|one| [("d.md", *one), ("d.txt", *one)])
}

#[test]
fn the_only_entry_of_a_list_that_nothing_cites_accuses_no_one() {
    let site = site();
    let mut wrong = Wrong::default();
    let others = [
        "Source: URL/fact",
        "It is so. Source: Solar report 2025 no. 17, URL/fact",
        "Source: Solar report no. 17, 12 March 2025, URL/fact",
        "Source: [Solar report no. 17, 12 March 2025](URL/fact)",
        "**Source:** Solar report no. 17. URL/fact",
        "Sources:\n\n- Solar report no. 17: URL/fact",
        "Sources:\n- [Solar report no. 17](URL/fact)",
        "Source 1: URL/fact",
        "Reference 1: Solar report no. 17, URL/fact",
        "[Source 1] URL/fact",
        "Quelle: Bericht Nr. 17 vom 3. Mai 2025, URL/fact",
        "Link: URL/fact",
        "Read more: URL/fact",
        "Available at: URL/fact (accessed 3 May 2025)",
        "Accessed 3 May 2025: URL/fact",
        "Retrieved 3 May 2025 from URL/fact",
        "* URL/fact",
        "\\* Solar report no. 17, URL/fact",
        "† Solar report no. 17, URL/fact",
        "## Sources\n\nSolar report no. 17, 12 March 2025. URL/fact",
    ];
    let entries: Vec<&str> = ONE_ENTRY.iter().map(|(_, entry)| *entry).collect();
    for (name, entry) in in_both(&[&others[..], &entries].concat()) {
        for gap in ["\n\n", "\n"] {
            let text = format!("{FACT}.{gap}{entry}\n");
            for row in desk::rows(&site, name, &text) {
                wrong.note(&[row], &text, is_open);
            }
        }
    }
}

#[test]
fn a_quotation_proves_only_itself() {
    let site = site();
    let mut wrong = Wrong::default();
    let oaks = "\"We will plant two thousand oaks every year\"";
    let costs = "\"The plan costs far too much money\"";
    for (claim, is_true) in [
        ("Minister Anna Meyer said OAKS.", true),
        ("OAKS, said Anna Meyer on 4 June 2024.", true),
        ("Brandt said COSTS.", true),
        // his first name is in the sentence before: undecided
        ("Paul Brandt said COSTS.", false),
        // two people and two quotations: which is whose is not decided
        ("Meyer said OAKS, but Brandt said COSTS.", false),
        ("Brandt said OAKS, but Meyer said COSTS.", false),
        ("Minister Olaf Schmidt said OAKS.", false),
        ("OAKS, said Olaf Schmidt.", false),
        ("Paul Brandt said OAKS.", false),
        ("Anna Meyer said COSTS.", false),
        ("According to Olaf Schmidt, OAKS.", false),
        ("Meyer said on 4 June 2021 OAKS.", false),
        ("In 2021, Meyer said OAKS.", false),
        (
            "Meyer said OAKS and \"we will close every road in the town\".",
            false,
        ),
        ("Meyer said OAKS and \"we close roads\".", false),
    ] {
        let said = claim.replace("OAKS", oaks).replace("COSTS", costs);
        for text in [
            format!("{} [1].\n\n[1] URL/oaks\n", said.trim_end_matches('.')),
            format!("{} ([source](URL/oaks)).\n", said.trim_end_matches('.')),
        ] {
            let rows = desk::rows(&site, "d.md", &text);
            wrong.note(&rows, &text, |row| {
                (row.status == SourceStatus::Verified) == is_true
            });
        }
    }
}

#[test]
fn a_wall_with_status_200_accuses_no_one() {
    let site = site();
    let mut wrong = Wrong::default();
    for path in ["consent", "cookies", "members", "robot", "door"] {
        for said in [FACT, "Heat pumps need little electricity"] {
            let text = format!("{said} ([source](URL/{path})).\n");
            let rows = desk::rows(&site, "d.md", &text);
            wrong.note(&rows, &text, |row| {
                row.status == SourceStatus::Suspect && row.code == "blocked_unconfirmed"
            });
        }
    }
    let text = format!("{FACT} ([source](URL/moved)).\n");
    let rows = desk::rows(&site, "d.md", &text);
    wrong.note(&rows, &text, |row| {
        row.status == SourceStatus::Suspect && row.code == "redirected_home"
    });
}

#[test]
fn a_page_with_a_banner_is_still_the_page() {
    let site = site();
    let mut wrong = Wrong::default();
    for (said, code) in [
        (FACT.to_owned(), "supported"),
        (FACT.replace("16.2", "19.7"), "contradicted"),
        (
            FACT.replace("solar capacity", "wind capacity"),
            "claim_unclear",
        ),
    ] {
        let text = format!("{said} ([source](URL/banner)).\n");
        let rows = desk::rows(&site, "d.md", &text);
        wrong.note(&rows, &text, |row| row.code == code);
    }
}

#[test]
fn a_title_behind_a_sentence_is_not_the_claim() {
    let site = site();
    let mut wrong = Wrong::default();
    let title = "Solar 5 of 12: a year of sun and wind";
    let lie = FACT.replace("16.2", "19.7");
    for link in [
        format!("([{title}](URL/series))"),
        format!("[{title}](URL/series)"),
        format!("[Read more: {title}](URL/series)"),
        format!("(via [{title}](URL/series))"),
    ] {
        for (said, is_true) in [(FACT, true), (lie.as_str(), false)] {
            for text in [format!("{said}. {link}\n"), format!("- {said}. {link}\n")] {
                let rows = desk::rows(&site, "d.md", &text);
                wrong.note(&rows, &text, |row| {
                    let is_bound = row
                        .claim
                        .as_deref()
                        .is_some_and(|claim| claim.contains("GW"));
                    let is_right = if is_true {
                        is_open(row)
                    } else {
                        row.status != SourceStatus::Verified
                    };
                    is_bound && is_right
                });
            }
        }
    }
}

#[test]
fn each_block_quotation_has_its_own_source() {
    let site = site();
    let quoted = format!("> {FACT}.\n>\n> — [Notes](URL/fact)\n");
    for text in [
        format!("{quoted}\n{quoted}"),
        quoted.replace(">\n", "") + "\n" + &quoted.replace(">\n", ""),
    ] {
        let rows = desk::rows(&site, "d.md", &text);
        let seen: Vec<SourceStatus> = rows.iter().map(|row| row.status).collect();
        assert_eq!(seen, [SourceStatus::Verified; 2], "{text}");
    }
}

#[test]
fn counts_of_further_sources_are_no_figures() {
    let site = site();
    let mut wrong = Wrong::default();
    let lie = format!("{FACT}, and prices [rose](URL/fact) +12.\n");
    let rows = desk::rows(&site, "d.md", &lie);
    wrong.note(&rows, &lie, |row| row.status != SourceStatus::Verified);
    for (name, chip) in in_both(&[
        "[Reuters+1](URL/fact)",
        "[Reuters](URL/fact)+2",
        "[Reuters](URL/fact) +2",
        "[Reuters +3](URL/fact)",
        "([Reuters](URL/fact)+1)",
        "[+2](URL/fact)",
    ]) {
        for text in [
            format!("{FACT}. {chip}\n"),
            format!("{FACT} {chip}.\n"),
            format!("{FACT}. {chip} Much remains to be done.\n"),
        ] {
            let rows = desk::rows(&site, name, &text);
            // in brackets the name may belong to the next sentence
            let is_unsure = chip.starts_with('(') && text.contains(") Much")
                || chip.ends_with(" +2") && text.contains("2024 [");
            wrong.note(&rows, &text, |row| {
                row.status == SourceStatus::Verified || is_unsure && is_open(row)
            });
        }
    }
}

#[test]
fn marks_of_every_program_bind() {
    let site = site();
    let mut wrong = Wrong::default();
    for (name, text) in [
        (
            "d.md",
            "FACT.^1^\n\n## Sources\n\n1. URL/fact\n2. URL/oaks\n",
        ),
        (
            "d.md",
            "FACT[\\[1\\]](#ftnt1).\n\n* * *\n\n[\\[1\\]](#ftnt_ref1) URL/fact\n\n[\\[2\\]](#ftnt_ref2) URL/oaks\n",
        ),
        (
            "d.md",
            "FACT[[1]](#ftnt1).\n\n[[1]](#ftnt_ref1) Solar report no. 17, URL/fact\n",
        ),
        (
            "d.md",
            "FACT [S1].\n\n## Sources\n\n- [S1] Solar report no. 17, URL/fact\n- [S2] URL/oaks\n",
        ),
        ("d.md", "FACT [S1].\n\n[S1]: URL/fact\n[S2]: URL/oaks\n"),
        ("d.txt", "FACT [S1].\n\n[S1] URL/fact\n[S2] URL/oaks\n"),
        ("d.md", "FACT [12].\n\n11. URL/oaks\n12. URL/fact\n"),
        ("d.md", "FACT [12].\n\n12. Solar report no. 17, URL/fact\n"),
        ("d.md", "> FACT.\n\n— [Solar report](URL/fact)\n"),
        ("d.md", "> FACT.\n>\n> — [Solar report](URL/fact)\n"),
        ("d.md", "> FACT.\n> — [Solar report](URL/fact), 2025\n"),
        (
            "d.md",
            "FACT [1].\n\n| No. | Title | URL |\n|---|---|---|\n| 1 | Solar report no. 17 | URL/fact |\n| 2 | Oaks | URL/oaks |\n",
        ),
        (
            "d.md",
            "| Country | Solar capacity added in 2024 | Review |\n|---|---|---|\n| Germany | 16.2 GW | [here it is](URL/fact) |\n",
        ),
        (
            "d.md",
            "| Country | Solar capacity added in 2024 | Link |\n|---|---|---|\n| Germany | 16.2 GW | [here it is](URL/fact) |\n",
        ),
        (
            "d.md",
            "| Country | Solar capacity added in 2024 |\n|---|---|\n| [Germany](URL/fact) | 16.2 GW |\n",
        ),
        ("d.org", "FACT ([[URL/fact][source]]).\n"),
        ("d.org", "FACT [[URL/fact]].\n"),
        (
            "d.jsonl",
            "{\"response\": \"FACT [1].\", \"citations\": [\"URL/fact\"]}\n",
        ),
        (
            "d.jsonl",
            "{\"response\": \"FACT [1].\", \"citations\": [{\"id\": 1, \"url\": \"URL/fact\"}]}\n",
        ),
        (
            "d.jsonl",
            "{\"response\": \"FACT [2].\", \"citations\": [{\"id\": \"2\", \"url\": \"URL/fact\"}]}\n",
        ),
        (
            "d.jsonl",
            "{\"response\": \"FACT [1].\", \"citations\": [1], \"documents\": [{\"id\": 1, \"url\": \"URL/fact\"}]}\n",
        ),
    ] {
        let text = text.replace("FACT", FACT);
        let rows = desk::rows(&site, name, &text);
        wrong.note(&rows, &text, |row| row.status == SourceStatus::Verified);
        let lie = text.replace("16.2", "61.9");
        let rows = desk::rows(&site, name, &lie);
        wrong.note(&rows, &lie, |row| row.status != SourceStatus::Verified);
    }
}
