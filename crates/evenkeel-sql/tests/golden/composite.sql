-- Composite types: values, fields, columns of them, and what may become of a type.
create type addr as (street text, zip int, tags text[]);
--| CREATE TYPE
create type person as (name varchar(10), home addr, salary numeric(8,2));
--| CREATE TYPE
select typname, typtype, typcategory, typlen, typrelid <> 0 as rel, typarray <> 0 as arr from pg_type where typname in ('addr', '_addr') order by 1;
--|  typname | typtype | typcategory | typlen | rel | arr
--| ---------+---------+-------------+--------+-----+-----
--|  _addr   | b       | A           |     -1 | f   | f
--|  addr    | c       | C           |     -1 | t   | t
--| (2 rows)
select attname, attnum, atttypid::regtype, atttypmod from pg_attribute where attrelid = (select typrelid from pg_type where typname = 'person') order by attnum;
--|  attname | attnum |     atttypid      | atttypmod
--| ---------+--------+-------------------+-----------
--|  name    |      1 | character varying |        14
--|  home    |      2 | addr              |        -1
--|  salary  |      3 | numeric           |    524294
--| (3 rows)
select relname, relkind, relnatts from pg_class where relname in ('addr','person') order by 1;
--|  relname | relkind | relnatts
--| ---------+---------+----------
--|  addr    | c       |        3
--|  person  | c       |        3
--| (2 rows)
create type addr as (x int);
--| ERROR:  42710: type "addr" already exists
create type bad as (a int, a text);
--| ERROR:  42701: column "a" specified more than once
create type bad as (a nosuch);
--| ERROR:  42704: type "nosuch" does not exist
create type bad as (a record);
--| ERROR:  42P16: column "a" has pseudo-type record
create type empty as ();
--| CREATE TYPE
select '()'::empty, row()::empty;
--|  empty | row
--| -------+-----
--|  ()    | ()
--| (1 row)
select row('Main', '12', '{x,y}')::addr;
--|         row
--| -------------------
--|  (Main,12,"{x,y}")
--| (1 row)
select ('Main', 12, array['x','y'])::addr;
--|         row
--| -------------------
--|  (Main,12,"{x,y}")
--| (1 row)
select '(Main,12,"{x,y}")'::addr;
--|        addr
--| -------------------
--|  (Main,12,"{x,y}")
--| (1 row)
select '( Main ,12,)'::addr;
--|       addr
--| ----------------
--|  (" Main ",12,)
--| (1 row)
select '(Main,12)'::addr;
--| ERROR:  22P02: malformed record literal: "(Main,12)"
--| DETAIL:  Too few columns.
select '(Main,12,,)'::addr;
--| ERROR:  22P02: malformed record literal: "(Main,12,,)"
--| DETAIL:  Too many columns.
select 'Main,12)'::addr;
--| ERROR:  22P02: malformed record literal: "Main,12)"
--| DETAIL:  Missing left parenthesis.
select '(Main,12,"{x}") x'::addr;
--| ERROR:  22P02: malformed record literal: "(Main,12,"{x}") x"
--| DETAIL:  Junk after right parenthesis.
select '(Main,x,)'::addr;
--| ERROR:  22P02: invalid input syntax for type integer: "x"
select '("a ""q"" \\ b",1,)'::addr;
--|         addr
--| ---------------------
--|  ("a ""q"" \\ b",1,)
--| (1 row)
select row('a', 1)::addr;
--| ERROR:  42846: cannot cast type record to addr
--| DETAIL:  Input has too few columns.
select row('a', 1, null, 4)::addr;
--| ERROR:  42846: cannot cast type record to addr
--| DETAIL:  Input has too many columns.
select row('a', date '2020-01-01', null)::addr;
--| ERROR:  42846: cannot cast type record to addr
--| DETAIL:  Cannot cast type date to integer in column 2.
select row(1, 2, null)::addr;
--|   row
--| --------
--|  (1,2,)
--| (1 row)
create table t(id int primary key, p person, past addr[]);
--| CREATE TABLE
insert into t values (1, row('Ann', row('Main', 12, '{a}'), 10.555), array[row('Old',1,null)::addr, null]);
--| INSERT 0 1
insert into t values (2, '(Bob,"(Side,7,)",3)', '{"(X,1,\"{q,r}\")"}');
--| INSERT 0 1
insert into t values (3, null, null), (4, row(null,null,null), '{}');
--| INSERT 0 2
insert into t values (5, row('toolongname!', null, 1), null);
--| ERROR:  22001: value too long for type character varying(10)
insert into t values (5, row('x', null), null);
--| ERROR:  42846: cannot cast type record to person
--| DETAIL:  Input has too few columns.
select * from t order by id;
--|  id |              p              |        past
--| ----+-----------------------------+---------------------
--|   1 | (Ann,"(Main,12,{a})",10.56) | {"(Old,1,)",NULL}
--|   2 | (Bob,"(Side,7,)",3.00)      | {"(X,1,\"{q,r}\")"}
--|   3 |                             |
--|   4 | (,,)                        | {}
--| (4 rows)
select (p).name, (p).home, ((p).home).zip, (t.p).salary from t order by id;
--|  name |     home      | zip | salary
--| ------+---------------+-----+--------
--|  Ann  | (Main,12,{a}) |  12 |  10.56
--|  Bob  | (Side,7,)     |   7 |   3.00
--|       |               |     |
--|       |               |     |
--| (4 rows)
select (p).home.street from t order by id;
--|  street
--| --------
--|  Main
--|  Side
--|
--|
--| (4 rows)
select (p).* from t order by id;
--|  name |     home      | salary
--| ------+---------------+--------
--|  Ann  | (Main,12,{a}) |  10.56
--|  Bob  | (Side,7,)     |   3.00
--|       |               |
--|       |               |
--| (4 rows)
select ((p).home).* from t where id = 1;
--|  street | zip | tags
--| --------+-----+------
--|  Main   |  12 | {a}
--| (1 row)
select past[1].street, (past[1]).zip, (t).id from t order by id;
--|  street | zip | id
--| --------+-----+----
--|  Old    |   1 |  1
--|  X      |   1 |  2
--|         |     |  3
--|         |     |  4
--| (4 rows)
select (p).nosuch from t;
--| ERROR:  42703: column "nosuch" not found in data type person
select (id).x from t;
--| ERROR:  42809: column notation .x applied to type integer, which is not a composite type
select (id).* from t;
--| ERROR:  42809: type integer is not composite
select p is null, p is not null from t order by id;
--|  ?column? | ?column?
--| ----------+----------
--|  f        | t
--|  f        | t
--|  t        | f
--|  t        | f
--| (4 rows)
select p = row('Bob', row('Side', 7, null)::addr, 3)::person from t where id = 2;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select id from t where (p).home = row('Main', 12, '{a}')::addr;
--|  id
--| ----
--|   1
--| (1 row)
select id from t order by p desc nulls last, id;
--|  id
--| ----
--|   4
--|   2
--|   1
--|   3
--| (4 rows)
select count(distinct p), min((p).name) from t;
--|  count | min
--| -------+-----
--|      3 | Ann
--| (1 row)
select p, count(*) from t group by p order by 2, 1;
--|               p              | count
--| -----------------------------+-------
--|  (Ann,"(Main,12,{a})",10.56) |     1
--|  (Bob,"(Side,7,)",3.00)      |     1
--|  (,,)                        |     1
--|                              |     1
--| (4 rows)
update t set p.name = 'Anne', p.home.zip = 13 where id = 1;
--| UPDATE 1
select p from t where id = 1;
--|               p
--| ------------------------------
--|  (Anne,"(Main,13,{a})",10.56)
--| (1 row)
update t set p.salary = 'x' where id = 1;
--| ERROR:  22P02: invalid input syntax for type numeric: "x"
update t set p.nosuch = 1 where id = 1;
--| ERROR:  42703: cannot assign to field "nosuch" of column "p" because there is no such column in data type person
update t set p.name.x = 1 where id = 1;
--| ERROR:  42804: cannot assign to field "x" of column "name" because its type character varying is not a composite type
update t set id.x = 1;
--| ERROR:  42804: cannot assign to field "x" of column "id" because its type integer is not a composite type
update t set p.name = date '2020-01-01' where id = 1;
--| UPDATE 1
update t set p = row('Zoe', (p).home, 1) where id = 1 returning (p).*, (p).home.zip;
--|  name |     home      | salary | zip
--| ------+---------------+--------+-----
--|  Zoe  | (Main,13,{a}) |   1.00 |  13
--| (1 row)
--| UPDATE 1
select row_to_json(t) from t where id = 1;
--|                                                                  row_to_json
--| ---------------------------------------------------------------------------------------------------------------------------------------------
--|  {"id":1,"p":{"name":"Zoe","home":{"street":"Main","zip":13,"tags":["a"]},"salary":1.00},"past":[{"street":"Old","zip":1,"tags":null},null]}
--| (1 row)
select to_jsonb(p), to_json(past) from t where id < 3 order by id;
--|                                        to_jsonb                                        |                   to_json
--| ---------------------------------------------------------------------------------------+---------------------------------------------
--|  {"home": {"zip": 13, "tags": ["a"], "street": "Main"}, "name": "Zoe", "salary": 1.00} | [{"street":"Old","zip":1,"tags":null},null]
--|  {"home": {"zip": 7, "tags": null, "street": "Side"}, "name": "Bob", "salary": 3.00}   | [{"street":"X","zip":1,"tags":["q","r"]}]
--| (2 rows)
select jsonb_build_object('p', p) from t where id = 1;
--|                                       jsonb_build_object
--| ----------------------------------------------------------------------------------------------
--|  {"p": {"home": {"zip": 13, "tags": ["a"], "street": "Main"}, "name": "Zoe", "salary": 1.00}}
--| (1 row)
select unnest(past) from t where id < 3 order by id;
--|     unnest
--| ---------------
--|  (Old,1,)
--|
--|  (X,1,"{q,r}")
--| (3 rows)
select (unnest(past)).* from t where id < 3 order by id;
--|  street | zip | tags
--| --------+-----+-------
--|  Old    |   1 |
--|         |     |
--|  X      |   1 | {q,r}
--| (3 rows)
select p::text, (p).home::text from t where id < 3 order by id;
--|              p              |     home
--| ----------------------------+---------------
--|  (Zoe,"(Main,13,{a})",1.00) | (Main,13,{a})
--|  (Bob,"(Side,7,)",3.00)     | (Side,7,)
--| (2 rows)
select p::addr from t;
--| ERROR:  42846: cannot cast type person to addr
select 'x'::person::text;
--| ERROR:  22P02: malformed record literal: "x"
--| DETAIL:  Missing left parenthesis.
select coalesce(p, row('none', null, 0)::person) from t order by id;
--|           coalesce
--| ----------------------------
--|  (Zoe,"(Main,13,{a})",1.00)
--|  (Bob,"(Side,7,)",3.00)
--|  (none,,0.00)
--|  (,,)
--| (4 rows)
select case when id = 1 then p end from t order by id;
--|             case
--| ----------------------------
--|  (Zoe,"(Main,13,{a})",1.00)
--|
--|
--|
--| (4 rows)
select pg_typeof(p), pg_typeof(past), pg_typeof((p).home) from t where id = 1;
--|  pg_typeof | pg_typeof | pg_typeof
--| -----------+-----------+-----------
--|  person    | addr[]    | addr
--| (1 row)
create index on t (((p).name));
--| CREATE INDEX
select id from t where (p).name = 'Bob';
--|  id
--| ----
--|   2
--| (1 row)
create index tp on t (p);
--| CREATE INDEX
select id from t where p = '(Bob,"(Side,7,)",3.00)'::person;
--|  id
--| ----
--|   2
--| (1 row)
create view v as select id, (p).name as n, ((p).home).zip from t;
--| CREATE VIEW
select * from v order by 1;
--|  id |  n  | zip
--| ----+-----+-----
--|   1 | Zoe |  13
--|   2 | Bob |   7
--|   3 |     |
--|   4 |     |
--| (4 rows)
select pg_get_viewdef('v'::regclass);
--|      pg_get_viewdef
--| -------------------------
--|   SELECT id,            +
--|      (p).name AS n,     +
--|      (p).home.zip AS zip+
--|     FROM t;
--| (1 row)
drop type addr;
--| ERROR:  2BP01: cannot drop type addr because other objects depend on it
--| DETAIL:  column past of table t depends on type addr[]
--| column home of composite type person depends on type addr
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop type person;
--| ERROR:  2BP01: cannot drop type person because other objects depend on it
--| DETAIL:  column p of table t depends on type person
--| view v depends on column p of table t
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
alter type addr rename to address;
--| ALTER TYPE
select p from t where id = 2;
--|            p
--| ------------------------
--|  (Bob,"(Side,7,)",3.00)
--| (1 row)
select format_type(atttypid, atttypmod) from pg_attribute where attrelid = 't'::regclass and attnum > 0 order by attnum;
--|  format_type
--| -------------
--|  integer
--|  person
--|  address[]
--| (3 rows)
create type x as (a int, b text);
--| CREATE TYPE
alter type x add attribute c date, drop attribute a, alter attribute b type varchar(5);
--| ALTER TYPE
select '(abcdef,2020-01-01)'::x;
--| ERROR:  22001: value too long for type character varying(5)
select '(abcde,2020-01-01)'::x;
--|          x
--| --------------------
--|  (abcde,2020-01-01)
--| (1 row)
alter type x rename attribute b to bb;
--| ALTER TYPE
select ('(abcde,2020-01-01)'::x).bb;
--|   bb
--| -------
--|  abcde
--| (1 row)
alter type x add attribute c int;
--| ERROR:  42701: column "c" of relation "x" already exists
alter type x drop attribute nosuch;
--| ERROR:  42703: column "nosuch" of relation "x" does not exist
alter type x drop attribute if exists nosuch;
--| NOTICE:  column "nosuch" of relation "x" does not exist, skipping
--| ALTER TYPE
alter type x add attribute self x;
--| ERROR:  42P16: composite type x cannot be made a member of itself
alter type x add attribute selves x[];
--| ERROR:  42P16: composite type x cannot be made a member of itself
comment on type x is 'an x';
--| COMMENT
select obj_description('x'::regtype, 'pg_type');
--|  obj_description
--| -----------------
--|  an x
--| (1 row)
drop type x;
--| DROP TYPE
create table addr2 as select (p).home, p from t;
--| SELECT 4
select * from addr2 order by 2;
--|      home      |             p
--| ---------------+----------------------------
--|  (Side,7,)     | (Bob,"(Side,7,)",3.00)
--|  (Main,13,{a}) | (Zoe,"(Main,13,{a})",1.00)
--|                | (,,)
--|                |
--| (4 rows)
create temp table tt (a address default row('def', 0, null));
--| CREATE TABLE
insert into tt default values;
--| INSERT 0 1
insert into tt values ('(q,1,)');
--| INSERT 0 1
select * from tt order by (a).zip;
--|     a
--| ----------
--|  (def,0,)
--|  (q,1,)
--| (2 rows)
select (a).zip + 1 as z, (tt.a).street from tt order by 1;
--|  z | street
--| ---+--------
--|  1 | def
--|  2 | q
--| (2 rows)
create domain posaddr as address check ((value).zip > 0);
--| CREATE DOMAIN
select '(a,1,)'::posaddr;
--|  posaddr
--| ---------
--|  (a,1,)
--| (1 row)
select '(a,-1,)'::posaddr;
--| ERROR:  23514: value for domain posaddr violates check constraint "posaddr_check"
drop type address cascade;
--| ERROR:  0A000: DROP TYPE CASCADE of the type of column home of composite type person is not supported
select row('a', 1) = row('a', 1), row(1, null) = row(1, 2), row('a') < row('b');
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  t        |          | t
--| (1 row)
select (jsonb_each('{"a":1,"b":2}')).key;
--|  key
--| -----
--|  a
--|  b
--| (2 rows)
select (jsonb_each('{"a":1,"b":2}')).*;
--|  key | value
--| -----+-------
--|  a   | 1
--|  b   | 2
--| (2 rows)
select key, value from (select (jsonb_each_text('{"a":1,"b":2}')).*) s;
--|  key | value
--| -----+-------
--|  a   | 1
--|  b   | 2
--| (2 rows)
select row('a', null)::text, to_json(row(1, 'x'));
--|  row  |      to_json
--| ------+-------------------
--|  (a,) | {"f1":1,"f2":"x"}
--| (1 row)
drop table t cascade;
--| NOTICE:  drop cascades to view v
--| DROP TABLE
drop type person;
--| ERROR:  2BP01: cannot drop type person because other objects depend on it
--| DETAIL:  column p of table addr2 depends on type person
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
