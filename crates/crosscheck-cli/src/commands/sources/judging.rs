//! Who says whether a page supports a claim.

use std::path::Path;
use std::sync::Arc;

use crosscheck::core::judge::Judge;

use crate::args::sources::SourcesArgs;
use crate::failure::Failure;
use crate::settings::asking::Asking;
use crate::settings::config::Config;

/// The judge by flags, environment and `[judge]`.
pub(super) fn judge(args: &SourcesArgs, offline: bool) -> Result<Arc<dyn Judge>, Failure> {
    let here = Path::new(".");
    Config::load(args.config.as_deref(), here)
        .and_then(|config| Asking::choose(&args.judging.asking, &config))
        .and_then(|asking| asking.judge(here, None, offline))
        .map(Arc::from)
        .map_err(|problem| Failure::usage(&problem, "correct the option or the configuration file"))
}
