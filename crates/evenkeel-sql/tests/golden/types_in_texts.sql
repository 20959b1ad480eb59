-- What tables keep as text that names a type goes with it, or keeps it; labels of enums may change in arrays, too.
create type stage as enum ('pending', 'failed');
--| CREATE TYPE
create table x1 (id int, s stage default 'pending', check (s <> 'failed'), t text default 'failed'::stage::text, g text generated always as (case when s = 'pending' then 'a' end) stored, constraint ck check (id::text <> ('failed'::stage)::text));
--| CREATE TABLE
create index i1 on x1 (id) where s = 'pending';
--| CREATE INDEX
create table y1 (id int, g bool generated always as ('pending'::stage < 'failed') stored, a text[] default array['pending'::stage]::text[]);
--| CREATE TABLE
drop type stage;
--| ERROR:  2BP01: cannot drop type stage because other objects depend on it
--| DETAIL:  column s of table x1 depends on type stage
--| default value for column t of table x1 depends on type stage
--| column g of table x1 depends on type stage
--| constraint ck on table x1 depends on type stage
--| column g of table y1 depends on type stage
--| default value for column a of table y1 depends on type stage
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop type stage cascade;
--| NOTICE:  drop cascades to 6 other objects
--| DETAIL:  drop cascades to column s of table x1
--| drop cascades to default value for column t of table x1
--| drop cascades to column g of table x1
--| drop cascades to constraint ck on table x1
--| drop cascades to column g of table y1
--| drop cascades to default value for column a of table y1
--| DROP TYPE
select attname, pg_get_expr(adbin, adrelid) from pg_attribute left join pg_attrdef on attrelid = adrelid and attnum = adnum where attrelid = 'x1'::regclass and attnum > 0 and not attisdropped order by attnum;
--|  attname | pg_get_expr
--| ---------+-------------
--|  id      |
--|  t       |
--| (2 rows)
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'x1'::regclass order by 1;
--|  conname | pg_get_constraintdef
--| ---------+----------------------
--| (0 rows)
select attname, pg_get_expr(adbin, adrelid) from pg_attribute left join pg_attrdef on attrelid = adrelid and attnum = adnum where attrelid = 'y1'::regclass and attnum > 0 and not attisdropped order by attnum;
--|  attname | pg_get_expr
--| ---------+-------------
--|  id      |
--|  a       |
--| (2 rows)
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'y1'::regclass order by 1;
--|  conname | pg_get_constraintdef
--| ---------+----------------------
--| (0 rows)
create domain dm as text check (value <> 'x');
--| CREATE DOMAIN
create table z1 (a text default 'y'::dm, check (a::dm <> 'z'));
--| CREATE TABLE
drop domain dm;
--| ERROR:  2BP01: cannot drop type dm because other objects depend on it
--| DETAIL:  default value for column a of table z1 depends on type dm
--| constraint z1_a_check on table z1 depends on type dm
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop domain dm cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to default value for column a of table z1
--| drop cascades to constraint z1_a_check on table z1
--| DROP DOMAIN
select attname, pg_get_expr(adbin, adrelid) from pg_attribute left join pg_attrdef on attrelid = adrelid and attnum = adnum where attrelid = 'z1'::regclass and attnum > 0 and not attisdropped order by attnum;
--|  attname | pg_get_expr
--| ---------+-------------
--|  a       |
--| (1 row)
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'z1'::regclass order by 1;
--|  conname | pg_get_constraintdef
--| ---------+----------------------
--| (0 rows)
create type comp as (a int, b text);
--| CREATE TYPE
create table w1 (a int, b text default (row(1,'x')::comp).b, check ((row(a,b)::comp).a > 0));
--| CREATE TABLE
drop type comp;
--| ERROR:  2BP01: cannot drop type comp because other objects depend on it
--| DETAIL:  default value for column b of table w1 depends on type comp
--| constraint w1_check on table w1 depends on type comp
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop type comp cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to default value for column b of table w1
--| drop cascades to constraint w1_check on table w1
--| DROP TYPE
select attname, pg_get_expr(adbin, adrelid) from pg_attribute left join pg_attrdef on attrelid = adrelid and attnum = adnum where attrelid = 'w1'::regclass and attnum > 0 and not attisdropped order by attnum;
--|  attname | pg_get_expr
--| ---------+-------------
--|  a       |
--|  b       |
--| (2 rows)
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'w1'::regclass order by 1;
--|  conname | pg_get_constraintdef
--| ---------+----------------------
--| (0 rows)
create type stage as enum ('pending', 'failed');
--| CREATE TYPE
create table s1 (id int, s stage default 'pending');
--| CREATE TABLE
create table s2 (id int, a stage[] default '{pending}');
--| CREATE TABLE
alter table s1 alter s type text;
--| ALTER TABLE
alter table s2 alter a type text[] using a::text[];
--| ALTER TABLE
alter type stage rename value 'pending' to 'waiting';
--| ALTER TYPE
insert into s1 (id) values (1) returning *;
--|  id |    s
--| ----+---------
--|   1 | waiting
--| (1 row)
--| INSERT 0 1
insert into s2 (id) values (2) returning *;
--|  id |     a
--| ----+-----------
--|   2 | {waiting}
--| (1 row)
--| INSERT 0 1
select adrelid::regclass, pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid in ('s1'::regclass, 's2'::regclass) order by 1;
--|  adrelid |     pg_get_expr
--| ---------+----------------------
--|  s1      | 'waiting'::stage
--|  s2      | '{waiting}'::stage[]
--| (2 rows)
drop table s1, s2;
--| DROP TABLE
drop type stage;
--| DROP TYPE
create type stage as enum ('pending', 'failed');
--| CREATE TYPE
create type comp2 as (s stage, n int);
--| CREATE TYPE
create table eb (id int, a stage[], c comp2 default '(pending,1)');
--| CREATE TABLE
create view v1 as select * from eb where a = '{pending}';
--| CREATE VIEW
create view v2 as select * from eb where a[1] = any ('{pending,failed}'::stage[]);
--| CREATE VIEW
create view v3 as select * from eb where a[1] = any ('{pending,failed}');
--| CREATE VIEW
create view v4 as select * from eb where a[1] in ('pending');
--| CREATE VIEW
insert into eb values (1, '{pending}');
--| INSERT 0 1
alter type stage rename value 'pending' to 'waiting';
--| ALTER TYPE
select * from eb;
--|  id |     a     |      c
--| ----+-----------+-------------
--|   1 | {waiting} | (waiting,1)
--| (1 row)
select * from v1;
--|  id |     a     |      c
--| ----+-----------+-------------
--|   1 | {waiting} | (waiting,1)
--| (1 row)
select * from v2;
--|  id |     a     |      c
--| ----+-----------+-------------
--|   1 | {waiting} | (waiting,1)
--| (1 row)
select * from v3;
--|  id |     a     |      c
--| ----+-----------+-------------
--|   1 | {waiting} | (waiting,1)
--| (1 row)
select * from v4;
--|  id |     a     |      c
--| ----+-----------+-------------
--|   1 | {waiting} | (waiting,1)
--| (1 row)
select pg_get_viewdef('v2'), pg_get_viewdef('v3');
--|                    pg_get_viewdef                    |                   pg_get_viewdef
--| -----------------------------------------------------+-----------------------------------------------------
--|   SELECT id,                                        +|  SELECT id,                                        +
--|      a,                                             +|     a,                                             +
--|      c                                              +|     c                                              +
--|     FROM eb                                         +|    FROM eb                                         +
--|    WHERE (a[1] = ANY ('{waiting,failed}'::stage[])); |   WHERE (a[1] = ANY ('{waiting,failed}'::stage[]));
--| (1 row)
