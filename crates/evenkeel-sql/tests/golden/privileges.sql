-- Privileges: what GRANT and REVOKE write, and what statements are refused without them.
create role pa login;
--| CREATE ROLE
create role pb login;
--| CREATE ROLE
create role pc login;
--| CREATE ROLE
create role pg1;
--| CREATE ROLE
grant pg1 to pb;
--| GRANT ROLE
create schema ps;
--| CREATE SCHEMA
create table pt (a int primary key, b text, c int);
--| CREATE TABLE
create table ps.u (x int);
--| CREATE TABLE
create table child (p int);
--| CREATE TABLE
create sequence psq;
--| CREATE SEQUENCE
insert into pt values (1, 'x', 2);
--| INSERT 0 1

-- Nothing is granted.
set role pa;
--| SET
select * from pt;
--| ERROR:  42501: permission denied for table pt
select count(*) from pt;
--| ERROR:  42501: permission denied for table pt
insert into pt values (2);
--| ERROR:  42501: permission denied for table pt
update pt set b = 'y';
--| ERROR:  42501: permission denied for table pt
delete from pt;
--| ERROR:  42501: permission denied for table pt
truncate pt;
--| ERROR:  42501: permission denied for table pt
lock table pt in access share mode;
--| ERROR:  25P01: LOCK TABLE can only be used in transaction blocks
select nextval('psq');
--| ERROR:  42501: permission denied for sequence psq
select currval('psq');
--| ERROR:  42501: permission denied for sequence psq
select setval('psq', 5);
--| ERROR:  42501: permission denied for sequence psq
select * from psq;
--| ERROR:  42501: permission denied for sequence psq
select * from ps.u;
--| ERROR:  42501: permission denied for schema ps
create table ps.v (y int);
--| ERROR:  42501: permission denied for schema ps
create table v (y int);
--| ERROR:  42501: permission denied for schema public
create schema mine;
--| ERROR:  42501: permission denied for database b
drop table pt;
--| ERROR:  42501: must be owner of table pt
alter table pt add column d int;
--| ERROR:  42501: must be owner of table pt
create index on pt (b);
--| ERROR:  42501: must be owner of table pt
comment on table pt is 'x';
--| ERROR:  42501: must be owner of table pt
reindex table pt;
--| ERROR:  42501: permission denied for table pt
checkpoint;
--| ERROR:  42501: permission denied to execute CHECKPOINT command
--| DETAIL:  Only roles with privileges of the "pg_checkpoint" role may execute this command.
alter system set work_mem = '4MB';
--| ERROR:  42501: permission denied to set parameter "work_mem"
copy pt to stdout;
--| ERROR:  42501: permission denied for table pt
copy pt from stdin;
--| ERROR:  42501: permission denied for table pt
select rolname from pg_authid;
--| ERROR:  42501: permission denied for table pg_authid
select count(*) > 0 from pg_roles;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select count(*) from pg_shadow;
--| ERROR:  42501: permission denied for view pg_shadow
select pg_reload_conf();
--| ERROR:  42501: permission denied for function pg_reload_conf
explain select * from pt;
--| ERROR:  42501: permission denied for table pt
prepare p1 as select * from pt;
--| PREPARE
execute p1;
--| ERROR:  42501: permission denied for table pt
deallocate p1;
--| DEALLOCATE
grant select on pt to pb;
--| ERROR:  42501: permission denied for table pt
revoke select on pt from pb;
--| ERROR:  42501: permission denied for table pt
alter table pt owner to pa;
--| ERROR:  42501: must be owner of table pt
drop schema ps;
--| ERROR:  42501: must be owner of schema ps
reset role;
--| RESET

