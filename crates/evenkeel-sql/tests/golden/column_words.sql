-- STORAGE, COMPRESSION and NULLS NOT DISTINCT of columns, defaults that are too long, MERGE from joins.

create table d1 (a varchar(5) default 'more than 5 chars', b text);
--| CREATE TABLE
insert into d1 (b) values ('x');
--| ERROR:  22001: value too long for type character varying(5)
insert into d1 values ('y', 'x') returning *;
--|  a | b
--| ---+---
--|  y | x
--| (1 row)
--| INSERT 0 1
create table d2 (a int2 default 100000, b text);
--| CREATE TABLE
insert into d2 (b) values ('x');
--| ERROR:  22003: smallint out of range
create table d3 (a numeric(3,1) default 12345, b text);
--| CREATE TABLE
insert into d3 (b) values ('x');
--| ERROR:  22003: numeric field overflow
--| DETAIL:  A field with precision 3, scale 1 must round to an absolute value less than 10^2.
create table d4 (a int default 1/0, b text);
--| CREATE TABLE
insert into d4 (b) values ('x');
--| ERROR:  22012: division by zero
create table d5 (a int default 'abc', b text);
--| ERROR:  22P02: invalid input syntax for type integer: "abc"
create table d6 (a char(2) default 'abc', b text);
--| CREATE TABLE
alter table d1 alter b type varchar(2), alter b set default 'abc';
--| ALTER TABLE
insert into d1(a) values ('z');
--| ERROR:  22001: value too long for type character varying(2)
create table d7 (a bit(2) default B'101', b text);
--| CREATE TABLE
create table d8 (a int4 default 3000000000, b text);
--| CREATE TABLE
create table d9 (a int2 default (100000)::int8, b text);
--| CREATE TABLE
alter table d1 add c varchar(2) default 'abc';
--| ERROR:  22001: value too long for type character varying(2)
alter table d1 add e varchar(2) not null default 'abc';
--| ERROR:  22001: value too long for type character varying(2)
select column_default from information_schema.columns where table_name like 'd_' order by table_name, ordinal_position;
--|              column_default
--| ----------------------------------------
--|  'more than 5 chars'::character varying
--|  'abc'::character varying
--|  100000
--|
--|  12345
--|
--|  (1 / 0)
--|
--|  'abc'::bpchar
--|
--|  '101'::"bit"
--|
--|  '3000000000'::bigint
--|
--|  (100000)::bigint
--|
--| (16 rows)
create type ad as enum ('x');
--| CREATE TYPE
create table d10 (a ad default 'y');
--| ERROR:  22P02: invalid input value for enum ad: "y"
create table un (a int unique nulls not distinct, b text storage external, c text storage main compression pglz not null, d int unique nulls distinct, storage text, compression int, constraint x unique nulls not distinct (b), nulls text unique);
--| CREATE TABLE
select attname, attstorage, attcompression from pg_attribute where attrelid = 'un'::regclass and attnum > 0 order by attnum;
--|    attname   | attstorage | attcompression
--| -------------+------------+----------------
--|  a           | p          |
--|  b           | e          |
--|  c           | m          | p
--|  d           | p          |
--|  storage     | x          |
--|  compression | p          |
--|  nulls       | x          |
--| (7 rows)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'un'::regclass order by 1;
--|      pg_get_constraintdef
--| -------------------------------
--|  NOT NULL c
--|  UNIQUE (d)
--|  UNIQUE (nulls)
--|  UNIQUE NULLS NOT DISTINCT (a)
--|  UNIQUE NULLS NOT DISTINCT (b)
--| (5 rows)
insert into un (c) values ('x');
--| INSERT 0 1
insert into un (c, b) values ('x', 'z');
--| ERROR:  23505: duplicate key value violates unique constraint "un_a_key"
--| DETAIL:  Key (a)=(null) already exists.
alter table un add column e text storage external, add f text compression pglz default 'x', alter b set storage plain, add storage2 text;
--| ALTER TABLE
select attname, attstorage, attcompression from pg_attribute where attrelid = 'un'::regclass and attnum > 0 order by attnum;
--|    attname   | attstorage | attcompression
--| -------------+------------+----------------
--|  a           | p          |
--|  b           | p          |
--|  c           | m          | p
--|  d           | p          |
--|  storage     | x          |
--|  compression | p          |
--|  nulls       | x          |
--|  e           | e          |
--|  f           | x          | p
--|  storage2    | x          |
--| (10 rows)
create table un2 (a int storage external);
--| ERROR:  0A000: column data type integer can only have storage PLAIN
create table un3 (a int storage plain, b text storage foo);
--| ERROR:  22023: invalid storage type "foo"
create table un4 (a int compression pglz);
--| ERROR:  0A000: column data type integer does not support compression
create table mt (a int, b text default 'def', c int generated always as identity);
--| CREATE TABLE
create table ms (a int); create table ms2 (a int, t text);
--| CREATE TABLE
--| CREATE TABLE
insert into ms values (1), (2); insert into ms2 values (1, 'one'), (3, 'three');
--| INSERT 0 2
--| INSERT 0 2
merge into mt using ms on mt.a = ms.a when not matched then insert default values;
--| MERGE 2
merge into mt using ms join ms2 on ms.a = ms2.a on mt.a = ms.a when not matched then insert (a, b) values (ms.a, t);
--| MERGE 1
merge into mt using ms s1 inner join ms2 s2 on s1.a = s2.a left join ms s3 using (a) on mt.a = s1.a when matched and exists (select 1 from ms2 join ms on true) then update set b = t || 'x' when not matched then insert (a, b) values (s1.a, t) returning mt.*, s2.t;
--| ERROR:  42702: common column name "a" appears more than once in left table
with q as (select 7 as a) merge into mt using q cross join ms2 on mt.a = q.a and case when ms2.a = 1 then true else false end when not matched and t = 'one' then insert values (q.a, t) returning *;
--|  a | a |  t  | a |  b  | c
--| ---+---+-----+---+-----+---
--|  7 | 1 | one | 7 | one | 4
--| (1 row)
merge into mt using ms2 on mt.a = ms2.a when matched then do nothing when not matched then insert (a) values (ms2.a);
--| MERGE 1
select * from mt order by a, c;
--|  a |  b  | c
--| ---+-----+---
--|  1 | one | 3
--|  3 | def | 5
--|  7 | one | 4
--|    | def | 1
--|    | def | 2
--| (5 rows)
merge into mt using ms2, ms on mt.a = ms2.a when not matched then do nothing;
--| ERROR:  42601: syntax error at or near ","
merge into mt using (ms2 join ms using (a)) on mt.a = ms2.a when not matched then insert (a) values (3), (4);
--| ERROR:  42601: syntax error in INSERT of MERGE
create table inc (a int primary key, b text, c int, d int, constraint named unique nulls not distinct (d) include (a));
--| CREATE TABLE
insert into inc values (1, 'x', 1, null); insert into inc values (2, 'x', 1, null);
--| ERROR:  23505: duplicate key value violates unique constraint "named"
--| DETAIL:  Key (d)=(null) already exists.
alter table inc add constraint n2 unique nulls not distinct (c) include (b), add unique nulls not distinct (b), add column e int unique nulls not distinct;
--| ALTER TABLE
create table l5 (a int constraint src_a_check check (a > 0), b int, constraint ck check (b > 0), constraint b2 check (a > b));
--| CREATE TABLE
insert into l5 values (-1, -1);
--| ERROR:  23514: new row for relation "l5" violates check constraint "b2"
--| DETAIL:  Failing row contains (-1, -1).
