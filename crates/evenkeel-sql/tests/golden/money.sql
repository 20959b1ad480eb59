-- money: what is read and written, operators with their limits, casts, aggregates, indexes, what needs a hash, what is immutable.


-- input
select ''::money, '$'::money, ' $ 1 '::money, '-$1'::money, '$-1'::money, '- $ 1'::money, '1-'::money, '1 $'::money, '(1)'::money, '(1'::money, '1)'::money, '+1'::money, '1+'::money, '1,2,3'::money, ','::money, '.'::money, '.5'::money, '1.'::money, '1.2,3'::money;
--|  money | money | money | money  | money  | money  | money  | money | money  | money  | money | money | money |  money  | money | money | money | money | money
--| -------+-------+-------+--------+--------+--------+--------+-------+--------+--------+-------+-------+-------+---------+-------+-------+-------+-------+-------
--|  $0.00 | $0.00 | $1.00 | -$1.00 | -$1.00 | -$1.00 | -$1.00 | $1.00 | -$1.00 | -$1.00 | $1.00 | $1.00 | $1.00 | $123.00 | $0.00 | $0.00 | $0.50 | $1.00 | $1.23
--| (1 row)
select '1.00,5'::money, '1.009,9'::money;
--| ERROR:  22P02: invalid input syntax for type money: "1.009,9"
select '1.005'::money, '1.0049'::money, '-1.005'::money, '1.999'::money, '1.23456'::money;
--|  money | money | money  | money | money
--| -------+-------+--------+-------+-------
--|  $1.01 | $1.00 | -$1.01 | $2.00 | $1.23
--| (1 row)
select '1e3'::money;
--| ERROR:  22P02: invalid input syntax for type money: "1e3"
select '1.2.3'::money;
--| ERROR:  22P02: invalid input syntax for type money: "1.2.3"
select '$$1'::money;
--|  money
--| -------
--|  $1.00
--| (1 row)
select '--1'::money;
--| ERROR:  22P02: invalid input syntax for type money: "--1"
select '-(1)'::money;
--| ERROR:  22P02: invalid input syntax for type money: "-(1)"
select '(-1)'::money;
--| ERROR:  22P02: invalid input syntax for type money: "(-1)"
select '1 2'::money;
--| ERROR:  22P02: invalid input syntax for type money: "1 2"
select 'abc'::money;
--| ERROR:  22P02: invalid input syntax for type money: "abc"
select e'1\u00a0'::money;
--| ERROR:  22P02: invalid input syntax for type money: "1 "
select '€1'::money;
--| ERROR:  22P02: invalid input syntax for type money: "€1"
select '1'::text::money, '1'::varchar::money, '7'::name::money;
--|  money | money | money
--| -------+-------+-------
--|  $1.00 | $1.00 | $7.00
--| (1 row)
select 'x'::text::money;
--| ERROR:  22P02: invalid input syntax for type money: "x"
select E'\t\n\v\f\r1\t\n\v\f\r'::money;
--|  money
--| -------
--|  $1.00
--| (1 row)
select '92233720368547758.07'::money, '-92233720368547758.08'::money, '(92233720368547758.08)'::money, '92233720368547758.08-'::money;
--|            money            |            money            |            money            |            money
--| ----------------------------+-----------------------------+-----------------------------+-----------------------------
--|  $92,233,720,368,547,758.07 | -$92,233,720,368,547,758.08 | -$92,233,720,368,547,758.08 | -$92,233,720,368,547,758.08
--| (1 row)
select '92233720368547758.08'::money;
--| ERROR:  22003: value "92233720368547758.08" is out of range for type money
select '92233720368547758.075'::money;
--| ERROR:  22003: value "92233720368547758.075" is out of range for type money
select '-92233720368547758.085'::money;
--| ERROR:  22003: value "-92233720368547758.085" is out of range for type money
select '922337203685477580'::money;
--| ERROR:  22003: value "922337203685477580" is out of range for type money
select '9999999999999999999'::money;
--| ERROR:  22003: value "9999999999999999999" is out of range for type money
select 'NaN'::money;
--| ERROR:  22P02: invalid input syntax for type money: "NaN"
select 'infinity'::money;
--| ERROR:  22P02: invalid input syntax for type money: "infinity"

