-- Definition statements.

create table t (a int, b text);
--| CREATE TABLE
create table t (a int);
--| ERROR:  42P07: relation "t" already exists
create table if not exists t (a int);
--| NOTICE:  relation "t" already exists, skipping
--| CREATE TABLE
create table nope.t (a int);
--| ERROR:  3F000: schema "nope" does not exist
create table public.t2 (a int);
--| CREATE TABLE
drop table t2, nothere;
--| ERROR:  42P01: table "nothere" does not exist
drop table if exists t2, nothere;
--| NOTICE:  table "nothere" does not exist, skipping
--| DROP TABLE
insert into t values (1, 'x'), (2, 'y');
--| INSERT 0 2
alter table t add column c int;
--| ALTER TABLE
alter table t add d text default 'dd';
--| ALTER TABLE
alter table t add column e int not null default 5;
--| ALTER TABLE
alter table t add column f int not null;
--| ERROR:  23502: column "f" of relation "t" contains null values
alter table t add column a int;
--| ERROR:  42701: column "a" of relation "t" already exists
alter table t add column if not exists a int;
--| NOTICE:  column "a" of relation "t" already exists, skipping
--| ALTER TABLE
select * from t order by a;
--|  a | b | c | d  | e
--| ---+---+---+----+---
--|  1 | x |   | dd | 5
--|  2 | y |   | dd | 5
--| (2 rows)
alter table t drop column b;
--| ALTER TABLE
select * from t order by a;
--|  a | c | d  | e
--| ---+---+----+---
--|  1 |   | dd | 5
--|  2 |   | dd | 5
--| (2 rows)
insert into t values (3, 30, 'd3', 6);
--| INSERT 0 1
insert into t (a, b) values (1, 'x');
--| ERROR:  42703: column "b" of relation "t" does not exist
alter table t drop column nope;
--| ERROR:  42703: column "nope" of relation "t" does not exist
alter table t drop column if exists nope;
--| NOTICE:  column "nope" of relation "t" does not exist, skipping
--| ALTER TABLE
alter table t rename column c to cc;
--| ALTER TABLE
alter table t rename d to dd;
--| ALTER TABLE
alter table t rename to tt;
--| ALTER TABLE
select * from tt order by a;
--|  a | cc | dd | e
--| ---+----+----+---
--|  1 |    | dd | 5
--|  2 |    | dd | 5
--|  3 | 30 | d3 | 6
--| (3 rows)
select * from t;
--| ERROR:  42P01: relation "t" does not exist
alter table tt alter column cc set default 77;
--| ALTER TABLE
insert into tt (a) values (4) returning *;
--|  a | cc | dd | e
--| ---+----+----+---
--|  4 | 77 | dd | 5
--| (1 row)
--| INSERT 0 1
alter table tt alter column cc drop default;
--| ALTER TABLE
alter table tt alter cc set not null;
--| ERROR:  23502: column "cc" of relation "tt" contains null values
alter table tt alter e drop not null;
--| ALTER TABLE
alter table tt alter column a type bigint;
--| ALTER TABLE
alter table tt alter column dd type varchar(3);
--| ALTER TABLE
alter table tt alter column dd type int;
--| ERROR:  42804: column "dd" cannot be cast automatically to type integer
--| HINT:  You might need to specify "USING dd::integer".
alter table tt alter column a type text using 'n' || a;
--| ALTER TABLE
select * from tt order by a;
--|  a  | cc | dd | e
--| ----+----+----+---
--|  n1 |    | dd | 5
--|  n2 |    | dd | 5
--|  n3 | 30 | d3 | 6
--|  n4 | 77 | dd | 5
--| (4 rows)
alter table nothere add column a int;
--| ERROR:  42P01: relation "nothere" does not exist
alter table if exists nothere add column a int;
--| NOTICE:  relation "nothere" does not exist, skipping
--| ALTER TABLE
alter table tt owner to postgres;
--| ALTER TABLE

