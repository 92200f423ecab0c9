//! The catalog queries.

use std::collections::HashMap;

use crosscheck_core::text::utf16_order;
use tokio_postgres::{Client, Error};

use super::types::{ColumnType, Types};
use crate::observe::catalog::{
    Catalog, Column, ForeignKey, Identifier, Table, TableRef, foreign_key_order,
};

/// The types of the columns of each table, in their own order.
pub(super) type ColumnTypes = HashMap<(String, String), Vec<(Identifier, ColumnType)>>;

/// `$1` schemas, `$2` kinds of relations.
const TABLES: &str = "\
    SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE n.nspname = ANY($1) AND c.relkind::text = ANY($2) AND NOT c.relispartition AND has_table_privilege(c.oid, 'SELECT') \
    ORDER BY c.relname, n.nspname";

const COLUMNS: &str = "\
    SELECT a.attrelid, a.attname::text, a.atttypid FROM pg_attribute a \
    WHERE a.attrelid = ANY($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum";

const PRIMARY_KEYS: &str = "\
    SELECT i.indrelid, a.attname::text FROM pg_index i \
    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, place) \
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum \
    WHERE i.indrelid = ANY($1) AND i.indisprimary AND k.place <= i.indnkeyatts ORDER BY i.indrelid, k.place";

const UNIQUE: &str = "\
    SELECT c.conrelid, c.oid, a.attname::text FROM pg_constraint c \
    CROSS JOIN LATERAL unnest(c.conkey) WITH ORDINALITY AS k(attnum, place) \
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum \
    WHERE c.conrelid = ANY($1) AND c.contype = 'u' ORDER BY c.conrelid, c.oid, k.place";

/// The server keeps a copy of a constraint for each partition of its parent;
/// servers before version 11 know no such copies and no column that tells.
const FOREIGN_KEYS: &str = "\
    SELECT c.conrelid, c.oid, a.attname::text, p.relname::text, b.attname::text FROM pg_constraint c \
    JOIN pg_class p ON p.oid = c.confrelid \
    CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS k(child, parent, place) \
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.child \
    JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.parent \
    WHERE c.conrelid = ANY($1) AND c.contype = 'f' AND p.relkind::text = ANY($2) AND has_table_privilege(p.oid, 'SELECT') \
      AND COALESCE((to_jsonb(c) ->> 'conparentid')::bigint, 0) = 0 \
    ORDER BY c.conrelid, c.oid, k.place";

/// The one ordinary table a view reads, with the columns of its primary key.
const VIEW_KEYS: &str = "\
    WITH base AS ( \
      SELECT DISTINCT r.ev_class AS view, d.refobjid AS source FROM pg_rewrite r \
      JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass \
      WHERE r.ev_class = ANY($1) AND d.refobjid <> r.ev_class), \
    single AS (SELECT view, min(source) AS source FROM base GROUP BY view HAVING count(*) = 1) \
    SELECT s.view, a.attname::text FROM single s JOIN pg_index i ON i.indrelid = s.source AND i.indisprimary \
    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, place) \
    JOIN pg_attribute a ON a.attrelid = s.source AND a.attnum = k.attnum ORDER BY s.view, k.place";

/// Reads the catalog. An empty list of schemas means `public` as the seed
/// knows it: ordinary tables only.
pub(super) async fn catalog(
    client: &Client,
    schemas: &[String],
) -> Result<(Catalog, ColumnTypes), Error> {
    let public = ["public".to_owned()];
    let (schemas, kinds) = if schemas.is_empty() {
        (&public[..], vec!["r"])
    } else {
        (schemas, vec!["r", "p", "v", "m", "f"])
    };
    let mut tables: HashMap<u32, Table> = HashMap::new();
    let mut order = Vec::new();
    let mut views = Vec::new();
    for row in client.query(TABLES, &[&schemas, &kinds]).await? {
        let oid: u32 = row.try_get(0)?;
        let table = TableRef {
            schema: Some(identifier(&row, 1)?),
            name: identifier(&row, 2)?,
        };
        if matches!(row.try_get(3)?, "v" | "m") {
            views.push(oid);
        }
        order.push(oid);
        tables.insert(
            oid,
            Table {
                table,
                columns: Vec::new(),
                primary_key: Vec::new(),
                unique: Vec::new(),
            },
        );
    }
    let types = columns(client, &order, &mut tables).await?;
    keys(client, &order, &views, &mut tables).await?;
    let foreign_keys = foreign_keys(client, &order, &kinds, &tables).await?;
    let mut tables: Vec<Table> = order.iter().filter_map(|oid| tables.remove(oid)).collect();
    tables.sort_by(|a, b| utf16_order(a.table.name.as_str(), b.table.name.as_str()));
    let catalog = Catalog {
        tables,
        foreign_keys,
    };
    Ok((catalog, types))
}

