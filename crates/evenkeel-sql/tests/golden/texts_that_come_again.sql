-- A text that comes again is read anew: zone, styles and labels may have changed.
create table w(n int, ts timestamptz);
--| CREATE TABLE
set timezone='UTC';
--| SET
insert into w values (1, '2001-01-01 00:00');
--| INSERT 0 1
set timezone='Asia/Tokyo';
--| SET
insert into w values (1, '2001-01-01 00:00');
--| INSERT 0 1
set timezone='UTC';
--| SET
select * from w order by ts;
--|  n |           ts
--| ---+------------------------
--|  1 | 2000-12-31 15:00:00+00
--|  1 | 2001-01-01 00:00:00+00
--| (2 rows)
select timestamptz '2000-01-01 01:01:01';
--|       timestamptz
--| ------------------------
--|  2000-01-01 01:01:01+00
--| (1 row)
set timezone='America/New_York';
--| SET
select timestamptz '2000-01-01 01:01:01';
--|       timestamptz
--| ------------------------
--|  2000-01-01 01:01:01-05
--| (1 row)
create table u(d date);
--| CREATE TABLE
set datestyle='ISO,MDY';
--| SET
insert into u values ('03/04/2001');
--| INSERT 0 1
set datestyle='ISO,DMY';
--| SET
insert into u values ('03/04/2001');
--| INSERT 0 1
select * from u order by d;
--|      d
--| ------------
--|  2001-03-04
--|  2001-04-03
--| (2 rows)
set timezone='UTC';
--| SET
begin;
--| BEGIN
set local timezone='Asia/Tokyo';
--| SET
select timestamptz '2005-01-01';
--|       timestamptz
--| ------------------------
--|  2005-01-01 00:00:00+09
--| (1 row)
commit;
--| COMMIT
select timestamptz '2005-01-01';
--|       timestamptz
--| ------------------------
--|  2005-01-01 00:00:00+00
--| (1 row)
select time with time zone '10:00';
--|    timetz
--| -------------
--|  10:00:00+00
--| (1 row)
set timezone='Asia/Tokyo';
--| SET
select time with time zone '10:00';
--|    timetz
--| -------------
--|  10:00:00+09
--| (1 row)
set intervalstyle='postgres';
--| SET
select interval '-1 2:03:04';
--|      interval
--| -------------------
--|  -1 days +02:03:04
--| (1 row)
set intervalstyle='sql_standard';
--| SET
select interval '-1 2:03:04';
--|   interval
--| ------------
--|  -1 2:03:04
--| (1 row)
set array_nulls=on;
--| SET
select '{NULL}'::text[] is null, ('{NULL}'::text[])[1] is null;
--|  ?column? | ?column?
--| ----------+----------
--|  f        | t
--| (1 row)
set array_nulls=off;
--| SET
select '{NULL}'::text[] is null, ('{NULL}'::text[])[1] is null;
--|  ?column? | ?column?
--| ----------+----------
--|  f        | f
--| (1 row)
create type mood as enum ('sad','glad');
--| CREATE TYPE
select 'sad'::mood;
--|  mood
--| ------
--|  sad
--| (1 row)
alter type mood rename value 'sad' to 'blue';
--| ALTER TYPE
select 'sad'::mood;
--| ERROR:  22P02: invalid input value for enum mood: "sad"
create table v(m mood, k int); 
--| CREATE TABLE
insert into v values ('glad', 1);
--| INSERT 0 1
alter type mood rename value 'glad' to 'x';
--| ALTER TYPE
alter type mood rename value 'blue' to 'glad';
--| ALTER TYPE
insert into v values ('glad', 1);
--| INSERT 0 1
select * from v;
--|   m   | k
--| ------+---
--|  x    | 1
--|  glad | 1
--| (2 rows)
