-- inet, cidr and macaddr: columns, indexes, COPY, statistics, networks that contain one another.

create table hosts (id int primary key, i inet, c cidr, m macaddr, l inet[]);
--| CREATE TABLE
insert into hosts values (1, '10.1.2.3', '10.0.0.0/8', '08:00:2b:01:02:03', '{10.1.2.3,::1/64}'), (2, 'fe80::1/64', 'fe80::/64', '08-00-2b-01-02-00', null), (3, null, null, null, '{}');
--| INSERT 0 3
insert into hosts values (4, '10.1.2.300', null, null, null);
--| ERROR:  22P02: invalid input syntax for type inet: "10.1.2.300"
insert into hosts values (4, null, '10.1.2.3/8', null, null);
--| ERROR:  22P02: invalid cidr value: "10.1.2.3/8"
--| DETAIL:  Value has bits set to right of mask.
select * from hosts order by id;
--|  id |     i      |     c      |         m         |         l
--| ----+------------+------------+-------------------+-------------------
--|   1 | 10.1.2.3   | 10.0.0.0/8 | 08:00:2b:01:02:03 | {10.1.2.3,::1/64}
--|   2 | fe80::1/64 | fe80::/64  | 08:00:2b:01:02:00 |
--|   3 |            |            |                   | {}
--| (3 rows)
select id from hosts where i << '10.0.0.0/8';
--|  id
--| ----
--|   1
--| (1 row)
select id from hosts where c >>= i order by id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from hosts where i = '10.1.2.3';
--|  id
--| ----
--|   1
--| (1 row)
create index on hosts (i);
--| CREATE INDEX
create index on hosts (c inet_ops);
--| CREATE INDEX
create index on hosts (m macaddr_ops desc);
--| CREATE INDEX
select id from hosts where i > '10.1.2.0' order by i;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id, m from hosts order by m nulls first;
--|  id |         m
--| ----+-------------------
--|   3 |
--|   2 | 08:00:2b:01:02:00
--|   1 | 08:00:2b:01:02:03
--| (3 rows)
select i, count(*) from hosts group by i order by i;
--|      i      | count
--| ------------+-------
--|  10.1.2.3   |     1
--|  fe80::1/64 |     1
--|             |     1
--| (3 rows)
select distinct c from hosts order by 1;
--|      c
--| ------------
--|  10.0.0.0/8
--|  fe80::/64
--|
--| (3 rows)
analyze hosts;
--| ANALYZE
select format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'hosts'::regclass and attnum > 1 order by attnum;
--|  format_type
--| -------------
--|  inet
--|  cidr
--|  macaddr
--|  inet[]
--| (4 rows)
select typname, typlen, typbyval, typalign, typstorage, typcategory, typispreferred from pg_type where typname in ('inet', 'cidr', 'macaddr') order by 1;
--|  typname | typlen | typbyval | typalign | typstorage | typcategory | typispreferred
--| ---------+--------+----------+----------+------------+-------------+----------------
--|  cidr    |     -1 | f        | i        | m          | I           | f
--|  inet    |     -1 | f        | i        | m          | I           | t
--|  macaddr |      6 | f        | i        | p          | U           | f
--| (3 rows)
copy hosts from stdin;
--< 10	192.168.0.1/24	192.168/16	08002b010203	{}
--| COPY 1
copy (select * from hosts where id = 10) to stdout;
--| 10	192.168.0.1/24	192.168.0.0/16	08:00:2b:01:02:03	{}
select host(i), masklen(i), network(i), broadcast(i), abbrev(c), i::text, c::text from hosts where id = 10;
--|     host     | masklen |    network     |    broadcast     |   abbrev   |       i        |       c
--| -------------+---------+----------------+------------------+------------+----------------+----------------
--|  192.168.0.1 |      24 | 192.168.0.0/24 | 192.168.0.255/24 | 192.168/16 | 192.168.0.1/24 | 192.168.0.0/16
--| (1 row)
select a.id, b.id from hosts a join hosts b on a.i = host(b.i)::inet order by 1, 2;
--|  id | id
--| ----+----
--|   1 |  1
--| (1 row)
select i + 1 as next, i - '192.168.0.0' as n from hosts where id = 10;
--|       next      | n
--| ----------------+---
--|  192.168.0.2/24 | 1
--| (1 row)
select max(i), min(i) from hosts;
--|     max     |   min
--| ------------+----------
--|  fe80::1/64 | 10.1.2.3
--| (1 row)
select pg_typeof(i), pg_typeof(network(i)), pg_typeof(c + 1) from hosts where id = 1;
--|  pg_typeof | pg_typeof | pg_typeof
--| -----------+-----------+-----------
--|  inet      | cidr      | inet
--| (1 row)

