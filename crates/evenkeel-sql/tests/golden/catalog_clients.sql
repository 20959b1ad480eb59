-- What clients read of the catalog: dimensions of arrays, counts by function, privileges on what is not there.

-- As declared, where DuckDB and drizzle-kit look.
create table cc (a int[], b int[][], c int[3][4][5], d text, e text array, f varchar(5)[][]);
--| CREATE TABLE
create type cc_e as enum ('x');
--| CREATE TYPE
alter table cc add g cc_e[][], add h cc_e[];
--| ALTER TABLE
select attname, attndims, format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'cc'::regclass and attnum > 0 order by attnum;
--|  attname | attndims |      format_type
--| ---------+----------+------------------------
--|  a       |        1 | integer[]
--|  b       |        2 | integer[]
--|  c       |        3 | integer[]
--|  d       |        0 | text
--|  e       |        1 | text[]
--|  f       |        2 | character varying(5)[]
--|  g       |        2 | cc_e[]
--|  h       |        1 | cc_e[]
--| (8 rows)
alter table cc alter a type bigint[][], alter b type bigint[], alter d set storage external, alter c set statistics 7;
--| ALTER TABLE
select attname, attndims, attstattarget, attstorage from pg_attribute where attrelid = 'cc'::regclass and attnum > 0 order by attnum;
--|  attname | attndims | attstattarget | attstorage
--| ---------+----------+---------------+------------
--|  a       |        2 |               | x
--|  b       |        1 |               | x
--|  c       |        3 |             7 | x
--|  d       |        0 |               | e
--|  e       |        1 |               | x
--|  f       |        2 |               | x
--|  g       |        2 |               | x
--|  h       |        1 |               | x
--| (8 rows)

-- How types lie in a row.
select typname, typalign, typbyval from pg_type where typname in ('record', '_record', 'anyarray', 'tid', 'unknown', 'cc', '_cc', 'macaddr8', '_tid') order by 1;
--|  typname  | typalign | typbyval
--| ----------+----------+----------
--|  _cc      | d        | f
--|  _record  | d        | f
--|  _tid     | i        | f
--|  anyarray | d        | f
--|  cc       | d        | f
--|  macaddr8 | i        | f
--|  record   | d        | f
--|  tid      | s        | f
--|  unknown  | c        | f
--| (9 rows)

-- Of what nothing is counted there is none.
select pg_stat_get_dead_tuples(1), pg_stat_get_live_tuples(1), pg_stat_get_numscans(1), pg_stat_get_tuples_returned(1), pg_stat_get_tuples_fetched(1), pg_stat_get_tuples_inserted(1), pg_stat_get_tuples_hot_updated(1), pg_stat_get_tuples_newpage_updated(1), pg_stat_get_vacuum_count(1), pg_stat_get_last_vacuum_time(1), pg_stat_get_lastscan(1);
--|  pg_stat_get_dead_tuples | pg_stat_get_live_tuples | pg_stat_get_numscans | pg_stat_get_tuples_returned | pg_stat_get_tuples_fetched | pg_stat_get_tuples_inserted | pg_stat_get_tuples_hot_updated | pg_stat_get_tuples_newpage_updated | pg_stat_get_vacuum_count | pg_stat_get_last_vacuum_time | pg_stat_get_lastscan
--| -------------------------+-------------------------+----------------------+-----------------------------+----------------------------+-----------------------------+--------------------------------+------------------------------------+--------------------------+------------------------------+----------------------
--|                        0 |                       0 |                    0 |                           0 |                          0 |                           0 |                              0 |                                  0 |                        0 |                              |
--| (1 row)
select pg_stat_get_dead_tuples('cc'::regclass), pg_stat_get_tuples_newpage_updated('cc'::regclass);
--|  pg_stat_get_dead_tuples | pg_stat_get_tuples_newpage_updated
--| -------------------------+------------------------------------
--|                        0 |                                  0
--| (1 row)
select pg_stat_reset_single_table_counters('cc'::regclass), pg_stat_reset_single_table_counters(1);
--|  pg_stat_reset_single_table_counters | pg_stat_reset_single_table_counters
--| -------------------------------------+-------------------------------------
--|                                      |
--| (1 row)
select pg_stat_clear_snapshot(), pg_stat_force_next_flush();
--|  pg_stat_clear_snapshot | pg_stat_force_next_flush
--| ------------------------+--------------------------
--|                         |
--| (1 row)

