//! Settings: command line over environment over workspace over project over
//! user over defaults, key by key.

mod judges;
mod keys;
mod layers;

use std::path::{Path, PathBuf};

pub use judges::{JudgeProfile, PromptVia, ReportVia, Stream, SystemVia};
pub(crate) use judges::{PLACEHOLDERS, placeholders};
use keys::Setting;
use layers::{Layer, Merged};

use crate::error::WorkspaceError;
use crate::read::metadata::Metadata;

/// What the program knows about the place it was started in.
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
    /// How the user calls us, for advice: `crosscheck workspace`.
    pub program: String,
    /// `--workspaces-dir`
    pub workspaces_dir: Option<PathBuf>,
}

/// How thoroughly to look.
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

/// How far a passing report is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Guards {
    /// By its word.
    Off,
    /// By its word, with remarks.
    Warn,
    /// Unless something speaks against it.
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

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLevel {
    /// Errors only.
    Quiet,
    /// What matters.
    Progress,
    /// Everything.
    Verbose,
}

/// The settings of one command.
#[derive(Debug, Clone)]
pub struct Settings {
    merged: Merged,
}

impl Settings {
    /// All layers but the workspace's own.
    pub fn load(surroundings: &Surroundings) -> Result<Self, WorkspaceError> {
        let mut merged = Merged::default();
        if let Some(folder) = &surroundings.config_home {
            merged.add_compatible_file(Layer::User, &folder.join("claude-iterate/config.json"))?;
            merged.add_own_file(Layer::User, &folder.join("crosscheck/config.toml"))?;
        }
        merged.add_compatible_file(
            Layer::Project,
            &surroundings.project.join(".claude-iterate.json"),
        )?;
        merged.add_own_file(
            Layer::Project,
            &surroundings.project.join("crosscheck.toml"),
        )?;
        merged.add_variables(&surroundings.variables)?;
        Ok(Self { merged })
    }

    /// With the workspace's own layer.
    pub fn with_workspace(
        mut self,
        metadata: &Metadata,
        guards: Option<Guards>,
    ) -> Result<Self, WorkspaceError> {
        let distrust = guards.unwrap_or_else(|| self.guards()) == Guards::Strict;
        self.merged.add_workspace(metadata, distrust)?;
        Ok(self)
    }

    /// What the user should know about the settings themselves.
    pub fn warnings(&self) -> &[String] {
        &self.merged.warnings
    }

