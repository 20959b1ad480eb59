-- session_replication_role = replica: rows that are copied from elsewhere are not checked against one another.

create table parent (id int primary key);
--| CREATE TABLE
create table child (id int primary key, parent int references parent on delete cascade);
--| CREATE TABLE
create table later (id int references parent deferrable initially deferred);
--| CREATE TABLE
insert into child values (1, 10);
--| ERROR:  23503: insert or update on table "child" violates foreign key constraint "child_parent_fkey"
--| DETAIL:  Key (parent)=(10) is not present in table "parent".
set session_replication_role = replica;
--| SET
insert into child values (1, 10), (2, 20), (3, 30);
--| INSERT 0 3
insert into later values (99);
--| INSERT 0 1
insert into parent values (10), (20);
--| INSERT 0 2
delete from parent where id = 20;
--| DELETE 1
update parent set id = 11 where id = 10;
--| UPDATE 1
insert into child values (4, 40);
--| INSERT 0 1
set session_replication_role = origin;
--| SET
select * from child order by id;
--|  id | parent
--| ----+--------
--|   1 |     10
--|   2 |     20
--|   3 |     30
--|   4 |     40
--| (4 rows)
insert into child values (5, 20);
--| ERROR:  23503: insert or update on table "child" violates foreign key constraint "child_parent_fkey"
--| DETAIL:  Key (parent)=(20) is not present in table "parent".
update child set parent = 12 where id = 4;
--| ERROR:  23503: insert or update on table "child" violates foreign key constraint "child_parent_fkey"
--| DETAIL:  Key (parent)=(12) is not present in table "parent".
delete from parent where id = 11;
--| DELETE 1
select count(*) from child;
--|  count
--| -------
--|      4
--| (1 row)
-- Other constraints hold.
set session_replication_role = replica;
--| SET
insert into child values (1, 1);
--| ERROR:  23505: duplicate key value violates unique constraint "child_pkey"
--| DETAIL:  Key (id)=(1) already exists.
insert into child values (null, 1);
--| ERROR:  23502: null value in column "id" of relation "child" violates not-null constraint
--| DETAIL:  Failing row contains (null, 1).
reset session_replication_role;
--| RESET
-- A new key is checked against what is there.
alter table child add foreign key (parent) references parent;
--| ERROR:  23503: insert or update on table "child" violates foreign key constraint "child_parent_fkey1"
--| DETAIL:  Key (parent)=(10) is not present in table "parent".
create role ann;
--| CREATE ROLE
set role ann;
--| SET
set session_replication_role = replica;
--| ERROR:  42501: permission denied to set parameter "session_replication_role"
reset role;
--| RESET
drop role ann;
--| DROP ROLE
drop table later, child, parent;
--| DROP TABLE
