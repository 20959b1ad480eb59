-- Names in FROM: subqueries without one, joins in parentheses with one, rows of LATERAL, outputs of one name.

create table t1 (a int, b text);
--| CREATE TABLE
create table t2 (a int, c text);
--| CREATE TABLE
insert into t1 values (1, 'x'), (2, 'y');
--| INSERT 0 2
insert into t2 values (1, 'z'), (3, null);
--| INSERT 0 2
select * from (select 1 as x), (select 2 as y), (values (3)), (select 4 as x);
--|  x | y | column1 | x
--| ---+---+---------+---
--|  1 | 2 |       3 | 4
--| (1 row)
select x, y from (select 1 as x), (select 2 as y);
--|  x | y
--| ---+---
--|  1 | 2
--| (1 row)
create view v2 as select * from (select 1 as x), (select 2 as y);
--| CREATE VIEW
create view v3 as select * from (select 1 as x), (select 2 as x) s, (values (3));
--| ERROR:  42701: column "x" specified more than once
select pg_get_viewdef('v2'), pg_get_viewdef('v3');
--| ERROR:  42P01: relation "v3" does not exist
select * from v2; 
--|  x | y
--| ---+---
--|  1 | 2
--| (1 row)
select * from (select 1 as x), (select 2 as x) order by x;
--| ERROR:  42702: ORDER BY "x" is ambiguous
select * from t1 x join (t2 x cross join t2 y(aa, cc)) j on x.a = j.aa;
--|  a | b | a | c | aa | cc
--| ---+---+---+---+----+----
--|  1 | x | 1 | z |  1 | z
--|  1 | x | 3 |   |  1 | z
--| (2 rows)
select * from t1 x join (t2 x cross join t2 y) j on x.a = y.a;
--| ERROR:  42P01: missing FROM-clause entry for table "y"
select * from t1 x join (t2 x cross join t2 x) j on true;
--| ERROR:  42712: table name "x" specified more than once
select * from t1, lateral (select t1.* limit 1) l, lateral (select l.*, t1.a + 1 as b1) m order by 1;
--|  a | b | a | b | a | b | b1
--| ---+---+---+---+---+---+----
--|  1 | x | 1 | x | 1 | x |  2
--|  2 | y | 2 | y | 2 | y |  3
--| (2 rows)
create view v4 as select t1.a, l.* from t1, lateral (select t1.* limit 1) l(x, y);
--| CREATE VIEW
select pg_get_viewdef('v4'); 
--|        pg_get_viewdef
--| ----------------------------
--|   SELECT t1.a,             +
--|      l.x,                  +
--|      l.y                   +
--|     FROM t1,               +
--|      LATERAL ( SELECT t1.a,+
--|              t1.b          +
--|           LIMIT 1) l(x, y);
--| (1 row)
select * from v4 order by 1;
--|  a | x | y
--| ---+---+---
--|  1 | 1 | x
--|  2 | 2 | y
--| (2 rows)
select (select t1.*) from t1;
--| ERROR:  42601: subquery must return only one column
select (select t1.a from (select t1.*) q(a,b) where q.a = 2) from t1 order by 1;
--|  a
--| ---
--|  2
--|
--| (2 rows)
insert into t1 select 5, 'q' returning (select t1.b), t1.*;
--|  b | a | b
--| ---+---+---
--|  q | 5 | q
--| (1 row)
--| INSERT 0 1
select a as x, b as x from t1 order by x;
--| ERROR:  42702: ORDER BY "x" is ambiguous
select a as x, a as x from t1 order by x;
--|  x | x
--| ---+---
--|  1 | 1
--|  2 | 2
--|  5 | 5
--| (3 rows)
select distinct on (x) a as x, b as x from t1;
--| ERROR:  42702: ORDER BY "x" is ambiguous
select a as x, b as x from t1 group by x;
--| ERROR:  42702: GROUP BY "x" is ambiguous
select a as x, b as x from t1 union select 1, 'x' order by x;
--| ERROR:  42702: ORDER BY "x" is ambiguous
