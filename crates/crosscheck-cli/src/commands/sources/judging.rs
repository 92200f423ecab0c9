//! Who says whether a page supports a claim.

use std::path::Path;
use std::sync::Arc;

use crosscheck::config::Config;
use crosscheck::judge::Judge;

use crate::args::sources::SourcesArgs;
use crate::failure::Failure;
use crate::settings::asking::Asking;
use crate::settings::cache_folder;

/// The judge by flags, environment and `[judge]`.
pub(super) fn judge(
    args: &SourcesArgs,
    config: &Config,
    offline: bool,
) -> Result<Arc<dyn Judge>, Failure> {
    Asking::choose(&args.judging.asking, config)
        .and_then(|asking| {
            let remembered = cache_folder(Path::new(".")).map(|folder| folder.join("judge"));
            asking.judge(Path::new("."), remembered, offline)
        })
        .map(Arc::from)
        .map_err(|problem| Failure::usage(&problem, "correct the option or the configuration file"))
}
