-- Functions that PostgreSQL's own scripts call: what is wrong with a text, binary forms, degrees, gamma, random numbers by a seed.

select * from pg_input_error_info('garbage', 'interval');
--|                       message                      | detail | hint | sql_error_code
--| ---------------------------------------------------+--------+------+----------------
--|  invalid input syntax for type interval: "garbage" |        |      | 22007
--| (1 row)
select * from pg_input_error_info('12', 'int4');
--|  message | detail | hint | sql_error_code
--| ---------+--------+------+----------------
--|          |        |      |
--| (1 row)
select * from pg_input_error_info('123456', 'varchar(4)');
--|                    message                    | detail | hint | sql_error_code
--| ----------------------------------------------+--------+------+----------------
--|  value too long for type character varying(4) |        |      | 22001
--| (1 row)
select * from pg_input_error_info('1234.567', 'numeric(7,4)');
--|         message         |                                      detail                                       | hint | sql_error_code
--| ------------------------+-----------------------------------------------------------------------------------+------+----------------
--|  numeric field overflow | A field with precision 7, scale 4 must round to an absolute value less than 10^3. |      | 22003
--| (1 row)
select * from pg_input_error_info('x', 'no_such_type');
--| ERROR:  42704: type "no_such_type" does not exist
select float4send('1.17549435E-38'), float8send(1.5), int2send(-1::int2), int4send(1), int8send(-2), textsend('é'), boolsend(true), byteasend('\x00ff');
--|  float4send |     float8send     | int2send |  int4send  |      int8send      | textsend | boolsend | byteasend
--| ------------+--------------------+----------+------------+--------------------+----------+----------+-----------
--|  \x00800000 | \x3ff8000000000000 | \xffff   | \x00000001 | \xfffffffffffffffe | \xc3a9   | \x01     | \x00ff
--| (1 row)
select numeric_send(-12345.678), date_send('2000-01-02'), interval_send('1 mon 2 days 3 us'), uuid_send('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'), jsonb_send('{"a": 1}'), inet_send('10.1.2.3/8'), varbit_send(b'101');
--|           numeric_send          | date_send  |           interval_send            |             uuid_send              |      jsonb_send      |     inet_send      | varbit_send
--| --------------------------------+------------+------------------------------------+------------------------------------+----------------------+--------------------+--------------
--|  \x0003000140000003000109291a7c | \x00000001 | \x00000000000000030000000200000001 | \xa0eebc999c0b4ef8bb6d6bb9bd380a11 | \x017b2261223a20317d | \x020800040a010203 | \x00000003a0
--| (1 row)
select regexp_instr('abcabcabc', 'a.c', 1, 3, 0, '', 0), regexp_instr('1234567890', '(123)(4(56)(78))', 1, 1, 0, 'i', 4), regexp_instr('abc', 'x', 1, 1, 0, '', 1);
--|  regexp_instr | regexp_instr | regexp_instr
--| --------------+--------------+--------------
--|             7 |            7 |            0
--| (1 row)
select regexp_instr('abcabcabc', 'a.c', 1, 1, 0, '', -1);
--| ERROR:  22023: invalid value for parameter "subexpr": -1
set extra_float_digits = -1;
--| SET
select x, erf(x), erfc(x), gamma(x), lgamma(x) from (values (0.5::float8), (1), (2.1), (28), ('infinity'), ('nan')) as t(x);
--|     x     |       erf        |       erfc        |        gamma        |      lgamma
--| ----------+------------------+-------------------+---------------------+-------------------
--|       0.5 | 0.52049987781305 |  0.47950012218695 |     1.7724538509055 |   0.5723649429247
--|         1 | 0.84270079294971 |  0.15729920705029 |                   1 |                 0
--|       2.1 | 0.99702053334367 | 0.002979466656333 |     1.0464858468536 | 0.045437738544485
--|        28 |                1 |                 0 | 1.0888869450418e+28 |   64.557538627006
--|  Infinity |                1 |                 0 |            Infinity |          Infinity
--|       NaN |              NaN |               NaN |                 NaN |               NaN
--| (6 rows)
select gamma('-infinity'::float8);
--| ERROR:  22003: value out of range: overflow
select gamma(-1);
--| ERROR:  22003: value out of range: overflow
select lgamma(0);
--| ERROR:  22003: value out of range: overflow
select gamma(1000);
--| ERROR:  22003: value out of range: overflow
select gamma(-1000.5);
--| ERROR:  22003: value out of range: underflow
select lgamma(-1000.5), lgamma('-infinity');
--|       lgamma      |  lgamma
--| ------------------+----------
--|  -5914.4377011169 | Infinity
--| (1 row)
select x, sind(x), cosd(x), tand(x), cotd(x) from (values (0), (30), (45), (60), (90), (135), (-210), (270), (360)) as t(x);
--|   x   |       sind       |       cosd        |       tand        |       cotd
--| ------+------------------+-------------------+-------------------+------------------
--|     0 |                0 |                 1 |                 0 |         Infinity
--|    30 |              0.5 |  0.86602540378444 |  0.57735026918963 |  1.7320508075689
--|    45 | 0.70710678118655 |  0.70710678118655 |                 1 |                1
--|    60 | 0.86602540378444 |               0.5 |   1.7320508075689 | 0.57735026918963
--|    90 |                1 |                 0 |          Infinity |                0
--|   135 | 0.70710678118655 | -0.70710678118655 |                -1 |               -1
--|  -210 |              0.5 | -0.86602540378444 | -0.57735026918963 | -1.7320508075689
--|   270 |               -1 |                 0 |         -Infinity |                0
--|   360 |                0 |                 1 |                 0 |         Infinity
--| (9 rows)
select x, asind(x), acosd(x), atand(x), atan2d(x, 1) from (values (-1), (-0.5), (0), (0.5), (1)) as t(x);
--|   x   | asind | acosd |      atand       |      atan2d
--| ------+-------+-------+------------------+------------------
--|    -1 |   -90 |   180 |              -45 |              -45
--|  -0.5 |   -30 |   120 | -26.565051177078 | -26.565051177078
--|     0 |     0 |    90 |                0 |                0
--|   0.5 |    30 |    60 |  26.565051177078 |  26.565051177078
--|     1 |    90 |     0 |               45 |               45
--| (5 rows)
select sind('infinity');
--| ERROR:  22003: input is out of range
select acosd(1.1);
--| ERROR:  22003: input is out of range
reset extra_float_digits;
--| RESET
select setseed(0.5);
--|  setseed
--| ---------
--|
--| (1 row)
select random() from generate_series(1, 3);
--|        random
--| ---------------------
--|   0.9851677175347999
--|    0.825301858027981
--|  0.12974610012450416
--| (3 rows)
select random_normal() > 5, random_normal(mean => 1, stddev => 0);
--|  ?column? | random_normal
--| ----------+---------------
--|  f        |             1
--| (1 row)
select random(1, 6), random(-10000000000, 10000000000), random(-2.5, 3.125), random(-1e30, 1e30), random(0, 1e-30), random(7.0, 7.00);
--|  random |   random   | random |             random             |              random              | random
--| --------+------------+--------+--------------------------------+----------------------------------+--------
--|       2 | 7678866823 |  1.465 | 280182212000896915652655359702 | 0.000000000000000000000000000001 |   7.00
--| (1 row)
select random(2, 1);
--| ERROR:  22023: lower bound must be less than or equal to upper bound
select random(-2.0, -3.0);
--| ERROR:  22023: lower bound must be less than or equal to upper bound
select random('NaN'::numeric, 10);
--| ERROR:  22023: lower bound cannot be NaN
select random(0, '-Inf'::numeric);
--| ERROR:  22023: upper bound cannot be infinity
select setseed(1.5);
--| ERROR:  22023: setseed parameter 1.5 is out of allowed range [-1,1]
select pg_lsn(23783416::numeric), pg_lsn(18446744073709551615);
--|   pg_lsn   |      pg_lsn
--| -----------+-------------------
--|  0/16AE7F8 | FFFFFFFF/FFFFFFFF
--| (1 row)
select pg_lsn(-1::numeric);
--| ERROR:  22023: pg_lsn out of range
select pg_lsn('NaN'::numeric);
--| ERROR:  0A000: cannot convert NaN to pg_lsn
select reverse('\xabcd12'::bytea), position('\x5678'::bytea in '\x1234567890'::bytea), position(''::bytea in '\x11'::bytea), overlay('\x010203'::bytea placing '\xff'::bytea from 2 for 2), overlay('\x0102'::bytea placing '\xff'::bytea from 9);
--|  reverse  | position | position | overlay | overlay
--| ----------+----------+----------+---------+----------
--|  \x12cdab |        3 |        1 | \x01ff  | \x0102ff
--| (1 row)
select overlay('\x0102'::bytea placing '\xff'::bytea from 0);
--| ERROR:  22011: negative substring length not allowed
select trim(leading '\x00'::bytea from '\x00540000'::bytea), trim(trailing '\x00'::bytea from '\x00540000'::bytea), set_bit('\x1234567890abcdef00'::bytea, 43, 0), crc32('The quick brown fox jumps over the lazy dog.'), crc32c(repeat('A', 800)::bytea), crc32c('');
--|   ltrim   | rtrim  |       set_bit        |   crc32    |   crc32c   | crc32c
--| ----------+--------+----------------------+------------+------------+--------
--|  \x540000 | \x0054 | \x1234567890a3cdef00 | 1368401385 | 3134039419 |      0
--| (1 row)
select set_bit('\x12'::bytea, 99, 0);
--| ERROR:  2202E: index 99 out of valid range, 0..7
select 'a_c'::bytea like 'a$__'::bytea escape '$'::bytea, 'a_c'::bytea not like 'a$__'::bytea escape '$'::bytea;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | f
--| (1 row)
select width_bucket(5, array[1, 3, 5, 7]), width_bucket(0.5, array[1, 3.5]), width_bucket('c'::text, array['b', 'd']), width_bucket(1, array[]::int[]), width_bucket(now(), array['yesterday', 'today', 'tomorrow']::timestamptz[]);
--|  width_bucket | width_bucket | width_bucket | width_bucket | width_bucket
--| --------------+--------------+--------------+--------------+--------------
--|             3 |            0 |            1 |            0 |            2
--| (1 row)
select width_bucket(5, array[3, null]);
--| ERROR:  22004: thresholds array must not contain NULLs
select width_bucket(5, array[[3], [4]]);
--| ERROR:  2202E: thresholds must be one-dimensional array
select pg_column_size(1), pg_column_size(1::int8), pg_column_size(true), pg_column_size(now()), pg_column_size(interval '1 s'), pg_column_compression('x'::text);
--|  pg_column_size | pg_column_size | pg_column_size | pg_column_size | pg_column_size | pg_column_compression
--| ----------------+----------------+----------------+----------------+----------------+-----------------------
--|               4 |              8 |              1 |              8 |             16 |
--| (1 row)
select to_regtypemod('varchar(32)'), to_regtypemod('numeric(5,2)'), to_regtypemod('int4'), to_regtypemod('no_such_type');
--|  to_regtypemod | to_regtypemod | to_regtypemod | to_regtypemod
--| ---------------+---------------+---------------+---------------
--|             36 |        327686 |            -1 |
--| (1 row)
create table ranged (a int);
--| CREATE TABLE
create index ranged_brin on ranged using brin (a);
--| CREATE INDEX
create index ranged_tree on ranged (a);
--| CREATE INDEX
select brin_summarize_range('ranged_brin', 0), brin_desummarize_range('ranged_brin', 0);
--|  brin_summarize_range | brin_desummarize_range
--| ----------------------+------------------------
--|                     0 |
--| (1 row)
select brin_summarize_new_values('ranged_tree');
--| ERROR:  42809: "ranged_tree" is not a BRIN index
select brin_summarize_new_values('ranged');
--| ERROR:  42809: "ranged" is not an index
drop table ranged;
--| DROP TABLE
select has_largeobject_privilege(1001, 'SELECT'), has_largeobject_privilege(1001, 'UPDATE WITH GRANT OPTION');
--|  has_largeobject_privilege | has_largeobject_privilege
--| ---------------------------+---------------------------
--|                            |
--| (1 row)
select has_largeobject_privilege(1001, 'DELETE');
--| ERROR:  22023: unrecognized privilege type: "DELETE"
select inet('10.1.1.1'::text), cidr('10.1.1.0/24'::text), int4('3'::text), date('2020-01-01'::text), text(12), float8('1.5'::text), jsonb('1'::text), bool('t'::text);
--|    inet   |    cidr     | int4 |    date    | text | float8 | jsonb | bool
--| ----------+-------------+------+------------+------+--------+-------+------
--|  10.1.1.1 | 10.1.1.0/24 |    3 | 2020-01-01 | 12   |    1.5 | 1     | t
--| (1 row)
select int4('x'::text);
--| ERROR:  22P02: invalid input syntax for type integer: "x"
select int4(date '2020-01-01');
--| ERROR:  42883: function int4(date) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select width_bucket(0, -1e100::float8, 1, 10), width_bucket(1, 1e100::float8, 0, 10), width_bucket(10.5::float8, -1.797e308, 1.797e308, 4), width_bucket(5.5::float8, 1, 10, 3), width_bucket(5.5::float8, 10, 1, 3), width_bucket(1::float8, 1, 10, 3), width_bucket(10::float8, 1, 10, 3);
--|  width_bucket | width_bucket | width_bucket | width_bucket | width_bucket | width_bucket | width_bucket
--| --------------+--------------+--------------+--------------+--------------+--------------+--------------
--|            10 |           10 |            3 |            2 |            2 |            1 |            4
--| (1 row)
