-- Partial indexes, INCLUDE columns, hash indexes, storage parameters.

create table t (a int, b int, c text, active bool, d timestamptz, j jsonb);
--| CREATE TABLE
insert into t select g, g % 10, 'c' || (g % 7), g % 3 = 0, null, null from generate_series(1, 3000) g;
--| INSERT 0 3000
insert into t values (null, null, null, null, null, null), (5000, null, 'x', null, now(), null);
--| INSERT 0 2
create index t_active on t (a) where active;
--| CREATE INDEX
create index t_b on t (b) where a > 100;
--| CREATE INDEX
create index t_c on t (c) where c is not null and b in (1, 2);
--| CREATE INDEX
create index t_or on t (a) where b < 2 or c = 'x';
--| CREATE INDEX
analyze t;
--| ANALYZE
explain (costs off) select c from t where active and a = 30;
--|            QUERY PLAN
--| --------------------------------
--|  Index Scan using t_active on t
--|    Index Cond: (a = 30)
--| (2 rows)
explain (costs off) select c from t where active = true and a = 30;
--|            QUERY PLAN
--| --------------------------------
--|  Index Scan using t_active on t
--|    Index Cond: (a = 30)
--| (2 rows)
explain (costs off) select c from t where active is true and a between 30 and 33;
--|                QUERY PLAN
--| -----------------------------------------
--|  Index Scan using t_active on t
--|    Index Cond: ((a >= 30) AND (a <= 33))
--| (2 rows)
explain (costs off) select c from t where a = 30 and not active;
--|               QUERY PLAN
--| ---------------------------------------
--|  Seq Scan on t
--|    Filter: ((NOT active) AND (a = 30))
--| (2 rows)
explain (costs off) select c from t where b = 3 and a > 2900;
--|         QUERY PLAN
--| ---------------------------
--|  Index Scan using t_b on t
--|    Index Cond: (b = 3)
--|    Filter: (a > 2900)
--| (3 rows)
explain (costs off) select c from t where b = 3 and a > 50;
--|             QUERY PLAN
--| ----------------------------------
--|  Seq Scan on t
--|    Filter: ((b = 3) AND (a > 50))
--| (2 rows)
explain (costs off) select count(*) from t where b = 3 and a = 2903;
--|            QUERY PLAN
--| ---------------------------------
--|  Aggregate
--|    ->  Index Scan using t_b on t
--|          Index Cond: (b = 3)
--|          Filter: (a = 2903)
--| (4 rows)
explain (costs off) select a from t where c = 'c3' and b = 1;
--|            QUERY PLAN
--| --------------------------------
--|  Index Scan using t_c on t
--|    Index Cond: (c = 'c3'::text)
--|    Filter: (b = 1)
--| (3 rows)
explain (costs off) select a from t where c = 'c3' and b in (1, 2);
--|            QUERY PLAN
--| --------------------------------
--|  Index Scan using t_c on t
--|    Index Cond: (c = 'c3'::text)
--| (2 rows)
explain (costs off) select a from t where c = 'c3' and b in (1, 3);
--|                            QUERY PLAN
--| -----------------------------------------------------------------
--|  Seq Scan on t
--|    Filter: ((c = 'c3'::text) AND (b = ANY ('{1,3}'::integer[])))
--| (2 rows)
explain (costs off) select b from t where a = 7 and b = 1;
--|          QUERY PLAN
--| ----------------------------
--|  Index Scan using t_or on t
--|    Index Cond: (a = 7)
--|    Filter: (b = 1)
--| (3 rows)
explain (costs off) select b from t where a = 7 and c = 'x';
--|          QUERY PLAN
--| ----------------------------
--|  Index Scan using t_or on t
--|    Index Cond: (a = 7)
--|    Filter: (c = 'x'::text)
--| (3 rows)
select a, c from t where active and a = 30;
--|  a  | c
--| ----+----
--|  30 | c2
--| (1 row)
select a from t where active = true and a < 10 order by a;
--|  a
--| ---
--|  3
--|  6
--|  9
--| (3 rows)
select a from t where active is true order by a desc limit 3;
--|   a
--| ------
--|  3000
--|  2997
--|  2994
--| (3 rows)
select count(*) from t where b = 3 and a > 2900;
--|  count
--| -------
--|     10
--| (1 row)
select count(*) from t where b = 3 and a > 50;
--|  count
--| -------
--|    295
--| (1 row)
select count(*) from t where c = 'c3' and b = 1;
--|  count
--| -------
--|     43
--| (1 row)
select count(*) from t where c = 'c3' and b in (1, 2);
--|  count
--| -------
--|     86
--| (1 row)
select count(*) from t where c = 'c3' and b in (1, 3);
--|  count
--| -------
--|     86
--| (1 row)
select a, b, c from t where a = 5000 and c = 'x';
--|   a   | b | c
--| ------+---+---
--|  5000 |   | x
--| (1 row)

