//! Who may configure what: the file of a project only ever tightens a check.
//!
//! The rules for every key are tested beside the list of keys; here the
//! commands are run against projects whose agent tries to steer the check.

use crosscheck_testkit::{Desk, Reply, Seen, Site};
use serde_json::Value;

use crate::claims::with_file;
use crate::desk;

const PAGE: &str = "<!doctype html><html lang=\"en\"><head><title>Salt works</title></head><body><h1>Salt works</h1>\
    <p>The salt works harvest 65 tonnes of grey salt each season, and the harvest is weighed by a second clerk.</p>\
    <p>Everything was checked before it was printed, and doubtful entries were left out by the editors.</p></body></html>";

/// A document that cites a page which does not exist.
fn invented(site: &Site) -> Desk {
    let desk = desk();
    desk.file(
        "a.md",
        format!(
            "The salt works harvest 65 tonnes of grey salt each season ([notes]({}/gone)).\n",
            site.base()
        ),
    );
    desk
}

fn sources(desk: &Desk, more: &[&str]) -> Seen {
    let words = [
        &[
            "sources",
            "a.md",
            "--allow-private",
            "--retry-wait",
            "0",
            "--host-request-interval",
            "0",
            "--report",
            "r.json",
        ],
        more,
    ];
    desk.crosscheck(words.concat())
}

/// What `doctor` says about the configuration; the rest is about this machine.
pub(crate) fn about_configuration(doctor: &Seen) -> String {
    let lines = doctor.stdout.lines();
    let lines = lines.skip_while(|line| *line != "Configuration").skip(1);
    let lines: Vec<&str> = lines.take_while(|line| line.starts_with(' ')).collect();
    doctor.neutral(&lines.join("\n"))
}

fn json(desk: &Desk) -> Value {
    serde_json::from_str(&desk.read("r.json")).unwrap()
}

#[test]
fn no_setting_of_a_project_makes_an_invented_source_pass() {
    let site = Site::start(|asked| match asked.target.as_str() {
        "/gone" => Reply::new(404).body(PAGE),
        _ => Reply::html(PAGE),
    });
    let mut shown = String::new();
    for setting in [
        "accept = \"404\"".to_owned(),
        "exclude = [\".\"]".to_owned(),
        "include = [\"nothing\"]".to_owned(),
        format!(
            "archive = \"{}/archive/{{url}}\"\narchive_404 = true",
            site.base()
        ),
        "status_overrides = { http_404 = \"verified\" }".to_owned(),
        "status_overrides = { http_404 = \"suspect\" }".to_owned(),
        "timeout = 0.000001".to_owned(),
    ] {
        let desk = invented(&site);
        desk.file("crosscheck.toml", format!("[sources]\n{setting}\n"));
        let seen = sources(&desk, &[]);
        assert_eq!(seen.code, 1, "{setting}: {}", seen.summary());
        let notices = json(&desk)["notices"].clone();
        let doctor = about_configuration(&desk.crosscheck(["doctor"]));
        shown += &format!("{setting}\n{}{notices:#}\n{doctor}\n", seen.stderr);
    }
    insta::assert_snapshot!(shown.replace(&site.base(), "[SITE]"));
}

#[test]
fn a_page_that_a_project_planted_in_a_cache_is_not_read() {
    let desk = desk();
    {
        let site = Site::start(|_| Reply::html(PAGE));
        desk.file(
            "a.md",
            format!(
                "The salt works harvest 65 tonnes of grey salt each season ([notes]({}/a)).\n",
                site.base()
            ),
        );
        let kept = sources(&desk, &["--cache-dir", "planted"]);
        assert_eq!(kept.code, 0, "{}", kept.summary());
    }
    let own = sources(&desk, &["--cache-dir", "planted"]);
    assert_eq!(
        own.code,
        0,
        "who names the folder means it: {}",
        own.summary()
    );
    desk.file("crosscheck.toml", "[sources]\ncache = \"planted\"\n");
    let seen = sources(&desk, &[]);
    assert_eq!(seen.code, 2, "{}", seen.summary());
}

