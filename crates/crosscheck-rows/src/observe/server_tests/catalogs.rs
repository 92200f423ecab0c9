//! Tables and keys as each server knows them.

use crosscheck_core::Verdict;

use super::*;

fn names(list: &[crate::observe::Identifier]) -> String {
    let names: Vec<&str> = list
        .iter()
        .map(crate::observe::Identifier::as_str)
        .collect();
    names.join(",")
}

fn tables(catalog: &Catalog) -> Vec<String> {
    catalog
        .tables
        .iter()
        .map(|table| table.table.shown())
        .collect()
}

const TABLES: &str = "
    CREATE TABLE parent (a INT, b INT, PRIMARY KEY (b, a));
    CREATE TABLE child (id INT PRIMARY KEY, pa INT, pb INT, email VARCHAR(20) UNIQUE, UNIQUE (pa, email), FOREIGN KEY (pa, pb) REFERENCES parent (b, a));
    CREATE TABLE keyless (x INT);
    CREATE VIEW seen AS SELECT * FROM child;";

#[test]
fn both_servers_show_tables_columns_and_keys_alike() {
    for engine in ENGINES {
        let Some(database) = fresh(engine, TABLES) else {
            continue;
        };
        let mut source = open(engine, database.url());
        let catalog = source.survey(Scope::Contract).unwrap();
        assert_eq!(
            tables(&catalog),
            ["child", "keyless", "parent"],
            "{engine:?}"
        );
        let child = table(&catalog, "child");
        let columns: Vec<&str> = child
            .columns
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        assert_eq!(columns, ["id", "pa", "pb", "email"]);
        assert_eq!(names(&child.primary_key), "id");
        let mut unique: Vec<String> = child.unique.iter().map(|key| names(key)).collect();
        unique.sort();
        assert_eq!(unique, ["email", "pa,email"], "{engine:?}");
        assert_eq!(names(&table(&catalog, "parent").primary_key), "b,a");
        assert!(table(&catalog, "keyless").identity().is_none());
        let [key] = catalog.foreign_keys.as_slice() else {
            panic!("{:?}", catalog.foreign_keys);
        };
        assert_eq!(key.child.name.as_str(), "child");
        assert_eq!(names(&key.child_columns), "pa,pb");
        assert_eq!(names(&key.parent_columns), "b,a");
    }
}

#[test]
fn mysql_tables_are_ordered_by_utf16_and_hostile_names_stay_names() {
    let setup = "
        CREATE TABLE `Zed` (id INT PRIMARY KEY); CREATE TABLE `a``b; DROP` (`i``d` INT PRIMARY KEY, v INT);
        INSERT INTO `a``b; DROP` VALUES (1, 2);
        CREATE TABLE `é` (id INT PRIMARY KEY); CREATE TABLE `_x` (id INT PRIMARY KEY);
        CREATE TABLE kid (id INT PRIMARY KEY, Zed_Id INT, FOREIGN KEY (zed_ID) REFERENCES `Zed` (ID));";
    let Some(database) = fresh(Engine::Mysql, setup) else {
        return;
    };
    let mut source = open(Engine::Mysql, database.url());
    let catalog = source.survey(Scope::Contract).unwrap();
    assert_eq!(tables(&catalog), ["Zed", "_x", "a`b; DROP", "kid", "é"]);
    let [key] = catalog.foreign_keys.as_slice() else {
        panic!("{:?}", catalog.foreign_keys);
    };
    assert_eq!(names(&key.child_columns), "Zed_Id");
    assert_eq!(names(&key.parent_columns), "id");
    let seen = cells(look(
        source.as_mut(),
        &request(&catalog, "a`b; DROP", &["1"]),
    ));
    assert_eq!(seen, [("v".to_owned(), Cell::Number(2.0))]);
}

#[test]
fn mysql_tables_that_differ_only_in_case_keep_their_own_keys() {
    let Some(database) = fresh(Engine::Mysql, "") else {
        return;
    };
    let mut session = database.session();
    if session
        .text("SELECT CAST(@@lower_case_table_names AS CHAR)")
        .as_deref()
        != Some("0")
    {
        eprintln!("skipped: this server ignores case in table names");
        return;
    }
    session.run("CREATE TABLE pair (x INT, y INT, PRIMARY KEY (x, y)); CREATE TABLE Pair (b INT, a INT, PRIMARY KEY (b, a)); CREATE TABLE PAIR (k INT PRIMARY KEY, doc JSON)");
    let catalog = open(Engine::Mysql, database.url())
        .survey(Scope::Contract)
        .unwrap();
    assert_eq!(tables(&catalog), ["PAIR", "Pair", "pair"]);
    assert_eq!(names(&table(&catalog, "pair").primary_key), "x,y");
    assert_eq!(names(&table(&catalog, "Pair").primary_key), "b,a");
    assert_eq!(names(&table(&catalog, "PAIR").primary_key), "k");
}

