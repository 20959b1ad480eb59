-- Names that are taken: of types, of constraints, of what every table has; defaults of views' columns.
create table t (a int, b int, constraint k check (b > 0), constraint u unique (b));
--| CREATE TABLE
create view v as select a, b from t;
--| CREATE VIEW
create materialized view m as select 1 as x;
--| SELECT 1
create type taken as enum ('one');
--| CREATE TYPE
create schema other;
--| CREATE SCHEMA
create type other.t as (x int);
--| CREATE TYPE
create type other.v as (x int);
--| CREATE TYPE
alter table t rename to taken;
--| ERROR:  42710: type "taken" already exists
alter view v rename to taken;
--| ERROR:  42710: type "taken" already exists
alter materialized view m rename to taken;
--| ERROR:  42710: type "taken" already exists
alter table t set schema other;
--| ERROR:  42P07: relation "t" already exists in schema "other"
alter view v set schema other;
--| ERROR:  42P07: relation "v" already exists in schema "other"
create materialized view taken as select 1;
--| ERROR:  42710: type "taken" already exists
--| HINT:  A relation has an associated type of the same name, so you must use a name that doesn't conflict with any existing type.
alter table t rename a to ctid;
--| ERROR:  42701: column name "ctid" conflicts with a system column name
alter index u rename to k;
--| ERROR:  42710: constraint "k" for relation "t" already exists
alter table u rename to k;
--| ERROR:  42710: constraint "k" for relation "t" already exists
alter table t rename constraint u to k;
--| ERROR:  42710: constraint "k" for relation "t" already exists
alter index u rename to kk;
--| ALTER INDEX
select conname, contype from pg_constraint where conrelid = 't'::regclass order by 1, 2;
--|  conname | contype
--| ---------+---------
--|  k       | c
--|  kk      | u
--| (2 rows)
create sequence s;
--| CREATE SEQUENCE
create type mood as enum ('sad', 'fine');
--| CREATE TYPE
create table felt (n int, m mood);
--| CREATE TABLE
create view feelings as select n, m from felt;
--| CREATE VIEW
alter view feelings alter n set default nextval('s');
--| ALTER VIEW
alter view feelings alter m set default 'sad'::mood;
--| ALTER VIEW
alter view feelings alter n set default (select 1);
--| ERROR:  0A000: cannot use subquery in DEFAULT expression
alter sequence s rename to s2;
--| ALTER SEQUENCE
alter type mood rename to feeling;
--| ALTER TYPE
alter type feeling rename value 'sad' to 'low';
--| ALTER TYPE
insert into feelings default values returning *;
--|  n |  m
--| ---+-----
--|  1 | low
--| (1 row)
--| INSERT 0 1
select attname, pg_get_expr(adbin, adrelid) from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum where adrelid = 'feelings'::regclass order by 1;
--|  attname |       pg_get_expr
--| ---------+-------------------------
--|  m       | 'low'::feeling
--|  n       | nextval('s2'::regclass)
--| (2 rows)
-- Rows that go at COMMIT, and what refers to them.
begin;
--| BEGIN
create temp table parent (id int primary key) on commit delete rows;
--| CREATE TABLE
create temp table child (id int references parent);
--| CREATE TABLE
commit;
--| ERROR:  0A000: unsupported ON COMMIT and foreign key combination
--| DETAIL:  Table "child" references "parent", but they do not have the same ON COMMIT setting.
begin;
--| BEGIN
create temp table parent (id int primary key) on commit delete rows;
--| CREATE TABLE
create temp table child (id int references parent) on commit delete rows;
--| CREATE TABLE
insert into parent values (1);
--| INSERT 0 1
insert into child values (1);
--| INSERT 0 1
commit;
--| COMMIT
select count(*) from child;
--|  count
--| -------
--|      0
--| (1 row)
drop table child, parent, felt cascade;
--| NOTICE:  drop cascades to view feelings
--| DROP TABLE
drop schema other cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to type other.t
--| drop cascades to type other.v
--| DROP SCHEMA
drop table t cascade;
--| NOTICE:  drop cascades to view v
--| DROP TABLE
drop materialized view m;
--| DROP MATERIALIZED VIEW
drop type taken, feeling;
--| DROP TYPE
drop sequence s2;
--| DROP SEQUENCE
