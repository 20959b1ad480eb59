-- Casts to domains in views, defaults and checks keep the name of the domain.
create domain plain as int;
--| CREATE DOMAIN
create domain checked as text check (value <> '');
--| CREATE DOMAIN
create table t (k int, x text);
--| CREATE TABLE
create view v1 as select 1::plain as one, k::plain as two from t;
--| CREATE VIEW
create view v2 as select k from t where k::plain = 3;
--| CREATE VIEW
create view v3 as select x::checked as c, '{1,2}'::plain[] as l, array[k]::plain[] as m, coalesce(k, 1)::plain + 1 as n from t;
--| CREATE VIEW
create table u (a plain default 1, b checked default 'x', c int default 1::plain, d text default 'y'::checked, check (b <> 'q'::checked));
--| CREATE TABLE
select viewname, definition from pg_views where viewname like 'v_' order by 1;
--|  viewname |                    definition
--| ----------+---------------------------------------------------
--|  v1       |  SELECT (1)::plain AS one,                       +
--|           |     (k)::plain AS two                            +
--|           |    FROM t;
--|  v2       |  SELECT k                                        +
--|           |    FROM t                                        +
--|           |   WHERE (((k)::plain)::integer = 3);
--|  v3       |  SELECT (x)::checked AS c,                       +
--|           |     '{1,2}'::plain[] AS l,                       +
--|           |     (ARRAY[k])::plain[] AS m,                    +
--|           |     (((COALESCE(k, 1))::plain)::integer + 1) AS n+
--|           |    FROM t;
--| (3 rows)
select pg_get_viewdef('v3'::regclass, true);
--|                pg_get_viewdef
--| ---------------------------------------------
--|   SELECT x::checked AS c,                   +
--|      '{1,2}'::plain[] AS l,                 +
--|      ARRAY[k]::plain[] AS m,                +
--|      COALESCE(k, 1)::plain::integer + 1 AS n+
--|     FROM t;
--| (1 row)
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'u'::regclass order by adnum;
--|      pg_get_expr
--| ----------------------
--|  1
--|  'x'::text
--|  (1)::plain
--|  ('y'::text)::checked
--| (4 rows)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'u'::regclass;
--|                 pg_get_constraintdef
--| -----------------------------------------------------
--|  CHECK (((b)::text <> (('q'::text)::checked)::text))
--| (1 row)
create schema other;
--| CREATE SCHEMA
create domain other.far as int;
--| CREATE DOMAIN
create view v4 as select 1::other.far as f, null::other.far as n;
--| CREATE VIEW
select definition from pg_views where viewname = 'v4';
--|           definition
--| ------------------------------
--|   SELECT (1)::other.far AS f,+
--|      NULL::other.far AS n;
--| (1 row)
