-- Domains: constraints and defaults of a type's own.

create domain pos as int check (value > 0);
--| CREATE DOMAIN
create domain code as varchar(5) default 'abc' not null constraint upper_only check (value = upper(value)) check (value <> 'X');
--| CREATE DOMAIN
create table t (id int primary key, p pos, c code);
--| CREATE TABLE
insert into t values (1, 5, 'AB'), (2, null, 'CD');
--| INSERT 0 2
insert into t values (3, 0, 'AB');
--| ERROR:  23514: value for domain pos violates check constraint "pos_check"
insert into t values (3, 1, 'ab');
--| ERROR:  23514: value for domain code violates check constraint "upper_only"
insert into t values (3, 1, 'X');
--| ERROR:  23514: value for domain code violates check constraint "code_check"
insert into t values (3, 1, null);
--| ERROR:  23502: domain code does not allow null values
insert into t (id, p) values (3, 1);
--| ERROR:  23514: value for domain code violates check constraint "upper_only"
insert into t values (3, 1, 'ABCDEF');
--| ERROR:  22001: value too long for type character varying(5)
insert into t values (3, 'x', 'A');
--| ERROR:  22P02: invalid input syntax for type integer: "x"
insert into t (id, p, c) select 3, 7, 'EF' returning *;
--|  id | p | c
--| ----+---+----
--|   3 | 7 | EF
--| (1 row)
--| INSERT 0 1
insert into t (id, p, c) select 4, -7, 'EF';
--| ERROR:  23514: value for domain pos violates check constraint "pos_check"
update t set p = p - 5;
--| ERROR:  23514: value for domain pos violates check constraint "pos_check"
update t set p = p + 1 where id = 1 returning p;
--|  p
--| ---
--|  6
--| (1 row)
--| UPDATE 1
update t set c = default;
--| ERROR:  23514: value for domain code violates check constraint "upper_only"
alter domain code set default 'ABC';
--| ALTER DOMAIN
update t set c = default where id = 1 returning c;
--|   c
--| -----
--|  ABC
--| (1 row)
--| UPDATE 1
insert into t (id) values (5) returning *;
--|  id | p |  c
--| ----+---+-----
--|   5 |   | ABC
--| (1 row)
--| INSERT 0 1
insert into t values (1, 1, 'A') on conflict (id) do update set p = -1;
--| ERROR:  23514: value for domain pos violates check constraint "pos_check"
copy t from stdin;
--< 6	9	GH
--| COPY 1
copy t (id, p, c) from stdin;
--< 7	-9	GH
--| ERROR:  23514: value for domain pos violates check constraint "pos_check"
--| CONTEXT:  COPY t, line 1, column p: "-9"
copy t (id, p, c) from stdin;
--< 7	9	\N
--| ERROR:  23502: domain code does not allow null values
--| CONTEXT:  COPY t, line 1, column c: null input
copy t (id) from stdin;
--< 8
--| COPY 1
table t order by id;
--|  id | p |  c
--| ----+---+-----
--|   1 | 6 | ABC
--|   2 |   | CD
--|   3 | 7 | EF
--|   5 |   | ABC
--|   6 | 9 | GH
--|   8 |   | ABC
--| (6 rows)
select 5::pos, cast('7' as pos), null::pos;
--|  pos | pos | pos
--| -----+-----+-----
--|    5 |   7 |
--| (1 row)
select 0::pos;
--| ERROR:  23514: value for domain pos violates check constraint "pos_check"
select '-1'::pos;
--| ERROR:  23514: value for domain pos violates check constraint "pos_check"
select null::code;
--| ERROR:  23502: domain code does not allow null values
select 'toolong'::code, 'A'::code;
--| ERROR:  23514: value for domain code violates check constraint "upper_only"
select cast(p as code) from t where id = 1;
--|  p
--| ---
--|  6
--| (1 row)
select 5::pos + 1 as sum, (select max(p) from t)::pos;
--|  sum | max
--| -----+-----
--|    6 |   9
--| (1 row)
prepare q as select $1::pos;
--| PREPARE
execute q (3);
--|  pos
--| -----
--|    3
--| (1 row)
execute q (-3);
--| ERROR:  23514: value for domain pos violates check constraint "pos_check"
select x::pos from generate_series(-1, 1) x;
--| ERROR:  23514: value for domain pos violates check constraint "pos_check"

