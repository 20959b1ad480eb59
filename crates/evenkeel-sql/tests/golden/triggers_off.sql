-- DISABLE TRIGGER ALL: foreign keys of a table, and those that refer to it, are not looked at. Rails' fixtures are loaded so.

create table tp (id int primary key);
--| CREATE TABLE
create table tc (id int, p int references tp on delete cascade);
--| CREATE TABLE
insert into tp values (1), (2);
--| INSERT 0 2
insert into tc values (1, 1);
--| INSERT 0 1
alter table tc disable trigger all;
--| ALTER TABLE
insert into tc values (2, 77);
--| INSERT 0 1
-- The parent's side is on the parent's triggers.
delete from tp where id = 2;
--| DELETE 1
insert into tp values (2);
--| INSERT 0 1
alter table tp disable trigger all;
--| ALTER TABLE
delete from tp where id = 1;
--| DELETE 1
select * from tc order by 1;
--|  id | p
--| ----+----
--|   1 |  1
--|   2 | 77
--| (2 rows)
alter table tc enable trigger all;
--| ALTER TABLE
insert into tc values (3, 78);
--| ERROR:  23503: insert or update on table "tc" violates foreign key constraint "tc_p_fkey"
--| DETAIL:  Key (p)=(78) is not present in table "tp".
alter table tp enable trigger all;
--| ALTER TABLE
insert into tc values (4, 2);
--| INSERT 0 1
delete from tp where id = 2;
--| DELETE 1
select * from tc order by 1;
--|  id | p
--| ----+----
--|   1 |  1
--|   2 | 77
--| (2 rows)
-- Others than those of foreign keys are not there.
alter table tc disable trigger user;
--| ALTER TABLE
insert into tc values (3, 78);
--| ERROR:  23503: insert or update on table "tc" violates foreign key constraint "tc_p_fkey"
--| DETAIL:  Key (p)=(78) is not present in table "tp".
alter table tc disable trigger nope;
--| ERROR:  42704: trigger "nope" for table "tc" does not exist
alter table tc enable trigger "ALL";
--| ERROR:  42704: trigger "ALL" for table "tc" does not exist
alter table tc enable replica trigger nope;
--| ERROR:  42704: trigger "nope" for table "tc" does not exist
alter table tc enable always trigger nope;
--| ERROR:  42704: trigger "nope" for table "tc" does not exist
alter table nope disable trigger all;
--| ERROR:  42P01: relation "nope" does not exist
alter table if exists nope disable trigger all;
--| NOTICE:  relation "nope" does not exist, skipping
--| ALTER TABLE
-- Those of foreign keys are the system's: a table's owner may not.
create role trg_u login;
--| CREATE ROLE
grant all on schema public to trg_u;
--| GRANT
alter table tp owner to trg_u;
--| ALTER TABLE
alter table tc owner to trg_u;
--| ALTER TABLE
set role trg_u;
--| SET
alter table tp disable trigger user;
--| ALTER TABLE
create table tn (a int primary key);
--| CREATE TABLE
alter table tn disable trigger all;
--| ALTER TABLE
reset role;
--| RESET
-- It is undone with its transaction, and other definitions keep it.
alter table tc disable trigger all, add column x int;
--| ALTER TABLE
insert into tc values (4, 78, 1);
--| INSERT 0 1
begin;
--| BEGIN
alter table tc enable trigger all;
--| ALTER TABLE
insert into tc values (5, 78, 1);
--| ERROR:  23503: insert or update on table "tc" violates foreign key constraint "tc_p_fkey"
--| DETAIL:  Key (p)=(78) is not present in table "tp".
rollback;
--| ROLLBACK
alter table tc add column y int, replica identity full;
--| ALTER TABLE
insert into tc values (6, 78, 1);
--| INSERT 0 1
alter table tc enable trigger all;
--| ALTER TABLE
insert into tc values (7, 78, 1);
--| ERROR:  23503: insert or update on table "tc" violates foreign key constraint "tc_p_fkey"
--| DETAIL:  Key (p)=(78) is not present in table "tp".
select id from tc order by 1;
--|  id
--| ----
--|   1
--|   2
--|   4
--|   6
--| (4 rows)
drop table tn;
--| DROP TABLE
alter table tp owner to postgres;
--| ALTER TABLE
alter table tc owner to postgres;
--| ALTER TABLE
revoke all on schema public from trg_u;
--| REVOKE
drop role trg_u;
--| DROP ROLE
drop table tc, tp;
--| DROP TABLE
