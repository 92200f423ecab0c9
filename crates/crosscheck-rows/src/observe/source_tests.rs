//! What every source answers alike: lists of rows, the ends of a column, and
//! what a survey of everything visible tells.

use crosscheck_core::redact::SecretUrl;
use crosscheck_testkit::{Database, Engine, Server};

use super::Holds::{
    self, Boolean, Bytes, Day, Integer, Json, List, Moment, Number, Other, Text, Uuid,
};
use super::source::{Key, RowLookup};
use super::{
    Catalog, Cell, Hides, MysqlSource, PostgresSource, Row, Scope, Source, SqliteSource, Table,
};

/// A database on each engine that is there, with what must outlive its source.
struct Stage {
    name: &'static str,
    source: Box<dyn Source>,
    _folder: Option<tempfile::TempDir>,
    _database: Option<Database>,
}

fn sqlite(setup: &str) -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(setup).unwrap();
    connection.close().unwrap();
    Stage {
        name: "sqlite",
        source: Box::new(SqliteSource::open(&path).unwrap()),
        _folder: Some(folder),
        _database: None,
    }
}

fn server(engine: Engine, setup: &str) -> Option<Stage> {
    let database = Server::named(engine)?.database(setup);
    let url = SecretUrl::new(database.url());
    let (name, source): (_, Box<dyn Source>) = match engine {
        Engine::Postgres => (
            "postgres",
            Box::new(PostgresSource::connect(url, Vec::new()).unwrap()),
        ),
        Engine::Mysql => ("mysql", Box::new(MysqlSource::connect(url).unwrap())),
    };
    Some(Stage {
        name,
        source,
        _folder: None,
        _database: Some(database),
    })
}

fn stages(setup: &str) -> Vec<Stage> {
    let servers = [Engine::Postgres, Engine::Mysql];
    let servers = servers.into_iter().filter_map(|one| server(one, setup));
    std::iter::once(sqlite(setup)).chain(servers).collect()
}

const LINES: &str = "
    CREATE TABLE orders (id INTEGER PRIMARY KEY, state VARCHAR(9));
    CREATE TABLE plain (order_id INTEGER, item VARCHAR(9));
    CREATE TABLE indexed (id INTEGER PRIMARY KEY, order_id INTEGER, item VARCHAR(9));
    CREATE INDEX by_order ON indexed (order_id);
    INSERT INTO orders VALUES (1, 'a'), (2, 'b'), (30, NULL);
    INSERT INTO plain VALUES (1, 'x'), (1, 'y'), (1, 'z'), (2, 'x');
    INSERT INTO indexed VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 1, 'z'), (4, 2, 'x');";

fn keys(list: &[&str]) -> Vec<Key> {
    let key = |text: &&str| Key::from([(*text).into()]);
    list.iter().map(key).collect()
}

fn items(rows: &[Row]) -> Vec<String> {
    let text = |row: &Row| match row.get("item") {
        Some(Cell::Text(text)) => text.to_string(),
        other => format!("{other:?}"),
    };
    let mut items: Vec<String> = rows.iter().map(text).collect();
    items.sort();
    items
}

#[test]
fn lists_hold_every_row_of_a_key_up_to_the_limit() {
    for mut stage in stages(LINES) {
        for table in ["plain", "indexed"] {
            let lookup = RowLookup {
                table: table.into(),
                identity: vec!["order_id".to_owned()],
                fields: vec!["item".to_owned()],
            };
            let asked = keys(&["2", "7", "1"]);
            let mut lists = |most| {
                let source = stage.source.as_mut();
                let claimed = crate::observe::ends::Claimed::ANYTHING;
                let lists = super::source::lists(source, &lookup, &asked, most, claimed);
                lists.into_iter().collect::<Result<Vec<_>, _>>().unwrap()
            };
            let seen = lists(10);
            let seen: Vec<_> = seen.iter().map(|rows| items(rows)).collect();
            assert_eq!(
                seen,
                [vec!["x"], vec![], vec!["x", "y", "z"]],
                "{} {table}",
                stage.name
            );
            let lengths: Vec<usize> = lists(2).iter().map(Vec::len).collect();
            assert_eq!(lengths, [1, 0, 2], "{} {table}", stage.name);
        }
    }
}

