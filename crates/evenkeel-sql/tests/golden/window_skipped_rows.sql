-- What a function would read of a row fails nobody who does not ask for it: a FILTER, a frame, a run condition may leave the row out.
create table t (g int, id int, x int);
--| CREATE TABLE
insert into t values (1, 1, 1), (1, 2, 1), (1, 3, 1), (1, 4, 0), (2, 1, 1), (2, 2, 1), (2, 3, 1), (2, 4, 0);
--| INSERT 0 8
select * from (select g, id, row_number() over w as rn, sum(10 / x) over w as s from t window w as (partition by g order by id)) q where rn <= 1 order by 1;
--|  g | id | rn | s
--| ---+----+----+----
--|  1 |  1 |  1 | 10
--|  2 |  1 |  1 | 10
--| (2 rows)
select * from (select id, row_number() over w as rn, sum(10 / x) over w as s from t where g = 1 window w as (order by id)) q where rn <= 2;
--|  id | rn | s
--| ----+----+----
--|   1 |  1 | 10
--|   2 |  2 | 20
--| (2 rows)
select id, sum(10 / x) over (order by id) from t where g = 1 order by id limit 3;
--|  id | sum
--| ----+-----
--|   1 |  10
--|   2 |  20
--|   3 |  30
--| (3 rows)
select id, sum(10 / x) over (order by id) from t where g = 1 order by id;
--| ERROR:  22012: division by zero
select g, id, sum(10 / x) filter (where x <> 0) over (partition by g order by id) from t order by 1, 2;
--|  g | id | sum
--| ---+----+-----
--|  1 |  1 |  10
--|  1 |  2 |  20
--|  1 |  3 |  30
--|  1 |  4 |  30
--|  2 |  1 |  10
--|  2 |  2 |  20
--|  2 |  3 |  30
--|  2 |  4 |  30
--| (8 rows)
select id, sum(10 / x) filter (where x <> 0) over (order by id), count(10 / x) filter (where x > 0) over (order by id) from t where g = 2 order by 1;
--|  id | sum | count
--| ----+-----+-------
--|   1 |  10 |     1
--|   2 |  20 |     2
--|   3 |  30 |     3
--|   4 |  30 |     3
--| (4 rows)
select id, first_value(10 / x) over (order by id) from t where g = 1 order by 1;
--|  id | first_value
--| ----+-------------
--|   1 |          10
--|   2 |          10
--|   3 |          10
--|   4 |          10
--| (4 rows)
select id, last_value(10 / x) over (order by id) from t where g = 1 order by 1;
--| ERROR:  22012: division by zero
select id, sum(10 / x) over (order by id rows between 2 preceding and 1 preceding) from t where g = 1 order by 1;
--|  id | sum
--| ----+-----
--|   1 |
--|   2 |  10
--|   3 |  20
--|   4 |  20
--| (4 rows)
select id, lag(10 / x) over (order by id) from t where g = 1 order by 1;
--|  id | lag
--| ----+-----
--|   1 |
--|   2 |  10
--|   3 |  10
--|   4 |  10
--| (4 rows)
select id, sum(1) over (order by 10 / x) from t where g = 1;
--| ERROR:  22012: division by zero
select id, sum(x) filter (where 10 / x > 0) over (order by id rows between 1 preceding and 1 preceding) from t where g = 1 order by 1;
--|  id | sum
--| ----+-----
--|   1 |
--|   2 |   1
--|   3 |   1
--|   4 |   1
--| (4 rows)
