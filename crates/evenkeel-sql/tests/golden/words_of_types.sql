-- Words that name types are no functions unless they are quoted or qualified.
select timestamp(date '2020-01-01', time '10:00');
--| ERROR:  42601: syntax error at or near "date"
select "timestamp"(date '2020-01-01', time '10:00');
--|       timestamp
--| ---------------------
--|  2020-01-01 10:00:00
--| (1 row)
select bigint(5);
--| ERROR:  42601: syntax error at or near "("
select int(5);
--| ERROR:  42601: syntax error at or near "("
select char('a');
--| ERROR:  42601: syntax error at or near "'a'"
select numeric(5);
--| ERROR:  42601: syntax error at or near ";"
select varchar('a');
--| ERROR:  42601: syntax error at or near "'a'"
select real(5);
--| ERROR:  42601: syntax error at or near "("
select time(timestamp '2020-01-01');
--| ERROR:  42601: syntax error at or near "timestamp"
select "time"(timestamp '2020-01-01');
--|    time
--| ----------
--|  00:00:00
--| (1 row)
select interval(time '10:00');
--| ERROR:  42601: syntax error at or near "time"
select boolean(1);
--| ERROR:  42601: syntax error at or near "("
select bit(5);
--| ERROR:  42601: syntax error at or near ";"
select float(5);
--| ERROR:  42601: syntax error at or near ";"
select dec(5);
--| ERROR:  42601: syntax error at or near ";"
select precision(5);
--| ERROR:  42601: syntax error at or near "("
select setof(5);
--| ERROR:  42601: syntax error at or near "("
select none(5);
--| ERROR:  42601: syntax error at or near "("
select pg_catalog.timestamp(date '2020-01-01', time '10:00');
--|       timestamp
--| ---------------------
--|  2020-01-01 10:00:00
--| (1 row)
select pg_catalog.int4(5.5);
--|  int4
--| ------
--|     6
--| (1 row)
select timestamp(3) '2020-01-01';
--|       timestamp
--| ---------------------
--|  2020-01-01 00:00:00
--| (1 row)
select numeric(5,2) '1.234';
--|  numeric
--| ---------
--|     1.23
--| (1 row)
select time(3) with time zone '10:00:00.1234+02', timestamp(0) without time zone '2020-01-01 10:00:00.6', bit(3) '101', char(3) 'ab', varchar(2) 'abc', float(5) '1.5', interval(0) '1.6 s', dec(4, 1) '12.34';
--|      timetz      |      timestamp      | bit | bpchar | varchar | float4 | interval | numeric
--| -----------------+---------------------+-----+--------+---------+--------+----------+---------
--|  10:00:00.123+02 | 2020-01-01 10:00:01 | 101 | ab     | ab      |    1.5 | 00:00:02 |    12.3
--| (1 row)
select timestamp ('2020-01-01');
--| ERROR:  42601: syntax error at or near "'2020-01-01'"
create table wt (a numeric(4, 1) default numeric(4, 1) '1.25', b char(3), c timestamp(0), check (a < numeric(4, 1) '100.0'));
--| CREATE TABLE
select cast('1.25' as numeric(3, 1)), '12:00'::time(0), cast('a' as char(2)) || 'b';
--|  numeric |   time   | ?column?
--| ---------+----------+----------
--|      1.3 | 12:00:00 | ab
--| (1 row)
drop table wt;
--| DROP TABLE
