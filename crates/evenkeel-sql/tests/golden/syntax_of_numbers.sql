-- What stands right behind a number or a parameter is no name.
select 123abc;
--| ERROR:  42601: trailing junk after numeric literal at or near "123abc"
select 0x;
--| ERROR:  42601: invalid hexadecimal integer at or near "0x"
select 1x;
--| ERROR:  42601: trailing junk after numeric literal at or near "1x"
select 0x0o;
--| ERROR:  42601: trailing junk after numeric literal at or near "0x0o"
select 0o;
--| ERROR:  42601: invalid octal integer at or near "0o"
select 0b;
--| ERROR:  42601: invalid binary integer at or near "0b"
select 0b2;
--| ERROR:  42601: trailing junk after numeric literal at or near "0b2"
select 0o8;
--| ERROR:  42601: trailing junk after numeric literal at or near "0o8"
select 0xg;
--| ERROR:  42601: trailing junk after numeric literal at or near "0xg"
select 1_000_;
--| ERROR:  42601: trailing junk after numeric literal at or near "1_000_"
select 1__000;
--| ERROR:  42601: trailing junk after numeric literal at or near "1__000"
select _1_000;
--| ERROR:  42703: column "_1_000" does not exist
select 1_000.5_1;
--|  ?column?
--| ----------
--|   1000.51
--| (1 row)
select 1_000._5;
--| ERROR:  42601: trailing junk after numeric literal at or near "1_000._5"
select 1_000.5_;
--| ERROR:  42601: trailing junk after numeric literal at or near "1_000.5_"
select 1_000.5e1_;
--| ERROR:  42601: trailing junk after numeric literal at or near "1_000.5e1_"
select 1_000.5e_1;
--| ERROR:  42601: trailing junk after numeric literal at or near "1_000.5e_1"
select 1_;
--| ERROR:  42601: trailing junk after numeric literal at or near "1_"
select 0x_;
--| ERROR:  42601: invalid hexadecimal integer at or near "0x_"
select 0x_1;
--|  ?column?
--| ----------
--|         1
--| (1 row)
select 0b_1, 0o_7;
--|  ?column? | ?column?
--| ----------+----------
--|         1 |        7
--| (1 row)
select 0x1_;
--| ERROR:  42601: trailing junk after numeric literal at or near "0x1_"
select 100_e1;
--| ERROR:  42601: trailing junk after numeric literal at or near "100_e1"
select 123.abc;
--| ERROR:  42601: trailing junk after numeric literal at or near "123.abc"
select 0.a;
--| ERROR:  42601: trailing junk after numeric literal at or near "0.a"
select 0.0a;
--| ERROR:  42601: trailing junk after numeric literal at or near "0.0a"
select .0a;
--| ERROR:  42601: trailing junk after numeric literal at or near ".0a"
select .5e;
--| ERROR:  42601: trailing junk after numeric literal at or near ".5e"
select 0.0e1a;
--| ERROR:  42601: trailing junk after numeric literal at or near "0.0e1a"
select 0.0e;
--| ERROR:  42601: trailing junk after numeric literal at or near "0.0e"
select 0.0e+;
--| ERROR:  42601: trailing junk after numeric literal at or near "0.0e+"
select 0.0e+a;
--| ERROR:  42601: trailing junk after numeric literal at or near "0.0e+"
select 1e5x;
--| ERROR:  42601: trailing junk after numeric literal at or near "1e5x"
select 1ex;
--| ERROR:  42601: trailing junk after numeric literal at or near "1ex"
prepare p1 as select $1a;
--| ERROR:  42601: trailing junk after parameter at or near "$1a"
prepare p2 as select $1;
--| PREPARE
prepare p3 as select $0;
--| ERROR:  42P02: there is no parameter $0
prepare p3b as select $2147483648;
--| ERROR:  42601: parameter number too large at or near "$2147483648"
select 1 as a;
--|  a
--| ---
--|  1
--| (1 row)
select 1a;
--| ERROR:  42601: trailing junk after numeric literal at or near "1a"
select 1 where 1=1and true;
--| ERROR:  42601: trailing junk after numeric literal at or near "1and"
select 1from ins;
--| ERROR:  42601: trailing junk after numeric literal at or near "1from"
select 1.5 as x, 1.5.5;
--| ERROR:  42601: syntax error at or near ".5"
select 1.;
--|  ?column?
--| ----------
--|         1
--| (1 row)
select 1.e5, 1.e-5, .5e1;
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|    100000 |  0.00001 |        5
--| (1 row)
select 0x1F, 0b11, 0o17, 1_000, 0xFF_FF, 1_0.0_1e1_0;
--|  ?column? | ?column? | ?column? | ?column? | ?column? |   ?column?
--| ----------+----------+----------+----------+----------+--------------
--|        31 |        3 |       15 |     1000 |    65535 | 100100000000
--| (1 row)
select 99999999999999999999;
--|        ?column?
--| ----------------------
--|  99999999999999999999
--| (1 row)
select 0x7fffffffffffffffffff;
--|          ?column?
--| --------------------------
--|  604462909807314587353087
--| (1 row)
select 1 2;
--| ERROR:  42601: syntax error at or near "2"
select 'a' 'b';
--| ERROR:  42601: syntax error at or near "'b'"
select a1.5;
--| ERROR:  42601: syntax error at or near ".5"
select '{1,2}'::int[], 5x5;
--| ERROR:  42601: trailing junk after numeric literal at or near "5x5"
select $1;
--| ERROR:  42P02: there is no parameter $1
select 12 34 as x;
--| ERROR:  42601: syntax error at or near "34"
select 0xabcdefghi as y;
--| ERROR:  42601: trailing junk after numeric literal at or near "0xabcdefghi"
create table 1abc(a int);
--| ERROR:  42601: trailing junk after numeric literal at or near "1abc"
select 1 where true and 1=1or false;
--| ERROR:  42601: trailing junk after numeric literal at or near "1or"
select -1e, +0b;
--| ERROR:  42601: trailing junk after numeric literal at or near "1e"
create table numbers(a int default 0x1F, b text default 'x');
--| CREATE TABLE
insert into numbers values (0x10), (0b1);
--| INSERT 0 2
insert into numbers values (1, 'y'), (2);
--| ERROR:  42601: VALUES lists must all be the same length
insert into numbers values (1), (2, 'y');
--| ERROR:  42601: VALUES lists must all be the same length
insert into numbers (a, b) values (1, default), (2);
--| ERROR:  42601: VALUES lists must all be the same length
select * from numbers where a = 0o20 or a = 1_6;
--|  a  | b
--| ----+---
--|  16 | x
--| (1 row)
drop table numbers;
--| DROP TABLE
