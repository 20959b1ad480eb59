-- NOT NULL, CHECK, UNIQUE, PRIMARY KEY, FOREIGN KEY.

create table p (id int primary key, code varchar(5) unique, qty int check (qty >= 0), price numeric(5,2) not null default 1, check (qty < 100 or price > 1));
--| CREATE TABLE
insert into p values (1, 'a', 5);
--| INSERT 0 1
insert into p values (1, 'b', 5);
--| ERROR:  23505: duplicate key value violates unique constraint "p_pkey"
--| DETAIL:  Key (id)=(1) already exists.
insert into p values (2, 'a', 5);
--| ERROR:  23505: duplicate key value violates unique constraint "p_code_key"
--| DETAIL:  Key (code)=(a) already exists.
insert into p values (null, 'b', 5);
--| ERROR:  23502: null value in column "id" of relation "p" violates not-null constraint
--| DETAIL:  Failing row contains (null, b, 5, 1.00).
insert into p values (2, 'b', -1);
--| ERROR:  23514: new row for relation "p" violates check constraint "p_qty_check"
--| DETAIL:  Failing row contains (2, b, -1, 1.00).
insert into p values (2, 'b', 200);
--| ERROR:  23514: new row for relation "p" violates check constraint "p_check"
--| DETAIL:  Failing row contains (2, b, 200, 1.00).
insert into p values (2, 'b', 200, 2);
--| INSERT 0 1
insert into p values (3, 'toolong', 5);
--| ERROR:  22001: value too long for type character varying(5)
insert into p values (3, 'c', 5, null);
--| ERROR:  23502: null value in column "price" of relation "p" violates not-null constraint
--| DETAIL:  Failing row contains (3, c, 5, null).
insert into p values (3, 'c', 5, 12345.6);
--| ERROR:  22003: numeric field overflow
--| DETAIL:  A field with precision 5, scale 2 must round to an absolute value less than 10^3.
insert into p values (3, null, null), (4, null, null);
--| INSERT 0 2
update p set qty = -5 where id = 1;
--| ERROR:  23514: new row for relation "p" violates check constraint "p_qty_check"
--| DETAIL:  Failing row contains (1, a, -5, 1.00).
update p set id = 2 where id = 1;
--| ERROR:  23505: duplicate key value violates unique constraint "p_pkey"
--| DETAIL:  Key (id)=(2) already exists.
update p set price = null where id = 1;
--| ERROR:  23502: null value in column "price" of relation "p" violates not-null constraint
--| DETAIL:  Failing row contains (1, a, 5, null).
select * from p order by id;
--|  id | code | qty | price
--| ----+------+-----+-------
--|   1 | a    |   5 |  1.00
--|   2 | b    | 200 |  2.00
--|   3 |      |     |  1.00
--|   4 |      |     |  1.00
--| (4 rows)

create table f (id int primary key, p_id int references p, q_id int constraint q_fk references p (id) on delete cascade on update cascade, r_id int references p on delete set null);
--| CREATE TABLE
insert into f values (1, 1, 2, 3);
--| INSERT 0 1
insert into f values (2, 77, null, null);
--| ERROR:  23503: insert or update on table "f" violates foreign key constraint "f_p_id_fkey"
--| DETAIL:  Key (p_id)=(77) is not present in table "p".
insert into f values (2, null, null, 77);
--| ERROR:  23503: insert or update on table "f" violates foreign key constraint "f_r_id_fkey"
--| DETAIL:  Key (r_id)=(77) is not present in table "p".
insert into f values (2, null, null, null);
--| INSERT 0 1
update f set p_id = 88 where id = 1;
--| ERROR:  23503: insert or update on table "f" violates foreign key constraint "f_p_id_fkey"
--| DETAIL:  Key (p_id)=(88) is not present in table "p".
delete from p where id = 1;
--| ERROR:  23503: update or delete on table "p" violates foreign key constraint "f_p_id_fkey" on table "f"
--| DETAIL:  Key (id)=(1) is still referenced from table "f".
delete from p where id = 3;
--| DELETE 1
select * from f order by id;
--|  id | p_id | q_id | r_id
--| ----+------+------+------
--|   1 |    1 |    2 |
--|   2 |      |      |
--| (2 rows)
update p set id = 20 where id = 2;
--| UPDATE 1
select * from f order by id;
--|  id | p_id | q_id | r_id
--| ----+------+------+------
--|   1 |    1 |   20 |
--|   2 |      |      |
--| (2 rows)
delete from p where id = 20;
--| DELETE 1
select * from f order by id;
--|  id | p_id | q_id | r_id
--| ----+------+------+------
--|   2 |      |      |
--| (1 row)
update p set id = 10 where id = 1;
--| UPDATE 1
drop table p;
--| ERROR:  2BP01: cannot drop table p because other objects depend on it
--| DETAIL:  constraint f_p_id_fkey on table f depends on table p
--| constraint q_fk on table f depends on table p
--| constraint f_r_id_fkey on table f depends on table p
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
truncate p;
--| ERROR:  0A000: cannot truncate a table referenced in a foreign key constraint
--| DETAIL:  Table "f" references "p".
--| HINT:  Truncate table "f" at the same time, or use TRUNCATE ... CASCADE.
delete from p where id = 4;
--| DELETE 1
create table g (id int references f (p_id));
--| ERROR:  42830: there is no unique constraint matching given keys for referenced table "f"
create table g (id text references f);
--| ERROR:  42804: foreign key constraint "g_id_fkey" cannot be implemented
--| DETAIL:  Key columns "id" of the referencing table and "id" of the referenced table are of incompatible types: text and integer.
create table g (a int, b int references nothere);
--| ERROR:  42P01: relation "nothere" does not exist
create table g (a int, foreign key (a, b) references f);
--| ERROR:  42703: column "b" referenced in foreign key constraint does not exist

