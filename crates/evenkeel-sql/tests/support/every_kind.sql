-- Definitions of every kind, and changes of rows on them. A line of three dashes ends a step: what is sent as one query, and commits once at most,
-- but for what is said to go concurrently.
-- Steps are run in order in one session; each is complete in itself, but for temporary tables.
create schema app
---
create role reader
---
create role writer login password 'secret' connection limit 3
---
create role duo in role reader, writer
---
comment on role reader is 'reads'
---
alter role reader set work_mem = '3MB'
---
grant reader to writer with admin option
---
create extension pgcrypto
---
create extension "uuid-ossp" schema app
---
comment on extension pgcrypto is 'digests'
---
create extension hstore
---
create table bag (id int primary key, h hstore default 'made=>NULL' check (not h ? 'bad'), hs hstore[])
---
insert into bag select g, hstore(array['n', g::text, 'k' || g % 5, case when g % 3 = 0 then 'x' end]), array['a=>1']::hstore[]
from generate_series(1, 40) g
---
create index bag_gin on bag using gin (h)
---
create unique index bag_tree on bag (h)
---
update bag set h['k3'] = null, h['more'] = 'it''s' where h ? 'k3'
---
drop table bag
---
drop extension hstore
---
create type mood as enum ('sad', 'ok', 'happy')
---
alter type mood add value 'glad' before 'happy'
---
alter type mood add value if not exists 'angry' after 'sad'
---
alter type mood rename value 'glad' to 'merry'
---
create type app.size as enum ('s', 'm', 'l')
---
comment on type mood is 'how it is'
---
create table parent (id int primary key, name text not null, unique (name))
---
insert into parent select g, 'p' || g from generate_series(1, 40) g
---
create table child (
    id int generated always as identity primary key,
    parent int references parent on delete cascade on update cascade deferrable initially immediate,
    m mood default 'ok' not null,
    price numeric(10, 2) check (price >= 0),
    doubled numeric generated always as (price * 2) stored,
    shout text generated always as (upper(note)) virtual,
    note text default 'none',
    tags text[],
    doc jsonb,
    born date default '2020-01-01')
---
insert into child (parent, m, price, note, tags, doc)
select g % 40 + 1, (array['sad', 'ok', 'happy'])[g % 3 + 1]::mood, g * 1.5, 'n' || g, array['t' || g % 7, 'u' || g % 3],
    jsonb_build_object('k', g % 5, 'l', jsonb_build_array(g % 4, g))
from generate_series(1, 120) g
---
create index child_price on child (price desc nulls last) include (note)
---
create unique index child_some on child (parent, id) where m <> 'sad'
---
create index child_expr on child (lower(note), (price + 1))
---
create index child_hash on child using hash (note)
---
create index child_doc on child using gin (doc)
---
create index child_path on child using gin (doc jsonb_path_ops)
---
create index child_tags on child using gin (tags)
---
create index concurrently child_born on child (born)
---
update child set price = price + 1, doc = doc || '{"new": true}', tags = tags || 'more'::text where id % 3 = 0
---
delete from child where id % 10 = 7
---
begin;
update child set m = 'merry' where id < 20;
create index child_m on child (m);
alter table child add column extra int default 7;
update child set extra = id where id % 2 = 0;
commit
---
begin;
drop table child;
create table child (other text);
insert into child values ('never');
rollback
---
begin;
savepoint a;
alter table child drop column note cascade;
rollback to a;
alter table child add column more text;
update child set more = 'm' || id where id < 30;
commit
---
alter table child alter extra type bigint using extra * 10
---
alter table child alter more type int using length(more)
---
alter table child rename more to much
---
alter table child add constraint much_small check (much < 100) not valid
---
alter table child validate constraint much_small
---
alter table child add constraint twice foreign key (parent) references parent (id) not valid
---
alter table child drop constraint twice
---
alter table child alter constraint child_parent_fkey deferrable initially deferred
---
begin;
insert into child (parent, price) values (500, 1);
insert into parent values (500, 'late');
commit
---
update parent set id = id + 1000 where id > 30
---
delete from parent where id in (3, 4, 5)
---
alter table child alter note set not null, alter born drop default, alter price set statistics 50
---
alter table child alter note drop not null, alter m set default 'sad'
---
alter table child alter doc set storage external
---
create sequence counter as int start 5 increment 5 minvalue 5 maxvalue 100 cycle
---
select nextval('counter'), nextval('counter')
---
alter sequence counter increment 2 no cycle
---
alter sequence counter rename to ticks
---
alter sequence ticks owned by parent.id
---
create table plain (a serial, b bigserial, c varchar(10) collate "C", d char(3), e timestamp, f interval, g bytea, h uuid, i inet)
---
insert into plain (c, d, e, f, g, h, i) select 'c' || g, 'd', timestamp '2024-01-01' + g * interval '1 day', g * interval '1 hour', decode('ff00', 'hex'),
    '00000000-0000-0000-0000-000000000000', '10.0.0.1' from generate_series(1, 20) g
