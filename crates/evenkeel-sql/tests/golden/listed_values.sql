-- Lists of several types are arrays of the one that suits all: the left side is computed once. Long ones are searched by halves.
select count(*) from generate_series(1, 500) where floor(random() * 3) in (0, 1, 2);
--|  count
--| -------
--|    500
--| (1 row)
select count(*) from generate_series(1, 500) where floor(random() * 3) not in (0, 1, 2);
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from generate_series(1, 500) where (random() * 3)::int in (0::bigint, 1, 2, 3.0);
--|  count
--| -------
--|    500
--| (1 row)
select count(*) from generate_series(1, 500) where chr(65 + floor(random() * 2)::int)::char(1) in ('A', 'B'::text);
--|  count
--| -------
--|    500
--| (1 row)
select count(*) from generate_series(1, 500) where chr(65 + floor(random() * 2)::int)::varchar in ('A'::text, 'B'::varchar);
--|  count
--| -------
--|    500
--| (1 row)
create table lv (n numeric primary key, i int, f float8, t text, c char(3), d date);
--| CREATE TABLE
insert into lv select g, g, g / 2.0, 'k' || g, 'c' || g % 10, date '2000-01-01' + g from generate_series(1, 200) g;
--| INSERT 0 200
insert into lv values (-1, null, 'NaN', null, null, null);
--| INSERT 0 1
analyze lv;
--| ANALYZE
explain (costs off) select n from lv where n in (1, 2, 3);
--|                    QUERY PLAN
--| ------------------------------------------------
--|  Index Scan using lv_pkey on lv
--|    Index Cond: (n = ANY ('{1,2,3}'::numeric[]))
--| (2 rows)
select n from lv where n in (1, 2, 3, 1000) order by n;
--|  n
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
select count(*) from lv where i in (1, 2.0, 3.5, 4::bigint, null);
--|  count
--| -------
--|      3
--| (1 row)
select count(*) from lv where i not in (1, 2.0, 3.5, 4::bigint, null);
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from lv where f in (1, 2.5, 3::numeric, 'NaN', 4, 5, 6, 7, 8, 9, 10);
--|  count
--| -------
--|     11
--| (1 row)
select count(*) from lv where f not in (1, 2.5, 3::numeric, 'NaN', 4, 5, 6, 7, 8, 9, 10);
--|  count
--| -------
--|    190
--| (1 row)
select count(*) from lv where f not in (1, 2.5, 3::numeric, 'NaN', 4, 5, 6, 7, 8, 9, null);
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from lv where i in (9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 9, 300);
--|  count
--| -------
--|      9
--| (1 row)
select count(*) from lv where i not in (9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 9, 300);
--|  count
--| -------
--|    191
--| (1 row)
select count(*) from lv where i + 0 in (9, 8, 7, 6, 5, 4, 3, 2, null, 1::bigint);
--|  count
--| -------
--|      9
--| (1 row)
select count(*) from lv where i = any ('{9,8,7,6,5,4,3,2,1,1,null}');
--|  count
--| -------
--|      9
--| (1 row)
select count(*) from lv where i <> all ('{9,8,7,6,5,4,3,2,1,1}');
--|  count
--| -------
--|    191
--| (1 row)
select count(*) from lv where i <> all ('{9,8,7,6,5,4,3,2,1,1,null}');
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from lv where (i = any ('{9,8,7,6,5,4,3,2,1,1,null}')) is null;
--|  count
--| -------
--|    192
--| (1 row)
select count(*) from lv where t in ('k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8', 'k9', 'K10');
--|  count
--| -------
--|      9
--| (1 row)
select count(*) from lv where c in ('c1 ', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9', 'x');
--|  count
--| -------
--|    180
--| (1 row)
select count(*) from lv where c not in ('c1 ', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9', 'x');
--|  count
--| -------
--|     20
--| (1 row)
select count(*) from lv where d in ('2000-01-02', '2000-01-03'::timestamp, timestamp '2000-01-04 01:00');
--|  count
--| -------
--|      2
--| (1 row)
select count(*) from lv where i in (1, 2.0, i, 7);
--|  count
--| -------
--|    200
--| (1 row)
select count(*) from lv where (i, t) in ((1, 'k1'), (2, 'x'), (3, 'k3'));
--|  count
--| -------
--|      2
--| (1 row)
select i in (9, 8, 7, 6, 5, 4, 3, 2, 1), i in (9, 8, 7, 6, 5, 4, 3, 2, null) from lv where i in (1, 2, 30) or i is null order by 1;
--|  ?column? | ?column?
--| ----------+----------
--|  f        |
--|  t        |
--|  t        | t
--|           |
--| (4 rows)
prepare lvp(int[]) as select count(*) from lv where i = any ($1) and i + 0 <> all ('{5,6,7,8,9,10,11,12,13,14}');
--| PREPARE
execute lvp('{1,2,3,4,5,6,7,8,9,10}');
--|  count
--| -------
--|      4
--| (1 row)
execute lvp('{1,2,3,4,5,6,7,8,9,100}');
--|  count
--| -------
--|      5
--| (1 row)
execute lvp('{100}');
--|  count
--| -------
--|      1
--| (1 row)
execute lvp(null);
--|  count
--| -------
--|      0
--| (1 row)
create view lvv as select n from lv where i in (1, 2.0, 3);
--| CREATE VIEW
select pg_get_viewdef('lvv'::regclass);
--|                              pg_get_viewdef
--| ------------------------------------------------------------------------
--|   SELECT n                                                             +
--|     FROM lv                                                            +
--|    WHERE ((i)::numeric = ANY (ARRAY[(1)::numeric, 2.0, (3)::numeric]));
--| (1 row)
create table lvc (i int check (i in (1, 2.5, 3)), f float8 check (f in (1, 2, 3)));
--| CREATE TABLE
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'lvc'::regclass order by conname;
--|                                       pg_get_constraintdef
--| ------------------------------------------------------------------------------------------------
--|  CHECK ((f = ANY (ARRAY[(1)::double precision, (2)::double precision, (3)::double precision])))
--|  CHECK (((i)::numeric = ANY (ARRAY[(1)::numeric, 2.5, (3)::numeric])))
--| (2 rows)
insert into lvc values (3, 1);
--| INSERT 0 1
insert into lvc values (2, 1);
--| ERROR:  23514: new row for relation "lvc" violates check constraint "lvc_i_check"
--| DETAIL:  Failing row contains (2, 1).
select i in (1, 'x') from lv where false;
--| ERROR:  22P02: invalid input syntax for type integer: "x"
select json '1' in ('1'::json, '2'::text);
--| ERROR:  42883: operator does not exist: json = json
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
