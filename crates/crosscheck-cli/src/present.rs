//! The one presenter: what every command does with a report in a format.

use std::io::{self, Write};
use std::path::Path;

use crosscheck::Neutral;
use crosscheck::core::Verdict;
use crosscheck::core::text::terminal_safe;
use crosscheck::render::{Format, Style, render, render_all};

use crate::args::talk::ColorArg;
use crate::commands::spare::publish_with;
use crate::failure::Failure;
use crate::output::Streams;

/// Where a report goes, and how.
#[derive(Clone, Copy)]
pub(crate) struct Presenter<'p> {
    pub(crate) format: Format,
    /// The file; standard output without one.
    pub(crate) output: Option<&'p Path>,
    pub(crate) color: ColorArg,
}

impl<'p> Presenter<'p> {
    pub(crate) const fn new(format: Format, output: Option<&'p Path>) -> Self {
        Self {
            format,
            output,
            color: ColorArg::Auto,
        }
    }

    pub(crate) const fn in_colour(mut self, color: ColorArg) -> Self {
        self.color = color;
        self
    }

    /// Writes a report, and only then says whether it could be recorded. `own` writes the
    /// forms that a verifier has of its own; it returns `false` for the others, which come
    /// from the neutral view.
    pub(crate) fn present<'n>(
        self,
        neutral: impl FnOnce() -> Vec<&'n Neutral>,
        kept: Result<(), Failure>,
        streams: &mut Streams,
        own: impl FnOnce(Format, Style, &mut dyn Write) -> io::Result<bool>,
    ) -> Result<(), Failure> {
        let colour = self.output.is_none() && streams.colours(self.color);
        let style = Style { colour };
        let write = |out: &mut dyn Write| {
            if own(self.format, style, out)? {
                return Ok(());
            }
            match neutral().as_slice() {
                [one] => render(one, self.format, &style, out),
                all => render_all(all, self.format, &style, out),
            }
        };
        if let Some(path) = self.output {
            publish_with(path, write)?;
        } else {
            let shown = streams.try_stream(write);
            shown.map_err(|error| Failure::stdout(&error))?;
        }
        kept
    }

    /// The same where there is no form but the neutral view.
    pub(crate) fn show(
        self,
        reports: &[&Neutral],
        kept: Result<(), Failure>,
        streams: &mut Streams,
    ) -> Result<(), Failure> {
        self.present(|| reports.to_vec(), kept, streams, |_, _, _| Ok(false))
    }

    /// The same for a text that is made already.
    pub(crate) fn present_text(self, text: &str, streams: &mut Streams) -> Result<(), Failure> {
        self.present(Vec::new, Ok(()), streams, |_, _, out| {
            self.write_text(text, out)
        })
    }

    /// Writes a form that a verifier has of its own; what people see steers no terminal.
    pub(crate) fn write_text(self, text: &str, out: &mut dyn Write) -> io::Result<bool> {
        let is_shown = self.output.is_none() && self.format == Format::Human;
        let safe = is_shown.then(|| terminal_safe(text));
        out.write_all(safe.as_deref().unwrap_or(text).as_bytes())?;
        Ok(true)
    }
}

/// A text in the colour of its verdict.
pub(crate) fn painted(text: &str, verdict: Verdict) -> String {
    let colour = match verdict {
        Verdict::Confirmed => 32,
        Verdict::Refuted => 31,
        Verdict::Undecided => 33,
    };
    format!("\u{1b}[{colour}m{text}\u{1b}[0m")
}
