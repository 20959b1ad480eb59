-- Functions and operators of an extension that nobody asked for are not listed.
create schema sx;
--| CREATE SCHEMA
select count(*) from pg_proc p where not exists (select from pg_type t where t.oid = p.prorettype);
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from pg_proc p, unnest(proargtypes) a where not exists (select from pg_type t where t.oid = a);
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from pg_operator o where not exists (select from pg_type t where t.oid = o.oprresult);
--|  count
--| -------
--|      0
--| (1 row)
create extension hstore schema sx;
--| CREATE EXTENSION
select pronamespace::regnamespace, count(*) > 0 from pg_proc where proname = 'akeys' group by 1;
--|  pronamespace | ?column?
--| --------------+----------
--|  pg_catalog   | t
--| (1 row)
select oprnamespace::regnamespace from pg_operator where oprname = '#<#';
--|  oprnamespace
--| --------------
--|  pg_catalog
--| (1 row)
drop schema sx cascade;
--| NOTICE:  drop cascades to extension hstore
--| DROP SCHEMA
