//! Random statements of aggregates over ordered rows: WITHIN GROUP, with groups, filters, windows, subqueries and views around it, and ORDER BY in aggregates; and what is refused.
//!
//! Invariants: as of `grammar`.

use super::grammar::{Grammar, Statement};
use super::values::TABLES;

/// Columns of a table, by what they may be ordered for.
struct Columns {
    table: String,
    numbers: &'static [&'static str],
    others: &'static [&'static str],
    keys: &'static [&'static str],
}

const FRACTIONS: [&str; 10] =
    ["0", "0.25", "0.5", "0.9", "1", "null", "1.5", "'0.3'", "(select 0.4)", "0.5 + 0.1"];

impl Grammar<'_> {
    /// A statement of this file.
    pub fn ordered(&mut self) -> Statement {
        let sql = match self.r.below(20) {
            0..=12 => self.ordered_query(),
            13..=15 => self.ordered_arguments(),
            _ => self.unordered(),
        };
        Statement { sql, changes: None }
    }

    fn columns_to_order(&mut self) -> Columns {
        let (n, t) = (self.r.below(2), self.r.below(TABLES));
        match self.r.below(5) {
            0 | 1 => Columns {
                table: format!("r{n}"),
                numbers: &["n", "g", "vg", "id"],
                others: &["m", "s", "vs", "q", "w", "j"],
                keys: &["m", "n % 2", "s is null", "m, n % 2"],
            },
            2 => Columns {
                table: format!("c{n}"),
                numbers: &["n", "id", "(p).x", "(i).qty"],
                others: &["p", "i", "ps", "(i).name", "k"],
                keys: &["n", "p", "(p).y", "(i).name"],
            },
            _ => Columns {
                table: format!("t{t}"),
                numbers: &["i", "b", "n", "f", "s", "id"],
                others: &["t", "v", "c", "d", "ts", "o", "a", "x", "u", "j"],
                keys: &["i", "o", "t", "b % 2", "c", "o, i", "d"],
            },
        }
    }

    /// A call over the columns; `key` is what is grouped by, if it is one column.
    fn within_group_of(&mut self, c: &Columns, key: Option<&str>) -> String {
        let how = self.word(&["", "", "", " desc", " nulls first", " desc nulls last"]);
        let number = self.r.pick(c.numbers).to_owned();
        let other = self.r.pick(c.others).to_owned();
        let any = if self.r.percent(50) { &number } else { &other };
        let mut fraction = self.word(&FRACTIONS);
        if let (Some(key), true) = (key, self.r.percent(12)) {
            fraction = format!("least(abs(({key})::text::float8), 1)");
            if !c.numbers.contains(&key) {
                fraction = format!("length(({key})::text) * 0.1");
            }
        }
        let filter = match self.r.below(6) {
            0 => format!(" filter (where {number} > 1)"),
            1 => format!(" filter (where {other} is not null)"),
            _ => String::new(),
        };
        let k = self.r.below(5);
        let call = match self.r.below(12) {
            0 | 1 => format!("percentile_cont({fraction}) within group (order by {number}{how})"),
            2 => format!("percentile_cont(array[0.1, null, 0.75]) within group (order by {number}{how})"),
            3 | 4 => format!("percentile_disc({fraction}) within group (order by {any}{how})"),
            5 => format!("percentile_disc('{{0,0.5,1,null}}'::float8[]) within group (order by {any}{how})"),
            6 => format!("mode() within group (order by {any}{how})"),
            7 => format!("rank({k}) within group (order by {number}{how})"),
            8 => format!("dense_rank({k}, null) within group (order by {number}{how}, {other})"),
            9 => format!("percent_rank({k}.5) within group (order by {number}{how})"),
            10 => format!("cume_dist({k}) within group (order by {number} * 2{how})"),
            _ => {
                let f = self.word(&["rank", "dense_rank", "percent_rank", "cume_dist"]);
                format!(
                    "{f}((select max({other}::text) from {}), {k}) within group (order by {other}::text{how}, {number} desc)",
                    c.table
                )
            }
        };
        call + &filter
    }

    fn ordered_query(&mut self) -> String {
        let c = self.columns_to_order();
        let (table, key) = (c.table.clone(), self.r.pick(c.keys).to_owned());
        let single = (!key.contains(',')).then_some(&*key);
        let (a, b) = (self.within_group_of(&c, single), self.within_group_of(&c, single));
        let plain = self.within_group_of(&c, None);
        let condition = self.word(&["", "", " where id > 2", " where false", " where id % 2 = 0"]);
        match self.r.below(16) {
            0 | 1 => format!("select {key}, {a}, {b} from {table}{condition} group by {key}"),
            2 => format!("select {plain}, count(*) from {table}{condition}"),
            3 => format!("select {key}, {plain} from {table}{condition} group by rollup ({key})"),
            4 => format!(
                "select {key}, {plain}, grouping({key}) from {table} group by grouping sets (({key}), ())"
            ),
            5 => format!("select {key} from {table} group by {key} having ({a}) is not null"),
            6 => format!("select {key}, {a} from {table} group by {key} order by {a}, 1"),
            7 => format!(
                "select {key}, coalesce(({a})::text, '-') || {} from {table} group by {key}",
                if b.contains("array[") { "''".to_owned() } else { format!("coalesce(({b})::text, '')") }
            ),
            8 => format!("select {key}, (select ({a})::text) from {table} group by {key}"),
            9 => format!(
                "select {key}, count(*) over (), rank() over (order by ({a})::text) from {table} group by {key}"
            ),
            10 => {
                format!("with w as (select {plain} as e from {table}{condition}) select e, e is null from w")
            }
            11 => format!(
                "select q.* from t0 d, lateral (select {plain} as e from {table} where {table}.id <= d.id) q"
            ),
            12 => format!(
                "select id, (select {plain} from {table} z where z.id >= y.id) from {table} y where id < 5"
            ),
            13 => format!("select ({plain})::text from {table} union all select 'x'"),
            14 => format!("select {a} from {table} group by {key} having count(*) > 1"),
            _ => format!("select {key}, {a} from {table}{condition} group by {key}"),
        }
    }

    /// ORDER BY in the arguments.
    fn ordered_arguments(&mut self) -> String {
        let c = self.columns_to_order();
        let (table, key) = (c.table.clone(), self.r.pick(c.keys).to_owned());
        let (number, other) = (self.r.pick(c.numbers).to_owned(), self.r.pick(c.others).to_owned());
        let how = self.word(&["", "", " desc", " nulls first", " desc nulls last"]);
        let call = match self.r.below(9) {
            0 => format!("array_agg({number} order by {other}{how}, id)"),
            1 => format!("string_agg(({other})::text, ',' order by {number}{how}, id desc)"),
            2 => format!("array_agg(distinct {number} order by {number}{how})"),
            3 => format!("string_agg(distinct ({other})::text, '' order by ({other})::text{how})"),
            4 => format!("jsonb_agg({other} order by {number}{how}, id)"),
            5 => format!("json_object_agg(id, {number} order by id{how})"),
            6 => format!("array_agg({other} order by id{how}) filter (where {number} > 1)"),
            7 => format!("sum({number} order by {other})"),
            _ => format!("jsonb_agg(row({number}, {other}) order by {other}{how}, {number}, id)"),
        };
        match self.r.below(4) {
            0 => format!("select {call} from {table}"),
            1 => format!("select {key}, {call} from {table} group by rollup ({key})"),
            2 => format!("select {key}, cardinality(array[{call}]::text[]) from {table} group by {key}"),
            _ => format!("select {key}, {call} from {table} group by {key}"),
        }
    }

    /// What is refused, mostly.
    fn unordered(&mut self) -> String {
        let call = self.word(&[
            "percentile_cont(n) within group (order by n)",
            "percentile_cont(0.5) within group (order by s)",
            "percentile_cont(0.5, 0.6) within group (order by n)",
            "percentile_cont('x') within group (order by n)",
            "percentile_cont(0.5)",
            "percentile_cont(0.5) over ()",
            "percentile_cont(distinct 0.5) within group (order by n)",
            "percentile_cont(0.5 order by n) within group (order by n)",
            "percentile_disc(0.5) within group (order by n, s)",
            "percentile_disc(0.5) within group (order by null)",
            "percentile_disc(true) within group (order by n)",
            "mode()",
            "mode(n)",
            "mode(1) within group (order by n)",
            "mode() within group (order by n) over ()",
            "mode() within group (order by m, n)",
            "mode() within group (order by sum(n))",
            "mode() within group (order by row_number() over ())",
            "mode() within group (order by generate_series(1, 2))",
            "mode() within group (order by mode() within group (order by n))",
            "mode() within group (order by n) filter (where count(*) > 1)",
            "mode() within group (order by (select max(n)))",
            "sum(mode() within group (order by n))",
            "percentile_disc(mode() within group (order by n)) within group (order by n)",
            "percentile_cont(count(*)) within group (order by n)",
            "percentile_cont(max(0.5)) within group (order by n)",
            "sum(n) within group (order by n)",
            "sum(n) within group (order by s)",
            "sum() within group (order by n)",
            "count() within group (order by n)",
            "count(*) within group (order by n)",
            "count(n) within group (order by n)",
            "max() within group (order by n) over ()",
            "sum(n) within group (order by n) over ()",
            "string_agg(s) within group (order by s)",
            "string_agg(s, ',') within group (order by s)",
            "array_agg() within group (order by n)",
            "first_value(n) within group (order by n)",
            "first_value() within group (order by n)",
            "nth_value(n) within group (order by n)",
            "lag(n) within group (order by n)",
            "lag(n) within group (order by id) over ()",
            "lag(n, 1) within group (order by s)",
            "row_number() within group (order by n)",
            "row_number(n) within group (order by n)",
            "ntile() within group (order by n)",
            "lower() within group (order by s)",
            "lower(s) within group (order by s)",
            "nosuch() within group (order by n)",
            "abs() within group (order by n) over ()",
            "rank()",
            "rank(1)",
            "rank(1) over ()",
            "rank() within group (order by n)",
            "rank(1, 2) within group (order by n)",
            "rank(1) within group (order by n, id)",
            "rank(1) within group (order by n) over ()",
            "rank('x') within group (order by n)",
            "rank('3') within group (order by n)",
            "rank(1) within group (order by s)",
            "rank(1.5) within group (order by n)",
            "rank(n) within group (order by n)",
            "rank(null) within group (order by n)",
            "rank('a') within group (order by 'b')",
            "rank(max(n)) within group (order by n)",
            "dense_rank(1) within group (order by json '1')",
            "generate_series() within group (order by n)",
            "coalesce(n) within group (order by n)",
        ]);
        let table = format!("r{}", self.r.below(2));
        match self.r.below(8) {
            0 => format!("select m, {call} from {table} group by m"),
            1 => format!("select n, {call} from {table} group by n"),
            2 => format!("select id from {table} where ({call}) is null"),
            3 => format!("select (select {call}) from {table}"),
            4 => format!("select count(*) from {table} group by {call}"),
            _ => format!("select {call} from {table}"),
        }
    }
}
