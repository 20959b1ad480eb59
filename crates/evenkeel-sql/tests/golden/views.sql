-- Views: what they read, and what becomes of them when that changes.

create table t (id int primary key, a text, b numeric(10,2) default 0, c timestamptz);
--| CREATE TABLE
insert into t values (1, 'one', 1.5, '2024-01-01 00:00:00+00'), (2, 'two', 2.5, null), (3, null, null, null);
--| INSERT 0 3
create table u (id int references t, note varchar(20));
--| CREATE TABLE
insert into u values (1, 'x'), (1, 'y'), (3, 'z');
--| INSERT 0 3
create view v as select id, a from t where id < 3;
--| CREATE VIEW
select * from v order by id;
--|  id |  a
--| ----+-----
--|   1 | one
--|   2 | two
--| (2 rows)
create view v as select 1;
--| ERROR:  42P07: relation "v" already exists
create or replace view v as select id, a, b from t where id < 3;
--| CREATE VIEW
select * from v order by id desc;
--|  id |  a  |  b
--| ----+-----+------
--|   2 | two | 2.50
--|   1 | one | 1.50
--| (2 rows)
create or replace view v as select id from t;
--| ERROR:  42P16: cannot drop columns from view
create or replace view v as select id, a as aa, b from t;
--| ERROR:  42P16: cannot change name of view column "a" to "aa"
--| HINT:  Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.
create or replace view v as select id, a::varchar(3), b from t;
--| ERROR:  42P16: cannot change data type of view column "a" from text to character varying(3)
create or replace view v (x, y, z) as select id, a, b from t;
--| ERROR:  42P16: cannot change name of view column "id" to "x"
--| HINT:  Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.
create view w as select v.id, u.note, upper(v.a) as up from v left join u using (id);
--| CREATE VIEW
select * from w order by 1, 2;
--|  id | note | up
--| ----+------+-----
--|   1 | x    | ONE
--|   1 | y    | ONE
--|   2 |      | TWO
--| (3 rows)
create view ww (n, total) as select note, sum(id) from w group by note;
--| CREATE VIEW
select * from ww order by n;
--|  n | total
--| ---+-------
--|  x |     1
--|  y |     1
--|    |     2
--| (3 rows)
create view star as select *, id + 1 as next from t join u using (id);
--| CREATE VIEW
select * from star order by note;
--|  id |  a  |  b   |           c            | note | next
--| ----+-----+------+------------------------+------+------
--|   1 | one | 1.50 | 2024-01-01 00:00:00+00 | x    |    2
--|   1 | one | 1.50 | 2024-01-01 00:00:00+00 | y    |    2
--|   3 |     |      |                        | z    |    4
--| (3 rows)
alter table t add column d int default 7;
--| ALTER TABLE
select * from star order by note limit 1;
--|  id |  a  |  b   |           c            | note | next
--| ----+-----+------+------------------------+------+------
--|   1 | one | 1.50 | 2024-01-01 00:00:00+00 | x    |    2
--| (1 row)
alter table t rename column a to name;
--| ALTER TABLE
select a from v where id = 1;
--|   a
--| -----
--|  one
--| (1 row)
select up from w where id = 2;
--|  up
--| -----
--|  TWO
--| (1 row)
alter table t rename to tt;
--| ALTER TABLE
select a from v where id = 1;
--|   a
--| -----
--|  one
--| (1 row)
alter table tt rename to t;
--| ALTER TABLE
alter table t rename column name to a;
--| ALTER TABLE
create view bad as select 1 as x, 2 as x;
--| ERROR:  42701: column "x" specified more than once
create view bad (a, b) as select 1;
--| ERROR:  42601: CREATE VIEW specifies more column names than columns
create view bad as select $1::int;
--| ERROR:  42P02: there is no parameter $1
create view bad as select nope from t;
--| ERROR:  42703: column "nope" does not exist
create view bad as select * from nope;
--| ERROR:  42P01: relation "nope" does not exist
create view bad as insert into t values (9);
--| ERROR:  42601: syntax error at or near "insert"
create view bad as select 1 into x;
--| ERROR:  0A000: views must not contain SELECT INTO
create view bad as select 'text', null, 1;
--| ERROR:  42701: column "?column?" specified more than once
select column_name, data_type from information_schema.columns where table_name = 'bad' order by ordinal_position;
--|  column_name | data_type
--| -------------+-----------
--| (0 rows)
drop view bad;
--| ERROR:  42P01: view "bad" does not exist
drop table t;
--| ERROR:  2BP01: cannot drop table t because other objects depend on it
--| DETAIL:  constraint u_id_fkey on table u depends on table t
--| view v depends on table t
--| view w depends on view v
--| view ww depends on view w
--| view star depends on table t
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop table u;
--| ERROR:  2BP01: cannot drop table u because other objects depend on it
--| DETAIL:  view w depends on table u
--| view ww depends on view w
--| view star depends on table u
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
alter table t drop column a;
--| ERROR:  2BP01: cannot drop column a of table t because other objects depend on it
--| DETAIL:  view v depends on column a of table t
--| view star depends on column a of table t
--| view w depends on view v
--| view ww depends on view w
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
alter table t drop column c;
--| ERROR:  2BP01: cannot drop column c of table t because other objects depend on it
--| DETAIL:  view star depends on column c of table t
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop view v;
--| ERROR:  2BP01: cannot drop view v because other objects depend on it
--| DETAIL:  view w depends on view v
--| view ww depends on view w
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop view w, v;
--| ERROR:  2BP01: cannot drop desired object(s) because other objects depend on them
--| DETAIL:  view ww depends on view w
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop view if exists nope, nope2;
--| NOTICE:  view "nope" does not exist, skipping
--| NOTICE:  view "nope2" does not exist, skipping
--| DROP VIEW
drop view nope;
--| ERROR:  42P01: view "nope" does not exist
drop view t;
--| ERROR:  42809: "t" is not a view
--| HINT:  Use DROP TABLE to remove a table.
drop table v;
--| ERROR:  42809: "v" is not a table
--| HINT:  Use DROP VIEW to remove a view.
drop table w;
--| ERROR:  42809: "w" is not a table
--| HINT:  Use DROP VIEW to remove a view.
drop index v;
--| ERROR:  42809: "v" is not an index
--| HINT:  Use DROP VIEW to remove a view.
drop sequence v;
--| ERROR:  42809: "v" is not a sequence
--| HINT:  Use DROP VIEW to remove a view.
drop materialized view v;
--| ERROR:  42809: "v" is not a materialized view
--| HINT:  Use DROP VIEW to remove a view.
drop view ww;
--| DROP VIEW
drop view v cascade;
--| NOTICE:  drop cascades to view w
--| DROP VIEW
select viewname from pg_views where schemaname = 'public';
--|  viewname
--| ----------
--|  star
--| (1 row)
alter table t drop column d;
--| ALTER TABLE
create view one as select id from t;
--| CREATE VIEW
create view two as select id from one;
--| CREATE VIEW
create view three as select id from two union all select id from one;
--| CREATE VIEW
drop view one cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to view two
--| drop cascades to view three
--| DROP VIEW
create view one as select id from t;
--| CREATE VIEW
create view two as select id from u;
--| CREATE VIEW
drop table t cascade;
--| NOTICE:  drop cascades to 3 other objects
--| DETAIL:  drop cascades to constraint u_id_fkey on table u
--| drop cascades to view star
--| drop cascades to view one
--| DROP TABLE
select count(*) from two;
--|  count
--| -------
--|      3
--| (1 row)
drop view two;
--| DROP VIEW
drop table u;
--| DROP TABLE
-- Everything that a query may have.
create table e (id int, dept text, pay int, boss int);
--| CREATE TABLE
insert into e values (1, 'a', 10, null), (2, 'a', 20, 1), (3, 'b', 30, 1), (4, 'b', 40, 3), (5, 'c', 50, 4);
--| INSERT 0 5
create view agg as select dept, count(*) as n, sum(pay) filter (where pay > 10) as s, array_agg(id order by id desc) ids from e group by dept having count(*) > 0;
--| CREATE VIEW
select * from agg order by dept;
--|  dept | n | s  |  ids
--| ------+---+----+-------
--|  a    | 2 | 20 | {2,1}
--|  b    | 2 | 70 | {4,3}
--|  c    | 1 | 50 | {5}
--| (3 rows)
select n, s from agg where dept = 'b';
--|  n | s
--| ---+----
--|  2 | 70
--| (1 row)
create view win as select id, dept, row_number() over (partition by dept order by pay desc) as rn, sum(pay) over w as running from e window w as (order by id);
--| CREATE VIEW
select * from win where rn = 1 order by id;
--|  id | dept | rn | running
--| ----+------+----+---------
--|   2 | a    |  1 |      30
--|   4 | b    |  1 |     100
--|   5 | c    |  1 |     150
--| (3 rows)
create view rec as with recursive r (id, depth) as (select id, 0 from e where boss is null union all select e.id, r.depth + 1 from e join r on e.boss = r.id) select * from r;
--| CREATE VIEW
select * from rec order by id;
--|  id | depth
--| ----+-------
--|   1 |     0
--|   2 |     1
--|   3 |     1
--|   4 |     2
--|   5 |     3
--| (5 rows)
create recursive view nums (n) as values (1) union all select n + 1 from nums where n < 5;
--| CREATE VIEW
select sum(n) from nums;
--|  sum
--| -----
--|   15
--| (1 row)
create view sub as select (select max(pay) from e x where x.dept = e.dept) as top, id from e where exists (select 1 from e y where y.boss = e.id);
--| CREATE VIEW
select * from sub order by id;
--|  top | id
--| -----+----
--|   20 |  1
--|   40 |  3
--|   40 |  4
--| (3 rows)
create view lat as select e.id, x.n from e cross join lateral (select count(*) as n from e f where f.boss = e.id) x;
--| CREATE VIEW
select * from lat order by id;
--|  id | n
--| ----+---
--|   1 | 2
--|   2 | 0
--|   3 | 1
--|   4 | 1
--|   5 | 0
--| (5 rows)
create view vals (k, v) as values (1, 'a'), (2, 'b');
--| CREATE VIEW
select * from vals;
--|  k | v
--| ---+---
--|  1 | a
--|  2 | b
--| (2 rows)
create view uni as select id from e where id < 2 union select id from e where id > 4 order by id desc;
--| CREATE VIEW
select * from uni;
--|  id
--| ----
--|   5
--|   1
--| (2 rows)
create view lim as select id from e order by pay desc limit 2;
--| CREATE VIEW
select * from lim;
--|  id
--| ----
--|   5
--|   4
--| (2 rows)
create view dis as select distinct dept from e;
--| CREATE VIEW
select * from dis order by 1;
--|  dept
--| ------
--|  a
--|  b
--|  c
--| (3 rows)
create view series as select g, g * 2 as d from generate_series(1, 3) g;
--| CREATE VIEW
select * from series;
--|  g | d
--| ---+---
--|  1 | 2
--|  2 | 4
--|  3 | 6
--| (3 rows)
create view al as select x.id, x.pay as p from e as x where x.pay > 20;
--| CREATE VIEW
select * from al order by id;
--|  id | p
--| ----+----
--|   3 | 30
--|   4 | 40
--|   5 | 50
--| (3 rows)
select a1.id, a2.p from al a1 join al a2 on a1.id = a2.id + 1 order by 1;
--|  id | p
--| ----+----
--|   4 | 30
--|   5 | 40
--| (2 rows)
select * from al a where p = (select max(p) from al) for update;
--|  id | p
--| ----+----
--|   5 | 50
--| (1 row)
with e as (select 100 as pay, 100 as id) select (select count(*) from al), e.pay from e;
--|  count | pay
--| -------+-----
--|      3 | 100
--| (1 row)
select al from al where id = 3;
--|    al
--| --------
--|  (3,30)
--| (1 row)
select al.* from public.al where al.id = 3;
--|  id | p
--| ----+----
--|   3 | 30
--| (1 row)
prepare p (int) as select * from al where id = $1;
--| PREPARE
execute p(4);
--|  id | p
--| ----+----
--|   4 | 40
--| (1 row)
create or replace view al as select x.id, x.pay * 10 as p from e as x;
--| CREATE VIEW
execute p(4);
--|  id |  p
--| ----+-----
--|   4 | 400
--| (1 row)
deallocate p;
--| DEALLOCATE
explain (costs off) select * from al where id = 3;
--|      QUERY PLAN
--| --------------------
--|  Seq Scan on e x
--|    Filter: (id = 3)
--| (2 rows)
-- Names.
create schema s;
--| CREATE SCHEMA
create view s.al as select 'in s' as place;
--| CREATE VIEW
select place from s.al;
--|  place
--| -------
--|  in s
--| (1 row)
set search_path = s, public;
--| SET
select place from al;
--|  place
--| -------
--|  in s
--| (1 row)
reset search_path;
--| RESET
alter view s.al rename to moved;
--| ALTER VIEW
alter view s.moved set schema public;
--| ALTER VIEW
select place from moved;
--|  place
--| -------
--|  in s
--| (1 row)
alter view moved rename column place to spot;
--| ALTER VIEW
select spot from moved;
--|  spot
--| ------
--|  in s
--| (1 row)
alter view moved rename column nope to x;
--| ERROR:  42703: column "nope" does not exist
alter view nope rename to x;
--| ERROR:  42P01: relation "nope" does not exist
alter view if exists nope rename to x;
--| NOTICE:  relation "nope" does not exist, skipping
--| ALTER VIEW
alter view e rename to x;
--| ERROR:  42809: "e" is not a view
alter table moved rename to moved2;
--| ALTER TABLE
alter view moved2 owner to current_user;
--| ALTER VIEW
comment on view moved2 is 'a view';
--| COMMENT
comment on view e is 'x';
--| ERROR:  42809: "e" is not a view
select obj_description('moved2'::regclass, 'pg_class');
--|  obj_description
--| -----------------
--|  a view
--| (1 row)
drop schema s;
--| DROP SCHEMA
create schema s2;
--| CREATE SCHEMA
create view s2.x as select 1;
--| CREATE VIEW
drop schema s2;
--| ERROR:  2BP01: cannot drop schema s2 because other objects depend on it
--| DETAIL:  view s2.x depends on schema s2
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop schema s2 cascade;
--| NOTICE:  drop cascades to view s2.x
--| DROP SCHEMA
-- What catalogs say.
select relname, relkind, relhasrules, relnatts from pg_class where relname in ('al', 'agg') order by 1;
--|  relname | relkind | relhasrules | relnatts
--| ---------+---------+-------------+----------
--|  agg     | v       | t           |        4
--|  al      | v       | t           |        2
--| (2 rows)
select attname, format_type(atttypid, atttypmod), attnum from pg_attribute where attrelid = 'agg'::regclass and attnum > 0 order by attnum;
--|  attname | format_type | attnum
--| ---------+-------------+--------
--|  dept    | text        |      1
--|  n       | bigint      |      2
--|  s       | bigint      |      3
--|  ids     | integer[]   |      4
--| (4 rows)
select table_name, table_type from information_schema.tables where table_schema = 'public' and table_name in ('e', 'al') order by 1;
--|  table_name | table_type
--| ------------+------------
--|  al         | VIEW
--|  e          | BASE TABLE
--| (2 rows)
select is_updatable, check_option from information_schema.views where table_name = 'agg';
--|  is_updatable | check_option
--| --------------+--------------
--|  NO           | NONE
--| (1 row)
select 'al'::regclass, pg_get_viewdef('e'::regclass);
--|  regclass | pg_get_viewdef
--| ----------+----------------
--|  al       |
--| (1 row)
truncate al;
--| ERROR:  42809: "al" is not a table
copy al to stdout;
--| ERROR:  42809: cannot copy from view "al"
--| HINT:  Try the COPY (SELECT ...) TO variant.
copy al from stdin;
--| ERROR:  42809: cannot copy to view "al"
--| HINT:  To enable copying to a view, provide an INSTEAD OF INSERT trigger.
alter table al add column x int;
--| ERROR:  42809: ALTER action ADD COLUMN cannot be performed on relation "al"
--| DETAIL:  This operation is not supported for views.
create index on al (id);
--| ERROR:  42809: "al" is not a table
vacuum al;
--| WARNING:  skipping "al" --- cannot vacuum non-tables or special system tables
--| VACUUM
lock table al;
--| ERROR:  25P01: LOCK TABLE can only be used in transaction blocks
grant select on al to public;
--| GRANT
insert into agg values ('z', 1);
--| ERROR:  55000: cannot insert into view "agg"
--| DETAIL:  Views containing GROUP BY are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
update agg set n = 1;
--| ERROR:  55000: cannot update view "agg"
--| DETAIL:  Views containing GROUP BY are not automatically updatable.
--| HINT:  To enable updating the view, provide an INSTEAD OF UPDATE trigger or an unconditional ON UPDATE DO INSTEAD rule.
delete from agg;
--| ERROR:  55000: cannot delete from view "agg"
--| DETAIL:  Views containing GROUP BY are not automatically updatable.
--| HINT:  To enable deleting from the view, provide an INSTEAD OF DELETE trigger or an unconditional ON DELETE DO INSTEAD rule.
-- Whose rights.
create role reader;
--| CREATE ROLE
create role owner_of;
--| CREATE ROLE
grant create, usage on schema public to owner_of;
--| GRANT
create table secret (id int, word text);
--| CREATE TABLE
insert into secret values (1, 'x');
--| INSERT 0 1
grant select on secret to owner_of;
--| GRANT
set role owner_of;
--| SET
create view seen as select id from secret;
--| CREATE VIEW
grant select on seen to reader;
--| GRANT
set role reader;
--| SET
select * from seen;
--|  id
--| ----
--|   1
--| (1 row)
select * from secret;
--| ERROR:  42501: permission denied for table secret
create or replace view seen as select 1;
--| ERROR:  42501: permission denied for schema public
reset role;
--| RESET
alter view seen set (security_invoker = true);
--| ALTER VIEW
set role reader;
--| SET
select * from seen;
--| ERROR:  42501: permission denied for table secret
reset role;
--| RESET
alter view seen reset (security_invoker);
--| ALTER VIEW
revoke select on secret from owner_of;
--| REVOKE
set role reader;
--| SET
select * from seen;
--| ERROR:  42501: permission denied for table secret
reset role;
--| RESET
drop view seen;
--| DROP VIEW
drop table secret;
--| DROP TABLE
revoke create, usage on schema public from owner_of;
--| REVOKE
drop role reader, owner_of;
--| DROP ROLE
create view loop1 as select 1 as x;
--| CREATE VIEW
create view loop2 as select x from loop1;
--| CREATE VIEW
create or replace view loop1 as select x from loop2;
--| CREATE VIEW
select * from loop1;
--| ERROR:  42P17: infinite recursion detected in rules for relation "loop1"
drop view loop2 cascade;
--| NOTICE:  drop cascades to view loop1
--| DROP VIEW
drop table e cascade;
--| NOTICE:  drop cascades to 9 other objects
--| DETAIL:  drop cascades to view agg
--| drop cascades to view win
--| drop cascades to view rec
--| drop cascades to view sub
--| drop cascades to view lat
--| drop cascades to view uni
--| drop cascades to view lim
--| drop cascades to view dis
--| drop cascades to view al
--| DROP TABLE
