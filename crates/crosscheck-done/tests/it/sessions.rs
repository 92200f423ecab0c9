//! Whole sessions, written as small scripts: what ran, what changed, what was
//! said, and what the gate must make of it. `tests/sessions/README.md`
//! explains the form.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crosscheck_config::Layer;
use crosscheck_config::tables::DONE;
use crosscheck_done::audit::Replay;
use crosscheck_done::config::{Mode, Settings};
use crosscheck_done::gate::{self, Identity, Layers, Task, action_word};
use crosscheck_done::place::Places;
use crosscheck_done::read::session::Log;
use crosscheck_done::reasons::verdict_word;
use crosscheck_done::tamper::Steering;
use serde_json::{Value, json};

/// One script.
struct Script {
    title: String,
    lines: Vec<String>,
}

fn scripts(name: &str) -> Vec<Script> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/sessions")
        .join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let mut all: Vec<Script> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            all.push(Script {
                title: title.to_owned(),
                lines: Vec::new(),
            });
        } else if let Some(last) = all.last_mut()
            && !line.is_empty()
        {
            last.lines.push(line.to_owned());
        }
    }
    all
}

/// A project and the log of a session in it.
struct Stage {
    folder: tempfile::TempDir,
    log: Vec<Value>,
    calls: usize,
    messages: usize,
    same_message: bool,
    clock: u64,
    /// When the session takes place; files are written today.
    year: u16,
    /// Whether the first line bears a time that is still to come.
    is_ahead: bool,
    /// Where the session was started.
    from: PathBuf,
    /// `CROSSCHECK_DONE`.
    mode: Option<Mode>,
    /// Digests of files of settings that the person accepted.
    accepted: Vec<String>,
    agents: usize,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("project")).unwrap();
        Self {
            from: folder.path().join("project"),
            is_ahead: false,
            mode: None,
            accepted: Vec::new(),
            folder,
            log: Vec::new(),
            calls: 0,
            messages: 0,
            same_message: false,
            clock: 0,
            year: 2090,
            agents: 0,
        }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The log is as old as its lines.
    fn settle(&self, log: &Path) {
        if self.is_ahead {
            return;
        }
        let years = u64::from(self.year.saturating_sub(1970)) + 1;
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(years * 31_557_600);
        let file = std::fs::File::options().write(true).open(log).unwrap();
        file.set_modified(time).unwrap();
    }

    fn session(&self) -> PathBuf {
        self.folder.path().join("home/.claude/projects/p/s1.jsonl")
    }

    /// Variables that say who makes a commit, and when.
    fn author(&self, time: &str) -> Vec<(String, String)> {
        let of = |who: &str| {
            [
                (format!("GIT_{who}_NAME"), "t".to_owned()),
                (format!("GIT_{who}_EMAIL"), "t@localhost".to_owned()),
                (
                    format!("GIT_{who}_DATE"),
                    format!("{}-10-01T{time}Z", self.year),
                ),
            ]
        };
        ["AUTHOR", "COMMITTER"].into_iter().flat_map(of).collect()
    }

    fn git(&self, args: &[&str], time: &str) -> String {
        let ran = Command::new("git")
            .args(args)
            .current_dir(self.root())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(self.author(time))
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
        String::from_utf8(ran.stdout).unwrap().trim().to_owned()
    }

    fn file(&self, name: &str, text: &str) {
        let path = if name.starts_with('/') {
            PathBuf::from(name)
        } else {
            self.root().join(name)
        };
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn line(&mut self, mut line: Value) {
        self.clock += 1;
        line["uuid"] = json!(format!("u{}", self.clock));
        line["parentUuid"] = if self.log.is_empty() {
            Value::Null
        } else {
            json!(format!("u{}", self.clock - 1))
        };
        line["sessionId"] = json!("s1");
        line["timestamp"] = json!(format!(
            "{}-10-01T10:{:02}:{:02}.000Z",
            self.year,
            self.clock / 60,
            self.clock % 60
        ));
        line["isSidechain"] = json!(false);
        if line.get("cwd").is_none() {
            line["cwd"] = json!(self.from);
        }
        if self.year == 0 {
            line.as_object_mut().unwrap().remove("timestamp");
        }
        self.log.push(line);
    }

    fn call(&mut self, name: &str, input: &Value) -> String {
        self.calls += 1;
        if !self.same_message {
            self.messages += 1;
        }
        self.same_message = false;
        let id = format!("toolu_{}", self.calls);
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        self.line(json!({"type": "assistant", "message": {"id": format!("msg_{}", self.messages), "role": "assistant", "content": [block]}}));
        id
    }

    fn answer(&mut self, id: &str, content: &str, failed: bool, data: &Value) {
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed});
        self.line(json!({"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": data}));
    }

    /// A command with its output and how it ended.
    fn run(&mut self, command: &str, output: &str, ending: &str) {
        let id = self.call("Bash", &json!({"command": command}));
        let data =
            |flag: &str| json!({"stdout": output, "stderr": "", "interrupted": flag == "int"});
        match ending {
            "none" => {}
            "0" | "int" => self.answer(&id, output, false, &data(ending)),
            "bg" => {
                let mut data = data("");
                data["backgroundTaskId"] = json!("b1");
                self.answer(
                    &id,
                    "Command running in background with ID: b1",
                    false,
                    &data,
                );
            }
            "denied" => self.answer(
                &id,
                "<tool_use_error>Permission to use Bash has been denied.</tool_use_error>",
                true,
                &json!("Error"),
            ),
            "timeout" => self.answer(
                &id,
                &format!("Exit code 143\n{output}\nCommand timed out after 2m 0.0s"),
                true,
                &json!("Error"),
            ),
            code if code.starts_with("bg-") => {
                let mut data = data("");
                data["backgroundTaskId"] = json!("b1");
                self.answer(
                    &id,
                    "Command running in background with ID: b1",
                    false,
                    &data,
                );
                let exit = code.get(3..).unwrap();
                let text = format!(
                    "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>{id}</tool-use-id>\n<status>completed</status>\n<summary>Background command finished with exit code {exit}</summary>\n</task-notification>"
                );
                self.line(json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": text}}));
            }
            code => self.answer(
                &id,
                &format!("Exit code {code}\n{output}"),
                true,
                &json!(format!("Error: Exit code {code}\n{output}")),
            ),
        }
    }

    fn edit(&mut self, path: &str, old: &str, new: &str, failed: bool) {
        let full = if path.starts_with('/') {
            path.to_owned()
        } else {
            self.root().join(path).display().to_string()
        };
        let id = self.call(
            "Edit",
            &json!({"file_path": full, "old_string": old, "new_string": new}),
        );
        if failed {
            self.answer(
                &id,
                "<tool_use_error>String to replace not found in file.</tool_use_error>",
                true,
                &json!("Error"),
            );
        } else {
            self.answer(
                &id,
                "The file has been updated.",
                false,
                &json!({"filePath": full}),
            );
        }
    }

    fn write(&mut self, path: &str, text: &str) {
        let full = if path.starts_with('/') {
            path.to_owned()
        } else {
            self.root().join(path).display().to_string()
        };
        let id = self.call("Write", &json!({"file_path": full, "content": text}));
        self.file(path, text);
        self.answer(
            &id,
            "File created successfully",
            false,
            &json!({"type": "create", "filePath": full, "content": text}),
        );
    }

    /// Ends a subagent's part: what was logged since goes to its own file.
    fn agent(&mut self, kind: &str, from: usize, readable: bool) {
        let own: Vec<Value> = self.log.drain(from..).collect();
        self.agents += 1;
        let name = format!("a{}", self.agents);
        let id = self.call(
            "Agent",
            &json!({"subagent_type": kind, "prompt": "p", "description": "d"}),
        );
        self.answer(
            &id,
            "done",
            false,
            &json!({"agentId": name, "status": "completed"}),
        );
        if readable {
            let folder = self.session().with_extension("").join("subagents");
            std::fs::create_dir_all(&folder).unwrap();
            let lines: Vec<String> = own
                .into_iter()
                .map(|mut line| {
                    line["isSidechain"] = json!(true);
                    line.to_string()
                })
                .collect();
            std::fs::write(
                folder.join(format!("agent-{name}.jsonl")),
                lines.join("\n") + "\n",
            )
            .unwrap();
        }
    }
}

