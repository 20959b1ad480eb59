-- INSERT, UPDATE and DELETE in WITH: all parts of a statement see the same rows, and are run to their ends whether read or not.

create table t (id serial primary key, a int);
--| CREATE TABLE
create table log (n serial, what text, v int);
--| CREATE TABLE
with x as (insert into t (a) values (1), (2) returning id, a) select * from x;
--|  id | a
--| ----+---
--|   1 | 1
--|   2 | 2
--| (2 rows)
with x as (insert into t (a) values (3) returning *), y as (insert into t (a) values (4) returning *) select 1;
--|  ?column?
--| ----------
--|         1
--| (1 row)
select * from t;
--|  id | a
--| ----+---
--|   1 | 1
--|   2 | 2
--|   3 | 4
--|   4 | 3
--| (4 rows)
with x as (insert into t (a) values (3) returning *), y as (insert into log (what, v) select 'ins', id from x returning *) select * from y;
--|  n | what | v
--| ---+------+---
--|  1 | ins  | 5
--| (1 row)
with x as (update t set a = a + 10 returning *) select count(*) from t where a > 10;
--|  count
--| -------
--|      0
--| (1 row)
with x as (update t set a = 0) delete from t;
--| DELETE 5
select * from t;
--|  id | a
--| ----+---
--| (0 rows)
with x as (delete from t where id <= 2 returning *) insert into log (what, v) select 'del', a from x;
--| INSERT 0 0
with x as (insert into t values (5)) select * from x;
--| ERROR:  0A000: WITH query "x" does not have a RETURNING clause
select (with x as (insert into t values (5) returning *) select id from x);
--| ERROR:  0A000: WITH clause containing a data-modifying statement must be at the top level
insert into t (a) with x as (delete from log returning v) select v from x;
--| ERROR:  0A000: WITH clause containing a data-modifying statement must be at the top level
with a as (with b as (insert into t (a) values (1) returning *) select * from b) select * from a;
--| ERROR:  0A000: WITH clause containing a data-modifying statement must be at the top level
with a as (with b as (select 100 as z) insert into t (a) select z from b returning *) select * from a;
--|  id |  a
--| ----+-----
--|   6 | 100
--| (1 row)
create view v as with x as (delete from t returning *) select * from x;
--| ERROR:  0A000: views must not contain data-modifying statements in WITH
create table ct as with x as (delete from log returning *) select what, v from x order by v;
--| SELECT 1
select * from ct;
--|  what | v
--| ------+---
--|  ins  | 5
--| (1 row)
with recursive x as (insert into t (a) select a from x returning a) select * from x;
--| ERROR:  42P19: recursive query "x" must not contain data-modifying statements
with recursive r(n) as (select 1 union all select n+1 from r where n < 3), x as (insert into t (a) select n from r returning a) select * from x;
--|  a
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
begin read only;
--| BEGIN
with x as (insert into t (a) values (1) returning *) select * from x;
--| ERROR:  25006: cannot execute SELECT in a read-only transaction
rollback;
--| ROLLBACK
create table parent (id int primary key);
--| CREATE TABLE
create table child (p int references parent);
--| CREATE TABLE
with p as (insert into parent values (1), (2) returning id) insert into child select id from p;
--| INSERT 0 2
with p as (insert into parent values (3) returning id) insert into child select id + 1 from p;
--| ERROR:  23503: insert or update on table "child" violates foreign key constraint "child_p_fkey"
--| DETAIL:  Key (p)=(4) is not present in table "parent".
with c as (delete from child) delete from parent;
--| DELETE 2
with p as (delete from parent returning id) delete from child;
--| DELETE 0
with x as (insert into parent values (7) returning *), y as (insert into parent values (7) returning *) select * from x, y;
--| ERROR:  23505: duplicate key value violates unique constraint "parent_pkey"
--| DETAIL:  Key (id)=(7) already exists.
with x as (insert into parent values (7) returning *) insert into parent values (7) on conflict (id) do nothing;
--| ERROR:  23505: duplicate key value violates unique constraint "parent_pkey"
--| DETAIL:  Key (id)=(7) already exists.
with x as (insert into parent values (8) returning *) insert into parent values (8) on conflict (id) do update set id = 9;
--| ERROR:  23505: duplicate key value violates unique constraint "parent_pkey"
--| DETAIL:  Key (id)=(8) already exists.
with x as (update t set a = 100 where id = 5 returning id), y as (update t set a = 200 where id = 5 returning id) select x.id, y.id from x full join y on true;
--|  id | id
--| ----+----
--| (0 rows)
select * from t;
--|  id |  a
--| ----+-----
--|   6 | 100
--|   7 |   1
--|   8 |   2
--|   9 |   3
--| (4 rows)
with x as (insert into t (a) select generate_series(1, 5) returning id, a) select a from x limit 1;
--|  a
--| ---
--|  1
--| (1 row)
select count(*) from t;
--|  count
--| -------
--|      9
--| (1 row)
with x as (insert into t (a) values (55) returning id), y as (select * from t where a = 55) select count(*) from y, x;
--|  count
--| -------
--|      0
--| (1 row)
with x as not materialized (insert into t (a) values (56) returning id) select count(*) from x a, x b;
--|  count
--| -------
--|      1
--| (1 row)
with x(k, l) as (insert into t (a) values (57) returning a, a + 1) select * from x;
--|  k  | l
--| ----+----
--|  57 | 58
--| (1 row)
with x(k, l, m) as (insert into t (a) values (57) returning a, a + 1) select * from x;
--| ERROR:  42P10: WITH query "x" has 2 columns available but 3 columns specified
copy (with x as (insert into t (a) values (58) returning a) select * from x) to stdout;
--| 58
with x as (select 1) select * from x where exists (with y as (delete from t) select 1);
--| ERROR:  0A000: WITH clause containing a data-modifying statement must be at the top level
create materialized view mv as with x as (delete from t returning *) select * from x;
--| ERROR:  0A000: materialized views must not use data-modifying statements in WITH
with x as (insert into t (a) values (1) returning *) (select a from x union all select a from x) order by 1;
--|  a
--| ---
--|  1
--|  1
--| (2 rows)
(with x as (insert into t (a) values (1) returning *) select a from x) union all select 1;
--| ERROR:  0A000: WITH clause containing a data-modifying statement must be at the top level
with x as (insert into t (a) values (77) returning *) update t set a = x.a from x where t.id = (select max(id) from t) returning t.a, x.a;
--|  a  | a
--| ----+----
--|  77 | 77
--| (1 row)
--| UPDATE 1
with x as (update t set a = a + 1 where a = 77 returning id, a), y as (delete from t using x where t.id = x.id returning t.id) select count(*) from y;
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from t where a in (77, 78);
--|  count
--| -------
--|      2
--| (1 row)
with moved as (delete from t where a < 5 returning *), kept as (insert into log (what, v) select 'moved', a from moved returning v) select sum(v), (select count(*) from moved) from kept;
--|  sum | count
--| -----+-------
--|   16 |     7
--| (1 row)
select what, count(*) from log group by 1;
--|  what  | count
--| -------+-------
--|  moved |     7
--| (1 row)
prepare p as with x as (insert into t (a) values ($1) returning a) select a * 2 from x;
--| PREPARE
execute p(21);
--|  ?column?
--| ----------
--|        42
--| (1 row)
execute p(22);
--|  ?column?
--| ----------
--|        44
--| (1 row)
select count(*) from t where a in (21, 22);
--|  count
--| -------
--|      2
--| (1 row)
-- A row is changed once.
create table one (id int primary key, v text);
--| CREATE TABLE
insert into one values (1, 'a');
--| INSERT 0 1
with x as (update one set v = v || 'x' returning v), y as (update one set v = v || 'y' returning v) select (select v from x), (select v from y);
--|  v  | v
--| ----+---
--|  ax |
--| (1 row)
select * from one;
--|  id | v
--| ----+----
--|   1 | ax
--| (1 row)
with x as (delete from one returning v), y as (update one set v = 'z' returning v) select (select v from x) as x, (select v from y) as y;
--|  x  | y
--| ----+---
--|  ax |
--| (1 row)
select * from one;
--|  id | v
--| ----+---
--| (0 rows)
-- Keys, and what refers to them.
create table self (id int primary key, up int references self on delete set null, check (id > 0));
--| CREATE TABLE
with a as (insert into self values (1, 2)) insert into self values (2, 1);
--| INSERT 0 1
with a as (delete from self where id = 1 returning id) insert into self values (-1, null);
--| ERROR:  23514: new row for relation "self" violates check constraint "self_id_check"
--| DETAIL:  Failing row contains (-1, null).
with a as (delete from self where id = 1 returning id) insert into self select 3, id from a;
--| INSERT 0 1
with a as (delete from self where id = 1 returning id) insert into self values (3, null);
--| ERROR:  23505: duplicate key value violates unique constraint "self_pkey"
--| DETAIL:  Key (id)=(3) already exists.
select * from self order by 1;
--|  id | up
--| ----+----
--|   2 |
--|   3 |
--| (2 rows)
with a as (insert into self values (9, 10) returning id), b as (insert into self values (10, 9) returning id) select a.id, b.id from a, b;
--|  id | id
--| ----+----
--|   9 | 10
--| (1 row)
with a as (insert into self values (20, 21) returning id), b as (delete from self where id = 9) select 1;
--| ERROR:  23503: insert or update on table "self" violates foreign key constraint "self_up_fkey"
--| DETAIL:  Key (up)=(21) is not present in table "self".
-- Errors roll all of it back.
with a as (insert into one values (5, 'x')), b as (insert into one values (6, (1 / (select 0))::text)) select 1;
--| ERROR:  22012: division by zero
select count(*) from one;
--|  count
--| -------
--|      0
--| (1 row)
-- A statement with a row limit, or in a function of the protocol, is run to its end.
with a as (insert into one select generate_series(100, 300), 'many' returning id) select count(*) from a;
--|  count
--| -------
--|    201
--| (1 row)
with a as (update one set v = 'more' where id >= 100 returning id) select count(*) from (select * from a limit 3) s;
--|  count
--| -------
--|      3
--| (1 row)
select count(*) from one where v = 'more';
--|  count
--| -------
--|    201
--| (1 row)
with a as (insert into one values (100, 'x') on conflict (id) do update set v = excluded.v returning *) select * from a;
--|  id  | v
--| -----+---
--|  100 | x
--| (1 row)
with recursive a as (insert into one values (500, 'r') returning id), r(n) as (select id from a union all select n + 1 from r where n < 503) select * from r;
--|   n
--| -----
--|  500
--|  501
--|  502
--|  503
--| (4 rows)
