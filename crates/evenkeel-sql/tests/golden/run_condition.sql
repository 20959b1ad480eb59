create table r (id int primary key, g int, v int, t text);
--| CREATE TABLE
insert into r select i, i % 10, (i * 7919) % 1000, 't' || i from generate_series(1, 5000) i;
--| INSERT 0 5000
create index on r (v, id);
--| CREATE INDEX
analyze r;
--| ANALYZE
-- without partitions: the end
explain (costs off) select * from (select *, row_number() over (order by v, id) as rn from r) x where rn <= 3;
--|                              QUERY PLAN
--| ---------------------------------------------------------------------
--|  Subquery Scan on x
--|    Filter: (x.rn <= 3)
--|    ->  WindowAgg
--|          Window: w1 AS (ORDER BY r.v, r.id ROWS UNBOUNDED PRECEDING)
--|          Run Condition: (row_number() OVER w1 <= 3)
--|          ->  Index Scan using r_v_id_idx on r
--| (6 rows)
select * from (select *, row_number() over (order by v, id) as rn from r) x where rn <= 3;
--|   id  | g | v |   t   | rn
--| ------+---+---+-------+----
--|  1000 | 0 | 0 | t1000 |  1
--|  2000 | 0 | 0 | t2000 |  2
--|  3000 | 0 | 0 | t3000 |  3
--| (3 rows)
select * from (select *, row_number() over (order by v, id) as rn from r) x where rn between 21 and 23;
--|   id  | g | v |   t   | rn
--| ------+---+---+-------+----
--|   716 | 6 | 4 | t716  | 21
--|  1716 | 6 | 4 | t1716 | 22
--|  2716 | 6 | 4 | t2716 | 23
--| (3 rows)
select * from (select *, row_number() over (order by v, id) as rn from r) x where 4 > rn and rn <> 2;
--|   id  | g | v |   t   | rn
--| ------+---+---+-------+----
--|  1000 | 0 | 0 | t1000 |  1
--|  3000 | 0 | 0 | t3000 |  3
--| (2 rows)
select * from (select *, row_number() over (order by v, id) as rn from r) x where rn = 4;
--|   id  | g | v |   t   | rn
--| ------+---+---+-------+----
--|  4000 | 0 | 0 | t4000 |  4
--| (1 row)
select * from (select *, row_number() over (order by v, id) as rn from r) x where rn = 0 or rn < 3;
--|   id  | g | v |   t   | rn
--| ------+---+---+-------+----
--|  1000 | 0 | 0 | t1000 |  1
--|  2000 | 0 | 0 | t2000 |  2
--| (2 rows)
select count(*) from (select *, row_number() over (order by v, id) as rn from r) x where rn < 0;
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from (select *, row_number() over (order by v, id) as rn from r) x where rn <= null;
--|  count
--| -------
--|      0
--| (1 row)
select id, rk, dr from (select id, rank() over (order by v) as rk, dense_rank() over (order by v) as dr from r) x where rk <= 7 order by id;
--|   id  | rk | dr
--| ------+----+----
--|   679 |  6 |  2
--|  1000 |  1 |  1
--|  1679 |  6 |  2
--|  2000 |  1 |  1
--|  2679 |  6 |  2
--|  3000 |  1 |  1
--|  3679 |  6 |  2
--|  4000 |  1 |  1
--|  4679 |  6 |  2
--|  5000 |  1 |  1
--| (10 rows)
select id, rk, dr from (select id, rank() over (order by v) as rk, dense_rank() over (order by v) as dr from r) x where dr <= 2 order by id;
--|   id  | rk | dr
--| ------+----+----
--|   679 |  6 |  2
--|  1000 |  1 |  1
--|  1679 |  6 |  2
--|  2000 |  1 |  1
--|  2679 |  6 |  2
--|  3000 |  1 |  1
--|  3679 |  6 |  2
--|  4000 |  1 |  1
--|  4679 |  6 |  2
--|  5000 |  1 |  1
--| (10 rows)
-- the sort keeps no more than these
explain (costs off) select * from (select id, row_number() over (order by t desc) as rn from r) x where rn <= 3;
--|                           QUERY PLAN
--| ---------------------------------------------------------------
--|  Subquery Scan on x
--|    Filter: (x.rn <= 3)
--|    ->  WindowAgg
--|          Window: w1 AS (ORDER BY r.t ROWS UNBOUNDED PRECEDING)
--|          Run Condition: (row_number() OVER w1 <= 3)
--|          ->  Sort
--|                Sort Key: r.t DESC
--|                ->  Seq Scan on r
--| (8 rows)
select * from (select id, row_number() over (order by t desc) as rn from r) x where rn <= 3;
--|  id  | rn
--| -----+----
--|  999 |  1
--|  998 |  2
--|  997 |  3
--| (3 rows)
-- others that look further
select * from (select id, row_number() over w as rn, lead(id) over w as next, count(*) over () as all from r window w as (order by t)) x where rn <= 3;
--|  id  | rn | next | all
--| -----+----+------+------
--|    1 |  1 |   10 | 5000
--|   10 |  2 |  100 | 5000
--|  100 |  3 | 1000 | 5000
--| (3 rows)
select * from (select id, row_number() over w as rn, lead(id) over w as next, lag(id) over w, sum(v) over w from r window w as (order by t)) x where rn <= 3;
--|  id  | rn | next | lag | sum
--| -----+----+------+-----+------
--|    1 |  1 |   10 |     |  919
--|   10 |  2 |  100 |   1 | 1109
--|  100 |  3 | 1000 |  10 | 2009
--| (3 rows)
select * from (select id, row_number() over w as rn, last_value(id) over (w rows between current row and 2 following) as third from r window w as (order by t)) x where rn <= 3;
--|  id  | rn | third
--| -----+----+-------
--|    1 |  1 |   100
--|   10 |  2 |  1000
--|  100 |  3 |  1001
--| (3 rows)
select * from (select id, row_number() over (order by t) as rn, row_number() over (order by id desc) as back from r) x where rn <= 3;
--|  id  | rn | back
--| -----+----+------
--|    1 |  1 | 5000
--|   10 |  2 | 4991
--|  100 |  3 | 4901
--| (3 rows)
select * from (select v, row_number() over w as rn, count(*) over w as n, rank() over w from r window w as (order by v)) x where rn <= 3 order by rn;
--|  v | rn | n | rank
--| ---+----+---+------
--|  0 |  1 | 5 |    1
--|  0 |  2 | 5 |    1
--|  0 |  3 | 5 |    1
--| (3 rows)
select * from (select id, v, row_number() over w as rn, count(*) over w as n, sum(v) over w from r window w as (order by v, id rows unbounded preceding)) x where rn <= 3 order by rn;
--|   id  | v | rn | n | sum
--| ------+---+----+---+-----
--|  1000 | 0 |  1 | 1 |   0
--|  2000 | 0 |  2 | 2 |   0
--|  3000 | 0 |  3 | 3 |   0
--| (3 rows)
-- peers that a sort of the first rows alone would not have
select * from (select g, row_number() over w as rn, count(*) over w as n from r window w as (order by g)) x where rn <= 3 order by rn;
--|  g | rn |  n
--| ---+----+-----
--|  0 |  1 | 500
--|  0 |  2 | 500
--|  0 |  3 | 500
--| (3 rows)
-- counts
select * from (select id, count(*) over (order by v) as n from r) x where n <= 10 order by id;
--|   id  | n
--| ------+----
--|   679 | 10
--|  1000 |  5
--|  1679 | 10
--|  2000 |  5
--|  2679 | 10
--|  3000 |  5
--|  3679 | 10
--|  4000 |  5
--|  4679 | 10
--|  5000 |  5
--| (10 rows)
select * from (select id, count(*) over (order by id rows between 2 preceding and current row) as n from r) x where n < 3;
--|  id | n
--| ----+---
--|   1 | 1
--|   2 | 2
--| (2 rows)
select count(*) from (select id, count(*) over (order by v rows between unbounded preceding and current row exclude group) as n from r) x where n < 5;
--|  count
--| -------
--|      5
--| (1 row)
select * from (select id, count(t) filter (where id > 3) over (order by id) as n from r) x where n <= 1;
--|  id | n
--| ----+---
--|   1 | 0
--|   2 | 0
--|   3 | 0
--|   4 | 1
--| (4 rows)
-- with partitions: the rest of each
explain (costs off) select g, id from (select g, id, row_number() over (partition by g order by v desc, id) as rn from r) x where rn <= 2;
--|                                       QUERY PLAN
--| --------------------------------------------------------------------------------------
--|  Subquery Scan on x
--|    Filter: (x.rn <= 2)
--|    ->  WindowAgg
--|          Window: w1 AS (PARTITION BY r.g ORDER BY r.v, r.id ROWS UNBOUNDED PRECEDING)
--|          Run Condition: (row_number() OVER w1 <= 2)
--|          ->  Sort
--|                Sort Key: r.g, r.v DESC, r.id
--|                ->  Seq Scan on r
--| (8 rows)
select g, id, rn from (select g, id, row_number() over (partition by g order by v desc, id) as rn from r) x where rn <= 2 order by g, rn;
--|  g |  id  | rn
--| ---+------+----
--|  0 |  210 |  1
--|  0 | 1210 |  2
--|  1 |  321 |  1
--|  1 | 1321 |  2
--|  2 |  642 |  1
--|  2 | 1642 |  2
--|  3 |  963 |  1
--|  3 | 1963 |  2
--|  4 |  284 |  1
--|  4 | 1284 |  2
--|  5 |  605 |  1
--|  5 | 1605 |  2
--|  6 |  926 |  1
--|  6 | 1926 |  2
--|  7 |  247 |  1
--|  7 | 1247 |  2
--|  8 |  568 |  1
--|  8 | 1568 |  2
--|  9 |  889 |  1
--|  9 | 1889 |  2
--| (20 rows)
select g, count(*), max(rk) from (select g, rank() over (partition by g order by v) as rk from r) x where rk < 12 group by g order by g;
--|  g | count | max
--| ---+-------+-----
--|  0 |    15 |  11
--|  1 |    15 |  11
--|  2 |    15 |  11
--|  3 |    15 |  11
--|  4 |    15 |  11
--|  5 |    15 |  11
--|  6 |    15 |  11
--|  7 |    15 |  11
--|  8 |    15 |  11
--|  9 |    15 |  11
--| (10 rows)
select g, count(*) from (select g, id, row_number() over (partition by g order by v desc, id) as rn from r) x where rn <= g group by g order by g;
--|  g | count
--| ---+-------
--|  1 |     1
--|  2 |     2
--|  3 |     3
--|  4 |     4
--|  5 |     5
--|  6 |     6
--|  7 |     7
--|  8 |     8
--|  9 |     9
--| (9 rows)
select g, count(*) from (select g, id, row_number() over (partition by g order by v desc, id) as rn from r) x where rn <= 3 and g in (1, 2, 17) group by g order by g;
--|  g | count
--| ---+-------
--|  1 |     3
--|  2 |     3
--| (2 rows)
-- what decides is above: DISTINCT, set-returning functions, LIMIT, outer joins
select count(*) from (select distinct on (g) g, id, row_number() over (order by id desc) as rn from r order by g, id) x where rn <= 4990;
--|  count
--| -------
--|      0
--| (1 row)
select count(*), sum(u) from (select row_number() over (order by id) as rn, generate_series(1, 2) as u from r) x where rn <= 3;
--|  count | sum
--| -------+-----
--|      6 |   9
--| (1 row)
select * from (select id, row_number() over (order by id) as rn from r order by id desc limit 3) x where rn <= 4999;
--|   id  |  rn
--| ------+------
--|  4999 | 4999
--|  4998 | 4998
--| (2 rows)
select a.id, x.rn from r a left join (select id, row_number() over (order by id desc) as rn from r) x on x.id = a.id where a.id > 4997 and (rn <= 2 or rn is null) order by 1;
--|   id  | rn
--| ------+----
--|  4999 |  2
--|  5000 |  1
--| (2 rows)
select a.id, x.rn from r a left join (select id, row_number() over (order by id desc) as rn from r) x on x.id = a.id and x.rn <= 2 where a.id > 4997 order by 1;
--|   id  | rn
--| ------+----
--|  4998 |
--|  4999 |  2
--|  5000 |  1
--| (3 rows)
-- parameters, and values of rows around
prepare p(bigint) as select id from (select id, row_number() over (order by v, id) as rn from r) x where rn <= $1;
--| PREPARE
execute p(2);
--|   id
--| ------
--|  1000
--|  2000
--| (2 rows)
execute p(0);
--|  id
--| ----
--| (0 rows)
execute p(null);
--|  id
--| ----
--| (0 rows)
select b.id, (select max(x.id) from (select id, row_number() over (order by id) as rn from r) x where rn <= b.id) from r b where b.id < 4 order by 1;
--|  id | max
--| ----+-----
--|   1 |   1
--|   2 |   2
--|   3 |   3
--| (3 rows)
select b.id, x.id from (values (1), (3)) b(id), lateral (select id, row_number() over (order by id) as rn from r) x where x.rn <= b.id order by 1, 2;
--|  id | id
--| ----+----
--|   1 |  1
--|   3 |  1
--|   3 |  2
--|   3 |  3
--| (4 rows)
create view numbered as select id, v, row_number() over (order by v, id) as rn from r;
--| CREATE VIEW
select * from numbered where rn <= 2;
--|   id  | v | rn
--| ------+---+----
--|  1000 | 0 |  1
--|  2000 | 0 |  2
--| (2 rows)
explain (costs off) with n as (select * from numbered) select id from n where rn < 3;
--|                              QUERY PLAN
--| ---------------------------------------------------------------------
--|  Subquery Scan on numbered
--|    Filter: (numbered.rn < 3)
--|    ->  WindowAgg
--|          Window: w1 AS (ORDER BY r.v, r.id ROWS UNBOUNDED PRECEDING)
--|          Run Condition: (row_number() OVER w1 < 3)
--|          ->  Index Only Scan using r_v_id_idx on r
--| (6 rows)
-- LIMIT over a window in the order of an index
explain (costs off) select id, row_number() over (order by v, id) from r order by v, id limit 3;
--|                            QUERY PLAN
--| -----------------------------------------------------------------
--|  Limit
--|    ->  WindowAgg
--|          Window: w1 AS (ORDER BY v, id ROWS UNBOUNDED PRECEDING)
--|          ->  Index Only Scan using r_v_id_idx on r
--| (4 rows)
select id, row_number() over (order by v, id), lag(id) over (order by v, id) from r order by v, id limit 3;
--|   id  | row_number | lag
--| ------+------------+------
--|  1000 |          1 |
--|  2000 |          2 | 1000
--|  3000 |          3 | 2000
--| (3 rows)
select id, sum(v) over (order by v, id rows between unbounded preceding and current row) from r order by v, id limit 3 offset 2;
--|   id  | sum
--| ------+-----
--|  3000 |   0
--|  4000 |   0
--|  5000 |   0
--| (3 rows)
explain (costs off) select id, count(*) over () from r order by v, id limit 3;
--|                        QUERY PLAN
--| ---------------------------------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: v, id
--|          ->  WindowAgg
--|                Window: w1 AS ()
--|                ->  Index Only Scan using r_v_id_idx on r
--| (6 rows)
