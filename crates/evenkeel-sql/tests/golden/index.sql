-- Reading through indexes: equality, ranges, lists, order in both directions, NULLs.

create table t (a int, b int, c text, d numeric);
--| CREATE TABLE
insert into t select g % 5, g, 'c' || (g % 7), g / 2.0 from generate_series(1, 50) g;
--| INSERT 0 50
insert into t values (null, null, null, null), (1, null, 'cn', 1), (null, 1, 'x', 2);
--| INSERT 0 3
create index t_ab on t (a, b desc);
--| CREATE INDEX
create index t_c on t (c);
--| CREATE INDEX
create unique index t_d on t (d desc nulls last, b);
--| CREATE INDEX
analyze t;
--| ANALYZE
select a, b from t where a = 1 order by b desc limit 3;
--|  a | b
--| ---+----
--|  1 |
--|  1 | 46
--|  1 | 41
--| (3 rows)
select a, b from t where a = 1 order by b limit 3;
--|  a | b
--| ---+----
--|  1 |  1
--|  1 |  6
--|  1 | 11
--| (3 rows)
select a, b from t where a = 1 order by b desc nulls last limit 2;
--|  a | b
--| ---+----
--|  1 | 46
--|  1 | 41
--| (2 rows)
select a, b from t where a = 1 and b > 40 order by b;
--|  a | b
--| ---+----
--|  1 | 41
--|  1 | 46
--| (2 rows)
select a, b from t where a = 1 and b >= 41 and b < 50 order by b;
--|  a | b
--| ---+----
--|  1 | 41
--|  1 | 46
--| (2 rows)
select a, b from t where a > 3 and b < 10 order by a, b;
--|  a | b
--| ---+---
--|  4 | 4
--|  4 | 9
--| (2 rows)
select a, b from t where a in (0, 4) and b in (4, 5, 9, 10) order by a, b;
--|  a | b
--| ---+----
--|  0 |  5
--|  0 | 10
--|  4 |  4
--|  4 |  9
--| (4 rows)
select count(*) from t where a is null;
--|  count
--| -------
--|      2
--| (1 row)
select count(*) from t where a = null;
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from t where a < 2;
--|  count
--| -------
--|     21
--| (1 row)
select count(*) from t where a <= 2;
--|  count
--| -------
--|     31
--| (1 row)
select count(*) from t where a > 2;
--|  count
--| -------
--|     20
--| (1 row)
select count(*) from t where a >= 2::bigint;
--|  count
--| -------
--|     30
--| (1 row)
select count(*) from t where a = 99999999999;
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from t where a < 99999999999;
--|  count
--| -------
--|     51
--| (1 row)
select count(*) from t where a > -99999999999;
--|  count
--| -------
--|     51
--| (1 row)
select count(*) from t where c = 'c3';
--|  count
--| -------
--|      7
--| (1 row)
select count(*) from t where c > 'c3' and c < 'cn';
--|  count
--| -------
--|     21
--| (1 row)
select count(*) from t where 'c3' = c;
--|  count
--| -------
--|      7
--| (1 row)
select b from t where d = 7.5;
--|  b
--| ----
--|  15
--| (1 row)
select b from t where d between 7 and 8 order by d desc;
--|  b
--| ----
--|  16
--|  15
--|  14
--| (3 rows)
select b from t where a = any (array[3, 4]) and b < 5 order by b;
--|  b
--| ---
--|  3
--|  4
--| (2 rows)
select a, b from t order by a, b desc limit 3;
--|  a | b
--| ---+----
--|  0 | 50
--|  0 | 45
--|  0 | 40
--| (3 rows)
select a, b from t order by a desc, b limit 3;
--|  a | b
--| ---+---
--|    | 1
--|    |
--|  4 | 4
--| (3 rows)
select a, b from t order by a nulls first, b desc limit 3;
--|  a | b
--| ---+----
--|    |
--|    |  1
--|  0 | 50
--| (3 rows)
select c from t where c = 'c1' or c = 'c2' group by c order by c;
--|  c
--| ----
--|  c1
--|  c2
--| (2 rows)
select distinct c from t where c >= 'c5' order by c;
--|  c
--| ----
--|  c5
--|  c6
--|  cn
--|  x
--| (4 rows)
update t set b = b + 100 where a = 2 and b < 10;
--| UPDATE 2
select a, b from t where a = 2 and b > 50 order by b;
--|  a |  b
--| ---+-----
--|  2 | 102
--|  2 | 107
--| (2 rows)
delete from t where c = 'c3' and a = 3;
--| DELETE 2
select count(*) from t where c = 'c3';
--|  count
--| -------
--|      5
--| (1 row)
select min(b), max(b) from t where a = 0;
--|  min | max
--| -----+-----
--|    5 |  50
--| (1 row)
create table p (k text primary key, v int);
--| CREATE TABLE
insert into p select 'k' || g, g from generate_series(1, 200) g;
--| INSERT 0 200
analyze p;
--| ANALYZE
select v from p where k = 'k77';
--|  v
--| ----
--|  77
--| (1 row)
select v from p where k in ('k1', 'k2', 'nope', null) order by v;
--|  v
--| ---
--|  1
--|  2
--| (2 rows)
select k from p where k > 'k97' order by k;
--|   k
--| -----
--|  k98
--|  k99
--| (2 rows)
select k from p order by k desc limit 3;
--|   k
--| -----
--|  k99
--|  k98
--|  k97
--| (3 rows)
select k from p where k like 'k19%' order by k limit 2;
--|   k
--| ------
--|  k19
--|  k190
--| (2 rows)
explain (costs off) select v from p where k = 'k77';
--|            QUERY PLAN
--| ---------------------------------
--|  Index Scan using p_pkey on p
--|    Index Cond: (k = 'k77'::text)
--| (2 rows)
explain (costs off) select k from p order by k desc limit 3;
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Limit
--|    ->  Index Only Scan Backward using p_pkey on p
--| (2 rows)
explain (costs off) select * from t where a = 1 and b > 40 and c = 'x' order by b desc;
--|                QUERY PLAN
--| ----------------------------------------
--|  Sort
--|    Sort Key: b DESC
--|    ->  Index Scan using t_c on t
--|          Index Cond: (c = 'x'::text)
--|          Filter: ((a = 1) AND (b > 40))
--| (5 rows)
explain (costs off) select count(*) from t group by c having count(*) > 1;
--|               QUERY PLAN
--| --------------------------------------
--|  HashAggregate
--|    Group Key: c
--|    Filter: (count(*) > 1)
--|    ->  Index Only Scan using t_c on t
--| (4 rows)
explain (costs off) select * from t join p on p.v = t.b where t.a = 1;
--|                QUERY PLAN
--| ----------------------------------------
--|  Hash Join
--|    Hash Cond: (p.v = t.b)
--|    ->  Seq Scan on p
--|    ->  Hash
--|          ->  Index Scan using t_ab on t
--|                Index Cond: (a = 1)
--| (6 rows)
create table bc (k char(5) primary key, n name);
--| CREATE TABLE
insert into bc values ('ab'), ('cd  ');
--| INSERT 0 2
select * from bc where k = 'ab   ';
--|    k   | n
--| -------+---
--|  ab    |
--| (1 row)
select * from bc where k = 'cd';
--|    k   | n
--| -------+---
--|  cd    |
--| (1 row)
insert into bc values ('ab ');
--| ERROR:  23505: duplicate key value violates unique constraint "bc_pkey"
--| DETAIL:  Key (k)=(ab   ) already exists.
create table fl (f float8 primary key);
--| CREATE TABLE
insert into fl values (1.5), (-0.0), ('nan'), ('infinity');
--| INSERT 0 4
insert into fl values (0);
--| ERROR:  23505: duplicate key value violates unique constraint "fl_pkey"
--| DETAIL:  Key (f)=(0) already exists.
select f from fl order by f desc;
--|     f
--| ----------
--|       NaN
--|  Infinity
--|       1.5
--|         0
--| (4 rows)
select f from fl where f > 1e300 order by f;
--|     f
--| ----------
--|  Infinity
--|       NaN
--| (2 rows)

