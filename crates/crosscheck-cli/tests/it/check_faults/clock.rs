//! A wall clock that jumps must not open or close the window of `eventual`.

use std::process::Command;
use std::time::{Duration, Instant};

use super::{Kind, codes, staged, step};

/// Every look at the wall clock is a day further, then a day back.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <sys/time.h>
static long jumps;
static long jump(void) { return (++jumps % 2 ? 86400 : -86400) * (jumps % 7 + 1); }
int clock_gettime(clockid_t id, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(id, at);
    if (code == 0 && id == CLOCK_REALTIME) at->tv_sec += jump();
    return code;
}
"#;

#[test]
fn a_wall_clock_that_jumps_moves_no_window() {
    let Some(stage) = staged(Kind::Sqlite, &step(0, "late", "2")) else {
        return;
    };
    let source = stage.desk.file("shim.c", SHIM);
    let shim = stage.desk.path().join("shim.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&shim)
        .arg(&source)
        .arg("-ldl")
        .status();
    if !built.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no C compiler to bend the clock with");
        return;
    }
    let window = [
        "--consistency",
        "eventual",
        "--verification-window-ms",
        "1500",
        "--poll-interval-ms",
        "100",
    ];
    let begun = Instant::now();
    let output = stage
        .command("check", &window)
        .env("LD_PRELOAD", &shim)
        .output()
        .unwrap();
    let seen = stage.desk.seen(&output);
    assert!(
        begun.elapsed() >= Duration::from_millis(1500),
        "{:?}",
        begun.elapsed()
    );
    assert!(
        begun.elapsed() < Duration::from_secs(40),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(seen.code, 2, "{}", seen.summary());
    assert_eq!(codes(&stage), ["ROW_NOT_OBSERVED_WITHIN_WINDOW"]);
    let summary = &stage.steps()[0]["evidenceSummary"];
    let elapsed = summary["elapsedMs"].as_u64().unwrap();
    assert!((1500..40_000).contains(&elapsed), "{summary}");
    let made = stage.desk.read("bundle/agent-run.json");
    assert!(made.contains("verifiedAt"), "{made}");
}
