-- WITH: recursive expressions, what they may not do, and correlated ones.

create table part (id int primary key, parent int, name text);
--| CREATE TABLE
insert into part values (1, null, 'root'), (2, 1, 'a'), (3, 1, 'b'), (4, 2, 'a1'), (5, 4, 'a11'), (6, 3, 'b1'), (7, null, 'other');
--| INSERT 0 7
with recursive t(n) as (values (1) union all select n + 1 from t where n < 5) select * from t;
--|  n
--| ---
--|  1
--|  2
--|  3
--|  4
--|  5
--| (5 rows)
with recursive t as (select 1 as n union all select n + 1 from t) select n from t limit 3;
--|  n
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
with recursive t(n) as (select 1 union select (n + 1) % 4 from t) select * from t;
--|  n
--| ---
--|  1
--|  2
--|  3
--|  0
--| (4 rows)
with recursive tree as (select id, name, 0 as depth, array[id] as path from part where parent is null
  union all select p.id, p.name, t.depth + 1, t.path || p.id from part p join tree t on p.parent = t.id)
  select * from tree order by path;
--|  id | name  | depth |   path
--| ----+-------+-------+-----------
--|   1 | root  |     0 | {1}
--|   2 | a     |     1 | {1,2}
--|   4 | a1    |     2 | {1,2,4}
--|   5 | a11   |     3 | {1,2,4,5}
--|   3 | b     |     1 | {1,3}
--|   6 | b1    |     2 | {1,3,6}
--|   7 | other |     0 | {7}
--| (7 rows)
with recursive tree(i) as (select 4 union all select parent from part, tree where id = i and parent is not null) select p.* from tree join part p on p.id = i order by id;
--|  id | parent | name
--| ----+--------+------
--|   1 |        | root
--|   2 |      1 | a
--|   4 |      2 | a1
--| (3 rows)
with recursive t(n) as (select 1 union all select n + 1 from t where n < 3), u(m) as (select n * 10 from t union all select m + 1 from u where m < 12) select * from u order by m;
--|  m
--| ----
--|  10
--|  11
--|  12
--|  20
--|  30
--| (5 rows)
with recursive u as (select n from t), t(n) as (select 1 union all select n + 1 from t where n < 3) select * from u;
--|  n
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
with recursive x as (select 1 as a), y as (select a + 1 as b from x) select * from y;
--|  b
--| ---
--|  2
--| (1 row)
with recursive x as (select 1 as a union select 2 order by 1 limit 1) select * from x;
--|  a
--| ---
--|  1
--| (1 row)
with recursive fib(a, b) as (select 0::numeric, 1::numeric union all select b, a + b from fib where b < 100) select a from fib;
--|  a
--| ----
--|   0
--|   1
--|   1
--|   2
--|   3
--|   5
--|   8
--|  13
--|  21
--|  34
--|  55
--|  89
--| (12 rows)
with recursive t(n) as (select 1 union all select n + 1 from (select * from t) s where n < 3) select * from t;
--|  n
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
with recursive t(n) as (select 1 union all (select n + 1 from t where n < 3 union all select 10 where false)) select * from t;
--|  n
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
with recursive t(n) as (select 1 union all (with z as (select n from t) select n + 1 from z where n < 4)) select * from t;
--|  n
--| ---
--|  1
--|  2
--|  3
--|  4
--| (4 rows)
with recursive t(n) as (select 1 union all select n + 1 from t where n < 4) select (select sum(n) from t), count(*), max(a.n) from t a, t b;
--|  sum | count | max
--| -----+-------+-----
--|   10 |    16 |   4
--| (1 row)
with recursive t(n) as (select 1 union all select n + 1 from t left join part on id = n where n < 3) select * from t;
--|  n
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
with recursive t(n, s) as (select 1, 'x'::text union all select n + 1, s || n from t where n < 4) select * from t;
--|  n |  s
--| ---+------
--|  1 | x
--|  2 | x1
--|  3 | x12
--|  4 | x123
--| (4 rows)
with recursive t(n, r) as (select 1, 1::bigint union all select n + 1, row_number() over (order by n) from t where n < 4) select * from t;
--|  n | r
--| ---+---
--|  1 | 1
--|  2 | 1
--|  3 | 1
--|  4 | 1
--| (4 rows)
select p.id, (with recursive up(i) as (select p.parent union all select q.parent from part q, up where q.id = i) select count(i) from up) as depth from part p order by id;
--|  id | depth
--| ----+-------
--|   1 |     0
--|   2 |     1
--|   3 |     1
--|   4 |     2
--|   5 |     3
--|   6 |     2
--|   7 |     0
--| (7 rows)
select p.id, (with w as (select p.id * 2 as d) select max(a.d + b.d) from w a, w b) from part p order by id limit 3;
--|  id | max
--| ----+-----
--|   1 |   4
--|   2 |   8
--|   3 |  12
--| (3 rows)
select p.id, x.* from part p, lateral (with w as (select p.id + 1 as d) select d from w union all select d from w) x where p.id < 3 order by 1, 2;
--|  id | d
--| ----+---
--|   1 | 2
--|   1 | 2
--|   2 | 3
--|   2 | 3
--| (4 rows)
select id from part p where exists (with w as (select 1 from part c where c.parent = p.id) select * from w) order by id;
--|  id
--| ----
--|   1
--|   2
--|   3
--|   4
--| (4 rows)
with recursive t(n) as (select 1 union all select n + 1 from t where n < 3) select * from t a join t b on a.n = b.n order by 1;
--|  n | n
--| ---+---
--|  1 | 1
--|  2 | 2
--|  3 | 3
--| (3 rows)
with recursive t(n) as (select 1 union all select n + 1 from t where n < 100000) select count(*), sum(n) from t;
--|  count  |    sum
--| --------+------------
--|  100000 | 5000050000
--| (1 row)
with recursive t(n) as (select 1 union select n + 1 from t where n < 1000) select count(*), sum(n) from t;
--|  count |  sum
--| -------+--------
--|   1000 | 500500
--| (1 row)
create table filled as with recursive t(n) as (select 1 union all select n + 1 from t where n < 4) select * from t;
--| SELECT 4
insert into filled with recursive t(n) as (select 10 union all select n + 1 from t where n < 12) select * from t;
--| INSERT 0 3
with recursive t(n) as (select 1 union all select n + 1 from t where n < 2) update filled set n = -filled.n from t where t.n = filled.n;
--| UPDATE 2
with recursive t(n) as (select 3 union all select n + 1 from t where n < 4) delete from filled where n in (select n from t);
--| DELETE 2
select * from filled order by n;
--|  n
--| ----
--|  -2
--|  -1
--|  10
--|  11
--|  12
--| (5 rows)
with x as materialized (select 1 as a) select * from x, x y;
--|  a | a
--| ---+---
--|  1 | 1
--| (1 row)
with x as not materialized (select 1 as a) select * from x, x y;
--|  a | a
--| ---+---
--|  1 | 1
--| (1 row)

