-- DEFAULT is a value of the type that is returned, with its length.
select json_value(jsonb '{}', '$.a' returning numeric(4,1) default 99999.999 on empty);
--| ERROR:  22003: numeric field overflow
--| DETAIL:  A field with precision 4, scale 1 must round to an absolute value less than 10^3.
select json_value(jsonb '{}', '$.a' returning varchar(3) default 'toolong'::varchar(10) on empty);
--| ERROR:  22001: value too long for type character varying(3)
select json_value(jsonb '{}', '$.a' returning bit(3) default b'10101' on empty);
--| ERROR:  22026: bit string length 5 does not match type bit(3)
select json_value(jsonb '{}', '$.a' returning varchar(3) default 'abc' on empty);
--|  json_value
--| ------------
--|  abc
--| (1 row)
select json_query(jsonb '"aaa"', '$.a' returning char(2) omit quotes default '"bb"'::jsonb on empty);
--|  json_query
--| ------------
--|  bb
--| (1 row)
select json_query(jsonb '1', '$.a' returning int[] default '[1, 2]'::jsonb on empty);
--|  json_query
--| ------------
--|  {1,2}
--| (1 row)
create domain not_nothing as int not null;
--| CREATE DOMAIN
select json_value(jsonb '1', '$.a' returning not_nothing default null on empty error on error);
--| ERROR:  23502: domain not_nothing does not allow null values
select json_value(jsonb '1', '$.a' returning not_nothing default null on empty);
--| ERROR:  42804: could not coerce ON EMPTY expression (DEFAULT) to the RETURNING type
--| DETAIL:  domain not_nothing does not allow null values
select json_query(jsonb '{"a": "{1,2,3}"}', '$.a' returning int[] keep quotes error on error);
--| ERROR:  22P02: expected JSON array
select json_query(jsonb '{"a": "{1,2,3}"}', '$.a' returning int[] keep quotes), json_query(jsonb '{"a": "{1,2,3}"}', '$.a' returning int[] omit quotes);
--|  json_query | json_query
--| ------------+------------
--|             | {1,2,3}
--| (1 row)
create type ab as (a int, b int);
--| CREATE TYPE
select json_query(jsonb '{"a": "(1,2)"}', '$.a' returning ab keep quotes error on error);
--| ERROR:  22023: cannot call populate_composite on a scalar
select json_query(jsonb '{"a": "(1,2)"}', '$.a' returning ab omit quotes);
--|  json_query
--| ------------
--|  (1,2)
--| (1 row)
select jsonb_path_query('"1000000-01-01"', '$.datetime() > "2020-01-01 12:00:00".datetime()'), jsonb_path_query('["1000000-01-01", "2020-01-01 12:00:00"]', '$[1].datetime() < $[0].datetime()');
--|  jsonb_path_query | jsonb_path_query
--| ------------------+------------------
--|  true             | true
--| (1 row)
select jsonb_path_query_tz('"1000000-01-01"', '$.datetime() > "2020-01-01 12:00:00+00".datetime()');
--|  jsonb_path_query_tz
--| ---------------------
--|  true
--| (1 row)
select jsonb_path_query('"1000000-01-01"', '$.datetime() > "2020-01-01 12:00:00+00".datetime()');
--| ERROR:  0A000: cannot convert value from date to timestamptz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select substring('abcdefg' similar 'a#"%g' escape '#'), substring('abcdefg' similar 'b#"%g' escape '#');
--|  substring | substring
--| -----------+-----------
--|  bcdefg    |
--| (1 row)
select (i / (10::numeric ^ 131071))::numeric(1,0) from generate_series(7 * (10::numeric ^ 131071), 9 * (10::numeric ^ 131071), 10::numeric ^ 131071) as a(i);
--|  numeric
--| ---------
--|        7
--|        8
--|        9
--| (3 rows)
select jsonb_array_elements('[1]'::jsonb) in (select 1);
--| ERROR:  42883: operator does not exist: jsonb = integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select jsonb_array_elements('[1]'::jsonb) in (select '1'::jsonb);
--| ERROR:  42804: row comparison operator must not return a set
