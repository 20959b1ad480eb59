-- System catalogs that are asked for one relation: by its OID, by its name, by an index, by what is no relation.
CREATE SCHEMA one;
--| CREATE SCHEMA
CREATE TABLE one.parent (id int PRIMARY KEY, code text UNIQUE CHECK (code <> ''));
--| CREATE TABLE
CREATE TABLE one.child (id serial PRIMARY KEY, parent int NOT NULL REFERENCES one.parent, note text DEFAULT 'none');
--| CREATE TABLE
CREATE INDEX child_parent ON one.child (parent);
--| CREATE INDEX
CREATE VIEW one.shown AS SELECT id, note FROM one.child;
--| CREATE VIEW
CREATE TYPE one.pair AS (a int, b text);
--| CREATE TYPE
CREATE SEQUENCE one.counted;
--| CREATE SEQUENCE
CREATE TABLE parent (other int);
--| CREATE TABLE
SELECT relname, relkind FROM pg_class WHERE oid = 'one.child'::regclass;
--|  relname | relkind
--| ---------+---------
--|  child   | r
--| (1 row)
SELECT relname, relkind FROM pg_class WHERE 'one.child_parent'::regclass = oid;
--|    relname    | relkind
--| --------------+---------
--|  child_parent | i
--| (1 row)
SELECT relname, relkind, relnatts FROM pg_class WHERE oid IN ('one.shown'::regclass, 'one.counted'::regclass) ORDER BY 1;
--|  relname | relkind | relnatts
--| ---------+---------+----------
--|  counted | S       |        3
--|  shown   | v       |        2
--| (2 rows)
SELECT n.nspname, relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE relname = 'parent' ORDER BY 1;
--|  nspname | relkind
--| ---------+---------
--|  one     | r
--|  public  | r
--| (2 rows)
SELECT relkind FROM pg_class WHERE relname = 'pair';
--|  relkind
--| ---------
--|  c
--| (1 row)
SELECT relkind FROM pg_class WHERE relname = 'pg_class' OR relname = 'child_pkey' ORDER BY 1;
--|  relkind
--| ---------
--|  i
--|  r
--| (2 rows)
SELECT relkind FROM pg_class WHERE relname = 'pg_tables' AND oid > 0;
--|  relkind
--| ---------
--|  v
--| (1 row)
SELECT relkind FROM pg_class WHERE relname = 'counted' AND relname = 'child';
--|  relkind
--| ---------
--| (0 rows)
SELECT attname, attnotnull FROM pg_attribute WHERE attrelid = 'one.child'::regclass AND attnum > 0 ORDER BY attnum;
--|  attname | attnotnull
--| ---------+------------
--|  id      | t
--|  parent  | t
--|  note    | f
--| (3 rows)
SELECT attname FROM pg_attribute WHERE attrelid = 'one.child_parent'::regclass ORDER BY attnum;
--|  attname
--| ---------
--|  parent
--| (1 row)
SELECT attname FROM pg_attribute WHERE attrelid = 'one.shown'::regclass AND attnum > 0 ORDER BY attnum;
--|  attname
--| ---------
--|  id
--|  note
--| (2 rows)
SELECT attname FROM pg_attribute WHERE attrelid = 'one.pair'::regclass ORDER BY attnum;
--|  attname
--| ---------
--|  a
--|  b
--| (2 rows)
SELECT count(*) > 5 FROM pg_attribute WHERE attrelid = 'pg_class'::regclass;
--|  ?column?
--| ----------
--|  t
--| (1 row)
SELECT count(*) FROM pg_attribute WHERE attrelid = 0;
--|  count
--| -------
--|      0
--| (1 row)
SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'one.child'::regclass ORDER BY 1;
--|     indexrelid
--| ------------------
--|  one.child_pkey
--|  one.child_parent
--| (2 rows)
SELECT indrelid::regclass FROM pg_index WHERE indexrelid = 'one.child_parent'::regclass;
--|  indrelid
--| -----------
--|  one.child
--| (1 row)
SELECT conname, contype, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'one.child'::regclass ORDER BY 1;
--|         conname        | contype |              pg_get_constraintdef
--| -----------------------+---------+------------------------------------------------
--|  child_id_not_null     | n       | NOT NULL id
--|  child_parent_fkey     | f       | FOREIGN KEY (parent) REFERENCES one.parent(id)
--|  child_parent_not_null | n       | NOT NULL parent
--|  child_pkey            | p       | PRIMARY KEY (id)
--| (4 rows)
SELECT conname, confrelid::regclass FROM pg_constraint WHERE confrelid = 'one.parent'::regclass;
--|       conname      | confrelid
--| -------------------+------------
--|  child_parent_fkey | one.parent
--| (1 row)
SELECT adnum, pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'one.child'::regclass ORDER BY 1;
--|  adnum |              pg_get_expr
--| -------+---------------------------------------
--|      1 | nextval('one.child_id_seq'::regclass)
--|      3 | 'none'::text
--| (2 rows)
SELECT a.attname, pg_get_expr(d.adbin, d.adrelid) FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = 'one.child'::regclass AND a.attnum > 0 ORDER BY a.attnum;
--|  attname |              pg_get_expr
--| ---------+---------------------------------------
--|  id      | nextval('one.child_id_seq'::regclass)
--|  parent  |
--|  note    | 'none'::text
--| (3 rows)
PREPARE columns_of (oid) AS SELECT count(*) FROM pg_attribute WHERE attrelid = $1 AND attnum > 0;
--| PREPARE
EXECUTE columns_of ('one.child'::regclass);
--|  count
--| -------
--|      3
--| (1 row)
EXECUTE columns_of ('one.parent'::regclass);
--|  count
--| -------
--|      2
--| (1 row)
-- What this transaction changed.
BEGIN;
--| BEGIN
ALTER TABLE one.child ADD COLUMN more int, ADD CONSTRAINT small CHECK (more < 9);
--| ALTER TABLE
SELECT count(*) FROM pg_attribute WHERE attrelid = 'one.child'::regclass AND attnum > 0;
--|  count
--| -------
--|      4
--| (1 row)
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'small';
--|  pg_get_constraintdef
--| ----------------------
--|  CHECK ((more < 9))
--| (1 row)
ALTER TABLE one.child DROP CONSTRAINT small;
--| ALTER TABLE
SELECT count(*) FROM pg_constraint WHERE conname = 'small';
--|  count
--| -------
--|      0
--| (1 row)
ROLLBACK;
--| ROLLBACK
SELECT count(*) FROM pg_attribute WHERE attrelid = 'one.child'::regclass AND attnum > 0;
--|  count
--| -------
--|      3
--| (1 row)