-- operators
select '$5'::money + '1.25', '$5'::money - '1.25', '5'::money / '2'::money, '5'::money / '2', '5'::money * 2, 2 * '5'::money, '5'::money / 2, '5'::money * 2.5, 2.5 * '5'::money, '5'::money / 2.5, '5'::money * '2';
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------+----------+----------+----------+----------
--|     $6.25 |    $3.75 |      2.5 |      2.5 |   $10.00 |   $10.00 |    $2.50 |   $12.50 |   $12.50 |    $2.00 |   $10.00
--| (1 row)
select '5'::money * 2::smallint, '5'::money * 2::bigint, '5'::money / 2::smallint, '5'::money/2::bigint, '5'::money * 1.5::real, 1.5::real * '5'::money, '5'::money / 1.5::real, 1.5::float8 * '5'::money, 2::smallint * '5'::money, 2::bigint * '5'::money;
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------+----------+----------+----------
--|    $10.00 |   $10.00 |    $2.50 |    $2.50 |    $7.50 |    $7.50 |    $3.33 |    $7.50 |   $10.00 |   $10.00
--| (1 row)
select 5 / '5'::money;
--| ERROR:  42883: operator does not exist: integer / money
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select -'5'::money;
--| ERROR:  42883: operator does not exist: - money
--| HINT:  No operator matches the given name and argument type. You might need to add an explicit type cast.
select - m from (values ('1'::money)) v(m);
--| ERROR:  42883: operator does not exist: - money
--| HINT:  No operator matches the given name and argument type. You might need to add an explicit type cast.
select +'5'::money;
--| ERROR:  42883: operator does not exist: + money
--| HINT:  No operator matches the given name and argument type. You might need to add an explicit type cast.
select @'5'::money;
--| ERROR:  42883: operator does not exist: @ money
--| HINT:  No operator matches the given name and argument type. You might need to add an explicit type cast.
select '5'::money % 2;
--| ERROR:  42883: operator does not exist: money % integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select abs('-5'::money);
--| ERROR:  42883: function abs(money) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select '5'::money + 1;
--| ERROR:  42883: operator does not exist: money + integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select '5'::money + 1.0;
--| ERROR:  42883: operator does not exist: money + numeric
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select '5'::money = 5;
--| ERROR:  42883: operator does not exist: money = integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select '5'::money > 5.0;
--| ERROR:  42883: operator does not exist: money > numeric
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select '5'::money = '5', '5'::money <> '5', '5'::money < '6', '5'::money <= '5', '5'::money > '4', '5'::money >= '5', '5'::money between '1' and '6', '5'::money in ('1','5'), '5'::money is distinct from '5';
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------+----------+----------
--|  t        | f        | t        | t        | t        | t        | t        | t        | f
--| (1 row)
select '1'::money / 0, 1;
--| ERROR:  22012: division by zero
select '1'::money / 0::smallint;
--| ERROR:  22012: division by zero
select '1'::money / 0::bigint;
--| ERROR:  22012: division by zero
select '1'::money / 0::float8;
--| ERROR:  22012: division by zero
select '1'::money / 0::float4;
--| ERROR:  22012: division by zero
select '1'::money / 0.0;
--| ERROR:  22012: division by zero
select '1'::money / '0'::money;
--| ERROR:  22012: division by zero
select '0'::money / '0'::money;
--| ERROR:  22012: division by zero
select '1'::money / 'nan'::float8;
--| ERROR:  22003: money out of range
select '1'::money / 'inf'::float8;
--|  ?column?
--| ----------
--|     $0.00
--| (1 row)
select '0'::money * 'inf'::float8;
--| ERROR:  22003: money out of range
select '1'::money * 'nan'::float8;
--| ERROR:  22003: money out of range
select '1'::money * 1e300;
--| ERROR:  22003: money out of range
select '1'::money * 1e307::float8, 1;
--| ERROR:  22003: value out of range: overflow
select '92233720368547758.07'::money * 1e300::float8;
--| ERROR:  22003: value out of range: overflow
select '92233720368547758.07'::money * 1e308::float8;
--| ERROR:  22003: value out of range: overflow
select '1'::money * 1e-320::float8;
--|  ?column?
--| ----------
--|     $0.00
--| (1 row)
select '0.01'::money * 5e-324::float8;
--|  ?column?
--| ----------
--|     $0.00
--| (1 row)
select '1'::money / 1e-320::float8;
--| ERROR:  22003: value out of range: overflow
select '0.01'::money / 1e308::float8;
--|  ?column?
--| ----------
--|     $0.00
--| (1 row)
select '92233720368547758.07'::money * 1.0::float8;
--| ERROR:  22003: money out of range
select '-92233720368547758.08'::money * 1.0::float8, '-92233720368547758.08'::money / 1::float8;
--|           ?column?           |          ?column?
--| -----------------------------+-----------------------------
--|  -$92,233,720,368,547,758.08 | -$92,233,720,368,547,758.08
--| (1 row)
select '-92233720368547758.08'::money / -1::float8;
--| ERROR:  22003: money out of range
select '-92233720368547758.08'::money / -1;
--| ERROR:  22003: money out of range
select '-92233720368547758.08'::money * -1;
--| ERROR:  22003: money out of range
select '92233720368547758.07'::money + '0.01';
--| ERROR:  22003: money out of range
select '-92233720368547758.08'::money - '0.01';
--| ERROR:  22003: money out of range
select '0.05'::money / 2, '-0.05'::money / 2, '0.05'::money / 2.0::float8, '0.15'::money / 2::float8, '-0.05'::money / 2::float8, '0.05'::money * 0.5, '0.03'::money * 0.5;
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------
--|     $0.02 |   -$0.02 |    $0.02 |    $0.08 |   -$0.02 |    $0.02 |    $0.02
--| (1 row)

