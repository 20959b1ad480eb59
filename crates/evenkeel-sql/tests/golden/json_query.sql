-- JSON_EXISTS, JSON_VALUE and JSON_QUERY with their clauses.

select json_exists(null::jsonb, '$'), json_exists(jsonb '[]', '$'), json_exists(jsonb '1', '$.a'), json_exists(jsonb '1', 'strict $.a'), json_exists('{"a": 1}', '$.a');
--|  json_exists | json_exists | json_exists | json_exists | json_exists
--| -------------+-------------+-------------+-------------+-------------
--|              | t           | f           | f           | t
--| (1 row)
select json_exists(jsonb '1', 'strict $.a' error on error);
--| ERROR:  2203A: jsonpath member accessor can only be applied to an object
select json_exists(jsonb '1', 'strict $.a' true on error), json_exists(jsonb '1', 'strict $.a' false on error), json_exists(jsonb '1', 'strict $.a' unknown on error);
--|  json_exists | json_exists | json_exists
--| -------------+-------------+-------------
--|  t           | f           |
--| (1 row)
select json_exists(jsonb '{"a": 1, "b": 2}', '$.* ? (@ > $x)' passing 1 as x), json_exists(jsonb '{"a": 1, "b": 2}', '$.* ? (@ > $x)' passing '1' as x);
--|  json_exists | json_exists
--| -------------+-------------
--|  t           | f
--| (1 row)
select json_exists(jsonb '{"a": 1, "b": 2}', '$.* ? (@ > $x && @ < $y)' passing 0 as x, 2 as y), json_exists(jsonb '{"a": 1, "b": 2}', '$.* ? (@ > $x && @ < $"Y")' passing 0 as x, 1 as "Y");
--|  json_exists | json_exists
--| -------------+-------------
--|  t           | f
--| (1 row)
select json_exists(jsonb '1', '$ > 2'), json_exists(jsonb '1', '$x');
--| ERROR:  42704: could not find jsonpath variable "x"
select json_value(null::jsonb, '$'), json_value(jsonb 'null', '$'), json_value(jsonb 'null', '$' returning int), json_value(jsonb 'true', '$'), json_value(jsonb 'true', '$' returning bool);
--|  json_value | json_value | json_value | json_value | json_value
--| ------------+------------+------------+------------+------------
--|             |            |            | t          | t
--| (1 row)
select json_value(jsonb '123', '$'), json_value(jsonb '123', '$' returning int) + 234, json_value(jsonb '1.23', '$'), json_value(jsonb '1.23', '$' returning int), json_value(jsonb '"1.23"', '$' returning numeric);
--|  json_value | ?column? | json_value | json_value | json_value
--| ------------+----------+------------+------------+------------
--|  123        |      357 | 1.23       |            |       1.23
--| (1 row)
select json_value(jsonb '"1.23"', '$' returning int error on error);
--| ERROR:  22P02: invalid input syntax for type integer: "1.23"
select json_value(jsonb '"aaa"', '$' returning char(5)), json_value(jsonb '"aaa"', '$' returning char(2)), json_value(jsonb '"aaa"', '$' returning varchar(3));
--|  json_value | json_value | json_value
--| ------------+------------+------------
--|  aaa        |            | aaa
--| (1 row)
select json_value(jsonb '"aaa"', '$' returning char(2) error on error);
--| ERROR:  22001: value too long for type character(2)
select json_value(jsonb '"aaa"', '$' returning json), json_value(jsonb '"aaa"', '$' returning jsonb), json_value(jsonb '"\"aaa\""', '$' returning json), json_value(jsonb '5', '$' returning jsonb);
--|  json_value | json_value | json_value | json_value
--| ------------+------------+------------+------------
--|  "aaa"      | "aaa"      | "\"aaa\""  | 5
--| (1 row)
select json_value(jsonb '"aaa"', '$' returning int), json_value(jsonb '"aaa"', '$' returning int default 111 on error), json_value(jsonb '"123"', '$' returning int) + 234;
--|  json_value | json_value | ?column?
--| ------------+------------+----------
--|             |        111 |      357
--| (1 row)
select json_value(jsonb '"aaa"', '$' returning int error on error);
--| ERROR:  22P02: invalid input syntax for type integer: "aaa"
select json_value(jsonb '"2017-02-20"', '$' returning date) + 9, json_value(jsonb '"{1,2}"', '$' returning int[]), json_value(jsonb '"x"', '$' returning bytea);
--|   ?column?  | json_value | json_value
--| ------------+------------+------------
--|  2017-03-01 | {1,2}      | \x78
--| (1 row)
create domain not_null_int as int not null;
--| CREATE DOMAIN
select json_value(jsonb 'null', '$' returning not_null_int);
--| ERROR:  42804: could not coerce ON ERROR expression (NULL) to the RETURNING type
--| DETAIL:  domain not_null_int does not allow null values
select json_value(jsonb 'null', '$' returning not_null_int error on error);
--| ERROR:  23502: domain not_null_int does not allow null values
select json_value(jsonb '1', '$.a' returning not_null_int default 2 on empty error on error);
--|  json_value
--| ------------
--|           2
--| (1 row)
select json_value(jsonb '5', '$' returning not_null_int) as five;
--|  five
--| ------
--|     5
--| (1 row)
create type rainbow as enum ('red', 'green', 'purple');
--| CREATE TYPE
create domain rgb as rainbow check (value in ('red', 'green'));
--| CREATE DOMAIN
select json_value('"purple"'::jsonb, 'lax $[*]' returning rgb), json_value('"red"'::jsonb, 'lax $[*]' returning rgb), json_value('"red"'::jsonb, 'lax $[*]' returning rainbow);
--|  json_value | json_value | json_value
--| ------------+------------+------------
--|             | red        | red
--| (1 row)
select json_value('"purple"'::jsonb, 'lax $[*]' returning rgb error on error);
--| ERROR:  23514: value for domain rgb violates check constraint "rgb_check"
select json_value(jsonb '[]', '$'), json_value(jsonb '{}', '$');
--|  json_value | json_value
--| ------------+------------
--|             |
--| (1 row)
select json_value(jsonb '[]', '$' error on error);
--| ERROR:  2203F: JSON path expression in JSON_VALUE must return single scalar item
select json_value(jsonb '1', '$.a'), json_value(jsonb '1', 'strict $.a' default 'error' on error), json_value(jsonb '1', 'lax $.a' error on error), json_value(jsonb '1', 'strict $.*' default 2 on error), json_value(jsonb '1', 'lax $.a' default 2 on error);
--|  json_value | json_value | json_value | json_value | json_value
--| ------------+------------+------------+------------+------------
--|             | error      |            | 2          |
--| (1 row)
select json_value(jsonb '1', 'strict $.a' error on error);
--| ERROR:  2203A: jsonpath member accessor can only be applied to an object
select json_value(jsonb '1', 'lax $.a' error on empty error on error);
--| ERROR:  22035: no SQL/JSON item found for specified path
select json_value(jsonb '1', 'lax $.a' error on empty default '3' on error);
--| ERROR:  22035: no SQL/JSON item found for specified path
select json_value(jsonb '1', 'lax $.a' default '2' on empty), json_value(jsonb '1', 'lax $.a' null on empty default '2' on error), json_value(jsonb '1', 'lax $.a' default '2' on empty default '3' on error), json_value(jsonb '1', 'strict $.a' default '2' on empty default '3' on error);
--|  json_value | json_value | json_value | json_value
--| ------------+------------+------------+------------
--|  2          |            | 2          | 3
--| (1 row)
select json_value(jsonb '[1,2]', '$[*]' error on error);
--| ERROR:  22034: JSON path expression in JSON_VALUE must return single scalar item
select json_value(jsonb '[1,2]', '$[*]' default '0' on error), json_value(jsonb '[" "]', '$[*]' returning int default 2 + 3 on error), json_value(jsonb '["1"]', '$[*]' returning int default 2 + 3 on error);
--|  json_value | json_value | json_value
--| ------------+------------+------------
--|  0          |          5 |          1
--| (1 row)
select json_value(jsonb '[" "]', '$[*]' returning int error on error);
--| ERROR:  22P02: invalid input syntax for type integer: " "
select x, json_value(jsonb '{"a": 1, "b": 2}', '$.* ? (@ > $x)' passing x as x returning int default -1 on empty default -2 on error) y from generate_series(0, 2) x;
--|  x | y
--| ---+----
--|  0 | -2
--|  1 |  2
--|  2 | -1
--| (3 rows)
select json_value(jsonb '{}', '$.a' returning numeric(4,1) default 99.95 on empty), json_value(jsonb '{}', '$.a' returning varchar(3) default 'toolong'::varchar(10) on empty), json_value(jsonb '{}', '$.a' default null on empty);
--| ERROR:  22001: value too long for type character varying(3)
select json_value(jsonb '1', '$' default (select max(g)::text from generate_series(1,3) g) on error), json_value(jsonb '[]', '$' default json_value(jsonb '[2]', '$[0]' null on error) on error);
--| ERROR:  42804: can only specify a constant, non-aggregate function, or operator expression for DEFAULT
set timezone to 'UTC';
--| SET
select json_value(jsonb 'null', '$ts' passing timestamptz '2018-02-21 12:34:56 +10' as ts), json_value(jsonb 'null', '$ts' passing timestamptz '2018-02-21 12:34:56 +10' as ts returning timestamptz), json_value(jsonb 'null', '$ts' passing date '2018-02-21' as ts returning date), json_value(jsonb 'null', '$ts' passing time '12:34:56' as ts), json_value(jsonb 'null', '$ts' passing timestamptz '2018-02-21 12:34:56 +10' as ts returning jsonb);
--|        json_value       |       json_value       | json_value | json_value |         json_value
--| ------------------------+------------------------+------------+------------+-----------------------------
--|  2018-02-21 02:34:56+00 | 2018-02-21 02:34:56+00 | 2018-02-21 | 12:34:56   | "2018-02-21T02:34:56+00:00"
--| (1 row)
select json_value(jsonb 'null', '$a' passing interval '1 day' as a), json_query(jsonb 'null', '$a' passing array[1,2] as a), json_value(jsonb '1', '$a' passing null as a), json_query(jsonb '1', '$a.b' passing json '{"b":[1]}' as a);
--|  json_value | json_query | json_value | json_query
--| ------------+------------+------------+------------
--|  1 day      | [1, 2]     |            | [1]
--| (1 row)
select json_query(js, '$') as "unspec", json_query(js, '$' without wrapper) as "without", json_query(js, '$' with conditional wrapper) as "with cond", json_query(js, '$' with unconditional array wrapper) as "with uncond", json_query(js, '$' with array wrapper) as "with"
from (values (jsonb 'null'), ('12.3'), ('true'), ('"aaa"'), ('[1, null, "2"]'), ('{"a": 1, "b": [2]}')) foo(js);
--|        unspec       |      without       |     with cond      |     with uncond      |         with
--| --------------------+--------------------+--------------------+----------------------+----------------------
--|  null               | null               | null               | [null]               | [null]
--|  12.3               | 12.3               | 12.3               | [12.3]               | [12.3]
--|  true               | true               | true               | [true]               | [true]
--|  "aaa"              | "aaa"              | "aaa"              | ["aaa"]              | ["aaa"]
--|  [1, null, "2"]     | [1, null, "2"]     | [1, null, "2"]     | [[1, null, "2"]]     | [[1, null, "2"]]
--|  {"a": 1, "b": [2]} | {"a": 1, "b": [2]} | {"a": 1, "b": [2]} | [{"a": 1, "b": [2]}] | [{"a": 1, "b": [2]}]
--| (6 rows)
select json_query(js, 'strict $[*]') as "unspec", json_query(js, 'strict $[*]' with conditional wrapper) as "with cond", json_query(js, 'strict $[*]' with wrapper) as "with"
from (values (jsonb '1'), ('[]'), ('[null]'), ('[12.3]'), ('["aaa"]'), ('[[1, 2, 3]]'), ('[1, "2", null, [3]]')) foo(js);
--|   unspec   |      with cond      |        with
--| -----------+---------------------+---------------------
--|            |                     |
--|            |                     |
--|  null      | null                | [null]
--|  12.3      | 12.3                | [12.3]
--|  "aaa"     | "aaa"               | ["aaa"]
--|  [1, 2, 3] | [1, 2, 3]           | [[1, 2, 3]]
--|            | [1, "2", null, [3]] | [1, "2", null, [3]]
--| (7 rows)
select json_query(jsonb '"aaa"', '$' returning text), json_query(jsonb '"aaa"', '$' returning text keep quotes on scalar string), json_query(jsonb '"aaa"', '$' returning text omit quotes), json_query(jsonb '"aaa"', '$' omit quotes), json_query(jsonb '"5"', '$' returning int omit quotes), json_query(jsonb '"{1,2}"', '$' returning int[] omit quotes);
--|  json_query | json_query | json_query | json_query | json_query | json_query
--| ------------+------------+------------+------------+------------+------------
--|  "aaa"      | "aaa"      | aaa        |            |          5 | {1,2}
--| (1 row)
select json_query(jsonb '"aaa"', '$' omit quotes error on error);
--| ERROR:  22P02: invalid input syntax for type json
--| DETAIL:  Token "aaa" is invalid.
--| CONTEXT:  JSON data, line 1: aaa
select json_query(jsonb '"aaa"', '$' returning char(3)), json_query(jsonb '"aaa"', '$' returning char(3) omit quotes), json_query(jsonb '"aaa"', '$.a' returning char(2) omit quotes default 'bb' on empty), json_query(jsonb 'null', '$' returning text), json_query(jsonb 'null', '$' returning int), json_query(jsonb '7', '$' returning int), json_query(jsonb '"7"', '$' returning int), json_query(jsonb 'true', '$' returning bool);
--|  json_query | json_query | json_query | json_query | json_query | json_query | json_query | json_query
--| ------------+------------+------------+------------+------------+------------+------------+------------
--|             | aaa        | bb         | null       |            |          7 |            | t
--| (1 row)
select json_query(jsonb '[1]', '$' with wrapper omit quotes);
--| ERROR:  42601: SQL/JSON QUOTES behavior must not be specified when WITH WRAPPER is used
select json_query(jsonb '["1"]', '$[*]' with conditional wrapper keep quotes), json_query(jsonb '["1"]', '$[*]' without wrapper omit quotes);
--|  json_query | json_query
--| ------------+------------
--|  "1"        | 1
--| (1 row)
select json_query(jsonb '[]', '$[*]'), json_query(jsonb '[]', '$[*]' empty on empty), json_query(jsonb '[]', '$[*]' empty array on empty), json_query(jsonb '[]', '$[*]' empty object on empty), json_query(jsonb '[]', '$[*]' default '"empty"' on empty), json_query(jsonb '[]', '$[*]' error on error), json_query(jsonb '[1,2]', '$[*]' default '"empty"' on error);
--|  json_query | json_query | json_query | json_query | json_query | json_query | json_query
--| ------------+------------+------------+------------+------------+------------+------------
--|             | []         | []         | {}         | "empty"    |            | "empty"
--| (1 row)
select json_query(jsonb '[]', '$[*]' error on empty empty array on error);
--| ERROR:  22035: no SQL/JSON item found for specified path
select json_query(jsonb '[1,2]', '$[*]' error on error);
--| ERROR:  22034: JSON path expression in JSON_QUERY must return single item when no wrapper is requested
--| HINT:  Use the WITH WRAPPER clause to wrap SQL/JSON items into an array.
select json_query(jsonb '[1,2]', '$' returning json), json_query(jsonb '[1,2]', '$' returning json format json), json_query(jsonb '[1,2]', '$' returning text format json with wrapper), json_query(jsonb '[1,2]', '$' returning char(10)), json_query(jsonb '[1,2]', '$' returning bytea), json_query(jsonb '[1,2]', '$[*]' returning bytea empty object on error);
--|  json_query | json_query | json_query | json_query |   json_query   | json_query
--| ------------+------------+------------+------------+----------------+------------
--|  [1, 2]     | [1, 2]     | [[1, 2]]   | [1, 2]     | \x5b312c20325d | \x7b7d
--| (1 row)
select json_query('[1,2]' format json, '$[0]'), json_query(json '[1,2]', '$[0]'), json_query('[1,2]'::text, '$[0]');
--|  json_query | json_query | json_query
--| ------------+------------+------------
--|  1          | 1          | 1
--| (1 row)
select json_value(5, '$');
--| ERROR:  42846: cannot cast type integer to jsonb
select json_value(jsonb '5', 5);
--| ERROR:  42804: JSON path expression must be of type jsonpath, not of type integer
select json_value(jsonb '5', '$' empty on empty);
--| ERROR:  42601: invalid ON EMPTY behavior
--| DETAIL:  Only ERROR, NULL, or DEFAULT expression is allowed in ON EMPTY for JSON_VALUE().
select json_query(jsonb '5', '$' true on error);
--| ERROR:  42601: invalid ON ERROR behavior
--| DETAIL:  Only ERROR, NULL, EMPTY ARRAY, EMPTY OBJECT, or DEFAULT expression is allowed in ON ERROR for JSON_QUERY().
select json_exists(jsonb '5', '$' null on error);
--| ERROR:  42601: invalid ON ERROR behavior
--| DETAIL:  Only ERROR, TRUE, FALSE, or UNKNOWN is allowed in ON ERROR for JSON_EXISTS().
select json_value(jsonb '5', '$' returning record);
--| ERROR:  0A000: returning pseudo-types is not supported in SQL/JSON functions
select json_value(jsonb '[1]', '$' returning int format json);
--| ERROR:  42601: cannot specify FORMAT JSON in RETURNING clause of JSON_VALUE()
select json_query(jsonb '[1,2]', '$' returning int[]);
--|  json_query
--| ------------
--|  {1,2}
--| (1 row)
select json_value(jsonb '5');
--| ERROR:  42601: syntax error at or near ")"
select json_value();
--| ERROR:  42601: syntax error at or near ")"
select json_value(jsonb '5', '$' error on empty passing 1 as x);
--| ERROR:  42601: syntax error at or near "passing"
select json_value(jsonb '5', '$' default 5);
--| ERROR:  42601: syntax error at or near ")"
select json_value(jsonb '5', '$' default 5 on nothing);
--| ERROR:  42601: syntax error at or near "on"
select json_value('{', '$');
--| ERROR:  22P02: invalid input syntax for type json
--| DETAIL:  The input string ended unexpectedly.
--| CONTEXT:  JSON data, line 1: {
select json_value(jsonb '1', '$.');
--| ERROR:  42601: syntax error at end of jsonpath input
select * from json_table('[1]', '$[*]' columns (a int path '$'));
--|  a
--| ---
--|  1
--| (1 row)
create table docs (id int, j jsonb, check (json_exists(j, '$.a')), b text generated always as (json_value(j, '$.b' returning text)) stored);
--| CREATE TABLE
insert into docs values (1, '{"a": 1, "b": "x"}'), (2, '{"a": [2, 3]}');
--| INSERT 0 2
insert into docs values (3, '{}');
--| ERROR:  23514: new row for relation "docs" violates check constraint "docs_j_check"
--| DETAIL:  Failing row contains (3, {}, null).
select id, b, json_query(j, '$.a' with wrapper) from docs where json_value(j, '$.a' returning int) = 1 or json_exists(j, '$.a[*] ? (@ > $n)' passing id as n) order by json_value(j, '$.b') nulls first;
--|  id | b | json_query
--| ----+---+------------
--|   2 |   | [[2, 3]]
--|   1 | x | [1]
--| (2 rows)
select json_value(j, '$.b'), count(*) from docs group by json_value(j, '$.b') order by 1;
--|  json_value | count
--| ------------+-------
--|  x          |     1
--|             |     1
--| (2 rows)
create index on docs (json_value(j, '$.b'));
--| CREATE INDEX
prepare p(jsonb, int) as select json_value($1, '$[*] ? (@ > $x)' passing $2 as x returning int default -1 on empty);
--| PREPARE
execute p('[1, 5]', 2);
--|  json_value
--| ------------
--|           5
--| (1 row)
execute p('[1, 5]', 7);
--|  json_value
--| ------------
--|          -1
--| (1 row)
create view seen as select json_value(j, '$.a' passing 1 as x, 'a' as "Y" returning int default 0 on empty error on error) a, json_value(j, '$.a') b, json_exists(j, '$.a ? (@ > $x)' passing 5 as x true on error) c, json_query(j, '$.b' with conditional wrapper) d, json_query(j, '$.b' returning text omit quotes empty array on empty null on error) e, json_exists(j, '$') f, json_query(j, '$' without wrapper keep quotes error on empty) g, json_value('{"a":1}', '$.a' returning text null on empty null on error) h, json_query(j::text, '$' returning varchar(5) with wrapper) i from docs;
--| CREATE VIEW
select pg_get_viewdef('seen');
--|                                                       pg_get_viewdef
--| ---------------------------------------------------------------------------------------------------------------------------
--|   SELECT JSON_VALUE(j, '$."a"' PASSING 1 AS x, 'a'::text AS "Y" RETURNING integer DEFAULT 0 ON EMPTY ERROR ON ERROR) AS a,+
--|      JSON_VALUE(j, '$."a"' RETURNING text) AS b,                                                                          +
--|      JSON_EXISTS(j, '$."a"?(@ > $"x")' PASSING 5 AS x TRUE ON ERROR) AS c,                                                +
--|      JSON_QUERY(j, '$."b"' RETURNING jsonb WITH CONDITIONAL WRAPPER KEEP QUOTES) AS d,                                    +
--|      JSON_QUERY(j, '$."b"' RETURNING text WITHOUT WRAPPER OMIT QUOTES EMPTY ARRAY ON EMPTY) AS e,                         +
--|      JSON_EXISTS(j, '$') AS f,                                                                                            +
--|      JSON_QUERY(j, '$' RETURNING jsonb WITHOUT WRAPPER KEEP QUOTES ERROR ON EMPTY) AS g,                                  +
--|      JSON_VALUE('{"a":1}'::text, '$."a"' RETURNING text) AS h,                                                            +
--|      JSON_QUERY((j)::text, '$' RETURNING character varying(5) WITH UNCONDITIONAL WRAPPER KEEP QUOTES) AS i                +
--|     FROM docs;
--| (1 row)
select * from seen where a is not null;
--| ERROR:  2203F: JSON path expression in JSON_VALUE must return single scalar item
select * from seen;
--| ERROR:  2203F: JSON path expression in JSON_VALUE must return single scalar item
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'docs'::regclass;
--|       pg_get_constraintdef
--| ---------------------------------
--|  CHECK (JSON_EXISTS(j, '$."a"'))
--| (1 row)
drop view seen;
--| DROP VIEW
drop table docs;
--| DROP TABLE
-- Aggregates that leave NULL out, of nothing else.
select json_agg_strict(x), jsonb_agg_strict(x), json_object_agg_strict(1, x), jsonb_object_agg_strict(1, x), json_object_agg_unique_strict(1, x), json_arrayagg(x), json_objectagg(1 : x absent on null) from (values (null::int)) v(x);
--|  json_agg_strict | jsonb_agg_strict | json_object_agg_strict | jsonb_object_agg_strict | json_object_agg_unique_strict | json_arrayagg | json_objectagg
--| -----------------+------------------+------------------------+-------------------------+-------------------------------+---------------+----------------
--|  []              | []               | {  }                   | {}                      | {  }                          | []            | {  }
--| (1 row)
select json_agg_strict(x), jsonb_agg_strict(x), json_object_agg_strict(g, x), jsonb_object_agg_strict(g, x) from (values (1, null::int), (2, 5), (3, null), (4, 6)) v(g, x);
--|  json_agg_strict | jsonb_agg_strict | json_object_agg_strict | jsonb_object_agg_strict
--| -----------------+------------------+------------------------+-------------------------
--|  [5, 6]          | [5, 6]           | { "2" : 5, "4" : 6 }   | {"2": 5, "4": 6}
--| (1 row)
select json_agg_strict(x), jsonb_agg_strict(x), json_object_agg_strict(1, x) from (values (null::int)) v(x) where false;
--|  json_agg_strict | jsonb_agg_strict | json_object_agg_strict
--| -----------------+------------------+------------------------
--|                  |                  |
--| (1 row)
-- Indexes and generated columns.
create table kept (id int, j jsonb);
--| CREATE TABLE
insert into kept select g, jsonb_build_object('n', g, 's', 'x' || g) from generate_series(1, 500) g;
--| INSERT 0 500
create index kept_n on kept (json_value(j, '$.n' returning int default -1 on empty error on error));
--| CREATE INDEX
create index kept_x on kept (json_value(j, '$.n ? (@ > $x)' passing id as x returning int));
--| CREATE INDEX
create index kept_q on kept (json_query(j, '$.s' returning text with wrapper));
--| CREATE INDEX
create index kept_p on kept (id) where json_exists(j, '$.n ? (@ > 490)');
--| CREATE INDEX
create index kept_d on kept (json_value(j, '$.d.date()'));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index kept_v on kept (json_value(j, j::text::jsonpath));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index kept_t on kept (json_value(j, '$.d' returning timestamptz));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
select indexdef from pg_indexes where tablename = 'kept' order by 1;
--|                                                                 indexdef
--| -----------------------------------------------------------------------------------------------------------------------------------------
--|  CREATE INDEX kept_n ON public.kept USING btree (JSON_VALUE(j, '$."n"' RETURNING integer DEFAULT '-1'::integer ON EMPTY ERROR ON ERROR))
--|  CREATE INDEX kept_p ON public.kept USING btree (id) WHERE JSON_EXISTS(j, '$."n"?(@ > 490)')
--|  CREATE INDEX kept_q ON public.kept USING btree (JSON_QUERY(j, '$."s"' RETURNING text WITH UNCONDITIONAL WRAPPER KEEP QUOTES))
--|  CREATE INDEX kept_x ON public.kept USING btree (JSON_VALUE(j, '$."n"?(@ > $"x")' PASSING id AS x RETURNING integer))
--| (4 rows)
analyze kept;
--| ANALYZE
explain (costs off) select id from kept where json_value(j, '$.n' returning int default -1 on empty error on error) = 7;
--|                                                  QUERY PLAN
--| ------------------------------------------------------------------------------------------------------------
--|  Index Scan using kept_n on kept
--|    Index Cond: (JSON_VALUE(j, '$."n"' RETURNING integer DEFAULT '-1'::integer ON EMPTY ERROR ON ERROR) = 7)
--| (2 rows)
select id from kept where json_value(j, '$.n' returning int default -1 on empty error on error) = 7;
--|  id
--| ----
--|   7
--| (1 row)
select id from kept where json_query(j, '$.s' returning text with wrapper) = '["x9"]';
--|  id
--| ----
--|   9
--| (1 row)
select count(*) from kept where json_exists(j, '$.n ? (@ > 490)');
--|  count
--| -------
--|     10
--| (1 row)
alter table kept add g timestamptz generated always as (json_value(j, '$.d' returning timestamptz)) stored;
--| ERROR:  42P17: generation expression is not immutable
alter table kept add g int generated always as (json_value(j, '$.n' returning int)) stored;
--| ALTER TABLE
select max(g) from kept;
--|  max
--| -----
--|  500
--| (1 row)
drop table kept;
--| DROP TABLE

-- A JSON null is the text of one, to types that are no JSON, and no value of them.
select json_query('{"b":null}', '$.b' returning int default '7' on error) as a, json_query('{"b":null}', '$.b' returning int) as b, json_query('{"b":null}', '$.b' returning text) as c;
--|  a | b |  c
--| ---+---+------
--|  7 |   | null
--| (1 row)
select json_query('{"b":null}', '$.b' returning int error on error);
--| ERROR:  22P02: invalid input syntax for type integer: "null"
select json_query('{"b":null}', '$.b' returning int[] error on error);
--| ERROR:  22P02: expected JSON array
select * from json_table('{"b":null}'::jsonb, '$' columns (a int path '$.b' keep quotes default '7' on error, b int path '$.b' default '7' on error) error on error) j;
--|  a | b
--| ---+---
--|  7 |
--| (1 row)
-- Without quotes all is text, which is no array or row unless it is written as one.
select json_query('[1,2]', '$' returning text[] omit quotes), json_query('"{1,2}"', '$' returning int[] omit quotes), json_query('[1,2]', '$' returning int[] keep quotes);
--|  json_query | json_query | json_query
--| ------------+------------+------------
--|             | {1,2}      | {1,2}
--| (1 row)
select json_query('[1,2]', '$' returning int[] omit quotes error on error);
--| ERROR:  22P02: malformed array literal: "[1, 2]"
--| DETAIL:  Missing "]" after array dimensions.
select a from json_table('[{"b": [1, 2]}, {"b": "{3}"}]', '$[*]' columns (a int[] path '$.b' omit quotes));
--|   a
--| -----
--|
--|  {3}
--| (2 rows)
select json_query('{"a":"\"q"}', '$' returning bytea), json_query('"a"', '$' returning bytea), json_query('"a\\101"', '$' returning bytea omit quotes);
--|  json_query | json_query | json_query
--| ------------+------------+------------
--|             | \x226122   | \x6141
--| (1 row)
