-- Inverted indexes (GIN) of jsonb and of arrays.

create table d (id int primary key, doc jsonb, tags text[], nums int[]);
--| CREATE TABLE
insert into d select g, jsonb_build_object('n', g % 10, 'name', 'name' || g % 50, 'list', jsonb_build_array(g, 'e' || g % 3, null, true), 'in', jsonb_build_object('k', g % 7)),
  array['t' || g % 20, 't' || g % 7], array[g % 10, g % 11, g % 13] from generate_series(1, 1000) g;
--| INSERT 0 1000
insert into d values (2001, '{}', '{}', '{}'), (2002, '[]', '{null}', '{null}'), (2003, '"text"', null, null), (2004, '7.0', '{a,null}', '{1,null}'),
  (2005, null, '{a}', '{1}'), (2006, '["text", 7, {"a": {"b": []}}]', '{b}', '{2,2}'), (2007, 'null', '{}', '{}'), (2008, '{"text": 1}', '{}', '{}');
--| INSERT 0 8
create index d_doc on d using gin (doc);
--| CREATE INDEX
create index d_path on d using gin (doc jsonb_path_ops);
--| CREATE INDEX
create index d_tags on d using gin (tags);
--| CREATE INDEX
create index d_both on d using gin (nums, tags array_ops) with (fastupdate = off);
--| CREATE INDEX
create index d_in on d using gin ((doc -> 'in'));
--| CREATE INDEX
create index d_part on d using gin (tags) where id > 500;
--| CREATE INDEX
analyze d;
--| ANALYZE
explain (costs off) select id from d where doc @> '{"n": 3, "name": "name3"}';
--|                            QUERY PLAN
--| -----------------------------------------------------------------
--|  Bitmap Heap Scan on d
--|    Filter: (doc @> '{"n": 3, "name": "name3"}'::jsonb)
--|    ->  Bitmap Index Scan on d_path
--|          Index Cond: (doc @> '{"n": 3, "name": "name3"}'::jsonb)
--| (4 rows)
explain (costs off) select id from d where doc ? 'text';
--|                 QUERY PLAN
--| ------------------------------------------
--|  Bitmap Heap Scan on d
--|    Filter: (doc ? 'text'::text)
--|    ->  Bitmap Index Scan on d_doc
--|          Index Cond: (doc ? 'text'::text)
--| (4 rows)
explain (costs off) select id from d where tags && '{t19}' and nums @> '{3}';
--|                                    QUERY PLAN
--| --------------------------------------------------------------------------------
--|  Bitmap Heap Scan on d
--|    Filter: ((tags && '{t19}'::text[]) AND (nums @> '{3}'::integer[]))
--|    ->  Bitmap Index Scan on d_both
--|          Index Cond: ((tags && '{t19}'::text[]) AND (nums @> '{3}'::integer[]))
--| (4 rows)
explain (costs off) select id from d where doc -> 'in' @> '{"k": 3}';
--|                            QUERY PLAN
--| ----------------------------------------------------------------
--|  Bitmap Heap Scan on d
--|    Filter: ((doc -> 'in'::text) @> '{"k": 3}'::jsonb)
--|    ->  Bitmap Index Scan on d_in
--|          Index Cond: ((doc -> 'in'::text) @> '{"k": 3}'::jsonb)
--| (4 rows)
explain (costs off) select id from d where doc = '{}';
--|           QUERY PLAN
--| -------------------------------
--|  Seq Scan on d
--|    Filter: (doc = '{}'::jsonb)
--| (2 rows)
select count(*), min(id), max(id) from d where doc @> '{"n": 3, "name": "name3"}';
--|  count | min | max
--| -------+-----+-----
--|     20 |   3 | 953
--| (1 row)
select count(*) from d where doc @> '{"n": 3.0}';
--|  count
--| -------
--|    100
--| (1 row)
select count(*) from d where '{"n": 3, "name": "name3"}' <@ doc;
--|  count
--| -------
--|     20
--| (1 row)
select id from d where doc @> '{"list": [17]}';
--|  id
--| ----
--|  17
--| (1 row)
select count(*) from d where doc @> '{"list": ["e1", null]}';
--|  count
--| -------
--|    334
--| (1 row)
select count(*) from d where doc @> '{}';
--|  count
--| -------
--|   1002
--| (1 row)
select id from d where doc @> '[]';
--|   id
--| ------
--|  2002
--|  2006
--| (2 rows)
select id from d where doc @> '"text"';
--|   id
--| ------
--|  2003
--|  2006
--| (2 rows)
select id from d where doc @> '["text"]';
--|   id
--| ------
--|  2006
--| (1 row)
select id from d where doc @> '7';
--|   id
--| ------
--|  2004
--|  2006
--| (2 rows)
select id from d where doc @> '[7.00]';
--|   id
--| ------
--|  2006
--| (1 row)
select id from d where doc @> 'null';
--|   id
--| ------
--|  2007
--| (1 row)
select id from d where doc @> '[{"a": {}}]';
--|   id
--| ------
--|  2006
--| (1 row)
select id from d where doc ? 'text' order by id;
--|   id
--| ------
--|  2003
--|  2006
--|  2008
--| (3 rows)
select count(*) from d where doc ?| array['text', 'name'];
--|  count
--| -------
--|   1003
--| (1 row)
select count(*) from d where doc ?& array['n', 'name'];
--|  count
--| -------
--|   1000
--| (1 row)
select count(*) from d where doc ?& array[]::text[];
--|  count
--| -------
--|   1007
--| (1 row)
select count(*) from d where doc ?| array[]::text[];
--|  count
--| -------
--|      0
--| (1 row)
select id from d where doc ?| array['text', null] order by id;
--|   id
--| ------
--|  2003
--|  2006
--|  2008
--| (3 rows)
select count(*) from d where doc -> 'in' @> '{"k": 3}';
--|  count
--| -------
--|    143
--| (1 row)
select count(*) from d where doc @> null;
--|  count
--| -------
--|      0
--| (1 row)
select id from d where tags @> '{t19,t3}' order by id limit 5;
--|  id
--| -----
--|   59
--|  199
--|  339
--|  479
--|  619
--| (5 rows)
select count(*) from d where tags @> '{}';
--|  count
--| -------
--|   1007
--| (1 row)
select count(*) from d where tags @> '{null}';
--|  count
--| -------
--|      0
--| (1 row)
select id from d where tags <@ '{a,b}' order by id;
--|   id
--| ------
--|  2001
--|  2005
--|  2006
--|  2007
--|  2008
--| (5 rows)
select id from d where tags = '{}' order by id;
--|   id
--| ------
--|  2001
--|  2007
--|  2008
--| (3 rows)
select id from d where tags = '{a,NULL}';
--|   id
--| ------
--|  2004
--| (1 row)
select id from d where tags = '{NULL}';
--|   id
--| ------
--|  2002
--| (1 row)
select id from d where '{b}' = tags;
--|   id
--| ------
--|  2006
--| (1 row)
select id from d where '{a,c}' && tags order by id;
--|   id
--| ------
--|  2004
--|  2005
--| (2 rows)
select count(*) from d where tags && '{}';
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from d where tags && '{t1,t2}' and nums @> '{3}';
--|  count
--| -------
--|     81
--| (1 row)
select id from d where nums <@ '{1,2}' order by id;
--|   id
--| ------
--|     1
--|     2
--|   222
--|   431
--|   651
--|   782
--|  2001
--|  2005
--|  2006
--|  2007
--|  2008
--| (11 rows)
select id from d where nums = '{2,2}';
--|   id
--| ------
--|  2006
--| (1 row)
select id from d where tags @> '{t5}' and id > 980 order by id;
--|  id
--| -----
--|  985
--|  992
--|  999
--| (3 rows)
select count(*) from d join (values ('t1'), ('t3')) v (t) on d.tags @> array[v.t];
--|  count
--| -------
--|    370
--| (1 row)
prepare p (jsonb) as select count(*) from d where doc @> $1;
--| PREPARE
execute p ('{"n": 1}');
--|  count
--| -------
--|    100
--| (1 row)
execute p ('{}');
--|  count
--| -------
--|   1002
--| (1 row)
execute p (null);
--|  count
--| -------
--|      0
--| (1 row)

