//! `crosscheck claims` and its configuration.

use serde_json::Value;

use crate::claims::{document, with_file};

#[test]
fn flags_win_over_variables_over_the_project_over_the_user() {
    let desk = with_file();
    desk.user_config("[claims]\nselect = \"stratified\"\nrisk = \"high\"\n");
    let selection = |args: &[&str], variable: Option<&str>| {
        let mut all = vec![
            "claims",
            "--result",
            "good.json",
            "--details",
            "details.json",
        ];
        all.extend(args);
        let mut command = desk.command(&all);
        if let Some(word) = variable {
            command.env("CROSSCHECK_CLAIMS_SELECT", word);
        }
        let seen = desk.seen(&command.output().unwrap());
        assert_eq!(seen.code, 0, "{}", seen.summary());
        let details: Value = serde_json::from_str(&desk.read("details.json")).unwrap();
        format!(
            "{} {}",
            details["selection"]["mode"].as_str().unwrap(),
            details["selection"]["rate"].as_str().unwrap()
        )
    };
    assert_eq!(selection(&[], None), "stratified 0.30");
    desk.file("crosscheck.toml", "[claims]\nselect = \"all\"\n");
    assert_eq!(selection(&[], None), "all 0.30");
    assert_eq!(selection(&[], Some("random")), "random 0.30");
    assert_eq!(
        selection(&["--select", "first", "--risk", "low"], Some("all")),
        "first 0.05"
    );
    desk.file("other.toml", "[claims]\nsample_rate = 0.28\n");
    assert_eq!(
        selection(&["--config", "other.toml"], None),
        "first 0.28",
        "a named file stands alone"
    );
}

#[test]
fn confinement_and_its_exceptions_can_be_configured() {
    let desk = with_file();
    let outside = document("t", "The default port is 8080", "port = 8080")
        .replace("\"a.conf\"", "\"../a.conf\"");
    desk.file("inner/result.json", outside);
    let run = |args: &[&str]| {
        let mut all = vec!["claims", "--result", "result.json", "--root", "inner"];
        all.extend(args);
        desk.crosscheck(all).code
    };
    assert_eq!(run(&[]), 0);
    desk.file("inner/crosscheck.toml", "[claims]\nconfine = true\n");
    assert_eq!(run(&[]), 2);
    assert_eq!(run(&["--allow-outside-root"]), 0);
    desk.file(
        "inner/crosscheck.toml",
        "[claims]\nconfine = true\nallow_paths = [\"..\"]\npersist = false\n",
    );
    let kept = desk.path().join("inner/.claude");
    std::fs::remove_dir_all(&kept).unwrap();
    assert_eq!(run(&["--config", "inner/crosscheck.toml"]), 0);
    assert!(!kept.exists(), "persist = false keeps nothing");
}

#[test]
fn a_variable_loosens_what_the_project_under_check_cannot() {
    let desk = with_file();
    let mut command = desk.command(["claims", "--result", "good.json"]);
    command.env("CROSSCHECK_CLAIMS_ON_UNCLEAR", "pass");
    command.env("CROSSCHECK_FETCH_ALLOW_PRIVATE", "true");
    let seen = desk.seen(&command.output().unwrap());
    assert_eq!(seen.code, 0, "{}", seen.summary());
}

#[test]
fn an_allowed_folder_that_is_missing_is_named_with_its_option() {
    let shown = with_file().talk(["claims --result good.json --confine --allow-path /nonexist"]);
    insta::assert_snapshot!(shown);
}

#[test]
fn offline_an_endpoint_hears_nothing() {
    let desk = with_file();
    let endpoint = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    endpoint.set_nonblocking(true).unwrap();
    let url = format!("http://{}/v1", endpoint.local_addr().unwrap());
    let asking = |more: &[&str]| {
        let mut args = vec!["claims", "--result", "good.json", "--no-persist"];
        args.extend(["--offline", "--no-judge-cache", "--details", "d.json"]);
        args.extend(["--judge", "http", "--judge-url", &url]);
        args.extend(["--judge-model", "m"]);
        args.extend(more);
        let seen = desk.crosscheck(&args);
        let details: Value = serde_json::from_str(&desk.read("d.json")).unwrap();
        let code = details["claims"][0]["evidence"][0]["code"].clone();
        (seen.code, code.as_str().unwrap().to_owned())
    };
    assert_eq!(asking(&[]), (2, "judge_error".to_owned()));
    let fallback = asking(&["--judge-fallback", "builtin"]);
    assert_eq!(fallback, (0, "supported".to_owned()));
    let nobody = endpoint.accept().unwrap_err();
    assert_eq!(nobody.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn the_help_of_cf_verify_offers_only_what_it_takes() {
    let desk = with_file();
    // that of `claims` is on the page of commands
    insta::assert_snapshot!(desk.talk(["cf-verify --help"]));
    for option in [
        "--judge-command",
        "--judge-url",
        "--judge-api-key-env",
        "--judge-cache",
        "--search-command",
        "--config",
        "--allow-private",
        "--allow-cidr",
        "--header",
        "--host-header",
        "--basic-auth",
        "--cache-dir",
        "--resolve",
        "--dns-fixture",
    ] {
        let value = (option != "--allow-private").then_some("1.2.3.4/8");
        let words = ["cf-verify", "--result", "good.json", option];
        let seen = desk.crosscheck(words.into_iter().chain(value));
        assert_eq!(seen.code, 3, "{option}: {}", seen.summary());
    }
}
