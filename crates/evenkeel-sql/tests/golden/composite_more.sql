-- What the random statements of composite types have found.
create type pt as (x int, y int);
--| CREATE TYPE
create type item as (name text, qty numeric(6,2), p pt, nums int[]);
--| CREATE TYPE
create type kind as enum ('a', 'b');
--| CREATE TYPE
create table c (id int primary key, p pt default '(7,8)', ps pt[], i item, its item[], nums int[]);
--| CREATE TABLE
-- A type's name before a literal.
select pt '(1,)', public.pt '(2,3)', "pt" '(4,5)', array[pt '(1,2)', row(3,4)::pt], (pt '(5,6)').y;
--|   pt  |  pt   |  pt   |       array       | y
--| ------+-------+-------+-------------------+---
--|  (1,) | (2,3) | (4,5) | {"(1,2)","(3,4)"} | 6
--| (1 row)
select inet '10.0.0.1', macaddr8 '08:00:2b:01:02:03:04:05', jsonpath '$.a', oid '7', name 'x', pg_catalog.int4 '5', kind 'b', varbit e'101';
--|    inet   |        macaddr8         | jsonpath | oid | name | int4 | kind | varbit
--| ----------+-------------------------+----------+-----+------+------+------+--------
--|  10.0.0.1 | 08:00:2b:01:02:03:04:05 | $."a"    |   7 | x    |    5 | b    | 101
--| (1 row)
select kind 'c';
--| ERROR:  22P02: invalid input value for enum kind: "c"
select nosuch 'x';
--| ERROR:  42704: type "nosuch" does not exist
select pt 'x';
--| ERROR:  22P02: malformed record literal: "x"
--| DETAIL:  Missing left parenthesis.
select 1 'x';
--| ERROR:  42601: syntax error at or near "'x'"
select 1 as 'x';
--| ERROR:  42601: syntax error at or near "'x'"
insert into c (id) values (1) returning id 'x';
--| ERROR:  42704: type "id" does not exist
select case 'x' when bpchar 'x' then text 'y' end, not 't', 'a' like 'a' escape 'b';
--|  case | ?column? | ?column?
--| ------+----------+----------
--|  y    | f        | t
--| (1 row)
-- INSERT into parts of columns: what is not named is NULL.
insert into c (id, p.x) values (2, 5) returning *;
--|  id |  p   | ps | i | its | nums
--| ----+------+----+---+-----+------
--|   2 | (5,) |    |   |     |
--| (1 row)
--| INSERT 0 1
insert into c (id, p.y, i.name, p.x, i.p.x) values (3, 1, 'n', 2, 9), (4, null, 'm', 3, 8) returning *;
--|  id |   p   | ps |      i       | its | nums
--| ----+-------+----+--------------+-----+------
--|   3 | (2,1) |    | (n,,"(9,)",) |     |
--|   4 | (3,)  |    | (m,,"(8,)",) |     |
--| (2 rows)
--| INSERT 0 2
insert into c (id, ps[2].x, ps[1], nums[3]) values (5, 1, row(2,3), 7) returning *;
--|  id |   p   |        ps        | i | its |   nums
--| ----+-------+------------------+---+-----+-----------
--|   5 | (7,8) | {"(2,3)","(1,)"} |   |     | [3:3]={7}
--| (1 row)
--| INSERT 0 1
insert into c (id, its[1].p.y) select id + 10, id from c where id in (2, 3) returning id, its;
--|  id |        its
--| ----+-------------------
--|  12 | {"(,,\"(,2)\",)"}
--|  13 | {"(,,\"(,3)\",)"}
--| (2 rows)
--| INSERT 0 2
insert into c (id, p.x, p) values (6, 1, null);
--| ERROR:  42701: column "p" specified more than once
insert into c (id, p, p.x) values (6, null, 1);
--| ERROR:  42701: column "p" specified more than once
insert into c (id, p.z) values (6, 1);
--| ERROR:  42703: cannot assign to field "z" of column "p" because there is no such column in data type pt
insert into c (id, id.x) values (6, 1);
--| ERROR:  42701: column "id" specified more than once
insert into c (id, id[1]) values (6, 1);
--| ERROR:  42701: column "id" specified more than once
insert into c (id, nosuch.x) values (6, 1);
--| ERROR:  42703: column "nosuch" of relation "c" does not exist
insert into c (id, p.x) values (6, default);
--| ERROR:  0A000: cannot set a subfield to DEFAULT
insert into c (id, nums[1]) values (6, default);
--| ERROR:  0A000: cannot set an array element to DEFAULT
insert into c (id, p.x) values (6, 'a');
--| ERROR:  22P02: invalid input syntax for type integer: "a"
insert into c (id, p.x) values (6, true);
--| ERROR:  42804: subfield "x" is of type integer but expression is of type boolean
--| HINT:  You will need to rewrite or cast the expression.
insert into c as t (id, nums[1], nums[2]) values (6, 1, 2) on conflict (id) do update set p.x = 1 returning t.nums;
--|  nums
--| -------
--|  {1,2}
--| (1 row)
--| INSERT 0 1
insert into c (id, p.x, p.y) values (generate_series(20, 22), 1, generate_series(1, 2)) returning id, p;
--|  id |   p
--| ----+-------
--|  20 | (1,1)
--|  21 | (1,2)
--|  22 | (1,)
--| (3 rows)
--| INSERT 0 3
merge into c using (values (30, 4)) v(id, n) on c.id = v.id when not matched then insert (id, p.x, nums[2]) values (v.id, v.n, v.n) returning c.id, c.p, c.nums;
--|  id |  p   |   nums
--| ----+------+-----------
--|  30 | (4,) | [2:2]={4}
--| (1 row)
-- Several columns at once, and their parts.
update c set (p.x, nums[1]) = (10, 20) where id = 2 returning p, nums;
--|    p   | nums
--| -------+------
--|  (10,) | {20}
--| (1 row)
--| UPDATE 1
update c set (ps[1].x, i.p.y, id) = (select 1, 2, 102) where id = 2 returning id, ps, i;
--|  id  |    ps    |      i
--| -----+----------+-------------
--|  102 | {"(1,)"} | (,,"(,2)",)
--| (1 row)
--| UPDATE 1
update c set (p.x, p) = (1, null) where id = 3;
--| ERROR:  42601: multiple assignments to same column "p"
update c set (p, p.x) = (select p, 1 from c where id = 3) where id = 3;
--| ERROR:  42601: multiple assignments to same column "p"
update c set (nums[1], p.x, nums[2]) = row(1, 2, 3) where id = 3 returning nums, p;
--|  nums  |   p
--| -------+-------
--|  {1,3} | (2,1)
--| (1 row)
--| UPDATE 1
update c set p.x = 1, (i.name, i.qty) = ('q', 1.5), nums[4] = 9 where id = 3 returning p, i, nums;
--|    p   |        i         |     nums
--| -------+------------------+--------------
--|  (1,1) | (q,1.50,"(9,)",) | {1,3,NULL,9}
--| (1 row)
--| UPDATE 1
-- Functions in FROM that return rows of a composite type have its fields.
select * from unnest(array[row(1,2)::pt, null, row(3,null)::pt]) q;
--|  x | y
--| ---+---
--|  1 | 2
--|    |
--|  3 |
--| (3 rows)
select q.x, q, (q).y, q.y + 1 from unnest(array[row(1,2)::pt, null]) q where q.x is not null;
--|  x |   q   | y | ?column?
--| ---+-------+---+----------
--|  1 | (1,2) | 2 |        3
--| (1 row)
select id, x, yy, n from c, unnest(ps) with ordinality q(x, yy, n) order by id, n;
--|  id  | x | yy | n
--| -----+---+----+---
--|    5 | 2 |  3 | 1
--|    5 | 1 |    | 2
--|  102 | 1 |    | 1
--| (3 rows)
select * from unnest(array[row(1,2)::pt], array[5,6]);
--|  x | y | unnest
--| ---+---+--------
--|  1 | 2 |      5
--|    |   |      6
--| (2 rows)
select u.name, u.p.x, (u.p).y, u.nums[1] from unnest(array[row('a',1.234,row(1,2),'{7}')::item]) u;
--| ERROR:  42P01: missing FROM-clause entry for table "p"
select c.id, q.* from c left join lateral unnest(c.its) q on true where c.id in (3, 12) order by 1;
--|  id | name | qty |  p   | nums
--| ----+------+-----+------+------
--|   3 |      |     |      |
--|  12 |      |     | (,2) |
--| (2 rows)
select id from c where exists (select 1 from unnest(ps) where x = 2);
--|  id
--| ----
--|   5
--| (1 row)
select unnest(ps) from c where id = 5;
--|  unnest
--| --------
--|  (2,3)
--|  (1,)
--| (2 rows)
create view v as select c.id, q.x, q.y as yy from c, unnest(c.ps) q;
--| CREATE VIEW
select pg_get_viewdef('v'::regclass);
--|           pg_get_viewdef
--| -----------------------------------
--|   SELECT c.id,                    +
--|      q.x,                         +
--|      q.y AS yy                    +
--|     FROM c,                       +
--|      LATERAL unnest(c.ps) q(x, y);
--| (1 row)
select * from v order by 1, 2;
--|  id  | x | yy
--| -----+---+----
--|    5 | 1 |
--|    5 | 2 |  3
--|  102 | 1 |
--| (3 rows)
drop view v;
--| DROP VIEW
-- The least and the greatest row.
select max(p), min(p), max(i), min(ps) from c;
--|   max  |  min  |     max     |   min
--| -------+-------+-------------+----------
--|  (10,) | (1,1) | (,,"(,2)",) | {"(1,)"}
--| (1 row)
select max(row(id, p)) from c;
--|       max
--| ---------------
--|  (102,"(10,)")
--| (1 row)
select (max(p)).x from c;
--| ERROR:  42703: could not identify column "x" in record data type
select (max(p)).* from c;
--| ERROR:  42809: record type has not been registered
update c set p = (select max(p) from c);
--| ERROR:  42846: cannot cast type record to pt
update c set ps[1] = (select max(p) from c);
--| ERROR:  42846: cannot cast type record to pt
update c set i.p = (select max(p) from c);
--| ERROR:  42846: cannot cast type record to pt
insert into c (id, p) select 400, max(p) from c;
--| ERROR:  42846: cannot cast type record to pt
create table g (a int, b int generated always as (a * 2) stored, q pt generated always as (row(a, a)::pt) stored);
--| CREATE TABLE
update g set b.x = 1;
--| ERROR:  42804: cannot assign to field "x" of column "b" because its type integer is not a composite type
update g set q.x = 1;
--| ERROR:  428C9: column "q" can only be updated to DEFAULT
--| DETAIL:  Column "q" is a generated column.
drop table g, c;
--| DROP TABLE
drop type item;
--| DROP TYPE
drop type pt;
--| DROP TYPE

