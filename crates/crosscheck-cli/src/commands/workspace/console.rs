//! What the workspace commands say: contract texts on standard output,
//! warnings on standard error, as much of it as the level asks for.

use std::io;

use crosscheck::core::listener::Stream;
use crosscheck::core::text::terminal_safe;
use crosscheck::core::{Event, Listener};
use crosscheck::workspace::WorkspaceError;
use crosscheck::workspace::config::OutputLevel;
use crosscheck::workspace::reasons::WorkspaceReason;

use crate::args::talk::ColorArg;
use crate::output::Streams;
use crate::present::painted;
use crate::progress::{Loudness, Progress};
use crate::settings::variable;

pub(super) struct Console<'s> {
    streams: &'s mut Streams,
    level: OutputLevel,
    /// Standard output belongs to one JSON document.
    json: bool,
    colours: bool,
    explains: bool,
    /// Shows that the LLM is at work.
    progress: Progress,
    failed: Option<io::Error>,
}

impl<'s> Console<'s> {
    pub(super) fn new(
        streams: &'s mut Streams,
        level: OutputLevel,
        json: bool,
        colours: bool,
    ) -> Self {
        let loudness = Loudness {
            quiet: level != OutputLevel::Progress,
            terminal_only: true,
            ..Loudness::default()
        };
        Self {
            level,
            json,
            colours: colours && streams.colours(ColorArg::Auto),
            explains: variable("CROSSCHECK_LOG").as_deref() == Some("debug"),
            progress: Progress::new(loudness, streams),
            streams,
            failed: None,
        }
    }

    /// Output that could not be written is an error of the command.
    pub(super) fn finish(self) -> Result<(), WorkspaceError> {
        match self.failed {
            Some(error) => Err(WorkspaceError::new(
                WorkspaceReason::Io,
                format!("stdout: cannot write the result: {error}"),
            )),
            None => Ok(()),
        }
    }

    /// The one document, whatever the level. On a terminal, characters that
    /// would steer it are written as JSON escapes.
    pub(super) fn document(&mut self, text: &str) {
        if self.streams.shows_to_terminal() {
            self.out(&terminal_safe(text));
        } else {
            self.out(text);
        }
    }

    fn out(&mut self, text: &str) {
        self.progress.pause();
        if let Err(error) = self.streams.try_data(text.as_bytes()) {
            self.failed.get_or_insert(error);
        }
    }

    fn err(&mut self, text: &str) {
        self.progress.pause();
        self.streams.talk(text);
    }

    fn is_verbose(&self) -> bool {
        self.level == OutputLevel::Verbose
    }
}

impl Listener for Console<'_> {
    fn hear(&mut self, event: Event<'_>) {
        let speaks = self.level != OutputLevel::Quiet && !self.json;
        match event {
            Event::Text(text) if speaks => self.out(&terminal_safe(text)),
            Event::Judged { verdict, text, .. } if speaks => {
                let mut line = text.join(" ");
                if self.colours {
                    line = painted(&line, verdict);
                }
                self.out(&format!("{line}\n"));
            }
            Event::Warning(text) if self.level != OutputLevel::Quiet => {
                self.err(&format!("{text}\n"));
            }
            Event::Note(text) if speaks && self.streams.talks_to_terminal() => {
                self.err(&format!("{text}\n"));
            }
            Event::Note(text) | Event::Step(text) if self.is_verbose() || self.explains => {
                self.err(&format!("{text}\n"));
            }
            Event::Output { stream, bytes } if self.is_verbose() => {
                let text = String::from_utf8_lossy(bytes);
                if stream == Stream::Stdout && !self.json {
                    self.out(&terminal_safe(&text));
                } else {
                    self.err(&text);
                }
            }
            Event::Waiting { .. } => self.progress.hear(event),
            _ => {}
        }
    }
}
