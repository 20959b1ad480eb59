-- DEFAULT NULL is no default, unless the modifier of the type, or a domain, has something to do with it.
create table d1 (a int default null, b timestamp default null, c varchar(11) default null, d varchar default null, e text default null, f numeric(5,2) default null, h int default (null), i int default null::int, j timestamp(3) default null, k bit(3) default null, l bool not null default null, m varchar(5) default null::varchar, n varchar(5) default null::text, o char(3) default null, p interval default null, q int[] default null, r json default null);
--| CREATE TABLE
select attname, atthasdef, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on adrelid = attrelid and adnum = attnum where attrelid = 'd1'::regclass and attnum > 0 order by attnum;
--|  attname | atthasdef |            pg_get_expr
--| ---------+-----------+-----------------------------------
--|  a       | f         |
--|  b       | f         |
--|  c       | t         | NULL::character varying
--|  d       | f         |
--|  e       | f         |
--|  f       | t         | NULL::numeric
--|  h       | f         |
--|  i       | f         |
--|  j       | t         | NULL::timestamp without time zone
--|  k       | t         | NULL::"bit"
--|  l       | f         |
--|  m       | t         | NULL::character varying
--|  n       | t         | NULL::text
--|  o       | t         | NULL::bpchar
--|  p       | f         |
--|  q       | f         |
--|  r       | f         |
--| (17 rows)
select column_name, column_default from information_schema.columns where table_name = 'd1' order by ordinal_position;
--|  column_name |          column_default
--| -------------+-----------------------------------
--|  a           |
--|  b           |
--|  c           | NULL::character varying
--|  d           |
--|  e           |
--|  f           | NULL::numeric
--|  h           |
--|  i           |
--|  j           | NULL::timestamp without time zone
--|  k           | NULL::"bit"
--|  l           |
--|  m           | NULL::character varying
--|  n           | NULL::text
--|  o           | NULL::bpchar
--|  p           |
--|  q           |
--|  r           |
--| (17 rows)
alter table d1 alter a set default 7, alter c set default 'x';
--| ALTER TABLE
alter table d1 alter a set default null, alter c set default null;
--| ALTER TABLE
select attname, atthasdef, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on adrelid = attrelid and adnum = attnum where attrelid = 'd1'::regclass and attname in ('a', 'c') order by attnum;
--|  attname | atthasdef |       pg_get_expr
--| ---------+-----------+-------------------------
--|  a       | f         |
--|  c       | t         | NULL::character varying
--| (2 rows)
alter table d1 add z int default null, add y varchar(3) default null;
--| ALTER TABLE
select attname, atthasdef, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d on adrelid = attrelid and adnum = attnum where attrelid = 'd1'::regclass and attname in ('y', 'z') order by attnum;
--|  attname | atthasdef |       pg_get_expr
--| ---------+-----------+-------------------------
--|  z       | f         |
--|  y       | t         | NULL::character varying
--| (2 rows)
create domain dm as int default null;
--| CREATE DOMAIN
select typdefault from pg_type where typname = 'dm';
--|  typdefault
--| ------------
--|
--| (1 row)
create domain dm2 as int default 5;
--| CREATE DOMAIN
create table d2 (a dm2 default null, b dm2);
--| CREATE TABLE
insert into d2 default values;
--| INSERT 0 1
select * from d2;
--|  a | b
--| ---+---
--|    | 5
--| (1 row)
create table s1 (id serial, n int);
--| CREATE TABLE
alter table s1 alter id set default null;
--| ALTER TABLE
insert into s1 (n) values (1);
--| ERROR:  23502: null value in column "id" of relation "s1" violates not-null constraint
--| DETAIL:  Failing row contains (null, 1).
create table i1 (a int generated always as identity default null);
--| ERROR:  42601: both default and identity specified for column "a" of table "i1"
alter table d1 alter b type date;
--| ALTER TABLE
select column_default from information_schema.columns where table_name = 'd2' order by ordinal_position;
--|  column_default
--| ----------------
--|  NULL::integer
--|
--| (2 rows)
create domain dm3 as varchar(3) default null;
--| CREATE DOMAIN
select typdefault from pg_type where typname = 'dm3';
--|        typdefault
--| -------------------------
--|  NULL::character varying
--| (1 row)
alter domain dm2 set default null;
--| ALTER DOMAIN
insert into d2 (a) values (4);
--| INSERT 0 1
table d2;
--|  a | b
--| ---+---
--|    | 5
--|  4 |
--| (2 rows)
-- A column that is not there is pointed at.
update d1 set zz = 1;
--| ERROR:  42703: column "zz" of relation "d1" does not exist
