-- RANGE with an offset over times of day, which do not go round midnight; LIMIT and OFFSET that are both wrong.
select x, array_agg(x::text) over (order by x range between '1 hour' preceding and current row) from (values ('10:00'::time),('10:30'),('12:00')) t(x);
--|     x     |      array_agg
--| ----------+---------------------
--|  10:00:00 | {10:00:00}
--|  10:30:00 | {10:00:00,10:30:00}
--|  12:00:00 | {12:00:00}
--| (3 rows)
select x, array_agg(x::text) over (order by x range between '1 hour' preceding and '23 hours' following) from (values ('00:30'::time),('23:30'),('24:00')) t(x);
--|     x     |      array_agg
--| ----------+---------------------
--|  00:30:00 | {00:30:00,23:30:00}
--|  23:30:00 | {23:30:00,24:00:00}
--|  24:00:00 | {23:30:00,24:00:00}
--| (3 rows)
select x, array_agg(x::text) over (order by x desc range between '1 day 30 minutes' preceding and '1 month' following) from (values ('00:30'::time),('00:50'),('23:30'),(null)) t(x);
--|     x     |      array_agg
--| ----------+---------------------
--|           | {NULL}
--|  23:30:00 | {23:30:00}
--|  00:50:00 | {00:50:00}
--|  00:30:00 | {00:50:00,00:30:00}
--| (4 rows)
select x, array_agg(x::text) over (order by x range between '1 hour' preceding and current row) from (values ('10:00+00'::timetz),('10:30+00'),('12:00+00'),('12:00+01'),('09:10-02')) t(x);
--|       x      |               array_agg
--| -------------+---------------------------------------
--|  10:00:00+00 | {10:00:00+00}
--|  10:30:00+00 | {10:00:00+00,10:30:00+00}
--|  12:00:00+01 | {10:00:00+00,10:30:00+00,12:00:00+01}
--|  09:10:00-02 | {10:30:00+00,12:00:00+01,09:10:00-02}
--|  12:00:00+00 | {09:10:00-02,12:00:00+00}
--| (5 rows)
select count(*) over (order by x range between '-1 hour' preceding and current row) from (values ('10:00'::time)) t(x);
--| ERROR:  22013: invalid preceding or following size in window function
select count(*) over (order by x range between '-1 day' preceding and current row) from (values ('10:00'::time)) t(x);
--|  count
--| -------
--|      1
--| (1 row)
select count(*) over (order by x range between current row and 'infinity' following) from (values ('10:00'::time), ('11:00')) t(x);
--|  count
--| -------
--|      2
--|      1
--| (2 rows)
select count(*) over (order by x range between 1 preceding and current row) from (values ('10:00'::time)) t(x);
--| ERROR:  0A000: RANGE with offset PRECEDING/FOLLOWING is not supported for column type time without time zone and offset type integer
--| HINT:  Cast the offset value to an appropriate type.
prepare p (int, int) as select 1 limit $1 offset $2;
--| PREPARE
execute p (-1, -1);
--| ERROR:  2201X: OFFSET must not be negative
execute p (-1, 0);
--| ERROR:  2201W: LIMIT must not be negative
execute p (0, -1);
--| ERROR:  2201X: OFFSET must not be negative
select 1 limit (select -1) offset (select -1);
--| ERROR:  2201X: OFFSET must not be negative
deallocate p;
--| DEALLOCATE
