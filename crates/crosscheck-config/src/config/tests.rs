//! Merging layers, and what a project cannot do.

use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use super::*;
use crate::TABLES;
use crate::tables::{CLAIMS, FETCH, JUDGE, SOURCES, WORKSPACE};

/// A project and a user's folder.
struct Stage(tempfile::TempDir);

impl Stage {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            #[expect(clippy::disallowed_methods, reason = "a test lays out its files")]
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn places(&self) -> Places {
        Places {
            root: self.0.path().join("project"),
            user_folder: Some(self.0.path().join("user")),
            ..Places::default()
        }
    }

    fn load(&self) -> Result<Config, ConfigError> {
        Config::load(&self.places())
    }
}

fn project(text: &str) -> Config {
    Stage::new(&[("project/crosscheck.toml", text)])
        .load()
        .unwrap()
}

fn user_and_project(user: &str, project: &str) -> Config {
    Stage::new(&[
        ("user/crosscheck/config.toml", user),
        ("project/crosscheck.toml", project),
    ])
    .load()
    .unwrap()
}

fn notices(config: &Config) -> Vec<String> {
    config.notices().map(ToString::to_string).collect()
}

#[test]
fn the_last_layer_wins_for_each_key() {
    let stage = Stage::new(&[
        (
            "user/crosscheck/config.toml",
            "[sources]\njobs = 5\ntimeout = 30\n",
        ),
        ("project/crosscheck.toml", "[sources]\njobs = 7\n"),
    ]);
    let mut places = stage.places();
    places.variables = vec![
        ("CROSSCHECK_SOURCES_TIMEOUT".to_owned(), "40".to_owned()),
        ("CROSSCHECK_TEST_OTHER".to_owned(), "x".to_owned()),
    ];
    let config = Config::load(&places).unwrap();
    assert_eq!(config.value(&SOURCES, "jobs"), Some(&json!(7)));
    assert_eq!(config.value(&FETCH, "timeout"), Some(&json!(40.0)));
    assert_eq!(notices(&config), Vec::<String>::new());
}

#[test]
fn a_named_file_replaces_the_two_others_and_counts_in_full() {
    let stage = Stage::new(&[
        ("user/crosscheck/config.toml", "[claims]\nrisk = \"high\"\n"),
        ("project/crosscheck.toml", "[claims]\nline_slack = 9\n"),
    ]);
    let mut places = stage.places();
    places.named = Some(places.root.join("crosscheck.toml"));
    let config = Config::load(&places).unwrap();
    assert_eq!(config.value(&CLAIMS, "risk"), None);
    assert_eq!(config.value(&CLAIMS, "line_slack"), Some(&json!(9)));
    assert_eq!(config.notices().count(), 0);
}

/// Keys with which a project could loosen a check, by table.
const LOOSENING: &[(&Table, &str, &str)] = &[
    (&FETCH, "cache_dir", "\".\""),
    (&SOURCES, "archive", "\"http://agent.example/{url}\""),
    (&SOURCES, "archive_404", "true"),
    (&FETCH, "accept", "\"404\""),
    (&SOURCES, "exclude", "[\".\"]"),
    (&SOURCES, "include", "[\"nothing\"]"),
    (&FETCH, "timeout", "0.001"),
    (&FETCH, "max_redirects", "0"),
    (&FETCH, "max_redirects", "21"),
    (&FETCH, "host_request_interval", "6"),
    (&FETCH, "timeout", "3600"),
    (&FETCH, "max_retries", "100"),
    (&FETCH, "retry_wait", "3600"),
    (&SOURCES, "status_overrides", "{ not_found = \"suspect\" }"),
    (&FETCH, "headers", "{ \"h\" = { Cookie = \"x\" } }"),
    (&FETCH, "user_agent", "\"x\""),
    (&SOURCES, "spot_check_rate", "0"),
    (&SOURCES, "search_command", "[\"x\"]"),
    (&CLAIMS, "line_slack", "100000"),
    (&CLAIMS, "on_unclear", "\"pass\""),
    (&CLAIMS, "quote_match", "\"loose\""),
    (&CLAIMS, "risk", "\"low\""),
    (&CLAIMS, "sample_rate", "0.01"),
    (&CLAIMS, "select", "\"random\""),
    (&CLAIMS, "seed", "\"7\""),
    (&CLAIMS, "offline", "true"),
    (&CLAIMS, "max_file_bytes", "1"),
    (&CLAIMS, "max_snippet_bytes", "1"),
    (&CLAIMS, "search_command", "[\"x\"]"),
    (&FETCH, "allow_private", "true"),
    (&FETCH, "allow_downgrade", "true"),
    (&FETCH, "require_https", "true"),
    (&FETCH, "robots", "true"),
    (&FETCH, "max_body", "1"),
    (&JUDGE, "kind", "\"command\""),
    (&JUDGE, "command", "[\"x\"]"),
    (&JUDGE, "url", "\"http://x\""),
    (&JUDGE, "api_key_env", "\"AWS_SECRET_ACCESS_KEY\""),
    (&JUDGE, "replay", "\"answers\""),
    (&JUDGE, "cache_dir", "\".\""),
    (&JUDGE, "timeout", "0"),
    (&JUDGE, "budget", "0"),
    (&WORKSPACE, "verification.guards", "\"off\""),
    (&WORKSPACE, "verification.guards", "\"warn\""),
    (&WORKSPACE, "verification.depth", "\"quick\""),
    (&WORKSPACE, "verification.auto_verify", "false"),
    (&WORKSPACE, "verification.test_command", "[\"true\"]"),
    (&WORKSPACE, "claude.command", "\"x\""),
    (&WORKSPACE, "claude.args", "[\"--settings\", \"x\"]"),
    (&WORKSPACE, "judge", "\"none\""),
    (&WORKSPACE, "judges", "{ m = { command = \"x\" } }"),
    (&WORKSPACE, "notify_url", "\"http://x\""),
    (&WORKSPACE, "workspaces_dir", "\"../elsewhere\""),
    (&WORKSPACE, "workspaces_dir", "\"./inside\""),
];

