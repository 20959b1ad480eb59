//! Statements that take long by rows of composite types, functions that return sets in select lists, JSON paths, and bit strings. Like those of `known`, they hurt nobody if they end
//! when they are told to.

/// What their types and tables are made by, beside those of `stops` and `richer`.
pub const PREPARATION: [&str; 5] = [
    "create type point2 as (x int, y int)",
    "create type piece as (name text, at point2, past point2[], nums int[])",
    "create table pieces (id int primary key, p point2, ps point2[], c piece, cs piece[], nums int[])",
    "insert into pieces select g, row(g, g % 7)::point2, array[row(g, 1)::point2], row('n' || g, row(g, 2), null, array[g])::piece, array[row('m', null, array[row(1, g)::point2], null)::piece], array[g] from generate_series(1, 100000) g",
    "create index on pieces (p)",
];

/// A document of three lists in one another, and a long list.
const CUBE: &str = "(select jsonb_agg(b) from (select jsonb_agg(a) as b from generate_series(1, 100) x, lateral (select jsonb_agg(g) as a from generate_series(1, 100) g) y group by x) z)";
const LONG: &str = "(select jsonb_agg(g) from generate_series(1, 300000) g)";

/// The statements.
pub fn ones_of_values() -> Vec<String> {
    let mut list = rows();
    list.extend(sets());
    list.extend(paths());
    list.extend(bits());
    list
}

fn strings(of: &[&str]) -> Vec<String> {
    of.iter().map(|sql| (*sql).to_owned()).collect()
}

