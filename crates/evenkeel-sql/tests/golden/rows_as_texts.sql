-- Rows beside texts, the order of checks, names of NOT NULL, indexes of materialized views.

create table mt (a int, b text);
--| CREATE TABLE
insert into mt values (1, 'x');
--| INSERT 0 1
select 'Inserted ' || t from mt t;
--|     ?column?
--| ----------------
--|  Inserted (1,x)
--| (1 row)
select t || ' x' from mt t;
--|  ?column?
--| ----------
--|  (1,x) x
--| (1 row)
select 'a' || row(1,2), row(1,2) || 'b', 'a'::text || row(1,2), null || row(1, 2);
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  a(1,2)   | (1,2)b   | a(1,2)   |
--| (1 row)
select '{}' || row(1,2);
--|  ?column?
--| ----------
--|  {}(1,2)
--| (1 row)
select array[row(1,2)] || row(3,4), '{"(1,2)"}' || row(1,2);
--|      ?column?      |    ?column?
--| -------------------+----------------
--|  {"(1,2)","(3,4)"} | {"(1,2)"}(1,2)
--| (1 row)
create type pr as (a int, b int);
--| CREATE TYPE
select '{}' || row(1,2)::pr, row(1,2)::pr || '{}', array[row(1,2)::pr] || row(3,4)::pr, 'x' || row(1,2)::pr;
--|  ?column? | ?column? |     ?column?      | ?column?
--| ----------+----------+-------------------+----------
--|  {}(1,2)  | (1,2){}  | {"(1,2)","(3,4)"} | x(1,2)
--| (1 row)
create table c1 (a int, constraint zz check (a > 0), constraint aa check (a > 5));
--| CREATE TABLE
insert into c1 values (-1);
--| ERROR:  23514: new row for relation "c1" violates check constraint "aa"
--| DETAIL:  Failing row contains (-1).
create table nn1 (a int constraint foo not null constraint foo not null);
--| CREATE TABLE
create table nn2 (a int constraint foo not null constraint bar not null);
--| ERROR:  42601: conflicting not-null constraint names "foo" and "bar"
create table nn3 (a int constraint foo not null, constraint foo not null a);
--| CREATE TABLE
create table nn4 (a int not null constraint foo not null);
--| CREATE TABLE
create table nn5 (a int constraint foo not null, b int constraint foo not null);
--| ERROR:  42710: constraint "foo" for relation "nn5" already exists
create table nn6 (a int not null, constraint nn6_a_not_null check (a > 0));
--| CREATE TABLE
select conname, contype from pg_constraint where conrelid in ('nn6'::regclass, 'nn1'::regclass, 'nn3'::regclass, 'nn4'::regclass) order by conrelid, 1;
--|      conname     | contype
--| -----------------+---------
--|  foo             | n
--|  foo             | n
--|  foo             | n
--|  nn6_a_not_null  | c
--|  nn6_a_not_null1 | n
--| (5 rows)
create materialized view mv as select a, b from mt;
--| SELECT 1
create unique index mv1 on mv ((a + 1)); create index mv2 on mv (b) where a > 0;
--| CREATE INDEX
--| CREATE INDEX
insert into mt values (2, 'y');
--| INSERT 0 1
refresh materialized view mv;
--| REFRESH MATERIALIZED VIEW
select * from mv where a + 1 = 3; select * from mv where b = 'y' and a > 0;
--|  a | b
--| ---+---
--|  2 | y
--| (1 row)
--|  a | b
--| ---+---
--|  2 | y
--| (1 row)
insert into mt values (2, 'z');
--| INSERT 0 1
select * from mv for update; select * from mv for share of mv;
--| ERROR:  42809: cannot lock rows in materialized view "mv"
select 'a' ~<~ 'b', 'a' ~<=~ 'a', 'a'::char(3) ~>~ 'a', 'b' ~>=~ 'c';
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | t        | f        | f
--| (1 row)
