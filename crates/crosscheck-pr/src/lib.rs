//! The text of a pull request against its diff: files, symbols, tests, counts, commits, scripts and
//! results of checks. Facts come from git and from the results that the user names; nothing of the
//! repository is checked out or run.

mod error;
mod judge;
mod observe;
pub mod read;
pub mod reasons;
mod report;

use std::path::PathBuf;

use crosscheck_process::git::Git;

pub use error::PrError;
pub use read::checks::CheckResults;
pub use read::event::PrEvent;
pub use report::PrReport;

use read::Claim;

/// Claims of one run; what is beyond is counted, not checked.
const MAX_CLAIMS: usize = 2000;

/// What one run is asked to do.
#[derive(Debug, Clone)]
pub struct PrRequest {
    /// A folder inside the repository.
    pub repository: PathBuf,
    /// Where the change began: the merge base of this and the head is compared with the head.
    pub base: String,
    /// Where it ends.
    pub head: String,
    /// Texts about the whole change.
    pub texts: Vec<PrText>,
    /// Whether the messages of the commits are checked, each against its own diff.
    pub has_commits: bool,
    /// Results of tests and other checks.
    pub checks: Option<CheckResults>,
    /// Whether a text without a claim is fine.
    pub allow_empty: bool,
}

/// A text, and what it is called in the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrText {
    /// `title`, `body`, `comment 2`, `commit 1a2b3c4d`.
    pub name: String,
    /// The text, as Markdown.
    pub text: String,
}

/// Checks the texts.
pub fn verify(request: &PrRequest) -> Result<PrReport, PrError> {
    let git = Git::without_filters(&request.repository);
    let range = observe::range(&git, &request.base, &request.head)?;
    let mut report = PrReport::new(&range, request.allow_empty);
    let whole: Vec<Claim> = request.texts.iter().flat_map(read::claims).collect();
    check(&git, &range, whole, request.checks.as_ref(), &mut report)?;
    if request.has_commits {
        let commits = observe::commits(&git, &range)?;
        report.leave_out(commits.left_out, "commits");
        for commit in commits.read {
            let claims = read::claims(&commit.text);
            check(
                &git,
                &commit.range,
                claims,
                request.checks.as_ref(),
                &mut report,
            )?;
        }
    }
    Ok(report)
}

/// Checks claims that are about one diff.
fn check(
    git: &Git,
    range: &observe::Range,
    mut claims: Vec<Claim>,
    checks: Option<&CheckResults>,
    report: &mut PrReport,
) -> Result<(), PrError> {
    let room = MAX_CLAIMS.saturating_sub(report.len());
    report.leave_out(claims.len().saturating_sub(room), "claims");
    claims.truncate(room);
    if claims.is_empty() {
        return Ok(());
    }
    let facts = observe::facts(git, range, &claims)?;
    for claim in claims {
        if let Some(finding) = judge::claim(&claim, &facts, checks) {
            report.push(&claim, finding);
        }
    }
    Ok(())
}
