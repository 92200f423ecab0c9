//! Slips of the pen in settings and options of workspaces are reported.

use crate::workspace::stage;

#[test]
fn a_misspelt_table_is_an_error_that_names_the_one_that_was_meant() {
    let desk = stage("report pass");
    let mut shown = String::new();
    for text in [
        "[workspac.verification]\nguards = \"strict\"\n",
        "[workspce]\nworkspaces_dir = \"w\"\n",
    ] {
        desk.file("crosscheck.toml", text);
        shown += &format!("{text}{}", desk.talk(["verify demo", "sources --log ."]));
    }
    insta::assert_snapshot!(shown);
    desk.file("crosscheck.toml", "[sources]\njobs = 2\n");
    let seen = desk.crosscheck(["verify", "demo"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
}

#[test]
fn a_check_without_a_judge_refuses_to_be_given_one() {
    let desk = stage("report pass");
    insta::assert_snapshot!(desk.talk(["workspace check demo --judge claude"]));
    let plain = desk.crosscheck(["workspace", "check", "demo"]);
    let none = desk.crosscheck(["workspace", "check", "demo", "--judge", "none"]);
    assert_eq!((plain.code, plain.stdout), (none.code, none.stdout));
}