-- macaddr8
select '08:00:2b:01:02:03:04:05'::macaddr8, '08-00-2b-01-02-03-04-05'::macaddr8, '08002b:0102030405'::macaddr8, '08002b-0102030405'::macaddr8, '0800.2b01.0203.0405'::macaddr8, '08002b0102030405'::macaddr8, '08:00:2b:01:02:03'::macaddr8, ' 08002b010203  '::macaddr8, 'FF:FF:FF:FF:FF:FF'::macaddr8;
--|         macaddr8         |        macaddr8         |        macaddr8         |        macaddr8         |        macaddr8         |        macaddr8         |        macaddr8         |        macaddr8         |        macaddr8
--| -------------------------+-------------------------+-------------------------+-------------------------+-------------------------+-------------------------+-------------------------+-------------------------+-------------------------
--|  08:00:2b:01:02:03:04:05 | 08:00:2b:01:02:03:04:05 | 08:00:2b:01:02:03:04:05 | 08:00:2b:01:02:03:04:05 | 08:00:2b:01:02:03:04:05 | 08:00:2b:01:02:03:04:05 | 08:00:2b:ff:fe:01:02:03 | 08:00:2b:ff:fe:01:02:03 | ff:ff:ff:ff:fe:ff:ff:ff
--| (1 row)
select '08:00:2b:01:02:03:04'::macaddr8;
--| ERROR:  22P02: invalid input syntax for type macaddr8: "08:00:2b:01:02:03:04"
select '08:00-2b:01:02:03:04:05'::macaddr8;
--| ERROR:  22P02: invalid input syntax for type macaddr8: "08:00-2b:01:02:03:04:05"
select '08:00:2b:01:02:03:04:05:06'::macaddr8;
--| ERROR:  22P02: invalid input syntax for type macaddr8: "08:00:2b:01:02:03:04:05:06"
select '08:00:2b:01:02:0z:04:05'::macaddr8;
--| ERROR:  22P02: invalid input syntax for type macaddr8: "08:00:2b:01:02:0z:04:05"
select ''::macaddr8;
--| ERROR:  22P02: invalid input syntax for type macaddr8: ""
select '08:00:2b:01:02:03'::macaddr::macaddr8, '08:00:2b:ff:fe:01:02:03'::macaddr8::macaddr, '08:00:2b:01:02:03'::macaddr = '08:00:2b:ff:fe:01:02:03'::macaddr8;
--| ERROR:  42725: operator is not unique: macaddr = macaddr8
--| HINT:  Could not choose a best candidate operator. You might need to add explicit type casts.
select '08:00:2b:01:02:03:04:05'::macaddr8::macaddr;
--| ERROR:  22003: macaddr8 data out of range to convert to macaddr
--| HINT:  Only addresses that have FF and FE as values in the 4th and 5th bytes from the left, for example xx:xx:xx:ff:fe:xx:xx:xx, are eligible to be converted from macaddr8 to macaddr.
select trunc('08:00:2b:01:02:03:04:05'::macaddr8), macaddr8_set7bit('08:00:2b:01:02:03:04:05'), ~ '08:00:2b:01:02:03:04:05'::macaddr8, '08:00:2b:01:02:03:04:05'::macaddr8 & 'ff:ff:00:00:00:00:00:ff', '08:00:2b:01:02:03:04:05'::macaddr8 | '00:00:00:00:00:00:00:ff';
--|           trunc          |    macaddr8_set7bit     |        ?column?         |        ?column?         |        ?column?
--| -------------------------+-------------------------+-------------------------+-------------------------+-------------------------
--|  08:00:2b:00:00:00:00:00 | 0a:00:2b:01:02:03:04:05 | f7:ff:d4:fe:fd:fc:fb:fa | 08:00:00:00:00:00:00:05 | 08:00:2b:01:02:03:04:ff
--| (1 row)
create table m8 (a macaddr8 primary key, b macaddr8[]);
--| CREATE TABLE
insert into m8 values ('08:00:2b:01:02:03:04:05', '{08:00:2b:01:02:03}'), ('08:00:2b:01:02:03:04:04', null), ('ff:00:2b:01:02:03', '{}');
--| INSERT 0 3
insert into m8 values ('08002b0102030405');
--| ERROR:  23505: duplicate key value violates unique constraint "m8_pkey"
--| DETAIL:  Key (a)=(08:00:2b:01:02:03:04:05) already exists.
select * from m8 order by a desc;
--|             a            |             b
--| -------------------------+---------------------------
--|  ff:00:2b:ff:fe:01:02:03 | {}
--|  08:00:2b:01:02:03:04:05 | {08:00:2b:ff:fe:01:02:03}
--|  08:00:2b:01:02:03:04:04 |
--| (3 rows)
select a from m8 where a > '08:00:2b:01:02:03:04:04' order by a;
--|             a
--| -------------------------
--|  08:00:2b:01:02:03:04:05
--|  ff:00:2b:ff:fe:01:02:03
--| (2 rows)
select a, count(*) from m8 group by a order by 1;
--|             a            | count
--| -------------------------+-------
--|  08:00:2b:01:02:03:04:04 |     1
--|  08:00:2b:01:02:03:04:05 |     1
--|  ff:00:2b:ff:fe:01:02:03 |     1
--| (3 rows)
create index on m8 using hash (a);
--| CREATE INDEX
drop table m8;
--| DROP TABLE
select typname, typlen, typbyval, typcategory, typarray from pg_type where oid in (774, 775) order by oid;
--|   typname  | typlen | typbyval | typcategory | typarray
--| -----------+--------+----------+-------------+----------
--|  macaddr8  |      8 | f        | U           |      775
--|  _macaddr8 |     -1 | f        | A           |        0
--| (2 rows)
-- Types that are not compared.
select greatest('1'::json, '2');
--| ERROR:  42883: could not identify a comparison function for type json
select array['$'::jsonpath] = array['$'::jsonpath];
--| ERROR:  42883: could not identify an equality operator for type jsonpath
select array['1'::json] < array['1'::json];
--| ERROR:  42883: could not identify a comparison function for type json
select distinct on (p) p from (values ('$'::jsonpath)) v(p);
--| ERROR:  42883: could not identify an equality operator for type jsonpath
