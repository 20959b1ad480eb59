-- A session's own row: outside of a block, too, a statement is a transaction.
create table t (a int);
--| CREATE TABLE
insert into t values (1);
--| INSERT 0 1
select xact_start = query_start, xact_start = now(), state from pg_stat_activity where pid = pg_backend_pid();
--|  ?column? | ?column? | state
--| ----------+----------+--------
--|  t        | t        | active
--| (1 row)
select (select backend_xmin is not null from pg_stat_activity where pid = pg_backend_pid()) from t;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select (select backend_xid is null from pg_stat_activity where pid = pg_backend_pid()) from t;
--|  ?column?
--| ----------
--|  t
--| (1 row)
begin;
--| BEGIN
select xact_start = now(), xact_start < query_start from pg_stat_activity where pid = pg_backend_pid();
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
insert into t values (2);
--| INSERT 0 1
select (select backend_xid::text = pg_current_xact_id()::text from pg_stat_activity where pid = pg_backend_pid()) from t;
--|  ?column?
--| ----------
--|  t
--|  t
--| (2 rows)
select (select age(backend_xmin) >= 0 from pg_stat_activity where pid = pg_backend_pid()) from t;
--|  ?column?
--| ----------
--|  t
--|  t
--| (2 rows)
rollback;
--| ROLLBACK
select xact_start = query_start from pg_stat_activity where pid = pg_backend_pid();
--|  ?column?
--| ----------
--|  t
--| (1 row)
drop table t;
--| DROP TABLE
