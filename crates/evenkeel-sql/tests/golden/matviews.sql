-- Materialized views.

create table t (id int primary key, a text);
--| CREATE TABLE
insert into t values (1, 'one'), (2, 'two');
--| INSERT 0 2
create materialized view m as select id, upper(a) as u from t;
--| SELECT 2
select * from m order by id;
--|  id |  u
--| ----+-----
--|   1 | ONE
--|   2 | TWO
--| (2 rows)
create materialized view m as select 1;
--| ERROR:  42P07: relation "m" already exists
create materialized view if not exists m as select 1;
--| NOTICE:  relation "m" already exists, skipping
--| CREATE MATERIALIZED VIEW
create unique index m_id on m (id);
--| CREATE INDEX
insert into t values (3, 'three');
--| INSERT 0 1
select count(*) from m;
--|  count
--| -------
--|      2
--| (1 row)
refresh materialized view m;
--| REFRESH MATERIALIZED VIEW
select u from m where id = 3;
--|    u
--| -------
--|  THREE
--| (1 row)
refresh materialized view concurrently m;
--| REFRESH MATERIALIZED VIEW
insert into m values (9, 'x');
--| ERROR:  42809: cannot change materialized view "m"
update m set u = 'x';
--| ERROR:  42809: cannot change materialized view "m"
delete from m;
--| ERROR:  42809: cannot change materialized view "m"
copy m from stdin;
--| ERROR:  42809: cannot copy to materialized view "m"
truncate m;
--| ERROR:  42809: "m" is not a table
create materialized view empty as select * from m with no data;
--| CREATE MATERIALIZED VIEW
select * from empty;
--| ERROR:  55000: materialized view "empty" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
select ispopulated, hasindexes from pg_matviews where matviewname in ('m', 'empty') order by matviewname;
--|  ispopulated | hasindexes
--| -------------+------------
--|  f           | f
--|  t           | t
--| (2 rows)
create view over_empty as select count(*) from empty;
--| CREATE VIEW
select * from over_empty;
--| ERROR:  55000: materialized view "empty" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
refresh materialized view concurrently empty;
--| ERROR:  0A000: CONCURRENTLY cannot be used when the materialized view is not populated
refresh materialized view empty;
--| REFRESH MATERIALIZED VIEW
select * from over_empty;
--|  count
--| -------
--|      3
--| (1 row)
refresh materialized view concurrently empty;
--| ERROR:  55000: cannot refresh materialized view "public.empty" concurrently
--| HINT:  Create a unique index with no WHERE clause on one or more columns of the materialized view.
refresh materialized view empty with no data;
--| REFRESH MATERIALIZED VIEW
select * from empty;
--| ERROR:  55000: materialized view "empty" has not been populated
--| HINT:  Use the REFRESH MATERIALIZED VIEW command.
refresh materialized view nope;
--| ERROR:  42P01: relation "nope" does not exist
refresh materialized view t;
--| ERROR:  0A000: "t" is not a materialized view
refresh materialized view over_empty;
--| ERROR:  42809: "over_empty" is not a table or materialized view
drop table t;
--| ERROR:  2BP01: cannot drop table t because other objects depend on it
--| DETAIL:  materialized view m depends on table t
--| materialized view empty depends on materialized view m
--| view over_empty depends on materialized view empty
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop view m;
--| ERROR:  42809: "m" is not a view
--| HINT:  Use DROP MATERIALIZED VIEW to remove a materialized view.
drop table m;
--| ERROR:  42809: "m" is not a table
--| HINT:  Use DROP MATERIALIZED VIEW to remove a materialized view.
alter table t drop column a;
--| ERROR:  2BP01: cannot drop column a of table t because other objects depend on it
--| DETAIL:  materialized view m depends on column a of table t
--| materialized view empty depends on materialized view m
--| view over_empty depends on materialized view empty
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
alter materialized view m rename to mm;
--| ALTER MATERIALIZED VIEW
select count(*) from mm;
--|  count
--| -------
--|      3
--| (1 row)
alter materialized view mm rename column u to up;
--| ALTER MATERIALIZED VIEW
comment on materialized view mm is 'kept';
--| COMMENT
create materialized view dup (k) as select 1 from t;
--| SELECT 3
create unique index dup_k on dup (k);
--| ERROR:  23505: could not create unique index "dup_k"
--| DETAIL:  Key (k)=(1) is duplicated.
select matviewname from pg_matviews order by 1;
--|  matviewname
--| -------------
--|  dup
--|  empty
--|  mm
--| (3 rows)
select relname, relkind, relispopulated from pg_class where relname in ('mm', 'empty') order by 1;
--|  relname | relkind | relispopulated
--| ---------+---------+----------------
--|  empty   | m       | f
--|  mm      | m       | t
--| (2 rows)
begin;
--| BEGIN
insert into t values (4, 'four');
--| INSERT 0 1
refresh materialized view mm;
--| REFRESH MATERIALIZED VIEW
select count(*) from mm;
--|  count
--| -------
--|      4
--| (1 row)
rollback;
--| ROLLBACK
select count(*) from mm;
--|  count
--| -------
--|      3
--| (1 row)
explain (costs off) select * from mm where id = 2;
--|          QUERY PLAN
--| -----------------------------
--|  Index Scan using m_id on mm
--|    Index Cond: (id = 2)
--| (2 rows)
create materialized view part (x) with (fillfactor = 70) as select id, a from t where id = 1;
--| SELECT 1
select x, a from part;
--|  x |  a
--| ---+-----
--|  1 | one
--| (1 row)
drop materialized view if exists part, nope;
--| NOTICE:  materialized view "nope" does not exist, skipping
--| DROP MATERIALIZED VIEW
drop materialized view mm;
--| ERROR:  2BP01: cannot drop materialized view mm because other objects depend on it
--| DETAIL:  materialized view empty depends on materialized view mm
--| view over_empty depends on materialized view empty
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop table t cascade;
--| NOTICE:  drop cascades to 4 other objects
--| DETAIL:  drop cascades to materialized view mm
--| drop cascades to materialized view empty
--| drop cascades to view over_empty
--| drop cascades to materialized view dup
--| DROP TABLE
select count(*) from pg_class where relkind in ('m', 'v') and relnamespace = 'public'::regnamespace;
--|  count
--| -------
--|      0
--| (1 row)
