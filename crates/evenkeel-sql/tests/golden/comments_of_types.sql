-- Comments go with domains' constraints and with attributes; those of other attributes stay theirs.
create domain dd as int constraint c1 check (value > 0) constraint c2 check (value < 9) constraint n1 not null;
--| CREATE DOMAIN
comment on domain dd is 'dd';
--| COMMENT
comment on constraint c1 on domain dd is 'c1';
--| COMMENT
comment on constraint c2 on domain dd is 'c2';
--| COMMENT
comment on constraint n1 on domain dd is 'n1';
--| COMMENT
alter domain dd drop constraint c1;
--| ALTER DOMAIN
alter domain dd drop not null;
--| ALTER DOMAIN
select description from pg_description where description in ('dd', 'c1', 'c2', 'n1') order by 1;
--|  description
--| -------------
--|  c2
--|  dd
--| (2 rows)
create type ti as (n dd, m int, o int);
--| CREATE TYPE
comment on column ti.n is 'n';
--| COMMENT
comment on column ti.m is 'm';
--| COMMENT
comment on column ti.o is 'o';
--| COMMENT
comment on type ti is 'ti';
--| COMMENT
alter type ti rename attribute o to p;
--| ALTER TYPE
select a.attname, d.description from pg_type t join pg_attribute a on a.attrelid = t.typrelid join pg_description d on d.objoid = t.typrelid and d.objsubid = a.attnum where t.typname = 'ti' order by 1;
--|  attname | description
--| ---------+-------------
--|  m       | m
--|  n       | n
--|  p       | o
--| (3 rows)
set client_min_messages = warning;
--| SET
drop domain dd cascade;
--| DROP DOMAIN
reset client_min_messages;
--| RESET
select a.attname, d.description from pg_type t join pg_attribute a on a.attrelid = t.typrelid join pg_description d on d.objoid = t.typrelid and d.objsubid = a.attnum where t.typname = 'ti' order by 1;
--|  attname | description
--| ---------+-------------
--|  m       | m
--|  p       | o
--| (2 rows)
alter type ti drop attribute m;
--| ALTER TYPE
select a.attname, d.description from pg_type t join pg_attribute a on a.attrelid = t.typrelid join pg_description d on d.objoid = t.typrelid and d.objsubid = a.attnum where t.typname = 'ti' order by 1;
--|  attname | description
--| ---------+-------------
--|  p       | o
--| (1 row)
select description from pg_description where description in ('dd', 'c1', 'c2', 'n1', 'n', 'm', 'p', 'o', 'ti') order by 1;
--|  description
--| -------------
--|  o
--|  ti
--| (2 rows)
drop type ti;
--| DROP TYPE
select description from pg_description where description in ('dd', 'c1', 'c2', 'n1', 'n', 'm', 'p', 'o', 'ti') order by 1;
--|  description
--| -------------
--| (0 rows)
