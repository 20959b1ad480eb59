-- Temporary tables, sequences and views.

create table t (a int);
--| CREATE TABLE
insert into t values (1);
--| INSERT 0 1
select pg_my_temp_schema() = 0 as none, current_schemas(true);
--|  none |   current_schemas
--| ------+---------------------
--|  t    | {pg_catalog,public}
--| (1 row)
create temp table t (a int primary key, b text default 'x', c serial, d int generated always as (a * 2) stored);
--| CREATE TABLE
insert into t (a) values (5), (6) returning *;
--|  a | b | c | d
--| ---+---+---+----
--|  5 | x | 1 | 10
--|  6 | x | 2 | 12
--| (2 rows)
--| INSERT 0 2
select * from public.t;
--|  a
--| ---
--|  1
--| (1 row)
select * from pg_temp.t order by a;
--|  a | b | c | d
--| ---+---+---+----
--|  5 | x | 1 | 10
--|  6 | x | 2 | 12
--| (2 rows)
select pg_my_temp_schema()::regnamespace::text ~ '^pg_temp_\d+$' as named, current_schemas(true)::text ~ '^\{pg_temp_\d+,pg_catalog,public\}$' as path, current_schemas(false), current_schema();
--|  named | path | current_schemas | current_schema
--| -------+------+-----------------+----------------
--|  t     | t    | {public}        | public
--| (1 row)
select relname, relpersistence, relnamespace = pg_my_temp_schema() as own from pg_class where relname in ('t', 't_pkey', 't_c_seq') order by 1, 2;
--|  relname | relpersistence | own
--| ---------+----------------+-----
--|  t       | p              | f
--|  t       | t              | t
--|  t_c_seq | t              | t
--|  t_pkey  | t              | t
--| (4 rows)
select 't'::regclass, 'pg_temp.t'::regclass, 'public.t'::regclass;
--|  regclass | regclass | regclass
--| ----------+----------+----------
--|  t        | t        | public.t
--| (1 row)
select pg_table_is_visible('public.t'::regclass), pg_table_is_visible('t'::regclass);
--|  pg_table_is_visible | pg_table_is_visible
--| ---------------------+---------------------
--|  f                   | t
--| (1 row)
select table_type, commit_action from information_schema.tables where table_name = 't' order by 1;
--|    table_type    | commit_action
--| -----------------+---------------
--|  BASE TABLE      |
--|  LOCAL TEMPORARY |
--| (2 rows)
create temp table t (b int);
--| ERROR:  42P07: relation "t" already exists
create temp table if not exists t (b int);
--| NOTICE:  relation "t" already exists, skipping
--| CREATE TABLE
create temporary table public.u (a int);
--| ERROR:  42P16: cannot create temporary relation in non-temporary schema
create temp table pg_temp.u (a int);
--| CREATE TABLE
create table pg_temp.v (a int);
--| CREATE TABLE
select relname, relpersistence from pg_class where relname in ('u', 'v') order by 1;
--|  relname | relpersistence
--| ---------+----------------
--|  u       | t
--|  v       | t
--| (2 rows)
create table pg_temp_99.v (a int);
--| ERROR:  3F000: schema "pg_temp_99" does not exist
create unlogged table pg_temp.w (a int);
--| ERROR:  42P16: only temporary relations may be created in temporary schemas
create table w (a int) on commit drop;
--| ERROR:  42P16: ON COMMIT can only be used on temporary tables
alter table u set schema public;
--| ERROR:  0A000: cannot move objects into or out of temporary schemas
alter table public.t set schema pg_temp;
--| ERROR:  0A000: cannot move objects into or out of temporary schemas
alter table u set unlogged;
--| ERROR:  42P16: cannot change logged status of table "u" because it is temporary
alter table u rename to u2;
--| ALTER TABLE
drop table u2, pg_temp.v;
--| DROP TABLE
drop table t;
--| DROP TABLE
select * from t;
--|  a
--| ---
--|  1
--| (1 row)
-- ON COMMIT.
create temp table od (a int) on commit drop;
--| CREATE TABLE
select * from od;
--| ERROR:  42P01: relation "od" does not exist
begin;
--| BEGIN
create temp table od (a int) on commit drop;
--| CREATE TABLE
create temp table oe (a int primary key, b serial) on commit delete rows;
--| CREATE TABLE
create temp table op (a int) on commit preserve rows;
--| CREATE TABLE
insert into od values (1);
--| INSERT 0 1
insert into oe values (1), (2);
--| INSERT 0 2
insert into op values (1);
--| INSERT 0 1
select count(*) from oe;
--|  count
--| -------
--|      2
--| (1 row)
commit;
--| COMMIT
select * from od;
--| ERROR:  42P01: relation "od" does not exist
select * from oe;
--|  a | b
--| ---+---
--| (0 rows)
select * from op;
--|  a
--| ---
--|  1
--| (1 row)
insert into oe values (1);
--| INSERT 0 1
select * from oe;
--|  a | b
--| ---+---
--| (0 rows)
begin;
--| BEGIN
insert into oe values (1) returning a;
--|  a
--| ---
--|  1
--| (1 row)
--| INSERT 0 1
savepoint s;
--| SAVEPOINT
insert into oe values (2);
--| INSERT 0 1
rollback to s;
--| ROLLBACK
select a from oe;
--|  a
--| ---
--|  1
--| (1 row)
commit;
--| COMMIT
select a from oe;
--|  a
--| ---
--| (0 rows)
begin;
--| BEGIN
create temp table gone (a int) on commit delete rows;
--| CREATE TABLE
rollback;
--| ROLLBACK
select * from gone;
--| ERROR:  42P01: relation "gone" does not exist
-- CREATE TABLE AS, SELECT INTO, LIKE.
create temp table ta as select 1 as a, 'x' as b;
--| SELECT 1
create temp table tb (k) on commit delete rows as select generate_series(1, 3);
--| SELECT 3
select * from ta;
--|  a | b
--| ---+---
--|  1 | x
--| (1 row)
select * from tb;
--|  k
--| ---
--| (0 rows)
select a into temp tc from ta;
--| SELECT 1
select * from tc;
--|  a
--| ---
--|  1
--| (1 row)
create temp table td (like ta including all, c int);
--| CREATE TABLE
create temp table if not exists ta as select 2;
--| NOTICE:  relation "ta" already exists, skipping
--| CREATE TABLE AS
begin;
--| BEGIN
create temp table te on commit drop as select 7 as a;
--| SELECT 1
select * from te;
--|  a
--| ---
--|  7
--| (1 row)
commit;
--| COMMIT
select * from te;
--| ERROR:  42P01: relation "te" does not exist
-- Sequences.
create temp sequence ts start 5;
--| CREATE SEQUENCE
create temporary sequence if not exists ts;
--| NOTICE:  relation "ts" already exists, skipping
--| CREATE SEQUENCE
select nextval('ts'), nextval('pg_temp.ts');
--|  nextval | nextval
--| ---------+---------
--|        5 |       6
--| (1 row)
select relpersistence from pg_class where relname = 'ts';
--|  relpersistence
--| ----------------
--|  t
--| (1 row)
drop sequence ts;
--| DROP SEQUENCE
-- Views.
create view tv as select a from ta;
--| NOTICE:  view "tv" will be a temporary view
--| CREATE VIEW
create temp view tw as select 1 as one;
--| CREATE VIEW
create or replace temp view tw as select 1 as one, 2 as two;
--| CREATE VIEW
select * from tv, tw;
--|  a | one | two
--| ---+-----+-----
--|  1 |   1 |   2
--| (1 row)
select relname, relpersistence, relkind from pg_class where relname in ('tv', 'tw') order by 1;
--|  relname | relpersistence | relkind
--| ---------+----------------+---------
--|  tv      | t              | v
--|  tw      | t              | v
--| (2 rows)
create materialized view tm as select * from ta;
--| ERROR:  0A000: materialized views must not use temporary tables or views
create view public.tx as select * from ta;
--| NOTICE:  view "tx" will be a temporary view
--| ERROR:  42P16: cannot create temporary relation in non-temporary schema
drop table ta;
--| ERROR:  2BP01: cannot drop table ta because other objects depend on it
--| DETAIL:  view tv depends on table ta
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop table ta cascade;
--| NOTICE:  drop cascades to view tv
--| DROP TABLE
-- Keys between tables of different kinds.
create table perm (a int primary key);
--| CREATE TABLE
create temp table temp1 (a int primary key references perm);
--| ERROR:  42P16: constraints on temporary tables may reference only temporary tables
create temp table temp1 (a int primary key);
--| CREATE TABLE
create temp table temp2 (a int references temp1);
--| CREATE TABLE
create table perm2 (a int references temp1);
--| ERROR:  42P16: constraints on permanent tables may reference only permanent tables
create unlogged table unl (a int primary key references perm);
--| CREATE TABLE
create table perm2 (a int references unl);
--| ERROR:  42P16: constraints on permanent tables may reference only permanent tables
create unlogged table unl2 (a int references temp1);
--| ERROR:  42P16: constraints on unlogged tables may reference only permanent or unlogged tables
create temp table temp3 (a int references unl);
--| ERROR:  42P16: constraints on temporary tables may reference only temporary tables
select relname, relpersistence from pg_class where relname like 'unl%' order by 1;
--|  relname  | relpersistence
--| ----------+----------------
--|  unl      | u
--|  unl_pkey | u
--| (2 rows)
alter table unl drop constraint unl_a_fkey;
--| ALTER TABLE
alter table unl set logged;
--| ALTER TABLE
select relname, relpersistence from pg_class where relname like 'unl%' order by 1;
--|  relname  | relpersistence
--| ----------+----------------
--|  unl      | p
--|  unl_pkey | p
--| (2 rows)
-- The place of pg_temp in the path.
set search_path = public, pg_temp;
--| SET
create temp table t (x int);
--| CREATE TABLE
insert into pg_temp.t values (9);
--| INSERT 0 1
select * from t;
--|  a
--| ---
--|  1
--| (1 row)
select current_schemas(true)::text ~ '^\{pg_catalog,public,pg_temp_\d+\}$';
--|  ?column?
--| ----------
--|  t
--| (1 row)
set search_path = pg_temp, public;
--| SET
create table here (a int);
--| CREATE TABLE
select relpersistence from pg_class where relname = 'here';
--|  relpersistence
--| ----------------
--|  t
--| (1 row)
select * from t;
--|  x
--| ---
--|  9
--| (1 row)
reset search_path;
--| RESET
-- Read-only transactions may write them.
begin read only;
--| BEGIN
insert into pg_temp.t values (10);
--| INSERT 0 1
select * from t order by 1;
--|  x
--| ----
--|   9
--|  10
--| (2 rows)
insert into public.t values (1);
--| ERROR:  25006: cannot execute INSERT in a read-only transaction
rollback;
--| ROLLBACK
begin read only;
--| BEGIN
create temp table ro (a int);
--| ERROR:  25006: cannot execute CREATE TABLE in a read-only transaction
rollback;
--| ROLLBACK
-- Others do not see them.
-- session other
select * from t;
--|  a
--| ---
--|  1
--| (1 row)
select * from here;
--| ERROR:  42P01: relation "here" does not exist
create temp table t (y text);
--| CREATE TABLE
insert into t values ('mine');
--| INSERT 0 1
select * from t;
--|   y
--| ------
--|  mine
--| (1 row)
select count(distinct relnamespace) from pg_class where relname = 't' and relpersistence = 't';
--|  count
--| -------
--|      2
--| (1 row)
select count(*) from pg_namespace where pg_is_other_temp_schema(oid);
--|  count
--| -------
--|      1
--| (1 row)
discard temp;
--| DISCARD TEMP
select * from t;
--|  a
--| ---
--|  1
--| (1 row)
-- session main
select * from t;
--|  x
--| ---
--|  9
--| (1 row)
discard temp;
--| DISCARD TEMP
select * from t;
--|  a
--| ---
--|  1
--| (1 row)
select count(*) from pg_class where relpersistence = 't';
--|  count
--| -------
--|      0
--| (1 row)
create temp table again (a int);
--| CREATE TABLE
insert into again values (1) returning *;
--|  a
--| ---
--|  1
--| (1 row)
--| INSERT 0 1
begin;
--| BEGIN
insert into again values (2);
--| INSERT 0 1
truncate again;
--| TRUNCATE TABLE
select * from again;
--|  a
--| ---
--| (0 rows)
rollback;
--| ROLLBACK
select * from again;
--|  a
--| ---
--|  1
--| (1 row)
create index on again (a);
--| CREATE INDEX
alter table again add column b int default 3;
--| ALTER TABLE
analyze again;
--| ANALYZE
vacuum again;
--| VACUUM
select * from again;
--|  a | b
--| ---+---
--|  1 | 3
--| (1 row)
discard all;
--| DISCARD ALL
select * from again;
--| ERROR:  42P01: relation "again" does not exist
begin;
--| BEGIN
create temp table rolled (a int);
--| CREATE TABLE
rollback;
--| ROLLBACK
create temp table rolled (a int);
--| CREATE TABLE
insert into rolled values (1) returning *;
--|  a
--| ---
--|  1
--| (1 row)
--| INSERT 0 1
