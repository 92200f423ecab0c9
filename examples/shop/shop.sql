-- The database as it is after the agent worked.
CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT NOT NULL, total_cents INTEGER NOT NULL);
CREATE TABLE customers (id TEXT PRIMARY KEY, email TEXT NOT NULL, tier TEXT NOT NULL);
INSERT INTO orders VALUES ('o_1001', 'shipped', 4200), ('o_1002', 'open', 1999);
INSERT INTO customers VALUES ('c_7', 'ada@example.com', 'gold');
