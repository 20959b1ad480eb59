-- Views as pg_get_viewdef writes them: PostgreSQL's own text of the same statement, or one that it would write of this text (CASE with an operand, lists of IN and what is
-- computed from constants differ so).
set search_path = public;
--| SET
create table a(id int primary key, name varchar(20), t text, n numeric(10,2), b bigint, d date, ts timestamp, tz timestamptz, f float8, j jsonb, arr int[], ok bool, s smallint, u uuid, iv interval);
--| CREATE TABLE
create table b(id int primary key, a_id int, label text, qty bigint, c char(3));
--| CREATE TABLE
create table c(id int, x int, y text);
--| CREATE TABLE
create type mood as enum ('sad','ok');
--| CREATE TYPE
create table m(id int, feels mood, old mood[]);
--| CREATE TABLE
create view v1 as select * from a;
--| CREATE VIEW
select pg_get_viewdef('v1'::regclass);
--|  pg_get_viewdef
--| ----------------
--|   SELECT id,   +
--|      name,     +
--|      t,        +
--|      n,        +
--|      b,        +
--|      d,        +
--|      ts,       +
--|      tz,       +
--|      f,        +
--|      j,        +
--|      arr,      +
--|      ok,       +
--|      s,        +
--|      u,        +
--|      iv        +
--|     FROM a;
--| (1 row)
create view v2 as select id, name from a where id > 0;
--| CREATE VIEW
select pg_get_viewdef('v2'::regclass);
--|   pg_get_viewdef
--| -------------------
--|   SELECT id,      +
--|      name         +
--|     FROM a        +
--|    WHERE (id > 0);
--| (1 row)
create view v3 as select a.id, b.label from a join b on b.a_id = a.id;
--| CREATE VIEW
select pg_get_viewdef('v3'::regclass);
--|            pg_get_viewdef
--| ------------------------------------
--|   SELECT a.id,                     +
--|      b.label                       +
--|     FROM (a                        +
--|       JOIN b ON ((b.a_id = a.id)));
--| (1 row)
create view v4 as select a.id, b.label from a left join b on b.a_id = a.id where a.name <> '' and b.qty > 5 or a.ok;
--| CREATE VIEW
select pg_get_viewdef('v4'::regclass);
--|                           pg_get_viewdef
--| -------------------------------------------------------------------
--|   SELECT a.id,                                                    +
--|      b.label                                                      +
--|     FROM (a                                                       +
--|       LEFT JOIN b ON ((b.a_id = a.id)))                           +
--|    WHERE ((((a.name)::text <> ''::text) AND (b.qty > 5)) OR a.ok);
--| (1 row)
create view v5 as select name, count(*), sum(b) as total, avg(n) from a group by name having count(*) > 1 order by count(*) desc, name limit 10 offset 2;
--| CREATE VIEW
select pg_get_viewdef('v5'::regclass);
--|           pg_get_viewdef
--| ----------------------------------
--|   SELECT name,                   +
--|      count(*) AS count,          +
--|      sum(b) AS total,            +
--|      avg(n) AS avg               +
--|     FROM a                       +
--|    GROUP BY name                 +
--|   HAVING (count(*) > 1)          +
--|    ORDER BY (count(*)) DESC, name+
--|   OFFSET 2                       +
--|   LIMIT 10;
--| (1 row)
create view v6 as select case when id = 1 then 'one' when id = 2 then 'two' else null end as w, case id when 1 then 2 end x from a;
--| CREATE VIEW
select pg_get_viewdef('v6'::regclass);
--|                pg_get_viewdef
--| --------------------------------------------
--|   SELECT                                   +
--|          CASE                              +
--|              WHEN (id = 1) THEN 'one'::text+
--|              WHEN (id = 2) THEN 'two'::text+
--|              ELSE NULL::text               +
--|          END AS w,                         +
--|          CASE id                           +
--|              WHEN 1 THEN 2                 +
--|              ELSE NULL::integer            +
--|          END AS x                          +
--|     FROM a;
--| (1 row)
create view v7 as select id, rank() over (partition by name order by n desc) r, sum(n) over (order by id rows between 1 preceding and current row) from a;
--| CREATE VIEW
select pg_get_viewdef('v7'::regclass);
--|                                 pg_get_viewdef
--| -------------------------------------------------------------------------------
--|   SELECT id,                                                                  +
--|      rank() OVER (PARTITION BY name ORDER BY n DESC) AS r,                    +
--|      sum(n) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS sum+
--|     FROM a;
--| (1 row)
create view v8 as select * from a where id in (select a_id from b where b.qty > a.b);
--| CREATE VIEW
select pg_get_viewdef('v8'::regclass);
--|           pg_get_viewdef
--| ----------------------------------
--|   SELECT id,                     +
--|      name,                       +
--|      t,                          +
--|      n,                          +
--|      b,                          +
--|      d,                          +
--|      ts,                         +
--|      tz,                         +
--|      f,                          +
--|      j,                          +
--|      arr,                        +
--|      ok,                         +
--|      s,                          +
--|      u,                          +
--|      iv                          +
--|     FROM a                       +
--|    WHERE (id IN ( SELECT b.a_id  +
--|             FROM b               +
--|            WHERE (b.qty > a.b)));
--| (1 row)
create view v9 as select * from a where exists (select 1 from b where b.a_id = a.id) and not exists (select from c where c.id = a.id);
--| CREATE VIEW
select pg_get_viewdef('v9'::regclass);
--|                        pg_get_viewdef
--| -------------------------------------------------------------
--|   SELECT id,                                                +
--|      name,                                                  +
--|      t,                                                     +
--|      n,                                                     +
--|      b,                                                     +
--|      d,                                                     +
--|      ts,                                                    +
--|      tz,                                                    +
--|      f,                                                     +
--|      j,                                                     +
--|      arr,                                                   +
--|      ok,                                                    +
--|      s,                                                     +
--|      u,                                                     +
--|      iv                                                     +
--|     FROM a                                                  +
--|    WHERE ((EXISTS ( SELECT 1                                +
--|             FROM b                                          +
--|            WHERE (b.a_id = a.id))) AND (NOT (EXISTS ( SELECT+
--|             FROM c                                          +
--|            WHERE (c.id = a.id)))));
--| (1 row)
create view v10 as select id, (select max(label) from b where b.a_id = a.id) as l, array(select qty from b) from a;
--| CREATE VIEW
select pg_get_viewdef('v10'::regclass);
--|              pg_get_viewdef
--| ----------------------------------------
--|   SELECT id,                           +
--|      ( SELECT max(b.label) AS max      +
--|             FROM b                     +
--|            WHERE (b.a_id = a.id)) AS l,+
--|      ARRAY( SELECT b.qty               +
--|             FROM b) AS "array"         +
--|     FROM a;
--| (1 row)
create view v11 as with x as (select id, name from a), y(k) as (select 1) select x.id, y.k from x, y;
--| CREATE VIEW
select pg_get_viewdef('v11'::regclass);
--|          pg_get_viewdef
--| ---------------------------------
--|   WITH x AS (                   +
--|           SELECT a.id,          +
--|              a.name             +
--|             FROM a              +
--|          ), y(k) AS (           +
--|           SELECT 1 AS "?column?"+
--|          )                      +
--|   SELECT x.id,                  +
--|      y.k                        +
--|     FROM x,                     +
--|      y;
--| (1 row)
create view v12 as with recursive t(n) as (values (1) union all select n + 1 from t where n < 10) select n from t;
--| CREATE VIEW
select pg_get_viewdef('v12'::regclass);
--|         pg_get_viewdef
--| ------------------------------
--|   WITH RECURSIVE t(n) AS (   +
--|           VALUES (1)         +
--|          UNION ALL           +
--|           SELECT (t_1.n + 1) +
--|             FROM t t_1       +
--|            WHERE (t_1.n < 10)+
--|          )                   +
--|   SELECT n                   +
--|     FROM t;
--| (1 row)
create view v13 as select 1 as one union select 2 union all select id from a order by 1;
--| CREATE VIEW
select pg_get_viewdef('v13'::regclass);
--|       pg_get_viewdef
--| --------------------------
--|  (                       +
--|           SELECT 1 AS one+
--|          UNION           +
--|           SELECT 2 AS one+
--|  ) UNION ALL             +
--|   SELECT a.id AS one     +
--|     FROM a               +
--|    ORDER BY 1;
--| (1 row)
create view v14 as select id from a union (select id from b except select id from c) order by id desc;
--| CREATE VIEW
select pg_get_viewdef('v14'::regclass);
--|     pg_get_viewdef
--| ----------------------
--|   SELECT a.id        +
--|     FROM a           +
--|  UNION (             +
--|           SELECT b.id+
--|             FROM b   +
--|          EXCEPT      +
--|           SELECT c.id+
--|             FROM c   +
--|  )                   +
--|    ORDER BY 1 DESC;
--| (1 row)
create view v15 as (select id from a order by id limit 1) union all select id from b;
--| CREATE VIEW
select pg_get_viewdef('v15'::regclass);
--|  pg_get_viewdef
--| -----------------
--|  ( SELECT a.id  +
--|     FROM a      +
--|    ORDER BY a.id+
--|   LIMIT 1)      +
--|  UNION ALL      +
--|   SELECT b.id   +
--|     FROM b;
--| (1 row)
create view v16 as select distinct name, t from a;
--| CREATE VIEW
select pg_get_viewdef('v16'::regclass);
--|      pg_get_viewdef
--| ------------------------
--|   SELECT DISTINCT name,+
--|      t                 +
--|     FROM a;
--| (1 row)
create view v17 as select distinct on (name) name, id from a order by name, id desc;
--| CREATE VIEW
select pg_get_viewdef('v17'::regclass);
--|           pg_get_viewdef
--| ----------------------------------
--|   SELECT DISTINCT ON (name) name,+
--|      id                          +
--|     FROM a                       +
--|    ORDER BY name, id DESC;
--| (1 row)
create view v18 as select g from generate_series(1, 10) g;
--| CREATE VIEW
select pg_get_viewdef('v18'::regclass);
--|             pg_get_viewdef
--| --------------------------------------
--|   SELECT g                           +
--|     FROM generate_series(1, 10) g(g);
--| (1 row)
create view v19 as select g.i, x.v from generate_series(1, 3) with ordinality as g(i, n) cross join (values (1, 'a'), (2, 'b')) x(k, v);
--| CREATE VIEW
select pg_get_viewdef('v19'::regclass);
--|                           pg_get_viewdef
--| ------------------------------------------------------------------
--|   SELECT g.i,                                                    +
--|      x.v                                                         +
--|     FROM (generate_series(1, 3) WITH ORDINALITY g(i, n)          +
--|       CROSS JOIN ( VALUES (1,'a'::text), (2,'b'::text)) x(k, v));
--| (1 row)
create view v20 as select a.id, e.key, e.value from a, jsonb_each(a.j) e;
--| CREATE VIEW
select pg_get_viewdef('v20'::regclass);
--|                pg_get_viewdef
--| --------------------------------------------
--|   SELECT a.id,                             +
--|      e.key,                                +
--|      e.value                               +
--|     FROM a,                                +
--|      LATERAL jsonb_each(a.j) e(key, value);
--| (1 row)
create view v21 as select a.id, l.m from a left join lateral (select max(qty) as m from b where b.a_id = a.id) l on true;
--| CREATE VIEW
select pg_get_viewdef('v21'::regclass);
--|                  pg_get_viewdef
--| -------------------------------------------------
--|   SELECT a.id,                                  +
--|      l.m                                        +
--|     FROM (a                                     +
--|       LEFT JOIN LATERAL ( SELECT max(b.qty) AS m+
--|             FROM b                              +
--|            WHERE (b.a_id = a.id)) l ON (true));
--| (1 row)
create view v22 as select coalesce(name, 'none'), nullif(t, ''), greatest(id, 5), least(n, 1.5) from a;
--| CREATE VIEW
select pg_get_viewdef('v22'::regclass);
--|                           pg_get_viewdef
--| ------------------------------------------------------------------
--|   SELECT COALESCE(name, 'none'::character varying) AS "coalesce",+
--|      NULLIF(t, ''::text) AS "nullif",                            +
--|      GREATEST(id, 5) AS "greatest",                              +
--|      LEAST(n, 1.5) AS "least"                                    +
--|     FROM a;
--| (1 row)
create view v23 as select id::text, n::int, ts::date, '2020-01-01'::date, 5::bigint, '1 day'::interval, name::varchar(5) from a;
--| CREATE VIEW
select pg_get_viewdef('v23'::regclass);
--|               pg_get_viewdef
--| ------------------------------------------
--|   SELECT (id)::text AS id,               +
--|      (n)::integer AS n,                  +
--|      (ts)::date AS ts,                   +
--|      '2020-01-01'::date AS date,         +
--|      (5)::bigint AS int8,                +
--|      '1 day'::interval AS "interval",    +
--|      (name)::character varying(5) AS name+
--|     FROM a;
--| (1 row)
create view v24 as select upper(name) || ' ' || t, length(t) + 1, -id, id % 2, n * 2, f / 3, b + 1 from a;
--| ERROR:  42701: column "?column?" specified more than once
select pg_get_viewdef('v24'::regclass);
--| ERROR:  42P01: relation "v24" does not exist
create view v25 as select ts + interval '1 hour', tz at time zone 'UTC', extract(year from ts), date_trunc('day', ts), now(), current_date, current_user from a;
--| CREATE VIEW
select pg_get_viewdef('v25'::regclass);
--|                    pg_get_viewdef
--| ----------------------------------------------------
--|   SELECT (ts + '01:00:00'::interval) AS "?column?",+
--|      (tz AT TIME ZONE 'UTC'::text) AS timezone,    +
--|      EXTRACT(year FROM ts) AS "extract",           +
--|      date_trunc('day'::text, ts) AS date_trunc,    +
--|      now() AS now,                                 +
--|      CURRENT_DATE AS "current_date",               +
--|      CURRENT_USER AS "current_user"                +
--|     FROM a;
--| (1 row)
create view v26 as select arr[1], arr[1:2], array[1,2,3], array[]::text[], arr || 4, 3 = any(arr) from a;
--| ERROR:  42701: column "arr" specified more than once
select pg_get_viewdef('v26'::regclass);
--| ERROR:  42P01: relation "v26" does not exist
create view v27 as select j->'a', j->>'b', j#>'{a,b}', j ? 'x', j @> '{"a":1}' from a;
--| ERROR:  42701: column "?column?" specified more than once
select pg_get_viewdef('v27'::regclass);
--| ERROR:  42P01: relation "v27" does not exist
create view v28 as select feels, feels = 'sad', old, case when feels = 'ok' then 1 end from m;
--| CREATE VIEW
select pg_get_viewdef('v28'::regclass);
--|                 pg_get_viewdef
--| ----------------------------------------------
--|   SELECT feels,                              +
--|      (feels = 'sad'::mood) AS "?column?",    +
--|      old,                                    +
--|          CASE                                +
--|              WHEN (feels = 'ok'::mood) THEN 1+
--|              ELSE NULL::integer              +
--|          END AS "case"                       +
--|     FROM m;
--| (1 row)
create view v29 as select id in (1,2,3), name in ('a','b'), id not in (4,5), t like 'x%', t ilike '%y', t not like 'z', t ~ '^a', t between 'a' and 'b' from a;
--| ERROR:  42701: column "?column?" specified more than once
select pg_get_viewdef('v29'::regclass);
--| ERROR:  42P01: relation "v29" does not exist
create view v30 as select id is null, ok is true, ok is not false, name is distinct from t, not ok from a;
--| ERROR:  42701: column "?column?" specified more than once
select pg_get_viewdef('v30'::regclass);
--| ERROR:  42P01: relation "v30" does not exist
create view v31 as select x.id from a x join a y on x.id = y.id join c on c.id = y.id;
--| CREATE VIEW
select pg_get_viewdef('v31'::regclass);
--|           pg_get_viewdef
--| -----------------------------------
--|   SELECT x.id                     +
--|     FROM ((a x                    +
--|       JOIN a y ON ((x.id = y.id)))+
--|       JOIN c ON ((c.id = y.id)));
--| (1 row)
create view v32 as select a.id, c.x from a join c using (id);
--| CREATE VIEW
select pg_get_viewdef('v32'::regclass);
--|       pg_get_viewdef
--| --------------------------
--|   SELECT a.id,           +
--|      c.x                 +
--|     FROM (a              +
--|       JOIN c USING (id));
--| (1 row)
create view v33 as select id, a.name, c.x from a left join c using (id);
--| CREATE VIEW
select pg_get_viewdef('v33'::regclass);
--|         pg_get_viewdef
--| -------------------------------
--|   SELECT a.id,                +
--|      a.name,                  +
--|      c.x                      +
--|     FROM (a                   +
--|       LEFT JOIN c USING (id));
--| (1 row)
create view v34 as select id, a.name, c.x from a full join c using (id);
--| CREATE VIEW
select pg_get_viewdef('v34'::regclass);
--|         pg_get_viewdef
--| -------------------------------
--|   SELECT id,                  +
--|      a.name,                  +
--|      c.x                      +
--|     FROM (a                   +
--|       FULL JOIN c USING (id));
--| (1 row)
create view v35 as select count(distinct name), string_agg(t, ',' order by id desc), array_agg(id) filter (where ok), count(*) filter (where id > 3) from a;
--| ERROR:  42701: column "count" specified more than once
select pg_get_viewdef('v35'::regclass);
--| ERROR:  42P01: relation "v35" does not exist
create view v36 as select name, id, count(*) from a group by rollup (name, id);
--| CREATE VIEW
select pg_get_viewdef('v36'::regclass);
--|         pg_get_viewdef
--| ------------------------------
--|   SELECT name,               +
--|      id,                     +
--|      count(*) AS count       +
--|     FROM a                   +
--|    GROUP BY ROLLUP(name, id);
--| (1 row)
create view v37 as select row_number() over w, lag(id, 2) over w, first_value(t) over (w rows between unbounded preceding and unbounded following) from a window w as (partition by name order by id);
--| CREATE VIEW
select pg_get_viewdef('v37'::regclass);
--|                                                          pg_get_viewdef
--| ---------------------------------------------------------------------------------------------------------------------------------
--|   SELECT row_number() OVER w AS row_number,                                                                                     +
--|      lag(id, 2) OVER w AS lag,                                                                                                  +
--|      first_value(t) OVER (PARTITION BY name ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS first_value+
--|     FROM a                                                                                                                      +
--|    WINDOW w AS (PARTITION BY name ORDER BY id);
--| (1 row)
create view v38 as select a.* from a, b where a.id = b.id;
--| CREATE VIEW
select pg_get_viewdef('v38'::regclass);
--|      pg_get_viewdef
--| ------------------------
--|   SELECT a.id,         +
--|      a.name,           +
--|      a.t,              +
--|      a.n,              +
--|      a.b,              +
--|      a.d,              +
--|      a.ts,             +
--|      a.tz,             +
--|      a.f,              +
--|      a.j,              +
--|      a.arr,            +
--|      a.ok,             +
--|      a.s,              +
--|      a.u,              +
--|      a.iv              +
--|     FROM a,            +
--|      b                 +
--|    WHERE (a.id = b.id);
--| (1 row)
create view v39 as select s, s + 1, s > 3, b > 3000000000, b = 5, f > 1, f = 0.5, n > 0, n = 1.50 from a;
--| ERROR:  42701: column "?column?" specified more than once
select pg_get_viewdef('v39'::regclass);
--| ERROR:  42P01: relation "v39" does not exist
create view v40 as select substring(t from 1 for 2), position('a' in t), trim(t), trim(both 'x' from t), overlay(t placing 'x' from 1), left(t, 2), replace(t, 'a', 'b') from a;
--| ERROR:  42701: column "btrim" specified more than once
select pg_get_viewdef('v40'::regclass);
--| ERROR:  42P01: relation "v40" does not exist
create view v41 as select q.id from (select id, name from a where name = 'x') q where q.id > 1;
--| CREATE VIEW
select pg_get_viewdef('v41'::regclass);
--|                  pg_get_viewdef
--| -------------------------------------------------
--|   SELECT id                                     +
--|     FROM ( SELECT a.id,                         +
--|              a.name                             +
--|             FROM a                              +
--|            WHERE ((a.name)::text = 'x'::text)) q+
--|    WHERE (id > 1);
--| (1 row)
create view v42 as select q.id, q.z from (select id, name from a) as q(id, z);
--| CREATE VIEW
select pg_get_viewdef('v42'::regclass);
--|         pg_get_viewdef
--| ------------------------------
--|   SELECT id,                 +
--|      z                       +
--|     FROM ( SELECT a.id,      +
--|              a.name          +
--|             FROM a) q(id, z);
--| (1 row)
create view v43 as select (select count(*) from a x where x.id = a.id) from a;
--| CREATE VIEW
select pg_get_viewdef('v43'::regclass);
--|              pg_get_viewdef
--| -----------------------------------------
--|   SELECT ( SELECT count(*) AS count     +
--|             FROM a x                    +
--|            WHERE (x.id = a.id)) AS count+
--|     FROM a;
--| (1 row)
create view v44 as select id from a where (id, name) in (select a_id, label from b);
--| CREATE VIEW
select pg_get_viewdef('v44'::regclass);
--|                  pg_get_viewdef
--| -------------------------------------------------
--|   SELECT id                                     +
--|     FROM a                                      +
--|    WHERE ((id, (name)::text) IN ( SELECT b.a_id,+
--|              b.label                            +
--|             FROM b));
--| (1 row)
create view v45 as select id from a where id = any (select a_id from b) or id > all (select qty from b);
--| CREATE VIEW
select pg_get_viewdef('v45'::regclass);
--|                  pg_get_viewdef
--| -------------------------------------------------
--|   SELECT id                                     +
--|     FROM a                                      +
--|    WHERE ((id IN ( SELECT b.a_id                +
--|             FROM b)) OR (id > ALL ( SELECT b.qty+
--|             FROM b)));
--| (1 row)
create view v46 as select true, false, null, null::int, 'text', 1.0, 100, -5, 1e10, 'x''y', e'back\\slash';
--| ERROR:  42701: column "?column?" specified more than once
select pg_get_viewdef('v46'::regclass);
--| ERROR:  42P01: relation "v46" does not exist
create view v47 as select c.y as "Odd Name", "x" as "select" from c;
--| CREATE VIEW
select pg_get_viewdef('v47'::regclass);
--|       pg_get_viewdef
--| --------------------------
--|   SELECT y AS "Odd Name",+
--|      x AS "select"       +
--|     FROM c;
--| (1 row)
create view v48 as select a.id as "a", b.id as "b" from a cross join b;
--| CREATE VIEW
select pg_get_viewdef('v48'::regclass);
--|    pg_get_viewdef
--| ---------------------
--|   SELECT a.id AS a, +
--|      b.id AS b      +
--|     FROM (a         +
--|       CROSS JOIN b);
--| (1 row)
create view v49 as select (b.qty * 2)::numeric(10,1), (qty)::text || 'x' from b;
--| CREATE VIEW
select pg_get_viewdef('v49'::regclass);
--|                   pg_get_viewdef
--| --------------------------------------------------
--|   SELECT ((qty * 2))::numeric(10,1) AS "numeric",+
--|      ((qty)::text || 'x'::text) AS "?column?"    +
--|     FROM b;
--| (1 row)
create view v50 as select * from (a join b on a.id = b.a_id) as j(k1, k2);
--| CREATE VIEW
select pg_get_viewdef('v50'::regclass);
--|                                                    pg_get_viewdef
--| --------------------------------------------------------------------------------------------------------------------
--|   SELECT j.k1,                                                                                                     +
--|      j.k2,                                                                                                         +
--|      j.t,                                                                                                          +
--|      j.n,                                                                                                          +
--|      j.b,                                                                                                          +
--|      j.d,                                                                                                          +
--|      j.ts,                                                                                                         +
--|      j.tz,                                                                                                         +
--|      j.f,                                                                                                          +
--|      j.j,                                                                                                          +
--|      j.arr,                                                                                                        +
--|      j.ok,                                                                                                         +
--|      j.s,                                                                                                          +
--|      j.u,                                                                                                          +
--|      j.iv,                                                                                                         +
--|      j.id,                                                                                                         +
--|      j.a_id,                                                                                                       +
--|      j.label,                                                                                                      +
--|      j.qty,                                                                                                        +
--|      j.c                                                                                                           +
--|     FROM (a                                                                                                        +
--|       JOIN b ON ((a.id = b.a_id))) j(k1, k2, t, n, b, d, ts, tz, f, j, arr, ok, s, u, iv, id, a_id, label, qty, c);
--| (1 row)
create view v51 as select id, sum(n) from a group by 1 order by 2 desc nulls last, 1 nulls first;
--| CREATE VIEW
select pg_get_viewdef('v51'::regclass);
--|                     pg_get_viewdef
--| ------------------------------------------------------
--|   SELECT id,                                         +
--|      sum(n) AS sum                                   +
--|     FROM a                                           +
--|    GROUP BY id                                       +
--|    ORDER BY (sum(n)) DESC NULLS LAST, id NULLS FIRST;
--| (1 row)
create view v52 as select lower(name) as l, count(*) from a group by lower(name) order by lower(name);
--| CREATE VIEW
select pg_get_viewdef('v52'::regclass);
--|           pg_get_viewdef
--| -----------------------------------
--|   SELECT lower((name)::text) AS l,+
--|      count(*) AS count            +
--|     FROM a                        +
--|    GROUP BY (lower((name)::text)) +
--|    ORDER BY (lower((name)::text));
--| (1 row)
create view v53 as select jsonb_build_object('a', id, 'b', name), to_jsonb(a), row_to_json(a) from a;
--| CREATE VIEW
select pg_get_viewdef('v53'::regclass);
--|                                   pg_get_viewdef
--| -----------------------------------------------------------------------------------
--|   SELECT jsonb_build_object('a'::text, id, 'b'::text, name) AS jsonb_build_object,+
--|      to_jsonb(a.*) AS to_jsonb,                                                   +
--|      row_to_json(a.*) AS row_to_json                                              +
--|     FROM a;
--| (1 row)
create view v54 as select date_part('epoch', ts), age(ts), to_char(ts, 'YYYY'), make_date(2020, 1, id) from a;
--| CREATE VIEW
select pg_get_viewdef('v54'::regclass);
--|                    pg_get_viewdef
--| ----------------------------------------------------
--|   SELECT date_part('epoch'::text, ts) AS date_part,+
--|      age(ts) AS age,                               +
--|      to_char(ts, 'YYYY'::text) AS to_char,         +
--|      make_date(2020, 1, id) AS make_date           +
--|     FROM a;
--| (1 row)
create view v55 as select unnest(arr), generate_series(1, 2) from a;
--| CREATE VIEW
select pg_get_viewdef('v55'::regclass);
--|                 pg_get_viewdef
--| ----------------------------------------------
--|   SELECT unnest(arr) AS unnest,              +
--|      generate_series(1, 2) AS generate_series+
--|     FROM a;
--| (1 row)
create view v56 as select id from a order by name fetch first 3 rows only;
--| CREATE VIEW
select pg_get_viewdef('v56'::regclass);
--|  pg_get_viewdef
--| -----------------
--|   SELECT id     +
--|     FROM a      +
--|    ORDER BY name+
--|   LIMIT 3;
--| (1 row)
create view v57 as select id from a order by name fetch first 3 rows with ties;
--| CREATE VIEW
select pg_get_viewdef('v57'::regclass);
--|           pg_get_viewdef
--| ----------------------------------
--|   SELECT id                      +
--|     FROM a                       +
--|    ORDER BY name                 +
--|   FETCH FIRST (3) ROWS WITH TIES;
--| (1 row)
create view v58 as select round(n, 1), abs(id), power(id, 2), floor(f), mod(id, 3), random() from a;
--| CREATE VIEW
select pg_get_viewdef('v58'::regclass);
--|                            pg_get_viewdef
--| --------------------------------------------------------------------
--|   SELECT round(n, 1) AS round,                                     +
--|      abs(id) AS abs,                                               +
--|      power((id)::double precision, (2)::double precision) AS power,+
--|      floor(f) AS floor,                                            +
--|      mod(id, 3) AS mod,                                            +
--|      random() AS random                                            +
--|     FROM a;
--| (1 row)
create view v59 as select md5(t), concat(name, t, id), concat_ws(',', name, t), format('%s', name) from a;
--| CREATE VIEW
select pg_get_viewdef('v59'::regclass);
--|                  pg_get_viewdef
--| -------------------------------------------------
--|   SELECT md5(t) AS md5,                         +
--|      concat(name, t, id) AS concat,             +
--|      concat_ws(','::text, name, t) AS concat_ws,+
--|      format('%s'::text, name) AS format         +
--|     FROM a;
--| (1 row)
create view v60 as select iv * 2, iv + '1 day', d + 1, d - d, ts - ts, d + iv from a;
--| ERROR:  42701: column "?column?" specified more than once
select pg_get_viewdef('v60'::regclass);
--| ERROR:  42P01: relation "v60" does not exist
create view v61 as select a.id, a.name as nm, (b.label || '-'::text) || a.t as z from a inner join b on a.id = b.a_id and b.qty <> 0 left join c on c.id = b.id and c.x is not null where a.n between 1 and 10 and (a.ok or not coalesce(a.ok, true));
--| CREATE VIEW
select pg_get_viewdef('v61'::regclass);
--|                                             pg_get_viewdef
--| ------------------------------------------------------------------------------------------------------
--|   SELECT a.id,                                                                                       +
--|      a.name AS nm,                                                                                   +
--|      ((b.label || '-'::text) || a.t) AS z                                                            +
--|     FROM ((a                                                                                         +
--|       JOIN b ON (((a.id = b.a_id) AND (b.qty <> 0))))                                                +
--|       LEFT JOIN c ON (((c.id = b.id) AND (c.x IS NOT NULL))))                                        +
--|    WHERE ((a.n >= (1)::numeric) AND (a.n <= (10)::numeric) AND (a.ok OR (NOT COALESCE(a.ok, true))));
--| (1 row)
create view v62 as select x.id, count(*) over () as n, sum(x.b) over (partition by x.name) as s, ntile(4) over (order by x.id) as q from a x;
--| CREATE VIEW
select pg_get_viewdef('v62'::regclass);
--|               pg_get_viewdef
--| -------------------------------------------
--|   SELECT id,                              +
--|      count(*) OVER () AS n,               +
--|      sum(b) OVER (PARTITION BY name) AS s,+
--|      ntile(4) OVER (ORDER BY id) AS q     +
--|     FROM a x;
--| (1 row)
create view v63 as select * from (select id, row_number() over (order by id) as rn from a) z where z.rn <= 3;
--| CREATE VIEW
select pg_get_viewdef('v63'::regclass);
--|                    pg_get_viewdef
--| -----------------------------------------------------
--|   SELECT id,                                        +
--|      rn                                             +
--|     FROM ( SELECT a.id,                             +
--|              row_number() OVER (ORDER BY a.id) AS rn+
--|             FROM a) z                               +
--|    WHERE (rn <= 3);
--| (1 row)
create view v64 as with w as materialized (select * from a where ok), z as not materialized (select w.id from w) select z.id, (select count(*) from w) as c from z;
--| CREATE VIEW
select pg_get_viewdef('v64'::regclass);
--|            pg_get_viewdef
--| ------------------------------------
--|   WITH w AS MATERIALIZED (         +
--|           SELECT a.id,             +
--|              a.name,               +
--|              a.t,                  +
--|              a.n,                  +
--|              a.b,                  +
--|              a.d,                  +
--|              a.ts,                 +
--|              a.tz,                 +
--|              a.f,                  +
--|              a.j,                  +
--|              a.arr,                +
--|              a.ok,                 +
--|              a.s,                  +
--|              a.u,                  +
--|              a.iv                  +
--|             FROM a                 +
--|            WHERE a.ok              +
--|          ), z AS NOT MATERIALIZED (+
--|           SELECT w.id              +
--|             FROM w                 +
--|          )                         +
--|   SELECT id,                       +
--|      ( SELECT count(*) AS count    +
--|             FROM w) AS c           +
--|     FROM z;
--| (1 row)
create view v65 as select a.id from a where a.name = (select c.y from c where c.id = a.id limit 1);
--| CREATE VIEW
select pg_get_viewdef('v65'::regclass);
--|             pg_get_viewdef
--| --------------------------------------
--|   SELECT id                          +
--|     FROM a                           +
--|    WHERE ((name)::text = ( SELECT c.y+
--|             FROM c                   +
--|            WHERE (c.id = a.id)       +
--|           LIMIT 1));
--| (1 row)
create view v66 as select id from a where id in (select id from a where n > 1);
--| CREATE VIEW
select pg_get_viewdef('v66'::regclass);
--|               pg_get_viewdef
--| -------------------------------------------
--|   SELECT id                               +
--|     FROM a                                +
--|    WHERE (id IN ( SELECT a_1.id           +
--|             FROM a a_1                    +
--|            WHERE (a_1.n > (1)::numeric)));
--| (1 row)
create view v67 as select a.id, b.id as bid from a, b, c where a.id = b.a_id and b.id = c.id;
--| CREATE VIEW
select pg_get_viewdef('v67'::regclass);
--|                 pg_get_viewdef
--| ----------------------------------------------
--|   SELECT a.id,                               +
--|      b.id AS bid                             +
--|     FROM a,                                  +
--|      b,                                      +
--|      c                                       +
--|    WHERE ((a.id = b.a_id) AND (b.id = c.id));
--| (1 row)
create view v68 as select a.id from a right join b on a.id = b.id;
--| CREATE VIEW
select pg_get_viewdef('v68'::regclass);
--|              pg_get_viewdef
--| ----------------------------------------
--|   SELECT a.id                          +
--|     FROM (a                            +
--|       RIGHT JOIN b ON ((a.id = b.id)));
--| (1 row)
create view v69 as select coalesce(sum(n), 0) as total, count(*) filter (where n > 0) as pos, max(d) as last, min(ts) as first, bool_and(ok) as allok, avg(f) as af from a;
--| CREATE VIEW
select pg_get_viewdef('v69'::regclass);
--|                      pg_get_viewdef
--| --------------------------------------------------------
--|   SELECT COALESCE(sum(n), (0)::numeric) AS total,      +
--|      count(*) FILTER (WHERE (n > (0)::numeric)) AS pos,+
--|      max(d) AS last,                                   +
--|      min(ts) AS first,                                 +
--|      bool_and(ok) AS allok,                            +
--|      avg(f) AS af                                      +
--|     FROM a;
--| (1 row)
create view v70 as select name, array_agg(distinct t order by t desc) as ts, json_agg(j) as js, string_agg(distinct t, ', ') as l from a group by name;
--| CREATE VIEW
select pg_get_viewdef('v70'::regclass);
--|                   pg_get_viewdef
--| --------------------------------------------------
--|   SELECT name,                                   +
--|      array_agg(DISTINCT t ORDER BY t DESC) AS ts,+
--|      json_agg(j) AS js,                          +
--|      string_agg(DISTINCT t, ', '::text) AS l     +
--|     FROM a                                       +
--|    GROUP BY name;
--| (1 row)
create view v71 as select date_trunc('month', tz) as m, sum(n)::numeric(12,2) as s from a where tz >= now() - interval '1 year' group by date_trunc('month', tz) having sum(n) > 0 order by 1;
--| CREATE VIEW
select pg_get_viewdef('v71'::regclass);
--|                 pg_get_viewdef
--| ----------------------------------------------
--|   SELECT date_trunc('month'::text, tz) AS m, +
--|      (sum(n))::numeric(12,2) AS s            +
--|     FROM a                                   +
--|    WHERE (tz >= (now() - '1 year'::interval))+
--|    GROUP BY (date_trunc('month'::text, tz))  +
--|   HAVING (sum(n) > (0)::numeric)             +
--|    ORDER BY (date_trunc('month'::text, tz));
--| (1 row)
create view v72 as select id, j ->> 'name' as jname, (j ->> 'age')::int as age, j #>> '{a,b}' as ab, (j -> 'x' ->> 'y') is not null as has from a where j ? 'name' and (j ->> 'age')::int > 18;
--| CREATE VIEW
select pg_get_viewdef('v72'::regclass);
--|                              pg_get_viewdef
--| -------------------------------------------------------------------------
--|   SELECT id,                                                            +
--|      (j ->> 'name'::text) AS jname,                                     +
--|      ((j ->> 'age'::text))::integer AS age,                             +
--|      (j #>> '{a,b}'::text[]) AS ab,                                     +
--|      (((j -> 'x'::text) ->> 'y'::text) IS NOT NULL) AS has              +
--|     FROM a                                                              +
--|    WHERE ((j ? 'name'::text) AND (((j ->> 'age'::text))::integer > 18));
--| (1 row)
create view v73 as select * from a where name ilike '%' || t || '%' or name similar to 'a%' or t ~* 'x$';
--| CREATE VIEW
select pg_get_viewdef('v73'::regclass);
--|                                                             pg_get_viewdef
--| --------------------------------------------------------------------------------------------------------------------------------------
--|   SELECT id,                                                                                                                         +
--|      name,                                                                                                                           +
--|      t,                                                                                                                              +
--|      n,                                                                                                                              +
--|      b,                                                                                                                              +
--|      d,                                                                                                                              +
--|      ts,                                                                                                                             +
--|      tz,                                                                                                                             +
--|      f,                                                                                                                              +
--|      j,                                                                                                                              +
--|      arr,                                                                                                                            +
--|      ok,                                                                                                                             +
--|      s,                                                                                                                              +
--|      u,                                                                                                                              +
--|      iv                                                                                                                              +
--|     FROM a                                                                                                                           +
--|    WHERE (((name)::text ~~* (('%'::text || t) || '%'::text)) OR ((name)::text ~ similar_to_escape('a%'::text)) OR (t ~* 'x$'::text));
--| (1 row)
create view v74 as select id, case when n is null then 0 when n < 0 then -1 else 1 end as sign, case name when 'x' then 'is x' else name end as q from a;
--| CREATE VIEW
select pg_get_viewdef('v74'::regclass);
--|                       pg_get_viewdef
--| -----------------------------------------------------------
--|   SELECT id,                                              +
--|          CASE                                             +
--|              WHEN (n IS NULL) THEN 0                      +
--|              WHEN (n < (0)::numeric) THEN '-1'::integer   +
--|              ELSE 1                                       +
--|          END AS sign,                                     +
--|          CASE name                                        +
--|              WHEN 'x'::text THEN 'is x'::character varying+
--|              ELSE name                                    +
--|          END AS q                                         +
--|     FROM a;
--| (1 row)
create view v75 as select unnest(array['a','b']) as u;
--| CREATE VIEW
select pg_get_viewdef('v75'::regclass);
--|                   pg_get_viewdef
--| ---------------------------------------------------
--|   SELECT unnest(ARRAY['a'::text, 'b'::text]) AS u;
--| (1 row)
create view v76 as select a.id, t.v from a cross join lateral unnest(a.arr) as t(v);
--| CREATE VIEW
select pg_get_viewdef('v76'::regclass);
--|                 pg_get_viewdef
--| ----------------------------------------------
--|   SELECT a.id,                               +
--|      t.v                                     +
--|     FROM (a                                  +
--|       CROSS JOIN LATERAL unnest(a.arr) t(v));
--| (1 row)
create view v77 as select a.id, t.v, t.i from a cross join lateral unnest(a.arr) with ordinality as t(v, i);
--| CREATE VIEW
select pg_get_viewdef('v77'::regclass);
--|                          pg_get_viewdef
--| -----------------------------------------------------------------
--|   SELECT a.id,                                                  +
--|      t.v,                                                       +
--|      t.i                                                        +
--|     FROM (a                                                     +
--|       CROSS JOIN LATERAL unnest(a.arr) WITH ORDINALITY t(v, i));
--| (1 row)
create view v78 as select g::date as day from generate_series('2020-01-01'::date, '2020-12-31'::date, '1 day'::interval) g;
--| CREATE VIEW
select pg_get_viewdef('v78'::regclass);
--|                                                                   pg_get_viewdef
--| --------------------------------------------------------------------------------------------------------------------------------------------------
--|   SELECT (g)::date AS day                                                                                                                        +
--|     FROM generate_series(('2020-01-01'::date)::timestamp with time zone, ('2020-12-31'::date)::timestamp with time zone, '1 day'::interval) g(g);
--| (1 row)
create view v79 as select 'a' as k, 1 as v union all select 'b', 2 union all select name, id from a;
--| CREATE VIEW
select pg_get_viewdef('v79'::regclass);
--|      pg_get_viewdef
--| -------------------------
--|   SELECT 'a'::text AS k,+
--|      1 AS v             +
--|  UNION ALL              +
--|   SELECT 'b'::text AS k,+
--|      2 AS v             +
--|  UNION ALL              +
--|   SELECT a.name AS k,   +
--|      a.id AS v          +
--|     FROM a;
--| (1 row)
create view v80 as select id from a intersect select id from b union select id from c;
--| CREATE VIEW
select pg_get_viewdef('v80'::regclass);
--|     pg_get_viewdef
--| ----------------------
--|  (                   +
--|           SELECT a.id+
--|             FROM a   +
--|          INTERSECT   +
--|           SELECT b.id+
--|             FROM b   +
--|  ) UNION             +
--|   SELECT c.id        +
--|     FROM c;
--| (1 row)
create view v81 as select id, name from a where (id, name) = (1, 'x') or (id, name) > (2, 'y');
--| CREATE VIEW
select pg_get_viewdef('v81'::regclass);
--|                                                  pg_get_viewdef
--| -----------------------------------------------------------------------------------------------------------------
--|   SELECT id,                                                                                                    +
--|      name                                                                                                       +
--|     FROM a                                                                                                      +
--|    WHERE (((id = 1) AND ((name)::text = 'x'::text)) OR ((id > 2) OR ((id = 2) AND ((name)::text > 'y'::text))));
--| (1 row)
create view v82 as select id, exists (select 1 from b where b.a_id = a.id and b.qty > (select avg(qty) from b b2 where b2.a_id = a.id)) as big from a;
--| CREATE VIEW
select pg_get_viewdef('v82'::regclass);
--|                                     pg_get_viewdef
--| --------------------------------------------------------------------------------------
--|   SELECT id,                                                                         +
--|      (EXISTS ( SELECT 1                                                              +
--|             FROM b                                                                   +
--|            WHERE ((b.a_id = a.id) AND ((b.qty)::numeric > ( SELECT avg(b2.qty) AS avg+
--|                     FROM b b2                                                        +
--|                    WHERE (b2.a_id = a.id)))))) AS big                                +
--|     FROM a;
--| (1 row)
create view v83 as select * from a natural join c;
--| CREATE VIEW
select pg_get_viewdef('v83'::regclass);
--|       pg_get_viewdef
--| --------------------------
--|   SELECT a.id,           +
--|      a.name,             +
--|      a.t,                +
--|      a.n,                +
--|      a.b,                +
--|      a.d,                +
--|      a.ts,               +
--|      a.tz,               +
--|      a.f,                +
--|      a.j,                +
--|      a.arr,              +
--|      a.ok,               +
--|      a.s,                +
--|      a.u,                +
--|      a.iv,               +
--|      c.x,                +
--|      c.y                 +
--|     FROM (a              +
--|       JOIN c USING (id));
--| (1 row)
create view v84 as select current_timestamp as ct, localtimestamp as lt, current_time as cti, session_user as su, current_schema as cs, current_timestamp(2) as ct2;
--| CREATE VIEW
select pg_get_viewdef('v84'::regclass);
--|           pg_get_viewdef
--| ----------------------------------
--|   SELECT CURRENT_TIMESTAMP AS ct,+
--|      LOCALTIMESTAMP AS lt,       +
--|      CURRENT_TIME AS cti,        +
--|      SESSION_USER AS su,         +
--|      CURRENT_SCHEMA AS cs,       +
--|      CURRENT_TIMESTAMP(2) AS ct2;
--| (1 row)
create view v85 as select extract(epoch from tz - now())::int as secs, tz::date as dd, (tz at time zone 'Europe/Berlin')::timestamp(0) as be, iv::text as it from a;
--| CREATE VIEW
select pg_get_viewdef('v85'::regclass);
--|                                     pg_get_viewdef
--| --------------------------------------------------------------------------------------
--|   SELECT (EXTRACT(epoch FROM (tz - now())))::integer AS secs,                        +
--|      (tz)::date AS dd,                                                               +
--|      ((tz AT TIME ZONE 'Europe/Berlin'::text))::timestamp(0) without time zone AS be,+
--|      (iv)::text AS it                                                                +
--|     FROM a;
--| (1 row)
create view v86 as select sum(case when ok then 1 else 0 end) as oks, sum(n * b) as p, count(distinct (id, name)) as cd from a;
--| CREATE VIEW
select pg_get_viewdef('v86'::regclass);
--|              pg_get_viewdef
--| -----------------------------------------
--|   SELECT sum(                           +
--|          CASE                           +
--|              WHEN ok THEN 1             +
--|              ELSE 0                     +
--|          END) AS oks,                   +
--|      sum((n * (b)::numeric)) AS p,      +
--|      count(DISTINCT ROW(id, name)) AS cd+
--|     FROM a;
--| (1 row)
create view v87 as select a.id, s.* from a, (select max(qty) as mq, min(qty) as nq from b) s;
--| CREATE VIEW
select pg_get_viewdef('v87'::regclass);
--|          pg_get_viewdef
--| --------------------------------
--|   SELECT a.id,                 +
--|      s.mq,                     +
--|      s.nq                      +
--|     FROM a,                    +
--|      ( SELECT max(b.qty) AS mq,+
--|              min(b.qty) AS nq  +
--|             FROM b) s;
--| (1 row)
create view v88 as select a.id, s.mq from a left join (select a_id, max(qty) as mq from b group by a_id) s on s.a_id = a.id;
--| CREATE VIEW
select pg_get_viewdef('v88'::regclass);
--|                    pg_get_viewdef
--| -----------------------------------------------------
--|   SELECT a.id,                                      +
--|      s.mq                                           +
--|     FROM (a                                         +
--|       LEFT JOIN ( SELECT b.a_id,                    +
--|              max(b.qty) AS mq                       +
--|             FROM b                                  +
--|            GROUP BY b.a_id) s ON ((s.a_id = a.id)));
--| (1 row)
create view v89 as select id::bigint as big, id::smallint as sm, id::numeric as nu, id::float8 as fl, id::real as re, b::int as bi, n::float8 as nf, f::int as fi, ok::int as oi, id::text::varchar(3) as vv from a;
--| CREATE VIEW
select pg_get_viewdef('v89'::regclass);
--|                 pg_get_viewdef
--| ----------------------------------------------
--|   SELECT (id)::bigint AS big,                +
--|      (id)::smallint AS sm,                   +
--|      (id)::numeric AS nu,                    +
--|      (id)::double precision AS fl,           +
--|      (id)::real AS re,                       +
--|      (b)::integer AS bi,                     +
--|      (n)::double precision AS nf,            +
--|      (f)::integer AS fi,                     +
--|      (ok)::integer AS oi,                    +
--|      ((id)::text)::character varying(3) AS vv+
--|     FROM a;
--| (1 row)
create view v90 as select name collate "C" as nc from a order by name collate "C";
--| CREATE VIEW
select pg_get_viewdef('v90'::regclass);
--|           pg_get_viewdef
--| ----------------------------------
--|   SELECT (name COLLATE "C") AS nc+
--|     FROM a                       +
--|    ORDER BY (name COLLATE "C");
--| (1 row)
create view v91 as select feels, count(*) as n from m where feels in ('sad', 'ok') and feels <> 'ok' and old @> '{sad}' group by feels;
--| CREATE VIEW
select pg_get_viewdef('v91'::regclass);
--|                                                  pg_get_viewdef
--| -----------------------------------------------------------------------------------------------------------------
--|   SELECT feels,                                                                                                 +
--|      count(*) AS n                                                                                              +
--|     FROM m                                                                                                      +
--|    WHERE ((feels = ANY (ARRAY['sad'::mood, 'ok'::mood])) AND (feels <> 'ok'::mood) AND (old @> '{sad}'::mood[]))+
--|    GROUP BY feels;
--| (1 row)
create view v92 as select m.feels::text as f, 'sad'::mood as g, enum_range(null::mood) as er from m;
--| CREATE VIEW
select pg_get_viewdef('v92'::regclass);
--|           pg_get_viewdef
--| ----------------------------------
--|   SELECT (feels)::text AS f,     +
--|      'sad'::mood AS g,           +
--|      enum_range(NULL::mood) AS er+
--|     FROM m;
--| (1 row)
create view v93 as select lower(a.name) as l from a where lower(a.name) = 'x' and upper(t) like 'X%';
--| CREATE VIEW
select pg_get_viewdef('v93'::regclass);
--|                               pg_get_viewdef
--| ---------------------------------------------------------------------------
--|   SELECT lower((name)::text) AS l                                         +
--|     FROM a                                                                +
--|    WHERE ((lower((name)::text) = 'x'::text) AND (upper(t) ~~ 'X%'::text));
--| (1 row)
create view v94 as select id as "Id", name as "user", t as "order" from a;
--| CREATE VIEW
select pg_get_viewdef('v94'::regclass);
--|    pg_get_viewdef
--| ---------------------
--|   SELECT id AS "Id",+
--|      name AS "user",+
--|      t AS "order"   +
--|     FROM a;
--| (1 row)
create view v95 as select a.* , b.label from a left join b using (id);
--| CREATE VIEW
select pg_get_viewdef('v95'::regclass);
--|         pg_get_viewdef
--| -------------------------------
--|   SELECT a.id,                +
--|      a.name,                  +
--|      a.t,                     +
--|      a.n,                     +
--|      a.b,                     +
--|      a.d,                     +
--|      a.ts,                    +
--|      a.tz,                    +
--|      a.f,                     +
--|      a.j,                     +
--|      a.arr,                   +
--|      a.ok,                    +
--|      a.s,                     +
--|      a.u,                     +
--|      a.iv,                    +
--|      b.label                  +
--|     FROM (a                   +
--|       LEFT JOIN b USING (id));
--| (1 row)
create view v96 as select count(*) as c from a having count(*) > 1;
--| CREATE VIEW
select pg_get_viewdef('v96'::regclass);
--|      pg_get_viewdef
--| -------------------------
--|   SELECT count(*) AS c  +
--|     FROM a              +
--|   HAVING (count(*) > 1);
--| (1 row)
create view v97 as select 1 as one where true;
--| CREATE VIEW
select pg_get_viewdef('v97'::regclass);
--|   pg_get_viewdef
--| ------------------
--|   SELECT 1 AS one+
--|    WHERE true;
--| (1 row)
create view v98 as select id from a limit all offset 3;
--| CREATE VIEW
select pg_get_viewdef('v98'::regclass);
--|  pg_get_viewdef
--| ----------------
--|   SELECT id    +
--|     FROM a     +
--|   OFFSET 3;
--| (1 row)
create view v99 as select id from a order by id nulls first, name desc nulls last limit 5;
--| CREATE VIEW
select pg_get_viewdef('v99'::regclass);
--|                  pg_get_viewdef
--| -------------------------------------------------
--|   SELECT id                                     +
--|     FROM a                                      +
--|    ORDER BY id NULLS FIRST, name DESC NULLS LAST+
--|   LIMIT 5;
--| (1 row)
create view v100 as select s.id from (select id from a union select id from b) s;
--| CREATE VIEW
select pg_get_viewdef('v100'::regclass);
--|     pg_get_viewdef
--| -----------------------
--|   SELECT id           +
--|     FROM ( SELECT a.id+
--|             FROM a    +
--|          UNION        +
--|           SELECT b.id +
--|             FROM b) s;
--| (1 row)
create view v101 as select greatest(n, 0) as g, least(d, '2020-01-01') as l, nullif(id, 0) as ni, n::int / nullif(id, 0) as dv from a;
--| CREATE VIEW
select pg_get_viewdef('v101'::regclass);
--|               pg_get_viewdef
--| ------------------------------------------
--|   SELECT GREATEST(n, (0)::numeric) AS g, +
--|      LEAST(d, '2020-01-01'::date) AS l,  +
--|      NULLIF(id, 0) AS ni,                +
--|      ((n)::integer / NULLIF(id, 0)) AS dv+
--|     FROM a;
--| (1 row)
create view v102 as select to_char(tz, 'YYYY-MM') as ym, to_date(t, 'YYYY') as td, age(tz) as ag, date_part('year', d) as y, d + 7 as w, d - '2020-01-01'::date as dd, tz + iv * 2 as t2, now() - tz as since from a;
--| CREATE VIEW
select pg_get_viewdef('v102'::regclass);
--|                  pg_get_viewdef
--| ------------------------------------------------
--|   SELECT to_char(tz, 'YYYY-MM'::text) AS ym,   +
--|      to_date(t, 'YYYY'::text) AS td,           +
--|      age(tz) AS ag,                            +
--|      date_part('year'::text, d) AS y,          +
--|      (d + 7) AS w,                             +
--|      (d - '2020-01-01'::date) AS dd,           +
--|      (tz + (iv * (2)::double precision)) AS t2,+
--|      (now() - tz) AS since                     +
--|     FROM a;
--| (1 row)
create view v103 as select regexp_replace(t, 'a', 'b', 'g') as r, split_part(t, '-', 1) as sp, substring(t, 1, 3) as ss, substring(t from 'a.*') as sr, strpos(t, 'x') as px, lpad(t, 5, '0') as lp, initcap(t) as ic, char_length(t) as cl, coalesce(t, name, 'z') as co from a;
--| CREATE VIEW
select pg_get_viewdef('v103'::regclass);
--|                           pg_get_viewdef
--| ------------------------------------------------------------------
--|   SELECT regexp_replace(t, 'a'::text, 'b'::text, 'g'::text) AS r,+
--|      split_part(t, '-'::text, 1) AS sp,                          +
--|      "substring"(t, 1, 3) AS ss,                                 +
--|      "substring"(t, 'a.*'::text) AS sr,                          +
--|      strpos(t, 'x'::text) AS px,                                 +
--|      lpad(t, 5, '0'::text) AS lp,                                +
--|      initcap(t) AS ic,                                           +
--|      char_length(t) AS cl,                                       +
--|      COALESCE(t, (name)::text, 'z'::text) AS co                  +
--|     FROM a;
--| (1 row)
create view v104 as select x.id, y.id as yid from a x left join a y on y.id = x.id + 1 where y.id is null;
--| CREATE VIEW
select pg_get_viewdef('v104'::regclass);
--|                 pg_get_viewdef
--| ----------------------------------------------
--|   SELECT x.id,                               +
--|      y.id AS yid                             +
--|     FROM (a x                                +
--|       LEFT JOIN a y ON ((y.id = (x.id + 1))))+
--|    WHERE (y.id IS NULL);
--| (1 row)
create view v105 as select u, u = '00000000-0000-0000-0000-000000000000' as z, gen_random_uuid() as g from a;
--| CREATE VIEW
select pg_get_viewdef('v105'::regclass);
--|                         pg_get_viewdef
--| --------------------------------------------------------------
--|   SELECT u,                                                  +
--|      (u = '00000000-0000-0000-0000-000000000000'::uuid) AS z,+
--|      gen_random_uuid() AS g                                  +
--|     FROM a;
--| (1 row)
create view v106 as values (1, 'a'), (2, 'b');
--| CREATE VIEW
select pg_get_viewdef('v106'::regclass);
--|             pg_get_viewdef
--| ---------------------------------------
--|   VALUES (1,'a'::text), (2,'b'::text);
--| (1 row)
create view v107 as select * from (values (1, 'a'), (2, null)) as v(id, x) join a using (id);
--| CREATE VIEW
select pg_get_viewdef('v107'::regclass);
--|                       pg_get_viewdef
--| -----------------------------------------------------------
--|   SELECT v.id,                                            +
--|      v.x,                                                 +
--|      a.name,                                              +
--|      a.t,                                                 +
--|      a.n,                                                 +
--|      a.b,                                                 +
--|      a.d,                                                 +
--|      a.ts,                                                +
--|      a.tz,                                                +
--|      a.f,                                                 +
--|      a.j,                                                 +
--|      a.arr,                                               +
--|      a.ok,                                                +
--|      a.s,                                                 +
--|      a.u,                                                 +
--|      a.iv                                                 +
--|     FROM (( VALUES (1,'a'::text), (2,NULL::text)) v(id, x)+
--|       JOIN a USING (id));
--| (1 row)
create view v108 as select a.id, (a.id = 1) = true as e, not (a.id = 2) as f, a.ok is unknown as g, a.ok is not unknown as h from a;
--| CREATE VIEW
select pg_get_viewdef('v108'::regclass);
--|        pg_get_viewdef
--| -----------------------------
--|   SELECT id,                +
--|      ((id = 1) = true) AS e,+
--|      (NOT (id = 2)) AS f,   +
--|      (ok IS NULL) AS g,     +
--|      (ok IS NOT NULL) AS h  +
--|     FROM a;
--| (1 row)
create view v109 as select sum(sum(n)) over (order by name) as run, name from a group by name;
--| CREATE VIEW
select pg_get_viewdef('v109'::regclass);
--|                   pg_get_viewdef
--| --------------------------------------------------
--|   SELECT sum(sum(n)) OVER (ORDER BY name) AS run,+
--|      name                                        +
--|     FROM a                                       +
--|    GROUP BY name;
--| (1 row)
create view v110 as select id, lead(n, 1, 0) over (partition by name order by id) - n as diff, n / sum(n) over () * 100 as pct from a;
--| CREATE VIEW
select pg_get_viewdef('v110'::regclass);
--|                                   pg_get_viewdef
--| ----------------------------------------------------------------------------------
--|   SELECT id,                                                                     +
--|      (lead(n, 1, (0)::numeric) OVER (PARTITION BY name ORDER BY id) - n) AS diff,+
--|      ((n / sum(n) OVER ()) * (100)::numeric) AS pct                              +
--|     FROM a;
--| (1 row)
create view v111 as table c;
--| CREATE VIEW
select pg_get_viewdef('v111'::regclass);
--|  pg_get_viewdef
--| ----------------
--|   SELECT id,   +
--|      x,        +
--|      y         +
--|     FROM c;
--| (1 row)
create view v112 as select id, exists (select 1 from b where b.a_id = a.id and b.qty > (select avg(b2.qty) from b b2)) as big from a;
--| CREATE VIEW
select pg_get_viewdef('v112'::regclass);
--|                                     pg_get_viewdef
--| --------------------------------------------------------------------------------------
--|   SELECT id,                                                                         +
--|      (EXISTS ( SELECT 1                                                              +
--|             FROM b                                                                   +
--|            WHERE ((b.a_id = a.id) AND ((b.qty)::numeric > ( SELECT avg(b2.qty) AS avg+
--|                     FROM b b2))))) AS big                                            +
--|     FROM a;
--| (1 row)
create view v113 as select id, exists (select 1 from b where b.qty > (select b2.qty from b b2 where b2.a_id = a.id)) as big from a;
--| CREATE VIEW
select pg_get_viewdef('v113'::regclass);
--|                    pg_get_viewdef
--| -----------------------------------------------------
--|   SELECT id,                                        +
--|      (EXISTS ( SELECT 1                             +
--|             FROM b                                  +
--|            WHERE (b.qty > ( SELECT b2.qty           +
--|                     FROM b b2                       +
--|                    WHERE (b2.a_id = a.id))))) AS big+
--|     FROM a;
--| (1 row)
create view v114 as select id, exists (select 1 from b where b.qty > (select max(b2.qty) from b b2 where b2.id = b.id)) as big from a;
--| CREATE VIEW
select pg_get_viewdef('v114'::regclass);
--|                     pg_get_viewdef
--| ------------------------------------------------------
--|   SELECT id,                                         +
--|      (EXISTS ( SELECT 1                              +
--|             FROM b                                   +
--|            WHERE (b.qty > ( SELECT max(b2.qty) AS max+
--|                     FROM b b2                        +
--|                    WHERE (b2.id = b.id))))) AS big   +
--|     FROM a;
--| (1 row)
create view v115 as table c;
--| CREATE VIEW
select pg_get_viewdef('v115'::regclass);
--|  pg_get_viewdef
--| ----------------
--|   SELECT id,   +
--|      x,        +
--|      y         +
--|     FROM c;
--| (1 row)
create view v116 as select * from a natural join c;
--| CREATE VIEW
select pg_get_viewdef('v116'::regclass);
--|       pg_get_viewdef
--| --------------------------
--|   SELECT a.id,           +
--|      a.name,             +
--|      a.t,                +
--|      a.n,                +
--|      a.b,                +
--|      a.d,                +
--|      a.ts,               +
--|      a.tz,               +
--|      a.f,                +
--|      a.j,                +
--|      a.arr,              +
--|      a.ok,               +
--|      a.s,                +
--|      a.u,                +
--|      a.iv,               +
--|      c.x,                +
--|      c.y                 +
--|     FROM (a              +
--|       JOIN c USING (id));
--| (1 row)
create view v117 as select m.feels::text as f, enum_range(null::mood) as er, enum_range('sad'::mood, 'ok'::mood) as e2, enum_first(feels) as ef from m;
--| CREATE VIEW
select pg_get_viewdef('v117'::regclass);
--|                  pg_get_viewdef
--| ------------------------------------------------
--|   SELECT (feels)::text AS f,                   +
--|      enum_range(NULL::mood) AS er,             +
--|      enum_range('sad'::mood, 'ok'::mood) AS e2,+
--|      enum_first(NULL::mood) AS ef              +
--|     FROM m;
--| (1 row)
create view v118 as select current_timestamp as ct, localtimestamp as lt, current_time as cti, session_user as su, current_schema as cs, current_timestamp(2) as ct2, localtimestamp(0) as l0;
--| CREATE VIEW
select pg_get_viewdef('v118'::regclass);
--|           pg_get_viewdef
--| ----------------------------------
--|   SELECT CURRENT_TIMESTAMP AS ct,+
--|      LOCALTIMESTAMP AS lt,       +
--|      CURRENT_TIME AS cti,        +
--|      SESSION_USER AS su,         +
--|      CURRENT_SCHEMA AS cs,       +
--|      CURRENT_TIMESTAMP(2) AS ct2,+
--|      LOCALTIMESTAMP(0) AS l0;
--| (1 row)
create view v201 as select id from a where ((name)::text = ANY ((ARRAY['x'::character varying, 'y'::character varying])::text[]));
--| CREATE VIEW
select pg_get_viewdef('v201'::regclass);
--|                                          pg_get_viewdef
--| -------------------------------------------------------------------------------------------------
--|   SELECT id                                                                                     +
--|     FROM a                                                                                      +
--|    WHERE ((name)::text = ANY ((ARRAY['x'::character varying, 'y'::character varying])::text[]));
--| (1 row)
create view v202 as select id from a where ((name)::text = ANY (ARRAY[('x'::character varying)::text, ('y'::character varying)::text]));
--| CREATE VIEW
select pg_get_viewdef('v202'::regclass);
--|                        pg_get_viewdef
--| -------------------------------------------------------------
--|   SELECT id                                                 +
--|     FROM a                                                  +
--|    WHERE ((name)::text = ANY (ARRAY['x'::text, 'y'::text]));
--| (1 row)
create view v203 as select id from a where name in ('x', t) or id in (1, s);
--| CREATE VIEW
select pg_get_viewdef('v203'::regclass);
--|                                     pg_get_viewdef
--| ---------------------------------------------------------------------------------------
--|   SELECT id                                                                           +
--|     FROM a                                                                            +
--|    WHERE (((name)::text = 'x'::text) OR ((name)::text = t) OR ((id = 1) OR (id = s)));
--| (1 row)
create view v204 as select id from a where name = any (array['x','y']) and (t = any (string_to_array('a,b', ',')));
--| CREATE VIEW
select pg_get_viewdef('v204'::regclass);
--|                                                     pg_get_viewdef
--| -----------------------------------------------------------------------------------------------------------------------
--|   SELECT id                                                                                                           +
--|     FROM a                                                                                                            +
--|    WHERE (((name)::text = ANY (ARRAY['x'::text, 'y'::text])) AND (t = ANY (string_to_array('a,b'::text, ','::text))));
--| (1 row)
create view v205 as select id from a where name not in ('x', t) and id in (1) and b in (1, s) and s in (1,2) and b in (3, 4) and n in (1, 2.5) and d in ('2020-01-01', '2020-01-02') or u in ('00000000-0000-0000-0000-000000000000');
--| CREATE VIEW
select pg_get_viewdef('v205'::regclass);
--|                                                                                                                                                        pg_get_viewdef
--| -----------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|   SELECT id                                                                                                                                                                                                                                                                                                                 +
--|     FROM a                                                                                                                                                                                                                                                                                                                  +
--|    WHERE ((((name)::text <> 'x'::text) AND ((name)::text <> t) AND (id = 1) AND ((b = 1) OR (b = s)) AND (s = ANY (ARRAY[1, 2])) AND (b = ANY (ARRAY[3, 4])) AND (n = ANY (ARRAY[(1)::numeric, 2.5])) AND (d = ANY (ARRAY['2020-01-01'::date, '2020-01-02'::date]))) OR (u = '00000000-0000-0000-0000-000000000000'::uuid));
--| (1 row)
create table t_written (id int default 5, n numeric default 0, s varchar(5) default 'x', k text default case when 1 > 2 then 'a' else lower('B') end,
    d date default current_date + 1, f float8 default 0.5, b bigint default 5, g int generated always as (id * 2 + 1) stored,
    check (s in ('a', 'b')), check (n > 0 and id between 1 and 10), check (case when id > 0 then n > 1 else n < 1 end));
--| CREATE TABLE
select a.attname, pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    where d.adrelid = 't_written'::regclass order by a.attnum;
--|  attname |           pg_get_expr
--| ---------+---------------------------------
--|  id      | 5
--|  n       | 0
--|  s       | 'x'::character varying
--|  k       |                                +
--|          | CASE                           +
--|          |     WHEN (1 > 2) THEN 'a'::text+
--|          |     ELSE lower('B'::text)      +
--|          | END
--|  d       | (CURRENT_DATE + 1)
--|  f       | 0.5
--|  b       | 5
--|  g       | ((id * 2) + 1)
--| (8 rows)
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 't_written'::regclass order by 1;
--|       conname      |                    pg_get_constraintdef
--| -------------------+-------------------------------------------------------------
--|  t_written_check   | CHECK (((n > (0)::numeric) AND ((id >= 1) AND (id <= 10))))
--|  t_written_check1  | CHECK (                                                    +
--|                    | CASE                                                       +
--|                    |     WHEN (id > 0) THEN (n > (1)::numeric)                  +
--|                    |     ELSE (n < (1)::numeric)                                +
--|                    | END)
--|  t_written_s_check | CHECK (((s)::text = ANY (ARRAY['a'::text, 'b'::text])))
--| (3 rows)
create extension if not exists "uuid-ossp";
--| CREATE EXTENSION
create table ext_written (u uuid default uuid_generate_v4());
--| CREATE TABLE
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'ext_written'::regclass;
--|     pg_get_expr
--| --------------------
--|  uuid_generate_v4()
--| (1 row)
set search_path = '';
--| SET
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'public.ext_written'::regclass;
--|         pg_get_expr
--| ---------------------------
--|  public.uuid_generate_v4()
--| (1 row)
select description from pg_description where classoid = 'pg_extension'::regclass and objoid = (select oid from pg_extension where extname = 'uuid-ossp');
--|                    description
--| -------------------------------------------------
--|  generate universally unique identifiers (UUIDs)
--| (1 row)
reset search_path;
--| RESET
create extension if not exists citext;
--| CREATE EXTENSION
create table ci_written (login citext check (login <> 'root'), other citext default 'X');
--| CREATE TABLE
create view ci_view as select login = 'ANN' as is_ann, login::text as plain from ci_written where login in ('a', 'b') or other < login;
--| CREATE VIEW
set search_path = '';
--| SET
select pg_get_viewdef('public.ci_view'::regclass);
--|                                                         pg_get_viewdef
--| -------------------------------------------------------------------------------------------------------------------------------
--|   SELECT (login OPERATOR(public.=) 'ANN'::public.citext) AS is_ann,                                                           +
--|      (login)::text AS plain                                                                                                   +
--|     FROM public.ci_written                                                                                                    +
--|    WHERE ((login OPERATOR(public.=) ANY (ARRAY['a'::public.citext, 'b'::public.citext])) OR (other OPERATOR(public.<) login));
--| (1 row)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'public.ci_written'::regclass;
--|                    pg_get_constraintdef
--| -----------------------------------------------------------
--|  CHECK ((login OPERATOR(public.<>) 'root'::public.citext))
--| (1 row)
select 'A'::public.citext operator(public.=) any (array['a'::public.citext]), 3 operator(pg_catalog.>) all ('{1,2}'::int[]);
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
reset search_path;
--| RESET

create view v301 as select count(*) over (order by d range between '1 day'::interval preceding and current row) as c from a;
--| CREATE VIEW
select pg_get_viewdef('v301'::regclass);
--|                                           pg_get_viewdef
--| ---------------------------------------------------------------------------------------------------
--|   SELECT count(*) OVER (ORDER BY d RANGE BETWEEN '1 day'::interval PRECEDING AND CURRENT ROW) AS c+
--|     FROM a;
--| (1 row)
create view v302 as select jsonb_extract_path_text(j, 'a', t) as x, jsonb_extract_path(j, variadic array['k'::text]) as y from a;
--| CREATE VIEW
select pg_get_viewdef('v302'::regclass);
--|                              pg_get_viewdef
--| ------------------------------------------------------------------------
--|   SELECT jsonb_extract_path_text(j, VARIADIC ARRAY['a'::text, t]) AS x,+
--|      jsonb_extract_path(j, VARIADIC ARRAY['k'::text]) AS y             +
--|     FROM a;
--| (1 row)
create view v303 as select id from a where name in (select y from c) or name not in (select label from b);
--| CREATE VIEW
select pg_get_viewdef('v303'::regclass);
--|                         pg_get_viewdef
--| ---------------------------------------------------------------
--|   SELECT id                                                   +
--|     FROM a                                                    +
--|    WHERE (((name)::text IN ( SELECT c.y                       +
--|             FROM c)) OR (NOT ((name)::text IN ( SELECT b.label+
--|             FROM b))));
--| (1 row)
create view v304 as select id from a order by 1 + 1, 5::bigint, name::char(3), ok::text;
--| CREATE VIEW
select pg_get_viewdef('v304'::regclass);
--|                               pg_get_viewdef
--| --------------------------------------------------------------------------
--|   SELECT id                                                              +
--|     FROM a                                                               +
--|    ORDER BY (1 + 1), ((5)::bigint), ((name)::character(3)), ((ok)::text);
--| (1 row)
create view v305 as select s + 1::smallint as s1, b % 2 as b2, b + 2 as b3, id + 5::bigint as b4, s > 3::smallint as g, b & 7 as b5 from a;
--| CREATE VIEW
select pg_get_viewdef('v305'::regclass);
--|            pg_get_viewdef
--| ------------------------------------
--|   SELECT (s + (1)::smallint) AS s1,+
--|      (b % (2)::bigint) AS b2,      +
--|      (b + 2) AS b3,                +
--|      (id + (5)::bigint) AS b4,     +
--|      (s > 3) AS g,                 +
--|      (b & (7)::bigint) AS b5       +
--|     FROM a;
--| (1 row)
create view v306 as select a.id from a full join c using (id) where name is not distinct from t and nullif(name, 'x') = 'y' and name between 'a' and t;
--| CREATE VIEW
select pg_get_viewdef('v306'::regclass);
--|                                                                                pg_get_viewdef
--| ----------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|   SELECT a.id                                                                                                                                                              +
--|     FROM (a                                                                                                                                                                +
--|       FULL JOIN c USING (id))                                                                                                                                              +
--|    WHERE ((NOT ((a.name)::text IS DISTINCT FROM a.t)) AND (NULLIF((a.name)::text, 'x'::text) = 'y'::text) AND (((a.name)::text >= 'a'::text) AND ((a.name)::text <= a.t)));
--| (1 row)
create view v307 as select name, id, count(*) as n from a group by grouping sets (rollup (name, id), cube (id, (name, id)), (name), ());
--| CREATE VIEW
select pg_get_viewdef('v307'::regclass);
--|                                  pg_get_viewdef
--| --------------------------------------------------------------------------------
--|   SELECT name,                                                                 +
--|      id,                                                                       +
--|      count(*) AS n                                                             +
--|     FROM a                                                                     +
--|    GROUP BY GROUPING SETS (ROLLUP(name, id), CUBE(id, (name, id)), (name), ());
--| (1 row)
create view v308 as select '10.0.0.0/8'::cidr as net, '10.0.0.1'::inet as ip, '{1,2}'::smallint[] as s, 'x'::bpchar as c;
--| CREATE VIEW
select pg_get_viewdef('v308'::regclass);
--|            pg_get_viewdef
--| ------------------------------------
--|   SELECT '10.0.0.0/8'::cidr AS net,+
--|      '10.0.0.1'::inet AS ip,       +
--|      '{1,2}'::smallint[] AS s,     +
--|      'x'::bpchar AS c;
--| (1 row)

select id from a order by true;
--| ERROR:  42601: non-integer constant in ORDER BY
select id from a order by 1.5;
--| ERROR:  42601: non-integer constant in ORDER BY
-- Constants that are calculated with are shown as they were written, not as what comes of them.
create table dft (a int default 3+5, b int default (3*5), c timestamp default now() + interval '1 day', d int check (d > 3+5), e text default 'a' || 'b', f bigint default 3+5, g int generated always as (d + 3*5) stored, h numeric default 1.5 * 2, i int default -5, j int default - (5), l int default length('abc'), m int[] default array[1,2], n int default ('5')::int, p text default upper('x'), q date default '2020-01-01'::date + 1);
--| CREATE TABLE
select column_name, column_default, generation_expression from information_schema.columns where table_name = 'dft' order by ordinal_position;
--|  column_name |       column_default        | generation_expression
--| -------------+-----------------------------+-----------------------
--|  a           | (3 + 5)                     |
--|  b           | (3 * 5)                     |
--|  c           | (now() + '1 day'::interval) |
--|  d           |                             |
--|  e           | ('a'::text || 'b'::text)    |
--|  f           | (3 + 5)                     |
--|  g           |                             | (d + (3 * 5))
--|  h           | (1.5 * (2)::numeric)        |
--|  i           | '-5'::integer               |
--|  j           | '-5'::integer               |
--|  l           | length('abc'::text)         |
--|  m           | ARRAY[1, 2]                 |
--|  n           | 5                           |
--|  p           | upper('x'::text)            |
--|  q           | ('2020-01-01'::date + 1)    |
--| (15 rows)
select attnum, pg_get_expr(adbin, adrelid) from pg_attrdef join pg_attribute on adnum = attnum and attrelid = adrelid where adrelid = 'dft'::regclass order by 1;
--|  attnum |         pg_get_expr
--| --------+-----------------------------
--|       1 | (3 + 5)
--|       2 | (3 * 5)
--|       3 | (now() + '1 day'::interval)
--|       5 | ('a'::text || 'b'::text)
--|       6 | (3 + 5)
--|       7 | (d + (3 * 5))
--|       8 | (1.5 * (2)::numeric)
--|       9 | '-5'::integer
--|      10 | '-5'::integer
--|      11 | length('abc'::text)
--|      12 | ARRAY[1, 2]
--|      13 | 5
--|      14 | upper('x'::text)
--|      15 | ('2020-01-01'::date + 1)
--| (14 rows)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'dft'::regclass;
--|  pg_get_constraintdef
--| -----------------------
--|  CHECK ((d > (3 + 5)))
--| (1 row)
create view dv as select 3+5 as x, 'a' || 'b' as y, length('abc') as z, - 5 as n, null::int + 1 as j, f = null as k, case when 1 = 1 then 2 + 2 end as l, 1 < 2 as m, coalesce(null, 1+1) as o from dft where a = 3+5;
--| CREATE VIEW
select pg_get_viewdef('dv');
--|               pg_get_viewdef
--| -------------------------------------------
--|   SELECT (3 + 5) AS x,                    +
--|      ('a'::text || 'b'::text) AS y,       +
--|      length('abc'::text) AS z,            +
--|      '-5'::integer AS n,                  +
--|      (NULL::integer + 1) AS j,            +
--|      (f = NULL::bigint) AS k,             +
--|          CASE                             +
--|              WHEN (1 = 1) THEN (2 + 2)    +
--|              ELSE NULL::integer           +
--|          END AS l,                        +
--|      (1 < 2) AS m,                        +
--|      COALESCE(NULL::integer, (1 + 1)) AS o+
--|     FROM dft                              +
--|    WHERE (a = (3 + 5));
--| (1 row)
drop view dv;
--| DROP VIEW
drop table dft;
--| DROP TABLE
