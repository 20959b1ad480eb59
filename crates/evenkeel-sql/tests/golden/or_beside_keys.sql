-- What every row is asked for is a part of each branch of an OR.
create table ol (w int, d int, o int, n int, amount numeric(6,2), note text, primary key (w, d, o, n));
--| CREATE TABLE
insert into ol select w, d, o, n, (w + d + o + n) % 100, 'x' from generate_series(1, 2) w, generate_series(1, 10) d, generate_series(1, 60) o, generate_series(1, 5) n;
--| INSERT 0 6000
analyze ol;
--| ANALYZE
explain (costs off) select d, sum(amount) from ol where (w, d, o) in ((1, 1, 50), (1, 2, 48), (1, 3, 47)) group by d;
--|                                                  QUERY PLAN
--| ------------------------------------------------------------------------------------------------------------
--|  HashAggregate
--|    Group Key: d
--|    ->  Bitmap Heap Scan on ol
--|          Filter: ((w = 1) AND (((d = 1) AND (o = 50)) OR ((d = 2) AND (o = 48)) OR ((d = 3) AND (o = 47))))
--|          ->  BitmapOr
--|                ->  Bitmap Index Scan on ol_pkey
--|                      Index Cond: ((w = 1) AND (d = 1) AND (o = 50))
--|                ->  Bitmap Index Scan on ol_pkey
--|                      Index Cond: ((w = 1) AND (d = 2) AND (o = 48))
--|                ->  Bitmap Index Scan on ol_pkey
--|                      Index Cond: ((w = 1) AND (d = 3) AND (o = 47))
--| (11 rows)
select d, sum(amount) from ol where (w, d, o) in ((1, 1, 50), (1, 2, 48), (1, 3, 47)) group by d order by d;
--|  d |  sum
--| ---+--------
--|  1 | 275.00
--|  2 | 270.00
--|  3 | 270.00
--| (3 rows)
explain (costs off) select * from ol where w = 1 and ((d = 1 and o = 50) or (d = 2 and o = 48));
--|                                  QUERY PLAN
--| ----------------------------------------------------------------------------
--|  Bitmap Heap Scan on ol
--|    Filter: ((w = 1) AND (((d = 1) AND (o = 50)) OR ((d = 2) AND (o = 48))))
--|    ->  BitmapOr
--|          ->  Bitmap Index Scan on ol_pkey
--|                Index Cond: ((w = 1) AND (d = 1) AND (o = 50))
--|          ->  Bitmap Index Scan on ol_pkey
--|                Index Cond: ((w = 1) AND (d = 2) AND (o = 48))
--| (7 rows)
explain (costs off) select * from ol where (w, d, o, n) in ((1, 1, 50, 1), (1, 1, 50, 2)) for update;
--|                                    QUERY PLAN
--| --------------------------------------------------------------------------------
--|  LockRows
--|    ->  Bitmap Heap Scan on ol
--|          Filter: ((w = 1) AND (d = 1) AND (o = 50) AND ((n = 1) OR (n = 2)))
--|          ->  BitmapOr
--|                ->  Bitmap Index Scan on ol_pkey
--|                      Index Cond: ((w = 1) AND (d = 1) AND (o = 50) AND (n = 1))
--|                ->  Bitmap Index Scan on ol_pkey
--|                      Index Cond: ((w = 1) AND (d = 1) AND (o = 50) AND (n = 2))
--| (8 rows)
select * from ol where (w, d, o, n) in ((1, 1, 50, 1), (1, 1, 50, 2), (1, 1, 50, 2), (1, 99, 1, 1)) order by n for update;
--|  w | d | o  | n | amount | note
--| ---+---+----+---+--------+------
--|  1 | 1 | 50 | 1 |  53.00 | x
--|  1 | 1 | 50 | 2 |  54.00 | x
--| (2 rows)
explain (costs off) select note from ol where w = 1 and d = 2 and (o = 5 or o = 7 or o > 58) and n = 3;
--|                                     QUERY PLAN
--| ----------------------------------------------------------------------------------
--|  Bitmap Heap Scan on ol
--|    Filter: ((w = 1) AND (d = 2) AND (n = 3) AND ((o = 5) OR (o = 7) OR (o > 58)))
--|    ->  BitmapOr
--|          ->  Bitmap Index Scan on ol_pkey
--|                Index Cond: ((w = 1) AND (d = 2) AND (o = 5) AND (n = 3))
--|          ->  Bitmap Index Scan on ol_pkey
--|                Index Cond: ((w = 1) AND (d = 2) AND (o = 7) AND (n = 3))
--|          ->  Bitmap Index Scan on ol_pkey
--|                Index Cond: ((w = 1) AND (d = 2) AND (o > 58))
--| (9 rows)
select w, d, o, n from ol where w = 1 and d = 2 and (o = 5 or o = 7 or o > 58) and n = 3 order by o;
--|  w | d | o  | n
--| ---+---+----+---
--|  1 | 2 |  5 | 3
--|  1 | 2 |  7 | 3
--|  1 | 2 | 59 | 3
--|  1 | 2 | 60 | 3
--| (4 rows)
explain (costs off) select note from ol where (w, d, o, n) in ((1, 2, 3, 1), (1, 2, 3, 2), (1, 2, 3, 3), (1, 2, 3, 4), (1, 2, 3, 5), (1, 2, 3, 6), (1, 2, 3, 7), (1, 2, 3, 8), (1, 2, 3, 9));
--|                                             QUERY PLAN
--| --------------------------------------------------------------------------------------------------
--|  Index Scan using ol_pkey on ol
--|    Index Cond: ((w = 1) AND (d = 2) AND (o = 3) AND (n = ANY (ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9])))
--| (2 rows)
select count(note) from ol where (w, d, o, n) in ((1, 2, 3, 1), (1, 2, 3, 2), (1, 2, 3, 3), (1, 2, 3, 4), (1, 2, 3, 5), (1, 2, 3, 6), (1, 2, 3, 7), (1, 2, 3, 8), (1, 2, 3, 9));
--|  count
--| -------
--|      5
--| (1 row)
-- A branch that narrows nothing: the range is that of the other conditions.
explain (costs off) select note from ol where w = 1 and d = 1 and o = 2 and (amount = 5 or note = 'x');
--|                    QUERY PLAN
--| -------------------------------------------------
--|  Index Scan using ol_pkey on ol
--|    Index Cond: ((w = 1) AND (d = 1) AND (o = 2))
--|    Filter: ((amount = 5) OR (note = 'x'))
--| (3 rows)
select count(*) from ol where w = 1 and d = 1 and o = 2 and (amount = 5 or note = 'y');
--|  count
--| -------
--|      1
--| (1 row)
prepare p as select note from ol where (w, d, o, n) in (($1, $2, $3, $4), ($5, $6, $7, $8));
--| PREPARE
explain (costs off) execute p(1, 2, 3, 4, 1, 2, 3, 5);
--|                                QUERY PLAN
--| -------------------------------------------------------------------------
--|  Bitmap Heap Scan on ol
--|    Filter: ((w = 1) AND (d = 2) AND (o = 3) AND ((n = 4) OR (n = 5)))
--|    ->  BitmapOr
--|          ->  Bitmap Index Scan on ol_pkey
--|                Index Cond: ((w = 1) AND (d = 2) AND (o = 3) AND (n = 4))
--|          ->  Bitmap Index Scan on ol_pkey
--|                Index Cond: ((w = 1) AND (d = 2) AND (o = 3) AND (n = 5))
--| (7 rows)
set plan_cache_mode = force_generic_plan;
--| SET
explain (costs off) execute p(1, 2, 3, 4, 1, 2, 3, 5);
--|                                                      QUERY PLAN
--| --------------------------------------------------------------------------------------------------------------------
--|  Bitmap Heap Scan on ol
--|    Filter: (((w = $1) AND (d = $2) AND (o = $3) AND (n = $4)) OR ((w = $5) AND (d = $6) AND (o = $7) AND (n = $8)))
--|    ->  BitmapOr
--|          ->  Bitmap Index Scan on ol_pkey
--|                Index Cond: ((w = $1) AND (d = $2) AND (o = $3) AND (n = $4))
--|          ->  Bitmap Index Scan on ol_pkey
--|                Index Cond: ((w = $5) AND (d = $6) AND (o = $7) AND (n = $8))
--| (7 rows)
update ol set amount = 0 where w = 2 and ((d = 1 and o = 1) or (d = 2 and o = 2 and n > 3));
--| UPDATE 7
delete from ol where w = 2 and (d = 1 and o = 1 or d = 2 and o = 2);
--| DELETE 10
select count(*), sum(amount) from ol where w = 2;
--|  count |    sum
--| -------+-----------
--|   2990 | 122920.00
--| (1 row)
drop table ol;
--| DROP TABLE
