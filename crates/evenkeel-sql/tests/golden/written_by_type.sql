-- Values whose type alone tells how they are written, where functions take any.
create schema sx;
--| CREATE SCHEMA
create type sx.en as enum ('a', 'b');
--| CREATE TYPE
select format('%I.%s %L', 'pg_catalog'::regnamespace, 'pg_class'::regclass, 'int4'::regtype);
--|             format
--| -------------------------------
--|  pg_catalog.pg_class 'integer'
--| (1 row)
select concat('x', 'pg_class'::regclass, 'b'::sx.en), concat_ws(',', 'pg_class'::regclass, 'b'::sx.en);
--|    concat   | concat_ws
--| ------------+------------
--|  xpg_classb | pg_class,b
--| (1 row)
select to_json('pg_class'::regclass), to_jsonb('10.0.0.1/32'::cidr), json_build_object('a', 'pg_class'::regclass, 'b', '10.0.0.1/32'::cidr);
--|   to_json   |   to_jsonb    |            json_build_object
--| ------------+---------------+-----------------------------------------
--|  "pg_class" | "10.0.0.1/32" | {"a" : "pg_class", "b" : "10.0.0.1/32"}
--| (1 row)
select jsonb_build_array('pg_class'::regclass, 'b'::sx.en), jsonb_build_object('pg_class'::regclass, 1), json_array('pg_class'::regclass), json_object('a': 'pg_class'::regclass), json_scalar('pg_class'::regclass);
--|  jsonb_build_array | jsonb_build_object |  json_array  |    json_object     | json_scalar
--| -------------------+--------------------+--------------+--------------------+-------------
--|  ["pg_class", "b"] | {"pg_class": 1}    | ["pg_class"] | {"a" : "pg_class"} | "pg_class"
--| (1 row)
select concat(variadic array['pg_class'::regclass, null]), format('%s %s', variadic array['pg_class'::regclass, 'pg_type'::regclass]), json_build_array(variadic array['pg_class'::regclass]);
--|   concat  |      format      | json_build_array
--| ----------+------------------+------------------
--|  pg_class | pg_class pg_type | ["pg_class"]
--| (1 row)
create view sx.shown as select format('%s', oid::regclass) as f, to_json(oid::regclass) as j from pg_class where relname = 'pg_type';
--| CREATE VIEW
select * from sx.shown;
--|     f    |     j
--| ---------+-----------
--|  pg_type | "pg_type"
--| (1 row)
drop schema sx cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to type sx.en
--| drop cascades to view sx.shown
--| DROP SCHEMA