-- Tables and columns.
grant select on pt to pa;
--| GRANT
grant insert (a, b), update (b) on pt to pa;
--| GRANT
select relacl from pg_class where relname = 'pt';
--|                    relacl
--| --------------------------------------------
--|  {postgres=arwdDxtm/postgres,pa=r/postgres}
--| (1 row)
select attname, attacl from pg_attribute where attrelid = 'pt'::regclass and attacl is not null order by attnum;
--|  attname |      attacl
--| ---------+------------------
--|  a       | {pa=a/postgres}
--|  b       | {pa=aw/postgres}
--| (2 rows)
set role pa;
--| SET
select * from pt;
--|  a | b | c
--| ---+---+---
--|  1 | x | 2
--| (1 row)
select a from pt for update;
--|  a
--| ---
--|  1
--| (1 row)
insert into pt (a, b) values (2, 'z');
--| INSERT 0 1
insert into pt values (3, 'z');
--| INSERT 0 1
insert into pt values (3, 'z', 4);
--| ERROR:  42501: permission denied for table pt
insert into pt (a) values (3) returning *;
--| ERROR:  23505: duplicate key value violates unique constraint "pt_pkey"
--| DETAIL:  Key (a)=(3) already exists.
insert into pt (a) values (3) on conflict (a) do nothing;
--| INSERT 0 0
insert into pt (a) values (3) on conflict (a) do update set b = excluded.b;
--| INSERT 0 1
insert into pt (a) values (3) on conflict (a) do update set c = 1;
--| ERROR:  42501: permission denied for table pt
update pt set b = 'w' where a = 1;
--| UPDATE 1
update pt set c = 3;
--| ERROR:  42501: permission denied for table pt
update pt set b = c;
--| UPDATE 3
delete from pt where a = 1;
--| ERROR:  42501: permission denied for table pt
reset role;
--| RESET
revoke select on pt from pa;
--| REVOKE
grant select (b) on pt to pa;
--| GRANT
set role pa;
--| SET
select b from pt order by 1;
--|  b
--| ---
--|  2
--|
--|
--| (3 rows)
select a from pt;
--| ERROR:  42501: permission denied for table pt
select count(*) from pt;
--|  count
--| -------
--|      3
--| (1 row)
select * from pt;
--| ERROR:  42501: permission denied for table pt
select pt from pt;
--| ERROR:  42501: permission denied for table pt
select b from pt where a = 1;
--| ERROR:  42501: permission denied for table pt
select p.b from pt p join pt q using (b) limit 1;
--|  b
--| ---
--|  2
--| (1 row)
select p.b from pt p join pt q using (a);
--| ERROR:  42501: permission denied for table pt
select 1 from pt p natural join pt q;
--| ERROR:  42501: permission denied for table pt
update pt set b = 'q' where a = 1;
--| ERROR:  42501: permission denied for table pt
update pt set b = 'q' where b = 'none';
--| UPDATE 0
select (select max(a) from pt);
--| ERROR:  42501: permission denied for table pt
with w as (select b from pt) select count(*) from w;
--|  count
--| -------
--|      3
--| (1 row)
with w as (select a from pt) select count(*) from w;
--| ERROR:  42501: permission denied for table pt
copy pt (b) to stdout;
--| 2
--| \N
--| \N
copy pt (a) to stdout;
--| ERROR:  42501: permission denied for table pt
copy (select a from pt) to stdout;
--| ERROR:  42501: permission denied for table pt
reset role;
--| RESET
revoke all on pt from pa;
--| REVOKE
select relacl from pg_class where relname = 'pt';
--|             relacl
--| ------------------------------
--|  {postgres=arwdDxtm/postgres}
--| (1 row)
select attname, attacl from pg_attribute where attrelid = 'pt'::regclass and attacl is not null order by attnum;
--|  attname | attacl
--| ---------+--------
--| (0 rows)

-- Grant options.
grant select, insert on pt to pa with grant option;
--| GRANT
set role pa;
--| SET
grant select on pt to pb;
--| GRANT
grant select, update on pt to pb;
--| WARNING:  not all privileges were granted for "pt"
--| GRANT
grant update on pt to pb;
--| WARNING:  no privileges were granted for "pt"
--| GRANT
grant all on pt to pc;
--| GRANT
reset role;
--| RESET
select relacl from pg_class where relname = 'pt';
--|                              relacl
--| ----------------------------------------------------------------
--|  {postgres=arwdDxtm/postgres,pa=a*r*/postgres,pb=r/pa,pc=ar/pa}
--| (1 row)
revoke select on pt from pa;
--| ERROR:  2BP01: dependent privileges exist
--| HINT:  Use CASCADE to revoke them too.
revoke select on pt from pa cascade;
--| REVOKE
select relacl from pg_class where relname = 'pt';
--|                        relacl
--| -----------------------------------------------------
--|  {postgres=arwdDxtm/postgres,pa=a*/postgres,pc=a/pa}
--| (1 row)
revoke grant option for insert on pt from pa cascade;
--| REVOKE
select relacl from pg_class where relname = 'pt';
--|                    relacl
--| --------------------------------------------
--|  {postgres=arwdDxtm/postgres,pa=a/postgres}
--| (1 row)
grant select on pt to public with grant option;
--| ERROR:  0LP01: grant options can only be granted to roles
grant select on pt to pa granted by pb;
--| ERROR:  0A000: grantor must be current user
revoke all on pt from pa, pb, pc;
--| REVOKE