---
alter table plain add primary key (a)
---
alter table plain add constraint plain_c_key unique nulls not distinct (c)
---
create unique index plain_b on plain (b)
---
alter table plain add constraint plain_b_key unique using index plain_b
---
alter table plain alter b drop default
---
alter table plain alter b add generated by default as identity
---
alter table plain alter b set generated always
---
alter table plain set unlogged
---
alter table plain set logged
---
create table app.copy (like child including all)
---
insert into app.copy (parent, price, note) select parent, price, note from child where id < 10
---
create table made as select id, name from parent where id < 10
---
select id * 2 as twice into made_too from parent where id < 5
---
create view names as select p.id, p.name, count(c.id) as children from parent p left join child c on c.parent = p.id group by p.id, p.name
---
create or replace view names as select p.id, p.name, count(c.id) as children, max(c.price) as dearest from parent p left join child c on c.parent = p.id group by p.id, p.name
---
create view moods with (security_barrier) as select id, m, shout from child where m > 'sad'
---
create view app.chain as select name, children from names where children > 1
---
create recursive view numbers (n) as values (1) union all select n + 1 from numbers where n < 5
---
alter view moods rename column m to mood
---
alter view app.chain rename to links
---
comment on view names is 'all of them'
---
create materialized view totals as select m, sum(price) as total from child group by m
---
create unique index totals_m on totals (m)
---
create materialized view later as select name from names with no data
---
insert into child (parent, m, price, note) values (1, 'angry', 99, 'A'), (2, 'merry', 98, 'B')
---
refresh materialized view concurrently totals
---
refresh materialized view later
---
refresh materialized view later with no data
---
alter materialized view later rename to latest
---
comment on materialized view totals is 'sums'
---
comment on table child is 'rows'
---
comment on column child.doc is 'anything'
---
comment on index child_doc is 'inverted'
---
comment on constraint much_small on child is 'not many'
---
comment on constraint child_m_not_null on child is 'always'
---
comment on schema app is 'of the application'
---
comment on sequence ticks is 'ticks'
---
grant usage on schema app to reader
---
grant select, insert on child to reader with grant option
---
grant update (note, price) on child to writer
---
grant select on all tables in schema app to duo
---
grant usage on type mood to reader
---
revoke insert on child from reader cascade
---
alter default privileges in schema app grant select on tables to reader
---
alter default privileges for role writer grant usage on sequences to duo
---
create table app.newest (v int)
---
grant create, usage on schema public to writer
---
alter table app.newest owner to writer
---
alter type app.size owner to writer
---
set role writer; create table owned (x int primary key); insert into owned values (1); reset role
---
reassign owned by writer to reader
---
merge into parent p using (select g as id from generate_series(1, 6) g) s on p.id = s.id
when matched and s.id = 1 then delete
when matched then update set name = p.name || '!'
when not matched then insert values (s.id, 'merged' || s.id)
---
with gone as (delete from parent where id = 6 returning *), kept as (insert into made select id, name from gone returning id)
update made set name = 'by CTE' where id in (select 7)
---
insert into parent values (2, 'conflict') on conflict (id) do update set name = excluded.name
---
truncate made_too
---
begin;
truncate parent restart identity cascade;
insert into parent select g, 'again' || g from generate_series(1, 15) g;
insert into child (parent, m, price, note, tags, doc) select g, 'ok', g, 'again', array['x', 't' || g], jsonb_build_object('k', g) from generate_series(1, 15) g;
commit
---
begin;
truncate child;
drop view names cascade;
drop type app.size;
rollback
---
reindex table child
---
cluster child using child_price
---
alter index child_expr alter column 2 set statistics 30
---
reindex index concurrently child_doc
---
create unique index concurrently child_once on child (id)
---
reindex index concurrently child_once
---
drop index concurrently child_once
---
reindex (verbose) index child_expr
---
analyze
---
vacuum child
---
create temporary table scratch (a int primary key, b mood)
---
insert into scratch values (1, 'ok'), (2, 'sad')
---
create index scratch_b on scratch (b)
---
begin;
create temporary table brief (a int) on commit drop;
insert into brief values (1);
insert into made select a, 'brief' from brief;
commit
---
alter table made set schema app
---
alter index child_price rename to child_dear
---
drop index child_born
---
alter table app.made rename to things
---
alter type mood rename to temper
---
alter type app.size set schema public
---
alter schema app rename to application
---
alter view moods set (security_barrier = false)
---
alter table child rename constraint much_small to few
---
alter table child drop column much
---
alter table child drop column born, add column born timestamptz default '2021-01-01 00:00:00+00'
---
alter table child alter doubled drop expression
---
alter role reader rename to readers
---
revoke all on child from writer
---
drop materialized view latest
---
drop materialized view totals
---
drop view application.links
---
drop view names
---
alter table child alter price type double precision
---
drop table plain
---
drop sequence ticks
---
create domain positive as int default 1 constraint above check (value > 0)
---
create domain few_letters varchar(5) not null
---
alter domain positive add constraint below check (value < 1000) not valid
---
alter domain positive validate constraint below
---
alter domain positive set default 2
---
comment on domain positive is 'counts'
---
create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)
---
create collation german from "de-x-icu"
---
comment on collation ci is 'without regard to case'
---
create table people (name text collate ci primary key, town text collate german)
---
insert into people values ('Ann', 'Aachen'), ('bob', 'Ärmel'), ('Cy', 'Zell')
---
alter collation german rename to deutsch
---
create index people_town on people (town)
---
update people set name = 'ANN' where name = 'ann'
---
create type point as (x int, y numeric(6, 2))
---
create type path as (name text collate "C", stops point[])
---
comment on type point is 'where'
---
alter type point add attribute z text
---
alter type point rename attribute z to label
---
alter type point alter attribute label type varchar(8)
---
create table ways (id positive primary key, code few_letters default 'a', p point, q path, all_points point[])
---
insert into ways (id, p, q) select g, row(g, g * 1.5, 'l' || g)::point, row('n' || g, array[row(g, 1, null), null]::point[])::path from generate_series(1, 30) g
---
create index ways_p on ways (p)
---
create unique index ways_x on ways (((p).x), ((q).name))
---
update ways set p.x = id * 10, q.stops[2].y = 7, all_points[3] = row(1, 2, 'end') where id % 3 = 0
---
alter table ways add column far boolean generated always as ((p).x > 100) stored
---
begin;
alter type path rename to trail;
alter table ways rename q to r;
update ways set r.name = 'renamed' where id < 5;
commit
---
begin;
create type brief_row as (a int);
create table of_row (v brief_row);
insert into of_row values (row(1));
drop type brief_row cascade;
rollback
---
alter type trail owner to writer
---
alter type point set schema application
---
drop index ways_x
---
alter domain positive drop constraint above
---
alter table ways drop column r
---
drop type trail
---
alter domain few_letters drop not null
---
drop domain few_letters cascade
---
begin;
create type brief as enum ('x');
create table of_brief (v brief);
insert into of_brief values ('x');
alter type brief add value 'y';
commit
---
insert into of_brief values ('y')
---
drop type brief cascade
---
drop collation deutsch cascade
---
drop table people
---
drop collation ci
---
drop table owned
---
drop owned by writer
---
alter default privileges in schema application revoke select on tables from readers
---
drop owned by duo
---
drop role duo
---
drop extension "uuid-ossp"
---
drop schema application cascade
---
delete from child where id % 2 = 0
---
drop table parent cascade
---
drop table scratch
---
drop role writer
