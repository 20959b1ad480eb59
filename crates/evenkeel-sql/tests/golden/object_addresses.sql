-- Objects by their kind and name, what sequences are declared as, and where in its file a place in the log is.

create sequence s as int increment 3 cache 5 cycle;
--| CREATE SEQUENCE
select * from pg_sequence_parameters('s'::regclass);
--|  start_value | minimum_value | maximum_value | increment | cycle_option | cache_size | data_type
--| -------------+---------------+---------------+-----------+--------------+------------+-----------
--|            1 |             1 |    2147483647 |         3 | t            |          5 |        23
--| (1 row)
select pg_sequence_parameters('s'::regclass);
--|   pg_sequence_parameters
--| ---------------------------
--|  (1,1,2147483647,3,t,5,23)
--| (1 row)
select (pg_sequence_parameters('s'::regclass)).*;
--|  start_value | minimum_value | maximum_value | increment | cycle_option | cache_size | data_type
--| -------------+---------------+---------------+-----------+--------------+------------+-----------
--|            1 |             1 |    2147483647 |         3 | t            |          5 |        23
--| (1 row)
select start_value, seqrelid::regclass from pg_sequence, pg_sequence_parameters(seqrelid);
--|  start_value | seqrelid
--| -------------+----------
--|            1 | s
--| (1 row)
select * from pg_sequence_parameters(1);
--| ERROR:  42P01: relation with OID 1 does not exist
create table t (a int);
--| CREATE TABLE
select * from pg_sequence_parameters(null);
--|  start_value | minimum_value | maximum_value | increment | cycle_option | cache_size | data_type
--| -------------+---------------+---------------+-----------+--------------+------------+-----------
--|              |               |               |           |              |            |
--| (1 row)
create role nobodyx; set role nobodyx;
--| CREATE ROLE
--| SET
select * from pg_sequence_parameters('s'::regclass);
--| ERROR:  42501: permission denied for sequence s
reset role; drop role nobodyx;
--| RESET
--| DROP ROLE
select file_offset is not null from pg_walfile_name_offset('0/1000000');
--|  ?column?
--| ----------
--|  t
--| (1 row)
select f.file_name = pg_walfile_name('0/1000001') from pg_walfile_name_offset('0/1000001') f;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select * from pg_walfile_name_offset(null);
--|  file_name | file_offset
--| -----------+-------------
--|            |
--| (1 row)
create schema s1; create table s1.t (a int default 5 primary key, b text, constraint pos check (a > 0)); create view s1.v as select * from s1.t; create sequence s1.q; create domain s1.d as int constraint dc check (value > 0); create type s1.e as enum ('a'); create materialized view s1.m as select 1 as x;create index ti on s1.t (b); create type s1.comp as (x int);
--| CREATE SCHEMA
--| CREATE TABLE
--| CREATE VIEW
--| CREATE SEQUENCE
--| CREATE DOMAIN
--| CREATE TYPE
--| SELECT 1
--| CREATE INDEX
--| CREATE TYPE
select objid::regclass, classid, objsubid from pg_get_object_address('table', '{s1,t}', '{}');
--|  objid | classid | objsubid
--| -------+---------+----------
--|  s1.t  |    1259 |        0
--| (1 row)
select pg_get_object_address('table', '{t}', '{}');
--|  pg_get_object_address
--| -----------------------
--|  (1259,16385,0)
--| (1 row)
select pg_get_object_address('table', '{s1,v}', '{}');
--| ERROR:  42809: "v" is not a table
select pg_get_object_address('view', '{s1,t}', '{}');
--| ERROR:  42809: "t" is not a view
select pg_get_object_address('index', '{s1,t}', '{}');
--| ERROR:  42809: "t" is not an index
select pg_get_object_address('sequence', '{s1,t}', '{}');
--| ERROR:  42809: "t" is not a sequence
select pg_get_object_address('materialized view', '{s1,t}', '{}');
--| ERROR:  42809: "t" is not a materialized view
select pg_get_object_address('table', '{s1,t,x}', '{}');
--| ERROR:  0A000: cross-database references are not implemented: "s1.t.x"
select pg_get_object_address('table', '{a,s1,t,x}', '{}');
--| ERROR:  42601: improper relation name (too many dotted names): a.s1.t.x
select pg_get_object_address('table', array[current_database(),'s1','t']::text[], '{}') is not null;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select pg_get_object_address('nope', '{s1,t}', '{}');
--| ERROR:  22023: unrecognized object type "nope"
select pg_get_object_address('table', '{}', '{}');
--| ERROR:  22023: name list length must be at least 1
select pg_get_object_address('table', '{s1,null}', '{}');
--| ERROR:  22023: name or argument lists may not contain nulls
select pg_get_object_address('table', '{s1,nope}', '{}');
--| ERROR:  42P01: relation "s1.nope" does not exist
select pg_get_object_address('table', '{nope,nope}', '{}');
--| ERROR:  3F000: schema "nope" does not exist
select objid::regclass, classid, objsubid from pg_get_object_address('table column', '{s1,t,b}', '{}');
--|  objid | classid | objsubid
--| -------+---------+----------
--|  s1.t  |    1259 |        2
--| (1 row)
select pg_describe_object(classid, objid, objsubid) from pg_get_object_address('table column', '{s1,t,b}', '{}');
--|    pg_describe_object
--| ------------------------
--|  column b of table s1.t
--| (1 row)
select pg_get_object_address('table column', '{s1,t,x}', '{}');
--| ERROR:  42703: column "x" of relation "s1.t" does not exist
select pg_get_object_address('table column', '{t}', '{}');
--| ERROR:  42601: column name must be qualified
select (pg_get_object_address('view column', '{s1,v,b}', '{}')).objsubid;
--| ERROR:  22023: unsupported object type "view column"
select pg_describe_object(classid, objid, objsubid) from pg_get_object_address('default value', '{s1,t,a}', '{}');
--|             pg_describe_object
--| ------------------------------------------
--|  default value for column a of table s1.t
--| (1 row)
select (pg_get_object_address('default value', '{s1,t,b}', '{}')).classid;
--| ERROR:  42703: default value for column "b" of relation "s1.t" does not exist
select pg_describe_object(classid, objid, objsubid) from pg_get_object_address('table constraint', '{s1,t,pos}', '{}');
--|       pg_describe_object
--| ------------------------------
--|  constraint pos on table s1.t
--| (1 row)
select pg_describe_object(classid, objid, objsubid) from pg_get_object_address('table constraint', '{s1,t,t_pkey}', '{}');
--|        pg_describe_object
--| ---------------------------------
--|  constraint t_pkey on table s1.t
--| (1 row)
select (pg_get_object_address('table constraint', '{s1,t,nope}', '{}')).classid;
--| ERROR:  42704: constraint "nope" for table "t" does not exist
select pg_describe_object(classid, objid, objsubid) from pg_get_object_address('domain constraint', '{s1.d}', '{dc}');
--|  pg_describe_object
--| --------------------
--|  constraint dc
--| (1 row)
select (pg_get_object_address('domain constraint', '{s1.d}', '{nope}')).classid;
--| ERROR:  42704: constraint "nope" for domain s1.d does not exist
select (pg_get_object_address('domain constraint', '{s1.d}', '{}')).classid;
--| ERROR:  22023: argument list length must be exactly 1
select (pg_get_object_address('domain constraint', '{s1.e}', '{dc}')).classid;
--| ERROR:  42809: "s1.e" is not a domain
select pg_describe_object(classid, objid, objsubid) from pg_get_object_address('type', '{s1.e}', '{}');
--|  pg_describe_object
--| --------------------
--|  type s1.e
--| (1 row)
select (pg_get_object_address('type', '{s1,e}', '{}')).classid;
--| ERROR:  22023: name list length must be exactly 1
select (pg_get_object_address('type', '{s1.nope}', '{}')).classid;
--| ERROR:  42704: type "s1.nope" does not exist
select (pg_get_object_address('type', '{integer}', '{}')).*;
--|  classid | objid | objsubid
--| ---------+-------+----------
--|     1247 |    23 |        0
--| (1 row)
select (pg_get_object_address('type', '{int4[]}', '{}')).*;
--|  classid | objid | objsubid
--| ---------+-------+----------
--|     1247 |  1007 |        0
--| (1 row)
select (pg_get_object_address('domain', '{s1.d}', '{}')).classid;
--| ERROR:  22023: unrecognized object type "domain"
select (pg_get_object_address('composite type', '{s1,comp}', '{}')).classid;
--| ERROR:  22023: unsupported object type "composite type"
select pg_describe_object(classid, objid, objsubid) from pg_get_object_address('schema', '{s1}', '{}');
--|  pg_describe_object
--| --------------------
--|  schema s1
--| (1 row)
select (pg_get_object_address('schema', '{nope}', '{}')).classid;
--| ERROR:  3F000: schema "nope" does not exist
select (pg_get_object_address('schema', '{s1,x}', '{}')).classid;
--| ERROR:  22023: name list length must be exactly 1
select (pg_get_object_address('role', '{postgres}', '{}')).*;
--|  classid | objid | objsubid
--| ---------+-------+----------
--|     1260 |    10 |        0
--| (1 row)
select (pg_get_object_address('role', '{nope}', '{}')).*;
--| ERROR:  42704: role "nope" does not exist
select (pg_get_object_address('database', '{postgres}', '{}')).classid;
--| ERROR:  3D000: database "postgres" does not exist
select (pg_get_object_address('database', '{nope}', '{}')).classid;
--| ERROR:  3D000: database "nope" does not exist
select (pg_get_object_address('extension', '{plpgsql}', '{}')).classid;
--|  classid
--| ---------
--|     3079
--| (1 row)
select (pg_get_object_address('extension', '{nope}', '{}')).classid;
--| ERROR:  42704: extension "nope" does not exist
select (pg_get_object_address('access method', '{btree}', '{}')).*;
--|  classid | objid | objsubid
--| ---------+-------+----------
--|     2601 |   403 |        0
--| (1 row)
select (pg_get_object_address('access method', '{nope}', '{}')).*;
--| ERROR:  42704: access method "nope" does not exist
select (pg_get_object_address('cast', '{int4}', '{int8}')).*;
--|  classid | objid | objsubid
--| ---------+-------+----------
--|     2605 | 10010 |        0
--| (1 row)
select (pg_get_object_address('cast', '{int4}', '{date}')).*;
--| ERROR:  42704: cast from type integer to type date does not exist
select pg_describe_object(classid, objid, objsubid) from pg_get_object_address('function', '{pg_catalog,lower}', '{text}');
--|   pg_describe_object
--| ----------------------
--|  function lower(text)
--| (1 row)
select (pg_get_object_address('function', '{pg_catalog,lower}', '{int4}')).classid;
--| ERROR:  42883: function pg_catalog.lower(integer) does not exist
select pg_describe_object(classid, objid, objsubid) from pg_get_object_address('operator', '{+}', '{int4,int4}');
--|      pg_describe_object
--| -----------------------------
--|  operator +(integer,integer)
--| (1 row)
select (pg_get_object_address('operator', '{+}', '{int4}')).classid;
--| ERROR:  22023: argument list length must be exactly 2
select (pg_get_object_address('operator', '{+}', '{int4,date,date}')).classid;
--| ERROR:  22023: argument list length must be exactly 2
select (pg_get_object_address('operator', '{+}', '{int4,bool}')).classid;
--| ERROR:  42883: operator does not exist: integer + boolean
select pg_describe_object(classid, objid, objsubid) from pg_get_object_address('aggregate', '{sum}', '{int4}');
--|   pg_describe_object
--| -----------------------
--|  function sum(integer)
--| (1 row)
select (pg_get_object_address('aggregate', '{sum}', '{text}')).classid;
--| ERROR:  42883: aggregate sum(text) does not exist
select (pg_get_object_address('collation', '{C}', '{}')).*;
--|  classid | objid | objsubid
--| ---------+-------+----------
--|     3456 |   950 |        0
--| (1 row)
select (pg_get_object_address('collation', '{nope}', '{}')).*;
--| ERROR:  42704: collation "nope" for encoding "UTF8" does not exist
select (pg_get_object_address('trigger', '{s1,t,x}', '{}')).*;
--| ERROR:  0A000: pg_get_object_address of "trigger" is not supported
select pg_describe_object(classid, objid, objsubid) from pg_get_object_address('rule', '{s1,v,_RETURN}', '{}');
--|     pg_describe_object
--| ---------------------------
--|  rule _RETURN on view s1.v
--| (1 row)
select (pg_get_object_address('rule', '{s1,v,x}', '{}')).classid;
--| ERROR:  42704: rule "x" for relation "v" does not exist
drop schema s1 cascade;
--| NOTICE:  drop cascades to 7 other objects
--| DETAIL:  drop cascades to table s1.t
--| drop cascades to view s1.v
--| drop cascades to sequence s1.q
--| drop cascades to type s1.d
--| drop cascades to type s1.e
--| drop cascades to materialized view s1.m
--| drop cascades to type s1.comp
--| DROP SCHEMA
