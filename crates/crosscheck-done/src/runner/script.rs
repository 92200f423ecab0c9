//! Programs and scripts of the project itself.

use crate::shell::Stripped;

/// Programs of the project itself: `./x`, `bash x.sh`, `make run`.
pub(super) fn runs_something(run: &Stripped) -> bool {
    let Some(first) = run.words.first() else {
        return false;
    };
    let second = run.words.get(1).map_or("", String::as_str);
    first.starts_with("./")
        || first.starts_with("../")
        || (first.contains('/') && !first.starts_with('-'))
        || (matches!(first.as_str(), "bash" | "sh" | "zsh")
            && !second.is_empty()
            && !second.starts_with('-'))
        || (matches!(
            first.as_str(),
            "make" | "just" | "task" | "rake" | "npm" | "pnpm" | "yarn" | "invoke"
        ) && !second.is_empty()
            && !is_install(first, second))
}

/// The file that a command runs: its program, or the script that it hands to
/// an interpreter.
pub(crate) fn script(words: &[String]) -> Option<&String> {
    let first = words.first()?;
    let called = matches!(
        first.as_str(),
        "bash"
            | "sh"
            | "zsh"
            | "dash"
            | "ksh"
            | "fish"
            | "source"
            | "."
            | "python"
            | "python3"
            | "py"
            | "node"
            | "deno"
            | "bun"
            | "ruby"
            | "perl"
            | "php"
            | "pwsh"
    );
    let mut behind = words.iter().skip(1);
    if called {
        behind.find(|word| !word.starts_with('-'))
    } else {
        Some(first)
    }
}

fn is_install(program: &str, verb: &str) -> bool {
    let installs = matches!(
        verb,
        "install"
            | "i"
            | "ci"
            | "add"
            | "remove"
            | "uninstall"
            | "update"
            | "upgrade"
            | "audit"
            | "ls"
            | "list"
            | "outdated"
            | "view"
            | "init"
            | "pkg"
            | "config"
            | "link"
            | "why"
            | "info"
            | "login"
            | "version"
            | "prune"
            | "dedupe"
            | "fund"
            | "help"
            | "root"
            | "bin"
            | "cache"
            | "import"
            | "store"
    );
    installs && matches!(program, "npm" | "pnpm" | "yarn")
        || matches!(verb, "clean" | "install" | "help" | "deps" | "setup")
}
