-- Collations of what is made of columns: rows, what functions return row by row, names.
create table cr (id int, s text collate "sv-x-icu", c text collate "C", d text, a text[] collate "sv-x-icu", n name);
--| CREATE TABLE
insert into cr values (1,'b','b','b','{b,a}','b'), (2,'A','A','A','{A}','A'), (3,'ä','ä','ä','{ä,z}','ä'), (4,'z','z','z','{z}','z'), (5,null,null,null,null,null), (6,'Z','Z','Z','{Z,NULL}','Z'), (7,'a','a','a','{}','a');
--| INSERT 0 7
-- Each field of a row is compared in its own.
select row(s, id) as r from cr order by r;
--|    r
--| -------
--|  (a,7)
--|  (A,2)
--|  (b,1)
--|  (z,4)
--|  (Z,6)
--|  (ä,3)
--|  (,5)
--| (7 rows)
select row(c, id) as r from cr order by r desc;
--|    r
--| -------
--|  (,5)
--|  (ä,3)
--|  (z,4)
--|  (b,1)
--|  (a,7)
--|  (Z,6)
--|  (A,2)
--| (7 rows)
select r from (select row(s, c) as r from cr) q order by r;
--|    r
--| -------
--|  (a,a)
--|  (A,A)
--|  (b,b)
--|  (z,z)
--|  (Z,Z)
--|  (ä,ä)
--|  (,)
--| (7 rows)
select cr.s, cr.c from cr order by row(cr.d, 1), row(cr.s);
--|  s | c
--| ---+---
--|  A | A
--|  Z | Z
--|  a | a
--|  b | b
--|  z | z
--|  ä | ä
--|    |
--| (7 rows)
select q from (select s, id from cr) q order by q;
--|    q
--| -------
--|  (a,7)
--|  (A,2)
--|  (b,1)
--|  (z,4)
--|  (Z,6)
--|  (ä,3)
--|  (,5)
--| (7 rows)
select q from (select d, s from cr where id < 4) q order by row(1, q);
--|    q
--| -------
--|  (A,A)
--|  (b,b)
--|  (ä,ä)
--| (3 rows)
select (q).s from (select q from (select s, id from cr) q) p order by (q).s;
--|  s
--| ---
--|  a
--|  A
--|  b
--|  z
--|  Z
--|  ä
--|
--| (7 rows)
select array_agg(row(s, id) order by row(s, id) desc) from cr;
--|                         array_agg
--| ----------------------------------------------------------
--|  {"(,5)","(ä,3)","(Z,6)","(z,4)","(b,1)","(A,2)","(a,7)"}
--| (1 row)
select array[row(s, id)] as r from cr where id in (1, 2, 3, 7) order by r;
--|      r
--| -----------
--|  {"(a,7)"}
--|  {"(A,2)"}
--|  {"(b,1)"}
--|  {"(ä,3)"}
--| (4 rows)
select max(row(s, id)), min(row(s, id)), max(row(c, id)) from cr where id <> 5;
--|   max  |  min  |  max
--| -------+-------+-------
--|  (ä,3) | (a,7) | (ä,3)
--| (1 row)
select id, max(row(s, 1)) over (order by id) from cr where id < 5 order by id;
--|  id |  max
--| ----+-------
--|   1 | (b,1)
--|   2 | (b,1)
--|   3 | (ä,1)
--|   4 | (ä,1)
--| (4 rows)
select greatest(row(s, 1), row('b'::text collate "sv-x-icu", 2)) from cr order by id;
--|  greatest
--| ----------
--|  (b,2)
--|  (b,2)
--|  (ä,1)
--|  (z,1)
--|  (,1)
--|  (Z,1)
--|  (b,2)
--| (7 rows)
select id from cr where row(s, id) < row('ä'::text, 3) order by id;
--|  id
--| ----
--|   1
--|   2
--|   4
--|   6
--|   7
--| (5 rows)
select r < (select row(s, 1) from cr where id = 3) from (select id, row(s, 1) as r from cr) q order by id;
--|  ?column?
--| ----------
--|  t
--|  t
--|  f
--|  t
--|  f
--|  t
--|  t
--| (7 rows)
select r < (select row(c, 1) from cr where id = 3) from (select id, row(s, 1) as r from cr) q order by id;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select id, rank() over (order by row(s)) from cr order by id;
--|  id | rank
--| ----+------
--|   1 |    3
--|   2 |    2
--|   3 |    6
--|   4 |    4
--|   5 |    7
--|   6 |    5
--|   7 |    1
--| (7 rows)
with q as (select row(s, id) as r from cr) select r from q union all select row('å'::text collate "sv-x-icu", 0) order by 1;
--|    r
--| -------
--|  (a,7)
--|  (A,2)
--|  (b,1)
--|  (z,4)
--|  (Z,6)
--|  (å,0)
--|  (ä,3)
--|  (,5)
--| (8 rows)
select r from (values (row('ä'::text collate "sv-x-icu")), (row('z'::text collate "sv-x-icu"))) v(r) order by r;
--|   r
--| -----
--|  (z)
--|  (ä)
--| (2 rows)
select (select row(s, 1) from cr x where x.id = cr.id) as r from cr order by r;
--|    r
--| -------
--|  (a,1)
--|  (A,1)
--|  (b,1)
--|  (z,1)
--|  (Z,1)
--|  (ä,1)
--|  (,1)
--| (7 rows)
select case when id > 2 then row(s, 1) end as r from cr order by r, id;
--|    r
--| -------
--|  (a,1)
--|  (z,1)
--|  (Z,1)
--|  (ä,1)
--|  (,1)
--|
--|
--| (7 rows)
-- What functions return has the collation of what they are given.
select unnest(a) as u from cr order by u;
--|  u
--| ---
--|  a
--|  A
--|  b
--|  z
--|  z
--|  Z
--|  ä
--|
--| (8 rows)
select u from cr, unnest(a) as u order by u desc;
--|  u
--| ---
--|
--|  ä
--|  Z
--|  z
--|  z
--|  b
--|  A
--|  a
--| (8 rows)
select u, v from unnest(array['z','ä'] collate "sv-x-icu", array['z','ä'] collate "de-x-icu") as q(u, v) order by v;
--|  u | v
--| ---+---
--|  ä | ä
--|  z | z
--| (2 rows)
select u from unnest(array['z','ä'] collate "sv-x-icu", array['z','ä'] collate "de-x-icu") as q(u, v) order by u;
--|  u
--| ---
--|  z
--|  ä
--| (2 rows)
select u from rows from (unnest(array['z','ä'] collate "sv-x-icu"), generate_series(1, 2)) as q(u, v) order by u;
--|  u
--| ---
--|  z
--|  ä
--| (2 rows)
select regexp_split_to_table('z,ä,b' collate "sv-x-icu", ',') as u order by u;
--|  u
--| ---
--|  b
--|  z
--|  ä
--| (3 rows)
select u from string_to_table('z,ä,b' collate "sv-x-icu", ',') as u order by u;
--|  u
--| ---
--|  b
--|  z
--|  ä
--| (3 rows)
select m from regexp_matches('z ä b', '[a-zä]' collate "sv-x-icu", 'g') as m order by m;
--|   m
--| -----
--|  {b}
--|  {z}
--|  {ä}
--| (3 rows)
select max(u) from cr, unnest(a) as u;
--|  max
--| -----
--|  ä
--| (1 row)
select collation for (u), collation for (unnest(a)) from cr, unnest(a) as u limit 1;
--|  pg_collation_for | pg_collation_for
--| ------------------+------------------
--|  "sv-x-icu"       | "sv-x-icu"
--| (1 row)
select u from unnest(array['z','ä']) as u order by u;
--|  u
--| ---
--|  z
--|  ä
--| (2 rows)
-- Names: "C", unless something else is said.
select n from cr order by n;
--|  n
--| ---
--|  A
--|  Z
--|  a
--|  b
--|  z
--|  ä
--|
--| (7 rows)
select n from cr order by n collate "sv-x-icu";
--|  n
--| ---
--|  a
--|  A
--|  b
--|  z
--|  Z
--|  ä
--|
--| (7 rows)
select n from cr order by n::text collate "de-x-icu" desc;
--|  n
--| ---
--|
--|  Z
--|  z
--|  b
--|  ä
--|  A
--|  a
--| (7 rows)
select max(n collate "sv-x-icu"), min(n collate "sv-x-icu"), max(n), greatest(min(n) collate "sv-x-icu", 'ä'), array_sort(array_agg(n) collate "sv-x-icu") from cr;
--|  max | min | max | greatest |     array_sort
--| -----+-----+-----+----------+--------------------
--|  ä   | a   | ä   | ä        | {a,A,b,z,Z,ä,NULL}
--| (1 row)
select id from cr where n < 'b' collate "sv-x-icu" order by id;
--|  id
--| ----
--|   2
--|   7
--| (2 rows)
select id from cr where n < d collate "sv-x-icu" order by id;
--|  id
--| ----
--| (0 rows)
select relname from pg_class where relname in ('pg_class', 'cr') order by relname collate "de-x-icu" desc;
--|  relname
--| ----------
--|  pg_class
--|  cr
--| (2 rows)
select collation for (n), collation for (n::text), collation for ('a'::name), collation for (current_user), collation for (d::name), collation for (s::name), collation for (n || d) from cr limit 1;
--|  pg_collation_for | pg_collation_for | pg_collation_for | pg_collation_for | pg_collation_for | pg_collation_for | pg_collation_for
--| ------------------+------------------+------------------+------------------+------------------+------------------+------------------
--|  "C"              | "C"              | "C"              | "C"              | "default"        | "sv-x-icu"       | "C"
--| (1 row)
create table crn (a name collate "sv-x-icu", b name, unique (a));
--| CREATE TABLE
insert into crn select n, n from cr where n is not null;
--| INSERT 0 6
create index on crn (b collate "sv-x-icu" desc);
--| CREATE INDEX
select a from crn where a > 'Z' order by a;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select b from crn where b collate "sv-x-icu" > 'Z' order by b collate "sv-x-icu";
--|  b
--| ---
--|  ä
--| (1 row)
select b from crn where b > 'Z' order by b;
--|  b
--| ---
--|  a
--|  b
--|  z
--|  ä
--| (4 rows)
select min(a), max(b collate "sv-x-icu"), max(b) from crn;
--|  min | max | max
--| -----+-----+-----
--|  a   | ä   | ä
--| (1 row)
select a from crn where a = 'ä';
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select a < b from crn;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
