//! Claims about files and folders.

use std::collections::BTreeSet;

use crosscheck_core::{Rule, Verdict};

use super::{Finding, shown};
use crate::observe::{Change, Facts, Status};
use crate::read::{ClaimKind, Name, NameForm, class_of, may_hold_tests, shows_test};
use crate::reasons::PrReason;

const MISSING: Rule = Rule::new(
    "pr.missing",
    "a path that no tree has refutes the claim about it, if it can be nothing but a path and its folder is there",
);

/// A file or folder that a name may mean.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Target {
    path: String,
    is_folder: bool,
}

impl Target {
    fn holds(&self, path: &str) -> bool {
        let tail = path.strip_prefix(&self.path);
        match tail {
            Some("") => true,
            Some(tail) => self.is_folder && tail.starts_with('/'),
            None => false,
        }
    }

    fn is_in(&self, tree: &BTreeSet<String>) -> bool {
        if !self.is_folder {
            return tree.contains(&self.path);
        }
        let first = tree.range(format!("{}/", self.path)..).next();
        first.is_some_and(|path| self.holds(path))
    }

    fn change<'f>(&self, facts: &'f Facts) -> Option<&'f Change> {
        let is_here = |change: &&Change| {
            let old = change.old_path.as_deref();
            self.holds(&change.path) || old.is_some_and(|old| self.holds(old))
        };
        facts.changes.iter().find(is_here)
    }
}

/// Everything in both trees that ends in this path, whole parts only. Folders count only where
/// no file does.
fn targets(name: &str, facts: &Facts) -> Vec<Target> {
    let end = format!("/{name}");
    let all = || facts.before.iter().chain(&facts.after);
    let files = all().filter(|path| *path == name || path.ends_with(&end));
    let target = |path: &str, is_folder| Target {
        path: path.to_owned(),
        is_folder,
    };
    let files: BTreeSet<Target> = files.map(|path| target(path, false)).collect();
    if !files.is_empty() {
        let mut files: Vec<Target> = files.into_iter().collect();
        // the path as it was written comes first
        files.sort_by_key(|target| target.path.len());
        return files;
    }
    let start = format!("{name}/");
    let inside = format!("{end}/");
    let folder = |path: &String| {
        let at = if path.starts_with(&start) {
            Some(0)
        } else {
            path.find(&inside).map(|at| at + 1)
        };
        let end = at? + name.len();
        path.get(..end).map(|path| target(path, true))
    };
    let folders: BTreeSet<Target> = all().filter_map(folder).collect();
    folders.into_iter().collect()
}

/// Whether a name is that of a symbol, or of something in one of the trees.
pub(super) fn may_mean(name: &Name, facts: &Facts) -> bool {
    name.form == NameForm::Shaped || !targets(&name.text, facts).is_empty()
}

/// One file or folder that was created, added, deleted, changed or left alone.
pub(super) fn one(kind: ClaimKind, name: &Name, facts: &Facts) -> Option<Finding> {
    let targets = targets(&name.text, facts);
    // `process/exited` is a path only if something is there
    if targets.is_empty() && name.form == NameForm::Slashed {
        return None;
    }
    Some(judged(kind, name, &targets, facts))
}

fn judged(kind: ClaimKind, name: &Name, targets: &[Target], facts: &Facts) -> Finding {
    if targets.is_empty() {
        return missing(kind, name, facts);
    }
    // "added x.txt" may mean: to a list of files
    let is_bare = kind == ClaimKind::FileAdded && !name.text.contains('/');
    let judged = targets.iter().map(|target| {
        let finding = judge(kind, target, facts);
        match finding.verdict {
            Verdict::Refuted if is_bare => Finding {
                verdict: Verdict::Undecided,
                reason: PrReason::Ambiguous,
                ..finding
            },
            _ => finding,
        }
    });
    settle(&judged.collect::<Vec<_>>(), kind == ClaimKind::Untouched)
}

