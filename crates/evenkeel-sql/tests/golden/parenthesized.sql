-- UNIONs whose first query stands in parentheses, defaults that are empty arrays, and text cast to bit strings of a length.
create table ta (a int, t text[] default array[]::text[], u int[] default (array[]::int[]), v text default ('a'::text), w jsonb default '[]'::jsonb);
--| CREATE TABLE
insert into ta(a) values (1);
--| INSERT 0 1
select * from ta;
--|  a | t  | u  | v | w
--| ---+----+----+---+----
--|  1 | {} | {} | a | []
--| (1 row)
alter table ta add x text[] not null default array[]::text[];
--| ALTER TABLE
alter table ta alter t set default array[]::varchar[]::text[];
--| ALTER TABLE
select ('x' || md5('a'))::bit(64)::bigint;
--|         int8
--| --------------------
--|  919145239626757800
--| (1 row)
select ('10101'||'')::varbit(2), ('1'||'')::bit(4), '10101'::bit(3), cast('10' as bit(4)), '10101'::text::bit(2);
--|  varbit | bit  | bit | bit  | bit
--| --------+------+-----+------+-----
--|  10     | 1000 | 101 | 1000 | 10
--| (1 row)
create table tb (b bit(3), v varbit(2));
--| CREATE TABLE
insert into tb values ('1010'::text::bit(4), '1');
--| ERROR:  22026: bit string length 4 does not match type bit(3)
insert into tb values ('1010', '1');
--| ERROR:  22026: bit string length 4 does not match type bit(3)
insert into tb values ('101', '101');
--| ERROR:  22001: bit string too long for type bit varying(2)
with recursive b(p) as ((select 1) union all select p+1 from b where p < 3) select * from b;
--|  p
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
with recursive b(p) as ((select 1 union select 2) union all select p+1 from b where p < 3) select * from b;
--|  p
--| ---
--|  1
--|  2
--|  2
--|  3
--|  3
--| (5 rows)
with recursive b(p) as ((select 1 order by 1 limit 1) union all (select p+1 from b where p < 3)) select * from b;
--|  p
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
with recursive b(p) as (((select 1) union all select p+1 from b where p < 3)) select * from b;
--|  p
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
with recursive b(p) as ((values (1)) union (select p+1 from b where p < 3)) select * from b;
--|  p
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
with recursive b(p) as (((select 1)) union all (select p+1 from b where p < 3)) select * from b;
--|  p
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
with recursive q as ((select 1 as n) union (select n+1 from q where n < 4)) select * from q;
--|  n
--| ---
--|  1
--|  2
--|  3
--|  4
--| (4 rows)
create view vr as with recursive q as ((select 1 as n) union (select n+1 from q where n < 4)) select * from q;
--| CREATE VIEW
select pg_get_viewdef('vr');
--|        pg_get_viewdef
--| -----------------------------
--|   WITH RECURSIVE q AS (     +
--|           SELECT 1 AS n     +
--|          UNION              +
--|           SELECT (q_1.n + 1)+
--|             FROM q q_1      +
--|            WHERE (q_1.n < 4)+
--|          )                  +
--|   SELECT n                  +
--|     FROM q;
--| (1 row)
select * from ((select 1) union (select 2)) x order by 1;
--|  ?column?
--| ----------
--|         1
--|         2
--| (2 rows)
select ((select 1) union (select 1));
--|  ?column?
--| ----------
--|         1
--| (1 row)
create view vs as ((select 1 as a) union all (select 2)) order by 1;
--| CREATE VIEW
select * from vs;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
drop view vs, vr;
--| DROP VIEW
create table tq as ((select 1 as a) union all (select 2));
--| SELECT 2
insert into tq ((select 3) union (select 4));
--| INSERT 0 2
select * from tq order by 1;
--|  a
--| ---
--|  1
--|  2
--|  3
--|  4
--| (4 rows)
drop table tq;
--| DROP TABLE
((select 1 as a) union all (select 2)) order by 1;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
((select 1 as a) union all select 2) order by 1;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
((select 1 as a) union all (select 2));
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
(((select 1 as a) union all (select 2)) order by 1) limit 1;
--|  a
--| ---
--|  1
--| (1 row)
create view vs1 as ((select 1 as a) union all (select 2));
--| CREATE VIEW
select * from vs1;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
create view vs2 as (((select 1 as a) union all (select 2)) order by 1) limit 1;
--| CREATE VIEW
select * from vs2;
--|  a
--| ---
--|  1
--| (1 row)
select pg_get_viewdef('vs2');
--|  pg_get_viewdef
--| ----------------
--|   SELECT 1 AS a+
--|  UNION ALL     +
--|   SELECT 2 AS a+
--|    ORDER BY 1  +
--|   LIMIT 1;
--| (1 row)
create view vs3 as with x as ((select 1 as a) union all (select 2)) select * from x;
--| CREATE VIEW
select * from vs3;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
create view vs4 as with x as materialized (((select 1 as a) union all (select 2)) order by 1) select * from x;
--| CREATE VIEW
select * from vs4;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
select pg_get_viewdef('vs4');
--|       pg_get_viewdef
--| ---------------------------
--|   WITH x AS MATERIALIZED (+
--|           SELECT 1 AS a   +
--|          UNION ALL        +
--|           SELECT 2        +
--|    ORDER BY 1             +
--|          )                +
--|   SELECT a                +
--|     FROM x;
--| (1 row)
prepare p1 as ((select 1 as a) union all (select 2)) order by 1;
--| PREPARE
execute p1;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
create materialized view mv1 as ((select 1 as a) union all (select 2)) order by 1;
--| SELECT 2
refresh materialized view mv1;
--| REFRESH MATERIALIZED VIEW
select * from mv1;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
drop view vs1,vs2,vs3,vs4;
--| DROP VIEW
drop materialized view mv1;
--| DROP MATERIALIZED VIEW
-- what stands behind parentheses is the query's within
create table behind (a int, b int);
--| CREATE TABLE
insert into behind values (1, 30), (2, 20), (3, 10);
--| INSERT 0 3
(select a from behind limit 1) order by a desc;
--|  a
--| ---
--|  3
--| (1 row)
(select a from behind order by b) limit 1;
--|  a
--| ---
--|  3
--| (1 row)
((select a from behind limit 2)) order by a desc;
--|  a
--| ---
--|  3
--|  2
--| (2 rows)
(select a from behind offset 2) order by a desc;
--|  a
--| ---
--|  1
--| (1 row)
(select a from behind order by a desc) offset 1 limit 1;
--|  a
--| ---
--|  2
--| (1 row)
(values (1), (2), (3) limit 1) order by 1 desc;
--|  column1
--| ---------
--|        3
--| (1 row)
(select a from behind union all select 9 limit 1) order by 1 desc;
--|  a
--| ---
--|  9
--| (1 row)
(with c as (select 5 as z) select z from c) order by 1 limit 1;
--|  z
--| ---
--|  5
--| (1 row)
select * from ((select a from behind limit 1) order by a desc) s;
--|  a
--| ---
--|  3
--| (1 row)
select 7 union all ((select a from behind limit 1) order by a desc) order by 1;
--|  ?column?
--| ----------
--|         3
--|         7
--| (2 rows)
with w as ((select a from behind limit 1) order by a desc) select * from w;
--|  a
--| ---
--|  3
--| (1 row)
select array((select a from behind limit 1) order by a desc);
--|  array
--| -------
--|  {3}
--| (1 row)
(select a from behind order by a) order by b;
--| ERROR:  42601: multiple ORDER BY clauses not allowed
(select a from behind limit 2) limit 1;
--| ERROR:  42601: multiple LIMIT clauses not allowed
(select a from behind offset 2) offset 1;
--| ERROR:  42601: multiple OFFSET clauses not allowed
(select a from behind limit 2) fetch first 1 row only;
--| ERROR:  42601: multiple LIMIT clauses not allowed
with d as (select 5 as z) (with e as (select 6 as y) select * from d, e);
--| ERROR:  42601: multiple WITH clauses not allowed
with d as (select 5 as z) (select * from d);
--|  z
--| ---
--|  5
--| (1 row)
create view behind_view as (select a from behind limit 1) order by a desc;
--| CREATE VIEW
table behind_view;
--|  a
--| ---
--|  3
--| (1 row)
select pg_get_viewdef('behind_view');
--|   pg_get_viewdef
--| -------------------
--|   SELECT a        +
--|     FROM behind   +
--|    ORDER BY a DESC+
--|   LIMIT 1;
--| (1 row)
insert into behind (a) (select a + 10 from behind limit 1) order by a desc;
--| INSERT 0 1
select a from behind where a > 10;
--|  a
--| ----
--|  13
--| (1 row)
