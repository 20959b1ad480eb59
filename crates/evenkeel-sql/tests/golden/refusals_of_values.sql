-- Arrays whose bounds differ or go too far, NULLs within parts, and other small refusals of arrays, texts and names.

select '[2:3][0:1]={{2,1},{1,2}}'::int[] || '{{2,2},{1,1}}'::int[];
--| ERROR:  2202E: cannot concatenate incompatible arrays
--| DETAIL:  Arrays with differing element dimensions are not compatible for concatenation.
select '[2:2]={7}'::int[] || '{{2},{2}}'::int[];
--| ERROR:  2202E: cannot concatenate incompatible arrays
--| DETAIL:  Arrays with differing dimensions are not compatible for concatenation.
select array[[1,2]] || array[3];
--| ERROR:  2202E: cannot concatenate incompatible arrays
--| DETAIL:  Arrays with differing dimensions are not compatible for concatenation.
select array_cat(array[[[1]]], array[1]);
--| ERROR:  2202E: cannot concatenate incompatible arrays
--| DETAIL:  Arrays of 3 and 1 dimensions are not compatible for concatenation.
select array_agg(x) from (values('[0:2]={2,2,2}'::int[]),('{2,1,2}'::int[])) v(x);
--| ERROR:  2202E: cannot accumulate arrays of different dimensionality
select array_sort('{{2},{NULL}}'::int[], true, false), array_sort('{{2},{NULL}}'::int[], false, true);
--|   array_sort  |  array_sort
--| --------------+--------------
--|  {{NULL},{2}} | {{2},{NULL}}
--| (1 row)
select trim_array('[2:4][0:1]={{1,1},{2,1},{1,2}}'::int[], 1);
--|   trim_array
--| ---------------
--|  {{1,1},{2,1}}
--| (1 row)
select array_fill(1, array[3], array[2147483647]);
--| ERROR:  54000: array lower bound is too large: 2147483647
select array_upper('[2147483646:2147483646]={1}'::int[] || 2, 1);
--| ERROR:  54000: array lower bound is too large: 2147483646
select '[1:1]={}'::int[];
--| ERROR:  22P02: malformed array literal: "[1:1]={}"
--| DETAIL:  Specified array dimensions do not match array contents.
select array_fill('a'::text, '{2,3}'::int[], '{{1,2},{3,4}}'::int[]);
--| ERROR:  2202E: wrong number of array subscripts
--| DETAIL:  Dimension array must be one dimensional.
select overlay('abc' placing 'x' from 2 for 2147483647), overlay('\x0102'::bytea placing '\x' from 1 for 2147483647);
--| ERROR:  22003: integer out of range
select array_append('[2147483646:2147483646]={1}'::int[], 2);
--| ERROR:  54000: array lower bound is too large: 2147483646
select '[2:3]={1,2}'::int[] || 3, '[2:3][1:2]={{1,2},{3,4}}'::int[] || '{5,6}'::int[], '{5,6}'::int[] || '[2:3][1:2]={{1,2},{3,4}}'::int[];
--|    ?column?    |            ?column?            |            ?column?
--| ---------------+--------------------------------+--------------------------------
--|  [2:4]={1,2,3} | [2:4][1:2]={{1,2},{3,4},{5,6}} | [2:4][1:2]={{5,6},{1,2},{3,4}}
--| (1 row)
select array_fill(7, '{2,null}'::int[]);
--| ERROR:  22004: dimension values cannot be null
select array_fill(7, '{2,3}'::int[], '{1,null}'::int[]);
--| ERROR:  22004: dimension values cannot be null
select array_fill(7, '{2,3}'::int[], '{2,-1}'::int[]), array_fill(7, '{}'::int[]);
--|           array_fill           | array_fill
--| -------------------------------+------------
--|  [2:3][-1:1]={{7,7,7},{7,7,7}} | {}
--| (1 row)
select '[1:1][1:1]={{}}'::int[];
--| ERROR:  22P02: malformed array literal: "[1:1][1:1]={{}}"
--| DETAIL:  Specified array dimensions do not match array contents.
select array_sort('{{2,1},{null,0},{1,5}}'::int[]), array_sort('{3,null,1}'::int[], true, true);
--|        array_sort       | array_sort
--| ------------------------+------------
--|  {{1,5},{2,1},{NULL,0}} | {NULL,3,1}
--| (1 row)
select overlay('abc' placing 'xy' from 2), overlay('abcdef' placing 'x' from 3 for -1), overlay('\x010203'::bytea placing '\xff' from 2 for 1);
--|  overlay | overlay  | overlay
--| ---------+----------+----------
--|  axy     | abxbcdef | \x01ff03
--| (1 row)
select convert_from('\xeda080', 'utf8');
--| ERROR:  22021: invalid byte sequence for encoding "UTF8": 0xed 0xa0 0x80
select convert_from('\xc080', 'utf8');
--| ERROR:  22021: invalid byte sequence for encoding "UTF8": 0xc0 0x80
select convert_from('\x61c3', 'utf8');
--| ERROR:  22021: invalid byte sequence for encoding "UTF8": 0xc3
select convert_from('\xff', 'utf8');
--| ERROR:  22021: invalid byte sequence for encoding "UTF8": 0xff
select format('%*s|', '5x', 'a');
--| ERROR:  22P02: invalid input syntax for type integer: "5x"
select format('%*s|', '5', 'a'), format('%*s|', -3, 'a');
--|  format | format
--| --------+--------
--|      a| | a  |
--| (1 row)
select '' like '%\';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select '1' like '%_\';
--| ERROR:  22025: LIKE pattern must not end with escape character
select '' like '%_\', '' like '\', 'a' like 'b\';
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  f        | f        | f
--| (1 row)
select to_regclass(''), to_regprocedure('x'), to_regproc('a b'), to_regcollation('.'), to_regoperator('i');
--|  to_regclass | to_regprocedure | to_regproc | to_regcollation | to_regoperator
--| -------------+-----------------+------------+-----------------+----------------
--|              |                 |            |                 |
--| (1 row)
select regexp_replace('foo', 'o', 'x', '1');
--| ERROR:  22023: invalid regular expression option: "1"
--| HINT:  If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.
