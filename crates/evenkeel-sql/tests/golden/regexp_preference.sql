-- Regular expressions: which match is preferred and how its groups share it, options, escapes, what is refused.

select substring('XY1234Z', 'Y*?([0-9]{1,3})'), substring('XY1234Z', 'Y*([0-9]{1,3})');
--|  substring | substring
--| -----------+-----------
--|  1         | 123
--| (1 row)
select regexp_match('abc01234xyz', '(.*?)(\d+)(.*)'), regexp_match('abc01234xyz', '(?:(.*?)(\d+)(.*)){1,1}'), regexp_match('abc01234xyz', '(.*)(\d+)(.*)');
--|  regexp_match |  regexp_match   |  regexp_match
--| --------------+-----------------+-----------------
--|  {abc,0,""}   | {abc,01234,xyz} | {abc0123,4,xyz}
--| (1 row)
select regexp_match('_ac_', 'a+.*?'), regexp_match('xabcabc', 'x(.*?)(abc)(.*)'), regexp_match('xabcabc', 'x(.*)(abc)(.*)'), regexp_match('aaa', '(a*?)(a*)'), regexp_match('aaa', '^(a*?)(a*)$'), regexp_match('aaa', '(a*)(a*?)');
--|  regexp_match | regexp_match | regexp_match | regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------+--------------+--------------+--------------
--|  {ac_}        | {"",abc,""}  | {abc,abc,""} | {"",""}      | {"",aaa}     | {aaa,""}
--| (1 row)
select substring('a_ ', '|a+'), regexp_match('BA_ab_ c', '_|_(a)', 'i');
--|  substring | regexp_match
--| -----------+--------------
--|  a         | {a}
--| (1 row)
select regexp_match('abcd', '(a|ab)(c|bcd)(d*)'), regexp_match('abcd', '(a|ab)(bcd|c)(d*)'), regexp_match('abababc', '(ab|a|b)*(c?)'), regexp_match('aab', '(a|aa)(ab|b)'), regexp_match('ab', '(a|ab)(b?)');
--|  regexp_match | regexp_match | regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------+--------------+--------------
--|  {ab,c,d}     | {ab,c,d}     | {ab,c}       | {aa,b}       | {ab,""}
--| (1 row)
select regexp_match('foobar', '(foo|foobar)(.*)'), regexp_match('foobar', '((foo)|foobar)'), regexp_match('foobar', '(foo|(foob)|foobar)?'), regexp_match('aXbXc', '(.*?)X(.*)'), regexp_match('aXbXc', '^(.*?)X(.*)$'), regexp_match('aXbXc', '^(.*)X(.*?)$');
--|  regexp_match | regexp_match  | regexp_match  | regexp_match | regexp_match | regexp_match
--| --------------+---------------+---------------+--------------+--------------+--------------
--|  {foobar,""}  | {foobar,NULL} | {foobar,NULL} | {a,""}       | {a,bXc}      | {aXb,c}
--| (1 row)
select regexp_match('ababab', '(ab)+'), regexp_match('ababab', '(ab)*'), regexp_match('abcabd', '(ab.)+?'), regexp_match('abcabd', '^(ab.)+?$'), regexp_match('abcabd', '(ab(c|d))+'), regexp_match('abab', '((a)|(b))*'), regexp_match('abab', '((a)|(b))+'), regexp_match('ab', '((a)|(b)){2}'), regexp_match('ab', '((a)|(b)){1,3}?');
--|  regexp_match | regexp_match | regexp_match | regexp_match | regexp_match | regexp_match | regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------+--------------+--------------+--------------+--------------+--------------+--------------
--|  {ab}         | {ab}         | {abc}        | {abd}        | {abd,d}      | {b,NULL,b}   | {b,NULL,b}   | {b,NULL,b}   | {a,a,NULL}
--| (1 row)
select regexp_match('b', '(a*)*'), regexp_match('b', '(a*)+'), regexp_match('b', '(a|b*)*'), regexp_match('', '(a*?|b)*'), regexp_match('xyz', '(x|xy|xyz)??z'), regexp_match('xyz', '(?:x|xy|xyz)??z?');
--|  regexp_match | regexp_match | regexp_match | regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------+--------------+--------------+--------------
--|  {""}         | {""}         | {b}          | {""}         | {xy}         | {""}
--| (1 row)
select regexp_replace('foo bar baz', '(b.*?)(r|z)', '<\1|\2>', 'g'), regexp_replace('a1b22c333', '[a-z]+?(\d+)', '[\1]', 'g'), regexp_replace('"a" and "b"', '"(.*?)"', '<\1>', 'g'), regexp_replace('"a" and "b"', '"(.*?)"(x|)', '<\1>', 'g');
--|   regexp_replace   | regexp_replace | regexp_replace | regexp_replace
--| -------------------+----------------+----------------+----------------
--|  foo <ba|r> <ba|z> | [1][2]2[3]33   | <a> and <b>    | <a> and <b>
--| (1 row)
select regexp_matches('k1=v1;k2=v2', '(\w+?)=(\w+)', 'g'), regexp_matches('k1=v1;k2=v2', '(.+?)=(.+?)(;|$)', 'g');
--|  regexp_matches | regexp_matches
--| ----------------+----------------
--|  {k1,v}         | {k1,v1,;}
--|  {k2,v}         | {k2,v2,""}
--| (2 rows)
select regexp_split_to_array('a, b;c', '\s*?[,;]\s*'), regexp_split_to_array('one  two', '\s+?'), regexp_count('aaaa', 'a+?'), regexp_count('abab', '(a|ab)(b?)'), regexp_instr('xxabab', '(a)(b)', 1, 2), regexp_substr('foobar', '(foo|foob)(a*)', 1, 1, '', 1);
--|  regexp_split_to_array | regexp_split_to_array | regexp_count | regexp_count | regexp_instr | regexp_substr
--| -----------------------+-----------------------+--------------+--------------+--------------+---------------
--|  {a," b",c}            | {one,"",two}          |            4 |            2 |            5 | foob
--| (1 row)
select substring('abcabc' similar '%#"b%#"c%' escape '#'), substring('abcdefg' similar 'a#"%#"g' escape '#'), substring('abcabcabc' similar '%#"b_#"%' escape '#'), substring('foobar' similar '%#"o_b#"%' escape '#');
--|  substring | substring | substring | substring
--| -----------+-----------+-----------+-----------
--|  bcab      | bcdef     | bc        | oob
--| (1 row)
-- multibyte
select regexp_match('äöüß-12', '(.*?)(ß|ßx)-(\d+?)(\d*)'), regexp_match('日本語 text', '(日|日本)(.*?)(t|te)');
--|  regexp_match |  regexp_match
--| --------------+----------------
--|  {äöü,ß,1,""} | {日本,"語 tex",t}
--| (1 row)
-- lines, words
select regexp_match(E'ab\ncd', '^(.*?)$(.*)', 'n'), regexp_match(E'ab\ncd', '(.*?)$', 'n'), regexp_match('the cat sat', '\m(c|ca|s)(.*?)\M'), regexp_match('foo  bar', '(\w+?)\y\s*(\w*)');
--|  regexp_match | regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------+--------------
--|  {ab,""}      | {ab}         | {ca,"t sat"} | {foo,""}
--| (1 row)
-- options
select 'abc' ~* '(?c)ABC', regexp_match(E'a\nb', '(?s)a.b', 'n'), regexp_match('***=a', '***=a', 'q'), regexp_match('(?i)a', '(?i)a', 'q'), 'abc' ~ '***:(?i)ABC', 'ABC' ~* '***=abc', 'a b' ~ '(?x)a b', 'a.b' ~ '(?q)a.b', 'axb' ~ '(?q)a.b', 'ab' ~ '(?it)A B', 'ab' ~ '(?ix)A B';
--|  ?column? | regexp_match | regexp_match | regexp_match | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+--------------+--------------+--------------+----------+----------+----------+----------+----------+----------+----------
--|  f        | {"a         +| {***=a}      | {(?i)a}      | t        | t        | f        | t        | f        | f        | t
--|           | b"}          |              |              |          |          |          |          |          |          |
--| (1 row)
select 'a' ~ '(?y)a';
--| ERROR:  2201B: invalid regular expression: invalid embedded option
select 'a' ~ '(?i';
--| ERROR:  2201B: invalid regular expression: invalid embedded option
select 'a' ~ '(?i a';
--| ERROR:  2201B: invalid regular expression: invalid embedded option
-- escapes
select U&'\263a' ~ '\x263a', E'\n' ~ '\012', E'\x01' ~ '\cA', 'a' ~ '\u0061', 'a' ~ '\U00000061', 'a' ~ '\x0061', E'\t' ~ '\011', 'S' ~ '\123', E'\x1b' ~ '\e', E'\\' ~ '^\B$', ' ' ~ '(?x)\ ', '#' ~ '(?x)\#';
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------+----------+----------+----------+----------+----------
--|  t        | t        | t        | t        | t        | t        | t        | t        | t        | t        | t        | t
--| (1 row)
select 'a' ~ '\u61';
--| ERROR:  2201B: invalid regular expression: invalid escape \ sequence
select 'a' ~ '\U0061';
--| ERROR:  2201B: invalid regular expression: invalid escape \ sequence
select 'a' ~ '\x';
--| ERROR:  2201B: invalid regular expression: invalid escape \ sequence
select E'\n' ~ '[\012]', 'a' ~ '[\u0061]', 'b' ~ '[\x61-\x63]', E'\\' ~ '[\B]', E'\x07' ~ '[\a]', 'é' ~ '[\u00e9]';
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------
--|  t        | t        | t        | t        | t        | t
--| (1 row)
select 'a' ~ '\q';
--| ERROR:  2201B: invalid regular expression: invalid escape \ sequence
select 'a' ~ '[\q]';
--| ERROR:  2201B: invalid regular expression: invalid escape \ sequence
-- refused
select 'a' ~ 'a**';
--| ERROR:  2201B: invalid regular expression: quantifier operand invalid
select 'a' ~ 'a+*';
--| ERROR:  2201B: invalid regular expression: quantifier operand invalid
select 'a' ~ 'a{256}';
--| ERROR:  2201B: invalid regular expression: invalid repetition count(s)
select 'a' ~ '^*';
--| ERROR:  2201B: invalid regular expression: quantifier operand invalid
select 'a' ~ 'a{2}{3}';
--| ERROR:  2201B: invalid regular expression: quantifier operand invalid
select 'a' ~ '{2}';
--| ERROR:  2201B: invalid regular expression: quantifier operand invalid
select 'a' ~ '(?=a)*';
--| ERROR:  2201B: invalid regular expression: quantifier operand invalid
select 'a' ~ '\m+';
--| ERROR:  2201B: invalid regular expression: quantifier operand invalid
select 'a' ~ '(';
--| ERROR:  2201B: invalid regular expression: parentheses () not balanced
select 'a' ~ ')';
--| ERROR:  2201B: invalid regular expression: parentheses () not balanced
select 'a' ~ 'a{2';
--| ERROR:  2201B: invalid regular expression: braces {} not balanced
select 'a' ~ 'a{3,2}';
--| ERROR:  2201B: invalid regular expression: invalid repetition count(s)
select 'a' ~ '[a';
--| ERROR:  2201B: invalid regular expression: brackets [] not balanced
select 'a' ~ '[z-a]';
--| ERROR:  2201B: invalid regular expression: invalid character range
select 'a' ~ '[[:foo:]]';
--| ERROR:  2201B: invalid regular expression: invalid character class
select 'a' ~ '*a';
--| ERROR:  2201B: invalid regular expression: quantifier operand invalid
select 'a' ~ '***a';
--| ERROR:  2201B: invalid regular expression: quantifier operand invalid
select 'a' ~ '(?<a>b)';
--| ERROR:  2201B: invalid regular expression: quantifier operand invalid
select 'a' ~ 'a\';
--| ERROR:  2201B: invalid regular expression: invalid escape \ sequence
select 'a{x' ~ '^a{x$', 'a{' ~ 'a{', 'a}' ~ 'a}', 'a]' ~ 'a]';
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | t        | t        | t
--| (1 row)
select '' ~ '()', 'a' ~ 'a||b', 'a' ~ '(|a)$', 'aa' ~ '^(?:a){2}$';
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | t        | t        | t
--| (1 row)
-- comments
select regexp_match('ab', E'a  # comment [ ( \n b', 'x'), regexp_match('ab', 'a(?#a comment)b'), regexp_match('aab', 'a(?# any [ )+b'), regexp_match('ab', 'a (?# c ) b', 'x'), regexp_match('aa', 'a {2}', 'x');
--|  regexp_match | regexp_match | regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------+--------------+--------------
--|  {ab}         | {ab}         | {aab}        | {ab}         | {aa}
--| (1 row)
select regexp_match('aab', '(?:(?=a))*a'), regexp_match('abcabc', '(a)(b)(c)\1\2'), regexp_match('aa', '(a)\1'), regexp_match(E'a\n', '(a)\12');
--|  regexp_match | regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------+--------------
--|  {a}          | {a,b,c}      | {a}          | {a}
--| (1 row)
select regexp_match('a', '(a){0}');
--|  regexp_match
--| --------------
--|  {NULL}
--| (1 row)
select regexp_match('foo', 'o*?$'), regexp_match('fooo', 'fo{1,2}?'), regexp_match('fooo', 'fo{2}?'), regexp_match('fooo', '(fo{2}?)(o*)');
--|  regexp_match | regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------+--------------
--|  {oo}         | {fo}         | {foo}        | {foo,o}
--| (1 row)
select 'ab' similar to '(a|ab)(b|)' , 'abc' similar to 'a_c', 'abc' similar to '%(b|d)%';
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  t        | t        | t
--| (1 row)
-- not to be had
select regexp_replace('a', 'a', 'x', 'y');
--| ERROR:  22023: invalid regular expression option: "y"
select regexp_replace('a', 'a', 'x', 'b');
--| ERROR:  0A000: basic regular expressions (option "b") are not supported
select 'a' ~ '(?e)a';
--| ERROR:  0A000: extended regular expressions (option "e") are not supported
select regexp_match('b', '(b??)??c?'), regexp_match('b', '(a*?)*'), regexp_match('b', '(a?)*?'), regexp_match('a', '(\yc*?)*[^b]');
--|  regexp_match | regexp_match | regexp_match | regexp_match
--| --------------+--------------+--------------+--------------
--|  {NULL}       | {NULL}       | {""}         | {NULL}
--| (1 row)
select regexp_match('b', '(b?){0,2}'), regexp_match('ba', 'b((a?)+)+'), regexp_match('b', '(a*)*'), length((regexp_match(repeat('a', 20000) || 'b', '(a|aa)*(b)'))[1]);
--|  regexp_match | regexp_match | regexp_match | length
--| --------------+--------------+--------------+--------
--|  {b}          | {"",""}      | {""}         |      2
--| (1 row)
