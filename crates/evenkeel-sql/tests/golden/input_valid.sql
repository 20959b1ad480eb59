-- Whether a text is one of a value, of types that users made, too.
create domain positive as int check (value > 0);
--| CREATE DOMAIN
create domain weird as float8 check ((1 / value) < 10);
--| CREATE DOMAIN
create type complex as (r float8, i float8);
--| CREATE TYPE
create type rainbow as enum ('red', 'green');
--| CREATE TYPE
create type item as (n positive, t text);
--| CREATE TYPE
select pg_input_is_valid('1', 'positive'), pg_input_is_valid('junk', 'positive'), pg_input_is_valid('-1', 'positive'), pg_input_is_valid(null, 'positive');
--|  pg_input_is_valid | pg_input_is_valid | pg_input_is_valid | pg_input_is_valid
--| -------------------+-------------------+-------------------+-------------------
--|  t                 | f                 | f                 |
--| (1 row)
select pg_input_is_valid('(1,2)', 'complex'), pg_input_is_valid('(1,2', 'complex'), pg_input_is_valid('(1,zed)', 'complex'), pg_input_is_valid('{"(1,2)"}', 'complex[]');
--|  pg_input_is_valid | pg_input_is_valid | pg_input_is_valid | pg_input_is_valid
--| -------------------+-------------------+-------------------+-------------------
--|  t                 | f                 | f                 | t
--| (1 row)
select pg_input_is_valid('red', 'rainbow'), pg_input_is_valid('blue', 'rainbow'), pg_input_is_valid('{red,blue}', 'rainbow[]');
--|  pg_input_is_valid | pg_input_is_valid | pg_input_is_valid
--| -------------------+-------------------+-------------------
--|  t                 | f                 | f
--| (1 row)
select pg_input_is_valid('(1,x)', 'item'), pg_input_is_valid('(0,x)', 'item');
--|  pg_input_is_valid | pg_input_is_valid
--| -------------------+-------------------
--|  t                 | f
--| (1 row)
select v, pg_input_is_valid(v, 'positive') from (values ('1'), ('0'), ('x')) t(v);
--|  v | pg_input_is_valid
--| ---+-------------------
--|  1 | t
--|  0 | f
--|  x | f
--| (3 rows)
select * from pg_input_error_info('(1,zed)', 'complex');
--|                         message                        | detail | hint | sql_error_code
--| -------------------------------------------------------+--------+------+----------------
--|  invalid input syntax for type double precision: "zed" |        |      | 22P02
--| (1 row)
select * from pg_input_error_info('(1,1e400)', 'complex');
--|                       message                      | detail | hint | sql_error_code
--| ---------------------------------------------------+--------+------+----------------
--|  "1e400" is out of range for type double precision |        |      | 22003
--| (1 row)
select * from pg_input_error_info('blue', 'rainbow');
--|                    message                    | detail | hint | sql_error_code
--| ----------------------------------------------+--------+------+----------------
--|  invalid input value for enum rainbow: "blue" |        |      | 22P02
--| (1 row)
select pg_input_is_valid('x', 'no_such_type');
--| ERROR:  42704: type "no_such_type" does not exist
create domain over as positive;
--| CREATE DOMAIN
select pg_basetype('over'::regtype), pg_basetype('int'::regtype), pg_basetype(null), pg_basetype(1::regtype), pg_basetype('complex'::regtype);
--|  pg_basetype | pg_basetype | pg_basetype | pg_basetype | pg_basetype
--| -------------+-------------+-------------+-------------+-------------
--|  integer     | integer     |             |             | complex
--| (1 row)
select getdatabaseencoding();
--|  getdatabaseencoding
--| ---------------------
--|  UTF8
--| (1 row)
-- Constraints with JSON's functions are shown as they are written.
create table c (js jsonb, i int, x jsonb default json_query(jsonb '[1,2]', '$[*]' with wrapper), constraint c1 check (json_exists(js, '$.a' passing i + 5 as int) or i > 0));
--| CREATE TABLE
select pg_get_constraintdef(oid, true) from pg_constraint where conrelid = 'c'::regclass and contype = 'c';
--|                        pg_get_constraintdef
--| ------------------------------------------------------------------
--|  CHECK (JSON_EXISTS(js, '$."a"' PASSING i + 5 AS "int") OR i > 0)
--| (1 row)
select pg_get_expr(adbin, adrelid, true) from pg_attrdef where adrelid = 'c'::regclass;
--|                                         pg_get_expr
--| --------------------------------------------------------------------------------------------
--|  JSON_QUERY('[1, 2]'::jsonb, '$[*]' RETURNING jsonb WITH UNCONDITIONAL WRAPPER KEEP QUOTES)
--| (1 row)
-- A zone whose offset changes needs a date, which may stand before the time.
select timetz 'T040506.789 America/Los_Angeles';
--| ERROR:  22007: invalid input syntax for type time with time zone: "T040506.789 America/Los_Angeles"
select timetz '2001-12-27 T040506.789 America/Los_Angeles', timetz '2001-07-27 04:05:06.789 America/Los_Angeles', timetz '040506 Etc/GMT+5';
--|      timetz      |     timetz      |   timetz
--| -----------------+-----------------+-------------
--|  04:05:06.789-08 | 04:05:06.789-07 | 04:05:06-05
--| (1 row)
select time '040506 America/Los_Angeles';
--| ERROR:  22007: invalid input syntax for type time: "040506 America/Los_Angeles"
