//! Shell and file tools of coding agents. They claim nothing about rows unless
//! they reach a database; what they do is left to a notice of the report.

use crosscheck_core::json::Node;

use super::sql;
use crate::compare::value::each_leaf;
use crate::plan::field::Tool;
use crate::read::Call;

/// Tools that run commands: the name in lower case without separators, and an
/// argument that such a call has.
const SHELLS: &[(&str, &str)] = &[
    ("bash", "command"),
    ("commandexecution", "command"),
    ("containerexec", "cmd"),
    ("execcommand", "cmd"),
    ("executecommand", "command"),
    ("localshell", "command"),
    ("powershell", "command"),
    ("runcommand", "command"),
    ("runinterminal", "command"),
    ("runshellcommand", "command"),
    ("runterminalcmd", "command"),
    ("shell", "command"),
    ("shellcommand", "command"),
    ("terminal", "command"),
];

/// Tools that work on files, or on the agent's own session.
const OTHERS: &[(&str, &str)] = &[
    ("applypatch", "input"),
    ("applypatch", "patch"),
    ("bashoutput", "bash_id"),
    ("createdirectory", "path"),
    ("createfile", "path"),
    ("edit", "file_path"),
    ("editfile", "path"),
    ("editfile", "target_file"),
    ("exitplanmode", "plan"),
    ("filechange", "changes"),
    ("glob", "pattern"),
    ("grep", "pattern"),
    ("grepsearch", "query"),
    ("inserteditintofile", "filePath"),
    ("killbash", "shell_id"),
    ("killshell", "shell_id"),
    ("listdir", "target_directory"),
    ("ls", "path"),
    ("movefile", "source"),
    ("multiedit", "file_path"),
    ("notebookedit", "notebook_path"),
    ("replace", "file_path"),
    ("replaceinfile", "path"),
    ("replacestringinfile", "filePath"),
    ("searchreplace", "file_path"),
    ("skill", "skill"),
    ("strreplacebasededittool", "path"),
    ("strreplaceeditor", "path"),
    ("task", "subagent_type"),
    ("taskoutput", "task_id"),
    ("updateplan", "plan"),
    ("write", "file_path"),
    ("writefile", "file_path"),
    ("writefile", "path"),
    ("writestdin", "session_id"),
    ("writetofile", "path"),
];

/// Words of a command that may change a database: clients, servers, tools
/// that migrate, libraries, and whatever sends requests.
const REACHES: &[&str] = &[
    "alembic",
    "artisan",
    "clickhouse",
    "cockroach",
    "cqlsh",
    "createdb",
    "curl",
    "database",
    "database_url",
    "db",
    "dbmate",
    "diesel",
    "django",
    "drizzle",
    "dropdb",
    "duckdb",
    "ecto",
    "flyway",
    "http",
    "knex",
    "liquibase",
    "litecli",
    "manage",
    "mariadb",
    "migrate",
    "migration",
    "migrations",
    "mongo",
    "mongodb",
    "mongoimport",
    "mongosh",
    "mycli",
    "mysql",
    "mysqlimport",
    "pg_restore",
    "pgcli",
    "postgres",
    "postgresql",
    "prisma",
    "psql",
    "psycopg",
    "psycopg2",
    "rails",
    "rake",
    "redis",
    "seed",
    "sequelize",
    "sql",
    "sqlalchemy",
    "sqlcmd",
    "sqlite",
    "sqlite3",
    "supabase",
    "typeorm",
    "wget",
];

/// Endings of files that are databases.
const DATABASES: &[&str] = &[".db", ".db3", ".duckdb", ".mdb", ".sqlite", ".sqlite3"];

/// Whether a call runs a command.
pub(crate) fn runs_a_command(call: &Call, tool: &Tool) -> bool {
    let arguments = call.arguments.as_ref().ok();
    arguments.is_some_and(|arguments| is_one_of(SHELLS, tool, arguments.root()))
}

fn is_one_of(list: &[(&str, &str)], tool: &Tool, arguments: Node<'_>) -> bool {
    let mut list = list.iter();
    list.any(|(known, argument)| *known == tool.norm && arguments.get(argument).is_some())
}

/// Whether a call is of a shell or file tool and reaches no database.
pub(super) fn works_elsewhere(call: &Call, tool: &Tool) -> bool {
    if tool.tables().next().is_some() {
        return false;
    }
    let Ok(arguments) = &call.arguments else {
        // its patch is not JSON
        return tool.norm == "applypatch";
    };
    let arguments = arguments.root();
    if is_one_of(SHELLS, tool, arguments) {
        return !any_text(arguments, reaches_a_database);
    }
    is_one_of(OTHERS, tool, arguments) && !any_text(arguments, is_a_database)
}

fn any_text(arguments: Node<'_>, is: fn(&str) -> bool) -> bool {
    let mut any = false;
    each_leaf(arguments, |leaf| {
        any |= leaf.as_js().is_some_and(|text| is(&text.to_str_lossy()));
    });
    any
}

fn reaches_a_database(command: &str) -> bool {
    let is_between = |c: char| !(c.is_alphanumeric() || c == '_');
    let mut words = command.split(is_between).map(str::to_lowercase);
    words.any(|word| REACHES.contains(&word.as_str())) || sql::writes_anywhere(command)
}

fn is_a_database(path: &str) -> bool {
    let path = path.to_lowercase();
    DATABASES.iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_may_change_a_database_are_known() {
        for command in [
            "psql -c \"update orders set status = 'x'\"",
            "python -c 'import sqlite3; sqlite3.connect(\"a\")'",
            "npm run db:seed",
            "python manage.py cancel 10",
            "echo 'DELETE FROM orders' | ./run",
            "curl -X POST localhost/orders",
            "cp backup.db app.db",
        ] {
            assert!(reaches_a_database(command), "{command}");
        }
        for command in [
            "cargo test",
            "git commit -m 'update the page'",
            "ls -la src",
        ] {
            assert!(!reaches_a_database(command), "{command}");
        }
    }

    #[test]
    fn a_file_that_is_a_database_is_known_by_its_ending() {
        assert!(is_a_database("/srv/app.SQLITE3"));
        assert!(!is_a_database("src/db.rs"));
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(SHELLS.is_sorted() && OTHERS.is_sorted() && REACHES.is_sorted());
    }
}
