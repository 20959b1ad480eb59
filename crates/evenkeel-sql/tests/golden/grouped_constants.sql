-- Constants that GROUP BY names, in grouping sets; columns that depend on a key of all sets.

select 1 as x, a, sum(b) from (values (1,2),(1,3)) t(a,b) group by grouping sets(1, 2) order by 1,2;
--|  x | a | sum
--| ---+---+-----
--|  1 |   |   5
--|    | 1 |   5
--| (2 rows)
select 1 as one group by rollup(one) order by one nulls first;
--|  one
--| -----
--|
--|    1
--| (2 rows)
select 1 as one, 1 as two, 2 from (values (1)) t(a) group by rollup(one);
--|  one | two | ?column?
--| -----+-----+----------
--|      |   1 |        2
--|    1 |   1 |        2
--| (2 rows)
select 1 as one, 1 + 0, 'x' as s, 'x' from (values (1)) t(a) group by rollup(one, s) order by 1, 2, 3;
--|  one | ?column? | s | ?column?
--| -----+----------+---+----------
--|    1 |        1 | x | x
--|    1 |        1 |   | x
--|      |        1 |   | x
--| (3 rows)
select 1 as one, count(*) from (values (1)) t(a) group by one;
--|  one | count
--| -----+-------
--|    1 |     1
--| (1 row)
select a, 1 from (values (1)) t(a) group by rollup(a);
--|  a | ?column?
--| ---+----------
--|    |        1
--|  1 |        1
--| (2 rows)
select null as n, a, grouping(a) from (values (1)) t(a) group by cube(n, a) order by 1,2,3;
--|  n | a | grouping
--| ---+---+----------
--|    | 1 |        0
--|    | 1 |        0
--|    |   |        1
--|    |   |        1
--| (4 rows)
select 1 as x, 1 + a as y, a from (values (1)) t(a) group by rollup(x, a) order by 1,2,3;
--|  x | y | a
--| ---+---+---
--|  1 | 2 | 1
--|  1 |   |
--|    |   |
--| (3 rows)
select 1 as x, coalesce(1, a) as y, a, max(1) from (values (1)) t(a) group by rollup(x, a) having 1 = 1 order by 1,2,3;
--|  x | y | a | max
--| ---+---+---+-----
--|  1 | 1 | 1 |   1
--|  1 | 1 |   |   1
--|    | 1 |   |   1
--| (3 rows)
select current_date = current_date as d, 'a'::text as t from (values (1)) t(a) group by rollup(d, t) order by 1,2;
--|  d | t
--| ---+---
--|  t | a
--|  t |
--|    |
--| (3 rows)
create table g (a int primary key, b int, c int, d text);
--| CREATE TABLE
insert into g values (1, 1, 1, 'x'), (2, 2, 2, 'y');
--| INSERT 0 2
select a, d, grouping(a, b, c) from g group by grouping sets ((a, b), (a, c)) order by 1, 3;
--|  a | d | grouping
--| ---+---+----------
--|  1 | x |        1
--|  1 | x |        2
--|  2 | y |        1
--|  2 | y |        2
--| (4 rows)
select a, d, b from g group by rollup (a, b);
--| ERROR:  42803: column "g.d" must appear in the GROUP BY clause or be used in an aggregate function
select a, d, count(*) from g group by a, rollup (b, c) having grouping(c) = 0 order by d;
--|  a | d | count
--| ---+---+-------
--|  1 | x |     1
--|  2 | y |     1
--| (2 rows)
