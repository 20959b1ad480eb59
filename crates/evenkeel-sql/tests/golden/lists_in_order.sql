-- Several keys of an index are read in its order: lists, ORs of one column, and columns that are skipped give the order that is wanted.
create table o (w int, d int, id int, c int, note text, primary key (w, d, id));
--| CREATE TABLE
insert into o select w, d, id, id % 7, repeat('n', 20) from generate_series(1, 3) w, generate_series(1, 10) d, generate_series(1, 200) id;
--| INSERT 0 6000
analyze o;
--| ANALYZE
explain (costs off) select * from o where w = 2 and d in (3, 7) order by w, d, id limit 3;
--|                             QUERY PLAN
--| ------------------------------------------------------------------
--|  Limit
--|    ->  Index Scan using o_pkey on o
--|          Index Cond: ((w = 2) AND (d = ANY ('{3,7}'::integer[])))
--| (3 rows)
select w, d, id from o where w = 2 and d in (3, 7) order by w, d, id limit 3;
--|  w | d | id
--| ---+---+----
--|  2 | 3 |  1
--|  2 | 3 |  2
--|  2 | 3 |  3
--| (3 rows)
explain (costs off) select * from o where w in (1, 3) and d = 4 order by w desc, id desc limit 3;
--|                             QUERY PLAN
--| ------------------------------------------------------------------
--|  Limit
--|    ->  Index Scan Backward using o_pkey on o
--|          Index Cond: ((w = ANY ('{1,3}'::integer[])) AND (d = 4))
--| (3 rows)
select w, d, id from o where w in (1, 3) and d = 4 order by w desc, id desc limit 3;
--|  w | d | id
--| ---+---+-----
--|  3 | 4 | 200
--|  3 | 4 | 199
--|  3 | 4 | 198
--| (3 rows)
explain (costs off) select * from o where (w = 3 or w = 1) and (d = 9 or d = 2) order by w, d, c desc, id limit 3;
--|                                           QUERY PLAN
--| -----------------------------------------------------------------------------------------------
--|  Limit
--|    ->  Incremental Sort
--|          Sort Key: w, d, c DESC, id
--|          Presorted Key: w, d
--|          ->  Index Scan using o_pkey on o
--|                Index Cond: ((w = ANY ('{3,1}'::integer[])) AND (d = ANY ('{9,2}'::integer[])))
--| (6 rows)
select w, d, c, id from o where (w = 3 or w = 1) and (d = 9 or d = 2) order by w, d, c desc, id limit 3;
--|  w | d | c | id
--| ---+---+---+----
--|  1 | 2 | 6 |  6
--|  1 | 2 | 6 | 13
--|  1 | 2 | 6 | 20
--| (3 rows)
explain (costs off) select * from o where w > 1 and d > 8 and id = 150 order by w, d limit 3;
--|                         QUERY PLAN
--| ----------------------------------------------------------
--|  Limit
--|    ->  Index Scan using o_pkey on o
--|          Index Cond: ((w > 1) AND (d > 8) AND (id = 150))
--| (3 rows)
select w, d, id from o where w > 1 and d > 8 and id = 150 order by w, d limit 3;
--|  w | d  | id
--| ---+----+-----
--|  2 |  9 | 150
--|  2 | 10 | 150
--|  3 |  9 | 150
--| (3 rows)
explain (costs off) select * from o where id = 77 order by w desc, d desc limit 2;
--|                  QUERY PLAN
--| ---------------------------------------------
--|  Limit
--|    ->  Index Scan Backward using o_pkey on o
--|          Index Cond: (id = 77)
--| (3 rows)
select w, d, id from o where id = 77 order by w desc, d desc limit 2;
--|  w | d  | id
--| ---+----+----
--|  3 | 10 | 77
--|  3 |  9 | 77
--| (2 rows)
-- The list is not sorted, has one value twice, and NULL.
select w, d, id from o where w = 1 and d = any (array[9, 2, null, 9]) and id > 198 order by d, id;
--|  w | d | id
--| ---+---+-----
--|  1 | 2 | 199
--|  1 | 2 | 200
--|  1 | 9 | 199
--|  1 | 9 | 200
--| (4 rows)
-- A branch of an OR skips, too.
explain (costs off) select count(*) from o where (w = 1 and d = 2) or (w > 1 and id = 5);
--|                               QUERY PLAN
--| -----------------------------------------------------------------------
--|  Aggregate
--|    ->  Index Only Scan using o_pkey on o
--|          Index Cond: (((w = 1) AND (d = 2)) OR ((w > 1) AND (id = 5)))
--|          Filter: (((w = 1) AND (d = 2)) OR ((w > 1) AND (id = 5)))
--| (4 rows)
select count(*) from o where (w = 1 and d = 2) or (w > 1 and id = 5);
--|  count
--| -------
--|    220
--| (1 row)
-- Of each group that is sorted only the best are kept.
set work_mem = '64kB';
--| SET
explain (analyze, costs off, timing off, summary off, buffers off) select * from o where w = 2 order by w, c, id desc limit 3;
--|                        QUERY PLAN
--| ---------------------------------------------------------
--|  Limit (actual rows=3.00 loops=1)
--|    ->  Sort (actual rows=3.00 loops=1)
--|          Sort Key: c, id DESC
--|          Sort Method: top-N heapsort  Memory: 65kB
--|          ->  Seq Scan on o (actual rows=2000.00 loops=1)
--|                Filter: (w = 2)
--|                Rows Removed by Filter: 4000
--| (7 rows)
explain (analyze, costs off, timing off, summary off, buffers off) select * from o order by w, c, id desc limit 3;
--|                                             QUERY PLAN
--| --------------------------------------------------------------------------------------------------
--|  Limit (actual rows=3.00 loops=1)
--|    ->  Incremental Sort (actual rows=3.00 loops=1)
--|          Sort Key: w, c, id DESC
--|          Presorted Key: w
--|          Full-sort Groups: 1  Sort Method: top-N heapsort  Average Memory: 6kB  Peak Memory: 65kB
--|          ->  Index Scan using o_pkey on o (actual rows=2001.00 loops=1)
--|                Index Searches: 1
--| (7 rows)
select w, c, d, id from o order by w, c, id desc, d limit 3;
--|  w | c | d | id
--| ---+---+---+-----
--|  1 | 0 | 1 | 196
--|  1 | 0 | 2 | 196
--|  1 | 0 | 3 | 196
--| (3 rows)
select w, c, d, id from o order by w, c, id desc, d limit 3 offset 1999;
--|  w | c | d  | id
--| ---+---+----+-----
--|  1 | 6 | 10 |   6
--|  2 | 0 |  1 | 196
--|  2 | 0 |  2 | 196
--| (3 rows)

