-- Rows that come sorted by the first keys are sorted a group at a time where a few are wanted.
create table inc (id int primary key, g int, t text);
--| CREATE TABLE
insert into inc select n, nullif(n % 7, 6), 't' || n * 7919 % 4001 from generate_series(1, 4000) n;
--| INSERT 0 4000
create index on inc (g);
--| CREATE INDEX
create table part (id int primary key, inc int, x int);
--| CREATE TABLE
insert into part select n, n % 4000 + 1, n % 10 from generate_series(1, 8000) n;
--| INSERT 0 8000
create index on part (inc);
--| CREATE INDEX
analyze inc, part;
--| ANALYZE
explain (costs off) select id from inc order by g, t limit 3;
--|                   QUERY PLAN
--| -----------------------------------------------
--|  Limit
--|    ->  Incremental Sort
--|          Sort Key: g, t
--|          Presorted Key: g
--|          ->  Index Scan using inc_g_idx on inc
--| (5 rows)
select id, g, t from inc order by g, t limit 3;
--|   id  | g |   t
--| ------+---+-------
--|  2121 | 0 | t1
--|   952 | 0 | t1004
--|  3073 | 0 | t1005
--| (3 rows)
select id, g, t from inc order by g, t desc, id limit 3 offset 600;
--|   id  | g |  t
--| ------+---+------
--|   183 | 1 | t815
--|  2738 | 1 | t803
--|   617 | 1 | t802
--| (3 rows)
explain (costs off) select id, g, t from inc order by g desc, t limit 3;
--|                        QUERY PLAN
--| --------------------------------------------------------
--|  Limit
--|    ->  Incremental Sort
--|          Sort Key: g DESC, t
--|          Presorted Key: g
--|          ->  Index Scan Backward using inc_g_idx on inc
--| (5 rows)
select id, g, t from inc order by g desc, t limit 3;
--|   id  | g |   t
--| ------+---+-------
--|  1434 |   | t1008
--|  3555 |   | t1009
--|  1000 |   | t1021
--| (3 rows)
select id, g, t from inc order by g desc nulls last, t limit 2;
--|   id  | g |  t
--| ------+---+------
--|    47 | 5 | t100
--|  2168 | 5 | t101
--| (2 rows)
explain (costs off) select id from inc where id < 100 order by id, t limit 3;
--|                QUERY PLAN
--| ----------------------------------------
--|  Limit
--|    ->  Index Scan using inc_pkey on inc
--|          Index Cond: (id < 100)
--| (3 rows)
explain (costs off) select id from inc order by g, t;
--|       QUERY PLAN
--| -----------------------
--|  Sort
--|    Sort Key: g, t
--|    ->  Seq Scan on inc
--| (3 rows)
select count(*), md5(string_agg(id::text, ',')) from (select id from inc order by g, t, id limit 1300 offset 5) q;
--|  count |               md5
--| -------+----------------------------------
--|   1300 | 4a13da04459d83e9d7003798d3d5b1d8
--| (1 row)
set work_mem = '64kB';
--| SET
select count(*), md5(string_agg(id::text, ',')) from (select id from inc order by g, t, id limit 1300 offset 5) q;
--|  count |               md5
--| -------+----------------------------------
--|   1300 | 4a13da04459d83e9d7003798d3d5b1d8
--| (1 row)
reset work_mem;
--| RESET
explain (costs off) select i.id, p.id from inc i join part p on p.inc = i.id order by i.id, p.x desc limit 4;
--|                         QUERY PLAN
--| -----------------------------------------------------------
--|  Limit
--|    ->  Incremental Sort
--|          Sort Key: i.id, p.x DESC
--|          Presorted Key: i.id
--|          ->  Nested Loop
--|                ->  Index Only Scan using inc_pkey on inc i
--|                ->  Index Scan using part_inc_idx on part p
--|                      Index Cond: (inc = i.id)
--| (8 rows)
select i.id, p.id from inc i join part p on p.inc = i.id order by i.id, p.x desc, p.id limit 4;
--|  id |  id
--| ----+------
--|   1 | 4000
--|   1 | 8000
--|   2 |    1
--|   2 | 4001
--| (4 rows)
select (select string_agg(x.id::text, ',') from (select i.id from inc i where i.id > p.id order by i.id, i.t limit 2) x) from part p where p.id < 4 order by p.id;
--|  string_agg
--| ------------
--|  2,3
--|  3,4
--|  4,5
--| (3 rows)
begin;
--| BEGIN
declare c scroll cursor for select id, g from inc order by g, t limit 2000;
--| DECLARE CURSOR
fetch 2 from c;
--|   id  | g
--| ------+---
--|  2121 | 0
--|   952 | 0
--| (2 rows)
move 1500 in c;
--| MOVE 1500
fetch 2 from c;
--|   id  | g
--| ------+---
--|  1696 | 2
--|  3817 | 2
--| (2 rows)
fetch backward 2 from c;
--|   id  | g
--| ------+---
--|  1696 | 2
--|  2130 | 2
--| (2 rows)
fetch absolute 2 from c;
--|  id  | g
--| -----+---
--|  952 | 0
--| (1 row)
fetch relative 700 from c;
--|   id  | g
--| ------+---
--|  1926 | 1
--| (1 row)
commit;
--| COMMIT
drop table inc, part;
--| DROP TABLE
