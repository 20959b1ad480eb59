-- VARIADIC: an array of the arguments that a function takes any number of.

select num_nonnulls(variadic '{1,2,NULL,3}'::int[]), num_nulls(variadic array(select case when i <> 40 then i end from generate_series(1, 100) i)), num_nulls(variadic null::text[]), num_nonnulls(variadic '{}'::int[]);
--|  num_nonnulls | num_nulls | num_nulls | num_nonnulls
--| --------------+-----------+-----------+--------------
--|             3 |         1 |           |            0
--| (1 row)
select concat_ws(',', variadic array[1, 2, null]::int[]), concat(variadic null::int[]) is null, concat(variadic '{}'::int[]) = '', format('%s, %s', variadic array[true, false]::text[]), format('Hello', variadic null::int[]);
--|  concat_ws | ?column? | ?column? |   format    | format
--| -----------+----------+----------+-------------+--------
--|  1,2       | t        | t        | true, false | Hello
--| (1 row)
select json_build_array(variadic '{{1,4},{2,5}}'::int[][]), json_build_object(variadic '{a,1,b,2}'::text[]), jsonb_build_array(variadic null::text[]);
--|  json_build_array |   json_build_object    | jsonb_build_array
--| ------------------+------------------------+-------------------
--|  [1, 4, 2, 5]     | {"a" : "1", "b" : "2"} |
--| (1 row)
select jsonb_extract_path('{"a":{"b":1}}', variadic array['a'] || 'b'::text), jsonb_extract_path('{"a":1}', variadic null);
--|  jsonb_extract_path | jsonb_extract_path
--| --------------------+--------------------
--|  1                  |
--| (1 row)
select format(string_agg('%s', ','), variadic array_agg(i)) from generate_series(1, 20) g(i);
--|                        format
--| ----------------------------------------------------
--|  1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20
--| (1 row)
select concat_ws(',', variadic 10);
--| ERROR:  42804: VARIADIC argument must be an array
select num_nulls(variadic '{1,2}');
--| ERROR:  42804: VARIADIC argument must be an array
select jsonb_extract_path('{"a":{"b":1}}', variadic 'a');
--| ERROR:  22P02: malformed array literal: "a"
--| DETAIL:  Array value must start with "{" or dimension information.
create view spread as select concat_ws('-', variadic a) as c from (values (array['x', 'y']), (array['z'])) t(a);
--| CREATE VIEW
select pg_get_viewdef('spread');
--|                               pg_get_viewdef
--| ---------------------------------------------------------------------------
--|   SELECT concat_ws('-'::text, VARIADIC a) AS c                            +
--|     FROM ( VALUES (ARRAY['x'::text, 'y'::text]), (ARRAY['z'::text])) t(a);
--| (1 row)
select * from spread;
--|   c
--| -----
--|  x-y
--|  z
--| (2 rows)
drop view spread;
--| DROP VIEW

-- functions in FROM
select * from jsonb_extract_path('{"a":{"b":1}}', variadic '{a,b}') x;
--|  x
--| ---
--|  1
--| (1 row)
select * from concat(variadic array['a','b']) x;
--|  x
--| ----
--|  ab
--| (1 row)
select * from format('%s-%s', variadic array['a','b']) with ordinality x;
--|   x  | ordinality
--| -----+------------
--|  a-b |          1
--| (1 row)
select t.x, e from (values ('{"k":[1,2]}'::jsonb)) t(x), jsonb_array_elements(jsonb_extract_path(t.x, variadic array['k'])) e;
--|        x       | e
--| ---------------+---
--|  {"k": [1, 2]} | 1
--|  {"k": [1, 2]} | 2
--| (2 rows)
select * from unnest(variadic array['a','b']) x;
--|  x
--| ---
--|  a
--|  b
--| (2 rows)
select * from rows from (concat(variadic array['a','b']), generate_series(1, 2)) x;
--|  concat | generate_series
--| --------+-----------------
--|  ab     |               1
--|         |               2
--| (2 rows)
select * from nothing(variadic array['a','b']) x;
--| ERROR:  42883: function nothing(text[]) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
