//! `rows`: did the writes of this run really happen?

use std::cell::Cell;
use std::io::{self, BufRead, Read};

use crosscheck_core::digest::Digest;
use crosscheck_core::listener::{Event, Listener};
use crosscheck_core::{Advice, Reason};

use crate::judge::like::Likeness;
use crate::judge::seen::{Look, RowSeen};
use crate::look::Samples;
use crate::observe::{Scope, Source, SourceError};
use crate::plan::{ColumnId, KeyFrom, Looked, Model, Planner, TableId, Target, by_contract};
use crate::read::{Contract, ContractError, InputFormat, Logs};
use crate::reasons::RowsFailure;
use crate::report::Report;
use crate::run::{Known, Run};
use crate::wire::rows_v1::ContractV1;

/// A log to be read.
pub struct Log<'l> {
    /// How reports call it.
    pub name: String,
    /// Its bytes, or why they cannot be read.
    pub open: Box<dyn FnOnce() -> io::Result<Box<dyn BufRead + 'l>> + 'l>,
}

/// What one run is asked to do.
#[derive(Debug, Default)]
pub struct Request {
    /// How reports call the run.
    pub subject: String,
    /// How the logs are read.
    pub format: InputFormat,
    /// The contract: how it is called, and its text.
    pub contract: Option<(String, String)>,
    /// Whether values are left out of everything that is told.
    pub redacts: bool,
    /// Whether whole rows are kept, to learn from them.
    pub learns: bool,
}

/// Why a run could not be done.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A log cannot be read.
    #[error("cannot read the log `{name}`")]
    Log {
        /// The log.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The contract cannot be used.
    #[error("{name}: {error}")]
    Contract {
        /// The contract.
        name: String,
        /// Where and why.
        error: ContractError,
    },
    /// The database cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl Advice for VerifyError {
    fn reason(&self) -> &'static Reason {
        match self {
            Self::Log { .. } => RowsFailure::LogUnreadable.reason(),
            Self::Contract { .. } => RowsFailure::ContractInvalid.reason(),
            Self::Source(_) => RowsFailure::DatabaseUnreadable.reason(),
        }
    }
}

/// Checks logs against a database: read, plan, observe, judge, report.
pub fn verify<'l>(
    request: &Request,
    logs: impl IntoIterator<Item = Log<'l>>,
    source: &mut dyn Source,
    listener: &mut dyn Listener,
) -> Result<Report, VerifyError> {
    let model = Model::new(&source.survey(Scope::Visible)?);
    let contract = contract(request, &model)?;
    let mut run = Run::new(source, Planner::new(model, contract), request.learns);
    let mut read = Logs::default();
    for log in logs {
        let failed = |source| VerifyError::Log {
            name: log.name.clone(),
            source,
        };
        let count = Cell::new(0);
        let mut bytes = Counted {
            log: (log.open)().map_err(failed)?,
            count: &count,
        };
        let taken = &mut |calls: Vec<crate::read::Call>| {
            listener.hear(Event::Read {
                input: "the log",
                bytes: count.take(),
            });
            run.take(calls);
        };
        read.read(&log.name, request.format, &mut bytes, taken)
            .map_err(|source| VerifyError::Log {
                name: log.name.clone(),
                source,
            })?;
    }
    let known = run.finish();
    let likeness = likeness(source, &known);
    source.close()?;
    let used = request.contract.as_ref().map(|(name, text)| ContractV1 {
        path: name.clone(),
        sha256: Digest::of(text).hex(),
    });
    let report = Report::new(
        request.subject.clone(),
        known,
        likeness,
        read,
        request.redacts,
        used,
    );
    report.tell(listener);
    Ok(report)
}

/// A log that counts what is read of it.
struct Counted<'l> {
    log: Box<dyn BufRead + 'l>,
    count: &'l Cell<usize>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.log.read(buffer)?;
        self.count.set(self.count.get() + read);
        Ok(read)
    }
}

impl BufRead for Counted<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.log.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.count.set(self.count.get() + amount);
        self.log.consume(amount);
    }
}

fn contract(request: &Request, model: &Model) -> Result<Contract, VerifyError> {
    let Some((name, text)) = &request.contract else {
        return Ok(Contract::default());
    };
    let invalid = |error| VerifyError::Contract {
        name: name.clone(),
        error,
    };
    let contract = Contract::parse(text).map_err(invalid)?;
    by_contract::validate(&contract, model).map_err(invalid)?;
    Ok(contract)
}

/// What the columns look like whose values decide about an absence or about
/// the id of something.
fn likeness(source: &mut dyn Source, known: &Known) -> Likeness {
    let mut columns: Vec<(TableId, ColumnId)> = Vec::new();
    for subject in known.calls.iter().flat_map(|call| &call.subjects) {
        if subject.key_from == KeyFrom::Contract {
            continue;
        }
        if subject.looked == Looked::Row && matches!(subject.seen, RowSeen::None) {
            columns.extend(
                subject
                    .key
                    .iter()
                    .map(|(column, _)| (subject.table, *column)),
            );
        }
        let differing = subject
            .facts
            .iter()
            .filter(|fact| matches!(fact.look, Look::Differs | Look::Not));
        for fact in differing {
            if let Target::Column(column) = known.targets.get(fact.target).1
                && known
                    .model()
                    .table(subject.table)
                    .column(column)
                    .is_key_like
            {
                columns.push((subject.table, column));
            }
        }
        columns.sort_unstable();
        columns.dedup();
    }
    let mut likeness = Likeness::default();
    let mut samples = Samples::default();
    for column in columns {
        if let Ok(sample) = samples.of(source, known.model(), column) {
            likeness.add(column, sample);
        }
    }
    likeness
}
