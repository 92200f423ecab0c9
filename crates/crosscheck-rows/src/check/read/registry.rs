//! The tools registry: which row or relation each tool call must leave behind.

use std::collections::HashMap;
use std::path::Path;

use crosscheck_core::JsString;
use crosscheck_core::advice::with_causes;
use crosscheck_core::files::read_limited;
use crosscheck_core::json::{Json, Node, ParseError, Scalar};

use super::template::Template;
use crate::check::error::ContractError;
use crate::check::reasons::ContractFailure;
use crate::check::schema::{Schema, Violation, meant, telling};
use crate::relation::ScalarKind;

/// The largest registry that is read.
const MAX_REGISTRY_BYTES: u64 = 256 * 1024 * 1024;
const TOOL_ID_MAX: usize = 512;

/// What each tool call must leave behind.
#[derive(Debug, Default)]
pub struct Registry {
    /// The entries in file order.
    pub entries: Vec<ToolEntry>,
    by_id: HashMap<JsString, usize>,
}

/// One tool.
#[derive(Debug)]
pub struct ToolEntry {
    /// Its id.
    pub tool_id: JsString,
    /// What it does, with `{/pointer}` places.
    pub template: Template,
    /// Whether a release hangs on it.
    pub release_critical: bool,
    /// What it must leave behind.
    pub verification: Verification,
}

/// A constant, or the place of a value.
#[derive(Debug, Clone)]
pub enum Spec<T> {
    /// The value itself.
    Const(T),
    /// A JSON Pointer to it, from the parameters.
    Pointer(JsString),
}

impl<T> Spec<T> {
    pub(crate) const fn pointer(&self) -> Option<&JsString> {
        match self {
            Self::Const(_) => None,
            Self::Pointer(pointer) => Some(pointer),
        }
    }
}

/// Column and value.
#[derive(Debug)]
pub struct PairSpec {
    /// The column.
    pub column: Spec<JsString>,
    /// The value.
    pub value: Spec<Scalar>,
}

/// A row that must be there.
#[derive(Debug)]
pub struct RowSpec {
    /// The table.
    pub table: Spec<JsString>,
    /// What tells the row from others.
    pub identity: Vec<PairSpec>,
    /// Where in the parameters the compared fields are.
    pub fields: JsString,
}

/// The expected number of a count or sum.
#[derive(Debug)]
pub struct ExpectSpec {
    /// How it is compared.
    pub op: Op,
    /// The number.
    pub value: Spec<f64>,
}

/// How a number is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// exactly
    Eq,
    /// at least
    Gte,
    /// at most
    Lte,
}

/// The kinds of verification.
#[derive(Debug)]
pub enum Verification {
    /// one row
    Row(RowSpec),
    /// no row
    Absent {
        /// The table.
        table: Spec<JsString>,
        /// What tells the rows from others.
        identity: Vec<PairSpec>,
        /// Further conditions.
        filter: Vec<PairSpec>,
    },
    /// several rows
    Effects(Vec<(JsString, RowSpec)>),
    /// several relations
    Relational(Vec<(JsString, CheckSpec)>),
    /// something outside the database
    Witness(WitnessSpec),
}

/// One relation, its parts under the names of its kind.
#[derive(Debug)]
pub struct CheckSpec {
    pub(crate) relation: &'static Relation,
    /// The tables.
    pub tables: Vec<Spec<JsString>>,
    /// The columns; the one of a sum may be missing.
    pub columns: Vec<Option<Spec<JsString>>>,
    /// The conditions, a list for each list of its kind.
    pub lists: Vec<Vec<(usize, PairSpec)>>,
    /// The expected number.
    pub expect: Option<ExpectSpec>,
}

/// How the contract names the parts of a relation.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(crate) word: &'static str,
    pub(crate) kind: ScalarKind,
    pub(crate) tables: &'static [&'static str],
    /// As the registry names them, and as reports do.
    pub(crate) columns: &'static [(&'static str, &'static str)],
    /// Lists of conditions: their name, their table if they do not say it
    /// themselves, and whether they are sorted by column.
    pub(crate) lists: &'static [(&'static str, Option<usize>, bool)],
}

