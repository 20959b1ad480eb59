-- pg_export_snapshot and SET TRANSACTION SNAPSHOT.
create table t (i int primary key, n int);
--| CREATE TABLE
insert into t values (1, 1), (2, 2);
--| INSERT 0 2

-- What is seen is what the exporting transaction saw; its own changes are not among it.
begin isolation level repeatable read;
--| BEGIN
select pg_export_snapshot();
--|  pg_export_snapshot
--| ---------------------
--|  00000410-00000001-1
--| (1 row)
insert into t values (3, 3);
--| INSERT 0 1
-- session other
insert into t values (4, 4);
--| INSERT 0 1
begin isolation level repeatable read;
--| BEGIN
set transaction snapshot '00000410-00000001-1';
--| SET
select * from t order by i;
--|  i | n
--| ---+---
--|  1 | 1
--|  2 | 2
--| (2 rows)
set transaction snapshot '00000410-00000001-1';
--| ERROR:  25001: SET TRANSACTION SNAPSHOT must be called before any query
rollback;
--| ROLLBACK
begin isolation level repeatable read, read only;
--| BEGIN
set transaction snapshot '00000410-00000001-1';
--| SET
select count(*) from t;
--|  count
--| -------
--|      2
--| (1 row)
-- Who has taken it holds it when its transaction has ended: others' changes are not seen, and not cleaned away.
-- session main
select pg_export_snapshot();
--|  pg_export_snapshot
--| ---------------------
--|  00000410-00000001-2
--| (1 row)
commit;
--| COMMIT
update t set n = n + 10;
--| UPDATE 4
delete from t where i = 2;
--| DELETE 1
vacuum t;
--| VACUUM
-- session other
select * from t order by i;
--|  i | n
--| ---+---
--|  1 | 1
--|  2 | 2
--| (2 rows)
-- Nobody else can have it.
-- session third
begin isolation level repeatable read;
--| BEGIN
set transaction snapshot '00000410-00000001-1';
--| ERROR:  42704: snapshot "00000410-00000001-1" does not exist
rollback;
--| ROLLBACK
begin isolation level repeatable read;
--| BEGIN
set transaction snapshot '00000410-00000001-2';
--| ERROR:  42704: snapshot "00000410-00000001-2" does not exist
rollback;
--| ROLLBACK
-- session other
commit;
--| COMMIT
-- What it changes is checked as under REPEATABLE READ.
-- session main
begin;
--| BEGIN
select pg_export_snapshot();
--|  pg_export_snapshot
--| ---------------------
--|  00000410-00000002-1
--| (1 row)
-- session third
update t set n = 100 where i = 1;
--| UPDATE 1
-- session other
begin isolation level repeatable read;
--| BEGIN
set transaction snapshot '00000410-00000002-1';
--| SET
update t set n = 50 where i = 3;
--| UPDATE 1
update t set n = 50 where i = 1;
--| ERROR:  40001: could not serialize access due to concurrent update
rollback;
--| ROLLBACK
-- An index that is younger than the snapshot is not read in it.
-- session third
create index on t (n);
--| CREATE INDEX
-- session other
begin isolation level repeatable read;
--| BEGIN
set transaction snapshot '00000410-00000002-1';
--| SET
set enable_seqscan = off;
--| SET
select * from t where n = 11;
--|  i | n
--| ---+----
--|  1 | 11
--| (1 row)
rollback;
--| ROLLBACK
-- session main
commit;
--| COMMIT

