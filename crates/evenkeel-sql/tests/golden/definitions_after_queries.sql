-- Definitions that change behind a query of a REPEATABLE READ transaction: they are made for what is there now, and the queries that follow see what the snapshot has and
-- what the transaction itself has written.
create table t (id int primary key, v int not null);
--| CREATE TABLE
insert into t values (1, 10), (2, 20), (3, 30);
--| INSERT 0 3
create table other (id int primary key);
--| CREATE TABLE
insert into other values (1), (2);
--| INSERT 0 2
begin isolation level repeatable read;
--| BEGIN
select count(*) from t;
--|  count
--| -------
--|      3
--| (1 row)
-- session b
insert into t values (4, 40);
--| INSERT 0 1
delete from t where id = 1;
--| DELETE 1
update t set v = 21 where id = 2;
--| UPDATE 1
insert into other values (3);
--| INSERT 0 1
-- session main
-- Nothing is written again: the snapshot's rows stay.
alter table t add column w int;
--| ALTER TABLE
select * from t order by id;
--|  id | v  | w
--| ----+----+---
--|   1 | 10 |
--|   2 | 20 |
--|   3 | 30 |
--| (3 rows)
create index t_v on t (v);
--| CREATE INDEX
explain (costs off) select * from t where v = 21;
--|      QUERY PLAN
--| --------------------
--|  Seq Scan on t
--|    Filter: (v = 21)
--| (2 rows)
set enable_seqscan = off;
--| SET
select * from t where v in (20, 21, 40) order by id;
--|  id | v  | w
--| ----+----+---
--|   2 | 20 |
--| (1 row)
reset enable_seqscan;
--| RESET
-- What has come meanwhile counts where constraints are looked at.
savepoint s;
--| SAVEPOINT
create unique index on t ((v > 25));
--| ERROR:  23505: could not create unique index "t_expr_idx"
--| DETAIL:  Key ((v > 25))=(t) is duplicated.
rollback to s;
--| ROLLBACK
alter table t add check (v < 40);
--| ERROR:  23514: check constraint "t_v_check" of relation "t" is violated by some row
rollback to s;
--| ROLLBACK
alter table t add constraint of_other foreign key (id) references other;
--| ERROR:  23503: insert or update on table "t" violates foreign key constraint "of_other"
--| DETAIL:  Key (id)=(4) is not present in table "other".
rollback to s;
--| ROLLBACK
insert into t values (4, 44);
--| ERROR:  23505: duplicate key value violates unique constraint "t_pkey"
--| DETAIL:  Key (id)=(4) already exists.
rollback to s;
--| ROLLBACK
-- A rewrite takes the newest rows, and they are the transaction's.
alter table t alter column v type text using 'v' || v;
--| ALTER TABLE
select * from t order by id;
--|  id |  v  | w
--| ----+-----+---
--|   2 | v21 |
--|   3 | v30 |
--|   4 | v40 |
--| (3 rows)
savepoint of_rows;
--| SAVEPOINT
update t set w = id;
--| UPDATE 3
select * from t order by id;
--|  id |  v  | w
--| ----+-----+---
--|   2 | v21 | 2
--|   3 | v30 | 3
--|   4 | v40 | 4
--| (3 rows)
rollback to of_rows;
--| ROLLBACK
select * from t order by id;
--|  id |  v  | w
--| ----+-----+---
--|   2 | v21 |
--|   3 | v30 |
--|   4 | v40 |
--| (3 rows)
rollback to s;
--| ROLLBACK
select * from t order by id;
--|  id | v  | w
--| ----+----+---
--|   1 | 10 |
--|   2 | 20 |
--|   3 | 30 |
--| (3 rows)
alter table t add column x int not null default 7;
--| ALTER TABLE
alter table t add column y float8 default random();
--| ALTER TABLE
select id, v, w, x, y is null as no_y from t order by id;
--|  id | v  | w | x | no_y
--| ----+----+---+---+------
--|   2 | 21 |   | 7 | f
--|   3 | 30 |   | 7 | f
--|   4 | 40 |   | 7 | f
--| (3 rows)
select count(*) from t where id = 4;
--|  count
--| -------
--|      1
--| (1 row)
insert into t values (6, 60);
--| INSERT 0 1
update t set v = v + 1 where id = 4;
--| UPDATE 1
commit;
--| COMMIT
select id, v, w, x from t order by id;
--|  id | v  | w | x
--| ----+----+---+---
--|   2 | 21 |   | 7
--|   3 | 30 |   | 7
--|   4 | 41 |   | 7
--|   6 | 60 |   | 7
--| (4 rows)
-- session b
select id, v, w, x from t order by id;
--|  id | v  | w | x
--| ----+----+---+---
--|   2 | 21 |   | 7
--|   3 | 30 |   | 7
--|   4 | 41 |   | 7
--|   6 | 60 |   | 7
--| (4 rows)
-- session main
-- Definitions that somebody else has changed since the snapshot.
begin isolation level repeatable read;
--| BEGIN
select count(*) from t;
--|  count
--| -------
--|      4
--| (1 row)
-- session b
alter table other add column note text;
--| ALTER TABLE
comment on table other is 'by b';
--| COMMENT
create view names as select 1 as one;
--| CREATE VIEW
insert into other values (4, 'four');
--| INSERT 0 1
-- session main
alter table other add column more int;
--| ALTER TABLE
alter table other rename column note to remark;
--| ALTER TABLE
comment on table other is 'by main';
--| COMMENT
grant select on other to public;
--| GRANT
alter view names rename to numbers;
--| ALTER VIEW
select * from other order by id;
--|  id | remark | more
--| ----+--------+------
--|   1 |        |
--|   2 |        |
--|   3 |        |
--| (3 rows)
alter table other alter column id type bigint;
--| ALTER TABLE
select * from other order by id;
--|  id | remark | more
--| ----+--------+------
--|   1 |        |
--|   2 |        |
--|   3 |        |
--|   4 | four   |
--| (4 rows)
truncate other;
--| TRUNCATE TABLE
select * from other;
--|  id | remark | more
--| ----+--------+------
--| (0 rows)
rollback;
--| ROLLBACK
select * from other order by id;
--|  id | note
--| ----+------
--|   1 |
--|   2 |
--|   3 |
--|   4 | four
--| (4 rows)
\d other
-- A failure, and what the snapshot sees behind it.
begin isolation level serializable;
--| ERROR:  42601: syntax error at or near "\"
select count(*) from other;
--|  count
--| -------
--|      4
--| (1 row)
-- session b
insert into other values (5, 'five');
--| INSERT 0 1
-- session main
savepoint s;
--| ERROR:  25P01: SAVEPOINT can only be used in transaction blocks
alter table other add column z int default 1 / 0;
--| ERROR:  22012: division by zero
rollback to s;
--| ERROR:  25P01: ROLLBACK TO SAVEPOINT can only be used in transaction blocks
select * from other order by id;
--|  id | note
--| ----+------
--|   1 |
--|   2 |
--|   3 |
--|   4 | four
--|   5 | five
--| (5 rows)
alter table other add primary key (note);
--| ERROR:  42P16: multiple primary keys for table "other" are not allowed
rollback to s;
--| ERROR:  25P01: ROLLBACK TO SAVEPOINT can only be used in transaction blocks
reindex table other;
--| REINDEX
select * from other where id = 5;
--|  id | note
--| ----+------
--|   5 | five
--| (1 row)
create table copy as select * from other;
--| SELECT 5
create materialized view seen as select * from other;
--| SELECT 5
alter table other drop column note;
--| ERROR:  2BP01: cannot drop column note of table other because other objects depend on it
--| DETAIL:  materialized view seen depends on column note of table other
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
select * from copy order by id;
--|  id | note
--| ----+------
--|   1 |
--|   2 |
--|   3 |
--|   4 | four
--|   5 | five
--| (5 rows)
select * from seen order by id;
--|  id | note
--| ----+------
--|   1 |
--|   2 |
--|   3 |
--|   4 | four
--|   5 | five
--| (5 rows)
select * from other order by id;
--|  id | note
--| ----+------
--|   1 |
--|   2 |
--|   3 |
--|   4 | four
--|   5 | five
--| (5 rows)
update other set id = 6 where id = 5;
--| UPDATE 1
update other set id = 7 where id = 4;
--| UPDATE 1
commit;
--| WARNING:  there is no transaction in progress
--| COMMIT
select * from other order by id;
--|  id | note
--| ----+------
--|   1 |
--|   2 |
--|   3 |
--|   6 | five
--|   7 | four
--| (5 rows)
-- The first statement, and one that waits for nobody: as ever.
begin isolation level repeatable read;
--| BEGIN
alter table other add column last int default 3;
--| ALTER TABLE
-- session b
create table elsewhere (a int);
--| CREATE TABLE
-- session main
select * from other order by id;
--|  id | note | last
--| ----+------+------
--|   1 |      |    3
--|   2 |      |    3
--|   3 |      |    3
--|   6 | five |    3
--|   7 | four |    3
--| (5 rows)
drop table elsewhere;
--| DROP TABLE
commit;
--| COMMIT
