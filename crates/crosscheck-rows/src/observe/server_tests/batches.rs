//! Batches on servers that are locked, slow, silent, or changed meanwhile.

use std::time::{Duration, Instant};

use crosscheck_testkit::Session;

use super::*;
use crate::observe::source::{self, BatchError, Key, RowLookup, Source};

const ITEMS: &str = "
    CREATE TABLE items (id INT PRIMARY KEY, state VARCHAR(9)); INSERT INTO items VALUES (1, 'a'), (2, 'b');
    CREATE TABLE free (id INT PRIMARY KEY, state VARCHAR(9)); INSERT INTO free VALUES (1, 'a');";

fn source(engine: Engine, url: &str, limits: Limits) -> Box<dyn Source> {
    let url = SecretUrl::new(url);
    match engine {
        Engine::Postgres => {
            Box::new(PostgresSource::connect_within(url, Vec::new(), limits).unwrap())
        }
        Engine::Mysql => Box::new(MysqlSource::connect_within(url, limits).unwrap()),
    }
}

fn lookup(table: &str) -> RowLookup {
    RowLookup {
        table: table.into(),
        identity: vec!["id".to_owned()],
        fields: vec!["state".to_owned()],
    }
}

fn keys(count: usize) -> Vec<Key> {
    (1..=count)
        .map(|number| [number.to_string().into()].into())
        .collect()
}

fn found(seen: &[RowsSeen]) -> usize {
    seen.iter()
        .filter(|seen| matches!(seen, RowsSeen::One(_)))
        .count()
}

fn lock(engine: Engine, session: &mut Session) {
    match engine {
        Engine::Postgres => session.run("BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE"),
        Engine::Mysql => session.run("LOCK TABLES items WRITE"),
    }
}

#[test]
fn a_locked_table_is_given_up_once_for_all_of_its_keys() {
    let limits = Limits {
        statement: Duration::from_secs(1),
        ..Limits::default()
    };
    for engine in ENGINES {
        let Some(database) = fresh(engine, ITEMS) else {
            continue;
        };
        let mut source = source(engine, database.url(), limits);
        let mut blocker = database.session();
        lock(engine, &mut blocker);
        let begun = Instant::now();
        let seen = source::rows(
            source.as_mut(),
            &lookup("items"),
            &keys(5000),
            crate::observe::ends::Claimed::ANYTHING,
        );
        // halving would wait a second for each of thousands of parts
        assert!(begun.elapsed() < Duration::from_secs(20), "{engine:?}");
        assert_eq!(seen.len(), 5000);
        for seen in &seen {
            assert!(matches!(seen, RowsSeen::Failed(_)), "{engine:?}: {seen:?}");
        }
        let seen = source::rows(
            source.as_mut(),
            &lookup("free"),
            &keys(2),
            crate::observe::ends::Claimed::ANYTHING,
        );
        assert_eq!(found(&seen), 1, "{engine:?}: {seen:?}");
        source.close().unwrap();
    }
}

#[test]
fn a_statement_that_takes_too_long_is_named_and_spoils_nothing() {
    let limits = Limits {
        statement: Duration::from_millis(400),
        ..Limits::default()
    };
    for engine in ENGINES {
        let slow = match engine {
            Engine::Postgres => "CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(5)::text AS state",
            Engine::Mysql => "CREATE VIEW slow AS SELECT id, SLEEP(5) AS state FROM free",
        };
        let Some(database) = fresh(engine, &format!("{ITEMS} {slow}")) else {
            continue;
        };
        let mut source = source(engine, database.url(), limits);
        let begun = Instant::now();
        let seen = source::rows(
            source.as_mut(),
            &lookup("slow"),
            &keys(300),
            crate::observe::ends::Claimed::ANYTHING,
        );
        assert!(begun.elapsed() < Duration::from_secs(20), "{engine:?}");
        assert_eq!(found(&seen), 0, "{engine:?}");
        assert!(
            matches!(&seen[0], RowsSeen::Failed(_)),
            "{engine:?}: {:?}",
            seen[0]
        );
        let seen = source::rows(
            source.as_mut(),
            &lookup("items"),
            &keys(3),
            crate::observe::ends::Claimed::ANYTHING,
        );
        assert_eq!(found(&seen), 2, "{engine:?}: {seen:?}");
    }
}

#[test]
fn a_silent_server_is_asked_once() {
    let limits = Limits {
        silence: Duration::from_millis(400),
        ..Limits::default()
    };
    for engine in ENGINES {
        let Some(database) = fresh(engine, ITEMS) else {
            continue;
        };
        let mut source = source(engine, database.url(), limits);
        let mut blocker = database.session();
        lock(engine, &mut blocker);
        for table in ["items", "free"] {
            let begun = Instant::now();
            let seen = source::rows(
                source.as_mut(),
                &lookup(table),
                &keys(4100),
                crate::observe::ends::Claimed::ANYTHING,
            );
            assert_eq!(found(&seen), 0, "{engine:?} {table}");
            assert!(
                begun.elapsed() < Duration::from_secs(10),
                "{engine:?} {table}"
            );
        }
    }
}

#[test]
fn a_table_that_is_dropped_after_its_first_look_is_named() {
    for engine in ENGINES {
        let Some(database) = fresh(engine, ITEMS) else {
            continue;
        };
        let mut source = source(engine, database.url(), Limits::default());
        // known, but not yet read: it may still be dropped
        source.columns(&"items".into()).unwrap();
        source.pause();
        database.session().run("DROP TABLE items");
        source.refresh().unwrap();
        let failed = source.rows(&lookup("items"), &keys(2), 2).unwrap_err();
        let BatchError::Statement(message) = failed else {
            panic!("{engine:?}: {failed:?}");
        };
        assert!(message.contains("items"), "{engine:?}: {message}");
    }
}

#[test]
fn one_view_is_seen_until_it_is_refreshed() {
    for engine in ENGINES {
        let Some(database) = fresh(engine, ITEMS) else {
            continue;
        };
        let mut source = source(engine, database.url(), Limits::default());
        source::rows(
            source.as_mut(),
            &lookup("free"),
            &keys(1),
            crate::observe::ends::Claimed::ANYTHING,
        );
        database.session().run("INSERT INTO items VALUES (3, 'c')");
        let seen = source::rows(
            source.as_mut(),
            &lookup("items"),
            &keys(3),
            crate::observe::ends::Claimed::ANYTHING,
        );
        assert_eq!(found(&seen), 2, "{engine:?}");
        source.refresh().unwrap();
        let seen = source::rows(
            source.as_mut(),
            &lookup("items"),
            &keys(3),
            crate::observe::ends::Claimed::ANYTHING,
        );
        assert_eq!(found(&seen), 3, "{engine:?}");
    }
}

#[test]
fn nothing_is_written_through_a_batch_source() {
    for engine in ENGINES {
        let Some(database) = fresh(engine, ITEMS) else {
            continue;
        };
        let url = SecretUrl::new(database.url());
        let refused = match engine {
            Engine::Postgres => {
                let mut source = PostgresSource::connect(url, Vec::new()).unwrap();
                Source::refresh(&mut source).unwrap();
                source.send("INSERT INTO public.items VALUES (9, 'x')")
            }
            Engine::Mysql => {
                let mut source = MysqlSource::connect(url).unwrap();
                Source::refresh(&mut source).unwrap();
                source.send("INSERT INTO items VALUES (9, 'x')")
            }
        };
        assert!(refused.is_err(), "{engine:?}");
    }
}
