-- What looks like a call without being one, in FROM.

select * from coalesce(1, 2) x;
--|  x
--| ---
--|  1
--| (1 row)
select x.*, pg_typeof(x) from coalesce(null, 'a') x;
--|  x | pg_typeof
--| ---+-----------
--|  a | text
--| (1 row)
select * from coalesce(1, 2);
--|  coalesce
--| ----------
--|         1
--| (1 row)
select coalesce from coalesce(1, 2);
--|  coalesce
--| ----------
--|         1
--| (1 row)
select x = now() from current_timestamp x;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select pg_typeof(d) from current_date d;
--|  pg_typeof
--| -----------
--|  date
--| (1 row)
select current_date = d.current_date from current_date as d;
--| ERROR:  42703: column d.current_date does not exist
select count(*) from localtime, localtimestamp(0), current_time(2), current_timestamp;
--|  count
--| -------
--|      1
--| (1 row)
select * from current_user x where x = current_user;
--|     x
--| ----------
--|  postgres
--| (1 row)
select * from current_schema;
--|  current_schema
--| ----------------
--|  public
--| (1 row)
select g from current_catalog c, lateral greatest(c, 'a', 'zz') g where g = 'zz';
--|  g
--| ----
--|  zz
--| (1 row)
select u = current_user, s = session_user, r from user u, session_user s, current_role r;
--|  ?column? | ?column? |    r
--| ----------+----------+----------
--|  t        | t        | postgres
--| (1 row)
select * from cast('5' as int);
--|  int4
--| ------
--|     5
--| (1 row)
select * from cast('5' as int) x;
--|  x
--| ---
--|  5
--| (1 row)
select * from extract(year from date '2024-02-03'), position('b' in 'abc'), substring('abc' from 2), trim(both 'x' from 'xax'), overlay('abc' placing 'X' from 2);
--|  extract | position | substring | btrim | overlay
--| ---------+----------+-----------+-------+---------
--|     2024 |        2 | bc        | a     | aXc
--| (1 row)
select * from nullif(1, 1) with ordinality;
--|  nullif | ordinality
--| --------+------------
--|         |          1
--| (1 row)
select * from nullif(1, 2) with ordinality as n(a, b);
--|  a | b
--| ---+---
--|  1 | 1
--| (1 row)
select * from least(3, 1, 2) l join greatest(1, 2) g on l < g;
--|  l | g
--| ---+---
--|  1 | 2
--| (1 row)
select * from (values (1), (2)) v(a), coalesce(a, 0) c;
--|  a | c
--| ---+---
--|  1 | 1
--|  2 | 2
--| (2 rows)
select * from (values (1), (2)) v(a) left join lateral coalesce(nullif(a, 1), 7) c on true;
--|  a | c
--| ---+---
--|  1 | 7
--|  2 | 2
--| (2 rows)
select * from (coalesce(1) cross join least(2));
--|  coalesce | least
--| ----------+-------
--|         1 |     2
--| (1 row)
select * from rows from (coalesce(1), generate_series(1, 2), current_schema) x(a, b, c);
--|  a | b |   c
--| ---+---+--------
--|  1 | 1 | public
--|    | 2 |
--| (2 rows)
select * from json_value('{"a": 1}', '$.a' returning int) v, json_query('{"a": [1]}', '$.a') q, json_exists('1', '$') e, json_object('a': 1) o, json_array(1, 2) a;
--|  v |  q  | e |     o     |   a
--| ---+-----+---+-----------+--------
--|  1 | [1] | t | {"a" : 1} | [1, 2]
--| (1 row)
select * from coalesce(row(1, 2)) as (a int, b int);
--|  a | b
--| ---+---
--|  1 | 2
--| (1 row)
select * from coalesce(row(1, 2));
--| ERROR:  42601: a column definition list is required for functions returning "record"
select (select x from coalesce(9) x), exists (select from current_date);
--|  x | exists
--| ---+--------
--|  9 | t
--| (1 row)
select extract(day from d) = extract(day from current_date), 1 is distinct from coalesce(1) from current_date d;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | f
--| (1 row)
create table moments (d date, n int);
--| CREATE TABLE
insert into moments select d, c from current_date d, coalesce(3) c;
--| INSERT 0 1
update moments set n = c from coalesce(4) c where d = current_date;
--| UPDATE 1
delete from moments using coalesce(4) c where n = c;
--| DELETE 1
select * from moments;
--|  d | n
--| ---+---
--| (0 rows)
select * from "current_date";
--| ERROR:  42P01: relation "current_date" does not exist
create view dates as select d, x.x as n, y from current_date d, coalesce(1, 2) x, cast('5' as int) y, current_timestamp(0) t, extract(year from date '2024-01-01') e;
--| CREATE VIEW
select pg_get_viewdef('dates');
--|                  pg_get_viewdef
--| -------------------------------------------------
--|   SELECT d.d,                                   +
--|      x.x AS n,                                  +
--|      y.y                                        +
--|     FROM CURRENT_DATE d(d),                     +
--|      COALESCE(1, 2) x(x),                       +
--|      CAST(5 AS integer) y(y),                   +
--|      CURRENT_TIMESTAMP(0) t(t),                 +
--|      EXTRACT(year FROM '2024-01-01'::date) e(e);
--| (1 row)
select n, y from dates;
--|  n | y
--| ---+---
--|  1 | 5
--| (1 row)
-- The first item of a list may be a query.
select 1 in ((select 1), 2), 3 not in ((select 1), 2), 2 in ((select 1) + 1), 1 in ((select 1)), 1 in ((select 1) union select 2), 4 in ((select 1)::int, (select 4));
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------
--|  t        | t        | t        | t        | t        | t
--| (1 row)
select n from generate_series(1, 4) n where n not in ((select 1), (select max(m) from generate_series(1, 2) m)) order by 1;
--|  n
--| ---
--|  3
--|  4
--| (2 rows)
select position('b' in ((select 'a') || 'b')), (1, 2) in ((select 1, 2));
--|  position | ?column?
--| ----------+----------
--|         2 | t
--| (1 row)
create view listed as select n from generate_series(1, 4) n where n not in ((select 1), 2);
--| CREATE VIEW
select pg_get_viewdef('listed');
--|                pg_get_viewdef
--| ---------------------------------------------
--|   SELECT n                                  +
--|     FROM generate_series(1, 4) n(n)         +
--|    WHERE (n <> ALL (ARRAY[( SELECT 1), 2]));
--| (1 row)
create view listed_more as select n from generate_series(1, 4) n where n in (n, 1, (select 2), 3) and n not in (n, 7);
--| CREATE VIEW
select pg_get_viewdef('listed_more');
--|                                       pg_get_viewdef
--| ------------------------------------------------------------------------------------------
--|   SELECT n                                                                               +
--|     FROM generate_series(1, 4) n(n)                                                      +
--|    WHERE (((n = ANY (ARRAY[1, ( SELECT 2), 3])) OR (n = n)) AND ((n <> n) AND (n <> 7)));
--| (1 row)
