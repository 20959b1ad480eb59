-- Tables of one name in two schemas stand in one FROM without aliases; a schema in front of the name tells them apart.
create schema tw;
--| CREATE SCHEMA
create table t(id int, v text);
--| CREATE TABLE
create table tw.t(id int, v text);
--| CREATE TABLE
insert into t values (1,'a'),(2,'b');
--| INSERT 0 2
insert into tw.t values (1,'a'),(2,'c');
--| INSERT 0 2
select tw.t.v, public.t.v from tw.t join public.t on tw.t.id = public.t.id order by tw.t.id;
--|  v | v
--| ---+---
--|  a | a
--|  c | b
--| (2 rows)
select count(*) from tw.t, t;
--|  count
--| -------
--|      4
--| (1 row)
select tw.t.*, public.t.* from tw.t, public.t order by 1,3;
--|  id | v | id | v
--| ----+---+----+---
--|   1 | a |  1 | a
--|   1 | a |  2 | b
--|   2 | c |  1 | a
--|   2 | c |  2 | b
--| (4 rows)
select * from tw.t where exists (select 1 from t where tw.t.id = t.id and tw.t.v = t.v);
--|  id | v
--| ----+---
--|   1 | a
--| (1 row)
select * from t where id in (select tw.t.id from tw.t where tw.t.v <> public.t.v);
--|  id | v
--| ----+---
--|   2 | b
--| (1 row)
select (select max(tw.t.id + t.id) from t) from tw.t order by 1;
--|  max
--| -----
--|    3
--|    4
--| (2 rows)
update tw.t set v = public.t.v from public.t where tw.t.id = public.t.id;
--| UPDATE 2
delete from tw.t using public.t where tw.t.id = public.t.id and public.t.id = 1;
--| DELETE 1
select * from tw.t full join t using (id) order by 1;
--|  id | v | v
--| ----+---+---
--|   1 |   | a
--|   2 | b | b
--| (2 rows)
select t.id from tw.t, public.t;
--| ERROR:  42P09: table reference "t" is ambiguous
create view sv as select tw.t.id, public.t.v from tw.t, public.t where tw.t.id = public.t.id;
--| CREATE VIEW
select * from public.t a, tw.t a;
--| ERROR:  42712: table name "a" specified more than once
select tw.t from tw.t, public.t order by 1;
--| ERROR:  42P01: missing FROM-clause entry for table "tw"
select public.t.*::text from tw.t, public.t order by 1;
--|    t
--| -------
--|  (1,a)
--|  (2,b)
--| (2 rows)
insert into public.t values (5, 'x') returning public.t.id, t.v;
--|  id | v
--| ----+---
--|   5 | x
--| (1 row)
--| INSERT 0 1
update tw.t set v = 'z' from public.t where tw.t.id <> public.t.id returning tw.t.v, public.t.v;
--|  v | v
--| ---+---
--|  z | a
--| (1 row)
--| UPDATE 1
select tw.t.ctid is null, t.xmin is null from tw.t, public.t;
--| ERROR:  42P09: table reference "t" is ambiguous
select tw.t.ctid is null, public.t.xmin is null from tw.t, public.t limit 1;
--|  ?column? | ?column?
--| ----------+----------
--|  f        | f
--| (1 row)
drop view sv;
--| DROP VIEW
drop table tw.t, public.t;
--| DROP TABLE
drop schema tw;
--| DROP SCHEMA
