use super::*;

const ROOM: u64 = 1024 * 1024;

fn lines(text: &str, query: &str) -> Vec<String> {
    let nodes = select(text.as_bytes(), query, ROOM).unwrap();
    nodes.iter().map(Selected::line).collect()
}

fn refusal(text: &str, query: &str) -> Option<NoNodes> {
    select(text.as_bytes(), query, ROOM).err()
}

#[test]
fn queries_that_rfc_9535_forbids_are_refused() {
    let text = r#"{"a":{"x":2},"a b":{"z":7}}"#;
    let table = [
        "$.a x",
        "$.a b",
        "$.zz yy",
        "$.a b c",
        "$[?@.x in [1]]",
        "$.a[?count(@.*)]",
        "$.a[?value(@.x)]",
        "$.a[?length(@.x)]",
        "$.a[?length(@.*)==1]",
        "$.a[?match(@.*,\"x\")]",
        "$.a[?value(1)==1]",
        "$.a[?match(@.x,\"x\")==true]",
        "$.a[?@.*==1]",
        "$.a[?in(@.x,$.a)]",
        "$.a[01]",
        "$.a[-0]",
        "$.a[9007199254740992]",
        "$.1",
        "a",
        "",
        " $.a",
        "$.a ",
        "$[",
        "$['a",
    ];
    for query in table {
        assert_eq!(refusal(text, query), Some(NoNodes::BadQuery), "{query}");
    }
}

#[test]
fn queries_that_rfc_9535_allows_are_answered() {
    let text = r#"{"a":{"x":2},"a b":{"z":7},"l":["p","qq"],"n\u00a0m":1}"#;
    let table: &[(&str, &[&str])] = &[
        ("$.a.x", &["x = 2"]),
        ("$ .a", &["a = {\"x\":2}"]),
        ("$['a b'].z", &["z = 7"]),
        ("$.l[-1]", &["l = qq"]),
        ("$.l[?length(@)==1]", &["l = p"]),
        ("$.l[?match(@,\"q+\")]", &["l = qq"]),
        ("$[?count(@.*)==2]", &["l = [\"p\",\"qq\"]"]),
        ("$[?@.x==2]", &["a = {\"x\":2}"]),
        ("$.n\u{a0}m", &["n\u{a0}m = 1"]),
        ("$.none", &[]),
    ];
    for (query, expected) in table {
        assert_eq!(lines(text, query), *expected, "{query}");
    }
}

#[test]
fn numbers_keep_the_digits_of_the_file_and_members_their_order() {
    let text =
        r#"{"dec":1.50,"e":1e2,"huge":123456789012345678901234567890,"o":{"b":-0.0,"a":[1E+2]}}"#;
    let table = [
        ("$.dec", "dec = 1.50"),
        ("$.e", "e = 1e2"),
        ("$.huge", "huge = 123456789012345678901234567890"),
        ("$.o", "o = {\"b\":-0.0,\"a\":[1E+2]}"),
    ];
    for (query, expected) in table {
        assert_eq!(lines(text, query), [expected], "{query}");
    }
    let repeated = r#"{"a":{"x":1.0},"b":0,"a":{"x":2.0}}"#;
    assert_eq!(lines(repeated, "$.a.x"), ["x = 2.0"]);
}

#[test]
fn nodes_are_shown_with_their_last_name() {
    let text = r#"{"a":{"b":["x",{"c":1}],"d'\n":[[2]]}}"#;
    assert_eq!(lines(text, "$.a.b[*]"), ["b = x", "b = {\"c\":1}"]);
    assert_eq!(lines(text, r#"$.a["d'\n"][0][0]"#), ["d'\n = 2"]);
    assert_eq!(lines("[5]", "$[0]"), ["5"]);
}

#[test]
fn blanks_count_only_inside_strings() {
    let table = [
        ("{ \"a\" :\n [1 , 2] }", "{\"a\":[1,2]}"),
        ("\"a b\" : \"c \\\" d\"", "\"a b\":\"c \\\" d\""),
        ("\"\\\\\" , 1", "\"\\\\\",1"),
    ];
    for (text, expected) in table {
        assert_eq!(squeezed(text), expected);
    }
}

#[test]
fn json_lines_are_an_array() {
    let text = "{\"a\":1}\r\n\n{\"a\":2.0}\n";
    assert_eq!(lines(text, "$[*].a"), ["a = 1", "a = 2.0"]);
    assert_eq!(lines(text, "$"), ["[{\"a\":1},{\"a\":2.0}]"]);
    for text in ["nope", "", "1,2\n3", "[1\n2]x"] {
        assert_eq!(refusal(text, "$"), Some(NoNodes::NotJson), "{text}");
    }
}

#[test]
fn a_short_query_cannot_take_too_long() {
    let nest = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let wide = format!("[{}0]", "0,".repeat(100_000));
    let filters = |depth: usize| format!("${}@{}", "[?@".repeat(depth), "]".repeat(depth));
    let table = [
        (&nest, format!("${}", "[0,0]".repeat(40))),
        (&nest, "$..*..*..*..*..*..*".to_owned()),
        (&wide, "$[?$[?@==1]]".to_owned()),
        (&wide, format!("$[{}*]", "*,".repeat(500))),
        (&wide, "$[?match(@, 'a{9}{9}{9}')]".to_owned()),
        (&nest, filters(30)),
    ];
    for (text, query) in table {
        assert_eq!(refusal(text, &query), Some(NoNodes::TooLarge), "{query}");
    }
    // Filters nested as deep as allowed, well formed or not.
    let deepest = |inner: &str| format!("${}{inner}{}", "[?@".repeat(6), "]".repeat(6));
    assert_eq!(refusal(&nest, &deepest("")), None);
    assert_eq!(refusal(&nest, &deepest(" x")), Some(NoNodes::BadQuery));
    let calls = format!("$[?{}@{}]", "length(".repeat(90), ")".repeat(90));
    assert_eq!(refusal(&nest, &calls), Some(NoNodes::BadQuery));
    assert_eq!(select(wide.as_bytes(), "$", 1000), Err(NoNodes::TooLarge));
    assert_eq!(
        select(wide.as_bytes(), "$[*]", 1000),
        Err(NoNodes::TooLarge)
    );
}
