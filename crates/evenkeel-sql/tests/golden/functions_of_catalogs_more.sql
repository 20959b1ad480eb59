-- Functions that monitors and tools call of relations, sessions and files.

create table mine (a int primary key, b int);
--| CREATE TABLE
create table bare (b int);
--| CREATE TABLE
select row_security_active('mine'), row_security_active('mine'::regclass);
--|  row_security_active | row_security_active
--| ---------------------+---------------------
--|  f                   | f
--| (1 row)
select row_security_active('nosuch');
--| ERROR:  42P01: relation "nosuch" does not exist
select pg_filenode_relation(0, pg_relation_filenode('mine')), pg_filenode_relation(1663, pg_relation_filenode('mine')), pg_filenode_relation(0, 1) is null;
--|  pg_filenode_relation | pg_filenode_relation | ?column?
--| ----------------------+----------------------+----------
--|  mine                 | mine                 | t
--| (1 row)
select pg_get_replica_identity_index('mine'), pg_get_replica_identity_index('bare') is null;
--|  pg_get_replica_identity_index | ?column?
--| -------------------------------+----------
--|  mine_pkey                     | t
--| (1 row)
select pg_stat_get_total_vacuum_time(0), pg_stat_get_total_analyze_time('mine'::regclass), pg_stat_get_total_autovacuum_time('mine'::regclass), pg_stat_get_total_autoanalyze_time('mine'::regclass);
--|  pg_stat_get_total_vacuum_time | pg_stat_get_total_analyze_time | pg_stat_get_total_autovacuum_time | pg_stat_get_total_autoanalyze_time
--| -------------------------------+--------------------------------+-----------------------------------+------------------------------------
--|                              0 |                              0 |                                 0 |                                  0
--| (1 row)
select pg_tablespace_databases(1663) is not null limit 1;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select count(*) from pg_tablespace_databases(1663) d join pg_database on d = oid where datname = current_database();
--|  count
--| -------
--|      1
--| (1 row)
select count(*) from pg_stat_get_backend_idset() b where pg_stat_get_backend_pid(b) = pg_backend_pid();
--|  count
--| -------
--|      1
--| (1 row)
select pg_stat_get_backend_pid(b) = pid, pg_stat_get_backend_dbid(b) = datid, pg_stat_get_backend_userid(b) = usesysid, pg_stat_get_backend_start(b) = backend_start, pg_stat_get_backend_activity(b) = query from pg_stat_get_backend_idset() b join pg_stat_activity on pid = pg_stat_get_backend_pid(b) where pid = pg_backend_pid();
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  t        | t        | t        | t        | t
--| (1 row)
select pg_stat_get_backend_pid(0), pg_stat_get_backend_activity_start(-1) is null;
--|  pg_stat_get_backend_pid | ?column?
--| -------------------------+----------
--|                          | t
--| (1 row)
select "timestamp"('2000-01-01'::date, '10:00'::time), "timestamp"(date 'infinity', time '10:00'), "timestamp"(null::date, '10:00'::time) is null;
--|       timestamp      | timestamp | ?column?
--| ---------------------+-----------+----------
--|  2000-01-01 10:00:00 | infinity  | t
--| (1 row)
drop table mine, bare;
--| DROP TABLE
