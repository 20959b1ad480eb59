-- What information_schema says of columns: digits and fields of intervals, collations, NULL in domains, arrays of domains.

create domain told_known as int not null;
--| CREATE DOMAIN
create domain told_short as varchar(7) default 'q';
--| CREATE DOMAIN
create domain told_span as interval day to second(3);
--| CREATE DOMAIN
create table told (a told_known, b told_short, i3 interval(3), iy interval year to month, id interval day to second(2), ip interval, it interval hour, c text collate "C", v varchar(5) collate "C", n name, da told_known[], ts timestamp(2), tz timetz, nu numeric(10,2), nn numeric(3,-2), x text, sp told_span);
--| CREATE TABLE
select column_name, is_nullable, data_type, numeric_precision, numeric_scale, datetime_precision, interval_type, interval_precision from information_schema.columns where table_name = 'told' order by ordinal_position;
--|  column_name | is_nullable |          data_type          | numeric_precision | numeric_scale | datetime_precision |  interval_type   | interval_precision
--| -------------+-------------+-----------------------------+-------------------+---------------+--------------------+------------------+--------------------
--|  a           | NO          | integer                     |                32 |             0 |                    |                  |
--|  b           | YES         | character varying           |                   |               |                    |                  |
--|  i3          | YES         | interval                    |                   |               |                  3 |                  |
--|  iy          | YES         | interval                    |                   |               |                  6 | YEAR TO MONTH    |
--|  id          | YES         | interval                    |                   |               |                  2 | DAY TO SECOND(2) |
--|  ip          | YES         | interval                    |                   |               |                  6 |                  |
--|  it          | YES         | interval                    |                   |               |                  6 | HOUR             |
--|  c           | YES         | text                        |                   |               |                    |                  |
--|  v           | YES         | character varying           |                   |               |                    |                  |
--|  n           | YES         | name                        |                   |               |                    |                  |
--|  da          | YES         | ARRAY                       |                   |               |                    |                  |
--|  ts          | YES         | timestamp without time zone |                   |               |                  2 |                  |
--|  tz          | YES         | time with time zone         |                   |               |                  6 |                  |
--|  nu          | YES         | numeric                     |                10 |             2 |                    |                  |
--|  nn          | YES         | numeric                     |                 3 |          2046 |                    |                  |
--|  x           | YES         | text                        |                   |               |                    |                  |
--|  sp          | YES         | interval                    |                   |               |                  3 | DAY TO SECOND(3) |
--| (17 rows)
select column_name, collation_catalog = current_database() as here, collation_schema, collation_name, domain_schema, domain_name, udt_schema, udt_name from information_schema.columns where table_name = 'told' order by ordinal_position;
--|  column_name | here | collation_schema | collation_name | domain_schema | domain_name | udt_schema |  udt_name
--| -------------+------+------------------+----------------+---------------+-------------+------------+-------------
--|  a           |      |                  |                | public        | told_known  | pg_catalog | int4
--|  b           |      |                  |                | public        | told_short  | pg_catalog | varchar
--|  i3          |      |                  |                |               |             | pg_catalog | interval
--|  iy          |      |                  |                |               |             | pg_catalog | interval
--|  id          |      |                  |                |               |             | pg_catalog | interval
--|  ip          |      |                  |                |               |             | pg_catalog | interval
--|  it          |      |                  |                |               |             | pg_catalog | interval
--|  c           | t    | pg_catalog       | C              |               |             | pg_catalog | text
--|  v           | t    | pg_catalog       | C              |               |             | pg_catalog | varchar
--|  n           | t    | pg_catalog       | C              |               |             | pg_catalog | name
--|  da          |      |                  |                |               |             | public     | _told_known
--|  ts          |      |                  |                |               |             | pg_catalog | timestamp
--|  tz          |      |                  |                |               |             | pg_catalog | timetz
--|  nu          |      |                  |                |               |             | pg_catalog | numeric
--|  nn          |      |                  |                |               |             | pg_catalog | numeric
--|  x           |      |                  |                |               |             | pg_catalog | text
--|  sp          |      |                  |                | public        | told_span   | pg_catalog | interval
--| (17 rows)
create type told_row as (x int, z interval day to second(3), n numeric(3,-2));
--| CREATE TYPE
select attribute_name, data_type, datetime_precision, interval_type, numeric_scale from information_schema.attributes where udt_name = 'told_row' order by ordinal_position;
--|  attribute_name | data_type | datetime_precision |  interval_type   | numeric_scale
--| ----------------+-----------+--------------------+------------------+---------------
--|  x              | integer   |                    |                  |             0
--|  z              | interval  |                  3 | DAY TO SECOND(3) |
--|  n              | numeric   |                    |                  |          2046
--| (3 rows)
select domain_name, data_type, datetime_precision, interval_type from information_schema.domains where domain_name like 'told%' order by 1;
--|  domain_name |     data_type     | datetime_precision |  interval_type
--| -------------+-------------------+--------------------+------------------
--|  told_known  | integer           |                    |
--|  told_short  | character varying |                    |
--|  told_span   | interval          |                  3 | DAY TO SECOND(3)
--| (3 rows)
create view told_view as select a, i3, nu from told;
--| CREATE VIEW
select column_name, is_nullable, datetime_precision from information_schema.columns where table_name = 'told_view' order by 1;
--|  column_name | is_nullable | datetime_precision
--| -------------+-------------+--------------------
--|  a           | NO          |
--|  i3          | YES         |                  3
--|  nu          | YES         |
--| (3 rows)
