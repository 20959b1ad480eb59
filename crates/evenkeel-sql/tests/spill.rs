//! Whatever goes to temporary files gives what it would give in memory.

mod support;

use support::TestDb;

/// Statements whose every sort, hash table and kept row is larger than the least `work_mem`.
const QUERIES: &[&str] = &[
    "select id, k, t from a order by t, id",
    "select id from a order by k desc nulls last, t, id limit 7 offset 3000",
    "select distinct k, t from a order by 1, 2",
    "select distinct on (t) t, id from a order by t, id",
    "select count(*) from (select distinct on (t) t, id from a) s",
    "select distinct on (t, id % 1000) t from a order by t",
    "select k, count(*), sum(id), min(t), count(distinct t), string_agg(t, ',' order by id) from a group by k order by k",
    "select t, k, avg(id) from a group by t, k order by t, k nulls first",
    "select count(distinct id), count(distinct t), sum(distinct k), array_agg(distinct t), count(distinct (k, t)) from a",
    "select id % 3, count(distinct t), count(distinct id) filter (where k > 100), string_agg(distinct t, ',' order by t desc) from a group by 1 order by 1",
    "select k, count(distinct id % 1000), count(distinct t) from a group by rollup (k) order by 1, 2",
    "select id % 2, json_agg(distinct t), avg(distinct id), count(*) from a group by 1 order by 1",
    "select a.id, b.id from a join b on a.k = b.k and a.id % 7 = b.id % 7 order by 1, 2",
    "select a.id, b.id from a left join b on a.t = b.t and b.id > 500 order by 1, 2",
    "select b.id, a.id from b left join a on a.t = b.t and a.id > 500 order by 1, 2",
    "select a.id, b.id from a full join b on a.t = b.t and a.k = b.k order by 1, 2",
    "select id from a where t in (select t from b where id > 2000) order by id",
    "select id from a where exists (select 1 from b where b.k = a.k and b.id < a.id) order by id",
    "select id from a where not exists (select 1 from b where b.t = a.t and b.id <> a.id) order by id",
    "select id from b where not exists (select 1 from a where a.t = b.t) order by id",
    "select t from a union select t from b order by 1",
    "select k, t from a union all select k, t from b order by 1, 2",
    "select k, t from a intersect select k, t from b order by 1, 2",
    "select k, t from a intersect all select k, t from b order by 1, 2",
    "select k, t from a except select k, t from b order by 1, 2",
    "select k, t from a except all select k, t from b where id > 100 order by 1, 2",
    "select t from a except (select t from b where id < 5) order by 1",
    "select id from b where (select count(*) from (select t from a where a.id < b.id % 5 * 1500 except select t from b) s) > 900 and id < 12 order by id",
    "with x as materialized (select * from a) select (select count(*) from x), count(*) from x y where y.id > (select avg(id) from x)",
    "select count(*) from a, (select * from b where id < 2500) s where a.id % 100 = s.id % 90 and a.id < 300 and a.id <> s.id",
    "select s.k, n from (select k, count(*) n from a group by k) s join b on b.id = s.k order by 1, 2",
    "select id, row_number() over (order by t, id), lag(t, 2000) over (order by id), sum(id) over (order by id rows between 1500 preceding and 1500 following), count(*) over () from a order by id",
    "select id, first_value(t) over w, last_value(id) over w, nth_value(id, 900) over w, cume_dist() over w from a window w as (partition by id % 3 order by k, id rows between unbounded preceding and unbounded following exclude current row) order by id",
    "select id, count(*) over (order by k range between 3 preceding and 2 following), max(id) over (order by k groups between 2 preceding and 1 following exclude ties) from a where id % 5 = 0 order by id",
    "with recursive r(n, s) as (select 1, 'row'::text union all select n + 1, 'row ' || n from r where n < 5000) select x.n, y.s from r x join r y on x.n = y.n + 4000 order by 1",
    "with recursive r(n) as (select id from b union all select n + 3000 from r where n <= 6000) select n from r order by 1",
];

#[test]
fn files_give_what_memory_gives() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table a (id int primary key, k int, t text)");
    c.ok("create table b (id int primary key, k int, t text)");
    for (name, rows) in [("a", 6000), ("b", 3000)] {
        c.ok(&format!(
            "insert into {name} select g, nullif(g * 7919 % 613, 5), case when g % 11 > 0 then 'row ' || g * 31 % 2903 end from generate_series(1, {rows}) g"
        ));
    }
    c.ok("analyze");
    c.ok("set work_mem = '1GB'");
    let in_memory: Vec<Vec<String>> = QUERIES.iter().map(|q| c.rows(q)).collect();
    for (work_mem, multiplier) in [("64kB", "1"), ("64kB", "2"), ("200kB", "1.5")] {
        c.ok(&format!("set work_mem = '{work_mem}'; set hash_mem_multiplier = {multiplier}"));
        for (q, expected) in QUERIES.iter().zip(&in_memory) {
            assert!(expected.len() > 1 || q.contains("count("), "{q}");
            assert_eq!(&c.rows(q), expected, "{q} with {work_mem}");
        }
    }
}

