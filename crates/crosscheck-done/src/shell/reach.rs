//! Whether a command can change a file of the home without its name: by a pattern, by a folder that
//! it walks through, or by all that it puts over a folder around it.

use std::path::{Component, Path, PathBuf};

use super::flat::{Line, Segment};
use super::words::{WORDS, has};
use super::writes::{Write, writes};
use crate::place::{Places, clean};

/// What makes a word stand for names that it does not hold.
const SIGNS: [char; 5] = ['*', '?', '[', '{', '$'];

/// Whether a line that runs in a folder can change this file, which lies below the home and not in
/// the project.
pub(crate) fn reaches(line: &Line, cwd: &Path, file: &Path, places: &Places) -> bool {
    let is_of_home = places
        .home
        .as_ref()
        .is_some_and(|home| file.starts_with(home));
    if !is_of_home || places.below(file).is_some() {
        return false;
    }
    let reach = Reach { cwd, file, places };
    let mut segments = line.segments.iter();
    segments.clone().any(|one| reach.writes(one))
        || segments.clone().any(acts_on_found) && segments.any(|one| reach.seeks(one))
}

struct Reach<'r> {
    cwd: &'r Path,
    file: &'r Path,
    places: &'r Places,
}

impl Reach<'_> {
    /// A name in the folder of a program; `None` when nobody knows that folder.
    fn place(&self, segment: &Segment, name: &str) -> Option<PathBuf> {
        let dir = self.places.absolute(self.cwd, segment.dir.as_deref()?);
        Some(self.places.absolute(&dir, name))
    }

    fn is_around(&self, path: &Path) -> bool {
        self.file.starts_with(path)
    }

    /// Whether a word can be the file or a folder around it.
    fn is_meant(&self, segment: &Segment, name: &str) -> bool {
        let is_pattern = name.contains(SIGNS);
        match self.place(segment, name) {
            Some(path) if is_pattern => fits_path(&path, self.file),
            Some(path) => self.is_around(&path),
            // from an unknown folder, if it is more than any name at all
            None => {
                let name = clean(Path::new(name));
                let last = name.file_name().and_then(|last| last.to_str());
                let is_telling = last.is_some_and(|last| {
                    !last.trim_start_matches(SIGNS).is_empty() && !last.starts_with('$')
                });
                let mut above = self.file.ancestors().skip(1);
                is_pattern
                    && is_telling
                    && above.any(|folder| fits_path(&folder.join(&name), self.file))
            }
        }
    }

    fn writes(&self, segment: &Segment) -> bool {
        writes(segment).iter().any(|write| match write {
            Write::File(name) | Write::Gone(name) => self.is_meant(segment, name),
            Write::Tree(name) => {
                let words = segment.run.words.iter().skip(1);
                let folders = words.filter(|word| word.starts_with(['~', '/', '.']));
                let mut folders = folders.map(String::as_str).chain([name.as_str()]);
                folders.any(|name| segment.dir.is_some() && self.is_meant(segment, name))
            }
        })
    }

    /// Whether a program prints names among which the file is.
    fn seeks(&self, segment: &Segment) -> bool {
        let name = segment.run.words.first().map_or("", String::as_str);
        let walks = has(&WORDS.pipes.walkers, name);
        let words = segment.run.words.iter().skip(1);
        let mut words = words.filter(|word| !word.starts_with('-'));
        let is_meant =
            |word: &String| (walks || word.contains(SIGNS)) && self.is_meant(segment, word);
        words.any(is_meant) || walks && segment.dir.is_some() && self.is_meant(segment, ".")
    }
}

