-- RETURNING: the old and the new version of rows.

create table t (id int primary key, a int, b text default 'x', g int generated always as (a * 2) stored, v int generated always as (coalesce(a, 0) + 1) virtual);
--| CREATE TABLE
insert into t (id, a) values (1, 10), (2, 20) returning old.*, new.*;
--|  id | a | b | g | v | id | a  | b | g  | v
--| ----+---+---+---+---+----+----+---+----+----
--|     |   |   |   |   |  1 | 10 | x | 20 | 11
--|     |   |   |   |   |  2 | 20 | x | 40 | 21
--| (2 rows)
--| INSERT 0 2
insert into t (id, a) values (3, 30) returning id, old.a, new.a, old.v, new.v, old, new, old is null as none, new.b || '!' as said;
--|  id | a | a  | v | v  | old |      new       | none | said
--| ----+---+----+---+----+-----+----------------+------+------
--|   3 |   | 30 |   | 31 |     | (3,30,x,60,31) | t    | x!
--| (1 row)
--| INSERT 0 1
update t set a = a + 1 where id < 3 returning old.a, new.a, a, old.g, new.g, old.v, new.v, new.a - old.a as diff;
--|  a  | a  | a  | g  | g  | v  | v  | diff
--| ----+----+----+----+----+----+----+------
--|  10 | 11 | 11 | 20 | 22 | 11 | 12 |    1
--|  20 | 21 | 21 | 40 | 42 | 21 | 22 |    1
--| (2 rows)
--| UPDATE 2
update t set a = 5, b = null where id = 3 returning old, new, old.b, new.b, old.tableoid = 't'::regclass as o, new.tableoid = 't'::regclass as n;
--|       old       |     new     | b | b | o | n
--| ----------------+-------------+---+---+---+---
--|  (3,30,x,60,31) | (3,5,,10,6) | x |   | t | t
--| (1 row)
--| UPDATE 1
update t set a = a returning *;
--|  id | a  | b | g  | v
--| ----+----+---+----+----
--|   1 | 11 | x | 22 | 12
--|   2 | 21 | x | 42 | 22
--|   3 |  5 |   | 10 |  6
--| (3 rows)
--| UPDATE 3
update t set a = a where id = 1 returning old.*, *;
--|  id | a  | b | g  | v  | id | a  | b | g  | v
--| ----+----+---+----+----+----+----+---+----+----
--|   1 | 11 | x | 22 | 12 |  1 | 11 | x | 22 | 12
--| (1 row)
--| UPDATE 1
delete from t where id = 3 returning id, old.a, new.a, old, new, new is null as gone, old.v, new.v, new.tableoid, coalesce(new.a, -1);
--|  id | a | a |     old     | new | gone | v | v | tableoid | coalesce
--| ----+---+---+-------------+-----+------+---+---+----------+----------
--|   3 | 5 |   | (3,5,,10,6) |     | t    | 6 |   |          |       -1
--| (1 row)
--| DELETE 1
-- the row that stood in the way is the old one
insert into t (id, a) values (1, 100), (4, 400) on conflict (id) do update set a = excluded.a + t.a returning id, old.a as was, new.a as is, old is null as is_new, b;
--|  id | was | is  | is_new | b
--| ----+-----+-----+--------+---
--|   1 |  11 | 111 | f      | x
--|   4 |     | 400 | t      | x
--| (2 rows)
--| INSERT 0 2
insert into t (id, a) values (1, 100) on conflict do nothing returning old.a, new.a;
--|  a | a
--| ---+---
--| (0 rows)
--| INSERT 0 0
-- names
update t set a = 1 where id = 4 returning with (old as o, new as n) o.a, n.a, o.*, n;
--|   a  | a | id |  a  | b |  g  |  v  |      n
--| -----+---+----+-----+---+-----+-----+-------------
--|  400 | 1 |  4 | 400 | x | 800 | 401 | (4,1,x,2,2)
--| (1 row)
--| UPDATE 1
update t set a = 2 where id = 4 returning with (old as before) before.a, new.a;
--|  a | a
--| ---+---
--|  1 | 2
--| (1 row)
--| UPDATE 1
update t set a = 3 where id = 4 returning with (new as "After") old.a, "After".a;
--|  a | a
--| ---+---
--|  2 | 3
--| (1 row)
--| UPDATE 1
update t set a = 4 where id = 4 returning with (old as o) old.a;
--| ERROR:  42P01: missing FROM-clause entry for table "old"
update t set a = 4 where id = 4 returning with (new as old) old.a, new.a;
--| ERROR:  42P01: missing FROM-clause entry for table "new"
update t set a = 4 where id = 4 returning with (new as old) old.a, old.b;
--|  a | b
--| ---+---
--|  4 | x
--| (1 row)
--| UPDATE 1
update t set a = 4 where id = 4 returning with (old as o, old as p) o.a;
--| ERROR:  42601: OLD cannot be specified multiple times
update t set a = 4 where id = 4 returning with (new as o, new as p) o.a;
--| ERROR:  42601: NEW cannot be specified multiple times
update t set a = 4 where id = 4 returning with (old as x, new as x) x.a;
--| ERROR:  42712: table name "x" specified more than once
update t set a = 4 where id = 4 returning with (old as t) t.a;
--| ERROR:  42712: table name "t" specified more than once
update t set a = 4 where id = 4 returning with (other as t) t.a;
--| ERROR:  42601: syntax error at or near "other"
update t set a = 4 where id = 4 returning with (old o) o.a;
--| ERROR:  42601: syntax error at or near "o"
update t set a = 4 where id = 4 returning with (old as o);
--| ERROR:  42601: syntax error at or near ";"
update t set a = 4 where id = 4 returning with () a;
--| ERROR:  42601: syntax error at or near ")"
update t old set a = 5 where id = 4 returning old.a, new.a, old.*;
--|  a | a | id | a | b | g  | v
--| ---+---+----+---+---+----+---
--|  5 | 5 |  4 | 5 | x | 10 | 6
--| (1 row)
--| UPDATE 1
update t new set a = 6 where id = 4 returning old.a, new.a;
--|  a | a
--| ---+---
--|  5 | 6
--| (1 row)
--| UPDATE 1
update t as old set a = 7 from (select 99 as a) new where id = 4 returning old.a, new.a;
--|  a | a
--| ---+----
--|  7 | 99
--| (1 row)
--| UPDATE 1
update t set a = 8 where id = 4 returning t.a, old.nosuch;
--| ERROR:  42703: column old.nosuch does not exist
update t set a = old.a where id = 4;
--| ERROR:  42P01: missing FROM-clause entry for table "old"
update t set a = 8 where old.id = 4;
--| ERROR:  42P01: missing FROM-clause entry for table "old"
insert into t (id, a) values (9, old.a);
--| ERROR:  42P01: missing FROM-clause entry for table "old"
create table n (old int, new text);
--| CREATE TABLE
insert into n values (1, 'a') returning old, new, old.old, new.new;
--|  old | new | old | new
--| -----+-----+-----+-----
--|    1 | a   |     | a
--| (1 row)
--| INSERT 0 1
update n set old = 2 returning old, old.old, new.old, new, new.*;
--|  old | old | old | new | old | new
--| -----+-----+-----+-----+-----+-----
--|    2 |   1 |   2 | a   |   2 | a
--| (1 row)
--| UPDATE 1
drop table n;
--| DROP TABLE
-- joins, subqueries, JSON
create table s (id int, x int);
--| CREATE TABLE
insert into s values (1, 7), (2, 8);
--| INSERT 0 2
update t set a = s.x from s where s.id = t.id returning old.a, new.a, s.*, (select old.a + new.a), (select count(*) from s s2 where s2.x > new.a or s2.x < old.a);
--|   a  | a | id | x | ?column? | count
--| -----+---+----+---+----------+-------
--|  111 | 7 |  1 | 7 |      118 |     2
--|   21 | 8 |  2 | 8 |       29 |     2
--| (2 rows)
--| UPDATE 2
delete from t using s where s.id = t.id and s.id = 2 returning old.a, s.x, new.id, (select max(x) + old.a from s);
--|  a | x | id | ?column?
--| ---+---+----+----------
--|  8 | 8 |    |       16
--| (1 row)
--| DELETE 1
update t set a = 11 where id = 1 returning to_json(old), row_to_json(new), (new).a, old.v, to_jsonb(new) - 'b';
--|                to_json               |              row_to_json              | a  | v |               ?column?
--| -------------------------------------+---------------------------------------+----+---+--------------------------------------
--|  {"id":1,"a":7,"b":"x","g":14,"v":8} | {"id":1,"a":11,"b":"x","g":22,"v":12} | 11 | 8 | {"a": 11, "g": 22, "v": 12, "id": 1}
--| (1 row)
--| UPDATE 1
insert into t (id, a) values (6, 6) returning to_jsonb(old), to_jsonb(new);
--|  to_jsonb |                   to_jsonb
--| ----------+----------------------------------------------
--|           | {"a": 6, "b": "x", "g": 12, "v": 7, "id": 6}
--| (1 row)
--| INSERT 0 1
update t set b = 'z' where id = 1 returning old = new as same, old is distinct from new as other, row(old.a, new.b);
--|  same | other |  row
--| ------+-------+--------
--|  f    | t     | (11,z)
--| (1 row)
--| UPDATE 1
update t set b = 'y' where id = 1 returning case when old.b is distinct from new.b then old.b end, count(*) over ();
--| ERROR:  42P20: window functions are not allowed in RETURNING
update t set b = 'y' where id = 1 returning sum(new.a);
--| ERROR:  42803: aggregate functions are not allowed in RETURNING
-- data-modifying CTEs
with u as (update t set a = a * 2 where id = 1 returning old.a as was, new.a as now) select was, now, now - was as diff from u;
--|  was | now | diff
--| -----+-----+------
--|   11 |  22 |   11
--| (1 row)
with d as (delete from t where id = 6 returning old.*) insert into t (id, a) select id + 1, a from d returning old.id, new.id, new.a;
--|  id | id | a
--| ----+----+---
--|     |  7 | 6
--| (1 row)
--| INSERT 0 1
with m as (insert into t (id, a) values (1, 1), (8, 8) on conflict (id) do update set a = 0 returning old, new) select * from m;
--|       old       |     new
--| ----------------+--------------
--|  (1,22,z,44,23) | (1,0,z,0,1)
--|                 | (8,8,x,16,9)
--| (2 rows)
-- MERGE
merge into t using (values (1, 5), (50, 50)) y(i, j) on t.id = y.i when matched then update set a = y.j when not matched then insert (id, a) values (i, j) returning merge_action(), old.a, new.a, old.v, new.v, old is null, y.*;
--|  merge_action | a | a  | v | v  | ?column? | i  | j
--| --------------+---+----+---+----+----------+----+----
--|  UPDATE       | 0 |  5 | 1 |  6 | f        |  1 |  5
--|  INSERT       |   | 50 |   | 51 | t        | 50 | 50
--| (2 rows)
merge into t using (values (1), (50)) y(i) on t.id = y.i when matched and y.i = 50 then delete when matched then update set a = 6 returning with (old as o, new as n) merge_action(), o.a, n.a, n.id is null, a;
--|  merge_action | a  | a | ?column? | a
--| --------------+----+---+----------+----
--|  UPDATE       |  5 | 6 | f        |  6
--|  DELETE       | 50 |   | t        | 50
--| (2 rows)
-- views
create view w as select id, a as "A", a + 100 as more, 5 as five, b from t where id < 1000;
--| CREATE VIEW
insert into w (id, "A") values (60, 1) returning old.*, new.*, old.five, old;
--|  id | A | more | five | b | id | A | more | five | b | five | old
--| ----+---+------+------+---+----+---+------+------+---+------+-----
--|     |   |      |      |   | 60 | 1 |  101 |    5 | x |      |
--| (1 row)
--| INSERT 0 1
update w set "A" = "A" + 1 where id = 60 returning old."A", new."A", old.more, new.more, old.five, new.five, new;
--|  A | A | more | more | five | five |      new
--| ---+---+------+------+------+------+----------------
--|  1 | 2 |  101 |  102 |    5 |    5 | (60,2,102,5,x)
--| (1 row)
--| UPDATE 1
insert into w (id, "A") values (60, 7) on conflict (id) do update set "A" = excluded."A" returning old."A", new."A", old.more;
--|  A | A | more
--| ---+---+------
--|  2 | 7 |  102
--| (1 row)
--| INSERT 0 1
delete from w where id = 60 returning old.more, new.more, new.five, old.five;
--|  more | more | five | five
--| ------+------+------+------
--|   107 |      |      |    5
--| (1 row)
--| DELETE 1
merge into w using (values (61, 1)) y(i, j) on w.id = y.i when not matched then insert (id, "A") values (i, j) returning old.five, new.five, new.more;
--|  five | five | more
--| ------+------+------
--|       |    5 |  101
--| (1 row)
-- dropped columns
alter table t drop column b;
--| ERROR:  2BP01: cannot drop column b of table t because other objects depend on it
--| DETAIL:  view w depends on column b of table t
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
update t set a = 3 where id = 1 returning old.*, new;
--|  id | a | b | g  | v |     new
--| ----+---+---+----+---+-------------
--|   1 | 6 | z | 12 | 7 | (1,3,z,6,4)
--| (1 row)
--| UPDATE 1
alter table t add column c int default 9;
--| ALTER TABLE
update t set c = 10 where id = 1 returning old.c, new.c, old.*;
--|  c | c  | id | a | b | g | v | c
--| ---+----+----+---+---+---+---+---
--|  9 | 10 |  1 | 3 | z | 6 | 4 | 9
--| (1 row)
--| UPDATE 1
prepare q as update t set a = $1 where id = 1 returning old.a, new.a, $1 - old.a as d;
--| PREPARE
execute q(30);
--|  a | a  | d
--| ---+----+----
--|  3 | 30 | 27
--| (1 row)
--| UPDATE 1
execute q(31);
--|  a  | a  | d
--| ----+----+---
--|  30 | 31 | 1
--| (1 row)
--| UPDATE 1
-- self-referencing keys and cascades do not disturb it
create table p (id int primary key);
--| CREATE TABLE
create table c (id int references p on delete cascade on update cascade);
--| CREATE TABLE
insert into p values (1), (2);
--| INSERT 0 2
insert into c values (1), (2);
--| INSERT 0 2
update p set id = id + 10 where id = 1 returning old.id, new.id;
--|  id | id
--| ----+----
--|   1 | 11
--| (1 row)
--| UPDATE 1
delete from p where id = 2 returning old.id, new.id;
--|  id | id
--| ----+----
--|   2 |
--| (1 row)
--| DELETE 1
select * from c;
--|  id
--| ----
--|  11
--| (1 row)
-- privileges
create role reader;
--| CREATE ROLE
grant select (id), update (a) on t to reader;
--| GRANT
set role reader;
--| SET
update t set a = 1 where id = 1 returning old.id, new.id;
--|  id | id
--| ----+----
--|   1 |  1
--| (1 row)
--| UPDATE 1
update t set a = 1 where id = 1 returning old.a;
--| ERROR:  42501: permission denied for table t
update t set a = 1 where id = 1 returning new;
--| ERROR:  42501: permission denied for table t
reset role;
--| RESET
revoke all on t from reader;
--| REVOKE
drop role reader;
--| DROP ROLE
