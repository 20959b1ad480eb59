-- Indexes in the order of a language serve conditions and orders in that, and equality; others only equality.
create table k (a text collate "en-x-icu", b int, primary key (a, b));
--| CREATE TABLE
insert into k select chr(97 + i % 26) || case when i % 3 = 0 then 'X' else 'x' end || i, i from generate_series(1, 500) i;
--| INSERT 0 500
analyze k;
--| ANALYZE
explain (costs off) select a from k where (a, b) > ('bX5', 3) order by a, b limit 3;
--|                                QUERY PLAN
--| ------------------------------------------------------------------------
--|  Limit
--|    ->  Index Only Scan using k_pkey on k
--|          Index Cond: (ROW(a, b) > ROW('bX5'::text, 3))
--|          Filter: ((a > 'bX5'::text) OR ((a = 'bX5'::text) AND (b > 3)))
--| (4 rows)
explain (costs off) select a from k where a > 'y' order by a;
--|             QUERY PLAN
--| -----------------------------------
--|  Index Only Scan using k_pkey on k
--|    Index Cond: (a > 'y'::text)
--|    Filter: (a > 'y'::text)
--| (3 rows)
explain (costs off) select a from k where a > 'y' collate "C" order by a collate "C";
--|                   QUERY PLAN
--| -----------------------------------------------
--|  Sort
--|    Sort Key: a
--|    ->  Index Only Scan using k_pkey on k
--|          Filter: (a > ('y'::text COLLATE "C"))
--| (4 rows)
explain (costs off) select a from k where a = 'y' collate "C";
--|                  QUERY PLAN
--| ---------------------------------------------
--|  Index Only Scan using k_pkey on k
--|    Index Cond: (a = ('y'::text COLLATE "C"))
--| (2 rows)
explain (costs off) select a from k where a in ('y', 'x') and b > 3;
--|                        QUERY PLAN
--| ---------------------------------------------------------
--|  Index Only Scan using k_pkey on k
--|    Index Cond: ((a = ANY ('{y,x}'::text[])) AND (b > 3))
--| (2 rows)
explain (costs off) select a from k order by a desc, b desc limit 1;
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Limit
--|    ->  Index Only Scan Backward using k_pkey on k
--| (2 rows)
explain (costs off) select max(a) from k;
--|                        QUERY PLAN
--| --------------------------------------------------------
--|  Aggregate
--|    ->  Limit
--|          ->  Index Only Scan Backward using k_pkey on k
--|                Index Cond: (a IS NOT NULL)
--| (4 rows)
explain (costs off) select a from k order by a collate "C" limit 1;
--|                   QUERY PLAN
--| -----------------------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: a
--|          ->  Index Only Scan using k_pkey on k
--| (4 rows)
explain (costs off) select a from k order by a collate "sv-x-icu" limit 1;
--|                   QUERY PLAN
--| -----------------------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: a COLLATE "sv-x-icu"
--|          ->  Index Only Scan using k_pkey on k
--| (4 rows)
create index kc on k (a collate "C");
--| CREATE INDEX
explain (costs off) select a from k order by a collate "C" limit 1;
--|              QUERY PLAN
--| -------------------------------------
--|  Limit
--|    ->  Index Only Scan using kc on k
--| (2 rows)
explain (costs off) select a from k where a > 'y' collate "C" order by a collate "C" limit 1;
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  Limit
--|    ->  Index Only Scan using kc on k
--|          Index Cond: (a > ('y'::text COLLATE "C"))
--| (3 rows)
explain (costs off) select x.a from k x join k y on x.a = y.a where y.b = 3;
--|                 QUERY PLAN
--| -------------------------------------------
--|  Nested Loop
--|    ->  Index Only Scan using k_pkey on k y
--|          Filter: (b = 3)
--|    ->  Index Only Scan using kc on k x
--|          Index Cond: (a = y.a)
--| (5 rows)
