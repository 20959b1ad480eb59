-- Groups and DISTINCT in an index's order: where a LIMIT wants few of them nothing is hashed or sorted.
create table t (id int primary key, a int, b text, c numeric, d int not null);
--| CREATE TABLE
insert into t select g, nullif(g % 500, 0), 'x' || g % 7, (g % 40) / 10.0, g % 1000 from generate_series(1, 20000) g;
--| INSERT 0 20000
create index on t (a, b);
--| CREATE INDEX
create index on t (d desc, id);
--| CREATE INDEX
create index on t (c);
--| CREATE INDEX
analyze t;
--| ANALYZE
explain (costs off) select a, count(*) from t group by a order by a limit 5;
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Limit
--|    ->  GroupAggregate
--|          Group Key: a
--|          ->  Index Only Scan using t_a_b_idx on t
--| (4 rows)
select a, count(*) from t group by a order by a limit 5;
--|  a | count
--| ---+-------
--|  1 |    40
--|  2 |    40
--|  3 |    40
--|  4 |    40
--|  5 |    40
--| (5 rows)
select a, count(*) from t group by a order by a desc limit 3;
--|   a  | count
--| -----+-------
--|      |    40
--|  499 |    40
--|  498 |    40
--| (3 rows)
select a, count(*) from t group by a order by a desc nulls last limit 3;
--|   a  | count
--| -----+-------
--|  499 |    40
--|  498 |    40
--|  497 |    40
--| (3 rows)
select a, b, count(*), sum(d), array_agg(id order by id desc) from t where id < 5000 group by b, a order by a, b limit 3;
--|  a | b  | count | sum |  array_agg
--| ---+----+-------+-----+-------------
--|  1 | x0 |     2 | 502 | {4501,1001}
--|  1 | x1 |     2 | 502 | {3501,1}
--|  1 | x2 |     1 | 501 | {2501}
--| (3 rows)
explain (costs off) select b, a, count(*) from t group by b, a order by a desc limit 3;
--|                         QUERY PLAN
--| -----------------------------------------------------------
--|  Limit
--|    ->  GroupAggregate
--|          Group Key: b, a
--|          ->  Index Only Scan Backward using t_a_b_idx on t
--| (4 rows)
select b, a, count(distinct d), min(id) from t group by b, a order by a desc, b desc limit 3 offset 2;
--|  b  | a | count | min
--| ----+---+-------+------
--|  x4 |   |     2 | 3000
--|  x3 |   |     2 |  500
--|  x2 |   |     2 | 1500
--| (3 rows)
-- Of no order any groups do; of all of them hashing is as good.
explain (costs off) select a from t group by a limit 2;
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Limit
--|    ->  GroupAggregate
--|          Group Key: a
--|          ->  Index Only Scan using t_a_b_idx on t
--| (4 rows)
explain (costs off) select a, count(*) from t group by a order by a;
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Sort
--|    Sort Key: a
--|    ->  HashAggregate
--|          Group Key: a
--|          ->  Index Only Scan using t_a_b_idx on t
--| (5 rows)
explain (costs off) select a, count(*) from t group by a order by a limit 100000;
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Limit
--|    ->  GroupAggregate
--|          Group Key: a
--|          ->  Index Only Scan using t_a_b_idx on t
--| (4 rows)
-- What is not in the index's order, what HAVING leaves out, and what is not grouped by.
explain (costs off) select b, count(*) from t group by b order by b limit 5;
--|                        QUERY PLAN
--| --------------------------------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: b
--|          ->  HashAggregate
--|                Group Key: b
--|                ->  Index Only Scan using t_a_b_idx on t
--| (6 rows)
explain (costs off) select a, count(*) from t group by a having count(*) > 1 order by a limit 5;
--|                        QUERY PLAN
--| --------------------------------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: a
--|          ->  HashAggregate
--|                Group Key: a
--|                Filter: (count(*) > 1)
--|                ->  Index Only Scan using t_a_b_idx on t
--| (7 rows)
explain (costs off) select a, count(*) from t group by a order by count(*), a limit 5;
--|                        QUERY PLAN
--| --------------------------------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: (count(*)), a
--|          ->  HashAggregate
--|                Group Key: a
--|                ->  Index Only Scan using t_a_b_idx on t
--| (6 rows)
select a, count(*) from t group by a having count(*) > 39 order by a limit 2;
--|  a | count
--| ---+-------
--|  1 |    40
--|  2 |    40
--| (2 rows)
select count(*) from (select a from t group by a order by a limit 100000) s;
--|  count
--| -------
--|    500
--| (1 row)
select * from (select c, count(*) from t group by c order by c limit 3) s;
--|            c            | count
--| ------------------------+-------
--|  0.00000000000000000000 |   500
--|  0.10000000000000000000 |   500
--|  0.20000000000000000000 |   500
--| (3 rows)
-- Equal values that are written differently are one group.
create table n (c numeric);
--| CREATE TABLE
insert into n select case g % 3 when 0 then 1.0 when 1 then 1.00 else 2.000 end from generate_series(1, 6000) g;
--| INSERT 0 6000
create index on n (c);
--| CREATE INDEX
analyze n;
--| ANALYZE
select c = 1, count(*) from n group by c order by c limit 2;
--|  ?column? | count
--| ----------+-------
--|  t        |  4000
--|  f        |  2000
--| (2 rows)
select count(*) from (select distinct c from n order by c limit 10) s;
--|  count
--| -------
--|      2
--| (1 row)
-- DISTINCT.
explain (costs off) select distinct a from t order by a limit 5;
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Limit
--|    ->  Unique
--|          ->  Index Only Scan using t_a_b_idx on t
--| (3 rows)
select distinct a from t order by a limit 5;
--|  a
--| ---
--|  1
--|  2
--|  3
--|  4
--|  5
--| (5 rows)
select distinct a from t order by a desc limit 3;
--|   a
--| -----
--|
--|  499
--|  498
--| (3 rows)
explain (costs off) select distinct a, b from t where a > 10 order by a, b limit 5;
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Limit
--|    ->  Unique
--|          ->  Index Only Scan using t_a_b_idx on t
--|                Index Cond: (a > 10)
--| (4 rows)
select distinct a, b from t where a > 10 order by a, b limit 5;
--|  a  | b
--| ----+----
--|  11 | x0
--|  11 | x1
--|  11 | x2
--|  11 | x3
--|  11 | x4
--| (5 rows)
select distinct b, a from t where a > 10 order by a limit 3 offset 1;
--|  b  | a
--| ----+----
--|  x1 | 11
--|  x2 | 11
--|  x3 | 11
--| (3 rows)
explain (costs off) select distinct b from t order by b limit 5;
--|                        QUERY PLAN
--| --------------------------------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: column1
--|          ->  HashAggregate
--|                Group Key: b
--|                ->  Index Only Scan using t_a_b_idx on t
--| (6 rows)
explain (costs off) select distinct a from t limit 5;
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Limit
--|    ->  Unique
--|          ->  Index Only Scan using t_a_b_idx on t
--| (3 rows)
explain (costs off) select distinct a from t;
--|                  QUERY PLAN
--| --------------------------------------------
--|  HashAggregate
--|    Group Key: a
--|    ->  Index Only Scan using t_a_b_idx on t
--| (3 rows)
-- DISTINCT ON takes the newest of each without a sort.
explain (costs off) select distinct on (d) d, id from t order by d desc, id;
--|                  QUERY PLAN
--| ---------------------------------------------
--|  Unique
--|    ->  Index Only Scan using t_d_id_idx on t
--| (2 rows)
select distinct on (d) d, id from t order by d desc, id limit 4;
--|   d  | id
--| -----+-----
--|  999 | 999
--|  998 | 998
--|  997 | 997
--|  996 | 996
--| (4 rows)
select count(*), sum(id) from (select distinct on (d) d, id from t order by d desc, id) s;
--|  count |  sum
--| -------+--------
--|   1000 | 500500
--| (1 row)
explain (costs off) select distinct on (d) d, id from t order by d, id desc limit 3;
--|                          QUERY PLAN
--| ------------------------------------------------------------
--|  Limit
--|    ->  Unique
--|          ->  Index Only Scan Backward using t_d_id_idx on t
--| (3 rows)
select distinct on (d) d, id from t order by d, id desc limit 3;
--|  d |  id
--| ---+-------
--|  0 | 20000
--|  1 | 19001
--|  2 | 19002
--| (3 rows)
explain (costs off) select distinct on (d) d, b from t order by d, b limit 3;
--|                 QUERY PLAN
--| ------------------------------------------
--|  Limit
--|    ->  Unique
--|          ->  Sort
--|                Sort Key: column1, column2
--|                ->  Seq Scan on t
--| (5 rows)
select distinct on (d) d, b from t order by d, b limit 3;
--|  d | b
--| ---+----
--|  0 | x0
--|  1 | x0
--|  2 | x0
--| (3 rows)
-- Beside joins, parameters, cursors and expressions.
explain (costs off) select t.a, count(*) from t join n on n.c = t.c group by t.a order by t.a limit 2;
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  Limit
--|    ->  GroupAggregate
--|          Group Key: t.a
--|          ->  Hash Join
--|                Hash Cond: (t.c = n.c)
--|                ->  Index Scan using t_a_b_idx on t
--|                ->  Hash
--|                      ->  Seq Scan on n
--| (8 rows)
select t.a, count(*) from t join n on n.c = t.c where t.id < 3000 group by t.a order by t.a limit 2;
--|  a  | count
--| ----+-------
--|  10 | 12000
--|  20 |  6000
--| (2 rows)
prepare p(int, int) as select a, count(*) from t where a >= $1 group by a order by a limit $2;
--| PREPARE
execute p(495, 3);
--|   a  | count
--| -----+-------
--|  495 |    40
--|  496 |    40
--|  497 |    40
--| (3 rows)
execute p(499, 3);
--|   a  | count
--| -----+-------
--|  499 |    40
--| (1 row)
begin;
--| BEGIN
declare k cursor for select a, count(*) from t group by a order by a limit 400;
--| DECLARE CURSOR
fetch 2 from k;
--|  a | count
--| ---+-------
--|  1 |    40
--|  2 |    40
--| (2 rows)
move 200 from k;
--| MOVE 200
fetch 2 from k;
--|   a  | count
--| -----+-------
--|  203 |    40
--|  204 |    40
--| (2 rows)
commit;
--| COMMIT
create index on t ((d / 100));
--| CREATE INDEX
explain (costs off) select d / 100, max(id) from t group by d / 100 order by 1 limit 2;
--|                   QUERY PLAN
--| ----------------------------------------------
--|  Limit
--|    ->  GroupAggregate
--|          Group Key: (d / 100)
--|          ->  Index Scan using t_expr_idx on t
--| (4 rows)
select d / 100, max(id) from t group by d / 100 order by 1 limit 2;
--|  ?column? |  max
--| ----------+-------
--|         0 | 20000
--|         1 | 19199
--| (2 rows)
select x, (select a from t where a > x group by a order by a limit 1), (select count(*) from (select distinct a from t where a < x order by a limit 2) s) from (values (0), (3), (498), (499)) v(x) order by x;
--|   x  |  a  | count
--| -----+-----+-------
--|    0 |   1 |     0
--|    3 |   4 |     2
--|  498 | 499 |     2
--|  499 |     |     2
--| (4 rows)
select a, count(*) from t where false group by a order by a limit 5;
--|  a | count
--| ---+-------
--| (0 rows)
select distinct a from t where id < 0 order by a limit 5;
--|  a
--| ---
--| (0 rows)
drop table t, n;
--| DROP TABLE
