-- An OR of many equalities of one column is a list that it is in; other branches stay beside it, and few are left as they are.
CREATE TABLE many (id int PRIMARY KEY, k int, t text);
--| CREATE TABLE
INSERT INTO many SELECT i, i % 100, 't' || i FROM generate_series(1, 1000) i;
--| INSERT 0 1000
ANALYZE many;
--| ANALYZE
EXPLAIN (COSTS OFF) SELECT * FROM many
WHERE id = 1 OR id = 2 OR id = 3 OR id = 4 OR id = 5 OR id = 6 OR id = 7 OR 8 = id OR id = 9;
--|                          QUERY PLAN
--| -------------------------------------------------------------
--|  Index Scan using many_pkey on many
--|    Index Cond: (id = ANY ('{1,2,3,4,5,6,7,8,9}'::integer[]))
--| (2 rows)
SELECT count(*), sum(id) FROM many
WHERE id = 1 OR id = 2 OR id = 3 OR id = 4 OR id = 5 OR id = 6 OR id = 7 OR 8 = id OR id = 9;
--|  count | sum
--| -------+-----
--|      9 |  45
--| (1 row)
EXPLAIN (COSTS OFF) SELECT * FROM many
WHERE k = 1 OR k = 2 OR t = 't77' OR k = 3 OR k = 4 OR k = 5 OR k = 6 OR k = 7 OR k = 8 OR k = 9 OR id < 3;
--|                                         QUERY PLAN
--| -------------------------------------------------------------------------------------------
--|  Seq Scan on many
--|    Filter: ((k = ANY ('{1,2,3,4,5,6,7,8,9}'::integer[])) OR (t = 't77'::text) OR (id < 3))
--| (2 rows)
SELECT count(*), sum(id) FROM many
WHERE k = 1 OR k = 2 OR t = 't77' OR k = 3 OR k = 4 OR k = 5 OR k = 6 OR k = 7 OR k = 8 OR k = 9 OR id < 3;
--|  count |  sum
--| -------+-------
--|     91 | 41027
--| (1 row)
-- Few of each.
EXPLAIN (COSTS OFF) SELECT * FROM many
WHERE k = 1 OR k = 2 OR k = 3 OR k = 4 OR k = 5 OR t = 't1' OR t = 't2' OR t = 't3' OR t = 't4';
--|                                                                    QUERY PLAN
--| -------------------------------------------------------------------------------------------------------------------------------------------------
--|  Seq Scan on many
--|    Filter: ((k = 1) OR (k = 2) OR (k = 3) OR (k = 4) OR (k = 5) OR (t = 't1'::text) OR (t = 't2'::text) OR (t = 't3'::text) OR (t = 't4'::text))
--| (2 rows)
-- NULL among them, and what is NULL.
SELECT count(*) FROM many WHERE NOT (k = 1 OR k = 2 OR k = 3 OR k = 4 OR k = 5 OR k = 6 OR k = 7 OR k = 8 OR k = NULL);
--|  count
--| -------
--|      0
--| (1 row)
SELECT count(*) FROM many
WHERE (NULLIF(k, 7) = 1 OR NULLIF(k, 7) = 2 OR NULLIF(k, 7) = 3 OR NULLIF(k, 7) = 4 OR NULLIF(k, 7) = 5
  OR NULLIF(k, 7) = 6 OR NULLIF(k, 7) = 7 OR NULLIF(k, 7) = 8 OR NULLIF(k, 7) = 9) IS NULL;
--|  count
--| -------
--|     10
--| (1 row)
-- Numbers of several sizes.
SELECT count(*) FROM many WHERE k = 1 OR k = 2::bigint OR k = 3::smallint OR k = 4 OR k = 5 OR k = 6 OR k = 7 OR k = 8 OR k = 9
  OR k = 5000000000;
--|  count
--| -------
--|     90
--| (1 row)
