//! Heuristics with names, so that what each is worth can be measured.
//!
//! A rule of a contract is simply code. A heuristic is a guess that has to earn its lines: it is
//! declared as a [`Rule`], can be switched off in debug builds, and `scripts/ablate` shows
//! what changes on each set without it. `docs/RULES.md` lists those that stay.

use std::sync::OnceLock;

static SWITCHED_OFF: OnceLock<Vec<String>> = OnceLock::new();

/// One heuristic.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    id: &'static str,
}

impl Rule {
    /// `id` names the crate and the rule (`judge.order`); `_does` says in one line what it decides, for
    /// the page of rules, which is made from the source.
    pub const fn new(id: &'static str, _does: &'static str) -> Self {
        Self { id }
    }

    /// Always true in a release build. `crosscheck --log trace` shows where it is asked.
    pub fn is_on(self) -> bool {
        tracing::trace!(rule = self.id, "asked");
        !cfg!(debug_assertions)
            || SWITCHED_OFF
                .get()
                .is_none_or(|ids| !ids.iter().any(|id| id == self.id))
    }
}

/// Switches off the rules that `ids` names, divided by commas; the first call counts, and only in a debug build.
pub fn switch_off(ids: &str) {
    if cfg!(debug_assertions) {
        let ids = ids.split(',').map(|id| id.trim().to_owned()).collect();
        // A second call changes nothing: answers of one run come from one set of rules.
        let _ = SWITCHED_OFF.set(ids);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_on_until_it_is_named() {
        const NAMED: Rule = Rule::new("core.named", "is switched off here");
        const OTHER: Rule = Rule::new("core.other", "stays on");
        assert!(NAMED.is_on());
        switch_off("core.named, core.more");
        assert!(!NAMED.is_on());
        assert!(OTHER.is_on());
    }
}