-- indexes
create table i (a int, b int, c text);
--| CREATE TABLE
insert into i select g, g % 3, 'v' || g from generate_series(1, 9) g;
--| INSERT 0 9
create index on i (a);
--| CREATE INDEX
create index i_b on i (b desc, a);
--| CREATE INDEX
create unique index i_c on i (c);
--| CREATE INDEX
create unique index i_dup on i (b);
--| ERROR:  23505: could not create unique index "i_dup"
--| DETAIL:  Key (b)=(0) is duplicated.
create index i_b on i (a);
--| ERROR:  42P07: relation "i_b" already exists
create index if not exists i_b on i (a);
--| NOTICE:  relation "i_b" already exists, skipping
--| CREATE INDEX
create index i_x on i (nope);
--| ERROR:  42703: column "nope" does not exist
create index concurrently i_conc on i (b);
--| CREATE INDEX
insert into i values (1, 1, 'v1');
--| ERROR:  23505: duplicate key value violates unique constraint "i_c"
--| DETAIL:  Key (c)=(v1) already exists.
select indexname, indexdef from pg_indexes where tablename = 'i' order by 1;
--|  indexname |                       indexdef
--| -----------+------------------------------------------------------
--|  i_a_idx   | CREATE INDEX i_a_idx ON public.i USING btree (a)
--|  i_b       | CREATE INDEX i_b ON public.i USING btree (b DESC, a)
--|  i_c       | CREATE UNIQUE INDEX i_c ON public.i USING btree (c)
--|  i_conc    | CREATE INDEX i_conc ON public.i USING btree (b)
--| (4 rows)
drop index i_b, i_conc;
--| DROP INDEX
drop index i_b;
--| ERROR:  42704: index "i_b" does not exist
drop index if exists i_b;
--| NOTICE:  index "i_b" does not exist, skipping
--| DROP INDEX
drop table i_c;
--| ERROR:  42809: "i_c" is not a table
--| HINT:  Use DROP INDEX to remove an index.
drop index i;
--| ERROR:  42809: "i" is not an index
--| HINT:  Use DROP TABLE to remove a table.
reindex table i;
--| REINDEX
select count(*) from i where c = 'v3';
--|  count
--| -------
--|      1
--| (1 row)

-- serial, identity, sequences
create table s (id serial primary key, big bigserial, v text);
--| CREATE TABLE
insert into s (v) values ('a'), ('b') returning id, big;
--|  id | big
--| ----+-----
--|   1 |   1
--|   2 |   2
--| (2 rows)
--| INSERT 0 2
select nextval('s_id_seq'), currval('s_id_seq'), lastval();
--|  nextval | currval | lastval
--| ---------+---------+---------
--|        3 |       3 |       3
--| (1 row)
select setval('s_id_seq', 100), nextval('s_id_seq'), setval('s_id_seq', 5, false), nextval('s_id_seq');
--|  setval | nextval | setval | nextval
--| --------+---------+--------+---------
--|     100 |     101 |      5 |       5
--| (1 row)
select pg_get_serial_sequence('s', 'id');
--|  pg_get_serial_sequence
--| ------------------------
--|  public.s_id_seq
--| (1 row)
create table ident (a int generated always as identity, b int generated by default as identity (start with 10 increment by 5));
--| CREATE TABLE
insert into ident default values returning *;
--|  a | b
--| ---+----
--|  1 | 10
--| (1 row)
--| INSERT 0 1
insert into ident (b) values (1) returning *;
--|  a | b
--| ---+---
--|  2 | 1
--| (1 row)
--| INSERT 0 1
insert into ident (a) values (1);
--| ERROR:  428C9: cannot insert a non-DEFAULT value into column "a"
--| DETAIL:  Column "a" is an identity column defined as GENERATED ALWAYS.
--| HINT:  Use OVERRIDING SYSTEM VALUE to override.
create sequence q increment by -1 maxvalue 3 minvalue 1 start 3;
--| CREATE SEQUENCE
select nextval('q'), nextval('q'), nextval('q');
--|  nextval | nextval | nextval
--| ---------+---------+---------
--|        3 |       2 |       1
--| (1 row)
select nextval('q');
--| ERROR:  2200H: nextval: reached minimum value of sequence "q" (1)
create sequence q;
--| ERROR:  42P07: relation "q" already exists
create sequence if not exists q;
--| NOTICE:  relation "q" already exists, skipping
--| CREATE SEQUENCE
drop sequence s_id_seq;
--| ERROR:  2BP01: cannot drop sequence s_id_seq because other objects depend on it
--| DETAIL:  default value for column id of table s depends on sequence s_id_seq
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop sequence q;
--| DROP SEQUENCE
select nextval('q');
--| ERROR:  42P01: relation "q" does not exist
begin;
--| BEGIN
select nextval('s_id_seq') > 0;
--|  ?column?
--| ----------
--|  t
--| (1 row)
rollback;
--| ROLLBACK

-- CREATE TABLE AS
create table copied as select g as n, 'x' || g as t from generate_series(1, 3) g;
--| SELECT 3
select * from copied order by n;
--|  n | t
--| ---+----
--|  1 | x1
--|  2 | x2
--|  3 | x3
--| (3 rows)
create table empty_one (k, l) as select 1, 'a'::varchar(4) with no data;
--| CREATE TABLE AS
select * from empty_one;
--|  k | l
--| ---+---
--| (0 rows)
create table again as select 1 as a, 2 as a;
--| ERROR:  42701: column "a" specified more than once

