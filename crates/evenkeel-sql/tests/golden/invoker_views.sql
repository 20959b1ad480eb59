-- A view with security_invoker, read through another: its tables are read in the name of whoever runs the statement.

create role regr_u1; create role regr_u2; create role regr_u3;
--| CREATE ROLE
--| CREATE ROLE
--| CREATE ROLE
grant all on schema public to regr_u1, regr_u2, regr_u3;
--| GRANT
create table base_tbl (a int, b text); insert into base_tbl values (1, 'x');
--| CREATE TABLE
--| INSERT 0 1
alter table base_tbl owner to regr_u1;
--| ALTER TABLE
set role regr_u1; create view v1 with (security_invoker) as select * from base_tbl; grant select, update on v1 to regr_u2;
--| SET
--| CREATE VIEW
--| GRANT
set role regr_u2; create view v2 as select * from v1; grant select, update, insert on v2 to regr_u3;
--| SET
--| CREATE VIEW
--| GRANT
set role regr_u1; grant select, update on base_tbl to regr_u2;
--| SET
--| GRANT
set role regr_u2; select * from v2; update v2 set b = 'y';
--| SET
--|  a | b
--| ---+---
--|  1 | x
--| (1 row)
--| UPDATE 1
set role regr_u3; select * from v2; update v2 set b = 'z'; insert into v2 values (2, 'q');
--| ERROR:  42501: permission denied for table base_tbl
set role regr_u1; grant select on base_tbl to regr_u3;
--| SET
--| GRANT
set role regr_u3; select * from v2; update v2 set b = 'z';
--| ERROR:  42501: permission denied for table base_tbl
set role regr_u2; create materialized view mv as select * from v1; grant select on mv to regr_u3; refresh materialized view mv;
--| SET
--| SELECT 1
--| GRANT
--| REFRESH MATERIALIZED VIEW
set role regr_u3; select * from mv;
--| SET
--|  a | b
--| ---+---
--|  1 | y
--| (1 row)
reset role; select * from v2; refresh materialized view mv; revoke select on base_tbl from regr_u2; refresh materialized view mv;
--| ERROR:  42501: permission denied for table base_tbl
drop owned by regr_u1, regr_u2, regr_u3 cascade; drop role regr_u1, regr_u2, regr_u3;
--| ERROR:  42501: permission denied to drop objects
--| DETAIL:  Only roles with privileges of role "regr_u1" may drop objects owned by it.
