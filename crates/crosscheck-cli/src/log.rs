//! `crosscheck --log LEVEL COMMAND`: what happens inside, on standard error. At `trace` every
//! heuristic says where it is asked, so that one can see why a verdict came out so.

use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::io::{self, Write as _};

use crosscheck::core::text::terminal_safe;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Takes the option from the beginning of a command line, where it is the same for all
/// commands, and starts the log. The error is the word that is no level.
pub(crate) fn start(words: &mut Vec<OsString>) -> Result<(), String> {
    if words.get(1).is_none_or(|word| word != "--log") {
        return Ok(());
    }
    let word = words.get(2).map(|word| word.to_string_lossy().into_owned());
    let word = word.unwrap_or_default();
    let level = word.parse::<Level>().map_err(|_| word)?;
    words.drain(1..3);
    // a second subscriber cannot be there yet
    let _ = tracing::subscriber::set_global_default(StderrLog { level });
    Ok(())
}

/// Writes events as lines.
struct StderrLog {
    level: Level,
}

impl Subscriber for StderrLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level && metadata.target().starts_with("crosscheck")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = EventLine(String::new());
        event.record(&mut line);
        let level = event.metadata().level();
        let line = format!("{level} {}:{}\n", event.metadata().target(), line.0);
        let _ = io::stderr().write_all(terminal_safe(&line).as_bytes());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The fields of an event, in one line.
struct EventLine(String);

impl Visit for EventLine {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
