//! The judge, as flags, environment and `[judge]` ask for it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck::config::{self, Config};
use crosscheck::core::advice::with_causes;
use crosscheck::core::files::read_limited;
use crosscheck::core::redact::SecretUrl;
use crosscheck::judge::{
    Answers, Builtin, CommandModel, HttpModel, Judge, JudgeKind, ModelJudge, RawJudge, ReplayModel,
    Style, Use, models,
};

use super::variable;
use crate::args::asking::{AskingArgs, JudgeWord};

/// Recorded answers may take as much.
const MAX_REPLAY_BYTES: u64 = 64 * 1024 * 1024;
const TIMEOUT: Duration = Duration::from_mins(1);
/// An endpoint that does not name its models so soon is not there.
const MODELS_TIMEOUT: Duration = Duration::from_secs(3);
const OLLAMA: &str = "http://127.0.0.1:11434/v1";
const OPENAI: &str = "https://api.openai.com/v1";
const OPENAI_KEY: &str = "OPENAI_API_KEY";

/// What is known about the judge before it is made.
#[derive(Debug)]
pub(crate) struct Asking {
    raw: RawJudge,
    timeout: Duration,
}

impl Asking {
    /// Flags over everything that is configured.
    pub(crate) fn choose(args: &AskingArgs, config: &Config) -> Result<Self, String> {
        let mut raw = config::judge(config).map_err(|error| error.to_string())?;
        let timeout = raw.timeout.map(Duration::from_secs_f64);
        let timeout = args.judge_timeout.or(timeout).unwrap_or(TIMEOUT);
        let stand_in = |_| crosscheck::judge::StandIn::Builtin;
        match args.judge.clone() {
            None => {}
            Some(JudgeWord::Kind(kind)) => raw.kind = Some(kind),
            Some(JudgeWord::Ollama(model)) => name_endpoint(&mut raw, OLLAMA, model),
            Some(JudgeWord::OpenAi(model)) => {
                name_endpoint(&mut raw, OPENAI, Some(model));
                raw.api_key_env = Some(OPENAI_KEY.to_owned());
                raw.structured = Some(true);
            }
            Some(JudgeWord::Url(url)) => name_endpoint(&mut raw, &url, None),
        }
        if !args.judge_command.is_empty() {
            raw.command = Some(args.judge_command.clone());
        }
        raw.url = args.judge_url.clone().or(raw.url);
        raw.model = args.judge_model.clone().or(raw.model);
        raw.api_key_env = args.judge_api_key_env.clone().or(raw.api_key_env);
        raw.answers = args.judge_answers.map(Answers::from).or(raw.answers);
        raw.structured = args.judge_structured.then_some(true).or(raw.structured);
        raw.replay = args.judge_replay.clone().or(raw.replay);
        raw.fallback = args.judge_fallback.map(stand_in).or(raw.fallback);
        raw.first = args.judge_first.map(stand_in).or(raw.first);
        raw.budget = args.judge_budget.or(raw.budget);
        raw.cache = args.no_judge_cache.then_some(false).or(raw.cache);
        raw.cache_dir = args.judge_cache.clone().or(raw.cache_dir);
        Ok(Self { raw, timeout })
    }

    /// Whether text leaves this program to be judged.
    pub(crate) fn is_model(&self) -> bool {
        self.kind() != JudgeKind::Builtin
    }

    /// Whether questions are counted, so that their order matters.
    pub(crate) const fn has_budget(&self) -> bool {
        self.raw.budget.is_some()
    }

    fn kind(&self) -> JudgeKind {
        self.raw.kind.unwrap_or_default()
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
        let remembers = self.raw.cache.unwrap_or(true) && model != JudgeKind::Replay;
        let plan = Use {
            style: self.style()?,
            cache: self.raw.cache_dir.clone().or(cache).filter(|_| remembers),
            // with both, the built-in judge's answer stays where the model gives none
            fallback: self.raw.fallback.is_some() || self.kind() == JudgeKind::Both,
            builtin_first: self.raw.first.is_some() || self.kind() == JudgeKind::Both,
            budget: self.raw.budget,
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
        if self.kind() != JudgeKind::Both {
            return Ok(self.kind());
        }
        let configured = [
            (self.raw.url.is_some(), JudgeKind::Http),
            (self.raw.command.is_some(), JudgeKind::Command),
            (self.raw.replay.is_some(), JudgeKind::Replay),
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
        match self.raw.answers.unwrap_or_default() {
            Answers::Json => Ok(Style::Json),
            Answers::YesNo => {
                let (template, system) = (self.raw.template.clone(), self.raw.system.clone());
                Style::yes_no(template, system)
                    .map_err(|error| format!("`judge.template`: {error}"))
            }
        }
    }

    fn command(self, folder: &Path) -> Result<CommandModel, String> {
        let argv = self.raw.command.filter(|argv| !argv.is_empty());
        let argv = argv.ok_or("--judge command needs --judge-command")?;
        Ok(CommandModel::new(argv, folder.to_owned(), self.timeout))
    }

    fn endpoint(self, offline: bool) -> Result<HttpModel, String> {
        let url = self.raw.url.ok_or("--judge http needs --judge-url")?;
        let name = match self.raw.model {
            Some(name) => name,
            None if self.raw.kind == Some(JudgeKind::Both) && !offline => first_model(&url)?,
            None => return Err("--judge http needs --judge-model".to_owned()),
        };
        let key = match self.raw.api_key_env {
            None => None,
            Some(name) => Some(
                variable(&name)
                    .ok_or_else(|| format!("--judge-api-key-env: `{name}` is not set"))?,
            ),
        };
        let structured = self.raw.structured.unwrap_or(false);
        Ok(HttpModel::new(&url, name, key, structured, self.timeout))
    }

    fn recorded(self, folder: &Path) -> Result<ReplayModel, String> {
        let file = self
            .raw
            .replay
            .ok_or("--judge replay needs --judge-replay")?;
        let bytes = read_limited(&folder.join(file), MAX_REPLAY_BYTES)
            .map_err(|error| with_causes(&error))?;
        ReplayModel::parse(&String::from_utf8_lossy(&bytes))
            .map_err(|error| format!("--judge-replay: {error}"))
    }
}

/// The built-in judge first, and this endpoint for the rest. What is configured for another endpoint
/// does not belong to it.
fn name_endpoint(raw: &mut RawJudge, url: &str, model: Option<String>) {
    raw.kind = Some(JudgeKind::Both);
    raw.url = Some(url.to_owned());
    raw.model = model;
    (raw.command, raw.replay, raw.api_key_env) = (None, None, None);
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
