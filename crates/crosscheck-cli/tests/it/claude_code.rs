//! The files that make Claude Code call the program: in the format it reads,
//! and about a command line that exists.

use std::fs;
use std::path::{Path, PathBuf};

use crate::claims::{document, with_file};
use crate::desk;

/// The front-matter keys of a command and of a skill.
const COMMAND_KEYS: &[&str] = &[
    "description",
    "argument-hint",
    "allowed-tools",
    "model",
    "disable-model-invocation",
];
const SKILL_KEYS: &[&str] = &[
    "name",
    "description",
    "argument-hint",
    "disable-model-invocation",
    "user-invocable",
    "allowed-tools",
    "model",
    "effort",
    "context",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/claude-code")
}

/// Keys and values of the front matter, and the body.
fn parts(file: &str) -> (Vec<(String, String)>, String) {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    let (head, body) = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .unwrap_or_else(|| panic!("{file} has no front matter"));
    let keys = head
        .lines()
        .map(|line| {
            let (key, value) = line.split_once(": ").unwrap();
            (key.to_owned(), value.to_owned())
        })
        .collect();
    (keys, body.to_owned())
}

fn value<'k>(keys: &'k [(String, String)], key: &str) -> &'k str {
    let found = keys.iter().find(|(name, _)| name == key);
    &found.unwrap_or_else(|| panic!("no {key}")).1
}

#[test]
fn the_command_and_the_skill_have_the_front_matter_that_is_read() {
    for (file, known) in [
        ("commands/cf-verify.md", COMMAND_KEYS),
        ("skills/cf-verify/SKILL.md", SKILL_KEYS),
    ] {
        let (keys, body) = parts(file);
        for (key, value) in &keys {
            assert!(known.contains(&key.as_str()), "{file}: {key}");
            assert!(!value.is_empty(), "{file}: {key}");
        }
        assert!(value(&keys, "description").len() < 1024, "{file}");
        assert!(body.contains("crosscheck cf-verify"), "{file}");
    }
    let (keys, _) = parts("skills/cf-verify/SKILL.md");
    assert_eq!(value(&keys, "name"), "cf-verify", "the name of its folder");
}

#[test]
fn the_command_takes_the_arguments_of_the_seed_and_may_run_nothing_else() {
    let (keys, body) = parts("commands/cf-verify.md");
    assert_eq!(
        value(&keys, "argument-hint"),
        "\"--result <file|json> [--risk low|medium|high] [--out <path>]\""
    );
    assert!(body.contains("$ARGUMENTS"));
    let tools: Vec<String> = serde_json::from_str(value(&keys, "allowed-tools")).unwrap();
    for tool in &tools {
        assert_eq!(tool, "Bash(crosscheck cf-verify:*)");
    }
}

#[test]
fn every_option_the_files_name_exists() {
    let help = desk().crosscheck(["claims", "--help"]).stdout;
    for file in [
        "commands/cf-verify.md",
        "skills/cf-verify/SKILL.md",
        "README.md",
    ] {
        let text = fs::read_to_string(folder().join(file)).unwrap();
        let about_claims = text
            .lines()
            .filter(|line| line.contains("cf-verify") || line.contains("--result"));
        for word in about_claims.flat_map(str::split_whitespace) {
            let word = word.trim_start_matches(['`', '"', '[', '(']);
            if let Some(name) = word.strip_prefix("--") {
                let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
                let option = format!("--{}", &name[..end.unwrap_or(name.len())]);
                assert!(help.contains(&option), "{file}: {option}");
            }
        }
    }
}

