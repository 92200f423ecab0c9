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
        "sed" | "perl" | "ruby" | "gsed" if rest.iter().any(|word| is_in_place(word)) => {
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
        // `-i inplace`, the script, the files
        "awk" | "gawk" if has(&["inplace"]) => all.extend(files(&mut plain().skip(2))),
        "find" if has(&["-delete", "-exec", "-execdir", "-ok"]) => all.extend(found(rest)),
        "curl" | "wget" => all.extend(downloads(name, rest)),
        _ if is_inline_code(name, rest) => all.extend(by_code(rest, &segment.typed)),
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
        "npm" | "pnpm" if rest.starts_with(&["pkg", "set"]) => {
            all.push(Write::File("package.json".to_owned()));
        }
        "tar" if rest.first().is_some_and(|flags| flags.contains('x')) => {
            all.push(Write::Tree(".".to_owned()));
        }
        _ => {}
    }
    let writer = WRITERS.iter().find(|writer| writer.names.contains(name));
    if let Some(writer) = writer.filter(|writer| writer.runs(rest)) {
        match writer.target {
            Target::All => all.extend(files(&mut plain())),
            Target::Last => all.extend(files(&mut plain().last().into_iter())),
            Target::Tree => all.push(Write::Tree(".".to_owned())),
            Target::Behind(options) => all.extend(files(&mut values(rest, options))),
        }
    }
    all
}

/// What a program of the table below writes.
enum Target {
    /// The files that it names.
    All,
    /// The last file that it names.
    Last,
    /// Anything below its folder.
    Tree,
    /// What follows one of these options.
    Behind(&'static [&'static str]),
}

/// A program that writes files, if it has one of some options and none of
/// others.
struct Writer {
    names: &'static [&'static str],
    with: &'static [&'static str],
    without: &'static [&'static str],
    target: Target,
}

const WRITERS: &[Writer] = &[
    Writer {
        names: &[
            "tee", "sponge", "touch", "truncate", "ed", "ex", "vi", "vim", "nvim", "emacs", "nano",
            "dos2unix", "unix2dos", "sd",
        ],
        with: &[],
        without: &["--version", "--help"],
        target: Target::All,
    },
    Writer {
        names: &["cp", "ln", "install", "scp", "rsync"],
        with: &[],
        without: &["--dry-run", "-n", "--list-only"],
        target: Target::Last,
    },
    Writer {
        names: &["yq", "xmlstarlet"],
        with: &["-i", "--inplace", "-L"],
        without: &[],
        target: Target::Last,
    },
    Writer {
        names: &["patch"],
        with: &[],
        without: &["--dry-run"],
        target: Target::Tree,
    },
    Writer {
        names: &["unzip", "gunzip", "bunzip2", "unxz"],
        with: &[],
        without: &["-l", "-t"],
        target: Target::Tree,
    },
    Writer {
        names: &["apply_patch", "fastmod", "codemod", "jscodeshift"],
        with: &[],
        without: &[],
        target: Target::Tree,
    },
    Writer {
        names: &["comby", "ast-grep", "sg"],
        with: &["-i", "-in-place", "-U", "--update-all"],
        without: &[],
        target: Target::Tree,
    },
    Writer {
        names: &["sort"],
        with: &[],
        without: &[],
        target: Target::Behind(&["-o", "--output"]),
    },
];

impl Writer {
    fn runs(&self, rest: &[&str]) -> bool {
        let has = |options: &[&str]| rest.iter().any(|word| options.contains(word));
        (self.with.is_empty() || has(self.with)) && !has(self.without)
    }
}

