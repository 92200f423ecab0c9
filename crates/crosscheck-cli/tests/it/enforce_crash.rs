//! `enforce` killed at many moments: the state is the old one or the new one,
//! and the next run is not locked out.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crosscheck_testkit::Desk;
use serde_json::Value;

use crate::check::{FLAGS, desk, event, execute};

fn words(extra: &[&str]) -> Vec<String> {
    let fixed = ["--state-dir", "state", "--no-human-report"];
    let words = ["enforce"].iter().chain(&FLAGS).chain(&fixed).chain(extra);
    words.map(|word| (*word).to_owned()).collect()
}

/// Enough steps that writing the state takes a moment.
fn staged() -> Desk {
    let desk = desk();
    let events: String = (0..400)
        .map(|seq| event(seq, "guest.save", r#"{"id":"g1","fields":{"room":204}}"#))
        .collect();
    desk.file("events.ndjson", events);
    let seen = desk.crosscheck(words(&["--create-baseline"]));
    assert_eq!(seen.code, 0, "{}", seen.summary());
    desk
}

fn state(desk: &Desk) -> (String, Value) {
    let names = desk.names("state");
    let name = names.iter().min_by_key(|name| name.len()).unwrap();
    let text = desk.read(&format!("state/{name}"));
    let state = serde_json::from_str(&text).unwrap_or_else(|error| panic!("torn: {error}: {text}"));
    (name.clone(), state)
}

#[test]
fn a_run_killed_at_any_moment_leaves_the_old_or_the_new_state() {
    let desk = staged();
    let begun = Instant::now();
    assert_eq!(desk.crosscheck(words(&[])).code, 0);
    let whole = begun.elapsed();
    let (mut killed, mut ended) = (0, 0);
    let (_, mut before) = state(&desk);
    for round in 0..60_u32 {
        let mut child = desk
            .command(words(&[]))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // from nothing to a little beyond the end, densest near the end
        let part = 60 - (60 - round).pow(2) / 60;
        std::thread::sleep(whole * part / 52);
        child.kill().unwrap();
        let status = child.wait().unwrap();
        let (name, after) = state(&desk);
        let version = |state: &Value| state["lifecycle_state_version"].as_u64().unwrap();
        let (old, new) = (version(&before), version(&after));
        assert!(new == old || new == old + 1, "{old} {new}");
        if new == old {
            assert_eq!(before, after, "round {round}");
        }
        assert_eq!(after["baseline"], before["baseline"], "round {round}");
        *(if status.success() {
            &mut ended
        } else {
            &mut killed
        }) += 1;
        let left = desk.names("state");
        let ours = |file: &String| file.starts_with(&name);
        assert!(left.iter().all(ours), "{left:?}");
        before = after;
    }
    assert!(killed > 10, "{killed} killed, {ended} ended");

    let begun = Instant::now();
    let seen = desk.crosscheck(words(&[]));
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert!(
        begun.elapsed() < Duration::from_secs(9),
        "the lock of a killed run is not waited for"
    );
    assert_eq!(
        desk.names("state"),
        [state(&desk).0],
        "nothing of the killed runs is left"
    );
}

#[test]
fn a_lock_that_another_program_wrote_is_respected() {
    let desk = staged();
    let (name, before) = state(&desk);
    desk.file(&format!("state/{name}.lock"), "held by hand\n");
    let begun = Instant::now();
    let seen = desk.crosscheck(words(&[]));
    assert!(begun.elapsed() >= Duration::from_secs(10));
    assert_eq!(seen.refusal(), "3 ENFORCE_STATE_LOCKED");
    assert_eq!(state(&desk).1, before);
    assert_eq!(desk.read(&format!("state/{name}.lock")), "held by hand\n");
}

#[test]
fn a_lock_whose_run_was_killed_before_it_wrote_its_mark_is_taken_over() {
    let desk = staged();
    let (name, _) = state(&desk);
    desk.file(&format!("state/{name}.lock"), "");
    let seen = desk.crosscheck(words(&[]));
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert_eq!(desk.names("state"), [name], "no lock is left");
}

#[test]
fn runs_beside_runs_that_are_killed_lose_no_transition() {
    let desk = staged();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let seen = desk.crosscheck(words(&[]));
                    assert_eq!(seen.code, 0, "{}", seen.summary());
                }
            });
        }
        scope.spawn(|| {
            for round in 0..12 {
                let mut child = desk
                    .command(words(&["--no-state-write"]))
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap();
                std::thread::sleep(Duration::from_millis(20 * round));
                child.kill().unwrap();
                child.wait().unwrap();
            }
        });
    });
    let (name, after) = state(&desk);
    assert_eq!(
        after["lifecycle_state_version"], 13,
        "1 baseline, 12 checks"
    );
    execute(&desk, "UPDATE guests SET room = 1");
    assert_eq!(desk.crosscheck(words(&[])).code, 4);
    assert_eq!(desk.names("state"), [name]);
}
