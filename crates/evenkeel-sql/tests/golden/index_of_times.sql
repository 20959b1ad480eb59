-- Days and moments of different types beside an indexed column, estimates of times from now, and what texts begin with.
set timezone = 'America/St_Johns';
--| SET
create table ixt (id int, d date, ts timestamp, tz timestamptz);
--| CREATE TABLE
insert into ixt select g, date '2000-01-01' + g, timestamp '2000-01-01' + g * interval '7 hours', timestamptz '2000-01-01 00:00+00' + g * interval '7 hours' from generate_series(1, 5000) g;
--| INSERT 0 5000
insert into ixt values (0, null, null, null), (-1, 'infinity', 'infinity', 'infinity'), (-2, '-infinity', '-infinity', '-infinity');
--| INSERT 0 3
create index ixt_d on ixt (d);
--| CREATE INDEX
create index ixt_ts on ixt (ts);
--| CREATE INDEX
create index ixt_tz on ixt (tz desc);
--| CREATE INDEX
analyze ixt;
--| ANALYZE
explain (costs off) select id from ixt where tz > now() - interval '1 day';
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Index Scan using ixt_tz on ixt
--|    Index Cond: (tz > (now() - '1 day'::interval))
--|    Filter: (tz > (now() - '1 day'::interval))
--| (3 rows)
select id from ixt where tz > now() - interval '1 day';
--|  id
--| ----
--|  -1
--| (1 row)
explain (costs off) select id from ixt where ts >= current_date;
--|                QUERY PLAN
--| ----------------------------------------
--|  Index Scan using ixt_ts on ixt
--|    Index Cond: (ts >= "current_date"())
--|    Filter: (ts >= "current_date"())
--| (3 rows)
select id from ixt where ts >= current_date;
--|  id
--| ----
--|  -1
--| (1 row)
explain (costs off) select id from ixt where d > date_trunc('month', now());
--|                       QUERY PLAN
--| ------------------------------------------------------
--|  Index Scan using ixt_d on ixt
--|    Index Cond: (d > date_trunc('month'::text, now()))
--|    Filter: (d > date_trunc('month'::text, now()))
--| (3 rows)
select id from ixt where d > date_trunc('month', now());
--|  id
--| ----
--|  -1
--| (1 row)
explain (costs off) select id from ixt where tz between date '2003-10-26' and date '2003-10-27';
--|                                 QUERY PLAN
--| ---------------------------------------------------------------------------
--|  Index Scan using ixt_tz on ixt
--|    Index Cond: ((tz >= '2003-10-26'::date) AND (tz <= '2003-10-27'::date))
--|    Filter: ((tz >= '2003-10-26'::date) AND (tz <= '2003-10-27'::date))
--| (3 rows)
select id from ixt where tz between date '2003-10-26' and date '2003-10-27' order by id;
--|   id
--| ------
--|  4780
--|  4781
--|  4782
--|  4783
--| (4 rows)
explain (costs off) select id from ixt where tz = date '2000-01-15';
--|                QUERY PLAN
--| -----------------------------------------
--|  Index Scan using ixt_tz on ixt
--|    Index Cond: (tz = '2000-01-15'::date)
--| (2 rows)
select id from ixt where tz = timestamp '2000-01-01 10:30';
--|  id
--| ----
--|   2
--| (1 row)
select id, tz from ixt where tz >= timestamp '2003-10-26 00:30' order by tz limit 2;
--|   id  |            tz
--| ------+---------------------------
--|  4780 | 2003-10-26 00:30:00-03:30
--|  4781 | 2003-10-26 07:30:00-03:30
--| (2 rows)
select id from ixt where d = timestamp '2003-10-26' or d = timestamp '2003-10-27 12:00';
--|   id
--| ------
--|  1394
--| (1 row)
explain (costs off) select id from ixt where d = timestamptz '2003-10-26 02:30+00';
--|                               QUERY PLAN
--| -----------------------------------------------------------------------
--|  Seq Scan on ixt
--|    Filter: (d = '2003-10-26 00:00:00-02:30'::timestamp with time zone)
--| (2 rows)
select id from ixt where d = timestamptz '2003-10-26 02:30+00';
--|  id
--| ----
--| (0 rows)
select id from ixt where ts = timestamptz '2003-10-26 02:30+00';
--|  id
--| ----
--| (0 rows)
select id from ixt where d < timestamptz '2003-10-26 02:31+00' order by d desc limit 2;
--|   id
--| ------
--|  1393
--|  1392
--| (2 rows)
select id from ixt where d >= timestamptz '2003-10-26 02:31+00' order by d limit 2;
--|   id
--| ------
--|  1394
--|  1395
--| (2 rows)
select id from ixt where ts < timestamptz '2003-10-26 02:31+00' order by ts desc limit 2;
--|   id
--| ------
--|  4779
--|  4778
--| (2 rows)
select id from ixt where ts > date '5000000-01-01';
--|  id
--| ----
--|  -1
--| (1 row)
select id from ixt where ts < date '-infinity' or tz <= date '-infinity' or d < timestamp '-infinity';
--|  id
--| ----
--|  -2
--| (1 row)
select count(*) from ixt where ts < date '5000000-01-01';
--|  count
--| -------
--|   5001
--| (1 row)
select id from ixt where tz >= date '5000000-01-01';
--|  id
--| ----
--|  -1
--| (1 row)
select count(*) from ixt where d <= timestamptz 'infinity';
--|  count
--| -------
--|   5002
--| (1 row)
select id from ixt where ts = date '5000000-01-01' or ts = (select max(d) from ixt);
--|  id
--| ----
--|  -1
--| (1 row)
select id from ixt where d > (select max(ts) - interval '0' from ixt where id between 4990 and 5000) order by id limit 2;
--|   id
--| ------
--|    -1
--|  1459
--| (2 rows)
select count(*) from ixt where d > null::timestamptz;
--|  count
--| -------
--|      0
--| (1 row)
set timezone = 'UTC';
--| SET
create table ixl (id int, x text collate "C", y text, v varchar(20) collate "C", s text collate "sv-x-icu");
--| CREATE TABLE
insert into ixl select g, 'x' || g, 'x' || g, 'x' || g, 'x' || g from generate_series(1, 3000) g;
--| INSERT 0 3000
insert into ixl values (-1, 'x1' || chr(1114111) || 'a', 'a%', 'x', 'x'), (-2, null, null, null, null), (-3, '', '', '', '');
--| INSERT 0 3
create index ixl_x on ixl (x);
--| CREATE INDEX
create index ixl_y on ixl (y text_pattern_ops);
--| CREATE INDEX
create index ixl_v on ixl (v desc);
--| CREATE INDEX
create index ixl_s on ixl (s);
--| CREATE INDEX
analyze ixl;
--| ANALYZE
explain (costs off) select id from ixl where x like 'x123%';
--|                          QUERY PLAN
--| ------------------------------------------------------------
--|  Index Scan using ixl_x on ixl
--|    Index Cond: ((x >= 'x123'::text) AND (x < 'x124'::text))
--|    Filter: (x ~~ 'x123%'::text)
--| (3 rows)
select id from ixl where x like 'x123%' order by id;
--|   id
--| ------
--|   123
--|  1230
--|  1231
--|  1232
--|  1233
--|  1234
--|  1235
--|  1236
--|  1237
--|  1238
--|  1239
--| (11 rows)
explain (costs off) select id from ixl where x like 'x%';
--|          QUERY PLAN
--| -----------------------------
--|  Seq Scan on ixl
--|    Filter: (x ~~ 'x%'::text)
--| (2 rows)
select id from ixl where x like 'x1' || chr(1114111) || '%';
--|  id
--| ----
--|  -1
--| (1 row)
explain (costs off) select id from ixl where y like 'x299_';
--|                          QUERY PLAN
--| ------------------------------------------------------------
--|  Index Scan using ixl_y on ixl
--|    Index Cond: ((y >= 'x299'::text) AND (y < 'x29:'::text))
--|    Filter: (y ~~ 'x299_'::text)
--| (3 rows)
select id from ixl where y like 'x299_' order by id;
--|   id
--| ------
--|  2990
--|  2991
--|  2992
--|  2993
--|  2994
--|  2995
--|  2996
--|  2997
--|  2998
--|  2999
--| (10 rows)
select id from ixl where y like 'a\%';
--|  id
--| ----
--|  -1
--| (1 row)
select id from ixl where y like '';
--|  id
--| ----
--|  -3
--| (1 row)
explain (costs off) select id from ixl where v ~ '^x29{2}7';
--|                        QUERY PLAN
--| --------------------------------------------------------
--|  Index Scan using ixl_v on ixl
--|    Index Cond: ((v >= 'x2'::text) AND (v < 'x3'::text))
--|    Filter: ((v)::text ~ '^x29{2}7'::text)
--| (3 rows)
select id from ixl where v ~ '^x29{2}7';
--|   id
--| ------
--|  2997
--| (1 row)
select id from ixl where v ~ '^x2997?$' order by id;
--|   id
--| ------
--|   299
--|  2997
--| (2 rows)
select id from ixl where v ~ '^x2997|^x2998' order by id;
--|   id
--| ------
--|  2997
--|  2998
--| (2 rows)
explain (costs off) select id from ixl where x ^@ 'x2999';
--|                           QUERY PLAN
--| --------------------------------------------------------------
--|  Index Scan using ixl_x on ixl
--|    Index Cond: ((x >= 'x2999'::text) AND (x < 'x299:'::text))
--|    Filter: (x ^@ 'x2999'::text)
--| (3 rows)
select id from ixl where x ^@ 'x2999';
--|   id
--| ------
--|  2999
--| (1 row)
explain (costs off) select id from ixl where s like 'x2999%';
--|            QUERY PLAN
--| ---------------------------------
--|  Seq Scan on ixl
--|    Filter: (s ~~ 'x2999%'::text)
--| (2 rows)
select id from ixl where s like 'x2999%';
--|   id
--| ------
--|  2999
--| (1 row)
select id from ixl where x not like 'x%' order by id;
--|  id
--| ----
--|  -3
--| (1 row)
-- A day and a moment that are equal are of one day.
create table ixd (d date);
--| CREATE TABLE
create table ixm (ts timestamp, tz timestamptz);
--| CREATE TABLE
set timezone = 'America/Havana';
--| SET
insert into ixd select date '2005-10-20' + g from generate_series(0, 30) g;
--| INSERT 0 31
insert into ixd values (null), ('infinity');
--| INSERT 0 2
insert into ixm select timestamp '2005-10-20' + g * interval '12 hours', timestamp '2005-10-20' + g * interval '12 hours' from generate_series(0, 60) g;
--| INSERT 0 61
insert into ixm values (null, null), ('infinity', 'infinity');
--| INSERT 0 2
explain (costs off) select count(*) from ixd join ixm on d = ts;
--|                  QUERY PLAN
--| ---------------------------------------------
--|  Aggregate
--|    ->  Hash Join
--|          Hash Cond: (ixd.d = (ixm.ts)::date)
--|          Join Filter: (ixd.d = ixm.ts)
--|          ->  Seq Scan on ixd
--|          ->  Hash
--|                ->  Seq Scan on ixm
--| (7 rows)
select count(*), min(d), max(ts) from ixd join ixm on d = ts;
--|  count |    min     |   max
--| -------+------------+----------
--|     32 | 2005-10-20 | infinity
--| (1 row)
select count(*), min(d), max(tz) from ixd join ixm on d = tz;
--|  count |    min     |   max
--| -------+------------+----------
--|     32 | 2005-10-20 | infinity
--| (1 row)
select count(*) from ixd left join ixm on d = ts;
--|  count
--| -------
--|     33
--| (1 row)
select count(*) from ixd full join ixm on tz = d;
--|  count
--| -------
--|     64
--| (1 row)
select count(*) from ixd where d in (select ts from ixm);
--|  count
--| -------
--|     32
--| (1 row)
select count(*) from ixd where exists (select 1 from ixm where tz = d);
--|  count
--| -------
--|     32
--| (1 row)
select count(*) from ixm where not exists (select 1 from ixd where tz = d and d < '2005-11-01');
--|  count
--| -------
--|     51
--| (1 row)
select count(*) from ixm a join ixm b on a.ts = b.tz;
--|  count
--| -------
--|     62
--| (1 row)