-- Over other domains, enums, arrays.
create domain even as pos check (value % 2 = 0);
--| CREATE DOMAIN
create domain small as even not null constraint is_small check (value < 100);
--| CREATE DOMAIN
create type mood as enum ('sad', 'ok', 'happy');
--| CREATE TYPE
create domain good as mood check (value <> 'sad') default 'ok';
--| CREATE DOMAIN
create domain tags as text[] check (array_length(value, 1) < 4);
--| CREATE DOMAIN
create table u (s small, g good, ts tags);
--| CREATE TABLE
insert into u values (2, 'happy', '{a,b}') returning *;
--|  s |   g   |  ts
--| ---+-------+-------
--|  2 | happy | {a,b}
--| (1 row)
--| INSERT 0 1
insert into u values (-2, 'happy', null);
--| ERROR:  23514: value for domain small violates check constraint "pos_check"
insert into u values (3, 'happy', null);
--| ERROR:  23514: value for domain small violates check constraint "even_check"
insert into u values (102, 'happy', null);
--| ERROR:  23514: value for domain small violates check constraint "is_small"
insert into u values (null, 'happy', null);
--| ERROR:  23502: domain small does not allow null values
insert into u values (4, 'sad', null);
--| ERROR:  23514: value for domain good violates check constraint "good_check"
insert into u (s) values (4) returning *;
--|  s | g  | ts
--| ---+----+----
--|  4 | ok |
--| (1 row)
--| INSERT 0 1
insert into u (g) values ('ok');
--| ERROR:  23502: domain small does not allow null values
insert into u values (4, default, '{a,b,c,d}');
--| ERROR:  23514: value for domain tags violates check constraint "tags_check"
select 1::small;
--| ERROR:  23514: value for domain small violates check constraint "even_check"
select (array['x'])::tags, '{x,y}'::tags;
--|  array | tags
--| -------+-------
--|  {x}   | {x,y}
--| (1 row)
select g::mood > 'ok' as above from u order by s;
--|  above
--| -------
--|  t
--|  f
--| (2 rows)
create domain d1 as nope;
--| ERROR:  42704: type "nope" does not exist
create domain pos as int;
--| ERROR:  42710: type "pos" already exists
create domain mood as int;
--| ERROR:  42710: type "mood" already exists
create domain d1 as record;
--| ERROR:  42804: "record" is not a valid base type for a domain
create domain d1 as int not null null;
--| ERROR:  42601: conflicting NULL/NOT NULL constraints
create domain d1 as int check (value > (select 1));
--| ERROR:  0A000: cannot use subquery in check constraint
create domain d1 as int check (nope > 1);
--| ERROR:  42703: column "nope" does not exist
create domain d1 as int check (value);
--| ERROR:  42804: argument of CHECK must be type boolean, not type integer
create domain d1 as int default 'x';
--| ERROR:  22P02: invalid input syntax for type integer: "x"
create domain d1 as int default 1 default 2;
--| ERROR:  42601: multiple default expressions
create domain d1 as int unique;
--| ERROR:  42601: unique constraints not possible for domains
create domain d1 as int constraint a check (value > 1) constraint a check (value > 2);
--| ERROR:  42710: constraint "a" for domain "d1" already exists
create domain d1 as numeric(5, 2) default 1.005 check (value < 10);
--| CREATE DOMAIN
create table v (x d1);
--| CREATE TABLE
insert into v default values returning x;
--|   x
--| ------
--|  1.01
--| (1 row)
--| INSERT 0 1
insert into v values (3.14159) returning x;
--|   x
--| ------
--|  3.14
--| (1 row)
--| INSERT 0 1
insert into v values (10);
--| ERROR:  23514: value for domain d1 violates check constraint "d1_check"
insert into v values (99999);
--| ERROR:  22003: numeric field overflow
--| DETAIL:  A field with precision 5, scale 2 must round to an absolute value less than 10^3.
drop table v;
--| DROP TABLE

