-- REFRESH … CONCURRENTLY changes the rows that differ, and no others.
create table t (a int, b text, n numeric);
--| CREATE TABLE
insert into t select i, 'x' || i, i from generate_series(1, 20) i;
--| INSERT 0 20
create materialized view mv as select a, b, n, case when a % 5 = 0 then null else a end as e from t;
--| SELECT 20
create unique index on mv (a);
--| CREATE INDEX
create index on mv (b) where a > 10;
--| CREATE INDEX
create view over_mv as select count(*), sum(a) from mv;
--| CREATE VIEW
update t set b = 'y' where a = 3;
--| UPDATE 1
update t set n = 4.0 where a = 4;
--| UPDATE 1
delete from t where a in (7, 8);
--| DELETE 2
insert into t values (21, 'z', 1);
--| INSERT 0 1
refresh materialized view concurrently mv;
--| REFRESH MATERIALIZED VIEW
select * from over_mv;
--|  count | sum
--| -------+-----
--|     19 | 216
--| (1 row)
select a, b, n from mv where a in (3, 4, 7, 21) order by a;
--|  a  | b  |  n
--| ----+----+-----
--|   3 | y  |   3
--|   4 | x4 | 4.0
--|  21 | z  |   1
--| (3 rows)
set enable_seqscan = off;
--| SET
select a from mv where a > 10 and b = 'z';
--|  a
--| ----
--|  21
--| (1 row)
reset enable_seqscan;
--| RESET
-- Two of a key.
insert into t values (21, 'zz', 1);
--| INSERT 0 1
refresh materialized view concurrently mv;
--| ERROR:  23505: duplicate key value violates unique constraint "mv_a_idx"
--| DETAIL:  Key (a)=(21) already exists.
select * from over_mv;
--|  count | sum
--| -------+-----
--|     19 | 216
--| (1 row)
update t set b = 'z' where a = 21;
--| UPDATE 2
refresh materialized view concurrently mv;
--| ERROR:  21000: new data for materialized view "mv" contains duplicate rows without any null columns
--| DETAIL:  Row: (21,z,1,21)
delete from t where a = 21;
--| DELETE 2
-- Rows of NULLs are no duplicates.
create materialized view nulls as select nullif(a, a) as k, b from t where a < 3 union all select null, b from t where a < 3;
--| SELECT 4
create unique index on nulls (k);
--| CREATE INDEX
refresh materialized view concurrently nulls;
--| REFRESH MATERIALIZED VIEW
select count(*) from nulls;
--|  count
--| -------
--|      4
--| (1 row)
delete from t where a = 1;
--| DELETE 1
refresh materialized view concurrently nulls;
--| REFRESH MATERIALIZED VIEW
select count(*) from nulls;
--|  count
--| -------
--|      2
--| (1 row)
refresh materialized view concurrently nulls with no data;
--| ERROR:  42601: CONCURRENTLY and WITH NO DATA options cannot be used together
begin;
--| BEGIN
refresh materialized view concurrently mv;
--| REFRESH MATERIALIZED VIEW
savepoint s;
--| SAVEPOINT
insert into t values (100, 'h', 1);
--| INSERT 0 1
refresh materialized view concurrently mv;
--| REFRESH MATERIALIZED VIEW
select max(a) from mv;
--|  max
--| -----
--|  100
--| (1 row)
rollback to s;
--| ROLLBACK
select max(a) from mv;
--|  max
--| -----
--|   20
--| (1 row)
commit;
--| COMMIT
select relispopulated from pg_class where relname = 'mv';
--|  relispopulated
--| ----------------
--|  t
--| (1 row)
