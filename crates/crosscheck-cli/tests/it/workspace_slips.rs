//! Slips of the pen in settings and options of workspaces are told.

use crate::workspace::stage;

#[test]
fn a_misspelt_table_is_an_error_that_names_the_one_that_was_meant() {
    let desk = stage("report pass");
    for (text, said) in [
        (
            "[workspac.verification]\nguards = \"strict\"\n",
            "workspac: unknown table; did you mean workspace?",
        ),
        (
            "[workspce]\nworkspaces_dir = \"w\"\n",
            "workspce: unknown table; did you mean workspace?",
        ),
    ] {
        desk.file("crosscheck.toml", text);
        let seen = desk.crosscheck(["verify", "demo"]);
        assert!(
            seen.code != 0 && seen.stderr.contains(said),
            "{}",
            seen.summary()
        );
        let seen = desk.crosscheck(["sources", "--log", "."]);
        assert!(
            seen.code == 3 && seen.stderr.contains("unknown table"),
            "{}",
            seen.summary()
        );
    }
    desk.file("crosscheck.toml", "[sources]\njobs = 2\n");
    let seen = desk.crosscheck(["verify", "demo"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
}

#[test]
fn a_check_without_a_judge_refuses_to_be_given_one() {
    let desk = stage("report pass");
    let seen = desk.crosscheck(["workspace", "check", "demo", "--judge", "claude"]);
    assert!(
        seen.code != 0 && seen.stderr.contains("asks no judge"),
        "{}",
        seen.summary()
    );
    let plain = desk.crosscheck(["workspace", "check", "demo"]);
    let none = desk.crosscheck(["workspace", "check", "demo", "--judge", "none"]);
    assert_eq!((plain.code, plain.stdout), (none.code, none.stdout));
}
