//! Random statements that give the old and the new version of rows, by RETURNING and in WITH; and MERGE with what has no partner on either side.
//!
//! Invariants: as of `grammar`.

use super::grammar::{Grammar, Statement};
use super::values::TABLES;

/// What a table of the given name has, whose rows are changed: a number, another column, and what is computed.
struct Target {
    table: String,
    /// What it is called in the statement.
    name: String,
    /// Its base table, if it is a view.
    base: String,
    fields: &'static [&'static str],
}

const OF_RICH: [&str; 7] = ["id", "n", "m", "s", "g", "vg", "vs"];
const OF_VIEWS: [&str; 5] = ["id", "n", "m", "g", "vg"];
const OF_PLAIN: [&str; 6] = ["id", "i", "b", "t", "d", "a"];
const OF_ROWS: [&str; 6] = ["id", "n", "p", "i", "g", "dp"];

impl Target {
    fn number(&self) -> &'static str {
        if self.fields[1] == "i" { "i" } else { "n" }
    }
}

impl Grammar<'_> {
    /// A statement of this file.
    pub fn versions(&mut self) -> Statement {
        let target = self.version_target();
        let is_merge = self.r.percent(45);
        let (with, change) = if is_merge { self.merged(&target) } else { self.changed(&target) };
        let (prefix, list) = self.returned(&target, is_merge);
        let sql = match self.r.below(10) {
            0 | 1 => {
                let outer = self.of_versions(&target);
                format!("with {with}u as ({change} returning old as o, new as w) {outer}")
            }
            2 if !is_merge => {
                let field = self.r.pick(target.fields).to_owned();
                let before =
                    if with.is_empty() { String::new() } else { format!("with {with}z as (select 1) ") };
                format!("{before}{change} returning (old).{field}, (new).{field}, (old).*, new")
            }
            _ => {
                let before =
                    if with.is_empty() { String::new() } else { format!("with {with}z as (select 1) ") };
                format!("{before}{change} returning {prefix}{list}")
            }
        };
        Statement { sql, changes: Some(target.base) }
    }

    fn version_target(&mut self) -> Target {
        let (n, t) = (self.r.below(2), self.r.below(TABLES));
        let name = self.word(&["x", "x", "", "", ""]);
        let (table, base, fields) = match self.r.below(10) {
            0..=4 => (format!("r{n}"), format!("r{n}"), &OF_RICH[..]),
            5 => (format!("rv{n}"), format!("r{n}"), &OF_VIEWS[..]),
            6 | 7 => (format!("t{t}"), format!("t{t}"), &OF_PLAIN[..]),
            _ => (format!("c{n}"), format!("c{n}"), &OF_ROWS[..]),
        };
        let name = if name.is_empty() { table.clone() } else { name };
        Target { table, name, base, fields }
    }

    /// A change that is no MERGE, without RETURNING, and what stands in WITH before it.
    fn changed(&mut self, t: &Target) -> (String, String) {
        let (table, x, n) = (&t.table, &t.name, t.number());
        let alias = if x == table { String::new() } else { format!(" {x}") };
        let (k, id) = (self.r.below(6), self.r.below(9));
        let on = self.word(&["#.id < 4", "#.id = 2", "#.@ > 1", "#.@ is null", "true", "#.id in (1, 3, 5)"]);
        let on = on.replace('#', x).replace('@', n);
        let u = self.r.below(TABLES);
        let change = match self.r.below(10) {
            0 | 1 => format!("update {table}{alias} set {n} = {x}.{n} + {k} where {on}"),
            2 => format!("update {table}{alias} set {n} = {n} where {on}"),
            3 => format!("update {table}{alias} set {n} = o.i from t{u} o where o.id = {x}.id and {on}"),
            4 => format!("update {table}{alias} set id = {x}.id + 1000, {n} = null where {on}"),
            5 => format!("delete from {table}{alias} where {on}"),
            6 => format!("delete from {table}{alias} using t{u} o where o.id = {x}.id and {on}"),
            7 => {
                let alias = if alias.is_empty() { String::new() } else { format!(" as {x}") };
                format!("insert into {table}{alias} (id, {n}) select id + 1000, i from t{u} where id < {id}")
            }
            8 => {
                let alias = if alias.is_empty() { String::new() } else { format!(" as {x}") };
                format!(
                    "insert into {table}{alias} (id, {n}) values ({id}, {k}), ({}, 1) on conflict (id) do update set {n} = excluded.{n} + {x}.{n} where {x}.id <> {k}",
                    id + 2000
                )
            }
            _ => {
                let alias = if alias.is_empty() { String::new() } else { format!(" as {x}") };
                format!(
                    "insert into {table}{alias} (id, {n}) values ({id}, {k}), ({}, 1) on conflict do nothing",
                    id + 2000
                )
            }
        };
        (String::new(), change)
    }

    /// MERGE without RETURNING, and what stands in WITH before it.
    fn merged(&mut self, t: &Target) -> (String, String) {
        let (table, x, n) = (&t.table, &t.name, t.number());
        let alias = if x == table { String::new() } else { format!(" as {x}") };
        let (u, k) = (self.r.below(TABLES), self.r.below(6));
        let (source, with) = match self.r.below(7) {
            0 => (format!("(select id, i as n, t as s from t{u}) u"), String::new()),
            1 => (format!("(select id + {k} as id, n, s from r{}) u", self.r.below(2)), String::new()),
            2 => ("(values (1, 5, 'new'), (2, null, 'two'), (100, null, 'far')) u(id, n, s)".into(), String::new()),
            3 => (format!("rv{} u", self.r.below(2)), String::new()),
            4 => (format!("w{k} u"), format!("w{k} as (select id, i as n, t as s from t{u} where id > {k}), ")),
            5 => ("jsonb_to_recordset('[{\"id\": 1, \"n\": 3}, {\"id\": 3}, {\"id\": 70, \"s\": \"j\"}]') as u(id int, n int, s text)".into(), String::new()),
            _ => (format!("rows from (generate_series({k}, {}), unnest('{{7,8}}'::int[]), string_to_table('a b', ' ')) as u(id, n, s)", k + 3), String::new()),
        };
        let on = self.word(&[
            "#.id = u.id",
            "#.id = u.id",
            "#.id = u.id",
            "#.id = u.id and #.@ = u.n",
            "#.id = u.id and u.n is not null",
            "#.id = u.id and #.@ > 1",
            "#.@ = u.n",
            "#.id = u.id + 1",
            "false",
        ]);
        let mut clauses = String::new();
        for _ in 0..1 + self.r.below(4) {
            clauses += self.r.pick(&[
                " when matched and u.n > 2 then update set @ = u.n",
                " when matched and #.@ is null then delete",
                " when matched and #.id = 1 then do nothing",
                " when matched and #.id > 2 then update set @ = coalesce(#.@, 0) + u.id",
                " when not matched and u.id > 5 then insert (id, @) values (u.id + 400, u.n)",
                " when not matched by target and u.n is null then insert (id) values (u.id + 200)",
                " when not matched by target and u.id > 8 then do nothing",
                " when not matched by source and #.@ > 3 then delete",
                " when not matched by source and #.id < 3 then update set @ = #.@ + 10",
                " when not matched by source and #.@ is null then do nothing",
                " when not matched by source and #.id = 4 then update set @ = (select max(i) from t0 where t0.id = #.id)",
            ]);
        }
        for (last, percent) in [
            (" when matched then update set @ = 9", 22),
            (" when not matched by source then delete", 18),
            (" when not matched by source then update set @ = #.@ * 2", 18),
            (" when not matched then insert (id, @) values (u.id + 300, u.n)", 22),
        ] {
            if self.r.percent(percent) {
                clauses += last;
            }
        }
        let sql = format!("merge into {table}{alias} using {source} on {on}{clauses}");
        (with, sql.replace('#', x).replace('@', n))
    }

    /// The list of RETURNING, and the names of versions before it.
    fn returned(&mut self, t: &Target, is_merge: bool) -> (String, String) {
        let (prefix, o, w) = match self.r.below(8) {
            0 => ("with (old as was, new as now) ", "was", "now"),
            1 => ("with (old as \"Was\") ", "\"Was\"", "new"),
            2 => ("with (new as now) ", "old", "now"),
            _ => ("", "old", "new"),
        };
        let mut list = Vec::new();
        for _ in 0..1 + self.r.below(4) {
            let (f, g) = (self.r.pick(t.fields).to_owned(), self.r.pick(t.fields).to_owned());
            let (v, x, n) = (self.word(&[o, w]), &t.name, t.number());
            list.push(match self.r.below(34) {
                0..=3 => format!("{o}.{f}, {w}.{f}"),
                4 | 5 => format!("{v}.*"),
                6 => format!("{o}, {w}"),
                7 => format!("{v} is null, {v} is not null"),
                8 => format!("({v}).{f}"),
                9 => format!("({v}).*"),
                10 => format!("{o}.{f} is distinct from {w}.{f}"),
                11 => format!("coalesce({v}.{n}, -1)"),
                12 => format!("{w}.{n} - {o}.{n}"),
                13 => format!("to_jsonb({v})"),
                14 => format!("row_to_json({v})"),
                15 => format!("row({o}.{f}, {w}.{g})"),
                16 => format!("{o} = {w}, {o} is distinct from {w}"),
                17 => format!("(select {v}.{f})"),
                // PostgreSQL 18.4 ends with a signal where EXISTS reads a version that MERGE does not have.
                18 if !is_merge => format!("(select count(*) from t0 where t0.id <= {v}.{n})"),
                19 => format!("case when {o}.{n} > 1 then {w}.{f} end"),
                20 => format!("array[{o}.{n}, {w}.{n}]"),
                21 => format!("{x}.{f}"),
                22 => format!("{x}.*"),
                23 if is_merge => "merge_action()".into(),
                24 if is_merge => "u.id, merge_action()".into(),
                25 => f.clone(),
                26 => format!("{v}.{n} in (1, 2, 3), {v}.{n}"),
                27 => format!("{v}.{f}::text"),
                28 => format!("num_nulls({o}.{f}, {w}.{g})"),
                29 => format!("({v}.{f}, {x}.{g})"),
                30 => format!("{v}.{f} is not null, {x}.{g}"),
                31 => format!("row({v}.*)"),
                32 if self.r.percent(20) => self.word(&[
                    "count(*)",
                    "row_number() over ()",
                    "old.zz",
                    "new.tableoid is null",
                    "generate_series(1, 2)",
                    "old.tableoid::regclass",
                    "excluded.id",
                ]),
                _ => format!("{v}.{f}, {x}.{f}"),
            });
        }
        if is_merge && list.iter().any(|l| l.as_str() == "id" || l.as_str() == "n" || l.as_str() == "s") {
            // The source has them, too.
            list.iter_mut()
                .filter(|l| ["id", "n", "s"].contains(&l.as_str()))
                .for_each(|l| *l = format!("u.{l}"));
        }
        (prefix.into(), list.join(", "))
    }

    /// A query of versions that a change in WITH gives as columns.
    fn of_versions(&mut self, t: &Target) -> String {
        let (f, g) = (self.r.pick(t.fields).to_owned(), self.r.pick(t.fields).to_owned());
        let n = t.number();
        match self.r.below(10) {
            0 => format!("select (u.o).{f}, (u.w).{f} from u"),
            1 => format!("select (o).{f}, (w).{g}, o is null, w is null from u"),
            2 => "select (u.o).*, (u.w).* from u".into(),
            3 => format!("select count(*), sum((w).{n}) - sum((o).{n}) from u"),
            4 => format!("select a.o, (b.w).{f} from u a join u b on (a.o).id = (b.o).id"),
            5 => format!("select to_jsonb(o), row_to_json(w) from u where (o).{f} is distinct from (w).{f}"),
            6 => format!("select (o).{f}::text, count(*) from u group by 1"),
            7 => format!("select * from u where (w).{n} > 1 or (o).{n} is null"),
            8 => format!("select (e).{f} from (select o as e from u union all select w from u) q"),
            _ => "select * from u".into(),
        }
    }
}
