-- Transactions: blocks, failure, savepoints, isolation, definitions in transactions.

create table t (id int primary key, v int);
--| CREATE TABLE
begin;
--| BEGIN
insert into t values (1, 1);
--| INSERT 0 1
select count(*) from t;
--|  count
--| -------
--|      1
--| (1 row)
rollback;
--| ROLLBACK
select count(*) from t;
--|  count
--| -------
--|      0
--| (1 row)
begin;
--| BEGIN
insert into t values (1, 1);
--| INSERT 0 1
commit;
--| COMMIT
begin;
--| BEGIN
insert into t values (2, 2);
--| INSERT 0 1
insert into t values (1, 1);
--| ERROR:  23505: duplicate key value violates unique constraint "t_pkey"
--| DETAIL:  Key (id)=(1) already exists.
select 1;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
commit;
--| ROLLBACK
select * from t;
--|  id | v
--| ----+---
--|   1 | 1
--| (1 row)
commit;
--| WARNING:  there is no transaction in progress
--| COMMIT
rollback;
--| WARNING:  there is no transaction in progress
--| ROLLBACK
begin;
--| BEGIN
begin;
--| WARNING:  there is already a transaction in progress
--| BEGIN
end;
--| COMMIT
start transaction isolation level repeatable read, read only;
--| START TRANSACTION
show transaction_isolation;
--|  transaction_isolation
--| -----------------------
--|  repeatable read
--| (1 row)
insert into t values (5, 5);
--| ERROR:  25006: cannot execute INSERT in a read-only transaction
abort;
--| ROLLBACK
begin;
--| BEGIN
savepoint a;
--| SAVEPOINT
insert into t values (2, 2);
--| INSERT 0 1
savepoint b;
--| SAVEPOINT
insert into t values (3, 3);
--| INSERT 0 1
rollback to b;
--| ROLLBACK
insert into t values (1, 0);
--| ERROR:  23505: duplicate key value violates unique constraint "t_pkey"
--| DETAIL:  Key (id)=(1) already exists.
rollback to savepoint b;
--| ROLLBACK
release b;
--| RELEASE
insert into t values (4, 4);
--| INSERT 0 1
rollback to nope;
--| ERROR:  3B001: savepoint "nope" does not exist
rollback to a;
--| ROLLBACK
insert into t values (6, 6);
--| INSERT 0 1
commit;
--| COMMIT
select * from t order by id;
--|  id | v
--| ----+---
--|   1 | 1
--|   6 | 6
--| (2 rows)
savepoint x;
--| ERROR:  25P01: SAVEPOINT can only be used in transaction blocks
release x;
--| ERROR:  25P01: RELEASE SAVEPOINT can only be used in transaction blocks
begin;
--| BEGIN
update t set v = 10 where id = 1;
--| UPDATE 1
savepoint s1;
--| SAVEPOINT
update t set v = 20 where id = 1;
--| UPDATE 1
savepoint s1;
--| SAVEPOINT
update t set v = 30 where id = 1;
--| UPDATE 1
rollback to s1;
--| ROLLBACK
select v from t where id = 1;
--|  v
--| ----
--|  20
--| (1 row)
release s1;
--| RELEASE
rollback to s1;
--| ROLLBACK
select v from t where id = 1;
--|  v
--| ----
--|  10
--| (1 row)
commit;
--| COMMIT
select v from t where id = 1;
--|  v
--| ----
--|  10
--| (1 row)
begin; insert into t values (50, 50); commit and chain;
--| BEGIN
--| INSERT 0 1
--| COMMIT
insert into t values (51, 51);
--| INSERT 0 1
rollback and no chain;
--| ROLLBACK
select id from t where id >= 50;
--|  id
--| ----
--|  50
--| (1 row)

-- several statements of one string are one transaction
insert into t values (60, 60); insert into t values (1, 1); select 1;
--| ERROR:  23505: duplicate key value violates unique constraint "t_pkey"
--| DETAIL:  Key (id)=(1) already exists.
select count(*) from t where id = 60;
--|  count
--| -------
--|      0
--| (1 row)
insert into t values (61, 61); select count(*) from t where id = 61;
--| INSERT 0 1
--|  count
--| -------
--|      1
--| (1 row)