-- Entries follow the rows.
update t set active = not active where a <= 6;
--| UPDATE 6
select a from t where active and a < 12 order by a;
--|  a
--| ---
--|  1
--|  2
--|  4
--|  5
--|  9
--| (5 rows)
update t set active = null where a = 9;
--| UPDATE 1
select a from t where active and a < 12 order by a;
--|  a
--| ---
--|  1
--|  2
--|  4
--|  5
--| (4 rows)
update t set a = a + 10000 where a in (1, 2, 3);
--| UPDATE 3
select a from t where active and a > 9999 order by a;
--|    a
--| -------
--|  10001
--|  10002
--| (2 rows)
delete from t where active and a > 9999;
--| DELETE 2
select count(*) from t where active and a > 9999;
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from t where active;
--|  count
--| -------
--|    999
--| (1 row)
select count(*) from t where active is true;
--|  count
--| -------
--|    999
--| (1 row)

-- Uniqueness among the rows of the predicate alone.
create table u (k int, v text, gone timestamptz);
--| CREATE TABLE
create unique index u_k on u (k) where gone is null;
--| CREATE INDEX
insert into u values (1, 'a', null), (2, 'b', null), (1, 'old', '2020-01-01'), (1, 'older', '2019-01-01');
--| INSERT 0 4
insert into u values (1, 'c', null);
--| ERROR:  23505: duplicate key value violates unique constraint "u_k"
--| DETAIL:  Key (k)=(1) already exists.
update u set gone = null where v = 'old';
--| ERROR:  23505: duplicate key value violates unique constraint "u_k"
--| DETAIL:  Key (k)=(1) already exists.
update u set gone = '2021-01-01' where v = 'a';
--| UPDATE 1
insert into u values (1, 'c', null);
--| INSERT 0 1
select k, v from u where gone is null order by k;
--|  k | v
--| ---+---
--|  1 | c
--|  2 | b
--| (2 rows)
insert into u values (1, 'd', null) on conflict (k) where gone is null do update set v = excluded.v || '!';
--| INSERT 0 1
insert into u values (1, 'e', null) on conflict (k) where gone is null and v = 'x' do nothing;
--| INSERT 0 0
insert into u values (1, 'e', null) on conflict (k) do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
insert into u values (1, 'e', null) on conflict (k) where v = 'x' do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
insert into u values (1, 'e', null) on conflict do nothing;
--| INSERT 0 0
insert into u values (1, 'e', '2022-01-01') on conflict (k) where gone is null do nothing;
--| INSERT 0 1
insert into u values (1, 'e', null) on conflict (k) where gone do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
select k, v from u order by k, v;
--|  k |   v
--| ---+-------
--|  1 | a
--|  1 | d!
--|  1 | e
--|  1 | old
--|  1 | older
--|  2 | b
--| (6 rows)
insert into u values (7, 'x', null), (7, 'y', null);
--| ERROR:  23505: duplicate key value violates unique constraint "u_k"
--| DETAIL:  Key (k)=(7) already exists.
create table bad (k int, gone bool);
--| CREATE TABLE
insert into bad values (1, false), (1, true), (1, false);
--| INSERT 0 3
create unique index bad_k on bad (k) where not gone;
--| ERROR:  23505: could not create unique index "bad_k"
--| DETAIL:  Key (k)=(1) is duplicated.
create unique index bad_k on bad (k) where gone;
--| CREATE INDEX
alter table u add constraint u_unique unique using index u_k;
--| ERROR:  42809: "u_k" is a partial index
--| DETAIL:  Cannot create a primary key or unique constraint using such an index.
create table child (k int references u (k));
--| ERROR:  42830: there is no unique constraint matching given keys for referenced table "u"

