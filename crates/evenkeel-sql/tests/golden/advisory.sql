-- Advisory locks: who holds them how long, and what is told of them.

create view held as select locktype, classid, objid, objsubid, mode, granted from pg_locks where locktype = 'advisory' order by classid, objid, objsubid, mode;
--| CREATE VIEW
select pg_advisory_lock(1), pg_advisory_lock(1), pg_advisory_lock_shared(1, 2), pg_try_advisory_lock(-1), pg_try_advisory_lock_shared(8589934593);
--|  pg_advisory_lock | pg_advisory_lock | pg_advisory_lock_shared | pg_try_advisory_lock | pg_try_advisory_lock_shared
--| ------------------+------------------+-------------------------+----------------------+-----------------------------
--|                   |                  |                         | t                    | t
--| (1 row)
select * from held;
--|  locktype |  classid   |   objid    | objsubid |     mode      | granted
--| ----------+------------+------------+----------+---------------+---------
--|  advisory |          0 |          1 |        1 | ExclusiveLock | t
--|  advisory |          1 |          2 |        2 | ShareLock     | t
--|  advisory |          2 |          1 |        1 | ShareLock     | t
--|  advisory | 4294967295 | 4294967295 |        1 | ExclusiveLock | t
--| (4 rows)
-- session other
select pg_try_advisory_lock(1), pg_try_advisory_lock_shared(1), pg_try_advisory_lock_shared(1, 2), pg_try_advisory_lock(1, 2), pg_try_advisory_lock(2, 1);
--|  pg_try_advisory_lock | pg_try_advisory_lock_shared | pg_try_advisory_lock_shared | pg_try_advisory_lock | pg_try_advisory_lock
--| ----------------------+-----------------------------+-----------------------------+----------------------+----------------------
--|  f                    | f                           | t                           | f                    | t
--| (1 row)
set lock_timeout = '20ms';
--| SET
select pg_advisory_lock(1);
--| ERROR:  55P03: canceling statement due to lock timeout
select pg_advisory_xact_lock_shared(1);
--| ERROR:  55P03: canceling statement due to lock timeout
reset lock_timeout;
--| RESET
set statement_timeout = 0;
--| SET
select * from held;
--|  locktype |  classid   |   objid    | objsubid |     mode      | granted
--| ----------+------------+------------+----------+---------------+---------
--|  advisory |          0 |          1 |        1 | ExclusiveLock | t
--|  advisory |          1 |          2 |        2 | ShareLock     | t
--|  advisory |          1 |          2 |        2 | ShareLock     | t
--|  advisory |          2 |          1 |        1 | ShareLock     | t
--|  advisory |          2 |          1 |        2 | ExclusiveLock | t
--|  advisory | 4294967295 | 4294967295 |        1 | ExclusiveLock | t
--| (6 rows)
select pg_advisory_unlock(1);
--| WARNING:  you don't own a lock of type ExclusiveLock
--|  pg_advisory_unlock
--| --------------------
--|  f
--| (1 row)
select pg_advisory_unlock_shared(1), pg_advisory_unlock(1, 2), pg_advisory_unlock_shared(1, 2);
--| WARNING:  you don't own a lock of type ShareLock
--| WARNING:  you don't own a lock of type ExclusiveLock
--|  pg_advisory_unlock_shared | pg_advisory_unlock | pg_advisory_unlock_shared
--| ---------------------------+--------------------+---------------------------
--|  f                         | f                  | t
--| (1 row)
select pg_advisory_unlock_all();
--|  pg_advisory_unlock_all
--| ------------------------
--|
--| (1 row)
-- session main
select pg_advisory_unlock(1);
--|  pg_advisory_unlock
--| --------------------
--|  t
--| (1 row)
-- session other
select pg_try_advisory_lock(1);
--|  pg_try_advisory_lock
--| ----------------------
--|  f
--| (1 row)
-- session main
select pg_advisory_unlock(1);
--|  pg_advisory_unlock
--| --------------------
--|  t
--| (1 row)
-- session other
select pg_try_advisory_lock(1);
--|  pg_try_advisory_lock
--| ----------------------
--|  t
--| (1 row)
select pg_advisory_unlock_all();
--|  pg_advisory_unlock_all
--| ------------------------
--|
--| (1 row)
-- session main
select pg_advisory_unlock(1);
--| WARNING:  you don't own a lock of type ExclusiveLock
--|  pg_advisory_unlock
--| --------------------
--|  f
--| (1 row)
select pg_advisory_unlock_all();
--|  pg_advisory_unlock_all
--| ------------------------
--|
--| (1 row)
select * from held;
--|  locktype | classid | objid | objsubid | mode | granted
--| ----------+---------+-------+----------+------+---------
--| (0 rows)
-- Those of a transaction.
begin;
--| BEGIN
select pg_advisory_xact_lock(1), pg_advisory_xact_lock_shared(7, 8), pg_try_advisory_xact_lock(2), pg_try_advisory_xact_lock_shared(3);
--|  pg_advisory_xact_lock | pg_advisory_xact_lock_shared | pg_try_advisory_xact_lock | pg_try_advisory_xact_lock_shared
--| -----------------------+------------------------------+---------------------------+----------------------------------
--|                        |                              | t                         | t
--| (1 row)
savepoint s;
--| SAVEPOINT
select pg_advisory_xact_lock(4), pg_advisory_xact_lock(1), pg_advisory_lock(5);
--|  pg_advisory_xact_lock | pg_advisory_xact_lock | pg_advisory_lock
--| -----------------------+-----------------------+------------------
--|                        |                       |
--| (1 row)
select objid, mode from held;
--|  objid |     mode
--| -------+---------------
--|      1 | ExclusiveLock
--|      2 | ExclusiveLock
--|      3 | ShareLock
--|      4 | ExclusiveLock
--|      5 | ExclusiveLock
--|      8 | ShareLock
--| (6 rows)
rollback to s;
--| ROLLBACK
select objid, mode from held;
--|  objid |     mode
--| -------+---------------
--|      1 | ExclusiveLock
--|      2 | ExclusiveLock
--|      3 | ShareLock
--|      5 | ExclusiveLock
--|      8 | ShareLock
--| (5 rows)
select pg_advisory_unlock(1);
--| WARNING:  you don't own a lock of type ExclusiveLock
--|  pg_advisory_unlock
--| --------------------
--|  f
--| (1 row)
commit;
--| COMMIT
select objid, mode from held;
--|  objid |     mode
--| -------+---------------
--|      5 | ExclusiveLock
--| (1 row)
begin;
--| BEGIN
select pg_advisory_xact_lock(5), pg_advisory_lock(6), pg_advisory_xact_lock(6);
--|  pg_advisory_xact_lock | pg_advisory_lock | pg_advisory_xact_lock
--| -----------------------+------------------+-----------------------
--|                        |                  |
--| (1 row)
select pg_advisory_unlock(6);
--|  pg_advisory_unlock
--| --------------------
--|  t
--| (1 row)
select objid, mode from held;
--|  objid |     mode
--| -------+---------------
--|      5 | ExclusiveLock
--|      6 | ExclusiveLock
--| (2 rows)
select 1/0;
--| ERROR:  22012: division by zero
select objid, mode from held;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
rollback;
--| ROLLBACK
select objid, mode from held;
--|  objid |     mode
--| -------+---------------
--|      5 | ExclusiveLock
--| (1 row)
select pg_advisory_unlock(5);
--|  pg_advisory_unlock
--| --------------------
--|  t
--| (1 row)
-- One for each row.
select pg_advisory_lock(g) from generate_series(1, 3) g;
--|  pg_advisory_lock
--| ------------------
--|
--|
--|
--| (3 rows)
select objid from held;
--|  objid
--| -------
--|      1
--|      2
--|      3
--| (3 rows)
select pg_advisory_unlock(g) from generate_series(1, 4) g;
--| WARNING:  you don't own a lock of type ExclusiveLock
--|  pg_advisory_unlock
--| --------------------
--|  t
--|  t
--|  t
--|  f
--| (4 rows)
select pg_advisory_lock(null), pg_try_advisory_lock(null, 1);
--|  pg_advisory_lock | pg_try_advisory_lock
--| ------------------+----------------------
--|                   |
--| (1 row)
select pg_advisory_lock('x');
--| ERROR:  22P02: invalid input syntax for type bigint: "x"
select pg_advisory_lock(1.5);
--| ERROR:  42883: function pg_advisory_lock(numeric) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
create table t (id int primary key, n int);
--| CREATE TABLE
insert into t values (1, 0), (2, 0);
--| INSERT 0 2
update t set n = n + 1 where pg_try_advisory_lock(id);
--| UPDATE 2
update t set n = n + 1 where id = 1 and pg_advisory_unlock(id);
--| UPDATE 1
select pg_advisory_unlock(1), pg_advisory_unlock(2), pg_advisory_unlock(2);
--| WARNING:  you don't own a lock of type ExclusiveLock
--| WARNING:  you don't own a lock of type ExclusiveLock
--|  pg_advisory_unlock | pg_advisory_unlock | pg_advisory_unlock
--| --------------------+--------------------+--------------------
--|  f                  | t                  | f
--| (1 row)
-- DISCARD gives up the session's.
select pg_advisory_lock(1);
--|  pg_advisory_lock
--| ------------------
--|
--| (1 row)
discard all;
--| DISCARD ALL
select * from held;
--|  locktype | classid | objid | objsubid | mode | granted
--| ----------+---------+-------+----------+------+---------
--| (0 rows)
