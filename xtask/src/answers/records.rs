//! Random statements of functions in FROM whose columns are asked for: lists of column definitions, JSON as records, ROWS FROM; and of rows that are read as one column.
//!
//! Invariants: as of `grammar`.

use super::grammar::{Grammar, Statement};
use super::values::TABLES;
use crate::pairs::statements::Random;

/// Types of columns that are defined, of those of `richer` and `composites`, too.
const TYPES: [&str; 21] = [
    "int",
    "int",
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
    "mood",
    "mood[]",
    "pt",
    "pt[]",
    "few",
    "dpt",
    "timestamp(0)",
];
const KEYS: [&str; 6] = ["a", "b", "c", "\"K\"", "p", "a"];

/// Makes what only this file uses.
pub fn schema(_: u64) -> String {
    "drop domain if exists few; create domain few as int check (value < 8) check (value <> 5); ".into()
}

/// A value in JSON.
fn value(r: &mut Random) -> String {
    match r.below(16) {
        0 => "null".into(),
        1 => "\"x\"".into(),
        2 => "true".into(),
        3 => format!("{{\"x\": {}, \"y\": {}}}", r.below(4), r.below(4)),
        4 => format!("[{}, {}]", r.below(4), r.below(9)),
        5 => format!("[{{\"x\": {}}}, null]", r.below(4)),
        6 => "\"ok\"".into(),
        7 => "\"(1,2)\"".into(),
        8 => "\"{1,2}\"".into(),
        9 => "\"2024-02-29\"".into(),
        10 => "1.239".into(),
        11 => "\"7\"".into(),
        12 => "[\"sad\", \"ok\"]".into(),
        _ => r.below(9).to_string(),
    }
}

/// An object.
fn object(r: &mut Random) -> String {
    let mut pairs = Vec::new();
    for key in ["a", "b", "c", "K", "p"] {
        if r.percent(65) {
            pairs.push(format!("\"{key}\": {}", value(r)));
        }
    }
    format!("{{{}}}", pairs.join(", "))
}

/// A call of a function that returns records.
struct Records {
    call: String,
    is_set: bool,
}

