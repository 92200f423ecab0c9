//! Which files a command changes.

use super::flat::Segment;

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

/// What a program changes.
pub fn writes(segment: &Segment) -> Vec<Write> {
    let mut all: Vec<Write> = Vec::new();
    for (_, target) in &segment.outputs {
        if !target.starts_with("/dev/") && !target.starts_with('&') {
            all.push(Write::File(target.clone()));
        }
    }
    let words: Vec<&str> = segment.run.words.iter().map(String::as_str).collect();
    let Some((name, rest)) = words.split_first() else {
        return all;
    };
    let plain = || rest.iter().filter(|word| !word.starts_with('-')).copied();
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(word));
    let files = |words: &mut dyn Iterator<Item = &str>| {
        words
            .map(|word| Write::File(word.to_owned()))
            .collect::<Vec<_>>()
    };
    match *name {
        "tee" => all.extend(files(&mut plain())),
        "sed" | "perl" | "gsed" if rest.iter().any(|word| is_in_place(word)) => {
            let is_script = |word: Option<&&str>| {
                word.is_some_and(|word| {
                    matches!(*word, "-e" | "-f" | "--expression" | "-ie" | "-pie")
                })
            };
            let given = rest.iter().any(|word| is_script(Some(word)));
            let names = rest.iter().enumerate().filter(|(at, word)| {
                !word.starts_with('-')
                    && !is_script(at.checked_sub(1).and_then(|before| rest.get(before)))
            });
            all.extend(files(
                &mut names.map(|(_, word)| *word).skip(usize::from(!given)),
            ));
        }
        "touch" | "truncate" | "patch" | "install" | "ln" | "cp" => match *name {
            "patch" => all.push(Write::Tree(".".to_owned())),
            "touch" | "truncate" => all.extend(files(&mut plain())),
            _ => all.extend(plain().last().map(|target| Write::File(target.to_owned()))),
        },
        "mv" => {
            let names: Vec<&str> = plain().collect();
            if let Some((target, sources)) = names.split_last() {
                all.extend(
                    sources
                        .iter()
                        .map(|source| Write::Gone((*source).to_owned())),
                );
                all.push(Write::File((*target).to_owned()));
            }
        }
        "rm" | "unlink" | "rmdir" | "trash" => {
            all.extend(plain().map(|word| Write::Gone(word.to_owned())));
        }
        "dd" => all.extend(
            rest.iter()
                .filter_map(|word| word.strip_prefix("of="))
                .map(|file| Write::File(file.to_owned())),
        ),
        "git" => all.extend(git(rest)),
        "tar" if rest.first().is_some_and(|flags| flags.contains('x')) => {
            all.push(Write::Tree(".".to_owned()));
        }
        "unzip" | "gunzip" | "bunzip2" | "unxz" if !has(&["-l", "-t"]) => {
            all.push(Write::Tree(".".to_owned()));
        }
        "apply_patch" => all.push(Write::Tree(".".to_owned())),
        _ if is_fixer(name, rest) => all.push(Write::Tree(".".to_owned())),
        _ => {}
    }
    all
}

fn is_in_place(word: &str) -> bool {
    word == "--in-place"
        || word.starts_with("--in-place=")
        || (word.starts_with('-')
            && !word.starts_with("--")
            && word.contains('i')
            && !word.contains('e'))
        || matches!(word, "-ie" | "-pie" | "-pi" | "-ni" | "-Ei" | "-i.bak")
}

