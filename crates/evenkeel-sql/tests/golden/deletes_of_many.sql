-- Entries of many rows that are deleted are kept back, and taken out in the order of their keys.
CREATE TABLE many (id int PRIMARY KEY, a int, b text, c jsonb, d int UNIQUE);
--| CREATE TABLE
CREATE INDEX many_a ON many (a);
--| CREATE INDEX
CREATE INDEX many_b ON many (lower(b), a DESC) INCLUDE (d);
--| CREATE INDEX
CREATE INDEX many_part ON many (b) WHERE a % 3 = 0;
--| CREATE INDEX
CREATE INDEX many_c ON many USING gin (c);
--| CREATE INDEX
INSERT INTO many SELECT n, n * 7919 % 1000, 'B' || n % 50, jsonb_build_object('k', n % 10, 'l', n), n FROM generate_series(1, 3000) n;
--| INSERT 0 3000
BEGIN;
--| BEGIN
DELETE FROM many WHERE a < 400;
--| DELETE 1200
SELECT count(*) FROM many WHERE a BETWEEN 390 AND 410;
--|  count
--| -------
--|     33
--| (1 row)
SAVEPOINT s;
--| SAVEPOINT
DELETE FROM many;
--| DELETE 1800
SELECT count(*) FROM many WHERE lower(b) = 'b7';
--|  count
--| -------
--|      0
--| (1 row)
ROLLBACK TO s;
--| ROLLBACK
SELECT count(*), min(a) FROM many WHERE lower(b) = 'b7';
--|  count | min
--| -------+-----
--|     36 | 433
--| (1 row)
SELECT count(*) FROM many WHERE c @> '{"k": 3}';
--|  count
--| -------
--|    180
--| (1 row)
SELECT count(*) FROM many WHERE b = 'B9' AND a % 3 = 0;
--|  count
--| -------
--|     12
--| (1 row)
COMMIT;
--| COMMIT
SELECT count(*), min(a), max(a) FROM many WHERE a >= 0;
--|  count | min | max
--| -------+-----+-----
--|   1800 | 400 | 999
--| (1 row)
SELECT count(*) FROM many WHERE c @> '{"k": 3}';
--|  count
--| -------
--|    180
--| (1 row)
-- What comes again has entries of its own.
WITH gone AS (DELETE FROM many WHERE a >= 500 RETURNING *) INSERT INTO many SELECT id + 10000, a, b, c, d + 10000 FROM gone;
--| INSERT 0 1500
SELECT count(*), min(id), max(id) FROM many WHERE a BETWEEN 500 AND 520;
--|  count |  min  |  max
--| -------+-------+-------
--|     63 | 10006 | 12969
--| (1 row)
SELECT count(*) FROM many WHERE lower(b) = 'b7' AND a > 450;
--|  count
--| -------
--|     33
--| (1 row)
MERGE INTO many m USING (SELECT generate_series(1, 14000) AS id) s ON m.id = s.id
  WHEN MATCHED AND m.a % 2 = 0 THEN DELETE
  WHEN MATCHED THEN UPDATE SET a = m.a + 2000
  WHEN NOT MATCHED AND s.id % 20 = 0 THEN INSERT VALUES (s.id, 3000, 'new', '{"k": 3}', -s.id);
--| MERGE 2410
SELECT a >= 3000 AS new, count(*), count(DISTINCT a) FROM many WHERE a > 0 GROUP BY 1 ORDER BY 1;
--|  new | count | count
--| -----+-------+-------
--|  f   |   900 |   300
--|  t   |   610 |     1
--| (2 rows)
SELECT count(*) FROM many WHERE a < 1000;
--|  count
--| -------
--|      0
--| (1 row)
SELECT count(*) FROM many WHERE c @> '{"k": 3}';
--|  count
--| -------
--|    790
--| (1 row)
SELECT count(*) FROM many WHERE b = 'new' AND a % 3 = 0;
--|  count
--| -------
--|    610
--| (1 row)
-- A statement that fails leaves all.
CREATE TABLE held (id int REFERENCES many);
--| CREATE TABLE
INSERT INTO held SELECT max(id) FROM many;
--| INSERT 0 1
DELETE FROM many;
--| ERROR:  23503: update or delete on table "many" violates foreign key constraint "held_id_fkey" on table "held"
--| DETAIL:  Key (id)=(14000) is still referenced from table "held".
SELECT count(*) FROM many WHERE a >= 3000;
--|  count
--| -------
--|    610
--| (1 row)
DELETE FROM held;
--| DELETE 1
DELETE FROM many RETURNING a IS NULL LIMIT;
--| ERROR:  42601: syntax error at or near "LIMIT"
WITH d AS (DELETE FROM many RETURNING a) SELECT count(*), sum(a) FROM d;
--|  count |   sum
--| -------+---------
--|   1510 | 4260000
--| (1 row)
SELECT count(*) FROM many WHERE a > 0;
--|  count
--| -------
--|      0
--| (1 row)
SELECT count(*) FROM many WHERE c @> '{"k": 3}';
--|  count
--| -------
--|      0
--| (1 row)
