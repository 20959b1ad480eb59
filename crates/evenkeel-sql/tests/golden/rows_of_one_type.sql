-- Rows of a table beside values of its own type: NULL::t, and what a subquery or a column gives of them.

create table p(id int primary key, name text, n numeric(4,1));
--| CREATE TABLE
insert into p values(1,'A',5),(2,'B',6);
--| INSERT 0 2
select null::p union all select p from p order by 1;
--|      p
--| -----------
--|  (1,A,5.0)
--|  (2,B,6.0)
--|
--| (3 rows)
select p from p union select null::p order by 1;
--|      p
--| -----------
--|  (1,A,5.0)
--|  (2,B,6.0)
--|
--| (3 rows)
select null::p as r union all select (select p from p where id = 1);
--|      r
--| -----------
--|
--|  (1,A,5.0)
--| (2 rows)
select (r).name, r is null from (select null::p as r union all select p from p where id = 2) s;
--|  name | ?column?
--| ------+----------
--|       | t
--|  B    | f
--| (2 rows)
select coalesce((select p from p where id = 9), row(9,'q',1)::p), pg_typeof(coalesce((select p from p where id = 9), null::p));
--|  coalesce  | pg_typeof
--| -----------+-----------
--|  (9,q,1.0) | p
--| (1 row)
select (case when x = 1 then null::p else (select p from p where id = x) end).name from generate_series(1, 2) x;
--|  name
--| ------
--|
--|  B
--| (2 rows)
select (coalesce((array_agg(p order by id desc))[1], null::p)).* from p;
--|  id | name |  n
--| ----+------+-----
--|   2 | B    | 6.0
--| (1 row)
select array[null::p, (select p from p where id = 1)];
--|        array
--| --------------------
--|  {NULL,"(1,A,5.0)"}
--| (1 row)
values (null::p), ((select p from p where id = 1));
--|   column1
--| -----------
--|
--|  (1,A,5.0)
--| (2 rows)
select x.r = (select p from p where id = 1) as same from (select row(1,'A',5)::p r) x;
--|  same
--| ------
--|  t
--| (1 row)
-- Loops that carry a row along.
with recursive r as ((select null::p as row, array_agg(id order by id) ids, 0 as n from p) union all select (select p from p where id = r.ids[r.n + 1]), r.ids, r.n + 1 from r where r.n < 2) select (row).id, (row).name, n from r;
--|  id | name | n
--| ----+------+---
--|     |      | 0
--|   1 | A    | 1
--|   2 | B    | 2
--| (3 rows)
with recursive r(row, n) as (select p, 1 from p where id = 1 union all select null::p, n + 1 from r where n < 3) select (row).*, n from r;
--|  id | name |  n  | n
--| ----+------+-----+---
--|   1 | A    | 5.0 | 1
--|     |      |     | 2
--|     |      |     | 3
--| (3 rows)
-- The row of another table is none of it, even if it has the same columns.
create table q(num int, label text, n numeric(4,1));
--| CREATE TABLE
insert into q values(1,'A',5);
--| INSERT 0 1
select null::p union all select q from q;
--| ERROR:  42846: UNION could not convert type q to p
select coalesce((select q from q), null::p);
--| ERROR:  42846: COALESCE could not convert type p to q
select (select q from q)::p;
--| ERROR:  42846: cannot cast type q to p
