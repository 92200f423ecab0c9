//! The invariants of docs/ARCHITECTURE.md, read from the source.

use std::collections::BTreeSet;
use std::fs;

use crate::source::{SourceFile, files, parts};

/// Crates that a crate may depend on.
const IMPORTS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("config", &["core"]),
    ("process", &["core"]),
    ("transcript", &["core"]),
    ("fetch", &["core"]),
    ("language", &["core"]),
    ("judge", &["core", "process", "fetch", "language"]),
    ("ledger", &["core"]),
    ("render", &["core"]),
    ("pr", BELOW_VERIFIERS),
    ("rows", BELOW_VERIFIERS),
    ("claims", BELOW_VERIFIERS),
    ("sources", BELOW_VERIFIERS),
    ("trace", BELOW_VERIFIERS),
    ("workspace", BELOW_VERIFIERS),
    ("done", BELOW_VERIFIERS),
    ("crosscheck", BELOW_THE_FACADE),
    ("cli", &["crosscheck"]),
    ("testkit", &[]),
];
const BELOW_VERIFIERS: &[&str] = &[
    "config",
    "core",
    "fetch",
    "judge",
    "language",
    "process",
    "transcript",
];
const BELOW_THE_FACADE: &[&str] = &[
    "claims",
    "config",
    "core",
    "done",
    "fetch",
    "judge",
    "language",
    "ledger",
    "pr",
    "process",
    "render",
    "rows",
    "sources",
    "trace",
    "transcript",
    "workspace",
];

const VERIFIERS: [&str; 7] = [
    "rows",
    "claims",
    "sources",
    "trace",
    "workspace",
    "done",
    "pr",
];

/// The steps of a verifier, in order.
const STEPS: [&str; 5] = ["read", "plan", "observe", "judge", "report"];

/// What only `observe` and `report` may touch.
const WORLD: [&str; 14] = [
    "std::fs",
    "TcpStream",
    "UdpSocket",
    "std::process",
    "thread::sleep",
    "SystemTime::now",
    "Instant::now",
    "Clock",
    "crosscheck_core::files",
    "Fetcher",
    "crosscheck_process",
    "tokio",
    "rusqlite",
    "ureq",
];

/// What only the command line may read.
const ENVIRONMENT: [&str; 7] = [
    "env::var",
    "env::vars",
    "env::args",
    "env::current_dir",
    "env::current_exe",
    "io::stdin",
    "process::exit",
];

/// The catalog of a database is observed first, and `plan` gets it as plain
/// data: the only exception to the order.
const SURVEY: [&str; 9] = [
    "Catalog",
    "Column",
    "ColumnKind",
    "ForeignKey",
    "Hides",
    "Holds",
    "Identifier",
    "Table",
    "TableRef",
];

/// Known breaches: crate, file, the name it uses, and why it is still there.
/// The list may only get shorter.
const EXCEPTIONS: &[(&str, &str, &str, &str)] = &[];

/// One breach: crate, file, the name it uses.
type Breach = (String, String, String);

fn breaches() -> BTreeSet<Breach> {
    let mut found = BTreeSet::new();
    for file in files() {
        let mut add = |what: String| {
            found.insert((file.part.clone(), file.path.clone(), what));
        };
        if VERIFIERS.contains(&file.part.as_str()) {
            steps(&file, &mut add);
        }
        if file.part != "cli" {
            for name in ENVIRONMENT.iter().filter(|name| names(&file.code, name)) {
                add((*name).to_owned());
            }
        }
    }
    found
}

/// Whether the code uses a path, not only a longer name with the same end.
fn names(code: &str, path: &str) -> bool {
    code.match_indices(path).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + path.len()..].chars().next();
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !is_word(before) && !is_word(after)
    })
}

fn steps(file: &SourceFile, add: &mut dyn FnMut(String)) {
    let Some((tree, own)) = step_of(&file.module) else {
        return;
    };
    for path in file.names() {
        if path.first().is_some_and(|name| name == "wire") && !matches!(own, "read" | "report") {
            add("wire".to_owned());
        }
        let Some((other_tree, other)) = step_of(&path) else {
            continue;
        };
        let rank = |step: &str| STEPS.iter().position(|known| *known == step);
        // In a verifier with several commands, the commands share the steps
        // beside them.
        let is_later = tree.starts_with(other_tree) && rank(other) > rank(own);
        let is_survey = own == "plan" && SURVEY.contains(&path.last().unwrap().as_str());
        if is_later && !is_survey {
            add(path.join("::"));
        }
    }
    if matches!(own, "plan" | "judge") {
        for name in WORLD.iter().filter(|name| names(&file.code, name)) {
            add((*name).to_owned());
        }
    }
}

/// The step of a module, and the modules before it.
fn step_of(module: &[String]) -> Option<(&[String], &str)> {
    let at = module
        .iter()
        .position(|name| STEPS.contains(&name.as_str()))?;
    Some((&module[..at], &module[at]))
}

#[test]
fn imports_go_from_read_to_report_and_only_observe_touches_the_world() {
    let known: BTreeSet<Breach> = EXCEPTIONS
        .iter()
        .map(|(part, file, what, _)| ((*part).to_owned(), (*file).to_owned(), (*what).to_owned()))
        .collect();
    let found = breaches();
    let new: Vec<_> = found.difference(&known).collect();
    assert!(new.is_empty(), "breaches of docs/ARCHITECTURE.md: {new:#?}");
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(
        gone.is_empty(),
        "no longer breaches, remove them from the list: {gone:#?}"
    );
}

#[test]
fn crates_depend_only_on_crates_below_them() {
    for (part, folder) in parts() {
        let Some((_, allowed)) = IMPORTS.iter().find(|(name, _)| *name == part) else {
            panic!("docs/ARCHITECTURE.md and this test do not know the crate {part}");
        };
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let (_, rest) = manifest.split_once("[dependencies]").unwrap();
        let own = rest.split("\n[").next().unwrap();
        for line in own.lines().filter(|line| line.starts_with("crosscheck")) {
            let name = line.split(['.', ' ', '=']).next().unwrap();
            let short = name.strip_prefix("crosscheck-").unwrap_or(name);
            assert!(allowed.contains(&short), "{part} depends on {short}");
        }
    }
}