-- ALTER DOMAIN looks at what there is.
alter domain pos add constraint below check (value < 6);
--| ERROR:  23514: column "p" of table "t" contains values that violate the new constraint
alter domain pos add constraint below check (value < 8) not valid;
--| ALTER DOMAIN
insert into t values (10, 9, 'A');
--| ERROR:  23514: value for domain pos violates check constraint "below"
update t set id = id where p = 9;
--| UPDATE 1
alter domain pos validate constraint below;
--| ERROR:  23514: column "p" of table "t" contains values that violate the new constraint
delete from t where p > 7;
--| DELETE 1
alter domain pos validate constraint below;
--| ALTER DOMAIN
alter domain pos validate constraint nope;
--| ERROR:  42704: constraint "nope" of domain "pos" does not exist
alter domain pos rename constraint below to under;
--| ALTER DOMAIN
alter domain pos rename constraint nope to under;
--| ERROR:  42704: constraint "nope" for domain pos does not exist
alter domain pos drop constraint nope;
--| ERROR:  42704: constraint "nope" of domain "pos" does not exist
alter domain pos drop constraint if exists nope;
--| NOTICE:  constraint "nope" of domain "pos" does not exist, skipping
--| ALTER DOMAIN
alter domain pos drop constraint under;
--| ALTER DOMAIN
insert into t values (10, 99, 'A');
--| INSERT 0 1
alter domain pos set not null;
--| ERROR:  23502: column "p" of table "t" contains null values
update t set p = 1 where p is null;
--| UPDATE 3
alter domain pos set not null;
--| ALTER DOMAIN
insert into t (id, c) values (11, 'A');
--| ERROR:  23502: domain pos does not allow null values
alter domain pos drop not null;
--| ALTER DOMAIN
alter domain pos add check (value < 1000);
--| ALTER DOMAIN
alter domain pos add not null;
--| ALTER DOMAIN
alter domain pos drop constraint pos_not_null;
--| ALTER DOMAIN
alter domain code drop default;
--| ALTER DOMAIN
insert into t (id) values (12);
--| ERROR:  23502: domain code does not allow null values
alter domain pos set default 42;
--| ALTER DOMAIN
insert into t (id, c) values (12, 'A') returning *;
--|  id | p  | c
--| ----+----+---
--|  12 | 42 | A
--| (1 row)
--| INSERT 0 1
alter domain mood set not null;
--| ERROR:  42809: mood is not a domain
alter domain pos rename to positive;
--| ALTER DOMAIN
create schema s;
--| CREATE SCHEMA
alter domain positive set schema s;
--| ALTER DOMAIN
insert into t values (13, -1, 'A');
--| ERROR:  23514: value for domain s.positive violates check constraint "pos_check"
alter domain s.positive owner to postgres;
--| ALTER DOMAIN
comment on domain s.positive is 'more than nothing';
--| COMMENT
comment on constraint pos_check on domain s.positive is 'so it is';
--| COMMENT
select obj_description('s.positive'::regtype, 'pg_type');
--|   obj_description
--| -------------------
--|  more than nothing
--| (1 row)

-- Tables of them.
alter table t add column e even;
--| ALTER TABLE
alter table t add column f small;
--| ERROR:  23502: domain small does not allow null values
alter table t add column f small default 3;
--| ERROR:  23514: value for domain small violates check constraint "even_check"
alter table t add column f small default 4;
--| ALTER TABLE
alter table t alter column id type even;
--| ERROR:  23514: value for domain even violates check constraint "even_check"
alter table t alter column id type s.positive;
--| ALTER TABLE
insert into t (id, f) values (-1, 2);
--| ERROR:  23514: value for domain s.positive violates check constraint "pos_check"
alter table t alter column id type int;
--| ALTER TABLE
insert into t (id, c, f) values (-1, 'A', 2) returning *;
--|  id | p  | c | e | f
--| ----+----+---+---+---
--|  -1 | 42 | A |   | 2
--| (1 row)
--| INSERT 0 1
create table l (like t);
--| CREATE TABLE
insert into l (id, c, f) values (1, 'A', 1);
--| ERROR:  23514: value for domain small violates check constraint "even_check"
create table a as select p, c from t;
--| SELECT 8
insert into a values (-1, 'A');
--| ERROR:  23514: value for domain s.positive violates check constraint "pos_check"
create view vw as select p, c, 'A'::code as k from t where p > 0;
--| CREATE VIEW
insert into vw (p, c) values (-1, 'A');
--| ERROR:  23514: value for domain s.positive violates check constraint "pos_check"
create table gen (a int, b s.positive generated always as (a * 2) stored);
--| CREATE TABLE
insert into gen values (1) returning *;
--|  a | b
--| ---+---
--|  1 | 2
--| (1 row)
--| INSERT 0 1
insert into gen values (-1);
--| ERROR:  23514: value for domain s.positive violates check constraint "pos_check"

