//! The report all tests share.

use crosscheck_core::outcome::Grounds;
use crosscheck_core::{Outcome, Place, Report, UnitId, Verdict};
use crosscheck_render::{Format, Style, render, render_all};

crosscheck_core::reasons! {
    /// Reasons of the test verifier.
    pub enum LampReason {
        Dark = "LAMP_DARK", Error,
            "the lamp gives no light",
            help: "change the bulb";
        Fog = "FOG", Warning,
            "nothing can be seen",
            help: "wait for the fog to lift";
        Old = "OLD_BULB", Note,
            "the bulb is old",
            help: "keep a spare bulb";
    }
}

/// Everything that breaks a careless renderer.
pub(crate) const AWKWARD: &str = "start \u{1b}[31m\u{0}\u{7}\u{9b}2J <script>alert('x')</script> a|b \\| `tick` ``` ]]> \
    & \"quoted\" @all #1 [link](javascript:x) --> {{ x }} 100%, a:b\r\n::error::forged\n##[error]forged\n# heading \
    \u{202e}desrever\u{2066} \u{FFFE}\u{FFFF} \u{85}\u{2028} end";

fn outcome(unit: usize, claim: &str, verdict: Verdict, reasons: &[LampReason]) -> Outcome {
    Outcome {
        unit: UnitId::numbered('u', unit),
        claim: claim.to_owned(),
        verdict,
        reasons: reasons
            .iter()
            .map(|reason| Grounds::plain(reason.reason()))
            .collect(),
        expected: None,
        observed: None,
        place: None,
        link: None,
    }
}

fn place(path: &str, line: u64) -> Place {
    Place {
        path: path.to_owned(),
        line: Some(line),
        column: Some(7),
        end_line: Some(line + 1),
    }
}

fn attic() -> Outcome {
    Outcome {
        expected: Some("light".to_owned()),
        observed: Some("darkness".to_owned()),
        place: Some(place("house/attic, left:right.txt", 12)),
        ..outcome(
            2,
            "the attic is lit",
            Verdict::Refuted,
            &[LampReason::Old, LampReason::Dark],
        )
    }
}

fn awkward() -> Outcome {
    Outcome {
        reasons: vec![Grounds {
            reason: LampReason::Dark.reason(),
            message: AWKWARD.to_owned(),
        }],
        expected: Some(AWKWARD.to_owned()),
        observed: Some(String::new()),
        place: Some(place(AWKWARD, 3)),
        ..outcome(3, AWKWARD, Verdict::Refuted, &[])
    }
}

/// Confirmed, undecided and refuted outcomes, in an unusual order.
pub(crate) fn report() -> Report {
    let long = "very long ".repeat(2000);
    Report {
        verifier: "lamps",
        subject: "house plan.md".to_owned(),
        verdict: Verdict::Refuted,
        summary: "two of six lamps are dark".to_owned(),
        outcomes: vec![
            outcome(0, "the hall is lit", Verdict::Confirmed, &[]),
            Outcome {
                place: Some(place("https://example.com/cellar?a=1", 1)),
                ..outcome(
                    1,
                    "the cellar is lit",
                    Verdict::Undecided,
                    &[LampReason::Fog],
                )
            },
            attic(),
            awkward(),
            outcome(4, &long, Verdict::Confirmed, &[LampReason::Old]),
            outcome(5, "the shed is lit", Verdict::Undecided, &[]),
        ],
        notices: vec!["the switch was ignored".to_owned()],
    }
}

/// The shared report without colour.
pub(crate) fn rendered(format: Format) -> String {
    text(|out| render(&report(), format, &Style::default(), out))
}

/// Several reports as one document.
pub(crate) fn rendered_all(reports: &[&Report], format: Format) -> String {
    text(|out| render_all(reports, format, &Style::default(), out))
}

/// What was written, as text.
pub(crate) fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    let done = write(&mut out);
    assert!(done.is_ok(), "{done:?}");
    String::from_utf8(out).unwrap_or_default()
}
