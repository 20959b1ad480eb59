-- ALTER EXTENSION, DROP EXTENSION CASCADE, versions, and the extension that is always there.

create extension if not exists plpgsql with schema pg_catalog;
--| NOTICE:  extension "plpgsql" already exists, skipping
--| CREATE EXTENSION
comment on extension plpgsql is 'PL/pgSQL, as said here';
--| COMMENT
select obj_description(oid, 'pg_extension') from pg_extension where extname = 'plpgsql';
--|     obj_description
--| ------------------------
--|  PL/pgSQL, as said here
--| (1 row)
comment on extension plpgsql is 'PL/pgSQL procedural language';
--| COMMENT
comment on extension nosuch is 'x';
--| ERROR:  42704: extension "nosuch" does not exist
alter extension plpgsql set schema public;
--| ERROR:  0A000: extension "plpgsql" does not support SET SCHEMA
alter extension plpgsql update;
--| NOTICE:  version "1.0" of extension "plpgsql" is already installed
--| ALTER EXTENSION
create extension citext version '9.9';
--| ERROR:  22023: extension "citext" has no installation script nor update path for version "9.9"
create extension citext version '1.8';
--| CREATE EXTENSION
alter extension citext update;
--| NOTICE:  version "1.8" of extension "citext" is already installed
--| ALTER EXTENSION
alter extension citext update to '1.8';
--| NOTICE:  version "1.8" of extension "citext" is already installed
--| ALTER EXTENSION
alter extension citext update to "9.9";
--| ERROR:  22023: extension "citext" has no update path from version "1.8" to version "9.9"
alter extension nosuch update;
--| ERROR:  42704: extension "nosuch" does not exist
alter extension nosuch set schema public;
--| ERROR:  42704: extension "nosuch" does not exist
alter extension citext set schema nosuch;
--| ERROR:  3F000: schema "nosuch" does not exist
create schema s;
--| CREATE SCHEMA
alter extension citext set schema s;
--| ALTER EXTENSION
select extnamespace::regnamespace from pg_extension where extname = 'citext';
--|  extnamespace
--| --------------
--|  s
--| (1 row)
alter extension citext set schema public;
--| ALTER EXTENSION
alter extension citext rename to x;
--| ERROR:  42601: syntax error at or near "rename"
create role altering;
--| CREATE ROLE
set role altering;
--| SET
alter extension citext update;
--| ERROR:  42501: must be owner of extension citext
reset role;
--| RESET
drop role altering;
--| DROP ROLE
-- What goes with one.
create table c (a citext, b int, e text default ('x'::citext)::text);
--| CREATE TABLE
create index ci on c (a);
--| CREATE INDEX
create view v as select a from c;
--| CREATE VIEW
create domain dd as citext;
--| CREATE DOMAIN
create table c2 (x dd, y int);
--| CREATE TABLE
drop extension citext;
--| ERROR:  2BP01: cannot drop extension citext because other objects depend on it
--| DETAIL:  column a of table c depends on type citext
--| default value for column e of table c depends on type citext
--| view v depends on type citext
--| type dd depends on type citext
--| column x of table c2 depends on type dd
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop extension citext cascade;
--| NOTICE:  drop cascades to 5 other objects
--| DETAIL:  drop cascades to column a of table c
--| drop cascades to default value for column e of table c
--| drop cascades to view v
--| drop cascades to type dd
--| drop cascades to column x of table c2
--| DROP EXTENSION
select attrelid::regclass, attname, atthasdef from pg_attribute where attrelid in ('c'::regclass, 'c2'::regclass) and attnum > 0 and not attisdropped order by 1, 2;
--|  attrelid | attname | atthasdef
--| ----------+---------+-----------
--|  c        | b       | f
--|  c        | e       | f
--|  c2       | y       | f
--| (3 rows)
select count(*) from pg_class where relname in ('ci', 'v');
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from pg_type where typname = 'dd';
--|  count
--| -------
--|      0
--| (1 row)
create extension hstore;
--| CREATE EXTENSION
create table h (a hstore, b text, c int check (c > 0));
--| CREATE TABLE
create index hi on h using gin (a);
--| CREATE INDEX
create index hj on h ((b::hstore -> 'a'));
--| CREATE INDEX
create view hv as select 'a=>1'::hstore as x;
--| CREATE VIEW
drop extension hstore cascade;
--| NOTICE:  drop cascades to 3 other objects
--| DETAIL:  drop cascades to column a of table h
--| drop cascades to index hj
--| drop cascades to view hv
--| DROP EXTENSION
select attname from pg_attribute where attrelid = 'h'::regclass and attnum > 0 and not attisdropped order by 1;
--|  attname
--| ---------
--|  b
--|  c
--| (2 rows)
select count(*) from pg_class where relname in ('hi', 'hj', 'hv');
--|  count
--| -------
--|      0
--| (1 row)
create extension pg_trgm;
--| CREATE EXTENSION
create table tg (a text);
--| CREATE TABLE
create index tgi on tg using gin (a gin_trgm_ops);
--| CREATE INDEX
drop extension pg_trgm cascade;
--| NOTICE:  drop cascades to index tgi
--| DROP EXTENSION
create extension "uuid-ossp";
--| CREATE EXTENSION
create table u (id uuid default uuid_generate_v4(), g uuid generated always as (uuid_generate_v5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'a')) stored, b int check (uuid_generate_v4() is not null));
--| CREATE TABLE
create materialized view um as select uuid_generate_v1() as x;
--| SELECT 1
drop extension "uuid-ossp" cascade;
--| NOTICE:  drop cascades to 4 other objects
--| DETAIL:  drop cascades to column g of table u
--| drop cascades to constraint u_check on table u
--| drop cascades to materialized view um
--| drop cascades to default value for column id of table u
--| DROP EXTENSION
select attname, atthasdef from pg_attribute where attrelid = 'u'::regclass and attnum > 0 and not attisdropped order by 1;
--|  attname | atthasdef
--| ---------+-----------
--|  b       | f
--|  id      | f
--| (2 rows)
select count(*) from pg_constraint where conrelid = 'u'::regclass;
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from pg_class where relname = 'um';
--|  count
--| -------
--|      0
--| (1 row)
create extension hstore;
--| CREATE EXTENSION
create type with_it as (a int, h hstore);
--| CREATE TYPE
drop extension hstore cascade;
--| ERROR:  0A000: DROP EXTENSION CASCADE of the type of column h of composite type with_it is not supported