-- What catalogs say.
select typname, typtype, typbasetype::regtype, typtypmod, typnotnull, typdefault, typcategory, typlen from pg_type where typtype = 'd' and typnamespace <> 'information_schema'::regnamespace order by typname;
--|  typname  | typtype |    typbasetype    | typtypmod | typnotnull | typdefault | typcategory | typlen
--| ----------+---------+-------------------+-----------+------------+------------+-------------+--------
--|  code     | d       | character varying |         9 | t          |            | S           |     -1
--|  d1       | d       | numeric           |    327686 | f          | 1.005      | N           |     -1
--|  even     | d       | s.positive        |        -1 | f          |            | N           |      4
--|  good     | d       | mood              |        -1 | f          | 'ok'::mood | E           |      4
--|  positive | d       | integer           |        -1 | f          | 42         | N           |      4
--|  small    | d       | even              |        -1 | t          |            | N           |      4
--|  tags     | d       | text[]            |        -1 | f          |            | A           |     -1
--| (7 rows)
select conname, contype, contypid::regtype, convalidated, pg_get_constraintdef(oid) from pg_constraint where contypid <> 0 and connamespace <> 'information_schema'::regnamespace order by contypid::regtype::text, conname;
--|     conname     | contype |  contypid  | convalidated |              pg_get_constraintdef
--| ----------------+---------+------------+--------------+------------------------------------------------
--|  code_check     | c       | code       | t            | CHECK (((VALUE)::text <> 'X'::text))
--|  code_not_null  | n       | code       | t            | NOT NULL
--|  upper_only     | c       | code       | t            | CHECK (((VALUE)::text = upper((VALUE)::text)))
--|  d1_check       | c       | d1         | t            | CHECK ((VALUE < (10)::numeric))
--|  even_check     | c       | even       | t            | CHECK (((VALUE % 2) = 0))
--|  good_check     | c       | good       | t            | CHECK ((VALUE <> 'sad'::mood))
--|  pos_check      | c       | s.positive | t            | CHECK ((VALUE > 0))
--|  pos_check1     | c       | s.positive | t            | CHECK ((VALUE < 1000))
--|  is_small       | c       | small      | t            | CHECK ((VALUE < 100))
--|  small_not_null | n       | small      | t            | NOT NULL
--|  tags_check     | c       | tags       | t            | CHECK ((array_length(VALUE, 1) < 4))
--| (11 rows)
select attname, atttypid::regtype, format_type(atttypid, atttypmod) from pg_attribute where attrelid = 't'::regclass and attnum > 0 order by attnum;
--|  attname |  atttypid  | format_type
--| ---------+------------+-------------
--|  id      | integer    | integer
--|  p       | s.positive | s.positive
--|  c       | code       | code
--|  e       | even       | even
--|  f       | small      | small
--| (5 rows)
select attname, atttypid::regtype from pg_attribute where attrelid = 'vw'::regclass and attnum > 0 order by attnum;
--|  attname |     atttypid
--| ---------+-------------------
--|  p       | s.positive
--|  c       | code
--|  k       | character varying
--| (3 rows)
select 'code'::regtype, 's.positive'::regtype, to_regtype('even'), pg_type_is_visible('even'::regtype), pg_type_is_visible('s.positive'::regtype);
--|  regtype |  regtype   | to_regtype | pg_type_is_visible | pg_type_is_visible
--| ---------+------------+------------+--------------------+--------------------
--|  code    | s.positive | even       | t                  | f
--| (1 row)
select column_name, data_type, domain_schema, domain_name, udt_name from information_schema.columns where table_name = 't' order by ordinal_position;
--|  column_name |     data_type     | domain_schema | domain_name | udt_name
--| -------------+-------------------+---------------+-------------+----------
--|  id          | integer           |               |             | int4
--|  p           | integer           | s             | positive    | int4
--|  c           | character varying | public        | code        | varchar
--|  e           | USER-DEFINED      | public        | even        | positive
--|  f           | USER-DEFINED      | public        | small       | even
--| (5 rows)
select domain_schema, domain_name, data_type, character_maximum_length, numeric_precision, domain_default, udt_name from information_schema.domains where domain_schema <> 'information_schema' order by 1, 2;
--|  domain_schema | domain_name |     data_type     | character_maximum_length | numeric_precision | domain_default | udt_name
--| ---------------+-------------+-------------------+--------------------------+-------------------+----------------+----------
--|  public        | code        | character varying |                        5 |                   |                | varchar
--|  public        | d1          | numeric           |                          |                 5 | 1.005          | numeric
--|  public        | even        | USER-DEFINED      |                          |                32 |                | positive
--|  public        | good        | USER-DEFINED      |                          |                   | 'ok'::mood     | mood
--|  public        | small       | USER-DEFINED      |                          |                32 |                | even
--|  public        | tags        | ARRAY             |                          |                   |                | _text
--|  s             | positive    | integer           |                          |                32 | 42             | int4
--| (7 rows)
select constraint_name, domain_name, is_deferrable from information_schema.domain_constraints where domain_schema <> 'information_schema' order by 1;
--|  constraint_name | domain_name | is_deferrable
--| -----------------+-------------+---------------
--|  code_check      | code        | NO
--|  code_not_null   | code        | NO
--|  d1_check        | d1          | NO
--|  even_check      | even        | NO
--|  good_check      | good        | NO
--|  is_small        | small       | NO
--|  pos_check       | positive    | NO
--|  pos_check1      | positive    | NO
--|  small_not_null  | small       | NO
--|  tags_check      | tags        | NO
--|  upper_only      | code        | NO
--| (11 rows)
select domain_name, table_name, column_name from information_schema.column_domain_usage where domain_schema <> 'information_schema' order by 1, 2, 3;
--|  domain_name | table_name | column_name
--| -------------+------------+-------------
--|  code        | a          | c
--|  code        | l          | c
--|  code        | t          | c
--|  code        | vw         | c
--|  even        | l          | e
--|  even        | t          | e
--|  good        | u          | g
--|  positive    | a          | p
--|  positive    | gen        | b
--|  positive    | l          | p
--|  positive    | t          | p
--|  positive    | vw         | p
--|  small       | l          | f
--|  small       | t          | f
--|  small       | u          | s
--|  tags        | u          | ts
--| (16 rows)

