//! Programs of a line that print a file. When the line hides how a runner
//! ended, a summary in such a file may be an old one:
//! `[ -n "$CI" ] && pytest; cat old.log`.

use std::collections::HashSet;

use super::flat::Segment;

/// Files that programs of a line print and no program of it wrote.
#[derive(Debug)]
pub struct ForeignFiles<'l>(HashSet<&'l str>);

impl<'l> ForeignFiles<'l> {
    /// Those of a line.
    pub fn of(segments: &'l [Segment], command: &str) -> Self {
        let plain = command.replace(['"', '\''], "");
        let mut own: HashSet<&str> = plain
            .split('>')
            .skip(1)
            .filter_map(|behind| {
                behind
                    .split(|c: char| " \t\n;|&)".contains(c))
                    .find(|word| !word.is_empty())
            })
            .collect();
        let is_tee =
            |segment: &&Segment| segment.run.words.first().is_some_and(|name| name == "tee");
        own.extend(segments.iter().filter(is_tee).flat_map(names));
        let printers = segments.iter().filter(|segment| segment.outputs.is_empty());
        Self(
            printers
                .flat_map(printed)
                .filter(|file| !own.contains(file))
                .collect(),
        )
    }

    /// Whether one of them was not written by this program either.
    pub fn are_foreign_to(&self, runner: &Segment) -> bool {
        let own: HashSet<&str> = names(runner).collect();
        self.0.iter().any(|file| !own.contains(file))
    }
}

/// Words that may be files, also behind an option: `--report-log=r.log`.
fn names(segment: &Segment) -> impl Iterator<Item = &str> {
    let words = segment.run.words.iter();
    words.flat_map(|word| {
        [
            Some(word.as_str()),
            word.rsplit_once('=').map(|(_, file)| file),
        ]
        .into_iter()
        .flatten()
    })
}

/// The files that a program prints, but for sources and settings, which hold
/// no summary of a run.
fn printed(segment: &Segment) -> Vec<&str> {
    let words: Vec<&str> = segment.run.words.iter().map(String::as_str).collect();
    let Some((name, rest)) = words.split_first() else {
        return Vec::new();
    };
    let has_script = match *name {
        "cat" | "tac" | "tail" | "head" | "less" | "more" | "bat" | "batcat" | "nl" | "strings"
        | "zcat" => false,
        "sed" | "gsed" | "awk" | "gawk" | "mawk" | "grep" | "egrep" | "fgrep" | "rg" => true,
        _ => return Vec::new(),
    };
    let is_number = |word: &str| word.trim_start_matches('+').parse::<u64>().is_ok();
    let plain = rest
        .iter()
        .filter(|word| !word.starts_with('-') && !is_number(word));
    let given = rest.iter().any(|word| matches!(*word, "-e" | "-f"));
    let inputs = segment.inputs.iter().map(String::as_str);
    plain
        .skip(usize::from(has_script && !given))
        .copied()
        .chain(inputs)
        .filter(|file| may_hold_summary(file, has_script))
        .collect()
}

fn may_hold_summary(file: &str, is_search: bool) -> bool {
    const SOURCES: [&str; 40] = [
        "py", "pyi", "rs", "js", "jsx", "ts", "tsx", "mjs", "cjs", "vue", "svelte", "go", "rb",
        "java", "kt", "scala", "c", "h", "cc", "cpp", "hpp", "cs", "php", "swift", "ex", "exs",
        "sh", "toml", "yml", "yaml", "json", "lock", "cfg", "ini", "css", "html", "sql", "md",
        "env", "xml",
    ];
    let name = file.rsplit('/').next().unwrap_or(file);
    match name.rsplit_once('.') {
        Some((_, extension)) => !SOURCES.contains(&extension),
        // a folder that is searched, a `Makefile`
        None => !is_search && !name.starts_with(|c: char| c.is_ascii_uppercase()),
    }
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
            let files = ForeignFiles::of(&line.segments, command);
            let seen = files.are_foreign_to(line.segments.get(at).unwrap());
            assert_eq!(seen, expected, "{command}");
        }
    }
}