/// Lines with a mark before them, joined.
fn block(lines: &[String], at: &mut usize, mark: &str) -> String {
    let mut text = String::new();
    while let Some(rest) = lines.get(*at).and_then(|line| line.strip_prefix(mark)) {
        text.push_str(rest.strip_prefix(' ').unwrap_or(rest));
        text.push('\n');
        *at += 1;
    }
    text
}

/// What a script expects.
#[derive(Default)]
struct Expected {
    claims: Vec<String>,
    findings: Vec<String>,
    tamper: Vec<String>,
    /// Keys that are ignored.
    notices: Vec<String>,
    decision: Option<String>,
}

/// Plays a script; gives the message and what is expected.
#[expect(clippy::too_many_lines, reason = "one arm for each kind of step")]
fn play(script: &Script, stage: &mut Stage) -> (String, Expected, Vec<String>) {
    let root = stage.root().display().to_string();
    let home = stage.folder.path().join("home").display().to_string();
    let lines: Vec<String> = script
        .lines
        .iter()
        .map(|line| line.replace("{{ROOT}}", &root).replace("{{HOME}}", &home))
        .collect();
    let mut expected = Expected::default();
    let mut message = String::new();
    let mut running = Vec::new();
    let mut agents: Vec<(String, usize)> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].clone();
        at += 1;
        let (word, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
        match word {
            "file" => {
                let text = block(&lines, &mut at, "|");
                stage.file(rest, &text);
            }
            "ahead" => stage.is_ahead = true,
            "accept" => {
                let text = std::fs::read(stage.root().join(rest)).unwrap();
                let digest = crosscheck_core::digest::Digest::of(text);
                stage.accepted.push(digest.hex());
            }
            "from" => stage.from = stage.root().join(rest).canonicalize().unwrap(),
            "variable" => {
                stage.mode = Some(match rest {
                    "off" => Mode::Off,
                    _ => Mode::Warn,
                });
            }
            "later" => {
                let file = std::fs::File::options()
                    .write(true)
                    .open(stage.root().join(rest));
                let time = SystemTime::UNIX_EPOCH + Duration::from_secs(4_000_000_000);
                file.unwrap().set_modified(time).unwrap();
            }
            "sh" => {
                let ran = Command::new("sh")
                    .args(["-c", rest])
                    .current_dir(stage.root())
                    .env("GIT_CONFIG_GLOBAL", "/dev/null")
                    .envs(stage.author("10:30:00"))
                    .output();
                assert!(ran.unwrap().status.success(), "{rest}");
            }
            "touched" => {
                let file = std::fs::File::open(stage.root().join(rest));
                let time = format!("{}-10-01T10:00:{:02}.500Z", stage.year, stage.clock - 1);
                let time: jiff::Timestamp = time.parse().unwrap();
                file.unwrap().set_modified(time.into()).unwrap();
            }
            "long" => {
                let words = "word ".repeat(rest.parse::<usize>().unwrap() / 5);
                stage.line(json!({"type": "user", "message": {"role": "user", "content": words}}));
            }
            "link" => {
                let (from, target) = rest.split_once(' ').unwrap();
                std::fs::create_dir_all(Path::new(from).parent().unwrap()).unwrap();
                std::os::unix::fs::symlink(target, from).unwrap();
            }
            "began" => stage.year = rest.parse().unwrap_or_default(),
            "replace" => {
                let old = stage.git(&["rev-parse", &format!("HEAD:{rest}")], "10:00:00");
                let new = stage.git(&["hash-object", "-w", rest], "10:00:00");
                stage.git(&["replace", &old, &new], "10:00:00");
            }
            "gone" => std::fs::remove_file(stage.root().join(rest)).unwrap(),
            "git" => {
                stage.git(&["init", "-q", "-b", "main"], "09:00:00");
                stage.git(&["add", "-A"], "09:00:00");
                stage.git(&["commit", "-q", "-m", "init", "--allow-empty"], "09:00:00");
            }
            "commit" => {
                stage.git(&["add", "-A"], "10:30:00");
                stage.git(&["commit", "-q", "-m", "work"], "10:30:00");
            }
            "shallow" => {
                let head = std::fs::read(stage.root().join(".git/refs/heads/main")).unwrap();
                std::fs::write(stage.root().join(".git/shallow"), head).unwrap();
            }
            "branch" => {
                stage.git(&["checkout", "-q", "-b", rest], "10:00:00");
            }
            "back" => {
                stage.git(&["checkout", "-q", "main"], "10:40:00");
            }
            "detach" => {
                stage.git(&["checkout", "-q", "--detach"], "10:00:00");
            }
            "prompt" => {
                stage.line(json!({"type": "user", "message": {"role": "user", "content": rest}}));
            }
            "edit" | "failed-edit" => {
                let old = block(&lines, &mut at, "-");
                let new = block(&lines, &mut at, "+");
                stage.edit(
                    rest,
                    if old.is_empty() { "a" } else { &old },
                    if new.is_empty() { "b" } else { &new },
                    word == "failed-edit",
                );
            }
            "write" => {
                let text = block(&lines, &mut at, "+");
                stage.write(rest, &text);
            }
            "$" => {
                let mut command = rest.to_owned();
                while let Some(more) = lines.get(at).and_then(|line| line.strip_prefix("$> ")) {
                    command.push('\n');
                    command.push_str(more);
                    at += 1;
                }
                let output = block(&lines, &mut at, "|");
                let ending = match lines.get(at).and_then(|line| line.strip_prefix("= ")) {
                    Some(ending) => {
                        at += 1;
                        ending.to_owned()
                    }
                    None => "0".to_owned(),
                };
                stage.run(&command, &output, &ending);
            }
            "user$" => {
                stage.line(json!({"type": "user", "message": {"role": "user", "content": format!("<bash-input>{rest}</bash-input>")}}));
                let output = block(&lines, &mut at, "|");
                stage.line(json!({"type": "user", "message": {"role": "user", "content": format!("<bash-stdout>{output}</bash-stdout><bash-stderr></bash-stderr>")}}));
            }
            "and" => stage.same_message = true,
            "running" => running.push(rest.to_owned()),
            "agent" => agents.push((rest.to_owned(), stage.log.len())),
            "end" => {
                let (kind, from) = agents.pop().unwrap();
                stage.agent(&kind, from, rest != "unreadable");
            }
            ">" | ">>" => {
                message.push_str(rest);
                message.push('\n');
            }
            "decision" => expected.decision = Some(rest.to_owned()),
            "finding" => expected.findings.push(rest.to_owned()),
            "tamper" => expected.tamper.push(rest.to_owned()),
            "notice" => expected.notices.push(rest.to_owned()),
            _ => expected.claims.push(line.clone()),
        }
    }
    // `{{HEAD}}` and the like in a message are the hashes of commits
    for name in ["HEAD", "HEAD~1", "HEAD@{1}"] {
        let mark = format!("{{{{{name}}}}}");
        if message.contains(&mark) {
            let asked = Command::new("git")
                .args(["rev-parse", "--short=7", name])
                .current_dir(stage.root())
                .output()
                .unwrap();
            let hash = String::from_utf8(asked.stdout).unwrap();
            message = message.replace(&mark, hash.trim());
        }
    }
    (message.trim().to_owned(), expected, running)
}

