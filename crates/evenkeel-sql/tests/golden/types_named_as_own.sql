-- Types of users that are called as PostgreSQL's own: these come first where there is no schema.

create schema app;
--| CREATE SCHEMA
set search_path = app, public;
--| SET
create type public.date as enum ('a', 'b');
--| CREATE TYPE
create domain app.text as int;
--| CREATE DOMAIN
create type public.json as (x int);
--| CREATE TYPE
create table named (a public.date default 'a', b app.text default 5, c public.date[], d date, e text, f public.json, g app.text[], check (a <> 'b'));
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod), pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum where attrelid = 'named'::regclass and attnum > 0 order by attnum;
--|  attname |  format_type  |   pg_get_expr
--| ---------+---------------+------------------
--|  a       | public.date   | 'a'::public.date
--|  b       | app.text      | 5
--|  c       | public.date[] |
--|  d       | date          |
--|  e       | text          |
--|  f       | public."json" |
--|  g       | app.text[]    |
--| (7 rows)
select pg_get_constraintdef(oid), pg_get_expr(conbin, conrelid) from pg_constraint where conrelid = 'named'::regclass;
--|       pg_get_constraintdef       |       pg_get_expr
--| ---------------------------------+-------------------------
--|  CHECK ((a <> 'b'::public.date)) | (a <> 'b'::public.date)
--| (1 row)
select typname, oid::regtype, pg_type_is_visible(oid) from pg_type where typnamespace in ('app'::regnamespace, 'public'::regnamespace) order by typname, 2::text;
--|  typname |       oid       | pg_type_is_visible
--| ---------+-----------------+--------------------
--|  _date   | public.date[]   | f
--|  _json   | public."json"[] | f
--|  _named  | named[]         | t
--|  _text   | app.text[]      | f
--|  date    | public.date     | f
--|  json    | public."json"   | f
--|  named   | named           | t
--|  text    | app.text        | f
--| (8 rows)
select 'date'::regtype, 'public.date'::regtype, 'app.text'::regtype, 'text'::regtype, 'public.date[]'::regtype, to_regtype('app.date'), to_regtype('pg_catalog.text');
--|  regtype |   regtype   | regtype  | regtype |    regtype    | to_regtype | to_regtype
--| ---------+-------------+----------+---------+---------------+------------+------------
--|  date    | public.date | app.text | text    | public.date[] |            | text
--| (1 row)
select 'public.text'::regtype;
--| ERROR:  42704: type "public.text" does not exist
create view named_view as select a, 'b'::public.date as x, '{a}'::public.date[] as y, '2020-01-01'::date as z, b + 1 as w from named where a = 'a';
--| CREATE VIEW
select pg_get_viewdef('named_view');
--|          pg_get_viewdef
--| ---------------------------------
--|   SELECT a,                     +
--|      'b'::public.date AS x,     +
--|      '{a}'::public.date[] AS y, +
--|      '2020-01-01'::date AS z,   +
--|      ((b)::integer + 1) AS w    +
--|     FROM named                  +
--|    WHERE (a = 'a'::public.date);
--| (1 row)
insert into named default values;
--| INSERT 0 1
select pg_typeof(a), pg_typeof(c), pg_typeof(d), pg_typeof(b) from named;
--|   pg_typeof  |   pg_typeof   | pg_typeof | pg_typeof
--| -------------+---------------+-----------+-----------
--|  public.date | public.date[] | date      | app.text
--| (1 row)
table named_view;
--|  a | x |  y  |     z      | w
--| ---+---+-----+------------+---
--|  a | b | {a} | 2020-01-01 | 6
--| (1 row)
-- names that are none
select to_regclass('foo bar'), to_regclass(''), to_regclass('"unclosed'), to_regnamespace('a.b'), to_regrole('a b'), to_regproc('foo bar');
--|  to_regclass | to_regclass | to_regclass | to_regnamespace | to_regrole | to_regproc
--| -------------+-------------+-------------+-----------------+------------+------------
--|              |             |             |                 |            |
--| (1 row)
select to_regclass('a.b.c.d');
--| ERROR:  42601: improper relation name (too many dotted names): a.b.c.d
select 'a.b'::regnamespace;
--| ERROR:  42602: invalid name syntax
select '+5'::regclass;
--| ERROR:  42P01: relation "+5" does not exist
reset search_path;
--| RESET
