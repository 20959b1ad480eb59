-- SEARCH and CYCLE of recursive queries.

create table edges (f int, t int, label text);
--| CREATE TABLE
insert into edges values (1, 2, 'arc 1 -> 2'), (1, 3, 'arc 1 -> 3'), (2, 3, 'arc 2 -> 3'), (1, 4, 'arc 1 -> 4'), (4, 5, 'arc 4 -> 5');
--| INSERT 0 5
with recursive g(f, t, label) as (select * from edges e union all select e.* from edges e, g where e.f = g.t) search depth first by f, t set seq select * from g order by seq;
--|  f | t |   label    |        seq
--| ---+---+------------+-------------------
--|  1 | 2 | arc 1 -> 2 | {"(1,2)"}
--|  2 | 3 | arc 2 -> 3 | {"(1,2)","(2,3)"}
--|  1 | 3 | arc 1 -> 3 | {"(1,3)"}
--|  1 | 4 | arc 1 -> 4 | {"(1,4)"}
--|  4 | 5 | arc 4 -> 5 | {"(1,4)","(4,5)"}
--|  2 | 3 | arc 2 -> 3 | {"(2,3)"}
--|  4 | 5 | arc 4 -> 5 | {"(4,5)"}
--| (7 rows)
with recursive g(f, t, label) as (select * from edges e union distinct select e.* from edges e, g where e.f = g.t) search depth first by f, t set seq select * from g order by seq;
--|  f | t |   label    |        seq
--| ---+---+------------+-------------------
--|  1 | 2 | arc 1 -> 2 | {"(1,2)"}
--|  2 | 3 | arc 2 -> 3 | {"(1,2)","(2,3)"}
--|  1 | 3 | arc 1 -> 3 | {"(1,3)"}
--|  1 | 4 | arc 1 -> 4 | {"(1,4)"}
--|  4 | 5 | arc 4 -> 5 | {"(1,4)","(4,5)"}
--|  2 | 3 | arc 2 -> 3 | {"(2,3)"}
--|  4 | 5 | arc 4 -> 5 | {"(4,5)"}
--| (7 rows)
with recursive g(f, t, label) as (select * from edges e union all select e.* from edges e, g where e.f = g.t) search breadth first by f, t set seq select * from g order by seq;
--|  f | t |   label    |   seq
--| ---+---+------------+---------
--|  1 | 2 | arc 1 -> 2 | (0,1,2)
--|  1 | 3 | arc 1 -> 3 | (0,1,3)
--|  1 | 4 | arc 1 -> 4 | (0,1,4)
--|  2 | 3 | arc 2 -> 3 | (0,2,3)
--|  4 | 5 | arc 4 -> 5 | (0,4,5)
--|  2 | 3 | arc 2 -> 3 | (1,2,3)
--|  4 | 5 | arc 4 -> 5 | (1,4,5)
--| (7 rows)
with recursive g(f, t, label) as (select * from edges e union distinct select e.* from edges e, g where e.f = g.t) search breadth first by f, t set seq select * from g order by seq;
--|  f | t |   label    |   seq
--| ---+---+------------+---------
--|  1 | 2 | arc 1 -> 2 | (0,1,2)
--|  1 | 3 | arc 1 -> 3 | (0,1,3)
--|  1 | 4 | arc 1 -> 4 | (0,1,4)
--|  2 | 3 | arc 2 -> 3 | (0,2,3)
--|  4 | 5 | arc 4 -> 5 | (0,4,5)
--|  2 | 3 | arc 2 -> 3 | (1,2,3)
--|  4 | 5 | arc 4 -> 5 | (1,4,5)
--| (7 rows)
-- Rows by themselves are not seen by *, below.
select * from (with recursive g(f, t, label) as (select * from edges e union all select e.* from edges e, g where e.f = g.t) search depth first by f set seq select * from g) s order by seq, t;
--|  f | t |   label    |    seq
--| ---+---+------------+-----------
--|  1 | 2 | arc 1 -> 2 | {(1)}
--|  1 | 3 | arc 1 -> 3 | {(1)}
--|  1 | 4 | arc 1 -> 4 | {(1)}
--|  2 | 3 | arc 2 -> 3 | {(1),(2)}
--|  4 | 5 | arc 4 -> 5 | {(1),(4)}
--|  2 | 3 | arc 2 -> 3 | {(2)}
--|  4 | 5 | arc 4 -> 5 | {(4)}
--| (7 rows)
with recursive g(f, t) as (select f, t from edges e union all select e.f, e.t from edges e, g where e.f = g.t) search depth first by f set seq select * from (select * from g) s order by f, t;
--|  f | t
--| ---+---
--|  1 | 2
--|  1 | 3
--|  1 | 4
--|  2 | 3
--|  2 | 3
--|  4 | 5
--|  4 | 5
--| (7 rows)
with recursive g(f, t) as (select f, t from edges e union all select e.f, e.t from edges e, g where e.f = g.t) search depth first by f, t set seq, h as (select * from g) select * from h order by f, t limit 2;
--|  f | t
--| ---+---
--|  1 | 2
--|  1 | 3
--| (2 rows)
with recursive g(f, t) as (select f, t from edges e union all select e.f, e.t from edges e, g where e.f = g.t) search depth first by f, t set seq select (select max(seq) from g), pg_typeof(seq) from g limit 1;
--|     max    | pg_typeof
--| -----------+-----------
--|  {"(4,5)"} | record[]
--| (1 row)
with recursive g(f, t) as (select f, t from edges e union all select e.f, e.t from edges e, g where e.f = g.t) search breadth first by f, t set seq select x.*, pg_typeof(x.seq) from g x order by x.seq desc limit 2;
--|  f | t |   seq   | pg_typeof
--| ---+---+---------+-----------
--|  4 | 5 | (1,4,5) | record
--|  2 | 3 | (1,2,3) | record
--| (2 rows)

