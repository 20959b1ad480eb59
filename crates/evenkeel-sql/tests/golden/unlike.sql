-- What PostgreSQL refuses with words of its own, where other grammars or names would do: lists, sets, times, numbers of transactions, collations.

create table t (a int unique, b int, c text);
--| CREATE TABLE
insert into t values (1, 2, 'x');
--| INSERT 0 1
select distinct from t;
--| ERROR:  42601: syntax error at or near "from"
select distinct where true;
--| ERROR:  42601: syntax error at or near "where"
select all from t;
--|
--|
--|
--| (1 row)
select all;
--|
--|
--|
--| (1 row)
select current_timestamp(3, 4);
--| ERROR:  42601: syntax error at or near ","
select localtime();
--| ERROR:  42601: syntax error at or near ")"
select current_timestamp(a) from t;
--| ERROR:  42601: syntax error at or near "a"
select '1:02:03.4567'::time(9), localtimestamp(8) is null;
--| WARNING:  TIME(9) precision reduced to maximum allowed, 6
--| WARNING:  TIMESTAMP(8) precision reduced to maximum allowed, 6
--|      time      | ?column?
--| ---------------+----------
--|  01:02:03.4567 | f
--| (1 row)
create table ts (a timestamp(9), b interval second(7));
--| WARNING:  TIMESTAMP(9) precision reduced to maximum allowed, 6
--| WARNING:  INTERVAL(7) precision reduced to maximum allowed, 6
--| CREATE TABLE
select attname, format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'ts'::regclass and attnum > 0 order by attnum;
--|  attname |          format_type
--| ---------+--------------------------------
--|  a       | timestamp(6) without time zone
--|  b       | interval second(6)
--| (2 rows)

-- Several columns are set by a row or a subquery, and by no other expression.
update t set (a, b) = row(v.*) from (values (5, 6)) v(x, y) returning t.*;
--|  a | b | c
--| ---+---+---
--|  5 | 6 | x
--| (1 row)
--| UPDATE 1
update t set (a, b) = row(7, v.*) from (values (8)) v(x) returning t.*;
--|  a | b | c
--| ---+---+---
--|  7 | 8 | x
--| (1 row)
--| UPDATE 1
update t set (a, b) = row(v.*) from (values (1, 2, 3)) v(x, y, z);
--| ERROR:  42601: number of columns does not match number of values
update t set (a, b) = (v.*) from (values (1, 2)) v(x, y);
--| ERROR:  0A000: source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression
update t set (a) = (2);
--| ERROR:  0A000: source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression
update t set (a) = row(3) returning a;
--|  a
--| ---
--|  3
--| (1 row)
--| UPDATE 1
update t set (a) = (select 4) returning a;
--|  a
--| ---
--|  4
--| (1 row)
--| UPDATE 1
update t set (a, b) = (select 4);
--| ERROR:  42601: number of columns does not match number of values

-- A table of the name of the row that was refused.
insert into t as excluded values (4, 1) on conflict (a) do update set b = 9 returning *;
--|  a | b | c
--| ---+---+---
--|  4 | 9 | x
--| (1 row)
--| INSERT 0 1
insert into t as excluded values (4, 1) on conflict (a) do update set b = excluded.b;
--| ERROR:  42P09: table reference "excluded" is ambiguous
insert into t as excluded values (4, 1) on conflict (a) do update set b = b;
--| ERROR:  42702: column reference "b" is ambiguous
insert into t as excluded values (4, 1) on conflict (a) do nothing;
--| INSERT 0 0

select '1'::xid = '2'::xid, '1'::xid <> '2'::xid;
--|  ?column? | ?column?
--| ----------+----------
--|  f        | t
--| (1 row)
select '1'::xid < '2'::xid;
--| ERROR:  42883: operator does not exist: xid < xid
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select xmin from t order by xmin;
--| ERROR:  42883: could not identify an ordering operator for type xid
--| HINT:  Use an explicit ordering operator or modify the query.
select greatest(xmin, xmin) from t;
--| ERROR:  42883: could not identify a comparison function for type xid
create table x (a xid);
--| CREATE TABLE
create index on x (a);
--| ERROR:  42704: data type xid has no default operator class for access method "btree"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
create index on x using hash (a);
--| CREATE INDEX
select a, count(*) from x group by a;
--|  a | count
--| ---+-------
--| (0 rows)

create table y (a setof int);
--| ERROR:  42P16: column "a" cannot be declared SETOF
create table y (b int, a setof text[]);
--| ERROR:  42P16: column "a" cannot be declared SETOF
alter table t add d setof int;
--| ERROR:  42P16: column "d" cannot be declared SETOF
create type ct as (a setof int);
--| ERROR:  42P16: column "a" cannot be declared SETOF
create table y (a cstring);
--| ERROR:  42P16: column "a" has pseudo-type cstring
create table y (a trigger);
--| ERROR:  42P16: column "a" has pseudo-type trigger
alter table t add d internal;
--| ERROR:  42P16: column "d" has pseudo-type internal
alter table t alter a type cstring;
--| ERROR:  42P16: column "a" has pseudo-type cstring
create type ct as (a cstring);
--| ERROR:  42P16: column "a" has pseudo-type cstring

