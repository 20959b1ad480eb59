-- UPDATE and DELETE end with RETURNING: an ORDER BY or a LIMIT behind them is refused, and nothing is changed.
create table t (id int primary key, x int);
--| CREATE TABLE
insert into t select g, 0 from generate_series(1,5) g;
--| INSERT 0 5
create table u (id int primary key, y int);
--| CREATE TABLE
insert into u values (1,1),(2,2);
--| INSERT 0 2
update t set x = 1 limit 1;
--| ERROR:  42601: syntax error at or near "limit"
update t set x = 1 where id > 1 limit 1;
--| ERROR:  42601: syntax error at or near "limit"
update t set x = 2 where id > 1 returning id limit 1;
--| ERROR:  42601: syntax error at or near "limit"
update t set x = 3 from u where u.id=t.id limit 1;
--| ERROR:  42601: syntax error at or near "limit"
update t set x = 3 order by id;
--| ERROR:  42601: syntax error at or near "order"
update t set x = 3 where id > 1 order by id limit 1;
--| ERROR:  42601: syntax error at or near "order"
update t as k set x = (select 1 limit 1) limit 1;
--| ERROR:  42601: syntax error at or near "limit"
with a as (update t set x=9 returning id limit 1) select * from a;
--| ERROR:  42601: syntax error at or near "limit"
with a as (select 1) update t set x=9 limit 1;
--| ERROR:  42601: syntax error at or near "limit"
explain update t set x = 1 limit 1;
--| ERROR:  42601: syntax error at or near "limit"
prepare p as update t set x = 1 limit 1;
--| ERROR:  42601: syntax error at or near "limit"
copy (update t set x = 1 returning id limit 1) to stdout;
--| ERROR:  42601: syntax error at or near "limit"
update or ignore t set x=1;
--| ERROR:  42601: syntax error at or near "or"
update or replace t set x=1;
--| ERROR:  42601: syntax error at or near "or"
update or rollback t set x=1;
--| ERROR:  42601: syntax error at or near "or"
with a as (select 1) update or ignore t set x=1;
--| ERROR:  42601: syntax error at or near "or"
with a as (update or ignore t set x=1 returning x) select * from a;
--| ERROR:  42601: syntax error at or near "or"
delete from t order by id limit 1;
--| ERROR:  42601: syntax error at or near "order"
delete from t where id > 3 returning id order by id;
--| ERROR:  42601: syntax error at or near "order"
delete from t using u where u.id=t.id order by 1 limit 1;
--| ERROR:  42601: syntax error at or near "order"
delete from t limit 1;
--| ERROR:  42601: syntax error at or near "limit"
delete from t limit all;
--| ERROR:  42601: syntax error at or near "limit"
delete from t limit null;
--| ERROR:  42601: syntax error at or near "limit"
with a as (delete from t limit all) select 1;
--| ERROR:  42601: syntax error at or near "limit"
delete t from t;
--| ERROR:  42601: syntax error at or near "t"
delete t where id = 1;
--| ERROR:  42601: syntax error at or near "t"
with a as (select 1) delete t from t;
--| ERROR:  42601: syntax error at or near "t"
with a as (delete t from t returning id) select * from a;
--| ERROR:  42601: syntax error at or near "t"
select count(*), sum(x) from t;
--|  count | sum
--| -------+-----
--|      5 |   0
--| (1 row)

-- Not so where the words are names, or another query's.
create table n ("limit" int, "order" int, "update" int, "delete" int);
--| CREATE TABLE
insert into n values (1,2,3,4);
--| INSERT 0 1
update n set "limit" = 5, "order" = 6 returning n.limit, n.order, 1 as limit, 2 as order;
--|  limit | order | limit | order
--| -------+-------+-------+-------
--|      5 |     6 |     1 |     2
--| (1 row)
--| UPDATE 1
update n set update = delete, delete = (select x from t order by id limit 1) where delete = (select 4 limit 1) returning update, delete;
--|  update | delete
--| --------+--------
--|       4 |      0
--| (1 row)
--| UPDATE 1
delete from n using (select 1 as k order by 1 limit 1) s where n.limit = 9 returning n.limit as order;
--|  order
--| -------
--| (0 rows)
--| DELETE 0
with a as (update n set delete = 7 returning delete) select delete as limit from a order by 1 limit 1;
--|  limit
--| -------
--|      7
--| (1 row)
with update as (select 1 as x) select x from update order by x limit 1;
--|  x
--| ---
--|  1
--| (1 row)
with delete as (select 1 as x) select count(*) delete from delete limit 1;
--|  delete
--| --------
--|       1
--| (1 row)
with a as (select 2 as x) select count(*) update from a order by 1 limit 1;
--|  update
--| --------
--|       1
--| (1 row)
select array_agg(update order by delete) from n;
--|  array_agg
--| -----------
--|  {4}
--| (1 row)
select (update) from n order by update limit 1;
--|  update
--| --------
--|       4
--| (1 row)
select update from n order by (delete) limit 1;
--|  update
--| --------
--|       4
--| (1 row)
select delete from n order by 1 limit 1;
--|  delete
--| --------
--|       7
--| (1 row)
insert into u values (1, 5) on conflict (id) do update set y = excluded.y returning y as limit;
--|  limit
--| -------
--|      5
--| (1 row)
--| INSERT 0 1
insert into u select id, x from t where id > 2 order by id limit 1 on conflict do nothing;
--| INSERT 0 1
merge into u using (select id, x from t order by id limit 3) s on u.id = s.id when matched then update set y = x when not matched then insert values (s.id, 8);
--| MERGE 3
select * from u order by id;
--|  id | y
--| ----+---
--|   1 | 0
--|   2 | 0
--|   3 | 0
--| (3 rows)
select id from t order by id limit 1 for update;
--|  id
--| ----
--|   1
--| (1 row)
delete from u where id > 2 /* limit 1 */ -- order by id
;
--| DELETE 1

