//! The table of comparisons, row by row.

use crosscheck_core::Json;

use super::*;

fn value(text: &str) -> Value {
    Value::of(
        Json::parse(text)
            .unwrap_or_else(|_| panic!("{text}"))
            .root(),
    )
}

fn text(text: &str) -> Cell {
    Cell::Text(text.into())
}

fn said(claim: &str, cell: &Cell) -> Comparison {
    compare(&value(claim), cell, Sides::default())
}

fn assert_table(table: &[(&str, Cell, Comparison)]) {
    for (claim, cell, expected) in table {
        assert_eq!(said(claim, cell), *expected, "{claim} against {cell:?}");
    }
}

#[test]
fn nothing_equals_nothing() {
    assert_table(&[
        ("null", Cell::Null, Equal("")),
        ("null", text(""), Equal("")),
        ("\"\"", Cell::Null, Equal("")),
        ("null", text("x"), Different(NULL)),
        ("\"\"", Cell::Number(0.0), Different(NULL)),
        ("\"x\"", Cell::Null, Different("")),
        ("0", Cell::Null, Different("")),
    ]);
}

#[test]
fn bytes_are_never_compared() {
    assert_table(&[
        ("\"x\"", Cell::Unreadable, Not("bytes")),
        ("null", Cell::Unreadable, Not("bytes")),
    ]);
}

