//! What the checks of a policy ask for: one step for each input.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck::Neutral;
use crosscheck::batch::{Job, Refusal, Runner, Work, reports};
use crosscheck::config::{Check, PROJECT_FILE};
use crosscheck::core::advice::{RunReason, with_causes};
use crosscheck::core::clock::{Clock as _, SystemClock, utc_seconds};
use crosscheck::core::files::read_limited;
use crosscheck::process::git::Git;
use crosscheck::process::{Ending, Program};
use serde_json::{Map, Value, json};

use super::outcome::Finished;
use crate::args::ci::CiArgs;
use crate::commands::patterns::{is_wild, matching};
use crate::failure::Failure;
use crate::settings::database::named as database;
use crate::settings::variable;

/// Seconds for a check in a process of its own.
const CHILD_TIME: Duration = Duration::from_mins(10);

/// The largest contract or registry that is compared with that of the policy.
const RULES_MAX: u64 = 64 << 20;

/// How much is shown of what such a check says when it fails.
const SAID_MAX: usize = 400;

/// Keys that name a file which a job reads.
const FILES: [&str; 8] = [
    "log",
    "contract",
    "events",
    "registry",
    "document",
    "trace",
    "plan",
    "transcript",
];

/// One run of a check.
pub(super) struct Step<'c> {
    /// Its place among all steps.
    pub(super) index: usize,
    pub(super) check: &'c Check,
    /// The input it is about.
    input: String,
    /// Whether what the check accepts still counts.
    is_in_time: bool,
    todo: Result<Todo, Refusal>,
}

enum Todo {
    /// In this process.
    Work(Box<Work>),
    /// By a command that no job has.
    Child(Vec<String>),
}

impl<'c> Step<'c> {
    pub(super) fn run(&self, runner: &Runner, root: &Path) -> Finished<'c> {
        let done = match &self.todo {
            Ok(Todo::Work(work)) => runner.report(work),
            Ok(Todo::Child(words)) => child(words, root),
            Err(refusal) => Err(refusal.clone()),
        };
        let done = done.map(|report| below(root, report));
        Finished::new(self.check, &self.input, self.is_in_time, done)
    }
}

/// Makes steps of checks.
pub(super) struct Planner<'p> {
    root: &'p Path,
    /// The commit of the policy, if it is not the project's.
    policy: Option<String>,
    /// What differs from the base, if only that counts.
    changed: Option<Changes>,
    today: String,
    planned: usize,
    files: BTreeSet<PathBuf>,
    skipped: Vec<String>,
}

impl<'p> Planner<'p> {
    pub(super) fn new(root: &'p Path, args: &CiArgs) -> Result<Self, Failure> {
        let base = args.policy.as_deref().unwrap_or("HEAD");
        let changed = args.changed.then(|| Changes::since(root, base)).transpose();
        let changed = changed.map_err(|why| {
            Failure::usage(
                &format!("cannot find what has changed: {why}"),
                "leave out --changed, or name a commit that is there with --policy",
            )
        })?;
        let mut today = utc_seconds(SystemClock.now());
        today.truncate("2026-12-31".len());
        Ok(Self {
            root,
            policy: args.policy.clone(),
            changed,
            today,
            planned: 0,
            files: BTreeSet::new(),
            skipped: Vec::new(),
        })
    }

