//! Many look-ups in one query.
//!
//! A batch is a list of keys (each a row of texts) and one statement that
//! answers for all of them. The keys are in a derived table `k` with their
//! number `n`; no temporary table is needed, so that read replicas work. A
//! batch that fails because of its values is halved until the failing keys
//! stand alone; one that fails for any key fails at once.

use super::catalog::{Catalog, TableRef};
use super::ends::Claimed;
use super::{Cell, Row, RowsSeen, SourceError};

pub use crate::plan::lookup::{Key, RowLookup, ScalarKind, ScalarLookup};

/// The most keys in one statement, where a source does not say otherwise.
const BATCH: usize = 2000;

/// The most keys in one statement that lists rows, each of which may have many.
const LISTS: usize = 100;

/// Why a batch gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchError {
    /// The statement cannot work, whatever the keys are.
    Statement(String),
    /// One of the keys may be at fault, or the batch was too large.
    Values(String),
    /// The server ended the statement for its time; every part would wait as long.
    Ended(String),
    /// The database is gone.
    Lost(String),
}

impl BatchError {
    /// No answer came where one was due.
    pub(crate) fn unanswered() -> Self {
        Self::Statement("the database gave no answer".to_owned())
    }

    /// Whether the database was gone or took too long, so that nothing was read.
    pub(crate) const fn is_silence(&self) -> bool {
        matches!(self, Self::Ended(_) | Self::Lost(_))
    }

    /// What the database says.
    pub fn message(&self) -> &str {
        match self {
            Self::Statement(message)
            | Self::Values(message)
            | Self::Ended(message)
            | Self::Lost(message) => message,
        }
    }
}

/// An answer that is about none of the keys is damaged; passing over it would
/// make a row look absent.
pub(super) fn no_such_key() -> BatchError {
    BatchError::Values("the database answered about a key that was not asked for".to_owned())
}

/// A row of a sample: column names in lower case and their values.
pub type SampleRow = Vec<(String, Cell)>;

/// Which tables a survey tells about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// What the contract of `quick` counts: ordinary tables and unique
    /// constraints; on PostgreSQL those of `public` unless schemas are
    /// named.
    Contract,
    /// Everything that is found under its own name: also partitioned and
    /// foreign tables and unique indexes; on PostgreSQL
    /// those of the search path unless schemas are named. On SQLite a key may
    /// from then on be a number or its text where a column has no type.
    Visible,
}

/// A database that can be looked at, in batches. One engine, one implementation.
pub trait Source {
    /// Tables, columns and keys.
    fn survey(&mut self, scope: Scope) -> Result<Catalog, SourceError>;

    /// The most keys in one statement.
    fn batch(&self) -> usize {
        BATCH
    }

    /// The rows of each key, up to so many.
    fn rows(
        &mut self,
        lookup: &RowLookup,
        keys: &[Key],
        most: usize,
    ) -> Result<Vec<RowsSeen>, BatchError>;

    /// The first and the last values of a column in its order, up to so many
    /// from each end; NULL is none.
    fn ends(
        &mut self,
        table: &TableRef,
        column: &str,
        most: usize,
    ) -> Result<Vec<Cell>, BatchError>;

    /// The scalar of each key.
    fn scalars(&mut self, lookup: &ScalarLookup, keys: &[Key]) -> Result<Vec<Cell>, BatchError>;

    /// Up to three rows that a count or an orphan count is about.
    fn sample(&mut self, lookup: &ScalarLookup, key: &Key) -> Result<Vec<SampleRow>, BatchError>;

    /// The names of a table's columns in lower case.
    fn columns(&mut self, table: &TableRef) -> Result<Vec<String>, BatchError>;

    /// Whether the database is a file of its own.
    fn is_file(&self) -> bool;

    /// Lets go of the view while nothing is looked at, so that no one waits.
    fn pause(&mut self);

    /// Takes a new consistent view, to see what happened since.
    fn refresh(&mut self) -> Result<(), SourceError>;

    /// Ends the consistent view; an error means that it was not one.
    fn close(&mut self) -> Result<(), SourceError>;
}

/// Whether each key has one row, and which.
pub(crate) fn rows(
    source: &mut dyn Source,
    lookup: &RowLookup,
    keys: &[Key],
    claimed: Claimed,
) -> Vec<RowsSeen> {
    let size = source.batch();
    look_up(source, lookup, (keys, size), 2, claimed)
}

/// All rows of each key up to so many.
pub(crate) fn lists(
    source: &mut dyn Source,
    lookup: &RowLookup,
    keys: &[Key],
    most: usize,
    claimed: Claimed,
) -> Vec<Result<Vec<Row>, String>> {
    let list = |seen: RowsSeen| match seen {
        RowsSeen::None => Ok(Vec::new()),
        RowsSeen::One(row) => Ok(vec![row]),
        RowsSeen::Many(rows) => Ok(rows),
        RowsSeen::Failed(error) => Err(error.message().to_owned()),
    };
    let seen = look_up(source, lookup, (keys, LISTS), most, claimed);
    seen.into_iter().map(list).collect()
}

/// The rows of each key, long texts shortened; every failure is exact.
fn look_up(
    source: &mut dyn Source,
    lookup: &RowLookup,
    (keys, size): (&[Key], usize),
    most: usize,
    claimed: Claimed,
) -> Vec<RowsSeen> {
    let kept = |rows: Vec<RowsSeen>| rows.into_iter().map(|seen| claimed.seen(seen)).collect();
    let mut ask = |part: &[Key]| source.rows(lookup, part, most).map(kept);
    split((keys, size), &mut ask, &RowsSeen::Failed)
}