#[test]
fn a_mysql_reader_of_some_columns_sees_just_those() {
    let setup = "CREATE TABLE half (id INT PRIMARY KEY, shown INT, hidden INT, doc JSON); INSERT INTO half VALUES (1, 2, 3, '4');";
    let Some(database) = fresh(Engine::Mysql, setup) else {
        return;
    };
    let (user, name) = (format!("h_{}", database.name()), database.name());
    let mut session = database.session();
    session.run(&format!("CREATE USER {user}@'%' IDENTIFIED BY 'pw'; GRANT SELECT (id, shown, doc) ON {name}.half TO {user}@'%'"));
    let mut source = open(Engine::Mysql, &database.url_for(&user, "pw"));
    let catalog = source.survey(Scope::Contract).unwrap();
    let seen = cells(look(source.as_mut(), &request(&catalog, "half", &["1"])));
    let columns: Vec<&str> = seen.iter().map(|(column, _)| column.as_str()).collect();
    assert_eq!(columns, ["shown", "doc"]);
    session.run(&format!("DROP USER {user}@'%'"));
}

#[test]
fn a_versioned_table_of_mariadb_is_keyed_by_what_its_rows_show() {
    let Some(database) = fresh(Engine::Mysql, "") else {
        return;
    };
    let mut session = database.session();
    if !session
        .text("SELECT VERSION()")
        .unwrap_or_default()
        .contains("MariaDB")
    {
        eprintln!("skipped: not a MariaDB server");
        return;
    }
    session.run("CREATE TABLE v (id INT PRIMARY KEY, x INT) WITH SYSTEM VERSIONING; INSERT INTO v VALUES (1, 1); UPDATE v SET x = 2; CREATE SEQUENCE s;");
    let mut source = open(Engine::Mysql, database.url());
    let catalog = source.survey(Scope::Contract).unwrap();
    assert_eq!(tables(&catalog), ["v"]);
    let seen = cells(look(source.as_mut(), &request(&catalog, "v", &["1"])));
    assert_eq!(seen, [("x".to_owned(), Cell::Number(2.0))]);
}

#[test]
fn a_mysql_reader_without_other_rights_sees_the_keys_too() {
    let Some(database) = fresh(Engine::Mysql, TABLES) else {
        return;
    };
    let (user, name) = (format!("r_{}", database.name()), database.name());
    let mut session = database.session();
    session
        .run("ALTER TABLE child ADD doc JSON; INSERT INTO child VALUES (1, NULL, NULL, 'a', '7')");
    session.run(&format!(
        "CREATE USER {user}@'%' IDENTIFIED BY 'pw'; GRANT SELECT ON {name}.* TO {user}@'%'"
    ));
    let mut source = open(Engine::Mysql, &database.url_for(&user, "pw"));
    let catalog = source.survey(Scope::Contract).unwrap();
    assert_eq!(names(&table(&catalog, "child").primary_key), "id");
    assert_eq!(table(&catalog, "child").unique.len(), 2);
    assert_eq!(catalog.foreign_keys.len(), 1);
    let seen = cells(look(source.as_mut(), &request(&catalog, "child", &["1"])));
    assert_eq!(seen.last(), Some(&("doc".to_owned(), Cell::Number(7.0))));
    session.run(&format!("DROP USER {user}@'%'"));
}

