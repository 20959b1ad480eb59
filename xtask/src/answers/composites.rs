//! Random statements of composite types: fields, `.*`, rows, comparisons, arrays of them, keys, whole rows of tables, and what sets parts of columns.
//!
//! Invariants: as of `grammar`.

use super::grammar::{Grammar, Statement};
use crate::pairs::statements::Random;

/// Tables of this file.
const TABLES: u64 = 2;
/// Deepest expression.
const DEPTH: u32 = 3;

const BOOL: &str = "boolean";
const INT: &str = "int";
const TEXT: &str = "text";
const NUMERIC: &str = "numeric";
const INTS: &str = "int[]";
const PT: &str = "pt";
const PTS: &str = "pt[]";
const ITEM: &str = "item";
const ITEMS: &str = "item[]";
const DEEP: &str = "deep";
/// What is asked for most.
const ROWS: [&str; 5] = [PT, PTS, ITEM, ITEMS, DEEP];
const ALL: [&str; 9] = [INT, TEXT, NUMERIC, INTS, PT, PTS, ITEM, ITEMS, DEEP];

/// Parts of the columns of table `@`, by type.
const PARTS: [(&str, &[&str]); 10] = [
    (BOOL, &["(@.n > 1)", "(@.p is null)"]),
    (
        INT,
        &[
            "@.n",
            "@.id",
            "@.g",
            "(@.p).x",
            "(@.p).y",
            "(@.dp).x",
            "((@.i).p).y",
            "(@.i).p.x",
            "(@.i).nums[1]",
            "@.ps[1].x",
            "(@.ps[2]).y",
            "@.its[1].p.x",
            "(@.its)[1].p.y",
            "(@.d).m",
            "(@.d).i.p.x",
            "(@.d).ps[1].y",
            "((@.d).ps)[2].x",
            "(@).n",
            "(@).p.x",
        ],
    ),
    (
        TEXT,
        &["(@.i).name", "@.its[1].name", "(@.d).i.name", "@.p::text", "@.i::text", "@.ps::text", "@.d::text"],
    ),
    (NUMERIC, &["(@.i).qty", "(@.its[2]).qty", "((@.d).i).qty"]),
    (INTS, &["(@.i).nums", "(@.d).i.nums", "@.its[1].nums"]),
    (
        PT,
        &[
            "@.p",
            "@.p",
            "@.dp",
            "(@.i).p",
            "@.ps[1]",
            "@.ps[2]",
            "(@.d).ps[1]",
            "(@.d).i.p",
            "@.its[1].p",
            "(@).p",
        ],
    ),
    (PTS, &["@.ps", "@.ps", "(@.d).ps", "@.ps[1:2]", "(@.d).ps[2:]"]),
    (ITEM, &["@.i", "@.i", "(@.d).i", "@.its[1]", "@.its[2]"]),
    (ITEMS, &["@.its", "@.its[:1]"]),
    (DEEP, &["@.d"]),
];

/// What may be set, and of which type it is.
const TARGETS: [(&str, &str); 28] = [
    ("p", PT),
    ("p.x", INT),
    ("p.y", INT),
    ("i", ITEM),
    ("i.name", TEXT),
    ("i.qty", NUMERIC),
    ("i.p", PT),
    ("i.p.x", INT),
    ("i.nums", INTS),
    ("i.nums[2]", INT),
    ("ps", PTS),
    ("ps[1]", PT),
    ("ps[2].x", INT),
    ("ps[1].y", INT),
    ("ps[id]", PT),
    ("ps[1:2]", PTS),
    ("its[1]", ITEM),
    ("its[1].p.y", INT),
    ("its[2].nums[1]", INT),
    ("its[1].name", TEXT),
    ("d", DEEP),
    ("d.m", INT),
    ("d.i.p.x", INT),
    ("d.i.name", TEXT),
    ("d.ps[2]", PT),
    ("d.ps[1].x", INT),
    ("dp", PT),
    ("dp.x", INT),
];

const WORDS: [&str; 9] = ["", "a", "b", "Ab", "a b", "a,b", "q\"q", "(", "back\\slash"];

fn quoted(s: &str) -> String {
    format!("'{}'", s.replace('\'', "''"))
}

fn small(r: &mut Random) -> String {
    r.below(5).to_string()
}

/// Some of these are NULL.
fn or_null(r: &mut Random, value: impl FnOnce(&mut Random) -> String) -> String {
    if r.percent(12) { "null".into() } else { value(r) }
}

