//! The catalog queries.

use std::collections::{HashMap, HashSet};

use crosscheck_core::text::utf16_order;
use tokio_postgres::{Client, Error};

use super::types::Types;
use crate::observe::catalog::{
    Catalog, Column, ForeignKey, Hides, Holds, Identifier, Table, TableRef, foreign_key_order,
};
use crate::observe::source::Scope;

/// `$1` schemas, `$2` kinds of relations.
const TABLES: &str = "\
    SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE n.nspname = ANY($1) AND c.relkind::text = ANY($2) AND NOT c.relispartition AND has_table_privilege(c.oid, 'SELECT') \
    ORDER BY c.relname, n.nspname";

/// The same of which this role may not read the rows.
const CLOSED: &str = "\
    SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE n.nspname = ANY($1) AND c.relkind::text = ANY($2) AND NOT c.relispartition \
      AND NOT has_table_privilege(c.oid, 'SELECT') ORDER BY c.relname LIMIT 100";

const COLUMNS: &str = "\
    SELECT a.attrelid, a.attname::text, a.atttypid, a.atttypmod FROM pg_attribute a \
    WHERE a.attrelid = ANY($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum";

/// Primary keys and unique constraints; if `$2`, also unique indexes that are
/// none, over columns and over all rows.
const KEYS: &str = "\
    SELECT i.indrelid, i.indexrelid, i.indisprimary, a.attname::text FROM pg_index i \
    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, place) \
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum \
    LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype = 'u' \
    WHERE i.indrelid = ANY($1) AND i.indisunique AND k.place <= i.indnkeyatts \
      AND (i.indisprimary OR c.oid IS NOT NULL OR $2 AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL) \
    ORDER BY i.indrelid, c.oid NULLS LAST, i.indexrelid, k.place";

/// Tables with policies; a server that only speaks the protocol may have none.
const POLICIES: &str = "\
    SELECT c.oid FROM pg_class c WHERE c.oid = ANY($1) AND COALESCE((to_jsonb(c) ->> 'relrowsecurity')::boolean, false)";

/// Those of them whose policies hold for this role.
const ACTIVE_POLICIES: &str =
    "SELECT o FROM unnest($1::oid[]) AS u(o) WHERE row_security_active(o)";

/// The server keeps a copy of a constraint for each partition of its parent;
/// servers before version 11 know no such copies and no column that tells.
const FOREIGN_KEYS: &str = "\
    SELECT c.conrelid, c.oid, a.attname::text, p.relname::text, b.attname::text, n.nspname::text FROM pg_constraint c \
    JOIN pg_class p ON p.oid = c.confrelid JOIN pg_namespace n ON n.oid = p.relnamespace \
    CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS k(child, parent, place) \
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.child \
    JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.parent \
    WHERE c.conrelid = ANY($1) AND c.contype = 'f' AND p.relkind::text = ANY($2) AND has_table_privilege(p.oid, 'SELECT') \
      AND COALESCE((to_jsonb(c) ->> 'conparentid')::bigint, 0) = 0 \
    ORDER BY c.conrelid, c.oid, k.place";

/// Reads the catalog of some schemas. Those that were not named are searched
/// along the path: a table hides those of its name behind it.
pub(super) async fn catalog(
    client: &Client,
    named: &[String],
    path: &[String],
    scope: Scope,
) -> Result<Catalog, Error> {
    let public = ["public".to_owned()];
    let (schemas, kinds) = match (named.is_empty(), scope) {
        (false, _) => (named, vec!["r", "p", "v", "m", "f"]),
        (true, Scope::Contract) => (&public[..], vec!["r"]),
        (true, Scope::Visible) if path.is_empty() => (&public[..], vec!["r", "p", "f"]),
        (true, Scope::Visible) => (path, vec!["r", "p", "f"]),
    };
    let mut found = tables(client, schemas, &kinds).await?;
    if named.is_empty() {
        found.keep_first_of_each_name(schemas);
    }
    columns(client, &mut found).await?;
    keys(client, &mut found, scope).await?;
    let foreign_keys = foreign_keys(client, &kinds, &found).await?;
    let Found { order, mut tables } = found;
    let mut tables: Vec<Table> = order.iter().filter_map(|oid| tables.remove(oid)).collect();
    tables.sort_by(|a, b| utf16_order(a.table.name.as_str(), b.table.name.as_str()));
    let mut closed = Vec::new();
    for row in client.query(CLOSED, &[&schemas, &kinds]).await? {
        closed.push(row.try_get(0)?);
    }
    Ok(Catalog {
        tables,
        foreign_keys,
        closed,
    })
}

/// The tables by their numbers.
struct Found {
    order: Vec<u32>,
    tables: HashMap<u32, Table>,
}

impl Found {
    fn keep_first_of_each_name(&mut self, schemas: &[String]) {
        let place = |table: &Table| {
            let schema = table.table.schema.as_ref().map_or("", Identifier::as_str);
            schemas.iter().position(|name| name == schema)
        };
        let mut by_path: Vec<u32> = self.order.clone();
        by_path.sort_by_key(|oid| self.tables.get(oid).and_then(place));
        let mut names = HashSet::new();
        let hidden: HashSet<u32> = by_path
            .into_iter()
            .filter(|oid| {
                let table = self.tables.get(oid);
                !table.is_some_and(|table| names.insert(table.table.name.clone()))
            })
            .collect();
        self.order.retain(|oid| !hidden.contains(oid));
        self.tables.retain(|oid, _| !hidden.contains(oid));
    }
}

