//! Programs of a line that print a file. When the line hides how a runner
//! ended, a summary in such a file may be an old one:
//! `[ -n "$CI" ] && pytest; cat old.log`.

use super::flat::Segment;
use super::words::{WORDS, has};
use crate::claim::listed;

/// Whether the line prints a file that may hold a summary and that nothing in
/// it wrote: no redirection, and no word of the runner itself.
pub(crate) fn prints_foreign(segments: &[Segment], command: &str, runner: &Segment) -> bool {
    let plain = command.replace(['"', '\''], "");
    let is_written = |file: &str| {
        let behind = plain.split(['>', '=']).skip(1).map(str::trim_start);
        let own = runner.run.words.iter().map(String::as_str);
        let mut behind = behind.chain(own).chain(plain.split("tee ").skip(1));
        behind.any(|words| words.starts_with(file))
    };
    let printers = segments.iter().filter(|segment| segment.outputs.is_empty());
    let mut files = printers.flat_map(printed);
    files.any(|file| !is_written(file))
}

/// The files that a program prints, but for sources and settings, which hold
/// no summary of a run.
fn printed(segment: &Segment) -> Vec<&str> {
    let Some((name, rest)) = segment.run.words.split_first() else {
        return Vec::new();
    };
    let is_search = has(&WORDS.pipes.sifters, name);
    if !is_search && !has(&WORDS.pipes.printers, name) {
        return Vec::new();
    }
    let is_number = |word: &str| word.trim_start_matches('+').parse::<u64>().is_ok();
    let is_given = rest.iter().any(|word| matches!(word.as_str(), "-e" | "-f"));
    let plain = rest
        .iter()
        .filter(|word| !word.starts_with('-') && !is_number(word));
    let files = plain
        .skip(usize::from(is_search && !is_given))
        .chain(&segment.inputs);
    let may_hold = |file: &&str| {
        let name = file.rsplit('/').next().unwrap_or(file);
        match name.rsplit_once('.') {
            Some((_, end)) => !listed("code", end) && !listed("settings", end),
            // a folder that is searched, a `Makefile`
            None => !is_search && !name.starts_with(|c: char| c.is_ascii_uppercase()),
        }
    };
    files.map(String::as_str).filter(may_hold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_the_runner_did_not_write_is_another_one() {
        for (command, expected) in [
            ("[ -n \"$CI\" ] && pytest; cat old.log", true),
            ("pytest; tail -n 3 old.log", true),
            ("pytest; cat < old.log", true),
            ("pytest; grep passed old.log 2>/dev/null", true),
            ("{ pytest; } > /dev/null 2>&1; cat out", true),
            ("pytest > out.txt 2>&1; tail -3 out.txt", false),
            ("(cd a && pytest) > \"$LOG\" 2>&1; tail -3 \"$LOG\"", false),
            ("pytest | tee out.log | tail -3; grep FAILED out.log", false),
            ("pytest --report-log=r.log; cat r.log", false),
            ("pytest | tail -5", false),
            ("sed -n 1,20p src/a.py; pytest | tail -5", false),
            ("grep -rn TODO src; pytest | tail -5", false),
            ("cat Makefile; pytest | tail -5", false),
            ("cat <<E > notes.txt\nx\nE\npytest | tail -5", false),
        ] {
            let line = super::super::line(command).unwrap();
            let is_runner = |segment: &Segment| segment.run.words.first().unwrap() == "pytest";
            let at = line.segments.iter().position(is_runner).unwrap();
            let seen = prints_foreign(&line.segments, command, line.segments.get(at).unwrap());
            assert_eq!(seen, expected, "{command}");
        }
    }
}