#[test]
fn objects_must_be_inside_and_arrays_equal() {
    let deep = "[".repeat(5000) + &"]".repeat(5000);
    assert_table(&[
        (r#"{"a":1}"#, text(r#"{"a":1,"b":2}"#), Equal("json")),
        (r#"{"a":"1"}"#, text(r#"{"a":1}"#), Equal("json")),
        (
            r#"{"a":{"b":[1,2]}}"#,
            text(r#"{"a":{"b":[1,2],"c":0}}"#),
            Equal("json"),
        ),
        (r#"{"a":1}"#, text(r#"{"a":2}"#), Different("")),
        (r#"{"a":1}"#, text("[]"), Different("")),
        (r#"{"a":null}"#, text(r#"{"a":null}"#), Equal("json")),
        (
            r#"{"a":null,"b":"","c":[],"d":{}}"#,
            text("{}"),
            Equal("json"),
        ),
        (r#"{"a":null}"#, text(r#"{"a":1}"#), Not("partial")),
        (r#"{"a":"Germany"}"#, text(r#"{"a":"DE"}"#), Not("coded")),
        (
            r#"{"a":"Germany","b":1}"#,
            text(r#"{"a":"DE","b":2}"#),
            Different(""),
        ),
        ("[1,2]", text("[1,2]"), Equal("json")),
        ("[1]", text("[1,2]"), Not("partial")),
        ("[3]", text("[1,2]"), Different("")),
        (r#"["a","b"]"#, text("b, a"), Equal("list")),
        (
            r#"["a","b"]"#,
            Cell::Document("{a,b}".into()),
            Equal("list"),
        ),
        (r#"["a","b"]"#, text("b;a"), Equal("list")),
        (r#"["a","b"]"#, text("a|b"), Equal("list")),
        (r#"["a"]"#, text("a b"), Not("partial")),
        (r#"["a","b"]"#, text("a"), Not("partial")),
        (r#"["a"]"#, text("x7"), Not("list")),
        (r#"{"a":1}"#, text("words"), Not("no JSON")),
        (r#"{"a":1}"#, Cell::Number(1.0), Not("no JSON")),
        (&deep, text(&deep), Equal("json")),
        (
            "\"\\ud800\"",
            text("\u{fffd}"),
            Not("half of a surrogate pair"),
        ),
    ]);
}

#[test]
fn truth_has_many_spellings() {
    assert_table(&[
        ("true", Cell::Number(1.0), Equal("")),
        ("true", text("Yes"), Equal("")),
        ("false", text("f"), Equal("")),
        ("true", Cell::Bool(false), Different("")),
        ("false", Cell::Number(1.0), Different("")),
        ("true", text("active"), Not("no truth value")),
        ("1", Cell::Bool(true), Equal("")),
        ("\"no\"", Cell::Bool(true), Different("")),
        ("\"maybe\"", Cell::Bool(true), Not("no truth value")),
    ]);
    let price = |scale| Sides {
        holds: Holds::Number(scale),
        ..Sides::default()
    };
    for (sides, expected) in [
        (price(Some(0)), Equal("")),
        (price(Some(2)), Not("no truth value")),
        (price(None), Not("no truth value")),
    ] {
        let one = compare(&value("true"), &Cell::Number(1.0), sides);
        assert_eq!(one, expected, "{sides:?}");
    }
}

#[test]
fn numbers_are_compared_as_decimals() {
    assert_table(&[
        ("1.5", text("1.50"), Equal("")),
        ("\"1.50\"", Cell::Number(1.5), Equal("")),
        ("13.750000000000028", Cell::Number(13.75), Equal("")),
        ("7", Cell::Number(8.0), Different("")),
        ("4155550123", Cell::Number(4_155_550_124.0), Different("")),
        ("12", Cell::Number(1200.0), Not("factor 100")),
        ("1200", Cell::Number(12.0), Not("factor 100")),
        ("\"01234\"", text("1234"), Not("leading digits")),
        ("\"01234\"", Cell::Number(1234.0), Equal("")),
        (
            "\"+14155550123\"",
            text("4155550123"),
            Not("leading digits"),
        ),
        ("\"12\"", text("13"), Different("")),
    ]);
}

#[test]
fn money_may_be_in_its_small_unit() {
    let sides = |holds, column_is_minor, field_is_minor| Sides {
        holds,
        column_is_minor,
        field_is_minor,
        ..Sides::default()
    };
    let price =
        |claim: &str, cents: f64, sides: Sides| compare(&value(claim), &Cell::Number(cents), sides);
    let named = sides(Holds::Integer, true, false);
    assert_eq!(price("12.5", 1250.0, named), Equal("minor units"));
    assert_eq!(price("12", 1200.0, named), Equal("minor units"));
    assert_eq!(price("12", 12.0, named), Not("minor units"));
    assert_eq!(price("0", 0.0, named), Equal(""));
    assert_eq!(
        price("1250", 1250.0, sides(Holds::Integer, true, true)),
        Equal("")
    );
    assert_eq!(
        price("12.5", 1250.0, sides(Holds::Integer, false, false)),
        Equal("minor units")
    );
    assert_eq!(
        price("12.5", 1250.0, sides(Holds::Number(None), false, false)),
        Not("factor 100")
    );
    assert_eq!(
        price("12.345", 12.34, sides(Holds::Number(Some(2)), false, false)),
        Equal("rounded")
    );
    let single = sides(Holds::Single, false, false);
    assert_eq!(
        price("1234567.89", 1_234_567.9, single),
        Equal("single precision")
    );
    assert_eq!(price("1234567.19", 1_234_567.9, single), Different(""));
    assert_eq!(
        price(
            "1234567.89",
            1_234_567.9,
            sides(Holds::Number(None), false, false)
        ),
        Different("")
    );
}

#[test]
fn days_and_moments() {
    assert_table(&[
        ("\"2026-03-01\"", text("2026-03-01"), Equal("")),
        (
            "\"2026-03-01T23:00:00\"",
            text("2026-03-01"),
            Equal("date only"),
        ),
        ("\"2026-03-01\"", text("2026-03-02"), Different("")),
        (
            "\"2026-03-01T23:00:00Z\"",
            text("2026-03-02"),
            Not("time zone"),
        ),
        (
            "\"2026-03-01T10:00:00Z\"",
            text("2026-03-01T12:00:00+02:00"),
            Equal(""),
        ),
        (
            "\"2026-03-01T10:00:00.9Z\"",
            text("2026-03-01T10:00:00Z"),
            Equal(""),
        ),
        (
            "\"2026-03-01T10:00:00Z\"",
            text("2026-03-01 12:00:00"),
            Not("time zone"),
        ),
        (
            "\"2026-03-01T10:00:00Z\"",
            text("2026-03-01 12:07:00"),
            Different(""),
        ),
        (
            "\"2026-03-01T10:00:00Z\"",
            text("2026-03-01T11:00:00Z"),
            Different(""),
        ),
        (
            "\"2026-03-01T10:00:00Z\"",
            Cell::Number(1_772_359_200.0),
            Equal("epoch"),
        ),
        (
            "\"2026-03-01T10:00:00Z\"",
            Cell::Number(1_772_359_200_000.0),
            Equal("epoch"),
        ),
        (
            "\"2026-03-01T10:00:00Z\"",
            Cell::Number(1_772_359_201.0),
            Different("epoch"),
        ),
        (
            "\"2026-03-01T10:00:00Z\"",
            Cell::Number(20_260_301.0),
            Not("date form"),
        ),
        ("1772359200", text("2026-03-01T10:00:00Z"), Equal("epoch")),
        ("5", text("2026-03-01T10:00:00Z"), Not("date form")),
        ("\"2026-03-01\"", text("soon"), Not("no date")),
        ("\"March 1, 2026\"", text("2026-03-01"), Not("date form")),
        ("\"soon\"", text("2026-03-01"), Not("date form")),
    ]);
}

#[test]
fn a_column_that_is_made_for_moments_keeps_the_time() {
    let sides = Sides {
        has_time: true,
        ..Sides::default()
    };
    for (claim, literally, expected) in [
        ("\"2026-03-01T23:00:00\"", false, Not("day")),
        ("\"2026-03-01T23:00:00\"", true, Not("day")),
        ("\"2026-03-01T00:00:00\"", false, Equal("date only")),
        ("\"2026-03-01\"", false, Equal("")),
    ] {
        let sides = Sides { literally, ..sides };
        let said = compare(&value(claim), &text("2026-03-01"), sides);
        assert_eq!(said, expected, "{claim}");
    }
}

#[test]
fn an_answer_that_shows_a_part_is_not_another_one() {
    for (asked, returned, expected) in [
        ("\"4111111111111234\"", "\"**** 1234\"", Answered::Part),
        ("\"Ann Maria\"", "\"Ann\"", Answered::Part),
        ("\"active\"", "\"STATUS_ACTIVE\"", Answered::Other),
        (r#"["a"]"#, r#"["a","b"]"#, Answered::Other),
        (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, Answered::Same),
        (r#"{"a":1,"b":2}"#, r#"{"a":1}"#, Answered::Other),
        ("12.0", "12", Answered::Same),
        ("true", "\"yes\"", Answered::Same),
    ] {
        assert_eq!(
            answered(&value(asked), &value(returned)),
            expected,
            "{asked}"
        );
    }
}

#[test]
fn a_column_without_zone_says_so() {
    let cell = Cell::Moment("2026-03-01T12:00:00.000Z".into());
    let said = |zone| {
        let sides = Sides {
            holds: Holds::Moment(zone),
            ..Sides::default()
        };
        compare(&value("\"2026-03-01T10:00:00Z\""), &cell, sides)
    };
    assert_eq!(said(false), Not("time zone"));
    assert_eq!(said(true), Different(""));
}

#[test]
fn texts_beside_numbers_are_codes_or_amounts() {
    assert_table(&[
        ("12.5", text("$12.50"), Equal("currency")),
        ("1250", text("1,250 EUR"), Equal("currency")),
        ("12", text("$13"), Not("text for a number")),
        ("12", text("gold"), Not("coded")),
        ("\"gold\"", Cell::Number(3.0), Not("coded")),
    ]);
}

#[test]
fn texts_tolerate_what_people_write_otherwise() {
    let hash = "5f4dcc3b5aa765d61d8327deb882cf99";
    assert_table(&[
        ("\" OPEN \"", text("open"), Equal("case")),
        ("\"late.\"", text("late"), Equal("punctuation")),
        ("\"in-progress\"", text("In Progress"), Equal("punctuation")),
        ("\"cafe\u{301}\"", text("café"), Equal("")),
        ("\"open\"", text("closed"), Different("")),
        (
            "\"4111111111111111\"",
            text("************1111"),
            Not("masked"),
        ),
        ("\"a long tex\u{2026}\"", text("a long text"), Not("masked")),
        ("\"XXX-XX-6789\"", text("123-45-6789"), Not("masked")),
        ("\"XXX-XX-6780\"", text("123-45-6789"), Not("partial")),
        ("\"j**n@x.test\"", text("john@x.test"), Not("masked")),
        ("\"**bold** word\"", text("bold word"), Not("punctuation")),
        ("\"**** 1234\"", text("411111******1234"), Not("partial")),
        ("\"**** 1234\"", text("**** 9999"), Not("partial")),
        ("\"Cancelled\"", text("canceled"), Equal("case")),
        ("\"Germany\"", text("DE"), Not("coded")),
        ("\"female\"", text("f"), Not("coded")),
        ("\"open\"", text("open (renewed)"), Not("partial")),
        ("\"active\"", text("STATUS_ACTIVE"), Not("partial")),
        (
            "\"shop.example\"",
            text("https://shop.example"),
            Not("partial"),
        ),
        ("\"1.11.1.1\"", text("11.1.1.1"), Not("punctuation")),
        ("\"A+\"", text("A-"), Not("punctuation")),
        ("\"C++\"", text("C#"), Not("punctuation")),
        ("\"approved\"", text("!approved"), Not("punctuation")),
        ("\"✅ sent\"", text("❌ sent"), Not("punctuation")),
        ("\"sent ❌\"", text("sent"), Not("punctuation")),
        ("\"¬valid\"", text("valid"), Not("punctuation")),
        ("\"ab@x.test\"", text("a@bx.test"), Not("punctuation")),
        ("\"/a/bc\"", text("/ab/c"), Not("punctuation")),
        ("\"DE12 3456\"", text("DE123456"), Equal("punctuation")),
        ("\"Tom &amp; Co\"", text("Tom & Co"), Not("spelling")),
        ("\"<b>Hi</b> all\"", text("Hi all"), Not("spelling")),
        ("\"<b>Hi</b>\"", text("<i>Hi</i>"), Not("spelling")),
        ("\"R&D\"", text("sales"), Different("")),
        ("\"Koeln\"", text("Köln"), Not("spelling")),
        ("\"0151 234567\"", text("+49 151 234567"), Not("phone")),
        (
            "\"Long text\"",
            text("s3://bucket/7"),
            Not("stored elsewhere"),
        ),
        ("\"tomorrow\"", text("2026-03-01"), Not("date form")),
        ("\"2:30 PM\"", text("14:30:00"), Not("time form")),
        ("\"9:00\"", text("09:00:00"), Not("time form")),
        ("\"1h 30m\"", text("01:30:00"), Not("time form")),
        ("\"+49 30 123456\"", text("30-123456"), Not("phone")),
        ("\"secret\"", text(hash), Not("hashed")),
        (
            "\"a text that was cut at the end\"",
            text("a text that was cut a"),
            Not("cut"),
        ),
        ("\"!!!\"", text("x"), Different("")),
    ]);
}

#[test]
fn a_contract_is_meant_literally() {
    let sides = Sides {
        literally: true,
        ..Sides::default()
    };
    let said = |claim: &str, cell: Cell| compare(&value(claim), &cell, sides);
    assert_eq!(said("\"open\"", text("open (renewed)")), Different(""));
    assert_eq!(said("12", Cell::Number(1200.0)), Different(""));
    assert_eq!(said("\"OPEN\"", text("open")), Equal("case"));
    assert_eq!(said("\"gold\"", Cell::Number(3.0)), Not("coded"));
}

/// What is taken for equal at a glance is what the rules call equal.
#[test]
fn the_same_text_or_number_is_equal_by_every_rule() {
    let texts = [
        "x",
        "***",
        "0",
        "01",
        "+49 30 1",
        "2026-03-01",
        "2026-03-01T10:00:00Z",
        " a ",
        "€ 5",
    ];
    let numbers = [
        "0",
        "-0",
        "1",
        "1.0",
        "1.50",
        "13.750000000000",
        "1e3",
        "0.1",
        "123456789012345",
    ];
    let sides = Sides::default();
    for text in texts {
        let (claim, held) = (Value::Text(text.into()), Cell::Text(text.into()));
        assert!(is_just(&claim, &held), "{text}");
        assert_eq!(tolerant(&claim, &held, sides), Equal(""), "{text}");
    }
    for digits in numbers {
        let (claim, held) = (
            Value::Number(digits.into()),
            Cell::Number(digits.parse().unwrap()),
        );
        assert!(is_just(&claim, &held), "{digits}");
        assert_eq!(tolerant(&claim, &held, sides), Equal(""), "{digits}");
    }
}