-- Entries follow the rows.
update d set doc = doc || '{"new": "value"}' where id in (5, 6);
--| UPDATE 2
select id from d where doc @> '{"new": "value"}' order by id;
--|  id
--| ----
--|   5
--|   6
--| (2 rows)
select id from d where doc ? 'new' and id = 5;
--|  id
--| ----
--|   5
--| (1 row)
update d set tags = tags || 'added'::text, nums = null where id = 7;
--| UPDATE 1
select id, tags from d where tags @> '{added}';
--|  id |     tags
--| ----+---------------
--|   7 | {t7,t0,added}
--| (1 row)
select id from d where nums @> '{7}' and id < 20 order by id;
--|  id
--| ----
--|  17
--|  18
--| (2 rows)
delete from d where tags @> '{added}';
--| DELETE 1
select count(*) from d where tags @> '{added}';
--|  count
--| -------
--|      0
--| (1 row)
insert into d values (3000, '{"n": 3}', '{x,x,y}', '{}') on conflict (id) do nothing;
--| INSERT 0 1
insert into d values (3000, '{"n": 4}', '{z}', '{}') on conflict (id) do update set doc = excluded.doc, tags = excluded.tags;
--| INSERT 0 1
select id from d where tags && '{x,z}' and doc @> '{"n": 4}';
--|   id
--| ------
--|  3000
--| (1 row)
insert into d select g, jsonb_build_object('long', repeat('x', 300) || g), array[g::text], null from generate_series(4000, 4600) g;
--| INSERT 0 601
select id from d where doc @> jsonb_build_object('long', repeat('x', 300) || 4400);
--|   id
--| ------
--|  4400
--| (1 row)
select id from d where tags @> '{4500}';
--|   id
--| ------
--|  4500
--| (1 row)
reindex table d;
--| REINDEX
select id from d where tags @> '{4500}';
--|   id
--| ------
--|  4500
--| (1 row)

