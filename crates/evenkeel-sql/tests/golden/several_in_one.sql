-- INSERT … SELECT without FROM, and ON CONFLICT; words that name an output behind AS alone.
create table t (a int primary key, b int, c text default 'd');
--| CREATE TABLE
insert into t select 4, 5 on conflict do nothing;
--| INSERT 0 1
insert into t select 4, 5 on conflict (a) do update set b = 9 returning *;
--|  a | b | c
--| ---+---+---
--|  4 | 9 | d
--| (1 row)
--| INSERT 0 1
insert into t select 4 union select 5 on conflict (a) do nothing;
--| INSERT 0 1
insert into t (a) select 100::int on conflict do nothing;
--| INSERT 0 1
select 1 on;
--| ERROR:  42601: syntax error at or near "on"
select 1 to;
--| ERROR:  42601: syntax error at or near "to"
select 1 year;
--| ERROR:  42601: syntax error at or near "year"
select 1 over;
--| ERROR:  42601: syntax error at or near "over"
-- generate_series is chosen as any function is.
set timezone = 'UTC';
--| SET
select pg_typeof(g), g from generate_series('2024-01-01', '2024-01-02', interval '1 day') g;
--|         pg_typeof         |           g
--| --------------------------+------------------------
--|  timestamp with time zone | 2024-01-01 00:00:00+00
--|  timestamp with time zone | 2024-01-02 00:00:00+00
--| (2 rows)
select pg_typeof(g) from generate_series(timestamp '2024-01-01', timestamptz '2024-01-01 00:00+00', interval '1 day') g;
--|         pg_typeof
--| --------------------------
--|  timestamp with time zone
--| (1 row)
select pg_typeof(g) from generate_series(date '2024-01-01', timestamp '2024-01-01', interval '1 day') g;
--|           pg_typeof
--| -----------------------------
--|  timestamp without time zone
--| (1 row)
select generate_series(date '2024-01-01', date '2024-01-03');
--| ERROR:  42883: function generate_series(date, date) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select pg_typeof(generate_series(1::int2, 2::int8)), pg_typeof(generate_series(1, 2.0)) limit 1;
--|  pg_typeof | pg_typeof
--| -----------+-----------
--|  bigint    | numeric
--| (1 row)
-- Months and days, each by the clock of the zone.
set timezone = 'America/New_York';
--| SET
select timestamptz '2024-02-10 02:30' + interval '1 month 1 day';
--|         ?column?
--| ------------------------
--|  2024-03-11 03:30:00-04
--| (1 row)
select timestamptz '2024-04-11 02:30' - interval '1 month 1 day';
--|         ?column?
--| ------------------------
--|  2024-03-10 03:30:00-04
--| (1 row)
select date_trunc('century', timestamp '0101-06-01 BC'), date_trunc('millennium', timestamp '0001-06-01 BC');
--|        date_trunc       |       date_trunc
--| ------------------------+------------------------
--|  0200-01-01 00:00:00 BC | 1000-01-01 00:00:00 BC
--| (1 row)
reset timezone;
--| RESET
-- Kept texts: what is bound twice is written once; dates by no session's style.
create table d (d date, id int);
--| CREATE TABLE
insert into d values ('2020-05-05', 5);
--| INSERT 0 1
create view dv as select * from d where (d, id) > ('2020-02-03', 0);
--| CREATE VIEW
select * from dv;
--|      d      | id
--| ------------+----
--|  2020-05-05 |  5
--| (1 row)
alter table d add check ((d, id) > ('2020-02-03', 0));
--| ALTER TABLE
insert into d values ('2020-05-06', 5);
--| INSERT 0 1
set datestyle = 'German';
--| SET
create index on d (id) where d > '13.04.2019';
--| CREATE INDEX
set datestyle = 'ISO, MDY';
--| SET
insert into d values ('2020-05-07', 6);
--| INSERT 0 1
select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'd'::regclass;
--|                                   pg_get_indexdef
--| -----------------------------------------------------------------------------------
--|  CREATE INDEX d_id_idx ON public.d USING btree (id) WHERE (d > '2019-04-13'::date)
--| (1 row)
-- A column that is called over.
create table ov (id int, "over" int);
--| CREATE TABLE
create view vov as select * from ov;
--| CREATE VIEW
insert into vov values (5, 5);
--| INSERT 0 1
-- Elements of a schema are made in it, and nowhere else afterwards.
begin;
--| BEGIN
set local search_path = pg_catalog, public;
--| SET
create schema made create table inside (a int);
--| CREATE SCHEMA
show search_path;
--|     search_path
--| --------------------
--|  pg_catalog, public
--| (1 row)
commit;
--| COMMIT
show search_path;
--|    search_path
--| -----------------
--|  "$user", public
--| (1 row)
set transaction_timeout = 0;
--| SET
set transaction_timeout = '1s';
--| SET
show transaction_timeout;
--|  transaction_timeout
--| ---------------------
--|  1s
--| (1 row)
reset transaction_timeout;
--| RESET
drop schema made cascade;
--| NOTICE:  drop cascades to table made.inside
--| DROP SCHEMA
drop table t, d, ov cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to view dv
--| drop cascades to view vov
--| DROP TABLE
-- Parameters and literals in UNION are of the common type.
create table u (id int, n numeric, d date, x text);
--| CREATE TABLE
insert into u values (1, 1.5, '2020-01-01', 'a');
--| INSERT 0 1
prepare a1 as select $1 union select 1 order by 1;
--| PREPARE
execute a1 (2);
--|  ?column?
--| ----------
--|         1
--|         2
--| (2 rows)
prepare a2 as select $1 as id union all select id from u;
--| PREPARE
execute a2 (7);
--|  id
--| ----
--|   7
--|   1
--| (2 rows)
prepare a3 as select id, n, d from u union all select $1, $2, $3;
--| PREPARE
execute a3 (7, 2.5, '2020-02-02');
--|  id |  n  |     d
--| ----+-----+------------
--|   1 | 1.5 | 2020-01-01
--|   7 | 2.5 | 2020-02-02
--| (2 rows)
prepare a4 as select id from u intersect select $1;
--| PREPARE
execute a4 (1);
--|  id
--| ----
--|   1
--| (1 row)
prepare a5 as insert into u (id) select $1 union all select 2 returning id;
--| PREPARE
execute a5 (9);
--|  id
--| ----
--|   9
--|   2
--| (2 rows)
--| INSERT 0 2
prepare a6 as select $1 union all select $2;
--| PREPARE
execute a6 ('x', 'y');
--|  ?column?
--| ----------
--|  x
--|  y
--| (2 rows)
create view uv as select d from u where id = 1 union all select '01/02/2020';
--| CREATE VIEW
set datestyle = 'German';
--| SET
select * from uv;
--|      d
--| ------------
--|  01.01.2020
--|  02.01.2020
--| (2 rows)
reset datestyle;
--| RESET
select 'x' union all select 1;
--| ERROR:  22P02: invalid input syntax for type integer: "x"
-- What was done behind a savepoint is not counted when it is undone.
create table counted (a int);
--| CREATE TABLE
insert into counted select generate_series(1, 100);
--| INSERT 0 100
analyze counted;
--| ANALYZE
begin;
--| BEGIN
savepoint s;
--| SAVEPOINT
insert into counted select generate_series(1, 5000);
--| INSERT 0 5000
rollback to s;
--| ROLLBACK
insert into counted values (1);
--| INSERT 0 1
commit;
--| COMMIT
select pg_stat_force_next_flush();
--|  pg_stat_force_next_flush
--| --------------------------
--|
--| (1 row)
select n_live_tup from pg_stat_user_tables where relname = 'counted';
--|  n_live_tup
--| ------------
--|         101
--| (1 row)
select extract(epoch from date '294276-12-31'), extract(epoch from date '5874897-12-31'), extract(epoch from date '2000-01-01');
--|     extract    |     extract     |  extract
--| ---------------+-----------------+-----------
--|  9224317929600 | 185331706992000 | 946684800
--| (1 row)
drop table u, counted cascade;
--| NOTICE:  drop cascades to view uv
--| DROP TABLE
-- DEFAULT through a view, sets of groups that are said twice, zones as intervals, where pg_catalog is looked for.
create table base (id int primary key, n int default 7);
--| CREATE TABLE
insert into base values (1, 1), (2, 2);
--| INSERT 0 2
create view through as select * from base;
--| CREATE VIEW
update through set n = default where id = 1 returning *;
--|  id | n
--| ----+---
--|   1 |
--| (1 row)
--| UPDATE 1
update base set n = default where id = 2 returning *;
--|  id | n
--| ----+---
--|   2 | 7
--| (1 row)
--| UPDATE 1
create view g1 as select id, count(*) from base group by rollup(id), rollup(id);
--| CREATE VIEW
select pg_get_viewdef('g1');
--|            pg_get_viewdef
--| ------------------------------------
--|   SELECT id,                       +
--|      count(*) AS count             +
--|     FROM base                      +
--|    GROUP BY ROLLUP(id), ROLLUP(id);
--| (1 row)
select count(*) from g1;
--|  count
--| -------
--|      7
--| (1 row)
set time zone interval '-08:00' hour to minute;
--| SET
show timezone;
--|  TimeZone
--| ----------
--|  <-08>+08
--| (1 row)
set time zone interval '3' hour;
--| SET
show timezone;
--|  TimeZone
--| ----------
--|  <+03>-03
--| (1 row)
set time zone interval '90' minute;
--| SET
show timezone;
--|     TimeZone
--| ----------------
--|  <+01:30>-01:30
--| (1 row)
reset timezone;
--| RESET
create table public.pg_user (zz int);
--| CREATE TABLE
insert into public.pg_user values (42);
--| INSERT 0 1
set search_path = public, pg_catalog;
--| SET
select current_schemas(true);
--|    current_schemas
--| ---------------------
--|  {public,pg_catalog}
--| (1 row)
select * from pg_user;
--|  zz
--| ----
--|  42
--| (1 row)
reset search_path;
--| RESET
drop table base, public.pg_user cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to view through
--| drop cascades to view g1
--| DROP TABLE
create table beside (a int);
--| CREATE TABLE
insert into beside values (42);
--| INSERT 0 1
create view over_beside as with beside as (select 1 as a) select a from public.beside;
--| CREATE VIEW
select * from over_beside;
--|  a
--| ----
--|  42
--| (1 row)
select pg_get_viewdef('over_beside');
--|      pg_get_viewdef
--| ------------------------
--|   WITH beside AS (     +
--|           SELECT 1 AS a+
--|          )             +
--|   SELECT a             +
--|     FROM public.beside;
--| (1 row)
drop table beside cascade;
--| NOTICE:  drop cascades to view over_beside
--| DROP TABLE
-- What depends on a primary key: in its own table, and not where that is deferrable.
create table fd (a int primary key, c text);
--| CREATE TABLE
insert into fd values (1, 'x');
--| INSERT 0 1
select c from fd group by a;
--|  c
--| ---
--|  x
--| (1 row)
select f.c, count(*) from fd f left join fd g on g.a = f.a group by f.a;
--|  c | count
--| ---+-------
--|  x |     1
--| (1 row)
select x.c from (select * from fd) x group by x.a;
--| ERROR:  42803: column "x.c" must appear in the GROUP BY clause or be used in an aggregate function
with x as (select * from fd) select c from x group by a;
--| ERROR:  42803: column "x.c" must appear in the GROUP BY clause or be used in an aggregate function
create table fdd (a int primary key deferrable, c text);
--| CREATE TABLE
select c from fdd group by a;
--| ERROR:  42803: column "fdd.c" must appear in the GROUP BY clause or be used in an aggregate function
drop table fd, fdd;
--| DROP TABLE
create table sym (x int, check (x between symmetric 5 and 1), g boolean generated always as (x not between symmetric 5 and 1) stored);
--| CREATE TABLE
insert into sym values (3);
--| INSERT 0 1
insert into sym values (7);
--| ERROR:  23514: new row for relation "sym" violates check constraint "sym_x_check"
--| DETAIL:  Failing row contains (7, t).
select * from sym;
--|  x | g
--| ---+---
--|  3 | f
--| (1 row)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'sym'::regclass;
--|                      pg_get_constraintdef
--| --------------------------------------------------------------
--|  CHECK ((((x >= 5) AND (x <= 1)) OR ((x >= 1) AND (x <= 5))))
--| (1 row)
create index on sym (x) where x between symmetric 5 and 1;
--| CREATE INDEX
select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'sym'::regclass;
--|                                                  pg_get_indexdef
--| -----------------------------------------------------------------------------------------------------------------
--|  CREATE INDEX sym_x_idx ON public.sym USING btree (x) WHERE (((x >= 5) AND (x <= 1)) OR ((x >= 1) AND (x <= 5)))
--| (1 row)
drop table sym;
--| DROP TABLE
-- A BEGIN that fails makes no block of them.
create table begun (a int);
--| CREATE TABLE
insert into begun values (6); begin isolation level repeatable read; insert into begun values (7);
--| ERROR:  25001: SET TRANSACTION ISOLATION LEVEL must be called before any query
select count(*) from begun;
--|  count
--| -------
--|      0
--| (1 row)
-- All have begun with the first, and so have transactions that begin within.
create table begun_at (t timestamptz, n timestamptz);
--| CREATE TABLE
insert into begun_at values (statement_timestamp(), now()); select pg_sleep(0.01); insert into begun_at values (statement_timestamp(), now()); commit; begin; select pg_sleep(0.01); insert into begun_at values (statement_timestamp(), now()); commit;
--| WARNING:  there is no transaction in progress
--| INSERT 0 1
--|  pg_sleep
--| ----------
--|
--| (1 row)
--| INSERT 0 1
--| COMMIT
--| BEGIN
--|  pg_sleep
--| ----------
--|
--| (1 row)
--| INSERT 0 1
--| COMMIT
select count(distinct t), count(distinct n), bool_and(t = n) from begun_at;
--|  count | count | bool_and
--| -------+-------+----------
--|      1 |     1 | t
--| (1 row)