/// A part that stays as it is however often it is divided is joined nevertheless.
#[test]
fn rows_that_are_all_alike_are_joined() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table a (k int, t text); create table b (k int, t text)");
    c.ok("insert into a select 1, 'a' || g from generate_series(1, 3000) g");
    c.ok("insert into b select 1 + g % 2, 'b' || g from generate_series(1, 300) g");
    c.ok("set work_mem = '64kB'; set hash_mem_multiplier = 1");
    assert_eq!(c.value("select count(*) from a join b on a.k = b.k"), "450000");
    assert_eq!(c.value("select count(*) from a full join b on a.k = b.k"), "450150");
}

#[test]
fn files_are_limited_and_given_back() {
    let db = TestDb::new();
    let mut c = db.session();
    let sorted = "select count(g) from (select g from generate_series(1, 20000) g order by g % 77, repeat('x', 100), g) s";
    c.ok("set work_mem = '64kB'; set temp_file_limit = '1MB'");
    for _ in 0..3 {
        assert_eq!(c.err(sorted), "53400");
    }
    assert_eq!(
        c.err("with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r"),
        "53400"
    );
    assert_eq!(c.err("select count(x) from (select lag(g) over () x from generate_series(1, 200000) g where g > 0) s, (select count(*) over (), repeat('x', 200) from generate_series(1, 20000) g) y where x < 0"), "53400");
    // If what failed had kept anything, this would be too much.
    c.ok("set temp_file_limit = '6MB'");
    for _ in 0..3 {
        assert_eq!(c.value(sorted), "20000");
    }
    c.ok("set temp_file_limit = -1");
    assert_eq!(c.value("show temp_file_limit"), "-1");
}

/// A recursive UNION knows what there was where its rows are more than memory holds.
#[test]
fn a_recursion_knows_its_rows_by_number() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("set work_mem = '64kB'");
    let wide = "repeat('x', 2000)";
    let chain = format!(
        "with recursive r(n, s) as (select 1, {wide} union select n % 20000 + 1, s from r) select count(*), max(n), sum(n) from r"
    );
    assert_eq!(c.rows(&chain), ["20000|20000|200010000"]);
    let graph = format!(
        "with recursive r(n, s) as (select 1, {wide} union select (n * k) % 20011, s from r, (values (2), (3), (7)) v(k)) select count(*), count(distinct n), max(n) from r"
    );
    assert_eq!(c.rows(&graph), ["20010|20010|20010"]);
    // Run again, it begins with nothing.
    let anew = format!(
        "select (with recursive r(n, s) as (select o, {wide} union select n % 20000 + 1, s from r) select count(*) from r) from generate_series(1, 2) o"
    );
    assert_eq!(c.rows(&anew), ["20000", "20000"]);
}

/// A cursor that is closed in the middle, and a statement that is run again with other values.
#[test]
fn what_is_left_or_run_again_begins_anew() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table a (id int primary key, k int)");
    c.ok("insert into a select g, g % 50 from generate_series(1, 5000) g");
    c.ok("set work_mem = '64kB'; set hash_mem_multiplier = 1");
    let lateral = "select o.n, s.c, s.m from generate_series(1, 3) o(n), lateral (select count(*) c, max(x.id) m from a x join a y on x.id = y.id + o.n where y.k <> o.n) s order by 1";
    let expected = c.rows(lateral);
    c.ok("set work_mem = '1GB'");
    assert_eq!(c.rows(lateral), expected);
    c.ok("set work_mem = '64kB'");
    let sub = "select k, (select count(distinct y.id % (1000 + x.k)) from a y where y.id > x.k) from (select distinct k from a where k < 4) x order by 1";
    assert_eq!(c.rows(sub), ["0|1000", "1|1001", "2|1002", "3|1003"]);
}

/// An index that is put together from files has what one has that is made in memory, or row by row.
#[test]
fn an_index_from_files_is_an_index() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table a (id int primary key, k int, t text)");
    c.ok("insert into a select g, nullif(g * 7919 % 613, 5), case when g % 11 > 0 then repeat('r', g % 40) || g end from generate_series(1, 8000) g");
    c.ok("create table b (id int primary key, k int, t text)");
    c.ok("create index b_k on b (k desc, t); create unique index b_t on b (t, id desc)");
    c.ok("insert into b select * from a");
    for memory in ["64kB", "64MB"] {
        c.ok(&format!("set maintenance_work_mem = '{memory}'"));
        c.ok("create index a_k on a (k desc, t); create unique index a_t on a (t, id desc)");
        for table in ["a", "b"] {
            let plan = c.rows(&format!("explain select id from {table} where k = 77 order by t"));
            assert!(plan[0].contains(&format!("using {table}_k")), "{plan:?}");
        }
        for q in [
            "select id from ? where k = 77 order by t",
            "select id from ? where k is null and id < 3000 order by 1",
            "select id from ? where t > 'rrrr' and t < 'rrrrrrrr5' order by t, id desc",
            "select count(*) from ? where t >= ''",
        ] {
            assert_eq!(c.rows(&q.replace('?', "a")), c.rows(&q.replace('?', "b")), "{q} with {memory}");
        }
        assert_eq!(c.err("create unique index a_u on a (k)"), "23505");
        assert_eq!(c.value("select count(*) from pg_class where relname = 'a_u'"), "0");
        c.ok("insert into a values (9001, 77, 'new'); delete from a where id = 9001");
        c.ok("begin; drop index a_k; create index a_k2 on a (k); rollback");
        c.ok("drop index a_k; drop index a_t");
    }
    db.check();
}