async fn columns(
    client: &Client,
    order: &[u32],
    tables: &mut HashMap<u32, Table>,
) -> Result<ColumnTypes, Error> {
    let types = Types::read(client).await?;
    let mut of_columns = ColumnTypes::new();
    for row in client.query(COLUMNS, &[&order]).await? {
        if let Some(table) = tables.get_mut(&row.try_get(0)?) {
            let (name, held) = (identifier(&row, 1)?, types.of_column(row.try_get(2)?));
            let kind = held.kind;
            let known = of_columns.entry(place(&table.table)).or_default();
            known.push((name.clone(), held));
            table.columns.push(Column { name, kind });
        }
    }
    Ok(of_columns)
}

/// Where the types of a table's columns are kept.
pub(super) fn place(table: &TableRef) -> (String, String) {
    let schema = table.schema.as_ref().map_or("public", Identifier::as_str);
    (schema.to_owned(), table.name.as_str().to_owned())
}

async fn keys(
    client: &Client,
    order: &[u32],
    views: &[u32],
    tables: &mut HashMap<u32, Table>,
) -> Result<(), Error> {
    for row in client.query(PRIMARY_KEYS, &[&order]).await? {
        if let Some(table) = tables.get_mut(&row.try_get(0)?) {
            table.primary_key.push(identifier(&row, 1)?);
        }
    }
    let unique = client.query(UNIQUE, &[&order]).await?;
    for constraint in unique.chunk_by(|a, b| a.get::<_, u32>(1) == b.get::<_, u32>(1)) {
        let Some(first) = constraint.first() else {
            continue;
        };
        let columns = constraint
            .iter()
            .map(|row| identifier(row, 2))
            .collect::<Result<_, _>>()?;
        if let Some(table) = tables.get_mut(&first.try_get(0)?) {
            table.unique.push(columns);
        }
    }
    if !views.is_empty() {
        view_keys(client, views, tables).await?;
    }
    Ok(())
}

/// A view over one table is keyed like that table, if it shows the key columns.
async fn view_keys(
    client: &Client,
    views: &[u32],
    tables: &mut HashMap<u32, Table>,
) -> Result<(), Error> {
    for row in client.query(VIEW_KEYS, &[&views]).await? {
        if let Some(table) = tables.get_mut(&row.try_get(0)?) {
            table.primary_key.push(identifier(&row, 1)?);
        }
    }
    for view in views {
        if let Some(table) = tables.get_mut(view) {
            let shown = |name: &Identifier| table.columns.iter().any(|column| column.name == *name);
            if !table.primary_key.iter().all(shown) {
                table.primary_key.clear();
            }
        }
    }
    Ok(())
}

/// One entry per constraint.
async fn foreign_keys(
    client: &Client,
    order: &[u32],
    kinds: &[&str],
    tables: &HashMap<u32, Table>,
) -> Result<Vec<ForeignKey>, Error> {
    let rows = client.query(FOREIGN_KEYS, &[&order, &kinds]).await?;
    let mut keys = Vec::new();
    for constraint in rows.chunk_by(|a, b| a.get::<_, u32>(1) == b.get::<_, u32>(1)) {
        let Some(first) = constraint.first() else {
            continue;
        };
        let Some(child) = tables.get(&first.try_get(0)?) else {
            continue;
        };
        let key = ForeignKey {
            child: child.table.clone(),
            child_columns: constraint
                .iter()
                .map(|row| identifier(row, 2))
                .collect::<Result<_, _>>()?,
            parent_columns: constraint
                .iter()
                .map(|row| identifier(row, 4))
                .collect::<Result<_, _>>()?,
        };
        keys.push((first.try_get(3)?, key));
    }
    Ok(foreign_key_order(keys))
}

fn identifier(row: &tokio_postgres::Row, at: usize) -> Result<Identifier, Error> {
    row.try_get::<_, String>(at).map(Identifier::from_catalog)
}
