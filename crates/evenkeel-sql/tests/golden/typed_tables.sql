-- CREATE TABLE … OF a composite type.
create type mood as enum ('ok','bad');
--| CREATE TYPE
create type pt as (id int, name varchar(10), m mood, tags text[], n numeric(5,2));
--| CREATE TYPE
create table p1 of pt;
--| CREATE TABLE
create table p2 of pt (id with options primary key, name not null default 'x', unique (name), constraint c check (id > 0));
--| CREATE TABLE
create table if not exists p2 of pt;
--| NOTICE:  relation "p2" already exists, skipping
--| CREATE TABLE
create temp table p3 of public.pt (primary key (id)) on commit delete rows;
--| CREATE TABLE
create table p4 of nope;
--| ERROR:  42704: type "nope" does not exist
create table p4 of mood;
--| ERROR:  42809: type mood is not a composite type
create table p4 of int4;
--| ERROR:  42809: type integer is not a composite type
create table p4 of pt (nope with options not null);
--| ERROR:  42703: column "nope" does not exist
create table p4 of pt (id not null, id default 5);
--| ERROR:  42701: column "id" specified more than once
create table p4 of pt (id int);
--| ERROR:  42601: syntax error at or near "int"
insert into p2 values (1, 'a', 'ok', '{x,y}', 1.25);
--| INSERT 0 1
insert into p2 (id) values (2);
--| INSERT 0 1
insert into p2 (id) values (-2);
--| ERROR:  23514: new row for relation "p2" violates check constraint "c"
--| DETAIL:  Failing row contains (-2, x, null, null, null).
select * from p2;
--|  id | name | m  | tags  |  n
--| ----+------+----+-------+------
--|   1 | a    | ok | {x,y} | 1.25
--|   2 | x    |    |       |
--| (2 rows)
select a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull from pg_attribute a where attrelid = 'p2'::regclass and attnum > 0 order by attnum;
--|  attname |      format_type      | attnotnull
--| ---------+-----------------------+------------
--|  id      | integer               | t
--|  name    | character varying(10) | t
--|  m       | mood                  | f
--|  tags    | text[]                | f
--|  n       | numeric(5,2)          | f
--| (5 rows)
select relname, reloftype::regtype from pg_class where relname in ('p1','p2') order by 1;
--|  relname | reloftype
--| ---------+-----------
--|  p1      | pt
--|  p2      | pt
--| (2 rows)
alter table p1 add column z int;
--| ERROR:  42809: cannot add column to typed table
alter table p1 drop column name;
--| ERROR:  42809: cannot drop column from typed table
alter table p1 rename column name to nom;
--| ERROR:  42809: cannot rename column of typed table
alter table p1 alter column name type text;
--| ERROR:  42809: cannot alter column type of typed table
alter table p1 alter column name set default 'q';
--| ALTER TABLE
alter table p1 alter column id set not null;
--| ALTER TABLE
alter table p1 rename to p1b;
--| ALTER TABLE
alter type pt add attribute q int;
--| ERROR:  2BP01: cannot alter type "pt" because it is the type of a typed table
--| HINT:  Use ALTER ... CASCADE to alter the typed tables too.
alter type pt drop attribute name;
--| ERROR:  2BP01: cannot alter type "pt" because it is the type of a typed table
--| HINT:  Use ALTER ... CASCADE to alter the typed tables too.
drop type pt;
--| ERROR:  2BP01: cannot drop type pt because other objects depend on it
--| DETAIL:  table p1b depends on type pt
--| table p2 depends on type pt
--| table p3 depends on type pt
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
select * from p1b;
--|  id | name | m | tags | n
--| ----+------+---+------+---
--| (0 rows)
drop table p3;
--| DROP TABLE
drop type pt cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to table p1b
--| drop cascades to table p2
--| DROP TYPE
select * from p2;
--| ERROR:  42P01: relation "p2" does not exist
drop type mood;
--| DROP TYPE
create type addr as (street text, n int);
--| CREATE TYPE
create table a1 of addr (street not null);
--| CREATE TABLE
create type addr2 as (a addr);
--| CREATE TYPE
create table a2 of addr2;
--| CREATE TABLE
insert into a2 values (row(row('x', 1))::addr2);
--| ERROR:  42804: column "a" is of type addr but expression is of type addr2
--| HINT:  You will need to rewrite or cast the expression.
insert into a2 values (row('x', 1));
--| INSERT 0 1
select (a).street from a2;
--|  street
--| --------
--|  x
--| (1 row)
drop table a1, a2;
--| DROP TABLE
drop type addr2, addr;
--| DROP TYPE
