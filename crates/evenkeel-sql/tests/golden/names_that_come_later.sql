-- Where errors are, and what is told of names that come later.

create table e(id int primary key, dept text, sal numeric);
--| CREATE TABLE
with t as (select * from u), u as (select 1) select * from t;
--| ERROR:  42P01: relation "u" does not exist
--| DETAIL:  There is a WITH item named "u", but it cannot be referenced from this part of the query.
--| HINT:  Use WITH RECURSIVE, or re-order the WITH items to remove forward references.
with t as (select * from t) select * from t;
--| ERROR:  42P01: relation "t" does not exist
--| DETAIL:  There is a WITH item named "t", but it cannot be referenced from this part of the query.
--| HINT:  Use WITH RECURSIVE, or re-order the WITH items to remove forward references.
with a as (select 1), b as (select * from a, (with c as (select * from d), d as (select 2) select * from c) x) select * from b;
--| ERROR:  42P01: relation "d" does not exist
--| DETAIL:  There is a WITH item named "d", but it cannot be referenced from this part of the query.
--| HINT:  Use WITH RECURSIVE, or re-order the WITH items to remove forward references.
with a as (with b as (select * from c) select * from b), c as (select 1) select * from a;
--| ERROR:  42P01: relation "c" does not exist
--| DETAIL:  There is a WITH item named "c", but it cannot be referenced from this part of the query.
--| HINT:  Use WITH RECURSIVE, or re-order the WITH items to remove forward references.
with a as (select 1) select * from b;
--| ERROR:  42P01: relation "b" does not exist
with a as (select * from public.a) select * from a;
--| ERROR:  42P01: relation "public.a" does not exist
with recursive t(n) as (select 1 union all select n+1 from t t1 where exists (select 1 from t where n<3)) select * from t;
--| ERROR:  42P19: recursive reference to query "t" must not appear within a subquery
with recursive t(n) as (select 1 union all select n+1 from t left join t u using (n)) select * from t;
--| ERROR:  42P19: recursive reference to query "t" must not appear within an outer join
with recursive t(n) as (select 1 union all select n+1 from e left join t on true) select * from t;
--| ERROR:  42P19: recursive reference to query "t" must not appear within an outer join
with recursive t(n) as (select 1 union all select n::text from t) select * from t;
--| ERROR:  42804: UNION types integer and text cannot be matched
select sum(sal) over (order by dept range between 1 preceding and current row) from e;
--| ERROR:  0A000: RANGE with offset PRECEDING/FOLLOWING is not supported for column type text
select sum(sal) over (order by id range between '1 day'::interval preceding and current row) from e;
--| ERROR:  0A000: RANGE with offset PRECEDING/FOLLOWING is not supported for column type integer and offset type interval
--| HINT:  Cast the offset value to an appropriate type.
select string_agg(distinct dept, ',' order by sal) from e;
--| ERROR:  42P10: in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list
select string_agg(distinct dept, ',' order by dept, id desc) from e;
--| ERROR:  42P10: in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list
update e set (dept, sal) = (1);
--| ERROR:  0A000: source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression
update e set (dept, sal) = coalesce(1, 2);
--| ERROR:  0A000: source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression
