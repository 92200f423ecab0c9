//! Servers whose answers are cut or damaged on their way, and values that are
//! too long: never a pass, never an accusation, never a defect.

use std::process::Command;

use crosscheck_testkit::{
    Authority, Damage, Database, Desk, Engine, Proxy, Seen, Server, Session, TlsServer,
};

use crate::check::event;

const SETUP: &str = "
    CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, status VARCHAR(20), total INT);
    INSERT INTO orders VALUES ('o_1', 'paid', 5), ('o_2', 'sent', 7);
    CREATE TABLE items (id VARCHAR(20) PRIMARY KEY, order_id VARCHAR(20), FOREIGN KEY (order_id) REFERENCES orders (id))";

const REGISTRY: &str = r#"[{"toolId":"a","effectDescriptionTemplate":"a","verification":{"kind":"sql_row","table":{"const":"orders"},
   "identityEq":[{"column":{"const":"id"},"value":{"pointer":"/id"}}],"requiredFields":{"pointer":"/fields"}}}]"#;

const CALLS: &str = r#"{"tool":"orders.upsert","params":{"id":"o_1","status":"paid"},"result":{"id":"o_1","status":"paid"}}
{"tool":"orders.upsert","params":{"id":"o_2","status":"sent"},"result":{"id":"o_2","status":"sent"}}
"#;

const ENGINES: [Engine; 2] = [Engine::Postgres, Engine::Mysql];
const COMMANDS: [&str; 3] = ["check", "quick", "rows"];

