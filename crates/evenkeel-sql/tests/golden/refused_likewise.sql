-- What PostgreSQL refuses is refused: grammar that the parser would take, and cursors that stand on no row.

create table rt (a int, b int);
--| CREATE TABLE
insert into rt select g, g from generate_series(1, 5) g;
--| INSERT 0 5
-- RENAME is a statement of its own.
alter table rt add column x int, rename b to y;
--| ERROR:  42601: syntax error at or near "rename"
alter table rt rename b to y, add column x int;
--| ERROR:  42601: syntax error at or near ","
alter table rt add column x int, rename to rt2;
--| ERROR:  42601: syntax error at or near "rename"
alter table rt add column x int, rename constraint c to d;
--| ERROR:  42601: syntax error at or near "rename"
-- Subscripts and fields are of columns, parameters, and what stands in parentheses.
select array[1,2][1];
--| ERROR:  42601: syntax error at or near "["
select (array[1,2])[1];
--|  array
--| -------
--|      1
--| (1 row)
select array(select 1)[1];
--| ERROR:  42601: syntax error at or near "["
select case when true then array[1] end[1];
--| ERROR:  42601: syntax error at or near "["
select '{1}'[1];
--| ERROR:  42601: syntax error at or near "["
select cast('{1,2}' as int[])[1];
--| ERROR:  42601: syntax error at or near "["
select coalesce(array[1])[1:2];
--| ERROR:  42601: syntax error at or near "["
select string_to_array('a b', ' ')[1];
--| ERROR:  42601: syntax error at or near "["
select (string_to_array('a b', ' '))[1];
--|  string_to_array
--| -----------------
--|  a
--| (1 row)
select lower('x').y;
--| ERROR:  42601: syntax error at or near "."
select (select array[4, 5])[2];
--|  array
--| -------
--|      5
--| (1 row)
-- FOR may stand before FROM.
select substring('abcdef' for 2 from 3), substring('abcdef' from 3 for 2), substring(substring('abcdef' for 4 from 2) for 2 from (2));
--|  substring | substring | substring
--| -----------+-----------+-----------
--|  cd        | cd        | cd
--| (1 row)
-- A cursor that sorts or joins stands on no row, unless it locks them.
begin;
--| BEGIN
declare c cursor for select * from rt order by b;
--| DECLARE CURSOR
fetch c;
--|  a | b
--| ---+---
--|  1 | 1
--| (1 row)
update rt set b = 10 where current of c;
--| ERROR:  24000: cursor "c" is not a simply updatable scan of table "rt"
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c cursor for select * from rt where a in (select b from rt);
--| DECLARE CURSOR
fetch c;
--|  a | b
--| ---+---
--|  1 | 1
--| (1 row)
delete from rt where current of c;
--| ERROR:  24000: cursor "c" is not a simply updatable scan of table "rt"
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c cursor for select * from rt order by b desc for update;
--| DECLARE CURSOR
fetch c;
--|  a | b
--| ---+---
--|  5 | 5
--| (1 row)
update rt set b = 10 where current of c returning *;
--|  a | b
--| ---+----
--|  5 | 10
--| (1 row)
--| UPDATE 1
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c cursor for select * from rt where b > 2 limit 2;
--| DECLARE CURSOR
fetch c;
--|  a | b
--| ---+---
--|  3 | 3
--| (1 row)
update rt set b = 10 where current of c returning *;
--|  a | b
--| ---+----
--|  3 | 10
--| (1 row)
--| UPDATE 1
rollback;
--| ROLLBACK