-- What is refused.
begin;
--| BEGIN
set transaction snapshot '00000410-00000001-1';
--| ERROR:  0A000: a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE READ
rollback;
--| ROLLBACK
set transaction snapshot '00000410-00000001-1';
--| WARNING:  SET TRANSACTION can only be used in transaction blocks
--| ERROR:  0A000: a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE READ
begin isolation level repeatable read;
--| BEGIN
select 1;
--|  ?column?
--| ----------
--|         1
--| (1 row)
set transaction snapshot '00000410-00000001-1';
--| ERROR:  25001: SET TRANSACTION SNAPSHOT must be called before any query
rollback;
--| ROLLBACK
begin isolation level repeatable read;
--| BEGIN
savepoint s;
--| SAVEPOINT
set transaction snapshot '00000410-00000001-1';
--| ERROR:  25001: SET TRANSACTION SNAPSHOT must be called before any query
rollback;
--| ROLLBACK
begin isolation level repeatable read;
--| BEGIN
set transaction snapshot 'xyz';
--| ERROR:  22023: invalid snapshot identifier: "xyz"
rollback;
--| ROLLBACK
begin isolation level repeatable read;
--| BEGIN
set transaction snapshot '';
--| ERROR:  22023: invalid snapshot identifier: ""
rollback;
--| ROLLBACK
set transaction snapshot 5;
--| ERROR:  42601: syntax error at or near "5"
set transaction snapshot default;
--| ERROR:  42601: syntax error at or near "default"
set local transaction snapshot '0-0-1';
--| ERROR:  0A000: SET LOCAL TRANSACTION SNAPSHOT is not implemented
begin;
--| BEGIN
savepoint s;
--| SAVEPOINT
select pg_export_snapshot();
--| ERROR:  25001: cannot export a snapshot from a subtransaction
rollback to s;
--| ROLLBACK
release s;
--| RELEASE
-- Behind a savepoint that is gone it may be exported.
select pg_export_snapshot();
--|  pg_export_snapshot
--| ---------------------
--|  00000410-00000003-1
--| (1 row)
rollback;
--| ROLLBACK
begin isolation level serializable, read only;
--| BEGIN
select pg_export_snapshot();
--|  pg_export_snapshot
--| ---------------------
--|  00000410-00000004-1
--| (1 row)
-- session other
begin isolation level serializable;
--| BEGIN
set transaction snapshot '00000410-00000004-1';
--| ERROR:  0A000: a non-read-only serializable transaction cannot import a snapshot from a read-only transaction
rollback;
--| ROLLBACK
begin isolation level serializable, read only, deferrable;
--| BEGIN
set transaction snapshot '00000410-00000004-1';
--| ERROR:  0A000: a snapshot-importing transaction must not be READ ONLY DEFERRABLE
rollback;
--| ROLLBACK
begin isolation level serializable, read only;
--| BEGIN
set transaction snapshot '00000410-00000004-1';
--| SET
select count(*) from t;
--|  count
--| -------
--|      3
--| (1 row)
rollback;
--| ROLLBACK
begin isolation level repeatable read;
--| BEGIN
set transaction snapshot '00000410-00000004-1';
--| SET
select count(*) from t;
--|  count
--| -------
--|      3
--| (1 row)
rollback;
--| ROLLBACK
-- session main
commit;
--| COMMIT
-- A transaction that has failed gives nobody what it saw; one that goes back to a savepoint does.
begin isolation level repeatable read;
--| BEGIN
select pg_export_snapshot();
--|  pg_export_snapshot
--| ---------------------
--|  00000410-00000005-1
--| (1 row)
savepoint s;
--| SAVEPOINT
select 1 / 0;
--| ERROR:  22012: division by zero
-- session other
begin isolation level serializable;
--| BEGIN
set transaction snapshot '00000410-00000005-1';
--| ERROR:  0A000: a serializable transaction cannot import a snapshot from a non-serializable transaction
rollback;
--| ROLLBACK
begin isolation level repeatable read;
--| BEGIN
set transaction snapshot '00000410-00000005-1';
--| SET
select count(*) from t;
--|  count
--| -------
--|      3
--| (1 row)
rollback;
--| ROLLBACK
-- session main
rollback to s;
--| ROLLBACK
rollback;
--| ROLLBACK
begin;
--| BEGIN
select pg_export_snapshot();
--|  pg_export_snapshot
--| ---------------------
--|  00000410-00000006-1
--| (1 row)
select 1 / 0;
--| ERROR:  22012: division by zero
-- session other
begin isolation level repeatable read;
--| BEGIN
set transaction snapshot '00000410-00000006-1';
--| ERROR:  55000: could not import the requested snapshot
--| DETAIL:  The source process with PID 1040 is not running anymore.
rollback;
--| ROLLBACK
-- session main
rollback;
--| ROLLBACK
-- session other
begin isolation level repeatable read;
--| BEGIN
set transaction snapshot '00000410-00000006-1';
--| ERROR:  42704: snapshot "00000410-00000006-1" does not exist
rollback;
--| ROLLBACK