-- What a plan did when it ran.
create table e1 (id int primary key, k int); create table e2 (id int primary key, k int);
--| CREATE TABLE
--| CREATE TABLE
insert into e1 select g, g % 10 from generate_series(1, 100) g;
--| INSERT 0 100
insert into e2 select g, g % 5 from generate_series(1, 20) g;
--| INSERT 0 20
analyze e1; analyze e2;
--| ANALYZE
--| ANALYZE
explain (analyze, costs off, timing off, summary off, buffers off) select e1.k, count(*) from e1 join e2 on e2.id = e1.k where e1.id > 50 group by e1.k;
--|                                     QUERY PLAN
--| -----------------------------------------------------------------------------------
--|  HashAggregate (actual rows=9.00 loops=1)
--|    Group Key: e1.k
--|    Batches: 1  Memory Usage: 2kB
--|    ->  Hash Join (actual rows=45.00 loops=1)
--|          Hash Cond: (e1.k = e2.id)
--|          ->  Seq Scan on e1 (actual rows=50.00 loops=1)
--|                Filter: (id > 50)
--|                Rows Removed by Filter: 50
--|          ->  Hash (actual rows=20.00 loops=1)
--|                Buckets: 32  Batches: 1  Memory Usage: 2kB
--|                ->  Index Only Scan using e2_pkey on e2 (actual rows=20.00 loops=1)
--|                      Heap Fetches: 0
--|                      Index Searches: 1
--| (13 rows)
explain (analyze, costs off, timing off, summary off, buffers off) select * from e1 where exists (select 1 from e2 where e2.id = e1.id) limit 3;
--|                                  QUERY PLAN
--| ----------------------------------------------------------------------------
--|  Limit (actual rows=3.00 loops=1)
--|    ->  Nested Loop Semi Join (actual rows=3.00 loops=1)
--|          ->  Seq Scan on e1 (actual rows=3.00 loops=1)
--|          ->  Index Only Scan using e2_pkey on e2 (actual rows=1.00 loops=3)
--|                Index Cond: (id = e1.id)
--|                Heap Fetches: 0
--|                Index Searches: 3
--| (7 rows)
explain (analyze, costs off, timing off, summary off, buffers off) update e2 set k = k where id < 4;
--|                            QUERY PLAN
--| -----------------------------------------------------------------
--|  Update on e2 (actual rows=0.00 loops=1)
--|    ->  Index Scan using e2_pkey on e2 (actual rows=3.00 loops=1)
--|          Index Cond: (id < 4)
--|          Index Searches: 1
--| (4 rows)
set work_mem = '1MB';
--| SET
explain (costs off, settings) select * from e1 where id = 5;
--|            QUERY PLAN
--| --------------------------------
--|  Index Scan using e1_pkey on e1
--|    Index Cond: (id = 5)
--|  Settings: work_mem = '1MB'
--| (3 rows)
explain (costs off, settings, format json) select * from e1 left join e2 using (k) where e1.id = 5 order by e2.id;
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  [                                                +
--|    {                                              +
--|      "Plan": {                                    +
--|        "Node Type": "Sort",                       +
--|        "Parallel Aware": false,                   +
--|        "Async Capable": false,                    +
--|        "Disabled": false,                         +
--|        "Sort Key": [                              +
--|          "e2.id"                                  +
--|        ],                                         +
--|        "Plans": [                                 +
--|          {                                        +
--|            "Node Type": "Hash Join",              +
--|            "Parent Relationship": "Outer",        +
--|            "Parallel Aware": false,               +
--|            "Async Capable": false,                +
--|            "Join Type": "Right",                  +
--|            "Disabled": false,                     +
--|            "Hash Cond": "(e2.k = e1.k)",          +
--|            "Plans": [                             +
--|              {                                    +
--|                "Node Type": "Seq Scan",           +
--|                "Parent Relationship": "Outer",    +
--|                "Parallel Aware": false,           +
--|                "Async Capable": false,            +
--|                "Relation Name": "e2",             +
--|                "Alias": "e2",                     +
--|                "Disabled": false                  +
--|              },                                   +
--|              {                                    +
--|                "Node Type": "Hash",               +
--|                "Parent Relationship": "Inner",    +
--|                "Parallel Aware": false,           +
--|                "Async Capable": false,            +
--|                "Disabled": false,                 +
--|                "Plans": [                         +
--|                  {                                +
--|                    "Node Type": "Index Scan",     +
--|                    "Parent Relationship": "Outer",+
--|                    "Parallel Aware": false,       +
--|                    "Async Capable": false,        +
--|                    "Scan Direction": "Forward",   +
--|                    "Index Name": "e1_pkey",       +
--|                    "Relation Name": "e1",         +
--|                    "Alias": "e1",                 +
--|                    "Disabled": false,             +
--|                    "Index Cond": "(id = 5)"       +
--|                  }                                +
--|                ]                                  +
--|              }                                    +
--|            ]                                      +
--|          }                                        +
--|        ]                                          +
--|      },                                           +
--|      "Settings": {                                +
--|        "work_mem": "1MB"                          +
--|      }                                            +
--|    }                                              +
--|  ]
--| (1 row)
reset work_mem;
--| RESET
explain (wal) select 1;
--| ERROR:  22023: EXPLAIN option WAL requires ANALYZE
explain (format xml) select 1;
--|                         QUERY PLAN
--| ----------------------------------------------------------
--|  <explain xmlns="http://www.postgresql.org/2009/explain">+
--|    <Query>                                               +
--|      <Plan>                                              +
--|        <Node-Type>Result</Node-Type>                     +
--|        <Parallel-Aware>false</Parallel-Aware>            +
--|        <Async-Capable>false</Async-Capable>              +
--|        <Startup-Cost>0.0</Startup-Cost>                  +
--|        <Total-Cost>0.0</Total-Cost>                      +
--|        <Plan-Rows>1</Plan-Rows>                          +
--|        <Plan-Width>0</Plan-Width>                        +
--|        <Disabled>false</Disabled>                        +
--|      </Plan>                                             +
--|    </Query>                                              +
--|  </explain>
--| (1 row)
explain (analyze, costs off, timing off, summary off, buffers off, format yaml) select * from e1 where id in (1, 2) order by k;
--|                       QUERY PLAN
--| -------------------------------------------------------
--|  - Plan:                                              +
--|      Node Type: "Sort"                                +
--|      Parallel Aware: false                            +
--|      Async Capable: false                             +
--|      Actual Rows: 2.0                                 +
--|      Actual Loops: 1                                  +
--|      Disabled: false                                  +
--|      Sort Key:                                        +
--|        - "k"                                          +
--|      Sort Method: "quicksort"                         +
--|      Sort Space Used: 1                               +
--|      Sort Space Type: "Memory"                        +
--|      Plans:                                           +
--|        - Node Type: "Index Scan"                      +
--|          Parent Relationship: "Outer"                 +
--|          Parallel Aware: false                        +
--|          Async Capable: false                         +
--|          Scan Direction: "Forward"                    +
--|          Index Name: "e1_pkey"                        +
--|          Relation Name: "e1"                          +
--|          Alias: "e1"                                  +
--|          Actual Rows: 2.0                             +
--|          Actual Loops: 1                              +
--|          Disabled: false                              +
--|          Index Cond: "(id = ANY ('{1,2}'::integer[]))"+
--|          Index Searches: 2                            +
--|    Triggers:
--| (1 row)

