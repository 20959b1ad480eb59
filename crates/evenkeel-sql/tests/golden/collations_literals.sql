-- A literal with COLLATE is of the type that stands beside it.
create table cl1 (b char(5), n name, v varchar(3), d date, x text);
--| CREATE TABLE
insert into cl1 values ('a', 'a', 'a', '2020-01-01', 'a'), ('B', 'B', 'B', '2021-01-01', 'B');
--| INSERT 0 2
select b = 'a  ' collate "de-x-icu", n = 'a' collate "sv-x-icu", v = 'a' collate "C", d = '2020-01-01' collate "C", x = 'a' collate "C" from cl1 order by d;
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  t        | t        | t        | t        | t
--|  f        | f        | f        | f        | f
--| (2 rows)
select n from cl1 where n > 'a' collate "sv-x-icu";
--|  n
--| ---
--|  B
--| (1 row)
select b from cl1 where b > 'a' collate "de-x-icu" and b in ('B ' collate "de-x-icu", 'q');
--|    b
--| -------
--|  B
--| (1 row)
select coalesce('a' collate "C", 'b'), 'a' collate "C" || 'b', array['a' collate "C"], row('a' collate "C"), ('1' collate "C")::int, case when true then 'a' collate "C" else 'b' end;
--|  coalesce | ?column? | array | row | int4 | case
--| ----------+----------+-------+-----+------+------
--|  a        | ab       | {a}   | (a) |    1 | a
--| (1 row)
select 'a' collate "C" union select 'b' order by 1;
--|  ?column?
--| ----------
--|  a
--|  b
--| (2 rows)
select '1' collate "C" + 1;
--|  ?column?
--| ----------
--|         2
--| (1 row)
select 'a' collate "C" < 'B', 'a' < 'B' collate "de-x-icu", null collate "C", 'x' collate "C" as y order by y;
--|  ?column? | ?column? | ?column? | y
--| ----------+----------+----------+---
--|  f        | t        |          | x
--| (1 row)
create table cl2 as select 'a' collate "de-x-icu" as q;
--| SELECT 1
select attname, atttypid::regtype from pg_attribute where attrelid = 'cl2'::regclass and attnum > 0;
--|  attname | atttypid
--| ---------+----------
--|  q       | text
--| (1 row)
create table cl3 (x text default 'a' collate "C", y int default '1' collate "C");
--| ERROR:  42804: collations are not supported by type integer
insert into cl3 default values returning *;
--| ERROR:  42P01: relation "cl3" does not exist
create view clv as select 'a' collate "C" as a, x = 'a' collate "de-x-icu" as b, b = 'a' collate "de-x-icu" as c, n < 'q' collate "de-x-icu" as d from cl1;
--| CREATE VIEW
select pg_get_viewdef('clv');
--|                   pg_get_viewdef
--| --------------------------------------------------
--|   SELECT ('a'::text COLLATE "C") AS a,           +
--|      (x = ('a'::text COLLATE "de-x-icu")) AS b,  +
--|      (b = ('a'::bpchar COLLATE "de-x-icu")) AS c,+
--|      (n < ('q'::name COLLATE "de-x-icu")) AS d   +
--|     FROM cl1;
--| (1 row)
select * from clv order by 4, 2;
--|  a | b | c | d
--| ---+---+---+---
--|  a | f | f | t
--|  a | t | t | t
--| (2 rows)
-- COLLATE in one side of a set operation says the column's.
select n::text collate "sv-x-icu" from cl1 union select x collate "C" from cl1;
--| ERROR:  42P21: collation mismatch between explicit collations "sv-x-icu" and "C"
select x collate "de-x-icu" from cl1 union select n::text from cl1 order by 1;
--|  x
--| ---
--|  a
--|  B
--| (2 rows)
select n::text collate "de-x-icu" as u from cl1 union all select v collate "de-x-icu" from cl1 order by u;
--|  u
--| ---
--|  a
--|  a
--|  B
--|  B
--| (4 rows)
select case v when n then 1 end, case when v = 'a' then x end in ('a', 'b') from cl1 order by d;
--|  case | ?column?
--| ------+----------
--|     1 | t
--|     1 |
--| (2 rows)
