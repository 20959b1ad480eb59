-- A check that names the whole row, when its table is renamed, moved or copied.
create table kr (a int, b text, check (kr is not null));
--| CREATE TABLE
create table kw (a int, b text, check (num_nonnulls(kw.*) > 0));
--| CREATE TABLE
insert into kr values (1, 'x');
--| INSERT 0 1
alter table kr rename to kr2;
--| ALTER TABLE
alter table kw rename to kw2;
--| ALTER TABLE
insert into kr2 values (2, 'y');
--| INSERT 0 1
update kr2 set a = 3;
--| UPDATE 2
insert into kw2 values (2, 'y');
--| INSERT 0 1
insert into kw2 values (null, null);
--| INSERT 0 1
alter table kr2 add c int;
--| ALTER TABLE
insert into kr2 values (2, 'y', 3);
--| INSERT 0 1
create schema krs;
--| CREATE SCHEMA
create table kq (a int, check (kq is not null and a > 0));
--| CREATE TABLE
alter table kq set schema krs;
--| ALTER TABLE
insert into krs.kq values (1);
--| INSERT 0 1
insert into krs.kq values (0);
--| ERROR:  23514: new row for relation "kq" violates check constraint "kq_check"
--| DETAIL:  Failing row contains (0).
create table kl (a int, check (kl is not null));
--| CREATE TABLE
create table kl2 (like kl including all);
--| ERROR:  0A000: cannot convert whole-row table reference
--| DETAIL:  Constraint "kl_check" contains a whole-row reference to table "kl".
-- Of a domain's own check nothing is renamed.
create domain krs.pos as int check (value > 0);
--| CREATE DOMAIN
create table kd (e int check (e::krs.pos between 1 and 10));
--| CREATE TABLE
alter table kd rename to kd2;
--| ALTER TABLE
insert into kd2 values (5);
--| INSERT 0 1
insert into kd2 values (-5);
--| ERROR:  23514: value for domain krs.pos violates check constraint "pos_check"
drop table kr2, kw2, krs.kq, kl, kd2;
--| DROP TABLE
drop schema krs cascade;
--| NOTICE:  drop cascades to type krs.pos
--| DROP SCHEMA

-- Labels in ARRAY[…] that is cast, in parentheses or not: by their numbers.
create type kmood as enum ('sad', 'ok', '');
--| CREATE TYPE
create table kt (id int, ms kmood[] default array['sad','ok']::kmood[], m kmood default 'ok', ml kmood[] default '{ok}');
--| CREATE TABLE
insert into kt(id) values (1);
--| INSERT 0 1
alter type kmood rename value 'ok' to 'fine';
--| ALTER TYPE
insert into kt(id) values (2);
--| INSERT 0 1
select * from kt order by id;
--|  id |     ms     |  m   |   ml
--| ----+------------+------+--------
--|   1 | {sad,fine} | fine | {fine}
--|   2 | {sad,fine} | fine | {fine}
--| (2 rows)
create view kv as select array['sad','fine']::kmood[] as x, 'fine' = any(array['sad','fine']::kmood[]) as y;
--| CREATE VIEW
create table kc (m kmood, check (m = any (array['sad','fine']::kmood[])));
--| CREATE TABLE
create index on kc (m) where m = any (array['sad','fine']::kmood[]);
--| CREATE INDEX
alter type kmood rename value 'fine' to 'good';
--| ALTER TYPE
select * from kv;
--|      x      | y
--| ------------+---
--|  {sad,good} | t
--| (1 row)
insert into kc values ('good');
--| INSERT 0 1
select count(*) from kc where m = 'good';
--|  count
--| -------
--|      1
--| (1 row)
create table kgen (k kmood[], g bool generated always as (array['sad']::kmood[] @> k) stored);
--| CREATE TABLE
insert into kgen values ('{sad}'), ('{good}');
--| INSERT 0 2
select * from kgen;
--|    k    | g
--| --------+---
--|  {sad}  | t
--|  {good} | f
--| (2 rows)
select (array['a','b'])::varchar(1)[], (array[1,2])::text[], (array[]::int[])::int8[];
--|  array | array | array
--| -------+-------+-------
--|  {a,b} | {1,2} | {}
--| (1 row)
drop view kv;
--| DROP VIEW
drop table kt, kc, kgen;
--| DROP TABLE
drop type kmood;
--| DROP TYPE
