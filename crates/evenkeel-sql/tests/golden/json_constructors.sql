-- The standard's constructors of JSON with all their clauses, JSON_ARRAY of a query, IS JSON, and how views show them.

select json('{ "a" : 1 } '), json(null), json('1' format json), json('{"a": 1, "a": 2}' without unique keys), json('{"a": 1}'::bytea format json encoding utf8);
--|      json     | json | json |       json       |   json
--| --------------+------+------+------------------+----------
--|  { "a" : 1 }  |      | 1    | {"a": 1, "a": 2} | {"a": 1}
--| (1 row)
select json();
--| ERROR:  42601: syntax error at or near ")"
select json('x');
--| ERROR:  22P02: invalid input syntax for type json
--| DETAIL:  Token "x" is invalid.
--| CONTEXT:  JSON data, line 1: x
select json(123);
--| ERROR:  42846: cannot cast type integer to json
select json('1'::json with unique keys);
--| ERROR:  42804: cannot use non-string types with WITH UNIQUE KEYS clause
select json('{"a": {"b": 1, "b": 2}}' with unique keys);
--| ERROR:  22030: duplicate JSON object key value
select json('[{"b": 1}, {"b": 2}]' with unique);
--|          json
--| ----------------------
--|  [{"b": 1}, {"b": 2}]
--| (1 row)
select json('1' format json encoding utf8);
--| ERROR:  42804: JSON ENCODING clause is only allowed for bytea input type
select json_scalar(12.5), json_scalar('a"b'), json_scalar(null::text), json_scalar(timestamp '2020-01-02 03:04:05'), json_scalar('{"a":1}'::jsonb);
--|  json_scalar | json_scalar | json_scalar |      json_scalar      | json_scalar
--| -------------+-------------+-------------+-----------------------+-------------
--|  12.5        | "a\"b"      |             | "2020-01-02T03:04:05" | {"a": 1}
--| (1 row)
select json_serialize('{ "a" : 1 } '), json_serialize('1' format json returning varchar), json_serialize('[1]' returning bytea);
--|  json_serialize | json_serialize | json_serialize
--| ----------------+----------------+----------------
--|  { "a" : 1 }    | 1              | \x5b315d
--| (1 row)
select json_serialize('1' returning jsonb);
--| ERROR:  42804: cannot use type jsonb in RETURNING clause of JSON_SERIALIZE()
--| HINT:  Try returning a string type or bytea.
select json_serialize('{"a": 1}' returning varchar(2));
--| ERROR:  22001: value too long for type character varying(2)
select json_object(), json_object(returning json format json), json_object(returning bytea format json encoding utf8), json_object('a': null absent on null returning jsonb);
--|  json_object | json_object | json_object | json_object
--| -------------+-------------+-------------+-------------
--|  {}          | {}          | \x7b7d      | {}
--| (1 row)
select json_object('a': '{"b" : 1}' format json, 'c': '[ 1]'::bytea format json encoding utf8, 'd' value 2), json_object('a': '1'::text);
--|               json_object               | json_object
--| ----------------------------------------+-------------
--|  {"a" : {"b" : 1}, "c" : [ 1], "d" : 2} | {"a" : "1"}
--| (1 row)
select json_object(1: 1, '2': null, '1': 1 absent on null without unique keys), json_object(1: 1, '2': null absent on null with unique keys returning jsonb);
--|     json_object     | json_object
--| --------------------+-------------
--|  {"1" : 1, "1" : 1} | {"1": 1}
--| (1 row)
select json_object(1: 1, '1': null absent on null with unique);
--| ERROR:  22030: duplicate JSON object key value: "1"
select json_object(1: 1, '1': null null on null with unique returning jsonb);
--| ERROR:  22030: duplicate JSON object key value
select json_object('a': 1, 'b': jsonb '[1]'), json_array(1, json '[ 1]', jsonb '[1]');
--|     json_object     |  json_array
--| --------------------+---------------
--|  {"a": 1, "b": [1]} | [1, [1], [1]]
--| (1 row)
select json_object(null: 1);
--| ERROR:  22004: null value not allowed for object key
select json_object(null: 1 returning jsonb);
--| ERROR:  22023: argument 1: key must not be null
select json_object('a': 1::int format json);
--| ERROR:  42804: cannot use non-string types with explicit FORMAT JSON clause
select json_object('a': '1'::text format json encoding utf8);
--| ERROR:  42804: JSON ENCODING clause is only allowed for bytea input type
select json_object('a': '1' format json encoding latin1);
--| ERROR:  22023: unrecognized JSON encoding: latin1
select json_object(returning text format json encoding utf8);
--| ERROR:  0A000: cannot set JSON encoding for non-bytea output types
select json_object(returning bytea format json encoding utf16);
--| ERROR:  0A000: unsupported JSON encoding
--| HINT:  Only UTF8 JSON encoding is supported.
select json_object('a': 1 returning int);
--| ERROR:  42846: cannot cast type json to integer
select json_array(), json_array(returning text), json_array('a', null, 1, array[1, 2]), json_array('[1 ]' format json, null null on null returning jsonb);
--|  json_array | json_array |   json_array    | json_array
--| ------------+------------+-----------------+-------------
--|  []         | []         | ["a", 1, [1,2]] | [[1], null]
--| (1 row)
select json_array(1, 2 returning varchar(3));
--| ERROR:  22001: value too long for type character varying(3)
select json_array(select i from (values (3), (1), (null), (2)) foo(i) order by i), json_array(values ('a'), ('b') returning jsonb), json_array(with x as (select 1) select * from x), json_array(select '[1 ]' format json returning text);
--|  json_array | json_array | json_array | json_array
--| ------------+------------+------------+------------
--|  [1, 2, 3]  | ["a", "b"] | [1]        | [[1 ]]
--| (1 row)
select json_array(select 1, 2);
--| ERROR:  42601: subquery must return only one column
select json_array(select from (values (1)) foo(i));
--| ERROR:  42601: subquery must return only one column
select json_array(select 1 where false) is null as is_null;
--|  is_null
--| ---------
--|  t
--| (1 row)
select json_objectagg(k: v) from (values (1, 'a'), (2, null)) t(k, v);
--|       json_objectagg
--| ---------------------------
--|  { "1" : "a", "2" : null }
--| (1 row)
select json_objectagg(k: v absent on null with unique keys returning jsonb), json_arrayagg(v order by k), json_arrayagg(v order by k desc null on null returning text) from (values (1, 'a'), (2, null), (3, 'c')) t(k, v);
--|     json_objectagg    | json_arrayagg |  json_arrayagg
--| ----------------------+---------------+------------------
--|  {"1": "a", "3": "c"} | ["a", "c"]    | ["c", null, "a"]
--| (1 row)
select json_objectagg(k: v with unique keys) from (values (1, 1), (1, null)) t(k, v);
--| ERROR:  22030: duplicate JSON object key value: "1"
select json_arrayagg(v format json), json_objectagg(v: j) from (values ('[1]', jsonb '2')) t(v, j);
--|  json_arrayagg | json_objectagg
--| ---------------+----------------
--|  [[1]]         | {"[1]": 2}
--| (1 row)
select v, v is json, v is not json, v is json value, v is json scalar, v is json array, v is json object, v is json object with unique keys from (values ('1'), ('"a" '), (' [1]'), ('{}'), ('{"a":1,"a":2}'), ('x'), (''), (null)) t(v);
--|        v       | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ---------------+----------+----------+----------+----------+----------+----------+----------
--|  1             | t        | f        | t        | t        | f        | f        | f
--|  "a"           | t        | f        | t        | t        | f        | f        | f
--|   [1]          | t        | f        | t        | f        | t        | f        | f
--|  {}            | t        | f        | t        | f        | f        | t        | t
--|  {"a":1,"a":2} | t        | f        | t        | f        | f        | t        | f
--|  x             | f        | t        | f        | f        | f        | f        | f
--|                | f        | t        | f        | f        | f        | f        | f
--|                |          |          |          |          |          |          |
--| (8 rows)
select json '{"a":1,"a":2}' is json with unique keys, jsonb '{"a":1}' is json object, '\x5b5d'::bytea is json array, null is json;
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  f        | t        | t        |
--| (1 row)
select 1 is json;
--| ERROR:  42804: cannot use type integer in IS JSON predicate
create table docs (j text check (j is json object), g json generated always as (json(j)) stored);
--| CREATE TABLE
insert into docs values ('{"a": 1}');
--| INSERT 0 1
insert into docs values ('[1]');
--| ERROR:  23514: new row for relation "docs" violates check constraint "docs_j_check"
--| DETAIL:  Failing row contains ([1], [1]).
select * from docs;
--|     j     |    g
--| ----------+----------
--|  {"a": 1} | {"a": 1}
--| (1 row)
create view json_made as select json_object('foo' : '1' format json, 'bar' : j absent on null with unique keys returning jsonb) as o, json_array('1' format json, 2 null on null) as a, json_array(returning text) as e, json(j) as p, json('{}' with unique keys) as u, json_scalar(1) as s, json_serialize(j) as t, j is json scalar as i, j is not json with unique keys as n from docs;
--| CREATE VIEW
select pg_get_viewdef('json_made');
--|                                                    pg_get_viewdef
--| ---------------------------------------------------------------------------------------------------------------------
--|   SELECT JSON_OBJECT('foo' : '1'::text FORMAT JSON, 'bar' : j ABSENT ON NULL WITH UNIQUE KEYS RETURNING jsonb) AS o,+
--|      JSON_ARRAY('1'::text FORMAT JSON, 2 NULL ON NULL RETURNING json) AS a,                                         +
--|      JSON_ARRAY( RETURNING text) AS e,                                                                              +
--|      JSON(j) AS p,                                                                                                  +
--|      JSON('{}'::text WITH UNIQUE KEYS) AS u,                                                                        +
--|      JSON_SCALAR(1) AS s,                                                                                           +
--|      JSON_SERIALIZE(j RETURNING text) AS t,                                                                         +
--|      (j IS JSON SCALAR) AS i,                                                                                       +
--|      (NOT (j IS JSON WITH UNIQUE KEYS)) AS n                                                                        +
--|     FROM docs;
--| (1 row)
select * from json_made;
--|                 o                |   a    | e  |    p     | u  | s |    t     | i | n
--| ---------------------------------+--------+----+----------+----+---+----------+---+---
--|  {"bar": "{\"a\": 1}", "foo": 1} | [1, 2] | [] | {"a": 1} | {} | 1 | {"a": 1} | f | f
--| (1 row)
drop view json_made;
--| DROP VIEW
drop table docs;
--| DROP TABLE
