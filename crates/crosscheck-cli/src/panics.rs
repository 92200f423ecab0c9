//! A panic of any thread ends the run as an error with exit code 3: a verdict
//! that part of the program did not live to see cannot be trusted. The usual
//! cause is a limit of the system, such as the number of threads.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};

use crosscheck::core::advice::RunReason;

use crate::failure::Failure;

/// What the first panic said.
static FIRST: Mutex<Option<String>> = Mutex::new(None);

/// Runs the program.
pub(crate) fn caught(work: impl FnOnce() -> u8) -> Result<u8, Failure> {
    panic::set_hook(Box::new(|info| {
        let said = info.payload_as_str().unwrap_or("no reason given");
        let place = info.location().map(ToString::to_string);
        let place = place.unwrap_or_default();
        let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| format!("{said} ({place})"));
    }));
    let ended = panic::catch_unwind(AssertUnwindSafe(work));
    let said = FIRST.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (ended, said) {
        (Ok(code), None) => Ok(code),
        (_, said) => Err(failure(&said.unwrap_or_default())),
    }
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
    use super::*;

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
}
