-- Window functions: all of them, frames, exclusion, named windows, and what is refused.

create table e (id int primary key, dept text, pay int, day date, at timestamp, n numeric(8,2), f float8);
--| CREATE TABLE
insert into e values
  (1, 'a', 10, '2024-01-01', '2024-01-01 10:00', 1.50, 1),
  (2, 'a', 20, '2024-01-02', '2024-01-01 11:00', 2.25, 2.5),
  (3, 'a', 20, '2024-01-05', '2024-01-01 11:30', 2.25, 'NaN'),
  (4, 'b', 5, '2024-02-01', '2024-02-01 00:00', null, 'Infinity'),
  (5, 'b', null, null, null, 10, null),
  (6, 'b', 7, '2024-02-10', '2024-02-01 00:30', 3, 3),
  (7, 'c', 1, '2024-03-01', '2024-03-01 00:00', -1, '-Infinity'),
  (8, null, 9, '2024-03-02', '2024-03-02 00:00', 0, 0);
--| INSERT 0 8
select id, row_number() over (order by id), rank() over (order by pay), dense_rank() over (order by pay),
  percent_rank() over (order by pay), cume_dist() over (order by pay) from e order by id;
--|  id | row_number | rank | dense_rank |    percent_rank     | cume_dist
--| ----+------------+------+------------+---------------------+-----------
--|   1 |          1 |    5 |          5 |  0.5714285714285714 |     0.625
--|   2 |          2 |    6 |          6 |  0.7142857142857143 |     0.875
--|   3 |          3 |    6 |          6 |  0.7142857142857143 |     0.875
--|   4 |          4 |    2 |          2 | 0.14285714285714285 |      0.25
--|   5 |          5 |    8 |          7 |                   1 |         1
--|   6 |          6 |    3 |          3 |  0.2857142857142857 |     0.375
--|   7 |          7 |    1 |          1 |                   0 |     0.125
--|   8 |          8 |    4 |          4 | 0.42857142857142855 |       0.5
--| (8 rows)
select id, ntile(3) over (order by id), ntile(5) over (partition by dept order by id), ntile(null) over (order by id) from e order by id;
--|  id | ntile | ntile | ntile
--| ----+-------+-------+-------
--|   1 |     1 |     1 |
--|   2 |     1 |     2 |
--|   3 |     1 |     3 |
--|   4 |     2 |     1 |
--|   5 |     2 |     2 |
--|   6 |     2 |     3 |
--|   7 |     3 |     1 |
--|   8 |     3 |     1 |
--| (8 rows)
select id, lag(pay) over w, lag(pay, 2) over w, lag(pay, 2, -1) over w, lead(pay) over w, lead(id, id) over w, lead(id, -1, 1.5) over w, lag(id, null) over w
  from e window w as (order by id) order by id;
--|  id | lag | lag | lag | lead | lead | lead | lag
--| ----+-----+-----+-----+------+------+------+-----
--|   1 |     |     |  -1 |   20 |    2 |  1.5 |
--|   2 |  10 |     |  -1 |   20 |    4 |    1 |
--|   3 |  20 |  10 |  10 |    5 |    6 |    2 |
--|   4 |  20 |  20 |  20 |      |    8 |    3 |
--|   5 |   5 |  20 |  20 |    7 |      |    4 |
--|   6 |     |   5 |   5 |    1 |      |    5 |
--|   7 |   7 |     |     |    9 |      |    6 |
--|   8 |   1 |   7 |   7 |      |      |    7 |
--| (8 rows)
select id, first_value(pay) over w, last_value(pay) over w, nth_value(pay, 2) over w, nth_value(id, null) over w
  from e window w as (partition by dept order by pay) order by id;
--|  id | first_value | last_value | nth_value | nth_value
--| ----+-------------+------------+-----------+-----------
--|   1 |          10 |         10 |           |
--|   2 |          10 |         20 |        20 |
--|   3 |          10 |         20 |        20 |
--|   4 |           5 |          5 |           |
--|   5 |           5 |            |         7 |
--|   6 |           5 |          7 |         7 |
--|   7 |           1 |          1 |           |
--|   8 |           9 |          9 |           |
--| (8 rows)
select id, sum(pay) over (), sum(pay) over (partition by dept), sum(pay) over (order by id), count(*) over (order by pay),
  avg(n) over (order by id rows 1 preceding), count(pay) over (partition by dept order by id) from e order by id;
