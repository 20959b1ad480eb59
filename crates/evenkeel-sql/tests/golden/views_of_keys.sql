-- What GROUP BY names by a primary key relies on it: the key stays as long as the view does.
create table vke (id int primary key, x int, unique (x));
--| CREATE TABLE
create table vko (id int, y int, primary key (id, y));
--| CREATE TABLE
insert into vke values (1, 1), (2, 5);
--| INSERT 0 2
create view vk1 as select id, x from vke group by id;
--| CREATE VIEW
create materialized view vk3 as select o.id, o.y, e.x, count(*) from vko o join vke e on e.id = o.id group by o.id, o.y, e.id;
--| SELECT 0
create view vk4 as select id, x, count(*) from vke group by id, x;
--| CREATE VIEW
create view vk5 as select s.id, s.x from (select id, x from vke group by id) s;
--| CREATE VIEW
create view vk2 as select * from vk5;
--| CREATE VIEW
select r.ev_class::regclass, c.conname, d.deptype from pg_depend d join pg_rewrite r on r.oid = d.objid join pg_constraint c on c.oid = d.refobjid where d.refclassid = 'pg_constraint'::regclass and d.classid = 'pg_rewrite'::regclass order by 1, 2;
--|  ev_class | conname  | deptype
--| ----------+----------+---------
--|  vk1      | vke_pkey | n
--|  vk3      | vke_pkey | n
--|  vk5      | vke_pkey | n
--| (3 rows)
alter table vke drop constraint vke_pkey;
--| ERROR:  2BP01: cannot drop constraint vke_pkey on table vke because other objects depend on it
--| DETAIL:  view vk1 depends on constraint vke_pkey on table vke
--| materialized view vk3 depends on constraint vke_pkey on table vke
--| view vk5 depends on constraint vke_pkey on table vke
--| view vk2 depends on view vk5
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
alter table vke drop constraint vke_x_key;
--| ALTER TABLE
select * from vk2 order by id;
--|  id | x
--| ----+---
--|   1 | 1
--|   2 | 5
--| (2 rows)
create or replace view vk1 as select id, x from vke group by id, x;
--| CREATE VIEW
alter table vke drop constraint vke_pkey;
--| ERROR:  2BP01: cannot drop constraint vke_pkey on table vke because other objects depend on it
--| DETAIL:  materialized view vk3 depends on constraint vke_pkey on table vke
--| view vk5 depends on constraint vke_pkey on table vke
--| view vk2 depends on view vk5
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
alter table vko drop constraint vko_pkey;
--| ALTER TABLE
alter table vke rename constraint vke_pkey to vkp;
--| ALTER TABLE
alter table vke drop constraint vkp cascade;
--| NOTICE:  drop cascades to 3 other objects
--| DETAIL:  drop cascades to materialized view vk3
--| drop cascades to view vk5
--| drop cascades to view vk2
--| ALTER TABLE
select count(*) from vk1;
--|  count
--| -------
--|      2
--| (1 row)
select count(*) from vk5;
--| ERROR:  42P01: relation "vk5" does not exist
alter table vko drop constraint vko_pkey;
--| ERROR:  42704: constraint "vko_pkey" of relation "vko" does not exist
