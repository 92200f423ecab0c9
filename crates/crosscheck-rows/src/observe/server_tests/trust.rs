//! Nothing that users of a PostgreSQL database defined in it runs, or decides
//! what is found.

use super::*;
use crate::observe::source::{self, BatchError, Key, RowLookup, ScalarKind, ScalarLookup, Source};

/// Functions for traps: whatever calls one of them fails or is misled.
const EVIL: &str = "
    CREATE FUNCTION evil(a anyelement) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''code of a user ran''; END';";

fn connect(database: &Database) -> PostgresSource {
    PostgresSource::connect(SecretUrl::new(database.url()), Vec::new()).unwrap()
}

fn lookup(table: &str) -> RowLookup {
    RowLookup {
        table: table.into(),
        identity: vec!["k".to_owned()],
        fields: vec!["v".to_owned()],
    }
}

fn shown(seen: &RowsSeen) -> String {
    match seen {
        RowsSeen::One(_) => match cells(seen.clone()).as_slice() {
            [(_, cell)] => format!("{cell:?}"),
            other => format!("{other:?}"),
        },
        other => format!("{other:?}"),
    }
}

/// What a look on its own, and a batch, see of `k`; both must see the same.
fn both(source: &mut PostgresSource, table: &str, key: &str) -> String {
    let catalog = source.survey(Scope::Contract).unwrap();
    let alone = shown(&look(source, &request(&catalog, table, &[key])));
    let key: Key = [key.into()].into();
    let batch = source::rows(
        source,
        &lookup(table),
        &[key],
        crate::observe::ends::Claimed::ANYTHING,
    );
    assert_eq!(shown(&batch[0]), alone, "{table}");
    alone
}

fn text(text: &str) -> String {
    format!("{:?}", Cell::Text(text.into()))
}

fn scalar(source: &mut PostgresSource, lookup: &ScalarLookup, keys: &[&str]) -> Cell {
    let key: Key = keys.iter().map(|key| (*key).into()).collect();
    source.scalars(lookup, &[key]).unwrap().remove(0)
}

fn count(table: &str) -> ScalarLookup {
    ScalarLookup::of_one(ScalarKind::Count, table, &[], &["k"])
}

/// What cannot be counted is an error of its statement.
fn refused(source: &mut PostgresSource, lookup: &ScalarLookup) {
    let keys: Key = lookup.conditions.iter().map(|_| "x".into()).collect();
    let refused = source.scalars(lookup, &[keys]).unwrap_err();
    assert!(matches!(refused, BatchError::Statement(_)), "{refused:?}");
}

fn join(left: &str, right: &str) -> ScalarLookup {
    ScalarLookup {
        kind: ScalarKind::Join,
        tables: vec![left.into(), right.into()],
        columns: vec!["k".to_owned(), "k".to_owned()],
        conditions: Vec::new(),
    }
}

#[test]
fn postgres_operators_of_users_are_never_asked() {
    let setup = "
        CREATE TYPE en AS ENUM ('x', 'y');
        CREATE DOMAIN label AS varchar(10);
        CREATE TABLE words (k varchar(10) PRIMARY KEY, v text); INSERT INTO words VALUES ('other', 'a');
        CREATE TABLE labels (k label PRIMARY KEY, v text); INSERT INTO labels VALUES ('other', 'a');
        CREATE TABLE enums (k en PRIMARY KEY, v text); INSERT INTO enums VALUES ('x', 'a');
        CREATE FUNCTION t1(varchar, varchar) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
        CREATE FUNCTION t2(en, en) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
        CREATE FUNCTION t3(label, label) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
        CREATE OPERATOR = (LEFTARG = varchar, RIGHTARG = varchar, PROCEDURE = t1);
        CREATE OPERATOR = (LEFTARG = en, RIGHTARG = en, PROCEDURE = t2);
        CREATE OPERATOR = (LEFTARG = label, RIGHTARG = label, PROCEDURE = t3);";
    let Some(database) = fresh(Engine::Postgres, setup) else {
        return;
    };
    let mut source = connect(&database);
    for (table, absent, present) in [
        ("words", "NOPE", "other"),
        ("labels", "NOPE", "other"),
        ("enums", "y", "x"),
    ] {
        assert_eq!(both(&mut source, table, absent), "None", "{table}");
        assert_eq!(both(&mut source, table, present), text("a"), "{table}");
        let counted = scalar(&mut source, &count(table), &[absent]);
        assert_eq!(counted, Cell::Text("0".into()), "{table}");
        let joined = scalar(&mut source, &join(table, "labels"), &[]);
        let expected = if table == "enums" { "0" } else { "1" };
        assert_eq!(joined, Cell::Text(expected.into()), "{table}");
    }
}