--|  id | sum | sum | sum | count |           avg           | count
--| ----+-----+-----+-----+-------+-------------------------+-------
--|   1 |  72 |  50 |  10 |     5 |  1.50000000000000000000 |     1
--|   2 |  72 |  50 |  30 |     7 |      1.8750000000000000 |     2
--|   3 |  72 |  50 |  50 |     7 |      2.2500000000000000 |     3
--|   4 |  72 |  12 |  55 |     2 |      2.2500000000000000 |     1
--|   5 |  72 |  12 |  55 |     8 |     10.0000000000000000 |     1
--|   6 |  72 |  12 |  62 |     3 |      6.5000000000000000 |     2
--|   7 |  72 |   1 |  63 |     1 |  1.00000000000000000000 |     1
--|   8 |  72 |   9 |  72 |     4 | -0.50000000000000000000 |     1
--| (8 rows)
select id, min(pay) over w, max(pay) over w, array_agg(id) over w, string_agg(dept, '-') over w, bool_and(pay > 5) over w
  from e window w as (order by id rows between 1 preceding and 1 following) order by id;
--|  id | min | max | array_agg | string_agg | bool_and
--| ----+-----+-----+-----------+------------+----------
--|   1 |  10 |  20 | {1,2}     | a-a        | t
--|   2 |  10 |  20 | {1,2,3}   | a-a-a      | t
--|   3 |   5 |  20 | {2,3,4}   | a-a-b      | f
--|   4 |   5 |  20 | {3,4,5}   | a-b-b      | f
--|   5 |   5 |   7 | {4,5,6}   | b-b-b      | f
--|   6 |   1 |   7 | {5,6,7}   | b-b-c      | f
--|   7 |   1 |   9 | {6,7,8}   | b-c        | f
--|   8 |   1 |   9 | {7,8}     | c          | f
--| (8 rows)
select id, sum(n) over w, avg(pay) over w, count(*) over w, sum(f) over w, stddev(pay) over w
  from e window w as (order by id rows between 2 preceding and current row) order by id;
--|  id |  sum  |         avg         | count |    sum    |       stddev
--| ----+-------+---------------------+-------+-----------+---------------------
--|   1 |  1.50 | 10.0000000000000000 |     1 |         1 |
--|   2 |  3.75 | 15.0000000000000000 |     2 |       3.5 |  7.0710678118654752
--|   3 |  6.00 | 16.6666666666666667 |     3 |       NaN |  5.7735026918962576
--|   4 |  4.50 | 15.0000000000000000 |     3 |       NaN |  8.6602540378443865
--|   5 | 12.25 | 12.5000000000000000 |     3 |       NaN | 10.6066017177982129
--|   6 | 13.00 |  6.0000000000000000 |     3 |  Infinity |  1.4142135623730950
--|   7 | 12.00 |  4.0000000000000000 |     3 | -Infinity |  4.2426406871192851
--|   8 |  2.00 |  5.6666666666666667 |     3 | -Infinity |  4.1633319989322655
--| (8 rows)
select id, sum(id) over (order by id rows between 3 preceding and 2 preceding), sum(id) over (order by id rows between 2 following and 3 following),
  sum(id) over (order by id rows between current row and unbounded following), sum(id) over (order by id rows between 1 following and unbounded following),
  sum(id) over (order by id rows between unbounded preceding and 1 preceding) from e order by id;
--|  id | sum | sum | sum | sum | sum
--| ----+-----+-----+-----+-----+-----
--|   1 |     |   7 |  36 |  35 |
--|   2 |     |   9 |  35 |  33 |   1
--|   3 |   1 |  11 |  33 |  30 |   3
--|   4 |   3 |  13 |  30 |  26 |   6
--|   5 |   5 |  15 |  26 |  21 |  10
--|   6 |   7 |   8 |  21 |  15 |  15
--|   7 |   9 |     |  15 |   8 |  21
--|   8 |  11 |     |   8 |     |  28
--| (8 rows)
select id, pay, sum(id) over (order by pay range between 2 preceding and 2 following) s1, sum(id) over (order by pay desc range between 2 preceding and 2 following) s2,
  sum(id) over (order by pay nulls first range between 5 preceding and current row) s3, sum(id) over (order by pay range between 1 following and 10 following) s4,
  sum(id) over (order by pay desc nulls last range between unbounded preceding and 3 preceding) s5 from e order by id;
