//! What an agent is told to run: the plain command, nothing that hides how it
//! ends, and nothing that leads back to the same answer.

use crate::kind::Work;
use crate::reasons::DoneReason;
use crate::runner::Table;
use crate::shell;

/// Whether running the same command again would be answered in the same way.
pub(super) const fn is_useless(reason: DoneReason) -> bool {
    matches!(
        reason,
        DoneReason::Steered
            | DoneReason::ShadowedTool
            | DoneReason::LogWritten
            | DoneReason::CmdFailed
    )
}

/// The part of a command line that does the work, without what hides its
/// status or its output: pipes, alternatives, redirections.
pub(super) fn plain(command: &str, work: Option<Work>, table: &Table) -> String {
    let does_it = |piece: &&str| {
        let segments = shell::line(piece).map(|line| line.segments);
        let segments = segments.unwrap_or_default();
        let mut found = segments.iter().flat_map(|one| table.matches(&one.run));
        found.any(|found| work.is_none_or(|work| found.work.contains(&work)))
    };
    let pieces = cut(command, &[";", "\n"]);
    let piece = pieces.iter().copied().find(does_it);
    let piece = piece.or(pieces.first().copied()).unwrap_or(command);
    let alone = cut(piece, &["||", "|"]).first().copied().unwrap_or(piece);
    let words: Vec<&str> = alone.split(' ').collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let target = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        match target.strip_prefix('>') {
            // the file may be a word of its own
            Some(rest) if rest.trim_start_matches(['>', '&']).is_empty() => drop(words.next()),
            Some(_) => {}
            None if word == "&" => {}
            None => kept.push(word),
        }
    }
    kept.join(" ").trim().to_owned()
}

/// Cuts a line at separators that are not within quotes.
fn cut<'l>(line: &'l str, separators: &[&str]) -> Vec<&'l str> {
    let mut pieces = Vec::new();
    let mut quote = None;
    let mut start = 0;
    let mut skip = 0;
    for (at, c) in line.char_indices() {
        if at < skip {
            continue;
        }
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\\') => skip = at + 2,
            (None, _) => {
                let rest = line.get(at..).unwrap_or_default();
                if let Some(found) = separators.iter().find(|one| rest.starts_with(**one)) {
                    pieces.push(line.get(start..at).unwrap_or_default().trim());
                    start = at + found.len();
                    skip = start;
                }
            }
        }
    }
    pieces.push(line.get(start..).unwrap_or_default().trim());
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_the_command_without_what_hides_it() {
        let table = Table::new(&[]).unwrap();
        let cases = [
            ("npx tsc --noEmit 2>&1 | head -20", "npx tsc --noEmit"),
            ("pytest -q || true", "pytest -q"),
            ("cd api && pytest -q | tail -3", "cd api && pytest -q"),
            (
                "export A=1; pytest -q > out.txt 2>&1; tail out.txt",
                "pytest -q",
            ),
            ("pytest -k 'a | b' | tail", "pytest -k 'a | b'"),
            ("pytest -q", "pytest -q"),
            ("pytest -q > /tmp/log &", "pytest -q"),
        ];
        for (command, expected) in cases {
            assert_eq!(plain(command, None, &table), expected, "{command}");
        }
    }
}