#[test]
fn a_table_that_may_not_be_read_is_no_candidate_and_spoils_nothing() {
    for engine in ENGINES {
        let setup = "
            CREATE TABLE orders (id INT PRIMARY KEY, state VARCHAR(9)); INSERT INTO orders VALUES (1, 'paid');
            CREATE TABLE secrets (id INT PRIMARY KEY, state VARCHAR(9)); INSERT INTO secrets VALUES (1, 'x');";
        let Some(database) = fresh(engine, setup) else {
            continue;
        };
        let user = format!("r_{}", database.name());
        let name = database.name();
        let mut session = database.session();
        match engine {
            Engine::Postgres => session.run(&format!("CREATE ROLE {user} LOGIN PASSWORD 'pw'; GRANT SELECT ON orders TO {user}; GRANT INSERT ON secrets TO {user}")),
            Engine::Mysql => session.run(&format!("CREATE USER {user}@'%' IDENTIFIED BY 'pw'; GRANT SELECT ON {name}.orders TO {user}@'%'; GRANT INSERT ON {name}.secrets TO {user}@'%'")),
        }
        let mut source = open(engine, &database.url_for(&user, "pw"));
        let catalog = source.survey(Scope::Contract).unwrap();
        assert_eq!(tables(&catalog), ["orders"], "{engine:?}");
        let orders = request(&catalog, "orders", &["1"]);
        assert_eq!(
            cells(look(source.as_mut(), &orders)),
            [("state".to_owned(), Cell::Text("paid".into()))]
        );

        // rights that end between the survey and the look
        match engine {
            Engine::Postgres => session.run(&format!("REVOKE SELECT ON orders FROM {user}")),
            Engine::Mysql => {
                session.run(&format!("REVOKE SELECT ON {name}.orders FROM {user}@'%'"));
            }
        }
        let RowsSeen::Failed(error) = look(source.as_mut(), &orders) else {
            panic!("{engine:?} did not refuse");
        };
        assert!(error.message().contains("denied"), "{error:?}");
        drop(source);
        match engine {
            Engine::Postgres => session.run(&format!("DROP OWNED BY {user}; DROP ROLE {user}")),
            Engine::Mysql => session.run(&format!("DROP USER {user}@'%'")),
        }
    }
}

#[test]
fn named_schemas_bring_views_and_partitioned_tables_along() {
    let setup = "
        CREATE SCHEMA shop; CREATE SCHEMA other;
        CREATE TABLE shop.orders (id int, day date, state text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
        CREATE TABLE shop.orders_2024 PARTITION OF shop.orders FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
        CREATE TABLE shop.people (id int PRIMARY KEY, name text);
        CREATE VIEW shop.customers AS SELECT id, name FROM shop.people;
        CREATE TABLE other.hidden (id int PRIMARY KEY);
        INSERT INTO shop.orders VALUES (7, '2024-02-03', 'paid'); INSERT INTO shop.people VALUES (1, 'Ann');";
    let Some(database) = fresh(Engine::Postgres, setup) else {
        return;
    };
    let connect = |schemas: &[&str]| {
        let schemas = schemas.iter().map(|&name| name.to_owned()).collect();
        PostgresSource::connect(SecretUrl::new(database.url()), schemas).unwrap()
    };
    assert!(tables(&connect(&[]).survey(Scope::Contract).unwrap()).is_empty());
    let mut source = connect(&["shop"]);
    let catalog = source.survey(Scope::Contract).unwrap();
    assert_eq!(
        tables(&catalog),
        ["shop.customers", "shop.orders", "shop.people"]
    );
    // a view may show some rows only, so that nothing is absent from it
    assert!(table(&catalog, "customers").identity().is_none());
    let log = r#"
        {"tool":"orders.upsert","params":{"id":7,"day":"2024-02-03","state":"paid"}}
        {"tool":"people.create","params":{"id":1,"name":"Ann"}}"#;
    let (report, text) = run(&mut source, log);
    assert_eq!(report.verdict(), Verdict::Confirmed, "{text}");
    for (tool, verdict, code) in [
        ("people.create", Verdict::Refuted, "ROW_ABSENT"),
        (
            "customers.create",
            Verdict::Undecided,
            "MAPPING_NO_UNIQUE_KEY",
        ),
    ] {
        let lie = format!(r#"{{"tool":"{tool}","params":{{"id":2,"name":"Bob"}}}}"#);
        let (report, text) = run(&mut connect(&["shop"]), &lie);
        assert_eq!(report.verdict(), verdict, "{text}");
        assert!(text.contains(code), "{text}");
    }
}

#[test]
fn a_foreign_key_to_a_partitioned_table_is_none_for_each_partition() {
    let tables = "
        CREATE TABLE parts (id TEXT PRIMARY KEY) PARTITION BY HASH (id);
        CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
        CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
        CREATE TABLE whole (id TEXT PRIMARY KEY);
        CREATE TABLE child (id TEXT PRIMARY KEY, p TEXT REFERENCES parts, w TEXT REFERENCES whole);";
    let Some(database) = fresh(Engine::Postgres, tables) else {
        return;
    };
    let mut source = open(Engine::Postgres, database.url());
    let catalog = source.survey(Scope::Contract).unwrap();
    let keys: Vec<String> = catalog
        .foreign_keys
        .iter()
        .map(|key| names(&key.child_columns))
        .collect();
    assert_eq!(keys, ["w"]);
}
