//! Families of documents as people write them: the honest are not accused, and
//! what is marked is checked.

use crosscheck_sources::judge::ruling::Confidence::High;
use crosscheck_sources::report::result::Row;
use crosscheck_sources::status::Status;
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

/// The page at `/fact` says [`FACT`].
fn site() -> Site {
    Site::start(|asked: &Asked| match asked.target.as_str() {
        "/fact" => page("Notes", &format!("{FACT}.")),
        "/oaks" => page(
            "Oaks for the town",
            "The minister, Anna Meyer, said on 4 June 2024: “We will plant two thousand oaks every year.” Paul Brandt \
            disagreed. “The plan costs far too much money,” said Brandt, who leads the council.",
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
    matches!(row.status, Status::Verified | Status::Suspect)
}

#[test]
fn the_only_entry_of_a_list_is_bound_to_its_mark() {
    let site = site();
    let mut wrong = Wrong::default();
    for (name, (said, entry)) in in_both(ONE_ENTRY) {
        let text = format!("{said}\n\n{entry}\n").replace("FACT", FACT);
        let rows = desk::rows(&site, name, &text);
        wrong.note(&rows, &text, |row| {
            rows.len() == 1 && row.status == Status::Verified && row.confidence == Some(High)
        });
        let lie = text.replace("16.2", "61.9");
        let rows = desk::rows(&site, name, &lie);
        wrong.note(&rows, &lie, |row| row.status == Status::Unreliable);
    }
}

/// Each document as Markdown and as plain text.
fn in_both<T: Copy>(all: &[T]) -> impl Iterator<Item = (&'static str, T)> {
    let all = all.iter();
    all.flat_map(|one| [("d.md", *one), ("d.txt", *one)])
}

#[test]
fn the_only_entry_of_a_list_that_nothing_cites_accuses_nobody() {
    let site = site();
    let mut wrong = Wrong::default();
    let others = [
        "Source: URL/fact",
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
        ("Paul Brandt said COSTS.", true),
        ("Meyer said OAKS, but Brandt said COSTS.", true),
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
                (row.status == Status::Verified) == is_true
            });
        }
    }
}
