//! Prompts, made from the files under `prompts/` (workspace 8).

use std::path::Path;

use crate::config::Depth;
use crate::read::metadata::Mode;

/// The values of a verification prompt.
#[derive(Debug, Clone, Copy)]
pub struct VerifyPrompt<'a> {
    /// Name of the workspace.
    pub name: &'a str,
    /// Its folder.
    pub workspace: &'a Path,
    /// The project.
    pub project: &'a Path,
    /// The path of the report.
    pub report: &'a Path,
    /// How the agent worked.
    pub mode: Mode,
    /// How thorough the check is.
    pub depth: Depth,
    /// Whether the judge writes the file itself.
    pub writes_file: bool,
}

impl VerifyPrompt<'_> {
    /// The text.
    pub fn text(&self) -> String {
        let report = self.report.display().to_string();
        let (rule, step) = if self.writes_file {
            (
                "The only file you write is the report.".to_owned(),
                format!(
                    "Write the report to {report}. Without that file your work does not count."
                ),
            )
        } else {
            (
                "You write no file at all.".to_owned(),
                "Answer with the report: your whole answer is the report and nothing else."
                    .to_owned(),
            )
        };
        fill(
            include_str!("../../prompts/verify.md"),
            &[
                ("name", self.name),
                ("workspace", &self.workspace.display().to_string()),
                ("project", &self.project.display().to_string()),
                ("report", &report),
                ("mode", self.mode.word()),
                ("depth", self.depth.word()),
                ("delivery_rule", &rule),
                ("delivery_step", &step),
                ("mode_rules", mode_rules(self.mode)),
                ("depth_rules", depth_rules(self.depth)),
            ],
        )
    }
}

const fn mode_rules(mode: Mode) -> &'static str {
    match mode {
        Mode::Loop => include_str!("../../prompts/mode-loop.md"),
        Mode::Iterative => include_str!("../../prompts/mode-iterative.md"),
    }
}

const fn depth_rules(depth: Depth) -> &'static str {
    match depth {
        Depth::Quick => include_str!("../../prompts/depth-quick.md"),
        Depth::Standard => include_str!("../../prompts/depth-standard.md"),
        Depth::Deep => include_str!("../../prompts/depth-deep.md"),
    }
}

/// The system text of a verification.
pub fn system(project: &Path, workspace: &Path) -> String {
    fill(
        include_str!("../../prompts/system.md"),
        &[
            ("project", &project.display().to_string()),
            ("workspace", &workspace.display().to_string()),
        ],
    )
}

/// The system text of an iteration.
pub fn iteration_system(project: &Path, workspace: &Path, mode: Mode) -> String {
    let pace = match mode {
        Mode::Loop => include_str!("../../prompts/pace-loop.md"),
        Mode::Iterative => include_str!("../../prompts/pace-iterative.md"),
    };
    fill(
        include_str!("../../prompts/system-iterate.md"),
        &[
            ("project", &project.display().to_string()),
            ("workspace", &workspace.display().to_string()),
            ("pace", pace),
        ],
    )
}

/// Instructions, then the rules for the status file.
pub fn iteration(instructions: &str, workspace: &Path, mode: Mode) -> String {
    let rules = match mode {
        Mode::Loop => include_str!("../../prompts/status-loop.md"),
        Mode::Iterative => include_str!("../../prompts/status-iterative.md"),
    };
    let rules = fill(rules, &[("workspace", &workspace.display().to_string())]);
    format!("{}\n\n---\n\n{rules}", instructions.trim_end())
}

/// Replaces `{{name}}`.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    fill_between(("{{", "}}"), template, values)
}

