-- Who draws from a sequence: defaults and views know it by what it is, not by its name, and it is not dropped under them.

create schema s4;
--| CREATE SCHEMA
create sequence s4.q;
--| CREATE SEQUENCE
create view s4.v as select nextval('s4.q') as n, 's4.q'::regclass as r, regclass 's4.q' as t;
--| CREATE VIEW
create table s4.u (a int default nextval('s4.q') + 1, b int default currval('s4.q'), c text default 'q' || lastval());
--| CREATE TABLE
create domain s4.d as int default nextval('s4.q');
--| CREATE DOMAIN
alter sequence s4.q rename to p;
--| ALTER SEQUENCE
insert into s4.u (c) select n from s4.v returning *;
--|  a | b | c
--| ---+---+---
--|  3 | 2 | 1
--| (1 row)
--| INSERT 0 1
select adnum, pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 's4.u'::regclass order by 1;
--|  adnum |           pg_get_expr
--| -------+----------------------------------
--|      1 | (nextval('s4.p'::regclass) + 1)
--|      2 | currval('s4.p'::regclass)
--|      3 | ('q'::text || (lastval())::text)
--| (3 rows)
create table s4.serial (id serial, n int default 3);
--| CREATE TABLE
select pg_get_expr(adbin, adrelid), refobjid::regclass, deptype from pg_attrdef d join pg_depend p on p.objid = d.oid and p.classid = 'pg_attrdef'::regclass where adrelid in ('s4.u'::regclass, 's4.serial'::regclass) order by 1, 2, 3;
--|               pg_get_expr              |     refobjid     | deptype
--| ---------------------------------------+------------------+---------
--|  ('q'::text || (lastval())::text)      | s4.u             | a
--|  (nextval('s4.p'::regclass) + 1)       | s4.p             | n
--|  (nextval('s4.p'::regclass) + 1)       | s4.u             | a
--|  3                                     | s4.serial        | a
--|  currval('s4.p'::regclass)             | s4.p             | n
--|  currval('s4.p'::regclass)             | s4.u             | a
--|  nextval('s4.serial_id_seq'::regclass) | s4.serial        | a
--|  nextval('s4.serial_id_seq'::regclass) | s4.serial_id_seq | n
--| (8 rows)
drop table s4.serial;
--| DROP TABLE
drop sequence s4.p;
--| ERROR:  2BP01: cannot drop sequence s4.p because other objects depend on it
--| DETAIL:  default value for column a of table s4.u depends on sequence s4.p
--| default value for column b of table s4.u depends on sequence s4.p
--| type s4.d depends on sequence s4.p
--| view s4.v depends on sequence s4.p
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop sequence s4.p cascade;
--| NOTICE:  drop cascades to 4 other objects
--| DETAIL:  drop cascades to view s4.v
--| drop cascades to default value for column a of table s4.u
--| drop cascades to default value for column b of table s4.u
--| drop cascades to type s4.d
--| DROP SEQUENCE
select * from s4.v;
--| ERROR:  42P01: relation "s4.v" does not exist
insert into s4.u (c) values ('x') returning *;
--|  a | b | c
--| ---+---+---
--|    |   | x
--| (1 row)
--| INSERT 0 1
select adnum, pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 's4.u'::regclass order by 1;
--|  adnum |           pg_get_expr
--| -------+----------------------------------
--|      3 | ('q'::text || (lastval())::text)
--| (1 row)
-- That of a serial column, which another table draws from as well.
create table s4.a (id serial primary key, twice int default currval('s4.a_id_seq') * 2);
--| CREATE TABLE
create table s4.b (id int default nextval('s4.a_id_seq'), n int);
--| CREATE TABLE
insert into s4.a default values returning *;
--|  id | twice
--| ----+-------
--|   1 |     2
--| (1 row)
--| INSERT 0 1
drop sequence s4.a_id_seq;
--| ERROR:  2BP01: cannot drop sequence s4.a_id_seq because other objects depend on it
--| DETAIL:  default value for column id of table s4.a depends on sequence s4.a_id_seq
--| default value for column twice of table s4.a depends on sequence s4.a_id_seq
--| default value for column id of table s4.b depends on sequence s4.a_id_seq
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
alter table s4.a drop column id;
--| ERROR:  2BP01: cannot drop column id of table s4.a because other objects depend on it
--| DETAIL:  default value for column twice of table s4.a depends on sequence s4.a_id_seq
--| default value for column id of table s4.b depends on sequence s4.a_id_seq
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop table s4.a;
--| ERROR:  2BP01: cannot drop table s4.a because other objects depend on it
--| DETAIL:  default value for column id of table s4.b depends on sequence s4.a_id_seq
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop table s4.a, s4.b;
--| DROP TABLE
create table s4.a (id serial primary key, twice int default currval('s4.a_id_seq') * 2);
--| CREATE TABLE
create table s4.b (id int default nextval('s4.a_id_seq'), n int);
--| CREATE TABLE
alter table s4.a drop column id cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to default value for column twice of table s4.a
--| drop cascades to default value for column id of table s4.b
--| ALTER TABLE
insert into s4.b (n) values (1) returning *;
--|  id | n
--| ----+---
--|     | 1
--| (1 row)
--| INSERT 0 1
insert into s4.a default values returning *;
--|  twice
--| -------
--|
--| (1 row)
--| INSERT 0 1
drop table s4.a, s4.b;
--| DROP TABLE
create table s4.a (id serial primary key);
--| CREATE TABLE
create table s4.b (id int default nextval('s4.a_id_seq'), n int);
--| CREATE TABLE
drop table s4.a cascade;
--| NOTICE:  drop cascades to default value for column id of table s4.b
--| DROP TABLE
insert into s4.b (n) values (2) returning *;
--|  id | n
--| ----+---
--|     | 2
--| (1 row)
--| INSERT 0 1
-- An identity column's goes only with its column.
create table s4.i (id int generated always as identity);
--| CREATE TABLE
drop sequence s4.i_id_seq;
--| ERROR:  2BP01: cannot drop sequence s4.i_id_seq because column id of table s4.i requires it
--| HINT:  You can drop column id of table s4.i instead.
drop sequence s4.i_id_seq cascade;
--| ERROR:  2BP01: cannot drop sequence s4.i_id_seq because column id of table s4.i requires it
--| HINT:  You can drop column id of table s4.i instead.
-- A view that reads the sequence itself, and one that names a table.
create sequence s4.w;
--| CREATE SEQUENCE
create view s4.x as select last_value from s4.w;
--| CREATE VIEW
drop sequence s4.w;
--| ERROR:  2BP01: cannot drop sequence s4.w because other objects depend on it
--| DETAIL:  view s4.x depends on sequence s4.w
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
create view s4.y as select 's4.b'::regclass::text as name;
--| CREATE VIEW
alter table s4.b rename to bb;
--| ALTER TABLE
select * from s4.y;
--|  name
--| -------
--|  s4.bb
--| (1 row)
drop table s4.bb;
--| ERROR:  2BP01: cannot drop table s4.bb because other objects depend on it
--| DETAIL:  view s4.y depends on table s4.bb
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop table s4.bb cascade;
--| NOTICE:  drop cascades to view s4.y
--| DROP TABLE
-- From another schema's.
create table public.outside (n int default nextval('s4.w'));
--| CREATE TABLE
drop schema s4 cascade;
--| NOTICE:  drop cascades to 4 other objects
--| DETAIL:  drop cascades to table s4.u
--| drop cascades to table s4.i
--| drop cascades to sequence s4.w
--| drop cascades to view s4.x
--| NOTICE:  drop cascades to default value for column n of table outside
--| DROP SCHEMA
insert into outside default values returning *;
--|  n
--| ---
--|
--| (1 row)
--| INSERT 0 1
drop table outside;
--| DROP TABLE
-- Names in text are whatever stands between dots.
create sequence "the_'seq'";
--| CREATE SEQUENCE
create table "the_'table'" (n int default nextval($$the_'seq'$$));
--| CREATE TABLE
insert into "the_'table'" default values returning *;
--|  n
--| ---
--|  1
--| (1 row)
--| INSERT 0 1
select '1a'::regclass;
--| ERROR:  42P01: relation "1a" does not exist
select 'a b'::regclass;
--| ERROR:  42602: invalid name syntax
drop table "the_'table'";
--| DROP TABLE
drop sequence "the_'seq'";
--| DROP SEQUENCE
