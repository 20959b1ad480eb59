-- VARIADIC: an array in place of the arguments that repeat.
create table o1(a int, b int);
--| CREATE TABLE
select concat(variadic array['a','b']);
--|  concat
--| --------
--|  ab
--| (1 row)
select concat(variadic '{a,b}'::text[]), concat(1, variadic array[1,2]);
--| ERROR:  42883: function concat(integer, integer[]) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select concat_ws(',', variadic array[1,2,null,3]);
--|  concat_ws
--| -----------
--|  1,2,3
--| (1 row)
select concat_ws(',', variadic null::int[]), concat_ws(variadic array['-','a','b']), concat(variadic null::int[]);
--| ERROR:  42883: function concat_ws(text[]) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select format('%s-%s', variadic array[1,2]);
--|  format
--| --------
--|  1-2
--| (1 row)
select format('%s-%s', variadic null::int[]);
--| ERROR:  22023: too few arguments for format()
select format('%2$s, %1$s', variadic array['first', 'second']);
--|     format
--| ---------------
--|  second, first
--| (1 row)
select format(string_agg('%s',',' order by i), variadic array_agg(i)) from generate_series(1,20) g(i);
--|                        format
--| ----------------------------------------------------
--|  1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20
--| (1 row)
select format('Hello', variadic null::int[]);
--|  format
--| --------
--|  Hello
--| (1 row)
select jsonb_build_array(variadic array['a','b']), jsonb_build_array(variadic '{1,2,3}'::int[]);
--|  jsonb_build_array | jsonb_build_array
--| -------------------+-------------------
--|  ["a", "b"]        | [1, 2, 3]
--| (1 row)
select json_build_array(variadic null::int[]), json_build_array(variadic '{}'::int[]);
--|  json_build_array | json_build_array
--| ------------------+------------------
--|                   | []
--| (1 row)
select jsonb_build_object(variadic array['a','b']), json_build_object(variadic '{{a,b},{c,d}}'::text[]);
--|  jsonb_build_object |   json_build_object
--| --------------------+------------------------
--|  {"a": "b"}         | {"a" : "b", "c" : "d"}
--| (1 row)
select json_build_object(variadic array[1,2,3]);
--| ERROR:  22023: argument list must have even number of elements
--| HINT:  The arguments of json_build_object() must consist of alternating keys and values.
select json_build_object(variadic null::text[]), json_build_object(variadic '{}'::text[]);
--|  json_build_object | json_build_object
--| -------------------+-------------------
--|                    | {}
--| (1 row)
select json_build_object(variadic array[1,2,3,4]), json_build_object(variadic '{a,b,NULL,d}'::text[]);
--| ERROR:  22004: null value not allowed for object key
select num_nulls(variadic '{1,2,NULL,3}'::int[]), num_nonnulls(variadic '{"1","2","3","4"}'::text[]), num_nulls(variadic null::text[]), num_nonnulls(variadic '{}'::int[]), num_nulls(variadic array(select case when i<>40 then i end from generate_series(1,100) i));
--|  num_nulls | num_nonnulls | num_nulls | num_nonnulls | num_nulls
--| -----------+--------------+-----------+--------------+-----------
--|          1 |            4 |           |            0 |         1
--| (1 row)
select jsonb_extract_path('{"a":{"b":5}}', variadic array['a','b']), json_extract_path_text('{"a":{"b":5}}', variadic '{a,b}');
--|  jsonb_extract_path | json_extract_path_text
--| --------------------+------------------------
--|  5                  | 5
--| (1 row)
select jsonb_extract_path('{"a":{"b":5}}', variadic null);
--|  jsonb_extract_path
--| --------------------
--|
--| (1 row)
select greatest(variadic array[1,2]);
--| ERROR:  42601: syntax error at or near "variadic"
select concat(variadic 1);
--| ERROR:  42804: VARIADIC argument must be an array
select concat(variadic array[1,2], 3);
--| ERROR:  42601: syntax error at or near ","
select length(variadic array['a']);
--| ERROR:  42883: function length(text[]) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select coalesce(variadic array[1]);
--| ERROR:  42601: syntax error at or near "variadic"
select concat(variadic o1) from o1;
--| ERROR:  42804: VARIADIC argument must be an array
select concat(variadic '{a,b}');
--| ERROR:  42804: VARIADIC argument must be an array
select json_extract_path('{"a":1}', variadic 'a');
--| ERROR:  22P02: malformed array literal: "a"
--| DETAIL:  Array value must start with "{" or dimension information.
select pg_typeof(concat(variadic array[1.5,2])), concat_ws(',', variadic array[array[1,2],array[3,4]]);
--|  pg_typeof | concat_ws
--| -----------+-----------
--|  text      | 1,2,3,4
--| (1 row)
select concat(a, variadic array[b]) from o1;
--| ERROR:  42883: function concat(integer, integer[]) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select string_agg(variadic array['a',',']);
--| ERROR:  42883: function string_agg(text[]) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select count(variadic array[1]);
--|  count
--| -------
--|      1
--| (1 row)
create view variadic_view as select concat_ws(',', variadic array[a, b]) as x, format('%s %s', variadic '{x,y}'::text[]) as y, jsonb_extract_path(to_jsonb(o1), variadic array['a']) as z from o1;
--| CREATE VIEW
select pg_get_viewdef('variadic_view');
--|                              pg_get_viewdef
--| ------------------------------------------------------------------------
--|   SELECT concat_ws(','::text, VARIADIC ARRAY[a, b]) AS x,              +
--|      format('%s %s'::text, VARIADIC '{x,y}'::text[]) AS y,             +
--|      jsonb_extract_path(to_jsonb(o1.*), VARIADIC ARRAY['a'::text]) AS z+
--|     FROM o1;
--| (1 row)
insert into o1 values (1, 2), (null, 3);
--| INSERT 0 2
select * from variadic_view;
--|   x  |  y  |  z
--| -----+-----+------
--|  1,2 | x y | 1
--|  3   | x y | null
--| (2 rows)
drop view variadic_view;
--| DROP VIEW
drop table o1;
--| DROP TABLE
