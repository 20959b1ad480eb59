-- CLUSTER: a table's rows lie in the order of an index, and that index is marked.

create table t (a int primary key, b int, c text, d int generated always as (b * 2) stored, e int);
--| CREATE TABLE
alter table t drop column e;
--| ALTER TABLE
create index tb on t (b);
--| CREATE INDEX
create index te on t ((b % 3), a desc);
--| CREATE INDEX
create unique index tp on t (c) where b > 0;
--| CREATE INDEX
create index th on t using hash (b);
--| CREATE INDEX
insert into t select i, 10 - i, 'x' || i from generate_series(1, 8) i;
--| INSERT 0 8
insert into t values (9, null, repeat('long ', 2000)), (10, null, null);
--| INSERT 0 2
alter table t add f text default 'later';
--| ALTER TABLE
delete from t where a = 3;
--| DELETE 1
create view order_of as select relname from pg_index join pg_class on oid = indexrelid where indisclustered;
--| CREATE VIEW
select a, b from t;
--|  a  | b
--| ----+---
--|   1 | 9
--|   2 | 8
--|   4 | 6
--|   5 | 5
--|   6 | 4
--|   7 | 3
--|   8 | 2
--|   9 |
--|  10 |
--| (9 rows)
cluster t;
--| ERROR:  42704: there is no previously clustered index for table "t"
cluster t using tb;
--| CLUSTER
select a, b, d, f, length(c) from t;
--|  a  | b | d  |   f   | length
--| ----+---+----+-------+--------
--|   8 | 2 |  4 | later |      2
--|   7 | 3 |  6 | later |      2
--|   6 | 4 |  8 | later |      2
--|   5 | 5 | 10 | later |      2
--|   4 | 6 | 12 | later |      2
--|   2 | 8 | 16 | later |      2
--|   1 | 9 | 18 | later |      2
--|   9 |   |    | later |  10000
--|  10 |   |    | later |
--| (9 rows)
select * from order_of;
--|  relname
--| ---------
--|  tb
--| (1 row)
insert into t values (3, 100);
--| INSERT 0 1
select a, d from t;
--|  a  |  d
--| ----+-----
--|   8 |   4
--|   7 |   6
--|   6 |   8
--|   5 |  10
--|   4 |  12
--|   2 |  16
--|   1 |  18
--|   9 |
--|  10 |
--|   3 | 200
--| (10 rows)
cluster;
--| CLUSTER
select a, d from t;
--|  a  |  d
--| ----+-----
--|   8 |   4
--|   7 |   6
--|   6 |   8
--|   5 |  10
--|   4 |  12
--|   2 |  16
--|   1 |  18
--|   3 | 200
--|   9 |
--|  10 |
--| (10 rows)
cluster (verbose) t using te;
--| INFO:  clustering "public.t" using sequential scan and sort
--| CLUSTER
select b % 3, a from t;
--|  ?column? | a
--| ----------+----
--|         0 |  7
--|         0 |  4
--|         0 |  1
--|         1 |  6
--|         1 |  3
--|         2 |  8
--|         2 |  5
--|         2 |  2
--|           | 10
--|           |  9
--| (10 rows)
select * from order_of;
--|  relname
--| ---------
--|  te
--| (1 row)
cluster tb on t;
--| CLUSTER
select a, ctid from t where b < 4;
--|  a | ctid
--| ---+-------
--|  8 | (0,1)
--|  7 | (0,2)
--| (2 rows)
-- Keys hold as before.
insert into t values (1);
--| ERROR:  23505: duplicate key value violates unique constraint "t_pkey"
--| DETAIL:  Key (a)=(1) already exists.
select a from t where b = 5;
--|  a
--| ---
--|  5
--| (1 row)
alter table t cluster on te;
--| ALTER TABLE
select * from order_of;
--|  relname
--| ---------
--|  te
--| (1 row)
alter table t set without cluster;
--| ALTER TABLE
select * from order_of;
--|  relname
--| ---------
--| (0 rows)
cluster t;
--| ERROR:  42704: there is no previously clustered index for table "t"