-- Privileges on settings, servers and wrappers.
create role cc_r;
--| CREATE ROLE
select has_parameter_privilege('work_mem', 'set'), has_parameter_privilege('cc_r', 'work_mem', 'SET, alter system'), has_parameter_privilege(10::oid, 'no_such_setting', 'set with grant option');
--|  has_parameter_privilege | has_parameter_privilege | has_parameter_privilege
--| -------------------------+-------------------------+-------------------------
--|  t                       | f                       | t
--| (1 row)
select has_parameter_privilege('work_mem', 'select');
--| ERROR:  22023: unrecognized privilege type: "select"
select has_parameter_privilege('cc_nobody', 'work_mem', 'set');
--| ERROR:  42704: role "cc_nobody" does not exist
select has_server_privilege('x', 'usage');
--| ERROR:  42704: server "x" does not exist
select has_foreign_data_wrapper_privilege('x', 'usage');
--| ERROR:  42704: foreign-data wrapper "x" does not exist
drop role cc_r;
--| DROP ROLE

-- The domains of information_schema, which its views' columns are cast to.
select 'a'::information_schema.sql_identifier, 7::information_schema.cardinal_number, 'xyz'::information_schema.character_data, 'YES'::information_schema.yes_or_no, '2020-01-02 03:04:05.678 UTC'::information_schema.time_stamp = '2020-01-02 03:04:05.68 UTC';
--|  sql_identifier | cardinal_number | character_data | yes_or_no | ?column?
--| ----------------+-----------------+----------------+-----------+----------
--|  a              |               7 | xyz            | YES       | t
--| (1 row)
select 'a'::information_schema.no_such;
--| ERROR:  42704: type "information_schema.no_such" does not exist

select n, pg_encoding_max_length(n) from unnest(array[-1, 0, 6, 8, 35, 39, 42]) n;
--|  n  | pg_encoding_max_length
--| ----+------------------------
--|  -1 |
--|   0 |                      1
--|   6 |                      4
--|   8 |                      1
--|  35 |                      2
--|  39 |                      4
--|  42 |
--| (7 rows)