fn rows() -> Vec<String> {
    let mut list = strings(&[
        "select count(distinct row(g, g)) from generate_series(1, 100000000) g",
        "select array_agg(row(g, g)::point2) from generate_series(1, 100000000) g",
        "select array_fill(row(1, 2)::point2, array[10000000]) = array_fill(row(1, 2)::point2, array[10000000])",
        "select array_fill(row(1, 2)::point2, array[10000000])::text = ''",
        "select array_position(array_fill(row(1, 2)::point2, array[10000000]), row(2, 3)::point2)",
        "select array_remove(array_fill(row(1, 2)::point2, array[10000000]), row(1, 2)::point2)",
        "select array_sort(array_agg(row(-g, g)::point2)) from generate_series(1, 3000000) g",
        "select ('{' || repeat('\"(1,2)\",', 10000000) || '\"(1,2)\"}')::point2[]",
        "select ('(' || repeat('\"', 100000000) || ',1)')::point2",
        "select ('(' || repeat(',', 100000000) || ')')::point2",
        "select ('(' || repeat(' ', 100000000) || '1,2)')::point2",
        "select row(repeat('\"', 100000000), repeat('\\', 100000000))::text",
        "select row_to_json(row(repeat('\"', 100000000), repeat('\\', 100000000)))",
        "select to_jsonb(array_fill(row(1, 2)::point2, array[5000000]))",
        "select count(*) from jsonb_populate_recordset(null::piece, (select jsonb_agg(jsonb_build_object('name', g)) from generate_series(1, 1000000) g))",
        "select jsonb_populate_record(null::piece, jsonb_build_object('past', (select jsonb_agg(jsonb_build_object('x', g)) from generate_series(1, 3000000) g)))",
        "select x from pieces x order by x desc",
        "select x, count(*) from pieces x group by x",
        "select count(*) from pieces x join pieces y on x.c = y.c or x.cs = y.cs",
        "select count(*) from pieces x, pieces y where x.p < y.p and x.c > y.c",
        "select count(*) from pieces x, pieces y where row(x.*) = row(y.*)",
        "select max(c), min(cs), count(distinct p) from pieces, generate_series(1, 100)",
        "select rank() over (order by cs desc), lag(c) over (order by p, id) from pieces, generate_series(1, 20)",
        "select (unnest(cs)).* from pieces, generate_series(1, 1000)",
        "update pieces set p.x = (p).x + 1, c.at.y = 5, cs[1].name = 'x'",
        "update pieces set nums[1000] = 1, ps[500].x = 5",
        "update pieces set nums[100000000] = 1",
        "update pieces set nums[134217727] = 1 where id = 1",
        "update pieces set nums[2147483646] = 1 where id = 1",
        "update pieces set nums[-2147483648] = 1 where id = 1",
        "update pieces set ps[30000000].x = 1 where id = 1",
        "update pieces set nums[1:100000000] = array_fill(1, array[100000000]) where id = 1",
        "update pieces set c.nums[50000000] = 1 where id = 1",
        "update pieces set cs[3000000].past[3000000].x = 1 where id = 1",
        "insert into pieces (id, nums[100000000]) values (-1, 5)",
        "insert into pieces (id, p.x, c.at.x) select g + 1000000, g, g from generate_series(1, 1000000) g",
        "merge into pieces x using big y on x.id = y.id when matched then update set p.x = y.n, ps[2] = null",
        "create index on pieces (c, cs)",
        "create table spread as select (c).*, (p).* from pieces, generate_series(1, 50)",
        "alter table pieces add column later point2 generated always as (row((p).x, id)) stored",
        "alter table pieces alter c type text using c::text",
        "alter type point2 add attribute z int cascade",
        "select array_agg(x) from pieces x, generate_series(1, 1000)",
        "select string_agg(x::text, ',') from pieces x, generate_series(1, 1000)",
        "select json_agg(x) from pieces x, generate_series(1, 1000)",
        "with recursive r as (select row(1, 2)::point2 as p union all select row((p).x + 1, (p).y)::point2 from r) select count(*) from r",
        "with recursive r as (select array[row(1, 2)::point2] as p union all select p || p from r) select count(*) from r",
    ]);
    let around = |n: usize, open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    for n in [20, 40, 200, 3000, 100_000] {
        // As a text each row within a row has twice the quotes.
        list.push(format!("select {}::text", around(n, "row(", "'\"', 1", ")")));
        list.push(format!("select {}::text", around(n, "row(array[", "'\"'", "])")));
        list.push(format!("select to_jsonb({})", around(n, "row(1, ", "1", ")")));
        list.push(format!("select {0} = {0}", around(n, "row(1, ", "1", ")")));
        list.push(format!("select {}", around(n, "(", "row(1, 2)::point2", ").x")));
        list.push(format!("select {}", around(n, "((", "c", ").at).past[1]") + " from pieces"));
        list.push(format!("select c{} from pieces", ".at".repeat(n)));
        list.push(format!("select (c){} from pieces", ".past[1]".repeat(n)));
        list.push(format!("update pieces set c{} = 1", ".at".repeat(n)));
        list.push(format!("update pieces set nums{} = 1", "[1]".repeat(n)));
        list.push(format!("update pieces set cs{} = 1", "[1].past".repeat(n)));
        list.push(format!("insert into pieces (c{}) values (1)", ".at[1]".repeat(n)));
        list.push(format!("select {}", around(n, "(", "row(1, 2)::point2", "::text::point2)")));
        let sets: Vec<String> = (1..=n).map(|i| format!("nums[{i}] = {i}")).collect();
        list.push(format!("update pieces set {}", sets.join(", ")));
        list.push(format!("update pieces set {}", vec!["p.x = 1"; n].join(", ")));
        list.push(format!("select {} from pieces", vec!["(c).*"; n].join(", ")));
        list.push(format!("select row({}) from pieces", vec!["pieces.*"; n].join(", ")));
    }
    let numbered = |n: usize, one: &dyn Fn(usize) -> String| -> String {
        (1..=n).map(|i| format!("{}; ", one(i))).collect()
    };
    for n in [30, 500, 5000] {
        let chain = ".a".repeat(n);
        list.push(format!(
            "begin; create type h0 as (a int); {} create table hold (h h{n}); insert into hold values (null); update hold set h{chain}.a = 1; select (h){chain}.a from hold; select h, to_jsonb(h), h = h from hold; rollback",
            numbered(n, &|i| format!("create type h{i} as (a h{})", i - 1)),
        ));
    }
    // Each has twice the fields of the one before.
    list.push(format!(
        "begin; create type m0 as (a int); {} create table hold (h m25); select null::m25, row(null, null)::m25; insert into hold values (row(null, null)); select jsonb_populate_record(null::m25, '{{\"a\": {{}}}}'); rollback",
        numbered(25, &|i| format!("create type m{i} as (a m{0}, b m{0})", i - 1)),
    ));
    for n in [1600, 1700, 30_000] {
        let fields: Vec<String> = (0..n).map(|i| format!("f{i} int")).collect();
        list.push(format!("begin; create type wide as ({}); create table hold (w wide); insert into hold select null from generate_series(1, 100000); select (w).* from hold; update hold set w.f5 = 1; rollback", fields.join(", ")));
        list.push(format!(
            "begin; create type wide as (f int); {} rollback",
            numbered(n, &|i| format!("alter type wide add attribute f{i} int"))
        ));
    }
    list
}

