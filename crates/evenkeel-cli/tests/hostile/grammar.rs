//! Statements that nest and chain every construct of the grammar, by chance and without end.

/// A random number generator (SplitMix64).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

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

/// Statements that have hurt, or that take long in one place.
pub fn known() -> Vec<String> {
    let union = " union all select 1".repeat(130);
    let bound = "1=1 and ".repeat(1480);
    let level = |n: usize, open: &str, close: &str, inner: &str| {
        format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    let mut known = vec![
        format!("{}select 1{}", "(".repeat(40), format!("{union})").repeat(40)),
        format!("select {}", level(40, "((", ") + 1)", "1")),
        format!("select 1 where {}", level(95, &format!("({bound}"), "true)", "")),
        format!("{}select 1{}", "(".repeat(40), format!("{})", " except select 1".repeat(130)).repeat(40)),
        format!(
            "with c0 as (select 1){} select * from c9999",
            (1..10_000).map(|i| format!(", c{i} as (select * from c{})", i - 1)).collect::<String>()
        ),
        format!("select $$'$$ {}", ",".repeat(60_000_000)),
        "select 1;".repeat(10_000),
        "select 1;".repeat(30_000),
        format!("select {}1", "1,".repeat(2_000_000)),
        format!("insert into t (a) values {}(1)", "(1),".repeat(2_000_000)),
    ];
    known.extend(
        [
            "select count(*) from generate_series(1,1000) a, generate_series(1,1000) b, generate_series(1,1000) c, generate_series(1,1000) d, generate_series(1,1000) e",
            "select count(*) from generate_series(1,1000) a, generate_series(1,1000) b, generate_series(1,1000) c where a + b + c < 0",
            "select count(*) from generate_series(0::numeric, 'infinity'::numeric, 10)",
            "select a from generate_series(1, 100000000) a order by a desc",
            "select count(distinct a) from generate_series(1, 100000000) a",
            "select count(*) from generate_series(1,3000000) a join generate_series(1,3000000) b on a = b",
            "select string_agg('xxxxxxxxxxxxxxxxxxxxxx', ',') from generate_series(1, 100000000)",
            "select array_agg(a) from generate_series(1, 100000000) a",
            "select length(regexp_replace(repeat('abc', 50000000), 'b', 'xyz', 'g'))",
            "select regexp_replace(repeat('a', 100000000), '(a|b)*c', 'x')",
            "select repeat('abc', 100000000) ~ '(x+x+)+y'",
            "select length(repeat('a', 200000000))",
            "select length(lpad('a', 200000000, 'xy'))",
            "select length(upper(repeat('a', 200000000)))",
            "select length(reverse(repeat('a', 200000000)))",
            "select length(replace(repeat('a', 100000000), 'a', 'bb'))",
            "select length(translate(repeat('a', 200000000), 'ab', 'cd'))",
            "select to_char(1, repeat('9', 100000000))",
            "select to_char(now(), repeat('DAY', 30000000))",
            "select length(encode(convert_to(repeat('a', 200000000), 'UTF8'), 'hex'))",
            "select length(encode(convert_to(repeat('a', 200000000), 'UTF8'), 'base64'))",
            "select length(decode(repeat('ab', 100000000), 'hex'))",
            "select md5(repeat('a', 250000000))",
            "select repeat('a', 200000000) like '%a%b'",
            "select repeat('a', 100000) like '%' || repeat('a', 50000) || 'b'",
            "select repeat('A', 200000000) ilike '%b'",
            "select array_length(string_to_array(repeat('a,', 50000000), ','), 1)",
            "select array_length(regexp_split_to_array(repeat('a,', 50000000), ','), 1)",
            "select array_length(array_fill(1, array[100000000]), 1)",
            "select array_to_string(array_fill(1, array[10000000]), ',') = ''",
            "select 9.9::numeric ^ 100000.1",
            "select exp(5000.5::numeric), ln(repeat('9', 100000)::numeric)",
            "select sqrt(repeat('9', 130000)::numeric)",
            "select factorial(32000) + factorial(32001)",
            "select repeat('9', 130000)::numeric * repeat('7', 130000)::numeric / 3",
            "select gcd(repeat('9', 130000)::numeric, repeat('7', 129999)::numeric)",
            "select length((repeat('9', 130000)::numeric)::text)",
            "select power(repeat('9', 1000)::numeric, 130)",
            "select repeat('a', 200000000)",
            "select convert_to(repeat('a', 200000000), 'UTF8')",
            "select repeat('x', 1000) from generate_series(1, 10000000)",
            "select length(concat(repeat('a', 200000000), repeat('b', 200000000), repeat('c', 200000000), repeat('d', 200000000)))",
            "select format('%200000000s', 'x') = ''",
            "select split_part(repeat('a,', 100000000), ',', 90000000)",
            "select substring(repeat('a', 200000000) from 'b+c')",
            "select initcap(repeat('a ', 100000000)) = quote_literal(repeat('''', 100000000))",
            "select pg_sleep(100)",
        ]
        .map(str::to_owned),
    );
    known.push(format!("select {}", vec!["repeat('a', 250000000)"; 30].join(", ")));
    known.push(format!("select {}", vec!["length(repeat('a', 250000000))"; 30].join(" + ")));
    known.push(format!("select {}", level(30, "(", " between false and true)", "true")));
    known
}
