-- Settings of PostgreSQL's that have nothing to act on here: their values are checked all the same.

set escape_string_warning = off;
--| SET
show escape_string_warning;
--|  escape_string_warning
--| -----------------------
--|  off
--| (1 row)
set enable_memoize = maybe;
--| ERROR:  22023: parameter "enable_memoize" requires a Boolean value
set geqo_threshold = 1;
--| ERROR:  22023: 1 is outside the valid range for parameter "geqo_threshold" (2 .. 2147483647)
set random_page_cost = 1.1;
--| SET
show random_page_cost;
--|  random_page_cost
--| ------------------
--|  1.1
--| (1 row)
set random_page_cost = 'cheap';
--| ERROR:  22023: invalid value for parameter "random_page_cost": "cheap"
set cpu_tuple_cost = -1;
--| ERROR:  22023: -1 is outside the valid range for parameter "cpu_tuple_cost" (0 .. 1.79769e+308)
set min_parallel_table_scan_size = '16MB';
--| SET
show min_parallel_table_scan_size;
--|  min_parallel_table_scan_size
--| ------------------------------
--|  16MB
--| (1 row)
set effective_cache_size = '2GB';
--| SET
show effective_cache_size;
--|  effective_cache_size
--| ----------------------
--|  2GB
--| (1 row)
set xmloption = document;
--| SET
set xmloption = page;
--| ERROR:  22023: invalid value for parameter "xmloption": "page"
--| HINT:  Available values: content, document.
set max_stack_depth = '1MB';
--| SET
-- What would change what statements mean is refused.
set transform_null_equals = on;
--| ERROR:  0A000: transform_null_equals is not supported
set transform_null_equals = off;
--| SET
set default_with_oids = true;
--| ERROR:  0A000: tables declared WITH OIDS are not supported
set default_with_oids = false;
--| SET
set client_min_messages = fatal;
--| ERROR:  22023: invalid value for parameter "client_min_messages": "fatal"
--| HINT:  Available values: debug5, debug4, debug3, debug2, debug1, log, notice, warning, error.
set client_min_messages = error;
--| SET
reset client_min_messages;
--| RESET
-- Shown, never set.
select current_setting('block_size'), current_setting('wal_level'), current_setting('max_prepared_transactions'), current_setting('data_checksums');
--|  current_setting | current_setting | current_setting | current_setting
--| -----------------+-----------------+-----------------+-----------------
--|  8192            | replica         | 0               | on
--| (1 row)
set block_size = 4096;
--| ERROR:  55P02: parameter "block_size" cannot be changed
select name, setting, unit, vartype, min_val, enumvals from pg_settings where name in ('gin_pending_list_limit', 'backslash_quote', 'geqo_effort') order by name;
--|           name          |    setting    | unit | vartype | min_val |        enumvals
--| ------------------------+---------------+------+---------+---------+------------------------
--|  backslash_quote        | safe_encoding |      | enum    |         | {safe_encoding,on,off}
--|  geqo_effort            | 5             |      | integer | 1       |
--|  gin_pending_list_limit | 4096          | kB   | integer | 64      |
--| (3 rows)
