-- Slices of arrays are assigned to.
create table s (k int primary key, a int[], b text[][]);
--| CREATE TABLE
insert into s values (1, '{1,2,3,4,5}', '{{a,b},{c,d}}'), (2, null, null), (3, '{}', '{}');
--| INSERT 0 3
insert into s (k, a[2:3], b[1:1][0:1]) values (4, '{7,8,9}', '{x,y}');
--| INSERT 0 1
insert into s (k, a[1:2]) values (5, '{1}');
--| ERROR:  2202E: source array too small
insert into s (k, a[:2]) values (5, '{1,2}');
--| ERROR:  2202E: array slice subscript must provide both boundaries
--| DETAIL:  When assigning to a slice of an empty array value, slice boundaries must be fully specified.
update s set a[1:2] = '{10,20}' where k <> 4;
--| UPDATE 3
update s set a[4:6] = array[40, null, 60] where k = 1;
--| UPDATE 1
update s set a[-1:0] = '{-1,0}' where k = 1;
--| UPDATE 1
select * from s order by k;
--|  k |                a                 |         b
--| ---+----------------------------------+--------------------
--|  1 | [-1:6]={-1,0,10,20,3,40,NULL,60} | {{a,b},{c,d}}
--|  2 | {10,20}                          |
--|  3 | {10,20}                          | {}
--|  4 | [2:3]={7,8}                      | [1:1][0:1]={{x,y}}
--| (4 rows)
update s set a[:1] = '{100,101,102}', a[5:] = '{50,60}' where k = 1;
--| UPDATE 1
update s set a[:] = '{1,2,3,4,5,6,7,8,9}' where k = 1;
--| UPDATE 1
update s set b[2:2][1:2] = '{y,z}' where k = 1;
--| UPDATE 1
update s set b[1:2][2] = '{p,q,r,s}' where k = 1;
--| UPDATE 1
update s set b[2:] = '{"last one", "last two"}' where k = 1;
--| UPDATE 1
select * from s order by k;
--|  k |            a             |                b
--| ---+--------------------------+---------------------------------
--|  1 | [-1:6]={1,2,3,4,5,6,7,8} | {{p,q},{"last one","last two"}}
--|  2 | {10,20}                  |
--|  3 | {10,20}                  | {}
--|  4 | [2:3]={7,8}              | [1:1][0:1]={{x,y}}
--| (4 rows)
update s set a[3:2] = '{1}' where k = 1;
--| ERROR:  2202E: upper bound cannot be less than lower bound
update s set a[1:3] = '{1}' where k = 1;
--| ERROR:  2202E: source array too small
update s set a[1:2] = null where k = 1;
--| UPDATE 1
update s set a[1:null] = '{1}' where k = 1;
--| ERROR:  22004: array subscript in assignment must not be null
update s set a[null] = 1 where k = 1;
--| ERROR:  22004: array subscript in assignment must not be null
update s set b[1:3][1:2] = '{1,2,3,4,5,6}' where k = 1;
--| ERROR:  2202E: array subscript out of range
update s set b[1:1][1:1][1:1] = '{1}' where k = 1;
--| ERROR:  2202E: wrong number of array subscripts
update s set a[2:] = '{1}' where k = 3;
--| UPDATE 1
update s set a[2147483646:2147483647] = '{4,2}' where k = 1;
--| ERROR:  54000: array size exceeds the maximum allowed (134217727)
update s set a[0:2147483647] = '{1}' where k = 3;
--| ERROR:  54000: array size exceeds the maximum allowed (134217727)
update s set a[1:2] = 'x'::text where k = 1;
--| ERROR:  42804: subscripted assignment to "a" requires type integer[] but expression is of type text
--| HINT:  You will need to rewrite or cast the expression.
update s set a[1:2].f = 1 where k = 1;
--| ERROR:  42804: cannot assign to field "f" of column "a" because its type integer[] is not a composite type
update s set a[1][1][1][1][1][1][1] = 1;
--| ERROR:  54000: number of array dimensions (7) exceeds the maximum allowed (6)
select ('{}'::int[])[1][2][3][4][5][6][7];
--| ERROR:  54000: number of array dimensions (7) exceeds the maximum allowed (6)
insert into s (k, a[1:2]) values (1, '{6,7}') on conflict (k) do update set a[1:1] = excluded.a[2:2] returning a;
--|             a
--| --------------------------
--|  [-1:6]={1,2,7,4,5,6,7,8}
--| (1 row)
--| INSERT 0 1
select k, a from s order by k;
--|  k |            a
--| ---+--------------------------
--|  1 | [-1:6]={1,2,7,4,5,6,7,8}
--|  2 | {10,20}
--|  3 | {10,1}
--|  4 | [2:3]={7,8}
--| (4 rows)
-- Parts of columns of domains.
create domain couple as int[] check (value[1] < value[2]);
--| CREATE DOMAIN
create type spot as (x int, y int);
--| CREATE TYPE
create domain above as spot check ((value).y > 0);
--| CREATE DOMAIN
create domain way as spot[] check (array_length(value, 1) < 3);
--| CREATE DOMAIN
create table d (k int primary key, p couple, u above, w way);
--| CREATE TABLE
insert into d (k, p[1], p[2], u.x, u.y, w[1].x) values (1, 1, 2, 3, 4, 5);
--| INSERT 0 1
insert into d (k, p[1], p[2]) values (2, 2, 1);
--| ERROR:  23514: value for domain couple violates check constraint "couple_check"
insert into d (k, u.y) values (2, 0);
--| ERROR:  23514: value for domain above violates check constraint "above_check"
insert into d (k, p[1]) values (2, 7);
--| INSERT 0 1
update d set p[1] = 0, p[2] = 1 where k = 1;
--| UPDATE 1
update d set p[1] = 5, p[2] = 6 where k = 1;
--| UPDATE 1
update d set p[2] = 5 where k = 1;
--| ERROR:  23514: value for domain couple violates check constraint "couple_check"
update d set p[1:2] = '{8,9}', u.x = (u).x + 1, u.y = (u).y + 1 where k = 1;
--| UPDATE 1
update d set u.y = -1 where k = 1;
--| ERROR:  23514: value for domain above violates check constraint "above_check"
update d set w[2] = row(1, 2), w[1].y = 6 where k = 1;
--| UPDATE 1
update d set w[3] = row(1, 2) where k = 1;
--| ERROR:  23514: value for domain way violates check constraint "way_check"
select * from d order by k;
--|  k |   p   |   u   |         w
--| ---+-------+-------+-------------------
--|  1 | {8,9} | (4,5) | {"(5,6)","(1,2)"}
--|  2 | {7}   |       |
--| (2 rows)
update s set a[3:1] = '{1}' where k = 3;
--| ERROR:  2202E: upper bound cannot be less than lower bound
update s set a[3:2] = '{1}' where k = 3;
--| ERROR:  2202E: upper bound cannot be less than lower bound
