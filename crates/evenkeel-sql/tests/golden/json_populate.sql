-- Rows of composite types and arrays out of JSON.
create type pt as (x int, y int);
--| CREATE TYPE
create type item as (name varchar(3), qty numeric(6,2), p pt, nums int[], ps pt[], j jsonb, k json, d date);
--| CREATE TYPE
select jsonb_populate_record(null::pt, '{"x": 1, "y": "2", "z": 3}');
--|  jsonb_populate_record
--| -----------------------
--|  (1,2)
--| (1 row)
select json_populate_record(null::pt, '{"x": 1, "x": 5}');
--|  json_populate_record
--| ----------------------
--|  (5,)
--| (1 row)
select (jsonb_populate_record(pt '(1,2)', '{"y": 7}')).*;
--|  x | y
--| ---+---
--|  1 | 7
--| (1 row)
select jsonb_populate_record(pt '(1,2)', '{}'), jsonb_populate_record(pt '(1,2)', '{"x": null}'), jsonb_populate_record(pt '(1,2)', null), jsonb_populate_record(null::pt, null) is null;
--|  jsonb_populate_record | jsonb_populate_record | jsonb_populate_record | ?column?
--| -----------------------+-----------------------+-----------------------+----------
--|  (1,2)                 | (,2)                  | (1,2)                 | t
--| (1 row)
select * from jsonb_populate_record(null::item, '{"name": "abc", "qty": 1.239, "p": {"y": 3}, "nums": [1, null, "3"], "ps": [{"x": 1}, null, "(2,3)"], "j": {"a": [1]}, "k": [1, 2], "d": "2020-02-03"}');
--|  name | qty  |  p   |    nums    |          ps           |     j      |   k    |     d
--| ------+------+------+------------+-----------------------+------------+--------+------------
--|  abc  | 1.24 | (,3) | {1,NULL,3} | {"(1,)",NULL,"(2,3)"} | {"a": [1]} | [1, 2] | 2020-02-03
--| (1 row)
select jsonb_populate_record(null::item, '{"nums": [[1, 2], [3, 4]], "ps": [], "p": "(8,9)", "j": null}');
--|        jsonb_populate_record
--| -----------------------------------
--|  (,,"(8,9)","{{1,2},{3,4}}",{},,,)
--| (1 row)
select (jsonb_populate_record(null::item, '{"nums": "{7,8}", "j": "text", "k": "text"}')).*;
--|  name | qty | p | nums  | ps |   j    |   k    | d
--| ------+-----+---+-------+----+--------+--------+---
--|       |     |   | {7,8} |    | "text" | "text" |
--| (1 row)
select jsonb_populate_record(null::item, '{"name": "toolong"}');
--| ERROR:  22001: value too long for type character varying(3)
select jsonb_populate_record(null::item, '{"nums": 5}');
--| ERROR:  22P02: expected JSON array
--| HINT:  See the value of key "nums".
select jsonb_populate_record(null::item, '{"nums": {"a": 1}}');
--| ERROR:  22P02: expected JSON array
--| HINT:  See the value of key "nums".
select jsonb_populate_record(null::item, '{"nums": [1, [2]]}');
--| ERROR:  22P02: invalid input syntax for type integer: "[2]"
select jsonb_populate_record(null::item, '{"nums": [[1], 2]}');
--| ERROR:  22P02: expected JSON array
--| HINT:  See the array element [1] of key "nums".
select jsonb_populate_record(null::item, '{"nums": [[1, 2], [3]]}');
--| ERROR:  22P02: malformed JSON array
--| DETAIL:  Multidimensional arrays must have sub-arrays with matching dimensions.
select jsonb_populate_record(null::item, '{"nums": [[[[[[[1]]]]]]]}');
--| ERROR:  54000: number of array dimensions (7) exceeds the maximum allowed (6)
select jsonb_populate_record(null::item, '{"p": 5}');
--| ERROR:  22023: cannot call populate_composite on a scalar
select jsonb_populate_record(null::item, '{"p": [1]}');
--| ERROR:  22023: cannot call populate_composite on an array
select jsonb_populate_record(null::item, '{"d": "x"}');
--| ERROR:  22007: invalid input syntax for type date: "x"
select jsonb_populate_record(null::pt, '[1]');
--| ERROR:  22023: cannot call populate_composite on an array
select jsonb_populate_record(null::pt, '5');
--| ERROR:  22023: cannot call populate_composite on a scalar
select jsonb_populate_record(5, '{}');
--| ERROR:  42804: first argument of jsonb_populate_record must be a row type
select jsonb_populate_record(null, '{}');
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select * from jsonb_populate_recordset(null::pt, '[{"x": 1}, {"y": 2}, {}]');
--|  x | y
--| ---+---
--|  1 |
--|    | 2
--|    |
--| (3 rows)
select * from json_populate_recordset(pt '(8,9)', '[{"x": 1}, {"y": null}]') with ordinality;
--|  x | y | ordinality
--| ---+---+------------
--|  1 | 9 |          1
--|  8 |   |          2
--| (2 rows)
select jsonb_populate_recordset(null::pt, '[{"x": 1}, {"x": 2}]');
--|  jsonb_populate_recordset
--| --------------------------
--|  (1,)
--|  (2,)
--| (2 rows)
select (jsonb_populate_recordset(null::pt, '[{"x": 1}, {"x": 2}]')).x + 1;
--|  ?column?
--| ----------
--|         2
--|         3
--| (2 rows)
select count(*) from jsonb_populate_recordset(null::pt, null);
--|  count
--| -------
--|      0
--| (1 row)
select jsonb_populate_recordset(null::pt, '{"x": 1}');
--| ERROR:  22023: cannot call jsonb_populate_recordset on a non-array
select jsonb_populate_recordset(null::pt, '1');
--| ERROR:  22023: cannot call jsonb_populate_recordset on a non-array
select jsonb_populate_recordset(null::pt, '[1]');
--| ERROR:  22023: argument of jsonb_populate_recordset must be an array of objects
create table t (id int, i item);
--| CREATE TABLE
insert into t select 1, jsonb_populate_record(null::item, '{"name": "n", "p": {"x": 1}}');
--| INSERT 0 1
update t set i = jsonb_populate_record(i, '{"qty": 2, "p": {"y": 5}}') returning i;
--|            i
--| -----------------------
--|  (n,2.00,"(1,5)",,,,,)
--| (1 row)
--| UPDATE 1
select id, q.x, q.y from t, jsonb_populate_record((i).p, '{"x": 100}') q;
--|  id |  x  | y
--| ----+-----+---
--|   1 | 100 | 5
--| (1 row)
create view v as select q.x, (jsonb_populate_record(null::pt, to_jsonb((t.i).p))).y from t, jsonb_populate_recordset(null::pt, '[{"x": 1}]') q;
--| CREATE VIEW
select pg_get_viewdef('v'::regclass);
--|                             pg_get_viewdef
--| ----------------------------------------------------------------------
--|   SELECT q.x,                                                        +
--|      (jsonb_populate_record(NULL::pt, to_jsonb((t.i).p))).y AS y     +
--|     FROM t,                                                          +
--|      jsonb_populate_recordset(NULL::pt, '[{"x": 1}]'::jsonb) q(x, y);
--| (1 row)
select * from v;
--|  x | y
--| ---+---
--|  1 | 5
--| (1 row)
drop view v;
--| DROP VIEW
select json_query('[1, 2]', '$' returning int[]), json_query('[[1, 2], [3, 4]]', '$' returning int[]), json_query('{"x": 1}', '$' returning pt), json_query('"(1,2)"', '$' returning pt), json_query('"(1,2)"', '$' returning pt omit quotes), json_query('[{"x": 1}]', '$' returning pt[]);
--|  json_query |  json_query   | json_query | json_query | json_query | json_query
--| ------------+---------------+------------+------------+------------+------------
--|  {1,2}      | {{1,2},{3,4}} | (1,)       |            | (1,2)      | {"(1,)"}
--| (1 row)
select json_query('{"x": 1}', '$' returning int[] error on error);
--| ERROR:  22P02: expected JSON array
select json_query('5', '$' returning int[] error on error);
--| ERROR:  22P02: expected JSON array
select json_query('{"a": 1}', '$.z' returning int[] empty array on empty), json_query('{"a": 1}', '$.z' returning pt empty object on empty);
--|  json_query | json_query
--| ------------+------------
--|  {}         | (,)
--| (1 row)
drop table t;
--| DROP TABLE
drop type item;
--| DROP TYPE
drop type pt;
--| DROP TYPE
-- The maximum of rows of a type is a row of that type, whose names are known.
create type jpt as (x int, y int);
--| CREATE TYPE
create table jp (n int, p jpt);
--| CREATE TABLE
insert into jp values (1, '(2,3)'), (1, '(0,2)'), (2, null);
--| INSERT 0 3
select jsonb_populate_record((select max(p) from jp), '{"x": 1}');
--|  jsonb_populate_record
--| -----------------------
--|  (1,3)
--| (1 row)
select jsonb_populate_record(max(p), '{"x": 1}') from jp group by n order by n;
--| ERROR:  0A000: could not determine row type for result of jsonb_populate_record
--| HINT:  Provide a non-null record argument, or call the function in the FROM clause using a column definition list.
drop table jp;
--| DROP TABLE
drop type jpt;
--| DROP TYPE