async fn tables(client: &Client, schemas: &[String], kinds: &[&str]) -> Result<Found, Error> {
    let mut found = Found {
        order: Vec::new(),
        tables: HashMap::new(),
    };
    for row in client.query(TABLES, &[&schemas, &kinds]).await? {
        let oid: u32 = row.try_get(0)?;
        let table = TableRef {
            schema: Some(identifier(&row, 1)?),
            name: identifier(&row, 2)?,
        };
        let is_view = matches!(row.try_get(3)?, "v" | "m");
        found.order.push(oid);
        let table = Table {
            table,
            columns: Vec::new(),
            primary_key: Vec::new(),
            unique: Vec::new(),
            hides: is_view.then_some(Hides::View),
        };
        found.tables.insert(oid, table);
    }
    Ok(found)
}

async fn columns(client: &Client, found: &mut Found) -> Result<(), Error> {
    let types = Types::read(client).await?;
    for row in client.query(COLUMNS, &[&found.order]).await? {
        if let Some(table) = found.tables.get_mut(&row.try_get(0)?) {
            let held = types.of_column(row.try_get(2)?);
            let holds = match held.holds {
                Holds::Number(_) => Holds::Number(scale(row.try_get(3)?)),
                other => other,
            };
            table.columns.push(Column {
                name: identifier(&row, 1)?,
                kind: held.kind,
                holds,
            });
        }
    }
    Ok(())
}

/// The digits behind the point of a `numeric(p, s)`, as the server keeps them.
fn scale(modifier: i32) -> Option<u8> {
    // a negative scale, of version 15 and later, has its sign in the eleventh bit
    let scale = (modifier >= 4).then(|| (modifier - 4) & 0x7ff)?;
    u8::try_from(scale).ok()
}

async fn keys(client: &Client, found: &mut Found, scope: Scope) -> Result<(), Error> {
    let Found { order, tables } = found;
    let is_visible = scope == Scope::Visible;
    let rows = client.query(KEYS, &[&*order, &is_visible]).await?;
    for key in grouped(&rows, 1)? {
        let Some(first) = key.first() else {
            continue;
        };
        let columns = key.iter().map(|row| identifier(row, 3));
        let columns = columns.collect::<Result<_, _>>()?;
        if let Some(table) = tables.get_mut(&first.try_get(0)?) {
            if first.try_get(2)? {
                table.primary_key = columns;
            } else {
                table.unique.push(columns);
            }
        }
    }
    if is_visible {
        policies(client, order, tables).await?;
    }
    Ok(())
}

async fn policies(
    client: &Client,
    order: &[u32],
    tables: &mut HashMap<u32, Table>,
) -> Result<(), Error> {
    let mut guarded = Vec::new();
    for row in client.query(POLICIES, &[&order]).await? {
        guarded.push(row.try_get::<_, u32>(0)?);
    }
    if guarded.is_empty() {
        return Ok(());
    }
    for row in client.query(ACTIVE_POLICIES, &[&guarded]).await? {
        if let Some(table) = tables.get_mut(&row.try_get(0)?) {
            table.hides = Some(Hides::Policy);
        }
    }
    Ok(())
}

/// One entry per constraint.
async fn foreign_keys(
    client: &Client,
    kinds: &[&str],
    found: &Found,
) -> Result<Vec<ForeignKey>, Error> {
    let rows = client.query(FOREIGN_KEYS, &[&found.order, &kinds]).await?;
    let mut keys = Vec::new();
    for constraint in grouped(&rows, 1)? {
        let Some(first) = constraint.first() else {
            continue;
        };
        let Some(child) = found.tables.get(&first.try_get(0)?) else {
            continue;
        };
        keys.push(ForeignKey {
            child: child.table.clone(),
            child_columns: constraint
                .iter()
                .map(|row| identifier(row, 2))
                .collect::<Result<_, _>>()?,
            parent: TableRef {
                schema: Some(identifier(first, 5)?),
                name: identifier(first, 3)?,
            },
            parent_columns: constraint
                .iter()
                .map(|row| identifier(row, 4))
                .collect::<Result<_, _>>()?,
        });
    }
    Ok(foreign_key_order(keys))
}

/// The rows that follow each other with the same number in a column.
pub(super) fn grouped(
    rows: &[tokio_postgres::Row],
    at: usize,
) -> Result<Vec<&[tokio_postgres::Row]>, Error> {
    let number = |row: &tokio_postgres::Row| row.try_get::<_, u32>(at);
    for row in rows {
        number(row)?;
    }
    let is_same = |a: &_, b: &_| number(a).ok() == number(b).ok();
    Ok(rows.chunk_by(is_same).collect())
}

fn identifier(row: &tokio_postgres::Row, at: usize) -> Result<Identifier, Error> {
    row.try_get::<_, String>(at).map(Identifier::from_catalog)
}
