-- Alternations: of branches of fixed lengths the longest that matches.

select regexp_match('xyz', '.|...'), regexp_match('foobar', 'foo|foobar'), regexp_replace('street st', 'st|street', 'X', 'g'), substring('january' from 'jan|january');
--|  regexp_match | regexp_match | regexp_replace | substring
--| --------------+--------------+----------------+-----------
--|  {xyz}        | {foobar}     | X X            | january
--| (1 row)
select regexp_match('foobar', '(foo|foobar)(.*)'), regexp_match('abab', '(?:a|ab)+'), regexp_match('xay', 'x(a|ay|)'), regexp_matches('ab abc', 'ab|abc', 'g');
--|  regexp_match | regexp_match | regexp_match | regexp_matches
--| --------------+--------------+--------------+----------------
--|  {foobar,""}  | {abab}       | {ay}         | {ab}
--|  {foobar,""}  | {abab}       | {ay}         | {abc}
--| (2 rows)
select regexp_match('foobar', 'FOO|foobar', 'i'), regexp_match('a b', 'a |a b', 'x'), regexp_match('äöü', 'ä|äö|äöü'), regexp_match('12', '\d|\d\d|[[:alpha:]]');
--|  regexp_match | regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------+--------------
--|  {foobar}     | {a}          | {äöü}        | {12}
--| (1 row)
select regexp_match('foobar', '(?:foo|foobar)?bar'), regexp_match('foobar', '^(?:foo|foobar)$'), regexp_match(E'a\nab', '^(?:a|ab)$', 'n');
--|  regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------
--|  {foobar}     | {foobar}     | {a}
--| (1 row)
select regexp_split_to_array('1, 2,3', ',|, '), regexp_count('aab', 'a|aa'), 'aab' ~ '^(a|aa)b$', regexp_replace('a.b', '\.|\.b', '-');
--|  regexp_split_to_array | regexp_count | ?column? | regexp_replace
--| -----------------------+--------------+----------+----------------
--|  {1,2,3}               |            1 | t        | a-
--| (1 row)
