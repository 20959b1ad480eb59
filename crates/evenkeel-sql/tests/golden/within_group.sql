-- Aggregates WITHIN GROUP: percentiles, the mode, and where a row that is not there would stand.

create table w (g int, x int, f float8, t text, y interval, n numeric);
--| CREATE TABLE
insert into w values (1, 10, 1.5, 'a', '1 hour', 1), (1, 20, 2.5, 'b', '2 hours', 2), (1, 30, 4, 'b', '1 day', 3), (1, null, null, null, null, null), (2, 5, 0, 'Z', '10 min', 7.5), (2, 5, 100, 'z', '20 min', 7.5), (3, null, null, null, null, null);
--| INSERT 0 7
select percentile_cont(0.5) within group (order by x) from w;
--|  percentile_cont
--| -----------------
--|               10
--| (1 row)
select percentile_cont(0.5) within group (order by x), percentile_disc(0.5) within group (order by x), mode() within group (order by x) from w;
--|  percentile_cont | percentile_disc | mode
--| -----------------+-----------------+------
--|               10 |              10 |    5
--| (1 row)
select g, percentile_cont(0.5) within group (order by f) as c, percentile_disc(0.5) within group (order by f) as d, mode() within group (order by t) as m from w group by g order by g;
--|  g |  c  |  d  | m
--| ---+-----+-----+---
--|  1 | 2.5 | 2.5 | b
--|  2 |  50 |   0 | Z
--|  3 |     |     |
--| (3 rows)
select g, percentile_cont(0.25) within group (order by y), percentile_disc(0.75) within group (order by t desc) from w group by g order by g;
--|  g | percentile_cont | percentile_disc
--| ---+-----------------+-----------------
--|  1 | 01:30:00        | a
--|  2 | 00:12:30        | Z
--|  3 |                 |
--| (3 rows)
select percentile_cont(array[0, 0.25, 0.5, null, 1]) within group (order by x) from w;
--|  percentile_cont
--| ------------------
--|  {5,5,10,NULL,30}
--| (1 row)
select percentile_cont(array[0.5, 0.1]) within group (order by y) from w;
--|    percentile_cont
--| ---------------------
--|  {01:00:00,00:14:00}
--| (1 row)
select percentile_disc(array[1, 0, 0.5, null, 0.3, 0.5]) within group (order by t) from w;
--|  percentile_disc
--| ------------------
--|  {z,Z,b,NULL,a,b}
--| (1 row)
select percentile_disc('{{0.1,0.9},{0.5,null}}'::float8[]) within group (order by x desc) from w;
--|   percentile_disc
--| --------------------
--|  {{30,5},{10,NULL}}
--| (1 row)
select percentile_disc('[3:4]={0.1,0.9}'::float8[]) within group (order by x) from w;
--|  percentile_disc
--| -----------------
--|  [3:4]={5,30}
--| (1 row)
select percentile_disc('{}'::float8[]) within group (order by x) from w;
--|  percentile_disc
--| -----------------
--|  {}
--| (1 row)
select pg_typeof(percentile_cont(0.5) within group (order by x)), pg_typeof(percentile_disc(0.5) within group (order by n)), pg_typeof(percentile_disc(array[0.5]) within group (order by t)), pg_typeof(mode() within group (order by y)), pg_typeof(percentile_cont(array[0.5]) within group (order by y)) from w;
--|     pg_typeof     | pg_typeof | pg_typeof | pg_typeof | pg_typeof
--| ------------------+-----------+-----------+-----------+------------
--|  double precision | numeric   | text[]    | interval  | interval[]
--| (1 row)
select percentile_cont(v) within group (order by p), percentile_disc(v) within group (order by p) from (values (1), (2), (3), (4)) q (p), (values (0::float8), (0.2), (0.4), (0.75), (1)) f (v) group by v order by v;
--|  percentile_cont | percentile_disc
--| -----------------+-----------------
--|                1 |               1
--|              1.6 |               1
--|              2.2 |               2
--|             3.25 |               3
--|                4 |               4
--| (5 rows)

