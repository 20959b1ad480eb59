-- Objects by their catalogs and OIDs, as kinds and names; those that are there have addresses.
create schema s;
--| CREATE SCHEMA
create table s.t (a int primary key default 1, "B" text constraint filled check ("B" <> ''));
--| CREATE TABLE
create view s.v as select 1 as x;
--| CREATE VIEW
create index i on s.t ("B");
--| CREATE INDEX
create sequence s.q;
--| CREATE SEQUENCE
create type s.e as enum ('a');
--| CREATE TYPE
create domain s.d as int constraint positive check (value > 0);
--| CREATE DOMAIN
create type s.c as (a int);
--| CREATE TYPE
create materialized view mv as select 1 as x;
--| SELECT 1
create view objects as
  select 'pg_class'::regclass::oid as class, c.oid, 0 as part from pg_class c where c.relname in ('t', 'v', 'i', 'q', 'mv', 't_pkey', 'pg_class') and (c.relnamespace = 's'::regnamespace or c.relname in ('mv', 'pg_class'))
  union all select 'pg_class'::regclass, 's.t'::regclass, n from generate_series(1, 2) n
  union all select 'pg_type'::regclass, t, 0 from unnest(array['s.e', 's.d', 'int4', 'int4[]', 'text', 'timestamptz', 's.t', 's.c']::regtype[]) t
  union all select 'pg_namespace'::regclass, 's'::regnamespace, 0
  union all select 'pg_attrdef'::regclass, oid, 0 from pg_attrdef where adrelid = 's.t'::regclass
  union all select 'pg_constraint'::regclass, oid, 0 from pg_constraint where conname in ('t_pkey', 'filled', 'positive')
  union all select 'pg_cast'::regclass, oid, 0 from pg_cast where castsource = 'int8'::regtype and casttarget = 'int4'::regtype;
--| CREATE VIEW
select i.*, a.object_names, a.object_args, a.type = i.type as same, (g.classid, g.objid, g.objsubid) = (o.class, o.oid, o.part) as found
  from objects o, pg_identify_object(o.class, o.oid, o.part) i, pg_identify_object_as_address(o.class, o.oid, o.part) a, pg_get_object_address(a.type, a.object_names, a.object_args) g order by 1, 4;
--|        type        |   schema   |    name     |         identity         |         object_names         | object_args | same | found
--| -------------------+------------+-------------+--------------------------+------------------------------+-------------+------+-------
--|  cast              |            |             | (bigint AS integer)      | {bigint}                     | {integer}   | t    | t
--|  default value     |            |             | for s.t.a                | {s,t,a}                      | {}          | t    | t
--|  domain constraint | s          |             | positive on s.d          | {s.d}                        | {positive}  | t    | t
--|  index             | s          | i           | s.i                      | {s,i}                        | {}          | t    | t
--|  index             | s          | t_pkey      | s.t_pkey                 | {s,t_pkey}                   | {}          | t    | t
--|  materialized view | public     | mv          | public.mv                | {public,mv}                  | {}          | t    | t
--|  schema            |            | s           | s                        | {s}                          | {}          | t    | t
--|  sequence          | s          | q           | s.q                      | {s,q}                        | {}          | t    | t
--|  table             | pg_catalog | pg_class    | pg_catalog.pg_class      | {pg_catalog,pg_class}        | {}          | t    | t
--|  table             | s          | t           | s.t                      | {s,t}                        | {}          | t    | t
--|  table column      | s          | t           | s.t."B"                  | {s,t,B}                      | {}          | t    | t
--|  table column      | s          | t           | s.t.a                    | {s,t,a}                      | {}          | t    | t
--|  table constraint  | s          |             | filled on s.t            | {s,t,filled}                 | {}          | t    | t
--|  table constraint  | s          |             | t_pkey on s.t            | {s,t,t_pkey}                 | {}          | t    | t
--|  type              | pg_catalog | int4        | integer                  | {integer}                    | {}          | t    | t
--|  type              | pg_catalog | _int4       | integer[]                | {integer[]}                  | {}          | t    | t
--|  type              | pg_catalog | text        | pg_catalog.text          | {pg_catalog.text}            | {}          | t    | t
--|  type              | s          | c           | s.c                      | {s.c}                        | {}          | t    | t
--|  type              | s          | d           | s.d                      | {s.d}                        | {}          | t    | t
--|  type              | s          | e           | s.e                      | {s.e}                        | {}          | t    | t
--|  type              | s          | t           | s.t                      | {s.t}                        | {}          | t    | t
--|  type              | pg_catalog | timestamptz | timestamp with time zone | {"timestamp with time zone"} | {}          | t    | t
--|  view              | s          | v           | s.v                      | {s,v}                        | {}          | t    | t
--| (23 rows)
select * from pg_identify_object('pg_proc'::regclass, 'lower(text)'::regprocedure, 0);
--|    type   |   schema   | name |             identity
--| ----------+------------+------+-----------------------------------
--|  function | pg_catalog |      | pg_catalog.lower(pg_catalog.text)
--| (1 row)
select * from pg_identify_object_as_address('pg_proc'::regclass, 'substr(text,int,int)'::regprocedure, 0);
--|    type   |    object_names     |            object_args
--| ----------+---------------------+-----------------------------------
--|  function | {pg_catalog,substr} | {pg_catalog.text,integer,integer}
--| (1 row)
select * from pg_identify_object('pg_class'::regclass, 1, 0);
--|    type   | schema | name | identity
--| ----------+--------+------+----------
--|  relation |        |      |
--| (1 row)
select * from pg_identify_object('pg_class'::regclass, 's.t'::regclass, 9);
--|      type     | schema | name | identity
--| --------------+--------+------+----------
--|  table column |        |      |
--| (1 row)
select * from pg_identify_object_as_address('pg_type'::regclass, 1, 0);
--|  type | object_names | object_args
--| ------+--------------+-------------
--|  type |              |
--| (1 row)
select * from pg_identify_object(99999, 1, 0);
--| ERROR:  XX000: unsupported object class: 99999
select i.* from pg_class c, pg_identify_object('pg_class'::regclass, c.oid, 0) i where c.relname = 'c' and c.relnamespace = 's'::regnamespace;
--|       type      | schema | name | identity
--| ----------------+--------+------+----------
--|  composite type | s      | c    | s.c
--| (1 row)
