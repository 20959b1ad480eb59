-- A column's name is renamed where it names the column, not where it is a word of the grammar, a type, a unit or a field.
drop table if exists t1, t2, t3, t4;
--| NOTICE:  table "t1" does not exist, skipping
--| NOTICE:  table "t2" does not exist, skipping
--| NOTICE:  table "t3" does not exist, skipping
--| NOTICE:  table "t4" does not exist, skipping
--| DROP TABLE
create table t1 (precision int, x text, check (x::double precision > precision));
--| CREATE TABLE
alter table t1 rename precision to p;
--| ALTER TABLE
insert into t1 values (1, '2') returning *;
--|  p | x
--| ---+---
--|  1 | 2
--| (1 row)
--| INSERT 0 1
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't1'::regclass;
--|                   pg_get_constraintdef
--| ---------------------------------------------------------
--|  CHECK (((x)::double precision > (p)::double precision))
--| (1 row)
create table t2 (varying int, x int, check (x::character varying <> 'a' and varying > 0));
--| CREATE TABLE
alter table t2 rename varying to w;
--| ALTER TABLE
insert into t2 values (1, 2) returning *;
--|  w | x
--| ---+---
--|  1 | 2
--| (1 row)
--| INSERT 0 1
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't2'::regclass;
--|                         pg_get_constraintdef
--| ---------------------------------------------------------------------
--|  CHECK (((((x)::character varying)::text <> 'a'::text) AND (w > 0)))
--| (1 row)
create table t3 (local int, nfc text, x int, check (LOCAL > 0), check (NFC <> ''));
--| CREATE TABLE
create index on t3 ((LOCAL + 1));
--| CREATE INDEX
alter table t3 rename local to l;
--| ALTER TABLE
alter table t3 rename nfc to n;
--| ALTER TABLE
insert into t3 values (1, 'a', 2) returning *;
--|  l | n | x
--| ---+---+---
--|  1 | a | 2
--| (1 row)
--| INSERT 0 1
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't3'::regclass order by conname;
--|   pg_get_constraintdef
--| -------------------------
--|  CHECK ((l > 0))
--|  CHECK ((n <> ''::text))
--| (2 rows)
select pg_get_indexdef(indexrelid) from pg_index where indrelid = 't3'::regclass;
--|                         pg_get_indexdef
--| ---------------------------------------------------------------
--|  CREATE INDEX t3_expr_idx ON public.t3 USING btree (((l + 1)))
--| (1 row)
create table t4 (zone text, time timestamp, d timestamptz, check ((d at time zone zone) > time));
--| CREATE TABLE
alter table t4 rename zone to z;
--| ALTER TABLE
alter table t4 rename time to t;
--| ALTER TABLE
insert into t4 values ('UTC', '2020-01-01', '2021-01-01') returning *;
--|   z  |          t          |           d
--| -----+---------------------+------------------------
--|  UTC | 2020-01-01 00:00:00 | 2021-01-01 00:00:00+00
--| (1 row)
--| INSERT 0 1
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't4'::regclass;
--|        pg_get_constraintdef
--| ----------------------------------
--|  CHECK (((d AT TIME ZONE z) > t))
--| (1 row)
drop table if exists t5, t6, t7, t8;
--| NOTICE:  table "t5" does not exist, skipping
--| NOTICE:  table "t6" does not exist, skipping
--| NOTICE:  table "t7" does not exist, skipping
--| NOTICE:  table "t8" does not exist, skipping
--| DROP TABLE
create table t5 (day int, d timestamp, check (d + interval '1' day > '2020-01-01' and day > 0));
--| CREATE TABLE
alter table t5 rename day to dd;
--| ALTER TABLE
insert into t5 values (1, '2021-01-01') returning *;
--|  dd |          d
--| ----+---------------------
--|   1 | 2021-01-01 00:00:00
--| (1 row)
--| INSERT 0 1
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't5'::regclass;
--|                                          pg_get_constraintdef
--| -------------------------------------------------------------------------------------------------------
--|  CHECK ((((d + '1 day'::interval) > '2020-01-01 00:00:00'::timestamp without time zone) AND (dd > 0)))
--| (1 row)
create table t6 (json text, object text, check (json is json), check (object is json object));
--| CREATE TABLE
alter table t6 rename json to j;
--| ALTER TABLE
alter table t6 rename object to o;
--| ALTER TABLE
insert into t6 values ('[]', '{}') returning *;
--|  j  | o
--| ----+----
--|  [] | {}
--| (1 row)
--| INSERT 0 1
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't6'::regclass order by conname;
--|     pg_get_constraintdef
--| ----------------------------
--|  CHECK ((j IS JSON))
--|  CHECK ((o IS JSON OBJECT))
--| (2 rows)
create table t7 (unknown bool, value int, x text default json_object('a' value 1)::text, check ((unknown is unknown) or unknown), check (json_object('k' value value)::text <> ''));
--| CREATE TABLE
alter table t7 rename unknown to u;
--| ALTER TABLE
alter table t7 rename value to v;
--| ALTER TABLE
insert into t7 values (null, 1) returning *;
--|  u | v |     x
--| ---+---+-----------
--|    | 1 | {"a" : 1}
--| (1 row)
--| INSERT 0 1
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't7'::regclass order by conname;
--|                    pg_get_constraintdef
--| -----------------------------------------------------------
--|  CHECK (((u IS NULL) OR u))
--|  CHECK ((JSON_OBJECT('k' : v RETURNING text) <> ''::text))
--| (2 rows)
create table t8 (symmetric_ int, timestamp timestamptz, text text, numeric int, check (timestamp::timestamp > '2020-01-01' and numeric::numeric(5,2) > 0 and text::text <> '' and cast(numeric as numeric) > 0 and text = text 'a'));
--| CREATE TABLE
alter table t8 rename timestamp to ts;
--| ALTER TABLE
alter table t8 rename numeric to n;
--| ALTER TABLE
alter table t8 rename text to tx;
--| ALTER TABLE
insert into t8 values (1, '2021-01-01', 'a', 3) returning *;
--|  symmetric_ |           ts           | tx | n
--| ------------+------------------------+----+---
--|           1 | 2021-01-01 00:00:00+00 | a  | 3
--| (1 row)
--| INSERT 0 1
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't8'::regclass;
--|                                                                                                  pg_get_constraintdef
--| -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  CHECK ((((ts)::timestamp without time zone > '2020-01-01 00:00:00'::timestamp without time zone) AND ((n)::numeric(5,2) > (0)::numeric) AND (tx <> ''::text) AND ((n)::numeric > (0)::numeric) AND (tx = 'a'::text)))
--| (1 row)
drop table if exists t; drop type if exists comp;
--| NOTICE:  table "t" does not exist, skipping
--| NOTICE:  type "comp" does not exist, skipping
--| DROP TABLE
--| DROP TYPE
create type comp as (a int, b int);
--| CREATE TYPE
create table t (p comp, a int, check ((p).a > 0 and a > 0));
--| CREATE TABLE
create index on t (((p).a), a);
--| CREATE INDEX
alter table t rename a to z;
--| ALTER TABLE
insert into t values (row(1, 2), 3) returning *;
--|    p   | z
--| -------+---
--|  (1,2) | 3
--| (1 row)
--| INSERT 0 1
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't'::regclass;
--|        pg_get_constraintdef
--| -----------------------------------
--|  CHECK ((((p).a > 0) AND (z > 0)))
--| (1 row)
select pg_get_indexdef(indexrelid) from pg_index where indrelid = 't'::regclass;
--|                        pg_get_indexdef
--| --------------------------------------------------------------
--|  CREATE INDEX t_a_a1_idx ON public.t USING btree (((p).a), z)
--| (1 row)
