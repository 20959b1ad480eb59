-- GROUPING SETS, ROLLUP, CUBE and GROUPING; FETCH FIRST … WITH TIES.

create table s (region text, product text, amount int);
--| CREATE TABLE
insert into s values ('n', 'a', 1), ('n', 'b', 2), ('s', 'a', 3), ('s', null, 4), (null, 'b', 5);
--| INSERT 0 5
select region, product, sum(amount), grouping(region, product) as g from s group by rollup (region, product) order by g, region, product;
--|  region | product | sum | g
--| --------+---------+-----+---
--|  n      | a       |   1 | 0
--|  n      | b       |   2 | 0
--|  s      | a       |   3 | 0
--|  s      |         |   4 | 0
--|         | b       |   5 | 0
--|  n      |         |   3 | 1
--|  s      |         |   7 | 1
--|         |         |   5 | 1
--|         |         |  15 | 3
--| (9 rows)
select region, product, sum(amount), grouping(region), grouping(product) from s group by cube (region, product) order by 4, 5, 1, 2;
--|  region | product | sum | grouping | grouping
--| --------+---------+-----+----------+----------
--|  n      | a       |   1 |        0 |        0
--|  n      | b       |   2 |        0 |        0
--|  s      | a       |   3 |        0 |        0
--|  s      |         |   4 |        0 |        0
--|         | b       |   5 |        0 |        0
--|  n      |         |   3 |        0 |        1
--|  s      |         |   7 |        0 |        1
--|         |         |   5 |        0 |        1
--|         | a       |   4 |        1 |        0
--|         | b       |   7 |        1 |        0
--|         |         |   4 |        1 |        0
--|         |         |  15 |        1 |        1
--| (12 rows)
select region, product, count(*) from s group by grouping sets ((region), (product), ()) order by 1, 2, 3;
--|  region | product | count
--| --------+---------+-------
--|  n      |         |     2
--|  s      |         |     2
--|         | a       |     2
--|         | b       |     2
--|         |         |     1
--|         |         |     1
--|         |         |     5
--| (7 rows)
select region, product, count(*) from s group by grouping sets (region, rollup (region, product), ()) order by 1, 2, 3;
--|  region | product | count
--| --------+---------+-------
--|  n      | a       |     1
--|  n      | b       |     1
--|  n      |         |     2
--|  n      |         |     2
--|  s      | a       |     1
--|  s      |         |     1
--|  s      |         |     2
--|  s      |         |     2
--|         | b       |     1
--|         |         |     1
--|         |         |     1
--|         |         |     5
--|         |         |     5
--| (13 rows)
select region, product, count(*) from s group by region, rollup (product) order by 1, 2, 3;
--|  region | product | count
--| --------+---------+-------
--|  n      | a       |     1
--|  n      | b       |     1
--|  n      |         |     2
--|  s      | a       |     1
--|  s      |         |     1
--|  s      |         |     2
--|         | b       |     1
--|         |         |     1
--| (8 rows)
select region, product, count(*) from s group by rollup (region), cube (product) order by 1, 2, 3;
--|  region | product | count
--| --------+---------+-------
--|  n      | a       |     1
--|  n      | b       |     1
--|  n      |         |     2
--|  s      | a       |     1
--|  s      |         |     1
--|  s      |         |     2
--|         | a       |     2
--|         | b       |     1
--|         | b       |     2
--|         |         |     1
--|         |         |     1
--|         |         |     5
--| (12 rows)
select region, product, count(*) from s group by rollup ((region, product)) order by 1, 2, 3;
--|  region | product | count
--| --------+---------+-------
--|  n      | a       |     1
--|  n      | b       |     1
--|  s      | a       |     1
--|  s      |         |     1
--|         | b       |     1
--|         |         |     5
--| (6 rows)
select count(*) from s where false group by ();
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from s where false group by grouping sets ((), ());
--|  count
--| -------
--|      0
--|      0
--| (2 rows)
select region, count(*) from s where false group by rollup (region);
--|  region | count
--| --------+-------
--|         |     0
--| (1 row)
select region, count(*) from s where false group by grouping sets ((region));
--|  region | count
--| --------+-------
--| (0 rows)
select count(*) from s group by ();
--|  count
--| -------
--|      5
--| (1 row)
select region, sum(amount) from s group by rollup (region) having sum(amount) > 5 order by 1;
--|  region | sum
--| --------+-----
--|  s      |   7
--|         |  15
--| (2 rows)
select region, sum(amount) from s group by rollup (region) having grouping(region) = 1;
--|  region | sum
--| --------+-----
--|         |  15
--| (1 row)
select region || '!' as r, sum(amount) from s group by rollup (region || '!') order by 1;
--|  r  | sum
--| ----+-----
--|  n! |   3
--|  s! |   7
--|     |  15
--|     |   5
--| (4 rows)
select region || '!' as r, sum(amount) from s group by rollup (1) order by 1;
--|  r  | sum
--| ----+-----
--|  n! |   3
--|  s! |   7
--|     |  15
--|     |   5
--| (4 rows)
select upper(region), product from s group by rollup (region, product) order by 1, 2;
--|  upper | product
--| -------+---------
--|  N     | a
--|  N     | b
--|  N     |
--|  S     | a
--|  S     |
--|  S     |
--|        | b
--|        |
--|        |
--| (9 rows)
select grouping(amount) from s group by region;
--| ERROR:  42803: arguments to GROUPING must be grouping expressions of the associated query level
select grouping(region) from s;
--| ERROR:  42803: arguments to GROUPING must be grouping expressions of the associated query level
select grouping(region) from s group by region order by 1 limit 1;
--|  grouping
--| ----------
--|         0
--| (1 row)
select region, amount from s group by rollup (region);
--| ERROR:  42803: column "s.amount" must appear in the GROUP BY clause or be used in an aggregate function
select region, sum(sum(amount)) over (partition by grouping(region)) from s group by rollup (region) order by 1;
--|  region | sum
--| --------+-----
--|  n      |  15
--|  s      |  15
--|         |  15
--|         |  15
--| (4 rows)
select region, rank() over (order by sum(amount) desc) from s group by cube (region) order by 2, 1;
--|  region | rank
--| --------+------
--|         |    1
--|  s      |    2
--|         |    3
--|  n      |    4
--| (4 rows)
select distinct grouping(region, product) from s group by cube (region, product) order by 1;
--|  grouping
--| ----------
--|         0
--|         1
--|         2
--|         3
--| (4 rows)
select region, array_agg(distinct product order by product), count(distinct amount) from s group by rollup (region) order by 1, 3;
--|  region | array_agg  | count
--| --------+------------+-------
--|  n      | {a,b}      |     2
--|  s      | {a,NULL}   |     2
--|         | {b}        |     1
--|         | {a,b,NULL} |     5
--| (4 rows)
select region, string_agg(product, ',' order by amount) filter (where amount > 1) from s group by grouping sets ((region), ()) order by 1, 2;
--|  region | string_agg
--| --------+------------
--|  n      | b
--|  s      | a
--|         | b
--|         | b,a,b
--| (4 rows)
select coalesce(region, 'all') c, sum(amount) from s group by rollup (region) order by sum(amount), c;
--|   c  | sum
--| -----+-----
--|  n   |   3
--|  all |   5
--|  s   |   7
--|  all |  15
--| (4 rows)
select s.region, t.product from s join s t using (amount) group by rollup (s.region, t.product) order by 1, 2 limit 3;
--|  region | product
--| --------+---------
--|  n      | a
--|  n      | b
--|  n      |
--| (3 rows)
select * from (select region, sum(amount) x from s group by rollup (region)) q where region is null order by x;
--|  region | x
--| --------+----
--|         |  5
--|         | 15
--| (2 rows)
select region from s group by rollup (region) having region is null;
--|  region
--| --------
--|
--|
--| (2 rows)
select g % 3 as a, g % 2 as b, count(*), sum(g) from generate_series(1, 1000) g group by cube (1, 2) order by 1, 2;
--|  a | b | count |  sum
--| ---+---+-------+--------
--|  0 | 0 |   166 |  83166
--|  0 | 1 |   167 |  83667
--|  0 |   |   333 | 166833
--|  1 | 0 |   167 |  83834
--|  1 | 1 |   167 |  83333
--|  1 |   |   334 | 167167
--|  2 | 0 |   167 |  83500
--|  2 | 1 |   166 |  83000
--|  2 |   |   333 | 166500
--|    | 0 |   500 | 250500
--|    | 1 |   500 | 250000
--|    |   |  1000 | 500500
--| (12 rows)
set work_mem = '64kB';
--| SET
select sum(c), count(*), sum(x), sum(gr) from (select g % 5000 as a, g % 7 as b, count(*) c, sum(g) x, grouping(g % 5000, g % 7) gr from generate_series(1, 20000) g group by cube (1, 2)) q;
--|   sum  | count |    sum    | sum
--| -------+-------+-----------+------
--|  80000 | 25008 | 800040000 | 5017
--| (1 row)
reset work_mem;
--| RESET
select a, b from (values (1, 1), (1, 2), (2, 3), (2, 4), (3, 5)) v(a, b) order by a fetch first 1 rows with ties;
--|  a | b
--| ---+---
--|  1 | 1
--|  1 | 2
--| (2 rows)
select a, b from (values (1, 1), (1, 2), (2, 3), (2, 4), (3, 5)) v(a, b) order by a desc, b offset 1 fetch first 1 row with ties;
--|  a | b
--| ---+---
--|  2 | 3
--| (1 row)
select b from (values (1, 1), (1, 2), (2, 3), (2, 4), (3, 5)) v(a, b) order by a fetch first 3 rows with ties;
--|  b
--| ---
--|  1
--|  2
--|  3
--|  4
--| (4 rows)
select b from (values (1, 1), (1, 2), (2, 3), (2, 4), (3, 5)) v(a, b) order by a offset 3 rows fetch next (1) rows with ties;
--|  b
--| ---
--|  4
--| (1 row)
select distinct a from (values (1, 1), (1, 2), (2, 3)) v(a, b) order by a fetch first row with ties;
--|  a
--| ---
--|  1
--| (1 row)
select a from (values (1), (1), (null), (null)) v(a) order by a desc fetch first 1 rows with ties;
--|  a
--| ---
--|
--|
--| (2 rows)
select 1 as x union all select 1 union all select 2 order by x fetch first 1 rows with ties;
--|  x
--| ---
--|  1
--|  1
--| (2 rows)
select a, count(*) from (values (1), (1), (2), (3)) v(a) group by a order by count(*) fetch first 1 rows with ties;
--|  a | count
--| ---+-------
--|  2 |     1
--|  3 |     1
--| (2 rows)
select a, row_number() over (order by a) from (values (1), (1), (2)) v(a) order by a fetch first 1 rows with ties;
--|  a | row_number
--| ---+------------
--|  1 |          1
--|  1 |          2
--| (2 rows)
select a from (values (1)) v(a) fetch first 1 rows with ties;
--| ERROR:  42601: WITH TIES cannot be specified without ORDER BY clause
select a from (values (1)) v(a) order by a fetch first 0 rows with ties;
--|  a
--| ---
--| (0 rows)
select a from (values (1), (1), (2)) v(a) order by a fetch first 100 rows with ties;
--|  a
--| ---
--|  1
--|  1
--|  2
--| (3 rows)
select a from (values (1)) v(a) order by a fetch first (null) rows with ties;
--| ERROR:  2201W: row count cannot be null in FETCH FIRST ... WITH TIES clause
select a from (values (1)) v(a) order by a fetch first (-1) rows only;
--| ERROR:  2201W: LIMIT must not be negative
select a from (values (1), (2), (3)) v(a) order by a fetch first (1 + 1) rows only;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
select a from (values (1), (2), (3)) v(a) order by a offset 1 rows fetch first (1) row only;
--|  a
--| ---
--|  2
--| (1 row)
create table wt (id int primary key, k int);
--| CREATE TABLE
insert into wt select g, g / 3 from generate_series(1, 20) g;
--| INSERT 0 20
create index on wt (k);
--| CREATE INDEX
select * from wt order by k fetch first 1 rows with ties;
--|  id | k
--| ----+---
--|   1 | 0
--|   2 | 0
--| (2 rows)
select id from wt order by k, id fetch first 1 rows with ties;
--|  id
--| ----
--|   1
--| (1 row)
select * from wt order by k fetch first 3 rows with ties for update;
--|  id | k
--| ----+---
--|   1 | 0
--|   2 | 0
--|   3 | 1
--|   4 | 1
--|   5 | 1
--| (5 rows)
select * from wt order by k fetch first 3 rows with ties for update skip locked;
--| ERROR:  42601: SKIP LOCKED and WITH TIES options cannot be used together
select * from (select id from wt order by k fetch first 3 rows with ties) q order by id desc;
--|  id
--| ----
--|   5
--|   4
--|   3
--|   2
--|   1
--| (5 rows)
select (select max(id) from (select id from wt order by k fetch first 1 rows with ties) q);
--|  max
--| -----
--|    2
--| (1 row)
select generate_series(1, 2), k from wt order by k fetch first 1 rows with ties;
--|  generate_series | k
--| -----------------+---
--|                1 | 0
--|                2 | 0
--|                1 | 0
--|                2 | 0
--| (4 rows)
prepare ft as select id from wt order by k offset $2 fetch first ($1) rows with ties;
--| PREPARE
execute ft(2, 0);
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
execute ft(1, 3);
--|  id
--| ----
--|   4
--|   5
--| (2 rows)
select grouping(region) from s where grouping(region) = 1 group by rollup (region);
--| ERROR:  42803: grouping operations are not allowed in WHERE
select region, count(*) from s group by cube (region, product, amount, region || 'a', region || 'b', region || 'c', region || 'd', region || 'e', region || 'f', region || 'g', region || 'h', region || 'i', region || 'j');
--| ERROR:  54011: CUBE is limited to 12 elements
select region, product from s group by (region, product) order by 1, 2 limit 2;
--|  region | product
--| --------+---------
--|  n      | a
--|  n      | b
--| (2 rows)
create table pk (id int primary key, v text);
--| CREATE TABLE
insert into pk values (1, 'x'), (2, 'y');
--| INSERT 0 2
select id, v from pk group by id order by 1;
--|  id | v
--| ----+---
--|   1 | x
--|   2 | y
--| (2 rows)
select id, v from pk group by rollup (id);
--| ERROR:  42803: column "pk.v" must appear in the GROUP BY clause or be used in an aggregate function
select id, v, count(*) from pk group by grouping sets ((id, v), ()) order by 1;
--|  id | v | count
--| ----+---+-------
--|   1 | x |     1
--|   2 | y |     1
--|     |   |     2
--| (3 rows)
create view gsv as select region, sum(amount) as a, grouping(region) as g from s group by rollup (region);
--| CREATE VIEW
select * from gsv order by g, region;
--|  region | a  | g
--| --------+----+---
--|  n      |  3 | 0
--|  s      |  7 | 0
--|         |  5 | 0
--|         | 15 | 1
--| (4 rows)
insert into pk select 100 + grouping(region) * 10 + row_number() over (), region from s group by rollup (region);
--| INSERT 0 4
select count(*) from pk;
--|  count
--| -------
--|      6
--| (1 row)
-- items that begin with a parenthesis
create type gp as (x int, y int);
--| CREATE TYPE
create table gi (p gp, a int, b int);
--| CREATE TABLE
insert into gi values ('(1,2)', 1, 2), ('(1,3)', 3, 4);
--| INSERT 0 2
select (p).x, count(*) from gi group by rollup ((p).x) order by 1;
--|  x | count
--| ---+-------
--|  1 |     2
--|    |     2
--| (2 rows)
select (a + b) * 2 as c, (p).y, count(*) from gi group by cube ((a + b) * 2, (p).y) order by 1, 2;
--|  c  | y | count
--| ----+---+-------
--|   6 | 2 |     1
--|   6 |   |     1
--|  14 | 3 |     1
--|  14 |   |     1
--|     | 2 |     1
--|     | 3 |     1
--|     |   |     2
--| (7 rows)
select (p).x, a, count(*) from gi group by grouping sets (((p).x, a), ((p).x), (a)::text, ()), rollup (((a)), (b + 1) % 2) order by 1, 2, 3 limit 3;
--|  x | a | count
--| ---+---+-------
--|  1 | 1 |     1
--|  1 | 1 |     1
--|  1 | 1 |     1
--| (3 rows)
select (p).x, a, count(*) from gi group by grouping sets (((p).x, a), (p).x, ()) order by 1, 2, 3;
--|  x | a | count
--| ---+---+-------
--|  1 | 1 |     1
--|  1 | 3 |     1
--|  1 |   |     2
--|    |   |     2
--| (4 rows)
select a, count(*) from gi group by grouping sets (rollup ((a)), cube ((p).x)) order by 1, 2;
--|  a | count
--| ---+-------
--|  1 |     1
--|  3 |     1
--|    |     2
--|    |     2
--|    |     2
--| (5 rows)
drop table gi;
--| DROP TABLE
drop type gp;
--| DROP TYPE