-- A join that is neither CROSS nor NATURAL has a condition.
select count(*) from t join u;
--| ERROR:  42601: syntax error at or near ";"
select count(*) from t inner join u;
--| ERROR:  42601: syntax error at or near ";"
select count(*) from t left join u;
--| ERROR:  42601: syntax error at or near ";"
select count(*) from t right outer join u;
--| ERROR:  42601: syntax error at or near ";"
select count(*) from t full join u;
--| ERROR:  42601: syntax error at or near ";"
select count(*) from t join u where t.id = u.id;
--| ERROR:  42601: syntax error at or near "where"
select count(*) from t left join u where u.id is null;
--| ERROR:  42601: syntax error at or near "where"
select count(*) from t join u group by t.id;
--| ERROR:  42601: syntax error at or near "group"
select count(*) from t join u order by 1;
--| ERROR:  42601: syntax error at or near "order"
select count(*) from t join u limit 1;
--| ERROR:  42601: syntax error at or near "limit"
select count(*) from t join u, u v;
--| ERROR:  42601: syntax error at or near ","
select count(*) from (t join u);
--| ERROR:  42601: syntax error at or near ")"
select count(*) from (select t.id from t join u) s;
--| ERROR:  42601: syntax error at or near ")"
select (select count(*) from t join u);
--| ERROR:  42601: syntax error at or near ")"
select t.id from t join u union select 1;
--| ERROR:  42601: syntax error at or near "union"
select t.id from t join u for update;
--| ERROR:  42601: syntax error at or near "for"
select count(*) from t join u on t.id = u.id left join u v;
--| ERROR:  42601: syntax error at or near ";"
select count(*) from t join u left join u v on true;
--| ERROR:  42601: syntax error at or near ";"
select count(*) from t join u join u v on v.id = u.id where true;
--| ERROR:  42601: syntax error at or near "where"
select count(*) from t join lateral (select 1) q;
--| ERROR:  42601: syntax error at or near ";"
select count(*) from t join u cross join u v;
--| ERROR:  42601: syntax error at or near ";"
select count(*) from t join generate_series(1, 2) g;
--| ERROR:  42601: syntax error at or near ";"
create view v as select t.id from t join u;
--| ERROR:  42601: syntax error at or near ";"
create table c as select t.id from t join u;
--| ERROR:  42601: syntax error at or near ";"
update t set x = 1 from u join u v where t.id = u.id;
--| ERROR:  42601: syntax error at or near "where"
update t set x = 1 from u join u v;
--| ERROR:  42601: syntax error at or near ";"
delete from t using u left join u v where t.id = u.id;
--| ERROR:  42601: syntax error at or near "where"
delete from t using u join u v on true left join u w returning t.id;
--| ERROR:  42601: syntax error at or near "returning"
insert into t select t.id from t join u;
--| ERROR:  42601: syntax error at or near ";"
explain select count(*) from t join u;
--| ERROR:  42601: syntax error at or near ";"
declare k cursor for select count(*) from t join u;
--| ERROR:  42601: syntax error at or near ";"
with a as (select t.id from t join u) select 1;
--| ERROR:  42601: syntax error at or near ")"
select count(*), sum(x) from t;
--|  count | sum
--| -------+-----
--|      5 |   0
--| (1 row)

