//! `done install`, `uninstall` and `status`.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

use crosscheck::core::advice::{RunReason, with_causes};
use crosscheck::core::files::{read_regular, write_atomic};
use crosscheck::core::text::terminal_safe;
use crosscheck::done::install::{self as hooks, Hook};
use crosscheck::done::own::{self, Proposal};

use super::place::{claude_home, codex_home};
use super::settings;
use crate::args::done::{HarnessArg, InstallArgs, PlaceArgs, ScopeArg, UninstallArgs};
use crate::failure::Failure;
use crate::output::Streams;
use crate::settings::project_root;

const MAX_SETTINGS: u64 = 4 << 20;
/// Seconds that the harness waits for the hook beyond the hook's own limit: a
/// hook that it ends lets the agent stop without a word.
const RESERVE_S: u64 = 25;
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A settings file of a harness.
struct Target {
    path: PathBuf,
    harness: HarnessArg,
}

fn target(place: &PlaceArgs) -> Result<Target, Failure> {
    let no_home = || {
        Failure::usage(
            "there is no home folder",
            "set HOME, or use --scope project",
        )
    };
    let path = match (place.harness, place.scope) {
        (HarnessArg::ClaudeCode, ScopeArg::User) => {
            claude_home().ok_or_else(no_home)?.join("settings.json")
        }
        (HarnessArg::ClaudeCode, ScopeArg::Project) => {
            project_root()?.join(".claude/settings.json")
        }
        (HarnessArg::ClaudeCode, ScopeArg::Local) => {
            project_root()?.join(".claude/settings.local.json")
        }
        (HarnessArg::Codex, ScopeArg::User) => codex_home().ok_or_else(no_home)?.join("hooks.json"),
        (HarnessArg::Codex, ScopeArg::Project) => project_root()?.join(".codex/hooks.json"),
        (HarnessArg::Codex, ScopeArg::Local) => {
            return Err(Failure::usage(
                "Codex has no settings for one user in one project",
                "use --scope project or --scope user",
            ));
        }
    };
    Ok(Target {
        path,
        harness: place.harness,
    })
}

pub(super) fn install(args: &InstallArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let target = target(&args.place)?;
    if args.warn && args.place.scope != ScopeArg::User {
        return Err(Failure::usage(
            "--warn does not count in the settings of a project",
            "use --scope user, or set `mode = \"warn\"` in your own configuration",
        ));
    }
    let proposals = if args.no_commands {
        Vec::new()
    } else {
        proposals(&project_root()?)
    };
    // the time that the harness gives the hook depends on the commands
    if !proposals.is_empty() || args.place.scope == ScopeArg::User {
        name_project(&proposals, args, streams)?;
    }
    let accepted = if args.dry_run { &proposals[..] } else { &[] };
    let hook = hook(&target, &args.place, args.warn, accepted)?;
    change(&target.path, args.yes, args.dry_run, streams, |old| {
        hooks::install(old, &hook)
    })?;
    if target.harness == HarnessArg::Codex && !args.dry_run {
        streams.talk("Codex runs a hook only after you have trusted it: start Codex in this folder and accept it.\n");
    }
    Ok(0)
}

pub(super) fn uninstall(args: &UninstallArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let target = target(&args.place)?;
    change(
        &target.path,
        args.yes,
        args.dry_run,
        streams,
        hooks::uninstall,
    )?;
    Ok(0)
}

/// The commands that the project's files name, as the last commit has them.
fn proposals(root: &Path) -> Vec<Proposal> {
    if root.join(".git").exists() {
        own::at_commit(root, "HEAD")
    } else {
        own::in_folder(root)
    }
}

/// Names this project in the person's own configuration, with the commands
/// that the gate may run here.
fn name_project(
    proposals: &[Proposal],
    args: &InstallArgs,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let root = project_root()?;
    let user = crate::settings::places(&root, None)
        .user_folder
        .map(|folder| folder.join(crosscheck::config::USER_FILE));
    let Some(user) = user else {
        streams.talk("there is no folder for your configuration: no command was set up\n");
        return Ok(());
    };
    for one in proposals {
        streams.talk(&format!(
            "{} by `{}` ({})\n",
            one.work.name(),
            one.argv.join(" "),
            one.from
        ));
    }
    if !proposals.is_empty() {
        streams.talk("The gate runs these itself, over a copy of the project, when a statement of the agent is not shown.\n");
    }
    change(&user, args.yes, args.dry_run, streams, |old| {
        Ok(hooks::with_project(old, &root, proposals))
    })
}

