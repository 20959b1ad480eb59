-- Queries over one table: conditions, expressions, ordering, grouping, DISTINCT, LIMIT.

create table emp (id int primary key, name text not null, dept text, salary numeric(10,2), boss int, hired date);
--| CREATE TABLE
insert into emp values
  (1, 'Ada', 'eng', 200.50, null, '2020-01-01'),
  (2, 'Bob', 'eng', 150, 1, '2020-06-15'),
  (3, 'Cy', 'ops', 90.25, 1, '2021-03-01'),
  (4, 'Di', 'ops', null, 3, '2021-03-02'),
  (5, 'Ed', null, 70, 3, null);
--| INSERT 0 5

select * from emp order by id;
--|  id | name | dept | salary | boss |   hired
--| ----+------+------+--------+------+------------
--|   1 | Ada  | eng  | 200.50 |      | 2020-01-01
--|   2 | Bob  | eng  | 150.00 |    1 | 2020-06-15
--|   3 | Cy   | ops  |  90.25 |    1 | 2021-03-01
--|   4 | Di   | ops  |        |    3 | 2021-03-02
--|   5 | Ed   |      |  70.00 |    3 |
--| (5 rows)
select name, salary * 2 as twice, salary + id from emp where salary > 80 order by salary desc;
--|  name | twice  | ?column?
--| ------+--------+----------
--|  Ada  | 401.00 |   201.50
--|  Bob  | 300.00 |   152.00
--|  Cy   | 180.50 |    93.25
--| (3 rows)
select name from emp where dept is null or salary is null order by name;
--|  name
--| ------
--|  Di
--|  Ed
--| (2 rows)
select name from emp where dept = 'eng' and not (salary < 180);
--|  name
--| ------
--|  Ada
--| (1 row)
select name from emp where dept <> 'eng' order by 1;
--|  name
--| ------
--|  Cy
--|  Di
--| (2 rows)
select name from emp where salary between 80 and 160 order by name;
--|  name
--| ------
--|  Bob
--|  Cy
--| (2 rows)
select name from emp where salary not between 80 and 160 order by name;
--|  name
--| ------
--|  Ada
--|  Ed
--| (2 rows)
select name from emp where id in (1, 3, 99) order by id desc;
--|  name
--| ------
--|  Cy
--|  Ada
--| (2 rows)
select name from emp where id not in (1, 3, 99) order by id desc;
--|  name
--| ------
--|  Ed
--|  Di
--|  Bob
--| (3 rows)
select name from emp where boss not in (1, null);
--|  name
--| ------
--| (0 rows)
select name from emp where name like '_d%' order by name;
--|  name
--| ------
--|  Ada
--|  Ed
--| (2 rows)
select name from emp where name not ilike 'a%' order by name;
--|  name
--| ------
--|  Bob
--|  Cy
--|  Di
--|  Ed
--| (4 rows)
select name from emp where name ~ '^[A-C]' order by name;
--|  name
--| ------
--|  Ada
--|  Bob
--|  Cy
--| (3 rows)
select name, case when salary > 100 then 'high' when salary is null then 'none' else 'low' end as level from emp order by id;
--|  name | level
--| ------+-------
--|  Ada  | high
--|  Bob  | high
--|  Cy   | low
--|  Di   | none
--|  Ed   | low
--| (5 rows)
select name, case dept when 'eng' then 1 when 'ops' then 2 end from emp order by id;
--|  name | case
--| ------+------
--|  Ada  |    1
--|  Bob  |    1
--|  Cy   |    2
--|  Di   |    2
--|  Ed   |
--| (5 rows)
select coalesce(dept, 'nobody'), nullif(dept, 'eng'), greatest(id, 3), least(id, 3, null) from emp order by id;
--|  coalesce | nullif | greatest | least
--| ----------+--------+----------+-------
--|  eng      |        |        3 |     1
--|  eng      |        |        3 |     2
--|  ops      | ops    |        3 |     3
--|  ops      | ops    |        4 |     3
--|  nobody   |        |        5 |     3
--| (5 rows)
select name from emp order by dept, name;
--|  name
--| ------
--|  Ada
--|  Bob
--|  Cy
--|  Di
--|  Ed
--| (5 rows)
select name from emp order by dept desc, name desc;
--|  name
--| ------
--|  Ed
--|  Di
--|  Cy
--|  Bob
--|  Ada
--| (5 rows)
select name from emp order by dept nulls first, name;
--|  name
--| ------
--|  Ed
--|  Ada
--|  Bob
--|  Cy
--|  Di
--| (5 rows)
select name from emp order by salary desc nulls last limit 2;
--|  name
--| ------
--|  Ada
--|  Bob
--| (2 rows)
select name from emp order by id offset 3;
--|  name
--| ------
--|  Di
--|  Ed
--| (2 rows)
select name from emp order by id limit 2 offset 1;
--|  name
--| ------
--|  Bob
--|  Cy
--| (2 rows)
select name from emp order by id fetch first 2 rows only;
--|  name
--| ------
--|  Ada
--|  Bob
--| (2 rows)
select name from emp order by id limit all;
--|  name
--| ------
--|  Ada
--|  Bob
--|  Cy
--|  Di
--|  Ed
--| (5 rows)
select name from emp order by id limit null offset 4;
--|  name
--| ------
--|  Ed
--| (1 row)
select name from emp limit 0;
--|  name
--| ------
--| (0 rows)
select name from emp order by length(name), id desc;
--|  name
--| ------
--|  Ed
--|  Di
--|  Cy
--|  Bob
--|  Ada
--| (5 rows)
select name as n, id as name from emp order by name desc limit 2;
--|  n  | name
--| ----+------
--|  Ed |    5
--|  Di |    4
--| (2 rows)
select dept, count(*), count(salary), sum(salary), avg(salary), min(name), max(hired) from emp group by dept order by dept;
--|  dept | count | count |  sum   |         avg          | min |    max
--| ------+-------+-------+--------+----------------------+-----+------------
--|  eng  |     2 |     2 | 350.50 | 175.2500000000000000 | Ada | 2020-06-15
--|  ops  |     2 |     1 |  90.25 |  90.2500000000000000 | Cy  | 2021-03-02
--|       |     1 |     1 |  70.00 |  70.0000000000000000 | Ed  |
--| (3 rows)
select count(*), sum(id), avg(id), min(salary), max(salary) from emp;
--|  count | sum |        avg         |  min  |  max
--| -------+-----+--------------------+-------+--------
--|      5 |  15 | 3.0000000000000000 | 70.00 | 200.50
--| (1 row)
select count(*), sum(id), avg(id), max(name) from emp where false;
--|  count | sum | avg | max
--| -------+-----+-----+-----
--|      0 |     |     |
--| (1 row)
select dept from emp group by dept having count(*) > 1 order by 1;
--|  dept
--| ------
--|  eng
--|  ops
--| (2 rows)
select dept, count(*) as n from emp group by 1 order by n desc, dept;
--|  dept | n
--| ------+---
--|  eng  | 2
--|  ops  | 2
--|       | 1
--| (3 rows)
select count(distinct dept), count(dept) from emp;
--|  count | count
--| -------+-------
--|      2 |     4
--| (1 row)
select dept, string_agg(name, ',' order by name desc) from emp group by dept order by dept;
--|  dept | string_agg
--| ------+------------
--|  eng  | Bob,Ada
--|  ops  | Di,Cy
--|       | Ed
--| (3 rows)
select array_agg(name order by id) from emp;
--|      array_agg
--| --------------------
--|  {Ada,Bob,Cy,Di,Ed}
--| (1 row)
select sum(salary) filter (where dept = 'eng') as eng, count(*) filter (where dept is null) as none from emp;
--|   eng   | none
--| --------+------
--|  350.50 |    1
--| (1 row)
select id % 2 = 0 as even, count(*) from emp group by id % 2 = 0 order by even;
--|  even | count
--| ------+-------
--|  f    |     3
--|  t    |     2
--| (2 rows)
select e.*, count(*) from emp e group by e.id order by e.id limit 1;
--|  id | name | dept | salary | boss |   hired    | count
--| ----+------+------+--------+------+------------+-------
--|   1 | Ada  | eng  | 200.50 |      | 2020-01-01 |     1
--| (1 row)
select dept, salary from emp group by dept;
--| ERROR:  42803: column "emp.salary" must appear in the GROUP BY clause or be used in an aggregate function
select name, sum(salary) from emp;
--| ERROR:  42803: column "emp.name" must appear in the GROUP BY clause or be used in an aggregate function
select sum(count(*)) from emp;
--| ERROR:  42803: aggregate function calls cannot be nested
select name from emp where count(*) > 1;
--| ERROR:  42803: aggregate functions are not allowed in WHERE
select distinct dept from emp order by dept;
--|  dept
--| ------
--|  eng
--|  ops
--|
--| (3 rows)
select distinct dept, salary is null as unpaid from emp order by 1, 2;
--|  dept | unpaid
--| ------+--------
--|  eng  | f
--|  ops  | f
--|  ops  | t
--|       | f
--| (4 rows)
select distinct on (dept) dept, name from emp order by dept, salary desc nulls last;
--|  dept | name
--| ------+------
--|  eng  | Ada
--|  ops  | Cy
--|       | Ed
--| (3 rows)
select distinct dept from emp order by name;
--| ERROR:  42P10: for SELECT DISTINCT, ORDER BY expressions must appear in select list
select bool_and(salary > 50), bool_or(dept = 'ops'), stddev(id), variance(id) from emp;
--|  bool_and | bool_or |       stddev       |      variance
--| ----------+---------+--------------------+--------------------
--|  t        | t       | 1.5811388300841897 | 2.5000000000000000
--| (1 row)
select upper(name) || '-' || id from emp where id = 1;
--|  ?column?
--| ----------
--|  ADA-1
--| (1 row)
select -id, +id, abs(-id), id / 2, id % 2, id ^ 2, 7.0 / 2, 2 * (id + 1) from emp where id = 3;
--|  ?column? | ?column? | abs | ?column? | ?column? | ?column? |      ?column?      | ?column?
--| ----------+----------+-----+----------+----------+----------+--------------------+----------
--|        -3 |        3 |   3 |        1 |        1 |        9 | 3.5000000000000000 |        8
--| (1 row)
select 1 + 1, 'a' || 'b', 1 < 2, null = null, null is null, true and null, false and null, true or null, not null;
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------+----------+----------
--|         2 | ab       | t        |          | t        |          | f        | t        |
--| (1 row)
select 1/0;
--| ERROR:  22012: division by zero
select 2147483647 + 1;
--| ERROR:  22003: integer out of range
select 9223372036854775807 + 1;
--| ERROR:  22003: bigint out of range
select 1.10 + 2.205, 10 / 4, 10 / 4.0, round(2.5), round(-2.5), 2::numeric ^ 0.5;
--|  ?column? | ?column? |      ?column?      | round | round |      ?column?
--| ----------+----------+--------------------+-------+-------+--------------------
--|     3.305 |        2 | 2.5000000000000000 |     3 |    -3 | 1.4142135623730950
--| (1 row)
select '5' + 3, '2020-01-01'::date + 1, date '2020-03-01' - date '2020-02-01';
--|  ?column? |  ?column?  | ?column?
--| ----------+------------+----------
--|         8 | 2020-01-02 |       29
--| (1 row)
select 1 as "Mixed Case", 2 "x y", 3 as select;
--|  Mixed Case | x y | select
--| ------------+-----+--------
--|           1 |   2 |      3
--| (1 row)
select 1 is distinct from null, null is distinct from null, 1 is not distinct from 1;
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  t        | f        | t
--| (1 row)
select true is true, null is true, null is not false, false is unknown;
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | f        | t        | f
--| (1 row)
select 'abc' < 'abd', 'B' < 'a', 'a' = 'a ', 'a'::char(3) = 'a  '::char(5);
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | t        | f        | t
--| (1 row)
select (1, 2) = (1, 2), (1, 2) < (1, 3), (1, null) = (1, 2), (2, null) > (1, 1), (1, 2) in ((1, 2), (3, 4));
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  t        | t        |          | t        | t
--| (1 row)
select 3 = any (array[1, 2, 3]), 3 <> all (array[1, 2]), 3 = any (null), 'b' like any (array['a%', 'b%']);
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | t        |          | t
--| (1 row)
select array[1, 2, 3], array['a', null], array[[1, 2], [3, 4]], '{4,5}'::int[], (array[10, 20, 30])[2], (array[1,2,3])[2:3];
--|   array  |  array   |     array     | int4  | array | array
--| ---------+----------+---------------+-------+-------+-------
--|  {1,2,3} | {a,NULL} | {{1,2},{3,4}} | {4,5} |    20 | {2,3}
--| (1 row)
select array_length(array[1, 2], 1), cardinality(array[1, 2]), array[1, 2] || 3, array[1] || array[2];
--|  array_length | cardinality | ?column? | ?column?
--| --------------+-------------+----------+----------
--|             2 |           2 | {1,2,3}  | {1,2}
--| (1 row)
select row(1, 'a', null), row(1, 2) is null, row(null, null) is null;
--|   row   | ?column? | ?column?
--| --------+----------+----------
--|  (1,a,) | f        | t
--| (1 row)
select * from generate_series(1, 3);
--|  generate_series
--| -----------------
--|                1
--|                2
--|                3
--| (3 rows)
select g, g * 2 as d from generate_series(10, 0, -5) as g;
--|  g  | d
--| ----+----
--|  10 | 20
--|   5 | 10
--|   0 |  0
--| (3 rows)
select * from generate_series(1, 2) as t(x), generate_series(1, 2) as u(y) order by x, y;
--|  x | y
--| ---+---
--|  1 | 1
--|  1 | 2
--|  2 | 1
--|  2 | 2
--| (4 rows)
select generate_series(1, 3), 'x';
--|  generate_series | ?column?
--| -----------------+----------
--|                1 | x
--|                2 | x
--|                3 | x
--| (3 rows)
select * from unnest(array['a', 'b']) with ordinality as u(v, n);
--|  v | n
--| ---+---
--|  a | 1
--|  b | 2
--| (2 rows)
select * from unnest(array[1, 2], array['a', 'b', 'c']) as u(a, b);
--|  a | b
--| ---+---
--|  1 | a
--|  2 | b
--|    | c
--| (3 rows)
values (1, 'a'), (2, 'b') order by 1 desc;
--|  column1 | column2
--| ---------+---------
--|        2 | b
--|        1 | a
--| (2 rows)
select * from (values (1, 'a'), (2, null)) as v(n, t) where t is not null;
--|  n | t
--| ---+---
--|  1 | a
--| (1 row)
select count(*) from generate_series(1, 100000) g where g % 7 = 0;
--|  count
--| -------
--|  14285
--| (1 row)
select sum(g), avg(g)::numeric(10,2) from generate_series(1, 1000) g;
--|   sum   |  avg
--| --------+--------
--|  500500 | 500.50
--| (1 row)
table emp limit 1;
--|  id | name | dept | salary | boss |   hired
--| ----+------+------+--------+------+------------
--|   1 | Ada  | eng  | 200.50 |      | 2020-01-01
--| (1 row)
select 'a' 'b';
--| ERROR:  42601: syntax error at or near "'b'"
select 'a'
  'b';