-- Privileges.
create role du;
--| CREATE ROLE
grant usage on domain code to du;
--| GRANT
grant usage on type s.positive to du;
--| GRANT
select has_type_privilege('du', 'code', 'usage');
--|  has_type_privilege
--| --------------------
--|  t
--| (1 row)
revoke usage on domain code from du;
--| REVOKE

-- DROP.
drop domain nope;
--| ERROR:  42704: type "nope" does not exist
drop domain if exists nope;
--| NOTICE:  type "nope" does not exist, skipping
--| DROP DOMAIN
drop domain mood;
--| ERROR:  42809: "mood" is not a domain
drop domain s.positive;
--| ERROR:  2BP01: cannot drop type s.positive because other objects depend on it
--| DETAIL:  column p of table t depends on type s.positive
--| column p of table l depends on type s.positive
--| column p of table a depends on type s.positive
--| column b of table gen depends on type s.positive
--| view vw depends on column p of table t
--| view vw depends on type s.positive
--| type even depends on type s.positive
--| column e of table t depends on type even
--| column e of table l depends on type even
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop domain code;
--| ERROR:  2BP01: cannot drop type code because other objects depend on it
--| DETAIL:  column c of table t depends on type code
--| column c of table l depends on type code
--| column c of table a depends on type code
--| view vw depends on column c of table t
--| view vw depends on type code
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop type mood;
--| ERROR:  2BP01: cannot drop type mood because other objects depend on it
--| DETAIL:  type good depends on type mood
--| column g of table u depends on type good
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop domain good, tags cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to column g of table u
--| drop cascades to column ts of table u
--| DROP DOMAIN
drop domain s.positive cascade;
--| NOTICE:  drop cascades to 12 other objects
--| DETAIL:  drop cascades to type even
--| drop cascades to type small
--| drop cascades to column f of table t
--| drop cascades to column s of table u
--| drop cascades to column f of table l
--| drop cascades to column e of table t
--| drop cascades to column e of table l
--| drop cascades to column p of table t
--| drop cascades to column p of table l
--| drop cascades to column p of table a
--| drop cascades to column b of table gen
--| drop cascades to view vw
--| DROP DOMAIN
table u;
--|
--|
--|
--|
--| (2 rows)
drop schema s cascade;
--| DROP SCHEMA
create schema s2;
--| CREATE SCHEMA
create domain s2.x as int;
--| CREATE DOMAIN
create table ux (a s2.x);
--| CREATE TABLE
drop schema s2 cascade;
--| NOTICE:  drop cascades to type s2.x
--| NOTICE:  drop cascades to column a of table ux
--| DROP SCHEMA
table ux;
--|
--|
--| (0 rows)
create domain ad as int;
--| CREATE DOMAIN
create table bad (a ad[]);
--| CREATE TABLE
select '{1}'::ad[];
--|  ad
--| -----
--|  {1}
--| (1 row)
begin;
--| BEGIN
create domain rb as int check (value > 1);
--| CREATE DOMAIN
create table rbt (a rb);
--| CREATE TABLE
rollback;
--| ROLLBACK
select 1::rb;
--| ERROR:  42704: type "rb" does not exist
-- Lists of literals, which are of the type of what they are compared with.
create type in_m as enum ('a','b','c');
--| CREATE TYPE
create domain in_d as in_m check (value in ('a', 'b'));
--| CREATE DOMAIN
select 'a'::in_d, 'b'::in_d;
--|  in_d | in_d
--| ------+------
--|  a    | b
--| (1 row)
select 'c'::in_d;
--| ERROR:  23514: value for domain in_d violates check constraint "in_d_check"
create table tm (x in_m check (x in ('a','b')), y in_d);
--| CREATE TABLE
insert into tm values ('a','b');
--| INSERT 0 1
insert into tm values ('c','b');
--| ERROR:  23514: new row for relation "tm" violates check constraint "tm_x_check"
--| DETAIL:  Failing row contains (c, b).
select x in ('a','b'), x in ('a') , x not in ('c','b'), x = any(array['a','b']::in_m[]), x = any('{a,c}') from tm;
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  t        | t        | t        | t        | t
--| (1 row)
select x in ('a','zzz') from tm;
--| ERROR:  22P02: invalid input value for enum in_m: "zzz"
select x in ('a', null) from tm;
--|  ?column?
--| ----------
--|  t
--| (1 row)
create domain dd as date check (value in ('2020-01-01','2021-01-01'));
--| CREATE DOMAIN
select '2020-01-01'::dd;
--|      dd
--| ------------
--|  2020-01-01
--| (1 row)
create domain di as int check (value in ('1','2'));
--| CREATE DOMAIN
select 1::di;
--|  di
--| ----
--|   1
--| (1 row)
select 3::di;
--| ERROR:  23514: value for domain di violates check constraint "di_check"
create table tn (x in_m check (x not in ('a','b')), y date check (y in ('2020-01-01','2021-01-01')), a int, b int, z int generated always as (case when a in ('1', '2') then 1 else 0 end) stored, check ((a,b) in ((1,2),(3,4))));
--| CREATE TABLE
insert into tn values ('c', '2020-01-01', 1, 2), ('c', null, 3, 4);
--| INSERT 0 2
insert into tn values ('c', '2020-01-01', 1, 3);
--| ERROR:  23514: new row for relation "tn" violates check constraint "tn_check"
--| DETAIL:  Failing row contains (c, 2020-01-01, 1, 3, 1).
insert into tn values ('c', '2020-01-02', 1, 2);
--| ERROR:  23514: new row for relation "tn" violates check constraint "tn_y_check"
--| DETAIL:  Failing row contains (c, 2020-01-02, 1, 2, 1).
insert into tn values ('a', '2020-01-01', 1, 2);
--| ERROR:  23514: new row for relation "tn" violates check constraint "tn_x_check"
--| DETAIL:  Failing row contains (a, 2020-01-01, 1, 2, 1).
select * from tn order by a;
--|  x |     y      | a | b | z
--| ---+------------+---+---+---
--|  c | 2020-01-01 | 1 | 2 | 1
--|  c |            | 3 | 4 | 0
--| (2 rows)
create index on tn (a) where y in ('2020-01-01', '2020-01-02');
--| CREATE INDEX
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'tn'::regclass order by 1;
--|   conname   |                       pg_get_constraintdef
--| ------------+-------------------------------------------------------------------
--|  tn_check   | CHECK ((((a = 1) AND (b = 2)) OR ((a = 3) AND (b = 4))))
--|  tn_x_check | CHECK ((x <> ALL (ARRAY['a'::in_m, 'b'::in_m])))
--|  tn_y_check | CHECK ((y = ANY (ARRAY['2020-01-01'::date, '2021-01-01'::date])))
--| (3 rows)
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'tn'::regclass;
--|                pg_get_expr
--| -----------------------------------------
--|                                         +
--|  CASE                                   +
--|      WHEN (a = ANY (ARRAY[1, 2])) THEN 1+
--|      ELSE 0                             +
--|  END
--| (1 row)
select pg_get_constraintdef(oid) from pg_constraint where contypid = 'in_d'::regtype;
--|                 pg_get_constraintdef
--| -----------------------------------------------------
--|  CHECK ((VALUE = ANY (ARRAY['a'::in_m, 'b'::in_m])))
--| (1 row)
