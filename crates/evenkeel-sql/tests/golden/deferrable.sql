-- DEFERRABLE constraints, SET CONSTRAINTS.

create table p (id int primary key, name text);
--| CREATE TABLE
create table c (id int primary key, p int references p deferrable initially deferred);
--| CREATE TABLE
insert into c values (1, 10);
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(10) is not present in table "p".
begin;
--| BEGIN
insert into c values (1, 10);
--| INSERT 0 1
select * from c;
--|  id | p
--| ----+----
--|   1 | 10
--| (1 row)
commit;
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(10) is not present in table "p".
select * from c;
--|  id | p
--| ----+---
--| (0 rows)
begin;
--| BEGIN
insert into c values (1, 10);
--| INSERT 0 1
insert into p values (10, 'ten');
--| INSERT 0 1
commit;
--| COMMIT
select * from c;
--|  id | p
--| ----+----
--|   1 | 10
--| (1 row)
-- The row as it is at the end is what counts.
begin;
--| BEGIN
insert into c values (2, 11);
--| INSERT 0 1
update c set p = 10 where id = 2;
--| UPDATE 1
commit;
--| COMMIT
begin;
--| BEGIN
insert into c values (3, 11);
--| INSERT 0 1
delete from c where id = 3;
--| DELETE 1
commit;
--| COMMIT
begin;
--| BEGIN
update c set p = 12 where id = 2;
--| UPDATE 1
update c set id = 4 where id = 2;
--| UPDATE 1
commit;
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(12) is not present in table "p".
begin;
--| BEGIN
delete from p where id = 10;
--| DELETE 1
insert into p values (10, 'again');
--| INSERT 0 1
commit;
--| COMMIT
begin;
--| BEGIN
delete from p where id = 10;
--| DELETE 1
commit;
--| ERROR:  23503: update or delete on table "p" violates foreign key constraint "c_p_fkey" on table "c"
--| DETAIL:  Key (id)=(10) is still referenced from table "c".
begin;
--| BEGIN
update p set id = 20 where id = 10;
--| UPDATE 1
update c set p = 20;
--| UPDATE 2
commit;
--| COMMIT
select * from c order by id;
--|  id | p
--| ----+----
--|   1 | 20
--|   2 | 20
--| (2 rows)
begin;
--| BEGIN
delete from p;
--| DELETE 1
delete from c;
--| DELETE 2
commit;
--| COMMIT
select count(*) from p;
--|  count
--| -------
--|      0
--| (1 row)
-- SET CONSTRAINTS.
set constraints all deferred;
--| WARNING:  SET CONSTRAINTS can only be used in transaction blocks
--| SET CONSTRAINTS
insert into p values (1, 'one');
--| INSERT 0 1
begin;
--| BEGIN
set constraints all immediate;
--| SET CONSTRAINTS
insert into c values (1, 2);
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(2) is not present in table "p".
rollback;
--| ROLLBACK
begin;
--| BEGIN
insert into c values (1, 2);
--| INSERT 0 1
set constraints c_p_fkey immediate;
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(2) is not present in table "p".
rollback;
--| ROLLBACK
begin;
--| BEGIN
insert into c values (1, 2);
--| INSERT 0 1
savepoint a;
--| SAVEPOINT
set constraints all immediate;
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(2) is not present in table "p".
rollback to a;
--| ROLLBACK
insert into p values (2, 'two');
--| INSERT 0 1
set constraints all immediate;
--| SET CONSTRAINTS
insert into c values (2, 3);
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(3) is not present in table "p".
rollback to a;
--| ROLLBACK
insert into p values (2, 'two');
--| INSERT 0 1
commit;
--| COMMIT
select * from c;
--|  id | p
--| ----+---
--|   1 | 2
--| (1 row)
begin;
--| BEGIN
set constraints nowhere.c_p_fkey deferred;
--| ERROR:  3F000: schema "nowhere" does not exist
rollback;
--| ROLLBACK
begin;
--| BEGIN
set constraints no_such deferred;
--| ERROR:  42704: constraint "no_such" does not exist
rollback;
--| ROLLBACK
begin;
--| BEGIN
set constraints p_pkey deferred;
--| ERROR:  42809: constraint "p_pkey" is not deferrable
rollback;
--| ROLLBACK
begin;
--| BEGIN
set constraints p_pkey immediate;
--| SET CONSTRAINTS
rollback;
--| ROLLBACK
begin;
--| BEGIN
set constraints public.c_p_fkey, c_p_fkey deferred;
--| SET CONSTRAINTS
rollback;
--| ROLLBACK
set constraints c_p_fkey;
--| ERROR:  42601: syntax error at or near ";"
-- Savepoints.
begin;
--| BEGIN
savepoint a;
--| SAVEPOINT
insert into c values (7, 70);
--| INSERT 0 1
rollback to a;
--| ROLLBACK
commit;
--| COMMIT
begin;
--| BEGIN
savepoint a;
--| SAVEPOINT
insert into c values (7, 70);
--| INSERT 0 1
release a;
--| RELEASE
commit;
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(70) is not present in table "p".
begin;
--| BEGIN
insert into c values (7, 70);
--| INSERT 0 1
savepoint a;
--| SAVEPOINT
insert into p values (70, 'seventy');
--| INSERT 0 1
rollback to a;
--| ROLLBACK
commit;
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(70) is not present in table "p".
begin;
--| BEGIN
insert into c values (7, 70);
--| INSERT 0 1
savepoint a;
--| SAVEPOINT
delete from c where id = 7;
--| DELETE 1
release a;
--| RELEASE
commit;
--| COMMIT
-- What waits keeps definitions as they are.
begin;
--| BEGIN
insert into c values (7, 1);
--| INSERT 0 1
alter table c add column x int;
--| ERROR:  55006: cannot ALTER TABLE "c" because it has pending trigger events
rollback;
--| ROLLBACK
begin;
--| BEGIN
insert into c values (7, 1);
--| INSERT 0 1
drop table c;
--| ERROR:  55006: cannot DROP TABLE "c" because it has pending trigger events
rollback;
--| ROLLBACK
begin;
--| BEGIN
insert into c values (7, 1);
--| INSERT 0 1
truncate c;
--| ERROR:  55006: cannot TRUNCATE "c" because it has pending trigger events
rollback;
--| ROLLBACK
begin;
--| BEGIN
insert into c values (7, 1);
--| INSERT 0 1
set constraints all immediate;
--| SET CONSTRAINTS
set constraints all deferred;
--| SET CONSTRAINTS
alter table c add column x int;
--| ALTER TABLE
rollback;
--| ROLLBACK
begin;
--| BEGIN
delete from p where id = 2;
--| DELETE 1
alter table p add column x int;
--| ERROR:  55006: cannot ALTER TABLE "p" because it has pending trigger events
rollback;
--| ROLLBACK
begin;
--| BEGIN
insert into c values (7, 1);
--| INSERT 0 1
set constraints c_p_fkey immediate;
--| SET CONSTRAINTS
alter table c drop constraint c_p_fkey;
--| ALTER TABLE
rollback;
--| ROLLBACK
-- Actions are not put off, RESTRICT neither.
create table d (id int primary key, p int references p on delete cascade deferrable initially deferred);
--| CREATE TABLE
create table r (id int primary key, p int references p on delete restrict deferrable initially deferred);
--| CREATE TABLE
insert into p values (3, 'three'), (4, 'four');
--| INSERT 0 2
insert into d values (1, 3);
--| INSERT 0 1
insert into r values (1, 4);
--| INSERT 0 1
begin;
--| BEGIN
delete from p where id = 3;
--| DELETE 1
select * from d;
--|  id | p
--| ----+---
--| (0 rows)
rollback;
--| ROLLBACK
begin;
--| BEGIN
delete from p where id = 4;
--| ERROR:  23001: update or delete on table "p" violates RESTRICT setting of foreign key constraint "r_p_fkey" on table "r"
--| DETAIL:  Key (id)=(4) is referenced from table "r".
rollback;
--| ROLLBACK
-- DEFERRABLE that begins immediate.
create table i (id int primary key, p int constraint i_p references p deferrable);
--| CREATE TABLE
insert into i values (1, 99);
--| ERROR:  23503: insert or update on table "i" violates foreign key constraint "i_p"
--| DETAIL:  Key (p)=(99) is not present in table "p".
begin;
--| BEGIN
set constraints i_p deferred;
--| SET CONSTRAINTS
insert into i values (1, 99);
--| INSERT 0 1
insert into p values (99, 'n');
--| INSERT 0 1
commit;
--| COMMIT
begin;
--| BEGIN
set constraints all deferred;
--| SET CONSTRAINTS
insert into i values (2, 98);
--| INSERT 0 1
commit;
--| ERROR:  23503: insert or update on table "i" violates foreign key constraint "i_p"
--| DETAIL:  Key (p)=(98) is not present in table "p".
begin;
--| BEGIN
insert into i values (2, 98);
--| ERROR:  23503: insert or update on table "i" violates foreign key constraint "i_p"
--| DETAIL:  Key (p)=(98) is not present in table "p".
rollback;
--| ROLLBACK
-- Its own table.
create table tree (id int primary key, parent int references tree deferrable initially deferred);
--| CREATE TABLE
begin;
--| BEGIN
insert into tree values (1, 2);
--| INSERT 0 1
insert into tree values (2, 3);
--| INSERT 0 1
insert into tree values (3, 1);
--| INSERT 0 1
commit;
--| COMMIT
begin;
--| BEGIN
delete from tree where id = 1;
--| DELETE 1
commit;
--| ERROR:  23503: update or delete on table "tree" violates foreign key constraint "tree_parent_fkey" on table "tree"
--| DETAIL:  Key (id)=(1) is still referenced from table "tree".
delete from tree;
--| DELETE 3
-- MATCH FULL.
create table p2 (a int, b int, primary key (a, b));
--| CREATE TABLE
create table c2 (a int, b int, foreign key (a, b) references p2 match full deferrable initially deferred);
--| CREATE TABLE
begin;
--| BEGIN
insert into c2 values (1, null);
--| INSERT 0 1
commit;
--| ERROR:  23503: insert or update on table "c2" violates foreign key constraint "c2_a_b_fkey"
--| DETAIL:  MATCH FULL does not allow mixing of null and nonnull key values.
begin;
--| BEGIN
insert into c2 values (null, null);
--| INSERT 0 1
commit;
--| COMMIT
-- UNIQUE and PRIMARY KEY.
create table u (id int primary key deferrable, n int, unique (n) deferrable initially deferred);
--| CREATE TABLE
insert into u values (1, 1), (2, 2), (3, 3);
--| INSERT 0 3
update u set id = id + 1;
--| UPDATE 3
select * from u order by id;
--|  id | n
--| ----+---
--|   2 | 1
--|   3 | 2
--|   4 | 3
--| (3 rows)
insert into u values (4, 9);
--| ERROR:  23505: duplicate key value violates unique constraint "u_pkey"
--| DETAIL:  Key (id)=(4) already exists.
insert into u values (9, 1);
--| ERROR:  23505: duplicate key value violates unique constraint "u_n_key"
--| DETAIL:  Key (n)=(1) already exists.
begin;
--| BEGIN
insert into u values (5, 1);
--| INSERT 0 1
select * from u where n = 1 order by id;
--|  id | n
--| ----+---
--|   2 | 1
--|   5 | 1
--| (2 rows)
commit;
--| ERROR:  23505: duplicate key value violates unique constraint "u_n_key"
--| DETAIL:  Key (n)=(1) already exists.
begin;
--| BEGIN
insert into u values (5, 1);
--| INSERT 0 1
update u set n = 5 where id = 5;
--| UPDATE 1
commit;
--| COMMIT
begin;
--| BEGIN
insert into u values (6, 1);
--| INSERT 0 1
set constraints all immediate;
--| ERROR:  23505: duplicate key value violates unique constraint "u_n_key"
--| DETAIL:  Key (n)=(1) already exists.
rollback;
--| ROLLBACK
begin;
--| BEGIN
insert into u values (6, 1);
--| INSERT 0 1
set constraints u_n_key immediate;
--| ERROR:  23505: duplicate key value violates unique constraint "u_n_key"
--| DETAIL:  Key (n)=(1) already exists.
rollback;
--| ROLLBACK
begin;
--| BEGIN
set constraints u_pkey deferred;
--| SET CONSTRAINTS
insert into u values (2, 8);
--| INSERT 0 1
delete from u where n = 8;
--| DELETE 1
commit;
--| COMMIT
begin;
--| BEGIN
set constraints u_pkey deferred;
--| SET CONSTRAINTS
insert into u values (2, 8);
--| INSERT 0 1
commit;
--| ERROR:  23505: duplicate key value violates unique constraint "u_pkey"
--| DETAIL:  Key (id)=(2) already exists.
insert into u values (10, null), (11, null);
--| INSERT 0 2
select * from u order by id;
--|  id | n
--| ----+---
--|   2 | 1
--|   3 | 2
--|   4 | 3
--|   5 | 5
--|  10 |
--|  11 |
--| (6 rows)
insert into u values (2, 2) on conflict (id) do nothing;
--| ERROR:  55000: ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters
insert into u values (2, 2) on conflict do nothing;
--| ERROR:  55000: ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters
insert into u values (2, 2) on conflict on constraint u_pkey do update set n = 1;
--| ERROR:  55000: ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters
create table k (u int references u);
--| ERROR:  55000: cannot use a deferrable primary key for referenced table "u"
create table k (u int references u (n));
--| ERROR:  55000: cannot use a deferrable unique constraint for referenced table "u"
select * from u where id = 2;
--|  id | n
--| ----+---
--|   2 | 1
--| (1 row)
select count(*) from u where id in (2, 3);
--|  count
--| -------
--|      2
--| (1 row)
create table nn (a int, unique nulls not distinct (a) deferrable);
--| CREATE TABLE
insert into nn values (null);
--| INSERT 0 1
insert into nn values (null);
--| ERROR:  23505: duplicate key value violates unique constraint "nn_a_key"
--| DETAIL:  Key (a)=(null) already exists.
alter table nn add column b int;
--| ALTER TABLE
insert into nn values (1, 5), (2, 5), (3, null), (4, null);
--| INSERT 0 4
alter table nn add unique (b) deferrable initially deferred;
--| ERROR:  23505: could not create unique index "nn_b_key"
--| DETAIL:  Key (b)=(5) is duplicated.
update nn set b = 6 where a = 2;
--| UPDATE 1
alter table nn add unique (b) deferrable initially deferred;
--| ALTER TABLE
-- What is written where.
select conname, contype, condeferrable, condeferred, pg_get_constraintdef(oid) from pg_constraint
  where conrelid in ('c'::regclass, 'i'::regclass, 'u'::regclass, 'c2'::regclass) and contype <> 'n' order by 1;