#[test]
fn an_agent_gains_no_more_than_a_look_at_files() {
    let desk = with_file();
    let seen = desk.crosscheck(["cf-verify", "--result", "good.json", "--risk", "high"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let mut printed = String::new();
    for (option, value) in [
        ("--judge", "command"),
        ("--judge-command", "touch"),
        ("--search-command", "touch"),
        ("--judge-url", "http://127.0.0.1:1"),
        ("--config", "mine.toml"),
        ("--allow-cidr", "10.0.0.0/8"),
        ("--root", ".."),
        ("--output", "x.json"),
        ("--details", "x.json"),
        ("--allow-path", "/"),
        ("--accept", "404"),
    ] {
        let seen = desk.crosscheck(["cf-verify", "--result", "good.json", option, value]);
        printed += &seen.after(option);
    }
    insta::assert_snapshot!(printed);
    let names = [".claude", "a.conf", "bad.json", "good.json"];
    assert_eq!(desk.names(""), names, "only the kept report is new");
}

#[test]
fn an_agent_may_tighten_the_check_and_never_loosen_it() {
    let desk = with_file();
    for (option, value, code) in [
        ("--sample-rate", "0.14", 3),
        ("--sample-rate", "1", 0),
        ("--line-slack", "1", 3),
        ("--line-slack", "0", 0),
        ("--quote-match", "loose", 3),
        ("--quote-match", "eol", 0),
        ("--on-unclear", "pass", 3),
        ("--on-unclear", "fail", 0),
    ] {
        let seen = desk.crosscheck(["cf-verify", "--result", "good.json", option, value]);
        assert_eq!(seen.code, code, "{option} {value}: {}", seen.summary());
    }
}

#[test]
fn an_agent_undoes_no_tightening_of_the_user() {
    let desk = with_file();
    desk.user_config(
        "[claims]\nrisk = \"high\"\nsample_rate = 1\nselect = \"all\"\nevidence_mode = \"all\"\nquote_match = \"exact\"\non_unclear = \"fail\"\n",
    );
    for (option, value, code) in [
        ("--risk", "low", 3),
        ("--risk", "high", 0),
        ("--sample-rate", "0.5", 3),
        ("--select", "random", 3),
        ("--select", "all", 0),
        ("--evidence-mode", "any", 3),
        ("--quote-match", "eol", 3),
        ("--on-unclear", "partial", 3),
    ] {
        let seen = desk.crosscheck(["cf-verify", "--result", "good.json", option, value]);
        assert_eq!(seen.code, code, "{option} {value}: {}", seen.summary());
        assert_eq!(seen.stderr, "", "{option}");
    }
}

/// Every option of `claims` is either harmless in the hands of an agent,
/// checked against what is configured, or refused. A new one must be sorted.
#[test]
fn every_option_of_claims_is_sorted_for_agents() {
    const HARMLESS: [&str; 39] = [
        "result",
        "batch",
        "out",
        "seed",
        "strict-hash",
        "strict-schema",
        "confine",
        "extended",
        "no-persist",
        "ignore-settings",
        "format",
        "compact",
        "max-file-bytes",
        "max-snippet-bytes",
        "jobs",
        "quiet",
        "verbose",
        "color",
        "help",
        "judge",
        "judge-model",
        "judge-answers",
        "judge-structured",
        "judge-timeout",
        "judge-fallback",
        "judge-first",
        "judge-budget",
        "no-judge-cache",
        "host-concurrency",
        "host-request-interval",
        "timeout",
        "max-retries",
        "retry-wait",
        "max-redirects",
        "max-body",
        "require-https",
        "robots",
        "user-agent",
        "offline",
    ];
    const COMPARED: [&str; 7] = [
        "sample-rate",
        "risk",
        "select",
        "evidence-mode",
        "line-slack",
        "quote-match",
        "on-unclear",
    ];
    let desk = with_file();
    let help = desk.crosscheck(["claims", "--help"]).stdout;
    let options = help.lines().filter_map(|line| {
        let start = line.trim_start();
        let start = start
            .get(4..)
            .filter(|_| start.as_bytes().get(1) != Some(&b'-'))
            .unwrap_or(start);
        let name = start.strip_prefix("--")?.split([' ', '=']).next()?;
        (line.len() - line.trim_start().len() <= 6).then(|| name.to_owned())
    });
    let mut count = 0;
    for option in options {
        count += 1;
        if HARMLESS.contains(&option.as_str()) || COMPARED.contains(&option.as_str()) {
            continue;
        }
        let words = ["cf-verify", "--result", "good.json"];
        let option = format!("--{option}");
        for value in [
            None,
            Some("1"),
            Some("x:1"),
            Some("a=b"),
            Some("x:443:127.0.0.1"),
        ] {
            let more = [Some(option.as_str()), value];
            let seen = desk.crosscheck(words.into_iter().chain(more.into_iter().flatten()));
            assert_eq!(seen.code, 3, "{option}: {}", seen.summary());
        }
    }
    assert!(count > 60, "{count}: {help}");
}

#[test]
fn an_agent_cannot_guess_a_secret_by_quoting_it() {
    let desk = with_file();
    desk.file(".env", "# a\nTOKEN=swordfish\n");
    let answers = ["TOKEN=s", "TOKEN=x"].map(|guess| {
        let document = document("t", "The token is set", guess).replace("a.conf", ".env");
        let seen = desk.crosscheck(["cf-verify", "--result", &document, "--select", "all"]);
        (seen.code, seen.stdout.replace(guess, ""))
    });
    assert_eq!(answers[0], answers[1]);
    assert_ne!(answers[0].0, 0, "nothing was established");
}

#[test]
fn an_agent_names_no_place_outside_reports_of_its_own() {
    let desk = with_file();
    desk.file("notes.json", "{\"mine\": true}");
    desk.home_file("victim.json", "mine");
    let outside = desk.home().join("victim.json").display().to_string();
    std::os::unix::fs::symlink(desk.home(), desk.path().join("link")).unwrap();
    for out in [
        "notes.json",
        "good.json",
        "new.txt",
        ".bashrc.json",
        ".claude/settings.json",
        "link/new.json",
        "../new.json",
        &outside,
    ] {
        for more in [&[][..], &["--bogus"]] {
            let words = ["cf-verify", "--result", "good.json", "--out", out];
            let seen = desk.crosscheck(words.iter().chain(more));
            assert_eq!((seen.code, seen.stderr.as_str()), (3, ""), "{out}");
        }
    }
    assert_eq!(desk.read("notes.json"), "{\"mine\": true}");
    assert_eq!(fs::read_to_string(outside).unwrap(), "mine");
    assert!(!desk.path().join("new.txt").exists() && !desk.home().join("new.json").exists());
    for _ in 0..2 {
        let seen = desk.crosscheck(["cf-verify", "--result", "good.json", "--out", "sub/o.json"]);
        assert_eq!(
            (seen.code, desk.read("sub/o.json")),
            (0, seen.stdout),
            "new, then its own"
        );
    }
}

#[test]
fn an_agent_reads_no_document_outside_and_sees_no_text_of_private_files() {
    let desk = with_file();
    let outside = desk.home_file("other.json", desk.read("good.json"));
    let seen = desk.crosscheck(["cf-verify", "--result", &outside.display().to_string()]);
    assert_eq!(seen.code, 3, "{}", seen.summary());

    desk.file(".env", "# a\nAPI_KEY=do-not-show-this-text\n# b\n");
    desk.file("ignored.conf", "# a\ndo-not-show-this-text\n# b\n");
    desk.file(".gitignore", "ignored.conf\n");
    crate::workspace_hostile::git(&desk, &["init", "-q"]);
    for file in [".env", "ignored.conf"] {
        let document = desk.read("good.json").replace("a.conf", file);
        desk.file("lie.json", document);
        for format in ["human", "json", "markdown", "html"] {
            let words = [
                "--result", "lie.json", "--select", "all", "--format", format,
            ];
            let seen = desk.crosscheck(["cf-verify"].iter().chain(&words));
            assert!(
                !seen.stdout.contains("do-not-show"),
                "{file}: {}",
                seen.stdout
            );
            assert!(!seen.stdout.contains("snippet_sha256"), "{file}");
        }
        let words = ["claims", "--result", "lie.json", "--format", "human"];
        let seen = desk.crosscheck(words);
        // a person sees the line, though not the value of a key
        let shown = if file == ".env" {
            "API_KEY=***"
        } else {
            "do-not-show"
        };
        assert!(seen.stdout.contains(shown), "{file}: {}", seen.stdout);
    }
}

#[test]
fn the_plugin_calls_the_hook_and_lets_the_agent_stop_without_the_program() {
    let read = |file: &str| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(folder().join(file)).unwrap()).unwrap()
    };
    assert_eq!(read(".claude-plugin/plugin.json")["name"], "crosscheck");
    let hooks = read("hooks/hooks.json");
    for event in ["Stop", "SubagentStop"] {
        let command = &hooks["hooks"][event][0]["hooks"][0]["command"];
        assert_eq!(command, "\"${CLAUDE_PLUGIN_ROOT}\"/hooks/done", "{event}");
    }
    let empty = tempfile::tempdir().unwrap();
    let output = std::process::Command::new("/bin/sh")
        .arg(folder().join("hooks/done"))
        .env("PATH", empty.path())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(said["systemMessage"].is_string(), "{said}");
}
