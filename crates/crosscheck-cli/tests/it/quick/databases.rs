//! `SQLite` files in every state a running application leaves them in.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crosscheck_testkit::Desk;
use serde_json::{Value, json};

use super::{CALL, CONTACTS, assert_refused, database, report_on, stage, with};

/// Every file of the folder with the database.
fn files(desk: &Desk) -> BTreeMap<String, Vec<u8>> {
    desk.names("data")
        .into_iter()
        .map(|name| {
            let bytes = fs::read(desk.path().join("data").join(&name)).unwrap();
            (name, bytes)
        })
        .collect()
}

/// The same, without the shared memory that readers of a live database use.
fn lasting_files(desk: &Desk) -> BTreeMap<String, Vec<u8>> {
    let mut files = files(desk);
    files.remove("app.db-shm");
    files
}

#[test]
fn an_idle_database_and_its_folder_stay_as_they_were() {
    for statements in ["", "PRAGMA journal_mode=WAL;"] {
        let desk = stage();
        database(&desk, statements).close().unwrap();
        let before = files(&desk);
        assert_eq!(desk.crosscheck(with(&[])).code, 0, "{statements}");
        assert_eq!(files(&desk), before, "{statements}");
    }
}

#[test]
fn what_a_live_writer_has_committed_to_its_wal_is_seen() {
    let desk = stage();
    let writer = database(
        &desk,
        "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;
         UPDATE contacts SET name = 'Eve';",
    );
    writer
        .execute_batch("BEGIN; UPDATE contacts SET name = 'Mallory';")
        .unwrap();
    let before = lasting_files(&desk);
    let (code, _) = report_on(&desk, CALL.replace("Ada", "Eve").as_bytes());
    assert_eq!(code, 0, "committed is seen, uncommitted is not");
    assert_eq!(lasting_files(&desk), before);
    drop(writer);
}

/// What a writer leaves behind when it is killed.
fn killed_writer(left: &[&str]) -> Desk {
    let desk = stage();
    let writer = database(
        &desk,
        "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;
         UPDATE contacts SET name = 'Eve';",
    );
    let killed = stage();
    for name in left {
        let file = format!("data/{name}");
        fs::copy(desk.path().join(&file), killed.path().join(&file)).unwrap();
    }
    drop(writer);
    killed
}

#[test]
fn the_wal_of_a_killed_writer_is_read_and_kept() {
    let desk = killed_writer(&["app.db", "app.db-wal", "app.db-shm"]);
    let before = lasting_files(&desk);
    let (code, _) = report_on(&desk, CALL.replace("Ada", "Eve").as_bytes());
    assert_eq!(code, 0, "what was committed is there");
    assert_eq!(lasting_files(&desk), before);
}

