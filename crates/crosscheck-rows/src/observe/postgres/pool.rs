//! Several connections to one PostgreSQL server that see one snapshot.
//!
//! The first one begins the view and exports it, the others adopt it. A server
//! or pooler that does not allow that is used through one connection: what is
//! found is the same, only later.

use std::thread;
use std::time::Duration;

use crosscheck_core::redact::SecretUrl;

use super::PostgresSource;
use crate::observe::catalog::{Catalog, TableRef};
use crate::observe::source::{BatchError, Key, RowLookup, SampleRow, ScalarLookup, Scope, Source};
use crate::observe::{Cell, Limits, Row, RowsSeen, SourceError};

/// Below this, asking costs more than answering.
const SMALLEST_BATCH: usize = 1000;

/// How long a further connection may take. The view stays open meanwhile, and
/// a pooler may have no other session to give: everybody would wait for it.
const FURTHER: Duration = Duration::from_secs(2);

/// The leader, and those who see what it sees.
pub struct PostgresPool {
    leader: PostgresSource,
    others: Vec<PostgresSource>,
}

impl PostgresPool {
    /// Opens up to `jobs` connections; at least one is open afterwards.
    pub fn connect(url: &SecretUrl, jobs: usize) -> Result<Self, SourceError> {
        Self::connect_within(url, jobs, Limits::default())
    }

    /// The same with limits of one's own.
    pub fn connect_within(
        url: &SecretUrl,
        jobs: usize,
        limits: Limits,
    ) -> Result<Self, SourceError> {
        let mut leader = PostgresSource::connect_within(url.clone(), Vec::new(), limits)?;
        let mut others = Vec::new();
        if jobs > 1
            && let Some(snapshot) = leader.exported_view()?
        {
            let limits = Limits {
                connect: limits.connect.min(FURTHER),
                ..limits
            };
            // a refused connection would only be refused again
            others.extend((1..jobs).map_while(|_| {
                PostgresSource::connect_to_view(url.clone(), limits, &snapshot).ok()
            }));
        }
        Ok(Self { leader, others })
    }

    fn members(&mut self) -> impl Iterator<Item = &mut PostgresSource> {
        std::iter::once(&mut self.leader).chain(&mut self.others)
    }

    /// Gives each part to a connection of its own.
    fn at_once<T: Send>(
        &mut self,
        parts: &[&[Key]],
        ask: impl Fn(&mut PostgresSource, &[Key]) -> Result<T, BatchError> + Sync,
    ) -> Vec<Result<T, BatchError>> {
        let ask = &ask;
        if let [part] = parts {
            return vec![ask(&mut self.leader, part)];
        }
        thread::scope(|scope| {
            let asked: Vec<_> = self
                .members()
                .zip(parts)
                .map(|(member, part)| scope.spawn(move || ask(member, part)))
                .collect();
            let answers = asked.into_iter().map(|answer| {
                answer
                    .join()
                    .unwrap_or_else(|_| Err(BatchError::Lost("a connection broke down".to_owned())))
            });
            answers.collect()
        })
    }
}

impl Source for PostgresPool {
    fn survey(&mut self, scope: Scope) -> Result<Catalog, SourceError> {
        self.leader.survey(scope)
    }

    /// Smaller than that of one connection, so that all have something to do.
    fn batch(&self) -> usize {
        (self.leader.batch() / self.width()).max(SMALLEST_BATCH)
    }

    fn rows(&mut self, lookup: &RowLookup, keys: &[Key]) -> Result<Vec<RowsSeen>, BatchError> {
        self.leader.rows(lookup, keys)
    }

    fn lists(
        &mut self,
        lookup: &RowLookup,
        keys: &[Key],
        most: usize,
    ) -> Result<Vec<Vec<Row>>, BatchError> {
        self.leader.lists(lookup, keys, most)
    }

    fn ends(
        &mut self,
        table: &TableRef,
        column: &str,
        most: usize,
    ) -> Result<Vec<Cell>, BatchError> {
        self.leader.ends(table, column, most)
    }

    fn scalars(&mut self, lookup: &ScalarLookup, keys: &[Key]) -> Result<Vec<Cell>, BatchError> {
        self.leader.scalars(lookup, keys)
    }

    fn sample(&mut self, lookup: &ScalarLookup, key: &Key) -> Result<Vec<SampleRow>, BatchError> {
        self.leader.sample(lookup, key)
    }

    fn width(&self) -> usize {
        1 + self.others.len()
    }

    fn rows_at_once(
        &mut self,
        lookup: &RowLookup,
        parts: &[&[Key]],
    ) -> Vec<Result<Vec<RowsSeen>, BatchError>> {
        self.at_once(parts, |member, keys| member.rows(lookup, keys))
    }

    fn scalars_at_once(
        &mut self,
        lookup: &ScalarLookup,
        parts: &[&[Key]],
    ) -> Vec<Result<Vec<Cell>, BatchError>> {
        self.at_once(parts, |member, keys| member.scalars(lookup, keys))
    }

    fn columns(&mut self, table: &TableRef) -> Result<Vec<String>, BatchError> {
        self.leader.columns(table)
    }

    fn is_file(&self) -> bool {
        false
    }

    fn pause(&mut self) {
        self.members().for_each(PostgresSource::pause);
    }

    fn refresh(&mut self) -> Result<(), SourceError> {
        self.leader.refresh()?;
        if self.others.is_empty() {
            return Ok(());
        }
        match self.leader.exported_view()? {
            Some(snapshot) => self.others.retain_mut(|other| other.adopt(&snapshot)),
            None => self.others.clear(),
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), SourceError> {
        for other in &mut self.others {
            other.close()?;
        }
        self.leader.close()
    }
}