-- Memberships and PUBLIC.
grant select on pt to pg1;
--| GRANT
set role pb;
--| SET
select count(*) from pt;
--|  count
--| -------
--|      3
--| (1 row)
reset role;
--| RESET
set role pa;
--| SET
select count(*) from pt;
--| ERROR:  42501: permission denied for table pt
reset role;
--| RESET
grant select on pt to public;
--| GRANT
set role pa;
--| SET
select count(*) from pt;
--|  count
--| -------
--|      3
--| (1 row)
reset role;
--| RESET
revoke select on pt from public;
--| REVOKE
grant pg_read_all_data to pc;
--| GRANT ROLE
set role pc;
--| SET
select count(*) from pt;
--|  count
--| -------
--|      3
--| (1 row)
select count(*) from ps.u;
--|  count
--| -------
--|      0
--| (1 row)
insert into pt values (9);
--| ERROR:  42501: permission denied for table pt
reset role;
--| RESET
revoke pg_read_all_data from pc;
--| REVOKE ROLE

-- Sequences, schemas, types, functions, databases.
grant usage on sequence psq to pa;
--| GRANT
grant select on sequence psq to pb;
--| GRANT
grant select on sequence pt to pb;
--| ERROR:  42809: "pt" is not a sequence
grant usage on table psq to pb;
--| GRANT
grant insert on table psq to pb;
--| WARNING:  sequence "psq" only supports USAGE, SELECT, and UPDATE privileges
--| GRANT
grant usage on pt to pb;
--| ERROR:  0LP01: invalid privilege type USAGE for table
grant nonsense on pt to pb;
--| ERROR:  42601: unrecognized privilege type "nonsense"
grant execute on pt to pb;
--| ERROR:  0LP01: invalid privilege type EXECUTE for relation
select relacl from pg_class where relname = 'psq';
--|                         relacl
--| ------------------------------------------------------
--|  {postgres=rwU/postgres,pa=U/postgres,pb=rU/postgres}
--| (1 row)
set role pa;
--| SET
select nextval('psq');
--|  nextval
--| ---------
--|        1
--| (1 row)
select setval('psq', 5);
--| ERROR:  42501: permission denied for sequence psq
reset role;
--| RESET
grant usage on schema ps to pa;
--| GRANT
grant create on schema ps to pb;
--| GRANT
select nspacl from pg_namespace where nspname = 'ps';
--|                        nspacl
--| ----------------------------------------------------
--|  {postgres=UC/postgres,pa=U/postgres,pb=C/postgres}
--| (1 row)
set role pa;
--| SET
select * from ps.u;
--| ERROR:  42501: permission denied for table u
create table ps.v (y int);
--| ERROR:  42501: permission denied for schema ps
set search_path = ps;
--| SET
select * from u;
--| ERROR:  42501: permission denied for table u
reset search_path;
--| RESET
reset role;
--| RESET
grant usage on type int4 to pa;
--| GRANT
grant usage on type int4[] to pa;
--| ERROR:  42601: syntax error at or near "["
revoke execute on function pg_sleep(double precision) from public;
--| REVOKE
set role pa;
--| SET
select pg_sleep(0);
--| ERROR:  42501: permission denied for function pg_sleep
reset role;
--| RESET
grant execute on function pg_sleep(double precision) to public;
--| GRANT
grant execute on function nosuch(int) to pa;
--| ERROR:  42883: function nosuch(integer) does not exist
grant usage on language sql to pa;
--| GRANT
grant usage on language c to pa;
--| ERROR:  42809: language "c" is not trusted
--| DETAIL:  GRANT and REVOKE are not allowed on untrusted languages, because only superusers can use untrusted languages.
grant select on nosuch to pa;
--| ERROR:  42P01: relation "nosuch" does not exist
grant select on pt to nobody;
--| ERROR:  42704: role "nobody" does not exist
grant select (nosuch) on pt to pa;
--| ERROR:  42703: column "nosuch" of relation "pt" does not exist
grant delete (a) on pt to pa;
--| ERROR:  0LP01: invalid privilege type DELETE for column
grant all (a) on pt to pa;
--| GRANT
select attname, attacl from pg_attribute where attrelid = 'pt'::regclass and attacl is not null order by attnum;
--|  attname |       attacl
--| ---------+--------------------
--|  a       | {pa=arwx/postgres}
--| (1 row)
revoke all on all tables in schema public from pa;
--| REVOKE
grant select on all sequences in schema public to pc;
--| GRANT