fn sets() -> Vec<String> {
    let mut list = strings(&[
        "select generate_series(1, 1000000000)",
        "select generate_series(1, 1000000000), generate_series(1, 3)",
        "select generate_series(1, generate_series(1, 1000000000))",
        "select generate_series(1, generate_series(1, generate_series(1, generate_series(1, 1000))))",
        "select count(*) from (select generate_series(1, 1000000000) * 2 as x) q where x < 0",
        "select count(*) from (select generate_series(1, 100000) + generate_series(1, 99999999)) q",
        "select distinct generate_series(1, 100000000) % 2",
        "select distinct on (generate_series(1, 100000000) % 7) id from big",
        "select generate_series(1, 100000000) as g order by g desc limit 1",
        "select generate_series(1, 100000000) % 10 as g, count(*) from t group by g",
        "select id, generate_series(1, n) from big order by generate_series(1, n), id",
        "select id, unnest(array_fill(n, array[1000])) from big",
        "select unnest(array_fill(1, array[100000000]))",
        "select unnest(array_fill(row(1, 2)::point2, array[10000000])) = row(1, 3)::point2",
        "select (unnest(array_fill(row(1, 2)::point2, array[10000000]))).*",
        "select regexp_split_to_table(repeat('a', 100000000), '')",
        "select (regexp_matches(repeat('a', 100000000), 'a', 'g'))[1]",
        "select string_to_table(repeat('a,', 50000000), ',')",
        "select generate_subscripts(array_fill(1, array[100000000]), 1) + 1",
        "select jsonb_array_elements((select jsonb_agg(g) from generate_series(1, 5000000) g))",
        "select jsonb_each((select jsonb_object_agg(g, g) from generate_series(1, 1000000) g))",
        "select jsonb_object_keys((select jsonb_object_agg(g, g) from generate_series(1, 1000000) g)) || 'x'",
        "select array(select generate_series(1, 1000000000))",
        "select exists (select generate_series(1, 1000000000) where false)",
        "select (select count(*) from (select generate_series(1, n * 100000)) q) from big",
        "select string_agg(x, '') from (select repeat('a', generate_series(1, 1000000)) as x) q",
        "select repeat('a', 100000000), generate_series(1, 100000000)",
        "insert into child values (generate_series(1, 100000000))",
        "insert into big values (generate_series(1000000, 100000000), 1)",
        "create table series as select generate_series(1, 100000000) as g",
        "select generate_series(timestamp '2000-01-01', 'infinity', '1 microsecond')",
        "select generate_series(1::numeric, 1e1000, 1e-10)",
        "select generate_series(1::numeric, 2, 1e-1000)",
        "select generate_series(1, 9223372036854775807) where false",
        "select count(*) from rows from (generate_series(1, 100000000), generate_series(1, 3), unnest(array_fill(1, array[10000000])))",
        "select sum(n) over (order by generate_series(1, 5)) from big",
        "select rank() over (order by id), generate_series(1, 1000) from big",
        "with recursive r as (select generate_series(1, 10) as n union all select generate_series(1, 10) + n from r) select count(*) from r",
        "select generate_series(1, 1000000000) union select generate_series(1, 1000000000)",
        "select generate_series(1, 1000000000) intersect select generate_series(5, 1000000000)",
        "begin; declare c cursor with hold for select generate_series(1, 100000000), id from big; commit",
        "begin; declare c scroll cursor for select generate_series(1, 100000000); fetch last from c",
        "copy (select generate_series(1, 1000000000)) to stdout",
    ]);
    for n in [100, 1000, 20_000] {
        list.push(format!("select {}", vec!["generate_series(1, 100000)"; n].join(", ")));
        list.push(format!("select {}1{}", "generate_series(1, ".repeat(n), ")".repeat(n)));
        list.push(format!("select {}2{}", "generate_series(1, ".repeat(n), ")".repeat(n)));
        list.push(format!("select {}", vec!["generate_series(1, 100000)"; n].join(" + ")));
        list.push(format!("select {}array[[1, 2], [3, 4]]{}", "array[unnest(".repeat(n), ")]".repeat(n)));
        let keys: Vec<String> = (1..=n).map(|i| format!("generate_series(1, {i})")).collect();
        list.push(format!("select count(*) from t group by {}", keys.join(", ")));
        list.push(format!("select distinct 1 order by {}", keys.join(", ")));
        list.push(format!("select id from big order by {}", keys.join(", ")));
        list.push(format!("select * from rows from ({})", keys.join(", ")));
    }
    list
}

