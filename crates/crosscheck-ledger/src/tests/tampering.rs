//! Files that others changed, killed writers left behind, or only read.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use super::*;

fn attacked(count: usize, statements: &str) -> Stage {
    let stage = Stage::with(count);
    let connection = Connection::open(stage.file()).unwrap();
    connection.execute_batch(statements).unwrap();
    stage
}

#[test]
fn a_file_that_was_changed_is_still_read_and_every_finding_is_named() {
    use LedgerReason::{Changed, LinkBroken, RecordEdited, RecordMissing};
    let free = "DROP TRIGGER records_are_never_changed;";
    for (statements, expected) in [
        (
            format!("{free} UPDATE records SET body = replace(body, 'refuted', 'confirmed') WHERE seq = 2"),
            vec![(None, Changed), (Some(2), RecordEdited)],
        ),
        (
            "CREATE INDEX extra ON records (hash); CREATE TABLE other (x); ANALYZE".to_owned(),
            vec![(None, Changed); 4], // ANALYZE makes two tables,
        ),
        (
            "DROP TRIGGER records_are_never_removed; CREATE TRIGGER records_are_never_removed AFTER INSERT ON records BEGIN SELECT 1; END".to_owned(),
            vec![(None, Changed)],
        ),
        (
            // too large, not JSON, not canonical with its right hash, not UTF-8
            format!("{free} UPDATE records SET body = printf('%.*c', 9000000, 'x') WHERE seq = 1; \
                UPDATE records SET body = 'x' WHERE seq = 2; \
                UPDATE records SET body = '{{}}', hash = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a' WHERE seq = 3; \
                UPDATE records SET body = CAST(x'ff' AS TEXT) WHERE seq = 4"),
            vec![
                (None, Changed),
                (Some(1), RecordEdited),
                (Some(2), RecordEdited),
                (Some(3), RecordEdited),
                (Some(4), RecordEdited),
            ],
        ),
        (
            // a table that is not strict and has no key
            "CREATE TABLE copy (seq, id, hash, body); INSERT INTO copy SELECT * FROM records; DROP TABLE records; \
                ALTER TABLE copy RENAME TO records; UPDATE records SET seq = NULL WHERE seq = 1".to_owned(),
            vec![
                (None, Changed),
                (None, Changed),
                (None, Changed),
                (None, RecordMissing),
                (None, LinkBroken),
                (Some(2), RecordMissing),
            ],
        ),
    ] {
        let stage = attacked(5, &statements);
        let found = stage.breaks();
        assert_eq!(found, expected, "{statements}");
        let opened = Ledger::open(&stage.place(), Care::COMMAND, str::to_owned).map(drop);
        assert_eq!(opened.as_ref().map_err(code), Err("LEDGER_CHANGED"));
        let reader = Reader::open(&stage.place()).unwrap();
        let insisted = reader.insist();
        assert_eq!(insisted.as_ref().map_err(code), Err("LEDGER_BROKEN"));
        let mut shown = 0;
        reader
            .records(ALL, &mut |_| {
                shown += 1;
                Ok(())
            })
            .unwrap();
        assert!(shown >= 4, "{shown}: {statements}");
    }
}

#[test]
fn who_appends_behind_a_bad_record_is_reported() {
    let stage = Stage::with(2);
    assert_eq!(stage.open().append(&entry("x")).unwrap().broken, None);
    stage.attack("UPDATE records SET body = 'x' WHERE seq = 3");
    let broken = stage.open().append(&entry("y")).unwrap().broken;
    assert!(broken.is_some_and(|broken| broken.contains("record 3")));
    stage.attack("UPDATE records SET seq = 9223372036854775807 WHERE seq = 4");
    let end = stage.open().append(&entry("z"));
    assert_eq!(end.as_ref().map_err(code), Err("LEDGER_DAMAGED"));
}

#[test]
fn a_file_in_which_no_ledger_has_begun_is_an_empty_one() {
    let empty = Stage::new();
    fs::write(empty.file(), "").unwrap();
    let begun = Stage::new();
    let connection = Connection::open(begun.file()).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = WAL; VACUUM")
        .unwrap();
    drop(connection);
    for stage in [empty, begun] {
        let walk = stage.walk(&Expected::default());
        assert_eq!((walk.count, walk.problem_count), (0, 0));
        assert!(stage.records(ALL).is_empty());
        stage.open().append(&entry("x")).unwrap();
        assert_eq!(stage.walk(&Expected::default()).count, 1);
    }
}

#[test]
fn who_only_reads_leaves_no_file_behind() {
    let stage = Stage::with(2);
    let names = || fs::read_dir(stage.folder.path()).unwrap().count();
    assert_eq!((names(), stage.walk(&Expected::default()).count), (1, 2));
    assert_eq!(names(), 1);
    // beside a writer, whose files stay
    let writer = stage.open();
    let before = names();
    assert_eq!(stage.walk(&Expected::default()).count, 2);
    assert_eq!(names(), before);
    drop(writer);
    assert_eq!(names(), 1);
}

#[test]
fn ledger_and_spool_are_for_their_owner_alone() {
    let stage = Stage::with(1);
    stage.place().spool(&entry("x")).unwrap();
    let rights = |name: &str| {
        let path = stage.folder.path().join(name);
        path.metadata().unwrap().permissions().mode() & 0o077
    };
    assert_eq!((rights("ledger.db"), rights("ledger.db.spool")), (0, 0));
}

#[test]
fn every_name_of_a_file_of_the_ledger_is_known() {
    let stage = Stage::with(1);
    let at = |name: &str| stage.folder.path().join(name);
    std::os::unix::fs::symlink("ledger.db", at("link")).unwrap();
    std::os::unix::fs::symlink("ledger.db-wal", at("dangling")).unwrap();
    fs::hard_link(at("ledger.db"), at("hard")).unwrap();
    fs::create_dir(at("sub")).unwrap();
    let other = Place::named(at("new.db"));
    for name in [
        "ledger.db",
        "ledger.db-wal",
        "ledger.db-shm",
        "ledger.db-journal",
        "ledger.db.spool",
        "ledger.db.spool/x.json",
        "sub/../ledger.db",
        "link",
        "dangling",
        "hard",
    ] {
        assert!(stage.place().holds(&at(name)), "{name}");
        assert!(!other.holds(&at(name)), "{name}");
    }
    assert!(other.holds(&at("sub/../new.db")), "not there yet");
    assert!(!stage.place().holds(&at("ledger.db.txt")));
    assert_eq!(at("hard").metadata().unwrap().nlink(), 2);
}

#[test]
fn a_spool_entry_is_cleaned_when_it_is_taken_in() {
    let stage = Stage::new();
    stage.place().spool(&entry("the word hunter2")).unwrap();
    let clean = |text: &str| text.replace("hunter2", "[redacted]");
    let mut ledger = Ledger::open(&stage.place(), Care::COMMAND, clean).unwrap();
    ledger.take_in().unwrap();
    assert_eq!(stage.records(ALL)[0].entry.subject, "the word [redacted]");
}
