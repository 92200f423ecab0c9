//! SQL that a tool runs: what class of call it is, and the rows that one plain
//! `INSERT`, `UPDATE` or `DELETE` of literal values by key names. Text that
//! looks like SQL says nothing where the tool does not plainly run it.

use smallvec::SmallVec;
use smol_str::SmolStr;
use sqlparser::ast::{
    AssignmentTarget, BinaryOperator, Delete, Expr, FromTable, Insert, ObjectName, Query, SetExpr,
    Statement, TableFactor, TableObject, TableWithJoins, UnaryOperator, Update, Value as Literal,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::fact::{Claim, Fact, From, KeyFrom, Looked, Subject, Target, Why};
use super::field::Tool;
use super::key::fit_text;
use super::means::means;
use super::model::{ColumnId, Model, TableId};
use super::rows::Uncompared;
use crate::compare::value::{Value, is_scalar};
use crate::read::Call;

/// Longer statements are not read.
const LONGEST: usize = 100_000;
/// What a text that no parser reads begins with, if it reads.
const READS: [&str; 6] = ["select", "with", "show", "explain", "describe", "pragma"];
/// The same for texts that write.
const WRITES: [&str; 14] = [
    "alter", "begin", "call", "copy", "create", "delete", "drop", "exec", "insert", "load",
    "merge", "replace", "truncate", "update",
];

/// What a tool that runs SQL was given.
pub(crate) struct Script {
    statements: Vec<Statement>,
    /// What is bound to the places of the statement.
    bound: Vec<Value>,
    /// Whether nothing but the statement and its values was given.
    is_all: bool,
    pub(crate) reads: bool,
    /// The word it begins with, for people.
    pub(crate) word: SmolStr,
}

impl Script {
    /// The SQL of a call: of a tool whose name says nothing but that it runs
    /// SQL, in an argument that is called so.
    pub(crate) fn of(call: &Call, tool: &Tool) -> Option<Self> {
        if !means().runs_sql(tool) {
            return None;
        }
        let mut text = None;
        let (mut bound, mut is_all) = (Vec::new(), true);
        for (name, node) in call.arguments.as_ref().ok()?.root().as_object()? {
            let name = name.to_str_lossy().to_lowercase();
            if let Some(own) = node.as_js().filter(|_| means().sql_arguments.has(&name)) {
                is_all &= text.replace(own.to_str_lossy().into_owned()).is_none();
            } else if let Some(items) = node.as_array().filter(|_| means().sql_values.has(&name)) {
                bound.extend(items.filter(|item| is_scalar(*item)).map(Value::of));
            } else {
                is_all &= node.is_null();
            }
        }
        let text = text.filter(|text| text.len() <= LONGEST)?;
        let first = text.trim_start_matches(|c: char| !c.is_alphabetic());
        let end = first
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(first.len());
        let word = first.get(..end).unwrap_or_default().to_lowercase();
        let parsed = Parser::parse_sql(&GenericDialect {}, &text).ok();
        let statements = parsed.filter(|statements| !statements.is_empty());
        let reads = match &statements {
            Some(statements) => statements.iter().all(reads),
            None if READS.contains(&word.as_str()) => true,
            None if WRITES.contains(&word.as_str()) => false,
            None => return None,
        };
        Some(Self {
            statements: statements.unwrap_or_default(),
            bound,
            is_all,
            reads,
            word: word.into(),
        })
    }

    /// The rows that it names, and what is written to them but is not a
    /// literal value. Whatever is not plain is left to a person.
    pub(crate) fn subjects(self, model: &Model) -> Option<(Vec<Subject>, Uncompared)> {
        let [statement] = &self.statements[..] else {
            return None;
        };
        let mut plan = Plan {
            model,
            bound: self.bound,
            used: 0,
            has_expressions: false,
            open: Uncompared::new(),
        };
        let subjects = match statement {
            _ if !self.is_all => None,
            Statement::Insert(insert) => plan.insert(insert),
            Statement::Update(update) => plan.update(update),
            Statement::Delete(delete) => plan.delete(delete),
            _ => None,
        }?;
        // which value a later place takes is open then
        let is_certain = plan.bound.is_empty() || !plan.has_expressions;
        is_certain.then_some((subjects, plan.open))
    }
}

fn reads(statement: &Statement) -> bool {
    match statement {
        Statement::Query(query) => !writes(query),
        Statement::Explain {
            analyze, statement, ..
        } => !analyze || reads(statement),
        Statement::Pragma { value, .. } => value.is_none(),
        Statement::ExplainTable { .. } => true,
        other => other.to_string().starts_with("SHOW"),
    }
}

/// Whether a part of a query writes: `WITH gone AS (DELETE …) SELECT …`.
fn writes(query: &Query) -> bool {
    let mut parts = query.with.iter().flat_map(|with| &with.cte_tables);
    parts.any(|part| writes(&part.query)) || body_writes(&query.body)
}

fn body_writes(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(select) => select.into.is_some(),
        SetExpr::Query(query) => writes(query),
        SetExpr::SetOperation { left, right, .. } => body_writes(left) || body_writes(right),
        SetExpr::Values(_) | SetExpr::Table(_) => false,
        SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => true,
    }
}