-- has_*_privilege.
grant select, update (b) on pt to pa;
--| GRANT
select has_table_privilege('pa', 'pt', 'select'), has_table_privilege('pa', 'pt', 'insert, select'), has_table_privilege('pa', 'pt', 'update'), has_table_privilege('pa', 'pt', 'select with grant option');
--|  has_table_privilege | has_table_privilege | has_table_privilege | has_table_privilege
--| ---------------------+---------------------+---------------------+---------------------
--|  t                   | t                   | f                   | f
--| (1 row)
select has_column_privilege('pa', 'pt', 'b', 'update'), has_column_privilege('pa', 'pt', 'a', 'update'), has_column_privilege('pa', 'pt', 2::int2, 'select'), has_any_column_privilege('pa', 'pt', 'update');
--|  has_column_privilege | has_column_privilege | has_column_privilege | has_any_column_privilege
--| ----------------------+----------------------+----------------------+--------------------------
--|  t                    | f                    | t                    | t
--| (1 row)
select has_schema_privilege('pa', 'ps', 'usage'), has_schema_privilege('pa', 'ps', 'create'), has_schema_privilege('public', 'public', 'usage');
--|  has_schema_privilege | has_schema_privilege | has_schema_privilege
--| ----------------------+----------------------+----------------------
--|  t                    | f                    | t
--| (1 row)
select has_sequence_privilege('pa', 'psq', 'usage'), has_sequence_privilege('pa', 'psq', 'update');
--|  has_sequence_privilege | has_sequence_privilege
--| ------------------------+------------------------
--|  t                      | f
--| (1 row)
select has_type_privilege('pa', 'int4', 'usage'), has_function_privilege('pa', 'pg_reload_conf()', 'execute'), has_language_privilege('pa', 'sql', 'usage');
--|  has_type_privilege | has_function_privilege | has_language_privilege
--| --------------------+------------------------+------------------------
--|  t                  | f                      | t
--| (1 row)
select has_table_privilege('nobody', 'pt', 'select');
--| ERROR:  42704: role "nobody" does not exist
select has_table_privilege('pa', 'nosuch', 'select');
--| ERROR:  42P01: relation "nosuch" does not exist
select has_table_privilege('pa', 'pt', 'nonsense');
--| ERROR:  22023: unrecognized privilege type: "nonsense"
select has_table_privilege('pa', 1, 'select') is null;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select has_table_privilege('postgres', 'pt', 'delete');
--|  has_table_privilege
--| ---------------------
--|  t
--| (1 row)
select pg_has_role('pb', 'pg1', 'usage'), pg_has_role('pb', 'pg1', 'member with admin option'), pg_has_role('pa', 'pg1', 'member');
--|  pg_has_role | pg_has_role | pg_has_role
--| -------------+-------------+-------------
--|  t           | f           | f
--| (1 row)

