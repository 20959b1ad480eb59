-- A hash join that has kept no row reads no further on its other side, unless a row of that side is given without a match.
CREATE TABLE far (k int, v int);
--| CREATE TABLE
INSERT INTO far SELECT g, g % 10 FROM generate_series(1, 20000) g;
--| INSERT 0 20000
CREATE TABLE near (k int, name text);
--| CREATE TABLE
INSERT INTO near SELECT g, 'n' || g FROM generate_series(1, 2000) g;
--| INSERT 0 2000
ANALYZE far;
--| ANALYZE
ANALYZE near;
--| ANALYZE
SET enable_mergejoin = off;
--| SET
SET enable_nestloop = off;
--| SET
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
    SELECT count(*) FROM far, near WHERE far.k = near.k AND name = 'none';
--|                           QUERY PLAN
--| ---------------------------------------------------------------
--|  Aggregate (actual rows=1.00 loops=1)
--|    ->  Hash Join (actual rows=0.00 loops=1)
--|          Hash Cond: (far.k = near.k)
--|          ->  Seq Scan on far (actual rows=1.00 loops=1)
--|          ->  Hash (actual rows=0.00 loops=1)
--|                Buckets: 16  Batches: 1  Memory Usage: 0kB
--|                ->  Seq Scan on near (actual rows=0.00 loops=1)
--|                      Filter: (name = 'none'::text)
--|                      Rows Removed by Filter: 2000
--| (9 rows)
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
    SELECT count(*) FROM far WHERE k IN (SELECT k FROM near WHERE name = 'none');
--|                           QUERY PLAN
--| ---------------------------------------------------------------
--|  Aggregate (actual rows=1.00 loops=1)
--|    ->  Hash Semi Join (actual rows=0.00 loops=1)
--|          Hash Cond: (far.k = near.k)
--|          ->  Seq Scan on far (actual rows=1.00 loops=1)
--|          ->  Hash (actual rows=0.00 loops=1)
--|                Buckets: 16  Batches: 1  Memory Usage: 0kB
--|                ->  Seq Scan on near (actual rows=0.00 loops=1)
--|                      Filter: (name = 'none'::text)
--|                      Rows Removed by Filter: 2000
--| (9 rows)
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
    SELECT count(*) FROM near LEFT JOIN far USING (k) WHERE name = 'none';
--|                           QUERY PLAN
--| ---------------------------------------------------------------
--|  Aggregate (actual rows=1.00 loops=1)
--|    ->  Hash Right Join (actual rows=0.00 loops=1)
--|          Hash Cond: (far.k = near.k)
--|          ->  Seq Scan on far (actual rows=1.00 loops=1)
--|          ->  Hash (actual rows=0.00 loops=1)
--|                Buckets: 16  Batches: 1  Memory Usage: 0kB
--|                ->  Seq Scan on near (actual rows=0.00 loops=1)
--|                      Filter: (name = 'none'::text)
--|                      Rows Removed by Filter: 2000
--| (9 rows)
-- One join below another.
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
    SELECT count(*) FROM far f, far g, near WHERE f.k = g.k AND f.v = near.k AND name = 'none';
--|                                 QUERY PLAN
--| ---------------------------------------------------------------------------
--|  Aggregate (actual rows=1.00 loops=1)
--|    ->  Hash Join (actual rows=0.00 loops=1)
--|          Hash Cond: (g.k = f.k)
--|          ->  Seq Scan on far g (actual rows=1.00 loops=1)
--|          ->  Hash (actual rows=0.00 loops=1)
--|                Buckets: 16  Batches: 1  Memory Usage: 0kB
--|                ->  Hash Join (actual rows=0.00 loops=1)
--|                      Hash Cond: (f.v = near.k)
--|                      ->  Seq Scan on far f (actual rows=1.00 loops=1)
--|                      ->  Hash (actual rows=0.00 loops=1)
--|                            Buckets: 16  Batches: 1  Memory Usage: 0kB
--|                            ->  Seq Scan on near (actual rows=0.00 loops=1)
--|                                  Filter: (name = 'none'::text)
--|                                  Rows Removed by Filter: 2000
--| (14 rows)
-- The rows of the side that is read.
SELECT count(*), count(n.k) FROM far LEFT JOIN near n ON far.k = n.k AND n.name = 'none';
--|  count | count
--| -------+-------
--|  20000 |     0
--| (1 row)
SELECT count(*), count(n.k) FROM far FULL JOIN (SELECT * FROM near WHERE name = 'none') n ON far.k = n.k;
--|  count | count
--| -------+-------
--|  20000 |     0
--| (1 row)
SELECT count(*) FROM far WHERE NOT EXISTS (SELECT FROM near n WHERE far.k = n.k AND n.name = 'none');
--|  count
--| -------
--|  20000
--| (1 row)
SELECT count(*) FROM far WHERE k NOT IN (SELECT k FROM near WHERE name = 'none');
--|  count
--| -------
--|  20000
--| (1 row)
SELECT count(*) FROM near n WHERE name = 'none' AND NOT EXISTS (SELECT FROM far WHERE far.k = n.k);
--|  count
--| -------
--|      0
--| (1 row)
-- What can't be computed of a row that is not read.
SELECT count(*) FROM far, near WHERE 1 / (far.k - 7) = near.k AND name = 'none';
--|  count
--| -------
--|      0
--| (1 row)
