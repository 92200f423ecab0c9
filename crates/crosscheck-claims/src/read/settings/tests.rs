use super::*;

fn read(text: &str) -> (Settings, Vec<&'static str>) {
    let mut settings = Settings::default();
    let mut warnings = Warnings::default();
    apply(text, &mut settings, &mut warnings);
    let codes = warnings
        .into_list()
        .into_iter()
        .map(|one| one.code)
        .collect();
    (settings, codes)
}

#[test]
fn scalars_are_those_of_yaml_core() {
    for word in ["0b1", "0B1", "0X1", "0O1", "+0x1", "-0o0", "0_1"] {
        let (settings, codes) = read(&format!("---\nsample_rate: {{medium: {word}}}\n---\n"));
        assert_eq!(codes, ["settings_bad_value"], "{word}");
        assert_eq!(settings, Settings::default(), "{word}");
    }
    for word in ["+1", "1."] {
        let (settings, codes) = read(&format!("---\nsample_rate: {{medium: {word}}}\n---\n"));
        assert_eq!(codes, [""; 0], "{word}");
        assert_eq!(settings.rate(Risk::Medium).of(100), 100, "{word}");
    }
    for word in ["1_000", "0b1", "0x1_0", "+12_3", "0o8", "yes"] {
        let (settings, codes) = read(&format!("---\npersist: {{dir: {word}}}\n---\n"));
        assert_eq!(codes, [""; 0], "{word}");
        assert_eq!(settings.persist_dir, Path::new(word));
    }
    for word in [
        "1000", "0x1F", "0o17", "1e3", ".5", "-.INF", ".NaN", "TRUE", "null", "~", "[a]",
    ] {
        let (settings, codes) = read(&format!("---\npersist: {{dir: {word}}}\n---\n"));
        assert_eq!(codes, ["settings_bad_value"], "{word}");
        assert_eq!(settings, Settings::default(), "{word}");
    }
}

#[test]
fn the_project_may_raise_a_rate_and_never_lower_it() {
    for word in ["-0", "-0.0", "0", "0.01", "0.1499999"] {
        let (settings, codes) = read(&format!("---\nsample_rate: {{medium: {word}}}\n---\n"));
        assert_eq!(codes, ["setting_ignored"], "{word}");
        assert_eq!(settings, Settings::default(), "{word}");
    }
    let (settings, codes) = read("---\nsample_rate: {low: 0.05, medium: 0.16, high: 0.3}\n---\n");
    assert_eq!(codes, [""; 0]);
    assert_eq!(settings.rate(Risk::Medium).of(100), 16);
}

#[test]
fn only_true_and_false_are_booleans() {
    for word in ["no", "off", "No", "OFF", "n", "yes", "fAlse", "tRUE"] {
        let (settings, codes) = read(&format!("---\npersist: {{enabled: {word}}}\n---\n"));
        assert!(settings.persist, "{word}");
        assert_eq!(codes, ["settings_bad_value"], "{word}");
    }
    assert_eq!(read("---\nenabled: fALSE\n---\n").1, ["settings_bad_value"]);
    assert_eq!(read("---\nenabled: FALSE\n---\n").1, ["settings_disabled"]);
    let (settings, codes) = read("---\npersist: {enabled: False, dir: no}\n---\n");
    assert!(!settings.persist);
    assert_eq!(settings.persist_dir, PathBuf::from("no"));
    assert_eq!(codes, [""; 0]);
}

#[test]
fn an_invalid_number_affects_only_its_own_key() {
    for number in [".nan", ".inf", "-.inf", "1e400"] {
        let text =
            format!("---\nsample_rate: {{medium: {number}}}\npersist: {{enabled: false}}\n---\n");
        let (settings, codes) = read(&text);
        assert!(!settings.persist, "{number}");
        assert_eq!(codes, ["settings_bad_value"], "{number}");
    }
}

#[test]
fn rates_are_taken_from_their_decimal_text() {
    let (settings, codes) = read(
        "---\nsample_rate:\n  medium: 0.280000000000000000000000000000000001\n  high: +.5\n---\n",
    );
    assert_eq!(codes, [""; 0]);
    assert_eq!(settings.rate(Risk::Medium).of(25), 8);
    assert_eq!(settings.rate(Risk::High).of(4), 2);
    let (settings, codes) =
        read("---\nsample_rate: {medium: 1.00000000000000000000001, low: \"0.5\"}\n---\n");
    assert_eq!(codes, ["settings_bad_value", "settings_bad_value"]);
    assert_eq!(settings, Settings::default());
}

#[test]
fn rates_and_persistence_are_applied() {
    let (settings, codes) = read(
        "\u{FEFF}---\r\nenabled: true\r\nsample_rate: {low: 0.28, high: 1}\r\npersist:\r\n  dir: build/cf\r\n  enabled: false\r\nread_warn_bytes: 1\r\n---\r\n# text\r\n",
    );
    assert_eq!(codes, [""; 0]);
    assert_eq!(settings.rate(Risk::Low), &Rate::parse("0.28").unwrap());
    assert_eq!(settings.rate(Risk::Medium), &Rate::hundredths(15));
    assert_eq!(settings.rate(Risk::High), &Rate::parse("1").unwrap());
    assert!(!settings.persist);
    assert_eq!(settings.persist_dir, Path::new("build/cf"));
}

#[test]
fn every_error_is_a_warning_and_the_default_applies() {
    let table: &[(&str, &[&str])] = &[
        ("", &["settings_no_front_matter"]),
        ("# no\n---\n", &["settings_no_front_matter"]),
        ("---\nenabled: true\n", &["settings_no_front_matter"]),
        ("---\n[1, 2]\n---\n", &["settings_not_a_map"]),
        ("---\na: [\n---\n", &["settings_bad_yaml"]),
        ("---\nenabled: false\n---\n", &["settings_disabled"]),
        (
            "---\nenabled: \"no\"\nnew: 1\n---\n",
            &["settings_bad_value", "settings_unknown_key"],
        ),
        (
            "---\nsample_rate: {low: 2, medium: x, other: 1}\n---\n",
            &[
                "settings_bad_value",
                "settings_bad_value",
                "settings_unknown_key",
            ],
        ),
        (
            "---\npersist: {enabled: 3, dir: \"\", x: 1}\n---\n",
            &[
                "settings_bad_value",
                "settings_bad_value",
                "settings_unknown_key",
            ],
        ),
    ];
    for (text, expected) in table {
        let (settings, mut codes) = read(text);
        codes.sort_unstable();
        let mut wanted = expected.to_vec();
        wanted.sort_unstable();
        assert_eq!(codes, wanted, "{text}");
        assert_eq!(settings, Settings::default(), "{text}");
    }
}
