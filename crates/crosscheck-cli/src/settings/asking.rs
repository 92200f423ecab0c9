//! The judge, as flags, environment and `[judge]` ask for it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck::config::{Config, JudgeSettings};
use crosscheck::core::advice::with_causes;
use crosscheck::core::files::read_limited;
use crosscheck::core::redact::SecretUrl;
use crosscheck::judge::{
    Answers, Builtin, CommandModel, HttpModel, Judge, JudgeKind, ModelJudge, ReplayModel, Style,
    Use, models,
};

use serde_json::json;

use super::variable;

/// Recorded answers may take as much.
const MAX_REPLAY_BYTES: u64 = 64 * 1024 * 1024;
/// An endpoint that does not name its models so soon is not there.
const MODELS_TIMEOUT: Duration = Duration::from_secs(3);

/// What is known about the judge before it is made.
#[derive(Debug)]
pub(crate) struct Asking {
    chosen: JudgeSettings,
    kind: JudgeKind,
    answers: Answers,
}

impl Asking {
    pub(crate) fn choose(config: &Config) -> Result<Self, String> {
        let chosen: JudgeSettings = config.chosen().map_err(|error| error.to_string())?;
        // the table lists the words of both
        let unknown = |error: serde_json::Error| error.to_string();
        Ok(Self {
            kind: serde_json::from_value(json!(chosen.kind)).map_err(unknown)?,
            answers: serde_json::from_value(json!(chosen.answers)).map_err(unknown)?,
            chosen,
        })
    }

    /// Whether text leaves this program to be judged.
    pub(crate) fn is_model(&self) -> bool {
        self.kind != JudgeKind::Builtin
    }

    /// Whether questions are counted, so that their order matters.
    pub(crate) const fn has_budget(&self) -> bool {
        self.chosen.budget.is_some()
    }

    /// The judge. A command is started in `folder`, where relative paths begin;
    /// answers are remembered in `cache` unless something else is configured.
    /// `offline` an endpoint is not asked; a command is the user's own program.
    pub(crate) fn judge(
        self,
        folder: &Path,
        cache: Option<PathBuf>,
        offline: bool,
    ) -> Result<Box<dyn Judge>, String> {
        let model = self.model()?;
        let remembers = self.chosen.cache && model != JudgeKind::Replay;
        let plan = Use {
            style: self.style()?,
            cache: self
                .chosen
                .cache_dir
                .clone()
                .or(cache)
                .filter(|_| remembers),
            // with both, the built-in judge's answer stays where the model gives none
            fallback: self.chosen.fallback.is_some() || self.kind == JudgeKind::Both,
            builtin_first: self.chosen.first.is_some() || self.kind == JudgeKind::Both,
            budget: self.chosen.budget,
            offline: offline && model == JudgeKind::Http,
        };
        Ok(match model {
            JudgeKind::Builtin | JudgeKind::Both => Box::new(Builtin),
            JudgeKind::Command => Box::new(ModelJudge::new(self.command(folder)?, plan)),
            JudgeKind::Http => Box::new(ModelJudge::new(self.endpoint(offline)?, plan)),
            JudgeKind::Replay => Box::new(ModelJudge::new(self.recorded(folder)?, plan)),
        })
    }

    /// Which model is asked; for `both` the one that is configured.
    fn model(&self) -> Result<JudgeKind, String> {
        if self.kind != JudgeKind::Both {
            return Ok(self.kind);
        }
        let configured = [
            (self.chosen.url.is_some(), JudgeKind::Http),
            (self.chosen.command.is_some(), JudgeKind::Command),
            (self.chosen.replay.is_some(), JudgeKind::Replay),
        ];
        let mut configured = configured.into_iter().filter(|(given, _)| *given);
        match (configured.next(), configured.next()) {
            (Some((_, model)), None) => Ok(model),
            (None, _) => {
                Err("--judge both needs a model: --judge-url or --judge-command".to_owned())
            }
            _ => Err("--judge both needs one model, and several are configured".to_owned()),
        }
    }

    fn style(&self) -> Result<Style, String> {
        match self.answers {
            Answers::Json => Ok(Style::Json),
            Answers::YesNo => {
                let (template, system) = (self.chosen.template.clone(), self.chosen.system.clone());
                Style::yes_no(template, system)
                    .map_err(|error| format!("`judge.template`: {error}"))
            }
        }
    }

    fn command(self, folder: &Path) -> Result<CommandModel, String> {
        let argv = self.chosen.command.filter(|argv| !argv.is_empty());
        let argv = argv.ok_or("--judge command needs --judge-command")?;
        Ok(CommandModel::new(
            argv,
            folder.to_owned(),
            Duration::from_secs_f64(self.chosen.timeout),
        ))
    }

    fn endpoint(self, offline: bool) -> Result<HttpModel, String> {
        let url = self.chosen.url.ok_or("--judge http needs --judge-url")?;
        let name = match self.chosen.model {
            Some(name) => name,
            None if self.kind == JudgeKind::Both && !offline => first_model(&url)?,
            None => return Err("--judge http needs --judge-model".to_owned()),
        };
        let key = match self.chosen.api_key_env {
            None => None,
            Some(name) => Some(
                variable(&name)
                    .ok_or_else(|| format!("--judge-api-key-env: `{name}` is not set"))?,
            ),
        };
        let structured = self.chosen.structured;
        Ok(HttpModel::new(
            &url,
            name,
            key,
            structured,
            Duration::from_secs_f64(self.chosen.timeout),
        ))
    }

    fn recorded(self, folder: &Path) -> Result<ReplayModel, String> {
        let file = self
            .chosen
            .replay
            .ok_or("--judge replay needs --judge-replay")?;
        let bytes = read_limited(&folder.join(file), MAX_REPLAY_BYTES)
            .map_err(|error| with_causes(&error))?;
        ReplayModel::parse(&String::from_utf8_lossy(&bytes))
            .map_err(|error| format!("--judge-replay: {error}"))
    }
}

fn first_model(url: &str) -> Result<String, String> {
    let found = models(url, MODELS_TIMEOUT).map_err(|error| {
        format!(
            "{}: {error}; `crosscheck doctor` shows which answer",
            SecretUrl::new(url)
        )
    })?;
    found
        .into_iter()
        .next()
        .ok_or_else(|| format!("{}: no model is there", SecretUrl::new(url)))
}
