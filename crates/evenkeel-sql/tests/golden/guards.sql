-- What stands in front of something that fails keeps it from being computed: constants settle CASE and COALESCE, cheaper conditions are asked first.
select case when null is null or 1 / 0 = 1 then 1 else 1 / 0 end;
--|  case
--| ------
--|     1
--| (1 row)
select case when 5 in (5, 6) then 1 else 1 / 0 end;
--|  case
--| ------
--|     1
--| (1 row)
select case when 5 between 1 and 10 then 1 else 1 / 0 end;
--|  case
--| ------
--|     1
--| (1 row)
select case when (0 = 0) is true then 1 else 1 / 0 end;
--|  case
--| ------
--|     1
--| (1 row)
select case when 1 = any (array[1, 2]) then 1 else 1 / 0 end;
--|  case
--| ------
--|     1
--| (1 row)
select case when coalesce(null, true) then 1 else 1 / 0 end;
--|  case
--| ------
--|     1
--| (1 row)
select case when greatest(1, 2) = 2 then 1 else 1 / 0 end;
--|  case
--| ------
--|     1
--| (1 row)
select coalesce(nullif(1, 2), 1 / 0);
--|  coalesce
--| ----------
--|         1
--| (1 row)
select case when 1 = 2 then 1 else 1 / 0 end;
--| ERROR:  22012: division by zero
select 1 where null and 1 / 0 = 1;
--| ERROR:  22012: division by zero
prepare p (text) as select case when $1 is null or $1 = '' then null else $1::int end;
--| PREPARE
execute p ('');
--|  case
--| ------
--|
--| (1 row)
execute p (null);
--|  case
--| ------
--|
--| (1 row)
execute p ('7');
--|  case
--| ------
--|     7
--| (1 row)
execute p ('x');
--| ERROR:  22P02: invalid input syntax for type integer: "x"
create table t (id int primary key, x int, c text, kind text);
--| CREATE TABLE
insert into t values (1, 0, 'a', 'word'), (2, 5, '12', 'num'), (3, 2, '7', 'num');
--| INSERT 0 3
select id from t where 10 / x > 1 and x <> 0 order by id;
--|  id
--| ----
--|   2
--|   3
--| (2 rows)
select id from t where c::int > 5 and kind = 'num' order by id;
--|  id
--| ----
--|   2
--|   3
--| (2 rows)
select id from t where c::int > 5 and c ~ '^\d+$' order by id;
--|  id
--| ----
--|   2
--|   3
--| (2 rows)
select kind, count(*) from t group by kind having min(c)::int > 5 and kind = 'num';
--|  kind | count
--| ------+-------
--|  num  |     2
--| (1 row)
select a.id from t a join t b on 10 / b.x > 1 and b.x <> 0 and a.id = b.id order by 1;
--|  id
--| ----
--|   2
--|   3
--| (2 rows)
-- Rows that a view with security_barrier hides are not asked first, however cheap it is.
create view v with (security_barrier) as select * from t where exists (select from t o where o.id = t.id and o.kind = 'num');
--| CREATE VIEW
update v set x = x where c::int > 5;
--| UPDATE 2
delete from v where 10 / x > 100;
--| DELETE 0
drop table t cascade;
--| NOTICE:  drop cascades to view v
--| DROP TABLE
-- EXISTS computes nothing of what its subquery gives.
create table z (a int, b int);
--| CREATE TABLE
insert into z values (1, 0);
--| INSERT 0 1
create sequence s;
--| CREATE SEQUENCE
select exists (select 1 / 0), exists (select a / b from z), exists (select a / b from z order by a / b);
--|  exists | exists | exists
--| --------+--------+--------
--|  t      | t      | t
--| (1 row)
select a from z where exists (select z.a / z.b);
--|  a
--| ---
--|  1
--| (1 row)
select exists (select nextval('s'));
--|  exists
--| --------
--|  t
--| (1 row)
select nextval('s');
--|  nextval
--| ---------
--|        1
--| (1 row)
select exists (select a / b from z group by a / b);
--|  exists
--| --------
--|  t
--| (1 row)
select exists (select distinct a / b from z), not exists (select 1 from z where a = 2);
--|  exists | ?column?
--| --------+----------
--|  t      | t
--| (1 row)
drop table z;
--| DROP TABLE
drop sequence s;
--| DROP SEQUENCE
-- What nobody reads fails nobody.
with q as (select 1 / 0) select 1;
--|  ?column?
--| ----------
--|         1
--| (1 row)
with q as materialized (select 1 / 0 as a), r as (select * from q) select 1;
--| ERROR:  22012: division by zero
explain (costs off) with q as materialized (select random()), r as (select * from q) select 1;
--|    QUERY PLAN
--| ----------------
--|  Result
--|    CTE q
--|      ->  Result
--| (3 rows)
with q as (select nosuch) select 1;
--| ERROR:  42703: column "nosuch" does not exist
with q as (update guarded_nothing set x = 1) select 1;
--| ERROR:  42P01: relation "guarded_nothing" does not exist
