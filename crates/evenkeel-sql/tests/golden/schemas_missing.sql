-- Names in a schema that is not there: the schema is what is missing, be the object asked for or not.

create table here (a int, b text);
--| CREATE TABLE
drop view nosuch.v;
--| ERROR:  3F000: schema "nosuch" does not exist
drop table nosuch.t;
--| ERROR:  3F000: schema "nosuch" does not exist
drop index nosuch.i;
--| ERROR:  3F000: schema "nosuch" does not exist
drop sequence nosuch.s;
--| ERROR:  3F000: schema "nosuch" does not exist
drop type nosuch.t;
--| ERROR:  3F000: schema "nosuch" does not exist
drop domain nosuch.d;
--| ERROR:  3F000: schema "nosuch" does not exist
drop collation nosuch.c;
--| ERROR:  3F000: schema "nosuch" does not exist
drop materialized view nosuch.m;
--| ERROR:  3F000: schema "nosuch" does not exist
drop view if exists nosuch.v;
--| NOTICE:  schema "nosuch" does not exist, skipping
--| DROP VIEW
drop table if exists nosuch.t;
--| NOTICE:  schema "nosuch" does not exist, skipping
--| DROP TABLE
drop index if exists nosuch.i;
--| NOTICE:  schema "nosuch" does not exist, skipping
--| DROP INDEX
drop sequence if exists nosuch.s;
--| NOTICE:  schema "nosuch" does not exist, skipping
--| DROP SEQUENCE
drop type if exists nosuch.t;
--| NOTICE:  schema "nosuch" does not exist, skipping
--| DROP TYPE
drop domain if exists nosuch.d;
--| NOTICE:  schema "nosuch" does not exist, skipping
--| DROP DOMAIN
drop collation if exists nosuch.c;
--| NOTICE:  schema "nosuch" does not exist, skipping
--| DROP COLLATION
alter table nosuch.t add a int;
--| ERROR:  3F000: schema "nosuch" does not exist
alter sequence nosuch.s restart;
--| ERROR:  3F000: schema "nosuch" does not exist
alter view nosuch.v rename to x;
--| ERROR:  3F000: schema "nosuch" does not exist
alter index nosuch.i rename to y;
--| ERROR:  3F000: schema "nosuch" does not exist
alter index nosuch.i set (fillfactor = 10);
--| ERROR:  3F000: schema "nosuch" does not exist
alter materialized view nosuch.m rename to x;
--| ERROR:  3F000: schema "nosuch" does not exist
alter type nosuch.t rename to y;
--| ERROR:  3F000: schema "nosuch" does not exist
alter type nosuch.t add value 'x';
--| ERROR:  3F000: schema "nosuch" does not exist
alter type nosuch.t add attribute a int;
--| ERROR:  3F000: schema "nosuch" does not exist
alter type nosuch.t owner to postgres;
--| ERROR:  3F000: schema "nosuch" does not exist
alter domain nosuch.d drop not null;
--| ERROR:  3F000: schema "nosuch" does not exist
alter collation nosuch.c owner to postgres;
--| ERROR:  3F000: schema "nosuch" does not exist
-- With IF EXISTS the relation is, without its schema.
alter table if exists nosuch.t add a int;
--| NOTICE:  relation "t" does not exist, skipping
--| ALTER TABLE
alter table if exists nosuch.t rename to x;
--| NOTICE:  relation "t" does not exist, skipping
--| ALTER TABLE
alter table if exists nosuch.t owner to postgres;
--| NOTICE:  relation "t" does not exist, skipping
--| ALTER TABLE
alter view if exists nosuch.t set schema public;
--| NOTICE:  relation "t" does not exist, skipping
--| ALTER VIEW
alter sequence if exists nosuch.t increment 2;
--| NOTICE:  relation "t" does not exist, skipping
--| ALTER SEQUENCE
alter index if exists nosuch.t set (fillfactor = 10);
--| NOTICE:  relation "t" does not exist, skipping
--| ALTER INDEX
comment on table nosuch.t is 'x';
--| ERROR:  3F000: schema "nosuch" does not exist
comment on column nosuch.t.a is 'x';
--| ERROR:  3F000: schema "nosuch" does not exist
comment on type nosuch.t is 'x';
--| ERROR:  3F000: schema "nosuch" does not exist
comment on constraint c on nosuch.t is 'x';
--| ERROR:  3F000: schema "nosuch" does not exist
truncate nosuch.t;
--| ERROR:  3F000: schema "nosuch" does not exist
create index on nosuch.t (a);
--| ERROR:  3F000: schema "nosuch" does not exist
create index on here (a collate nosuch.c);
--| ERROR:  3F000: schema "nosuch" does not exist
create collation x from nosuch.c;
--| ERROR:  3F000: schema "nosuch" does not exist
create sequence s owned by nosuch.t.a;
--| ERROR:  3F000: schema "nosuch" does not exist
create table x (like nosuch.t);
--| ERROR:  3F000: schema "nosuch" does not exist
create table x (a int, like nosuch);
--| ERROR:  42P01: relation "nosuch" does not exist
create table x (a int references nosuch.t);
--| ERROR:  3F000: schema "nosuch" does not exist
create table x (a text collate nosuch.c);
--| ERROR:  3F000: schema "nosuch" does not exist
create table x (a text default 'x' collate nosuch.c);
--| ERROR:  3F000: schema "nosuch" does not exist
create type x as (a text collate nosuch.c);
--| ERROR:  0A000: COLLATE of an attribute is not supported
alter table here add c nosuch.t;
--| ERROR:  3F000: schema "nosuch" does not exist
alter table here add foreign key (a) references nosuch.t;
--| ERROR:  3F000: schema "nosuch" does not exist
grant select on nosuch.t to public;
--| ERROR:  3F000: schema "nosuch" does not exist
grant usage on type nosuch.t to public;
--| ERROR:  3F000: schema "nosuch" does not exist
analyze nosuch.t;
--| ERROR:  3F000: schema "nosuch" does not exist
vacuum nosuch.t;
--| ERROR:  3F000: schema "nosuch" does not exist
reindex table nosuch.t;
--| ERROR:  3F000: schema "nosuch" does not exist
refresh materialized view nosuch.v;
--| ERROR:  3F000: schema "nosuch" does not exist
copy nosuch.t to stdout;
--| ERROR:  3F000: schema "nosuch" does not exist
lock table nosuch.t;
--| ERROR:  25P01: LOCK TABLE can only be used in transaction blocks
-- The session's own is there once it has something.
drop table pg_temp.x;
--| ERROR:  3F000: schema "pg_temp" does not exist
drop table if exists pg_temp.x;
--| NOTICE:  schema "pg_temp" does not exist, skipping
--| DROP TABLE
alter table pg_temp.x add a int;
--| ERROR:  3F000: schema "pg_temp" does not exist
create temp table own (a int);
--| CREATE TABLE
drop table pg_temp.x;
--| ERROR:  42P01: table "x" does not exist
drop table own;
--| DROP TABLE
select 'nosuch.x'::regtype;
--| ERROR:  3F000: schema "nosuch" does not exist
select format_type('nosuch.x'::regtype, null);
--| ERROR:  3F000: schema "nosuch" does not exist
select to_regtype('nosuch.x'), to_regclass('nosuch.x');
--|  to_regtype | to_regclass
--| ------------+-------------
--|             |
--| (1 row)
select has_type_privilege('nosuch.t', 'usage');
--| ERROR:  3F000: schema "nosuch" does not exist
select has_table_privilege('nosuch.t', 'select');
--| ERROR:  3F000: schema "nosuch" does not exist
select pg_get_serial_sequence('nosuch.t', 'a');
--| ERROR:  3F000: schema "nosuch" does not exist
select b collate nosuch.x from here;
--| ERROR:  3F000: schema "nosuch" does not exist
select nosuch.f();
--| ERROR:  3F000: schema "nosuch" does not exist
select * from nosuch.generate_series(1, 2);
--| ERROR:  3F000: schema "nosuch" does not exist
select * from rows from (nosuch.generate_series(1, 2));
--| ERROR:  3F000: schema "nosuch" does not exist
select 1 operator(nosuch.+) 1;
--| ERROR:  3F000: schema "nosuch" does not exist
-- What looks a name up as it is has it missing.
select * from nosuch.t;
--| ERROR:  42P01: relation "nosuch.t" does not exist
insert into nosuch.t values (1);
--| ERROR:  42P01: relation "nosuch.t" does not exist
select 'nosuch.t'::regclass;
--| ERROR:  42P01: relation "nosuch.t" does not exist
select nextval('nosuch.s');
--| ERROR:  42P01: relation "nosuch.s" does not exist
drop table here;
--| DROP TABLE