-- PostgREST: keys as rows of numbers, where the columns of views come from, and a type that is but a name.
create schema ccs;
--| CREATE SCHEMA
create table ccs.people (id int primary key, "first name" text, unique ("first name", id));
--| CREATE TABLE
create table ccs.tasks (id int, person int references ccs.people, title text, primary key (person, id));
--| CREATE TABLE
create view ccs.who as select p.id, p."first name" as "a b", t.id as task, upper(t.title) as big, t.person from ccs.people p join ccs.tasks t on t.person = p.id;
--| CREATE VIEW
create view ccs.again as select task, person, "a b" from (select * from ccs.who) w;
--| CREATE VIEW
create materialized view ccs.kept as with x as (select * from ccs.people) select id, count(*) from x group by id;
--| SELECT 0
select c.relname, ss.conname, a.attname, (ss.x).n, case when ss.contype = 'f' then information_schema._pg_index_position(ss.conindid, ss.confkey[(ss.x).n]) end as position from pg_attribute a join (select r.oid as roid, c.conname, c.contype, c.conindid, c.confkey, information_schema._pg_expandarray(c.conkey) as x from pg_class r join pg_constraint c on r.oid = c.conrelid where c.contype in ('p', 'u', 'f') and r.relnamespace = 'ccs'::regnamespace) ss on a.attrelid = ss.roid and a.attnum = (ss.x).x join pg_class c on c.oid = ss.roid order by 1, 2, 4;
--|  relname |         conname          |  attname   | n | position
--| ---------+--------------------------+------------+---+----------
--|  people  | people_first name_id_key | first name | 1 |
--|  people  | people_first name_id_key | id         | 2 |
--|  people  | people_pkey              | id         | 1 |
--|  tasks   | tasks_person_fkey        | person     | 1 |        1
--|  tasks   | tasks_pkey               | person     | 1 |
--|  tasks   | tasks_pkey               | id         | 2 |
--| (6 rows)
select information_schema._pg_expandarray(array['a', 'b']), (information_schema._pg_expandarray('{3,4}'::int[])).*;
--|  _pg_expandarray | x | n
--| -----------------+---+---
--|  (a,1)           | 3 | 1
--|  (b,2)           | 4 | 2
--| (2 rows)
select * from information_schema._pg_expandarray('{7,8}'::oid[]);
--|  x | n
--| ---+---
--|  7 | 1
--|  8 | 2
--| (2 rows)
with recursive pks_fks as ( select contype::text as contype, conname, array_length(conkey, 1) as ncol, conrelid as resorigtbl, col as resorigcol, ord from pg_constraint left join lateral unnest(conkey) with ordinality as _(col, ord) on true where contype IN ('p', 'f') union select concat(contype, '_ref') as contype, conname, array_length(confkey, 1) as ncol, confrelid, col, ord from pg_constraint left join lateral unnest(confkey) with ordinality as _(col, ord) on true where contype='f'), views as ( select c.oid as view_id, n.nspname as view_schema, c.relname as view_name, r.ev_action as view_definition from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_rewrite r on r.ev_class = c.oid where c.relkind in ('v', 'm') and n.nspname in ('ccs')), transform_json as ( select view_id, view_schema, view_name, replace( replace( replace( replace( replace( replace( replace( regexp_replace( replace( replace( replace( replace( replace( replace( replace( replace( replace( replace( replace( view_definition::text, '<>' , '()'), ',' , ''), E'\\{' , ''), E'\\}' , ''), ' :targetList ' , ',"targetList":'), ' :resno ' , ',"resno":'), ' :resorigtbl ' , ',"resorigtbl":'), ' :resorigcol ' , ',"resorigcol":'), '{' , '{ :'), '((' , '{(('), '({' , '{({'), ' :[^}{,]+' , ',"":' , 'g'), ',"":}' , '}'), ',"":,' , ','), '{(' , '('), '{,' , '{'), '(' , '['), ')' , ']'), ' ' , ',')::json as view_definition from views), target_entries as( select view_id, view_schema, view_name, json_array_elements(view_definition->0->'targetList') as entry from transform_json), results as( select view_id, view_schema, view_name, (entry->>'resno')::int as view_column, (entry->>'resorigtbl')::oid as resorigtbl, (entry->>'resorigcol')::int as resorigcol from target_entries), recursion(view_id, view_schema, view_name, view_column, resorigtbl, resorigcol, is_cycle, path) as( select r.*, false, ARRAY[resorigtbl] from results r where view_schema in ('ccs') union all select view.view_id, view.view_schema, view.view_name, view.view_column, tab.resorigtbl, tab.resorigcol, tab.resorigtbl = ANY(path), path || tab.resorigtbl from recursion view join results tab on view.resorigtbl=tab.view_id and view.resorigcol=tab.view_column where not is_cycle), repeated_references as( select view_id, view_schema, view_name, resorigtbl, resorigcol, array_agg(attname) as view_columns from recursion join pg_attribute vcol on vcol.attrelid = view_id and vcol.attnum = view_column group by view_id, view_schema, view_name, resorigtbl, resorigcol) select sch.nspname as table_schema, tbl.relname as table_name, rep.view_schema, rep.view_name, pks_fks.conname as constraint_name, pks_fks.contype as constraint_type, jsonb_agg( jsonb_build_object('table_column', col.attname, 'view_columns', view_columns) order by pks_fks.ord) as column_dependencies from repeated_references rep join pks_fks using (resorigtbl, resorigcol) join pg_class tbl on tbl.oid = rep.resorigtbl join pg_attribute col on col.attrelid = tbl.oid and col.attnum = rep.resorigcol join pg_namespace sch on sch.oid = tbl.relnamespace group by sch.nspname, tbl.relname, rep.view_schema, rep.view_name, pks_fks.conname, pks_fks.contype, pks_fks.ncol having ncol = array_length(array_agg(row(col.attname, view_columns) order by pks_fks.ord), 1) order by 1,2,4,5,6;
--|  table_schema | table_name | view_schema | view_name |  constraint_name  | constraint_type |                                            column_dependencies
--| --------------+------------+-------------+-----------+-------------------+-----------------+------------------------------------------------------------------------------------------------------------
--|  ccs          | people     | ccs         | kept      | people_pkey       | p               | [{"table_column": "id", "view_columns": ["id"]}]
--|  ccs          | people     | ccs         | kept      | tasks_person_fkey | f_ref           | [{"table_column": "id", "view_columns": ["id"]}]
--|  ccs          | people     | ccs         | who       | people_pkey       | p               | [{"table_column": "id", "view_columns": ["id"]}]
--|  ccs          | people     | ccs         | who       | tasks_person_fkey | f_ref           | [{"table_column": "id", "view_columns": ["id"]}]
--|  ccs          | tasks      | ccs         | again     | tasks_person_fkey | f               | [{"table_column": "person", "view_columns": ["person"]}]
--|  ccs          | tasks      | ccs         | again     | tasks_pkey        | p               | [{"table_column": "person", "view_columns": ["person"]}, {"table_column": "id", "view_columns": ["task"]}]
--|  ccs          | tasks      | ccs         | who       | tasks_person_fkey | f               | [{"table_column": "person", "view_columns": ["person"]}]
--|  ccs          | tasks      | ccs         | who       | tasks_pkey        | p               | [{"table_column": "person", "view_columns": ["person"]}, {"table_column": "id", "view_columns": ["task"]}]
--| (8 rows)
select r.ev_class::regclass, ev_action::text like '%:resname a\\ b %' as escaped from pg_rewrite r join pg_class c on c.oid = ev_class where relnamespace = 'ccs'::regnamespace order by 1;
--|  ev_class  | escaped
--| -----------+---------
--|  ccs.who   | t
--|  ccs.again | t
--|  ccs.kept  | f
--| (3 rows)
select 'xml'::regtype, 'xml[]'::regtype::oid, to_regtype('xml') in ('bytea'::regtype, 'xml'::regtype), (select typcategory from pg_type where typname = 'xml'), (select proname from pg_proc where oid = 2894);
--|  regtype | oid | ?column? | typcategory | proname
--| ---------+-----+----------+-------------+---------
--|  xml     | 143 | t        | U           | xml_out
--| (1 row)
drop schema ccs cascade;
--| NOTICE:  drop cascades to 5 other objects
--| DETAIL:  drop cascades to table ccs.people
--| drop cascades to table ccs.tasks
--| drop cascades to view ccs.who
--| drop cascades to view ccs.again
--| drop cascades to materialized view ccs.kept
--| DROP SCHEMA

