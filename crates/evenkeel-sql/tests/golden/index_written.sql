-- Definitions of indexes as PostgreSQL writes expressions that it keeps.
create domain short as varchar(5);
--| CREATE DOMAIN
create table t (id int, state varchar(9), s varchar(5), c char(3), x text, n numeric, d date, dom short, a varchar[]);
--| CREATE TABLE
create index i1 on t (id) where state in ('A', 'B') or s is not null;
--| CREATE INDEX
create index i2 on t (id) where state not in ('A', 'B', 'C');
--| CREATE INDEX
create index i3 on t (id) where state = 'A' and x in ('a', 'b') and c in ('x', 'y') and id in (1, 2, 3);
--| CREATE INDEX
create index i4 on t (id) where n in (1, 2.5) and d in ('2020-01-01', '2020-01-02');
--| CREATE INDEX
create index i5 on t ((dom || 'x')) where dom = 'a';
--| CREATE INDEX
create index i6 on t (lower(dom), (state in ('A', lower('B'))));
--| CREATE INDEX
create index i7 on t (id) where a && '{x}' and state like 'a%' and state <> '';
--| CREATE INDEX
create index i8 on t ((case state when 'A' then 1 when 'B' then 2 else id end));
--| CREATE INDEX
create index i9 on t ((coalesce(state, s, 'none')), (nullif(state, 'A')), (greatest(state, s)));
--| CREATE INDEX
create index i10 on t ((id::numeric / 2), (state::text), (x::varchar(3)), (n::int)) where id between 3 and 5;
--| CREATE INDEX
select pg_get_indexdef(indexrelid) from pg_index where indrelid = 't'::regclass order by indexrelid;
--|                                                                                                pg_get_indexdef
--| --------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  CREATE INDEX i1 ON public.t USING btree (id) WHERE (((state)::text = ANY (ARRAY['A'::text, 'B'::text])) OR (s IS NOT NULL))
--|  CREATE INDEX i2 ON public.t USING btree (id) WHERE ((state)::text <> ALL (ARRAY['A'::text, 'B'::text, 'C'::text]))
--|  CREATE INDEX i3 ON public.t USING btree (id) WHERE (((state)::text = 'A'::text) AND (x = ANY (ARRAY['a'::text, 'b'::text])) AND (c = ANY (ARRAY['x'::bpchar, 'y'::bpchar])) AND (id = ANY (ARRAY[1, 2, 3])))
--|  CREATE INDEX i4 ON public.t USING btree (id) WHERE ((n = ANY (ARRAY[(1)::numeric, 2.5])) AND (d = ANY (ARRAY['2020-01-01'::date, '2020-01-02'::date])))
--|  CREATE INDEX i5 ON public.t USING btree ((((dom)::text || 'x'::text))) WHERE ((dom)::text = 'a'::text)
--|  CREATE INDEX i6 ON public.t USING btree (lower((dom)::text), (((state)::text = ANY (ARRAY['A'::text, 'b'::text]))))
--|  CREATE INDEX i7 ON public.t USING btree (id) WHERE ((a && '{x}'::character varying[]) AND ((state)::text ~~ 'a%'::text) AND ((state)::text <> ''::text))
--|  CREATE INDEX i8 ON public.t USING btree ((                                                                                                                                                                  +
--|  CASE                                                                                                                                                                                                        +
--|      WHEN ((state)::text = 'A'::text) THEN 1                                                                                                                                                                 +
--|      WHEN ((state)::text = 'B'::text) THEN 2                                                                                                                                                                 +
--|      ELSE id                                                                                                                                                                                                 +
--|  END))
--|  CREATE INDEX i9 ON public.t USING btree (COALESCE(state, s, 'none'::character varying), NULLIF((state)::text, 'A'::text), GREATEST(state, s))
--|  CREATE INDEX i10 ON public.t USING btree ((((id)::numeric / (2)::numeric)), ((state)::text), ((x)::character varying(3)), ((n)::integer)) WHERE ((id >= 3) AND (id <= 5))
--| (10 rows)
select pg_get_expr(indpred, indrelid) from pg_index where indrelid = 't'::regclass and indpred is not null order by indexrelid;
--|                                                                         pg_get_expr
--| -----------------------------------------------------------------------------------------------------------------------------------------------------------
--|  (((state)::text = ANY (ARRAY['A'::text, 'B'::text])) OR (s IS NOT NULL))
--|  ((state)::text <> ALL (ARRAY['A'::text, 'B'::text, 'C'::text]))
--|  (((state)::text = 'A'::text) AND (x = ANY (ARRAY['a'::text, 'b'::text])) AND (c = ANY (ARRAY['x'::bpchar, 'y'::bpchar])) AND (id = ANY (ARRAY[1, 2, 3])))
--|  ((n = ANY (ARRAY[(1)::numeric, 2.5])) AND (d = ANY (ARRAY['2020-01-01'::date, '2020-01-02'::date])))
--|  ((dom)::text = 'a'::text)
--|  ((a && '{x}'::character varying[]) AND ((state)::text ~~ 'a%'::text) AND ((state)::text <> ''::text))
--|  ((id >= 3) AND (id <= 5))
--| (7 rows)
select indexdef from pg_indexes where tablename = 't' and indexname in ('i1', 'i5') order by indexname;
--|                                                           indexdef
--| -----------------------------------------------------------------------------------------------------------------------------
--|  CREATE INDEX i1 ON public.t USING btree (id) WHERE (((state)::text = ANY (ARRAY['A'::text, 'B'::text])) OR (s IS NOT NULL))
--|  CREATE INDEX i5 ON public.t USING btree ((((dom)::text || 'x'::text))) WHERE ((dom)::text = 'a'::text)
--| (2 rows)
create table u (s varchar(9), check (s in ('A', 'B')), check (s not in ('A', 'B', 'C') or s is null), check (s in ('A')), check (s in ('A', lower('B'))), check (s in ('A', s || 'x', 'B')), check (s = any ('{A,B}')), check (s = any (array['A', 'B'])));
--| CREATE TABLE
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'u'::regclass order by conname;
--|                                         pg_get_constraintdef
--| -----------------------------------------------------------------------------------------------------
--|  CHECK (((s)::text = ANY (ARRAY['A'::text, 'B'::text])))
--|  CHECK ((((s)::text <> ALL (ARRAY['A'::text, 'B'::text, 'C'::text])) OR (s IS NULL)))
--|  CHECK (((s)::text = 'A'::text))
--|  CHECK (((s)::text = ANY (ARRAY['A'::text, ((lower('B'::text))::character varying)::text])))
--|  CHECK ((((s)::text = ANY (ARRAY['A'::text, 'B'::text])) OR ((s)::text = ((s)::text || 'x'::text))))
--|  CHECK (((s)::text = ANY ('{A,B}'::text[])))
--|  CHECK (((s)::text = ANY (ARRAY['A'::text, 'B'::text])))
--| (7 rows)
-- and they are found
insert into t select i, case i % 4 when 0 then 'A' when 1 then 'B' else 'D' end, null, 'x', 'a', 1, '2020-01-01', 'a' from generate_series(1, 3000) i;
--| INSERT 0 3000
analyze t;
--| ANALYZE
explain (costs off) select * from t where id = 5 and state in ('A', 'B');
--|                 QUERY PLAN
--| -------------------------------------------
--|  Index Scan using i1 on t
--|    Index Cond: (id = 5)
--|    Filter: (state = ANY ('{A,B}'::text[]))
--| (3 rows)
explain (costs off) select * from t where id = 5 and state = 'A';
--|                       QUERY PLAN
--| ------------------------------------------------------
--|  Index Scan using i10 on t
--|    Filter: ((id = 5) AND ((state)::text = 'A'::text))
--| (2 rows)
