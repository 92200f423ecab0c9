//! What a command line runs, where, and whether its exit status says so.

mod flat;
mod lex;
mod parse;
mod pipes;
mod prints;
mod strip;
mod writes;

pub use flat::{Echo, Line, Segment, Standing};
pub use lex::Unparsed;
pub use pipes::Behind;
pub use prints::ForeignFiles;
pub use strip::Stripped;
pub use writes::{Write, writes};

/// Cuts a command line into the programs it runs.
pub fn line(text: &str) -> Result<Line, Unparsed> {
    flat::line(text)
}
