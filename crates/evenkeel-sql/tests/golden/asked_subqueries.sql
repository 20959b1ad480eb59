-- Subqueries that are computed for the few values that they are joined by.
create table c (id int primary key, name text);
--| CREATE TABLE
insert into c select i, 'c'||i from generate_series(1,2000) i;
--| INSERT 0 2000
create table o (id int primary key, c int, amount int, d date);
--| CREATE TABLE
insert into o select i, i%2000+1, i%97, date '2024-01-01'+i%400 from generate_series(1,40000) i;
--| INSERT 0 40000
create index on o(c);
--| CREATE INDEX
create table p (id int primary key, c int, amount int);
--| CREATE TABLE
insert into p select i, i%2000+1, i%13 from generate_series(1,20000) i;
--| INSERT 0 20000
create index on p(c);
--| CREATE INDEX
analyze;
--| ANALYZE
create view act as select c, 'o' kind, amount from o union all select c, 'p', amount from p;
--| CREATE VIEW
create view tot as select c, count(*) n, sum(amount) s from o group by c;
--| CREATE VIEW
create view lst as select distinct c, d from o;
--| CREATE VIEW
explain (costs off) select * from c join act on act.c = c.id where c.name = 'c77';
--|                    QUERY PLAN
--| -------------------------------------------------
--|  Nested Loop
--|    ->  Seq Scan on c
--|          Filter: (name = 'c77'::text)
--|    ->  Subquery Scan on act
--|          ->  Append
--|                ->  Index Scan using o_c_idx on o
--|                      Index Cond: (c = c.id)
--|                ->  Index Scan using p_c_idx on p
--|                      Index Cond: (c = c.id)
--| (9 rows)
explain (costs off) select * from c join tot on tot.c = c.id where c.name in ('c77','c78');
--|                      QUERY PLAN
--| ----------------------------------------------------
--|  Nested Loop
--|    ->  Seq Scan on c
--|          Filter: (name = ANY ('{c77,c78}'::text[]))
--|    ->  Subquery Scan on tot
--|          ->  HashAggregate
--|                Group Key: o.c
--|                ->  Index Scan using o_c_idx on o
--|                      Index Cond: (c = c.id)
--| (8 rows)
explain (costs off) select * from c left join tot on tot.c = c.id where c.name in ('c77','c78');
--|                      QUERY PLAN
--| ----------------------------------------------------
--|  Nested Loop Left Join
--|    ->  Seq Scan on c
--|          Filter: (name = ANY ('{c77,c78}'::text[]))
--|    ->  Subquery Scan on tot
--|          ->  HashAggregate
--|                Group Key: o.c
--|                ->  Index Scan using o_c_idx on o
--|                      Index Cond: (c = c.id)
--| (8 rows)
explain (costs off) select * from c left join lst on lst.c = c.id where c.name in ('c77','c78');
--|                      QUERY PLAN
--| ----------------------------------------------------
--|  Nested Loop Left Join
--|    ->  Seq Scan on c
--|          Filter: (name = ANY ('{c77,c78}'::text[]))
--|    ->  Subquery Scan on lst
--|          ->  HashAggregate
--|                Group Key: o.c, o.d
--|                ->  Index Scan using o_c_idx on o
--|                      Index Cond: (c = c.id)
--| (8 rows)
explain (costs off) select * from c where name like 'c7_' and id in (select c from o group by c having sum(amount) > 500);
--|                    QUERY PLAN
--| -------------------------------------------------
--|  Nested Loop Semi Join
--|    ->  Seq Scan on c
--|          Filter: (name ~~ 'c7_'::text)
--|    ->  Subquery Scan on "ANY_subquery"
--|          ->  HashAggregate
--|                Group Key: o.c
--|                Filter: (sum(o.amount) > 500)
--|                ->  Index Scan using o_c_idx on o
--|                      Index Cond: (c = c.id)
--| (9 rows)
explain (costs off) select * from c join tot on tot.c = c.id;
--|               QUERY PLAN
--| ---------------------------------------
--|  Hash Join
--|    Hash Cond: (c.id = tot.c)
--|    ->  Seq Scan on c
--|    ->  Hash
--|          ->  Subquery Scan on tot
--|                ->  HashAggregate
--|                      Group Key: o.c
--|                      ->  Seq Scan on o
--| (8 rows)
explain (costs off) select c.*, (select n from tot where tot.c = c.id) from c where c.name='c5';
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  Seq Scan on c
--|    Filter: (name = 'c5'::text)
--|    SubPlan 1
--|      ->  Subquery Scan on tot
--|            ->  HashAggregate
--|                  Group Key: o.c
--|                  ->  Index Scan using o_c_idx on o
--|                        Index Cond: (c = c.id)
--| (8 rows)
explain (costs off) select * from c join tot t on t.c = c.id join act a on a.c = t.c where c.name = 'c5';
--|                       QUERY PLAN
--| -------------------------------------------------------
--|  Nested Loop
--|    ->  Nested Loop
--|          ->  Seq Scan on c
--|                Filter: (name = 'c5'::text)
--|          ->  Subquery Scan on t
--|                ->  HashAggregate
--|                      Group Key: o.c
--|                      ->  Index Scan using o_c_idx on o
--|                            Index Cond: (c = c.id)
--|    ->  Subquery Scan on a
--|          ->  Append
--|                ->  Index Scan using o_c_idx on o o_1
--|                      Index Cond: (c = t.c)
--|                ->  Index Scan using p_c_idx on p
--|                      Index Cond: (c = t.c)
--| (15 rows)
select * from c left join tot on tot.c = c.id where c.name in ('c77','c78') order by 1;
--|  id | name | c  | n  |  s
--| ----+------+----+----+------
--|  77 | c77  | 77 | 20 |  989
--|  78 | c78  | 78 | 20 | 1009
--| (2 rows)
select count(*), sum(amount) from c join act on act.c = c.id where c.name in ('c77','c78');
--|  count | sum
--| -------+------
--|     60 | 2139
--| (1 row)
-- Not one that has a LIMIT, gives something else each time, or is joined by what it does not group by.
explain (costs off) select * from c join (select * from o order by id limit 30000) s on s.c = c.id where c.name = 'c5';
--|                    QUERY PLAN
--| ------------------------------------------------
--|  Hash Join
--|    Hash Cond: (s.c = c.id)
--|    ->  Subquery Scan on s
--|          ->  Limit
--|                ->  Index Scan using o_pkey on o
--|    ->  Hash
--|          ->  Seq Scan on c
--|                Filter: (name = 'c5'::text)
--| (8 rows)
explain (costs off) select * from c join (select c, random() from o offset 0) s on s.c = c.id where c.name = 'c5';
--|                       QUERY PLAN
--| ------------------------------------------------------
--|  Hash Join
--|    Hash Cond: (s.c = c.id)
--|    ->  Subquery Scan on s
--|          ->  Limit
--|                ->  Index Only Scan using o_c_idx on o
--|    ->  Hash
--|          ->  Seq Scan on c
--|                Filter: (name = 'c5'::text)
--| (8 rows)
explain (costs off) select * from c join tot on tot.n = c.id where c.name = 'c5';
--|                 QUERY PLAN
--| -------------------------------------------
--|  Hash Join
--|    Hash Cond: (tot.n = c.id)
--|    ->  Subquery Scan on tot
--|          ->  HashAggregate
--|                Group Key: o.c
--|                ->  Seq Scan on o
--|    ->  Hash
--|          ->  Seq Scan on c
--|                Filter: (name = 'c5'::text)
--| (9 rows)
-- A partition of a window is asked for as a whole.
explain (costs off) select * from c join (select c, amount, rank() over (partition by c order by d, id) r from o) s on s.c = c.id and s.r = 1 where c.name in ('c5', 'c6');
--|                                          QUERY PLAN
--| --------------------------------------------------------------------------------------------
--|  Nested Loop
--|    ->  Seq Scan on c
--|          Filter: (name = ANY ('{c5,c6}'::text[]))
--|    ->  Subquery Scan on s
--|          Filter: (s.r = 1)
--|          ->  WindowAgg
--|                Window: w1 AS (PARTITION BY o.c ORDER BY o.d, o.id ROWS UNBOUNDED PRECEDING)
--|                Run Condition: (rank() OVER w1 <= 1)
--|                ->  Sort
--|                      Sort Key: o.c, o.d, o.id
--|                      ->  Index Scan using o_c_idx on o
--|                            Index Cond: (c = c.id)
--| (12 rows)
select c.id, s.amount from c join (select c, amount, rank() over (partition by c order by d, id) r from o) s on s.c = c.id and s.r = 1 where c.name in ('c5', 'c6') order by 1;
--|  id | amount
--| ----+--------
--|   5 |      4
--|   6 |      5
--| (2 rows)
-- Changes by what is asked.
update c set name = 'n' || tot.n from tot where tot.c = c.id and c.name = 'c9' returning c.*;
--|  id | name
--| ----+------
--|   9 | n20
--| (1 row)
--| UPDATE 1
delete from c using tot where tot.c = c.id and c.name = 'c10' returning c.*, n;
--|  id | name | n
--| ----+------+----
--|  10 | c10  | 20
--| (1 row)
--| DELETE 1
-- A subquery within a subquery that becomes a join becomes one, too.
explain (costs off) select count(*) from o where d in (select d from o o2 where c in (select id from c where name in ('c1', 'c2')));
--|                                 QUERY PLAN
--| --------------------------------------------------------------------------
--|  Aggregate
--|    ->  Hash Semi Join
--|          Hash Cond: (o.d = o2.d)
--|          ->  Seq Scan on o
--|          ->  Hash
--|                ->  Nested Loop
--|                      ->  HashAggregate
--|                            Group Key: c.id
--|                            ->  Seq Scan on c
--|                                  Filter: (name = ANY ('{c1,c2}'::text[]))
--|                      ->  Index Scan using o_c_idx on o o2
--|                            Index Cond: (c = c.id)
--| (12 rows)
select count(*) from o where d in (select d from o o2 where c in (select id from c where name in ('c1', 'c2')));
--|  count
--| -------
--|    200
--| (1 row)
-- Unless it reads the rows outside.
explain (costs off) select count(*) from o where d in (select d from o o2 where c in (select id from c where id = o.amount));
--|                       QUERY PLAN
--| ------------------------------------------------------
--|  Aggregate
--|    ->  Hash Semi Join
--|          Hash Cond: (o.d = o2.d)
--|          Join Filter: (ANY (o2.c = (SubPlan 1).col1))
--|          ->  Seq Scan on o
--|          ->  Hash
--|                ->  Seq Scan on o o2
--|          SubPlan 1
--|            ->  Index Only Scan using c_pkey on c
--|                  Index Cond: (id = o.amount)
--| (10 rows)
drop view act, tot, lst;
--| DROP VIEW
drop table c, o, p;
--| DROP TABLE
