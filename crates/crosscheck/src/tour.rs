//! The files of the one-minute tour.

use std::io;

use crosscheck_core::advice::with_causes;
use crosscheck_core::files::{read_limited, write_atomic};
use crosscheck_core::folder::Temporary;

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

/// Every file of the tour is smaller.
pub const MAX_BYTES: u64 = 1 << 20;

/// A temporary folder for the tour, which stays if it is kept.
pub fn fresh_folder() -> io::Result<Temporary> {
    Temporary::new("crosscheck-demo-")
}

/// The bytes of the tour's database, the same each time.
pub fn database() -> io::Result<Vec<u8>> {
    let desk = fresh_folder()?;
    let made = desk.path().join("shop.db");
    let create = || {
        let connection = rusqlite::Connection::open(&made)?;
        connection.execute_batch(SCHEMA)?;
        connection.close().map_err(|(_, error)| error)
    };
    create().map_err(|error| {
        // SQLite does not say why the disk takes no more; the system does
        let probe = write_atomic(&desk.path().join("probe"), &vec![0; 1 << 16]);
        probe.map_or_else(
            |cause| io::Error::other(with_causes(&cause)),
            |()| io::Error::other(error),
        )
    })?;
    read_limited(&made, MAX_BYTES).map_err(io::Error::other)
}

/// Whether this is a report of the tour, from whatever folder it was started.
pub fn is_report(bytes: &[u8]) -> bool {
    let report: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
    let is = |key: &str, test: &dyn Fn(&str) -> bool| {
        let text = report.get(key).and_then(serde_json::Value::as_str);
        text.is_some_and(test)
    };
    is("schema", &|schema| schema == "crosscheck.rows/1")
        && is("subject", &|subject| {
            subject.contains("calls.ndjson against ") && subject.ends_with("shop.db")
        })
}