#[test]
fn the_ends_of_a_column_are_in_its_own_order_and_without_null() {
    for mut stage in stages(LINES) {
        let mut ends = |column: &str, most: usize| {
            let cells = stage.source.ends(&"orders".into(), column, most).unwrap();
            format!("{cells:?}").replace('"', "")
        };
        assert_eq!(ends("id", 1), "[Number(1.0), Number(30.0)]");
        assert_eq!(ends("state", 9), "[Text(a), Text(b), Text(b), Text(a)]");
    }
}

fn table<'c>(catalog: &'c Catalog, name: &str) -> &'c Table {
    let mut tables = catalog.tables.iter();
    tables
        .find(|table| table.table.name.as_str() == name)
        .unwrap()
}

/// The columns of each unique key, joined.
fn unique(table: &Table) -> Vec<String> {
    let joined = |columns: &Vec<super::Identifier>| {
        let names: Vec<&str> = columns.iter().map(super::Identifier::as_str).collect();
        names.join("+")
    };
    let mut unique: Vec<String> = table.unique.iter().map(joined).collect();
    unique.sort();
    unique
}

#[test]
fn whatever_is_visible_has_unique_indexes_and_foreign_keys_with_their_parents() {
    const SETUP: &str = "
        CREATE TABLE parents (a INTEGER, b INTEGER, code VARCHAR(9) UNIQUE, PRIMARY KEY (a, b));
        CREATE TABLE kids (id INTEGER PRIMARY KEY, x INTEGER, y INTEGER, tag VARCHAR(9), FOREIGN KEY (x, y) REFERENCES parents (a, b));
        CREATE UNIQUE INDEX by_tag ON kids (tag, x);";
    for mut stage in stages(SETUP) {
        let catalog = stage.source.survey(Scope::Visible).unwrap();
        assert_eq!(unique(table(&catalog, "kids")), ["tag+x"], "{}", stage.name);
        assert_eq!(unique(table(&catalog, "parents")), ["code"]);
        let [key] = &catalog.foreign_keys[..] else {
            panic!("{}: {:?}", stage.name, catalog.foreign_keys);
        };
        assert_eq!(key.parent.name.as_str(), "parents", "{}", stage.name);
        let contract = stage.source.survey(Scope::Contract).unwrap();
        let indexes: &[&str] = if stage.name == "mysql" {
            &["tag+x"]
        } else {
            &[]
        };
        assert_eq!(unique(table(&contract, "kids")), indexes, "{}", stage.name);
    }
}

fn holds(stage: &mut Stage) -> Vec<Holds> {
    let catalog = stage.source.survey(Scope::Visible).unwrap();
    let columns = &table(&catalog, "t").columns;
    columns.iter().map(|column| column.holds).collect()
}

#[test]
fn a_survey_tells_what_columns_can_hold() {
    let mut stage = sqlite(
        "CREATE TABLE t (a BIGINT, b VARCHAR(5), c NUMERIC(8, 2), d REAL, e BOOLEAN, f BLOB, g DATETIME, h, i INT GENERATED ALWAYS AS (a + 1))",
    );
    let expected = [
        Integer,
        Text,
        Number(Some(2)),
        Number(None),
        Boolean,
        Bytes,
        Moment(false),
        Other,
        Integer,
    ];
    assert_eq!(holds(&mut stage), expected);
    if let Some(mut stage) = server(
        Engine::Postgres,
        "CREATE TABLE t (a int8, b varchar(5), c numeric(8,2), d float8, e bool, f bytea, g timestamp, h timestamptz, i date, j jsonb, k int[], l uuid, m interval, n numeric)",
    ) {
        let expected = [
            Integer,
            Text,
            Number(Some(2)),
            Number(None),
            Boolean,
            Bytes,
            Moment(false),
            Moment(true),
            Day,
            Json,
            List,
            Uuid,
            Other,
            Number(None),
        ];
        assert_eq!(holds(&mut stage), expected);
    }
    if let Some(mut stage) = server(
        Engine::Mysql,
        "CREATE TABLE t (a BIGINT UNSIGNED, b VARCHAR(5), c DECIMAL(8,2), d DOUBLE, e BOOLEAN, f BLOB, g DATETIME, h TIMESTAMP, i DATE, j JSON, k POINT, l ENUM('int'), m TIME)",
    ) {
        let expected = [
            Integer,
            Text,
            Number(Some(2)),
            Number(None),
            Integer,
            Bytes,
            Moment(false),
            Moment(true),
            Day,
            Json,
            Bytes,
            Text,
            Other,
        ];
        assert_eq!(holds(&mut stage), expected);
    }
}

