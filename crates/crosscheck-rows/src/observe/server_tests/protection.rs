//! TLS against servers of our own, with certificates of our own.

use std::io::Write as _;
use std::path::Path;

use crosscheck_testkit::{Authority, TlsServer};

use super::*;

fn write(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(content.as_bytes()).unwrap();
    path.display().to_string()
}

/// Opens a connection and says whether it is encrypted.
fn is_encrypted(engine: Engine, url: &str) -> Result<bool, String> {
    let message_of = |error: SourceError| crosscheck_core::advice::with_causes(&error);
    match engine {
        Engine::Postgres => {
            let mut source =
                PostgresSource::connect(SecretUrl::new(url), Vec::new()).map_err(message_of)?;
            let answer = source
                .first_value("SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
            Ok(answer.as_deref() == Some("true"))
        }
        Engine::Mysql => {
            let mut source = MysqlSource::connect(SecretUrl::new(url)).map_err(message_of)?;
            let answer = source.ask("SHOW STATUS LIKE 'Ssl_cipher'");
            Ok(answer.is_some_and(|cipher| !cipher.is_empty()))
        }
    }
}

/// One server per engine, known to `ours` under the name `localhost` alone.
fn assert_modes(engine: Engine) {
    if Server::named(engine).is_none() {
        return;
    }
    let ours = Authority::new("ours");
    let (certificate, key) = ours.issue(&["localhost"]);
    let server = TlsServer::start(engine, &certificate, &key);
    let known = write(server.folder(), "ours.pem", &ours.pem());
    let foreign = write(
        server.folder(),
        "foreign.pem",
        &Authority::new("foreign").pem(),
    );
    let by_name = server.url().replace("127.0.0.1", "localhost");
    let by_address = server.url();

    let connected = |url: &str, query: &str| is_encrypted(engine, &format!("{url}?{query}"));
    assert_eq!(is_encrypted(engine, by_address), Ok(true), "by default");
    assert_eq!(connected(by_address, "sslmode=disable"), Ok(false));
    assert_eq!(connected(by_address, "sslmode=prefer"), Ok(true));
    assert_eq!(connected(by_address, "sslmode=require"), Ok(true));
    for (mode, url) in [
        ("verify-ca", by_address),
        ("verify-ca", &by_name),
        ("verify-full", &by_name),
    ] {
        assert_eq!(
            connected(url, &format!("sslmode={mode}&sslrootcert={known}")),
            Ok(true),
            "{mode}"
        );
    }

    let refused = |url: &str, query: &str| {
        let message = connected(url, query).expect_err(query);
        assert!(
            !message.contains(server_password(server.url())),
            "{message}"
        );
        message.to_lowercase()
    };
    let wrong_host = refused(
        by_address,
        &format!("sslmode=verify-full&sslrootcert={known}"),
    );
    assert!(wrong_host.contains("not valid for name"), "{wrong_host}");
    for mode in ["require", "verify-ca", "verify-full"] {
        let unknown = refused(&by_name, &format!("sslmode={mode}&sslrootcert={foreign}"));
        assert!(unknown.contains("unknownissuer"), "{mode}: {unknown}");
    }
    for mode in ["verify-ca", "verify-full"] {
        // the system does not know our authority
        refused(&by_name, &format!("sslmode={mode}"));
        refused(&by_name, &format!("sslmode={mode}&sslrootcert=/absent.pem"));
    }
}

fn server_password(url: &str) -> &str {
    let after_user = url.split("crosscheck:").nth(1).unwrap();
    after_user.split('@').next().unwrap()
}

#[test]
fn every_mode_of_postgres_protects_as_it_promises() {
    assert_modes(Engine::Postgres);
}

#[test]
fn every_mode_of_mysql_protects_as_it_promises() {
    assert_modes(Engine::Mysql);
}

#[test]
fn a_server_without_tls_is_used_only_when_that_is_accepted() {
    for engine in ENGINES {
        let Some(database) = fresh(engine, "") else {
            continue;
        };
        let connected =
            |mode: &str| is_encrypted(engine, &format!("{}?sslmode={mode}", database.url()));
        assert_eq!(is_encrypted(engine, database.url()), Ok(false));
        assert_eq!(connected("prefer"), Ok(false));
        assert_eq!(connected("disable"), Ok(false));
        for mode in ["require", "verify-full"] {
            assert!(connected(mode).is_err(), "{engine:?} {mode}");
        }
    }
}

#[test]
fn settings_of_the_driver_that_would_bend_ours_are_refused() {
    for name in [
        "require_ssl=true",
        "verify_ca=false",
        "built_in_roots=false",
    ] {
        let url = format!("mysql://u@127.0.0.1:1/d?{name}");
        let Err(error) = MysqlSource::connect(SecretUrl::new(url)) else {
            panic!("{name} was accepted");
        };
        assert!(error.to_string().contains("use sslmode"), "{error}");
    }
}

#[test]
fn a_mysql_url_must_name_a_database() {
    for url in ["mysql://u@127.0.0.1:1", "mysql://u@127.0.0.1:1/"] {
        let Err(error) = MysqlSource::connect(SecretUrl::new(url)) else {
            panic!("{url} was accepted");
        };
        assert!(error.to_string().contains("names no database"), "{error}");
    }
}
