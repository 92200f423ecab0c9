//! Settings (workspace 6): command line over environment over workspace over
//! project over user over defaults, key by key.

mod compatible;
mod judges;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crosscheck_config::tables::{WORKSPACE, WorkspaceSettings};
use crosscheck_config::{Config, ConfigError, Layer, Place, Places};
pub(crate) use judges::{CLAUDE, placeholders};
pub use judges::{JudgeProfile, PromptVia, ReportVia, SystemVia};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::WorkspaceError;
use crate::read::metadata::{METADATA_FILE, Metadata};
use crate::reasons::WorkspaceReason;
use crate::voice::Voice;

const PROJECT_FILE: &str = ".claude-iterate.json";
const USER_FILE: &str = "claude-iterate/config.json";

/// Where the program was started.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The project folder, absolute.
    pub project: PathBuf,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The user's configuration folder (`~/.config` on Linux).
    pub config_home: Option<PathBuf>,
    /// Environment variables whose names begin with `CROSSCHECK_WORKSPACE_`.
    pub variables: Vec<(String, String)>,
    /// The name of the command in advice: `crosscheck workspace`.
    pub program: String,
    /// `--workspaces-dir`
    pub workspaces_dir: Option<PathBuf>,
}

impl Surroundings {
    /// A project without user configuration and variables.
    pub fn of_project(project: impl Into<PathBuf>) -> Self {
        Self {
            project: project.into(),
            home: None,
            config_home: None,
            variables: Vec::new(),
            program: "crosscheck workspace".to_owned(),
            workspaces_dir: None,
        }
    }
}

/// How thorough the check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
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
}

/// How far a passing report is trusted.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize, schemars::JsonSchema,
)]
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
}

/// How much is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// What all layers say together.
    pub chosen: WorkspaceSettings,
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
        Ok(Self {
            chosen: config.chosen()?,
            judges: judges::profiles(&config)?,
            config,
            is_strict: false,
        })
    }

    /// Under what was typed. With strict guards `.claude-iterate.json` cannot loosen
    /// anything, name a program or select the folder of workspaces.
    pub fn under(mut self, typed: Layer) -> Result<Self, WorkspaceError> {
        self.config.insert(typed);
        self.chosen = self.config.chosen()?;
        self.is_strict = self.guards() == Guards::Strict;
        if self.is_strict {
            self.config.distrust(Place::Project);
            self.chosen = self.config.chosen()?;
        }
        Ok(self)
    }

    /// With the workspace's own layer, which under strict guards can only
    /// tighten.
    pub fn with_workspace(mut self, metadata: &Metadata) -> Result<Self, WorkspaceError> {
        let mut layer = compatible::layer(Place::Workspace, METADATA_FILE);
        if let Some(config) = &metadata.config {
            compatible::add(&mut layer, config)?;
        }
        if let (Some(key), Some(url)) = (WORKSPACE.key("notify_url"), &metadata.notify_url) {
            layer.values.push((&WORKSPACE, key, json!(url)));
        }
        layer.is_found = self.is_strict;
        self.config.insert(layer);
        self.chosen = self.config.chosen()?;
        Ok(self)
    }

    /// What is ignored, and why.
    pub fn warnings(&self) -> Vec<String> {
        let notices = self.config.notices();
        notices
            .map(|notice| compatible::spelt(notice).to_string())
            .collect()
    }

    /// Reports what is ignored, and a file of the project that leads to other
    /// workspaces.
    pub(crate) fn tell(&self, voice: &mut Voice<'_>) {
        for warning in self.warnings() {
            voice.warn(&format!("Warning: {warning}"));
        }
        let layer = self.config.layer_of(&WORKSPACE, "workspaces_dir");
        let layer = layer.filter(|layer| layer.place == Place::Project);
        if let Some(file) = layer.and_then(|layer| layer.file.as_deref()) {
            voice.warn(&format!(
                "Warning: {file} of the project sets workspacesDir, which changes the check; --guards strict ignores it"
            ));
        }
    }

    /// How much is printed.
    pub fn output_level(&self) -> OutputLevel {
        word(&self.chosen.output_level).unwrap_or(OutputLevel::Progress)
    }

    /// How thorough the check is.
    pub fn depth(&self) -> Depth {
        word(&self.chosen.depth).unwrap_or(Depth::Standard)
    }

    /// How far a passing report is trusted.
    pub fn guards(&self) -> Guards {
        word(&self.chosen.guards).unwrap_or(Guards::Enforce)
    }

    /// A profile other than `none`.
    pub fn profile(&self, name: &str) -> Result<JudgeProfile, WorkspaceError> {
        let configured = self.judges.get(name).cloned();
        let mut profile = configured
            .or_else(|| JudgeProfile::built_in(name))
            .filter(|profile| !profile.command.is_empty())
            .ok_or_else(|| self.no_profile(name))?;
        if name == CLAUDE {
            profile.command.clone_from(&self.chosen.claude_command);
            profile.args.clone_from(&self.chosen.claude_args);
        }
        Ok(profile)
    }

    /// The profile of the agent; without a judge it is the default one.
    pub(crate) fn agent(&self) -> &str {
        match self.chosen.judge.as_str() {
            "none" => CLAUDE,
            judge => judge,
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
        match self.config.layer_of(&WORKSPACE, "judge") {
            Some(layer) if layer.place != Place::CommandLine => {
                self.config.refuse(&WORKSPACE, "judge", why).into()
            }
            _ => WorkspaceError::usage(why),
        }
    }
}

/// One of the words that the table lists.
fn word<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_value(Value::from(text)).ok()
}

/// In the words of the contract: layer, key, reason. Keys of other tables and
/// positions in a file follow the file's name.
impl From<ConfigError> for WorkspaceError {
    fn from(error: ConfigError) -> Self {
        let layer = error.place.name();
        let why = error.why.replace("mean workspace.", "mean ");
        let whole = error.key.strip_prefix("workspace.");
        let reason = match (whole, error.file) {
            (Some(key), _) => format!("{key}: {why}"),
            (None, Some(file)) if !compatible::is_file(&file) => {
                format!("{file}: {}: {why}", error.key)
            }
            (None, _) => format!("{}: {why}", error.key),
        };
        let message = format!("Invalid configuration: {layer} config: {reason}");
        Self::new(WorkspaceReason::Config, message)
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
