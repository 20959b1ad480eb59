-- What text is a time of day, an object identifier, a float or base64, and what a literal's signs and a type's lengths mean.

-- no date goes before a time of day, but one in first place
select '2024-01-01 10:00'::time, '2024-01-01 10:00 America/New_York'::timetz, '2024-07-01 10:00 America/New_York'::timetz, 'T040506.789-08'::timetz, '040506'::time, '040506-08'::timetz, 'now'::time is not null, 'allballs'::time;
--|    time   |   timetz    |   timetz    |     timetz      |   time   |   timetz    | ?column? |   time
--| ----------+-------------+-------------+-----------------+----------+-------------+----------+----------
--|  10:00:00 | 10:00:00-05 | 10:00:00-04 | 04:05:06.789-08 | 04:05:06 | 04:05:06-08 | t        | 00:00:00
--| (1 row)
select '12?:34:56.789'::time(2);
--| ERROR:  22007: invalid input syntax for type time: "12?:34:56.789"
select '12**:34:56.789'::time(2);
--| ERROR:  22007: invalid input syntax for type time: "12**:34:56.789"
select '2:3:34?:56+02'::timetz;
--| ERROR:  22007: invalid input syntax for type time with time zone: "2:3:34?:56+02"
select '12:3:@56+0'::timetz;
--| ERROR:  22007: invalid input syntax for type time with time zone: "12:3:@56+0"
select '12%:34'::time;
--| ERROR:  22007: invalid input syntax for type time: "12%:34"
select '2024-01-01 12?:34:56'::timestamp;
--| ERROR:  22007: invalid input syntax for type timestamp: "2024-01-01 12?:34:56"
select '1 day 12?:34:56'::interval;
--| ERROR:  22007: invalid input syntax for type interval: "1 day 12?:34:56"
select 'Jan 2024'::time;
--| ERROR:  22007: invalid input syntax for type time: "Jan 2024"
select 'today 10:20'::time;
--| ERROR:  22007: invalid input syntax for type time: "today 10:20"
select 'yesterday 12:00 EST'::timetz;
--| ERROR:  22007: invalid input syntax for type time with time zone: "yesterday 12:00 EST"
select 'February 29, 2024 10:20 PM PST'::timetz;
--| ERROR:  22007: invalid input syntax for type time with time zone: "February 29, 2024 10:20 PM PST"
select '2024-02-29T10:20:30Z'::time;
--| ERROR:  22007: invalid input syntax for type time: "2024-02-29T10:20:30Z"
select '2024-01-01 at 10:00'::time;
--| ERROR:  22007: invalid input syntax for type time: "2024-01-01 at 10:00"
select 'J2459000-05'::timetz;
--| ERROR:  22007: invalid input syntax for type time with time zone: "J2459000-05"
select interval '1:60' minute to second(2), interval '1:30' minute to second, interval '1:30' hour to minute;
--|  interval | interval | interval
--| ----------+----------+----------
--|  00:02:00 | 00:01:30 | 01:30:00
--| (1 row)
select interval '-100:00' minute to second(2);
--| ERROR:  22007: invalid input syntax for type interval: "-100:00"
select interval '100:30' minute to second;
--| ERROR:  22015: interval field value out of range: "100:30"
select make_interval(hours => 10000000, secs => 1.000001), make_interval(hours => 2147483647), make_interval(hours => 2147483647, mins => 2147483647);
--|      make_interval     |  make_interval   |  make_interval
--| -----------------------+------------------+------------------
--|  10000000:00:01.000001 | 2147483647:00:00 | 2183275041:07:00
--| (1 row)
set timezone = 'UTC';
--| SET
select extract(julian from timestamp '2001-02-16'), extract(julian from timestamp '2001-02-16 12:00'), extract(julian from timestamptz '2001-02-16 00:00'), extract(julian from date '2001-02-16');
--|                extract                |           extract            |               extract                | extract
--| --------------------------------------+------------------------------+--------------------------------------+---------
--|  2451957.0000000000000000000000000000 | 2451957.50000000000000000000 | 2451957.0000000000000000000000000000 | 2451957
--| (1 row)
select extract(timezone from timestamp 'infinity'), extract(epoch from timestamp '294276-12-31 23:59:59.999999'), extract(epoch from timestamp '2001-02-16 20:38:40.12');
--|  extract |       extract        |     extract
--| ---------+----------------------+------------------
--|          | 9224318016000.000000 | 982355920.120000
--| (1 row)
select '010'::oid, '0x10'::oid, '0x1F'::oid, '0x10'::xid, '-1'::oid, '010'::regclass::oid;
--|  oid | oid | oid | xid |    oid     | oid
--| -----+-----+-----+-----+------------+-----
--|    8 |  16 |  31 |  16 | 4294967295 |   8
--| (1 row)
select '08'::oid;
--| ERROR:  22P02: invalid input syntax for type oid: "08"
select '4294967296'::oid;
--| ERROR:  22003: value "4294967296" is out of range for type oid
select '0x10'::float8, '0x1p3'::float8, '0x.8'::float4, '-0X1.8p-1'::float8, '0x1p-1074'::float8, '0x1.fffffffffffff8p0'::float8, '0x1p127'::float4;
--|  float8 | float8 | float4 | float8 | float8 | float8 |    float4
--| --------+--------+--------+--------+--------+--------+---------------
--|      16 |      8 |    0.5 |  -0.75 | 5e-324 |      2 | 1.7014118e+38
--| (1 row)
select '0x'::float8;
--| ERROR:  22P02: invalid input syntax for type double precision: "0x"
select '0x1p'::float8;
--| ERROR:  22P02: invalid input syntax for type double precision: "0x1p"
select '0x1p1024'::float8;
--| ERROR:  22003: "0x1p1024" is out of range for type double precision
select '0x1p128'::float4;
--| ERROR:  22003: "0x1p128" is out of range for type real
select acosh(1.00000000000001::float8), acosh(1.0000001::float8), acosh(1.5::float8), acosh(1e300::float8), acosh(1), acosh('infinity');
--|          acosh          |         acosh         |       acosh        |       acosh       | acosh |  acosh
--| ------------------------+-----------------------+--------------------+-------------------+-------+----------
--|  1.4136482746161713e-07 | 0.0004472135919037347 | 0.9624236501192069 | 691.4686750787736 |     0 | Infinity
--| (1 row)
select asinh(1::float8), asinh(1e-5::float8), asinh(0.1::float8), asinh(1e300::float8), asinh(-3.3::float8), asinh('-infinity'), asinh('-0');
--|        asinh       |         asinh         |        asinh        |       asinh       |        asinh        |   asinh   | asinh
--| -------------------+-----------------------+---------------------+-------------------+---------------------+-----------+-------
--|  0.881373587019543 | 9.999999999833334e-06 | 0.09983407889920758 | 691.4686750787736 | -1.9092740140163365 | -Infinity |    -0
--| (1 row)
select atanh(0.5::float8), atanh(1e-5::float8), atanh(-0.9::float8), atanh(1), atanh('NaN');
--|        atanh        |         atanh          |        atanh        |  atanh   | atanh
--| --------------------+------------------------+---------------------+----------+-------
--|  0.5493061443340548 | 1.0000000000333335e-05 | -1.4722194895832204 | Infinity |   NaN
--| (1 row)
select log(0::numeric, 'NaN'), log('NaN'::numeric, -1);
--|  log | log
--| -----+-----
--|  NaN | NaN
--| (1 row)
select log(0::numeric, -1::numeric);
--| ERROR:  2201E: cannot take logarithm of zero
select log(0::numeric, '-Infinity'::numeric);
--| ERROR:  2201E: cannot take logarithm of a negative number
select avg(x) from (values (1e200::float8), (-1e200)) v(x);
--| ERROR:  22003: value out of range: overflow
select avg(x) from (values ('infinity'::float8), (1), ('-infinity')) v(x);
--|  avg
--| -----
--|  NaN
--| (1 row)
select sum(x), avg(x) from (values ('-0'::float8), ('-0')) v(x);
--|  sum | avg
--| -----+-----
--|   -0 |   0
--| (1 row)
select sum(x) from (values ('-0'::float4)) v(x);
--|  sum
--| -----
--|   -0
--| (1 row)
select length(encode(repeat('x', 57)::bytea, 'base64')), length(encode(repeat('x', 114)::bytea, 'base64')), length(encode(repeat('x', 58)::bytea, 'base64'));
--|  length | length | length
--| --------+--------+--------
--|      77 |    154 |     81
--| (1 row)
select decode('QQ==QQ==', 'base64'), decode('QUI=QUI=', 'base64'), decode('QQ==QUJD', 'base64');
--|  decode |   decode   | decode
--| --------+------------+--------
--|  \x4141 | \x41424142 | \x4141
--| (1 row)
select decode('QQ=', 'base64');
--| ERROR:  22023: invalid base64 end sequence
--| HINT:  Input data is missing padding, is truncated, or is otherwise corrupted.
select decode('QQ===', 'base64');
--| ERROR:  22023: invalid base64 end sequence
--| HINT:  Input data is missing padding, is truncated, or is otherwise corrupted.
select decode('Q=', 'base64');
--| ERROR:  22023: unexpected "=" while decoding base64 sequence
-- a sign before a literal is part of it
select -(-2147483648), pg_typeof(-(-2147483648)), pg_typeof(-2147483648), pg_typeof(-(2147483648)), pg_typeof(-(-9223372036854775808)), - - 5, -(-(-5));
--|   ?column?  | pg_typeof | pg_typeof | pg_typeof | pg_typeof | ?column? | ?column?
--| ------------+-----------+-----------+-----------+-----------+----------+----------
--|  2147483648 | bigint    | integer   | integer   | numeric   |        5 |       -5
--| (1 row)
select -(-2147483648::int4);
--| ERROR:  22003: integer out of range
create table floats (a float(0));
--| ERROR:  22023: precision for type float must be at least 1 bit
create table floats (a float(54));
--| ERROR:  22023: precision for type float must be less than 54 bits
select pg_typeof(1::float(24)), pg_typeof(1::float(25));
--|  pg_typeof |    pg_typeof
--| -----------+------------------
--|  real      | double precision
--| (1 row)
create table lengths (a int(11), b bigint(20));
--| ERROR:  42601: syntax error at or near "("
create table lengths (a smallint(3));
--| ERROR:  42601: syntax error at or near "("
select 1::int4(3);
--| ERROR:  42601: type modifier is not allowed for type "int4"
select 1::double;
--| ERROR:  42704: type "double" does not exist
