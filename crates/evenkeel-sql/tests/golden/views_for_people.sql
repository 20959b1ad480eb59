-- pg_get_viewdef for people: without the parentheses that precedence makes needless.
create table t (a int, b text, c numeric(10,2), d timestamptz, e bool, f varchar(10), g int[], j jsonb, h bigint);
--| CREATE TABLE
create table u (a int, b text);
--| CREATE TABLE
create view arithmetic as select a + 1 as a1, (a + 1) * 2 as a2, a - (1 - h) as a3, (a - 1) - h as a4, a * 2 + 1 as a5, a * (h / 2) as a6, - a as a7, - (a + 1) as a8, (- a) + 1 as a9, a % 3 + 1 as a10, a & 1 as a11, (a & 1) = 0 as a12, a = -1 as a13, @ (a - 1) as a14, 2 ^ a as a15 from t;
--| CREATE VIEW
create view conditions as select * from u where a = 1 and b = 'x' or not (a > 5 and b < 'z') and b is not null or not a = 3;
--| CREATE VIEW
create view tests as select e is true as t1, a is null as t2, (a = 1) is null as t3, (a + 1) is null as t4, a is distinct from h as t5, not a is not distinct from h as t6, e = (a = 1) as t7, not e as t8, e is not unknown as t9 from t;
--| CREATE VIEW
create view lists as select a in (1, 2, 3) and e as l1, a = any (g) as l2, a + 1 = any (g) as l3, not a = any (g) as l4, a in (1, h) as l5, f in ('x', 'y') as l6, a between 1 and 5 as l7, a not between 1 and 5 as l8, b like 'x%' as l9, b not like 'x%' and e as l10 from t;
--| CREATE VIEW
create view casts as select a::text as c1, (a + 1)::text as c2, a::text::int as c3, (a + 1)::text || 'x' as c4, f::text ~ 'x' as c5, f = 'y' as c6, (a + h)::numeric(10,2) as c7, (j ->> 'x')::int + 1 as c8, c > 5 as c9, a::bigint = h as c10, b collate "C" as c11, b || f collate "C" < 'x' as c12, d::date = current_date as c13, c + 1 as c14 from t;
--| CREATE VIEW
create view parts as select g[1] + 1 as p1, g[a + 1] as p2, (g || 1)[1] as p3, array[a, h + 1] as p4, row(a, h + 1) as p5, coalesce(a, h) + 1 as p6, nullif(a, 1) * 2 as p7, greatest(a, h + 1, 5) as p8, upper(b || 'x') as p9, b || f || 'z' as p10, j -> 'a' ->> 'b' as p11, extract(year from d) + 1 as p12, d at time zone 'UTC' + interval '1 day' as p13, (d + interval '1 day') at time zone 'UTC' as p14, substring(b from 1 for 2) || 'x' as p15 from t;
--| ERROR:  42P16: column "p5" has pseudo-type record
create view cases as select case when a = 1 and e then 'x' when a > h then b else 'z' end as c1, case a when 1 then 2 end + 1 as c2 from t;
--| CREATE VIEW
create view grouped as select a, count(*) filter (where b = 'x' and a > 1), sum(a + h) over (partition by b order by a + 1, h desc) as s, array_agg(a + 1 order by a + 1) as l from t group by a, b, h having count(*) > 1 and sum(a) < 10 order by a + 1, count(*), case when a = 1 then 1 end;
--| CREATE VIEW
create view joined as select t.a, u.b from t join u on t.a = u.a and t.b = u.b left join (u w join u x on w.a = x.a) on w.a = t.a cross join u y;
--| CREATE VIEW
create view queries as select a from t where exists (select 1 from u where u.a = t.a and u.b > 'x') and a in (select a from u where b = 'y' or a = 1) and h = (select max(a) from u) + 1 and a not in (select a + 1 from u) and array(select a + 1 from u) = g;
--| CREATE VIEW
create view with_query as with r as (select a + 1 as q from t where a > 1 and e) select q * 2 as z from r where q > 1 or q < 0 union all (select 1 + 2 intersect select 3) order by 1 limit 5 offset 1;
--| CREATE VIEW
create view from_items as select x.a + 1 as r from (select a from t where e or a = 1) x, lateral (select x.a + 2 as y) l, generate_series(1, 2 + 3) gg where l.y = x.a + 1 and x.a < 5;
--| CREATE VIEW
create view chains as select * from u where a between 1 and 5 and (b = 'x' or (b = 'y' or a in (2, a))) and (a > 1 and not (a = 3 and b = 'z'));
--| CREATE VIEW
select pg_get_viewdef('arithmetic', true);
--|                     pg_get_viewdef
--| ------------------------------------------------------
--|   SELECT a + 1 AS a1,                                +
--|      (a + 1) * 2 AS a2,                              +
--|      a - (1 - h) AS a3,                              +
--|      a - 1 - h AS a4,                                +
--|      a * 2 + 1 AS a5,                                +
--|      a * (h / 2) AS a6,                              +
--|      - a AS a7,                                      +
--|      - (a + 1) AS a8,                                +
--|      (- a) + 1 AS a9,                                +
--|      a % 3 + 1 AS a10,                               +
--|      a & 1 AS a11,                                   +
--|      (a & 1) = 0 AS a12,                             +
--|      a = '-1'::integer AS a13,                       +
--|      @ (a - 1) AS a14,                               +
--|      2::double precision ^ a::double precision AS a15+
--|     FROM t;
--| (1 row)
select pg_get_viewdef('chains', true), pg_get_viewdef('chains');
--|                                                         pg_get_viewdef                                                         |                                                                      pg_get_viewdef
--| -------------------------------------------------------------------------------------------------------------------------------+-----------------------------------------------------------------------------------------------------------------------------------------------------------
--|   SELECT a,                                                                                                                   +|  SELECT a,                                                                                                                                               +
--|      b                                                                                                                        +|     b                                                                                                                                                    +
--|     FROM u                                                                                                                    +|    FROM u                                                                                                                                                +
--|    WHERE a >= 1 AND a <= 5 AND (b = 'x'::text OR b = 'y'::text OR a = 2 OR a = a) AND a > 1 AND NOT (a = 3 AND b = 'z'::text); |   WHERE ((a >= 1) AND (a <= 5) AND ((b = 'x'::text) OR ((b = 'y'::text) OR ((a = 2) OR (a = a)))) AND ((a > 1) AND (NOT ((a = 3) AND (b = 'z'::text)))));
--| (1 row)
select pg_get_viewdef('conditions', true), pg_get_viewdef('conditions');
--|                                           pg_get_viewdef                                          |                                                     pg_get_viewdef
--| --------------------------------------------------------------------------------------------------+------------------------------------------------------------------------------------------------------------------------
--|   SELECT a,                                                                                      +|  SELECT a,                                                                                                            +
--|      b                                                                                           +|     b                                                                                                                 +
--|     FROM u                                                                                       +|    FROM u                                                                                                             +
--|    WHERE a = 1 AND b = 'x'::text OR NOT (a > 5 AND b < 'z'::text) AND b IS NOT NULL OR NOT a = 3; |   WHERE (((a = 1) AND (b = 'x'::text)) OR ((NOT ((a > 5) AND (b < 'z'::text))) AND (b IS NOT NULL)) OR (NOT (a = 3)));
--| (1 row)
select pg_get_viewdef('tests', true);
--|               pg_get_viewdef
--| -------------------------------------------
--|   SELECT e IS TRUE AS t1,                 +
--|      a IS NULL AS t2,                     +
--|      (a = 1) IS NULL AS t3,               +
--|      (a + 1) IS NULL AS t4,               +
--|      a IS DISTINCT FROM h AS t5,          +
--|      NOT (NOT a IS DISTINCT FROM h) AS t6,+
--|      e = (a = 1) AS t7,                   +
--|      NOT e AS t8,                         +
--|      e IS NOT NULL AS t9                  +
--|     FROM t;
--| (1 row)
select pg_get_viewdef('lists', true);
--|                      pg_get_viewdef
--| --------------------------------------------------------
--|   SELECT (a = ANY (ARRAY[1, 2, 3])) AND e AS l1,       +
--|      a = ANY (g) AS l2,                                +
--|      (a + 1) = ANY (g) AS l3,                          +
--|      NOT (a = ANY (g)) AS l4,                          +
--|      a = 1 OR a = h AS l5,                             +
--|      f::text = ANY (ARRAY['x'::text, 'y'::text]) AS l6,+
--|      a >= 1 AND a <= 5 AS l7,                          +
--|      a < 1 OR a > 5 AS l8,                             +
--|      b ~~ 'x%'::text AS l9,                            +
--|      b !~~ 'x%'::text AND e AS l10                     +
--|     FROM t;
--| (1 row)
select pg_get_viewdef('casts', true);
--|                      pg_get_viewdef
--| --------------------------------------------------------
--|   SELECT a::text AS c1,                                +
--|      (a + 1)::text AS c2,                              +
--|      a::text::integer AS c3,                           +
--|      ((a + 1)::text) || 'x'::text AS c4,               +
--|      f::text ~ 'x'::text AS c5,                        +
--|      f::text = 'y'::text AS c6,                        +
--|      (a + h)::numeric(10,2) AS c7,                     +
--|      ((j ->> 'x'::text)::integer) + 1 AS c8,           +
--|      c > 5::numeric AS c9,                             +
--|      a::bigint = h AS c10,                             +
--|      b COLLATE "C" AS c11,                             +
--|      (b || ((f COLLATE "C")::text)) < 'x'::text AS c12,+
--|      d::date = CURRENT_DATE AS c13,                    +
--|      c + 1::numeric AS c14                             +
--|     FROM t;
--| (1 row)
select pg_get_viewdef('parts', true);
--| ERROR:  42P01: relation "parts" does not exist
select pg_get_viewdef('cases', true);
--|                pg_get_viewdef
--| ---------------------------------------------
--|   SELECT                                    +
--|          CASE                               +
--|              WHEN a = 1 AND e THEN 'x'::text+
--|              WHEN a > h THEN b              +
--|              ELSE 'z'::text                 +
--|          END AS c1,                         +
--|          CASE a                             +
--|              WHEN 1 THEN 2                  +
--|              ELSE NULL::integer             +
--|          END + 1 AS c2                      +
--|     FROM t;
--| (1 row)
select pg_get_viewdef('grouped', true);
--|                            pg_get_viewdef
--| ---------------------------------------------------------------------
--|   SELECT a,                                                         +
--|      count(*) FILTER (WHERE b = 'x'::text AND a > 1) AS count,      +
--|      sum(a + h) OVER (PARTITION BY b ORDER BY (a + 1), h DESC) AS s,+
--|      array_agg(a + 1 ORDER BY (a + 1)) AS l                         +
--|     FROM t                                                          +
--|    GROUP BY a, b, h                                                 +
--|   HAVING count(*) > 1 AND sum(a) < 10                               +
--|    ORDER BY (a + 1), (count(*)), (                                  +
--|          CASE                                                       +
--|              WHEN a = 1 THEN 1                                      +
--|              ELSE NULL::integer                                     +
--|          END);
--| (1 row)
select pg_get_viewdef('joined', true);
--|               pg_get_viewdef
--| ------------------------------------------
--|   SELECT t.a,                            +
--|      u.b                                 +
--|     FROM t                               +
--|       JOIN u ON t.a = u.a AND t.b = u.b  +
--|       LEFT JOIN (u w                     +
--|       JOIN u x ON w.a = x.a) ON w.a = t.a+
--|       CROSS JOIN u y;
--| (1 row)
select pg_get_viewdef('queries', true);
--|                                  pg_get_viewdef
--| ---------------------------------------------------------------------------------
--|   SELECT a                                                                      +
--|     FROM t                                                                      +
--|    WHERE (EXISTS ( SELECT 1                                                     +
--|             FROM u                                                              +
--|            WHERE u.a = t.a AND u.b > 'x'::text)) AND (a IN ( SELECT u.a         +
--|             FROM u                                                              +
--|            WHERE u.b = 'y'::text OR u.a = 1)) AND h = ((( SELECT max(u.a) AS max+
--|             FROM u)) + 1) AND NOT (a IN ( SELECT u.a + 1                        +
--|             FROM u)) AND (ARRAY( SELECT u.a + 1                                 +
--|             FROM u)) = g;
--| (1 row)
select pg_get_viewdef('with_query', true);
--|          pg_get_viewdef
--| ---------------------------------
--|   WITH r AS (                   +
--|           SELECT t.a + 1 AS q   +
--|             FROM t              +
--|            WHERE t.a > 1 AND t.e+
--|          )                      +
--|   SELECT r.q * 2 AS z           +
--|     FROM r                      +
--|    WHERE r.q > 1 OR r.q < 0     +
--|  UNION ALL (                    +
--|           SELECT 1 + 2 AS z     +
--|          INTERSECT              +
--|           SELECT 3 AS z         +
--|  )                              +
--|    ORDER BY 1                   +
--|   OFFSET 1                      +
--|   LIMIT 5;
--| (1 row)
select pg_get_viewdef('from_items'::regclass, 0);
--|             pg_get_viewdef
--| ---------------------------------------
--|   SELECT x.a + 1 AS r                 +
--|     FROM ( SELECT t.a                 +
--|             FROM t                    +
--|            WHERE t.e OR t.a = 1) x,   +
--|      LATERAL ( SELECT x.a + 2 AS y) l,+
--|      generate_series(1, 2 + 3) gg(gg) +
--|    WHERE l.y = (x.a + 1) AND x.a < 5;
--| (1 row)
