//! The JSON Schemas of the documents this crate writes and reads, as they are
//! published in `schemas`.

use schemars::Schema;
use schemars::generate::SchemaSettings;

use crate::check::schema::Schema as Contract;
use crate::read::contract::RawContract;

/// The file of `--write-report`.
pub fn quick_report() -> Schema {
    published(include_str!("../../../schemas/quick-report.schema.json"))
}

/// The line that `quick` and `check` print on standard output.
pub fn outcome_certificate() -> Schema {
    Contract::Certificate.whole()
}

/// The registry that `check` reads. `--export-registry` writes it, too, but
/// may have nothing to say, which cannot be replayed.
pub fn registry() -> Schema {
    Contract::ExtendedRegistry.whole()
}

/// One line of the file that `check` reads and `--emit-events` writes.
pub fn event() -> Schema {
    Contract::Event.whole()
}

/// The document of `rows --format json`.
pub fn rows_report() -> Schema {
    published(include_str!("../../../schemas/rows-report.schema.json"))
}

/// The contract that `rows` reads.
pub fn rows_contract() -> Schema {
    SchemaSettings::draft2020_12()
        .for_deserialize()
        .into_generator()
        .into_root_schema_for::<RawContract>()
}

/// A broken file would have no rules; a test reads both.
fn published(text: &str) -> Schema {
    serde_json::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crosscheck_core::files::read_limited;
    use serde_json::{Value, json};

    use super::*;
    use crate::check::schema::Schema as Reader;

    /// The registries of the contract cases, and each of them once for every
    /// kind that no case has.
    fn registries() -> Vec<Value> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/rows-check");
        let cases = std::fs::read_dir(folder).unwrap().flatten();
        let mut found: Vec<Value> = cases
            .filter_map(|case| read_limited(&case.path(), 1 << 20).ok())
            .filter_map(|case| serde_json::from_slice(&case).ok())
            .filter_map(|case: Value| Some(case.get("registry")?.clone()))
            .collect();
        let name = json!({"const": "x"});
        for verification in [
            json!({"kind": "vector_document", "provider": "chroma", "documentId": name, "indexName": name, "namespace": name, "host": name, "metadataEq": {"pointer": "/m"}, "expectPayloadSha256": name}),
            json!({"kind": "object_storage_object", "bucket": name, "key": name, "endpoint": name, "expectSizeBytes": {"const": 5}, "expectSha256": name, "expectEtag": name}),
            json!({"kind": "http_witness", "method": "POST", "url": name, "expectedStatus": {"pointer": "/s"}, "assertions": [{"jsonPointer": "/a", "value": {"const": null}}]}),
            json!({"kind": "mongo_document", "collection": name, "filterPointer": {"pointer": "/f"}, "requiredFields": {"pointer": "/r"}}),
        ] {
            found.push(json!([{"toolId": "t", "effectDescriptionTemplate": "", "releaseCritical": true, "verification": verification}]));
        }
        assert!(found.len() > 80, "{}", found.len());
        found
    }

    /// Registries that use our extensions.
    fn extended_registries() -> Vec<Value> {
        let name = json!({"const": "x"});
        let by = |value: Value| json!([{"column": name, "value": value}]);
        let entry = |verification: Value| json!([{"toolId": "t", "effectDescriptionTemplate": "", "verification": verification}]);
        vec![
            json!([{"toolId": "t", "reads": true}, {"toolId": "u", "effectDescriptionTemplate": "", "reads": true}]),
            entry(
                json!({"kind": "sql_row", "table": name, "identityEq": by(json!({"result": "/id"})),
                "requiredFields": {"fields": {"a": {"const": "x"}, "b": {"result": ""}, "c": {"pointer": "/c"}}}}),
            ),
            entry(
                json!({"kind": "sql_row", "table": name, "identityEq": by(json!({"each": "/id"})),
                "requiredFields": {"each": ""}, "forEach": {"result": "/items"}}),
            ),
            entry(json!({"kind": "sql_effects", "effects": [
                {"id": "a", "table": name, "identityEq": by(json!({"pointer": "/id"})), "requiredFields": {"result": "/a"}},
                {"id": "b", "table": name, "identityEq": by(json!({"each": ""})), "requiredFields": {"pointer": "/b"}, "forEach": {"pointer": "/l"}}]})),
            entry(json!({"kind": "sql_relational", "checks": [
                {"checkKind": "related_exists", "id": "r", "childTable": name, "matchEq": by(json!({"each": "/id"})), "forEach": {"pointer": "/l"}},
                {"checkKind": "aggregate", "id": "a", "table": name, "fn": "COUNT_STAR", "expect": {"op": "eq", "value": {"result": "/n"}}, "forEach": {"pointer": "/l"}}]})),
        ]
    }

    /// As the reader decides: by the contract, or by our schema where a
    /// registry uses our extensions.
    #[test]
    fn registries_with_extensions_are_read_and_unknown_names_refused() {
        let own = crosscheck_testkit::Schema::new(registry().to_value());
        let (plain, plain_at) = Reader::ToolsRegistry.compile().unwrap();
        let (extended, extended_at) = Reader::ExtendedRegistry.compile().unwrap();
        let mut refused = 0;
        for document in extended_registries() {
            assert!(own.fits(&document), "{document}");
            assert!(plain.validate(&document, plain_at).is_err(), "{document}");
            for variant in variants(&document) {
                let reads = extended.validate(&variant, extended_at).is_ok();
                assert_eq!(own.fits(&variant), reads, "{variant}");
                refused += usize::from(!reads);
                let text = variant.to_string();
                let unknown = text.replace("\"surplus\"", "\"forEach\"");
                if unknown != text {
                    let unknown: Value = serde_json::from_str(&unknown).unwrap();
                    assert!(!own.fits(&unknown), "{unknown}");
                }
            }
        }
        assert!(refused > 100, "{refused}");
    }

    /// Every place of a document.
    fn places(value: &Value, at: &str, found: &mut Vec<String>) {
        found.push(at.to_owned());
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    places(value, &format!("{at}/{key}"), found);
                }
            }
            Value::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    places(value, &format!("{at}/{index}"), found);
                }
            }
            _ => {}
        }
    }

    /// The document with one thing changed at each place.
    fn variants(document: &Value) -> Vec<Value> {
        let (mut found, mut all) = (vec![document.clone()], Vec::new());
        places(document, "", &mut all);
        for place in all {
            for other in [
                json!(null),
                json!(""),
                json!("x"),
                json!(1.5),
                json!(true),
                json!([]),
                json!({}),
                json!({"pointer": "x"}),
            ] {
                let mut changed = document.clone();
                *changed.pointer_mut(&place).unwrap() = other;
                found.push(changed);
            }
            let mut changed = document.clone();
            if let Some(Value::Object(members)) = changed.pointer_mut(&place) {
                members.insert("surplus".to_owned(), json!(1));
                found.push(changed);
            }
            let (parent, key) = place.rsplit_once('/').unwrap_or_default();
            let mut changed = document.clone();
            if let Some(Value::Object(members)) = changed.pointer_mut(parent) {
                members.remove(key);
                found.push(changed);
            }
        }
        found
    }

    #[test]
    fn the_schema_of_a_registry_fits_exactly_what_the_reader_takes() {
        let own = crosscheck_testkit::Schema::new(registry().to_value());
        let (schemas, reader) = Reader::ToolsRegistry.compile().unwrap();
        let (mut taken, mut refused) = (0, 0);
        for document in registries().iter().flat_map(variants) {
            let reads = schemas.validate(&document, reader).is_ok();
            assert_eq!(own.fits(&document), reads, "{document}");
            if reads {
                taken += 1;
            } else {
                refused += 1;
            }
        }
        assert!(taken > 1000 && refused > 1000, "{taken} {refused}");
    }
}
