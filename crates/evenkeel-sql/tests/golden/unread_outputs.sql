-- Outputs of subqueries in FROM that nobody reads are not computed, subqueries in them neither.

create table i8 (q1 int, q2 int); insert into i8 values (1,1),(1,2),(2,3);
--| CREATE TABLE
--| INSERT 0 3
select q1 from (with t_cte as (select * from i8 t) select q1, (select q2 from t_cte where t_cte.q1 = i.q1) as t_sub from i8 i) ss;
--|  q1
--| ----
--|   1
--|   1
--|   2
--| (3 rows)
select q1 from (select q1, (select q2 from i8 t_cte where t_cte.q1 = i.q1) as t_sub from i8 i) ss;
--|  q1
--| ----
--|   1
--|   1
--|   2
--| (3 rows)
select q1 from (select q1, 1/0 as x from i8 i) ss;
--|  q1
--| ----
--|   1
--|   1
--|   2
--| (3 rows)
select q1 from (select q1, 1/(q1-1) as x from i8 i) ss;
--|  q1
--| ----
--|   1
--|   1
--|   2
--| (3 rows)
select count(*) from (select q1, 1/(q1-1) as x from i8 i) ss;
--|  count
--| -------
--|      3
--| (1 row)
select count(*) from (select q1, (select q2 from i8 t where t.q1 = i.q1) from i8 i) ss;
--|  count
--| -------
--|      3
--| (1 row)
select q1 from (with t_cte as materialized (select * from i8 t) select q1, (select q2 from t_cte where t_cte.q1 = i.q1) as t_sub from i8 i) ss;
--|  q1
--| ----
--|   1
--|   1
--|   2
--| (3 rows)
select q1 from (select q1, 1/(q1-1) as x from i8 i offset 0) ss;
--|  q1
--| ----
--|   1
--|   1
--|   2
--| (3 rows)
create view v as select q1, (select q2 from i8 t where t.q1 = i.q1) from i8 i; select q1 from v;
--| CREATE VIEW
--|  q1
--| ----
--|   1
--|   1
--|   2
--| (3 rows)
create sequence sq; select q1 from (select q1, (select nextval('sq') + i.q1) as n from i8 i) ss; select last_value from sq;
--| CREATE SEQUENCE
--|  q1
--| ----
--|   1
--|   1
--|   2
--| (3 rows)
--|  last_value
--| ------------
--|           3
--| (1 row)
select count(*), max(q1) from (select q1, (select (select q2 from i8 t where t.q1 = i.q1)) as x, exists (select 1/0 from i8) from i8 i order by 2) ss;
--| ERROR:  21000: more than one row returned by a subquery used as an expression
select q1 from (select q1, (select q2 from i8 t where t.q1 = i.q1 limit 1) as x from i8 i order by x desc, 1 limit 2) ss;
--|  q1
--| ----
--|   2
--|   1
--| (2 rows)
select q1 from (select distinct q1, (select max(q2) from i8 t where t.q1 = i.q1) as x from i8 i) ss order by 1;
--|  q1
--| ----
--|   1
--|   2
--| (2 rows)
