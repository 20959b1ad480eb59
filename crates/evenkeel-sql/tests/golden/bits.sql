-- Strings of bits.

select b'101', B'0', x'1F', X'', B'', pg_typeof(b'1'), pg_typeof(x'1');
--|  ?column? | ?column? | ?column? | ?column? | ?column? | pg_typeof | pg_typeof
--| ----------+----------+----------+----------+----------+-----------+-----------
--|  101      | 0        | 00011111 |          |          | bit       | bit
--| (1 row)
select B'102';
--| ERROR:  22P02: "2" is not a valid binary digit
select X'1G';
--| ERROR:  22P02: "G" is not a valid hexadecimal digit
select 'b101'::bit(3), 'x1F'::bit(8), '101'::varbit, 'X1f'::bit varying, ''::varbit;
--|  bit |   bit    | varbit |  varbit  | varbit
--| -----+----------+--------+----------+--------
--|  101 | 00011111 | 101    | 00011111 |
--| (1 row)
select '12'::bit(2);
--| ERROR:  22P02: "2" is not a valid binary digit
select 'x1G'::varbit;
--| ERROR:  22P02: "G" is not a valid hexadecimal digit
select 'é'::varbit;
--| ERROR:  22P02: "é" is not a valid binary digit
select b'101'::bit, b'101'::bit(2), b'101'::bit(5), b'101'::varbit(2), b'101'::varbit(5), '101'::bit, '101'::bit(2), '101'::bit(5), '101'::varbit(2);
--|  bit | bit |  bit  | varbit | varbit | bit | bit |  bit  | varbit
--| -----+-----+-------+--------+--------+-----+-----+-------+--------
--|  1   | 10  | 10100 | 10     | 101    | 1   | 10  | 10100 | 10
--| (1 row)
select '1'::bit(0);
--| ERROR:  22023: length for type bit must be at least 1
select '1'::bit varying(83886081);
--| ERROR:  22023: length for type varbit cannot exceed 83886080
select format_type(1560, 3), format_type(1560, -1), format_type(1560, null), format_type(1562, 3), format_type(1562, -1), format_type(1561, 4), format_type(1563, null);
--|  format_type | format_type | format_type |  format_type   | format_type | format_type |  format_type
--| -------------+-------------+-------------+----------------+-------------+-------------+---------------
--|  bit(3)      | "bit"       | bit         | bit varying(3) | bit varying | bit(4)[]    | bit varying[]
--| (1 row)
create table b (id int primary key, f bit(4), v bit varying(6), d bit, a bit(3)[], w varbit);
--| CREATE TABLE
insert into b values (1, '1010', '101', '1', '{101,111}', '1');
--| INSERT 0 1
insert into b values (2, B'1111', B'', B'0', array[B'001', null], x'ff00');
--| INSERT 0 1
insert into b values (3, '101', null, null, null, null);
--| ERROR:  22026: bit string length 3 does not match type bit(4)
insert into b values (3, B'10101', null, null, null, null);
--| ERROR:  22026: bit string length 5 does not match type bit(4)
insert into b values (3, '1010', '1010101', null, null, null);
--| ERROR:  22001: bit string too long for type bit varying(6)
insert into b values (3, '1010', B'1010101', null, null, null);
--| ERROR:  22001: bit string too long for type bit varying(6)
insert into b values (3, '1010', null, '11', null, null);
--| ERROR:  22026: bit string length 2 does not match type bit(1)
insert into b values (3, '1010', null, null, '{10}', null);
--| ERROR:  22026: bit string length 2 does not match type bit(3)
insert into b values (3, 10::bit(4), 5::bit(3), 0::bit, null, B'101' || B'1');
--| INSERT 0 1
select * from b order by id;
--|  id |  f   |  v  | d |     a      |        w
--| ----+------+-----+---+------------+------------------
--|   1 | 1010 | 101 | 1 | {101,111}  | 1
--|   2 | 1111 |     | 0 | {001,NULL} | 1111111100000000
--|   3 | 1010 | 101 | 0 |            | 1011
--| (3 rows)
select f & B'0110', f | B'0110', f # B'0110', ~f, f << 1, f >> 1, f << 9, f >> -1, f << -2, v || f, ~v from b order by id;
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------+----------+----------+----------+----------
--|  0010     | 1110     | 1100     | 0101     | 0100     | 0101     | 0000     | 0100     | 0010     | 1011010  | 010
--|  0110     | 1111     | 1001     | 0000     | 1110     | 0111     | 0000     | 1110     | 0011     | 1111     |
--|  0010     | 1110     | 1100     | 0101     | 0100     | 0101     | 0000     | 0100     | 0010     | 1011010  | 010
--| (3 rows)
select B'1' & B'10';
--| ERROR:  22026: cannot AND bit strings of different sizes
select B'1' | B'10';
--| ERROR:  22026: cannot OR bit strings of different sizes
select B'1' # B'10';
--| ERROR:  22026: cannot XOR bit strings of different sizes
select length(v), octet_length(v), bit_length(v), bit_count(w), length(w), octet_length(w) from b order by id;
--|  length | octet_length | bit_length | bit_count | length | octet_length
--| --------+--------------+------------+-----------+--------+--------------
--|       3 |            1 |          3 |         1 |      1 |            1
--|       0 |            0 |          0 |         8 |     16 |            2
--|       3 |            1 |          3 |         3 |      4 |            1
--| (3 rows)
select length(B'101010101'), octet_length(B'101010101'), bit_count(x'ff01'), octet_length(B'');
--|  length | octet_length | bit_count | octet_length
--| --------+--------------+-----------+--------------
--|       9 |            2 |         9 |            0
--| (1 row)
select substring(B'1010101' from 2 for 3), substring(B'1010101' from 3), substring(B'1010101', -1, 4), substring(B'1010101' from 9), substring(B'1010101' for 2), substring(B'110011001100' from 4 for 7);
--|  substring | substring | substring | substring | substring | substring
--| -----------+-----------+-----------+-----------+-----------+-----------
--|  010       | 10101     | 10        |           | 10        | 0110011
--| (1 row)
select substring(B'1010101' from 2 for -1);
--| ERROR:  22011: negative substring length not allowed
select overlay(B'0101011100' placing '001' from 2 for 3), overlay(B'0101011100' placing '101' from 6), overlay(B'0101011100' placing '001' from 11), overlay(B'0101011100' placing '001' from 20);
--|   overlay   |  overlay   |    overlay    |    overlay
--| ------------+------------+---------------+---------------
--|  0001011100 | 0101010100 | 0101011100001 | 0101011100001
--| (1 row)
select overlay(B'01' placing B'1' from 0);
--| ERROR:  22011: negative substring length not allowed
select position(B'1010' in B'0000101'), position(B'1010' in B'00001010'), position(B'' in B'00001010'), position(B'1' in B''), position(B'' in B''), position(B'111' in B'11'), position(B'1101' in B'000000000011010');
--|  position | position | position | position | position | position | position
--| ----------+----------+----------+----------+----------+----------+----------
--|         0 |        5 |        1 |        0 |        0 |        0 |       11
--| (1 row)
select get_bit(B'1010', 0), get_bit(B'1010', 3), set_bit(B'1010', 3, 1), set_bit(B'1111', 0, 0);
--|  get_bit | get_bit | set_bit | set_bit
--| ---------+---------+---------+---------
--|        1 |       0 | 1011    | 0111
--| (1 row)
select get_bit(B'1010', 4);
--| ERROR:  2202E: bit index 4 out of valid range (0..3)
select set_bit(B'1010', -1, 1);
--| ERROR:  2202E: bit index -1 out of valid range (0..3)
select set_bit(B'1010', 1, 2);
--| ERROR:  22023: new bit must be 0 or 1
select 44::bit(10), 44::bit(3), (-44)::bit(12), 44::bit, (-1)::bit(40), 5::bigint::bit(70), (-5)::bigint::bit(70), cast(44 as bit(10))::int, B'1110'::int, B'1110'::bigint, x'ffffffff'::int, x'ffffffffffffffff'::bigint, B''::int;
--|     bit     | bit |     bit      | bit |                   bit                    |                                  bit                                   |                                  bit                                   | int4 | int4 | int8 | int4 | int8 | int4
--| ------------+-----+--------------+-----+------------------------------------------+------------------------------------------------------------------------+------------------------------------------------------------------------+------+------+------+------+------+------
--|  0000101100 | 100 | 111111010100 | 0   | 1111111111111111111111111111111111111111 | 0000000000000000000000000000000000000000000000000000000000000000000101 | 1111111111111111111111111111111111111111111111111111111111111111111011 |   44 |   14 |   14 |   -1 |   -1 |    0
--| (1 row)
select x'1ffffffff'::int;
--| ERROR:  22003: integer out of range
select x'1ffffffffffffffff'::bigint;
--| ERROR:  22003: bigint out of range
select 5::varbit;
--| ERROR:  42846: cannot cast type integer to bit varying
select b'1'::smallint;
--| ERROR:  42846: cannot cast type bit to smallint
select b'101'::text, b'101'::varchar(2), '101'::text::bit(3), b'1' || 'x'::text;
--|  text | varchar | bit | ?column?
--| ------+---------+-----+----------
--|  101  | 10      | 101 | 1x
--| (1 row)
select B'01' < B'1', B'01' < B'010', B'0' = B'00', B'10' > B'0111', B'1'::varbit = B'1', B'101'::bit(5) = B'10100', B'' < B'0', greatest(B'01', B'1'), B'1' is distinct from B'10';
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | greatest | ?column?
--| ----------+----------+----------+----------+----------+----------+----------+----------+----------
--|  t        | t        | f        | t        | t        | t        | t        | 1        | t
--| (1 row)
select * from (values (B'1'), (B'0'), (B'01'), (B'10'), (B''), (B'00000000'), (B'000000000'), (B'11111111'), (B'111111110')) v(x) order by x;
--|      x
--| -----------
--|
--|  0
--|  00000000
--|  000000000
--|  01
--|  1
--|  10
--|  11111111
--|  111111110
--| (9 rows)
select x, count(*) from (values (B'1'), (B'01'), (B'1'), (B'10')) v(x) group by x order by x desc;
--|  x  | count
--| ----+-------
--|  10 |     1
--|  1  |     2
--|  01 |     1
--| (3 rows)
select distinct f from b order by 1;
--|   f
--| ------
--|  1010
--|  1111
--| (2 rows)
select bit_and(f), bit_or(f), bit_xor(f), bit_and(w), array_agg(v order by v), string_agg(v::text, ',' order by id) from b where id < 3 and length(w) > 1;
--|  bit_and | bit_or | bit_xor |     bit_and      | array_agg | string_agg
--| ---------+--------+---------+------------------+-----------+------------
--|  1111    | 1111   | 1111    | 1111111100000000 | {""}      |
--| (1 row)
select bit_and(f), bit_or(f), bit_xor(f) from b;
--|  bit_and | bit_or | bit_xor
--| ---------+--------+---------
--|  1010    | 1111   | 1111
--| (1 row)
select bit_or(w) from b;
--| ERROR:  22026: cannot OR bit strings of different sizes
select bit_and(f) from b where false;
--|  bit_and
--| ---------
--|
--| (1 row)
select id, bit_or(f) over (order by id) from b order by id;
--|  id | bit_or
--| ----+--------
--|   1 | 1010
--|   2 | 1111
--|   3 | 1111
--| (3 rows)
select min(f) from b;
--| ERROR:  42883: function min(bit) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
create index b_f on b (f);
--| CREATE INDEX
create index b_v on b (v desc nulls last, id);
--| CREATE INDEX
create unique index b_w on b (w);
--| CREATE INDEX
create index on b using hash (f);
--| ERROR:  42704: data type bit has no default operator class for access method "hash"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
create index on b using brin (w);
--| CREATE INDEX
set enable_seqscan to off;
--| SET
explain (costs off) select id from b where f = B'1010';
--|             QUERY PLAN
--| -----------------------------------
--|  Index Scan using b_f on b
--|    Index Cond: (f = '1010'::"bit")
--| (2 rows)
select id from b where f = B'1010' order by id;
--|  id
--| ----
--|   1
--|   3
--| (2 rows)
select id from b where v > B'1' order by v, id;
--|  id
--| ----
--|   1
--|   3
--| (2 rows)
select v from b order by v desc nulls last;
--|   v
--| -----
--|  101
--|  101
--|
--| (3 rows)
insert into b (id, w) values (4, x'ff00');
--| ERROR:  23505: duplicate key value violates unique constraint "b_w"
--| DETAIL:  Key (w)=(1111111100000000) already exists.
reset enable_seqscan;
--| RESET
create table k (v varbit primary key, n int);
--| CREATE TABLE
insert into k select (case when g % 2 = 0 then g::bit(12)::varbit else substring(g::bit(12) from 5) end), g from generate_series(1, 400) g on conflict do nothing;
--| INSERT 0 328
select count(*), min(v::text), count(distinct v) from k;
--|  count |     min      | count
--| -------+--------------+-------
--|    328 | 000000000010 |   328
--| (1 row)
select v, n from k where v between B'0000' and B'00000000011' order by v;
--|       v       | n
--| --------------+---
--|  000000000010 | 2
--|  000000000100 | 4
--| (2 rows)
select v from k order by v limit 5;
--|       v
--| --------------
--|  000000000010
--|  000000000100
--|  000000000110
--|  000000001000
--|  000000001010
--| (5 rows)
select v from k order by v desc limit 5;
--|     v
--| ----------
--|  11111111
--|  11111101
--|  11111011
--|  11111001
--|  11110111
--| (5 rows)
drop table k;
--| DROP TABLE
copy b (id, f, v, a) to stdout;
--| 1	1010	101	{101,111}
--| 2	1111		{001,NULL}
--| 3	1010	101	\N
copy b (id, f, v) from stdin;
--< 7	0001	110
--< 8	1000	\N
--| COPY 2
copy b (id, f) from stdin;
--< 9	00011
--| ERROR:  22026: bit string length 5 does not match type bit(4)
--| CONTEXT:  COPY b, line 1, column f: "00011"
select id, f, v from b where id > 5 order by id;
--|  id |  f   |  v
--| ----+------+-----
--|   7 | 0001 | 110
--|   8 | 1000 |
--| (2 rows)
select attname, format_type(atttypid, atttypmod), atttypmod from pg_attribute where attrelid = 'b'::regclass and attnum > 1 order by attnum;
--|  attname |  format_type   | atttypmod
--| ---------+----------------+-----------
--|  f       | bit(4)         |         4
--|  v       | bit varying(6) |         6
--|  d       | bit(1)         |         1
--|  a       | bit(3)[]       |         3
--|  w       | bit varying    |        -1
--| (5 rows)
select column_name, data_type, character_maximum_length, udt_name from information_schema.columns where table_name = 'b' and column_name in ('f', 'v', 'w', 'd') order by 1;
--|  column_name |  data_type  | character_maximum_length | udt_name
--| -------------+-------------+--------------------------+----------
--|  d           | bit         |                        1 | bit
--|  f           | bit         |                        4 | bit
--|  v           | bit varying |                        6 | varbit
--|  w           | bit varying |                          | varbit
--| (4 rows)
select typname, typlen, typcategory, typispreferred, typarray, typelem from pg_type where oid in (1560, 1561, 1562, 1563) order by oid;
--|  typname | typlen | typcategory | typispreferred | typarray | typelem
--| ---------+--------+-------------+----------------+----------+---------
--|  bit     |     -1 | V           | f              |     1561 |       0
--|  _bit    |     -1 | A           | f              |        0 |    1560
--|  varbit  |     -1 | V           | t              |     1563 |       0
--|  _varbit |     -1 | A           | f              |        0 |    1562
--| (4 rows)
select to_json(B'101'), jsonb_build_object('a', x'0f'), array[B'1', B'01'], row(B'1', x'f');
--|  to_json | jsonb_build_object | array  |   row
--| ---------+--------------------+--------+----------
--|  "101"   | {"a": "00001111"}  | {1,01} | (1,1111)
--| (1 row)
prepare p(bit, varbit) as select $1 || $2, $1 & B'1';
--| PREPARE
execute p('1', '101');
--|  ?column? | ?column?
--| ----------+----------
--|  1101     | 1
--| (1 row)
create view seen as select id, f & B'0011' as m, v || B'1' as c, f = '1010' as is_it, w = x'ff' as o, f::bit(2) as cut, 5::bit(4) as five from b;
--| CREATE VIEW
select pg_get_viewdef('seen');
--|              pg_get_viewdef
--| -----------------------------------------
--|   SELECT id,                            +
--|      (f & '0011'::"bit") AS m,          +
--|      (v || '1'::bit varying) AS c,      +
--|      (f = '1010'::"bit") AS is_it,      +
--|      (w = '11111111'::bit varying) AS o,+
--|      (f)::bit(2) AS cut,                +
--|      '0101'::bit(4) AS five             +
--|     FROM b;
--| (1 row)
select * from seen where id < 3 order by id;
--|  id |  m   |  c   | is_it | o | cut | five
--| ----+------+------+-------+---+-----+------
--|   1 | 0010 | 1011 | t     | f | 10  | 0101
--|   2 | 0011 | 1    | f     | f | 11  | 0101
--| (2 rows)
drop view seen;
--| DROP VIEW
alter table b add column e bit(8) default B'00000001';
--| ALTER TABLE
select id, e from b where id = 1;
--|  id |    e
--| ----+----------
--|   1 | 00000001
--| (1 row)
alter table b add check (get_bit(f, 0) = 1 or id > 2);
--| ALTER TABLE
alter table b alter column f type bit(5);
--| ERROR:  22026: bit string length 4 does not match type bit(5)
alter table b alter column f type varbit using f || B'0';
--| ALTER TABLE
select id, f from b order by id limit 2;
--|  id |   f
--| ----+-------
--|   1 | 10100
--|   2 | 11110
--| (2 rows)
drop table b;
--| DROP TABLE
select bit 'x'; 
--|  bit
--| -----
--|
--| (1 row)
select bit '101', bit(4) '101', varbit '101', bit varying(2) '101';
--|  bit | bit  | varbit | varbit
--| -----+------+--------+--------
--|  101 | 1010 | 101    | 10
--| (1 row)
select (repeat('1', 1000000)::varbit || B'0') << 3 = (repeat('1', 999998)::varbit || B'0000')::bit(1000001), position(B'01' in repeat('1', 100000)::varbit), length(repeat('f', 10)::varbit);
--| ERROR:  22P02: "f" is not a valid binary digit
select bit(10) '1' || bit(3) '101' as joined, substring(x'deadbeef' from 5 for 8), x'0f' # x'ff', (B'1' || x'80')::bit(9);
--|     joined     | substring | ?column? |    bit
--| ---------------+-----------+----------+-----------
--|  1000000000101 | 11101010  | 11110000 | 110000000
--| (1 row)
-- Before a literal a type without a length has none.
select bit '101', char 'abc', character 'abc', varchar 'abc', bit(2) '101', char(2) 'abc', '101'::bit, 'abc'::char;
--|  bit | bpchar | bpchar | varchar | bit | bpchar | bit | bpchar
--| -----+--------+--------+---------+-----+--------+-----+--------
--|  101 | abc    | abc    | abc     | 10  | ab     | 1   | a
--| (1 row)
