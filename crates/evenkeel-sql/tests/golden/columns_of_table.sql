-- Expressions that a table keeps name its columns, whatever the table is called by then.
create table t (a int, check (t.a > 0), g int generated always as (t.a * 2) stored, v int generated always as (t.a + 1) virtual);
--| CREATE TABLE
create index t_i on t ((t.a + 1)) where t.a > 3;
--| CREATE INDEX
alter table t add constraint both_positive check (public.t.a > 0 and g > t.v - 100);
--| ALTER TABLE
insert into t values (1);
--| INSERT 0 1
create table w (like t including all);
--| CREATE TABLE
insert into w values (2);
--| INSERT 0 1
alter table t rename to u;
--| ALTER TABLE
insert into u values (3);
--| INSERT 0 1
update u set a = 4;
--| UPDATE 2
insert into u values (-1);
--| ERROR:  23514: new row for relation "u" violates check constraint "both_positive"
--| DETAIL:  Failing row contains (-1, -2, virtual).
select * from u order by 1;
--|  a | g | v
--| ---+---+---
--|  4 | 8 | 5
--|  4 | 8 | 5
--| (2 rows)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'u'::regclass order by 1;
--|          pg_get_constraintdef
--| ---------------------------------------
--|  CHECK (((a > 0) AND (g > (v - 100))))
--|  CHECK ((a > 0))
--| (2 rows)
select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'u'::regclass;
--|                           pg_get_indexdef
--| --------------------------------------------------------------------
--|  CREATE INDEX t_i ON public.u USING btree (((a + 1))) WHERE (a > 3)
--| (1 row)
select attname, pg_get_expr(adbin, adrelid) from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum where adrelid = 'u'::regclass order by 1;
--|  attname | pg_get_expr
--| ---------+-------------
--|  g       | (a * 2)
--|  v       | (a + 1)
--| (2 rows)
create schema s5;
--| CREATE SCHEMA
create table q (a int, "b.c" int, check (public.q.a > 0), check (q."b.c" > q.a));
--| CREATE TABLE
alter table q set schema s5;
--| ALTER TABLE
insert into s5.q values (1, 2);
--| INSERT 0 1
insert into s5.q values (1, 1);
--| ERROR:  23514: new row for relation "q" violates check constraint "q_check"
--| DETAIL:  Failing row contains (1, 1).
alter schema s5 rename to s6;
--| ALTER SCHEMA
insert into s6.q values (2, 3);
--| INSERT 0 1
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 's6.q'::regclass order by 1;
--|  pg_get_constraintdef
--| ----------------------
--|  CHECK (("b.c" > a))
--|  CHECK ((a > 0))
--| (2 rows)
-- A row of the table, and a field of a row.
create type pair as (x int, y int);
--| CREATE TYPE
create table r (p pair, a int, check ((r.p).x > r.a), check ((p).y > 0));
--| CREATE TABLE
insert into r values (row(3, 1), 2);
--| INSERT 0 1
alter table r rename to rr;
--| ALTER TABLE
insert into rr values (row(1, 1), 2);
--| ERROR:  23514: new row for relation "rr" violates check constraint "r_check"
--| DETAIL:  Failing row contains ((1,1), 2).
insert into rr values (row(5, 1), 2);
--| INSERT 0 1
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'rr'::regclass order by 1;
--|  pg_get_constraintdef
--| ----------------------
--|  CHECK (((p).x > a))
--|  CHECK (((p).y > 0))
--| (2 rows)
drop schema s6 cascade;
--| NOTICE:  drop cascades to table s6.q
--| DROP SCHEMA
drop table u, w, rr;
--| DROP TABLE
drop type pair;
--| DROP TYPE