-- schemas
create schema app;
--| CREATE SCHEMA
create table app.t (a int);
--| CREATE TABLE
insert into app.t values (1);
--| INSERT 0 1
select * from app.t;
--|  a
--| ---
--|  1
--| (1 row)
set search_path to app, public;
--| SET
select * from t;
--|  a
--| ---
--|  1
--| (1 row)
create table inapp (a int);
--| CREATE TABLE
reset search_path;
--| RESET
select * from inapp;
--| ERROR:  42P01: relation "inapp" does not exist
drop schema app;
--| ERROR:  2BP01: cannot drop schema app because other objects depend on it
--| DETAIL:  table app.t depends on schema app
--| table app.inapp depends on schema app
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop schema app cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to table app.t
--| drop cascades to table app.inapp
--| DROP SCHEMA
select * from app.t;
--| ERROR:  42P01: relation "app.t" does not exist
create schema app;
--| CREATE SCHEMA
create schema if not exists app;
--| NOTICE:  schema "app" already exists, skipping
--| CREATE SCHEMA
create schema app;
--| ERROR:  42P06: schema "app" already exists

-- dependencies
create table par (id int primary key);
--| CREATE TABLE
create table chi (id int references par);
--| CREATE TABLE
drop table par;
--| ERROR:  2BP01: cannot drop table par because other objects depend on it
--| DETAIL:  constraint chi_id_fkey on table chi depends on table par
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop table par, chi;
--| DROP TABLE
create table par (id int primary key);
--| CREATE TABLE
create table chi (id int references par);
--| CREATE TABLE
drop table par cascade;
--| NOTICE:  drop cascades to constraint chi_id_fkey on table chi
--| DROP TABLE
insert into chi values (99);
--| INSERT 0 1
alter table chi drop constraint chi_id_fkey;
--| ERROR:  42704: constraint "chi_id_fkey" of relation "chi" does not exist

-- kept for other programs
comment on table chi is 'a comment';
--| COMMENT
create table w (a int) with (fillfactor=70, autovacuum_enabled=false);
--| CREATE TABLE
create table w2 (a int) with (nonsense=1);
--| ERROR:  22023: unrecognized parameter "nonsense"
create view v as select 1;
--| CREATE VIEW
create function f() returns int as 'select 1' language sql;
--| ERROR:  0A000: CREATE FUNCTION is not supported
create type mood as enum ('sad');
--| CREATE TYPE
create trigger x before insert on t for each row execute function f();
--| ERROR:  0A000: CREATE TRIGGER is not supported
create temp table tmp (a int);
--| CREATE TABLE
create table part (a int) partition by hash (a);
--| ERROR:  0A000: partitioned tables are not supported
grant select on chi to public;
--| GRANT
listen x;
--| LISTEN
create table badtype (a nosuchtype);
--| ERROR:  42704: type "nosuchtype" does not exist
create table badtype (a varchar(0));
--| ERROR:  22023: length for type varchar must be at least 1
create table badtype (a numeric(2000));
--| ERROR:  22023: NUMERIC precision 2000 must be between 1 and 1000
create table badtype (a int default 'x');
--| ERROR:  22P02: invalid input syntax for type integer: "x"
create table badtype (a int default b);
--| ERROR:  0A000: cannot use column reference in DEFAULT expression
create table badtype (a int check (b > 1));
--| ERROR:  42703: column "b" does not exist
create table long (a int, b int, constraint c check (a > b), constraint c check (b > 1));
--| ERROR:  42710: constraint "c" for relation "long" already exists

-- A column is renamed in CHECK constraints; functions, types and other words with its name are not.
create table named (length int check (length > 0), name text, year int, "and" int, d date,
  check (length(name) > length and extract(year from d) = year and name = cast(length as text)::text or "and" = 1 and named.length < 1000));
--| CREATE TABLE
alter table named rename column length to len;
--| ALTER TABLE
alter table named rename column year to years;
--| ALTER TABLE
alter table named rename column "and" to et;
--| ALTER TABLE
insert into named values (2, 'xyz', 2024, 1, '2024-05-05');
--| INSERT 0 1
insert into named values (2, 'xy', 2024, 2, '2024-05-05');
--| ERROR:  23514: new row for relation "named" violates check constraint "named_check"
--| DETAIL:  Failing row contains (2, xy, 2024, 2, 2024-05-05).
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'named'::regclass order by conname;
--|                                                           pg_get_constraintdef
--| ----------------------------------------------------------------------------------------------------------------------------------------
--|  CHECK ((((length(name) > len) AND (EXTRACT(year FROM d) = (years)::numeric) AND (name = (len)::text)) OR ((et = 1) AND (len < 1000))))
--|  CHECK ((len > 0))
--| (2 rows)
drop table named;
--| DROP TABLE