fn paths() -> Vec<String> {
    let deep = |n: usize| format!("(repeat('[', {n}) || repeat(']', {n}))::jsonb");
    let mut list = Vec::new();
    let mut find = |document: &str, path: &str| {
        list.push(format!("select count(*) from jsonb_path_query({document}, '{path}')"));
    };
    for path in [
        "$.**",
        "$.**.**",
        "$.**.**.**.**.**",
        "strict $.**.**.**.**",
        "$.**{1 to 1000}.**{1 to 1000}",
        "$.**{last}.**",
        "$.** ? (exists (@.** ? (exists (@.** ? (@ == 5)))))",
        "$.** ? (@.**.size() > 5).**",
    ] {
        find(CUBE, path);
        find(&deep(6000), path);
    }
    for path in [
        "$[*] ? (@ == $[*] && @ < 0)",
        "$[*] ? (exists ($[*] ? (exists ($[*] ? (@ == -1)))))",
        "$[0 to 2000000000]",
        "$[0 to 2000000000][0 to 2000000000]",
        "$[-2000000000 to 2000000000]",
        "$[$[*]]",
        "$[*].string() ? (@ like_regex \"^(9+)+$\")",
        "$[*] ? (@.string() like_regex \"((1|2|3)*)*x\")",
        "$[*] ? (@.double() / 3 > $[*].double())",
        "$[*].decimal(1000, 900)",
        "$.size() + $[*]",
        "-$[*]",
        "$[*] ? (!(!(@ > 5 || @ < 3) && (@ == $.size()) is unknown))",
        "$[*].type() ? (@ starts with \"n\")",
        "$[*] ? ($[last] > @ && $[last] == $[*])",
    ] {
        find(LONG, path);
    }
    for path in [
        "$ ? (@ like_regex \"(a|aa)+b\")",
        "$ ? (@ like_regex \"(x+x+)+y\")",
        "$ ? (@ like_regex \"((((a{1,100}){1,100}){1,100}){1,100})c\")",
        "$ ? (@ like_regex \"^(.*)*$\" flag \"is\")",
        "$ ? (@ like_regex \"(a*)*(a*)*(a*)*b\" flag \"q\")",
        "$ ? (@ like_regex \"[[:alpha:]]{255}b\")",
        "$.double()",
        "$.datetime()",
        "$.datetime(\"YYYY-MM-DD\")",
        "$.number()",
        "$.boolean()",
        "$.decimal(5)",
        "$.string() ? (@ starts with \"aaaaaaaaaaaaaab\")",
        "$ ? (@ > \"aaa\" && @ == @)",
    ] {
        find("to_jsonb(repeat('a', 50000000))", path);
    }
    find("('{\"a\": ' || repeat('9', 130000) || '}')::jsonb", "$.a * $.a * $.a");
    find("('{\"a\": ' || repeat('9', 130000) || '}')::jsonb", "$.a / 7 % 3");
    find(
        "(select jsonb_object_agg(g, g) from generate_series(1, 1000000) g)",
        "$.keyvalue() ? (@.value == @.key)",
    );
    find("(select jsonb_object_agg(g, g) from generate_series(1, 1000000) g)", "$.*.* ? (@ > 1)");
    find(
        "(select jsonb_object_agg(g, g) from generate_series(1, 1000000) g)",
        "$.keyvalue().keyvalue().keyvalue()",
    );
    list.extend(strings(&[
        "select jsonb_path_query_array((select jsonb_agg(g) from generate_series(1, 3000000) g), '$[*] ? (@ > $x)', '{\"x\": 0}')",
        "select jsonb_path_query('1', '$x[*] ? (@ == $x[*] && @ < 0)', jsonb_build_object('x', (select jsonb_agg(g) from generate_series(1, 100000) g)))",
        "select json_query((select jsonb_agg(g) from generate_series(1, 3000000) g), '$[*]' with wrapper)",
        "select json_query((select jsonb_agg(g) from generate_series(1, 1000000) g), '$.**.**' with wrapper)",
        "select json_value((select jsonb_agg(g) from generate_series(1, 3000000) g), '$.** ? (@ == 3000000)' returning int)",
        "select json_exists((select jsonb_agg(g) from generate_series(1, 100000) g), '$[*] ? (@ == $[*] + 200000)')",
        "select json_exists(repeat('[', 1000000), '$')",
        "select json_query('[' || repeat('1,', 30000000) || '1]', '$[*]' with wrapper)",
        "select count(*) from docs where j @? '$.** ? (@ > 5 && exists ($.**))'",
        "select count(*) from docs x, docs y where x.j @? '$.l[*] ? (@ > 100)' and x.j @@ '$.k == 5'",
        "select count(*) from docs, generate_series(1, 1000) where jsonb_path_exists(j, '$.**.**.** ? (@ like_regex \"(a|b)*c\")')",
        "update docs set j = jsonb_path_query_array(j, '$.**')",
        "select jsonb_path_query(j, '$.**') from docs, generate_series(1, 100)",
        "select ('$[' || repeat('0,', 10000000) || '0]')::jsonpath",
        "select ('$' || repeat('.a', 10000000))::jsonpath",
        "select ('$' || repeat(' + $', 3000000))::jsonpath",
        "select (repeat('-', 10000000) || '$')::jsonpath",
        "select ('$ ? (' || repeat('!(', 3000000) || '@ == 1')::jsonpath",
        "select ('$' || repeat(' ? (@ == 1)', 1000000))::jsonpath",
        "select ('$ ? (' || repeat('@ == 1 && ', 1000000) || '@ == 1)')::jsonpath",
        "select ('$ ? (' || repeat('exists (@ ? (', 1000000))::jsonpath",
        "select ('\"' || repeat('a', 100000000) || '\"')::jsonpath",
        "select ('\"' || repeat('\\u0061', 10000000) || '\"')::jsonpath",
        "select ('$.\"' || repeat('a', 100000000) || '\"')::jsonpath::text",
        "select (repeat('9', 100000000))::jsonpath",
        "select '1e1000000000'::jsonpath",
        "select ('$ ? (@ like_regex \"' || repeat('(a|b)*', 300000) || '\")')::jsonpath",
        "select ('$ ? (@ like_regex \"' || repeat('(', 1000000) || '\")')::jsonpath",
        "select ('/*' || repeat('a', 100000000) || '*/ $')::jsonpath",
        "select repeat(' ', 200000000)::jsonpath",
    ]));
    for n in [100, 1000, 3000] {
        list.push(format!("select jsonb_path_query({}, ('$' || repeat('[*]', {n}))::jsonpath)", deep(n)));
        list.push(format!("select jsonb_path_query('[1, 2]', ('$' || repeat('[*, *]', {n}))::jsonpath)"));
        list.push(format!("select jsonb_path_query('[1, 2]', ('$[' || repeat('0 to 1, ', {n}) || '0]' || repeat('[0, 0]', {n}))::jsonpath)"));
        list.push(format!(
            "select jsonb_path_query('[1]', ('$' || repeat(' ? (exists (@[*]))', {n}))::jsonpath)"
        ));
        list.push(format!(
            "select jsonb_path_query('[1]', (repeat('(', {n}) || '$[*]' || repeat(' + 1)', {n}))::jsonpath)"
        ));
        list.push(format!("select jsonb_path_query('[1]', ('$ ? (' || repeat('!(', {n}) || '@ == 1' || repeat(')', {n}) || ')')::jsonpath)"));
        list.push(format!("select jsonb_path_query('[1]', ('$' || repeat(' ? (exists (@', {n}) || repeat('))', {n}))::jsonpath)::text"));
    }
    list
}

