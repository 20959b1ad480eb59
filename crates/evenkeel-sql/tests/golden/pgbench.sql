-- What pgbench sends: initialisation, its start-up query, and the built-in scripts.

drop table if exists pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers;
--| NOTICE:  table "pgbench_accounts" does not exist, skipping
--| NOTICE:  table "pgbench_branches" does not exist, skipping
--| NOTICE:  table "pgbench_history" does not exist, skipping
--| NOTICE:  table "pgbench_tellers" does not exist, skipping
--| DROP TABLE
create table pgbench_history(tid int,bid int,aid int,delta int,mtime timestamp,filler char(22));
--| CREATE TABLE
create table pgbench_tellers(tid int not null,bid int,tbalance int,filler char(84)) with (fillfactor=100);
--| CREATE TABLE
create table pgbench_accounts(aid int not null,bid int,abalance int,filler char(84)) with (fillfactor=100);
--| CREATE TABLE
create table pgbench_branches(bid int not null,bbalance int,filler char(88)) with (fillfactor=100);
--| CREATE TABLE
begin;
--| BEGIN
truncate table pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers;
--| TRUNCATE TABLE
insert into pgbench_branches(bid,bbalance) values(1,0);
--| INSERT 0 1
insert into pgbench_tellers(tid,bid,tbalance) values (1,1,0);
--| INSERT 0 1
insert into pgbench_tellers(tid,bid,tbalance) values (2,1,0);
--| INSERT 0 1
copy pgbench_accounts from stdin with (freeze on);
--< 1	1	0	
--< 2	1	0	
--< 3	1	0	
--| COPY 3
commit;
--| COMMIT
vacuum analyze pgbench_branches;
--| VACUUM
vacuum analyze pgbench_tellers;
--| VACUUM
vacuum analyze pgbench_accounts;
--| VACUUM
vacuum analyze pgbench_history;
--| VACUUM
alter table pgbench_branches add primary key (bid);
--| ALTER TABLE
alter table pgbench_tellers add primary key (tid);
--| ALTER TABLE
alter table pgbench_accounts add primary key (aid);
--| ALTER TABLE
alter table pgbench_tellers add constraint pgbench_tellers_bid_fkey foreign key (bid) references pgbench_branches;
--| ALTER TABLE
alter table pgbench_accounts add constraint pgbench_accounts_bid_fkey foreign key (bid) references pgbench_branches;
--| ALTER TABLE
alter table pgbench_history add constraint pgbench_history_bid_fkey foreign key (bid) references pgbench_branches;
--| ALTER TABLE
alter table pgbench_history add constraint pgbench_history_tid_fkey foreign key (tid) references pgbench_tellers;
--| ALTER TABLE
alter table pgbench_history add constraint pgbench_history_aid_fkey foreign key (aid) references pgbench_accounts;
--| ALTER TABLE

-- start-up of a run
select count(*) from pgbench_branches;
--|  count
--| -------
--|      1
--| (1 row)
select o.n, p.partstrat, pg_catalog.count(i.inhparent) from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on (n.oid = c.relnamespace) cross join lateral (select pg_catalog.array_position(pg_catalog.current_schemas(true), n.nspname)) as o(n) left join pg_catalog.pg_partitioned_table as p on (p.partrelid = c.oid) left join pg_catalog.pg_inherits as i on (c.oid = i.inhparent) where c.relname = 'pgbench_accounts' and o.n is not null group by 1, 2 order by 1 asc limit 1;
--|  n | partstrat | count
--| ---+-----------+-------
--|  2 |           |     0
--| (1 row)
vacuum pgbench_branches;
--| VACUUM
vacuum pgbench_tellers;
--| VACUUM
truncate pgbench_history;
--| TRUNCATE TABLE

-- tpcb-like
BEGIN;
--| BEGIN
UPDATE pgbench_accounts SET abalance = abalance + -2500 WHERE aid = 2;
--| UPDATE 1
SELECT abalance FROM pgbench_accounts WHERE aid = 2;
--|  abalance
--| ----------
--|     -2500
--| (1 row)
UPDATE pgbench_tellers SET tbalance = tbalance + -2500 WHERE tid = 1;
--| UPDATE 1
UPDATE pgbench_branches SET bbalance = bbalance + -2500 WHERE bid = 1;
--| UPDATE 1
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (1, 1, 2, -2500, CURRENT_TIMESTAMP);
--| INSERT 0 1
END;
--| COMMIT
select tid, bid, aid, delta, mtime is not null as timed, filler from pgbench_history;
--|  tid | bid | aid | delta | timed | filler
--| -----+-----+-----+-------+-------+--------
--|    1 |   1 |   2 | -2500 | t     |
--| (1 row)
explain (costs off) UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = 2;
--|                             QUERY PLAN
--| ------------------------------------------------------------------
--|  Update on pgbench_accounts
--|    ->  Index Scan using pgbench_accounts_pkey on pgbench_accounts
--|          Index Cond: (aid = 2)
--| (3 rows)
explain (costs off) select * from pgbench_accounts where aid in (1, 3) order by aid;
--|                          QUERY PLAN
--| ------------------------------------------------------------
--|  Index Scan using pgbench_accounts_pkey on pgbench_accounts
--|    Index Cond: (aid = ANY ('{1,3}'::integer[]))
--| (2 rows)
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (9, 1, 2, -2500, CURRENT_TIMESTAMP);
--| ERROR:  23503: insert or update on table "pgbench_history" violates foreign key constraint "pgbench_history_tid_fkey"
--| DETAIL:  Key (tid)=(9) is not present in table "pgbench_tellers".

-- server-side initialisation
truncate table pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers;
--| TRUNCATE TABLE
insert into pgbench_branches(bid,bbalance) select bid, 0 from generate_series(1, 2) as bid;
--| INSERT 0 2
insert into pgbench_tellers(tid,bid,tbalance) select tid, (tid - 1) / 10 + 1, 0 from generate_series(1, 20) as tid;
--| INSERT 0 20
insert into pgbench_accounts(aid,bid,abalance,filler) select aid, (aid - 1) / 100000 + 1, 0, '' from generate_series(1, 1000) as aid;
--| INSERT 0 1000
select count(*), min(aid), max(aid), sum(bid) from pgbench_accounts;
--|  count | min | max  | sum
--| -------+-----+------+------
--|   1000 |   1 | 1000 | 1000
--| (1 row)
create unlogged table u(tid int,bid int) with (fillfactor=90);
--| CREATE TABLE
