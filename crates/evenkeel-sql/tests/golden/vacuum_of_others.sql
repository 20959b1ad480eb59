-- VACUUM and ANALYZE of what has no rows of its own.
create view vv as select 1;
--| CREATE VIEW
vacuum vv;
--| WARNING:  skipping "vv" --- cannot vacuum non-tables or special system tables
--| VACUUM
analyze vv;
--| WARNING:  skipping "vv" --- cannot analyze non-tables or special system tables
--| ANALYZE
vacuum analyze vv;
--| WARNING:  skipping "vv" --- cannot vacuum non-tables or special system tables
--| VACUUM
vacuum pg_class;
--| VACUUM
analyze pg_class;
--| ANALYZE
vacuum (full) pg_catalog.pg_proc;
--| VACUUM
vacuum pg_stats;
--| WARNING:  skipping "pg_stats" --- cannot vacuum non-tables or special system tables
--| VACUUM
analyze pg_tables;
--| WARNING:  skipping "pg_tables" --- cannot analyze non-tables or special system tables
--| ANALYZE
vacuum information_schema.tables;
--| WARNING:  skipping "tables" --- cannot vacuum non-tables or special system tables
--| VACUUM
create role lowv; 
--| CREATE ROLE
set role lowv;
--| SET
vacuum pg_class;
--| WARNING:  permission denied to vacuum "pg_class", skipping it
--| VACUUM
analyze pg_class;
--| WARNING:  permission denied to analyze "pg_class", skipping it
--| ANALYZE
vacuum pg_database;
--| WARNING:  permission denied to vacuum "pg_database", skipping it
--| VACUUM
vacuum analyze vv;
--| WARNING:  permission denied to vacuum "vv", skipping it
--| VACUUM
vacuum pg_stats;
--| WARNING:  permission denied to vacuum "pg_stats", skipping it
--| VACUUM
reset role;
--| RESET
drop role lowv;
--| DROP ROLE
create sequence sq;
--| CREATE SEQUENCE
vacuum sq;
--| WARNING:  skipping "sq" --- cannot vacuum non-tables or special system tables
--| VACUUM
analyze sq;
--| WARNING:  skipping "sq" --- cannot analyze non-tables or special system tables
--| ANALYZE
drop view vv;
--| DROP VIEW
drop sequence sq;
--| DROP SEQUENCE