-- Operator classes: the type's own, and those for patterns, which order alike here and are kept with their names.
create table classes (a text, b varchar(10), c char(5), d int, e int[]);
--| CREATE TABLE
create index classes_a on classes (a text_pattern_ops);
--| CREATE INDEX
create index classes_b on classes (b varchar_pattern_ops desc, a text_ops);
--| CREATE INDEX
create index classes_c on classes (c bpchar_pattern_ops, d int4_ops, e array_ops);
--| CREATE INDEX
select indexname, indexdef from pg_indexes where tablename = 'classes' order by 1;
--|  indexname |                                       indexdef
--| -----------+--------------------------------------------------------------------------------------
--|  classes_a | CREATE INDEX classes_a ON public.classes USING btree (a text_pattern_ops)
--|  classes_b | CREATE INDEX classes_b ON public.classes USING btree (b varchar_pattern_ops DESC, a)
--|  classes_c | CREATE INDEX classes_c ON public.classes USING btree (c bpchar_pattern_ops, d, e)
--| (3 rows)
create index on classes (d text_ops);
--| ERROR:  42804: operator class "text_ops" does not accept data type integer
create index on classes (a nothing_ops);
--| ERROR:  42704: operator class "nothing_ops" does not exist for access method "btree"
create index on classes (c varchar_pattern_ops);
--| ERROR:  42804: operator class "varchar_pattern_ops" does not accept data type character
drop table classes;
--| DROP TABLE