-- No rows, NULLs, fractions that are none.
select percentile_cont(0.5) within group (order by x), percentile_disc(0.5) within group (order by x), mode() within group (order by x), percentile_cont(array[0.5]) within group (order by x) from w where false;
--|  percentile_cont | percentile_disc | mode | percentile_cont
--| -----------------+-----------------+------+-----------------
--|                  |                 |      |
--| (1 row)
select rank(1) within group (order by x), dense_rank(1) within group (order by x), percent_rank(1) within group (order by x), cume_dist(1) within group (order by x) from w where false;
--|  rank | dense_rank | percent_rank | cume_dist
--| ------+------------+--------------+-----------
--|     1 |          1 |            0 |         1
--| (1 row)
select percentile_cont(null) within group (order by x) from w;
--|  percentile_cont
--| -----------------
--|
--| (1 row)
select percentile_cont(null::float8) within group (order by x), percentile_disc(null::float8[]) within group (order by x) from w;
--|  percentile_cont | percentile_disc
--| -----------------+-----------------
--|                  |
--| (1 row)
select percentile_cont(2) within group (order by x) from w;
--| ERROR:  22003: percentile value 2 is not between 0 and 1
select percentile_disc(-0.1) within group (order by x) from w;
--| ERROR:  22003: percentile value -0.1 is not between 0 and 1
select percentile_cont('nan') within group (order by x) from w where false;
--| ERROR:  22003: percentile value NaN is not between 0 and 1
select percentile_cont(array[0.5, 1.25]) within group (order by x) from w where false;
--|  percentile_cont
--| -----------------
--|
--| (1 row)
select percentile_cont(array[0.5, 1.25]) within group (order by x) from w;
--| ERROR:  22003: percentile value 1.25 is not between 0 and 1
select percentile_disc(1e10) within group (order by x) from w;
--| ERROR:  22003: percentile value 1e+10 is not between 0 and 1
select percentile_cont(0.5) within group (order by v) from (values ('infinity'::float8), ('-infinity'), (0)) q (v);
--|  percentile_cont
--| -----------------
--|                0
--| (1 row)
select percentile_cont(0.25) within group (order by v) from (values ('infinity'::float8), ('-infinity'), (0)) q (v);
--|  percentile_cont
--| -----------------
--|              NaN
--| (1 row)

-- The mode: of several the first in order.
select mode() within group (order by v), mode() within group (order by v desc) from (values (3), (1), (2), (3), (1)) q (v);
--|  mode | mode
--| ------+------
--|     1 |    3
--| (1 row)
select mode() within group (order by a) from (values (array[1, 2]), (array[1]), (array[1, 2])) q (a);
--|  mode
--| -------
--|  {1,2}
--| (1 row)
select mode() within group (order by b), percentile_disc(0.5) within group (order by b) from (values (true), (false), (true)) q (b);
--|  mode | percentile_disc
--| ------+-----------------
--|  t    | t
--| (1 row)
select mode() within group (order by v collate "C") from (values ('b'), ('B'), ('a'), ('B')) q (v);
--|  mode
--| ------
--|  B
--| (1 row)

