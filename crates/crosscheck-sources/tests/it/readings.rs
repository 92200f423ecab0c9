//! Words that may belong to a claim or only describe its source: a lie in them
//! never passes, and an honest author is never accused for them.

use crosscheck_sources::status::SourceStatus;
use crosscheck_testkit::{Asked, Reply, Site};

use crate::desk;

const FACT: &str = "Germany added 16.2 GW of solar capacity in 2024";

/// The page at `/fact` says [`FACT`]; every other one says what its name does.
fn site() -> Site {
    Site::start(|asked: &Asked| {
        let said = match asked.target.as_str() {
            "/fact" => format!("{FACT}."),
            "/narva" => "The city of Narva was captured by Soviet troops on 26 July 1944. \
                The city of Narva was destroyed."
                .to_owned(),
            "/rome" => "The treaty was signed in Rome on 25 March 1957.".to_owned(),
            "/quake" => "A magnitude 7.8 earthquake struck the coast of Chile.".to_owned(),
            "/titanic" => {
                "The film Titanic came out in 1997 and won eleven Academy Awards.".to_owned()
            }
            "/price" => "The service costs 49 euros per month and runs in Oslo.".to_owned(),
            "/oslo" => "Oslo has 709,000 inhabitants, and Bergen has 291,000.".to_owned(),
            "/ulysses" => "Ulysses is a novel by James Joyce. It was published in 1922.".to_owned(),
            "/capital" => "Canberra, the capital of Australia, was founded in 1913.".to_owned(),
            "/bill" => "The vote took place in Bern. Parliament passed the bill.".to_owned(),
            "/retailer" => {
                "The retailer filed in Delaware for bankruptcy under Chapter 11.".to_owned()
            }
            _ => return Reply::new(404),
        };
        let rest = "The authors and Reuters describe how the work came about and who took part in it. \
            Readers will find further material in the appendix and in the notes of the editors. \
            A summary of the background helps to understand why the subject matters to many people. \
            Several colleagues read earlier drafts and suggested changes to the text.";
        Reply::html(format!(
            "<html lang=en><head><title>Notes</title></head><body><h1>Notes</h1><p>{said}</p><p>{rest}</p></body></html>"
        ))
    })
}

/// What came of the first citation of a document.
fn status(site: &Site, text: &str) -> SourceStatus {
    let rows = desk::rows(site, "d.md", &text.replace("FACT", FACT));
    rows.first().unwrap().status
}

#[test]
fn a_lie_in_words_that_may_describe_the_source_does_not_pass() {
    let site = site();
    for (text, truth, lie) in [
        (
            "The city of Narva, captured on X by Soviet troops, was destroyed ([city](URL/narva)).",
            "26 July 1944",
            "3 May 1942",
        ),
        (
            "The treaty was signed in [Rome](URL/rome), X.",
            "25 March 1957",
            "3 June 1961",
        ),
        (
            "X Magnitude earthquake struck the coast of Chile ([survey](URL/quake)).",
            "7.8",
            "5.1",
        ),
        (
            "The film [Titanic (X)](URL/titanic) won eleven Academy Awards.",
            "1997",
            "2003",
        ),
        (
            "The service costs [€X](URL/price) per month and runs in Oslo.",
            "49",
            "19",
        ),
        (
            "Oslo has X inhabitants [1], and Bergen has 291,000 [2].\n\n## References\n\n[1] URL/oslo\n[2] URL/b",
            "709,000",
            "912,000",
        ),
        (
            "Ulysses is a novel by James Joyce. Published X ([source](URL/ulysses)).",
            "1922",
            "1935",
        ),
        (
            "X, the capital of Australia, was founded in 1913 ([notes](URL/capital)).",
            "Canberra",
            "Sydney",
        ),
        (
            "The retailer filed in Delaware for bankruptcy under Chapter X ([Reuters](URL/retailer)).",
            "11",
            "7",
        ),
        (
            "| Country | Confidence | Source |\n|---|---|---|\n| Germany added GW of solar capacity in 2024 | X | [notes](URL/fact) |",
            "16.2",
            "78%",
        ),
    ] {
        let [honest, lying] = [truth, lie].map(|word| status(&site, &text.replace('X', word)));
        assert_ne!(lying, SourceStatus::Verified, "{text} with {lie}");
        assert!(
            honest <= SourceStatus::Suspect,
            "{text} with {truth}: {honest:?}"
        );
    }
    // what the page denies in both readings is refuted
    let text = "Germany added 99 GW of solar capacity in 2024 ([Reuters](URL/fact), 3 May 2021).";
    assert_eq!(status(&site, text), SourceStatus::Unreliable);
    let text = "The vote took place in Bern. [Parliament rejected the bill](URL/bill).";
    assert_ne!(status(&site, text), SourceStatus::Verified);
}

#[test]
fn a_remark_on_the_source_accuses_no_one() {
    let site = site();
    for text in [
        "FACT ([Reuters](URL/fact), published 3 May 2021).",
        "FACT (see [Reuters, 3 May 2021](URL/fact)).",
        "FACT [Reuters, 3 May 2021](URL/fact).",
        "FACT [Ref. 12](URL/fact).",
        "FACT ([podcast, ep. 45](URL/fact)).",
        "FACT ([PDF, 2.3 MB](URL/fact)).",
        "FACT ([Reuters](URL/fact), row 12).",
        "FACT ([Reuters](URL/fact) and 3 others).",
        "FACT — [Reuters](URL/fact), p. 12.",
        "FACT ([Reuters](URL/fact)) (verified 3 May 2021).",
        "FACT (URL/fact, p. 12).",
        "FACT — Reuters, 3 May 2021, URL/fact",
        "FACT. Source: Reuters, 3 May 2021. URL/fact",
        "FACT (confidence: 85%) ([source](URL/fact)).",
        "Fact 7: FACT ([source](URL/fact)).",
        "#7: FACT ([link](URL/fact)).",
        "Slide 12: FACT ([link](URL/fact)).",
        "2021-05-03: FACT ([link](URL/fact)).",
        "Reuters, 3 May 2021: FACT ([link](URL/fact)).",
        "On 3 May 2021, Reuters reported that FACT ([link](URL/fact)).",
        "As Reuters reported on 3 May 2021, FACT ([link](URL/fact)).",
        "Per a May 2021 post, FACT ([link](URL/fact)).",
    ] {
        let seen = status(&site, text);
        assert!(seen <= SourceStatus::Suspect, "{text}: {seen:?}");
    }
    for text in [
        "FACT ([Reuters](URL/fact), accessed 3 May 2021).",
        "FACT ([Reuters](URL/fact), 3 May 2021).",
        "FACT ([Reuters, p. 12](URL/fact)).",
    ] {
        assert_eq!(status(&site, text), SourceStatus::Verified, "{text}");
    }
}
