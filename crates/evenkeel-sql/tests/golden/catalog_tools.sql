-- What code generators and tools read of the catalog: functions of information_schema, pseudo-types, row types, signatures, what indexes can do.

create table cg (id int primary key, v varchar(10), b bit(3), n numeric(8,2), t timestamp(3), i interval day to second(2), x text, g int generated always as (id * 2 + 1) stored);
--| CREATE TABLE
create domain cg_d as varchar(7);
--| CREATE DOMAIN
create table cg2 (d cg_d, c char(4));
--| CREATE TABLE
create view cg_v as select id, v from cg;
--| CREATE VIEW
create materialized view cg_m as select id from cg;
--| SELECT 0

-- jOOQ's generator, where columns of domains are of the type that the domain is over.
select a.attname, information_schema._pg_char_max_length(information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a.*, t.*)) as len, information_schema._pg_char_octet_length(information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a.*, t.*)) as octets, information_schema._pg_numeric_precision(a.atttypid, a.atttypmod) as p, information_schema._pg_numeric_precision_radix(a.atttypid, a.atttypmod) as r, information_schema._pg_numeric_scale(a.atttypid, a.atttypmod) as s, information_schema._pg_datetime_precision(a.atttypid, a.atttypmod) as d, information_schema._pg_interval_type(a.atttypid, a.atttypmod) as i from pg_attribute a join pg_type t on t.oid = a.atttypid where a.attrelid in ('cg'::regclass, 'cg2'::regclass) and a.attnum > 0 order by a.attrelid, a.attnum;
--|  attname | len |   octets   | p  | r  | s | d |        i
--| ---------+-----+------------+----+----+---+---+------------------
--|  id      |     |            | 32 |  2 | 0 |   |
--|  v       |  10 |         40 |    |    |   |   |
--|  b       |   3 |            |    |    |   |   |
--|  n       |     |            |  8 | 10 | 2 |   |
--|  t       |     |            |    |    |   | 3 |
--|  i       |     |            |    |    |   | 2 | DAY TO SECOND(2)
--|  x       |     | 1073741824 |    |    |   |   |
--|  g       |     |            | 32 |  2 | 0 |   |
--|  d       |   7 |         28 |    |    |   |   |
--|  c       |   4 |         16 |    |    |   |   |
--| (10 rows)
select information_schema._pg_interval_type(1186, -1), information_schema._pg_interval_type(1186, 2147418115), information_schema._pg_datetime_precision(1186, -1), information_schema._pg_datetime_precision(1082, null), information_schema._pg_char_max_length(25, 44), information_schema._pg_char_octet_length(25, -1);
--|  _pg_interval_type | _pg_interval_type | _pg_datetime_precision | _pg_datetime_precision | _pg_char_max_length | _pg_char_octet_length
--| -------------------+-------------------+------------------------+------------------------+---------------------+-----------------------
--|                    |                   |                      6 |                        |                     |            1073741824
--| (1 row)
select pronamespace::regnamespace, proname, pronargs from pg_proc where proname like '\_pg\_n%' order by 2;
--|     pronamespace    |           proname           | pronargs
--| --------------------+-----------------------------+----------
--|  information_schema | _pg_numeric_precision       |        2
--|  information_schema | _pg_numeric_precision_radix |        2
--|  information_schema | _pg_numeric_scale           |        2
--| (3 rows)
select information_schema._pg_truetypid(1, 2);
--| ERROR:  42883: function _pg_truetypid(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.

-- Pseudo-types and handlers: pgcli lists them.
select oid, typname, typlen, typbyval, typtype, typcategory, typarray, typinput, typoutput, typreceive, typsend from pg_type where typname in ('trigger', 'event_trigger', 'internal', 'cstring', '_cstring', 'anynonarray', 'index_am_handler', 'fdw_handler', 'anycompatiblearray') order by oid;
--|  oid  |      typname       | typlen | typbyval | typtype | typcategory | typarray |       typinput        |       typoutput        |       typreceive        |         typsend
--| ------+--------------------+--------+----------+---------+-------------+----------+-----------------------+------------------------+-------------------------+-------------------------
--|   325 | index_am_handler   |      4 | t        | p       | P           |        0 | index_am_handler_in   | index_am_handler_out   | -                       | -
--|  1263 | _cstring           |     -1 | f        | b       | A           |        0 | array_in              | array_out              | array_recv              | array_send
--|  2275 | cstring            |     -2 | f        | p       | P           |     1263 | cstring_in            | cstring_out            | cstring_recv            | cstring_send
--|  2279 | trigger            |      4 | t        | p       | P           |        0 | trigger_in            | trigger_out            | -                       | -
--|  2281 | internal           |      8 | t        | p       | P           |        0 | internal_in           | internal_out           | -                       | -
--|  2776 | anynonarray        |      4 | t        | p       | P           |        0 | anynonarray_in        | anynonarray_out        | -                       | -
--|  3115 | fdw_handler        |      4 | t        | p       | P           |        0 | fdw_handler_in        | fdw_handler_out        | -                       | -
--|  3838 | event_trigger      |      4 | t        | p       | P           |        0 | event_trigger_in      | event_trigger_out      | -                       | -
--|  5078 | anycompatiblearray |     -1 | f        | p       | P           |        0 | anycompatiblearray_in | anycompatiblearray_out | anycompatiblearray_recv | anycompatiblearray_send
--| (9 rows)
select oid as o, format_type(oid, null), oid::regtype, pg_type_is_visible(oid) from pg_type where typname in ('trigger', 'cstring', '_cstring', 'language_handler') order by 1;
--|   o   |   format_type    |       oid        | pg_type_is_visible
--| ------+------------------+------------------+--------------------
--|  1263 | cstring[]        | cstring[]        | t
--|  2275 | cstring          | cstring          | t
--|  2279 | trigger          | trigger          | t
--|  2280 | language_handler | language_handler | t
--| (4 rows)
select 'trigger'::regtype::oid, to_regtype('internal'), 'cstring[]'::regtype, to_regtype('no_such');
--|  oid  | to_regtype |  regtype  | to_regtype
--| ------+------------+-----------+------------
--|  2279 | internal   | cstring[] |
--| (1 row)

-- What reads and writes values: drivers know arrays by array_recv, enums by enum_in.
create type cg_e as enum ('a');
--| CREATE TYPE
create type cg_c as (a int, b cg_e);
--| CREATE TYPE
select typname, typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze, typsubscript from pg_type where typname in ('int4', '_int4', 'varchar', '_varchar', 'cg_e', '_cg_e', 'cg_c', '_cg_c', 'cg_d', 'jsonb', 'name', 'oidvector', 'record', '_record', 'unknown', 'regoper', 'regprocedure') order by 1;
--|    typname    |    typinput    |    typoutput    |    typreceive    |     typsend      |    typmodin     |    typmodout     |    typanalyze    |        typsubscript
--| --------------+----------------+-----------------+------------------+------------------+-----------------+------------------+------------------+-----------------------------
--|  _cg_c        | array_in       | array_out       | array_recv       | array_send       | -               | -                | array_typanalyze | array_subscript_handler
--|  _cg_e        | array_in       | array_out       | array_recv       | array_send       | -               | -                | array_typanalyze | array_subscript_handler
--|  _int4        | array_in       | array_out       | array_recv       | array_send       | -               | -                | array_typanalyze | array_subscript_handler
--|  _record      | array_in       | array_out       | array_recv       | array_send       | -               | -                | array_typanalyze | array_subscript_handler
--|  _varchar     | array_in       | array_out       | array_recv       | array_send       | varchartypmodin | varchartypmodout | array_typanalyze | array_subscript_handler
--|  cg_c         | record_in      | record_out      | record_recv      | record_send      | -               | -                | -                | -
--|  cg_d         | domain_in      | varcharout      | domain_recv      | varcharsend      | -               | -                | -                | -
--|  cg_e         | enum_in        | enum_out        | enum_recv        | enum_send        | -               | -                | -                | -
--|  int4         | int4in         | int4out         | int4recv         | int4send         | -               | -                | -                | -
--|  jsonb        | jsonb_in       | jsonb_out       | jsonb_recv       | jsonb_send       | -               | -                | -                | jsonb_subscript_handler
--|  name         | namein         | nameout         | namerecv         | namesend         | -               | -                | -                | raw_array_subscript_handler
--|  oidvector    | oidvectorin    | oidvectorout    | oidvectorrecv    | oidvectorsend    | -               | -                | -                | array_subscript_handler
--|  record       | record_in      | record_out      | record_recv      | record_send      | -               | -                | -                | -
--|  regoper      | regoperin      | regoperout      | regoperrecv      | regopersend      | -               | -                | -                | -
--|  regprocedure | regprocedurein | regprocedureout | regprocedurerecv | regproceduresend | -               | -                | -                | -
--|  unknown      | unknownin      | unknownout      | unknownrecv      | unknownsend      | -               | -                | -                | -
--|  varchar      | varcharin      | varcharout      | varcharrecv      | varcharsend      | varchartypmodin | varchartypmodout | -                | -
--| (17 rows)
select t.typname, p.proname from pg_type t join pg_proc p on p.oid = t.typreceive where t.typname in ('_text', 'text', 'cg_e') order by 1;
--|  typname |  proname
--| ---------+------------
--|  _text   | array_recv
--|  cg_e    | enum_recv
--|  text    | textrecv
--| (3 rows)
select oid, proname, prorettype::regtype, proargtypes::regtype[], pronargs, provolatile, proisstrict from pg_proc where oid in (750, 2400, 2281) or proname in ('enum_in', 'varchartypmodin') order by 1;
--|  oid  |     proname     | prorettype |         proargtypes          | pronargs | provolatile | proisstrict
--| ------+-----------------+------------+------------------------------+----------+-------------+-------------
--|   750 | array_in        | anyarray   | [0:2]={cstring,oid,integer}  |        3 | s           | t
--|  2400 | array_recv      | anyarray   | [0:2]={internal,oid,integer} |        3 | s           | t
--|  2915 | varchartypmodin | integer    | [0:0]={cstring[]}            |        1 | i           | t
--|  3506 | enum_in         | anyenum    | [0:1]={cstring,oid}          |        2 | s           | t
--| (4 rows)

-- A relation's row type: Prisma reads only columns of relations that have one.
select relname, reltype > 0 from pg_class where relname in ('cg', 'cg_pkey', 'cg_v', 'cg_m', 'cg_c') order by 1;
--|  relname | ?column?
--| ---------+----------
--|  cg      | t
--|  cg_c    | t
--|  cg_m    | t
--|  cg_pkey | f
--|  cg_v    | t
--| (5 rows)
select t.typname, t.typtype, t.typcategory, t.typlen, c.relname, e.typname as array_of, a.typname as array from pg_type t left join pg_class c on c.oid = t.typrelid left join pg_type e on e.oid = t.typelem left join pg_type a on a.oid = t.typarray where t.typname ~ '^_?cg(_v|_m|_c)?$' order by 1;
--|  typname | typtype | typcategory | typlen | relname | array_of | array
--| ---------+---------+-------------+--------+---------+----------+-------
--|  _cg     | b       | A           |     -1 |         | cg       |
--|  _cg_c   | b       | A           |     -1 |         | cg_c     |
--|  _cg_m   | b       | A           |     -1 |         | cg_m     |
--|  _cg_v   | b       | A           |     -1 |         | cg_v     |
--|  cg      | c       | C           |     -1 | cg      |          | _cg
--|  cg_c    | c       | C           |     -1 | cg_c    |          | _cg_c
--|  cg_m    | c       | C           |     -1 | cg_m    |          | _cg_m
--|  cg_v    | c       | C           |     -1 | cg_v    |          | _cg_v
--| (8 rows)
select reltype::regtype, format_type(reltype, -1), pg_type_is_visible(reltype) from pg_class where relname in ('cg', 'cg_v') order by 1;
--|  reltype | format_type | pg_type_is_visible
--| ---------+-------------+--------------------
--|  cg      | cg          | t
--|  cg_v    | cg_v        | t
--| (2 rows)
select to_regtype('cg') = (select reltype from pg_class where relname = 'cg'), to_regtype('public.cg[]'), to_regtype('_cg_v');
--|  ?column? | to_regtype | to_regtype
--| ----------+------------+------------
--|  t        | cg[]       | cg_v[]
--| (1 row)
select user_defined_type_name from information_schema.user_defined_types order by 1;
--|  user_defined_type_name
--| ------------------------
--|  cg_c
--| (1 row)

-- Functions and operators by what they take.
select 'lower(text)'::regprocedure, 'pg_catalog.lower(text)'::regprocedure = 'lower(text)'::regprocedure, 'now()'::regprocedure, 'array_in(cstring,oid,integer)'::regprocedure::oid, 'count("any")'::regprocedure, to_regprocedure('lower(int)');
--|  regprocedure | ?column? | regprocedure | oid | regprocedure | to_regprocedure
--| --------------+----------+--------------+-----+--------------+-----------------
--|  lower(text)  | t        | now()        | 750 | count("any") |
--| (1 row)
select '=(int,int)'::regoperator, '-(none,int)'::regoperator, 'pg_catalog.||(text,text)'::regoperator, to_regoperator('=(int,bool)'), to_regoper('='), to_regoper('!~~*');
--|     regoperator     |   regoperator   |  regoperator  | to_regoperator | to_regoper | to_regoper
--| --------------------+-----------------+---------------+----------------+------------+------------
--|  =(integer,integer) | -(NONE,integer) | ||(text,text) |                |            |
--| (1 row)
select oprname from pg_operator where oid = '+(int8,int8)'::regoperator;
--|  oprname
--| ---------
--|  +
--| (1 row)
select '"C"'::regcollation, to_regcollation('default'), to_regcollation('nope'), 950::regcollation, 0::regcollation, 0::regoper;
--|  regcollation | to_regcollation | to_regcollation | regcollation | regcollation | regoper
--| --------------+-----------------+-----------------+--------------+--------------+---------
--|  "C"          | "default"       |                 | "C"          | -            | 0
--| (1 row)
select pg_typeof('initcap(text)'::regprocedure), 'initcap(text)'::regprocedure::oid = 'initcap'::regproc::oid;
--|   pg_typeof   | ?column?
--| --------------+----------
--|  regprocedure | t
--| (1 row)
select 'initcap(text)'::regprocedure::regproc, 'initcap'::regproc::regprocedure, 'lower(text)'::regprocedure::regproc::regprocedure, '+(int,int)'::regoperator::regoper;
--|  regproc | regprocedure  | regprocedure |   regoper
--| ---------+---------------+--------------+--------------
--|  initcap | initcap(text) | lower(text)  | pg_catalog.+
--| (1 row)
select '='::regoper;
--| ERROR:  42725: more than one operator named =
select 'lower'::regprocedure;
--| ERROR:  22P02: expected a left parenthesis
select 'lower(int)'::regprocedure;
--| ERROR:  42883: function "lower(int)" does not exist
select '=(int)'::regoperator;
--| ERROR:  42P02: missing argument
--| HINT:  Use NONE to denote the missing argument of a unary operator.
select '=(int,int,int)'::regoperator;
--| ERROR:  54023: too many arguments
--| HINT:  Provide two argument types for operator.
select '<~>(int,int)'::regoperator;
--| ERROR:  42883: operator does not exist: <~>(int,int)
select 'zz'::regcollation;
--| ERROR:  42704: collation "zz" for encoding "UTF8" does not exist

-- What indexes can do: Atlas and ent ask it, and miss DESC without.
create index cg_i on cg (v desc, n nulls first, (lower(x)) desc nulls last) include (t);
--| CREATE INDEX
select n, p, pg_index_column_has_property('cg_i'::regclass, n, p) from generate_series(1, 5) n, unnest(array['asc', 'desc', 'nulls_first', 'NULLS_LAST', 'orderable', 'returnable', 'search_nulls', 'bogus']) p where n in (1, 2, 4) order by n, p;
--|  n |      p       | pg_index_column_has_property
--| ---+--------------+------------------------------
--|  1 | NULLS_LAST   | f
--|  1 | asc          | f
--|  1 | bogus        |
--|  1 | desc         | t
--|  1 | nulls_first  | t
--|  1 | orderable    | t
--|  1 | returnable   | t
--|  1 | search_nulls | t
--|  2 | NULLS_LAST   | f
--|  2 | asc          | t
--|  2 | bogus        |
--|  2 | desc         | f
--|  2 | nulls_first  | t
--|  2 | orderable    | t
--|  2 | returnable   | t
--|  2 | search_nulls | t
--|  4 | NULLS_LAST   |
--|  4 | asc          |
--|  4 | bogus        |
--|  4 | desc         |
--|  4 | nulls_first  |
--|  4 | orderable    | f
--|  4 | returnable   | t
--|  4 | search_nulls |
--| (24 rows)
select pg_index_column_has_property('cg_i'::regclass, 5, 'asc'), pg_index_column_has_property('cg'::regclass, 1, 'asc');
--|  pg_index_column_has_property | pg_index_column_has_property
--| ------------------------------+------------------------------
--|                               |
--| (1 row)
select p, pg_index_has_property('cg_i'::regclass, p) from unnest(array['clusterable', 'index_scan', 'bitmap_scan', 'backward_scan', 'asc']) p;
--|        p       | pg_index_has_property
--| ---------------+-----------------------
--|  clusterable   | t
--|  index_scan    | t
--|  bitmap_scan   | t
--|  backward_scan | t
--|  asc           |
--| (5 rows)
select amname, p, pg_indexam_has_property(oid, p) from pg_am, unnest(array['can_order', 'can_multi_col', 'can_exclude', 'can_include', 'x']) p where amname in ('btree', 'gin', 'hash', 'brin') order by 1, 2;
--|  amname |       p       | pg_indexam_has_property
--| --------+---------------+-------------------------
--|  brin   | can_exclude   | f
--|  brin   | can_include   | f
--|  brin   | can_multi_col | t
--|  brin   | can_order     | f
--|  brin   | x             |
--|  btree  | can_exclude   | t
--|  btree  | can_include   | t
--|  btree  | can_multi_col | t
--|  btree  | can_order     | t
--|  btree  | x             |
--|  gin    | can_exclude   | f
--|  gin    | can_include   | f
--|  gin    | can_multi_col | t
--|  gin    | can_order     | f
--|  gin    | x             |
--|  hash   | can_exclude   | t
--|  hash   | can_include   | f
--|  hash   | can_multi_col | f
--|  hash   | can_order     | f
--|  hash   | x             |
--| (20 rows)
select (case when i.indisexclusion then (select conexclop[1]::regoper from pg_constraint where conindid = i.indexrelid) end) is null as none from pg_index i where i.indexrelid = 'cg_i'::regclass;
--|  none
--| ------
--|  t
--| (1 row)

-- Expressions as people read them.
select pg_get_expr(adbin, adrelid), pg_get_expr(adbin, adrelid, true) from pg_attrdef where adrelid = 'cg'::regclass;
--|   pg_get_expr   | pg_get_expr
--| ----------------+-------------
--|  ((id * 2) + 1) | id * 2 + 1
--| (1 row)
create domain cg_d1 as int check (value > 0 and value < 10);
--| CREATE DOMAIN
create domain cg_d2 as text constraint nn not null check (value ~ '^a' or (length(value) = 3 and value <> 'x')) check ((value > 'a' or value < 'b') and value <> 'c');
--| CREATE DOMAIN
select conname, pg_get_constraintdef(oid, true), pg_get_constraintdef(oid) from pg_constraint where contypid <> 0 and connamespace = 'public'::regnamespace order by 1;
--|    conname    |                          pg_get_constraintdef                           |                               pg_get_constraintdef
--| --------------+-------------------------------------------------------------------------+----------------------------------------------------------------------------------
--|  cg_d1_check  | CHECK (VALUE > 0 AND VALUE < 10)                                        | CHECK (((VALUE > 0) AND (VALUE < 10)))
--|  cg_d2_check  | CHECK (VALUE ~ '^a'::text OR length(VALUE) = 3 AND VALUE <> 'x'::text)  | CHECK (((VALUE ~ '^a'::text) OR ((length(VALUE) = 3) AND (VALUE <> 'x'::text))))
--|  cg_d2_check1 | CHECK ((VALUE > 'a'::text OR VALUE < 'b'::text) AND VALUE <> 'c'::text) | CHECK ((((VALUE > 'a'::text) OR (VALUE < 'b'::text)) AND (VALUE <> 'c'::text)))
--|  nn           | NOT NULL                                                                | NOT NULL
--| (4 rows)
alter table cg add constraint cg_c1 check (id > 0 and (n > 1 or v = 'x' and n < 0));
--| ALTER TABLE
select pg_get_constraintdef(oid, true) from pg_constraint where conname = 'cg_c1';
--|                              pg_get_constraintdef
--| -------------------------------------------------------------------------------
--|  CHECK (id > 0 AND (n > 1::numeric OR v::text = 'x'::text AND n < 0::numeric))
--| (1 row)

-- Values of a relation's row type; PostGraphile writes rows by way of their texts.
insert into cg (id, v, n) values (1, 'x', 2.5), (2, 'y', null);
--| INSERT 0 2
create table rt (a int, gone int, b text);
--| CREATE TABLE
alter table rt drop gone;
--| ALTER TABLE
insert into rt values (1, 'x'), (2, null);
--| INSERT 0 2
select row(3, 'z')::rt, (row(3, 'z')::rt).b, null::rt is null, pg_typeof(null::rt), pg_typeof(array[row(3, 'z')::rt]);
--|   row  | b | ?column? | pg_typeof | pg_typeof
--| -------+---+----------+-----------+-----------
--|  (3,z) | z | t        | rt        | rt[]
--| (1 row)
select (str::public.rt).* from unnest(array['(7,l)', '(,"a b")']::text[]) str;
--|  a |  b
--| ---+-----
--|  7 | l
--|    | a b
--| (2 rows)
select r::text::rt = r::rt, (r::text::rt).a from rt r order by a;
--|  ?column? | a
--| ----------+---
--|  t        | 1
--|  t        | 2
--| (2 rows)
select * from json_populate_record(null::rt, '{"b": "q", "a": 3, "x": 1}');
--|  a | b
--| ---+---
--|  3 | q
--| (1 row)
select * from jsonb_populate_recordset(null::rt, '[{"a": 1}, {"b": "c"}]');
--|  a | b
--| ---+---
--|  1 |
--|    | c
--| (2 rows)
select (json_populate_record(null::cg_v, '{"id": 5}')).id, ('(4,w)'::cg_v).v, (null::cg_m).id;
--|  id | v | id
--| ----+---+----
--|   5 | w |
--| (1 row)
select array['(1,a)', '(2,b)']::rt[], ('{"(1,a)"}'::_rt)[1].b, to_regtype('rt[]');
--|        array       | b | to_regtype
--| -------------------+---+------------
--|  {"(1,a)","(2,b)"} | a | rt[]
--| (1 row)
alter table rt add c int default 9;
--| ALTER TABLE
select '(1,a,2)'::rt, 'rt'::regtype;
--|    rt    | regtype
--| ---------+---------
--|  (1,a,2) | rt
--| (1 row)
select '(1,a)'::rt;
--| ERROR:  22P02: malformed record literal: "(1,a)"
--| DETAIL:  Too few columns.
select '(q,a,2)'::rt;
--| ERROR:  22P02: invalid input syntax for type integer: "q"
create table rt2 (r rt);
--| ERROR:  0A000: columns and stored expressions of the row type of "rt" are not supported
create table rt2 (r rt[]);
--| ERROR:  0A000: columns and stored expressions of the row type of "rt" are not supported
create table rt2 as select '(1,a,2)'::rt as r;
--| ERROR:  0A000: columns and stored expressions of the row type of "rt" are not supported
create view rt_v as select '(1,a,2)'::rt as r;
--| ERROR:  0A000: columns and stored expressions of the row type of "rt" are not supported
create view rt_v as select (json_populate_record(null::rt, '{}')).a;
--| ERROR:  0A000: columns and stored expressions of the row type of "rt" are not supported
create table rt2 (a int check (('(1,a,2)'::rt).a > a));
--| ERROR:  0A000: columns and stored expressions of the row type of "rt" are not supported
create table rt2 (a int default (('(1,a,2)'::rt).a));
--| ERROR:  0A000: columns and stored expressions of the row type of "rt" are not supported
create domain rt_d as rt;
--| ERROR:  0A000: columns and stored expressions of the row type of "rt" are not supported
create type rt_c as (r rt);
--| ERROR:  0A000: columns and stored expressions of the row type of "rt" are not supported
create index on rt ((('(1,a,2)'::rt).a));
--| CREATE INDEX
alter type rt rename to x;
--| ERROR:  42809: rt is a table's row type
--| HINT:  Use ALTER TABLE instead.
drop domain if exists rt;
--| ERROR:  42809: "rt" is not a domain
drop type rt;
--| ERROR:  2BP01: cannot drop type rt because table rt requires it
--| HINT:  You can drop table rt instead.
alter table rt rename to renamed;
--| ALTER TABLE
select '(1,a,2)'::renamed;
--|  renamed
--| ---------
--|  (1,a,2)
--| (1 row)
select '(1,a,2)'::rt;
--| ERROR:  42704: type "rt" does not exist
drop table renamed;
--| DROP TABLE
select '(1,a,2)'::renamed;
--| ERROR:  42704: type "renamed" does not exist
select to_regtype('renamed');
--|  to_regtype
--| ------------
--|
--| (1 row)

-- What a type becomes by itself, as ActiveRecord asks before it compares without regard to case.
select exists (select * from pg_proc where proname = 'lower' and proargtypes = array['text'::regtype]::oidvector) as "text", exists (select * from pg_proc join pg_cast on array[casttarget]::oidvector = proargtypes where proname = 'lower' and castsource = 'character varying'::regtype) as "varchar", exists (select * from pg_proc join pg_cast on array[casttarget]::oidvector = proargtypes where proname = 'lower' and castsource = 'integer'::regtype) as "integer";
--|  text | varchar | integer
--| ------+---------+---------
--|  t    | t       | f
--| (1 row)
select casttarget::regtype, castcontext, castmethod from pg_cast where castsource = 'varchar'::regtype order by casttarget;
--|     casttarget     | castcontext | castmethod
--| -------------------+-------------+------------
--|  "char"            | a           | f
--|  name              | i           | f
--|  text              | i           | b
--|  character         | i           | b
--|  character varying | i           | f
--|  regclass          | i           | f
--| (6 rows)
select count(*) from pg_cast where castsource >= 16000 or casttarget >= 16000;
--|  count
--| -------
--|      0
--| (1 row)
create extension citext;
--| CREATE EXTENSION
select castsource::regtype, casttarget::regtype, castcontext, castmethod from pg_cast where castsource >= 16000 or casttarget >= 16000 order by oid;
--|     castsource     |    casttarget     | castcontext | castmethod
--| -------------------+-------------------+-------------+------------
--|  citext            | text              | i           | b
--|  citext            | character varying | i           | b
--|  citext            | character         | a           | b
--|  text              | citext            | a           | b
--|  character varying | citext            | a           | b
--|  character         | citext            | a           | f
--|  boolean           | citext            | a           | f
--|  inet              | citext            | a           | f
--| (8 rows)
drop extension citext;
--| DROP EXTENSION
