//! The golden files: each expression gives what PostgreSQL 18 gives.
//!
//! A file is a list of cases, an expression on one line and `=> answer` on the next; `set name = value` lines change the session's
//! settings from there on. `!> answer` is ours where it differs on purpose, and stands under PostgreSQL's with the reason in a comment.
//! `regenerate.py` beside the files asks a real server again.

use std::path::Path;

use evenkeel_types::{FormatOptions, parse_timezone};

use crate::eval::run;

fn set(o: &mut FormatOptions, name: &str, value: &str) {
    let value = value.trim().trim_matches('\'');
    match name.trim().to_lowercase().as_str() {
        "timezone" => {
            let (tz, shown) = parse_timezone(value).expect("a known zone");
            o.timezone = tz;
            o.timezone_name = shown.into();
        }
        "datestyle" => (o.datestyle, o.dateorder) = o.parse_datestyle(value).expect("a DateStyle"),
        "intervalstyle" => {
            o.intervalstyle = FormatOptions::parse_intervalstyle(value).expect("an IntervalStyle")
        }
        "extra_float_digits" => o.extra_float_digits = value.parse().expect("a number"),
        "bytea_output" => o.bytea_hex = value == "hex",
        other => panic!("unknown setting {other}"),
    }
}

fn check(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    // The transaction began on 2024-07-02.
    let mut o = FormatOptions { now_us: Some(773_193_600_000_000), ..FormatOptions::default() };
    let mut failures = Vec::new();
    let (mut cases, mut pending): (usize, Option<(&str, &str)>) = (0, None);
    let mut judge = |case: Option<(&str, &str)>, o: &FormatOptions| {
        let Some((sql, want)) = case else { return };
        let got = run(sql, o).replace('\n', "\\n");
        if got != want {
            failures.push(format!("  {sql}\n    want {want}\n    got  {got}"));
        }
    };
    let mut expression = "";
    for line in text.lines() {
        if let Some(want) = line.strip_prefix("=> ") {
            pending = Some((expression, want));
            cases += 1;
        } else if let Some(ours) = line.strip_prefix("!> ") {
            pending = pending.map(|(sql, _)| (sql, ours));
        } else if !line.is_empty() && !line.starts_with('#') {
            judge(pending.take(), &o);
            match line.strip_prefix("set ").and_then(|s| s.split_once('=')) {
                Some((name, value)) => set(&mut o, name, value),
                None => expression = line,
            }
        }
    }
    judge(pending.take(), &o);
    assert!(cases > 0, "{file} has no cases");
    assert!(
        failures.is_empty(),
        "{file}: {} of {cases} cases differ\n{}",
        failures.len(),
        failures.join("\n")
    );
}

macro_rules! golden {
    ($($name:ident $file:literal;)*) => {
        $(#[test]
        fn $name() {
            check($file);
        })*

        #[test]
        fn every_golden_file_is_checked() {
            let listed = [$($file),*];
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
            for entry in std::fs::read_dir(folder).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                assert!(!name.ends_with(".txt") || listed.contains(&name.as_str()), "{name} is not checked");
            }
        }
    };
}

golden! {
    integers "integers.txt";
    numerics "numerics.txt";
    numeric_functions "numeric_functions.txt";
    floats "floats.txt";
    booleans_and_oids "booleans_and_oids.txt";
    log_places "log_places.txt";
    strings "strings.txt";
    patterns "patterns.txt";
    bytes "bytes.txt";
    dates "dates.txt";
    timestamps "timestamps.txt";
    time_zones "time_zones.txt";
    intervals "intervals.txt";
    date_functions "date_functions.txt";
    date_formats "date_formats.txt";
    number_formats "number_formats.txt";
    uuids "uuids.txt";
    json "json.txt";
    more_functions "more_functions.txt";
    addresses "addresses.txt";
    times "times.txt";
    arrays "arrays.txt";
    casts "casts.txt";
    resolution "resolution.txt";
    styles "styles.txt";
    aggregates "aggregates.txt";
}
