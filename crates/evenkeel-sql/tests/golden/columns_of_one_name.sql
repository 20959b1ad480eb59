-- `*` over columns of which several have one name, in what is kept: nothing but `*` says them.

create table one_a (id int, a int);
--| CREATE TABLE
create table one_b (id int, b int);
--| CREATE TABLE
insert into one_a values (1, 2);
--| INSERT 0 1
insert into one_b values (1, 3);
--| INSERT 0 1
create view of_query(p, q) as select * from (select one_a.id, one_b.id from one_a join one_b on true) s;
--| CREATE VIEW
table of_query;
--|  p | q
--| ---+---
--|  1 | 1
--| (1 row)
create view of_cte(p, q) as with c as (select one_a.id, one_b.id from one_a join one_b on true) select * from c;
--| CREATE VIEW
table of_cte;
--|  p | q
--| ---+---
--|  1 | 1
--| (1 row)
create view within as select s.a from (select * from (select * from one_a join one_b on one_a.id = one_b.id) q) s;
--| CREATE VIEW
table within;
--|  a
--| ---
--|  2
--| (1 row)
create view there as select exists (select * from (select id, id from one_a) x) as e;
--| CREATE VIEW
table there;
--|  e
--| ---
--|  t
--| (1 row)
create materialized view filled(p, q) as select * from (select one_a.id, one_b.id from one_a, one_b) s;
--| SELECT 1
refresh materialized view filled;
--| REFRESH MATERIALIZED VIEW
table filled;
--|  p | q
--| ---+---
--|  1 | 1
--| (1 row)
create view of_join(p, q, r, s) as select j.* from (one_a join one_b on one_a.id = one_b.id) j;
--| CREATE VIEW
table of_join;
--|  p | q | r | s
--| ---+---+---+---
--|  1 | 2 | 1 | 3
--| (1 row)
create view of_values(p, q) as select * from (values (1, 2)) v(x, x);
--| CREATE VIEW
table of_values;
--|  p | q
--| ---+---
--|  1 | 2
--| (1 row)
-- columns that come later are none of theirs
alter table one_a add column later int default 9;
--| ALTER TABLE
alter table one_b rename column b to renamed;
--| ALTER TABLE
table of_join;
--|  p | q | r | s
--| ---+---+---+---
--|  1 | 2 | 1 | 3
--| (1 row)
table within;
--|  a
--| ---
--|  2
--| (1 row)
create view twice as select * from (select id, id from one_a) s;
--| ERROR:  42701: column "id" specified more than once
