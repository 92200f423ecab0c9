#![expect(
    clippy::disallowed_methods,
    reason = "tests set their stage with plain calls"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crosscheck_core::digest::Digest;
use crosscheck_core::{Advice as _, Verdict, canonical};
use rusqlite::Connection;
use tempfile::TempDir;

use super::*;

mod tampering;

fn entry(subject: &str) -> LedgerEntry {
    LedgerEntry {
        id: new_id(),
        at: "2026-10-01T10:00:00Z".to_owned(),
        command: "done".to_owned(),
        tool: "crosscheck 0.1.0".to_owned(),
        duration_ms: 12,
        subject: subject.to_owned(),
        verdict: Verdict::Refuted,
        summary: "1 claim refuted".to_owned(),
        inputs: vec![Item {
            name: "message".to_owned(),
            sha256: Digest::of(subject).hex(),
        }],
        outputs: Vec::new(),
        notes: BTreeMap::new(),
        counts: Counts {
            refuted: 1,
            ..Counts::default()
        },
        units: vec![unit("1", Verdict::Refuted)],
        units_left_out: 0,
    }
}

fn unit(id: &str, verdict: Verdict) -> Unit {
    Unit {
        id: id.to_owned(),
        claim: "all tests pass".to_owned(),
        verdict,
        reasons: vec![Ground {
            code: "DONE_RUN_FAILED".to_owned(),
            message: "the run failed".to_owned(),
        }],
    }
}

struct Stage {
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A ledger with this many records.
    fn with(count: usize) -> Self {
        let stage = Self::new();
        let mut ledger = stage.open();
        for number in 1..=count {
            ledger.append(&entry(&format!("run {number}"))).unwrap();
        }
        stage
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("ledger.db")
    }

    fn place(&self) -> Place {
        Place::named(self.file())
    }

    fn open(&self) -> Ledger {
        Ledger::open(&self.place(), Care::COMMAND, str::to_owned).unwrap()
    }

    /// What a user who knows SQLite does.
    fn attack(&self, statements: &str) {
        let connection = Connection::open(self.file()).unwrap();
        let open =
            "DROP TRIGGER records_are_never_changed; DROP TRIGGER records_are_never_removed;";
        let triggers: Vec<String> = connection
            .prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        connection.execute_batch(open).unwrap();
        connection.execute_batch(statements).unwrap();
        for trigger in triggers {
            connection.execute_batch(&trigger).unwrap();
        }
    }

    fn walk(&self, expected: &Expected) -> Walk {
        let reader = Reader::open(&self.place()).unwrap();
        reader.verify(expected).unwrap()
    }

    fn breaks(&self) -> Vec<(Option<u64>, LedgerReason)> {
        let walk = self.walk(&Expected::default());
        let problems = walk.problems.iter();
        problems.map(|one| (one.seq, one.reason)).collect()
    }

    fn records(&self, wanted: Wanted<'_>) -> Vec<Record> {
        let mut all = Vec::new();
        let reader = Reader::open(&self.place()).unwrap();
        reader
            .records(wanted, &mut |found| {
                let record = found.record.unwrap();
                assert_eq!(Digest::of(record.text()).hex(), found.hash);
                all.push(record);
                Ok(())
            })
            .unwrap();
        all
    }
}

const ALL: Wanted<'_> = Wanted {
    last: u64::MAX,
    command: None,
};

fn code(error: &LedgerError) -> &'static str {
    error.reason().code
}

#[test]
fn records_follow_one_another_and_the_head_is_the_hash_of_the_last() {
    let stage = Stage::with(3);
    let walk = stage.walk(&Expected::default());
    assert_eq!((walk.count, walk.problem_count), (3, 0));
    let records = stage.records(ALL);
    let hash = |at: usize| Digest::of(records[at].text()).hex();
    assert_eq!(records[0].previous, "0".repeat(64));
    assert_eq!(records[1].previous, hash(0));
    assert_eq!(records[2].previous, hash(1));
    assert_eq!(walk.head, Some(hash(2)));
}

