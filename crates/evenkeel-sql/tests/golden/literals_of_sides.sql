-- Literals that have no type before the other side of a set operation or the other rows of VALUES are known, in views.

create table t(id int primary key, a text, b numeric(8,2), arr int[], at timestamptz);
--| CREATE TABLE
create view x1 as select a, b from t union all select 'x', null;
--| CREATE VIEW
select pg_get_viewdef('x1');
--|      pg_get_viewdef
--| -------------------------
--|   SELECT t.a,           +
--|      t.b                +
--|     FROM t              +
--|  UNION ALL              +
--|   SELECT 'x'::text AS a,+
--|      NULL::numeric AS b;
--| (1 row)
create view x2 as select null as q, 'p' as r union all (select id, a from t order by id limit 1);
--| CREATE VIEW
select pg_get_viewdef('x2'), pg_get_viewdef('x2', true);
--|        pg_get_viewdef        |       pg_get_viewdef
--| -----------------------------+-----------------------------
--|   SELECT NULL::integer AS q,+|  SELECT NULL::integer AS q,+
--|      'p'::text AS r         +|     'p'::text AS r         +
--|  UNION ALL                  +| UNION ALL                  +
--|  ( SELECT t.id AS q,        +| ( SELECT t.id AS q,        +
--|      t.a AS r               +|     t.a AS r               +
--|     FROM t                  +|    FROM t                  +
--|    ORDER BY t.id            +|   ORDER BY t.id            +
--|   LIMIT 1);                  |  LIMIT 1);
--| (1 row)
create view x3 as select arr, at from t union select '{}', null except select '{1}', '2024-01-01 00:00+00';
--| CREATE VIEW
select pg_get_viewdef('x3');
--|                         pg_get_viewdef
--| ---------------------------------------------------------------
--|  (                                                            +
--|           SELECT t.arr,                                       +
--|              t.at                                             +
--|             FROM t                                            +
--|          UNION                                                +
--|           SELECT '{}'::integer[] AS arr,                      +
--|              NULL::timestamp with time zone AS at             +
--|  ) EXCEPT                                                     +
--|   SELECT '{1}'::integer[] AS arr,                             +
--|      '2024-01-01 00:00:00+00'::timestamp with time zone AS at;
--| (1 row)
create view x4 as (select null as q) union all (select date '2024-01-01') union all select '2025-01-01';
--| CREATE VIEW
select pg_get_viewdef('x4');
--|           pg_get_viewdef
--| ----------------------------------
--|   SELECT NULL::date AS q         +
--|  UNION ALL                       +
--|   SELECT '2024-01-01'::date AS q +
--|  UNION ALL                       +
--|   SELECT '2025-01-01'::date AS q;
--| (1 row)
create view x5 as values (null, null), (2, date '2020-01-01'), (3, '2021-01-01');
--| CREATE VIEW
select pg_get_viewdef('x5');
--|                                    pg_get_viewdef
--| -------------------------------------------------------------------------------------
--|   VALUES (NULL::integer,NULL::date), (2,'2020-01-01'::date), (3,'2021-01-01'::date);
--| (1 row)
create view x6 as select * from (values ('a', null), ('b', 2)) v(k, n) union all select null, null;
--| CREATE VIEW
select pg_get_viewdef('x6');
--|                            pg_get_viewdef
--| --------------------------------------------------------------------
--|   SELECT v.k,                                                      +
--|      v.n                                                           +
--|     FROM ( VALUES ('a'::text,NULL::integer), ('b'::text,2)) v(k, n)+
--|  UNION ALL                                                         +
--|   SELECT NULL::text AS k,                                          +
--|      NULL::integer AS n;
--| (1 row)
alter table t rename b to "B b";
--| ALTER TABLE
select pg_get_viewdef('x1');
--|      pg_get_viewdef
--| -------------------------
--|   SELECT t.a,           +
--|      t."B b" AS b       +
--|     FROM t              +
--|  UNION ALL              +
--|   SELECT 'x'::text AS a,+
--|      NULL::numeric AS b;
--| (1 row)
select * from x1;
--|  a | b
--| ---+---
--|  x |
--| (1 row)
select * from x4 order by 1;
--|      q
--| ------------
--|  2024-01-01
--|  2025-01-01
--|
--| (3 rows)