/// The values of options: `-o x`, `--output=x`.
fn values<'w>(rest: &'w [&'w str], options: &'w [&'w str]) -> impl Iterator<Item = &'w str> {
    rest.iter().enumerate().filter_map(|(at, word)| {
        if options.contains(word) {
            return rest.get(at + 1).copied();
        }
        let (option, value) = word.split_once('=')?;
        options.contains(&option).then_some(value)
    })
}

/// The file that a download goes to: a named one, or one called like the page.
fn downloads(name: &str, rest: &[&str]) -> Vec<Write> {
    let is_curl = name == "curl";
    let options: &[&str] = if is_curl {
        &["-o", "--output"]
    } else {
        &["--output-document"]
    };
    // `wget -qO- x`, `wget -qO a.py x`
    let short = rest.iter().enumerate().filter_map(|(at, word)| {
        let is_short = !is_curl && word.starts_with('-') && !word.starts_with("--");
        let (_, file) = word.split_once('O').filter(|_| is_short)?;
        if file.is_empty() {
            rest.get(at + 1).copied()
        } else {
            Some(file)
        }
    });
    let named: Vec<&str> = values(rest, options).chain(short).collect();
    let mut files: Vec<&str> = named.iter().copied().filter(|file| *file != "-").collect();
    let by_page = |word: &&&str| {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        **word == "--remote-name" || is_short && word.contains('O')
    };
    if named.is_empty() && (!is_curl || rest.iter().any(|word| by_page(&word))) {
        let pages = rest
            .iter()
            .filter(|word| word.contains('/') && !word.starts_with('-'));
        files.extend(
            pages
                .filter_map(|page| page.rsplit('/').next())
                .filter(|file| !file.is_empty()),
        );
    }
    files
        .into_iter()
        .map(|file| Write::File(file.to_owned()))
        .collect()
}

/// `find … -delete`, `find … -exec sed -i … {} +`
fn found(rest: &[&str]) -> Option<Write> {
    const CHANGE: [&str; 8] = [
        "rm", "mv", "cp", "tee", "truncate", "touch", "unlink", "dos2unix",
    ];
    let at = rest
        .iter()
        .position(|word| word.starts_with("-exec") || *word == "-ok");
    let inner = at.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
    let is_edit = inner.iter().any(|word| is_in_place(word))
        && inner
            .first()
            .is_some_and(|name| matches!(*name, "sed" | "gsed" | "perl"));
    let changes = rest.contains(&"-delete")
        || is_edit
        || inner.first().is_some_and(|name| CHANGE.contains(name));
    changes.then(|| Write::Tree(".".to_owned()))
}

/// An interpreter whose program is in the command line.
fn is_inline_code(name: &str, rest: &[&str]) -> bool {
    let is_interpreter = matches!(
        name,
        "python" | "python3" | "py" | "node" | "ruby" | "perl" | "php" | "deno" | "bun"
    ) || name.starts_with("python3.");
    let is_given = rest.iter().any(|word| {
        matches!(
            *word,
            "-c" | "-e" | "-r" | "--eval" | "-p" | "eval" | "-" | "-ne" | "-pe" | "-le"
        )
    });
    is_interpreter && (is_given || rest.iter().all(|word| word.starts_with('-')))
}

/// What a program in the command line writes: the files that it names, if a
/// word in it writes.
fn by_code(rest: &[&str], typed: &str) -> Vec<Write> {
    const WRITES: [&str; 22] = [
        ".write(",
        ".write_text(",
        ".write_bytes(",
        ".writelines(",
        "writeFile",
        "appendFile",
        "File.write",
        "file_put_contents",
        "shutil.",
        "os.rename",
        "os.replace",
        "os.remove",
        ".unlink(",
        "unlinkSync",
        "renameSync",
        "rmSync",
        "cpSync",
        "copyFile",
        "IO.write",
        "json.dump(",
        ".truncate(",
        "fs.rm",
    ];
    let code = format!("{}\n{typed}", rest.join("\n"));
    if !WRITES.iter().any(|word| code.contains(word)) {
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
        .map(|file| Write::File(file.to_owned()))
        .collect();
    if named.is_empty() {
        vec![Write::Tree(".".to_owned())]
    } else {
        named
    }
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
            ("wget -q https://h/b.py", vec![file("b.py")]),
            ("wget -qO- https://h/b.py", vec![]),
            ("wget -qO a.py https://h/b.py", vec![file("a.py")]),
            ("rsync -a new/ src/", vec![file("src/")]),
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
