-- VALUES as subqueries; what ON CONFLICT says of indexes.

create table k (key int, fruit text, n int);
--| CREATE TABLE
create unique index k1 on k (key, fruit text_pattern_ops);
--| CREATE INDEX
create unique index k2 on k (lower(fruit) text_pattern_ops) where n > 0;
--| CREATE INDEX
insert into k values (1, 'a') on conflict (key, fruit text_pattern_ops) do nothing;
--| INSERT 0 1
insert into k as t values (1, 'a', 2) on conflict (key, fruit) do update set n = excluded.n + 1 returning t.*;
--|  key | fruit | n
--| -----+-------+---
--|    1 | a     | 3
--| (1 row)
--| INSERT 0 1
insert into k as t values (2, 'A', 5) on conflict (lower(fruit) text_pattern_ops) where t.n > 0 do update set n = 77 returning *;
--|  key | fruit | n
--| -----+-------+----
--|    1 | a     | 77
--| (1 row)
--| INSERT 0 1
insert into k values (2, 'A', 5) on conflict (lower(fruit)) where k.n > 0 do update set n = 78 returning *;
--|  key | fruit | n
--| -----+-------+----
--|    1 | a     | 78
--| (1 row)
--| INSERT 0 1
insert into k as t values (2, 'A', 5) on conflict (lower(fruit)) where k.n > 0 do update set n = 78 returning *;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "k"
--| HINT:  Perhaps you meant to reference the table alias "t".
select 1 where 1 <> all (values (2),(3)), 2;
--| ERROR:  42601: syntax error at or near ","
select 1 where 1 <> all (values (2),(3));
--|  ?column?
--| ----------
--|         1
--| (1 row)
select 1 = any (values (2),(1)), 1 < some (values (2)), (values (1)), ((values (1)));
--|  ?column? | ?column? | column1 | column1
--| ----------+----------+---------+---------
--|  t        | t        |       1 |       1
--| (1 row)
select (values (1,2));
--| ERROR:  42601: subquery must return only one column
select (values (1),(2));
--| ERROR:  21000: more than one row returned by a subquery used as an expression
select 1 in (values (1),(2)), exists (values (1)), array(values (1),(2));
--|  ?column? | exists | array
--| ----------+--------+-------
--|  t        | t      | {1,2}
--| (1 row)
with recursive t(n) as (select (values(1)) union all select n+1 from t where n < 5) select * from t;
--|  n
--| ---
--|  1
--|  2
--|  3
--|  4
--|  5
--| (5 rows)
select * from (values (1),(2)) v where column1 = (values (2));
--|  column1
--| ---------
--|        2
--| (1 row)
create view vv as select 1 <> all (values (2),(3)) as x, (values (4)) as y;
--| CREATE VIEW
select pg_get_viewdef('vv'); select * from vv;
--|                 pg_get_viewdef
--| -----------------------------------------------
--|   SELECT (NOT (1 IN ( VALUES (2), (3)))) AS x,+
--|      ( VALUES (4)) AS y;
--| (1 row)
--|  x | y
--| ---+---
--|  t | 4
--| (1 row)
