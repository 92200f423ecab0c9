//! Flags over environment over `[claims]`, `[judge]` and `[fetch]` over defaults.

use std::path::{Path, PathBuf};

use crosscheck::claims::read::Settings as ProjectSettings;
use crosscheck::claims::{Options, Rate, Risk, Tools, below, default_jobs};
use crosscheck::config::{
    self, CLAIMS, Config, ConfigError, FETCH, JUDGE, Key, Layer, Typed, loosens,
};
use crosscheck::core::advice::with_causes;
use crosscheck::fetch::Guard;
use crosscheck::render::Format;
use serde_json::Value;

use crate::args::claims::ClaimsArgs;
use crate::args::given_options;
use crate::ledger::Recorder;
use crate::settings::asking::Asking;
use crate::settings::{cache_folder, current_dir, folders_of, places, variable};

/// Everything a run needs to know.
pub(super) struct Choices {
    pub(super) options: Options,
    pub(super) tools: Tools,
    pub(super) persist: bool,
    pub(super) recorder: Recorder,
}

/// The options that `cf-verify` refuses, besides the settings that only people may type.
/// An agent that may call it without being asked each time must not gain more by it than
/// a look at files of the project: it starts no program, sends no text anywhere, reads
/// nothing else, and writes nothing but reports.
const NOT_FOR_AGENTS: [&str; 6] = [
    "root",
    "output",
    "details",
    "allow-outside-root",
    "config",
    "ledger",
];

/// Whether `cf-verify` refuses an option.
pub(super) fn is_for_people(long: &str) -> bool {
    let typed = |key: &Key| match key.typed {
        Typed::People(_) => key.typed.option().is_some_and(|(known, _)| known == long),
        Typed::All(_) | Typed::AnyCase(_) | Typed::Nowhere => false,
    };
    let mut keys = [&CLAIMS, &FETCH, &JUDGE]
        .into_iter()
        .flat_map(|table| table.keys);
    NOT_FOR_AGENTS.contains(&long) || keys.any(typed)
}

/// The option that would make `cf-verify` easier to satisfy than the user's own
/// settings do, or than it is by default.
fn loosened(typed: &Layer, config: &Config, configured: &Options) -> Option<&'static Key> {
    let mut given = typed
        .values
        .iter()
        .filter(|(table, _, _)| table.name == CLAIMS.name);
    let asked = |path: &str| {
        let found = typed.values.iter().find(|(_, key, _)| key.path == path);
        found.map(|(_, _, value)| value)
    };
    let risk = asked("risk").and_then(|word| serde_json::from_value(word.clone()).ok());
    let risk = risk.unwrap_or(configured.risk);
    let defaults = ProjectSettings::default();
    let loosens = |key: &Key, value: &Value| match key.path {
        // the risk is the agent's to name, unless the user asks for more
        "risk" => configured.risk == Risk::High && risk != Risk::High,
        "sample_rate" => {
            let least = configured.sample_rate.as_ref();
            let rate = value.as_str().and_then(Rate::parse);
            rate.is_some_and(|rate| rate.is_below(least.unwrap_or(defaults.rate(risk))))
        }
        _ => loosens(config, &CLAIMS, key, value),
    };
    given.find_map(|(_, key, value)| loosens(key, value).then_some(*key))
}

fn refuse_to_agents(args: &ClaimsArgs) -> Result<(), String> {
    let model = Some("judge".to_owned()).filter(|_| args.asking.names_model());
    match model.or_else(|| given_options().find(|long| is_for_people(long))) {
        Some(option) => Err(format!(
            "--{option} is not for `cf-verify`, which agents call; use `crosscheck claims --{option}`"
        )),
        None => Ok(()),
    }
}

pub(super) fn choose(args: &ClaimsArgs, root: &Path) -> Result<Choices, String> {
    if args.by_agent {
        refuse_to_agents(args)?;
    }
    let wrong = |error: ConfigError| error.to_string();
    let mut places = places(root, args.config.as_deref());
    let documents: Vec<PathBuf> = args
        .result
        .iter()
        .chain(&args.batch)
        .map(|name| root.join(name))
        .filter(|path| path.exists())
        .collect();
    places.documents = folders_of(documents.iter().map(PathBuf::as_path));
    let mut config = Config::load(&places).map_err(wrong)?;
    let named = args.record.ledger.as_deref();
    let recorder = Recorder::configured(named, &config, root)
        .map_err(|failure| failure.message().to_owned())?;
    let mut options = Options {
        jobs: default_jobs(),
        ..Options::new(root.to_owned())
    };
    let typed = args.layer();
    if args.by_agent {
        config::claims(&config, &mut options).map_err(wrong)?;
        if let Some((option, _)) =
            loosened(&typed, &config, &options).and_then(|key| key.typed.option())
        {
            return Err(format!(
                "--{option} may only tighten what is configured in `cf-verify`, which agents call; use `crosscheck claims`"
            ));
        }
    }
    config.insert(typed);
    let chosen = config::claims(&config, &mut options).map_err(wrong)?;
    let asking = Asking::choose(&config)?;
    let mut fetch = config::web(&config, &variable).map_err(wrong)?;
    if args.by_agent {
        // whoever wrote the document does not choose the sample
        options.seed = None;
        // nor does a variable or the user's file widen what is read
        fetch.guard = Guard::default();
        options.confined = true;
        options.allow_paths = Vec::new();
        options.hides_private = true;
    }
    options.offline |= fetch.offline;
    fetch.offline = options.offline;
    options.read_settings = !args.ignore_settings;
    options.details = args.details.is_some();
    options.views = args.format != Format::Json || recorder.is_on();
    options.notices = config.notices().map(ToString::to_string).collect();
    // File text leaves the machine with a model, so it stays in the root then.
    options.confined = (options.confined || asking.is_model()) && !args.allow_outside_root;
    if asking.has_budget() {
        // With a budget the order of questions matters, so they are put one after the other.
        options.jobs = 1;
    }
    let remembered = cache_folder(root).map(|folder| folder.join("judge"));
    let judge = asking.judge(root, remembered, options.offline)?;
    let search = chosen.search_command.unwrap_or_default();
    Ok(Choices {
        options,
        tools: Tools::new(judge, fetch, search, root),
        recorder,
        persist: chosen.persist,
    })
}

/// Where `cf-verify` may write a report that the agent names: a new `.json`
/// file of the project or an earlier report, in no hidden folder but its own.
pub(super) fn check_out_of_agent(root: &Path, out: &Path) -> Result<(), String> {
    const OWN_FOLDER: &str = ".claude/context-firewall";
    let refuse = |why: &str| Err(format!("--out: {why}: {}", out.display()));
    let path = match below(root, out) {
        Ok(path) => path,
        Err(error) => return Err(format!("--out: {}", with_causes(&error))),
    };
    let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let inside = path.strip_prefix(&root).unwrap_or(&path);
    let is_hidden = |path: &Path| {
        path.iter()
            .any(|part| part.as_encoded_bytes().starts_with(b"."))
    };
    if inside.extension().is_none_or(|ending| ending != "json") {
        return refuse("the name must end in .json");
    }
    if is_hidden(inside.strip_prefix(OWN_FOLDER).unwrap_or(inside)) {
        return refuse("hidden files and folders are refused");
    }
    Ok(())
}

pub(super) fn project_root(named: Option<&Path>) -> Result<PathBuf, String> {
    let here = current_dir().map_err(|failure| failure.message().to_owned())?;
    Ok(named.map_or(here.clone(), |root| here.join(root)))
}