/// The hook: in shared settings it names the program, elsewhere the path of
/// this very one.
fn hook(
    target: &Target,
    place: &PlaceArgs,
    warn: bool,
    proposals: &[Proposal],
) -> Result<Hook, Failure> {
    let harness = place.harness;
    let own = std::env::current_exe().map_err(|error| {
        Failure::usage(
            &format!("the path of this program is not known: {error}"),
            "call it by its absolute path",
        )
    })?;
    let program = match place.scope {
        ScopeArg::Project => PathBuf::from("crosscheck"),
        ScopeArg::Local | ScopeArg::User => own,
    };
    let listed = match place.scope {
        ScopeArg::User => listed(&target.path)?,
        ScopeArg::Project | ScopeArg::Local => String::new(),
    };
    let mut held = settings::held(&project_root()?)?;
    // what would be accepted; once it is written, it is there already
    let works = proposals.iter().map(|one| one.work);
    held.reality.commands.extend(works);
    let name = match harness {
        HarnessArg::ClaudeCode => "claude-code",
        HarnessArg::Codex => "codex",
    };
    let prefix = if warn { "CROSSCHECK_DONE=warn " } else { "" };
    Ok(Hook {
        command: format!(
            "{prefix}{} done hook --harness {name}{listed} --installed {VERSION}",
            quoted(&program)
        ),
        timeout: held.time_ms().div_ceil(1000) + RESERVE_S,
        events: match harness {
            HarnessArg::ClaudeCode => vec!["Stop".to_owned(), "SubagentStop".to_owned()],
            HarnessArg::Codex => vec!["Stop".to_owned()],
        },
    })
}

/// The option that limits the hook to projects, with this project and those
/// that an older hook names.
fn listed(settings: &Path) -> Result<String, Failure> {
    let old = read(settings)?.unwrap_or_default();
    let found = hooks::installed(&old).unwrap_or_default();
    let mut projects: Vec<PathBuf> = found
        .first()
        .map_or_else(Vec::new, |(_, command)| hooks::projects_of(command));
    let root = project_root()?;
    let root = root.canonicalize().unwrap_or(root);
    if !projects.contains(&root) {
        projects.push(root);
    }
    let named = projects
        .iter()
        .map(|project| format!(" --project {}", quoted(project)));
    Ok(format!(" --listed{}", named.collect::<String>()))
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "/._-+@".contains(c));
    if plain {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Shows what would change, asks, keeps a backup, and writes.
fn change(
    path: &Path,
    yes: bool,
    dry_run: bool,
    streams: &mut Streams,
    edit: impl Fn(&str) -> Result<String, hooks::SettingsError>,
) -> Result<(), Failure> {
    let old = read(path)?;
    let new = edit(old.as_deref().unwrap_or_default()).map_err(|error| {
        Failure::usage(
            &format!("cannot change {}: {error}", path.display()),
            "repair the file first; nothing was written",
        )
    })?;
    if old.as_deref() == Some(new.as_str()) || (old.is_none() && new.trim() == "{}") {
        streams.data(format!("{}: nothing to change\n", path.display()).as_bytes())?;
        return Ok(());
    }
    let shown = hooks::difference(
        old.as_deref().unwrap_or_default(),
        &new,
        &path.display().to_string(),
    );
    streams.data(terminal_safe(&shown).as_bytes())?;
    if dry_run {
        return Ok(());
    }
    if !yes && !agreed(streams)? {
        streams.talk("nothing was written\n");
        return Ok(());
    }
    // Nothing is left of a file that held the hook alone, as one that was
    // created for it does.
    let is_left = new.trim() != "{}" || names(path).any(|backup| backup.exists());
    if !is_left {
        std::fs::remove_file(path).map_err(|error| unwritable(&error))?;
        return streams.data(format!("{}: removed\n", path.display()).as_bytes());
    }
    if let Some(old) = &old {
        let backup = backup(path);
        write_atomic(&backup, old.as_bytes()).map_err(|error| unwritable(&error))?;
        streams.talk(&format!("the file as it was: {}\n", backup.display()));
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| unwritable(&error))?;
    }
    write_atomic(path, new.as_bytes()).map_err(|error| unwritable(&error))?;
    streams.data(format!("{}: written\n", path.display()).as_bytes())
}

