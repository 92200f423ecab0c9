-- The database as it is after the agent worked.
CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT NOT NULL, total_cents INTEGER NOT NULL);
CREATE TABLE invoices (id TEXT PRIMARY KEY, state TEXT NOT NULL);
CREATE TABLE tickets (id TEXT PRIMARY KEY, state TEXT NOT NULL);
CREATE TABLE customers (id TEXT PRIMARY KEY, email TEXT NOT NULL, tier TEXT NOT NULL);
INSERT INTO orders VALUES ('o_1001', 'shipped', 4200), ('o_1002', 'open', 1999);
INSERT INTO invoices VALUES ('i_1', 'paid'), ('i_2', 'open');
INSERT INTO tickets VALUES ('t_41', 'closed'), ('t_42', 'open');
INSERT INTO customers VALUES ('c_7', 'ada@example.com', 'gold');