-- definitions roll back
begin;
--| BEGIN
create table d (a int primary key);
--| CREATE TABLE
insert into d values (1);
--| INSERT 0 1
alter table t add column w int default 7;
--| ALTER TABLE
create index t_v on t (v);
--| CREATE INDEX
select * from t order by id limit 1;
--|  id | v  | w
--| ----+----+---
--|   1 | 10 | 7
--| (1 row)
drop table t;
--| DROP TABLE
select * from t;
--| ERROR:  42P01: relation "t" does not exist
rollback;
--| ROLLBACK
select * from d;
--| ERROR:  42P01: relation "d" does not exist
select * from t order by id limit 1;
--|  id | v
--| ----+----
--|   1 | 10
--| (1 row)
begin;
--| BEGIN
truncate t;
--| TRUNCATE TABLE
select count(*) from t;
--|  count
--| -------
--|      0
--| (1 row)
insert into t values (70, 70);
--| INSERT 0 1
rollback;
--| ROLLBACK
select count(*) from t;
--|  count
--| -------
--|      4
--| (1 row)
begin;
--| BEGIN
create table s (a int);
--| CREATE TABLE
savepoint x;
--| SAVEPOINT
create table s2 (a int);
--| CREATE TABLE
drop table s;
--| DROP TABLE
rollback to x;
--| ROLLBACK
insert into s values (1);
--| INSERT 0 1
select * from s2;
--| ERROR:  42P01: relation "s2" does not exist
rollback;
--| ROLLBACK