-- casts
select 5::money, 5::bigint::money, 5.125::money, 5.135::money, (-5.125)::money, 5.125::numeric(10,2)::money, 1e10::numeric::money;
--|  money | money | money | money | money  | money |       money
--| -------+-------+-------+-------+--------+-------+--------------------
--|  $5.00 | $5.00 | $5.13 | $5.14 | -$5.13 | $5.13 | $10,000,000,000.00
--| (1 row)
select 5::smallint::money;
--| ERROR:  42846: cannot cast type smallint to money
select 5::float8::money;
--| ERROR:  42846: cannot cast type double precision to money
select 5::float4::money;
--| ERROR:  42846: cannot cast type real to money
select true::money;
--| ERROR:  42846: cannot cast type boolean to money
select '5'::money::int;
--| ERROR:  42846: cannot cast type money to integer
select '5'::money::bigint;
--| ERROR:  42846: cannot cast type money to bigint
select '5'::money::float8;
--| ERROR:  42846: cannot cast type money to double precision
select '5.25'::money::numeric, '5.25'::money::numeric(10,1), '-0.01'::money::numeric, '5.25'::money::text, '5.25'::money::varchar, '1234.5'::money::char(4), '5'::money::name;
--|  numeric | numeric | numeric | text  | varchar | bpchar | name
--| ---------+---------+---------+-------+---------+--------+-------
--|     5.25 |     5.3 |   -0.01 | $5.25 | $5.25   | $1,2   | $5.00
--| (1 row)
select '5.25'::money::numeric::float8, '1234567.89'::money::numeric::int;
--|  float8 |  int4
--| --------+---------
--|    5.25 | 1234568
--| (1 row)
select 'nan'::numeric::money;
--| ERROR:  0A000: cannot convert NaN to bigint
select 'infinity'::numeric::money;
--| ERROR:  0A000: cannot convert infinity to bigint
select 92233720368547758.07::money, 92233720368547758.074::money;
--|            money            |           money
--| ----------------------------+----------------------------
--|  $92,233,720,368,547,758.07 | $92,233,720,368,547,758.07
--| (1 row)
select 92233720368547758.08::money;
--| ERROR:  22003: bigint out of range
select 92233720368547758.075::money;
--| ERROR:  22003: bigint out of range
select 92233720368547758::money;
--|            money
--| ----------------------------
--|  $92,233,720,368,547,758.00
--| (1 row)
select 92233720368547759::money;
--| ERROR:  22003: bigint out of range
select 9223372036854775807::money;
--| ERROR:  22003: bigint out of range
select money(5), money(5::bigint), money(5.5), money('5.25'), money('x'::text);
--| ERROR:  22P02: invalid input syntax for type money: "x"
select money('7.5'::text), money('5'::money), "numeric"('5'::money);
--|  money | money | numeric
--| -------+-------+---------
--|  $7.50 | $5.00 |    5.00
--| (1 row)
select cast('5' as money), money '5.00', cast(5 as money), '5'::pg_catalog.money, '5'::"money";
--|  money | money | money | money | money
--| -------+-------+-------+-------+-------
--|  $5.00 | $5.00 | $5.00 | $5.00 | $5.00
--| (1 row)
select int8('5'::money);
--| ERROR:  42883: function int8(money) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select '5'::money(2);
--| ERROR:  42601: type modifier is not allowed for type "money"

