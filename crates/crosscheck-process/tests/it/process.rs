//! Children that behave, and children that do not.

use std::path::Path;
use std::time::{Duration, Instant};

use crosscheck_core::Event;
use crosscheck_process::{Ending, Program, Ran};

fn shell(script: &str) -> Program {
    Program::new("sh", Path::new("/")).args(["-c", script])
}

#[expect(clippy::expect_used, reason = "a helper of tests")]
fn run(program: Program) -> Ran {
    program.run().expect("the program starts")
}

fn is_alive(pid: &str) -> bool {
    // A zombie that was not collected yet is dead, too.
    std::fs::File::open(format!("/proc/{}/stat", pid.trim()))
        .and_then(std::io::read_to_string)
        .is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn both_streams_and_the_exit_code_are_kept() {
    let ran = run(shell("echo out; echo err >&2; exit 7"));
    assert_eq!(ran.ending, Ending::Exited(7));
    assert_eq!(
        (ran.stdout.text().as_str(), ran.stderr.text().as_str()),
        ("out\n", "err\n")
    );
}

#[test]
fn ten_megabytes_arrive_without_loss() {
    let ran = run(shell("head -c 10000000 /dev/zero | tr '\\0' x"));
    assert_eq!(ran.stdout.text().len(), 10_000_000);
    assert_eq!(ran.stdout.dropped(), 0);
}

#[test]
fn input_is_fed_and_unread_input_is_not_an_error() {
    let ran = run(Program::new("wc", Path::new("/"))
        .args(["-c"])
        .input(vec![b'x'; 500_000]));
    assert_eq!(ran.stdout.text().trim(), "500000");
    assert_eq!(
        run(shell("exit 0").input(vec![b'x'; 500_000])).ending,
        Ending::Exited(0)
    );
}

#[test]
fn without_input_standard_input_is_empty() {
    assert_eq!(run(shell("cat; echo end")).stdout.text(), "end\n");
}

#[test]
fn when_time_is_up_the_whole_group_ends() {
    let started = Instant::now();
    let ran =
        run(shell("sleep 60 & echo $!; sleep 60").time_limit(Some(Duration::from_millis(300))));
    assert_eq!(ran.ending, Ending::TimedOut);
    assert!(started.elapsed() < Duration::from_secs(4));
    assert!(!is_alive(&ran.stdout.text()));
}

#[test]
fn a_child_that_ignores_the_request_is_killed() {
    let script = "trap '' TERM; echo $$; while :; do sleep 0.1; done";
    let started = Instant::now();
    let ran = run(shell(script).time_limit(Some(Duration::from_millis(200))));
    assert_eq!(ran.ending, Ending::TimedOut);
    assert!(started.elapsed() < Duration::from_secs(9));
    assert!(!is_alive(&ran.stdout.text()));
}

#[test]
fn a_silent_grandchild_does_not_outlive_the_child() {
    let started = Instant::now();
    let ran = run(shell("sleep 60 >/dev/null 2>&1 & echo $!"));
    assert_eq!(ran.ending, Ending::Exited(0));
    assert!(started.elapsed() < Duration::from_secs(3));
    assert!(!is_alive(&ran.stdout.text()));
}

#[test]
fn a_grandchild_that_holds_the_output_open_is_not_waited_for_forever() {
    let started = Instant::now();
    let ran = run(shell("sleep 60 & echo $!"));
    assert_eq!(ran.ending, Ending::Exited(0));
    assert!(started.elapsed() < Duration::from_secs(12));
    assert!(!is_alive(&ran.stdout.text()));
}

#[test]
fn output_that_comes_after_the_exit_is_still_heard() {
    let ran = run(shell("(sleep 0.5; echo late) & echo early"));
    assert_eq!(ran.stdout.text(), "early\nlate\n");
}

#[test]
fn death_by_a_signal_is_distinguished() {
    assert_eq!(run(shell("kill -9 $$")).ending, Ending::Signalled(9));
}

#[test]
fn private_output_cannot_be_opened_by_another_process() {
    let script = "echo a; (echo b > /proc/$$/fd/1) 2>/dev/null; echo c";
    assert_eq!(run(shell(script)).stdout.text(), "a\nb\nc\n");
    assert_eq!(run(shell(script).private_output()).stdout.text(), "a\nc\n");
}

#[test]
fn a_missing_program_cannot_start() {
    let error = Program::new("/no/such/program", Path::new("/"))
        .run()
        .unwrap_err();
    assert_eq!(error.to_string(), "cannot start `/no/such/program`");
}

#[test]
fn a_listener_hears_while_the_child_works() {
    let (mut heard, mut ticks) = (Vec::new(), 0);
    shell("echo one; sleep 0.6; echo two")
        .run_with(&mut |event: Event<'_>| match event {
            Event::Output { bytes, .. } => heard.extend_from_slice(bytes),
            Event::Waiting { .. } => ticks += 1,
            _ => {}
        })
        .unwrap();
    assert_eq!(heard, b"one\ntwo\n");
    assert!(ticks >= 3);
}