--|  id | pay | s1 | s2 | s3 | s4 | s5
--| ----+-----+----+----+----+----+----
--|   1 |  10 |  9 |  9 | 19 |  5 |  5
--|   2 |  20 |  5 |  5 |  5 |    |
--|   3 |  20 |  5 |  5 |  5 |    |
--|   4 |   5 | 10 | 10 | 11 | 15 | 14
--|   5 |     |  5 |  5 |  5 |  5 | 36
--|   6 |   7 | 18 | 18 | 10 |  9 |  6
--|   7 |   1 |  7 |  7 |  7 | 19 | 24
--|   8 |   9 | 15 | 15 | 18 |  1 |  5
--| (8 rows)
select id, sum(1 << id) over (order by day range between interval '3 days' preceding and interval '1 day' following) d,
  sum(1 << id) over (order by at range between '1 hour' preceding and current row) t,
  sum(1 << id) over (order by n range between 1.0 preceding and 0.5 following) n,
  sum(1 << id) over (order by f range between 1 preceding and 1.5 following) f from e order by id;
--|  id |  d  |  t  |  n  |  f
--| ----+-----+-----+-----+-----
--|   1 |   6 |   2 |   2 | 262
--|   2 |   6 |   6 |  14 |  68
--|   3 |  12 |  12 |  14 |   8
--|   4 |  16 |  16 |  16 |  16
--|   5 |  32 |  32 |  32 |  32
--|   6 |  64 |  80 |  76 |  68
--|   7 | 384 | 128 | 128 | 128
--|   8 | 384 | 256 | 384 | 258
--| (8 rows)
select id, sum(1 << id) over (order by f range between 'inf' preceding and 'inf' following) from e order by id;
--|  id | sum
--| ----+-----
--|   1 | 470
--|   2 | 470
--|   3 |   8
--|   4 | 470
--|   5 |  32
--|   6 | 470
--|   7 | 470
--|   8 | 470
--| (8 rows)
select id, pay, sum(1 << id) over (order by pay groups between 1 preceding and 1 following) g1,
  sum(1 << id) over (order by pay groups between current row and 2 following) g2,
  sum(1 << id) over (order by pay groups between 2 following and 3 following) g3,
  sum(1 << id) over (order by pay desc groups between unbounded preceding and 1 preceding) g4,
  sum(1 << id) over (order by pay groups 2 preceding) g5 from e order by id;
--|  id | pay | g1  | g2  | g3  | g4  | g5
--| ----+-----+-----+-----+-----+-----+-----
--|   1 |  10 | 270 |  46 |  32 |  44 | 322
--|   2 |  20 |  46 |  44 |     |  32 | 270
--|   3 |  20 |  46 |  44 |     |  32 | 270
--|   4 |   5 | 208 | 336 | 258 | 366 | 144
--|   5 |     |  44 |  32 |     |     |  46
--|   6 |   7 | 336 | 322 |  14 | 302 | 208
--|   7 |   1 | 144 | 208 | 320 | 382 | 128
--|   8 |   9 | 322 | 270 |  44 |  46 | 336
--| (8 rows)
select id, sum(1 << id) over (order by pay groups between 1 preceding and 1 following exclude current row) c,
  sum(1 << id) over (order by pay groups between 1 preceding and 1 following exclude group) g,
  sum(1 << id) over (order by pay groups between 2 preceding and 2 following exclude ties) t,
  sum(1 << id) over (order by pay groups between 1 preceding and 1 following exclude no others) n from e order by id;