-- What comes again.
insert into edges values (5, 1, 'arc 5 -> 1');
--| INSERT 0 1
with recursive g(f, t, label) as (select * from edges e where f = 1 union all select e.* from edges e, g where e.f = g.t) cycle f, t set is_cycle using path select * from g order by path;
--|  f | t |   label    | is_cycle |                   path
--| ---+---+------------+----------+-------------------------------------------
--|  1 | 2 | arc 1 -> 2 | f        | {"(1,2)"}
--|  2 | 3 | arc 2 -> 3 | f        | {"(1,2)","(2,3)"}
--|  1 | 3 | arc 1 -> 3 | f        | {"(1,3)"}
--|  1 | 4 | arc 1 -> 4 | f        | {"(1,4)"}
--|  4 | 5 | arc 4 -> 5 | f        | {"(1,4)","(4,5)"}
--|  5 | 1 | arc 5 -> 1 | f        | {"(1,4)","(4,5)","(5,1)"}
--|  1 | 2 | arc 1 -> 2 | f        | {"(1,4)","(4,5)","(5,1)","(1,2)"}
--|  2 | 3 | arc 2 -> 3 | f        | {"(1,4)","(4,5)","(5,1)","(1,2)","(2,3)"}
--|  1 | 3 | arc 1 -> 3 | f        | {"(1,4)","(4,5)","(5,1)","(1,3)"}
--|  1 | 4 | arc 1 -> 4 | t        | {"(1,4)","(4,5)","(5,1)","(1,4)"}
--| (10 rows)
with recursive g(f, t, label) as (select * from edges e where f = 1 union distinct select e.* from edges e, g where e.f = g.t) cycle f, t set is_cycle to 'Y' default 'N' using path select * from g order by path;
--|  f | t |   label    | is_cycle |                   path
--| ---+---+------------+----------+-------------------------------------------
--|  1 | 2 | arc 1 -> 2 | N        | {"(1,2)"}
--|  2 | 3 | arc 2 -> 3 | N        | {"(1,2)","(2,3)"}
--|  1 | 3 | arc 1 -> 3 | N        | {"(1,3)"}
--|  1 | 4 | arc 1 -> 4 | N        | {"(1,4)"}
--|  4 | 5 | arc 4 -> 5 | N        | {"(1,4)","(4,5)"}
--|  5 | 1 | arc 5 -> 1 | N        | {"(1,4)","(4,5)","(5,1)"}
--|  1 | 2 | arc 1 -> 2 | N        | {"(1,4)","(4,5)","(5,1)","(1,2)"}
--|  2 | 3 | arc 2 -> 3 | N        | {"(1,4)","(4,5)","(5,1)","(1,2)","(2,3)"}
--|  1 | 3 | arc 1 -> 3 | N        | {"(1,4)","(4,5)","(5,1)","(1,3)"}
--|  1 | 4 | arc 1 -> 4 | Y        | {"(1,4)","(4,5)","(5,1)","(1,4)"}
--| (10 rows)
with recursive g(f, t) as (select f, t from edges where f = 1 union all select e.f, e.t from edges e, g where e.f = g.t and not is_cycle) cycle f set is_cycle using path select f, t, is_cycle, path from g order by path, t;
--|  f | t | is_cycle |       path
--| ---+---+----------+-------------------
--|  1 | 2 | f        | {(1)}
--|  1 | 3 | f        | {(1)}
--|  1 | 4 | f        | {(1)}
--|  2 | 3 | f        | {(1),(2)}
--|  4 | 5 | f        | {(1),(4)}
--|  5 | 1 | f        | {(1),(4),(5)}
--|  1 | 2 | t        | {(1),(4),(5),(1)}
--|  1 | 3 | t        | {(1),(4),(5),(1)}
--|  1 | 4 | t        | {(1),(4),(5),(1)}
--| (9 rows)
with recursive g(f, t) as (select f, t from edges where f = 1 union all select e.f, e.t from edges e, g where e.f = g.t) search depth first by f, t set seq cycle f, t set is_cycle to 1 default 0 using path select * from g order by seq;
--|  f | t |                    seq                    | is_cycle |                   path
--| ---+---+-------------------------------------------+----------+-------------------------------------------
--|  1 | 2 | {"(1,2)"}                                 |        0 | {"(1,2)"}
--|  2 | 3 | {"(1,2)","(2,3)"}                         |        0 | {"(1,2)","(2,3)"}
--|  1 | 3 | {"(1,3)"}                                 |        0 | {"(1,3)"}
--|  1 | 4 | {"(1,4)"}                                 |        0 | {"(1,4)"}
--|  4 | 5 | {"(1,4)","(4,5)"}                         |        0 | {"(1,4)","(4,5)"}
--|  5 | 1 | {"(1,4)","(4,5)","(5,1)"}                 |        0 | {"(1,4)","(4,5)","(5,1)"}
--|  1 | 2 | {"(1,4)","(4,5)","(5,1)","(1,2)"}         |        0 | {"(1,4)","(4,5)","(5,1)","(1,2)"}
--|  2 | 3 | {"(1,4)","(4,5)","(5,1)","(1,2)","(2,3)"} |        0 | {"(1,4)","(4,5)","(5,1)","(1,2)","(2,3)"}
--|  1 | 3 | {"(1,4)","(4,5)","(5,1)","(1,3)"}         |        0 | {"(1,4)","(4,5)","(5,1)","(1,3)"}
--|  1 | 4 | {"(1,4)","(4,5)","(5,1)","(1,4)"}         |        1 | {"(1,4)","(4,5)","(5,1)","(1,4)"}
--| (10 rows)
with recursive g(f, t) as (select f, t from edges where f = 1 union all select e.f, e.t from edges e, g where e.f = g.t) search breadth first by f, t set seq cycle f, t set is_cycle to interval '1 day' default interval '0' using path select f, t, is_cycle from g order by seq;
--|  f | t | is_cycle
--| ---+---+----------
--|  1 | 2 | 00:00:00
--|  1 | 3 | 00:00:00
--|  1 | 4 | 00:00:00
--|  2 | 3 | 00:00:00
--|  4 | 5 | 00:00:00
--|  5 | 1 | 00:00:00
--|  1 | 2 | 00:00:00
--|  1 | 3 | 00:00:00
--|  1 | 4 | 1 day
--|  2 | 3 | 00:00:00
--| (10 rows)
with recursive n(x) as (values (1) union all select x % 3 + 1 from n) cycle x set again using path select * from n;
--|  x | again |       path
--| ---+-------+-------------------
--|  1 | f     | {(1)}
--|  2 | f     | {(1),(2)}
--|  3 | f     | {(1),(2),(3)}
--|  1 | t     | {(1),(2),(3),(1)}
--| (4 rows)
with recursive n(x, y) as (select 1, 'a' union all select x + 1, y || 'b' from n m(p, q) join lateral (select m.p as x, m.q as y) z on true where x < 3) search depth first by y set o cycle x set c using p select * from n;
--| ERROR:  42702: column reference "p" is ambiguous
with recursive cycle(x) as (select 1 union all select x + 1 from cycle where x < 2) select * from (select * from cycle) cycle, (select 2 as y) search;
--|  x | y
--| ---+---
--|  1 | 2
--|  2 | 2
--| (2 rows)

