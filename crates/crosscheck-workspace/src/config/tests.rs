//! How the layers are merged.

use crosscheck_core::files::write_atomic;

use super::*;

struct Stage {
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

fn stage(files: &[(&str, &str)]) -> Stage {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        write_atomic(&folder.path().join(name), text.as_bytes()).unwrap();
    }
    Stage {
        folder,
        variables: Vec::new(),
    }
}

impl Stage {
    fn load(&self) -> Result<Settings, WorkspaceError> {
        Settings::load(&Surroundings {
            project: self.folder.path().join("p"),
            home: None,
            config_home: Some(self.folder.path().join("c")),
            variables: self.variables.clone(),
            program: "crosscheck workspace".to_owned(),
            workspaces_dir: None,
        })
    }

    fn error(&self) -> String {
        self.load().unwrap_err().to_string()
    }
}

/// What was typed: guards, or nothing.
fn typed(guards: Option<Guards>) -> Layer {
    let key = WORKSPACE.key("verification.guards").unwrap();
    let values = guards.map(|guards| (&WORKSPACE, key, json!(guards.word())));
    Layer::of_options(values.into_iter().collect())
}

fn metadata(config: &str) -> Metadata {
    Metadata::parse(&format!(
        r#"{{"name":"d","created":"2025-10-15T10:00:00Z","config":{config}}}"#
    ))
    .unwrap()
}

