-- Backslashes in plain strings, where they are asked for.
set standard_conforming_strings = off;
--| SET
set escape_string_warning = off;
--| SET
select 'a\\bcd' as f1, 'a\\b\'cd' as f2, 'a\\b\'''cd' as f3, 'abcd\\'   as f4, 'ab\\\'cd' as f5, '\\\\' as f6;
--|   f1   |   f2   |   f3    |  f4   |   f5   | f6
--| -------+--------+---------+-------+--------+----
--|  a\bcd | a\b'cd | a\b''cd | abcd\ | ab\'cd | \\
--| (1 row)
select E'x\ty', 'x\ty', $$x\ty$$, b'101', "f\" from (select 1 as "f\") t; -- it's
select U&'d\0061t';
--| ERROR:  0A000: unsafe use of string constant with Unicode escapes
--| DETAIL:  String constants with Unicode escapes cannot be used when "standard_conforming_strings" is off.
select u&"d\0061t" from (select 2 as dat) t;
--|  dat
--| -----
--|    2
--| (1 row)
prepare p as select '\'' /* it's \' */ as q;
--| PREPARE
execute p;
--|  q
--| ---
--|  '
--| (1 row)
set standard_conforming_strings = on;
--| SET
select 'a\\b', 'c\';
--|  ?column? | ?column?
--| ----------+----------
--|  a\\b     | c\
--| (1 row)
execute p;
--|  q
--| ---
--|  '
--| (1 row)
reset standard_conforming_strings;
--| RESET
-- A setting of one's own that was there stays, with nothing.
set my.own = 'x';
--| SET
reset my.own;
--| RESET
show my.own;
--|  my.own
--| --------
--|
--| (1 row)
set datestyle to 'asd';
--| ERROR:  22023: invalid value for parameter "DateStyle": "asd"
--| DETAIL:  Unrecognized key word: "asd".
