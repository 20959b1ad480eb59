-- Keys that are to be unique only in the end keep nobody from changing the table as long as they are unique.
create table dua (id int primary key, u int unique deferrable initially deferred, v int);
--| CREATE TABLE
begin;
--| BEGIN
insert into dua values (1, 1, 1), (2, 2, 2);
--| INSERT 0 2
create index dua_v on dua (v);
--| CREATE INDEX
alter table dua add column w int;
--| ALTER TABLE
commit;
--| COMMIT
begin;
--| BEGIN
update dua set u = 50 where id = 1;
--| UPDATE 1
alter table dua alter column v set not null;
--| ALTER TABLE
truncate dua;
--| TRUNCATE TABLE
insert into dua values (1, 1, 1), (3, 3, 3);
--| INSERT 0 2
drop table dua;
--| DROP TABLE
rollback;
--| ROLLBACK
begin;
--| BEGIN
insert into dua values (4, 2, 1);
--| INSERT 0 1
savepoint s;
--| SAVEPOINT
alter table dua add column x int;
--| ERROR:  55006: cannot ALTER TABLE "dua" because it has pending trigger events
rollback to s;
--| ROLLBACK
update dua set u = 4 where id = 4;
--| UPDATE 1
commit;
--| COMMIT
begin;
--| BEGIN
insert into dua values (5, 5, 5);
--| INSERT 0 1
alter table dua add column x int;
--| ALTER TABLE
insert into dua values (6, 5, 6);
--| INSERT 0 1
commit;
--| ERROR:  23505: duplicate key value violates unique constraint "dua_u_key"
--| DETAIL:  Key (u)=(5) already exists.
begin;
--| BEGIN
insert into dua values (5, 5, 5);
--| INSERT 0 1
savepoint s;
--| SAVEPOINT
alter table dua add column x int;
--| ALTER TABLE
rollback to s;
--| ROLLBACK
insert into dua values (6, 5, 6);
--| INSERT 0 1
commit;
--| ERROR:  23505: duplicate key value violates unique constraint "dua_u_key"
--| DETAIL:  Key (u)=(5) already exists.
select * from dua order by id;
--|  id | u | v | w
--| ----+---+---+---
--|   1 | 1 | 1 |
--|   2 | 2 | 2 |
--|   4 | 4 | 1 |
--| (3 rows)
drop table dua;
--| DROP TABLE