-- A row that is not there.
select rank(20) within group (order by x), dense_rank(20) within group (order by x), percent_rank(20) within group (order by x), cume_dist(20) within group (order by x) from w;
--|  rank | dense_rank |    percent_rank     | cume_dist
--| ------+------------+---------------------+-----------
--|     4 |          3 | 0.42857142857142855 |     0.625
--| (1 row)
select rank(20) within group (order by x desc), dense_rank(20) within group (order by x desc), rank(20) within group (order by x nulls first), rank(null) within group (order by x) from w;
--|  rank | dense_rank | rank | rank
--| ------+------------+------+------
--|     4 |          3 |    6 |    6
--| (1 row)
select rank(5, 'z') within group (order by x, t), rank(5, 'z') within group (order by x desc, t desc nulls last), dense_rank(5, 'z') within group (order by x, t desc) from w;
--|  rank | rank | dense_rank
--| ------+------+------------
--|     2 |    6 |          1
--| (1 row)
select dense_rank(6) within group (order by x), rank(6) within group (order by x) from w;
--|  dense_rank | rank
--| ------------+------
--|           2 |    3
--| (1 row)
select g, rank(g * 10) within group (order by x), cume_dist(12) within group (order by f) from w group by g order by g;
--|  g | rank |     cume_dist
--| ---+------+--------------------
--|  1 |    1 |                0.8
--|  2 |    3 | 0.6666666666666666
--|  3 |    1 |                0.5
--| (3 rows)
select rank(1.5) within group (order by v), rank('2') within group (order by v), rank(2) within group (order by v::numeric) from (values (1), (2), (3)) q (v);
--|  rank | rank | rank
--| ------+------+------
--|     2 |    2 |    2
--| (1 row)
select dense_rank(3) within group (order by v), rank(3) within group (order by v), cume_dist(3) within group (order by v), percent_rank(3) within group (order by v) from (values (1), (1), (2), (2), (3), (3), (4)) q (v);
--|  dense_rank | rank | cume_dist |    percent_rank
--| ------------+------+-----------+--------------------
--|           3 |    5 |     0.875 | 0.5714285714285714
--| (1 row)
select rank(row(1, 2)) within group (order by row(a, b)) from (values (1, 1), (1, 3)) q (a, b);
--|  rank
--| ------
--|     2
--| (1 row)

-- FILTER, HAVING, ORDER BY, grouping sets.
select g, percentile_disc(0.5) within group (order by x) filter (where x > 10), mode() within group (order by t) filter (where t > 'a'), rank(20) within group (order by x) filter (where x is not null) from w group by g order by g;
--|  g | percentile_disc | mode | rank
--| ---+-----------------+------+------
--|  1 |              20 | b    |    2
--|  2 |                 | z    |    3
--|  3 |                 |      |    1
--| (3 rows)
select g from w group by g having percentile_cont(0.5) within group (order by x) > 5 order by g;
--|  g
--| ---
--|  1
--| (1 row)
select g, count(*) from w group by g order by percentile_cont(0.5) within group (order by f) desc nulls last, rank(6) within group (order by x), g;
--|  g | count
--| ---+-------
--|  2 |     2
--|  1 |     4
--|  3 |     1
--| (3 rows)
select g, t, percentile_cont(0.5) within group (order by x), rank(g) within group (order by x) from w group by rollup (g, t) order by g, t;
--|  g | t | percentile_cont | rank
--| ---+---+-----------------+------
--|  1 | a |              10 |    1
--|  1 | b |              25 |    1
--|  1 |   |              20 |    1
--|  1 |   |                 |    1
--|  2 | Z |               5 |    1
--|  2 | z |               5 |    1
--|  2 |   |               5 |    1
--|  3 |   |                 |    1
--|  3 |   |                 |    1
--|    |   |              10 |    6
--| (10 rows)
select g, grouping(g), percentile_disc(0.1 * g) within group (order by x) from w group by grouping sets ((g), ()) order by g;
--|  g | grouping | percentile_disc
--| ---+----------+-----------------
--|  1 |        0 |              10
--|  2 |        0 |               5
--|  3 |        0 |
--|    |        1 |
--| (4 rows)
select percentile_cont(0.5) within group (order by x) + 1, round(percentile_cont(0.5) within group (order by f)::numeric, 2) from w;
--|  ?column? | round
--| ----------+-------
--|        11 |  2.50
--| (1 row)
select sum(percentile_cont(0.5) within group (order by x)) over () from w group by g order by g;
--|  sum
--| -----
--|   25
--|   25
--|   25
--| (3 rows)
select percentile_disc(0.5) within group (order by x + g) from w;
--|  percentile_disc
--| -----------------
--|               11
--| (1 row)
select (select percentile_disc(0.5) within group (order by v) from (values (w.x), (w.g)) q (v)) from w order by 1;
--|  percentile_disc
--| -----------------
--|                1
--|                1
--|                1
--|                1
--|                2
--|                2
--|                3
--| (7 rows)
select g, (select percentile_disc(0.5) within group (order by w.x)) from w group by g order by g;
--|  g | percentile_disc
--| ---+-----------------
--|  1 |              20
--|  2 |               5
--|  3 |
--| (3 rows)
select g, (select percentile_disc(g / 10.0) within group (order by v) from generate_series(1, 10) v) from w group by g order by g;
--|  g | percentile_disc
--| ---+-----------------
--|  1 |               1
--|  2 |               2
--|  3 |               3
--| (3 rows)

