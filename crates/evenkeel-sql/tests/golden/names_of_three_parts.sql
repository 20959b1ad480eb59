-- A name of three parts begins with the database, which is the one that the session is in: any other is refused wherever a name is read, and nothing is changed.
create table t (id int primary key, x int);
--| CREATE TABLE
insert into t values (1,1);
--| INSERT 0 1
create sequence sq;
--| CREATE SEQUENCE
select * from otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
table otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
select * from t join otherdb.public.t u on true;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
insert into otherdb.public.t values (100,1);
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
update otherdb.public.t set x=5;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
delete from otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
merge into otherdb.public.t using t s on true when matched then do nothing;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
create table otherdb.public.made (id int);
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.made"
create table made as select * from otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
create table otherdb.public.made as select 1;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.made"
create view otherdb.public.v as select 1;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.v"
create view v as select * from otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
create materialized view otherdb.public.v as select 1;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.v"
create sequence otherdb.public.s;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.s"
create sequence s owned by otherdb.public.t.x;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
create type otherdb.public.ty as enum ('a');
--| ERROR:  0A000: cross-database references are not implemented: otherdb.public.ty
create domain otherdb.public.d as int;
--| ERROR:  0A000: cross-database references are not implemented: otherdb.public.d
create index on otherdb.public.t (x);
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
create table x (a otherdb.public.d);
--| ERROR:  0A000: cross-database references are not implemented: otherdb.public.d
create table x (a int references otherdb.public.t);
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
create table x (like otherdb.public.t);
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
create table x (a text collate otherdb.pg_catalog."C");
--| ERROR:  0A000: cross-database references are not implemented: otherdb.pg_catalog.C
alter table otherdb.public.t add y int;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
alter table if exists otherdb.public.t add y int;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
alter table otherdb.public.t rename to u;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
alter sequence otherdb.public.sq restart;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.sq"
alter view otherdb.public.v rename to v2;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.v"
alter type otherdb.public.ty add value 'b';
--| ERROR:  0A000: cross-database references are not implemented: otherdb.public.ty
truncate otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
drop table otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
drop table if exists t, otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
drop view if exists otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
drop type otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: otherdb.public.t
drop domain if exists otherdb.public.d;
--| ERROR:  0A000: cross-database references are not implemented: otherdb.public.d
drop index otherdb.public.t_pkey;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t_pkey"
comment on table otherdb.public.t is 'x';
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
comment on column otherdb.public.t.x is 'x';
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
grant select on otherdb.public.t to public;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
copy otherdb.public.t to stdout;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
vacuum otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
analyze otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
reindex table otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
refresh materialized view otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
begin;
--| BEGIN
lock table otherdb.public.t;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
rollback;
--| ROLLBACK
select nextval('otherdb.public.sq');
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.sq"
select 'otherdb.public.t'::regclass;
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
select to_regclass('otherdb.public.t');
--| ERROR:  0A000: cross-database references are not implemented: "otherdb.public.t"
select 'otherdb.pg_catalog.int4'::regtype;
--| ERROR:  0A000: cross-database references are not implemented: otherdb.pg_catalog.int4
select otherdb.pg_catalog.lower('A');
--| ERROR:  0A000: cross-database references are not implemented: otherdb.pg_catalog.lower
select 1::otherdb.pg_catalog.int4;
--| ERROR:  0A000: cross-database references are not implemented: otherdb.pg_catalog.int4
select otherdb.public.t.x from t;
--| ERROR:  0A000: cross-database references are not implemented: otherdb.public.t.x
select otherdb.public.t.* from t;
--| ERROR:  0A000: cross-database references are not implemented: otherdb.public.t.*
select id from t where otherdb.public.t.x = 1;
--| ERROR:  0A000: cross-database references are not implemented: otherdb.public.t.x
update t set x = otherdb.public.t.id;
--| ERROR:  0A000: cross-database references are not implemented: otherdb.public.t.id
select public.t.x.y from t;
--| ERROR:  0A000: cross-database references are not implemented: public.t.x.y
select a.b.c.d.e from t;
--| ERROR:  42601: improper qualified name (too many dotted names): a.b.c.d.e
select * from a.b.c.d;
--| ERROR:  42601: improper qualified name (too many dotted names): a.b.c.d
select a.b.c.lower('x');
--| ERROR:  42601: improper qualified name (too many dotted names): a.b.c.lower
select 1::a.b.c.d;
--| ERROR:  42601: improper qualified name (too many dotted names): a.b.c.d
select nextval('a.b.c.d');
--| ERROR:  42601: improper relation name (too many dotted names): a.b.c.d
select * from t;
--|  id | x
--| ----+---
--|   1 | 1
--| (1 row)