#[test]
fn postgres_casts_of_users_are_never_applied() {
    let setup = "
        CREATE TYPE en AS ENUM ('x', 'y'); CREATE TYPE pair AS (a int, b text);
        CREATE TABLE t (k text PRIMARY KEY, v en); INSERT INTO t VALUES ('1', 'x'), ('2', NULL);
        CREATE TABLE p (k text PRIMARY KEY, v pair); INSERT INTO p VALUES ('1', ROW(1, 'x')), ('2', ROW(1, NULL)), ('3', ROW(NULL, NULL)), ('4', NULL);
        CREATE TABLE by_en (k en PRIMARY KEY, v text); INSERT INTO by_en VALUES ('x', 'a');
        CREATE TABLE by_pair (k pair PRIMARY KEY, v text); INSERT INTO by_pair VALUES (ROW(1, 'x'), 'a');
        CREATE TABLE sums (k text PRIMARY KEY, v en); INSERT INTO sums VALUES ('1', 'x');
        CREATE FUNCTION from_en(en) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN ''FAKE''; END';
        CREATE FUNCTION from_pair(pair) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN ''FAKE''; END';
        CREATE FUNCTION to_en(text) RETURNS en LANGUAGE plpgsql AS 'BEGIN RETURN ''x''; END';
        CREATE FUNCTION to_number(en) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 7; END';
        CREATE CAST (en AS text) WITH FUNCTION from_en(en) AS IMPLICIT;
        CREATE CAST (pair AS text) WITH FUNCTION from_pair(pair) AS IMPLICIT;
        CREATE CAST (text AS en) WITH FUNCTION to_en(text) AS IMPLICIT;
        CREATE CAST (en AS int) WITH FUNCTION to_number(en) AS IMPLICIT;";
    let Some(database) = fresh(Engine::Postgres, setup) else {
        return;
    };
    let mut source = connect(&database);
    for (table, key, value) in [
        ("t", "1", text("x")),
        ("t", "2", "Null".to_owned()),
        ("p", "1", text("(1,x)")),
        ("p", "2", text("(1,)")),
        ("p", "3", text("(,)")),
        ("p", "4", "Null".to_owned()),
        ("by_en", "x", text("a")),
        ("by_en", "y", "None".to_owned()),
        ("by_en", "FAKE", "None".to_owned()),
        ("by_pair", "(1,x)", text("a")),
        ("by_pair", "(2,x)", "None".to_owned()),
    ] {
        assert_eq!(both(&mut source, table, key), value, "{table} {key}");
    }
    // by their texts values are found, but not counted: see below
    for lookup in [join("by_en", "by_en"), join("t", "by_en"), count("by_en")] {
        refused(&mut source, &lookup);
    }
    let sum = ScalarLookup::of_one(ScalarKind::Sum, "sums", &["v"], &[]);
    refused(&mut source, &sum);
}

