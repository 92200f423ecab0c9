//! The configuration of a check, with what the environment and the command
//! line add.

use std::collections::BTreeSet;
use std::path::Path;

use crosscheck::config::{Config, ConfigError};
use crosscheck::done::config::{Mode, RawDone, RawReality, Required};
use crosscheck::done::gate::Layers;
use crosscheck::done::kind::Work;

use crate::args::done::{JudgeArgs, RealityArg, RequireArg};
use crate::settings::{places, variable};

/// The layers for a project; a file of the project that cannot be used is
/// left to whoever asks.
pub(super) fn layers(
    root: &Path,
    named: Option<&Path>,
    flags: RawDone,
) -> Result<Layers, ConfigError> {
    let (config, broken) = Config::load_around(&places(root, named))?;
    let mode = match variable("CROSSCHECK_DONE").as_deref() {
        Some("off") => Some(Mode::Off),
        Some("warn") => Some(Mode::Warn),
        Some("block") => Some(Mode::Block),
        _ => None,
    };
    let layers = Layers {
        config,
        broken,
        mode,
        flags,
        names_project: false,
        root: root.to_owned(),
    };
    Ok(layers.without_broken())
}

/// What the command line sets.
pub(super) fn flags(args: &JudgeArgs) -> RawDone {
    RawDone {
        strict: args.strict.then_some(true),
        reality: reality(&args.reality),
        database: args.db.clone(),
        require: required(&args.require),
        ..RawDone::default()
    }
}

fn required(named: &[RequireArg]) -> Option<BTreeSet<Required>> {
    let one = |one: &RequireArg| match one {
        RequireArg::Tests => Required::Tests,
        RequireArg::Lint => Required::Lint,
        RequireArg::Types => Required::Types,
        RequireArg::Build => Required::Build,
        RequireArg::Committed => Required::Committed,
        RequireArg::Pushed => Required::Pushed,
    };
    (!named.is_empty()).then(|| named.iter().map(one).collect())
}

fn reality(kinds: &[RealityArg]) -> RawReality {
    if kinds.is_empty() {
        return RawReality::default();
    }
    let has = |kind: RealityArg| Some(kinds.contains(&kind) || kinds.contains(&RealityArg::All));
    let commands = has(RealityArg::Commands) == Some(true);
    RawReality {
        fs: has(RealityArg::Fs),
        git: has(RealityArg::Git),
        env: has(RealityArg::Env),
        http: has(RealityArg::Http),
        commands: Some(if commands {
            [Work::Tests, Work::Build, Work::Lint, Work::Types].into()
        } else {
            BTreeSet::new()
        }),
    }
}