-- Joins as they are.
select count(*) from t join u on t.id = u.id;
--|  count
--| -------
--|      2
--| (1 row)
select count(*) from t join u using (id);
--|  count
--| -------
--|      2
--| (1 row)
select count(*) from t inner join u using (id) as k where k.id = 1;
--|  count
--| -------
--|      1
--| (1 row)
select count(*) from t cross join u;
--|  count
--| -------
--|     10
--| (1 row)
select count(*) from t natural join u;
--|  count
--| -------
--|      2
--| (1 row)
select count(*) from t natural left outer join u;
--|  count
--| -------
--|      5
--| (1 row)
select count(*) from t natural inner join u cross join u v;
--|  count
--| -------
--|      4
--| (1 row)
select count(*) from t cross join u join u v on v.id = u.id;
--|  count
--| -------
--|     10
--| (1 row)
select count(*) from (t join u on t.id = u.id) left join u v on v.id = t.id;
--|  count
--| -------
--|      2
--| (1 row)
select count(*) from ((t join u using (id)) join u v using (id)), (u w join t x on w.id = x.id);
--|  count
--| -------
--|      4
--| (1 row)
select count(*) from t, u join u v on u.id = v.id, lateral (select t.id) l;
--|  count
--| -------
--|     10
--| (1 row)
select count(*) from t join lateral (select t.id as i) l on l.i = t.id join (values (1), (2)) w (id) using (id);
--|  count
--| -------
--|      2
--| (1 row)
select count(*) from t left join generate_series(1, 2) with ordinality g (a, n) on g.a = t.id;
--|  count
--| -------
--|      5
--| (1 row)
select count(*) from t join u on u.id = any (array[t.id, t.x]) and (t.id, u.id) = (1, 1);
--|  count
--| -------
--|      1
--| (1 row)
select count(*) from t join u on case when t.id = u.id then true else false end;
--|  count
--| -------
--|      2
--| (1 row)
select count(*) from t join u on t.id is distinct from u.id;
--|  count
--| -------
--|      8
--| (1 row)
select 1 join, 2 as join from t join u on true order by 1 limit 1;
--|  join | join
--| ------+------
--|     1 |    2
--| (1 row)
with a as (select t.id from t join u using (id)) delete from u using a join t using (id) where u.id = a.id and false returning a.id join;
--|  join
--| ------
--| (0 rows)
--| DELETE 0
update u set y = 1 from t join u v on v.id = t.id join t w on w.id = v.id where u.id = t.id returning u.id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
--| UPDATE 2
delete from u using t left join u v on v.id = t.id where u.id = t.id and false;
--| DELETE 0
select count(*) from t tablesample system (100) join u tablesample bernoulli (100) on t.id = u.id;
--|  count
--| -------
--|      2
--| (1 row)

-- The operand of a join may be a join itself, without parentheses.
select t.id, u.id, v.id from t join u join u v on u.id = v.id on t.id = u.id order by 1;
--|  id | id | id
--| ----+----+----
--|   1 |  1 |  1
--|   2 |  2 |  2
--| (2 rows)
select t.id, u.id, v.id from t left join u join u v on v.id = 2 and u.id = v.id on t.id = u.id order by 1;
--|  id | id | id
--| ----+----+----
--|   1 |    |
--|   2 |  2 |  2
--|   3 |    |
--|   4 |    |
--|   5 |    |
--| (5 rows)
select t.id, u.id, v.id, w.id from t left join u left join u v join t w on v.id = w.id on u.id = v.id on t.id = u.id order by 1;
--|  id | id | id | id
--| ----+----+----+----
--|   1 |  1 |  1 |  1
--|   2 |  2 |  2 |  2
--|   3 |    |    |
--|   4 |    |    |
--|   5 |    |    |
--| (5 rows)
select t.id, u.id, v.id, w.id from t left join u join u v on u.id = v.id join t w on v.id = w.id on t.id = u.id and w.id = 2 left join t z on z.id = t.id order by 1;
--|  id | id | id | id
--| ----+----+----+----
--|   1 |    |    |
--|   2 |  2 |  2 |  2
--|   3 |    |    |
--|   4 |    |    |
--|   5 |    |    |
--| (5 rows)
select t.id, u.id, v.id from t left join u cross join u v on t.id = u.id and v.id = 1 order by 1;
--|  id | id | id
--| ----+----+----
--|   1 |  1 |  1
--|   2 |  2 |  1
--|   3 |    |
--|   4 |    |
--|   5 |    |
--| (5 rows)
select id, v.y from t left join u natural join u v using (id) order by 1;
--|  id | y
--| ----+---
--|   1 | 1
--|   2 | 1
--|   3 |
--|   4 |
--|   5 |
--| (5 rows)
select id, u.y, w.x from t left join u join t w using (id) using (id) where id < 4 order by 1;
--|  id | y | x
--| ----+---+---
--|   1 | 1 | 0
--|   2 | 1 | 0
--|   3 |   |
--| (3 rows)
select count(*) from t join u join u v on u.id = v.id;
--| ERROR:  42601: syntax error at or near ";"
select count(*) from t join u on t.id = u.id on true;
--| ERROR:  42601: syntax error at or near "on"
select count(*) from t join u join u v on u.id = any (array[1, 2]) on f(t.id, u.id);
--| ERROR:  42883: function f(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
create view nested as select t.id, u.y from t left join u join u v using (id) on t.id = v.id;
--| CREATE VIEW
select * from nested order by 1;
--|  id | y
--| ----+---
--|   1 | 1
--|   2 | 1
--|   3 |
--|   4 |
--|   5 |
--| (5 rows)
select pg_get_viewdef('nested');
--|                  pg_get_viewdef
--| ------------------------------------------------
--|   SELECT t.id,                                 +
--|      u.y                                       +
--|     FROM (t                                    +
--|       LEFT JOIN (u                             +
--|       JOIN u v USING (id)) ON ((t.id = v.id)));
--| (1 row)
