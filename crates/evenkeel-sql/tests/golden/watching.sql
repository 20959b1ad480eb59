-- What programs that watch a server ask for.
SELECT pg_control_version, catalog_version_no > 0 AS catalog, system_identifier IS NOT NULL AS has_id FROM pg_control_system();
--|  pg_control_version | catalog | has_id
--| --------------------+---------+--------
--|                1800 | t       | t
--| (1 row)
SELECT pg_blocking_pids(pg_backend_pid()), pg_blocking_pids(-1), pg_blocking_pids(NULL);
--|  pg_blocking_pids | pg_blocking_pids | pg_blocking_pids
--| ------------------+------------------+------------------
--|  {}               | {}               |
--| (1 row)
-- Exporters know these units, and fail on others.
SELECT DISTINCT unit FROM pg_settings WHERE unit NOT IN ('B', 'kB', '8kB', '16kB', '32kB', '16MB', '32MB', '64MB', 'MB', 'GB', 'TB', 'ms', 's', 'min', 'h', 'd');
--|  unit
--| ------
--| (0 rows)
SELECT unit, vartype FROM pg_settings WHERE name = 'commit_delay';
--|  unit | vartype
--| ------+---------
--|       | integer
--| (1 row)