static RELATIONS: [Relation; 5] = [
    Relation {
        word: "related_exists",
        kind: ScalarKind::Exists,
        tables: &["childTable"],
        columns: &[],
        lists: &[("matchEq", Some(0), true)],
    },
    Relation {
        word: "aggregate",
        kind: ScalarKind::Count,
        tables: &["table"],
        columns: &[],
        lists: &[("whereEq", Some(0), false)],
    },
    Relation {
        word: "aggregate",
        kind: ScalarKind::Sum,
        tables: &["table"],
        columns: &[("sumColumn", "sumColumn")],
        lists: &[("whereEq", Some(0), false)],
    },
    Relation {
        word: "join_count",
        kind: ScalarKind::Join,
        tables: &["leftTable", "rightTable"],
        columns: &[
            ("join.leftColumn", "leftJoinColumn"),
            ("join.rightColumn", "rightJoinColumn"),
        ],
        lists: &[("whereEq", None, false)],
    },
    Relation {
        word: "anti_join",
        kind: ScalarKind::Orphans,
        tables: &["anchorTable", "lookupTable"],
        columns: &[
            ("anchorColumn", "anchorColumn"),
            ("lookupColumn", "lookupColumn"),
            ("lookupPresenceColumn", "lookupPresenceColumn"),
        ],
        lists: &[
            ("filterEqAnchor", Some(0), true),
            ("filterEqLookup", Some(1), true),
        ],
    },
];

