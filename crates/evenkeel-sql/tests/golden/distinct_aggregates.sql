-- Aggregates of distinct values that keep an order are given them sorted.
create table da (x int, t text, j jsonb);
--| CREATE TABLE
insert into da values (3,'b','1'),(1,'a','2'),(null,'c',null),(2,'B','1'),(3,'b','1'),(1,'d','2');
--| INSERT 0 6
select array_agg(distinct x), string_agg(distinct t, ','), jsonb_agg(distinct x), json_agg(distinct j), array_agg(distinct t) filter (where x > 1), count(distinct x) from da;
--|   array_agg   | string_agg |    jsonb_agg    |   json_agg   | array_agg | count
--| --------------+------------+-----------------+--------------+-----------+-------
--|  {1,2,3,NULL} | B,a,b,c,d  | [1, 2, 3, null] | [1, 2, null] | {B,b}     |     3
--| (1 row)
select x % 2, array_agg(distinct t), json_object_agg(distinct t, x) from da group by 1 order by 1;
--|  ?column? | array_agg |        json_object_agg
--| ----------+-----------+-------------------------------
--|         0 | {B}       | { "B" : 2 }
--|         1 | {a,b,d}   | { "a" : 1, "b" : 3, "d" : 1 }
--|           | {c}       | { "c" : null }
--| (3 rows)
create view dav as select array_agg(distinct x) as a, string_agg(distinct t, ',' order by t) as b from da;
--| CREATE VIEW
select pg_get_viewdef('dav'::regclass);
--|                     pg_get_viewdef
--| -------------------------------------------------------
--|   SELECT array_agg(DISTINCT x) AS a,                  +
--|      string_agg(DISTINCT t, ','::text ORDER BY t) AS b+
--|     FROM da;
--| (1 row)
select array_agg(distinct (x, t)), array_agg(distinct array[x]) from da;
--|                 array_agg                 |      array_agg
--| ------------------------------------------+----------------------
--|  {"(1,a)","(1,d)","(2,B)","(3,b)","(,c)"} | {{1},{2},{3},{NULL}}
--| (1 row)
