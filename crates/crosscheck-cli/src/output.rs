//! The two streams of the program.

mod guard;

use std::fs::File;
use std::io::{self, IsTerminal as _, Write};
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex, PoisonError};

use crosscheck::core::text::terminal_safe;

use crate::args::talk::ColorArg;
use crate::failure::Failure;
use crate::settings::variable;

/// Standard output for data, standard error for talk.
pub(crate) struct Streams {
    out: Box<dyn Write + Send>,
    err: Arc<Mutex<Box<dyn Write + Send>>>,
    out_is_terminal: bool,
    err_is_terminal: bool,
}

/// Standard output for who writes to it alone. Pipes and files are written to
/// directly: the buffer of the library looks for line ends, of which a large
/// document has none.
pub(crate) fn standard_output() -> Box<dyn Write + Send> {
    let stream = io::stdout();
    if !stream.is_terminal()
        && let Ok(own) = stream.as_fd().try_clone_to_owned()
    {
        return Box::new(File::from(own));
    }
    shown(stream)
}

/// A stream that lets nothing through that would steer a terminal.
fn shown<W: Write + io::IsTerminal + Send + 'static>(stream: W) -> Box<dyn Write + Send> {
    if stream.is_terminal() {
        Box::new(guard::Guard::new(stream))
    } else {
        Box::new(stream)
    }
}

impl Streams {
    pub(crate) fn real() -> Self {
        Self {
            out: standard_output(),
            err: Arc::new(Mutex::new(shown(io::stderr()))),
            out_is_terminal: io::stdout().is_terminal(),
            err_is_terminal: io::stderr().is_terminal(),
        }
    }

    /// Writes the result. A reader that closes the pipe early is not an error.
    pub(crate) fn data(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.try_data(bytes)
            .map_err(|error| Failure::stdout(&error))
    }

    /// As [`Streams::data`], for commands that tell failures in their own form.
    pub(crate) fn try_data(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.out.write_all(bytes).and_then(|()| self.out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }

    /// Writes a result that is made while it is written.
    pub(crate) fn try_stream(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut out = io::BufWriter::with_capacity(64 * 1024, &mut self.out);
        match write(&mut out).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }

    /// Writes nothing more to standard error.
    pub(crate) fn hush(&mut self) {
        self.err = Arc::new(Mutex::new(Box::new(io::sink())));
    }

    /// Writes to standard error; checked text in it cannot steer a terminal,
    /// also when it is read later. A closed stream is not an error.
    pub(crate) fn talk(&mut self, text: &str) {
        self.talk_harmless(&terminal_safe(text));
    }

    /// The same for a text that holds nothing of the kind.
    pub(crate) fn talk_harmless(&mut self, text: &str) {
        let mut err = self.err.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }

    /// Standard error, for another thread.
    pub(crate) fn err(&self) -> Arc<Mutex<Box<dyn Write + Send>>> {
        Arc::clone(&self.err)
    }

    /// Whether the result for people has colours.
    pub(crate) fn colours(&self, wanted: ColorArg) -> bool {
        match wanted {
            ColorArg::Always => true,
            ColorArg::Never => false,
            ColorArg::Auto => {
                self.out_is_terminal
                    && variable("NO_COLOR").is_none()
                    && variable("TERM").as_deref() != Some("dumb")
            }
        }
    }

    pub(crate) fn shows_to_terminal(&self) -> bool {
        self.out_is_terminal
    }

    pub(crate) fn talks_to_terminal(&self) -> bool {
        self.err_is_terminal
    }
}
