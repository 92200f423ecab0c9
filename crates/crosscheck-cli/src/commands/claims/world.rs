//! What a run looks with: judge, fetcher, search, as the command line asks.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crosscheck::claims::observe::{FetchedPages, NoPages, NoSearch, Pages, Search, SearchCommand};
use crosscheck::core::clock::SystemClock;
use crosscheck::core::files::read_limited;
use crosscheck::core::judge::Judge;
use crosscheck::ground::http::{FetchSettings, Fetcher, Guard, Limits};
use crosscheck::ground::judges::{CommandModel, HttpModel, Lexical, ModelJudge, ReplayModel, Use};

use crate::args::claims::{ClaimsArgs, JudgeWord};

/// Recorded answers may take as much.
const MAX_REPLAY_BYTES: u64 = 64 * 1024 * 1024;

/// Everything a run looks with besides files.
pub(super) struct Tools {
    pub(super) judge: Box<dyn Judge>,
    pub(super) pages: Box<dyn Pages>,
    pub(super) search: Box<dyn Search>,
}

impl Tools {
    pub(super) fn new(args: &ClaimsArgs, root: &Path) -> Result<Self, String> {
        Ok(Self {
            judge: judge(args, root)?,
            pages: pages(args)?,
            search: if args.search_command.is_empty() {
                Box::new(NoSearch)
            } else {
                Box::new(SearchCommand {
                    argv: args.search_command.clone(),
                    folder: root.to_owned(),
                })
            },
        })
    }
}

fn pages(args: &ClaimsArgs) -> Result<Box<dyn Pages>, String> {
    if args.offline {
        return Ok(Box::new(NoPages));
    }
    let mut networks = Vec::new();
    for text in &args.allow_cidr {
        let network = text
            .parse()
            .map_err(|_| format!("--allow-cidr: `{text}` is no network"))?;
        networks.push(network);
    }
    let settings = FetchSettings {
        guard: Guard {
            allow_private: args.allow_private,
            allow_networks: networks,
        },
        require_https: args.require_https,
        allow_downgrade: args.allow_downgrade,
        limits: Limits {
            total: Duration::from_secs(args.timeout),
            ..Limits::default()
        },
        retry_wait: Duration::from_secs(args.retry_wait),
        ..FetchSettings::default()
    };
    Ok(Box::new(LazyPages {
        settings,
        fetcher: std::sync::OnceLock::new(),
    }))
}

/// Most documents name no page; the fetcher is set up when one does.
struct LazyPages {
    settings: FetchSettings,
    fetcher: std::sync::OnceLock<Result<FetchedPages, String>>,
}

impl Pages for LazyPages {
    fn fetch(&self, url: &str) -> crosscheck::claims::observe::PageSeen {
        let fetcher = self.fetcher.get_or_init(|| {
            Fetcher::new(self.settings.clone(), Arc::new(SystemClock))
                .map(FetchedPages)
                .map_err(|error| crosscheck::core::advice::with_causes(&error))
        });
        match fetcher {
            Ok(pages) => pages.fetch(url),
            Err(why) => crosscheck::claims::observe::PageSeen::Failed(why.clone()),
        }
    }
}

fn judge(args: &ClaimsArgs, root: &Path) -> Result<Box<dyn Judge>, String> {
    let timeout = Duration::from_secs(args.judge_timeout);
    let plan = Use {
        cache: cache(args),
        fallback: args.judge_fallback.is_some(),
        builtin_first: args.judge_first.is_some(),
        budget: args.judge_budget,
    };
    Ok(match args.judge {
        JudgeWord::Builtin => Box::new(Lexical),
        JudgeWord::Command => {
            if args.judge_command.is_empty() {
                return Err("--judge command needs --judge-command".to_owned());
            }
            let model = CommandModel::new(args.judge_command.clone(), root.to_owned(), timeout);
            Box::new(ModelJudge::new(model, plan))
        }
        JudgeWord::Http => {
            let url = args
                .judge_url
                .as_deref()
                .ok_or("--judge http needs --judge-url")?;
            let name = args
                .judge_model
                .clone()
                .ok_or("--judge http needs --judge-model")?;
            let model = HttpModel::new(url, name, key(args)?, args.judge_structured, timeout);
            Box::new(ModelJudge::new(model, plan))
        }
        JudgeWord::Replay => {
            let file = args
                .judge_replay
                .as_ref()
                .ok_or("--judge replay needs --judge-replay")?;
            let bytes = read_limited(&root.join(file), MAX_REPLAY_BYTES)
                .map_err(|error| crosscheck::core::advice::with_causes(&error))?;
            let model = ReplayModel::parse(&String::from_utf8_lossy(&bytes))
                .map_err(|error| format!("--judge-replay: {error}"))?;
            let plan = Use {
                cache: None,
                ..plan
            };
            Box::new(ModelJudge::new(model, plan))
        }
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "the command line reads the environment"
)]
fn key(args: &ClaimsArgs) -> Result<Option<String>, String> {
    match &args.judge_api_key_env {
        None => Ok(None),
        Some(name) => match std::env::var(name) {
            Ok(key) if !key.is_empty() => Ok(Some(key)),
            _ => Err(format!("--judge-api-key-env: `{name}` is not set")),
        },
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the command line reads the environment"
)]
fn cache(args: &ClaimsArgs) -> Option<PathBuf> {
    if args.no_judge_cache {
        return None;
    }
    args.judge_cache.clone().or_else(|| {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let base = set("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".cache")))?;
        Some(base.join("crosscheck").join("judge"))
    })
}