-- What is refused.
with g as (select 1 as x) search depth first by x set s select * from g;
--| ERROR:  42601: WITH query is not recursive
with recursive g(x) as (select 1) search depth first by x set s select * from g;
--| ERROR:  42601: WITH query is not recursive
with recursive g(x) as (select 1 union all select 2) cycle x set c using p select * from g;
--| ERROR:  42601: WITH query is not recursive
with recursive g(x) as (select 1 union all select 2 union all select x + 1 from g where x < 3) search depth first by x set s select * from g;
--| ERROR:  0A000: with a SEARCH or CYCLE clause, the left side of the UNION must be a SELECT
with recursive g(x) as (select 1 union all (select x + 1 from g where x < 3 union all select 5)) search depth first by x set s select * from g;
--| ERROR:  42601: with a SEARCH or CYCLE clause, the right side of the UNION must be a SELECT
with recursive g(x) as (select 1 union all (select 5 union all select x + 1 from g where x < 3)) cycle x set s using p select * from g;
--| ERROR:  42601: with a SEARCH or CYCLE clause, the right side of the UNION must be a SELECT
with recursive g(x) as (select 1 union all select * from (select x + 1 from g where x < 3) y) search depth first by x set s select * from g;
--| ERROR:  0A000: with a SEARCH or CYCLE clause, the recursive reference to WITH query "g" must be at the top level of its right-hand SELECT
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) search depth first by y set s select * from g;
--| ERROR:  42601: search column "y" not in WITH query column list
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) search depth first by x, x set s select * from g;
--| ERROR:  42701: search column "x" specified more than once
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) search depth first by x set x select * from g;
--| ERROR:  42702: column reference "x" is ambiguous
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) cycle y set c using p select * from g;
--| ERROR:  42601: cycle column "y" not in WITH query column list
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) cycle x, x set c using p select * from g;
--| ERROR:  42701: cycle column "x" specified more than once
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) cycle x set x using p select * from g;
--| ERROR:  42702: column reference "x" is ambiguous
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) cycle x set c using x select * from g;
--| ERROR:  42702: column reference "x" is ambiguous
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) cycle x set c using c select * from g;
--| ERROR:  42601: cycle mark column name and cycle path column name are the same
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) cycle x set c to true default 55 using p select * from g;
--| ERROR:  42804: CYCLE types boolean and integer cannot be matched
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) cycle x set c to json '1' default json '2' using p select * from g;
--| ERROR:  42883: could not identify an equality operator for type json
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) cycle x set c to 1 + 1 default 0 using p select * from g;
--| ERROR:  42601: syntax error at or near "+"
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) search depth first by x set s cycle x set s using p select * from g;
--| ERROR:  42601: search sequence column name and cycle mark column name are the same
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) search depth first by x set s cycle x set c using s select * from g;
--| ERROR:  42601: search sequence column name and cycle path column name are the same
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) search depth first by x select * from g;
--| ERROR:  42601: syntax error at or near "select"
with recursive g(x) as (select 1 union all select x + 1 from g where x < 3) cycle x set c to 1 default 0 select * from g;
--| ERROR:  42601: syntax error at or near "select"
with recursive g(x, s) as (select 1, 2 union all select x + 1, s from g where x < 3) search depth first by x set q select s, c from g;
--| ERROR:  42703: column "c" does not exist

