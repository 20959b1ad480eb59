-- What test suites of drivers and frameworks found.
-- Arguments by their names.
select make_interval(hours => 3, secs => 1.5), make_interval(1, months => 2);
--|  make_interval | make_interval
--| ---------------+---------------
--|  03:00:01.5    | 1 year 2 mons
--| (1 row)
select jsonb_set('{"a":1}', '{b}', replacement => '2'), jsonb_set(jsonb_in => '{"a":1}', path => '{b}', replacement => '2', create_if_missing => false);
--|     jsonb_set     | jsonb_set
--| ------------------+-----------
--|  {"a": 1, "b": 2} | {"a": 1}
--| (1 row)
select make_date(day => 3, month => 2, year => 2024), regexp_replace(string => 'aXbX', pattern => 'x', replacement => '-', flags => 'gi');
--|  make_date  | regexp_replace
--| ------------+----------------
--|  2024-02-03 | a-b-
--| (1 row)
select make_interval(hourz => 3);
--| ERROR:  42883: function make_interval(hourz => integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select make_interval(hours => 3, 4);
--| ERROR:  42601: positional argument cannot follow named argument
select make_interval(hours => 3, hours => 4);
--| ERROR:  42601: argument name "hours" used more than once
-- A row and a query.
create table rq (a int primary key, b int);
--| CREATE TABLE
insert into rq values (1, 10), (2, 20), (3, null);
--| INSERT 0 3
select a from rq where (a, b) = (select 2, 20);
--|  a
--| ---
--|  2
--| (1 row)
select a, (a, b) = (select x.a, x.b from rq x where x.a = rq.a), (a, b) < (select 2, 15) from rq order by a;
--|  a | ?column? | ?column?
--| ---+----------+----------
--|  1 | t        | t
--|  2 | t        | f
--|  3 |          | f
--| (3 rows)
select (1, 2) = (select a, b from rq where false), (1, 2) <> (select 1, 3);
--|  ?column? | ?column?
--| ----------+----------
--|           | t
--| (1 row)
select (1, 2) = (select a, b from rq);
--| ERROR:  21000: more than one row returned by a subquery used as an expression
select (1, 2) = (select a, b, 1 from rq);
--| ERROR:  42601: subquery has too many columns
-- Ties of an expression.
select a from rq order by b is null fetch first (1 + 0) rows with ties;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
select a from rq order by b is null offset 1 rows fetch next (1::bigint) rows with ties;
--|  a
--| ---
--|  2
--| (1 row)
select a from rq fetch first (1::int) rows with ties;
--| ERROR:  42601: WITH TIES cannot be specified without ORDER BY clause
-- Locking without FROM.
select 1 for update;
--|  ?column?
--| ----------
--|         1
--| (1 row)
select 1 as for;
--|  for
--| -----
--|    1
--| (1 row)
-- A view without columns.
create table no_columns ();
--| CREATE TABLE
create view empty_view as select * from no_columns;
--| CREATE VIEW
select count(*) from empty_view;
--|  count
--| -------
--|      0
--| (1 row)
drop table no_columns cascade;
--| NOTICE:  drop cascades to view empty_view
--| DROP TABLE
-- JSON by the standard's constructors.
select json_object('a' value 1, 'b': null, 'c' value 'x'), json_object('a' value null absent on null returning jsonb);
--|            json_object            | json_object
--| ----------------------------------+-------------
--|  {"a" : 1, "b" : null, "c" : "x"} | {}
--| (1 row)
select json_object(), json_object(returning jsonb), json_array(), json_array(returning jsonb);
--|  json_object | json_object | json_array | json_array
--| -------------+-------------+------------+------------
--|  {}          | {}          | []         | []
--| (1 row)
select json_array(1, null, 'x'), json_array(1, null null on null returning jsonb), json_array(1, null returning text);
--|  json_array | json_array | json_array
--| ------------+------------+------------
--|  [1, "x"]   | [1, null]  | [1]
--| (1 row)
select json_object('k' value json_array(1, json_object('z' value true))), json_object('{a,b}'::text[]);
--|         json_object        | json_object
--| ---------------------------+-------------
--|  {"k" : [1, {"z" : true}]} | {"a" : "b"}
--| (1 row)
select json_object(null value 1);
--| ERROR:  22004: null value not allowed for object key
select json_scalar('x'), json_scalar(1.5), json_scalar(null), json_serialize('{"a": 1}');
--|  json_scalar | json_scalar | json_scalar | json_serialize
--| -------------+-------------+-------------+----------------
--|  "x"         | 1.5         |             | {"a": 1}
--| (1 row)
select json_arrayagg(b order by a desc) from rq;
--|  json_arrayagg
--| ---------------
--|  [20, 10]
--| (1 row)
select json_arrayagg(b null on null returning jsonb), json_objectagg(a value b), json_objectagg(a: b absent on null returning jsonb) from rq;
--|  json_arrayagg  |           json_objectagg           |   json_objectagg
--| ----------------+------------------------------------+--------------------
--|  [10, 20, null] | { "1" : 10, "2" : 20, "3" : null } | {"1": 10, "2": 20}
--| (1 row)
select json_array(1 returning int);
--| ERROR:  42846: cannot cast type json to integer
-- A column's values must fit its new type.
create table narrow (a varchar(10), b varchar(10)[]);
--| CREATE TABLE
insert into narrow values ('abcdef', '{abcdef}');
--| INSERT 0 1
alter table narrow alter a type varchar(3);
--| ERROR:  22001: value too long for type character varying(3)
alter table narrow alter b type varchar(3)[];
--| ERROR:  22001: value too long for type character varying(3)
alter table narrow alter a type varchar(3) using a::varchar(3);
--| ALTER TABLE
select a from narrow;
--|   a
--| -----
--|  abc
--| (1 row)
-- EXPLAIN.
explain (costs off, format xml) select 1;
--|                         QUERY PLAN
--| ----------------------------------------------------------
--|  <explain xmlns="http://www.postgresql.org/2009/explain">+
--|    <Query>                                               +
--|      <Plan>                                              +
--|        <Node-Type>Result</Node-Type>                     +
--|        <Parallel-Aware>false</Parallel-Aware>            +
--|        <Async-Capable>false</Async-Capable>              +
--|        <Disabled>false</Disabled>                        +
--|      </Plan>                                             +
--|    </Query>                                              +
--|  </explain>
--| (1 row)
explain (format foo) select 1;
--| ERROR:  22023: unrecognized value for EXPLAIN option "format": "foo"
explain (serialize foo, analyze) select 1;
--| ERROR:  22023: unrecognized value for EXPLAIN option "serialize": "foo"
explain (serialize) select 1;
--| ERROR:  22023: EXPLAIN option SERIALIZE requires ANALYZE
explain (analyze, serialize, costs off, timing off, summary off, buffers off) select a from rq where a = 1;
--|                            QUERY PLAN
--| ----------------------------------------------------------------
--|  Index Only Scan using rq_pkey on rq (actual rows=1.00 loops=1)
--|    Index Cond: (a = 1)
--|    Heap Fetches: 0
--|    Index Searches: 1
--|  Serialization: output=1kB  format=text
--| (5 rows)
explain (analyze, serialize binary, costs off, timing off, summary off, buffers off) select a from rq where a = 1;
--|                            QUERY PLAN
--| ----------------------------------------------------------------
--|  Index Only Scan using rq_pkey on rq (actual rows=1.00 loops=1)
--|    Index Cond: (a = 1)
--|    Heap Fetches: 0
--|    Index Searches: 1
--|  Serialization: output=1kB  format=binary
--| (5 rows)
explain (costs off) (select 1) union all (select 2);
--|   QUERY PLAN
--| --------------
--|  Append
--|    ->  Result
--|    ->  Result
--| (3 rows)
-- The one tablespace.
create table spaced (tablespace int, unique (tablespace) using index tablespace pg_default) tablespace pg_default;
--| CREATE TABLE
create index on spaced (tablespace) include (tablespace) tablespace "pg_default" where tablespace > 0;
--| CREATE INDEX
create index on spaced (tablespace) tablespace elsewhere;
--| ERROR:  42704: tablespace "elsewhere" does not exist
create table spaced2 (a int) tablespace pg_global;
--| ERROR:  22023: only shared relations can be placed in pg_global tablespace
-- Arrays of arrays that a query gives.
select array(select array[n, n + 1] from generate_series(1, 2) n), array(select array[1] where false);
--|      array     | array
--| ---------------+-------
--|  {{1,2},{2,3}} | {}
--| (1 row)
select array(select a from (values (array[1]), (array[1, 2])) v (a));
--| ERROR:  2202E: cannot accumulate arrays of different dimensionality
-- A select list of nothing.
select;
--|
--|
--|
--| (1 row)
select where false;
--|
--|
--| (0 rows)
select exists (select where 1 = 2), exists (select from pg_class);
--|  exists | exists
--| --------+--------
--|  f      | t
--| (1 row)
select union all select;
--|
--|
--|
--|
--| (2 rows)
select * from (select) x;
--|
--|
--|
--| (1 row)
select 1 as select;
--|  select
--| --------
--|       1
--| (1 row)
create view of_nothing as select 1 as a where exists (select where true);
--| CREATE VIEW
select pg_get_viewdef('of_nothing'::regclass);
--|       pg_get_viewdef
--| --------------------------
--|   SELECT 1 AS a          +
--|    WHERE (EXISTS ( SELECT+
--|            WHERE true));
--| (1 row)
drop view of_nothing;
--| DROP VIEW
select pg_sleep(0) || 'a' as a, pg_sleep(0)::text = '' as b;
--|  a | b
--| ---+---
--|  a | t
--| (1 row)
-- A column's collation with its new type.
create table collated (a varchar(5) collate "C", b text);
--| CREATE TABLE
insert into collated values ('7', 'x');
--| INSERT 0 1
alter table collated alter column a type varchar(10) collate "POSIX", alter b set data type varchar(3) collate pg_catalog."C" using b || 'y';
--| ALTER TABLE
select attname, collname, format_type(atttypid, atttypmod) from pg_attribute a join pg_collation c on c.oid = attcollation where attrelid = 'collated'::regclass and attnum > 0 order by attnum;
--|  attname | collname |      format_type
--| ---------+----------+-----------------------
--|  a       | POSIX    | character varying(10)
--|  b       | C        | character varying(3)
--| (2 rows)
select * from collated;
--|  a | b
--| ---+----
--|  7 | xy
--| (1 row)
alter table collated alter a type text;
--| ALTER TABLE
alter table collated alter a type int collate "C" using a::int;
--| ERROR:  42804: collations are not supported by type integer
alter table collated alter a type text collate "nowhere";
--| ERROR:  42704: collation "nowhere" for encoding "UTF8" does not exist
alter table collated alter a type int using a::int;
--| ALTER TABLE
select attname, collname from pg_attribute a left join pg_collation c on c.oid = attcollation where attrelid = 'collated'::regclass and attnum > 0 order by attnum;
--|  attname | collname
--| ---------+----------
--|  a       |
--|  b       | C
--| (2 rows)
drop table collated;
--| DROP TABLE
-- The operator classes of an extension are there with it.
select opcname from pg_opclass where opcname like '%trgm%' order by 1;
--|  opcname
--| ---------
--| (0 rows)
create extension pg_trgm;
--| CREATE EXTENSION
create table searched (a text);
--| CREATE TABLE
create index searched_a on searched using gin (a gin_trgm_ops);
--| CREATE INDEX
select opcname, c.relname from pg_opclass oc join pg_index i on oc.oid = any (i.indclass) join pg_class c on c.oid = i.indexrelid where c.relname = 'searched_a';
--|    opcname    |  relname
--| --------------+------------
--|  gin_trgm_ops | searched_a
--| (1 row)
drop table searched;
--| DROP TABLE
drop extension pg_trgm;
--| DROP EXTENSION
-- Arrays in arrays that a cast tells the type of.
select array[ARRAY[ARRAY[NULL,NULL],ARRAY[1,NULL]]::int[]];
--|           array
--| --------------------------
--|  {{{NULL,NULL},{1,NULL}}}
--| (1 row)
select array[ARRAY[]]::int[];
--|  array
--| -------
--|  {}
--| (1 row)
select ARRAY['{NULL,NULL}',ARRAY[1,2]]::int[];
--|         array
--| ---------------------
--|  {{NULL,NULL},{1,2}}
--| (1 row)
select array['{1,2}', '{3,4}'::int[]]::text[];
--|      array
--| ---------------
--|  {{1,2},{3,4}}
--| (1 row)
select ARRAY['{}','{}']::text[];
--|     array
--| -------------
--|  {"{}","{}"}
--| (1 row)
select ARRAY[ARRAY['{NULL}','{NULL,NULL}']]::int[];
--| ERROR:  22P02: invalid input syntax for type integer: "{NULL}"
select ARRAY[ARRAY[1,2],'{3,4}']::int[];
--|      array
--| ---------------
--|  {{1,2},{3,4}}
--| (1 row)
select ARRAY[ARRAY['a','b'],'{c,d}']::varchar(1)[];
--|      array
--| ---------------
--|  {{a,b},{c,d}}
--| (1 row)
select ARRAY[[1,2],[3]]::int[];
--| ERROR:  2202E: multidimensional arrays must have array expressions with matching dimensions
select ARRAY[[1.6,2],[3,4]]::int[];
--|      array
--| ---------------
--|  {{2,2},{3,4}}
--| (1 row)
select ARRAY[ARRAY[1.6::numeric,2],array['3'::float8,4]]::int[];
--|      array
--| ---------------
--|  {{2,2},{3,4}}
--| (1 row)
select ARRAY[array[1]::bigint[], 2]::int[];
--| ERROR:  42846: cannot cast type integer to integer[]
-- client_min_messages says what clients are told.
set client_min_messages = debug1;
--| SET
create table chatty (id serial primary key, u int unique);
--| DEBUG:  CREATE TABLE will create implicit sequence "chatty_id_seq" for serial column "chatty.id"
--| DEBUG:  CREATE TABLE / PRIMARY KEY will create implicit index "chatty_pkey" for table "chatty"
--| DEBUG:  CREATE TABLE / UNIQUE will create implicit index "chatty_u_key" for table "chatty"
--| CREATE TABLE
alter table chatty add column x serial, add unique (x);
--| DEBUG:  ALTER TABLE will create implicit sequence "chatty_x_seq" for serial column "chatty.x"
--| DEBUG:  ALTER TABLE / ADD UNIQUE will create implicit index "chatty_x_key" for table "chatty"
--| ALTER TABLE
alter table chatty add column y int generated always as identity unique;
--| DEBUG:  ALTER TABLE will create implicit sequence "chatty_y_seq" for serial column "chatty.y"
--| DEBUG:  ALTER TABLE / ADD UNIQUE will create implicit index "chatty_y_key" for table "chatty"
--| ALTER TABLE
set client_min_messages = warning;
--| SET
drop table if exists nope;
--| DROP TABLE
set client_min_messages = error;
--| SET
set local work_mem = '1MB';
--| SET
rollback;
--| ROLLBACK
reset client_min_messages;
--| RESET
drop table if exists nope;
--| NOTICE:  table "nope" does not exist, skipping
--| DROP TABLE
drop table chatty;
--| DROP TABLE
show password_encryption;
--|  password_encryption
--| ---------------------
--|  scram-sha-256
--| (1 row)
set password_encryption = 'scram-sha-256';
--| SET
set password_encryption = 'none';
--| ERROR:  22023: invalid value for parameter "password_encryption": "none"
--| HINT:  Available values: md5, scram-sha-256.
set password_encryption = 'md5';
--| ERROR:  0A000: password encryption with MD5 is not supported
