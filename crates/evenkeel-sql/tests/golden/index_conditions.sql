-- Conditions that an index answers: IS NULL and IS NOT NULL, several bounds of one column, booleans, what NOT stands before, subqueries that run once, lists within OR.
create table ixc (id int primary key, a int, b int, f bool, s text collate "sv-x-icu");
--| CREATE TABLE
insert into ixc select g, nullif(g % 1000, 0), case when g % 100 = 0 then g end, g % 500 = 0, case when g % 400 > 0 then 's' || g end from generate_series(1, 4000) g;
--| INSERT 0 4000
create index ixc_a on ixc (a);
--| CREATE INDEX
create index ixc_b on ixc (b);
--| CREATE INDEX
create index ixc_f on ixc (f);
--| CREATE INDEX
create index ixc_s on ixc (s);
--| CREATE INDEX
create unique index ixc_ab on ixc (b desc nulls last, id);
--| CREATE INDEX
analyze ixc;
--| ANALYZE
explain (costs off) select id from ixc where a is null;
--|           QUERY PLAN
--| -------------------------------
--|  Index Scan using ixc_a on ixc
--|    Index Cond: (a IS NULL)
--| (2 rows)
select id from ixc where a is null order by id;
--|   id
--| ------
--|  1000
--|  2000
--|  3000
--|  4000
--| (4 rows)
select id from ixc where s is null and id < 1000 order by id;
--|  id
--| -----
--|  400
--|  800
--| (2 rows)
explain (costs off) select id from ixc where b is not null;
--|              QUERY PLAN
--| -------------------------------------
--|  Index Only Scan using ixc_ab on ixc
--|    Index Cond: (b IS NOT NULL)
--| (2 rows)
select count(*), min(b), max(b) from ixc where b is not null;
--|  count | min | max
--| -------+-----+------
--|     40 | 100 | 4000
--| (1 row)
select count(*) from ixc where b is not null and b is null;
--|  count
--| -------
--|      0
--| (1 row)
explain (costs off) select id from ixc where a = 5 or a is null;
--|                QUERY PLAN
--| ----------------------------------------
--|  Bitmap Heap Scan on ixc
--|    Filter: ((a = 5) OR (a IS NULL))
--|    ->  BitmapOr
--|          ->  Bitmap Index Scan on ixc_a
--|                Index Cond: (a = 5)
--|          ->  Bitmap Index Scan on ixc_a
--|                Index Cond: (a IS NULL)
--| (7 rows)
select id from ixc where a = 5 or a is null order by id;
--|   id
--| ------
--|     5
--|  1000
--|  1005
--|  2000
--|  2005
--|  3000
--|  3005
--|  4000
--| (8 rows)
explain (costs off) select id from ixc where a in (5, 6) or a > 998;
--|                         QUERY PLAN
--| ----------------------------------------------------------
--|  Bitmap Heap Scan on ixc
--|    Filter: ((a = ANY ('{5,6}'::integer[])) OR (a > 998))
--|    ->  BitmapOr
--|          ->  Bitmap Index Scan on ixc_a
--|                Index Cond: (a = ANY ('{5,6}'::integer[]))
--|          ->  Bitmap Index Scan on ixc_a
--|                Index Cond: (a > 998)
--| (7 rows)
select id from ixc where a in (5, 6) or a > 998 order by id;
--|   id
--| ------
--|     5
--|     6
--|   999
--|  1005
--|  1006
--|  1999
--|  2005
--|  2006
--|  2999
--|  3005
--|  3006
--|  3999
--| (12 rows)
explain (costs off) select id from ixc where a > 5 and a > 996 and a < 1000000 and a < 998;
--|                               QUERY PLAN
--| -----------------------------------------------------------------------
--|  Index Scan using ixc_a on ixc
--|    Index Cond: ((a > 5) AND (a > 996) AND (a < 1000000) AND (a < 998))
--| (2 rows)
select id from ixc where a > 5 and a > 996 and a < 1000000 and a < 998 order by id;
--|   id
--| ------
--|   997
--|  1997
--|  2997
--|  3997
--| (4 rows)
explain (costs off) select id from ixc where f;
--|           QUERY PLAN
--| -------------------------------
--|  Index Scan using ixc_f on ixc
--|    Index Cond: (f = true)
--| (2 rows)
select count(*) from ixc where f;
--|  count
--| -------
--|      8
--| (1 row)
select count(*) from ixc where not f;
--|  count
--| -------
--|   3992
--| (1 row)
select count(*) from ixc where f is true;
--|  count
--| -------
--|      8
--| (1 row)
explain (costs off) select id from ixc where not (a <> 7);
--|           QUERY PLAN
--| -------------------------------
--|  Index Scan using ixc_a on ixc
--|    Index Cond: (a = 7)
--| (2 rows)
select id from ixc where not (a <> 7) order by id;
--|   id
--| ------
--|     7
--|  1007
--|  2007
--|  3007
--| (4 rows)
select count(*) from ixc where not (a > 7);
--|  count
--| -------
--|     28
--| (1 row)
explain (costs off) select id from ixc where a = (select max(a) from ixc);
--|                               QUERY PLAN
--| -----------------------------------------------------------------------
--|  Index Scan using ixc_a on ixc
--|    Index Cond: (a = (InitPlan 1).col1)
--|    InitPlan 1
--|      ->  Aggregate
--|            ->  Limit
--|                  ->  Index Only Scan Backward using ixc_a on ixc ixc_1
--|                        Index Cond: (a IS NOT NULL)
--| (7 rows)
select id from ixc where a = (select max(a) from ixc) order by id;
--|   id
--| ------
--|   999
--|  1999
--|  2999
--|  3999
--| (4 rows)
select id from ixc where a = (select max(a) from ixc where false);
--|  id
--| ----
--| (0 rows)
select id from ixc where a = any (array(select b / 100 from ixc where b < 300)) order by id;
--|   id
--| ------
--|     1
--|     2
--|  1001
--|  1002
--|  2001
--|  2002
--|  3001
--|  3002
--| (8 rows)
select id from ixc where a > (select max(a) - 2 from ixc) order by id;
--|   id
--| ------
--|   998
--|   999
--|  1998
--|  1999
--|  2998
--|  2999
--|  3998
--|  3999
--| (8 rows)
select id from ixc x where a = (select min(a) + 1 from ixc y where y.id = x.id - 1) and id < 4;
--|  id
--| ----
--|   2
--|   3
--| (2 rows)
-- NULLs of a unique index are several; or one, where they are not distinct.
create table ixn (a int, b int);
--| CREATE TABLE
insert into ixn select nullif(g % 50, 0), g from generate_series(1, 2000) g;
--| INSERT 0 2000
insert into ixn values (7, null), (7, null), (null, null);
--| INSERT 0 3
create unique index ixn_ab on ixn (b, a) where b is null and a is null;
--| CREATE INDEX
create unique index ixn_ba on ixn (b, a, (0)) nulls not distinct where a is null;
--| CREATE INDEX
create index ixn_b on ixn (b nulls first);
--| CREATE INDEX
analyze ixn;
--| ANALYZE
select count(*) from ixn where b is null;
--|  count
--| -------
--|      3
--| (1 row)
select count(*) from ixn where b is null and a is null;
--|  count
--| -------
--|      1
--| (1 row)
select count(*) from ixn where b < 10;
--|  count
--| -------
--|      9
--| (1 row)
select b from ixn where b is not null order by b limit 2;
--|  b
--| ---
--|  1
--|  2
--| (2 rows)
select b from ixn where b > 5 and b is not null order by b desc limit 2;
--|   b
--| ------
--|  2000
--|  1999
--| (2 rows)
select count(*) from ixn where a in (7, 8) and b is not null;
--|  count
--| -------
--|     80
--| (1 row)
-- Fields of rows are something else.
create type ixp as (x int, y int);
--| CREATE TYPE
create table ixr (p ixp);
--| CREATE TABLE
insert into ixr values (row(null, null)), (row(1, null)), (row(1, 2)), (null);
--| INSERT 0 4
create index on ixr (p);
--| CREATE INDEX
select p is null, p is not null, count(*) from ixr group by 1, 2 order by 1, 2;
--|  ?column? | ?column? | count
--| ----------+----------+-------
--|  f        | f        |     1
--|  f        | t        |     1
--|  t        | f        |     2
--| (3 rows)
select p from ixr where p is null order by p::text;
--|   p
--| -----
--|  (,)
--|
--| (2 rows)
select p from ixr where p is not null;
--|    p
--| -------
--|  (1,2)
--| (1 row)