-- functions
select cashlarger('1','2'), cashsmaller('1','2'), cash_cmp('1','2'), cash_cmp('2','2'), cash_cmp('3','2');
--|  cashlarger | cashsmaller | cash_cmp | cash_cmp | cash_cmp
--| ------------+-------------+----------+----------+----------
--|       $2.00 |       $1.00 |       -1 |        0 |        1
--| (1 row)
select cash_words('0'), cash_words('0.01'), cash_words('1'), cash_words('1.01'), cash_words('-1.50'), cash_words('10'), cash_words('11.11'), cash_words('20.20'), cash_words('21.21');
--|          cash_words          |        cash_words         |        cash_words         |       cash_words        |            cash_words            |         cash_words         |           cash_words            |           cash_words            |               cash_words
--| -----------------------------+---------------------------+---------------------------+-------------------------+----------------------------------+----------------------------+---------------------------------+---------------------------------+-----------------------------------------
--|  Zero dollars and zero cents | Zero dollars and one cent | One dollar and zero cents | One dollar and one cent | Minus one dollar and fifty cents | Ten dollars and zero cents | Eleven dollars and eleven cents | Twenty dollars and twenty cents | Twenty one dollars and twenty one cents
--| (1 row)
select cash_words('100'), cash_words('101'), cash_words('110'), cash_words('111'), cash_words('120'), cash_words('121'), cash_words('1000'), cash_words('1001'), cash_words('1000000'), cash_words('1234567.89');
--|              cash_words             |                 cash_words                 |                 cash_words                 |                  cash_words                   |                cash_words                 |                  cash_words                   |              cash_words              |               cash_words                |             cash_words              |                                             cash_words
--| ------------------------------------+--------------------------------------------+--------------------------------------------+-----------------------------------------------+-------------------------------------------+-----------------------------------------------+--------------------------------------+-----------------------------------------+-------------------------------------+-----------------------------------------------------------------------------------------------------
--|  One hundred dollars and zero cents | One hundred and one dollars and zero cents | One hundred and ten dollars and zero cents | One hundred and eleven dollars and zero cents | One hundred twenty dollars and zero cents | One hundred twenty one dollars and zero cents | One thousand  dollars and zero cents | One thousand one dollars and zero cents | One million  dollars and zero cents | One million two hundred thirty four thousand five hundred sixty seven dollars and eighty nine cents
--| (1 row)
select cash_words('92233720368547758.07'), cash_words('-92233720368547758.08'), cash_words('1000000000000000'), cash_words('1000000000'), cash_words('1000000000000.10');
--|                                                                                                  cash_words                                                                                                  |                                                                                                    cash_words                                                                                                     |               cash_words                |             cash_words              |             cash_words
--| -------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------+-------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------+-----------------------------------------+-------------------------------------+-------------------------------------
--|  Ninety two quadrillion two hundred thirty three trillion seven hundred twenty billion three hundred sixty eight million five hundred forty seven thousand seven hundred fifty eight dollars and seven cents | Minus ninety two quadrillion two hundred thirty three trillion seven hundred twenty billion three hundred sixty eight million five hundred forty seven thousand seven hundred fifty eight dollars and eight cents | One quadrillion  dollars and zero cents | One billion  dollars and zero cents | One trillion  dollars and ten cents
--| (1 row)
select cash_send('1.23'), cash_send('-0.01');
--|      cash_send      |     cash_send
--| --------------------+--------------------
--|  \x000000000000007b | \xffffffffffffffff
--| (1 row)
select to_json('1234.5'::money), to_jsonb('1234.5'::money), json_build_object('a', '1'::money, '2'::money, 3), row_to_json(row('1'::money)), array_to_json('{1,2}'::money[]);
--|    to_json   |  to_jsonb   |      json_build_object       |  row_to_json   |   array_to_json
--| -------------+-------------+------------------------------+----------------+-------------------
--|  "$1,234.50" | "$1,234.50" | {"a" : "$1.00", "$2.00" : 3} | {"f1":"$1.00"} | ["$1.00","$2.00"]
--| (1 row)
select jsonb_build_array('1'::money), to_jsonb(array['1'::money]);
--|  jsonb_build_array | to_jsonb
--| -------------------+-----------
--|  ["$1.00"]         | ["$1.00"]
--| (1 row)
select format('%s %L', '1234.5'::money, '1234.5'::money), concat('1'::money, 'x'), '1'::money || 'x', 'x' || '1'::money;
--|         format         | concat | ?column? | ?column?
--| -----------------------+--------+----------+----------
--|  $1,234.50 '$1,234.50' | $1.00x | $1.00x   | x$1.00
--| (1 row)
select pg_typeof('1'::money), pg_typeof('1'::money / '2'::money), pg_typeof('1'::money * 2), pg_typeof(sum('1'::money)), pg_column_size('1'::money);
--|  pg_typeof |    pg_typeof     | pg_typeof | pg_typeof | pg_column_size
--| -----------+------------------+-----------+-----------+----------------
--|  money     | double precision | money     | money     |              8
--| (1 row)
select greatest('1'::money, '3'), least('1'::money, '3'), coalesce(null, '1'::money), nullif('1'::money, '1');
--|  greatest | least | coalesce | nullif
--| ----------+-------+----------+--------
--|     $3.00 | $1.00 |    $1.00 |
--| (1 row)
select case when true then '1'::money else 2 end;
--| ERROR:  42846: CASE/WHEN could not convert type money to integer
select case when true then '1'::money else '2' end;
--|  case
--| -------
--|  $1.00
--| (1 row)
select '1'::money union select 2;
--| ERROR:  42846: UNION could not convert type integer to money
select '1'::money union select '2' order by 1;
--|  money
--| -------
--|  $1.00
--|  $2.00
--| (2 rows)
select '1'::money union all select null;
--|  money
--| -------
--|  $1.00
--|
--| (2 rows)
select to_char('1'::money, '999');
--| ERROR:  42883: function to_char(money, unknown) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select round('1.5'::money);
--| ERROR:  42883: function round(money) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select pg_input_is_valid('1', 'money'), pg_input_is_valid('x', 'money');
--|  pg_input_is_valid | pg_input_is_valid
--| -------------------+-------------------
--|  t                 | f
--| (1 row)
select * from pg_input_error_info('x', 'money');
--|                  message                  | detail | hint | sql_error_code
--| ------------------------------------------+--------+------+----------------
--|  invalid input syntax for type money: "x" |        |      | 22P02
--| (1 row)
select * from pg_input_error_info('92233720368547758.08', 'money');
--|                            message                           | detail | hint | sql_error_code
--| -------------------------------------------------------------+--------+------+----------------
--|  value "92233720368547758.08" is out of range for type money |        |      | 22003
--| (1 row)