#[test]
fn a_policy_that_holds_for_this_role_is_reported() {
    const SETUP: &str = "
        CREATE TABLE free (id int PRIMARY KEY);
        CREATE TABLE guarded (id int PRIMARY KEY);
        ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
        CREATE SCHEMA app; CREATE TABLE app.free (id int PRIMARY KEY, x int);";
    let Some(server) = Server::named(Engine::Postgres) else {
        return;
    };
    let database = server.database(SETUP);
    let role = format!("{}_reader", database.name());
    let grants = format!(
        "CREATE ROLE {role} LOGIN PASSWORD 'p'; ALTER ROLE {role} SET search_path = app, public;
         GRANT USAGE ON SCHEMA app, public TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA app, public TO {role};"
    );
    database.session().run(&grants);
    let url = SecretUrl::new(database.url_for(&role, "p"));
    let mut reader = PostgresSource::connect(url, Vec::new()).unwrap();
    let catalog = reader.survey(Scope::Visible).unwrap();
    assert_eq!(table(&catalog, "guarded").hides, Some(Hides::Policy));
    let free = table(&catalog, "free");
    assert_eq!(free.hides, None);
    assert_eq!(free.table.shown(), "app.free", "the first of the path");
    let owner = SecretUrl::new(database.url());
    let mut owner = PostgresSource::connect(owner, Vec::new()).unwrap();
    let catalog = owner.survey(Scope::Visible).unwrap();
    assert_eq!(table(&catalog, "guarded").hides, None);
    drop(reader);
    database
        .session()
        .run(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

#[test]
fn only_rows_finds_a_number_by_its_text_where_a_column_has_no_type() {
    let mut stage = sqlite(
        "CREATE TABLE t (id PRIMARY KEY, item TEXT); INSERT INTO t VALUES (1, 'number'), ('2', 'text'), (0, 'zero'), ('x', 'word');",
    );
    let lookup = RowLookup {
        table: "t".into(),
        identity: vec!["id".to_owned()],
        fields: vec!["item".to_owned()],
    };
    let asked = keys(&["1", "2", "x", "01", "abc", ""]);
    for (scope, number) in [(Scope::Contract, "None"), (Scope::Visible, "number")] {
        stage.source.survey(scope).unwrap();
        stage.source.refresh().unwrap();
        stage.source.survey(scope).unwrap();
        let seen = super::source::rows(
            stage.source.as_mut(),
            &lookup,
            &asked,
            crate::observe::ends::Claimed::ANYTHING,
        );
        let seen: Vec<String> = seen
            .iter()
            .map(|seen| match seen {
                super::RowsSeen::One(row) => items(std::slice::from_ref(row)).concat(),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(seen, [number, "text", "word", "None", "None", "None"]);
    }
}

#[test]
fn a_few_keys_are_answered_as_among_many() {
    let rows: Vec<String> = (0..600).map(|at| format!("({at}, 'i{at}')")).collect();
    let mut stage = sqlite(&format!(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, item TEXT); INSERT INTO t VALUES {};",
        rows.join(", ")
    ));
    let lookup = RowLookup {
        table: "t".into(),
        identity: vec!["id".to_owned()],
        fields: vec!["item".to_owned()],
    };
    let asked: Vec<Key> = (300..700)
        .rev()
        .map(|at| Key::from([at.to_string().into()]))
        .collect();
    let mut seen = |keys: &[Key]| format!("{:?}", stage.source.rows(&lookup, keys, 2).unwrap());
    let many = seen(&asked);
    let few: Vec<String> = asked.chunks(7).map(&mut seen).collect();
    let inner = |text: &String| text.trim_matches(['[', ']']).to_owned();
    let few: Vec<String> = few.iter().map(inner).collect();
    assert_eq!(few.join(", "), inner(&many));
    assert!(many.contains("i300") && many.contains("None"));
}