/// Replaces names between two marks in one pass: values are never expanded
/// again, so their contents stay unchanged.
pub(crate) fn fill_between(
    (opens, closes): (&str, &str),
    template: &str,
    values: &[(&str, &str)],
) -> String {
    let mut text = String::with_capacity(template.len() + 256);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once(opens) {
        text.push_str(before);
        let value = after.split_once(closes).and_then(|(name, behind)| {
            let (_, value) = values.iter().find(|(token, _)| *token == name)?;
            Some((value, behind))
        });
        if let Some((value, behind)) = value {
            text.push_str(value);
            rest = behind;
        } else {
            text.push_str(opens);
            rest = after;
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Confidence, Report};
    use crate::status::WorkspaceStatus;

    fn prompt(project: &str, mode: Mode, depth: Depth) -> String {
        VerifyPrompt {
            name: "demo",
            workspace: Path::new("/p/w/demo"),
            project: Path::new(project),
            report: Path::new("/p/w/demo/r.md"),
            mode,
            depth,
            writes_file: true,
        }
        .text()
    }

    #[test]
    fn every_prompt_is_filled_and_names_one_depth() {
        for mode in [Mode::Loop, Mode::Iterative] {
            for depth in [Depth::Quick, Depth::Standard, Depth::Deep] {
                let text = prompt("/p", mode, depth);
                assert!(!text.contains("{{"), "{text}");
                assert_eq!(text.matches("Verification depth: ").count(), 1);
                let line = format!("Verification depth: {}", depth.word());
                assert!(text.lines().any(|one| one == line));
                for part in [
                    "demo",
                    "/p/w/demo/r.md",
                    "### Incomplete Requirements",
                    "**Confidence Level**:",
                    "**Recommended Action**:",
                    "## Files Reviewed",
                    "⚠️ NEEDS REVIEW",
                ] {
                    assert!(text.contains(part), "{part}");
                }
            }
            assert!(!iteration_system(Path::new("/p"), Path::new("/w"), mode).contains("{{"));
            assert!(!iteration("do", Path::new("/w"), mode).contains("{{"));
        }
        assert!(!system(Path::new("/p"), Path::new("/w")).contains("{{"));
    }

    #[test]
    fn a_value_is_never_read_as_a_template() {
        for project in ["/p/$&", "/p/{{depth}}", "/p/{{", "/p/}}"] {
            let text = prompt(project, Mode::Loop, Depth::Deep);
            assert!(
                text.contains(&format!("- Project directory: {project}\n")),
                "{text}"
            );
        }
    }

    #[test]
    fn a_report_in_the_form_that_we_ask_for_is_read_completely() {
        let text = prompt("/p", Mode::Loop, Depth::Standard);
        let (_, form) = text.split_once("exactly like this:\n").unwrap();
        let form = form
            .replace("(the verdict line)", "❌ INCOMPLETE")
            .replace("High|Medium|Low", "High");
        let report = Report::read(form.as_bytes());
        let parsed = &report.parsed;
        assert_eq!(
            (parsed.status, parsed.confidence),
            (WorkspaceStatus::Fail, Confidence::High)
        );
        assert_eq!(parsed.issues.len(), 2);
        assert!(parsed.summary.starts_with("One paragraph") && !parsed.summary.contains('❌'));
        assert_eq!(parsed.recommended_action, "one sentence");
        assert_eq!(report.claims.len(), 2);
    }

    #[test]
    fn a_confidence_that_was_not_filled_in_does_not_count() {
        let text = prompt("/p", Mode::Loop, Depth::Standard);
        assert!(
            text.contains("\n**Confidence Level**: High|Medium|Low\n"),
            "{text}"
        );
        let (_, form) = text.split_once("exactly like this:\n").unwrap();
        let report = Report::read(form.as_bytes());
        assert_eq!(report.parsed.confidence, Confidence::Medium);
    }

    #[test]
    fn the_iteration_prompt_separates_task_and_rules() {
        let text = iteration("# Task\n\n", Path::new("/w"), Mode::Loop);
        assert!(text.starts_with("# Task\n\n---\n\n") && text.contains("/w/.status.json"));
    }
}
