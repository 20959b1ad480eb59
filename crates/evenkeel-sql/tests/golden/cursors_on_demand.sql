-- Cursors are read when they are asked, and see what was there when they were declared.
create table t (id int primary key, v int);
--| CREATE TABLE
insert into t select g, 0 from generate_series(1, 1000) g;
--| INSERT 0 1000
create table other (id int primary key, v int);
--| CREATE TABLE
insert into other select g, g from generate_series(1, 1000) g;
--| INSERT 0 1000
create sequence s;
--| CREATE SEQUENCE
begin;
--| BEGIN
declare c no scroll cursor for select nextval('s'), t.id from t join other using (id) order by t.id;
--| DECLARE CURSOR
fetch 1 from c;
--|  nextval | id
--| ---------+----
--|        1 |  1
--| (1 row)
select 1;
--|  ?column?
--| ----------
--|         1
--| (1 row)
select last_value < 1001 from s;
--|  ?column?
--| ----------
--|  t
--| (1 row)
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c no scroll cursor for select nextval('s') > 0, t.id from t join other using (id);
--| DECLARE CURSOR
fetch 1 from c;
--|  ?column? | id
--| ----------+----
--|  t        |  1
--| (1 row)
select last_value <= 1001 from s;
--|  ?column?
--| ----------
--|  t
--| (1 row)
fetch 2 from c;
--|  ?column? | id
--| ----------+----
--|  t        |  2
--|  t        |  3
--| (2 rows)
commit;
--| COMMIT
begin;
--| BEGIN
declare c no scroll cursor for select 1 / (3 - t.id) from t where id > 0 and exists (select 1 from other o where o.id = t.id + 1);
--| DECLARE CURSOR
fetch 1 from c;
--|  ?column?
--| ----------
--|         0
--| (1 row)
select 1;
--|  ?column?
--| ----------
--|         1
--| (1 row)
fetch 1 from c;
--|  ?column?
--| ----------
--|         1
--| (1 row)
fetch 1 from c;
--| ERROR:  22012: division by zero
rollback;
--| ROLLBACK
-- By an index, by a join that looks up, with a subquery for each row: what was changed since is not seen.
set enable_seqscan = off;
--| SET
set enable_hashjoin = off;
--| SET
set enable_mergejoin = off;
--| SET
begin;
--| BEGIN
declare a cursor for select t.id, t.v, other.v from t join other on other.id = t.id where t.id between 5 and 9 order by t.id;
--| DECLARE CURSOR
declare b no scroll cursor for select id, (select v from other o where o.id = t.id) from t where id between 5 and 9;
--| DECLARE CURSOR
fetch 1 from a;
--|  id | v | v
--| ----+---+---
--|   5 | 0 | 5
--| (1 row)
fetch 1 from b;
--|  id | v
--| ----+---
--|   5 | 5
--| (1 row)
update other set v = -1 where id in (6, 7);
--| UPDATE 2
update t set v = -1 where id in (6, 8);
--| UPDATE 2
delete from t where id = 7;
--| DELETE 1
insert into other values (5000, 0);
--| INSERT 0 1
fetch 2 from a;
--|  id | v | v
--| ----+---+---
--|   6 | 0 | 6
--|   7 | 0 | 7
--| (2 rows)
fetch 2 from b;
--|  id | v
--| ----+---
--|   6 | 6
--|   7 | 7
--| (2 rows)
savepoint p;
--| SAVEPOINT
delete from other;
--| DELETE 1001
fetch 1 from a;
--|  id | v | v
--| ----+---+---
--|   8 | 0 | 8
--| (1 row)
rollback to p;
--| ROLLBACK
fetch all from a;
--|  id | v | v
--| ----+---+---
--|   9 | 0 | 9
--| (1 row)
fetch all from b;
--|  id | v
--| ----+---
--|   8 | 8
--|   9 | 9
--| (2 rows)
move backward all in a;
--| ERROR:  55000: cursor can only scan forward
--| HINT:  Declare it with SCROLL option to enable backward scan.
fetch all from a;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
select id, v from t where id between 5 and 9 order by id;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
rollback;
--| ROLLBACK
reset all;
--| RESET
-- FOR UPDATE: a row is locked when it is fetched. One that the transaction itself has changed since is passed over.
begin;
--| BEGIN
declare c cursor for select id, v from t where id < 8 order by id for update;
--| DECLARE CURSOR
fetch 1 from c;
--|  id | v
--| ----+---
--|   1 | 0
--| (1 row)
update t set v = 9 where current of c;
--| UPDATE 1
update t set v = 2 where id = 3;
--| UPDATE 1
delete from t where id = 4;
--| DELETE 1
fetch 2 from c;
--|  id | v
--| ----+---
--|   2 | 0
--|   5 | 0
--| (2 rows)
update t set v = v + 1 where current of c returning *;
--|  id | v
--| ----+---
--|   5 | 1
--| (1 row)
--| UPDATE 1
fetch all from c;
--|  id | v
--| ----+---
--|   6 | 0
--|   7 | 0
--| (2 rows)
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c cursor for select id, v from t where id < 8 for update;
--| DECLARE CURSOR
fetch 1 from c;
--|  id | v
--| ----+---
--|   1 | 0
--| (1 row)
update t set v = 2 where id = 3;
--| UPDATE 1
fetch all from c;
--|  id | v
--| ----+---
--|   2 | 0
--|   4 | 0
--|   5 | 0
--|   6 | 0
--|   7 | 0
--| (5 rows)
rollback;
--| ROLLBACK
-- Definitions change: the rest is what it was.
begin;
--| BEGIN
declare c cursor for select other.id, t.v from other join t using (id) where other.id < 5 order by 1;
--| DECLARE CURSOR
fetch 1 from c;
--|  id | v
--| ----+---
--|   1 | 0
--| (1 row)
create table u (a int);
--| CREATE TABLE
alter table u add b int;
--| ALTER TABLE
update t set v = 77;
--| UPDATE 1000
fetch all from c;
--|  id | v
--| ----+---
--|   2 | 0
--|   3 | 0
--|   4 | 0
--| (3 rows)
commit;
--| COMMIT
-- Held beyond the transaction.
begin;
--| BEGIN
declare h cursor with hold for select t.id, t.v, other.v from t join other using (id) where id < 4 order by id;
--| DECLARE CURSOR
fetch 1 from h;
--|  id | v  | v
--| ----+----+---
--|   1 | 77 | 1
--| (1 row)
update other set v = 0;
--| UPDATE 1000
commit;
--| COMMIT
fetch all from h;
--|  id | v  | v
--| ----+----+---
--|   2 | 77 | 2
--|   3 | 77 | 3
--| (2 rows)
close h;
--| CLOSE CURSOR
drop table t, other, u;
--| DROP TABLE
drop sequence s;
--| DROP SEQUENCE
