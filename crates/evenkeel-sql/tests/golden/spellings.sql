-- JOIN … USING … AS, record operators by image, AT LOCAL, CREATE TABLE AS EXECUTE.
create table j1(i int, t text); create table j2(i int, k int); insert into j1 values (1,'one'),(2,'two'); insert into j2 values (1,10),(2,20);
--| CREATE TABLE
--| CREATE TABLE
--| INSERT 0 2
--| INSERT 0 2
SELECT * FROM j1 JOIN j2 USING (i) AS x WHERE j1.t = 'one';
--|  i |  t  | k
--| ---+-----+----
--|  1 | one | 10
--| (1 row)
SELECT * FROM (j1 JOIN j2 USING (i)) AS x WHERE j1.t = 'one';
--| ERROR:  42P01: missing FROM-clause entry for table "j1"
SELECT * FROM j1 JOIN j2 USING (i) AS x WHERE x.i = 1;
--|  i |  t  | k
--| ---+-----+----
--|  1 | one | 10
--| (1 row)
SELECT * FROM j1 JOIN j2 USING (i) AS x WHERE x.t = 'one';
--| ERROR:  42703: column x.t does not exist
--| HINT:  Perhaps you meant to reference the column "j1.t".
SELECT * FROM (j1 JOIN j2 USING (i) AS x) AS xx WHERE x.i = 1;
--| ERROR:  42P01: missing FROM-clause entry for table "x"
SELECT * FROM j1 a1 JOIN j2 a2 USING (i) AS a1;
--| ERROR:  42712: table name "a1" specified more than once
SELECT x.* FROM j1 JOIN j2 USING (i) AS x WHERE j1.t = 'one';
--|  i
--| ---
--|  1
--| (1 row)
SELECT ROW(x.*) FROM j1 JOIN j2 USING (i) AS x WHERE j1.t = 'one';
--|  row
--| -----
--|  (1)
--| (1 row)
SELECT row_to_json(x.*) FROM j1 JOIN j2 USING (i) AS x WHERE j1.t = 'one';
--|  row_to_json
--| -------------
--|  {"i":1}
--| (1 row)
SELECT x FROM j1 left JOIN j2 USING (i) AS x order by x.i;
--|   x
--| -----
--|  (1)
--|  (2)
--| (2 rows)
select x.i, y.* from j1 full join j2 using (i) as x join j1 z using (i) as y;
--|  i | i
--| ---+---
--|  1 | 1
--|  2 | 2
--| (2 rows)
create view jv as select x.i, j1.t from j1 join j2 using (i) as x;
--| CREATE VIEW
select pg_get_viewdef('jv');
--|         pg_get_viewdef
--| -------------------------------
--|   SELECT j1.i,                +
--|      j1.t                     +
--|     FROM (j1                  +
--|       JOIN j2 USING (i) AS x);
--| (1 row)
select row(1,2) *= row(1,2), row(1,2) *<> row(1,3), row(1,2) *< row(1,3), row(1,2) *<= row(1,2), row(1,2) *> row(0,5), row(1,2) *>= row(1,2);
--| ERROR:  42883: operator does not exist: integer *= integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select row(1,2)::record *= row(1,2,3), row(1,'a'::text) *< row(1,'b'::text);
--| ERROR:  42883: operator does not exist: integer *< integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select row(1,null) *= row(1,null), row(null,1) *< row(null,2), row(1,null) *< row(1,2);
--| ERROR:  42883: operator does not exist: integer *= integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select j1 *= j1 from j1;
--|  ?column?
--| ----------
--|  t
--|  t
--| (2 rows)
select row(1,2)::record *= row(1,2)::record, row(1,2) *= 5;
--| ERROR:  42883: operator does not exist: record *= integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select row(1) *= row('a'::text), row(1.0) *= row(1.00), row(-1) *< row(1), row(1.5::float8) *> row(1.25::float8);
--| ERROR:  42883: operator does not exist: integer *= text
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select timestamptz '2020-01-01 00:00:00+00' at local, timestamp '2020-01-01 00:00' at local, timetz '10:00+02' at local;
--|       timezone       |        timezone        |  timezone
--| ---------------------+------------------------+-------------
--|  2020-01-01 00:00:00 | 2020-01-01 00:00:00+00 | 08:00:00+00
--| (1 row)
set timezone = 'Europe/Berlin';
--| SET
select timestamptz '2020-01-01 00:00:00+00' at local, timestamp '2020-07-01 00:00' at local, timetz '10:00+05' at local is not null;
--|       timezone       |        timezone        | ?column?
--| ---------------------+------------------------+----------
--|  2020-01-01 01:00:00 | 2020-07-01 00:00:00+02 | t
--| (1 row)
select (timestamp '2020-07-01 00:00' at time zone 'UTC') at local;
--|       timezone
--| ---------------------
--|  2020-07-01 02:00:00
--| (1 row)
reset timezone;
--| RESET
create view lv as select timestamptz '2020-01-01 00:00:00+00' at local as x;
--| CREATE VIEW
select pg_get_viewdef('lv');
--|                                pg_get_viewdef
--| -----------------------------------------------------------------------------
--|   SELECT ('2020-01-01 00:00:00+00'::timestamp with time zone AT LOCAL) AS x;
--| (1 row)
select 1 at local;
--| ERROR:  42883: function pg_catalog.timezone(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select at from (select 1 as at) x;
--|  at
--| ----
--|   1
--| (1 row)
select local from (select 1 as local) x;
--|  local
--| -------
--|      1
--| (1 row)
create view jv2 as select x.i, y.i as yi, x.* from j1 full join j2 using (i) as x join j1 z using (i) as y;
--| ERROR:  42701: column "i" specified more than once
select pg_get_viewdef('jv2');
--| ERROR:  42P01: relation "jv2" does not exist
select * from jv2;
--| ERROR:  42P01: relation "jv2" does not exist
create view jv3 as select j1 *= j1 as a, j1.i from j1;
--| CREATE VIEW
select pg_get_viewdef('jv3');
--|         pg_get_viewdef
--| ------------------------------
--|   SELECT (j1.* *= j1.*) AS a,+
--|      i                       +
--|     FROM j1;
--| (1 row)
select * from j1 join j2 using (i) as "x Y" where "x Y".i = 2;
--|  i |  t  | k
--| ---+-----+----
--|  2 | two | 20
--| (1 row)
delete from j1 using j2 join j1 j3 using (i) as k where k.i = j1.i and k.i = 99;
--| DELETE 0
select count(*)=2, 2*3 from j1;
--|  ?column? | ?column?
--| ----------+----------
--|  t        |        6
--| (1 row)
prepare q1(int) as select i, t from j1 where i = $1;
--| PREPARE
create table e1 as execute q1(1);
--| SELECT 1
select * from e1;
--|  i |  t
--| ---+-----
--|  1 | one
--| (1 row)
create table e2(a, b) as execute q1(2) with no data;
--| CREATE TABLE AS
select * from e2;
--|  a | b
--| ---+---
--| (0 rows)
create temp table if not exists e3 as execute q1(1);
--| SELECT 1
create table if not exists e1 as execute q1(1);
--| NOTICE:  relation "e1" already exists, skipping
--| CREATE TABLE AS
prepare q2 as select 5 as five;
--| PREPARE
create table e4 as execute q2;
--| SELECT 1
create table e6 as execute q1;
--| ERROR:  42601: wrong number of parameters for prepared statement "q1"
--| DETAIL:  Expected 1 parameters but got 0.
create table e6 as execute nope;
--| ERROR:  26000: prepared statement "nope" does not exist
prepare q3 as insert into j1 values (3,'three') returning i;
--| PREPARE
create table e6 as execute q3;
--| ERROR:  42809: prepared statement is not a SELECT
create unlogged table e7 as execute q1('2');
--| SELECT 1
select * from e7;
--|  i |  t
--| ---+-----
--|  2 | two
--| (1 row)
drop table e1, e2, e3, e4, e7;
--| DROP TABLE
create table x1 as select 1 as execute;
--| SELECT 1
create table e9 (a) as execute q1(1);
--| SELECT 1
create table e5 as execute q2();
--| ERROR:  42601: syntax error at or near "execute"
select row('{1}'::int[], 1) *= row('{1}'::int[], 1), row(1,2) + row(3,4), row(1) + row(2);
--| ERROR:  42883: operator does not exist: integer[] *= integer[]
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select row(1) + row(2);
--| ERROR:  42804: row comparison operator must yield type boolean, not type integer
select 1 collate "C";
--| ERROR:  42804: collations are not supported by type integer
select array[1] collate "C";
--| ERROR:  42804: collations are not supported by type integer[]
select 'a' collate "C", (array['a'] collate "C")[1], 'x'::varchar(3) collate "POSIX", upper('b' collate "C");
--|  ?column? | array | varchar | upper
--| ----------+-------+---------+-------
--|  a        | a     | x       | B
--| (1 row)
select now() collate "C";
--| ERROR:  42804: collations are not supported by type timestamp with time zone
select 'x'::text collate "C", '{a,b}'::text[] collate "C", 'x'::varchar(3) collate "POSIX" || 'y', (array['b','a'])[1] collate "C";
--|  text | text  | ?column? | array
--| ------+-------+----------+-------
--|  x    | {a,b} | xy       | b
--| (1 row)
select i from j1 order by t::text collate "C" desc, i limit 1;
--|  i
--| ---
--|  2
--| (1 row)
select 1::int collate "C";
--| ERROR:  42804: collations are not supported by type integer
select 'x'::text collate "nope";
--| ERROR:  42704: collation "nope" for encoding "UTF8" does not exist
create view cv as select t::varchar(5) collate "C" as t from j1;
--| CREATE VIEW
select pg_get_viewdef('cv');
--|                     pg_get_viewdef
--| ------------------------------------------------------
--|   SELECT ((t)::character varying(5) COLLATE "C") AS t+
--|     FROM j1;
--| (1 row)
create table ck (a text collate "C", check (a::text collate "C" > 'a'));
--| CREATE TABLE
create index on ck ((a::varchar collate "C") collate "C");
--| CREATE INDEX
