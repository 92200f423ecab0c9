//! Validates documents against JSON Schemas.

use boon::{Compiler, Draft, SchemaIndex, Schemas};
use serde_json::Value;

const PLACE: &str = "https://crosscheck.invalid/schema.json";

/// A schema for documents; formats count.
pub struct Schema {
    schemas: Schemas,
    own: SchemaIndex,
}

impl Schema {
    /// A schema without references to others.
    pub fn new(schema: Value) -> Self {
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.set_default_draft(Draft::V2020_12);
        compiler.enable_format_assertions();
        compiler
            .add_resource(PLACE, schema)
            .expect("the schema has a place");
        let own = compiler
            .compile(PLACE, &mut schemas)
            .expect("the schema is one");
        Self { schemas, own }
    }

    /// Whether the document is valid.
    pub fn fits(&self, document: &Value) -> bool {
        self.schemas.validate(document, self.own).is_ok()
    }

    /// The errors of a document; empty if it is valid.
    pub fn problems(&self, document: &Value) -> Vec<String> {
        let answer = self.schemas.validate(document, self.own);
        answer.err().map_or_else(Vec::new, |error| {
            format!("{error:#}").lines().map(str::to_owned).collect()
        })
    }
}
