//! A ledger in PostgreSQL: the same records, the same chain, no password
//! anywhere. Needs `CROSSCHECK_TEST_POSTGRES`, the URL of a throwaway server.

use crosscheck_testkit::{Database, Desk, Engine, Seen, Server};

use crate::check;
use crate::ledger::{LIE, hook, judge, records, with_session};

const PASSWORD: &str = "s3cret-of-the-team";

/// A desk whose variable `TEAM_LEDGER` names a fresh database.
fn team(setup: &str) -> Option<(Desk, Database)> {
    let database = Server::named(Engine::Postgres)?.database(setup);
    let desk = with_session().variable("TEAM_LEDGER", database.url());
    Some((desk, database))
}

fn ledger(desk: &Desk, words: &[&str]) -> Seen {
    desk.crosscheck(["ledger"].iter().chain(words))
}

/// The codes of what is wrong with the chain.
fn breaks(desk: &Desk) -> Vec<String> {
    let seen = ledger(desk, &["verify", "env:TEAM_LEDGER", "--format", "json"]);
    let units = seen.json()["outcomes"].take();
    let codes = units.as_array().into_iter().flatten();
    let codes = codes.filter_map(|unit| unit["reasons"][0]["reason"].as_str());
    codes.map(str::to_owned).collect()
}

#[test]
fn every_command_of_the_ledger_works_with_a_server() {
    let Some((desk, _database)) = team("") else {
        return;
    };
    desk.file("key.pem", check::KEY);
    desk.file("pub.pem", check::PUBLIC);
    let missing = ledger(&desk, &["show", "env:TEAM_LEDGER"]);
    assert_eq!(missing.code, 3);
    assert!(
        missing.stderr.contains("LEDGER_MISSING"),
        "{}",
        missing.summary()
    );

    for place in ["env:TEAM_LEDGER", "h.db", "env:TEAM_LEDGER"] {
        let seen = judge(&desk, &["--ledger", place]);
        assert_eq!(seen.code, 1, "{}", seen.summary());
    }

    let there = records(&desk, Some("env:TEAM_LEDGER"));
    let here = records(&desk, Some("h.db"));
    assert_eq!(there.len(), 2);
    // ids, times and the receipt differ from run to run
    for same in [
        "/schema",
        "/entry/units",
        "/entry/counts",
        "/entry/inputs",
        "/entry/notes",
    ] {
        assert_eq!(there[0].pointer(same), here[0].pointer(same), "{same}");
    }
    assert_eq!(there[0]["previous"], here[0]["previous"]);

    let verified = ledger(&desk, &["verify", "env:TEAM_LEDGER", "--expect-count", "2"]);
    assert_eq!(verified.code, 0, "{}", verified.summary());
    assert!(
        verified.stdout.contains("2 records, the chain is whole"),
        "{}",
        verified.stdout
    );
    let trend = ledger(&desk, &["trend", "env:TEAM_LEDGER"]);
    assert_eq!(
        trend.stdout,
        "done  2 refuted, 0 undecided, 0 confirmed  xx\n"
    );
    let only = |command: &str| {
        let words = [
            "show",
            "env:TEAM_LEDGER",
            "--format",
            "ndjson",
            "--last",
            "1",
            "--command",
            command,
        ];
        ledger(&desk, &words).stdout.lines().count()
    };
    assert_eq!((only("done"), only("rows"), only("do%")), (1, 0, 0));
    let export = ledger(
        &desk,
        &[
            "export",
            "env:TEAM_LEDGER",
            "--sign",
            "key.pem",
            "-o",
            "runs.jsonl",
        ],
    );
    assert_eq!(export.code, 0, "{}", export.summary());
    let read = ledger(
        &desk,
        &["verify-export", "runs.jsonl", "--public-key", "pub.pem"],
    );
    assert_eq!(read.code, 0, "{}", read.summary());
}

