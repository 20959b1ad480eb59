-- A constant call that fails fails when the statement is planned, which one that is prepared is when it is run.

prepare p as select 1/0;
--| PREPARE
execute p;
--| ERROR:  22012: division by zero
prepare q as select case when $1::int > 0 then 1/0 else 5 end;
--| PREPARE
execute q(0);
--|  case
--| ------
--|     5
--| (1 row)
explain execute p;
--| ERROR:  22012: division by zero
begin;
--| BEGIN
declare c cursor for select 1/0;
--| ERROR:  22012: division by zero
rollback;
--| ROLLBACK
create view v as select 1/0 as x;
--| CREATE VIEW
select pg_get_viewdef('v');
--|     pg_get_viewdef
--| -----------------------
--|   SELECT (1 / 0) AS x;
--| (1 row)
select * from v;
--| ERROR:  22012: division by zero
create table t (a int default 1/0, b int);
--| CREATE TABLE
insert into t (b) values (1);
--| ERROR:  22012: division by zero
insert into t values (1, 1);
--| INSERT 0 1
prepare r as insert into t values (1/0, 2);
--| PREPARE
execute r;
--| ERROR:  22012: division by zero
select 1/0 from t where false;
--| ERROR:  22012: division by zero
-- What is understood and wrong is told at once.
prepare s as select 'abc'::int;
--| ERROR:  22P02: invalid input syntax for type integer: "abc"
deallocate all;
--| DEALLOCATE ALL