--|  ?column?
--| ----------
--|  ab
--| (1 row)
select e.name from emp as e(x, name) where x = 1;
--|  name
--| ------
--|  Ada
--| (1 row)
select name from emp e where emp.id = 1;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "emp"
--| HINT:  Perhaps you meant to reference the table alias "e".
select nothing from emp;
--| ERROR:  42703: column "nothing" does not exist
select emp.nothing from emp;
--| ERROR:  42703: column emp.nothing does not exist
select x.id from emp;
--| ERROR:  42P01: missing FROM-clause entry for table "x"
select * from nowhere;
--| ERROR:  42P01: relation "nowhere" does not exist
select * from nowhere.nothing;
--| ERROR:  42P01: relation "nowhere.nothing" does not exist
select nofunction(1);
--| ERROR:  42883: function nofunction(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select length(1);
--| ERROR:  42883: function length(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select 'a' + 1;
--| ERROR:  22P02: invalid input syntax for type integer: "a"
select name + 1 from emp;
--| ERROR:  42883: operator does not exist: text + integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select id from emp where name;
--| ERROR:  42804: argument of WHERE must be type boolean, not type text
select id from emp order by 9;
--| ERROR:  42P10: ORDER BY position 9 is not in select list
select id from emp limit -1;
--| ERROR:  2201W: LIMIT must not be negative
select id from emp, emp;
--| ERROR:  42712: table name "emp" specified more than once
select id id from emp where id = 1 group by id having id > 0;
--|  id
--| ----
--|   1
--| (1 row)
selec 1;
--| ERROR:  42601: syntax error at or near "selec"
select 1 from;
--| ERROR:  42601: syntax error at or near ";"
select 1 +;
--| ERROR:  42601: syntax error at or near ";"
-- what is ordered by twice is ordered by once
select distinct on (a, a) a, b from (values (1, 2), (1, 1), (2, 5)) v(a, b) order by a, a desc, b;
--|  a | b
--| ---+---
--|  1 | 1
--|  2 | 5
--| (2 rows)
select distinct on (a, b) a, b from (values (1, 2), (1, 1), (2, 5)) v(a, b) order by a, a, c;
--| ERROR:  42703: column "c" does not exist
select (v.* is null) as n, (v.* is not distinct from row(1, 2)) as e from (values (1, 2), (null, null)) v(a, b) where (v.* is not null) is not null order by 1;
--|  n | e
--| ---+---
--|  f | t
--|  t | f
--| (2 rows)
create type dpt0 as (x int, y int);
--| CREATE TYPE
create table dt (id int, j json, p dpt0, n int, d text);
--| CREATE TABLE
insert into dt values (1, '1', '(1,2)', null, 'a'), (2, null, null, 1, null), (3, '2', '(,)', 2, 'b');
--| INSERT 0 3
select id, j is distinct from null, null is not distinct from j, n is not distinct from null, null is distinct from d, p is distinct from null, p is null from dt order by 1;
--|  id | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----+----------+----------+----------+----------+----------+----------
--|   1 | t        | f        | t        | t        | t        | f
--|   2 | f        | t        | f        | f        | f        | t
--|   3 | t        | f        | f        | t        | t        | t
--| (3 rows)
select null is distinct from null, null is not distinct from null, (null) is distinct from 1, null::int is distinct from null, 1 is distinct from null;
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  f        | t        | t        | f        | t
--| (1 row)
select dt is distinct from null, (dt.* is null), row(null, null) is distinct from null from dt order by 1;
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  t        | f        | t
--|  t        | f        | t
--|  t        | f        | t
--| (3 rows)
create view dv as select id from dt where (n is distinct from null) and (null is not distinct from d) and (p is distinct from null);
--| CREATE VIEW
select pg_get_viewdef('dv'::regclass);
--|                               pg_get_viewdef
--| --------------------------------------------------------------------------
--|   SELECT id                                                              +
--|     FROM dt                                                              +
--|    WHERE ((n IS NOT NULL) AND (d IS NULL) AND (p IS DISTINCT FROM NULL));
--| (1 row)
select distinct on (cardinality(array(select id from dt q order by 1))) cardinality(array(select id from dt q order by 1)) as c, id from dt order by cardinality(array(select id from dt q order by 1)), id;
--|  c | id
--| ---+----
--|  3 |  1
--| (1 row)
