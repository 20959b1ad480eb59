-- Storage parameters of tables have the names and the bounds that PostgreSQL gives them.
create table t (a int) with (fillfactor = 5);
--| ERROR:  22023: value 5 out of bounds for option "fillfactor"
--| DETAIL:  Valid values are between "10" and "100".
create table t (a int) with (fillfactor = 'x');
--| ERROR:  22023: invalid value for integer option "fillfactor": x
create table t (a int) with (fillfactor = 99999999999);
--| ERROR:  22023: invalid value for integer option "fillfactor": 99999999999
create table t (a int) with (nosuch = 1);
--| ERROR:  22023: unrecognized parameter "nosuch"
create table t (a int) with (autovacuum_nosuch = 1);
--| ERROR:  22023: unrecognized parameter "autovacuum_nosuch"
create table t (a int) with (autovacuum_enabled = maybe);
--| ERROR:  22023: invalid value for boolean option "autovacuum_enabled": maybe
create table t (a int) with (autovacuum_vacuum_scale_factor = 101);
--| ERROR:  22023: value 101 out of bounds for option "autovacuum_vacuum_scale_factor"
--| DETAIL:  Valid values are between "0.000000" and "100.000000".
create table t (a int) with (autovacuum_vacuum_scale_factor = 'x');
--| ERROR:  22023: invalid value for floating point option "autovacuum_vacuum_scale_factor": x
create table t (a int) with (vacuum_index_cleanup = x);
--| ERROR:  22023: invalid value for enum option "vacuum_index_cleanup": x
--| DETAIL:  Valid values are "on", "off", and "auto".
create table t (a int) with (toast_tuple_target = 100);
--| ERROR:  22023: value 100 out of bounds for option "toast_tuple_target"
--| DETAIL:  Valid values are between "128" and "8160".
create table t (a int) with (fillfactor = 70, autovacuum_enabled = on, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_threshold = 10, toast_tuple_target = 4096, parallel_workers = 2, vacuum_index_cleanup = auto, vacuum_truncate = off, log_autovacuum_min_duration = -1);
--| CREATE TABLE
select reloptions from pg_class where relname = 't';
--|                                                                                                             reloptions
--| -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  {fillfactor=70,autovacuum_enabled=on,autovacuum_vacuum_scale_factor=0.05,autovacuum_analyze_threshold=10,toast_tuple_target=4096,parallel_workers=2,vacuum_index_cleanup=auto,vacuum_truncate=off,log_autovacuum_min_duration=-1}
--| (1 row)
alter table t set (fillfactor = 101);
--| ERROR:  22023: value 101 out of bounds for option "fillfactor"
--| DETAIL:  Valid values are between "10" and "100".
alter table t set (parallel_workers = 2000);
--| ERROR:  22023: value 2000 out of bounds for option "parallel_workers"
--| DETAIL:  Valid values are between "0" and "1024".
alter table t set (fillfactor = 100, autovacuum_freeze_max_age = 100000);
--| ALTER TABLE
alter table t reset (nosuch);
--| ALTER TABLE
alter table t reset (fillfactor);
--| ALTER TABLE
select reloptions from pg_class where relname = 't';
--|                                                                                                                       reloptions
--| ------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  {autovacuum_enabled=on,autovacuum_vacuum_scale_factor=0.05,autovacuum_analyze_threshold=10,toast_tuple_target=4096,parallel_workers=2,vacuum_index_cleanup=auto,vacuum_truncate=off,log_autovacuum_min_duration=-1,autovacuum_freeze_max_age=100000}
--| (1 row)
create table u with (fillfactor = 7) as select 1;
--| ERROR:  22023: value 7 out of bounds for option "fillfactor"
--| DETAIL:  Valid values are between "10" and "100".
create materialized view m with (fillfactor = 7) as select 1;
--| ERROR:  22023: value 7 out of bounds for option "fillfactor"
--| DETAIL:  Valid values are between "10" and "100".
create materialized view m with (fillfactor = 50) tablespace pg_default as select 1 as a with no data;
--| CREATE MATERIALIZED VIEW
create materialized view n tablespace nosuch as select 1;
--| ERROR:  42704: tablespace "nosuch" does not exist
alter materialized view m set (fillfactor = 7);
--| ERROR:  22023: value 7 out of bounds for option "fillfactor"
--| DETAIL:  Valid values are between "10" and "100".
create index on t (a) with (fillfactor = 500);
--| ERROR:  22023: value 500 out of bounds for option "fillfactor"
--| DETAIL:  Valid values are between "10" and "100".
