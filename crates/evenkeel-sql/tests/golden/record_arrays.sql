-- Arrays of records of no composite type.

select array[row(1, 2)], array[row(1, 'a'), row(null, 'b c')], pg_typeof(array[row(1)]);
--|    array   |         array          | pg_typeof
--| -----------+------------------------+-----------
--|  {"(1,2)"} | {"(1,a)","(,\"b c\")"} | record[]
--| (1 row)
select array(select x from (values (1, 'a'), (2, null)) x);
--|       array
--| ------------------
--|  {"(1,a)","(2,)"}
--| (1 row)
select array(select row(n, n * 2) from generate_series(1, 3) n), array(select row(1) where false);
--|            array           | array
--| ---------------------------+-------
--|  {"(1,2)","(2,4)","(3,6)"} | {}
--| (1 row)
select array_agg(x) from (values (1, 'a'), (2, 'b "c"')) x;
--|             array_agg
--| ---------------------------------
--|  {"(1,a)","(2,\"b \"\"c\"\"\")"}
--| (1 row)
select array_agg(row(n) order by n desc) from generate_series(1, 3) n;
--|    array_agg
--| ---------------
--|  {(3),(2),(1)}
--| (1 row)
select array[array[row(1)], array[row(2)]], array_dims(array[array[row(1)], array[row(2)]]);
--|      array     | array_dims
--| ---------------+------------
--|  {{(1)},{(2)}} | [1:2][1:1]
--| (1 row)
select array[row(1, 2)] = array[row(1, 2)], array[row(1, 2)] < array[row(1, 3)], array[row(1, null::int)] = array[row(1, null::int)], array[row(1)] <> array[row(2)];
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | t        | t        | t
--| (1 row)
select x from (values (array[row(2)]), (array[row(1), row(5)]), (array[row(1)])) v(x) order by x;
--|      x
--| -----------
--|  {(1)}
--|  {(1),(5)}
--|  {(2)}
--| (3 rows)
select x, count(*) from (values (array[row(2)]), (array[row(2)]), (array[row(1)])) v(x) group by x order by x;
--|    x   | count
--| -------+-------
--|  {(1)} |     1
--|  {(2)} |     2
--| (2 rows)
select distinct x from (values (array[row(2, 'a'::text)]), (array[row(2, 'a'::text)])) v(x);
--|      x
--| -----------
--|  {"(2,a)"}
--| (1 row)
select array[row(1)] || row(2), row(0) || array[row(1)], array[row(1)] || array[row(2), row(3)], array_append(array[row(1)], row(2));
--|  ?column?  | ?column?  |   ?column?    | array_append
--| -----------+-----------+---------------+--------------
--|  {(1),(2)} | {(0),(1)} | {(1),(2),(3)} | {(1),(2)}
--| (1 row)
select array_position(array[row(1), row(2)], row(2)), array_remove(array[row(1), row(2)], row(2)), cardinality(array[row(1), row(2)]);
--|  array_position | array_remove | cardinality
--| ----------------+--------------+-------------
--|               2 | {(1)}        |           2
--| (1 row)
select row(1, 2) = any (array[row(1, 2), row(3, 4)]), row(1, 2) = all (array[row(1, 2), row(3, 4)]);
--|  ?column? | ?column?
--| ----------+----------
--|  t        | f
--| (1 row)
select (array[row(1, 2), row(3, 4)])[2], (array[row(1, 2), row(3, 4)])[1:1];
--|  array |   array
--| -------+-----------
--|  (3,4) | {"(1,2)"}
--| (1 row)
select ((array[row(1, 2)])[1]).f1;
--| ERROR:  42703: could not identify column "f1" in record data type
select unnest(array[row(1, 2), row(3, 4)]);
--|  unnest
--| --------
--|  (1,2)
--|  (3,4)
--| (2 rows)
select * from unnest(array[row(1, 2), row(3, 4)]);
--| ERROR:  42601: a column definition list is required for functions returning "record"
select * from unnest(array[row(1, 'a'::text), row(3, 'b'::text)]) as t(a int, b text);
--|  a | b
--| ---+---
--|  1 | a
--|  3 | b
--| (2 rows)
select * from unnest(array[row(1, 'a'::text), row(3, 'b')]) as t(a int, b text);
--| ERROR:  42804: rows returned by function are not all of the same row type
select * from unnest(array[row(1, 'a'::text), null, row(3, 'b'::text)]) as (a int, b text);
--|  a | b
--| ---+---
--|  1 | a
--|    |
--|  3 | b
--| (3 rows)
select b, a from rows from (unnest(array[row(1, 2), row(3, 4)]) as (a int, b int), generate_series(1, 3)) x(a, b, c);
--|  b | a
--| ---+---
--|  2 | 1
--|  4 | 3
--|    |
--| (3 rows)
select * from unnest(array[row(1, 2)]) as t(a int);
--| ERROR:  42804: function return row and query-specified return row do not match
--| DETAIL:  Returned row contains 2 attributes, but query expects 1.
select * from unnest(array[row(1, 2)]) as t(a int, b text);
--| ERROR:  42804: function return row and query-specified return row do not match
--| DETAIL:  Returned type integer at ordinal position 2, but query expects text.
select * from unnest(array[row(1, 2)], array[1]);
--| ERROR:  42601: a column definition list is required for functions returning "record"
select * from unnest(array[1]) as t(a int);
--| ERROR:  42601: a column definition list is only allowed for functions returning "record"
select * from unnest(array[row(1, '{2}'::int[])]) as t(a int, b int[]) where a = 1;
--|  a |  b
--| ---+-----
--|  1 | {2}
--| (1 row)
select to_json(array[row(1, 'a'), row(2, 'b')]), array_to_json(array[row(1)]);
--|                 to_json                | array_to_json
--| ---------------------------------------+---------------
--|  [{"f1":1,"f2":"a"},{"f1":2,"f2":"b"}] | [{"f1":1}]
--| (1 row)
select coalesce(array[row(1)], array[row(2)]), array_to_string(array[row(1), row(2)], ';');
--|  coalesce | array_to_string
--| ----------+-----------------
--|  {(1)}    | (1);(2)
--| (1 row)
select array[row(1)]::text, array[row(1)]::record[], '{}'::record[], '{(1)}'::record[];
--| ERROR:  0A000: input of anonymous composite types is not implemented
create type pair as (x int, y text);
--| CREATE TYPE
select array[row(1, 'a')::pair]::record[], pg_typeof(array[row(1, 'a')::pair]::record[]);
--|    array   | pg_typeof
--| -----------+-----------
--|  {"(1,a)"} | record[]
--| (1 row)
select array[row(1, 'a')]::pair[];
--|    array
--| -----------
--|  {"(1,a)"}
--| (1 row)
select x::pair[] from (select array[row(1, 'a')] as x) q;
--| ERROR:  42846: cannot cast type record[] to pair[]
select array[row(1, 'a')::pair, row(2, 'b')];
--| ERROR:  42804: ARRAY types pair and record cannot be matched
create table of_records as select array[row(1)] as x;
--| ERROR:  42P16: column "x" has pseudo-type record[]
create view of_records as select array[row(1)] as x;
--| ERROR:  42P16: column "x" has pseudo-type record[]
create table of_records (x record[]);
--| ERROR:  42P16: column "x" has pseudo-type record[]
select x[1] from (select array_agg(t) as x from (values (1, 2)) t) q;
--|    x
--| -------
--|  (1,2)
--| (1 row)
select array[t] from (values (1, 2), (3, null)) t;
--|    array
--| -----------
--|  {"(1,2)"}
--|  {"(3,)"}
--| (2 rows)
select t.oid, t.typname, t.typtype, t.typcategory, t.typelem, r.typarray from pg_type t, pg_type r where t.oid = '_record'::regtype and r.typname = 'record';
--|  oid  | typname | typtype | typcategory | typelem | typarray
--| ------+---------+---------+-------------+---------+----------
--|  2287 | _record | p       | P           |    2249 |     2287
--| (1 row)
create view unnested as select * from unnest(array(select row(n, n * 2) from generate_series(1, 2) n)) as (a int, b int);
--| CREATE VIEW
select pg_get_viewdef('unnested');
--|                                pg_get_viewdef
--| ----------------------------------------------------------------------------
--|   SELECT a,                                                                +
--|      b                                                                     +
--|     FROM unnest(ARRAY( SELECT ROW(n.n, (n.n * 2)) AS "row"                 +
--|             FROM generate_series(1, 2) n(n))) unnest(a integer, b integer);
--| (1 row)
select * from unnested;
--|  a | b
--| ---+---
--|  1 | 2
--|  2 | 4
--| (2 rows)
-- Of a row that a function gets the columns are its own.
create domain small as int check (value < 10);
--| CREATE DOMAIN
select * from json_populate_record(row(1), '{}') as (a small);
--| ERROR:  42804: function return row and query-specified return row do not match
--| DETAIL:  Returned type integer at ordinal position 1, but query expects small.
select * from json_populate_record(row(1), '{"f1": 5}') as (a int);
--|  a
--| ---
--|  5
--| (1 row)
select * from json_populate_record(null::record, '{"a": 5}') as (a small);
--|  a
--| ---
--|  5
--| (1 row)
select * from json_populate_recordset(row(1), '[{"f1": 5}]') as (a small);
--| ERROR:  42804: function return row and query-specified return row do not match
--| DETAIL:  Returned type integer at ordinal position 1, but query expects small.
select * from unnest(array[row(1)]) as (a small);
--| ERROR:  42804: function return row and query-specified return row do not match
--| DETAIL:  Returned type integer at ordinal position 1, but query expects small.
