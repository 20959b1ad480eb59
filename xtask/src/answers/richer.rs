//! Random statements of what queries and changes have besides joins and groups: windows, recursion, GROUPING SETS, LATERAL, MERGE, changes in WITH; and of views, enums,
//! generated columns, inverted indexes, JSON and regular expressions, over tables of their own.
//!
//! Invariants: as of `grammar`.

use super::grammar::{Grammar, Statement};
use super::values::TABLES;
use crate::pairs::statements::Random;

/// Tables of this file.
const RICH: u64 = 2;
const MOODS: [&str; 4] = ["sad", "ok", "fine", "happy"];
const SENTENCES: [&str; 10] = [
    "",
    "foo bar",
    "Foo  baz",
    "a1b22c333",
    "2024-01-31",
    "x=1;y=22",
    "ABC abc",
    "aaa",
    "tab\there",
    "don't",
];
const PATTERNS: [&str; 18] = [
    "a",
    "[a-z]+",
    "\\d+",
    "(\\w)(\\w)",
    "^f",
    "o{2}",
    "\\s+",
    "b|z",
    "(a)(b)?",
    "[^a-c]",
    "a*",
    ".",
    "x*?y",
    "\\mb",
    "(?i)foo",
    "([0-9])\\1",
    "",
    "\\y",
];
const DOCUMENTS: [&str; 12] = [
    "{}",
    "{\"k\": 1}",
    "{\"k\": 2, \"l\": [1, 2, \"x\"]}",
    "{\"k\": null, \"m\": {\"k\": 1}}",
    "[1, 2, 3]",
    "[\"k\", \"x\"]",
    "[{\"k\": 1}, {\"k\": 2}]",
    "\"k\"",
    "7",
    "null",
    "{\"l\": [], \"m\": {}}",
    "{\"m\": {\"n\": {\"o\": \"deep\"}}}",
];

/// Makes the tables and views anew.
pub fn schema(seed: u64) -> String {
    let mut r = Random::new(seed ^ 0x51C4);
    let mut sql = String::new();
    for n in 0..RICH {
        sql += &format!("drop view if exists rv{n}; drop materialized view if exists rm{n}; ");
    }
    for n in 0..RICH {
        sql += &format!("drop table if exists r{n}; ");
    }
    sql += "drop type if exists mood; create type mood as enum ('sad', 'ok', 'happy'); alter type mood add value 'fine' before 'happy'; ";
    for n in 0..RICH {
        sql += &format!(
            "create table r{n} (id int primary key, m mood, ms mood[], j jsonb, w text[], q int[], n int, s text, \
             g int generated always as (n * 2 + 1) stored, vg int generated always as (n - id) virtual, vs text generated always as (upper(s)) virtual); "
        );
        for index in [
            "using gin (j)",
            "using gin (j jsonb_path_ops)",
            "using gin (w)",
            "using gin (q)",
            "(n) where m = 'ok'",
            "(lower(s))",
            "(m, n desc)",
            "using hash (s)",
            "(g) include (s)",
        ] {
            if r.percent(45) {
                sql += &format!("create index on r{n} {index}; ");
            }
        }
        for id in 0..4 + r.below(12) {
            sql += &format!(
                "insert into r{n} (id, m, ms, j, w, q, n, s) values ({id}, {}, {}, {}, {}, {}, {}, {}); ",
                nullable(&mut r, |r| format!("'{}'", r.pick(&MOODS))),
                nullable(&mut r, |r| format!("'{{{},{}}}'", r.pick(&MOODS), r.pick(&MOODS))),
                nullable(&mut r, |r| format!("'{}'", r.pick(&DOCUMENTS))),
                nullable(&mut r, texts),
                nullable(&mut r, numbers),
                nullable(&mut r, |r| r.below(9).to_string()),
                nullable(&mut r, |r| quoted(r.pick(&SENTENCES)))
            );
        }
        sql += &format!(
            "create view rv{n} as select id, m, n, g, vg, s, j from r{n} where n is null or n < 7; \
             create materialized view rm{n} as select m, count(*) as c, sum(g) as sg, max(s) as s from r{n} group by m; "
        );
    }
    sql
}

fn nullable(r: &mut Random, value: impl Fn(&mut Random) -> String) -> String {
    if r.percent(12) { "null".into() } else { value(r) }
}

fn quoted(s: &str) -> String {
    format!("'{}'", s.replace('\'', "''"))
}

