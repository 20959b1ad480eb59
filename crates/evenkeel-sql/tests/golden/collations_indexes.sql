-- Indexes in orders of their own, as catalogs tell them and ON CONFLICT finds them; views whose columns have collations.
create table ci (id int, s text collate "sv-x-icu", c text collate "C", d text, n name);
--| CREATE TABLE
create index ci1 on ci (s, c, d, id, n);
--| CREATE INDEX
create index ci2 on ci (lower(s), lower(d), (s || 'x') collate "C", (c || 'x') collate "C", (id + 1));
--| CREATE INDEX
create index ci3 on ci (s collate "sv-x-icu", c collate "C", d collate "default", n collate "C");
--| CREATE INDEX
create index ci4 on ci (s collate "C", c collate "de-x-icu", d collate "C", n collate "de-x-icu");
--| CREATE INDEX
create index ci5 on ci (d text_pattern_ops, s collate "de-x-icu" text_pattern_ops);
--| CREATE INDEX
select indexrelid::regclass, array(select coalesce(collname, '-') from unnest(indcollation::oid[]) with ordinality u(o, n) left join pg_collation p on p.oid = o order by n) from pg_index where indrelid = 'ci'::regclass order by 1;
--|  indexrelid |          array
--| ------------+--------------------------
--|  ci1        | {sv-x-icu,C,default,-,C}
--|  ci2        | {sv-x-icu,default,C,C,-}
--|  ci3        | {sv-x-icu,C,default,C}
--|  ci4        | {C,de-x-icu,C,de-x-icu}
--|  ci5        | {default,de-x-icu}
--| (5 rows)
select indexdef from pg_indexes where tablename = 'ci' order by 1;
--|                                                             indexdef
--| --------------------------------------------------------------------------------------------------------------------------------
--|  CREATE INDEX ci1 ON public.ci USING btree (s, c, d, id, n)
--|  CREATE INDEX ci2 ON public.ci USING btree (lower(s), lower(d), ((s || 'x'::text)) COLLATE "C", ((c || 'x'::text)), ((id + 1)))
--|  CREATE INDEX ci3 ON public.ci USING btree (s, c, d, n)
--|  CREATE INDEX ci4 ON public.ci USING btree (s COLLATE "C", c COLLATE "de-x-icu", d COLLATE "C", n COLLATE "de-x-icu")
--|  CREATE INDEX ci5 ON public.ci USING btree (d text_pattern_ops, s COLLATE "de-x-icu" text_pattern_ops)
--| (5 rows)
insert into ci select n, chr(96 + n), chr(96 + n), chr(96 + n), chr(96 + n) from generate_series(1, 26) n;
--| INSERT 0 26
insert into ci values (30, 'ä', 'ä', 'ä', 'ä'), (31, 'Z', 'Z', 'Z', 'Z');
--| INSERT 0 2
alter table ci alter s type text collate "C", alter c type text collate "de-x-icu";
--| ALTER TABLE
select indexdef from pg_indexes where tablename = 'ci' order by 1;
--|                                                       indexdef
--| --------------------------------------------------------------------------------------------------------------------
--|  CREATE INDEX ci1 ON public.ci USING btree (s, c, d, id, n)
--|  CREATE INDEX ci2 ON public.ci USING btree (lower(s), lower(d), ((s || 'x'::text)), ((c || 'x'::text)), ((id + 1)))
--|  CREATE INDEX ci3 ON public.ci USING btree (s, c, d, n)
--|  CREATE INDEX ci4 ON public.ci USING btree (s, c, d COLLATE "C", n COLLATE "de-x-icu")
--|  CREATE INDEX ci5 ON public.ci USING btree (d text_pattern_ops, s COLLATE "de-x-icu" text_pattern_ops)
--| (5 rows)
alter table ci alter s type varchar collate "sv-x-icu";
--| ALTER TABLE
select indexdef from pg_indexes where tablename = 'ci' order by 1;
--|                                                               indexdef
--| ------------------------------------------------------------------------------------------------------------------------------------
--|  CREATE INDEX ci1 ON public.ci USING btree (s, c, d, id, n)
--|  CREATE INDEX ci2 ON public.ci USING btree (lower((s)::text), lower(d), (((s)::text || 'x'::text)), ((c || 'x'::text)), ((id + 1)))
--|  CREATE INDEX ci3 ON public.ci USING btree (s, c, d, n)
--|  CREATE INDEX ci4 ON public.ci USING btree (s, c, d COLLATE "C", n COLLATE "de-x-icu")
--|  CREATE INDEX ci5 ON public.ci USING btree (d text_pattern_ops, s COLLATE "de-x-icu" text_pattern_ops)
--| (5 rows)
select indexrelid::regclass, array(select coalesce(collname, '-') from unnest(indcollation::oid[]) with ordinality u(o, n) left join pg_collation p on p.oid = o order by n) from pg_index where indrelid = 'ci'::regclass order by 1;
--|  indexrelid |                 array
--| ------------+----------------------------------------
--|  ci1        | {sv-x-icu,de-x-icu,default,-,C}
--|  ci2        | {sv-x-icu,default,sv-x-icu,de-x-icu,-}
--|  ci3        | {sv-x-icu,de-x-icu,default,C}
--|  ci4        | {sv-x-icu,de-x-icu,C,de-x-icu}
--|  ci5        | {default,de-x-icu}
--| (5 rows)
set enable_seqscan = off;
--| SET
select s from ci where s > 'y' order by s;
--|  s
--| ---
--|  z
--|  Z
--|  ä
--| (3 rows)
select c from ci where c < 'b' order by c;
--|  c
--| ---
--|  a
--|  ä
--| (2 rows)
select s from ci where s collate "C" > 'y' order by s collate "C";
--|  s
--| ---
--|  z
--|  ä
--| (2 rows)
select lower(s) from ci where lower(s) > 'y' order by lower(s);
--|  lower
--| -------
--|  z
--|  z
--|  ä
--| (3 rows)
reset enable_seqscan;
--| RESET
create table cu (k text collate "sv-x-icu", v int, unique (k));
--| CREATE TABLE
create unique index on cu (lower(k) collate "C");
--| CREATE INDEX
insert into cu values ('ä', 1);
--| INSERT 0 1
insert into cu values ('ä', 2) on conflict (k) do update set v = excluded.v returning *;
--|  k | v
--| ---+---
--|  ä | 2
--| (1 row)
--| INSERT 0 1
insert into cu values ('ä', 3) on conflict (k collate "sv-x-icu") do update set v = excluded.v returning *;
--|  k | v
--| ---+---
--|  ä | 3
--| (1 row)
--| INSERT 0 1
insert into cu values ('ä', 4) on conflict (k collate "C") do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
insert into cu values ('ä', 4) on conflict (k collate "default") do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
insert into cu values ('ä', 5) on conflict (lower(k) collate "C") do update set v = excluded.v returning *;
--|  k | v
--| ---+---
--|  ä | 5
--| (1 row)
--| INSERT 0 1
insert into cu values ('ä', 5) on conflict (lower(k)) do update set v = excluded.v returning *;
--|  k | v
--| ---+---
--|  ä | 5
--| (1 row)
--| INSERT 0 1
create table cd (k text, unique (k));
--| CREATE TABLE
insert into cd values ('a'), ('b');
--| INSERT 0 2
insert into cd values ('a') on conflict (k collate "default") do update set k = excluded.k || 'x' where excluded.k < 'B' collate "sv-x-icu" returning *;
--|  k
--| ----
--|  ax
--| (1 row)
--| INSERT 0 1
create view cv as select k, v from cu;
--| CREATE VIEW
create or replace view cv as select k collate "de-x-icu" as k, v from cu;
--| ERROR:  42P16: cannot change collation of view column "k" from "sv-x-icu" to "de-x-icu"
create or replace view cv as select (k collate "C")::text as k, v from cu;
--| ERROR:  42P16: cannot change collation of view column "k" from "sv-x-icu" to "C"
create or replace view cv as select k collate "sv-x-icu" as k, v, 1 as w from cu;
--| CREATE VIEW
create view cw as select d as k, n from ci;
--| CREATE VIEW
create or replace view cw as select s as k, n from ci;
--| ERROR:  42P16: cannot change data type of view column "k" from text to character varying
create or replace view cw as select d collate "de-x-icu" as k, n from ci;
--| ERROR:  42P16: cannot change collation of view column "k" from "default" to "de-x-icu"
create or replace view cw as select d as k, n collate "de-x-icu" as n from ci;
--| ERROR:  42P16: cannot change collation of view column "n" from "C" to "de-x-icu"
create or replace view cw as select d collate "default" as k, n collate "C" as n from ci;
--| CREATE VIEW
