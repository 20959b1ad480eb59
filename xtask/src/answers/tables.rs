//! Random statements of JSON_TABLE – columns of every kind, nested paths, variables, what happens on nothing and on errors –, alone and beside other relations; and
//! of snapshots and 64-bit transaction ids, as far as their values are of what is written alone.
//!
//! Invariants: as of `grammar`.

use super::grammar::{Grammar, Statement};
use crate::pairs::statements::Random;

/// Types of columns, of those of `richer`, `composites` and `records`, too.
const TYPES: [&str; 24] = [
    "int",
    "int",
    "int",
    "text",
    "text",
    "text",
    "numeric(6,2)",
    "varchar(3)",
    "char(4)",
    "boolean",
    "date",
    "float8",
    "bigint",
    "int[]",
    "text[]",
    "json",
    "jsonb",
    "jsonb",
    "mood",
    "pt",
    "few",
    "dpt",
    "timestamp(0)",
    "bytea",
];
const DOCUMENTS: [&str; 14] = [
    "[]",
    "{}",
    "null",
    "7",
    "[1, 2, \"x\"]",
    "{\"a\": 1, \"b\": \"x\"}",
    "[{\"a\": 1, \"b\": [1, 2]}, {\"a\": 2, \"b\": []}, {\"b\": [3]}]",
    "[{\"a\": \"ok\", \"c\": {\"x\": 1, \"y\": 2}}, {\"a\": null, \"c\": {\"x\": 3}}]",
    "{\"a\": [{\"b\": 1, \"c\": [1, 2]}, {\"b\": 2, \"c\": [3]}, {\"b\": 3}]}",
    "{\"a\": [[1, 2], [3]], \"b\": [4, 5], \"c\": \"z\"}",
    "[{\"a\": \"2024-02-29\", \"b\": \"{1,2}\"}, {\"a\": true, \"b\": \"(1,2)\"}]",
    "[{\"a\": 12.349}, {\"a\": \"12\"}, {\"a\": 123456789012}, {\"a\": \"much\"}]",
    "[{\"a\": \"\\\"q\\\"\", \"b\": \"it's\"}, {\"a\": \"\\u00e9\"}]",
    "[{\"K\": 1, \"a\": {\"a\": {\"a\": 5}}}]",
];
const ROWS: [&str; 12] = [
    "$",
    "$",
    "$[*]",
    "$[*]",
    "$[*]",
    "$.a",
    "$.a[*]",
    "$.*",
    "$.**",
    "strict $[*]",
    "strict $.a",
    "$[*] ? (@.a > $x)",
];
const PATHS: [&str; 14] = [
    "$",
    "$.a",
    "$.a",
    "$.b",
    "$.c",
    "$.c.x",
    "$.b[*]",
    "$.b[0]",
    "$.*",
    "$.a.type()",
    "$.b.size()",
    "strict $.a",
    "$.a ? (@ == $x)",
    "$.a + $x",
];
const SNAPSHOTS: [&str; 9] =
    ["1:1:", "10:20:", "10:20:10", "10:20:10,14,15", "12:16:14,15", "1:3:1,2", "5:5:", "10:20:20", "3:2:"];
const IDS: [&str; 10] =
    ["0", "1", "10", "14", "19", "20", "4294967296", "18446744073709551615", "0x1f", "-1"];

/// What a column may do without a value, or with a wrong one.
fn behavior(r: &mut Random, is_default_possible: bool) -> String {
    let list =
        ["null", "error", "empty", "empty array", "empty object", "default '7'", "default 3", "default null"];
    r.pick(&list[..if is_default_possible { list.len() } else { 2 }]).to_owned()
}

