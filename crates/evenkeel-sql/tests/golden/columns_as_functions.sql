-- `t.f` is what a function makes of a row, and `c(t)` a column of it; the type of a table's row.
create table t (a int, b text);
--| CREATE TABLE
insert into t values (1, 'x');
--| INSERT 0 1
select a(t), b(t), b(t.*) from t where a(t) = 1 order by b(t);
--|  a | b | b
--| ---+---+---
--|  1 | x | x
--| (1 row)
select row_to_json(t), t.row_to_json, t.to_jsonb, (t).to_json from t;
--|    row_to_json   |   row_to_json   |      to_jsonb      |     to_json
--| -----------------+-----------------+--------------------+-----------------
--|  {"a":1,"b":"x"} | {"a":1,"b":"x"} | {"a": 1, "b": "x"} | {"a":1,"b":"x"}
--| (1 row)
select (t.b).upper, (b).length, (1.5).round from t;
--|  upper | length | round
--| -------+--------+-------
--|  X     |      1 |     2
--| (1 row)
select c(t) from t;
--| ERROR:  42883: function c(t) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select t.nosuch from t;
--| ERROR:  42703: column t.nosuch does not exist
select t.text from t;
--| ERROR:  42703: column t.text does not exist
select text(t) from t;
--| ERROR:  42883: function text(t) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select t.upper from t;
--| ERROR:  42703: column t.upper does not exist
create view v as select a(t) as a, t.row_to_json as j from t;
--| CREATE VIEW
select pg_get_viewdef('v'), * from v;
--|       pg_get_viewdef       | a |        j
--| ---------------------------+---+-----------------
--|   SELECT a,               +| 1 | {"a":1,"b":"x"}
--|      row_to_json(t.*) AS j+|   |
--|     FROM t;                |   |
--| (1 row)
select pg_typeof(t), pg_typeof(t.*), pg_typeof(array_agg(t)), pg_typeof(row(1)) from t group by t.*;
--|  pg_typeof | pg_typeof | pg_typeof | pg_typeof
--| -----------+-----------+-----------+-----------
--|  t         | t         | t[]       | record
--| (1 row)
select pg_typeof(v), pg_typeof(c) from v, pg_class c where c.relname = 'pg_class';
--|  pg_typeof | pg_typeof
--| -----------+-----------
--|  v         | pg_class
--| (1 row)
select pg_typeof(s) from (select 1) s;
--|  pg_typeof
--| -----------
--|  record
--| (1 row)
select pg_typeof(x) from t x;
--|  pg_typeof
--| -----------
--|  t
--| (1 row)
update t set a = 2 returning pg_typeof(old), pg_typeof(new);
--|  pg_typeof | pg_typeof
--| -----------+-----------
--|  t         | t
--| (1 row)
--| UPDATE 1
-- A function is found first.
create table f (upper text, lower int);
--| CREATE TABLE
insert into f values ('u', 1);
--| INSERT 0 1
select f.upper, upper(f.upper), upper(f) from f;
--|  upper | upper | upper
--| -------+-------+-------
--|  u     | U     | u
--| (1 row)