-- Whole rows and rows within rows are compared as values, in which NULL equals NULL; an index finds the greatest row with NULL in it; targets behind CASE; ON CONFLICT knows two relations.
create type pt as (x int, y int);
--| CREATE TYPE
create table c (id int primary key, p pt, nums int[], n int);
--| CREATE TABLE
insert into c values (1, '(1,)', '{1}', null), (2, '(2,)', null, 5);
--| INSERT 0 2
select a.id, b.id from c a, c b where a = b order by 1;
--|  id | id
--| ----+----
--|   1 |  1
--|   2 |  2
--| (2 rows)
select a.id, b.id from c a join c b on a >= b order by 1, 2;
--|  id | id
--| ----+----
--|   1 |  1
--|   2 |  1
--|   2 |  2
--| (3 rows)
select row(1, null::int) = row(1, null::int), row(row(1, null::int), 2) = row(row(1, null::int), 2), row(1, null::int) is not distinct from row(1, null::int), row(1, null::int) between row(1, null::int) and row(1, 2);
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|           | t        | t        |
--| (1 row)
select a.id, row(a.*) = row(b.*) from c a, c b where a.id = b.id order by 1;
--|  id | ?column?
--| ----+----------
--|   1 |
--|   2 |
--| (2 rows)
select generate_series(1, 2) in (select 1);
--| ERROR:  42804: row comparison operator must not return a set
create index on c (p);
--| CREATE INDEX
select max(p), min(p) from c;
--|  max  | min
--| ------+------
--|  (2,) | (1,)
--| (1 row)
select max(p) from c where n = 5;
--|  max
--| ------
--|  (2,)
--| (1 row)
update c set n = case when id = 1 then 1 else 2 end, nums[2] = 7, p.x = case n when 5 then 50 else 60 end, nums[3] = 8 where n is distinct from 9 returning *;
--|  id |   p   |    nums     | n
--| ----+-------+-------------+---
--|   1 | (60,) | {1,7,8}     | 1
--|   2 | (50,) | [2:3]={7,8} | 2
--| (2 rows)
--| UPDATE 2
insert into c (id) values (1) on conflict (id) do update set n = n + 1;
--| ERROR:  42702: column reference "n" is ambiguous
insert into c (id) values (1) on conflict (id) do update set n = 1 where id = 1;
--| ERROR:  42702: column reference "id" is ambiguous
insert into c (id) values (1) on conflict (id) do update set n = c.n + excluded.id returning n;
--|  n
--| ---
--|  2
--| (1 row)
--| INSERT 0 1
insert into c (id, nums) values (1, '{5}') on conflict (id) do update set nums[c.id + 1] = excluded.nums[1], p.y = 3 returning nums, p;
--|   nums   |   p
--| ---------+--------
--|  {1,5,8} | (60,3)
--| (1 row)
--| INSERT 0 1
drop table c;
--| DROP TABLE
drop type pt;
--| DROP TYPE

-- A type that is not there has no attributes.
alter type no_such add attribute z int;
--| ERROR:  42P01: relation "no_such" does not exist
alter type no_such rename attribute z to y;
--| ERROR:  42P01: relation "no_such" does not exist
alter type no_such rename to y;
--| ERROR:  42704: type "no_such" does not exist
