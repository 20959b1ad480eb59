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
--| ERROR:  0A000: transaction_timeout is not supported
drop schema made cascade;
--| NOTICE:  drop cascades to table made.inside
--| DROP SCHEMA
drop table t, d, ov cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to view dv
--| drop cascades to view vov
--| DROP TABLE
