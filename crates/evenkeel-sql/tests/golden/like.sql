-- CREATE TABLE (LIKE …).

create sequence sq;
--| CREATE SEQUENCE
create table src (id serial primary key, a int not null default 5 check (a > 0), b text unique, c int generated always as (a*2) stored, d int generated always as identity, e int constraint ee not null, f numeric(5,2) default nextval('sq'), constraint ck check (a + e > 1), foreign key (a) references src(id)) with (fillfactor=70);
--| CREATE TABLE
create index src_e on src (e desc nulls last);
--| CREATE INDEX
comment on column src.a is 'ca';
--| COMMENT
comment on index src_e is 'cidx';
--| COMMENT
comment on constraint ck on src is 'cck';
--| COMMENT
comment on table src is 'ctab';
--| COMMENT
alter table src alter b set storage external, alter b set compression pglz, alter a set statistics 50;
--| ALTER TABLE
create table l0 (like src);
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on (adrelid, adnum) = (attrelid, attnum) where attrelid = 'l0'::regclass and attnum > 0 order by attnum;
--|  attname | format_type  | attnotnull | attidentity | attgenerated | attstorage | attcompression | pg_get_expr
--| ---------+--------------+------------+-------------+--------------+------------+----------------+-------------
--|  id      | integer      | t          |             |              | p          |                |
--|  a       | integer      | t          |             |              | p          |                |
--|  b       | text         | f          |             |              | x          |                |
--|  c       | integer      | f          |             |              | p          |                |
--|  d       | integer      | t          |             |              | p          |                |
--|  e       | integer      | t          |             |              | p          |                |
--|  f       | numeric(5,2) | f          |             |              | m          |                |
--| (7 rows)
select conname, contype, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = 'l0'::regclass order by 1;
--|      conname     | contype | pg_get_constraintdef | obj_description
--| -----------------+---------+----------------------+-----------------
--|  ee              | n       | NOT NULL e           |
--|  src_a_not_null  | n       | NOT NULL a           |
--|  src_d_not_null  | n       | NOT NULL d           |
--|  src_id_not_null | n       | NOT NULL id          |
--| (4 rows)
select indexname, indexdef, obj_description(indexname::regclass) from pg_indexes where tablename = 'l0' order by 1;
--|  indexname | indexdef | obj_description
--| -----------+----------+-----------------
--| (0 rows)
create table l1 (like src including defaults);
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on (adrelid, adnum) = (attrelid, attnum) where attrelid = 'l1'::regclass and attnum > 0 order by attnum;
--|  attname | format_type  | attnotnull | attidentity | attgenerated | attstorage | attcompression |           pg_get_expr
--| ---------+--------------+------------+-------------+--------------+------------+----------------+---------------------------------
--|  id      | integer      | t          |             |              | p          |                | nextval('src_id_seq'::regclass)
--|  a       | integer      | t          |             |              | p          |                | 5
--|  b       | text         | f          |             |              | x          |                |
--|  c       | integer      | f          |             |              | p          |                |
--|  d       | integer      | t          |             |              | p          |                |
--|  e       | integer      | t          |             |              | p          |                |
--|  f       | numeric(5,2) | f          |             |              | m          |                | nextval('sq'::regclass)
--| (7 rows)
select conname, contype, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = 'l1'::regclass order by 1;
--|      conname     | contype | pg_get_constraintdef | obj_description
--| -----------------+---------+----------------------+-----------------
--|  ee              | n       | NOT NULL e           |
--|  src_a_not_null  | n       | NOT NULL a           |
--|  src_d_not_null  | n       | NOT NULL d           |
--|  src_id_not_null | n       | NOT NULL id          |
--| (4 rows)
select indexname, indexdef, obj_description(indexname::regclass) from pg_indexes where tablename = 'l1' order by 1;
--|  indexname | indexdef | obj_description
--| -----------+----------+-----------------
--| (0 rows)
create table l2 (like src including identity including generated);
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on (adrelid, adnum) = (attrelid, attnum) where attrelid = 'l2'::regclass and attnum > 0 order by attnum;
--|  attname | format_type  | attnotnull | attidentity | attgenerated | attstorage | attcompression | pg_get_expr
--| ---------+--------------+------------+-------------+--------------+------------+----------------+-------------
--|  id      | integer      | t          |             |              | p          |                |
--|  a       | integer      | t          |             |              | p          |                |
--|  b       | text         | f          |             |              | x          |                |
--|  c       | integer      | f          |             | s            | p          |                | (a * 2)
--|  d       | integer      | t          | a           |              | p          |                |
--|  e       | integer      | t          |             |              | p          |                |
--|  f       | numeric(5,2) | f          |             |              | m          |                |
--| (7 rows)
select conname, contype, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = 'l2'::regclass order by 1;
--|      conname     | contype | pg_get_constraintdef | obj_description
--| -----------------+---------+----------------------+-----------------
--|  ee              | n       | NOT NULL e           |
--|  src_a_not_null  | n       | NOT NULL a           |
--|  src_d_not_null  | n       | NOT NULL d           |
--|  src_id_not_null | n       | NOT NULL id          |
--| (4 rows)
select indexname, indexdef, obj_description(indexname::regclass) from pg_indexes where tablename = 'l2' order by 1;
--|  indexname | indexdef | obj_description
--| -----------+----------+-----------------
--| (0 rows)
create table l3 (like src including constraints);
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on (adrelid, adnum) = (attrelid, attnum) where attrelid = 'l3'::regclass and attnum > 0 order by attnum;
--|  attname | format_type  | attnotnull | attidentity | attgenerated | attstorage | attcompression | pg_get_expr
--| ---------+--------------+------------+-------------+--------------+------------+----------------+-------------
--|  id      | integer      | t          |             |              | p          |                |
--|  a       | integer      | t          |             |              | p          |                |
--|  b       | text         | f          |             |              | x          |                |
--|  c       | integer      | f          |             |              | p          |                |
--|  d       | integer      | t          |             |              | p          |                |
--|  e       | integer      | t          |             |              | p          |                |
--|  f       | numeric(5,2) | f          |             |              | m          |                |
--| (7 rows)
select conname, contype, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = 'l3'::regclass order by 1;
--|      conname     | contype | pg_get_constraintdef  | obj_description
--| -----------------+---------+-----------------------+-----------------
--|  ck              | c       | CHECK (((a + e) > 1)) |
--|  ee              | n       | NOT NULL e            |
--|  src_a_check     | c       | CHECK ((a > 0))       |
--|  src_a_not_null  | n       | NOT NULL a            |
--|  src_d_not_null  | n       | NOT NULL d            |
--|  src_id_not_null | n       | NOT NULL id           |
--| (6 rows)
select indexname, indexdef, obj_description(indexname::regclass) from pg_indexes where tablename = 'l3' order by 1;
--|  indexname | indexdef | obj_description
--| -----------+----------+-----------------
--| (0 rows)
create table l4 (like src including indexes including comments);
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on (adrelid, adnum) = (attrelid, attnum) where attrelid = 'l4'::regclass and attnum > 0 order by attnum;
--|  attname | format_type  | attnotnull | attidentity | attgenerated | attstorage | attcompression | pg_get_expr
--| ---------+--------------+------------+-------------+--------------+------------+----------------+-------------
--|  id      | integer      | t          |             |              | p          |                |
--|  a       | integer      | t          |             |              | p          |                |
--|  b       | text         | f          |             |              | x          |                |
--|  c       | integer      | f          |             |              | p          |                |
--|  d       | integer      | t          |             |              | p          |                |
--|  e       | integer      | t          |             |              | p          |                |
--|  f       | numeric(5,2) | f          |             |              | m          |                |
--| (7 rows)
select conname, contype, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = 'l4'::regclass order by 1;
--|      conname     | contype | pg_get_constraintdef | obj_description
--| -----------------+---------+----------------------+-----------------
--|  ee              | n       | NOT NULL e           |
--|  l4_b_key        | u       | UNIQUE (b)           |
--|  l4_pkey         | p       | PRIMARY KEY (id)     |
--|  src_a_not_null  | n       | NOT NULL a           |
--|  src_d_not_null  | n       | NOT NULL d           |
--|  src_id_not_null | n       | NOT NULL id          |
--| (6 rows)
select indexname, indexdef, obj_description(indexname::regclass) from pg_indexes where tablename = 'l4' order by 1;
--|  indexname |                              indexdef                              | obj_description
--| -----------+--------------------------------------------------------------------+-----------------
--|  l4_b_key  | CREATE UNIQUE INDEX l4_b_key ON public.l4 USING btree (b)          |
--|  l4_e_idx  | CREATE INDEX l4_e_idx ON public.l4 USING btree (e DESC NULLS LAST) | cidx
--|  l4_pkey   | CREATE UNIQUE INDEX l4_pkey ON public.l4 USING btree (id)          |
--| (3 rows)
create table l5 (like src including all);
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on (adrelid, adnum) = (attrelid, attnum) where attrelid = 'l5'::regclass and attnum > 0 order by attnum;
--|  attname | format_type  | attnotnull | attidentity | attgenerated | attstorage | attcompression |           pg_get_expr
--| ---------+--------------+------------+-------------+--------------+------------+----------------+---------------------------------
--|  id      | integer      | t          |             |              | p          |                | nextval('src_id_seq'::regclass)
--|  a       | integer      | t          |             |              | p          |                | 5
--|  b       | text         | f          |             |              | e          | p              |
--|  c       | integer      | f          |             | s            | p          |                | (a * 2)
--|  d       | integer      | t          | a           |              | p          |                |
--|  e       | integer      | t          |             |              | p          |                |
--|  f       | numeric(5,2) | f          |             |              | m          |                | nextval('sq'::regclass)
--| (7 rows)
select conname, contype, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = 'l5'::regclass order by 1;
--|      conname     | contype | pg_get_constraintdef  | obj_description
--| -----------------+---------+-----------------------+-----------------
--|  ck              | c       | CHECK (((a + e) > 1)) | cck
--|  ee              | n       | NOT NULL e            |
--|  l5_b_key        | u       | UNIQUE (b)            |
--|  l5_pkey         | p       | PRIMARY KEY (id)      |
--|  src_a_check     | c       | CHECK ((a > 0))       |
--|  src_a_not_null  | n       | NOT NULL a            |
--|  src_d_not_null  | n       | NOT NULL d            |
--|  src_id_not_null | n       | NOT NULL id           |
--| (8 rows)
select indexname, indexdef, obj_description(indexname::regclass) from pg_indexes where tablename = 'l5' order by 1;
--|  indexname |                              indexdef                              | obj_description
--| -----------+--------------------------------------------------------------------+-----------------
--|  l5_b_key  | CREATE UNIQUE INDEX l5_b_key ON public.l5 USING btree (b)          |
--|  l5_e_idx  | CREATE INDEX l5_e_idx ON public.l5 USING btree (e DESC NULLS LAST) | cidx
--|  l5_pkey   | CREATE UNIQUE INDEX l5_pkey ON public.l5 USING btree (id)          |
--| (3 rows)
select obj_description('l5'::regclass), obj_description('l5_e_idx'::regclass), col_description('l5'::regclass,2), conname, obj_description(oid,'pg_constraint') from pg_constraint where conrelid='l5'::regclass order by conname;
--|  obj_description | obj_description | col_description |     conname     | obj_description
--| -----------------+-----------------+-----------------+-----------------+-----------------
--|                  | cidx            | ca              | ck              | cck
--|                  | cidx            | ca              | ee              |
--|                  | cidx            | ca              | l5_b_key        |
--|                  | cidx            | ca              | l5_pkey         |
--|                  | cidx            | ca              | src_a_check     |
--|                  | cidx            | ca              | src_a_not_null  |
--|                  | cidx            | ca              | src_d_not_null  |
--|                  | cidx            | ca              | src_id_not_null |
--| (8 rows)
create table l6 (x int, like src including all excluding identity excluding indexes, y int, like l0);
--| ERROR:  42701: column "id" specified more than once
create table l6 (x int, like src including all excluding identity excluding indexes, y int);
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on (adrelid, adnum) = (attrelid, attnum) where attrelid = 'l6'::regclass and attnum > 0 order by attnum;
--|  attname | format_type  | attnotnull | attidentity | attgenerated | attstorage | attcompression |           pg_get_expr
--| ---------+--------------+------------+-------------+--------------+------------+----------------+---------------------------------
--|  x       | integer      | f          |             |              | p          |                |
--|  id      | integer      | t          |             |              | p          |                | nextval('src_id_seq'::regclass)
--|  a       | integer      | t          |             |              | p          |                | 5
--|  b       | text         | f          |             |              | e          | p              |
--|  c       | integer      | f          |             | s            | p          |                | (a * 2)
--|  d       | integer      | t          |             |              | p          |                |
--|  e       | integer      | t          |             |              | p          |                |
--|  f       | numeric(5,2) | f          |             |              | m          |                | nextval('sq'::regclass)
--|  y       | integer      | f          |             |              | p          |                |
--| (9 rows)
select conname, contype, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = 'l6'::regclass order by 1;
--|      conname     | contype | pg_get_constraintdef  | obj_description
--| -----------------+---------+-----------------------+-----------------
--|  ck              | c       | CHECK (((a + e) > 1)) | cck
--|  ee              | n       | NOT NULL e            |
--|  src_a_check     | c       | CHECK ((a > 0))       |
--|  src_a_not_null  | n       | NOT NULL a            |
--|  src_d_not_null  | n       | NOT NULL d            |
--|  src_id_not_null | n       | NOT NULL id           |
--| (6 rows)
select indexname, indexdef, obj_description(indexname::regclass) from pg_indexes where tablename = 'l6' order by 1;
--|  indexname | indexdef | obj_description
--| -----------+----------+-----------------
--| (0 rows)
create table l7 (like src including storage, like sq);
--| ERROR:  42809: relation "sq" is invalid in LIKE clause
--| DETAIL:  This operation is not supported for sequences.
create table l7 (like src_e);
--| ERROR:  42809: relation "src_e" is invalid in LIKE clause
--| DETAIL:  This operation is not supported for indexes.
create table l7 (like nosuch);
--| ERROR:  42P01: relation "nosuch" does not exist
create table l7 (like src including foo);
--| ERROR:  42601: syntax error at or near "foo"
create table l7 (like src including statistics including compression including storage);
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on (adrelid, adnum) = (attrelid, attnum) where attrelid = 'l7'::regclass and attnum > 0 order by attnum;
--|  attname | format_type  | attnotnull | attidentity | attgenerated | attstorage | attcompression | pg_get_expr
--| ---------+--------------+------------+-------------+--------------+------------+----------------+-------------
--|  id      | integer      | t          |             |              | p          |                |
--|  a       | integer      | t          |             |              | p          |                |
--|  b       | text         | f          |             |              | e          | p              |
--|  c       | integer      | f          |             |              | p          |                |
--|  d       | integer      | t          |             |              | p          |                |
--|  e       | integer      | t          |             |              | p          |                |
--|  f       | numeric(5,2) | f          |             |              | m          |                |
--| (7 rows)
select conname, contype, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = 'l7'::regclass order by 1;
--|      conname     | contype | pg_get_constraintdef | obj_description
--| -----------------+---------+----------------------+-----------------
--|  ee              | n       | NOT NULL e           |
--|  src_a_not_null  | n       | NOT NULL a           |
--|  src_d_not_null  | n       | NOT NULL d           |
--|  src_id_not_null | n       | NOT NULL id          |
--| (4 rows)
select indexname, indexdef, obj_description(indexname::regclass) from pg_indexes where tablename = 'l7' order by 1;
--|  indexname | indexdef | obj_description
--| -----------+----------+-----------------
--| (0 rows)
create table l8 (a int, like src including all);
--| ERROR:  42701: column "a" specified more than once
create table l9 (like pg_class);
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'l9'::regclass and attnum between 1 and 3 order by attnum;
--|    attname    | format_type
--| --------------+-------------
--|  oid          | oid
--|  relname      | name
--|  relnamespace | oid
--| (3 rows)
create view vv as select a, b from src;
--| CREATE VIEW
create table l10 (like vv including all);
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on (adrelid, adnum) = (attrelid, attnum) where attrelid = 'l10'::regclass and attnum > 0 order by attnum;
--|  attname | format_type | attnotnull | attidentity | attgenerated | attstorage | attcompression | pg_get_expr
--| ---------+-------------+------------+-------------+--------------+------------+----------------+-------------
--|  a       | integer     | f          |             |              | p          |                |
--|  b       | text        | f          |             |              | x          |                |
--| (2 rows)
select conname, contype, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = 'l10'::regclass order by 1;
--|  conname | contype | pg_get_constraintdef | obj_description
--| ---------+---------+----------------------+-----------------
--| (0 rows)
select indexname, indexdef, obj_description(indexname::regclass) from pg_indexes where tablename = 'l10' order by 1;
--|  indexname | indexdef | obj_description
--| -----------+----------+-----------------
--| (0 rows)
create table l11 (like src including indexes, primary key (a));
--| ERROR:  42P16: multiple primary keys for table "l11" are not allowed
create table l12 (like src including constraints, constraint ck check (a > 2));
--| ERROR:  42710: constraint "ck" for relation "l12" already exists
create table l12 (like src including all, check (a > 3), constraint mine unique (e));
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on (adrelid, adnum) = (attrelid, attnum) where attrelid = 'l12'::regclass and attnum > 0 order by attnum;
--|  attname | format_type  | attnotnull | attidentity | attgenerated | attstorage | attcompression |           pg_get_expr
--| ---------+--------------+------------+-------------+--------------+------------+----------------+---------------------------------
--|  id      | integer      | t          |             |              | p          |                | nextval('src_id_seq'::regclass)
--|  a       | integer      | t          |             |              | p          |                | 5
--|  b       | text         | f          |             |              | e          | p              |
--|  c       | integer      | f          |             | s            | p          |                | (a * 2)
--|  d       | integer      | t          | a           |              | p          |                |
--|  e       | integer      | t          |             |              | p          |                |
--|  f       | numeric(5,2) | f          |             |              | m          |                | nextval('sq'::regclass)
--| (7 rows)
select conname, contype, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = 'l12'::regclass order by 1;
--|      conname     | contype | pg_get_constraintdef  | obj_description
--| -----------------+---------+-----------------------+-----------------
--|  ck              | c       | CHECK (((a + e) > 1)) | cck
--|  ee              | n       | NOT NULL e            |
--|  l12_a_check     | c       | CHECK ((a > 3))       |
--|  l12_b_key       | u       | UNIQUE (b)            |
--|  l12_pkey        | p       | PRIMARY KEY (id)      |
--|  mine            | u       | UNIQUE (e)            |
--|  src_a_check     | c       | CHECK ((a > 0))       |
--|  src_a_not_null  | n       | NOT NULL a            |
--|  src_d_not_null  | n       | NOT NULL d            |
--|  src_id_not_null | n       | NOT NULL id           |
--| (10 rows)
select indexname, indexdef, obj_description(indexname::regclass) from pg_indexes where tablename = 'l12' order by 1;
--|  indexname |                               indexdef                               | obj_description
--| -----------+----------------------------------------------------------------------+-----------------
--|  l12_b_key | CREATE UNIQUE INDEX l12_b_key ON public.l12 USING btree (b)          |
--|  l12_e_idx | CREATE INDEX l12_e_idx ON public.l12 USING btree (e DESC NULLS LAST) | cidx
--|  l12_pkey  | CREATE UNIQUE INDEX l12_pkey ON public.l12 USING btree (id)          |
--|  mine      | CREATE UNIQUE INDEX mine ON public.l12 USING btree (e)               |
--| (4 rows)
create table l13 (like sq);
--| ERROR:  42809: relation "sq" is invalid in LIKE clause
--| DETAIL:  This operation is not supported for sequences.
create table u1 (a int, b int, unique nulls not distinct (a,b), unique (b) deferrable initially deferred);
--| CREATE TABLE
create unique index u1x on u1 (a desc);
--| CREATE INDEX
create table u2 (like u1 including all);
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcompression, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on (adrelid, adnum) = (attrelid, attnum) where attrelid = 'u2'::regclass and attnum > 0 order by attnum;
--|  attname | format_type | attnotnull | attidentity | attgenerated | attstorage | attcompression | pg_get_expr
--| ---------+-------------+------------+-------------+--------------+------------+----------------+-------------
--|  a       | integer     | f          |             |              | p          |                |
--|  b       | integer     | f          |             |              | p          |                |
--| (2 rows)
select conname, contype, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = 'u2'::regclass order by 1;
--|   conname   | contype |           pg_get_constraintdef           | obj_description
--| ------------+---------+------------------------------------------+-----------------
--|  u2_a_b_key | u       | UNIQUE NULLS NOT DISTINCT (a, b)         |
--|  u2_b_key   | u       | UNIQUE (b) DEFERRABLE INITIALLY DEFERRED |
--| (2 rows)
select indexname, indexdef, obj_description(indexname::regclass) from pg_indexes where tablename = 'u2' order by 1;
--|  indexname  |                                     indexdef                                      | obj_description
--| ------------+-----------------------------------------------------------------------------------+-----------------
--|  u2_a_b_key | CREATE UNIQUE INDEX u2_a_b_key ON public.u2 USING btree (a, b) NULLS NOT DISTINCT |
--|  u2_a_idx   | CREATE UNIQUE INDEX u2_a_idx ON public.u2 USING btree (a DESC)                    |
--|  u2_b_key   | CREATE UNIQUE INDEX u2_b_key ON public.u2 USING btree (b)                         |
--| (3 rows)
create table u3 (like u1 including all, like src including all);
--| ERROR:  42701: column "a" specified more than once
create table l14 (like src excluding all);
--| CREATE TABLE
create table l15 (like l2 including identity);
--| CREATE TABLE
insert into l15 (id,a,e) values (1,2,3) returning *;
--|  id | a | b | c | d | e | f
--| ----+---+---+---+---+---+---
--|   1 | 2 |   |   | 1 | 3 |
--| (1 row)
--| INSERT 0 1
select col_description('l5'::regclass, 2);
--|  col_description
--| -----------------
--|  ca
--| (1 row)
insert into l5 (b, e) values ('x', 1) returning *;
--|  id | a | b | c  | d | e |  f
--| ----+---+---+----+---+---+------
--|   1 | 5 | x | 10 | 1 | 1 | 1.00
--| (1 row)
--| INSERT 0 1
insert into l5 (b, e) values ('x', 1);
--| ERROR:  23505: duplicate key value violates unique constraint "l5_b_key"
--| DETAIL:  Key (b)=(x) already exists.
insert into l5 (a, e) values (-1, 1);
--| ERROR:  23514: new row for relation "l5" violates check constraint "ck"
--| DETAIL:  Failing row contains (3, -1, null, -2, 3, 1, 3.00).
create table lx (like);
--| ERROR:  42601: syntax error at or near ")"
create table lx (like src including);
--| ERROR:  42601: syntax error at or near ")"
create table lx (like src, foo bar baz);
--| ERROR:  42601: syntax error at or near "baz"
create table gv (a int, v int generated always as (a + 1) virtual, check (v > 1));
--| CREATE TABLE
create table gw (like gv including generated including constraints);
--| CREATE TABLE
insert into gw values (0);
--| ERROR:  23514: new row for relation "gw" violates check constraint "gv_v_check"
--| DETAIL:  Failing row contains (0, virtual).
insert into gw values (5) returning *;
--|  a | v
--| ---+---
--|  5 | 6
--| (1 row)
--| INSERT 0 1
create table ident (i bigint generated by default as identity (start 100 increment by 10));
--| CREATE TABLE
create table ident2 (like ident including identity);
--| CREATE TABLE
insert into ident2 default values returning i;
--|   i
--| -----
--|  100
--| (1 row)
--| INSERT 0 1
insert into ident2 default values returning i;
--|   i
--| -----
--|  110
--| (1 row)
--| INSERT 0 1
create table public.l20 (like public.src including indexes);
--| CREATE TABLE
create table "Odd" ("A b" int primary key);
--| CREATE TABLE
create table l21 (like "Odd" including all, c text default 'like');
--| CREATE TABLE
insert into l21 values (1) returning *;
--|  A b |  c
--| -----+------
--|    1 | like
--| (1 row)
--| INSERT 0 1
drop table src cascade;
--| NOTICE:  drop cascades to 5 other objects
--| DETAIL:  drop cascades to view vv
--| drop cascades to default value for column id of table l1
--| drop cascades to default value for column id of table l5
--| drop cascades to default value for column id of table l6
--| drop cascades to default value for column id of table l12
--| DROP TABLE
