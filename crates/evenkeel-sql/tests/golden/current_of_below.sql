-- A cursor over a subquery or a view stands on the row below.

create table t (a int primary key, b int);
--| CREATE TABLE
insert into t values (1, 2), (7, 3);
--| INSERT 0 2
create view v as select * from t;
--| CREATE VIEW
begin;
--| BEGIN
declare c cursor for select * from (select a + 1 as x, b from t where a > 0) s where x > 1;
--| DECLARE CURSOR
fetch c;
--|  x | b
--| ---+---
--|  2 | 2
--| (1 row)
update t set b = 30 where current of c returning *;
--|  a | b
--| ---+----
--|  1 | 30
--| (1 row)
--| UPDATE 1
fetch c;
--|  x | b
--| ---+---
--|  8 | 3
--| (1 row)
delete from t where current of c returning *;
--|  a | b
--| ---+---
--|  7 | 3
--| (1 row)
--| DELETE 1
declare d cursor for select v.b, 'x' from v;
--| DECLARE CURSOR
fetch d;
--|  b  | ?column?
--| ----+----------
--|  30 | x
--| (1 row)
update t set b = 40 where current of d returning *;
--|  a | b
--| ---+----
--|  1 | 40
--| (1 row)
--| UPDATE 1
declare e cursor for select * from (select a, count(*) from t group by a) s;
--| DECLARE CURSOR
fetch e;
--|  a | count
--| ---+-------
--|  1 |     1
--| (1 row)
update t set b = 40 where current of e;
--| ERROR:  24000: cursor "e" is not a simply updatable scan of table "t"
rollback;
--| ROLLBACK