/// A constant.
fn constant(ty: &str, r: &mut Random) -> String {
    let list = |r: &mut Random, one: &str| -> String {
        let list: Vec<String> = (0..r.below(4)).map(|_| constant(one, r)).collect();
        format!("array[{}]::{one}[]", list.join(", "))
    };
    if r.percent(6) {
        return format!("null::{ty}");
    }
    match ty {
        BOOL => r.pick(&["true", "false"]).into(),
        INT => small(r),
        TEXT => quoted(r.pick(&WORDS)),
        NUMERIC => r.pick(&["0", "1.5", "2.00", "2.0", "7.25"]).into(),
        PT => match r.below(4) {
            0 => format!("'({},{})'::pt", small(r), small(r)),
            1 => format!("pt '( {} ,)'", small(r)),
            2 => format!("({}, {})::pt", small(r), or_null(r, small)),
            _ => format!("row({}, {})::pt", or_null(r, small), or_null(r, small)),
        },
        ITEM => {
            let word = or_null(r, |r| quoted(r.pick(&WORDS)));
            let (n, p) = (or_null(r, small), or_null(r, |r| constant(PT, r)));
            let nums = or_null(r, |r| constant(INTS, r));
            format!("row({word}, {n}, {p}, {nums})::item")
        }
        DEEP => {
            let (i, ps) = (or_null(r, |r| constant(ITEM, r)), or_null(r, |r| constant(PTS, r)));
            format!("row({i}, {ps}, {})::deep", or_null(r, small))
        }
        INTS => list(r, INT),
        PTS if r.percent(30) => r
            .pick(&["'{\"(1,2)\",NULL,\"(,3)\"}'::pt[]", "'{}'::pt[]", "'[0:1]={\"(0,0)\",\"(1,1)\"}'::pt[]"])
            .into(),
        PTS => list(r, PT),
        _ => list(r, ITEM),
    }
}

/// Makes types and tables anew.
pub fn schema(seed: u64) -> String {
    let mut r = Random::new(seed ^ 0xC0DE);
    let mut sql = String::from(
        "drop view if exists cv0; drop view if exists cv1; drop table if exists c0; drop table if exists c1; drop table if exists ck; \
         drop domain if exists dpt; drop type if exists deep; drop type if exists item; drop type if exists pt; \
         create type pt as (x int, y int); create type item as (name text, qty numeric(6,2), p pt, nums int[]); create type deep as (i item, ps pt[], m int); \
         create domain dpt as pt check ((value).x is null or (value).x < 1000); \
         create table ck (p pt primary key, v int); insert into ck select row(x, y)::pt, x * y from generate_series(0, 4) x, generate_series(0, 2) y; ",
    );
    for n in 0..TABLES {
        let key = if r.percent(25) { " references ck on delete cascade" } else { "" };
        sql += &format!(
            "create table c{n} (id int primary key, p pt, ps pt[], i item, its item[], d deep, n int, dp dpt default '(7,8)', k pt{key}, \
             g int generated always as ((p).x * 2) stored, check ((i).qty < 9000)); "
        );
        for index in [
            "(p)",
            "(((p).x))",
            "(((i).p))",
            "(((i).name)) include (p)",
            "(ps)",
            "using hash (p)",
            "(d, p desc)",
            "(n) where (p).x > 1",
            "using hash (i)",
            "(its)",
            "(id, (((i).p).y) desc nulls last)",
        ] {
            if r.percent(30) {
                sql += &format!("create index on c{n} {index}; ");
            }
        }
        for id in 0..3 + r.below(8) {
            let mut value = |ty: &str| or_null(&mut r, |r| constant(ty, r));
            let (p, ps, i) = (value(PT), value(PTS), value(ITEM));
            let (its, d, n_) = (value(ITEMS), value(DEEP), value(INT));
            sql += &format!(
                "insert into c{n} (id, p, ps, i, its, d, n, k) values ({id}, {p}, {ps}, {i}, {its}, {d}, {n_}, "
            );
            sql += &or_null(&mut r, |r| format!("row({}, {})::pt", r.below(5), r.below(3)));
            sql += "); ";
        }
        sql += &format!(
            "create view cv{n} as select id, p, (i).p as ip, ps, (d).i.name as dn, d, its from c{n} where (p).x is distinct from 4; "
        );
    }
    sql
}