#[test]
fn writers_of_a_team_wait_for_each_other() {
    let Some((desk, _database)) = team("") else {
        return;
    };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let seen = judge(&desk, &["--ledger", "env:TEAM_LEDGER"]);
                    assert_eq!(seen.code, 1, "{}", seen.summary());
                }
            });
        }
    });
    let words = ["verify", "env:TEAM_LEDGER", "--expect-count", "24"];
    let seen = ledger(&desk, &words);
    assert_eq!(seen.code, 0, "{}", seen.summary());
}

#[test]
fn damage_is_located() {
    const OPEN: &str = "ALTER TABLE crosscheck_ledger.records DISABLE TRIGGER ALL;";
    const SHUT: &str = "ALTER TABLE crosscheck_ledger.records ENABLE TRIGGER ALL;";
    for (name, damage, expected) in [
        (
            "edited",
            "UPDATE crosscheck_ledger.records SET body = replace(body, 'refuted', 'confirmed') WHERE seq = 2",
            vec!["LEDGER_RECORD_EDITED"],
        ),
        (
            "removed",
            "DELETE FROM crosscheck_ledger.records WHERE seq = 2",
            vec!["LEDGER_RECORD_MISSING"],
        ),
        (
            "moved",
            "UPDATE crosscheck_ledger.records SET seq = 9 - seq WHERE seq > 1; UPDATE crosscheck_ledger.records SET seq = seq - 4 WHERE seq > 1",
            vec![
                "LEDGER_LINK_BROKEN",
                "LEDGER_LINK_BROKEN",
                "LEDGER_LINK_BROKEN",
                "LEDGER_LINK_BROKEN",
            ],
        ),
        (
            "no text",
            "UPDATE crosscheck_ledger.records SET body = 'x' WHERE seq = 3",
            vec!["LEDGER_RECORD_EDITED"],
        ),
    ] {
        let Some((desk, database)) = team("") else {
            return;
        };
        for _ in 0..3 {
            judge(&desk, &["--ledger", "env:TEAM_LEDGER"]);
        }
        database.session().run(&format!("{OPEN} {damage}; {SHUT}"));
        assert_eq!(breaks(&desk), expected, "{name}");
        assert_eq!(
            ledger(&desk, &["verify", "env:TEAM_LEDGER"]).code,
            1,
            "{name}"
        );
    }
}

#[test]
fn a_table_that_was_changed_is_named_and_takes_no_record() {
    let changes = [
        "ALTER TABLE crosscheck_ledger.records DISABLE TRIGGER ALL",
        "ALTER TABLE crosscheck_ledger.records ADD COLUMN note text",
        "ALTER TABLE crosscheck_ledger.records SET UNLOGGED",
        "CREATE RULE quiet AS ON INSERT TO crosscheck_ledger.records DO INSTEAD NOTHING",
        "CREATE OR REPLACE FUNCTION crosscheck_ledger.refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        "ALTER TABLE crosscheck_ledger.records ENABLE ROW LEVEL SECURITY",
    ];
    for change in changes {
        let Some((desk, database)) = team("") else {
            return;
        };
        judge(&desk, &["--ledger", "env:TEAM_LEDGER"]);
        database.session().run(change);
        assert!(
            breaks(&desk).iter().all(|code| code == "LEDGER_CHANGED"),
            "{change}"
        );
        assert!(!breaks(&desk).is_empty(), "{change}");
        let refused = judge(&desk, &["--ledger", "env:TEAM_LEDGER"]);
        assert!(
            refused.stderr.contains("LEDGER_CHANGED"),
            "{change}: {}",
            refused.summary()
        );
        assert_eq!(refused.code, 3, "{change}");
    }
    for (comment, code) in [
        ("'crosscheck.ledger/2'", "LEDGER_NEWER"),
        ("NULL", "LEDGER_NOT_A_LEDGER"),
    ] {
        let setup = format!(
            "CREATE SCHEMA crosscheck_ledger; CREATE TABLE crosscheck_ledger.records (seq bigint); COMMENT ON TABLE crosscheck_ledger.records IS {comment}"
        );
        let Some((desk, _database)) = team(&setup) else {
            return;
        };
        let shown = ledger(&desk, &["show", "env:TEAM_LEDGER"]);
        assert!(
            shown.code == 3 && shown.stderr.contains(code),
            "{}",
            shown.summary()
        );
        let refused = judge(&desk, &["--ledger", "env:TEAM_LEDGER"]);
        assert!(refused.stderr.contains(code), "{}", refused.summary());
    }
}