#[test]
fn an_edit_a_removal_and_a_new_order_show_where_they_are() {
    use LedgerReason::{LinkBroken, RecordEdited, RecordMissing};
    let swap = "UPDATE records SET seq = 99 WHERE seq = 2; UPDATE records SET seq = 2 WHERE seq = 3; UPDATE records SET seq = 3 WHERE seq = 99;";
    for (statements, expected) in [
        (
            "UPDATE records SET body = replace(body, 'refuted', 'confirmed') WHERE seq = 2",
            vec![(Some(2), RecordEdited)],
        ),
        (
            "UPDATE records SET body = ' ' || body WHERE seq = 2",
            vec![(Some(2), RecordEdited)],
        ),
        (
            "DELETE FROM records WHERE seq = 3",
            vec![(Some(4), RecordMissing)],
        ),
        (
            "DELETE FROM records WHERE seq = 1",
            vec![(Some(2), RecordMissing)],
        ),
        (
            "DELETE FROM records WHERE seq = 3; UPDATE records SET seq = seq - 1 WHERE seq > 3",
            vec![
                (Some(3), LinkBroken),
                (Some(3), LinkBroken),
                (Some(4), LinkBroken),
            ],
        ),
        (
            swap,
            vec![
                (Some(2), LinkBroken),
                (Some(2), LinkBroken),
                (Some(3), LinkBroken),
                (Some(3), LinkBroken),
                (Some(4), LinkBroken),
            ],
        ),
    ] {
        let stage = Stage::with(5);
        stage.attack(statements);
        assert_eq!(stage.breaks(), expected, "{statements}");
    }
}

#[test]
fn the_end_of_a_chain_is_walked_alone() {
    let stage = Stage::with(5);
    let end = |count| {
        let walk = Reader::open(&stage.place()).unwrap().verify_last(count);
        let problems = walk.unwrap().problems.into_iter();
        problems.map(|one| one.seq).collect::<Vec<_>>()
    };
    assert_eq!((end(1), end(99)), (vec![], vec![]));
    stage.attack("UPDATE records SET body = replace(body, 'run 4', 'run X') WHERE seq = 4");
    assert_eq!(end(1), []); // only what is shown
    assert_eq!(end(2), [Some(4)]);
    assert_eq!(end(99), [Some(4)]);
}

#[test]
fn a_record_that_was_edited_together_with_its_hash_breaks_the_link_behind_it() {
    let stage = Stage::with(4);
    let mut record = stage.records(ALL).remove(1);
    record.entry.verdict = Verdict::Confirmed;
    let body = record.text();
    let hash = Digest::of(&body).hex();
    stage.attack(&format!(
        "UPDATE records SET body = '{}', hash = '{hash}' WHERE seq = 2",
        body.replace('\'', "''")
    ));
    assert_eq!(stage.breaks(), [(Some(3), LedgerReason::LinkBroken)]);
}

#[test]
fn only_what_was_noted_elsewhere_shows_that_the_end_was_cut_off() {
    let stage = Stage::with(5);
    let noted = stage.walk(&Expected::default()).head.unwrap();
    let head = Digest::from_hex(&noted);
    let expected = Expected {
        head,
        count: Some(5),
    };
    stage.open().append(&entry("later")).unwrap();
    assert_eq!(stage.walk(&expected).problem_count, 0, "it may grow");

    stage.attack("DELETE FROM records WHERE seq > 3");

    assert_eq!(stage.breaks(), [], "the chain alone is whole");
    let walk = stage.walk(&expected);
    let reasons: Vec<LedgerReason> = walk.problems.iter().map(|one| one.reason).collect();
    assert_eq!(reasons, [LedgerReason::HeadMissing, LedgerReason::TooShort]);
}

#[test]
fn the_file_itself_refuses_changes_by_mistake() {
    let stage = Stage::with(1);
    let connection = Connection::open(stage.file()).unwrap();
    for statement in ["UPDATE records SET hash = ''", "DELETE FROM records"] {
        let error = connection.execute(statement, []).unwrap_err().to_string();
        assert!(error.contains("append-only"), "{error}");
    }
}

