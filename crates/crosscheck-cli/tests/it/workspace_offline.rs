//! What a check without an LLM tells.

use crate::workspace::{FOLDER, stage};

#[test]
fn a_named_path_outside_the_project_is_not_said_to_exist() {
    let desk = stage("report pass");
    desk.file("there.txt", "x");
    desk.file(
        &format!("{FOLDER}/INSTRUCTIONS.md"),
        "- `there.txt`\n- `gone.txt`\n- `../../nope-zzz.txt`\n- `/nope/zzz.txt`\n",
    );
    desk.crosscheck(["workspace", "check", "demo"]);
    let report = desk.read(&format!("{FOLDER}/verification-report.md"));
    for line in [
        "there.txt (exists)",
        "gone.txt (does not exist)",
        "../../nope-zzz.txt (outside the project, not looked at)",
        "/nope/zzz.txt (outside the project, not looked at)",
    ] {
        let line = format!("- Named in the instructions: {line}\n");
        assert!(report.contains(&line), "{line}{report}");
    }
}
