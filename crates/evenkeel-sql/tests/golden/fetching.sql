-- Whether an index is worth it depends on where the rows lie that it leads to: by statistics that are given.
create table f (a int, b int, t text);
--| CREATE TABLE
create index on f (a);
--| CREATE INDEX
create index on f (b);
--| CREATE INDEX
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'f', 'reltuples', 1000000::real);
--|  pg_restore_relation_stats
--| ---------------------------
--|  t
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'f', 'attname', 'a', 'inherited', false, 'null_frac', 0::real, 'avg_width', 4, 'n_distinct', -1::real, 'histogram_bounds', '{0,1000}'::text, 'correlation', 1::real);
--|  pg_restore_attribute_stats
--| ----------------------------
--|  t
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'f', 'attname', 'b', 'inherited', false, 'null_frac', 0::real, 'avg_width', 4, 'n_distinct', -1::real, 'histogram_bounds', '{0,1000}'::text, 'correlation', 0::real);
--|  pg_restore_attribute_stats
--| ----------------------------
--|  t
--| (1 row)
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'f', 'attname', 't', 'inherited', false, 'null_frac', 0::real, 'avg_width', 60, 'n_distinct', -1::real, 'correlation', 0::real);
--|  pg_restore_attribute_stats
--| ----------------------------
--|  t
--| (1 row)
-- A twentieth of the rows: by either index; a ninth: by that of neighbours alone; a quarter: by none.
explain (costs off) select t from f where a < 50;
--|           QUERY PLAN
--| -------------------------------
--|  Index Scan using f_a_idx on f
--|    Index Cond: (a < 50)
--| (2 rows)
explain (costs off) select t from f where b < 50;
--|           QUERY PLAN
--| -------------------------------
--|  Index Scan using f_b_idx on f
--|    Index Cond: (b < 50)
--| (2 rows)
explain (costs off) select t from f where a < 118;
--|           QUERY PLAN
--| -------------------------------
--|  Index Scan using f_a_idx on f
--|    Index Cond: (a < 118)
--| (2 rows)
explain (costs off) select t from f where b < 118;
--|      QUERY PLAN
--| ---------------------
--|  Seq Scan on f
--|    Filter: (b < 118)
--| (2 rows)
explain (costs off) select t from f where a < 250;
--|      QUERY PLAN
--| ---------------------
--|  Seq Scan on f
--|    Filter: (a < 250)
--| (2 rows)
-- In the order of an index each row that is no neighbour of the one before costs its own way.
explain (costs off) select t from f where t = 'x' order by a limit 1;
--|               QUERY PLAN
--| ---------------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: a
--|          ->  Seq Scan on f
--|                Filter: (t = 'x'::text)
--| (5 rows)
explain (costs off) select t from f where t < 'x' order by b limit 10000;
--|              QUERY PLAN
--| -------------------------------------
--|  Limit
--|    ->  Index Scan using f_b_idx on f
--|          Filter: (t < 'x'::text)
--| (3 rows)
explain (costs off) select t from f where t < 'x' order by b limit 10;
--|              QUERY PLAN
--| -------------------------------------
--|  Limit
--|    ->  Index Scan using f_b_idx on f
--|          Filter: (t < 'x'::text)
--| (3 rows)
-- A smaller table stays in the processor's caches.
select pg_restore_relation_stats('schemaname', 'public', 'relname', 'f', 'reltuples', 10000::real);
--|  pg_restore_relation_stats
--| ---------------------------
--|  t
--| (1 row)
explain (costs off) select t from f where b < 118;
--|           QUERY PLAN
--| -------------------------------
--|  Index Scan using f_b_idx on f
--|    Index Cond: (b < 118)
--| (2 rows)
drop table f;
--| DROP TABLE
