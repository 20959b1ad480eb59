-- GROUP BY DISTINCT, SUBSTRING SIMILAR, and what is refused by its name.
create table ri (a int, b int, c int, s text);
--| CREATE TABLE
insert into ri values (1, 1, 1, 'foobar'), (1, 2, 1, 'on'), (2, 1, 2, null);
--| INSERT 0 3
select a, b, c, count(*) from ri group by distinct rollup (a, b), rollup (a, c) order by 1, 2, 3;
--|  a | b | c | count
--| ---+---+---+-------
--|  1 | 1 | 1 |     1
--|  1 | 1 |   |     1
--|  1 | 2 | 1 |     1
--|  1 | 2 |   |     1
--|  1 |   | 1 |     2
--|  1 |   |   |     2
--|  2 | 1 | 2 |     1
--|  2 | 1 |   |     1
--|  2 |   | 2 |     1
--|  2 |   |   |     1
--|    |   |   |     3
--| (11 rows)
select a, b, c, count(*) from ri group by rollup (a, b), rollup (a, c) order by 1, 2, 3;
--|  a | b | c | count
--| ---+---+---+-------
--|  1 | 1 | 1 |     1
--|  1 | 1 |   |     1
--|  1 | 1 |   |     1
--|  1 | 2 | 1 |     1
--|  1 | 2 |   |     1
--|  1 | 2 |   |     1
--|  1 |   | 1 |     2
--|  1 |   | 1 |     2
--|  1 |   |   |     2
--|  1 |   |   |     2
--|  1 |   |   |     2
--|  2 | 1 | 2 |     1
--|  2 | 1 |   |     1
--|  2 | 1 |   |     1
--|  2 |   | 2 |     1
--|  2 |   | 2 |     1
--|  2 |   |   |     1
--|  2 |   |   |     1
--|  2 |   |   |     1
--|    |   |   |     3
--| (20 rows)
select a, count(*) from ri group by distinct a order by 1;
--|  a | count
--| ---+-------
--|  1 |     2
--|  2 |     1
--| (2 rows)
select a, count(*), grouping(a) from ri group by distinct grouping sets ((a), (a), ()) order by 1;
--|  a | count | grouping
--| ---+-------+----------
--|  1 |     2 |        0
--|  2 |     1 |        0
--|    |     3 |        1
--| (3 rows)
select substring(s similar '%#"o_#"%' escape '#') from ri;
--|  substring
--| -----------
--|  oo
--|  on
--|
--| (3 rows)
select substring('foobar' similar '#"(o|f)+#"%' escape '#'), substring(upper(s) similar 'FOO#"%#"' escape '#') from ri;
--|  substring | substring
--| -----------+-----------
--|  foo       | BAR
--|  foo       |
--|  foo       |
--| (3 rows)
select substring(substring(s from 1 for 4) similar '_#"%#"' escape '#'), s similar to 'f%' from ri;
--|  substring | ?column?
--| -----------+----------
--|  oob       | t
--|  n         | f
--|            |
--| (3 rows)
select old.a from ri;
--| ERROR:  42P01: missing FROM-clause entry for table "old"
update ri old set a = 6 where b = 2 returning old.a;
--|  a
--| ---
--|  6
--| (1 row)
--| UPDATE 1
select substring('xabyabz' similar '%#"ab%#"_' escape '#'), substring('aab' similar 'a+#"a*b#"%' escape '#'), substring('a?b' similar '[?]*a?[?]#"%#"' escape '#');
--|  substring | substring | substring
--| -----------+-----------+-----------
--|  abyab     | ab        | b
--| (1 row)
with i as (insert into ri values (7, 7, 7, 'i') returning a, b) table i;
--|  a | b
--| ---+---
--|  7 | 7
--| (1 row)
with w as (select 1 as x) table w union all table w;
--|  x
--| ---
--|  1
--|  1
--| (2 rows)
table ri union table ri order by 1, 2;
--|  a | b | c |   s
--| ---+---+---+--------
--|  1 | 1 | 1 | foobar
--|  2 | 1 | 2 |
--|  6 | 2 | 1 | on
--|  7 | 7 | 7 | i
--| (4 rows)
select regexp_count('tab', 'a*'), regexp_count('baab', 'b|a*', 2), regexp_count('foo bar', '\y', 2), regexp_count('foo bar', '\mb*', 2), regexp_count('foo', '^', 2), regexp_count('foo', '^.', 2), regexp_count('foo', 'o', 9), regexp_count('', ''), regexp_count('ab', '', 3);
--|  regexp_count | regexp_count | regexp_count | regexp_count | regexp_count | regexp_count | regexp_count | regexp_count | regexp_count
--| --------------+--------------+--------------+--------------+--------------+--------------+--------------+--------------+--------------
--|             4 |            3 |            3 |            1 |            0 |            0 |            0 |            1 |            1
--| (1 row)
