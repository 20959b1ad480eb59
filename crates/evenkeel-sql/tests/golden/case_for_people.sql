-- CASE in defaults, generated columns, checks and indexes as people read it.

create table d(a int default case when random() > 2 then 1 else 2 end, b text default coalesce(case when random() > 2 then 'x' end, 'y'), c int check (case when c > 1 then true else false end), e int generated always as (case c when 1 then 2 else 3 end) stored, check (case c when 1 then e > 1 when 2 then e < 5 end or (e > 3 and c is null)));
--| CREATE TABLE
alter table d add f text generated always as (case when a is not null then case when b <> '' then 'p' when c is null then 'q' else 'r' end else case when b <> '' then 's' when a + c > 3 then 't' else 'u' end end) stored;
--| ALTER TABLE
create index d_i on d((case when a=1 then 2 else 3 end)) where case when b='x' then true end;
--| CREATE INDEX
create index d_j on d((a + c), lower(b)) where (a > 1 or c < 2) and b is not null and (c = 5) is true and a is distinct from c;
--| CREATE INDEX
select pg_get_expr(adbin, adrelid, true) from pg_attrdef where adrelid='d'::regclass order by adnum;
--|                       pg_get_expr
--| --------------------------------------------------------
--|                                                        +
--|  CASE                                                  +
--|      WHEN random() > 2::double precision THEN 1        +
--|      ELSE 2                                            +
--|  END
--|  COALESCE(                                             +
--|  CASE                                                  +
--|      WHEN random() > 2::double precision THEN 'x'::text+
--|      ELSE NULL::text                                   +
--|  END, 'y'::text)
--|                                                        +
--|  CASE c                                                +
--|      WHEN 1 THEN 2                                     +
--|      ELSE 3                                            +
--|  END
--|                                                        +
--|  CASE                                                  +
--|      WHEN a IS NOT NULL THEN                           +
--|      CASE                                              +
--|          WHEN b <> ''::text THEN 'p'::text             +
--|          WHEN c IS NULL THEN 'q'::text                 +
--|          ELSE 'r'::text                                +
--|      END                                               +
--|      ELSE                                              +
--|      CASE                                              +
--|          WHEN b <> ''::text THEN 's'::text             +
--|          WHEN (a + c) > 3 THEN 't'::text               +
--|          ELSE 'u'::text                                +
--|      END                                               +
--|  END
--| (4 rows)
select pg_get_constraintdef(oid, true) from pg_constraint where conrelid='d'::regclass order by conname;
--|     pg_get_constraintdef
--| -----------------------------
--|  CHECK (                    +
--|  CASE                       +
--|      WHEN c > 1 THEN true   +
--|      ELSE false             +
--|  END)
--|  CHECK (                    +
--|  CASE c                     +
--|      WHEN 1 THEN e > 1      +
--|      WHEN 2 THEN e < 5      +
--|      ELSE NULL::boolean     +
--|  END OR e > 3 AND c IS NULL)
--| (2 rows)
select pg_get_indexdef('d_i'::regclass, 0, true), pg_get_indexdef('d_j'::regclass, 0, true), pg_get_indexdef('d_j'::regclass, 1, true);
--|            pg_get_indexdef            |                                                               pg_get_indexdef                                                               | pg_get_indexdef
--| --------------------------------------+---------------------------------------------------------------------------------------------------------------------------------------------+-----------------
--|  CREATE INDEX d_i ON d USING btree ((+| CREATE INDEX d_j ON d USING btree ((a + c), lower(b)) WHERE (a > 1 OR c < 2) AND b IS NOT NULL AND (c = 5) IS TRUE AND a IS DISTINCT FROM c | (a + c)
--|  CASE                                +|                                                                                                                                             |
--|      WHEN a = 1 THEN 2               +|                                                                                                                                             |
--|      ELSE 3                          +|                                                                                                                                             |
--|  END)) WHERE                         +|                                                                                                                                             |
--|  CASE                                +|                                                                                                                                             |
--|      WHEN b = 'x'::text THEN true    +|                                                                                                                                             |
--|      ELSE NULL::boolean              +|                                                                                                                                             |
--|  END                                  |                                                                                                                                             |
--| (1 row)
select pg_get_indexdef('d_i'::regclass), pg_get_indexdef('d_j'::regclass);
--|                pg_get_indexdef               |                                                                         pg_get_indexdef
--| ---------------------------------------------+------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  CREATE INDEX d_i ON public.d USING btree ((+| CREATE INDEX d_j ON public.d USING btree (((a + c)), lower(b)) WHERE (((a > 1) OR (c < 2)) AND (b IS NOT NULL) AND ((c = 5) IS TRUE) AND (a IS DISTINCT FROM c))
--|  CASE                                       +|
--|      WHEN (a = 1) THEN 2                    +|
--|      ELSE 3                                 +|
--|  END)) WHERE                                +|
--|  CASE                                       +|
--|      WHEN (b = 'x'::text) THEN true         +|
--|      ELSE NULL::boolean                     +|
--|  END                                         |
--| (1 row)
-- All that depends on a table is told.
create table p(id int primary key);
--| CREATE TABLE
create table q(id int references p, more int references p(id));
--| CREATE TABLE
create table r(id int references p on delete cascade);
--| CREATE TABLE
create view pv as select id from p;
--| CREATE VIEW
drop table p;
--| ERROR:  2BP01: cannot drop table p because other objects depend on it
--| DETAIL:  constraint q_id_fkey on table q depends on table p
--| constraint q_more_fkey on table q depends on table p
--| constraint r_id_fkey on table r depends on table p
--| view pv depends on table p
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop table p, d;
--| ERROR:  2BP01: cannot drop desired object(s) because other objects depend on them
--| DETAIL:  constraint q_id_fkey on table q depends on table p
--| constraint q_more_fkey on table q depends on table p
--| constraint r_id_fkey on table r depends on table p
--| view pv depends on table p
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop table d, p, r;
--| ERROR:  2BP01: cannot drop desired object(s) because other objects depend on them
--| DETAIL:  constraint q_id_fkey on table q depends on table p
--| constraint q_more_fkey on table q depends on table p
--| view pv depends on table p
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
drop table p cascade;
--| NOTICE:  drop cascades to 4 other objects
--| DETAIL:  drop cascades to constraint q_id_fkey on table q
--| drop cascades to constraint q_more_fkey on table q
--| drop cascades to constraint r_id_fkey on table r
--| drop cascades to view pv
--| DROP TABLE
