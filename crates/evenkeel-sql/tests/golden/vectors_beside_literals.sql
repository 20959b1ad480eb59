-- A literal beside an int2vector or an oidvector is one.
create table t (a int, b int, c int, unique (a, c));
--| CREATE TABLE
select count(*) from pg_index where indkey = '1 3' and indrelid = 't'::regclass;
--|  count
--| -------
--|      1
--| (1 row)
select count(*) from pg_proc where proname = 'now' and proargtypes = '';
--|  count
--| -------
--|      1
--| (1 row)
select '1 2'::int2vector = '1 2', '1 2'::oidvector <> '2', '1 2'::int2vector in ('1 2', '3'), '3' = '1 2'::oidvector;
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | t        | t        | f
--| (1 row)
select '1 2'::int2vector = '1 x';
--| ERROR:  22P02: invalid input syntax for type smallint: "x"
select 2 = any ('1 2'::int2vector), int2vector '1 2', oidvector '3', '1'::int2vector;
--|  ?column? | int2vector | oidvector | int2vector
--| ----------+------------+-----------+------------
--|  t        | 1 2        | 3         | 1
--| (1 row)
