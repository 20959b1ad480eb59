-- Column definitions: of domains, and where none may stand.
create table t (id int primary key, j jsonb);
--| CREATE TABLE
create type pt as (x int, y int);
--| CREATE TYPE
create domain few as int check (value < 8);
--| CREATE DOMAIN
create domain nn as text not null;
--| CREATE DOMAIN
create domain dpt as pt check ((value).x < 100);
--| CREATE DOMAIN
create domain dd as few check (value > 0);
--| CREATE DOMAIN
create domain num as numeric(6,2);
--| CREATE DOMAIN
select * from t as x(a int);
--| ERROR:  42601: syntax error at or near "int"
select * from t x(a int, b text);
--| ERROR:  42601: syntax error at or near "int"
select * from (select 1) as x(a int);
--| ERROR:  42601: syntax error at or near "int"
select * from (select 1) as (a int);
--| ERROR:  42601: syntax error at or near "("
select * from t as (a int);
--| ERROR:  42601: syntax error at or near "("
select * from (t a join t b using (id)) as x(a int);
--| ERROR:  42601: syntax error at or near "int"
with x(a int) as (select 1) select * from x;
--| ERROR:  42601: syntax error at or near "int"
select * from (values (1)) as x(a int);
--| ERROR:  42601: syntax error at or near "int"
update t x(a) set id = 1;
--| ERROR:  42601: syntax error at or near "("
update t as x(a) set id = 1;
--| ERROR:  42601: syntax error at or near "("
delete from t x(a);
--| ERROR:  42601: syntax error at or near "("
merge into t x(a) using t on true when matched then delete;
--| ERROR:  42601: syntax error at or near "("
insert into t as x(a) values (1);
--| ERROR:  42703: column "a" of relation "t" does not exist
select * from t x(a, "B c" int);
--| ERROR:  42601: syntax error at or near "int"
select * from jsonb_to_record('{"a": 7, "b": "x", "p": {"x": 1}}') as x(a few, b nn, p dpt);
--|  a | b |  p
--| ---+---+------
--|  7 | x | (1,)
--| (1 row)
select * from jsonb_to_record('{"a": 8}') as x(a few);
--| ERROR:  23514: value for domain few violates check constraint "few_check"
select * from jsonb_to_record('{"a": 0}') as x(a dd);
--| ERROR:  23514: value for domain dd violates check constraint "dd_check"
select * from jsonb_to_record('{"a": 9}') as x(a dd);
--| ERROR:  23514: value for domain dd violates check constraint "few_check"
select * from jsonb_to_record('{"b": null}') as x(b nn);
--| ERROR:  23502: domain nn does not allow null values
select * from jsonb_to_record('{}') as x(b nn);
--| ERROR:  23502: domain nn does not allow null values
select * from jsonb_to_record(null) as x(b nn);
--|  b
--| ---
--|
--| (1 row)
select * from jsonb_to_recordset('[]') as x(b nn);
--|  b
--| ---
--| (0 rows)
select * from jsonb_to_recordset('[{}]') as x(b nn);
--| ERROR:  23502: domain nn does not allow null values
select * from jsonb_to_recordset(null) as x(b nn);
--|  b
--| ---
--| (0 rows)
select * from jsonb_to_recordset('[{"a": 1}, {"a": null}, {}]') as x(a few);
--|  a
--| ---
--|  1
--|
--|
--| (3 rows)
select * from jsonb_to_record('{"p": {"x": 100}}') as x(p dpt);
--| ERROR:  23514: value for domain dpt violates check constraint "dpt_check"
select * from jsonb_to_record('{"p": "(5,6)"}') as x(p dpt);
--|    p
--| -------
--|  (5,6)
--| (1 row)
select (p).x from jsonb_to_record('{"p": "(5,6)"}') as x(p dpt);
--|  x
--| ---
--|  5
--| (1 row)
select * from jsonb_to_record('{"n": 1.239}') as x(n num);
--|   n
--| ------
--|  1.24
--| (1 row)
select * from json_populate_record(null::record, '{"a": 7}') as x(a few);
--|  a
--| ---
--|  7
--| (1 row)
select * from json_populate_record(null::record, '{"a": 9}') as x(a few);
--| ERROR:  23514: value for domain few violates check constraint "few_check"
select * from rows from (jsonb_to_record('{"a": 7}') as (a few, b dd), generate_series(1, 2)) x;
--|  a | b | generate_series
--| ---+---+-----------------
--|  7 |   |               1
--|    |   |               2
--| (2 rows)
select x.a + 1, x from jsonb_to_record('{"a": 7}') as x(a few);
--|  ?column? |  x
--| ----------+-----
--|         8 | (7)
--| (1 row)
insert into t select a from jsonb_to_record('{"a": 7}') as x(a few) returning *;
--|  id | j
--| ----+---
--|   7 |
--| (1 row)
--| INSERT 0 1
create view vd as select * from jsonb_to_record('{"a": 7}') as x(a few, b dpt);
--| CREATE VIEW
select pg_get_viewdef('vd'::regclass);
--|                        pg_get_viewdef
--| -------------------------------------------------------------
--|   SELECT a,                                                 +
--|      b                                                      +
--|     FROM jsonb_to_record('{"a": 7}'::jsonb) x(a few, b dpt);
--| (1 row)
drop domain few;
--| ERROR:  2BP01: cannot drop type few because other objects depend on it
--| DETAIL:  view vd depends on type few
--| type dd depends on type few
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop domain dpt;
--| ERROR:  2BP01: cannot drop type dpt because other objects depend on it
--| DETAIL:  view vd depends on type dpt
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop view vd;
--| DROP VIEW
-- The row that was before has columns of its own, which are looked at last.
select * from jsonb_populate_recordset(row(1, 'x'::text), '[5]') as (a int, b bool);
--| ERROR:  22023: argument of jsonb_populate_recordset must be an array of objects
select * from jsonb_populate_recordset(row(1, 'x'::text), '[]') as (a int, b bool);
--| ERROR:  42804: function return row and query-specified return row do not match
--| DETAIL:  Returned type text at ordinal position 2, but query expects boolean.
select * from jsonb_populate_recordset(row(1, 'x'::text), null) as (a int, b bool);
--|  a | b
--| ---+---
--| (0 rows)
select * from jsonb_populate_record(row(1, 'x'::text), null) as (a int, b bool);
--| ERROR:  42804: function return row and query-specified return row do not match
--| DETAIL:  Returned type text at ordinal position 2, but query expects boolean.
select * from jsonb_populate_record(row(1, 1.239), '{"f1": 5}') as (a int, b numeric(6, 1));
--|  a |   b
--| ---+-------
--|  5 | 1.239
--| (1 row)
