-- System columns in pg_attribute, and sequences that are as their tables are.

create unlogged table u (a serial, b int generated always as identity, c int);
--| CREATE TABLE
create sequence alone;
--| CREATE SEQUENCE
create temp table tmp (a serial);
--| CREATE TABLE
select relname, relpersistence from pg_class where relkind in ('r', 'S') and relnamespace::regnamespace::text !~ '^(pg_catalog|information_schema)' order by 1;
--|   relname  | relpersistence
--| -----------+----------------
--|  alone     | p
--|  tmp       | t
--|  tmp_a_seq | t
--|  u         | u
--|  u_a_seq   | u
--|  u_b_seq   | u
--| (6 rows)
alter table u set logged;
--| ALTER TABLE
select relname, relpersistence from pg_class where relname like 'u%seq' order by 1;
--|  relname | relpersistence
--| ---------+----------------
--|  u_a_seq | p
--|  u_b_seq | p
--| (2 rows)
select attname, attnum, atttypid::regtype, attlen, attbyval, attalign, attnotnull from pg_attribute where attrelid = 'u'::regclass order by attnum;
--|  attname  | attnum | atttypid | attlen | attbyval | attalign | attnotnull
--| ----------+--------+----------+--------+----------+----------+------------
--|  tableoid |     -6 | oid      |      4 | t        | i        | t
--|  xmin     |     -2 | xid      |      4 | t        | i        | t
--|  ctid     |     -1 | tid      |      6 | f        | s        | t
--|  a        |      1 | integer  |      4 | t        | i        | t
--|  b        |      2 | integer  |      4 | t        | i        | t
--|  c        |      3 | integer  |      4 | t        | i        | f
--| (6 rows)
select ctid, tableoid::regclass, a from u;
--|  ctid | tableoid | a
--| ------+----------+---
--| (0 rows)
create view v as select * from u;
--| CREATE VIEW
create index ui on u (a);
--| CREATE INDEX
select attrelid::regclass, attname from pg_attribute where attrelid in ('v'::regclass, 'ui'::regclass) and attnum < 0;
--|  attrelid | attname
--| ----------+---------
--| (0 rows)
select column_name from information_schema.columns where table_name = 'u';
--|  column_name
--| -------------
--|  a
--|  b
--|  c
--| (3 rows)
