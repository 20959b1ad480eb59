-- parse_ident, normal forms of Unicode, and the brackets of SIMILAR TO.

create table t1 (a int, b text);
--| CREATE TABLE
create table t2 (a int, c text);
--| CREATE TABLE
insert into t1 values (1, 'x'), (2, 'y');
--| INSERT 0 2
select parse_ident('foo.boo[]');
--| ERROR:  22023: string is not a valid identifier: "foo.boo[]"
select parse_ident('foo.boo[]', strict => false), parse_ident('"A""b" . c$1 .ÄÖ');
--|  parse_ident |   parse_ident
--| -------------+-----------------
--|  {foo,boo}   | {"A\"b",c$1,ÄÖ}
--| (1 row)
select parse_ident(' .aaa');
--| ERROR:  22023: string is not a valid identifier: " .aaa"
--| DETAIL:  No valid identifier before ".".
select parse_ident('aaa . ');
--| ERROR:  22023: string is not a valid identifier: "aaa . "
--| DETAIL:  No valid identifier after ".".
select parse_ident('a.""');
--| ERROR:  22023: string is not a valid identifier: "a."""
--| DETAIL:  Quoted identifier must not be empty.
select parse_ident('a."b');
--| ERROR:  22023: string is not a valid identifier: "a."b"
--| DETAIL:  String has unclosed double quotes.
select parse_ident('1020');
--| ERROR:  22023: string is not a valid identifier: "1020"
select parse_ident('');
--| ERROR:  22023: string is not a valid identifier: ""
select normalize(U&'\0061\0308\24D1c') = U&'\00E4\24D1c', normalize(U&'\00E4bc', NFD) = U&'\0061\0308bc', normalize(U&'\24D1', NFKC), normalize('ﬁ', nfkd), normalize(null, NFC);
--|  ?column? | ?column? | normalize | normalize | normalize
--| ----------+----------+-----------+-----------+-----------
--|  t        | t        | b         | fi        |
--| (1 row)
select normalize('a', 'def');
--| ERROR:  22023: invalid normalization form: def
select "normalize"('abc', 'def');
--| ERROR:  22023: invalid normalization form: def
select "normalize"('abc', 'nfc'), is_normalized('ä', 'NFD');
--|  normalize | is_normalized
--| -----------+---------------
--|  abc       | f
--| (1 row)
select U&'\0061\0308' is normalized, U&'\0061\0308' is nfd normalized, 'ä' is not nfd normalized, 'a' is nfkc normalized, null is normalized;
--|  is_normalized | is_normalized | ?column? | is_normalized | is_normalized
--| ---------------+---------------+----------+---------------+---------------
--|  f             | t             | t        | t             |
--| (1 row)
create view v5 as select normalize(b, NFD) as n, normalize(b) m, b is nfkc normalized, b is not normalized as nn from t1;
--| CREATE VIEW
select pg_get_viewdef('v5'); select * from v5;
--|                 pg_get_viewdef
--| ----------------------------------------------
--|   SELECT NORMALIZE(b, NFD) AS n,             +
--|      NORMALIZE(b) AS m,                      +
--|      (b IS NFKC NORMALIZED) AS is_normalized,+
--|      (NOT (b IS NORMALIZED)) AS nn           +
--|     FROM t1;
--| (1 row)
--|  n | m | is_normalized | nn
--| ---+---+---------------+----
--|  x | x | t             | f
--|  y | y | t             | f
--| (2 rows)
select '%' similar to '[%]', 'x' similar to '[%]', ']' similar to '[]%]', 'a' similar to '[[:alpha:]%]', '%' similar to '[[:alpha:]%]', '_' similar to '[^[:alpha:]_]', '$' similar to '[$[:digit:]$]', 'a(' similar to 'a[(]', 'ab' similar to '_[^^]' , '^' similar to '[^^]';
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------+----------+----------+----------
--|  t        | f        | t        | t        | t        | f        | t        | t        | t        | f
--| (1 row)
select substring('abcdefg' similar 'a#"(b_d)#"%' escape '#'), substring('abcdefg' similar 'a#"%#"g*#"x' escape '#');
--| ERROR:  2200C: SQL regular expression may not contain more than two escape-double-quote separators
select similar_to_escape('a#"b#"c', '#'), similar_to_escape('a#"b', '#'), similar_to_escape('[^]%]%', ''), 'abc' similar to 'a#"b#"c' escape '#';
--|      similar_to_escape      | similar_to_escape | similar_to_escape | ?column?
--| ----------------------------+-------------------+-------------------+----------
--|  ^(?:a){1,1}?(b){1,1}(?:c)$ | ^(?:a){1,1}?(b)$  | ^(?:[^]%].*)$     | t
--| (1 row)

-- casefold, convert and lengths by an encoding
select casefold('STRASSE'), casefold('A' collate "C"), casefold('ẞΣς' collate "und-x-icu"), casefold('Iİ' collate "tr-x-icu"), casefold(null);
--|  casefold | casefold | casefold | casefold | casefold
--| ----------+----------+----------+----------+----------
--|  strasse  | a        | ssσσ     | ıi       |
--| (1 row)
select convert('\xe4'::bytea, 'latin1', 'utf8'), convert('\xc3a4'::bytea, 'utf8', 'latin1'), length('\xc3a4'::bytea, 'utf8'), length('\xc3a4'::bytea, 'latin1'), length('\x'::bytea, 'utf8');
--|  convert | convert | length | length | length
--| ---------+---------+--------+--------+--------
--|  \xc3a4  | \xe4    |      1 |      2 |      0
--| (1 row)
select convert('\xe4'::bytea, 'nope', 'utf8');
--| ERROR:  22023: invalid source encoding name "nope"
select convert('\xe4'::bytea, 'utf8', 'nope');
--| ERROR:  22023: invalid destination encoding name "nope"
select convert('\xe4'::bytea, 'utf8', 'utf8');
--| ERROR:  22021: invalid byte sequence for encoding "UTF8": 0xe4
select convert('\xe282ac'::bytea, 'utf8', 'latin1');
--| ERROR:  22P05: character with byte sequence 0xe2 0x82 0xac in encoding "UTF8" has no equivalent in encoding "LATIN1"
select length('\xe4'::bytea, 'utf8');
--| ERROR:  22021: invalid byte sequence for encoding "UTF8": 0xe4
select length('\xe4'::bytea, 'nope');
--| ERROR:  22023: invalid encoding name "nope"