-- Refused.
with recursive t(n) as (select n from t) select * from t;
--| ERROR:  42P19: recursive query "t" does not have the form non-recursive-term UNION [ALL] recursive-term
with recursive t(n) as (select 1 intersect select n + 1 from t) select * from t;
--| ERROR:  42P19: recursive query "t" does not have the form non-recursive-term UNION [ALL] recursive-term
with recursive t(n) as (select n from t union all select 1) select * from t;
--| ERROR:  42P19: recursive reference to query "t" must not appear within its non-recursive term
with recursive t(n) as (select 1 union all select a.n from t a, t b) select * from t;
--| ERROR:  42P19: recursive reference to query "t" must not appear more than once
with recursive t(n) as (select 1 union all select n + 1 from part left join t on id = n) select * from t;
--| ERROR:  42P19: recursive reference to query "t" must not appear within an outer join
with recursive t(n) as (select 1 union all select n + 1 from t right join part on id = n) select * from t;
--| ERROR:  42P19: recursive reference to query "t" must not appear within an outer join
with recursive t(n) as (select 1 union all select n + 1 from t full join part on id = n) select * from t;
--| ERROR:  42P19: recursive reference to query "t" must not appear within an outer join
with recursive t(n) as (select 1 union all select id from part where id in (select n from t)) select * from t;
--| ERROR:  42P19: recursive reference to query "t" must not appear within a subquery
with recursive t(n) as (select 1 union all select (select max(n) from t)) select * from t;
--| ERROR:  42P19: recursive reference to query "t" must not appear within a subquery
with recursive t(n) as (select 1 union all select max(n) + 1 from t) select * from t;
--| ERROR:  42P19: aggregate functions are not allowed in a recursive query's recursive term
with recursive t(n) as (select 1 union all (select n + 1 from t where n < 3 except select 1)) select * from t;
--|  n
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
with recursive t(n) as (select 1 union all (select 1 except select n + 1 from t)) select * from t;
--| ERROR:  42P19: recursive reference to query "t" must not appear within EXCEPT
with recursive t(n) as (select 1 union all (select 1 intersect all select n + 1 from t)) select * from t;
--| ERROR:  42P19: recursive reference to query "t" must not appear within INTERSECT
with recursive t(n) as (select 1 union all select n + 1 from t order by 1) select * from t;
--| ERROR:  0A000: ORDER BY in a recursive query is not implemented
with recursive t(n) as (select 1 union all select n + 1 from t limit 1) select * from t;
--| ERROR:  0A000: LIMIT in a recursive query is not implemented
with recursive t(n) as (select 1 union all select n + 1 from t offset 1) select * from t;
--| ERROR:  0A000: OFFSET in a recursive query is not implemented
with recursive t(n) as (select 1 union all select n + 1 from t for update) select * from t;
--| ERROR:  0A000: FOR UPDATE/SHARE in a recursive query is not implemented
with recursive t(n) as (select 1 union all select n + 1.5 from t) select * from t;
--| ERROR:  42804: recursive query "t" column 1 has type integer in non-recursive term but type numeric overall
--| HINT:  Cast the output of the non-recursive term to the correct type.
with recursive t(n) as (select 'x' union all select n || 1 from t where length(n) < 3) select * from t;
--|   n
--| -----
--|  x
--|  x1
--|  x11
--| (3 rows)
with recursive t(n) as (select 1 union all select n, 2 from t) select * from t;
--| ERROR:  42601: each UNION query must have the same number of columns
with recursive t(a, b) as (select 1 union all select 2) select * from t;
--| ERROR:  42P10: WITH query "t" has 1 columns available but 2 columns specified
with recursive a as (select * from b), b as (select * from a) select * from a;
--| ERROR:  0A000: mutual recursion between WITH items is not implemented
with recursive a(n) as (select 1 union all select n from b), b(n) as (select 1 union all select n from a) select * from a;
--| ERROR:  0A000: mutual recursion between WITH items is not implemented
with a as (select * from b), b as (select 1) select * from a;
--| ERROR:  42P01: relation "b" does not exist
--| DETAIL:  There is a WITH item named "b", but it cannot be referenced from this part of the query.
--| HINT:  Use WITH RECURSIVE, or re-order the WITH items to remove forward references.
with a as (select 1), a as (select 2) select * from a;
--| ERROR:  42712: WITH query name "a" specified more than once
with recursive a as (select 1), a as (select 2) select * from a;
--| ERROR:  42712: WITH query name "a" specified more than once
with recursive t(n) as (select 1 union all select n + 1 from t where n < 1 / 0) select * from t;
--| ERROR:  22012: division by zero
WITH RECURSIVE
  tab(id_key,link) AS (VALUES (1,17), (2,17), (3,17), (4,17), (6,17), (5,17)),
  iter (id_key, row_type, link) AS (
      SELECT 0, 'base', 17
    UNION ALL (
      WITH remaining(id_key, row_type, link, min) AS (
        SELECT tab.id_key, 'true'::text, iter.link, MIN(tab.id_key) OVER ()
        FROM tab INNER JOIN iter USING (link)
        WHERE tab.id_key > iter.id_key
      ),
      first_remaining AS (
        SELECT id_key, row_type, link
        FROM remaining
        WHERE id_key=min
      ),
      effect AS (
        SELECT tab.id_key, 'new'::text, tab.link
        FROM first_remaining e INNER JOIN tab ON e.id_key=tab.id_key
        WHERE e.row_type = 'false'
      )
      SELECT * FROM first_remaining
      UNION ALL SELECT * FROM effect
    )
  )
