-- The name of a type called with a text that has no type is a cast to it, whatever functions of that name there are.
select pg_lsn('0/0'), pg_lsn(5::numeric), pg_lsn(null);
--|  pg_lsn | pg_lsn | pg_lsn
--| --------+--------+--------
--|  0/0    | 0/5    |
--| (1 row)
select text('x'), text('10.0.0.1'::inet), text(5), int4('5'), int4(5.6), date('2020-01-01'), bytea('x'), "varchar"('abc');
--|  text |    text     | text | int4 | int4 |    date    | bytea | varchar
--| ------+-------------+------+------+------+------------+-------+---------
--|  x    | 10.0.0.1/32 | 5    |    5 |    6 | 2020-01-01 | \x78  | abc
--| (1 row)
select pg_wal_lsn_diff('0/10', pg_lsn('0/0'));
--|  pg_wal_lsn_diff
--| -----------------
--|               16
--| (1 row)
select int4('x');
--| ERROR:  22P02: invalid input syntax for type integer: "x"
select pg_catalog.pg_lsn('1/0'), pg_typeof(pg_lsn('1/0')), pg_typeof(text('x'));
--|  pg_lsn | pg_typeof | pg_typeof
--| --------+-----------+-----------
--|  1/0    | pg_lsn    | text
--| (1 row)
-- A boolean constant has no name.
select true;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select (select false), (true), false::bool, true::text, case when true then true end, coalesce(true);
--|  ?column? | ?column? | bool | text | case | coalesce
--| ----------+----------+------+------+------+----------
--|  f        | t        | f    | true | t    | t
--| (1 row)
create view v as select true, 1 as b;
--| CREATE VIEW
select * from v;
--|  ?column? | b
--| ----------+---
--|  t        | 1
--| (1 row)
select true as x, count(*) from v group by true;
--| ERROR:  42601: non-integer constant in GROUP BY
