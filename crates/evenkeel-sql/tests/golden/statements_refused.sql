-- What PostgreSQL's grammar does not have.
create table "" (id int);
--| ERROR:  42601: zero-length delimited identifier at or near """"
create table a ("" int);
--| ERROR:  42601: zero-length delimited identifier at or near """"
select 1 as "";
--| ERROR:  42601: zero-length delimited identifier at or near """"
select 1 from pg_class "" where true;
--| ERROR:  42601: zero-length delimited identifier at or near """"
create role "";
--| ERROR:  42601: zero-length delimited identifier at or near """"
create table a (a, b) as select 1;
--| ERROR:  42601: too many column names were specified
create table a (a, b, c) as select 1, 2;
--| ERROR:  42601: too many column names were specified
create table a (a) as select 1, 2;
--| SELECT 1
select * from a;
--|  a | ?column?
--| ---+----------
--|  1 |        2
--| (1 row)
create index public.x on a (a);
--| ERROR:  42601: syntax error at or near "."
create index if not exists nosuch.x on a (a);
--| ERROR:  42601: syntax error at or near "."
create unique index concurrently nosuch.x on a (a);
--| ERROR:  42601: syntax error at or near "."
prepare q (int) as create table z (id int);
--| ERROR:  42601: syntax error at or near "create"
prepare q as analyze;
--| ERROR:  42601: syntax error at or near "analyze"
prepare q as drop table a;
--| ERROR:  42601: syntax error at or near "drop"
prepare q as (select 1);
--| PREPARE
execute q;
--|  ?column?
--| ----------
--|         1
--| (1 row)
select "abc from a;
--| ERROR:  42601: unterminated quoted identifier at or near ""abc from a;"
