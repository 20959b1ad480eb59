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
--|                                         QUERY PLAN
--| -------------------------------------------------------------------------------------------
--|  LockRows
--|    ->  Index Scan using ol_pkey on ol
--|          Index Cond: ((w = 1) AND (d = 1) AND (o = 50) AND (n = ANY ('{1,2}'::integer[])))
--| (3 rows)
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
--|    Index Cond: ((w = 1) AND (d = 2) AND (o = 3) AND (n = ANY ('{1,2,3,4,5,6,7,8,9}'::integer[])))
--| (2 rows)
select count(note) from ol where (w, d, o, n) in ((1, 2, 3, 1), (1, 2, 3, 2), (1, 2, 3, 3), (1, 2, 3, 4), (1, 2, 3, 5), (1, 2, 3, 6), (1, 2, 3, 7), (1, 2, 3, 8), (1, 2, 3, 9));
--|  count
--| -------
--|      5
--| (1 row)
-- A branch that narrows nothing: the range is that of the other conditions.
explain (costs off) select note from ol where w = 1 and d = 1 and o = 2 and (amount = 5 or note = 'x');
--|                         QUERY PLAN
--| -----------------------------------------------------------
--|  Index Scan using ol_pkey on ol
--|    Index Cond: ((w = 1) AND (d = 1) AND (o = 2))
--|    Filter: ((amount = '5'::numeric) OR (note = 'x'::text))
--| (3 rows)
select count(*) from ol where w = 1 and d = 1 and o = 2 and (amount = 5 or note = 'y');
--|  count
--| -------
--|      1
--| (1 row)
prepare p as select note from ol where (w, d, o, n) in (($1, $2, $3, $4), ($5, $6, $7, $8));
--| PREPARE
explain (costs off) execute p(1, 2, 3, 4, 1, 2, 3, 5);
--|                                      QUERY PLAN
--| ------------------------------------------------------------------------------------
--|  Index Scan using ol_pkey on ol
--|    Index Cond: ((w = 1) AND (d = 2) AND (o = 3) AND (n = ANY ('{4,5}'::integer[])))
--| (2 rows)
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
-- Several lists, and bounds behind them.
create table li (a int, b int, c int, d text, primary key (a, b, c));
--| CREATE TABLE
insert into li select a, b, c, 'x' || c from generate_series(1, 20) a, generate_series(1, 20) b, generate_series(1, 20) c;
--| INSERT 0 8000
analyze li;
--| ANALYZE
explain (costs off) select d from li where a in (1, 2) and b in (5, 7, 9) and c = 3;
--|                                            QUERY PLAN
--| -------------------------------------------------------------------------------------------------
--|  Index Scan using li_pkey on li
--|    Index Cond: ((a = ANY ('{1,2}'::integer[])) AND (b = ANY ('{5,7,9}'::integer[])) AND (c = 3))
--| (2 rows)
select a, b, c, d from li where a in (2, 1, 1, null) and b in (5, 7, 99) and c = 3 order by a, b;
--|  a | b | c | d
--| ---+---+---+----
--|  1 | 5 | 3 | x3
--|  1 | 7 | 3 | x3
--|  2 | 5 | 3 | x3
--|  2 | 7 | 3 | x3
--| (4 rows)
explain (costs off) select d from li where a in (1, 2) and b = any (array[5, 7]) and c in (3, 4);
--|                                                       QUERY PLAN
--| ----------------------------------------------------------------------------------------------------------------------
--|  Index Scan using li_pkey on li
--|    Index Cond: ((a = ANY ('{1,2}'::integer[])) AND (b = ANY ('{5,7}'::integer[])) AND (c = ANY ('{3,4}'::integer[])))
--| (2 rows)
select count(d), sum(a * 100 + b * 10 + c) from li where a in (1, 2) and b = any (array[5, 7]) and c in (3, 4);
--|  count | sum
--| -------+------
--|      8 | 1708
--| (1 row)
explain (costs off) select d from li where a in (1, 2) and b in (5, 7) and c between 3 and 5;
--|                                                  QUERY PLAN
--| -------------------------------------------------------------------------------------------------------------
--|  Index Scan using li_pkey on li
--|    Index Cond: ((a = ANY ('{1,2}'::integer[])) AND (b = ANY ('{5,7}'::integer[])) AND (c >= 3) AND (c <= 5))
--| (2 rows)
select a, b, c, d from li where a in (1, 2) and b in (5, 7) and c > 18 order by a, b, c;
--|  a | b | c  |  d
--| ---+---+----+-----
--|  1 | 5 | 19 | x19
--|  1 | 5 | 20 | x20
--|  1 | 7 | 19 | x19
--|  1 | 7 | 20 | x20
--|  2 | 5 | 19 | x19
--|  2 | 5 | 20 | x20
--|  2 | 7 | 19 | x19
--|  2 | 7 | 20 | x20
--| (8 rows)
explain (costs off) select b, c from li where a in (1, 2) and b >= 19 and c = 1;
--|                           QUERY PLAN
--| --------------------------------------------------------------
--|  Index Only Scan using li_pkey on li
--|    Index Cond: ((a = ANY ('{1,2}'::integer[])) AND (b >= 19))
--|    Filter: (c = 1)
--| (3 rows)
select a, b, c from li where a in (1, 2) and b >= 19 and c = 1 order by a, b;
--|  a | b  | c
--| ---+----+---
--|  1 | 19 | 1
--|  1 | 20 | 1
--|  2 | 19 | 1
--|  2 | 20 | 1
--| (4 rows)
explain (costs off) select d from li where a = 3 and b in (4, 5) and c > 19 or a in (6, 7) and b in (1, 2) and c = 2;
--|                                                                         QUERY PLAN
--| ----------------------------------------------------------------------------------------------------------------------------------------------------------
--|  Bitmap Heap Scan on li
--|    Filter: (((a = 3) AND (b = ANY ('{4,5}'::integer[])) AND (c > 19)) OR ((a = ANY ('{6,7}'::integer[])) AND (b = ANY ('{1,2}'::integer[])) AND (c = 2)))
--|    ->  BitmapOr
--|          ->  Bitmap Index Scan on li_pkey
--|                Index Cond: ((a = 3) AND (b = ANY ('{4,5}'::integer[])) AND (c > 19))
--|          ->  Bitmap Index Scan on li_pkey
--|                Index Cond: ((a = ANY ('{6,7}'::integer[])) AND (b = ANY ('{1,2}'::integer[])) AND (c = 2))
--| (7 rows)
select a, b, c, d from li where a = 3 and b in (4, 5) and c > 19 or a in (6, 7) and b in (1, 2) and c = 2 order by a, b, c;
--|  a | b | c  |  d
--| ---+---+----+-----
--|  3 | 4 | 20 | x20
--|  3 | 5 | 20 | x20
--|  6 | 1 |  2 | x2
--|  6 | 2 |  2 | x2
--|  7 | 1 |  2 | x2
--|  7 | 2 |  2 | x2
--| (6 rows)
explain (costs off) select d from li where a = 3 and b = 1 and (c = 2 or c = any (array[5, 6]) or c = any ('{7,8}'));
--|                                                     QUERY PLAN
--| -------------------------------------------------------------------------------------------------------------------
--|  Bitmap Heap Scan on li
--|    Filter: ((a = 3) AND (b = 1) AND ((c = 2) OR (c = ANY ('{5,6}'::integer[])) OR (c = ANY ('{7,8}'::integer[]))))
--|    ->  BitmapOr
--|          ->  Bitmap Index Scan on li_pkey
--|                Index Cond: ((a = 3) AND (b = 1) AND (c = 2))
--|          ->  Bitmap Index Scan on li_pkey
--|                Index Cond: ((a = 3) AND (b = 1) AND (c = ANY ('{5,6}'::integer[])))
--|          ->  Bitmap Index Scan on li_pkey
--|                Index Cond: ((a = 3) AND (b = 1) AND (c = ANY ('{7,8}'::integer[])))
--| (9 rows)
select c, d from li where a = 3 and b = 1 and (c = 2 or c = any (array[5, 6, null]) or c = any ('{7,8}')) order by c;
--|  c | d
--| ---+----
--|  2 | x2
--|  5 | x5
--|  6 | x6
--|  7 | x7
--|  8 | x8
--| (5 rows)
prepare q as select count(d) from li where a = any ($1) and b = any ($2) and c < $3;
--| PREPARE
set plan_cache_mode = force_custom_plan;
--| SET
explain (costs off) execute q('{1,2}', '{3,4,5}', 3);
--|                                               QUERY PLAN
--| -------------------------------------------------------------------------------------------------------
--|  Aggregate
--|    ->  Index Scan using li_pkey on li
--|          Index Cond: ((a = ANY ('{1,2}'::integer[])) AND (b = ANY ('{3,4,5}'::integer[])) AND (c < 3))
--| (3 rows)
execute q('{1,2}', '{3,4,5}', 3);
--|  count
--| -------
--|     12
--| (1 row)
execute q('{1,2}', null, 3);
--|  count
--| -------
--|      0
--| (1 row)
execute q('{}', '{1}', 3);
--|  count
--| -------
--|      0
--| (1 row)
set plan_cache_mode = force_generic_plan;
--| SET
explain (costs off) execute q('{1,2}', '{3,4,5}', 3);
--|                               QUERY PLAN
--| ----------------------------------------------------------------------
--|  Aggregate
--|    ->  Index Scan using li_pkey on li
--|          Index Cond: ((a = ANY ($1)) AND (b = ANY ($2)) AND (c < $3))
--| (3 rows)
execute q('{1,2}', '{3,4,5}', 3);
--|  count
--| -------
--|     12
--| (1 row)
reset plan_cache_mode;
--| RESET
-- A column that nothing is asked of has few values: each is looked for.
explain (costs off) select d from li where b = 5 and c = 3;
--|              QUERY PLAN
--| -------------------------------------
--|  Index Scan using li_pkey on li
--|    Index Cond: ((b = 5) AND (c = 3))
--| (2 rows)
select a, b, c, d from li where b = 5 and c = 3 and a < 4 order by a;
--|  a | b | c | d
--| ---+---+---+----
--|  1 | 5 | 3 | x3
--|  2 | 5 | 3 | x3
--|  3 | 5 | 3 | x3
--| (3 rows)
explain (costs off) select d from li where a > 17 and b = 5 and c = 3;
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Index Scan using li_pkey on li
--|    Index Cond: ((a > 17) AND (b = 5) AND (c = 3))
--| (2 rows)
select a, b, c, d from li where a > 17 and b in (5, 6) and c = 3 order by a, b;
--|  a  | b | c | d
--| ----+---+---+----
--|  18 | 5 | 3 | x3
--|  18 | 6 | 3 | x3
--|  19 | 5 | 3 | x3
--|  19 | 6 | 3 | x3
--|  20 | 5 | 3 | x3
--|  20 | 6 | 3 | x3
--| (6 rows)
explain (costs off) select a, b from li where a between 2 and 3 and b = 5 and c > 18;
--|                            QUERY PLAN
--| ----------------------------------------------------------------
--|  Index Only Scan using li_pkey on li
--|    Index Cond: ((a >= 2) AND (a <= 3) AND (b = 5) AND (c > 18))
--| (2 rows)
select a, b, c from li where a between 2 and 3 and b = 5 and c > 18 order by a, c;
--|  a | b | c
--| ---+---+----
--|  2 | 5 | 19
--|  2 | 5 | 20
--|  3 | 5 | 19
--|  3 | 5 | 20
--| (4 rows)
explain (costs off) select d from li where (a, b) > (18, 4) and b = 5 and c = 3;
--|                             QUERY PLAN
--| ------------------------------------------------------------------
--|  Index Scan using li_pkey on li
--|    Index Cond: ((ROW(a, b) > ROW(18, 4)) AND (b = 5) AND (c = 3))
--|    Filter: ((a > 18) OR ((a = 18) AND (b > 4)))
--| (3 rows)
select a, b, c from li where (a, b) > (18, 4) and b = 5 and c = 3 order by a;
--|  a  | b | c
--| ----+---+---
--|  18 | 5 | 3
--|  19 | 5 | 3
--|  20 | 5 | 3
--| (3 rows)
explain (costs off) select d from li where a = 3 and c = 4;
--|              QUERY PLAN
--| -------------------------------------
--|  Index Scan using li_pkey on li
--|    Index Cond: ((a = 3) AND (c = 4))
--| (2 rows)
select a, b, c from li where a = 3 and c = 4 and b < 4 order by b;
--|  a | b | c
--| ---+---+---
--|  3 | 1 | 4
--|  3 | 2 | 4
--|  3 | 3 | 4
--| (3 rows)
create table sk (a int, b text, c int);
--| CREATE TABLE
insert into sk select nullif(i % 4, 0), case when i % 5 > 0 then 'b' || i % 5 end, i from generate_series(1, 2000) i;
--| INSERT 0 2000
create index sk_ab on sk (a desc nulls last, b, c);
--| CREATE INDEX
analyze sk;
--| ANALYZE
explain (costs off) select * from sk where b = 'b2' and c = 77;
--|                   QUERY PLAN
--| -----------------------------------------------
--|  Index Only Scan using sk_ab on sk
--|    Index Cond: ((b = 'b2'::text) AND (c = 77))
--| (2 rows)
select * from sk where b = 'b2' and c in (77, 72, 92) order by c;
--|  a | b  | c
--| ---+----+----
--|    | b2 | 72
--|  1 | b2 | 77
--|    | b2 | 92
--| (3 rows)
select * from sk where b is null and c in (40, 45) order by c;
--|  a | b | c
--| ---+---+----
--|    |   | 40
--|  1 |   | 45
--| (2 rows)
select * from sk where a is not null and b is null and c in (40, 45) order by c;
--|  a | b | c
--| ---+---+----
--|  1 |   | 45
--| (1 row)
select * from sk where a > 1 and b = 'b2' and c < 30 order by c;
--|  a | b  | c
--| ---+----+----
--|  2 | b2 |  2
--|  3 | b2 |  7
--|  2 | b2 | 22
--|  3 | b2 | 27
--| (4 rows)
begin;
--| BEGIN
insert into sk values (9, 'b2', 77), (null, 'b2', 77);
--| INSERT 0 2
delete from sk where b = 'b2' and c = 77 and a = 1;
--| DELETE 1
select * from sk where b = 'b2' and c = 77 order by a;
--|  a | b  | c
--| ---+----+----
--|  9 | b2 | 77
--|    | b2 | 77
--| (2 rows)
rollback;
--| ROLLBACK
explain (costs off) select s.c from (values (1), (2)) v (x) join sk s on s.b = 'b' || v.x and s.c = 77;
--|                              QUERY PLAN
--| ---------------------------------------------------------------------
--|  Nested Loop
--|    ->  Subquery Scan on v
--|          ->  Values Scan on "*VALUES*"
--|    ->  Index Only Scan using sk_ab on sk s
--|          Index Cond: ((b = ('b'::text || (v.x)::text)) AND (c = 77))
--| (5 rows)
select s.a, s.b, s.c from (values (1), (2)) v (x) join sk s on s.b = 'b' || v.x and s.c in (77, 76) order by 3;
--|  a | b  | c
--| ---+----+----
--|    | b1 | 76
--|  1 | b2 | 77
--| (2 rows)
drop table sk;
--| DROP TABLE
create index li_d on li (c desc, b, a);
--| CREATE INDEX
explain (costs off) select a from li where c in (1, 2) and b > 18;
--|                          QUERY PLAN
--| -------------------------------------------------------------
--|  Index Only Scan using li_d on li
--|    Index Cond: ((c = ANY ('{1,2}'::integer[])) AND (b > 18))
--| (2 rows)
select c, b, count(*) from li where c in (1, 2) and b > 18 group by c, b order by c, b;
--|  c | b  | count
--| ---+----+-------
--|  1 | 19 |    20
--|  1 | 20 |    20
--|  2 | 19 |    20
--|  2 | 20 |    20
--| (4 rows)
update li set d = 'y' where a in (1, 2) and b in (1, 2) and c in (1, 2);
--| UPDATE 8
delete from li where a in (1, 2) and b in (1, 2) and c <= 2;
--| DELETE 8
select count(*) from li;
--|  count
--| -------
--|   7992
--| (1 row)
select a.a, a.b, b.c from li a join li b on b.a in (a.a, a.a + 1) and b.b in (a.b, 20) and b.c < 2 where a.a = 19 and a.b > 18 and a.c = 5 order by 1, 2, 3;
--|  a  | b  | c
--| ----+----+---
--|  19 | 19 | 1
--|  19 | 19 | 1
--|  19 | 19 | 1
--|  19 | 19 | 1
--|  19 | 20 | 1
--|  19 | 20 | 1
--| (6 rows)
drop table li;
--| DROP TABLE
