-- Set-returning functions in expressions of a select list, in GROUP BY and ORDER BY.
create table t(id int, tags text[], n int);
--| CREATE TABLE
insert into t values (1,'{a,b}',2),(2,'{b,c}',0),(3,'{}',3),(4,null,1);
--| INSERT 0 4
select unnest(tags) as tag, count(*) from t group by tag order by 1;
--|  tag | count
--| -----+-------
--|  a   |     1
--|  b   |     2
--|  c   |     1
--| (3 rows)
select unnest(tags) as tag, count(*) from t group by 1 order by 2 desc, 1;
--|  tag | count
--| -----+-------
--|  b   |     2
--|  a   |     1
--|  c   |     1
--| (3 rows)
select unnest(array_agg(id)) from t;
--|  unnest
--| --------
--|       1
--|       2
--|       3
--|       4
--| (4 rows)
select generate_series(1,3)+1;
--|  ?column?
--| ----------
--|         2
--|         3
--|         4
--| (3 rows)
select id, generate_series(1,n)*10 as x from t order by id, x desc;
--|  id | x
--| ----+----
--|   1 | 20
--|   1 | 10
--|   3 | 30
--|   3 | 20
--|   3 | 10
--|   4 | 10
--| (6 rows)
select generate_series(1,2), generate_series(1,generate_series(1,3));
--|  generate_series | generate_series
--| -----------------+-----------------
--|                1 |               1
--|                2 |               1
--|                2 |               2
--|                  |               1
--|                  |               2
--|                  |               3
--| (6 rows)
select generate_series(1,generate_series(1,3)), generate_series(1,2);
--|  generate_series | generate_series
--| -----------------+-----------------
--|                1 |               1
--|                1 |               2
--|                2 |               2
--|                1 |
--|                2 |
--|                3 |
--| (6 rows)
select generate_series(1,generate_series(1,3)), generate_series(11,12)+0;
--|  generate_series | ?column?
--| -----------------+----------
--|                1 |       11
--|                1 |       12
--|                2 |       12
--|                1 |
--|                2 |
--|                3 |
--| (6 rows)
select 'x' || unnest(tags) from t;
--|  ?column?
--| ----------
--|  xa
--|  xb
--|  xb
--|  xc
--| (4 rows)
select upper(unnest(tags)), id from t order by 1;
--|  upper | id
--| -------+----
--|  A     |  1
--|  B     |  1
--|  B     |  2
--|  C     |  2
--| (4 rows)
select distinct generate_series(1,4) % 2 as m order by m;
--|  m
--| ---
--|  0
--|  1
--| (2 rows)
select generate_series(1,3) as g, sum(n) from t group by g order by g;
--|  g | sum
--| ---+-----
--|  1 |   6
--|  2 |   6
--|  3 |   6
--| (3 rows)
select case when true then generate_series(1,2) end;
--| ERROR:  0A000: set-returning functions are not allowed in CASE
--| HINT:  You might be able to move the set-returning function into a LATERAL FROM item.
select coalesce(generate_series(1,2), 1);
--| ERROR:  0A000: set-returning functions are not allowed in COALESCE
--| HINT:  You might be able to move the set-returning function into a LATERAL FROM item.
select sum(generate_series(1,2)) from t;
--| ERROR:  0A000: aggregate function calls cannot contain set-returning function calls
--| HINT:  You might be able to move the set-returning function into a LATERAL FROM item.
select sum(generate_series(1,2)) over () from t;
--| ERROR:  0A000: window function calls cannot contain set-returning function calls
--| HINT:  You might be able to move the set-returning function into a LATERAL FROM item.
select id from t where generate_series(1,2) = 1;
--| ERROR:  0A000: set-returning functions are not allowed in WHERE
select id from t group by id having generate_series(1,2) = 1;
--| ERROR:  0A000: set-returning functions are not allowed in HAVING
select 1 limit generate_series(1,2);
--| ERROR:  0A000: set-returning functions are not allowed in LIMIT
values (generate_series(1,2));
--| ERROR:  0A000: set-returning functions are not allowed in VALUES
select id from t order by generate_series(1,n), id;
--|  id
--| ----
--|   1
--|   3
--|   4
--|   1
--|   3
--|   3
--| (6 rows)
select id, generate_series(1,n) from t order by generate_series(1,n) desc, id;
--|  id | generate_series
--| ----+-----------------
--|   3 |               3
--|   1 |               2
--|   3 |               2
--|   1 |               1
--|   3 |               1
--|   4 |               1
--| (6 rows)
select * from generate_series(1, generate_series(1,2));
--| ERROR:  0A000: set-returning functions must appear at top level of FROM
update t set n = generate_series(1,2);
--| ERROR:  0A000: set-returning functions are not allowed in UPDATE
insert into t(id) values (generate_series(10,12));
--| INSERT 0 3
select id from t order by id;
--|  id
--| ----
--|   1
--|   2
--|   3
--|   4
--|  10
--|  11
--|  12
--| (7 rows)
insert into t(id) values (generate_series(20,21)), (5);
--| ERROR:  0A000: set-returning functions are not allowed in VALUES
insert into t(id) select generate_series(20,21)+100 returning generate_series(1,2);
--| ERROR:  0A000: set-returning functions are not allowed in RETURNING
select (regexp_matches('foobarbequebaz', 'ba.', 'g'))[1];
--|  regexp_matches
--| ----------------
--|  bar
--|  baz
--| (2 rows)
select (regexp_matches('a1b2', '([a-z])([0-9])', 'g'))[2]::int + 1;
--|  ?column?
--| ----------
--|         2
--|         3
--| (2 rows)
select count(*) from (select generate_series(1,3)+generate_series(1,2)) s;
--|  count
--| -------
--|      3
--| (1 row)
select generate_series(1,3)+generate_series(1,2);
--|  ?column?
--| ----------
--|         2
--|         4
--|
--| (3 rows)
select array(select generate_series(1,3)*2);
--|   array
--| ---------
--|  {2,4,6}
--| (1 row)
select (select generate_series(1,1)+1);
--|  ?column?
--| ----------
--|         2
--| (1 row)
select id, (select max(x) from (select generate_series(1,n)+1 as x) s) from t where id<5 order by id;
--|  id | max
--| ----+-----
--|   1 |   3
--|   2 |
--|   3 |   4
--|   4 |   2
--| (4 rows)
select exists(select generate_series(1,0));
--|  exists
--| --------
--|  f
--| (1 row)
select sum(x) over (order by x) from (select generate_series(1,3)*2 x) s;
--|  sum
--| -----
--|    2
--|    6
--|   12
--| (3 rows)
select row_number() over (), generate_series(1,2)+1 from t where id < 3;
--|  row_number | ?column?
--| ------------+----------
--|           1 |        2
--|           1 |        3
--|           2 |        2
--|           2 |        3
--| (4 rows)
select generate_series(1,3)+1 limit 2;
--|  ?column?
--| ----------
--|         2
--|         3
--| (2 rows)
select generate_series(1,3)+1 union all select generate_series(5,6)*2 order by 1 desc;
--|  ?column?
--| ----------
--|        12
--|        10
--|         4
--|         3
--|         2
--| (5 rows)
select jsonb_array_elements('[1,2,3]')::int * 2;
--|  ?column?
--| ----------
--|         2
--|         4
--|         6
--| (3 rows)
select distinct on (g % 2) g from (select generate_series(1,5) g) s order by g % 2, g desc;
--|  g
--| ---
--|  4
--|  5
--| (2 rows)
select distinct on (generate_series(1,4) % 2) id from t order by generate_series(1,4) % 2, id;
--|  id
--| ----
--|   1
--|   1
--| (2 rows)
select generate_series(1,2) = any(array[1]);
--|  ?column?
--| ----------
--|  t
--|  f
--| (2 rows)
select not (generate_series(1,2) = 1);
--| ERROR:  42804: argument of NOT must not return a set
select array[generate_series(1,2), 7];
--|  array
--| -------
--|  {1,7}
--|  {2,7}
--| (2 rows)
select generate_subscripts(tags,1)-1 as i, tags[generate_subscripts(tags,1)] from t where id<5 order by id, i;
--|  i | tags
--| ---+------
--|  0 | a
--|  1 | b
--|  0 | b
--|  1 | c
--| (4 rows)
select greatest(generate_series(1,3),2);
--|  greatest
--| ----------
--|         2
--|         2
--|         3
--| (3 rows)
select generate_series(1,3) from t for update;
--| ERROR:  0A000: FOR UPDATE is not allowed with set-returning functions in the target list
select unnest(array[1,2]) + unnest(array[10,20,30]);
--|  ?column?
--| ----------
--|        11
--|        22
--|
--| (3 rows)
select id, unnest(tags) from t group by id, tags order by 1, 2;
--|  id | unnest
--| ----+--------
--|   1 | a
--|   1 | b
--|   2 | b
--|   2 | c
--| (4 rows)
select max(n), generate_series(1, max(n)::int)*2 from t;
--|  max | ?column?
--| -----+----------
--|    3 |        2
--|    3 |        4
--|    3 |        6
--| (3 rows)
select nullif(generate_series(1,3), 2);
--|  nullif
--| --------
--|       1
--|
--|       3
--| (3 rows)
select filter_me from (select generate_series(1,5)+1 as filter_me) s where filter_me > 4;
--|  filter_me
--| -----------
--|          5
--|          6
--| (2 rows)
select generate_series(1,2)::text || 'a', pg_typeof(generate_series(1,2)+1.5);
--|  ?column? | pg_typeof
--| ----------+-----------
--|  1a       | numeric
--|  2a       | numeric
--| (2 rows)
create view v as select id, upper(unnest(tags)) as tag, generate_series(1, n) + 1 as g from t;
--| CREATE VIEW
select pg_get_viewdef('v'::regclass);
--|             pg_get_viewdef
--| --------------------------------------
--|   SELECT id,                         +
--|      upper(unnest(tags)) AS tag,     +
--|      (generate_series(1, n) + 1) AS g+
--|     FROM t;
--| (1 row)
select * from v where id = 1;
--|  id | tag | g
--| ----+-----+---
--|   1 | A   | 2
--|   1 | B   | 3
--| (2 rows)
update v set id = 1;
--| ERROR:  55000: cannot update view "v"
--| DETAIL:  Views that return set-returning functions are not automatically updatable.
--| HINT:  To enable updating the view, provide an INSTEAD OF UPDATE trigger or an unconditional ON UPDATE DO INSTEAD rule.
select tag, count(*) from (select unnest(tags) as tag from t) s group by tag having count(*) > 1;
--|  tag | count
--| -----+-------
--|  b   |     2
--| (1 row)
select unnest(tags) || 'x' as u, count(*) from t group by unnest(tags) order by 1;
--|  u  | count
--| ----+-------
--|  ax |     1
--|  bx |     2
--|  cx |     1
--| (3 rows)
explain (costs off) select id, generate_series(1, n) + 1 from t order by id;
--|         QUERY PLAN
--| ---------------------------
--|  ProjectSet
--|    ->  Sort
--|          Sort Key: id
--|          ->  Seq Scan on t
--| (4 rows)
select id, generate_series(1, n) + 1 as g from t order by id limit 3;
--|  id | g
--| ----+---
--|   1 | 2
--|   1 | 3
--|   3 | 2
--| (3 rows)
