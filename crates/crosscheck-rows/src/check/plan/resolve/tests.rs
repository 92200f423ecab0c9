use crosscheck_core::json::Scalar;

use super::values::counting;
use super::*;
use crosscheck_core::json::Json;

fn entry() -> RowSpec {
    let pair = |column: &str, pointer: &str| PairSpec {
        column: Spec::Const(column.into()),
        value: Spec::Pointer(pointer.into()),
    };
    RowSpec {
        table: Spec::Const("t".into()),
        identity: vec![pair("z", "/id"), pair("a", "/line")],
        fields: "/fields".into(),
    }
}

fn place(params: Node<'_>) -> Place<'_> {
    Place {
        params,
        within: None,
    }
}

#[test]
fn a_call_like_the_one_before_is_resolved_as_if_it_were_the_first() {
    let spec = entry();
    let mut shapes = Shapes::default();
    let calls = [
        r#"{"id":"x","line":1,"fields":{"name":"n","amount":2,"b":null}}"#,
        r#"{"id":7,"line":"y","fields":{"name":true,"amount":"3","b":0}}"#,
        r#"{"id":"x","line":1,"fields":{"amount":2,"name":"n","b":null}}"#,
        r#"{"id":"x","line":1,"fields":{"name":"n","amount":2}}"#,
        r#"{"id":"x","line":1,"fields":{"name":"n","amount":2,"b":1,"c":1}}"#,
        r#"{"id":"x","line":1,"fields":{"name":"n","amount":2,"name":3}}"#,
        r#"{"id":"x","line":1,"fields":{"name":"n","amount":2,"no name":3}}"#,
        r#"{"id":"x","line":1,"fields":{"name":"n","amount":[],"b":[]}}"#,
        r#"{"id":null,"line":1,"fields":{"name":"n","amount":2,"b":null}}"#,
        r#"{"id":"x","line":{},"fields":{"name":"n","amount":2,"b":null}}"#,
        r#"{"id":"x","line":1,"fields":null}"#,
        r#"{"id":"x","line":1,"fields":{}}"#,
        r#"{"id":"x","line":false,"fields":{}}"#,
    ];
    for first in calls {
        for call in calls {
            let resolve = |text: &str, shapes: &mut Shapes| {
                let json = Json::parse(text).unwrap();
                format!("{:?}", place(json.root()).row(&spec, shapes))
            };
            resolve(first, &mut shapes);
            let after = resolve(call, &mut shapes);
            assert_eq!(
                after,
                resolve(call, &mut Shapes::default()),
                "{first} {call}"
            );
        }
    }
}

fn row_of(fields: &str) -> RowRequest {
    let json = Json::parse(&format!("{{\"id\":1,\"line\":2,\"fields\":{fields}}}")).unwrap();
    place(json.root())
        .row(&entry(), &mut Shapes::default())
        .ok()
        .unwrap()
}

#[test]
fn a_repeated_field_counts_once_wherever_it_is() {
    let wanted = [Scalar::Number(1.0), Scalar::Number(2.0)];
    for fields in [
        r#"{"a":9,"a":1,"b":2}"#,
        r#"{"a":1,"b":9,"b":2}"#,
        r#"{"b":9,"a":1,"b":2}"#,
    ] {
        let request = row_of(fields);
        assert_eq!(request.shape.fields, ["a", "b"], "{fields}");
        assert_eq!(request.values, wanted, "{fields}");
    }
}

#[test]
fn twice_the_fields_take_twice_the_time() {
    let fields: Vec<String> = (0..100_000).map(|at| format!("\"k{at}\":{at}")).collect();
    let begun = std::time::Instant::now();
    let request = row_of(&format!("{{{}}}", fields.join(",")));
    assert_eq!(request.values.len(), fields.len());
    // comparing each with each would take a minute
    assert!(begun.elapsed() < std::time::Duration::from_secs(10));
}

#[test]
fn of_repeated_keys_the_last_value_counts_at_the_place_of_the_first() {
    for keys in [1, 3, 100] {
        let member = |at: usize| format!("\"k{}\":{at}", at % keys);
        let members: Vec<String> = (0..2 * keys).map(member).collect();
        let json = Json::parse(&format!("{{{}}}", members.join(","))).unwrap();
        let kept: Vec<(String, Option<f64>)> = counting(json.root().as_object().unwrap())
            .into_iter()
            .map(|(key, value)| (key.to_string(), value.as_f64()))
            .collect();
        let number = |at: usize| f64::from(u32::try_from(at).unwrap());
        let expected: Vec<(String, Option<f64>)> = (0..keys)
            .map(|at| (format!("k{at}"), Some(number(at + keys))))
            .collect();
        assert_eq!(kept, expected);
    }
}