/// Something outside the database; only its description is used.
#[derive(Debug)]
pub struct WitnessSpec {
    /// The kind on the wire.
    pub kind: &'static str,
    /// What describes it: the parts shown in the report.
    pub parts: Vec<(&'static str, Spec<JsString>)>,
    /// The method of an HTTP witness.
    pub method: &'static str,
    /// The expected status of an HTTP witness.
    pub status: Option<Spec<f64>>,
    /// Where the objects of a document are: its filter, then its fields.
    pub objects: Vec<(&'static str, JsString)>,
}

/// Why a registry cannot be used.
#[derive(Debug)]
pub enum RegistryError {
    /// Cannot be read.
    Unreadable(String),
    /// Is not JSON.
    Syntax(String),
    /// Does not have the form of a registry.
    Invalid {
        /// The problem that tells most.
        first: String,
        /// For people: the problems of the form that was meant.
        lines: Vec<String>,
        /// Each problem.
        issues: Vec<Violation>,
    },
}

/// Reads and checks a registry; ids may still repeat.
pub fn load(path: &Path) -> Result<Registry, RegistryError> {
    let bytes = read_limited(path, MAX_REGISTRY_BYTES)
        .map_err(|error| RegistryError::Unreadable(with_causes(&error)))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| RegistryError::Syntax("the file is not UTF-8 text".to_owned()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let json = Json::parse(text).map_err(|error| RegistryError::Syntax(placed(text, &error)))?;
    let mut violations = Schema::ToolsRegistry.violations_of(json.root());
    violations.extend(long_ids(json.root()));
    violations.sort();
    match telling(&violations) {
        Some((first, count)) => Err(invalid(&violations, first, count)),
        None => Ok(Registry::of(json.root())),
    }
}

/// What is wrong with a text, by line and column: people edit registries.
fn placed(text: &str, error: &ParseError) -> String {
    let ParseError::Unexpected { at } = error else {
        return error.to_string();
    };
    let before = text.get(..*at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default();
    let column = column.chars().count() + 1;
    format!("unexpected text at line {line}, column {column}")
}

/// `first` is the problem that tells most, of `count`.
fn invalid(violations: &[Violation], first: &Violation, count: usize) -> RegistryError {
    let first = match violations {
        [one] if one.path == "/" && one.keyword == "minItems" => {
            "the registry is empty: there is nothing to replay".to_owned()
        }
        _ if count == 1 => format!("at {}: {}", first.path, first.message),
        _ => format!(
            "at {}: {} ({count} problems in all)",
            first.path, first.message
        ),
    };
    let line = |one: &Violation| format!("{} ({}): {}", one.path, one.keyword, one.message);
    let mut lines: Vec<String> = meant(violations).into_iter().map(line).collect();
    if lines.is_empty() {
        lines = violations.iter().map(line).collect();
    }
    RegistryError::Invalid {
        first,
        lines,
        issues: violations.to_vec(),
    }
}

/// Ids that no certificate can carry; the schema has no limit for them.
fn long_ids(root: Node<'_>) -> impl Iterator<Item = Violation> {
    let entries = root.as_array().into_iter().flatten().enumerate();
    entries.filter_map(|(at, entry)| {
        let len = entry.get("toolId")?.as_js()?.unit_len();
        (len > TOOL_ID_MAX).then(|| Violation {
            path: format!("/{at}/toolId"),
            keyword: "maxLength".to_owned(),
            message: format!("a toolId has at most {TOOL_ID_MAX} characters, this one has {len}"),
            is_aside: false,
        })
    })
}

impl RegistryError {
    /// Why a run with this registry cannot begin.
    pub(crate) fn of_run(self, path: &Path) -> ContractError {
        let shown = path.display();
        let (failure, message) = match self {
            Self::Unreadable(why) => (
                ContractFailure::RegistryReadFailed,
                format!("cannot read the registry: {why}"),
            ),
            Self::Syntax(why) => (
                ContractFailure::RegistryJsonSyntax,
                format!("the registry `{shown}` is not JSON: {why}"),
            ),
            Self::Invalid { first, .. } => (
                ContractFailure::RegistrySchemaInvalid,
                format!("the registry `{shown}` cannot be used: {first}"),
            ),
        };
        ContractError::new(failure, message)
    }
}

/// Reads a registry for a run; every problem has its code.
pub fn load_for_run(path: &Path) -> Result<Registry, ContractError> {
    let shown = path.display();
    let registry = load(path).map_err(|error| error.of_run(path))?;
    if let Some(tool) = registry.repeated() {
        return Err(ContractError::new(
            ContractFailure::RegistryDuplicateToolId,
            format!("the registry `{shown}` has two entries with the toolId `{tool}`"),
        ));
    }
    Ok(registry)
}

impl Registry {
    fn of(root: Node<'_>) -> Self {
        let mut registry = Self::default();
        for node in root.as_array().into_iter().flatten() {
            if let Some(entry) = entry(node) {
                let at = registry.entries.len();
                registry.by_id.entry(entry.tool_id.clone()).or_insert(at);
                registry.entries.push(entry);
            }
        }
        registry
    }

    /// The entry of a tool, with its place.
    pub fn get(&self, tool_id: &JsString) -> Option<&ToolEntry> {
        self.entries.get(*self.by_id.get(tool_id)?)
    }

    /// The first tool id that is repeated.
    pub fn repeated(&self) -> Option<&JsString> {
        let mut places = self.entries.iter().enumerate();
        places
            .find(|(at, entry)| self.by_id.get(&entry.tool_id) != Some(at))
            .map(|(_, entry)| &entry.tool_id)
    }
}

/// The document fits its schema, so that what is missing here cannot be missing.
fn entry(node: Node<'_>) -> Option<ToolEntry> {
    Some(ToolEntry {
        tool_id: text(node, "toolId")?,
        template: Template::new(text(node, "effectDescriptionTemplate")?.as_js()),
        release_critical: node
            .get("releaseCritical")
            .and_then(Node::as_bool)
            .unwrap_or(false),
        verification: verification(node.get("verification")?)?,
    })
}

fn verification(node: Node<'_>) -> Option<Verification> {
    Some(match node.get("kind")?.as_str()? {
        "sql_row" => Verification::Row(row(node)?),
        "sql_row_absent" => Verification::Absent {
            table: name(node, "table")?,
            identity: pairs(node, "identityEq"),
            filter: pairs(node, "filterEq"),
        },
        "sql_effects" => Verification::Effects(
            list(node, "effects")
                .filter_map(|effect| Some((text(effect, "id")?, row(effect)?)))
                .collect(),
        ),
        "sql_relational" => Verification::Relational(
            list(node, "checks")
                .filter_map(|one| Some((text(one, "id")?, check(one)?)))
                .collect(),
        ),
        kind => Verification::Witness(witness(kind, node)),
    })
}

fn row(node: Node<'_>) -> Option<RowSpec> {
    Some(RowSpec {
        table: name(node, "table")?,
        identity: pairs(node, "identityEq"),
        fields: pointer(node.get("requiredFields")?)?,
    })
}

fn check(node: Node<'_>) -> Option<CheckSpec> {
    let word = node.get("checkKind")?.as_str()?;
    let is_sum = node.get("fn").and_then(Node::as_str) == Some("SUM");
    let relation = RELATIONS
        .iter()
        .find(|relation| relation.word == word && (relation.kind == ScalarKind::Sum) == is_sum)?;
    let column = |(path, _): &(&str, &str)| match path.split_once('.') {
        Some((outer, inner)) => name(node.get(outer)?, inner),
        None => name(node, path),
    };
    let conditions = |(list_name, side, _): &(&'static str, Option<usize>, bool)| {
        let condition = |one: Node<'_>| {
            let is_right = one.get("tableSide").and_then(Node::as_str) == Some("right");
            Some((side.unwrap_or(usize::from(is_right)), pair(one)?))
        };
        list(node, list_name).filter_map(condition).collect()
    };
    let tables = relation.tables.iter().map(|table| name(node, table));
    Some(CheckSpec {
        relation,
        tables: tables.collect::<Option<_>>()?,
        columns: relation.columns.iter().map(column).collect(),
        lists: relation.lists.iter().map(conditions).collect(),
        expect: expect(node),
    })
}

fn witness(kind: &str, node: Node<'_>) -> WitnessSpec {
    let (kind, names): (_, &[&'static str]) = match kind {
        "http_witness" => ("http_witness", &["url"]),
        "object_storage_object" => ("object_storage_object", &["bucket", "key"]),
        "vector_document" => ("vector_document", &["indexName", "documentId"]),
        _ => ("mongo_document", &["collection"]),
    };
    let provider = text(node, "provider").map(|text| ("provider", Spec::Const(text)));
    let object = |name, key| Some((name, pointer(node.get(key)?)?));
    let objects = [
        object("filter", "filterPointer"),
        object("requiredFields", "requiredFields"),
    ];
    let described = names
        .iter()
        .filter_map(|part| Some((*part, name(node, part)?)));
    WitnessSpec {
        kind,
        parts: provider.into_iter().chain(described).collect(),
        method: match node.get("method").and_then(Node::as_str) {
            Some("POST") => "POST",
            _ => "GET",
        },
        status: node.get("expectedStatus").and_then(number),
        objects: objects.into_iter().flatten().collect(),
    }
}

fn expect(node: Node<'_>) -> Option<ExpectSpec> {
    let expect = node.get("expect")?;
    Some(ExpectSpec {
        op: match expect.get("op")?.as_str()? {
            "eq" => Op::Eq,
            "gte" => Op::Gte,
            _ => Op::Lte,
        },
        value: number(expect.get("value")?)?,
    })
}

fn number(node: Node<'_>) -> Option<Spec<f64>> {
    spec(node, Node::as_f64)
}

/// A constant, or the pointer to a value.
fn spec<'j, T>(node: Node<'j>, of: impl Fn(Node<'j>) -> Option<T>) -> Option<Spec<T>> {
    match node.get("const") {
        Some(value) => of(value).map(Spec::Const),
        None => pointer(node).map(Spec::Pointer),
    }
}

fn pairs(node: Node<'_>, key: &str) -> Vec<PairSpec> {
    list(node, key).filter_map(pair).collect()
}

fn pair(node: Node<'_>) -> Option<PairSpec> {
    Some(PairSpec {
        column: name(node, "column")?,
        value: scalar(node.get("value")?)?,
    })
}

fn scalar(node: Node<'_>) -> Option<Spec<Scalar>> {
    spec(node, Scalar::of)
}

fn pointer(node: Node<'_>) -> Option<JsString> {
    text(node, "pointer")
}

fn name(node: Node<'_>, key: &str) -> Option<Spec<JsString>> {
    spec(node.get(key)?, |value| Some(value.as_js()?.to_owned()))
}

fn text(node: Node<'_>, key: &str) -> Option<JsString> {
    Some(node.get(key)?.as_js()?.to_owned())
}

fn list<'j>(node: Node<'j>, key: &str) -> impl Iterator<Item = Node<'j>> {
    node.get(key).and_then(Node::as_array).into_iter().flatten()
}