-- others see definitions after the commit
begin;
--| BEGIN
create table shared (a int);
--| CREATE TABLE
insert into shared values (1);
--| INSERT 0 1
-- session other
select * from shared;
--| ERROR:  42P01: relation "shared" does not exist
-- session main
commit;
--| COMMIT
-- session other
select * from shared;
--|  a
--| ---
--|  1
--| (1 row)
begin isolation level repeatable read;
--| BEGIN
select count(*) from shared;
--|  count
--| -------
--|      1
--| (1 row)
-- session main
insert into shared values (2);
--| INSERT 0 1
-- session other
select count(*) from shared;
--|  count
--| -------
--|      1
--| (1 row)
update shared set a = 5 where a = 1;
--| UPDATE 1
rollback;
--| ROLLBACK
select count(*) from shared;
--|  count
--| -------
--|      2
--| (1 row)
begin isolation level repeatable read;
--| BEGIN
select count(*) from shared;
--|  count
--| -------
--|      2
--| (1 row)
-- session main
update shared set a = 10 where a = 1;
--| UPDATE 1
-- session other
update shared set a = 11 where a = 1;
--| ERROR:  40001: could not serialize access due to concurrent update
select 1;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
rollback;
--| ROLLBACK
begin;
--| BEGIN
select a from shared order by a;
--|  a
--| ----
--|   2
--|  10
--| (2 rows)
-- session main
delete from shared where a = 10;
--| DELETE 1
-- session other
select a from shared order by a;
--|  a
--| ---
--|  2
--| (1 row)
commit;
--| COMMIT
vacuum shared;
--| VACUUM
begin;
--| BEGIN
vacuum shared;
--| ERROR:  25001: VACUUM cannot run inside a transaction block
rollback;
--| ROLLBACK
begin read only;
--| BEGIN
update shared set a = 1;
--| ERROR:  25006: cannot execute UPDATE in a read-only transaction
rollback;
--| ROLLBACK
begin read only;
--| BEGIN
create table no (a int);
--| ERROR:  25006: cannot execute CREATE TABLE in a read-only transaction
rollback;
--| ROLLBACK
begin;
--| BEGIN
set transaction isolation level serializable;
--| SET
show transaction_isolation;
--|  transaction_isolation
--| -----------------------
--|  serializable
--| (1 row)
select 1;
--|  ?column?
--| ----------
--|         1
--| (1 row)
set transaction isolation level read committed;
--| ERROR:  25001: SET TRANSACTION ISOLATION LEVEL must be called before any query
rollback;
--| ROLLBACK
set transaction isolation level serializable;
--| WARNING:  SET TRANSACTION can only be used in transaction blocks
--| SET
show transaction_isolation;
--|  transaction_isolation
--| -----------------------
--|  read committed
--| (1 row)
set session characteristics as transaction isolation level repeatable read;
--| SET
begin;
--| BEGIN
show transaction_isolation;
--|  transaction_isolation
--| -----------------------
--|  repeatable read
--| (1 row)
commit;
--| COMMIT
set default_transaction_isolation = 'bogus';
--| ERROR:  22023: invalid value for parameter "default_transaction_isolation": "bogus"
--| HINT:  Available values: serializable, repeatable read, read committed, read uncommitted.
prepare transaction 'x';
--| ERROR:  0A000: PREPARE TRANSACTION is not supported
lock table t;
--| ERROR:  25P01: LOCK TABLE can only be used in transaction blocks
begin;
--| BEGIN
lock table t in share mode;
--| LOCK TABLE
lock t in bogus mode;
--| ERROR:  42601: syntax error at or near "bogus"
rollback;
--| ROLLBACK
-- DEFERRABLE, and what begins with the defaults.
begin transaction read only deferrable;
--| BEGIN
show transaction_deferrable;
--|  transaction_deferrable
--| ------------------------
--|  on
--| (1 row)
select current_setting('transaction_deferrable');
--|  current_setting
--| -----------------
--|  on
--| (1 row)
set transaction not deferrable;
--| ERROR:  25001: SET TRANSACTION [NOT] DEFERRABLE must be called before any query
rollback;
--| ROLLBACK
begin;
--| BEGIN
set transaction deferrable;
--| SET
show transaction_deferrable;
--|  transaction_deferrable
--| ------------------------
--|  on
--| (1 row)
select 1;
--|  ?column?
--| ----------
--|         1
--| (1 row)
set transaction not deferrable;
--| ERROR:  25001: SET TRANSACTION [NOT] DEFERRABLE must be called before any query
rollback;
--| ROLLBACK
begin;
--| BEGIN
set transaction_deferrable = on;
--| SET
show transaction_deferrable;
--|  transaction_deferrable
--| ------------------------
--|  on
--| (1 row)
set transaction_deferrable = maybe;
--| ERROR:  22023: parameter "transaction_deferrable" requires a Boolean value
rollback;
--| ROLLBACK
begin;
--| BEGIN
savepoint a;
--| SAVEPOINT
set transaction deferrable;
--| ERROR:  25001: SET TRANSACTION [NOT] DEFERRABLE cannot be called within a subtransaction
rollback;
--| ROLLBACK
begin deferrable;
--| BEGIN
commit and chain;
--| COMMIT
show transaction_deferrable;
--|  transaction_deferrable
--| ------------------------
--|  on
--| (1 row)
commit;
--| COMMIT
set session characteristics as transaction read only, deferrable;
--| SET
show transaction_deferrable;
--|  transaction_deferrable
--| ------------------------
--|  on
--| (1 row)
show transaction_read_only;
--|  transaction_read_only
--| -----------------------
--|  on
--| (1 row)
show default_transaction_deferrable;
--|  default_transaction_deferrable
--| --------------------------------
--|  on
--| (1 row)
begin;
--| BEGIN
show transaction_deferrable;
--|  transaction_deferrable
--| ------------------------
--|  on
--| (1 row)
show transaction_read_only;
--|  transaction_read_only
--| -----------------------
--|  on
--| (1 row)
commit;
--| COMMIT
set session characteristics as transaction read write, not deferrable;
--| SET
show transaction_read_only;
--|  transaction_read_only
--| -----------------------
--|  off
--| (1 row)
-- set_config() of a transaction's modes is SET of them; they are not reset
create table moded (a int);
--| CREATE TABLE
begin;
--| BEGIN
select set_config('transaction_read_only', 'on', true);
--|  set_config
--| ------------
--|  on
--| (1 row)
show transaction_read_only;
--|  transaction_read_only
--| -----------------------
--|  on
--| (1 row)
insert into moded values (1);
--| ERROR:  25006: cannot execute INSERT in a read-only transaction
rollback;
--| ROLLBACK
begin;
--| BEGIN
select set_config('transaction_isolation', 'repeatable read', true);
--|    set_config
--| -----------------
--|  repeatable read
--| (1 row)
rollback;
--| ROLLBACK
begin read only;
--| BEGIN
select set_config('transaction_read_only', 'off', true);
--| ERROR:  25001: transaction read-write mode must be set before any query
rollback;
--| ROLLBACK
begin;
--| BEGIN
select set_config('transaction_deferrable', 'on', false);
--| ERROR:  25001: SET TRANSACTION [NOT] DEFERRABLE must be called before any query
rollback;
--| ROLLBACK
begin;
--| BEGIN
reset transaction_read_only;
--| ERROR:  0A000: parameter "transaction_read_only" cannot be reset
rollback;
--| ROLLBACK
begin;
--| BEGIN
set transaction_isolation to default;
--| ERROR:  0A000: parameter "transaction_isolation" cannot be reset
rollback;
--| ROLLBACK
select set_config('transaction_read_only', 'maybe', true);
--| ERROR:  22023: parameter "transaction_read_only" requires a Boolean value
-- a temporary table may be filled in a transaction that reads only
create temp table moded_own (a int);
--| CREATE TABLE
begin read only;
--| BEGIN
copy moded_own from stdin;
--< 1
--| COPY 1
copy moded from stdin;
--| ERROR:  25006: cannot execute COPY FROM in a read-only transaction
rollback;
--| ROLLBACK
