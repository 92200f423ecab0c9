use super::*;

const CONTRARY_LINES: [&str; 59] = [
    "Verdict: **NOT** VERIFIED",
    "NOT  VERIFIED",
    "Verdict: NOT_VERIFIED",
    "Verdict: NOT-VERIFIED",
    "Verdict: NOT\u{A0}VERIFIED",
    "Verdict: IN\u{200B}COMPLETE",
    "⚠️ INCOMPLETE: see below",
    "⚠ NOT COMPLETE",
    ":x: INCOMPLETE: tests",
    "Verdict (final): INCOMPLETE",
    "Final: FAIL",
    "Verdict: PARTIAL",
    "Verdict: FAILURE",
    "Verdict: REJECTED",
    "Verdict: NOT YET COMPLETE",
    "NOT PASSED",
    "VERIFICATION NOT PASSED",
    "INCOMPLETE: tests are missing",
    "FAILED: tests missing",
    "Verdict: \u{1B}[31mFAILED\u{1B}[0m",
    "ＶＥＲＤＩＣＴ： INCOMPLETE",
    "Verdict: ~~VERIFIED~~ NOT VERIFIED",
    "❌ No tests exist",
    "❌ No error handling",
    "❌ None of the tests exist",
    "❌ Tests: 0 of 3 are written",
    "❌ README is not written as required",
    "Verdict: FAIL, as expected",
    "INCOMPLETE: none of the files exist",
    "__Final Status__: __NOT VERIFIED__",
    "❌ NOT VERIFIED",
    "❌ three files are absent",
    "- ❌ `a.rs`",
    "Verdict: INCOMPLETE",
    "**Verdict**: incomplete",
    "**Verdict:** Not verified, two files are absent",
    "### Final Status: ❌ NOT VERIFIED",
    "Overall Result – FAIL",
    "Overall: FAILED (3 of 5)",
    "1. **Verification Status:** Not complete",
    "VERIFICATION FAILED",
    "Verification failed.",
    "**NOT VERIFIED**",
    "- [ ] NOT COMPLETE",
    "INCOMPLETE: 3 of 5 files",
    "FAILED because the tests do not run",
    "🔴 FAILED – see below",
    "| Verdict | INCOMPLETE |",
    "The final verdict is INCOMPLETE",
    "Verdict: the work is incomplete",
    "Verdict = FAIL",
    "<h2>VERIFICATION FAILED</h2>",
    "Result： FAIL",
    "Status: ⛔ not verified",
    "> Verdict: FAIL",
    "Verdict: \u{2717} FAIL",
    "**Final Status** — **❌ INCOMPLETE**",
    "Final Status -> NOT VERIFIED",
    "Conclusion: Verification incomplete",
];

#[test]
fn contrary_lines_are_recognised_behind_any_decoration() {
    for line in CONTRARY_LINES {
        assert_eq!(
            said(line, false),
            Some(Said::Verdict(Marker::Incomplete)),
            "{line}"
        );
    }
    for line in [
        "Incomplete",
        "### Failed",
        "**Incomplete:**",
        "_FAILED_",
        "## VERIFICATION FAILED",
        "### ❌ Failed Checks",
        "## Not Verified",
    ] {
        assert_eq!(
            said(line, false),
            Some(Said::Section(Marker::Incomplete)),
            "{line}"
        );
        assert_eq!(
            said(line, true),
            Some(Said::Verdict(Marker::Incomplete)),
            "{line}"
        );
    }
    assert_eq!(
        said("Incomplete, two are absent", true),
        Some(Said::Verdict(Marker::Incomplete))
    );
}

#[test]
fn honest_lines_are_not_contrary() {
    for line in [
        "- ❌ Incomplete: 0",
        "**❌ Missing:** none",
        "**❌ Failed:** 0",
        "❌ Issues: none",
        "❌ No failing tests",
        "- FAIL → PASS after fix",
        "1. ❌ → ✅ was missing, now present",
        "- ~~❌ tests missing~~ fixed",
        "- ❌ ~~tests missing~~ (fixed)",
        "- ❌ wrong password → rejected, as required",
        "- ❌ Not applicable: Windows support",
        "Result: partial uploads are resumed",
        "Outcome: fails with exit code 2 when the file is absent",
        "FAILED appears nowhere in the log.",
        "Previous verdict: INCOMPLETE",
        "Status before this session: INCOMPLETE",
        "### Incomplete Requirements",
        "## INCOMPLETE REQUIREMENTS",
        "### ❌ Incomplete Requirements",
        "Requirements Not Met",
        "- Failed: 0",
        "- FAILED: none",
        "FAIL 0, PASS 12",
        "Failed login attempts are logged",
        "Incomplete sentences were rewritten",
        "Fail-over was tried",
        "Result: fail-over works",
        "Status: complete",
        "Test result: 12 passed, 0 failed",
        "Result: Failed: 0",
        "FAILED TESTS",
        "Verdict: COMPLETE",
        "no failed tests",
        "❌ None",
        "Legend: ✅ met, ❌ not met",
        "The status is shown in the header",
        "1.5 FAILED",
        "FAIL_FAST is set",
    ] {
        let verdict = said(line, false);
        assert!(
            !matches!(
                verdict,
                Some(Said::Verdict(Marker::Incomplete) | Said::Section(_))
            ),
            "{line}: {verdict:?}"
        );
    }
}

#[test]
fn a_label_announces_the_next_line() {
    for line in [
        "## Verdict",
        "**Final Status:**",
        "Overall result",
        "# The Verdict #",
    ] {
        assert_eq!(said(line, false), Some(Said::Label), "{line}");
    }
    for line in ["## Summary", "Verdict of the other tool was ignored"] {
        assert_eq!(said(line, false), None, "{line}");
    }
}

#[test]
fn a_pass_marker_is_a_verdict_alone_or_behind_a_label() {
    for line in [
        "✅ VERIFIED COMPLETE",
        "- **✅ VERIFIED**.",
        "## ✅ VERIFIED COMPLETE",
        "**Final Status**: ✅ VERIFIED (5 of 5)",
    ] {
        assert_eq!(
            said(line, false),
            Some(Said::Verdict(Marker::Verified)),
            "{line}"
        );
    }
    assert_eq!(said("1. ✅ VERIFIED greeting file", false), None);
}

#[test]
fn a_quoted_verdict_counts_as_the_whole_line_or_value() {
    for line in [
        "Verdict: `❌ INCOMPLETE`",
        "**Verdict: `NOT VERIFIED`**",
        "`INCOMPLETE`",
        "Verdict: \"INCOMPLETE\"",
        "| Verdict | `INCOMPLETE` |",
    ] {
        assert_eq!(
            said_in_quotes(line, false),
            Some(Marker::Incomplete),
            "{line}"
        );
    }
    for line in [
        "`FAILED` is printed when the file is absent",
        "It prints `VERIFICATION FAILED`",
        "- `test_fail` ✅",
        "Requirement: \"exit 1 with FAILED\" — met.",
    ] {
        assert_eq!(said_in_quotes(line, false), None, "{line}");
    }
}