fn bits() -> Vec<String> {
    let b = "(~ b'0'::bit(83886080))";
    let mut list: Vec<String> = [
        "select {}",
        "select {}::text = 'x'",
        "select {} || {} || {}",
        "select {} & {} | {} # {}",
        "select {} << 41943040, {} >> 1",
        "select bit_count({}), length({}), octet_length({})",
        "select position(b'0' in {})",
        "select position((b'1'::bit(1000000) >> 999999) in {})",
        "select substring({} from 5 for 80000000)",
        "select overlay({} placing b'0' from 40000000)",
        "select set_bit({}, 80000000, 0), get_bit({}, 80000000)",
        "select {} = {}, {} < {}",
        "select {}::bit(5), {}::varbit(83886080)",
        "select array[{}, {}, {}]",
        "select to_jsonb({})",
        "select bit_or({}), bit_and({}), bit_xor({}) from generate_series(1, 1000)",
        "select count(distinct {}) from generate_series(1, 1000)",
        "select string_agg({}::text, ',') from generate_series(1, 100)",
        "select {} from generate_series(1, 1000) order by 1",
        "select repeat('1', 200000000)::varbit",
        "select repeat('1', 200000000)::bit(83886080)",
        "select ('x' || repeat('f', 200000000))::varbit",
        "select repeat('2', 200000000)::varbit",
        "select b'1'::bit(83886081)",
        "select 1::bit(83886080), 1::bigint::bit(83886080)",
        "select {}::int",
        "select {}::bit(64)::bigint from generate_series(1, 1000)",
        "create table strings (b bit(83886080), v bit varying(83886080))",
        "create temp table strings as select {} as b from generate_series(1, 10)",
        "select row({}, {})::text",
        "select max(id::bit(83886080)::text) from big",
        "select count(*) from big where n::bit(8388608) = id::bit(8388608)",
        "select count(*) from generate_series(1, 100000000) g where g::bit(32) & b'1'::bit(32) = b'0'::bit(32)",
        "select count(distinct g::bit(32)) from generate_series(1, 100000000) g",
        "with recursive r as (select b'1'::varbit as b union all select b || b from r) select count(*) from r",
        "select count(distinct ('08:00:2b:01:02:03:' || lpad(to_hex(g / 256 % 256), 2, '0') || ':' || lpad(to_hex(g % 256), 2, '0'))::macaddr8) from generate_series(1, 100000000) g",
        "select (repeat('0', 100000000) || ':')::macaddr8",
    ]
    .map(|sql| sql.replace("{}", b))
    .into();
    list.push(format!("select b'{}'", "1".repeat(50_000_000)));
    list.push(format!("select x'{}'", "f".repeat(50_000_000)));
    list.push(format!("select {}", vec![b; 2000].join(" || ")));
    list.push(format!("select {}", vec![b; 2000].join(" & ")));
    list
}