impl Grammar<'_> {
    /// A statement of this file.
    pub fn records(&mut self) -> Statement {
        let plain = |sql| Statement { sql, changes: None };
        match self.r.below(18) {
            0..=3 => plain(self.defined()),
            4..=6 => plain(self.defined_beside()),
            7..=10 => plain(self.rows_from()),
            11 | 12 => plain(self.rows_as_columns()),
            13 => plain(self.misdefined()),
            14 => self.changed_by_records(),
            _ => plain(self.defined_within()),
        }
    }

    /// Column definitions, and the names.
    fn definitions(&mut self) -> (String, Vec<String>) {
        let (mut names, mut list) = (Vec::<String>::new(), Vec::new());
        for _ in 0..1 + self.r.below(4) {
            let key = self.word(&KEYS);
            if names.contains(&key) && !self.r.percent(3) {
                continue;
            }
            list.push(format!("{key} {}", self.r.pick(&TYPES)));
            names.push(key);
        }
        (list.join(", "), names)
    }

    /// A call that needs definitions, of the JSON of a relation or of a constant.
    fn records_of(&mut self, of: Option<&str>) -> Records {
        let (is_set, b) = (self.r.percent(65), self.word(&["b", "b", ""]));
        let json = match of {
            Some(a) => {
                let one = self.word(&[
                    "jsonb_build_object('a', @.n, 'b', @.s, 'p', @.q)",
                    "jsonb_build_object('a', @.n, 'c', @.m, 'K', @.w)",
                    "to_jsonb(@)",
                    "jsonb_build_object('a', @.g, 'p', json_build_object('x', @.n))",
                    "case when jsonb_typeof(@.j) = 'object' then @.j end",
                ]);
                let json = match is_set {
                    true => format!("jsonb_build_array({one}, jsonb_build_object('a', @.id))"),
                    false => one,
                };
                let json = json.replace('@', a);
                if b.is_empty() { format!("({json})::json") } else { json }
            }
            None => {
                let list: Vec<String> = (0..self.r.below(4)).map(|_| object(&mut self.r)).collect();
                let json = match (is_set, self.r.below(30)) {
                    (_, 0) => "null".into(),
                    (_, 1) => "5".into(),
                    (_, 2) => "[5]".into(),
                    (true, 3) => object(&mut self.r),
                    (true, _) => format!("[{}]", list.join(", ")),
                    (false, _) => object(&mut self.r),
                };
                let ty = self.word(&["", "", if b.is_empty() { "::json" } else { "::jsonb" }]);
                format!("'{json}'{ty}")
            }
        };
        let set = if is_set { "set" } else { "" };
        let call = match self.r.below(8) {
            0 => format!("json{b}_populate_record{set}(null::record, {json})"),
            1 => format!(
                "json{b}_populate_record{set}({}, {json})",
                self.r.pick(&["row(1, 2)", "row(1, 'x'::text)", "row(null::int)", "row(7)"])
            ),
            _ => format!("json{b}_to_record{set}({json})"),
        };
        Records { call, is_set }
    }

    /// A call that needs definitions, and these. Fields of ROW are of no domain to us, but to PostgreSQL.
    fn defined_records(&mut self, of: Option<&str>) -> (Records, (String, Vec<String>)) {
        let (records, (mut list, names)) = (self.records_of(of), self.definitions());
        if records.call.contains("(row(") {
            list = list.replace(" few", " int").replace(" dpt", " pt");
        }
        (records, (list, names))
    }

    /// A call, its alias with definitions, and the names.
    fn with_definitions(&mut self, of: Option<&str>) -> (String, Vec<String>) {
        let (records, (list, names)) = self.defined_records(of);
        let alias = if self.r.percent(90) { "as x" } else { "x" };
        (format!("{} {alias}({list})", records.call), names)
    }

    fn defined(&mut self) -> String {
        let (from, names) = self.with_definitions(None);
        let all = names.join(", ");
        let first = &names[0];
        match self.r.below(9) {
            0 => format!("select x from {from}"),
            1 => format!("select {all}, count(*) from {from} group by {all}"),
            2 => format!("select x.*, x is not null from {from}"),
            3 => format!("select x.{first}, x is null, to_json(x) from {from}"),
            4 => format!("select (x).{first}, (x).* from {from} where {first} is not null"),
            5 => format!("select count(*), count({first}), min({first}::text) from {from}"),
            6 => format!("select {all} from {from} order by {first}::text"),
            7 => {
                let records = self.records_of(None).call;
                let (list, names) = self.definitions();
                format!("select {} from {records} as ({list})", names.join(", "))
            }
            _ => format!("select * from {from}"),
        }
    }

    fn rich_relation(&mut self) -> String {
        format!("r{}", self.r.below(2))
    }

    fn defined_beside(&mut self) -> String {
        let table = self.rich_relation();
        let (from, names) = self.with_definitions(Some("d"));
        let first = &names[0];
        match self.r.below(8) {
            0 => format!("select d.id, x.* from {table} d, {from} where d.id < 4"),
            1 => format!(
                "select d.id, x.{first} from {table} d left join lateral {from} on x.{first} is not null"
            ),
            2 => format!("select d.id, x from {table} d cross join lateral {from}"),
            3 => format!("select id, (select count({first}) from {from}) from {table} d"),
            4 => format!(
                "select id from {table} d where exists (select 1 from {from} where x.{first}::text > '1')"
            ),
            5 => format!("select x.{first}::text, count(*), sum(d.n) from {table} d, {from} group by 1"),
            6 => format!(
                "select d.id, y.e from {table} d, lateral (select max(x.{first}::text) as e from {from}) y"
            ),
            _ => format!(
                "select d.id, d.m, x.* from {table} d join {from} on true where d.n > 2 and x.{first} is not null"
            ),
        }
    }

    /// Functions side by side, and how many columns they have.
    fn side_by_side(&mut self, of: Option<&str>) -> (String, usize) {
        let (mut list, mut width) = (Vec::new(), 0);
        for _ in 0..1 + self.r.below(3) {
            let n = self.r.below(4);
            let (call, columns) = match (self.r.below(12), of) {
                (0..=2, _) => {
                    let (records, (list, names)) = self.defined_records(of);
                    (format!("{} as ({list})", records.call), names.len())
                }
                (3, Some(a)) => (format!("unnest({a}.q)"), 1),
                (4, Some(a)) => (format!("unnest({a}.w, {a}.ms)"), 2),
                (5, Some(a)) => (format!("generate_series({a}.n, {a}.n + {n})"), 1),
                (6, Some(a)) => (format!("regexp_split_to_table({a}.s, ' ')"), 1),
                (7, Some(a)) => {
                    (format!("jsonb_each(case when jsonb_typeof({a}.j) = 'object' then {a}.j end)"), 2)
                }
                (3, None) => ("unnest('{1,null,3}'::int[])".into(), 1),
                (4, None) => ("unnest(array['a', 'b'], array[1.5, 2])".into(), 2),
                (5, None) => ("unnest(array[row(1, 2)::pt, null])".into(), 2),
                (6, None) => ("json_each('{\"a\": 1, \"b\": [2]}')".into(), 2),
                (7, None) => ("upper('x')".into(), 1),
                (8, _) => ("jsonb_populate_record(null::pt, '{\"x\": 3}')".into(), 2),
                (9, _) => ("string_to_table('a,b,c', ',')".into(), 1),
                _ => (format!("generate_series(1, {n})"), 1),
            };
            list.push(call);
            width += columns;
        }
        (format!("rows from ({})", list.join(", ")), width)
    }

    fn rows_from(&mut self) -> String {
        let is_beside = self.r.percent(45);
        let table = self.rich_relation();
        let (call, mut width) = self.side_by_side(is_beside.then_some("d"));
        let mut from = call;
        if self.r.percent(40) {
            from += " with ordinality";
            width += 1;
        }
        let names: Vec<String> = (0..width).map(|n| format!("c{n}")).collect();
        let (last, some) = (&names[width - 1], self.r.below(width as u64 + 1) as usize);
        let listed = self.r.percent(60);
        let alias = match listed {
            true => format!(" as x({})", names.join(", ")),
            false if some > 0 && self.r.percent(30) => format!(" x({})", names[..some].join(", ")),
            false => " x".into(),
        };
        from += &alias;
        match (is_beside, listed, self.r.below(4)) {
            (true, true, 0) => format!(
                "select d.id, x.{last} from {table} d left join lateral {from} on x.{last} is not null"
            ),
            (true, true, 1) => format!("select d.id, (select count({last}) from {from}) from {table} d"),
            (true, true, 2) => {
                format!("select d.id, x.c0::text, count(*) from {table} d, {from} group by d.id, x.c0::text")
            }
            (true, false, 0) => format!("select d.id, x from {table} d, {from}"),
            (true, ..) => format!("select d.id, x.* from {table} d, {from} where d.id < 5"),
            (false, true, 0) => format!("select x.{last}, x is null, (x).c0 from {from}"),
            (false, true, 1) => format!("select count(*), max({last}::text) from {from}"),
            (false, true, 2) => format!("select * from {from} where {last} is not null"),
            (false, _, 0) => format!("select x, to_jsonb(x) from {from}"),
            _ => format!("select * from {from}"),
        }
    }

    /// Rows of relations as columns of others, and their fields.
    fn rows_as_columns(&mut self) -> String {
        let (t, u) = (self.rich_relation(), self.r.below(TABLES));
        let field = self.word(&["id", "n", "s", "g", "vg", "m"]);
        let common = self.word(&["id", "i", "t", "n"]);
        match self.r.below(13) {
            0 => format!("select (q.x).{field} from (select {t} as x from {t}) q"),
            1 => format!(
                "with w as (select d as x, d.n as k from {t} d) select (w.x).{field}, k from w where (w.x).id < 5"
            ),
            2 => format!("select (q.x).* from (select d as x from t{u} d) q"),
            3 => format!(
                "select (q.x).{common}, (q.y).{field} from (select a as x, b as y from t{u} a join {t} b using (id)) q"
            ),
            4 => format!("select (q.x).f1, (q.x).f2 from (select row(id, s) as x from {t}) q"),
            5 => format!("select (r.x).{field} from (select (q.y) as x from (select d as y from {t} d) q) r"),
            6 => format!(
                "select ((q.x).y).{field} from (select z as x from (select d as y, 1 as k from {t} d) z) q"
            ),
            7 => format!(
                "select (q.x).{field} from (select d as x from {t} d union all select d from {t} d) q"
            ),
            8 => format!("select (select (q.x).{field} from (select d as x) q) from {t} d"),
            9 => format!(
                "select (q.x).{field}, q.x is null from t{u} a left join (select d as x, d.id as k from {t} d where d.id > 3) q on q.k = a.id"
            ),
            10 => format!("select (q.x).zz from (select d as x from {t} d) q"),
            11 => format!(
                "select max((q.x).{field}), count(q.x) from (select d as x from {t} d) q group by (q.x).n"
            ),
            _ => format!("select q.x from (select coalesce(d, d) as x from {t} d) q where (q.x).n > 1"),
        }
    }

    /// What is refused.
    fn misdefined(&mut self) -> String {
        let (list, names) = self.definitions();
        let (records, table) = (self.records_of(None), self.rich_relation());
        match self.r.below(14) {
            0 => format!("select * from {} as x({})", records.call, names.join(", ")),
            1 => format!("select * from {} x", records.call),
            2 => format!("select * from generate_series(1, 2) as x({list})"),
            3 => format!("select * from json_each('{{}}') as x({list})"),
            4 => format!("select * from {} with ordinality as x({list})", records.call),
            5 => format!("select * from {table} as x({list})"),
            6 => format!("select * from (select 1) as x({list})"),
            7 => format!("select {}", records.call),
            8 => format!("select * from rows from ({}, generate_series(1, 2)) as x({list})", records.call),
            9 => format!("with x({list}) as (select 1) select * from x"),
            10 => format!("select * from {} as x({list}, {} text)", records.call, names[0]),
            11 => format!("select * from {} as x({list}, z record)", records.call),
            12 => format!("select * from {} as x({list}, z nosuch)", records.call),
            _ if records.is_set => format!("select id, {} from {table}", records.call),
            _ => format!("select * from ({table} a join {table} b using (id)) as x({list})"),
        }
    }

    /// Within other queries.
    fn defined_within(&mut self) -> String {
        let (from, names) = self.with_definitions(None);
        let (first, table) = (&names[0], self.rich_relation());
        let all = names.join(", ");
        match self.r.below(8) {
            0 => format!(
                "with w as (select * from {from}) select a.{first}, b.{first} from w a, w b where a.{first}::text = b.{first}::text"
            ),
            1 => format!("select {first}::text from {from} union select s from {table}"),
            2 => format!("select id from {table} where n::text in (select {first}::text from {from})"),
            3 => format!("select q.* from (select {all} from {from} offset 0) q"),
            4 => format!("select id, array(select {first}::text from {from} order by 1) from {table}"),
            5 => format!(
                "select {table}.id, x.{first} from {table} left join {from} on x.{first}::text = {table}.n::text"
            ),
            6 => format!("select (q.e).{first} from (select x as e from {from}) q"),
            _ => format!(
                "select count(*) from {from} where x.{first} is distinct from null group by x.{first}::text"
            ),
        }
    }

    fn changed_by_records(&mut self) -> Statement {
        let table = self.rich_relation();
        let list: Vec<String> = (0..1 + self.r.below(3))
            .map(|n| {
                format!("{{\"id\": {}, \"n\": {}, \"m\": \"ok\"}}", n * 7 + self.r.below(6), self.r.below(9))
            })
            .collect();
        let from = format!("jsonb_to_recordset('[{}]') as x(id int, n few, m mood)", list.join(", "));
        let sql = match self.r.below(5) {
            0 => format!(
                "insert into {table} (id, n, m) select id + 700, n, m from {from} returning id, n, g, new.m"
            ),
            1 => format!(
                "update {table} set n = x.n from {from} where x.id = {table}.id returning {table}.id, x.n, old.n, new.g"
            ),
            2 => format!(
                "delete from {table} using {from} where x.id = {table}.id and x.m is not null returning *"
            ),
            3 => format!(
                "merge into {table} t using {from} on t.id = x.id when matched then update set n = x.n when not matched by source and t.id > 3 then delete when not matched by target then insert (id, n) values (x.id, x.n) returning merge_action(), old.n, new.n, x.*"
            ),
            _ => format!(
                "insert into {table} (id, n) select (e).id, (e).n from (select x as e from {from}) q on conflict (id) do update set n = excluded.n returning id, old.n, new.n"
            ),
        };
        Statement { sql, changes: Some(table) }
    }
}
