-- Dates and times in defaults, checks, views and indexes are what they meant when these were made: `now` is no other time later, nor an hour one of another zone.

set timezone = 'Europe/Paris';
--| SET
create table tk (i int, a timestamptz default '2000-01-01', b timestamp default '2000-01-01 00:00+05', c timestamptz default '2000-01-01 00:00+05', d date default 'epoch', e timestamp default 'infinity', f timetz default '10:00+02', g timestamptz(0) default '2000-01-01 00:00:00.7', h timestamp(0) default '2000-01-01 00:00:00.7', k time(1) default '10:00:00.26', l text default 'now', m date default '2000-01-01', n timestamp default '2000-01-01', o text default '2000-01-01', check (a > '1999-12-31'));
--| CREATE TABLE
create view tkv as select i, a > '2000-01-01' as later, date '2000-01-02' as d from tk;
--| CREATE VIEW
create index tkx on tk (i) where a > '1999-12-31';
--| CREATE INDEX
create domain tkd as timestamptz default '2000-01-01';
--| CREATE DOMAIN
reset timezone;
--| RESET
insert into tk values (1);
--| INSERT 0 1
select * from tk;
--|  i |           a            |          b          |           c            |     d      |    e     |      f      |           g            |          h          |     k      |  l  |     m      |          n          |     o
--| ---+------------------------+---------------------+------------------------+------------+----------+-------------+------------------------+---------------------+------------+-----+------------+---------------------+------------
--|  1 | 1999-12-31 23:00:00+00 | 2000-01-01 00:00:00 | 1999-12-31 19:00:00+00 | 1970-01-01 | infinity | 10:00:00+02 | 1999-12-31 23:00:01+00 | 2000-01-01 00:00:01 | 10:00:00.3 | now | 2000-01-01 | 2000-01-01 00:00:00 | 2000-01-01
--| (1 row)
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'tk'::regclass order by adnum;
--|                      pg_get_expr
--| ------------------------------------------------------
--|  '1999-12-31 23:00:00+00'::timestamp with time zone
--|  '2000-01-01 00:00:00'::timestamp without time zone
--|  '1999-12-31 19:00:00+00'::timestamp with time zone
--|  '1970-01-01'::date
--|  'infinity'::timestamp without time zone
--|  '10:00:00+02'::time with time zone
--|  '1999-12-31 23:00:00.7+00'::timestamp with time zone
--|  '2000-01-01 00:00:00.7'::timestamp without time zone
--|  '10:00:00.26'::time without time zone
--|  'now'::text
--|  '2000-01-01'::date
--|  '2000-01-01 00:00:00'::timestamp without time zone
--|  '2000-01-01'::text
--| (13 rows)
select pg_get_viewdef('tkv'::regclass);
--|                              pg_get_viewdef
--| ------------------------------------------------------------------------
--|   SELECT i,                                                            +
--|      (a > '1999-12-31 23:00:00+00'::timestamp with time zone) AS later,+
--|      '2000-01-02'::date AS d                                           +
--|     FROM tk;
--| (1 row)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'tk'::regclass;
--|                        pg_get_constraintdef
--| ------------------------------------------------------------------
--|  CHECK ((a > '1999-12-30 23:00:00+00'::timestamp with time zone))
--| (1 row)
create table tn (i int, a timestamp default 'now', b timestamptz default 'now', c date default 'today', d timestamp default now(), e date default 'yesterday', f time default 'now', g date default 'now'::date, h date default 'now'::text::date, check (c < 'tomorrow'));
--| CREATE TABLE
alter table tn alter i set default 1, add column j timestamp default 'tomorrow';
--| ALTER TABLE
select adnum, pg_get_expr(adbin, adrelid) ~ '^.[0-9]', pg_get_expr(adbin, adrelid) ~ 'now|today|yest|tom' from pg_attrdef where adrelid = 'tn'::regclass order by adnum;
--|  adnum | ?column? | ?column?
--| -------+----------+----------
--|      1 | f        | f
--|      2 | t        | f
--|      3 | t        | f
--|      4 | t        | f
--|      5 | f        | t
--|      6 | t        | f
--|      7 | t        | f
--|      8 | t        | f
--|      9 | f        | t
--|     10 | t        | f
--| (10 rows)
select pg_get_constraintdef(oid) ~ 'tomorrow' from pg_constraint where conrelid = 'tn'::regclass;
--|  ?column?
--| ----------
--|  f
--| (1 row)
create view tnv as select timestamp 'now' as t, 'now'::timestamptz(0) as z;
--| CREATE VIEW
begin;
--| BEGIN
create temp table t1 as select * from tnv;
--| SELECT 1
commit;
--| COMMIT
select count(*) from tnv, t1 where tnv.t = t1.t and tnv.z = t1.z;
--|  count
--| -------
--|      1
--| (1 row)
-- NULL is no default, but of a domain, or fitted to a length.
create domain dd as int default 7;
--| CREATE DOMAIN
create table dn (a varchar default null, b int default null, c varchar(5) default null::varchar, d text default (null), e numeric(5,2) default null, f varchar(5) default null, g char(3) default null, h timestamp(3) default null, i dd default null, j dd);
--| CREATE TABLE
alter table dn alter a set default 'x', alter b set default 5;
--| ALTER TABLE
alter table dn alter a set default null, alter b set default null;
--| ALTER TABLE
select column_name, column_default from information_schema.columns where table_name = 'dn' order by ordinal_position;
--|  column_name |          column_default
--| -------------+-----------------------------------
--|  a           |
--|  b           |
--|  c           | NULL::character varying
--|  d           |
--|  e           | NULL::numeric
--|  f           | NULL::character varying
--|  g           | NULL::bpchar
--|  h           | NULL::timestamp without time zone
--|  i           | NULL::integer
--|  j           |
--| (10 rows)
insert into dn values (default, default);
--| INSERT 0 1
select * from dn;
--|  a | b | c | d | e | f | g | h | i | j
--| ---+---+---+---+---+---+---+---+---+---
--|    |   |   |   |   |   |   |   |   | 7
--| (1 row)
drop table tk, tn, dn cascade;
--| NOTICE:  drop cascades to view tkv
--| DROP TABLE
drop domain tkd, dd;
--| DROP DOMAIN
-- times within arrays, and intervals in another style, are what they mean now as well
set timezone = 'America/New_York';
--| SET
set datestyle = 'ISO, DMY';
--| SET
create table ta (t timestamptz, d date);
--| CREATE TABLE
insert into ta values ('2020-06-01 00:00', '03/04/2020');
--| INSERT 0 1
create view tav as select t from ta where t = any ('{2020-06-01 00:00}');
--| CREATE VIEW
create view tad as select d from ta where d = any ('{03/04/2020}');
--| CREATE VIEW
create view taa as select '{2020-01-01 00:00, 2020-06-01 00:00}'::timestamptz[] as x, '{{03/04/2020},{04/05/2020}}'::date[] as y, '{2020-06-01 00:00}'::timestamp[] as z;
--| CREATE VIEW
create table tac (t timestamptz, check (t <> all ('{2020-06-01 00:00}')), d timestamptz[] default '{2020-06-01 00:00}');
--| CREATE TABLE
create index tai on ta (t) where d = any ('{03/04/2020}');
--| CREATE INDEX
set intervalstyle = 'sql_standard';
--| SET
create view tai_v as select '-1 2:03:04'::interval as a, interval '-1 2:03:04' as b, '{-1 2:03:04}'::interval[] as c, interval '3' day as d, '1.5'::interval hour to minute as e, interval '-1-2' year to month as f;
--| CREATE VIEW
reset intervalstyle;
--| RESET
set timezone = 'UTC';
--| SET
set datestyle = 'ISO, MDY';
--| SET
table tav;
--|            t
--| ------------------------
--|  2020-06-01 04:00:00+00
--| (1 row)
table tad;
--|      d
--| ------------
--|  2020-04-03
--| (1 row)
table taa;
--|                           x                          |              y              |            z
--| -----------------------------------------------------+-----------------------------+-------------------------
--|  {"2020-01-01 05:00:00+00","2020-06-01 04:00:00+00"} | {{2020-04-03},{2020-05-04}} | {"2020-06-01 00:00:00"}
--| (1 row)
table tai_v;
--|          a         |         b         |           c           |   d    |    e     |        f
--| -------------------+-------------------+-----------------------+--------+----------+------------------
--|  -1 days -02:03:04 | -1 days -02:03:04 | {"-1 days -02:03:04"} | 3 days | 00:01:00 | -1 years -2 mons
--| (1 row)
insert into tac values ('2020-06-01 04:00+00');
--| ERROR:  23514: new row for relation "tac" violates check constraint "tac_t_check"
--| DETAIL:  Failing row contains (2020-06-01 04:00:00+00, {"2020-06-01 04:00:00+00"}).
insert into tac values ('2020-06-01 00:00+00');
--| INSERT 0 1
table tac;
--|            t            |             d
--| ------------------------+----------------------------
--|  2020-06-01 00:00:00+00 | {"2020-06-01 04:00:00+00"}
--| (1 row)
select pg_get_viewdef('taa');
--|                                          pg_get_viewdef
--| -------------------------------------------------------------------------------------------------
--|   SELECT '{"2020-01-01 05:00:00+00","2020-06-01 04:00:00+00"}'::timestamp with time zone[] AS x,+
--|      '{{2020-04-03},{2020-05-04}}'::date[] AS y,                                                +
--|      '{"2020-06-01 00:00:00"}'::timestamp without time zone[] AS z;
--| (1 row)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'tac'::regclass;
--|                              pg_get_constraintdef
--| -------------------------------------------------------------------------------
--|  CHECK ((t <> ALL ('{"2020-06-01 04:00:00+00"}'::timestamp with time zone[])))
--| (1 row)
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'tac'::regclass;
--|                        pg_get_expr
--| ----------------------------------------------------------
--|  '{"2020-06-01 04:00:00+00"}'::timestamp with time zone[]
--| (1 row)
select pg_get_indexdef('tai'::regclass);
--|                                     pg_get_indexdef
--| ----------------------------------------------------------------------------------------
--|  CREATE INDEX tai ON public.ta USING btree (t) WHERE (d = ANY ('{2020-04-03}'::date[]))
--| (1 row)
reset datestyle;
--| RESET
reset timezone;
--| RESET
