//! What a command really runs: wrappers, assignments and package runners in
//! front of it are left out.
//!
//! Contract: done 3.

use super::flat::joined;
use super::words::{WORDS, Wrapper, has};

/// A program and its arguments without what comes before them.
#[derive(Debug, Clone, Default)]
pub struct Stripped {
    /// The program by its own name, and its arguments.
    pub words: Vec<String>,
    /// The folder that a wrapper or an option names.
    pub dir: Option<String>,
    /// Whether it was started as a module of Python.
    pub module: bool,
    /// A script for a shell, instead of a program.
    pub script: Option<String>,
    /// Whether that shell ends at the first failure.
    pub errexit: bool,
    /// Whether it knows failures inside of pipes.
    pub pipefail: bool,
    /// Folders put on `PATH`, files that a shell reads first.
    pub paths: Vec<String>,
    /// Whether a time limit of its own was set.
    pub limited: bool,
    /// Whether it runs in a container, where folders have other names.
    pub contained: bool,
    /// Whether nobody can say that this is the project: another machine, the container of an image.
    pub away: bool,
    /// Whether a variable that is set for it steers what it does.
    pub steered: bool,
}

/// Whether a pattern, in which a star stands for the rest, is a text.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(begin) => text.starts_with(begin),
        None => pattern == text,
    }
}

/// Whether a word sets a variable that steers programs: `RUSTC=true`.
pub(super) fn is_steering(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=').filter(|_| is_assignment(word)) else {
        return false;
    };
    let known = &WORDS.variables;
    known.steering.iter().any(|one| fits(one, name))
        && !known
            .harmless
            .iter()
            .any(|one| fits(one, name) || fits(one, word))
}

pub(super) fn strip(words: &[String]) -> Stripped {
    let mut run = Stripped::default();
    let mut rest: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut is_fed = false;
    for _ in 0..24 {
        let before = rest.len();
        is_fed |= rest
            .first()
            .is_some_and(|first| base_name(first) == "xargs");
        rest = step(rest, &mut run);
        if rest.len() == before {
            break;
        }
    }
    if is_fed && !rest.contains(&"{}") {
        rest.push("{}"); // what it is run on comes from elsewhere: a part of all
    }
    shell_script(&rest, &mut run);
    if run.script.is_none() {
        rest = without_options(rest);
    }
    let mut words: Vec<String> = rest.iter().map(|word| (*word).to_owned()).collect();
    if let Some(first) = words.first_mut() {
        *first = base_name(first).to_owned();
    }
    options(&mut words, &mut run);
    let known = words
        .first()
        .and_then(|name| WORDS.steering_options.get(name));
    let is_option = |word: &String| known.is_some_and(|all| all.iter().any(|one| fits(one, word)));
    let mut own = words.iter().skip(1).take_while(|word| *word != "--");
    run.steered |= own.any(|word| is_steering(word) || is_option(word));
    run.words = words;
    run
}

/// Takes one wrapper away.
fn step<'w>(rest: Vec<&'w str>, run: &mut Stripped) -> Vec<&'w str> {
    let words = rest.as_slice();
    let Some(first) = words.first() else {
        return rest;
    };
    if is_assignment(first) {
        run.paths.extend(path_of(first));
        run.steered |= is_steering(first);
        return words.get(1..).unwrap_or_default().to_vec();
    }
    let name = base_name(first);
    let second = words.get(1).copied().unwrap_or_default();
    if name.starts_with("py") && second == "-m" {
        run.module = true;
        return words.get(2..).unwrap_or_default().to_vec();
    }
    if name == "node" && second.contains("node_modules/") {
        return words.get(1..).unwrap_or_default().to_vec();
    }
    let mut wrappers = WORDS.wrapper.iter().filter(|one| has(&one.names, name));
    let left = wrappers.find_map(|wrapper| wrapper.start(words, run));
    left.filter(|left| !left.is_empty()).unwrap_or(rest)
}

impl Wrapper {
    /// The words of the program that it starts; nothing where it starts none.
    fn start<'w>(&self, words: &[&'w str], run: &mut Stripped) -> Option<Vec<&'w str>> {
        let behind = words.get(1..).unwrap_or_default();
        let begins = |verb: &&String| {
            let verb: Vec<&str> = verb.split(' ').collect();
            behind.starts_with(&verb)
        };
        let verb = self
            .verbs
            .iter()
            .find(begins)
            .map_or(0, |verb| verb.split(' ').count());
        let is_kept = self.keeps.is_empty()
            || behind
                .first()
                .is_some_and(|word| has(&self.keeps, base_of(word)));
        if verb == 0 && !self.verbs.is_empty() || !is_kept {
            return None;
        }
        let own = behind.get(verb..).unwrap_or_default();
        let mut flags = own
            .iter()
            .take_while(|word| word.starts_with('-') && **word != "--");
        if flags.any(|word| has(&self.idle, word) || matches!(*word, "--help" | "--version")) {
            return None;
        }
        run.dir = folder(own, &self.folders).or(run.dir.take());
        let dashes = own
            .iter()
            .position(|word| *word == "--")
            .filter(|_| self.dashes);
        let left = match dashes {
            Some(at) => own.get(at + 1..).unwrap_or_default(),
            None => skip_options(own, &self.values)
                .get(self.drops..)
                .unwrap_or_default(),
        };
        run.limited |= has(&self.names, "timeout");
        run.contained |= self.contained && !left.is_empty();
        let options = own.get(..own.len() - left.len()).unwrap_or_default();
        let is_here = |word: &&str| {
            word.starts_with("./")
                || word.starts_with(".:")
                || word.contains("$PWD")
                || word.contains("${PWD}")
        };
        run.away |= self.away && !left.is_empty() && !options.iter().any(is_here);
        Some(left.to_vec())
    }
}

