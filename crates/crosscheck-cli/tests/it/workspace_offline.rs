//! What a check without an LLM tells.

use crate::workspace::{FOLDER, stage};
use crate::workspace_hostile::git;

#[test]
fn a_named_path_outside_the_project_is_not_said_to_exist() {
    let desk = stage("report pass");
    desk.file("there.txt", "x");
    desk.file(
        &format!("{FOLDER}/INSTRUCTIONS.md"),
        "- `there.txt`\n- `gone.txt`\n- `../../nope-zzz.txt`\n- `/nope/zzz.txt`\n",
    );
    desk.crosscheck(["workspace", "check", "demo"]);
    insta::assert_snapshot!(desk.neutral(&format!("{FOLDER}/verification-report.md")));
}

#[test]
fn changed_files_are_listed_and_a_cut_list_says_so() {
    let desk = stage("report pass");
    git(&desk, &["init", "-q"]);
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "start"]);
    desk.file("new.txt", "x");
    // another time, the same text: no change, and git's index stays as it is
    let same = std::fs::File::options()
        .append(true)
        .open(desk.path().join("llm/pass.md"));
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(100);
    same.unwrap().set_modified(later).unwrap();
    let index = || std::fs::read(desk.path().join(".git/index")).unwrap();
    let before = index();
    let many: Vec<String> = (0..203).map(|at| format!("- `f{at}.txt`")).collect();
    desk.file(&format!("{FOLDER}/INSTRUCTIONS.md"), many.join("\n"));
    desk.crosscheck(["workspace", "check", "demo"]);
    insta::assert_snapshot!(desk.neutral(&format!("{FOLDER}/verification-report.md")));
    assert!(index() == before, "the index was written");
}
