-- Joins, subqueries, set operations, common table expressions.

create table a (id int primary key, x text);
--| CREATE TABLE
create table b (id int primary key, a_id int, y text);
--| CREATE TABLE
create table c (b_id int, z int);
--| CREATE TABLE
insert into a values (1, 'a1'), (2, 'a2'), (3, 'a3');
--| INSERT 0 3
insert into b values (10, 1, 'b10'), (11, 1, 'b11'), (12, 2, 'b12'), (13, null, 'b13');
--| INSERT 0 4
insert into c values (10, 100), (10, 101), (12, 120), (99, 990);
--| INSERT 0 4
create index b_a on b (a_id);
--| CREATE INDEX

select a.x, b.y from a join b on b.a_id = a.id order by 1, 2;
--|  x  |  y
--| ----+-----
--|  a1 | b10
--|  a1 | b11
--|  a2 | b12
--| (3 rows)
select a.x, b.y from a left join b on b.a_id = a.id order by 1, 2;
--|  x  |  y
--| ----+-----
--|  a1 | b10
--|  a1 | b11
--|  a2 | b12
--|  a3 |
--| (4 rows)
select a.x, b.y from a right join b on b.a_id = a.id order by 2;
--|  x  |  y
--| ----+-----
--|  a1 | b10
--|  a1 | b11
--|  a2 | b12
--|     | b13
--| (4 rows)
select a.x, b.y, c.z from a left join b on b.a_id = a.id left join c on c.b_id = b.id order by 1, 2, 3;
--|  x  |  y  |  z
--| ----+-----+-----
--|  a1 | b10 | 100
--|  a1 | b10 | 101
--|  a1 | b11 |
--|  a2 | b12 | 120
--|  a3 |     |
--| (5 rows)
select a.x, b.y, c.z from a left join (b join c on c.b_id = b.id) on b.a_id = a.id order by 1, 2, 3;
--|  x  |  y  |  z
--| ----+-----+-----
--|  a1 | b10 | 100
--|  a1 | b10 | 101
--|  a2 | b12 | 120
--|  a3 |     |
--| (4 rows)
select a.x, b.y from a left join b on b.a_id = a.id and b.y <> 'b10' where a.id < 3 order by 1, 2;
--|  x  |  y
--| ----+-----
--|  a1 | b11
--|  a2 | b12
--| (2 rows)
select a.x from a left join b on b.a_id = a.id where b.id is null;
--|  x
--| ----
--|  a3
--| (1 row)
select a.x, b.y from a, b where a.id = b.a_id and b.y like 'b1%' order by 2;
--|  x  |  y
--| ----+-----
--|  a1 | b10
--|  a1 | b11
--|  a2 | b12
--| (3 rows)
select count(*) from a cross join b;
--|  count
--| -------
--|     12
--| (1 row)
select count(*) from a, b, c;
--|  count
--| -------
--|     48
--| (1 row)
select x, y from a join b using (id);
--|  x | y
--| ---+---
--| (0 rows)
select * from (select 1 as id, 'l' as l) s join (select 1 as id, 'r' as r) t using (id);
--|  id | l | r
--| ----+---+---
--|   1 | l | r
--| (1 row)
select * from (select 1 as id, 2 as k) s natural join (select 1 as id, 3 as m) t;
--|  id | k | m
--| ----+---+---
--|   1 | 2 | 3
--| (1 row)
select a1.x, a2.x from a a1 join a a2 on a1.id < a2.id order by 1, 2;
--|  x  | x
--| ----+----
--|  a1 | a2
--|  a1 | a3
--|  a2 | a3
--| (3 rows)
select a.x, (select count(*) from b where b.a_id = a.id) as n from a order by 1;
--|  x  | n
--| ----+---
--|  a1 | 2
--|  a2 | 1
--|  a3 | 0
--| (3 rows)
select a.x, (select max(y) from b where b.a_id = a.id) from a order by 1;
--|  x  | max
--| ----+-----
--|  a1 | b11
--|  a2 | b12
--|  a3 |
--| (3 rows)
select x from a where exists (select 1 from b where b.a_id = a.id) order by 1;
--|  x
--| ----
--|  a1
--|  a2
--| (2 rows)
select x from a where not exists (select 1 from b where b.a_id = a.id) order by 1;
--|  x
--| ----
--|  a3
--| (1 row)
select x from a where id in (select a_id from b) order by 1;
--|  x
--| ----
--|  a1
--|  a2
--| (2 rows)
select x from a where id not in (select a_id from b where a_id is not null) order by 1;
--|  x
--| ----
--|  a3
--| (1 row)
select x from a where id not in (select a_id from b) order by 1;
--|  x
--| ---
--| (0 rows)
select y from b where (a_id, id) in (select a.id, 10 from a) order by 1;
--|   y
--| -----
--|  b10
--| (1 row)
select x from a where id = (select min(a_id) from b);
--|  x
--| ----
--|  a1
--| (1 row)
select x from a where id > all (select a_id from b where a_id is not null);
--|  x
--| ----
--|  a3
--| (1 row)
select x from a where id = any (select a_id from b) order by x;
--|  x
--| ----
--|  a1
--|  a2
--| (2 rows)
select (select x from a);
--| ERROR:  21000: more than one row returned by a subquery used as an expression
select (select x, id from a where id = 1);
--| ERROR:  42601: subquery must return only one column
select array(select id from a order by id desc);
--|   array
--| ---------
--|  {3,2,1}
--| (1 row)
select x, s.n from a, lateral (select count(*) as n from b where b.a_id = a.id) s order by x;
--|  x  | n
--| ----+---
--|  a1 | 2
--|  a2 | 1
--|  a3 | 0
--| (3 rows)
select x, s.y from a left join lateral (select y from b where b.a_id = a.id order by id desc limit 1) s on true order by x;
--|  x  |  y
--| ----+-----
--|  a1 | b11
--|  a2 | b12
--|  a3 |
--| (3 rows)
select a.x, g from a, generate_series(1, a.id) g where a.id < 3 order by 1, 2;
--|  x  | g
--| ----+---
--|  a1 | 1
--|  a2 | 1
--|  a2 | 2
--| (3 rows)
select s.t from (select x || '!' as t from a where id < 3) s order by t;
--|   t
--| -----
--|  a1!
--|  a2!
--| (2 rows)
select s.n, count(*) from (select count(*) as n from b group by a_id) s group by s.n order by 1;
--|  n | count
--| ---+-------
--|  1 |     2
--|  2 |     1
--| (2 rows)
select 1 as n union select 2 union select 1 order by n;
--|  n
--| ---
--|  1
--|  2
--| (2 rows)
select 1 as n union all select 2 union all select 1 order by n;
--|  n
--| ---
--|  1
--|  1
--|  2
--| (3 rows)
select id from a intersect select a_id from b order by 1;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from a except select a_id from b;
--|  id
--| ----
--|   3
--| (1 row)
select a_id from b intersect all select 1;
--|  a_id
--| ------
--|     1
--| (1 row)
select a_id from b except all select 1 order by 1;
--|  a_id
--| ------
--|     1
--|     2
--|
--| (3 rows)
select 1, null union select 2, 'x' order by 1;
--|  ?column? | ?column?
--| ----------+----------
--|         1 |
--|         2 | x
--| (2 rows)
select 1 union select 2.5 order by 1;
--|  ?column?
--| ----------
--|         1
--|       2.5
--| (2 rows)
select 1 union select 'x';
--| ERROR:  22P02: invalid input syntax for type integer: "x"
select 1, 2 union select 3;
--| ERROR:  42601: each UNION query must have the same number of columns
(select 1 as n order by 1) union all (select 2 limit 1) order by 1 desc;
--|  n
--| ---
--|  2
--|  1
--| (2 rows)
select 1 as n union select 2 order by n + 1;
--| ERROR:  0A000: invalid UNION/INTERSECT/EXCEPT ORDER BY clause
--| DETAIL:  Only result column names can be used, not expressions or functions.
--| HINT:  Add the expression/function to every SELECT, or move the UNION into a FROM clause.
with q as (select id, x from a where id > 1) select * from q order by id;
--|  id | x
--| ----+----
--|   2 | a2
--|   3 | a3
--| (2 rows)
with q(k) as (select id from a), r as (select k * 10 as t from q) select * from r, q where t = k * 10 order by t;
--|  t  | k
--| ----+---
--|  10 | 1
--|  20 | 2
--|  30 | 3
--| (3 rows)
with q as (select 1) select * from q q1, q q2;
--|  ?column? | ?column?
--| ----------+----------
--|         1 |        1
--| (1 row)
with q as (select random() as r) select q1.r = q2.r from q q1, q q2;
--|  ?column?
--| ----------
--|  t
--| (1 row)
with recursive q as (select 1) select * from q;
--|  ?column?
--| ----------
--|         1
--| (1 row)
select x, sum(n) from (select a.x, coalesce(c.z, 0) as n from a left join b on b.a_id = a.id left join c on c.b_id = b.id) s group by x order by x;
--|  x  | sum
--| ----+-----
--|  a1 | 201
--|  a2 | 120
--|  a3 |   0
--| (3 rows)
select a.x from a join b on b.a_id = a.id group by a.x having count(*) > 1;
--|  x
--| ----
--|  a1
--| (1 row)
select * from a full join b on a.id = b.a_id;
--|  id | x  | id | a_id |  y
--| ----+----+----+------+-----
--|   1 | a1 | 10 |    1 | b10
--|   1 | a1 | 11 |    1 | b11
--|   2 | a2 | 12 |    2 | b12
--|   3 | a3 |    |      |
--|     |    | 13 |      | b13
--| (5 rows)
select a.id from a join b on true where id = 1;
--| ERROR:  42702: column reference "id" is ambiguous
select x from a join nope on true;
--| ERROR:  42P01: relation "nope" does not exist
select a.x from a join b on b.a_id = c.id;
--| ERROR:  42P01: missing FROM-clause entry for table "c"
select (select a.x) from a order by 1 limit 1;
--|  x
--| ----
--|  a1
--| (1 row)
select x, (select y from b where b.id = a.id + 9 and exists (select 1 from c where c.b_id = b.id and c.z > a.id)) from a order by x;
--|  x  |  y
--| ----+-----
--|  a1 | b10
--|  a2 |
--|  a3 | b12
--| (3 rows)
explain (costs off) select a.x, b.y from a join b on b.a_id = a.id where a.id = 1;
--|              QUERY PLAN
--| ------------------------------------
--|  Nested Loop
--|    ->  Index Scan using a_pkey on a
--|          Index Cond: (id = 1)
--|    ->  Index Scan using b_a on b
--|          Index Cond: (a_id = 1)
--| (5 rows)
select c.relname, n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relname in ('a', 'b_a') order by 1;
--|  relname | nspname
--| ---------+---------
--|  a       | public
--|  b_a     | public
--| (2 rows)

