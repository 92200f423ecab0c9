//! A log that is followed while others write and the Chair asks.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crosscheck_core::NoListener;
use crosscheck_core::clock::SystemClock;
use crosscheck_sources::report::outbox::{Channel, Outbox, OutboxFormat};
use crosscheck_sources::report::result::SourcesReport;
use crosscheck_sources::run::debate::{Debate, DebateRequest, WatchOptions};
use crosscheck_sources::settings::Settings;
use crosscheck_testkit::{Reply, Site};

use crate::desk::{checker, loopback};

const PAGE: &str = "<html lang=en><title>City trees</title><p>A city survey counted 41,000 street trees in 2024, and the \
    office that counted them wrote that shaded streets were 3.2 degrees cooler on summer afternoons than streets without \
    any trees, which many people who live there had said before.</p>";
const CLAIM: &str = "A city survey counted 41,000 street trees in 2024.";

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn append(folder: &Path, line: &str) {
    let mut log = OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join("debate-log.jsonl"))
        .unwrap();
    log.write_all(line.as_bytes()).unwrap();
}

fn entry(seq: u64, kind: &str, speaker: &str, sources: &[String]) -> String {
    let sources: Vec<String> = sources.iter().map(|url| format!("\"{url}\"")).collect();
    format!(
        "{{\"seq\":{seq},\"timestamp\":\"2026-02-21T15:00:00Z\",\"phase\":\"rebuttal\",\"speaker\":\"{speaker}\",\
         \"type\":\"{kind}\",\"content\":\"{CLAIM}\",\"sources\":[{}]}}\n",
        sources.join(",")
    )
}

/// Follows a debate while `play` acts; gives the report and what was reported.
fn follow(
    folder: &Path,
    grace: Duration,
    play: impl FnOnce(&Sender<String>),
) -> (SourcesReport, Vec<String>) {
    let options = WatchOptions {
        grace,
        spot_check_rate: 1.0,
        exit_on_conclusion: true,
    };
    let request = DebateRequest {
        log: folder.to_owned(),
        only: Vec::new(),
        lock_timeout: Duration::from_secs(5),
        minimal_content: false,
        log_lint: false,
        watch: Some(options),
    };
    let mut settings = Settings::default();
    settings.chosen.jobs = 1;
    let checker = checker(loopback(), settings);
    let shown = Written::default();
    let outbox = Outbox::open(
        &Channel::Stdout,
        OutboxFormat::Text,
        folder,
        Box::new(shown.clone()),
    )
    .unwrap();
    let debate = Debate::new(request, checker, outbox, Arc::new(SystemClock));
    let (chair, inbox) = channel();
    let report = std::thread::scope(|scope| {
        let debate = &debate;
        let following = scope.spawn(move || debate.follow(options, &inbox, &mut NoListener));
        play(&chair);
        following.join().unwrap().unwrap()
    });
    let text = String::from_utf8(shown.0.lock().unwrap().clone()).unwrap();
    (report, text.lines().map(str::to_owned).collect())
}

fn pause() {
    std::thread::sleep(Duration::from_millis(400));
}

#[test]
fn the_chairs_conclusion_ends_the_watch_when_everything_is_checked() {
    let site = Site::start(|_| Reply::html(PAGE));
    let folder = tempfile::tempdir().unwrap();
    append(
        folder.path(),
        &entry(0, "new_point", "a", &[format!("{}/x", site.base())]),
    );
    append(folder.path(), &entry(1, "conclusion", "promoter", &[]));
    let (report, shown) = follow(folder.path(), Duration::from_millis(100), |_| {
        pause();
        pause();
        append(folder.path(), &entry(3, "conclusion", "chair", &[]));
    });
    assert_eq!(report.summary.verified, 1);
    assert_eq!(
        shown[0],
        "Verifier ready. Monitoring debate log for sourced claims."
    );
    assert!(
        shown[1].starts_with("VERIFIED: seq 0, speaker a, URL: "),
        "{shown:?}"
    );
}

#[test]
fn a_request_before_its_entry_waits_and_one_without_becomes_a_finding() {
    let site = Site::start(|_| Reply::html(PAGE));
    let folder = tempfile::tempdir().unwrap();
    append(folder.path(), &entry(0, "setup", "chair", &[]));
    let (report, _) = follow(folder.path(), Duration::from_millis(900), |chair| {
        chair
            .send("{\"type\":\"notify\",\"seq\":1}".to_owned())
            .unwrap();
        chair
            .send("{\"type\":\"notify\",\"seq\":9}".to_owned())
            .unwrap();
        chair.send("not understood".to_owned()).unwrap();
        pause();
        append(
            folder.path(),
            &entry(1, "new_point", "a", &[format!("{}/x", site.base())]),
        );
        pause();
        pause();
        chair.send("{\"type\":\"stop\"}".to_owned()).unwrap();
    });
    assert_eq!(report.summary.verified, 1);
    let unknown: Vec<Option<u64>> = report
        .lint
        .iter()
        .filter(|one| one.message.contains("not in the log"))
        .map(|one| one.seq)
        .collect();
    assert_eq!(unknown, [Some(9)]);
}

