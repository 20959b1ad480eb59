-- generate_subscripts backwards.
select * from generate_subscripts(array[3,2,1], 1, true);
--|  generate_subscripts
--| ---------------------
--|                    3
--|                    2
--|                    1
--| (3 rows)
select generate_subscripts(array[3,2,1], 1, true);
--|  generate_subscripts
--| ---------------------
--|                    3
--|                    2
--|                    1
--| (3 rows)
select * from generate_subscripts('[0:2]={7,8,9}'::int[], 1, true) with ordinality;
--|  generate_subscripts | ordinality
--| ---------------------+------------
--|                    2 |          1
--|                    1 |          2
--|                    0 |          3
--| (3 rows)
select * from generate_subscripts(array[3,2,1], 1, null);
--|  generate_subscripts
--| ---------------------
--| (0 rows)
select a[s] from (select array['x','y','z'] a) q, generate_subscripts(a, 1, 't') s;
--|  a
--| ---
--|  z
--|  y
--|  x
--| (3 rows)
select generate_subscripts(array[1], 1, 5);
--| ERROR:  42883: function generate_subscripts(integer[], integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select generate_subscripts(array[1], 1, true, 7);
--| ERROR:  42883: function generate_subscripts(integer[], integer, boolean, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.

-- What is searched by its name, pg_catalog too.
set search_path = test, pg_catalog;
--| SET
select current_schemas(true), current_schemas(false), current_schema();
--|  current_schemas | current_schemas | current_schema
--| -----------------+-----------------+----------------
--|  {pg_catalog}    | {pg_catalog}    | pg_catalog
--| (1 row)
set search_path = pg_catalog, public;
--| SET
select current_schemas(true), current_schemas(false), current_schema();
--|    current_schemas   |   current_schemas   | current_schema
--| ---------------------+---------------------+----------------
--|  {pg_catalog,public} | {pg_catalog,public} | pg_catalog
--| (1 row)
set search_path = public, pg_catalog;
--| SET
select current_schemas(true), current_schemas(false), current_schema();
--|    current_schemas   |   current_schemas   | current_schema
--| ---------------------+---------------------+----------------
--|  {public,pg_catalog} | {public,pg_catalog} | public
--| (1 row)
reset search_path;
--| RESET

-- Names of whole rows and of NOT EXISTS.
select not exists (select 1);
--|  ?column?
--| ----------
--|  f
--| (1 row)
select t.*::text, (t.*)::text from (values (1)) t(x);
--|   t  |  t
--| -----+-----
--|  (1) | (1)
--| (1 row)

-- Modifiers of arrays and of their elements.
create table mods (v varchar(10), n numeric(8,2), a varchar(5)[], na numeric(4,1)[]);
--| CREATE TABLE
create table modx as select array[v,v] as d, array[n] as e, a[1] as f, na[1] as g, a[1:2] as g2, array[v, 'x'] as h, array[a, a] as i from mods;
--| SELECT 0
select attname, format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'modx'::regclass and attnum > 0 order by attnum;
--|  attname |       format_type
--| ---------+-------------------------
--|  d       | character varying(10)[]
--|  e       | numeric(8,2)[]
--|  f       | character varying(5)
--|  g       | numeric(4,1)
--|  g2      | character varying(5)[]
--|  h       | character varying[]
--|  i       | character varying(5)[]
--| (7 rows)
drop table mods, modx;
--| DROP TABLE

-- A schema whose name has a comma.
create schema "pa,b";
--| CREATE SCHEMA
create table "pa,b".pk (w text);
--| CREATE TABLE
create table public.pk (w text);
--| CREATE TABLE
set search_path = "pa,b", public;
--| SET
select current_schemas(false);
--|  current_schemas
--| -----------------
--|  {"pa,b",public}
--| (1 row)
insert into pk values ('new');
--| INSERT 0 1
select count(*) from "pa,b".pk;
--|  count
--| -------
--|      1
--| (1 row)
select count(*) from public.pk;
--|  count
--| -------
--|      0
--| (1 row)
reset search_path;
--| RESET
drop table public.pk, "pa,b".pk;
--| DROP TABLE
drop schema "pa,b";
--| DROP SCHEMA
