//! Following a debate log that others are writing.
//!
//! Contract: sources 1.3.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crosscheck_core::Json;

use super::entry::LogEntry;
use super::tail::Growing;
use crate::finding::{Finding, Rule};

/// Where a debate is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPaths {
    /// The log.
    pub log: PathBuf,
    /// The lock every writer takes.
    pub lock: PathBuf,
}

impl LogPaths {
    /// The paths for a folder that holds the log, or for the log itself.
    pub fn of(path: &Path) -> Self {
        let (log, folder) = if path.is_dir() {
            (path.join("debate-log.jsonl"), path.to_owned())
        } else {
            (
                path.to_owned(),
                path.parent().unwrap_or(Path::new("")).to_owned(),
            )
        };
        Self {
            log,
            lock: folder.join("debate-log.lock"),
        }
    }
}

/// Reads the complete lines that were added since the last look.
#[derive(Debug)]
pub struct LogReader {
    path: PathBuf,
    read: Growing,
    seen: HashSet<u64>,
}

/// What a look at the log brought.
#[derive(Debug, Default)]
pub struct News {
    /// New entries, in the order of the log.
    pub entries: Vec<LogEntry>,
    /// What is wrong with the lines.
    pub findings: Vec<Finding>,
    /// The log was cut or replaced: everything was read again from its start.
    pub restarted: bool,
}

impl LogReader {
    /// A reader that has seen nothing.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            read: Growing::default(),
            seen: HashSet::new(),
        }
    }

    /// Looks for new lines.
    pub fn look(&mut self) -> io::Result<News> {
        let mut news = News::default();
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            // Between being removed and being written again.
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.read.is_known() => {
                return Ok(news);
            }
            Err(error) => return Err(error),
        };
        if !self.read.is_same(&mut file)? {
            *self = Self::new(&self.path);
            news.restarted = true;
        }
        let Self { read, seen, .. } = self;
        read.read(&mut file, |number, line| match line {
            Some(line) => read_line(number, line, seen, &mut news),
            None => {
                news.findings
                    .push(Finding::line(Rule::BadLine, number, "the line is too long"));
            }
        })?;
        Ok(news)
    }
}

/// Reads one line of the log.
fn read_line(number: u64, line: &[u8], seen: &mut HashSet<u64>, news: &mut News) {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    let Some((json, glued)) = parse(text) else {
        // An empty line is what a torn line's repair can leave; it is not an entry, and it is not nothing.
        news.findings
            .push(Finding::line(Rule::BadLine, number, "the line is not JSON"));
        return;
    };
    let Some((entry, unnumbered)) = LogEntry::from_json(json.root(), number) else {
        news.findings.push(Finding::line(
            Rule::BadLine,
            number,
            "the line is not a JSON object",
        ));
        return;
    };
    if glued {
        news.findings.push(Finding::entry(
            Rule::GluedLine,
            entry.seq,
            "the entry is glued to a torn line",
        ));
    }
    let repeated = !seen.insert(entry.seq);
    if unnumbered || repeated || entry.seq != number {
        let message = format!("line {} says seq {}", number, entry.seq);
        news.findings
            .push(Finding::entry(Rule::SeqMismatch, entry.seq, &message));
    }
    if entry.bad_sources > 0 {
        let message = format!("{} of its sources name no URL", entry.bad_sources);
        news.findings
            .push(Finding::entry(Rule::BadSource, entry.seq, &message));
    }
    news.entries.push(entry);
}

/// JSON, or the entry after a torn beginning.
fn parse(text: &str) -> Option<(Json, bool)> {
    if let Ok(json) = Json::parse(text) {
        return Some((json, false));
    }
    let start = text.rfind(r#"{"seq":"#).filter(|start| *start > 0)?;
    Json::parse(text.get(start..)?)
        .ok()
        .map(|json| (json, true))
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::disallowed_methods,
        reason = "tests set their stage with plain calls"
    )]

    use std::io::Write as _;

    use super::*;

    fn line(seq: u64) -> String {
        format!(
            "{{\"seq\":{seq},\"speaker\":\"a\",\"type\":\"new_point\",\"content\":\"c\",\"sources\":null}}\n"
        )
    }

    fn seqs(news: &News) -> Vec<u64> {
        news.entries.iter().map(|entry| entry.seq).collect()
    }

    fn rules(news: &News) -> Vec<Rule> {
        news.findings.iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn an_incomplete_line_waits_until_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("debate-log.jsonl");
        let mut file = File::create(&path).unwrap();
        let mut reader = LogReader::new(&path);
        file.write_all(line(0).as_bytes()).unwrap();
        file.write_all(&line(1).as_bytes()[..20]).unwrap();
        assert_eq!(seqs(&reader.look().unwrap()), [0]);
        file.write_all(&line(1).as_bytes()[20..]).unwrap();
        assert_eq!(seqs(&reader.look().unwrap()), [1]);
        assert!(reader.look().unwrap().entries.is_empty());
    }

    #[test]
    fn broken_and_glued_lines_are_findings_and_never_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"{\"seq\":0,\"type\":\"x\"\"}\n").unwrap();
        file.write_all(format!("{{\"seq\":1,\"timest{}", line(1)).as_bytes())
            .unwrap();
        file.write_all(b"{\"seq\":2,\"content\":\"bad \\udcff end\",\"speaker\":\"a\"}\n")
            .unwrap();
        file.write_all(b"\xff\xfe{\n").unwrap();
        file.write_all(line(9).as_bytes()).unwrap();
        file.write_all(line(9).as_bytes()).unwrap();
        let news = LogReader::new(&path).look().unwrap();
        assert_eq!(seqs(&news), [1, 2, 9, 9]);
        assert_eq!(news.entries[1].content, "bad \u{fffd} end");
        assert_eq!(
            rules(&news),
            [
                Rule::BadLine,
                Rule::GluedLine,
                Rule::BadLine,
                Rule::SeqMismatch,
                Rule::SeqMismatch
            ]
        );
    }

    #[test]
    fn a_log_that_was_cut_or_replaced_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, line(0) + &line(1)).unwrap();
        let mut reader = LogReader::new(&path);
        assert_eq!(seqs(&reader.look().unwrap()), [0, 1]);
        std::fs::write(&path, line(0)).unwrap();
        let news = reader.look().unwrap();
        assert!(news.restarted);
        assert_eq!(seqs(&news), [0]);
        let other = folder.path().join("other");
        std::fs::write(&other, line(0) + &line(1) + &line(2)).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(seqs(&reader.look().unwrap()), [0, 1, 2]);
        let longer: String = (0..5)
            .map(|seq| line(seq).replace("\"c\"", "\"other\""))
            .collect();
        std::fs::write(&path, longer).unwrap();
        let news = reader.look().unwrap();
        assert_eq!((news.restarted, seqs(&news)), (true, vec![0, 1, 2, 3, 4]));
    }
}
