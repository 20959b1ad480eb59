-- Conditions that might tell of the rows that a view with security_barrier hides are asked of those that it shows.
create role barred;
--| CREATE ROLE
create schema hid;
--| CREATE SCHEMA
grant usage on schema hid to barred;
--| GRANT
create table hid.t (id int primary key, secret text);
--| CREATE TABLE
create table hid.may (id int, who text);
--| CREATE TABLE
insert into hid.t values (1, '1'), (2, 'secret of another');
--| INSERT 0 2
insert into hid.may values (1, 'barred'), (2, 'another');
--| INSERT 0 2
create view hid.joined with (security_barrier) as select t.id, t.secret from hid.t join hid.may using (id) where who = current_user;
--| CREATE VIEW
create view hid.filtered with (security_barrier = true) as select id, secret from hid.t where exists (select from hid.may m where m.id = t.id and m.who = current_user);
--| CREATE VIEW
create view hid.computed with (security_barrier) as select id, length(secret) as l from hid.t where id = 1;
--| CREATE VIEW
create view hid.plain with (security_barrier = false) as select id, secret from hid.t where id = 1;
--| CREATE VIEW
grant select on hid.joined, hid.filtered, hid.computed, hid.plain to barred;
--| GRANT
set role barred;
--| SET
select secret from hid.joined where secret::int > 0;
--|  secret
--| --------
--|  1
--| (1 row)
select secret from hid.filtered where secret::int > 0;
--|  secret
--| --------
--|  1
--| (1 row)
select secret from hid.filtered f join (values (1)) v (x) on f.secret::int = v.x;
--|  secret
--| --------
--|  1
--| (1 row)
select secret from hid.filtered f where exists (select 1 from (values (1)) v (x) where v.x = f.secret::int);
--|  secret
--| --------
--|  1
--| (1 row)
select id from hid.computed where 1 / (l - 17) < 5;
--|  id
--| ----
--|   1
--| (1 row)
select secret from hid.filtered where id = 1;
--|  secret
--| --------
--|  1
--| (1 row)
select secret from hid.filtered where id = 2;
--|  secret
--| --------
--| (0 rows)
reset role;
--| RESET
explain (costs off) select secret from hid.filtered where id = 1;
--|                    QUERY PLAN
--| ------------------------------------------------
--|  Subquery Scan on filtered
--|    ->  Hash Right Semi Join
--|          Hash Cond: (m.id = t.id)
--|          ->  Seq Scan on may m
--|                Filter: (who = "current_user"())
--|          ->  Hash
--|                ->  Index Scan using t_pkey on t
--|                      Index Cond: (id = 1)
--| (8 rows)
explain (costs off) select secret from hid.plain where secret::int > 0;
--|             QUERY PLAN
--| -----------------------------------
--|  Index Scan using t_pkey on t
--|    Index Cond: (id = 1)
--|    Filter: ((secret)::integer > 0)
--| (3 rows)
alter view hid.filtered reset (security_barrier);
--| ALTER VIEW
alter view hid.plain set (security_barrier);
--| ALTER VIEW
explain (costs off) select secret from hid.plain where secret::int > 0;
--|                QUERY PLAN
--| -----------------------------------------
--|  Subquery Scan on plain
--|    Filter: ((plain.secret)::integer > 0)
--|    ->  Index Scan using t_pkey on t
--|          Index Cond: (id = 1)
--| (4 rows)
-- Rows are changed by way of it, too.
create view hid.changed with (security_barrier) as select id, secret from hid.t where id = 1;
--| CREATE VIEW
grant select, update, delete on hid.changed to barred;
--| GRANT
set role barred;
--| SET
update hid.changed set secret = '5' where secret::int > 0 returning *;
--|  id | secret
--| ----+--------
--|   1 | 5
--| (1 row)
--| UPDATE 1
delete from hid.changed where secret::int > 5;
--| DELETE 0
reset role;
--| RESET
drop schema hid cascade;
--| NOTICE:  drop cascades to 7 other objects
--| DETAIL:  drop cascades to table hid.t
--| drop cascades to table hid.may
--| drop cascades to view hid.joined
--| drop cascades to view hid.filtered
--| drop cascades to view hid.computed
--| drop cascades to view hid.plain
--| drop cascades to view hid.changed
--| DROP SCHEMA
drop role barred;
--| DROP ROLE
