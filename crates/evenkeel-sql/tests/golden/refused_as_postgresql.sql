-- Statements that were taken, or refused for another reason, and what is beside them.

create table t (a int primary key, b int);
--| CREATE TABLE
insert into t values (1, 2), (7, 3);
--| INSERT 0 2
select a from t limit a;
--| ERROR:  42P10: argument of LIMIT must not contain variables
select a from t offset a + 1;
--| ERROR:  42P10: argument of OFFSET must not contain variables
select a from t limit 1 offset b;
--| ERROR:  42P10: argument of OFFSET must not contain variables
select a from t limit sum(a);
--| ERROR:  42803: aggregate functions are not allowed in LIMIT
select a from t limit (select a);
--| ERROR:  42P10: argument of LIMIT must not contain variables
select a from t limit nosuch;
--| ERROR:  42703: column "nosuch" does not exist
select nosuch from t limit a;
--| ERROR:  42703: column "nosuch" does not exist
select a from t fetch first (a) rows only;
--| ERROR:  42P10: argument of LIMIT must not contain variables
select a from t order by a fetch first +1 rows only;
--|  a
--| ---
--|  1
--| (1 row)
select a from t fetch first -1 rows only;
--| ERROR:  2201W: LIMIT must not be negative
create type e as enum ('a', 'b', 'c');
--| CREATE TYPE
create table x (a int) using zz;
--| ERROR:  42704: access method "zz" does not exist
create table x using zz as select 1;
--| ERROR:  42704: access method "zz" does not exist
create table x (a int) using heap;
--| CREATE TABLE
create table x2 using heap as select 1 as a;
--| SELECT 1
create table x3 as select * from x join x2 using (a);
--| SELECT 0
select * from timestamp('2020-01-01');
--| ERROR:  42601: syntax error at or near "("
select * from x, int('1') y;
--| ERROR:  42601: syntax error at or near "("
select * from "timestamp"('2020-01-01'), int4('1'), pg_catalog.varchar('x');
--|       timestamp      | int4 | varchar
--| ---------------------+------+---------
--|  2020-01-01 00:00:00 |    1 | x
--| (1 row)
create view v as select * from t;
--| CREATE VIEW
update v set b = b returning tableoid;
--| ERROR:  42703: column "tableoid" does not exist
update v set b = b returning new.tableoid;
--| ERROR:  42703: column new.tableoid does not exist
update t set b = b returning new.tableoid::regclass;
--|  tableoid
--| ----------
--|  t
--|  t
--| (2 rows)
--| UPDATE 2
select tableoid from v;
--| ERROR:  42703: column "tableoid" does not exist
-- What a schema holds is told by age, by names as the path has them.
create schema s1;
--| CREATE SCHEMA
create view s1.b0 as select 1 as x;
--| CREATE VIEW
create table s1.a (a serial primary key);
--| CREATE TABLE
create type s1.t as (a int);
--| CREATE TYPE
create sequence s1.q;
--| CREATE SEQUENCE
create materialized view s1.m as select 1 as x;
--| SELECT 1
create table s1."Q q" ();
--| CREATE TABLE
drop schema s1;
--| ERROR:  2BP01: cannot drop schema s1 because other objects depend on it
--| DETAIL:  view s1.b0 depends on schema s1
--| table s1.a depends on schema s1
--| type s1.t depends on schema s1
--| sequence s1.q depends on schema s1
--| materialized view s1.m depends on schema s1
--| table s1."Q q" depends on schema s1
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
set search_path = s1, public;
--| SET
drop schema s1 cascade;
--| NOTICE:  drop cascades to 6 other objects
--| DETAIL:  drop cascades to view b0
--| drop cascades to table a
--| drop cascades to type t
--| drop cascades to sequence q
--| drop cascades to materialized view m
--| drop cascades to table "Q q"
--| DROP SCHEMA
