-- CREATE STATISTICS is kept with its table, shown and dumped; nothing is gathered.

create table t (a int, b int, c text, j json, v int generated always as (a + 1) virtual, "Q" int);
--| CREATE TABLE
create view vw as select a, b from t;
--| CREATE VIEW
create sequence sq;
--| CREATE SEQUENCE
create schema o;
--| CREATE SCHEMA
create table o.x (p int, q int);
--| CREATE TABLE
create statistics st on a, b from t;
--| CREATE STATISTICS
create statistics st on a, b from t;
--| ERROR:  42710: statistics object "st" already exists
create statistics if not exists st on a, b from t;
--| NOTICE:  statistics object "st" already exists, skipping
--| CREATE STATISTICS
create statistics st on a from t;
--| ERROR:  42710: statistics object "st" already exists
create statistics s2 on a from t;
--| ERROR:  42P17: extended statistics require at least 2 columns
create statistics s2 on a, a from t;
--| ERROR:  42701: duplicate column name in statistics definition
create statistics s2 on zz, a from t;
--| ERROR:  42703: column "zz" does not exist
create statistics s2 on ctid, a from t;
--| ERROR:  0A000: statistics creation on system columns is not supported
create statistics s2 on j, a from t;
--| ERROR:  0A000: column "j" cannot be used in statistics because its type json has no default btree operator class
create statistics s2 on v, a from t;
--| ERROR:  0A000: statistics creation on virtual generated columns is not supported
create statistics s2 (zz) on a, b from t;
--| ERROR:  42601: unrecognized statistics kind "zz"
create statistics s2 (ndistinct) on a from t;
--| ERROR:  42P17: extended statistics require at least 2 columns
create statistics s2 on a, b from zz;
--| ERROR:  42P01: relation "zz" does not exist
create statistics s2 on a, b from vw;
--| ERROR:  42809: cannot define statistics for relation "vw"
--| DETAIL:  This operation is not supported for views.
create statistics s2 on a, b from sq;
--| ERROR:  42809: cannot define statistics for relation "sq"
--| DETAIL:  This operation is not supported for sequences.
create statistics s2 on a, b from t, o.x;
--| ERROR:  0A000: only a single relation is allowed in CREATE STATISTICS
create statistics s2 on a, b, c, a, b, c, a, b, c from t;
--| ERROR:  54011: cannot have more than 8 columns in statistics
create statistics s2 (ndistinct, mcv) on c, b, "Q" from t;
--| CREATE STATISTICS
create statistics on a, b from t;
--| CREATE STATISTICS
create statistics on a, b from t;
--| CREATE STATISTICS
create statistics (mcv) on b, a from t;
--| CREATE STATISTICS
create statistics public.s3 (dependencies) on b, a from public.t;
--| CREATE STATISTICS
create statistics nosuch.s3 on b, a from public.t;
--| ERROR:  3F000: schema "nosuch" does not exist
create statistics o.ox on q, p from o.x;
--| CREATE STATISTICS
select stxname, pg_get_statisticsobjdef(oid), pg_get_statisticsobjdef_columns(oid), pg_statistics_obj_is_visible(oid) from pg_statistic_ext order by stxname;
--|    stxname   |                     pg_get_statisticsobjdef                      | pg_get_statisticsobjdef_columns | pg_statistics_obj_is_visible
--| -------------+------------------------------------------------------------------+---------------------------------+------------------------------
--|  ox          | CREATE STATISTICS o.ox ON p, q FROM o.x                          | p, q                            | f
--|  s2          | CREATE STATISTICS public.s2 (ndistinct, mcv) ON b, c, "Q" FROM t | b, c, "Q"                       | t
--|  s3          | CREATE STATISTICS public.s3 (dependencies) ON a, b FROM t        | a, b                            | t
--|  st          | CREATE STATISTICS public.st ON a, b FROM t                       | a, b                            | t
--|  t_a_b_stat  | CREATE STATISTICS public.t_a_b_stat ON a, b FROM t               | a, b                            | t
--|  t_a_b_stat1 | CREATE STATISTICS public.t_a_b_stat1 ON a, b FROM t              | a, b                            | t
--|  t_b_a_stat  | CREATE STATISTICS public.t_b_a_stat (mcv) ON a, b FROM t         | a, b                            | t
--| (7 rows)
set search_path = o;
--| SET
select stxname, pg_get_statisticsobjdef(oid), pg_statistics_obj_is_visible(oid) from pg_statistic_ext order by stxname;
--|    stxname   |                         pg_get_statisticsobjdef                         | pg_statistics_obj_is_visible
--| -------------+-------------------------------------------------------------------------+------------------------------
--|  ox          | CREATE STATISTICS o.ox ON p, q FROM x                                   | t
--|  s2          | CREATE STATISTICS public.s2 (ndistinct, mcv) ON b, c, "Q" FROM public.t | f
--|  s3          | CREATE STATISTICS public.s3 (dependencies) ON a, b FROM public.t        | f
--|  st          | CREATE STATISTICS public.st ON a, b FROM public.t                       | f
--|  t_a_b_stat  | CREATE STATISTICS public.t_a_b_stat ON a, b FROM public.t               | f
--|  t_a_b_stat1 | CREATE STATISTICS public.t_a_b_stat1 ON a, b FROM public.t              | f
--|  t_b_a_stat  | CREATE STATISTICS public.t_b_a_stat (mcv) ON a, b FROM public.t         | f
--| (7 rows)
reset search_path;
--| RESET
alter statistics st set statistics 100;
--| ALTER STATISTICS
alter statistics st set statistics -5;
--| ERROR:  22023: statistics target -5 is too low
alter statistics st set statistics 20000;
--| WARNING:  lowering statistics target to 10000
--| ALTER STATISTICS
alter statistics s3 set statistics -1;
--| ALTER STATISTICS
alter statistics s3 set statistics 7;
--| ALTER STATISTICS
alter statistics s3 set statistics default;
--| ALTER STATISTICS
alter statistics zz set statistics 7;
--| ERROR:  42704: statistics object "zz" does not exist
alter statistics if exists zz set statistics 7;
--| NOTICE:  statistics object "zz" does not exist, skipping
--| ALTER STATISTICS
alter statistics if exists zz rename to yy;
--| ERROR:  42601: syntax error at or near "rename"
alter statistics st rename to s3;
--| ERROR:  42710: statistics object "s3" already exists in schema "public"
alter statistics st rename to st9;
--| ALTER STATISTICS
alter statistics st9 set schema public;
--| ALTER STATISTICS
alter statistics st9 set schema nosuch;
--| ERROR:  3F000: schema "nosuch" does not exist
alter statistics st9 owner to postgres;
--| ALTER STATISTICS
alter statistics st9 owner to nosuch;
--| ERROR:  42704: role "nosuch" does not exist
alter statistics zz owner to postgres;
--| ERROR:  42704: statistics object "zz" does not exist
comment on statistics st9 is 'of a and b';
--| COMMENT
comment on statistics zz is 'x';
--| ERROR:  42704: statistics object "zz" does not exist
select stxname, obj_description(oid, 'pg_statistic_ext'), stxstattarget from pg_statistic_ext order by stxname;
--|    stxname   | obj_description | stxstattarget
--| -------------+-----------------+---------------
--|  ox          |                 |
--|  s2          |                 |
--|  s3          |                 |
--|  st9         | of a and b      |         10000
--|  t_a_b_stat  |                 |
--|  t_a_b_stat1 |                 |
--|  t_b_a_stat  |                 |
--| (7 rows)
alter table t rename b to "B b";
--| ALTER TABLE
select stxname, pg_get_statisticsobjdef(oid) from pg_statistic_ext order by stxname;
--|    stxname   |                       pg_get_statisticsobjdef
--| -------------+----------------------------------------------------------------------
--|  ox          | CREATE STATISTICS o.ox ON p, q FROM o.x
--|  s2          | CREATE STATISTICS public.s2 (ndistinct, mcv) ON "B b", c, "Q" FROM t
--|  s3          | CREATE STATISTICS public.s3 (dependencies) ON a, "B b" FROM t
--|  st9         | CREATE STATISTICS public.st9 ON a, "B b" FROM t
--|  t_a_b_stat  | CREATE STATISTICS public.t_a_b_stat ON a, "B b" FROM t
--|  t_a_b_stat1 | CREATE STATISTICS public.t_a_b_stat1 ON a, "B b" FROM t
--|  t_b_a_stat  | CREATE STATISTICS public.t_b_a_stat (mcv) ON a, "B b" FROM t
--| (7 rows)
alter table t alter c type varchar(10);
--| ALTER TABLE
create table t2 (like t including statistics including comments);
--| CREATE TABLE
create table t3 (like t including all);
--| CREATE TABLE
create table t4 (like t including all excluding statistics);
--| CREATE TABLE
select stxrelid::regclass::text, stxname, pg_get_statisticsobjdef_columns(oid), obj_description(oid, 'pg_statistic_ext') from pg_statistic_ext where stxrelid::regclass::text in ('t2', 't3', 't4') order by 1, 2;
--|  stxrelid |     stxname     | pg_get_statisticsobjdef_columns | obj_description
--| ----------+-----------------+---------------------------------+-----------------
--|  t2       | t2_B b_c_Q_stat | "B b", c, "Q"                   |
--|  t2       | t2_a_B b_stat   | a, "B b"                        | of a and b
--|  t2       | t2_a_B b_stat1  | a, "B b"                        |
--|  t2       | t2_a_B b_stat2  | a, "B b"                        |
--|  t2       | t2_a_B b_stat3  | a, "B b"                        |
--|  t2       | t2_a_B b_stat4  | a, "B b"                        |
--|  t3       | t3_B b_c_Q_stat | "B b", c, "Q"                   |
--|  t3       | t3_a_B b_stat   | a, "B b"                        | of a and b
--|  t3       | t3_a_B b_stat1  | a, "B b"                        |
--|  t3       | t3_a_B b_stat2  | a, "B b"                        |
--|  t3       | t3_a_B b_stat3  | a, "B b"                        |
--|  t3       | t3_a_B b_stat4  | a, "B b"                        |
--| (12 rows)
drop statistics zz;
--| ERROR:  42704: statistics object "zz" does not exist
drop statistics if exists zz, s2;
--| NOTICE:  statistics object "zz" does not exist, skipping
--| DROP STATISTICS
drop statistics o.ox, s3;
--| DROP STATISTICS
drop statistics nosuch.s3;
--| ERROR:  3F000: schema "nosuch" does not exist
drop statistics if exists nosuch.s3;
--| NOTICE:  schema "nosuch" does not exist, skipping
--| DROP STATISTICS
alter table t drop column "Q";
--| ALTER TABLE
alter table t drop column "B b";
--| ERROR:  2BP01: cannot drop column B b of table t because other objects depend on it
--| DETAIL:  view vw depends on column B b of table t
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
select stxrelid::regclass::text, stxname from pg_statistic_ext order by stxname;
--|  stxrelid |     stxname
--| ----------+-----------------
--|  t        | st9
--|  t2       | t2_B b_c_Q_stat
--|  t2       | t2_a_B b_stat
--|  t2       | t2_a_B b_stat1
--|  t2       | t2_a_B b_stat2
--|  t2       | t2_a_B b_stat3
--|  t2       | t2_a_B b_stat4
--|  t3       | t3_B b_c_Q_stat
--|  t3       | t3_a_B b_stat
--|  t3       | t3_a_B b_stat1
--|  t3       | t3_a_B b_stat2
--|  t3       | t3_a_B b_stat3
--|  t3       | t3_a_B b_stat4
--|  t        | t_a_b_stat
--|  t        | t_a_b_stat1
--|  t        | t_b_a_stat
--| (16 rows)
drop table t2;
--| DROP TABLE
drop table t3 cascade;
--| DROP TABLE
select stxname from pg_statistic_ext order by stxname;
--|    stxname
--| -------------
--|  st9
--|  t_a_b_stat
--|  t_a_b_stat1
--|  t_b_a_stat
--| (4 rows)
begin;
--| BEGIN
create statistics s5 on a, c from t;
--| CREATE STATISTICS
rollback;
--| ROLLBACK
create statistics s5 on a, c from t;
--| CREATE STATISTICS
create temp table tt (a int, b int);
--| CREATE TABLE
create statistics ts on a, b from tt;
--| CREATE STATISTICS
drop statistics ts;
--| DROP STATISTICS
create role sr;
--| CREATE ROLE
set role sr;
--| SET
create statistics s6 on a, c from t;
--| ERROR:  42501: must be owner of table t
drop statistics s5;
--| ERROR:  42501: must be owner of statistics object s5
alter statistics s5 set statistics 5;
--| ERROR:  42501: must be owner of statistics object s5
comment on statistics s5 is 'x';
--| ERROR:  42501: must be owner of statistics object s5
reset role;
--| RESET
drop role sr;
--| DROP ROLE
drop schema o;
--| ERROR:  2BP01: cannot drop schema o because other objects depend on it
--| DETAIL:  table o.x depends on schema o
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop schema o cascade;
--| NOTICE:  drop cascades to table o.x
--| DROP SCHEMA
select count(*) from pg_description where classoid = 'pg_statistic_ext'::regclass;
--|  count
--| -------
--|      1
--| (1 row)
analyze t;
--| ANALYZE
-- They go with their table into another schema.
create schema o2;
--| CREATE SCHEMA
create table o2.y (p int, q int);
--| CREATE TABLE
create statistics o2.s5 on p, q from o2.y;
--| CREATE STATISTICS
alter table t set schema o2;
--| ERROR:  42710: statistics object "s5" already exists in schema "o2"
alter statistics o2.s5 rename to s7;
--| ALTER STATISTICS
alter table t set schema o2;
--| ALTER TABLE
select stxname, pg_get_statisticsobjdef(oid) from pg_statistic_ext order by stxname;
--|    stxname   |                   pg_get_statisticsobjdef
--| -------------+-------------------------------------------------------------
--|  s5          | CREATE STATISTICS o2.s5 ON a, c FROM o2.t
--|  s7          | CREATE STATISTICS o2.s7 ON p, q FROM o2.y
--|  st9         | CREATE STATISTICS o2.st9 ON a, "B b" FROM o2.t
--|  t_a_b_stat  | CREATE STATISTICS o2.t_a_b_stat ON a, "B b" FROM o2.t
--|  t_a_b_stat1 | CREATE STATISTICS o2.t_a_b_stat1 ON a, "B b" FROM o2.t
--|  t_b_a_stat  | CREATE STATISTICS o2.t_b_a_stat (mcv) ON a, "B b" FROM o2.t
--| (6 rows)
create statistics s8 on (a + 1), c from o2.t;
--| ERROR:  0A000: extended statistics of expressions are not supported
create statistics s8 on lower(c), a from o2.t;
--| ERROR:  0A000: extended statistics of expressions are not supported
create statistics public.s8 on a, c from o2.t;
--| ERROR:  0A000: a statistics object in another schema than its table is not supported
-- Those of a column go with it, and so does what is said of them.
drop view vw;
--| DROP VIEW
alter table o2.t drop column "B b";
--| ALTER TABLE
select stxname from pg_statistic_ext order by stxname;
--|  stxname
--| ---------
--|  s5
--|  s7
--| (2 rows)
select count(*) from pg_description where classoid = 'pg_statistic_ext'::regclass;
--|  count
--| -------
--|      0
--| (1 row)
