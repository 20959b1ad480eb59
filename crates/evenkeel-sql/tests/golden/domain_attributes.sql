-- Attributes of composite types that are of domains: whatever makes a row of one checks them.
create domain positive as int check (value > 0);
--| CREATE DOMAIN
create domain named as text not null;
--| CREATE DOMAIN
create type item as (n positive, label text);
--| CREATE TYPE
create type called as (a int, b named);
--| CREATE TYPE
create type nested as (i item, list item[]);
--| CREATE TYPE
select row(1, 'x')::item;
--|   row
--| -------
--|  (1,x)
--| (1 row)
select row(0, 'x')::item;
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select '(1,x)'::item;
--|  item
--| -------
--|  (1,x)
--| (1 row)
select '(0,x)'::item;
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select substr(record_send(row(1, 'a')::item), 5, 4) = int4send('positive'::regtype::oid::int4);
--|  ?column?
--| ----------
--|  t
--| (1 row)
select '(1,)'::called;
--| ERROR:  23502: domain named does not allow null values
select row(1, null)::called;
--| ERROR:  23502: domain named does not allow null values
select null::called;
--|  called
--| --------
--|
--| (1 row)
select '{"(1,a)","(-1,b)"}'::item[];
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select array[row(1, 'a'), row(2, 'b')]::item[];
--|        array
--| -------------------
--|  {"(1,a)","(2,b)"}
--| (1 row)
select array[row(1, 'a'), row(-2, 'b')]::item[];
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select row(row(1, 'a'), array['(0,b)'])::nested;
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select row('(1,a)', '{"(2,b)"}')::nested;
--|            row
--| -------------------------
--|  ("(1,a)","{""(2,b)""}")
--| (1 row)
select * from json_populate_record(null::item, '{"n": 5, "label": {"a":  1}}');
--|  n |   label
--| ---+-----------
--|  5 | {"a":  1}
--| (1 row)
select * from json_populate_record(null::item, '{"n": 0}');
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select * from jsonb_populate_record(null::called, '{"a": 5}');
--| ERROR:  23502: domain named does not allow null values
select * from jsonb_populate_record(null::nested, '{"i": {"n": 1}, "list": [{"n": 2}, {"n": -3}]}');
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select * from json_populate_recordset(null::item, '[{"n": 5}, {"n": 0}]');
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select json_populate_recordset(null::item, '[{"n": 5}, {"n": 6}]');
--|  json_populate_recordset
--| -------------------------
--|  (5,)
--|  (6,)
--| (2 rows)
select * from jsonb_to_record('{"i": {"n": -1}}') as x(i item);
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select json_query('{"n": -1}', '$' returning item error on error);
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
select jsonb_populate_record_valid(null::item, '{"n": 1}'), jsonb_populate_record_valid(null::item, '{"n": 0}'), jsonb_populate_record_valid(null::item, null);
--|  jsonb_populate_record_valid | jsonb_populate_record_valid | jsonb_populate_record_valid
--| -----------------------------+-----------------------------+-----------------------------
--|  t                           | f                           |
--| (1 row)
create table items (k int primary key, l item[], i item);
--| CREATE TABLE
insert into items values (1, '{"(2,b)"}', '(1,a)');
--| INSERT 0 1
insert into items values (2, null, '(-1,a)');
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
insert into items values (2, '{"(-1,a)"}', null);
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
insert into items (k, i.n) values (3, 0);
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
insert into items (k, i.label) values (3, 'no number');
--| INSERT 0 1
update items set i.n = 0;
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
update items set i.n = 7 where k = 1;
--| UPDATE 1
update items set l[1].n = -7 where k = 1;
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
update items set l[1].n = 8 where k = 1;
--| UPDATE 1
prepare p(item) as insert into items (k, i) values (4, $1);
--| PREPARE
execute p('(0,p)');
--| ERROR:  23514: value for domain positive violates check constraint "positive_check"
execute p('(9,p)');
--| INSERT 0 1
copy items from stdin;
--| COPY 0
5	\N	(-5,c)
\.
copy items (k, i) from stdin;
--| ERROR:  42601: syntax error at or near "5"
5	(5,c)
\.
select k, i, l, (i).n + 1 as next from items order by k;
--| ERROR:  42601: syntax error at or near "5"
alter domain positive add check (value < 100);
--| ERROR:  0A000: cannot alter type "positive" because column "items.l" uses it
alter domain positive drop constraint positive_check;
--| ALTER DOMAIN
drop domain positive;
--| ERROR:  2BP01: cannot drop type positive because other objects depend on it
--| DETAIL:  column n of composite type item depends on type positive
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
select attname, atttypid::regtype from pg_attribute where attrelid = (select typrelid from pg_type where typname = 'item') order by attnum;
--|  attname | atttypid
--| ---------+----------
--|  n       | positive
--|  label   | text
--| (2 rows)
create table typed of item;
--| CREATE TABLE
insert into typed values (0, 'x');
--| INSERT 0 1
\d typed
alter type called add attribute c positive;
--| ERROR:  42601: syntax error at or near "\"
alter type called alter attribute a type positive;
--| ALTER TYPE
select row(-1, 'x', 1)::called;
--| ERROR:  42846: cannot cast type record to called
--| DETAIL:  Input has too many columns.
drop table items, typed;
--| DROP TABLE
drop domain positive cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to column n of composite type item
--| drop cascades to column a of composite type called
--| DROP DOMAIN
select null::item, null::called;
--|  item | called
--| ------+--------
--|       |
--| (1 row)
drop type nested, item, called;
--| DROP TYPE
drop domain named;
--| DROP DOMAIN
-- The row type of a table has its columns' domains.
create domain even as int check (value % 2 = 0);
--| CREATE DOMAIN
create table evens (e even, t text);
--| CREATE TABLE
select row(3, 'x')::evens;
--| ERROR:  23514: value for domain even violates check constraint "even_check"
select '(3,x)'::evens;
--| ERROR:  23514: value for domain even violates check constraint "even_check"
select jsonb_populate_record(null::evens, '{"e": 3}');
--| ERROR:  23514: value for domain even violates check constraint "even_check"
select jsonb_populate_record(null::evens, '{"e": 4}');
--|  jsonb_populate_record
--| -----------------------
--|  (4,)
--| (1 row)
-- Domains over rows.
create type pair as (x int, y int);
--| CREATE TYPE
create domain ordered as pair check ((value).x <= (value).y);
--| CREATE DOMAIN
select jsonb_populate_record(row(1, 2)::ordered, '{"x": 0}');
--|  jsonb_populate_record
--| -----------------------
--|  (0,2)
--| (1 row)
select jsonb_populate_record(row(1, 2)::ordered, '{"x": 3}');
--| ERROR:  23514: value for domain ordered violates check constraint "ordered_check"
select * from jsonb_populate_recordset(row(1, 2)::ordered, '[{"x": 0}, {"y": 0}]');
--| ERROR:  23514: value for domain ordered violates check constraint "ordered_check"