fn line(table: &Table, key: &str, value: &str) -> String {
    format!("[{}]\n{key} = {value}\n", table.name)
}

#[test]
fn a_project_cannot_loosen_a_check_but_the_user_can() {
    for (table, key, value) in LOOSENING {
        let text = line(table, key, value);
        let found = project(&text);
        assert_eq!(found.value(table, key), None, "{text}");
        let said = notices(&found);
        assert_eq!(said.len(), 1, "{text}: {said:?}");
        let opening = format!("crosscheck.toml: {}.{key} is ignored: ", table.name);
        assert!(said[0].starts_with(&opening), "{said:?}");

        let own = Stage::new(&[("user/crosscheck/config.toml", text.as_str())]);
        let own = own.load().unwrap();
        assert!(own.value(table, key).is_some(), "{text}");
        assert_eq!(own.notices().count(), 0, "{text}");
    }
}

#[test]
fn a_project_can_tighten_a_check() {
    for (table, key, value, kept) in [
        (&CLAIMS, "risk", "\"high\"", json!("high")),
        (&CLAIMS, "select", "\"all\"", json!("all")),
        (&CLAIMS, "confine", "true", json!(true)),
        (&CLAIMS, "on_unclear", "\"fail\"", json!("fail")),
        (&CLAIMS, "quote_match", "\"exact\"", json!("exact")),
        (&FETCH, "timeout", "60", json!(60.0)),
        (
            &SOURCES,
            "unreliable_domains",
            "[\"a.example\"]",
            json!(["a.example"]),
        ),
        (&JUDGE, "cache", "false", json!(false)),
        (
            &WORKSPACE,
            "verification.guards",
            "\"strict\"",
            json!("strict"),
        ),
    ] {
        let found = project(&line(table, key, value));
        assert_eq!(found.value(table, key), Some(&kept), "{key}");
        assert_eq!(notices(&found), Vec::<String>::new(), "{key}");
    }
}

#[test]
fn a_project_cannot_undo_what_the_user_tightened() {
    for (table, key, user, found) in [
        (&CLAIMS, "confine", "true", "false"),
        (&CLAIMS, "risk", "\"high\"", "\"medium\""),
        (&CLAIMS, "sample_rate", "0.9", "\"0.5\""),
        (&CLAIMS, "quote_match", "\"exact\"", "\"eol\""),
        (&FETCH, "max_cache_age", "60", "3600"),
        (&JUDGE, "cache", "false", "true"),
        (
            &WORKSPACE,
            "verification.guards",
            "\"strict\"",
            "\"enforce\"",
        ),
    ] {
        let alone = user_and_project(&line(table, key, user), "");
        let both = user_and_project(&line(table, key, user), &line(table, key, found));
        assert_eq!(both.value(table, key), alone.value(table, key), "{key}");
        assert_eq!(both.notices().count(), 1, "{key}");
    }
}

#[test]
fn lists_of_a_project_grow_or_shrink_as_the_key_says() {
    let user = "[sources]\nunreliable_domains = [\"a\"]\n[fetch]\nallow_cidr = [\"10.0.0.0/8\", \"10.1.0.0/16\"]\n";
    let found = "[sources]\nunreliable_domains = [\"b\"]\n[fetch]\nallow_cidr = [\"10.1.0.0/16\", \"0.0.0.0/0\"]\n";
    let config = user_and_project(user, found);
    assert_eq!(
        config.value(&SOURCES, "unreliable_domains"),
        Some(&json!(["a", "b"]))
    );
    assert_eq!(
        config.value(&FETCH, "allow_cidr"),
        Some(&json!(["10.1.0.0/16"]))
    );
    assert_eq!(config.notices().count(), 1);
}

