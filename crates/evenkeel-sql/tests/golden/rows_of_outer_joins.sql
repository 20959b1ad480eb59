-- Rows of relations as values, where an outer join leaves the relation without one: NULL, not a row of NULLs.

create table t1 (a int, b text);
--| CREATE TABLE
create table t2 (a int, c text);
--| CREATE TABLE
insert into t1 values (1, 'x'), (2, 'y');
--| INSERT 0 2
insert into t2 values (1, 'z'), (3, null);
--| INSERT 0 2
select t1, t2, coalesce(t1::text, '-'), t2.tableoid::regclass, (t2).c, (t1.*).b from t1 full join t2 using (a) order by 1, 2;
--|   t1   |  t2   | coalesce | tableoid | c | b
--| -------+-------+----------+----------+---+---
--|  (1,x) | (1,z) | (1,x)    | t2       | z | x
--|  (2,y) |       | (2,y)    |          |   | y
--|        | (3,)  | -        | t2       |   |
--| (3 rows)
select t1, s, s is null, row_to_json(s), (s).c from t1 left join (select * from t2) s on s.a = t1.a order by 1;
--|   t1   |   s   | ?column? |   row_to_json   | c
--| -------+-------+----------+-----------------+---
--|  (1,x) | (1,z) | f        | {"a":1,"c":"z"} | z
--|  (2,y) |       | t        |                 |
--| (2 rows)
select t1, s, json_agg(s) from t1 left join (values (1, 'k')) s(a, b) on s.a = t1.a group by 1, 2 order by 1;
--|   t1   |   s   |     json_agg
--| -------+-------+-------------------
--|  (1,x) | (1,k) | [{"a":1,"b":"k"}]
--|  (2,y) |       | [null]
--| (2 rows)
select j, j is null from t1 left join (t2 cross join (select 1 as one) o) j on j.a = t1.a order by t1.a;
--|     j    | ?column?
--| ---------+----------
--|  (1,z,1) | f
--|          | t
--| (2 rows)
select t1.a, (select row_to_json(t2)) from t1 left join t2 using (a) order by 1;
--|  a |   row_to_json
--| ---+-----------------
--|  1 | {"a":1,"c":"z"}
--|  2 |
--| (2 rows)
select t1.a, l.* from t1 left join t2 using (a), lateral (select row_to_json(t2) as r, t2.*) l order by 1;
--|  a |        r        | a | c
--| ---+-----------------+---+---
--|  1 | {"a":1,"c":"z"} | 1 | z
--|  2 |                 |   |
--| (2 rows)
create view v1 as select t1.a, count(t2.*) as n, count(s.*) as m, row_to_json(t2) as r from t1 left join t2 using (a) left join (select * from t2) s on s.a = t1.a group by t1.a, t2;
--| CREATE VIEW
select pg_get_viewdef('v1');
--|                 pg_get_viewdef
--| -----------------------------------------------
--|   SELECT t1.a,                                +
--|      count(t2.*) AS n,                        +
--|      count(s.*) AS m,                         +
--|      row_to_json(t2.*) AS r                   +
--|     FROM ((t1                                 +
--|       LEFT JOIN t2 USING (a))                 +
--|       LEFT JOIN ( SELECT t2_1.a,              +
--|              t2_1.c                           +
--|             FROM t2 t2_1) s ON ((s.a = t1.a)))+
--|    GROUP BY t1.a, t2.*;
--| (1 row)
select * from v1 order by 1;
--|  a | n | m |        r
--| ---+---+---+-----------------
--|  1 | 1 | 1 | {"a":1,"c":"z"}
--|  2 | 0 | 0 |
--| (2 rows)