--|    conname   | contype | condeferrable | condeferred |                              pg_get_constraintdef
--| -------------+---------+---------------+-------------+---------------------------------------------------------------------------------
--|  c2_a_b_fkey | f       | t             | t           | FOREIGN KEY (a, b) REFERENCES p2(a, b) MATCH FULL DEFERRABLE INITIALLY DEFERRED
--|  c_p_fkey    | f       | t             | t           | FOREIGN KEY (p) REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED
--|  c_pkey      | p       | f             | f           | PRIMARY KEY (id)
--|  i_p         | f       | t             | f           | FOREIGN KEY (p) REFERENCES p(id) DEFERRABLE
--|  i_pkey      | p       | f             | f           | PRIMARY KEY (id)
--|  u_n_key     | u       | t             | t           | UNIQUE (n) DEFERRABLE INITIALLY DEFERRED
--|  u_pkey      | p       | t             | f           | PRIMARY KEY (id) DEFERRABLE
--| (7 rows)
select indexrelid::regclass, indisunique, indimmediate from pg_index where indrelid = 'u'::regclass order by 1;
--|  indexrelid | indisunique | indimmediate
--| ------------+-------------+--------------
--|  u_pkey     | t           | f
--|  u_n_key    | t           | f
--| (2 rows)
select indexdef from pg_indexes where tablename = 'u' order by 1;
--|                         indexdef
--| ---------------------------------------------------------
--|  CREATE UNIQUE INDEX u_n_key ON public.u USING btree (n)
--|  CREATE UNIQUE INDEX u_pkey ON public.u USING btree (id)
--| (2 rows)
create table bad (id int, foreign key (id) references p not deferrable initially deferred);
--| ERROR:  42601: constraint declared INITIALLY DEFERRED must be DEFERRABLE
create table bad (id int primary key not enforced);
--| ERROR:  42601: misplaced NOT ENFORCED clause
create table bad (id int unique deferrable initially immediate, x int unique initially deferred);
--| CREATE TABLE
select conname, condeferrable, condeferred from pg_constraint where conrelid = 'bad'::regclass order by 1;
--|   conname   | condeferrable | condeferred
--| ------------+---------------+-------------
--|  bad_id_key | t             | f
--|  bad_x_key  | t             | t
--| (2 rows)
alter table c alter constraint c_p_fkey not deferrable;
--| ALTER TABLE
insert into c values (9, 99999);
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(99999) is not present in table "p".
select pg_get_constraintdef(oid) from pg_constraint where conname = 'c_p_fkey';
--|        pg_get_constraintdef
--| ----------------------------------
--|  FOREIGN KEY (p) REFERENCES p(id)
--| (1 row)
alter table c alter constraint c_p_fkey deferrable initially deferred;
--| ALTER TABLE
begin;
--| BEGIN
insert into c values (9, 99999);
--| INSERT 0 1
delete from c where id = 9;
--| DELETE 1
commit;
--| COMMIT
alter table c alter constraint c_p_fkey deferrable;
--| ALTER TABLE
select pg_get_constraintdef(oid) from pg_constraint where conname = 'c_p_fkey';
--|             pg_get_constraintdef
--| ---------------------------------------------
--|  FOREIGN KEY (p) REFERENCES p(id) DEFERRABLE
--| (1 row)
alter table c alter constraint c_pkey deferrable;
--| ERROR:  42809: constraint "c_pkey" of relation "c" is not a foreign key constraint
alter table c alter constraint nope deferrable;
--| ERROR:  42704: constraint "nope" of relation "c" does not exist
-- Implicit transactions of several statements.
begin;
--| BEGIN
insert into c values (9, 99999);
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(99999) is not present in table "p".
rollback;
--| ROLLBACK