-- Direct arguments are of the group.
select percentile_disc(x) within group (order by x) from w;
--| ERROR:  42803: column "w.x" must appear in the GROUP BY clause or be used in an aggregate function
--| DETAIL:  Direct arguments of an ordered-set aggregate must use only grouped columns.
select g, percentile_disc(f) within group (order by x) from w group by g;
--| ERROR:  42803: column "w.f" must appear in the GROUP BY clause or be used in an aggregate function
--| DETAIL:  Direct arguments of an ordered-set aggregate must use only grouped columns.
select rank(x) within group (order by x) from w group by g;
--| ERROR:  42803: column "w.x" must appear in the GROUP BY clause or be used in an aggregate function
--| DETAIL:  Direct arguments of an ordered-set aggregate must use only grouped columns.
select g + 1, percentile_disc((g + 1) / 10.0) within group (order by x) from w group by g + 1 order by 1;
--|  ?column? | percentile_disc
--| ----------+-----------------
--|         2 |              10
--|         3 |               5
--|         4 |
--| (3 rows)
select g, rank(sum(x)) within group (order by x) from w group by g;
--| ERROR:  42803: aggregate function calls cannot be nested
select percentile_disc(0.5) within group (order by sum(x)) from w;
--| ERROR:  42803: aggregate function calls cannot be nested
create table wk (id int primary key, name text, share float8);
--| CREATE TABLE
insert into wk values (1, 'a', 0.5), (2, 'b', 1);
--| INSERT 0 2
select wk.id, percentile_disc(share) within group (order by x) from wk join w on w.g = wk.id group by wk.id order by 1;
--|  id | percentile_disc
--| ----+-----------------
--|   1 |              20
--|   2 |               5
--| (2 rows)
select (select percentile_disc(v) within group (order by w.x) from (values (0.5)) q (v)) from w;
--| ERROR:  42803: outer-level aggregate cannot contain a lower-level variable in its direct arguments

