-- Rows as columns of queries, and their fields: of OLD and NEW in WITH, and of any other relation. Of `(old).a` PostgreSQL 18 reads the row as it is.
create table t (id int primary key, a int, b text default 'x', g int generated always as (a * 2) stored, v int generated always as (coalesce(a, 0) + 1) virtual);
--| CREATE TABLE
insert into t (id, a) values (1, 10), (2, 20);
--| INSERT 0 2
update t set a = a + 1 returning (old).v, (new).v, old.v, new.v, (old).g, (old).*;
--|  v  | v  | v  | v  | g  | id | a  | b | g  | v
--| ----+----+----+----+----+----+----+---+----+----
--|  12 | 12 | 11 | 12 | 22 |  1 | 11 | x | 22 | 12
--|  22 | 22 | 21 | 22 | 42 |  2 | 21 | x | 42 | 22
--| (2 rows)
--| UPDATE 2
insert into t (id, a) values (3, 30) returning (old).v, (new).v, old.v, old, new, (old).id, (old).*;
--|  v  | v  | v | old |      new       | id | id | a  | b | g  | v
--| ----+----+---+-----+----------------+----+----+----+---+----+----
--|  31 | 31 |   |     | (3,30,x,60,31) |  3 |  3 | 30 | x | 60 | 31
--| (1 row)
--| INSERT 0 1
delete from t where id = 3 returning (old).v, (new).v, new, old, (new).g, (new).*;
--|  v  | v  | new |      old       | g  | id | a  | b | g  | v
--| ----+----+-----+----------------+----+----+----+---+----+----
--|  31 | 31 |     | (3,30,x,60,31) | 60 |  3 | 30 | x | 60 | 31
--| (1 row)
--| DELETE 1
with m as (update t set a = a + 1 returning old, new) select (m.new).id, (m.old).a, (m.new).v, (m.old).v from m;
--|  id | a  | v  | v
--| ----+----+----+----
--|   1 | 11 | 13 | 12
--|   2 | 21 | 23 | 22
--| (2 rows)
with m as (update t set a = a + 1 returning old, new) select (new).id, (old).* from m;
--|  id | id | a  | b | g  | v
--| ----+----+----+---+----+----
--|   1 |  1 | 12 | x | 24 | 13
--|   2 |  2 | 22 | x | 44 | 23
--| (2 rows)
with m as (insert into t (id, a) values (4, 40) returning old, new) select (m.new).id, (m.old).a, (m.new).v, (m.old).v, m.old is null from m;
--|  id | a | v  | v | ?column?
--| ----+---+----+---+----------
--|   4 |   | 41 |   | t
--| (1 row)
with m as (delete from t where id = 4 returning old, new) select (m.new).id, (m.old).a, (m.new).v, (m.old).v, m.new is null from m;
--|  id | a  | v | v  | ?column?
--| ----+----+---+----+----------
--|     | 40 |   | 41 | t
--| (1 row)
with m as (update t set a = a + 1 returning old, new) select (m.new).zz from m;
--| ERROR:  42703: could not identify column "zz" in record data type
with m as (update t set a = a + 1 returning old as o, new as n) select (m.n).id - (m.o).id, to_jsonb(m.o), to_jsonb(m), row_to_json(n) from m;
--|  ?column? |                    to_jsonb                    |                                                  to_jsonb                                                  |              row_to_json
--| ----------+------------------------------------------------+------------------------------------------------------------------------------------------------------------+---------------------------------------
--|         0 | {"a": 13, "b": "x", "g": 26, "v": 14, "id": 1} | {"n": {"a": 14, "b": "x", "g": 28, "v": 15, "id": 1}, "o": {"a": 13, "b": "x", "g": 26, "v": 14, "id": 1}} | {"id":1,"a":14,"b":"x","g":28,"v":15}
--|         0 | {"a": 23, "b": "x", "g": 46, "v": 24, "id": 2} | {"n": {"a": 24, "b": "x", "g": 48, "v": 25, "id": 2}, "o": {"a": 23, "b": "x", "g": 46, "v": 24, "id": 2}} | {"id":2,"a":24,"b":"x","g":48,"v":25}
--| (2 rows)
with m as (merge into t using (values (1), (7)) s(i) on t.id = s.i when matched then update set a = 5 when not matched then insert (id, a) values (s.i, 1) when not matched by source then delete returning merge_action() as k, old as o, new as n) select k, (o).id, (n).id, (n).v, (o).v, o is null from m order by 1;
--|    k    | id | id | v | v  | ?column?
--| --------+----+----+---+----+----------
--|  DELETE |  2 |    |   | 25 | f
--|  INSERT |    |  7 | 2 |    | t
--|  UPDATE |  1 |  1 | 6 | 15 | f
--| (3 rows)
select (q.x).id, (q.x).v from (select t as x from t) q;
--|  id | v
--| ----+---
--|   1 | 6
--|   7 | 2
--| (2 rows)
select (q.x).* from (select t as x from t) q;
--|  id | a | b | g  | v
--| ----+---+---+----+---
--|   1 | 5 | x | 10 | 6
--|   7 | 1 | x |  2 | 2
--| (2 rows)
select (x).id, (q.x).zz from (select t as x from t) q;
--| ERROR:  42703: could not identify column "zz" in record data type
with w as (select t as x from t) select (w.x).id from w;
--|  id
--| ----
--|   1
--|   7
--| (2 rows)
select (q.x).f1, (q.x).f2 from (select row(1, 'a') as x) q;
--|  f1 | f2
--| ----+----
--|   1 | a
--| (1 row)
select (q.x).f3 from (select row(1, 'a') as x) q;
--| ERROR:  42703: could not identify column "f3" in record data type
select (q.x).* from (select row(1, 'a') as x) q;
--|  f1 | f2
--| ----+----
--|   1 | a
--| (1 row)
select (q.x).id from (select t as x from t union all select t from t) q;
--|  id
--| ----
--|   1
--|   7
--|   1
--|   7
--| (4 rows)
select (r.x).id from (select q.y as x from (select t as y from t) q) r;
--|  id
--| ----
--|   1
--|   7
--| (2 rows)
select ((q.x).y).id, (q.x).k from (select z as x from (select t as y, 5 as k from t) z) q;
--|  id | k
--| ----+---
--|   1 | 5
--|   7 | 5
--| (2 rows)
select (select (q.x).id from (select t as x) q) from t;
--|  id
--| ----
--|   1
--|   7
--| (2 rows)
select max((q.x).a), count(q.x) from (select t as x from t) q group by (q.x).b;
--|  max | count
--| -----+-------
--|    5 |     2
--| (1 row)
select (q.x).id from (select coalesce(t, t) as x from t) q where (q.x).a > 1;
--|  id
--| ----
--|   1
--| (1 row)
select (q.x).id, q.x is null from t left join (select u as x, u.id + 1 as k from t u) q on q.k = t.id;
--|  id | ?column?
--| ----+----------
--|     | t
--|     | t
--| (2 rows)
select (q.e).a from (select x as e from jsonb_to_recordset('[{"a": 1}]') as x(a int, b text)) q;
--|  a
--| ---
--|  1
--| (1 row)
select (q.x).key from (select json_each('{"a": 1}') as x) q;
--|  key
--| -----
--|  a
--| (1 row)
select (case when true then q.x end).id from (select t as x from t) q;
--|  id
--| ----
--|   1
--|   7
--| (2 rows)
select (q.x).id from (select distinct t as x from t) q;
--|  id
--| ----
--|   1
--|   7
--| (2 rows)
with recursive w as (select t as x, 1 as n from t union all select w.x, n + 1 from w where n < 2) select (w.x).id, n from w;
--|  id | n
--| ----+---
--|   1 | 1
--|   7 | 1
--|   1 | 2
--|   7 | 2
--| (4 rows)
select (select t from t limit 1).id;
--|  id
--| ----
--|   1
--| (1 row)
select (array(select t from t))[1].id;
--|  id
--| ----
--|   1
--| (1 row)
select (x.y).id from (values (1)) z(i), lateral (select t as y from t where t.id >= z.i) x;
--|  id
--| ----
--|   1
--|   7
--| (2 rows)
update t set a = a returning (select (q.e).a from (select old as e) q), (select (e).v from (select new as e) q);
--|  a | v
--| ---+---
--|  5 | 6
--|  1 | 2
--| (2 rows)
--| UPDATE 2
create view vr as select (q.x).id, (q.x).a from (select t as x from t) q;
--| CREATE VIEW
select * from vr;
--|  id | a
--| ----+---
--|   1 | 5
--|   7 | 1
--| (2 rows)
select pg_get_viewdef('vr'::regclass);
--|                       pg_get_viewdef
--| ----------------------------------------------------------
--|   select (q.x).id, (q.x).a from (select t as x from t) q;
--| (1 row)
