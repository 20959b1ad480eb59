//! Paths as they are read and written.

use super::Path;

fn written(text: &str) -> String {
    let mut out = Vec::new();
    Path::parse(text).unwrap_or_else(|e| panic!("{text}: {e}")).write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn paths_are_written_as_postgresql_does() {
    for (text, expected) in [
        ("$", "$"),
        ("strict $.a . b[*]", "strict $.\"a\".\"b\"[*]"),
        ("lax $", "$"),
        ("$+1", "($ + 1)"),
        ("$--+1", "($ - -1)"),
        ("-$.a * 2 + 3 % 4", "(-$.\"a\" * 2 + 3 % 4)"),
        ("(1 + 2) * 3", "((1 + 2) * 3)"),
        ("1 - (2 - 3)", "(1 - (2 - 3))"),
        ("$.a[1, 2 to last, $.x]", "$.\"a\"[1,2 to last,$.\"x\"]"),
        (
            "$ ? (@.a == 1 || !(@.x >= 123) && exists (@.b))",
            "$?(@.\"a\" == 1 || !(@.\"x\" >= 123) && exists (@.\"b\"))",
        ),
        ("$ ? ((@ > 1) is unknown)", "$?((@ > 1) is unknown)"),
        ("$ ? (@ like_regex \"^a\" flag \"mi\")", "$?(@ like_regex \"^a\" flag \"im\")"),
        ("$ ? (@ starts with $x)", "$?(@ starts with $\"x\")"),
        ("$.**{2 to last}.**{last}.**", "$.**{2 to last}.**{last}.**"),
        ("(1.).e", "(1).\"e\""),
        ("1.e3.e4", "(1000).\"e4\""),
        ("0x1F + 1_000", "(31 + 1000)"),
        ("$.time(3).decimal(+4,-2).datetime(\"HH24\")", "$.time(3).decimal(4,-2).datetime(\"HH24\")"),
        ("\"\\b\\u0041\\x42\\u{43}\\ud83d\\ude00\"", "\"\\bABC😀\""),
    ] {
        assert_eq!(written(text), expected, "{text}");
    }
}

#[test]
fn what_is_stored_is_read_back() {
    for text in [
        "strict $.a[*] ? (@.b > 1 && !(@.c == \"x\")).d",
        "(!(1 == 1)).type()",
        "((1 == 1) is unknown).type()",
        "(exists ($)).type()",
        "$[(1 + 2).abs() to (-$.a).x]",
        "(1 == 2 || 2 == 3).type()",
        "(-(1).abs()).floor()",
        "(@)",
        "($ like_regex \"a\").type()",
    ] {
        let Ok(path) = Path::parse(text) else { continue };
        let stored = String::from_utf8(path.stored()).unwrap();
        let again = Path::parse(&stored).unwrap_or_else(|e| panic!("{stored}: {e}"));
        assert_eq!(stored.as_bytes(), again.stored(), "{text}");
    }
}

#[test]
fn hostile_texts_end_without_a_panic() {
    let deep = |before: &str, n: usize, within: &str, after: &str| {
        format!("{}{within}{}", before.repeat(n), after.repeat(n))
    };
    for text in [
        deep("(", 50_000, "$", ")"),
        deep("-", 50_000, "$", ""),
        deep("$[", 50_000, "0", "]"),
        deep("$?(@ == ", 50_000, "1", ")"),
        deep("!(", 50_000, "1 == 1", ")"),
        deep("", 1, "1", &" + 1".repeat(50_000)),
        deep("", 1, "1 == 1", &" && 1 == 1".repeat(50_000)),
    ] {
        let error = Path::parse(&text).expect_err("it is too deep");
        assert_eq!(error.code.as_str(), "54001", "{}", &text[..20]);
    }
    let pieces = [
        "$",
        "@",
        ".",
        "*",
        "**",
        "[",
        "]",
        "(",
        ")",
        "?",
        "{",
        "}",
        "1",
        "1e5",
        "0x",
        "last",
        "to",
        "\"a\"",
        "a",
        "&&",
        "||",
        "!",
        "==",
        "<",
        "+",
        "-",
        "/",
        "%",
        " ",
        "exists",
        "is unknown",
        "like_regex",
        "flag",
        "starts with",
        "strict ",
        "lax ",
        "\\",
        "\\u12",
        "\"",
        "$x",
        ",",
        "size()",
        "datetime(",
        "é",
        "/*",
        "*/",
        "_",
        "null",
        "true",
    ];
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..20_000 {
        let text: String = (0..rng.usize(1..12)).map(|_| pieces[rng.usize(0..pieces.len())]).collect();
        if let Ok(path) = Path::parse(&text) {
            let stored = String::from_utf8(path.stored()).unwrap();
            assert_eq!(Path::parse(&stored).map(|p| p.stored()).ok(), Some(stored.into_bytes()), "{text}");
        }
    }
}
