-- The first and the last of an order: each of several is looked up by itself, where an index has it.
create table exm (id int primary key, a int, b int, f bool);
--| CREATE TABLE
insert into exm select g, nullif(g % 1000, 0), case when g % 100 = 0 then g end, g % 500 = 0 from generate_series(1, 4000) g;
--| INSERT 0 4000
create index exm_a on exm (a);
--| CREATE INDEX
create index exm_ba on exm (b, a);
--| CREATE INDEX
analyze exm;
--| ANALYZE
explain (costs off) select min(a), max(a) from exm;
--|                                    QUERY PLAN
--| ---------------------------------------------------------------------------------
--|  Nested Loop
--|    ->  Subquery Scan on minmax_1
--|          ->  Aggregate
--|                ->  Limit
--|                      ->  Index Only Scan using exm_a on exm
--|                            Index Cond: (a IS NOT NULL)
--|    ->  Materialize
--|          ->  Subquery Scan on minmax_2
--|                ->  Aggregate
--|                      ->  Limit
--|                            ->  Index Only Scan Backward using exm_a on exm exm_1
--|                                  Index Cond: (a IS NOT NULL)
--| (12 rows)
select min(a), max(a) from exm;
--|  min | max
--| -----+-----
--|    1 | 999
--| (1 row)
select max(a), min(b), max(id), min(id) + 1 from exm where id > 100 having max(a) > 5;
--|  max | min | max  | ?column?
--| -----+-----+------+----------
--|  999 | 200 | 4000 |      102
--| (1 row)
select min(a), max(a) from exm where id < 0;
--|  min | max
--| -----+-----
--|      |
--| (1 row)
select min(a), max(a), count(*) from exm;
--|  min | max | count
--| -----+-----+-------
--|    1 | 999 |  4000
--| (1 row)
explain (costs off) select min(a), max(a) from exm where b = 500;
--|                                     QUERY PLAN
--| ----------------------------------------------------------------------------------
--|  Nested Loop
--|    ->  Subquery Scan on minmax_1
--|          ->  Aggregate
--|                ->  Limit
--|                      ->  Index Only Scan using exm_ba on exm
--|                            Index Cond: ((b = 500) AND (a IS NOT NULL))
--|    ->  Materialize
--|          ->  Subquery Scan on minmax_2
--|                ->  Aggregate
--|                      ->  Limit
--|                            ->  Index Only Scan Backward using exm_ba on exm exm_1
--|                                  Index Cond: ((b = 500) AND (a IS NOT NULL))
--| (12 rows)
select min(a), max(a) from exm where b = 500;
--|  min | max
--| -----+-----
--|  500 | 500
--| (1 row)
explain (costs off) select min(id), max(id) from exm where f and a > 3;
--|            QUERY PLAN
--| ---------------------------------
--|  Aggregate
--|    ->  Seq Scan on exm
--|          Filter: (f AND (a > 3))
--| (3 rows)
select min(id), max(id) from exm where f and a > 3;
--|  min | max
--| -----+------
--|  500 | 3500
--| (1 row)
select min(a), max(b) from exm where a < 5 and b > 7;
--|  min | max
--| -----+-----
--|      |
--| (1 row)
select min(a) filter (where f), max(a) from exm;
--|  min | max
--| -----+-----
--|  500 | 999
--| (1 row)
select (select min(x.a) + max(x.a) from exm x where x.b = y.id) from exm y where id in (500, 501);
--|  ?column?
--| ----------
--|      1000
--|
--| (2 rows)
select 1 from exm having min(a) = 1 and max(a) = 999;
--|  ?column?
--| ----------
--|         1
--| (1 row)
select min(a), max(a) from exm where id = (select 5) group by ();
--|  min | max
--| -----+-----
--|    5 |   5
--| (1 row)