#[test]
fn postgres_values_that_may_be_spelled_otherwise_are_not_called_absent() {
    let setup = "
        CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TYPE pair AS (a int, b text); CREATE TYPE span AS RANGE (subtype = float8);
        CREATE TABLE moods (k mood[] PRIMARY KEY, v text); INSERT INTO moods VALUES ('{sad,ok}', 'a');
        CREATE TABLE pairs (k pair PRIMARY KEY, v text); INSERT INTO pairs VALUES ('(1,x)', 'a');
        CREATE TABLE spans (k span PRIMARY KEY, v text); INSERT INTO spans VALUES ('[1,5)', 'a');";
    let Some(database) = fresh(Engine::Postgres, setup) else {
        return;
    };
    let mut source = connect(&database);
    for (table, present) in [
        ("moods", "{sad,ok}"),
        ("pairs", "(1,x)"),
        ("spans", "[1,5)"),
    ] {
        refused(&mut source, &count(table));
        refused(&mut source, &join(table, table));
        assert_eq!(both(&mut source, table, present), text("a"), "{table}");
    }
}

#[test]
fn postgres_code_behind_a_table_decides_nothing_about_others() {
    let setup = "
        CREATE TABLE memos (k int PRIMARY KEY, v text); INSERT INTO memos VALUES (1, 'a');
        CREATE TABLE orders (k int PRIMARY KEY, v timestamptz); INSERT INTO orders VALUES (1, '2025-01-01 00:00:00+00');
        CREATE FUNCTION sets(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN
            PERFORM set_config(''search_path'', ''public, pg_catalog'', false);
            PERFORM set_config(''TimeZone'', ''Asia/Tokyo'', false); RETURN i; END';
        CREATE INDEX trap ON memos ((sets(1)));
        CREATE FUNCTION yes(int, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
        CREATE OPERATOR public.= (LEFTARG = int, RIGHTARG = int, FUNCTION = yes);";
    let Some(database) = fresh(Engine::Postgres, setup) else {
        return;
    };
    let mut source = connect(&database);
    let before = both(&mut source, "orders", "1");
    assert_eq!(both(&mut source, "memos", "1"), text("a"));
    assert_eq!(both(&mut source, "orders", "1"), before);
    assert_eq!(both(&mut source, "orders", "99"), "None");
    let counted = scalar(&mut source, &count("orders"), &["99"]);
    assert_eq!(counted, Cell::Text("0".into()));
}

#[test]
fn postgres_owners_of_an_enumeration_do_not_choose_its_equality() {
    let setup = "
        CREATE TYPE plain AS ENUM ('x', 'y'); CREATE DOMAIN over_plain AS plain;
        CREATE TYPE sized AS ENUM ('x', 'y'); CREATE CAST (sized AS int) WITH FUNCTION pg_catalog.pg_column_size(\"any\") AS IMPLICIT;
        CREATE DOMAIN over_sized AS sized;
        CREATE TYPE printed AS ENUM ('1', '01'); CREATE CAST (printed AS int) WITH INOUT AS IMPLICIT; CREATE DOMAIN over_printed AS printed;
        CREATE TABLE a (k over_plain PRIMARY KEY, v text); INSERT INTO a VALUES ('x', 'a');
        CREATE TABLE b (k over_sized PRIMARY KEY, v text); INSERT INTO b VALUES ('x', 'a');
        CREATE TABLE c (k over_printed PRIMARY KEY, v text); INSERT INTO c VALUES ('1', 'a');
        CREATE TABLE d (k printed PRIMARY KEY, v text); INSERT INTO d VALUES ('1', 'a');";
    let Some(database) = fresh(Engine::Postgres, setup) else {
        return;
    };
    let mut source = connect(&database);
    for (table, present, absent) in [
        ("a", "x", "y"),
        ("b", "x", "y"),
        ("c", "1", "01"),
        ("d", "1", "01"),
    ] {
        assert_eq!(both(&mut source, table, present), text("a"), "{table}");
        assert_eq!(both(&mut source, table, absent), "None", "{table}");
    }
    let counted = scalar(&mut source, &count("a"), &["y"]);
    assert_eq!(counted, Cell::Text("0".into()));
}

#[test]
fn postgres_constraints_of_domains_are_not_checked_for_keys() {
    let setup = format!(
        "{EVIL}
        CREATE DOMAIN d1 AS text; CREATE DOMAIN d2 AS d1; CREATE DOMAIN d3 AS d2; CREATE TYPE pair AS (a d3);
        CREATE TABLE deep (k d3 PRIMARY KEY, v text); INSERT INTO deep VALUES ('1', 'a');
        CREATE TABLE inside (k pair PRIMARY KEY, v text); INSERT INTO inside VALUES (ROW('1'), 'a');
        CREATE TABLE lists (k d3[] PRIMARY KEY, v text); INSERT INTO lists VALUES (ARRAY['1']::d3[], 'a');
        ALTER DOMAIN d3 ADD CHECK (evil(value::text)) NOT VALID;"
    );
    let Some(database) = fresh(Engine::Postgres, &setup) else {
        return;
    };
    let mut source = connect(&database);
    for (table, present, absent) in [
        ("deep", "1", "2"),
        ("inside", "(1)", "(2)"),
        ("lists", "{1}", "{2}"),
    ] {
        assert_eq!(both(&mut source, table, present), text("a"), "{table}");
        assert_eq!(both(&mut source, table, absent), "None", "{table}");
    }
}

#[test]
fn postgres_catalogs_of_users_hide_nothing() {
    let setup = "
        CREATE TABLE words (k text PRIMARY KEY, v text); INSERT INTO words VALUES ('1', 'a');
        CREATE TABLE pg_class (oid oid, relname text); CREATE TABLE pg_type (oid oid); CREATE TABLE pg_attribute (attrelid oid);
        CREATE FUNCTION has_table_privilege(oid, text) RETURNS boolean LANGUAGE sql AS 'SELECT false';
        CREATE FUNCTION to_regclass(text) RETURNS regclass LANGUAGE sql AS 'SELECT NULL::regclass';
        CREATE FUNCTION format_type(oid, integer) RETURNS text LANGUAGE sql AS 'SELECT ''bytea''::text';";
    let Some(database) = fresh(Engine::Postgres, setup) else {
        return;
    };
    let name = database.name();
    database.session().run(&format!(
        "ALTER DATABASE {name} SET search_path = public, pg_catalog"
    ));
    let mut source = connect(&database);
    assert_eq!(both(&mut source, "words", "1"), text("a"));
    Source::refresh(&mut source).unwrap();
    assert_eq!(both(&mut source, "words", "2"), "None");
    let counted = scalar(&mut source, &count("words"), &["1"]);
    assert_eq!(counted, Cell::Text("1".into()));
}

#[test]
fn postgres_types_of_users_are_not_taken_for_those_of_the_server() {
    let setup = "
        CREATE TYPE bool AS ENUM ('true', 'no'); CREATE TYPE int8 AS ENUM ('1', '2');
        CREATE TABLE t (k text PRIMARY KEY, v public.bool); INSERT INTO t VALUES ('1', 'true');
        CREATE TABLE n (k public.int8 PRIMARY KEY, v text); INSERT INTO n VALUES ('1', 'a');";
    let Some(database) = fresh(Engine::Postgres, setup) else {
        return;
    };
    let mut source = connect(&database);
    assert_eq!(both(&mut source, "t", "1"), text("true"));
    assert_eq!(both(&mut source, "n", "1"), text("a"));
    assert_eq!(both(&mut source, "n", "2"), "None");
}

#[test]
fn postgres_text_that_ignores_case_still_does() {
    let Some(database) = fresh(Engine::Postgres, "") else {
        return;
    };
    let mut session = database.session();
    let known = "SELECT name::text FROM pg_available_extensions WHERE name = 'citext'";
    if session.text(known).is_none() {
        eprintln!("skipped: this server has no citext");
        return;
    }
    session.run("
        CREATE SCHEMA \"the words\"; CREATE EXTENSION citext SCHEMA \"the words\"; SET search_path = public, \"the words\";
        CREATE DOMAIN mail AS citext;
        CREATE TABLE t (k citext PRIMARY KEY, v citext); INSERT INTO t VALUES ('Ann', 'B');
        CREATE TABLE m (k mail PRIMARY KEY, v text); INSERT INTO m VALUES ('ANN', 'B');
        CREATE TABLE s (k text PRIMARY KEY, v text); INSERT INTO s VALUES ('ann', 'B');
        CREATE FUNCTION t1(mail, citext) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
        CREATE OPERATOR \"the words\".= (LEFTARG = mail, RIGHTARG = citext, PROCEDURE = t1);");
    let mut source = connect(&database);
    for table in ["t", "m"] {
        assert_eq!(both(&mut source, table, "aNN"), text("B"), "{table}");
        assert_eq!(both(&mut source, table, "bob"), "None", "{table}");
        let counted = scalar(&mut source, &count(table), &["ann"]);
        assert_eq!(counted, Cell::Text("1".into()));
    }
    // with text the server itself compares as text
    for (left, right, number) in [("t", "m", "1"), ("m", "t", "1"), ("t", "s", "0")] {
        let joined = scalar(&mut source, &join(left, right), &[]);
        assert_eq!(joined, Cell::Text(number.into()), "{left} {right}");
    }
}

#[test]
fn postgres_tables_are_found_along_the_path_of_the_session() {
    let setup = "
        CREATE SCHEMA \"a \"\"b\"; CREATE SCHEMA second; CREATE SCHEMA crosscheck;
        CREATE TABLE public.t (k text PRIMARY KEY, v text); INSERT INTO public.t VALUES ('1', 'public');
        CREATE TABLE second.t (k text PRIMARY KEY, v text); INSERT INTO second.t VALUES ('1', 'second');
        CREATE TABLE \"a \"\"b\".u (k text PRIMARY KEY, v text); INSERT INTO \"a \"\"b\".u VALUES ('1', 'quoted');
        CREATE TABLE crosscheck.w (k text PRIMARY KEY, v text); INSERT INTO crosscheck.w VALUES ('1', 'own');";
    let Some(database) = fresh(Engine::Postgres, setup) else {
        return;
    };
    let name = database.name();
    let set = |path: &str| {
        let sql = format!("ALTER DATABASE {name} SET search_path = {path}");
        database.session().run(&sql);
    };
    set("nowhere, second, public, \"a \"\"b\", \"$user\"");
    let mut source = connect(&database);
    let one = [Key::from(["1".into()])];
    let mut seen = |table: &str| {
        shown(
            &source::rows(
                &mut source,
                &lookup(table),
                &one,
                crate::observe::ends::Claimed::ANYTHING,
            )[0],
        )
    };
    assert_eq!(seen("t"), text("second"));
    assert_eq!(seen("u"), text("quoted"));
    assert_eq!(seen("w"), text("own"));
    assert!(seen("absent").contains("no table \\\"absent\\\" in the search path"));
    set("DEFAULT");
    let mut source = connect(&database);
    let seen = source::rows(
        &mut source,
        &lookup("t"),
        &one,
        crate::observe::ends::Claimed::ANYTHING,
    );
    assert_eq!(shown(&seen[0]), text("public"));
}

#[test]
fn a_server_that_cannot_narrow_its_path_is_asked_as_it_is() {
    let setup =
        "CREATE TABLE words (k text PRIMARY KEY, v text); INSERT INTO words VALUES ('1', 'a');";
    let Some(database) = fresh(Engine::Postgres, setup) else {
        return;
    };
    let mut session = database.session();
    let reader = format!("plain_{}", database.name());
    session.run(&format!(
        "CREATE ROLE {reader} LOGIN PASSWORD 'reader'; GRANT SELECT ON words TO {reader};
         REVOKE EXECUTE ON FUNCTION pg_catalog.current_schemas(boolean) FROM PUBLIC"
    ));
    let url = SecretUrl::new(database.url_for(&reader, "reader"));
    let mut source = PostgresSource::connect(url, Vec::new()).unwrap();
    assert_eq!(both(&mut source, "words", "1"), text("a"));
    Source::refresh(&mut source).unwrap();
    assert_eq!(both(&mut source, "words", "2"), "None");
    drop(source);
    session.run(&format!("DROP OWNED BY {reader}; DROP ROLE {reader}"));
}
