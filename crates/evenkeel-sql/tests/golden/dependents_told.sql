-- What depends on something is told with its schema, if that is not searched.
create schema s;
--| CREATE SCHEMA
create type s.mood as enum ('a');
--| CREATE TYPE
create table s.p (id int primary key, u int);
--| CREATE TABLE
create table s.c (id serial primary key, pid int references s.p, m s.mood);
--| CREATE TABLE
create view s.v as select id, pid as m from s.c;
--| CREATE VIEW
create unique index pu on s.p (u);
--| CREATE INDEX
create table s.f (u int references s.p (u));
--| CREATE TABLE
alter table s.p drop constraint p_pkey;
--| ERROR:  2BP01: cannot drop constraint p_pkey on table s.p because other objects depend on it
--| DETAIL:  constraint c_pid_fkey on table s.c depends on index s.p_pkey
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop index s.pu;
--| ERROR:  2BP01: cannot drop index s.pu because other objects depend on it
--| DETAIL:  constraint f_u_fkey on table s.f depends on index s.pu
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
alter table s.c alter pid type text;
--| ERROR:  0A000: cannot alter type of a column used by a view or rule
--| DETAIL:  rule _RETURN on view s.v depends on column "pid"
drop type s.mood;
--| ERROR:  2BP01: cannot drop type s.mood because other objects depend on it
--| DETAIL:  column m of table s.c depends on type s.mood
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop index s.c_pkey;
--| ERROR:  2BP01: cannot drop index s.c_pkey because constraint c_pkey on table s.c requires it
--| HINT:  You can drop constraint c_pkey on table s.c instead.
alter table s.p drop constraint p_pkey cascade;
--| NOTICE:  drop cascades to constraint c_pid_fkey on table s.c
--| ALTER TABLE
drop index concurrently s.pu cascade;
--| ERROR:  0A000: DROP INDEX CONCURRENTLY does not support CASCADE
drop index s.pu cascade;
--| NOTICE:  drop cascades to constraint f_u_fkey on table s.f
--| DROP INDEX
insert into s.f values (7);
--| INSERT 0 1
select conname from pg_constraint where conrelid = 's.f'::regclass;
--|  conname
--| ---------
--| (0 rows)
create table p (id int primary key);
--| CREATE TABLE
create table c (id int references p);
--| CREATE TABLE
create view v as select id from c;
--| CREATE VIEW
alter table p drop constraint p_pkey;
--| ERROR:  2BP01: cannot drop constraint p_pkey on table p because other objects depend on it
--| DETAIL:  constraint c_id_fkey on table c depends on index p_pkey
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
alter table c alter id type text;
--| ERROR:  0A000: cannot alter type of a column used by a view or rule
--| DETAIL:  rule _RETURN on view v depends on column "id"
drop index p_pkey;
--| ERROR:  2BP01: cannot drop index p_pkey because constraint p_pkey on table p requires it
--| HINT:  You can drop constraint p_pkey on table p instead.
set search_path to s;
--| SET
drop type mood;
--| ERROR:  2BP01: cannot drop type mood because other objects depend on it
--| DETAIL:  column m of table c depends on type mood
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop index public.p_pkey;
--| ERROR:  2BP01: cannot drop index public.p_pkey because constraint p_pkey on table public.p requires it
--| HINT:  You can drop constraint p_pkey on table public.p instead.
