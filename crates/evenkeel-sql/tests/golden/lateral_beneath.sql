-- What stands on the right of an outer join, or in a subquery that becomes a join, and reads the rows on the left.
create table a(x int, y int); create table b(y int); create table c(x int);
--| CREATE TABLE
--| CREATE TABLE
--| CREATE TABLE
insert into a select g, g from generate_series(1,1000) g; insert into b select generate_series(1,1000); insert into c select generate_series(1,500);
--| INSERT 0 1000
--| INSERT 0 1000
--| INSERT 0 500
analyze a; analyze b; analyze c;
--| ANALYZE
--| ANALYZE
--| ANALYZE
select count(*) from a where exists (select 1 from b join c on c.x = a.x where b.y = a.y);
--|  count
--| -------
--|    500
--| (1 row)
select count(*) from a where not exists (select 1 from b join c on c.x = a.x where b.y = a.y);
--|  count
--| -------
--|    500
--| (1 row)
select count(*) from a where exists (select 1 from b left join c on c.x = a.x where b.y = a.y and c.x is null);
--|  count
--| -------
--|    500
--| (1 row)
insert into c select generate_series(501,1000);
--| INSERT 0 500
select count(*), count(*) filter (where v is distinct from x) as wrong from (
  select a.x, s.v from a left join (b cross join lateral (select c.x as v from c where c.x = a.x) s) on b.y = a.y) q;
--|  count | wrong
--| -------+-------
--|   1000 |     0
--| (1 row)
create table la(a int); create table lb(b int); create table lc(x int);
--| CREATE TABLE
--| CREATE TABLE
--| CREATE TABLE
insert into la values (1),(2); insert into lb values (10),(20); insert into lc values (1),(2);
--| INSERT 0 2
--| INSERT 0 2
--| INSERT 0 2
select la.a, lb.b, s.x from la left join (lb cross join lateral (select lc.x from lc where lc.x = la.a) s) on true order by 1,2,3;
--|  a | b  | x
--| ---+----+---
--|  1 | 10 | 1
--|  1 | 20 | 1
--|  2 | 10 | 2
--|  2 | 20 | 2
--| (4 rows)
select la.a, lb.b, s.x from la left join (lb left join lateral (select lc.x from lc where lc.x = la.a) s on true) on true order by 1,2,3;
--|  a | b  | x
--| ---+----+---
--|  1 | 10 | 1
--|  1 | 20 | 1
--|  2 | 10 | 2
--|  2 | 20 | 2
--| (4 rows)
select la.a, lb.b, s.x from la left join (lb full join lateral (select lc.x from lc where lc.x = la.a) s on true) on true order by 1,2,3;
--|  a | b  | x
--| ---+----+---
--|  1 | 10 | 1
--|  1 | 20 | 1
--|  2 | 10 | 2
--|  2 | 20 | 2
--| (4 rows)
select la.a, lb.b, s.x from la left join (lb full join lateral (select lc.x from lc where lc.x = la.a) s on s.x * 10 = lb.b) on true order by 1,2,3;
--|  a | b  | x
--| ---+----+---
--|  1 | 10 | 1
--|  1 | 20 |
--|  2 | 10 |
--|  2 | 20 | 2
--| (4 rows)
select la.a, lb.b, s.x from la, (lb full join lateral (select lc.x from lc where lc.x = la.a) s on s.x * 10 = lb.b) order by 1,2,3;
--|  a | b  | x
--| ---+----+---
--|  1 | 10 | 1
--|  1 | 20 |
--|  2 | 10 |
--|  2 | 20 | 2
--| (4 rows)
select * from la left join (lb cross join lateral (select la.a as x) s) on true order by 1,2,3;
--|  a | b  | x
--| ---+----+---
--|  1 | 10 | 1
--|  1 | 20 | 1
--|  2 | 10 | 2
--|  2 | 20 | 2
--| (4 rows)
select * from la left join (lb cross join lateral generate_series(1, la.a) g) on true order by 1,2,3;
--|  a | b  | g
--| ---+----+---
--|  1 | 10 | 1
--|  1 | 20 | 1
--|  2 | 10 | 1
--|  2 | 10 | 2
--|  2 | 20 | 1
--|  2 | 20 | 2
--| (6 rows)
select * from la left join (lb cross join lateral (values (la.a)) v(x)) on true order by 1,2,3;
--|  a | b  | x
--| ---+----+---
--|  1 | 10 | 1
--|  1 | 20 | 1
--|  2 | 10 | 2
--|  2 | 20 | 2
--| (4 rows)
select * from la left join (lateral (select la.a as x limit 1) s join lb on true) on true order by 1,2,3;
--|  a | x | b
--| ---+---+----
--|  1 | 1 | 10
--|  1 | 1 | 20
--|  2 | 2 | 10
--|  2 | 2 | 20
--| (4 rows)
select * from la left join (lb cross join lateral (select max(b) + la.a as m from lb) s) on s.m > 0 order by 1,2,3;
--|  a | b  | m
--| ---+----+----
--|  1 | 10 | 21
--|  1 | 20 | 21
--|  2 | 10 | 22
--|  2 | 20 | 22
--| (4 rows)
select * from la cross join lateral (select * from lb cross join lateral (select la.a + lb.b as y limit 1) t) s order by 1,2,3;
--|  a | b  | y
--| ---+----+----
--|  1 | 10 | 11
--|  1 | 20 | 21
--|  2 | 10 | 12
--|  2 | 20 | 22
--| (4 rows)
-- Two levels down.
select * from la left join (lb left join (lc cross join lateral (select la.a + lb.b as y limit 1) s) on lc.x = lb.b / 10) on true order by 1,2,3,4;
--|  a | b  | x | y
--| ---+----+---+----
--|  1 | 10 | 1 | 11
--|  1 | 20 | 2 | 21
--|  2 | 10 | 1 | 12
--|  2 | 20 | 2 | 22
--| (4 rows)
select * from la left join (lb left join (lc join lateral (select la.a * 10 as y limit 1) s on s.y = lc.x * 10) on lc.x * 10 = lb.b) on true order by 1,2,3,4;
--|  a | b  | x | y
--| ---+----+---+----
--|  1 | 10 | 1 | 10
--|  1 | 20 |   |
--|  2 | 10 |   |
--|  2 | 20 | 2 | 20
--| (4 rows)
select * from la left join (lb join (lc left join lateral (select max(c.x) + la.a as m from c where c.x <= lb.b) s on true) on lc.x * 10 = lb.b) on lb.b > 10 order by 1,2,3,4;
--|  a | b  | x | m
--| ---+----+---+----
--|  1 | 20 | 2 | 21
--|  2 | 20 | 2 | 22
--| (2 rows)
select * from la left join (lb left join (lc join lateral (select c.x from c where c.x = la.a + lc.x) s on true) on lc.x * 10 = lb.b) on true order by 1,2,3,4;
--|  a | b  | x | x
--| ---+----+---+---
--|  1 | 10 | 1 | 2
--|  1 | 20 | 2 | 3
--|  2 | 10 | 1 | 3
--|  2 | 20 | 2 | 4
--| (4 rows)
