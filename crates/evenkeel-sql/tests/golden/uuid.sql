-- uuid: columns, indexes, COPY, statistics, arrays.

create table items (id uuid primary key default gen_random_uuid(), ref uuid, tags uuid[], n int);
--| CREATE TABLE
insert into items (id, ref, n) values ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', null, 1), ('{00000000-0000-0000-0000-000000000002}', 'a0eebc999c0b4ef8bb6d6bb9bd380a11', 2);
--| INSERT 0 2
insert into items values ('ffffffff-0000-0000-0000-000000000003', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,null}', 3);
--| INSERT 0 1
insert into items (n) values (4);
--| INSERT 0 1
select id, ref, tags, n from items where n < 4 order by id;
--|                   id                  |                 ref                  |                    tags                     | n
--| --------------------------------------+--------------------------------------+---------------------------------------------+---
--|  00000000-0000-0000-0000-000000000002 | a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 |                                             | 2
--|  a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 |                                      |                                             | 1
--|  ffffffff-0000-0000-0000-000000000003 | a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 | {a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,NULL} | 3
--| (3 rows)
select n from items where id = 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11';
--|  n
--| ---
--|  1
--| (1 row)
select n from items where id > '00000000-0000-0000-0000-000000000000' and n < 4 order by id desc limit 2;
--|  n
--| ---
--|  3
--|  1
--| (2 rows)
insert into items (id) values ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
--| ERROR:  23505: duplicate key value violates unique constraint "items_pkey"
--| DETAIL:  Key (id)=(a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11) already exists.
insert into items (id) values ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1');
--| ERROR:  22P02: invalid input syntax for type uuid: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1"
insert into items (id) values (17);
--| ERROR:  42804: column "id" is of type uuid but expression is of type integer
--| HINT:  You will need to rewrite or cast the expression.
create index on items (ref uuid_ops desc);
--| CREATE INDEX
create index on items (n uuid_ops);
--| ERROR:  42804: operator class "uuid_ops" does not accept data type integer
select ref, count(*) from items group by ref order by ref nulls first;
--|                  ref                  | count
--| --------------------------------------+-------
--|                                       |     2
--|  a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 |     2
--| (2 rows)
select distinct ref from items order by 1;
--|                  ref
--| --------------------------------------
--|  a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11
--|
--| (2 rows)
select a.n, b.n from items a join items b on a.id = b.ref order by 1, 2;
--|  n | n
--| ---+---
--|  1 | 2
--|  1 | 3
--| (2 rows)
analyze items;
--| ANALYZE
select attname, atttypid::regtype, format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'items'::regclass and attnum in (1, 3) order by attnum;
--|  attname | atttypid | format_type
--| ---------+----------+-------------
--|  id      | uuid     | uuid
--|  tags    | uuid[]   | uuid[]
--| (2 rows)
select typname, typlen, typbyval, typalign, typstorage, typcategory from pg_type where oid = 'uuid'::regtype;
--|  typname | typlen | typbyval | typalign | typstorage | typcategory
--| ---------+--------+----------+----------+------------+-------------
--|  uuid    |     16 | f        | c        | p          | U
--| (1 row)
copy items (id, ref, tags, n) from stdin;
--< 11111111-1111-1111-1111-111111111111	\N	{}	5
--< 22222222-2222-2222-2222-222222222222	11111111111111111111111111111111	{11111111111111111111111111111111}	6
--| COPY 2
copy (select * from items where n > 4 order by n) to stdout;
--| 11111111-1111-1111-1111-111111111111	\N	{}	5
--| 22222222-2222-2222-2222-222222222222	11111111-1111-1111-1111-111111111111	{11111111-1111-1111-1111-111111111111}	6
copy (select * from items where n > 4 order by n) to stdout (format csv);
--| 11111111-1111-1111-1111-111111111111,,{},5
--| 22222222-2222-2222-2222-222222222222,11111111-1111-1111-1111-111111111111,{11111111-1111-1111-1111-111111111111},6
copy items (id) from stdin;
--< 1
--| ERROR:  22P02: invalid input syntax for type uuid: "1"
--| CONTEXT:  COPY items, line 1, column id: "1"
select pg_typeof(id), pg_typeof(tags) from items where n = 5;
--|  pg_typeof | pg_typeof
--| -----------+-----------
--|  uuid      | uuid[]
--| (1 row)
update items set ref = id where n = 5 returning ref;
--|                  ref
--| --------------------------------------
--|  11111111-1111-1111-1111-111111111111
--| (1 row)
--| UPDATE 1
delete from items where id in ('11111111-1111-1111-1111-111111111111', '22222222-2222-2222-2222-222222222222') returning n;
--|  n
--| ---
--|  5
--|  6
--| (2 rows)
--| DELETE 2
prepare p (uuid) as select n from items where id = $1;
--| PREPARE
execute p ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
--|  n
--| ---
--|  1
--| (1 row)
select array_agg(ref order by ref) from items where n < 4;
--|                                     array_agg
--| ----------------------------------------------------------------------------------
--|  {a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,NULL}
--| (1 row)
select n from items where id = any ('{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}');
--|  n
--| ---
--|  1
--| (1 row)
select id::text like 'a0%' as starts from items where n = 1;
--|  starts
--| --------
--|  t
--| (1 row)
select uuidv7() < uuidv7() as grows, uuid_extract_version(id) from items where n = 4;
--|  grows | uuid_extract_version
--| -------+----------------------
--|  t     |                    4
--| (1 row)