-- A condition that reads nothing goes with the relation that begins, and may change how that is read: the order wanted comes all the same.
create table begins (id int, x text[]);
--| CREATE TABLE
create index on begins (x);
--| CREATE INDEX
create table joins_it (id int, o bool);
--| CREATE TABLE
insert into begins values (1, '{b}'), (2, '{}'), (3, '{a,z}'), (4, '{b,c}');
--| INSERT 0 4
insert into joins_it select i % 5, false from generate_series(1, 8) as i;
--| INSERT 0 8
select x from joins_it r join begins b on r.id = b.id and (not r.o) and '-2'::smallint < '0'::real order by x desc offset 1;
--|    x
--| -------
--|  {b}
--|  {b}
--|  {a,z}
--|  {a,z}
--|  {}
--|  {}
--| (6 rows)
explain (costs off) select x from joins_it r join begins b on r.id = b.id and '-2'::smallint < '0'::real order by x desc;
--|                             QUERY PLAN
--| ------------------------------------------------------------------
--|  Sort
--|    Sort Key: b.x DESC
--|    ->  Hash Join
--|          Hash Cond: (r.id = b.id)
--|          ->  Seq Scan on joins_it r
--|          ->  Hash
--|                ->  Seq Scan on begins b
--|                      Filter: ('-2'::double precision < '0'::real)
--| (8 rows)
explain (costs off) select x from joins_it r join begins b on r.id = b.id order by x desc;
--|                         QUERY PLAN
--| ----------------------------------------------------------
--|  Hash Join
--|    Hash Cond: (b.id = r.id)
--|    ->  Index Scan Backward using begins_x_idx on begins b
--|    ->  Hash
--|          ->  Seq Scan on joins_it r
--| (5 rows)
drop table begins, joins_it;
--| DROP TABLE

