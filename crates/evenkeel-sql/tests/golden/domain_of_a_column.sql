-- A column of a domain is not looked at again by a cast to that domain; one to another domain looks.
create table t (a int); insert into t values (1), (2);
--| CREATE TABLE
--| INSERT 0 2
create domain pos as int check (value > 0) not null;
--| CREATE DOMAIN
create domain small as int check (value < 10) not null;
--| CREATE DOMAIN
create table dm (p pos); insert into dm values (1);
--| CREATE TABLE
--| INSERT 0 1
select cast(dm.p as pos) from dm right join t on t.a = dm.p order by t.a;
--|  p
--| ---
--|  1
--|
--| (2 rows)
select dm.p::pos + 1, pg_typeof(dm.p::pos) from t left join dm on t.a = dm.p order by t.a;
--|  ?column? | pg_typeof
--| ----------+-----------
--|         2 | pos
--|           | pos
--| (2 rows)
select dm.p::small from t left join dm on t.a = dm.p order by t.a;
--| ERROR:  23502: domain small does not allow null values
select q.x::pos from t left join (select p as x from dm) q on q.x = t.a order by t.a;
--|  x
--| ---
--|  1
--|
--| (2 rows)
select null::pos;
--| ERROR:  23502: domain pos does not allow null values
create view v as select dm.p::pos as p from t left join dm on t.a = dm.p;
--| CREATE VIEW
select * from v order by 1;
--|  p
--| ---
--|  1
--|
--| (2 rows)
