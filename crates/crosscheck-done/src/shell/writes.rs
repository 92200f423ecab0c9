//! Which files a command changes.

use super::flat::Segment;
use super::words::{Target, WORDS, Writer, has};

/// A change of a file by a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// This file, from the folder of the command.
    File(String),
    /// This file is gone.
    Gone(String),
    /// Anything below this folder.
    Tree(String),
}

fn file(name: &str) -> Write {
    Write::File(name.to_owned())
}

fn gone(name: &str) -> Write {
    Write::Gone(name.to_owned())
}

fn tree() -> Vec<Write> {
    vec![Write::Tree(".".to_owned())]
}

/// What a program changes.
pub fn writes(segment: &Segment) -> Vec<Write> {
    let outputs = segment.outputs.iter().map(|(_, target)| target.as_str());
    let is_file = |target: &&str| !target.starts_with("/dev/") && !target.starts_with('&');
    let mut all: Vec<Write> = outputs.filter(is_file).map(file).collect();
    let words: Vec<&str> = segment.run.words.iter().map(String::as_str).collect();
    let Some((name, rest)) = words.split_first() else {
        return all;
    };
    let is_editor = matches!(*name, "sed" | "perl" | "ruby" | "gsed");
    if is_editor && rest.iter().any(|word| is_in_place(word)) {
        all.extend(edited(rest));
    } else if is_inline_code(name, rest) {
        all.extend(by_code(rest, &segment.typed));
    } else if matches!(words.as_slice(), ["npm" | "pnpm", "pkg", "set", ..]) {
        all.push(file("package.json"));
    }
    // `git` and its verb are one program
    let verb = rest
        .iter()
        .position(|word| !word.starts_with('-'))
        .filter(|_| *name == "git");
    let whole = verb
        .and_then(|at| rest.get(at))
        .map(|verb| format!("git {verb}"));
    let name = whole.as_deref().unwrap_or(name);
    let rest = rest.get(verb.map_or(0, |at| at + 1)..).unwrap_or_default();
    let writer = WORDS.writer.iter().find(|writer| has(&writer.names, name));
    all.extend(
        writer
            .filter(|writer| writer.runs(rest))
            .into_iter()
            .flat_map(|writer| writer.files(rest)),
    );
    all
}

impl Writer {
    fn runs(&self, rest: &[&str]) -> bool {
        let holds = |list: &[String]| rest.iter().any(|word| has(list, word));
        (self.with.is_empty() || holds(&self.with)) && !holds(&self.without)
    }

    fn files(&self, rest: &[&str]) -> Vec<Write> {
        let plain: Vec<&str> = rest
            .iter()
            .filter(|word| !word.starts_with('-'))
            .copied()
            .collect();
        match self.target {
            Target::All => plain.into_iter().map(file).collect(),
            Target::Last => match plain.split_last() {
                Some((target, sources)) if is_folder(target) && !copies_folders(rest) => {
                    let names = sources.iter().map(|source| source.rsplit('/').next());
                    let names = names.map(Option::unwrap_or_default);
                    let target = target.trim_end_matches('/');
                    names
                        .map(|name| file(&format!("{target}/{name}")))
                        .collect()
                }
                Some((target, _)) => vec![file(target)],
                None => Vec::new(),
            },
            Target::Gone => plain.into_iter().map(gone).collect(),
            Target::Moved => match plain.split_last() {
                Some((target, sources)) => {
                    let sources = sources.iter().map(|source| gone(source));
                    sources.chain([file(target)]).collect()
                }
                None => Vec::new(),
            },
            Target::Tree => tree(),
            Target::Behind => self.named(rest),
            Target::Paths => {
                let mut behind = rest
                    .iter()
                    .skip_while(|word| **word != "--")
                    .skip(1)
                    .peekable();
                if behind.peek().is_none() {
                    return tree();
                }
                behind.map(|path| file(path)).collect()
            }
        }
    }

    /// The values of options: `-o x`, `--output=x`, `-qO x`; a page without one
    /// is kept under its own name.
    fn named(&self, rest: &[&str]) -> Vec<Write> {
        let is_option = |word: &str| {
            let is_short = word.starts_with('-') && !word.starts_with("--");
            let last = word.chars().next_back().map(|last| format!("-{last}"));
            has(&self.options, word)
                || is_short && last.is_some_and(|last| has(&self.options, &last))
        };
        let values = rest.iter().enumerate().filter_map(|(at, word)| {
            if is_option(word) {
                return rest.get(at + 1).copied();
            }
            let (option, value) = word.split_once('=')?;
            has(&self.options, option).then_some(value)
        });
        let own_name = |value: &str| match value.split_once("://") {
            Some((_, page)) => page.rsplit('/').next().unwrap_or_default().to_owned(),
            None => value.to_owned(),
        };
        let files = values
            .map(own_name)
            .filter(|value| !value.is_empty() && value != "-");
        files.map(Write::File).collect()
    }
}

/// Whether a name is surely one of a folder.
fn is_folder(name: &str) -> bool {
    name.ends_with('/') || matches!(name, "~" | "." | "..")
}

/// Whether options of `cp` and its like take whole folders along: `-r`, `-a`, `--recursive`.
fn copies_folders(rest: &[&str]) -> bool {
    rest.iter().any(|word| match word.strip_prefix("--") {
        Some(long) => matches!(long, "recursive" | "archive"),
        None => word.starts_with('-') && word.contains(['r', 'R', 'a']),
    })
}

