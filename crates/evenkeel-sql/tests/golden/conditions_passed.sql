-- Conditions where they select most: of HAVING on what is grouped by, of what equals a column of a subquery, and in the order of their cost.
create table cpo (id int primary key, c int);
--| CREATE TABLE
create table cpi (oid int, x int);
--| CREATE TABLE
insert into cpo select g, g % 10 from generate_series(1, 1000) g;
--| INSERT 0 1000
insert into cpi select 1 + g % 1000, g from generate_series(1, 3000) g;
--| INSERT 0 3000
create index cpi_oid on cpi (oid);
--| CREATE INDEX
analyze cpo, cpi;
--| ANALYZE
explain (costs off) select oid, sum(x) from cpi group by oid having oid = 7 and sum(x) > 3;
--|               QUERY PLAN
--| ---------------------------------------
--|  HashAggregate
--|    Group Key: oid
--|    Filter: (sum(x) > 3)
--|    ->  Index Scan using cpi_oid on cpi
--|          Index Cond: (oid = 7)
--| (5 rows)
select oid, sum(x) from cpi group by oid having oid = 7 and sum(x) > 3;
--|  oid | sum
--| -----+------
--|    7 | 3018
--| (1 row)
select oid % 2 as odd, count(*) from cpi group by oid % 2 having oid % 2 = 1 and count(*) > 1;
--|  odd | count
--| -----+-------
--|    1 |  1500
--| (1 row)
select c, count(*) from cpo group by rollup (c) having c is null;
--|  c | count
--| ---+-------
--|    |  1000
--| (1 row)
select count(*) from cpo having false;
--|  count
--| -------
--| (0 rows)
select c from cpo group by c having 1 = 2;
--|  c
--| ---
--| (0 rows)
select c, random() < 2 as r, count(*) from cpo group by 1, 2 having (random() < 2) and c = 1;
--|  c | r | count
--| ---+---+-------
--|  1 | t |   100
--| (1 row)
explain (costs off) select * from cpo join (select oid, sum(x) s from cpi group by oid) s on s.oid = cpo.id where cpo.id = 7;
--|                        QUERY PLAN
--| ---------------------------------------------------------
--|  Nested Loop
--|    ->  Index Scan using cpo_pkey on cpo
--|          Index Cond: (id = 7)
--|    ->  Materialize
--|          ->  Subquery Scan on s
--|                Filter: (s.oid = 7)
--|                ->  HashAggregate
--|                      Group Key: cpi.oid
--|                      ->  Index Scan using cpi_oid on cpi
--|                            Index Cond: (oid = 7)
--| (10 rows)
select * from cpo join (select oid, sum(x) s from cpi group by oid) s on s.oid = cpo.id where cpo.id = 7;
--|  id | c | oid |  s
--| ----+---+-----+------
--|   7 | 7 |   7 | 3018
--| (1 row)
explain (costs off) select * from cpo left join (select oid, sum(x) s from cpi group by oid) s on s.oid = cpo.id where cpo.id = 7;
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  Hash Right Join
--|    Hash Cond: (s.oid = cpo.id)
--|    ->  Subquery Scan on s
--|          ->  HashAggregate
--|                Group Key: cpi.oid
--|                ->  Index Scan using cpi_oid on cpi
--|                      Index Cond: (oid = 7)
--|    ->  Hash
--|          ->  Index Scan using cpo_pkey on cpo
--|                Index Cond: (id = 7)
--| (10 rows)
select * from cpo left join (select oid, sum(x) s from cpi group by oid) s on s.oid = cpo.id where cpo.id = 7;
--|  id | c | oid |  s
--| ----+---+-----+------
--|   7 | 7 |   7 | 3018
--| (1 row)
select * from cpo left join (select oid, sum(x) s from cpi group by oid) s on s.oid = cpo.id and s.oid = 8 where cpo.id = 7;
--|  id | c | oid | s
--| ----+---+-----+---
--|   7 | 7 |     |
--| (1 row)
select * from cpo left join (select oid, sum(x) s from cpi group by oid) s on s.oid = cpo.id and cpo.id = 8 where cpo.id between 7 and 8 order by 1;
--|  id | c | oid |  s
--| ----+---+-----+------
--|   7 | 7 |     |
--|   8 | 8 |   8 | 3021
--| (2 rows)
explain (costs off) select * from cpo join (select oid from cpi union all select id from cpo) u on u.oid = cpo.id where cpo.id = 7;
--|                              QUERY PLAN
--| ---------------------------------------------------------------------
--|  Nested Loop
--|    ->  Index Scan using cpo_pkey on cpo
--|          Index Cond: (id = 7)
--|    ->  Materialize
--|          ->  Subquery Scan on u
--|                Filter: (u.oid = 7)
--|                ->  Append
--|                      ->  Index Only Scan using cpi_oid on cpi
--|                            Index Cond: (oid = 7)
--|                      ->  Index Only Scan using cpo_pkey on cpo cpo_1
--|                            Index Cond: (id = 7)
--| (11 rows)
select * from cpo join (select oid from cpi union all select id from cpo) u on u.oid = cpo.id where cpo.id = 7;
--|  id | c | oid
--| ----+---+-----
--|   7 | 7 |   7
--|   7 | 7 |   7
--|   7 | 7 |   7
--|   7 | 7 |   7
--| (4 rows)
explain (costs off) select * from (select distinct on (oid) oid, x from cpi order by oid, x desc) d where oid = 7;
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  Subquery Scan on d
--|    ->  Unique
--|          ->  Sort
--|                Sort Key: column1, column2 DESC
--|                ->  Index Scan using cpi_oid on cpi
--|                      Index Cond: (oid = 7)
--| (6 rows)
select * from (select distinct on (oid) oid, x from cpi order by oid, x desc) d where oid = 7;
--|  oid |  x
--| -----+------
--|    7 | 2006
--| (1 row)
select * from (select distinct on (oid) oid, x from cpi order by oid, x desc) d where x = 7;
--|  oid | x
--| -----+---
--| (0 rows)
select * from (select distinct on (oid) oid, x from cpi order by oid, x desc limit 5) d where oid = 7;
--|  oid | x
--| -----+---
--| (0 rows)
explain (costs off) select * from cpo where id = 7 and id in (select oid from cpi group by oid having count(*) > 1);
--|                           QUERY PLAN
--| --------------------------------------------------------------
--|  Hash Semi Join
--|    Hash Cond: (cpo.id = "ANY_subquery".oid)
--|    ->  Index Scan using cpo_pkey on cpo
--|          Index Cond: (id = 7)
--|    ->  Hash
--|          ->  Subquery Scan on "ANY_subquery"
--|                ->  HashAggregate
--|                      Group Key: cpi.oid
--|                      Filter: (count(*) > 1)
--|                      ->  Index Only Scan using cpi_oid on cpi
--|                            Index Cond: (oid = 7)
--| (11 rows)
select * from cpo where id = 7 and id in (select oid from cpi group by oid having count(*) > 1);
--|  id | c
--| ----+---
--|   7 | 7
--| (1 row)
select id from cpo where id = 7 and not exists (select 1 from (select oid, count(*) n from cpi group by oid) s where s.oid = cpo.id and n > 5);
--|  id
--| ----
--|   7
--| (1 row)
-- What follows from equal columns stands where its cost puts it.
create table cpe (id int, kind text, val text);
--| CREATE TABLE
insert into cpe values (1, 'num', '7'), (2, 'text', 'abc'), (3, 'num', '3');
--| INSERT 0 3
select e1.id from cpe e1 join cpe e2 on e1.kind = e2.kind and e2.kind = 'num' and e1.val::int = 7 order by 1;
--|  id
--| ----
--|   1
--|   1
--| (2 rows)
-- Several keys on several levels, with an index and without.
create index cpi_x on cpi (x);
--| CREATE INDEX
select * from (select * from (select * from cpi order by x, oid limit 50) a order by x, oid limit 20) b order by x, oid limit 2;
--|  oid | x
--| -----+---
--|    2 | 1
--|    3 | 2
--| (2 rows)
select * from (select cpi.* from cpi join (select * from cpo order by id, c limit 50) o on o.id = cpi.oid order by x, oid, id limit 20) b order by x, oid limit 2;
--|  oid | x
--| -----+---
--|    2 | 1
--|    3 | 2
--| (2 rows)
