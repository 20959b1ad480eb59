-- Values and types in small: seconds of date_part, columns of VALUES that have no type, calls of the grammar's functions without arguments.

select date_part('second', interval '12:34:56.789123'), date_part('second', timestamp '2000-01-01 12:34:56.789123'), date_part('second', time '12:34:56.789123'), date_part('seconds', timestamptz '2000-01-01 12:34:56.7 UTC');
--|      date_part      |     date_part      |     date_part      | date_part
--| --------------------+--------------------+--------------------+-----------
--|  56.789123000000004 | 56.789123000000004 | 56.789123000000004 |      56.7
--| (1 row)
select date_part('millisecond', interval '12:34:56.789123'), date_part('ms', timestamp '2000-01-01 12:34:56.789123'), date_part('second', interval '-1.5'), date_part('milliseconds', interval '-0:0:1.123456'), date_part('microseconds', interval '1.5');
--|  date_part | date_part | date_part | date_part | date_part
--| -----------+-----------+-----------+-----------+-----------
--|  56789.123 | 56789.123 |      -1.5 | -1123.456 |   1500000
--| (1 row)
select date_part('second', date '2000-01-01'), date_part('second', timestamp 'infinity'), date_part('epoch', timestamp '2000-01-01 12:34:56.789123');
--|  date_part | date_part |    date_part
--| -----------+-----------+------------------
--|          0 |           | 946730096.789123
--| (1 row)
select extract(second from interval '12:34:56.789123');
--|   extract
--| -----------
--|  56.789123
--| (1 row)
create table few (i int, v varchar(40), d date);
--| CREATE TABLE
select pg_typeof(column2) from (values (1, 'hello') union all select i, v from few) q;
--|  pg_typeof
--| -----------
--|  text
--| (1 row)
select pg_typeof(column1) from (values (null), (null) union select d from few) q;
--| ERROR:  42804: UNION types text and date cannot be matched
select * from (values ('2000-01-01') union select d from few) q;
--| ERROR:  42804: UNION types text and date cannot be matched
select * from (values ('2000-01-01'::date) union select '2001-01-01') q order by 1;
--|   column1
--| ------------
--|  2000-01-01
--|  2001-01-01
--| (2 rows)
select v from few union values ('x');
--|  v
--| ---
--|  x
--| (1 row)
insert into few (d) values ('2000-01-01'), (null);
--| INSERT 0 2
select d from few order by d;
--|      d
--| ------------
--|  2000-01-01
--|
--| (2 rows)
select unnest(null);
--| ERROR:  42725: function unnest(unknown) is not unique
--| HINT:  Could not choose a best candidate function. You might need to add explicit type casts.
select * from unnest(null);
--| ERROR:  42725: function unnest(unknown) is not unique
--| HINT:  Could not choose a best candidate function. You might need to add explicit type casts.
select * from unnest(1);
--| ERROR:  42883: function unnest(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select greatest();
--| ERROR:  42601: syntax error at or near ")"
select coalesce();
--| ERROR:  42601: syntax error at or near ")"
select nullif();
--| ERROR:  42601: syntax error at or near ")"
select 1 + least ( );
--| ERROR:  42601: syntax error at or near ")"
select position();
--| ERROR:  42601: syntax error at or near ")"
select trim();
--| ERROR:  42601: syntax error at or near ")"
drop table few;
--| DROP TABLE