    fn text(&self, path: &str) -> Option<&str> {
        match self.merged.get(path) {
            Some(Setting::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn flag(&self, path: &str, default: bool) -> bool {
        match self.merged.get(path) {
            Some(Setting::Flag(flag)) => *flag,
            _ => default,
        }
    }

    fn number(&self, path: &str) -> Option<u64> {
        match self.merged.get(path) {
            Some(Setting::Number(number)) => Some(*number),
            _ => None,
        }
    }

    fn list(&self, path: &str) -> Option<&[String]> {
        match self.merged.get(path) {
            Some(Setting::List(list)) => Some(list),
            _ => None,
        }
    }

    /// The folder of workspaces, if one is configured.
    pub fn workspaces_dir(&self) -> Option<&str> {
        self.text("workspacesDir")
    }

    /// Default budget of a new workspace.
    pub fn default_max_iterations(&self) -> Option<u64> {
        self.number("defaultMaxIterations")
    }

    /// Default pause of a new workspace.
    pub fn default_delay(&self) -> u64 {
        self.number("defaultDelay").unwrap_or(2)
    }

    /// Default patience of a new workspace.
    pub fn default_stagnation_threshold(&self) -> u64 {
        self.number("defaultStagnationThreshold").unwrap_or(2)
    }

    /// How much is said.
    pub fn output_level(&self) -> OutputLevel {
        match self.text("outputLevel") {
            Some("quiet") => OutputLevel::Quiet,
            Some("verbose") => OutputLevel::Verbose,
            _ => OutputLevel::Progress,
        }
    }

    /// Whether colours are wanted at all.
    pub fn colors(&self) -> bool {
        self.flag("colors", true)
    }

    /// Where notifications go.
    pub fn notify_url(&self) -> Option<&str> {
        self.text("notifyUrl")
    }

    /// Whether the address wants to hear of this event.
    pub fn wants_event(&self, event: &str) -> bool {
        self.list("notifyEvents")
            .is_none_or(|events| events.iter().any(|one| one == event || one == "all"))
    }

    /// Whether the status file is watched, how long it must be quiet, and
    /// whether only progress counts.
    pub fn status_watch(&self) -> (bool, std::time::Duration, bool) {
        let quiet = self
            .number("notification.statusWatch.debounceMs")
            .unwrap_or(2000);
        (
            self.flag("notification.statusWatch.enabled", true),
            std::time::Duration::from_millis(quiet),
            self.flag("notification.statusWatch.notifyOnlyMeaningful", true),
        )
    }

    /// Whether a finished verification is announced.
    pub fn notify_on_verification(&self) -> bool {
        self.flag("verification.notifyOnVerification", true)
    }

    /// The LLM command of the default profile.
    pub fn claude_command(&self) -> &str {
        self.text("claude.command").unwrap_or("claude")
    }

    /// Its arguments.
    pub fn claude_args(&self) -> &[String] {
        self.list("claude.args").unwrap_or_default()
    }

    /// Whether `run` verifies by itself.
    pub fn auto_verify(&self) -> bool {
        self.flag("verification.autoVerify", true)
    }

    /// Whether `run` resumes after a failed verification.
    pub fn resume_on_fail(&self) -> bool {
        self.flag("verification.resumeOnFail", true)
    }

    /// Verifications of one run.
    pub fn max_attempts(&self) -> u64 {
        self.number("verification.maxAttempts").unwrap_or(2)
    }

    /// The report inside the workspace.
    pub fn report_filename(&self) -> &str {
        self.text("verification.reportFilename")
            .unwrap_or("verification-report.md")
    }

    /// How thoroughly to look.
    pub fn depth(&self) -> Depth {
        self.text("verification.depth")
            .and_then(Depth::of)
            .unwrap_or(Depth::Standard)
    }

    /// How far a passing report is believed.
    pub fn guards(&self) -> Guards {
        self.text("verification.guards")
            .and_then(Guards::of)
            .unwrap_or(Guards::Enforce)
    }

    /// How long the LLM may take; 0 is no limit.
    pub fn timeout_seconds(&self) -> u64 {
        self.number("verification.timeoutSeconds").unwrap_or(1800)
    }

    /// A command that must succeed.
    pub fn test_command(&self) -> Option<&[String]> {
        self.list("verification.testCommand")
    }

    /// Which profile judges.
    pub fn judge(&self) -> &str {
        self.text("judge").unwrap_or("claude")
    }

    /// A profile other than `claude` and `none`.
    pub fn profile(&self, name: &str) -> Result<JudgeProfile, WorkspaceError> {
        self.merged
            .judges
            .get(name)
            .cloned()
            .or_else(|| JudgeProfile::built_in(name))
            .filter(|profile| !profile.command.is_empty())
            .ok_or_else(|| self.no_profile(name))
    }

    fn no_profile(&self, name: &str) -> WorkspaceError {
        let why = if self.merged.judges.contains_key(name) {
            format!("Judge '{name}' has no command")
        } else {
            let mut known = vec!["claude", "codex", "gemini", "none"];
            known.extend(self.merged.judges.keys().map(String::as_str));
            format!("Unknown judge '{name}'. Known judges: {}", known.join(", "))
        };
        if self.text("judge") == Some(name) {
            self.merged.refuse("judge", &why)
        } else {
            WorkspaceError::Usage(why)
        }
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
