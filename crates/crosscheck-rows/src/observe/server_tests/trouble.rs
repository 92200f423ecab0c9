//! Servers that do not answer, or not any more.

use std::time::{Duration, Instant};

use crosscheck_core::{Event, Listener, Verdict};
use crosscheck_testkit::Session;

use super::*;

const ITEMS: &str = "
    CREATE TABLE items (id INT PRIMARY KEY, name VARCHAR(9)); INSERT INTO items VALUES (1, 'a'), (2, 'b'), (3, 'c');
    CREATE TABLE free (id INT PRIMARY KEY, name VARCHAR(9)); INSERT INTO free VALUES (1, 'a');";

const LOG: &str = r#"
    {"tool":"items.add","params":{"id":1,"name":"a"}}
    {"tool":"items.add","params":{"id":2,"name":"b"}}
    {"tool":"items.add","params":{"id":3,"name":"c"}}"#;

/// Ends the session under test as soon as its units are planned.
struct Assassin {
    engine: Engine,
    session: Session,
    database: String,
    verdicts: Vec<Verdict>,
}

impl Listener for Assassin {
    fn hear(&mut self, event: Event<'_>) {
        match event {
            Event::Judged { verdict, .. } => self.verdicts.push(verdict),
            Event::Planned(_) => self.strike(),
            _ => {}
        }
    }
}

impl Assassin {
    fn strike(&mut self) {
        match self.engine {
            Engine::Postgres => self.session.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'crosscheck' AND datname = current_database()"),
            Engine::Mysql => {
                let sql = format!("SELECT CAST(ID AS CHAR) FROM information_schema.PROCESSLIST WHERE DB = '{}' AND ID <> CONNECTION_ID()", self.database);
                let id = self.session.text(&sql).unwrap();
                self.session.run(&format!("KILL CONNECTION {id}"));
            }
        }
    }
}

#[test]
fn a_server_that_goes_away_leaves_its_units_undecided() {
    for engine in ENGINES {
        let Some(database) = fresh(engine, ITEMS) else {
            continue;
        };
        let (report, _) = run(open(engine, database.url()).as_mut(), LOG);
        assert_eq!(
            report.verdict(),
            Verdict::Confirmed,
            "{engine:?}, undisturbed"
        );

        let mut assassin = Assassin {
            engine,
            session: database.session(),
            database: database.name().to_owned(),
            verdicts: Vec::new(),
        };
        let (report, text) = run_with(open(engine, database.url()).as_mut(), LOG, &mut assassin);
        assert_eq!(assassin.verdicts, [Verdict::Undecided; 3], "{engine:?}");
        assert_eq!(report.verdict(), Verdict::Undecided);
        assert!(text.matches("CONNECTOR_ERROR").count() >= 2, "{text}");
    }
}

fn lock(engine: Engine, session: &mut Session) {
    match engine {
        Engine::Postgres => session.run("BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE"),
        Engine::Mysql => session.run("LOCK TABLES items WRITE"),
    }
}

#[test]
fn a_statement_that_takes_too_long_is_ended_by_the_server_and_spoils_nothing() {
    let limits = Limits {
        statement: Duration::from_millis(300),
        ..Limits::default()
    };
    for engine in ENGINES {
        let Some(database) = fresh(engine, ITEMS) else {
            continue;
        };
        let mut source = try_open(engine, database.url(), limits).unwrap();
        let catalog = source.survey(Scope::Contract).unwrap();
        let mut blocker = database.session();
        lock(engine, &mut blocker);
        let begun = Instant::now();
        let seen = look(source.as_mut(), &request(&catalog, "items", &["1"]));
        assert!(matches!(seen, RowsSeen::Failed(_)), "{engine:?}: {seen:?}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{engine:?}");
        let seen = cells(look(source.as_mut(), &request(&catalog, "free", &["1"])));
        assert_eq!(seen, [("name".to_owned(), Cell::Text("a".into()))]);
    }
}

#[test]
fn a_silent_server_is_given_up_and_not_asked_again() {
    let limits = Limits {
        silence: Duration::from_millis(400),
        ..Limits::default()
    };
    for engine in ENGINES {
        let Some(database) = fresh(engine, ITEMS) else {
            continue;
        };
        let mut source = try_open(engine, database.url(), limits).unwrap();
        let catalog = source.survey(Scope::Contract).unwrap();
        let mut blocker = database.session();
        lock(engine, &mut blocker);
        for name in ["items", "free"] {
            let begun = Instant::now();
            let seen = look(source.as_mut(), &request(&catalog, name, &["1"]));
            assert!(
                matches!(seen, RowsSeen::Failed(_)),
                "{engine:?} {name}: {seen:?}"
            );
            assert!(
                begun.elapsed() < Duration::from_secs(10),
                "{engine:?} {name}"
            );
        }
    }
}
