-- Constants in plans have their types, and CASE is written out.

create table tt (a text, b varchar(5), c date, d numeric, e bigint, f float8);
--| CREATE TABLE
explain (costs off) select * from tt where a = 'x' and b = 'it''s' and c = '2020-01-01' and d > 5 and d < -5.5 and e > -5 and f < 1.5;
--|                                                                                              QUERY PLAN
--| -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  Seq Scan on tt
--|    Filter: ((a = 'x'::text) AND ((b)::text = 'it''s'::text) AND (c = '2020-01-01'::date) AND (d > '5'::numeric) AND (d < '-5.5'::numeric) AND (e > '-5'::integer) AND (f < '1.5'::double precision))
--| (2 rows)
explain (costs off) select * from tt where a in ('x', 'y,z') or e in (1, 2) or b like 'x%' or d in (1.5, 2) order by coalesce(a, 'q');
--|                                                                       QUERY PLAN
--| ------------------------------------------------------------------------------------------------------------------------------------------------------
--|  Sort
--|    Sort Key: (COALESCE(a, 'q'::text))
--|    ->  Seq Scan on tt
--|          Filter: ((a = ANY ('{x,"y,z"}'::text[])) OR (e = ANY ('{1,2}'::integer[])) OR ((b)::text ~~ 'x%'::text) OR (d = ANY ('{1.5,2}'::numeric[])))
--| (4 rows)
explain (costs off) select * from tt where case when a = 'x' then b = 'y' else e > 1 end and case a when 'p' then 1 when 'q' then 2 end = 1;
--|                                                                                     QUERY PLAN
--| -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  Seq Scan on tt
--|    Filter: (CASE WHEN (a = 'x'::text) THEN ((b)::text = 'y'::text) ELSE (e > 1) END AND (CASE WHEN (a = 'p'::text) THEN 1 WHEN (a = 'q'::text) THEN 2 ELSE NULL::integer END = 1))
--| (2 rows)
explain (costs off) select count(*) from tt group by case when a = 'x' then 'y' end;
--|                                 QUERY PLAN
--| ---------------------------------------------------------------------------
--|  HashAggregate
--|    Group Key: CASE WHEN (a = 'x'::text) THEN 'y'::text ELSE NULL::text END
--|    ->  Seq Scan on tt
--| (3 rows)
