-- ALTER of sequences, schemas and names; COMMENT.

create sequence s1;
--| CREATE SEQUENCE
select nextval('s1'), nextval('s1');
--|  nextval | nextval
--| ---------+---------
--|        1 |       2
--| (1 row)
alter sequence s1 increment by 10 maxvalue 100 start 5;
--| ALTER SEQUENCE
select nextval('s1');
--|  nextval
--| ---------
--|       12
--| (1 row)
alter sequence s1 restart;
--| ALTER SEQUENCE
select nextval('s1'), nextval('s1');
--|  nextval | nextval
--| ---------+---------
--|        5 |      15
--| (1 row)
alter sequence s1 restart with 7;
--| ALTER SEQUENCE
select nextval('s1');
--|  nextval
--| ---------
--|        7
--| (1 row)
alter sequence s1 restart 99;
--| ALTER SEQUENCE
alter sequence s1 restart 101;
--| ERROR:  22023: RESTART value (101) cannot be greater than MAXVALUE (100)
alter sequence s1 minvalue 200 maxvalue 300;
--| ERROR:  22023: START value (5) cannot be less than MINVALUE (200)
alter sequence s1 as smallint no maxvalue cycle cache 5;
--| ALTER SEQUENCE
select seqtypid::regtype, seqstart, seqincrement, seqmax, seqmin, seqcache, seqcycle from pg_sequence where seqrelid = 's1'::regclass;
--|  seqtypid | seqstart | seqincrement | seqmax | seqmin | seqcache | seqcycle
--| ----------+----------+--------------+--------+--------+----------+----------
--|  smallint |        5 |           10 |  32767 |      1 |        5 | t
--| (1 row)
alter sequence s1 as integer;
--| ALTER SEQUENCE
select seqtypid::regtype, seqmax, seqmin from pg_sequence where seqrelid = 's1'::regclass;
--|  seqtypid |   seqmax   | seqmin
--| ----------+------------+--------
--|  integer  | 2147483647 |      1
--| (1 row)
alter sequence s1 as text;
--| ERROR:  22023: sequence type must be smallint, integer, or bigint
alter sequence s1 increment 0;
--| ERROR:  22023: INCREMENT must not be zero
alter sequence nothere restart;
--| ERROR:  42P01: relation "nothere" does not exist
alter sequence if exists nothere restart;
--| NOTICE:  relation "nothere" does not exist, skipping
--| ALTER SEQUENCE
create table at1 (id serial primary key, name text default 'x', n int unique);
--| CREATE TABLE
alter sequence s1 owned by at1.n;
--| ALTER SEQUENCE
alter sequence s1 owned by at1.nothere;
--| ERROR:  42703: column "nothere" of relation "at1" does not exist
alter sequence s1 owned by none;
--| ALTER SEQUENCE
alter table at1 alter column n set default nextval('s1');
--| ALTER TABLE
alter sequence s1 rename to s2;
--| ALTER SEQUENCE
insert into at1 (name) values ('a') returning n;
--|  n
--| ----
--|  99
--| (1 row)
--| INSERT 0 1
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'at1'::regclass order by adnum;
--|            pg_get_expr
--| ---------------------------------
--|  nextval('at1_id_seq'::regclass)
--|  'x'::text
--|  nextval('s2'::regclass)
--| (3 rows)
create schema other;
--| CREATE SCHEMA
create schema other;
--| ERROR:  42P06: schema "other" already exists
alter sequence at1_id_seq set schema other;
--| ERROR:  0A000: cannot move an owned sequence into another schema
--| DETAIL:  Sequence "at1_id_seq" is linked to table "at1".
alter sequence s2 set schema other;
--| ALTER SEQUENCE
alter table at1 set schema other;
--| ALTER TABLE
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'other.at1'::regclass order by adnum;
--|               pg_get_expr
--| ---------------------------------------
--|  nextval('other.at1_id_seq'::regclass)
--|  'x'::text
--|  nextval('other.s2'::regclass)
--| (3 rows)
select column_name, column_default from information_schema.columns where table_name = 'at1' order by 1;
--|  column_name |            column_default
--| -------------+---------------------------------------
--|  id          | nextval('other.at1_id_seq'::regclass)
--|  n           | nextval('other.s2'::regclass)
--|  name        | 'x'::text
--| (3 rows)
insert into other.at1 (name) values ('b') returning id;
--|  id
--| ----
--|   2
--| (1 row)
--| INSERT 0 1
select relname, relnamespace::regnamespace from pg_class where relname ~ '^at1' order by 1;
--|   relname   | relnamespace
--| ------------+--------------
--|  at1        | other
--|  at1_id_seq | other
--|  at1_n_key  | other
--|  at1_pkey   | other
--| (4 rows)
alter schema other rename to pg_other;
--| ERROR:  42939: unacceptable schema name "pg_other"
--| DETAIL:  The prefix "pg_" is reserved for system schemas.
alter schema other rename to public;
--| ERROR:  42P06: schema "public" already exists
alter schema nothere rename to x;
--| ERROR:  3F000: schema "nothere" does not exist
alter schema other rename to second;
--| ALTER SCHEMA
select * from second.at1 order by id;
--|  id | name |  n
--| ----+------+-----
--|   1 | a    |  99
--|   2 | b    | 109
--| (2 rows)
select * from other.at1;
--| ERROR:  42P01: relation "other.at1" does not exist
set search_path = second, public;
--| SET
alter table at1 rename to at2;
--| ALTER TABLE
alter table at2_nothere rename to x;
--| ERROR:  42P01: relation "at2_nothere" does not exist
alter table if exists at2_nothere rename to x;
--| NOTICE:  relation "at2_nothere" does not exist, skipping
--| ALTER TABLE
alter index at1_pkey rename to at2_pkey;
--| ALTER INDEX
alter index at1_nothere rename to x;
--| ERROR:  42P01: relation "at1_nothere" does not exist
alter index at2_pkey rename to at2;
--| ERROR:  42P07: relation "at2" already exists
select conname from pg_constraint where conrelid = 'at2'::regclass and contype in ('p', 'u') order by 1;
--|   conname
--| -----------
--|  at1_n_key
--|  at2_pkey
--| (2 rows)
alter table at2 rename constraint at2_pkey to first_key;
--| ALTER TABLE
alter sequence at2 rename to x;
--| ERROR:  42809: "at2" is not a sequence
alter table s2 rename to s3;
--| ALTER TABLE
create table public.at2 (a int);
--| CREATE TABLE
alter table at2 set schema public;
--| ERROR:  42P07: relation "at2" already exists in schema "public"
alter table at2 set schema nothere;
--| ERROR:  3F000: schema "nothere" does not exist
comment on table at2 is 'a table';
--| COMMENT
comment on column at2.name is 'its name';
--| COMMENT
comment on column at2.nothere is 'x';
--| ERROR:  42703: column "nothere" of relation "at2" does not exist
comment on constraint first_key on at2 is 'the key';
--| COMMENT
comment on constraint nothere on at2 is 'the key';
--| ERROR:  42704: constraint "nothere" for table "at2" does not exist
comment on index first_key is 'the index';
--| COMMENT
comment on sequence at1_id_seq is 'numbers';
--| COMMENT
comment on sequence at2 is 'numbers';
--| ERROR:  42809: "at2" is not a sequence
comment on schema second is 'the second';
--| COMMENT
comment on schema nothere is 'the second';
--| ERROR:  3F000: schema "nothere" does not exist
comment on index nothere is 'x';
--| ERROR:  42P01: relation "nothere" does not exist
select obj_description('at2'::regclass), col_description('at2'::regclass, 2), col_description('at2'::regclass, 1);
--|  obj_description | col_description | col_description
--| -----------------+-----------------+-----------------
--|  a table         | its name        |
--| (1 row)
select obj_description('at2'::regclass, 'pg_class'), obj_description('at2'::regclass, 'pg_namespace'), obj_description('second'::regnamespace, 'pg_namespace');
--|  obj_description | obj_description | obj_description
--| -----------------+-----------------+-----------------
--|  a table         |                 | the second
--| (1 row)
select classoid::regclass, objsubid, description from pg_description where objoid >= 16384 order by description;
--|    classoid    | objsubid | description
--| ---------------+----------+-------------
--|  pg_class      |        0 | a table
--|  pg_class      |        2 | its name
--|  pg_class      |        0 | numbers
--|  pg_class      |        0 | the index
--|  pg_constraint |        0 | the key
--|  pg_namespace  |        0 | the second
--| (6 rows)
alter table at2 drop column name;
--| ALTER TABLE
alter table at2 drop constraint first_key;
--| ALTER TABLE
comment on table at2 is null;
--| COMMENT
select classoid::regclass, objsubid, description from pg_description where objoid >= 16384 order by description;
--|    classoid   | objsubid | description
--| --------------+----------+-------------
--|  pg_class     |        0 | numbers
--|  pg_namespace |        0 | the second
--| (2 rows)
begin;
--| BEGIN
comment on table at2 is 'again';
--| COMMENT
select obj_description('at2'::regclass);
--|  obj_description
--| -----------------
--|  again
--| (1 row)
rollback;
--| ROLLBACK
select obj_description('at2'::regclass);
--|  obj_description
--| -----------------
--|
--| (1 row)
comment on table at2 is '';
--| COMMENT
select obj_description('at2'::regclass);
--|  obj_description
--| -----------------
--|
--| (1 row)
comment on table at2 is 'last';
--| COMMENT
drop table at2;
--| DROP TABLE
drop table public.at2;
--| DROP TABLE
select classoid::regclass, objsubid, description from pg_description where objoid >= 16384 order by description;
--|    classoid   | objsubid | description
--| --------------+----------+-------------
--|  pg_namespace |        0 | the second
--| (1 row)
