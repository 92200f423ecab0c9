//! A batch sees what each look on its own sees, whatever the type of the key.

use super::*;
use crate::observe::source::{self, Key, RowLookup};

const TABLES: &str = "
    CREATE TABLE words (k text PRIMARY KEY, v int); INSERT INTO words VALUES ('a', 1), ('A', 2), (' a', 3), ('a ', 4), ('', 5), ('\u{e9}', 6), ('7', 7);
    CREATE TABLE short (k varchar(3) PRIMARY KEY, v int); INSERT INTO short VALUES ('a', 1), ('abc', 2);
    CREATE TABLE padded (k char(3) PRIMARY KEY, v int); INSERT INTO padded VALUES ('a', 1), ('abc', 2);
    CREATE TABLE small (k int2 PRIMARY KEY, v int); INSERT INTO small VALUES (7, 1), (-7, 2), (0, 3);
    CREATE TABLE whole (k int4 PRIMARY KEY, v int); INSERT INTO whole VALUES (7, 1), (-7, 2), (0, 3), (2147483647, 4);
    CREATE TABLE large (k int8 PRIMARY KEY, v int); INSERT INTO large VALUES (7, 1), (-7, 2), (0, 3), (9223372036854775807, 4);
    CREATE TABLE scaled (k numeric PRIMARY KEY, v int); INSERT INTO scaled VALUES (7, 1), (0.50, 2);
    CREATE TABLE ids (k uuid PRIMARY KEY, v int); INSERT INTO ids VALUES ('7d444840-9dc0-11d1-b245-5ffdce74fad2', 1);
    CREATE TABLE bytewise (k text COLLATE \"C\" PRIMARY KEY, v int); INSERT INTO bytewise VALUES ('a', 1), ('A', 2);
    CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    CREATE TABLE folded (k text COLLATE any_case PRIMARY KEY, v int); INSERT INTO folded VALUES ('a', 1), ('ABC', 2);
    CREATE DOMAIN code AS text CHECK (value <> 'abc');
    CREATE TABLE coded (k code PRIMARY KEY, v int); INSERT INTO coded VALUES ('a', 1), ('A', 2);
    CREATE DOMAIN short_code AS code CHECK (length(value) < 3);
    CREATE TABLE twice_coded (k short_code PRIMARY KEY, v int); INSERT INTO twice_coded VALUES ('a', 1), ('A', 2);
    CREATE TABLE parent (k text PRIMARY KEY, v int); INSERT INTO parent VALUES ('a', 1), ('A', 2);
    CREATE TABLE child () INHERITS (parent); INSERT INTO child VALUES ('a', 3), ('abc', 4);
    CREATE TABLE nothing (k int4 PRIMARY KEY, v int);";

const KEYS: [&str; 25] = [
    "a",
    "A",
    " a",
    "a ",
    "",
    "\u{e9}",
    "e\u{301}",
    "abc",
    "ABC",
    "abcd",
    "7",
    "7",
    "07",
    "+7",
    " 7 ",
    "-7",
    "0",
    "-0",
    "7.0",
    "0.5",
    "2147483647",
    "9223372036854775807",
    "7d444840-9dc0-11d1-b245-5ffdce74fad2",
    "7D444840-9DC0-11D1-B245-5FFDCE74FAD2",
    "{7d444840-9dc0-11d1-b245-5ffdce74fad2}",
];

const NAMES: [&str; 14] = [
    "words",
    "short",
    "padded",
    "small",
    "whole",
    "large",
    "scaled",
    "ids",
    "bytewise",
    "folded",
    "coded",
    "twice_coded",
    "parent",
    "nothing",
];

fn shown(seen: RowsSeen) -> String {
    match seen {
        RowsSeen::One(_) => format!("{:?}", cells(seen)),
        RowsSeen::Failed(_) => "failed".to_owned(),
        RowsSeen::None | RowsSeen::Many(_) => format!("{seen:?}"),
    }
}

#[test]
fn a_batch_sees_what_each_look_on_its_own_sees() {
    let Some(database) = fresh(Engine::Postgres, TABLES) else {
        return;
    };
    let url = SecretUrl::new(database.url());
    let mut source = PostgresSource::connect(url, Vec::new()).unwrap();
    let catalog = source.survey(Scope::Contract).unwrap();
    for name in NAMES {
        let lookup = RowLookup {
            table: name.into(),
            identity: vec!["k".to_owned()],
            fields: vec!["v".to_owned()],
        };
        let keys: Vec<Key> = KEYS.iter().map(|key| [(*key).into()].into()).collect();
        let claimed = crate::observe::ends::Claimed::ANYTHING;
        let batch = source::rows(&mut source, &lookup, &keys, claimed);
        for (key, seen) in KEYS.iter().zip(batch) {
            let alone = look(&mut source, &request(&catalog, name, &[key]));
            assert_eq!(shown(seen), shown(alone), "{name} {key:?}");
        }
    }
}
