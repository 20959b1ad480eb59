-- Constants in what is kept are shown as the session writes values: Rails asks for intervals as of ISO 8601, and reads the defaults of columns so.

create table ss (a interval default 'P3Y' check (a > interval '2 days'), b interval[] default '{1 day,2 years}', c date default '2000-02-01', d timestamp default '2001-02-03', e timestamptz default '2001-02-03 00:00+00', f bytea default '\x0102', g text default '''1 day''::interval');
--| CREATE TABLE
create view ssv as select interval '1 year 2 days' as x, date '2003-04-05' as y from ss where a > interval '1 month';
--| CREATE VIEW
create index ssx on ss (a) where c > '2001-01-02';
--| CREATE INDEX
set intervalstyle = iso_8601;
--| SET
set datestyle = 'sql, dmy';
--| SET
set bytea_output = escape;
--| SET
set timezone = 'Europe/Paris';
--| SET
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'ss'::regclass order by adnum;
--|                      pg_get_expr
--| -----------------------------------------------------
--|  'P3Y'::interval
--|  '{P1D,P2Y}'::interval[]
--|  '01/02/2000'::date
--|  '03/02/2001 00:00:00'::timestamp without time zone
--|  '03/02/2001 01:00:00 CET'::timestamp with time zone
--|  '\001\002'::bytea
--|  '''1 day''::interval'::text
--| (7 rows)
select pg_get_viewdef('ssv'::regclass);
--|          pg_get_viewdef
--| ---------------------------------
--|   SELECT 'P1Y2D'::interval AS x,+
--|      '05/04/2003'::date AS y    +
--|     FROM ss                     +
--|    WHERE (a > 'P1M'::interval);
--| (1 row)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'ss'::regclass;
--|      pg_get_constraintdef
--| -------------------------------
--|  CHECK ((a > 'P2D'::interval))
--| (1 row)
select pg_get_indexdef('ssx'::regclass);
--|                                pg_get_indexdef
--| ------------------------------------------------------------------------------
--|  CREATE INDEX ssx ON public.ss USING btree (a) WHERE (c > '02/01/2001'::date)
--| (1 row)
reset intervalstyle;
--| RESET
reset datestyle;
--| RESET
reset bytea_output;
--| RESET
reset timezone;
--| RESET
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'ss'::regclass order by adnum;
--|                     pg_get_expr
--| ----------------------------------------------------
--|  '3 years'::interval
--|  '{"1 day","2 years"}'::interval[]
--|  '2000-02-01'::date
--|  '2001-02-03 00:00:00'::timestamp without time zone
--|  '2001-02-03 00:00:00+00'::timestamp with time zone
--|  '\x0102'::bytea
--|  '''1 day''::interval'::text
--| (7 rows)
drop table ss cascade;
--| NOTICE:  drop cascades to view ssv
--| DROP TABLE
