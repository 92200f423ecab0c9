//! The registry as `check` reads it, for its schema. The reader goes by
//! `schemas/rows/tools-registry.json`, and by this schema only where a registry
//! uses our extensions (`reads`, `result`, `each`, `fields`, `forEach`); a test
//! holds both against each other.

use std::collections::BTreeMap;

use schemars::JsonSchema;

/// What is known about one tool.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(crate) enum ToolsRegistryEntry {
    Writes(WritingTool),
    Reads(ReadingTool),
}

/// A tool that leaves nothing behind; its calls make no steps.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReadingTool {
    /// The tool, as events name it; no two entries share it.
    #[schemars(length(min = 1, max = 512))]
    tool_id: String,
    /// What the tool does.
    #[schemars(default)]
    effect_description_template: String,
    #[schemars(extend("const" = true))]
    reads: bool,
}

/// What one tool call must leave behind.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WritingTool {
    /// The tool, as events name it; no two entries share it.
    #[schemars(length(min = 1, max = 512))]
    tool_id: String,
    /// What the tool does, with `{/pointer}` places that are filled from the parameters.
    effect_description_template: String,
    /// Whether a release hangs on it.
    #[schemars(default)]
    release_critical: bool,
    verification: ToolVerification,
}

#[derive(JsonSchema)]
#[schemars(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum ToolVerification {
    /// One row that must be there, with these fields.
    #[schemars(rename_all = "camelCase")]
    SqlRow {
        table: NameSpec,
        #[schemars(length(min = 1))]
        identity_eq: Vec<EqualityPair>,
        required_fields: FieldsSpec,
        /// One row for each element of this array.
        #[schemars(with = "ListSpec", default)]
        for_each: Option<ListSpec>,
    },
    /// A row that must not be there.
    #[schemars(rename_all = "camelCase")]
    SqlRowAbsent {
        table: NameSpec,
        #[schemars(length(min = 1))]
        identity_eq: Vec<EqualityPair>,
        #[schemars(default)]
        filter_eq: Vec<EqualityPair>,
    },
    /// Several rows that must be there.
    SqlEffects {
        #[schemars(length(min = 2))]
        effects: Vec<SqlEffect>,
    },
    /// Relations that must hold.
    SqlRelational {
        #[schemars(length(min = 1))]
        checks: Vec<RelationalCheck>,
    },
    /// A document of a vector index; read, but not asked yet.
    #[schemars(rename_all = "camelCase")]
    VectorDocument {
        provider: VectorProvider,
        document_id: NameSpec,
        index_name: NameSpec,
        #[schemars(with = "NameSpec", default)]
        namespace: Option<NameSpec>,
        #[schemars(with = "NameSpec", default)]
        host: Option<NameSpec>,
        #[schemars(with = "PointerSpec", default)]
        metadata_eq: Option<PointerSpec>,
        #[schemars(with = "NameSpec", default)]
        expect_payload_sha256: Option<NameSpec>,
    },
    /// An object of an object store; read, but not asked yet.
    #[schemars(rename_all = "camelCase")]
    ObjectStorageObject {
        bucket: NameSpec,
        key: NameSpec,
        #[schemars(with = "NameSpec", default)]
        endpoint: Option<NameSpec>,
        #[schemars(with = "NumberSpec", default)]
        expect_size_bytes: Option<NumberSpec>,
        #[schemars(with = "NameSpec", default)]
        expect_sha256: Option<NameSpec>,
        #[schemars(with = "NameSpec", default)]
        expect_etag: Option<NameSpec>,
    },
    /// An answer over HTTP; read, but not asked yet.
    #[schemars(rename_all = "camelCase")]
    HttpWitness {
        #[schemars(with = "HttpMethod", default)]
        method: Option<HttpMethod>,
        url: NameSpec,
        #[schemars(with = "NumberSpec", default)]
        expected_status: Option<NumberSpec>,
        #[schemars(default)]
        assertions: Vec<HttpAssertion>,
    },
    /// A document of a document store; read, but not asked yet.
    #[schemars(rename_all = "camelCase")]
    MongoDocument {
        collection: NameSpec,
        filter_pointer: PointerSpec,
        required_fields: PointerSpec,
    },
}

/// One of several rows.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct SqlEffect {
    /// Unique among the effects of its entry.
    #[schemars(length(min = 1))]
    id: String,
    table: NameSpec,
    #[schemars(length(min = 1))]
    identity_eq: Vec<EqualityPair>,
    required_fields: FieldsSpec,
    /// One row for each element of this array.
    #[schemars(with = "ListSpec", default)]
    for_each: Option<ListSpec>,
}

