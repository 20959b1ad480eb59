-- pg_prewarm: how many blocks, which of them, and who may.
create extension pg_prewarm;
--| CREATE EXTENSION
create table pw (a int primary key, b text);
--| CREATE TABLE
insert into pw select i, repeat('x', 100) from generate_series(1, 2000) i;
--| INSERT 0 2000
create view pwv as select * from pw;
--| CREATE VIEW
select pg_prewarm('pw') = pg_relation_size('pw') / 8192 as whole, pg_prewarm('pw') > 20 as many;
--|  whole | many
--| -------+------
--|  t     | t
--| (1 row)
select pg_prewarm('pw_pkey') = pg_relation_size('pw_pkey') / 8192 as whole;
--|  whole
--| -------
--|  t
--| (1 row)
select pg_prewarm('pw', 'buffer', 'main', 1, 3), pg_prewarm('pw', 'read', 'main', 2, null) = pg_relation_size('pw') / 8192 - 2 as rest, pg_prewarm('pw', 'prefetch', 'main', null, 0), pg_prewarm('pw', 'buffer', 'main', 5, 3);
--|  pg_prewarm | rest | pg_prewarm | pg_prewarm
--| ------------+------+------------+------------
--|           3 | t    |          1 |          0
--| (1 row)
select pg_prewarm('pw', 'fast');
--| ERROR:  22023: invalid prewarm type
--| HINT:  Valid prewarm types are "prefetch", "read", and "buffer".
select pg_prewarm('pw', null);
--| ERROR:  22023: prewarm type cannot be null
select pg_prewarm(null::regclass);
--| ERROR:  22023: relation cannot be null
select pg_prewarm('pw', 'buffer', 'main', -1);
--| ERROR:  22023: starting block number must be between 0 and 64
select pg_prewarm('pw', 'buffer', 'main', 0, -1);
--| ERROR:  22023: ending block number must be between 0 and 64
select pg_prewarm('pwv');
--| ERROR:  42809: relation "pwv" does not have storage
select pg_prewarm(12345::regclass);
--| ERROR:  42P01: could not open relation with OID 12345
create role pw_other;
--| CREATE ROLE
set role pw_other;
--| SET
select pg_prewarm('pw');
--| ERROR:  42501: permission denied for table pw
select pg_prewarm('pw_pkey');
--| ERROR:  42501: permission denied for index pw_pkey
reset role;
--| RESET
grant select on pw to pw_other;
--| GRANT
set role pw_other;
--| SET
select pg_prewarm('pw') > 20 as many, pg_prewarm('pw_pkey') > 0 as some;
--|  many | some
--| ------+------
--|  t    | t
--| (1 row)
reset role;
--| RESET
drop view pwv;
--| DROP VIEW
drop table pw;
--| DROP TABLE
drop role pw_other;
--| DROP ROLE