SELECT * FROM iter;
--|  id_key | row_type | link
--| --------+----------+------
--|       0 | base     |   17
--|       1 | true     |   17
--|       2 | true     |   17
--|       3 | true     |   17
--|       4 | true     |   17
--|       5 | true     |   17
--|       6 | true     |   17
--| (7 rows)
with recursive t(a) as (select 1 union all (with x as materialized (select a+1 as b from t where a<5) select x.b from x)) select * from t limit 30;
--|  a
--| ---
--|  1
--|  2
--|  3
--|  4
--|  5
--| (5 rows)
with recursive t(a) as (select 1 union all (with x as materialized (select a+1 as b from t where a<5), y as materialized (select b from x) select x.b from x where exists (select from y where y.b=x.b))) select * from t limit 30;
--|  a
--| ---
--|  1
--|  2
--|  3
--|  4
--|  5
--| (5 rows)
with recursive t(a) as (select 1 union all (with x as (select a+1 as b from t where a<5) select x.b from x join x y using (b) where x.b in (select b from x))) select * from t limit 30;
--|  a
--| ---
--|  1
--|  2
--|  3
--|  4
--|  5
--| (5 rows)
with recursive t(a) as (select 1 union all (with x as (select a+1 as b from t where a<5) select x.b from x where x.b = (select max(b) from x) and (select sum(b) from x) > 0)) select * from t limit 30;
--|  a
--| ---
--|  1
--|  2
--|  3
--|  4
--|  5
--| (5 rows)
with recursive t(a) as (select 1 union all (with recursive x(b) as (select a+1 as b from t where a<5 union all select b+1 from x where b<5) select max(x.b) from x having count(*)>0)) select * from t limit 30;
--|  a
--| ---
--|  1
--|  5
--| (2 rows)
with recursive t(a) as (select 1 union all (with recursive x(b) as (select a+1 as b from t where a<5 union all select b+1 from x where b<5) select x.b from x)) select a,count(*) from t group by 1 order by 1;
--|  a | count
--| ---+-------
--|  1 |     1
--|  2 |     1
--|  3 |     2
--|  4 |     4
--|  5 |     8
--| (5 rows)
with recursive t(a) as (select 1 union all select t.a+1 from t where t.a in (with x as materialized (select a from (values (1),(2)) v(a)) select a from x)) select * from t;
--|  a
--| ---
--|  1
--|  2
--|  3
--| (3 rows)
select n, (with recursive t(a) as (select n union all (with x as materialized (select a+1 as b from t where a<5) select x.b from x, x y)) select string_agg(a::text,',') from t) from generate_series(1,5) n;
--|  n | string_agg
--| ---+------------
--|  1 | 1,2,3,4,5
--|  2 | 2,3,4,5
--|  3 | 3,4,5
--|  4 | 4,5
--|  5 | 5
--| (5 rows)
with recursive t(n) as (values ('01'::varbit) union select n || '10'::varbit from t where n < '100'::varbit) select n from t;
--| ERROR:  0A000: could not implement recursive UNION
--| DETAIL:  All column datatypes must be hashable.
