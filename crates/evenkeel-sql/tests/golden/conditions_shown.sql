-- pg_get_expr() of what constraints and domains keep, and conditions for people to read.

create table checked (id int, v varchar(10), n numeric, ts timestamptz, b boolean, constraint ck1 check (id in (1, 2)), constraint ck2 check (n > 1 and v like 'x%'), constraint ck3 check (ts > '2020-01-01'), constraint ck4 check (not b or id <> all (array[1, 2]) and not id = any (array[3, 4])), constraint ck5 check (not (id = any (array[7]))));
--| CREATE TABLE
select conname, pg_get_expr(conbin, conrelid), pg_get_expr(conbin, conrelid, true), pg_get_constraintdef(oid, true) from pg_constraint where conrelid = 'checked'::regclass order by 1;
--|  conname |                                 pg_get_expr                                 |                             pg_get_expr                             |                            pg_get_constraintdef
--| ---------+-----------------------------------------------------------------------------+---------------------------------------------------------------------+-----------------------------------------------------------------------------
--|  ck1     | (id = ANY (ARRAY[1, 2]))                                                    | id = ANY (ARRAY[1, 2])                                              | CHECK (id = ANY (ARRAY[1, 2]))
--|  ck2     | ((n > (1)::numeric) AND ((v)::text ~~ 'x%'::text))                          | n > 1::numeric AND v::text ~~ 'x%'::text                            | CHECK (n > 1::numeric AND v::text ~~ 'x%'::text)
--|  ck3     | (ts > '2020-01-01 00:00:00+00'::timestamp with time zone)                   | ts > '2020-01-01 00:00:00+00'::timestamp with time zone             | CHECK (ts > '2020-01-01 00:00:00+00'::timestamp with time zone)
--|  ck4     | ((NOT b) OR ((id <> ALL (ARRAY[1, 2])) AND (NOT (id = ANY (ARRAY[3, 4]))))) | NOT b OR (id <> ALL (ARRAY[1, 2])) AND NOT (id = ANY (ARRAY[3, 4])) | CHECK (NOT b OR (id <> ALL (ARRAY[1, 2])) AND NOT (id = ANY (ARRAY[3, 4])))
--|  ck5     | (NOT (id = ANY (ARRAY[7])))                                                 | NOT (id = ANY (ARRAY[7]))                                           | CHECK (NOT (id = ANY (ARRAY[7])))
--| (5 rows)
create index checked_i on checked (n) where id in (1, 2) and n > 1;
--| CREATE INDEX
select pg_get_expr(indpred, indrelid, true) from pg_index where indrelid = 'checked'::regclass;
--|                  pg_get_expr
--| ---------------------------------------------
--|  (id = ANY (ARRAY[1, 2])) AND n > 1::numeric
--| (1 row)
create domain checked_domain as int default 1 + 2 check (value > 0 and value <> all (array[5, 6])) check (value::text ~ '^1');
--| CREATE DOMAIN
select conname, pg_get_expr(conbin, 0), pg_get_constraintdef(oid, true) from pg_constraint where contypid = 'checked_domain'::regtype order by 1;
--|         conname        |                  pg_get_expr                   |                pg_get_constraintdef
--| -----------------------+------------------------------------------------+----------------------------------------------------
--|  checked_domain_check  | ((VALUE > 0) AND (VALUE <> ALL (ARRAY[5, 6]))) | CHECK (VALUE > 0 AND (VALUE <> ALL (ARRAY[5, 6])))
--|  checked_domain_check1 | ((VALUE)::text ~ '^1'::text)                   | CHECK (VALUE::text ~ '^1'::text)
--| (2 rows)
create domain checked_text as text default 'x' || 'y';
--| CREATE DOMAIN
select typdefault, pg_get_expr(typdefaultbin, 0) from pg_type where typname = 'checked_text';
--|         typdefault        |       pg_get_expr
--| --------------------------+--------------------------
--|  ('x'::text || 'y'::text) | ('x'::text || 'y'::text)
--| (1 row)
select domain_default from information_schema.domains where domain_name = 'checked_text';
--|       domain_default
--| --------------------------
--|  ('x'::text || 'y'::text)
--| (1 row)
create table checked_nothing (a int, check (1 > 0), check (a > 0));
--| CREATE TABLE
select conname, conkey from pg_constraint where conrelid = 'checked_nothing'::regclass order by 1;
--|          conname         | conkey
--| -------------------------+--------
--|  checked_nothing_a_check | {1}
--|  checked_nothing_check   |
--| (2 rows)
