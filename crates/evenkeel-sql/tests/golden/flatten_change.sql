create table t (id int primary key, ref int, n int);
--| CREATE TABLE
create table a (id int primary key, b_id int, v int);
--| CREATE TABLE
create table b (id int primary key, w text);
--| CREATE TABLE
insert into t select i, i % 50, 0 from generate_series(1, 1000) i;
--| INSERT 0 1000
insert into a select i, i % 7, i * 10 from generate_series(1, 500) i;
--| INSERT 0 500
insert into b select i, 'w' || i from generate_series(0, 6) i;
--| INSERT 0 7
analyze t, a, b;
--| ANALYZE
create view ab as select a.id, a.v, b.w from a join b on b.id = a.b_id;
--| CREATE VIEW
create view al as select a.id, a.v, b.w || '!' as w, coalesce(b.w, 'none') as c from a left join b on b.id = a.b_id and b.id < 3;
--| CREATE VIEW
explain (costs off) update t set n = ab.v from ab where t.ref = ab.id and t.id = 5;
--|                    QUERY PLAN
--| ------------------------------------------------
--|  Update on t
--|    ->  Nested Loop
--|          ->  Nested Loop
--|                ->  Index Scan using t_pkey on t
--|                      Index Cond: (id = 5)
--|                ->  Index Scan using a_pkey on a
--|                      Index Cond: (id = t.ref)
--|          ->  Index Only Scan using b_pkey on b
--|                Index Cond: (id = a.b_id)
--| (9 rows)
update t set n = ab.v from ab where t.ref = ab.id and t.id = 5 returning t.*, ab.*;
--|  id | ref | n  | id | v  | w
--| ----+-----+----+----+----+----
--|   5 |   5 | 50 |  5 | 50 | w5
--| (1 row)
--| UPDATE 1
update t set n = ab.v + t.n from ab where t.ref = ab.id and t.id = 5 returning old.n, new.n, old.*, new.*, ab.w;
--|  n  |  n  | id | ref | n  | id | ref |  n  | w
--| ----+-----+----+-----+----+----+-----+-----+----
--|  50 | 100 |  5 |   5 | 50 |  5 |   5 | 100 | w5
--| (1 row)
--| UPDATE 1
explain (costs off) delete from t using ab where t.ref = ab.id and t.id = 6 and ab.w = 'w6';
--|                    QUERY PLAN
--| ------------------------------------------------
--|  Delete on t
--|    ->  Nested Loop
--|          ->  Nested Loop
--|                ->  Index Scan using t_pkey on t
--|                      Index Cond: (id = 6)
--|                ->  Index Scan using a_pkey on a
--|                      Index Cond: (id = t.ref)
--|          ->  Index Scan using b_pkey on b
--|                Index Cond: (id = a.b_id)
--|                Filter: (w = 'w6'::text)
--| (10 rows)
delete from t using ab where t.ref = ab.id and t.id = 6 and ab.w = 'w6' returning old.id, new.id, ab.w, t;
--|  id | id | w  |    t
--| ----+----+----+---------
--|   6 |    | w6 | (6,6,0)
--| (1 row)
--| DELETE 1
-- outer joins, within and around
update t set n = al.v from al where t.ref = al.id and t.id in (7, 8, 9, 10) returning t.id, al.*;
--|  id | id |  v  |  w  |  c
--| ----+----+-----+-----+------
--|   7 |  7 |  70 | w0! | w0
--|   8 |  8 |  80 | w1! | w1
--|   9 |  9 |  90 | w2! | w2
--|  10 | 10 | 100 |     | none
--| (4 rows)
--| UPDATE 4
update t set n = coalesce(s.v, -1) from b left join (select a.id, a.v + 1 as v from a join b on a.b_id = b.id where a.v < 30) s on s.id = b.id
  where t.id = b.id and t.id between 1 and 5 returning t.id, t.n, s.*, b.w, old.n;