#[test]
fn a_layer_changes_only_the_keys_it_contains() {
    let mut stage = stage(&[
        (
            "c/claude-iterate/config.json",
            r#"{"verification":{"depth":"deep","maxAttempts":3},"outputLevel":"quiet"}"#,
        ),
        (
            "c/crosscheck/config.toml",
            "[workspace.verification]\nmax_attempts = 4\n",
        ),
        (
            "p/.claude-iterate.json",
            "\u{FEFF}{\"claude\":{\"command\":\"a\"},\"unknown\":1}",
        ),
        (
            "p/crosscheck.toml",
            "[workspace]\noutput_level = 'verbose'\n",
        ),
    ]);
    let settings = stage.load().unwrap();
    assert_eq!(
        (settings.depth(), settings.chosen.max_attempts),
        (Depth::Deep, 4)
    );
    assert_eq!(settings.chosen.claude_command, "a");
    assert_eq!(settings.output_level(), OutputLevel::Verbose);

    let own = metadata(r#"{"verification":{"maxAttempts":5,"depth":"quick"}}"#);
    let settings = settings
        .under(typed(None))
        .unwrap()
        .with_workspace(&own)
        .unwrap();
    assert_eq!(
        (settings.depth(), settings.chosen.max_attempts),
        (Depth::Quick, 5)
    );

    stage.variables = vec![(
        "CROSSCHECK_WORKSPACE_VERIFICATION_MAX_ATTEMPTS".to_owned(),
        "6".to_owned(),
    )];
    let settings = stage
        .load()
        .unwrap()
        .under(typed(None))
        .unwrap()
        .with_workspace(&own)
        .unwrap();
    assert_eq!(
        (settings.depth(), settings.chosen.max_attempts),
        (Depth::Quick, 6)
    );
}

#[test]
fn a_wrong_value_names_layer_key_and_range() {
    assert_eq!(
        stage(&[(
            "p/.claude-iterate.json",
            r#"{"verification":{"maxAttempts":11}}"#
        )])
        .error(),
        "Invalid configuration: Project config: verification.maxAttempts: must be between 1 and 10, got 11"
    );
    assert_eq!(
        stage(&[(
            "c/crosscheck/config.toml",
            "[workspace.verification]\nmax_attempts = 0\n"
        )])
        .error(),
        "Invalid configuration: User config: verification.max_attempts: must be between 1 and 10, got 0"
    );
    let mut environment = stage(&[]);
    environment.variables = vec![("CROSSCHECK_WORKSPACE_COLORS".to_owned(), "maybe".to_owned())];
    assert_eq!(
        environment.error(),
        "Invalid configuration: Environment config: CROSSCHECK_WORKSPACE_COLORS: must be true or false, got \"maybe\""
    );
    let workspace = stage(&[])
        .load()
        .unwrap()
        .under(typed(None))
        .unwrap()
        .with_workspace(&metadata(r#"{"verification":{"depth":"Deep"}}"#));
    assert!(
        workspace
            .unwrap_err()
            .to_string()
            .contains("Workspace config: verification.depth: must be one of quick, standard, deep")
    );
    for (file, text) in [
        ("p/.claude-iterate.json", "{"),
        ("p/.claude-iterate.json", "[]"),
        ("p/crosscheck.toml", "a="),
    ] {
        assert!(
            stage(&[(file, text)])
                .error()
                .starts_with("Invalid configuration: Project config: "),
            "{text}"
        );
    }
}

#[test]
fn an_unknown_key_of_ours_names_the_nearest_known_one() {
    assert!(
        stage(&[(
            "p/crosscheck.toml",
            "[workspace.verification]\nmax_atempts = 1\n"
        )])
        .error()
        .ends_with(
            "verification.max_atempts: unknown key; did you mean verification.max_attempts?"
        )
    );
    let mut environment = stage(&[]);
    environment.variables = vec![("CROSSCHECK_WORKSPACE_COLOURS".to_owned(), "1".to_owned())];
    assert!(
        environment
            .error()
            .ends_with("did you mean CROSSCHECK_WORKSPACE_COLORS?")
    );
}

#[test]
fn strict_guards_let_no_file_of_the_project_choose_the_judge_or_loosen() {
    let files = &[(
        "p/.claude-iterate.json",
        r#"{"claude":{"command":"evil"},"verification":{"autoVerify":false}}"#,
    )];
    let own = metadata(r#"{"claude":{"args":["-x"]},"verification":{"depth":"quick"}}"#);
    let settings = stage(files).load().unwrap();
    let usual = settings
        .under(typed(None))
        .unwrap()
        .with_workspace(&own)
        .unwrap();
    assert_eq!(
        (
            usual.chosen.claude_command.clone(),
            usual.depth(),
            usual.chosen.auto_verify
        ),
        ("evil".to_owned(), Depth::Quick, false)
    );
    assert_eq!(usual.warnings(), Vec::<String>::new());

    let settings = stage(files).load().unwrap();
    let strict = settings
        .under(typed(Some(Guards::Strict)))
        .unwrap()
        .with_workspace(&own)
        .unwrap();
    assert_eq!(
        (
            strict.chosen.claude_command.clone(),
            strict.depth(),
            strict.chosen.auto_verify
        ),
        ("claude".to_owned(), Depth::Standard, true)
    );
    assert_eq!(strict.chosen.claude_args, Vec::<String>::new());
    let keys: Vec<String> = strict
        .warnings()
        .iter()
        .filter_map(|text| Some(text.split_once(" is ignored")?.0.to_owned()))
        .collect();
    assert_eq!(
        keys,
        [
            ".claude-iterate.json: claude.command",
            ".claude-iterate.json: verification.autoVerify",
            ".metadata.json: claude.args",
            ".metadata.json: verification.depth",
        ]
    );
}

#[test]
fn strict_guards_may_come_from_the_project_and_apply_to_its_files() {
    let settings = stage(&[
        (
            "p/crosscheck.toml",
            "[workspace.verification]\nguards = 'strict'\n",
        ),
        ("p/.claude-iterate.json", r#"{"claude":{"command":"evil"}}"#),
    ]);
    let settings = settings.load().unwrap();
    let settings = settings
        .under(typed(None))
        .unwrap()
        .with_workspace(&metadata("{}"))
        .unwrap();
    assert_eq!(settings.guards(), Guards::Strict);
    assert_eq!(settings.chosen.claude_command, "claude");
}

#[test]
fn strict_guards_do_not_let_the_agent_choose_the_notification_address() {
    let own = metadata(r#"{"notifyUrl":"http://169.254.169.254/latest"}"#);
    let load = |guards| {
        let settings = stage(&[]).load().unwrap();
        settings
            .under(typed(guards))
            .unwrap()
            .with_workspace(&own)
            .unwrap()
    };
    let strict = load(Some(Guards::Strict));
    assert_eq!(
        (strict.chosen.notify_url.clone(), strict.warnings().len()),
        (None, 1)
    );
    let address = "http://169.254.169.254/latest".to_owned();
    assert_eq!(load(None).chosen.notify_url, Some(address));
}

#[test]
fn arrays_in_variables_are_json_and_judges_come_from_files() {
    let mut stage = stage(&[(
        "c/crosscheck/config.toml",
        "[workspace]\njudge = 'mine'\n[workspace.judges.mine]\ncommand = 'x'\n",
    )]);
    stage.variables = vec![(
        "CROSSCHECK_WORKSPACE_CLAUDE_ARGS".to_owned(),
        r#"["a","b"]"#.to_owned(),
    )];
    let settings = stage.load().unwrap();
    assert_eq!(settings.chosen.claude_args, ["a", "b"]);
    assert_eq!(
        (
            settings.chosen.judge.as_str(),
            settings.profile("mine").unwrap().command.as_str()
        ),
        ("mine", "x")
    );
    assert!(
        settings
            .profile("yours")
            .unwrap_err()
            .to_string()
            .contains("mine")
    );
}
