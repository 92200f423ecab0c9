//! Who hears what: the streams of the program, and the level of detail.

use std::time::Duration;

use crosscheck_core::text::terminal_safe;

use crate::config::OutputLevel;
use crate::journal::Journal;

/// The streams, as the program provides them.
pub trait Console {
    /// Standard output; shown at once.
    fn out(&mut self, text: &str);

    /// Standard error; shown at once.
    fn err(&mut self, text: &str);

    /// The LLM is at work: time since the start, time since it was last heard.
    fn working(&mut self, elapsed: Duration, silent: Duration) {
        let _ = (elapsed, silent);
    }

    /// The LLM has ended; takes back whatever `working` shows.
    fn idle(&mut self) {}

    /// Whether diagnostics are wanted at every level.
    fn explains(&self) -> bool {
        false
    }

    /// Whether a person reads standard output directly.
    fn is_terminal(&self) -> bool {
        false
    }

    /// Whether standard output may be coloured.
    fn colours(&self) -> bool {
        false
    }
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Console for Silent {
    fn out(&mut self, _: &str) {}

    fn err(&mut self, _: &str) {}
}

/// A console with a level: the one place that decides what is said.
pub struct Voice<'c> {
    console: &'c mut dyn Console,
    level: OutputLevel,
    /// Standard output belongs to one JSON document.
    json: bool,
    colours: bool,
    /// Where a run keeps all that is asked and answered.
    journal: Option<Journal>,
}

impl<'c> Voice<'c> {
    /// Speaks at this level.
    pub fn new(
        console: &'c mut dyn Console,
        level: OutputLevel,
        json: bool,
        colours: bool,
    ) -> Self {
        let colours = colours && console.colours();
        Self {
            console,
            level,
            json,
            colours,
            journal: None,
        }
    }

    /// From now on, what is asked and answered is written down.
    pub(crate) fn keep(&mut self, journal: Journal) {
        self.journal = Some(journal);
    }

    /// Writes something down, in a run.
    pub(crate) fn note(&mut self, heading: &str, text: impl FnOnce() -> String) {
        if let Some(journal) = &mut self.journal {
            journal.note(heading, &text());
        }
    }

    /// Whether everything is wanted.
    pub fn is_verbose(&self) -> bool {
        self.level == OutputLevel::Verbose
    }

    /// Whether only errors are wanted.
    pub fn is_quiet(&self) -> bool {
        self.level == OutputLevel::Quiet
    }

    /// Whether standard output belongs to a JSON document.
    pub const fn is_json(&self) -> bool {
        self.json
    }

    /// Text for people on standard output: not when quiet, not beside JSON.
    pub fn say(&mut self, text: &str) {
        if !self.is_quiet() && !self.json {
            self.console.out(&terminal_safe(text));
        }
    }

    /// The one document, whatever the level. On a terminal, characters that
    /// would steer it are written as JSON escapes.
    pub fn document(&mut self, text: &str) {
        if self.console.is_terminal() {
            self.console.out(&terminal_safe(text));
        } else {
            self.console.out(text);
        }
    }

    /// A warning on standard error, unless quiet.
    pub fn warn(&mut self, text: &str) {
        if !self.is_quiet() {
            self.console.err(&format!("{}\n", terminal_safe(text)));
        }
    }

    /// A remark for people at a terminal, and for whoever wants everything.
    pub fn remark(&mut self, text: &str) {
        if self.console.is_terminal() && !self.is_quiet() && !self.json {
            self.console.err(&format!("{}\n", terminal_safe(text)));
        } else {
            self.detail(text);
        }
    }

    /// A remark for whoever wants everything.
    pub fn detail(&mut self, text: &str) {
        if self.is_verbose() || self.console.explains() {
            self.console.err(&format!("{}\n", terminal_safe(text)));
        }
    }

    /// A status line in its colour, where colours are welcome.
    pub fn painted(&self, text: &str, code: u8) -> String {
        if self.colours {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// As [`Self::say`], for text that we have painted ourselves.
    pub fn say_painted(&mut self, text: &str) {
        if !self.is_quiet() && !self.json {
            self.console.out(text);
        }
    }

    pub(crate) fn llm_out(&mut self, text: &str) {
        if self.is_verbose() && !text.is_empty() {
            let text = terminal_safe(text);
            if self.json {
                self.console.err(&text);
            } else {
                self.console.out(&text);
            }
        }
    }

    pub(crate) fn llm_err(&mut self, text: &str) {
        if self.is_verbose() {
            self.console.err(&terminal_safe(text));
        }
    }

    pub(crate) fn working(&mut self, elapsed: Duration, silent: Duration) {
        if self.level == OutputLevel::Progress {
            self.console.working(elapsed, silent);
        }
    }

    pub(crate) fn idle(&mut self) {
        self.console.idle();
    }
}