-- Foreign keys and maintenance.
set role pa;
--| SET
create table public.fk (a int references pt);
--| ERROR:  42501: permission denied for schema public
reset role;
--| RESET
grant create on schema public to pa;
--| GRANT
set role pa;
--| SET
create table fk (a int references pt);
--| ERROR:  42501: permission denied for table pt
reset role;
--| RESET
grant references (a) on pt to pa;
--| GRANT
set role pa;
--| SET
create table fk (a int references pt);
--| CREATE TABLE
create table st (a serial, b int);
--| CREATE TABLE
insert into st (b) values (1);
--| INSERT 0 1
select * from st;
--|  a | b
--| ---+---
--|  1 | 1
--| (1 row)
vacuum pt;
--| WARNING:  permission denied to vacuum "pt", skipping it
--| VACUUM
analyze pt;
--| WARNING:  permission denied to analyze "pt", skipping it
--| ANALYZE
analyze fk;
--| ANALYZE
reset role;
--| RESET
grant insert on st to pb;
--| GRANT
set role pb;
--| SET
insert into st (b) values (2);
--| ERROR:  42501: permission denied for sequence st_a_seq
reset role;
--| RESET
grant usage on st_a_seq to pb;
--| GRANT
set role pb;
--| SET
insert into st (b) values (2);
--| INSERT 0 1
select b from st;
--| ERROR:  42501: permission denied for table st
reset role;
--| RESET

-- Default privileges.
alter default privileges for role pa in schema public grant select on tables to pb;
--| ALTER DEFAULT PRIVILEGES
alter default privileges for role pa grant usage on sequences to pc;
--| ALTER DEFAULT PRIVILEGES
alter default privileges for role pa revoke execute on functions from public;
--| ALTER DEFAULT PRIVILEGES
alter default privileges in schema nosuch grant select on tables to pb;
--| ERROR:  3F000: schema "nosuch" does not exist
alter default privileges in schema public grant usage on schemas to pb;
--| ERROR:  0LP01: cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS
select defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype, defaclacl from pg_default_acl order by 3;
--|  defaclrole | defaclnamespace | defaclobjtype |      defaclacl
--| ------------+-----------------+---------------+---------------------
--|  pa         | -               | S             | {pa=rwU/pa,pc=U/pa}
--|  pa         | -               | f             | {pa=X/pa}
--|  pa         | public          | r             | {pb=r/pa}
--| (3 rows)
set role pa;
--| SET
create table dt (a int);
--| CREATE TABLE
create sequence ds;
--| CREATE SEQUENCE
reset role;
--| RESET
select relname, relacl from pg_class where relname in ('dt', 'ds') order by 1;
--|  relname |          relacl
--| ---------+--------------------------
--|  ds      | {pa=rwU/pa,pc=U/pa}
--|  dt      | {pa=arwdDxtm/pa,pb=r/pa}
--| (2 rows)
drop role pb;
--| ERROR:  2BP01: role "pb" cannot be dropped because some objects depend on it
--| DETAIL:  privileges for schema ps
--| privileges for sequence psq
--| privileges for table st
--| privileges for sequence st_a_seq
--| privileges for table dt
--| privileges for default privileges on new relations belonging to role pa in schema public
alter default privileges for role pa in schema public revoke select on tables from pb;
--| ALTER DEFAULT PRIVILEGES
select count(*) from pg_default_acl where defaclobjtype = 'r';
--|  count
--| -------
--|      0
--| (1 row)
drop owned by pa;
--| DROP OWNED
drop owned by pb, pc;
--| DROP OWNED
drop table pt, child, ps.u;
--| DROP TABLE
drop sequence psq;
--| DROP SEQUENCE
drop schema ps;
--| DROP SCHEMA
drop role pa, pb, pc, pg1;
--| DROP ROLE
create table mt (a int, b int);
--| CREATE TABLE
create table ms (a int);
--| CREATE TABLE
create role mr;
--| CREATE ROLE
grant select on ms to mr;
--| GRANT
grant insert, update, delete on mt to mr;
--| GRANT
set role mr;
--| SET
merge into mt using ms on true when not matched then insert values (1, 2);
--| MERGE 0
merge into mt using ms on true when matched then do nothing;
--| ERROR:  42501: permission denied for table mt
merge into mt using ms on true when matched then update set a = 1 when not matched then do nothing;
--| ERROR:  42501: permission denied for table mt
reset role;
--| RESET
grant select (b) on mt to mr;
--| GRANT
set role mr;
--| SET
merge into mt using ms on true when matched then do nothing;
--| MERGE 0
merge into mt using ms on mt.a = 1 when matched then do nothing;
--| ERROR:  42501: permission denied for table mt
reset role;
--| RESET
drop table mt, ms;
--| DROP TABLE
drop role mr;
--| DROP ROLE