fn unwritable(error: &(dyn std::error::Error + 'static)) -> Failure {
    Failure::because(
        RunReason::OutputUnwritable.reason(),
        &with_causes(error),
        "check that the folder may be written to",
    )
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    if !path.exists() {
        return Ok(None);
    }
    let bytes = read_regular(path, MAX_SETTINGS).map_err(|error| {
        Failure::usage(&with_causes(&error), "check the file; nothing was written")
    })?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::usage(
            &format!("{} is not UTF-8", path.display()),
            "repair the file first; nothing was written",
        )
    })?;
    Ok(Some(text))
}

/// A name beside the file that is not taken.
fn backup(path: &Path) -> PathBuf {
    let mut all = names(path);
    let free = all.find(|path| !path.exists());
    free.or_else(|| names(path).next()).unwrap_or_default()
}

/// The names that backups of a file can have.
fn names(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = path.with_file_name(format!("{name}.crosscheck-backup"));
    let first = plain.clone();
    let numbered = (2..1000).map(move |number| {
        let mut name = first.clone().into_os_string();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    });
    std::iter::once(plain).chain(numbered)
}

pub(super) fn agreed(streams: &mut Streams) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "there is no terminal to ask on, so nothing was written",
            "pass --yes to write this, or --dry-run to only see it",
        ));
    }
    streams.talk("Write this? [y/N] ");
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    Ok(read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes"))
}

/// Where the hook is, and whether it works there.
pub(super) fn status(streams: &mut Streams) -> Result<u8, Failure> {
    let root = project_root()?;
    let claude = claude_home();
    let codex = codex_home();
    let places = [
        (
            "Claude Code, user",
            claude.map(|home| home.join("settings.json")),
        ),
        (
            "Claude Code, project",
            Some(root.join(".claude/settings.json")),
        ),
        (
            "Claude Code, local",
            Some(root.join(".claude/settings.local.json")),
        ),
        ("Codex, user", codex.map(|home| home.join("hooks.json"))),
        ("Codex, project", Some(root.join(".codex/hooks.json"))),
    ];
    let mut text = String::new();
    let mut works = false;
    for (name, path) in places {
        let Some(path) = path else {
            continue;
        };
        let (state, ok) = state(&path, &root);
        works |= ok;
        let _ = writeln!(text, "{name}: {state}\n  {}", path.display());
    }
    streams.data(terminal_safe(&text).as_bytes())?;
    Ok(if works { 0 } else { 2 })
}

fn state(path: &Path, root: &Path) -> (String, bool) {
    let Ok(Some(settings)) = read(path) else {
        let state = if path.exists() {
            "cannot be read"
        } else {
            "not installed"
        };
        return (state.to_owned(), false);
    };
    let found = match hooks::installed(&settings) {
        Ok(found) => found,
        Err(error) => return (error.to_string(), false),
    };
    let Some((_, command)) = found.first() else {
        return ("not installed".to_owned(), false);
    };
    let events: Vec<&str> = found.iter().map(|(event, _)| event.as_str()).collect();
    let program = command
        .split(" done hook")
        .next()
        .unwrap_or_default()
        .trim_start_matches("CROSSCHECK_DONE=warn ")
        .trim_matches('\'');
    let version = hooks::version_of(command).unwrap_or("of unknown version");
    let mut state = format!("installed for {} ({version})", events.join(", "));
    let is_path = program.contains('/');
    let is_there = if is_path {
        Path::new(program).is_file()
    } else {
        crosscheck::process::found(program.as_ref()).is_some()
    };
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut projects = hooks::projects_of(command).into_iter();
    let is_listed = !command.contains(" --listed")
        || projects.any(|project| real.starts_with(project))
        || is_named(root);
    if !is_there && is_path {
        let _ = write!(state, ", but {program} is not there");
    } else if !is_there {
        let _ = write!(state, ", but {program} is not on the search path");
    } else if !is_listed {
        state.push_str(", but not for this project: run `crosscheck done install` here");
    } else if version != VERSION {
        let _ = write!(state, "; this is {VERSION}: install it again");
    }
    let disabled = hooks::is_disabled(&settings);
    if disabled {
        state.push_str(", but all hooks are switched off (disableAllHooks)");
    }
    if command.starts_with("CROSSCHECK_DONE=warn") {
        state.push_str(", warns only");
    }
    if path.ends_with(".codex/hooks.json") {
        state.push_str("; Codex runs it only after you have trusted it there");
    }
    (state, is_there && is_listed && !disabled)
}

/// Whether the person named this project.
fn is_named(root: &Path) -> bool {
    settings::held(root).is_ok_and(|held| held.names(root))
}
