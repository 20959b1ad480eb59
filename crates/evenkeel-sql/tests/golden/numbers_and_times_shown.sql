-- `to_char`, `to_date` and `to_number`: words of patterns, prefixes before what is no field, exponents, multiplied integers, signs that do not go together.

select to_char(timestamp '2024-05-07 03:04:05', 'FM"Q"Q'), to_char(timestamp '2024-05-07 03:04:05', 'FM-MM'), to_char(timestamp '2024-05-07 03:04:05', 'YYYYFM'), to_char(timestamp '2024-05-07', 'FM Day'), to_char(timestamp '2024-05-07', 'TM"x"Month'), to_char(interval '3 hours', 'FM"T"HH24');
--|  to_char | to_char | to_char |  to_char   |  to_char   | to_char
--| ---------+---------+---------+------------+------------+---------
--|  Q2      | -05     | 2024    |  Tuesday   | xMay       | T03
--| (1 row)
select to_char(timestamp '2024-05-07', 'FMTMMonth|'), to_char(timestamp '2024-05-07', 'fmMonth|'), to_char(timestamp '2024-05-07', 'TMMonth|'), to_char(timestamp '2024-05-07', 'TmMonth|'), to_char(timestamp '2024-05-07', 'DDSp|'), to_char(timestamp '2024-05-07', 'DDsp|'), to_char(timestamp '2024-05-07', 'DDTHSP|'), to_char(timestamp '2024-05-07', 'TMDD|TMdd'), to_char(timestamp '2024-05-07', 'FmDD'), to_char(timestamp '2024-05-07', 'Fx DD');
--|  to_char  | to_char | to_char |   to_char    | to_char | to_char | to_char | to_char | to_char | to_char
--| ----------+---------+---------+--------------+---------+---------+---------+---------+---------+---------
--|  T05onth| | May|    | May|    | TmMay      | | 07Sp|   | 07sp|   | 07THSP| | 07|07   | Fm07    | Fx 07
--| (1 row)
select to_date('x2024-05-07', 'FM"x"YYYY-MM-DD'), jsonb_path_query('"2024-01-02"', '$.datetime("FMYYYY-MM-DD")');
--|   to_date   | jsonb_path_query
--| ------------+------------------
--|  2024-05-07 | "2024-01-02"
--| (1 row)
select to_char(interval '-1 hour', 'AM HH12'), to_char(interval '1 year 2 mons 3 days', 'J'), to_char(interval '-1234 years', 'Y,YYY'), to_char(interval '5 mons -3 days', 'WW DDD W'), to_char(interval '-3 days', 'DD');
--|  to_char | to_char | to_char | to_char  | to_char
--| ---------+---------+---------+----------+---------
--|  AM -01  | 1721459 | -1,-234 | 21 147 1 | -3
--| (1 row)
select to_timestamp('10 am', 'HH a.m.');
--| ERROR:  22007: invalid value "am" for "a.m."
--| DETAIL:  The given value did not match any of the allowed values for this field.
select to_timestamp('10 a.m.', 'HH am');
--| ERROR:  22007: invalid value "a.m." for "am"
--| DETAIL:  The given value did not match any of the allowed values for this field.
select to_date('44 bc', 'YYYY b.c.');
--| ERROR:  22007: invalid value "bc" for "b.c."
--| DETAIL:  The given value did not match any of the allowed values for this field.
select to_date('1,23', 'Y,YYY'), to_date('2,0', 'Y,YYY'), to_date(' 1, 234', 'Y,YYY');
--|   to_date   |  to_date   |  to_date
--| ------------+------------+------------
--|  1023-01-01 | 2000-01-01 | 1234-01-01
--| (1 row)
select to_date('x', 'Y,YYY');
--| ERROR:  22007: invalid value "x" for "Y,YYY"
select to_date('1,', 'Y,YYY');
--| ERROR:  22007: invalid value "1," for "Y,YYY"
select to_date('99999999,999', 'Y,YYY');
--| ERROR:  22008: value for "Y,YYY" in source string is out of range
select to_char(99.995, '9.99EEEE'), to_char(9.995, '9.99EEEE'), to_char(9.995::float8, '9.99EEEE'), to_char(99.995::float8, '9.99EEEE'), to_char(0.09999, '9.99EEEE'), to_char(9999999, '9.99EEEE'), to_char(99995::int8, '9.9EEEE'), to_char(0.0999999::float4, '9.99EEEE'), to_char(95, '9EEEE'), to_char(99.9::numeric, '9EEEE'), to_char(-99.995, '9.99EEEE'),to_char(999.6, '9EEEE');
--|   to_char   |  to_char   |  to_char  |  to_char  |  to_char   |  to_char  |  to_char  |  to_char  | to_char | to_char |  to_char   | to_char
--| ------------+------------+-----------+-----------+------------+-----------+-----------+-----------+---------+---------+------------+---------
--|   10.00e+01 |  10.00e+00 |  9.99e+00 |  1.00e+02 |  10.00e-02 |  1.00e+07 |  10.0e+04 |  1.00e-01 |  1e+02  |  10e+01 | -10.00e+01 |  10e+02
--| (1 row)
select to_char(12345678, '99999999V999'), to_char(12345678, '99999999V99'), to_char(123456::int4, '999999V99'), to_char(2147483647, '9999999999V9'), to_char(21474836, '99999999V99'), to_char(21474837, '99999999V99'), to_char(-12345678, '99999999V999'), to_char(1, '9V999999999'), to_char(1, '9V9999999999');
--|    to_char    |   to_char   |  to_char  |   to_char    |   to_char   |   to_char   |   to_char    |   to_char   |   to_char
--| --------------+-------------+-----------+--------------+-------------+-------------+--------------+-------------+--------------
--|    -539223888 |  1234567800 |  12345600 |          -10 |  2147483600 | -2147483596 |    539223888 |  1000000000 |  -2147483648
--| (1 row)
select to_char(1,'9V9999999999999999999999999');
--|            to_char
--| -----------------------------
--|                  -2147483648
--| (1 row)
select to_char(1::int8,'9V9999999999999999999');
--| ERROR:  22003: bigint out of range
select to_char(1::int8,'9V99999999999999999999999999999999999999999999');
--| ERROR:  22003: bigint out of range
select to_char(0.5::float8, 'RN'), to_char(1.5::float8,'RN'), to_char(3999.5::float8, 'RN'), to_char('NaN'::float8,'RN'), to_char('infinity'::float8, 'RN'), to_char(2.5::float8,'FMRN');
--|      to_char     |     to_char     |     to_char     |     to_char     |     to_char     | to_char
--| -----------------+-----------------+-----------------+-----------------+-----------------+---------
--|  ############### |              II | ############### | ############### | ############### | II
--| (1 row)
select to_char('Infinity'::float8, '999999999TH');
--| ERROR:  22P02: "Infinity" is not a number
select to_char('NaN'::numeric, '999TH');
--| ERROR:  22P02: "NaN" is not a number
select to_char('Infinity'::numeric, 'FM99THTH');
--|  to_char
--| ---------
--|  ##
--| (1 row)
select to_char('NaN'::numeric, '999D99TH'), to_char('-Infinity'::float8, '9999999999TH'), to_char('-Infinity'::float8, '999TH'), to_char('Infinity'::float8, '999TH');
--|  to_char |   to_char   | to_char | to_char
--| ---------+-------------+---------+---------
--|   NaN    |   -Infinity | -###    |  ###
--| (1 row)
select to_char('NaN'::float8, '9.99999999999999'), to_char('Infinity'::float8, '9.99EEEE'), to_char('-Infinity'::numeric, '99999999999V9'), to_char('NaN'::float8,'9V9'), to_char('NaN'::numeric, '9.9EEEE');
--|      to_char     |  to_char  |    to_char    | to_char | to_char
--| -----------------+-----------+---------------+---------+----------
--|   #.############ |  #.###### |     -Infinity |  ##     |  #.#####
--| (1 row)
select to_char(12, '99V9S'), to_char(12, '99SV9'), to_char(-12, '99V9S'), to_char(12, 'S99V9'), to_char(12, 'V9S99'), to_char(12,'9S9'), to_char(12,'99.9S'), to_char(12,'9.S9'), to_char(12,'S9S');
--| ERROR:  42601: cannot use "S" twice
select to_char(-1, '9MIMI');
--|  to_char
--| ---------
--|  1--
--| (1 row)
select to_char(-1, '9PLPL');
--|  to_char
--| ---------
--|  -1
--| (1 row)
select to_char(-1, '9MIPL');
--|  to_char
--| ---------
--|  1-
--| (1 row)
select to_char(-1, '9SGMI');
--|  to_char
--| ---------
--|  1--
--| (1 row)
select to_char(-1,'9PRPR');
--|  to_char
--| ---------
--|  <1>
--| (1 row)
select to_char(-1,'9PRMI');
--|  to_char
--| ---------
--|  1-
--| (1 row)
select to_char(-1,'9PRS');
--| ERROR:  42601: cannot use "S" and "PL"/"MI"/"SG"/"PR" together
select to_char(-1,'9PRSG');
--|  to_char
--| ---------
--|  1-
--| (1 row)
select to_char(-1,'9PRPL');
--|  to_char
--| ---------
--|  <1>
--| (1 row)
select to_char(-1,'9MIS');
--| ERROR:  42601: cannot use "S" and "PL"/"MI"/"SG"/"PR" together
select to_char(-1,'9PLS');
--| ERROR:  42601: cannot use "S" and "PL"/"MI"/"SG"/"PR" together
select to_char(-1,'9SGS');
--| ERROR:  42601: cannot use "S" and "PL"/"MI"/"SG"/"PR" together
select to_char(-1,'9PR0');
--| ERROR:  42601: "0" must be ahead of "PR"
select to_char(-1,'9PR.');
--|  to_char
--| ---------
--|  <1
--| (1 row)
select to_char(-1,'9PR,9');
--| ERROR:  42601: "9" must be ahead of "PR"
select to_char(-1,'9SGPR');
--| ERROR:  42601: cannot use "PR" and "S"/"PL"/"MI"/"SG" together
select to_char(-1,'9EEEEEEEE');
--| ERROR:  42601: cannot use "EEEE" twice
select to_char(1,'9.9EEEE"x"');
--|  to_char
--| ----------
--|   1.0e+00
--| (1 row)
select to_char(1,'9.9EEEEx');
--|  to_char
--| ----------
--|   1.0e+00
--| (1 row)
select to_char(1,'9.9EEEE ');
--|  to_char
--| ----------
--|   1.0e+00
--| (1 row)
select to_char(1,'MI9EEEE');
--| ERROR:  42601: "EEEE" is incompatible with other formats
--| DETAIL:  "EEEE" may only be used together with digit and decimal point patterns.
select to_char(1,'FM9EEEE');
--| ERROR:  42601: "EEEE" is incompatible with other formats
--| DETAIL:  "EEEE" may only be used together with digit and decimal point patterns.
select to_char(1,'L9EEEE');
--|  to_char
--| ---------
--|   1e+00
--| (1 row)
select to_char(1,',9EEEE');
--|  to_char
--| ---------
--|   1e+00
--| (1 row)
select to_char(1,'9THEEEE');
--|  to_char
--| ---------
--|   1e+00
--| (1 row)
select to_char(1,'PR9EEEE');
--| ERROR:  42601: "9" must be ahead of "PR"
select to_char(1,'RN9EEEE');
--| ERROR:  42601: "EEEE" is incompatible with other formats
--| DETAIL:  "EEEE" may only be used together with digit and decimal point patterns.
select to_char(1,'9V9EEEE');
--| ERROR:  42601: "EEEE" is incompatible with other formats
--| DETAIL:  "EEEE" may only be used together with digit and decimal point patterns.
select to_char(1,'9EEEEV');
--| ERROR:  42601: "EEEE" must be the last pattern used
select to_char(1,'0EEEE');
--|  to_char
--| ---------
--|   1e+00
--| (1 row)
select to_char(1,'9EEEEEE');
--|  to_char
--| ---------
--|   1e+00
--| (1 row)
select to_char(1,'9EEEE\"');
--|  to_char
--| ---------
--|   1e+00
--| (1 row)
select to_char(1,'9EEEEB');
--| ERROR:  42601: "EEEE" must be the last pattern used
select to_char(1,'9.9V'), to_char(1,'9..9');
--| ERROR:  42601: cannot use "V" and decimal point together
select to_char(1,'9V.');
--| ERROR:  42601: cannot use "V" and decimal point together
select to_char(1,'9VV9');
--|  to_char
--| ---------
--|   10
--| (1 row)
select to_char(1,'9D9G9');
--|  to_char
--| ---------
--|   1.0,0
--| (1 row)
select to_char(1,'9PRV9');
--| ERROR:  42601: "9" must be ahead of "PR"
select to_char(1,'V9PR');
--|  to_char
--| ---------
--|   #
--| (1 row)
select to_char(5, 'Fm9'), to_char(-5, '9Mi'), to_char(5,'9Sg'), to_char(5, 'Rn'), to_char(-5,'9Pl'), to_char(-5,'9Pr'), to_char(5,'9Th'), to_char(5, '9Eeee'), to_char(5,'9eeee'), to_char(-5,'9pr'), to_char(-5,'9mi'), to_char(5,'9pl'), to_char(5,'9sg'), to_char(5,'9s'), to_char(5,'fm9'), to_char(5,'9d9'), to_char(5000,'9g999'), to_char(5,'l9'), to_char(5,'9v9'),to_char(5,'9b'),to_char(5,'9c'),to_char(5,'9SP'),to_char(5,'9sp'), to_char(5,'9RN');
--|  to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char | to_char |     to_char
--| ---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+---------+-----------------
--|  Fm 5    | -5Mi    | 5+,     | Rn      | -5P     | -5Pr    |  5Th    |  5Eeee  |  5e+00  | <5>     | 5-      |  5+     | 5+      | 5+      | 5       |  5.0    |  5,000  |   5     |  50     |  5      |  5      |  5      |  5      |               V
--| (1 row)
select to_number('-5', '9Mi'), to_number('<5>','9Pr');
--| ERROR:  22P02: invalid input syntax for type numeric: " "
select to_char(1, 'RNRN');
--| ERROR:  42601: cannot use "RN" twice
select to_char(1, 'RNMI');
--| ERROR:  42601: "RN" is incompatible with other formats
--| DETAIL:  "RN" may only be used together with "FM".
select to_char(1, 'rn'), to_char(2.5::float8, 'FMRN'), to_char(4.5::float4, 'FMRN'), to_char(2.5::numeric, 'FMRN');
--|      to_char     | to_char | to_char | to_char
--| -----------------+---------+---------+---------
--|                i | II      | IV      | III
--| (1 row)
select to_char(12, '99V9S'), to_char(12, '99SV9'), to_char(-12, '99V9S'), to_char(12, 'S99V9'), to_char(12, '9S9'), to_char(12, '99.9S');
--|  to_char | to_char | to_char | to_char | to_char | to_char
--| ---------+---------+---------+---------+---------+---------
--|  +120    | +120    | -120    | +120    | +12     | 12.0+
--| (1 row)
