CREATE SCHEMA IF NOT EXISTS crosscheck_ledger;
CREATE TABLE crosscheck_ledger.records (seq bigint PRIMARY KEY, id text NOT NULL UNIQUE, hash text NOT NULL, body text NOT NULL);
CREATE FUNCTION crosscheck_ledger.refuse() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''the ledger is append-only''; END';
CREATE TRIGGER records_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON crosscheck_ledger.records
    FOR EACH STATEMENT EXECUTE FUNCTION crosscheck_ledger.refuse();
COMMENT ON TABLE crosscheck_ledger.records IS 'crosscheck.ledger/1';
