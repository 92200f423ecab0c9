//! The contract cases of `crosscheck sources` that run once, from `vectors/sources`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crosscheck_testkit::{Asked, Desk, Reply, Site};
use serde_json::Value;

use crate::desk;

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/sources");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("case.json").is_file())
        .collect();
    found.sort();
    found
}

/// Answers from the routes of a case; what is not defined does not exist.
fn answer(routes: &[Value], turns: &Mutex<BTreeMap<usize, usize>>, asked: &Asked) -> Reply {
    let host = asked.header("host").unwrap_or_default();
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    let path = asked.target.split('?').next().unwrap_or_default();
    for (number, route) in routes.iter().enumerate() {
        let wanted = if route["ignore_query"] == true {
            path
        } else {
            asked.target.as_str()
        };
        if route["path"] != wanted || route["host"].as_str().is_some_and(|own| own != host) {
            continue;
        }
        let mut turns = turns.lock().unwrap();
        let turn = turns.entry(number).or_default();
        let mut route = route.clone();
        if let Some(sequence) = route["sequence"].as_array().cloned() {
            let own = &sequence[(*turn).min(sequence.len() - 1)];
            for (key, value) in own.as_object().unwrap() {
                route[key] = value.clone();
            }
        }
        *turn += 1;
        let status = u16::try_from(route["status"].as_u64().unwrap()).unwrap();
        let mut reply = Reply::new(status)
            .body(route["body"].as_str().unwrap_or_default())
            .after(Duration::from_millis(
                route["delay_ms"].as_u64().unwrap_or(0),
            ));
        for (name, value) in route["headers"].as_object().into_iter().flatten() {
            reply = reply.header(name, value.as_str().unwrap());
        }
        return reply;
    }
    Reply::new(404)
        .header("content-type", "text/plain")
        .body("nothing here")
}

fn configuration(desk: &Desk, config: &Value) -> Vec<String> {
    if config.is_null() {
        return Vec::new();
    }
    let mut text = "[sources]\n".to_owned();
    for key in ["archive", "unreliable_domains"] {
        if !config[key].is_null() {
            let _ = writeln!(text, "{key} = {}", config[key]);
        }
    }
    if let Some(found) = config["search_results"].as_object() {
        let results = found.values().next().unwrap().to_string();
        desk.file("results.json", results);
        let _ = writeln!(
            text,
            "search_command = [\"cat\", {:?}]",
            desk.at("results.json")
        );
    }
    desk.file("config.toml", text);
    vec!["--config".to_owned(), "config.toml".to_owned()]
}

/// Whether the case runs once; those that follow a debate are run by tests/it/following.rs of sources.
fn runs_once(folder: &Path) -> bool {
    let raw = std::fs::read_to_string(folder.join("case.json")).unwrap();
    serde_json::from_str::<Value>(&raw).unwrap()["mode"] == "once"
}

#[expect(
    clippy::too_many_lines,
    reason = "one case from its files to its last fact"
)]
fn run(folder: &Path) {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let raw = std::fs::read_to_string(folder.join("case.json")).unwrap();
    let routes: Arc<Mutex<Vec<Value>>> = Arc::default();
    let turns: Mutex<BTreeMap<usize, usize>> = Mutex::default();
    let served = Arc::clone(&routes);
    let site = Site::start(move |asked| {
        let routes = served.lock().unwrap().clone();
        answer(&routes, &turns, asked)
    });
    let fill = |text: &str| {
        text.replace("{{BASE}}", &site.base())
            .replace("{{PORT}}", &site.port().to_string())
    };
    let case: Value = serde_json::from_str(&fill(&raw)).unwrap();
    routes
        .lock()
        .unwrap()
        .clone_from(case["site"].as_array().unwrap());
    let desk = desk();
    let before =
        fill(&String::from_utf8(std::fs::read(folder.join("debate-log.jsonl")).unwrap()).unwrap());
    desk.file("debate-log.jsonl", &before);
    desk.file("dns.json", case["dns"].to_string());
    let mut args: Vec<String> = vec!["sources".to_owned()];
    args.extend(
        case["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|arg| arg.as_str().unwrap().to_owned()),
    );
    args.extend(
        [
            "--dns-fixture",
            "dns.json",
            "--outbox",
            "out.ndjson",
            "--report",
            "report.json",
        ]
        .map(str::to_owned),
    );
    args.extend(configuration(&desk, &case["config"]));

    let seen = desk.crosscheck(&args);

    let expected = &case["expected"];
    assert_eq!(
        i64::from(seen.code),
        expected["exit_code"].as_i64().unwrap(),
        "{name}: {}",
        seen.stderr
    );
    let log = desk.read("debate-log.jsonl");
    assert!(log.starts_with(&before), "{name}: old lines are unchanged");
    let results: Vec<Value> = log[before.len()..]
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|line| serde_json::from_str(line["content"].as_str().unwrap()).unwrap())
        .collect();
    let wanted = expected["results"].as_array().unwrap();
    assert_eq!(results.len(), wanted.len(), "{name}: {results:?}");
    for (result, wanted) in results.iter().zip(wanted) {
        for key in ["verified_seq", "url", "status"] {
            assert_eq!(result[key], wanted[key], "{name}: {key} of {result}");
        }
        assert_eq!(
            result["details"]["code"], wanted["code"],
            "{name}: {result}"
        );
        if !wanted["confidence"].is_null() {
            assert_eq!(
                result["details"]["confidence"], wanted["confidence"],
                "{name}: {result}"
            );
        }
        let start = wanted["explanation_starts_with"]
            .as_str()
            .unwrap_or_default();
        assert!(
            result["explanation"].as_str().unwrap().starts_with(start),
            "{name}: {result}"
        );
    }
    let out = std::fs::read_to_string(desk.path().join("out.ndjson")).unwrap_or_default();
    let texts: Vec<String> = out
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["text"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let messages = expected["messages"].as_array().unwrap();
    assert_eq!(texts.len(), messages.len(), "{name}: {texts:?}");
    for (text, wanted) in texts.iter().zip(messages) {
        let start = wanted["starts_with"]
            .as_str()
            .or(wanted["equals"].as_str())
            .unwrap();
        assert!(text.starts_with(start), "{name}: {text}");
        assert!(
            wanted["equals"].as_str().is_none_or(|whole| whole == text),
            "{name}: {text}"
        );
        assert!(
            text.contains(wanted["contains"].as_str().unwrap_or_default()),
            "{name}: {text}"
        );
    }
}

#[test]
fn every_case_that_runs_once_ends_as_the_contract_says() {
    let (once, others): (Vec<_>, Vec<_>) = cases().into_iter().partition(|case| runs_once(case));
    assert!(once.len() >= 34 && others.len() <= 5, "{others:?}");
    for case in once {
        run(&case);
    }
}