impl Grammar<'_> {
    /// A statement of this file.
    pub fn tables(&mut self) -> Statement {
        let sql = match self.r.below(10) {
            0 | 1 => self.snapshots(),
            2..=5 => self.table_alone(),
            _ => self.table_beside(),
        };
        Statement { sql, changes: None }
    }

    /// The columns of a pattern; their names go to a list.
    fn table_columns(&mut self, depth: u64, names: &mut Vec<String>) -> String {
        let mut list = Vec::new();
        for _ in 0..1 + self.r.below(3) {
            let name = match self.r.below(60) {
                0 => "a".to_owned(),
                1 => "\"K\"".to_owned(),
                _ => format!("{}{}", self.r.pick(&["a", "b", "c"]), names.len()),
            };
            list.push(self.table_column(&name));
            names.push(name);
        }
        if depth < 3 && self.r.percent(if depth == 0 { 45 } else { 30 }) {
            for _ in 0..1 + self.r.below(2) {
                let path = self.word(&["$.b[*]", "$.b", "$.c[*]", "$.a[*]", "$[*]", "$.c", "strict $.b[*]"]);
                let (word, name) = (self.word(&["path ", ""]), self.path_name(20));
                list.push(format!(
                    "nested {word}'{path}'{name} columns ({})",
                    self.table_columns(depth + 1, names)
                ));
            }
        }
        list.join(", ")
    }

    fn path_name(&mut self, percent: u64) -> String {
        match self.r.percent(percent) {
            true => format!(" as p{}", self.r.below(40)),
            false => String::new(),
        }
    }

    fn table_column(&mut self, name: &str) -> String {
        if self.r.percent(10) {
            return format!("{name} for ordinality");
        }
        let (ty, path) = (self.word(&TYPES), self.word(&PATHS));
        let path = if self.r.percent(80) { format!(" path '{path}'") } else { String::new() };
        if self.r.percent(12) {
            let ty = self.word(&["boolean", "boolean", "int", "text", "jsonb", &ty]);
            let on = match self.r.percent(30) {
                true => format!(" {} on error", self.r.pick(&["true", "false", "unknown", "error"])),
                false => String::new(),
            };
            return format!("{name} {ty} exists{path}{on}");
        }
        let format = if self.r.percent(12) { " format json" } else { "" };
        let wrapper = self.word(&[
            "",
            "",
            "",
            "",
            "",
            " with wrapper",
            " with unconditional array wrapper",
            " with conditional wrapper",
            " without wrapper",
            " keep quotes",
            " omit quotes",
            " without wrapper omit quotes on scalar string",
            " with wrapper keep quotes",
        ]);
        let mut on = String::new();
        for which in ["empty", "error"] {
            if self.r.percent(18) {
                on += &format!(" {} on {which}", behavior(&mut self.r, true));
            }
        }
        format!("{name} {ty}{format}{path}{wrapper}{on}")
    }

    /// A call over some JSON, and the names of its columns.
    fn table_call(&mut self, json: &str) -> (String, Vec<String>) {
        let path = self.word(&ROWS);
        let name = self.path_name(15);
        let passing = match self.r.below(8) {
            0 => String::new(),
            1 => " passing 1 as x, 'ok' as y".to_owned(),
            2 => " passing '2'::jsonb as x".to_owned(),
            _ => " passing 1 as x".to_owned(),
        };
        let mut names = Vec::new();
        let columns = self.table_columns(0, &mut names);
        let on = match self.r.below(12) {
            0 | 1 => " error on error".to_owned(),
            2 => " empty on error".to_owned(),
            3 if self.r.percent(20) => format!(" {} on error", behavior(&mut self.r, false)),
            _ => String::new(),
        };
        (format!("json_table({json}, '{path}'{name}{passing} columns ({columns}){on})"), names)
    }

    fn table_alone(&mut self) -> String {
        let document = self.word(&DOCUMENTS).replace('\'', "''");
        let ty = self.word(&["::jsonb", "::jsonb", "::json", "", " format json", "::text"]);
        let (call, names) = self.table_call(&format!("'{document}'{ty}"));
        let column = names.first().cloned().unwrap_or_default();
        match self.r.below(6) {
            0 => format!("select count(*), count(j.{column}) from {call} j"),
            1 => format!("select {column} from {call} where {column} is not null"),
            2 => format!("select j, row_number() over () from {call} as j"),
            3 => format!("select x.* from {call} x ({}q)", "q, ".repeat(self.r.below(2) as usize)),
            _ => format!("select * from {call}"),
        }
    }

    fn table_beside(&mut self) -> String {
        let r = format!("r{}", self.r.below(2));
        let json = self.word(&[
            "r.j",
            "r.j",
            "jsonb_build_object('a', r.n, 'b', to_jsonb(r.q), 'c', r.s)",
            "jsonb_build_array(r.j, to_jsonb(r.w), r.n)",
            "to_jsonb(r)",
            "jsonb_build_object('a', jsonb_build_array(r.j), 'b', r.m)",
        ]);
        let (call, names) = self.table_call(&json);
        let column = names.last().cloned().unwrap_or_default();
        match self.r.below(6) {
            0 => format!("select r.id, j.* from {r} r left join {call} j on true"),
            1 => format!("select r.id, j.* from {r} r left join lateral {call} j on j.{column} is not null"),
            2 => format!("select r.id, (select count(j.{column}) from {call} j) from {r} r"),
            3 => format!(
                "select r.id from {r} r where exists (select from {call} j where j.{column} is not null)"
            ),
            4 => format!("select r.m, count(j.{column}) from {r} r, {call} j group by r.m"),
            _ => format!("select r.id, j.* from {r} r, {call} j"),
        }
    }

    /// Snapshots and ids that are written out.
    fn snapshots(&mut self) -> String {
        let snapshot = format!("'{}'::pg_snapshot", self.r.pick(&SNAPSHOTS));
        let (id, other) = (self.r.pick(&IDS), self.r.pick(&IDS));
        let (id, other) = (format!("'{id}'::xid8"), format!("'{other}'::xid8"));
        let op = self.word(&["=", "<>", "<", "<=", ">", ">="]);
        let ty = self.word(&["text", "xid", "bigint", "xid8[]"]);
        match self.r.below(14) {
            0 => format!("select pg_visible_in_snapshot({id}, {snapshot})"),
            1 => format!("select pg_snapshot_xmin({snapshot}), pg_snapshot_xmax({snapshot})"),
            2 => format!("select pg_snapshot_xip({snapshot}) order by 1"),
            3 => {
                format!("select x, pg_visible_in_snapshot(x, {snapshot}) from pg_snapshot_xip({snapshot}) x")
            }
            4 => format!("select {id} {op} {other}, {snapshot}"),
            5 => format!("select {id}::{ty}"),
            6 => {
                format!("select min(x), max(x), count(distinct x) from unnest(array[{id}, {other}, null]) x")
            }
            7 => format!("select x from (values ({id}), ({other}), (null)) v(x) order by x desc nulls last"),
            8 => format!("select {snapshot}::text, pg_typeof({snapshot}), {id} in ({other}, '10')"),
            9 => format!(
                "select txid_visible_in_snapshot({}, '{}')",
                self.r.below(25),
                self.r.pick(&SNAPSHOTS)
            ),
            10 => format!(
                "select txid_snapshot_xmin('{0}'), txid_snapshot_xmax('{0}')",
                self.r.pick(&SNAPSHOTS)
            ),
            11 => format!("select {snapshot} {op} {snapshot}"),
            12 => format!(
                "select array_agg(x order by x), {id} = any (array_agg(x)) from pg_snapshot_xip({snapshot}) x"
            ),
            _ => {
                let t = self.r.below(super::values::TABLES);
                format!(
                    "select i, pg_visible_in_snapshot(abs(i)::text::xid8, {snapshot}), ('x' || i)::xid8 from t{t} where i > 0 and {id} {op} i::text::xid8"
                )
            }
        }
    }
}
