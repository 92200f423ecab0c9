//! Settings (workspace 6): command line over environment over workspace over
//! project over user over defaults, key by key.

mod compatible;
mod judges;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crosscheck_config::tables::WORKSPACE;
use crosscheck_config::{Config, ConfigError, Place, Places};
use crosscheck_core::canonical;
pub(crate) use judges::{CLAUDE, placeholders};
pub use judges::{JudgeProfile, PromptVia, ReportVia, SystemVia};
use serde_json::{Value, json};

use crate::error::WorkspaceError;
use crate::read::metadata::{METADATA_FILE, Metadata};
use crate::voice::Voice;

const PROJECT_FILE: &str = ".claude-iterate.json";
const USER_FILE: &str = "claude-iterate/config.json";
/// The keys that select the program of the judge.
const CLAUDE_COMMAND: &str = "claude.command";
const CLAUDE_ARGS: &str = "claude.args";

/// Where the program was started.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The project folder, absolute.
    pub project: PathBuf,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The user's configuration folder (`~/.config` on Linux).
    pub config_home: Option<PathBuf>,
    /// Where LLM CLIs keep the user's settings: profile and folder, if a
    /// variable other than `HOME` names it.
    pub cli_homes: Vec<(&'static str, PathBuf)>,
    /// Environment variables whose names begin with `CROSSCHECK_WORKSPACE_`.
    pub variables: Vec<(String, String)>,
    /// The name of the command in advice: `crosscheck workspace`.
    pub program: String,
    /// `--workspaces-dir`
    pub workspaces_dir: Option<PathBuf>,
}

impl Surroundings {
    /// The folder with the user's settings of this CLI, if it lies where the
    /// agent can write.
    pub(crate) fn exposed_settings(&self, profile: &str) -> Option<PathBuf> {
        let named = self.cli_homes.iter().find(|(name, _)| *name == profile);
        let folder = match named {
            Some((_, folder)) => folder.clone(),
            None => self.home.as_ref()?.join(format!(".{profile}")),
        };
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let is_inside = folder.is_relative()
            || folder.starts_with(&self.project)
            || real(&folder).starts_with(real(&self.project));
        is_inside.then_some(folder)
    }

    /// A project without user configuration and variables.
    pub fn of_project(project: impl Into<PathBuf>) -> Self {
        Self {
            project: project.into(),
            home: None,
            config_home: None,
            cli_homes: Vec::new(),
            variables: Vec::new(),
            program: "crosscheck workspace".to_owned(),
            workspaces_dir: None,
        }
    }
}

/// How thorough the check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Existence and counts.
    Quick,
    /// And completeness.
    Standard,
    /// And quality.
    Deep,
}

impl Depth {
    /// The word in files and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Deep => "deep",
        }
    }

    /// Reads the word, in any case.
    pub fn of(text: &str) -> Option<Self> {
        [Self::Quick, Self::Standard, Self::Deep]
            .into_iter()
            .find(|depth| depth.word().eq_ignore_ascii_case(text))
    }
}

/// How far a passing report is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Guards {
    /// Fully.
    Off,
    /// Fully, with notes.
    Warn,
    /// Unless a finding contradicts it.
    Enforce,
    /// Only with evidence.
    Strict,
}

impl Guards {
    /// The word in files and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Enforce => "enforce",
            Self::Strict => "strict",
        }
    }

    /// Reads the word, in any case.
    pub fn of(text: &str) -> Option<Self> {
        [Self::Off, Self::Warn, Self::Enforce, Self::Strict]
            .into_iter()
            .find(|guards| guards.word().eq_ignore_ascii_case(text))
    }
}

/// How much is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLevel {
    /// Errors only.
    Quiet,
    /// The essentials.
    Progress,
    /// Everything.
    Verbose,
}

/// The settings of one command.
#[derive(Debug, Clone)]
pub struct Settings {
    config: Config,
    judges: BTreeMap<String, JudgeProfile>,
    is_strict: bool,
}

