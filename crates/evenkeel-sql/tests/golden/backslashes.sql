-- standard_conforming_strings = off: backslashes are escapes in strings without E, too, as clients rely on that were told so.
create table t (a text, b text default 'x\\y');
--| CREATE TABLE
set standard_conforming_strings = off;
--| SET
show standard_conforming_strings;
--|  standard_conforming_strings
--| -----------------------------
--|  off
--| (1 row)
select 'a\\b', 'a\tb', '\x41', E'a\\b', 'it\'s', '\101', $$a\\b$$ as "x\\y";
--| WARNING:  nonstandard use of \\ in a string literal
--| WARNING:  nonstandard use of escape in a string literal
--| WARNING:  nonstandard use of escape in a string literal
--| WARNING:  nonstandard use of \' in a string literal
--| WARNING:  nonstandard use of escape in a string literal
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | x\\y
--| ----------+----------+----------+----------+----------+----------+------
--|  a\b      | a	b      | A        | a\b      | it's     | A        | a\\b
--| (1 row)
select'a\\b', 'c' 'd';
--| WARNING:  nonstandard use of \\ in a string literal
--| ERROR:  42601: syntax error at or near "'d'"
select 'a'
  'b\\c';
--| WARNING:  nonstandard use of \\ in a string literal
--|  ?column?
--| ----------
--|  ab\c
--| (1 row)
select '\\x424242'::bytea, b'1', x'1f';
--| WARNING:  nonstandard use of \\ in a string literal
--|   bytea   | ?column? | ?column?
--| ----------+----------+----------
--|  \x424242 | 1        | 00011111
--| (1 row)
insert into t values ('a\\b');
--| WARNING:  nonstandard use of \\ in a string literal
--| INSERT 0 1
create table u (a text default 'x\\y' check (a <> '\\'));
--| WARNING:  nonstandard use of \\ in a string literal
--| WARNING:  nonstandard use of \\ in a string literal
--| CREATE TABLE
create view v as select 'v\\' as a;
--| WARNING:  nonstandard use of \\ in a string literal
--| CREATE VIEW
prepare p as select 'p\\' as a, a as b from t where a = 'a\\b';
--| WARNING:  nonstandard use of \\ in a string literal
--| WARNING:  nonstandard use of \\ in a string literal
--| PREPARE
select U&'\0041';
--| ERROR:  0A000: unsafe use of string constant with Unicode escapes
--| DETAIL:  String constants with Unicode escapes cannot be used when "standard_conforming_strings" is off.
select 1 as U&"\0041";
--|  A
--| ---
--|  1
--| (1 row)
select 'never closed\';
--| WARNING:  nonstandard use of \' in a string literal
--| ERROR:  42601: unterminated quoted string at or near "E'never closed\';"
set escape_string_warning = off;
--| SET
select 'a\\b', 'it\'s';
--|  ?column? | ?column?
--| ----------+----------
--|  a\b      | it's
--| (1 row)
set standard_conforming_strings = on;
--| SET
select 'a\\b', 'a\tb';
--|  ?column? | ?column?
--| ----------+----------
--|  a\\b     | a\tb
--| (1 row)
insert into t values ('a\\b');
--| INSERT 0 1
insert into u values (default), ('\\');
--| INSERT 0 2
table t;
--|   a   |  b
--| ------+------
--|  a\b  | x\\y
--|  a\\b | x\\y
--| (2 rows)
table u;
--|   a
--| -----
--|  x\y
--|  \\
--| (2 rows)
table v;
--|  a
--| ----
--|  v\
--| (1 row)
execute p;
--|  a  |  b
--| ----+-----
--|  p\ | a\b
--| (1 row)
insert into u values ('\');
--| ERROR:  23514: new row for relation "u" violates check constraint "u_a_check"
--| DETAIL:  Failing row contains (\).
begin;
--| BEGIN
set local standard_conforming_strings = off;
--| SET
select 'a\\b';
--|  ?column?
--| ----------
--|  a\b
--| (1 row)
rollback;
--| ROLLBACK
select 'a\\b';
--|  ?column?
--| ----------
--|  a\\b
--| (1 row)
-- Wherever a string stands.
select interval E'1\x20day', interval U&'1\0020day', date E'2020\x2d01-01';
--|  interval | interval |    date
--| ----------+----------+------------
--|  1 day    | 1 day    | 2020-01-01
--| (1 row)
set standard_conforming_strings = off;
--| SET
create table h (a text, b text);
--| CREATE TABLE
insert into h values ('x\\y', 'it\'s');
--| INSERT 0 1
copy h to stdout with (delimiter '\x7c');
--| x\\y|it's
comment on table h is 'it\'s \\ here';
--| COMMENT
select obj_description('h'::regclass);
--|  obj_description
--| -----------------
--|  it's \ here
--| (1 row)
set application_name = 'a\'b';
--| SET
show application_name;
--|  application_name
--| ------------------
--|  a'b
--| (1 row)
select 'a_b' like 'a\\_b', 'a\\b' like 'a\\\\b' escape '\\', date '2020\x2d01-01', interval '1\x20day';
--|  ?column? | ?column? |    date    | interval
--| ----------+----------+------------+----------
--|  t        | t        | 2020-01-01 | 1 day
--| (1 row)
create type h_t as enum ('a\\b', 'it\'s');
--| CREATE TYPE
select 'a\\b'::h_t;
--|  h_t
--| -----
--|  a\b
--| (1 row)
create view hv as select * from h where a like '%\\\\%';
--| CREATE VIEW
select * from hv;
--|   a  |  b
--| -----+------
--|  x\y | it's
--| (1 row)
