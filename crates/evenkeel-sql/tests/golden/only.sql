-- ONLY and t *: no table has children.
create table o1(a int, b int); create table o2(a int, c int);
--| CREATE TABLE
--| CREATE TABLE
insert into o1 values (1,2),(3,4); insert into o2 values (1,5);
--| INSERT 0 2
--| INSERT 0 1
select * from only o1;
--|  a | b
--| ---+---
--|  1 | 2
--|  3 | 4
--| (2 rows)
select * from only (o1);
--|  a | b
--| ---+---
--|  1 | 2
--|  3 | 4
--| (2 rows)
select * from only public.o1 x where x.a = 1;
--|  a | b
--| ---+---
--|  1 | 2
--| (1 row)
select * from only (public.o1) as x;
--|  a | b
--| ---+---
--|  1 | 2
--|  3 | 4
--| (2 rows)
select * from o1 *;
--|  a | b
--| ---+---
--|  1 | 2
--|  3 | 4
--| (2 rows)
select * from o1 * where a = 1;
--|  a | b
--| ---+---
--|  1 | 2
--| (1 row)
select * from o1*, o2*;
--|  a | b | a | c
--| ---+---+---+---
--|  1 | 2 | 1 | 5
--|  3 | 4 | 1 | 5
--| (2 rows)
select * from o1 * as x join only o2 using (a);
--|  a | b | c
--| ---+---+---
--|  1 | 2 | 5
--| (1 row)
select * from o1, only o2 y;
--|  a | b | a | c
--| ---+---+---+---
--|  1 | 2 | 1 | 5
--|  3 | 4 | 1 | 5
--| (2 rows)
update only o1 set b = 3 where a = 1;
--| UPDATE 1
update o1 * set b = 4 where a = 1;
--| UPDATE 1
update only (o1) x set b = 5 where x.a = 1;
--| UPDATE 1
update only o1 x set b = c from only o2 where o2.a = x.a;
--| UPDATE 1
delete from only o1 where a = 3;
--| DELETE 1
delete from o1 * where a = 5;
--| DELETE 0
delete from only o1 x using only o2 where o2.a = x.a;
--| DELETE 1
truncate only o2;
--| TRUNCATE TABLE
truncate table only o1, only o2;
--| TRUNCATE TABLE
table only o1;
--|  a | b
--| ---+---
--| (0 rows)
table o1 *;
--|  a | b
--| ---+---
--| (0 rows)
lock table only o1;
--| ERROR:  25P01: LOCK TABLE can only be used in transaction blocks
create view ov as select * from only o1;
--| CREATE VIEW
select 2 * 3 from o1;
--|  ?column?
--| ----------
--| (0 rows)
select a.b * 2, a, a.b * a.a from o1 a;
--|  ?column? | a | ?column?
--| ----------+---+----------
--| (0 rows)
select extract(year from timestamp '2020-01-01') * 2;
--|  ?column?
--| ----------
--|      4040
--| (1 row)
with x as (select * from only o1) select * from x;
--|  a | b
--| ---+---
--| (0 rows)
select (select count(*) from only o1);
--|  count
--| -------
--|      0
--| (1 row)
merge into only o1 using o2 on o1.a=o2.a when matched then do nothing;
--| MERGE 0
insert into only o1 values (1);
--| ERROR:  42P01: relation "only" does not exist
alter table only o1 add column z int;
--| ALTER TABLE
alter table o1 * add column zz int;
--| ALTER TABLE
create index on only o1 (a);
--| CREATE INDEX
drop view ov;
--| DROP VIEW
drop table o1, o2;
--| DROP TABLE
