-- Of a join of which few rows are read, each step costs a part: what has to be whole before the first row comes loses.
create table od(ok int primary key, cust int, tot numeric, d date); create index on od(cust); create index on od(d);
--| CREATE TABLE
--| CREATE INDEX
--| CREATE INDEX
create table li(ok int, ln int, q numeric, c text, primary key(ok,ln));
--| CREATE TABLE
insert into od select g, g%1000, g*1.5, date '2020-01-01'+g%500 from generate_series(0,5000) g;
--| INSERT 0 5001
insert into li select g/4, g%4, g%50, 'c'||g%1000 from generate_series(1,20000) g;
--| INSERT 0 20000
analyze li; analyze od;
--| ANALYZE
--| ANALYZE
explain (costs off) select * from li join od using(ok) limit 10;
--|                  QUERY PLAN
--| --------------------------------------------
--|  Limit
--|    ->  Nested Loop
--|          ->  Seq Scan on od
--|          ->  Index Scan using li_pkey on li
--|                Index Cond: (ok = od.ok)
--| (5 rows)
explain (costs off) select * from li join od using(ok);
--|           QUERY PLAN
--| ------------------------------
--|  Hash Join
--|    Hash Cond: (li.ok = od.ok)
--|    ->  Seq Scan on li
--|    ->  Hash
--|          ->  Seq Scan on od
--| (5 rows)
explain (costs off) select * from od where exists (select 1 from li where li.ok=od.ok and q>40) limit 10;
--|                  QUERY PLAN
--| --------------------------------------------
--|  Limit
--|    ->  Nested Loop Semi Join
--|          ->  Seq Scan on od
--|          ->  Index Scan using li_pkey on li
--|                Index Cond: (ok = od.ok)
--|                Filter: (q > '40'::numeric)
--| (6 rows)
explain (costs off) select * from od where not exists (select 1 from li where li.ok=od.ok and q>4) order by d limit 2;
--|                  QUERY PLAN
--| ---------------------------------------------
--|  Limit
--|    ->  Nested Loop Anti Join
--|          ->  Index Scan using od_d_idx on od
--|          ->  Index Scan using li_pkey on li
--|                Index Cond: (ok = od.ok)
--|                Filter: (q > '4'::numeric)
--| (6 rows)
explain (costs off) select * from od o1 left join od o2 on o1.cust=o2.cust join li on li.ok=o2.ok limit 10;
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  Limit
--|    ->  Nested Loop
--|          ->  Nested Loop
--|                ->  Seq Scan on od o2
--|                ->  Index Scan using li_pkey on li
--|                      Index Cond: (ok = o2.ok)
--|          ->  Index Scan using od_cust_idx on od o1
--|                Index Cond: (cust = o2.cust)
--| (8 rows)
explain (costs off) select * from li l join od o on l.ok=o.ok where l.c='c77' order by o.d desc limit 5;
--|                      QUERY PLAN
--| ----------------------------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: o.d DESC
--|          ->  Nested Loop
--|                ->  Seq Scan on li l
--|                      Filter: (c = 'c77'::text)
--|                ->  Index Scan using od_pkey on od o
--|                      Index Cond: (ok = l.ok)
--| (8 rows)
explain (costs off) select count(*) from (select * from li join od using(ok) limit 10) s;
--|                          QUERY PLAN
--| -------------------------------------------------------------
--|  Aggregate
--|    ->  Subquery Scan on s
--|          ->  Limit
--|                ->  Nested Loop
--|                      ->  Index Only Scan using od_pkey on od
--|                      ->  Index Only Scan using li_pkey on li
--|                            Index Cond: (ok = od.ok)
--| (7 rows)
explain (costs off) select exists (select 1 from li join od using (ok) where q < 100);
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  Result
--|    InitPlan 1
--|      ->  Nested Loop
--|            ->  Index Only Scan using od_pkey on od
--|            ->  Index Scan using li_pkey on li
--|                  Index Cond: (ok = od.ok)
--|                  Filter: (q < '100'::numeric)
--| (7 rows)
explain (costs off) select cust, exists (select 1 from li join od o2 using (ok) where o2.cust = od.cust) from od;
--|                        QUERY PLAN
--| --------------------------------------------------------
--|  Index Only Scan using od_cust_idx on od
--|    SubPlan 1
--|      ->  Nested Loop
--|            ->  Index Scan using od_cust_idx on od o2
--|                  Index Cond: (cust = od.cust)
--|            ->  Index Only Scan using li_pkey on li
--|                  Index Cond: (ok = o2.ok)
--|    SubPlan 2
--|      ->  Hash Join
--|            Hash Cond: (li_1.ok = o2_1.ok)
--|            ->  Index Only Scan using li_pkey on li li_1
--|            ->  Hash
--|                  ->  Seq Scan on od o2_1
--| (13 rows)
explain (costs off) select cust, (select li.ok from li join od o2 using (ok) where o2.tot > od.cust limit 1) from od;
--|                         QUERY PLAN
--| ----------------------------------------------------------
--|  Index Only Scan using od_cust_idx on od
--|    SubPlan 1
--|      ->  Limit
--|            ->  Nested Loop
--|                  ->  Seq Scan on od o2
--|                        Filter: (tot > (od.cust)::numeric)
--|                  ->  Index Only Scan using li_pkey on li
--|                        Index Cond: (ok = o2.ok)
--| (8 rows)
select l.ok, l.ln, o.d from li l join od o on l.ok=o.ok where l.c='c77' order by o.d desc, l.ok limit 3;
--|   ok  | ln |     d
--| ------+----+------------
--|   269 |  1 | 2020-09-26
--|   769 |  1 | 2020-09-26
--|  1269 |  1 | 2020-09-26
--| (3 rows)
select count(*) from (select * from li join od using(ok) limit 10) s;
--|  count
--| -------
--|     10
--| (1 row)
