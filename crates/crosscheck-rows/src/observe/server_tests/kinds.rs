//! Every kind of value, as each server hands it over.

use super::*;

fn text(value: &str) -> Cell {
    Cell::Text(value.into())
}

fn document(text: &str) -> Cell {
    Cell::Document(text.into())
}

fn moment(value: &str) -> Cell {
    Cell::Moment(value.to_owned())
}

/// Looks at the row `1` of the table `t`: each column with its value as SQL and as a cell.
fn assert_cells(engine: Engine, extra: &str, table: &[(&str, &str, Cell)]) {
    let columns: Vec<String> = table
        .iter()
        .enumerate()
        .map(|(at, (of_type, _, _))| format!("c{at} {of_type}"))
        .collect();
    let values: Vec<&str> = table.iter().map(|(_, value, _)| *value).collect();
    let setup = format!(
        "{extra} CREATE TABLE t (id INT PRIMARY KEY, {}); INSERT INTO t VALUES (1, {});",
        columns.join(", "),
        values.join(", ")
    );
    let Some(database) = fresh(engine, &setup) else {
        return;
    };
    let mut source = open(engine, database.url());
    let catalog = source.survey(Scope::Contract).unwrap();
    let seen = cells(look(source.as_mut(), &request(&catalog, "t", &["1"])));
    assert_eq!(seen.len(), table.len());
    for ((_, cell), (of_type, value, wanted)) in seen.iter().zip(table) {
        assert_eq!(cell, wanted, "{of_type} {value}");
    }
}