impl Settings {
    /// All layers but the workspace's own.
    pub fn load(surroundings: &Surroundings) -> Result<Self, WorkspaceError> {
        let places = Places {
            root: surroundings.project.clone(),
            documents: Vec::new(),
            named: None,
            user_folder: surroundings.config_home.clone(),
            variables: surroundings.variables.clone(),
        };
        let mut config = Config::load(&places)?;
        if let Some(path) = config.user_path(&places, USER_FILE)
            && let Some(layer) = compatible::read(Place::User, &path)?
        {
            config.insert(layer);
        }
        let path = surroundings.project.join(PROJECT_FILE);
        if let Some(layer) = compatible::read(Place::Project, &path)? {
            config.insert(layer);
        }
        let judges = judges::profiles(&config)?;
        Ok(Self {
            config,
            judges,
            is_strict: false,
        })
    }

    /// Under strict guards `.claude-iterate.json` cannot loosen anything, name a
    /// program or select the folder of workspaces. `guards` is the value from
    /// the command line.
    #[must_use]
    pub fn under(mut self, guards: Option<Guards>) -> Self {
        self.is_strict = guards.unwrap_or_else(|| self.guards()) == Guards::Strict;
        if self.is_strict {
            self.config.distrust(Place::Project);
        }
        self
    }

    /// Whether files of the project can only tighten.
    pub(crate) const fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// With the workspace's own layer, which under strict guards can only
    /// tighten.
    pub fn with_workspace(mut self, metadata: &Metadata) -> Result<Self, WorkspaceError> {
        let mut layer = compatible::layer(Place::Workspace, METADATA_FILE);
        if let Some(config) = metadata.config() {
            let config = serde_json::from_str(&canonical::of_node(config)).unwrap_or(Value::Null);
            compatible::add(&mut layer, &config)?;
        }
        if let (Some(key), Some(url)) = (WORKSPACE.key("notify_url"), &metadata.notify_url) {
            layer.values.push((&WORKSPACE, key, json!(url)));
        }
        layer.is_found = self.is_strict;
        self.config.insert(layer);
        Ok(self)
    }

    /// What is ignored, and why.
    pub fn warnings(&self) -> Vec<String> {
        let notices = self.config.notices();
        notices
            .map(|notice| compatible::spelt(notice).to_string())
            .collect()
    }

    /// Reports what is ignored, and which file of the project names the program
    /// that is about to run.
    pub(crate) fn tell(&self, voice: &mut Voice<'_>) {
        for warning in self.warnings() {
            voice.warn(&format!("Warning: {warning}"));
        }
        if let Some(file) = self.file_of_project(&["workspaces_dir"]) {
            voice.warn(&format!(
                "Warning: {file} of the project sets workspacesDir, which changes the check; --guards strict ignores it"
            ));
        }
        let file = self.program_from_project();
        if let Some(file) = file.filter(|_| self.judge() == CLAUDE) {
            voice.remark(&format!(
                "Note: {file} of the project names the program that judges: {}",
                self.text(CLAUDE_COMMAND).unwrap_or_default()
            ));
        }
    }

    /// The file of the project that names the program of the default profile.
    pub fn program_from_project(&self) -> Option<&str> {
        self.file_of_project(&[CLAUDE_COMMAND, CLAUDE_ARGS])
    }

    /// The file of the project that sets one of these keys.
    fn file_of_project(&self, paths: &[&str]) -> Option<&str> {
        let layers = paths
            .iter()
            .filter_map(|path| self.config.layer_of(&WORKSPACE, path));
        let mut found = layers.filter(|layer| is_of_the_project(layer.place));
        found.next()?.file.as_deref()
    }

