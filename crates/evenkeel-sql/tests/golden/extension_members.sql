-- What rests on functions of extensions, what extensions have, and how objects are told: PostgreSQL lists the same in another order.
create extension "uuid-ossp";
--| CREATE EXTENSION
create table u (id uuid default uuid_generate_v4(), n uuid default public.uuid_nil(), k int);
--| CREATE TABLE
create view uv as select uuid_generate_v5(uuid_ns_dns(), k::text) as w from u;
--| CREATE VIEW
drop extension "uuid-ossp";
--| ERROR:  2BP01: cannot drop extension uuid-ossp because other objects depend on it
--| DETAIL:  view uv depends on function uuid_generate_v5(uuid,text)
--| default value for column id of table u depends on function uuid_generate_v4()
--| default value for column n of table u depends on function uuid_nil()
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop view uv;
--| DROP VIEW
create index on u (uuid_generate_v5(id, 'x'));
--| CREATE INDEX
alter table u add check (id <> uuid_nil());
--| ALTER TABLE
alter table u add constraint "Odd one" check (k > 0 or id <> uuid_nil());
--| ALTER TABLE
alter table u add g uuid generated always as (uuid_generate_v5(id, 'x')) stored;
--| ALTER TABLE
drop extension "uuid-ossp";
--| ERROR:  2BP01: cannot drop extension uuid-ossp because other objects depend on it
--| DETAIL:  column g of table u depends on function uuid_generate_v5(uuid,text)
--| constraint u_id_check on table u depends on function uuid_nil()
--| constraint Odd one on table u depends on function uuid_nil()
--| index u_uuid_generate_v5_idx depends on function uuid_generate_v5(uuid,text)
--| default value for column id of table u depends on function uuid_generate_v4()
--| default value for column n of table u depends on function uuid_nil()
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop index u_uuid_generate_v5_idx;
--| DROP INDEX
alter table u drop constraint u_id_check;
--| ALTER TABLE
alter table u drop constraint "Odd one";
--| ALTER TABLE
alter table u drop g;
--| ALTER TABLE
drop extension if exists "uuid-ossp";
--| ERROR:  2BP01: cannot drop extension uuid-ossp because other objects depend on it
--| DETAIL:  default value for column id of table u depends on function uuid_generate_v4()
--| default value for column n of table u depends on function uuid_nil()
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop extension "uuid-ossp" cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to default value for column id of table u
--| drop cascades to default value for column n of table u
--| DROP EXTENSION
select column_name, column_default from information_schema.columns where table_name = 'u' order by ordinal_position;
--|  column_name | column_default
--| -------------+----------------
--|  id          |
--|  n           |
--|  k           |
--| (3 rows)
create extension "uuid-ossp";
--| CREATE EXTENSION
create table "Odd table" ("Odd column" uuid default uuid_generate_v1());
--| CREATE TABLE
drop extension "uuid-ossp" restrict;
--| ERROR:  2BP01: cannot drop extension uuid-ossp because other objects depend on it
--| DETAIL:  default value for column Odd column of table "Odd table" depends on function uuid_generate_v1()
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop extension "uuid-ossp" cascade;
--| NOTICE:  drop cascades to default value for column Odd column of table "Odd table"
--| DROP EXTENSION
create extension pgcrypto;
--| CREATE EXTENSION
create table p (a bytea default gen_random_bytes(8), b uuid default gen_random_uuid(), c text default 'digest(''x'')');
--| CREATE TABLE
drop extension pgcrypto;
--| ERROR:  2BP01: cannot drop extension pgcrypto because other objects depend on it
--| DETAIL:  default value for column a of table p depends on function gen_random_bytes(integer)
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop extension pgcrypto cascade;
--| NOTICE:  drop cascades to default value for column a of table p
--| DROP EXTENSION
create extension pg_trgm;
--| CREATE EXTENSION
create table w (a text, b real default similarity('a', 'b'));
--| CREATE TABLE
create index on w using gin (a gin_trgm_ops);
--| CREATE INDEX
drop extension pg_trgm;
--| ERROR:  2BP01: cannot drop extension pg_trgm because other objects depend on it
--| DETAIL:  index w_a_idx depends on operator class gin_trgm_ops for access method gin
--| default value for column b of table w depends on function similarity(text,text)
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
select pg_describe_object('pg_class'::regclass, 'w'::regclass, 0);
--|  pg_describe_object
--| --------------------
--|  table w
--| (1 row)
select pg_describe_object('pg_class'::regclass, 'w'::regclass, 2);
--|  pg_describe_object
--| ---------------------
--|  column b of table w
--| (1 row)
select pg_describe_object('pg_class'::regclass, 'w'::regclass, 20);
--|  pg_describe_object
--| --------------------
--|
--| (1 row)
select pg_describe_object('pg_class'::regclass, 'w_a_idx'::regclass, 0);
--|  pg_describe_object
--| --------------------
--|  index w_a_idx
--| (1 row)
select pg_describe_object('pg_class'::regclass, 0, 0);
--|  pg_describe_object
--| --------------------
--|
--| (1 row)
select pg_describe_object('pg_class'::regclass, 4444444, 0);
--|  pg_describe_object
--| --------------------
--|
--| (1 row)
select pg_describe_object('pg_type'::regclass, 'int'::regtype, 0), pg_describe_object('pg_type'::regclass, 'varchar[]'::regtype, 0);
--|  pg_describe_object |    pg_describe_object
--| --------------------+--------------------------
--|  type integer       | type character varying[]
--| (1 row)
select pg_describe_object('pg_proc'::regclass, 'similarity(text,text)'::regprocedure, 0), pg_describe_object('pg_proc'::regclass, 'lower(text)'::regprocedure, 0);
--|        pg_describe_object       |  pg_describe_object
--| --------------------------------+----------------------
--|  function similarity(text,text) | function lower(text)
--| (1 row)
select pg_describe_object('pg_operator'::regclass, '+(int,int)'::regoperator, 0);
--|      pg_describe_object
--| -----------------------------
--|  operator +(integer,integer)
--| (1 row)
select pg_describe_object('pg_namespace'::regclass, 'public'::regnamespace, 0);
--|  pg_describe_object
--| --------------------
--|  schema public
--| (1 row)
select pg_describe_object('pg_authid'::regclass, 10, 0);
--|  pg_describe_object
--| --------------------
--|  role postgres
--| (1 row)
select pg_describe_object('pg_database'::regclass, (select oid from pg_database where datname = 'postgres'), 0);
--|  pg_describe_object
--| --------------------
--|
--| (1 row)
select pg_describe_object('pg_extension'::regclass, (select oid from pg_extension where extname = 'pg_trgm'), 0);
--|  pg_describe_object
--| --------------------
--|  extension pg_trgm
--| (1 row)
select pg_describe_object('pg_attrdef'::regclass, (select oid from pg_attrdef where adrelid = 'w'::regclass), 0);
--|           pg_describe_object
--| ---------------------------------------
--|  default value for column b of table w
--| (1 row)
select pg_describe_object('pg_opclass'::regclass, (select oid from pg_opclass where opcname = 'gin_trgm_ops'), 0);
--|                 pg_describe_object
--| ---------------------------------------------------
--|  operator class gin_trgm_ops for access method gin
--| (1 row)
select pg_describe_object('pg_opfamily'::regclass, (select oid from pg_opfamily where opfname = 'gin_trgm_ops'), 0);
--|                  pg_describe_object
--| ----------------------------------------------------
--|  operator family gin_trgm_ops for access method gin
--| (1 row)
select pg_describe_object('pg_collation'::regclass, (select oid from pg_collation where collname = 'C'), 0);
--|  pg_describe_object
--| --------------------
--|  collation "C"
--| (1 row)
select pg_describe_object('pg_am'::regclass, (select oid from pg_am where amname = 'btree'), 0);
--|  pg_describe_object
--| ---------------------
--|  access method btree
--| (1 row)
select pg_describe_object('pg_cast'::regclass, (select oid from pg_cast where castsource = 'int'::regtype and casttarget = 'text'::regtype), 0);
--|  pg_describe_object
--| --------------------
--|
--| (1 row)
select pg_describe_object('pg_cast'::regclass, (select oid from pg_cast where castsource = 'int'::regtype and casttarget = 'int8'::regtype), 0);
--|      pg_describe_object
--| -----------------------------
--|  cast from integer to bigint
--| (1 row)
select pg_describe_object('pg_am'::regclass, 0, 0);
--|  pg_describe_object
--| --------------------
--|
--| (1 row)
select pg_describe_object(4444::oid, 4, 0);
--| ERROR:  XX000: unsupported object class: 4444
select pg_describe_object(null, 4, 0);
--|  pg_describe_object
--| --------------------
--|
--| (1 row)
create schema s2; create type s2.e as enum ('a'); create sequence s2.sq; create view s2.v as select 1 as a; create materialized view s2.m as select 1 as a; create domain s2.d as int constraint pos check (value > 0); create type s2.c as (a int, b text); create table s2.t (a int primary key, b int references s2.t);
--| CREATE SCHEMA
--| CREATE TYPE
--| CREATE SEQUENCE
--| CREATE VIEW
--| SELECT 1
--| CREATE DOMAIN
--| CREATE TYPE
--| CREATE TABLE
select classid::regclass, case when classid = 'pg_class'::regclass or classid = 'pg_type'::regclass then pg_describe_object(classid, objid, objsubid) end from (select 'pg_class'::regclass::oid as classid, oid as objid, 0 as objsubid from pg_class where relnamespace = 's2'::regnamespace union all select 'pg_type'::regclass, oid, 0 from pg_type where typnamespace = 's2'::regnamespace) x order by 1, 2;
--|  classid  |          case
--| ----------+------------------------
--|  pg_type  | type s2.c
--|  pg_type  | type s2.c[]
--|  pg_type  | type s2.d
--|  pg_type  | type s2.d[]
--|  pg_type  | type s2.e
--|  pg_type  | type s2.e[]
--|  pg_type  | type s2.m
--|  pg_type  | type s2.m[]
--|  pg_type  | type s2.t
--|  pg_type  | type s2.t[]
--|  pg_type  | type s2.v
--|  pg_type  | type s2.v[]
--|  pg_class | composite type s2.c
--|  pg_class | index s2.t_pkey
--|  pg_class | materialized view s2.m
--|  pg_class | sequence s2.sq
--|  pg_class | table s2.t
--|  pg_class | view s2.v
--| (18 rows)
select pg_describe_object('pg_constraint'::regclass, oid, 0) from pg_constraint where connamespace = 's2'::regnamespace order by 1;
--|           pg_describe_object
--| ---------------------------------------
--|  constraint pos
--|  constraint t_a_not_null on table s2.t
--|  constraint t_b_fkey on table s2.t
--|  constraint t_pkey on table s2.t
--| (4 rows)
select pg_describe_object('pg_rewrite'::regclass, oid, 0) from pg_rewrite where ev_class = 's2.v'::regclass;
--|     pg_describe_object
--| ---------------------------
--|  rule _RETURN on view s2.v
--| (1 row)
select pg_describe_object('pg_class'::regclass, 's2.v'::regclass, 1), pg_describe_object('pg_class'::regclass, oid, 2) from pg_class where relname = 'c';
--|   pg_describe_object   |       pg_describe_object
--| -----------------------+---------------------------------
--|  column a of view s2.v | column b of composite type s2.c
--| (1 row)
set search_path = s2, public;
--| SET
select pg_describe_object('pg_class'::regclass, 's2.v'::regclass, 1), pg_describe_object('pg_type'::regclass, 's2.e'::regtype, 0), pg_describe_object('pg_constraint'::regclass, (select oid from pg_constraint where conname = 't_pkey'), 0);
--|  pg_describe_object | pg_describe_object |      pg_describe_object
--| --------------------+--------------------+------------------------------
--|  column a of view v | type e             | constraint t_pkey on table t
--| (1 row)
reset search_path;
--| RESET
select count(*) > 5 from pg_depend where deptype = 'e' and refobjid = (select oid from pg_extension where extname = 'pg_trgm') and classid = 'pg_proc'::regclass;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select pg_describe_object(classid, objid, objsubid) from pg_depend where deptype = 'e' and refobjid = (select oid from pg_extension where extname = 'pg_trgm') and classid = 'pg_operator'::regclass order by 1;
--|     pg_describe_object
--| ---------------------------
--|  operator %(text,text)
--|  operator %>(text,text)
--|  operator %>>(text,text)
--|  operator <%(text,text)
--|  operator <->(text,text)
--|  operator <->>(text,text)
--|  operator <->>>(text,text)
--|  operator <<%(text,text)
--|  operator <<->(text,text)
--|  operator <<<->(text,text)
--| (10 rows)