-- What orders indexes of enums: without it drizzle-kit saw none, and made them again.
create table cc_i (g cc_e, h cc_e[]);
--| CREATE TABLE
create index on cc_i (g);
--| CREATE INDEX
create index on cc_i using hash (g enum_ops);
--| CREATE INDEX
create index on cc_i (g enum_ops desc, h array_ops);
--| CREATE INDEX
create index on cc_i (h enum_ops);
--| ERROR:  42804: operator class "enum_ops" does not accept data type cc_e[]
select ic.relname, i.indclass, c.opcname, c.opcintype::regtype, c.opcdefault, f.opfname from pg_index i join pg_class ic on ic.oid = i.indexrelid join pg_opclass c on c.oid = any (i.indclass) join pg_opfamily f on f.oid = c.opcfamily where i.indrelid = 'cc_i'::regclass order by 1, 3;
--|    relname    |  indclass   |  opcname  | opcintype | opcdefault |  opfname
--| --------------+-------------+-----------+-----------+------------+-----------
--|  cc_i_g_h_idx | 10069 10000 | array_ops | anyarray  | t          | array_ops
--|  cc_i_g_h_idx | 10069 10000 | enum_ops  | anyenum   | t          | enum_ops
--|  cc_i_g_idx   | 10069       | enum_ops  | anyenum   | t          | enum_ops
--|  cc_i_g_idx1  | 10070       | enum_ops  | anyenum   | t          | enum_ops
--| (4 rows)
select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'cc_i'::regclass order by 1;
--|                          pg_get_indexdef
--| ------------------------------------------------------------------
--|  CREATE INDEX cc_i_g_h_idx ON public.cc_i USING btree (g DESC, h)
--|  CREATE INDEX cc_i_g_idx ON public.cc_i USING btree (g)
--|  CREATE INDEX cc_i_g_idx1 ON public.cc_i USING hash (g)
--| (3 rows)
drop table cc_i;
--| DROP TABLE

-- The row in pg_class of a composite type.
create schema ccs2;
--| CREATE SCHEMA
create type ccs2.comp as (a int, "B c" text);
--| CREATE TYPE
create type cc_comp as (x int);
--| CREATE TYPE
select 'ccs2.comp'::regclass, to_regclass('cc_comp'), t.typrelid::regclass, (select string_agg(attrelid::regclass || '.' || attname, ' ' order by attnum) from pg_attribute where attrelid = t.typrelid) from pg_type t where typname = 'comp';
--|  regclass  | to_regclass | typrelid  |        string_agg
--| -----------+-------------+-----------+---------------------------
--|  ccs2.comp | cc_comp     | ccs2.comp | ccs2.comp.a ccs2.comp.B c
--| (1 row)
select to_regclass('ccs2.cc_comp'), to_regclass('cc_e');
--|  to_regclass | to_regclass
--| -------------+-------------
--|              |
--| (1 row)
drop type cc_comp;
--| DROP TYPE
drop schema ccs2 cascade;
--| NOTICE:  drop cascades to type ccs2.comp
--| DROP SCHEMA

