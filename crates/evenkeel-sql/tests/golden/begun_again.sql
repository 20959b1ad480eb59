-- What a part of a statement keeps for one row is given back before the next, however many there are.
select count(*) from generate_series(1,8000) g where cardinality(array(select repeat('x', 50000) from generate_series(1,1) h where h <= g)) = 1;
--|  count
--| -------
--|   8000
--| (1 row)
select count(*) from generate_series(1,8000) g where cardinality(array(select array[repeat('x', 50000)] from generate_series(1,1) h where h <= g)) = 1;
--|  count
--| -------
--|   8000
--| (1 row)
create table mt(a int, b text);
--| CREATE TABLE
insert into mt select g, repeat('b', 1000) || g % 5 from generate_series(1,50) g;
--| INSERT 0 50
create index on mt(b, a);
--| CREATE INDEX
analyze mt;
--| ANALYZE
select sum((select count(*) from mt where mt.b in (repeat('b', 1000) || '1', repeat('b', 1000) || '2', repeat('b', 1000) || g, repeat('b', 1000) || g + 1) and mt.a = g % 100)) from generate_series(1,80000) g;
--|   sum
--| -------
--|  16002
--| (1 row)

-- IN a list with NULL asks no more than one without.
select count(*) from generate_series(1,20000) a where a not in (select nullif(b, 5) from generate_series(1,20000) b);
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from generate_series(1,20000) a where (a in (select nullif(b, 5) from generate_series(1,20000) b)) is null;
--|  count
--| -------
--|      1
--| (1 row)
select x, x in (values (1),(null),(3)) from (values (1),(2),(3),(null)) t(x) order by 1;
--|  x | ?column?
--| ---+----------
--|  1 | t
--|  2 |
--|  3 | t
--|    |
--| (4 rows)
select x, x not in (values (1),(3)) from (values (1),(2),(3),(null)) t(x) order by 1;
--|  x | ?column?
--| ---+----------
--|  1 | f
--|  2 | t
--|  3 | f
--|    |
--| (4 rows)
select x, x in (select g from generate_series(1,0) g) from (values (1),(null)) t(x) order by 1;
--|  x | ?column?
--| ---+----------
--|  1 | f
--|    | f
--| (2 rows)
select x, y, (x, y) in (values (1,2),(1,null),(null,3),(4,4)), (x, y) not in (values (1,2),(1,null),(null,3),(4,4)) from (values (1),(2),(4),(null)) t(x), (values (2),(3),(4),(5),(null)) u(y) order by 1, 2;
--|  x | y | ?column? | ?column?
--| ---+---+----------+----------
--|  1 | 2 | t        | f
--|  1 | 3 |          |
--|  1 | 4 |          |
--|  1 | 5 |          |
--|  1 |   |          |
--|  2 | 2 | f        | t
--|  2 | 3 |          |
--|  2 | 4 | f        | t
--|  2 | 5 | f        | t
--|  2 |   |          |
--|  4 | 2 | f        | t
--|  4 | 3 |          |
--|  4 | 4 | t        | f
--|  4 | 5 | f        | t
--|  4 |   |          |
--|    | 2 |          |
--|    | 3 |          |
--|    | 4 |          |
--|    | 5 |          |
--|    |   |          |
--| (20 rows)