/// The folder that an option names.
fn folder(words: &[&str], flags: &[String]) -> Option<String> {
    words.iter().enumerate().find_map(|(at, word)| {
        let (flag, value) = word.split_once('=').unwrap_or((word, words.get(at + 1)?));
        has(flags, flag).then(|| value.to_owned())
    })
}

fn skip_options<'a, 'w>(words: &'a [&'w str], values: &[String]) -> &'a [&'w str] {
    let mut at = 0;
    while let Some(word) = words
        .get(at)
        .filter(|word| word.starts_with('-') && word.len() > 1)
    {
        at += if has(values, word) { 2 } else { 1 };
        if *word == "--" {
            break;
        }
    }
    words.get(at..).unwrap_or_default()
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else {
        return false;
    };
    let name = name.trim_end_matches('+');
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The folder or file by which an assignment changes what programs are found.
pub(super) fn path_of(word: &str) -> Option<String> {
    let (name, value) = word.split_once('=')?;
    match name {
        "PATH" => {
            let first = value.split(':').next().unwrap_or_default();
            (!first.starts_with("$PATH") && !first.starts_with("${PATH")).then(|| first.to_owned())
        }
        // `ENV` is read by interactive shells alone, and is a common name
        "BASH_ENV" | "ZDOTDIR" | "LD_PRELOAD" | "PYTHONSTARTUP" if !value.is_empty() => {
            Some(value.to_owned())
        }
        _ => None,
    }
}

/// A program without folders that only say where its package is.
fn base_name(word: &str) -> &str {
    const PLACES: [&str; 6] = [
        ".venv/bin/",
        "venv/bin/",
        "node_modules/.bin/",
        "vendor/bin/",
        "env/bin/",
        "/usr/",
    ];
    let at_place = PLACES.iter().any(|place| word.contains(place))
        || word.starts_with("/usr/")
        || word.starts_with("/bin/")
        || word.starts_with("/opt/");
    let wrapper = matches!(base_of(word), "gradlew" | "mvnw" | "manage.py" | "artisan")
        || matches!(
            word,
            "bin/rails" | "bin/rake" | "bin/rspec" | "./bin/rails" | "./bin/rake"
        );
    if at_place || wrapper {
        return word.rsplit('/').next().unwrap_or(word);
    }
    word
}

fn base_of(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// `bash -c "…"`.
fn shell_script(words: &[&str], run: &mut Stripped) {
    let Some((first, rest)) = words.split_first() else {
        return;
    };
    let name = first.rsplit('/').next().unwrap_or_default();
    if !matches!(name, "bash" | "sh" | "zsh" | "dash") {
        return;
    }
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        if !word.starts_with('-') {
            return;
        }
        let letters = word.trim_start_matches('-');
        if !word.starts_with("--") {
            if letters.contains('n') {
                return; // only reads it
            }
            run.errexit |= letters.contains('e');
            run.steered |= letters.contains('i'); // it reads files first that a variable may name
            if letters.ends_with('o') {
                run.pipefail |= rest.get(at + 1) == Some(&"pipefail");
                at += 1;
            }
            if letters.contains('c') {
                run.script = rest.get(at + 1).map(|script| (*script).to_owned());
                return;
            }
        }
        at += 1;
    }
}

/// `bash -euo pipefail test.sh` is `bash test.sh`, `python3 -u x.py` is
/// `python3 x.py`. What runs no file stays as it is.
fn without_options(words: Vec<&str>) -> Vec<&str> {
    let name = words.first().map_or("", |first| base_of(first));
    let is_shell = matches!(name, "bash" | "sh" | "zsh" | "dash");
    if !is_shell && !matches!(name, "python" | "python3" | "py") {
        return words;
    }
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.starts_with(['-', '+'])) {
        let letters = word.trim_start_matches(['-', '+']);
        let is_long = word.starts_with("--");
        // a check of the syntax, or a text from elsewhere
        let runs_no_file = if is_shell {
            !is_long && letters.contains(['n', 's', 'c'])
        } else {
            letters.is_empty() || letters.starts_with(['m', 'c', 'h', 'V'])
        };
        if runs_no_file {
            return words;
        }
        let takes_value = if is_shell {
            !is_long && letters.ends_with(['o', 'O']) || matches!(*word, "--rcfile" | "--init-file")
        } else {
            matches!(*word, "-X" | "-W")
        };
        at += if takes_value { 2 } else { 1 };
        if *word == "--" {
            break;
        }
    }
    match (words.first(), words.get(at..)) {
        (Some(first), Some(rest)) if !rest.is_empty() => std::iter::once(*first)
            .chain(rest.iter().copied())
            .collect(),
        _ => words,
    }
}

