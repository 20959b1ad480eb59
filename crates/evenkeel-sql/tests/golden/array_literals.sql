-- What is wrong with an array's text.
select '{"a"b}'::text[];
--| ERROR:  22P02: malformed array literal: "{"a"b}"
--| DETAIL:  Incorrectly quoted array element.
select '{"a""b"}'::text[];
--| ERROR:  22P02: malformed array literal: "{"a""b"}"
--| DETAIL:  Incorrectly quoted array element.
select '{{"1 2" x},{3}}'::text[];
--| ERROR:  22P02: malformed array literal: "{{"1 2" x},{3}}"
--| DETAIL:  Incorrectly quoted array element.
select '{{"1 2"} x,{3}}'::text[];
--| ERROR:  22P02: malformed array literal: "{{"1 2"} x,{3}}"
--| DETAIL:  Unexpected array element.
select '{{1}{2}}'::text[];
--| ERROR:  22P02: malformed array literal: "{{1}{2}}"
--| DETAIL:  Unexpected "{" character.
select '{"a"{1}}'::text[];
--| ERROR:  22P02: malformed array literal: "{"a"{1}}"
--| DETAIL:  Unexpected "{" character.
select '{a"b"}'::text[];
--| ERROR:  22P02: malformed array literal: "{a"b"}"
--| DETAIL:  Incorrectly quoted array element.
select '{1,}'::text[];
--| ERROR:  22P02: malformed array literal: "{1,}"
--| DETAIL:  Unexpected "}" character.
select '[1:]={1}'::int[];
--| ERROR:  22P02: malformed array literal: "[1:]={1}"
--| DETAIL:  Missing array dimension value.
select '[]={1}'::int[];
--| ERROR:  22P02: malformed array literal: "[]={1}"
--| DETAIL:  "[" must introduce explicitly-specified array dimensions.
select '[a]={1}'::int[];
--| ERROR:  22P02: malformed array literal: "[a]={1}"
--| DETAIL:  "[" must introduce explicitly-specified array dimensions.
select '[1:2'::int[];
--| ERROR:  22P02: malformed array literal: "[1:2"
--| DETAIL:  Missing "]" after array dimensions.
select '[1:2={1}'::int[];
--| ERROR:  22P02: malformed array literal: "[1:2={1}"
--| DETAIL:  Missing "]" after array dimensions.
select '[ 1:2]={1,2}'::int[];
--| ERROR:  22P02: malformed array literal: "[ 1:2]={1,2}"
--| DETAIL:  "[" must introduce explicitly-specified array dimensions.
select '[1:2] = {1,2}'::int[], '[+1:2][1]={{1},{2}}'::int[];
--|  int4  |   int4
--| -------+-----------
--|  {1,2} | {{1},{2}}
--| (1 row)
select '[2147483646:2147483647]={1,2}'::int[];
--| ERROR:  54000: array upper bound is too large: 2147483647
select '[2147483645:2147483646]={1,2}'::int[];
--|              int4
--| -------------------------------
--|  [2147483645:2147483646]={1,2}
--| (1 row)
select '[-2147483648:2147483646]={1,2}'::int[];
--| ERROR:  54000: array size exceeds the maximum allowed (134217727)
select '[21474836488:21474836489]={1,2}'::int[];
--| ERROR:  54000: array bound is out of integer range
select '[-2147483649:-2147483648]={1,2}'::int[];
--| ERROR:  54000: array bound is out of integer range
select '[2:1]={}'::int[];
--| ERROR:  2202E: upper bound cannot be less than lower bound
select '[1][1][1][1][1][1][1]={1}'::int[];
--| ERROR:  54000: number of array dimensions exceeds the maximum allowed (6)
select array_fill(1, array[1, 2, null]);
--| ERROR:  22004: dimension values cannot be null
select array_fill(1, array[2], array[null::int]);
--| ERROR:  22004: dimension values cannot be null
select 'foo' like all (array['f%', '%o']), 'foo' like all (array['f%', '%b']), 'foo' not like all (array['%a', '%o']), 'foo' ilike all (array['F%', '%O']), 'foo' not ilike all ('{a}');
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  t        | f        | f        | t        | t
--| (1 row)
select pg_typeof(unnest(array[1, null, 3]));
--|  pg_typeof
--| -----------
--|  integer
--|  integer
--|  integer
--| (3 rows)
select pg_typeof(generate_series(1, 2)), generate_series(1, 2);
--|  pg_typeof | generate_series
--| -----------+-----------------
--|  integer   |               1
--|  integer   |               2
--| (2 rows)
select array_remove('[0:1]={1,2}'::int[], 3), array_remove('[0:1]={1,2}'::int[], 2), array_remove('[5:5]={1}'::int[], 1), array_remove('{}'::int[], 1);
--|  array_remove | array_remove | array_remove | array_remove
--| --------------+--------------+--------------+--------------
--|  [0:1]={1,2}  | [0:0]={1}    | {}           | {}
--| (1 row)
