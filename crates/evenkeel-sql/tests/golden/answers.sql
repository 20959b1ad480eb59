-- What a comparison with PostgreSQL 18 found: each answer here is its own, but for the order of rows that nothing orders.
create table ja(i int, j int);
--| CREATE TABLE
create table jb(i int, k int);
--| CREATE TABLE
insert into ja values(1,10),(2,20);
--| INSERT 0 2
insert into jb values(2,200),(3,300);
--| INSERT 0 2
select * from ja full join jb using (i) order by 1,2,3;
--|  i | j  |  k
--| ---+----+-----
--|  1 | 10 |
--|  2 | 20 | 200
--|  3 |    | 300
--| (3 rows)
select i from ja full join jb using (i);
--|  i
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
select * from ja right join jb using (i);
--|  i | j  |  k
--| ---+----+-----
--|  2 | 20 | 200
--|  3 |    | 300
--| (2 rows)
select * from ja natural full join jb;
--|  i | j  |  k
--| ---+----+-----
--|  1 | 10 |
--|  2 | 20 | 200
--|  3 |    | 300
--| (3 rows)
create table jc(x int, i int);
--| CREATE TABLE
insert into jc values(7,2),(8,3);
--| INSERT 0 2
select * from jc join jb using (i);
--|  i | x |  k
--| ---+---+-----
--|  2 | 7 | 200
--|  3 | 8 | 300
--| (2 rows)
select * from jc left join jb using (i);
--|  i | x |  k
--| ---+---+-----
--|  2 | 7 | 200
--|  3 | 8 | 300
--| (2 rows)
create table jd(i int, l int);
--| CREATE TABLE
insert into jd values(3,3000),(4,4000);
--| INSERT 0 2
select * from ja full join jb using (i) full join jd using (i) order by 1;
--|  i | j  |  k  |  l
--| ---+----+-----+------
--|  1 | 10 |     |
--|  2 | 20 | 200 |
--|  3 |    | 300 | 3000
--|  4 |    |     | 4000
--| (4 rows)
select i, count(*) from ja full join jb using(i) group by i;
--|  i | count
--| ---+-------
--|  1 |     1
--|  2 |     1
--|  3 |     1
--| (3 rows)
select ja.i, jb.i, i from ja full join jb using(i);
--|  i | i | i
--| ---+---+---
--|  1 |   | 1
--|  2 | 2 | 2
--|    | 3 | 3
--| (3 rows)
select * from ja right join jb using(i) where i = 3;
--|  i | j |  k
--| ---+---+-----
--|  3 |   | 300
--| (1 row)
select * from ja a full join jb b using(i) where i is null;
--|  i | j | k
--| ---+---+---
--| (0 rows)
select power(1e10,2), 3.789 ^ 21, 4.0::numeric ^ 2, power(10.001,2);
--|          power         |      ?column?      |      ?column?      |       power
--| -----------------------+--------------------+--------------------+--------------------
--|  100000000000000000000 | 1409343026052.8716 | 16.000000000000000 | 100.02000100000000
--| (1 row)
select row(row(row(1))) = any (select row(row(1)));
--|  ?column?
--| ----------
--|  t
--| (1 row)
select make_timestamptz(1973, 07, 15, 08, 15, 55.33, '+2') = '1973-07-15 08:15:55.33+02'::timestamptz;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select interval '1' year to month;
--|  interval
--| ----------
--|  1 mon
--| (1 row)
select interval '1 2:03' minute to second;
--|     interval
--| ----------------
--|  1 day 00:02:03
--| (1 row)
select interval(0) '1 day 01:23:45.6789';
--|     interval
--| ----------------
--|  1 day 01:23:46
--| (1 row)
select to_char(interval '-1 mon','rm');
--|  to_char
--| ---------
--|  xii
--| (1 row)
select format('>>%*1$s<<', 10, 'Hello');
--|      format
--| ----------------
--|  >>     Hello<<
--| (1 row)
select ('{{1,2,3},{4,5,6},{7,8,9}}'::int[])[1:2][2];
--|      int4
--| ---------------
--|  {{1,2},{4,5}}
--| (1 row)
select '{{},{}}'::text[];
--|  text
--| ------
--|  {}
--| (1 row)
select array_agg(null::int[]) from generate_series(1,2);
--| ERROR:  22004: cannot accumulate null arrays
select array_fill(1, array[3,3], array[1,1,1]);
--| ERROR:  2202E: wrong number of array subscripts
--| DETAIL:  Low bound array has different size than dimensions array.
select array_fill(1, array[[1,2],[3,4]]);
--| ERROR:  2202E: wrong number of array subscripts
--| DETAIL:  Dimension array must be one dimensional.
with x(n,b) as (select 1) select * from x;
--| ERROR:  42P10: WITH query "x" has 1 columns available but 2 columns specified
select regexp_instr('abcabcabc', 'a.c', 1, 1, 2);
--| ERROR:  22023: invalid value for parameter "endoption": 2
select '\101'::"char";
--|  char
--| ------
--|  A
--| (1 row)
select date_bin('365000 days'::interval, '4400-01-01 BC'::timestamp, '4000-01-01 BC'::timestamp);
--| ERROR:  22008: timestamp out of range
select make_timestamptz(2014, 12, 10, 10, 10, 10, '+16');
--| ERROR:  22023: numeric time zone "+16" out of range
select 'a' /* c */
'b';
--| ERROR:  42601: syntax error at or near "'b'"
select 1/0 where false;
--| ERROR:  22012: division by zero
select x from (values (1),(2)) v(x) where x > 5 or 1/0 = 1;
--| ERROR:  22012: division by zero
create table cmt(a int);
--| CREATE TABLE
comment on constraint nope on cmt is 'x';
--| ERROR:  42704: constraint "nope" for table "cmt" does not exist
comment on column cmt.zzz is 'x';
--| ERROR:  42703: column "zzz" of relation "cmt" does not exist
comment on table nonexist is 'x';
--| ERROR:  42P01: relation "nonexist" does not exist
create table dflt(b bool default 1 in (1,2));
--| ERROR:  42601: syntax error at or near "in"
insert into cmt as bar values(1) returning cmt.*;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "cmt"
--| HINT:  Perhaps you meant to reference the table alias "bar".
update cmt as t set a=2 returning cmt.a;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "cmt"
--| HINT:  Perhaps you meant to reference the table alias "t".
select array_append(array[5], 5::bigint) = array[5,5];
--| ERROR:  42883: operator does not exist: bigint[] = integer[]
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select array_remove(array[5], 5::bigint);
--|  array_remove
--| --------------
--|  {}
--| (1 row)
create table oa(a int);
--| CREATE TABLE
insert into oa values(1),(2),(null),(2);
--| INSERT 0 4
select array_agg(distinct a) from oa;
--|  array_agg
--| ------------
--|  {1,2,NULL}
--| (1 row)
select array_agg(distinct a order by a) from oa;
--|  array_agg
--| ------------
--|  {1,2,NULL}
--| (1 row)
select string_agg(distinct a::text, ',') from oa;
--|  string_agg
--| ------------
--|  1,2
--| (1 row)
select count(distinct a), array_agg(a order by a) from oa;
--|  count |  array_agg
--| -------+--------------
--|      2 | {1,2,2,NULL}
--| (1 row)
select (select max(oa.a)) from oa;
--|  max
--| -----
--|    2
--| (1 row)
select (select count(oa.a)) from oa;
--|  count
--| -------
--|      3
--| (1 row)
select (select sum(oa.a) from (values (1)) v(x)) from oa;
--|  sum
--| -----
--|    5
--| (1 row)
select a, (select count(oa.a)) from oa group by a order by 1;
--|  a | count
--| ---+-------
--|  1 |     1
--|  2 |     2
--|    |     0
--| (3 rows)
create table u1(f1 int, g int);
--| CREATE TABLE
create table u2(f1 int, h int);
--| CREATE TABLE
select u1.f1 from u1 left join u2 using (f1) group by f1;
--|  f1
--| ----
--| (0 rows)
select string_agg(distinct f1::text, ',' order by f1) from u1;
--| ERROR:  42P10: in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list
update u1 set g = s.h from lateral (select * from u2 where u2.f1 = u1.f1) s;
--| ERROR:  42P10: invalid reference to FROM-clause entry for table "u1"
--| HINT:  There is an entry for table "u1", but it cannot be referenced from this part of the query.
select trim(trailing from 'x  ');
--|  rtrim
--| -------
--|  x
--| (1 row)
select ((select 2) union select 2);
--|  ?column?
--| ----------
--|         2
--| (1 row)
select q from (select 1 as a) q;
--|   q
--| -----
--|  (1)
--| (1 row)
select * from u1 full join u2 on true;
--|  f1 | g | f1 | h
--| ----+---+----+---
--| (0 rows)
select 3 between symmetric 5 and 1;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select (1,2) = any (select 1,2);
--|  ?column?
--| ----------
--|  t
--| (1 row)
select * from (u1 join u2 using (f1)) as j;
--|  f1 | g | h
--| ----+---+---
--| (0 rows)
select nullif(88, 65.5);
--|  nullif
--| --------
--|      88
--| (1 row)
select 16 * nullif(88, 65.5);
--|  ?column?
--| ----------
--|      1408
--| (1 row)
select nullif(88, 65.5) + 0;
--|  ?column?
--| ----------
--|        88
--| (1 row)
select nullif(88, 65.5)::text, nullif(88,65.5) = 88, nullif(88, 88.0);
--|  nullif | ?column? | nullif
--| --------+----------+--------
--|  88     | t        |
--| (1 row)
select nullif(88::bigint, 65.5), nullif(88::bigint, 65.5) * 1, nullif(5::smallint, 7::bigint) * 2, nullif(5, 7::bigint) * 2;
--|  nullif | ?column? | ?column? | ?column?
--| --------+----------+----------+----------
--|      88 |       88 |       10 |       10
--| (1 row)
create table nf(a int, n numeric, b bigint, t text, d date, ts timestamp);
--| CREATE TABLE
insert into nf values (88, 65.5, 7, 'x', '2020-01-01', '2020-01-02');
--| INSERT 0 1
select nullif(a, n), nullif(a,n)*1, nullif(n,a)*1, nullif(a,b)*1 from nf;
--|  nullif | ?column? | ?column? | ?column?
--| --------+----------+----------+----------
--|      88 |       88 |     65.5 |       88
--| (1 row)
select coalesce(nullif(a,n), 1), sum(nullif(a,n)), max(nullif(a,n)), avg(nullif(a,n)) from nf group by 1;
--|  coalesce | sum | max |         avg
--| ----------+-----+-----+---------------------
--|        88 |  88 |  88 | 88.0000000000000000
--| (1 row)
create table nf2 as select nullif(a,n) as z from nf;
--| SELECT 1
select z, z+1 from nf2;
--|  z  | ?column?
--| ----+----------
--|  88 |       89
--| (1 row)
insert into nf2 select nullif(a,n) from nf;
--| INSERT 0 1
select z, z+1 from nf2;
--|  z  | ?column?
--| ----+----------
--|  88 |       89
--|  88 |       89
--| (2 rows)
select nullif(d, ts) , nullif(d, ts) + 1 from nf;
--|    nullif   |  ?column?
--| ------------+------------
--|  2020-01-01 | 2020-01-02
--| (1 row)
select nullif(1, 2::real), nullif(1, 2::float8);
--|  nullif | nullif
--| --------+--------
--|       1 |      1
--| (1 row)
select abs(nullif(a,n)), -nullif(a,n), nullif(a,n) % 5, nullif(a,n)/2, (nullif(a,n))::bigint from nf;
--|  abs | ?column? | ?column? |      ?column?       | nullif
--| -----+----------+----------+---------------------+--------
--|   88 |      -88 |        3 | 44.0000000000000000 |     88
--| (1 row)
select * from nf order by nullif(a,n);
--|  a  |  n   | b | t |     d      |         ts
--| ----+------+---+---+------------+---------------------
--|  88 | 65.5 | 7 | x | 2020-01-01 | 2020-01-02 00:00:00
--| (1 row)
select a from nf where nullif(a,n) > 10;
--|  a
--| ----
--|  88
--| (1 row)
create table m(i int primary key, s smallint, b bigint, n numeric, f float8, r real, t text, v varchar(5), c char(4), d date, ts timestamp, tz timestamptz);
--| CREATE TABLE
insert into m values (1,1,1,1.0,1,1,'a','a','a','2020-01-01','2020-01-01','2020-01-01'),(2,2,2,2.00,2,2,'b','b','b','2020-01-02','2020-01-02 00:00:01','2020-01-02'),(3,3,30000000000,3.5,'NaN','-0','c ','c ','c ','2020-01-03','2020-01-03','2020-01-03'),(4,null,null,null,'-0','Infinity',null,null,null,null,null,null);
--| INSERT 0 4
create index on m(n);
--| CREATE INDEX
create index on m(f);
--| CREATE INDEX
create index on m(c);
--| CREATE INDEX
create index on m(b);
--| CREATE INDEX
create index on m(d);
--| CREATE INDEX
create index on m(t);
--| CREATE INDEX
select i from m where i = 1.0;
--|  i
--| ---
--|  1
--| (1 row)
select i from m where i < 1.5;
--|  i
--| ---
--|  1
--| (1 row)
select i from m where i > 1.5::float8 order by 1;
--|  i
--| ---
--|  2
--|  3
--|  4
--| (3 rows)
select i from m where n = 1;
--|  i
--| ---
--|  1
--| (1 row)
select i from m where n = 2::bigint;
--|  i
--| ---
--|  2
--| (1 row)
select i from m where n < 2::float8;
--|  i
--| ---
--|  1
--| (1 row)
select i from m where f = 0;
--|  i
--| ---
--|  4
--| (1 row)
select i from m where f = 'NaN';
--|  i
--| ---
--|  3
--| (1 row)
select i from m where f > 1e308 order by 1;
--|  i
--| ---
--|  3
--| (1 row)
select i from m where b = 3e10;
--|  i
--| ---
--|  3
--| (1 row)
select i from m where b > 2.5;
--|  i
--| ---
--|  3
--| (1 row)
select i from m where c = 'a';
--|  i
--| ---
--|  1
--| (1 row)
select i from m where c = 'a '::text;
--|  i
--| ---
--| (0 rows)
select i from m where c = t;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select i from m where t = c;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select i from m where d = ts order by 1;
--|  i
--| ---
--|  1
--|  3
--| (2 rows)
select i from m where d >= '2020-01-01 12:00'::timestamp order by 1;
--|  i
--| ---
--|  2
--|  3
--| (2 rows)
select i from m where d = tz order by 1;
--|  i
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
select coalesce(i, 2.5), coalesce(s, 2.5), coalesce(s, b), coalesce(s, f) from m order by i;
--|  coalesce | coalesce | coalesce | coalesce
--| ----------+----------+----------+----------
--|         1 |        1 |        1 |        1
--|         2 |        2 |        2 |        2
--|         3 |        3 |        3 |        3
--|         4 |      2.5 |          |       -0
--| (4 rows)
select greatest(i, 2.5), least(i, n), greatest(i, f), greatest(s, b), least(r, n) from m order by i;
--|  greatest | least | greatest |  greatest   |  least
--| ----------+-------+----------+-------------+----------
--|       2.5 |     1 |        1 |           1 |        1
--|       2.5 |     2 |        2 |           2 |        2
--|         3 |     3 |      NaN | 30000000000 |       -0
--|         4 |     4 |        4 |             | Infinity
--| (4 rows)
select case i when 2.0 then 'two' else 'no' end, case n when 1 then 'one' end, case c when 'a' then 1 end, case when i = 1 then i when i = 2 then n else f end from m order by i;
--|  case | case | case |  f
--| ------+------+------+-----
--|  no   | one  |    1 |   1
--|  two  |      |      |   2
--|  no   |      |      | NaN
--|  no   |      |      |  -0
--| (4 rows)
select i from m where i in (1, 2.0, 7.5) order by 1;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select i from m where n in (1, 2) order by 1;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select i from m where i not in (1.0, 2.5) order by 1;
--|  i
--| ---
--|  2
--|  3
--|  4
--| (3 rows)
select i from m where i in (select n from m);
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select i from m where n in (select i from m) order by 1;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select i from m where i not in (select n from m where n is not null) order by 1;
--|  i
--| ---
--|  3
--|  4
--| (2 rows)
select i from m where b in (select i from m) order by 1;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select i from m where i = any(array[1.0,2.5]);
--|  i
--| ---
--|  1
--| (1 row)
select i from m where i between 0.5 and 2 order by 1;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select i from m union select n from m order by 1;
--|   i
--| -----
--|    1
--|    2
--|    3
--|  3.5
--|    4
--|
--| (6 rows)
select i from m except select n from m order by 1;
--|  i
--| ---
--|  3
--|  4
--| (2 rows)
select i from m intersect select b from m order by 1;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select i from m intersect select f from m order by 1;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select * from (values (1),(2.5),(3)) v(x) order by 1;
--|   x
--| -----
--|    1
--|  2.5
--|    3
--| (3 rows)
select array[1,2.5,3], array[1::smallint, 2::bigint];
--|    array   | array
--| -----------+-------
--|  {1,2.5,3} | {1,2}
--| (1 row)
select distinct n from (values (1.0),(1.00),(2)) v(n);
--|   n
--| -----
--|  1.0
--|    2
--| (2 rows)
select n, count(*) from (values (1.0),(1.00),(2)) v(n) group by n order by 1;
--|   n  | count
--| -----+-------
--|  1.0 |     2
--|    2 |     1
--| (2 rows)
select count(distinct n) from (values (1.0),(1.00),(2)) v(n);
--|  count
--| -------
--|      2
--| (1 row)
select count(distinct f) from (values ('0'::float8),('-0'),('NaN'),('NaN')) v(f);
--|  count
--| -------
--|      2
--| (1 row)
select c, count(*) from (values ('a'::char(3)),('a '),('b')) v(c) group by c order by 1;
--|   c  | count
--| -----+-------
--|  a   |     2
--|  b   |     1
--| (2 rows)
select a.i, b.i from m a join m b on a.i = b.n order by 1,2;
--|  i | i
--| ---+---
--|  1 | 1
--|  2 | 2
--| (2 rows)
select a.i, b.i from m a join m b on a.n = b.f order by 1,2;
--|  i | i
--| ---+---
--|  1 | 1
--|  2 | 2
--| (2 rows)
select a.i, b.i from m a join m b on a.b = b.s order by 1,2;
--|  i | i
--| ---+---
--|  1 | 1
--|  2 | 2
--| (2 rows)
select a.i, b.i from m a join m b on a.f = b.r order by 1,2;
--|  i | i
--| ---+---
--|  1 | 1
--|  2 | 2
--|  4 | 3
--| (3 rows)
select a.i, b.i from m a join m b on a.t = b.c order by 1,2;
--|  i | i
--| ---+---
--|  1 | 1
--|  2 | 2
--| (2 rows)
select a.i, b.i from m a join m b on a.d = b.ts order by 1,2;
--|  i | i
--| ---+---
--|  1 | 1
--|  3 | 3
--| (2 rows)
select a.i, b.i from m a join m b on a.ts = b.tz order by 1,2;
--|  i | i
--| ---+---
--|  1 | 1
--|  3 | 3
--| (2 rows)
select a.i, b.i from m a full join m b on a.i = b.n order by 1,2;
--|  i | i
--| ---+---
--|  1 | 1
--|  2 | 2
--|  3 |
--|  4 |
--|    | 3
--|    | 4
--| (6 rows)
select i from m a join (select n as i from m) b using (i) order by 1;
--|   i
--| ------
--|   1.0
--|  2.00
--| (2 rows)
select i from m where (i, n) = (1.0, 1);
--|  i
--| ---
--|  1
--| (1 row)
select i from m where (i, n) < (2, 1.5) order by 1;
--|  i
--| ---
--|  1
--| (1 row)
select i from m where (i, n) in (select n, i from m) order by 1;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select nullif(t, v), nullif(c, 'a'), nullif(v, 'a'), nullif(i, s), nullif(b, i), nullif(f, r) from m order by i;
--|  nullif | nullif | nullif | nullif |   nullif    | nullif
--| --------+--------+--------+--------+-------------+--------
--|         |        |        |        |             |
--|         | b      | b      |        |             |
--|         | c      | c      |        | 30000000000 |    NaN
--|         |        |        |      4 |             |     -0
--| (4 rows)
select i + n, i + f, s * b, i / n, b / s, s % i, f / r, n * f from m where i < 3 order by i;
--|  ?column? | ?column? | ?column? |        ?column?        | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+------------------------+----------+----------+----------+----------
--|       2.0 |        2 |        1 | 1.00000000000000000000 |        1 |        0 |        1 |        1
--|      4.00 |        4 |        4 | 1.00000000000000000000 |        1 |        0 |        1 |        4
--| (2 rows)
select sum(i), sum(s), sum(b), sum(n), sum(f), sum(r), avg(i), avg(s), avg(b), avg(n), avg(f), avg(r) from m;
--|  sum | sum |     sum     | sum  | sum |   sum    |        avg         |        avg         |         avg          |        avg         | avg |   avg
--| -----+-----+-------------+------+-----+----------+--------------------+--------------------+----------------------+--------------------+-----+----------
--|   10 |   6 | 30000000003 | 6.50 | NaN | Infinity | 2.5000000000000000 | 2.0000000000000000 | 10000000001.00000000 | 2.1666666666666667 | NaN | Infinity
--| (1 row)
select i, lag from (select i, 1 as lag from m) x order by n desc nulls last, i;
--| ERROR:  42703: column "n" does not exist
select i from m order by f, i;
--|  i
--| ---
--|  4
--|  1
--|  2
--|  3
--| (4 rows)
select i from m order by r desc, i;
--|  i
--| ---
--|  4
--|  2
--|  1
--|  3
--| (4 rows)
select max(f), min(f), max(r), min(r), max(c), max(d), max(tz) from m;
--|  max | min |   max    | min | max  |    max     |          max
--| -----+-----+----------+-----+------+------------+------------------------
--|  NaN |  -0 | Infinity |  -0 | c    | 2020-01-03 | 2020-01-03 00:00:00+00
--| (1 row)
select extract(epoch from d), date_part('day', ts), d - 1, d + 1, ts - d, d - d from m order by i;
--|   extract   | date_part |  ?column?  |  ?column?  | ?column? | ?column?
--| ------------+-----------+------------+------------+----------+----------
--|  1577836800 |         1 | 2019-12-31 | 2020-01-02 | 00:00:00 |        0
--|  1577923200 |         2 | 2020-01-01 | 2020-01-03 | 00:00:01 |        0
--|  1578009600 |         3 | 2020-01-02 | 2020-01-04 | 00:00:00 |        0
--|             |           |            |            |          |
--| (4 rows)
select i from m where t like c;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select t || c, c || t, length(c), length(c || ''), octet_length(c), c::text || '|' from m order by i;
--|  ?column? | ?column? | length | length | octet_length | ?column?
--| ----------+----------+--------+--------+--------------+----------
--|  aa       | aa       |      1 |      1 |            4 | a|
--|  bb       | bb       |      1 |      1 |            4 | b|
--|  c c      | cc       |      1 |      1 |            4 | c|
--|           |          |        |        |              |
--| (4 rows)
insert into m(i, n, s) values (5.6, 5, 7.5);
--| INSERT 0 1
select i, n, s from m where i > 4;
--|  i | n | s
--| ---+---+---
--|  6 | 5 | 8
--| (1 row)
update m set i = 7.4, b = 2.5, s = 3.5, r = 16777217 where i = 6;
--| UPDATE 1
select i, b, s, r from m where i = 7;
--|  i | b | s |       r
--| ---+---+---+---------------
--|  7 | 3 | 4 | 1.6777216e+07
--| (1 row)
create table ct1 as select nullif(i, s) as z from m;
--| SELECT 5
create table ct2 as select abs(i) as z, coalesce(i,s) as y, i+1 as w from m;
--| SELECT 5
select * from ct2 order by 1;
--|  z | y | w
--| ---+---+---
--|  1 | 1 | 2
--|  2 | 2 | 3
--|  3 | 3 | 4
--|  4 | 4 | 5
--|  7 | 7 | 8
--| (5 rows)
create table ct3 as select greatest(i,s) z from m;
--| SELECT 5
create table ct4 as select substr(t,1) z from m;
--| SELECT 5
create table ct5 (z) as select i from m;
--| SELECT 5
create table ct6 as select lower(t) from m;
--| SELECT 5
create table ct7 as select now() as n;
--| SELECT 1
create table ct8 as select case when i=1 then 2 end as z from m;
--| SELECT 5
select 9223372036854775807 + 1;
--| ERROR:  22003: bigint out of range
select -9223372036854775808 / -1;
--| ERROR:  22003: bigint out of range
select (-2147483648) / (-1);
--| ERROR:  22003: integer out of range
select 2147483647 * 2;
--| ERROR:  22003: integer out of range
select (-32768)::smallint / (-1)::smallint;
--| ERROR:  22003: smallint out of range
select -9223372036854775808 % -1;
--|  ?column?
--| ----------
--|         0
--| (1 row)
select abs(-2147483648);
--| ERROR:  22003: integer out of range
select 1e400::float8;
--| ERROR:  22003: "10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" is out of range for type double precision
select 'nan'::float8 > 'inf'::float8;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select 0.0 / 0;
--| ERROR:  22012: division by zero
select 5 % 0;
--| ERROR:  22012: division by zero
select 1::float8/0;
--| ERROR:  22012: division by zero
select int '1' << 33;
--|  ?column?
--| ----------
--|         2
--| (1 row)
select 1 << 31;
--|   ?column?
--| -------------
--|  -2147483648
--| (1 row)
select 10 ^ 400;
--| ERROR:  22003: value out of range: overflow
select sqrt(-1);
--| ERROR:  2201F: cannot take square root of a negative number
select ln(0);
--| ERROR:  2201E: cannot take logarithm of zero
select 0 ^ -1;
--| ERROR:  2201F: zero raised to a negative power is undefined
select factorial(20);
--|       factorial
--| ---------------------
--|  2432902008176640000
--| (1 row)
select round(2.5), round(-2.5), round(2.5::float8), round(3.5::float8), 2.5::int, 3.5::int, (2.5::float8)::int, -2.5::int, (-2.5)::int, trunc(-2.7), 7/-2, -7/2, -7%3, 7%-3, mod(-7,3);
--| ERROR:  42883: operator does not exist: integer %- integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
create table k1 as select abs(i) as z from m;
--| SELECT 5
create table k2 as select abs(i) z from m;
--| SELECT 5
create table k3 as select lower(t) as z from m;
--| SELECT 5
create table k4 as select lower(t), i from m;
--| SELECT 5
create table k5 as select i, abs(i) as z from m;
--| SELECT 5
create table k6 as (select abs(i) as z from m);
--| SELECT 5
create table k7 as select (i) as z from m;
--| SELECT 5
create table k8 as select count(i) as z from m;
--| SELECT 1
create table k9 as select sum(b) as s, max(i) as x from m group by i;
--| SELECT 5
select i is distinct from 1.0, n is distinct from 1, f is distinct from 1, b is not distinct from 1.0, c is distinct from 'a', t is distinct from c, d is distinct from ts from m order by i;
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------
--|  f        | f        | f        | t        | f        | f        | f
--|  t        | t        | t        | f        | t        | f        | t
--|  t        | t        | t        | f        | t        | t        | f
--|  t        | t        | t        | f        | t        | f        | f
--|  t        | t        | t        | f        | t        | f        | f
--| (5 rows)
select coalesce(d, ts), greatest(d, ts), case when i = 1 then d else ts end, coalesce(ts, tz), least(d, tz) from m order by i;
--|       coalesce       |      greatest       |         ts          |        coalesce        |         least
--| ---------------------+---------------------+---------------------+------------------------+------------------------
--|  2020-01-01 00:00:00 | 2020-01-01 00:00:00 | 2020-01-01 00:00:00 | 2020-01-01 00:00:00+00 | 2020-01-01 00:00:00+00
--|  2020-01-02 00:00:00 | 2020-01-02 00:00:01 | 2020-01-02 00:00:01 | 2020-01-02 00:00:01+00 | 2020-01-02 00:00:00+00
--|  2020-01-03 00:00:00 | 2020-01-03 00:00:00 | 2020-01-03 00:00:00 | 2020-01-03 00:00:00+00 | 2020-01-03 00:00:00+00
--|                      |                     |                     |                        |
--|                      |                     |                     |                        |
--| (5 rows)
select mod(i, 2.5), power(i, 2), power(i, 0.5), round(i), round(i, 1), round(n), sign(i), ceil(i), trunc(i), div(i, 2), gcd(i, 4), log(n + 1), exp(i), sqrt(n) from m where i < 3 order by i;
--|  mod | power |       power        | round | round | round | sign | ceil | trunc | div | gcd |        log         |        exp        |       sqrt
--| -----+-------+--------------------+-------+-------+-------+------+------+-------+-----+-----+--------------------+-------------------+-------------------
--|  1.0 |     1 | 1.0000000000000000 |     1 |   1.0 |     1 |    1 |    1 |     1 |   0 |   1 | 0.3010299956639812 | 2.718281828459045 | 1.000000000000000
--|  2.0 |     4 | 1.4142135623730950 |     2 |   2.0 |     2 |    1 |    2 |     2 |   1 |   2 | 0.4771212547196624 |  7.38905609893065 | 1.414213562373095
--| (2 rows)
select array_append(array[1,2], 3.5), array[1,2] || 3, 1 || array[2.5], array_position(array[1,2,3], 2), array_cat(array[1], array[2.5]);
--|  array_append | ?column? | ?column? | array_position | array_cat
--| --------------+----------+----------+----------------+-----------
--|  {1,2,3.5}    | {1,2,3}  | {1,2.5}  |              2 | {1,2.5}
--| (1 row)
select sum(nullif(i, 2.0)), count(nullif(i, 2.0)), sum(case when i = 1 then i else n end), sum(coalesce(i, n)), avg(greatest(i, n)) from m;
--|  sum | count |  sum  | sum |        avg
--| -----+-------+-------+-----+--------------------
--|   15 |     4 | 11.50 |  17 | 3.5000000000000000
--| (1 row)
select i from m where i = n order by i;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select i from m where n = f order by i;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select i from m where i in (select f from m) order by i;
--|  i
--| ---
--|  1
--|  2
--| (2 rows)
select 1 = 1.0, 1 = 1.0::float8, 1::bigint = 1.0, '1' = 1, 1 in ('1', 2), '2020-01-01' = date '2020-01-01', 'a' = 'a '::char(3), 'a '::text = 'a'::char(3), 'a '::varchar = 'a'::char(2);
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------+----------+----------
--|  t        | t        | t        | t        | t        | t        | t        | f        | t
--| (1 row)
select octet_length('a'::char(4)), 'a'::char(4) || 'b', 'a'::char(4) like 'a   ', 'a'::char(4) like 'a', 'a'::char(4)::text = 'a', length('a '::char(4)), max(c), c from m group by c order by c;
--|  octet_length | ?column? | ?column? | ?column? | ?column? | length | max  |  c
--| --------------+----------+----------+----------+----------+--------+------+------
--|             4 | ab       | t        | f        | t        |      1 | a    | a
--|             4 | ab       | t        | f        | t        |      1 | b    | b
--|             4 | ab       | t        | f        | t        |      1 | c    | c
--|             4 | ab       | t        | f        | t        |      1 |      |
--| (4 rows)
insert into m (i, c) values (10, 'ab');
--| INSERT 0 1
select c || '|', concat(c, '|'), c = 'ab ', replace(c, 'b', 'x') || '|', upper(c) || '|', rpad(c, 6, 'x'), reverse(c), c in ('ab  '), md5(c) from m where i = 10;
--|  ?column? | concat | ?column? | ?column? | ?column? |  rpad  | reverse | ?column? |               md5
--| ----------+--------+----------+----------+----------+--------+---------+----------+----------------------------------
--|  ab|      | ab  |  | t        | ax|      | AB|      | abxxxx | ba      | t        | 187ef4436122d1cc2f40dc2b92f0eba0
--| (1 row)
select row(1, 2.0) = row(1.0, 2), row(i, n) is distinct from row(n, i) from m order by i;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | f
--|  t        | f
--|  t        | t
--|  t        | t
--|  t        | t
--|  t        | t
--| (6 rows)
select distinct on (n) n, i from m order by n, i desc;
--|   n   | i
--| ------+----
--|   1.0 |  1
--|  2.00 |  2
--|   3.5 |  3
--|     5 |  7
--|       | 10
--| (5 rows)
select i, n from m order by n nulls first, i limit 2 offset 1;
--|  i  |  n
--| ----+-----
--|  10 |
--|   1 | 1.0
--| (2 rows)
select count(*) from m where not (n > 1);
--|  count
--| -------
--|      1
--| (1 row)
select count(*) from m where (n > 1) is not true;
--|  count
--| -------
--|      3
--| (1 row)
select count(*) from m where n not in (1, null);
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from m where null in (select 1 where false);
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from m where i not in (select null::int);
--|  count
--| -------
--|      0
--| (1 row)
select (select i from m where i = 99), (select array_agg(i order by i desc) from m), array(select i from m order by i), exists (select from m where false);
--|  i |   array_agg    |     array      | exists
--| ---+----------------+----------------+--------
--|    | {10,7,4,3,2,1} | {1,2,3,4,7,10} | f
--| (1 row)
select (select i from m);
--| ERROR:  21000: more than one row returned by a subquery used as an expression
update m set (n, t) = (select 9.5, 'zz') where i = 1 returning n, t;
--|   n  | t
--| -----+----
--|  9.5 | zz
--| (1 row)
--| UPDATE 1
update m set (n, t) = row(default, 'y') where i = 2 returning n, t;
--|  n | t
--| ---+---
--|    | y
--| (1 row)
--| UPDATE 1
with d as (select i from m where i > 4) select * from d d1 join d d2 on d1.i = d2.i order by 1;
--|  i  | i
--| ----+----
--|   7 |  7
--|  10 | 10
--| (2 rows)
select i, (select count(*) from m b where b.i <= a.i) from m a order by 1;
--|  i  | count
--| ----+-------
--|   1 |     1
--|   2 |     2
--|   3 |     3
--|   4 |     4
--|   7 |     5
--|  10 |     6
--| (6 rows)
select i from m a where i = (select max(i) from m b where b.s = a.s) order by 1;
--|  i
--| ---
--|  1
--|  2
--|  3
--|  7
--| (4 rows)
select date '2020-01-31' + interval '1 month', date_trunc('week', date '2021-01-01'), age('2020-03-01'::date, '2020-01-31'), to_char(1234.5, '9,999.99'), to_date('2020-02-30', 'YYYY-MM-DD');
--| ERROR:  22008: date/time field value out of range: "2020-02-30"
select to_date('2020-02-30', 'YYYY-MM-DD');
--| ERROR:  22008: date/time field value out of range: "2020-02-30"
select 'x' < 'X', 'a' < 'B', 'é' > 'z';
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  f        | f        | t
--| (1 row)
select substring('foobar' from 'o(.)b'), regexp_replace('foobar', 'o+', 'X', 'g'), split_part('a,b,c', ',', -1), overlay('abcdef' placing 'xx' from 2 for 3), strpos('abc','c'), position('' in 'abc');
--|  substring | regexp_replace | split_part | overlay | strpos | position
--| -----------+----------------+------------+---------+--------+----------
--|  o         | fXbar          | c          | axxef   |      3 |        1
--| (1 row)
select overlay('abcdef' placing 'xx' from 2 for 3);
--|  overlay
--| ---------
--|  axxef
--| (1 row)
select interval '1 day' = interval '24 hours', interval '1 mon' > interval '30 days', interval '1 mon' = interval '30 days', justify_interval('35 days 25:00'), '1 day'::interval / 3, interval '1 mon' * 1.5;
--|  ?column? | ?column? | ?column? |   justify_interval    | ?column? |   ?column?
--| ----------+----------+----------+-----------------------+----------+---------------
--|  t        | f        | t        | 1 mon 6 days 01:00:00 | 08:00:00 | 1 mon 15 days
--| (1 row)
select array_remove(array[1,2,3], 2::bigint), array_position(array[1,2,3], 2::bigint), array_replace(array[1,2], 2::bigint, 5::bigint), array_positions(array[1,2,2], 2::bigint);
--|  array_remove | array_position | array_replace | array_positions
--| --------------+----------------+---------------+-----------------
--|  {1,3}        |              2 | {1,5}         | {2,3}
--| (1 row)
select array[1,2] @> array[1.0], array[1] = array[1.0], array[1::bigint] = array[1], 2 = any(array[1.0, 2]), 2.0 = all(array[2]), array[1,2] && array[2::bigint];
--| ERROR:  42883: operator does not exist: integer[] @> numeric[]
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select x * 16 from (select 1 as x union all select 2.5) q order by 1;
--|  ?column?
--| ----------
--|        16
--|      40.0
--| (2 rows)
select x * 16 from (values (1), (2.5)) v(x) order by 1;
--|  ?column?
--| ----------
--|        16
--|      40.0
--| (2 rows)
select x*16 from (values (1::smallint),(70000),(5000000000)) v(x) order by 1;
--|   ?column?
--| -------------
--|           16
--|      1120000
--|  80000000000
--| (3 rows)
select coalesce(i, n) * 16, greatest(i, n) * 16, least(i,n)/2, (case when i = 1 then i else n end) * 16, (case i when 1.0 then 5 else 2.5 end) * 2 from m where i < 3 order by i;
--|  ?column? | ?column? |        ?column?        | ?column? | ?column?
--| ----------+----------+------------------------+----------+----------
--|        16 |    152.0 | 0.50000000000000000000 |       16 |       10
--|        32 |       32 | 1.00000000000000000000 |          |      5.0
--| (2 rows)
select sum(coalesce(i,n)), sum(greatest(i,f)), avg(x) from m, (values (1),(2.5)) v(x);
--|  sum | sum |        avg
--| -----+-----+--------------------
--|   54 | NaN | 1.7500000000000000
--| (1 row)
select row(1, 1.0) is distinct from row(1.0, 1), row(1,2) is not distinct from row(1::bigint, 2), row(1, null) is distinct from row(1.0, null), (1, 2) = (1.0, 2::bigint), (1,2) in ((1.0, 2), (3,4)), (1, 2) not in (select 1.0, 2::bigint);
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------
--|  f        | t        | f        | t        | t        | f
--| (1 row)
select i from m where (i, s) in (select b, n from m) order by 1;
--|  i
--| ---
--| (0 rows)
select i from m where (i, n) = any (select n, i from m) order by 1;
--|  i
--| ---
--| (0 rows)
select i from m where (i,n) > all (select 0.5, 0::bigint) order by 1;
--|  i
--| ----
--|   1
--|   2
--|   3
--|   4
--|   7
--|  10
--| (6 rows)
select i from m where (i, n) between (1, 0) and (2.0, 5) order by 1;
--|  i
--| ---
--|  1
--| (1 row)
select a.i from m a left join m b on (a.i, a.n) = (b.n, b.i) order by 1;
--|  i
--| ----
--|   1
--|   2
--|   3
--|   4
--|   7
--|  10
--| (6 rows)
select i, count(*) from (select i from m union all select n from m) q group by i order by i;
--|   i  | count
--| -----+-------
--|    1 |     1
--|    2 |     1
--|    3 |     1
--|  3.5 |     1
--|    4 |     1
--|    5 |     1
--|    7 |     1
--|  9.5 |     1
--|   10 |     1
--|      |     3
--| (10 rows)
select n from m group by n having n = 3.50;
--|   n
--| -----
--|  3.5
--| (1 row)
select count(*) from (select i from m intersect all select n from m) q;
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from (select b from m except all select i from m) q;
--|  count
--| -------
--|      3
--| (1 row)
select i from m order by case when i > 2 then n else i end, i;
--|  i
--| ----
--|   1
--|   2
--|   3
--|   7
--|   4
--|  10
--| (6 rows)
select max(coalesce(i, n)), min(least(i, f)) from m;
--|  max | min
--| -----+-----
--|   10 |  -0
--| (1 row)
insert into m (i, n, b, f, r) select 50, i, n, n, n from m where i = 2;
--| INSERT 0 1
select n, b, f, r from m where i = 50;
--|  n | b | f | r
--| ---+---+---+---
--|  2 |   |   |
--| (1 row)
insert into m (i, n, b) values (51, 1, 2.6), (52, 2.5, 3);
--| INSERT 0 2
select n, b from m where i > 50 order by i;
--|   n  | b
--| -----+---
--|    1 | 3
--|  2.5 | 3
--| (2 rows)
update m set b = n, f = i, n = f where i = 51 returning b, f, n;
--|  b | f  | n
--| ---+----+---
--|  1 | 51 |
--| (1 row)
--| UPDATE 1
update m set b = case when i = 52 then n else b end where i = 52 returning b;
--|  b
--| ---
--|  3
--| (1 row)
--| UPDATE 1
update m set s = b + 0.5 where i = 52 returning s;
--|  s
--| ---
--|  4
--| (1 row)
--| UPDATE 1
insert into m (i, s) values (60, 100000);
--| ERROR:  22003: smallint out of range
select i / 2.0, i / 2, i * 1.5::real, s / 2::bigint, 5 / 2.0::numeric(3,1), 7 % 2.5, 2 ^ 3, 2.0 ^ 3, i ^ 2 from m where i < 3 order by i;
--|         ?column?        | ?column? | ?column? | ?column? |      ?column?      | ?column? | ?column? |      ?column?      | ?column?
--| ------------------------+----------+----------+----------+--------------------+----------+----------+--------------------+----------
--|  0.50000000000000000000 |        0 |      1.5 |        0 | 2.5000000000000000 |      2.0 |        8 | 8.0000000000000000 |        1
--|  1.00000000000000000000 |        1 |        3 |        1 | 2.5000000000000000 |      2.0 |        8 | 8.0000000000000000 |        4
--| (2 rows)
select date '2020-01-01' = timestamp '2020-01-01', date '2020-01-01' < timestamptz '2020-01-02', date '2020-01-01' in (timestamp '2020-01-01'), coalesce(date '2020-01-01', timestamp '2020-01-01 12:00') + interval '1 hour';
--|  ?column? | ?column? | ?column? |      ?column?
--| ----------+----------+----------+---------------------
--|  t        | t        | t        | 2020-01-01 01:00:00
--| (1 row)
select case when true then 'a'::char(3) else 'b' end || '|', coalesce('a'::char(3), 'b') || '|', greatest('a'::char(3), 'b'::text) || '|';
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  a|       | a|       | b|
--| (1 row)
create table ch(c char(4) unique, v varchar(4));
--| CREATE TABLE
insert into ch values ('a', 'a ');
--| INSERT 0 1
insert into ch values ('a  ', 'a');
--| ERROR:  23505: duplicate key value violates unique constraint "ch_c_key"
--| DETAIL:  Key (c)=(a   ) already exists.
select * from ch where c = v;
--|   c   | v
--| ------+----
--|  a    | a
--| (1 row)
select * from ch where v = c;
--|   c   | v
--| ------+----
--|  a    | a
--| (1 row)
select * from ch where v = 'a';
--|  c | v
--| ---+---
--| (0 rows)
select c = v from ch;
--|  ?column?
--| ----------
--|  t
--| (1 row)
insert into ch values ('abcd  ', 'abcd  ');
--| INSERT 0 1
insert into ch values ('abcdx', 'x');
--| ERROR:  22001: value too long for type character(4)
select '['||c||']', '['||v||']' from ch order by 1;
--|  ?column? | ?column?
--| ----------+----------
--|  [a]      | [a ]
--|  [abcd]   | [abcd]
--| (2 rows)
select nullif(i, 2) + 0, nullif(t, 'a'), nullif(n, 1), nullif(d, '2020-01-01'), nullif(b, 1) from m where i < 4 order by i;
--|  ?column? | nullif | nullif |   nullif   |   nullif
--| ----------+--------+--------+------------+-------------
--|         1 | zz     |    9.5 |            |
--|           | y      |        | 2020-01-02 |           2
--|         3 | c      |    3.5 | 2020-01-03 | 30000000000
--| (3 rows)
select to_char(i, '999'), to_char(n, 'FM999.00'), to_char(f, '9.9EEEE') from m where i < 3 order by i;
--|  to_char | to_char | to_char
--| ---------+---------+----------
--|     1    | 9.50    |  1.0e+00
--|     2    |         |  2.0e+00
--| (2 rows)
create table c1(a int, n numeric, t text);
--| CREATE TABLE
insert into c1 values (1, 2.5, 'x');
--| INSERT 0 1
create table c2 as select abs(a) as z from c1;
--| SELECT 1
create table c2 as select count(*) as z from c1;
--| ERROR:  42P07: relation "c2" already exists
create table c3 as select sum(a) as z from c1;
--| SELECT 1
create table c4 as select a, (n) as z from c1;
--| SELECT 1
create table if not exists c5 as select max(a) as m from c1;
--| SELECT 1
create table c6 as select 1 as x, max(a) as m from c1;
--| SELECT 1
create table c7 as with q as (select 1 as one) select * from q;
--| SELECT 1
create table c8 as select z from (select a from c1) as s(z);
--| SELECT 1
create table c9 as values (1, 2);
--| SELECT 1
select max(a) as z into c10 from c1;
--| SELECT 1
update c1 set (a, n) = (select 5, 6.5);
--| UPDATE 1
update c1 set (a, n) = (select 7, 8.5 where true) where t = 'x' returning a, n;
--|  a |  n
--| ---+-----
--|  7 | 8.5
--| (1 row)
--| UPDATE 1
update c1 set (a, n) = (9, 9.5) returning a, n;
--|  a |  n
--| ---+-----
--|  9 | 9.5
--| (1 row)
--| UPDATE 1
update c1 set (a) = (select 3) returning a;
--|  a
--| ---
--|  3
--| (1 row)
--| UPDATE 1
SELECT trim_scale(variance(a) * 1e1000) from (values (0e-1000::numeric), (1e-500*5), (3e-500)) v(a);
--|  trim_scale
--| ------------
--|           6
--| (1 row)
select 10.0 ^ -2147483648 = 0, length((10.0 ^ -2147483648)::text);
--|  ?column? | length
--| ----------+--------
--|  t        |   1002
--| (1 row)
select c, c ~ '^a$' from (values ('a'::char(4))) v(c);
--|   c   | ?column?
--| ------+----------
--|  a    | f
--| (1 row)
select octet_length('a'::char(4)), 'a'::char(4) like 'a   ', concat('a'::char(4), '|'), max('a'::char(4)) || '|';
--|  octet_length | ?column? | concat | ?column?
--| --------------+----------+--------+----------
--|             4 | t        | a   |  | a|
--| (1 row)
select row(1, 1.0) is distinct from row(1.0, 1), row(1, null) is distinct from row(1.0, null);
--|  ?column? | ?column?
--| ----------+----------
--|  f        | f
--| (1 row)
select 1 is distinct from 1.0;
--|  ?column?
--| ----------
--|  f
--| (1 row)
select (row(1)) is distinct from row(1);
--|  ?column?
--| ----------
--|  f
--| (1 row)
select f1 from (values (1)) v(f1) where row(1,2) is distinct from row(1,2);
--|  f1
--| ----
--| (0 rows)
create table sr(id int primary key, s int references sr);
--| CREATE TABLE
insert into sr values (1,2),(2,1);
--| INSERT 0 2
select * from sr;
--|  id | s
--| ----+---
--|   1 | 2
--|   2 | 1
--| (2 rows)
insert into sr values (5, 9), (5, 5);
--| ERROR:  23505: duplicate key value violates unique constraint "sr_pkey"
--| DETAIL:  Key (id)=(5) already exists.
create table kk(a int not null references sr, b int not null);
--| CREATE TABLE
insert into kk values (99, 1), (1, null);
--| ERROR:  23502: null value in column "b" of relation "kk" violates not-null constraint
--| DETAIL:  Failing row contains (1, null).
insert into sr values (7,8) returning (select count(*) from sr);
--| ERROR:  23503: insert or update on table "sr" violates foreign key constraint "sr_s_fkey"
--| DETAIL:  Key (s)=(8) is not present in table "sr".
create table t9(a int);
--| CREATE TABLE
insert into t9 values (7);
--| INSERT 0 1
select * from t9 where 1/0 > 0 and null is not null;
--| ERROR:  22012: division by zero
select * from t9 where 7 / (a - a) > 0 and (null >= 1);
--|  a
--| ---
--| (0 rows)
select * from t9 where 7 / (a - a) >= (null + a);
--|  a
--| ---
--| (0 rows)
select sum(x.u) from (select a/(a-a) as u, a from t9) x where false;
--|  sum
--| -----
--|
--| (1 row)
select x.a from (select a/(a-a) as u, a from t9) x;
--|  a
--| ---
--|  7
--| (1 row)

