-- ctid: the place of a row, which is its number here: it stays the same when the row is changed.
create table t (id int primary key, a text, n int);
--| CREATE TABLE
insert into t select i, 'r' || i, i % 3 from generate_series(1, 10) i;
--| INSERT 0 10
select ctid, id from t where id <= 2 order by ctid;
--|  ctid  | id
--| -------+----
--|  (0,1) |  1
--|  (0,2) |  2
--| (2 rows)
delete from t where ctid in (select ctid from t where n = 1 order by id desc limit 2) returning id;
--|  id
--| ----
--|   7
--|  10
--| (2 rows)
--| DELETE 2
update t set a = 'u' where ctid in (select t.ctid from t where n = 0 order by id limit 1 for update skip locked) returning id, a;
--|  id | a
--| ----+---
--|   3 | u
--| (1 row)
--| UPDATE 1
update t as x set n = y.n + 10 from (select ctid as place, n from t where id = 2) y where x.ctid = y.place returning x.id, x.n;
--|  id | n
--| ----+----
--|   2 | 12
--| (1 row)
--| UPDATE 1
delete from t where ctid = (select min(ctid) from t) returning id;
--|  id
--| ----
--|   1
--| (1 row)
--| DELETE 1
delete from t where ctid = any (array(select ctid from t order by id limit 1)) returning id;
--|  id
--| ----
--|   2
--| (1 row)
--| DELETE 1
-- Duplicates but one of each.
create table d (a int);
--| CREATE TABLE
insert into d values (1), (1), (2), (3), (3), (3);
--| INSERT 0 6
delete from d x using d y where x.a = y.a and x.ctid > y.ctid;
--| DELETE 3
select * from d order by a;
--|  a
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
delete from d where ctid not in (select min(ctid) from d group by a % 2) returning a;
--|  a
--| ---
--|  3
--| (1 row)
--| DELETE 1
select pg_typeof(ctid), ctid = ctid, ctid::text = ctid::text, d.ctid is null from d;
--|  pg_typeof | ?column? | ?column? | ?column?
--| -----------+----------+----------+----------
--|  tid       | t        | t        | f
--|  tid       | t        | t        | f
--| (2 rows)
select d.ctid is null, e.a from t right join (select 1) e(a) on e.a = t.id left join d on d.a = e.a + 100;
--|  ?column? | a
--| ----------+---
--|  t        | 1
--| (1 row)
select count(*) from t a join t b on a.ctid = b.ctid;
--|  count
--| -------
--|      6
--| (1 row)
select count(distinct ctid) = count(*), max(ctid) >= min(ctid) from t;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
select ctid from t, d;
--| ERROR:  42702: column reference "ctid" is ambiguous
select t.ctid = t.ctid and d.ctid is not null from t, d limit 1;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select (select ctid from d limit 1) = ctid from d limit 1;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select x.ctid from (select 1) x;
--| ERROR:  42703: column x.ctid does not exist
select x.ctid from (select * from t) x;
--| ERROR:  42703: column x.ctid does not exist
--| HINT:  Perhaps you meant to reference the column "x.id".
select ctid from generate_series(1, 2);
--| ERROR:  42703: column "ctid" does not exist
insert into d values (9) returning ctid is not null, a;
--|  ?column? | a
--| ----------+---
--|  t        | 9
--| (1 row)
--| INSERT 0 1
insert into d values (8) returning new.ctid is not null, old.ctid;
--|  ?column? | ctid
--| ----------+------
--|  t        |
--| (1 row)
--| INSERT 0 1
create view v as select ctid, a from d;
--| CREATE VIEW
select a from v order by ctid, a limit 1;
--|  a
--| ---
--|  1
--| (1 row)
with w as (select ctid from d where a = 9 for update) update d set a = 10 from w where d.ctid = w.ctid returning d.a;
--|  a
--| ----
--|  10
--| (1 row)
--| UPDATE 1
merge into d using (select ctid as c from d where a = 10) s on d.ctid = s.c when matched then delete returning a;
--|  a
--| ----
--|  10
--| (1 row)
select '(0,1)'::tid, '(4294967295,65535)'::tid, '(-1,0)'::tid, '( 3, 4)'::tid, array['(0,1)', '(1,0)']::tid[];
--|   tid  |        tid         |      tid       |  tid  |       array
--| -------+--------------------+----------------+-------+-------------------
--|  (0,1) | (4294967295,65535) | (4294967295,0) | (3,4) | {"(0,1)","(1,0)"}
--| (1 row)
select '(0,1)'::tid < '(0,2)', '(1,0)'::tid > '(0,65535)', '(0,1)'::tid = '(0,1)', '(0,1)'::tid <> '(0,1)', '(2,1)'::tid >= '(0,1)', '(2,1)'::tid <= '(0,1)';
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------
--|  t        | t        | t        | f        | t        | f
--| (1 row)
select '(0,65536)'::tid;
--| ERROR:  22P02: invalid input syntax for type tid: "(0,65536)"
select '(0)'::tid;
--| ERROR:  22P02: invalid input syntax for type tid: "(0)"
select 'x'::tid;
--| ERROR:  22P02: invalid input syntax for type tid: "x"
select 5::tid;
--| ERROR:  42846: cannot cast type integer to tid
select tidsend('(1,2)'), pg_column_size('(0,1)'::tid);
--|     tidsend     | pg_column_size
--| ----------------+----------------
--|  \x000000010002 |              6
--| (1 row)
create table k (p tid primary key, q tid[]);
--| CREATE TABLE
insert into k values ('(0,2)', '{"(0,1)"}'), ('(0,1)', null), ('(1,0)', '{}');
--| INSERT 0 3
select * from k order by p desc;
--|    p   |     q
--| -------+-----------
--|  (1,0) | {}
--|  (0,2) | {"(0,1)"}
--|  (0,1) |
--| (3 rows)
select * from k where p = '(0,1)';
--|    p   | q
--| -------+---
--|  (0,1) |
--| (1 row)
select p from k where p > '(0,1)' order by p;
--|    p
--| -------
--|  (0,2)
--|  (1,0)
--| (2 rows)
insert into k values ('(0,1)');
--| ERROR:  23505: duplicate key value violates unique constraint "k_pkey"
--| DETAIL:  Key (p)=((0,1)) already exists.
create table c (ctid int);
--| ERROR:  42701: column name "ctid" conflicts with a system column name
create role php_reader;
--| CREATE ROLE
create table secret (a int, b int);
--| CREATE TABLE
insert into secret values (1, 2);
--| INSERT 0 1
grant select (a) on secret to php_reader;
--| GRANT
set role php_reader;
--| SET
select a from secret;
--|  a
--| ---
--|  1
--| (1 row)
select ctid is not null from secret;
--| ERROR:  42501: permission denied for table secret
reset role;
--| RESET
grant select on secret to php_reader;
--| GRANT
set role php_reader;
--| SET
select ctid is not null from secret;
--|  ?column?
--| ----------
--|  t
--| (1 row)
reset role;
--| RESET
drop owned by php_reader;
--| DROP OWNED
drop role php_reader;
--| DROP ROLE
