-- Any operator may stand in a subscript, and between the colon of a slice; indexes may name the tablespace that all is in.
select (array[1,2,3])[1 | 2], (array[1,2,3])[1 & 3], (array[1,2,3])[1 << 1];
--|  array | array | array
--| -------+-------+-------
--|      3 |     1 |     2
--| (1 row)
select (array[1,2,3])[1:1|2], (array[1,2,3])[1|2:3], (array[1,2,3])[:1 | 2], (array[1,2,3])[3 & 2:];
--|   array  | array |  array  | array
--| ---------+-------+---------+-------
--|  {1,2,3} | {3}   | {1,2,3} | {2,3}
--| (1 row)
select (array[1,2,3])[1 operator(pg_catalog.+) 1], (array[1,2,3])[3 operator(pg_catalog.-) 1::pg_catalog.int2];
--|  array | array
--| -------+-------
--|      2 |     2
--| (1 row)
select ('{"ab": 5}'::jsonb)['a' || 'b'], (array[1,2,3])[length('a' || 'b')];
--|  jsonb | array
--| -------+-------
--|  5     |     2
--| (1 row)
select (array[[1,2],[3,4]])[1 | 1][2 # 3], (array[1,2,3])[case when 1 < 2 then 2 else 1 end];
--|  array | array
--| -------+-------
--|      1 |     2
--| (1 row)
select (array[1,2,3])[1 = 2];
--| ERROR:  42804: array subscript must have type integer
select (array[1,2,3])[1 between 0 and 2];
--| ERROR:  42804: array subscript must have type integer
create table sub (a int[], j jsonb, i int);
--| CREATE TABLE
insert into sub values ('{1,2,3}', '{}', 1);
--| INSERT 0 1
update sub set a[i | 2] = 9, j['x' || i] = '7' returning a, j;
--|     a    |     j
--| ---------+-----------
--|  {1,2,9} | {"x1": 7}
--| (1 row)
--| UPDATE 1
select a[i # 1 : i | 2], a[i << 1] from sub;
--|     a    | a
--| ---------+---
--|  {1,2,9} | 2
--| (1 row)
select a[1 : 2], a[: 2], a[2 :], a[:] from sub;
--|    a   |   a   |   a   |    a
--| -------+-------+-------+---------
--|  {1,2} | {1,2} | {2,9} | {1,2,9}
--| (1 row)
alter table sub add primary key (i) using index tablespace pg_default;
--| ALTER TABLE
alter table sub add unique (i) using index tablespace nowhere;
--| ERROR:  42704: tablespace "nowhere" does not exist
alter table sub add constraint u unique (i) using index tablespace pg_global;
--| ERROR:  22023: only shared relations can be placed in pg_global tablespace
create index subu on sub (i);
--| CREATE INDEX
reindex (tablespace pg_default) table sub;
--| REINDEX
reindex (tablespace nowhere) table sub;
--| ERROR:  42704: tablespace "nowhere" does not exist
drop table sub;
--| DROP TABLE
