-- Tables of one name in several schemas, in queries that are kept: a view names them apart, whatever becomes of the schemas.
create schema a;
--| CREATE SCHEMA
create schema b;
--| CREATE SCHEMA
create table a.t (x int, y int);
--| CREATE TABLE
create table b.t (x int, z text);
--| CREATE TABLE
insert into a.t values (1, 2), (3, 4);
--| INSERT 0 2
insert into b.t values (1, 'one'), (3, 'three'), (5, 'five');
--| INSERT 0 3
create view pair as select a.t.x, b.t.z from a.t, b.t where a.t.x = b.t.x;
--| CREATE VIEW
create view each as select a.t.*, b.t.x as bx from a.t join b.t on a.t.x = b.t.x where a.t.y > 0 and b.t.z <> '';
--| CREATE VIEW
create view all_columns as select * from a.t natural join b.t;
--| CREATE VIEW
create view later as select * from a.t left join b.t using (x) left join a.t as t2 using (x, y);
--| CREATE VIEW
create view within as select b.t.x from b.t where not exists (select 1 from a.t where a.t.x = b.t.x);
--| CREATE VIEW
create view within_bare as select a.t.x from a.t where exists (select 1 from b.t where t.x = a.t.x and t.z like 't%');
--| CREATE VIEW
create view rows as select a.t.x, (select count(t) from b.t where t.x >= a.t.x) as n from a.t;
--| CREATE VIEW
create view systems as select a.t.tableoid = 'a.t'::regclass as first, b.t.tableoid = 'b.t'::regclass as second from a.t, b.t where a.t.ctid = b.t.ctid;
--| CREATE VIEW
create materialized view kept as select a.t.x, b.t.z from a.t, b.t where a.t.x = b.t.x;
--| SELECT 2
create view refused as select t.x from a.t, b.t;
--| ERROR:  42P09: table reference "t" is ambiguous
create view refused as select x from a.t, b.t;
--| ERROR:  42702: column reference "x" is ambiguous
create view hidden as select a.t.x from a.t where exists (select 1 from generate_series(1, 3) t(x) where t.x = a.t.x);
--| ERROR:  0A000: a table "t" that another one hides is not supported in a query that is stored
--| HINT:  Give one of them another alias.
select pg_get_viewdef('pair'), pg_get_viewdef('within'), pg_get_viewdef('later');
--|      pg_get_viewdef     |          pg_get_viewdef           |            pg_get_viewdef
--| ------------------------+-----------------------------------+--------------------------------------
--|   SELECT t.x,          +|  SELECT x                        +|  SELECT t.x,                        +
--|      t_1.z             +|    FROM b.t                      +|     t.y,                            +
--|     FROM a.t,          +|   WHERE (NOT (EXISTS ( SELECT 1  +|     t_1.z                           +
--|      b.t t_1           +|            FROM a.t t_1          +|    FROM ((a.t                       +
--|    WHERE (t.x = t_1.x); |           WHERE (t_1.x = t.x)))); |      LEFT JOIN b.t t_1 USING (x))   +
--|                         |                                   |      LEFT JOIN a.t t2 USING (x, y));
--| (1 row)
alter schema b rename to c;
--| ALTER SCHEMA
select * from pair order by 1;
--|  x |   z
--| ---+-------
--|  1 | one
--|  3 | three
--| (2 rows)
select * from each order by 1;
--|  x | y | bx
--| ---+---+----
--|  1 | 2 |  1
--|  3 | 4 |  3
--| (2 rows)
select * from all_columns order by 1;
--|  x | y |   z
--| ---+---+-------
--|  1 | 2 | one
--|  3 | 4 | three
--| (2 rows)
select * from later order by 1;
--|  x | y |   z
--| ---+---+-------
--|  1 | 2 | one
--|  3 | 4 | three
--| (2 rows)
select * from within order by 1;
--|  x
--| ---
--|  5
--| (1 row)
select * from within_bare order by 1;
--|  x
--| ---
--|  3
--| (1 row)
select * from rows order by 1;
--|  x | n
--| ---+---
--|  1 | 3
--|  3 | 2
--| (2 rows)
select * from systems;
--|  first | second
--| -------+--------
--|  t     | t
--|  t     | t
--| (2 rows)
select * from kept order by 1;
--|  x |   z
--| ---+-------
--|  1 | one
--|  3 | three
--| (2 rows)
select pg_get_viewdef('pair');
--|      pg_get_viewdef
--| ------------------------
--|   SELECT t.x,          +
--|      t_1.z             +
--|     FROM a.t,          +
--|      c.t t_1           +
--|    WHERE (t.x = t_1.x);
--| (1 row)
alter table c.t rename to u;
--| ALTER TABLE
select * from pair order by 1;
--|  x |   z
--| ---+-------
--|  1 | one
--|  3 | three
--| (2 rows)
select pg_get_viewdef('pair');
--|      pg_get_viewdef
--| ------------------------
--|   SELECT t.x,          +
--|      t_1.z             +
--|     FROM a.t,          +
--|      c.u t_1           +
--|    WHERE (t.x = t_1.x);
--| (1 row)
