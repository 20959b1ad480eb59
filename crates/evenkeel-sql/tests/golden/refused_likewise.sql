-- What PostgreSQL refuses is refused: grammar that the parser would take, and cursors that stand on no row.

create table rt (a int, b int);
--| CREATE TABLE
insert into rt select g, g from generate_series(1, 5) g;
--| INSERT 0 5
-- RENAME is a statement of its own.
alter table rt add column x int, rename b to y;
--| ERROR:  42601: syntax error at or near "rename"
alter table rt rename b to y, add column x int;
--| ERROR:  42601: syntax error at or near ","
alter table rt add column x int, rename to rt2;
--| ERROR:  42601: syntax error at or near "rename"
alter table rt add column x int, rename constraint c to d;
--| ERROR:  42601: syntax error at or near "rename"
-- Subscripts and fields are of columns, parameters, and what stands in parentheses.
select array[1,2][1];
--| ERROR:  42601: syntax error at or near "["
select (array[1,2])[1];
--|  array
--| -------
--|      1
--| (1 row)
select array(select 1)[1];
--| ERROR:  42601: syntax error at or near "["
select case when true then array[1] end[1];
--| ERROR:  42601: syntax error at or near "["
select '{1}'[1];
--| ERROR:  42601: syntax error at or near "["
select cast('{1,2}' as int[])[1];
--| ERROR:  42601: syntax error at or near "["
select coalesce(array[1])[1:2];
--| ERROR:  42601: syntax error at or near "["
select string_to_array('a b', ' ')[1];
--| ERROR:  42601: syntax error at or near "["
select (string_to_array('a b', ' '))[1];
--|  string_to_array
--| -----------------
--|  a
--| (1 row)
select lower('x').y;
--| ERROR:  42601: syntax error at or near "."
select (select array[4, 5])[2];
--|  array
--| -------
--|      5
--| (1 row)
-- FOR may stand before FROM.
select substring('abcdef' for 2 from 3), substring('abcdef' from 3 for 2), substring(substring('abcdef' for 4 from 2) for 2 from (2));
--|  substring | substring | substring
--| -----------+-----------+-----------
--|  cd        | cd        | cd
--| (1 row)
-- A cursor that sorts or joins stands on no row, unless it locks them.
begin;
--| BEGIN
declare c cursor for select * from rt order by b;
--| DECLARE CURSOR
fetch c;
--|  a | b
--| ---+---
--|  1 | 1
--| (1 row)
update rt set b = 10 where current of c;
--| ERROR:  24000: cursor "c" is not a simply updatable scan of table "rt"
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c cursor for select * from rt where a in (select b from rt);
--| DECLARE CURSOR
fetch c;
--|  a | b
--| ---+---
--|  1 | 1
--| (1 row)
delete from rt where current of c;
--| ERROR:  24000: cursor "c" is not a simply updatable scan of table "rt"
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c cursor for select * from rt order by b desc for update;
--| DECLARE CURSOR
fetch c;
--|  a | b
--| ---+---
--|  5 | 5
--| (1 row)
update rt set b = 10 where current of c returning *;
--|  a | b
--| ---+----
--|  5 | 10
--| (1 row)
--| UPDATE 1
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c cursor for select * from rt where b > 2 limit 2;
--| DECLARE CURSOR
fetch c;
--|  a | b
--| ---+---
--|  3 | 3
--| (1 row)
update rt set b = 10 where current of c returning *;
--|  a | b
--| ---+----
--|  3 | 10
--| (1 row)
--| UPDATE 1
rollback;
--| ROLLBACK
-- What is said of rows and groups.
values (1) for update;
--| ERROR:  0A000: FOR UPDATE cannot be applied to VALUES
select 1 union select 2 for no key update;
--| ERROR:  0A000: FOR NO KEY UPDATE is not allowed with UNION/INTERSECT/EXCEPT
select abs(a order by a) from rt;
--| ERROR:  42809: ORDER BY specified, but abs is not an aggregate function
select lower('x' order by 1);
--| ERROR:  42809: ORDER BY specified, but lower is not an aggregate function
select sum(a) filter (where count(*) > 1) from rt;
--| ERROR:  42803: aggregate functions are not allowed in FILTER
select sum(a) filter (where sum(b) over () > 1) from rt;
--| ERROR:  42P20: window functions are not allowed in FILTER
select count(distinct *) from rt;
--| ERROR:  42601: syntax error at or near "*"
select count(all *) from rt;
--| ERROR:  42601: syntax error at or near "*"
select current_date();
--| ERROR:  42601: syntax error at or near "("
select current_user();
--| ERROR:  42601: syntax error at or near "("
select current_user, current_schema();
--|  current_user | current_schema
--| --------------+----------------
--|  postgres     | public
--| (1 row)
-- Options are said once.
create table rt2 (a int) with (fillfactor = 50, fillfactor = 60);
--| ERROR:  22023: parameter "fillfactor" specified more than once
alter table rt set (fillfactor = 50, fillfactor = 60);
--| ERROR:  22023: parameter "fillfactor" specified more than once
alter table rt set (fillfactor = 50, autovacuum_enabled = off);
--| ALTER TABLE
alter table rt reset (fillfactor, fillfactor);
--| ALTER TABLE
create index on rt (a) with (fillfactor = 50, fillfactor = 60);
--| ERROR:  22023: parameter "fillfactor" specified more than once
create view rv with (security_barrier, security_barrier = false) as select 1;
--| ERROR:  22023: parameter "security_barrier" specified more than once
create sequence rs increment 1 increment 2;
--| ERROR:  42601: conflicting or redundant options
create sequence rs minvalue 1 no minvalue;
--| ERROR:  42601: conflicting or redundant options
create sequence rs cycle cycle;
--| ERROR:  42601: conflicting or redundant options
create sequence rs owned by none owned by none;
--| ERROR:  42601: conflicting or redundant options
create sequence rs owned by rt;
--| ERROR:  42601: invalid OWNED BY option
--| HINT:  Specify OWNED BY table.column or OWNED BY NONE.
create sequence rs as int increment by 2 no cycle cache 3;
--| CREATE SEQUENCE
alter sequence rs restart restart 5;
--| ERROR:  42601: conflicting or redundant options
-- Foreign keys refer to what is kept as long.
create table rp (a int primary key);
--| CREATE TABLE
create table rc (a int references rp);
--| CREATE TABLE
alter table rp set unlogged;
--| ERROR:  42P16: could not change table "rp" to unlogged because it references logged table "rc"
alter table rc set unlogged;
--| ALTER TABLE
alter table rp set unlogged;
--| ALTER TABLE
alter table rc set logged;
--| ERROR:  42P16: could not change table "rc" to logged because it references unlogged table "rp"
alter table rp set logged;
--| ALTER TABLE
alter table rc set logged;
--| ALTER TABLE
-- Parameters of EXECUTE are values.
prepare rq(int) as select $1 + 1 as n;
--| PREPARE
execute rq((select 1));
--| ERROR:  0A000: cannot use subquery in EXECUTE parameter
execute rq(sum(1));
--| ERROR:  42803: aggregate functions are not allowed in EXECUTE parameters
execute rq(row_number() over ());
--| ERROR:  42P20: window functions are not allowed in EXECUTE parameters
execute rq(generate_series(1, 2));
--| ERROR:  0A000: set-returning functions are not allowed in EXECUTE parameters
explain execute rq((select 1));
--| ERROR:  0A000: cannot use subquery in EXECUTE parameter
execute rq(1 + 1);
--|  n
--| ---
--|  3
--| (1 row)
-- Kinds that there are not, and columns that every table has.
create type re as enum ('a');
--| CREATE TYPE
comment on domain re is 'x';
--| ERROR:  42809: "re" is not a domain
comment on foo x is 'y';
--| ERROR:  42601: syntax error at or near "foo"
create foo x;
--| ERROR:  42601: syntax error at or near "foo"
alter foo x;
--| ERROR:  42601: syntax error at or near "foo"
alter table rt alter column ctid set default 3;
--| ERROR:  0A000: cannot alter system column "ctid"
alter table rt drop column ctid;
--| ERROR:  0A000: cannot drop system column "ctid"
alter table rt rename column xmin to d;
--| ERROR:  0A000: cannot rename system column "xmin"
update rt set ctid = null;
--| ERROR:  0A000: cannot assign to system column "ctid"
alter table rt rename constraint zz to yy;
--| ERROR:  42704: constraint "zz" for table "rt" does not exist
-- The row that was not inserted cannot be named in RETURNING.
insert into rp values (1) on conflict (a) do update set a = 2 returning excluded.a;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "excluded"
--| DETAIL:  There is an entry for table "excluded", but it cannot be referenced from this part of the query.
insert into rp values (1) on conflict (a) do update set a = 2 returning excluded.*;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "excluded"
--| DETAIL:  There is an entry for table "excluded", but it cannot be referenced from this part of the query.
insert into rp values (1) on conflict (a) do update set a = 2 returning (select excluded.a);
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "excluded"
--| DETAIL:  There is an entry for table "excluded", but it cannot be referenced from this part of the query.
insert into rp values (1) on conflict (a) do nothing returning excluded.a;
--| ERROR:  42P01: missing FROM-clause entry for table "excluded"