-- Columns that are equal and are said to be two values: there are no such rows.
create table both_p (id int primary key, d int);
--| CREATE TABLE
create table both_c (id int primary key, p int, x int);
--| CREATE TABLE
create index on both_c (p);
--| CREATE INDEX
insert into both_p values (1, 20), (3, 30), (5, 50);
--| INSERT 0 3
insert into both_c values (1, 1, 0), (4, 3, 30), (5, 5, 0);
--| INSERT 0 3
select * from both_c c, both_p p where c.p = p.id and p.id = 5 and c.p = 3;
--|  id | p | x | id | d
--| ----+---+---+----+---
--| (0 rows)
select * from both_c c join both_p p on c.p = p.id where p.id = 5 and c.p = 3 and c.id = 4;
--|  id | p | x | id | d
--| ----+---+---+----+---
--| (0 rows)
select * from both_c c, both_p p, both_p q where c.p = p.id and p.id = q.id and q.id = 3 and p.id = 5;
--|  id | p | x | id | d | id | d
--| ----+---+---+----+---+----+---
--| (0 rows)
select * from both_c c, both_p p where c.p = p.id and p.id = 3 and c.p = 3;
--|  id | p | x  | id | d
--| ----+---+----+----+----
--|   4 | 3 | 30 |  3 | 30
--| (1 row)
update both_c set x = both_c.x + p.d from both_p p where both_c.p = p.id and p.id = 5 and both_c.p = 3;
--| UPDATE 0
delete from both_c using both_p p where both_c.p = p.id and p.id = 1 and both_c.p = 5;
--| DELETE 0
select * from both_c c where exists (select 1 from both_p p where p.id = c.p and p.id = 5) and c.p = 3;
--|  id | p | x
--| ----+---+---
--| (0 rows)
select * from both_c c left join both_p p on c.p = p.id and p.id = 5 where c.p = 3;
--|  id | p | x  | id | d
--| ----+---+----+----+---
--|   4 | 3 | 30 |    |
--| (1 row)
prepare pair (int, int) as select * from both_c c, both_p p where c.p = p.id and p.id = $1 and c.p = $2;
--| PREPARE
execute pair(5, 3);
--|  id | p | x | id | d
--| ----+---+---+----+---
--| (0 rows)
execute pair(3, 3);
--|  id | p | x  | id | d
--| ----+---+----+----+----
--|   4 | 3 | 30 |  3 | 30
--| (1 row)
deallocate pair;
--| DEALLOCATE
drop table both_p, both_c;
--| DROP TABLE
-- full joins on more than equal columns
select * from (values (1, 1), (2, 2)) a(i, n) full join (values (1), (2), (3)) b(j) on i = j and n > 1 order by 1, 3;
--|  i | n | j
--| ---+---+---
--|  1 | 1 |
--|  2 | 2 | 2
--|    |   | 1
--|    |   | 3
--| (4 rows)
select * from (values (1, 1), (2, 2)) a(i, n) full join (values (2), (3)) b(j) on i = j and n > j - 1 and i < 9 order by 1, 3;
--|  i | n | j
--| ---+---+---
--|  1 | 1 |
--|  2 | 2 | 2
--|    |   | 3
--| (3 rows)
select * from (values (1), (2)) a(i) full join (values (2), (3)) b(j) on false order by 1, 2;
--|  i | j
--| ---+---
--|  1 |
--|  2 |
--|    | 2
--|    | 3
--| (4 rows)
select * from (values (1), (2)) a(i) full join (values (2), (3)) b(j) on i = j and null order by 1, 2;
--|  i | j
--| ---+---
--|  1 |
--|  2 |
--|    | 2
--|    | 3
--| (4 rows)
select * from (values (1), (2)) a(i) full join (values (2), (3)) b(j) on i > j;
--| ERROR:  0A000: FULL JOIN is only supported with merge-joinable or hash-joinable join conditions
