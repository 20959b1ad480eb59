-- A materialized view without rows may be described, explained, and named in what is kept; it is running what reads it that fails.
create table t (id int, v text);
--| CREATE TABLE
insert into t values (1,'a');
--| INSERT 0 1
create materialized view mv as select id, v from t with no data;
--| CREATE MATERIALIZED VIEW
prepare p as select * from mv;
--| PREPARE
explain (costs off) select * from mv;
--|    QUERY PLAN
--| ----------------
--|  Seq Scan on mv
--| (1 row)
create view vv as select * from mv;
--| CREATE VIEW
create materialized view mv2 as select * from mv with no data;
--| CREATE MATERIALIZED VIEW
create table ct as select * from mv with no data;
--| CREATE TABLE AS
select count(*) from ct;
--|  count
--| -------
--|      0
--| (1 row)
create index on mv (id);
--| CREATE INDEX
select count(*) from mv;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
select * from vv;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
execute p;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
explain (analyze, costs off, timing off, summary off, buffers off) select * from mv;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
create table ct2 as select * from mv;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
create materialized view mv3 as select * from mv;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
insert into t select * from mv;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
insert into t select id, v from t where exists (select 1 from mv);
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
update t set v = 'b' from mv where mv.id = t.id;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
delete from t where exists (select 1 from mv);
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
with a as (select * from mv) select count(*) from a;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
with a as materialized (select * from mv) select count(*) from a;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
select (select count(*) from mv);
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
select * from t left join mv on mv.id = t.id;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
select * from t where false and exists (select 1 from mv);
--|  id | v
--| ----+---
--| (0 rows)
select * from t where false and t.id in (select id from mv);
--|  id | v
--| ----+---
--| (0 rows)
select * from t, mv where false;
--|  id | v | id | v
--| ----+---+----+---
--| (0 rows)
copy (select * from mv) to stdout;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
copy mv to stdout;
--| ERROR:  0A000: cannot copy from unpopulated materialized view "mv"
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
declare c cursor with hold for select * from mv;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
begin;
--| BEGIN
declare c cursor for select * from mv;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
rollback;
--| ROLLBACK
refresh materialized view mv2;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
refresh materialized view mv;
--| REFRESH MATERIALIZED VIEW
refresh materialized view mv2;
--| REFRESH MATERIALIZED VIEW
execute p;
--|  id | v
--| ----+---
--|   1 | a
--| (1 row)
select * from vv;
--|  id | v
--| ----+---
--|   1 | a
--| (1 row)
select * from mv2;
--|  id | v
--| ----+---
--|   1 | a
--| (1 row)
refresh materialized view mv with no data;
--| REFRESH MATERIALIZED VIEW
execute p;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
select * from mv2;
--|  id | v
--| ----+---
--|   1 | a
--| (1 row)
begin;
--| BEGIN
refresh materialized view mv;
--| REFRESH MATERIALIZED VIEW
execute p;
--|  id | v
--| ----+---
--|   1 | a
--| (1 row)
rollback;
--| ROLLBACK
execute p;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
-- What a condition that never holds keeps from being read is not missed.
create table joined (a int);
--| CREATE TABLE
insert into joined values (1);
--| INSERT 0 1
create materialized view never as select a from joined with no data;
--| CREATE MATERIALIZED VIEW
select * from joined left join never on false;
--|  a | a
--| ---+---
--|  1 |
--| (1 row)
select * from never right join joined on false;
--|  a | a
--| ---+---
--|    | 1
--| (1 row)
select joined.* from joined left join never on joined.a = 1 and false;
--|  a
--| ---
--|  1
--| (1 row)
select count(*) from joined left join (select * from never) m on null;
--|  count
--| -------
--|      1
--| (1 row)
select * from joined full join never on false;
--| ERROR:  55000: materialized view "never" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
select * from joined left join never on joined.a = 2;
--| ERROR:  55000: materialized view "never" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
