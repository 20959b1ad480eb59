-- Set-returning functions that windows are divided and ordered by.

select row_number() over (order by generate_series(1, 3) desc);
--|  row_number
--| ------------
--|           1
--|           2
--|           3
--| (3 rows)
select generate_series(1, 3) as g, row_number() over (order by generate_series(1, 3) desc) order by 1;
--|  g | row_number
--| ---+------------
--|  1 |          3
--|  2 |          2
--|  3 |          1
--| (3 rows)
select n, generate_series(1, n) as g, count(*) over (partition by generate_series(1, n)) from generate_series(1, 3) n order by 1, 2;
--|  n | g | count
--| ---+---+-------
--|  1 | 1 |     3
--|  2 | 1 |     3
--|  2 | 2 |     2
--|  3 | 1 |     3
--|  3 | 2 |     2
--|  3 | 3 |     1
--| (6 rows)
select n, sum(n) over (partition by generate_series(1, 2) order by n) from generate_series(1, 3) n order by 2, 1;
--|  n | sum
--| ---+-----
--|  1 |   1
--|  1 |   1
--|  2 |   3
--|  2 |   3
--|  3 |   6
--|  3 |   6
--| (6 rows)
select generate_series(1, 2) as a, generate_series(5, 6) as b, row_number() over w from generate_series(1, 2) n window w as (order by generate_series(1, 2), n) order by 3, 1, 2;
--|  a | b | row_number
--| ---+---+------------
--|  1 | 5 |          1
--|  1 | 6 |          1
--|  1 | 5 |          2
--|  1 | 6 |          2
--|  2 | 5 |          3
--|  2 | 6 |          3
--|  2 | 5 |          4
--|  2 | 6 |          4
--| (8 rows)
select n % 2 as m, count(*), rank() over (order by generate_series(1, 2), n % 2) from generate_series(1, 5) n group by n % 2 order by 3;
--|  m | count | rank
--| ---+-------+------
--|  0 |     2 |    1
--|  1 |     3 |    2
--|  0 |     2 |    3
--|  1 |     3 |    4
--| (4 rows)
select count(*) over (partition by unnest(array['a', 'b'])), unnest(array['a', 'b']) as u order by 2;
--|  count | u
--| -------+---
--|      1 | a
--|      1 | b
--| (2 rows)
select row_number() over (order by generate_series(1, generate_series(1, 3)), n) from (values (7)) v(n);
--|  row_number
--| ------------
--|           1
--|           2
--|           3
--|           4
--|           5
--|           6
--| (6 rows)
select row_number() over (order by id, g) from (select 1 as id) x, lateral (select generate_series(1, 2) as g) y limit 1;
--|  row_number
--| ------------
--|           1
--| (1 row)
select sum(1) over (order by generate_series(1, 3) rows between generate_series(1, 2) preceding and current row);
--| ERROR:  0A000: set-returning functions are not allowed in window definitions
select sum(1) over (order by n rows generate_series(1, 2) preceding) from generate_series(1, 3) n;
--| ERROR:  0A000: set-returning functions are not allowed in window definitions
select sum(generate_series(1, 2)) over () from generate_series(1, 3) n;
--| ERROR:  0A000: window function calls cannot contain set-returning function calls
--| HINT:  You might be able to move the set-returning function into a LATERAL FROM item.
select n from generate_series(1, 2) n window w as (partition by generate_series(1, 2));
--|  n
--| ---
--|  1
--|  1
--|  2
--|  2
--| (4 rows)
select distinct count(*) over (partition by generate_series(1, 2)) from generate_series(1, 4);
--|  count
--| -------
--|      4
--| (1 row)
select row_number() over (order by case when true then generate_series(1, 3) end);
--| ERROR:  0A000: set-returning functions are not allowed in CASE
--| HINT:  You might be able to move the set-returning function into a LATERAL FROM item.
-- An aggregate belongs to the level that its arguments read, be it in subqueries.
create table levels (a int);
--| CREATE TABLE
insert into levels values (1), (2), (2);
--| INSERT 0 3
select mode() within group (order by (select max(a))) from levels;
--| ERROR:  42803: aggregate function calls cannot be nested
select (select mode() within group (order by (select max(o.a)))) from levels o;
--| ERROR:  42803: aggregate function calls cannot be nested
select (select sum((select max(o.a)))) from levels o;
--| ERROR:  42803: aggregate function calls cannot be nested
select (select sum((select o.a))) from levels o;
--| ERROR:  0A000: an aggregate of an outer query over a subquery of its own is not supported
select (select sum(i.a + (select o.a)) from levels i) from levels o order by 1;
--|  sum
--| -----
--|    8
--|   11
--|   11
--| (3 rows)
select sum((select max(i.a) from levels i)) from levels o;
--|  sum
--| -----
--|    6
--| (1 row)
