-- What a session has sent, as it has.
select current_query() like 'select current_query() like %';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select /* here */ count(*) from generate_series(1, 2) where current_query() like 'select /* here */%';
--|  count
--| -------
--|      2
--| (1 row)
prepare p as select current_query() like $1;
--| PREPARE
execute p ('execute p (%');
--|  ?column?
--| ----------
--|  t
--| (1 row)
select pg_safe_snapshot_blocking_pids(pg_backend_pid());
--|  pg_safe_snapshot_blocking_pids
--| --------------------------------
--|  {}
--| (1 row)
