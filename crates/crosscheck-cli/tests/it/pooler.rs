//! Behind a pooler one session of the server serves many programs, one
//! transaction after the other: a run leaves nothing behind in it.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crosscheck_testkit::{Database, Desk, Engine, Server, Session};

use crate::desk;

const SETUP: &str = "
    CREATE TABLE guests (id VARCHAR(20) PRIMARY KEY, name VARCHAR(40));
    INSERT INTO guests VALUES ('g1', 'Mira'), ('g2', 'Otto')";

/// `PgBouncer` with one session for everybody.
struct Pooler {
    child: Child,
    url: String,
}

impl Pooler {
    #[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
    fn start(desk: &Desk, database: &Database) -> Option<Self> {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"]
            .into_iter()
            .find(|path| Path::new(path).exists());
        let Some(program) = program else {
            eprintln!("skipped: pgbouncer is not installed; ./test installs it");
            return None;
        };
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|free| free.local_addr())
            .unwrap()
            .port();
        let (user, password, host) = parts(database.url());
        let config = format!(
            "[databases]\npooled = host={} port={} dbname={} user={user} password={password}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\n\
             pool_mode = transaction\ndefault_pool_size = 1\nunix_socket_dir =\nuser = nobody\n",
            host.0,
            host.1,
            database.name(),
        );
        let path = desk.file("pgbouncer.ini", config);
        open_to_all(&path);
        let child = Command::new(program)
            .arg(&path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let since = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(since.elapsed() < Duration::from_secs(20), "no pooler");
            std::thread::sleep(Duration::from_millis(20));
        }
        let url = format!("postgres://{user}@127.0.0.1:{port}/pooled");
        Some(Self { child, url })
    }

    fn session(&self) -> Session {
        Session::open(Engine::Postgres, &self.url)
    }

    /// Everything that a program could leave behind in the session.
    fn state(&self) -> [Option<String>; 3] {
        let mut session = self.session();
        [
            "SELECT string_agg(name || '=' || setting, '; ' ORDER BY name) FROM pg_settings WHERE name NOT LIKE 'application%'",
            "SELECT count(*) FROM pg_prepared_statements",
            "SELECT pg_backend_pid()",
        ]
        .map(|sql| session.text(sql))
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// User, password, and host with port of a URL.
fn parts(url: &str) -> (String, String, (String, String)) {
    let rest = url.split_once("://").unwrap().1;
    let (login, place) = rest.split_once('@').unwrap();
    let (user, password) = login.split_once(':').unwrap();
    let (host, port) = place.split('/').next().unwrap().split_once(':').unwrap();
    (user.into(), password.into(), (host.into(), port.into()))
}

/// The pooler may run as another user than the test.
fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    for folder in path.ancestors().skip(1).take(2) {
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o755));
    }
}

#[test]
fn a_run_leaves_the_session_of_a_pooler_as_it_was() {
    let Some(server) = Server::named(Engine::Postgres) else {
        return;
    };
    let database = server.database(SETUP);
    let desk = desk();
    let Some(pooler) = Pooler::start(&desk, &database) else {
        return;
    };
    desk.file(
        "log.ndjson",
        r#"{"tool":"update_guest","params":{"id":"g1","name":"Mira"}}"#,
    );
    let before = pooler.state();
    let url = pooler.url.as_str();
    let runs: [&[&str]; 3] = [
        &["rows", "log.ndjson", "--postgres-url", url],
        &[
            "quick",
            "--input",
            "log.ndjson",
            "--postgres-url",
            url,
            "--export-registry",
            "registry.json",
            "--emit-events",
            "events.ndjson",
            "--workflow-id",
            "wf",
        ],
        &[
            "check",
            "--workflow-id",
            "wf",
            "--events",
            "events.ndjson",
            "--registry",
            "registry.json",
            "--postgres-url",
            url,
        ],
    ];
    for run in runs {
        let seen = desk.crosscheck(run);
        assert_eq!(seen.code, 0, "{}", seen.summary());
        assert_eq!(pooler.state(), before, "after {}", run[0]);
        let mut session = pooler.session();
        session.run("INSERT INTO guests VALUES ('g3', 'Nele')");
        session.run("DELETE FROM guests WHERE id = 'g3'");
    }
}
