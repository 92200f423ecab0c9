//! The database is only looked at.

use crosscheck_core::Verdict;

use super::*;

const SHOP: &str = "
    CREATE TABLE contacts (id VARCHAR(20) PRIMARY KEY, status VARCHAR(20));
    INSERT INTO contacts VALUES ('c_1', 'active'), ('c_2', 'archived');
    CREATE TABLE notes (id INT PRIMARY KEY, contact_id VARCHAR(20), FOREIGN KEY (contact_id) REFERENCES contacts (id));
    INSERT INTO notes VALUES (1, 'c_1');";

const LOG: &str = r#"
    {"tool":"contacts.upsert","params":{"id":"c_1","status":"active"}}
    {"tool":"contacts.upsert","params":{"id":"c_2","status":"active"}}
    {"tool":"contacts.upsert","params":{"id":"c_3","status":"active"}}
    {"tool":"notes.add","params":{"id":1,"contact_id":"c_1"}}"#;

const WRITES: [&str; 5] = [
    "INSERT INTO contacts VALUES ('c_9', 'x')",
    "UPDATE contacts SET status = 'x'",
    "DELETE FROM notes",
    "CREATE TABLE made (id INT)",
    "DROP TABLE notes",
];

#[test]
fn postgres_refuses_a_write_through_our_own_session() {
    let Some(database) = fresh(Engine::Postgres, SHOP) else {
        return;
    };
    for sql in WRITES {
        let mut source =
            PostgresSource::connect(SecretUrl::new(database.url()), Vec::new()).unwrap();
        source.survey(Scope::Contract).unwrap();
        source.send("SET LOCAL search_path = public").unwrap();
        let refused = source.send(sql).unwrap_err();
        assert!(
            refused.contains("read-only transaction"),
            "{sql}: {refused}"
        );
    }
    let count = database.session().text("SELECT count(*) FROM contacts");
    assert_eq!(count.as_deref(), Some("2"));
}

#[test]
fn mysql_refuses_a_write_through_our_own_session() {
    let Some(database) = fresh(Engine::Mysql, SHOP) else {
        return;
    };
    // statements about tables end the transaction first; none is ever sent
    for sql in WRITES.iter().take(3) {
        let mut source = MysqlSource::connect(SecretUrl::new(database.url())).unwrap();
        source.survey(Scope::Contract).unwrap();
        let refused = source.send(sql).unwrap_err();
        assert!(
            refused.contains("READ ONLY transaction"),
            "{sql}: {refused}"
        );
    }
    let count = database
        .session()
        .text("SELECT CAST(count(*) AS CHAR) FROM contacts");
    assert_eq!(count.as_deref(), Some("2"));
}

#[test]
fn a_run_leaves_every_table_as_it_was() {
    for engine in ENGINES {
        let Some(database) = fresh(engine, SHOP) else {
            continue;
        };
        let state = || {
            let mut session = database.session();
            let queries: &[&str] = match engine {
                // with the transactions that wrote each row
                Engine::Postgres => &[
                    "SELECT string_agg(concat(xmin, xmax, ctid, c::text), ';' ORDER BY id) FROM contacts c",
                    "SELECT string_agg(concat(xmin, xmax, ctid, n::text), ';' ORDER BY id) FROM notes n",
                    "SELECT string_agg(relname, ';' ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace",
                ],
                Engine::Mysql => &[
                    "CHECKSUM TABLE contacts EXTENDED",
                    "CHECKSUM TABLE notes EXTENDED",
                    "SELECT GROUP_CONCAT(TABLE_NAME ORDER BY TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()",
                ],
            };
            let state: Vec<Option<String>> = queries.iter().map(|sql| session.text(sql)).collect();
            assert!(state.iter().all(Option::is_some), "{state:?}");
            state
        };
        let before = state();
        let (report, text) = run(open(engine, database.url()).as_mut(), LOG);
        assert_eq!(report.verdict(), Verdict::Refuted, "{text}");
        assert!(
            text.contains("ROW_ABSENT") && text.contains("VALUE_MISMATCH"),
            "{text}"
        );
        assert_eq!(state(), before, "{engine:?}");
    }
}

#[test]
fn all_looks_of_a_run_see_one_state() {
    for engine in ENGINES {
        let Some(database) = fresh(engine, SHOP) else {
            continue;
        };
        let mut source = open(engine, database.url());
        let catalog = source.survey(Scope::Contract).unwrap();
        database.session().run("INSERT INTO contacts VALUES ('c_3', 'new'); UPDATE contacts SET status = 'changed' WHERE id = 'c_1'");
        let seen = look(source.as_mut(), &request(&catalog, "contacts", &["c_3"]));
        assert!(matches!(seen, RowsSeen::None), "{engine:?}: {seen:?}");
        let seen = cells(look(
            source.as_mut(),
            &request(&catalog, "contacts", &["c_1"]),
        ));
        assert_eq!(seen, [("status".to_owned(), Cell::Text("active".into()))]);
        source.close().unwrap();
    }
}

#[test]
fn no_error_shows_the_password() {
    let limits = Limits::default();
    for engine in ENGINES {
        let Some(database) = fresh(engine, "") else {
            continue;
        };
        let scheme = match engine {
            Engine::Postgres => "postgres",
            Engine::Mysql => "mysql",
        };
        let urls = [
            database.url_for("nobody", "hunter2"),
            format!("{}_absent", database.url_for("crosscheck", "hunter2")),
            format!("{scheme}://u:hunter2@127.0.0.1:1/d"),
            format!("{scheme}://u:hunter2@127.0.0.1:1/d?sslmode=sometimes"),
            format!("{scheme}://u:hunter2@127.0.0.1:1/d?sslmode=require&nonsense=1"),
            format!("{scheme}://u:hunter2@127.0.0.1:port/d"),
            "u:hunter2@host/d".to_owned(),
        ];
        for url in urls {
            let Err(error) = try_open(engine, &url, limits) else {
                panic!("{engine:?} opened {url}");
            };
            let message_of = crosscheck_core::advice::with_causes(&error);
            assert!(!message_of.contains("hunter2"), "{message_of}");
        }
    }
}