/// The files behind the script of `sed -i`.
fn edited(rest: &[&str]) -> Vec<Write> {
    let is_given = |word: &str| matches!(word, "-e" | "-f" | "--expression" | "-ie" | "-pie");
    let skip = usize::from(!rest.iter().any(|word| is_given(word)));
    let names = rest.iter().enumerate().filter(|(at, word)| {
        let before = at.checked_sub(1).and_then(|before| rest.get(before));
        !word.starts_with('-') && !before.is_some_and(|before| is_given(before))
    });
    names.skip(skip).map(|(_, name)| file(name)).collect()
}

/// An interpreter whose program is in the command line.
fn is_inline_code(name: &str, rest: &[&str]) -> bool {
    let code = &WORDS.code;
    let is_interpreter = has(&code.interpreters, name) || name.starts_with("python3.");
    let is_given = rest.iter().any(|word| has(&code.given, word));
    is_interpreter && (is_given || rest.iter().all(|word| word.starts_with('-')))
}

/// What a program in the command line writes: the files that it names, if a
/// word in it writes.
fn by_code(rest: &[&str], typed: &str) -> Vec<Write> {
    let code = format!("{}\n{typed}", rest.join("\n"));
    if !WORDS
        .code
        .writes
        .iter()
        .any(|word| code.contains(word.as_str()))
    {
        return Vec::new();
    }
    let is_file = |text: &&str| {
        let name = text.rsplit('/').next().unwrap_or(text);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        !text.contains(char::is_whitespace)
            && (1..=8).contains(&ending.len())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let named: Vec<Write> = code
        .split(['"', '\''])
        .filter(is_file)
        .take(64)
        .map(file)
        .collect();
    if named.is_empty() { tree() } else { named }
}

/// `-i`, `-pi.bak`, `-ne` is not: letters before the `i` take no value.
fn is_in_place(word: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    word.split('=').next() == Some("--in-place")
        || letters.is_some_and(|letters| {
            let before = letters.split('i').next().unwrap_or_default();
            letters.contains('i') && before.chars().all(|letter| "npErsulz0".contains(letter))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_change_files_are_known() {
        let file = |name: &str| Write::File(name.to_owned());
        let gone = |name: &str| Write::Gone(name.to_owned());
        let tree = || Write::Tree(".".to_owned());
        for (text, expected) in [
            ("echo x > a.py", vec![file("a.py")]),
            ("printf x >> .env", vec![file(".env")]),
            ("cat <<E > b.py\nx\nE", vec![file("b.py")]),
            ("ls > /dev/null 2>&1", vec![]),
            (
                "sed -i 's/a/b/' x.py y.py",
                vec![file("x.py"), file("y.py")],
            ),
            ("sed -n 1,5p x.py", vec![]),
            ("sed -e s/a/b/ x.py", vec![]),
            ("perl -pi -e 's/a/b/' x", vec![file("x")]),
            ("mv a.py b.py", vec![gone("a.py"), file("b.py")]),
            ("rm -rf old.py", vec![gone("old.py")]),
            ("git checkout main", vec![tree()]),
            ("git checkout -b new", vec![]),
            ("git checkout -- a.py", vec![file("a.py")]),
            ("git restore a.py", vec![file("a.py")]),
            ("git restore --staged a.py", vec![]),
            ("git stash pop", vec![tree()]),
            ("git stash list", vec![]),
            ("git commit -am x", vec![]),
            ("git add -A && git push", vec![]),
            ("ruff check --fix .", vec![]),
            ("ruff check .", vec![]),
            ("cargo fmt", vec![]),
            ("perl -MList::Util=sum -ne 1 src/a.py", vec![]),
            ("cargo fmt -- --check", vec![]),
            ("npm install x", vec![]),
            ("pytest | tee out.txt", vec![file("out.txt")]),
            ("tar xzf a.tgz", vec![tree()]),
            ("ed -s a.py <<E\n1d\nw\nE", vec![file("a.py")]),
            ("curl -sS -o a.py https://h/x", vec![file("a.py")]),
            ("curl -sLO https://h/x/b.py", vec![file("b.py")]),
            ("curl -s https://h/x/b.py", vec![]),
            ("wget -qO- https://h/b.py", vec![]),
            ("wget -qO a.py https://h/b.py", vec![file("a.py")]),
            ("rsync -a new/ src/", vec![file("src/")]),
            (
                "cp a.py b/c.py src/",
                vec![file("src/a.py"), file("src/c.py")],
            ),
            ("cp -r a src/", vec![file("src/")]),
            ("rsync -an new/ src/ --dry-run", vec![]),
            ("gawk -i inplace '{print}' a.py", vec![file("a.py")]),
            ("sort a | sponge a", vec![file("a")]),
            ("find . -name '*.py' -exec sed -i s/a/b/ {} +", vec![tree()]),
            ("find . -name '*.py' -exec grep -l x {} +", vec![]),
            (
                "python3 -c 'open(\"a.py\",\"w\").write(\"x\")'",
                vec![file("a.py")],
            ),
            ("python3 - <<E\np.write_text(s)\nE", vec![tree()]),
            ("python3 - <<'E'\nprint(1)\nE", vec![]),
            ("python3 -c 'print(open(\"a.py\").read())'", vec![]),
            ("python3 app.py", vec![]),
            ("patch -p1 < a.diff", vec![tree()]),
            ("patch --dry-run -p1 < a.diff", vec![]),
        ] {
            let line = super::super::line(text).unwrap();
            let seen: Vec<Write> = line.segments.iter().flat_map(writes).collect();
            assert_eq!(seen, expected, "{text}");
        }
    }
}
