-- NOT VALID, VALIDATE CONSTRAINT, NOT ENFORCED, NOT NULL constraints by name, constraints of indexes, identity, settings of columns.

create table p (id int primary key);
--| CREATE TABLE
create table c (id int, p int, n int);
--| CREATE TABLE
insert into p values (1);
--| INSERT 0 1
insert into c values (1, 1, 1), (2, 2, -2), (3, null, null);
--| INSERT 0 3
alter table c add constraint c_p foreign key (p) references p not valid;
--| ALTER TABLE
alter table c add constraint c_n check (n > 0) not valid;
--| ALTER TABLE
insert into c values (4, 4, 4);
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p"
--| DETAIL:  Key (p)=(4) is not present in table "p".
insert into c values (4, 1, -4);
--| ERROR:  23514: new row for relation "c" violates check constraint "c_n"
--| DETAIL:  Failing row contains (4, 1, -4).
update c set id = 5 where id = 2;
--| ERROR:  23514: new row for relation "c" violates check constraint "c_n"
--| DETAIL:  Failing row contains (5, 2, -2).
update c set n = 5 where id = 2;
--| UPDATE 1
select conname, convalidated, conenforced, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'c'::regclass order by 1;
--|  conname | convalidated | conenforced |            pg_get_constraintdef
--| ---------+--------------+-------------+--------------------------------------------
--|  c_n     | f            | t           | CHECK ((n > 0)) NOT VALID
--|  c_p     | f            | t           | FOREIGN KEY (p) REFERENCES p(id) NOT VALID
--| (2 rows)
alter table c validate constraint c_p;
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p"
--| DETAIL:  Key (p)=(2) is not present in table "p".
alter table c validate constraint c_n;
--| ALTER TABLE
insert into p values (2);
--| INSERT 0 1
update c set n = 2 where n < 0;
--| UPDATE 0
alter table c validate constraint c_p;
--| ALTER TABLE
alter table c validate constraint c_n;
--| ALTER TABLE
alter table c validate constraint c_n;
--| ALTER TABLE
alter table c validate constraint nope;
--| ERROR:  42704: constraint "nope" of relation "c" does not exist
select conname, convalidated from pg_constraint where conrelid = 'c'::regclass order by 1;
--|  conname | convalidated
--| ---------+--------------
--|  c_n     | t
--|  c_p     | t
--| (2 rows)
alter table p validate constraint p_pkey;
--| ERROR:  42809: cannot validate constraint "p_pkey" of relation "p"
--| DETAIL:  This operation is not supported for this type of constraint.
-- NOT ENFORCED.
create table ne (a int check (a > 0) not enforced, p int references p not enforced);
--| CREATE TABLE
insert into ne values (-1, 99);
--| INSERT 0 1
select conname, conenforced, convalidated, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'ne'::regclass order by 1;
--|   conname   | conenforced | convalidated |             pg_get_constraintdef
--| ------------+-------------+--------------+-----------------------------------------------
--|  ne_a_check | f           | f            | CHECK ((a > 0)) NOT ENFORCED
--|  ne_p_fkey  | f           | f            | FOREIGN KEY (p) REFERENCES p(id) NOT ENFORCED
--| (2 rows)
alter table ne validate constraint ne_a_check;
--| ERROR:  55000: cannot validate NOT ENFORCED constraint
alter table ne validate constraint ne_p_fkey;
--| ERROR:  55000: cannot validate NOT ENFORCED constraint
delete from p where id = 2;
--| ERROR:  23503: update or delete on table "p" violates foreign key constraint "c_p" on table "c"
--| DETAIL:  Key (id)=(2) is still referenced from table "c".
delete from c where p = 2;
--| DELETE 1
delete from p where id = 2;
--| DELETE 1
alter table ne alter constraint ne_p_fkey enforced;
--| ERROR:  23503: insert or update on table "ne" violates foreign key constraint "ne_p_fkey"
--| DETAIL:  Key (p)=(99) is not present in table "p".
update ne set p = 1;
--| UPDATE 1
alter table ne alter constraint ne_p_fkey enforced;
--| ALTER TABLE
insert into ne values (-1, 99);
--| ERROR:  23503: insert or update on table "ne" violates foreign key constraint "ne_p_fkey"
--| DETAIL:  Key (p)=(99) is not present in table "p".
alter table ne alter constraint ne_p_fkey not enforced;
--| ALTER TABLE
insert into ne values (-1, 99);
--| INSERT 0 1
select conname, conenforced, convalidated from pg_constraint where conrelid = 'ne'::regclass order by 1;
--|   conname   | conenforced | convalidated
--| ------------+-------------+--------------
--|  ne_a_check | f           | f
--|  ne_p_fkey  | f           | f
--| (2 rows)
alter table ne alter constraint ne_a_check enforced;
--| ERROR:  42809: cannot alter enforceability of constraint "ne_a_check" of relation "ne"
alter table ne alter constraint nope enforced;
--| ERROR:  42704: constraint "nope" of relation "ne" does not exist
-- NOT NULL.
create table nn (a int not null, b int constraint b_there not null, c int, d serial, constraint c_there not null c, primary key (a));
--| CREATE TABLE
select conname, contype, conkey, convalidated, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'nn'::regclass order by 1;
--|     conname    | contype | conkey | convalidated | pg_get_constraintdef
--| ---------------+---------+--------+--------------+----------------------
--|  b_there       | n       | {2}    | t            | NOT NULL b
--|  c_there       | n       | {3}    | t            | NOT NULL c
--|  nn_a_not_null | n       | {1}    | t            | NOT NULL a
--|  nn_d_not_null | n       | {4}    | t            | NOT NULL d
--|  nn_pkey       | p       | {1}    | t            | PRIMARY KEY (a)
--| (5 rows)
alter table nn drop constraint b_there;
--| ALTER TABLE
insert into nn values (1, null, 1);
--| INSERT 0 1
alter table nn add constraint b_again not null b;
--| ERROR:  23502: column "b" of relation "nn" contains null values
alter table nn add constraint b_again not null b not valid;
--| ALTER TABLE
insert into nn values (2, null, 1);
--| ERROR:  23502: null value in column "b" of relation "nn" violates not-null constraint
--| DETAIL:  Failing row contains (2, null, 1, 2).
select conname, convalidated, pg_get_constraintdef(oid) from pg_constraint where conname = 'b_again';
--|  conname | convalidated | pg_get_constraintdef
--| ---------+--------------+----------------------
--|  b_again | f            | NOT NULL b NOT VALID
--| (1 row)
alter table nn validate constraint b_again;
--| ERROR:  23502: column "b" of relation "nn" contains null values
update nn set b = 0 where b is null;
--| UPDATE 1
alter table nn validate constraint b_again;
--| ALTER TABLE
alter table nn add constraint b_other not null b;
--| ERROR:  55000: cannot create not-null constraint "b_other" on column "b" of table "nn"
--| DETAIL:  A not-null constraint named "b_again" already exists for this column.
alter table nn add constraint b_again not null b;
--| ALTER TABLE
alter table nn alter column b set not null;
--| ALTER TABLE
alter table nn drop constraint nn_a_not_null;
--| ERROR:  42P16: column "a" is in a primary key
alter table nn alter a drop not null;
--| ERROR:  42P16: column "a" is in a primary key
alter table nn alter b drop not null;
--| ALTER TABLE
insert into nn values (3, null, 1);
--| INSERT 0 1
alter table nn add not null c;
--| ALTER TABLE
alter table nn rename constraint c_there to c_here;
--| ALTER TABLE
alter table nn add constraint c_here check (c > 0);
--| ERROR:  42710: constraint "c_here" for relation "nn" already exists
create table nn2 (a int constraint x not null, b int constraint x not null);
--| ERROR:  42710: constraint "x" for relation "nn2" already exists
select conname, contype from pg_constraint where conrelid = 'nn'::regclass order by 1;
--|     conname    | contype
--| ---------------+---------
--|  c_here        | n
--|  nn_a_not_null | n
--|  nn_d_not_null | n
--|  nn_pkey       | p
--| (4 rows)
-- NO INHERIT.
create table ni (a int check (a > 0) no inherit);
--| CREATE TABLE
select connoinherit, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'ni'::regclass;
--|  connoinherit |    pg_get_constraintdef
--| --------------+----------------------------
--|  t            | CHECK ((a > 0)) NO INHERIT
--| (1 row)
-- USING INDEX.
create table ui (a int, b int, c int);
--| CREATE TABLE
insert into ui values (1, 1, null);
--| INSERT 0 1
create unique index ui_a on ui (a);
--| CREATE INDEX
create unique index ui_b on ui (b);
--| CREATE INDEX
create index ui_c on ui (c);
--| CREATE INDEX
create unique index ui_d on ui (b desc);
--| CREATE INDEX
alter table ui add constraint ui_key primary key using index ui_a;
--| NOTICE:  ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index "ui_a" to "ui_key"
--| ALTER TABLE
alter table ui add unique using index ui_b;
--| ALTER TABLE
alter table ui add unique using index ui_b;
--| ERROR:  55000: index "ui_b" is already associated with a constraint
alter table ui add unique using index ui_c;
--| ERROR:  42809: "ui_c" is not a unique index
--| DETAIL:  Cannot create a primary key or unique constraint using such an index.
alter table ui add unique using index ui_d;
--| ERROR:  42809: index "ui_d" column number 1 does not have default sorting behavior
--| DETAIL:  Cannot create a primary key or unique constraint using such an index.
alter table ui add unique using index nope;
--| ERROR:  42704: index "nope" does not exist
alter table ui add primary key using index ui_d;
--| ERROR:  42809: index "ui_d" column number 1 does not have default sorting behavior
--| DETAIL:  Cannot create a primary key or unique constraint using such an index.
select conname, contype, conindid::regclass from pg_constraint where conrelid = 'ui'::regclass order by 1;
--|     conname    | contype | conindid
--| ---------------+---------+----------
--|  ui_a_not_null | n       | -
--|  ui_b          | u       | ui_b
--|  ui_key        | p       | ui_key
--| (3 rows)
insert into ui values (1, 2);
--| ERROR:  23505: duplicate key value violates unique constraint "ui_key"
--| DETAIL:  Key (a)=(1) already exists.
drop index ui_b;
--| ERROR:  2BP01: cannot drop index ui_b because constraint ui_b on table ui requires it
--| HINT:  You can drop constraint ui_b on table ui instead.
-- SET NULL of some columns.
create table sp (a int, b int, primary key (a, b));
--| CREATE TABLE
create table sc (id int, a int, b int default 7, foreign key (a, b) references sp on delete set null (b));
--| CREATE TABLE
create table sd (id int, a int, b int default 7, foreign key (a, b) references sp on delete set default (b) on update cascade);
--| CREATE TABLE
insert into sp values (1, 1), (1, 7), (2, 2);
--| INSERT 0 3
insert into sc values (1, 1, 1);
--| INSERT 0 1
insert into sd values (1, 1, 1);
--| INSERT 0 1
delete from sp where b = 1;
--| DELETE 1
select * from sc;
--|  id | a | b
--| ----+---+---
--|   1 | 1 |
--| (1 row)
select * from sd;
--|  id | a | b
--| ----+---+---
--|   1 | 1 | 7
--| (1 row)
update sp set a = 9 where b = 7;
--| UPDATE 1
select * from sd;
--|  id | a | b
--| ----+---+---
--|   1 | 9 | 7
--| (1 row)
select pg_get_constraintdef(oid), confdelsetcols from pg_constraint where conrelid in ('sc'::regclass, 'sd'::regclass) and contype = 'f' order by 1;
--|                                 pg_get_constraintdef                                | confdelsetcols
--| ------------------------------------------------------------------------------------+----------------
--|  FOREIGN KEY (a, b) REFERENCES sp(a, b) ON DELETE SET NULL (b)                      | {3}
--|  FOREIGN KEY (a, b) REFERENCES sp(a, b) ON UPDATE CASCADE ON DELETE SET DEFAULT (b) | {3}
--| (2 rows)
create table se (a int, b int, c int, foreign key (a, b) references sp on delete set null (c));
--| ERROR:  42P10: column "c" referenced in ON DELETE SET action must be part of foreign key
create table se (a int, b int, c int, foreign key (a, b) references sp on delete set null (d));
--| ERROR:  42703: column "d" referenced in foreign key constraint does not exist
-- Identity.
create table id (a int not null, b int, c int not null default 3, d text not null);
--| CREATE TABLE
alter table id alter b add generated always as identity;
--| ERROR:  55000: column "b" of relation "id" must be declared NOT NULL before identity can be added
alter table id alter c add generated always as identity;
--| ERROR:  55000: column "c" of relation "id" already has a default value
alter table id alter d add generated always as identity;
--| ERROR:  22023: identity column type must be smallint, integer, or bigint
alter table id alter a add generated always as identity (start with 10 increment by 5);
--| ALTER TABLE
alter table id alter a add generated always as identity;
--| ERROR:  55000: column "a" of relation "id" is already an identity column
insert into id (d) values ('x'), ('y');
--| INSERT 0 2
select * from id;
--|  a  | b | c | d
--| ----+---+---+---
--|  10 |   | 3 | x
--|  15 |   | 3 | y
--| (2 rows)
insert into id (a, d) values (1, 'z');
--| ERROR:  428C9: cannot insert a non-DEFAULT value into column "a"
--| DETAIL:  Column "a" is an identity column defined as GENERATED ALWAYS.
--| HINT:  Use OVERRIDING SYSTEM VALUE to override.
alter table id alter a set generated by default;
--| ALTER TABLE
insert into id (a, d) values (1, 'z');
--| INSERT 0 1
alter table id alter a set generated always set increment by 2 set start with 100 restart;
--| ALTER TABLE
insert into id (d) values ('r'), ('s');
--| INSERT 0 2
alter table id alter a restart with 500;
--| ALTER TABLE
insert into id (d) values ('t');
--| INSERT 0 1
select a, d from id order by d;
--|   a  | d
--| -----+---
--|  100 | r
--|  102 | s
--|  500 | t
--|   10 | x
--|   15 | y
--|    1 | z
--| (6 rows)
alter table id alter a set default 4;
--| ERROR:  42601: column "a" of relation "id" is an identity column
alter table id alter a drop default;
--| ERROR:  42601: column "a" of relation "id" is an identity column
--| HINT:  Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.
alter table id alter a drop not null;
--| ERROR:  42601: column "a" of relation "id" is an identity column
alter table id alter b set generated always;
--| ERROR:  55000: column "b" of relation "id" is not an identity column
alter table id alter b drop identity;
--| ERROR:  55000: column "b" of relation "id" is not an identity column
alter table id alter b drop identity if exists;
--| NOTICE:  column "b" of relation "id" is not an identity column, skipping
--| ALTER TABLE
alter table id alter a drop identity;
--| ALTER TABLE
insert into id (d) values ('u');
--| ERROR:  23502: null value in column "a" of relation "id" violates not-null constraint
--| DETAIL:  Failing row contains (null, null, 3, u).
select attname, attidentity, atthasdef from pg_attribute where attrelid = 'id'::regclass and attnum > 0 order by attnum;
--|  attname | attidentity | atthasdef
--| ---------+-------------+-----------
--|  a       |             | f
--|  b       |             | f
--|  c       |             | t
--|  d       |             | f
--| (4 rows)
select count(*) from pg_class where relname = 'id_a_seq';
--|  count
--| -------
--|      0
--| (1 row)
-- Settings of columns.
create table st (a int, b text);
--| CREATE TABLE
alter table st alter a set statistics 500, alter b set storage external, alter b set compression pglz;
--| ALTER TABLE
alter table st alter a set (n_distinct = -0.5);
--| ALTER TABLE
select attname, attstattarget, attstorage, attcompression, attoptions from pg_attribute where attrelid = 'st'::regclass and attnum > 0 order by attnum;
--|  attname | attstattarget | attstorage | attcompression |    attoptions
--| ---------+---------------+------------+----------------+-------------------
--|  a       |           500 | p          |                | {n_distinct=-0.5}
--|  b       |               | e          | p              |
--| (2 rows)
alter table st alter a set statistics -1, alter a reset (n_distinct), alter b set storage default, alter b set compression default;
--| ALTER TABLE
select attname, attstattarget, attstorage, attcompression, attoptions from pg_attribute where attrelid = 'st'::regclass and attnum > 0 order by attnum;
--|  attname | attstattarget | attstorage | attcompression | attoptions
--| ---------+---------------+------------+----------------+------------
--|  a       |               | p          |                |
--|  b       |               | x          |                |
--| (2 rows)
alter table st alter a set statistics -2;
--| ERROR:  22023: statistics target -2 is too low
alter table st alter a set statistics 20000;
--| WARNING:  lowering statistics target to 10000
--| ALTER TABLE
alter table st alter a set storage external;
--| ERROR:  0A000: column data type integer can only have storage PLAIN
alter table st alter a set storage plain;
--| ALTER TABLE
alter table st alter b set storage nope;
--| ERROR:  22023: invalid storage type "nope"
alter table st alter a set compression pglz;
--| ERROR:  0A000: column data type integer does not support compression
alter table st alter b set compression nope;
--| ERROR:  22023: invalid compression method "nope"
alter table st alter a set (nope = 1);
--| ERROR:  22023: unrecognized parameter "nope"
-- Parameters.
alter table st set (fillfactor = 70, autovacuum_enabled = false);
--| ALTER TABLE
select reloptions from pg_class where relname = 'st';
--|                 reloptions
--| ------------------------------------------
--|  {fillfactor=70,autovacuum_enabled=false}
--| (1 row)
alter table st reset (fillfactor);
--| ALTER TABLE
select reloptions from pg_class where relname = 'st';
--|          reloptions
--| ----------------------------
--|  {autovacuum_enabled=false}
--| (1 row)
alter table st set (nope = 1);
--| ERROR:  22023: unrecognized parameter "nope"
create index st_a on st (a) with (fillfactor = 50);
--| CREATE INDEX
alter index st_a set (fillfactor = 60);
--| ALTER INDEX
select reloptions from pg_class where relname = 'st_a';
--|    reloptions
--| -----------------
--|  {fillfactor=60}
--| (1 row)
alter index st_a reset (fillfactor);
--| ALTER INDEX
select reloptions from pg_class where relname = 'st_a';
--|  reloptions
--| ------------
--|
--| (1 row)
alter index st_a set (nope = 1);
--| ERROR:  22023: unrecognized parameter "nope"
alter index if exists nope set (fillfactor = 60);
--| NOTICE:  relation "nope" does not exist, skipping
--| ALTER INDEX
-- Several actions in one: what goes first, what comes last.
create table se (a int, b int);
--| CREATE TABLE
insert into se values (1, 2);
--| INSERT 0 1
alter table se add constraint k unique (c), add column c int, drop column b, alter a type text;
--| ALTER TABLE
alter table se add check (b > 0), add column b int not null default 4;
--| ALTER TABLE
select * from se;
--|  a | c | b
--| ---+---+---
--|  1 |   | 4
--| (1 row)
alter table se add column d int, add primary key (d);
--| ERROR:  23502: column "d" of relation "se" contains null values
alter table se add column d int default 8, add primary key (d);
--| ALTER TABLE
select * from se;
--|  a | c | b | d
--| ---+---+---+---
--|  1 |   | 4 | 8
--| (1 row)
alter table only se drop column if exists zz, drop constraint if exists zz;
--| NOTICE:  column "zz" of relation "se" does not exist, skipping
--| NOTICE:  constraint "zz" of relation "se" does not exist, skipping
--| ALTER TABLE
alter table if exists zz add column a int;
--| NOTICE:  relation "zz" does not exist, skipping
--| ALTER TABLE
select conname, contype from pg_constraint where conrelid = 'se'::regclass order by 1;
--|     conname    | contype
--| ---------------+---------
--|  k             | u
--|  se_b_check    | c
--|  se_b_not_null | n
--|  se_d_not_null | n
--|  se_pkey       | p
--| (5 rows)