cluster t using tp;
--| ERROR:  0A000: cannot cluster on partial index "tp"
cluster t using th;
--| ERROR:  0A000: cannot cluster on index "th" because access method does not support clustering
cluster t using nope;
--| ERROR:  42704: index "nope" for table "t" does not exist
alter table t cluster on nope;
--| ERROR:  42704: index "nope" for table "t" does not exist
create table t2 (a int primary key);
--| CREATE TABLE
cluster t2 using tb;
--| ERROR:  42809: "tb" is not an index for table "t2"
alter table t2 cluster on tb;
--| ERROR:  42809: "tb" is not an index for table "t2"
cluster nope using nope;
--| ERROR:  42P01: relation "nope" does not exist
create view v as select 1;
--| CREATE VIEW
cluster v using tb;
--| ERROR:  42809: "v" is not a table or materialized view
cluster (foo) t;
--| ERROR:  42601: unrecognized CLUSTER option "foo"
begin;
--| BEGIN
cluster;
--| ERROR:  25001: CLUSTER cannot run inside a transaction block
rollback;
--| ROLLBACK
begin;
--| BEGIN
cluster t using t_pkey;
--| CLUSTER
select a, d from t limit 2;
--|  a | d
--| ---+----
--|  1 | 18
--|  2 | 16
--| (2 rows)
rollback;
--| ROLLBACK
select a, d from t limit 2;
--|  a | d
--| ---+---
--|  8 | 4
--|  7 | 6
--| (2 rows)
begin;
--| BEGIN
declare c cursor for select * from t;
--| DECLARE CURSOR
fetch c;
--|  a | b | c  | d |   f
--| ---+---+----+---+-------
--|  8 | 2 | x8 | 4 | later
--| (1 row)
cluster t using tb;
--| ERROR:  55006: cannot CLUSTER "t" because it is being used by active queries in this session
rollback;
--| ROLLBACK
create materialized view m as select a, -a as n from t;
--| SELECT 10
create index mn on m (n);
--| CREATE INDEX
cluster m using mn;
--| CLUSTER
select a from m limit 2;
--|  a
--| ----
--|  10
--|   9
--| (2 rows)
create role other;
--| CREATE ROLE
set role other;
--| SET
cluster t using tb;
--| ERROR:  42501: permission denied for table t
cluster;
--| WARNING:  permission denied to cluster "m", skipping it
--| CLUSTER
reset role;
--| RESET
create temp table tmp (a int);
--| CREATE TABLE
create index tmpa on tmp (a);
--| CREATE INDEX
insert into tmp values (2), (1);
--| INSERT 0 2
cluster tmp using tmpa;
--| CLUSTER
select * from tmp;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)

-- ALTER INDEX … SET STATISTICS: of expressions alone.
create index ti on t2 (a, (a + 1), (a * 2)) include (a);
--| CREATE INDEX
alter index ti alter column 2 set statistics 100;
--| ALTER INDEX
alter index ti alter 3 set statistics 20000;
--| WARNING:  lowering statistics target to 10000
--| ALTER INDEX
select attnum, attname, attstattarget from pg_attribute where attrelid = 'ti'::regclass order by 1;
--|  attnum | attname | attstattarget
--| --------+---------+---------------
--|       1 | a       |
--|       2 | expr    |           100
--|       3 | expr1   |         10000
--|       4 | a1      |
--| (4 rows)
alter index ti alter column expr set statistics default;
--| ALTER INDEX
alter index ti alter column 3 set statistics -1;
--| ALTER INDEX
select attnum, attname, attstattarget from pg_attribute where attrelid = 'ti'::regclass order by 1;
--|  attnum | attname | attstattarget
--| --------+---------+---------------
--|       1 | a       |
--|       2 | expr    |
--|       3 | expr1   |
--|       4 | a1      |
--| (4 rows)
alter index ti alter column 1 set statistics 1;
--| ERROR:  0A000: cannot alter statistics on non-expression column "a" of index "ti"
--| HINT:  Alter statistics on table column instead.
alter index ti alter column 4 set statistics 1;
--| ERROR:  0A000: cannot alter statistics on included column "a1" of index "ti"
alter index ti alter column 5 set statistics 1;
--| ERROR:  42703: column number 5 of relation "ti" does not exist
alter index ti alter column 0 set statistics 1;
--| ERROR:  22023: column number must be in range from 1 to 32767
alter index ti alter column nope set statistics 1;
--| ERROR:  42703: column "nope" of relation "ti" does not exist
alter index ti alter column 2 set statistics -2;
--| ERROR:  22023: statistics target -2 is too low
