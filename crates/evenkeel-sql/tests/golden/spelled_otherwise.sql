-- Statements that are spelled in less common ways.
create table sp (a int, b text);
--| CREATE TABLE
insert into sp (values (1,'x'));
--| INSERT 0 1
insert into sp (with q as (select 3) select *, 'w' from q);
--| INSERT 0 1
insert into sp (((select 1, 'x')));
--| INSERT 0 1
insert into sp as z (values (1,'x')) returning z.a;
--|  a
--| ---
--|  1
--| (1 row)
--| INSERT 0 1
insert into sp (a) (values (7),(8));
--| INSERT 0 2
insert into sp (a, b) (values (9, 'y')) on conflict do nothing;
--| INSERT 0 1
insert into sp (values) values (1);
--| ERROR:  42703: column "values" of relation "sp" does not exist
select count(*), sum(a) from sp;
--|  count | sum
--| -------+-----
--|      7 |  30
--| (1 row)
set session.user_id = '5';
--| SET
show session.user_id;
--|  session.user_id
--| -----------------
--|  5
--| (1 row)
set local.x = 1;
--| SET
show local.x;
--|  local.x
--| ---------
--|  1
--| (1 row)
set session names.x = 'y';
--| SET
show names.x;
--|  names.x
--| ---------
--|  y
--| (1 row)
set schema.x = '1';
--| SET
show schema.x;
--|  schema.x
--| ----------
--|  1
--| (1 row)
set role.x to 'r';
--| SET
show role.x;
--|  role.x
--| --------
--|  r
--| (1 row)
reset session.user_id;
--| RESET
set work_mem to +100;
--| SET
show work_mem;
--|  work_mem
--| ----------
--|  100kB
--| (1 row)
reset work_mem;
--| RESET
set work_mem to - 100;
--| ERROR:  22023: -100 kB is outside the valid range for parameter "work_mem" (64 kB .. 2147483647 kB)
set time zone +8;
--| SET
reset timezone;
--| RESET
alter table sp set tablespace pg_default;
--| ALTER TABLE
create index spi on sp (a);
--| CREATE INDEX
alter index spi set tablespace pg_default;
--| ALTER INDEX
alter table sp set access method heap;
--| ALTER TABLE
select a into si5 from sp where a < 2 union select 9;
--| SELECT 2
select * from si5 order by a;
--|  a
--| ---
--|  1
--|  9
--| (2 rows)
(select a into si9 from sp);
--| SELECT 7
select count(*) from si9;
--|  count
--| -------
--|      7
--| (1 row)
select 2 between asymmetric 1 and 3, 2 not between asymmetric 1 and 3;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | f
--| (1 row)
select extract("year" from timestamp '2020-09-08 12:00'), extract("DAY" from date '2020-01-02');
--|  extract | extract
--| ---------+---------
--|     2020 |       2
--| (1 row)
select extract("foo bar" from timestamp '2020-09-08 12:00');
--| ERROR:  22023: unit "foo bar" not recognized for type timestamp without time zone
drop table sp, si5, si9;
--| DROP TABLE