-- Ranges of one index that an OR asks for are read in its order, and alone where it has all that is asked.
explain (costs off) select w, d, id from o where (w, d) in ((1, 2), (3, 4), (1, 2), (2, 9)) order by w desc, d desc, id desc limit 3;
--|                                                        QUERY PLAN
--| ------------------------------------------------------------------------------------------------------------------------
--|  Limit
--|    ->  Index Only Scan Backward using o_pkey on o
--|          Index Cond: (((w = 1) AND (d = 2)) OR ((w = 3) AND (d = 4)) OR ((w = 1) AND (d = 2)) OR ((w = 2) AND (d = 9)))
--|          Filter: (((w = 1) AND (d = 2)) OR ((w = 3) AND (d = 4)) OR ((w = 1) AND (d = 2)) OR ((w = 2) AND (d = 9)))
--| (4 rows)
select w, d, id from o where (w, d) in ((1, 2), (3, 4), (1, 2), (2, 9)) order by w desc, d desc, id desc limit 3;
--|  w | d | id
--| ---+---+-----
--|  3 | 4 | 200
--|  3 | 4 | 199
--|  3 | 4 | 198
--| (3 rows)
explain (costs off) select w, count(*) from o where (w, d) in ((1, 2), (3, 4), (1, 2), (2, 9)) group by w order by w;
--|                                                           QUERY PLAN
--| ------------------------------------------------------------------------------------------------------------------------------
--|  Sort
--|    Sort Key: w
--|    ->  HashAggregate
--|          Group Key: w
--|          ->  Index Only Scan using o_pkey on o
--|                Index Cond: (((w = 1) AND (d = 2)) OR ((w = 3) AND (d = 4)) OR ((w = 1) AND (d = 2)) OR ((w = 2) AND (d = 9)))
--|                Filter: (((w = 1) AND (d = 2)) OR ((w = 3) AND (d = 4)) OR ((w = 1) AND (d = 2)) OR ((w = 2) AND (d = 9)))
--| (7 rows)
select w, count(*) from o where (w, d) in ((1, 2), (3, 4), (1, 2), (2, 9)) group by w order by w;
--|  w | count
--| ---+-------
--|  1 |   200
--|  2 |   200
--|  3 |   200
--| (3 rows)
explain (costs off) select * from o where (w = 1 and d > 8) or (w = 1 and d > 9 and id < 20) or (w = 1 and d = 9) or w = 3 order by w, d, id limit 2;
--|                                                        QUERY PLAN
--| ------------------------------------------------------------------------------------------------------------------------
--|  Limit
--|    ->  Index Scan using o_pkey on o
--|          Index Cond: (((w = 1) AND (d > 8)) OR ((w = 1) AND (d > 9) AND (id < 20)) OR ((w = 1) AND (d = 9)) OR (w = 3))
--|          Filter: (((w = 1) AND (d > 8)) OR ((w = 1) AND (d > 9) AND (id < 20)) OR ((w = 1) AND (d = 9)) OR (w = 3))
--| (4 rows)
select count(*), sum(id) from o where (w = 1 and d > 8) or (w = 1 and d > 9 and id < 20) or (w = 1 and d = 9) or w = 3;
--|  count |  sum
--| -------+--------
--|   2400 | 241200
--| (1 row)
select w,d,id from o where (w = 1 and d > 8) or (w = 1 and d > 9 and id < 20) or (w = 1 and d = 9) or w = 3 order by w, d, id offset 395 limit 12;
--|  w | d  | id
--| ---+----+-----
--|  1 | 10 | 196
--|  1 | 10 | 197
--|  1 | 10 | 198
--|  1 | 10 | 199
--|  1 | 10 | 200
--|  3 |  1 |   1
--|  3 |  1 |   2
--|  3 |  1 |   3
--|  3 |  1 |   4
--|  3 |  1 |   5
--|  3 |  1 |   6
--|  3 |  1 |   7
--| (12 rows)