-- INCLUDE.
create table i (k int, v text, w numeric, x int);
--| CREATE TABLE
create unique index i_k on i (k) include (v, w);
--| CREATE INDEX
insert into i select g, 'v' || g, g / 4.0, g from generate_series(1, 2000) g;
--| INSERT 0 2000
insert into i values (null, null, null, null), (null, 'n', 1.50, 1);
--| INSERT 0 2
analyze i;
--| ANALYZE
explain (costs off) select v, w from i where k = 17;
--|            QUERY PLAN
--| --------------------------------
--|  Index Only Scan using i_k on i
--|    Index Cond: (k = 17)
--| (2 rows)
explain (costs off) select v, x from i where k = 17;
--|         QUERY PLAN
--| ---------------------------
--|  Index Scan using i_k on i
--|    Index Cond: (k = 17)
--| (2 rows)
select v, w from i where k = 17;
--|   v  |         w
--| -----+--------------------
--|  v17 | 4.2500000000000000
--| (1 row)
select k, w from i where k between 20 and 22 order by k;
--|  k  |         w
--| ----+--------------------
--|  20 | 5.0000000000000000
--|  21 | 5.2500000000000000
--|  22 | 5.5000000000000000
--| (3 rows)
update i set v = 'changed' where k = 17;
--| UPDATE 1
select v, w from i where k = 17;
--|     v    |         w
--| ---------+--------------------
--|  changed | 4.2500000000000000
--| (1 row)
update i set w = null, x = 4 where k = 17;
--| UPDATE 1
select v, w from i where k = 17;
--|     v    | w
--| ---------+---
--|  changed |
--| (1 row)
insert into i values (17, 'twice', 1, 1);
--| ERROR:  23505: duplicate key value violates unique constraint "i_k"
--| DETAIL:  Key (k)=(17) already exists.
insert into i values (17, 'twice', 1, 1) on conflict (k) do update set v = i.v || excluded.v;
--| INSERT 0 1
select v, w from i where k = 17;
--|       v       | w
--| --------------+---
--|  changedtwice |
--| (1 row)
select v, w from i where k is null order by v;
--|  v |  w
--| ---+------
--|  n | 1.50
--|    |
--| (2 rows)
delete from i where k = 17;
--| DELETE 1
select v, w from i where k = 17;
--|  v | w
--| ---+---
--| (0 rows)
create index on i (x) include (k, v);
--| CREATE INDEX
alter table i add constraint i_key unique using index i_k;
--| NOTICE:  ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index "i_k" to "i_key"
--| ALTER TABLE
select pg_get_constraintdef(oid) from pg_constraint where conname = 'i_key';
--|    pg_get_constraintdef
--| ---------------------------
--|  UNIQUE (k) INCLUDE (v, w)
--| (1 row)
create table i2 (k int references i (k));
--| CREATE TABLE
insert into i2 values (18);
--| INSERT 0 1
update i set v = 'eighteen' where k = 18;
--| UPDATE 1
delete from i where k = 18;
--| ERROR:  23503: update or delete on table "i" violates foreign key constraint "i2_k_fkey" on table "i2"
--| DETAIL:  Key (k)=(18) is still referenced from table "i2".

-- Hash.
create table h (k int, v text);
--| CREATE TABLE
insert into h select g, 'v' || (g % 50) from generate_series(1, 1000) g;
--| INSERT 0 1000
create index h_v on h using hash (v);
--| CREATE INDEX
analyze h;
--| ANALYZE
explain (costs off) select k from h where v = 'v7' and k < 100;
--|            QUERY PLAN
--| --------------------------------
--|  Index Scan using h_v on h
--|    Index Cond: (v = 'v7'::text)
--|    Filter: (k < 100)
--| (3 rows)
select k from h where v = 'v7' and k < 100 order by k;
--|  k
--| ----
--|   7
--|  57
--| (2 rows)
select count(*) from h where v in ('v7', 'v8');
--|  count
--| -------
--|     40
--| (1 row)
select count(*) from h where v > 'v7';
--|  count
--| -------
--|     40
--| (1 row)
create unique index on h using hash (k);
--| ERROR:  0A000: access method "hash" does not support unique indexes
create index on h using hash (k, v);
--| ERROR:  0A000: access method "hash" does not support multicolumn indexes
create index on h using hash (k desc);
--| ERROR:  0A000: access method "hash" does not support ASC/DESC options
create index on h using hash (k) include (v);
--| ERROR:  0A000: access method "hash" does not support included columns
create index on h using gist (k);
--| ERROR:  42704: data type integer has no default operator class for access method "gist"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
create index on h using nosuch (k);
--| ERROR:  42704: access method "nosuch" does not exist

