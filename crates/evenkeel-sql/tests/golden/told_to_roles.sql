-- What a role may not see is not told in errors, and what it may not call is not called for it by defaults and domains.
create role told_role;
--| CREATE ROLE
create schema told;
--| CREATE SCHEMA
grant usage, create on schema told to told_role;
--| GRANT
set role told_role;
--| SET
select pg_reload_conf();
--| ERROR:  42501: permission denied for function pg_reload_conf
create table told.t (i int, a bool default pg_reload_conf());
--| CREATE TABLE
insert into told.t (i) values (1) returning a;
--| ERROR:  42501: permission denied for function pg_reload_conf
insert into told.t values (1, true) returning a;
--|  a
--| ---
--|  t
--| (1 row)
--| INSERT 0 1
insert into told.t (a, i) select true, 2 returning a;
--|  a
--| ---
--|  t
--| (1 row)
--| INSERT 0 1
insert into told.t values (3, default);
--| ERROR:  42501: permission denied for function pg_reload_conf
insert into told.t values (3, true), (4, default);
--| ERROR:  42501: permission denied for function pg_reload_conf
insert into told.t select 5;
--| ERROR:  42501: permission denied for function pg_reload_conf
insert into told.t default values;
--| ERROR:  42501: permission denied for function pg_reload_conf
alter table told.t add column l pg_lsn default pg_create_restore_point('told_by_role');
--| ERROR:  42501: permission denied for function pg_create_restore_point
create domain told.d as bool default pg_reload_conf();
--| CREATE DOMAIN
create table told.u (i int, a told.d);
--| CREATE TABLE
insert into told.u (i) values (1) returning a;
--| ERROR:  42501: permission denied for function pg_reload_conf
select pg_create_physical_replication_slot('of_told_role', true);
--| ERROR:  42501: permission denied to use replication slots
--| DETAIL:  Only roles with the REPLICATION attribute may use replication slots.
reset role;
--| RESET
drop schema told cascade;
--| NOTICE:  drop cascades to 3 other objects
--| DETAIL:  drop cascades to table told.t
--| drop cascades to type told.d
--| drop cascades to table told.u
--| DROP SCHEMA
create schema told;
--| CREATE SCHEMA
grant usage on schema told to told_role;
--| GRANT

-- Rows of which a role reads one column only.
create table told.t (id int, ssn text, note text not null check (note <> 'bad'));
--| CREATE TABLE
insert into told.t values (1, '123-45-6789', 'x');
--| INSERT 0 1
create view told.v as select id, note from told.t where note <> 'bad' with check option;
--| CREATE VIEW
grant update (note) on told.t to told_role;
--| GRANT
grant select, update on told.v to told_role;
--| GRANT
create table told.k (ssn text, n int, constraint told_key unique (ssn, n));
--| CREATE TABLE
insert into told.k values ('123-45-6789', 1), ('123-45-6789', 2);
--| INSERT 0 2
create unique index told_lower on told.k (lower(ssn), n);
--| CREATE INDEX
grant update (n) on told.k to told_role;
--| GRANT
create table told.parent (ssn text, n int, primary key (ssn, n));
--| CREATE TABLE
create table told.child (ssn text, n int, foreign key (ssn, n) references told.parent);
--| CREATE TABLE
insert into told.parent values ('123-45-6789', 1);
--| INSERT 0 1
insert into told.child values ('123-45-6789', 1);
--| INSERT 0 1
grant delete on told.parent to told_role;
--| GRANT
grant update (n) on told.child to told_role;
--| GRANT
set role told_role;
--| SET
select ssn from told.t;
--| ERROR:  42501: permission denied for table t
update told.t set note = 'bad';
--| ERROR:  23514: new row for relation "t" violates check constraint "t_note_check"
--| DETAIL:  Failing row contains (note) = (bad).
update told.t set note = null;
--| ERROR:  23502: null value in column "note" of relation "t" violates not-null constraint
--| DETAIL:  Failing row contains (note) = (null).
update told.v set note = 'bad';
--| ERROR:  23514: new row for relation "t" violates check constraint "t_note_check"
--| DETAIL:  Failing row contains (note) = (bad).
update told.k set n = 0;
--| ERROR:  23505: duplicate key value violates unique constraint "told_key"
delete from told.parent;
--| ERROR:  23503: update or delete on table "parent" violates foreign key constraint "child_ssn_n_fkey" on table "child"
--| DETAIL:  Key is still referenced from table "child".
update told.child set n = 99;
--| ERROR:  23503: insert or update on table "child" violates foreign key constraint "child_ssn_n_fkey"
--| DETAIL:  Key is not present in table "parent".
reset role;
--| RESET
-- Limits and sequences of others stay.
create table told.i (id serial, x int);
--| CREATE TABLE
insert into told.i (x) values (1), (2);
--| INSERT 0 2
grant truncate on told.i to told_role;
--| GRANT
set role told_role;
--| SET
truncate told.i restart identity;
--| ERROR:  42501: must be owner of sequence i_id_seq
set temp_file_limit = -1;
--| ERROR:  42501: permission denied to set parameter "temp_file_limit"
set log_temp_files = 0;
--| ERROR:  42501: permission denied to set parameter "log_temp_files"
select set_config('temp_file_limit', '-1', false);
--| ERROR:  42501: permission denied to set parameter "temp_file_limit"
reset role;
--| RESET
select nextval('told.i_id_seq');
--|  nextval
--| ---------
--|        3
--| (1 row)
-- Who may read them is told.
update told.t set note = 'bad';
--| ERROR:  23514: new row for relation "t" violates check constraint "t_note_check"
--| DETAIL:  Failing row contains (1, 123-45-6789, bad).
update told.k set n = 0;
--| ERROR:  23505: duplicate key value violates unique constraint "told_key"
--| DETAIL:  Key (ssn, n)=(123-45-6789, 0) already exists.
delete from told.parent;
--| ERROR:  23503: update or delete on table "parent" violates foreign key constraint "child_ssn_n_fkey" on table "child"
--| DETAIL:  Key (ssn, n)=(123-45-6789, 1) is still referenced from table "child".
drop schema told cascade;
--| NOTICE:  drop cascades to 6 other objects
--| DETAIL:  drop cascades to table told.t
--| drop cascades to view told.v
--| drop cascades to table told.k
--| drop cascades to table told.parent
--| drop cascades to table told.child
--| drop cascades to table told.i
--| DROP SCHEMA
drop role told_role;
--| DROP ROLE
