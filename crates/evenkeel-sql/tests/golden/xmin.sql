-- xmin: the transaction that wrote a row, which changes with each change of it.
create table t (id int primary key, v int);
--| CREATE TABLE
insert into t values (1, 10), (2, 20) returning xmin = pg_current_xact_id()::xid, xmax;
--|  ?column? | xmax
--| ----------+------
--|  t        |    0
--|  t        |    0
--| (2 rows)
--| INSERT 0 2
select count(distinct xmin::text), min(xmin::text::bigint) > 2 from t;
--|  count | ?column?
--| -------+----------
--|      1 | t
--| (1 row)
create table seen as select id, xmin as version from t;
--| SELECT 2
update t set v = 11 where id = 1 and xmin = (select version from seen where id = 1) returning v, xmin = pg_current_xact_id()::xid, old.xmin = new.xmin, old.xmin = (select version from seen where id = 1);
--|  v  | ?column? | ?column? | ?column?
--| ----+----------+----------+----------
--|  11 | t        | f        | t
--| (1 row)
--| UPDATE 1
update t set v = 12 where id = 1 and xmin = (select version from seen where id = 1);
--| UPDATE 0
select t.id, t.xmin = version, age(t.xmin) > age(version) from t join seen using (id) order by id;
--|  id | ?column? | ?column?
--| ----+----------+----------
--|   1 | f        | f
--|   2 | t        | f
--| (2 rows)
prepare p as update t set v = $3 where id = $1 and xmin = $2;
--| PREPARE
select parameter_types from pg_prepared_statements where name = 'p';
--|     parameter_types
--| -----------------------
--|  {integer,xid,integer}
--| (1 row)
-- In a transaction of its own.
begin;
--| BEGIN
update t set v = 21 where id = 2 and xmin = (select version from seen where id = 2);
--| UPDATE 1
select id, xmin = pg_current_xact_id()::xid from t order by id;
--|  id | ?column?
--| ----+----------
--|   1 | f
--|   2 | t
--| (2 rows)
savepoint s;
--| SAVEPOINT
update t set v = 22 where id = 2 and xmin = pg_current_xact_id()::xid returning v;
--|  v
--| ----
--|  22
--| (1 row)
--| UPDATE 1
rollback to s;
--| ROLLBACK
delete from t where id = 2 returning v, xmin = pg_current_xact_id()::xid, old.xmin = t.xmin, new.xmin;
--|  v  | ?column? | ?column? | xmin
--| ----+----------+----------+------
--|  21 | t        | t        |
--| (1 row)
--| DELETE 1
rollback;
--| ROLLBACK
select t.id, t.xmin = version from t join seen using (id) order by id;
--|  id | ?column?
--| ----+----------
--|   1 | f
--|   2 | t
--| (2 rows)
-- Whether an INSERT found a row.
insert into t values (1, 1), (3, 30) on conflict (id) do update set v = excluded.v returning id, xmax = 0 as inserted, xmin = pg_current_xact_id()::xid;
--|  id | inserted | ?column?
--| ----+----------+----------
--|   1 | f        | t
--|   3 | t        | t
--| (2 rows)
--| INSERT 0 2
insert into t values (1, 1), (4, 40) on conflict (id) do nothing returning id, xmax;
--|  id | xmax
--| ----+------
--|   4 |    0
--| (1 row)
--| INSERT 0 1
insert into t values (1, 2) on conflict (id) do update set v = excluded.v where t.xmin = (select version from seen where id = 1) returning id;
--|  id
--| ----
--| (0 rows)
--| INSERT 0 0
merge into t using (values (1, 5), (9, 90)) s(id, v) on t.id = s.id when matched then update set v = s.v when not matched then insert values (s.id, s.v) returning t.id, t.xmin = pg_current_xact_id()::xid;
--|  id | ?column?
--| ----+----------
--|   1 | t
--|   9 | t
--| (2 rows)
-- Where there is no row, there is none.
select t.id, s.id, s.xmin is null from t left join t s on s.id = t.id + 1 order by t.id;
--|  id | id | ?column?
--| ----+----+----------
--|   1 |  2 | f
--|   2 |  3 | f
--|   3 |  4 | f
--|   4 |    | t
--|   9 |    | t
--| (5 rows)
select xmin from t a, t b;
--| ERROR:  42702: column reference "xmin" is ambiguous
select a.xmin = b.xmin from t a, t b where a.id = b.id and a.id = 1;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select id from t where exists (select 1 from t u where u.xmin = t.xmin and u.id <> t.id) order by id;
--|  id
--| ----
--|   1
--|   9
--| (2 rows)
select xmin from (select * from t) q;
--| ERROR:  42703: column "xmin" does not exist
create view v as select id, v from t;
--| CREATE VIEW
select xmin from v;
--| ERROR:  42703: column "xmin" does not exist
update v set v = 7 where id = 1 returning xmin = pg_current_xact_id()::xid;
--| ERROR:  42703: column "xmin" does not exist
create view w as select id, xmin as version from t;
--| CREATE VIEW
select count(*) from w where version = (select xmin from t where id = 1);
--|  count
--| -------
--|      2
--| (1 row)
select nosuch.xmin from t;
--| ERROR:  42P01: missing FROM-clause entry for table "nosuch"
alter table t add column xmin int;
--| ERROR:  42701: column name "xmin" conflicts with a system column name
explain (costs off) select id from t where xmin = xmin;
--|        QUERY PLAN
--| -------------------------
--|  Seq Scan on t
--|    Filter: (xmin = xmin)
--| (2 rows)
create role reader;
--| CREATE ROLE
grant select (id) on t to reader;
--| GRANT
set role reader;
--| SET
select xmin from t;
--| ERROR:  42501: permission denied for table t
reset role;
--| RESET
