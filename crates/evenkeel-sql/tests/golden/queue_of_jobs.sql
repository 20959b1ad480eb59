-- Jobs that are taken from a queue are found by their key: the subquery that locks them is read once, as a relation.
CREATE TABLE jobs (id bigserial PRIMARY KEY, state text NOT NULL DEFAULT 'ready', worker int);
--| CREATE TABLE
INSERT INTO jobs (state) SELECT CASE WHEN i % 100 = 0 THEN 'ready' ELSE 'done' END FROM generate_series(1, 5000) i;
--| INSERT 0 5000
CREATE INDEX jobs_ready ON jobs (id) WHERE state = 'ready';
--| CREATE INDEX
ANALYZE jobs;
--| ANALYZE
EXPLAIN (COSTS OFF) UPDATE jobs SET state = 'taken', worker = 1
WHERE id IN (SELECT id FROM jobs WHERE state = 'ready' ORDER BY id LIMIT 3 FOR UPDATE SKIP LOCKED) RETURNING id;
--|                                    QUERY PLAN
--| --------------------------------------------------------------------------------
--|  Update on jobs
--|    ->  Nested Loop
--|          ->  HashAggregate
--|                Group Key: "ANY_subquery".id
--|                ->  Subquery Scan on "ANY_subquery"
--|                      ->  Limit
--|                            ->  LockRows
--|                                  ->  Index Scan using jobs_ready on jobs jobs_1
--|          ->  Index Scan using jobs_pkey on jobs
--|                Index Cond: (id = "ANY_subquery".id)
--| (10 rows)
UPDATE jobs SET state = 'taken', worker = 1
WHERE id IN (SELECT id FROM jobs WHERE state = 'ready' ORDER BY id LIMIT 3 FOR UPDATE SKIP LOCKED) RETURNING id;
--|  id
--| -----
--|  100
--|  200
--|  300
--| (3 rows)
--| UPDATE 3
DELETE FROM jobs
WHERE id IN (SELECT id FROM jobs WHERE state = 'ready' ORDER BY id DESC LIMIT 2 FOR UPDATE SKIP LOCKED) RETURNING id;
--|   id
--| ------
--|  5000
--|  4900
--| (2 rows)
--| DELETE 2
EXPLAIN (COSTS OFF) DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state = 'ready' FOR UPDATE);
--|                                 QUERY PLAN
--| --------------------------------------------------------------------------
--|  Delete on jobs
--|    ->  Nested Loop
--|          ->  HashAggregate
--|                Group Key: "ANY_subquery".id
--|                ->  Subquery Scan on "ANY_subquery"
--|                      ->  LockRows
--|                            ->  Index Scan using jobs_ready on jobs jobs_1
--|          ->  Index Scan using jobs_pkey on jobs
--|                Index Cond: (id = "ANY_subquery".id)
--| (9 rows)
-- What is drawn is drawn once.
SELECT count(*) FROM jobs WHERE id IN (SELECT id FROM jobs ORDER BY random() LIMIT 7);
--|  count
--| -------
--|      7
--| (1 row)
SELECT count(*) FROM jobs WHERE id NOT IN (SELECT id FROM jobs ORDER BY random() LIMIT 7);
--|  count
--| -------
--|   4991
--| (1 row)
SELECT state, count(*) FROM jobs GROUP BY 1 ORDER BY 1;
--|  state | count
--| -------+-------
--|  done  |  4950
--|  ready |    45
--|  taken |     3
--| (3 rows)