-- aggregates
create table m (id int primary key, m money, a money[]);
--| CREATE TABLE
insert into m values (1, '1.10', '{1,2}'), (2, '-2.25', '{"$1,234.56",NULL}'), (3, null, '{}'), (4, '1234567.89', null), (5, 3, null), (6, 3.456, null), (7, '1.10', '{{1,2},{3,4}}');
--| INSERT 0 7
insert into m values (8, 3.5::float8, null);
--| ERROR:  42804: column "m" is of type money but expression is of type double precision
--| HINT:  You will need to rewrite or cast the expression.
insert into m values (8, 3::smallint, null);
--| ERROR:  42804: column "m" is of type money but expression is of type smallint
--| HINT:  You will need to rewrite or cast the expression.
select * from m order by id;
--|  id |       m       |               a
--| ----+---------------+-------------------------------
--|   1 |         $1.10 | {$1.00,$2.00}
--|   2 |        -$2.25 | {"$1,234.56",NULL}
--|   3 |               | {}
--|   4 | $1,234,567.89 |
--|   5 |         $3.00 |
--|   6 |         $3.46 |
--|   7 |         $1.10 | {{$1.00,$2.00},{$3.00,$4.00}}
--| (7 rows)
select sum(m), min(m), max(m), count(m), count(distinct m) from m;
--|       sum      |  min   |      max      | count | count
--| ---------------+--------+---------------+-------+-------
--|  $1,234,574.30 | -$2.25 | $1,234,567.89 |     6 |     5
--| (1 row)
select avg(m) from m;
--| ERROR:  42883: function avg(money) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select avg(m::numeric), sum(m::numeric), stddev(m::numeric) from m;
--|          avg         |    sum     |     stddev
--| ---------------------+------------+-----------------
--|  205762.383333333333 | 1234574.30 | 504009.70718379
--| (1 row)
select sum(m) from m where false;
--|  sum
--| -----
--|
--| (1 row)
select sum(m) from (values ('92233720368547758.07'::money), ('0.01'), ('-1')) v(m);
--| ERROR:  22003: money out of range
select id, sum(m) over (order by id), sum(m) over (order by id rows between 1 preceding and current row), min(m) over (order by id rows 1 preceding), lag(m) over (order by id), rank() over (order by m), percent_rank() over (order by m) from m order by id;
--|  id |      sum      |      sum      |      min      |      lag      | rank |    percent_rank
--| ----+---------------+---------------+---------------+---------------+------+---------------------
--|   1 |         $1.10 |         $1.10 |         $1.10 |               |    2 | 0.16666666666666666
--|   2 |        -$1.15 |        -$1.15 |        -$2.25 |         $1.10 |    1 |                   0
--|   3 |        -$1.15 |        -$2.25 |        -$2.25 |        -$2.25 |    7 |                   1
--|   4 | $1,234,566.74 | $1,234,567.89 | $1,234,567.89 |               |    6 |  0.8333333333333334
--|   5 | $1,234,569.74 | $1,234,570.89 |         $3.00 | $1,234,567.89 |    4 |                 0.5
--|   6 | $1,234,573.20 |         $6.46 |         $3.00 |         $3.00 |    5 |  0.6666666666666666
--|   7 | $1,234,574.30 |         $4.56 |         $1.10 |         $3.46 |    2 | 0.16666666666666666
--| (7 rows)
select sum(m) over (order by m range between '1'::money preceding and current row) from m;
--| ERROR:  0A000: RANGE with offset PRECEDING/FOLLOWING is not supported for column type money
select percentile_disc(0.5) within group (order by m), mode() within group (order by m) from m;
--|  percentile_disc | mode
--| -----------------+-------
--|            $1.10 | $1.10
--| (1 row)
select percentile_cont(0.5) within group (order by m) from m;
--| ERROR:  42883: function percentile_cont(numeric, money) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select array_agg(m order by m), array_agg(distinct m), string_agg(m::text, ';' order by m), json_agg(m order by id) from m;
--|                        array_agg                       |                    array_agg                    |                  string_agg                  |                               json_agg
--| -------------------------------------------------------+-------------------------------------------------+----------------------------------------------+-----------------------------------------------------------------------
--|  {-$2.25,$1.10,$1.10,$3.00,$3.46,"$1,234,567.89",NULL} | {-$2.25,$1.10,$3.00,$3.46,"$1,234,567.89",NULL} | -$2.25;$1.10;$1.10;$3.00;$3.46;$1,234,567.89 | ["$1.10", "-$2.25", null, "$1,234,567.89", "$3.00", "$3.46", "$1.10"]
--| (1 row)
select m, count(*) from m group by m order by m desc;
--|        m       | count
--| ---------------+-------
--|                |     1
--|  $1,234,567.89 |     1
--|          $3.46 |     1
--|          $3.00 |     1
--|          $1.10 |     2
--|         -$2.25 |     1
--| (6 rows)
select m, count(*) from m group by rollup (m) order by m, 2;
--|        m       | count
--| ---------------+-------
--|         -$2.25 |     1
--|          $1.10 |     2
--|          $3.00 |     1
--|          $3.46 |     1
--|  $1,234,567.89 |     1
--|                |     1
--|                |     7
--| (7 rows)
select distinct m from m order by m nulls first;
--|        m
--| ---------------
--|
--|         -$2.25
--|          $1.10
--|          $3.00
--|          $3.46
--|  $1,234,567.89
--| (6 rows)
select a.id, b.id from m a join m b using (m) order by 1,2;
--|  id | id
--| ----+----
--|   1 |  1
--|   1 |  7
--|   2 |  2
--|   4 |  4
--|   5 |  5
--|   6 |  6
--|   7 |  1
--|   7 |  7
--| (8 rows)
select id from m where m = '1.1' order by id;
--|  id
--| ----
--|   1
--|   7
--| (2 rows)
select id from m where m > '1' and m < 4::money order by id;
--|  id
--| ----
--|   1
--|   5
--|   6
--|   7
--| (4 rows)
select id from m where m in ('1.10', '3') order by id;
--|  id
--| ----
--|   1
--|   5
--|   7
--| (3 rows)
select id from m where m = any ('{1.10,3}') order by id;
--|  id
--| ----
--|   1
--|   5
--|   7
--| (3 rows)
select id from m where m = any (array['1.10', '3']::money[]) order by id;
--|  id
--| ----
--|   1
--|   5
--|   7
--| (3 rows)
select a[1], a[1:1], array_length(a, 1), a || '5'::money, a @> '{1}', cardinality(a) from m order by id;
--| ERROR:  22000: argument must be empty or one-dimensional array
select unnest(a) from m order by id;
--|   unnest
--| -----------
--|      $1.00
--|      $2.00
--|  $1,234.56
--|
--|      $1.00
--|      $2.00
--|      $3.00
--|      $4.00
--| (8 rows)
select '{1,2}'::money[]::numeric[], '{1,2}'::int[]::money[], '{1,2}'::money[]::text[], array[1,2]::money[], array['1','2']::money[] = '{1,2}'::money[], array['1'::money] < array['2'::money];
--|    numeric   |     money     |     text      |     array     | ?column? | ?column?
--| -------------+---------------+---------------+---------------+----------+----------
--|  {1.00,2.00} | {$1.00,$2.00} | {$1.00,$2.00} | {$1.00,$2.00} | t        | t
--| (1 row)
select array['1'::money, 2];
--| ERROR:  42846: ARRAY could not convert type integer to money

