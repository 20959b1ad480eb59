-- time and timetz: columns, modifiers, indexes, COPY, statistics, the clocks.

create table slots (id int primary key, t time, tz timetz, p time(1), q timetz(0)[]);
--| CREATE TABLE
insert into slots values (1, '12:00', '12:00+01', '12:34:56.78', '{12:34:56.78+00}'), (2, '09:30:15.25', '09:00-05', null, null), (3, null, null, '23:59:59.96', '{}');
--| INSERT 0 3
select * from slots order by id;
--|  id |      t      |     tz      |     p      |       q
--| ----+-------------+-------------+------------+---------------
--|   1 | 12:00:00    | 12:00:00+01 | 12:34:56.8 | {12:34:57+00}
--|   2 | 09:30:15.25 | 09:00:00-05 |            |
--|   3 |             |             | 24:00:00   | {}
--| (3 rows)
select id from slots where t < '12:00';
--|  id
--| ----
--|   2
--| (1 row)
select id from slots where tz = '12:00+01';
--|  id
--| ----
--|   1
--| (1 row)
create index on slots (t);
--| CREATE INDEX
create index on slots (tz time_ops);
--| ERROR:  42804: operator class "time_ops" does not accept data type time with time zone
create index on slots (tz timetz_ops desc);
--| CREATE INDEX
select id from slots where t between '09:00' and '10:00';
--|  id
--| ----
--|   2
--| (1 row)
select id, tz from slots order by tz desc nulls last;
--|  id |     tz
--| ----+-------------
--|   2 | 09:00:00-05
--|   1 | 12:00:00+01
--|   3 |
--| (3 rows)
select t, count(*) from slots group by t order by t;
--|       t      | count
--| -------------+-------
--|  09:30:15.25 |     1
--|  12:00:00    |     1
--|              |     1
--| (3 rows)
select distinct tz from slots order by 1;
--|      tz
--| -------------
--|  12:00:00+01
--|  09:00:00-05
--|
--| (3 rows)
analyze slots;
--| ANALYZE
select id from slots where t > time '11:00';
--|  id
--| ----
--|   1
--| (1 row)
select format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'slots'::regclass and attnum > 1 order by attnum;
--|         format_type
--| ---------------------------
--|  time without time zone
--|  time with time zone
--|  time(1) without time zone
--|  time(0) with time zone[]
--| (4 rows)
select typname, typlen, typbyval, typalign, typstorage, typcategory from pg_type where typname in ('time', 'timetz') order by 1;
--|  typname | typlen | typbyval | typalign | typstorage | typcategory
--| ---------+--------+----------+----------+------------+-------------
--|  time    |      8 | t        | d        | p          | D
--|  timetz  |     12 | f        | d        | p          | D
--| (2 rows)
copy slots from stdin;
--< 10	01:02:03	01:02:03+02	\N	{01:02:03+02}
--| COPY 1
copy slots from stdin;
--< 11	25:00	\N	\N	\N
--| ERROR:  22008: date/time field value out of range: "25:00"
--| CONTEXT:  COPY slots, line 1, column t: "25:00"
copy (select * from slots where id = 10) to stdout;
--| 10	01:02:03	01:02:03+02	\N	{01:02:03+02}
select min(t), max(t), min(tz), max(tz) from slots;
--|    min    |   max    |     min     |     max
--| ----------+----------+-------------+-------------
--|  01:02:03 | 12:00:00 | 01:02:03+02 | 09:00:00-05
--| (1 row)
update slots set t = t + interval '1 hour' where id = 1 returning t;
--|     t
--| ----------
--|  13:00:00
--| (1 row)
--| UPDATE 1
select date '2024-02-29' + t as at from slots where id = 1;
--|          at
--| ---------------------
--|  2024-02-29 13:00:00
--| (1 row)
select pg_typeof(current_time), pg_typeof(localtime), pg_typeof(current_time(2)), pg_typeof(localtime(2));
--|       pg_typeof      |       pg_typeof        |      pg_typeof      |       pg_typeof
--| ---------------------+------------------------+---------------------+------------------------
--|  time with time zone | time without time zone | time with time zone | time without time zone
--| (1 row)
select localtime = current_time::time as same, localtime = localtimestamp::time as too;
--|  same | too
--| ------+-----
--|  t    | t
--| (1 row)
select cast('04:05' as time without time zone) as a, cast('04:05+00' as time with time zone) as b, time with time zone '04:05+01' as c, time(0) '04:05:06.7' as d;
--|     a     |      b      |      c      |    d
--| ----------+-------------+-------------+----------
--|  04:05:00 | 04:05:00+00 | 04:05:00+01 | 04:05:07
--| (1 row)
select t::time(0), t::text, extract(hour from t) as h from slots where id = 2;
--|     t     |      t      | h
--| ----------+-------------+---
--|  09:30:15 | 09:30:15.25 | 9
--| (1 row)
create table bad (t time(-1));
--| ERROR:  42601: syntax error at or near "-"
select time '12:00' at time zone 'UTC' as z;
--|       z
--| -------------
--|  12:00:00+00
--| (1 row)
select timetz '12:00+00' at time zone '+02' as z;
--|       z
--| -------------
--|  10:00:00-02
--| (1 row)
