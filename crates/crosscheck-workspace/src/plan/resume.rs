//! The text with which a run resumes after a failed verification
//! (workspace 13).

use std::fmt::Write as _;
use std::path::Path;

/// Issue names come from an LLM: one line, and limited in length.
pub fn short_issue(issue: &str) -> String {
    let line: String = issue
        .chars()
        .map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c })
        .collect();
    line.chars().take(300).collect()
}

/// The findings, followed by the original instructions.
pub fn text(issues: &[String], report: &Path, instructions: &str) -> String {
    let mut list = String::new();
    for (at, issue) in issues.iter().enumerate() {
        let _ = writeln!(list, "{}. {}", at + 1, short_issue(issue));
    }
    if list.is_empty() {
        list.push_str("See report for details\n");
    }
    let report = report.display();
    format!(
        "---\n\
         **VERIFICATION FINDINGS** (Previous Run)\n\n\
         The previous run claimed completion but verification found {count} issue(s).\n\n\
         **Verification Report**: {report}\n\n\
         **Issues to Address**:\n{list}\n\
         **Your Job This Iteration**:\n\
         1. Read the full verification report at: {report}\n\
         2. Focus ONLY on the gaps identified above\n\
         3. Complete the missing/partial work\n\
         4. Update .status.json accurately when done\n\n\
         **Do NOT**:\n\
         - Rework items that were verified complete\n\
         - Ignore the verification findings\n\
         - Mark complete until ALL gaps are addressed\n\n\
         ---\n\n\
         {instructions}",
        count = issues.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_the_contract_s_with_the_instructions_at_its_end() {
        let text = text(
            &["One".to_owned(), "Two\nlines".to_owned()],
            Path::new("/w/r.md"),
            "# Task\n",
        );
        assert_eq!(
            text,
            "---\n**VERIFICATION FINDINGS** (Previous Run)\n\nThe previous run claimed completion but verification found 2 issue(s).\n\n**Verification Report**: /w/r.md\n\n**Issues to Address**:\n1. One\n2. Two lines\n\n**Your Job This Iteration**:\n1. Read the full verification report at: /w/r.md\n2. Focus ONLY on the gaps identified above\n3. Complete the missing/partial work\n4. Update .status.json accurately when done\n\n**Do NOT**:\n- Rework items that were verified complete\n- Ignore the verification findings\n- Mark complete until ALL gaps are addressed\n\n---\n\n# Task\n"
        );
    }

    #[test]
    fn without_names_the_report_is_named_and_long_names_are_cut() {
        assert!(
            text(&[], Path::new("/r"), "x")
                .contains("**Issues to Address**:\nSee report for details\n")
        );
        assert_eq!(short_issue(&"ä".repeat(400)).chars().count(), 300);
    }
}
