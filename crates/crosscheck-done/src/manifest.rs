//! Commands that a project's manifest names. They are suggested to people;
//! they are run only when the user's own file says so, and never from a
//! manifest that the session has changed.

use std::path::Path;

use crosscheck_core::files::read_regular;

use crate::kind::Work;

const MAX_BYTES: u64 = 1 << 20;

/// The command for a kind of work; `changed` says whether the session changed
/// a file of this name.
pub(crate) fn command(
    root: &Path,
    work: Work,
    changed: &dyn Fn(&str) -> bool,
) -> Option<Vec<String>> {
    let has = |name: &str| root.join(name).is_file();
    let words = |line: &str| Some(line.split(' ').map(str::to_owned).collect());
    if has("package.json")
        && !changed("package.json")
        && let Some(argv) = script(root, work)
    {
        return Some(argv);
    }
    if has("Cargo.toml") && !changed("Cargo.toml") {
        return match work {
            Work::Tests => words("cargo test"),
            Work::Build => words("cargo build"),
            Work::Lint => words("cargo clippy"),
            Work::Types => words("cargo check"),
            _ => None,
        };
    }
    if has("go.mod") {
        return match work {
            Work::Tests => words("go test ./..."),
            Work::Build | Work::Types => words("go build ./..."),
            Work::Lint => words("go vet ./..."),
            _ => None,
        };
    }
    if work == Work::Tests
        && is_pytest(root)
        && !changed("pyproject.toml")
        && !changed("pytest.ini")
    {
        return words("pytest");
    }
    if has("gradlew") && !changed("build.gradle") && !changed("gradlew") {
        return match work {
            Work::Tests => words("./gradlew test"),
            Work::Build => words("./gradlew assemble"),
            _ => None,
        };
    }
    if has("pom.xml") && !changed("pom.xml") {
        return match work {
            Work::Tests => words("mvn -q test"),
            Work::Build => words("mvn -q package"),
            _ => None,
        };
    }
    (!changed("Makefile")).then(|| target(root, work)).flatten()
}

fn text(path: &Path) -> Option<String> {
    String::from_utf8(read_regular(path, MAX_BYTES).ok()?).ok()
}

/// A script of package.json, by the package manager of the lock file.
fn script(root: &Path, work: Work) -> Option<Vec<String>> {
    let names: &[&str] = match work {
        Work::Tests => &["test"],
        Work::Build => &["build"],
        Work::Lint => &["lint"],
        Work::Types => &["typecheck", "type-check", "types"],
        _ => return None,
    };
    let manifest: serde_json::Value =
        serde_json::from_str(&text(&root.join("package.json"))?).ok()?;
    let scripts = manifest.get("scripts")?;
    let name = names.iter().find(|name| {
        let body = scripts.get(**name).and_then(|body| body.as_str());
        body.is_some_and(|body| !body.contains("no test specified"))
    })?;
    let manager = if root.join("pnpm-lock.yaml").is_file() {
        "pnpm"
    } else if root.join("yarn.lock").is_file() {
        "yarn"
    } else if root.join("bun.lockb").is_file() || root.join("bun.lock").is_file() {
        "bun"
    } else {
        "npm"
    };
    Some(
        [manager, "run", name]
            .iter()
            .map(|word| (*word).to_owned())
            .collect(),
    )
}

fn is_pytest(root: &Path) -> bool {
    root.join("pytest.ini").is_file()
        || text(&root.join("pyproject.toml")).is_some_and(|text| text.contains("[tool.pytest"))
        || text(&root.join("setup.cfg")).is_some_and(|text| text.contains("[tool:pytest]"))
        || text(&root.join("tox.ini")).is_some_and(|text| text.contains("[pytest]"))
}

fn target(root: &Path, work: Work) -> Option<Vec<String>> {
    let name = match work {
        Work::Tests => "test",
        Work::Build => "build",
        Work::Lint => "lint",
        Work::Types => "typecheck",
        _ => return None,
    };
    let makefile = text(&root.join("Makefile"))?;
    let there = makefile
        .lines()
        .any(|line| line.starts_with(&format!("{name}:")));
    there.then(|| vec!["make".to_owned(), name.to_owned()])
}
