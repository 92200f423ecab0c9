//! The rows that a plain SQL statement among the arguments names: one
//! `INSERT`, `UPDATE` or `DELETE` of literal values by key. Whatever is not
//! plain is left to a person.

use crosscheck_core::json::Node;
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::fact::{Claim, Fact, From, KeyFrom, Looked, Subject, Target, Why};
use super::key::fit_text;
use super::model::{ColumnId, Model, TableId};
use super::rows::Uncompared;
use crate::compare::value::{Value, is_scalar};

/// Longer statements are not read.
const LONGEST: usize = 100_000;

/// The rows, and what is written to them but is not a literal value.
pub(crate) fn subjects(model: &Model, arguments: Node<'_>) -> Option<(Vec<Subject>, Uncompared)> {
    let members = || arguments.as_object().into_iter().flatten();
    let texts = members().filter_map(|(_, node)| Some(node.as_js()?.to_str_lossy().into_owned()));
    let mut texts = texts.filter(|text| super::classify::writes_by_sql(text));
    let text = texts.next().filter(|text| text.len() <= LONGEST)?;
    if texts.next().is_some() {
        return None;
    }
    let lists = members().filter_map(|(_, node)| node.as_array());
    let bound: Vec<Value> = lists
        .flatten()
        .filter(|node| is_scalar(*node))
        .map(Value::of)
        .collect();
    let mut parser = Parser {
        model,
        tokens: tokens(&text)?,
        at: 0,
        bound,
        used: 0,
    };
    let found = match parser.word()?.as_str() {
        "insert" => parser.insert(),
        "update" => parser.update(),
        "delete" => parser.delete(),
        _ => None,
    }?;
    parser.ends().then_some(found)
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(SmolStr),
    /// A name between quotes.
    Name(SmolStr),
    Text(SmolStr),
    Number(SmolStr),
    Sign(char),
}

/// The tokens of a statement; `None` if it has comments or open quotes.
fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("--") || rest.starts_with("/*") || first == '\\' {
            return None;
        }
        let run = |is_part: &dyn Fn(char) -> bool| {
            let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
            rest.split_at(end)
        };
        let (token, left) = match first {
            '\'' | '"' | '`' | '[' => {
                let end = if first == '[' { ']' } else { first };
                let (inner, left) = quoted(rest.get(1..)?, end)?;
                let token = if first == '\'' {
                    Token::Text(inner)
                } else {
                    Token::Name(inner)
                };
                (token, left)
            }
            c if c.is_ascii_digit() => {
                let (number, left) = run(&|c| c.is_ascii_digit() || c == '.');
                (Token::Number(number.into()), left)
            }
            c if c.is_alphabetic() || c == '_' => {
                let (word, left) = run(&|c| c.is_alphanumeric() || c == '_');
                (Token::Word(word.to_lowercase().into()), left)
            }
            c => (Token::Sign(c), rest.get(c.len_utf8()..)?),
        };
        tokens.push(token);
        rest = left.trim_start();
    }
    Some(tokens)
}

/// A quoted text, in which the sign is doubled, and what follows.
fn quoted(text: &str, sign: char) -> Option<(SmolStr, &str)> {
    let mut inner = String::new();
    let mut rest = text;
    loop {
        let end = rest.find(sign)?;
        inner.push_str(rest.get(..end)?);
        rest = rest.get(end + 1..)?;
        match rest.strip_prefix(sign) {
            Some(left) => {
                inner.push(sign);
                rest = left;
            }
            None if inner.contains('\\') => return None,
            None => return Some((inner.into(), rest)),
        }
    }
}

struct Parser<'m> {
    model: &'m Model,
    tokens: Vec<Token>,
    at: usize,
    /// What is bound to the places of the statement.
    bound: Vec<Value>,
    used: usize,
}

/// A column, and its value if that is a literal one.
type Set = (ColumnId, Option<Value>);
type Planned = (Vec<Subject>, Uncompared);

