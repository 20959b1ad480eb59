-- standard_conforming_strings = off: backslashes in strings are escapes, as clients that see the setting write them.

set standard_conforming_strings = off;
--| SET
select '\\x27'::bytea, 'a\\b', 'a\'b', '\x41', E'\\x', 'a\nb' as "line";
--| WARNING:  nonstandard use of \\ in a string literal
--| WARNING:  nonstandard use of \\ in a string literal
--| WARNING:  nonstandard use of \' in a string literal
--| WARNING:  nonstandard use of escape in a string literal
--| WARNING:  nonstandard use of escape in a string literal
--|  bytea | ?column? | ?column? | ?column? | ?column? | line
--| -------+----------+----------+----------+----------+------
--|  \x27  | a\b      | a'b      | A        | \x       | a   +
--|        |          |          |          |          | b
--| (1 row)
create table nc (id int, p bytea, t text default 'a\\b' check (t <> '\\'));
--| WARNING:  nonstandard use of \\ in a string literal
--| WARNING:  nonstandard use of \\ in a string literal
--| CREATE TABLE
insert into nc values (1, '\\x271f5c', 'c\\d');
--| WARNING:  nonstandard use of \\ in a string literal
--| WARNING:  nonstandard use of \\ in a string literal
--| INSERT 0 1
insert into nc (id) values (2);
--| INSERT 0 1
select * from nc where p = '\\x271f5c' or t = 'a\\b' order by id;
--| WARNING:  nonstandard use of \\ in a string literal
--| WARNING:  nonstandard use of \\ in a string literal
--|  id |    p     |  t
--| ----+----------+-----
--|   1 | \x271f5c | c\d
--|   2 |          | a\b
--| (2 rows)
select U&'\0041';
--| ERROR:  0A000: unsafe use of string constant with Unicode escapes
--| DETAIL:  String constants with Unicode escapes cannot be used when "standard_conforming_strings" is off.
select $$a\\b$$, b'01', x'1f', "t" from nc where t = 'a'
  '\\b';
--| WARNING:  nonstandard use of \\ in a string literal
--|  ?column? | ?column? | ?column? |  t
--| ----------+----------+----------+-----
--|  a\\b     | 01       | 00011111 | a\b
--| (1 row)
set escape_string_warning = off;
--| SET
prepare nc_p as select 'a\\b';
--| PREPARE
execute nc_p;
--|  ?column?
--| ----------
--|  a\b
--| (1 row)
select 'open\\';
--|  ?column?
--| ----------
--|  open\
--| (1 row)
select 'a\';
--| ERROR:  42601: unterminated quoted string at or near "E'a\';"
';
--| ERROR:  42601: unterminated quoted string at or near "';"
set standard_conforming_strings = on;
--| SET
execute nc_p;
--|  ?column?
--| ----------
--|  a\b
--| (1 row)
select 'a\\b', t from nc order by id;
--|  ?column? |  t
--| ----------+-----
--|  a\\b     | c\d
--|  a\\b     | a\b
--| (2 rows)
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'nc'::regclass;
--|  pg_get_expr
--| -------------
--|  'a\b'::text
--| (1 row)
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
drop table nc;
--| DROP TABLE
deallocate nc_p;
--| DEALLOCATE
