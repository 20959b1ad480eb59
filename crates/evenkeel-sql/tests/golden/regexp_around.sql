-- Regular expressions that look around and refer back, in PostgreSQL's syntax; hostile ones end.

select 'bbbbb' ~ '^([bc])\1*$', 'bbc' ~ '^([bc])\1*$', 'abc abc abc' ~ '^(\w+)( \1)+$', 'abc abd abc' ~ '^(.+)( \1)+$', 'Programmer' ~ '(\w).*?\1';
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  t        | f        | t        | f        | t
--| (1 row)
select regexp_matches('Programmer', '(\w)(.*?\1)', 'g');
--|  regexp_matches
--| ----------------
--|  {r,ogr}
--|  {m,m}
--| (2 rows)
select regexp_match('ab', 'a(?=b)b*'), regexp_match('a', 'a(?=b)b*'), regexp_match('abc', 'a(?=b)b*(?=c)c*'), regexp_match('ab', 'a(?!b)b*'), regexp_match('a', 'a(?!b)b*');
--|  regexp_match | regexp_match | regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------+--------------+--------------
--|  {ab}         |              | {abc}        |              | {a}
--| (1 row)
select regexp_match('abb', '(?<=a)b*'), regexp_match('ab', 'a*(?<!a)b*'), regexp_match('foobar', '(?<=foo)b+'), regexp_match('foobar', '(?<=o+)b+'), regexp_match('b', '(?<=b)b');
--|  regexp_match | regexp_match | regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------+--------------+--------------
--|  {bb}         | {""}         | {b}          | {b}          |
--| (1 row)
select 'xyy' ~ '(?<=[xy])yy+', 'zyy' ~ '(?<=[xy])yy+', 'zyy' ~ '(?<![xy])yy+', 'xy' ~ 'x(?![xy])';
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | f        | t        | f
--| (1 row)
select 'aa bb cc' ~ '(^(?!aa))+', 'dd x' ~ '(^(?!aa)(?!bb)(?!cc))+';
--|  ?column? | ?column?
--| ----------+----------
--|  f        | t
--| (1 row)
select regexp_replace('aabbcd', '(\w)\1', '<\1>', 'g'), regexp_replace('1234567', '(?<=\d)(?=(\d{3})+$)', ',', 'g'), regexp_replace('AbAB', '(ab)\1', '[\&]', 'i');
--|  regexp_replace | regexp_replace | regexp_replace
--| ----------------+----------------+----------------
--|  <a><b>cd       | 1,234,567      | [AbAB]
--| (1 row)
select regexp_split_to_array('fooBarBaz', '(?=[A-Z])'), regexp_count('aXbXXc', '(X)\1?'), regexp_instr('abab', '(ab)\1', 1, 1, 1), regexp_substr('key=value', '(?<==).*');
--|  regexp_split_to_array | regexp_count | regexp_instr | regexp_substr
--| -----------------------+--------------+--------------+---------------
--|  {foo,Bar,Baz}         |            2 |            5 | value
--| (1 row)
select 'one two' ~ '\mtwo\M(?!x)', E'a\nb' ~ '(?n)a$(?=\s)', 'a  b' ~ '(?x) a \s+ (?= b ) # comment', 'straße' ~ '(?<=a)ß', 'ÄÄ' ~* '(ä)\1';
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  t        | t        | t        | t        | t
--| (1 row)
select '***' ~ '***=***', '(?=x)' ~ '***=(?=x)', 'xx' ~ '***:(x)\1', '[(?=' ~ '[[](?=[(])', 'a]b' ~ '[]](?=b)';
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  t        | t        | t        | t        | t
--| (1 row)
select 'xxx' ~ '(.){0}(\1)', 'xyz' ~ '((.)){0}(\2){0}', 'a' ~ '()*\1', 'a' ~ '()+\1', 'abadef' ~ '^((.)\2|..)\2', 'aaaa' ~ '^(a){2,3}?\1$';
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------
--|  f        | t        | t        | t        | f        | t
--| (1 row)
select 'x' ~ '(?=x)*';
--| ERROR:  2201B: invalid regular expression: quantifier operand invalid
select 'x' ~ '\1';
--| ERROR:  2201B: invalid regular expression: invalid backreference number
select 'xyz' ~ 'x(\w)(?=\1)';
--| ERROR:  2201B: invalid regular expression: invalid backreference number
select 'x' ~ '(?=x';
--| ERROR:  2201B: invalid regular expression: parentheses () not balanced
select 'x' ~ '(?<x)';
--| ERROR:  2201B: invalid regular expression: quantifier operand invalid
select 'x' ~ '(x)\1{2,1}';
--| ERROR:  2201B: invalid regular expression: invalid repetition count(s)
select 'x' ~ '(x)\1{256}';
--| ERROR:  2201B: invalid regular expression: invalid repetition count(s)
select 'abab' similar to '(ab)*', 'foobar' like 'foo%';
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
select repeat('a', 40) ~ '^(a+)+\1b$';
--| ERROR:  54000: regular expression failed: too many steps
--| DETAIL:  A pattern that looks around or refers back may take 10000000 steps of this search.
select repeat('a', 40) ~ '^(?=(a|a|aa)+b)';
--| ERROR:  54000: regular expression failed: too many steps
--| DETAIL:  A pattern that looks around or refers back may take 10000000 steps of this search.
