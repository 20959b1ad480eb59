-- Conditions that are asked of rows as they are stored, before they are decoded: of every type, on both sides, beside others that fail.
CREATE TABLE t (a int2, b int4, c int8, d date, e timestamp, f numeric, g text, h varchar(5), i char(5), j bytea, k float8, l bool, m uuid, n interval, o time);
--| CREATE TABLE
INSERT INTO t SELECT x, x * 2, x * 3, date '2020-01-01' + x, timestamp '2020-01-01' + x * interval '1 hour', x / 4.0, 't' || x % 5, 'v' || x % 7, 'c' || x % 3, decode(lpad(to_hex(x), 4, '0'), 'hex'), x / 8.0, x % 2 = 0, lpad(x::text, 32, '0')::uuid, x * interval '1 minute', time '00:00' + x * interval '1 second' FROM generate_series(1, 300) x;
--| INSERT 0 300
INSERT INTO t (b) SELECT NULL FROM generate_series(1, 5);
--| INSERT 0 5
INSERT INTO t (f, g, k) VALUES ('NaN', '', 'NaN'), ('Infinity', 't1 ', '-Infinity'), (1e300, 'T1', 0), (-123456789012345678901234567890123456789, 'é', -0.0);
--| INSERT 0 4
SELECT count(*) FROM t WHERE a = 7;
--|  count
--| -------
--|      1
--| (1 row)
SELECT count(*) FROM t WHERE 7 > a;
--|  count
--| -------
--|      6
--| (1 row)
SELECT count(*) FROM t WHERE a = 100000;
--|  count
--| -------
--|      0
--| (1 row)
SELECT count(*) FROM t WHERE b BETWEEN 10 AND 20 AND c <> 18;
--|  count
--| -------
--|      5
--| (1 row)
SELECT count(*) FROM t WHERE c > a AND d >= date '2020-10-01';
--|  count
--| -------
--|     27
--| (1 row)
SELECT count(*) FROM t WHERE e < timestamp '2020-01-02' OR a = 300;
--|  count
--| -------
--|     24
--| (1 row)
SELECT count(*) FROM t WHERE e < timestamp '2020-01-02' AND e > date '2020-01-01';
--|  count
--| -------
--|     23
--| (1 row)
SELECT count(*) FROM t WHERE d > timestamp '2020-10-01 12:00';
--|  count
--| -------
--|     26
--| (1 row)
SELECT count(*), min(g) FROM t WHERE f >= 70;
--|  count | min
--| -------+-----
--|     24 |
--| (1 row)
SELECT count(*), min(g) FROM t WHERE f = 'NaN';
--|  count | min
--| -------+-----
--|      1 |
--| (1 row)
SELECT count(*), min(g) FROM t WHERE f < -1;
--|  count | min
--| -------+-----
--|      1 | é
--| (1 row)
SELECT count(*) FROM t WHERE f = 1;
--|  count
--| -------
--|      1
--| (1 row)
SELECT count(*) FROM t WHERE g = 't1';
--|  count
--| -------
--|     60
--| (1 row)
SELECT count(*) FROM t WHERE g <> 't1' AND h = 'v1';
--|  count
--| -------
--|     34
--| (1 row)
SELECT count(*) FROM t WHERE g < 't1';
--|  count
--| -------
--|     62
--| (1 row)
SELECT count(*) FROM t WHERE g > 'U';
--|  count
--| -------
--|    302
--| (1 row)
SELECT count(*) FROM t WHERE i = 'c1';
--|  count
--| -------
--|    100
--| (1 row)
SELECT count(*) FROM t WHERE i = 'c1   ' AND i < 'c2';
--|  count
--| -------
--|    100
--| (1 row)
SELECT count(*) FROM t WHERE i = 'c1   '::text;
--|  count
--| -------
--|      0
--| (1 row)
SELECT count(*) FROM t WHERE j > '\x0100';
--|  count
--| -------
--|     44
--| (1 row)
SELECT count(*) FROM t WHERE k = 'NaN' OR k = 0;
--|  count
--| -------
--|      3
--| (1 row)
SELECT count(*) FROM t WHERE k > 30;
--|  count
--| -------
--|     61
--| (1 row)
SELECT count(*) FROM t WHERE k = 0;
--|  count
--| -------
--|      2
--| (1 row)
SELECT count(*) FROM t WHERE l = true AND a < 10;
--|  count
--| -------
--|      4
--| (1 row)
SELECT count(*) FROM t WHERE m = '00000000-0000-0000-0000-000000000042';
--|  count
--| -------
--|      1
--| (1 row)
SELECT count(*) FROM t WHERE n >= interval '1 hour' AND o < time '00:02';
--|  count
--| -------
--|     60
--| (1 row)
SELECT count(*) FROM t WHERE a = NULL;
--|  count
--| -------
--|      0
--| (1 row)
SELECT count(*) FROM t WHERE a IS NULL AND g = 't1 ';
--|  count
--| -------
--|      1
--| (1 row)
SELECT count(*) FROM t WHERE a IS NOT NULL AND b = 4;
--|  count
--| -------
--|      1
--| (1 row)
SELECT count(*) FROM t WHERE a > 0 AND 1 / (a - 400) = 0 AND b = 0;
--|  count
--| -------
--|      0
--| (1 row)
SELECT count(*) FROM t WHERE 1 / (a - 7) = 0 AND b = 0;
--|  count
--| -------
--|      0
--| (1 row)
SELECT count(*) FROM t WHERE a = 7 AND 1 / (a - 8) = -1;
--|  count
--| -------
--|      1
--| (1 row)
PREPARE p (int, text) AS SELECT count(*) FROM t WHERE b > $1 AND g = $2;
--| PREPARE
EXECUTE p(500, 't1');
--|  count
--| -------
--|     10
--| (1 row)
EXECUTE p(NULL, 't1');
--|  count
--| -------
--|      0
--| (1 row)
EXECUTE p(0, 't9');
--|  count
--| -------
--|      0
--| (1 row)
SELECT x, (SELECT count(*) FROM t WHERE b < x * 100 AND f > x) FROM generate_series(1, 5) x ORDER BY 1;
--|  x | count
--| ---+-------
--|  1 |    45
--|  2 |    91
--|  3 |   137
--|  4 |   183
--|  5 |   229
--| (5 rows)
SELECT x.a, count(*) FROM (VALUES (1), (5), (NULL)) x (a) LEFT JOIN t ON t.a + 0 < x.a AND t.c > x.a * 3 GROUP BY 1 ORDER BY 1;
--|  a | count
--| ---+-------
--|  1 |     1
--|  5 |     1
--|    |     1
--| (3 rows)
-- What a table says of rows that were stored before a column was there.
ALTER TABLE t ADD COLUMN p int DEFAULT 5, ADD COLUMN q text;
--| ALTER TABLE
INSERT INTO t (a, p, q) VALUES (900, 6, 'q');
--| INSERT 0 1
SELECT count(*) FROM t WHERE p = 5;
--|  count
--| -------
--|    309
--| (1 row)
SELECT count(*) FROM t WHERE p = 6 AND a > 500;
--|  count
--| -------
--|      1
--| (1 row)
SELECT count(*) FROM t WHERE a > 500 AND p = 5;
--|  count
--| -------
--|      0
--| (1 row)
SELECT count(*) FROM t WHERE q = 'q';
--|  count
--| -------
--|      1
--| (1 row)
SELECT count(*) FROM t WHERE q <> 'q';
--|  count
--| -------
--|      0
--| (1 row)
-- Changes, and what an older snapshot sees.
BEGIN;
--| BEGIN
UPDATE t SET a = -1 WHERE b = 4;
--| UPDATE 1
SELECT count(*) FROM t WHERE a = -1;
--|  count
--| -------
--|      1
--| (1 row)
DELETE FROM t WHERE a = -1;
--| DELETE 1
SELECT count(*) FROM t WHERE a < 5;
--|  count
--| -------
--|      3
--| (1 row)
ROLLBACK;
--| ROLLBACK
SELECT count(*) FROM t WHERE a < 5;
--|  count
--| -------
--|      4
--| (1 row)
UPDATE t SET g = repeat('x', 20000) || a WHERE a BETWEEN 10 AND 12;
--| UPDATE 3
SELECT count(*) FROM t WHERE g = repeat('x', 20000) || 11;
--|  count
--| -------
--|      1
--| (1 row)
SELECT count(*) FROM t WHERE g > 'w' AND a < 100;
--|  count
--| -------
--|      3
--| (1 row)
SELECT count(*) FROM t WHERE a = 11 AND g < 'u';
--|  count
--| -------
--|      0
--| (1 row)
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) SELECT * FROM t WHERE a > 6 AND b < 16;
--|                 QUERY PLAN
--| ------------------------------------------
--|  Seq Scan on t (actual rows=1.00 loops=1)
--|    Filter: ((a > 6) AND (b < 16))
--|    Rows Removed by Filter: 309
--| (3 rows)
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) SELECT * FROM t WHERE k = 'NaN';
--|                 QUERY PLAN
--| ------------------------------------------
--|  Seq Scan on t (actual rows=1.00 loops=1)
--|    Filter: (k = 'NaN'::double precision)
--|    Rows Removed by Filter: 309
--| (3 rows)
-- New tables, and tables that are written anew, with rows that later statements of the transaction change.
BEGIN;
--| BEGIN
CREATE TABLE u AS SELECT a, g FROM t WHERE a < 4;
--| SELECT 3
SELECT count(*) FROM u WHERE a < 3;
--|  count
--| -------
--|      2
--| (1 row)
UPDATE u SET a = a + 10 WHERE a = 1;
--| UPDATE 1
SAVEPOINT s;
--| SAVEPOINT
DELETE FROM u WHERE a > 1;
--| DELETE 3
INSERT INTO u VALUES (77, 'new');
--| INSERT 0 1
SELECT a FROM u ORDER BY a;
--|  a
--| ----
--|  77
--| (1 row)
ROLLBACK TO s;
--| ROLLBACK
SELECT a FROM u ORDER BY a;
--|  a
--| ----
--|   2
--|   3
--|  11
--| (3 rows)
ALTER TABLE u ALTER COLUMN a TYPE numeric USING a + 0.5;
--| ALTER TABLE
SELECT a FROM u ORDER BY a;
--|   a
--| ------
--|   2.5
--|   3.5
--|  11.5
--| (3 rows)
SAVEPOINT s2;
--| SAVEPOINT
ALTER TABLE u ALTER COLUMN a TYPE text;
--| ALTER TABLE
ALTER TABLE u ADD COLUMN r float DEFAULT random();
--| ALTER TABLE
SELECT a, r BETWEEN 0 AND 1 FROM u ORDER BY a;
--|   a   | ?column?
--| ------+----------
--|  11.5 | t
--|  2.5  | t
--|  3.5  | t
--| (3 rows)
ROLLBACK TO s2;
--| ROLLBACK
CREATE INDEX ON u (a);
--| CREATE INDEX
UPDATE u SET g = 'z' WHERE a = 11.5;
--| UPDATE 1
SELECT * FROM u ORDER BY a;
--|   a   | g
--| ------+----
--|   2.5 | t2
--|   3.5 | t3
--|  11.5 | z
--| (3 rows)
COMMIT;
--| COMMIT
SELECT * FROM u ORDER BY a;
--|   a   | g
--| ------+----
--|   2.5 | t2
--|   3.5 | t3
--|  11.5 | z
--| (3 rows)
CREATE TABLE v AS SELECT 1 / (a - 3) FROM u;
--| SELECT 3
CREATE TABLE v AS SELECT 1 / (a::int - 2) FROM u;
--| ERROR:  42P07: relation "v" already exists
SELECT count(*) FROM v;
--|  count
--| -------
--|      3
--| (1 row)
SELECT a, repeat(g, 5000) AS g INTO w FROM t WHERE a < 4;
--| SELECT 3
SELECT a, length(g) FROM w ORDER BY a;
--|  a | length
--| ---+--------
--|  1 |  10000
--|  2 |  10000
--|  3 |  10000
--| (3 rows)
DELETE FROM w WHERE a = 2;
--| DELETE 1
SELECT a, length(g) FROM w ORDER BY a;
--|  a | length
--| ---+--------
--|  1 |  10000
--|  3 |  10000
--| (2 rows)
-- Lists, and columns beside one another; what stands behind a condition that may fail is not asked before it.
create table te (a int, b int, c char(3), t text, d numeric, x int);
--| CREATE TABLE
insert into te values (1, 2, 'x', 'p', 1.5, 0), (2, 2, 'y', 'q', 2, 1), (3, 1, 'z', null, 3, 2), (null, 1, 'x', 'p', null, 0);
--| INSERT 0 4
select a from te where a in (1, 3, null) and a < b;
--|  a
--| ---
--|  1
--| (1 row)
select a from te where c in ('x', 'z') order by a;
--|  a
--| ---
--|  1
--|  3
--|
--| (3 rows)
select a from te where d = any ('{1.50,NULL,7}');
--|  a
--| ---
--|  1
--| (1 row)
select a from te where a = any ('{}'::int[]) or t = 'q';
--|  a
--| ---
--|  2
--| (1 row)
select a from te where a = any ('{}'::int[]);
--|  a
--| ---
--| (0 rows)
select a from te where a not in (1, 2);
--|  a
--| ---
--|  3
--| (1 row)
select a from te where t in ('p', t) and a >= b - 1;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
select a from te where a < b and 1 / x > 0;
--| ERROR:  22012: division by zero
select a from te where a >= b and 1 / x > 0;
--|  a
--| ---
--|  2
--| (1 row)
select a from te where 1 / x > 0 and c in ('y');
--|  a
--| ---
--|  2
--| (1 row)
select a from te where 1 / x > 0 and c in ('y', 'q', 'r', 's', 't', 'u', 'v');
--| ERROR:  22012: division by zero
select a from te where c in ('y') and 1 / x > 0;
--|  a
--| ---
--|  2
--| (1 row)
drop table te;
--| DROP TABLE
