//! `check` and `enforce` over TLS, against servers of our own with a
//! certificate of our own; and no password in anything they write.

use std::path::Path;

use crosscheck_testkit::{Authority, Desk, Engine, Seen, Server, Session, TlsServer};

use crate::check::{INPUTS, event};
use crate::desk;

const REGISTRY: &str = r#"[{"toolId":"a","effectDescriptionTemplate":"a","verification":{"kind":"sql_row","table":{"pointer":"/table"},
   "identityEq":[{"column":{"const":"id"},"value":{"pointer":"/id"}}],"requiredFields":{"pointer":"/fields"}}}]"#;

const SETUP: &str = "CREATE TABLE items (id INT PRIMARY KEY, state VARCHAR(9)); INSERT INTO items VALUES (1, 'open')";

fn run(desk: &Desk, command: &str, engine: Engine, url: &str, extra: &[&str]) -> Seen {
    let flag = match engine {
        Engine::Postgres => "--postgres-url",
        Engine::Mysql => "--mysql-url",
    };
    let bundles = [
        "--write-run-bundle",
        "run",
        "--write-decision-bundle",
        "decision",
    ];
    desk.crosscheck([&[command][..], &INPUTS, &bundles, &[flag, url], extra].concat())
}

fn staged(events: &str) -> Desk {
    let desk = desk();
    desk.file("registry.json", REGISTRY);
    desk.file("events.ndjson", events);
    desk
}

fn good() -> String {
    event(
        0,
        "a",
        r#"{"table":"items","id":1,"fields":{"state":"open"}}"#,
    )
}

/// Everything a run left on the desk and said, as one text.
fn everything(desk: &Desk, seen: &Seen) -> String {
    fn files(folder: &Path, text: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, text);
            } else {
                *text += &String::from_utf8_lossy(&std::fs::read(path).unwrap());
            }
        }
    }
    let mut text = seen.summary();
    files(desk.path(), &mut text);
    text
}

fn password(url: &str) -> String {
    let after = url.split("crosscheck:").nth(1).unwrap();
    after.split('@').next().unwrap().to_owned()
}

fn assert_modes(engine: Engine) {
    if Server::named(engine).is_none() {
        return;
    }
    let ours = Authority::new("ours");
    let (certificate, key) = ours.issue(&["localhost"]);
    let server = TlsServer::start(engine, &certificate, &key);
    Session::open(engine, server.url()).run(SETUP);
    let secret = password(server.url());
    let by_name = server.url().replace("127.0.0.1", "localhost");

    let desk = staged(&good());
    let known = desk.file("ours.pem", ours.pem()).display().to_string();
    let foreign = Authority::new("foreign").pem();
    let foreign = desk.file("foreign.pem", foreign).display().to_string();
    let accepted = [
        "sslmode=disable".to_owned(),
        "sslmode=prefer".to_owned(),
        "sslmode=require".to_owned(),
        format!("sslmode=verify-ca&sslrootcert={known}"),
        format!("sslmode=verify-full&sslrootcert={known}"),
    ];
    for query in accepted {
        let seen = run(&desk, "check", engine, &format!("{by_name}?{query}"), &[]);
        assert_eq!(seen.code, 0, "{engine:?} {query}: {}", seen.summary());
        assert!(!everything(&desk, &seen).contains(&secret), "{query}");
    }
    let refused = [
        (
            format!("{by_name}?sslmode=verify-full&sslrootcert={foreign}"),
            "unknownissuer",
        ),
        (
            format!("{by_name}?sslmode=verify-ca&sslrootcert={foreign}"),
            "unknownissuer",
        ),
        (
            format!("{}?sslmode=verify-full&sslrootcert={known}", server.url()),
            "not valid for name",
        ),
        (
            format!("{by_name}?sslmode=verify-full&sslrootcert=/absent.pem"),
            "sslrootcert",
        ),
        (format!("{by_name}?sslmode=allow"), "verify-full"),
    ];
    for (url, word) in refused {
        for command in ["check", "enforce"] {
            let seen = run(&desk, command, engine, &url, &[]);
            assert_eq!((seen.code, seen.stdout.as_str()), (3, ""), "{url}");
            assert_eq!(seen.stderr.lines().count(), 1, "{}", seen.stderr);
            let said = seen.stderr.to_lowercase();
            assert!(said.contains("postgres_client_setup_failed"), "{said}");
            assert!(said.contains(word), "{url}: {said}");
            assert!(!everything(&desk, &seen).contains(&secret), "{url}");
        }
    }
}

#[test]
fn every_sslmode_of_postgres_does_what_it_says_in_check() {
    assert_modes(Engine::Postgres);
}

#[test]
fn every_sslmode_of_mysql_does_what_it_says_in_check() {
    assert_modes(Engine::Mysql);
}

#[test]
fn no_run_writes_the_password_anywhere() {
    for engine in [Engine::Postgres, Engine::Mysql] {
        let Some(server) = Server::named(engine) else {
            continue;
        };
        let database = server.database(SETUP);
        let secret = password(database.url());
        let wrong = database.url_for("crosscheck", "wrong/p@ss:word");
        let bad = event(0, "a", r#"{"table":"items","id":"x","fields":{"nope":1}}"#)
            + &event(1, "a", r#"{"table":"nowhere","id":1,"fields":{}}"#)
            + &event(2, "a", r#"{"table":"items","id":9,"fields":{}}"#);
        let desk = staged(&bad);
        let urls = [
            database.url().to_owned(),
            wrong,
            database.url().replace("/cc_", "/none_"),
        ];
        for (url, code) in urls.iter().zip([2, 3, 3]) {
            for (command, extra) in [("check", &[][..]), ("enforce", &["--create-baseline"][..])] {
                let seen = run(&desk, command, engine, url, extra);
                assert_eq!(seen.code, code, "{engine:?} {command}: {}", seen.summary());
                let all = everything(&desk, &seen);
                for word in [secret.as_str(), "wrong/p@ss:word", "wrong%2Fp%40ss%3Aword"] {
                    assert!(
                        !all.contains(word),
                        "{engine:?} {command} {url} shows {word}"
                    );
                }
            }
        }
    }
}
