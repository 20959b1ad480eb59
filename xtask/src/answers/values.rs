//! Types, their values, and the tables that random statements are about.
//!
//! Invariants
//! 1. Everything is drawn from the given numbers: a seed makes the same tables and values again.

use crate::pairs::statements::Random;

/// The types that expressions are made of, by OID and name.
pub const TYPES: [(u32, &str); 36] = [
    (16, "boolean"),
    (21, "smallint"),
    (23, "integer"),
    (20, "bigint"),
    (1700, "numeric"),
    (700, "real"),
    (701, "double precision"),
    (25, "text"),
    (1043, "varchar"),
    (1042, "char(4)"),
    (17, "bytea"),
    (1082, "date"),
    (1114, "timestamp"),
    (1184, "timestamptz"),
    (1186, "interval"),
    (1007, "integer[]"),
    (1016, "bigint[]"),
    (1231, "numeric[]"),
    (1009, "text[]"),
    (1005, "smallint[]"),
    (2950, "uuid"),
    (2951, "uuid[]"),
    (114, "json"),
    (3802, "jsonb"),
    (1083, "time"),
    (1266, "timetz"),
    (869, "inet"),
    (650, "cidr"),
    (829, "macaddr"),
    (774, "macaddr8"),
    (4072, "jsonpath"),
    (1560, "bit(4)"),
    (1562, "bit varying"),
    (790, "money"),
    (5069, "xid8"),
    (5038, "pg_snapshot"),
];

/// Columns of each table, behind `id`.
pub const COLUMNS: [(&str, u32, &str); 16] = [
    ("s", 21, "smallint"),
    ("i", 23, "integer"),
    ("b", 20, "bigint"),
    ("n", 1700, "numeric(8,2)"),
    ("f", 701, "double precision"),
    ("t", 25, "text"),
    ("v", 1043, "varchar(8)"),
    ("c", 1042, "char(4)"),
    ("o", 16, "boolean"),
    ("d", 1082, "date"),
    ("ts", 1114, "timestamp"),
    ("y", 1186, "interval"),
    ("a", 1007, "integer[]"),
    ("x", 1009, "text[]"),
    ("u", 2950, "uuid"),
    ("j", 3802, "jsonb"),
];

/// How many tables there are.
pub const TABLES: u64 = 4;

pub fn name_of(ty: u32) -> &'static str {
    TYPES.iter().find(|(oid, _)| *oid == ty).map_or("text", |(_, name)| name)
}

const WORDS: [&str; 14] = ["", "a", "b", "ab", "abc", "Ab", " a", "a ", "x%y", "1", "12,5", "zz", "é", "a_b"];
const INTERVALS: [&str; 8] =
    ["1 day", "2 hours", "-3 days", "1 mon", "1 year 2 mons", "00:00:01.5", "0", "36 hours"];

const UUIDS: [&str; 5] = [
    "00000000-0000-0000-0000-000000000000",
    "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12",
    "c232ab00-9414-11ec-b3c8-9f6bdeced846",
    "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
];

const JSON: [&str; 12] = [
    "{}",
    "[]",
    "null",
    "1",
    "\"a\"",
    "{\"a\": 1}",
    "{\"a\": {\"b\": [1, \"ab\", null]}, \"b\": 1.0}",
    "[1, \"a\", {\"a\": 2}]",
    "[\"a\", \"b\"]",
    "{\"a\": \"1\", \"ab\": null}",
    "true",
    "[[1, 2], [3]]",
];

/// What a path begins with, goes on with, and is within.
const PATH_BEGINS: [&str; 8] = ["$", "$", "$", "strict $", "$.**", "$[*]", "$.a", "($.a + 1)"];
const PATH_STEPS: [&str; 20] = [
    ".a",
    ".b",
    ".*",
    "[*]",
    "[0]",
    "[last]",
    "[0 to 1]",
    ".**{1 to 2}",
    ".size()",
    ".type()",
    ".double()",
    ".string()",
    ".keyvalue().key",
    ".abs()",
    ".integer()",
    ".boolean()",
    ".number()",
    ".decimal(4, 1)",
    ".datetime()",
    ".date()",
];
const PATH_CONDITIONS: [&str; 12] = [
    "@ == 1",
    "@ > 1",
    "@ != null",
    "@.a == \"1\"",
    "exists(@.b)",
    "!(@ == \"a\")",
    "(@ > \"1\") is unknown",
    "@ starts with \"a\"",
    "@ like_regex \"^a\" flag \"i\"",
    "@ == true || @ == 1.0",
    "@.a.b[*] == null",
    "@.a >= @.b && @.b <= 2",
];

/// A path into JSON.
pub fn path(r: &mut Random) -> String {
    let mut path = r.pick(&PATH_BEGINS).to_string();
    for _ in 0..r.below(4) {
        path += r.pick(&PATH_STEPS);
        if r.percent(25) {
            path += &format!(" ? ({})", r.pick(&PATH_CONDITIONS));
        }
    }
    match r.below(12) {
        0 => path + " == 1",
        1 => path + " > \"a\"",
        2 => path + " * 2",
        3 => format!("exists({})", path.replace("strict ", "")),
        _ => path,
    }
}