/// A column, and its value if that is a literal one.
type Set = (ColumnId, Option<Value>);
type Key = SmallVec<[(ColumnId, SmolStr); 1]>;

struct Plan<'m> {
    model: &'m Model,
    bound: Vec<Value>,
    used: usize,
    has_expressions: bool,
    open: Uncompared,
}

impl Plan<'_> {
    fn insert(&mut self, insert: &Insert) -> Option<Vec<Subject>> {
        let TableObject::TableName(name) = &insert.table else {
            return None;
        };
        let is_plain = insert.on.is_none()
            && insert.or.is_none()
            && !insert.ignore
            && !insert.replace_into
            && insert.assignments.is_empty()
            && !insert.columns.is_empty();
        let source = insert.source.as_ref().filter(|_| is_plain)?;
        let SetExpr::Values(values) = &*source.body else {
            return None;
        };
        let table = self.table(name)?;
        let columns = insert
            .columns
            .iter()
            .map(|column| self.column(table, column));
        let columns: Vec<ColumnId> = columns.collect::<Option<_>>()?;
        let mut subjects = Vec::new();
        for row in &values.rows {
            let values = row.content.iter().map(|value| self.value(value));
            let mut row: Vec<Set> = columns.iter().copied().zip(values).collect();
            let key = self
                .key(table, &row)
                .filter(|_| row.len() == columns.len())?;
            row.retain(|(column, _)| !key.iter().any(|(own, _)| own == column));
            subjects.push(self.subject(table, key, Looked::Row, row));
        }
        Some(subjects)
    }

    fn update(&mut self, update: &Update) -> Option<Vec<Subject>> {
        let is_plain = update.from.is_none() && update.or.is_none() && update.limit.is_none();
        let table = self.joined(&update.table).filter(|_| is_plain)?;
        let mut row: Vec<Set> = Vec::new();
        for assignment in &update.assignments {
            let AssignmentTarget::ColumnName(name) = &assignment.target else {
                return None;
            };
            row.push((self.column(table, name)?, self.value(&assignment.value)));
        }
        let keys = self.condition(table, update.selection.as_ref()?)?;
        // what names the row is not what it is called afterwards
        let sets_key = |(column, _): &Set| keys.iter().flatten().any(|(own, _)| own == column);
        if row.iter().any(sets_key) {
            return None;
        }
        let subject = |key| self.subject(table, key, Looked::Row, row.clone());
        Some(keys.into_iter().map(subject).collect())
    }

    fn delete(&mut self, delete: &Delete) -> Option<Vec<Subject>> {
        let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
        let [from] = &from[..] else { return None };
        let is_plain = delete.tables.is_empty() && delete.using.is_none() && delete.limit.is_none();
        let table = self.joined(from).filter(|_| is_plain)?;
        let keys = self.condition(table, delete.selection.as_ref()?)?;
        let subject = |key| self.subject(table, key, Looked::Absence, Vec::new());
        Some(keys.into_iter().map(subject).collect())
    }

    fn joined(&self, table: &TableWithJoins) -> Option<TableId> {
        match &table.relation {
            TableFactor::Table { name, .. } if table.joins.is_empty() => self.table(name),
            _ => None,
        }
    }

    /// The one table of this name; a schema must be its own.
    fn table(&self, name: &ObjectName) -> Option<TableId> {
        let parts: Option<Vec<&str>> = name.0.iter().map(text_of).collect();
        let (name, schema) = match parts?[..] {
            [name] => (name, None),
            [schema, name] => (name, Some(schema)),
            _ => return None,
        };
        let mut found = self.model.tables().filter(|(_, own)| {
            let is_its = |schema: &str| match &own.table.schema {
                Some(own) => own.as_str().eq_ignore_ascii_case(schema),
                None => matches!(schema, "main" | "public"),
            };
            own.table.name.as_str().eq_ignore_ascii_case(name) && schema.is_none_or(is_its)
        });
        let (id, _) = found.next()?;
        found.next().is_none().then_some(id)
    }

    fn column(&self, table: TableId, name: &ObjectName) -> Option<ColumnId> {
        self.named(table, text_of(name.0.last()?)?)
    }

    fn named(&self, table: TableId, name: &str) -> Option<ColumnId> {
        let mut columns = self.model.table(table).column_ids();
        let found = columns.find(|(_, own)| own.column.as_str().eq_ignore_ascii_case(name));
        found.map(|(id, _)| id)
    }

    /// A literal value, or what is bound to its place.
    fn value(&mut self, expression: &Expr) -> Option<Value> {
        let value = match expression {
            Expr::Value(value) => match &value.value {
                Literal::Number(digits, _) => Some(Value::Number(digits.into())),
                Literal::SingleQuotedString(text) if !text.contains('\\') => {
                    Some(Value::Text(text.into()))
                }
                Literal::Boolean(truth) => Some(Value::Bool(*truth)),
                Literal::Null => Some(Value::Null),
                Literal::Placeholder(place) => self.placed(place),
                _ => None,
            },
            Expr::UnaryOp {
                op: UnaryOperator::Minus,
                expr,
            } => match self.value(expr) {
                Some(Value::Number(digits)) => Some(Value::Number(format!("-{digits}").into())),
                _ => None,
            },
            _ => None,
        };
        self.has_expressions |= value.is_none();
        value
    }

    fn placed(&mut self, place: &str) -> Option<Value> {
        let number = place.trim_start_matches(['?', '$', ':']);
        let at: usize = if number.is_empty() {
            self.used += 1;
            self.used
        } else {
            number.parse().ok()?
        };
        self.bound.get(at.checked_sub(1)?).cloned()
    }

    /// The keys that a condition names: all columns of one key, and nothing else.
    fn condition(&mut self, table: TableId, condition: &Expr) -> Option<Vec<Key>> {
        if let Expr::InList {
            expr,
            list,
            negated: false,
        } = condition
        {
            let column = self.operand(table, expr)?;
            let key = |value: &Expr| {
                let row = [(column, Some(self.value(value)?))];
                self.key(table, &row)
            };
            return list.iter().map(key).collect();
        }
        let mut row: Vec<Set> = Vec::new();
        self.conjunction(table, condition, &mut row)?;
        let key = self.key(table, &row).filter(|key| key.len() == row.len())?;
        Some(vec![key])
    }

    fn conjunction(&mut self, table: TableId, expression: &Expr, row: &mut Vec<Set>) -> Option<()> {
        match expression {
            Expr::Nested(inner) => self.conjunction(table, inner, row),
            Expr::BinaryOp {
                left,
                op: BinaryOperator::And,
                right,
            } => {
                self.conjunction(table, left, row)?;
                self.conjunction(table, right, row)
            }
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Eq,
                right,
            } => {
                let column = self.operand(table, left)?;
                row.push((column, Some(self.value(right)?)));
                Some(())
            }
            _ => None,
        }
    }

    fn operand(&self, table: TableId, expression: &Expr) -> Option<ColumnId> {
        match expression {
            Expr::Identifier(name) => self.named(table, &name.value),
            Expr::CompoundIdentifier(parts) => self.named(table, &parts.last()?.value),
            _ => None,
        }
    }

    /// The first key all of whose columns have a value that fits.
    fn key(&self, table: TableId, row: &[Set]) -> Option<Key> {
        let table = self.model.table(table);
        let of = |column: &ColumnId| {
            let (_, value) = row.iter().find(|(own, _)| own == column)?;
            let value = value
                .as_ref()
                .filter(|value| !matches!(value, Value::Null))?;
            let text = fit_text(table.column(*column).holds, value.plain().trim().into())?;
            Some((*column, text))
        };
        let mut keys = table.keys.iter().filter(|columns| !columns.is_empty());
        keys.find_map(|columns| columns.iter().map(of).collect())
    }

    fn subject(&mut self, table: TableId, key: Key, looked: Looked, row: Vec<Set>) -> Subject {
        let mut facts = Vec::new();
        for (column, value) in row {
            let model = self.model.table(table).column(column);
            let field: SmolStr = model.column.as_str().into();
            match value {
                _ if model.is_secret => {}
                None => self.open.push((field, Value::Text("an expression".into()))),
                Some(value) => facts.push(Fact {
                    is_firm: true,
                    repeats_argument: true,
                    ..Fact::new(
                        Target::Column(column),
                        Claim::Value(value),
                        From::Statement,
                        field,
                    )
                }),
            }
        }
        Subject {
            table,
            key,
            conditions: Box::default(),
            key_from: KeyFrom::Statement,
            looked,
            is_sure: true,
            why: Why::Statement,
            has_image: false,
            facts,
        }
    }
}

fn text_of(part: &sqlparser::ast::ObjectNamePart) -> Option<&str> {
    part.as_ident().map(|name| name.value.as_str())
}

/// Whether a text holds a statement that writes, wherever it begins: a command
/// that does may have changed anything.
pub(crate) fn writes_anywhere(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    words.windows(3).any(|words| {
        matches!(
            words,
            ["insert" | "merge" | "replace", "into", _]
                | ["delete", "from", _]
                | ["update", _, "set"]
                | ["create" | "alter" | "drop" | "truncate", "table", _]
        )
    })
}
