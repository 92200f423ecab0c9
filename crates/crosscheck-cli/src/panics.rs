//! A panic of any thread ends the program at once: a verdict that part of the
//! program did not live to see cannot be trusted. The usual cause is a limit
//! of the system, such as the number of threads.
//!
//! Nothing is unwound, so that releases are built without unwinding: what must
//! not outlive the process is registered in `core::interrupt`.

use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crosscheck::core::advice::RunReason;
use crosscheck::core::interrupt;

use crate::failure::Failure;

/// Sets what the first panic leads to: it is reported, and gives the exit code.
#[expect(clippy::exit, reason = "a panic ends the process from any thread")]
pub(crate) fn end_with(tell: impl Fn(Failure) -> u8 + Send + Sync + 'static) {
    let is_ending = AtomicBool::new(false);
    panic::set_hook(Box::new(move |info| {
        while is_ending.swap(true, Ordering::SeqCst) {
            thread::park(); // the thread that panicked first ends the process
        }
        let said = info.payload_as_str().unwrap_or("no reason given");
        let place = info.location().map(ToString::to_string);
        let code = tell(failure(&format!("{said} ({})", place.unwrap_or_default())));
        interrupt::announce();
        interrupt::clean_up();
        std::process::exit(i32::from(code));
    }));
}

fn failure(said: &str) -> Failure {
    let reason = RunReason::InternalError.reason();
    // the words of the standard library and of tokio
    if said.contains("spawn thread") || said.contains("spawn worker thread") {
        return Failure::because(
            reason,
            "cannot start a thread: a limit of the system is reached",
            "raise the limit on processes (`ulimit -u`) or memory (`ulimit -v`), or end other programs",
        );
    }
    Failure::because(
        reason,
        &format!("crosscheck stopped because of a defect: {said}"),
        "report it with the input that caused it; SECURITY.md says how to report privately",
    )
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::output::Streams;

    #[test]
    fn a_thread_that_cannot_start_is_a_limit_and_no_defect() {
        for (said, is_limit) in [
            ("failed to spawn thread: Os { code: 11 }", true),
            (
                "OS can't spawn worker thread: Resource temporarily unavailable",
                true,
            ),
            ("index out of bounds", false),
        ] {
            let shown = format!("{:?}", failure(said));
            assert_eq!(shown.contains("cannot start a thread"), is_limit, "{shown}");
        }
    }

    /// Runs in a process of its own: it ends.
    #[test]
    #[ignore = "the test below starts it"]
    fn panics() {
        end_with(|failure| failure.tell(&mut Streams::real()));
        let _cleaned = interrupt::on_interrupt(|| Streams::real().talk("cleaned up\n"));
        // a thread that is not joined, and one that cannot tell it again
        for _ in 0..2 {
            thread::spawn(|| panic!("out of paper"));
        }
        loop {
            thread::park();
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test starts its own program")]
    fn the_first_panic_of_any_thread_is_reported_once_and_ends_the_process() {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "panics::tests::panics", "--ignored"])
            .arg("--nocapture")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(3));
        let printed = String::from_utf8_lossy(&output.stderr);
        let [error, help, cleaned] = printed.lines().collect::<Vec<_>>()[..] else {
            panic!("{printed}");
        };
        let begins =
            "error[INTERNAL_ERROR]: crosscheck stopped because of a defect: out of paper (";
        assert!(error.starts_with(begins), "{printed}");
        assert!(help.starts_with("help: "), "{printed}");
        assert_eq!(cleaned, "cleaned up");
    }
}