#[test]
fn a_struck_entry_is_checked_only_when_the_chair_asks() {
    let site = Site::start(|_| Reply::html(PAGE));
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}/x", site.base());
    append(
        folder.path(),
        &entry(0, "new_point", "a", std::slice::from_ref(&url)),
    );
    append(
        folder.path(),
        "{\"seq\":1,\"speaker\":\"chair\",\"type\":\"redaction\",\"content\":\"REDACTED: seq 0 (a).\",\"sources\":null}\n",
    );
    let (report, _) = follow(folder.path(), Duration::ZERO, |chair| {
        pause();
        chair.send("{\"type\":\"stop\"}".to_owned()).unwrap();
    });
    assert_eq!((report.summary.total, site.count("/x")), (0, 0));
    let (report, shown) = follow(folder.path(), Duration::ZERO, |chair| {
        pause();
        chair.send("{\"type\":\"urgent\",\"seq\":0,\"claim\":\"Shaded streets were 3.2 degrees cooler.\"}".to_owned()).unwrap();
        pause();
        chair.send("{\"type\":\"status\"}".to_owned()).unwrap();
        pause();
        chair.send("{\"type\":\"stop\"}".to_owned()).unwrap();
    });
    assert_eq!((report.summary.verified, site.count("/x")), (1, 1));
    assert!(
        shown
            .iter()
            .any(|text| text.starts_with("Status: 0 pending, 0 in progress, 1 completed")),
        "{shown:?}"
    );
}

#[test]
fn a_replaced_log_is_read_again_from_its_start() {
    let site = Site::start(|_| Reply::html(PAGE));
    let folder = tempfile::tempdir().unwrap();
    append(
        folder.path(),
        &entry(0, "new_point", "a", &[format!("{}/x", site.base())]),
    );
    let (report, _) = follow(folder.path(), Duration::ZERO, |chair| {
        pause();
        let other = folder.path().join("other");
        std::fs::rename(folder.path().join("debate-log.jsonl"), &other).unwrap();
        append(
            folder.path(),
            &entry(0, "new_point", "b", &[format!("{}/y", site.base())]),
        );
        pause();
        pause();
        chair.send("{\"type\":\"stop\"}".to_owned()).unwrap();
    });
    assert_eq!(report.summary.verified, 2);
    let log = std::fs::read_to_string(folder.path().join("debate-log.jsonl")).unwrap();
    assert!(
        log.contains("/y") && log.matches("verification_result").count() == 1,
        "{log}"
    );
}

#[test]
fn a_log_that_is_written_anew_in_place_is_read_again_from_its_start() {
    let site = Site::start(|_| Reply::html(PAGE));
    let folder = tempfile::tempdir().unwrap();
    let of = |speaker: &str, path: &str| {
        entry(0, "new_point", speaker, &[format!("{}{path}", site.base())])
    };
    append(folder.path(), &of("a", "/x"));
    let (report, _) = follow(folder.path(), Duration::ZERO, |chair| {
        pause();
        let filler = entry(1, "setup", "chair", &[]).repeat(9);
        std::fs::write(
            folder.path().join("debate-log.jsonl"),
            of("b", "/y") + &filler,
        )
        .unwrap();
        pause();
        pause();
        chair.send("{\"type\":\"stop\"}".to_owned()).unwrap();
    });
    assert_eq!((report.summary.verified, site.count("/y")), (2, 1));
    let log = std::fs::read_to_string(folder.path().join("debate-log.jsonl")).unwrap();
    assert!(
        log.lines().last().unwrap().starts_with("{\"seq\":10,"),
        "{log}"
    );
}

#[test]
fn a_claim_asked_while_its_page_is_read_is_answered_with_the_result() {
    let site = Site::start(|_| Reply::html(PAGE).after(Duration::from_millis(1200)));
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}/x", site.base());
    append(folder.path(), &entry(0, "new_point", "a", &[url]));
    let (_, shown) = follow(folder.path(), Duration::ZERO, |chair| {
        while site.asked().is_empty() {
            std::thread::sleep(Duration::from_millis(10));
        }
        let asked =
            "{\"type\":\"urgent\",\"seq\":0,\"claim\":\"Shaded streets were 3.2 degrees cooler.\"}";
        chair.send(asked.to_owned()).unwrap();
        std::thread::sleep(Duration::from_secs(2));
        chair.send("{\"type\":\"stop\"}".to_owned()).unwrap();
    });
    assert_eq!(shown.len(), 2, "{shown:?}");
    let log = std::fs::read_to_string(folder.path().join("debate-log.jsonl")).unwrap();
    assert!(
        log.contains("\\\"asked\\\":{\\\"claim\\\":\\\"Shaded streets"),
        "{log}"
    );
}

