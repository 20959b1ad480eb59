-- Columns that most rows are not asked for are decoded late: behind a condition, beside the keys of a sort with LIMIT, and beside those of a hash join.
CREATE TABLE wide (id int PRIMARY KEY, k int, a text, b char(8), c numeric, d date, e int[]);
--| CREATE TABLE
INSERT INTO wide SELECT n, n % 97, repeat(chr(97 + n % 26), n % 40), 'b' || n % 7, n / 7.0, date '2020-01-01' + n % 300, ARRAY[n, -n] FROM generate_series(1, 5000) n;
--| INSERT 0 5000
UPDATE wide SET a = NULL, c = NULL WHERE id % 11 = 0;
--| UPDATE 454
-- Rows of before have no value of it.
ALTER TABLE wide ADD f text;
--| ALTER TABLE
INSERT INTO wide (id, k, a, f) VALUES (5001, 1, 'last', 'f'), (5002, NULL, repeat('large', 20000), repeat('value', 20000)), (5003, 96, NULL, NULL);
--| INSERT 0 3
DELETE FROM wide WHERE id % 13 = 0;
--| DELETE 384
CREATE TABLE few (k int, note text);
--| CREATE TABLE
INSERT INTO few VALUES (3, 'three'), (96, 'ninety-six'), (96, 'again'), (500, 'none'), (NULL, 'null');
--| INSERT 0 5
ANALYZE wide;
--| ANALYZE
ANALYZE few;
--| ANALYZE
-- Behind a condition, which reads a column of the middle, a later one, one that is missing, none.
SELECT * FROM wide WHERE k = 13 AND id < 700 ORDER BY id;
--|  id  | k  |                  a                  |    b     |          c          |     d      |     e      | f
--| -----+----+-------------------------------------+----------+---------------------+------------+------------+---
--|  110 | 13 |                                     | b5       |                     | 2020-04-20 | {110,-110} |
--|  207 | 13 | zzzzzzz                             | b4       | 29.5714285714285714 | 2020-07-26 | {207,-207} |
--|  304 | 13 | ssssssssssssssssssssssss            | b3       | 43.4285714285714286 | 2020-01-05 | {304,-304} |
--|  401 | 13 | l                                   | b2       | 57.2857142857142857 | 2020-04-11 | {401,-401} |
--|  498 | 13 | eeeeeeeeeeeeeeeeee                  | b1       | 71.1428571428571429 | 2020-07-17 | {498,-498} |
--|  595 | 13 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | b0       | 85.0000000000000000 | 2020-10-22 | {595,-595} |
--|  692 | 13 | qqqqqqqqqqqq                        | b6       | 98.8571428571428571 | 2020-04-02 | {692,-692} |
--| (7 rows)
SELECT * FROM wide WHERE f IS NOT NULL AND id < 5002;
--|   id  | k |  a   | b | c | d | e | f
--| ------+---+------+---+---+---+---+---
--|  5001 | 1 | last |   |   |   |   | f
--| (1 row)
SELECT id, length(a), length(f) FROM wide WHERE k IS NULL;
--|   id  | length | length
--| ------+--------+--------
--|  5002 | 100000 | 100000
--| (1 row)
SELECT count(*), sum(length(a)), min(b), max(e) FROM wide WHERE d > '2020-10-01' AND c IS NULL;
--|  count | sum |   min    |     max
--| -------+-----+----------+--------------
--|     34 |     | b0       | {4796,-4796}
--| (1 row)
SELECT id, a, b FROM wide w WHERE k = (SELECT max(f.k) FROM few f WHERE f.k <= w.k AND f.k = w.id % 100) AND id < 1500 ORDER BY id;
--|  id |        a         |    b
--| ----+------------------+----------
--|   3 | ddd              | b3
--|  96 | ssssssssssssssss | b5
--| (2 rows)
SELECT id, a FROM wide WHERE id % 1000 = 7;
--|   id  |    a
--| ------+---------
--|     7 | hhhhhhh
--|  1007 | ttttttt
--|  2007 | fffffff
--|  3007 | rrrrrrr
--|  4007 | ddddddd
--| (5 rows)
-- The best of many: equal ones stay in their order.
SELECT id, k, a, b, f FROM wide ORDER BY k DESC NULLS LAST, id LIMIT 6;
--|  id  | k  |                 a                 |    b     | f
--| -----+----+-----------------------------------+----------+---
--|   96 | 96 | ssssssssssssssss                  | b5       |
--|  193 | 96 | lllllllllllllllllllllllllllllllll | b4       |
--|  290 | 96 | eeeeeeeeee                        | b3       |
--|  387 | 96 | xxxxxxxxxxxxxxxxxxxxxxxxxxx       | b2       |
--|  484 | 96 |                                   | b1       |
--|  581 | 96 | jjjjjjjjjjjjjjjjjjjjj             | b0       |
--| (6 rows)
SELECT id, k, c, e FROM wide ORDER BY d, c NULLS FIRST, id LIMIT 4 OFFSET 3;
--|   id  | k  |          c           |      e
--| ------+----+----------------------+--------------
--|   900 | 27 | 128.5714285714285714 | {900,-900}
--|  1200 | 36 | 171.4285714285714286 | {1200,-1200}
--|  1500 | 45 | 214.2857142857142857 | {1500,-1500}
--|  1800 | 54 | 257.1428571428571429 | {1800,-1800}
--| (4 rows)
SELECT id, length(a), length(f) FROM wide ORDER BY length(a) DESC NULLS LAST, id LIMIT 3;
--|   id  | length | length
--| ------+--------+--------
--|  5002 | 100000 | 100000
--|    79 |     39 |
--|   119 |     39 |
--| (3 rows)
SELECT k, a, e FROM wide ORDER BY e DESC NULLS LAST LIMIT 2;
--|  k  |                    a                    |      e
--| ----+-----------------------------------------+--------------
--|  53 |                                         | {5000,-5000}
--|  52 | hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh | {4999,-4999}
--| (2 rows)
SELECT id, a FROM wide WHERE k > 90 ORDER BY abs(k - 93), a COLLATE "C" NULLS FIRST, id LIMIT 5;
--|   id  |    a
--| ------+---------
--|   869 |
--|  1936 |
--|  4070 |
--|  1160 |
--|   287 | bbbbbbb
--| (5 rows)
SELECT id, b FROM wide ORDER BY c LIMIT 0;
--|  id | b
--| ----+---
--| (0 rows)
SELECT id, b, d FROM (SELECT * FROM wide ORDER BY id % 5, id LIMIT 3) s ORDER BY id DESC LIMIT 2;
--|  id |    b     |     d
--| ----+----------+------------
--|  15 | b1       | 2020-01-16
--|  10 | b3       | 2020-01-11
--| (2 rows)
-- More of them than memory has room for.
SET work_mem = '64kB';
--| SET
SELECT count(*), sum(id), sum(length(a)), count(c), max(f) < 'z' FROM (SELECT * FROM wide ORDER BY k, id LIMIT 4000) s;
--|  count |   sum   |  sum  | count | ?column?
--| -------+---------+-------+-------+----------
--|   4000 | 9984060 | 71085 |  3636 | t
--| (1 row)
SELECT count(*), sum(w.id), sum(length(w.a)), count(w.c), min(v.b), max(v.f) < 'z' FROM wide w JOIN wide v ON w.id + 1 = v.id + 0 * v.k AND w.b IS NOT NULL;
--|  count |   sum    |  sum  | count |   min    | ?column?
--| -------+----------+-------+-------+----------+----------
--|   4232 | 10580964 | 74934 |  3847 | b0       | t
--| (1 row)
SELECT count(*), sum(w.id), sum(length(w.a)), count(v.c), min(v.b) FROM wide w LEFT JOIN wide v ON w.id + 1 = v.id + 0 * v.k;
--|  count |   sum    |  sum   | count |   min
--| -------+----------+--------+-------+----------
--|   4619 | 11556546 | 181774 |  3846 | b0
--| (1 row)
SELECT count(*), sum(w.id), sum(length(v.a)), count(w.c), min(v.b) FROM wide w FULL JOIN wide v ON w.id + 1 = v.id + 0 * v.k;
--|  count |   sum    |  sum   | count |   min
--| -------+----------+--------+-------+----------
--|   5005 | 11556546 | 181774 |  4196 | b0
--| (1 row)
RESET work_mem;
--| RESET
-- What is passed over.
SELECT * FROM few OFFSET 3;
--|   k  | note
--| -----+------
--|  500 | none
--|      | null
--| (2 rows)
SELECT * FROM few OFFSET 1 LIMIT 2;
--|  k  |    note
--| ----+------------
--|  96 | ninety-six
--|  96 | again
--| (2 rows)
SELECT note FROM (SELECT * FROM few WHERE k > 3 OFFSET 1) s;
--|  note
--| -------
--|  again
--|  none
--| (2 rows)
SELECT k, md5(note), md5(repeat(note, 100000)) FROM few OFFSET 2 FETCH FIRST ROW ONLY;
--|  k  |               md5                |               md5
--| ----+----------------------------------+----------------------------------
--|  96 | 639849f6b368019778991b32434354fc | 16114cca3abc629594be7dd30e52dc2e
--| (1 row)
-- Keys that few rows of the streamed side have.
SELECT w.id, w.k, w.a, w.b, f.note FROM wide w JOIN few f ON w.k = f.k AND w.id < 300 ORDER BY w.id, f.note;
--|  id  | k  |                   a                   |    b     |    note
--| -----+----+---------------------------------------+----------+------------
--|    3 |  3 | ddd                                   | b3       | three
--|   96 | 96 | ssssssssssssssss                      | b5       | again
--|   96 | 96 | ssssssssssssssss                      | b5       | ninety-six
--|  100 |  3 | wwwwwwwwwwwwwwwwwwww                  | b2       | three
--|  193 | 96 | lllllllllllllllllllllllllllllllll     | b4       | again
--|  193 | 96 | lllllllllllllllllllllllllllllllll     | b4       | ninety-six
--|  197 |  3 | ppppppppppppppppppppppppppppppppppppp | b1       | three
--|  290 | 96 | eeeeeeeeee                            | b3       | again
--|  290 | 96 | eeeeeeeeee                            | b3       | ninety-six
--|  294 |  3 | iiiiiiiiiiiiii                        | b0       | three
--| (10 rows)
SELECT count(*), sum(w.id), sum(length(w.a)), max(w.b), sum(w.c)::numeric(12, 3) FROM wide w JOIN few f ON f.k = w.k;
--|  count |  sum   | sum  |   max    |    sum
--| -------+--------+------+----------+-----------
--|    144 | 362360 | 2574 | b6       | 44584.857
--| (1 row)
SELECT count(*), sum(w.id), sum(length(w.a)), max(w.b), count(f.note) FROM wide w LEFT JOIN few f ON f.k = w.k;
--|  count |   sum    |  sum   |   max    | count
--| -------+----------+--------+----------+-------
--|   4667 | 11678290 | 182625 | b6       |   144
--| (1 row)
SELECT count(*), sum(w.id), sum(length(w.a)), max(w.b) FROM wide w WHERE w.k IN (SELECT k FROM few);
--|  count |  sum   | sum  |   max
--| -------+--------+------+----------
--|     96 | 240616 | 1723 | b6
--| (1 row)
SELECT count(*), sum(w.id), sum(length(w.a)), max(w.b) FROM wide w WHERE NOT EXISTS (SELECT FROM few f WHERE f.k = w.k);
--|  count |   sum    |  sum   |   max
--| -------+----------+--------+----------
--|   4523 | 11315930 | 180051 | b6
--| (1 row)
SELECT count(*), sum(w.id), sum(length(w.a)), count(*) FILTER (WHERE w.id IS NULL), count(*) FILTER (WHERE f.k IS NULL) FROM wide w FULL JOIN few f ON f.k = w.k;
--|  count |   sum    |  sum   | count | count
--| -------+----------+--------+-------+-------
--|   4669 | 11678290 | 182625 |     2 |  4524
--| (1 row)
SELECT count(*), sum(w.id), max(w.a) FROM wide w JOIN few f ON f.k = w.k AND w.a > f.note;
--|  count |  sum   |          max
--| -------+--------+-----------------------
--|     73 | 177396 | zzzzzzzzzzzzzzzzzzzzz
--| (1 row)
EXPLAIN (COSTS OFF) SELECT w.id, w.a, f.note FROM wide w JOIN few f ON w.k = f.k;
--|           QUERY PLAN
--| -------------------------------
--|  Hash Join
--|    Hash Cond: (w.k = f.k)
--|    ->  Seq Scan on wide w
--|    ->  Hash
--|          ->  Seq Scan on few f
--| (5 rows)
EXPLAIN (COSTS OFF) SELECT * FROM wide ORDER BY k DESC NULLS LAST, id LIMIT 6;
--|                QUERY PLAN
--| -----------------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: k DESC NULLS LAST, id
--|          ->  Seq Scan on wide
--| (4 rows)
-- Changes.
UPDATE wide SET f = a || '!' WHERE k = 14 AND id > 4500 RETURNING id, a, f;
--|   id  |               a                |                f
--| ------+--------------------------------+---------------------------------
--|  4573 | xxxxxxxxxxxxx                  | xxxxxxxxxxxxx!
--|  4670 | qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq | qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq!
--|  4767 | jjjjjjj                        | jjjjjjj!
--|  4864 | cccccccccccccccccccccccc       | cccccccccccccccccccccccc!
--|  4961 |                                |
--| (5 rows)
--| UPDATE 5
DELETE FROM wide USING few WHERE wide.k = few.k AND wide.id > 4700 AND note <> 'again' RETURNING wide.*, note;
--|   id  | k  |                  a                   |    b     |          c           |     d      |      e       | f |    note
--| ------+----+--------------------------------------+----------+----------------------+------------+--------------+---+------------
--|  4752 | 96 |                                      | b6       |                      | 2020-09-09 | {4752,-4752} |   | ninety-six
--|  4756 |  3 | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy | b3       | 679.4285714285714286 | 2020-09-13 | {4756,-4756} |   | three
--|  4853 |  3 | rrrrrrrrrrrrr                        | b2       | 693.2857142857142857 | 2020-02-23 | {4853,-4853} |   | three
--|  4946 | 96 | gggggggggggggggggggggggggg           | b4       | 706.5714285714285714 | 2020-05-26 | {4946,-4946} |   | ninety-six
--|  4950 |  3 |                                      | b1       |                      | 2020-05-30 | {4950,-4950} |   | three
--|  5003 | 96 |                                      |          |                      |            |              |   | ninety-six
--| (6 rows)
--| DELETE 6
BEGIN;
--| BEGIN
SELECT id, b, f FROM wide WHERE k = 14 ORDER BY d, id LIMIT 2 FOR UPDATE;
--|   id  |    b     | f
--| ------+----------+---
--|  3603 | b5       |
--|   305 | b4       |
--| (2 rows)
DECLARE c SCROLL CURSOR FOR SELECT id, a, f FROM wide WHERE k = 14 ORDER BY id DESC LIMIT 4;
--| DECLARE CURSOR
FETCH 2 FROM c;
--|   id  |            a             |             f
--| ------+--------------------------+---------------------------
--|  4961 |                          |
--|  4864 | cccccccccccccccccccccccc | cccccccccccccccccccccccc!
--| (2 rows)
FETCH BACKWARD 1 FROM c;
--|   id  | a | f
--| ------+---+---
--|  4961 |   |
--| (1 row)
FETCH ALL FROM c;
--|   id  |               a                |                f
--| ------+--------------------------------+---------------------------------
--|  4864 | cccccccccccccccccccccccc       | cccccccccccccccccccccccc!
--|  4767 | jjjjjjj                        | jjjjjjj!
--|  4670 | qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq | qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq!
--| (3 rows)
COMMIT;
--| COMMIT
-- What OFFSET passes over is not decoded, and the limit stands below the select list.
create table passed (a int, b text, c int); insert into passed select g, 't' || g, g * 2 from generate_series(1, 50) g;
--| CREATE TABLE
--| INSERT 0 50
select * from passed offset 48;
--|  a  |  b  |  c
--| ----+-----+-----
--|  49 | t49 |  98
--|  50 | t50 | 100
--| (2 rows)
select c, a, c from passed limit 2 offset 10;
--|  c  | a  | c
--| ----+----+----
--|  22 | 11 | 22
--|  24 | 12 | 24
--| (2 rows)
select c, b from passed order by a desc limit 2 offset 3;
--|  c  |  b
--| ----+-----
--|  94 | t47
--|  92 | t46
--| (2 rows)
select c + 1, b from passed limit 2 offset 20;
--|  ?column? |  b
--| ----------+-----
--|        43 | t21
--|        45 | t22
--| (2 rows)
select c, b from passed where a % 2 = 0 fetch first 2 rows with ties offset 1;
--| ERROR:  42601: WITH TIES cannot be specified without ORDER BY clause
select c, b from passed order by c % 3 offset 1 fetch first 2 rows with ties;
--|  c  |  b
--| ----+-----
--|  12 | t6
--|  18 | t9
--|  24 | t12
--|  30 | t15
--|  36 | t18
--|  42 | t21
--|  48 | t24
--|  54 | t27
--|  60 | t30
--|  66 | t33
--|  72 | t36
--|  78 | t39
--|  84 | t42
--|  90 | t45
--|  96 | t48
--| (15 rows)
select c, (select b from passed q where q.a = p.a) from passed p limit 1 offset 44;
--|  c  |  b
--| ----+-----
--|  90 | t45
--| (1 row)
declare d scroll cursor with hold for select c, b from passed limit 4 offset 4;
--| DECLARE CURSOR
fetch last from d; fetch prior from d; fetch all from d; fetch absolute 1 from d; close d;
--|  c  | b
--| ----+----
--|  16 | t8
--| (1 row)
--|  c  | b
--| ----+----
--|  14 | t7
--| (1 row)
--|  c  | b
--| ----+----
--|  16 | t8
--| (1 row)
--|  c  | b
--| ----+----
--|  10 | t5
--| (1 row)
--| CLOSE CURSOR
explain (verbose, costs off) select c, b from passed limit 2 offset 10;
--|            QUERY PLAN
--| ---------------------------------
--|  Limit
--|    Output: c, b
--|    ->  Seq Scan on public.passed
--|          Output: c, b
--| (4 rows)
