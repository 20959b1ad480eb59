-- What WITHIN GROUP is refused for: what is ordered by is looked up with the arguments.
create table g (id int primary key, n int, s text, f float8);
--| CREATE TABLE
insert into g values (1, 5, 'a', 1.5), (2, 5, 'b', 2.5), (3, 7, 'a', null), (4, null, 'c', 0);
--| INSERT 0 4
select sum(n) within group (order by n) from g;
--| ERROR:  42883: function sum(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select sum(n) within group (order by s) from g;
--| ERROR:  42883: function sum(integer, text) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select sum() within group (order by n) from g;
--| ERROR:  42809: sum is not an ordered-set aggregate, so it cannot have WITHIN GROUP
select sum() within group (order by s) from g;
--| ERROR:  42883: function sum(text) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select count() within group (order by n) from g;
--| ERROR:  42809: count is not an ordered-set aggregate, so it cannot have WITHIN GROUP
select count(*) within group (order by n) from g;
--| ERROR:  42809: count is not an ordered-set aggregate, so it cannot have WITHIN GROUP
select count(n) within group (order by n) from g;
--| ERROR:  42883: function count(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select max() within group (order by n) over () from g;
--| ERROR:  42809: max is not an ordered-set aggregate, so it cannot have WITHIN GROUP
select sum(n) within group (order by n) over () from g;
--| ERROR:  42883: function sum(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select string_agg(s) within group (order by s) from g;
--| ERROR:  42809: string_agg is not an ordered-set aggregate, so it cannot have WITHIN GROUP
select string_agg(s, ',') within group (order by s) from g;
--| ERROR:  42883: function string_agg(text, unknown, text) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select array_agg() within group (order by n) from g;
--| ERROR:  42809: array_agg is not an ordered-set aggregate, so it cannot have WITHIN GROUP
select first_value(n) within group (order by n) from g;
--| ERROR:  42883: function first_value(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select first_value() within group (order by n) from g;
--| ERROR:  42809: window function first_value requires an OVER clause
select first_value() within group (order by n) over () from g;
--| ERROR:  42809: window function first_value cannot have WITHIN GROUP
select nth_value(n) within group (order by n) from g;
--| ERROR:  42809: window function nth_value requires an OVER clause
select nth_value(n) within group (order by s) from g;
--| ERROR:  42883: function nth_value(integer, text) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select lag(n) within group (order by n) from g;
--| ERROR:  42809: window function lag requires an OVER clause
select lag(n) within group (order by s) from g;
--| ERROR:  42883: function lag(integer, text) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select lag(n) within group (order by id) over () from g;
--| ERROR:  42809: window function lag cannot have WITHIN GROUP
select lag(n, 1) within group (order by s) from g;
--| ERROR:  42883: function lag(integer, integer, text) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select row_number() within group (order by n) from g;
--| ERROR:  42883: function row_number(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select row_number(n) within group (order by n) from g;
--| ERROR:  42883: function row_number(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select ntile() within group (order by n) from g;
--| ERROR:  42809: window function ntile requires an OVER clause
select lower() within group (order by s) from g;
--| ERROR:  42809: WITHIN GROUP specified, but lower is not an aggregate function
select lower(s) within group (order by s) from g;
--| ERROR:  42883: function lower(text, text) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select nosuch() within group (order by n) from g;
--| ERROR:  42883: function nosuch(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select abs() within group (order by n) over () from g;
--| ERROR:  42809: WITHIN GROUP specified, but abs is not an aggregate function
select mode() within group (order by sum(n)) from g;
--| ERROR:  42803: aggregate function calls cannot be nested
select mode() within group (order by mode() within group (order by n)) from g;
--| ERROR:  42803: aggregate function calls cannot be nested
select sum(mode() within group (order by n)) from g;
--| ERROR:  42803: aggregate function calls cannot be nested
select percentile_disc(mode() within group (order by n)) within group (order by n) from g;
--| ERROR:  42803: aggregate function calls cannot be nested
select percentile_cont(count(*)) within group (order by n) from g;
--| ERROR:  42803: aggregate function calls cannot be nested
select percentile_cont(max(0.5)) within group (order by n) from g;
--| ERROR:  42803: aggregate function calls cannot be nested
select (select mode() within group (order by g.n)) from g;
--|  mode
--| ------
--|     5
--| (1 row)
select (select percentile_cont(max(h.f)) within group (order by g.n) from g h) from g;
--| ERROR:  42803: aggregate function calls cannot be nested
select (select percentile_cont(h.f) within group (order by g.n) from g h limit 1) from g;
--| ERROR:  42803: outer-level aggregate cannot contain a lower-level variable in its direct arguments
select (select percentile_cont(max(g.f)) within group (order by h.n) from g h) from g;
--| ERROR:  22003: percentile value 2.5 is not between 0 and 1
select (select percentile_cont(0.5) within group (order by g.n + h.n) from g h where h.id = 1) from g;
--|  percentile_cont
--| -----------------
--|               10
--|               10
--|               12
--|
--| (4 rows)
select (select sum(mode() within group (order by g.n)) from g h) from g;
--| ERROR:  42803: aggregate function calls cannot be nested
select max((select mode() within group (order by h.n) from g h)) from g;
--|  max
--| -----
--|    5
--| (1 row)
select mode() within group (order by (select max(g.n))) from g;
--| ERROR:  42803: aggregate function calls cannot be nested
select mode() within group (order by (select max(h.n) from g h)) from g;
--|  mode
--| ------
--|     7
--| (1 row)
select mode() within group (order by n) filter (where count(*) > 1) from g;
--| ERROR:  42803: aggregate functions are not allowed in FILTER
select rank() within group (order by n) from g;
--| ERROR:  42883: function rank(integer) does not exist
--| HINT:  To use the hypothetical-set aggregate rank, the number of hypothetical direct arguments (here 0) must match the number of ordering columns (here 1).
select rank(1, 2) within group (order by n) from g;
--| ERROR:  42883: function rank(integer, integer, integer) does not exist
--| HINT:  To use the hypothetical-set aggregate rank, the number of hypothetical direct arguments (here 2) must match the number of ordering columns (here 1).
select rank(1) within group (order by n) over () from g;
--| ERROR:  0A000: OVER is not supported for ordered-set aggregate rank
select rank() within group (order by n) over () from g;
--| ERROR:  0A000: OVER is not supported for ordered-set aggregate rank
select mode(1) within group (order by n) over () from g;
--| ERROR:  42883: function mode(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select mode() within group (order by n) over () from g;
--| ERROR:  0A000: OVER is not supported for ordered-set aggregate mode
select rank(n) within group (order by n) from g;
--| ERROR:  42803: column "g.n" must appear in the GROUP BY clause or be used in an aggregate function
--| DETAIL:  Direct arguments of an ordered-set aggregate must use only grouped columns.
select percentile_cont(n) within group (order by n) from g;
--| ERROR:  42803: column "g.n" must appear in the GROUP BY clause or be used in an aggregate function
--| DETAIL:  Direct arguments of an ordered-set aggregate must use only grouped columns.
select n, rank(n) within group (order by f) from g group by n;
--|  n | rank
--| ---+------
--|  5 |    3
--|  7 |    1
--|    |    2
--| (3 rows)
select n, percentile_disc(n * 0.1) within group (order by s) from g group by n order by 1;
--|  n | percentile_disc
--| ---+-----------------
--|  5 | a
--|  7 | a
--|    |
--| (3 rows)
select mode() within group (order by row_number() over ()) from g;
--| ERROR:  42803: aggregate function calls cannot contain window function calls
select mode() within group (order by generate_series(1,2)) from g;
--| ERROR:  0A000: aggregate function calls cannot contain set-returning function calls
--| HINT:  You might be able to move the set-returning function into a LATERAL FROM item.
select percentile_cont(generate_series(1,2)) within group (order by n) from g;
--| ERROR:  0A000: aggregate function calls cannot contain set-returning function calls
--| HINT:  You might be able to move the set-returning function into a LATERAL FROM item.
select percentile_disc(0.5) within group (order by null) from g;
--| ERROR:  42804: could not determine polymorphic type because input has type unknown
select rank(null) within group (order by n) from g;
--|  rank
--| ------
--|     4
--| (1 row)
select rank('a') within group (order by 'b') from g;
--|  rank
--| ------
--|     1
--| (1 row)
select generate_series() within group (order by n) from g;
--| ERROR:  42883: function generate_series(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select count(distinct n) within group (order by n) from g;
--| ERROR:  42601: cannot use DISTINCT with WITHIN GROUP
select mode(n order by n) within group (order by n) from g;
--| ERROR:  42601: cannot use multiple ORDER BY clauses with WITHIN GROUP