#[test]
fn a_url_that_the_entry_does_not_cite_accuses_no_one() {
    let site = Site::start(|asked| match asked.target.as_str() {
        "/x" => Reply::html(PAGE),
        _ => Reply::new(404),
    });
    let folder = tempfile::tempdir().unwrap();
    let base = site.base();
    append(
        folder.path(),
        &entry(0, "new_point", "a", &[format!("{base}/x")]),
    );
    let (report, shown) = follow(folder.path(), Duration::ZERO, |chair| {
        pause();
        let asked = format!("{{\"type\":\"urgent\",\"seq\":0,\"url\":\"{base}/typo\"}}");
        chair.send(asked).unwrap();
        pause();
        chair.send("{\"type\":\"stop\"}".to_owned()).unwrap();
    });
    assert_eq!((report.summary.total, site.count("/typo")), (1, 0));
    assert!(
        !shown.iter().any(|text| text.contains("/typo")),
        "{shown:?}"
    );
}

#[test]
fn every_entry_with_a_fabricated_source_is_found_also_when_it_is_only_confirmed_again() {
    let site = Site::start(|_| Reply::new(404));
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}/gone", site.base());
    for seq in 0..2 {
        append(
            folder.path(),
            &entry(seq, "new_point", "a", std::slice::from_ref(&url)),
        );
    }
    let (report, _) = follow(folder.path(), Duration::ZERO, |chair| {
        pause();
        pause();
        chair.send("{\"type\":\"stop\"}".to_owned()).unwrap();
    });
    let mut accused: Vec<Option<u64>> = report
        .lint
        .iter()
        .filter(|one| one.message.starts_with("fabricated source"))
        .map(|one| one.seq)
        .collect();
    accused.sort_unstable();
    assert_eq!((accused, site.count("/gone")), (vec![Some(0), Some(1)], 1));
}

#[test]
fn a_log_written_anew_in_place_is_read_again_and_keeps_its_own_results_only() {
    let site = Site::start(|asked| {
        let wait = if asked.target == "/slow" { 900 } else { 0 };
        Reply::html(PAGE).after(Duration::from_millis(wait))
    });
    let folder = tempfile::tempdir().unwrap();
    let one = |seq, speaker: &str, path: &str| {
        entry(
            seq,
            "new_point",
            speaker,
            &[format!("{}{path}", site.base())],
        )
    };
    append(folder.path(), &(one(0, "a", "/x") + &one(1, "a", "/slow")));
    let (_, shown) = follow(folder.path(), Duration::ZERO, |chair| {
        pause();
        // The same file, longer than before, while /slow is being looked at.
        let anew: String = (0..6).map(|seq| one(seq, "somebody-else", "/y")).collect();
        std::fs::write(folder.path().join("debate-log.jsonl"), anew).unwrap();
        pause();
        pause();
        pause();
        chair.send("{\"type\":\"stop\"}".to_owned()).unwrap();
    });
    assert!(
        shown.iter().all(|text| !text.contains("/slow")),
        "{shown:?}"
    );
    let log = std::fs::read_to_string(folder.path().join("debate-log.jsonl")).unwrap();
    let results = log
        .lines()
        .filter(|line| line.contains("verification_result"));
    assert_eq!(results.count(), 6, "{log}");
    for (number, line) in log.lines().enumerate() {
        assert!(line.starts_with(&format!("{{\"seq\":{number},")), "{line}");
        assert!(!line.contains("/slow"), "{line}");
    }
}

#[test]
fn a_notification_about_a_result_of_our_own_is_understood() {
    let site = Site::start(|_| Reply::html(PAGE));
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}/x", site.base());
    append(folder.path(), &entry(0, "new_point", "a", &[url]));
    let (report, _) = follow(folder.path(), Duration::ZERO, |chair| {
        pause();
        pause();
        chair
            .send("{\"type\":\"notify\",\"seq\":1}".to_owned())
            .unwrap();
        pause();
        chair.send("{\"type\":\"stop\"}".to_owned()).unwrap();
    });
    assert!(report.lint.is_empty(), "{:?}", report.lint);
}

#[test]
fn a_job_that_ran_again_counts_once_with_its_last_result() {
    let asked = Arc::new(Mutex::new(0));
    let site = Site::start(move |_| {
        let mut asked = asked.lock().unwrap();
        *asked += 1;
        // once and once more, then the server is well again
        if *asked <= 2 {
            Reply::new(500)
        } else {
            Reply::html(PAGE)
        }
    });
    let folder = tempfile::tempdir().unwrap();
    append(
        folder.path(),
        &entry(0, "new_point", "ann", &[format!("{}/a", site.base())]),
    );
    let (report, shown) = follow(folder.path(), Duration::from_secs(20), |chair| {
        for _ in 0..2 {
            chair
                .send(r#"{"type":"urgent","seq":0}"#.to_owned())
                .unwrap();
            pause();
        }
        chair.send(r#"{"type":"stop"}"#.to_owned()).unwrap();
    });
    let statuses: Vec<&str> = report.results.iter().map(|row| row.status.word()).collect();
    assert_eq!(statuses, ["verified"], "{shown:?}");
    assert!(
        shown.iter().any(|line| line.starts_with("SUSPECT")),
        "{shown:?}"
    );
}