-- The present one may be named everywhere, as dbt does.
select current_database();
--|  current_database
--| ------------------
--|  b
--| (1 row)
create table "b"."public"."w" (id int primary key, x int);
--| CREATE TABLE
alter table b.public.w add y int;
--| ALTER TABLE
alter table "b"."public"."w" rename to "w2";
--| ALTER TABLE
alter table "b"."public"."w2" rename to "w";
--| ALTER TABLE
create index if not exists ti on "b"."public"."w" (x);
--| CREATE INDEX
create unique index on b.public.w (x, y);
--| CREATE INDEX
comment on table b.public.w is 'x';
--| COMMENT
comment on column b.public.w.x is 'x';
--| COMMENT
grant select on b.public.w to public;
--| GRANT
grant select on table "b"."public"."w" to public;
--| GRANT
revoke all on b.public.w from public;
--| REVOKE
copy b.public.w (id) to stdout;
--| COPY 0
vacuum b.public.w;
--| VACUUM
analyze b.public.w;
--| ANALYZE
analyze b.public.w (x);
--| ANALYZE
table b.public.w;
--|  id | x | y
--| ----+---+---
--| (0 rows)
create table b.public.c (id int references b.public.w (id));
--| CREATE TABLE
create table b.public.l (like b.public.w including all);
--| CREATE TABLE
create table b.public.ctas as (select * from b.public.w);
--| SELECT 0
create view b.public.v as (select * from b.public.w);
--| CREATE VIEW
alter view b.public.v rename to v2;
--| ALTER VIEW
alter view b.public.v2 owner to postgres;
--| ALTER VIEW
create materialized view if not exists b.public.mv as select b.public.w.id from b.public.w;
--| SELECT 0
refresh materialized view b.public.mv;
--| REFRESH MATERIALIZED VIEW
alter materialized view b.public.mv rename to mv2;
--| ALTER MATERIALIZED VIEW
insert into b.public.w (id) values (5) on conflict do nothing;
--| INSERT 0 1
update b.public.w set x = 7 where b.public.w.id = 5;
--| UPDATE 1
delete from b.public.w where b.public.w.id = 5;
--| DELETE 1
merge into b.public.w as d using b.public.ctas as s on d.id = s.id when matched then update set x = s.x;
--| MERGE 0
create sequence b.public.sq2;
--| CREATE SEQUENCE
alter sequence b.public.sq2 restart with 5;
--| ALTER SEQUENCE
select nextval('b.public.sq2'), currval('b.public.sq2'::regclass), 'b.public.w'::regclass, to_regclass('"b"."public"."w"');
--|  nextval | currval | regclass | to_regclass
--| ---------+---------+----------+-------------
--|        5 |       5 | w        | w
--| (1 row)
create type b.public.en as enum ('a');
--| CREATE TYPE
alter type b.public.en add value 'b';
--| ALTER TYPE
select 'b'::b.public.en;
--|  en
--| ----
--|  b
--| (1 row)
create table et (e b.public.en default 'a'::b.public.en);
--| CREATE TABLE
create domain b.public.dm as int;
--| CREATE DOMAIN
alter domain b.public.dm set not null;
--| ALTER DOMAIN
drop domain b.public.dm;
--| DROP DOMAIN
alter table b.public.w set schema public;
--| ALTER TABLE
alter index b.public.ti rename to ti2;
--| ALTER INDEX
reindex table b.public.w;
--| REINDEX
reindex index b.public.ti2;
--| REINDEX
drop index b.public.ti2;
--| DROP INDEX
alter table only b.public.c drop constraint c_id_fkey, add foreign key (id) references b.public.w;
--| ALTER TABLE
select pg_get_viewdef('b.public.v2'), pg_relation_size('b.public.w') >= 0, has_table_privilege('b.public.w', 'select'), obj_description('b.public.w'::regclass);
--|  pg_get_viewdef | ?column? | has_table_privilege | obj_description
--| ----------------+----------+---------------------+-----------------
--|   SELECT id,   +| t        | t                   | x
--|      x,        +|          |                     |
--|      y         +|          |                     |
--|     FROM w;     |          |                     |
--| (1 row)
truncate table b.public.w, b.public.c;
--| TRUNCATE TABLE
explain (costs off) select * from b.public.w;
--|   QUERY PLAN
--| ---------------
--|  Seq Scan on w
--| (1 row)
declare cc cursor with hold for select * from b.public.w;
--| DECLARE CURSOR
drop view if exists b.public.v2 cascade;
--| DROP VIEW
drop materialized view if exists b.public.mv2 cascade;
--| DROP MATERIALIZED VIEW
drop table if exists "b"."public"."c", b.public.w cascade;
--| DROP TABLE
drop sequence b.public.sq2;
--| DROP SEQUENCE
drop type if exists b.public.en cascade;
--| NOTICE:  drop cascades to column e of table et
--| DROP TYPE
select b.pg_catalog.lower('A'), 1::b.pg_catalog.int4, 'b.pg_catalog.int4'::regtype;
--|  lower | int4 | regtype
--| -------+------+---------
--|  a     |    1 | integer
--| (1 row)
select (b.public.t).x from t;
--| ERROR:  42P01: missing FROM-clause entry for table "public"
select b.public.t.* from t;
--|  id | x
--| ----+---
--|   1 | 1
--| (1 row)
select b.public.t.x from b.public.t group by b.public.t.x having b.public.t.x > 0 order by b.public.t.x;
--|  x
--| ---
--|  1
--| (1 row)
update t set x = 8 returning b.public.t.*, b.public.t.x;
--|  id | x | x
--| ----+---+---
--|   1 | 8 | 8
--| (1 row)
--| UPDATE 1
create sequence b.public.s4 owned by b.public.t.x;
--| CREATE SEQUENCE
select pg_get_serial_sequence('b.public.t', 'x');
--|  pg_get_serial_sequence
--| ------------------------
--|  public.s4
--| (1 row)
create schema b;
--| CREATE SCHEMA
create table b.t (id int, x int);
--| CREATE TABLE
insert into b.t values (3, 4);
--| INSERT 0 1
select b.t.x, b.b.t.id from b.b.t;
--|  x | id
--| ---+----
--|  4 |  3
--| (1 row)
select b.t.x from b.t where b.t.id = 3;
--|  x
--| ---
--|  4
--| (1 row)
comment on column b.t.x is 'of a schema';
--| COMMENT
comment on column b.b.t.id is 'of a database';
--| COMMENT
select col_description('b.b.t'::regclass, n) from generate_series(1, 2) n;
--|  col_description
--| -----------------
--|  of a database
--|  of a schema
--| (2 rows)
drop schema b cascade;
--| NOTICE:  drop cascades to table b.t
--| DROP SCHEMA
