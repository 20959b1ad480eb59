-- Views with functions that have column definitions, functions side by side and aggregates WITHIN GROUP, as PostgreSQL writes them.
create table t (id int primary key, j jsonb, a int[], s text, n numeric(6,2), o bool, d date, ts timestamptz);
--| CREATE TABLE
create type pt as (x int, y int);
--| CREATE TYPE
create domain few as int check (value < 8);
--| CREATE DOMAIN
create view v1 as select * from json_to_record('{"a": 1}') as x(a int, b text, c numeric(6,2), d varchar(3), e char(4), f pt, g few, h pt[], i timestamp(0), "J k" int[]);
--| CREATE VIEW
select pg_get_viewdef('v1'::regclass);
--|                                                                                          pg_get_viewdef
--| ------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|   SELECT a,                                                                                                                                                                                    +
--|      b,                                                                                                                                                                                        +
--|      c,                                                                                                                                                                                        +
--|      d,                                                                                                                                                                                        +
--|      e,                                                                                                                                                                                        +
--|      f,                                                                                                                                                                                        +
--|      g,                                                                                                                                                                                        +
--|      h,                                                                                                                                                                                        +
--|      i,                                                                                                                                                                                        +
--|      "J k"                                                                                                                                                                                     +
--|     FROM json_to_record('{"a": 1}'::json) x(a integer, b text, c numeric(6,2), d character varying(3), e character(4), f pt, g few, h pt[], i timestamp(0) without time zone, "J k" integer[]);
--| (1 row)
create view v2 as select t.id, x.* from t, jsonb_to_recordset(t.j) as x(a int, b text);
--| CREATE VIEW
select pg_get_viewdef('v2'::regclass);
--|                       pg_get_viewdef
--| -----------------------------------------------------------
--|   SELECT t.id,                                            +
--|      x.a,                                                 +
--|      x.b                                                  +
--|     FROM t,                                               +
--|      LATERAL jsonb_to_recordset(t.j) x(a integer, b text);
--| (1 row)
create view v3 as select t.id, x.a from t left join lateral jsonb_to_recordset(t.j) x(a int, "B" text) on x.a > 1;
--| CREATE VIEW
select pg_get_viewdef('v3'::regclass);
--|                                      pg_get_viewdef
--| ----------------------------------------------------------------------------------------
--|   SELECT t.id,                                                                         +
--|      x.a                                                                               +
--|     FROM (t                                                                            +
--|       LEFT JOIN LATERAL jsonb_to_recordset(t.j) x(a integer, "B" text) ON ((x.a > 1)));
--| (1 row)
create view v4 as select * from json_to_recordset('[]') as (a int, b int);
--| CREATE VIEW
select pg_get_viewdef('v4'::regclass);
--|                                  pg_get_viewdef
--| --------------------------------------------------------------------------------
--|   SELECT a,                                                                    +
--|      b                                                                         +
--|     FROM json_to_recordset('[]'::json) json_to_recordset(a integer, b integer);
--| (1 row)
create view v5 as select * from rows from (generate_series(1, 2), unnest(array['a','b']));
--| CREATE VIEW
select pg_get_viewdef('v5'::regclass);
--|                                                      pg_get_viewdef
--| -------------------------------------------------------------------------------------------------------------------------
--|   SELECT generate_series,                                                                                               +
--|      unnest                                                                                                             +
--|     FROM ROWS FROM(generate_series(1, 2), unnest(ARRAY['a'::text, 'b'::text])) generate_series(generate_series, unnest);
--| (1 row)
create view v6 as select * from rows from (generate_series(1, 2), unnest(array['a','b'], array[1,2])) with ordinality as x(p, q, r, n);
--| CREATE VIEW
select pg_get_viewdef('v6'::regclass);
--|                                                           pg_get_viewdef
--| -----------------------------------------------------------------------------------------------------------------------------------
--|   SELECT p,                                                                                                                       +
--|      q,                                                                                                                           +
--|      r,                                                                                                                           +
--|      n                                                                                                                            +
--|     FROM ROWS FROM(generate_series(1, 2), unnest(ARRAY['a'::text, 'b'::text]), unnest(ARRAY[1, 2])) WITH ORDINALITY x(p, q, r, n);
--| (1 row)
create view v7 as select * from rows from (json_to_record('{}') as (a int, b few), generate_series(1, 2)) as x(p, q, r);
--| CREATE VIEW
select pg_get_viewdef('v7'::regclass);
--|                                              pg_get_viewdef
--| --------------------------------------------------------------------------------------------------------
--|   SELECT p,                                                                                            +
--|      q,                                                                                                +
--|      r                                                                                                 +
--|     FROM ROWS FROM(json_to_record('{}'::json) AS (a integer, b few), generate_series(1, 2)) x(p, q, r);
--| (1 row)
create view v8 as select * from rows from (json_to_record('{}') as (a int, b varchar(5))) with ordinality;
--| CREATE VIEW
select pg_get_viewdef('v8'::regclass);
--|                                                              pg_get_viewdef
--| ----------------------------------------------------------------------------------------------------------------------------------------
--|   SELECT a,                                                                                                                            +
--|      b,                                                                                                                                +
--|      ordinality                                                                                                                        +
--|     FROM ROWS FROM(json_to_record('{}'::json) AS (a integer, b character varying(5))) WITH ORDINALITY json_to_record(a, b, ordinality);
--| (1 row)
create view v9 as select * from rows from (json_to_record('{}') as (a int, b varchar(5))) as x(p);
--| CREATE VIEW
select pg_get_viewdef('v9'::regclass);
--|                               pg_get_viewdef
--| --------------------------------------------------------------------------
--|   SELECT p,                                                              +
--|      b                                                                   +
--|     FROM json_to_record('{}'::json) x(p integer, b character varying(5));
--| (1 row)
create view v10 as select * from rows from (generate_series(1, 3)) g;
--| CREATE VIEW
select pg_get_viewdef('v10'::regclass);
--|            pg_get_viewdef
--| -------------------------------------
--|   SELECT g                          +
--|     FROM generate_series(1, 3) g(g);
--| (1 row)
create view v11 as select * from rows from (unnest(array[1,2]), unnest(array['x'])) as u(a, b);
--| CREATE VIEW
select pg_get_viewdef('v11'::regclass);
--|                      pg_get_viewdef
--| --------------------------------------------------------
--|   SELECT a,                                            +
--|      b                                                 +
--|     FROM UNNEST(ARRAY[1, 2], ARRAY['x'::text]) u(a, b);
--| (1 row)
create view v12 as select * from unnest(array[1,2], array['x']) as u(a, b);
--| CREATE VIEW
select pg_get_viewdef('v12'::regclass);
--|                      pg_get_viewdef
--| --------------------------------------------------------
--|   SELECT a,                                            +
--|      b                                                 +
--|     FROM UNNEST(ARRAY[1, 2], ARRAY['x'::text]) u(a, b);
--| (1 row)
create view v14 as select t.id, x.* from t, rows from (unnest(t.a), generate_series(1, t.id)) with ordinality x;
--| CREATE VIEW
select pg_get_viewdef('v14'::regclass);
--|                                                     pg_get_viewdef
--| ----------------------------------------------------------------------------------------------------------------------
--|   SELECT t.id,                                                                                                       +
--|      x.unnest,                                                                                                       +
--|      x.generate_series,                                                                                              +
--|      x.ordinality                                                                                                    +
--|     FROM t,                                                                                                          +
--|      LATERAL ROWS FROM(unnest(t.a), generate_series(1, t.id)) WITH ORDINALITY x(unnest, generate_series, ordinality);
--| (1 row)
create view v15 as select t.id, x.* from t, lateral rows from (generate_series(1, 2), upper('x')) x;
--| CREATE VIEW
select pg_get_viewdef('v15'::regclass);
--|                                       pg_get_viewdef
--| -------------------------------------------------------------------------------------------
--|   SELECT t.id,                                                                            +
--|      x.generate_series,                                                                   +
--|      x.upper                                                                              +
--|     FROM t,                                                                               +
--|      LATERAL ROWS FROM(generate_series(1, 2), upper('x'::text)) x(generate_series, upper);
--| (1 row)
create view v16 as select t.id, x.* from t, lateral generate_series(1, 2) x;
--| CREATE VIEW
select pg_get_viewdef('v16'::regclass);
--|              pg_get_viewdef
--| -----------------------------------------
--|   SELECT t.id,                          +
--|      x.x                                +
--|     FROM t,                             +
--|      LATERAL generate_series(1, 2) x(x);
--| (1 row)
create view v17 as select * from json_populate_record(null::record, '{}') as x(a int);
--| CREATE VIEW
select pg_get_viewdef('v17'::regclass);
--|                             pg_get_viewdef
--| ----------------------------------------------------------------------
--|   SELECT a                                                           +
--|     FROM json_populate_record(NULL::record, '{}'::json) x(a integer);
--| (1 row)
create view v18 as select * from jsonb_populate_recordset(row(1, 2), '[]') as x(a int, b int);
--| CREATE VIEW
select pg_get_viewdef('v18'::regclass);
--|                                   pg_get_viewdef
--| -----------------------------------------------------------------------------------
--|   SELECT a,                                                                       +
--|      b                                                                            +
--|     FROM jsonb_populate_recordset(ROW(1, 2), '[]'::jsonb) x(a integer, b integer);
--| (1 row)
create view v19 as select x from json_to_record('{}') x(a int, b text);
--| ERROR:  42P16: column "x" has pseudo-type record
create view v20 as select (x).a, x.b from json_to_record('{}') x(a int, b text);
--| CREATE VIEW
select pg_get_viewdef('v20'::regclass);
--|                       pg_get_viewdef
--| ----------------------------------------------------------
--|   SELECT a,                                              +
--|      b                                                   +
--|     FROM json_to_record('{}'::json) x(a integer, b text);
--| (1 row)
create view v21 as select percentile_cont(0.5) within group (order by n desc), percentile_cont('{0.1,0.2}'::float8[]) within group (order by n) as p2, percentile_cont(array[0.1,0.2]) within group (order by id) as p3, mode() within group (order by s nulls first), rank(1, 'x') within group (order by id, s desc) from t;
--| CREATE VIEW
select pg_get_viewdef('v21'::regclass);
--|                                                       pg_get_viewdef
--| ---------------------------------------------------------------------------------------------------------------------------
--|   SELECT percentile_cont((0.5)::double precision) WITHIN GROUP (ORDER BY ((n)::double precision) DESC) AS percentile_cont,+
--|      percentile_cont('{0.1,0.2}'::double precision[]) WITHIN GROUP (ORDER BY ((n)::double precision)) AS p2,              +
--|      percentile_cont((ARRAY[0.1, 0.2])::double precision[]) WITHIN GROUP (ORDER BY ((id)::double precision)) AS p3,       +
--|      mode() WITHIN GROUP (ORDER BY s NULLS FIRST) AS mode,                                                                +
--|      rank(1, 'x'::text) WITHIN GROUP (ORDER BY id, s DESC) AS rank                                                        +
--|     FROM t;
--| (1 row)
create view v22 as select o, percentile_disc(0.5) within group (order by d) filter (where id > 1), percentile_disc(array[0, 1]) within group (order by ts) as p2 from t group by o having mode() within group (order by n + 1) > 3;
--| CREATE VIEW
select pg_get_viewdef('v22'::regclass);
--|                                                    pg_get_viewdef
--| --------------------------------------------------------------------------------------------------------------------
--|   SELECT o,                                                                                                        +
--|      percentile_disc((0.5)::double precision) WITHIN GROUP (ORDER BY d) FILTER (WHERE (id > 1)) AS percentile_disc,+
--|      percentile_disc((ARRAY[0, 1])::double precision[]) WITHIN GROUP (ORDER BY ts) AS p2                           +
--|     FROM t                                                                                                         +
--|    GROUP BY o                                                                                                      +
--|   HAVING (mode() WITHIN GROUP (ORDER BY (n + (1)::numeric)) > (3)::numeric);
--| (1 row)
create view v23 as select rank(1) within group (order by n), dense_rank(null) within group (order by n), cume_dist('x') within group (order by upper(s)), percent_rank(1.5::float8) within group (order by n::float8 nulls first) from t;
--| CREATE VIEW
select pg_get_viewdef('v23'::regclass);
--|                                                     pg_get_viewdef
--| -----------------------------------------------------------------------------------------------------------------------
--|   SELECT rank((1)::numeric) WITHIN GROUP (ORDER BY n) AS rank,                                                        +
--|      dense_rank(NULL::numeric) WITHIN GROUP (ORDER BY n) AS dense_rank,                                               +
--|      cume_dist('x'::text) WITHIN GROUP (ORDER BY (upper(s))) AS cume_dist,                                            +
--|      percent_rank((1.5)::double precision) WITHIN GROUP (ORDER BY ((n)::double precision) NULLS FIRST) AS percent_rank+
--|     FROM t;
--| (1 row)
create view v24 as select s, percentile_disc(length(s) * 0.1) within group (order by id) from t group by s;
--| CREATE VIEW
select pg_get_viewdef('v24'::regclass);
--|                                                    pg_get_viewdef
--| ---------------------------------------------------------------------------------------------------------------------
--|   SELECT s,                                                                                                         +
--|      percentile_disc((((length(s))::numeric * 0.1))::double precision) WITHIN GROUP (ORDER BY id) AS percentile_disc+
--|     FROM t                                                                                                          +
--|    GROUP BY s;
--| (1 row)
create view v25 as select mode() within group (order by 1) as a, mode() within group (order by 'a'::text) as b, mode() within group (order by true) as c, mode() within group (order by (select max(id) from t)) from t;
--| CREATE VIEW
select pg_get_viewdef('v25'::regclass);
--|                         pg_get_viewdef
--| ---------------------------------------------------------------
--|   SELECT mode() WITHIN GROUP (ORDER BY 1::integer) AS a,      +
--|      mode() WITHIN GROUP (ORDER BY 'a'::text) AS b,           +
--|      mode() WITHIN GROUP (ORDER BY true::boolean) AS c,       +
--|      mode() WITHIN GROUP (ORDER BY ( SELECT max(t_1.id) AS max+
--|             FROM t t_1)) AS mode                              +
--|     FROM t;
--| (1 row)
create view v26 as select array_agg(id order by s desc, n nulls first), string_agg(distinct s, ',' order by s) from t;
--| CREATE VIEW
select pg_get_viewdef('v26'::regclass);
--|                            pg_get_viewdef
--| --------------------------------------------------------------------
--|   SELECT array_agg(id ORDER BY s DESC, n NULLS FIRST) AS array_agg,+
--|      string_agg(DISTINCT s, ','::text ORDER BY s) AS string_agg    +
--|     FROM t;
--| (1 row)
create view v27 as select sum(mode) over (), mode from (select s, mode() within group (order by n) from t group by s) q;
--| CREATE VIEW
select pg_get_viewdef('v27'::regclass);
--|                      pg_get_viewdef
--| --------------------------------------------------------
--|   SELECT sum(mode) OVER () AS sum,                     +
--|      mode                                              +
--|     FROM ( SELECT t.s,                                 +
--|              mode() WITHIN GROUP (ORDER BY t.n) AS mode+
--|             FROM t                                     +
--|            GROUP BY t.s) q;
--| (1 row)
create view v28 as select id, (select percentile_cont(0.5) within group (order by u.n) from t u where u.id < t.id) as p from t;
--| CREATE VIEW
select pg_get_viewdef('v28'::regclass);
--|                                                        pg_get_viewdef
--| ----------------------------------------------------------------------------------------------------------------------------
--|   SELECT id,                                                                                                               +
--|      ( SELECT percentile_cont((0.5)::double precision) WITHIN GROUP (ORDER BY ((u.n)::double precision)) AS percentile_cont+
--|             FROM t u                                                                                                       +
--|            WHERE (u.id < t.id)) AS p                                                                                       +
--|     FROM t;
--| (1 row)
create view v29 as select json_to_record.a, x.b from json_to_record('{}') as (a int), json_to_record('{}') x(b int);
--| CREATE VIEW
select pg_get_viewdef('v29'::regclass);
--|                         pg_get_viewdef
--| ---------------------------------------------------------------
--|   SELECT json_to_record.a,                                    +
--|      x.b                                                      +
--|     FROM json_to_record('{}'::json) json_to_record(a integer),+
--|      json_to_record('{}'::json) x(b integer);
--| (1 row)
create view v30 as select * from rows from (json_to_record('{"a": 1}') as (a int), json_to_record('{}') as (a text, b pt)) with ordinality x(a, b, c, d);
--| CREATE VIEW
select pg_get_viewdef('v30'::regclass);
--|                                                                  pg_get_viewdef
--| -------------------------------------------------------------------------------------------------------------------------------------------------
--|   SELECT a,                                                                                                                                     +
--|      b,                                                                                                                                         +
--|      c,                                                                                                                                         +
--|      d                                                                                                                                          +
--|     FROM ROWS FROM(json_to_record('{"a": 1}'::json) AS (a integer), json_to_record('{}'::json) AS (a text, b pt)) WITH ORDINALITY x(a, b, c, d);
--| (1 row)
create view v31 as select * from rows from (unnest(array[row(1,2)::pt]), jsonb_each('{}')) x;
--| CREATE VIEW
select pg_get_viewdef('v31'::regclass);
--|                                         pg_get_viewdef
--| -----------------------------------------------------------------------------------------------
--|   SELECT x,                                                                                   +
--|      y,                                                                                       +
--|      key,                                                                                     +
--|      value                                                                                    +
--|     FROM ROWS FROM(unnest(ARRAY[ROW(1, 2)::pt]), jsonb_each('{}'::jsonb)) x(x, y, key, value);
--| (1 row)
create view v32 as select * from rows from (upper('a'), current_date) x;
--| CREATE VIEW
select pg_get_viewdef('v32'::regclass);
--|                                pg_get_viewdef
--| -----------------------------------------------------------------------------
--|   SELECT upper,                                                             +
--|      "current_date"                                                         +
--|     FROM ROWS FROM(upper('a'::text), CURRENT_DATE) x(upper, "current_date");
--| (1 row)
create view v33 as select * from current_date x;
--| CREATE VIEW
select pg_get_viewdef('v33'::regclass);
--|        pg_get_viewdef
--| ----------------------------
--|   SELECT x                 +
--|     FROM CURRENT_DATE x(x);
--| (1 row)
alter table t rename s to "S s";
--| ALTER TABLE
select pg_get_viewdef('v21'::regclass);
--|                                                       pg_get_viewdef
--| ---------------------------------------------------------------------------------------------------------------------------
--|   SELECT percentile_cont((0.5)::double precision) WITHIN GROUP (ORDER BY ((n)::double precision) DESC) AS percentile_cont,+
--|      percentile_cont('{0.1,0.2}'::double precision[]) WITHIN GROUP (ORDER BY ((n)::double precision)) AS p2,              +
--|      percentile_cont((ARRAY[0.1, 0.2])::double precision[]) WITHIN GROUP (ORDER BY ((id)::double precision)) AS p3,       +
--|      mode() WITHIN GROUP (ORDER BY "S s" NULLS FIRST) AS mode,                                                            +
--|      rank(1, 'x'::text) WITHIN GROUP (ORDER BY id, "S s" DESC) AS rank                                                    +
--|     FROM t;
--| (1 row)
select pg_get_viewdef('v24'::regclass);
--|                                                      pg_get_viewdef
--| -------------------------------------------------------------------------------------------------------------------------
--|   SELECT "S s" AS s,                                                                                                    +
--|      percentile_disc((((length("S s"))::numeric * 0.1))::double precision) WITHIN GROUP (ORDER BY id) AS percentile_disc+
--|     FROM t                                                                                                              +
--|    GROUP BY "S s";
--| (1 row)
alter type pt rename to "P t";
--| ALTER TYPE
select pg_get_viewdef('v1'::regclass);
--|                                                                                             pg_get_viewdef
--| ------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|   SELECT a,                                                                                                                                                                                          +
--|      b,                                                                                                                                                                                              +
--|      c,                                                                                                                                                                                              +
--|      d,                                                                                                                                                                                              +
--|      e,                                                                                                                                                                                              +
--|      f,                                                                                                                                                                                              +
--|      g,                                                                                                                                                                                              +
--|      h,                                                                                                                                                                                              +
--|      i,                                                                                                                                                                                              +
--|      "J k"                                                                                                                                                                                           +
--|     FROM json_to_record('{"a": 1}'::json) x(a integer, b text, c numeric(6,2), d character varying(3), e character(4), f "P t", g few, h "P t"[], i timestamp(0) without time zone, "J k" integer[]);
--| (1 row)
alter domain few rename to fewer;
--| ALTER DOMAIN
select pg_get_viewdef('v7'::regclass);
--|                                               pg_get_viewdef
--| ----------------------------------------------------------------------------------------------------------
--|   SELECT p,                                                                                              +
--|      q,                                                                                                  +
--|      r                                                                                                   +
--|     FROM ROWS FROM(json_to_record('{}'::json) AS (a integer, b fewer), generate_series(1, 2)) x(p, q, r);
--| (1 row)