#[test]
fn what_is_no_ledger_is_refused_and_left_as_it_is() {
    let database = |statements: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.db");
        let connection = Connection::open(&file).unwrap();
        connection.execute_batch(statements).unwrap();
        drop(connection);
        fs::read(file).unwrap()
    };
    let ledger = {
        let stage = Stage::with(1);
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let connection = Connection::open(stage.file()).unwrap();
        connection.execute_batch(checkpoint).unwrap();
        drop(connection);
        fs::read(stage.file()).unwrap()
    };
    let mut damaged = ledger.clone();
    let half = damaged.len() / 2;
    damaged[4096..half].fill(0xff);
    let mut newer = ledger;
    newer[60..64].copy_from_slice(&2_u32.to_be_bytes());
    for (content, expected) in [
        (b"# notes of mine\n".repeat(100), "LEDGER_NOT_A_LEDGER"),
        (b"x".to_vec(), "LEDGER_NOT_A_LEDGER"),
        (b"a short note\n".to_vec(), "LEDGER_NOT_A_LEDGER"),
        (database("CREATE TABLE users (id)"), "LEDGER_NOT_A_LEDGER"),
        (
            database("PRAGMA application_id = 0x63636c67; CREATE TABLE records (seq)"),
            "LEDGER_NOT_A_LEDGER",
        ),
        (newer, "LEDGER_NEWER"),
        (damaged, "LEDGER_DAMAGED"),
    ] {
        let stage = Stage::new();
        fs::write(stage.file(), &content).unwrap();
        let opened = Ledger::open(&stage.place(), Care::COMMAND, str::to_owned)
            .and_then(|mut ledger| ledger.append(&entry("x")));
        assert_eq!(opened.as_ref().map_err(code), Err(expected));
        let read =
            Reader::open(&stage.place()).and_then(|reader| reader.verify(&Expected::default()));
        assert_eq!(read.as_ref().map_err(code), Err(expected));
        assert!(
            fs::read(stage.file()).unwrap() == content,
            "{expected}: it was changed"
        );
    }
}

#[test]
fn a_file_that_cannot_be_written_or_read_is_named_with_a_code() {
    let stage = Stage::new();
    let missing = Reader::open(&stage.place()).map(drop);
    assert_eq!(missing.as_ref().map_err(code), Err("LEDGER_MISSING"));
    let nowhere = Place::named(stage.folder.path().join("no/such/folder/ledger.db"));
    let opened = Ledger::open(&nowhere, Care::COMMAND, str::to_owned).map(drop);
    assert_eq!(opened.as_ref().map_err(code), Err("LEDGER_UNWRITABLE"));
    let folder = Place::named(stage.folder.path());
    let opened = Ledger::open(&folder, Care::COMMAND, str::to_owned).map(drop);
    assert_eq!(opened.as_ref().map_err(code), Err("LEDGER_NOT_A_LEDGER"));
}

#[test]
fn a_full_disk_leaves_the_chain_as_it_was() {
    let stage = Stage::with(2);
    let mut ledger = stage.open();
    ledger.limit_pages();
    let mut large = entry("x");
    large.units = (0..UNITS_MAX)
        .map(|number| unit(&number.to_string(), Verdict::Refuted))
        .collect();
    let full = ledger.append(&large);
    assert_eq!(full.as_ref().map_err(code), Err("LEDGER_FULL"));
    drop(ledger);
    assert_eq!(stage.walk(&Expected::default()).count, 2);
    assert_eq!(stage.breaks(), []);
}

