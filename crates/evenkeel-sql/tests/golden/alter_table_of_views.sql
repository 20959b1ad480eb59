-- ALTER TABLE of views, as far as it does anything to them.

create table bt (a int, b int); create view v as select a, b from bt; create sequence sq; create index ix on bt (a); create materialized view mv as select a from bt;
--| CREATE TABLE
--| CREATE VIEW
--| CREATE SEQUENCE
--| CREATE INDEX
--| SELECT 0
alter table v rename to v2; alter table v2 rename column a to x; alter table v2 rename b to y; select * from v2;
--| ALTER TABLE
--| ALTER TABLE
--| ALTER TABLE
--|  x | y
--| ---+---
--| (0 rows)
alter table sq rename to sq2; alter table ix rename to ix2; alter table mv rename to mv2; alter table mv2 rename column a to z;
--| ALTER TABLE
--| ALTER TABLE
--| ALTER TABLE
--| ALTER TABLE
alter view v2 rename column x to w; alter table v2 alter column w set default 5; alter table v2 owner to postgres; alter table sq2 owner to postgres;
--| ALTER VIEW
--| ALTER TABLE
--| ALTER TABLE
--| ALTER TABLE
create schema sx; alter table v2 set schema sx; alter table sq2 set schema sx; select relname, relkind, relnamespace::regnamespace from pg_class where relname in ('v2', 'sq2', 'ix2', 'mv2') order by 1;
--| CREATE SCHEMA
--| ALTER TABLE
--| ALTER TABLE
--|  relname | relkind | relnamespace
--| ---------+---------+--------------
--|  ix2     | i       | public
--|  mv2     | m       | public
--|  sq2     | S       | sx
--|  v2      | v       | sx
--| (4 rows)
alter table sx.v2 add column q int; alter table sx.v2 drop column w; alter table sx.v2 alter w drop not null; alter table sx.v2 alter w type bigint;
--| ERROR:  42809: ALTER action ADD COLUMN cannot be performed on relation "v2"
--| DETAIL:  This operation is not supported for views.
alter index ix2 rename to ix3; alter view bt rename to bt2; alter table if exists nope rename to x; alter table if exists sx.v2 rename to v3;
--| ERROR:  42809: "bt" is not a view
alter table bt rename to bt3; alter index bt3 rename to bt4; alter sequence bt4 rename to bt5; 
--| ERROR:  42809: "bt4" is not a sequence