#[test]
fn a_users_file_that_the_agent_could_write_does_not_count() {
    let stage = Stage::new(&[(
        "project/.config/crosscheck/config.toml",
        "[claims]\nline_slack = 9\n",
    )]);
    for folder in [
        stage.places().root.join(".config"),
        PathBuf::from(".config"),
    ] {
        let places = Places {
            user_folder: Some(folder.clone()),
            ..stage.places()
        };
        let config = Config::load(&places).unwrap();
        assert_eq!(config.value(&CLAIMS, "line_slack"), None, "{folder:?}");
        assert_eq!(config.notices().count(), 1, "{folder:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_users_file_behind_a_link_to_the_project_does_not_count() {
    let stage = Stage::new(&[(
        "project/planted/crosscheck/config.toml",
        "[claims]\nline_slack = 9\n",
    )]);
    let link = stage.0.path().join("user");
    std::os::unix::fs::symlink(stage.places().root.join("planted"), link).unwrap();
    let config = stage.load().unwrap();
    assert_eq!(config.value(&CLAIMS, "line_slack"), None);
    assert_eq!(config.notices().count(), 1);
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_known_one() {
    for (text, said) in [
        (
            "[claims]\nriks = 1\n",
            "claims.riks: unknown key; did you mean claims.risk?",
        ),
        ("[clams]\n", "clams: unknown table; did you mean claims?"),
        (
            "[traces-of-runs]\n",
            "traces-of-runs: no command reads this table; the tables are claims, ",
        ),
        (
            "[quick]\ndb = \"x\"\n",
            "quick: no command reads this table",
        ),
        ("claims = 5\n", "claims: must be a table"),
        (
            "[workspace]\nclaude = 5\n",
            "workspace.claude: must be a table",
        ),
        (
            "[workspace]\nmax_attempts = 5\n",
            "workspace.max_attempts: unknown key; did you mean workspace.verification.max_attempts?",
        ),
        (
            "[claims]\nrisk = \"huge\"\n",
            "claims.risk: must be one of low, medium, high, got \"huge\"",
        ),
    ] {
        let error = Stage::new(&[("project/crosscheck.toml", text)])
            .load()
            .unwrap_err();
        let said = format!("crosscheck.toml: {said}");
        assert!(error.to_string().starts_with(&said), "{error}");
    }
    let mut places = Stage::new(&[]).places();
    places.variables = vec![("CROSSCHECK_CLAIMS_RIKS".to_owned(), "x".to_owned())];
    let error = Config::load(&places).unwrap_err().to_string();
    assert_eq!(
        error,
        "CROSSCHECK_CLAIMS_RIKS: unknown variable; did you mean CROSSCHECK_CLAIMS_RISK?"
    );
}

#[test]
fn a_syntax_error_shows_no_secret() {
    for text in [
        "[judge]\nkey = S3cret\n",
        "[judge]\n\"S3cret\" \"x\"\n",
        "[judge]\nurl = \"S3cret\n",
        "[judge]\nurl = \"\\S3cret\"\n",
        "S3cret",
        "[S3cret\n",
        "[judge]\nS3cret = 1\nS3cret = 2\n",
        "[judge]\nurl = 12S3cret\n",
    ] {
        let error = Stage::new(&[("project/crosscheck.toml", text)])
            .load()
            .unwrap_err();
        let error = error.to_string();
        assert!(!error.contains("S3cret"), "{error}");
        assert!(error.starts_with("crosscheck.toml: line "), "{error}");
    }
}

#[test]
fn a_table_that_its_owner_cannot_use_is_named_with_file_and_key() {
    #[derive(Debug, Deserialize)]
    struct Owner {
        #[serde(default)]
        #[expect(dead_code, reason = "only read")]
        status_overrides: BTreeMap<String, u8>,
    }
    let text = "[sources]\nstatus_overrides = { a = \"x\" }\n";
    let stage = Stage::new(&[("user/crosscheck/config.toml", text)]);
    let error = stage.load().unwrap().read::<Owner>(&SOURCES).unwrap_err();
    assert_eq!(error.key, "sources.status_overrides");
    assert!(error.file.unwrap().ends_with("config.toml"));
}

#[test]
fn the_reference_and_the_schema_have_every_key() {
    let page = crate::reference();
    let schema = crate::schema();
    for table in TABLES {
        for key in table.keys {
            assert!(
                page.contains(&format!("| `{}` |", key.path)),
                "{}",
                key.path
            );
            let pointer = key.path.replace('.', "/properties/");
            let pointer = format!("/properties/{}/properties/{pointer}", table.name);
            assert!(schema.pointer(&pointer).is_some(), "{pointer}");
        }
    }
}
