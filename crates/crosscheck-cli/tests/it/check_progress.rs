//! The progress bar, seen in a pseudo terminal of `script` (util-linux).

use std::process::Command;

use crosscheck_testkit::Desk;

use crate::check::{FLAGS, desk, event};

fn staged(count: usize) -> Desk {
    let desk = desk();
    let events: String = (0..count)
        .map(|seq| event(seq, "guest.save", r#"{"id":"g1","fields":{"room":204}}"#))
        .collect();
    desk.file("events.ndjson", events);
    desk
}

/// What a terminal gets on standard error; `None` where there is no `script`.
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
fn on_terminal(desk: &Desk) -> Option<String> {
    let program = env!("CARGO_BIN_EXE_crosscheck");
    let words = FLAGS.join(" ");
    let line = format!("'{program}' check {words} --no-human-report > out.json");
    let ran = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "typescript"])
        .current_dir(desk.path())
        .stdin(std::process::Stdio::null())
        .output();
    let Ok(ran) = ran else {
        eprintln!("skipped: `script` of util-linux is not installed");
        return None;
    };
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[test]
fn a_terminal_sees_rate_and_remaining_time_above_a_thousand_steps() {
    let desk = staged(30_000);
    let Some(seen) = on_terminal(&desk) else {
        return;
    };
    let bars: Vec<&str> = seen
        .split("\r\u{1b}[K")
        .filter(|part| part.starts_with('['))
        .collect();
    let (first, later) = bars.split_first().expect("a bar is shown");
    assert!(
        first.starts_with("[                    ] 0% 0 of 30000 steps"),
        "it is there before the first look: {seen:?}"
    );
    assert!(!later.is_empty(), "{seen:?}");
    for bar in later {
        assert!(
            bar.contains("% ") && bar.contains(" of 30000 steps, "),
            "{bar:?}"
        );
        assert!(bar.contains("/s, ") && bar.contains(" s left"), "{bar:?}");
    }
    // the line is taken away before the verdict is reported
    let verdict = seen.split("\r\u{1b}[K").last().unwrap();
    assert!(
        verdict.starts_with("truth_check_verdict: trusted"),
        "{verdict:?}"
    );
    assert!(!verdict.contains("steps, "), "{verdict:?}");
    assert_eq!(desk.read("out.json").matches("\"seq\":").count(), 30_000);
}

#[test]
fn a_short_run_shows_no_progress_and_neither_does_a_pipe() {
    let desk = staged(900);
    if let Some(seen) = on_terminal(&desk) {
        assert!(seen.starts_with("truth_check_verdict: trusted"), "{seen:?}");
    }
    let desk = staged(2500);
    let words = ["check"].iter().chain(&FLAGS).chain(&["--no-human-report"]);
    let seen = desk.crosscheck(words);
    assert_eq!(
        seen.stderr,
        "truth_check_verdict: trusted\nrelease_critical_truth_check_verdict: trusted\n"
    );
}