-- tables
create table k (m money primary key, d money default 5, e money default '7.5', g money generated always as (m * 2) stored, check (m > '0'));
--| CREATE TABLE
insert into k (m) values ('1'), ('2'), ('1,000');
--| INSERT 0 3
insert into k (m) values ('1.00');
--| ERROR:  23505: duplicate key value violates unique constraint "k_pkey"
--| DETAIL:  Key (m)=($1.00) already exists.
insert into k (m) values ('-1');
--| ERROR:  23514: new row for relation "k" violates check constraint "k_m_check"
--| DETAIL:  Failing row contains (-$1.00, $5.00, $7.50, -$2.00).
insert into k (m) values ('x');
--| ERROR:  22P02: invalid input syntax for type money: "x"
insert into k (m) values (2.345), (10), (11::bigint);
--| INSERT 0 3
select * from k order by m;
--|      m     |   d   |   e   |     g
--| -----------+-------+-------+-----------
--|      $1.00 | $5.00 | $7.50 |     $2.00
--|      $2.00 | $5.00 | $7.50 |     $4.00
--|      $2.35 | $5.00 | $7.50 |     $4.70
--|     $10.00 | $5.00 | $7.50 |    $20.00
--|     $11.00 | $5.00 | $7.50 |    $22.00
--|  $1,000.00 | $5.00 | $7.50 | $2,000.00
--| (6 rows)
update k set m = m + '1' where m = '1000';
--| UPDATE 1
select * from k where m >= '1000'::money;
--|      m     |   d   |   e   |     g
--| -----------+-------+-------+-----------
--|  $1,001.00 | $5.00 | $7.50 | $2,002.00
--| (1 row)
delete from k where m < '2';
--| DELETE 1
select * from k order by m desc;
--|      m     |   d   |   e   |     g
--| -----------+-------+-------+-----------
--|  $1,001.00 | $5.00 | $7.50 | $2,002.00
--|     $11.00 | $5.00 | $7.50 |    $22.00
--|     $10.00 | $5.00 | $7.50 |    $20.00
--|      $2.35 | $5.00 | $7.50 |     $4.70
--|      $2.00 | $5.00 | $7.50 |     $4.00
--| (5 rows)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'k'::regclass order by 1;
--|      pg_get_constraintdef
--| ------------------------------
--|  CHECK ((m > '$0.00'::money))
--|  NOT NULL m
--|  PRIMARY KEY (m)
--| (3 rows)
create table k2 (m money references k, n numeric generated always as (m::numeric) stored);
--| ERROR:  42P17: generation expression is not immutable
create table k2 (m money references k, n text generated always as (m::text) stored);
--| ERROR:  42P17: generation expression is not immutable
create table k2 (m money references k, n money generated always as (m * 1.5) stored, o money);
--| CREATE TABLE
insert into k2 values ('11'), ('2');
--| INSERT 0 2
insert into k2 values ('12');
--| ERROR:  23503: insert or update on table "k2" violates foreign key constraint "k2_m_fkey"
--| DETAIL:  Key (m)=($12.00) is not present in table "k".
create index on k2 (n);
--| CREATE INDEX
create index on k2 using hash (n);
--| ERROR:  42704: data type money has no default operator class for access method "hash"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
create index on k2 using brin (n);
--| ERROR:  42704: data type money has no default operator class for access method "brin"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
create index on k2 using gin (n);
--| ERROR:  42704: data type money has no default operator class for access method "gin"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
create index on k2 using gist (n);
--| ERROR:  42704: data type money has no default operator class for access method "gist"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
create index on k2 (n money_ops desc);
--| CREATE INDEX
create index on k2 (n int8_ops);
--| ERROR:  42804: operator class "int8_ops" does not accept data type money
create index on k2 using brin (n money_minmax_ops);
--| ERROR:  42704: operator class "money_minmax_ops" does not exist for access method "brin"
create index on k2 ((n::numeric));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on k2 ((n + '1'));
--| CREATE INDEX
create index on k2 ((n * 2));
--| CREATE INDEX
create index on k2 (o) where o > '5';
--| CREATE INDEX
create index on k2 ((n + 5::money));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create table k3 (m money[] primary key);
--| CREATE TABLE
insert into k3 values ('{1}'), ('{1,2}');
--| INSERT 0 2
create index on k3 using gin (m);
--| CREATE INDEX
create index on k3 using hash (m);
--| CREATE INDEX
select * from k3 where m @> '{2}';
--|        m
--| ---------------
--|  {$1.00,$2.00}
--| (1 row)
alter table k2 alter column o type numeric;
--| ERROR:  42883: operator does not exist: numeric > money
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
alter table k2 alter column o type money;
--| ALTER TABLE
alter table k2 alter column o type money using o::money;
--| ALTER TABLE
alter table k2 alter column o type text;
--| ERROR:  42883: operator does not exist: text > money
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
alter table k2 alter column o type money;
--| ALTER TABLE
alter table k2 alter column o type int;
--| ERROR:  42804: column "o" cannot be cast automatically to type integer
--| HINT:  You might need to specify "USING o::integer".
alter table k2 add column p money not null default '3.999';
--| ALTER TABLE
select * from k2 order by 1;
--|    m    |   n    | o |   p
--| --------+--------+---+-------
--|   $2.00 |  $3.00 |   | $4.00
--|  $11.00 | $16.50 |   | $4.00
--| (2 rows)
create view v as select m, m + '5' as x, m * 2 as y, m / '2'::money as z, 5::money as c, m::numeric as n, '5'::text::money as t, m > '1' as b, (-5)::money as q, '-5'::money as w from k;
--| CREATE VIEW
select * from v order by 1 limit 1;
--|    m   |   x   |   y   | z |   c   |  n   |   t   | b |   q    |   w
--| -------+-------+-------+---+-------+------+-------+---+--------+--------
--|  $2.00 | $7.00 | $4.00 | 1 | $5.00 | 2.00 | $5.00 | t | -$5.00 | -$5.00
--| (1 row)
create domain price as money check (value >= '0') default '1';
--| CREATE DOMAIN
create table pd (p price, q price[]);
--| CREATE TABLE
insert into pd values (default, '{1,2}'), ('5', null);
--| INSERT 0 2
insert into pd values ('-5', null);
--| ERROR:  23514: value for domain price violates check constraint "price_check"
insert into pd values (5, null);
--| INSERT 0 1
select p, p * 2, q from pd order by 1;
--|    p   | ?column? |       q
--| -------+----------+---------------
--|  $1.00 |    $2.00 | {$1.00,$2.00}
--|  $5.00 |   $10.00 |
--|  $5.00 |   $10.00 |
--| (3 rows)
create type comp as (a money, b int);
--| CREATE TYPE
create table tc (c comp);
--| CREATE TABLE
insert into tc values (row('1234.5', 2)), ('("$1,234.56",7)'), ('(5,)');
--| INSERT 0 3
select c, (c).a, (c).a * 2 from tc order by c;
--|         c        |     a     | ?column?
--| -----------------+-----------+-----------
--|  ($5.00,)        |     $5.00 |    $10.00
--|  ("$1,234.50",2) | $1,234.50 | $2,469.00
--|  ("$1,234.56",7) | $1,234.56 | $2,469.12
--| (3 rows)
copy m to stdout;
--| 1	$1.10	{$1.00,$2.00}
--| 2	-$2.25	{"$1,234.56",NULL}
--| 3	\N	{}
--| 4	$1,234,567.89	\N
--| 5	$3.00	\N
--| 6	$3.46	\N
--| 7	$1.10	{{$1.00,$2.00},{$3.00,$4.00}}
copy m to stdout (format csv);
--| 1,$1.10,"{$1.00,$2.00}"
--| 2,-$2.25,"{""$1,234.56"",NULL}"
--| 3,,{}
--| 4,"$1,234,567.89",
--| 5,$3.00,
--| 6,$3.46,
--| 7,$1.10,"{{$1.00,$2.00},{$3.00,$4.00}}"
copy (select '1234.5'::money, array['1234.5'::money]) to stdout (format csv);
--| "$1,234.50","{""$1,234.50""}"
select id, m from m where id >= 10 order by id;
--|  id | m
--| ----+---
--| (0 rows)
prepare p (money) as select $1 * 2, $1 + '1', $1::numeric;
--| PREPARE
execute p ('5');
--|  ?column? | ?column? | numeric
--| ----------+----------+---------
--|    $10.00 |    $6.00 |    5.00
--| (1 row)
execute p (5);
--|  ?column? | ?column? | numeric
--| ----------+----------+---------
--|    $10.00 |    $6.00 |    5.00
--| (1 row)
execute p (5.5::float8);
--| ERROR:  42846: cannot cast type double precision to money
prepare p2 as select m from m where m = $1 order by id;
--| PREPARE
execute p2 ('1.10');
--|    m
--| -------
--|  $1.10
--|  $1.10
--| (2 rows)
with recursive r as (select '1'::money as m union select m from r) select * from r;
--| ERROR:  0A000: could not implement recursive UNION
--| DETAIL:  All column datatypes must be hashable.
with recursive r as (select '1'::money as m union all select m * 2 from r where m < '10') select * from r;
--|    m
--| --------
--|   $1.00
--|   $2.00
--|   $4.00
--|   $8.00
--|  $16.00
--| (5 rows)
select count(*) from (select '1'::money intersect select '1') s;
--|  count
--| -------
--|      1
--| (1 row)
select '1'::money except select '2';
--|  money
--| -------
--|  $1.00
--| (1 row)
select m from m order by m using >;
--|        m
--| ---------------
--|
--|  $1,234,567.89
--|          $3.46
--|          $3.00
--|          $1.10
--|          $1.10
--|         -$2.25
--| (7 rows)
select m from m order by m using < limit 1;
--|    m
--| --------
--|  -$2.25
--| (1 row)
select row('1'::money, 2) = row('1', 2), row('1'::money) < row('2'::money);
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
select '1'::money collate "C";
--| ERROR:  42804: collations are not supported by type money