#[test]
fn a_wal_without_its_index_is_read_and_kept() {
    let desk = killed_writer(&["app.db", "app.db-wal"]);
    let before = files(&desk);
    for mode in [0o755, 0o555] {
        let folder = desk.path().join("data");
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        for (name, code) in [("Ada", 1), ("Eve", 0)] {
            let (seen, _) = report_on(&desk, CALL.replace("Ada", name).as_bytes());
            assert_eq!(seen, code, "the committed row says Eve, not {name}");
        }
        assert_eq!(files(&desk), before);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn a_stray_wal_changes_nothing_and_nothing_is_left_beside_it() {
    for statements in ["", "PRAGMA journal_mode=WAL;"] {
        let desk = stage();
        database(&desk, statements).close().unwrap();
        desk.file("data/app.db-wal", "x");
        let before = files(&desk);
        let (code, _) = report_on(&desk, CALL.as_bytes());
        assert_eq!(code, 0, "{statements}");
        assert_eq!(files(&desk), before, "{statements}");
    }
}

#[test]
fn the_wal_of_an_empty_file_is_not_deleted() {
    let desk = stage();
    desk.file("data/app.db", "");
    desk.file("data/app.db-wal", "x");
    let before = files(&desk);
    let (code, _) = report_on(&desk, CALL.as_bytes());
    assert_eq!(code, 2, "there are no tables");
    assert_eq!(files(&desk), before);
}

#[test]
fn a_link_leads_to_the_database_and_to_its_wal() {
    for left in [
        &["app.db", "app.db-wal", "app.db-shm"][..],
        &["app.db", "app.db-wal"],
    ] {
        let desk = killed_writer(left);
        std::os::unix::fs::symlink("data/app.db", desk.path().join("link.db")).unwrap();
        let mut args = with(&["--no-human-report"]);
        args[4] = "link.db";
        let seen = desk.crosscheck(args);
        assert_eq!(seen.code, 1, "the committed row says Eve: {}", seen.stderr);
    }
}

#[test]
fn a_file_with_the_name_of_memory_is_a_file() {
    let desk = stage();
    fs::copy(
        desk.path().join("data/app.db"),
        desk.path().join(":memory:"),
    )
    .unwrap();
    let mut args = with(&[]);
    args[4] = ":memory:";
    let seen = desk.crosscheck(args);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    fs::remove_file(desk.path().join(":memory:")).unwrap();
    let mut args = with(&[]);
    args[4] = ":memory:";
    let seen = desk.crosscheck(args);
    assert_eq!(seen.code, 3, "{}", seen.stderr);
}

#[test]
fn a_read_only_folder_is_enough() {
    for statements in ["", "PRAGMA journal_mode=WAL;"] {
        let desk = stage();
        database(&desk, statements).close().unwrap();
        let before = files(&desk);
        let mode = |mode| {
            fs::set_permissions(desk.path().join("data"), fs::Permissions::from_mode(mode))
                .unwrap();
        };
        mode(0o555);
        let seen = desk.crosscheck(with(&[]));
        mode(0o755);
        assert_eq!(seen.code, 0, "{statements} {}", seen.stderr);
        assert_eq!(files(&desk), before, "{statements}");
    }
}

#[test]
fn a_hot_journal_is_neither_rolled_back_nor_taken_for_truth() {
    let desk = stage();
    let writer = database(&desk, "PRAGMA cache_size=1; PRAGMA cache_spill=1;");
    writer
        .execute_batch(
            "CREATE TABLE filler(x); INSERT INTO filler SELECT zeroblob(3000) FROM contacts;
             BEGIN; UPDATE contacts SET name = 'Eve';
             INSERT INTO filler WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
             SELECT zeroblob(3000) FROM n;",
        )
        .unwrap();
    let crashed = stage();
    for name in ["app.db", "app.db-journal"] {
        let file = format!("data/{name}");
        fs::copy(desk.path().join(&file), crashed.path().join(&file)).unwrap();
    }
    drop(writer);
    let before = files(&crashed);
    let seen = crashed.crosscheck(with(&["--write-report", "report.json"]));
    assert_eq!(files(&crashed), before, "{}", seen.stderr);
    if seen.code == 3 {
        assert_refused(&crashed, &seen, "INTERNAL_ERROR", "hot journal");
    } else {
        let report: Value = serde_json::from_str(&crashed.read("report.json")).unwrap();
        assert_eq!(
            (seen.code, &report["verdict"]),
            (0, &json!("pass")),
            "the state before the crash"
        );
    }
}

#[test]
fn a_locked_database_ends_in_an_answer() {
    let desk = stage();
    let before = files(&desk); // before the lock: closing a file drops the locks of this process on it
    let writer = database(&desk, "BEGIN EXCLUSIVE;");
    let seen = desk.crosscheck(with(&[]));
    assert_refused(&desk, &seen, "INTERNAL_ERROR", "locked");
    drop(writer);
    assert_eq!(files(&desk), before);
}

#[test]
fn a_database_that_is_written_to_all_the_time_is_seen_in_one_state() {
    let desk = stage();
    database(&desk, "PRAGMA journal_mode=WAL;").close().unwrap();
    database(
        &desk,
        "CREATE TABLE orders(id TEXT PRIMARY KEY, name TEXT); INSERT INTO orders VALUES('c1', 'Ada');",
    );
    let writer = database(&desk, "");
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let busy = std::thread::spawn(move || {
        writer
            .busy_timeout(std::time::Duration::from_mins(1))
            .unwrap();
        for name in ["Eve", "Ada"].iter().cycle() {
            if stopped.try_recv().is_ok() {
                break;
            }
            let both = format!(
                "BEGIN IMMEDIATE; UPDATE contacts SET name = '{name}'; UPDATE orders SET name = '{name}'; COMMIT;"
            );
            writer.execute_batch(&both).unwrap();
        }
    });
    let log = format!("{CALL}\n{}", CALL.replace("contacts", "orders"));
    for _ in 0..5 {
        let (_, report) = report_on(&desk, log.as_bytes());
        let verdicts: Vec<&Value> = report["units"]
            .as_array()
            .unwrap()
            .iter()
            .map(|unit| &unit["verdict"])
            .collect();
        assert_eq!(verdicts.len(), 2);
        assert_eq!(verdicts[0], verdicts[1], "{report}");
        assert!(
            verdicts[0] == "verified" || verdicts[0] == "fail",
            "{report}"
        );
    }
    stop.send(()).unwrap();
    busy.join().unwrap();
}

#[test]
fn what_is_no_database_is_refused_and_kept() {
    let desk = stage();
    let good = fs::read(desk.path().join("data/app.db")).unwrap();
    let mut torn = good.clone();
    torn.truncate(700);
    let mut scrambled = good;
    scrambled[100..].fill(0xA5);
    for (content, what) in [
        (b"not a database, just text of some length, long enough for a header, with more than one hundred bytes in it".to_vec(), "text"),
        (torn, "torn"),
        (scrambled, "scrambled"),
    ] {
        desk.file("data/app.db", &content);
        assert_refused(&desk, &desk.crosscheck(with(&[])), "INTERNAL_ERROR", what);
        assert_eq!(files(&desk), BTreeMap::from([("app.db".to_owned(), content)]), "{what}");
    }
}

#[test]
fn a_file_of_no_bytes_is_a_database_without_tables() {
    let desk = stage();
    desk.file("data/app.db", "");
    let (code, report) = report_on(&desk, CALL.as_bytes());
    assert_eq!((code, &report["units"]), (2, &json!([])));
    assert_eq!(files(&desk)["app.db"], b"");
}

#[test]
fn a_folder_a_device_or_nothing_is_no_database() {
    let desk = stage();
    for path in ["data", "data/nowhere.db", "/dev/zero", "data/app.db/below"] {
        let mut args = with(&[]);
        args[4] = path;
        assert_refused(&desk, &desk.crosscheck(args), "INTERNAL_ERROR", path);
    }
    assert_eq!(desk.names("data"), ["app.db"]);
}

#[test]
fn a_path_is_a_path_and_never_a_uri() {
    let desk = stage();
    for name in ["file:app.db?mode=memory", ":memory:", "a b%20c#d?e.db"] {
        let file = format!("data/{name}");
        let connection = rusqlite::Connection::open(desk.path().join("data/new.db")).unwrap();
        connection.execute_batch(CONTACTS).unwrap();
        connection.close().unwrap();
        fs::rename(desk.path().join("data/new.db"), desk.path().join(&file)).unwrap();
        let mut args = with(&[]);
        args[4] = &file;
        assert_eq!(desk.crosscheck(args).code, 0, "{name}");
    }
    let mut args = with(&[]);
    args[4] = ":memory:";
    fs::remove_file(desk.path().join("out/registry.json")).unwrap();
    assert_refused(&desk, &desk.crosscheck(args), "INTERNAL_ERROR", ":memory:");
}

#[test]
fn no_table_of_the_user_hides_the_catalog() {
    for name in [
        "pragma_table_info",
        "pragma_index_list",
        "pragma_index_info",
        "pragma_foreign_key_list",
    ] {
        for kind in ["TABLE {}(x)", "VIEW {} AS SELECT 1 AS x"] {
            let desk = stage();
            let hidden = format!("CREATE {};", kind.replace("{}", name));
            database(&desk, &hidden).close().unwrap();
            let seen = desk.crosscheck(with(&[]));
            assert_eq!(seen.code, 0, "{hidden}: {}", seen.summary());
        }
    }
}

#[test]
fn a_value_that_is_not_compared_has_no_effect() {
    let desk = stage();
    database(
        &desk,
        "ALTER TABLE contacts ADD content BLOB; UPDATE contacts SET content = zeroblob(67108865);
         ALTER TABLE contacts ADD made AS (zeroblob(900000000));",
    )
    .close()
    .unwrap();
    for (log, expected) in [
        (CALL.to_owned(), 0),
        (CALL.replace(r#","name":"Ada""#, ""), 0),
        (CALL.replace("Ada", "Eve"), 1),
        (CALL.replace("}}", r#","content":"x"}}"#), 2),
    ] {
        let (code, report) = report_on(&desk, log.as_bytes());
        assert_eq!(code, expected, "{log}: {report}");
    }
}

#[test]
fn half_a_surrogate_pair_is_not_the_key_that_replaces_it() {
    let desk = stage();
    database(&desk, "INSERT INTO contacts VALUES('\u{fffd}', 'Ada');")
        .close()
        .unwrap();
    for (key, code) in [("\\ud800", 1), ("\\ufffd", 0)] {
        desk.file("log", CALL.replace("c1", key));
        let seen = desk.crosscheck(with(&["--write-report", "report.json"]));
        assert_eq!(seen.code, code, "{key}: {}", seen.stderr);
        let is_absent = desk.read("report.json").contains("ROW_ABSENT");
        assert_eq!(is_absent, code == 1, "{key}");
    }
}

#[test]
fn a_number_in_a_column_without_a_type_is_not_found_by_its_text() {
    let desk = stage();
    let table =
        "CREATE TABLE slots(id PRIMARY KEY, name TEXT); INSERT INTO slots VALUES(5, 'Ada');";
    database(&desk, table).close().unwrap();
    desk.file(
        "log",
        r#"{"tool":"slots.save","params":{"id":5,"name":"Ada"}}"#,
    );
    let seen = desk.crosscheck(with(&[]));
    assert_eq!(seen.code, 1, "{}", seen.summary());
    assert!(seen.stderr.contains("ROW_ABSENT"), "{}", seen.stderr);
}

#[test]
fn what_is_shown_holds_no_value_when_it_is_redacted() {
    let desk = stage();
    let call =
        r#"{"tool":"contacts.upsert","params":{"id":"c1","name":"hunter2","note":"hunter3"}}"#;
    desk.file("log", format!("{call}\n{call}"));
    let seen = desk.crosscheck(with(&["--redact"]));
    assert_eq!(seen.code, 1, "{}", seen.summary());
    let shown = format!("{}{}", seen.stdout, seen.stderr);
    for hidden in ["hunter", "Ada", "\"c1\"", "=c1"] {
        assert!(!shown.contains(hidden), "{hidden}: {shown}");
    }
    assert!(shown.contains("VALUE_MISMATCH"));
    assert!(
        desk.read("out/registry.json").contains("c1"),
        "a replay needs it"
    );
}

#[test]
fn a_silent_server_is_given_up_in_time_and_a_url_for_another_is_named() {
    let desk = stage();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    for (flag, scheme) in [("--postgres-url", "postgres"), ("--mysql-url", "mysql")] {
        let url = format!("{scheme}://u:p@{address}/d");
        let mut words = with(&["--timeout", "1"]);
        (words[3], words[4]) = (flag, url.as_str());
        let began = std::time::Instant::now();
        let seen = desk.crosscheck(&words);
        assert_refused(&desk, &seen, "INTERNAL_ERROR", &url);
        assert!(
            seen.stderr.contains("did not answer in time"),
            "{}",
            seen.stderr
        );
        assert!(began.elapsed().as_secs() < 10, "{scheme}");
    }
    for (flag, url, said) in [
        ("--postgres-url", "mysql://u@h/d", "use --mysql-url"),
        ("--mysql-url", "postgres://u@h/d", "use --postgres-url"),
        ("--db", "postgres://u@h/d", "use --postgres-url"),
        (
            "--db",
            "mongodb://h/d",
            "a mongodb database cannot be checked",
        ),
        (
            "--postgres-url",
            "mongodb://h/d",
            "a mongodb database cannot be checked",
        ),
    ] {
        let mut words = with(&[]);
        (words[3], words[4]) = (flag, url);
        let seen = desk.crosscheck(&words);
        let message = assert_refused(&desk, &seen, "CLI_USAGE", url);
        assert!(message.contains(said), "{message}");
    }
}
