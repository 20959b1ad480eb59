//! Random statements with set-returning functions wherever an expression may stand: in select lists, within one another, in GROUP BY, ORDER BY, DISTINCT ON, VALUES, FROM; and where
//! they may not.
//!
//! Invariants: as of `grammar`.

use super::grammar::{Grammar, Statement};
use super::values::TABLES;

/// Deepest expression.
const DEPTH: u32 = 3;

/// What a set has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Int,
    Text,
    Json,
    Point,
    Texts,
}

const ALL: [Of; 5] = [Of::Int, Of::Text, Of::Json, Of::Point, Of::Texts];

impl Of {
    fn name(self) -> &'static str {
        match self {
            Of::Int => "int",
            Of::Text => "text",
            Of::Json => "jsonb",
            Of::Point => "pt",
            Of::Texts => "text[]",
        }
    }
}

impl Grammar<'_> {
    /// A statement of this file.
    pub fn series(&mut self) -> Statement {
        let plain = |sql| Statement { sql, changes: None };
        match self.r.below(16) {
            0..=4 => plain(self.listed()),
            5..=7 => plain(self.sorted()),
            8 | 9 => plain(self.grouped_sets()),
            10 | 11 => plain(self.within()),
            12 => plain(self.beside()),
            13 => plain(self.forbidden()),
            _ => self.inserted(),
        }
    }

    fn kind(&mut self) -> Of {
        ALL[[0, 0, 0, 1, 1, 2, 3, 4][self.r.below(8) as usize]]
    }

    /// A value of a row of `q`, all of the tables below.
    fn single(&mut self, of: Of) -> String {
        let one = match of {
            Of::Int => ["q.id", "q.n", "2", "cardinality(q.xs)", "(q.p).x", "0"],
            Of::Text => ["q.s", "q.s", "'a b c'", "q.xs[1]", "'x'", "q.p::text"],
            Of::Json => ["q.j", "'[1, 2]'::jsonb", "to_jsonb(q.ps)", "q.j -> 'k'", "'{}'::jsonb", "q.j"],
            Of::Point => ["q.p", "q.ps[1]", "pt '(1,2)'", "null::pt", "q.p", "q.ps[2]"],
            Of::Texts => ["q.xs", "'{a,b}'::text[]", "array[q.s]", "q.xs", "null::text[]", "'{}'::text[]"],
        };
        self.r.pick(&one).to_owned()
    }

    /// A set-returning function: its arguments are sets again, now and then.
    fn set(&mut self, of: Of, d: u32) -> String {
        match of {
            Of::Int => {
                let (a, b) = (self.arg(Of::Int, d), self.arg(Of::Int, d));
                match self.r.below(8) {
                    0 => format!("generate_series(1, {a})"),
                    1 => format!("generate_series({a}, {a} + 2)"),
                    2 => format!("generate_series({a}, {b})"),
                    3 => format!("generate_series({a}, {b}, {})", self.word(&["1", "2", "-1", "3"])),
                    4 => "unnest(q.ints)".into(),
                    5 => format!("generate_subscripts({}, 1)", self.single(Of::Texts)),
                    6 => format!("unnest(array[{a}, {b}, null])"),
                    _ => "unnest(array[array[1, 2], array[q.n, q.id]])".into(),
                }
            }
            Of::Text => {
                let (s, xs) = (self.arg(Of::Text, d), self.arg(Of::Texts, d));
                match self.r.below(6) {
                    0 | 1 => format!("unnest({xs})"),
                    2 => format!("regexp_split_to_table({s}, '\\s+|,')"),
                    3 => format!("string_to_table({s}, ' ', 'b')"),
                    4 => "jsonb_object_keys(nullif(q.o, '{}'))".into(),
                    _ => format!("jsonb_array_elements_text(to_jsonb({xs}))"),
                }
            }
            Of::Json => match self.r.below(4) {
                0 => "jsonb_array_elements(to_jsonb(q.ints))".into(),
                1 => format!("jsonb_path_query({}, '$.**', silent => true)", self.arg(Of::Json, d)),
                2 => format!("jsonb_path_query({}, 'lax $[*]')", self.arg(Of::Json, d)),
                _ => format!(
                    "jsonb_path_query({}, '$.keyvalue().value', silent => true)",
                    self.arg(Of::Json, d)
                ),
            },
            Of::Point => match self.r.below(5) {
                0..=2 => "unnest(q.ps)".into(),
                3 => format!("unnest(array[{}, {}])", self.arg(Of::Point, d), self.single(Of::Point)),
                _ => "jsonb_populate_recordset(null::pt, to_jsonb(q.ps))".into(),
            },
            Of::Texts => match self.r.below(2) {
                0 => format!("regexp_matches({}, '(\\w)(\\w)?', 'g')", self.arg(Of::Text, d)),
                _ => "unnest(array[q.s])::text::text[]".replace("::text::text[]", " || q.xs"),
            },
        }
    }

    fn arg(&mut self, of: Of, d: u32) -> String {
        if d < DEPTH && self.r.percent(20) { self.set(of, d + 1) } else { self.single(of) }
    }

    /// An expression with sets in it.
    fn with_sets(&mut self, of: Of, d: u32) -> String {
        if d >= DEPTH || self.r.percent(40) {
            return self.set(of, d);
        }
        let e = d + 1;
        match of {
            Of::Int => match self.r.below(9) {
                0 => format!("({} + {})", self.with_sets(Of::Int, e), self.single(Of::Int)),
                1 => format!("({} * {})", self.with_sets(Of::Int, e), self.with_sets(Of::Int, e)),
                2 => format!("abs({} - 3)", self.with_sets(Of::Int, e)),
                3 => format!("greatest({}, {})", self.with_sets(Of::Int, e), self.single(Of::Int)),
                4 => format!("nullif({}, {})", self.with_sets(Of::Int, e), self.single(Of::Int)),
                5 => format!("length({})", self.with_sets(Of::Text, e)),
                6 => format!("({}).{}", self.set(Of::Point, e), self.word(&["x", "y"])),
                7 => format!("cardinality({})", self.with_sets(Of::Texts, e)),
                _ => format!("(({})::numeric)::int", self.with_sets(Of::Int, e)),
            },
            Of::Text => match self.r.below(8) {
                0 => format!("upper({})", self.with_sets(Of::Text, e)),
                1 => format!("({} || {})", self.with_sets(Of::Text, e), self.with_sets(Of::Text, e)),
                2 => format!("({})::text", self.with_sets(Of::Point, e)),
                3 => format!("({})[1]", self.with_sets(Of::Texts, e)),
                4 => format!("({} #>> '{{}}')", self.with_sets(Of::Json, e)),
                5 => format!("concat({}, '-', {})", self.with_sets(Of::Int, e), self.single(Of::Text)),
                6 => {
                    let other = self.kind();
                    format!("({} = {})::text", self.with_sets(other, e), self.single(other))
                }
                _ => format!("(q.xs)[{}]", self.with_sets(Of::Int, e)),
            },
            Of::Json => match self.r.below(4) {
                0 => format!("to_jsonb({})", self.with_sets(Of::Point, e)),
                1 => format!(
                    "jsonb_build_array({}, {})",
                    self.with_sets(Of::Int, e),
                    self.with_sets(Of::Text, e)
                ),
                2 => format!("({} -> 0)", self.with_sets(Of::Json, e)),
                _ => format!("jsonb_build_object('k', {})", self.with_sets(Of::Json, e)),
            },
            Of::Point => match self.r.below(3) {
                0 => format!("row({}, {})::pt", self.with_sets(Of::Int, e), self.single(Of::Int)),
                1 => format!("(q.ps)[{}]", self.with_sets(Of::Int, e)),
                _ => format!("row({}, {})::pt", self.with_sets(Of::Int, e), self.with_sets(Of::Int, e)),
            },
            Of::Texts => match self.r.below(3) {
                0 => format!("array[{}, {}]", self.with_sets(Of::Text, e), self.single(Of::Text)),
                1 => format!("({} || {})", self.with_sets(Of::Text, e), self.single(Of::Texts)),
                _ => format!("array_remove({}, {})", self.single(Of::Texts), self.with_sets(Of::Text, e)),
            },
        }
    }

    fn any_set(&mut self) -> String {
        let of = self.kind();
        let set = self.with_sets(of, 1);
        match of {
            Of::Point if !set.contains("row(") && self.r.percent(25) => format!("({set}).*"),
            _ => set,
        }
    }

    /// A whole set or an expression, never spread.
    fn one_set(&mut self) -> String {
        let of = self.kind();
        self.with_sets(of, 1)
    }

    /// Rows that all of this is about.
    fn rows_of_series(&mut self) -> String {
        let (t, n) = (self.r.below(TABLES), self.r.below(2));
        match self.r.below(4) {
            0 => format!(
                "(select id, i as n, t as s, x as xs, a as ints, j, '{{\"k\": [1, 2]}}'::jsonb as o, row(i, s)::pt as p, array[row(id, i)::pt, null] as ps from t{t}) q"
            ),
            1 => format!(
                "(select id, n, s, w as xs, q as ints, j, jsonb_build_object('a', n, 'b', m) as o, row(n, g)::pt as p, array[row(n, id)::pt] as ps from r{n}) q"
            ),
            _ => format!(
                "(select id, n, (i).name as s, array[(i).name, 'z'] as xs, (i).nums as ints, to_jsonb(i) as j, to_jsonb(p) as o, p, ps from c{n}) q"
            ),
        }
    }

    fn listed(&mut self) -> String {
        let list: Vec<String> = (0..1 + self.r.below(3)).map(|_| self.any_set()).collect();
        let (from, list) = (self.rows_of_series(), list.join(", "));
        let condition =
            self.word(&["", "", " where q.id < 4", " where q.n is not null", " where q.n > 1 or q.s > 'a'"]);
        match self.r.below(8) {
            0 => format!("select {list} from {from}{condition}"),
            1 => format!("select id, row_number() over (order by id), {list} from {from}{condition}"),
            2 => format!("select distinct {list} from {from}{condition}"),
            3 => format!("select id, n, {list} from {from} where false"),
            4 => format!(
                "select id, {list}, (select count(*) from c0 where c0.n = q.n) from {from}{condition}"
            ),
            _ => format!("select id, {list} from {from}{condition}"),
        }
    }

    fn sorted(&mut self) -> String {
        let (from, a, b) = (self.rows_of_series(), self.one_set(), self.one_set());
        let desc = self.word(&["", " desc", " nulls first", " desc nulls last"]);
        let n = self.r.below(6);
        match self.r.below(9) {
            0 => format!("select id, {a} as s from {from} order by s{desc}, id limit {n}"),
            1 => format!("select id, {a} as s from {from} order by 2{desc}, 1 offset {n}"),
            2 => format!("select id from {from} order by {a}{desc}, id"),
            3 => format!("select id, {a} from {from} order by {a}{desc}, id limit {n}"),
            4 => format!("select distinct {a} from {from} order by {a}{desc}"),
            5 => format!("select distinct {a}, {b} from {from} order by 2, 1{desc} limit {n}"),
            6 => format!("select distinct on ({a}) {a} as s, id from {from} order by {a}{desc}, id"),
            7 => format!("select distinct on (id) id, {a} as s from {from} order by id, s{desc}"),
            _ => format!("select {a}, {b}, id from {from} order by 1, 2, 3 limit {n}"),
        }
    }

    fn grouped_sets(&mut self) -> String {
        let (from, a, b) = (self.rows_of_series(), self.one_set(), self.one_set());
        let call =
            self.word(&["count(*)", "sum(n)", "max(s)", "count(distinct id)", "array_agg(id order by id)"]);
        match self.r.below(9) {
            0 => format!("select {a} as k, {call} from {from} group by k"),
            1 => format!("select {a}, {call} from {from} group by 1"),
            2 => format!("select {a}, {call} from {from} group by {a}"),
            3 => format!("select {a} as k, {b} as l, {call} from {from} group by k, l"),
            4 => format!("select n, {call}, generate_series(1, count(*)) from {from} group by n"),
            5 => format!("select n, unnest(array_agg(id order by id)) + 1 from {from} group by n"),
            6 => format!("select max(n), generate_series(1, max(id)), {call} from {from}"),
            7 => format!(
                "select {a} as k, {call} from {from} group by k having count(*) > 1 order by k limit 3"
            ),
            _ => format!(
                "select id, {call}, {} from {from} group by id, n, xs, s, p, ps, ints, j, o",
                self.any_set()
            ),
        }
    }

    fn within(&mut self) -> String {
        let of = self.kind();
        let (from, a, b) = (self.rows_of_series(), self.with_sets(of, 1), self.one_set());
        let name = of.name();
        match self.r.below(12) {
            0 => format!("select id, array(select {a}) from {from}"),
            1 => format!("select id, (select count(*) from (select {a}) w) from {from}"),
            2 => format!("select id, exists (select {a}) from {from}"),
            3 => format!("select id from {from} where {} in (select {a})", self.single(of)),
            4 => format!("select id, (select {a} order by 1 limit 1) from {from}"),
            5 => format!(
                "with w as (select id, {a} as e, {b} as f from {from}) select x.id, y.e from w x join w y using (id) where x.e = y.e"
            ),
            6 => format!("select {a} from {from} union select null::{name}"),
            7 => format!(
                "select e, count(*) over (partition by e), rank() over (order by e) from (select {a} as e from {from}) w"
            ),
            8 => format!("select e from (select {a} as e, id from {from}) w where e is not null and id < 3"),
            9 => format!("select id, l.* from {from}, lateral (select {a} as e, {b} as f) l"),
            10 => format!("select count(*), max(e) from (select {a} as e from {from} offset 0) w")
                .replace("max(e)", if of == Of::Json { "count(e)" } else { "max(e)" }),
            _ => format!("select (select {a} where q.id = 1) from {from}")
                .replace("(select ", "array(select ")
                .replacen("from array(", "from (", 1),
        }
    }

    /// In FROM.
    fn beside(&mut self) -> String {
        let of = self.kind();
        let other = self.kind();
        let from = self.rows_of_series();
        let mut flat = |of: Of| loop {
            // A function alone, of no sets.
            let set = self.set(of, DEPTH);
            if !set.contains(" || ") {
                return set;
            }
            if of == Of::Texts {
                return "regexp_matches(q.s, '(\\w)', 'g')".into();
            }
        };
        let (a, b) = (flat(of), flat(other));
        match self.r.below(6) {
            0 => format!("select id, e from {from}, {a} e"),
            1 => format!("select id, e, o from {from} left join lateral {a} with ordinality e on true")
                .replace(", e, o from", ", e.* from"),
            2 => format!("select id, w.*, {b} from {from}, unnest(q.xs, q.ps, q.ints) w"),
            3 => format!(
                "select id, w.* from {from} left join lateral unnest(q.ps, q.ints) with ordinality w(a, b, c, d) on c > 1 or a = b"
            ),
            4 => format!("select id, e, {} from {from}, {a} e", self.any_set()),
            _ => format!("select id, count(e) from {from}, {a} e group by id"),
        }
    }

    fn forbidden(&mut self) -> String {
        let (from, of) = (self.rows_of_series(), self.kind());
        let a = self.with_sets(of, 1);
        match self.r.below(15) {
            0 => format!("select id from {from} where {a} is null"),
            1 => format!("select case when id = 1 then {a} end from {from}"),
            2 => format!("select coalesce({a}, null) from {from}"),
            3 => format!("select count({a}) from {from}"),
            4 => format!("select count({a}) over () from {from}"),
            5 => format!("select n from {from} group by n having {a} is null"),
            6 => format!("select n from {from} limit {}", self.set(Of::Int, 1)).replace("q.", ""),
            7 => format!("select 1 from {from} join c0 on {a} is null"),
            8 => format!("update c0 set n = {}", self.set(Of::Int, DEPTH).replace("q.", "c0.")),
            9 => "values (generate_series(1, 2)), (3)".into(),
            10 => format!("select count(*) filter (where {a} is null) from {from}"),
            11 => format!("select rank() over (order by {a}) from {from}"),
            12 => format!("select {a} from {from} for update"),
            13 => format!("select id, {a} in (select 1) from {from}"),
            _ => "delete from c0 returning generate_series(1, 2)".into(),
        }
    }

    fn inserted(&mut self) -> Statement {
        let (n, first) = (self.r.below(2), 100 + self.r.below(9));
        let table = format!("c{n}");
        let (from, a, p) = (self.rows_of_series(), self.with_sets(Of::Int, 1), self.with_sets(Of::Point, 1));
        let sql = match self.r.below(10) {
            0 => format!(
                "insert into {table} (id, n) values (generate_series({first}, {first} + {}), 5) returning id, n",
                self.r.below(4)
            ),
            1 => format!(
                "insert into {table} (id, p) values (generate_series({first}, 110), unnest(array[row(1, 2)::pt, null])) returning id, p, g"
            ),
            2 => format!("insert into {table} (id, n) values (generate_series(1, 2), 1), (3, 4)"),
            3 => format!(
                "insert into {table} (id, n) select 1000 + row_number() over (order by id, e), e from (select id, {a} as e from {from}) w returning id, n"
            ),
            4 => format!(
                "insert into {table} (id, p) select 1000 + row_number() over (order by id, e), e from (select id, {p} as e from {from}) w returning id, p, g"
            ),
            5 => format!(
                "insert into {table} (id, p.x, p.y) values (generate_series({first}, {first} + 2), generate_series(1, 2), 3) returning id, p"
            ),
            6 => format!(
                "insert into {table} (id, n) values (generate_series(0, 4), 77) on conflict (id) do update set n = excluded.n returning id, n"
            ),
            7 => format!(
                "update {table} set ps = array(select {p} from {from}) where id = 1 returning id, cardinality(ps)"
            ),
            8 => format!(
                "merge into {table} m using (select generate_series(2, 5) as id, unnest(array[1, 2]) as n) s on m.id = s.id when matched then update set n = s.n, p.x = s.n when not matched then insert (id, n) values (s.id, s.n) returning merge_action(), m.id, m.n, m.p"
            ),
            _ => format!("delete from {table} where id in (select {a} from {from}) returning id"),
        };
        Statement { sql, changes: Some(table) }
    }
}
