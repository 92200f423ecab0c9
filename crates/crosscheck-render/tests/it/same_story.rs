//! What holds for all formats.

use crosscheck_core::{Report, Verdict};
use crosscheck_render::{Format, Style, render};

use crate::fixture::{rendered, rendered_all, report, text};

#[test]
fn every_outcome_appears_in_every_format() {
    let claims = [
        "the hall is lit",
        "the cellar is lit",
        "the attic is lit",
        "alert(",
        "very long very long",
        "the shed is lit",
    ];
    for format in Format::ALL {
        // Markdown and HTML write some of these characters as escapes
        let text = rendered(format).replace("&#40;", "(").replace("\\(", "(");
        for claim in claims {
            assert!(text.contains(claim), "{format} lacks {claim:?}:\n{text}");
        }
        for unit in ["u0", "u1", "u2", "u3", "u4", "u5"] {
            assert!(text.contains(unit), "{format} lacks {unit}");
        }
        for code in ["LAMP_DARK", "FOG", "OLD_BULB"] {
            assert!(text.contains(code), "{format} lacks {code}");
        }
        assert!(
            text.contains("two of six lamps are dark"),
            "{format} lacks the summary"
        );
        assert!(
            text.contains("the switch was ignored"),
            "{format} lacks the notice"
        );
        assert!(
            text.contains("darkness"),
            "{format} lacks what was observed"
        );
    }
}

#[test]
fn no_format_lets_a_control_character_through() {
    for format in Format::ALL {
        let text = rendered(format);
        let found: Vec<char> = text
            .chars()
            .filter(|c| {
                (c.is_control() && *c != '\n')
                    || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
            })
            .collect();
        assert!(found.is_empty(), "{format} holds {found:?}");
    }
}

#[test]
fn only_the_human_format_uses_colour_and_only_on_request() {
    for format in Format::ALL {
        let coloured = text(|out| render(&report(), format, &Style { colour: true }, out));
        if format == Format::Human {
            assert!(
                coloured.contains("\u{1b}[1m\u{1b}[31mrefuted"),
                "{coloured:?}"
            );
            assert!(!rendered(format).contains('\u{1b}'));
        } else {
            assert_eq!(coloured, rendered(format), "{format}");
        }
    }
}

#[test]
fn an_empty_observation_is_named_where_people_read() {
    for format in Format::ALL {
        let is_data = matches!(format, Format::Json | Format::Ndjson | Format::Csv);
        assert_eq!(rendered(format).contains("(empty)"), !is_data, "{format}");
    }
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    for format in Format::ALL {
        assert_eq!(rendered(format), rendered(format), "{format}");
    }
}

#[test]
fn several_reports_are_one_document_with_the_worst_verdict() {
    let calm = Report {
        verifier: "doors",
        subject: "house".to_owned(),
        verdict: Verdict::Undecided,
        summary: "no door was named".to_owned(),
        outcomes: Vec::new(),
        notices: Vec::new(),
    };
    for format in Format::ALL {
        let text = rendered_all(&[&calm, &report()], format);
        assert!(text.contains("doors") && text.contains("lamps"), "{format}");
        assert!(text.contains("no door was named"), "{format}");
        assert!(!rendered_all(&[&calm], format).is_empty(), "{format}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&rendered_all(&[&calm, &report()], Format::Json)).unwrap();
    assert_eq!(json["verdict"], "refuted");
    assert_eq!(json["reports"].as_array().unwrap().len(), 2);
}

#[test]
fn a_closed_pipe_is_reported_and_nothing_else_happens() {
    struct Closed;
    impl std::io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    for format in Format::ALL {
        let error = render(&report(), format, &Style::default(), &mut Closed).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe, "{format}");
    }
}
