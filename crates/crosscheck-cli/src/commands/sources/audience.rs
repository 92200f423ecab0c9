//! What people see while sources are checked: one live line on a terminal, a
//! plain line now and then elsewhere.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crosscheck::core::text::terminal_safe;
use crosscheck::sources::report::result::Row;
use crosscheck::sources::run::{Audience, Progress};
use crosscheck::sources::status::Status;

const LIVE: Duration = Duration::from_millis(100);
const NOW_AND_THEN: Duration = Duration::from_secs(10);
const LINE_MAX: usize = 200;

/// Whoever watches standard error.
pub(super) struct Crowd(Arc<Watcher>);

struct Watcher {
    quiet: bool,
    verbose: bool,
    terminal: bool,
    seen: Mutex<Seen>,
}

struct Seen {
    told: Instant,
    progress: Progress,
    verified: usize,
    unreliable: usize,
    fabricated: usize,
    suspect: usize,
    drawn: bool,
    /// Something happened that was not told yet.
    news: bool,
    ended: bool,
}

impl Crowd {
    pub(super) fn new(quiet: bool, verbose: bool, terminal: bool) -> Self {
        let seen = Seen {
            told: Instant::now(),
            progress: Progress::default(),
            verified: 0,
            unreliable: 0,
            fabricated: 0,
            suspect: 0,
            drawn: false,
            news: false,
            ended: false,
        };
        let watcher = Arc::new(Watcher {
            quiet,
            verbose,
            terminal,
            seen: Mutex::new(seen),
        });
        if !quiet {
            let watcher = Arc::clone(&watcher);
            thread::spawn(move || watcher.keep_telling());
        }
        Self(watcher)
    }

    /// Removes the live line; nothing is told after it.
    pub(super) fn end(&self) {
        let mut seen = self.0.seen();
        wipe(&mut seen);
        seen.ended = true;
    }
}

impl Watcher {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What came too soon after the last line is told a little later: a slow
    /// page must not leave people with the line before it.
    fn keep_telling(&self) {
        loop {
            thread::sleep(LIVE);
            let mut seen = self.seen();
            if seen.ended {
                return;
            }
            self.tell(&mut seen);
        }
    }

    fn tell(&self, seen: &mut Seen) {
        let pause = if self.terminal { LIVE } else { NOW_AND_THEN };
        if self.quiet || !seen.news || seen.ended || seen.told.elapsed() < pause {
            return;
        }
        seen.told = Instant::now();
        seen.news = false;
        let line = format!(
            "{} pending, {} in progress, found: {} verified, {} unreliable, {} fabricated, {} suspect",
            seen.progress.pending,
            seen.progress.in_progress,
            seen.verified,
            seen.unreliable,
            seen.fabricated,
            seen.suspect
        );
        if self.terminal {
            say(&format!("\r\u{1b}[K{line}"));
            seen.drawn = true;
        } else {
            say(&format!("{line}\n"));
        }
    }
}

impl Audience for Crowd {
    fn progress(&self, progress: Progress) {
        let mut seen = self.0.seen();
        if seen.progress != progress {
            seen.progress = progress;
            seen.news = true;
            self.0.tell(&mut seen);
        }
    }

    fn result(&self, row: &Row) {
        let mut seen = self.0.seen();
        match row.status {
            Status::Verified => seen.verified += 1,
            Status::Unreliable => seen.unreliable += 1,
            Status::Fabricated => seen.fabricated += 1,
            Status::Suspect => seen.suspect += 1,
        }
        seen.news = true;
        let bad = matches!(row.status, Status::Unreliable | Status::Fabricated);
        if self.0.quiet || !(self.0.verbose || (self.0.terminal && bad)) {
            return;
        }
        wipe(&mut seen);
        let line: String = format!("{} {} {}", row.status.word(), row.url, row.explanation)
            .chars()
            .take(LINE_MAX)
            .collect();
        say(&format!("{}\n", terminal_safe(&line)));
    }

    fn warn(&self, text: &str) {
        let mut seen = self.0.seen();
        wipe(&mut seen);
        say(&format!("warning: {}\n", terminal_safe(text)));
    }
}

fn wipe(seen: &mut Seen) {
    if std::mem::take(&mut seen.drawn) {
        say("\r\u{1b}[K");
    }
}

/// Nobody listening is fine.
fn say(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.flush());
}