/// Several files may be meant: one that agrees is enough, unless nothing may have changed.
fn settle(judged: &[Finding], needs_all: bool) -> Finding {
    let count = judged.len();
    let with = |verdict| judged.iter().filter(move |one| one.verdict == verdict);
    let (agree, differ) = (
        with(Verdict::Confirmed).count(),
        with(Verdict::Refuted).count(),
    );
    let best = judged.iter().min_by_key(|one| one.verdict).cloned();
    let Some(best) = best else {
        return Finding::undecided(PrReason::NotInDiff, "nothing of this name");
    };
    if agree == count || differ == count || count == 1 || (!needs_all && agree == 1) {
        return best;
    }
    let observed = format!("{count} files have this name; {agree} agree, {differ} do not");
    Finding::undecided(PrReason::Ambiguous, observed)
}

fn missing(kind: ClaimKind, name: &Name, facts: &Facts) -> Finding {
    let observed = "no file or folder of this name, before or after";
    // `lock_unix/windows.go` stands for two files
    let last = name.text.rsplit('/').next().unwrap_or_default();
    let is_part = |path: &str| path.ends_with(last) && !path.ends_with(&format!("/{last}"));
    let near = facts.changes.iter().find(|change| is_part(&change.path));
    if let Some(change) = near {
        return Finding::undecided(PrReason::Ambiguous, shown(change));
    }
    let may_miss = matches!(kind, ClaimKind::Untouched | ClaimKind::FileMade);
    let is_firm = name.form == NameForm::FirmPath && !may_miss;
    // a path below a folder that is not there may belong to another place than the repository
    let folder = name.text.rsplit_once('/').map(|(folder, _)| folder);
    let holds_it = |folder: &str| targets(folder, facts).iter().any(|one| one.path == folder);
    let is_near = folder.is_some_and(holds_it);
    if is_firm && is_near && MISSING.is_on() {
        Finding::refuted(PrReason::FileMissing, observed)
    } else {
        Finding::undecided(PrReason::NotInDiff, observed)
    }
}

fn judge(kind: ClaimKind, target: &Target, facts: &Facts) -> Finding {
    let (was, is) = (target.is_in(&facts.before), target.is_in(&facts.after));
    let change = target.change(facts);
    let seen = match change {
        Some(change) => shown(change),
        None => format!("{} is not changed", target.path),
    };
    let finding = match kind {
        ClaimKind::Untouched => match change {
            Some(_) => Finding::refuted(PrReason::OtherFileChanged, seen),
            None => Finding::confirmed(seen),
        },
        ClaimKind::FileMade if was => Finding::undecided(PrReason::NotInDiff, seen),
        ClaimKind::FileCreated | ClaimKind::FileAdded | ClaimKind::FileMade => match (was, is) {
            (false, _) => Finding::confirmed(seen),
            // "add `x`" may mean an addition to it
            (true, true) if change.is_some() && kind == ClaimKind::FileAdded => {
                Finding::undecided(PrReason::Ambiguous, seen)
            }
            // a new file in a folder that was there
            (true, true) if target.is_folder => Finding::undecided(PrReason::Ambiguous, seen),
            (true, _) => Finding::refuted(PrReason::FileNotNew, seen),
        },
        ClaimKind::FileDeleted => match (was, is) {
            (_, false) => Finding::confirmed(seen),
            (_, true) if target.is_folder && change.is_some() => {
                Finding::undecided(PrReason::Ambiguous, seen)
            }
            (_, true) => Finding::refuted(PrReason::FileStillThere, seen),
        },
        _ => match change {
            // only its mode is another one
            Some(one) if one.status == Status::Modified && one.lines == Some((0, 0)) => {
                Finding::undecided(PrReason::NotInDiff, seen)
            }
            Some(_) => Finding::confirmed(seen),
            None => Finding::refuted(PrReason::FileNotChanged, seen),
        },
    };
    match change {
        Some(change) => finding.at(&change.path, None),
        None => finding,
    }
}