    /// The steps of one check; one that cannot be done says why.
    pub(super) fn steps<'c>(&mut self, check: &'c Check, runner: &mut Runner) -> Vec<Step<'c>> {
        let is_in_time = check
            .text("expires")
            .is_none_or(|expires| self.today.as_str() <= expires);
        let (key, _) = check.inputs();
        let todos: Vec<(String, Result<Todo, Refusal>)> = match self.inputs(check, runner) {
            Err(refusal) => vec![(check.name.clone(), Err(refusal))],
            Ok(inputs) if self.is_unchanged(check, &inputs) => {
                self.skipped.push(check.name.clone());
                Vec::new()
            }
            Ok(inputs) => {
                let todo = |input: String| (input.clone(), todo(check, key, &input));
                inputs.into_iter().map(todo).collect()
            }
        };
        let first = self.planned;
        self.planned += todos.len();
        let step = |(at, (input, todo))| Step {
            index: first + at,
            check,
            input,
            is_in_time,
            todo,
        };
        todos.into_iter().enumerate().map(step).collect()
    }

    /// Every file that a step reads, and the policy.
    pub(super) fn files(&self, config: Option<&Path>) -> Vec<PathBuf> {
        let policy = config.map_or_else(|| self.root.join(PROJECT_FILE), Path::to_owned);
        let policy = Some(policy).filter(|path| path.is_file());
        policy
            .into_iter()
            .chain(self.files.iter().cloned())
            .collect()
    }

    /// Checks that were left out.
    pub(super) fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// The inputs of a check, after its database was opened.
    fn inputs(&mut self, check: &Check, runner: &mut Runner) -> Result<Vec<String>, Refusal> {
        let (key, patterns) = check.inputs();
        let found = match key {
            "workspace" => patterns.iter().map(|name| (*name).to_owned()).collect(),
            "event" => {
                let paths = patterns.iter().map(|name| event_file(name));
                paths.collect::<Result<_, _>>()?
            }
            _ => self.expand(&patterns)?,
        };
        for path in ["contract", "registry"]
            .iter()
            .filter_map(|key| check.text(key))
        {
            self.must_be_of_policy(path)?;
        }
        let fixed = ["contract", "registry", "plan", "checks", "sqlite"];
        let fixed = fixed.iter().filter_map(|key| check.text(key));
        let all = found.iter().map(String::as_str).chain(fixed);
        for path in all.map(|path| self.root.join(path)) {
            // a run directory is all that lies in it
            let inside = path.is_dir().then(|| matching(&path, "**"));
            let inside = inside.and_then(Result::ok).unwrap_or_default();
            let all = [vec![path], inside].concat();
            self.files
                .extend(all.into_iter().filter(|path| path.is_file()));
        }
        if let Some(name) = check.text("db") {
            let value = variable(name)
                .ok_or_else(|| unusable(format!("the environment variable `{name}` is not set")))?;
            // what is neither an address nor a file may be a secret of another kind
            let is_address = value.contains("://") || value.starts_with("sqlite:");
            if !is_address && !self.root.join(&value).is_file() {
                let message = format!("`{name}` holds neither the URL nor the file of a database");
                return Err(unusable(message));
            }
            let opened = database(&value).map_err(unusable)?;
            runner.databases.insert(name.to_owned(), opened);
        }
        Ok(found)
    }

    /// The paths that patterns name, below the root, sorted by their bytes.
    fn expand(&self, patterns: &[&str]) -> Result<Vec<String>, Refusal> {
        let mut all = BTreeSet::new();
        for pattern in patterns {
            if !is_wild(pattern) {
                all.insert((*pattern).to_owned());
                continue;
            }
            let found = matching(self.root, pattern).map_err(unusable)?;
            let before = all.len();
            let below = found
                .iter()
                .filter_map(|path| path.strip_prefix(self.root).ok()?.to_str());
            all.extend(below.map(str::to_owned));
            if all.len() == before {
                return Err(unusable(format!("no file matches `{pattern}`")));
            }
        }
        Ok(all.into_iter().collect())
    }

    /// What says how a check is made comes with the policy: a branch does not change it.
    fn must_be_of_policy(&self, path: &str) -> Result<(), Refusal> {
        let Some(policy) = &self.policy else {
            return Ok(());
        };
        let differs = |why: &str| unusable(format!("`{path}` is not that of `{policy}`: {why}"));
        let git = Git::of(self.root);
        let known = git
            .commit(policy)
            .and_then(|commit| git.ask(&["show", &format!("{commit}:./{path}")]))
            .map_err(|why| differs(&why))?;
        let own = read_limited(&self.root.join(path), RULES_MAX)
            .map_err(|error| differs(&with_causes(&error)))?;
        if own != known.into_bytes() {
            return Err(differs("the branch changes what it is checked by"));
        }
        Ok(())
    }

    fn is_unchanged(&self, check: &Check, inputs: &[String]) -> bool {
        let Some(changed) = &self.changed else {
            return false;
        };
        let fixed = ["contract", "registry", "plan", "checks", "sqlite"];
        let fixed = fixed.iter().filter_map(|key| check.text(key));
        let mut read = inputs.iter().map(String::as_str).chain(fixed);
        // a workspace and a session are about the whole project
        let is_about_all = matches!(check.verifier.name, "workspace" | "done" | "claims" | "pr");
        !is_about_all
            && changed.are_same(self.root, PROJECT_FILE)
            && read.all(|path| changed.are_same(self.root, path))
    }
}

/// What differs between the working tree and where the branch left a commit.
struct Changes {
    /// The files of that commit.
    known: BTreeSet<String>,
    /// Those that differ now.
    different: BTreeSet<String>,
}

