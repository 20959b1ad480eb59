-- Equal is not the same: what subqueries answered is kept for the values that they read, not for equal ones.
create table one(k int); insert into one values (1);
--| CREATE TABLE
--| INSERT 0 1
select (select x::text from one where k > 0) from (values (1.0),(1.00),(1.000)) t(x);
--|    x
--| -------
--|  1.0
--|  1.00
--|  1.000
--| (3 rows)
select (select x::text from one where k > 0) from (values ('0'::float8),('-0')) t(x);
--|  x
--| ----
--|  0
--|  -0
--| (2 rows)
select (select x::text from one where k > 0) from (values ('1 day'::interval),('24:00')) t(x);
--|     x
--| ----------
--|  1 day
--|  24:00:00
--| (2 rows)
select (select x::text from one where k > 0) from (values ('1'::jsonb),('1.0')) t(x);
--|   x
--| -----
--|  1
--|  1.0
--| (2 rows)
select (select octet_length(x) from one where k > 0) from (values ('a'::bpchar),('a  ')) t(x);
--|  octet_length
--| --------------
--|             1
--|             3
--| (2 rows)
select (select x::text from one where k > 0) from (values (array[1.0]),(array[1.00])) t(x);
--|    x
--| --------
--|  {1.0}
--|  {1.00}
--| (2 rows)
select exists (select 1 from one where scale(x) = 2) from (values (1.0),(1.00)) t(x);
--|  exists
--| --------
--|  f
--|  t
--| (2 rows)
create extension citext;
--| CREATE EXTENSION
select (select c::text from one where k > 0) from (values ('Abc'::citext),('ABC'),('abc')) t(c);
--|   c
--| -----
--|  Abc
--|  ABC
--|  abc
--| (3 rows)

-- What gives something else each time is computed once a row, and rows are sorted by what they show.
create sequence s;
--| CREATE SEQUENCE
select nextval('s') n from generate_series(1,5) order by n desc;
--|  n
--| ---
--|  5
--|  4
--|  3
--|  2
--|  1
--| (5 rows)
select last_value from s;
--|  last_value
--| ------------
--|           5
--| (1 row)
select array_agg(r) = array_agg(r order by r) from (select random() r from generate_series(1,100) order by r) q;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select array_agg(r) = array_agg(r order by r) from (select random() r from generate_series(1,100) order by random()) q;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select count(*) from (select random() r from generate_series(1,1000) order by 1 limit 10) q where r > 0.2;
--|  count
--| -------
--|      0
--| (1 row)

-- Rows of a unique index are alike where they have NULL.
create table u(a int unique, b int); insert into u select null, 1000 - g from generate_series(1,1000) g; analyze u;
--| CREATE TABLE
--| INSERT 0 1000
--| ANALYZE
select b from u order by a, b limit 3;
--|  b
--| ---
--|  0
--|  1
--|  2
--| (3 rows)
create table u2(k int, a int, b int, pad text, unique(k, a)); insert into u2 select 1, null, 1000 - g, repeat('x',100) from generate_series(1,1000) g; analyze u2;
--| CREATE TABLE
--| INSERT 0 1000
--| ANALYZE
select b from u2 where k = 1 order by a, b limit 3;
--|  b
--| ---
--|  0
--|  1
--|  2
--| (3 rows)
select b from u2 where k = 1 order by a desc, b desc limit 3;
--|   b
--| -----
--|  999
--|  998
--|  997
--| (3 rows)
select array_agg(b) from (select b from u order by a, b offset 500 limit 3) s;
--|    array_agg
--| ---------------
--|  {500,501,502}
--| (1 row)

-- An outer join that only a set-returning key of groups reads.
create table ja(id int); create table jb(id int primary key, n int);
--| CREATE TABLE
--| CREATE TABLE
insert into ja values (1),(2); insert into jb values (1,2),(2,3);
--| INSERT 0 2
--| INSERT 0 2
select generate_series(1, jb.n) g, count(*) from ja left join jb on jb.id = ja.id group by 1 order by 1;
--|  g | count
--| ---+-------
--|  1 |     2
--|  2 |     2
--|  3 |     1
--| (3 rows)

-- ON CONFLICT meets a row that the statement itself has put there, whatever its WHERE says.
create table t(id int primary key, v text);
--| CREATE TABLE
insert into t values (1,'a'),(1,'b') on conflict (id) do update set v = excluded.v where t.v = 'zzz';
--| ERROR:  21000: ON CONFLICT DO UPDATE command cannot affect row a second time
--| HINT:  Ensure that no rows proposed for insertion within the same command have duplicate constrained values.
insert into t values (2,'a'),(2,'b') on conflict (id) do update set v = excluded.v;
--| ERROR:  21000: ON CONFLICT DO UPDATE command cannot affect row a second time
--| HINT:  Ensure that no rows proposed for insertion within the same command have duplicate constrained values.
insert into t values (3,'x');
--| INSERT 0 1
insert into t values (3,'y'),(3,'z') on conflict (id) do update set v = excluded.v where t.v = 'x';
--| ERROR:  21000: ON CONFLICT DO UPDATE command cannot affect row a second time
--| HINT:  Ensure that no rows proposed for insertion within the same command have duplicate constrained values.
insert into t values (3,'y') on conflict (id) do update set v = excluded.v where t.v = 'w';
--| INSERT 0 0
begin;
--| BEGIN
update t set v = 'w' where id = 3;
--| UPDATE 1
insert into t values (3,'y') on conflict (id) do update set v = excluded.v where t.v = 'x';
--| INSERT 0 0
rollback;
--| ROLLBACK
with c as (update t set v = 'c' where id = 3 returning id) insert into t select id, 'd' from c on conflict (id) do update set v = excluded.v;
--| ERROR:  21000: ON CONFLICT DO UPDATE command cannot affect row a second time
--| HINT:  Ensure that no rows proposed for insertion within the same command have duplicate constrained values.
with c as (update t set v = 'c' where id = 3 returning id) insert into t select id, 'd' from c on conflict (id) do update set v = excluded.v where t.v = 'e';
--| ERROR:  21000: ON CONFLICT DO UPDATE command cannot affect row a second time
--| HINT:  Ensure that no rows proposed for insertion within the same command have duplicate constrained values.
select * from t;
--|  id | v
--| ----+---
--|   3 | x
--| (1 row)

