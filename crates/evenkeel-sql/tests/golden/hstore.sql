-- The extension hstore: texts by their keys.
SELECT 'a=>1'::hstore;
--| ERROR:  42704: type "hstore" does not exist
SELECT akeys('a=>1');
--| ERROR:  42883: function akeys(unknown) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
SELECT * FROM each('a=>1');
--| ERROR:  42883: function each(unknown) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
SELECT hstore('a', 'b');
--| ERROR:  42883: function hstore(unknown, unknown) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
SELECT '{"a":1}' ? 'a', '{"a":1}' @> '{}';
--| ERROR:  42725: operator is not unique: unknown @> unknown
--| HINT:  Could not choose a best candidate operator. You might need to add explicit type casts.
CREATE EXTENSION hstore;
--| CREATE EXTENSION
SELECT extname, extversion, extnamespace::regnamespace FROM pg_extension WHERE extname = 'hstore';
--|  extname | extversion | extnamespace
--| ---------+------------+--------------
--|  hstore  | 1.8        | public
--| (1 row)
SELECT typname, typcategory, typlen, typarray = to_regtype('hstore[]') AS is_array, typnamespace::regnamespace, oid::regtype FROM pg_type WHERE typname = 'hstore';
--|  typname | typcategory | typlen | is_array | typnamespace |  oid
--| ---------+-------------+--------+----------+--------------+--------
--|  hstore  | U           |     -1 | t        | public       | hstore
--| (1 row)
SELECT t.typname AS name, t.oid = 'hstore'::regtype AS oid, t.typarray = 'hstore[]'::regtype AS array_oid, t.oid::regtype::text AS regtype, t.typdelim AS delimiter FROM pg_type t WHERE t.oid = to_regtype('hstore') ORDER BY t.oid;
--|   name  | oid | array_oid | regtype | delimiter
--| --------+-----+-----------+---------+-----------
--|  hstore | t   | t         | hstore  | ,
--| (1 row)
-- Texts.
SELECT ''::hstore, 'a=>b'::hstore, ' a =>  b '::hstore, 'a=>b,c=>d'::hstore, '"a"=>"b" , "c d"=>"e, f"'::hstore, 'a=>null, b=>"null", c=>NuLL, d=>nul\l'::hstore;
--|  hstore |  hstore  |  hstore  |       hstore       |         hstore          |                    hstore
--| --------+----------+----------+--------------------+-------------------------+----------------------------------------------
--|         | "a"=>"b" | "a"=>"b" | "a"=>"b", "c"=>"d" | "a"=>"b", "c d"=>"e, f" | "a"=>NULL, "b"=>"null", "c"=>NULL, "d"=>NULL
--| (1 row)
SELECT 'a=>1, a=>2'::hstore, 'bb=>1, a=>2, ab=>3, c=>4'::hstore, 'é=>1, z=>2, yy=>3'::hstore, E'"a\\"b\\\\"=>"c\\"d"'::hstore, '""=>""'::hstore, 'a=>,b'::hstore, 'a=>"b",'::hstore, 'a,b=>c=d'::hstore;
--|   hstore  |                  hstore                  |            hstore             |      hstore      | hstore |  hstore   |  hstore  |    hstore
--| ----------+------------------------------------------+-------------------------------+------------------+--------+-----------+----------+--------------
--|  "a"=>"1" | "a"=>"2", "c"=>"4", "ab"=>"3", "bb"=>"1" | "z"=>"2", "yy"=>"3", "é"=>"1" | "a\"b\\"=>"c\"d" | ""=>"" | "a"=>",b" | "a"=>"b" | "a,b"=>"c=d"
--| (1 row)
SELECT E'\\a=>q=w'::hstore, E'\\"a=>q=w'::hstore, E'\\"a=>q\\ w'::hstore, E'"a"=>"b\nc"'::hstore, E'\ta\n=>\r1'::hstore;
--|    hstore   |    hstore    |    hstore    | hstore  |  hstore
--| ------------+--------------+--------------+---------+----------
--|  "a"=>"q=w" | "\"a"=>"q=w" | "\"a"=>"q w" | "a"=>"b+| "a"=>"1"
--|             |              |              | c"      |
--| (1 row)
SELECT 'a'::hstore;
--| ERROR:  42601: syntax error in hstore: unexpected end of string
SELECT 'a='::hstore;
--| ERROR:  42601: syntax error in hstore: unexpected end of string
SELECT 'a=b'::hstore;
--| ERROR:  42601: syntax error in hstore, near "b" at position 2
SELECT 'a=>'::hstore;
--| ERROR:  42601: syntax error in hstore: unexpected end of string
SELECT '=>b'::hstore;
--| ERROR:  42601: syntax error in hstore, near "=" at position 0
SELECT 'a=>"b'::hstore;
--| ERROR:  42601: syntax error in hstore: unexpected end of string
SELECT 'a=>"b"c'::hstore;
--| ERROR:  42601: syntax error in hstore, near "c" at position 6
SELECT 'a b=>c'::hstore;
--| ERROR:  42601: syntax error in hstore, near "b" at position 2
SELECT 'aé=>1 é'::hstore;
--| ERROR:  42601: syntax error in hstore, near "é" at position 7
SELECT 'a=>1, =>2'::hstore;
--| ERROR:  42601: syntax error in hstore, near "=" at position 6
SELECT 'a=>1\'::hstore;
--| ERROR:  42601: syntax error in hstore: unexpected end of string
SELECT pg_input_is_valid('a=>b', 'hstore'), pg_input_is_valid('a', 'hstore');
--|  pg_input_is_valid | pg_input_is_valid
--| -------------------+-------------------
--|  t                 | f
--| (1 row)
SELECT '{"a=>1","b=>\"x, y\"",NULL}'::hstore[], array_agg(h) FROM (VALUES ('a=>1'::hstore), (NULL)) v(h);
--|                  hstore                  |       array_agg
--| -----------------------------------------+-----------------------
--|  {"\"a\"=>\"1\"","\"b\"=>\"x, y\"",NULL} | {"\"a\"=>\"1\"",NULL}
--| (1 row)
SELECT 'a=>1'::hstore::text, 'a=>1'::text::hstore, 'a=>1'::varchar::hstore, length('b=>NULL'::hstore::text);
--|    text   |  hstore  |  hstore  | length
--| ----------+----------+----------+--------
--|  "a"=>"1" | "a"=>"1" | "a"=>"1" |      9
--| (1 row)
-- Operators.
SELECT 'a=>1, b=>NULL'::hstore -> 'a' AS a, 'a=>1, b=>NULL'::hstore -> 'b' AS b, 'a=>1'::hstore -> 'c' AS c, 'a=>1,b=>2'::hstore -> '{b,c,NULL,a}'::text[] AS many, 'a=>1,b=>2'::hstore -> ARRAY[['a','b'],['c','a']] AS deep, 'a=>1'::hstore -> '{}'::text[] AS none;
--|  a | b | c |      many       |       deep       | none
--| ---+---+---+-----------------+------------------+------
--|  1 |   |   | {2,NULL,NULL,1} | {{1,2},{NULL,1}} | {}
--| (1 row)
SELECT 'a=>1, b=>2'::hstore || 'b=>3, c=>NULL', 'a=>1'::hstore || '', ''::hstore || 'x=>y', 'a=>1'::hstore || NULL, pg_typeof('a=>1'::hstore || 'b=>2'::text);
--|            ?column?            | ?column? | ?column? | ?column? | pg_typeof
--| -------------------------------+----------+----------+----------+-----------
--|  "a"=>"1", "b"=>"3", "c"=>NULL | "a"=>"1" | "x"=>"y" |          | text
--| (1 row)
SELECT 'a=>NULL'::hstore ? 'a', 'a=>1'::hstore ? 'b', 'a=>1,b=>2'::hstore ?& ARRAY['a', 'b'], 'a=>1'::hstore ?& '{a,b}', 'a=>1'::hstore ?| '{a,b}', 'a=>1'::hstore ?| '{}', 'a=>1'::hstore ?& '{}', 'a=>1'::hstore ?& '{NULL,a}';
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------+----------
--|  t        | f        | t        | f        | t        | f        | t        | t
--| (1 row)
SELECT 'a=>1, b=>2'::hstore @> 'b=>2', 'a=>1'::hstore @> 'a=>2', 'a=>NULL'::hstore @> 'a=>NULL', 'a=>1'::hstore @> 'a=>NULL', 'a=>1'::hstore @> '', 'a=>1'::hstore <@ 'a=>1, b=>2', 'a=>1, c=>3'::hstore <@ 'a=>1, b=>2';
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------
--|  t        | f        | t        | f        | t        | t        | f
--| (1 row)
SELECT 'a=>1, b=>2, c=>3'::hstore - 'b'::text, 'a=>1, b=>2, c=>3'::hstore - ARRAY['a', 'b', 'x', NULL], 'a=>1, b=>2, c=>NULL'::hstore - 'a=>4, b=>2, c=>NULL'::hstore, 'a=>1'::hstore - 'a=>1';
--|       ?column?      | ?column? | ?column? | ?column?
--| --------------------+----------+----------+----------
--|  "a"=>"1", "c"=>"3" | "c"=>"3" | "a"=>"1" |
--| (1 row)
SELECT 'a=>1'::hstore - 'a';
--| ERROR:  42601: syntax error in hstore: unexpected end of string
SELECT %% 'a=>foo, b=>NULL'::hstore, %# 'a=>foo, b=>NULL'::hstore, %%''::hstore, %#''::hstore, array_dims(%# 'a=>1,b=>2'::hstore), %%'b=>1'::hstore || '{x}';
--|     ?column?    |      ?column?      | ?column? | ?column? | array_dims | ?column?
--| ----------------+--------------------+----------+----------+------------+----------
--|  {a,foo,b,NULL} | {{a,foo},{b,NULL}} | {}       | {}       | [1:2][1:2] | {b,1,x}
--| (1 row)
SELECT 'a=>1, b=>2'::hstore = 'b=>2, a=>1', 'a=>1'::hstore <> 'a=>2', 'a=>1'::hstore <> 'a=>1', 'a=>1'::hstore IS DISTINCT FROM NULL, 'a=>1'::hstore IN ('a=>2', 'a=>1'), 'a=>1'::hstore = ANY ('{"a=>1"}');
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------
--|  t        | t        | f        | t        | t        | t
--| (1 row)
SELECT 'a=>1'::hstore < 'a=>2'::hstore;
--| ERROR:  42883: operator does not exist: hstore < hstore
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
SELECT 'a=>1'::hstore >= 'a=>2';
--| ERROR:  42883: operator does not exist: hstore >= unknown
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
SELECT 'a=>1'::hstore #<# 'a=>2', 'a=>1'::hstore #<=# 'a=>1', 'a=>1'::hstore #># '', 'a=>1'::hstore #>=# 'b=>1', hstore_cmp('a=>1', 'a=>2'), hstore_eq('a=>1', 'a=>1'), hstore_ne('', ''), hstore_lt('', 'a=>b'), hstore_ge('', '');
--|  ?column? | ?column? | ?column? | ?column? | hstore_cmp | hstore_eq | hstore_ne | hstore_lt | hstore_ge
--| ----------+----------+----------+----------+------------+-----------+-----------+-----------+-----------
--|  t        | t        | t        | f        |         -1 | t         | f         | t         | t
--| (1 row)
SELECT h FROM unnest('{"b=>1","","a=>NULL","a=>\"\"","ab=>1","a=>b1","\"\"=>\"\"","a=>2,b=>1",NULL,"a=>1"}'::hstore[]) h ORDER BY h;
--|          h
--| --------------------
--|
--|  ""=>""
--|  "a"=>""
--|  "a"=>NULL
--|  "a"=>"1"
--|  "a"=>"2", "b"=>"1"
--|  "a"=>"b1"
--|  "ab"=>"1"
--|  "b"=>"1"
--|
--| (10 rows)
SELECT h FROM unnest('{"b=>1","","a=>NULL","a=>\"\"","ab=>1","a=>b1","\"\"=>\"\"","a=>2,b=>1",NULL,"a=>1"}'::hstore[]) h ORDER BY h DESC;
--|          h
--| --------------------
--|
--|  "b"=>"1"
--|  "ab"=>"1"
--|  "a"=>"b1"
--|  "a"=>"2", "b"=>"1"
--|  "a"=>"1"
--|  "a"=>NULL
--|  "a"=>""
--|  ""=>""
--|
--| (10 rows)
SELECT h, count(*) FROM unnest('{"b=>1,a=>2","a=>2,b=>1","",""}'::hstore[]) h GROUP BY h ORDER BY h;
--|          h          | count
--| --------------------+-------
--|                     |     2
--|  "a"=>"2", "b"=>"1" |     2
--| (2 rows)
SELECT DISTINCT h FROM unnest('{"b=>1,a=>2","a=>2,b=>1"}'::hstore[]) h;
--|          h
--| --------------------
--|  "a"=>"2", "b"=>"1"
--| (1 row)
SELECT greatest('a=>1'::hstore, 'b=>1'), least('a=>1'::hstore, ''), '{"a=>1"}'::hstore[] < '{"a=>2"}'::hstore[], ROW('a=>1'::hstore) = ROW('a=>1'::hstore);
--|  greatest | least | ?column? | ?column?
--| ----------+-------+----------+----------
--|  "b"=>"1" |       | t        | t
--| (1 row)
SELECT max('a=>1'::hstore);
--| ERROR:  42883: function max(hstore) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
SELECT 5 ? 'a';
--| ERROR:  42883: operator does not exist: integer ? unknown
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
SELECT %% 5;
--| ERROR:  42883: operator does not exist: %% integer
--| HINT:  No operator matches the given name and argument type. You might need to add an explicit type cast.
-- Functions.
SELECT hstore('a', 'b'), hstore('a', NULL), hstore(NULL, 'b'), hstore('a=>1'), hstore('a=>1'::text), tconvert('k', 'v');
--|   hstore  |  hstore   | hstore |  hstore  |  hstore  | tconvert
--| ----------+-----------+--------+----------+----------+----------
--|  "a"=>"b" | "a"=>NULL |        | "a"=>"1" | "a"=>"1" | "k"=>"v"
--| (1 row)
SELECT hstore(ARRAY['a', '1', 'b', NULL]), hstore(ARRAY[['c', '3'], ['d', '4']]), hstore('{}'::text[]), ARRAY['x', 'y']::hstore, '{{a,1}}'::text[]::hstore;
--|        hstore        |       hstore       | hstore |  array   |  hstore
--| ---------------------+--------------------+--------+----------+----------
--|  "a"=>"1", "b"=>NULL | "c"=>"3", "d"=>"4" |        | "x"=>"y" | "a"=>"1"
--| (1 row)
SELECT hstore(ARRAY['a', '1', 'b']);
--| ERROR:  2202E: array must have even number of elements
SELECT hstore(ARRAY[['a', '1', 'b']]);
--| ERROR:  2202E: array must have two columns
SELECT hstore('{{{a,b}}}'::text[]);
--| ERROR:  2202E: wrong number of array subscripts
SELECT hstore(ARRAY[NULL, 'a']);
--| ERROR:  22004: null value not allowed for hstore key
SELECT hstore(ARRAY['a', 'b'], ARRAY['1', NULL]), hstore(ARRAY['a', 'b'], NULL), hstore(NULL::text[], ARRAY['1']), hstore('{}'::text[], '{}');
--|        hstore        |        hstore        | hstore | hstore
--| ---------------------+----------------------+--------+--------
--|  "a"=>"1", "b"=>NULL | "a"=>NULL, "b"=>NULL |        |
--| (1 row)
SELECT hstore(ARRAY['a', 'b'], ARRAY['1']);
--| ERROR:  2202E: arrays must have same bounds
SELECT hstore(ARRAY[['a', 'b']], ARRAY['1']);
--| ERROR:  2202E: wrong number of array subscripts
SELECT hstore(ARRAY[NULL, 'b'], ARRAY['1', '2']);
--| ERROR:  22004: null value not allowed for hstore key
SELECT hstore(ROW(1, 'x', NULL, true)), hstore(ROW());
--|                    hstore                    | hstore
--| ---------------------------------------------+--------
--|  "f1"=>"1", "f2"=>"x", "f3"=>NULL, "f4"=>"t" |
--| (1 row)
SELECT hstore(v) FROM (VALUES (1, 'one'), (2, NULL)) v(num, name);
--|           hstore
--| ---------------------------
--|  "num"=>"1", "name"=>"one"
--|  "num"=>"2", "name"=>NULL
--| (2 rows)
SELECT hstore(5);
--| ERROR:  42883: function hstore(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
SELECT akeys('a=>1, b=>NULL'), avals('a=>1, b=>NULL'), akeys(''), avals(''::hstore), hstore_to_array('a=>1, b=>NULL'), hstore_to_matrix('a=>1, b=>NULL'), hstore_to_matrix('');
--|  akeys |  avals   | akeys | avals | hstore_to_array | hstore_to_matrix | hstore_to_matrix
--| -------+----------+-------+-------+-----------------+------------------+------------------
--|  {a,b} | {1,NULL} | {}    | {}    | {a,1,b,NULL}    | {{a,1},{b,NULL}} | {}
--| (1 row)
SELECT skeys('a=>1, b=>NULL'), svals('a=>1, b=>NULL');
--|  skeys | svals
--| -------+-------
--|  a     | 1
--|  b     |
--| (2 rows)
SELECT * FROM skeys('bb=>1, a=>NULL') k, svals('x=>y') v;
--|  k  | v
--| ----+---
--|  a  | y
--|  bb | y
--| (2 rows)
SELECT * FROM each('b=>NULL, a=>1');
--|  key | value
--| -----+-------
--|  a   | 1
--|  b   |
--| (2 rows)
SELECT (each('b=>NULL, a=>1')).*;
--|  key | value
--| -----+-------
--|  a   | 1
--|  b   |
--| (2 rows)
SELECT each('a=>1');
--|  each
--| -------
--|  (a,1)
--| (1 row)
SELECT slice('a=>1, b=>2, c=>NULL', ARRAY['c', 'a', 'x', 'a', NULL]), slice_array('a=>1', '{x,a}'), exist('a=>NULL', 'a'), defined('a=>NULL', 'a'), isexists('a=>1', 'b'), isdefined('a=>1', 'a'), fetchval('a=>1', 'a'), exists_any('a=>1', '{a}'), exists_all('a=>1', '{a,b}');
--|         slice        | slice_array | exist | defined | isexists | isdefined | fetchval | exists_any | exists_all
--| ---------------------+-------------+-------+---------+----------+-----------+----------+------------+------------
--|  "a"=>"1", "c"=>NULL | {NULL,1}    | t     | f       | f        | t         | 1        | t          | f
--| (1 row)
SELECT delete('a=>1, b=>2', 'b'::text), delete('a=>1, b=>2', ARRAY['a', 'b']), delete('a=>1, b=>2', 'a=>4, b=>2'::hstore), hs_concat('a=>1', 'a=>2'), hs_contains('a=>1', ''), hs_contained('a=>1', '');
--|   delete  | delete |  delete  | hs_concat | hs_contains | hs_contained
--| ----------+--------+----------+-----------+-------------+--------------
--|  "a"=>"1" |        | "a"=>"1" | "a"=>"2"  | t           | f
--| (1 row)
SELECT hstore_to_json('"a key"=>1, b=>t, c=>NULL, d=>"x\"y"'), hstore_to_json(''), 'a=>1'::hstore::json;
--|                   hstore_to_json                  | hstore_to_json |    json
--| --------------------------------------------------+----------------+------------
--|  {"b": "t", "c": null, "d": "x\"y", "a key": "1"} | {}             | {"a": "1"}
--| (1 row)
SELECT hstore_to_json_loose('a=>1, b=>t, c=>NULL, d=>f, e=>012, f=>-1.5e3, g=>true, h=>1., i=>"", j=>+1, k=>0, l=>-'), hstore_to_jsonb_loose('a=>1, b=>t, c=>NULL, d=>f, e=>012, f=>-1.5e3, g=>true');
--|                                                        hstore_to_json_loose                                                        |                              hstore_to_jsonb_loose
--| -----------------------------------------------------------------------------------------------------------------------------------+---------------------------------------------------------------------------------
--|  {"a": 1, "b": true, "c": null, "d": false, "e": "012", "f": -1.5e3, "g": "true", "h": "1.", "i": "", "j": "+1", "k": 0, "l": "-"} | {"a": 1, "b": true, "c": null, "d": false, "e": "012", "f": -1500, "g": "true"}
--| (1 row)
SELECT hstore_to_jsonb('bb=>1, a=>t, c=>NULL'), 'a=>1'::hstore::jsonb, to_json('a=>1'::hstore), to_jsonb('a=>1'::hstore), json_build_object('h', 'a=>NULL'::hstore), row_to_json(ROW('a=>1'::hstore)), jsonb_agg(h), json_agg(h) FROM unnest('{"a=>1"}'::hstore[]) h;
--|          hstore_to_jsonb          |   jsonb    |  to_json   |  to_jsonb  |  json_build_object  |    row_to_json    |  jsonb_agg   |   json_agg
--| ----------------------------------+------------+------------+------------+---------------------+-------------------+--------------+--------------
--|  {"a": "t", "c": null, "bb": "1"} | {"a": "1"} | {"a": "1"} | {"a": "1"} | {"h" : {"a": null}} | {"f1":{"a": "1"}} | [{"a": "1"}] | [{"a": "1"}]
--| (1 row)
SELECT json_build_object('a=>1'::hstore, 1);
--| ERROR:  22023: key value must be scalar, not array, composite, or json
SELECT '{"a": 1}'::json::hstore;
--| ERROR:  42846: cannot cast type json to hstore
-- Rows.
CREATE TYPE kind AS (id int, name varchar(4), price numeric, tags hstore);
--| CREATE TYPE
CREATE TABLE item (id int, name varchar(4), price numeric DEFAULT 1, tags hstore, k kind);
--| CREATE TABLE
INSERT INTO item VALUES (1, 'one', 2.50, 'a=>1', ROW(5, 'k', 1, 'x=>y')), (2, NULL, NULL, NULL, NULL);
--| INSERT 0 2
SELECT hstore(item) FROM item ORDER BY id;
--|                                                    hstore
--| ------------------------------------------------------------------------------------------------------------
--|  "k"=>"(5,k,1,\"\"\"x\"\"=>\"\"y\"\"\")", "id"=>"1", "name"=>"one", "tags"=>"\"a\"=>\"1\"", "price"=>"2.50"
--|  "k"=>NULL, "id"=>"2", "name"=>NULL, "tags"=>NULL, "price"=>NULL
--| (2 rows)
SELECT hstore(i.*) -> 'price' FROM item i ORDER BY id;
--|  ?column?
--| ----------
--|  2.50
--|
--| (2 rows)
SELECT hstore(NULL::kind);
--|                         hstore
--| -------------------------------------------------------
--|  "id"=>NULL, "name"=>NULL, "tags"=>NULL, "price"=>NULL
--| (1 row)
SELECT populate_record(NULL::kind, 'id=>7, name=>"xyz", other=>1'), populate_record(ROW(1, 'a', 2, NULL)::kind, 'id=>NULL, price=>3.25'), populate_record(NULL::kind, NULL), populate_record(ROW(1, 'a', 2, NULL)::kind, NULL), populate_record(ROW(1, 'a', 2, NULL)::kind, '');
--|  populate_record | populate_record | populate_record | populate_record | populate_record
--| -----------------+-----------------+-----------------+-----------------+-----------------
--|  (7,xyz,,)       | (,a,3.25,)      |                 | (1,a,2,)        | (1,a,2,)
--| (1 row)
SELECT * FROM populate_record(NULL::kind, 'id=>7, tags=>"b=>2"');
--|  id | name | price |   tags
--| ----+------+-------+----------
--|   7 |      |       | "b"=>"2"
--| (1 row)
SELECT (item #= 'price=>9, tags=>"\"x\"=>1"').* FROM item ORDER BY id;
--|  id | name | price |   tags   |           k
--| ----+------+-------+----------+------------------------
--|   1 | one  |     9 | "x"=>"1" | (5,k,1,"""x""=>""y""")
--|   2 |      |     9 | "x"=>"1" |
--| (2 rows)
SELECT item #= hstore('name', 'abcd') FROM item ORDER BY id;
--|                             ?column?
--| -----------------------------------------------------------------
--|  (1,abcd,2.50,"""a""=>""1""","(5,k,1,""""""x""""=>""""y"""""")")
--|  (2,abcd,,,)
--| (2 rows)
SELECT k #= 'id=>8', hstore(k), hstore((k).tags || 'q=>r') FROM item ORDER BY id;
--|         ?column?        |                            hstore                            |       hstore
--| ------------------------+--------------------------------------------------------------+--------------------
--|  (8,k,1,"""x""=>""y""") | "id"=>"5", "name"=>"k", "tags"=>"\"x\"=>\"y\"", "price"=>"1" | "q"=>"r", "x"=>"y"
--|  (8,,,)                 | "id"=>NULL, "name"=>NULL, "tags"=>NULL, "price"=>NULL        |
--| (2 rows)
SELECT r.name FROM populate_record(ROW(1, 'a', 2, NULL)::kind, 'name=>"zz"') r;
--|  name
--| ------
--|  zz
--| (1 row)
SELECT * FROM item i, populate_record(i, 'name=>"zz"') r;
--| ERROR:  0A000: populate_record of a row of no composite type is not supported in FROM
SELECT populate_record(NULL::kind, 'name=>toolong');
--| ERROR:  22001: value too long for type character varying(4)
SELECT populate_record(NULL::kind, 'id=>x');
--| ERROR:  22P02: invalid input syntax for type integer: "x"
SELECT populate_record(1, 'id=>x');
--| ERROR:  42804: first argument must be a rowtype
-- Subscripts.
SELECT ('a=>1, b=>2'::hstore)['b'], ('a=>1'::hstore)['c'], ('a=>1'::hstore)[NULL], tags['a'] FROM item ORDER BY id;
--|  hstore | hstore | hstore | tags
--| --------+--------+--------+------
--|  2      |        |        | 1
--|  2      |        |        |
--| (2 rows)
SELECT ('a=>1'::hstore)['a']['b'];
--| ERROR:  0A000: hstore allows only one subscript
SELECT ('a=>1'::hstore)['a':'b'];
--| ERROR:  0A000: hstore allows only one subscript
SELECT ('a=>1'::hstore)[1];
--|  hstore
--| --------
--|
--| (1 row)
UPDATE item SET tags['b'] = 'two', tags['a'] = NULL RETURNING id, tags;
--|  id |         tags
--| ----+-----------------------
--|   1 | "a"=>NULL, "b"=>"two"
--|   2 | "a"=>NULL, "b"=>"two"
--| (2 rows)
--| UPDATE 2
UPDATE item SET tags['n'] = 5;
--| UPDATE 2
UPDATE item SET tags['n'] = id::text WHERE id = 2 RETURNING tags;
--|               tags
--| ---------------------------------
--|  "a"=>NULL, "b"=>"two", "n"=>"2"
--| (1 row)
--| UPDATE 1
UPDATE item SET tags[NULL] = 'x';
--| ERROR:  22004: hstore subscript in assignment must not be null
INSERT INTO item (id, tags['k']) VALUES (3, 'v') RETURNING tags;
--|    tags
--| ----------
--|  "k"=>"v"
--| (1 row)
--| INSERT 0 1
-- Stored, in indexes, in definitions.
CREATE TABLE bag (id int PRIMARY KEY, h hstore NOT NULL DEFAULT 'made=>no', hs hstore[], CHECK (NOT h ? 'bad'), UNIQUE (h));
--| CREATE TABLE
INSERT INTO bag SELECT g, hstore(ARRAY['n', g::text, 'k' || g % 50, 'v' || g % 7, 'z', CASE WHEN g % 3 = 0 THEN 'x' END]) FROM generate_series(1, 1000) g;
--| INSERT 0 1000
INSERT INTO bag VALUES (2001, '', NULL), (2002, DEFAULT, NULL), (2003, 'text=>NULL', '{a=>1}');
--| INSERT 0 3
INSERT INTO bag VALUES (2004, 'made=>"no"');
--| ERROR:  23505: duplicate key value violates unique constraint "bag_h_key"
--| DETAIL:  Key (h)=("made"=>"no") already exists.
INSERT INTO bag VALUES (2004, 'bad=>1');
--| ERROR:  23514: new row for relation "bag" violates check constraint "bag_h_check"
--| DETAIL:  Failing row contains (2004, "bad"=>"1", null).
CREATE INDEX bag_gin ON bag USING gin (h);
--| CREATE INDEX
CREATE INDEX bag_named ON bag USING gin (h gin_hstore_ops);
--| CREATE INDEX
CREATE INDEX bag_hash ON bag USING hash (h hash_hstore_ops);
--| CREATE INDEX
CREATE INDEX bag_tree ON bag (h btree_hstore_ops, id);
--| CREATE INDEX
CREATE INDEX bag_part ON bag ((h -> 'n')) WHERE h ? 'z';
--| CREATE INDEX
CREATE INDEX ON bag USING gist (h);
--| ERROR:  0A000: GiST indexes of type hstore are not supported; gist_trgm_ops is
CREATE INDEX ON bag USING gist (h gist_hstore_ops);
--| ERROR:  0A000: operator class gist_hstore_ops is not supported
CREATE INDEX ON bag USING brin (h);
--| ERROR:  42704: data type hstore has no default operator class for access method "brin"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
CREATE INDEX ON bag USING hash (h btree_hstore_ops);
--| ERROR:  42704: operator class "btree_hstore_ops" does not exist for access method "hash"
CREATE INDEX ON bag USING gin (hs);
--| CREATE INDEX
ANALYZE bag;
--| ANALYZE
DROP INDEX bag_named;
--| DROP INDEX
EXPLAIN (COSTS OFF) SELECT id FROM bag WHERE h @> 'k3=>v3';
--|                    QUERY PLAN
--| -------------------------------------------------
--|  Bitmap Heap Scan on bag
--|    Filter: (h @> '"k3"=>"v3"'::hstore)
--|    ->  Bitmap Index Scan on bag_gin
--|          Index Cond: (h @> '"k3"=>"v3"'::hstore)
--| (4 rows)
EXPLAIN (COSTS OFF) SELECT id FROM bag WHERE h ? 'text';
--|                QUERY PLAN
--| ----------------------------------------
--|  Bitmap Heap Scan on bag
--|    Filter: (h ? 'text'::text)
--|    ->  Bitmap Index Scan on bag_gin
--|          Index Cond: (h ? 'text'::text)
--| (4 rows)
EXPLAIN (COSTS OFF) SELECT id FROM bag WHERE h ?& '{k1,n}';
--|                  QUERY PLAN
--| ---------------------------------------------
--|  Bitmap Heap Scan on bag
--|    Filter: (h ?& '{k1,n}'::text[])
--|    ->  Bitmap Index Scan on bag_gin
--|          Index Cond: (h ?& '{k1,n}'::text[])
--| (4 rows)
EXPLAIN (COSTS OFF) SELECT id FROM bag WHERE h = 'made=>no';
--|                  QUERY PLAN
--| --------------------------------------------
--|  Index Scan using bag_h_key on bag
--|    Index Cond: (h = '"made"=>"no"'::hstore)
--| (2 rows)
EXPLAIN (COSTS OFF) SELECT id FROM bag WHERE h -> 'n' = '5' AND h ? 'z';
--|                   QUERY PLAN
--| ----------------------------------------------
--|  Index Scan using bag_part on bag
--|    Index Cond: ((h -> 'n'::text) = '5'::text)
--| (2 rows)
SELECT id FROM bag WHERE h @> 'k3=>v3' ORDER BY id;
--|  id
--| -----
--|    3
--|  353
--|  703
--| (3 rows)
SELECT id FROM bag WHERE h @> 'text=>NULL' ORDER BY id;
--|   id
--| ------
--|  2003
--| (1 row)
SELECT count(*) FROM bag WHERE h @> '';
--|  count
--| -------
--|   1003
--| (1 row)
SELECT id FROM bag WHERE h ? 'text' OR h ?| '{made,nothing}' ORDER BY id;
--|   id
--| ------
--|  2002
--|  2003
--| (2 rows)
SELECT count(*), count(*) FILTER (WHERE h @> 'z=>x') FROM bag WHERE h ?& '{k1,n}';
--|  count | count
--| -------+-------
--|     20 |     7
--| (1 row)
SELECT id FROM bag WHERE h = 'made=>no';
--|   id
--| ------
--|  2002
--| (1 row)
SELECT id FROM bag WHERE h -> 'n' = '5' AND h ? 'z';
--|  id
--| ----
--|   5
--| (1 row)
SELECT id, h FROM bag ORDER BY h LIMIT 2;
--|   id  |      h
--| ------+--------------
--|  2001 |
--|  2002 | "made"=>"no"
--| (2 rows)
SELECT pg_get_indexdef('bag_gin'::regclass), pg_get_indexdef('bag_tree'::regclass), pg_get_indexdef('bag_part'::regclass);
--|                  pg_get_indexdef                  |                     pg_get_indexdef                     |                                      pg_get_indexdef
--| --------------------------------------------------+---------------------------------------------------------+--------------------------------------------------------------------------------------------
--|  CREATE INDEX bag_gin ON public.bag USING gin (h) | CREATE INDEX bag_tree ON public.bag USING btree (h, id) | CREATE INDEX bag_part ON public.bag USING btree (((h -> 'n'::text))) WHERE (h ? 'z'::text)
--| (1 row)
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'bag'::regclass AND contype = 'c';
--|       pg_get_constraintdef
--| ---------------------------------
--|  CHECK ((NOT (h ? 'bad'::text)))
--| (1 row)
SELECT attname, format_type(atttypid, atttypmod), pg_get_expr(adbin, adrelid) FROM pg_attribute a LEFT JOIN pg_attrdef d ON adrelid = attrelid AND adnum = attnum WHERE attrelid = 'bag'::regclass AND attnum > 0 ORDER BY attnum;
--|  attname | format_type |      pg_get_expr
--| ---------+-------------+------------------------
--|  id      | integer     |
--|  h       | hstore      | '"made"=>"no"'::hstore
--|  hs      | hstore[]    |
--| (3 rows)
SELECT opcname, amname, opcintype::regtype, opcdefault FROM pg_opclass JOIN pg_am a ON a.oid = opcmethod WHERE opcintype = 'hstore'::regtype AND amname <> 'gist' ORDER BY 1;
--|      opcname      | amname | opcintype | opcdefault
--| ------------------+--------+-----------+------------
--|  btree_hstore_ops | btree  | hstore    | t
--|  gin_hstore_ops   | gin    | hstore    | t
--|  hash_hstore_ops  | hash   | hstore    | t
--| (3 rows)
CREATE VIEW seen AS SELECT id, h -> 'n' AS n, h || hstore('seen', 'yes') AS more, %% h AS list, hstore(bag) AS whole, h @> 'z=>"it''s"'::hstore AS has FROM bag WHERE h ? 'z';
--| CREATE VIEW
SELECT pg_get_viewdef('seen'::regclass);
--|                     pg_get_viewdef
--| -------------------------------------------------------
--|   SELECT id,                                          +
--|      (h -> 'n'::text) AS n,                           +
--|      (h || hstore('seen'::text, 'yes'::text)) AS more,+
--|      (%% h) AS list,                                  +
--|      hstore(bag.*) AS whole,                          +
--|      (h @> '"z"=>"it''s"'::hstore) AS has             +
--|     FROM bag                                          +
--|    WHERE (h ? 'z'::text);
--| (1 row)
SELECT id, n, more, has FROM seen WHERE id < 3 ORDER BY id;
--|  id | n |                      more                      | has
--| ----+---+------------------------------------------------+-----
--|   1 | 1 | "n"=>"1", "z"=>NULL, "k1"=>"v1", "seen"=>"yes" | f
--|   2 | 2 | "n"=>"2", "z"=>NULL, "k2"=>"v2", "seen"=>"yes" | f
--| (2 rows)
PREPARE p AS SELECT id FROM bag WHERE h @> $1 AND h ? $2 ORDER BY id LIMIT 2;
--| PREPARE
EXECUTE p('k3=>v3', 'z');
--|  id
--| -----
--|    3
--|  353
--| (2 rows)
SELECT x.key, count(*) FROM bag, each(h) AS x WHERE id > 990 GROUP BY x.key ORDER BY 1 LIMIT 3;
--|  key | count
--| -----+-------
--|  k0  |     1
--|  k41 |     1
--|  k42 |     1
--| (3 rows)
SET search_path = '';
--| SET
SELECT format_type(atttypid, -1), format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'public.bag'::regclass AND attnum > 1 ORDER BY attnum;
--|    format_type   |   format_type
--| -----------------+-----------------
--|  public.hstore   | public.hstore
--|  public.hstore[] | public.hstore[]
--| (2 rows)
RESET search_path;
--| RESET
CREATE DOMAIN attrs AS hstore CHECK (VALUE ? 'id');
--| CREATE DOMAIN
SELECT 'a=>1'::attrs;
--| ERROR:  23514: value for domain attrs violates check constraint "attrs_check"
SELECT ('id=>1'::attrs) -> 'id';
--|  ?column?
--| ----------
--|  1
--| (1 row)
DROP EXTENSION hstore;
--| ERROR:  2BP01: cannot drop extension hstore because other objects depend on it
--| DETAIL:  column tags of table item depends on type hstore
--| column h of table bag depends on type hstore
--| column hs of table bag depends on type hstore[]
--| view seen depends on type hstore
--| type attrs depends on type hstore
--| column tags of composite type kind depends on type hstore
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
DROP VIEW seen;
--| DROP VIEW
DROP DOMAIN attrs;
--| DROP DOMAIN
DROP TABLE item;
--| DROP TABLE
DROP EXTENSION hstore;
--| ERROR:  2BP01: cannot drop extension hstore because other objects depend on it
--| DETAIL:  column h of table bag depends on type hstore
--| column hs of table bag depends on type hstore[]
--| column tags of composite type kind depends on type hstore
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
DROP TYPE kind;
--| DROP TYPE
CREATE INDEX bag_expr ON bag USING gin ((h || 'x=>y'));
--| CREATE INDEX
ALTER TABLE bag ALTER h DROP DEFAULT;
--| ALTER TABLE
DROP EXTENSION hstore;
--| ERROR:  2BP01: cannot drop extension hstore because other objects depend on it
--| DETAIL:  column h of table bag depends on type hstore
--| column hs of table bag depends on type hstore[]
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
DROP TABLE bag;
--| DROP TABLE
DROP EXTENSION hstore;
--| DROP EXTENSION
SELECT 'a=>1'::hstore;
--| ERROR:  42704: type "hstore" does not exist
SELECT to_regtype('hstore');
--|  to_regtype
--| ------------
--|
--| (1 row)
-- In another schema.
CREATE SCHEMA ext;
--| CREATE SCHEMA
CREATE EXTENSION hstore SCHEMA ext;
--| CREATE EXTENSION
SELECT 'a=>1'::hstore;
--| ERROR:  42704: type "hstore" does not exist
CREATE TABLE far (h ext.hstore DEFAULT ''::ext.hstore, CHECK (h OPERATOR(ext.?) 'a' OR h IS NULL));
--| CREATE TABLE
INSERT INTO far VALUES ('a=>1');
--| INSERT 0 1
CREATE VIEW far_seen AS SELECT h OPERATOR(ext.->) 'a' AS a, OPERATOR(ext.%%) h AS list, ext.hstore('a', 'b') OPERATOR(ext.||) h AS both FROM far;
--| CREATE VIEW
SELECT pg_get_viewdef('far_seen'::regclass), pg_get_expr(adbin, adrelid), pg_typeof(h) FROM pg_attrdef, far WHERE adrelid = 'far'::regclass;
--|                            pg_get_viewdef                            |  pg_get_expr   | pg_typeof
--| ---------------------------------------------------------------------+----------------+------------
--|   SELECT (h OPERATOR(ext.->) 'a'::text) AS a,                       +| ''::ext.hstore | ext.hstore
--|      (OPERATOR(ext.%%) h) AS list,                                  +|                |
--|      (ext.hstore('a'::text, 'b'::text) OPERATOR(ext.||) h) AS "both"+|                |
--|     FROM far;                                                        |                |
--| (1 row)
SELECT * FROM far_seen;
--|  a | list  |   both
--| ---+-------+----------
--|  1 | {a,1} | "a"=>"1"
--| (1 row)
DROP VIEW far_seen;
--| DROP VIEW
DROP TABLE far;
--| DROP TABLE
DROP SCHEMA ext;
--| ERROR:  2BP01: cannot drop schema ext because other objects depend on it
--| DETAIL:  extension hstore depends on schema ext
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
DROP SCHEMA ext CASCADE;
--| NOTICE:  drop cascades to extension hstore
--| DROP SCHEMA
DROP EXTENSION hstore;
--| ERROR:  42704: extension "hstore" does not exist
