-- Views of the system that tell of types, functions, collations and statistics.
create domain mood_list as text[];
--| CREATE DOMAIN
create type mood as enum ('sad', 'glad');
--| CREATE TYPE
create table typed (a int, b int[], c mood, d mood[], e mood_list, f varchar(3));
--| CREATE TABLE
select object_name, object_type, collection_type_identifier, data_type, udt_schema, udt_name, dtd_identifier
  from information_schema.element_types where object_schema = 'public' order by 1, 3;
--|  object_name | object_type | collection_type_identifier |  data_type   | udt_schema | udt_name | dtd_identifier
--| -------------+-------------+----------------------------+--------------+------------+----------+----------------
--|  mood_list   | DOMAIN      | 1                          | text         | pg_catalog | text     | a1
--|  typed       | TABLE       | 2                          | integer      | pg_catalog | int4     | a2
--|  typed       | TABLE       | 4                          | USER-DEFINED | public     | mood     | a4
--| (3 rows)
select udt_schema, udt_name, table_name, column_name from information_schema.column_udt_usage where table_name = 'typed' order by column_name;
--|  udt_schema | udt_name | table_name | column_name
--| ------------+----------+------------+-------------
--|  pg_catalog | int4     | typed      | a
--|  pg_catalog | _int4    | typed      | b
--|  public     | mood     | typed      | c
--|  public     | _mood    | typed      | d
--|  pg_catalog | _text    | typed      | e
--|  pg_catalog | varchar  | typed      | f
--| (6 rows)
select udt_schema, udt_name, domain_schema, domain_name from information_schema.domain_udt_usage where domain_name = 'mood_list';
--|  udt_schema | udt_name | domain_schema | domain_name
--| ------------+----------+---------------+-------------
--|  pg_catalog | _text    | public        | mood_list
--| (1 row)
select object_schema, object_name, object_type, dtd_identifier from information_schema.data_type_privileges where object_schema = 'public' order by 2, 4;
--|  object_schema | object_name | object_type | dtd_identifier
--| ---------------+-------------+-------------+----------------
--|  public        | mood_list   | DOMAIN      | 1
--|  public        | typed       | TABLE       | 1
--|  public        | typed       | TABLE       | 2
--|  public        | typed       | TABLE       | 3
--|  public        | typed       | TABLE       | 4
--|  public        | typed       | TABLE       | 5
--|  public        | typed       | TABLE       | 6
--| (7 rows)
select collation_schema, collation_name, pad_attribute from information_schema.collations where collation_name in ('C', 'POSIX') order by 2;
--|  collation_schema | collation_name | pad_attribute
--| ------------------+----------------+---------------
--|  pg_catalog       | C              | NO PAD
--|  pg_catalog       | POSIX          | NO PAD
--| (2 rows)
select collation_name, character_set_name from information_schema.collation_character_set_applicability where collation_name = 'C';
--|  collation_name | character_set_name
--| ----------------+--------------------
--|  C              | UTF8
--| (1 row)
select character_set_name, character_repertoire, form_of_use, default_collate_name from information_schema.character_sets;
--|  character_set_name | character_repertoire | form_of_use | default_collate_name
--| --------------------+----------------------+-------------+----------------------
--|  UTF8               | UCS                  | UTF8        | C
--| (1 row)
select catalog_name = current_database() as same from information_schema.information_schema_catalog_name;
--|  same
--| ------
--|  t
--| (1 row)
select routine_schema, routine_name, routine_type, data_type, type_udt_name, dtd_identifier, routine_body, external_language, is_deterministic, is_null_call, security_type
  from information_schema.routines where routine_name = 'lower' and type_udt_name = 'text';
--|  routine_schema | routine_name | routine_type | data_type | type_udt_name | dtd_identifier | routine_body | external_language | is_deterministic | is_null_call | security_type
--| ----------------+--------------+--------------+-----------+---------------+----------------+--------------+-------------------+------------------+--------------+---------------
--|  pg_catalog     | lower        | FUNCTION     | text      | text          | 0              | EXTERNAL     | INTERNAL          | YES              | YES          | INVOKER
--| (1 row)
select specific_name like 'substr\_%' as named, ordinal_position, parameter_mode, parameter_name, data_type, udt_name, dtd_identifier
  from information_schema.parameters where specific_name in (select specific_name from information_schema.routines where routine_name = 'substr' and type_udt_name = 'text') order by 2;
