-- Enums: values, order, indexes, ALTER TYPE, what depends on them.

create type mood as enum ('sad', 'ok', 'happy');
--| CREATE TYPE
create type mood as enum ('x');
--| ERROR:  42710: type "mood" already exists
create type dup as enum ('a', 'a');
--| ERROR:  23505: duplicate key value violates unique constraint "pg_enum_typid_label_index"
--| DETAIL:  Key (enumtypid, enumlabel)=(16386, a) already exists.
create type nothing as enum ();
--| CREATE TYPE
create type long as enum ('0123456789012345678901234567890123456789012345678901234567890123456789');
--| ERROR:  42602: invalid enum label "0123456789012345678901234567890123456789012345678901234567890123456789"
--| DETAIL:  Labels must be 63 bytes or less.
create table people (id int primary key, m mood default 'ok', ms mood[], constraint good check (m <> 'sad' or id < 100));
--| CREATE TABLE
insert into people values (1, 'happy', '{sad,ok}'), (2, 'sad', null), (3, default, array['happy'::mood]), (4, null, '{}');
--| INSERT 0 4
insert into people values (5, 'angry');
--| ERROR:  22P02: invalid input value for enum mood: "angry"
insert into people values (100, 'sad');
--| ERROR:  23514: new row for relation "people" violates check constraint "good"
--| DETAIL:  Failing row contains (100, sad, null).
select * from people order by m, id;
--|  id |   m   |    ms
--| ----+-------+----------
--|   2 | sad   |
--|   3 | ok    | {happy}
--|   1 | happy | {sad,ok}
--|   4 |       | {}
--| (4 rows)
select * from people order by m desc nulls last, id;
--|  id |   m   |    ms
--| ----+-------+----------
--|   1 | happy | {sad,ok}
--|   3 | ok    | {happy}
--|   2 | sad   |
--|   4 |       | {}
--| (4 rows)
select id, m > 'sad', m = 'ok', m::text || '!' from people where m is not null order by id;
--|  id | ?column? | ?column? | ?column?
--| ----+----------+----------+----------
--|   1 | t        | f        | happy!
--|   2 | f        | f        | sad!
--|   3 | t        | t        | ok!
--| (3 rows)
select id from people where m in ('happy', 'ok') order by 1;
--|  id
--| ----
--|   1
--|   3
--| (2 rows)
select id from people where m = any ('{happy,sad}') order by 1;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from people where m between 'ok' and 'happy' order by 1;
--|  id
--| ----
--|   1
--|   3
--| (2 rows)
select id from people where m = 'nope';
--| ERROR:  22P02: invalid input value for enum mood: "nope"
select id from people where m = 'ok'::text;
--| ERROR:  42883: operator does not exist: mood = text
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select id from people where m::text = 'ok';
--|  id
--| ----
--|   3
--| (1 row)
select min(m), max(m), count(distinct m) from people;
--|  min |  max  | count
--| -----+-------+-------
--|  sad | happy |     3
--| (1 row)
select m, count(*) from people group by m order by m;
--|    m   | count
--| -------+-------
--|  sad   |     1
--|  ok    |     1
--|  happy |     1
--|        |     1
--| (4 rows)
select array_agg(m order by m) from people;
--|       array_agg
--| ---------------------
--|  {sad,ok,happy,NULL}
--| (1 row)
select ms[1], ms || 'ok'::mood, array_length(ms, 1), 'sad' = any (ms) from people order by id;
--|   ms   |  ?column?   | array_length | ?column?
--| -------+-------------+--------------+----------
--|  sad   | {sad,ok,ok} |            2 | t
--|        | {ok}        |              |
--|  happy | {happy,ok}  |            1 | f
--|        | {ok}        |              | f
--| (4 rows)
select enum_first(null::mood), enum_last('sad'::mood), enum_range(null::mood);
--|  enum_first | enum_last |   enum_range
--| ------------+-----------+----------------
--|  sad        | happy     | {sad,ok,happy}
--| (1 row)
select enum_range('ok'::mood, null), enum_range(null, 'ok'::mood), enum_range('ok'::mood, 'happy');
--|  enum_range | enum_range | enum_range
--| ------------+------------+------------
--|  {ok,happy} | {sad,ok}   | {ok,happy}
--| (1 row)
select 'happy'::mood, cast('ok' as mood), 'sad'::public.mood, null::mood, '{ok,NULL}'::mood[];
--|  mood  | mood | mood | mood |   mood
--| -------+------+------+------+-----------
--|  happy | ok   | sad  |      | {ok,NULL}
--| (1 row)
select pg_typeof('ok'::mood), pg_typeof('{ok}'::mood[]), 'mood'::regtype, 'mood[]'::regtype, 'mood'::regtype::oid = 'mood'::regtype;
--|  pg_typeof | pg_typeof | regtype | regtype | ?column?
--| -----------+-----------+---------+---------+----------
--|  mood      | mood[]    | mood    | mood[]  | t
--| (1 row)
select 'x'::mood;
--| ERROR:  22P02: invalid input value for enum mood: "x"
select 1::mood;
--| ERROR:  42846: cannot cast type integer to mood
select 'ok'::mood::int;
--| ERROR:  42846: cannot cast type mood to integer
select coalesce(m, 'sad'), case when id = 1 then m else 'ok' end, greatest(m, 'ok'), nullif(m, 'ok') from people order by id;
--|  coalesce | case  | greatest | nullif
--| ----------+-------+----------+--------
--|  happy    | happy | happy    | happy
--|  sad      | ok    | ok       | sad
--|  ok       | ok    | ok       |
--|  sad      | ok    | ok       |
--| (4 rows)
select a.id, b.id from people a join people b on a.m = b.m and a.id < b.id;
--|  id | id
--| ----+----
--| (0 rows)
select row_to_json(p) from people p where id = 1;
--|               row_to_json
--| ----------------------------------------
--|  {"id":1,"m":"happy","ms":["sad","ok"]}
--| (1 row)
select to_json('ok'::mood), jsonb_build_object('m', 'ok'::mood);
--|  to_json | jsonb_build_object
--| ---------+--------------------
--|  "ok"    | {"m": "ok"}
--| (1 row)
create index people_m on people (m);
--| CREATE INDEX
explain (costs off) select id from people where m = 'happy';
--|              QUERY PLAN
--| -------------------------------------
--|  Index Scan using people_m on people
--|    Index Cond: (m = 'happy'::mood)
--| (2 rows)
select id from people where m = 'happy';
--|  id
--| ----
--|   1
--| (1 row)
select id from people where m >= 'ok' order by m;
--|  id
--| ----
--|   3
--|   1
--| (2 rows)
create unique index on people (m, id);
--| CREATE INDEX
update people set m = 'happy' where m = 'sad' returning id, m;
--|  id |   m
--| ----+-------
--|   2 | happy
--| (1 row)
--| UPDATE 1
insert into people (id) values (7) returning m;
--|  m
--| ----
--|  ok
--| (1 row)
--| INSERT 0 1
create table keyed (m mood primary key, n int);
--| CREATE TABLE
insert into keyed select m, count(*) from people where m is not null group by m;
--| INSERT 0 2
insert into keyed values ('happy', 1) on conflict (m) do update set n = keyed.n + 1 returning *;
--|    m   | n
--| -------+---
--|  happy | 3
--| (1 row)
--| INSERT 0 1
create table child (m mood references keyed);
--| CREATE TABLE
insert into child values ('happy');
--| INSERT 0 1
insert into child values ('sad');
--| ERROR:  23503: insert or update on table "child" violates foreign key constraint "child_m_fkey"
--| DETAIL:  Key (m)=(sad) is not present in table "keyed".
prepare p (mood) as select count(*) from people where m = $1;
--| PREPARE
execute p('happy');
--|  count
--| -------
--|      2
--| (1 row)
prepare q as select id from people where m = $1 order by id;
--| PREPARE
execute q('ok');
--|  id
--| ----
--|   3
--|   7
--| (2 rows)
-- ALTER TYPE.
alter type mood add value 'elated';
--| ALTER TYPE
alter type mood add value 'elated';
--| ERROR:  42710: enum label "elated" already exists
alter type mood add value if not exists 'elated';
--| NOTICE:  enum label "elated" already exists, skipping
--| ALTER TYPE
alter type mood add value 'meh' before 'ok';
--| ALTER TYPE
alter type mood add value 'fine' after 'ok';
--| ALTER TYPE
alter type mood add value 'x' before 'nope';
--| ERROR:  22023: "nope" is not an existing enum label
select enum_range(null::mood);
--|            enum_range
--| --------------------------------
--|  {sad,meh,ok,fine,happy,elated}
--| (1 row)
select enumlabel, enumsortorder from pg_enum e join pg_type t on t.oid = e.enumtypid where typname = 'mood' order by enumsortorder;
--|  enumlabel | enumsortorder
--| -----------+---------------
--|  sad       |             1
--|  meh       |           1.5
--|  ok        |             2
--|  fine      |           2.5
--|  happy     |             3
--|  elated    |             4
--| (6 rows)
insert into people values (8, 'meh'), (9, 'fine'), (10, 'elated');
--| INSERT 0 3
select id, m from people order by m, id;
--|  id |   m
--| ----+--------
--|   8 | meh
--|   3 | ok
--|   7 | ok
--|   9 | fine
--|   1 | happy
--|   2 | happy
--|  10 | elated
--|   4 |
--| (8 rows)
alter type mood rename value 'sad' to 'unhappy';
--| ALTER TYPE
alter type mood rename value 'nope' to 'x';
--| ERROR:  22023: "nope" is not an existing enum label
alter type mood rename value 'ok' to 'fine';
--| ERROR:  42710: enum label "fine" already exists
select m from people order by m limit 1;
--|   m
--| -----
--|  meh
--| (1 row)
alter type mood rename to feeling;
--| ALTER TYPE
select m::feeling from people where id = 1;
--|    m
--| -------
--|  happy
--| (1 row)
select column_default from information_schema.columns where table_name = 'people' and column_name = 'm';
--|  column_default
--| ----------------
--|  'ok'::feeling
--| (1 row)
insert into people (id) values (11) returning m;
--|  m
--| ----
--|  ok
--| (1 row)
--| INSERT 0 1
create schema s;
--| CREATE SCHEMA
alter type feeling set schema s;
--| ALTER TYPE
select 'ok'::feeling;
--| ERROR:  42704: type "feeling" does not exist
select 'ok'::s.feeling;
--|  feeling
--| ---------
--|  ok
--| (1 row)
select data_type, udt_schema, udt_name from information_schema.columns where table_name = 'people' order by ordinal_position;
--|   data_type   | udt_schema | udt_name
--| --------------+------------+----------
--|  integer      | pg_catalog | int4
--|  USER-DEFINED | s          | feeling
--|  ARRAY        | s          | _feeling
--| (3 rows)
select format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'people'::regclass and attnum > 0 order by attnum;
--|  format_type
--| -------------
--|  integer
--|  s.feeling
--|  s.feeling[]
--| (3 rows)
select typname, typtype, typcategory, typlen from pg_type where typname in ('feeling', '_feeling') order by 1;
--|  typname  | typtype | typcategory | typlen
--| ----------+---------+-------------+--------
--|  _feeling | b       | A           |     -1
--|  feeling  | e       | E           |      4
--| (2 rows)
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'people'::regclass and contype = 'c';
--|  conname |                pg_get_constraintdef
--| ---------+-----------------------------------------------------
--|  good    | CHECK (((m <> 'unhappy'::s.feeling) OR (id < 100)))
--| (1 row)
alter type s.feeling set schema public;
--| ALTER TYPE
create view happy as select id, m from people where m = 'happy'::feeling;
--| CREATE VIEW
select count(*) from happy;
--|  count
--| -------
--|      2
--| (1 row)
select pg_get_viewdef('happy'::regclass) is not null;
--|  ?column?
--| ----------
--|  t
--| (1 row)
create table t2 (id int, a text);
--| CREATE TABLE
insert into t2 values (1, 'ok'), (2, 'happy');
--| INSERT 0 2
alter table t2 alter column a type feeling;
--| ERROR:  42804: column "a" cannot be cast automatically to type feeling
--| HINT:  You might need to specify "USING a::feeling".
alter table t2 alter column a type feeling using a::feeling;
--| ALTER TABLE
select * from t2 order by a;
--|  id |   a
--| ----+-------
--|   1 | ok
--|   2 | happy
--| (2 rows)
alter table t2 alter column a type text;
--| ALTER TABLE
select * from t2 order by a;
--|  id |   a
--| ----+-------
--|   2 | happy
--|   1 | ok
--| (2 rows)
begin;
--| BEGIN
create type temp_type as enum ('a');
--| CREATE TYPE
create table temp_table (t temp_type);
--| CREATE TABLE
insert into temp_table values ('a');
--| INSERT 0 1
rollback;
--| ROLLBACK
select 'a'::temp_type;
--| ERROR:  42704: type "temp_type" does not exist
comment on type feeling is 'how one feels';
--| COMMENT
select obj_description('feeling'::regtype, 'pg_type');
--|  obj_description
--| -----------------
--|  how one feels
--| (1 row)
copy (select m from people where id < 3 order by id) to stdout;
--| happy
--| happy
copy people (id, m) from stdin;
--< 20	happy
--< 21	nope
--| ERROR:  22P02: invalid input value for enum feeling: "nope"
--| CONTEXT:  COPY people, line 2, column m: "nope"
drop type nope;
--| ERROR:  42704: type "nope" does not exist
drop type if exists nope;
--| NOTICE:  type "nope" does not exist, skipping
--| DROP TYPE
drop type int4;
--| ERROR:  2BP01: cannot drop type integer because it is required by the database system
drop type feeling;
--| ERROR:  2BP01: cannot drop type feeling because other objects depend on it
--| DETAIL:  column m of table people depends on type feeling
--| column ms of table people depends on type feeling[]
--| column m of table keyed depends on type feeling
--| column m of table child depends on type feeling
--| view happy depends on column m of table people
--| view happy depends on type feeling
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
create table feeling (a int);
--| ERROR:  42710: type "feeling" already exists
--| HINT:  A relation has an associated type of the same name, so you must use a name that doesn't conflict with any existing type.
create type people as enum ('a');
--| ERROR:  42710: type "people" already exists
drop view happy;
--| DROP VIEW
drop type feeling cascade;
--| NOTICE:  drop cascades to constraint child_m_fkey on table child
--| NOTICE:  drop cascades to 4 other objects
--| DETAIL:  drop cascades to column m of table people
--| drop cascades to column ms of table people
--| drop cascades to column m of table keyed
--| drop cascades to column m of table child
--| DROP TYPE
select * from people where id = 1;
--|  id
--| ----
--|   1
--| (1 row)
drop table people, keyed, child, t2 cascade;
--| DROP TABLE
-- a column of an enum becomes one of text: its default goes on meaning its label
create type stage as enum ('pending', 'failed');
--| CREATE TYPE
create table staged (id int, s stage default 'pending', v stage not null default 'failed', a stage[] default '{pending}', n stage default null, u stage default 'pending');
--| CREATE TABLE
insert into staged values (1), (2, 'failed');
--| ERROR:  42601: VALUES lists must all be the same length
alter table staged alter s type text;
--| ALTER TABLE
alter table staged alter v type varchar(20) using v::text;
--| ALTER TABLE
alter table staged alter a type text[] using a::text[];
--| ALTER TABLE
alter table staged alter n type text;
--| ALTER TABLE
insert into staged (id) values (3);
--| INSERT 0 1
select * from staged order by id;
--|  id |    s    |   v    |     a     | n |    u
--| ----+---------+--------+-----------+---+---------
--|   3 | pending | failed | {pending} |   | pending
--| (1 row)
select attname, pg_get_expr(adbin, adrelid) from pg_attrdef d join pg_attribute a on adrelid = attrelid and adnum = attnum where adrelid = 'staged'::regclass order by attnum;
--|  attname |     pg_get_expr
--| ---------+----------------------
--|  s       | 'pending'::stage
--|  v       | 'failed'::stage
--|  a       | '{pending}'::stage[]
--|  u       | 'pending'::stage
--| (4 rows)
alter type stage rename value 'pending' to 'waiting';
--| ALTER TYPE
insert into staged (id) values (4);
--| INSERT 0 1
select * from staged where id = 4;
--|  id |    s    |   v    |     a     | n |    u
--| ----+---------+--------+-----------+---+---------
--|   4 | waiting | failed | {waiting} |   | waiting
--| (1 row)
alter table staged alter s type stage using s::stage;
--| ERROR:  42804: default for column "s" cannot be cast automatically to type stage
drop type stage;
--| ERROR:  2BP01: cannot drop type stage because other objects depend on it
--| DETAIL:  default value for column s of table staged depends on type stage
--| default value for column v of table staged depends on type stage
--| default value for column a of table staged depends on type stage
--| column u of table staged depends on type stage
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
alter table staged alter u type text, alter u drop default;
--| ALTER TABLE
drop type stage;
--| ERROR:  2BP01: cannot drop type stage because other objects depend on it
--| DETAIL:  default value for column s of table staged depends on type stage
--| default value for column v of table staged depends on type stage
--| default value for column a of table staged depends on type stage
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop type stage cascade;
--| NOTICE:  drop cascades to 3 other objects
--| DETAIL:  drop cascades to default value for column s of table staged
--| drop cascades to default value for column v of table staged
--| drop cascades to default value for column a of table staged
--| DROP TYPE
insert into staged (id) values (5);
--| ERROR:  23502: null value in column "v" of relation "staged" violates not-null constraint
--| DETAIL:  Failing row contains (5, null, null, null, null, null).
select id, v, a from staged where id = 5;
--|  id | v | a
--| ----+---+---
--| (0 rows)