    /// The text under a key of `[workspace]`.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.config
            .get(&WORKSPACE, path)
            .as_str()
            .map(str::to_owned)
    }

    /// The switch under a key of `[workspace]`.
    pub(crate) fn flag(&self, path: &str) -> bool {
        self.config.get(&WORKSPACE, path) == true
    }

    /// The number under a key of `[workspace]`, where it has one.
    pub(crate) fn number(&self, path: &str) -> Option<u64> {
        self.config.get(&WORKSPACE, path).as_u64()
    }

    /// The texts under a key of `[workspace]`.
    pub(crate) fn list(&self, path: &str) -> Vec<String> {
        let list = self.config.get(&WORKSPACE, path);
        let list = list.as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// How much is printed.
    pub fn output_level(&self) -> OutputLevel {
        match self.text("output_level").as_deref() {
            Some("quiet") => OutputLevel::Quiet,
            Some("verbose") => OutputLevel::Verbose,
            _ => OutputLevel::Progress,
        }
    }

    /// Whether colours may be used.
    pub fn colors(&self) -> bool {
        self.flag("colors")
    }

    /// How thorough the check is.
    pub fn depth(&self) -> Depth {
        self.text("verification.depth")
            .and_then(|word| Depth::of(&word))
            .unwrap_or(Depth::Standard)
    }

    /// How far a passing report is trusted.
    pub fn guards(&self) -> Guards {
        self.text("verification.guards")
            .and_then(|word| Guards::of(&word))
            .unwrap_or(Guards::Enforce)
    }

    /// Which profile judges.
    pub fn judge(&self) -> String {
        self.text("judge").unwrap_or_default()
    }

    /// A profile other than `none`.
    pub fn profile(&self, name: &str) -> Result<JudgeProfile, WorkspaceError> {
        let configured = self.judges.get(name).cloned();
        let mut profile = configured
            .or_else(|| JudgeProfile::built_in(name))
            .filter(|profile| !profile.command.is_empty())
            .ok_or_else(|| self.no_profile(name))?;
        if name == CLAUDE {
            profile.command = self.text(CLAUDE_COMMAND).unwrap_or_default();
            profile.args = self.list(CLAUDE_ARGS);
        }
        Ok(profile)
    }

    /// The profile of the agent; without a judge it is the default one.
    pub(crate) fn agent(&self) -> String {
        let judge = self.judge();
        if judge == "none" {
            CLAUDE.to_owned()
        } else {
            judge
        }
    }

    fn no_profile(&self, name: &str) -> WorkspaceError {
        let why = if self.judges.contains_key(name) {
            format!("Judge '{name}' has no command")
        } else {
            let mut known = vec![CLAUDE, "codex", "gemini", "none"];
            known.extend(self.judges.keys().map(String::as_str));
            format!("Unknown judge '{name}'. Known judges: {}", known.join(", "))
        };
        if self.text("judge").as_deref() == Some(name) {
            self.config.refuse(&WORKSPACE, "judge", why).into()
        } else {
            WorkspaceError::Usage(why)
        }
    }
}

const fn is_of_the_project(place: Place) -> bool {
    matches!(place, Place::Project | Place::Workspace)
}

/// In the words of the contract: layer, key, reason. Keys of other tables and
/// positions in a file follow the file's name.
impl From<ConfigError> for WorkspaceError {
    fn from(error: ConfigError) -> Self {
        let layer = error.place.name();
        let why = error.why.replace("mean workspace.", "mean ");
        let whole = error.key.strip_prefix("workspace.");
        Self::Config(match (whole, error.file) {
            (Some(key), _) => format!("{layer} config: {key}: {why}"),
            (None, Some(file)) if !compatible::is_file(&file) => {
                format!("{layer} config: {file}: {}: {why}", error.key)
            }
            (None, _) => format!("{layer} config: {}: {why}", error.key),
        })
    }
}

/// A configured path: `~/` is the home folder, relative ones start at the project.
pub(crate) fn resolve(surroundings: &Surroundings, path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), &surroundings.home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => surroundings.project.join(path),
    }
}

#[cfg(test)]
mod tests;