/// Nothing but these paths, folders, and files of these classes.
pub(super) fn only(names: &[Name], facts: &Facts) -> Option<Finding> {
    let (mut allowed, mut classes) = (Vec::new(), Vec::new());
    let mut has_folder = true;
    for name in names {
        let found = targets(&name.text, facts);
        let class = class_of(&name.text).filter(|_| name.form == NameForm::Word);
        match class {
            Some(class) => {
                has_folder &= !found.is_empty();
                classes.push((class, name.text.starts_with("test")));
            }
            None if found.is_empty() && name.form == NameForm::Word => return None,
            None if found.is_empty() => {
                let observed = format!("no file or folder `{}`", name.text);
                return Some(Finding::undecided(PrReason::NotInDiff, observed));
            }
            None => {}
        }
        allowed.extend(found);
    }
    let is_other = |change: &&Change| {
        let path = &change.path;
        !allowed.iter().any(|target| target.holds(path))
            && !classes.iter().any(|(class, _)| class.is_match(path))
    };
    let others: Vec<&Change> = facts.changes.iter().filter(is_other).collect();
    // a comment is documentation, and tests may stand beside the code; a project without a
    // folder for the class may keep its files anywhere
    let is_plain = |change: &&&Change| {
        let may_be_test = may_hold_tests(&change.path) || shows_test(&change.path);
        let is_beside = may_be_test && classes.iter().any(|(_, are_tests)| *are_tests);
        classes.is_empty() || has_folder && !is_beside && changes_code(change, facts)
    };
    let plain = others.iter().find(is_plain);
    Some(match (plain, others.first()) {
        (Some(change), _) => {
            Finding::refuted(PrReason::OtherFileChanged, shown(change)).at(&change.path, None)
        }
        (None, Some(change)) => {
            Finding::undecided(PrReason::Ambiguous, shown(change)).at(&change.path, None)
        }
        (None, None) => Finding::confirmed(format!(
            "{} files changed, all of them there",
            facts.changes.len()
        )),
    })
}

/// Whether a file came, went or moved, or a line changed that can be neither a comment nor prose.
fn changes_code(change: &Change, facts: &Facts) -> bool {
    let is_code = |text: &str| {
        let line = text.trim();
        let is_comment = ["//", "/*", "*", "#"]
            .iter()
            .any(|mark| line.starts_with(mark));
        !is_comment && line.ends_with([';', '{', '}'])
    };
    let has_code = facts.patch.as_ref().is_ok_and(|patch| {
        let mut lines = patch.added.iter().chain(&patch.removed);
        lines.any(|line| line.path == change.path && is_code(&line.text))
    });
    change.status != Status::Modified || has_code
}

/// A file that has another name now.
pub(super) fn renamed(old: &Name, new: &Name, facts: &Facts) -> Finding {
    let ends = |path: &str, name: &Name| {
        let tail = path.strip_suffix(name.text.as_str());
        tail.is_some_and(|head| head.is_empty() || head.ends_with('/'))
    };
    let is_it = |change: &&Change| {
        let from = change.old_path.as_deref();
        let is_inside = change.path.contains(&format!("{}/", new.text));
        from.is_some_and(|from| ends(from, old)) && (ends(&change.path, new) || is_inside)
    };
    if let Some(change) = facts.changes.iter().find(is_it) {
        return Finding::confirmed(shown(change)).at(&change.path, None);
    }
    let left = judged(
        ClaimKind::FileDeleted,
        old,
        &targets(&old.text, facts),
        facts,
    );
    let came = judged(
        ClaimKind::FileCreated,
        new,
        &targets(&new.text, facts),
        facts,
    );
    // contents may have moved from one file to another
    let is_changed = |name: &Name| {
        let all = targets(&name.text, facts);
        all.iter().any(|target| target.change(facts).is_some())
    };
    let gone = facts.changes.iter().any(|change| {
        change.status == Status::Renamed && change.old_path.as_deref().is_some_and(|p| ends(p, old))
    });
    if is_changed(old) && is_changed(new) && !gone && left.verdict != came.verdict {
        return Finding::undecided(
            PrReason::Ambiguous,
            format!("{}; {}", left.observed, came.observed),
        );
    }
    if left.verdict >= came.verdict {
        left
    } else {
        came
    }
}
