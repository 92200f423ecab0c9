//! Several connections to one PostgreSQL server that see one snapshot.
//!
//! The first one begins the view and exports it, the others adopt it. A server
//! or pooler that does not allow that is used through one connection: what is
//! found is the same, only later.

use std::thread;
use std::time::Duration;

use crosscheck_core::redact::SecretUrl;

use super::PostgresSource;
use crate::observe::source::{BatchError, Key};
use crate::observe::{Limits, SourceError};

/// How long a further connection may take. The view stays open meanwhile, and
/// a pooler may have no other session to give: everybody would wait for it.
const FURTHER: Duration = Duration::from_secs(2);

impl PostgresSource {
    /// Opens up to `jobs` connections; at least one is open afterwards.
    pub fn connect_several(
        url: &SecretUrl,
        jobs: usize,
        limits: Limits,
    ) -> Result<Self, SourceError> {
        let mut leader = Self::connect_within(url.clone(), Vec::new(), limits)?;
        if jobs > 1
            && let Some(snapshot) = leader.exported_view()?
        {
            let limits = Limits {
                connect: limits.connect.min(FURTHER),
                ..limits
            };
            let connect = |_| Self::connect_to_view(url.clone(), limits, &snapshot).ok();
            // a refused connection would only be refused again
            leader.others.extend((1..jobs).map_while(connect));
        }
        Ok(leader)
    }

    /// Lets the others see what this one sees after its view began anew.
    pub(super) fn share_view(&mut self) -> Result<(), SourceError> {
        if self.others.is_empty() {
            return Ok(());
        }
        match self.exported_view()? {
            Some(snapshot) => self.others.retain_mut(|other| other.adopt(&snapshot)),
            None => self.others.clear(),
        }
        Ok(())
    }

    /// Gives each part to a connection of its own.
    pub(super) fn at_once<T: Send>(
        &mut self,
        parts: &[&[Key]],
        ask: impl Fn(&mut Self, &[Key]) -> Result<T, BatchError> + Sync,
    ) -> Vec<Result<T, BatchError>> {
        let ask = &ask;
        if let [part] = parts {
            return vec![ask(self, part)];
        }
        let mut others = std::mem::take(&mut self.others);
        let answers = thread::scope(|scope| {
            let members = std::iter::once(&mut *self).chain(&mut others);
            let asked: Vec<_> = members
                .zip(parts)
                .map(|(member, part)| scope.spawn(move || ask(member, part)))
                .collect();
            let lost = |_| Err(BatchError::Lost("a connection broke down".to_owned()));
            let answers = asked.into_iter();
            answers
                .map(|answer| answer.join().unwrap_or_else(lost))
                .collect()
        });
        self.others = others;
        answers
    }
}