#[test]
fn a_writer_that_takes_too_long_is_an_error_with_a_code() {
    let stage = Stage::with(1);
    let other = Connection::open(stage.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut ledger = Ledger::open(&stage.place(), Care::HOOK, str::to_owned).unwrap();
    let late = ledger.append(&entry("x"));
    assert_eq!(late.as_ref().map_err(code), Err("LEDGER_BUSY"));
}

#[test]
fn many_writers_that_begin_at_once_make_one_chain() {
    let stage = Stage::new();
    let write = |name: usize| {
        let place = stage.place();
        move || {
            for number in 0..20 {
                let mut ledger = Ledger::open(&place, Care::COMMAND, str::to_owned).unwrap();
                ledger.append(&entry(&format!("{name} {number}"))).unwrap();
            }
        }
    };
    std::thread::scope(|scope| {
        for name in 0..6 {
            scope.spawn(write(name));
        }
    });
    let walk = stage.walk(&Expected::default());
    assert_eq!((walk.count, walk.problem_count), (120, 0));
}

#[test]
fn a_spool_file_is_taken_in_once_whatever_happens_between() {
    let stage = Stage::with(1);
    let (first, second) = (entry("first"), entry("second"));
    stage.place().spool(&first).unwrap();
    let spool = stage.folder.path().join("ledger.db.spool");
    let copy = spool.join(format!("{}.json", first.id));
    let content = fs::read(&copy).unwrap();

    stage.open().append(&second).unwrap();
    assert_eq!(fs::read_dir(&spool).unwrap().count(), 0);
    // killed after the commit and before the removal
    fs::write(&copy, content).unwrap();
    stage.open().take_in().unwrap();
    // appended, and left as a spool file because it took too long
    stage.place().spool(&second).unwrap();
    stage.open().take_in().unwrap();

    let records = stage.records(ALL);
    let listed: Vec<(&str, bool)> = records
        .iter()
        .map(|record| (record.entry.subject.as_str(), record.spooled))
        .collect();
    assert_eq!(
        listed,
        [("run 1", false), ("first", true), ("second", false)]
    );
    assert_eq!(stage.breaks(), []);
    assert_eq!(fs::read_dir(&spool).unwrap().count(), 0);
}

#[test]
fn a_spool_file_that_this_program_does_not_write_is_set_aside() {
    let stage = Stage::with(1);
    let spool = stage.folder.path().join("ledger.db.spool");
    fs::create_dir(&spool).unwrap();
    let put = |id: &str, text: &str| fs::write(spool.join(format!("{id}.json")), text).unwrap();
    let text = |entry: &LedgerEntry| canonical::of(entry).unwrap();
    let bad = |change: &dyn Fn(&mut LedgerEntry)| {
        let mut entry = entry("bad");
        change(&mut entry);
        put(&entry.id.clone(), &text(&entry));
    };
    put(&new_id(), "not JSON");
    put(&new_id(), &text(&entry("an id that is not its name")));
    bad(&|entry| entry.at = "yesterday".to_owned());
    bad(&|entry| entry.at = "9999-99-99T10:00:00Z".to_owned());
    bad(&|entry| entry.verdict = Verdict::Confirmed);
    bad(&|entry| entry.counts.refuted = 0);
    bad(&|entry| entry.inputs[0].sha256 = "abc".to_owned());
    bad(&|entry| entry.summary = "x".repeat(400));
    bad(&|entry| entry.units = vec![unit("1", Verdict::Confirmed); UNITS_MAX + 1]);
    let huge = new_id();
    put(&huge, &" ".repeat(9 << 20));
    let outside = stage.folder.path().join("outside.json");
    let linked = entry("linked");
    fs::write(&outside, text(&linked)).unwrap();
    std::os::unix::fs::symlink(&outside, spool.join(format!("{}.json", linked.id))).unwrap();
    fs::write(spool.join("odd name"), "{").unwrap();
    // a writer that is at work, and one that was killed an hour ago
    let (young, old) = (entry("young"), entry("old"));
    let staged = |entry: &LedgerEntry| spool.join(format!("{}.json.tmp.abc", entry.id));
    for entry in [&young, &old] {
        fs::write(staged(entry), text(entry)).unwrap();
    }
    let before = std::time::SystemTime::UNIX_EPOCH;
    let file = fs::File::options().write(true).open(staged(&old)).unwrap();
    file.set_modified(before).unwrap();

    let taken = stage.open().append(&entry("good")).unwrap();

    assert_eq!((taken.count, taken.unusable), (3, 12));
    let names = |end: &str| {
        let folder = stage.folder.path().join(format!("ledger.db.spool{end}"));
        fs::read_dir(folder).unwrap().count()
    };
    assert_eq!((names(""), names(".rejected")), (1, 12));
    assert_eq!(stage.records(ALL)[1].entry.subject, "old");

    // a folder that is a link is not followed, and not passed over in silence
    fs::remove_dir_all(&spool).unwrap();
    std::os::unix::fs::symlink(stage.folder.path(), &spool).unwrap();
    assert_eq!(stage.place().spooled(), 1);
    assert_eq!(stage.open().take_in().unwrap().unusable, 1);
}

#[test]
fn the_default_place_is_not_left_through_a_link() {
    let (project, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let place = Place::of_project(project.path());
    let own = project.path().join(".crosscheck");
    std::os::unix::fs::symlink(outside.path(), &own).unwrap();
    let opened = Ledger::open(&place, Care::COMMAND, str::to_owned).map(drop);
    assert_eq!(opened.as_ref().map_err(code), Err("LEDGER_NOT_A_LEDGER"));

    fs::remove_file(&own).unwrap();
    fs::create_dir(&own).unwrap();
    std::os::unix::fs::symlink(outside.path().join("new.db"), own.join("ledger.db")).unwrap();
    let opened = Ledger::open(&place, Care::COMMAND, str::to_owned).map(drop);
    assert_eq!(opened.as_ref().map_err(code), Err("LEDGER_NOT_A_LEDGER"));
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);

    fs::remove_file(own.join("ledger.db")).unwrap();
    let empty = outside.path().join("empty");
    fs::write(&empty, "").unwrap();
    fs::hard_link(&empty, own.join("ledger.db")).unwrap();
    let opened = Ledger::open(&place, Care::COMMAND, str::to_owned).map(drop);
    assert_eq!(opened.as_ref().map_err(code), Err("LEDGER_NOT_A_LEDGER"));
    assert_eq!(fs::metadata(&empty).unwrap().len(), 0);

    fs::remove_file(own.join("ledger.db")).unwrap();
    Ledger::open(&place, Care::COMMAND, str::to_owned)
        .unwrap()
        .append(&entry("x"))
        .unwrap();
    assert_eq!(stage_count(&place), 1);
}

fn stage_count(place: &Place) -> u64 {
    let reader = Reader::open(place).unwrap();
    reader.verify(&Expected::default()).unwrap().count
}

#[test]
fn records_are_chosen_by_command_and_from_the_end() {
    let stage = Stage::with(3);
    let rows = LedgerEntry {
        command: "rows".to_owned(),
        ..entry("rows")
    };
    stage.open().append(&rows).unwrap();
    let subjects = |last, command| -> Vec<String> {
        let records = stage.records(Wanted { last, command });
        records.into_iter().map(|one| one.entry.subject).collect()
    };
    assert_eq!(subjects(2, None), ["run 3", "rows"]);
    assert_eq!(subjects(2, Some("done")), ["run 2", "run 3"]);
    assert_eq!(subjects(9, Some("x' OR 1=1 --")), Vec::<String>::new());
}

#[test]
fn an_entry_is_cut_to_the_limits_of_a_record_and_says_so() {
    let mut large = entry(&"é".repeat(1000));
    large.units = (0..700)
        .map(|number| unit(&number.to_string(), Verdict::Confirmed))
        .chain([unit("bad", Verdict::Refuted)])
        .collect();
    let cut = large.fitted();
    assert_eq!(cut.units.len(), UNITS_MAX);
    assert_eq!(cut.units_left_out, 201);
    assert_eq!(cut.units[0].id, "bad", "the worst is kept");
    assert_eq!(cut.subject.chars().count(), 300);
    assert_eq!(cut.clone().fitted(), cut);
}

#[test]
fn a_ledger_that_no_one_can_write_can_still_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let stage = Stage::with(2);
    let rights = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    rights(&stage.file(), 0o444);
    rights(stage.folder.path(), 0o555);
    let walk = stage.walk(&Expected::default());
    rights(stage.folder.path(), 0o755);
    assert_eq!((walk.count, walk.problem_count), (2, 0));
}

