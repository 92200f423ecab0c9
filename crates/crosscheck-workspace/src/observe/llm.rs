//! Calls the LLM CLI (workspace 7).

use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck_core::Event;
use crosscheck_core::advice::with_causes;
use crosscheck_core::files::write_atomic;
use crosscheck_core::folder::Temporary;
use crosscheck_core::listener::Stream as ChildStream;
use crosscheck_process::{Ending, Kept, Program, Ran};

use crate::config::{
    CLAUDE, JudgeProfile, PromptVia, ReportVia, Settings, SystemVia, placeholders,
};
use crate::error::WorkspaceError;
use crate::plan::prompt::fill_between;
use crate::reasons::WorkspaceReason;
use crate::voice::Voice;

/// A single argument above 128 KiB cannot be passed on Linux.
const MAX_ARGUMENT: usize = 100_000;
const PROBE_TIME: Duration = Duration::from_secs(10);
const SYSTEM: &str = "--append-system-prompt";
const SAID_LIMIT: usize = 4 << 10;
/// The phase of the judge.
pub(crate) const VERIFY: &str = "verify";
/// The phase of the agent.
pub(crate) const ITERATE: &str = "iterate";
/// The variables that name phase and workspace.
const PHASE: &str = "CROSSCHECK_PHASE";
const WORKSPACE: &str = "CROSSCHECK_WORKSPACE";

/// The LLM CLI of one command invocation.
#[derive(Debug, Clone)]
pub struct Llm {
    /// Name of the profile.
    pub profile: String,
    /// How it is called.
    pub shape: JudgeProfile,
}

/// One call.
#[derive(Debug, Clone, Copy)]
pub struct LlmCall<'c> {
    /// `iterate` or `verify`.
    pub phase: &'static str,
    /// The prompt.
    pub prompt: &'c str,
    /// The system text.
    pub system: &'c str,
    /// The working folder.
    pub project: &'c Path,
    /// The workspace.
    pub workspace: &'c Path,
    /// The path of the report, when verifying.
    pub report: Option<&'c Path>,
    /// Whether permission prompts are skipped for this call.
    pub skip_permissions: bool,
    /// Time limit.
    pub time: Option<Duration>,
}

/// The result of a call.
#[derive(Debug)]
pub struct LlmAnswer {
    /// The standard output that was kept.
    pub stdout: Kept,
    /// How long it took.
    pub duration: Duration,
}

impl Llm {
    /// The profile of this name.
    pub fn of(settings: &Settings, profile: &str) -> Result<Self, WorkspaceError> {
        Ok(Self {
            profile: profile.to_owned(),
            shape: settings.profile(profile)?,
        })
    }

    /// Claude Code has arguments of its own for each phase.
    fn is_claude(&self) -> bool {
        self.profile == CLAUDE
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        let mut letters = self.profile.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        let is_known = ["claude", "codex", "gemini"].contains(&self.profile.as_str());
        match first.filter(|_| is_known) {
            Some(first) => format!("{first}{}", letters.as_str()),
            None => self.profile.clone(),
        }
    }

    /// Whether it writes the report file itself.
    pub fn writes_file(&self) -> bool {
        self.shape.report_via == ReportVia::File
    }

    /// Whether skipping permissions is already configured.
    pub fn skips_permissions(&self) -> bool {
        let skip = &self.shape.skip_permissions_args;
        !skip.is_empty() && skip.iter().all(|arg| self.shape.args.contains(arg))
    }

    /// Says that permissions are skipped, unless that is already configured.
    pub(crate) fn warn_of_skipping(&self, asked_for: bool, voice: &mut Voice<'_>) {
        if asked_for && !self.skips_permissions() {
            voice.warn("⚠️  Using --dangerously-skip-permissions (runtime override)");
        }
    }

    /// Asks for its version; without an answer it is not available.
    pub fn probe(&self, project: &Path) -> Result<(), WorkspaceError> {
        let args = &self.shape.version_args;
        if args.is_empty() {
            return Ok(());
        }
        let ran = self
            .program(project)
            .args(args)
            .time_limit(Some(PROBE_TIME))
            .keep(0)
            .run();
        match ran {
            Ok(Ran {
                ending: Ending::Exited(0),
                ..
            }) => Ok(()),
            _ => Err(WorkspaceError::new(
                WorkspaceReason::LlmUnavailable,
                format!("{} CLI not available\n{}", self.name(), self.advice(args)),
            )),
        }
    }

    fn advice(&self, args: &[String]) -> String {
        let tried = format!("`{} {}`", self.shape.command, args.join(" "));
        if self.is_claude() && self.shape.command == CLAUDE {
            format!(
                "{tried} did not answer. Install it with: npm install -g @anthropic-ai/claude-code\nOr name another judge with --judge; --judge none checks the declared criteria alone"
            )
        } else {
            format!(
                "{tried} did not answer. Install that command, or configure another one (claude.command, or a judge profile)"
            )
        }
    }

