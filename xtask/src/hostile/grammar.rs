//! Statements that nest and chain every construct of the grammar, by chance and without end.

/// A random number generator (SplitMix64).
pub struct Dice(u64);

impl Dice {
    /// With a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// Any number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.roll() % n as u64) as usize
    }

    /// Between 1 and `max`, small ones as often as large ones.
    pub fn size(&mut self, max: usize) -> usize {
        let bits = max.max(1).ilog2() as usize + 1;
        let top = 1usize << self.below(bits + 1);
        (1 + self.below(top)).min(max.max(1))
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// What goes before and behind an expression, once or many times.
const AROUND: &[(&str, &str)] = &[
    ("(", ")"),
    ("- ", ""),
    ("-(", ")"),
    ("+ ", ""),
    ("@ ", ""),
    ("~ ", ""),
    ("not ", ""),
    ("not (", ")"),
    ("", " + 1"),
    ("1 + ", ""),
    ("", " * 2"),
    ("2 ^ ", ""),
    ("", " || 'a'"),
    ("", " and true"),
    ("true or ", ""),
    ("(true and (", ") or false)"),
    ("", " = 1"),
    ("", " <> any (array[1])"),
    ("", " is null"),
    ("", " is not null"),
    ("", " is true"),
    ("", " is distinct from 1"),
    ("", "::text"),
    ("", "::int[]"),
    ("", "[]"),
    ("1::int", "[]"),
    ("cast(", " as text)"),
    ("array[", "]"),
    ("(array[", "])[1]"),
    ("", "[1]"),
    ("", "[1:2]"),
    ("row(", ")"),
    ("(1, ", ")"),
    ("case when true then ", " end"),
    ("case ", " when 1 then 2 else 3 end"),
    ("case when false then 1 else ", " end"),
    ("coalesce(", ", 1)"),
    ("nullif(", ", 2)"),
    ("greatest(1, ", ")"),
    ("abs(", ")"),
    ("length(", ")"),
    ("lower(", ")"),
    ("concat(", ", 'x')"),
    ("substring(", " from 1 for 2)"),
    ("extract(year from ", ")"),
    ("position('a' in ", ")"),
    ("trim(both 'x' from ", ")"),
    ("overlay(", " placing 'a' from 1)"),
    ("(select ", ")"),
    ("exists(select ", ")"),
    ("array(select ", ")"),
    ("1 in (select ", ")"),
    ("1 = all (select ", ")"),
    ("", " in (1, 2)"),
    ("1 in (", ", 3)"),
    ("", " not in (1)"),
    ("", " between 1 and 2"),
    ("1 between 0 and ", ""),
    ("", " like 'a%'"),
    ("'a' not like ", ""),
    ("", " ilike 'a' escape 'b'"),
    ("", " similar to 'a'"),
    ("", " ~ 'a'"),
    ("", " collate \"C\""),
    ("", " at time zone 'utc'"),
    ("interval ", ""),
    ("date ", ""),
    ("int ", ""),
    ("array ", ""),
    ("", " isnull"),
    ("", " notnull"),
    ("", " operator(pg_catalog.+) 1"),
    ("sum(", ")"),
    ("count(distinct ", ")"),
    ("string_agg(", ", ',' order by 1)"),
    ("", " over ()"),
    ("max(1) filter (where ", ")"),
    ("", ".a"),
    ("(", ").f"),
    ("\"a\"", ""),
    ("a.", ""),
    ("", ", 1"),
    ("1, ", ""),
    ("$1 + ", ""),
    ("", " as x"),
    ("/* ", " */ 1"),
    ("-- \n", ""),
    ("", " over (partition by 1 order by 2 rows between unbounded preceding and current row)"),
    ("rank() over (order by ", ")"),
    ("lag(", ", 1) over w"),
    ("count(*) filter (where ", " is null) over ()"),
    ("grouping(", ")"),
    ("array_agg(", " order by 1 desc nulls last)"),
    ("", " <= all (select 1)"),
    ("", " not similar to 'x' escape 'y'"),
    ("", " is not distinct from row(1, 2)"),
    ("", " between symmetric 2 and 1"),
    ("", " is json"),
    ("", "::numeric(10, 2)"),
    ("", "::varchar(5)[][]"),
    ("timestamp with time zone ", ""),
    ("$a$", "$a$"),
    ("e'\\x41' || ", ""),
    ("u&'\\0041' || ", ""),
    ("b'1' || ", ""),
    ("0x1F + ", ""),
    ("1e10 * ", ""),
    ("xmlelement(name a, ", ")"),
    ("format('%s', ", ")"),
    ("generate_series(1, ", ")"),
    ("unnest(array[", "])"),
    ("nullif(1, case when ", " is null then 1 end)"),
    ("mode() within group (order by ", ")"),
    ("percentile_disc(", ") within group (order by 1)"),
    ("rank(1, ", ") within group (order by a, b desc)"),
    ("((select x from (select ", ") x)).f1"),
];

/// The same for queries.
const QUERIES: &[(&str, &str)] = &[
    ("select * from (", ") q"),
    ("select (", ")"),
    ("(", ")"),
    ("", " union all select 1"),
    ("", " union select 1"),
    ("select 1 union all ", ""),
    ("select 1 union (", ")"),
    ("", " except select 2"),
    ("", " intersect select 1"),
    ("values (1) union ", ""),
    ("with c as (", ") select * from c"),
    ("with c as materialized (", ") select * from c, c d"),
    ("select 1 where exists (", ")"),
    ("select 1 from (select 1) a join lateral (", ") b on true"),
    ("select 1 from (select 1) a left join (", ") b on true"),
    ("select 1 from (select 1) a natural join (", ") b"),
    ("select 1 group by (", ")"),
    ("select 1 order by (", ")"),
    ("select 1 limit (", ")"),
    ("select 1 having 1 = (", ")"),
    ("select distinct on ((", ")) 1"),
    ("select * from (values ((", "))) v"),
    ("select * from generate_series(1, (", ")) g"),
    ("explain ", ""),
    ("explain (costs off) ", ""),
    ("prepare p as ", ""),
    ("copy (", ") to stdout"),
    ("create table x as ", ""),
    ("insert into t ", ""),
    ("insert into t (a) ", " on conflict do nothing"),
    ("update t set a = (", ")"),
    ("delete from t where a in (", ")"),
    ("", " limit 1"),
    ("", " for update"),
    ("", ";"),
    ("select 1;", ""),
    ("with recursive c as (", " union all select 1 from c) select * from c"),
    ("with c as (select 1), d as (", ") select * from c, d"),
    ("select * from t join (", ") b using (a)"),
    ("select * from t full join (", ") b on true"),
    ("select * from t cross join lateral (", ") b"),
    ("select 1 from t group by grouping sets ((a), (b), ()) having exists (", ")"),
    ("select 1 from t group by cube (a, b), rollup (a) order by (", ")"),
    ("select rank() over w from (", ") q window w as (order by 1)"),
    ("select * from t for update of t nowait; ", ""),
    ("create view v as ", ""),
    ("create materialized view v as ", ""),
    ("declare c cursor for ", ""),
    ("delete from t using (", ") q where true returning *"),
    ("update t set (a, b) = (", ") where current of c"),
    ("merge into t using (", ") q on true when matched then delete"),
    ("insert into t values ((", "), 'x') on conflict (a) do update set b = 'y' returning a"),
    ("copy t from stdin; ", ""),
    ("do $$ begin ", " end $$"),
    ("create function f() returns int as $$ ", " $$ language sql"),
    ("merge into t using (", ") q on true when not matched by source then delete returning old, new"),
    ("with u as (update t set a = (", ") returning old as o, new as n) select (o).a, (n).* from u"),
    ("select * from rows from (generate_series(1, 2), abs((", "))) with ordinality"),
    ("select * from jsonb_to_recordset((", ")) as x(a int, b text)"),
    ("analyze; ", ""),
    ("execute p(", ")"),
];

/// Lists and joins, an item at a time.
const LISTS: &[(&str, &str, &str)] = &[
    ("select ", "1, ", "1"),
    ("select ", "a, ", "1 from t"),
    ("select 1 from ", "t, ", "t"),
    ("select 1 from t ", "cross join t x ", ""),
    ("select 1 from t ", "join t u on true ", ""),
    ("select 1 from ", "(", "t"),
    ("select * from ", "((select 1) x join ", "t"),
    ("values ", "(1), ", "(1)"),
    ("insert into t values ", "(1, 'a'), ", "(1, 'a')"),
    ("select 1 in (", "1, ", "1)"),
    ("select 1 where ", "1 = 1 and ", "true"),
    ("select 1 where ", "1 = 2 or ", "true"),
    ("select 1 where ", "(1 = 2 or 2 = 2) and ", "true"),
    ("select case ", "when 1 = 2 then 3 ", "end"),
    ("select 1 order by ", "1, ", "1"),
    ("select 1 group by ", "1, ", "1"),
    ("select concat(", "'a', ", "'b')"),
    ("select array[", "1, ", "1]"),
    ("create table y (", "a int, ", "b int)"),
    ("create table y (a int, ", "check (a > 0), ", "b int)"),
    ("alter table t ", "add column b int, ", "add c int"),
    ("", "select 1;", "select 2"),
    ("", ";", "select 2"),
    ("", "begin;", "commit"),
    ("drop table ", "t, ", "t"),
    ("truncate ", "t, ", "t"),
    ("set search_path = ", "a, ", "b"),
    ("set application_name = '", "a", "'"),
    ("select ", "$1, ", "$65535"),
    ("select $", "9", ""),
    ("select $1", " + $2", ""),
    ("create table y (a int default ", "(1 + ", "1)"),
    ("create table y (a int check (", "a > 0 and ", "true))"),
    ("create table y (a int, ", "foreign key (a) references t (a), ", "b int)"),
    ("create table y (a int, ", "unique (a, b), ", "b int)"),
    ("create table y (", "a int generated always as identity, ", "b int)"),
    ("create index i on t (", "a, ", "b)"),
    ("create index i on t ((", "a + ", "1))"),
    ("create index i on t (a) where ", "a = 1 or ", "true"),
    ("create table ", "a.", "b (c int)"),
    ("alter table t ", "alter column a set not null, ", "alter column b drop default"),
    ("comment on table t is '", "x", "'"),
    ("grant ", "select, ", "insert on t to u"),
    ("select 1 from t group by grouping sets (", "(a), ", "())"),
    ("select 1 from t group by cube (", "a, ", "b)"),
    ("select rank(1) within group (order by ", "a, ", "b) from t"),
    ("select * from rows from (", "upper('a'), ", "lower('b'))"),
    ("select * from rows from (json_to_record('{}') as (", "a int, ", "b int))"),
    ("select * from json_to_record('{}') as x(", "a int, ", "b int)"),
    ("update t set a = 1 returning ", "old.a, new.b, ", "old"),
    ("update t set a = 1 returning with (", "old as o, ", "new as n) a"),
    (
        "merge into t using t u on t.a = u.a ",
        "when not matched by source and t.a = 1 then delete ",
        "when not matched by target then do nothing",
    ),
    ("select 1 from t window ", "w as (order by a), ", "x as ()"),
    ("select * from t ", "natural join t ", ""),
    ("select * from t ", "join t using (a) ", ""),
    ("with ", "c as (select 1), ", "d as (select 2) select 1"),
    ("select count(*) from t where a in (", "select a from t where a in (", "1"),
    ("update t set ", "a = 1, ", "b = 'x'"),
    ("insert into t (", "a, ", "b) values (1)"),
    ("select 1 where (", "1, ", "1) = (1)"),
    ("select $a$", "$b$", "$a$"),
    ("select U&'", "\\0061", "'"),
    ("select b'", "1", "'"),
    ("select x'", "f", "'::bytea"),
    ("select '", "\\\\", "'::bytea"),
    ("select 1 ", "/* a */ ", ""),
    ("select 1", "::int", ""),
    ("", "savepoint a;", "rollback"),
    ("begin;", "savepoint a;", "rollback"),
    ("listen ", "a", ""),
    ("lock ", "t, ", "t"),
    ("vacuum (", "verbose, ", "analyze) t"),
    ("select extract(", "year ", "from now())"),
    ("select 'x' similar to '", "(a|b)*", "'"),
    ("select '", "{", "'::json"),
    ("select 1 limit ", "1 + ", "1"),
    ("select 'a", "''", "'"),
    ("select 'a'", "\n'b'", ""),
    ("select e'", "\\n", "'"),
    ("select $$", "'", "$$"),
    ("select $$'$$ ", ",", ""),
    ("select ", ",", ""),
    ("select ", "$", ""),
    ("select ", "$a", ""),
    ("select ", "'", ""),
    ("select ", "\"", ""),
    ("select \"", "a", "\""),
    ("select 1", "0", ""),
    ("select 0.", "1", ""),
    ("", "/*", ""),
    ("", "--\n", "select 1"),
    ("/*", "/**/", "*/ select 1"),
    ("select ", "+", "1"),
    ("select ", "=", "1"),
    ("select ", "a.", "b"),
    ("select ", ": ", ""),
    ("select ", "@ ", "1"),
    ("select ", "a ", ""),
    ("select ", "select ", ""),
    ("select 1 from ", "from ", ""),
    ("", "(", ""),
    ("select 1", ")", ""),
    ("select ", "[", ""),
    ("select '", "{", "'::int[]"),
    ("select '{", "{1},", "{1}}'::int[]"),
    ("select '", "(", "'::text ~ 'x'"),
    ("select 'x' ~ '", "(", "'"),
    ("select 'x' ~ '", "(a|", "'"),
    ("select 'x' ~ '", "a*", "b'"),
    ("select 'x' ~ '", "[", "'"),
    ("select 'x' like '", "%a", "'"),
    ("select '", "1 day ", "'::interval"),
    ("select '", "9", "'::numeric"),
    ("select '{", "\"a\":{", "'"),
    ("select to_char(1, '", "9", "')"),
    ("select to_char(now(), '", "DAY", "')"),
    ("select format('", "%s", "', 1)"),
    ("select to_date('1', '", "Y", "')"),
];

/// A statement of about `max` bytes at most.
pub fn statement(dice: &mut Dice, max: usize) -> String {
    if dice.below(3) == 0 {
        let (head, item, tail) = LISTS[dice.below(LISTS.len())];
        let n = dice.size(max / item.len());
        return format!("{head}{}{tail}", item.repeat(n));
    }
    if dice.below(12) == 0 {
        let n = dice.size(max / 30);
        let parts: Vec<String> = (1..n).map(|i| format!("c{i} as (select * from c{})", i - 1)).collect();
        let comma = if parts.is_empty() { "" } else { ", " };
        return format!("with c0 as (select 1){comma}{} select * from c{}", parts.join(", "), n - 1);
    }
    let mut expression = dice.pick(&["1", "'a'", "null", "true", "now()", "$1", "array[1]", "a"]).to_owned();
    for _ in 0..1 + dice.below(4) {
        expression = repeated(dice, AROUND, expression, max);
    }
    let from = dice.pick(&["", "", " from t", " from t where a = 1", " from t group by 1"]);
    let mut query = match dice.below(4) {
        0 => format!("select 1 where {expression}"),
        1 => format!("values ({expression})"),
        _ => format!("select {expression}{from}"),
    };
    for _ in 0..dice.below(4) {
        query = repeated(dice, QUERIES, query, max);
    }
    query
}

fn repeated(dice: &mut Dice, table: &[(&str, &str)], inner: String, max: usize) -> String {
    // One of them, or two in turn.
    let (one, two) = (table[dice.below(table.len())], table[dice.below(table.len())]);
    let pair = if dice.below(3) == 0 { vec![one, two] } else { vec![one] };
    let cost: usize = pair.iter().map(|(a, b)| a.len() + b.len()).sum();
    let n = dice.size(max.saturating_sub(inner.len()) / cost.max(1));
    let before: String = pair.iter().map(|p| p.0).collect();
    let behind: String = pair.iter().rev().map(|p| p.1).collect();
    format!("{}{inner}{}", before.repeat(n), behind.repeat(n))
}
