-- Rows of a refreshed view are filled in from below, and its indexes built from them.
create table t (a int, b text);
--| CREATE TABLE
insert into t select i, 'x' || i from generate_series(1, 2000) i;
--| INSERT 0 2000
create materialized view mv as select a, b, a % 10 as c from t;
--| SELECT 2000
create unique index on mv (a);
--| CREATE INDEX
create index on mv (c, b);
--| CREATE INDEX
create index on mv (lower(b)) where c = 3;
--| CREATE INDEX
select count(*) from mv where c = 3;
--|  count
--| -------
--|    200
--| (1 row)
insert into t values (3000, 'y'), (3003, 'z');
--| INSERT 0 2
refresh materialized view mv;
--| REFRESH MATERIALIZED VIEW
select count(*), max(a) from mv;
--|  count | max
--| -------+------
--|   2002 | 3003
--| (1 row)
set enable_seqscan = off;
--| SET
select * from mv where a = 3003;
--|   a   | b | c
--| ------+---+---
--|  3003 | z | 3
--| (1 row)
select count(*) from mv where c = 3 and b > 'x1';
--|  count
--| -------
--|    201
--| (1 row)
select lower(b) from mv where lower(b) = 'z' and c = 3;
--|  lower
--| -------
--|  z
--| (1 row)
insert into t values (3000, 'dup');
--| INSERT 0 1
refresh materialized view mv;
--| ERROR:  23505: could not create unique index "mv_a_idx"
--| DETAIL:  Key (a)=(3000) is duplicated.
select count(*), max(a) from mv;
--|  count | max
--| -------+------
--|   2002 | 3003
--| (1 row)
delete from t where b = 'dup';
--| DELETE 1
begin;
--| BEGIN
refresh materialized view mv;
--| REFRESH MATERIALIZED VIEW
savepoint s;
--| SAVEPOINT
delete from t where a < 1000;
--| DELETE 999
refresh materialized view mv;
--| REFRESH MATERIALIZED VIEW
select count(*) from mv;
--|  count
--| -------
--|   1003
--| (1 row)
rollback to s;
--| ROLLBACK
select count(*) from mv;
--|  count
--| -------
--|   2002
--| (1 row)
select * from mv where a = 5;
--|  a | b  | c
--| ---+----+---
--|  5 | x5 | 5
--| (1 row)
commit;
--| COMMIT
refresh materialized view mv with no data;
--| REFRESH MATERIALIZED VIEW
select count(*) from mv;
--| ERROR:  55000: materialized view "mv" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
refresh materialized view concurrently mv;
--| ERROR:  0A000: CONCURRENTLY cannot be used when the materialized view is not populated
refresh materialized view mv;
--| REFRESH MATERIALIZED VIEW
refresh materialized view concurrently mv;
--| REFRESH MATERIALIZED VIEW
select count(*) from mv where c = 1;
--|  count
--| -------
--|    200
--| (1 row)
vacuum mv;
--| VACUUM
analyze mv;
--| ANALYZE
select count(*) from mv where a between 5 and 50;
--|  count
--| -------
--|     46
--| (1 row)
create materialized view mv2 as select * from mv where a < 5;
--| SELECT 4
refresh materialized view mv2;
--| REFRESH MATERIALIZED VIEW
select * from mv2;
--|  a | b  | c
--| ---+----+---
--|  1 | x1 | 1
--|  2 | x2 | 2
--|  3 | x3 | 3
--|  4 | x4 | 4
--| (4 rows)
create table big as select i, repeat('w', 3000) as w from generate_series(1, 300) i;
--| SELECT 300
create materialized view mvbig as select i, w || w as ww from big;
--| SELECT 300
select count(*), sum(length(ww)) from mvbig;
--|  count |   sum
--| -------+---------
--|    300 | 1800000
--| (1 row)
refresh materialized view mvbig;
--| REFRESH MATERIALIZED VIEW
select count(*), sum(length(ww)) from mvbig;
--|  count |   sum
--| -------+---------
--|    300 | 1800000
--| (1 row)