--|  named | ordinal_position | parameter_mode | parameter_name | data_type | udt_name | dtd_identifier
--| -------+------------------+----------------+----------------+-----------+----------+----------------
--|  t     |                1 | IN             |                | text      | text     | 1
--|  t     |                1 | IN             |                | text      | text     | 1
--|  t     |                2 | IN             |                | integer   | int4     | 2
--|  t     |                2 | IN             |                | integer   | int4     | 2
--|  t     |                3 | IN             |                | integer   | int4     | 3
--| (5 rows)
select grantee, routine_name, privilege_type, is_grantable from information_schema.routine_privileges where routine_name = 'lower' and specific_name in (select specific_name from information_schema.routines where type_udt_name = 'text') order by 1;
--|  grantee  | routine_name | privilege_type | is_grantable
--| ----------+--------------+----------------+--------------
--|  PUBLIC   | lower        | EXECUTE        | NO
--|  postgres | lower        | EXECUTE        | YES
--| (2 rows)
select count(*) from information_schema.triggers;
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from information_schema.foreign_tables;
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from information_schema.user_defined_types;
--|  count
--| -------
--|      0
--| (1 row)
create sequence counted as smallint;
--| CREATE SEQUENCE
select sequence_name, data_type, numeric_precision, numeric_precision_radix, numeric_scale from information_schema.sequences where sequence_schema = 'public';
--|  sequence_name | data_type | numeric_precision | numeric_precision_radix | numeric_scale
--| ---------------+-----------+-------------------+-------------------------+---------------
--|  counted       | smallint  |                16 |                       2 |             0
--| (1 row)
-- Statistics.
create table watched (a int primary key);
--| CREATE TABLE
select schemaname, relname, n_tup_newpage_upd is null or n_tup_newpage_upd = 0 as unknown from pg_stat_user_tables where relname = 'watched';
--|  schemaname | relname | unknown
--| ------------+---------+---------
--|  public     | watched | t
--| (1 row)
select count(*) > 0 as system, count(*) filter (where relname = 'watched') as own from pg_stat_sys_tables;
--|  system | own
--| --------+-----
--|  t      |   0
--| (1 row)
select relname in ('watched', 'pg_class') as known, count(*) from pg_stat_all_tables group by 1 having relname in ('watched', 'pg_class');
--|  known | count
--| -------+-------
--|  t     |     2
--| (1 row)
select relname, indexrelname from pg_stat_all_indexes where relname = 'watched';
--|  relname | indexrelname
--| ---------+--------------
--|  watched | watched_pkey
--| (1 row)
select relname, indexrelname from pg_statio_user_indexes where relname = 'watched';
--|  relname | indexrelname
--| ---------+--------------
--|  watched | watched_pkey
--| (1 row)
select schemaname, relname from pg_statio_user_sequences;
--|  schemaname | relname
--| ------------+---------
--|  public     | counted
--| (1 row)
select relname from pg_statio_user_tables where relname = 'watched';
--|  relname
--| ---------
--|  watched
--| (1 row)
select confl_tablespace, confl_lock, confl_snapshot, confl_bufferpin, confl_deadlock, confl_active_logicalslot from pg_stat_database_conflicts where datname = current_database();
--|  confl_tablespace | confl_lock | confl_snapshot | confl_bufferpin | confl_deadlock | confl_active_logicalslot
--| ------------------+------------+----------------+-----------------+----------------+--------------------------
--|                 0 |          0 |              0 |               0 |              0 |                        0
--| (1 row)
select count(*) from pg_stat_progress_create_index;
--|  count
--| -------
--|      0
--| (1 row)
select type, name, description from pg_wait_events where type = 'Lock' and name in ('advisory', 'relation', 'transactionid') order by 2;
--|  type |     name      |               description
--| ------+---------------+------------------------------------------
--|  Lock | advisory      | Waiting to acquire an advisory user lock
--|  Lock | relation      | Waiting to acquire a lock on a relation
--|  Lock | transactionid | Waiting for a transaction to finish
--| (3 rows)
select name, version, installed, superuser, trusted, relocatable, schema, requires from pg_available_extension_versions where (name, version) in (('plpgsql', '1.0'), ('citext', '1.8')) order by 1;
--|   name   | version | installed | superuser | trusted | relocatable |   schema   | requires
--| ---------+---------+-----------+-----------+---------+-------------+------------+----------
--|  citext  | 1.8     | f         | t         | t       | t           |            |
--|  plpgsql | 1.0     | t         | t         | t       | f           | pg_catalog |
--| (2 rows)
