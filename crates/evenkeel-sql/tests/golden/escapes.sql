-- Unicode escapes in strings and names, UESCAPE, and what is wrong in E strings.
SELECT U&'d\0061t\+000061' AS U&"d\0061t\+000061";
--|  data
--| ------
--|  data
--| (1 row)
SELECT U&'d!0061t\+000061' UESCAPE '!' AS U&"d*0061t\+000061" UESCAPE '*';
--|  dat\+000061
--| -------------
--|  dat\+000061
--| (1 row)
SELECT U&'a\\b' AS "a\b";
--|  a\b
--| -----
--|  a\b
--| (1 row)
SELECT U&' \' UESCAPE '!' AS "tricky";
--|  tricky
--| --------
--|   \
--| (1 row)
SELECT 'tricky' AS U&"\" UESCAPE '!';
--|    \
--| --------
--|  tricky
--| (1 row)
SELECT U&'wrong: \061';
--| ERROR:  42601: invalid Unicode escape
--| HINT:  Unicode escapes must be \XXXX or \+XXXXXX.
SELECT U&'wrong: \+0061';
--| ERROR:  42601: invalid Unicode escape
--| HINT:  Unicode escapes must be \XXXX or \+XXXXXX.
SELECT U&'wrong: +0061' UESCAPE +;
--| ERROR:  42601: UESCAPE must be followed by a simple string literal at or near "+"
SELECT U&'wrong: +0061' UESCAPE '+';
--| ERROR:  42601: invalid Unicode escape character at or near "'+'"
SELECT U&'wrong: \db99';
--| ERROR:  42601: invalid Unicode surrogate pair
SELECT U&'wrong: \db99xy';
--| ERROR:  42601: invalid Unicode surrogate pair
SELECT U&'wrong: \db99\\';
--| ERROR:  42601: invalid Unicode surrogate pair
SELECT U&'wrong: \db99\0061';
--| ERROR:  42601: invalid Unicode surrogate pair
SELECT U&'wrong: \+00db99\+000061';
--| ERROR:  42601: invalid Unicode surrogate pair
SELECT U&'wrong: \+2FFFFF';
--| ERROR:  42601: invalid Unicode escape value
SELECT U&'\d83d\de00', U&'\+01F600', U&'a''b';
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  😀        | 😀        | a'b
--| (1 row)
SELECT E'd\u0061t\U00000061' AS "d\u0061t\U00000061";
--|  d\u0061t\U00000061
--| --------------------
--|  data
--| (1 row)
SELECT E'a\\b' AS "a\b";
--|  a\b
--| -----
--|  a\b
--| (1 row)
SELECT E'wrong: \u061';
--| ERROR:  22025: invalid Unicode escape
--| HINT:  Unicode escapes must be \uXXXX or \UXXXXXXXX.
SELECT E'wrong: \U0061';
--| ERROR:  22025: invalid Unicode escape
--| HINT:  Unicode escapes must be \uXXXX or \UXXXXXXXX.
SELECT E'wrong: \udb99';
--| ERROR:  42601: invalid Unicode surrogate pair at or near "'"
SELECT E'wrong: \udb99xy';
--| ERROR:  42601: invalid Unicode surrogate pair at or near "x"
SELECT E'wrong: \udb99\\';
--| ERROR:  42601: invalid Unicode surrogate pair at or near "\"
SELECT E'wrong: \udb99\u0061';
--| ERROR:  42601: invalid Unicode surrogate pair at or near "\u0061"
SELECT E'wrong: \U0000db99\U00000061';
--| ERROR:  42601: invalid Unicode surrogate pair at or near "\U00000061"
SELECT E'wrong: \U002FFFFF';
--| ERROR:  42601: invalid Unicode escape value at or near "\U002FFFFF"
SELECT E'\d83d', E'\ud83d\ude00', E'\x41\101\b\f\n\r\t\'\"';
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  d83d     | 😀        | AA    +
--|           |          | 	'"
--| (1 row)
select E'\x', E'\xg', E'\8', E'a\
b';
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  x        | xg       | 8        | a       +
--|           |          |          | b
--| (1 row)
select E'\xff';
--| ERROR:  22021: invalid byte sequence for encoding "UTF8": 0xff
select E'\000';
--| ERROR:  22021: invalid byte sequence for encoding "UTF8": 0x00
select E'a' 
 'b\n';
--|  ?column?
--| ----------
--|  ab      +
--|
--| (1 row)
SELECT U&'foo' 
 '\0061';
--|  ?column?
--| ----------
--|  fooa
--| (1 row)
create table U&"t\0061b"(U&"c\00e9" int);
--| CREATE TABLE
select * from U&"t\0061b";
--|  cé
--| ----
--| (0 rows)
select U&"c!00e9" uescape '!' from tab;
--|  cé
--| ----
--| (0 rows)
drop table tab;
--| DROP TABLE
select U&"";
--| ERROR:  42601: zero-length delimited identifier at or near "U&"""
select U&'\0000';
--| ERROR:  42601: invalid Unicode escape value
select U&'a' UESCAPE 'ab';
--| ERROR:  42601: invalid Unicode escape character at or near "'ab'"
select U&'a' UESCAPE '''';
--| ERROR:  42601: invalid Unicode escape character at or near "''''"
select U&'a' UESCAPE;
--| ERROR:  42601: UESCAPE must be followed by a simple string literal at or near ";"
select U&'x' 'y';
--| ERROR:  42601: syntax error at or near "'y'"
select uescape from (select 1 as uescape) x;
--|  uescape
--| ---------
--|        1
--| (1 row)
select u&5 from (select 7 as u) x;
--|  ?column?
--| ----------
--|         5
--| (1 row)
select 'a' uescape '!';
--| ERROR:  42601: syntax error at or near "'!'"