/// A value as a literal without its type.
fn plain(ty: u32, r: &mut Random) -> String {
    let small = |r: &mut Random| r.below(8) as i64 - 2;
    match ty {
        16 => r.pick(&["true", "false"]).into(),
        21 | 23 => small(r).to_string(),
        20 => {
            if r.percent(10) {
                "3000000000".into()
            } else {
                small(r).to_string()
            }
        }
        1700 => {
            let digits = ["0", "1", "1.0", "2.50", "-3.25", "7", "100.125", "0.01", "-2"];
            r.pick(&digits).into()
        }
        700 | 701 => r.pick(&["0", "1", "1.5", "-2.25", "3", "1e10", "0.5"]).into(),
        25 | 1043 => r.pick(&WORDS).into(),
        1042 => r.pick(&["", "a", "ab", "abcd", "zz", "1"]).into(),
        17 => r.pick(&["\\x", "\\x00", "\\x6162", "\\xff01"]).into(),
        1082 => format!("20{:02}-{:02}-{:02}", 18 + r.below(6), 1 + r.below(12), 1 + r.below(28)),
        1114 | 1184 => format!(
            "20{:02}-{:02}-{:02} {:02}:{:02}:{:02}",
            18 + r.below(6),
            1 + r.below(12),
            1 + r.below(28),
            r.below(24),
            r.below(60),
            r.below(60)
        ),
        869 => {
            r.pick(&["10.0.0.1", "10.0.0.0/8", "10.1.2.3/16", "::1", "fe80::1/64", "192.168.1.255"]).into()
        }
        650 => r.pick(&["10.0.0.0/8", "10.1.0.0/16", "0.0.0.0/0", "fe80::/64", "10.0.0.1/32"]).into(),
        829 => r.pick(&["08:00:2b:01:02:03", "08:00:2b:00:00:00", "ff:ff:ff:ff:ff:ff"]).into(),
        1083 => format!("{:02}:{:02}:{:02}", r.below(24), r.below(60), r.below(60)),
        1266 => format!("{:02}:{:02}:00{}", r.below(24), r.below(60), r.pick(&["+00", "-08", "+05:30"])),
        1186 => r.pick(&INTERVALS).into(),
        114 | 3802 => r.pick(&JSON).into(),
        774 => {
            r.pick(&["08:00:2b:01:02:03:04:05", "08:00:2b:ff:fe:00:00:01", "ff:ff:ff:ff:ff:ff:ff:ff"]).into()
        }
        4072 => path(r),
        1560 => r.pick(&["1010", "0000", "1111", "0011"]).into(),
        1562 => r.pick(&["", "1", "0", "1010", "110011001", "0011"]).into(),
        2950 => r.pick(&UUIDS).into(),
        790 => {
            let amounts =
                ["0", "1", "$2.50", "-1.00", "(3)", "100.125", "$1,000", "-.5-", "92233720368547758.07"];
            r.pick(&amounts).into()
        }
        5069 => r.pick(&["0", "1", "3", "12", "14", "4294967297", "18446744073709551615"]).into(),
        5038 => r.pick(&["1:1:", "10:20:", "10:20:10,14", "12:16:14,15", "3:5:4"]).into(),
        2951 => {
            let list: Vec<&str> = (0..r.below(4)).map(|_| r.pick(&UUIDS)).collect();
            format!("{{{}}}", list.join(","))
        }
        1007 | 1016 | 1231 | 1005 => {
            let list: Vec<String> = (0..r.below(4)).map(|_| small(r).to_string()).collect();
            format!("{{{}}}", list.join(","))
        }
        _ => {
            let list: Vec<&str> = (0..r.below(4)).map(|_| r.pick(&["a", "b", "ab", "zz", "1"])).collect();
            format!("{{{}}}", list.join(","))
        }
    }
}

/// A literal of a type; sometimes NULL.
pub fn literal(ty: u32, r: &mut Random) -> String {
    if r.percent(8) {
        return format!("null::{}", name_of(ty));
    }
    let text = plain(ty, r);
    match ty {
        16 | 23 | 1700 if !r.percent(20) => {
            if text.starts_with('-') {
                format!("({text})")
            } else {
                text
            }
        }
        _ => format!("'{}'::{}", text.replace('\'', "''"), name_of(ty)),
    }
}

/// Makes the tables anew: some keys and indexes among them, values that meet again and again, and NULLs.
pub fn schema(seed: u64) -> String {
    let mut r = Random::new(seed ^ 0x5EED);
    let mut sql = String::new();
    for n in 0..TABLES {
        sql += &format!("drop table if exists t{n}; create table t{n} (id int primary key");
        for (name, _, ty) in COLUMNS {
            sql += &format!(", {name} {ty}");
        }
        sql += "); ";
        for (name, ..) in COLUMNS.iter().filter(|_| r.percent(20)) {
            sql += &format!("create index on t{n} ({name}); ");
        }
        if r.percent(40) {
            sql += &format!("create index on t{n} (i, b); ");
        }
        for id in 0..3 + r.below(10) {
            sql += &format!("insert into t{n} values ({id}");
            for (_, ty, _) in COLUMNS {
                let value = if r.percent(18) { "null".into() } else { format!("'{}'", plain(ty, &mut r)) };
                sql += &format!(", {value}");
            }
            sql += "); ";
        }
    }
    sql
}
