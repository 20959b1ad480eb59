-- Row locks between sessions, without waiting.

create table q (id int primary key, state text);
--| CREATE TABLE
insert into q values (1, 'new'), (2, 'new'), (3, 'new');
--| INSERT 0 3
begin;
--| BEGIN
select id from q where state = 'new' order by id limit 1 for update;
--|  id
--| ----
--|   1
--| (1 row)
-- session other
select id from q where state = 'new' order by id for update skip locked;
--|  id
--| ----
--|   2
--|   3
--| (2 rows)
select id from q where id = 1 for update nowait;
--| ERROR:  55P03: could not obtain lock on row in relation "q"
select id from q where id = 1 for share nowait;
--| ERROR:  55P03: could not obtain lock on row in relation "q"
select id from q where id = 1 for key share nowait;
--| ERROR:  55P03: could not obtain lock on row in relation "q"
select id from q where id = 1;
--|  id
--| ----
--|   1
--| (1 row)
begin;
--| BEGIN
select id from q where id = 2 for no key update;
--|  id
--| ----
--|   2
--| (1 row)
-- session main
select id from q where id = 2 for key share nowait;
--|  id
--| ----
--|   2
--| (1 row)
commit;
--| COMMIT
-- session other
commit;
--| COMMIT
select id from q where id = 1 for update nowait;
--|  id
--| ----
--|   1
--| (1 row)
select count(*) from q for update;
--| ERROR:  0A000: FOR UPDATE is not allowed with aggregate functions
select distinct state from q for update;
--| ERROR:  0A000: FOR UPDATE is not allowed with DISTINCT clause
select id from q for update of nope;
--| ERROR:  42P01: relation "nope" in FOR UPDATE clause not found in FROM clause
select q.id from q, (select 1) s where q.id = 3 for update of q;
--|  id
--| ----
--|   3
--| (1 row)
begin;
--| BEGIN
lock table q in access exclusive mode;
--| LOCK TABLE
-- session main
lock table q in access share mode nowait;
--| ERROR:  25P01: LOCK TABLE can only be used in transaction blocks
begin;
--| BEGIN
lock table q in access share mode nowait;
--| ERROR:  55P03: could not obtain lock on relation "q"
rollback;
--| ROLLBACK
set lock_timeout = '50ms';
--| SET
select * from q;
--| ERROR:  55P03: canceling statement due to lock timeout
-- session other
rollback;
--| ROLLBACK
-- session main
select count(*) from q;
--|  count
--| -------
--|      3
--| (1 row)
