//! `crosscheck pr`.

use std::path::PathBuf;

use super::ledger::LedgerOption;
use super::options::options;
use super::talk::{PresentArgs, TalkArgs};

options! {
    "pr" PrArgs {
        base: Option<String>,
        head: Option<String>,
        text: Option<PathBuf>,
        event: Option<PathBuf>,
        commits: bool,
        checks: Option<PathBuf>,
        allow_empty: bool,
        root: Option<PathBuf>,
        record: LedgerOption,
        presented: PresentArgs,
        talk: TalkArgs,
    }
}
