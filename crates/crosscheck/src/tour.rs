//! The files of the one-minute tour.

use std::io;
use std::path::{Path, PathBuf};

use crosscheck_core::advice::with_causes;
use crosscheck_core::files::{read_limited, write_atomic};

/// Tool calls with their answers, as agents log them. The refund is a lie.
pub const LOG: &str = r#"{"tool":"customers.create","params":{"id":"c_17","email":"ada@example.com","tier":"gold"},"result":{"id":"c_17"}}
{"tool":"orders.create","params":{"id":"o_1001","item":"desk lamp","status":"paid","total_cents":4990},"result":"ok"}
{"tool":"orders.update","params":{"id":"o_1002","status":"refunded"},"result":{"id":"o_1002","status":"refunded","total_cents":1250}}
{"tool":"tickets.close","params":{"id":88},"result":{"id":88,"state":"closed"}}
"#;

/// An earlier, trusted run: everything it says is true.
pub const TRUSTED: &str = r#"{"tool":"orders.create","params":{"id":"o_1001","item":"desk lamp","status":"paid","total_cents":4990},"result":"ok"}
{"tool":"orders.update","params":{"id":"o_1002","status":"paid"},"result":{"id":"o_1002","status":"paid","total_cents":1250}}
"#;

const SCHEMA: &str = "
    CREATE TABLE customers (id TEXT PRIMARY KEY, email TEXT NOT NULL, tier TEXT NOT NULL);
    CREATE TABLE orders (id TEXT PRIMARY KEY, item TEXT NOT NULL, status TEXT NOT NULL, total_cents INTEGER NOT NULL);
    CREATE TABLE tickets (id INTEGER PRIMARY KEY, state TEXT NOT NULL);
    INSERT INTO customers VALUES ('c_17', 'ada@example.com', 'gold');
    INSERT INTO orders VALUES ('o_1001', 'desk lamp', 'paid', 4990), ('o_1002', 'notebook', 'paid', 1250);
    INSERT INTO tickets VALUES (88, 'closed');";

/// The database is smaller.
const MAX_BYTES: u64 = 1 << 20;

/// A folder of its own that stays when the program ends.
pub fn fresh_folder() -> io::Result<PathBuf> {
    tempfile::Builder::new()
        .prefix("crosscheck-demo-")
        .tempdir()
        .map(tempfile::TempDir::keep)
}

/// Creates the database of the tour atomically; an existing one is replaced.
pub fn create_database(path: &Path) -> io::Result<()> {
    let desk = tempfile::tempdir()?;
    let made = desk.path().join("shop.db");
    let connection = rusqlite::Connection::open(&made).map_err(io::Error::other)?;
    connection.execute_batch(SCHEMA).map_err(io::Error::other)?;
    connection
        .close()
        .map_err(|(_, error)| io::Error::other(error))?;
    let bytes = read_limited(&made, MAX_BYTES).map_err(io::Error::other)?;
    write_atomic(path, &bytes).map_err(|error| io::Error::other(with_causes(&error)))
}
