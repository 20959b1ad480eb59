-- What pg_proc lists of SQL's words; how the server was built and is configured; generated columns and what they read; SQL/XML; types that are not there.
select proname from pg_proc where proname in ('current_date', 'current_time', 'localtime', 'current_role', 'current_user', 'session_user', 'user', 'localtimestamp', 'current_timestamp', 'current_catalog', 'current_schema') order by 1;
--|     proname
--| ----------------
--|  current_schema
--|  current_user
--|  session_user
--| (3 rows)
select current_date = current_timestamp::date, localtime is null, current_role = user, current_catalog = current_database();
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | f        | t        | t
--| (1 row)
select count(*), count(*) filter (where name = 'VERSION' and setting like 'PostgreSQL 18%') from pg_config;
--|  count | count
--| -------+-------
--|     23 |     1
--| (1 row)
select count(*) >= 0 from pg_file_settings;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select name, ident, type, level, path, used_bytes <= total_bytes from pg_backend_memory_contexts where level = 1;
--|        name       | ident |   type   | level | path | ?column?
--| ------------------+-------+----------+-------+------+----------
--|  TopMemoryContext |       | AllocSet |     1 | {1}  | t
--| (1 row)
select table_name, column_name, data_type from information_schema.columns where table_name in ('pg_config', 'pg_file_settings', 'pg_backend_memory_contexts', 'column_column_usage') order by table_name, ordinal_position;
--|          table_name         |   column_name    | data_type
--| ----------------------------+------------------+-----------
--|  column_column_usage        | table_catalog    | name
--|  column_column_usage        | table_schema     | name
--|  column_column_usage        | table_name       | name
--|  column_column_usage        | column_name      | name
--|  column_column_usage        | dependent_column | name
--|  pg_backend_memory_contexts | name             | text
--|  pg_backend_memory_contexts | ident            | text
--|  pg_backend_memory_contexts | type             | text
--|  pg_backend_memory_contexts | level            | integer
--|  pg_backend_memory_contexts | path             | ARRAY
--|  pg_backend_memory_contexts | total_bytes      | bigint
--|  pg_backend_memory_contexts | total_nblocks    | bigint
--|  pg_backend_memory_contexts | free_bytes       | bigint
--|  pg_backend_memory_contexts | free_chunks      | bigint
--|  pg_backend_memory_contexts | used_bytes       | bigint
--|  pg_config                  | name             | text
--|  pg_config                  | setting          | text
--|  pg_file_settings           | sourcefile       | text
--|  pg_file_settings           | sourceline       | integer
--|  pg_file_settings           | seqno            | integer
--|  pg_file_settings           | name             | text
--|  pg_file_settings           | setting          | text
--|  pg_file_settings           | applied          | boolean
--|  pg_file_settings           | error            | text
--| (24 rows)
create table gen (a int, b int, "C d" int, date date, c int generated always as (a + b) stored, d int generated always as (a + "C d" + abs(1)) virtual, e int generated always as (extract(year from '2000-01-01'::date)) stored);
--| CREATE TABLE
select table_name, column_name, dependent_column from information_schema.column_column_usage order by 2, 3;
--|  table_name | column_name | dependent_column
--| ------------+-------------+------------------
--|  gen        | C d         | d
--|  gen        | a           | c
--|  gen        | a           | d
--|  gen        | b           | c
--| (4 rows)
select pg_settings_get_flags('work_mem'), pg_settings_get_flags('WORK_MEM'), pg_settings_get_flags('nothere'), pg_settings_get_flags(null), pg_settings_get_flags('integer_datetimes'), pg_settings_get_flags('transaction_isolation'), pg_settings_get_flags('debug_parallel_query');
--|  pg_settings_get_flags | pg_settings_get_flags | pg_settings_get_flags | pg_settings_get_flags | pg_settings_get_flags |         pg_settings_get_flags         |  pg_settings_get_flags
--| -----------------------+-----------------------+-----------------------+-----------------------+-----------------------+---------------------------------------+-------------------------
--|  {EXPLAIN}             | {EXPLAIN}             |                       |                       | {NOT_IN_SAMPLE}       | {NO_RESET,NO_RESET_ALL,NOT_IN_SAMPLE} | {EXPLAIN,NOT_IN_SAMPLE}
--| (1 row)
select xmlforest(1 as a);
--| ERROR:  0A000: unsupported XML feature: xmlforest
select xmlelement(name a, xmlattributes(1 as b));
--| ERROR:  0A000: unsupported XML feature: xmlelement
select 1 where xmlexists('a' passing 'b');
--| ERROR:  0A000: unsupported XML feature: xmlexists
select 'xmlforest(1)' as xmlforest;
--|   xmlforest
--| --------------
--|  xmlforest(1)
--| (1 row)
select 'x'::nosuchtype;
--| ERROR:  42704: type "nosuchtype" does not exist
select 1, cast('x' as nosuch.t);
--| ERROR:  3F000: schema "nosuch" does not exist
select cast('x' as public.t);
--| ERROR:  42704: type "public.t" does not exist
select nosuchtype 'x';
--| ERROR:  42704: type "nosuchtype" does not exist
create table bad (a nosuch.t);
--| ERROR:  3F000: schema "nosuch" does not exist
