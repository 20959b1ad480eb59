-- Settings that name what is there or is not, and those that do nothing here.

set lc_time = 'foo';
--| ERROR:  22023: invalid value for parameter "lc_time": "foo"
set lc_messages = 'foo';
--| ERROR:  22023: invalid value for parameter "lc_messages": "foo"
set lc_numeric = 'foo';
--| ERROR:  22023: invalid value for parameter "lc_numeric": "foo"
set lc_monetary = 'foo';
--| ERROR:  22023: invalid value for parameter "lc_monetary": "foo"
set lc_time = 'C';
--| SET
set lc_time = 'POSIX';
--| SET
set lc_time = '';
--| SET
set lc_time = 'C.UTF-8';
--| SET
show lc_time;
--|  lc_time
--| ---------
--|  C.UTF-8
--| (1 row)
set default_table_access_method = foo;
--| ERROR:  22023: invalid value for parameter "default_table_access_method": "foo"
--| DETAIL:  Table access method "foo" does not exist.
set default_table_access_method = '';
--| ERROR:  22023: invalid value for parameter "default_table_access_method": ""
--| DETAIL:  "default_table_access_method" cannot be empty.
set default_table_access_method = heap;
--| SET
set timezone_abbreviations = 'foo';
--| ERROR:  22023: invalid value for parameter "timezone_abbreviations": "foo"
set timezone_abbreviations = 'default';
--| ERROR:  22023: invalid value for parameter "timezone_abbreviations": "default"
set timezone_abbreviations = 'Default';
--| SET
set vacuum_buffer_usage_limit = 5;
--| ERROR:  22023: invalid value for parameter "vacuum_buffer_usage_limit": 5
--| DETAIL:  "vacuum_buffer_usage_limit" must be 0 or between 128 kB and 16777216 kB.
set vacuum_buffer_usage_limit = 128;
--| SET
set vacuum_buffer_usage_limit = 0;
--| SET
set default_tablespace = 'nosuch';
--| ERROR:  22023: invalid value for parameter "default_tablespace": "nosuch"
--| DETAIL:  Tablespace "nosuch" does not exist.
set default_tablespace = 'pg_default';
--| SET
set default_tablespace = '';
--| SET
set temp_tablespaces = 'nosuch';
--| ERROR:  42704: tablespace "nosuch" does not exist
set temp_tablespaces = 'pg_default', 'nosuch';
--| ERROR:  42704: tablespace "nosuch" does not exist
set temp_tablespaces = '';
--| SET
set temp_tablespaces = 'pg_default';
--| SET
set default_text_search_config = 'foo';
--| ERROR:  22023: invalid value for parameter "default_text_search_config": "foo"
set default_text_search_config = 'english';
--| SET
show default_text_search_config;
--|  default_text_search_config
--| ----------------------------
--|  pg_catalog.english
--| (1 row)
set default_text_search_config = 'pg_catalog.simple';
--| SET
set array_nulls = off;
--| SET
select '{NULL}'::text[], '{null,"NULL"}'::text[];
--|    text   |      text
--| ----------+-----------------
--|  {"NULL"} | {"null","NULL"}
--| (1 row)
select '{NULL}'::int[];
--| ERROR:  22P02: invalid input syntax for type integer: "NULL"
select array[null]::text[];
--|  array
--| --------
--|  {NULL}
--| (1 row)
reset array_nulls;
--| RESET
select '{NULL}'::text[];
--|   text
--| --------
--|  {NULL}
--| (1 row)
set scram_iterations = 0;
--| ERROR:  22023: 0 is outside the valid range for parameter "scram_iterations" (1 .. 2147483647)
set scram_iterations = 4096;
--| SET
set createrole_self_grant = '';
--| SET
set exit_on_error = off;
--| SET
set log_planner_stats = off;
--| SET
set log_transaction_sample_rate = 2;
--| ERROR:  22023: 2 is outside the valid range for parameter "log_transaction_sample_rate" (0 .. 1)
set log_transaction_sample_rate = 0;
--| SET
set client_connection_check_interval = '1s';
--| SET
show client_connection_check_interval;
--|  client_connection_check_interval
--| ----------------------------------
--|  1s
--| (1 row)
set wal_compression = on;
--| SET
show wal_compression;
--|  wal_compression
--| -----------------
--|  pglz
--| (1 row)
set session_preload_libraries = '';
--| SET
set debug_discard_caches = 1;
--| ERROR:  22023: 1 is outside the valid range for parameter "debug_discard_caches" (0 .. 0)
set wal_recycle = off;
--| SET