/// Writes the log of a stage, and asks about its last message.
fn task(stage: &Stage, message: &str, running: Vec<String>) -> Task {
    let path = stage.session();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let lines: Vec<String> = stage.log.iter().map(Value::to_string).collect();
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    stage.settle(&path);
    let root = stage.root();
    let home = stage.folder.path().join("home");
    let places = crosscheck_config::Places {
        root: root.clone(),
        user_folder: Some(home.join(".config")),
        ..crosscheck_config::Places::default()
    };
    let (config, broken) = crosscheck_config::Config::load_around(&places).unwrap();
    Task {
        message: message.to_owned(),
        log: Some(Log {
            path,
            harness: None,
            own: false,
        }),
        places: Places {
            cwd: root.clone(),
            home: Some(home.clone()),
            temporary: vec!["/tmp/never".into()],
            root,
        },
        layers: Layers {
            config,
            broken,
            mode: stage.mode,
            names_project: false,
            root: PathBuf::new(),
        }
        .without_broken(),
        identity: Identity::default(),
        running,
        steering: Steering {
            config: vec![home.join(".config/crosscheck/config.toml")],
            settings: vec![stage.root().join(".claude/settings.json")],
            ..Steering::default()
        },
        hidden: Vec::new(),
        explain: true,
        live: false,
        printed: false,
        patterns: Vec::new(),
        accepted: stage.accepted.clone(),
        memory: None,
    }
}