-- What is shown, what is refused.
select indexdef from pg_indexes where tablename = 'd' order by 1;
--|                                    indexdef
--| ------------------------------------------------------------------------------
--|  CREATE INDEX d_both ON public.d USING gin (nums, tags) WITH (fastupdate=off)
--|  CREATE INDEX d_doc ON public.d USING gin (doc)
--|  CREATE INDEX d_in ON public.d USING gin (((doc -> 'in'::text)))
--|  CREATE INDEX d_part ON public.d USING gin (tags) WHERE (id > 500)
--|  CREATE INDEX d_path ON public.d USING gin (doc jsonb_path_ops)
--|  CREATE INDEX d_tags ON public.d USING gin (tags)
--|  CREATE UNIQUE INDEX d_pkey ON public.d USING btree (id)
--| (7 rows)
select c.relname, a.amname, c.reloptions, o.opcname from pg_class c join pg_am a on a.oid = c.relam join pg_index i on i.indexrelid = c.oid
join pg_opclass o on o.oid = i.indclass[0] where i.indrelid = 'd'::regclass order by 1;
--|  relname | amname |    reloptions    |    opcname
--| ---------+--------+------------------+----------------
--|  d_both  | gin    | {fastupdate=off} | array_ops
--|  d_doc   | gin    |                  | jsonb_ops
--|  d_in    | gin    |                  | jsonb_ops
--|  d_part  | gin    |                  | array_ops
--|  d_path  | gin    |                  | jsonb_path_ops
--|  d_pkey  | btree  |                  | int4_ops
--|  d_tags  | gin    |                  | array_ops
--| (7 rows)
create unique index on d using gin (doc);
--| ERROR:  0A000: access method "gin" does not support unique indexes
create index on d using gin (id);
--| ERROR:  42704: data type integer has no default operator class for access method "gin"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
create index on d using gin (doc) include (id);
--| ERROR:  0A000: access method "gin" does not support included columns
create index on d using gin (doc desc);
--| ERROR:  0A000: access method "gin" does not support ASC/DESC options
create index on d using gin (tags gin_trgm_ops);
--| ERROR:  42704: operator class "gin_trgm_ops" does not exist for access method "gin"
create index on d using gin (tags jsonb_path_ops);
--| ERROR:  42804: operator class "jsonb_path_ops" does not accept data type text[]
create index on d using gin (doc) with (fillfactor = 50);
--| ERROR:  22023: unrecognized parameter "fillfactor"
create index on d (doc jsonb_path_ops);
--| ERROR:  42704: operator class "jsonb_path_ops" does not exist for access method "btree"

