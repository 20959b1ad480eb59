-- Words that are keywords elsewhere are names here.
create table directory (id int primary key, directory text);
--| CREATE TABLE
insert into directory values (1, 'a');
--| INSERT 0 1
insert into directory (id, directory) values (2, 'b') on conflict (id) do update set directory = excluded.directory;
--| INSERT 0 1
create table local (local int);
--| CREATE TABLE
insert into local values (1);
--| INSERT 0 1
insert into local (local) select 2;
--| INSERT 0 1
select local.local, d.directory from local join directory d on d.id = local.local order by local.local;
--|  local | directory
--| -------+-----------
--|      1 | a
--|      2 | b
--| (2 rows)
create table t (a int, interval int, trim text, "exists" bool, unnest int, replace text, format text);
--| CREATE TABLE
insert into t values (1, 5, ' x ', true, 3, 'r', 'f');
--| INSERT 0 1
select interval, interval + 1, count(interval), max(t.interval) from t where interval > 1 and not interval = 7 group by interval having interval < 9 order by interval desc;
--|  interval | ?column? | count | max
--| ----------+----------+-------+-----
--|         5 |        6 |     1 |   5
--| (1 row)
select case when interval = 5 then interval else interval end, (interval), interval::text, 1 + interval, -interval, coalesce(interval, 1) from t;
--|  interval | interval | interval | ?column? | ?column? | coalesce
--| ----------+----------+----------+----------+----------+----------
--|         5 |        5 | 5        |        6 |       -5 |        5
--| (1 row)
select interval '1 day', interval(0) '1.5 s', interval '5' day, '1 day'::interval, cast('1 h' as interval), '1' :: interval day;
--|  interval | interval | interval | interval | interval | interval
--| ----------+----------+----------+----------+----------+----------
--|  1 day    | 00:00:02 | 5 days   | 1 day    | 01:00:00 | 1 day
--| (1 row)
select trim, unnest, replace, exists, trim(trim), replace(replace, 'r', 's'), exists (select 1) from t;
--|  trim | unnest | replace | exists | btrim | replace | exists
--| ------+--------+---------+--------+-------+---------+--------
--|   x   |      3 | r       | t      | x     | s       | t
--| (1 row)
select unnest(array[1, 2]), unnest from t where exists and exists (select 1) and not exists (select 1 where false);
--|  unnest | unnest
--| --------+--------
--|       1 |      3
--|       2 |      3
--| (2 rows)
create index on t (interval desc) where interval > 0;
--| CREATE INDEX
alter table t alter interval type bigint using interval::bigint;
--| ALTER TABLE
alter table t add column i interval default interval '1 s', add j interval day to second;
--| ALTER TABLE
update t set interval = interval + 1, replace = 'x' where interval = 5 returning interval, i, j, replace;
--|  interval |    i     | j | replace
--| ----------+----------+---+---------
--|         6 | 00:00:01 |   | x
--| (1 row)
--| UPDATE 1
create table u (interval interval, a interval not null default '1 s', b interval[]);
--| CREATE TABLE
select interval from u;
--|  interval
--| ----------
--| (0 rows)
drop table if exists u;
--| DROP TABLE
prepare p (interval, int) as select $1, $2;
--| PREPARE
execute p ('1 s', 1);
--|  ?column? | ?column?
--| ----------+----------
--|  00:00:01 |        1
--| (1 row)
select x.a as top, x.a settings, x.a output from t x;
--|  top | settings | output
--| -----+----------+--------
--|    1 |        1 |      1
--| (1 row)
select top.a, settings.a, format.a, partition.a, anti.a from t top join t settings using (a), t format, t partition, t as anti;
--|  a | a | a | a | a
--| ---+---+---+---+---
--|  1 | 1 | 1 | 1 | 1
--| (1 row)
select a, sum(a) over (partition by a) from t partition;
--|  a | sum
--| ---+-----
--|  1 |   1
--| (1 row)
select cube.a, rollup.a from t cube, t rollup;
--|  a | a
--| ---+---
--|  1 | 1
--| (1 row)
select a, count(*) from t group by cube (a) order by 1;
--|  a | count
--| ---+-------
--|  1 |     1
--|    |     1
--| (2 rows)
select * from (select 1) qualify (x);
--|  x
--| ---
--|  1
--| (1 row)
create or replace view v as select a as sort, a as minus, a as open, a as div from t;
--| CREATE VIEW
select sort, minus, open, div from v where minus = 1 and div = 1;
--|  sort | minus | open | div
--| ------+-------+------+-----
--|     1 |     1 |    1 |   1
--| (1 row)
alter table t add projection int, drop projection;
--| ERROR:  42703: column "projection" of relation "t" does not exist
create table parent (a int primary key);
--| CREATE TABLE
create table child (a int references parent match full, b int constraint c references parent (a) match simple on delete cascade);
--| CREATE TABLE
select a match from parent;
--|  match
--| -------
--| (0 rows)
create temporary table g (a int);
--| CREATE TABLE
create local temporary table l (a int);
--| CREATE TABLE
-- Tables have no OIDs, and may be said to have none.
create table w (a int) without oids;
--| CREATE TABLE
create table w2 (a int, b text) with (oids = false);
--| CREATE TABLE
create table w3 (a int) with (fillfactor = 70, oids = on);
--| ERROR:  0A000: tables declared WITH OIDS are not supported
create table w3 with (oids = true) as select 1;
--| ERROR:  0A000: tables declared WITH OIDS are not supported
create table w3 without oids as select 1 as a;
--| SELECT 1
create temporary table w4 (a int) without oids on commit drop;
--| CREATE TABLE
alter table w set without oids;
--| ALTER TABLE
create table w5 (a int) with (oids = maybe);
--| ERROR:  42601: oids requires a Boolean value
create table w6 (a int) with (fillfactor = 70, oids = false);
--| CREATE TABLE
select reloptions from pg_class where relname = 'w6';
--|    reloptions
--| -----------------
--|  {fillfactor=70}
--| (1 row)
alter table w set with oids;
--| ERROR:  42601: syntax error at or near "with"
-- Labels without AS.
select 1 view, 2 cluster, 3 exclude, 4 explain, 5 analyze;
--|  view | cluster | exclude | explain | analyze
--| ------+---------+---------+---------+---------
--|     1 |       2 |       3 |       4 |       5
--| (1 row)
select a view from w view;
--|  view
--| ------
--| (0 rows)
select sum(a) over (order by a rows between 1 preceding and current row exclude ties) exclude from w cluster where cluster.a > 0;
--|  exclude
--| ---------
--| (0 rows)
create view labels as select 1 view, a cluster from w;
--| CREATE VIEW
select cluster, view from labels;
--|  cluster | view
--| ---------+------
--| (0 rows)