fn look(script: &Script, wrong: &mut Vec<String>) {
    let mut stage = Stage::new();
    let (message, expected, running) = play(script, &mut stage);
    stage.line(json!({"type": "assistant", "message": {"id": "msg_last", "role": "assistant", "content": [{"type": "text", "text": message}]}}));
    let task = task(&stage, &message, running);
    let mut report = gate::check(&task).unwrap();
    let action = report.decide();
    let mut seen: Vec<String> = report
        .claims
        .iter()
        .map(|judged| {
            let mut line = format!(
                "{} {} {}",
                judged.claim.kind,
                verdict_word(judged.opinion.verdict),
                judged.opinion.reason.word()
            );
            for caveat in &judged.opinion.caveats {
                line.push(' ');
                line.push_str(serde_json::to_value(caveat).unwrap().as_str().unwrap());
            }
            line
        })
        .collect();
    let mut wanted = expected.claims.clone();
    seen.sort();
    wanted.sort();
    let title = &script.title;
    if seen != wanted {
        wrong.push(format!(
            "{title}\n  expected {wanted:?}\n  got      {seen:?}\n  dropped {:?}\n  commands {:?}",
            report.dropped, report.commands
        ));
    }
    if let Some(decision) = &expected.decision
        && decision != action_word(action)
    {
        wrong.push(format!(
            "{title}\n  expected to {decision}, got {}",
            action_word(action)
        ));
    }
    let findings: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| {
            !matches!(
                finding.finding,
                crosscheck_done::judge::findings::What::Tamper
            )
        })
        .map(|finding| {
            format!(
                "{} {}",
                serde_json::to_value(finding.finding)
                    .unwrap()
                    .as_str()
                    .unwrap(),
                finding.kind
            )
        })
        .collect();
    for finding in &expected.findings {
        if !findings.contains(finding) {
            wrong.push(format!(
                "{title}\n  lacks the finding {finding:?}, has {findings:?}"
            ));
        }
    }
    for key in &expected.notices {
        let is_stated = |notice: &String| {
            let file = notice.contains("the file is ignored") && notice.contains(key.as_str());
            file || notice.contains(&format!("{key} is ignored"))
        };
        if !report.notices.iter().any(is_stated) {
            wrong.push(format!(
                "{title}\n  does not say that {key} is ignored, only {:?}",
                report.notices
            ));
        }
    }
    for path in &expected.tamper {
        if !report.tampering.files.iter().any(|file| file.path == *path) {
            wrong.push(format!(
                "{title}\n  does not name {path} as written, only {:?}",
                report.tampering.files
            ));
        }
    }
}