    /// Calls it and waits; a failure is an error.
    pub(crate) fn call(
        &self,
        call: &LlmCall<'_>,
        voice: &mut Voice<'_>,
    ) -> Result<LlmAnswer, WorkspaceError> {
        let prompt_file = prompt_file(&self.shape, call)?;
        let program = self.prepared(call, prompt_file.as_ref().map(|(_, path)| path.as_path()));
        let mut text = WholeText::default();
        let ran = program.run_with(&mut |event: Event<'_>| match event {
            Event::Output { stream, bytes } => {
                let text = match stream {
                    ChildStream::Stdout => text.push(bytes),
                    ChildStream::Stderr => String::from_utf8_lossy(bytes).into_owned(),
                };
                voice.llm(stream, &text);
            }
            other => voice.listener.hear(other),
        });
        voice.llm(ChildStream::Stdout, &text.finish());
        let ran = ran.map_err(|error| self.failed(&with_causes(&error), "Output: (none)"))?;
        self.answer(ran, call)
    }

    fn failed(&self, what: &str, said: &str) -> WorkspaceError {
        let message = format!("{} execution failed: {what}\n{said}", self.name());
        WorkspaceError::new(WorkspaceReason::LlmFailed, message)
    }

    fn program(&self, project: &Path) -> Program {
        // A command named with a slash is relative to the project, not to the working
        // directory.
        let command = if self.shape.command.contains('/') {
            project.join(&self.shape.command)
        } else {
            PathBuf::from(&self.shape.command)
        };
        Program::new(command, project)
    }

    fn prepared(&self, call: &LlmCall<'_>, prompt_file: Option<&Path>) -> Program {
        let mut program = self
            .program(call.project)
            .variable(PHASE, call.phase)
            .variable(WORKSPACE, call.workspace)
            .time_limit(call.time)
            .leaves_nothing();
        if let Some(report) = call.report {
            program = program.variable("CROSSCHECK_REPORT_PATH", report);
        }
        if call.phase == VERIFY {
            // the judge may look at the repository, whose settings the agent can write
            for (name, value) in crosscheck_process::git::harmless_variables(call.project) {
                program = program.variable(&name, value);
            }
            if !self.writes_file() {
                program = program.private_output();
            }
        }
        let (args, input) = self.args(call, prompt_file);
        // an argument cannot contain a NUL, but texts of files and reports may
        let program = program.args(args.into_iter().map(|arg| arg.replace('\0', "\u{FFFD}")));
        match input {
            Some(text) => program.input(text.into_bytes()),
            None => program,
        }
    }

    /// The arguments of Claude Code, which end with the prompt.
    fn claude_args(&self, call: &LlmCall<'_>) -> Vec<String> {
        let mut args = self.shape.args.clone();
        self.add_skip(&mut args, call.skip_permissions);
        if call.phase == VERIFY {
            // Last, so that it overrides the configuration: hooks, variables and
            // memory files of the project must not reach the judge.
            args.extend(["--setting-sources", "user", "--strict-mcp-config"].map(str::to_owned));
        }
        args.extend(["--print", SYSTEM, "{system}"].map(str::to_owned));
        args
    }

    fn add_skip(&self, args: &mut Vec<String>, asked_for: bool) {
        if asked_for && !self.skips_permissions() {
            args.extend(self.shape.skip_permissions_args.iter().cloned());
        }
    }

    /// The arguments, and what is written to standard input.
    fn args(
        &self,
        call: &LlmCall<'_>,
        prompt_file: Option<&Path>,
    ) -> (Vec<String>, Option<String>) {
        let profile = &self.shape;
        let (template, prompt) = if self.is_claude() {
            (self.claude_args(call), call.prompt.to_owned())
        } else {
            (profile.args.clone(), full_prompt(profile, call))
        };
        let too_long = profile.prompt_via == PromptVia::Arg && prompt.len() > MAX_ARGUMENT;
        let path = |path: Option<&Path>| {
            path.map(|path| path.display().to_string())
                .unwrap_or_default()
        };
        let values: [(&str, &str); 6] = [
            ("prompt", &*prompt),
            ("system", call.system),
            ("promptFile", &path(prompt_file)),
            ("reportPath", &path(call.report)),
            ("workspace", &path(Some(call.workspace))),
            ("project", &path(Some(call.project))),
        ];
        let mut args: Vec<String> = Vec::new();
        let own = call.phase == VERIFY && JudgeProfile::built_in("codex").as_ref() == Some(profile);
        for arg in &template {
            if too_long && placeholders(arg).contains(&"prompt") {
                // The prompt goes to standard input; its flag is removed as well.
                if args
                    .last()
                    .is_some_and(|last| last == "-p" || last == "--prompt")
                {
                    args.pop();
                }
                continue;
            }
            args.push(fill_between(("{", "}"), arg, &values));
            if own && arg == "exec" {
                args.extend(without_project(call.project));
            }
        }
        self.add_skip(&mut args, call.skip_permissions && !self.is_claude());
        // In a profile without a place for the prompt, the prompt comes last.
        match profile.prompt_via {
            PromptVia::Arg if !too_long && !profile.names("prompt") => {
                push_prompt(&mut args, &prompt);
            }
            PromptVia::File if !profile.names("promptFile") => args.push(path(prompt_file)),
            PromptVia::Arg | PromptVia::File | PromptVia::Stdin => {}
        }
        let on_stdin = too_long || profile.prompt_via == PromptVia::Stdin;
        (args, on_stdin.then_some(prompt))
    }
}