impl Grammar<'_> {
    /// A statement of this file.
    pub fn composite(&mut self) -> Statement {
        let plain = |sql| Statement { sql, changes: None };
        match self.r.below(20) {
            0..=4 => plain(self.rows()),
            5..=7 => plain(self.rows_grouped()),
            8 | 9 => plain(self.rows_joined()),
            10 => plain(self.rows_as_sets()),
            11 | 12 => plain(self.whole_rows()),
            13 => plain(self.rows_windowed()),
            14 => plain(self.rows_as_json()),
            _ => self.change_parts(),
        }
    }

    fn any_row(&mut self) -> &'static str {
        let of: &[&'static str] = if self.r.percent(60) { &ROWS } else { &ALL };
        of[self.r.below(of.len() as u64) as usize]
    }

    fn part(&mut self, ty: &str, a: &str) -> String {
        let parts = PARTS.iter().find(|(t, _)| *t == ty).map_or(&["null"][..], |(_, parts)| *parts);
        self.r.pick(parts).replace('@', a)
    }

    /// An expression of a type, of a table that is called `a`.
    fn of(&mut self, ty: &str, a: &str, depth: u32) -> String {
        if depth >= DEPTH || self.r.percent(35) {
            return if self.r.percent(75) { self.part(ty, a) } else { constant(ty, &mut self.r) };
        }
        let d = depth + 1;
        match self.r.below(10) {
            0 => format!("coalesce({}, {})", self.of(ty, a, d), self.of(ty, a, d)),
            1 => format!(
                "case when {} then {} else {} end",
                self.holds(a, d),
                self.of(ty, a, d),
                self.of(ty, a, d)
            ),
            2 => format!("nullif({}, {})", self.of(ty, a, d), self.of(ty, a, d)),
            3 => {
                let word = self.r.pick(&["greatest", "least"]).to_owned();
                format!("{word}({}, {})", self.of(ty, a, d), self.of(ty, a, d))
            }
            4 => {
                let (t, part, id) = (self.r.below(TABLES), self.part(ty, "q"), self.r.below(9));
                match self.r.below(3) {
                    0 => format!("(select max({part}) from c{t} q where q.n = {a}.n)"),
                    _ => format!("(select {part} from c{t} q where q.id = {id})"),
                }
            }
            5 if ty != NUMERIC => format!("({})::text::{ty}", self.of(ty, a, d)),
            _ => self.made(ty, a, d),
        }
    }

    /// What makes a value of a type from others.
    fn made(&mut self, ty: &str, a: &str, d: u32) -> String {
        let n = self.r.below(4);
        match ty {
            BOOL => self.holds(a, d),
            INT => match self.r.below(7) {
                0 | 1 => format!("({}).{}", self.of(PT, a, d), self.r.pick(&["x", "y"])),
                2 => format!("({} + {})", self.of(INT, a, d), self.of(INT, a, d)),
                3 => format!("cardinality({})", self.of(PTS, a, d)),
                4 => format!("array_position({}, {})", self.of(PTS, a, d), self.of(PT, a, d)),
                5 => format!("({}).m", self.of(DEEP, a, d)),
                _ => format!("num_nulls({}, {})", self.of(PT, a, d), self.of(ITEM, a, d)),
            },
            TEXT => {
                let any = self.any_row();
                let e = self.of(any, a, d);
                match self.r.below(9) {
                    0 => format!("({}).name", self.of(ITEM, a, d)),
                    1 => format!("({e})::text"),
                    2 => format!("to_jsonb({e})::text"),
                    3 => format!("format('%s|%L', {e}, {})", self.of(PT, a, d)),
                    4 => format!("array_to_string({}, ';', '-')", self.of(PTS, a, d)),
                    5 => format!("concat({e}, {})", self.of(PT, a, d)),
                    6 => format!("pg_typeof({e})::text"),
                    7 => format!("(row({e}, {n}))::text"),
                    _ => format!("quote_nullable({e}::text)"),
                }
            }
            NUMERIC => match self.r.below(3) {
                0 => format!("({}).qty", self.of(ITEM, a, d)),
                1 => format!("({})::numeric", self.of(INT, a, d)),
                _ => format!("({} * 1.5)", self.of(NUMERIC, a, d)),
            },
            INTS => match self.r.below(4) {
                0 => format!("({}).nums", self.of(ITEM, a, d)),
                1 => format!("({} || {})", self.of(INTS, a, d), self.of(INT, a, d)),
                2 => format!("array(select (u).x from unnest({}) u order by 1)", self.of(PTS, a, d)),
                _ => format!("array[{}, {}]", self.of(INT, a, d), self.of(INT, a, d)),
            },
            PT => match self.r.below(8) {
                0 => format!("({}).p", self.of(ITEM, a, d)),
                1 => format!("({})[{n}]", self.of(PTS, a, d)),
                2 => format!("jsonb_populate_record({}, '{{\"x\": {n}}}')", self.of(PT, a, d)),
                3 => format!("jsonb_populate_record(null::pt, to_jsonb({}))", self.of(PT, a, d)),
                4 => format!("({}, {})::pt", self.of(INT, a, d), self.of(INT, a, d)),
                5 => format!("row({}, {})::pt", self.of(NUMERIC, a, d), self.of(INT, a, d)),
                6 => format!("({})::dpt", self.of(PT, a, d)),
                _ => format!("row({}, {})::pt", self.of(INT, a, d), self.of(INT, a, d)),
            },
            PTS => match self.r.below(10) {
                0 => format!("array[{}, {}]", self.of(PT, a, d), self.of(PT, a, d)),
                1 => format!("({} || {})", self.of(PTS, a, d), self.of(PT, a, d)),
                2 => format!("({} || {})", self.of(PTS, a, d), self.of(PTS, a, d)),
                3 => format!("({}).ps", self.of(DEEP, a, d)),
                4 => format!("array_remove({}, {})", self.of(PTS, a, d), self.of(PT, a, d)),
                5 => {
                    let (list, from) = (self.of(PTS, a, d), self.of(PT, a, d));
                    format!("array_replace({list}, {from}, {})", self.of(PT, a, d))
                }
                6 => format!(
                    "array(select {} from c{} q order by q.id)",
                    self.part(PT, "q"),
                    self.r.below(TABLES)
                ),
                7 => format!("({})[{n}:]", self.of(PTS, a, d)),
                8 => format!("array_reverse({})", self.of(PTS, a, d)),
                _ => format!("array_sort({})", self.of(PTS, a, d)),
            },
            ITEM => match self.r.below(5) {
                0 => format!("({})[{n}]", self.of(ITEMS, a, d)),
                1 => format!("({}).i", self.of(DEEP, a, d)),
                2 => format!(
                    "jsonb_populate_record({}, '{{\"qty\": \"{n}\", \"p\": {{\"y\": 2}}}}')",
                    self.of(ITEM, a, d)
                ),
                _ => {
                    let (name, qty) = (self.of(TEXT, a, d), self.of(NUMERIC, a, d));
                    format!("row({name}, {qty}, {}, {})::item", self.of(PT, a, d), self.of(INTS, a, d))
                }
            },
            ITEMS => match self.r.below(3) {
                0 => format!("array[{}, {}]", self.of(ITEM, a, d), self.of(ITEM, a, d)),
                1 => format!("({} || {})", self.of(ITEMS, a, d), self.of(ITEM, a, d)),
                _ => format!("({})[:{n}]", self.of(ITEMS, a, d)),
            },
            _ => {
                let (item, points) = (self.of(ITEM, a, d), self.of(PTS, a, d));
                format!("row({item}, {points}, {})::deep", self.of(INT, a, d))
            }
        }
    }

    /// A condition.
    fn holds(&mut self, a: &str, d: u32) -> String {
        if d > DEPTH {
            return self.part(BOOL, a);
        }
        let (ty, d) = (self.any_row(), d + 1);
        let op = self.r.pick(&["=", "=", "<>", "<", "<=", ">", ">="]).to_owned();
        let not = self.r.pick(&["", "not "]).to_owned();
        match self.r.below(15) {
            0..=2 => format!("({} {op} {})", self.of(ty, a, d), self.of(ty, a, d)),
            3 => format!("({} is {not}null)", self.of(ty, a, d)),
            4 => format!("({} is {not}distinct from {})", self.of(ty, a, d), self.of(ty, a, d)),
            5 => {
                let (x, one) = (self.of(ty, a, d), self.of(ty, a, d));
                format!("({x} {not}in ({one}, {}))", self.of(ty, a, d))
            }
            6 => {
                let (x, low) = (self.of(ty, a, d), self.of(ty, a, d));
                format!("({x} {not}between {low} and {})", self.of(ty, a, d))
            }
            7 => {
                let (left, other) = (self.of(ty, a, d), self.any_row());
                let left = format!("({left}, {})", self.of(other, a, d));
                format!("({left} {op} ({}, {}))", self.of(ty, a, d), self.of(other, a, d))
            }
            8 => {
                let (x, word) =
                    (self.part(ty, a), self.r.pick(&["in", "not in", "= any", "< all"]).to_owned());
                format!("({x} {word} (select {} from c{} q))", self.part(ty, "q"), self.r.below(TABLES))
            }
            9 => format!(
                "({} {op} {}({}))",
                self.of(PT, a, d),
                self.r.pick(&["any", "all"]).to_owned(),
                self.of(PTS, a, d)
            ),
            10 => {
                let word = self.r.pick(&["@>", "<@", "&&"]).to_owned();
                format!("({} {word} {})", self.of(PTS, a, d), self.of(PTS, a, d))
            }
            11 => {
                let word = self.r.pick(&["and", "or"]).to_owned();
                format!("({} {word} {})", self.holds(a, d), self.holds(a, d))
            }
            12 => format!("(not {})", self.holds(a, d)),
            13 => {
                let (x, y) = (self.of(INT, a, d), self.of(INT, a, d));
                format!("({} {op} row({x}, {y}))", self.of(PT, a, d))
            }
            _ => format!(
                "exists (select 1 from c{} q where {} = {})",
                self.r.below(TABLES),
                self.part(ty, "q"),
                self.of(ty, a, d)
            ),
        }
    }

    fn where_rows(&mut self, a: &str) -> String {
        if self.r.percent(50) { format!(" where {}", self.holds(a, 1)) } else { String::new() }
    }

    /// An expression of any type; rows are spread now and then.
    fn shown(&mut self, a: &str, may_spread: bool) -> String {
        let ty = self.any_row();
        let e = self.of(ty, a, 1);
        let spread = may_spread && [PT, ITEM, DEEP].contains(&ty) && self.r.percent(25);
        if spread { format!("({e}).*") } else { e }
    }

    fn rows(&mut self) -> String {
        let t = self.r.below(TABLES);
        let list: Vec<String> = (0..1 + self.r.below(3)).map(|_| self.shown("a", true)).collect();
        let condition = self.where_rows("a");
        match self.r.below(9) {
            0 => format!("select {}", constant(self.any_row(), &mut self.r)),
            1 => {
                let bad = [
                    "'(1)'::pt",
                    "'(1,2,3)'::pt",
                    "'1,2'::pt",
                    "'(a,1)'::pt",
                    "row(1)::pt",
                    "row(1,2,3)::pt",
                    "row('a', 1)::pt",
                    "(1, date '2020-01-01')::pt",
                    "'(1,2) x'::pt",
                    "'{(1,2)}'::pt[]",
                    "'(a,b,c,d)'::item",
                    "row(1, 2, 3, 4)::item",
                    "('(1,2)'::pt).z",
                    "(1).x",
                    "pt(1, 2)",
                    "row(5000, 0)::pt::dpt",
                    "'(5000,0)'::dpt",
                ];
                let bad = self.r.pick(&bad).to_owned();
                format!("select {bad}")
            }
            2 => {
                format!("select (q.e).* from (select {} as e from c{t} a{condition}) q", self.of(PT, "a", 1))
            }
            3 => format!("select (q.e).p.y, q.* from (select {} as e from c{t} a) q", self.of(ITEM, "a", 1)),
            4 => format!(
                "select * from cv{t} v where {}",
                self.r
                    .pick(&[
                        "(p).x > 1",
                        "ip = p",
                        "ip is null",
                        "(d).m = 1",
                        "p in (select p from ck)",
                        "ps[1].x = 2"
                    ])
                    .to_owned()
            ),
            5 => format!(
                "select id, {} from c{t} a{condition} order by {}, id limit {}",
                list[0].replace(".*", ""),
                self.shown("a", false),
                self.r.below(6)
            ),
            _ => format!("select id, {} from c{t} a{condition}", list.join(", ")),
        }
    }

    fn rows_grouped(&mut self) -> String {
        let t = self.r.below(TABLES);
        let (key, e, condition) = (self.shown("a", false), self.shown("a", false), self.where_rows("a"));
        let call = match self.r.below(9) {
            0 => "count(*)".into(),
            1 => format!("max({e})"),
            2 => format!("min({e})"),
            3 => format!("count(distinct {e})"),
            4 => format!("array_agg({e} order by {e}, id)"),
            5 => format!("jsonb_agg({e} order by id)"),
            6 => "array_agg(a.ps order by id) filter (where cardinality(a.ps) = 2)".into(),
            7 => format!("count({e}) filter (where {})", self.holds("a", 2)),
            _ => "sum((p).x), max((a.i).qty)".into(),
        };
        match self.r.below(7) {
            0 => format!("select distinct {e}, {key} from c{t} a{condition}"),
            1 => format!("select distinct on ({key}) {key}, id from c{t} a{condition} order by {key}, id"),
            2 => format!("select (p).x, (i).name, {call} from c{t} a{condition} group by (p).x, (i).name"),
            3 => format!("select p, (p).y, grouping(p, n), {call} from c{t} a group by rollup (p, n)"),
            4 => format!("select {call} from c{t} a{condition}"),
            5 => {
                format!("select {key} as key, {call} from c{t} a{condition} group by key having count(*) > 1")
            }
            _ => format!("select {key}, {call} from c{t} a{condition} group by 1"),
        }
    }

    fn rows_joined(&mut self) -> String {
        let (t, u) = (self.r.below(TABLES), self.r.below(TABLES));
        let ty = self.any_row();
        let kind = self.r.pick(&["join", "left join", "right join", "full join"]).to_owned();
        let on = format!("{} = {}", self.part(ty, "a"), self.part(ty, "b"));
        let (e, f) = (self.shown("a", true), self.shown("b", true));
        match self.r.below(9) {
            0 => format!("select a.id, p, b.id from c{t} a {kind} c{u} b using (p)"),
            1 => format!("select a.id, ck.v, {e} from c{t} a {kind} ck on a.k = ck.p"),
            2 => format!("select a.id, v, {e} from c{t} a join ck using (p)"),
            3 => format!("select a.id, q, q.x + 1, (q).y from c{t} a, unnest(a.ps) q"),
            4 => format!(
                "select a.id, x, y, n_ from c{t} a left join lateral unnest({}) with ordinality q(x, y, n_) on true",
                self.of(PTS, "a", 1)
            ),
            5 => format!(
                "select a.id, q.name, q.p.x from c{t} a, unnest({}) q where q.qty is distinct from 1.5",
                self.of(ITEMS, "a", 1)
            ),
            6 => format!(
                "select a.id, (q.p).x, q from c{t} a cross join lateral (select {} as p) q",
                self.of(PT, "a", 1)
            ),
            7 => format!("select a.id, b.id from c{t} a {kind} c{u} b on {on} and a.n = b.n"),
            _ => format!("select a.id, b.id, {e}, {f} from c{t} a {kind} c{u} b on {on}"),
        }
    }

    fn rows_as_sets(&mut self) -> String {
        let ty = self.any_row();
        let (t, u) = (self.r.below(TABLES), self.r.below(TABLES));
        let (a, b) = (self.of(ty, "a", 1), self.of(ty, "b", 1));
        let op = self
            .r
            .pick(&["union", "union all", "intersect", "except", "intersect all", "except all"])
            .to_owned();
        match self.r.below(5) {
            0 => format!("select a from c{t} a {op} select b from c{t} b where n > 1"),
            1 => format!(
                "with w as materialized (select {a} as e, id from c{t} a) select x.e, y.id from w x, w y where x.e = y.e"
            ),
            2 => format!(
                "with recursive w (p, k) as (select p, 0 from c{t} union all select row((w.p).x + 1, (w.p).y)::pt, k + 1 from w where k < 3) select p, k from w"
            ),
            3 => format!(
                "values ({}, row(1, 2)::pt), ({}, '(3,4)')",
                constant(ty, &mut self.r),
                constant(ty, &mut self.r)
            ),
            _ => format!("select {a} from c{t} a {op} select {b} from c{u} b"),
        }
    }

    fn whole_rows(&mut self) -> String {
        let (t, u) = (self.r.below(TABLES), self.r.below(TABLES));
        let op = self.r.pick(&["=", "<", ">=", "<>", "is distinct from"]).to_owned();
        let condition = self.where_rows("a");
        match self.r.below(13) {
            0 => format!("select a from c{t} a{condition}"),
            1 => format!("select a::text, (a).* from c{t} a{condition}"),
            2 => format!("select (a).p, (a).i.name, (a).d.ps[1].x from c{t} a{condition}"),
            3 => format!("select a.id from c{t} a, c{t} b where a {op} b and b.id = {}", self.r.below(5)),
            4 => format!(
                "select a is null, a is not null, b is null from c{t} a left join c{u} b on a.p = b.k"
            ),
            5 => format!("select row_to_json(a), to_jsonb(a) - 'ps' from c{t} a{condition}"),
            6 => format!(
                "select q, (q).e, q.f from (select id, {} as e, n as f from c{t} a) q",
                self.shown("a", false)
            ),
            7 => format!("select (a).*, {} from ck a where p in (select p from c{t})", self.r.below(9)),
            8 => format!("select count(a), count(distinct a), max(a.p) from c{t} a{condition}"),
            9 => format!("select row(a.*) = row(b.*), row(a.p, b.p) from c{t} a, c{t} b where a.id = b.id"),
            10 => format!("select a, v.* from ck a, cv{t} v where v.p = a.p"),
            11 => format!("select (select b from c{u} b where b.id = a.id) from c{t} a{condition}"),
            _ => format!(
                "select array(select q.p from ck q where (q.p).x = a.n order by q.p), coalesce(a, null) from c{t} a"
            ),
        }
    }

    fn rows_windowed(&mut self) -> String {
        let t = self.r.below(TABLES);
        let (key, e) = (self.shown("a", false), self.shown("a", false));
        let call = match self.r.below(7) {
            0 => format!("rank() over (order by {key})"),
            1 => format!("dense_rank() over (partition by {key} order by {e})"),
            2 => format!("lag({e}) over (order by {key}, id)"),
            3 => format!("first_value({e}) over (partition by {key} order by id)"),
            4 => format!("max({e}) over (order by {key}, id)"),
            5 => format!("(lead(a.p) over (order by {key}, id)).x"),
            _ => format!("count({e}) over (partition by {key})"),
        };
        format!("select id, {call} from c{t} a{}", self.where_rows("a"))
    }

    fn rows_as_json(&mut self) -> String {
        let t = self.r.below(TABLES);
        let (e, n) = (self.shown("a", false), self.r.below(5));
        match self.r.below(12) {
            0 => format!("select id, to_jsonb({e}), row_to_json(row({e}, id)) from c{t} a"),
            1 => format!(
                "select * from jsonb_populate_record(null::item, '{{\"qty\": {n}, \"p\": {{\"x\": 1, \"y\": \"2\"}}, \"nums\": [1, null]}}') as q"
            ),
            2 => format!("select * from c{t} a, jsonb_populate_record(null::pt, to_jsonb(a.p)) q"),
            3 => format!(
                "select q.*, (q.p).y from c{t} a, jsonb_populate_recordset(null::item, to_jsonb(a.its)) q"
            ),
            4 => format!(
                "select (jsonb_populate_record({}, '{{\"name\": \"z\", \"nums\": [{n}]}}')).* from c{t} a",
                self.of(ITEM, "a", 1)
            ),
            5 => format!(
                "select * from json_populate_recordset(null::pt, '[{{\"x\": {n}}}, {{\"y\": null}}]') with ordinality as q"
            ),
            6 => format!("select json_build_object('e', {e}), jsonb_build_array({e}, id) from c{t} a"),
            7 => format!("select to_jsonb({e}) = to_jsonb({}) from c{t} a", self.shown("a", false)),
            8 => format!(
                "select jsonb_path_query_array(to_jsonb(a.d), '$.ps[*].x'), json_value(to_jsonb(a.i), '$.p.y' returning int) from c{t} a"
            ),
            9 => format!(
                "select json_query(to_jsonb(a.i), '$.p' returning pt), json_value('\"(1,{n})\"', '$' returning pt) from c{t} a"
            ),
            10 => format!(
                "select id, (jsonb_populate_record(a.d, '{{\"m\": {n}, \"ps\": [{{\"x\": 9}}], \"i\": {{\"nums\": \"{{5}}\"}}}}')).* from c{t} a"
            ),
            _ => format!("select jsonb_object_agg(id, {e}), json_agg(a order by id) from c{t} a"),
        }
    }

    /// `SET` of columns and parts of them; mostly several.
    fn parts_set(&mut self, table: &str) -> String {
        let mut sets = Vec::new();
        for _ in 0..1 + self.r.below(3) {
            let (target, ty) = TARGETS[self.r.below(TARGETS.len() as u64) as usize];
            sets.push(format!("{target} = {}", self.of(ty, table, 2)));
        }
        sets.join(", ")
    }

    fn change_parts(&mut self) -> Statement {
        let (n, id) = (self.r.below(TABLES), self.r.below(8));
        let table = format!("c{n}");
        let shown = self.shown(&table, true);
        let returning = self.word(&[
            "*",
            "id, p, ps",
            "id, i, its, d",
            &format!("id, {shown}"),
            "old.p, new.p, old.d, new.d",
        ]);
        let (target, ty) = TARGETS[self.r.below(TARGETS.len() as u64) as usize];
        let (other, of_other) = TARGETS[self.r.below(TARGETS.len() as u64) as usize];
        let on = self.holds(&table, 2);
        let sql = match self.r.below(18) {
            0..=5 => {
                format!("update {table} set {} where {on} returning {returning}", self.parts_set(&table))
            }
            6 => format!("update {table} set {} returning {returning}", self.parts_set(&table)),
            7 => format!(
                "update {table} set ({target}, {other}) = ({}, {}) where {on} returning {returning}",
                self.of(ty, &table, 2),
                self.of(of_other, &table, 2)
            ),
            8 => {
                let (one, two) = (self.part(ty, "q"), self.part(of_other, "q"));
                format!(
                    "update {table} set ({target}, {other}) = (select {one}, {two} from c0 q where q.id = {id}) where {on} returning {returning}"
                )
            }
            9 => format!(
                "update {table} set {target} = {} from ck where ck.p = {table}.p and {on} returning ck, {table}.id, {table}.i",
                self.of(ty, &table, 2)
            ),
            10 => {
                let (target, other) = (target.replace("[id]", "[2]"), other.replace("[id]", "[1]"));
                let (e, f) = (constant(ty, &mut self.r), constant(of_other, &mut self.r));
                format!(
                    "insert into {table} (id, {target}, {other}) values ({}, {e}, {f}) returning {returning}",
                    100 + id
                )
            }
            11 => {
                let target = target.replace("[id]", "[3]");
                format!(
                    "insert into {table} (id, {target}) select id + 100, {} from {table} where {on} returning {returning}",
                    self.part(ty, &table)
                )
            }
            12 => format!(
                "insert into {table} (id, {}) values ({id}, {}), (200, null) on conflict (id) do update set {target} = {} returning {returning}",
                if target.starts_with("ps") { "its" } else { "ps" },
                "'{}'",
                if self.r.percent(50) { self.of(ty, &table, 2) } else { self.part(ty, "excluded") }
            ),
            13 => format!(
                "merge into {table} using (select p, min(v) as v from ck group by p) s on {table}.p = s.p when matched and s.v > 2 then delete when matched then update set {} \
                 when not matched and s.v = {id} then insert (id, p.x, p.y) values (300 + (s.p).x * 10 + (s.p).y, s.v, {id}) returning {table}.id, {table}.p, {table}.ps",
                self.parts_set(&table)
            ),
            14 => format!("delete from {table} where {on} returning {returning}"),
            15 => format!(
                "with u as (update {table} set {} where {on} returning *) select id, (p).x, (i).p.y, d from u",
                self.parts_set(&table)
            ),
            16 => {
                let bad = [
                    "p.z = 1",
                    "n.x = 1",
                    "p.x = 'a'",
                    "p.x = default",
                    "ps[1].z = 1",
                    "n[1] = 2",
                    "g.x = 1",
                    "p = row(1, 2, 3)",
                    "dp.x = 2000",
                    "p.x = 1, p = null",
                    "i.p.x.y = 1",
                    "ps[1] = 5",
                    "i.qty = 9999",
                    "its[1][1] = null",
                    "p.x = 1, p.x = 2",
                    "(p).x = 1",
                ];
                let bad = self.r.pick(&bad).to_owned();
                format!("update {table} set {bad} where id < 2")
            }
            _ => {
                let set = [
                    "p.x = 3",
                    "ps[1].y = 1",
                    "d.m = 5, d.i.name = 'v'",
                    "its[2].p = ip",
                    "p = ip, ps[1] = ip",
                    "d.ps[2].x = id",
                ];
                let set = self.r.pick(&set).to_owned();
                format!(
                    "update cv{n} set {set} where (p).y is distinct from {id} returning id, p, ps, ip, dn, d"
                )
            }
        };
        Statement { sql, changes: Some(table) }
    }
}