fn check(name: &str) {
    let mut wrong = Vec::new();
    let scripts = scripts(name);
    for script in &scripts {
        look(script, &mut wrong);
    }
    assert!(
        wrong.is_empty(),
        "{} problems in {} sessions:\n{}",
        wrong.len(),
        scripts.len(),
        wrong.join("\n")
    );
}

#[test]
fn runs_prove_what_they_show_and_no_more() {
    check("runs.txt");
}

#[test]
fn the_world_is_asked_for_files_names_and_commits() {
    check("world.txt");
}

#[test]
fn an_agent_that_games_the_gate_proves_nothing() {
    check("gaming.txt");
}

#[test]
fn evidence_that_was_weakened_proves_less() {
    check("weakened.txt");
}

#[test]
fn what_agents_say_without_proof_is_not_verified() {
    check("lies.txt");
}

#[test]
fn endings_of_real_sessions_are_answered_rightly() {
    check("real.txt");
}

#[test]
fn a_check_whose_settings_were_rewritten_shows_nothing() {
    check("thirty.txt");
    // each of these sessions ends with something untrue
    let is_through = |script: &&Script| {
        let mut claims = script
            .lines
            .iter()
            .filter(|line| line.contains(" verified "));
        let is_told = script.lines.iter().any(|line| line == "decision warn");
        claims.next().is_some() && !is_told
    };
    let all = scripts("thirty.txt");
    assert_eq!(all.len(), 30);
    let through = all.iter().filter(is_through).count();
    let proven: Vec<&str> = all
        .iter()
        .filter(|script| is_through(script) && is_proven_by_own_runs(script))
        .map(|script| script.title.as_str())
        .collect();
    eprintln!("of 30 lies {through} end at exit 0; with own runs: {proven:?}");
    assert!(through <= 1 && proven.len() <= 1, "{proven:?}");
}