#[test]
fn what_an_ignore_file_lists_stays_undecided_and_is_counted() {
    let site = Site::start(|_| Reply::new(404));
    let desk = invented(&site);
    desk.file(".crosscheckignore", "# all of it\n.\n");
    let seen = sources(&desk, &[]);
    insta::assert_snapshot!(seen.summary(), @r"
    exit 2
    --- stdout
    sources a.md: undecided
    1 checked: 0 confirmed, 0 refuted (0 of them: no such page), 1 undecided; 0 skipped, 0 lint findings; judged by builtin/2
    note: .crosscheckignore lists 1 cited URL(s), which were not checked and stay undecided; to leave URLs out yourself, pass --exclude

    undecided  s0  http://127.0.0.1:[PORT]/gone — The salt works harvest 65 tonnes of grey salt each season.
               IGNORED_BY_PROJECT  an ignore file of the project lists the URL, so it was not checked
               place               a.md:1:60

    What to do next
      IGNORED_BY_PROJECT  remove the line from the file; to leave URLs out yourself, pass --exclude

    0 refuted, 1 undecided, 0 confirmed
    --- stderr
    warning: .crosscheckignore lists 1 cited URL(s), which were not checked and stay undecided; to leave URLs out yourself, pass --exclude
    ");
    assert_eq!(site.connections(), 0);
    assert_eq!(json(&desk)["results"][0]["code"], "ignored_by_project");
}

#[test]
fn no_setting_of_a_project_makes_a_false_claim_pass() {
    for setting in [
        "line_slack = 100000",
        "on_unclear = \"pass\"",
        "quote_match = \"loose\"",
        "offline = true",
        "max_file_bytes = 1",
        "sample_rate = 0.01",
    ] {
        let desk = with_file();
        desk.file("crosscheck.toml", format!("[claims]\n{setting}\n"));
        let seen = desk.crosscheck(["claims", "--result", "bad.json", "--details", "d.json"]);
        assert_eq!(seen.code, 1, "{setting}: {}", seen.summary());
        let key = setting.split(' ').next().unwrap();
        let said = format!("warning: crosscheck.toml: claims.{key} is ignored: ");
        assert!(seen.stderr.starts_with(&said), "{}", seen.stderr);
        let details: Value = serde_json::from_str(&desk.read("d.json")).unwrap();
        assert_eq!(
            details["warnings"][0]["code"], "setting_ignored",
            "{setting}"
        );

        let quiet = desk.crosscheck(["cf-verify", "--result", "bad.json"]);
        assert_eq!(quiet.code, 1, "{setting}: {}", quiet.summary());
        assert!(!quiet.stderr.contains("ignored"), "{}", quiet.stderr);
    }
}

/// A judge that leaves a trace where it ran, and answers.
const JUDGE: &str = "touch ran; cat > /dev/null; echo '{\"verdict\":\"supports\",\"span\":\"default port = 8080\",\"reason\":\"r\"}'";

fn judge_table() -> String {
    format!("[judge]\nkind = \"command\"\ncommand = [\"sh\", \"-c\", {JUDGE:?}]\n")
}

#[test]
fn a_project_starts_no_judge_and_its_user_can() {
    let desk = with_file();
    desk.file("crosscheck.toml", judge_table());
    let seen = desk.crosscheck(["claims", "--result", "good.json"]);
    insta::assert_snapshot!(seen.stderr, @r"
    warning: crosscheck.toml: judge.command is ignored: it names a program, and a file of the project under check must not; set it on the command line, with the variable CROSSCHECK_JUDGE_COMMAND or in the user's configuration
    warning: crosscheck.toml: judge.kind is ignored: it decides what is believed, and a file of the project under check must not; set it on the command line, with the variable CROSSCHECK_JUDGE_KIND or in the user's configuration
    1 of 1 claims were checked, none is left; the first claims are not a random sample, so no bound can be given
    ");
    assert_eq!(seen.code, 0);
    assert!(!desk.path().join("ran").exists());
    let named = [
        "claims",
        "--result",
        "good.json",
        "--config",
        "crosscheck.toml",
    ];
    let seen = desk.crosscheck(named);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert!(
        desk.path().join("ran").exists(),
        "who names the file means it"
    );

    let desk = with_file();
    desk.user_config(&judge_table());
    let seen = desk.crosscheck(["claims", "--result", "good.json"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert!(desk.path().join("ran").exists());
}

#[test]
fn a_home_inside_the_project_is_the_agents_and_not_the_users() {
    let mut shown = String::new();
    for (variable, value, folder) in [
        ("HOME", ".", ".config"),
        ("HOME", "[DESK]", ".config"),
        ("XDG_CONFIG_HOME", "settings", "settings"),
        ("XDG_CONFIG_HOME", "[DESK]/settings", "settings"),
    ] {
        let desk = with_file();
        desk.file(&format!("{folder}/crosscheck/config.toml"), judge_table());
        let desk_path = desk.at("");
        let desk = desk.variable(variable, value.replace("[DESK]", &desk_path));
        let seen = desk.crosscheck(["claims", "--result", "good.json"]);
        assert_eq!(seen.code, 0, "{}", seen.summary());
        assert!(!desk.path().join("ran").exists(), "{variable}");
        shown += &format!(
            "{variable}={value}\n{}\n{}\n",
            seen.summary(),
            about_configuration(&desk.crosscheck(["doctor"]))
        );
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_home_in_the_repository_around_the_project_is_the_agents() {
    let mut shown = String::new();
    for (marker, folder, args) in [
        (".git", "sub", &["cf-verify", "--result", "good.json"][..]),
        (".git", "sub", &["claims", "--result", "good.json"]),
        (".hg", "sub", &["claims", "--result", "good.json"]),
        (".jj", "sub", &["cf-verify", "--result", "good.json"]),
        (".svn", "sub", &["claims", "--result", "good.json"]),
        (
            "crosscheck.toml",
            "sub",
            &["claims", "--result", "good.json"],
        ),
        // also when the check is started elsewhere
        (
            "other",
            "../home",
            &["claims", "--result", "../desk/good.json"],
        ),
        (
            ".git",
            "../home",
            &["claims", "--root", "../desk/sub", "--result", "good.json"],
        ),
    ] {
        let desk = with_file();
        for name in ["a.conf", "good.json"] {
            desk.file(&format!("sub/{name}"), desk.read(name));
            desk.home_file(name, desk.read(name));
        }
        desk.file(marker, "");
        desk.file("top/.config/crosscheck/config.toml", judge_table());
        let mut command = desk.command(args);
        command
            .current_dir(desk.path().join(folder))
            .env("HOME", desk.path().join("top"));
        let seen = desk.seen(&command.output().unwrap());
        let ran = ["ran", "sub/ran", "../home/ran"].map(|name| desk.path().join(name).exists());
        assert_eq!(ran, [false; 3], "{marker} {args:?}: {}", seen.summary());
        shown += &format!("{marker}\n{}", seen.after(&args.join(" ")));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_home_beside_the_documents_excludes_no_source() {
    let desk = with_file();
    desk.file("repo/docs/a.md", "See <https://a.invalid/>.\n");
    desk.file(
        "repo/.config/crosscheck/config.toml",
        "[sources]\nexclude = [\".\"]\n",
    );
    let home = desk.path().join("repo");
    let seen = |args: &[&str]| {
        let mut command = desk.command(args);
        command.current_dir(desk.home()).env("HOME", &home);
        desk.seen(&command.output().unwrap())
    };
    let mut shown = String::new();
    for document in ["../desk/repo", "../desk/repo/docs/a.md"] {
        if document.ends_with("a.md") {
            std::fs::create_dir(home.join(".git")).unwrap();
        }
        let seen = seen(&["sources", "--offline", document]);
        shown += &seen.after(document);
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn answers_that_the_agent_could_have_planted_are_not_remembered() {
    let desk = with_file();
    desk.file("crosscheck.toml", judge_table());
    let args = [
        "claims",
        "--result",
        "good.json",
        "--config",
        "crosscheck.toml",
    ];
    let desk = desk.variable("XDG_CACHE_HOME", "remembered");
    let seen = desk.crosscheck(args);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert!(!desk.path().join("remembered").exists());
}

#[test]
fn a_table_that_no_command_reads_is_refused_by_all_of_them() {
    let desk = with_file();
    desk.file("a.md", "x\n");
    desk.file("crosscheck.toml", "[quick]\ndb = \"app.db\"\n");
    insta::assert_snapshot!(desk.talk(["claims --result good.json", "sources a.md"]));
    let doctor = desk.crosscheck(["doctor"]);
    assert_eq!(doctor.code, 2);
    insta::assert_snapshot!(about_configuration(&doctor));
}

#[test]
fn a_slip_in_the_configuration_is_answered_with_what_was_meant() {
    let desk = with_file();
    let mut shown = String::new();
    for text in [
        "[claims]\nriks = \"low\"\n",
        "[clams]\n",
        "[claims]\nrisk = \"huge\"\n",
        "[fetch]\nallow_cidr = [\"everything\"]\n",
        "[claims\n",
    ] {
        desk.user_config(text);
        shown += &format!("{text}{}", desk.talk(["claims --result good.json"]));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_wrong_value_that_may_be_a_secret_is_not_repeated() {
    let desk = with_file();
    for name in [
        "SOURCES_BASIC_AUTH",
        "SOURCES_HEADERS",
        "SOURCES_REMAP",
        "SOURCES_SEARCH_COMMAND",
        "WORKSPACE_NOTIFY_URL",
        "JUDGE_COMMAND",
        "JUDGE_URL",
        "LEDGER_FILE",
    ] {
        let variable = format!("CROSSCHECK_{name}");
        for value in [
            "host u:geheim",
            r#"["host u:geheim", 5]"#,
            r#"[["u:geheim"]]"#,
            r#"{"host":"u: geheim"}"#,
            r#"{"host":["u: geheim"]}"#,
            r#"{"host":{"u":["geheim"]}}"#,
        ] {
            for words in [&["doctor"][..], &["claims", "--result", "good.json"]] {
                let mut command = desk.command(words);
                let output = command.env(&variable, value).output().unwrap();
                let seen = desk.seen(&output);
                let shown = format!("{}{}", seen.stdout, seen.stderr);
                assert!(!shown.contains("geheim"), "{variable}={value}: {shown}");
            }
        }
    }
    let mut command = desk.command(["doctor"]);
    command.env("CROSSCHECK_SOURCES_BASIC_AUTH", "host u:geheim");
    let doctor = desk.seen(&command.output().unwrap());
    insta::assert_snapshot!(about_configuration(&doctor));
}

#[test]
fn what_tightens_above_a_home_inside_the_project_counts() {
    let desk = with_file();
    desk.file("crosscheck.toml", "[done]\nstrictness = \"nonsense\"\n");
    desk.file("home/work/message.md", "Done.\n");
    let mut command = desk.command(["done", "check", "--message", "message.md"]);
    command
        .current_dir(desk.path().join("home/work"))
        .env("HOME", desk.path().join("home"));
    insta::assert_snapshot!(desk.seen(&command.output().unwrap()).summary());
}
