//! The names of the formats.

use std::fmt;
use std::str::FromStr;

/// The formats a report can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Text for a terminal.
    Human,
    /// One JSON document.
    Json,
    /// One JSON object per outcome and line, then one for the run.
    Ndjson,
    /// JUnit XML.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
    /// Markdown for a pull request comment or a job summary.
    Markdown,
    /// One self-contained HTML file.
    Html,
    /// Annotations of a GitHub workflow.
    Github,
    /// A table for spreadsheets, one row per outcome.
    Csv,
}

impl Format {
    /// Every format, in the order of the documentation.
    pub const ALL: [Self; 9] = [
        Self::Human,
        Self::Json,
        Self::Ndjson,
        Self::Junit,
        Self::Sarif,
        Self::Markdown,
        Self::Html,
        Self::Github,
        Self::Csv,
    ];

    /// The name of every format, in the same order.
    pub const NAMES: [&'static str; 9] = [
        Self::Human.name(),
        Self::Json.name(),
        Self::Ndjson.name(),
        Self::Junit.name(),
        Self::Sarif.name(),
        Self::Markdown.name(),
        Self::Html.name(),
        Self::Github.name(),
        Self::Csv.name(),
    ];

    /// The name used on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Junit => "junit",
            Self::Sarif => "sarif",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Github => "github",
            Self::Csv => "csv",
        }
    }
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
