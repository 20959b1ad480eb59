-- Columns of composite types: keys, constraints, indexes, changes of fields, and what else tables and statements do with values.
create type pt as (x int, y int);
--| CREATE TYPE
create type seg as (a pt, b pt);
--| CREATE TYPE
create table s (id pt primary key, v seg unique, n int check ((v).a.x > 0), g int generated always as ((v).a.x * 2) stored);
--| CREATE TABLE
insert into s(id, v, n) values (row(1,2), row(row(1,1),row(2,2)), 1), ('(2,3)', '("(5,5)","(6,6)")', 2);
--| INSERT 0 2
insert into s(id, v, n) values (row(1,2), null, 1);
--| ERROR:  23505: duplicate key value violates unique constraint "s_pkey"
--| DETAIL:  Key (id)=((1,2)) already exists.
insert into s(id, v, n) values (row(1,3), row(row(1,1),row(2,2)), 1);
--| ERROR:  23505: duplicate key value violates unique constraint "s_v_key"
--| DETAIL:  Key (v)=(("(1,1)","(2,2)")) already exists.
insert into s(id, v, n) values (row(1,3), row(row(-1,1),row(2,2)), 1);
--| ERROR:  23514: new row for relation "s" violates check constraint "s_v_check"
--| DETAIL:  Failing row contains ((1,3), ("(-1,1)","(2,2)"), 1, -2).
insert into s(id, v, n) values (row(1,2), null, 9) on conflict (id) do update set v.a.x = 77, n = excluded.n, v.b = excluded.id returning *;
--|   id   |         v          | n |  g
--| -------+--------------------+---+-----
--|  (1,2) | ("(77,1)","(1,2)") | 9 | 154
--| (1 row)
--| INSERT 0 1
select * from s order by id;
--|   id   |         v          | n |  g
--| -------+--------------------+---+-----
--|  (1,2) | ("(77,1)","(1,2)") | 9 | 154
--|  (2,3) | ("(5,5)","(6,6)")  | 2 |  10
--| (2 rows)
select id, g, h from s where id > row(1,2)::pt order by id;
--| ERROR:  42703: column "h" does not exist
select * from s where id = '(2,3)';
--| ERROR:  0A000: input of anonymous composite types is not implemented
select * from s where id in (row(2,3)::pt, '(9,9)');
--|   id   |         v         | n | g
--| -------+-------------------+---+----
--|  (2,3) | ("(5,5)","(6,6)") | 2 | 10
--| (1 row)
select a.id, b.n from s a join s b on a.id = b.id order by 1;
--|   id   | n
--| -------+---
--|  (1,2) | 9
--|  (2,3) | 2
--| (2 rows)
select a.id, b.n from s a join s b on (a.v).a = (b.v).a order by 1;
--|   id   | n
--| -------+---
--|  (1,2) | 9
--|  (2,3) | 2
--| (2 rows)
select distinct (v).a from s order by 1;
--|    a
--| --------
--|  (5,5)
--|  (77,1)
--| (2 rows)
create table f (r pt references s(id));
--| CREATE TABLE
insert into f values ('(2,3)');
--| INSERT 0 1
insert into f values ('(2,4)');
--| ERROR:  23503: insert or update on table "f" violates foreign key constraint "f_r_fkey"
--| DETAIL:  Key (r)=((2,4)) is not present in table "s".
delete from s where id = '(2,3)';
--| ERROR:  0A000: input of anonymous composite types is not implemented
alter table f add column q pt default row(7,8);
--| ALTER TABLE
select * from f;
--|    r   |   q
--| -------+-------
--|  (2,3) | (7,8)
--| (1 row)
create table w (id int, t text);
--| CREATE TABLE
insert into w values (1, '(3,4)');
--| INSERT 0 1
alter table w alter column t type pt using t::pt;
--| ALTER TABLE
alter table w alter column t type text;
--| ALTER TABLE
select * from w;
--|  id |   t
--| ----+-------
--|   1 | (3,4)
--| (1 row)
alter table w add column z pt[];
--| ALTER TABLE
select null::pt is distinct from row(null,null)::pt, row(null,null)::pt is null, (null::pt).x;
--|  ?column? | ?column? | x
--| ----------+----------+---
--|  t        | t        |
--| (1 row)
select row(1,2)::pt = row(1,2)::pt, row(1,2)::pt < row(1,3)::pt, row(1,2)::pt = row(1,2), row(1,2)::pt <> (1,3);
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | t        | t        | t
--| (1 row)
select pt(1,2);
--| ERROR:  42883: function pt(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select (1,2)::pt::text::pt::text;
--|   row
--| -------
--|  (1,2)
--| (1 row)
select ((1,2)::pt).*, 5 as z;
--|  x | y | z
--| ---+---+---
--|  1 | 2 | 5
--| (1 row)
select ((a).b).y from (select v as a from s) q order by 1;
--|  y
--| ---
--|  2
--|  6
--| (2 rows)
select q.*, (q.v).a.* from s q order by id;
--|   id   |         v          | n |  g  | x  | y
--| -------+--------------------+---+-----+----+---
--|  (1,2) | ("(77,1)","(1,2)") | 9 | 154 | 77 | 1
--|  (2,3) | ("(5,5)","(6,6)")  | 2 |  10 |  5 | 5
--| (2 rows)
select row(q.*) from s q order by id;
--|                    row
--| ------------------------------------------
--|  ("(1,2)","(""(77,1)"",""(1,2)"")",9,154)
--|  ("(2,3)","(""(5,5)"",""(6,6)"")",2,10)
--| (2 rows)
select q from s q order by id;
--|                     q
--| ------------------------------------------
--|  ("(1,2)","(""(77,1)"",""(1,2)"")",9,154)
--|  ("(2,3)","(""(5,5)"",""(6,6)"")",2,10)
--| (2 rows)
select (q).id, ((q).v).b.y from s q order by 1;
--|   id   | y
--| -------+---
--|  (1,2) | 2
--|  (2,3) | 6
--| (2 rows)
with r as (select v from s) select (v).a from r order by 1;
--|    a
--| --------
--|  (5,5)
--|  (77,1)
--| (2 rows)
select json_agg(q order by q.id) from s q;
--|                                      json_agg
--| ----------------------------------------------------------------------------------
--|  [{"id":{"x":1,"y":2},"v":{"a":{"x":77,"y":1},"b":{"x":1,"y":2}},"n":9,"g":154}, +
--|   {"id":{"x":2,"y":3},"v":{"a":{"x":5,"y":5},"b":{"x":6,"y":6}},"n":2,"g":10}]
--| (1 row)
select array_agg(id order by id) from s;
--|      array_agg
--| -------------------
--|  {"(1,2)","(2,3)"}
--| (1 row)
select id, row_number() over (partition by (v).a order by id) from s order by id;
--|   id   | row_number
--| -------+------------
--|  (1,2) |          1
--|  (2,3) |          1
--| (2 rows)
copy (select id, v from s order by id) to stdout;
--| (1,2)	("(77,1)","(1,2)")
--| (2,3)	("(5,5)","(6,6)")
copy (select id, v from s order by id) to stdout csv;
--| "(1,2)","(""(77,1)"",""(1,2)"")"
--| "(2,3)","(""(5,5)"",""(6,6)"")"
explain (costs off) select * from s where id = row(2,3)::pt;
--|             QUERY PLAN
--| ----------------------------------
--|  Index Scan using s_pkey on s
--|    Index Cond: (id = '(2,3)'::pt)
--| (2 rows)
explain (costs off) select (v).a.x from s where (v).a.x > 5;
--|        QUERY PLAN
--| -------------------------
--|  Seq Scan on s
--|    Filter: ((v).a.x > 5)
--| (2 rows)
prepare pp(pt) as select $1, ($1).x + 1;
--| PREPARE
execute pp('(4,5)');
--|  ?column? | ?column?
--| ----------+----------
--|  (4,5)    |        5
--| (1 row)
execute pp(row(4,5));
--|  ?column? | ?column?
--| ----------+----------
--|  (4,5)    |        5
--| (1 row)
select udt_name, attribute_name, ordinal_position, data_type, attribute_udt_name from information_schema.attributes order by 1, 3;
--|  udt_name | attribute_name | ordinal_position |  data_type   | attribute_udt_name
--| ----------+----------------+------------------+--------------+--------------------
--|  pt       | x              |                1 | integer      | int4
--|  pt       | y              |                2 | integer      | int4
--|  seg      | a              |                1 | USER-DEFINED | pt
--|  seg      | b              |                2 | USER-DEFINED | pt
--| (4 rows)
select user_defined_type_name, user_defined_type_category from information_schema.user_defined_types order by 1;
--|  user_defined_type_name | user_defined_type_category
--| ------------------------+----------------------------
--|  pt                     | STRUCTURED
--|  seg                    | STRUCTURED
--| (2 rows)
select column_name, data_type, udt_name from information_schema.columns where table_name = 's' order by ordinal_position;
--|  column_name |  data_type   | udt_name
--| -------------+--------------+----------
--|  id          | USER-DEFINED | pt
--|  v           | USER-DEFINED | seg
--|  n           | integer      | int4
--|  g           | integer      | int4
--| (4 rows)
grant usage on type pt to public;
--| GRANT
drop table f;
--| DROP TABLE
drop table s;
--| DROP TABLE
select has_type_privilege('seg', 'usage');
--|  has_type_privilege
--| --------------------
--|  t
--| (1 row)
create table big as select g as id, row(g, g % 7)::pt as p from generate_series(1, 2000) g;
--| SELECT 2000
select (p).y, count(*) from big group by 1 order by 1;
--|  y | count
--| ---+-------
--|  0 |   285
--|  1 |   286
--|  2 |   286
--|  3 |   286
--|  4 |   286
--|  5 |   286
--|  6 |   285
--| (7 rows)
select count(*) from big a join big b on a.p = b.p;
--|  count
--| -------
--|   2000
--| (1 row)
create index on big ((p));
--| CREATE INDEX
create index on big (((p).x));
--| CREATE INDEX
analyze big;
--| ANALYZE
explain (costs off) select * from big where (p).x = 5;
--|             QUERY PLAN
--| -----------------------------------
--|  Index Scan using big_x_idx on big
--|    Index Cond: ((p).x = 5)
--| (2 rows)
select * from big where (p).x = 5;
--|  id |   p
--| ----+-------
--|   5 | (5,5)
--| (1 row)
insert into big select 1, (select p from big where id = 3);
--| INSERT 0 1
select id, p from big where p = (select p from big where id = 3 limit 1) order by id;
--|  id |   p
--| ----+-------
--|   1 | (3,3)
--|   3 | (3,3)
--| (2 rows)
update big set p.y = (p).y + 10 where id <= 3;
--| UPDATE 4
select id, p from big where id <= 3 order by id;
--|  id |   p
--| ----+--------
--|   1 | (1,11)
--|   1 | (3,13)
--|   2 | (2,12)
--|   3 | (3,13)
--| (4 rows)
merge into big t using (values (1, 9), (5000, 1)) v(id, x) on t.id = v.id when matched then update set p.x = v.x when not matched then insert values (v.id, row(v.x, 0));
--| MERGE 3
select id, p from big where id in (1, 5000) order by id, p;
--|   id  |   p
--| ------+--------
--|     1 | (9,11)
--|     1 | (9,13)
--|  5000 | (1,0)
--| (3 rows)
create view bv as select id, p from big;
--| CREATE VIEW
update bv set p.x = 100 where id = 2;
--| UPDATE 1
insert into bv values (6000, '(1,1)');
--| INSERT 0 1
select * from bv where id in (2, 6000) order by 1;
--|   id  |    p
--| ------+----------
--|     2 | (100,12)
--|  6000 | (1,1)
--| (2 rows)
insert into big (id, p.x) values (7000, 5);
--| INSERT 0 1
insert into big (p.x, p.y) values (1, 2);
--| INSERT 0 1
select * from big where id = 7000 or id is null;
--|   id  |   p
--| ------+-------
--|  7000 | (5,)
--|       | (1,2)
--| (2 rows)
select '(1,2)'::record;
--| ERROR:  0A000: input of anonymous composite types is not implemented
select row('a'), row('a', null), row(1.5, true);
--|  row | row  |   row
--| -----+------+---------
--|  (a) | (a,) | (1.5,t)
--| (1 row)
create type deep as (a seg[], b numeric(5,1)[]);
--| CREATE TYPE
select '("{""(\\""(1,2)\\"",\\""(3,4)\\"")""}","{1.25,2}")'::deep;
--|                         deep
--| -----------------------------------------------------
--|  ("{""(\\""(1,2)\\"",\\""(3,4)\\"")""}","{1.3,2.0}")
--| (1 row)
select row(array[row(row(1,2),row(3,4))::seg], '{1.25}')::deep;
--|                       row
--| -----------------------------------------------
--|  ("{""(\\""(1,2)\\"",\\""(3,4)\\"")""}",{1.3})
--| (1 row)
select (row(array[row(row(1,2),row(3,4))::seg], '{1.25}')::deep).a[1].b.y;
--|  y
--| ---
--|  4
--| (1 row)
-- A row that a query gives has no type that it could become; DEFAULT stands in VALUES only.
create type point3 as (x int, y numeric(6, 2), label varchar(8));
--| CREATE TYPE
create table ways3 (id int, p point3);
--| CREATE TABLE
insert into ways3 (id, p) select g, row(g, g * 1.5, 'l' || g) from generate_series(1, 3) g;
--| ERROR:  42846: cannot cast type record to point3
insert into ways3 (id, p) select g, row(g, g * 1.5, 'l' || g)::point3 from generate_series(1, 3) g;
--| INSERT 0 3
insert into ways3 (id, p) select default, null;
--| ERROR:  42601: DEFAULT is not allowed in this context
select default;
--| ERROR:  42601: DEFAULT is not allowed in this context
