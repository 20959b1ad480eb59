-- Settings of PostgreSQL that nothing here goes by: taken with their ranges, shown, put back.

set vacuum_cost_delay to 40;
--| SET
show vacuum_cost_delay;
--|  vacuum_cost_delay
--| -------------------
--|  40ms
--| (1 row)
set vacuum_cost_delay to 80.1;
--| SET
show vacuum_cost_delay;
--|  vacuum_cost_delay
--| -------------------
--|  80100us
--| (1 row)
set vacuum_cost_delay to '900us';
--| SET
show vacuum_cost_delay;
--|  vacuum_cost_delay
--| -------------------
--|  900us
--| (1 row)
set vacuum_cost_delay to '10s';
--| ERROR:  22023: 10000 ms is outside the valid range for parameter "vacuum_cost_delay" (0 ms .. 100 ms)
begin;
--| BEGIN
set local vacuum_cost_delay to 50;
--| SET
savepoint sp;
--| SAVEPOINT
set vacuum_cost_delay to 70;
--| SET
rollback to sp;
--| ROLLBACK
show vacuum_cost_delay;
--|  vacuum_cost_delay
--| -------------------
--|  50ms
--| (1 row)
commit;
--| COMMIT
reset vacuum_cost_delay;
--| RESET
show vacuum_cost_delay;
--|  vacuum_cost_delay
--| -------------------
--|  0
--| (1 row)
set vacuum_cost_limit = 0;
--| ERROR:  22023: 0 is outside the valid range for parameter "vacuum_cost_limit" (1 .. 10000)
set cpu_tuple_cost = 0.020;
--| SET
show cpu_tuple_cost;
--|  cpu_tuple_cost
--| ----------------
--|  0.02
--| (1 row)
set seq_page_cost to 'NaN';
--| ERROR:  22023: invalid value for parameter "seq_page_cost": "NaN"
set random_page_cost = 'much';
--| ERROR:  22023: invalid value for parameter "random_page_cost": "much"
set parallel_setup_cost = 0;
--| SET
set max_parallel_workers = 2000;
--| ERROR:  22023: 2000 is outside the valid range for parameter "max_parallel_workers" (0 .. 1024)
set min_parallel_table_scan_size = 0;
--| SET
show min_parallel_table_scan_size;
--|  min_parallel_table_scan_size
--| ------------------------------
--|  0
--| (1 row)
set debug_parallel_query = regress;
--| SET
show debug_parallel_query;
--|  debug_parallel_query
--| ----------------------
--|  regress
--| (1 row)
set track_functions = 'most';
--| ERROR:  22023: invalid value for parameter "track_functions": "most"
--| HINT:  Available values: none, pl, all.
set track_functions = 'all';
--| SET
show track_functions;
--|  track_functions
--| -----------------
--|  all
--| (1 row)
show timezone_abbreviations;
--|  timezone_abbreviations
--| ------------------------
--|  Default
--| (1 row)
set max_stack_depth = '100kB';
--| SET
show max_stack_depth;
--|  max_stack_depth
--| -----------------
--|  100kB
--| (1 row)
set allow_in_place_tablespaces = true;
--| SET
show allow_in_place_tablespaces;
--|  allow_in_place_tablespaces
--| ----------------------------
--|  on
--| (1 row)
set custom."bad-guc" = 42;
--| ERROR:  42602: invalid configuration parameter name "custom.bad-guc"
--| DETAIL:  Custom parameter names must be two or more simple identifiers separated by dots.
set special."weird name" = 'foo';
--| ERROR:  42602: invalid configuration parameter name "special.weird name"
--| DETAIL:  Custom parameter names must be two or more simple identifiers separated by dots.
set custom.good_name1 = 42;
--| SET
show custom.good_name1;
--|  custom.good_name1
--| -------------------
--|  42
--| (1 row)
