-- Rows that are no alike are not compared.
create type a as (x int, y int);
--| CREATE TYPE
create type b as (x int, y text);
--| CREATE TYPE
create type c as (x int);
--| CREATE TYPE
select row(1, 2)::a < row(1, 'abc')::b;
--| ERROR:  42804: cannot compare dissimilar column types integer and text at record column 2
select row(1, 2)::a < row(2, 'abc')::b, row(1, 2)::a <> row(2, 'abc')::b;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
select row(1, 2)::a = row(1, 'abc')::b;
--| ERROR:  42804: cannot compare dissimilar column types integer and text at record column 2
select row(1, 2)::a < row(1)::c;
--| ERROR:  42804: cannot compare record types with different numbers of columns
select row(1, 2)::a >= row(3)::c;
--|  ?column?
--| ----------
--|  f
--| (1 row)
select 1 where row(1, 2)::a <> row(1)::c;
--| ERROR:  42804: cannot compare record types with different numbers of columns
select row() = row();
--| ERROR:  0A000: cannot compare rows of zero length
select row() < row();
--| ERROR:  0A000: cannot compare rows of zero length
-- Fields keep their names in arrays.
select array_to_json(array_agg(q)) from (select x as b, x * 2 as c from generate_series(1, 3) x) q;
--|                 array_to_json
--| ---------------------------------------------
--|  [{"b":1,"c":2},{"b":2,"c":4},{"b":3,"c":6}]
--| (1 row)
select to_jsonb(array_agg(q order by b desc)) from (select x as b, array[row(x, 'y')] as c from generate_series(1, 2) x) q;
--|                                     to_jsonb
--| --------------------------------------------------------------------------------
--|  [{"b": 2, "c": [{"f1": 2, "f2": "y"}]}, {"b": 1, "c": [{"f1": 1, "f2": "y"}]}]
--| (1 row)
