-- Reserved words are names in double quotes alone, behind a period, and behind AS in a select list.
create table user (a int);
--| ERROR:  42601: syntax error at or near "user"
create table "user" (a int, "select" int);
--| CREATE TABLE
create table if not exists left (a int);
--| ERROR:  42601: syntax error at or near "left"
create table t (select int);
--| ERROR:  42601: syntax error at or near "select"
create table t (a int, user int);
--| ERROR:  42601: syntax error at or near "user"
create table t (a int constraint user check (a > 0));
--| ERROR:  42601: syntax error at or near "user"
create table t (a int, constraint left check (a > 0));
--| ERROR:  42601: syntax error at or near "left"
create table t (a int check (a > 0), check (a < 9), unique (a), like "user", not null a);
--| ERROR:  42701: column "a" specified more than once
create table nothing;
--| ERROR:  42601: syntax error at or near ";"
create table nothing with (fillfactor = 70);
--| ERROR:  42601: syntax error at or near ";"
create temp table nothing on commit drop;
--| ERROR:  42601: syntax error at or near ";"
create table select as select 1;
--| ERROR:  42601: syntax error at or near "select"
create view union as select 1;
--| ERROR:  42601: syntax error at or near "union"
create index left on "user" (a);
--| ERROR:  42601: syntax error at or near "left"
create unique index concurrently if not exists inner on "user" (a);
--| ERROR:  42601: syntax error at or near "inner"
create index on "user" (a);
--| CREATE INDEX
create schema user;
--| ERROR:  42601: syntax error at or near "user"
create sequence table;
--| ERROR:  42601: syntax error at or near "table"
create type all as enum ('a');
--| ERROR:  42601: syntax error at or near "all"
create domain check as int;
--| ERROR:  42601: syntax error at or near "check"
create role user;
--| ERROR:  42601: syntax error at or near "user"
create role left;
--| CREATE ROLE
drop role "left";
--| DROP ROLE
alter table t add column user int;
--| ERROR:  42601: syntax error at or near "user"
alter table t add user int, add check (a > 1);
--| ERROR:  42601: syntax error at or near "user"
alter table t add constraint user check (a > 2);
--| ERROR:  42601: syntax error at or near "user"
alter table t add constraint more check (a > 2), add user int;
--| ERROR:  42601: syntax error at or near "user"
alter table t rename a to user;
--| ERROR:  42601: syntax error at or near "user"
alter table t rename to user;
--| ERROR:  42601: syntax error at or near "user"
alter table t rename to between;
--| ERROR:  42P01: relation "t" does not exist
alter table between rename to t;
--| ERROR:  42P01: relation "between" does not exist
insert into "user" (a, select) values (1, 2);
--| ERROR:  42601: syntax error at or near "select"
insert into "user" (a, "select") values (1, 2);
--| INSERT 0 1
insert into t (select 1 as a, 2, 3);
--| ERROR:  42P01: relation "t" does not exist
insert into t (a) (table "user");
--| ERROR:  42P01: relation "t" does not exist
update "user" set select = 3;
--| ERROR:  42601: syntax error at or near "select"
update "user" set a = 3, select = 4;
--| ERROR:  42601: syntax error at or near "select"
update "user" set a = 3, "select" = 4 where a = 1;
--| UPDATE 1
insert into "user" values (1, 1) on conflict do update set select = 1;
--| ERROR:  42601: syntax error at or near "select"
select u.select, u.a as select from "user" u;
--|  select | select
--| --------+--------
--|       4 |      3
--| (1 row)
select 1 from "user" as user;
--| ERROR:  42601: syntax error at or near "user"
select 1 from "user" user;
--| ERROR:  42601: syntax error at or near "user"
select 1 from "user" as left;
--| ERROR:  42601: syntax error at or near "left"
select 1 from (select 1) end;
--| ERROR:  42601: syntax error at or near "end"
select 1 from "user" between, "user" values;
--|  ?column?
--| ----------
--|         1
--| (1 row)
with select as (select 1) select 1;
--| ERROR:  42601: syntax error at or near "select"
with left as not materialized (select 1) select 1;
--| ERROR:  42601: syntax error at or near "left"
with a as (select 1), left as (select 2) select 1;
--| ERROR:  42601: syntax error at or near "left"
with coalesce as (select 1 as x) select x from coalesce;
--|  x
--| ---
--|  1
--| (1 row)
prepare select as select 1;
--| ERROR:  42601: syntax error at or near "select"
declare select cursor for select 1;
--| ERROR:  42601: syntax error at or near "select"
savepoint select;
--| ERROR:  42601: syntax error at or near "select"
listen select;
--| ERROR:  42601: syntax error at or near "select"
set select = 1;
--| ERROR:  42601: syntax error at or near "select"
