use super::*;

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

fn joined(kind: ScalarKind, tables: &[&str], columns: &[&str], one: (usize, &str)) -> ScalarLookup {
    ScalarLookup {
        kind,
        tables: tables.iter().map(|table| (*table).into()).collect(),
        columns: names(columns),
        conditions: vec![(one.0, one.1.to_owned())],
    }
}

/// PostgreSQL calls every table by its schema, too.
struct Public;

impl Terms for Public {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn table(&self, table: &TableRef) -> String {
        format!("\"public\".{}", Dialect::Postgres.table(table))
    }
}

fn row_shape(terms: &dyn Terms, meets: Meets, wanted: &[&str]) -> String {
    let keys = keys(terms.dialect(), &names(&["text", "integer"]), 2);
    rows(
        terms,
        &"orders".into(),
        &names(&["id", "line"]),
        &names(wanted),
        &keys,
        meets,
        2,
    )
}

#[test]
fn rows_of_postgresql() {
    let wanted = [r#"t."state"::text"#];
    insta::assert_snapshot!(row_shape(&Public, Meets::One, &wanted), @r#"SELECT k.n, t."state"::text FROM (SELECT n, v1::text AS v1, v2::integer AS v2 FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) WITH ORDINALITY AS u(v1, v2, n)) AS k JOIN "public"."orders" AS t ON t."id" = k.v1 AND t."line" = k.v2"#);
    insta::assert_snapshot!(row_shape(&Public, Meets::Indexed, &wanted), @r#"SELECT k.n, r.* FROM (SELECT n, v1::text AS v1, v2::integer AS v2 FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) WITH ORDINALITY AS u(v1, v2, n)) AS k CROSS JOIN LATERAL (SELECT t."state"::text FROM "public"."orders" AS t WHERE t."id" = k.v1 AND t."line" = k.v2 LIMIT 2) AS r"#);
    insta::assert_snapshot!(row_shape(&Public, Meets::Unknown, &wanted), @r#"SELECT * FROM (SELECT k.n, t."state"::text, row_number() OVER (PARTITION BY k.n) AS place FROM (SELECT n, v1::text AS v1, v2::integer AS v2 FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) WITH ORDINALITY AS u(v1, v2, n)) AS k JOIN "public"."orders" AS t ON t."id" = k.v1 AND t."line" = k.v2) AS r WHERE r.place <= 2"#);
}

#[test]
fn conversions_of_postgresql() {
    let casts = names(&["text", "uuid", "integer"]);
    insta::assert_snapshot!(
        conversions(&casts, &|cast| cast != "text").unwrap(),
        @"SELECT count(v2::uuid), count(v3::integer) FROM unnest($1::text[], $2::text[], $3::text[]) AS u(v1, v2, v3)"
    );
    assert_eq!(conversions(&casts, &|_| false), None);
}

#[test]
fn rows_of_sqlite() {
    let wanted = [r#"t."state""#];
    insta::assert_snapshot!(row_shape(&Dialect::Sqlite, Meets::One, &wanted), @r#"WITH "the keys"(n, v1, v2) AS (VALUES (1, ?1, ?2), (2, ?3, ?4)) SELECT k.n, t."state" FROM "the keys" AS k JOIN "orders" AS t ON t."id" = k.v1 AND t."line" = k.v2"#);
}

fn mysql_keys_of_two() -> String {
    let casts = [
        "CAST(? AS CHAR(64) CHARACTER SET utf8mb4) COLLATE utf8mb4_general_ci",
        "CAST(? AS SIGNED)",
    ];
    keys(Dialect::Mysql, &names(&casts), 2)
}

#[test]
fn rows_of_mysql() {
    let row_shape = |meets: Meets| {
        rows(
            &Dialect::Mysql,
            &"orders".into(),
            &names(&["id", "line"]),
            &names(&["t.`state` AS f0"]),
            &mysql_keys_of_two(),
            meets,
            2,
        )
    };
    insta::assert_snapshot!(row_shape(Meets::One), @"SELECT k.n, t.`state` AS f0 FROM (SELECT 1 AS n, CAST(? AS CHAR(64) CHARACTER SET utf8mb4) COLLATE utf8mb4_general_ci AS v1, CAST(? AS SIGNED) AS v2 UNION ALL SELECT 2, CAST(? AS CHAR(64) CHARACTER SET utf8mb4) COLLATE utf8mb4_general_ci, CAST(? AS SIGNED)) AS k JOIN `orders` AS t ON t.`id` = k.v1 AND t.`line` = k.v2");
    insta::assert_snapshot!(row_shape(Meets::Indexed), @"SELECT * FROM (SELECT k.n, t.`state` AS f0, row_number() OVER (PARTITION BY k.n) AS place FROM (SELECT 1 AS n, CAST(? AS CHAR(64) CHARACTER SET utf8mb4) COLLATE utf8mb4_general_ci AS v1, CAST(? AS SIGNED) AS v2 UNION ALL SELECT 2, CAST(? AS CHAR(64) CHARACTER SET utf8mb4) COLLATE utf8mb4_general_ci, CAST(? AS SIGNED)) AS k JOIN `orders` AS t ON t.`id` = k.v1 AND t.`line` = k.v2) AS r WHERE r.place <= 2");
    assert_eq!(row_shape(Meets::Indexed), row_shape(Meets::Unknown));
}

#[test]
fn scalars_and_samples_of_mysql() {
    let derived = keys(Dialect::Mysql, &names(&["CAST(? AS SIGNED)"]), 1);
    let count = ScalarLookup::of_one(ScalarKind::Count, "t1", &[], &["a"]);
    let orphans = joined(
        ScalarKind::Orphans,
        &["a1", "l1"],
        &["x", "y", "y"],
        (0, "a"),
    );
    let without = ScalarLookup::of_one(ScalarKind::Sum, "t1", &["c"], &[]);
    let shown = |alias: &str, column: &str| format!("{alias}.`{column}`");
    let sampled = |lookup| sample(&Dialect::Mysql, lookup, &derived, &shown).unwrap().0;
    insta::assert_snapshot!(scalars(&Dialect::Mysql, &count, &derived), @"SELECT k.n, (SELECT COUNT(*) FROM `t1` AS t WHERE t.`a` = k.v1) FROM (SELECT 1 AS n, CAST(? AS SIGNED) AS v1) AS k");
    insta::assert_snapshot!(scalars(&Dialect::Mysql, &orphans, &derived), @"SELECT k.n, (SELECT COUNT(*) FROM `a1` AS a LEFT JOIN `l1` AS l ON a.`x` = l.`y` WHERE l.`y` IS NULL AND a.`a` = k.v1) FROM (SELECT 1 AS n, CAST(? AS SIGNED) AS v1) AS k");
    insta::assert_snapshot!(scalars(&Dialect::Mysql, &without, &keys(Dialect::Mysql, &[], 2)), @"SELECT k.n, (SELECT COALESCE(SUM(t.`c`), 0) FROM `t1` AS t) FROM (SELECT 1 AS n UNION ALL SELECT 2) AS k");
    insta::assert_snapshot!(sampled(&count), @"SELECT t.`a` FROM (SELECT 1 AS n, CAST(? AS SIGNED) AS v1) AS k CROSS JOIN `t1` AS t WHERE t.`a` = k.v1 LIMIT 3");
    insta::assert_snapshot!(sampled(&orphans), @"SELECT a.`x`, a.`a` FROM (SELECT 1 AS n, CAST(? AS SIGNED) AS v1) AS k CROSS JOIN `a1` AS a LEFT JOIN `l1` AS l ON a.`x` = l.`y` WHERE l.`y` IS NULL AND a.`a` = k.v1 LIMIT 3");
}

#[test]
fn scalars_of_postgresql() {
    let keys = keys(Dialect::Postgres, &names(&["text"]), 1);
    let show = |lookup: &ScalarLookup| scalars(&Public, lookup, &keys);
    let count = ScalarLookup::of_one(ScalarKind::Count, "t1", &[], &["a"]);
    insta::assert_snapshot!(show(&count), @r#"SELECT k.n, (SELECT COUNT(*) FROM "public"."t1" AS t WHERE t."a" = k.v1)::text FROM (SELECT n, v1::text AS v1 FROM unnest((SELECT $1::text[])) WITH ORDINALITY AS u(v1, n)) AS k"#);
    let exists = ScalarLookup::of_one(ScalarKind::Exists, "t1", &[], &["a"]);
    insta::assert_snapshot!(show(&exists), @r#"SELECT k.n, (SELECT EXISTS (SELECT 1 FROM "public"."t1" AS t WHERE t."a" = k.v1))::text FROM (SELECT n, v1::text AS v1 FROM unnest((SELECT $1::text[])) WITH ORDINALITY AS u(v1, n)) AS k"#);
    let sum = ScalarLookup::of_one(ScalarKind::Sum, "t1", &["c"], &["a"]);
    insta::assert_snapshot!(show(&sum), @r#"SELECT k.n, (SELECT COALESCE(SUM(t."c"), 0) FROM "public"."t1" AS t WHERE t."a" = k.v1)::text FROM (SELECT n, v1::text AS v1 FROM unnest((SELECT $1::text[])) WITH ORDINALITY AS u(v1, n)) AS k"#);
    let join = joined(ScalarKind::Join, &["l1", "r1"], &["x", "y"], (1, "a"));
    insta::assert_snapshot!(show(&join), @r#"SELECT k.n, (SELECT COUNT(*) FROM "public"."l1" AS l INNER JOIN "public"."r1" AS r ON l."x" = r."y" WHERE r."a" = k.v1)::text FROM (SELECT n, v1::text AS v1 FROM unnest((SELECT $1::text[])) WITH ORDINALITY AS u(v1, n)) AS k"#);
    let orphans = joined(
        ScalarKind::Orphans,
        &["a1", "l1"],
        &["x", "y", "y"],
        (0, "a"),
    );
    insta::assert_snapshot!(show(&orphans), @r#"SELECT k.n, (SELECT COUNT(*) FROM "public"."a1" AS a LEFT JOIN "public"."l1" AS l ON a."x" = l."y" WHERE l."y" IS NULL AND a."a" = k.v1)::text FROM (SELECT n, v1::text AS v1 FROM unnest((SELECT $1::text[])) WITH ORDINALITY AS u(v1, n)) AS k"#);
}
