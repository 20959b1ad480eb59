-- Names of other systems' types are names like any other.

select 1::uint64;
--| ERROR:  42704: type "uint64" does not exist
select '1'::nvarchar(10);
--| ERROR:  42704: type "nvarchar" does not exist
create table t (d datetime);
--| ERROR:  42704: type "datetime" does not exist
create table t (n int unsigned);
--| ERROR:  42601: syntax error at or near "unsigned"
create domain uint64 as numeric(20,0) check (value >= 0);
--| CREATE DOMAIN
create domain string as varchar(5);
--| CREATE DOMAIN
create domain datetime as timestamp(0);
--| CREATE DOMAIN
create domain blob as bytea;
--| CREATE DOMAIN
create type tinyint as enum ('small', 'tiny');
--| CREATE TYPE
create type bytes as (n int, s text);
--| CREATE TYPE
select 1::uint64, 18446744073709551615::uint64;
--|  uint64 |        uint64
--| --------+----------------------
--|       1 | 18446744073709551615
--| (1 row)
select (-1)::uint64;
--| ERROR:  23514: value for domain uint64 violates check constraint "uint64_check"
select cast('long' as string), pg_typeof(cast('long' as string));
--|  string |     pg_typeof
--| --------+-------------------
--|  long   | character varying
--| (1 row)
select 'longer'::string;
--|  string
--| --------
--|  longe
--| (1 row)
create table t (n uint64, s string not null, d datetime default '2026-01-01 00:00:00.6', b blob, e tinyint, r bytes, l tinyint[]);
--| CREATE TABLE
insert into t values (7, 'five5', default, '\x01', 'tiny', row(1, 'x'), '{small,tiny}') returning *;
--|  n |   s   |          d          |  b   |  e   |   r   |      l
--| ---+-------+---------------------+------+------+-------+--------------
--|  7 | five5 | 2026-01-01 00:00:01 | \x01 | tiny | (1,x) | {small,tiny}
--| (1 row)
--| INSERT 0 1
select (r).s, uint64 '8', tinyint 'small' from t;
--|  s | uint64 | tinyint
--| ---+--------+---------
--|  x |      8 | small
--| (1 row)
select column_name, domain_name, udt_name from information_schema.columns where table_name = 't' order by ordinal_position;
--|  column_name | domain_name | udt_name
--| -------------+-------------+-----------
--|  n           | uint64      | numeric
--|  s           | string      | varchar
--|  d           | datetime    | timestamp
--|  b           | blob        | bytea
--|  e           |             | tinyint
--|  r           |             | bytes
--|  l           |             | _tinyint
--| (7 rows)
select 1 as unsigned, 2 as string, 3 blob, 4 as "datetime";
--|  unsigned | string | blob | datetime
--| ----------+--------+------+----------
--|         1 |      2 |    3 |        4
--| (1 row)
prepare p (uint64, string) as select $1, $2;
--| PREPARE
execute p (1, 'a');
--|  ?column? | ?column?
--| ----------+----------
--|         1 | a
--| (1 row)
create table string (blob int, bytes text);
--| ERROR:  42710: type "string" already exists
--| HINT:  A relation has an associated type of the same name, so you must use a name that doesn't conflict with any existing type.
select string.blob, bytes from string;
--| ERROR:  42P01: relation "string" does not exist

-- A text is read as a type as SQL writes it: with modifiers, brackets and words behind them.
create schema tn1;
--| CREATE SCHEMA
create domain tn1.d as varchar(3);
--| CREATE DOMAIN
create type tn1.e as enum ('a');
--| CREATE TYPE
select 'character varying(1024)'::regtype, 'numeric(10,2)'::regtype, 'timestamp(3) with time zone'::regtype, 'varchar(10)[]'::regtype;
--|       regtype      | regtype |         regtype          |       regtype
--| -------------------+---------+--------------------------+---------------------
--|  character varying | numeric | timestamp with time zone | character varying[]
--| (1 row)
select 'interval day to second(3)'::regtype, 'bit varying(4)'::regtype, 'float(10)'::regtype, '"varchar"(3)'::regtype, 'int array[3]'::regtype;
--|  regtype  |   regtype   | regtype |      regtype      |  regtype
--| ----------+-------------+---------+-------------------+-----------
--|  interval | bit varying | real    | character varying | integer[]
--| (1 row)
select 'tn1.d'::regtype, 'tn1.e[]'::regtype, 'tn1.e[][]'::regtype, to_regtype('char(3)')::oid;
--|  regtype | regtype | regtype | to_regtype
--| ---------+---------+---------+------------
--|  tn1.d   | tn1.e[] | tn1.e[] |       1042
--| (1 row)
select to_regtype('nope(3)'), to_regtypemod('nope'), to_regtypemod('tn1.e'), to_regtypemod('tn1.d'), to_regtypemod('varchar(3)'), to_regtypemod('timestamp(3) with time zone'), to_regtypemod('interval year'), to_regtypemod('numeric(3,2)[]');
--|  to_regtype | to_regtypemod | to_regtypemod | to_regtypemod | to_regtypemod | to_regtypemod | to_regtypemod | to_regtypemod
--| ------------+---------------+---------------+---------------+---------------+---------------+---------------+---------------
--|             |               |            -1 |            -1 |             7 |             3 |        327679 |        196614
--| (1 row)
select pg_input_is_valid('2000-01-01', 'timestamp(3) with time zone'), pg_input_is_valid('abcd', 'varchar(3)'), pg_input_is_valid('b', 'tn1.e');
--|  pg_input_is_valid | pg_input_is_valid | pg_input_is_valid
--| -------------------+-------------------+-------------------
--|  t                 | f                 | f
--| (1 row)
select 'nope(3)'::regtype;
--| ERROR:  42704: type "nope" does not exist
select 'numeric(0)'::regtype;
--| ERROR:  22023: NUMERIC precision 0 must be between 1 and 1000
select 'text(3)'::regtype;
--| ERROR:  42601: type modifier is not allowed for type "text"
select ''::regtype;
--| ERROR:  42601: invalid type name ""
select 'int4 int4'::regtype;
--| ERROR:  42601: syntax error at or near "int4"
select 'int) + (1'::regtype;
--| ERROR:  42601: invalid type name "int) + (1"
select pg_input_is_valid('abcd', 'tn1.d');
--|  pg_input_is_valid
--| -------------------
--|  f
--| (1 row)
drop schema tn1 cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to type tn1.d
--| drop cascades to type tn1.e
--| DROP SCHEMA
