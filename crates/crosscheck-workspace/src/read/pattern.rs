//! File patterns of criteria.

use std::path::Path;

use globset::GlobBuilder;
use regex::Regex;
use serde::Deserialize;

use super::acceptance::stays_inside;

/// A file pattern relative to the project folder.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct FilePattern {
    /// As written.
    pub text: String,
    matcher: Regex,
}

impl FilePattern {
    /// Whether a path relative to the project matches.
    pub fn matches(&self, path: &Path) -> bool {
        self.matcher.is_match(&path.to_string_lossy())
    }

    /// Whether something below a folder could match, from the pattern alone;
    /// true if in doubt.
    pub fn may_reach_into(&self, folder: &Path) -> bool {
        let pattern = Path::new(self.text.strip_prefix("./").unwrap_or(&self.text));
        let parts: Vec<&str> = pattern.iter().filter_map(|part| part.to_str()).collect();
        let is_plain = |part: &&str| !part.contains(['*', '?', '[', ']', '{', '}', ',', '\\']);
        let has_depth = self.text.contains("**") || self.text.contains(['{', '\\', '[']);
        if !has_depth && parts.len() <= folder.iter().count() {
            return false;
        }
        parts
            .iter()
            .zip(folder)
            .take_while(|(part, _)| is_plain(part))
            .all(|(part, name)| name == *part)
    }
}

impl TryFrom<String> for FilePattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        stays_inside(&text)?;
        let pattern = text.strip_prefix("./").unwrap_or(&text);
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .map_err(|error| error.to_string())?;
        let matcher =
            Regex::new(&of_characters(glob.regex())).map_err(|error| error.to_string())?;
        Ok(Self { text, matcher })
    }
}

/// The glob library matches bytes, so its `?` matches a third of `日`. This is
/// the same expression for characters: without the switch to bytes, and with
/// its escaped bytes joined again.
fn of_characters(bytewise: &str) -> String {
    let mut rest = bytewise.strip_prefix("(?-u)").unwrap_or(bytewise);
    let mut text = "(?s)".to_owned();
    let mut bytes = Vec::new();
    while let Some(first) = rest.chars().next() {
        if let Some(byte) = escaped_byte(rest) {
            bytes.push(byte);
            rest = rest.get(4..).unwrap_or_default();
            if let Ok(character) = str::from_utf8(&bytes) {
                text.push_str(character);
                bytes.clear();
            }
            continue;
        }
        // an escaped backslash does not begin an escaped byte
        let taken = if first == '\\' { 2 } else { first.len_utf8() };
        let (piece, behind) = rest.split_at_checked(taken).unwrap_or((rest, ""));
        text.push_str(piece);
        rest = behind;
    }
    text
}

fn escaped_byte(text: &str) -> Option<u8> {
    u8::from_str_radix(text.strip_prefix("\\x")?.get(..2)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_characters_and_not_bytes() {
        let table = [
            ("?.txt", "日.txt", true),
            ("?.txt", "日本.txt", false),
            ("??.txt", "日本.txt", true),
            ("[é].md", "é.md", true),
            ("[à-ü]", "é", true),
            ("[!é]", "日", true),
            ("[!é]", "é", false),
            ("日*/**/本?.rs", "日x/y/z/本é.rs", true),
            ("{é,ü}.md", "ü.md", true),
            (r"a\\x80", r"a\x80", true),
            (r"\[é\]", "[é]", true),
            ("a.b+(c)", "a.b+(c)", true),
            ("a.b", "axb", false),
            ("*", "a/b", false),
            ("*", "a\nb", true),
            ("**/*.rs", "x.rs", true),
            ("src/**", "src/a/b.rs", true),
        ];
        for (pattern, path, expected) in table {
            let matcher = FilePattern::try_from(pattern.to_owned()).unwrap();
            assert_eq!(
                matcher.matches(Path::new(path)),
                expected,
                "{pattern} {path}"
            );
        }
    }
}
