//! Documents that are generated, and examples that must keep working.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::desk;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a generated text with the file in the project, or rewrites it when
/// the variable `CROSSCHECK_UPDATE_DOCS` is set.
fn assert_current(file: &str, text: &str) {
    let path = project().join(file);
    if std::env::var_os("CROSSCHECK_UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "{file} is stale; run: CROSSCHECK_UPDATE_DOCS=1 cargo test -p crosscheck-cli generated"
    );
}

#[test]
fn the_generated_page_of_reasons_is_current() {
    let seen = desk().crosscheck(["explain", "--format", "json"]);
    let entries: Vec<Value> = serde_json::from_str(&seen.stdout).unwrap();
    let mut page = String::from(
        "# Reasons and errors\n\nGenerated from the declarations; `crosscheck explain CODE` prints the same.\n",
    );
    let mut part = "";
    for entry in &entries {
        if entry["part"] != part {
            part = entry["part"].as_str().unwrap();
            let occurs = entry["occurs"].as_str().unwrap();
            let _ = write!(
                page,
                "\n## {part}\n\nThey occur {occurs}.\n\n| code | level | meaning | what to do |\n|---|---|---|---|\n"
            );
        }
        let cell = |key: &str| entry[key].as_str().unwrap().replace('|', "\\|");
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} |",
            cell("code"),
            cell("level"),
            cell("meaning"),
            cell("help")
        );
    }
    assert_current("docs/reference/reasons.md", &page);
}

#[test]
fn the_generated_page_of_settings_is_current() {
    assert_current("docs/reference/config.md", &crosscheck::config::reference());
}

#[test]
fn the_generated_page_of_commands_is_current() {
    let desk = desk();
    let top = desk.crosscheck(["--help"]).stdout;
    let mut page = format!(
        "# Command line\n\nGenerated from the program's own help.\n\n## crosscheck\n\n```text\n{}```\n",
        tidy(&top)
    );
    describe(&desk, &mut page, &[], &top);
    assert_current("docs/reference/cli.md", &page);
}

/// Appends the help of every command below, as deep as they go.
fn describe(desk: &crosscheck_testkit::Desk, page: &mut String, above: &[String], help: &str) {
    let names = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    for name in names.filter(|name| *name != "help") {
        let mut words = above.to_vec();
        words.push(name.to_owned());
        let mut args = words.clone();
        args.push("--help".to_owned());
        let help = desk.crosscheck(&args).stdout;
        let _ = write!(
            page,
            "\n## crosscheck {}\n\n```text\n{}```\n",
            words.join(" "),
            tidy(&help)
        );
        describe(desk, page, &words, &help);
    }
}

fn tidy(help: &str) -> String {
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    let mut text = lines.join(
        "
",
    ) + "
";
    while text.ends_with("\n\n") {
        text.pop();
    }
    text
}

#[test]
fn the_generated_schemas_are_current() {
    let desk = desk();
    for line in desk.crosscheck(["schema"]).stdout.lines() {
        let name = line.split_whitespace().next().unwrap();
        let schema = desk.crosscheck(["schema", name]).stdout;
        let contracts = [
            "outcome-certificate",
            "event",
            "registry",
            "sub-result",
            "verify-report",
        ];
        if contracts.contains(&name) {
            crosscheck_testkit::Schema::new(serde_json::from_str(&schema).unwrap());
        } else {
            assert_current(&format!("schemas/{name}.schema.json"), &schema);
        }
    }
}

#[test]
fn a_document_is_found_by_the_name_that_it_has_itself() {
    let desk = desk();
    let schema = |name: &str| desk.crosscheck(["schema", name]);
    assert_eq!(schema("SubResult.v1").stdout, schema("sub-result").stdout);
    let seen = schema("sub-reslt");
    assert_eq!(seen.code, 3);
    assert!(
        seen.stderr.contains("did you mean `sub-result`?"),
        "{}",
        seen.stderr
    );
}

