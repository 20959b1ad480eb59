-- Intervals: ISO 8601, units, ranges, styles; and what else of dates and times PostgreSQL's own scripts ask.

select interval 'P1Y2M3DT4H5M6.7S' as a, interval 'P1W' as b, interval 'P00021015T103020' as c, interval 'P0002-10-15T10:30:20' as d;
--|                 a                |   b    |                c                 |                d
--| ---------------------------------+--------+----------------------------------+----------------------------------
--|  1 year 2 mons 3 days 04:05:06.7 | 7 days | 2 years 10 mons 15 days 10:30:20 | 2 years 10 mons 15 days 10:30:20
--| (1 row)
select interval 'P0002', interval 'P0002-10', interval 'P0002-10-15T1S', interval 'PT10', interval 'PT10:30', interval 'PT103020';
--|  interval |    interval     |             interval             | interval | interval | interval
--| ----------+-----------------+----------------------------------+----------+----------+----------
--|  2 years  | 2 years 10 mons | 2 years 10 mons 15 days 00:00:01 | 10:00:00 | 10:30:00 | 10:30:20
--| (1 row)
select interval 'P-1Y0.5MT-1.5H', interval 'P1e1D', interval 'P.5D', interval 'PT2562047788.0152155019444';
--|           interval           | interval | interval |        interval
--| -----------------------------+----------+----------+-------------------------
--|  -1 years +15 days -01:30:00 | 10 days  | 12:00:00 | 2562047788:00:54.775429
--| (1 row)
select interval 'P';
--| ERROR:  22007: invalid input syntax for type interval: "P"
select interval 'P1';
--|  interval
--| ----------
--|  1 year
--| (1 row)
select interval 'P1Y2';
--| ERROR:  22007: invalid input syntax for type interval: "P1Y2"
select interval 'P1H';
--| ERROR:  22007: invalid input syntax for type interval: "P1H"
select interval 'P2147483648';
--| ERROR:  22015: interval field value out of range: "P2147483648"
select interval 'PT-2562047789';
--| ERROR:  22015: interval field value out of range: "PT-2562047789"
select interval 'PT2562047788.1:00:54.775807';
--| ERROR:  22015: interval field value out of range: "PT2562047788.1:00:54.775807"
select interval '4 millenniums 5 centuries 4 decades 1 year 4 months';
--|      interval
--| -------------------
--|  4541 years 4 mons
--| (1 row)
select interval '1 2:03' day to minute, interval '2:03' minute to second, interval '1.5 2' day to hour, interval '1-2' year to month;
--|     interval    | interval |    interval    |   interval
--| ----------------+----------+----------------+---------------
--|  1 day 02:03:00 | 00:02:03 | 1 day 14:00:00 | 1 year 2 mons
--| (1 row)
select interval '0.1 yrs 2147483647 months';
--| ERROR:  22015: interval field value out of range: "0.1 yrs 2147483647 months"
select interval 'P0.1Y2147483647M';
--| ERROR:  22015: interval field value out of range: "P0.1Y2147483647M"
select interval '-9223372036854775808 us', interval '-2147483648 months -2147483648 days -9223372036854775808 us';
--|          interval         | interval
--| --------------------------+-----------
--|  -2562047788:00:54.775808 | -infinity
--| (1 row)
select interval '9223372036854775808 us';
--| ERROR:  22015: interval field value out of range: "9223372036854775808 us"
select interval '-9223372036854775808 us ago';
--| ERROR:  22015: interval field value out of range: "-9223372036854775808 us ago"
select -('-9223372036854775808 us'::interval);
--| ERROR:  22008: interval out of range
select interval 'infinity ago';
--| ERROR:  22007: invalid input syntax for type interval: "infinity ago"
select interval '-infinity', interval '2147483647 months 2147483647 days 9223372036854775807 us';
--|  interval  | interval
--| -----------+----------
--|  -infinity | infinity
--| (1 row)
select justify_interval(interval '2147483647 days 24 hrs'), justify_interval(interval '-2147483648 days -24 hrs');
--|       justify_interval       |        justify_interval
--| -----------------------------+--------------------------------
--|  5965232 years 4 mons 8 days | -5965232 years -4 mons -9 days
--| (1 row)
set intervalstyle = 'sql_standard';
--| SET
select interval '-2147483647 months -2147483648 days -9223372036854775808 us', interval '1 year 2 mons', interval '-1 day 2 hours';
--|                      interval                      | interval |  interval
--| ---------------------------------------------------+----------+------------
--|  -178956970-7 -2147483648 -2562047788:00:54.775808 | 1-2      | -1 2:00:00
--| (1 row)
set intervalstyle = 'iso_8601';
--| SET
select interval '-2147483647 months -2147483648 days -9223372036854775808 us', interval '0', interval '1 year -2 days';
--|                       interval                       | interval | interval
--| -----------------------------------------------------+----------+----------
--|  P-178956970Y-7M-2147483648DT-2562047788H-54.775808S | PT0S     | P1Y-2D
--| (1 row)
set intervalstyle = 'postgres_verbose';
--| SET
select interval '-2147483647 months -2147483648 days -9223372036854775808 us', interval '-1 day 2 hours', interval '0';
--|                                    interval                                   |       interval       | interval
--| ------------------------------------------------------------------------------+----------------------+----------
--|  @ 178956970 years 7 mons 2147483648 days 2562047788 hours 54.775808 secs ago | @ 1 day -2 hours ago | @ 0
--| (1 row)
reset intervalstyle;
--| RESET
select make_interval(years := 1, months := -1, weeks := 5, mins := -180);
--|        make_interval
--| ---------------------------
--|  11 mons 35 days -03:00:00
--| (1 row)
select make_interval(secs := 1e308);
--| ERROR:  22003: value out of range: overflow
select timezone('infinity'::interval, '1995-08-06 12:12:12'::timestamp);
--| ERROR:  22023: interval time zone "infinity" must be finite
select timezone('1 month'::interval, '12:12:12'::timetz);
--| ERROR:  22023: interval time zone "1 mon" must not include months or days
select generate_series(timestamp '1995-08-06', timestamp '1996-08-06', interval 'infinity');
--| ERROR:  22023: step size cannot be infinite
select * from generate_series('2021-12-31 23:00:00+00'::timestamptz, '2021-09-30 22:00:00+00'::timestamptz, '-1 month'::interval, 'Europe/Warsaw');
--|     generate_series
--| ------------------------
--|  2021-12-31 23:00:00+00
--|  2021-11-30 23:00:00+00
--|  2021-10-31 23:00:00+00
--|  2021-09-30 22:00:00+00
--| (4 rows)
select generate_series(1, 2, 3, 'x');
--| ERROR:  42883: function generate_series(integer, integer, integer, unknown) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
set timezone = 'America/New_York';
--| SET
values (timestamptz '1978-07-07 19:38 Europe/Berlin' at local), (timestamp 'infinity');
--|        column1
--| ---------------------
--|  1978-07-07 14:38:00
--|  infinity
--| (2 rows)
select timestamp '1978-07-07 19:38' at local, timetz '10:00+05' at local = timezone(timetz '10:00+05');
--|         timezone        | ?column?
--| ------------------------+----------
--|  1978-07-07 19:38:00-04 | t
--| (1 row)
create view local_times as select timestamp '1978-07-07 19:38' at local as t;
--| CREATE VIEW
select pg_get_viewdef('local_times');
--|                                pg_get_viewdef
--| -----------------------------------------------------------------------------
--|   SELECT ('1978-07-07 19:38:00'::timestamp without time zone AT LOCAL) AS t;
--| (1 row)
select * from local_times;
--|            t
--| ------------------------
--|  1978-07-07 19:38:00-04
--| (1 row)
select make_timestamptz(2014, 12, 10, 10, 10, 10, 'FOO8BAR');
--|     make_timestamptz
--| ------------------------
--|  2014-12-10 13:10:10-05
--| (1 row)
select timestamptz(date '1994-01-01', time '11:00'), timestamptz(date '1994-01-01', timetz '11:00-5'), timestamptz(date 'infinity', time '11:00');
--|       timestamptz       |      timestamptz       | timestamptz
--| ------------------------+------------------------+-------------
--|  1994-01-01 11:00:00-05 | 1994-01-01 11:00:00-05 | infinity
--| (1 row)
reset timezone;
--| RESET
select make_date(-2147483648, 1, 1);
--| ERROR:  22008: date field value out of range: -2147483648-01-01
select to_char(i * interval '1mon', 'rm') from generate_series(-13, 13) i;
--|  to_char
--| ---------
--|  xii
--|  i
--|  ii
--|  iii
--|  iv
--|  v
--|  vi
--|  vii
--|  viii
--|  ix
--|  x
--|  xi
--|  xii
--|
--|  i
--|  ii
--|  iii
--|  iv
--|  v
--|  vi
--|  vii
--|  viii
--|  ix
--|  x
--|  xi
--|  xii
--|  i
--| (27 rows)
select i, to_timestamp('2018-11-02 12:34:56.123456', 'YYYY-MM-DD HH24:MI:SS.FF' || i) from generate_series(1, 6) i;
--|  i |         to_timestamp
--| ---+-------------------------------
--|  1 | 2018-11-02 12:34:56.1+00
--|  2 | 2018-11-02 12:34:56.12+00
--|  3 | 2018-11-02 12:34:56.123+00
--|  4 | 2018-11-02 12:34:56.1235+00
--|  5 | 2018-11-02 12:34:56.12346+00
--|  6 | 2018-11-02 12:34:56.123456+00
--| (6 rows)
select to_timestamp('1000000000,999', 'Y,YYY');
--| ERROR:  22008: value for "Y,YYY" in source string is out of range
select timestamp 'Jan 1, 4713 BC' + interval '109203489 days';
--|        ?column?
--| -----------------------
--|  294276-12-31 00:00:00
--| (1 row)