-- plan_cache_mode: a plan for the values, or one for all.
create table skewed (id int primary key, kind int, v text);
--| CREATE TABLE
insert into skewed select g, case when g <= 9990 then 1 else g end, 'v' || g from generate_series(1, 10000) g;
--| INSERT 0 10000
create index skewed_kind on skewed (kind);
--| CREATE INDEX
analyze skewed;
--| ANALYZE
prepare of_kind (int) as select v from skewed where kind = $1;
--| PREPARE
prepare of_id (int) as select v from skewed where id = $1;
--| PREPARE
prepare optional (int, text) as select count(*) from skewed where ($1 is null or kind = $1) and ($2 is null or v = $2);
--| PREPARE
explain (costs off) execute of_kind(1);
--|       QUERY PLAN
--| ----------------------
--|  Seq Scan on skewed
--|    Filter: (kind = 1)
--| (2 rows)
explain (costs off) execute of_kind(9995);
--|                QUERY PLAN
--| ----------------------------------------
--|  Index Scan using skewed_kind on skewed
--|    Index Cond: (kind = 9995)
--| (2 rows)
explain (costs off) execute optional(9995, null);
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  Aggregate
--|    ->  Index Only Scan using skewed_kind on skewed
--|          Index Cond: (kind = 9995)
--| (3 rows)
explain (costs off) execute optional(null, null);
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  Aggregate
--|    ->  Index Only Scan using skewed_pkey on skewed
--| (2 rows)
execute optional(9995, null);
--|  count
--| -------
--|      1
--| (1 row)
execute optional(null, 'v7');
--|  count
--| -------
--|      1
--| (1 row)
execute optional(null, null);
--|  count
--| -------
--|  10000
--| (1 row)
execute of_id(5);
--|  v
--| ----
--|  v5
--| (1 row)
set plan_cache_mode = force_generic_plan;
--| SET
explain (costs off) execute of_kind(1);
--|                QUERY PLAN
--| ----------------------------------------
--|  Index Scan using skewed_kind on skewed
--|    Index Cond: (kind = $1)
--| (2 rows)
explain (costs off) execute optional(9995, null);
--|                                    QUERY PLAN
--| --------------------------------------------------------------------------------
--|  Aggregate
--|    ->  Seq Scan on skewed
--|          Filter: ((($1 IS NULL) OR (kind = $1)) AND (($2 IS NULL) OR (v = $2)))
--| (3 rows)
execute optional(9995, null);
--|  count
--| -------
--|      1
--| (1 row)
set plan_cache_mode = force_custom_plan;
--| SET
explain (costs off) execute of_kind(1);
--|       QUERY PLAN
--| ----------------------
--|  Seq Scan on skewed
--|    Filter: (kind = 1)
--| (2 rows)
execute of_id(6);
--|  v
--| ----
--|  v6
--| (1 row)
set plan_cache_mode = nonsense;
--| ERROR:  22023: invalid value for parameter "plan_cache_mode": "nonsense"
--| HINT:  Available values: auto, force_generic_plan, force_custom_plan.
reset plan_cache_mode;
--| RESET
select name, generic_plans, custom_plans from pg_prepared_statements order by 1;
--|    name   | generic_plans | custom_plans
--| ----------+---------------+--------------
--|  of_id    |             1 |            1
--|  of_kind  |             1 |            3
--|  optional |             2 |            5
--| (3 rows)
-- What the values make of constants fails when the statement is planned.
prepare divided (int) as select 1 / $1 from skewed where id = 0;
--| PREPARE
execute divided(0);
--|  ?column?
--| ----------
--| (0 rows)
execute divided(1);
--|  ?column?
--| ----------
--| (0 rows)
deallocate all;
--| DEALLOCATE ALL
drop table skewed;
--| DROP TABLE
