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
-- A column has its value once, whatever the number of assignments to its parts.
create type wide as (a int, b int, c int, d int, e int, f int, g int, h int, i int, k int, l pt[]);
--| CREATE TYPE
create table w4 (z wide[]);
--| CREATE TABLE
insert into w4 values (null);
--| INSERT 0 1
update w4 set z[1].a = 1, z[1].b = 2, z[2].a = 3, z[3].c = 4, z[1].l[2].y = 5, z[1].l[1].x = 6, z[2].l[1] = row(7,8), z[4].d = 9, z[5].e = 10, z[6].f = 11, z[7].g = 12, z[1].h = 13, z[1].i = 14, z[1].k = 15, z[1].l[2].x = 16 returning z;
--|                                                                                         z
--| ---------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  {"(1,2,,,,,,13,14,15,\"{\"\"(6,)\"\",\"\"(16,5)\"\"}\")","(3,,,,,,,,,,\"{\"\"(7,8)\"\"}\")","(,,4,,,,,,,,)","(,,,9,,,,,,,)","(,,,,10,,,,,,)","(,,,,,11,,,,,)","(,,,,,,12,,,,)"}
--| (1 row)
--| UPDATE 1
-- Subscripts of jsonb.
create table wj (id int primary key, j jsonb);
--| CREATE TABLE
insert into wj values (1, '{"a":1,"b":[1,2],"o":{"x":1}}'), (2, null), (3, '[1,{"k":2}]'), (4, '5'), (5, 'null');
--| INSERT 0 5
update wj set j['a'] = '10', j['b'][0] = '"x"', j['o']['y'] = '[true]' where id = 1 returning j;
--|                           j
--| ------------------------------------------------------
--|  {"a": 10, "b": ["x", 2], "o": {"x": 1, "y": [true]}}
--| (1 row)
--| UPDATE 1
update wj set j['b'][4] = '9' where id = 1 returning j;
--|                                   j
--| ---------------------------------------------------------------------
--|  {"a": 10, "b": ["x", 2, null, null, 9], "o": {"x": 1, "y": [true]}}
--| (1 row)
--| UPDATE 1
update wj set j['b'][-1] = '8' where id = 1 returning j;
--|                                   j
--| ---------------------------------------------------------------------
--|  {"a": 10, "b": ["x", 2, null, null, 8], "o": {"x": 1, "y": [true]}}
--| (1 row)
--| UPDATE 1
update wj set j['b'][-9] = '8' where id = 1;
--| ERROR:  22023: path element at position 2 is out of range: -9
update wj set j['n']['m'][2]['q'] = 'null' where id = 1 returning j;
--|                                                      j
--| ------------------------------------------------------------------------------------------------------------
--|  {"a": 10, "b": ["x", 2, null, null, 8], "n": {"m": [null, null, {"q": null}]}, "o": {"x": 1, "y": [true]}}
--| (1 row)
--| UPDATE 1
update wj set j['a']['z'] = '1' where id = 1;
--| ERROR:  22023: cannot replace existing key
--| DETAIL:  The path assumes key is a composite object, but it is a scalar value.
update wj set j['b']['z'] = '1' where id = 1;
--| ERROR:  22P02: path element at position 2 is not an integer: "z"
update wj set j['a'] = '1' where id = 2 returning j;
--|     j
--| ----------
--|  {"a": 1}
--| (1 row)
--| UPDATE 1
update wj set j = null where id = 2;
--| UPDATE 1
update wj set j[1] = '1' where id = 2 returning j;
--|      j
--| -----------
--|  [null, 1]
--| (1 row)
--| UPDATE 1
update wj set j[1]['k'] = to_jsonb(id), j[0] = null where id = 3 returning j;
--|         j
--| ------------------
--|  [null, {"k": 3}]
--| (1 row)
--| UPDATE 1
update wj set j[3] = '"far"' where id = 3 returning j;
--|                j
--| -------------------------------
--|  [null, {"k": 3}, null, "far"]
--| (1 row)
--| UPDATE 1
update wj set j['a'] = '1' where id = 3;
--| ERROR:  22P02: path element at position 1 is not an integer: "a"
update wj set j['a'] = '1' where id = 4;
--| ERROR:  22023: cannot replace existing key
--| DETAIL:  The path assumes key is a composite object, but it is a scalar value.
update wj set j[0] = '1' where id = 5;
--| ERROR:  22023: cannot replace existing key
--| DETAIL:  The path assumes key is a composite object, but it is a scalar value.
update wj set j[null] = '1' where id = 1;
--| ERROR:  22004: jsonb subscript in assignment must not be null
update wj set j['a'] = 1;
--| ERROR:  42804: subscripted assignment to "j" requires type jsonb but expression is of type integer
--| HINT:  You will need to rewrite or cast the expression.
update wj set j['a'] = 'nojson';
--| ERROR:  22P02: invalid input syntax for type json
--| DETAIL:  Token "nojson" is invalid.
--| CONTEXT:  JSON data, line 1: nojson
update wj set j['a'].f = '1';
--| ERROR:  42804: cannot assign to field "f" of column "j" because its type jsonb is not a composite type
update wj set j[1:2] = '1';
--| ERROR:  42804: jsonb subscript does not support slices
update wj set j[true] = '1';
--| ERROR:  42804: subscript type boolean is not supported
--| HINT:  jsonb subscript must be coercible to either integer or text.
update wj set j['k'] = j['a'], j['l'] = j -> 'b' where id = 1 returning j;
--|                                                                          j
--| ---------------------------------------------------------------------------------------------------------------------------------------------------
--|  {"a": 10, "b": ["x", 2, null, null, 8], "k": 10, "l": ["x", 2, null, null, 8], "n": {"m": [null, null, {"q": null}]}, "o": {"x": 1, "y": [true]}}
--| (1 row)
--| UPDATE 1
insert into wj values (1, '{}') on conflict (id) do update set j['c'] = excluded.j returning j;
--|                                                                              j
--| ------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  {"a": 10, "b": ["x", 2, null, null, 8], "c": {}, "k": 10, "l": ["x", 2, null, null, 8], "n": {"m": [null, null, {"q": null}]}, "o": {"x": 1, "y": [true]}}
--| (1 row)
--| INSERT 0 1
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
