-- Where a column's domain is known.
create domain dom as varchar(10);
--| CREATE DOMAIN
create domain di as int check (value > 0);
--| CREATE DOMAIN
create table a (d dom, i di, ds dom[], n int, t varchar(10));
--| CREATE TABLE
insert into a values ('x', 1, '{y}', 2, 'z');
--| INSERT 0 1
create materialized view mv as select *, i + 1 as j, n as k from a;
--| SELECT 1
create view v as select * from a;
--| CREATE VIEW
select d, i, ds into st from a;
--| SELECT 1
create table ct as select * from v;
--| SELECT 1
select attrelid::regclass, attname, format_type(atttypid, atttypmod), atttypmod from pg_attribute where attrelid in ('a'::regclass, 'mv'::regclass, 'v'::regclass, 'st'::regclass, 'ct'::regclass) and attnum > 0 order by attrelid, attnum;
--|  attrelid | attname |      format_type      | atttypmod
--| ----------+---------+-----------------------+-----------
--|  a        | d       | dom                   |        -1
--|  a        | i       | di                    |        -1
--|  a        | ds      | dom[]                 |        -1
--|  a        | n       | integer               |        -1
--|  a        | t       | character varying(10) |        14
--|  mv       | d       | dom                   |        -1
--|  mv       | i       | di                    |        -1
--|  mv       | ds      | dom[]                 |        -1
--|  mv       | n       | integer               |        -1
--|  mv       | t       | character varying(10) |        14
--|  mv       | j       | integer               |        -1
--|  mv       | k       | integer               |        -1
--|  v        | d       | dom                   |        -1
--|  v        | i       | di                    |        -1
--|  v        | ds      | dom[]                 |        -1
--|  v        | n       | integer               |        -1
--|  v        | t       | character varying(10) |        14
--|  st       | d       | dom                   |        -1
--|  st       | i       | di                    |        -1
--|  st       | ds      | dom[]                 |        -1
--|  ct       | d       | dom                   |        -1
--|  ct       | i       | di                    |        -1
--|  ct       | ds      | dom[]                 |        -1
--|  ct       | n       | integer               |        -1
--|  ct       | t       | character varying(10) |        14
--| (25 rows)
select pg_typeof(d), pg_typeof(i), pg_typeof(ds), pg_typeof(n), pg_typeof(t), pg_typeof('q'::dom), pg_typeof(i + 1), pg_typeof(n::di), pg_typeof(mv.d) from a join mv using (d, i, ds, n, t);
--|  pg_typeof | pg_typeof | pg_typeof | pg_typeof |     pg_typeof     |     pg_typeof     | pg_typeof | pg_typeof | pg_typeof
--| -----------+-----------+-----------+-----------+-------------------+-------------------+-----------+-----------+-----------
--|  dom       | di        | dom[]     | integer   | character varying | character varying | integer   | di        | dom
--| (1 row)
drop domain di;
--| ERROR:  2BP01: cannot drop type di because other objects depend on it
--| DETAIL:  column i of table a depends on type di
--| column i of table st depends on type di
--| column i of table ct depends on type di
--| materialized view mv depends on column i of table a
--| view v depends on column i of table a
--| view v depends on type di
--| materialized view mv depends on type di
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
insert into st values ('12345678901');
--| ERROR:  22001: value too long for type character varying(10)
insert into st (i) values (0);
--| ERROR:  23514: value for domain di violates check constraint "di_check"
refresh materialized view mv;
--| REFRESH MATERIALIZED VIEW
select * from mv;
--|  d | i | ds  | n | t | j | k
--| ---+---+-----+---+---+---+---
--|  x | 1 | {y} | 2 | z | 2 | 2
--| (1 row)
drop domain dom cascade;
--| NOTICE:  drop cascades to 8 other objects
--| DETAIL:  drop cascades to column d of table a
--| drop cascades to column ds of table a
--| drop cascades to column d of table st
--| drop cascades to column ds of table st
--| drop cascades to column d of table ct
--| drop cascades to column ds of table ct
--| drop cascades to view v
--| drop cascades to materialized view mv
--| DROP DOMAIN
