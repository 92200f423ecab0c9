//! Options whose value says which part is run.

/// Whether an option of a command line leaves something out by its value.
pub(super) fn is_part(row: &str, word: &str, next: &str, partial: &[String]) -> bool {
    let (flag, value) = word.split_once('=').unwrap_or((word, next));
    match row {
        "pytest" => is_part_of_pytest(flag, value, partial) || is_cluster(word, partial),
        "tox" => matches!(flag, "-e" | "-s" | "--session" | "--sessions") && !runs_tests(value),
        "clippy" => word == "-A" && matches!(next, "warnings" | "clippy::all"),
        "ruff" | "python-lint" => {
            matches!(flag, "--ignore" | "--disable") && value.eq_ignore_ascii_case("all")
        }
        _ => false,
    }
}

/// Settings of pytest on its command line that say which tests there are.
fn is_part_of_pytest(flag: &str, value: &str, partial: &[String]) -> bool {
    const WHICH: [&str; 5] = [
        "testpaths",
        "python_files",
        "python_functions",
        "python_classes",
        "norecursedirs",
    ];
    let is_known = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or(file);
        name.contains("pytest") || matches!(name, "pyproject.toml" | "tox.ini" | "setup.cfg")
    };
    match flag {
        "-o" | "--override-ini" => {
            let own = value.strip_prefix("addopts=").unwrap_or_default();
            let mut words = own.split_whitespace();
            words.any(|word| {
                let flag = word.split('=').next().unwrap_or(word);
                partial.iter().any(|known| known == flag) || is_cluster(word, partial)
            }) || WHICH.iter().any(|which| value.starts_with(which))
        }
        "-c" | "--config-file" => !is_known(value),
        _ => WHICH
            .iter()
            .any(|which| flag.strip_prefix("-o") == Some(which)),
    }
}

/// `-qkadd` is `-q -k add`.
fn is_cluster(word: &str, partial: &[String]) -> bool {
    const PLAIN: &str = "qvxls";
    let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return false;
    };
    let chosen = letters.trim_start_matches(|letter| PLAIN.contains(letter));
    let option = chosen.chars().next().filter(|_| letters.len() > 1);
    option.is_some_and(|option| partial.contains(&format!("-{option}")))
}

/// Whether one of several environments is one for tests: `py312`, `3.12`,
/// `unit`.
fn runs_tests(names: &str) -> bool {
    let mut names = names.split(',').map(str::trim);
    names.any(|name| {
        name.starts_with("py")
            || name.starts_with(|c: char| c.is_ascii_digit() || c == '$' || c == '{')
            || [
                "test",
                "unit",
                "integration",
                "all",
                "ci",
                "cover",
                "spec",
                "django",
                "min",
                "latest",
                "dev",
            ]
            .iter()
            .any(|word| name.contains(word))
    })
}
