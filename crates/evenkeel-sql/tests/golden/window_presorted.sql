-- Rows that come sorted by the first keys of a window's order are sorted by the rest, and what the level itself is ordered by is another matter.
create table r (id int primary key, v int, u int, w int);
--| CREATE TABLE
insert into r select i, i % 1000, i % 100, (i * 7919) % 5003 from generate_series(1, 5000) i;
--| INSERT 0 5000
create index on r (v);
--| CREATE INDEX
create index on r (u, v);
--| CREATE INDEX
analyze r;
--| ANALYZE
select * from (select id, v, w, row_number() over (order by v, id) as rn from r order by w) x where rn <= 5;
--|   id  | v |  w   | rn
--| ------+---+------+----
--|  5000 | 0 | 1258 |  5
--|  4000 | 0 | 2007 |  4
--|  3000 | 0 | 2756 |  3
--|  2000 | 0 | 3505 |  2
--|  1000 | 0 | 4254 |  1
--| (5 rows)
explain (costs off) select * from (select id, v, w, row_number() over (order by v, id) as rn from r order by w) x where rn <= 20;
--|                                 QUERY PLAN
--| ---------------------------------------------------------------------------
--|  Subquery Scan on x
--|    Filter: (x.rn <= 20)
--|    ->  Sort
--|          Sort Key: r.w
--|          ->  WindowAgg
--|                Window: w1 AS (ORDER BY r.v, r.id ROWS UNBOUNDED PRECEDING)
--|                Run Condition: (row_number() OVER w1 <= 20)
--|                ->  Incremental Sort
--|                      Sort Key: r.v, r.id
--|                      Presorted Key: r.v
--|                      ->  Index Scan using r_v_idx on r
--| (11 rows)
select string_agg(id::text, ',') from (select id, row_number() over (order by v, id) as rn from r order by id desc) x where rn <= 12;
--|                       string_agg
--| -------------------------------------------------------
--|  5000,4001,4000,3001,3000,2001,2000,1002,1001,1000,2,1
--| (1 row)
select string_agg(id::text, ',') from (select id, row_number() over (order by v, w) as rn from r order by w, id) x where rn <= 12;
--|                       string_agg
--| -------------------------------------------------------
--|  1002,3001,2,5000,2001,4000,1001,3000,1,2000,1000,4001
--| (1 row)
select array_agg(w) from (select w, dense_rank() over (order by v, id) as rn from r order by w) x where rn < 10;
--|                    array_agg
--| -----------------------------------------------
--|  {669,1258,1418,2007,2167,2756,2916,3505,4254}
--| (1 row)
select * from (select id, w, row_number() over (order by u, v, id) as rn from r order by w) x where rn <= 5;
--|   id  |  w   | rn
--| ------+------+----
--|  5000 | 1258 |  5
--|  4000 | 2007 |  4
--|  3000 | 2756 |  3
--|  2000 | 3505 |  2
--|  1000 | 4254 |  1
--| (5 rows)
explain (costs off) select id, w, row_number() over (order by u, v, id) as rn from r order by w limit 3;
--|                                 QUERY PLAN
--| --------------------------------------------------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: w
--|          ->  WindowAgg
--|                Window: w1 AS (ORDER BY u, v, id ROWS UNBOUNDED PRECEDING)
--|                ->  Sort
--|                      Sort Key: u, v, id
--|                      ->  Seq Scan on r
--| (8 rows)
select id, row_number() over (order by v, id) from r order by v, id limit 3;
--|   id  | row_number
--| ------+------------
--|  1000 |          1
--|  2000 |          2
--|  3000 |          3
--| (3 rows)
