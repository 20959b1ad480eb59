-- INCLUDE in constraints, and BRIN indexes.
CREATE TABLE inc (a int, b text, c int, d int, PRIMARY KEY (a) INCLUDE (b), UNIQUE (c) INCLUDE (d, b), CONSTRAINT named UNIQUE NULLS NOT DISTINCT (d) INCLUDE (a));
--| CREATE TABLE
INSERT INTO inc VALUES (1, 'x', 1, 1), (2, 'y', 2, 2);
--| INSERT 0 2
INSERT INTO inc VALUES (1, 'z', 3, 3);
--| ERROR:  23505: duplicate key value violates unique constraint "inc_pkey"
--| DETAIL:  Key (a)=(1) already exists.
INSERT INTO inc VALUES (3, 'z', 2, 3);
--| ERROR:  23505: duplicate key value violates unique constraint "inc_c_d_b_key"
--| DETAIL:  Key (c)=(2) already exists.
INSERT INTO inc VALUES (3, 'z', 3, 2);
--| ERROR:  23505: duplicate key value violates unique constraint "named"
--| DETAIL:  Key (d)=(2) already exists.
INSERT INTO inc VALUES (3, NULL, 3, NULL);
--| INSERT 0 1
INSERT INTO inc VALUES (4, NULL, 4, NULL);
--| ERROR:  23505: duplicate key value violates unique constraint "named"
--| DETAIL:  Key (d)=(null) already exists.
SELECT conname, pg_get_constraintdef(oid), conkey FROM pg_constraint WHERE conrelid = 'inc'::regclass AND contype IN ('p', 'u') ORDER BY 1;
--|     conname    |           pg_get_constraintdef            | conkey
--| ---------------+-------------------------------------------+--------
--|  inc_c_d_b_key | UNIQUE (c) INCLUDE (d, b)                 | {3}
--|  inc_pkey      | PRIMARY KEY (a) INCLUDE (b)               | {1}
--|  named         | UNIQUE NULLS NOT DISTINCT (d) INCLUDE (a) | {4}
--| (3 rows)
SELECT indexdef FROM pg_indexes WHERE tablename = 'inc' ORDER BY 1;
--|                                         indexdef
--| ----------------------------------------------------------------------------------------
--|  CREATE UNIQUE INDEX inc_c_d_b_key ON public.inc USING btree (c) INCLUDE (d, b)
--|  CREATE UNIQUE INDEX inc_pkey ON public.inc USING btree (a) INCLUDE (b)
--|  CREATE UNIQUE INDEX named ON public.inc USING btree (d) INCLUDE (a) NULLS NOT DISTINCT
--| (3 rows)
SELECT b FROM inc WHERE a = 2;
--|  b
--| ---
--|  y
--| (1 row)
SELECT d, b FROM inc WHERE c > 1 ORDER BY c;
--|  d | b
--| ---+---
--|  2 | y
--|    |
--| (2 rows)
UPDATE inc SET b = 'w' WHERE a = 2;
--| UPDATE 1
SELECT d, b FROM inc WHERE c = 2;
--|  d | b
--| ---+---
--|  2 | w
--| (1 row)
CREATE TABLE inc_child (x int REFERENCES inc, y int REFERENCES inc (c));
--| CREATE TABLE
INSERT INTO inc_child VALUES (1, 2);
--| INSERT 0 1
INSERT INTO inc_child VALUES (9, 2);
--| ERROR:  23503: insert or update on table "inc_child" violates foreign key constraint "inc_child_x_fkey"
--| DETAIL:  Key (x)=(9) is not present in table "inc".
ALTER TABLE inc_child ADD CONSTRAINT child_key PRIMARY KEY (x) INCLUDE (y);
--| ALTER TABLE
ALTER TABLE inc_child ADD UNIQUE (y) INCLUDE (x);
--| ALTER TABLE
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'inc_child'::regclass AND contype IN ('p', 'u') ORDER BY 1;
--|       conname      |    pg_get_constraintdef
--| -------------------+-----------------------------
--|  child_key         | PRIMARY KEY (x) INCLUDE (y)
--|  inc_child_y_x_key | UNIQUE (y) INCLUDE (x)
--| (2 rows)
INSERT INTO inc_child VALUES (1, 1);
--| ERROR:  23505: duplicate key value violates unique constraint "child_key"
--| DETAIL:  Key (x)=(1) already exists.
INSERT INTO inc_child VALUES (2, 1) ON CONFLICT (y) DO NOTHING RETURNING x;
--|  x
--| ---
--|  2
--| (1 row)
--| INSERT 0 1
CREATE TABLE inc_like (LIKE inc INCLUDING ALL);
--| CREATE TABLE
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'inc_like'::regclass AND contype IN ('p', 'u') ORDER BY 1;
--|       conname       |           pg_get_constraintdef
--| --------------------+-------------------------------------------
--|  inc_like_c_d_b_key | UNIQUE (c) INCLUDE (d, b)
--|  inc_like_d_a_key   | UNIQUE NULLS NOT DISTINCT (d) INCLUDE (a)
--|  inc_like_pkey      | PRIMARY KEY (a) INCLUDE (b)
--| (3 rows)
CREATE TABLE bad (a int, PRIMARY KEY (a) INCLUDE (nothing));
--| ERROR:  42703: column "nothing" named in key does not exist
CREATE TABLE bad (a int PRIMARY KEY INCLUDE (a));
--| ERROR:  42601: syntax error at or near "INCLUDE"
DROP TABLE inc_child;
--| DROP TABLE
ALTER TABLE inc DROP COLUMN b CASCADE;
--| ALTER TABLE
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'inc'::regclass AND contype IN ('p', 'u') ORDER BY 1;
--|  conname |           pg_get_constraintdef
--| ---------+-------------------------------------------
--|  named   | UNIQUE NULLS NOT DISTINCT (d) INCLUDE (a)
--| (1 row)
CREATE TABLE ranges (at timestamptz, n int, flag bool, word text);
--| CREATE TABLE
INSERT INTO ranges SELECT '2026-01-01 00:00+00'::timestamptz + n * interval '1 hour', n, n % 2 = 0, 'w' || n FROM generate_series(1, 500) AS n;
--| INSERT 0 500
CREATE INDEX ranges_at ON ranges USING brin (at) WITH (pages_per_range = 32, autosummarize = on);
--| CREATE INDEX
CREATE INDEX ranges_n ON ranges USING brin (n int4_minmax_ops, word);
--| CREATE INDEX
CREATE INDEX ON ranges USING brin (n int4_ops);
--| ERROR:  42704: operator class "int4_ops" does not exist for access method "brin"
CREATE INDEX ON ranges USING brin (n DESC);
--| ERROR:  0A000: access method "brin" does not support ASC/DESC options
CREATE INDEX ON ranges USING brin (n) INCLUDE (word);
--| ERROR:  0A000: access method "brin" does not support included columns
CREATE INDEX ON ranges USING brin (flag);
--| ERROR:  42704: data type boolean has no default operator class for access method "brin"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
CREATE UNIQUE INDEX ON ranges USING brin (n);
--| ERROR:  0A000: access method "brin" does not support unique indexes
CREATE INDEX ON ranges USING brin (n) WITH (fillfactor = 70);
--| ERROR:  22023: unrecognized parameter "fillfactor"
ANALYZE ranges;
--| ANALYZE
SELECT n FROM ranges WHERE n BETWEEN 10 AND 12 ORDER BY n;
--|  n
--| ----
--|  10
--|  11
--|  12
--| (3 rows)
SELECT n FROM ranges WHERE n = 77 AND word = 'w77';
--|  n
--| ----
--|  77
--| (1 row)
SELECT count(*) FROM ranges WHERE at >= '2026-01-20 00:00+00';
--|  count
--| -------
--|     45
--| (1 row)
SELECT n FROM ranges ORDER BY n DESC LIMIT 2;
--|   n
--| -----
--|  500
--|  499
--| (2 rows)
SELECT indexdef FROM pg_indexes WHERE tablename = 'ranges' ORDER BY 1;
--|                                                 indexdef
--| ---------------------------------------------------------------------------------------------------------
--|  CREATE INDEX ranges_at ON public.ranges USING brin (at) WITH (pages_per_range='32', autosummarize='on')
--|  CREATE INDEX ranges_n ON public.ranges USING brin (n, word)
--| (2 rows)
CREATE TABLE collated (a text COLLATE "C", b varchar(5) COLLATE pg_catalog."default", c text COLLATE "POSIX" NOT NULL, d text);
--| CREATE TABLE
SELECT attname, attcollation::int FROM pg_attribute WHERE attrelid = 'collated'::regclass AND attnum > 0 ORDER BY attnum;
--|  attname | attcollation
--| ---------+--------------
--|  a       |          950
--|  b       |          100
--|  c       |          951
--|  d       |          100
--| (4 rows)
CREATE TABLE collated_like (LIKE collated);
--| CREATE TABLE
SELECT attname, attcollation::int FROM pg_attribute WHERE attrelid = 'collated_like'::regclass AND attnum > 0 ORDER BY attnum;
--|  attname | attcollation
--| ---------+--------------
--|  a       |          950
--|  b       |          100
--|  c       |          951
--|  d       |          100
--| (4 rows)
ALTER TABLE collated ALTER c TYPE varchar(9), ADD e text COLLATE ucs_basic;
--| ALTER TABLE
SELECT attname, attcollation::int FROM pg_attribute WHERE attrelid = 'collated'::regclass AND attnum > 0 ORDER BY attnum;
--|  attname | attcollation
--| ---------+--------------
--|  a       |          950
--|  b       |          100
--|  c       |          100
--|  d       |          100
--|  e       |          962
--| (5 rows)
CREATE INDEX collated_a ON collated (a, d);
--| CREATE INDEX
SELECT indcollation FROM pg_index WHERE indexrelid = 'collated_a'::regclass;
--|  indcollation
--| --------------
--|  950 100
--| (1 row)
CREATE TABLE bad (a int COLLATE "C");
--| ERROR:  42804: collations are not supported by type integer
CREATE TABLE bad (a text COLLATE "xx_YY");
--| ERROR:  42704: collation "xx_YY" for encoding "UTF8" does not exist
CREATE INDEX collated_d ON collated (d COLLATE "C", (a || b) COLLATE "POSIX" DESC, lower(d) COLLATE "C" text_pattern_ops, a COLLATE "C");
--| CREATE INDEX
SELECT pg_get_indexdef('collated_d'::regclass);
--|                                                                       pg_get_indexdef
--| -----------------------------------------------------------------------------------------------------------------------------------------------------------
--|  CREATE INDEX collated_d ON public.collated USING btree (d COLLATE "C", ((a || (b)::text)) COLLATE "POSIX" DESC, lower(d) COLLATE "C" text_pattern_ops, a)
--| (1 row)
SELECT indcollation FROM pg_index WHERE indexrelid = 'collated_d'::regclass;
--|   indcollation
--| -----------------
--|  950 951 950 950
--| (1 row)
INSERT INTO collated VALUES ('x', 'y', 'z', 'D');
--| INSERT 0 1
SELECT a FROM collated WHERE d = 'D' COLLATE "C";
--|  a
--| ---
--|  x
--| (1 row)
CREATE INDEX ON collated ((1) COLLATE "C");
--| ERROR:  42804: collations are not supported by type integer
