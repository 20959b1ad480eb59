-- Texts with a type are read when the expression is computed, not when it is kept.

create table n(a date default ('now'::text)::date, b timestamptz default ('now'::text)::timestamptz, c timestamp(0) default ('now'::text)::timestamp(0), d date default 'now'::date, e timestamp default 'now', f date default ('tomorrow'::text)::date, g int default ('5'::text)::int, h interval default ('1 day'::text)::interval, i text default ('x'::text)::varchar(3), j timestamptz default timezone('utc'::text, ('now'::text)::timestamp(6) with time zone), k jsonb default ('{}'::text)::jsonb, l varchar(3) default 'now'::text, m time default ('now'::text)::time(0));
--| CREATE TABLE
select pg_get_expr(adbin,adrelid) from pg_attrdef where adrelid='n'::regclass and adnum not in (4,5) order by adnum;
--|                             pg_get_expr
--| -------------------------------------------------------------------
--|  ('now'::text)::date
--|  ('now'::text)::timestamp with time zone
--|  ('now'::text)::timestamp(0) without time zone
--|  ('tomorrow'::text)::date
--|  ('5'::text)::integer
--|  ('1 day'::text)::interval
--|  'x'::character varying
--|  timezone('utc'::text, ('now'::text)::timestamp(6) with time zone)
--|  ('{}'::text)::jsonb
--|  'now'::text
--|  ('now'::text)::time(0) without time zone
--| (11 rows)
create view nv as select ('now'::text)::date a, ('2020-01-01'::text)::date b, ('5'::text)::int c, ('x'::text)::varchar(3) d, ('now'::varchar)::date e, ('1'::bpchar)::int f; select pg_get_viewdef('nv');
--| CREATE VIEW
--|                pg_get_viewdef
--| --------------------------------------------
--|   SELECT ('now'::text)::date AS a,         +
--|      ('2020-01-01'::text)::date AS b,      +
--|      ('5'::text)::integer AS c,            +
--|      'x'::character varying(3) AS d,       +
--|      ('now'::character varying)::date AS e,+
--|      ('1'::bpchar)::integer AS f;
--| (1 row)
create table n2(a date check (a > ('now'::text)::date), b int check (b > ('5'::text)::int)); select pg_get_constraintdef(oid) from pg_constraint where conrelid='n2'::regclass;
--| CREATE TABLE
--|         pg_get_constraintdef
--| ------------------------------------
--|  CHECK ((a > ('now'::text)::date))
--|  CHECK ((b > ('5'::text)::integer))
--| (2 rows)
