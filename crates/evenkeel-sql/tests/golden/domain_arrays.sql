-- Arrays of domains: each element satisfies the constraints.
create domain positive as int check (value > 0);
--| CREATE DOMAIN
create domain short as varchar(4);
--| CREATE DOMAIN
create domain given as text not null;
--| CREATE DOMAIN
create table a (k int primary key, p positive[], s short[], g given[]);
--| CREATE TABLE
insert into a values (1, array[42], array['ok'], array['x']);
--| INSERT 0 1
insert into a values (2, array[-1]);
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
insert into a values (2, '{0}');
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
insert into a values (2, null, array['too long']);
--| ERROR:  22001: value too long for type character varying(4)
insert into a values (2, null, array['too long']::short[]);
--| INSERT 0 1
insert into a (k, g) values (3, array['x', null]);
--| ERROR:  23502: domain given does not allow null values
insert into a (k, p[2]) values (3, 5);
--| INSERT 0 1
insert into a (k, p[2]) values (4, -5);
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
update a set p[1] = p[1] + 1 where k = 1;
--| UPDATE 1
update a set p[1] = 0 where k = 1;
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
update a set p[1:2] = '{7,8}' where k = 1;
--| UPDATE 1
update a set p[1:2] = '{7,-8}' where k = 1;
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
copy a (k, p) from stdin;
--| COPY 0
5	{1,-1}
\.
copy a (k, p) from stdin;
--| ERROR:  42601: syntax error at or near "5"
5	{1,2}
\.
select * from a order by k;
--| ERROR:  42601: syntax error at or near "5"
select '{1,0}'::positive[];
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select '{1,2}'::positive[], array[1, 2]::_positive, pg_input_is_valid('{1}', 'positive[]'), pg_input_is_valid('{1,0}', 'positive[]');
--|  positive | array | pg_input_is_valid | pg_input_is_valid
--| ----------+-------+-------------------+-------------------
--|  {1,2}    | {1,2} | t                 | f
--| (1 row)
select p[1], (p)[1] + 1 as next, 7 = any (p) as has from a where k = 1;
--|  p | next | has
--| ---+------+-----
--|  7 |    8 | t
--| (1 row)
\d a
select attname, atttypid::regtype, format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'a'::regclass and attnum > 1 order by attnum;
--| ERROR:  42601: syntax error at or near "\"
select typname, typcategory, typelem::regtype from pg_type where oid = 'positive[]'::regtype;
--|   typname  | typcategory | typelem
--| -----------+-------------+----------
--|  _positive | A           | positive
--| (1 row)
select typarray::regtype from pg_type where typname = 'positive';
--|   typarray
--| ------------
--|  positive[]
--| (1 row)
alter domain positive add check (value < 100);
--| ERROR:  0A000: cannot alter type "positive" because column "a.p" uses it
-- Within rows, and below domains.
create type holder as (list positive[]);
--| CREATE TYPE
select row(array[1, 2])::holder;
--|     row
--| -----------
--|  ("{1,2}")
--| (1 row)
select row(array[1, -2])::holder;
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select jsonb_populate_record(null::holder, '{"list": [1, 0]}');
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
create domain few as positive[] check (array_length(value, 1) < 3);
--| CREATE DOMAIN
select '{1,2}'::few;
--|   few
--| -------
--|  {1,2}
--| (1 row)
select '{1,2,3}'::few;
--| ERROR:  23514: value for domain few violates check constraint "few_check"
select '{1,-2}'::few;
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select attname, atttypid::regtype from pg_attribute where attrelid = (select typrelid from pg_type where typname = 'holder');
--|  attname |  atttypid
--| ---------+------------
--|  list    | positive[]
--| (1 row)
create view v as select k, p, '{1}'::positive[] as one from a;
--| CREATE VIEW
insert into v (k, p) values (6, '{6}');
--| INSERT 0 1
insert into v (k, p) values (7, '{-6}');
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select * from v order by k;
--|  k |     p     | one
--| ---+-----------+-----
--|  1 | {7,8}     | {1}
--|  2 |           | {1}
--|  3 | [2:2]={5} | {1}
--|  6 | {6}       | {1}
--| (4 rows)
alter table a add column q positive[] default '{3}';
--| ALTER TABLE
alter table a add column r positive[] default '{-3}';
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
alter table a alter column q type int[];
--| ALTER TABLE
alter table a alter column q type positive[];
--| ALTER TABLE
alter domain positive rename to over_nothing;
--| ALTER DOMAIN
\d a
drop domain over_nothing;
--| ERROR:  42601: syntax error at or near "\"
drop domain over_nothing cascade;
--| NOTICE:  drop cascades to 5 other objects
--| DETAIL:  drop cascades to column list of composite type holder
--| drop cascades to type few
--| drop cascades to column p of table a
--| drop cascades to column q of table a
--| drop cascades to view v
--| DROP DOMAIN
\d a
create domain matrix as int[];
--| ERROR:  42601: syntax error at or near "\"
create table m (x matrix[]);
--| ERROR:  42704: type "matrix[]" does not exist
