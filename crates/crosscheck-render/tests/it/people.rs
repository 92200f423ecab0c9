//! Formats that people read.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crosscheck_core::digest::Digest;
use crosscheck_core::{Report, Verdict};
use crosscheck_render::Format;

use crate::fixture::{rendered, rendered_all, report};

/// The shared report without its awkward and its long outcome.
fn plain() -> Report {
    let mut report = report();
    report
        .outcomes
        .retain(|outcome| !matches!(outcome.unit.as_str(), "u3" | "u4"));
    report
}

#[test]
fn the_human_report_shows_claim_finding_and_advice() {
    insta::assert_snapshot!(rendered_all(&[&plain()], Format::Human), @r"
    lamps house plan.md: refuted
    two of six lamps are dark
    note: the switch was ignored

    refuted    u2  the attic is lit
               expected   light
               observed   darkness
               OLD_BULB   the bulb is old
               LAMP_DARK  the lamp gives no light
               place      house/attic, left:right.txt:12:7
    undecided  u1  the cellar is lit
               FOG    nothing can be seen
               place  https://example.com/cellar?a=1, line 1, column 7
    undecided  u5  the shed is lit
    confirmed  u0  the hall is lit

    What to do next
      LAMP_DARK  change the bulb
      OLD_BULB   keep a spare bulb
      FOG        wait for the fog to lift

    1 refuted, 2 undecided, 1 confirmed
    ");
}

#[test]
fn a_run_with_nothing_to_check_is_not_headed_confirmed() {
    let mut report = report();
    report.outcomes.clear();
    report.verdict = Verdict::Confirmed;
    report.summary = "nothing to check".to_owned();
    report.notices.clear();
    insta::assert_snapshot!(rendered_all(&[&report], Format::Human), @r"
    lamps house plan.md: nothing to check

    0 refuted, 0 undecided, 0 confirmed
    ");
    for format in [
        Format::Markdown,
        Format::Html,
        Format::Junit,
        Format::Github,
        Format::Csv,
    ] {
        let text = rendered_all(&[&report], format);
        assert!(text.contains("nothing to check"), "{text}");
        assert!(
            !text.contains(": confirmed") && !text.contains(">confirmed"),
            "{text}"
        );
    }
}

#[test]
fn the_markdown_report_folds_confirmed_outcomes() {
    insta::assert_snapshot!(rendered_all(&[&plain()], Format::Markdown), @r"
    ### crosscheck lamps: refuted

    `house plan.md`

    two of six lamps are dark

    Note: the switch was ignored

    - **refuted** `u2`: `the attic is lit`
      - expected: `light`
      - observed: `darkness`
      - `OLD_BULB`: the bulb is old
      - `LAMP_DARK`: the lamp gives no light
      - place: `house/attic, left:right.txt:12:7`
    - **undecided** `u1`: `the cellar is lit`
      - `FOG`: nothing can be seen
      - place: `https://example.com/cellar?a=1, line 1, column 7`
    - **undecided** `u5`: `the shed is lit`

    <details><summary>1 confirmed</summary>

    - **confirmed** `u0`: `the hall is lit`

    </details>

    **What to do next**

    - `LAMP_DARK`: change the bulb
    - `OLD_BULB`: keep a spare bulb
    - `FOG`: wait for the fog to lift

    1 refuted, 2 undecided, 1 confirmed
    ");
}

#[test]
fn awkward_text_stays_on_its_line_and_in_its_span() {
    let text = rendered(Format::Markdown);
    for line in text.lines().filter(|line| line.contains("alert")) {
        assert!(
            line.starts_with("- **refuted**") || line.starts_with("  - "),
            "{line}"
        );
    }
    let prose = text
        .lines()
        .find(|line| line.contains("`LAMP_DARK`: start"))
        .unwrap();
    for raw in ["<script>", "@all", "[link]", "`tick`", "-->"] {
        assert!(!prose.contains(raw), "{raw} in {prose}");
    }
    assert!(text.contains("observed: (empty)"));
}

#[test]
fn html_is_one_page_that_runs_and_loads_nothing() {
    let page = rendered(Format::Html);
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    let script = page
        .split_once("<script>")
        .and_then(|(_, rest)| rest.split_once("</script>"));
    let (script, rest) = script.unwrap();
    let hash = STANDARD.encode(Digest::of(script).bytes());
    assert!(
        page.contains(&format!("script-src 'sha256-{hash}'")),
        "{hash}"
    );
    assert!(!rest.contains("<script"));
    for forbidden in ["<link", "src=", "href=\"j", "@import", "url("] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert_eq!(page.matches("<details").count(), 6);
    assert_eq!(page.matches("<details open data-verdict=").count(), 6); // so that all is printed
    assert!(page.contains("&#60;script&#62;"));
}

#[test]
fn the_human_report_lists_refuted_first_and_keeps_every_outcome_on_its_lines() {
    let text = rendered(Format::Human);
    let verdicts: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_once(' ').map(|(word, _)| word))
        .filter(|word| ["refuted", "undecided", "confirmed"].contains(word))
        .collect();
    assert_eq!(
        verdicts,
        [
            "refuted",
            "refuted",
            "undecided",
            "undecided",
            "confirmed",
            "confirmed"
        ]
    );
    assert_eq!(
        text.lines().last(),
        Some("2 refuted, 2 undecided, 2 confirmed")
    );
    assert!(text.lines().all(|line| line.chars().count() < 2200));
}

#[test]
fn a_report_without_outcomes_still_says_its_verdict() {
    let mut empty = plain();
    empty.outcomes.clear();
    empty.notices.clear();
    empty.verdict = Verdict::Undecided;
    let text = rendered_all(&[&empty], Format::Human);
    assert_eq!(
        text,
        "lamps house plan.md: undecided\ntwo of six lamps are dark\n\n0 refuted, 0 undecided, 0 confirmed\n"
    );
}

#[test]
fn the_html_report_links_the_address_once() {
    let mut report = report();
    let page = "https://example.com/a?b=1&c=2";
    report.outcomes[0].link = Some(page.to_owned());
    report.outcomes[0].claim = format!("{page} — the hall is lit");
    report.outcomes[1].link = Some("https://example.com/?token=***".to_owned());
    report.outcomes[2].link = Some("javascript:alert(1)".to_owned());
    let html = rendered_all(&[&report], Format::Html);
    let link =
        "<a href=\"https://example.com/a?b=1&#38;c=2\" rel=\"noopener noreferrer nofollow\">";
    assert_eq!(html.matches(link).count(), 1, "{html}");
    assert_eq!(html.matches("example.com/a?b").count(), 2, "{html}");
    assert_eq!(html.matches("<a ").count(), 2 - 1, "{html}");
}
