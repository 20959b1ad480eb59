-- CREATE SCHEMA with what is to be in it, in any order.

create role se_r;
--| CREATE ROLE
create schema se create view v as select t.id, t.name from t create table t (id int default nextval('sq'), name varchar(50)) create index on t (name) create index t_low on t (lower(name)) create sequence sq grant select on t, v to se_r create table u (id int primary key check (id > 0));
--| CREATE SCHEMA
show search_path;
--|    search_path
--| -----------------
--|  "$user", public
--| (1 row)
insert into se.t (name) values ('a') returning *;
--|  id | name
--| ----+------
--|   1 | a
--| (1 row)
--| INSERT 0 1
select * from se.v;
--|  id | name
--| ----+------
--|   1 | a
--| (1 row)
select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'se.t'::regclass order by 1;
--|                        pg_get_indexdef
--| --------------------------------------------------------------
--|  CREATE INDEX t_low ON se.t USING btree (lower((name)::text))
--|  CREATE INDEX t_name_idx ON se.t USING btree (name)
--| (2 rows)
select relname, relkind from pg_class where relnamespace = 'se'::regnamespace order by 1;
--|   relname   | relkind
--| ------------+---------
--|  sq         | S
--|  t          | r
--|  t_low      | i
--|  t_name_idx | i
--|  u          | r
--|  u_pkey     | i
--|  v          | v
--| (7 rows)
select has_table_privilege('se_r', 'se.v', 'select'), has_table_privilege('se_r', 'se.u', 'select');
--|  has_table_privilege | has_table_privilege
--| ---------------------+---------------------
--|  t                   | f
--| (1 row)
create schema se create table t2 (a int);
--| ERROR:  42P06: schema "se" already exists
create schema se2 create table other.t2 (a int);
--| ERROR:  42P15: CREATE specifies a schema (other) different from the one being created (se2)
create schema se2 create table t (a int) create table t (b int);
--| ERROR:  42P07: relation "t" already exists
create schema if not exists se2 create table t (a int);
--| ERROR:  0A000: CREATE SCHEMA IF NOT EXISTS cannot include schema elements
create schema se2 create table se2.t (a int) create schema se3;
--| ERROR:  42601: syntax error at or near "schema"
show search_path;
--|    search_path
--| -----------------
--|  "$user", public
--| (1 row)
set search_path = se;
--| SET
create schema se2 create table se2.t (a int) create view v as select * from t;
--| CREATE SCHEMA
show search_path;
--|  search_path
--| -------------
--|  se
--| (1 row)
select * from se2.v;
--|  a
--| ---
--| (0 rows)
select count(*) from v;
--|  count
--| -------
--|      1
--| (1 row)
reset search_path;
--| RESET
drop schema se2 cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to table se2.t
--| drop cascades to view se2.v
--| DROP SCHEMA
drop schema se cascade;
--| NOTICE:  drop cascades to 4 other objects
--| DETAIL:  drop cascades to sequence se.sq
--| drop cascades to table se.t
--| drop cascades to table se.u
--| drop cascades to view se.v
--| DROP SCHEMA
drop role se_r;
--| DROP ROLE
