-- Words of other databases that PostgreSQL's grammar has not are refused, wherever the parser would take them.
create table t (id int primary key, x int); insert into t select g, g % 3 from generate_series(1,100) g; create table u (id int);
--| CREATE TABLE
--| INSERT 0 100
--| CREATE TABLE
select count(*) from t tablesample (10 percent);
--| ERROR:  42601: syntax error at or near "("
select count(*) from t tablesample (5 rows);
--| ERROR:  42601: syntax error at or near "("
select count(*) from t sample (5 rows);
--| ERROR:  42601: syntax error at or near "5"
select id from t order by id limit 1 for xml path;
--| ERROR:  42601: syntax error at or near "xml"
select id from t order by id limit 1 for json auto;
--| ERROR:  42601: syntax error at or near "json"
select id from t order by id limit 1 for browse;
--| ERROR:  42601: syntax error at or near "browse"
select count(*) from t where x == 0;
--| ERROR:  42883: operator does not exist: integer == integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select [1,2];
--| ERROR:  42601: syntax error at or near "["
select [[1],[2]];
--| ERROR:  42601: syntax error at or near "["
select array_append([1], 2);
--| ERROR:  42601: syntax error at or near "["
select {fn length('a')};
--| ERROR:  42601: syntax error at or near "{"
select {d '2020-01-01'};
--| ERROR:  42601: syntax error at or near "{"
select * from unnest(array[5]) with offset;
--| ERROR:  42601: syntax error at or near "with"
select * from unnest(array[5]) with offset as o;
--| ERROR:  42601: syntax error at or near "with"
values row(1,2);
--| ERROR:  42601: syntax error at or near "row"
values row(1,2), row(3,4);
--| ERROR:  42601: syntax error at or near "row"
select floor(1.55, 1);
--| ERROR:  42883: function floor(numeric, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select ceil(1.55, 1);
--| ERROR:  42883: function ceil(numeric, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select floor(1.5 to day);
--| ERROR:  42601: syntax error at or near "to"
select ceil(1.5 to day);
--| ERROR:  42601: syntax error at or near "to"
select floor(1.5), ceil(1.5), ceil(x.x) from (select 2.5 as x) x;
--|  floor | ceil | ceil
--| -------+------+------
--|      1 |    2 |    3
--| (1 row)
select sum(x) respect nulls from t;
--| ERROR:  42601: syntax error at or near "nulls"
select count(x) ignore nulls from t;
--| ERROR:  42601: syntax error at or near "nulls"
select first_value(x) ignore nulls over () from t;
--| ERROR:  42601: syntax error at or near "nulls"
select first_value(x ignore nulls) over () from t;
--| ERROR:  42601: syntax error at or near "ignore"
select array[1,2][1];
--| ERROR:  42601: syntax error at or near "["
select (1,2).f1;
--| ERROR:  42601: syntax error at or near "."
select row(1,2).f1;
--| ERROR:  42601: syntax error at or near "."
select (array[1,2])[1], (row(1,2)).f1, array[[1,2],[3,4]];
--|  array | f1 |     array
--| -------+----+---------------
--|      1 |  1 | {{1,2},{3,4}}
--| (1 row)
insert t values (200,1);
--| ERROR:  42601: syntax error at or near "t"
insert into t (id) value (201);
--| ERROR:  42601: syntax error at or near "value"
merge t using u on false when matched then do nothing;
--| ERROR:  42601: syntax error at or near "t"
create table c1 (id integer primary key autoincrement);
--| ERROR:  42601: syntax error at or near "autoincrement"
create table c1b (id integer auto_increment primary key);
--| ERROR:  42601: syntax error at or near "auto_increment"
create table c2 (id int identity);
--| ERROR:  42601: syntax error at or near "identity"
create table c3 (id int identity(5,5));
--| ERROR:  42601: syntax error at or near "identity"
create table c4 clone t;
--| ERROR:  42601: syntax error at or near "clone"
create table c5 (id int comment 'x');
--| ERROR:  42601: syntax error at or near "comment"
create table c5a (v varchar(max));
--| ERROR:  42601: syntax error at or near "max"
create table c6 (id int primary key asc, b int) strict;
--| ERROR:  42601: syntax error at or near "asc"
create table c6b (id int primary key asc);
--| ERROR:  42601: syntax error at or near "asc"
create table c6c (id int) strict;
--| ERROR:  42601: syntax error at or near "strict"
create table c7 (id int primary key) without rowid;
--| ERROR:  42601: syntax error at or near "rowid"
create table c8 (id int) order by id;
--| ERROR:  42601: syntax error at or near "order"
create table c9 (id int) stored as parquet;
--| ERROR:  42601: syntax error at or near "stored"
create table c15 (id int) cluster by (id);
--| ERROR:  42601: syntax error at or near "cluster"
create table c16 (id int) clustered by (id) into 4 buckets;
--| ERROR:  42601: syntax error at or near "clustered"
create table c18 (id int, primary key (id) autoincrement);
--| ERROR:  42601: syntax error at or near "autoincrement"
create table c20 (id int character set utf8);
--| ERROR:  42601: syntax error at or near "character"
create table c22 (id int, index (id));
--| ERROR:  42601: syntax error at or near "("
create table c23 (id int, key k (id));
--| ERROR:  42704: type "k" does not exist
create table c24 (id int, fulltext (id));
--| ERROR:  42601: syntax error at or near "("
create table c25 (id int unsigned);
--| ERROR:  42601: syntax error at or near "unsigned"
create table c26 (id int(11));
--| ERROR:  42601: syntax error at or near "("
create table c28 (id int materialized 1);
--| ERROR:  42601: syntax error at or near "materialized"
create table c29 (id int alias 1);
--| ERROR:  42601: syntax error at or near "alias"
create table c30 (id int unique key);
--| ERROR:  42601: syntax error at or near "key"
create table c31 (id int key);
--| ERROR:  42601: syntax error at or near "key"
create table c32 (id int primary key clustered);
--| ERROR:  42601: syntax error at or near "clustered"
create table c37 (id int) with tags (a = 'b');
--| ERROR:  42601: syntax error at or near "tags"
create table c38 (id int) copy grants;
--| ERROR:  42601: syntax error at or near "copy"
create table c39 (id int) change_tracking = true;
--| ERROR:  42601: syntax error at or near "change_tracking"
create or replace table c43 (id int);
--| ERROR:  42601: syntax error at or near "table"
create local table c45e (id int);
--| ERROR:  42601: syntax error at or near "table"
create table c46 as select 1 as a comment 'x';
--| ERROR:  42601: syntax error at or near "comment"
create table c48 (id nullable(int));
--| ERROR:  42704: type "nullable" does not exist
create table c49 (a int, constraint k index (a));
--| ERROR:  42601: syntax error at or near "index"
create table c50 (a int check (a > 0) not enforced);
--| CREATE TABLE
create schema s1 clone public;
--| ERROR:  42601: syntax error at or near "clone"
create schema s2 options(a=1);
--| ERROR:  42601: syntax error at or near "options"
create schema s3 with (a=1);
--| ERROR:  42601: syntax error at or near "with"
create schema s4 default collate 'x';
--| ERROR:  42601: syntax error at or near "default"
create or replace schema s5;
--| ERROR:  42601: syntax error at or near "schema"
create schema a.b;
--| ERROR:  42601: syntax error at or near "."
create index i2 using btree on t (id);
--| ERROR:  42601: syntax error at or near "using"
create index async i4 on t (id);
--| ERROR:  42601: syntax error at or near "i4"
create index i6 on t (id(5));
--| ERROR:  42883: function id(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
create view w1 comment 'x' as select 1;
--| ERROR:  42601: syntax error at or near "comment"
select * from t limit 1 by id;
--| ERROR:  42601: syntax error at or near "by"
select * from t limit 10 percent;
--| ERROR:  42601: syntax error at or near "percent"
select top 1 * from t;
--| ERROR:  42601: syntax error at or near "1"
select distinctrow x from t;
--| ERROR:  42703: column "distinctrow" does not exist
select * exclude (id) from t limit 1;
--| ERROR:  42601: syntax error at or near "exclude"
select * except (id) from t limit 1;
--| ERROR:  42601: syntax error at or near "id"
select * as k from t limit 1;
--| ERROR:  42601: syntax error at or near "as"
select t.* as k from t order by id limit 1;
--|  id | x
--| ----+---
--|   1 | 1
--| (1 row)
select id from t prewhere id = 1;
--| ERROR:  42601: syntax error at or near "id"
select id from t where id < 3 qualify row_number() over () = 1;
--| ERROR:  42601: syntax error at or near "qualify"
select id from t limit 1 settings a = 1;
--| ERROR:  42601: syntax error at or near "settings"
select id from t limit 1 format csv;
--| ERROR:  42601: syntax error at or near "format"
select id from t group by id with rollup;
--| ERROR:  42601: syntax error at or near "with"
select count(*) from t group by ();
--|  count
--| -------
--|    100
--| (1 row)
select id from t order by id with fill;
--| ERROR:  42601: syntax error at or near "with"
select id from t sort by id;
--| ERROR:  42601: syntax error at or near "by"
select id from t cluster by id;
--| ERROR:  42601: syntax error at or near "by"
select id from t distribute by id;
--| ERROR:  42601: syntax error at or near "by"
select id from t connect by id = 1;
--| ERROR:  42601: syntax error at or near "by"
select id from t start with id = 1 connect by prior id = x;
--| ERROR:  42601: syntax error at or near "with"
select id from t use index (a);
--| ERROR:  42601: syntax error at or near "index"
select id from t force index (a);
--| ERROR:  42601: syntax error at or near "index"
select id from t with (nolock);
--| ERROR:  42601: syntax error at or near "with"
select id from t partition (p);
--| ERROR:  42703: column "id" does not exist
select id from t for system_time as of '2020-01-01';
--| ERROR:  42601: syntax error at or near "system_time"
select id from t as of timestamp '2020-01-01';
--| ERROR:  42601: syntax error at or near "timestamp"
select id from t at (timestamp => 1);
--| ERROR:  42601: syntax error at or near "=>"
select id from t version as of 1;
--| ERROR:  42601: syntax error at or near "as"
from t;
--| ERROR:  42601: syntax error at or near "from"
from t select id;
--| ERROR:  42601: syntax error at or near "from"
select from t limit 0;
--|
--|
--| (0 rows)
select all id from t order by id limit 1;
--|  id
--| ----
--|   1
--| (1 row)
select high_priority id from t;
--| ERROR:  42703: column "high_priority" does not exist
select sql_no_cache id from t;
--| ERROR:  42703: column "sql_no_cache" does not exist
select straight_join id from t;
--| ERROR:  42703: column "straight_join" does not exist
select x from t minus select 1;
--| ERROR:  42601: syntax error at or near "select"
select 1 except distinct select 1;
--|  ?column?
--| ----------
--| (0 rows)
select 1 union distinct select 1;
--|  ?column?
--| ----------
--|         1
--| (1 row)
select 'a' rlike 'b';
--| ERROR:  42601: syntax error at or near "'b'"
select 'a' regexp 'b';
--| ERROR:  42601: syntax error at or near "'b'"
select 'a' like any (array['b']);
--|  ?column?
--| ----------
--|  f
--| (1 row)
select 1 div 2;
--| ERROR:  42601: syntax error at or near "2"
select 1 mod 2;
--| ERROR:  42601: syntax error at or near "2"
select 1 xor 2;
--| ERROR:  42601: syntax error at or near "2"
select 1 <=> 2;
--| ERROR:  42883: operator does not exist: integer <=> integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select true && false;
--| ERROR:  42883: operator does not exist: boolean && boolean
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select 10 % 3;
--|  ?column?
--| ----------
--|         1
--| (1 row)
select 5 DIV 2;
--| ERROR:  42601: syntax error at or near "2"
select cast(1 as signed);
--| ERROR:  42704: type "signed" does not exist
select convert(int, '1');
--| ERROR:  42703: column "int" does not exist
select 1 :: int;
--|  int4
--| ------
--|     1
--| (1 row)
select extract(day from date '2020-01-01');
--|  extract
--| ---------
--|        1
--| (1 row)
select interval 1 day;
--| ERROR:  42601: syntax error at or near "1"
select interval '1' day;
--|  interval
--| ----------
--|  1 day
--| (1 row)
select interval '1 day';
--|  interval
--| ----------
--|  1 day
--| (1 row)
select date '2020-01-01' + interval 1 day;
--| ERROR:  42601: syntax error at or near "1"
select substring('abc', 1, 2), substring('abc' from 1), substr('abc', 1), mid('abc', 1);
--| ERROR:  42883: function mid(unknown, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select trim('a', 'b');
--|  btrim
--| -------
--|  a
--| (1 row)
select trim(both 'a' from 'aba'), trim('a' from 'aba'), trim(leading from ' a');
--|  btrim | btrim | ltrim
--| -------+-------+-------
--|  b     | b     | a
--| (1 row)
select group_concat(id) from t;
--| ERROR:  42883: function group_concat(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select group_concat(id separator ',') from t;
--| ERROR:  42601: syntax error at or near "separator"
select string_agg(id::text, ',' order by id) within group (order by id) from t;
--| ERROR:  42601: cannot use multiple ORDER BY clauses with WITHIN GROUP
select array_agg(id having max id) from t;
--| ERROR:  42601: syntax error at or near "having"
select listagg(id::text, ',') within group (order by id) from t;
--| ERROR:  42883: function listagg(text, unknown, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select count(distinct id, x) from t;
--| ERROR:  42883: function count(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select count(all id) from t;
--|  count
--| -------
--|    100
--| (1 row)
select json_object('a': 1);
--|  json_object
--| -------------
--|  {"a" : 1}
--| (1 row)
select {'a': 1};
--| ERROR:  42601: syntax error at or near "{"
select map {'a': 1};
--| ERROR:  42601: syntax error at or near "{"
select struct(1, 2);
--| ERROR:  42883: function struct(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select struct<int>(1);
--| ERROR:  42601: syntax error at or near ">"
select x -> x + 1;
--| ERROR:  42703: column "x" does not exist
select lambda(x -> x);
--| ERROR:  42703: column "x" does not exist
select a.b:c from t a;
--| ERROR:  42601: syntax error at or near ":"
select 1 as 'a';
--| ERROR:  42601: syntax error at or near "'a'"
select 1 as `a`;
--| ERROR:  42601: syntax error at or near "`"
select "a" 'b';
--| ERROR:  42704: type "a" does not exist
select @x;
--| ERROR:  42703: column "x" does not exist
select b'1', x'1', 0x1F, 0b1, 1_000;
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  1        | 0001     |       31 |        1 |     1000
--| (1 row)
select true is true, null is unknown;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
select 1 isnull, 1 notnull;
--|  ?column? | ?column?
--| ----------+----------
--|  f        | t
--| (1 row)
select case when true then 1 end case;
--|  case
--| ------
--|     1
--| (1 row)
select if(true, 1, 2);
--| ERROR:  42883: function if(boolean, integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select ifnull(1, 2);
--| ERROR:  42883: function ifnull(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select current_timestamp(3) is null;
--|  ?column?
--| ----------
--|  f
--| (1 row)
select 1 from t, lateral flatten(x);
--| ERROR:  42883: function flatten(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select * from t pivot (sum(x) for x in (1, 2));
--| ERROR:  42601: syntax error at or near "("
select * from t match_recognize (pattern (a) define a as true);
--| ERROR:  42601: syntax error at or near "("
select * from t semi join u on true;
--|  id | x | id
--| ----+---+----
--| (0 rows)
select * from t anti join u on true;
--|  id | x | id
--| ----+---+----
--| (0 rows)
select * from t straight_join u;
--| ERROR:  42601: syntax error at or near "u"
select * from t global join u on true;
--|  id | x | id
--| ----+---+----
--| (0 rows)
select * from t any join u on true;
--| ERROR:  42601: syntax error at or near "any"
select * from t all left join u on true;
--| ERROR:  42601: syntax error at or near "all"
select * from generate_series(1,2) as g at p;
--| ERROR:  42601: syntax error at or near "at"
select * from t as (a, b) limit 0;
--| ERROR:  42601: syntax error at or near "("
select * from t limit 1 offset 1 row;
--|  id | x
--| ----+---
--|   2 | 2
--| (1 row)
select * from t offset 99 rows fetch next row only;
--|  id  | x
--| -----+---
--|  100 | 1
--| (1 row)
select * from t fetch first 10 percent rows only;
--| ERROR:  42601: syntax error at or near "percent"
insert overwrite t values (1000, 1);
--| ERROR:  42601: syntax error at or near "overwrite"
insert ignore into t values (1000, 1);
--| ERROR:  42601: syntax error at or near "ignore"
insert into table t values (1000, 1);
--| ERROR:  42601: syntax error at or near "table"
insert or replace into t values (1000, 1);
--| ERROR:  42601: syntax error at or near "or"
replace into t values (1000, 1);
--| ERROR:  42601: syntax error at or near "replace"
insert low_priority into t values (1000, 1);
--| ERROR:  42601: syntax error at or near "low_priority"
insert into t values (1000, 1) as n on conflict do nothing;
--| ERROR:  42601: syntax error at or near "as"
insert into t values (1000, 1) settings a = 1;
--| ERROR:  42601: syntax error at or near "settings"
insert all into t values (1000, 1) select 1;
--| ERROR:  42601: syntax error at or near "all"
update t set x = 1 output inserted.x where false;
--| ERROR:  42601: syntax error at or near "output"
update t, u set x = 1 where false;
--| ERROR:  42601: syntax error at or near ","
update t set t.x = 1 where false;
--| ERROR:  42703: column "t" of relation "t" does not exist
--| HINT:  SET target columns cannot be qualified with the relation name.
update t as k set k.x = 1 where false;
--| ERROR:  42703: column "k" of relation "t" does not exist
--| HINT:  SET target columns cannot be qualified with the relation name.
delete from t output deleted.id where false;
--| ERROR:  42601: syntax error at or near "deleted"
delete from t as k where false;
--| DELETE 0
delete from only t where false;
--| DELETE 0
merge into t using u on false when matched then update set x = 1 where true;
--| ERROR:  42601: syntax error at or near "where"
merge into t using u on false when not matched then insert values (1, 1) where true;
--| ERROR:  42601: syntax error at or near "where"
merge into t using u on false when not matched then insert row;
--| ERROR:  42601: syntax error at or near "row"
merge into t using u on false when matched then delete output deleted.id;
--| ERROR:  42601: syntax error at or near "output"
truncate t partition (p);
--| ERROR:  42601: syntax error at or near "partition"
select * from t where id = 1 for update of t nowait skip locked;
--| ERROR:  42601: syntax error at or near "skip"
select count(*) from t;
--|  count
--| -------
--|    100
--| (1 row)
explain extended select 1;
--| ERROR:  42601: syntax error at or near "extended"

-- What is like them, and legal.
select array[1,2], array[[1,2],[3,4]], array[array[1], array[2]], (array[1,2])[1], (array[[1,2],[3,4]])[2][1], '{1,2}'::int[], ('{1,2}'::int[])[1:1];
--|  array |     array     |   array   | array | array | int4  | int4
--| -------+---------------+-----------+-------+-------+-------+------
--|  {1,2} | {{1,2},{3,4}} | {{1},{2}} |     1 |     3 | {1,2} | {1}
--| (1 row)
select (array[array[1,2]])[1][2], array[(array[1,2])[1], 3], array_append(array[1], 2), array['a[1]'];
--|  array | array | array_append | array
--| -------+-------+--------------+--------
--|      2 | {1,3} | {1,2}        | {a[1]}
--| (1 row)
create table l (a int[], b int array, c int array[3], d int[][], "array" int[], identity int, strict int, clone int, max int, value int, "row" int);
--| CREATE TABLE
insert into l (a, identity, strict, clone, max, value, d[1][1]) values (array[1,2], 1, 2, 3, 4, 5, 6);
--| INSERT 0 1
insert into l (a[1], b[2]) values (7, 8) returning a, b;
--|   a  |     b
--| -----+-----------
--|  {7} | [2:2]={8}
--| (1 row)
--| INSERT 0 1
update l set a[2] = 5, b = array[a[1], 2] where a[1] = 1 returning a[2], b[1:2], "array"[1], l.a[1], (l.a)[1];
--|  a |   b   | array | a | a
--| ---+-------+-------+---+---
--|  5 | {1,2} |       | 1 | 1
--| (1 row)
--| UPDATE 1
select identity, strict, clone, max, value, max(max), min(value) from l where identity is not null group by 1, 2, 3, 4, 5;
--|  identity | strict | clone | max | value | max | min
--| ----------+--------+-------+-----+-------+-----+-----
--|         1 |      2 |     3 |   4 |     5 |   4 |   5
--| (1 row)
select l.identity as identity, l.clone clone, strict strict from l as clone (x) join l on true limit 0;
--| ERROR:  42702: column reference "strict" is ambiguous
create table g (id int generated by default as identity, j int generated always as identity (start 3 increment by 2) primary key, k varchar(5), unique (id, k));
--| CREATE TABLE
insert into g (k) values ('x') returning *;
--|  id | j | k
--| ----+---+---
--|   1 | 3 | x
--| (1 row)
--| INSERT 0 1
alter table g add column identity int, add m int generated always as identity, alter column id drop identity;
--| ALTER TABLE
truncate g restart identity;
--| TRUNCATE TABLE
create index async on g using btree (k desc nulls last, id asc);
--| CREATE INDEX
create index concurrently on g (k);
--| CREATE INDEX
create table o as (select id, k from g order by id desc, k asc);
--| SELECT 0
create table o2 (a, b) as (select id, k from g order by id desc) with no data;
--| CREATE TABLE AS
create table o3 (a) with (fillfactor = 70) as select 1 order by 1 desc;
--| SELECT 1
create table if not exists o3 (a) as select 1;
--| NOTICE:  relation "o3" already exists, skipping
--| CREATE TABLE AS
create temp table o4 (a, b) on commit drop as select 1, 2;
--| SELECT 1
create local temporary table o5 (a int);
--| CREATE TABLE
create table o6 (id int primary key, x int default 1 references g on update cascade on delete set null, exclude using btree (x with =));
--| CREATE TABLE
select (select x from (values (1, 2)) v (x, y)), (values (1)), ((1, 2)) = (1, 2), (select a, b from (values (1, 2)) v (a, b)) = (1, 2);
--| ERROR:  42601: subquery must return only one column
select (v).x, (v.y) from (values (1, 2)) v (x, y);
--|  x | y
--| ---+---
--|  1 | 2
--| (1 row)
select (x.c).a from (select row(1, 2)::pair as c) x;
--| ERROR:  42704: type "pair" does not exist
create type pair as (a int, b int);
--| CREATE TYPE
select (x.c).a, (x.c).*, ((1, 2)::pair).b, (cast(row(3, 4) as pair)).a from (select row(1, 2)::pair as c) x;
--|  a | a | b | b | a
--| ---+---+---+---+---
--|  1 | 1 | 2 | 2 | 3
--| (1 row)
select (select row(1, 2)::pair).a, (with q as (select row(1, 2)::pair as p) select p from q).b;
--|  a | b
--| ---+---
--|  1 | 2
--| (1 row)
select substring('abcdef' from 2 for 3), overlay('abc' placing 'x' from 2 for 1), substring('abc' for 2);
--|  substring | overlay | substring
--| -----------+---------+-----------
--|  bcd       | axc     | ab
--| (1 row)
select count(*) from g tablesample system (100) s, g tablesample bernoulli (100) repeatable (1);
--| ERROR:  42601: syntax error at or near "s"
select * from unnest(array[5]) with ordinality;
--|  unnest | ordinality
--| --------+------------
--|       5 |          1
--| (1 row)
select * from unnest(array[5, 6]) with ordinality as u (o, n) offset 1;
--|  o | n
--| ---+---
--|  6 | 2
--| (1 row)
with o as (select 1 as x) select x from o offset 0;
--|  x
--| ---
--|  1
--| (1 row)
select 1 as respect, 2 as ignore, 3 as nulls, 4 as browse, 5 as xml, 6 as json;
--|  respect | ignore | nulls | browse | xml | json
--| ---------+--------+-------+--------+-----+------
--|        1 |      2 |     3 |      4 |   5 |    6
--| (1 row)
select 1 respect, 2 ignore, count(*) nulls from (select 1) respect;
--|  respect | ignore | nulls
--| ---------+--------+-------
--|        1 |      2 |     1
--| (1 row)
select first_value(x) over (order by x nulls first) from (values (1), (null)) v (x);
--|  first_value
--| -------------
--|
--|
--| (2 rows)
select id from g for update nowait;
--|  id
--| ----
--| (0 rows)
select ceil(1.2), floor(-1.2), ceiling(1.2), floor(x) from (values (1.5)) v (x);
--|  ceil | floor | ceiling | floor
--| ------+-------+---------+-------
--|     2 |    -2 |       2 |     1
--| (1 row)
values (row(1,2)), (row(3,4));
--|  column1
--| ---------
--|  (1,2)
--|  (3,4)
--| (2 rows)
insert into g values (default, default, 'y'), (5, default, 'z') on conflict do nothing returning id, k;
--| ERROR:  23502: null value in column "id" of relation "g" violates not-null constraint
--| DETAIL:  Failing row contains (null, 3, y, null, 1).
insert into g (k) select 'w' returning k as value;
--| ERROR:  23502: null value in column "id" of relation "g" violates not-null constraint
--| DETAIL:  Failing row contains (null, 5, w, null, 2).
insert into g default values;
--| ERROR:  23502: null value in column "id" of relation "g" violates not-null constraint
--| DETAIL:  Failing row contains (null, 7, null, null, 3).
insert into g as h (id) overriding user value values (9) returning h.id;
--|  id
--| ----
--|   9
--| (1 row)
--| INSERT 0 1
insert into o3 (a) (select 1) union all (select 2) order by 1 desc;
--| INSERT 0 2
insert into o3 with x as (select 5) select * from x;
--| INSERT 0 1
with i as (insert into o3 values (8) returning a) select * from i;
--|  a
--| ---
--|  8
--| (1 row)
merge into only o3 as d using (select 8 as a) s on d.a = s.a when matched then delete;
--| MERGE 1
with s as (select 1 as a) merge into o3 using s on s.a = o3.a when matched then do nothing returning o3.a;
--|  a
--| ---
--| (0 rows)
select * from o3 as only_me where a is distinct from 1 order by a using > limit all;
--|  a
--| ---
--|  5
--|  2
--| (2 rows)
select all a from o3 as any_one order by a fetch first row only;
--|  a
--| ---
--|  1
--| (1 row)
select l.* is null, count(l.*) from o3 l where false group by 1;
--|  ?column? | count
--| ----------+-------
--| (0 rows)
select 1 as "select", 2 as "all" from o3 "any", o3 "all" limit 0;
--|  select | all
--| --------+-----
--| (0 rows)
select a as desc, a as asc, a as using from o3 order by 1 desc limit 1;
--|  desc | asc | using
--| ------+-----+-------
--|     5 |   5 |     5
--| (1 row)
table o3 order by a asc limit 1;
--|  a
--| ---
--|  1
--| (1 row)
create schema identity;
--| CREATE SCHEMA
create schema if not exists strict create table clone (strict int, identity int primary key);
--| ERROR:  0A000: CREATE SCHEMA IF NOT EXISTS cannot include schema elements
select * from strict.clone;
--| ERROR:  42P01: relation "strict.clone" does not exist
select to_char(interval '1 day', 'DD'), current_date is null, current_timestamp(0) is null;
--|  to_char | ?column? | ?column?
--| ---------+----------+----------
--|  01      | f        | f
--| (1 row)
select x.max[1] from (select array[1] as max) x;
--|  max
--| -----
--|    1
--| (1 row)
select $$[1]{2}$$, '{"a": [1]}'::jsonb['a'][0], ('{"a": [1]}'::jsonb)['a'], '[1]'::jsonb -> 0;
--| ERROR:  42601: syntax error at or near "'a'"
select case when true then array[1] else array[2] end, array[1] || array[2], array[1] = any (array[array[1]]), not array[1] = array[2];
--| ERROR:  42883: operator does not exist: integer[] = integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select coalesce(array[1], array[2]), (array[1])[1] between 0 and 1, array(select 1), array[1] is null, exists (select array[1]);
--|  coalesce | ?column? | array | ?column? | exists
--| ----------+----------+-------+----------+--------
--|  {1}      | t        | {1}   | f        | t
--| (1 row)
prepare q (int[]) as select $1[1], ($1)[2];
--| PREPARE
execute q (array[4,5]);
--|  ?column? | ?column?
--| ----------+----------
--|         4 |        5
--| (1 row)
