-- Options of VACUUM and ANALYZE, and the columns that they name.
create table t(a int primary key);
--| CREATE TABLE
vacuum (nosuch) t;
--| ERROR:  42601: unrecognized VACUUM option "nosuch"
vacuum (full maybe) t;
--| ERROR:  42601: full requires a Boolean value
vacuum t(a);
--| ERROR:  0A000: ANALYZE option must be specified when a column list is provided
vacuum t(nosuch);
--| ERROR:  0A000: ANALYZE option must be specified when a column list is provided
vacuum (analyze) t(nosuch);
--| ERROR:  42703: column "nosuch" of relation "t" does not exist
analyze t(nosuch);
--| ERROR:  42703: column "nosuch" of relation "t" does not exist
analyze t(a, a);
--| ERROR:  42701: column "a" of relation "t" appears more than once
analyze (nosuch) t;
--| ERROR:  42601: unrecognized ANALYZE option "nosuch"
vacuum (parallel) t;
--| ERROR:  42601: parallel option requires a value between 0 and 1024
vacuum (parallel 3, full) t;
--| ERROR:  0A000: VACUUM FULL cannot be performed in parallel
vacuum (parallel -1) t;
--| ERROR:  42601: parallel workers for vacuum must be between 0 and 1024
vacuum (parallel 5000) t;
--| ERROR:  42601: parallel workers for vacuum must be between 0 and 1024
vacuum (buffer_usage_limit '1GBx') t;
--| ERROR:  22023: BUFFER_USAGE_LIMIT option must be 0 or between 128 kB and 16777216 kB
vacuum (buffer_usage_limit 10) t;
--| ERROR:  22023: BUFFER_USAGE_LIMIT option must be 0 or between 128 kB and 16777216 kB
vacuum (index_cleanup maybe) t;
--| ERROR:  42601: index_cleanup requires a Boolean value
vacuum (disable_page_skipping, full) t;
--| ERROR:  0A000: VACUUM option DISABLE_PAGE_SKIPPING cannot be used with FULL
vacuum (only_database_stats) t;
--| ERROR:  0A000: ONLY_DATABASE_STATS cannot be specified with a list of tables
vacuum (process_toast false, full) t;
--| ERROR:  0A000: PROCESS_TOAST required with VACUUM FULL
vacuum (full, freeze off, verbose false, analyze, parallel 0, index_cleanup auto, truncate 'off', process_main, buffer_usage_limit '1 MB', skip_database_stats) t (a);
--| VACUUM
vacuum full freeze analyze t (a);
--| VACUUM
vacuum (only_database_stats);
--| VACUUM
vacuum (only_database_stats, analyze);
--| ERROR:  0A000: ONLY_DATABASE_STATS cannot be specified with other VACUUM options
analyze (skip_locked, buffer_usage_limit 0) t (a), t;
--| ANALYZE
analyze (full) t;
--| ERROR:  42601: unrecognized ANALYZE option "full"
vacuum (analyze false) t (a);
--| ERROR:  0A000: ANALYZE option must be specified when a column list is provided
vacuum (full, analyze) t (a, nosuch);
--| ERROR:  42703: column "nosuch" of relation "t" does not exist
