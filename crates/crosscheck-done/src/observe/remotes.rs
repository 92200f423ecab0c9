//! Remote branches besides the upstream, and what a session did to them.

use crosscheck_process::git::Git;

use crate::opinion::{Opinion, Trace};
use crate::read::session::Session;

/// Every command line of a session.
pub(super) fn commands(session: &Session) -> impl Iterator<Item = &str> {
    let runs = session.runs.iter().map(|run| &*run.command);
    runs.chain(session.others.iter().map(|(_, command)| &**command))
}

/// Whether the upstream is a branch of this repository.
pub(super) fn is_local(git: &Git) -> bool {
    let name = git.ask(&["rev-parse", "--symbolic-full-name", "@{upstream}"]);
    name.is_ok_and(|name| name.starts_with("refs/heads/"))
}

/// Another remote branch that has every commit, unless the words speak of the
/// upstream.
pub(super) fn other(git: &Git, upstream: &str, quote: &str) -> Option<String> {
    let format = "--format=%(refname:lstrip=2)";
    let args = ["for-each-ref", "--contains", "HEAD", format, "refs/remotes"];
    let text = git.ask(&args).ok()?;
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
    let has = |name: &str| {
        let mut words = quote.split(|c: char| !is_word(c));
        words.any(|word| word.trim_end_matches('.') == name)
    };
    let (remote, branch) = upstream.split_once('/')?;
    let fits = |name: &&str| {
        let Some((its_remote, its_branch)) = name.split_once('/') else {
            return false;
        };
        let is_meant = |own: &str, its: &str| own == its || !has(own) || has(its);
        its_branch != "HEAD"
            && (has(name)
                || !has(upstream) && is_meant(remote, its_remote) && is_meant(branch, its_branch))
    };
    text.lines().find(fits).map(str::to_owned)
}

/// Whether the last push went where git keeps no remote branch of it, and no
/// commit came later: to a review, or to an address.
pub(super) fn is_unseen(session: &Session, shown: &Opinion) -> bool {
    const NEW: [&str; 4] = ["commit", "merge", "cherry-pick", "revert"];
    let push = shown.proof.iter().find_map(|trace| match trace {
        Trace::Run { step, command, .. } => Some((*step, command)),
        _ => None,
    });
    let Some((step, command)) = push else {
        return false;
    };
    let is_address = |word: &str| {
        word.contains("://") || word.contains('@') || word.starts_with(['/', '.']) && word != "."
    };
    let behind = command.split("push").nth(1).unwrap_or_default();
    let behind = behind
        .split([';', '&', '|', '\n'])
        .next()
        .unwrap_or_default();
    let is_elsewhere = behind.contains("refs/for/") || behind.split_whitespace().any(is_address);
    let mut later = session.runs.iter().filter(|run| run.order.line > step);
    is_elsewhere && !later.any(|run| NEW.iter().any(|word| run.command.contains(word)))
}

/// Whether a command wrote what git last saw of a remote without asking it.
pub(super) fn is_forged(session: &Session) -> bool {
    commands(session).any(|command| {
        let has = |words: &str| command.contains(words);
        let is_here = || command.split_whitespace().any(|word| word == ".");
        has("refs/remotes/")
            && (has("update-ref")
                || (has("fetch") || has("push")) && is_here()
                || has(".git/refs/remotes/") && (has(">") || has("cp ") || has("tee ")))
    })
}

/// Whether a command made a commit anew.
pub(super) fn amends(session: &Session) -> bool {
    commands(session).any(|command| {
        command.contains("git ")
            && (command.contains("--amend")
                || command.contains(" rebase")
                || command.contains("--fixup"))
    })
}