-- What random statements found.
create table gt(i int, s smallint, t text, v varchar(8), c char(4), f float8, o boolean, y interval); insert into gt values (1, 1, 'a', 'a ', 'ab', 1.5, true, '1 day'), (2, null, null, 'b', null, null, false, null), (null, 3, 'é', null, 'zz', 0, null, '36 hours');
--| CREATE TABLE
--| INSERT 0 3
select (case when (select max(q.i) from gt q where r.o) is null then 'x' else r.t end), count(*) from gt r group by (case when (select max(q.i) from gt q where r.o) is null then 'x' else r.t end) order by 1;
--|  t | count
--| ---+-------
--|  a |     1
--|  x |     2
--| (2 rows)
select i in (select s from gt), count(*) from gt group by i in (select s from gt) order by 1;
--|  ?column? | count
--| ----------+-------
--|  t        |     1
--|           |     2
--| (2 rows)
select i from gt group by (-1);
--| ERROR:  42P10: GROUP BY position -1 is not in select list
select 1 from gt group by (2.5);
--| ERROR:  42601: non-integer constant in GROUP BY
select 1 from gt group by false;
--| ERROR:  42601: non-integer constant in GROUP BY
select octet_length((case when i = 1 then v else c end)::varchar) from gt order by 1;
--|  octet_length
--| --------------
--|             1
--|             2
--|
--| (3 rows)
select overlaps(null::timestamptz, '2020-06-02'::timestamptz, '2021-08-19'::timestamptz, '2019-11-03'::timestamptz), overlaps('2020-01-01'::timestamp, null::interval, '2020-01-02'::timestamp, '1 day'::interval);
--|  overlaps | overlaps
--| ----------+----------
--|  t        |
--| (1 row)
select to_char(5, 'abc'), to_char(5::bigint, '9C9'), to_number('Ab', '');
--|  to_char | to_char | to_number
--| ---------+---------+-----------
--|  a       |   5     |
--| (1 row)
select timestamptz('2020-01-01'::timestamp) = '2020-01-01'::timestamptz, float8(3), int4(2.5);
--|  ?column? | float8 | int4
--| ----------+--------+------
--|  t        |      3 |    3
--| (1 row)
select timezone('36 hours'::interval, '2020-12-27 08:00:58'::timestamp) at time zone 'UTC';
--|       timezone
--| ---------------------
--|  2020-12-25 20:00:58
--| (1 row)
select regr_sxx(y, x), regr_syy(y, x), regr_r2(y, x) from (values ('inf'::float8, 3::float8), (1, 3)) v(y, x);
--|  regr_sxx | regr_syy | regr_r2
--| ----------+----------+---------
--|         0 |      NaN |
--| (1 row)
select array_position('{}'::int[], 1, null), initcap('é'), parse_ident('É');
--|  array_position | initcap | parse_ident
--| ----------------+---------+-------------
--|                 | É       | {É}
--| (1 row)
select (('a'::text)::smallint & 1.5::real);
--| ERROR:  42883: operator does not exist: smallint & real
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select nullif(i, 5) + ('x'::text)::int from gt where null > i;
--| ERROR:  22P02: invalid input syntax for type integer: "x"
select false::char(4) || '|', ('12'::char(4))::real, ('x'::char(4))::text || '|';
--|  ?column? | float4 | ?column?
--| ----------+--------+----------
--|  fals|    |     12 | x|
--| (1 row)
select ((select 1) union select 2 limit 1) + 1;
--|  ?column?
--| ----------
--|         2
--| (1 row)
select 2 not between symmetric 3 and 1, 2 between symmetric 3 and 1, null between symmetric 1 and 2;
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  f        | t        |
--| (1 row)
update gt set (t, i) = (select 'q', 9) where i = 2 returning *;
--|  i | s | t | v | c | f | o | y
--| ---+---+---+---+---+---+---+---
--|  9 |   | q | b |   |   | f |
--| (1 row)
--| UPDATE 1
select gt from gt order by i limit 1;
--|                 gt
--| -----------------------------------
--|  (1,1,a,"a ","ab  ",1.5,t,"1 day")
--| (1 row)
update gt set (i, f) = (select 1, random());
--| ERROR:  0A000: a multiple-column UPDATE from a sub-SELECT with volatile functions is not supported