-- catalog
select oid, typname, typlen, typbyval, typtype, typcategory, typispreferred, typarray, typelem, typalign, typstorage, typinput, typoutput, typreceive, typsend, typcollation from pg_type where oid in (790, 791) order by 1;
--|  oid | typname | typlen | typbyval | typtype | typcategory | typispreferred | typarray | typelem | typalign | typstorage | typinput | typoutput | typreceive |  typsend   | typcollation
--| -----+---------+--------+----------+---------+-------------+----------------+----------+---------+----------+------------+----------+-----------+------------+------------+--------------
--|  790 | money   |      8 | t        | b       | N           | f              |      791 |       0 | d        | p          | cash_in  | cash_out  | cash_recv  | cash_send  |            0
--|  791 | _money  |     -1 | f        | b       | A           | f              |        0 |     790 | d        | x          | array_in | array_out | array_recv | array_send |            0
--| (2 rows)
select castsource::regtype, casttarget::regtype, castcontext, castmethod from pg_cast where 790 in (castsource, casttarget) order by 1,2;
--|  castsource | casttarget | castcontext | castmethod
--| ------------+------------+-------------+------------
--|  bigint     | money      | a           | f
--|  integer    | money      | a           | f
--|  money      | numeric    | a           | f
--|  numeric    | money      | a           | f
--| (4 rows)
select oprname, oprleft::regtype, oprright::regtype, oprresult::regtype from pg_operator where 790 in (oprleft, oprright) order by 1,2,3;
--|  oprname |     oprleft      |     oprright     |    oprresult
--| ---------+------------------+------------------+------------------
--|  *       | bigint           | money            | money
--|  *       | smallint         | money            | money
--|  *       | integer          | money            | money
--|  *       | real             | money            | money
--|  *       | double precision | money            | money
--|  *       | money            | bigint           | money
--|  *       | money            | smallint         | money
--|  *       | money            | integer          | money
--|  *       | money            | real             | money
--|  *       | money            | double precision | money
--|  +       | money            | money            | money
--|  -       | money            | money            | money
--|  /       | money            | bigint           | money
--|  /       | money            | smallint         | money
--|  /       | money            | integer          | money
--|  /       | money            | real             | money
--|  /       | money            | double precision | money
--|  /       | money            | money            | double precision
--|  <       | money            | money            | boolean
--|  <=      | money            | money            | boolean
--|  <>      | money            | money            | boolean
--|  =       | money            | money            | boolean
--|  >       | money            | money            | boolean
--|  >=      | money            | money            | boolean
--| (24 rows)
select proname, pg_get_function_identity_arguments(oid), provolatile from pg_proc where proname in ('cash_words','cashlarger','cashsmaller','cash_cmp','cash_send','cash_in','cash_out','cash_recv') order by 1,2;
--|    proname   | pg_get_function_identity_arguments | provolatile
--| -------------+------------------------------------+-------------
--|  cash_cmp    | money, money                       | i
--|  cash_in     | cstring                            | s
--|  cash_out    | money                              | s
--|  cash_recv   | internal                           | i
--|  cash_send   | money                              | i
--|  cash_send   | money                              | i
--|  cash_words  | money                              | i
--|  cashlarger  | money, money                       | i
--|  cashsmaller | money, money                       | i
--| (9 rows)
select opcname, opcdefault, opcintype::regtype from pg_opclass where opcintype = 790;
--|   opcname  | opcdefault | opcintype
--| -----------+------------+-----------
--|  money_ops | t          | money
--| (1 row)
select '790'::regtype, 'money'::regtype::oid, 'money[]'::regtype, to_regtype('money'), format_type(790, -1), format_type(791, -1), format_type(790, 5);
--|  regtype | oid | regtype | to_regtype | format_type | format_type | format_type
--| ---------+-----+---------+------------+-------------+-------------+-------------
--|  money   | 790 | money[] | money      | money       | money[]     | money
--| (1 row)
select column_name, data_type, udt_name, numeric_precision, numeric_scale, numeric_precision_radix from information_schema.columns where table_name = 'm' order by ordinal_position;
--|  column_name | data_type | udt_name | numeric_precision | numeric_scale | numeric_precision_radix
--| -------------+-----------+----------+-------------------+---------------+-------------------------
--|  id          | integer   | int4     |                32 |             0 |                       2
--|  m           | money     | money    |                   |               |
--|  a           | ARRAY     | _money   |                   |               |
--| (3 rows)
select min(x), max(x) from (values ('1'::money), ('2')) v(x);
--|   min  |  max
--| -------+-------
--|  $1.00 | $2.00
--| (1 row)
set lc_monetary = 'C'; show lc_monetary;
--| SET
--|  lc_monetary
--| -------------
--|  C
--| (1 row)
set lc_monetary = 'POSIX';
--| SET
set lc_monetary = '';
--| SET
set lc_monetary = 'C.UTF-8';
--| SET
set lc_monetary = 'de_DE.UTF-8';
--| ERROR:  0A000: locale "de_DE.UTF-8" is not supported for lc_monetary
reset lc_monetary;
--| RESET
select json_populate_record(null::comp, '{"a": "$5.50", "b": 1}'), json_populate_record(null::comp, '{"a": 5.5, "b": 1}');
--|  json_populate_record | json_populate_record
--| ----------------------+----------------------
--|  ($5.50,1)            | ($5.50,1)
--| (1 row)
select * from json_to_record('{"a": 5.5, "b": ["1", 2]}') as x(a money, b money[]);
--|    a   |       b
--| -------+---------------
--|  $5.50 | {$1.00,$2.00}
--| (1 row)
select json_value('{"a": "$5.50"}', '$.a' returning money);
--|  json_value
--| ------------
--|       $5.50
--| (1 row)
select '1'::money and true;
--| ERROR:  42804: argument of AND must be type boolean, not type money
select bool('1'::money);
--| ERROR:  42883: function bool(money) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select ('5'::money)::int;
--| ERROR:  42846: cannot cast type money to integer
select sum(x) from generate_series(1,3) x, (select '1'::money) y(m) where x * m > '1.5';
--|  sum
--| -----
--|    5
--| (1 row)
select m::numeric::money from m order by id limit 2;
--|    m
--| --------
--|   $1.10
--|  -$2.25
--| (2 rows)
drop view v; drop table k2; drop table k, k3, m, pd, tc;
--| DROP VIEW
--| DROP TABLE
--| DROP TABLE