/// One relation; its `id` is unique among the checks of its entry.
#[derive(JsonSchema)]
#[schemars(tag = "checkKind", rename_all = "snake_case", deny_unknown_fields)]
enum RelationalCheck {
    /// At least one row fulfils the conditions.
    #[schemars(rename_all = "camelCase")]
    RelatedExists {
        #[schemars(length(min = 1))]
        id: String,
        /// Once for each element of this array.
        #[schemars(with = "ListSpec", default)]
        for_each: Option<ListSpec>,
        child_table: NameSpec,
        #[schemars(length(min = 1))]
        match_eq: Vec<EqualityPair>,
    },
    /// A count or sum is as expected.
    #[schemars(rename_all = "camelCase")]
    Aggregate {
        #[schemars(length(min = 1))]
        id: String,
        /// Once for each element of this array.
        #[schemars(with = "ListSpec", default)]
        for_each: Option<ListSpec>,
        table: NameSpec,
        r#fn: AggregateFn,
        /// The column of a sum.
        #[schemars(with = "NameSpec", default)]
        sum_column: Option<NameSpec>,
        #[schemars(default)]
        where_eq: Vec<EqualityPair>,
        expect: NumberExpectation,
    },
    /// A join has as many rows as expected.
    #[schemars(rename_all = "camelCase")]
    JoinCount {
        #[schemars(length(min = 1))]
        id: String,
        /// Once for each element of this array.
        #[schemars(with = "ListSpec", default)]
        for_each: Option<ListSpec>,
        left_table: NameSpec,
        right_table: NameSpec,
        join: JoinColumns,
        #[schemars(default)]
        where_eq: Vec<SidedPair>,
        expect: NumberExpectation,
    },
    /// No row of the anchor is without a partner.
    #[schemars(rename_all = "camelCase")]
    AntiJoin {
        #[schemars(length(min = 1))]
        id: String,
        /// Once for each element of this array.
        #[schemars(with = "ListSpec", default)]
        for_each: Option<ListSpec>,
        anchor_table: NameSpec,
        lookup_table: NameSpec,
        anchor_column: NameSpec,
        lookup_column: NameSpec,
        lookup_presence_column: NameSpec,
        #[schemars(default)]
        filter_eq_anchor: Vec<EqualityPair>,
        #[schemars(default)]
        filter_eq_lookup: Vec<EqualityPair>,
    },
}

#[derive(JsonSchema)]
#[schemars(rename_all = "SCREAMING_SNAKE_CASE")]
enum AggregateFn {
    CountStar,
    Sum,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "UPPERCASE")]
enum HttpMethod {
    Get,
    Post,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum VectorProvider {
    Pinecone,
    Weaviate,
    Chroma,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct JoinColumns {
    left_column: NameSpec,
    right_column: NameSpec,
}

/// The number that is expected.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct NumberExpectation {
    op: NumberOp,
    value: NumberSpec,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum NumberOp {
    Eq,
    Gte,
    Lte,
}

/// A column that must have a value.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct EqualityPair {
    column: NameSpec,
    value: ScalarSpec,
}

/// A column of one side of a join that must have a value.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct SidedPair {
    table_side: TableSide,
    column: NameSpec,
    value: ScalarSpec,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum TableSide {
    Left,
    Right,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct HttpAssertion {
    #[schemars(length(min = 1))]
    json_pointer: String,
    value: ScalarSpec,
}

/// A text, or a pointer to it.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum NameSpec {
    Const(ConstName),
    Pointer(PointerSpec),
    Result(ResultSpec),
    Each(EachSpec),
}

/// A scalar, or a pointer to it.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum ScalarSpec {
    Const(ConstScalar),
    Pointer(PointerSpec),
    Result(ResultSpec),
    Each(EachSpec),
}

/// A number, or a pointer to it.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum NumberSpec {
    Const(ConstNumber),
    Pointer(PointerSpec),
    Result(ResultSpec),
    Each(EachSpec),
}

/// An object of columns and values, or one value for each column.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum FieldsSpec {
    Pointer(PointerSpec),
    Result(ResultSpec),
    Each(EachSpec),
    Listed(ListedFields),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ListedFields {
    /// The columns and their values.
    #[schemars(extend("minProperties" = 1))]
    fields: BTreeMap<String, ScalarSpec>,
}

/// An array of the parameters or of the result.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum ListSpec {
    Pointer(PointerSpec),
    Result(ResultSpec),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ConstName {
    #[schemars(rename = "const", length(min = 1))]
    value: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ConstScalar {
    #[schemars(rename = "const")]
    value: AnyScalar,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ConstNumber {
    #[schemars(rename = "const")]
    value: serde_json::Number,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum AnyScalar {
    String(String),
    Number(serde_json::Number),
    Boolean(bool),
    Null(()),
}

/// Where in the parameters something stands.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PointerSpec {
    /// A JSON pointer.
    #[schemars(extend("pattern" = "^/"))]
    pointer: String,
}

/// A place in the answer of the tool. Only agents' logs (`--log`) have answers.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ResultSpec {
    /// A JSON pointer; empty for the answer itself.
    #[schemars(extend("pattern" = "^(/|$)"))]
    result: String,
}

/// A place in the element of `forEach`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct EachSpec {
    /// A JSON pointer; empty for the element itself.
    #[schemars(extend("pattern" = "^(/|$)"))]
    each: String,
}
