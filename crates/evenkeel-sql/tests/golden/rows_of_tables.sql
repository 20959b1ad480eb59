-- Rows of tables in arrays, aggregates, windows and functions: their fields stay known.

create table p(id int primary key, name text, n int, j jsonb);
--| CREATE TABLE
insert into p values(1,'A',5,'{"k":1}'),(2,'B',6,null);
--| INSERT 0 2
select (array_agg(p order by id))[1].name from p;
--|  name
--| ------
--|  A
--| (1 row)
select ((array_agg(p order by id desc))[1]).n from p;
--|  n
--| ---
--|  6
--| (1 row)
select ((array_agg(p order by id desc))[1]).* from p;
--|  id | name | n | j
--| ----+------+---+---
--|   2 | B    | 6 |
--| (1 row)
select (x).name from (select unnest(array_agg(p order by id)) x from p) s;
--|  name
--| ------
--|  A
--|  B
--| (2 rows)
select u.name from (select array_agg(p order by id) ps from p) s, unnest(ps) u;
--|  name
--| ------
--|  A
--|  B
--| (2 rows)
select u.* from unnest(array(select p from p order by id)) u;
--|  id | name | n |    j
--| ----+------+---+----------
--|   1 | A    | 5 | {"k": 1}
--|   2 | B    | 6 |
--| (2 rows)
select (array[p])[1].name from p where id = 1;
--|  name
--| ------
--|  A
--| (1 row)
select (array(select p from p order by id))[2].name;
--|  name
--| ------
--|  B
--| (1 row)
select row_to_json((array_agg(p order by id))[1]) from p;
--|               row_to_json
--| ----------------------------------------
--|  {"id":1,"name":"A","n":5,"j":{"k": 1}}
--| (1 row)
select to_json(array_agg(p order by id)) from p;
--|                                    to_json
--| -----------------------------------------------------------------------------
--|  [{"id":1,"name":"A","n":5,"j":{"k": 1}},{"id":2,"name":"B","n":6,"j":null}]
--| (1 row)
update p set (name, n) = (select name, n from jsonb_populate_record(p, '{"name":"upd"}')) where id=1 returning name, n;
--|  name | n
--| ------+---
--|  upd  | 5
--| (1 row)
--| UPDATE 1
select r.* from p, jsonb_populate_record(p, '{"name":"q"}') r order by 1;
--|  id | name | n |    j
--| ----+------+---+----------
--|   1 | q    | 5 | {"k": 1}
--|   2 | q    | 6 |
--| (2 rows)
select r.* from p cross join lateral json_populate_record(p, '{"name":"q"}') r order by 1;
--|  id | name | n |    j
--| ----+------+---+----------
--|   1 | q    | 5 | {"k": 1}
--|   2 | q    | 6 |
--| (2 rows)
select r.name from p, jsonb_populate_record(p.*, '{"name":"q"}') r order by 1;
--|  name
--| ------
--|  q
--|  q
--| (2 rows)
select p.* is not null, p.* is null from p order by id;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | f
--|  f        | f
--| (2 rows)
select a.id from p a left join p b on b.id = a.id + 1 where b.* is null;
--|  id
--| ----
--|   2
--| (1 row)
select (select p from p where id = 2).name;
--|  name
--| ------
--|  B
--| (1 row)
select (case when id=1 then p end).name from p order by id;
--|  name
--| ------
--|  upd
--|
--| (2 rows)
select (lag(p) over (order by id)).name, (first_value(p) over (order by id)).n from p;
--|  name | n
--| ------+---
--|       | 5
--|  upd  | 5
--| (2 rows)
select (max(p)).name from p;
--| ERROR:  42703: could not identify column "name" in record data type
select (x).name, (x).* from (select p as x from p) s order by 1;
--|  name | id | name | n |    j
--| ------+----+------+---+----------
--|  B    |  2 | B    | 6 |
--|  upd  |  1 | upd  | 5 | {"k": 1}
--| (2 rows)
with d as (select * from p) select (array_agg(d order by id))[1].name from d;
--| ERROR:  42703: could not identify column "name" in record data type
select (array_agg(s order by id))[1].name from (select id, name from p) s;
--| ERROR:  42703: could not identify column "name" in record data type
select array_agg(p order by id) from p;
--|                   array_agg
--| ---------------------------------------------
--|  {"(1,upd,5,\"{\"\"k\"\": 1}\")","(2,B,6,)"}
--| (1 row)
select (any_value(p)).name is not null, (array_agg(p order by id))[1:1] from p;
--|  ?column? |            array_agg
--| ----------+----------------------------------
--|  t        | {"(1,upd,5,\"{\"\"k\"\": 1}\")"}
--| (1 row)
select (last_value(p) over (order by id rows between unbounded preceding and unbounded following)).name, (array_agg(p) over (order by id))[1].n from p order by p.id;
--|  name | n
--| ------+---
--|  B    | 5
--|  B    | 5
--| (2 rows)
select (array(select p from p order by id desc))[1].*;
--|  id | name | n | j
--| ----+------+---+---
--|   2 | B    | 6 |
--| (1 row)
select (unnest(array_agg(p order by id))).name from p;
--|  name
--| ------
--|  upd
--|  B
--| (2 rows)
select * from unnest(array(select p from p order by id), array[10, 20]) as u(a, b, c, d, e);
--|  a |  b  | c |    d     | e
--| ---+-----+---+----------+----
--|  1 | upd | 5 | {"k": 1} | 10
--|  2 | B   | 6 |          | 20
--| (2 rows)
-- rows that are no table's are records
select (array_agg(s order by id))[1].name from (select id, name from p) s;
--| ERROR:  42703: could not identify column "name" in record data type
select u.name from unnest(array(select s from (select id, name from p) s)) u;
--| ERROR:  42601: a column definition list is required for functions returning "record"
create view first_of_group as select (array_agg(p order by id desc))[1].name as last, count(*) from p;
--| CREATE VIEW
select * from first_of_group;
--|  last | count
--| ------+-------
--|  B    |     2
--| (1 row)
drop table p cascade;
--| NOTICE:  drop cascades to view first_of_group
--| DROP TABLE
-- beside values of the table's own type
create table q (id int primary key, name text);
--| CREATE TABLE
insert into q values (1, 'A'), (2, 'B');
--| INSERT 0 2
select (coalesce(null::q, q)).name, (case when q.id = 1 then q else (7, 'x')::q end).*, coalesce(q, row(3, 'z')::q) from q order by q.id;
--|  name | id | name | coalesce
--| ------+----+------+----------
--|  A    |  1 | A    | (1,A)
--|  B    |  7 | x    | (2,B)
--| (2 rows)
select (coalesce(b, row(0, 'none')::q)).name from q a left join q b on b.id = a.id + 1 order by a.id;
--|  name
--| ------
--|  B
--|  none
--| (2 rows)
select array[q, null, (5, 'y')::q] from q where id = 1;
--|          array
--| ------------------------
--|  {"(1,A)",NULL,"(5,y)"}
--| (1 row)