/// Options by which programs themselves go to another folder.
fn options(words: &mut Vec<String>, run: &mut Stripped) {
    let name = words.first().map_or("", String::as_str);
    let Some(flags) = WORDS.folders.get(name) else {
        return;
    };
    let mut at = 1;
    while at < words.len() {
        let word = words.get(at).cloned().unwrap_or_default();
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        if !has(flags, flag) {
            at += 1;
            continue;
        }
        let (dir, count) = match value {
            Some(value) => (value, 1),
            None => (words.get(at + 1).cloned().unwrap_or_default(), 2),
        };
        // a manifest is in the folder that is meant
        let dir = match dir.rsplit_once('/') {
            Some((folder, "Cargo.toml" | "pom.xml")) => folder.to_owned(),
            None if matches!(dir.as_str(), "Cargo.toml" | "pom.xml") => ".".to_owned(),
            _ => dir,
        };
        run.dir = Some(match run.dir.take() {
            Some(before) => joined(&before, &dir),
            None => dir,
        });
        words.drain(at..(at + count).min(words.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_and_package_runners_are_left_out() {
        for (line, expected, dir) in [
            ("A=1 B=2 pytest", "pytest", None),
            ("env -u X pytest -q", "pytest -q", None),
            ("timeout -s KILL 60 pytest", "pytest", None),
            ("time nice -n 5 make test", "make test", None),
            ("python -m pytest -q", "pytest -q", None),
            ("python3.11 -m unittest", "unittest", None),
            (".venv/bin/pytest", "pytest", None),
            ("./node_modules/.bin/jest", "jest", None),
            ("npx -y vitest run", "vitest run", None),
            ("pnpm exec tsc --noEmit", "tsc --noEmit", None),
            ("yarn jest", "jest", None),
            ("xargs -0 -n 1 uv run pytest -q", "pytest -q {}", None),
            ("xargs -I{} pytest {}", "pytest {}", None),
            ("yarn test", "yarn test", None),
            ("bundle exec rspec", "rspec", None),
            ("docker compose exec -T web pytest", "pytest", None),
            ("docker run img", "docker run img", None),
            ("uv run --project api pytest", "pytest", Some("api")),
            ("make -C sub test", "make test", Some("sub")),
            ("npm --prefix web test", "npm test", Some("web")),
            (
                "cargo test --manifest-path a/Cargo.toml",
                "cargo test",
                Some("a"),
            ),
            ("sudo -u ci make", "make", None),
            ("poetry run python -m pytest", "pytest", None),
            ("mise x -- cargo test", "cargo test", None),
            ("bash -x ./test.sh", "bash ./test.sh", None),
            ("sh -e test.sh all", "sh test.sh all", None),
            ("bash -euo pipefail test.sh", "bash test.sh", None),
            ("bash -o errexit -o pipefail test.sh", "bash test.sh", None),
            ("bash --norc +x test.sh", "bash test.sh", None),
            ("bash -n test.sh", "bash -n test.sh", None),
            ("bash -s test.sh", "bash -s test.sh", None),
            (
                "python3 -u -X dev test_a.py -v",
                "python3 test_a.py -v",
                None,
            ),
            ("python3 -c test_a.py", "python3 -c test_a.py", None),
            ("time ./test.sh", "./test.sh", None),
            ("time -p bash -x test.sh", "bash test.sh", None),
            ("/usr/bin/time -f %e ./test.sh", "./test.sh", None),
            ("env X=1 ./test.sh", "./test.sh", None),
            ("env -C /other pytest -q", "pytest -q", Some("/other")),
            ("env --chdir=sub pytest", "pytest", Some("sub")),
            ("command pytest", "pytest", None),
            ("command -v pytest", "command -v pytest", None),
            ("sudo -n -l pytest", "sudo -n -l pytest", None),
            ("nice --help pytest", "nice --help pytest", None),
            ("uv run --help pytest", "uv run --help pytest", None),
            ("poetry run pytest --help", "pytest --help", None),
            ("bash -n -c pytest", "bash -n -c pytest", None),
            ("env -i X=1 sh -e ./test.sh", "sh ./test.sh", None),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let seen = strip(&words);
            assert_eq!(seen.words.join(" "), expected, "{line}");
            assert_eq!(seen.dir.as_deref(), dir, "{line}");
        }
    }
}