/// Whether a program does more than look at names that another one found: `xargs sed -i`,
/// `find … -exec`, `fd … -x`, `mv "$f"`.
fn acts_on_found(segment: &Segment) -> bool {
    const STARTS: [&str; 7] = [
        "-exec",
        "-execdir",
        "-ok",
        "-x",
        "-X",
        "--exec",
        "--exec-batch",
    ];
    let words = &segment.run.words;
    let name = words.first().map_or("", String::as_str);
    if matches!(name, "find" | "fd" | "fdfind") {
        let start = words
            .iter()
            .position(|word| STARTS.contains(&word.as_str()));
        let mut inner = segment.clone();
        inner.run.words = start.map_or_else(Vec::new, |at| {
            let own = words.iter().skip(at + 1).cloned();
            own.chain(["{}".to_owned()]).collect()
        });
        return words.iter().any(|word| word == "-delete") || acts(&inner);
    }
    words
        .iter()
        .any(|word| word == "{}" || word.starts_with('$'))
        && acts(segment)
}

fn acts(segment: &Segment) -> bool {
    let name = segment.run.words.first();
    name.is_some_and(|name| !super::is_looker(name) || !writes(segment).is_empty())
}

/// Whether a path with patterns can be another one, or a folder around it.
fn fits_path(pattern: &Path, file: &Path) -> bool {
    let parts = |path: &Path| -> Vec<String> {
        let parts = path
            .components()
            .filter(|part| !matches!(part, Component::RootDir));
        parts
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect()
    };
    let (pattern, file) = (parts(pattern), parts(file));
    pattern.len() <= file.len()
        && pattern
            .iter()
            .zip(&file)
            .all(|(pattern, name)| fits(pattern, name))
}

/// Whether a name is one that a pattern may stand for, by its plain beginning and end.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((begin, _)) = pattern.split_once(SIGNS) else {
        return pattern == name;
    };
    let is_hidden =
        begin.is_empty() && name.starts_with('.') && pattern.starts_with(['*', '?', '[']);
    let end = pattern
        .rsplit(['*', '?', ']', '}'])
        .next()
        .unwrap_or_default();
    let end = if end.contains('$') { "" } else { end };
    !is_hidden && name.starts_with(begin) && name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_home_is_reached_without_its_name() {
        let places = Places {
            root: "/home/u/p".into(),
            cwd: "/home/u/p".into(),
            home: Some("/home/u".into()),
            temporary: Vec::new(),
        };
        let file = Path::new("/home/u/.claude/projects/p/0a1b.jsonl");
        for (command, expected) in [
            ("cd ~ && fd -e jsonl -H . -x sed -i s/a/b/", true),
            ("fd -H -e jsonl . ~ -x sed -i s/a/b/ {}", true),
            ("cd ~ && sed -i s/a/b/ .c*/projects/*/*.jsonl", true),
            ("cd ~; cd .cl*/projects; sed -i s/a/b/ */*.jsonl", true),
            ("find .. -name '*.json*' -exec sed -i s/a/b/ {} +", true),
            ("find .. -type f | xargs sed -i s/a/b/", true),
            ("rg -l --hidden x .. | xargs sed -i s/a/b/", true),
            ("grep -rl x ~ | xargs python edit.py", true),
            (
                "cd ..; for f in .c*/*/*/*; do sed -i s/a/b/ \"$f\"; done",
                true,
            ),
            ("cd .. && tar xf a.tar", true),
            ("tar xf a.tar -C ..", true),
            ("cp -r /tmp/x/. ..", true),
            ("echo x | tee -a ../.c*/*/*/*", true),
            ("cd $X && sed -i s/a/b/ *.jsonl", true),
            ("cp report.pdf ~/", false),
            ("cp report.pdf ~", false),
            ("cd $X && rm -f *.o", false),
            ("sed -i s/a/b/ src/*.py data/*.jsonl", false),
            ("find . -name '*.pyc' -delete", false),
            ("find / -name x.so -exec ls {} +", false),
            ("grep -rl x ~ | head", false),
            ("find ~ -name '*.toml' > list.txt", false),
            ("cd ~ && ls *", false),
            ("rm -f ~/Downloads/*.pdf", false),
            ("for f in src/*; do mv \"$f\" \"$f.bak\"; done", false),
            ("git checkout .", false),
            ("tar xf a.tar", false),
        ] {
            let line = super::super::line(command).unwrap();
            assert_eq!(
                reaches(&line, &places.root, file, &places),
                expected,
                "{command}"
            );
        }
    }
}