#[test]
fn an_export_is_believed_with_the_right_key_and_unchanged_only() {
    let keys = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/rows-check");
    let signer = Signer::load(&keys.join("signing-key.test.pem")).unwrap();
    let verifier = Verifier::load(&keys.join("signing-key.test.pub.pem")).unwrap();
    let stage = Stage::with(1);
    let record = stage.records(ALL).remove(0);
    let hash = Digest::of(record.text()).hex();

    let envelope = signer.envelope(&record, &hash);

    assert_eq!(verifier.open(&envelope), Ok(record.clone()));
    let mut other = record.clone();
    other.entry.verdict = Verdict::Confirmed;
    let forged = signer.envelope(&other, &hash);
    assert_eq!(
        verifier.open(&forged),
        Err("its record does not have its hash")
    );
    let unsigned = |text: String| verifier.open(&text).unwrap_err();
    let mine: serde_json::Value = serde_json::from_str(&envelope).unwrap();
    let mut swapped: serde_json::Value = serde_json::from_str(&forged).unwrap();
    swapped["signatures"] = mine["signatures"].clone();
    assert_eq!(unsigned(swapped.to_string()), "this key has not signed it");
    swapped["signatures"] = serde_json::json!([]);
    assert_eq!(unsigned(swapped.to_string()), "this key has not signed it");
    assert_eq!(unsigned("{}".to_owned()), "it is not a DSSE envelope");
    let wrong = Signer::load(&keys.join("signing-key.test.pub.pem")).map(drop);
    assert_eq!(wrong.as_ref().map_err(code), Err("LEDGER_KEY_UNUSABLE"));
}