#[test]
fn every_kind_of_postgres_value_is_read_as_the_contract_says() {
    assert_cells(
        Engine::Postgres,
        "CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN amount AS numeric(9,2);",
        &[
            ("bool", "true", Cell::Bool(true)),
            ("int2", "-7", Cell::Number(-7.0)),
            ("int4", "2147483647", Cell::Number(2_147_483_647.0)),
            ("int8", "9007199254740993", text("9007199254740993")),
            ("int8", "5", text("5")),
            ("oid", "42", Cell::Number(42.0)),
            ("float4", "0.1", Cell::Number(0.1)),
            ("float8", "0.1", Cell::Number(0.1)),
            ("numeric", "19.90", text("19.90")),
            ("numeric", "'NaN'", text("NaN")),
            ("amount", "3.1", text("3.10")),
            ("text", "' a '", text(" a ")),
            ("varchar(5)", "'é'", text("é")),
            ("char(4)", "'ab'", text("ab  ")),
            (
                "uuid",
                "'7D444840-9DC0-11D1-B245-5FFDCE74FAD2'",
                text("7d444840-9dc0-11d1-b245-5ffdce74fad2"),
            ),
            ("mood", "'ok'", text("ok")),
            ("inet", "'10.0.0.1'", text("10.0.0.1")),
            ("inet", "'10.0.0.0/8'", text("10.0.0.0/8")),
            ("inet", "'::1'", text("::1")),
            ("inet", "'::/32'", text("::/32")),
            ("cidr", "'10.0.0.1'", text("10.0.0.1/32")),
            ("time", "'04:05:06.7'", text("04:05:06.7")),
            ("date", "'2024-02-03'", Cell::Day("2024-02-03".into())),
            ("date", "'infinity'", Cell::Number(f64::INFINITY)),
            (
                "timestamp",
                "'2024-02-03 04:05:06.789999'",
                moment("2024-02-03T04:05:06.789Z"),
            ),
            (
                "timestamptz",
                "'2024-02-03 04:05:06+02'",
                moment("2024-02-03T02:05:06.000Z"),
            ),
            (
                "timestamptz",
                "'-infinity'",
                Cell::Number(f64::NEG_INFINITY),
            ),
            ("json", "'7.50'", Cell::Number(7.5)),
            ("jsonb", "'\"x\"'", text("x")),
            ("jsonb", "'null'", Cell::Null),
            ("jsonb", "'true'", Cell::Bool(true)),
            ("jsonb", "'{\"a\":1}'", document(r#"{"a": 1}"#)),
            ("json", "'[1]'", document("[1]")),
            ("bytea", "'\\x00ff'", Cell::Unreadable),
            ("int[]", "'{1}'", document("{1}")),
            ("interval", "'1 day'", Cell::Unreadable),
            ("point", "'(1,2)'", Cell::Unreadable),
            ("bytea", "NULL", Cell::Null),
            ("text", "NULL", Cell::Null),
        ],
    );
}

#[test]
fn every_kind_of_mysql_value_is_read_by_analogy() {
    assert_cells(
        Engine::Mysql,
        "SET sql_mode = ''; SET time_zone = '+02:00';",
        &[
            ("BOOLEAN", "TRUE", Cell::Number(1.0)),
            ("TINYINT", "-7", Cell::Number(-7.0)),
            ("SMALLINT UNSIGNED", "65535", Cell::Number(65535.0)),
            ("MEDIUMINT", "-8388608", Cell::Number(-8_388_608.0)),
            ("INT ZEROFILL", "42", Cell::Number(42.0)),
            ("INT UNSIGNED", "4294967295", Cell::Number(4_294_967_295.0)),
            (
                "BIGINT",
                "9007199254740991",
                Cell::Number(9_007_199_254_740_991.0),
            ),
            ("BIGINT", "-9007199254740992", text("-9007199254740992")),
            (
                "BIGINT UNSIGNED",
                "18446744073709551615",
                text("18446744073709551615"),
            ),
            ("DECIMAL(9,2)", "19.9", text("19.90")),
            (
                "DECIMAL(65,30)",
                "0.1",
                text("0.100000000000000000000000000000"),
            ),
            ("FLOAT", "0.1", Cell::Number(0.1)),
            ("FLOAT", "16777216", Cell::Number(16_777_216.0)),
            ("DOUBLE", "0.1", Cell::Number(0.1)),
            ("CHAR(4)", "'ab'", text("ab")),
            ("VARCHAR(9) CHARACTER SET latin1", "'é'", text("é")),
            ("TEXT CHARACTER SET utf8mb4", "'🙂 '", text("🙂 ")),
            (
                "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                "'[1]'",
                text("[1]"),
            ),
            ("ENUM('sad','ok')", "'ok'", text("ok")),
            ("SET('a','b')", "'b,a'", text("a,b")),
            ("YEAR", "2024", Cell::Number(2024.0)),
            ("DATE", "'2024-02-03'", Cell::Day("2024-02-03".into())),
            ("DATE", "'0000-00-00'", text("0000-00-00")),
            (
                "DATETIME(6)",
                "'2024-02-03 04:05:06.789999'",
                moment("2024-02-03T04:05:06.789Z"),
            ),
            ("DATETIME", "'0000-00-00'", text("0000-00-00 00:00:00")),
            (
                "TIMESTAMP NULL",
                "'2024-02-03 04:05:06'",
                moment("2024-02-03T02:05:06.000Z"),
            ),
            ("TIME(1)", "'-26:05:06.5'", text("-26:05:06.5")),
            ("JSON", "'7.50'", Cell::Number(7.5)),
            ("JSON", "'\"x\"'", text("x")),
            ("JSON", "'null'", Cell::Null),
            ("JSON", "'true'", Cell::Bool(true)),
            ("JSON", "'{\"a\":1}'", document(r#"{"a":1}"#)),
            ("BIT(3)", "b'101'", Cell::Unreadable),
            ("BINARY(2)", "'ab'", Cell::Unreadable),
            ("VARBINARY(9)", "'ab'", Cell::Unreadable),
            ("BLOB", "'ab'", Cell::Unreadable),
            ("POINT", "ST_GeomFromText('POINT(1 2)')", Cell::Unreadable),
            ("BLOB", "NULL", Cell::Null),
            ("INT", "NULL", Cell::Null),
        ],
    );
}

#[test]
fn types_of_mariadb_alone_are_read_as_text() {
    let Some(server) = Server::named(Engine::Mysql) else {
        return;
    };
    let probe = server.database("");
    let version = probe.session().text("SELECT VERSION()").unwrap_or_default();
    if !version.contains("MariaDB") {
        eprintln!("skipped: not a MariaDB server");
        return;
    }
    assert_cells(
        Engine::Mysql,
        "",
        &[
            (
                "UUID",
                "'7D444840-9DC0-11D1-B245-5FFDCE74FAD2'",
                text("7d444840-9dc0-11d1-b245-5ffdce74fad2"),
            ),
            ("INET6", "'::1'", text("::1")),
        ],
    );
}

/// What a look for a key shows, in one word.
fn found(source: &mut dyn Source, catalog: &Catalog, name: &str, key: &str) -> &'static str {
    match look(source, &request(catalog, name, &[key])) {
        RowsSeen::None => "none",
        RowsSeen::One(_) => "one",
        RowsSeen::Many(_) => "many",
        RowsSeen::Failed(_) => "failed",
    }
}

#[test]
fn mysql_keys_are_compared_in_the_type_of_their_column() {
    let setup = "
        CREATE TABLE whole (k BIGINT PRIMARY KEY); INSERT INTO whole VALUES (0), (9007199254740992), (-9223372036854775808);
        CREATE TABLE positive (k BIGINT UNSIGNED PRIMARY KEY); INSERT INTO positive VALUES (0), (18446744073709551614);
        CREATE TABLE exact (k DECIMAL(40,20) PRIMARY KEY); INSERT INTO exact VALUES (0), (12345678901234567890.1234567890123456780);
        CREATE TABLE floating (k FLOAT PRIMARY KEY); INSERT INTO floating VALUES (0), (0.1);
        CREATE TABLE doubled (k DOUBLE PRIMARY KEY); INSERT INTO doubled VALUES (0), (0.1);
        CREATE TABLE days (k DATE PRIMARY KEY); INSERT INTO days VALUES ('2024-02-03');
        CREATE TABLE moments (k DATETIME(3) PRIMARY KEY); INSERT INTO moments VALUES ('2024-02-03 04:05:06.789');
        CREATE TABLE stamps (k TIMESTAMP(3) PRIMARY KEY DEFAULT CURRENT_TIMESTAMP(3)); SET time_zone = '+02:00'; INSERT INTO stamps VALUES ('2024-02-03 06:05:06.789');
        CREATE TABLE times (k TIME PRIMARY KEY); INSERT INTO times VALUES ('00:00:00'), ('04:05:06');
        CREATE TABLE years (k YEAR PRIMARY KEY); INSERT INTO years VALUES (2024);
        CREATE TABLE words (k VARCHAR(20) CHARACTER SET utf8mb4 PRIMARY KEY); INSERT INTO words VALUES ('0'), ('c_1'), ('1e1');
        CREATE TABLE moods (k ENUM('sad','ok') PRIMARY KEY); INSERT INTO moods VALUES ('ok');
        CREATE TABLE bits (k BIT(8) PRIMARY KEY); INSERT INTO bits VALUES (5);
        CREATE TABLE raw (k VARBINARY(20) PRIMARY KEY); INSERT INTO raw VALUES ('c_1');";
    let Some(database) = fresh(Engine::Mysql, setup) else {
        return;
    };
    let mut source = open(Engine::Mysql, database.url());
    let catalog = source.survey(Scope::Contract).unwrap();
    let table = [
        ("whole", "c_1", "failed"),
        ("whole", "", "failed"),
        ("whole", "0", "one"),
        ("whole", "9007199254740992", "one"),
        ("whole", "9007199254740993", "none"),
        ("whole", "-9223372036854775808", "one"),
        ("whole", "18446744073709551615", "none"),
        ("whole", "99999999999999999999", "failed"),
        ("positive", "18446744073709551614", "one"),
        ("positive", "18446744073709551615", "none"),
        ("positive", "-1", "none"),
        ("positive", "x", "failed"),
        ("exact", "12345678901234567890.123456789012345678", "one"),
        ("exact", "12345678901234567890.123456789012345677", "none"),
        ("exact", "1234567890123456789012345678901234567e-17", "none"),
        ("exact", "0e5", "one"),
        ("exact", "nothing", "failed"),
        ("floating", "0.1", "one"),
        ("floating", "0.2", "none"),
        ("floating", "x", "failed"),
        ("doubled", "0.1", "one"),
        ("doubled", "1e-1", "one"),
        ("doubled", "x", "failed"),
        ("days", "2024-02-03", "one"),
        ("days", "2024-02-03T00:00:00.000Z", "one"),
        ("days", "2024-02-04", "none"),
        ("days", "soon", "failed"),
        ("moments", "2024-02-03T04:05:06.789Z", "one"),
        ("moments", "2024-02-03 04:05:06.788", "none"),
        ("moments", "x", "failed"),
        ("stamps", "2024-02-03T04:05:06.789Z", "one"),
        ("times", "04:05:06", "one"),
        ("times", "04:05:07", "none"),
        ("times", "x", "failed"),
        ("years", "2024", "one"),
        ("years", "24", "failed"),
        ("words", "c_1", "one"),
        ("words", "0", "one"),
        ("words", "00", "none"),
        ("words", "10", "none"),
        ("words", "x' OR '1'='1", "none"),
        ("moods", "ok", "one"),
        ("moods", "2", "none"),
        ("bits", "5", "one"),
        ("bits", "x", "failed"),
        ("raw", "c_1", "one"),
        ("raw", "635f31", "failed"),
    ];
    for (name, key, wanted) in table {
        assert_eq!(
            found(source.as_mut(), &catalog, name, key),
            wanted,
            "{name} {key:?}"
        );
    }
}

#[test]
fn postgres_keys_are_converted_by_the_server_or_refused() {
    let setup = "
        CREATE TABLE whole (k int8 PRIMARY KEY); INSERT INTO whole VALUES (0), (9007199254740992);
        CREATE TABLE exact (k numeric PRIMARY KEY); INSERT INTO exact VALUES (12345678901234567890.123456789);";
    let Some(database) = fresh(Engine::Postgres, setup) else {
        return;
    };
    let mut source = open(Engine::Postgres, database.url());
    let catalog = source.survey(Scope::Contract).unwrap();
    let table = [
        ("whole", "c_1", "failed"),
        ("whole", "9007199254740993", "none"),
        ("whole", "9007199254740992", "one"),
        ("exact", "12345678901234567890.123456788", "none"),
        ("exact", "12345678901234567890.123456789", "one"),
    ];
    for (name, key, wanted) in table {
        assert_eq!(
            found(source.as_mut(), &catalog, name, key),
            wanted,
            "{name} {key:?}"
        );
    }
}