-- Of a list of several types an array is made.
select 0.01 in (0.01, '1.5'::real), 0.01 in (0.01, 1.5), 0.1::numeric not in (0.1::real, 2);
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  f        | t        | t
--| (1 row)
select n in (n, '1.5'::real), n in (0.01, '1.5'::real), (select n in (v.n, '1.5'::real) from (select 1) q) from (values (0.01), (1.5)) v(n);
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  t        | f        | f
--|  t        | t        | t
--| (2 rows)
select array_position('{4}'::int[], null, null);
--|  array_position
--| ----------------
--|
--| (1 row)
-- What a subquery gives goes into a condition on it.
select * from (select null::numeric as k from generate_series(1, 3)) s where log(s.k, s.k) is not distinct from 2;
--|  k
--| ---
--| (0 rows)

-- to_char of floating-point numbers: rounded as printf does, and without digits that are noise.
select to_char(33.8::real,'99.99999'), to_char(33.8::real,'99.99999"x"'), to_char(33.8::real,'FM99.99999'), to_char(0.5::float8,'9'), to_char(2.5::float8,'9'), to_char(1234567.891::real,'9999999.99'), to_char(1e10::real,'99999999999.99');
--|  to_char  | to_char  | to_char | to_char | to_char | to_char  |   to_char
--| ----------+----------+---------+---------+---------+----------+--------------
--|   33.8000 |  33.8000 | 33.8    |  0      |  2      |  1234568 |  10000000000
--| (1 row)
select to_char(12345678901234567890::float8,'99999999999999999999.99'), to_char(123456789.123456789::float8,'999999999.999999999'), to_char(123456789.123456789::float8,'999999999.999999999S'), to_char(-0.4::float8,'9'), to_char('nan'::float8,'999.99'), to_char('inf'::float8,'999.99'), to_char('-inf'::real,'99999999.9');
--|         to_char        |      to_char      |      to_char      | to_char | to_char | to_char |  to_char
--| -----------------------+-------------------+-------------------+---------+---------+---------+-----------
--|   12345678901234567168 |  123456789.123457 | 123456789.123457+ | -0      |  NaN    |  ###.## | -Infinity
--| (1 row)
select to_char(1.5::float8,'9V99'), to_char(0.015::float8,'9V9'), to_char(1e300::float8,'9.9'), to_char(123.456::float8,'FM999.999999999999999990'), to_char(0.1::float8,'0.99999999999999999999'), to_char(1234.5678::float8,'9.99EEEE'), to_char(0.00012345::real,'9.9999999EEEE');
--|  to_char | to_char | to_char |     to_char      |      to_char      |  to_char  |    to_char
--| ---------+---------+---------+------------------+-------------------+-----------+----------------
--|   150    |   0     |  #.     | 123.456000000000 |  0.10000000000000 |  1.23e+03 |  1.2344999e-04
--| (1 row)
select to_char(1e15::float8,'9999999999999999.99'), to_char(999999999999999::float8,'9999999999999999.99'), to_char(99999999999999::float8,'999999999999999.99'), to_char(-33.8::real,'99.99999PR'), to_char(33.8::real,'99.99999th');
--|       to_char      |      to_char      |      to_char       |  to_char  | to_char
--| -------------------+-------------------+--------------------+-----------+----------
--|   1000000000000000 |   999999999999999 |   99999999999999.0 | <33.8000> |  33.8000
--| (1 row)
select to_char(-1e20::float8, 'SG999999999999999999999.9'), to_char(1.25::real,'9.9'), to_char(1.35::real,'9.9'), to_char(0.05::float8,'FM9.9'), to_char(-0.01::float8,'9.9');
--|         to_char         | to_char | to_char | to_char | to_char
--| ------------------------+---------+---------+---------+---------
--|  -100000000000000000000 |  1.2    |  1.4    | .1      |  -.0
--| (1 row)

