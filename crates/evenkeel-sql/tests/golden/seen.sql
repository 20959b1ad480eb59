-- What information_schema and pg_stats show to whom.
create role sees login;
--| CREATE ROLE
create role sees_view login;
--| CREATE ROLE
create schema sx;
--| CREATE SCHEMA
create type sx.en as enum ('a', 'b');
--| CREATE TYPE
create domain sx.dm as int constraint cdm check (value > 0);
--| CREATE DOMAIN
create table sx.par (id int primary key, x text check (x <> ''), d sx.dm, e sx.en, arr int[]);
--| CREATE TABLE
create table sx.ch (id serial primary key, pid int references sx.par, unique (pid, id));
--| CREATE TABLE
create view sx.v as select id, x from sx.par;
--| CREATE VIEW
create materialized view sx.mv as select id from sx.par;
--| SELECT 0
create sequence sx.sq;
--| CREATE SEQUENCE
create table sx.pub (a int, b int, c int);
--| CREATE TABLE
grant select (a) on sx.pub to sees;
--| GRANT
grant usage on schema sx to sees;
--| GRANT
grant insert on sx.ch to sees;
--| GRANT
grant select on sx.v to sees_view;
--| GRANT
insert into sx.par select i, 'x' || i % 3, 1, 'b' from generate_series(1, 30) i;
--| INSERT 0 30
insert into sx.pub select i % 3, i % 3, i % 3 from generate_series(1, 30) i;
--| INSERT 0 30
analyze sx.par;
--| ANALYZE
analyze sx.pub;
--| ANALYZE
-- A column of an enum was an error for all of the view.
select attname, most_common_vals from pg_stats where schemaname = 'sx' and tablename = 'par' and attname <> 'arr' order by 1;
--|  attname | most_common_vals
--| ---------+------------------
--|  d       | {1}
--|  e       | {b}
--|  id      |
--|  x       | {x0,x1,x2}
--| (4 rows)
select tablename from pg_tables where schemaname = 'sx' order by 1;
--|  tablename
--| -----------
--|  ch
--|  par
--|  pub
--| (3 rows)
select object_name, object_type, grantee from information_schema.usage_privileges where object_schema = 'sx' and grantee = 'PUBLIC' order by 1;
--|  object_name | object_type | grantee
--| -------------+-------------+---------
--|  dm          | DOMAIN      | PUBLIC
--| (1 row)
select column_name, character_octet_length from information_schema.columns where table_schema = 'sx' and table_name = 'v' order by 1;
--|  column_name | character_octet_length
--| -------------+------------------------
--|  id          |
--|  x           |             1073741824
--| (2 rows)
set role sees;
--| SET
select schema_name from information_schema.schemata where schema_name = 'sx';
--|  schema_name
--| -------------
--|  sx
--| (1 row)
select table_name from information_schema.tables where table_schema = 'sx' order by 1;
--|  table_name
--| ------------
--|  ch
--|  pub
--| (2 rows)
select table_name, column_name from information_schema.columns where table_schema = 'sx' order by 1, 2;
--|  table_name | column_name
--| ------------+-------------
--|  ch         | id
--|  ch         | pid
--|  pub        | a
--| (3 rows)
select table_name from information_schema.views where table_schema = 'sx';
--|  table_name
--| ------------
--| (0 rows)
select sequence_name from information_schema.sequences where sequence_schema = 'sx';
--|  sequence_name
--| ---------------
--| (0 rows)
select table_name, constraint_name from information_schema.table_constraints where table_schema = 'sx' order by 1, 2;
--|  table_name | constraint_name
--| ------------+-----------------
--|  ch         | ch_id_not_null
--|  ch         | ch_pid_fkey
--|  ch         | ch_pid_id_key
--|  ch         | ch_pkey
--| (4 rows)
select constraint_name, column_name from information_schema.key_column_usage where table_schema = 'sx' order by 1, 2;
--|  constraint_name | column_name
--| -----------------+-------------
--|  ch_pid_fkey     | pid
--|  ch_pid_id_key   | id
--|  ch_pid_id_key   | pid
--|  ch_pkey         | id
--| (4 rows)
select constraint_name from information_schema.referential_constraints where constraint_schema = 'sx';
--|  constraint_name
--| -----------------
--|  ch_pid_fkey
--| (1 row)
select * from information_schema.check_constraints where constraint_schema = 'sx';
--|  constraint_catalog | constraint_schema | constraint_name | check_clause
--| --------------------+-------------------+-----------------+--------------
--| (0 rows)
select * from information_schema.constraint_column_usage where table_schema = 'sx';
--|  table_catalog | table_schema | table_name | column_name | constraint_catalog | constraint_schema | constraint_name
--| ---------------+--------------+------------+-------------+--------------------+-------------------+-----------------
--| (0 rows)
select * from information_schema.constraint_table_usage where table_schema = 'sx';
--|  table_catalog | table_schema | table_name | constraint_catalog | constraint_schema | constraint_name
--| ---------------+--------------+------------+--------------------+-------------------+-----------------
--| (0 rows)
select * from information_schema.column_domain_usage where table_schema = 'sx';
--|  domain_catalog | domain_schema | domain_name | table_catalog | table_schema | table_name | column_name
--| ----------------+---------------+-------------+---------------+--------------+------------+-------------
--| (0 rows)
select * from information_schema.view_table_usage where table_schema = 'sx';
--|  view_catalog | view_schema | view_name | table_catalog | table_schema | table_name
--| --------------+-------------+-----------+---------------+--------------+------------
--| (0 rows)
select * from information_schema.view_column_usage where table_schema = 'sx';
--|  view_catalog | view_schema | view_name | table_catalog | table_schema | table_name | column_name
--| --------------+-------------+-----------+---------------+--------------+------------+-------------
--| (0 rows)
select tablename, attname, most_common_vals from pg_stats where schemaname = 'sx';
--|  tablename | attname | most_common_vals
--| -----------+---------+------------------
--|  pub       | a       | {0,1,2}
--| (1 row)
set role sees_view;
--| SET
select schema_name from information_schema.schemata where schema_name = 'sx';
--|  schema_name
--| -------------
--| (0 rows)
select table_name from information_schema.tables where table_schema = 'sx';
--|  table_name
--| ------------
--|  v
--| (1 row)
-- Its definition is its owner's.
select table_name, view_definition from information_schema.views where table_schema = 'sx';
--|  table_name | view_definition
--| ------------+-----------------
--|  v          |
--| (1 row)
select column_name, privilege_type from information_schema.column_privileges where table_schema = 'sx' order by 1, 2;
--|  column_name | privilege_type
--| -------------+----------------
--|  id          | SELECT
--|  x           | SELECT
--| (2 rows)
select table_name, privilege_type from information_schema.table_privileges where table_schema = 'sx' order by 1, 2;
--|  table_name | privilege_type
--| ------------+----------------
--|  v          | SELECT
--| (1 row)
select * from pg_stats where schemaname = 'sx';
--|  schemaname | tablename | attname | inherited | null_frac | avg_width | n_distinct | most_common_vals | most_common_freqs | histogram_bounds | correlation | most_common_elems | most_common_elem_freqs | elem_count_histogram | range_length_histogram | range_empty_frac | range_bounds_histogram
--| ------------+-----------+---------+-----------+-----------+-----------+------------+------------------+-------------------+------------------+-------------+-------------------+------------------------+----------------------+------------------------+------------------+------------------------
--| (0 rows)
reset role;
--| RESET

drop schema sx cascade;
--| NOTICE:  drop cascades to 8 other objects
--| DETAIL:  drop cascades to type sx.en
--| drop cascades to type sx.dm
--| drop cascades to table sx.par
--| drop cascades to table sx.ch
--| drop cascades to view sx.v
--| drop cascades to materialized view sx.mv
--| drop cascades to sequence sx.sq
--| drop cascades to table sx.pub
--| DROP SCHEMA
drop role sees;
--| DROP ROLE
drop role sees_view;
--| DROP ROLE