-- Storage parameters.
create index h_k on h (k) with (fillfactor = 70);
--| CREATE INDEX
create index on h (k) with (fillfactor = 5);
--| ERROR:  22023: value 5 out of bounds for option "fillfactor"
--| DETAIL:  Valid values are between "10" and "100".
create index on h (k) with (fillfactor = x);
--| ERROR:  22023: invalid value for integer option "fillfactor": x
create index on h (k) with (nosuch = 1);
--| ERROR:  22023: unrecognized parameter "nosuch"
select indexdef from pg_indexes where tablename in ('t', 'u', 'i', 'h') order by 1;
--|                                              indexdef
--| --------------------------------------------------------------------------------------------------
--|  CREATE INDEX h_k ON public.h USING btree (k) WITH (fillfactor='70')
--|  CREATE INDEX h_v ON public.h USING hash (v)
--|  CREATE INDEX i_x_k_v_idx ON public.i USING btree (x) INCLUDE (k, v)
--|  CREATE INDEX t_active ON public.t USING btree (a) WHERE active
--|  CREATE INDEX t_b ON public.t USING btree (b) WHERE (a > 100)
--|  CREATE INDEX t_c ON public.t USING btree (c) WHERE ((c IS NOT NULL) AND (b = ANY (ARRAY[1, 2])))
--|  CREATE INDEX t_or ON public.t USING btree (a) WHERE ((b < 2) OR (c = 'x'::text))
--|  CREATE UNIQUE INDEX i_key ON public.i USING btree (k) INCLUDE (v, w)
--|  CREATE UNIQUE INDEX u_k ON public.u USING btree (k) WHERE (gone IS NULL)
--| (9 rows)
select relname, relam, reloptions from pg_class where relname in ('h_v', 'h_k');
--|  relname | relam |   reloptions
--| ---------+-------+-----------------
--|  h_v     |   405 |
--|  h_k     |   403 | {fillfactor=70}
--| (2 rows)

-- What is shown.
select indexrelid::regclass, indnatts, indnkeyatts, indkey, indisunique, pg_get_expr(indpred, indrelid), pg_get_expr(indexprs, indrelid)
from pg_index where indrelid in ('t'::regclass, 'u'::regclass, 'i'::regclass) order by indexrelid::regclass::text;
--|  indexrelid  | indnatts | indnkeyatts | indkey | indisunique |                  pg_get_expr                  | pg_get_expr
--| -------------+----------+-------------+--------+-------------+-----------------------------------------------+-------------
--|  i_key       |        3 |           1 | 1 2 3  | t           |                                               |
--|  i_x_k_v_idx |        3 |           1 | 4 1 2  | f           |                                               |
--|  t_active    |        1 |           1 | 1      | f           | active                                        |
--|  t_b         |        1 |           1 | 2      | f           | (a > 100)                                     |
--|  t_c         |        1 |           1 | 3      | f           | ((c IS NOT NULL) AND (b = ANY (ARRAY[1, 2]))) |
--|  t_or        |        1 |           1 | 1      | f           | ((b < 2) OR (c = 'x'::text))                  |
--|  u_k         |        1 |           1 | 1      | t           | (gone IS NULL)                                |
--| (7 rows)
select pg_get_indexdef('t_c'::regclass), pg_get_indexdef('t_or'::regclass, 0, true);
--|                                          pg_get_indexdef                                          |                           pg_get_indexdef
--| --------------------------------------------------------------------------------------------------+---------------------------------------------------------------------
--|  CREATE INDEX t_c ON public.t USING btree (c) WHERE ((c IS NOT NULL) AND (b = ANY (ARRAY[1, 2]))) | CREATE INDEX t_or ON t USING btree (a) WHERE b < 2 OR c = 'x'::text
--| (1 row)
select pg_get_indexdef('t_c'::regclass, 0, true), pg_get_indexdef('i_key'::regclass, 2, true);
--|                                     pg_get_indexdef                                    | pg_get_indexdef
--| ---------------------------------------------------------------------------------------+-----------------
--|  CREATE INDEX t_c ON t USING btree (c) WHERE c IS NOT NULL AND (b = ANY (ARRAY[1, 2])) | v
--| (1 row)

