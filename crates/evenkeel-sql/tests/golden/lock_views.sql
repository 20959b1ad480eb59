-- LOCK TABLE of views, FOR UPDATE of what outer joins may lack, and what functions give that give nothing.
create table lv_a (id int primary key, n int);
--| CREATE TABLE
create table lv_b (id int primary key, a int, x int);
--| CREATE TABLE
insert into lv_a values (1, 10), (2, 20);
--| INSERT 0 2
insert into lv_b values (1, 1, 5);
--| INSERT 0 1
create view lv_v as select a.id, a.n, b.x from lv_a a left join lv_b b on b.a = a.id;
--| CREATE VIEW
create view lv_w as select id, n from lv_v where n > (select min(x) from lv_b);
--| CREATE VIEW
create materialized view lv_m as select id from lv_a;
--| SELECT 2
create index lv_i on lv_a (n);
--| CREATE INDEX
create sequence lv_s;
--| CREATE SEQUENCE
lock table lv_v;
--| ERROR:  25P01: LOCK TABLE can only be used in transaction blocks
begin;
--| BEGIN
lock table lv_m in share mode;
--| ERROR:  42809: cannot lock relation "lv_m"
--| DETAIL:  This operation is not supported for materialized views.
rollback;
--| ROLLBACK
begin;
--| BEGIN
lock table lv_i;
--| ERROR:  42809: cannot lock relation "lv_i"
--| DETAIL:  This operation is not supported for indexes.
rollback;
--| ROLLBACK
begin;
--| BEGIN
lock table lv_s;
--| ERROR:  42809: cannot lock relation "lv_s"
--| DETAIL:  This operation is not supported for sequences.
rollback;
--| ROLLBACK
begin;
--| BEGIN
lock table lv_w in row exclusive mode;
--| LOCK TABLE
lock lv_v, lv_a in share mode nowait;
--| LOCK TABLE
-- session other
begin;
--| BEGIN
lock table lv_v in access exclusive mode nowait;
--| ERROR:  55P03: could not obtain lock on relation "lv_v"
rollback;
--| ROLLBACK
begin;
--| BEGIN
lock table lv_b in access exclusive mode nowait;
--| ERROR:  55P03: could not obtain lock on relation "lv_b"
rollback;
--| ROLLBACK
begin;
--| BEGIN
lock table lv_b in row exclusive mode nowait;
--| ERROR:  55P03: could not obtain lock on relation "lv_b"
rollback;
--| ROLLBACK
begin;
--| BEGIN
lock table lv_w in row share mode nowait;
--| LOCK TABLE
rollback;
--| ROLLBACK
-- session main
rollback;
--| ROLLBACK
create role lv_owner;
--| CREATE ROLE
create role lv_user;
--| CREATE ROLE
create view lv_z as select id from lv_a;
--| CREATE VIEW
alter view lv_z owner to lv_owner;
--| ALTER VIEW
grant select, update on lv_z to lv_user;
--| GRANT
set role lv_user;
--| SET
begin;
--| BEGIN
lock table lv_z in row share mode;
--| ERROR:  42501: permission denied for table lv_a
rollback;
--| ROLLBACK
begin;
--| BEGIN
lock table lv_w in row share mode;
--| ERROR:  42501: permission denied for view lv_w
rollback;
--| ROLLBACK
reset role;
--| RESET
grant update on lv_a to lv_owner;
--| GRANT
set role lv_user;
--| SET
begin;
--| BEGIN
lock table lv_z in row share mode;
--| LOCK TABLE
rollback;
--| ROLLBACK
reset role;
--| RESET
alter view lv_z set (security_invoker = true);
--| ALTER VIEW
set role lv_user;
--| SET
begin;
--| BEGIN
lock table lv_z in row share mode;
--| ERROR:  42501: permission denied for table lv_a
rollback;
--| ROLLBACK
reset role;
--| RESET
select a.id, b.x from lv_a a left join lv_b b on b.a = a.id for update;
--| ERROR:  0A000: FOR UPDATE cannot be applied to the nullable side of an outer join
select a.id, b.x from lv_a a left join lv_b b on b.a = a.id for share of b;
--| ERROR:  0A000: FOR SHARE cannot be applied to the nullable side of an outer join
select a.id, b.x from lv_a a left join lv_b b on b.a = a.id order by 1 for update of a;
--|  id | x
--| ----+---
--|   1 | 5
--|   2 |
--| (2 rows)
select a.id, b.x from lv_b b right join lv_a a on b.a = a.id for no key update;
--| ERROR:  0A000: FOR NO KEY UPDATE cannot be applied to the nullable side of an outer join
select a.id, b.x from lv_b b full join lv_a a on b.a = a.id for key share of a;
--| ERROR:  0A000: FOR KEY SHARE cannot be applied to the nullable side of an outer join
select a.id, b.x from lv_a a left join lv_b b on b.a = a.id where b.x = 5 for update;
--|  id | x
--| ----+---
--|   1 | 5
--| (1 row)
select id from lv_v for update;
--| ERROR:  0A000: FOR UPDATE cannot be applied to the nullable side of an outer join
select id from lv_v where x = 5 for update;
--|  id
--| ----
--|   1
--| (1 row)
select a.id from lv_a a left join lv_z z on z.id = a.id for update;
--| ERROR:  0A000: FOR UPDATE cannot be applied to the nullable side of an outer join
select a.id from lv_a a left join (select id from lv_b for update) z on z.id = a.id order by 1;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select a.id from lv_a a left join (select id from lv_b) z on z.id = a.id order by 1 for update of a;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select a.id from lv_a a left join (select id from lv_b) z on z.id = a.id order by 1 for update of z;
--| ERROR:  0A000: FOR UPDATE cannot be applied to the nullable side of an outer join
select pg_advisory_lock(77) is null, pg_advisory_unlock_all() is null, pg_sleep(0) is null, setseed(0.5) is null, pg_notify('lv', '') is null;
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  f        | f        | f        | f        | f
--| (1 row)
select pg_sleep(null) is null;
--|  ?column?
--| ----------
--|  t
--| (1 row)
comment on constraint lv_a_id_not_null on lv_a is 'always';
--| COMMENT
select obj_description(oid, 'pg_constraint') from pg_constraint where conname = 'lv_a_id_not_null';
--|  obj_description
--| -----------------
--|  always
--| (1 row)
alter table lv_b alter x set not null;
--| ALTER TABLE
comment on constraint lv_b_x_not_null on lv_b is 'gone soon';
--| COMMENT
alter table lv_b alter x drop not null;
--| ALTER TABLE
select count(*) from pg_description where description = 'gone soon';
--|  count
--| -------
--|      0
--| (1 row)
