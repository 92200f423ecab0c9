SELECT 'table ' || relkind::text || relpersistence::text || CASE WHEN relrowsecurity THEN ' with row security' ELSE '' END
    FROM pg_class WHERE oid = 'crosscheck_ledger.records'::regclass
UNION ALL SELECT 'column ' || attname || ' ' || format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN '' ELSE ' or nothing' END
    FROM pg_attribute WHERE attrelid = 'crosscheck_ledger.records'::regclass AND attnum > 0 AND NOT attisdropped
UNION ALL SELECT 'constraint ' || contype::text || ' ' || coalesce(conkey::text, '')
    FROM pg_constraint WHERE conrelid = 'crosscheck_ledger.records'::regclass AND contype <> 'n'
UNION ALL SELECT 'trigger ' || tgname || ' ' || tgtype::text || tgenabled::text || ' ' || prosrc
    FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
    WHERE tgrelid = 'crosscheck_ledger.records'::regclass AND NOT tgisinternal
UNION ALL SELECT 'rule ' || rulename FROM pg_rewrite WHERE ev_class = 'crosscheck_ledger.records'::regclass