/// Keeps Codex from reading documents and settings of a project: zero bytes for
/// the first, no trust for the second, regardless of what the user's own file
/// says about that folder or one above it.
fn without_project(project: &Path) -> Vec<String> {
    let real = std::fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
    let mut folders: Vec<&Path> = project.ancestors().chain(real.ancestors()).collect();
    folders.sort_unstable();
    folders.dedup();
    let entries: Vec<String> = folders
        .iter()
        .map(|folder| {
            let name = serde_json::Value::from(folder.display().to_string());
            format!("{name}={{trust_level=\"untrusted\"}}")
        })
        .collect();
    let trust = format!("projects={{{}}}", entries.join(","));
    ["-c", "project_doc_max_bytes=0", "-c", &trust]
        .map(str::to_owned)
        .to_vec()
}

/// The prompt as the last argument; if it begins like an option (resume texts
/// begin with a line of dashes), `--` comes before it.
fn push_prompt(args: &mut Vec<String>, prompt: &str) {
    if prompt.starts_with('-') {
        args.push("--".to_owned());
    }
    args.push(prompt.to_owned());
}

fn full_prompt(profile: &JudgeProfile, call: &LlmCall<'_>) -> String {
    match profile.system_via {
        SystemVia::Arg if profile.names("system") => call.prompt.to_owned(),
        // without its own place the system text would be lost
        SystemVia::Prefix | SystemVia::Arg => {
            format!("{}\n\n{}", call.system.trim_end(), call.prompt)
        }
    }
}

/// The prompt in a file, if the profile wants one; it is removed with its folder.
fn prompt_file(
    profile: &JudgeProfile,
    call: &LlmCall<'_>,
) -> Result<Option<(Temporary, PathBuf)>, WorkspaceError> {
    if profile.prompt_via != PromptVia::File {
        return Ok(None);
    }
    let folder = Temporary::new("crosscheck-prompt-")
        .map_err(|error| WorkspaceError::file("write", Path::new("the prompt file"), &error))?;
    let path = folder.path().join("prompt.md");
    let prompt = full_prompt(profile, call);
    write_atomic(&path, prompt.as_bytes()).map_err(|error| WorkspaceError::io(&error))?;
    Ok(Some((folder, path)))
}

/// Output that arrives in pieces; a character that is cut waits for its rest.
#[derive(Default)]
struct WholeText {
    pending: Vec<u8>,
    /// The last line that was shown has not ended.
    is_open: bool,
}

impl WholeText {
    fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let cut = match std::str::from_utf8(&self.pending) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.pending.len(),
        };
        let rest = self.pending.split_off(cut);
        self.shown(rest)
    }

    /// The rest at the end; the next text begins on a new line.
    fn finish(&mut self) -> String {
        let mut text = self.shown(Vec::new());
        if self.is_open {
            text.push('\n');
        }
        text
    }

    fn shown(&mut self, rest: Vec<u8>) -> String {
        let whole = std::mem::replace(&mut self.pending, rest);
        if let Some(last) = whole.last() {
            self.is_open = *last != b'\n';
        }
        String::from_utf8_lossy(&whole).into_owned()
    }
}

impl Llm {
    fn answer(&self, ran: Ran, call: &LlmCall<'_>) -> Result<LlmAnswer, WorkspaceError> {
        let who = self.name();
        let error = match ran.ending {
            Ending::Exited(0) => {
                return Ok(LlmAnswer {
                    stdout: ran.stdout,
                    duration: ran.duration,
                });
            }
            Ending::Exited(code) => self
                .failed(&format!("{who} exited with code {code}"), &said(&ran))
                .after_exit(Some(code)),
            Ending::Signalled(signal) => self.failed(
                &format!("{who} was terminated by signal {signal}"),
                &said(&ran),
            ),
            Ending::TimedOut => WorkspaceError::new(
                WorkspaceReason::LlmTimeout,
                format!(
                    "{who} execution failed: timed out after {} s\nAllow more with --timeout SECONDS or verification.timeoutSeconds\n{}",
                    call.time.unwrap_or_default().as_secs(),
                    said(&ran)
                ),
            ),
            Ending::LeftRunning => WorkspaceError::new(
                WorkspaceReason::LeftRunning,
                format!(
                    "{who} left processes running that could not be ended, so nothing is verified"
                ),
            ),
        };
        Err(error)
    }
}

fn said(ran: &Ran) -> String {
    let stderr = ran.stderr.text();
    if !stderr.trim().is_empty() {
        return format!("Stderr: {}", stderr.trim_end());
    }
    let output = ran.stdout.end(SAID_LIMIT);
    if output.trim().is_empty() {
        "Output: (none)".to_owned()
    } else {
        format!("Output: {}", output.trim_end())
    }
}