fn texts(r: &mut Random) -> String {
    let list: Vec<&str> = (0..r.below(4)).map(|_| r.pick(&["x", "y", "z", "xy", "k"])).collect();
    format!("'{{{}}}'", list.join(","))
}

fn numbers(r: &mut Random) -> String {
    let list: Vec<String> = (0..r.below(4)).map(|_| r.below(6).to_string()).collect();
    format!("'{{{}}}'", list.join(","))
}

impl Grammar<'_> {
    /// A statement of this file.
    pub fn rich(&mut self) -> Statement {
        let plain = |sql| Statement { sql, changes: None };
        match self.r.below(59) {
            31..=37 => self.records(),
            38..=44 => self.ordered(),
            45..=51 => self.versions(),
            52..=58 => self.tables(),
            0..=5 => plain(self.window()),
            6 | 7 => plain(self.recursive()),
            8..=10 => plain(self.grouping_sets()),
            11 | 12 => plain(self.lateral()),
            13..=15 => plain(self.inverted()),
            16 | 17 => plain(self.json()),
            18..=20 => plain(self.regexp()),
            21 | 22 => plain(self.of_enums()),
            23 => plain(self.of_views()),
            24 | 25 => self.merge(),
            26 | 27 => self.changing_with(),
            28 => self.change_view(),
            _ => self.change_rich(),
        }
    }

    fn rich_table(&mut self) -> String {
        format!("r{}", self.r.below(RICH))
    }

    pub fn word(&mut self, of: &[&str]) -> String {
        self.r.pick(of).to_owned()
    }

    /// One bound of a frame; `offset`: how PRECEDING and FOLLOWING are counted.
    fn bound(&mut self, offset: &str, is_end: bool) -> String {
        match self.r.below(5) {
            0 => (if is_end { "unbounded following" } else { "unbounded preceding" }).into(),
            1 => "current row".into(),
            2 | 3 => format!("{} preceding", offset.replace('#', &self.r.below(3).to_string())),
            _ => format!("{} following", offset.replace('#', &self.r.below(3).to_string())),
        }
    }

    fn frame(&mut self, units: &str, offset: &str) -> String {
        let bounds = match self.r.below(8) {
            0 => "unbounded preceding".into(),
            1 => "current row".into(),
            2 => format!("{} preceding", offset.replace('#', "1")),
            _ => format!("between {} and {}", self.bound(offset, false), self.bound(offset, true)),
        };
        let exclude = self.word(&[
            "",
            "",
            "",
            " exclude current row",
            " exclude group",
            " exclude ties",
            " exclude no others",
        ]);
        format!(" {units} {bounds}{exclude}")
    }

    /// A call with a window whose value does not depend on the order of peers.
    fn window_call(&mut self) -> String {
        let partition = self.word(&[
            "",
            "",
            "partition by o ",
            "partition by i ",
            "partition by t, o ",
            "partition by b % 2 ",
        ]);
        let desc = self.word(&["", "", " desc", " desc nulls last", " nulls first"]);
        let column = self.word(&["i", "b", "n", "f", "s", "id"]);
        if self.r.percent(45) {
            // Every row has its own place.
            let key = self.word(&["i", "t", "d", "n", "o", "j"]);
            let order = format!("order by {key}{desc}, id");
            let call = match self.r.below(12) {
                0 => "row_number()".into(),
                1 => format!("ntile({})", 1 + self.r.below(4)),
                2 => format!("lag({column}, {})", self.r.below(3)),
                3 => format!("lead({column}, {}, {column})", self.r.below(3)),
                4 => format!("first_value({column})"),
                5 => format!("last_value({column})"),
                6 => format!("nth_value({column}, {})", 1 + self.r.below(3)),
                7 => format!("array_agg({column})"),
                8 => "string_agg(t, ',')".into(),
                9 => format!("sum({column})"),
                10 => format!("avg({column})"),
                _ => "jsonb_agg(i)".into(),
            };
            let units = self.word(&["rows", "groups"]);
            let frame = if self.r.percent(70) { self.frame(&units, "#") } else { String::new() };
            return format!("{call} over ({partition}{order}{frame})");
        }
        let call = match self.r.below(12) {
            0 => "rank()".into(),
            1 => "dense_rank()".into(),
            2 => "percent_rank()".into(),
            3 => "cume_dist()".into(),
            4 => "count(*)".into(),
            5 => format!("count({column})"),
            6 => format!("sum({column})"),
            7 => format!("min({column})"),
            8 => format!("max({column})"),
            9 => "bool_or(o)".into(),
            10 => format!("sum({column}) filter (where o)"),
            _ => "max(t)".into(),
        };
        let (key, offset) = [
            ("i", "#"),
            ("b", "#"),
            ("n", "#.5"),
            ("s", "#"),
            ("d", "'# days'"),
            ("ts", "'# mons'"),
            ("f", "#.25"),
            ("y", "'# days'"),
        ][self.r.below(8) as usize];
        let simple = self.word(&["", "nulls first", "desc"]);
        let order = format!("order by {key} {simple}");
        let frame = match self.r.below(4) {
            0 => String::new(),
            1 => self.frame("groups", "#"),
            _ => self.frame("range", offset),
        };
        format!("{call} over ({partition}{order}{frame})")
    }

    fn window(&mut self) -> String {
        let t = self.r.below(TABLES);
        let calls: Vec<String> = (0..1 + self.r.below(3)).map(|_| self.window_call()).collect();
        match self.r.below(8) {
            6 | 7 => self.cut_window(),
            0 => format!(
                "select * from (select id, row_number() over w as n, sum(i) over w as s from t{t} window w as (partition by o order by i, id)) q where n <= 2"
            ),
            1 => format!(
                "select i, count(*), sum(count(*)) over (order by i), rank() over (order by sum(b) desc nulls last) from t{t} group by i"
            ),
            2 => {
                let frame = self.frame("rows", "#");
                format!(
                    "select id, sum(b) over (w{frame}), first_value(id) over w from t{t} window w as (partition by o order by i, id)"
                )
            }
            _ => format!("select id, {} from t{t}", calls.join(", ")),
        }
    }

    /// The rows of a window in which a value that only grows is small enough.
    fn cut_window(&mut self) -> String {
        let t = self.r.below(TABLES);
        let is_total = self.r.percent(60);
        let order = match is_total {
            true => self.word(&["i, id", "b desc, id", "t nulls first, id", "id", "n desc nulls last, id"]),
            false => self.word(&["i", "o desc", "b % 3", "t nulls first"]),
        };
        let partition = self.word(&["", "", "partition by o ", "partition by i "]);
        let grows = match is_total {
            true => self.word(&["row_number()", "rank()", "dense_rank()", "count(*)", "count(i)"]),
            false => self.word(&["rank()", "dense_rank()", "count(*)", "count(i)"]),
        };
        let others: &[&str] = match is_total {
            true => {
                &["lead(id)", "lag(id)", "sum(b)", "last_value(id)", "first_value(i)", "count(*)", "ntile(3)"]
            }
            false => &["sum(b)", "count(*)", "max(id)", "percent_rank()", "rank()"],
        };
        let other = self.word(others);
        let frame = match self.r.below(3) {
            0 if is_total => self.frame("rows", "#"),
            _ => String::new(),
        };
        let op = self.word(&["<=", "<", "="]);
        let more = self.word(&["", "", " and id % 2 = 0", " or n is null", " and n > 1"]);
        let most = self.r.below(6);
        format!(
            "select * from (select id, {grows} over w as n, {other} over w as x from t{t} window w as ({partition}order by {order}{frame})) q where n {op} {most}{more}"
        )
    }

    fn recursive(&mut self) -> String {
        let (t, u) = (self.r.below(TABLES), self.r.below(TABLES));
        let all = self.word(&["all ", ""]);
        let most = 1 + self.r.below(4);
        match self.r.below(7) {
            0 => format!(
                "with recursive w (a, d) as (select i, 0 from t{t} union {all}select w.a + 1, d + 1 from w where d < {most}) select a, d, count(*) from w group by a, d"
            ),
            1 => format!(
                "with recursive w (id, i, d) as (select id, i, 0 from t{t} where id < 3 union {all}select u.id, u.i, d + 1 from w join t{u} u on u.id = w.i where d < {most}) select * from w"
            ),
            2 => format!(
                "with recursive w (id, path, d) as (select id, array[id], 0 from t{t} union all select u.id, path || u.id, d + 1 from w, t{u} u where u.id = (w.id + 1) % 5 and not u.id = any (path) and d < {most}) select * from w"
            ),
            3 => format!(
                "with recursive w (n) as (values (1) union {all}select n + 1 from w where n < {}) select sum(n), count(*), max(n) from w",
                5 + self.r.below(40)
            ),
            4 => format!(
                "with recursive w (id, i) as (select id, i from t{t} where id < 2 union all select u.id, u.i from w join t{u} u on u.i = w.id where u.id > w.id) \
                 search {} first by id set o cycle id set c using p select id, i, c from w",
                self.r.pick(&["depth", "breadth"])
            ),
            5 => format!(
                "select id, (with recursive w (n) as (select q.i union all select n + 1 from w where n < 5) select count(*) from w) from t{t} q"
            ),
            _ => format!(
                "with recursive a (x) as (select 1 union all select x + 1 from a where x < {most}), b (y) as (select x from a union {all}select y + 1 from b where y < 6) select y, count(*) from b, t{t} group by y"
            ),
        }
    }

    fn grouping_sets(&mut self) -> String {
        let t = self.r.below(TABLES);
        let keys = ["i", "o", "t", "b % 2", "(n > 1)", "v"];
        let (a, b, c) = (self.word(&keys), self.word(&keys), self.word(&keys));
        let sets = match self.r.below(8) {
            0 => format!("rollup ({a}, {b})"),
            1 => format!("cube ({a}, {b})"),
            2 => format!("grouping sets (({a}, {b}), ({c}), ())"),
            3 => format!("grouping sets (rollup ({a}, {b}), {c})"),
            4 => format!("{a}, rollup ({b}, {c})"),
            5 => format!("cube (({a}, {b}), {c})"),
            6 => format!("rollup ({a}), cube ({b})"),
            _ => format!("distinct rollup ({a}, {b}), rollup ({a}, {c})"),
        };
        let shown: Vec<String> =
            [&a, &b, &c].iter().filter(|k| sets.contains(k.as_str())).map(|k| (*k).clone()).collect();
        let grouping =
            if self.r.percent(60) { format!(", grouping({})", shown.join(", ")) } else { String::new() };
        let call = self.word(&[
            "count(*)",
            "sum(b)",
            "max(t)",
            "avg(n)",
            "count(distinct i)",
            "array_agg(id order by id)",
            "min(d)",
        ]);
        let having =
            self.word(&["", "", &format!(" having count(*) > 1 or grouping({a}) = 1"), " having max(i) > 0"]);
        format!("select {}, {call}{grouping} from t{t} group by {sets}{having}", shown.join(", "))
    }

    fn lateral(&mut self) -> String {
        let (t, u) = (self.r.below(TABLES), self.r.below(TABLES));
        let join = self.word(&["join", "left join", "cross join"]);
        let on = if join == "cross join" { "" } else { " on true" };
        let (table, most) = (self.rich_table(), 1 + self.r.below(3));
        match self.r.below(7) {
            0 => format!(
                "select a.id, l.* from t{t} a {join} lateral (select b.id, b.i from t{u} b where b.i <= a.i order by b.id limit {most}) l{on}"
            ),
            1 => format!("select a.id, g from t{t} a {join} lateral generate_series(0, a.i) g{on}"),
            2 => format!(
                "select a.id, l.c, l.m from t{t} a {join} lateral (select count(*) as c, max(b.t) as m from t{u} b where b.o = a.o) l{on}"
            ),
            3 => format!(
                "select a.id, x, n from t{t} a {join} lateral unnest(a.a) with ordinality l(x, n){on}"
            ),
            4 => format!(
                "select a.id, k, v from {table} a {join} lateral jsonb_each(case when jsonb_typeof(a.j) = 'object' then a.j end) l(k, v){on}"
            ),
            5 => format!(
                "select a.id, x from {table} a {join} lateral regexp_split_to_table(a.s, '\\s+') x{on}"
            ),
            _ => format!(
                "select a.id, l.x, m.y from t{t} a {join} lateral (select a.i + b.i as x from t{u} b where b.id < 3) l{on} left join lateral (select l.x * 2 as y where l.x > 1) m on true"
            ),
        }
    }

    fn of_index(&mut self) -> String {
        match self.r.below(15) {
            13 => format!("j @? '{}'", self.path()),
            14 => format!("j @@ '{}'", self.predicate()),
            0 | 1 => format!("j @> '{}'", self.r.pick(&DOCUMENTS)),
            2 => format!("j ? '{}'", self.r.pick(&["k", "x", "m", "zz"])),
            3 => format!("j ?| {}::text[]", texts(&mut self.r)),
            4 => format!("j ?& {}::text[]", texts(&mut self.r)),
            5 => format!("j <@ '{}'", self.r.pick(&DOCUMENTS)),
            6 => format!("w && {}", texts(&mut self.r)),
            7 => format!("w @> {}", texts(&mut self.r)),
            8 => format!("w <@ {}", texts(&mut self.r)),
            9 => format!("q {} {}", self.r.pick(&["&&", "@>", "<@", "="]), numbers(&mut self.r)),
            10 => format!("n = {} and m = 'ok'", self.r.below(9)),
            11 => format!(
                "lower(s) {} '{}'",
                self.r.pick(&["=", "<", ">"]),
                self.r.pick(&["foo bar", "abc abc", "aaa"])
            ),
            _ => format!("g = {}", 1 + 2 * self.r.below(9)),
        }
    }

    fn path(&mut self) -> String {
        let key = self.word(&["k", "l", "m", "x", "n"]);
        let value = self.word(&["1", "\"a\"", "null", "true", "2.0", "\"x\""]);
        match self.r.below(7) {
            0 => format!("$.{key}"),
            1 => format!("$.{key} ? (@ == {value})"),
            2 => format!("$[*] ? (@ == {value})"),
            3 => format!("$.** ? (@.{key} == {value} || @ == {value})"),
            4 => format!("$.m.n ? (@ > {value})"),
            5 => format!("strict $.{key}[*] ? (exists(@.{key}) && @.n == {value})"),
            _ => super::values::path(&mut self.r),
        }
    }

    fn predicate(&mut self) -> String {
        let key = self.word(&["k", "l", "m", "x", "n"]);
        let value = self.word(&["1", "\"a\"", "null", "true", "2.0", "\"x\""]);
        match self.r.below(5) {
            0 => format!("$.{key} == {value}"),
            1 => format!("$.{key} == {value} || $.l[*] == {value}"),
            2 => format!("{value} == $.m.{key} && exists($.{key})"),
            3 => format!("!($.{key} == {value})"),
            _ => format!("exists({})", self.path().replace("strict ", "")),
        }
    }

    fn inverted(&mut self) -> String {
        let table = self.rich_table();
        let (a, b) = (self.of_index(), self.of_index());
        let condition = match self.r.below(4) {
            0 => format!("{a} and {b}"),
            1 => format!("{a} or {b}"),
            2 => format!("not ({a})"),
            _ => a,
        };
        match self.r.below(4) {
            0 => format!("select count(*) from {table} where {condition}"),
            1 => format!(
                "select a.id, b.id from {table} a join r{} b on b.j @> a.j where a.id < 4",
                self.r.below(RICH)
            ),
            _ => format!("select id, g, vg, vs from {table} where {condition}"),
        }
    }

    fn json(&mut self) -> String {
        let table = self.rich_table();
        let (doc, key) = (self.word(&DOCUMENTS), self.word(&["k", "l", "m", "0", "1", "-1", "zz"]));
        let path = self.word(&["{k}", "{l,0}", "{m,n}", "{0}", "{}", "{m,n,o}", "{l,-1}", "{0,k}"]);
        let found = self.path();
        let value = match self.r.below(33) {
            30 => format!(
                "json_value(coalesce(j, '[]'), '{found}' returning {})",
                self.word(&[
                    "int",
                    "text",
                    "numeric default 7 on error",
                    "bool",
                    "text default 'none' on empty"
                ])
            ),
            31 => format!(
                "json_query(coalesce(j, '[]'), '{found}' {})",
                self.word(&[
                    "",
                    "with wrapper",
                    "with conditional wrapper",
                    "returning text omit quotes",
                    "empty array on empty"
                ])
            ),
            32 => format!(
                "json_exists(coalesce(j, '[]'), '{found}' passing n as x {})",
                self.word(&["", "true on error", "unknown on error"])
            ),
            26 => format!("jsonb_path_query_array(j, '{found}', '{{}}', true)"),
            27 => format!("jsonb_path_query_first(j, '{found}', silent => true)"),
            28 => format!("jsonb_path_exists_tz(j, '{found}', silent => true)"),
            29 => format!("jsonb_path_match(j, '{found}', silent => true)"),
            0 => format!("j -> '{key}'"),
            1 => format!("j ->> '{key}'"),
            2 => format!("j #> '{path}'"),
            3 => format!("j #>> '{path}'"),
            4 => format!("j - '{key}'"),
            5 => format!("j #- '{path}'"),
            6 => format!("j || '{doc}'"),
            7 => format!("jsonb_set(j, '{path}', '{doc}', {})", self.r.pick(&["true", "false"])),
            8 => format!("jsonb_insert(j, '{path}', '{doc}', {})", self.r.pick(&["true", "false"])),
            9 => "jsonb_strip_nulls(j)".into(),
            10 => "jsonb_pretty(j)".into(),
            11 => "jsonb_typeof(j)".into(),
            12 => "to_jsonb(w)".into(),
            13 => "to_jsonb(m)".into(),
            14 => "jsonb_build_object('a', n, 'b', s, 'c', w, 'd', m)".into(),
            15 => "jsonb_build_array(n, m, j, q)".into(),
            16 => "jsonb_array_length(case when jsonb_typeof(j) = 'array' then j end)".into(),
            17 => "json_build_object('n', n, 's', s)::text".into(),
            18 => format!("j -> {}", self.r.below(4) as i64 - 1),
            19 => "to_json(s)".into(),
            20 => "row_to_json(r)".into(),
            21 => "jsonb_object(w)".into(),
            22 => format!("j @> '{doc}'"),
            23 => "jsonb_set_lax(j, '{k}', null, true, 'delete_key')".into(),
            24 => format!("jsonb_extract_path_text(j, '{key}')"),
            _ => "array_to_json(q)".into(),
        };
        match self.r.below(7) {
            0 => format!(
                "select id, k from {table}, jsonb_object_keys(case when jsonb_typeof(j) = 'object' then j end) k"
            ),
            1 => format!(
                "select id, e from {table}, jsonb_array_elements{}(case when jsonb_typeof(j) = 'array' then j end) e",
                self.r.pick(&["", "_text"])
            ),
            2 => format!(
                "select m, jsonb_agg({value} order by id), jsonb_object_agg(id, n) from {table} r group by m"
            ),
            3 => format!("select json_agg(s order by id), json_object_agg(id, m) from {table}"),
            _ => format!("select id, {value} from {table} r"),
        }
    }

    fn regexp(&mut self) -> String {
        let table = self.rich_table();
        let p = quoted(self.r.pick(&PATTERNS));
        let flags = self.word(&["", "g", "i", "gi", "x", "n"]);
        let (start, nth) = (1 + self.r.below(3), self.r.below(3));
        let sub = self.word(&["X", "[\\&]", "\\1\\2", "", "\\\\"]);
        let single = flags.replace('g', "");
        match self.r.below(16) {
            0 => format!("select id, regexp_replace(s, {p}, '{sub}', '{flags}') from {table}"),
            1 => format!("select id, regexp_replace(s, {p}, '{sub}') from {table}"),
            2 => {
                format!("select id, regexp_replace(s, {p}, '{sub}', {start}, {nth}, '{single}') from {table}")
            }
            3 => format!("select id, regexp_match(s, {p}, '{single}') from {table}"),
            4 => format!("select id, regexp_matches(s, {p}, '{flags}') from {table}"),
            5 => format!("select id, regexp_count(s, {p}, {start}, '{single}') from {table}"),
            6 => format!(
                "select id, regexp_instr(s, {p}, {start}, {}, {}) from {table}",
                nth.max(1),
                self.r.below(2)
            ),
            7 => {
                format!("select id, regexp_substr(s, {p}, {start}, {}, '{single}') from {table}", nth.max(1))
            }
            8 => format!("select id, regexp_like(s, {p}, '{single}') from {table}"),
            9 => format!("select id, regexp_split_to_array(s, {p}) from {table}"),
            10 => format!("select id, x from {table}, regexp_split_to_table(s, {p}, '{single}') x"),
            11 => format!("select id, substring(s from {p}) from {table}"),
            12 => format!("select id, s ~ {p}, s ~* {p}, s !~ {p} from {table}"),
            13 => format!(
                "select id, s similar to '{}' from {table}",
                self.r.pick(&["%o%", "(f|F)oo%", "[a-z]+", "_{3}", "a+b?%", "%(1|2)%"])
            ),
            14 => format!(
                "select id, substring(s similar '{}' escape '#') from {table}",
                self.r.pick(&["%#\"o_#\"%", "#\"f%#\" %", "%#\"[0-9]+#\"%"])
            ),
            _ => format!(
                "select id, regexp_count(s, {p}), regexp_instr(s, {p}), regexp_substr(s, {p}) from {table}"
            ),
        }
    }

    fn of_enums(&mut self) -> String {
        let table = self.rich_table();
        let (a, b) = (self.word(&MOODS), self.word(&MOODS));
        let op = self.word(&["=", "<>", "<", "<=", ">", ">="]);
        match self.r.below(16) {
            0 => format!("select id, m, m {op} '{a}' from {table}"),
            1 => format!("select m, count(*), min(m), max(m) from {table} group by m"),
            2 => format!("select id, m from {table} where m between '{a}' and '{b}'"),
            3 => format!(
                "select id, enum_range(m, '{a}'), enum_range('{a}', m), enum_first(m), enum_last(m) from {table}"
            ),
            4 => {
                format!("select id, m::text || '!', '{a}'::mood::text from {table} where m in ('{a}', '{b}')")
            }
            5 => format!(
                "select id, array_position(ms, '{a}'), ms || m, m = any (ms), ms @> array['{a}']::mood[] from {table}"
            ),
            6 => format!(
                "select a.id, b.id from {table} a join r{} b on a.m {op} b.m where a.id < 3",
                self.r.below(RICH)
            ),
            7 => {
                format!("select min(m), max(m), count(distinct m), array_agg(m order by m, id) from {table}")
            }
            8 => format!("select m from {table} union select '{a}'"),
            9 => format!(
                "select id, greatest(m, '{a}'), least(m, '{a}', '{b}'), coalesce(m, '{b}'), nullif(m, '{a}') from {table}"
            ),
            10 => format!("select id, s::mood from {table}"),
            11 => format!(
                "select id, case m when '{a}' then 1 when '{b}' then 2 end, m is distinct from '{a}' from {table}"
            ),
            12 => format!(
                "select id, m, rank() over (order by m), lag(m) over (order by m, id), first_value(m) over (partition by m order by id) from {table}"
            ),
            13 => format!("select id, unnest(ms) from {table}"),
            14 => "select unnest(enum_range(null::mood)), array_length(enum_range(null::mood), 1)".into(),
            _ => format!(
                "select distinct on (m) m, id from {table} order by m {}, id",
                self.r.pick(&["", "desc", "nulls first"])
            ),
        }
    }

    fn of_views(&mut self) -> String {
        let (v, t) = (self.r.below(RICH), self.rich_table());
        match self.r.below(6) {
            0 => format!("select * from rv{v} where g > {}", self.r.below(12)),
            1 => format!("select v.id, r.id, v.vg from rv{v} v left join {t} r on r.n = v.n and r.m = v.m"),
            2 => format!("select m, sum(vg), count(*) from rv{v} group by rollup (m)"),
            3 => format!("select * from rm{v} where c > {}", self.r.below(3)),
            4 => format!("select r.id, x.sg from {t} r join rm{v} x using (m)"),
            _ => format!(
                "select id from rv{v} where j @> '{}' and exists (select 1 from rm{v} x where x.m = rv{v}.m)",
                self.r.pick(&DOCUMENTS)
            ),
        }
    }

    fn merge(&mut self) -> Statement {
        let table = self.rich_table();
        let source = match self.r.below(4) {
            0 => format!("(select id, i as n, t as s from t{}) u", self.r.below(TABLES)),
            1 => format!("(select id + {} as id, n, s from r{}) u", self.r.below(4), self.r.below(RICH)),
            2 => format!("(values ({}, 5, 'new'), (100, null, 'far')) u(id, n, s)", self.r.below(9)),
            _ => format!("rv{} u", self.r.below(RICH)),
        };
        let mut clauses = String::new();
        for _ in 0..1 + self.r.below(3) {
            clauses += match self.r.below(8) {
                0 => " when matched and x.n > u.n then delete",
                1 => " when matched and u.n is null then do nothing",
                2 => " when matched and x.m = 'ok' then update set n = u.n, s = u.s || '+'",
                3 => " when not matched and u.id > 5 then insert (id, n, s) values (u.id, u.n, u.s)",
                4 => " when not matched and u.id > 8 then do nothing",
                5 => " when matched and x.id = 3 then update set m = default, ms = null, j = '{}'",
                6 => " when matched and x.vg > 2 then update set n = x.n + u.id",
                _ => {
                    " when not matched and u.n is not null then insert (id, n, m) values (u.id + 100, u.n, 'happy')"
                }
            };
        }
        clauses += self.r.pick(&[
            "",
            " when matched then update set n = x.n + 1",
            " when not matched then insert (id, s) values (u.id, u.s)",
        ]);
        let returning = self.word(&[
            "",
            " returning merge_action(), x.id, x.n, x.g, x.vg",
            " returning x.*",
            " returning u.id, x.m, old.n, new.n",
        ]);
        Statement {
            sql: format!("merge into {table} x using {source} on x.id = u.id{clauses}{returning}"),
            changes: Some(table),
        }
    }

    fn changing_with(&mut self) -> Statement {
        let (table, on, n) = (self.rich_table(), self.of_index(), self.r.below(9));
        let other = format!("r{}", self.r.below(RICH));
        let sql = match self.r.below(8) {
            0 => format!(
                "with d as (delete from {table} where {on} returning id, n, g) select count(*), sum(g), (select count(*) from {table}) from d"
            ),
            1 => format!(
                "with u as (update {table} set n = n + 1 where {on} returning id, n, g, vg) select u.*, r.n as before from u join {table} r using (id)"
            ),
            2 => format!(
                "with i as (insert into {table} (id, n, m) select id + 500, n, m from {other} where {on} returning *) select id, n, g, vg, vs from i"
            ),
            3 => format!(
                "with d as (delete from {table} where {on} returning *) insert into {table} (id, n, s, m) select id + 300, n, s, m from d returning id, g"
            ),
            4 => format!(
                "with a as (select id from {other} where {on}), u as (update {table} set s = 'w' where id in (select id from a) returning id) delete from {table} where id not in (select id from a) and id > {n} returning id"
            ),
            5 => format!(
                "with i as (insert into {table} (id, n) values ({n}, 1) on conflict (id) do update set n = excluded.n + 1 returning id, n, g) table i"
            ),
            6 => format!(
                "with recursive w (x) as (select 1 union all select x + 1 from w where x < 4) update {table} set n = x from w where id = x returning id, n, x"
            ),
            _ => format!(
                "with u as (update {table} set m = 'fine' where {on} returning m, id), v as (select m, count(*) as c from u group by m) select * from v"
            ),
        };
        Statement { sql, changes: Some(table) }
    }

    fn change_view(&mut self) -> Statement {
        let n = self.r.below(RICH);
        let (id, mood) = (self.r.below(12), self.word(&MOODS));
        let sql = match self.r.below(7) {
            0 => format!("update rv{n} set n = n + 1, s = 'view' where g > {id} returning id, n, g, vg"),
            1 => format!("delete from rv{n} where vg < {id} returning *"),
            2 => format!(
                "insert into rv{n} (id, m, n) values ({}, '{mood}', {id}) returning id, m, g",
                id + 600
            ),
            3 => format!(
                "update rv{n} v set m = t.m from r0 t where t.id = v.id and t.n = {id} returning v.id, v.m"
            ),
            4 => format!(
                "merge into rv{n} v using r1 t on v.id = t.id when matched and t.n > {id} then delete when matched then update set n = t.n when not matched then insert (id, n) values (t.id, t.n) returning merge_action(), v.id, v.g"
            ),
            5 => format!(
                "insert into rv{n} (id, n) values ({id}, 3) on conflict (id) do update set n = rv{n}.n + excluded.n returning id, n, g"
            ),
            _ => format!("update rv{n} set g = 5 where id = {id}"),
        };
        Statement { sql, changes: Some(format!("r{n}")) }
    }

    fn change_rich(&mut self) -> Statement {
        let (table, on) = (self.rich_table(), self.of_index());
        let mood = self.word(&MOODS);
        let sql = match self.r.below(11) {
            0 => format!(
                "update {table} set j = coalesce(j, '{{}}') || '{{\"k\": 9}}', w = w || 'new'::text where {on} returning id, j, w"
            ),
            1 => format!("update {table} set n = n * 2, m = '{mood}' where {on} returning id, g, vg, m"),
            2 => format!(
                "insert into {table} (id, n, m, s, g) values (900, 4, '{mood}', 'q', default) returning *"
            ),
            3 => format!("insert into {table} (id, g) values (901, 5)"),
            4 => format!("update {table} set g = 3 where {on}"),
            5 => format!(
                "delete from {table} where vg {} {} returning id, vs",
                self.r.pick(&["<", ">", "="]),
                self.r.below(5)
            ),
            6 => format!(
                "insert into {table} (id, n, s) values (1, 2, 'c'), (902, 3, 'd') on conflict (id) do update set s = {table}.s || excluded.s, n = excluded.n returning id, n, g, vs"
            ),
            7 => format!(
                "update {table} set (n, s) = (select i, t from t{} where id = {table}.id) where {on} returning id, n, g, vs",
                self.r.below(TABLES)
            ),
            8 => format!(
                "update {table} set q = q || 7, ms = ms || '{mood}'::mood from t{} t where t.id = {table}.id and {on} returning {table}.id, q, ms",
                self.r.below(TABLES)
            ),
            9 => format!("update {table} set n = id returning old.n, new.n, old.g, new.g, id"),
            _ => format!("insert into {table} (id, m) values (903, 'none of them')"),
        };
        Statement { sql, changes: Some(table) }
    }
}
