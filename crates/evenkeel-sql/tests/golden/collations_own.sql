-- Collations that users make, deterministic and not.
create collation de_own (provider = icu, locale = 'de');
--| CREATE COLLATION
create collation if not exists de_own (provider = icu, locale = 'de');
--| NOTICE:  collation "de_own" already exists, skipping
--| CREATE COLLATION
create collation de_own (provider = icu, locale = 'de');
--| ERROR:  42710: collation "de_own" already exists
create collation phone (provider = icu, locale = 'de@collation=phonebook');
--| NOTICE:  using standard form "de-u-co-phonebk" for ICU locale "de@collation=phonebook"
--| CREATE COLLATION
create collation c_own from "C";
--| CREATE COLLATION
create collation copy_own from de_own;
--| CREATE COLLATION
create collation wrong from "default";
--| ERROR:  42P17: collation "default" cannot be copied
create collation wrong from nosuch;
--| ERROR:  42704: collation "nosuch" for encoding "UTF8" does not exist
create collation wrong (provider = nothing, locale = 'de');
--| ERROR:  42P17: unrecognized collation provider: nothing
create collation wrong (provider = icu);
--| ERROR:  42P17: parameter "locale" must be specified
create collation wrong (locale = 'C', lc_collate = 'C');
--| ERROR:  42601: conflicting or redundant options
--| DETAIL:  LOCALE cannot be specified together with LC_COLLATE or LC_CTYPE.
create collation wrong (lc_collate = 'C');
--| ERROR:  42P17: parameter "lc_ctype" must be specified
create collation wrong (locale = 'C', locale = 'C');
--| ERROR:  42601: conflicting or redundant options
create collation wrong (foo = 'bar');
--| ERROR:  42601: collation attribute "foo" not recognized
create collation wrong (provider = builtin, locale = 'de');
--| ERROR:  42809: invalid locale name "de" for builtin provider
create collation wrong (provider = builtin);
--| ERROR:  42P17: parameter "locale" must be specified
create collation wrong (locale = 'C', deterministic = false);
--| ERROR:  0A000: nondeterministic collations not supported with this provider
create collation wrong (provider = icu, locale = 'de', deterministic = maybe);
--| ERROR:  42601: deterministic requires a Boolean value
create collation wrong (locale = 'C', rules = '&a < b');
--| ERROR:  42P17: ICU rules cannot be specified unless locale provider is ICU
create collation posix_own (locale = 'POSIX');
--| CREATE COLLATION
create collation ci (provider = icu, locale = '@colStrength=secondary', deterministic = false);
--| NOTICE:  using standard form "und-u-ks-level2" for ICU locale "@colStrength=secondary"
--| CREATE COLLATION
create collation ai (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
--| CREATE COLLATION
select collname, collprovider, collisdeterministic, collcollate, collctype, colllocale from pg_collation where collnamespace = 'public'::regnamespace order by 1;
--|  collname  | collprovider | collisdeterministic | collcollate | collctype |   colllocale
--| -----------+--------------+---------------------+-------------+-----------+-----------------
--|  ai        | i            | f                   |             |           | und-u-ks-level1
--|  c_own     | c            | t                   | C           | C         |
--|  ci        | i            | f                   |             |           | und-u-ks-level2
--|  copy_own  | i            | t                   |             |           | de
--|  de_own    | i            | t                   |             |           | de
--|  phone     | i            | t                   |             |           | de-u-co-phonebk
--|  posix_own | c            | t                   | POSIX       | POSIX     |
--| (7 rows)
select x from (values ('b'), ('a'), ('B'), ('ä')) v(x) order by x collate de_own;
--|  x
--| ---
--|  a
--|  ä
--|  b
--|  B
--| (4 rows)
select x from (values ('b'), ('a'), ('B'), ('ä')) v(x) order by x collate c_own;
--|  x
--| ---
--|  B
--|  a
--|  b
--|  ä
--| (4 rows)
select 'a' < 'B' collate de_own, 'a' < 'B' collate c_own, collation for ('a' collate de_own);
--|  ?column? | ?column? | pg_collation_for
--| ----------+----------+------------------
--|  t        | f        | de_own
--| (1 row)
create table t1 (id int primary key, a text collate de_own, b varchar(10) collate ci, c text collate phone);
--| CREATE TABLE
insert into t1 values (1, 'b', 'Hello', 'Ärger'), (2, 'A', 'HELLO', 'Ad'), (3, 'ä', 'World', 'Af'), (4, null, null, null);
--| INSERT 0 4
select a from t1 order by a;
--|  a
--| ---
--|  A
--|  ä
--|  b
--|
--| (4 rows)
select id from t1 where b = 'hello' order by id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from t1 where b <> 'hello' order by id;
--|  id
--| ----
--|   3
--| (1 row)
select id from t1 where b in ('hELLo', 'x') order by id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from t1 where b not in ('hELLo', 'x') order by id;
--|  id
--| ----
--|   3
--| (1 row)
select id from t1 where b = any (array['hELLo', 'x']) order by id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from t1 where b is distinct from 'hello' order by id;
--|  id
--| ----
--|   3
--|   4
--| (2 rows)
select id from t1 where b like 'H%' collate "C" order by id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from t1 where b = 'hello' collate "C" order by id;
--|  id
--| ----
--| (0 rows)
select id from t1 where b ~ 'h' order by id;
--| ERROR:  0A000: nondeterministic collations are not supported for regular expressions
select id from t1 where b ilike 'h%' order by id;
--| ERROR:  0A000: nondeterministic collations are not supported for ILIKE
select starts_with(b, 'h') from t1;
--| ERROR:  0A000: nondeterministic collations are not supported for substring searches
select regexp_replace(b, 'h', 'x') from t1;
--| ERROR:  0A000: nondeterministic collations are not supported for regular expressions
select count(*) from t1 x join t1 y on x.b = y.b;
--|  count
--| -------
--|      5
--| (1 row)
select count(*) from t1 x join t1 y using (b);
--|  count
--| -------
--|      5
--| (1 row)
select x.id from t1 x where exists (select from t1 y where y.b = x.b and y.id <> x.id) order by 1;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from t1 where b in (select upper(b) from t1) order by id;
--|  id
--| ----
--|   1
--|   2
--|   3
--| (3 rows)
select b, count(*) from t1 group by b order by b;
--|    b   | count
--| -------+-------
--|  Hello |     2
--|  World |     1
--|        |     1
--| (3 rows)
select upper(b) as u, count(*), min(id) from t1 group by b having b = 'HELLO';
--|    u   | count | min
--| -------+-------+-----
--|  HELLO |     2 |   1
--| (1 row)
select distinct b from t1 order by b;
--|    b
--| -------
--|  Hello
--|  World
--|
--| (3 rows)
select distinct on (b) b, id from t1 order by b, id;
--|    b   | id
--| -------+----
--|  Hello |  1
--|  World |  3
--|        |  4
--| (3 rows)
select count(distinct b), count(b) from t1;
--|  count | count
--| -------+-------
--|      2 |     3
--| (1 row)
select id, row_number() over (partition by b order by id), rank() over (order by b) from t1 order by id;
--|  id | row_number | rank
--| ----+------------+------
--|   1 |          1 |    1
--|   2 |          2 |    1
--|   3 |          1 |    3
--|   4 |          1 |    4
--| (4 rows)
select min(b), max(b) from t1 where id > 1;
--|   min  |  max
--| -------+-------
--|  HELLO | World
--| (1 row)
select case b when 'hello' then 'yes' else 'no' end from t1 order by id;
--|  case
--| ------
--|  yes
--|  yes
--|  no
--|  no
--| (4 rows)
select (b, 1) = ('hello', 1), row(b, id) = row('hello'::varchar, id) from t1 order by id;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--|  t        | t
--|  f        | f
--|           |
--| (4 rows)
select a = b from t1;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
create unique index t1_b on t1 (b);
--| ERROR:  23505: could not create unique index "t1_b"
--| DETAIL:  Key (b)=(HELLO) is duplicated.
delete from t1 where id = 2;
--| DELETE 1
create unique index t1_b on t1 (b);
--| CREATE INDEX
insert into t1 values (5, 'x', 'hELLO', 'x');
--| ERROR:  23505: duplicate key value violates unique constraint "t1_b"
--| DETAIL:  Key (b)=(hELLO) already exists.
insert into t1 values (5, 'x', 'hELLO', 'x') on conflict (b) do update set a = excluded.b returning *;
--|  id |   a   |   b   |   c
--| ----+-------+-------+-------
--|   1 | hELLO | Hello | Ärger
--| (1 row)
--| INSERT 0 1
update t1 set b = 'heLLo' where b = 'HELLO' returning id, b;
--|  id |   b
--| ----+-------
--|   1 | heLLo
--| (1 row)
--| UPDATE 1
update t1 set b = 'World' where id = 1;
--| ERROR:  23505: duplicate key value violates unique constraint "t1_b"
--| DETAIL:  Key (b)=(World) already exists.
set enable_seqscan = off;
--| SET
select id from t1 where b = 'HELLO';
--|  id
--| ----
--|   1
--| (1 row)
select id from t1 where b in ('HELLO', 'WORLD') order by id;
--|  id
--| ----
--|   1
--|   3
--| (2 rows)
select id from t1 where b = 'HELLO' collate "C";
--|  id
--| ----
--| (0 rows)
select id from t1 where b = 'HELLO' collate ai;
--|  id
--| ----
--|   1
--| (1 row)
select b from t1 where b > 'a' order by b;
--|    b
--| -------
--|  heLLo
--|  World
--| (2 rows)
select b from t1 order by b limit 1;
--|    b
--| -------
--|  heLLo
--| (1 row)
explain (costs off) select b from t1 where b = 'HELLO';
--|             QUERY PLAN
--| -----------------------------------
--|  Index Scan using t1_b on t1
--|    Index Cond: (b = 'HELLO'::text)
--| (2 rows)
reset enable_seqscan;
--| RESET
create index on t1 (b varchar_pattern_ops);
--| ERROR:  0A000: nondeterministic collations are not supported for operator class "varchar_pattern_ops"
create table t2 (b varchar(10) collate ci primary key, n int);
--| CREATE TABLE
insert into t2 values ('a', 1), ('B', 2), ('A', 3);
--| ERROR:  23505: duplicate key value violates unique constraint "t2_pkey"
--| DETAIL:  Key (b)=(A) already exists.
insert into t2 values ('a', 1), ('B', 2), ('ä', 3);
--| INSERT 0 3
select * from t2 where b = 'b';
--|  b | n
--| ---+---
--|  B | 2
--| (1 row)
merge into t2 using (values ('b', 5), ('C', 6)) s(b, n) on t2.b = s.b when matched then update set n = s.n when not matched then insert values (s.b, s.n);
--| MERGE 2
select * from t2 order by b;
--|  b | n
--| ---+---
--|  a | 1
--|  ä | 3
--|  B | 5
--|  C | 6
--| (4 rows)
select 'Ä' = 'a' collate ai, 'Ä' = 'a' collate ci, 'a' = 'A' collate ci, 'a' < 'B' collate ci, 'straße' = 'STRASSE' collate ai;
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  t        | f        | t        | t        | t
--| (1 row)
create view v1 as select id, a collate ci as a from t1 where c collate de_own > 'A';
--| CREATE VIEW
select pg_get_viewdef('v1'::regclass);
--|               pg_get_viewdef
--| -------------------------------------------
--|   SELECT id,                              +
--|      (a COLLATE ci) AS a                  +
--|     FROM t1                               +
--|    WHERE ((c COLLATE de_own) > 'A'::text);
--| (1 row)
create table t3 (a text default 'x' check (a collate ci <> 'no'));
--| CREATE TABLE
insert into t3 values ('NO');
--| ERROR:  23514: new row for relation "t3" violates check constraint "t3_a_check"
--| DETAIL:  Failing row contains (NO).
insert into t3 values ('yes');
--| INSERT 0 1
alter table t3 alter a type text collate ci;
--| ALTER TABLE
select a from t3 where a = 'YES';
--|   a
--| -----
--|  yes
--| (1 row)
drop collation ci;
--| ERROR:  2BP01: cannot drop collation ci because other objects depend on it
--| DETAIL:  column b of table t1 depends on collation ci
--| column b of table t2 depends on collation ci
--| view v1 depends on collation ci
--| column a of table t3 depends on collation ci
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
alter collation de_own rename to de_new;
--| ALTER COLLATION
alter collation de_own rename to de_new;
--| ERROR:  42704: collation "de_own" for encoding "UTF8" does not exist
alter collation de_new rename to phone;
--| ERROR:  42710: collation "phone" already exists in schema "public"
create schema cs;
--| CREATE SCHEMA
alter collation de_new set schema cs;
--| ALTER COLLATION
alter collation cs.de_new refresh version;
--| NOTICE:  version has not changed
--| ALTER COLLATION
select pg_get_viewdef('v1'::regclass);
--|                 pg_get_viewdef
--| ----------------------------------------------
--|   SELECT id,                                 +
--|      (a COLLATE ci) AS a                     +
--|     FROM t1                                  +
--|    WHERE ((c COLLATE cs.de_new) > 'A'::text);
--| (1 row)
select attname, attcollation::regcollation from pg_attribute where attrelid = 't1'::regclass and attnum > 0 order by attnum;
--|  attname | attcollation
--| ---------+--------------
--|  id      | -
--|  a       | cs.de_new
--|  b       | ci
--|  c       | phone
--| (4 rows)
set search_path = cs, public;
--| SET
select attname, attcollation::regcollation from pg_attribute where attrelid = 't1'::regclass and attnum > 0 order by attnum;
--|  attname | attcollation
--| ---------+--------------
--|  id      | -
--|  a       | de_new
--|  b       | ci
--|  c       | phone
--| (4 rows)
select pg_collation_is_visible('de_new'::regcollation);
--|  pg_collation_is_visible
--| -------------------------
--|  t
--| (1 row)
reset search_path;
--| RESET
comment on collation phone is 'as in the book';
--| COMMENT
select obj_description('phone'::regcollation, 'pg_collation');
--|  obj_description
--| -----------------
--|  as in the book
--| (1 row)
comment on collation nosuch is 'x';
--| ERROR:  42704: collation "nosuch" for encoding "UTF8" does not exist
create role coll_owner;
--| CREATE ROLE
alter collation phone owner to coll_owner;
--| ALTER COLLATION
select collowner::regrole from pg_collation where collname = 'phone';
--|  collowner
--| ------------
--|  coll_owner
--| (1 row)
alter collation phone owner to current_user;
--| ALTER COLLATION
drop role coll_owner;
--| DROP ROLE
drop collation nosuch;
--| ERROR:  42704: collation "nosuch" for encoding "UTF8" does not exist
drop collation if exists nosuch, phone2;
--| NOTICE:  collation "nosuch" does not exist, skipping
--| NOTICE:  collation "phone2" does not exist, skipping
--| DROP COLLATION
drop collation "C";
--| ERROR:  2BP01: cannot drop collation "C" because it is required by the database system
drop collation copy_own, posix_own;
--| DROP COLLATION
drop schema cs;
--| ERROR:  2BP01: cannot drop schema cs because other objects depend on it
--| DETAIL:  collation cs.de_new depends on schema cs
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop collation phone;
--| ERROR:  2BP01: cannot drop collation phone because other objects depend on it
--| DETAIL:  column c of table t1 depends on collation phone
--| view v1 depends on column c of table t1
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop collation phone cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to column c of table t1
--| drop cascades to view v1
--| DROP COLLATION
drop schema cs cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to collation cs.de_new
--| drop cascades to column a of table t1
--| DROP SCHEMA
select attname, attcollation::regcollation from pg_attribute where attrelid = 't1'::regclass and attnum > 0 and not attisdropped order by attnum;
--|  attname | attcollation
--| ---------+--------------
--|  id      | -
--|  b       | ci
--| (2 rows)
drop table t1, t2, t3 cascade;
--| DROP TABLE
drop collation ai, ci, c_own;
--| DROP COLLATION