--|  id | n  | id | v  | w  |  n
--| ----+----+----+----+----+-----
--|   1 | 11 |  1 | 11 | w1 |   0
--|   2 | 21 |  2 | 21 | w2 |   0
--|   3 | -1 |    |    | w3 |   0
--|   4 | -1 |    |    | w4 |   0
--|   5 | -1 |    |    | w5 | 100
--| (5 rows)
--| UPDATE 5
update t set n = x.v from (select id, v from a) x left join (select b.id, b.w from b join a on a.id = b.id) y on y.id = x.id
  where t.id = x.id and t.id between 3 and 9 returning t.id, x.v, y.w, y.id is null as none, old.n, new.n;
--|  id | v  | w  | none | n  | n
--| ----+----+----+------+----+----
--|   3 | 30 | w3 | f    | -1 | 30
--|   4 | 40 | w4 | f    | -1 | 40
--|   5 | 50 | w5 | f    | -1 | 50
--|   7 | 70 |    | t    | 70 | 70
--|   8 | 80 |    | t    | 80 | 80
--|   9 | 90 |    | t    | 90 | 90
--| (6 rows)
--| UPDATE 6
-- several, the target itself, LATERAL, WITH
update t set n = s.n + 1 from (select t.id, t.n from t join a on a.id = t.id) s, (select id as bid, w from b where w <> 'w2') u
  where s.id = t.id and u.bid = t.id returning t.id, t.n, u.w;
--|  id | n  | w
--| ----+----+----
--|   1 | 12 | w1
--|   3 | 31 | w3
--|   4 | 41 | w4
--|   5 | 51 | w5
--| (4 rows)
--| UPDATE 4
with x as (select a.id, b.w from a join b on b.id = a.b_id) update t set n = length(x.w) from x where x.id = t.id and t.id = 20 returning t.id, x.w, old.n;
--|  id | w  | n
--| ----+----+---
--|  20 | w6 | 0
--| (1 row)
--| UPDATE 1
update t set n = s.v from b, lateral (select a.v from a where a.id = b.id) s where t.id = b.id returning t.id, t.n, s.v;
--|  id | n  | v
--| ----+----+----
--|   1 | 10 | 10
--|   2 | 20 | 20
--|   3 | 30 | 30
--|   4 | 40 | 40
--|   5 | 50 | 50
--| (5 rows)
--| UPDATE 5
-- subqueries over what was taken apart
update t set n = (select max(b.id) from b where b.id <= s.v) from (select a.id, a.v / 10 as v from a join b on b.id = a.b_id) s
  where t.id = s.id and t.id < 4 returning t.id, t.n, (select count(*) from a where a.v < s.v * 10), (select old.n + new.n);
--|  id | n | count | ?column?
--| ----+---+-------+----------
--|   1 | 1 |     0 |       11
--|   2 | 2 |     1 |       22
--|   3 | 3 |     2 |       33
--| (3 rows)
--| UPDATE 3
-- an update through a view, joined with one
create view tv as select id, ref, n from t where n < 1000000 with check option;
--| CREATE VIEW
update tv set n = ab.v from ab where tv.ref = ab.id and tv.id = 30 returning tv.*, ab.*, old.n;
--|  id | ref |  n  | id |  v  | w  | n
--| ----+-----+-----+----+-----+----+---
--|  30 |  30 | 300 | 30 | 300 | w2 | 0
--| (1 row)
--| UPDATE 1
update tv set n = 2000000 from ab where tv.ref = ab.id and tv.id = 30;
--| ERROR:  44000: new row violates check option for view "tv"
--| DETAIL:  Failing row contains (30, 30, 2000000).
merge into t using ab on t.ref = ab.id and t.id = 31 when matched then update set n = ab.v + 5 returning t.*, ab.*;
--|  id | ref |  n  | id |  v  | w
--| ----+-----+-----+----+-----+----
--|  31 |  31 | 315 | 31 | 310 | w3
--| (1 row)