-- a row may refer to a row of the same statement
create table tree (id int primary key, parent int references tree on delete cascade);
--| CREATE TABLE
insert into tree values (2, 1), (1, null), (3, 2);
--| INSERT 0 3
insert into tree values (4, 44);
--| ERROR:  23503: insert or update on table "tree" violates foreign key constraint "tree_parent_fkey"
--| DETAIL:  Key (parent)=(44) is not present in table "tree".
delete from tree where id = 1;
--| DELETE 1
select count(*) from tree;
--|  count
--| -------
--|      0
--| (1 row)

-- multi-column keys; MATCH FULL
create table m (a int, b text, primary key (a, b));
--| CREATE TABLE
create table mc (x int, y text, foreign key (x, y) references m (a, b) match full);
--| CREATE TABLE
insert into m values (1, 'one');
--| INSERT 0 1
insert into mc values (1, 'one'), (null, null);
--| INSERT 0 2
insert into mc values (1, null);
--| ERROR:  23503: insert or update on table "mc" violates foreign key constraint "mc_x_y_fkey"
--| DETAIL:  MATCH FULL does not allow mixing of null and nonnull key values.
insert into mc values (1, 'two');
--| ERROR:  23503: insert or update on table "mc" violates foreign key constraint "mc_x_y_fkey"
--| DETAIL:  Key (x, y)=(1, two) is not present in table "m".
create table ms (x int, y text, foreign key (y, x) references m (b, a));
--| CREATE TABLE
insert into ms values (5, null), (1, 'one');
--| INSERT 0 2
insert into ms values (5, 'one');
--| ERROR:  23503: insert or update on table "ms" violates foreign key constraint "ms_y_x_fkey"
--| DETAIL:  Key (y, x)=(one, 5) is not present in table "m".
delete from m;
--| ERROR:  23503: update or delete on table "m" violates foreign key constraint "mc_x_y_fkey" on table "mc"
--| DETAIL:  Key (a, b)=(1, one) is still referenced from table "mc".

-- constraints on tables with rows
create table late (a int, b int);
--| CREATE TABLE
insert into late values (1, 1), (1, 2), (null, 3);
--| INSERT 0 3
alter table late add primary key (b);
--| ALTER TABLE
alter table late add constraint late_a unique (a);
--| ERROR:  23505: could not create unique index "late_a"
--| DETAIL:  Key (a)=(1) is duplicated.
alter table late add check (a > 1);
--| ERROR:  23514: check constraint "late_a_check" of relation "late" is violated by some row
alter table late add constraint pos check (b > 0);
--| ALTER TABLE
alter table late add constraint late_fk foreign key (b) references m (a);
--| ERROR:  42830: there is no unique constraint matching given keys for referenced table "m"
alter table late add constraint late_fk foreign key (a) references late (b);
--| ALTER TABLE
insert into late values (9, 4);
--| ERROR:  23503: insert or update on table "late" violates foreign key constraint "late_fk"
--| DETAIL:  Key (a)=(9) is not present in table "late".
insert into late values (1, 0);
--| ERROR:  23514: new row for relation "late" violates check constraint "pos"
--| DETAIL:  Failing row contains (1, 0).
alter table late alter a set not null;
--| ERROR:  23502: column "a" of relation "late" contains null values
alter table late drop constraint pos;
--| ALTER TABLE
alter table late drop constraint late_pkey;
--| ERROR:  2BP01: cannot drop constraint late_pkey on table late because other objects depend on it
--| DETAIL:  constraint late_fk on table late depends on index late_pkey
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
alter table late drop constraint late_pkey cascade;
--| NOTICE:  drop cascades to constraint late_fk on table late
--| ALTER TABLE
insert into late values (1, 0);
--| INSERT 0 1
select * from late order by b;
--|  a | b
--| ---+---
--|  1 | 0
--|  1 | 1
--|  1 | 2
--|    | 3
--| (4 rows)

-- deletion and insertion of the same key in one transaction
begin;
--| BEGIN
delete from p where id = 10;
--| DELETE 1
insert into p values (10, 'ten', 1);
--| INSERT 0 1
update p set code = 'TEN' where id = 10;
--| UPDATE 1
commit;
--| COMMIT
select id, code from p order by id;
--|  id | code
--| ----+------
--|  10 | TEN
--| (1 row)
create table nn (a int, b int, unique nulls not distinct (a, b));
--| CREATE TABLE
insert into nn values (1, null);
--| INSERT 0 1
insert into nn values (1, null);
--| ERROR:  23505: duplicate key value violates unique constraint "nn_a_b_key"
--| DETAIL:  Key (a, b)=(1, null) already exists.
create table dup (a int primary key, a int);
--| ERROR:  42701: column "a" specified more than once
create table dup (a int primary key, b int primary key);
--| ERROR:  42P16: multiple primary keys for table "dup" are not allowed