-- An array that is made of NULLs alone does not know what it is one of; the column that it is stored in does.
create table of_nulls (id int, a int[], x text[], d date[]);
--| CREATE TABLE
insert into of_nulls values (1, array_prepend(4, array_append(null::int[], null::int)), array_append(null::text[], null), array_fill(null::date, '{2}'));
--| INSERT 0 1
insert into of_nulls select 2, array_append(a[2:2], 7), array_prepend('b', x), array_append(d, '2024-02-29') from of_nulls;
--| INSERT 0 1
insert into of_nulls values (3, array_cat(array_append(null::int[], null::int), '{5}'), array_replace(array_append(null::text[], null), null, 'c'), array_replace(array_fill(null::date, '{2}'), null, '2024-03-01'));
--| INSERT 0 1
update of_nulls set a = array_cat(a, array_fill(null::int, '{1}')) || 8 where id = 1;
--| UPDATE 1
select * from of_nulls order by id;
--|  id |        a        |    x     |            d
--| ----+-----------------+----------+-------------------------
--|   1 | {4,NULL,NULL,8} | {NULL}   | {NULL,NULL}
--|   2 | {NULL,7}        | {b,NULL} | {NULL,NULL,2024-02-29}
--|   3 | {NULL,5}        | {c}      | {2024-03-01,2024-03-01}
--| (3 rows)
select array_to_string(array_prepend(4, array_append(null::int[], null::int)), ',', '*'), array_append(null::int[], null::int) || 3 = '{NULL,3}';
--|  array_to_string | ?column?
--| -----------------+----------
--|  4,*             | t
--| (1 row)
drop table of_nulls;
--| DROP TABLE

-- Comparisons do not associate.
select 1 = 2 < 3;
--| ERROR:  42601: syntax error at or near "<"
select (1 = 2) = false, 1 < 2 = (2 > 1);
--| ERROR:  42601: syntax error at or near "="
select (1 = 2) = false, 1 < (2 + 3), not 1 = 2, 1 = 2 is null;
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | t        | t        | f
--| (1 row)

-- A series of numbers has ends.
select * from generate_series(1::numeric, 'infinity') limit 2;
--| ERROR:  22023: stop value cannot be infinity
select * from generate_series('nan'::numeric, 5);
--| ERROR:  22023: start value cannot be NaN
select * from generate_series(1, 5, 'inf'::numeric);
--| ERROR:  22023: step size cannot be infinity
