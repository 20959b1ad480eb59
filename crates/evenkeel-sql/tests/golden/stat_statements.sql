-- What statements took, by their normal text.
create extension pg_stat_statements;
--| CREATE EXTENSION
create table t (a int primary key, b text);
--| CREATE TABLE
select pg_stat_statements_reset() is not null;
--|  ?column?
--| ----------
--|  t
--| (1 row)
insert into t values (1, 'x');
--| INSERT 0 1
insert into t values (2, 'y');
--| INSERT 0 1
insert into t select g, 'z' from generate_series(3, 1000) g;
--| INSERT 0 998
select b from t where a = 5;
--|  b
--| ---
--|  z
--| (1 row)
SELECT b FROM t WHERE a = 6 -- another
;
--|  b
--| ---
--|  z
--| (1 row)
select count(*) from t where a in (1, 2, 3);
--|  count
--| -------
--|      3
--| (1 row)
select count(*) from t where a in (1, 2, 3, 4, 5);
--|  count
--| -------
--|      5
--| (1 row)
select a from t where a < -1 order by 1 limit 3;
--|  a
--| ---
--| (0 rows)
prepare p as select count(*) from t where b = $1;
--| PREPARE
execute p('z');
--|  count
--| -------
--|    998
--| (1 row)
execute p('y');
--|  count
--| -------
--|      1
--| (1 row)
begin;
--| BEGIN
savepoint s1;
--| SAVEPOINT
rollback to s1;
--| ROLLBACK
commit;
--| COMMIT
set work_mem = '5MB';
--| SET
select 1 / 0;
--| ERROR:  22012: division by zero
create role counted_one login password 'secret';
--| CREATE ROLE
select query, calls, rows, plans, shared_blks_hit > 0 as hit, wal_records > 0 as wal, total_exec_time > 0 as time, min_exec_time <= max_exec_time as ordered from pg_stat_statements order by query;
--|                            query                           | calls | rows | plans | hit | wal | time | ordered
--| -----------------------------------------------------------+-------+------+-------+-----+-----+------+---------
--|  begin                                                     |     1 |    0 |     0 | f   | f   | t    | t
--|  commit                                                    |     1 |    0 |     0 | f   | f   | t    | t
--|  create role counted_one login password $1                 |     1 |    0 |     0 | t   | t   | t    | t
--|  insert into t select g, $1 from generate_series($2, $3) g |     1 |  998 |     0 | t   | t   | t    | t
--|  insert into t values ($1, $2)                             |     2 |    2 |     0 | t   | t   | t    | t
--|  prepare p as select count(*) from t where b = $1          |     2 |    2 |     0 | t   | f   | t    | t
--|  rollback to $1                                            |     1 |    0 |     0 | f   | f   | t    | t
--|  savepoint $1                                              |     1 |    0 |     0 | f   | f   | t    | t
--|  select a from t where a < $1 order by 1 limit $2          |     1 |    0 |     0 | t   | f   | t    | t
--|  select b from t where a = $1                              |     2 |    2 |     0 | t   | f   | t    | t
--|  select count(*) from t where a in ($1 /*, ... */)         |     2 |    2 |     0 | t   | f   | t    | t
--|  select pg_stat_statements_reset() is not null             |     1 |    1 |     0 | f   | f   | t    | t
--|  set work_mem = $1                                         |     1 |    0 |     0 | f   | f   | t    | t
--| (13 rows)
select count(distinct queryid), count(*), bool_and(userid = 10), bool_and(toplevel), bool_and(stats_since = minmax_stats_since) from pg_stat_statements where query like '%from t%';
--|  count | count | bool_and | bool_and | bool_and
--| -------+-------+----------+----------+----------
--|      4 |     4 | t        | t        | t
--| (1 row)
select dealloc, stats_reset is not null from pg_stat_statements_info;
--|  dealloc | ?column?
--| ---------+----------
--|        0 | t
--| (1 row)
select query_id = (select queryid from pg_stat_statements where query like 'select query_id = %') as same, query_id is not null as has_one from pg_stat_activity where pid = pg_backend_pid();
--|  same | has_one
--| ------+---------
--|       | t
--| (1 row)
select query_id = (select queryid from pg_stat_statements where query like 'select query_id = %') as same, query_id is not null as has_one from pg_stat_activity where pid = pg_backend_pid();
--|  same | has_one
--| ------+---------
--|  t    | t
--| (1 row)
-- Plans, if they are asked for.
set pg_stat_statements.track_planning = on;
--| SET
select b from t where a = 7 and b <> 'planned';
--|  b
--| ---
--|  z
--| (1 row)
reset pg_stat_statements.track_planning;
--| RESET
select plans, calls, mean_plan_time > 0 as time from pg_stat_statements where query like '%b <> %' and query not like '%plans%';
--|  plans | calls | time
--| -------+-------+------
--|      1 |     1 | t
--| (1 row)
-- The shortest and longest times alone.
select pg_stat_statements_reset(0, 0, queryid, true) is not null from pg_stat_statements where query like 'insert into t values%';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select calls, min_exec_time, max_exec_time, total_exec_time > 0 as total, minmax_stats_since > stats_since as later from pg_stat_statements where query like 'insert into t values%';
--|  calls | min_exec_time | max_exec_time | total | later
--| -------+---------------+---------------+-------+-------
--|      2 |             0 |             0 | t     | t
--| (1 row)
select pg_stat_statements_reset(queryid => (select queryid from pg_stat_statements where query like 'insert into t values%')) is not null;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select count(*) from pg_stat_statements where query like 'insert into t values%';
--|  count
--| -------
--|      0
--| (1 row)
-- Not counted.
set pg_stat_statements.track = none;
--| SET
select 'not counted';
--|   ?column?
--| -------------
--|  not counted
--| (1 row)
set pg_stat_statements.track = top;
--| SET
set pg_stat_statements.track_utility = off;
--| SET
set lock_timeout = '1s';
--| SET
reset pg_stat_statements.track_utility;
--| RESET
select count(*) from pg_stat_statements where query in ('select $1', 'set lock_timeout = $1');
--|  count
--| -------
--|      0
--| (1 row)
set compute_query_id = off;
--| SET
select query_id from pg_stat_activity where pid = pg_backend_pid();
--|  query_id
--| ----------
--|
--| (1 row)
reset compute_query_id;
--| RESET
-- Others see theirs, and what all took; settings are for superusers.
set role counted_one;
--| SET
select count(*) filter (where query = '<insufficient privilege>') > 0 as hidden, count(queryid) filter (where userid <> (select oid from pg_roles where rolname = 'counted_one')) as seen from pg_stat_statements;
--|  hidden | seen
--| --------+------
--|  t      |    0
--| (1 row)
select pg_stat_statements_reset();
--| ERROR:  42501: permission denied for function pg_stat_statements_reset
set pg_stat_statements.track = none;
--| ERROR:  42501: permission denied to set parameter "pg_stat_statements.track"
set log_min_duration_statement = 0;
--| ERROR:  42501: permission denied to set parameter "log_min_duration_statement"
reset log_statement;
--| ERROR:  42501: permission denied to set parameter "log_statement"
select set_config('log_duration', 'on', false);
--| ERROR:  42501: permission denied to set parameter "log_duration"
alter role counted_one set log_statement = 'all';
--| ERROR:  42501: permission denied to set parameter "log_statement"
reset role;
--| RESET
grant pg_read_all_stats to counted_one;
--| GRANT ROLE
set role counted_one;
--| SET
select count(*) filter (where query = '<insufficient privilege>') as hidden from pg_stat_statements;
--|  hidden
--| --------
--|       0
--| (1 row)
reset role;
--| RESET
set log_min_duration_statement = '1s';
--| SET
show log_min_duration_statement;
--|  log_min_duration_statement
--| ----------------------------
--|  1s
--| (1 row)
set log_min_duration_statement = -1;
--| SET
show log_min_duration_statement;
--|  log_min_duration_statement
--| ----------------------------
--|  -1
--| (1 row)
set log_statement = 'some';
--| ERROR:  22023: invalid value for parameter "log_statement": "some"
--| HINT:  Available values: none, ddl, mod, all.
select name, setting, context from pg_settings where name in ('log_statement', 'pg_stat_statements.track') order by 1;
--|            name           | setting |  context
--| --------------------------+---------+-----------
--|  log_statement            | none    | superuser
--|  pg_stat_statements.track | top     | superuser
--| (2 rows)
drop role counted_one;
--| DROP ROLE
drop extension pg_stat_statements;
--| DROP EXTENSION