/// The scalar of each key; every failure is exact.
pub(crate) fn scalars(
    source: &mut dyn Source,
    lookup: &ScalarLookup,
    keys: &[Key],
) -> Vec<Result<Cell, BatchError>> {
    let size = source.batch();
    let kept = |cells: Vec<Cell>| cells.into_iter().map(Ok).collect();
    let mut ask = |part: &[Key]| source.scalars(lookup, part).map(kept);
    split((keys, size), &mut ask, &Err)
}

type Ask<'a, T> = &'a mut dyn FnMut(&[Key]) -> Result<Vec<T>, BatchError>;

/// Asks part by part. A statement that cannot work settles every key from there on.
fn split<T>(
    (keys, size): (&[Key], usize),
    ask: Ask<'_, T>,
    failed: &dyn Fn(BatchError) -> T,
) -> Vec<T> {
    let mut answers: Vec<T> = Vec::new();
    // The parts still to be asked, the next one on top.
    let mut open: Vec<&[Key]> = keys.chunks(size.max(1)).rev().collect();
    while let Some(part) = open.pop() {
        let (settled, error) = match ask(part) {
            // the one part that is everything
            Ok(seen) if [seen.len(), part.len()] == [keys.len(); 2] => return seen,
            Ok(seen) if seen.len() == part.len() => {
                answers.extend(seen);
                continue;
            }
            Ok(_) => {
                let text = "the database answered for other keys than asked";
                (part.len(), BatchError::Statement(text.to_owned()))
            }
            Err(error @ BatchError::Values(_)) if part.len() == 1 => (1, error),
            Err(BatchError::Values(_)) => {
                let (first, second) = part.split_at(part.len() / 2);
                open.extend([second, first]);
                continue;
            }
            Err(error) => {
                open.clear();
                (keys.len() - answers.len(), error)
            }
        };
        answers.extend((0..settled).map(|_| failed(error.clone())));
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails for every key that is not a number, as a server does that casts.
    struct Picky {
        asked: usize,
        lost: bool,
    }

    impl Source for Picky {
        fn survey(&mut self, _: Scope) -> Result<Catalog, SourceError> {
            Ok(Catalog::default())
        }

        fn ends(&mut self, _: &TableRef, _: &str, _: usize) -> Result<Vec<Cell>, BatchError> {
            Ok(Vec::new())
        }

        fn rows(
            &mut self,
            _: &RowLookup,
            keys: &[Key],
            _: usize,
        ) -> Result<Vec<RowsSeen>, BatchError> {
            self.asked += 1;
            if self.lost {
                return Err(BatchError::Lost("gone".to_owned()));
            }
            if keys.iter().any(|key| key[0] == "gone") {
                return Err(BatchError::Statement("no such table".to_owned()));
            }
            if keys.iter().any(|key| key[0].parse::<u32>().is_err()) {
                return Err(BatchError::Values("not a number".to_owned()));
            }
            Ok(keys.iter().map(|_| RowsSeen::None).collect())
        }

        fn scalars(&mut self, _: &ScalarLookup, _: &[Key]) -> Result<Vec<Cell>, BatchError> {
            Err(BatchError::Statement("no such table".to_owned()))
        }

        fn sample(&mut self, _: &ScalarLookup, _: &Key) -> Result<Vec<SampleRow>, BatchError> {
            Ok(Vec::new())
        }

        fn columns(&mut self, _: &TableRef) -> Result<Vec<String>, BatchError> {
            Ok(Vec::new())
        }

        fn is_file(&self) -> bool {
            false
        }

        fn pause(&mut self) {}

        fn refresh(&mut self) -> Result<(), SourceError> {
            Ok(())
        }

        fn close(&mut self) -> Result<(), SourceError> {
            Ok(())
        }
    }

    fn lookup() -> RowLookup {
        RowLookup {
            table: "t".into(),
            identity: vec!["id".to_owned()],
            fields: Vec::new(),
        }
    }

    #[test]
    fn a_failing_batch_is_split_until_the_failing_keys_are_alone() {
        let keys: Vec<Key> = (0..1000)
            .map(|at| {
                let text = if at == 17 || at == 900 {
                    "x".to_owned()
                } else {
                    at.to_string()
                };
                [text.into()].into()
            })
            .collect();
        let mut source = Picky {
            asked: 0,
            lost: false,
        };
        let seen = rows(&mut source, &lookup(), &keys, Claimed::ANYTHING);
        let failed: Vec<usize> = (0..1000)
            .filter(|at| matches!(seen[*at], RowsSeen::Failed(_)))
            .collect();
        assert_eq!((seen.len(), failed), (1000, vec![17, 900]));
        assert!(source.asked < 50, "{}", source.asked);
    }

    #[test]
    fn what_cannot_work_is_asked_once() {
        let keys: Vec<Key> = (0..5000).map(|at| [at.to_string().into()].into()).collect();
        let mut source = Picky {
            asked: 0,
            lost: true,
        };
        assert!(
            rows(&mut source, &lookup(), &keys, Claimed::ANYTHING)
                .iter()
                .all(|seen| matches!(seen, RowsSeen::Failed(_)))
        );
        assert_eq!(source.asked, 1);
        let count = ScalarLookup::of_one(ScalarKind::Count, "t", &[], &["id"]);
        assert!(
            scalars(&mut source, &count, &keys)
                .iter()
                .all(Result::is_err)
        );
    }
}