#[test]
fn a_role_that_can_only_add_is_enough_and_no_password_is_shown() {
    let Some((desk, database)) = team("") else {
        return;
    };
    judge(&desk, &["--ledger", "env:TEAM_LEDGER"]);
    let role = format!("{}_ci", database.name());
    database.session().run(&format!(
        "CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'; GRANT USAGE ON SCHEMA crosscheck_ledger TO {role};
         GRANT SELECT, INSERT ON crosscheck_ledger.records TO {role}"
    ));
    let url = database.url_for(&role, PASSWORD);
    let bare = url.replace(&format!(":{PASSWORD}"), "");
    let with_password = with_session().variable("PGPASSWORD", PASSWORD);
    let mut said = String::new();
    for (desk, place) in [(&desk, &url), (&with_password, &bare)] {
        let seen = judge(desk, &["--ledger", place]);
        assert_eq!(seen.code, 1, "{}", seen.summary());
        let shown = ledger(desk, &["verify", place]);
        assert_eq!(shown.code, 0, "{}", shown.summary());
        said += &(seen.summary() + &shown.summary());
    }
    for statement in [
        "UPDATE crosscheck_ledger.records SET body = ''",
        "DELETE FROM crosscheck_ledger.records",
    ] {
        database.session().run(&format!(
            "DO $$ BEGIN BEGIN {statement}; EXCEPTION WHEN raise_exception THEN RETURN; END; RAISE 'it was allowed'; END $$"
        ));
    }
    let wrong = database.url_for(&role, &format!("{PASSWORD}-wrong"));
    for place in [
        wrong,
        format!("postgres://u:{PASSWORD}@127.0.0.1:1/d"),
        format!("mysql://u:{PASSWORD}@h/d"),
        format!("postgres:/u:{PASSWORD}@h://d"),
    ] {
        let seen = ledger(&desk, &["show", &place]);
        assert_eq!(seen.code, 3, "{}", seen.summary());
        let kept = judge(&desk, &["--ledger", &place]);
        assert_eq!(kept.code, 3, "{}", kept.summary());
        said += &(seen.summary() + &kept.summary());
    }
    database
        .session()
        .run(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
    assert!(!said.contains(PASSWORD), "{said}");
}

#[test]
fn a_hook_does_not_wait_for_a_server() {
    let Some((desk, database)) = team("") else {
        return;
    };
    // where nobody listens, and where somebody does
    desk.user_config("[ledger]\npath = \"postgres://u@127.0.0.1:1/d\"\n");
    hook(&desk, LIE);
    let log = desk.crosscheck(["done", "log"]).stdout;
    assert!(log.contains("spooled"), "{log}");
    desk.user_config("[ledger]\npath = \"env:TEAM_LEDGER\"\n");
    hook(&desk, "All 12 tests pass.");
    let recorded = records(&desk, None);
    assert_eq!(recorded.len(), 1, "in time or from the spool, once");
    drop(database);
}

#[test]
fn a_file_of_the_project_cannot_name_a_server() {
    let Some((desk, database)) = team("") else {
        return;
    };
    desk.file("crosscheck.toml", "[ledger]\npath = \"env:TEAM_LEDGER\"\n");
    judge(&desk, &[]);
    let schema = "SELECT count(*)::text FROM pg_namespace WHERE nspname = 'crosscheck_ledger'";
    assert_eq!(database.session().text(schema).as_deref(), Some("0"));
    let unset = ledger(&desk, &["show", "env:NOT_SET"]);
    assert!(
        unset.code == 3 && unset.stderr.contains("`NOT_SET` is not set"),
        "{}",
        unset.summary()
    );
}
