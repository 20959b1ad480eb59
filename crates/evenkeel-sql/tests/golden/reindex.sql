-- REINDEX, CONCURRENTLY, operator classes.

create table t (a int primary key, b text, c char(5), d varchar(9));
--| CREATE TABLE
insert into t select g, 'b' || g % 10, 'c' || g, 'd' || g from generate_series(1, 100) g;
--| INSERT 0 100
create index t_b on t (b text_pattern_ops, d varchar_pattern_ops desc, c bpchar_pattern_ops);
--| CREATE INDEX
create index concurrently t_d on t (lower(d) text_pattern_ops) where a > 5;
--| CREATE INDEX
create index t_h on t using hash (c);
--| CREATE INDEX
create index on t (a text_pattern_ops);
--| ERROR:  42804: operator class "text_pattern_ops" does not accept data type integer
create index on t (b nosuch_ops);
--| ERROR:  42704: operator class "nosuch_ops" does not exist for access method "btree"
create schema other;
--| CREATE SCHEMA
create table other.u (x int unique);
--| CREATE TABLE
insert into other.u values (1), (2);
--| INSERT 0 2
create table none (x int);
--| CREATE TABLE
reindex table t;
--| REINDEX
reindex (verbose) index t_b;
--| INFO:  index "t_b" was reindexed
--| REINDEX
reindex index concurrently t_d;
--| REINDEX
reindex (concurrently, verbose false) table t;
--| REINDEX
reindex schema other;
--| REINDEX
reindex schema concurrently other;
--| REINDEX
reindex table none;
--| NOTICE:  table "none" has no indexes to reindex
--| REINDEX
reindex table concurrently none;
--| NOTICE:  table "none" has no indexes that can be reindexed concurrently
--| REINDEX
reindex table t_b;
--| ERROR:  42809: "t_b" is not a table or materialized view
reindex index t;
--| ERROR:  42809: "t" is not an index
reindex index nosuch;
--| ERROR:  42P01: relation "nosuch" does not exist
reindex schema nosuch;
--| ERROR:  3F000: schema "nosuch" does not exist
reindex (nosuch) table t;
--| ERROR:  42601: unrecognized REINDEX option "nosuch"
reindex database nosuch;
--| ERROR:  0A000: can only reindex the currently open database
reindex system concurrently;
--| ERROR:  0A000: cannot reindex system catalogs concurrently
select a from t where lower(d) = 'd7' and a > 6;
--|  a
--| ---
--|  7
--| (1 row)
select count(*) from t where b = 'b3';
--|  count
--| -------
--|     10
--| (1 row)
begin;
--| BEGIN
reindex table t;
--| REINDEX
select a from t where lower(d) = 'd7' and a > 6;
--|  a
--| ---
--|  7
--| (1 row)
reindex index concurrently t_d;
--| ERROR:  25001: REINDEX CONCURRENTLY cannot run inside a transaction block
rollback;
--| ROLLBACK
begin;
--| BEGIN
reindex schema other;
--| ERROR:  25001: REINDEX SCHEMA cannot run inside a transaction block
rollback;
--| ROLLBACK
begin;
--| BEGIN
reindex database;
--| ERROR:  25001: REINDEX DATABASE cannot run inside a transaction block
rollback;
--| ROLLBACK
begin;
--| BEGIN
create index concurrently t_x on t (a);
--| ERROR:  25001: CREATE INDEX CONCURRENTLY cannot run inside a transaction block
rollback;
--| ROLLBACK
begin;
--| BEGIN
drop index concurrently t_d;
--| ERROR:  25001: DROP INDEX CONCURRENTLY cannot run inside a transaction block
rollback;
--| ROLLBACK
drop index concurrently t_d, t_b;
--| ERROR:  0A000: DROP INDEX CONCURRENTLY does not support dropping multiple objects
drop index concurrently t_d cascade;
--| ERROR:  0A000: DROP INDEX CONCURRENTLY does not support CASCADE
drop index concurrently t_d;
--| DROP INDEX
drop index concurrently if exists t_d;
--| NOTICE:  index "t_d" does not exist, skipping
--| DROP INDEX
select indexdef from pg_indexes where tablename = 't' order by 1;
--|                                                     indexdef
--| -----------------------------------------------------------------------------------------------------------------
--|  CREATE INDEX t_b ON public.t USING btree (b text_pattern_ops, d varchar_pattern_ops DESC, c bpchar_pattern_ops)
--|  CREATE INDEX t_h ON public.t USING hash (c)
--|  CREATE UNIQUE INDEX t_pkey ON public.t USING btree (a)
--| (3 rows)
select i.indexrelid::regclass, array_agg(o.opcname::text order by k.n)
from pg_index i cross join unnest(i.indclass::oid[]) with ordinality k (c, n) left join pg_opclass o on o.oid = k.c
where i.indrelid = 't'::regclass group by 1 order by 1::text;
--|  indexrelid |                         array_agg
--| ------------+-----------------------------------------------------------
--|  t_pkey     | {int4_ops}
--|  t_b        | {text_pattern_ops,varchar_pattern_ops,bpchar_pattern_ops}
--|  t_h        | {bpchar_ops}
--| (3 rows)
select a.amname, o.opcname, o.opcintype::regtype, o.opcdefault, f.opfname from pg_opclass o join pg_am a on a.oid = opcmethod join pg_opfamily f on f.oid = opcfamily
where opcname ~ 'pattern' order by 1, 2;
--|  amname |       opcname       | opcintype | opcdefault |      opfname
--| --------+---------------------+-----------+------------+--------------------
--|  btree  | bpchar_pattern_ops  | character | f          | bpchar_pattern_ops
--|  btree  | text_pattern_ops    | text      | f          | text_pattern_ops
--|  btree  | varchar_pattern_ops | text      | f          | text_pattern_ops
--|  hash   | bpchar_pattern_ops  | character | f          | bpchar_pattern_ops
--|  hash   | text_pattern_ops    | text      | f          | text_pattern_ops
--|  hash   | varchar_pattern_ops | text      | f          | text_pattern_ops
--| (6 rows)
