-- Where parameters, modifiers, operators and strings may stand.
create table p1 (a int primary key with (fillfactor = 70), b int unique with (fillfactor = 80) using index tablespace pg_default, c int constraint named unique with (deduplicate_items = off) not null);
--| CREATE TABLE
create table p2 (a int primary key with (fillfactor = 5));
--| ERROR:  22023: value 5 out of bounds for option "fillfactor"
--| DETAIL:  Valid values are between "10" and "100".
create table p3 (a int primary key with (nosuch = 5));
--| ERROR:  22023: unrecognized parameter "nosuch"
create table p3 (a int check (a > 0) with (fillfactor = 70));
--| ERROR:  42601: syntax error at or near "with"
alter table p1 add column d int unique with (fillfactor = 60);
--| ALTER TABLE
select relname, reloptions from pg_class where relname like 'p1\_%' or relname = 'named' order by 1;
--|  relname  |       reloptions
--| ----------+-------------------------
--|  named    | {deduplicate_items=off}
--|  p1_b_key | {fillfactor=80}
--|  p1_d_key | {fillfactor=60}
--|  p1_pkey  | {fillfactor=70}
--| (4 rows)
create table c1 tablespace pg_default as select 1 as x;
--| SELECT 1
create temp table c2 (x) with (fillfactor = 70) on commit preserve rows tablespace pg_default as select 1;
--| SELECT 1
create table c3 tablespace nosuch as select 1;
--| ERROR:  42704: tablespace "nosuch" does not exist
create table tablespace (tablespace int);
--| CREATE TABLE
create table s1 (a int) with (autovacuum_enabled, fillfactor = 70, toast.autovacuum_enabled = off);
--| CREATE TABLE
create table s2 (a int) with (nosuch.fillfactor = 70);
--| ERROR:  22023: unrecognized parameter namespace "nosuch"
create table s3 with (autovacuum_enabled) as select 1 as x;
--| SELECT 1
select relname, reloptions from pg_class where relname like 's_' order by 1;
--|  relname |               reloptions
--| ---------+-----------------------------------------
--|  s1      | {autovacuum_enabled=true,fillfactor=70}
--|  s3      | {autovacuum_enabled=true}
--| (2 rows)
select numeric(10,1) '1.55', decimal(3,1) '22.25', varchar(3) 'abcdef', bpchar(2) 'abc', nchar(2) 'abc', national character varying(2) 'abc', timestamp(0) '2020-01-01 00:00:00.6', interval(1) '1.26 s';
--|  numeric | numeric | varchar | bpchar | bpchar | varchar |      timestamp      |  interval
--| ---------+---------+---------+--------+--------+---------+---------------------+------------
--|      1.6 |    22.3 | abc     | ab     | ab     | ab      | 2020-01-01 00:00:01 | 00:00:01.3
--| (1 row)
select pg_catalog.numeric(10,2) '1.5', pg_catalog.varchar(2) 'abc', "varchar"(2) 'abc', pg_catalog.int4 '5', "numeric"(3,1) '5.55';
--|  numeric | varchar | varchar | int4 | numeric
--| ---------+---------+---------+------+---------
--|     1.50 | ab      | ab      |    5 |     5.6
--| (1 row)
select text(3) 'abc';
--| ERROR:  42601: type modifier is not allowed for type "text"
select nosuch(3) 'abc';
--| ERROR:  42704: type "nosuch" does not exist
select varchar(0) 'a';
--| ERROR:  22023: length for type varchar must be at least 1
select operator(pg_catalog.-) 5, operator(-) 3, 3 operator(=) 3, 2 operator(*) 3 + 4, operator(pg_catalog.~) 5, operator(nosuch.-) 5;
--| ERROR:  3F000: schema "nosuch" does not exist
select operator(-) 3, 3 operator(=) 3, 2 operator(*) 3 + 4, operator(pg_catalog.~) 5, - operator(pg_catalog.-) 5;
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|        -3 | t        |       14 |       -6 |        5
--| (1 row)
create table k (a text primary key, b text);
--| CREATE TABLE
insert into k values ('a', 'b') on conflict (a desc) do nothing;
--| ERROR:  42P10: ASC/DESC is not allowed in ON CONFLICT clause
insert into k values ('a', 'b') on conflict (a nulls first) do nothing;
--| ERROR:  42P10: NULLS FIRST/LAST is not allowed in ON CONFLICT clause
insert into k values ('a', 'b') on conflict (a collate "C" asc) do nothing;
--| ERROR:  42P10: ASC/DESC is not allowed in ON CONFLICT clause
insert into k values ('a', 'b') on conflict (a collate "C" text_ops) do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
select B'01'
'10', X'1'
  'F', N'a'
'b', 'c' -- and on
 'd', E'e'
'\n' = E'e\n';
--|  ?column? | ?column? | bpchar | ?column? | ?column?
--| ----------+----------+--------+----------+----------
--|  0110     | 00011111 | ab     | cd       | t
--| (1 row)
select B'01' '10';
--| ERROR:  42601: syntax error at or near "'10'"
select * from (values (1)) s for update of s;
--|  column1
--| ---------
--|        1
--| (1 row)
select * from generate_series(1, 2) s for update of s;
--| ERROR:  0A000: FOR UPDATE cannot be applied to a function
with c as (select 1) select * from c for update of c;
--| ERROR:  0A000: FOR UPDATE cannot be applied to a WITH query
select * from k, (select a from k) s for update of s;
--|  a | b | a
--| ---+---+---
--| (0 rows)
select set_config('work_mem', '8192', false), set_config('enable_seqscan', '1', false), set_config('datestyle', 'german', false), set_config('datestyle', 'dmy', false), set_config('timezone', 'utc', false), set_config('my.own', 'X', false), set_config('statement_timeout', '60s', false);
--|  set_config | set_config | set_config  | set_config  | set_config | set_config | set_config
--| ------------+------------+-------------+-------------+------------+------------+------------
--|  8MB        | on         | German, DMY | German, DMY | UTC        | X          | 1min
--| (1 row)
prepare p0 as select 1 as one;
--| PREPARE
execute p0 (5);
--|  one
--| -----
--|    1
--| (1 row)
execute p0 ();
--| ERROR:  42601: syntax error at or near ")"
prepare p as select $1::int as x;
--| PREPARE
execute p (1, 2);
--| ERROR:  42601: wrong number of parameters for prepared statement "p"
--| DETAIL:  Expected 1 parameters but got 2.
execute p ();
--| ERROR:  42601: syntax error at or near ")"