impl Changes {
    fn since(root: &Path, base: &str) -> Result<Self, String> {
        let git = Git::of(root);
        let base = git.commit(base)?;
        let fork = git.ask(&["merge-base", &base, "HEAD"])?;
        let fork = fork.trim();
        let names = |words: &[&str]| -> Result<BTreeSet<String>, String> {
            let said = git.ask(words)?;
            let names = said.split('\0').filter(|name| !name.is_empty());
            Ok(names.map(str::to_owned).collect())
        };
        Ok(Self {
            known: names(&["ls-tree", "-r", "--name-only", "-z", fork])?,
            different: names(&["diff", "--name-only", "--relative", "-z", fork, "--"])?,
        })
    }

    /// Whether git vouches for it: a file of that commit, as it was, and not behind a link. A folder
    /// may hold what git does not see.
    fn are_same(&self, root: &Path, path: &str) -> bool {
        let ancestors = Path::new(path).ancestors();
        let mut parts = ancestors.filter(|part| !part.as_os_str().is_empty());
        self.known.contains(path)
            && !self.different.contains(path)
            && !parts.any(|part| root.join(part).is_symlink())
    }
}

/// The report with paths that begin at the project, so that it is the same wherever that lies.
fn below(root: &Path, mut report: Neutral) -> Neutral {
    let prefix = format!("{}/", root.display());
    let cut = |text: &mut String| {
        if let Some(rest) = text.strip_prefix(&prefix) {
            *text = rest.to_owned();
        }
    };
    cut(&mut report.subject);
    let places = report.outcomes.iter_mut();
    let places = places.filter_map(|outcome| outcome.place.as_mut());
    places.for_each(|place| cut(&mut place.path));
    report
}

/// What a job or a command line does for one input.
fn todo(check: &Check, key: &str, input: &str) -> Result<Todo, Refusal> {
    if check.verifier.name == "pr" {
        if key == "text" && check.text("base").is_none() {
            let message = "a text needs `base`, the commit that the change is compared with";
            return Err(unusable(message.to_owned()));
        }
        let given = |key: &str| Some(format!("--{key}={}", check.text(key)?));
        let given = [given("base"), given("checks")].into_iter().flatten();
        let words = ["pr".to_owned(), "--format=ndjson".to_owned()].into_iter();
        let input = format!("--{key}={input}");
        return Ok(Todo::Child(words.chain(given).chain([input]).collect()));
    }
    let task = match check.verifier.name {
        "workspace" => "verify",
        name => name,
    };
    let mut job = Map::from_iter([("task".to_owned(), json!(task))]);
    let named = |key: &str, value: &Value| {
        if FILES.contains(&key) {
            json!({ "path": value })
        } else {
            value.clone()
        }
    };
    let own = [check.verifier.needs, check.verifier.takes].concat();
    for (name, value) in &check.values {
        if own.contains(&name.as_str()) {
            job.insert(name.clone(), named(name, value));
        }
    }
    if let Some(database) = check.text("db").or_else(|| check.text("sqlite")) {
        job.insert("db".to_owned(), json!(database));
    }
    job.insert(key.to_owned(), named(key, &json!(input)));
    let line = Value::Object(job).to_string();
    Job::read(line.as_bytes()).work.map(Todo::Work)
}

/// Runs a command of our own program, and reads its report.
fn child(words: &[String], root: &Path) -> Result<Neutral, Refusal> {
    let program = std::env::current_exe().map_err(|error| unusable(error.to_string()))?;
    let ran = Program::new(program, root)
        .args(words)
        .time_limit(Some(CHILD_TIME))
        .run()
        .map_err(|error| unusable(with_causes(&error)))?;
    let is_report = matches!(ran.ending, Ending::Exited(0..=2));
    let read = reports(&ran.stdout.text());
    let report = is_report.then(|| read.ok()?.into_iter().next());
    report.flatten().ok_or_else(|| {
        let said = ran.stderr.end(SAID_MAX);
        unusable(format!(
            "`crosscheck {}` gave no report: {said}",
            words.join(" ")
        ))
    })
}

/// The file that a CI names in a variable of its own.
fn event_file(name: &str) -> Result<String, Refusal> {
    if !name.ends_with("_EVENT_PATH") {
        let message = format!("`{name}` is no variable with an event file: GITHUB_EVENT_PATH is");
        return Err(unusable(message));
    }
    let unset = || unusable(format!("the environment variable `{name}` is not set"));
    variable(name).ok_or_else(unset)
}

fn unusable(message: String) -> Refusal {
    Refusal::new(
        RunReason::CliUsage.reason(),
        message,
        "correct the check in the policy, or what it names",
    )
}
