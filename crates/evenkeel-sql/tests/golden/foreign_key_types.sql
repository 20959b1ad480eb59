-- Foreign keys between columns of different types: cascaded values become the referencing column's, domains among them.

create table p8 (id bigint primary key);
--| CREATE TABLE
create table c4 (id int references p8 on update cascade on delete set null);
--| CREATE TABLE
insert into p8 values (1), (2), (3000000000); insert into c4 values (1), (2);
--| INSERT 0 3
--| INSERT 0 2
update p8 set id = 5 where id = 1;
--| UPDATE 1
update p8 set id = 5000000000 where id = 2;
--| ERROR:  22003: integer out of range
insert into c4 values (3);
--| ERROR:  23503: insert or update on table "c4" violates foreign key constraint "c4_id_fkey"
--| DETAIL:  Key (id)=(3) is not present in table "p8".
delete from p8 where id = 5;
--| DELETE 1
select * from c4 order by 1; select * from p8 order by 1;
--|  id
--| ----
--|   2
--|
--| (2 rows)
--|      id
--| ------------
--|           2
--|  3000000000
--| (2 rows)
create table c8 (id bigint references p8 on update cascade); create table p4 (id int primary key); create table c84 (id bigint references p4 on update cascade);
--| CREATE TABLE
--| CREATE TABLE
--| CREATE TABLE
insert into p4 values (1); insert into c84 values (1); update p4 set id = 7; select id, pg_typeof(id) from c84;
--| INSERT 0 1
--| INSERT 0 1
--| UPDATE 1
--|  id | pg_typeof
--| ----+-----------
--|   7 | bigint
--| (1 row)
delete from p4;
--| ERROR:  23503: update or delete on table "p4" violates foreign key constraint "c84_id_fkey" on table "c84"
--| DETAIL:  Key (id)=(7) is still referenced from table "c84".

create domain small as int check (value < 10); create domain needed as int not null;
--| CREATE DOMAIN
--| CREATE DOMAIN
create table pd (id int primary key); insert into pd values (1), (2);
--| CREATE TABLE
--| INSERT 0 2
create table cd (id small references pd on update cascade, e needed references pd on delete set null);
--| CREATE TABLE
insert into cd values (1, 2);
--| INSERT 0 1
update pd set id = 50 where id = 1;
--| ERROR:  23514: value for domain small violates check constraint "small_check"
update pd set id = 9 where id = 1;
--| UPDATE 1
delete from pd where id = 2;
--| ERROR:  23502: domain needed does not allow null values
select * from cd;
--|  id | e
--| ----+---
--|   9 | 2
--| (1 row)
create table pt (id text primary key); create table ct (id varchar(3) references pt on update cascade);
--| CREATE TABLE
--| CREATE TABLE
insert into pt values ('a'); insert into ct values ('a');
--| INSERT 0 1
--| INSERT 0 1
update pt set id = 'abcdef';
--| ERROR:  22001: value too long for type character varying(3)
update pt set id = 'abc'; select * from ct;
--| UPDATE 1
--|  id
--| -----
--|  abc
--| (1 row)