-- A common table expression is kept for what it read as well.
select v.x, c.t from (values (1.0),(1.00)) v(x), lateral (with c as materialized (select v.x::text as t from one) select c1.t from c c1 join c c2 on true) c;
--|   x   |  t
--| ------+------
--|   1.0 | 1.0
--|  1.00 | 1.00
--| (2 rows)

-- Aggregates, and conditions on no relation, of what gives something else each time.
drop sequence s; create sequence s;
--| DROP SEQUENCE
--| CREATE SEQUENCE
select count(nextval('s')), count(nextval('s')) from generate_series(1,3);
--|  count | count
--| -------+-------
--|      3 |     3
--| (1 row)
select last_value from s;
--|  last_value
--| ------------
--|           6
--| (1 row)
select sum(random()) = sum(random()) from generate_series(1,100);
--|  ?column?
--| ----------
--|  f
--| (1 row)
create table ca(x int); create table cb(y int); insert into ca values (1),(2); insert into cb select generate_series(1,5);
--| CREATE TABLE
--| CREATE TABLE
--| INSERT 0 2
--| INSERT 0 5
select count(*) from ca, cb where nextval('s') % 2 = 0;
--|  count
--| -------
--|      5
--| (1 row)
select last_value from s;
--|  last_value
--| ------------
--|          16
--| (1 row)

-- IS NOT NULL of a row is about its fields: no comparison of the row says so much.
create type ct as (a int, b int);
--| CREATE TYPE
create table rt(c ct, v int); insert into rt select row(g,g)::ct, g from generate_series(2,5000) g; insert into rt values (row(1,null)::ct, 1);
--| CREATE TABLE
--| INSERT 0 4999
--| INSERT 0 1
create index rtv on rt(v) where c is not null; analyze rt;
--| CREATE INDEX
--| ANALYZE
select count(*) from rt where v = 1 and c = row(1,null)::ct;
--|  count
--| -------
--|      1
--| (1 row)
drop index rtv; create index rtv on rt(v) where c > row(0,0)::ct;
--| DROP INDEX
--| CREATE INDEX
select count(*) from rt where v = 1 and c > row(0,0)::ct and c is not null;
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from rt where v = 1 and c > row(0,0)::ct;
--|  count
--| -------
--|      1
--| (1 row)

-- The sign of a step of time is its own, with months of thirty days.
select count(*) from generate_series('2020-01-01'::timestamp, '2020-01-05', '1 month -30 days');
--| ERROR:  22023: step size cannot equal zero
select count(*) from generate_series('2020-01-01'::timestamp, '2020-02-05', '1 month -31 days');
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from generate_series('2020-02-01'::timestamp, '2020-01-01', '1 month -29 days');
--|  count
--| -------
--|      0
--| (1 row)
select g from generate_series('2020-01-31'::timestamp, '2020-05-31', '1 month') g;
--|           g
--| ---------------------
--|  2020-01-31 00:00:00
--|  2020-02-29 00:00:00
--|  2020-03-29 00:00:00
--|  2020-04-29 00:00:00
--|  2020-05-29 00:00:00
--| (5 rows)
select g from generate_series('2020-05-31'::timestamp, '2020-01-31', '-1 month') g;
--|           g
--| ---------------------
--|  2020-05-31 00:00:00
--|  2020-04-30 00:00:00
--|  2020-03-30 00:00:00
--|  2020-02-29 00:00:00
--| (4 rows)

-- A row that another part of the statement has written is not locked.
create table fl(id int primary key, v int); insert into fl values (1,0), (2,0);
--| CREATE TABLE
--| INSERT 0 2
with u as (update fl set v = v + 1 where id = 1 returning id) select fl.id, fl.v from fl, u where fl.id = u.id for update of fl;
--|  id | v
--| ----+---
--| (0 rows)
with u as (update fl set v = v + 1 where id = 1 returning id) select fl.id, fl.v from fl where (select count(*) from u) = 1 order by 1 for update;
--|  id | v
--| ----+---
--|   2 | 0
--| (1 row)
with d as (delete from fl returning id) select fl.id, fl.v from fl, d where fl.id = d.id for update of fl;
--|  id | v
--| ----+---
--| (0 rows)
