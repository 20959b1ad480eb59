-- SET column[i] = value, and fields of elements.
create type pt as (x int, y int);
--| CREATE TYPE
create table w (id int, a int[], m int[][], t varchar(3)[], z pt[], j jsonb);
--| CREATE TABLE
insert into w values (1, '{1,2,3}', '{{1,2},{3,4}}', '{abc}', null, '{"a":1}'), (2, null, null, null, '{"(1,2)"}', null);
--| INSERT 0 2
update w set a[2] = 20, t[2] = 'x' where id = 1 returning a, t;
--|     a     |    t
--| ----------+---------
--|  {1,20,3} | {abc,x}
--| (1 row)
--| UPDATE 1
update w set a[5] = 50 where id = 1 returning a;
--|         a
--| ------------------
--|  {1,20,3,NULL,50}
--| (1 row)
--| UPDATE 1
update w set a[-1] = 0 where id = 1 returning a;
--|                a
--| --------------------------------
--|  [-1:5]={0,NULL,1,20,3,NULL,50}
--| (1 row)
--| UPDATE 1
update w set a[3] = 7 returning id, a;
--|  id |               a
--| ----+--------------------------------
--|   1 | [-1:5]={0,NULL,1,20,7,NULL,50}
--|   2 | [3:3]={7}
--| (2 rows)
--| UPDATE 2
update w set m[2][1] = 30 where id = 1 returning m;
--|        m
--| ----------------
--|  {{1,2},{30,4}}
--| (1 row)
--| UPDATE 1
update w set m[3][1] = 30 where id = 1;
--| ERROR:  2202E: array subscript out of range
update w set m[1] = 30 where id = 1;
--| ERROR:  2202E: wrong number of array subscripts
update w set m[1][1] = 5, m[1][2] = 6 where id = 2 returning m;
--| ERROR:  2202E: array subscript out of range
update w set z[1].x = 5 returning id, z;
--|  id |     z
--| ----+-----------
--|   1 | {"(5,)"}
--|   2 | {"(5,2)"}
--| (2 rows)
--| UPDATE 2
update w set z[2].y = 6, z[2].x = 7 where id = 2 returning z;
--|          z
--| -------------------
--|  {"(5,2)","(7,6)"}
--| (1 row)
--| UPDATE 1
update w set z[3] = row(1,2) where id = 2 returning z;
--|              z
--| ---------------------------
--|  {"(5,2)","(7,6)","(1,2)"}
--| (1 row)
--| UPDATE 1
update w set t[1] = 'toolong';
--| ERROR:  22001: value too long for type character varying(3)
update w set a[1] = 'x';
--| ERROR:  22P02: invalid input syntax for type integer: "x"
update w set a[1] = date '2020-01-01';
--| ERROR:  42804: subscripted assignment to "a" requires type integer but expression is of type date
--| HINT:  You will need to rewrite or cast the expression.
update w set id[1] = 1;
--| ERROR:  42804: cannot subscript type integer because it does not support subscripting
update w set a[null] = 1;
--| ERROR:  22004: array subscript in assignment must not be null
update w set a[id + 1] = id * 100 returning a;
--|                 a
--| ---------------------------------
--|  [-1:5]={0,NULL,1,100,7,NULL,50}
--|  [3:3]={200}
--| (2 rows)
--| UPDATE 2
update w set a[1] = default;
--| ERROR:  0A000: cannot set an array element to DEFAULT
update w set a[2147483647] = 1;
--| ERROR:  54000: array size exceeds the maximum allowed (134217727)
update w set a[2147483646] = 1;
--| ERROR:  54000: array size exceeds the maximum allowed (134217727)
update w set nosuch[1] = 1;
--| ERROR:  42703: column "nosuch" of relation "w" does not exist
update w set w.id = 1;
--| ERROR:  42703: column "w" of relation "w" does not exist
--| HINT:  SET target columns cannot be qualified with the relation name.
update w set a[1] = 1, a = '{}';
--| ERROR:  42601: multiple assignments to same column "a"
insert into w(id, a) values (3, '{1}') returning a[1];
--|  a
--| ---
--|  1
--| (1 row)
--| INSERT 0 1
update w set a = '{9}' where id = 3 returning a[1], a[1] = 9;
--|  a | ?column?
--| ---+----------
--|  9 | t
--| (1 row)
--| UPDATE 1
prepare p(int, int) as update w set a[$1] = $2 where id = 3 returning a;
--| PREPARE
execute p(2, 22);
--|    a
--| --------
--|  {9,22}
--| (1 row)
--| UPDATE 1
alter table w add primary key (id);
--| ALTER TABLE
insert into w(id) values (3) on conflict (id) do update set a[1] = excluded.id * 2, a[3] = w.a[2] returning a;
--|      a
--| -----------
--|  {6,22,22}
--| (1 row)
--| INSERT 0 1
merge into w using (select 3 as id) s on w.id = s.id when matched then update set a[1] = 77;
--| MERGE 1
select id, a from w order by 1;
--|  id |                a
--| ----+---------------------------------
--|   1 | [-1:5]={0,NULL,1,100,7,NULL,50}
--|   2 | [3:3]={200}
--|   3 | {77,22,22}
--| (3 rows)
create table w2 (arr pt[][]);
--| CREATE TABLE
update w2 set arr[1][1].x = 1;
--| UPDATE 0
create type deep as (l int[], p pt);
--| CREATE TYPE
create table w3 (d deep);
--| CREATE TABLE
insert into w3 values (null);
--| INSERT 0 1
update w3 set d.l[2] = 5, d.p.x = 1, d.p.y = 2, d.l[1] = 4 returning d;
--|          d
--| -------------------
--|  ("{4,5}","(1,2)")
--| (1 row)
--| UPDATE 1
create role nobody1;
--| CREATE ROLE
grant select, update (id) on w to nobody1;
--| GRANT
set role nobody1;
--| SET
update w set a[1] = 1;
--| ERROR:  42501: permission denied for table w
update w set z[1].x = 1;
--| ERROR:  42501: permission denied for table w
update w set id = id where id = 99;
--| UPDATE 0
reset role;
--| RESET
revoke all on w from nobody1;
--| REVOKE
drop role nobody1;
--| DROP ROLE
create table wg (a int, p pt generated always as (row(a, a)::pt) stored);
--| CREATE TABLE
update wg set p.x = 1;
--| ERROR:  428C9: column "p" can only be updated to DEFAULT
--| DETAIL:  Column "p" is a generated column.
update w set a[1] = 1, a[1] = 2 where id = 3 returning a;
--|      a
--| -----------
--|  {2,22,22}
--| (1 row)
--| UPDATE 1
update w set a = '{5}', a[1] = 2 where id = 3 returning a;
--| ERROR:  42601: multiple assignments to same column "a"
create view wv as select id, a as arr, z from w;
--| CREATE VIEW
update wv set arr[4] = 4, z[1].y = 9 where id = 3 returning arr, z;
--|      arr     |    z
--| -------------+----------
--|  {2,22,22,4} | {"(,9)"}
--| (1 row)
--| UPDATE 1