impl Parser<'_> {
    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn word(&mut self) -> Option<SmolStr> {
        match self.next()? {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    fn takes(&mut self, token: &Token) -> bool {
        let is_it = self.tokens.get(self.at) == Some(token);
        self.at += usize::from(is_it);
        is_it
    }

    fn has_word(&mut self, word: &str) -> bool {
        self.takes(&Token::Word(word.into()))
    }

    fn has_sign(&mut self, sign: char) -> bool {
        self.takes(&Token::Sign(sign))
    }

    /// Whether nothing follows that may change the effect.
    fn ends(&mut self) -> bool {
        let _ = self.has_sign(';');
        self.tokens.get(self.at).is_none() || self.has_word("returning")
    }

    fn name(&mut self) -> Option<SmolStr> {
        match self.next()? {
            Token::Word(name) | Token::Name(name) => Some(name),
            _ => None,
        }
    }

    fn table(&mut self) -> Option<TableId> {
        let mut name = self.name()?;
        while self.has_sign('.') {
            name = self.name()?;
        }
        let tables = self.model.tables();
        let is_it = |own: &str| own.eq_ignore_ascii_case(&name);
        let mut found = tables.filter(|(_, table)| is_it(table.table.name.as_str()));
        found
            .next()
            .map(|(id, _)| id)
            .filter(|_| found.next().is_none())
    }

    fn column(&mut self, table: TableId) -> Option<ColumnId> {
        let name = self.name()?;
        let columns = self.model.table(table).column_ids();
        let mut found = columns.filter(|(_, own)| own.column.as_str().eq_ignore_ascii_case(&name));
        found.next().map(|(id, _)| id)
    }

    /// A literal value, or what is bound to its place.
    fn literal(&mut self) -> Option<Value> {
        let value = match self.next()? {
            Token::Text(text) => Value::Text(text),
            Token::Number(number) => Value::Number(number),
            Token::Sign('-') => match self.next()? {
                Token::Number(number) => Value::Number(format!("-{number}").into()),
                _ => return None,
            },
            Token::Sign('?') => {
                self.used += 1;
                self.bound.get(self.used - 1)?.clone()
            }
            Token::Sign('$') => match self.next()? {
                Token::Number(at) => {
                    let at: usize = at.parse().ok()?;
                    self.bound.get(at.checked_sub(1)?)?.clone()
                }
                _ => return None,
            },
            Token::Word(word) => match word.as_str() {
                "null" => Value::Null,
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => return None,
            },
            Token::Name(_) | Token::Sign(_) => return None,
        };
        Some(value)
    }

    /// A literal value that nothing is added to; else the expression is skipped.
    fn value(&mut self) -> Option<Value> {
        let start = (self.at, self.used);
        let value = self.literal();
        let is_end = |token: Option<&Token>| match token {
            None | Some(Token::Sign(',' | ')' | ';')) => true,
            Some(Token::Word(word)) => matches!(word.as_str(), "where" | "returning" | "and"),
            Some(_) => false,
        };
        if value.is_some() && is_end(self.tokens.get(self.at)) {
            return value;
        }
        (self.at, self.used) = start;
        let mut depth = 0_usize;
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') if depth > 0 => depth -= 1,
                token if depth == 0 && is_end(Some(token)) => break,
                Token::Sign('?') => self.used += 1,
                _ => {}
            }
            self.at += 1;
        }
        None
    }

    fn insert(&mut self) -> Option<Planned> {
        let table = self.has_word("into").then(|| self.table())??;
        let mut columns = Vec::new();
        if !self.has_sign('(') {
            return None;
        }
        loop {
            columns.push(self.column(table)?);
            if self.has_sign(')') {
                break;
            }
            self.has_sign(',').then_some(())?;
        }
        self.has_word("values").then_some(())?;
        let (mut subjects, mut open) = (Vec::new(), Uncompared::new());
        loop {
            self.has_sign('(').then_some(())?;
            let mut row: Vec<Set> = Vec::new();
            for column in &columns {
                row.push((*column, self.value()));
                let sign = if row.len() == columns.len() { ')' } else { ',' };
                self.has_sign(sign).then_some(())?;
            }
            let key = self.key(table, &row)?;
            row.retain(|(column, _)| !key.iter().any(|(own, _)| own == column));
            subjects.push(self.subject(table, key, Looked::Row, row, &mut open));
            if !self.has_sign(',') {
                return Some((subjects, open));
            }
        }
    }

    fn update(&mut self) -> Option<Planned> {
        let table = self.table()?;
        self.has_word("set").then_some(())?;
        let mut row: Vec<Set> = Vec::new();
        loop {
            let column = self.column(table)?;
            self.has_sign('=').then_some(())?;
            row.push((column, self.value()));
            if !self.has_sign(',') {
                break;
            }
        }
        let mut open = Uncompared::new();
        let keys = self.condition(table)?;
        // what names the row is not what it is called afterwards
        let sets_key = |(column, _): &Set| keys.iter().flatten().any(|(own, _)| own == column);
        if row.iter().any(sets_key) {
            return None;
        }
        let subject = |key| self.subject(table, key, Looked::Row, row.clone(), &mut open);
        Some((keys.into_iter().map(subject).collect(), open))
    }

    fn delete(&mut self) -> Option<Planned> {
        let table = self.has_word("from").then(|| self.table())??;
        let mut open = Uncompared::new();
        let keys = self.condition(table)?;
        let subject = |key| self.subject(table, key, Looked::Absence, Vec::new(), &mut open);
        Some((keys.into_iter().map(subject).collect(), open))
    }

    /// The keys that a condition names: all columns of one key, and nothing else.
    fn condition(&mut self, table: TableId) -> Option<Vec<Key>> {
        self.has_word("where").then_some(())?;
        let mut row: Vec<Set> = Vec::new();
        let mut listed = Vec::new();
        loop {
            let column = self.column(table)?;
            if self.has_word("in") {
                self.has_sign('(').then_some(())?;
                loop {
                    listed.push((column, Some(self.literal()?)));
                    if self.has_sign(')') {
                        break;
                    }
                    self.has_sign(',').then_some(())?;
                }
            } else {
                self.has_sign('=').then_some(())?;
                row.push((column, Some(self.literal()?)));
            }
            if !self.has_word("and") {
                break;
            }
        }
        let rows = match (row.is_empty(), listed.is_empty()) {
            (false, true) => vec![row],
            (true, false) => listed.into_iter().map(|set| vec![set]).collect(),
            _ => return None,
        };
        let key = |row: &Vec<Set>| self.key(table, row).filter(|key| key.len() == row.len());
        rows.iter().map(key).collect()
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

    fn subject(
        &self,
        table: TableId,
        key: Key,
        looked: Looked,
        row: Vec<Set>,
        open: &mut Uncompared,
    ) -> Subject {
        let mut facts = Vec::new();
        for (column, value) in row {
            let model = self.model.table(table).column(column);
            let field: SmolStr = model.column.as_str().into();
            match value {
                _ if model.is_secret => {}
                None => open.push((field, Value::Text("an expression".into()))),
                Some(value) => facts.push(Fact {
                    target: Target::Column(column),
                    claim: Claim::Value(value),
                    from: From::Statement,
                    field,
                    is_firm: true,
                    is_outcome: false,
                    asked: None,
                    repeats_argument: false,
                    is_complete: false,
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

type Key = SmallVec<[(ColumnId, SmolStr); 1]>;