fn desk() -> Desk {
    let desk = crate::desk();
    desk.file("registry.json", REGISTRY);
    desk.file("calls.ndjson", CALLS);
    let step = |seq, id: &str, status: &str| {
        let params = format!(r#"{{"id":"{id}","fields":{{"status":"{status}"}}}}"#);
        event(seq, "a", &params)
    };
    desk.file(
        "events.ndjson",
        step(0, "o_1", "paid") + &step(1, "o_2", "sent"),
    );
    desk
}

fn words<'w>(command: &'w str, engine: Engine, url: &'w str) -> Vec<&'w str> {
    let flag = match engine {
        Engine::Postgres => "--postgres-url",
        Engine::Mysql => "--mysql-url",
    };
    let own: &[&str] = match command {
        "quick" => &[
            "--input",
            "calls.ndjson",
            "--export-registry",
            "out.json",
            "--no-human-report",
        ],
        "rows" => &["calls.ndjson"],
        _ => &[
            "--workflow-id",
            "wf",
            "--events",
            "events.ndjson",
            "--registry",
            "registry.json",
            "--no-human-report",
        ],
    };
    let mut words = vec![command];
    words.extend(own);
    words.extend([flag, url]);
    if command == "enforce" {
        words.extend(["--state-dir", "state"]);
    }
    words
}

struct Scene {
    desk: Desk,
    engine: Engine,
    proxy: Proxy,
    _database: Database,
}

impl Scene {
    fn new(engine: Engine) -> Option<Self> {
        let database = Server::named(engine)?.database(SETUP);
        Some(Self {
            desk: desk(),
            engine,
            proxy: Proxy::before(database.url()),
            _database: database,
        })
    }

    fn run(&self, command: &str, damage: Damage) -> Seen {
        self.proxy.damage(damage);
        let words = words(command, self.engine, self.proxy.url());
        self.desk.crosscheck(words)
    }

    /// How long the answers of a whole run are.
    fn whole(&self, command: &str) -> usize {
        let seen = self.run(command, Damage::None);
        assert_eq!(seen.code, 0, "{command}: {}", seen.summary());
        self.proxy.passed()
    }
}

/// What the server answers when all rows are read and the session ends.
const FAREWELL: usize = 200;

#[test]
fn a_cut_connection_neither_passes_nor_accuses() {
    for engine in ENGINES {
        let Some(scene) = Scene::new(engine) else {
            continue;
        };
        for command in COMMANDS {
            let whole = scene.whole(command);
            for part in 0..24 {
                let at = (whole - FAREWELL) * part / 23;
                let seen = scene.run(command, Damage::CutAfter(at));
                let about = format!("{engine:?} {command} cut after {at} of {whole}");
                assert!(matches!(seen.code, 2 | 3), "{about}: {}", seen.summary());
                assert!(!seen.stderr.contains("defect"), "{about}: {}", seen.stderr);
                assert!(
                    !seen.stdout.contains("SQL evidence present"),
                    "{about}: {}",
                    seen.stdout
                );
            }
        }
    }
}

#[test]
fn a_connection_cut_in_the_middle_of_enforce_leaves_the_state_alone() {
    for engine in ENGINES {
        let Some(scene) = Scene::new(engine) else {
            continue;
        };
        let url = scene.proxy.url();
        let mut first = words("enforce", engine, url);
        first.push("--create-baseline");
        assert_eq!(scene.desk.crosscheck(first).code, 0);
        let whole = scene.whole("enforce");
        let path = format!("state/{}", scene.desk.names("state")[0]);
        let before = scene.desk.read(&path);
        for part in 0..24 {
            let at = (whole - FAREWELL) * part / 23;
            let seen = scene.run("enforce", Damage::CutAfter(at));
            let about = format!("{engine:?} cut after {at} of {whole}");
            assert!(matches!(seen.code, 2 | 3), "{about}: {}", seen.summary());
            assert!(
                !seen.stdout.contains("SQL evidence present"),
                "{about}: {}",
                seen.stdout
            );
            assert_eq!(scene.desk.read(&path), before, "{about}");
        }
        let healthy = scene.run("enforce", Damage::None);
        assert_eq!(healthy.code, 0, "{}", healthy.summary());
        assert!(
            healthy.stdout.contains("baseline_match"),
            "{}",
            healthy.stdout
        );
    }
}

#[test]
fn a_damaged_answer_is_never_a_defect() {
    for engine in ENGINES {
        let Some(scene) = Scene::new(engine) else {
            continue;
        };
        for command in COMMANDS {
            let whole = scene.whole(command);
            for part in 0..40 {
                let at = (whole - 1) * part / 39;
                let bits = [0x01, 0x80, 0xff, 0x10][part % 4];
                let seen = scene.run(command, Damage::Flip(at, bits));
                let about =
                    format!("{engine:?} {command}, byte {at} of {whole} changed by {bits:#x}");
                assert!((0..=3).contains(&seen.code), "{about}: {}", seen.summary());
                assert!(!seen.stderr.contains("defect"), "{about}: {}", seen.stderr);
            }
        }
    }
}

/// The program with so many kilobytes of address space.
fn limited(desk: &Desk, kilobytes: u32, words: &[&str]) -> Seen {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_crosscheck"))
        .args(words)
        .current_dir(desk.path())
        .env_clear()
        .env("HOME", desk.home());
    desk.seen(&shell.output().unwrap())
}

fn assert_long_value_is_not_read(engine: Engine, url: &str) {
    let desk = desk();
    for command in COMMANDS {
        let seen = limited(&desk, 400_000, &words(command, engine, url));
        assert_eq!(seen.code, 2, "{engine:?} {command}: {}", seen.summary());
        let shown = "a value is longer than 67108864 bytes, the most that is read";
        let whole = seen.stdout.clone() + &seen.stderr;
        assert!(
            command == "quick" || whole.contains(shown),
            "{engine:?} {command}: {whole}"
        );
    }
}

#[test]
fn a_value_that_is_too_long_takes_no_memory_and_decides_nothing() {
    let long = "CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, status TEXT, total INT);
        INSERT INTO orders VALUES ('o_1', repeat('x', 200000000), 5), ('o_2', 'sent', 7)";
    if let Some(server) = Server::named(Engine::Postgres) {
        let database = server.database(long);
        assert_long_value_is_not_read(Engine::Postgres, database.url());
    }
    if Server::named(Engine::Mysql).is_some() {
        let (certificate, key) = Authority::new("ours").issue(&["localhost"]);
        let server = TlsServer::start(Engine::Mysql, &certificate, &key);
        // longer packets are for the sessions to come
        Session::open(Engine::Mysql, server.url())
            .run("SET GLOBAL max_allowed_packet = 1073741824");
        let long = long.replace("TEXT, total INT)", "LONGTEXT, total INT) ENGINE=MyISAM");
        Session::open(Engine::Mysql, server.url()).run(&long);
        assert_long_value_is_not_read(Engine::Mysql, server.url());
    }
}
