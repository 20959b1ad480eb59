-- Plain subqueries in FROM, and views, are taken apart.
create table big (id int primary key, x int, y text, unique (y));
--| CREATE TABLE
insert into big select n, n % 10, 'y' || n from generate_series(1, 2000) n;
--| INSERT 0 2000
create table small (id int primary key, b int);
--| CREATE TABLE
insert into small select n, n * 7 from generate_series(1, 12) n;
--| INSERT 0 12
insert into small values (100, null), (101, -5);
--| INSERT 0 2
analyze;
--| ANALYZE
create view v as select id, x + 1 as x1, y, coalesce(x, -1) as c, 'k' as k from big where x < 9;
--| CREATE VIEW
create view vv as select v.id, v.x1, s.b from v left join small s on s.id = v.x1;
--| CREATE VIEW
-- An index finds the view's rows.
explain (costs off) select s.id, v.x1 from small s join v on v.id = s.b;
--|                QUERY PLAN
--| ----------------------------------------
--|  Nested Loop
--|    ->  Seq Scan on small s
--|    ->  Index Scan using big_pkey on big
--|          Index Cond: (id = s.b)
--|          Filter: (x < 9)
--| (5 rows)
select s.id, v.x1, v.k from small s join v on v.id = s.b order by s.id;
--|  id | x1 | k
--| ----+----+---
--|   1 |  8 | k
--|   2 |  5 | k
--|   3 |  2 | k
--|   4 |  9 | k
--|   5 |  6 | k
--|   6 |  3 | k
--|   8 |  7 | k
--|   9 |  4 | k
--|  10 |  1 | k
--|  11 |  8 | k
--|  12 |  5 | k
--| (11 rows)
explain (costs off) select s.id, v.id from small s left join v on v.id = s.b;
--|                QUERY PLAN
--| ----------------------------------------
--|  Nested Loop Left Join
--|    ->  Seq Scan on small s
--|    ->  Index Scan using big_pkey on big
--|          Index Cond: (id = s.b)
--|          Filter: (x < 9)
--| (5 rows)
select s.id, v.id, v.y from small s left join v on v.id = s.b order by s.id;
--|  id  | id |  y
--| -----+----+-----
--|    1 |  7 | y7
--|    2 | 14 | y14
--|    3 | 21 | y21
--|    4 | 28 | y28
--|    5 | 35 | y35
--|    6 | 42 | y42
--|    7 |    |
--|    8 | 56 | y56
--|    9 | 63 | y63
--|   10 | 70 | y70
--|   11 | 77 | y77
--|   12 | 84 | y84
--|  100 |    |
--|  101 |    |
--| (14 rows)
select s.id, v.id, v.x1 from small s left join v on v.id = s.b order by s.id;
--|  id  | id | x1
--| -----+----+----
--|    1 |  7 |  8
--|    2 | 14 |  5
--|    3 | 21 |  2
--|    4 | 28 |  9
--|    5 | 35 |  6
--|    6 | 42 |  3
--|    7 |    |
--|    8 | 56 |  7
--|    9 | 63 |  4
--|   10 | 70 |  1
--|   11 | 77 |  8
--|   12 | 84 |  5
--|  100 |    |
--|  101 |    |
--| (14 rows)
-- What is not NULL of a row that is not there keeps the subquery.
select s.id, v.id, v.c, v.k from small s left join v on v.id = s.b and s.id < 3 order by s.id;
--|  id  | id | c | k
--| -----+----+---+---
--|    1 |  7 | 7 | k
--|    2 | 14 | 4 | k
--|    3 |    |   |
--|    4 |    |   |
--|    5 |    |   |
--|    6 |    |   |
--|    7 |    |   |
--|    8 |    |   |
--|    9 |    |   |
--|   10 |    |   |
--|   11 |    |   |
--|   12 |    |   |
--|  100 |    |   |
--|  101 |    |   |
--| (14 rows)
explain (costs off) select s.id, v.c from small s left join v on v.id = s.b;
--|                   QUERY PLAN
--| ----------------------------------------------
--|  Nested Loop Left Join
--|    ->  Seq Scan on small s
--|    ->  Subquery Scan on v
--|          ->  Index Scan using big_pkey on big
--|                Index Cond: (id = s.b)
--|                Filter: (x < 9)
--| (6 rows)
select s.id, v.k from v right join small s on v.id = s.b order by s.id;
--|  id  | k
--| -----+---
--|    1 | k
--|    2 | k
--|    3 | k
--|    4 | k
--|    5 | k
--|    6 | k
--|    7 |
--|    8 | k
--|    9 | k
--|   10 | k
--|   11 | k
--|   12 | k
--|  100 |
--|  101 |
--| (14 rows)
select s.id, v.id from small s full join v on v.id = s.b where v.id is null or v.id < 10 order by 1, 2;
--|  id  | id
--| -----+----
--|    1 |  7
--|    7 |
--|  100 |
--|  101 |
--|      |  1
--|      |  2
--|      |  3
--|      |  4
--|      |  5
--|      |  6
--|      |  8
--| (11 rows)
-- Views of views.
explain (costs off) select * from vv where id = 14;
--|                   QUERY PLAN
--| ----------------------------------------------
--|  Nested Loop Left Join
--|    ->  Index Scan using big_pkey on big
--|          Index Cond: (id = 14)
--|          Filter: (x < 9)
--|    ->  Index Scan using small_pkey on small s
--|          Index Cond: (id = (big.x + 1))
--| (6 rows)
select * from vv where id = 14;
--|  id | x1 | b
--| ----+----+----
--|  14 |  5 | 35
--| (1 row)
select count(*), sum(b) from vv;
--|  count |  sum
--| -------+-------
--|   1800 | 63000
--| (1 row)
select s.id, vv.b from small s left join vv on vv.id = s.b and vv.x1 < 5 order by s.id;
--|  id  | b
--| -----+----
--|    1 |
--|    2 |
--|    3 | 14
--|    4 |
--|    5 |
--|    6 | 21
--|    7 |
--|    8 |
--|    9 | 28
--|   10 |  7
--|   11 |
--|   12 |
--|  100 |
--|  101 |
--| (14 rows)
-- LATERAL.
explain (costs off) select s.id, q.z from small s left join lateral (select b.x + s.b as z, b.id from big b) q on q.id = s.b;
--|                 QUERY PLAN
--| ------------------------------------------
--|  Nested Loop Left Join
--|    ->  Seq Scan on small s
--|    ->  Index Scan using big_pkey on big b
--|          Index Cond: (id = s.b)
--| (4 rows)
select s.id, q.z from small s left join lateral (select b.x + s.b as z, b.id from big b) q on q.id = s.b order by s.id;
--|  id  | z
--| -----+----
--|    1 | 14
--|    2 | 18
--|    3 | 22
--|    4 | 36
--|    5 | 40
--|    6 | 44
--|    7 | 58
--|    8 | 62
--|    9 | 66
--|   10 | 70
--|   11 | 84
--|   12 | 88
--|  100 |
--|  101 |
--| (14 rows)
select s.id, q.z from small s, lateral (select b.x + s.b as z from big b where b.id = s.b and b.x > 3) q order by s.id;
--|  id | z
--| ----+----
--|   1 | 14
--|   2 | 18
--|   4 | 36
--|   5 | 40
--|   7 | 58
--|   8 | 62
--|  11 | 84
--|  12 | 88
--| (8 rows)
select s.id, q.n from small s, lateral (select n from generate_series(1, s.id) n where n > s.b / 10) q where s.id < 4 order by 1, 2;
--|  id | n
--| ----+---
--|   1 | 1
--|   2 | 2
--|   3 | 3
--| (3 rows)
select s.id, q.n from small s, lateral (select d.n from (select n from generate_series(1, s.id) n order by n desc limit 2) d where d.n > 1) q where s.id < 4 order by 1, 2;
--|  id | n
--| ----+---
--|   2 | 2
--|   3 | 2
--|   3 | 3
--| (3 rows)
-- Conditions keep their order: nobody divides by zero.
select * from (select id, 100 / x as d from big where x <> 0) q where d > 99 and id < 20 order by id;
--|  id |  d
--| ----+-----
--|   1 | 100
--|  11 | 100
--| (2 rows)
select q.id from (select id, x from big where x <> 0) q join small s on 100 / q.x = s.id order by 1 limit 3;
--|  id
--| ----
--|   1
--|   8
--|   9
--| (3 rows)
-- Groups, windows, DISTINCT and orders over them.
select x1, count(*) from v group by x1 order by x1;
--|  x1 | count
--| ----+-------
--|   1 |   200
--|   2 |   200
--|   3 |   200
--|   4 |   200
--|   5 |   200
--|   6 |   200
--|   7 |   200
--|   8 |   200
--|   9 |   200
--| (9 rows)
select k, max(id) from v group by k;
--|  k | max
--| ---+------
--|  k | 2000
--| (1 row)
select distinct x1 from v order by x1 desc;
--|  x1
--| ----
--|   9
--|   8
--|   7
--|   6
--|   5
--|   4
--|   3
--|   2
--|   1
--| (9 rows)
select distinct on (x1) x1, id from v order by x1, id desc;
--|  x1 |  id
--| ----+------
--|   1 | 2000
--|   2 | 1991
--|   3 | 1992
--|   4 | 1993
--|   5 | 1994
--|   6 | 1995
--|   7 | 1996
--|   8 | 1997
--|   9 | 1998
--| (9 rows)
select id, row_number() over (partition by x1 order by id desc) from v where id < 15 order by id;
--|  id | row_number
--| ----+------------
--|   1 |          2
--|   2 |          2
--|   3 |          2
--|   4 |          2
--|   5 |          1
--|   6 |          1
--|   7 |          1
--|   8 |          1
--|  10 |          1
--|  11 |          1
--|  12 |          1
--|  13 |          1
--|  14 |          1
--| (13 rows)
select id from v order by k, x1, id limit 3;
--|  id
--| ----
--|  10
--|  20
--|  30
--| (3 rows)
select (select count(*) from v where v.x1 = s.id) from small s where s.id < 4 order by s.id;
--|  count
--| -------
--|    200
--|    200
--|    200
--| (3 rows)
select id from small s where exists (select from v where v.id = s.b) order by id;
--|  id
--| ----
--|   1
--|   2
--|   3
--|   4
--|   5
--|   6
--|   8
--|   9
--|  10
--|  11
--|  12
--| (11 rows)
explain (costs off) select id from small s where exists (select from v where v.id = s.b);
--|                QUERY PLAN
--| ----------------------------------------
--|  Nested Loop Semi Join
--|    ->  Seq Scan on small s
--|    ->  Index Scan using big_pkey on big
--|          Index Cond: (id = s.b)
--|          Filter: (x < 9)
--| (5 rows)
select id from small s where s.b not in (select v.id from v where v.id is not null) order by id;
--|  id
--| -----
--|    7
--|  101
--| (2 rows)
-- What does more stays whole.
explain (costs off) select * from (select id from big where x = 3 limit 2) q join small s on s.id = q.id;
--|                   QUERY PLAN
--| ----------------------------------------------
--|  Nested Loop
--|    ->  Subquery Scan on q
--|          ->  Limit
--|                ->  Seq Scan on big
--|                      Filter: (x = 3)
--|    ->  Index Scan using small_pkey on small s
--|          Index Cond: (id = q.id)
--| (7 rows)
explain (costs off) select * from (select id, random() as r from small) q where id = 1;
--|                    QUERY PLAN
--| -------------------------------------------------
--|  Subquery Scan on q
--|    ->  Index Only Scan using small_pkey on small
--|          Index Cond: (id = 1)
--| (3 rows)
select count(distinct r) > 1 as differ from (select id, random() as r from small) q, (values (1), (2)) w(n);
--|  differ
--| --------
--|  t
--| (1 row)
select q.id, q.n, q.n + 1 from (select s.id, (select count(*) from big b where b.x = s.id) as n from small s) q where q.id in (3, 4) order by 1;
--|  id |  n  | ?column?
--| ----+-----+----------
--|   3 | 200 |      201
--|   4 | 200 |      201
--| (2 rows)
select * from (select s.id as a, t.id as b from small s left join small t on t.id = s.id + 100 where s.id < 3) q right join small u on u.id = q.b where u.id in (1, 101) order by u.id;
--|  a |  b  | id  | b
--| ---+-----+-----+----
--|    |     |   1 |  7
--|  1 | 101 | 101 | -5
--| (2 rows)
select u.id, q.a from small u left join (select s.id as a from small s join small t on t.b = s.b where t.id > 2) q on q.a = u.id where u.id < 5 order by 1;
--|  id | a
--| ----+---
--|   1 |
--|   2 |
--|   3 | 3
--|   4 | 4
--| (4 rows)
select u.id, w.id, q.a from small u left join (small w join (select id as a from small where b > 20) q on q.a = w.id) on w.id = u.id where u.id < 6 order by 1;
--|  id | id | a
--| ----+----+---
--|   1 |    |
--|   2 |    |
--|   3 |  3 | 3
--|   4 |  4 | 4
--|   5 |  5 | 5
--| (5 rows)
prepare p(int) as select s.id, v.x1 from small s join v on v.id = s.b where s.id = $1;
--| PREPARE
execute p(3);
--|  id | x1
--| ----+----
--|   3 |  2
--| (1 row)
with c as (select id, x from big where x = 2) select s.id, c.x from small s join c on c.id = s.b order by 1;
--|  id | x
--| ----+---
--|   6 | 2
--| (1 row)
select count(*) from (select 1 as one from small) q where one = 1;
--|  count
--| -------
--|     14
--| (1 row)
select q from (select id, b from small where id < 3) q order by 1;
--|    q
--| --------
--|  (1,7)
--|  (2,14)
--| (2 rows)
select s.id, q from small s left join (select id, b from small where id < 2) q on q.id = s.id where s.id < 3 order by 1;
--|  id |   q
--| ----+-------
--|   1 | (1,7)
--|   2 |
--| (2 rows)
select s.id, q is null, count(q) over () from small s left join (select id, b from small where id < 2) q on q.id = s.id where s.id < 3 order by 1;
--|  id | ?column? | count
--| ----+----------+-------
--|   1 | f        |     1
--|   2 | t        |     1
--| (2 rows)
update small set b = v.x1 from v where v.id = small.id and small.id = 2 returning small.*;
--|  id | b
--| ----+---
--|   2 | 3
--| (1 row)
--| UPDATE 1
delete from small using v where v.id = small.id and v.x1 = 2 returning small.id;
--|  id
--| -----
--|    1
--|   11
--|  101
--| (3 rows)
--| DELETE 3
insert into small select v.id + 1000, v.x1 from v join small s on s.id = v.id where s.id < 5 returning *;
--|   id  | b
--| ------+---
--|  1002 | 3
--|  1003 | 4
--|  1004 | 5
--| (3 rows)
--| INSERT 0 3
-- Relations that were taken apart lie behind others that an outer join keeps.
select u.id, w.id, q.a from (select s.id as a, t.b as c from small s join small t on t.id = s.id where s.id < 3) q right join small w on q.a = w.id right join small u on u.id + w.id + q.c < 0 where u.id < 4 order by 1;
--|  id | id | a
--| ----+----+---
--|   2 |    |
--|   3 |    |
--| (2 rows)
select u.id, w.id, q.a from (select s.id as a, t.b as c from small s join small t on t.id = s.id where s.id < 3) q right join small w on q.a = w.id right join small u on u.id = w.id and q.c = 7 where u.id < 4 order by 1;
--|  id | id | a
--| ----+----+---
--|   2 |    |
--|   3 |    |
--| (2 rows)
-- A constant that a function reads.
select id, e from (select id, '{"k": 1}'::jsonb as o from small where id < 3) q, jsonb_object_keys(nullif(q.o, '{}')) e order by 1;
--|  id | e
--| ----+---
--|   2 | k
--| (1 row)
select id, e.* from (select id, array[1, 2] as o from small where id < 3) q left join lateral unnest(q.o) with ordinality e on true order by 1, 2;
--|  id | e | ordinality
--| ----+---+------------
--|   2 | 1 |          1
--|   2 | 2 |          2
--| (2 rows)
select (select string_agg(e::text, ',') from (select id, s.b as o from small where id = 1) q, generate_series(1, q.o) e) from small s where s.id < 3 order by s.id;
--|  string_agg
--| ------------
--|
--| (1 row)
-- EXISTS in EXISTS.
select s.id from small s where exists (select from v where v.id = s.b and exists (select from big b where b.id = v.x1 and not exists (select from small t where t.id = b.id and t.id > 6))) order by 1;
--|   id
--| ------
--|     2
--|     3
--|     5
--|     6
--|     9
--|    10
--|    12
--|  1002
--|  1003
--|  1004
--| (10 rows)
select s.id from small s where not exists (select from v where v.id = s.b and exists (select from big b where b.id = v.x1 and b.x > s.id)) order by 1;
--|   id
--| ------
--|     3
--|     6
--|     7
--|     8
--|     9
--|    10
--|    12
--|   100
--|  1002
--|  1003
--|  1004
--| (11 rows)
explain (costs off) select s.id from small s where exists (select from v where v.id = s.b and exists (select from big b where b.id = v.x1));
--|                      QUERY PLAN
--| -----------------------------------------------------
--|  Nested Loop Semi Join
--|    ->  Seq Scan on small s
--|    ->  Nested Loop Semi Join
--|          ->  Index Scan using big_pkey on big
--|                Index Cond: (id = s.b)
--|                Filter: (x < 9)
--|          ->  Index Only Scan using big_pkey on big b
--|                Index Cond: (id = (big.x + 1))
--| (8 rows)
-- Joins on the side of an outer or a semi join are looked up by indexes, row by row, where that reads less.
create table usr (id int primary key, n text);
--| CREATE TABLE
create table grp (id int primary key, n text);
--| CREATE TABLE
create table member (usr int, grp int, primary key (usr, grp));
--| CREATE TABLE
insert into usr select n, 'u' || n from generate_series(1, 2000) n;
--| INSERT 0 2000
insert into grp select n, 'g' || n from generate_series(1, 50) n;
--| INSERT 0 50
insert into member select n, n * k % 50 + 1 from generate_series(1, 2000) n, generate_series(1, 3) k where n % 4 > 0 on conflict do nothing;
--| INSERT 0 4420
analyze usr, grp, member;
--| ANALYZE
explain (costs off) select * from usr u left join (member m join grp g on g.id = m.grp) on m.usr = u.id where u.id = 7;
--|                         QUERY PLAN
--| -----------------------------------------------------------
--|  Nested Loop Left Join
--|    ->  Index Scan using usr_pkey on usr u
--|          Index Cond: (id = 7)
--|    ->  Nested Loop
--|          ->  Index Only Scan using member_pkey on member m
--|                Index Cond: (usr = u.id)
--|          ->  Index Scan using grp_pkey on grp g
--|                Index Cond: (id = m.grp)
--| (8 rows)
select u.id, g.n from usr u left join (member m join grp g on g.id = m.grp) on m.usr = u.id where u.id between 3 and 6 order by 1, 2;
--|  id |  n
--| ----+-----
--|   3 | g10
--|   3 | g4
--|   3 | g7
--|   4 |
--|   5 | g11
--|   5 | g16
--|   5 | g6
--|   6 | g13
--|   6 | g19
--|   6 | g7
--| (10 rows)
explain (costs off) select count(*) from usr u left join (member m join grp g on g.id = m.grp) on m.usr = u.id;
--|                            QUERY PLAN
--| -----------------------------------------------------------------
--|  Aggregate
--|    ->  Hash Right Join
--|          Hash Cond: (m.usr = u.id)
--|          ->  Hash Join
--|                Hash Cond: (m.grp = g.id)
--|                ->  Index Only Scan using member_pkey on member m
--|                ->  Hash
--|                      ->  Index Only Scan using grp_pkey on grp g
--|          ->  Hash
--|                ->  Index Only Scan using usr_pkey on usr u
--| (10 rows)
select count(*), count(g.id), sum(g.id) from usr u left join (member m join grp g on g.id = m.grp) on m.usr = u.id;
--|  count | count |  sum
--| -------+-------+--------
--|   4920 |  4420 | 113420
--| (1 row)
explain (costs off) select id from usr u where id < 5 and exists (select from member m join grp g on g.id = m.grp where m.usr = u.id and g.n < 'g3');
--|                         QUERY PLAN
--| -----------------------------------------------------------
--|  Nested Loop Semi Join
--|    ->  Index Only Scan using usr_pkey on usr u
--|          Index Cond: (id < 5)
--|    ->  Nested Loop
--|          ->  Index Only Scan using member_pkey on member m
--|                Index Cond: (usr = u.id)
--|          ->  Index Scan using grp_pkey on grp g
--|                Index Cond: (id = m.grp)
--|                Filter: (n < 'g3'::text)
--| (9 rows)
select id from usr u where id < 9 and exists (select from member m join grp g on g.id = m.grp where m.usr = u.id and g.n < 'g3') order by 1;
--|  id
--| ----
--|   1
--|   3
--|   5
--|   6
--|   7
--| (5 rows)
select id from usr u where id < 9 and not exists (select from member m join grp g on g.id = m.grp where m.usr = u.id and g.n < 'g3') order by 1;
--|  id
--| ----
--|   2
--|   4
--|   8
--| (3 rows)
select u.id, m.grp, g.n, b.y from usr u left join (member m left join (grp g join big b on b.id = g.id + 1) on g.id = m.grp and g.id > 10) on m.usr = u.id where u.id in (1, 2, 4, 9) order by 1, 2;
--|  id | grp |  n  |  y
--| ----+-----+-----+-----
--|   1 |   2 |     |
--|   1 |   3 |     |
--|   1 |   4 |     |
--|   2 |   3 |     |
--|   2 |   5 |     |
--|   2 |   7 |     |
--|   4 |     |     |
--|   9 |  10 |     |
--|   9 |  19 | g19 | y20
--|   9 |  28 | g28 | y29
--| (10 rows)
-- Outer joins that nobody reads are left out.
create view who as select u.id, u.n, g.n as leader, b.y from usr u left join grp g on g.id = u.id left join big b on b.id = g.id and b.x > 0;
--| CREATE VIEW
explain (costs off) select id from who where id < 3;
--|                QUERY PLAN
--| -----------------------------------------
--|  Index Only Scan using usr_pkey on usr u
--|    Index Cond: (id < 3)
--| (2 rows)
explain (costs off) select id, leader from who where id < 3;
--|                   QUERY PLAN
--| -----------------------------------------------
--|  Nested Loop Left Join
--|    ->  Index Only Scan using usr_pkey on usr u
--|          Index Cond: (id < 3)
--|    ->  Index Scan using grp_pkey on grp g
--|          Index Cond: (id = u.id)
--| (5 rows)
explain (costs off) select count(*) from usr u left join member m on m.usr = u.id;
--|                         QUERY PLAN
--| -----------------------------------------------------------
--|  Aggregate
--|    ->  Hash Right Join
--|          Hash Cond: (m.usr = u.id)
--|          ->  Index Only Scan using member_pkey on member m
--|          ->  Hash
--|                ->  Index Only Scan using usr_pkey on usr u
--| (6 rows)
explain (costs off) select u.id from usr u left join member m on m.usr = u.id and m.grp = 3 and m.grp > u.id;
--|                QUERY PLAN
--| -----------------------------------------
--|  Index Only Scan using usr_pkey on usr u
--| (1 row)
explain (costs off) select u.id from usr u left join grp g on g.id = u.id or g.id = 3;
--|                      QUERY PLAN
--| -----------------------------------------------------
--|  Nested Loop Left Join
--|    Join Filter: ((g.id = u.id) OR (g.id = 3))
--|    ->  Index Only Scan using usr_pkey on usr u
--|    ->  Materialize
--|          ->  Index Only Scan using grp_pkey on grp g
--| (5 rows)
select count(*) from who;
--|  count
--| -------
--|   2000
--| (1 row)
select id, y from who where id in (5, 60) order by 1;
--|  id | y
--| ----+----
--|   5 | y5
--|  60 |
--| (2 rows)
drop view who;
--| DROP VIEW
drop table usr, grp, member;
--| DROP TABLE
drop view vv, v;
--| DROP VIEW
drop table big, small;
--| DROP TABLE
