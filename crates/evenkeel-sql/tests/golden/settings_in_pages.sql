-- Sizes that PostgreSQL counts in pages of 8 kB.

set effective_cache_size = 524288;
--| SET
show effective_cache_size;
--|  effective_cache_size
--| ----------------------
--|  4GB
--| (1 row)
set min_parallel_table_scan_size = 1024;
--| SET
show min_parallel_table_scan_size;
--|  min_parallel_table_scan_size
--| ------------------------------
--|  8MB
--| (1 row)
set min_parallel_index_scan_size = '1MB';
--| SET
show min_parallel_index_scan_size;
--|  min_parallel_index_scan_size
--| ------------------------------
--|  1MB
--| (1 row)
set backend_flush_after = 16;
--| SET
show backend_flush_after;
--|  backend_flush_after
--| ---------------------
--|  128kB
--| (1 row)
select name, setting, unit, min_val, max_val from pg_settings where name in ('effective_cache_size', 'io_combine_limit', 'min_parallel_table_scan_size', 'min_parallel_index_scan_size', 'backend_flush_after') order by name;
--|              name             | setting | unit | min_val |  max_val
--| ------------------------------+---------+------+---------+------------
--|  backend_flush_after          | 16      | 8kB  | 0       | 256
--|  effective_cache_size         | 524288  | 8kB  | 1       | 2147483647
--|  io_combine_limit             | 16      | 8kB  | 1       | 128
--|  min_parallel_index_scan_size | 128     | 8kB  | 0       | 715827882
--|  min_parallel_table_scan_size | 1024    | 8kB  | 0       | 715827882
--| (5 rows)