-- What is refused.
select percentile_cont(0.5) from w;
--| ERROR:  42883: function percentile_cont(numeric) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select mode(x) from w;
--| ERROR:  42809: WITHIN GROUP is required for ordered-set aggregate mode
select mode() from w;
--| ERROR:  42883: function mode() does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select rank(1) from w;
--| ERROR:  42809: WITHIN GROUP is required for ordered-set aggregate rank
select rank() from w;
--| ERROR:  42809: window function rank requires an OVER clause
select rank() within group (order by x) from w;
--| ERROR:  42883: function rank(integer) does not exist
--| HINT:  To use the hypothetical-set aggregate rank, the number of hypothetical direct arguments (here 0) must match the number of ordering columns (here 1).
select rank(1, 2) within group (order by x) from w;
--| ERROR:  42883: function rank(integer, integer, integer) does not exist
--| HINT:  To use the hypothetical-set aggregate rank, the number of hypothetical direct arguments (here 2) must match the number of ordering columns (here 1).
select rank('a') within group (order by x) from w;
--| ERROR:  22P02: invalid input syntax for type integer: "a"
select rank('a'::text) within group (order by x) from w;
--| ERROR:  42804: WITHIN GROUP types integer and text cannot be matched
select percentile_cont() within group (order by x, f) from w;
--| ERROR:  42883: function percentile_cont(integer, double precision) does not exist
--| HINT:  There is an ordered-set aggregate percentile_cont, but it requires 1 direct argument, not 0.
select percentile_cont(0.5) within group (order by x, f) from w;
--| ERROR:  42883: function percentile_cont(numeric, integer, double precision) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select percentile_cont(0.5) within group (order by t) from w;
--| ERROR:  42883: function percentile_cont(numeric, text) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select mode(1) within group (order by x) from w;
--| ERROR:  42883: function mode(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select mode() within group (order by 'a') from w;
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select sum(x) within group (order by x) from w;
--| ERROR:  42883: function sum(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select abs(x) within group (order by x) from w;
--| ERROR:  42883: function abs(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select lower() within group (order by t) from w;
--| ERROR:  42809: WITHIN GROUP specified, but lower is not an aggregate function
select no_such(1) within group (order by x) from w;
--| ERROR:  42883: function no_such(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select first_value(x) within group (order by x) from w;
--| ERROR:  42883: function first_value(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select percentile_cont(0.5) within group (order by x) over () from w;
--| ERROR:  0A000: OVER is not supported for ordered-set aggregate percentile_cont
select rank(1) within group (order by x) over () from w;
--| ERROR:  0A000: OVER is not supported for ordered-set aggregate rank
select rank(1) over () from w;
--| ERROR:  42809: WITHIN GROUP is required for ordered-set aggregate rank
select sum(x) within group (order by x) over () from w;
--| ERROR:  42883: function sum(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select percentile_cont(distinct 0.5) within group (order by x) from w;
--| ERROR:  42601: cannot use DISTINCT with WITHIN GROUP
select percentile_cont(0.5 order by x) within group (order by x) from w;
--| ERROR:  42601: cannot use multiple ORDER BY clauses with WITHIN GROUP
select mode() within group (order by j) from (values ('{}'::json)) q (j);
--| ERROR:  42883: could not identify an ordering operator for type json
--| HINT:  Use an explicit ordering operator or modify the query.
select percentile_disc(array[0.5]) within group (order by a) from (values (array[1])) q (a);
--| ERROR:  42704: could not find array type for data type integer[]
select x from w where percentile_cont(0.5) within group (order by x) > 1;
--| ERROR:  42803: aggregate functions are not allowed in WHERE
select g from w group by percentile_cont(0.5) within group (order by x);
--| ERROR:  42803: aggregate functions are not allowed in GROUP BY
select rank(rank() over ()) within group (order by x) from w;
--| ERROR:  42803: aggregate function calls cannot contain window function calls
select rank(1) within group (order by rank() over ()) from w;
--| ERROR:  42803: aggregate function calls cannot contain window function calls
select percentile_cont(0.5) within group (order by x, percentile_cont(0.5) within group (order by x)) from w;
--| ERROR:  42803: aggregate function calls cannot be nested

-- Views.
create view wv as select g, percentile_cont(0.5) within group (order by x) as c, percentile_disc(array[0.25, 0.5]) within group (order by t desc) as d, mode() within group (order by f) filter (where x > 1) as m, rank(1, 'a') within group (order by x desc nulls last, t) as r, percentile_cont(0.1::float8 * g) within group (order by f) as e, mode() within group (order by (x + 1)) as o, cume_dist(5) within group (order by (abs(x))) as z from w group by g;
--| CREATE VIEW
select pg_get_viewdef('wv');
--|                                              pg_get_viewdef
--| --------------------------------------------------------------------------------------------------------
--|   SELECT g,                                                                                            +
--|      percentile_cont((0.5)::double precision) WITHIN GROUP (ORDER BY ((x)::double precision)) AS c,    +
--|      percentile_disc((ARRAY[0.25, 0.5])::double precision[]) WITHIN GROUP (ORDER BY t DESC) AS d,      +
--|      mode() WITHIN GROUP (ORDER BY f) FILTER (WHERE (x > 1)) AS m,                                     +
--|      rank(1, 'a'::text) WITHIN GROUP (ORDER BY x DESC NULLS LAST, t) AS r,                             +
--|      percentile_cont(((0.1)::double precision * (g)::double precision)) WITHIN GROUP (ORDER BY f) AS e,+
--|      mode() WITHIN GROUP (ORDER BY (x + 1)) AS o,                                                      +
--|      cume_dist(5) WITHIN GROUP (ORDER BY (abs(x))) AS z                                                +
--|     FROM w                                                                                             +
--|    GROUP BY g;
--| (1 row)
select * from wv order by g;
--|  g | c  |   d   |  m  | r |  e  | o  |  z
--| ---+----+-------+-----+---+-----+----+-----
--|  1 | 20 | {b,b} | 1.5 | 4 | 1.7 | 11 | 0.2
--|  2 |  5 | {z,z} |   0 | 3 |  20 |  6 |   1
--|  3 |    |       |     | 1 |     |    | 0.5
--| (3 rows)

-- Prepared, and plans.
prepare p (float8, int) as select percentile_cont($1) within group (order by x), rank($2) within group (order by x) from w;
--| PREPARE
execute p (0.5, 10);
--|  percentile_cont | rank
--| -----------------+------
--|               10 |    3
--| (1 row)
execute p (1, 6);
--|  percentile_cont | rank
--| -----------------+------
--|               30 |    3
--| (1 row)
explain (costs off) select g from w group by g having percentile_cont(0.5) within group (order by x desc) > 5 and rank(g) within group (order by x) > 1;
--|                                                                                    QUERY PLAN
--| ---------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  HashAggregate
--|    Group Key: g
--|    Filter: ((percentile_cont('0.5'::double precision) WITHIN GROUP (ORDER BY ((x)::double precision) DESC) > '5'::double precision) AND (rank(g) WITHIN GROUP (ORDER BY x) > 1))
--|    ->  Seq Scan on w
--| (4 rows)

-- More than work_mem.
set work_mem = '64kB';
--| SET
select percentile_cont(array[0, 0.5, 1]) within group (order by v), percentile_disc(0.999) within group (order by v::text), mode() within group (order by v % 100), dense_rank(7) within group (order by v % 10) from generate_series(1, 20000) v;
--|   percentile_cont  | percentile_disc | mode | dense_rank
--| -------------------+-----------------+------+------------
--|  {1,10000.5,20000} | 9980            |    0 |          8
--| (1 row)
select k, percentile_disc(array[0.01, 0.5]) within group (order by v desc), count(*) from (select v % 3 as k, v from generate_series(1, 20000) v) q group by k order by k;
--|  k | percentile_disc | count
--| ---+-----------------+-------
--|  0 | {19800,10002}   |  6666
--|  1 | {19801,10000}   |  6667
--|  2 | {19802,10001}   |  6667
--| (3 rows)
select md5(string_agg(v::text, ',' order by v desc)), (array_agg(v order by v % 7, v))[1:3] from generate_series(1, 20000) v;
--|                md5                | array_agg
--| ----------------------------------+-----------
--|  91e4650f421d55df028a3698579f88ff | {7,14,21}
--| (1 row)
reset work_mem;
--| RESET

-- The catalog.
select p.proname, a.aggkind, a.aggnumdirectargs, p.pronargs, p.provariadic::regtype, p.proargmodes, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid) from pg_proc p join pg_aggregate a on a.aggfnoid = p.oid where a.aggkind <> 'n' order by 1, 7;
--|      proname     | aggkind | aggnumdirectargs | pronargs | provariadic | proargmodes |          pg_get_function_arguments           | pg_get_function_result
--| -----------------+---------+------------------+----------+-------------+-------------+----------------------------------------------+------------------------
--|  cume_dist       | h       |                1 |        1 | "any"       | {v}         | VARIADIC "any" ORDER BY VARIADIC "any"       | double precision
--|  dense_rank      | h       |                1 |        1 | "any"       | {v}         | VARIADIC "any" ORDER BY VARIADIC "any"       | bigint
--|  mode            | o       |                0 |        1 | -           |             | ORDER BY anyelement                          | anyelement
--|  percent_rank    | h       |                1 |        1 | "any"       | {v}         | VARIADIC "any" ORDER BY VARIADIC "any"       | double precision
--|  percentile_cont | o       |                1 |        2 | -           |             | double precision ORDER BY double precision   | double precision
--|  percentile_cont | o       |                1 |        2 | -           |             | double precision ORDER BY interval           | interval
--|  percentile_cont | o       |                1 |        2 | -           |             | double precision[] ORDER BY double precision | double precision[]
--|  percentile_cont | o       |                1 |        2 | -           |             | double precision[] ORDER BY interval         | interval[]
--|  percentile_disc | o       |                1 |        2 | -           |             | double precision ORDER BY anyelement         | anyelement
--|  percentile_disc | o       |                1 |        2 | -           |             | double precision[] ORDER BY anyelement       | anyarray
--|  rank            | h       |                1 |        1 | "any"       | {v}         | VARIADIC "any" ORDER BY VARIADIC "any"       | bigint
--| (11 rows)
select pg_get_function_arguments('upper'::regproc), pg_get_function_result('upper'::regproc);
--|  pg_get_function_arguments | pg_get_function_result
--| ---------------------------+------------------------
--|  text                      | text
--| (1 row)
drop view wv;
--| DROP VIEW
drop table w, wk;
--| DROP TABLE
-- What several such aggregates want in the same order is kept and sorted once.
create table og (g int, x int, y numeric);
--| CREATE TABLE
insert into og select i % 3, (i * 7919) % 101, nullif(i % 13, 5) from generate_series(1, 500) i;
--| INSERT 0 500
select g, percentile_cont(0.25) within group (order by x) as a, percentile_cont(0.75) within group (order by x) as b, percentile_disc(array[0.1, 0.9]) within group (order by x) as c, mode() within group (order by x) as d, percentile_disc(0.5) within group (order by x desc) as e, percentile_disc(0.5) within group (order by y) as f, percentile_disc(0.25) within group (order by y) filter (where x > 50) as h, percentile_disc(0.75) within group (order by y) filter (where x > 50) as i, rank(50) within group (order by x) as r, string_agg(x::text, ',' order by x) filter (where x < 4) as s from og group by rollup (g) order by g;
--|  g |   a   |  b   |    c    | d | e  | f | h | i  |  r  |                   s
--| ---+-------+------+---------+---+----+---+---+----+-----+---------------------------------------
--|  0 | 24.25 |   75 | {10,90} | 1 | 50 | 6 | 2 | 10 |  83 | 0,1,1,2,2,3
--|  1 |  25.5 | 74.5 | {10,91} | 2 | 50 | 6 | 3 |  9 |  83 | 0,1,2,2,3,3
--|  2 |    25 | 75.5 | {9,91}  | 0 | 50 | 6 | 2 |  9 |  84 | 0,0,1,1,2,3,3
--|    |    25 |   75 | {10,90} | 1 | 50 | 6 | 2 |  9 | 248 | 0,0,0,0,1,1,1,1,1,2,2,2,2,2,3,3,3,3,3
--| (4 rows)
select percentile_disc(0.5) within group (order by y), percentile_disc(0.9) within group (order by y), mode() within group (order by y) from og where x > 1000;
--|  percentile_disc | percentile_disc | mode
--| -----------------+-----------------+------
--|                  |                 |
--| (1 row)
select percentile_disc(0) within group (order by random()) = percentile_disc(0.0) within group (order by random()) as drawn_once from og;
--|  drawn_once
--| ------------
--|  f
--| (1 row)
set work_mem = '64kB';
--| SET
select percentile_disc(0.25) within group (order by x), percentile_disc(0.75) within group (order by x), mode() within group (order by x) from (select (i * 7919) % 10007 as x from generate_series(1, 10000) i union all select 77) v;
--|  percentile_disc | percentile_disc | mode
--| -----------------+-----------------+------
--|             2502 |            7505 |   77
--| (1 row)
reset work_mem;
--| RESET