-- Paths.
create table pj (id int primary key, j jsonb);
--| CREATE TABLE
insert into pj select g, jsonb_build_object('a', jsonb_build_object('b', g % 50, 's', 'x' || g % 40), 'l', jsonb_build_array(g % 30, 'e' || g % 20)) from generate_series(1, 600) g;
--| INSERT 0 600
insert into pj values (1001, '[{"a": {"b": 7}}]'), (1002, '{"a": [{"b": [7, 8]}]}'), (1003, '"x1"'), (1004, '{"a": {"b": "7"}}'), (1005, null), (1006, '{"a": {"b": null}}'), (1007, '{"b": {"a": 7}}'), (1008, '["x1", {"s": "x1"}]');
--| INSERT 0 8
create table pi as select * from pj;
--| SELECT 608
create index pi_ops on pi using gin (j);
--| CREATE INDEX
create table pp as select * from pj;
--| SELECT 608
create index pp_ops on pp using gin (j jsonb_path_ops);
--| CREATE INDEX
analyze pi;
--| ANALYZE
analyze pp;
--| ANALYZE
select count(*), min(id), max(id) from pj where j @? '$.a.b ? (@ == 7)';
--|  count | min | max
--| -------+-----+------
--|     14 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pi where j @? '$.a.b ? (@ == 7)';
--|  count | min | max
--| -------+-----+------
--|     14 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pp where j @? '$.a.b ? (@ == 7)';
--|  count | min | max
--| -------+-----+------
--|     14 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pj where j @? '$.a.b';
--|  count | min | max
--| -------+-----+------
--|    604 |   1 | 1006
--| (1 row)
select count(*), min(id), max(id) from pi where j @? '$.a.b';
--|  count | min | max
--| -------+-----+------
--|    604 |   1 | 1006
--| (1 row)
select count(*), min(id), max(id) from pp where j @? '$.a.b';
--|  count | min | max
--| -------+-----+------
--|    604 |   1 | 1006
--| (1 row)
select count(*), min(id), max(id) from pj where j @@ '$.a.b == 7';
--|  count | min | max
--| -------+-----+------
--|     14 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pi where j @@ '$.a.b == 7';
--|  count | min | max
--| -------+-----+------
--|     14 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pp where j @@ '$.a.b == 7';
--|  count | min | max
--| -------+-----+------
--|     14 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pj where j @@ '7.0 == $.a.b';
--|  count | min | max
--| -------+-----+------
--|     14 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pi where j @@ '7.0 == $.a.b';
--|  count | min | max
--| -------+-----+------
--|     14 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pp where j @@ '7.0 == $.a.b';
--|  count | min | max
--| -------+-----+------
--|     14 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pj where j @@ '$.a.b == 7 && $.l[*] == "e7"';
--|  count | min | max
--| -------+-----+-----
--|      6 |   7 | 507
--| (1 row)
select count(*), min(id), max(id) from pi where j @@ '$.a.b == 7 && $.l[*] == "e7"';
--|  count | min | max
--| -------+-----+-----
--|      6 |   7 | 507
--| (1 row)
select count(*), min(id), max(id) from pp where j @@ '$.a.b == 7 && $.l[*] == "e7"';
--|  count | min | max
--| -------+-----+-----
--|      6 |   7 | 507
--| (1 row)
select count(*), min(id), max(id) from pj where j @@ '$.a.b == 7 || $.l[*] == "e3"';
--|  count | min | max
--| -------+-----+------
--|     44 |   3 | 1002
--| (1 row)
select count(*), min(id), max(id) from pi where j @@ '$.a.b == 7 || $.l[*] == "e3"';
--|  count | min | max
--| -------+-----+------
--|     44 |   3 | 1002
--| (1 row)
select count(*), min(id), max(id) from pp where j @@ '$.a.b == 7 || $.l[*] == "e3"';
--|  count | min | max
--| -------+-----+------
--|     44 |   3 | 1002
--| (1 row)
select count(*), min(id), max(id) from pj where j @? '$ ? (@.a.b == 7 && @.l[*] == "e7")';
--|  count | min | max
--| -------+-----+-----
--|      6 |   7 | 507
--| (1 row)
select count(*), min(id), max(id) from pi where j @? '$ ? (@.a.b == 7 && @.l[*] == "e7")';
--|  count | min | max
--| -------+-----+-----
--|      6 |   7 | 507
--| (1 row)
select count(*), min(id), max(id) from pp where j @? '$ ? (@.a.b == 7 && @.l[*] == "e7")';
--|  count | min | max
--| -------+-----+-----
--|      6 |   7 | 507
--| (1 row)
select count(*), min(id), max(id) from pj where j @? '$.a ? (@.s == "x1" || @.b == 8)';
--|  count | min | max
--| -------+-----+------
--|     28 |   1 | 1002
--| (1 row)
select count(*), min(id), max(id) from pi where j @? '$.a ? (@.s == "x1" || @.b == 8)';
--|  count | min | max
--| -------+-----+------
--|     28 |   1 | 1002
--| (1 row)
select count(*), min(id), max(id) from pp where j @? '$.a ? (@.s == "x1" || @.b == 8)';
--|  count | min | max
--| -------+-----+------
--|     28 |   1 | 1002
--| (1 row)
select count(*), min(id), max(id) from pj where j @? 'strict $.a ? (@.b == 7)';
--|  count | min | max
--| -------+-----+-----
--|     12 |   7 | 557
--| (1 row)
select count(*), min(id), max(id) from pi where j @? 'strict $.a ? (@.b == 7)';
--|  count | min | max
--| -------+-----+-----
--|     12 |   7 | 557
--| (1 row)
select count(*), min(id), max(id) from pp where j @? 'strict $.a ? (@.b == 7)';
--|  count | min | max
--| -------+-----+-----
--|     12 |   7 | 557
--| (1 row)
select count(*), min(id), max(id) from pj where j @@ 'exists($.a ? (@.b == null))';
--|  count | min  | max
--| -------+------+------
--|      1 | 1006 | 1006
--| (1 row)
select count(*), min(id), max(id) from pi where j @@ 'exists($.a ? (@.b == null))';
--|  count | min  | max
--| -------+------+------
--|      1 | 1006 | 1006
--| (1 row)
select count(*), min(id), max(id) from pp where j @@ 'exists($.a ? (@.b == null))';
--|  count | min  | max
--| -------+------+------
--|      1 | 1006 | 1006
--| (1 row)
select count(*), min(id), max(id) from pj where j @? '$.*.b ? (@ == 7)';
--|  count | min | max
--| -------+-----+------
--|     14 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pi where j @? '$.*.b ? (@ == 7)';
--|  count | min | max
--| -------+-----+------
--|     14 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pp where j @? '$.*.b ? (@ == 7)';
--|  count | min | max
--| -------+-----+------
--|     14 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pj where j @? '$.** ? (@ == "x1")';
--|  count | min | max
--| -------+-----+------
--|     17 |   1 | 1008
--| (1 row)
select count(*), min(id), max(id) from pi where j @? '$.** ? (@ == "x1")';
--|  count | min | max
--| -------+-----+------
--|     17 |   1 | 1008
--| (1 row)
select count(*), min(id), max(id) from pp where j @? '$.** ? (@ == "x1")';
--|  count | min | max
--| -------+-----+------
--|     17 |   1 | 1008
--| (1 row)
select count(*), min(id), max(id) from pj where j @@ '$ == "x1"';
--|  count | min  | max
--| -------+------+------
--|      2 | 1003 | 1008
--| (1 row)
select count(*), min(id), max(id) from pi where j @@ '$ == "x1"';
--|  count | min  | max
--| -------+------+------
--|      2 | 1003 | 1008
--| (1 row)
select count(*), min(id), max(id) from pp where j @@ '$ == "x1"';
--|  count | min  | max
--| -------+------+------
--|      2 | 1003 | 1008
--| (1 row)
select count(*), min(id), max(id) from pj where j @@ '!($.a.b == 7) && $.a.s == "x7"';
--|  count | min | max
--| -------+-----+-----
--|     12 |  47 | 567
--| (1 row)
select count(*), min(id), max(id) from pi where j @@ '!($.a.b == 7) && $.a.s == "x7"';
--|  count | min | max
--| -------+-----+-----
--|     12 |  47 | 567
--| (1 row)
select count(*), min(id), max(id) from pp where j @@ '!($.a.b == 7) && $.a.s == "x7"';
--|  count | min | max
--| -------+-----+-----
--|     12 |  47 | 567
--| (1 row)
select count(*), min(id), max(id) from pj where j @@ '$.a.b > 47';
--|  count | min | max
--| -------+-----+-----
--|     24 |  48 | 599
--| (1 row)
select count(*), min(id), max(id) from pi where j @@ '$.a.b > 47';
--|  count | min | max
--| -------+-----+-----
--|     24 |  48 | 599
--| (1 row)
select count(*), min(id), max(id) from pp where j @@ '$.a.b > 47';
--|  count | min | max
--| -------+-----+-----
--|     24 |  48 | 599
--| (1 row)
select count(*), min(id), max(id) from pj where j @? '$.a.b.size() ? (@ == 2)';
--|  count | min  | max
--| -------+------+------
--|      1 | 1002 | 1002
--| (1 row)
select count(*), min(id), max(id) from pi where j @? '$.a.b.size() ? (@ == 2)';
--|  count | min  | max
--| -------+------+------
--|      1 | 1002 | 1002
--| (1 row)
select count(*), min(id), max(id) from pp where j @? '$.a.b.size() ? (@ == 2)';
--|  count | min  | max
--| -------+------+------
--|      1 | 1002 | 1002
--| (1 row)
select count(*), min(id), max(id) from pj where j @@ '$.a.b == 7 || $.a.b > 48';
--|  count | min | max
--| -------+-----+------
--|     26 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pi where j @@ '$.a.b == 7 || $.a.b > 48';
--|  count | min | max
--| -------+-----+------
--|     26 |   7 | 1002
--| (1 row)
select count(*), min(id), max(id) from pp where j @@ '$.a.b == 7 || $.a.b > 48';
--|  count | min | max
--| -------+-----+------
--|     26 |   7 | 1002
--| (1 row)
explain (costs off) select id from pi where j @? '$.a.b ? (@ == 7)';
--|                         QUERY PLAN
--| -----------------------------------------------------------
--|  Bitmap Heap Scan on pi
--|    Filter: (j @? '$."a"."b"?(@ == 7)'::jsonpath)
--|    ->  Bitmap Index Scan on pi_ops
--|          Index Cond: (j @? '$."a"."b"?(@ == 7)'::jsonpath)
--| (4 rows)
explain (costs off) select id from pi where j @? '$.a.b';
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Bitmap Heap Scan on pi
--|    Filter: (j @? '$."a"."b"'::jsonpath)
--|    ->  Bitmap Index Scan on pi_ops
--|          Index Cond: (j @? '$."a"."b"'::jsonpath)
--| (4 rows)
explain (costs off) select id from pi where j @@ '$.a.b == 7';
--|                        QUERY PLAN
--| ---------------------------------------------------------
--|  Bitmap Heap Scan on pi
--|    Filter: (j @@ '($."a"."b" == 7)'::jsonpath)
--|    ->  Bitmap Index Scan on pi_ops
--|          Index Cond: (j @@ '($."a"."b" == 7)'::jsonpath)
--| (4 rows)
explain (costs off) select id from pi where j @@ '7.0 == $.a.b';
--|                         QUERY PLAN
--| -----------------------------------------------------------
--|  Bitmap Heap Scan on pi
--|    Filter: (j @@ '(7.0 == $."a"."b")'::jsonpath)
--|    ->  Bitmap Index Scan on pi_ops
--|          Index Cond: (j @@ '(7.0 == $."a"."b")'::jsonpath)
--| (4 rows)
explain (costs off) select id from pi where j @@ '$.a.b == 7 && $.l[*] == "e7"';
--|                                  QUERY PLAN
--| -----------------------------------------------------------------------------
--|  Bitmap Heap Scan on pi
--|    Filter: (j @@ '($."a"."b" == 7 && $."l"[*] == "e7")'::jsonpath)
--|    ->  Bitmap Index Scan on pi_ops
--|          Index Cond: (j @@ '($."a"."b" == 7 && $."l"[*] == "e7")'::jsonpath)
--| (4 rows)
explain (costs off) select id from pi where j @@ '$.a.b > 47';
--|                   QUERY PLAN
--| -----------------------------------------------
--|  Seq Scan on pi
--|    Filter: (j @@ '($."a"."b" > 47)'::jsonpath)
--| (2 rows)
explain (costs off) select id from pp where j @? '$.a.b ? (@ == 7)';
--|                         QUERY PLAN
--| -----------------------------------------------------------
--|  Bitmap Heap Scan on pp
--|    Filter: (j @? '$."a"."b"?(@ == 7)'::jsonpath)
--|    ->  Bitmap Index Scan on pp_ops
--|          Index Cond: (j @? '$."a"."b"?(@ == 7)'::jsonpath)
--| (4 rows)
explain (costs off) select id from pp where j @? '$.a.b';
--|                QUERY PLAN
--| ----------------------------------------
--|  Seq Scan on pp
--|    Filter: (j @? '$."a"."b"'::jsonpath)
--| (2 rows)
explain (costs off) select id from pp where j @@ '$.a.b == 7';
--|                        QUERY PLAN
--| ---------------------------------------------------------
--|  Bitmap Heap Scan on pp
--|    Filter: (j @@ '($."a"."b" == 7)'::jsonpath)
--|    ->  Bitmap Index Scan on pp_ops
--|          Index Cond: (j @@ '($."a"."b" == 7)'::jsonpath)
--| (4 rows)
explain (costs off) select id from pp where j @@ '7.0 == $.a.b';
--|                         QUERY PLAN
--| -----------------------------------------------------------
--|  Bitmap Heap Scan on pp
--|    Filter: (j @@ '(7.0 == $."a"."b")'::jsonpath)
--|    ->  Bitmap Index Scan on pp_ops
--|          Index Cond: (j @@ '(7.0 == $."a"."b")'::jsonpath)
--| (4 rows)
explain (costs off) select id from pp where j @@ '$.a.b == 7 && $.l[*] == "e7"';
--|                                  QUERY PLAN
--| -----------------------------------------------------------------------------
--|  Bitmap Heap Scan on pp
--|    Filter: (j @@ '($."a"."b" == 7 && $."l"[*] == "e7")'::jsonpath)
--|    ->  Bitmap Index Scan on pp_ops
--|          Index Cond: (j @@ '($."a"."b" == 7 && $."l"[*] == "e7")'::jsonpath)
--| (4 rows)
explain (costs off) select id from pp where j @@ '$.a.b > 47';
--|                   QUERY PLAN
--| -----------------------------------------------
--|  Seq Scan on pp
--|    Filter: (j @@ '($."a"."b" > 47)'::jsonpath)
--| (2 rows)
explain (costs off) select p.id from (values ('$.a.b ? (@ == 7)'::jsonpath)) v(p1), lateral (select id from pi where j @? p1) p;
--|                QUERY PLAN
--| -----------------------------------------
--|  Nested Loop
--|    ->  Subquery Scan on v
--|          ->  Values Scan on "*VALUES*"
--|    ->  Bitmap Heap Scan on pi
--|          Filter: (j @? v.p1)
--|          ->  Bitmap Index Scan on pi_ops
--|                Index Cond: (j @? v.p1)
--| (7 rows)
drop table pj, pi, pp;
--| DROP TABLE
