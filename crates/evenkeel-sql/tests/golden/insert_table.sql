-- TABLE is a query like any other, also behind INSERT INTO.
create table u (id int primary key, y int);
--| CREATE TABLE
create table t (id int, y int);
--| CREATE TABLE
create table "table" (x int);
--| CREATE TABLE
insert into t values (1, 2);
--| INSERT 0 1
insert into u table t;
--| INSERT 0 1
insert into u table t on conflict do nothing;
--| INSERT 0 0
insert into u as z table t on conflict (id) do update set y = z.y + 1 returning *;
--|  id | y
--| ----+---
--|   1 | 3
--| (1 row)
--| INSERT 0 1
insert into public.u (y, id) table t;
--| INSERT 0 1
insert into t (y) table u;
--| ERROR:  42601: INSERT has more expressions than target columns
insert into t table only u returning id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
--| INSERT 0 2
with w as (select 7, 8) insert into t table w;
--| INSERT 0 1
insert into table t values (1);
--| ERROR:  42601: syntax error at or near "table"
insert into "table" table "table";
--| INSERT 0 0
select * from t order by 1, 2;
--|  id | y
--| ----+---
--|   1 | 2
--|   1 | 3
--|   2 | 1
--|   7 | 8
--| (4 rows)
