-- Differences that random statements found.

-- Integers are bytes.
select 258::int2::bytea, 258::bytea, (-1)::int8::bytea, '\x0102'::bytea::int2, '\x'::bytea::int4, '\xffffffff'::bytea::int4, '\xff'::bytea::int8;
--|  bytea  |   bytea    |       bytea        | int2 | int4 | int4 | int8
--| --------+------------+--------------------+------+------+------+------
--|  \x0102 | \x00000102 | \xffffffffffffffff |  258 |    0 |   -1 |  255
--| (1 row)
select '\x010203'::bytea::int2;
--| ERROR:  22003: smallint out of range
select '\x0102030405'::bytea::int4;
--| ERROR:  22003: integer out of range
-- Keys that are deleted are arguments, not an array.
select jsonb_delete('["a", "b", "c"]', 'a', 'b'), jsonb_delete('["a", "b"]', 'a', null), jsonb_delete(null, 'a', 'b');
--|  jsonb_delete | jsonb_delete | jsonb_delete
--| --------------+--------------+--------------
--|  ["c"]        | ["b"]        |
--| (1 row)
select jsonb_delete('["a", "b"]'::jsonb, '{a}'::text[]);
--| ERROR:  42883: function jsonb_delete(jsonb, text[]) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
-- NULLIF is of the type that is compared.
select nullif('10.0.0.1/32'::cidr, '10.0.0.0/8'::cidr), pg_typeof(nullif('10.0.0.1/32'::cidr, '10.0.0.0/8'::cidr)), pg_typeof(nullif('a'::varchar, 'b'::varchar)), pg_typeof(nullif('a'::char(3), 'b'::char(3)));
--|   nullif  | pg_typeof | pg_typeof | pg_typeof
--| ----------+-----------+-----------+-----------
--|  10.0.0.1 | inet      | text      | character
--| (1 row)
-- Rows that are on both sides have to be told apart, be they kept as often as they are.
select '1'::json except all select '1'::json;
--| ERROR:  42883: could not identify an equality operator for type json
select '$'::jsonpath intersect all select '$'::jsonpath;
--| ERROR:  42883: could not identify an equality operator for type jsonpath
select '1'::json union all select '2'::json;
--|  json
--| ------
--|  1
--|  2
--| (2 rows)
