-- json_to_record and its like, column definition lists, ROWS FROM.

select * from json_to_record('{"a": 1, "b": "x", "c": [1, 2], "z": 0}') as x(a int, b text, c int[], d date);
--|  a | b |   c   | d
--| ---+---+-------+---
--|  1 | x | {1,2} |
--| (1 row)
select * from jsonb_to_record('{"a": "1.239", "b": {"k": [1]}, "c": null}') as x(a numeric(6,2), b jsonb, c text);
--|   a   |     b      | c
--| ------+------------+---
--|  1.24 | {"k": [1]} |
--| (1 row)
select x.a + 1 as n, x, x.* from jsonb_to_record('{"a": 1, "B": true}') x(a int, "B" boolean);
--|  n |   x   | a | B
--| ---+-------+---+---
--|  2 | (1,t) | 1 | t
--| (1 row)
select * from json_to_recordset('[{"a": 1, "b": "foo"}, {"a": "2", "c": "bar"}, {}]') as x(a int, b text);
--|  a |  b
--| ---+-----
--|  1 | foo
--|  2 |
--|    |
--| (3 rows)
select x, (x).a from jsonb_to_recordset('[{"a": 1}, {"a": 2}]') as x(a int) order by a desc;
--|   x  | a
--| -----+---
--|  (2) | 2
--|  (1) | 1
--| (2 rows)
select * from jsonb_to_recordset('[]') as x(a int);
--|  a
--| ---
--| (0 rows)
select * from json_to_recordset(null) as x(a int);
--|  a
--| ---
--| (0 rows)
select * from json_to_record(null) as x(a int, b text);
--|  a | b
--| ---+---
--|    |
--| (1 row)
select * from json_to_record('{"a": 1}') as (a int, b text);
--|  a | b
--| ---+---
--|  1 |
--| (1 row)
select json_to_record.a from json_to_record('{"a": 1}') as (a int);
--|  a
--| ---
--|  1
--| (1 row)
create type pt as (x int, y int);
--| CREATE TYPE
select * from jsonb_to_record('{"p": {"x": 1, "y": 2}, "ps": [{"x": 1}, "(3,4)"], "v": "toolong"}') as q(p pt, ps pt[], v varchar(10));
--|    p   |        ps        |    v
--| -------+------------------+---------
--|  (1,2) | {"(1,)","(3,4)"} | toolong
--| (1 row)
select (p).y, ps[1] from jsonb_to_record('{"p": {"x": 1, "y": 2}, "ps": [{"x": 1}]}') as q(p pt, ps pt[]);
--|  y |  ps
--| ---+------
--|  2 | (1,)
--| (1 row)
select * from jsonb_to_record('{"v": "toolong"}') as q(v varchar(3));
--| ERROR:  22001: value too long for type character varying(3)
select * from jsonb_to_record('{"a": "x"}') as q(a int);
--| ERROR:  22P02: invalid input syntax for type integer: "x"
select * from json_to_record('[1]') as q(a int);
--| ERROR:  22023: cannot call populate_composite on an array
select * from json_to_record('5') as q(a int);
--| ERROR:  22023: cannot call populate_composite on a scalar
select * from jsonb_to_record('[1]') as q(a int);
--| ERROR:  22023: cannot call populate_composite on an array
select * from jsonb_to_record('5') as q(a int);
--| ERROR:  22023: cannot call populate_composite on a scalar
select * from json_to_recordset('{}') as q(a int);
--| ERROR:  22023: cannot call json_to_recordset on an object
select * from json_to_recordset('5') as q(a int);
--| ERROR:  22023: cannot call json_to_recordset on a scalar
select * from json_to_recordset('[5]') as q(a int);
--| ERROR:  22023: argument of json_to_recordset must be an array of objects
select * from jsonb_to_recordset('{}') as q(a int);
--| ERROR:  22023: cannot call jsonb_to_recordset on a non-array
select * from jsonb_to_recordset('[5]') as q(a int);
--| ERROR:  22023: argument of jsonb_to_recordset must be an array of objects
select * from json_to_record('{}');
--| ERROR:  42601: a column definition list is required for functions returning "record"
select * from json_to_recordset('[]') as x;
--| ERROR:  42601: a column definition list is required for functions returning "record"
select * from json_to_record('{}') as x(a, b);
--| ERROR:  42601: a column definition list is required for functions returning "record"
select * from json_to_record('{}') as x(a int, a text);
--| ERROR:  42701: column name "a" specified more than once
select * from json_to_record('{}'::jsonb) as x(a int);
--| ERROR:  42883: function json_to_record(jsonb) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select * from json_to_record('{}', 2) as x(a int);
--| ERROR:  42883: function json_to_record(unknown, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select * from generate_series(1, 2) as x(a int);
--| ERROR:  42601: a column definition list is only allowed for functions returning "record"
select * from json_each('{}') as x(a text, b json);
--| ERROR:  42601: a column definition list is redundant for a function with OUT parameters
select * from json_populate_record(null::pt, '{}') as x(a int);
--| ERROR:  42601: a column definition list is redundant for a function returning a named composite type
select * from json_to_record('{}') with ordinality as x(a int);
--| ERROR:  42601: WITH ORDINALITY cannot be used with a column definition list
--| HINT:  Put the column definition list inside ROWS FROM().
select json_to_record('{"a": 1}');
--| ERROR:  0A000: could not determine row type for result of json_to_record
--| HINT:  Provide a non-null record argument, or call the function in the FROM clause using a column definition list.
select jsonb_to_recordset('[{"a": 1}]');
--| ERROR:  0A000: could not determine row type for result of jsonb_to_recordset
--| HINT:  Provide a non-null record argument, or call the function in the FROM clause using a column definition list.
select * from json_populate_record(null::record, '{"x": 0, "y": 1}') as (x int, y int);
--|  x | y
--| ---+---
--|  0 | 1
--| (1 row)
select * from jsonb_populate_record(null::record, '{"x": 0}') as r(x int, y text);
--|  x | y
--| ---+---
--|  0 |
--| (1 row)
select * from json_populate_recordset(null::record, '[{"a": "blah", "b": 50}, {"b": 60}]') as x(a text, b int);
--|   a   | b
--| ------+----
--|  blah | 50
--|       | 60
--| (2 rows)
select * from jsonb_populate_recordset(row(1, 2), '[{"f1": 5}, {"a": 6, "f2": 7}]') as x(a int, b int);
--|  a | b
--| ---+---
--|  5 | 2
--|  1 | 7
--| (2 rows)
select * from jsonb_populate_record(row(1, 2), '{"f1": 5}') as x(a int, b int, c int);
--| ERROR:  42804: function return row and query-specified return row do not match
--| DETAIL:  Returned row contains 2 attributes, but query expects 3.
select * from jsonb_populate_recordset(row(1, 2), '[{"a": 5}]') as x(a text, b int);
--| ERROR:  42804: function return row and query-specified return row do not match
--| DETAIL:  Returned type integer at ordinal position 1, but query expects text.
select * from json_populate_recordset(null::pt, '{}');
--| ERROR:  22023: cannot call json_populate_recordset on an object
select * from json_populate_recordset(null::pt, '5');
--| ERROR:  22023: cannot call json_populate_recordset on a scalar
-- of a table's rows
create table d (id int, j jsonb);
--| CREATE TABLE
insert into d values (1, '[{"a": 1, "b": "one"}, {"a": 2}]'), (2, '[]'), (3, null), (4, '[{"b": "four"}]');
--| INSERT 0 4
select d.id, x.* from d, jsonb_to_recordset(d.j) as x(a int, b text) order by 1, 2;
--|  id | a |  b
--| ----+---+------
--|   1 | 1 | one
--|   1 | 2 |
--|   4 |   | four
--| (3 rows)
select d.id, x.a from d left join lateral jsonb_to_recordset(d.j) as x(a int, b text) on x.a > 1 order by 1;
--|  id | a
--| ----+---
--|   1 | 2
--|   2 |
--|   3 |
--|   4 |
--| (4 rows)
select d.id, (select sum(a) from jsonb_to_recordset(d.j) as x(a int)) from d order by 1;
--|  id | sum
--| ----+-----
--|   1 |   3
--|   2 |
--|   3 |
--|   4 |
--| (4 rows)
insert into d select 10 + a, to_jsonb(b) from jsonb_to_recordset('[{"a": 1, "b": "x"}]') as x(a int, b text) returning *;
--|  id |  j
--| ----+-----
--|  11 | "x"
--| (1 row)
--| INSERT 0 1
update d set j = null from jsonb_to_recordset('[{"id": 11}]') as x(id int) where x.id = d.id returning d.*;
--|  id | j
--| ----+---
--|  11 |
--| (1 row)
--| UPDATE 1
-- ROWS FROM
select * from rows from (generate_series(1, 3), unnest(array['a', 'b']));
--|  generate_series | unnest
--| -----------------+--------
--|                1 | a
--|                2 | b
--|                3 |
--| (3 rows)
select * from rows from (generate_series(1, 2), generate_series(5, 7)) with ordinality as t(a, b, n);
--|  a | b | n
--| ---+---+---
--|  1 | 5 | 1
--|  2 | 6 | 2
--|    | 7 | 3
--| (3 rows)
select * from rows from (json_to_recordset('[{"a": 40, "b": "foo"}, {"a": "100", "b": "bar"}]') as (a int, b text), generate_series(1, 3)) as x(p, q, s) order by p;
--|   p  |  q  | s
--| -----+-----+---
--|   40 | foo | 1
--|  100 | bar | 2
--|      |     | 3
--| (3 rows)
select * from rows from (jsonb_to_recordset('[{"a": 1}]') as (a int, b numeric(5,1)), json_to_record('{"k": {"x": 1}}') as (k pt), length('abc')) with ordinality as x(a, b, k, t, n) where t is not null;
--|  a | b |  k   | t | n
--| ---+---+------+---+---
--|  1 |   | (1,) | 3 | 1
--| (1 row)
select * from rows from (json_to_recordset('[{"a": 1}, {"a": 2}]') as (a int)) with ordinality;
--|  a | ordinality
--| ---+------------
--|  1 |          1
--|  2 |          2
--| (2 rows)
select * from rows from (generate_series(1, 2)) g;
--|  g
--| ---
--|  1
--|  2
--| (2 rows)
select g, g.* from rows from (generate_series(1, 2)) with ordinality g;
--|  g | g | ordinality
--| ---+---+------------
--|  1 | 1 |          1
--|  2 | 2 |          2
--| (2 rows)
select x, x.* from rows from (unnest(array[1, 2], array['x', 'y', 'z']), generate_series(1, 1)) x;
--|     x    | unnest | unnest | generate_series
--| ---------+--------+--------+-----------------
--|  (1,x,1) |      1 | x      |               1
--|  (2,y,)  |      2 | y      |
--|  (,z,)   |        | z      |
--| (3 rows)
select d.id, t.* from d, rows from (jsonb_array_elements(d.j), generate_series(1, d.id)) as t(e, n) where d.id < 3 order by d.id, n;
--|  id |          e           | n
--| ----+----------------------+---
--|   1 | {"a": 1, "b": "one"} | 1
--|   1 | {"a": 2}             |
--|   2 |                      | 1
--|   2 |                      | 2
--| (4 rows)
select d.id, t.* from d left join lateral rows from (jsonb_array_elements(d.j), generate_series(1, 1)) with ordinality as t(e, n, o) on o = 1 order by d.id;
--|  id |          e           | n | o
--| ----+----------------------+---+---
--|   1 | {"a": 1, "b": "one"} | 1 | 1
--|   2 |                      | 1 | 1
--|   3 |                      | 1 | 1
--|   4 | {"b": "four"}        | 1 | 1
--|  11 |                      | 1 | 1
--| (5 rows)
select * from rows from (generate_series(1, 0), unnest(null::int[]));
--|  generate_series | unnest
--| -----------------+--------
--| (0 rows)
select * from rows from (generate_series(1, 2), upper('x'), jsonb_each('{"a": 1}')) as t;
--|  generate_series | upper | key | value
--| -----------------+-------+-----+-------
--|                1 | X     | a   | 1
--|                2 |       |     |
--| (2 rows)
select * from rows from (generate_series(1, 2), generate_series(1, 2)) as t(a int, b int);
--| ERROR:  42601: ROWS FROM() with multiple functions cannot have a column definition list
--| HINT:  Put a separate column definition list for each function inside ROWS FROM().
select * from rows from (json_to_record('{}'), generate_series(1, 2));
--| ERROR:  42601: a column definition list is required for functions returning "record"
select * from rows from (generate_series(1, 2), pt(1, 2));
--| ERROR:  42883: function pt(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
create table rows (rows int);
--| CREATE TABLE
insert into rows values (5);
--| INSERT 0 1
select rows from rows;
--|  rows
--| ------
--|     5
--| (1 row)
select rows from (select 1 as rows) q;
--|  rows
--| ------
--|     1
--| (1 row)
select 1, rows from (values (2)) q(rows);
--|  ?column? | rows
--| ----------+------
--|         1 |    2
--| (1 row)
drop table rows;
--| DROP TABLE
-- views
create view v as select d.id, x.a, x.p from d, jsonb_to_recordset(d.j) as x(a int, b text, p pt);
--| CREATE VIEW
select * from v order by 1, 2;
--|  id | a | p
--| ----+---+---
--|   1 | 1 |
--|   1 | 2 |
--|   4 |   |
--| (3 rows)
drop view v;
--| DROP VIEW
create view w as select * from rows from (generate_series(1, 2), json_to_recordset('[{"a": 1}]') as (a int, p pt)) with ordinality as t(g, a, p, n);
--| CREATE VIEW
select * from w;
--|  g | a | p | n
--| ---+---+---+---
--|  1 | 1 |   | 1
--|  2 |   |   | 2
--| (2 rows)
alter type pt rename to point2;
--| ALTER TYPE
select * from w;
--|  g | a | p | n
--| ---+---+---+---
--|  1 | 1 |   | 1
--|  2 |   |   | 2
--| (2 rows)
drop view w;
--| DROP VIEW
with x(a) as (select 1), y(b, c) as (values (1, 2)) select * from x, y;
--|  a | b | c
--| ---+---+---
--|  1 | 1 | 2
--| (1 row)