--|  id |  c  |  g  |  t  |  n
--| ----+-----+-----+-----+-----
--|   1 | 268 | 268 | 366 | 270
--|   2 |  42 |  34 | 294 |  46
--|   3 |  38 |  34 | 298 |  46
--|   4 | 192 | 192 | 464 | 208
--|   5 |  12 |  12 |  46 |  44
--|   6 | 272 | 272 | 466 | 336
--|   7 |  16 |  16 | 208 | 144
--|   8 |  66 |  66 | 350 | 322
--| (8 rows)
select id, first_value(pay) over w, last_value(pay) over w, nth_value(pay, 2) over w, sum(id) over w, count(*) over w
  from e window w as (order by pay range between unbounded preceding and unbounded following exclude group) order by id;
--|  id | first_value | last_value | nth_value | sum | count
--| ----+-------------+------------+-----------+-----+-------
--|   1 |           1 |            |         5 |  35 |     7
--|   2 |           1 |            |         5 |  31 |     6
--|   3 |           1 |            |         5 |  31 |     6
--|   4 |           1 |            |         7 |  32 |     7
--|   5 |           1 |         20 |         5 |  31 |     7
--|   6 |           1 |            |         5 |  30 |     7
--|   7 |           5 |            |         7 |  29 |     7
--|   8 |           1 |            |         5 |  28 |     7
--| (8 rows)
select id, first_value(id) over (order by pay exclude current row) from e;
--| ERROR:  42601: syntax error at or near "exclude"
select id, first_value(id) over (order by pay groups between unbounded preceding and current row exclude ties) f, last_value(id) over (order by pay groups between unbounded preceding and current row exclude ties) l from e order by id;
--|  id | f | l
--| ----+---+---
--|   1 | 7 | 1
--|   2 | 7 | 2
--|   3 | 7 | 3
--|   4 | 7 | 4
--|   5 | 7 | 5
--|   6 | 7 | 6
--|   7 | 7 | 7
--|   8 | 7 | 8
--| (8 rows)
select id, sum(pay) filter (where id > 2) over (order by id), count(*) filter (where dept = 'a') over () from e order by id;
--|  id | sum | count
--| ----+-----+-------
--|   1 |     |     3
--|   2 |     |     3
--|   3 |  20 |     3
--|   4 |  25 |     3
--|   5 |  25 |     3
--|   6 |  32 |     3
--|   7 |  33 |     3
--|   8 |  42 |     3
--| (8 rows)
select dept, count(*), sum(count(*)) over (order by dept), rank() over (order by sum(pay) desc nulls last), max(max(pay)) over () from e group by dept order by dept;
--|  dept | count | sum | rank | max
--| ------+-------+-----+------+-----
--|  a    |     3 |   3 |    1 |  20
--|  b    |     3 |   6 |    2 |  20
--|  c    |     1 |   7 |    4 |  20
--|       |     1 |   8 |    3 |  20
--| (4 rows)
select dept, pay / 10 as k, count(*) c, sum(count(*)) over (partition by dept order by pay / 10 rows unbounded preceding) from e group by dept, pay / 10 order by dept, k;
--|  dept | k | c | sum
--| ------+---+---+-----
--|  a    | 1 | 1 |   1
--|  a    | 2 | 2 |   3
--|  b    | 0 | 2 |   2
--|  b    |   | 1 |   3
--|  c    | 0 | 1 |   1
--|       | 0 | 1 |   1
--| (6 rows)
select sum(sum(pay)) over (), count(*) from e;
--|  sum | count
--| -----+-------
--|   72 |     8
--| (1 row)
select id from e order by row_number() over (order by pay desc nulls last), id;
--|  id
--| ----
--|   2
--|   3
--|   1
--|   8
--|   6
--|   4
--|   7
--|   5
--| (8 rows)
select id, row_number() over w as r from e window w as (order by pay, id) order by r desc limit 3;
--|  id | r
--| ----+---
--|   5 | 8
--|   3 | 7
--|   2 | 6
--| (3 rows)
select distinct dept, count(*) over (partition by dept) from e order by dept;
--|  dept | count
--| ------+-------
--|  a    |     3
--|  b    |     3
--|  c    |     1
--|       |     1
--| (4 rows)
select distinct on (dept) dept, id, first_value(id) over (partition by dept order by pay desc) from e order by dept, id desc;
--|  dept | id | first_value
--| ------+----+-------------
--|  a    |  3 |           2
--|  b    |  6 |           5
--|  c    |  7 |           7
--|       |  8 |           8
--| (4 rows)
select id, sum(pay) over w1 a, sum(pay) over w2 b, sum(pay) over (w1 rows 1 preceding) c from e window w1 as (partition by dept order by id), w2 as (partition by dept) order by id;
--|  id | a  | b  | c
--| ----+----+----+----
--|   1 | 10 | 50 | 10
--|   2 | 30 | 50 | 30
--|   3 | 50 | 50 | 40
--|   4 |  5 | 12 |  5
--|   5 |  5 | 12 |  5
--|   6 | 12 | 12 |  7
--|   7 |  1 |  1 |  1
--|   8 |  9 |  9 |  9
--| (8 rows)
select id, count(*) over (w order by id) from e window w as (partition by dept) order by id;
--|  id | count
--| ----+-------
--|   1 |     1
--|   2 |     2
--|   3 |     3
--|   4 |     1
--|   5 |     2
--|   6 |     3
--|   7 |     1
--|   8 |     1
--| (8 rows)
select id, count(*) over (w rows between 1 preceding and current row exclude current row) from e window w as (order by id) order by id;
--|  id | count
--| ----+-------
--|   1 |     0
--|   2 |     1
--|   3 |     1
--|   4 |     1
--|   5 |     1
--|   6 |     1
--|   7 |     1
--|   8 |     1
--| (8 rows)
select * from (select id, dept, row_number() over (partition by dept order by pay desc nulls last) r from e) s where r = 1 order by id;
--|  id | dept | r
--| ----+------+---
--|   2 | a    | 1
--|   6 | b    | 1
--|   7 | c    | 1
--|   8 |      | 1
--| (4 rows)
select * from (select id, dept, sum(id) over (partition by dept) r from e) s where dept = 'b' order by id;
--|  id | dept | r
--| ----+------+----
--|   4 | b    | 15
--|   5 | b    | 15
--|   6 | b    | 15
--| (3 rows)
select * from (select id, dept, sum(id) over (order by id) r from e) s where dept = 'b' order by id;
--|  id | dept | r
--| ----+------+----
--|   4 | b    | 10
--|   5 | b    | 15
--|   6 | b    | 21
--| (3 rows)
select id, (select max(x) from (select sum(t.pay) over (order by t.id) x from e t where t.id <= e.id) q) from e order by id;
--|  id | max
--| ----+-----
--|   1 |  10
--|   2 |  30
--|   3 |  50
--|   4 |  55
--|   5 |  55
--|   6 |  62
--|   7 |  63
--|   8 |  72
--| (8 rows)
select id, (select count(*) over () + e.id limit 1) from e order by id;
--|  id | ?column?
--| ----+----------
--|   1 |        2
--|   2 |        3
--|   3 |        4
--|   4 |        5
--|   5 |        6
--|   6 |        7
--|   7 |        8
--|   8 |        9
--| (8 rows)
select id, sum(pay) over (order by id) + row_number() over (order by id desc) - 1 as x, case when row_number() over (order by id) > 4 then 'y' else 'n' end from e order by id;
--|  id | x  | case
--| ----+----+------
--|   1 | 17 | n
--|   2 | 36 | n
--|   3 | 55 | n
--|   4 | 59 | n
--|   5 | 58 | y
--|   6 | 64 | y
--|   7 | 64 | y
--|   8 | 72 | y
--| (8 rows)
select generate_series(1, 2) g, row_number() over (order by id) from e where id < 3;
--|  g | row_number
--| ---+------------
--|  1 |          1
--|  2 |          1
--|  1 |          2
--|  2 |          2
--| (4 rows)
select id, lag(id) over (order by id) from e where false;
--|  id | lag
--| ----+-----
--| (0 rows)
select sum(1) over () from e where id > 6 union all select row_number() over () from e where id > 6;
--|  sum
--| -----
--|    2
--|    2
--|    1
--|    2
--| (4 rows)
select rank() over (order by dept, pay desc), dept, pay from e order by 1, 2, 3;
--|  rank | dept | pay
--| ------+------+-----
--|     1 | a    |  20
--|     1 | a    |  20
--|     3 | a    |  10
--|     4 | b    |
--|     5 | b    |   7
--|     6 | b    |   5
--|     7 | c    |   1
--|     8 |      |   9
--| (8 rows)
select row_number() over (), id from (values (3), (1), (2)) v(id);
--|  row_number | id
--| ------------+----
--|           1 |  3
--|           2 |  1
--|           3 |  2
--| (3 rows)
select first_value(x) over (order by x rows between 1 following and 2 following), x from generate_series(1, 4) x;
--|  first_value | x
--| -------------+---
--|            2 | 1
--|            3 | 2
--|            4 | 3
--|              | 4
--| (4 rows)
select x, sum(x) over (order by x rows between 1 preceding and 1 following), avg(x) over (rows 2 preceding), count(*) over (order by x / 2 groups 1 preceding) from generate_series(1, 6) x;
--|  x | sum |          avg           | count
--| ---+-----+------------------------+-------
--|  1 |   3 | 1.00000000000000000000 |     1
--|  2 |   6 |     1.5000000000000000 |     3
--|  3 |   9 |     2.0000000000000000 |     3
--|  4 |  12 |     3.0000000000000000 |     4
--|  5 |  15 |     4.0000000000000000 |     4
--|  6 |  11 |     5.0000000000000000 |     3
--| (6 rows)
select x, sum(x::numeric / 4) over (order by x rows 1 preceding), sum(x * interval '1 day') over (order by x rows 1 preceding) from generate_series(1, 4) x;
--|  x |          sum           |  sum
--| ---+------------------------+--------
--|  1 | 0.25000000000000000000 | 1 day
--|  2 | 0.75000000000000000000 | 3 days
--|  3 | 1.25000000000000000000 | 5 days
--|  4 | 1.75000000000000000000 | 7 days
--| (4 rows)
insert into e (id, pay) select 100 + row_number() over (order by id), sum(id) over (order by id) from e where id < 4;
--| INSERT 0 3
update e set pay = s.r from (select id, row_number() over (order by id desc) r from e) s where s.id = e.id and e.id > 100;
--| UPDATE 3
select id, pay from e where id > 100 order by id;
--|  id  | pay
--| -----+-----
--|  101 |   3
--|  102 |   2
--|  103 |   1
--| (3 rows)
delete from e where id in (select id from (select id, row_number() over (order by id) r from e) x where r > 8);
--| DELETE 3
select count(*) from e;
--|  count
--| -------
--|      8
--| (1 row)