create index on t (a) include ((b + 1));
--| ERROR:  0A000: expressions are not supported in included columns
create index on t (a) include (b, lower(c));
--| ERROR:  0A000: expressions are not supported in included columns
create index on t (a) include (b collate "C");
--| ERROR:  42P17: including column does not support a collation
create index on t (a) include (b desc);
--| ERROR:  42P17: including column does not support ASC/DESC options
create index on t (a) include (b nulls first);
--| ERROR:  42P17: including column does not support NULLS FIRST/LAST options
create index on t (a) include (b int4_ops);
--| ERROR:  42P17: including column does not support an operator class
create index on t (a) include ("b", c);
--| CREATE INDEX

-- Changes in WITH name each other in any order.
with recursive x as (insert into t select * from y returning a), y as (delete from t where b = 9 returning 100, b, c) select * from x;
--|   a
--| -----
--|  100
--| (1 row)
select * from t;
--|   a  | b | c
--| -----+---+---
--|  100 | 9 | x
--| (1 row)
with recursive x as (update t set b = 0 where a in (select a from y) returning a), y as (insert into t values (901, 1, 'q') returning *) select * from x;
--|  a
--| ---
--| (0 rows)
with recursive a as (insert into t select * from b returning *), b as (insert into t select * from a returning *) select * from a;
--| ERROR:  0A000: mutual recursion between WITH items is not implemented
with recursive a as (select * from b), b as (select * from a) select * from a;
--| ERROR:  0A000: mutual recursion between WITH items is not implemented

create table z (a int collate "C");
--| ERROR:  42804: collations are not supported by type integer
alter table t alter a type int collate "C";
--| ERROR:  42804: collations are not supported by type integer
create domain d as int collate "C";
--| ERROR:  42804: collations are not supported by type integer
select c collate "C" < c collate "POSIX" from t;
--| ERROR:  42P21: collation mismatch between explicit collations "C" and "POSIX"

create table r (a int references t (a), constraint ch check (a > 0), b int constraint nn not null);
--| CREATE TABLE
alter table r alter constraint r_a_fkey not valid;
--| ERROR:  0A000: constraints cannot be altered to be NOT VALID
alter table r alter constraint r_a_fkey deferrable not valid;
--| ERROR:  0A000: constraints cannot be altered to be NOT VALID
alter table r alter constraint r_a_fkey not deferrable initially deferred;
--| ERROR:  42601: constraint declared INITIALLY DEFERRED must be DEFERRABLE
alter table r alter constraint r_a_fkey no inherit;
--| ERROR:  42809: constraint "r_a_fkey" of relation "r" is not a not-null constraint
alter table r alter constraint nn no inherit;
--| ALTER TABLE
select conname, connoinherit from pg_constraint where conrelid = 'r'::regclass and contype = 'n';
--|  conname | connoinherit
--| ---------+--------------
--|  nn      | t
--| (1 row)
alter table r alter constraint nn inherit;
--| ALTER TABLE
select conname, connoinherit from pg_constraint where conrelid = 'r'::regclass and contype = 'n';
--|  conname | connoinherit
--| ---------+--------------
--|  nn      | f
--| (1 row)
alter table r alter constraint nope inherit;
--| ERROR:  42704: constraint "nope" of relation "r" does not exist

select a, count(*) from t group by all;
--| ERROR:  42601: syntax error at or near ";"
select a, count(*) from t group by all a having false;
--|  a | count
--| ---+-------
--| (0 rows)
set xml option document;
--| SET
show xmloption;
--|  xmloption
--| -----------
--|  document
--| (1 row)
set xml option content;
--| SET
alter table t set tablespace nowhere;
--| ERROR:  42704: tablespace "nowhere" does not exist
alter table t set tablespace pg_default;
--| ALTER TABLE
alter index t_a_key set tablespace nowhere;
--| ERROR:  42704: tablespace "nowhere" does not exist
select unicode_version(), unicode_assigned('aé中'), unicode_assigned(chr(888)), unicode_assigned('');
--|  unicode_version | unicode_assigned | unicode_assigned | unicode_assigned
--| -----------------+------------------+------------------+------------------
--|  16.0            | t                | f                | t
--| (1 row)

create table include (a int constraint setof check (a > 0), b text, constraint setof2 check (b <> ''));
--| CREATE TABLE
create index on include (a, lower(b));
--| CREATE INDEX
alter table include add constraint setof check (a > 1);
--| ERROR:  42710: constraint "setof" for relation "include" already exists