fn git(rest: &[&str]) -> Vec<Write> {
    let tree = || vec![Write::Tree(".".to_owned())];
    let Some((verb, args)) = rest
        .iter()
        .position(|word| !word.starts_with('-'))
        .and_then(|at| rest.get(at..)?.split_first())
    else {
        return Vec::new();
    };
    let plain: Vec<&str> = args
        .iter()
        .filter(|word| !word.starts_with('-'))
        .copied()
        .collect();
    match *verb {
        "apply"
            if args
                .iter()
                .any(|word| matches!(*word, "--check" | "--stat")) =>
        {
            Vec::new()
        }
        "apply" | "am" | "merge" | "rebase" | "pull" | "cherry-pick" | "revert" | "switch" => {
            tree()
        }
        "checkout" | "restore" => {
            let creates = args
                .iter()
                .any(|word| matches!(*word, "-b" | "-B" | "--orphan"));
            let behind: Vec<&str> = args
                .iter()
                .skip_while(|word| **word != "--")
                .skip(1)
                .copied()
                .collect();
            match (creates, behind.is_empty(), *verb) {
                (true, _, _) => Vec::new(),
                (_, false, _) => behind
                    .iter()
                    .map(|file| Write::File((*file).to_owned()))
                    .collect(),
                (_, true, "restore")
                    if args.contains(&"--staged") && !args.contains(&"--worktree") =>
                {
                    Vec::new()
                }
                (_, true, "restore") => plain
                    .iter()
                    .map(|file| Write::File((*file).to_owned()))
                    .collect(),
                _ => tree(),
            }
        }
        "reset"
            if args
                .iter()
                .any(|word| matches!(*word, "--hard" | "--merge" | "--keep")) =>
        {
            tree()
        }
        "stash"
            if matches!(
                args.first().copied(),
                None | Some("pop" | "apply" | "push" | "save" | "-u")
            ) =>
        {
            tree()
        }
        "clean"
            if !args
                .iter()
                .any(|word| word.starts_with("-n") || *word == "--dry-run") =>
        {
            tree()
        }
        "rm" if !args.contains(&"--cached") => plain
            .iter()
            .map(|file| Write::Gone((*file).to_owned()))
            .collect(),
        "mv" => match plain.split_last() {
            Some((target, sources)) => {
                let mut all: Vec<Write> = sources
                    .iter()
                    .map(|source| Write::Gone((*source).to_owned()))
                    .collect();
                all.push(Write::File((*target).to_owned()));
                all
            }
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Formatters and fixers that change what they find.
fn is_fixer(name: &str, rest: &[&str]) -> bool {
    let first = rest.first().copied().unwrap_or_default();
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(word));
    let checks = has(&[
        "--check",
        "--check-only",
        "--diff",
        "-c",
        "--list-different",
        "-l",
        "--dry-run",
        "--fail-on-change",
    ]);
    match name {
        "ruff" => (first == "format" && !checks) || has(&["--fix", "--unsafe-fixes"]),
        "black" | "isort" | "autopep8" | "yapf" | "pyupgrade" | "docformatter" => !checks,
        "prettier" => has(&["--write", "-w"]),
        "eslint" | "stylelint" | "xo" | "oxlint" => has(&["--fix"]),
        "biome" => has(&["--write", "--apply", "--fix"]),
        "cargo" => {
            (first == "fmt" && !has(&["--check"]))
                || (matches!(first, "clippy" | "fix") && (first == "fix" || has(&["--fix"])))
        }
        "rustfmt" | "gofumpt" | "goimports" | "gofmt" => {
            !checks && (name == "rustfmt" || has(&["-w"]))
        }
        "go" => first == "fmt" || (first == "generate") || (first == "mod" && has(&["tidy"])),
        "rubocop" => has(&[
            "-a",
            "-A",
            "--autocorrect",
            "--autocorrect-all",
            "--auto-correct",
        ]),
        "npm" | "pnpm" | "yarn" | "bun" => rest.iter().any(|word| {
            let word = word.to_ascii_lowercase();
            (word.contains("lint:fix")
                || word.contains("fix:")
                || word == "fix"
                || word == "format"
                || word == "fmt"
                || word == "prettier:write"
                || word == "lint-fix"
                || word == "format:write")
                && !word.contains("check")
        }),
        "make" | "just" | "task" => rest
            .iter()
            .any(|word| matches!(*word, "fmt" | "format" | "fix" | "lint-fix" | "generate")),
        "mix" => first == "format" && !has(&["--check-formatted"]),
        "dart" => {
            first == "format" && !has(&["--set-exit-if-changed", "--output=none"]) || first == "fix"
        }
        "terraform" => first == "fmt" && !has(&["-check"]),
        "swiftformat" | "clang-format" => !checks && (name == "swiftformat" || has(&["-i"])),
        _ => false,
    }
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
            ("ruff check --fix .", vec![tree()]),
            ("ruff check .", vec![]),
            ("cargo fmt", vec![tree()]),
            ("cargo fmt -- --check", vec![]),
            ("npm install x", vec![]),
            ("pytest | tee out.txt", vec![file("out.txt")]),
            ("tar xzf a.tgz", vec![tree()]),
        ] {
            let line = super::super::line(text).unwrap();
            let seen: Vec<Write> = line.segments.iter().flat_map(writes).collect();
            assert_eq!(seen, expected, "{text}");
        }
    }
}
