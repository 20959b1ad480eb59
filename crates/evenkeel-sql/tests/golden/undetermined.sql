-- Functions that work on values of one type, whichever, have to be told which: literals alone say nothing.

select to_json('a');
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select to_jsonb(null);
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select array_agg('a');
--| ERROR:  42725: function array_agg(unknown) is not unique
--| HINT:  Could not choose a best candidate function. You might need to add explicit type casts.
select jsonb_agg('a');
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select any_value('a');
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select lag('a') over ();
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select lag('a', 1) over ();
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select lag('a', 1, 'b') over ();
--|  lag
--| -----
--|  b
--| (1 row)
select first_value('a') over (), 1;
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select nth_value('a', 1) over ();
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select array_fill('a', array[2]);
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select array_length('{1}', 1);
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select array_to_string('{1}', ',');
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select cardinality('{1}');
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select generate_subscripts('{1}', 1);
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select array_to_json('{1}');
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
-- What may be of several types that have one in common is text at last.
select array_append('{a}', 'b'), array_position('{a}', 'a'), '{a}' || array['b'], array_replace('{a}', 'a', 'b');
--|  array_append | array_position | ?column? | array_replace
--| --------------+----------------+----------+---------------
--|  {a,b}        |              1 | {a,b}    | {b}
--| (1 row)
select pg_typeof('a'), pg_column_size('abc'), json_scalar('a'), 'a' is json, json_build_array('a'), count('a'), concat('a', 'b'), json_value('{"a":1}', '$.a'), jsonb_build_object('a', 'b');
--|  pg_typeof | pg_column_size | json_scalar | ?column? | json_build_array | count | concat | json_value | jsonb_build_object
--| -----------+----------------+-------------+----------+------------------+-------+--------+------------+--------------------
--|  unknown   |              4 | "a"         | f        | ["a"]            |     1 | ab     | 1          | {"a": "b"}
--| (1 row)
select mode() within group (order by 'a');
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
prepare p as select to_json($1);
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
