-- Signs and comments directly behind operators; ISNULL; other short spellings of statements.

select 1>=-1, 2<>-1, 3=-3, 4<-3, 1>-1, 1<=-1, 1<=+1, 1<>+1, 2*-1, 5-+-2;
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------+----------+----------+----------
--|  t        | t        | f        | f        | t        | f        | t        | f        |       -2 |        7
--| (1 row)
select 1 where 1>=-1 and 2<>/*c*/3 and 2</**/3 and 2<>--x
3;
--|  ?column?
--| ----------
--|         1
--| (1 row)
select '[1,2]'::json->-1, '[1,2]'::jsonb->>-1, '{"a":1}'::jsonb@>'{}', 2<>/* a /* b */ 'c' */1;
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  2        | 2        | t        | t
--| (1 row)
select 1 - -1, 1--1
;
--|  ?column? | ?column?
--| ----------+----------
--|         2 |        1
--| (1 row)
select x>=-1 from (values (0),(-2)) v(x) where x>-3 and x<>-3 and not x=-5;
--|  ?column?
--| ----------
--|  t
--|  f
--| (2 rows)
select a isnull, a notnull, (a + 1) isnull as n, 'x' isnull from (values (1), (null)) v(a) where a isnull or a notnull order by 1;
--|  ?column? | ?column? | n | ?column?
--| ----------+----------+---+----------
--|  f        | t        | f | f
--|  t        | f        | t | f
--| (2 rows)
select 1 as isnull;
--|  isnull
--| --------
--|       1
--| (1 row)
create table isn (a int); select * from isn where a isnull; insert into isn values (null); update isn set a = 1 where a isnull returning a notnull;
--| CREATE TABLE
--|  a
--| ---
--| (0 rows)
--| INSERT 0 1
--|  ?column?
--| ----------
--|  t
--| (1 row)
--| UPDATE 1
select string_agg(distinct f1, f1 order by f1) from (values ('b'::varchar(2)), ('a'), ('b')) v(f1);
--|  string_agg
--| ------------
--|  abb
--| (1 row)
select array_agg(distinct a order by b) from (values (1, 2)) v(a, b);
--| ERROR:  42P10: in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list
set role to postgres; show role; set role = 'postgres'; set role to default; reset role;
--| SET
--|    role
--| ----------
--|  postgres
--| (1 row)
--| SET
--| SET
--| RESET
create table us1 (a int) using heap; create table us2 using heap as select 1 as a; create temp table us3 (a int, b text) with (fillfactor=50, toast.autovacuum_enabled=false, toast.vacuum_truncate=false);
--| CREATE TABLE
--| SELECT 1
--| CREATE TABLE
select reloptions from pg_class where relname = 'us3';
--|    reloptions
--| -----------------
--|  {fillfactor=50}
--| (1 row)
analyze only us1, us2;
--| ANALYZE
vacuum only us1;
--| VACUUM
vacuum (analyze) only us2 (a);
--| VACUUM
set temp_buffers = 100; show temp_buffers; set temp_buffers = '1MB'; show temp_buffers;
--| SET
--|  temp_buffers
--| --------------
--|  800kB
--| (1 row)
--| SET
--|  temp_buffers
--| --------------
--|  1MB
--| (1 row)
select pg_size_bytes('1e6 MB'), pg_size_bytes(' -10e-1 MB'), pg_size_bytes('1.5 GB '), pg_size_bytes('99 PB'), pg_size_bytes('1'), pg_size_bytes('1E2kB');
--|  pg_size_bytes | pg_size_bytes | pg_size_bytes |   pg_size_bytes    | pg_size_bytes | pg_size_bytes
--| ---------------+---------------+---------------+--------------------+---------------+---------------
--|  1048576000000 |      -1048576 |    1610612736 | 111464090777419776 |             1 |        102400
--| (1 row)
select pg_size_bytes('1 e'); 
--| ERROR:  22023: invalid size: "1 e"
--| DETAIL:  Invalid size unit: "e".
--| HINT:  Valid units are "bytes", "B", "kB", "MB", "GB", "TB", and "PB".
