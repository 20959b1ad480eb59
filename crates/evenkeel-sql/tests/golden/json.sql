-- json and jsonb: columns, indexes, COPY, statistics, subscripts, functions that return rows, aggregates.

create table docs (id int primary key, j json, b jsonb default '{}', list jsonb[]);
--| CREATE TABLE
insert into docs values (1, '{"a" : 1, "a":2}', '{"a" : 1, "a":2, "name": "x"}', null);
--| INSERT 0 1
insert into docs values (2, '[1,2]', '[1,2,{"k":null}]', '{1,"\"x\""}');
--| INSERT 0 1
insert into docs (id, j) values (3, null);
--| INSERT 0 1
insert into docs values (4, '{', '{}');
--| ERROR:  22P02: invalid input syntax for type json
--| DETAIL:  The input string ended unexpectedly.
--| CONTEXT:  JSON data, line 1: {
insert into docs values (4, '{}', '{"a":,}');
--| ERROR:  22P02: invalid input syntax for type json
--| DETAIL:  Expected JSON value, but found ",".
--| CONTEXT:  JSON data, line 1: {"a":,...
select * from docs order by id;
--|  id |        j         |           b           |    list
--| ----+------------------+-----------------------+-------------
--|   1 | {"a" : 1, "a":2} | {"a": 2, "name": "x"} |
--|   2 | [1,2]            | [1, 2, {"k": null}]   | {1,"\"x\""}
--|   3 |                  | {}                    |
--| (3 rows)
select id, b -> 'a' as a, b ->> 'name' as name, j -> 'a' as ja from docs order by id;
--|  id | a | name | ja
--| ----+---+------+----
--|   1 | 2 | x    | 2
--|   2 |   |      |
--|   3 |   |      |
--| (3 rows)
select id from docs where b @> '{"a":2}';
--|  id
--| ----
--|   1
--| (1 row)
select id from docs where b ? 'a' order by id;
--|  id
--| ----
--|   1
--| (1 row)
select id from docs where b ?| array['name', 'z'];
--|  id
--| ----
--|   1
--| (1 row)
select id, b['a'] as a, b['name'] as n from docs where id = 1;
--|  id | a |  n
--| ----+---+-----
--|   1 | 2 | "x"
--| (1 row)
select b[2]['k'] as k, b[-1] as last from docs where id = 2;
--|   k   |    last
--| ------+-------------
--|  null | {"k": null}
--| (1 row)
select ('{"a":{"b":[10,20]}}'::jsonb)['a']['b'][1];
--|  jsonb
--| -------
--|  20
--| (1 row)
select ('{"a":1}'::jsonb)[1.5];
--| ERROR:  42804: subscript type numeric is not supported
--| HINT:  jsonb subscript must be coercible to either integer or text.
select ('{"a":1}'::jsonb)[1:2];
--| ERROR:  42804: jsonb subscript does not support slices
create index on docs (b);
--| CREATE INDEX
create index on docs (j);
--| ERROR:  42704: data type json has no default operator class for access method "btree"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
select id from docs where b = '{"name":"x","a":2.0}';
--|  id
--| ----
--|   1
--| (1 row)
select id from docs where b > '{}' order by b;
--|  id
--| ----
--|   1
--| (1 row)
select id from docs order by b desc;
--|  id
--| ----
--|   1
--|   3
--|   2
--| (3 rows)
select b, count(*) from docs group by b order by b;
--|            b           | count
--| -----------------------+-------
--|  [1, 2, {"k": null}]   |     1
--|  {}                    |     1
--|  {"a": 2, "name": "x"} |     1
--| (3 rows)
select distinct b from docs order by 1;
--|            b
--| -----------------------
--|  [1, 2, {"k": null}]
--|  {}
--|  {"a": 2, "name": "x"}
--| (3 rows)
select distinct j from docs;
--| ERROR:  42883: could not identify an equality operator for type json
select j from docs order by j;
--| ERROR:  42883: could not identify an ordering operator for type json
--| HINT:  Use an explicit ordering operator or modify the query.
select j from docs group by j;
--| ERROR:  42883: could not identify an equality operator for type json
select j from docs union select j from docs;
--| ERROR:  42883: could not identify an equality operator for type json
select max(b) from docs;
--| ERROR:  42883: function max(jsonb) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
analyze docs;
--| ANALYZE
copy docs from stdin;
--< 10	{"x":  1}	{"x":  1}	{}
--< 11	\N	"a\\\\b"	\N
--| COPY 2
copy docs from stdin;
--< 12	{"x":  1	{"x":  1}	{}
--| ERROR:  22P02: invalid input syntax for type json
--| DETAIL:  The input string ended unexpectedly.
--| CONTEXT:  JSON data, line 1: {"x":  1
--| COPY docs, line 1, column j: "{"x":  1"
copy (select * from docs where id >= 10 order by id) to stdout;
--| 10	{"x":  1}	{"x": 1}	{}
--| 11	\N	"a\\\\b"	\N
copy (select * from docs where id >= 10 order by id) to stdout (format csv);
--| 10,"{""x"":  1}","{""x"": 1}",{}
--| 11,,"""a\\b""",
update docs set b = jsonb_set(b, '{y}', '[1]') where id = 10 returning b;
--|          b
--| --------------------
--|  {"x": 1, "y": [1]}
--| (1 row)
--| UPDATE 1
update docs set b = b || '{"z":1}' where b @> '{"x":1}' returning b;
--|              b
--| ----------------------------
--|  {"x": 1, "y": [1], "z": 1}
--| (1 row)
--| UPDATE 1
select format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'docs'::regclass and attnum in (2, 3, 4) order by attnum;
--|  format_type
--| -------------
--|  json
--|  jsonb
--|  jsonb[]
--| (3 rows)
select typname, typlen, typbyval, typalign, typstorage, typcategory from pg_type where typname in ('json', 'jsonb') order by 1;
--|  typname | typlen | typbyval | typalign | typstorage | typcategory
--| ---------+--------+----------+----------+------------+-------------
--|  json    |     -1 | f        | i        | x          | U
--|  jsonb   |     -1 | f        | i        | x          | U
--| (2 rows)
prepare p (jsonb) as select id from docs where b @> $1;
--| PREPARE
execute p ('{"a":2}');
--|  id
--| ----
--|   1
--| (1 row)
select * from jsonb_each('{"b":1,"a":[2],"c":null}');
--|  key | value
--| -----+-------
--|  a   | [2]
--|  b   | 1
--|  c   | null
--| (3 rows)
select * from jsonb_each_text('{"b":1,"a":"x","c":null}');
--|  key | value
--| -----+-------
--|  a   | x
--|  b   | 1
--|  c   |
--| (3 rows)
select * from json_each('{"b":1,"a":[2]}') as t(k, v);
--|  k |  v
--| ---+-----
--|  b | 1
--|  a | [2]
--| (2 rows)
select * from json_each_text('{"b":1,"a":"\u00e9"}');
--|  key | value
--| -----+-------
--|  b   | 1
--|  a   | é
--| (2 rows)
select * from jsonb_array_elements('[1,"x",null,[2]]') with ordinality;
--|  value | ordinality
--| -------+------------
--|  1     |          1
--|  "x"   |          2
--|  null  |          3
--|  [2]   |          4
--| (4 rows)
select * from jsonb_array_elements_text('[1,"x",null,[2]]') as e;
--|  value
--| -------
--|  1
--|  x
--|
--|  [2]
--| (4 rows)
select value from json_array_elements('[1,"x", null , [2 ]]');
--|  value
--| -------
--|  1
--|  "x"
--|  null
--|  [2 ]
--| (4 rows)
select * from json_array_elements_text('[1,"x",null,[2]]');
--|  value
--| -------
--|  1
--|  x
--|
--|  [2]
--| (4 rows)
select * from jsonb_object_keys('{"b":1,"a":2}');
--|  jsonb_object_keys
--| -------------------
--|  a
--|  b
--| (2 rows)
select json_object_keys('{"b":1,"a":2}');
--|  json_object_keys
--| ------------------
--|  b
--|  a
--| (2 rows)
select jsonb_each('{"b":1,"a":[2]}');
--|  jsonb_each
--| ------------
--|  (a,[2])
--|  (b,1)
--| (2 rows)
select jsonb_array_elements('[1,2]') as e;
--|  e
--| ---
--|  1
--|  2
--| (2 rows)
select * from jsonb_each('[1]');
--| ERROR:  22023: cannot call jsonb_each on a non-object
select * from jsonb_each('1');
--| ERROR:  22023: cannot call jsonb_each on a non-object
select * from jsonb_array_elements('{}');
--| ERROR:  22023: cannot extract elements from an object
select * from jsonb_array_elements('1');
--| ERROR:  22023: cannot extract elements from a scalar
select * from jsonb_object_keys('[1]');
--| ERROR:  22023: cannot call jsonb_object_keys on an array
select * from jsonb_object_keys('1');
--| ERROR:  22023: cannot call jsonb_object_keys on a scalar
select * from json_each('[1]');
--| ERROR:  22023: cannot deconstruct an array as an object
select * from json_each('1');
--| ERROR:  22023: cannot deconstruct a scalar
select * from json_array_elements('{}');
--| ERROR:  22023: cannot call json_array_elements on a non-array
select * from json_array_elements('1');
--| ERROR:  22023: cannot call json_array_elements on a scalar
select * from json_object_keys('[1]');
--| ERROR:  22023: cannot call json_object_keys on an array
select * from jsonb_each(null);
--|  key | value
--| -----+-------
--| (0 rows)
select id, e from docs, jsonb_array_elements(b) as e where id = 2 order by 2;
--|  id |      e
--| ----+-------------
--|   2 | 1
--|   2 | 2
--|   2 | {"k": null}
--| (3 rows)
select d.id, k, v from docs d cross join lateral jsonb_each(d.b) as x(k, v) where d.id in (1, 10) order by 1, 2;
--|  id |  k   |  v
--| ----+------+-----
--|   1 | a    | 2
--|   1 | name | "x"
--|  10 | x    | 1
--|  10 | y    | [1]
--|  10 | z    | 1
--| (5 rows)
select json_agg(id order by id), jsonb_agg(id order by id) from docs where id < 4;
--|  json_agg  | jsonb_agg
--| -----------+-----------
--|  [1, 2, 3] | [1, 2, 3]
--| (1 row)
select json_agg(x), jsonb_agg(x) from (values (1, 'a'), (2, null)) as x(n, t);
--|       json_agg      |                 jsonb_agg
--| --------------------+-------------------------------------------
--|  [{"n":1,"t":"a"}, +| [{"n": 1, "t": "a"}, {"n": 2, "t": null}]
--|   {"n":2,"t":null}] |
--| (1 row)
select json_agg(x order by n) from (values (1, 'a'), (2, null)) as x(n, t);
--|       json_agg
--| --------------------
--|  [{"n":1,"t":"a"}, +
--|   {"n":2,"t":null}]
--| (1 row)
select row_to_json(x), to_jsonb(x), to_json(x) from (values (1, 'a')) as x(n, t);
--|    row_to_json   |      to_jsonb      |     to_json
--| -----------------+--------------------+-----------------
--|  {"n":1,"t":"a"} | {"n": 1, "t": "a"} | {"n":1,"t":"a"}
--| (1 row)
select row_to_json(x, true) from (values (1, 'a')) as x(n, t);
--|  row_to_json
--| -------------
--|  {"n":1,    +
--|   "t":"a"}
--| (1 row)
select row_to_json(docs) from docs where id = 1;
--|                              row_to_json
--| ---------------------------------------------------------------------
--|  {"id":1,"j":{"a" : 1, "a":2},"b":{"a": 2, "name": "x"},"list":null}
--| (1 row)
select json_build_object('doc', d, 'n', 1) from docs d where id = 2;
--|                               json_build_object
--| ------------------------------------------------------------------------------
--|  {"doc" : {"id":2,"j":[1,2],"b":[1, 2, {"k": null}],"list":[1,"x"]}, "n" : 1}
--| (1 row)
select json_object_agg(k, v), jsonb_object_agg(k, v) from (values ('b', 1), ('a', 2), ('b', 3)) as x(k, v);
--|         json_object_agg        | jsonb_object_agg
--| -------------------------------+------------------
--|  { "b" : 1, "a" : 2, "b" : 3 } | {"a": 2, "b": 3}
--| (1 row)
select json_object_agg(k, v) from (values ('a', 1), (null, 2)) as x(k, v);
--| ERROR:  22004: null value not allowed for object key
select jsonb_object_agg(k, v) from (values ('a', 1), (null, 2)) as x(k, v);
--| ERROR:  22023: field name must not be null
select json_object_agg_strict(k, v), jsonb_object_agg_strict(k, v) from (values ('b', 1), ('a', null)) as x(k, v);
--|  json_object_agg_strict | jsonb_object_agg_strict
--| ------------------------+-------------------------
--|  { "b" : 1 }            | {"b": 1}
--| (1 row)
select json_object_agg_unique(k, v) from (values ('b', 1), ('b', 2)) as x(k, v);
--| ERROR:  22030: duplicate JSON object key value: "b"
select jsonb_object_agg_unique(k, v) from (values ('b', 1), ('b', 2)) as x(k, v);
--| ERROR:  22030: duplicate JSON object key value
select json_object_agg_unique_strict(k, v), jsonb_object_agg_unique_strict(k, v) from (values ('b', 1), ('a', null)) as x(k, v);
--|  json_object_agg_unique_strict | jsonb_object_agg_unique_strict
--| -------------------------------+--------------------------------
--|  { "b" : 1 }                   | {"b": 1}
--| (1 row)
select json_agg_strict(v), jsonb_agg_strict(v) from (values (1), (null), (2)) as x(v);
--|  json_agg_strict | jsonb_agg_strict
--| -----------------+------------------
--|  [1, 2]          | [1, 2]
--| (1 row)
select json_agg(v), jsonb_agg(v), json_object_agg(v, v), jsonb_object_agg(v, v) from (values (1)) as x(v) where false;
--|  json_agg | jsonb_agg | json_object_agg | jsonb_object_agg
--| ----------+-----------+-----------------+------------------
--|           |           |                 |
--| (1 row)
select json_agg(v) from (values (array[1, 2]), (array[3])) as x(v);
--|  json_agg
--| ----------
--|  [[1,2], +
--|   [3]]
--| (1 row)
select id, json_agg(e) from (select 1 as id, 'x'::text as e) as s group by id;
--|  id | json_agg
--| ----+----------
--|   1 | ["x"]
--| (1 row)
select pg_typeof(j), pg_typeof(b), pg_typeof(b -> 'a'), pg_typeof(b ->> 'a') from docs where id = 1;
--|  pg_typeof | pg_typeof | pg_typeof | pg_typeof
--| -----------+-----------+-----------+-----------
--|  json      | jsonb     | jsonb     | text
--| (1 row)
select '{"a":1}' -> 'a';
--| ERROR:  42725: operator is not unique: unknown -> unknown
--| HINT:  Could not choose a best candidate operator. You might need to add explicit type casts.
select j = j from docs;
--| ERROR:  42883: operator does not exist: json = json
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select '{"a":1}'::jsonb #> '{a}', '[1,2]'::jsonb - 0, '{"a":1}'::jsonb #- '{a}';
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  1        | [2]      | {}
--| (1 row)
select case when b @> '{"a":2}' then 'yes' else 'no' end from docs where id < 3 order by id;
--|  case
--| ------
--|  yes
--|  no
--| (2 rows)
select coalesce(b ->> 'name', 'none') from docs where id < 4 order by id;
--|  coalesce
--| ----------
--|  x
--|  none
--|  none
--| (3 rows)
select (b ->> 'a')::int + 1 as n from docs where id = 1;
--|  n
--| ---
--|  3
--| (1 row)
select (b -> 'a')::int + 1 as n from docs where id = 1;
--|  n
--| ---
--|  3
--| (1 row)
select e ->> 'k' as k from jsonb_array_elements('[{"k":1},{"k":2}]') as e;
--|  k
--| ---
--|  1
--|  2
--| (2 rows)
select jsonb_agg(e order by e desc) from docs d, jsonb_array_elements(d.b) as e where id = 2;
--|       jsonb_agg
--| ---------------------
--|  [{"k": null}, 2, 1]
--| (1 row)
select count(x), x from unnest(array[1, 2, 2]) as x group by x order by x;
--|  count | x
--| -------+---
--|      1 | 1
--|      2 | 2
--| (2 rows)

-- An empty value has no paths that could be wrong.
select '[]'::jsonb #- '{b}', '[]'::jsonb #- '{b,c}', '{}'::jsonb #- '{b}', jsonb_set('[]', '{b}', '1', false);
--|  ?column? | ?column? | ?column? | jsonb_set
--| ----------+----------+----------+-----------
--|  []       | []       | {}       | []
--| (1 row)
select '[1]'::jsonb #- '{b}';
--| ERROR:  22P02: path element at position 1 is not an integer: "b"
select jsonb_set('[]', '{b}', '1');
--| ERROR:  22P02: path element at position 1 is not an integer: "b"
select '[[]]'::jsonb #- '{0,c}';
--| ERROR:  22P02: path element at position 2 is not an integer: "c"
