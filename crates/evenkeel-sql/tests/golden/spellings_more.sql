-- Spellings: VALUES as a value, types and strings of the national character set, a star behind a table that has an alias, functions that are words.
select pg_catalog.current_user();
--|  current_user
--| --------------
--|  postgres
--| (1 row)
select pg_catalog.session_user(), pg_catalog.current_schema();
--|  session_user | current_schema
--| --------------+----------------
--|  postgres     | public
--| (1 row)
SELECT (VALUES (1));
--|  column1
--| ---------
--|        1
--| (1 row)
SELECT (VALUES (1),(2));
--| ERROR:  21000: more than one row returned by a subquery used as an expression
select 1 + (values (2)), array(values (1),(2));
--|  ?column? | array
--| ----------+-------
--|         3 | {1,2}
--| (1 row)
select exists (values (1)), 3 in (values (3));
--|  exists | ?column?
--| --------+----------
--|  t      | t
--| (1 row)
select * from (values (1, 2)) v, (values (3)) w;
--|  column1 | column2 | column1
--| ---------+---------+---------
--|        1 |       2 |       3
--| (1 row)
select coalesce((values (null::int)), 4), (values ('x')), row(1, (values (2)));
--|  coalesce | column1 |  row
--| ----------+---------+-------
--|         4 | x       | (1,2)
--| (1 row)
select case when (values (true)) then (values (1)) else 3 end as c;
--|  c
--| ---
--|  1
--| (1 row)
select a from (values (1), (2)) v(a) where a = (values (2)) order by (values (1));
--|  a
--| ---
--|  2
--| (1 row)
select (values (1, 2));
--| ERROR:  42601: subquery must return only one column
select 1 limit (values (1));
--|  ?column?
--| ----------
--|         1
--| (1 row)
select is_distinct from (select 1 is distinct from (values (2)) as is_distinct) x;
--|  is_distinct
--| -------------
--|  t
--| (1 row)
create table st (a int, n nchar(3), nv nchar varying(5), nc national character(2), ncv national character varying(4), nch national char, "nchar" int);
--| CREATE TABLE
insert into st values (1, N'x', n'y', N'z', 'w', 'v', (values (7)));
--| INSERT 0 1
select nchar, st.nchar from st;
--|  nchar | nchar
--| -------+-------
--|      7 |     7
--| (1 row)
select * from st * x where x.a = 1;
--|  a |  n  | nv | nc | ncv | nch | nchar
--| ---+-----+----+----+-----+-----+-------
--|  1 | x   | y  | z  | w   | v   |     7
--| (1 row)
select * from st *;
--|  a |  n  | nv | nc | ncv | nch | nchar
--| ---+-----+----+----+-----+-----+-------
--|  1 | x   | y  | z  | w   | v   |     7
--| (1 row)
select st.* from st * as q(b), st;
--|  a |  n  | nv | nc | ncv | nch | nchar
--| ---+-----+----+----+-----+-----+-------
--|  1 | x   | y  | z  | w   | v   |     7
--| (1 row)
select a*2 from st * order by 1;
--|  ?column?
--| ----------
--|         2
--| (1 row)
select q.a from st * q join st * r on q.a = r.a, st z;
--|  a
--| ---
--|  1
--| (1 row)
select extract(year from date '2020-01-01' * 1);
--| ERROR:  42883: operator does not exist: date * integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select substring('abcdef' from a * 2) from st;
--|  substring
--| -----------
--|  bcdef
--| (1 row)
select a is distinct from a * nchar as x from st;
--|  x
--| ---
--|  t
--| (1 row)
select 1 is distinct from a * a from st;
--|  ?column?
--| ----------
--|  f
--| (1 row)
update st * set a = 2;
--| UPDATE 1
delete from st * where a = 3;
--| DELETE 0
select N'abc', n'ab' || 'c', N'it''s', pg_typeof(N'x'), pg_typeof(nchar 'x'), N'abc'::text;
--|  bpchar | ?column? | bpchar | pg_typeof | pg_typeof | text
--| --------+----------+--------+-----------+-----------+------
--|  abc    | abc      | it's   | character | character | abc
--| (1 row)
select 'x'::nchar, 'abc'::nchar(2), 'abc'::national character varying(2), cast('abc' as national char varying);
--|  bpchar | bpchar | varchar | varchar
--| --------+--------+---------+---------
--|  x      | ab     | ab      | abc
--| (1 row)
select column_name, data_type, character_maximum_length from information_schema.columns where table_name = 'st' order by ordinal_position;
--|  column_name |     data_type     | character_maximum_length
--| -------------+-------------------+--------------------------
--|  a           | integer           |
--|  n           | character         |                        3
--|  nv          | character varying |                        5
--|  nc          | character         |                        2
--|  ncv         | character varying |                        4
--|  nch         | character         |                        1
--|  nchar       | integer           |
--| (7 rows)
create view sv as select (values (3)) as x, n'y' as y, a from st * q where a > (values (0));
--| CREATE VIEW
select * from sv;
--|  x | y | a
--| ---+---+---
--|  3 | y | 2
--| (1 row)
select system_user, system_user is null, pg_typeof(system_user), pg_catalog.system_user(), 1 as system_user;
--|  system_user | ?column? | pg_typeof | system_user | system_user
--| -------------+----------+-----------+-------------+-------------
--|              | t        | text      |             |           1
--| (1 row)
select proname, prorettype::regtype from pg_proc where proname = 'system_user';
--|    proname   | prorettype
--| -------------+------------
--|  system_user | text
--| (1 row)