-- Rows as values, and what is ordered or grouped by twice.
create table u (id int, a int, b text);
--| CREATE TABLE
create view w1 as select u is null as x from u;
--| CREATE VIEW
select pg_get_viewdef('w1'::regclass);
--|        pg_get_viewdef
--| ----------------------------
--|   SELECT (u.* IS NULL) AS x+
--|     FROM u;
--| (1 row)
create view w2 as select x.a, x is null as k from json_to_record('{}') x(a int);
--| CREATE VIEW
select pg_get_viewdef('w2'::regclass);
--|                   pg_get_viewdef
--| --------------------------------------------------
--|   SELECT a,                                      +
--|      (x.* IS NULL) AS k                          +
--|     FROM json_to_record('{}'::json) x(a integer);
--| (1 row)
create view w3 as select x.a, x is null as k from json_to_record('{}') x(a int, b int);
--| CREATE VIEW
select pg_get_viewdef('w3'::regclass);
--|                        pg_get_viewdef
--| -------------------------------------------------------------
--|   SELECT a,                                                 +
--|      (x.* IS NULL) AS k                                     +
--|     FROM json_to_record('{}'::json) x(a integer, b integer);
--| (1 row)
create view w4 as select id from u order by id, id desc, id, a;
--| CREATE VIEW
select pg_get_viewdef('w4'::regclass);
--|   pg_get_viewdef
--| -------------------
--|   SELECT id       +
--|     FROM u        +
--|    ORDER BY id, a;
--| (1 row)
create view w5 as select id, count(*) from u group by id, id, a;
--| CREATE VIEW
select pg_get_viewdef('w5'::regclass);
--|     pg_get_viewdef
--| -----------------------
--|   SELECT id,          +
--|      count(*) AS count+
--|     FROM u            +
--|    GROUP BY id, a;
--| (1 row)
create view w6 as select array_agg(a order by id, id desc, a, id), mode() within group (order by a), rank(1,1) within group (order by a, a) from u;
--| CREATE VIEW
select pg_get_viewdef('w6'::regclass);
--|                    pg_get_viewdef
--| -----------------------------------------------------
--|   SELECT array_agg(a ORDER BY id, a) AS array_agg,  +
--|      mode() WITHIN GROUP (ORDER BY a) AS mode,      +
--|      rank(1, 1) WITHIN GROUP (ORDER BY a, a) AS rank+
--|     FROM u;
--| (1 row)
create view w7 as select row_number() over (partition by a, a order by id, id, a) from u;
--| CREATE VIEW
select pg_get_viewdef('w7'::regclass);
--|                              pg_get_viewdef
--| -------------------------------------------------------------------------
--|   SELECT row_number() OVER (PARTITION BY a ORDER BY id, a) AS row_number+
--|     FROM u;
--| (1 row)
create view w8 as select (u = u) as e, u is distinct from u as f, (u).a as g, row(u.*) as h, coalesce(u.a, 1) from u;
--| ERROR:  42P16: column "h" has pseudo-type record
select pg_get_viewdef('w8'::regclass);
--| ERROR:  42P01: relation "w8" does not exist
create view w9 as select to_json(u) as e, row_to_json(x) as f from u, json_to_record('{}') x(a int, b int);
--| CREATE VIEW
select pg_get_viewdef('w9'::regclass);
--|                      pg_get_viewdef
--| ---------------------------------------------------------
--|   SELECT to_json(u.*) AS e,                             +
--|      row_to_json(x.*) AS f                              +
--|     FROM u,                                             +
--|      json_to_record('{}'::json) x(a integer, b integer);
--| (1 row)
create view w10 as select distinct on (id, id) id, a from u order by id, a, id;
--| CREATE VIEW
select pg_get_viewdef('w10'::regclass);
--|         pg_get_viewdef
--| ------------------------------
--|   SELECT DISTINCT ON (id) id,+
--|      a                       +
--|     FROM u                   +
--|    ORDER BY id, a;
--| (1 row)
create view w11 as select g is null as x, g from generate_series(1, 2) g;
--| CREATE VIEW
select pg_get_viewdef('w11'::regclass);
--|            pg_get_viewdef
--| -------------------------------------
--|   SELECT (g IS NULL) AS x,          +
--|      g                              +
--|     FROM generate_series(1, 2) g(g);
--| (1 row)
create view w12 as select x is null as k, y is not null as l from unnest(array[1], array[2]) x, json_each('{}') y;
--| CREATE VIEW
select pg_get_viewdef('w12'::regclass);
--|                      pg_get_viewdef
--| ---------------------------------------------------------
--|   SELECT (x.* IS NULL) AS k,                            +
--|      (y.* IS NOT NULL) AS l                             +
--|     FROM UNNEST(ARRAY[1], ARRAY[2]) x(unnest, unnest_1),+
--|      json_each('{}'::json) y(key, value);
--| (1 row)
create view w13 as select (q.e).a from (select x as e from json_to_record('{}') x(a int, b text)) q;
--| CREATE VIEW
select pg_get_viewdef('w13'::regclass);
--|                                    pg_get_viewdef
--| ------------------------------------------------------------------------------------
--|   select (q.e).a from (select x as e from json_to_record('{}') x(a int, b text)) q;
--| (1 row)
create view w14 as select (q.e).f1 from (select row(1, b) as e from u) q;
--| CREATE VIEW
select pg_get_viewdef('w14'::regclass);
--|           pg_get_viewdef
--| -----------------------------------
--|   SELECT (e).f1 AS f1             +
--|     FROM ( SELECT ROW(1, u.b) AS e+
--|             FROM u) q;
--| (1 row)
create view w15 as select u.a from u where u is not null and u.* is distinct from null;
--| CREATE VIEW
select pg_get_viewdef('w15'::regclass);
--|                         pg_get_viewdef
--| --------------------------------------------------------------
--|   SELECT a                                                   +
--|     FROM u                                                   +
--|    WHERE ((u.* IS NOT NULL) AND (u.* IS DISTINCT FROM NULL));
--| (1 row)
create table nt (id int, xs text[], a int[]);
--| CREATE TABLE
create view n1 as select xs[1] || null::text[] as a, null::text[] || xs[1] as b, xs || null as c, null || xs as d, a || null::int as e, null::int || a as f, xs || null::text[] as g from nt;
--| CREATE VIEW
select pg_get_viewdef('n1'::regclass);
--|             pg_get_viewdef
--| ---------------------------------------
--|   SELECT (xs[1] || NULL::text[]) AS a,+
--|      (NULL::text[] || xs[1]) AS b,    +
--|      (xs || NULL::text[]) AS c,       +
--|      (NULL::text[] || xs) AS d,       +
--|      (a || NULL::integer) AS e,       +
--|      (NULL::integer || a) AS f,       +
--|      (xs || NULL::text[]) AS g        +
--|     FROM nt;
--| (1 row)
create view n2 as select a @> null as x, a = null::int[] as y, a && '{1}' as z from nt;
--| CREATE VIEW
select pg_get_viewdef('n2'::regclass);
--|             pg_get_viewdef
--| --------------------------------------
--|   SELECT (a @> NULL::integer[]) AS x,+
--|      (a = NULL::integer[]) AS y,     +
--|      (a && '{1}'::integer[]) AS z    +
--|     FROM nt;
--| (1 row)