-- Refused predicates.
create index on t (a) where b;
--| ERROR:  42804: argument of WHERE must be type boolean, not type integer
create index on t (a) where nosuch > 1;
--| ERROR:  42703: column "nosuch" does not exist
create index on t (a) where d > now();
--| ERROR:  42P17: functions in index predicate must be marked IMMUTABLE
create index on t (a) where b > (select 1);
--| ERROR:  0A000: cannot use subquery in index predicate
create index on t (a) where count(*) > 1;
--| ERROR:  42803: aggregate functions are not allowed in index predicates
create index on t (a) where row_number() over () > 1;
--| ERROR:  42P20: window functions are not allowed in index predicates
create index on t (a) include (nosuch);
--| ERROR:  42703: column "nosuch" does not exist

-- Columns that change.
alter table t rename column b to bee;
--| ALTER TABLE
select indexdef from pg_indexes where tablename = 't' order by 1;
--|                                               indexdef
--| ----------------------------------------------------------------------------------------------------
--|  CREATE INDEX t_active ON public.t USING btree (a) WHERE active
--|  CREATE INDEX t_b ON public.t USING btree (bee) WHERE (a > 100)
--|  CREATE INDEX t_c ON public.t USING btree (c) WHERE ((c IS NOT NULL) AND (bee = ANY (ARRAY[1, 2])))
--|  CREATE INDEX t_or ON public.t USING btree (a) WHERE ((bee < 2) OR (c = 'x'::text))
--| (4 rows)
select count(*) from t where bee = 3 and a > 2900;
--|  count
--| -------
--|     11
--| (1 row)
alter table t alter column bee type bigint;
--| ALTER TABLE
select indexdef from pg_indexes where tablename = 't' order by 1;
--|                                               indexdef
--| ----------------------------------------------------------------------------------------------------
--|  CREATE INDEX t_active ON public.t USING btree (a) WHERE active
--|  CREATE INDEX t_b ON public.t USING btree (bee) WHERE (a > 100)
--|  CREATE INDEX t_c ON public.t USING btree (c) WHERE ((c IS NOT NULL) AND (bee = ANY (ARRAY[1, 2])))
--|  CREATE INDEX t_or ON public.t USING btree (a) WHERE ((bee < 2) OR (c = 'x'::text))
--| (4 rows)
select count(*) from t where bee = 3 and a > 2900;
--|  count
--| -------
--|     11
--| (1 row)
insert into t (a, bee) values (3001, 3);
--| INSERT 0 1
select count(*) from t where bee = 3 and a > 2900;
--|  count
--| -------
--|     12
--| (1 row)
alter table t drop column bee;
--| ALTER TABLE
select indexdef from pg_indexes where tablename = 't' order by 1;
--|                             indexdef
--| ----------------------------------------------------------------
--|  CREATE INDEX t_active ON public.t USING btree (a) WHERE active
--| (1 row)
drop index t_active;
--| DROP INDEX
reindex table u;
--| REINDEX
select k, v from u where gone is null order by k;
--|  k | v
--| ---+----
--|  1 | d!
--|  2 | b
--| (2 rows)
truncate u;
--| TRUNCATE TABLE
insert into u values (1, 'a', null), (1, 'b', now());
--| INSERT 0 2
select k, v from u where gone is null;
--|  k | v
--| ---+---
--|  1 | a
--| (1 row)

