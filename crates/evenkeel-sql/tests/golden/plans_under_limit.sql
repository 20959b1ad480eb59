-- A plan under a LIMIT costs what the rows cost that are read, also where a plan for all values is weighed against plans for each.
CREATE TABLE auctions (id int PRIMARY KEY, begins timestamp, status int, price int);
--| CREATE TABLE
INSERT INTO auctions SELECT g, timestamp '2026-01-01' + (g * 7919 % 20000) * interval '1 min', g % 3, g * 13 % 1000
    FROM generate_series(1, 20000) g;
--| INSERT 0 20000
ANALYZE auctions;
--| ANALYZE
PREPARE due AS SELECT id, price FROM auctions WHERE begins BETWEEN $1 AND $2 AND status = $3 ORDER BY id LIMIT 3;
--| PREPARE
EXECUTE due('2026-01-05', '2026-01-28', 0);
--|  id | price
--| ----+-------
--|   6 |    78
--|   9 |   117
--|  12 |   156
--| (3 rows)
EXECUTE due('2026-01-05', '2026-01-28', 0);
--|  id | price
--| ----+-------
--|   6 |    78
--|   9 |   117
--|  12 |   156
--| (3 rows)
EXECUTE due('2026-01-05', '2026-01-28', 0);
--|  id | price
--| ----+-------
--|   6 |    78
--|   9 |   117
--|  12 |   156
--| (3 rows)
EXECUTE due('2026-01-05', '2026-01-28', 0);
--|  id | price
--| ----+-------
--|   6 |    78
--|   9 |   117
--|  12 |   156
--| (3 rows)
EXECUTE due('2026-01-05', '2026-01-28', 0);
--|  id | price
--| ----+-------
--|   6 |    78
--|   9 |   117
--|  12 |   156
--| (3 rows)
EXECUTE due('2026-01-05', '2026-01-28', 0);
--|  id | price
--| ----+-------
--|   6 |    78
--|   9 |   117
--|  12 |   156
--| (3 rows)
-- Not the plan for all values, which reads and sorts the table.
EXPLAIN (COSTS OFF) EXECUTE due('2026-01-05', '2026-01-28', 0);
--|                                                                               QUERY PLAN
--| ----------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  Limit
--|    ->  Index Scan using auctions_pkey on auctions
--|          Filter: ((begins >= '2026-01-05 00:00:00'::timestamp without time zone) AND (begins <= '2026-01-28 00:00:00'::timestamp without time zone) AND (status = 0))
--| (3 rows)
SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = 'due';
--|  generic_plans | custom_plans
--| ---------------+--------------
--|              0 |            7
--| (1 row)
-- What has to be sorted has to be read.
EXPLAIN (COSTS OFF) SELECT id FROM auctions ORDER BY price LIMIT 2;
--|             QUERY PLAN
--| ----------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: price
--|          ->  Seq Scan on auctions
--| (4 rows)
SELECT id FROM auctions ORDER BY price, id LIMIT 2;
--|   id
--| ------
--|  1000
--|  2000
--| (2 rows)
-- An unknown number of rows, and rows that are passed over.
PREPARE piece(int, int) AS SELECT id FROM auctions WHERE status = 1 ORDER BY id LIMIT $1 OFFSET $2;
--| PREPARE
EXECUTE piece(2, 3);
--|  id
--| ----
--|  10
--|  13
--| (2 rows)
EXPLAIN (COSTS OFF) EXECUTE piece(2, 3);
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Limit
--|    ->  Index Scan using auctions_pkey on auctions
--|          Filter: (status = 1)
--| (3 rows)