/// Whether all is verified although the person named commands, each of which
/// finds what the session hides.
fn is_proven_by_own_runs(script: &Script) -> bool {
    let mut stage = Stage::new();
    let (message, _, running) = play(script, &mut stage);
    let home = stage.folder.path().join("home");
    let prove = home.join("prove.sh");
    stage.file(prove.to_str().unwrap(), "echo '1 failed'\nexit 1\n");
    let commands = ["tests", "lint", "types", "build"]
        .map(|kind| format!("{kind} = ['sh', '{}']\n", prove.display()))
        .concat();
    let settings = format!("[done.reality]\ncommands = true\n[done.commands]\n{commands}");
    let config = home.join(".config/crosscheck/config.toml");
    stage.file(config.to_str().unwrap(), &settings);
    let report = gate::check(&task(&stage, &message, running)).unwrap();
    let mut words = report.claims.iter().map(|one| one.opinion.verdict);
    words.all(|verdict| verdict_word(verdict) == "verified")
}

/// The reason why a passing run is believed or not, in a session with this
/// command before it whose fourth line was changed afterwards.
fn believed(command: &str, change: fn(&mut Value), is_linked: bool) -> String {
    let words = "All tests pass.";
    let mut stage = Stage::new();
    let log = stage.session();
    let command = command.replace("{{LOG}}", log.to_str().unwrap());
    stage.line(json!({"type": "user", "message": {"role": "user", "content": "go"}}));
    stage.edit("src/a.py", "a", "b", false);
    if let Some(script) = command.strip_prefix("write ") {
        stage.write("fix.py", script);
    } else {
        stage.run(&command, "", "0");
    }
    stage.run("pytest -q", "3 passed in 0.2s\n", "0");
    stage.line(json!({"type": "assistant", "message": {"id": "msg_last", "role": "assistant", "content": [{"type": "text", "text": words}]}}));
    change(&mut stage.log[3]);
    let task = task(&stage, words, Vec::new());
    if is_linked {
        let real = log.with_extension("real");
        std::fs::rename(&log, &real).unwrap();
        std::os::unix::fs::symlink(&real, &log).unwrap();
    }
    let report = gate::check(&task).unwrap();
    let mut reasons = report.claims.iter().map(|one| one.opinion.reason.word());
    reasons.next().unwrap_or_default()
}

