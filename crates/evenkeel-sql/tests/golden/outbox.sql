-- The transactional outbox: who reads by transaction ids never skips a row, whatever order transactions commit in.

create table outbox (id int primary key, xact xid8 not null default pg_current_xact_id());
--| CREATE TABLE
create table reader (at xid8 not null, seen pg_snapshot not null);
--| CREATE TABLE
insert into outbox (id) values (0);
--| INSERT 0 1
insert into reader select pg_snapshot_xmin(s), s from pg_current_snapshot() s;
--| INSERT 0 1
select id from outbox, reader where xact < at;
--|  id
--| ----
--|   0
--| (1 row)

-- session early
begin;
--| BEGIN
insert into outbox (id) values (1);
--| INSERT 0 1
-- session late
begin;
--| BEGIN
insert into outbox (id) values (2);
--| INSERT 0 1
-- session over
begin;
--| BEGIN
insert into outbox (id) values (3);
--| INSERT 0 1
rollback;
--| ROLLBACK
insert into outbox (id) values (4);
--| INSERT 0 1
-- session reader
-- Of the four one is visible, but an earlier one may still come.
select id, xact < pg_snapshot_xmin(pg_current_snapshot()) as is_settled, pg_visible_in_snapshot(xact, pg_current_snapshot()) as is_seen from outbox order by id;
--|  id | is_settled | is_seen
--| ----+------------+---------
--|   0 | t          | t
--|   4 | f          | t
--| (2 rows)
select id from outbox, reader where xact >= at and xact < pg_snapshot_xmin(pg_current_snapshot()) order by id;
--|  id
--| ----
--| (0 rows)
select (select count(*) from pg_snapshot_xip(pg_current_snapshot())) as at_work, pg_snapshot_xmin(s) = (select min(x) from pg_snapshot_xip(s) x) as oldest from pg_current_snapshot() s;
--|  at_work | oldest
--| ---------+--------
--|        2 | t
--| (1 row)
create table kept as select pg_current_snapshot()::text as seen;
--| SELECT 1
-- session late
commit;
--| COMMIT
-- session reader
select id from outbox, kept where pg_visible_in_snapshot(xact, seen::pg_snapshot) order by id;
--|  id
--| ----
--|   0
--|   4
--| (2 rows)
select id, xact < pg_snapshot_xmin(pg_current_snapshot()) as is_settled, pg_visible_in_snapshot(xact, pg_current_snapshot()) as is_seen from outbox order by id;
--|  id | is_settled | is_seen
--| ----+------------+---------
--|   0 | t          | t
--|   2 | f          | t
--|   4 | f          | t
--| (3 rows)
-- session early
-- What somebody has not committed yet no snapshot sees, nor his own (PostgreSQL says that his own does).
select xact = pg_current_xact_id(), pg_visible_in_snapshot(xact, pg_current_snapshot()), pg_xact_status(xact) from outbox where id = 1;
--|  ?column? | pg_visible_in_snapshot | pg_xact_status
--| ----------+------------------------+----------------
--|  t        | f                      | in progress
--| (1 row)
commit;
--| COMMIT
-- session reader
select id from outbox, reader where xact >= at and xact < pg_snapshot_xmin(pg_current_snapshot()) order by id;
--|  id
--| ----
--|   1
--|   2
--|   4
--| (3 rows)
select id, pg_visible_in_snapshot(xact, (select seen::pg_snapshot from kept)) as was_seen, pg_visible_in_snapshot(xact, pg_current_snapshot()) as is_seen, pg_xact_status(xact) from outbox order by id;
--|  id | was_seen | is_seen | pg_xact_status
--| ----+----------+---------+----------------
--|   0 | t        | t       | committed
--|   1 | f        | t       | committed
--|   2 | f        | t       | committed
--|   4 | t        | t       | committed
--| (4 rows)
select count(*) from pg_snapshot_xip(pg_current_snapshot());
--|  count
--| -------
--|      0
--| (1 row)

-- A snapshot that is kept for a whole transaction says the same to its end.
begin isolation level repeatable read;
--| BEGIN
create temp table first as select pg_current_snapshot() as s;
--| SELECT 1
-- session late
insert into outbox (id) values (5);
--| INSERT 0 1
-- session reader
select s::text = pg_current_snapshot()::text from first;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select id, pg_visible_in_snapshot(xact, pg_current_snapshot()) from outbox where id >= 4 order by id;
--|  id | pg_visible_in_snapshot
--| ----+------------------------
--|   4 | t
--| (1 row)
commit;
--| COMMIT
select id, pg_visible_in_snapshot(xact, pg_current_snapshot()) from outbox where id >= 4 order by id;
--|  id | pg_visible_in_snapshot
--| ----+------------------------
--|   4 | t
--|   5 | t
--| (2 rows)

-- What became of others.
-- session early
begin;
--| BEGIN
create temp table mine as select pg_current_xact_id() as id;
--| SELECT 1
savepoint s;
--| SAVEPOINT
insert into outbox (id) values (6);
--| INSERT 0 1
rollback to s;
--| ROLLBACK
insert into outbox (id) values (7);
--| INSERT 0 1
-- session reader
select pg_xact_status((select max(xact) from outbox));
--|  pg_xact_status
--| ----------------
--|  committed
--| (1 row)
-- session early
commit;
--| COMMIT
select pg_xact_status(mine.id), mine.id = xact from mine, outbox where outbox.id = 7;
--|  pg_xact_status | ?column?
--| ----------------+----------
--|  committed      | t
--| (1 row)
begin;
--| BEGIN
create table undone as select pg_current_xact_id() as id;
--| SELECT 1
select pg_xact_status(id) from undone;
--|  pg_xact_status
--| ----------------
--|  in progress
--| (1 row)
create temp table keeps (id text) on commit preserve rows;
--| CREATE TABLE
rollback;
--| ROLLBACK
