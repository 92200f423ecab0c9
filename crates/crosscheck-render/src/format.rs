//! The names of the formats.

use std::fmt;
use std::str::FromStr;

/// Declares the formats: what each is, and its name on command lines.
macro_rules! formats {
    ( $( $(#[$meta:meta])* $format:ident = $name:literal; )+ ) => {
        /// The formats a report can be written in.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Format { $( $(#[$meta])* $format, )+ }

        impl Format {
            /// Every format, in the order of the documentation.
            pub const ALL: [Self; [$( $name ),+].len()] = [$( Self::$format ),+];

            /// The name of every format, in the same order.
            pub const NAMES: [&'static str; Self::ALL.len()] = [$( $name ),+];

            /// The name used on command lines.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$format => $name, )+ }
            }
        }
    };
}

formats! {
    /// Text for a terminal.
    Human = "human";
    /// One JSON document.
    Json = "json";
    /// One JSON object per outcome and line, then one for the run.
    Ndjson = "ndjson";
    /// JUnit XML.
    Junit = "junit";
    /// SARIF 2.1.0.
    Sarif = "sarif";
    /// Markdown for a pull request comment or a job summary.
    Markdown = "markdown";
    /// One self-contained HTML file.
    Html = "html";
    /// Annotations of a GitHub workflow.
    Github = "github";
    /// A table for spreadsheets, one row per outcome.
    Csv = "csv";
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name is not an output format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown output format `{0}`; the formats are {known}",
    known = Format::NAMES.join(", ")
)]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name_and_named_in_the_error() {
        let refused = "yaml".parse::<Format>().unwrap_err().to_string();
        for (format, name) in Format::ALL.into_iter().zip(Format::NAMES) {
            assert_eq!(name.parse(), Ok(format));
            assert!(refused.contains(name), "{refused}");
        }
    }
}