-- In views.
create view depth as with recursive g(f, t, label) as (select * from edges e union all select e.* from edges e, g where e.f = g.t and g.f < 3) search depth first by f, t set seq select f, t, label from g order by seq;
--| CREATE VIEW
select pg_get_viewdef('depth');
--|                  pg_get_viewdef
--| -------------------------------------------------
--|   WITH RECURSIVE g(f, t, label) AS (            +
--|           SELECT e.f,                           +
--|              e.t,                               +
--|              e.label                            +
--|             FROM edges e                        +
--|          UNION ALL                              +
--|           SELECT e.f,                           +
--|              e.t,                               +
--|              e.label                            +
--|             FROM edges e,                       +
--|              g g_1                              +
--|            WHERE ((e.f = g_1.t) AND (g_1.f < 3))+
--|          ) SEARCH DEPTH FIRST BY f, t SET seq   +
--|   SELECT f,                                     +
--|      t,                                         +
--|      label                                      +
--|     FROM g                                      +
--|    ORDER BY seq;
--| (1 row)
select * from depth limit 3;
--|  f | t |   label
--| ---+---+------------
--|  1 | 2 | arc 1 -> 2
--|  2 | 3 | arc 2 -> 3
--|  1 | 3 | arc 1 -> 3
--| (3 rows)
create view breadth as with recursive "G"("F", t) as (select f, t from edges e union all select e.f, e.t from edges e, "G" where e.f = "G".t) search breadth first by "F", t set "Seq" cycle "F", t set "C" to 'Y' default 'N' using "P" select "F", t, "C" from "G" order by "Seq";
--| CREATE VIEW
select pg_get_viewdef('breadth');
--|                                                   pg_get_viewdef
--| ------------------------------------------------------------------------------------------------------------------
--|   WITH RECURSIVE "G"("F", t) AS (                                                                                +
--|           SELECT e.f,                                                                                            +
--|              e.t                                                                                                 +
--|             FROM edges e                                                                                         +
--|          UNION ALL                                                                                               +
--|           SELECT e.f,                                                                                            +
--|              e.t                                                                                                 +
--|             FROM edges e,                                                                                        +
--|              "G" "G_1"                                                                                           +
--|            WHERE (e.f = "G_1".t)                                                                                 +
--|          ) SEARCH BREADTH FIRST BY "F", t SET "Seq" CYCLE "F", t SET "C" TO 'Y'::text DEFAULT 'N'::text USING "P"+
--|   SELECT "F",                                                                                                    +
--|      t,                                                                                                          +
--|      "C"                                                                                                         +
--|     FROM "G"                                                                                                     +
--|    ORDER BY "Seq";
--| (1 row)
select * from breadth limit 3;
--|  F | t | C
--| ---+---+---
--|  1 | 2 | N
--|  1 | 3 | N
--|  1 | 4 | N
--| (3 rows)
create view cycles as with recursive g(f, t) as (select f, t from edges e union select e.f, e.t from edges e, g where e.f = g.t) cycle f, t set c using p select f, t, c from g;
--| CREATE VIEW
select pg_get_viewdef('cycles');
--|            pg_get_viewdef
--| ------------------------------------
--|   WITH RECURSIVE g(f, t) AS (      +
--|           SELECT e.f,              +
--|              e.t                   +
--|             FROM edges e           +
--|          UNION                     +
--|           SELECT e.f,              +
--|              e.t                   +
--|             FROM edges e,          +
--|              g g_1                 +
--|            WHERE (e.f = g_1.t)     +
--|          ) CYCLE f, t SET c USING p+
--|   SELECT f,                        +
--|      t,                            +
--|      c                             +
--|     FROM g;
--| (1 row)
create view numbered as with recursive g(f, t) as (select f, t from edges e union select e.f, e.t from edges e, g where e.f = g.t) cycle f, t set c to 2 default 1 using p select f, t, c from g;
--| CREATE VIEW
select pg_get_viewdef('numbered');
--|                   pg_get_viewdef
--| ---------------------------------------------------
--|   WITH RECURSIVE g(f, t) AS (                     +
--|           SELECT e.f,                             +
--|              e.t                                  +
--|             FROM edges e                          +
--|          UNION                                    +
--|           SELECT e.f,                             +
--|              e.t                                  +
--|             FROM edges e,                         +
--|              g g_1                                +
--|            WHERE (e.f = g_1.t)                    +
--|          ) CYCLE f, t SET c TO 2 DEFAULT 1 USING p+
--|   SELECT f,                                       +
--|      t,                                           +
--|      c                                            +
--|     FROM g;
--| (1 row)
select count(*), sum(c) from numbered;
--|  count | sum
--| -------+-----
--|     25 |  28
--| (1 row)
create view records as with recursive g(f) as (select 1 union all select f + 1 from g where f < 3) search depth first by f set s select * from g;
--| ERROR:  42P16: column "s" has pseudo-type record[]
alter table edges rename f to "from";
--| ALTER TABLE
select pg_get_viewdef('depth');
--|                                                                                                                                                pg_get_viewdef
--| -------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|   with recursive g(f, t, label) as (select e.f, e.t, e.label from (SELECT "from" AS f, t, label FROM edges) e union all select e.f, e.t, e.label from (SELECT "from" AS f, t, label FROM edges) e, g where e.f = g.t and g.f < 3) search depth first by f, t set seq select f, t, label from g order by seq;
--| (1 row)
-- marks of a cycle in what is kept
create view cycle_of_dates as with recursive r as (select 1 as n union all select n % 2 + 1 from r) cycle n set c to date '2020-01-02' default '2019-01-02' using p select n, c from r where c > '2018-01-01';
--| CREATE VIEW
table cycle_of_dates;
--|  n |     c
--| ---+------------
--|  1 | 2019-01-02
--|  2 | 2019-01-02
--|  1 | 2020-01-02
--| (3 rows)
