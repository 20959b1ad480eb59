-- What EXPLAIN tells: what ANALYZE counts, what VERBOSE adds, the keys of JSON, and what may be explained. What memory takes is our own.

create table ea (id int primary key, g int, t text);
--| CREATE TABLE
insert into ea select x, x % 10, 't' || x from generate_series(1, 2000) x;
--| INSERT 0 2000
create table eb (id int primary key, e int, u text);
--| CREATE TABLE
insert into eb select x, x % 100, 't' || x from generate_series(1, 500) x;
--| INSERT 0 500
analyze ea, eb;
--| ANALYZE
-- Rows that conditions refuse, how rows are sorted, and what hash tables take.
explain (analyze, costs off, timing off, summary off, buffers off) select * from ea where g = 3 order by t;
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  Sort (actual rows=200.00 loops=1)
--|    Sort Key: t
--|    Sort Method: quicksort  Memory: 30kB
--|    ->  Seq Scan on ea (actual rows=200.00 loops=1)
--|          Filter: (g = 3)
--|          Rows Removed by Filter: 1800
--| (6 rows)
explain (analyze, costs off, timing off, summary off, buffers off) select * from ea order by t limit 3;
--|                         QUERY PLAN
--| ----------------------------------------------------------
--|  Limit (actual rows=3.00 loops=1)
--|    ->  Sort (actual rows=3.00 loops=1)
--|          Sort Key: t
--|          Sort Method: top-N heapsort  Memory: 153kB
--|          ->  Seq Scan on ea (actual rows=2000.00 loops=1)
--| (5 rows)
explain (analyze, costs off, timing off, summary off, buffers off) select count(*) from ea a join eb b on a.id = b.e and a.g > b.id;
--|                            QUERY PLAN
--| -----------------------------------------------------------------
--|  Aggregate (actual rows=1.00 loops=1)
--|    ->  Hash Join (actual rows=0.00 loops=1)
--|          Hash Cond: (a.id = b.e)
--|          Join Filter: (a.g > b.id)
--|          Rows Removed by Join Filter: 495
--|          ->  Seq Scan on ea a (actual rows=2000.00 loops=1)
--|          ->  Hash (actual rows=500.00 loops=1)
--|                Buckets: 512  Batches: 1  Memory Usage: 43kB
--|                ->  Seq Scan on eb b (actual rows=500.00 loops=1)
--| (9 rows)
explain (analyze, costs off, timing off, summary off, buffers off) select g, count(*) from ea group by g having count(*) > 300;
--|                      QUERY PLAN
--| ----------------------------------------------------
--|  HashAggregate (actual rows=0.00 loops=1)
--|    Group Key: g
--|    Filter: (count(*) > 300)
--|    Batches: 1  Memory Usage: 2kB
--|    Rows Removed by Filter: 10
--|    ->  Seq Scan on ea (actual rows=2000.00 loops=1)
--| (6 rows)
explain (analyze, costs off, timing off, summary off, buffers off) select distinct g from ea;
--|                      QUERY PLAN
--| ----------------------------------------------------
--|  HashAggregate (actual rows=10.00 loops=1)
--|    Group Key: g
--|    Batches: 1  Memory Usage: 1kB
--|    ->  Seq Scan on ea (actual rows=2000.00 loops=1)
--| (4 rows)
explain (analyze, costs off, timing off, summary off, buffers off) select * from ea where id < 20 and g = 3;
--|                         QUERY PLAN
--| -----------------------------------------------------------
--|  Index Scan using ea_pkey on ea (actual rows=2.00 loops=1)
--|    Index Cond: (id < 20)
--|    Filter: (g = 3)
--|    Rows Removed by Filter: 17
--|    Index Searches: 1
--| (5 rows)
explain (analyze, costs off, timing off, summary off, buffers off) select * from eb b, lateral (select * from ea a where a.id = b.e and g < 5) s where b.id < 10;
--|                             QUERY PLAN
--| -------------------------------------------------------------------
--|  Nested Loop (actual rows=4.00 loops=1)
--|    ->  Index Scan using eb_pkey on eb b (actual rows=9.00 loops=1)
--|          Index Cond: (id < 10)
--|          Index Searches: 1
--|    ->  Index Scan using ea_pkey on ea a (actual rows=0.44 loops=9)
--|          Index Cond: (id = b.e)
--|          Filter: (g < 5)
--|          Rows Removed by Filter: 1
--|          Index Searches: 9
--| (9 rows)
explain (analyze, costs off, timing off, summary off, buffers off) with c as materialized (select id from ea) select * from c where id > 1000;
--|                                 QUERY PLAN
--| ---------------------------------------------------------------------------
--|  CTE Scan on c (actual rows=1000.00 loops=1)
--|    Filter: (id > 1000)
--|    Rows Removed by Filter: 1000
--|    Storage: Memory  Maximum Storage: 110kB
--|    CTE c
--|      ->  Index Only Scan using ea_pkey on ea (actual rows=2000.00 loops=1)
--|            Heap Fetches: 0
--|            Index Searches: 1
--| (8 rows)
explain (analyze, costs off, timing off, summary off, buffers off) select row_number() over (order by g), id from ea;
--|                         QUERY PLAN
--| ----------------------------------------------------------
--|  WindowAgg (actual rows=2000.00 loops=1)
--|    Window: w1 AS (ORDER BY g ROWS UNBOUNDED PRECEDING)
--|    Storage: Memory  Maximum Storage: 1kB
--|    ->  Sort (actual rows=2000.00 loops=1)
--|          Sort Key: g
--|          Sort Method: quicksort  Memory: 172kB
--|          ->  Seq Scan on ea (actual rows=2000.00 loops=1)
--| (7 rows)
explain (analyze, costs off, timing off, summary off, buffers off) select 1 from ea where false;
--|             QUERY PLAN
--| -----------------------------------
--|  Result (actual rows=0.00 loops=1)
--|    One-Time Filter: false
--| (2 rows)
-- Files.
set work_mem = '64kB';
--| SET
explain (analyze, costs off, timing off, summary off, buffers off) select * from ea order by t;
--|                      QUERY PLAN
--| ----------------------------------------------------
--|  Sort (actual rows=2000.00 loops=1)
--|    Sort Key: t
--|    Sort Method: external merge  Disk: 53kB
--|    ->  Seq Scan on ea (actual rows=2000.00 loops=1)
--| (4 rows)
explain (analyze, costs off, timing off, summary off, buffers off) select t, count(*) from ea group by t;
--|                       QUERY PLAN
--| ------------------------------------------------------
--|  HashAggregate (actual rows=2000.00 loops=1)
--|    Group Key: t
--|    Batches: 33  Memory Usage: 129kB  Disk Usage: 14kB
--|    ->  Seq Scan on ea (actual rows=2000.00 loops=1)
--| (4 rows)
explain (analyze, costs off, timing off, summary off, buffers off) select count(*) from ea a join ea b on a.t = b.t;
--|                                  QUERY PLAN
--| -----------------------------------------------------------------------------
--|  Aggregate (actual rows=1.00 loops=1)
--|    ->  Hash Join (actual rows=2000.00 loops=1)
--|          Hash Cond: (a.t = b.t)
--|          ->  Seq Scan on ea a (actual rows=2000.00 loops=1)
--|          ->  Hash (actual rows=2000.00 loops=1)
--|                Buckets: 128  Batches: 32 (originally 1)  Memory Usage: 129kB
--|                ->  Seq Scan on ea b (actual rows=2000.00 loops=1)
--| (7 rows)
reset work_mem;
--| RESET
-- Changes.
explain (analyze, costs off, timing off, summary off, buffers off) insert into ea values (1, 1, 'x'), (5000, 1, 'y') on conflict (id) do nothing;
--|                QUERY PLAN
--| -----------------------------------------
--|  Insert on ea (actual rows=0.00 loops=1)
--|    Conflict Resolution: NOTHING
--|    Conflict Arbiter Indexes: ea_pkey
--|    Tuples Inserted: 1
--|    Conflicting Tuples: 1
--|    ->  Values Scan on "*VALUES*"
--| (6 rows)
explain (analyze, costs off, timing off, summary off, buffers off) insert into ea values (1, 1, 'x') on conflict (id) do update set t = excluded.t where ea.g > 3;
--|                QUERY PLAN
--| -----------------------------------------
--|  Insert on ea (actual rows=0.00 loops=1)
--|    Conflict Resolution: UPDATE
--|    Conflict Arbiter Indexes: ea_pkey
--|    Conflict Filter: (ea.g > 3)
--|    Rows Removed by Conflict Filter: 1
--|    Tuples Inserted: 0
--|    Conflicting Tuples: 1
--|    ->  Result
--| (8 rows)
explain (analyze, costs off, timing off, summary off, buffers off) insert into ea values (1, 1, 'x') on conflict do nothing;
--|                QUERY PLAN
--| -----------------------------------------
--|  Insert on ea (actual rows=0.00 loops=1)
--|    Conflict Resolution: NOTHING
--|    Tuples Inserted: 0
--|    Conflicting Tuples: 1
--|    ->  Result
--| (5 rows)
explain (costs off) insert into ea values (1, 1, 'x') on conflict (id) do update set t = excluded.t where ea.g > excluded.g;
--|                QUERY PLAN
--| ----------------------------------------
--|  Insert on ea
--|    Conflict Resolution: UPDATE
--|    Conflict Arbiter Indexes: ea_pkey
--|    Conflict Filter: (ea.g > excluded.g)
--|    ->  Result
--| (5 rows)
explain (analyze, costs off, timing off, summary off, buffers off) with w as (insert into ea values (6000, 1, 'z') on conflict (id) do nothing returning id) insert into eb select id, 1, 'z' from w on conflict (id) do nothing;
--|                    QUERY PLAN
--| ------------------------------------------------
--|  Insert on eb (actual rows=0.00 loops=1)
--|    Conflict Resolution: NOTHING
--|    Conflict Arbiter Indexes: eb_pkey
--|    Tuples Inserted: 1
--|    Conflicting Tuples: 0
--|    CTE w
--|      ->  Insert on ea
--|            Conflict Resolution: NOTHING
--|            Conflict Arbiter Indexes: ea_pkey
--|            Tuples Inserted: 1
--|            Conflicting Tuples: 0
--|            ->  Result
--|    ->  CTE Scan on w (actual rows=1.00 loops=1)
--|          Storage: Memory  Maximum Storage: 1kB
--| (14 rows)
explain (analyze, costs off, timing off, summary off, buffers off) merge into eb using (values (1, 1), (9999, 2), (2, 3)) v(a, b) on id = a when matched and b = 1 then update set u = 'm' when not matched then insert values (a, b, 'n');
--|                                QUERY PLAN
--| ------------------------------------------------------------------------
--|  Merge on eb (actual rows=0.00 loops=1)
--|    Tuples: inserted=1 updated=1 skipped=1
--|    ->  Nested Loop Left Join (actual rows=3.00 loops=1)
--|          ->  Subquery Scan on v (actual rows=3.00 loops=1)
--|                ->  Values Scan on "*VALUES*" (actual rows=3.00 loops=1)
--|          ->  Index Scan using eb_pkey on eb (actual rows=0.67 loops=3)
--|                Index Cond: (id = v.a)
--|                Index Searches: 3
--| (8 rows)
-- VERBOSE.
explain (verbose, costs off) select id, t from ea where g = 3;
--|       QUERY PLAN
--| -----------------------
--|  Seq Scan on public.ea
--|    Output: id, t
--|    Filter: (ea.g = 3)
--| (3 rows)
explain verbose select 1;
--|                 QUERY PLAN
--| ------------------------------------------
--|  Result  (cost=0.00..0.00 rows=1 width=0)
--|    Output: 1
--| (2 rows)
explain (verbose, costs off) select * from ea where id = 3;
--|               QUERY PLAN
--| ---------------------------------------
--|  Index Scan using ea_pkey on public.ea
--|    Output: id, g, t
--|    Index Cond: (ea.id = 3)
--| (3 rows)
explain (verbose, costs off) select g, count(*), sum(id) from ea group by g having count(*) > 3 order by g;
--|               QUERY PLAN
--| --------------------------------------
--|  Sort
--|    Output: g, count(*), sum(id)
--|    Sort Key: ea.g
--|    ->  HashAggregate
--|          Output: g, count(*), sum(id)
--|          Group Key: ea.g
--|          Filter: (count(*) > 3)
--|          ->  Seq Scan on public.ea
--|                Output: id, g
--| (9 rows)
explain (verbose, costs off) select a.id, b.u from ea a join eb b on a.id = b.e where a.g = 3;
--|              QUERY PLAN
--| -------------------------------------
--|  Hash Join
--|    Output: a.id, b.u
--|    Hash Cond: (b.e = a.id)
--|    ->  Seq Scan on public.eb b
--|          Output: b.e, b.u
--|    ->  Hash
--|          Output: a.id
--|          ->  Seq Scan on public.ea a
--|                Output: a.id
--|                Filter: (a.g = 3)
--| (10 rows)
explain (verbose, costs off) select * from ea order by t limit 3;
--|             QUERY PLAN
--| -----------------------------------
--|  Limit
--|    Output: id, g, t
--|    ->  Sort
--|          Output: id, g, t
--|          Sort Key: ea.t
--|          ->  Seq Scan on public.ea
--|                Output: id, g, t
--| (7 rows)
explain (verbose, costs off) select * from generate_series(1, 3) f;
--|                   QUERY PLAN
--| -----------------------------------------------
--|  Function Scan on pg_catalog.generate_series f
--|    Output: f
--|    Function Call: generate_series(1, 3)
--| (3 rows)
explain (verbose, costs off) insert into eb select id + 1000, g, t from ea;
--|                  QUERY PLAN
--| --------------------------------------------
--|  Insert on public.eb
--|    ->  Seq Scan on public.ea
--|          Output: (ea.id + 1000), ea.g, ea.t
--| (3 rows)
explain (verbose, costs off) select row_number() over (order by g), id from ea;
--|                         QUERY PLAN
--| ----------------------------------------------------------
--|  WindowAgg
--|    Output: row_number() OVER w1, id
--|    Window: w1 AS (ORDER BY ea.g ROWS UNBOUNDED PRECEDING)
--|    ->  Sort
--|          Output: id, g
--|          Sort Key: ea.g
--|          ->  Seq Scan on public.ea
--|                Output: id, g
--| (8 rows)
explain (verbose, costs off) select relname from pg_class where relkind = 'x';
--|                 QUERY PLAN
--| ------------------------------------------
--|  Seq Scan on pg_catalog.pg_class
--|    Output: relname
--|    Filter: (pg_class.relkind = 'x'::text)
--| (3 rows)
-- The keys of JSON.
explain (format json, costs off) with c as materialized (select 1 as a) select * from c k, generate_series(1, 2) f;
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  [                                                +
--|    {                                              +
--|      "Plan": {                                    +
--|        "Node Type": "Nested Loop",                +
--|        "Parallel Aware": false,                   +
--|        "Async Capable": false,                    +
--|        "Join Type": "Inner",                      +
--|        "Disabled": false,                         +
--|        "Plans": [                                 +
--|          {                                        +
--|            "Node Type": "Result",                 +
--|            "Parent Relationship": "InitPlan",     +
--|            "Subplan Name": "CTE c",               +
--|            "Parallel Aware": false,               +
--|            "Async Capable": false,                +
--|            "Disabled": false                      +
--|          },                                       +
--|          {                                        +
--|            "Node Type": "CTE Scan",               +
--|            "Parent Relationship": "Outer",        +
--|            "Parallel Aware": false,               +
--|            "Async Capable": false,                +
--|            "CTE Name": "c",                       +
--|            "Alias": "k",                          +
--|            "Disabled": false                      +
--|          },                                       +
--|          {                                        +
--|            "Node Type": "Materialize",            +
--|            "Parent Relationship": "Inner",        +
--|            "Parallel Aware": false,               +
--|            "Async Capable": false,                +
--|            "Disabled": false,                     +
--|            "Plans": [                             +
--|              {                                    +
--|                "Node Type": "Function Scan",      +
--|                "Parent Relationship": "Outer",    +
--|                "Parallel Aware": false,           +
--|                "Async Capable": false,            +
--|                "Function Name": "generate_series",+
--|                "Alias": "f",                      +
--|                "Disabled": false                  +
--|              }                                    +
--|            ]                                      +
--|          }                                        +
--|        ]                                          +
--|      }                                            +
--|    }                                              +
--|  ]
--| (1 row)
explain (format json, analyze, costs off, timing off, summary off, buffers off) select g, count(*) from ea where id > 3 group by g order by 2;
--|                   QUERY PLAN
--| -----------------------------------------------
--|  [                                            +
--|    {                                          +
--|      "Plan": {                                +
--|        "Node Type": "Sort",                   +
--|        "Parallel Aware": false,               +
--|        "Async Capable": false,                +
--|        "Actual Rows": 10.0,                   +
--|        "Actual Loops": 1,                     +
--|        "Disabled": false,                     +
--|        "Sort Key": [                          +
--|          "(count(*))"                         +
--|        ],                                     +
--|        "Sort Method": "quicksort",            +
--|        "Sort Space Used": 1,                  +
--|        "Sort Space Type": "Memory",           +
--|        "Plans": [                             +
--|          {                                    +
--|            "Node Type": "Aggregate",          +
--|            "Strategy": "Hashed",              +
--|            "Partial Mode": "Simple",          +
--|            "Parent Relationship": "Outer",    +
--|            "Parallel Aware": false,           +
--|            "Async Capable": false,            +
--|            "Actual Rows": 10.0,               +
--|            "Actual Loops": 1,                 +
--|            "Disabled": false,                 +
--|            "Group Key": [                     +
--|              "g"                              +
--|            ],                                 +
--|            "HashAgg Batches": 1,              +
--|            "Peak Memory Usage": 2,            +
--|            "Disk Usage": 0,                   +
--|            "Plans": [                         +
--|              {                                +
--|                "Node Type": "Seq Scan",       +
--|                "Parent Relationship": "Outer",+
--|                "Parallel Aware": false,       +
--|                "Async Capable": false,        +
--|                "Relation Name": "ea",         +
--|                "Alias": "ea",                 +
--|                "Actual Rows": 1999.0,         +
--|                "Actual Loops": 1,             +
--|                "Disabled": false,             +
--|                "Filter": "(id > 3)",          +
--|                "Rows Removed by Filter": 3    +
--|              }                                +
--|            ]                                  +
--|          }                                    +
--|        ]                                      +
--|      },                                       +
--|      "Triggers": []                           +
--|    }                                          +
--|  ]
--| (1 row)
explain (format json, verbose, costs off) select "g" as "G" from ea as "A b" where id = 3;
--|                QUERY PLAN
--| ----------------------------------------
--|  [                                     +
--|    {                                   +
--|      "Plan": {                         +
--|        "Node Type": "Index Scan",      +
--|        "Parallel Aware": false,        +
--|        "Async Capable": false,         +
--|        "Scan Direction": "Forward",    +
--|        "Index Name": "ea_pkey",        +
--|        "Relation Name": "ea",          +
--|        "Schema": "public",             +
--|        "Alias": "A b",                 +
--|        "Disabled": false,              +
--|        "Output": [                     +
--|          "g"                           +
--|        ],                              +
--|        "Index Cond": "(\"A b\".id = 3)"+
--|      }                                 +
--|    }                                   +
--|  ]
--| (1 row)
-- Queries of other statements.
explain (costs off) create table x as select * from ea where g = 1;
--|     QUERY PLAN
--| -------------------
--|  Seq Scan on ea
--|    Filter: (g = 1)
--| (2 rows)
explain (costs off) create materialized view x as select * from ea where g = 1 with no data;
--|     QUERY PLAN
--| -------------------
--|  Seq Scan on ea
--|    Filter: (g = 1)
--| (2 rows)
explain (costs off) create table ea as select 1;
--| ERROR:  42P07: relation "ea" already exists
explain (costs off) create table if not exists ea as select 1;
--| NOTICE:  relation "ea" already exists, skipping
--|  QUERY PLAN
--| ------------
--| (0 rows)
explain (costs off) select * into x from ea;
--|    QUERY PLAN
--| ----------------
--|  Seq Scan on ea
--| (1 row)
explain (costs off) declare c cursor for select * from ea where g = 1;
--|     QUERY PLAN
--| -------------------
--|  Seq Scan on ea
--|    Filter: (g = 1)
--| (2 rows)
prepare p(int) as select * from ea where g = $1;
--| PREPARE
explain (costs off) create table x as execute p(3);
--|     QUERY PLAN
--| -------------------
--|  Seq Scan on ea
--|    Filter: (g = 3)
--| (2 rows)
explain analyze create table x as select 1;
--| ERROR:  0A000: EXPLAIN ANALYZE CREATE TABLE AS is not supported
explain vacuum;
--| ERROR:  42601: syntax error at or near "vacuum"
-- Options.
explain (timing) select 1;
--| ERROR:  22023: EXPLAIN option TIMING requires ANALYZE
explain (analyze maybe) select 1;
--| ERROR:  42601: analyze requires a Boolean value
explain (costs 3) select 1;
--| ERROR:  42601: costs requires a Boolean value
