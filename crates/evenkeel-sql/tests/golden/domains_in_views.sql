-- Columns of domains in views, where operators and functions take them as what the domain is over.
create domain d1 as text; create domain d2 as int check (value > 0); create domain d3 as text collate "C"; create domain d4 as varchar(5);
--| CREATE DOMAIN
--| CREATE DOMAIN
--| CREATE DOMAIN
--| CREATE DOMAIN
create table t(a d1, b d2, c d3, e d4);
--| CREATE TABLE
create view v as select a, b + 1 as b1, upper(a) as u, a || 'x' as ax from t where a = 'x' and b = 3 and c = 'y' and e = 'z' and a < c and a in ('p', 'q') and b in (1, 2) and a like 'x%' and c is distinct from 'k';
--| CREATE VIEW
select pg_get_viewdef('v'::regclass);
--|                                                                                                                                                   pg_get_viewdef
--| -------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|   SELECT a,                                                                                                                                                                                                                                                                                                       +
--|      ((b)::integer + 1) AS b1,                                                                                                                                                                                                                                                                                    +
--|      upper((a)::text) AS u,                                                                                                                                                                                                                                                                                       +
--|      ((a)::text || 'x'::text) AS ax                                                                                                                                                                                                                                                                               +
--|     FROM t                                                                                                                                                                                                                                                                                                        +
--|    WHERE (((a)::text = 'x'::text) AND ((b)::integer = 3) AND ((c)::text = 'y'::text) AND ((e)::text = 'z'::text) AND ((a)::text < (c)::text) AND ((a)::text = ANY (ARRAY['p'::text, 'q'::text])) AND ((b)::integer = ANY (ARRAY[1, 2])) AND ((a)::text ~~ 'x%'::text) AND ((c)::text IS DISTINCT FROM 'k'::text));
--| (1 row)
create view v2 as select (select max(b) from t x where x.a = t.a) as m from t where c = any (array['a','b']);
--| CREATE VIEW
select pg_get_viewdef('v2'::regclass);
--|                       pg_get_viewdef
--| ----------------------------------------------------------
--|   SELECT ( SELECT max((x.b)::integer) AS max             +
--|             FROM t x                                     +
--|            WHERE ((x.a)::text = (t.a)::text)) AS m       +
--|     FROM t                                               +
--|    WHERE ((c)::text = ANY (ARRAY['a'::text, 'b'::text]));
--| (1 row)
create view v3 as select coalesce(a, 'x') as co, greatest(b, 1) as g, count(b) as n, array_agg(b) as ar, sum(b) as s, case when b > 1 then a else 'k' end as ca, a is null as isn, -b as neg, b between 1 and 2 as bt, a::varchar as av, b::bigint as bb, a = c as ac, nullif(a, 'x') as nu, coalesce(a, a) as caa, case when b > 1 then a end as cb, case when b > 1 then a else a end as cc from t group by a, b, c order by a, b + 1;
--| CREATE VIEW
select pg_get_viewdef('v3'::regclass);
--|                       pg_get_viewdef
--| ----------------------------------------------------------
--|   SELECT COALESCE((a)::text, 'x'::text) AS co,           +
--|      GREATEST((b)::integer, 1) AS g,                     +
--|      count(b) AS n,                                      +
--|      array_agg(b) AS ar,                                 +
--|      sum((b)::integer) AS s,                             +
--|          CASE                                            +
--|              WHEN ((b)::integer > 1) THEN (a)::text      +
--|              ELSE 'k'::text                              +
--|          END AS ca,                                      +
--|      (a IS NULL) AS isn,                                 +
--|      (- (b)::integer) AS neg,                            +
--|      (((b)::integer >= 1) AND ((b)::integer <= 2)) AS bt,+
--|      (a)::character varying AS av,                       +
--|      (b)::bigint AS bb,                                  +
--|      ((a)::text = (c)::text) AS ac,                      +
--|      NULLIF((a)::text, 'x'::text) AS nu,                 +
--|      COALESCE(a, a) AS caa,                              +
--|          CASE                                            +
--|              WHEN ((b)::integer > 1) THEN (a)::text      +
--|              ELSE NULL::text                             +
--|          END AS cb,                                      +
--|          CASE                                            +
--|              WHEN ((b)::integer > 1) THEN a              +
--|              ELSE a                                      +
--|          END AS cc                                       +
--|     FROM t                                               +
--|    GROUP BY a, b, c                                      +
--|    ORDER BY a, ((b)::integer + 1);
--| (1 row)
drop table t cascade;
--| NOTICE:  drop cascades to 3 other objects
--| DETAIL:  drop cascades to view v
--| drop cascades to view v2
--| drop cascades to view v3
--| DROP TABLE
drop domain d1, d2, d3, d4;
--| DROP DOMAIN