-- Refused.
select id from e where row_number() over () > 1;
--| ERROR:  42P20: window functions are not allowed in WHERE
select id from e group by id, row_number() over ();
--| ERROR:  42P20: window functions are not allowed in GROUP BY
select id from e group by id having row_number() over () > 1;
--| ERROR:  42P20: window functions are not allowed in HAVING
select row_number() over () from e group by 1;
--| ERROR:  42P20: window functions are not allowed in GROUP BY
select * from e a join e b on row_number() over () = 1;
--| ERROR:  42P20: window functions are not allowed in JOIN conditions
select sum(row_number() over ()) from e;
--| ERROR:  42803: aggregate function calls cannot contain window function calls
select sum(row_number() over ()) over () from e;
--| ERROR:  42P20: window function calls cannot be nested
select sum(pay) over (partition by row_number() over ()) from e;
--| ERROR:  42P20: window functions are not allowed in window definitions
select count(*) filter (where row_number() over () > 1) over () from e;
--| ERROR:  42P20: window functions are not allowed in FILTER
select row_number() from e;
--| ERROR:  42809: window function row_number requires an OVER clause
select row_number(*) over () from e;
--|  row_number
--| ------------
--|           1
--|           2
--|           3
--|           4
--|           5
--|           6
--|           7
--|           8
--| (8 rows)
select ntile('x'::text) over () from e;
--| ERROR:  42883: function ntile(text) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select lower('x') over () from e;
--| ERROR:  42809: OVER specified, but lower is not a window function nor an aggregate function
select nosuch(1) over () from e;
--| ERROR:  42883: function nosuch(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select count(distinct pay) over () from e;
--| ERROR:  0A000: DISTINCT is not implemented for window functions
select array_agg(pay order by pay) over () from e;
--| ERROR:  0A000: aggregate ORDER BY is not implemented for window functions
select row_number() filter (where true) over () from e;
--| ERROR:  0A000: FILTER is not implemented for non-aggregate window functions
select sum(pay) over w from e;
--| ERROR:  42704: window "w" does not exist
select sum(pay) over (w order by id) from e;
--| ERROR:  42704: window "w" does not exist
select sum(pay) over w from e window w as (order by id), w as (order by id);
--| ERROR:  42P20: window "w" is already defined
select sum(pay) over (w partition by id) from e window w as (order by id);
--| ERROR:  42P20: cannot override PARTITION BY clause of window "w"
select sum(pay) over (w order by id) from e window w as (order by id);
--| ERROR:  42P20: cannot override ORDER BY clause of window "w"
select sum(pay) over (w) from e window w as (order by id rows 1 preceding);
--| ERROR:  42P20: cannot copy window "w" because it has a frame clause
--| HINT:  Omit the parentheses in this OVER clause.
select sum(pay) over (w order by id) from e window w as (partition by id rows 1 preceding);
--| ERROR:  42P20: cannot copy window "w" because it has a frame clause
select sum(pay) over (rows unbounded following) from e;
--| ERROR:  42P20: frame start cannot be UNBOUNDED FOLLOWING
select sum(pay) over (rows between current row and unbounded preceding) from e;
--| ERROR:  42P20: frame end cannot be UNBOUNDED PRECEDING
select sum(pay) over (rows between current row and 1 preceding) from e;
--| ERROR:  42P20: frame starting from current row cannot have preceding rows
select sum(pay) over (rows between 1 following and 1 preceding) from e;
--| ERROR:  42P20: frame starting from following row cannot have preceding rows
select sum(pay) over (rows between 1 following and current row) from e;
--| ERROR:  42P20: frame starting from following row cannot have preceding rows
select sum(pay) over (rows 1 following) from e;
--| ERROR:  42P20: frame starting from following row cannot end with current row
select sum(pay) over (groups 1 preceding) from e;
--| ERROR:  42P20: GROUPS mode requires an ORDER BY clause
select sum(pay) over (range 1 preceding) from e;
--| ERROR:  42P20: RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column
select sum(pay) over (order by id, pay range 1 preceding) from e;
--| ERROR:  42P20: RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column
select sum(pay) over (order by dept range 1 preceding) from e;
--| ERROR:  0A000: RANGE with offset PRECEDING/FOLLOWING is not supported for column type text
select sum(pay) over (order by day range 1 preceding) from e;
--| ERROR:  0A000: RANGE with offset PRECEDING/FOLLOWING is not supported for column type date and offset type integer
--| HINT:  Cast the offset value to an appropriate type.
select sum(pay) over (order by pay range interval '1 day' preceding) from e;
--| ERROR:  0A000: RANGE with offset PRECEDING/FOLLOWING is not supported for column type integer and offset type interval
--| HINT:  Cast the offset value to an appropriate type.
select sum(pay) over (order by pay range 1.5 preceding) from e;
--| ERROR:  0A000: RANGE with offset PRECEDING/FOLLOWING is not supported for column type integer and offset type numeric
--| HINT:  Cast the offset value to an appropriate type.
select sum(pay) over (order by pay rows id preceding) from e;
--| ERROR:  42P10: argument of ROWS must not contain variables
select sum(pay) over (order by pay rows 'x' preceding) from e;
--| ERROR:  22P02: invalid input syntax for type bigint: "x"
select sum(pay) over (order by pay rows 1.5 preceding) from e;
--|  sum
--| -----
--|    1
--|    6
--|   13
--|   21
--|   26
--|   39
--|   50
--|   40
--| (8 rows)
select sum(pay) over (order by pay rows -1 preceding) from e;
--| ERROR:  22013: frame starting offset must not be negative
select sum(pay) over (order by pay range -1 preceding) from e;
--| ERROR:  22013: invalid preceding or following size in window function
select sum(pay) over (order by pay rows between null preceding and current row) from e;
--| ERROR:  22004: frame starting offset must not be null
select sum(pay) over (order by pay rows between 1 preceding and -1 following) from e;
--| ERROR:  22013: frame ending offset must not be negative
select ntile(0) over () from e;
--| ERROR:  22014: argument of ntile must be greater than zero
select nth_value(id, 0) over () from e;
--| ERROR:  22016: argument of nth_value must be greater than zero
select id, sum(pay) over (order by id) from e for update;
--| ERROR:  0A000: FOR UPDATE is not allowed with window functions
select pay, sum(id) over (order by id) from e group by pay;
--| ERROR:  42803: column "e.id" must appear in the GROUP BY clause or be used in an aggregate function
insert into e (id) values (row_number() over ());
--| ERROR:  42P20: window functions are not allowed in VALUES
update e set pay = row_number() over ();
--| ERROR:  42P20: window functions are not allowed in UPDATE
select 1 limit row_number() over ();
--| ERROR:  42P20: window functions are not allowed in LIMIT
select * from generate_series(1, row_number() over ());
--| ERROR:  42P20: window functions are not allowed in functions in FROM

-- What EXPLAIN shows.
explain (costs off) select id, row_number() over (partition by dept order by pay desc) from e;
--|                                 QUERY PLAN
--| ---------------------------------------------------------------------------
--|  WindowAgg
--|    Window: w1 AS (PARTITION BY dept ORDER BY pay ROWS UNBOUNDED PRECEDING)
--|    ->  Sort
--|          Sort Key: dept, pay DESC
--|          ->  Seq Scan on e
--| (5 rows)
explain (costs off) select id, sum(pay) over (order by dept), sum(pay) over (order by dept, f) from e;
--|                 QUERY PLAN
--| ------------------------------------------
--|  WindowAgg
--|    Window: w2 AS (ORDER BY dept)
--|    ->  WindowAgg
--|          Window: w1 AS (ORDER BY dept, f)
--|          ->  Sort
--|                Sort Key: dept, f
--|                ->  Seq Scan on e
--| (7 rows)
explain (costs off) select sum(f) over w, rank() over (w order by n) from e window w as (partition by dept);
--|                                   QUERY PLAN
--| -------------------------------------------------------------------------------
--|  WindowAgg
--|    Window: w AS (PARTITION BY dept)
--|    ->  WindowAgg
--|          Window: w1 AS (PARTITION BY dept ORDER BY n ROWS UNBOUNDED PRECEDING)
--|          ->  Sort
--|                Sort Key: dept, n
--|                ->  Seq Scan on e
--| (7 rows)
explain (costs off) select sum(f) over (rows between 1 preceding and unbounded following exclude ties) from e;
--|                                         QUERY PLAN
--| -------------------------------------------------------------------------------------------
--|  WindowAgg
--|    Window: w1 AS (ROWS BETWEEN '1'::bigint PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES)
--|    ->  Seq Scan on e
--| (3 rows)
explain (costs off) select sum(f) over (order by f range between unbounded preceding and unbounded following) from e order by f;
--|                                        QUERY PLAN
--| ----------------------------------------------------------------------------------------
--|  WindowAgg
--|    Window: w1 AS (ORDER BY f RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
--|    ->  Sort
--|          Sort Key: f
--|          ->  Seq Scan on e
--| (5 rows)
explain (costs off) select count(*) over () from e order by n;
--|         QUERY PLAN
--| ---------------------------
--|  Sort
--|    Sort Key: n
--|    ->  WindowAgg
--|          Window: w1 AS ()
--|          ->  Seq Scan on e
--| (5 rows)
explain (costs off) select dept, sum(count(*)) over (order by dept) from e group by dept;
--|            QUERY PLAN
--| ---------------------------------
--|  WindowAgg
--|    Window: w1 AS (ORDER BY dept)
--|    ->  Sort
--|          Sort Key: dept
--|          ->  HashAggregate
--|                Group Key: dept
--|                ->  Seq Scan on e
--| (7 rows)
