-- CASE with an operand is shown as it is written, whatever the operand is.
create sequence s;
--| CREATE SEQUENCE
create table t (a varchar(5), b text, n int, ch char(3), check (case a when 'x' then true when b then false end));
--| CREATE TABLE
create view of_query as select case (select max(n) from t) when 1 then nextval('s') end w from t;
--| CREATE VIEW
create view of_exists as select case exists (select 1 from t) when true then 1 else 0 end w;
--| CREATE VIEW
create view of_texts as select case a when 'x' then 1 when b then 2 end p, case ch when 'x' then 1 end r, case upper(b) when 'X' then b else 'y' end s from t;
--| CREATE VIEW
create view of_numbers as select case n when 1 then 'a' when n + 1 then 'b' end p, case n % 2 when 0 then 1.5 else n end q, case 'x' when b then 1 end r, case n + 1 when 1 then 'a' end u, case n when 1.5 then 'a' when 2::bigint then 'b' end v from t;
--| CREATE VIEW
create view as_typed as select n = any (select 1), nextval('s') from t order by case (select 2) when 2 then a end;
--| CREATE VIEW
select relname, pg_get_viewdef(oid) from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace order by relname;
--|   relname   |                 pg_get_viewdef
--| ------------+------------------------------------------------
--|  as_typed   |  SELECT (n IN ( SELECT 1)) AS "?column?",     +
--|             |     nextval('s'::regclass) AS nextval         +
--|             |    FROM t                                     +
--|             |   ORDER BY                                    +
--|             |         CASE ( SELECT 2)                      +
--|             |             WHEN 2 THEN a                     +
--|             |             ELSE NULL::character varying      +
--|             |         END;
--|  of_exists  |  SELECT                                       +
--|             |         CASE (EXISTS ( SELECT 1               +
--|             |                FROM t))                       +
--|             |             WHEN true THEN 1                  +
--|             |             ELSE 0                            +
--|             |         END AS w;
--|  of_numbers |  SELECT                                       +
--|             |         CASE n                                +
--|             |             WHEN 1 THEN 'a'::text             +
--|             |             WHEN (n + 1) THEN 'b'::text       +
--|             |             ELSE NULL::text                   +
--|             |         END AS p,                             +
--|             |         CASE (n % 2)                          +
--|             |             WHEN 0 THEN 1.5                   +
--|             |             ELSE (n)::numeric                 +
--|             |         END AS q,                             +
--|             |         CASE 'x'::text                        +
--|             |             WHEN b THEN 1                     +
--|             |             ELSE NULL::integer                +
--|             |         END AS r,                             +
--|             |         CASE (n + 1)                          +
--|             |             WHEN 1 THEN 'a'::text             +
--|             |             ELSE NULL::text                   +
--|             |         END AS u,                             +
--|             |         CASE n                                +
--|             |             WHEN 1.5 THEN 'a'::text           +
--|             |             WHEN (2)::bigint THEN 'b'::text   +
--|             |             ELSE NULL::text                   +
--|             |         END AS v                              +
--|             |    FROM t;
--|  of_query   |  SELECT                                       +
--|             |         CASE ( SELECT max(t_1.n) AS max       +
--|             |                FROM t t_1)                    +
--|             |             WHEN 1 THEN nextval('s'::regclass)+
--|             |             ELSE NULL::bigint                 +
--|             |         END AS w                              +
--|             |    FROM t;
--|  of_texts   |  SELECT                                       +
--|             |         CASE a                                +
--|             |             WHEN 'x'::text THEN 1             +
--|             |             WHEN b THEN 2                     +
--|             |             ELSE NULL::integer                +
--|             |         END AS p,                             +
--|             |         CASE ch                               +
--|             |             WHEN 'x'::bpchar THEN 1           +
--|             |             ELSE NULL::integer                +
--|             |         END AS r,                             +
--|             |         CASE upper(b)                         +
--|             |             WHEN 'X'::text THEN b             +
--|             |             ELSE 'y'::text                    +
--|             |         END AS s                              +
--|             |    FROM t;
--| (5 rows)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't'::regclass;
--|      pg_get_constraintdef
--| ------------------------------
--|  CHECK (                     +
--|  CASE a                      +
--|      WHEN 'x'::text THEN true+
--|      WHEN b THEN false       +
--|      ELSE NULL::boolean      +
--|  END)
--| (1 row)
insert into t values ('x', 'y', 1, 'x');
--| INSERT 0 1
select * from of_texts;
--|  p | r | s
--| ---+---+---
--|  1 | 1 | y
--| (1 row)
select * from of_numbers;
--|  p | q | r | u | v
--| ---+---+---+---+---
--|  a | 1 |   |   |
--| (1 row)
select case 'x' when 1 then 2 end;
--| ERROR:  42883: operator does not exist: text = integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