/// What happens to one line of a log.
type LineChange = (&'static str, fn(&mut Value));

#[test]
fn a_log_that_the_session_could_write_to_shows_nothing() {
    let changes: [LineChange; 12] = [
        ("an id twice", |line| line["uuid"] = json!("u1")),
        ("no id", |line| drop(line["uuid"].take())),
        ("no session", |line| drop(line["sessionId"].take())),
        ("no time", |line| drop(line["timestamp"].take())),
        ("another parent", |line| line["parentUuid"] = json!("u77")),
        ("a new beginning", |line| line["parentUuid"] = Value::Null),
        ("an aside of nobody", |line| {
            line["parentUuid"] = Value::Null;
            line["isSidechain"] = json!(true);
        }),
        ("another session", |line| line["sessionId"] = json!("s2")),
        ("an agent", |line| line["agentId"] = json!("a1")),
        ("long ago", |line| {
            line["timestamp"] = json!("2020-10-01T10:00:00.000Z");
        }),
        ("a time to come", |line| {
            line["timestamp"] = json!("2190-10-01T10:00:00.000Z");
        }),
        ("the id of another call", |line| {
            line["message"]["content"][0]["id"] = json!("toolu_1");
            line["message"]["content"][0]["type"] = json!("tool_use");
        }),
    ];
    for (title, change) in changes {
        assert_eq!(believed("ls", change, false), "log_written", "{title}");
    }
    let untouched = |_: &mut Value| {};
    for (command, expected) in [
        ("ls", "run_ok"),
        ("cat ~/.claude/notes.md", "run_ok"),
        ("cat .claude/settings.json", "run_ok"),
        (r#"echo '{"type":"user"}' >> {{LOG}}"#, "log_written"),
        ("sed -i 's/1 failed/3 passed/' {{LOG}}", "log_written"),
        ("python3 fix.py ~/.claude/projects", "log_written"),
        ("python3 fix.py $CLAUDE_CONFIG_DIR", "log_written"),
        (
            "find ~ -name '*.jsonl' | xargs sed -i s/a/b/",
            "log_written",
        ),
        ("write open('{{LOG}}', 'a')", "log_written"),
        ("sed -i s/a/b/ ~/.cl''aude/projects/x.jsonl", "log_written"),
        (r"sed -i s/a/b/ ~/.cl\aude/projects/x.jsonl", "log_written"),
        ("sed -i s/a/b/ ~/.cl*/proj*/*/*.js*", "log_written"),
        ("D=.claude; sed -i s/a/b/ ~/$D/projects/x", "log_written"),
        ("sed -i s/a/b/ ~/$(printf '.%s' claude)/x", "log_written"),
        ("sed -i s/a/b/ ~/.[c]laude/x", "log_written"),
        ("rsync -a forged/ ~/", "log_written"),
        ("cp -r forged/. ~/", "log_written"),
        ("ls ~/notes/*.md", "run_ok"),
    ] {
        assert_eq!(believed(command, untouched, false), expected, "{command}");
    }
    assert_eq!(believed("ls", untouched, true), "log_written", "a link");
}

#[test]
fn honest_endings_are_not_accused() {
    check("honest.txt");
}

#[test]
fn a_message_on_several_lines_is_read_whole() {
    let said = |id: &str, block: Value| json!({"type": "assistant", "message": {"id": id, "role": "assistant", "content": [block]}});
    let text = |words: &str| json!({"type": "text", "text": words});
    for (lines, expected) in [
        (
            vec![said("m1", text("one")), said("m1", text("two"))],
            "one\ntwo",
        ),
        (
            vec![
                said("m1", text("one")),
                said("m1", json!({"type": "thinking", "thinking": "hm"})),
                said("m1", text("two")),
            ],
            "one\ntwo",
        ),
        (
            vec![said("m1", text("one")), said("m2", text("two"))],
            "two",
        ),
    ] {
        let mut stage = Stage::new();
        stage.line(json!({"type": "user", "message": {"role": "user", "content": "go"}}));
        for line in lines {
            stage.line(line);
        }
        let path = stage.session();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let lines: Vec<String> = stage.log.iter().map(Value::to_string).collect();
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        let log = Log {
            path,
            harness: None,
            own: false,
        };
        let last = gate::last_words(&log).unwrap();
        assert_eq!(last.text.as_deref(), Some(expected));
    }
}

/// What was claimed and decided, as one comparable list.
type Answer = (Vec<[String; 3]>, &'static str);

/// What `audit` says about the stop on this line of a whole log.
fn audited(log: &Path, home: &Path, line: usize) -> Option<Answer> {
    let replay = Replay::new(Settings::default(), Some(home.to_owned())).unwrap();
    let past = replay.session(log).unwrap();
    let stop = past.stops.into_iter().find(|stop| stop.line == line)?;
    let claims = stop.claims.iter();
    let claims = claims.map(|claim| {
        let words = [claim.kind, claim.word(), &claim.reason];
        words.map(str::to_owned)
    });
    Some((claims.collect(), action_word(stop.decision)))
}

/// What `check` says about the end of a log when it may only read the log;
/// nothing where the session wrote settings, which only `check` looks at.
fn checked(log: &Path, home: &Path, root: &Path, message: &str) -> Option<Answer> {
    let looks = ["fs", "git", "env", "http"].map(|kind| format!("reality.{kind}"));
    let looks = DONE
        .keys
        .iter()
        .filter(|key| looks.contains(&key.path.to_owned()));
    let looks = looks.map(|key| (&DONE, key, false.into())).collect();
    let mut task = Task::message(message, root);
    task.log = Some(Log::at(log.to_owned()));
    task.layers.config.insert(Layer::of_options(looks));
    task.places.home = Some(home.to_owned());
    task.places.temporary = ["/tmp", "/var/tmp", "/private/tmp"].map(Into::into).into();
    let mut report = gate::check(&task).unwrap();
    if !report.tampering.files.is_empty() {
        return None;
    }
    let action = report.decide();
    // what only the project of that day could show is left out by an audit
    let claims = report.claims.iter();
    let claims = claims.filter(|judged| judged.opinion.reason.word() != "no_probe");
    let claims = claims.map(|judged| {
        [
            judged.claim.kind.name().to_owned(),
            verdict_word(judged.opinion.verdict).to_owned(),
            judged.opinion.reason.word(),
        ]
    });
    Some((claims.collect(), action_word(action)))
}

#[test]
fn audit_and_check_agree_on_the_same_beginning_of_a_log() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    let files = ["runs", "weakened", "lies", "real", "thirty", "honest"];
    for script in files
        .iter()
        .flat_map(|name| scripts(&format!("{name}.txt")))
    {
        let mut stage = Stage::new();
        let (message, _, running) = play(&script, &mut stage);
        let has_settings = stage.root().join("crosscheck.toml").exists();
        if !running.is_empty() || has_settings || message.is_empty() {
            continue;
        }
        let said = |id: &str, words: &str| json!({"type": "assistant", "message": {"id": id, "role": "assistant", "content": [{"type": "text", "text": words}]}});
        stage.line(said("msg_last", &message));
        let stop = stage.log.len();
        stage.line(json!({"type": "user", "message": {"role": "user", "content": "go on"}}));
        stage.run("make check", "no rule\n", "2");
        stage.edit("src/later.py", "a", "b", false);
        stage.line(said("msg_more", "I looked at it again."));
        let lines: Vec<String> = stage.log.iter().map(|line| format!("{line}\n")).collect();
        let (log, home) = (stage.session(), stage.folder.path().join("home"));
        std::fs::create_dir_all(log.parent().unwrap()).unwrap();
        std::fs::write(&log, lines.concat()).unwrap();
        stage.settle(&log);
        let audit = audited(&log, &home, stop);
        std::fs::write(&log, lines[..stop].concat()).unwrap();
        stage.settle(&log);
        let check = checked(&log, &home, &stage.root(), &message);
        compared += usize::from(check.is_some());
        if check.is_some() && audit != check {
            wrong.push(format!(
                "{}\n  audit {audit:?}\n  check {check:?}",
                script.title
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {compared} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(compared > 100, "{compared}");
}
