//! The streams of the program as a console for workspace commands.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use crosscheck::workspace::WorkspaceError;
use crosscheck::workspace::console::Console;

use crate::output::Streams;

/// A progress line appears only when the LLM takes longer than this.
const PATIENCE: Duration = Duration::from_secs(1);
const CLEAR_LINE: &str = "\r\u{1b}[K";

pub(super) struct StreamConsole<'s> {
    streams: &'s mut Streams,
    colours: bool,
    explains: bool,
    /// The second that the progress line shows.
    shown: Option<u64>,
    failed: Option<io::Error>,
}

impl<'s> StreamConsole<'s> {
    #[expect(
        clippy::disallowed_methods,
        reason = "this crate alone reads the environment"
    )]
    pub(super) fn new(streams: &'s mut Streams, no_colors: bool) -> Self {
        let plain = no_colors
            || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self {
            colours: streams.shows_to_terminal() && !plain,
            explains: std::env::var_os("CROSSCHECK_LOG").is_some_and(|level| level == "debug"),
            streams,
            shown: None,
            failed: None,
        }
    }

    /// Output that could not be written is an error of the command.
    pub(super) fn finish(self) -> Result<(), WorkspaceError> {
        match self.failed {
            Some(error) => Err(WorkspaceError::Io(format!(
                "stdout: cannot write the result: {error}"
            ))),
            None => Ok(()),
        }
    }
}

impl Console for StreamConsole<'_> {
    fn out(&mut self, text: &str) {
        self.idle();
        if let Err(error) = self.streams.try_data(text.as_bytes()) {
            self.failed.get_or_insert(error);
        }
    }

    fn err(&mut self, text: &str) {
        self.idle();
        self.streams.talk(text);
    }

    fn working(&mut self, elapsed: Duration, silent: Duration) {
        let second = elapsed.as_secs();
        if elapsed < PATIENCE || !self.streams.talks_to_terminal() || self.shown == Some(second) {
            return;
        }
        let mut line = format!("{CLEAR_LINE}… {} at work", clock_text(second));
        if silent > Duration::from_secs(5) {
            let _ = write!(line, ", last heard {} ago", clock_text(silent.as_secs()));
        }
        self.streams.talk(&line);
        self.shown = Some(second);
    }

    fn idle(&mut self) {
        if self.shown.take().is_some() {
            self.streams.talk(CLEAR_LINE);
        }
    }

    fn colours(&self) -> bool {
        self.colours
    }

    fn is_terminal(&self) -> bool {
        self.streams.shows_to_terminal()
    }

    fn explains(&self) -> bool {
        self.explains
    }
}

fn clock_text(seconds: u64) -> String {
    if seconds < 60 {
        format!("{seconds} s")
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}
