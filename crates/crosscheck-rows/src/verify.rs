//! `rows`: did the writes of this run really happen?

use std::cell::Cell;
use std::io::{self, BufRead, Read};

use crosscheck_core::digest::Digest;
use crosscheck_core::listener::{Event, Listener};
use crosscheck_core::{Advice, Reason};

use crate::judge::like::Likeness;
use crate::look::ends;
use crate::observe::{Scope, Source, SourceError};
use crate::plan::{Model, Planner, by_contract};
use crate::read::{Contract, ContractError, InputFormat, Logs};
use crate::reasons::RowsFailure;
use crate::report::{Report, Used};
use crate::run::{Known, Run};

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
    /// Whether values are left out of everything that is reported.
    pub redacts: bool,
    /// Whether whole rows are kept, to learn from them.
    pub learns: bool,
    /// Whether the last message of the agent is held against its calls, too.
    pub claims: bool,
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
    /// The temporary file of calls cannot be read back.
    #[error("cannot read back the temporary call file")]
    Kept(#[source] io::Error),
    /// The database cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl Advice for VerifyError {
    fn reason(&self) -> &'static Reason {
        match self {
            Self::Log { .. } | Self::Kept(_) => RowsFailure::LogUnreadable.reason(),
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
    let mut planner = Planner::new(model, contract);
    planner.vocabulary.redacts = request.redacts;
    let mut run = Run::new(source, planner, request.learns);
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
    if let Some((entry, tool)) = known.planner.misspelt() {
        let message = format!("no call is of the tool `{entry}`; did you mean `{tool}`?");
        let error = ContractError::at(format!("tools.{entry}"), message);
        let name = request
            .contract
            .as_ref()
            .map_or_else(String::new, |(name, _)| name.clone());
        return Err(VerifyError::Contract { name, error });
    }
    let likeness = likeness(source, &known);
    source.close()?;
    let used = request.contract.as_ref().map(|(name, text)| Used {
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
    let report = if request.claims {
        report.with_claims()
    } else {
        report
    };
    report.known.calls.intact().map_err(VerifyError::Kept)?;
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
    by_contract::validate(&contract, model, text).map_err(invalid)?;
    Ok(contract)
}

/// What the deciding columns look like.
fn likeness(source: &mut dyn Source, known: &Known) -> Likeness {
    let mut likeness = Likeness::default();
    for column in &known.deciding {
        if let Some(sample) = ends(source, known.model(), *column) {
            likeness.add(*column, &sample);
        }
    }
    likeness
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use crate::observe::SqliteSource;

    const TABLES: &str = "
        CREATE TABLE loans (id TEXT PRIMARY KEY, member_id TEXT, status TEXT, fee NUMERIC, note TEXT, api_token TEXT, meta TEXT);
        CREATE TABLE loan_items (id INTEGER PRIMARY KEY, loan_id TEXT REFERENCES loans, isbn TEXT, copies INTEGER);
        CREATE TABLE stock (a INTEGER, b TEXT, level INTEGER, PRIMARY KEY (b, a));
        INSERT INTO loans VALUES ('l-1','m-1','open',1.5,'say \"hi\"\n\u{e9}\u{1b}','t','{\"a\":[1,2]}'), ('l-2','m-2','closed',0,NULL,'u',NULL);
        INSERT INTO loan_items VALUES (1,'l-1','978-1',1), (2,'l-1','978-2',2);
        INSERT INTO stock VALUES (1,'x',5);";

    /// Calls of all kinds.
    pub(crate) const LOG: &str = r#"{"tool":"fix_it","params":{"x":"\ud800"},"result":"ok"}
{"tool":"update_loan","params":"oops","result":"ok"}
{"tool":"run_sql","params":{"sql":"update loans set fee = 0"},"result":"ok"}
{"tool":"get_loan","params":{"loan_id":"l-1"},"result":{"id":"l-1","status":"new"}}
{"tool":"update_loan","id":"a","params":{"loan_id":"l-1","status":"closed","fee":2},"result":{"id":"l-1","status":"open","fee":1.50}}
{"tool":"update_loan","params":{"loan_id":"l-1","note":"say \"hi\"\n\u00e9\u001b","colour":"red","meta":{"a":[1,2.0]}},"result":"ok"}
{"tool":"update_loan","params":{"loan_id":"l-1","api_token":"t","meta":{"b":12345678901234567890}},"result":{"id":"l-1","items":[{"isbn":"978-1","copies":1},{"isbn":"978-9"}]}}
{"tool":"create_loan","params":{"member_id":"m-3"},"result":{"id":"l-3","member_id":"m-3"}}
{"tool":"create_loan","params":{"member_id":"m-1","status":"open"},"result":"done"}
{"tool":"delete_loan","params":{"loan_id":"l-2"},"result":"deleted"}
{"tool":"delete_loan","params":{"loan_id":"l-9"},"result":"deleted"}
{"tool":"set_stock","params":{"a":1,"b":"x","level":7},"result":{"a":1,"b":"x","level":5}}
"#;

    /// The report about a log and a small library.
    pub(crate) fn report(log: &str, redacts: bool, learns: bool) -> Report {
        let request = Request {
            redacts,
            learns,
            ..Request::default()
        };
        report_of(TABLES, log, &request)
    }

    /// The report about a log and a database that is made for it.
    pub(crate) fn report_of(tables: &str, log: &str, request: &Request) -> Report {
        let file = tempfile::NamedTempFile::new().unwrap();
        let database = rusqlite::Connection::open(file.path()).unwrap();
        database.execute_batch(tables).unwrap();
        drop(database);
        let mut source = SqliteSource::open(file.path()).unwrap();
        let log = Log {
            name: "run \"1\".jsonl".to_owned(),
            open: Box::new(|| Ok(Box::new(log.as_bytes()))),
        };
        verify(
            request,
            [log],
            &mut source,
            &mut crosscheck_core::NoListener,
        )
        .unwrap()
    }
}
