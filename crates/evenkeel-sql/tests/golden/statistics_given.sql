-- Statistics that are given: pg_restore_relation_stats and its like, as dumps have them. What ANALYZE does not keep here (of elements, ranges, indexes and tables below others) is not taken: the
-- answer is then false.

create table st(a int primary key, b text, c int[], d jsonb, e date);
--| CREATE TABLE
insert into st select x, 't'||x%7, array[x,x%3], '{"a":1}', '2020-01-01'::date + x from generate_series(1,100) x;
--| INSERT 0 100
select pg_restore_relation_stats('version', 180000::integer, 'schemaname', 'public', 'relname', 'st', 'relpages', '38'::integer, 'reltuples', '3000'::real, 'relallvisible', '0'::integer, 'relallfrozen', '0'::integer);
--|  pg_restore_relation_stats
--| ---------------------------
--|  t
--| (1 row)
select reltuples from pg_class where relname = 'st';
--|  reltuples
--| -----------
--|       3000
--| (1 row)
select pg_restore_attribute_stats('version', 180004, 'schemaname', 'public', 'relname', 'st', 'attname', 'b', 'inherited', false, 'null_frac', 0.25::real, 'avg_width', 3, 'n_distinct', 7::real, 'most_common_vals', '{t1,t2}'::text, 'most_common_freqs', '{0.5,0.125}'::real[], 'correlation', 0.5::real);
--|  pg_restore_attribute_stats
--| ----------------------------
--|  t
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'a', 'inherited', false, 'null_frac', 0::real, 'avg_width', 4, 'n_distinct', -1::real, 'histogram_bounds', '{1,50,100}'::text, 'correlation', 1::real);
--|  pg_restore_attribute_stats
--| ----------------------------
--|  t
--| (1 row)
select attname, null_frac, avg_width, n_distinct, most_common_vals, most_common_freqs, histogram_bounds, correlation from pg_stats where tablename = 'st' order by 1;
--|  attname | null_frac | avg_width | n_distinct | most_common_vals | most_common_freqs | histogram_bounds | correlation
--| ---------+-----------+-----------+------------+------------------+-------------------+------------------+-------------
--|  a       |         0 |         4 |         -1 |                  |                   | {1,50,100}       |           1
--|  b       |      0.25 |         3 |          7 | {t1,t2}          | {0.5,0.125}       |                  |         0.5
--| (2 rows)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'c', 'inherited', false, 'null_frac', 0::real, 'avg_width', 29, 'n_distinct', -1::real, 'most_common_elems', '{0,1,2}'::text, 'most_common_elem_freqs', '{0.3,0.3,0.3,0.1,0.3}'::real[], 'elem_count_histogram', '{1,2,2}'::real[]);
--|  pg_restore_attribute_stats
--| ----------------------------
--|  f
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'b', 'inherited', false, 'null_frac', 0.5::real);
--|  pg_restore_attribute_stats
--| ----------------------------
--|  t
--| (1 row)
select attname, null_frac, avg_width, n_distinct, most_common_vals, most_common_freqs, histogram_bounds, correlation from pg_stats where tablename = 'st' order by 1;
--|  attname | null_frac | avg_width | n_distinct | most_common_vals | most_common_freqs | histogram_bounds | correlation
--| ---------+-----------+-----------+------------+------------------+-------------------+------------------+-------------
--|  a       |         0 |         4 |         -1 |                  |                   | {1,50,100}       |           1
--|  b       |       0.5 |         3 |          7 | {t1,t2}          | {0.5,0.125}       |                  |         0.5
--|  c       |         0 |        29 |         -1 |                  |                   |                  |           0
--| (3 rows)
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'nosuch', 'reltuples', 1::real);
--| ERROR:  42P01: relation "public.nosuch" does not exist
select pg_restore_relation_stats('schemaname', 'nosuch', 'relname', 'nosuch', 'reltuples', 1::real);
--| ERROR:  3F000: schema "nosuch" does not exist
select pg_restore_relation_stats('schemaname', 'public', 'reltuples', 1::real);
--| ERROR:  22023: argument "relname" must not be null
select pg_restore_relation_stats('relname', 'st', 'reltuples', 1::real);
--| ERROR:  22023: argument "schemaname" must not be null
select pg_restore_relation_stats('schemaname', 'public', 'relname');
--| ERROR:  XX000: variadic arguments must be name/value pairs
--| HINT:  Provide an even number of variadic arguments that can be divided into pairs.
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'st', 'foo', 1);
--| WARNING:  unrecognized argument name: "foo"
--|  pg_restore_relation_stats
--| ---------------------------
--|  f
--| (1 row)
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'st', 'reltuples', 1);
--| WARNING:  argument "reltuples" has type integer, expected type real
--|  pg_restore_relation_stats
--| ---------------------------
--|  f
--| (1 row)
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'st', 'reltuples', -2::real);
--| WARNING:  argument "reltuples" must not be less than -1.0
--|  pg_restore_relation_stats
--| ---------------------------
--|  f
--| (1 row)
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'st', 'relpages', -2);
--|  pg_restore_relation_stats
--| ---------------------------
--|  t
--| (1 row)
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'st', null, 1);
--| ERROR:  XX000: name at variadic position 5 is null
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'st', 'reltuples', null::real);
--|  pg_restore_relation_stats
--| ---------------------------
--|  t
--| (1 row)
select pg_restore_relation_stats('schemaname', 'public', 'relname', null, 'reltuples', 1::real);
--| ERROR:  22023: argument "relname" must not be null
select pg_restore_relation_stats();
--| ERROR:  42883: function pg_restore_relation_stats() does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'st_pkey', 'reltuples', 3::real);
--|  pg_restore_relation_stats
--| ---------------------------
--|  f
--| (1 row)
create view stv as select 1;
--| CREATE VIEW
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'stv', 'reltuples', 3::real);
--| ERROR:  42809: cannot modify statistics for relation "stv"
--| DETAIL:  This operation is not supported for views.
select pg_restore_relation_stats('schemaname', 'pg_catalog', 'relname', 'pg_class', 'nosuch', 3::real);
--| WARNING:  unrecognized argument name: "nosuch"
--| ERROR:  42809: cannot modify statistics for relation "pg_class"
--| DETAIL:  This operation is not supported for system catalogs.
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'inherited', false);
--| ERROR:  22023: must specify either "attname" or "attnum"
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'b');
--| ERROR:  22023: argument "inherited" must not be null
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'nosuch', 'inherited', false);
--| ERROR:  42703: column "nosuch" of relation "st" does not exist
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'b', 'attnum', 1::smallint, 'inherited', false);
--| ERROR:  22023: cannot specify both "attname" and "attnum"
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attnum', 9::smallint, 'inherited', false);
--| ERROR:  42703: column 9 of relation "st" does not exist
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'ctid', 'inherited', false);
--| ERROR:  0A000: cannot modify statistics on system column "ctid"
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'a', 'inherited', false, 'most_common_vals', '{1,x}'::text, 'most_common_freqs', '{0.1,0.2}'::real[]);
--| WARNING:  invalid input syntax for type integer: "x"
--|  pg_restore_attribute_stats
--| ----------------------------
--|  f
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'a', 'inherited', false, 'most_common_vals', '{1,2}'::text);
--| WARNING:  argument "most_common_freqs" must be specified when argument "most_common_vals" is specified
--|  pg_restore_attribute_stats
--| ----------------------------
--|  f
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'a', 'inherited', false, 'most_common_vals', '{1,2}'::text, 'most_common_freqs', '{0.1}'::real[]);
--| WARNING:  could not parse "most_common_vals": incorrect number of elements (same as "most_common_freqs" required)
--|  pg_restore_attribute_stats
--| ----------------------------
--|  f
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'a', 'inherited', false, 'most_common_vals', '{1,NULL}'::text, 'most_common_freqs', '{0.1,0.1}'::real[]);
--| WARNING:  "most_common_vals" array must not contain null values
--|  pg_restore_attribute_stats
--| ----------------------------
--|  f
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'a', 'inherited', false, 'histogram_bounds', '{1,x}'::text);
--| WARNING:  invalid input syntax for type integer: "x"
--|  pg_restore_attribute_stats
--| ----------------------------
--|  f
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'a', 'inherited', false, 'histogram_bounds', '{1,NULL}'::text);
--| WARNING:  "histogram_bounds" array must not contain null values
--|  pg_restore_attribute_stats
--| ----------------------------
--|  f
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'a', 'inherited', false, 'null_frac', 0.1);
--| WARNING:  argument "null_frac" has type numeric, expected type real
--|  pg_restore_attribute_stats
--| ----------------------------
--|  f
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'a', 'inherited', false, 'nope', 0.1);
--| WARNING:  unrecognized argument name: "nope"
--|  pg_restore_attribute_stats
--| ----------------------------
--|  f
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'a', 'inherited', false, 'range_length_histogram', '{1,2}'::text, 'range_empty_frac', 0.5::real);
--|  pg_restore_attribute_stats
--| ----------------------------
--|  f
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'st', 'attname', 'a', 'inherited', true, 'null_frac', 0.5::real);
--|  pg_restore_attribute_stats
--| ----------------------------
--|  f
--| (1 row)
select attname, null_frac, avg_width, n_distinct, most_common_vals, most_common_freqs, histogram_bounds, correlation from pg_stats where tablename = 'st' order by 1;
--|  attname | null_frac | avg_width | n_distinct | most_common_vals | most_common_freqs | histogram_bounds | correlation
--| ---------+-----------+-----------+------------+------------------+-------------------+------------------+-------------
--|  a       |         0 |         4 |         -1 |                  |                   | {1,50,100}       |           1
--|  b       |       0.5 |         3 |          7 | {t1,t2}          | {0.5,0.125}       |                  |         0.5
--|  c       |         0 |        29 |         -1 |                  |                   |                  |           0
--| (3 rows)
select pg_clear_attribute_stats('public', 'st', 'b', false);
--|  pg_clear_attribute_stats
--| --------------------------
--|
--| (1 row)
select attname from pg_stats where tablename = 'st' order by 1;
--|  attname
--| ---------
--|  a
--|  c
--| (2 rows)
select pg_clear_attribute_stats('public', 'st', 'nosuch', false);
--| ERROR:  42703: column "nosuch" of relation "st" does not exist
select pg_clear_attribute_stats('public', 'nosuch', 'b', false);
--| ERROR:  42P01: relation "public.nosuch" does not exist
select pg_clear_relation_stats('public', 'st');
--|  pg_clear_relation_stats
--| -------------------------
--|
--| (1 row)
select reltuples from pg_class where relname = 'st';
--|  reltuples
--| -----------
--|         -1
--| (1 row)
select attname from pg_stats where tablename = 'st' order by 1;
--|  attname
--| ---------
--|  a
--|  c
--| (2 rows)
select pg_clear_relation_stats(null, 'st');
--| ERROR:  22023: argument "schemaname" must not be null
begin;
--| BEGIN
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'st', 'reltuples', '77'::real);
--|  pg_restore_relation_stats
--| ---------------------------
--|  t
--| (1 row)
rollback;
--| ROLLBACK
select reltuples from pg_class where relname = 'st';
--|  reltuples
--| -----------
--|         -1
--| (1 row)
create role statistician; set role statistician;
--| CREATE ROLE
--| SET
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'st', 'reltuples', 1::real);
--| ERROR:  42501: permission denied for table st
select pg_clear_relation_stats('public', 'st');
--| ERROR:  42501: permission denied for table st
reset role; drop role statistician;
--| RESET
--| DROP ROLE
