//! Statements that take long by windows, recursion, GROUPING SETS, MERGE, changes in WITH and their old and new rows, views, enums, generated columns, inverted indexes, JSON,
//! functions side by side and aggregates over ordered rows. Like those of `known`,
//! they hurt nobody if they end when they are told to.

/// What their tables are made by, beside those of `stops`.
pub const PREPARATION: [&str; 6] = [
    "create table docs (id int primary key, j jsonb, w text[], twice int generated always as (id * 2) stored)",
    "insert into docs (id, j, w) select g, jsonb_build_object('k', g % 100, 'l', jsonb_build_array(g, g + 1)), array[g::text, (g % 10)::text] from generate_series(1, 60000) g",
    "create index docs_j on docs using gin (j)",
    "create materialized view kept as select n, count(*) from big group by n",
    "create type many as enum ('a')",
    "create view seen as select x.id, x.n, y.id as other from big x join docs y on x.n = y.id",
];

/// The statements.
pub fn rich_ones() -> Vec<String> {
    let mut list: Vec<String> = [
        "select count(*) from (select array_agg(g) over (order by g) from generate_series(1, 100000) g) q",
        "select count(*) from (select string_agg(g::text, ',') over (order by g) from generate_series(1, 100000) g) q",
        "select count(*) from (select jsonb_agg(g) over (order by g rows between 1000 preceding and 1000 following) from generate_series(1, 100000) g) q",
        "select count(*) from (select max(g) over (order by g rows between 50000 preceding and 50000 following) from generate_series(1, 1000000) g) q",
        "select count(*) from (select min(g) over (order by -g range between 50000 preceding and 50000 following exclude ties) from generate_series(1, 1000000) g) q",
        "select count(*) from (select sum(g) over (order by g % 10 groups between 1 preceding and 1 following exclude group) from generate_series(1, 1000000) g) q",
        "select count(*) from (select sum(g) over (rows between unbounded preceding and unbounded following exclude current row) from generate_series(1, 1000000) g) q",
        "select count(*) from (select nth_value(g, 500000) over (order by g), lead(g, 400000) over (order by g), ntile(7) over (order by -g) from generate_series(1, 1000000) g) q",
        "select count(*) from (select percent_rank() over (order by v), cume_dist() over (partition by n order by v) from big) q",
        "select id, first_value(v) over (partition by n order by id rows between current row and unbounded following exclude current row) from big",
        "with recursive r as (select 'a'::text t union all select t || t from r) select count(*) from r",
        "with recursive r(a) as (select array[1] union all select a || a from r) select count(*) from r",
        "with recursive r as (select 1 n union all select n + 1 from r, generate_series(1, 10)) select count(*) from r",
        "with recursive r as (select 1 n union select n + 1 from r) select * from r",
        "with recursive r (n) as (select 1 union all select n + 1 from r) search depth first by n set o select * from r",
        "with recursive r (n) as (select 1 union all select n + 1 from r) cycle n set c using p select * from r",
        "with recursive r (id) as (select id from big where id = 1 union all select b.id from big b join r on b.n = r.id % 1000) select count(*) from r",
        "with recursive a (x) as (select 1 union all select x + 1 from a), b (y) as (select x from a union all select y from b) select count(*) from b",
        "select n, (with recursive r as (select n x union all select x + 1 from r) select count(*) from r) from big",
        "select count(*) from (select 1 from big group by cube (n, id, v, n + 1, id + 1, n + 2)) q",
        "select count(*) from (select 1 from big group by cube (n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, n + 11)) q",
        "select count(*) from (select array_agg(id) from big group by rollup (n, v, id)) q",
        "select count(*) from (select grouping(n), count(distinct v) from big group by grouping sets ((n), (id), (v), ()), rollup (id, n)) q",
        "select count(*) from generate_series(1, 100000) a, lateral generate_series(1, a) b, lateral generate_series(1, b) c",
        "select count(*) from big x, lateral (select count(*) from big y where y.n > x.n) l",
        "select count(*) from big x left join lateral (select * from child y where y.id > x.id order by y.id desc limit 3) l on true",
        "merge into big using (select id, n from big) s on big.id = s.id when matched and s.n < 500 then delete when matched then update set n = s.n + 1",
        "merge into big using (select id + 400000 as id from big) s on big.id = s.id when matched then do nothing when not matched then insert values (s.id, 1, 'm')",
        "merge into big using child s on big.n = s.id % 1000 when matched then update set n = 5",
        "with d as (delete from big returning *), i as (insert into child select id from d returning *) select count(*) from i",
        "with u as (update big set n = n + 1 returning *), v as (update docs set w = w || 'x' returning *) select count(*) from u, v",
        "with i as (insert into big select id + 10000000, n, v from big returning id) select count(*) from i x, i y",
        "select jsonb_agg(g) from generate_series(1, 50000000) g",
        "select jsonb_object_agg(g, g) from generate_series(1, 50000000) g",
        "select json_agg(repeat('a', 1000000)) from generate_series(1, 1000) g",
        "select jsonb_pretty(jsonb_agg(jsonb_build_object('a', g))) from generate_series(1, 3000000) g",
        "select to_jsonb(array_fill(0, array[20000000]))",
        "select count(*) from jsonb_array_elements((select jsonb_agg(g) from generate_series(1, 5000000) g))",
        "select (select jsonb_agg(g) from generate_series(1, 1000000) g) @> (select jsonb_agg(-g) from generate_series(1, 1000000) g)",
        "select (select jsonb_agg(g) from generate_series(1, 1000000) g) = (select jsonb_agg(g) from generate_series(1, 1000000) g)",
        "select (select jsonb_object_agg(g, g) from generate_series(1, 1000000) g) - (select array_agg(g::text) from generate_series(1, 1000000) g)",
        "select jsonb_set((select jsonb_agg(g) from generate_series(1, 3000000) g), '{5}', '1') || '[1]'",
        "select jsonb_strip_nulls((select jsonb_object_agg(g, null) from generate_series(1, 3000000) g))",
        "select count(*) from jsonb_each((select jsonb_object_agg(g, g) from generate_series(1, 1000000) g))",
        "select (repeat('[', 5000) || repeat(']', 5000))::jsonb #> array_fill('0'::text, array[100000])",
        "select count(*) from jsonb_path_query((repeat('[', 3000) || repeat(']', 3000))::jsonb, '$.**.**.**')",
        "select jsonb_path_exists((select jsonb_agg(g) from generate_series(1, 300000) g), '$[*] ? (@ == $[*] && @ < 0)')",
        "select (repeat('(', 3000000) || '$')::jsonpath",
        "select jsonb_build_array(variadic array_fill('a'::text, array[10000000]))",
        "select count(*) from docs x, docs y where x.j @> y.j",
        "select count(*) from docs x join docs y on x.w && y.w",
        "select count(*) from docs where j ?| (select array_agg(g::text) from generate_series(1, 500000) g)",
        "select count(*) from docs where j @> any (select jsonb_build_object('k', g) from generate_series(1, 100000) g)",
        "update docs set j = j || '{\"x\": [1, 2, 3, 4, 5]}'",
        "update docs set id = id + 1000000",
        "insert into docs select id + 1000000, j, w from docs",
        "delete from docs where j @> '{\"k\": 1}' or j ? 'k'",
        "create index on docs using gin (w)",
        "create index on docs using gin (j jsonb_path_ops)",
        "create index on docs (lower(j::text)) where twice > 5",
        "reindex table docs",
        "reindex index docs_j",
        "reindex (concurrently) table big",
        "begin; truncate docs; insert into docs (id, j) select g, to_jsonb(g) from generate_series(1, 300000) g; rollback",
        "alter table big add column twice int generated always as (n * 2) stored",
        "alter table big add column long text generated always as (repeat(v, 100)) stored",
        "alter table docs alter twice type bigint",
        "alter table big add column later text generated always as (repeat(v, 1000)) virtual; select max(later) from big",
        "create materialized view huge as select x.id, y.v from big x, big y",
        "refresh materialized view kept",
        "refresh materialized view concurrently kept",
        "create view slow as select count(*) from big x, big y where x.n + y.n < 0; select * from slow",
        "select count(*) from seen x, seen y where x.n + y.n < 0",
        "select count(*) from seen for update",
        "begin; declare c cursor with hold for select x.id from big x, child y; commit",
        "begin; declare c scroll cursor for select x.id from big x, child y; fetch last from c",
        "create temporary table own as select x.* from big x, child y",
        "alter table child add constraint once unique (id) deferrable initially deferred; begin; update child set id = id + 1; commit",
        "alter table child add constraint small check (id < 0) not valid; alter table child validate constraint small",
        "select percentile_cont(0.5) within group (order by g) from generate_series(1, 20000000) g",
        "select percentile_disc((select array_agg(g / 300000.0) from generate_series(1, 300000) g)) within group (order by v) from big",
        "select percentile_cont(array_fill(0.5, array[1000000])) within group (order by id) from big",
        "select mode() within group (order by v || id) from big",
        "select n, mode() within group (order by v), rank('x') within group (order by v desc) from big group by rollup (n, id % 10)",
        "select count(*) from (select dense_rank(n, v, 1) within group (order by n, v, id) from big group by id) q",
        "select rank(1) within group (order by g % 7) from generate_series(1, 10000000) g",
        "select array_agg(v order by v desc, id) from big",
        "select length(string_agg(repeat('x', 1000) || g, ',' order by -g)) from generate_series(1, 1000000) g",
        "select count(*) from (select array_agg(id order by v, id) from big group by n) q",
        "select count(distinct repeat(v, 20) || id), array_agg(distinct v || id order by v || id) from big",
        "select count(*) from rows from (generate_series(1, 100000000), generate_series(1, 3))",
        "select count(*) from rows from (generate_series(1, 50000000), unnest(array_fill(1, array[1000000]))) with ordinality x(a, b, n) where a < 0",
        "select count(*) from big, lateral rows from (generate_series(1, id), regexp_split_to_table(v, '')) x",
        "select count(*) from jsonb_to_recordset((select jsonb_agg(jsonb_build_object('a', g, 'b', repeat('x', 100))) from generate_series(1, 300000) g)) as x(a int, b text)",
        "select count(*) from json_to_recordset((select json_agg(json_build_object('a', g)) from generate_series(1, 1000000) g)) as x(a numeric(20, 10), b text[], c jsonb)",
        "select count(*) from docs, jsonb_to_record(j) as x(k int, l int[]), generate_series(1, k) where k < 0",
        "select * from jsonb_to_record(('{\"a\": ' || repeat('[', 3000) || repeat(']', 3000) || '}')::jsonb) as x(a int[])",
        "with u as (update big set v = v || 'x' returning old, new) select count(*) from u where (u.old).v = (u.new).v",
        "update big set n = n + 1 returning old, new, old is distinct from new, to_jsonb(old)",
        "with d as (delete from big returning old as o) select count(*) from d x, d y where (x.o).id < (y.o).n",
        "insert into big select id, n, v from big on conflict (id) do update set n = excluded.n returning old.n, new.n",
        "merge into big using (select id from child) s on big.id = s.id when not matched by source then delete when matched then update set n = 1 returning merge_action(), old, new",
        "merge into big using (select id + 200000 as id, n from big) s on big.id = s.id when not matched by source then update set n = 0 when not matched by target then insert values (s.id, s.n, 'm') when matched then do nothing",
        "merge into docs using big on docs.id > big.id when not matched by source then delete",
        "select regexp_split_to_array(v, '') from big",
        "select count(*) from big, regexp_matches(v, 'x', 'g')",
        "select id, regexp_replace(v, '(x)(x)', '\\2\\1', 1, 20, 'i') from big",
        "select max(regexp_count(v, '(x|y)*?x')) from big",
        "select count(*) from (select regexp_substr(repeat('ab', 5000000), '(a|b)*c') from generate_series(1, 3)) q",
        "select sum(length(regexp_replace(v || id, '(.)(.*)', '\\2\\1'))) from big",
    ]
    .map(str::to_owned)
    .into();
    let numbered = |n: usize, one: &dyn Fn(usize) -> String| -> String {
        (1..=n).map(|i| format!("{}; ", one(i))).collect()
    };
    // Views over views, each of which reads the one below twice.
    list.push(format!(
        "create view d0 as select 1 as a; {} select count(*) from d24",
        numbered(24, &|i| format!("create view d{i} as select x.a from d{} x, d{} y", i - 1, i - 1))
    ));
    list.push(format!(
        "create view e0 as select 1 as a; {} select count(*) from e24",
        numbered(24, &|i| format!(
            "create view e{i} as select a from e{} union all select a from e{}",
            i - 1,
            i - 1
        ))
    ));
    list.push(format!(
        "create view f0 as select 1 as a; {} select count(*) from f3000",
        numbered(3000, &|i| format!("create view f{i} as select a from f{}", i - 1))
    ));
    list.push(numbered(3000, &|i| format!("alter type many add value 'v{i}' before 'a'")));
    let labels: Vec<String> = (0..200_000).map(|i| format!("'l{i}'")).collect();
    list.push(format!("create type plenty as enum ({}); select enum_range(null::plenty)", labels.join(", ")));
    let columns: Vec<String> =
        (0..1500).map(|i| format!("c{i} int generated always as (a + {i}) stored")).collect();
    list.push(format!("create table derived (a int, {}); insert into derived (a) select g from generate_series(1, 100000) g", columns.join(", ")));
    let sets: Vec<String> = (0..4000).map(|i| format!("(n + {i})")).collect();
    list.push(format!(
        "select count(*) from (select 1 from big group by grouping sets ({})) q",
        sets.join(", ")
    ));
    let whens: String =
        (0..5000).map(|i| format!(" when matched and big.n = {i} then update set n = {i}")).collect();
    list.push(format!("merge into big using child s on big.id = s.id{whens}"));
    let windows: Vec<String> = (0..800).map(|i| format!("sum(n) over (order by n + {i}, id)")).collect();
    list.push(format!("select {} from big", windows.join(", ")));
    let ctes: Vec<String> = (0..1000)
        .map(|i| format!("c{i} as (update big set n = n + 1 where id = {i} returning id)"))
        .collect();
    list.push(format!("with {} select count(*) from c0", ctes.join(", ")));
    list
}
