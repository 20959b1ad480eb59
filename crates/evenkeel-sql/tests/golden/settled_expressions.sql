-- What depends on settings goes into no index and no generated column; what does not may.

create table vt (a date, b timestamp, c timestamptz, d text, e timetz, f time, g interval, h int[]);
--| CREATE TABLE
create index on vt ((a < b), (b = a), (a in ('2020-01-01', '2021-01-01')));
--| CREATE INDEX
create index on vt (date_trunc('day', c, 'UTC'), date_trunc('day', b), (f::text), (e::text), (e::time));
--| CREATE INDEX
create index on vt ((a < c));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on vt ((b >= c));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on vt (date_trunc('day', c));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on vt ((f::timetz));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on vt (nullif(a, c));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on vt ((a::text));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on vt ((g::text));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on vt ((d::time));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on vt (a) where b > a;
--| CREATE INDEX
create index on vt (a) where c > a;
--| ERROR:  42P17: functions in index predicate must be marked IMMUTABLE
create table shown (a date, b text generated always as (a::text) stored);
--| ERROR:  42P17: generation expression is not immutable
create table shown (a timestamp, b text generated always as (a::text) stored);
--| ERROR:  42P17: generation expression is not immutable
create table shown (a interval, b text generated always as (a::text) stored);
--| ERROR:  42P17: generation expression is not immutable
create table shown (a date[], b text generated always as (a::text) virtual);
--| ERROR:  42P17: generation expression is not immutable
create table read (a text, b date generated always as (a::date) stored);
--| ERROR:  42P17: generation expression is not immutable
create table read (a text, b time generated always as (a::time) stored);
--| ERROR:  42P17: generation expression is not immutable
create table read (a text, b int[] generated always as (a::int[]) stored);
--| ERROR:  42P17: generation expression is not immutable
create table zoned (a time, b timetz generated always as (a::timetz) stored);
--| ERROR:  42P17: generation expression is not immutable
create table zoned (a timestamptz, b bool generated always as (a > date '2020-01-01') stored);
--| ERROR:  42P17: generation expression is not immutable
create table settled (a timestamptz, b timestamptz generated always as (date_trunc('day', a, 'UTC')) stored, c time, d text generated always as (c::text) stored, e int, f text generated always as (e::text || 'x') stored);
--| CREATE TABLE
insert into settled (a, c, e) values ('2024-01-02 03:04+00', '5:06', 7) returning b at time zone 'UTC', d, f;
--|       timezone       |    d     | f
--| ---------------------+----------+----
--|  2024-01-02 00:00:00 | 05:06:00 | 7x
--| (1 row)
--| INSERT 0 1
-- a date beside a timestamp is its midnight, whatever the zone
set timezone = 'America/Sao_Paulo';
--| SET
select date '2018-11-04' < timestamp '2018-11-04 00:30', date '2018-11-04' < timestamp '2018-11-04 01:00', date '2018-11-04' = timestamp '2018-11-04 01:00', timestamp '2018-11-04' = date '2018-11-04', nullif(date '2018-11-04', timestamp '2018-11-04 01:00'), date '2018-11-04' in (timestamp '2018-11-04 01:00'), date '2018-11-04' between timestamp '2018-11-03 23:00' and timestamp '2018-11-04';
--|  ?column? | ?column? | ?column? | ?column? |   nullif   | ?column? | ?column?
--| ----------+----------+----------+----------+------------+----------+----------
--|  t        | t        | f        | t        | 2018-11-04 | f        | t
--| (1 row)
select array[date '2018-11-04'] @> array[date '2018-11-04'], row(date '2018-11-04', 1) < row(timestamp '2018-11-04 01:00', 0);
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
select date '2018-11-04' < timestamptz '2018-11-04 00:30', date 'infinity' > timestamp '2018-11-04', date '-infinity' = timestamp '-infinity';
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  t        | t        | t
--| (1 row)
create table md (d date primary key);
--| CREATE TABLE
insert into md values ('2018-11-03'), ('2018-11-04'), ('2018-11-05');
--| INSERT 0 3
select * from md where d = timestamp '2018-11-04' order by d;
--|      d
--| ------------
--|  2018-11-04
--| (1 row)
select * from md where d > timestamp '2018-11-03 12:00' order by d;
--|      d
--| ------------
--|  2018-11-04
--|  2018-11-05
--| (2 rows)
select * from md join (values (timestamp '2018-11-04'), (timestamp '2018-11-05 01:00')) v(t) on d = t;
--|      d      |          t
--| ------------+---------------------
--|  2018-11-04 | 2018-11-04 00:00:00
--| (1 row)