-- DataGrip asks since which transaction a row of a catalog is as it is.
select age(c.xmin) between 0 and 1000, c.xmin::varchar::bigint > 2, pg_typeof(c.xmin) from pg_class c where relname = 'cc';
--|  ?column? | ?column? | pg_typeof
--| ----------+----------+-----------
--|  t        | t        | xid
--| (1 row)
select count(*) from pg_namespace n, pg_attribute a where a.attrelid = 'cc'::regclass and a.attnum > 0 and n.nspname = 'public' and age(a.xmin) <= coalesce(nullif(greatest(age('3'::varchar::xid), -1), -1), 2147483647) and n.xmin is not null;
--|  count
--| -------
--|      8
--| (1 row)
select t.typname, d.xmin is null from pg_type t left join pg_attrdef d on d.adrelid = t.typrelid where typname = 'cc';
--|  typname | ?column?
--| ---------+----------
--|  cc      | t
--| (1 row)
select xmin is not null as there from pg_constraint where conname = 'no_such';
--|  there
--| -------
--| (0 rows)
select xmin from pg_tables;
--| ERROR:  42703: column "xmin" does not exist

-- pgAdmin: functions of system views, names that are words, functions with the schema before them.
select name, setting from pg_show_all_settings() where name like 'autovacuum_vacuum_s%' order by 1;
--|               name              | setting
--| --------------------------------+---------
--|  autovacuum_vacuum_scale_factor | 0.2
--| (1 row)
select s.vartype from pg_catalog.pg_show_all_settings() as s(n) where n = 'work_mem';
--|  vartype
--| ---------
--|  integer
--| (1 row)
select name, comment from pg_available_extensions() a where name = 'pg_trgm';
--|   name   |                              comment
--| ---------+-------------------------------------------------------------------
--|  pg_trgm | text similarity measurement and index searching based on trigrams
--| (1 row)
select count(*) > 0 from pg_available_extension_versions() where name = 'pg_trgm';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select * from pg_cursor() limit 0;
--|  name | statement | is_holdable | is_binary | is_scrollable | creation_time
--| ------+-----------+-------------+-----------+---------------+---------------
--| (0 rows)
select mode from pg_lock_status() l where relation = 'cc'::regclass;
--|  mode
--| ------
--| (0 rows)
select nsp.nspname as schema ,rel.relname as table
from pg_class rel join pg_namespace nsp on rel.relnamespace = nsp.oid where rel.oid = 'cc'::regclass;
--|  schema | table
--| --------+-------
--|  public | cc
--| (1 row)
select 1 as table where true union select 2 as table order by 1;
--|  table
--| -------
--|      1
--|      2
--| (2 rows)
create view cc_t as table cc;
--| CREATE VIEW
create view cc_t2 as select a as table from cc;
--| CREATE VIEW
prepare cc_p as table cc_t2;
--| PREPARE
execute cc_p;
--|  table
--| -------
--| (0 rows)
deallocate cc_p;
--| DEALLOCATE
drop view cc_t, cc_t2;
--| DROP VIEW
select oidvectortypes('23 25 1009'::oidvector), oidvectortypes(''), oidvectortypes(null);
--|     oidvectortypes     | oidvectortypes | oidvectortypes
--| -----------------------+----------------+----------------
--|  integer, text, text[] |                |
--| (1 row)
select pg_catalog.substring('abc', 2), coalesce(pg_catalog.substring('abc', 'b'), 'x'), pg_catalog.substr('abc', 2, 1), pg_catalog.floor(1.5), pg_catalog.ceil(1.5), pg_catalog.ceiling(1.5);
--|  substring | coalesce | substr | floor | ceil | ceiling
--| -----------+----------+--------+-------+------+---------
--|  bc        | b        | b      |     1 |    2 |       2
--| (1 row)
select case when true then (select 'q') else (select d as x from cc union select 'y') end, case when true then 1 else (values (3)) end from (values (1)) v limit 1;
--|  x | column1
--| ---+---------
--|  q |       1
--| (1 row)

drop table cc;
--| DROP TABLE
drop type cc_e;
--| DROP TYPE