/// The pages of the book, as mdBook lists them.
fn pages_of_the_book() -> Vec<String> {
    let summary = fs::read_to_string(project().join("docs/SUMMARY.md")).unwrap();
    let links = summary.lines().filter_map(|line| line.split_once("]("));
    let links = links.map(|(_, rest)| rest.trim_end_matches(')').to_owned());
    let pages: Vec<String> = links.map(|link| format!("docs/{link}")).collect();
    assert!(pages.len() > 20, "{pages:?}");
    pages
}

#[test]
fn every_page_of_the_book_exists_and_every_page_is_in_it() {
    let pages = pages_of_the_book();
    for page in &pages {
        let text = fs::read_to_string(project().join(page)).unwrap_or_default();
        assert!(text.starts_with("# "), "{page} is missing, or has no title");
    }
    // what is for those who work on the program, not with it
    let internal = ["BUDGET.md", "DEPENDENCIES.md", "RULES.md", "SUMMARY.md"];
    for entry in fs::read_dir(project().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_page =
            path.extension().is_some_and(|end| end == "md") && !internal.contains(&name.as_str());
        let is_listed = pages.contains(&format!("docs/{name}"));
        assert!(!is_page || is_listed, "{name} is not in docs/SUMMARY.md");
    }
}

/// Runs every `console` block of these pages. Lines after `$ ` are commands,
/// which go on after a `\`; what follows is the expected output, where a line
/// `...` stands for any number of lines and `…` inside a line for any text.
#[test]
fn the_examples_of_the_pages_print_what_they_say() {
    let mut pages = pages_of_the_book();
    pages.push("README.md".to_owned());
    let verifiers = [
        "rows",
        "quick",
        "check",
        "enforce",
        "claims",
        "sources",
        "trace",
        "DONE",
        "workspace",
        "pr",
    ];
    let needed = verifiers.map(|name| format!("docs/{name}.md"));
    for page in pages {
        let text = fs::read_to_string(project().join(&page)).unwrap();
        let blocks: Vec<&str> = text.split("```console\n").skip(1).collect();
        let needs_one = needed.contains(&page) || page == "docs/start.md";
        assert!(!needs_one || !blocks.is_empty(), "{page} has no example");
        for block in blocks {
            run_block(&page, block.split("\n```").next().unwrap());
        }
    }
}

fn run_block(page: &str, block: &str) {
    let desk = desk();
    let examples = desk.path().join("examples");
    let copied = std::process::Command::new("cp")
        .arg("-R")
        .arg(project().join("examples"))
        .arg(examples)
        .status();
    assert!(copied.unwrap().success());
    let whole = format!("\n{}", block.replace("\\\n", " "));
    for example in whole.split("\n$ ").skip(1) {
        let (command, expected) = example.split_once('\n').unwrap_or((example, ""));
        let command = command.replace("cargo run --", "crosscheck");
        let shown = shell(&desk, &command);
        assert!(
            matches(expected.trim_end(), shown.trim_end()),
            "{page}: $ {command}\nexpected:\n{expected}\n\nshown:\n{shown}"
        );
    }
}

/// Through a shell, because that is where a reader types it.
fn shell(desk: &crosscheck_testkit::Desk, command: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_crosscheck"));
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let output = std::process::Command::new("sh")
        .args(["-c", command])
        .current_dir(desk.path())
        .env_clear()
        .env("PATH", path)
        .env("HOME", desk.home())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn matches(expected: &str, shown: &str) -> bool {
    let expected: Vec<&str> = expected.lines().collect();
    let shown: Vec<&str> = shown.lines().collect();
    lines_match(&expected, &shown)
}

fn lines_match(expected: &[&str], shown: &[&str]) -> bool {
    match expected {
        [] => shown.is_empty(),
        ["...", rest @ ..] => (0..=shown.len()).any(|skip| lines_match(rest, &shown[skip..])),
        [line, rest @ ..] => {
            shown.first().is_some_and(|first| line_matches(line, first))
                && lines_match(rest, &shown[1..])
        }
    }
}

fn line_matches(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