-- LIKE, generated columns.
create table g (a int, s int generated always as (a * 2) stored, v int generated always as (a * 3) virtual);
--| CREATE TABLE
create index on g (s) where s > 4;
--| CREATE INDEX
create index on g ((s + 1)) include (a);
--| CREATE INDEX
create index on g (v);
--| ERROR:  0A000: indexes on virtual generated columns are not supported
create index on g ((v + 1));
--| ERROR:  0A000: indexes on virtual generated columns are not supported
create index on g (a) where v > 1;
--| ERROR:  0A000: indexes on virtual generated columns are not supported
create index on g (a) include (v);
--| ERROR:  0A000: indexes on virtual generated columns are not supported
insert into g (a) values (1), (2), (3), (4);
--| INSERT 0 4
select * from g where s = 6 and s > 4;
--|  a | s | v
--| ---+---+---
--|  3 | 6 | 9
--| (1 row)
update g set a = a + 1;
--| UPDATE 4
select a from g where s + 1 = 11;
--|  a
--| ---
--|  5
--| (1 row)
insert into g (a) values (3);
--| INSERT 0 1
alter table g alter column s set expression as (a * 10);
--| ALTER TABLE
select a, s from g where s = 30 and s > 4;
--|  a | s
--| ---+----
--|  3 | 30
--|  3 | 30
--| (2 rows)
create table g2 (x int, like g including all);
--| CREATE TABLE
select indexdef from pg_indexes where tablename in ('g', 'g2') order by 1;
--|                                   indexdef
--| -----------------------------------------------------------------------------
--|  CREATE INDEX g2_expr_a_idx ON public.g2 USING btree (((s + 1))) INCLUDE (a)
--|  CREATE INDEX g2_s_idx ON public.g2 USING btree (s) WHERE (s > 4)
--|  CREATE INDEX g_expr_a_idx ON public.g USING btree (((s + 1))) INCLUDE (a)
--|  CREATE INDEX g_s_idx ON public.g USING btree (s) WHERE (s > 4)
--| (4 rows)
insert into g2 (a) values (1), (2);
--| INSERT 0 2
select a from g2 where s + 1 = 21;
--|  a
--| ---
--|  2
--| (1 row)

-- Enums: labels may be renamed.
create type mood as enum ('sad', 'ok', 'happy');
--| CREATE TYPE
create table m (a int, m mood);
--| CREATE TABLE
create index m_ok on m (a) where m = 'ok';
--| CREATE INDEX
create index m_in on m (a) where m in ('sad', 'happy');
--| CREATE INDEX
create index m_ge on m ((m >= 'ok'::mood), a);
--| CREATE INDEX
create index m_text on m (a) where m::text = 'ok';
--| ERROR:  42P17: functions in index predicate must be marked IMMUTABLE
insert into m select g, (array['sad', 'ok', 'happy'])[g % 3 + 1]::mood from generate_series(1, 300) g;
--| INSERT 0 300
alter type mood rename value 'ok' to 'fine';
--| ALTER TYPE
insert into m values (301, 'fine'), (302, 'sad');
--| INSERT 0 2
analyze m;
--| ANALYZE
explain (costs off) select a from m where m = 'fine' and a > 290;
--|          QUERY PLAN
--| ----------------------------
--|  Index Scan using m_ok on m
--|    Index Cond: (a > 290)
--| (2 rows)
select a from m where m = 'fine' and a > 290 order by a;
--|   a
--| -----
--|  292
--|  295
--|  298
--|  301
--| (4 rows)
select a from m where m in ('happy') and a > 290 order by a;
--|   a
--| -----
--|  293
--|  296
--|  299
--| (3 rows)
select count(*) from m where m >= 'fine';
--|  count
--| -------
--|    201
--| (1 row)
alter type mood rename to temper;
--| ALTER TYPE
select indexdef from pg_indexes where tablename = 'm' order by 1;
--|                                                indexdef
--| -------------------------------------------------------------------------------------------------------
--|  CREATE INDEX m_ge ON public.m USING btree (((m >= 'fine'::temper)), a)
--|  CREATE INDEX m_in ON public.m USING btree (a) WHERE (m = ANY (ARRAY['sad'::temper, 'happy'::temper]))
--|  CREATE INDEX m_ok ON public.m USING btree (a) WHERE (m = 'fine'::temper)
--| (3 rows)
select indexrelid::regclass, pg_get_expr(indexprs, indrelid), pg_get_expr(indpred, indrelid) from pg_index where indrelid = 'm'::regclass order by 1::text;
--|  indexrelid |      pg_get_expr      |                    pg_get_expr
--| ------------+-----------------------+---------------------------------------------------
--|  m_ok       |                       | (m = 'fine'::temper)
--|  m_in       |                       | (m = ANY (ARRAY['sad'::temper, 'happy'::temper]))
--|  m_ge       | (m >= 'fine'::temper) |
--| (3 rows)
