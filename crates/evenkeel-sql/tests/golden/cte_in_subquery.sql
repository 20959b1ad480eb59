-- Common table expressions that are read where they stand, in subqueries that become joins.

create table t (a int);
--| CREATE TABLE
insert into t values (1), (2), (null);
--| INSERT 0 3
with c as (select a as f from t) select * from t where a in (select f from c);
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
with c as (select 1 as f) select * from t where a in (select f from c);
--|  a
--| ---
--|  1
--| (1 row)
with c as not materialized (select 1 as f) select * from t where a in (select f from c c2);
--|  a
--| ---
--|  1
--| (1 row)
with c as not materialized (select 1 as f) select * from t where exists (select from c where f = a);
--|  a
--| ---
--|  1
--| (1 row)
with c as (select 1 as f) select * from t where not exists (select from c where f = a);
--|  a
--| ---
--|  2
--|
--| (2 rows)
with c as not materialized (select 1 as f) select * from t where a in (select c.f from c, c c2);
--|  a
--| ---
--|  1
--| (1 row)
with c as (select 1 as f) select * from t where a in (select c.f from c, t);
--|  a
--| ---
--|  1
--| (1 row)
with c as not materialized (select 1 as f) select * from c where f in (select c3.f from c c2 full join c c3 on true);
--|  f
--| ---
--|  1
--| (1 row)
with c as (select a as f from t), d as (select f from c where f > 1) select * from t where a in (select f from d);
--|  a
--| ---
--|  2
--| (1 row)
with c as (select 2 as f) update t set a = 3 where a in (select f from c) returning *;
--|  a
--| ---
--|  3
--| (1 row)
--| UPDATE 1
with c as (select 3 as f) delete from t where a in (select f from c) returning *;
--|  a
--| ---
--|  3
--| (1 row)
--| DELETE 1
