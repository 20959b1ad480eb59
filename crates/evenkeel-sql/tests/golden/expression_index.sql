-- Indexes on expressions.

create table t (a int, b text, c varchar(20), d date, n numeric);
--| CREATE TABLE
insert into t select g, 'Name' || (g % 100), 'C' || g, date '2020-01-01' + g, g / 3.0 from generate_series(1, 2000) g;
--| INSERT 0 2000
create index t_lower on t (lower(b));
--| CREATE INDEX
create index on t ((a + 1));
--| CREATE INDEX
create index on t ((a + 1), lower(c));
--| CREATE INDEX
create index on t (lower(b), a desc);
--| CREATE INDEX
create index t_two on t (upper(c), (a % 10), n);
--| CREATE INDEX
create index on t ((a * 2)) where a > 10;
--| CREATE INDEX
create index on t (lower(b), lower(b));
--| CREATE INDEX
create index t_cast on t ((n::int));
--| CREATE INDEX
create index t_case on t ((case when a > 10 then b else c end));
--| CREATE INDEX
create index t_coalesce on t (coalesce(b, c));
--| CREATE INDEX
create index t_part on t (extract(year from d));
--| CREATE INDEX
create index t_substr on t (substring(b from 1 for 3));
--| CREATE INDEX
analyze t;
--| ANALYZE
explain (costs off) select a from t where lower(b) = 'name7';
--|                 QUERY PLAN
--| ------------------------------------------
--|  Index Scan using t_lower on t
--|    Index Cond: (lower(b) = 'name7'::text)
--| (2 rows)
explain (costs off) select a from t where a + 1 = 8;
--|             QUERY PLAN
--| ----------------------------------
--|  Index Scan using t_expr_idx on t
--|    Index Cond: ((a + 1) = 8)
--| (2 rows)
explain (costs off) select a from t where lower(b) > 'name98' order by lower(b);
--|                 QUERY PLAN
--| -------------------------------------------
--|  Index Scan using t_lower on t
--|    Index Cond: (lower(b) > 'name98'::text)
--| (2 rows)
explain (costs off) select a from t where a + 1 in (4, 8);
--|                      QUERY PLAN
--| ----------------------------------------------------
--|  Index Scan using t_expr_idx on t
--|    Index Cond: ((a + 1) = ANY ('{4,8}'::integer[]))
--| (2 rows)
explain (costs off) select a from t where upper(c) = 'C7' and a % 10 = 7 and n > 1;
--|                                         QUERY PLAN
--| -------------------------------------------------------------------------------------------
--|  Index Scan using t_two on t
--|    Index Cond: ((upper((c)::text) = 'C7'::text) AND ((a % 10) = 7) AND (n > '1'::numeric))
--| (2 rows)
explain (costs off) select a from t where a * 2 = 40 and a > 15;
--|             QUERY PLAN
--| -----------------------------------
--|  Index Scan using t_expr_idx1 on t
--|    Index Cond: ((a * 2) = 40)
--|    Filter: (a > 15)
--| (3 rows)
explain (costs off) select a from t where a * 2 = 40;
--|                 QUERY PLAN
--| ------------------------------------------
--|  Index Only Scan using t_lower_a_idx on t
--|    Filter: ((a * 2) = 40)
--| (2 rows)
explain (costs off) select a from t order by a + 1 limit 3;
--|                QUERY PLAN
--| ----------------------------------------
--|  Limit
--|    ->  Index Scan using t_expr_idx on t
--| (2 rows)
explain (costs off) select a from t order by lower(b) desc limit 3;
--|                   QUERY PLAN
--| ----------------------------------------------
--|  Limit
--|    ->  Index Scan Backward using t_lower on t
--| (2 rows)
explain (costs off) select a from t where n::int = 5;
--|             QUERY PLAN
--| ----------------------------------
--|  Index Scan using t_cast on t
--|    Index Cond: ((n)::integer = 5)
--| (2 rows)
select count(*), min(a) from t where lower(b) = 'name7';
--|  count | min
--| -------+-----
--|     20 |   7
--| (1 row)
select a from t where a + 1 = 8;
--|  a
--| ---
--|  7
--| (1 row)
select a from t where a + 1 in (4, 8) order by a;
--|  a
--| ---
--|  3
--|  7
--| (2 rows)
select a from t where upper(c) = 'C7' and a % 10 = 7 and n > 1;
--|  a
--| ---
--|  7
--| (1 row)
select a from t where a * 2 = 40 and a > 15;
--|  a
--| ----
--|  20
--| (1 row)
select a from t where a * 2 = 4;
--|  a
--| ---
--|  2
--| (1 row)
select a from t order by a + 1 desc limit 3;
--|   a
--| ------
--|  2000
--|  1999
--|  1998
--| (3 rows)
select lower(b), a from t order by lower(b), a desc limit 3;
--|  lower |  a
--| -------+------
--|  name0 | 2000
--|  name0 | 1900
--|  name0 | 1800
--| (3 rows)
select count(*) from t where n::int = 5;
--|  count
--| -------
--|      3
--| (1 row)
select t.a, x.b from (values ('name3'), ('name4')) x (b) join t on lower(t.b) = x.b where t.a < 110 order by 1;
--|   a  |   b
--| -----+-------
--|    3 | name3
--|    4 | name4
--|  103 | name3
--|  104 | name4
--| (4 rows)
update t set b = 'OTHER' where a = 7;
--| UPDATE 1
select a from t where lower(b) = 'other';
--|  a
--| ---
--|  7
--| (1 row)
delete from t where lower(b) = 'other';
--| DELETE 1
select a from t where lower(b) = 'other';
--|  a
--| ---
--| (0 rows)
select count(*) from t where lower(b) = 'name7';
--|  count
--| -------
--|     19
--| (1 row)

-- Unique ones.
create table u (id int primary key, email text);
--| CREATE TABLE
create unique index u_email on u (lower(email));
--| CREATE INDEX
insert into u values (1, 'A@x'), (2, 'b@x');
--| INSERT 0 2
insert into u values (3, 'a@X');
--| ERROR:  23505: duplicate key value violates unique constraint "u_email"
--| DETAIL:  Key (lower(email))=(a@x) already exists.
update u set email = 'A@X' where id = 2;
--| ERROR:  23505: duplicate key value violates unique constraint "u_email"
--| DETAIL:  Key (lower(email))=(a@x) already exists.
insert into u values (3, 'a@X') on conflict (lower(email)) do update set email = excluded.email;
--| INSERT 0 1
insert into u values (4, 'B@X') on conflict (lower(email)) do nothing;
--| INSERT 0 0
insert into u values (4, 'B@X') on conflict (upper(email)) do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
insert into u values (4, 'B@X') on conflict (email) do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
insert into u values (4, null), (5, null);
--| INSERT 0 2
select * from u order by id;
--|  id | email
--| ----+-------
--|   1 | a@X
--|   2 | b@x
--|   4 |
--|   5 |
--| (4 rows)
create unique index on u ((id % 2));
--| ERROR:  23505: could not create unique index "u_expr_idx"
--| DETAIL:  Key ((id % 2))=(0) is duplicated.
create unique index on u ((id + 1), lower(email));
--| CREATE INDEX
insert into u values (6, 'z'), (7, 'Z');
--| ERROR:  23505: duplicate key value violates unique constraint "u_email"
--| DETAIL:  Key (lower(email))=(z) already exists.
copy u from stdin;
--< 8	Q@x
--< 9	q@X
--| ERROR:  23505: duplicate key value violates unique constraint "u_email"
--| DETAIL:  Key (lower(email))=(q@x) already exists.
--| CONTEXT:  COPY u, line 2
select count(*) from u;
--|  count
--| -------
--|      4
--| (1 row)
alter table u add constraint k unique using index u_email;
--| ERROR:  42809: index "u_email" contains expressions
--| DETAIL:  Cannot create a primary key or unique constraint using such an index.

-- Errors of an expression are those of the statement.
create table e (a int, b int);
--| CREATE TABLE
create index e_div on e ((a / b));
--| CREATE INDEX
insert into e values (4, 2);
--| INSERT 0 1
insert into e values (4, 0);
--| ERROR:  22012: division by zero
update e set b = 0;
--| ERROR:  22012: division by zero
insert into e values (1, null);
--| INSERT 0 1
select * from e order by a;
--|  a | b
--| ---+---
--|  1 |
--|  4 | 2
--| (2 rows)
select a from e where a / b = 2;
--|  a
--| ---
--|  4
--| (1 row)
create table e2 (a int, b int);
--| CREATE TABLE
insert into e2 values (1, 0);
--| INSERT 0 1
create index on e2 ((a / b));
--| ERROR:  22012: division by zero

-- What is refused.
create index on t (now());
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on t ((d::text));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on t ((b::date));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on t ((random()));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on t ((select 1));
--| ERROR:  42601: syntax error at or near "select"
create index on t (sum(a));
--| ERROR:  42803: aggregate functions are not allowed in index expressions
create index on t ((row_number() over ()));
--| ERROR:  42P20: window functions are not allowed in index expressions
create index on t (generate_series(1, a));
--| ERROR:  0A000: set-returning functions are not allowed in index expressions
create index on t (nosuch(a));
--| ERROR:  42883: function nosuch(integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
create index on t ((nosuch + 1));
--| ERROR:  42703: column "nosuch" does not exist
create index on t ((a + b));
--| ERROR:  42883: operator does not exist: integer + text
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
create index on t (a + 1);
--| ERROR:  42601: syntax error at or near "+"
create index on t (lower(b) int4_ops);
--| ERROR:  42804: operator class "int4_ops" does not accept data type text

-- What is shown.
select indexdef from pg_indexes where tablename in ('t', 'u', 'e') order by indexname;
--|                                         indexdef
--| -----------------------------------------------------------------------------------------
--|  CREATE INDEX e_div ON public.e USING btree (((a / b)))
--|  CREATE INDEX t_case ON public.t USING btree ((                                         +
--|  CASE                                                                                   +
--|      WHEN (a > 10) THEN (b)::character varying                                          +
--|      ELSE c                                                                             +
--|  END))
--|  CREATE INDEX t_cast ON public.t USING btree (((n)::integer))
--|  CREATE INDEX t_coalesce ON public.t USING btree (COALESCE(b, (c)::text))
--|  CREATE INDEX t_expr_idx ON public.t USING btree (((a + 1)))
--|  CREATE INDEX t_expr_idx1 ON public.t USING btree (((a * 2))) WHERE (a > 10)
--|  CREATE INDEX t_expr_lower_idx ON public.t USING btree (((a + 1)), lower((c)::text))
--|  CREATE INDEX t_lower ON public.t USING btree (lower(b))
--|  CREATE INDEX t_lower_a_idx ON public.t USING btree (lower(b), a DESC)
--|  CREATE INDEX t_lower_lower1_idx ON public.t USING btree (lower(b), lower(b))
--|  CREATE INDEX t_part ON public.t USING btree (EXTRACT(year FROM d))
--|  CREATE INDEX t_substr ON public.t USING btree (SUBSTRING(b FROM 1 FOR 3))
--|  CREATE INDEX t_two ON public.t USING btree (upper((c)::text), ((a % 10)), n)
--|  CREATE UNIQUE INDEX u_email ON public.u USING btree (lower(email))
--|  CREATE UNIQUE INDEX u_expr_lower_idx ON public.u USING btree (((id + 1)), lower(email))
--|  CREATE UNIQUE INDEX u_pkey ON public.u USING btree (id)
--| (16 rows)
select i.indexrelid::regclass, indnatts, indkey, indoption, pg_get_expr(indexprs, indrelid), pg_get_expr(indpred, indrelid)
from pg_index i where indrelid = 't'::regclass order by i.indexrelid::regclass::text;
--|      indexrelid     | indnatts | indkey | indoption |                  pg_get_expr                  | pg_get_expr
--| --------------------+----------+--------+-----------+-----------------------------------------------+-------------
--|  t_case             |        1 | 0      | 0         |                                              +|
--|                     |          |        |           | CASE                                         +|
--|                     |          |        |           |     WHEN (a > 10) THEN (b)::character varying+|
--|                     |          |        |           |     ELSE c                                   +|
--|                     |          |        |           | END                                           |
--|  t_cast             |        1 | 0      | 0         | (n)::integer                                  |
--|  t_coalesce         |        1 | 0      | 0         | COALESCE(b, (c)::text)                        |
--|  t_expr_idx         |        1 | 0      | 0         | (a + 1)                                       |
--|  t_expr_idx1        |        1 | 0      | 0         | (a * 2)                                       | (a > 10)
--|  t_expr_lower_idx   |        2 | 0 0    | 0 0       | (a + 1), lower((c)::text)                     |
--|  t_lower            |        1 | 0      | 0         | lower(b)                                      |
--|  t_lower_a_idx      |        2 | 0 1    | 0 3       | lower(b)                                      |
--|  t_lower_lower1_idx |        2 | 0 0    | 0 0       | lower(b), lower(b)                            |
--|  t_part             |        1 | 0      | 0         | EXTRACT(year FROM d)                          |
--|  t_substr           |        1 | 0      | 0         | SUBSTRING(b FROM 1 FOR 3)                     |
--|  t_two              |        3 | 0 0 5  | 0 0 0     | upper((c)::text), (a % 10)                    |
--| (12 rows)
select c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), pg_get_indexdef(c.oid, a.attnum, true)
from pg_class c join pg_attribute a on a.attrelid = c.oid where c.relname in ('t_two', 't_a_idx', 't_expr_idx', 't_lower_lower1_idx', 't_case') order by 1, 2;
--|       relname       | attnum | attname |    format_type    |              pg_get_indexdef
--| --------------------+--------+---------+-------------------+-------------------------------------------
--|  t_case             |      1 | c       | character varying | (                                        +
--|                     |        |         |                   | CASE                                     +
--|                     |        |         |                   |     WHEN a > 10 THEN b::character varying+
--|                     |        |         |                   |     ELSE c                               +
--|                     |        |         |                   | END)
--|  t_expr_idx         |      1 | expr    | integer           | (a + 1)
--|  t_lower_lower1_idx |      1 | lower   | text              | lower(b)
--|  t_lower_lower1_idx |      2 | lower1  | text              | lower(b)
--|  t_two              |      1 | upper   | text              | upper(c::text)
--|  t_two              |      2 | expr    | integer           | (a % 10)
--|  t_two              |      3 | n       | numeric           | n
--| (7 rows)

-- Columns that change.
alter table t rename column b to bee;
--| ALTER TABLE
select indexdef from pg_indexes where tablename = 't' and indexdef like '%bee%' order by indexname;
--|                                      indexdef
--| ----------------------------------------------------------------------------------
--|  CREATE INDEX t_case ON public.t USING btree ((                                  +
--|  CASE                                                                            +
--|      WHEN (a > 10) THEN (bee)::character varying                                 +
--|      ELSE c                                                                      +
--|  END))
--|  CREATE INDEX t_coalesce ON public.t USING btree (COALESCE(bee, (c)::text))
--|  CREATE INDEX t_lower ON public.t USING btree (lower(bee))
--|  CREATE INDEX t_lower_a_idx ON public.t USING btree (lower(bee), a DESC)
--|  CREATE INDEX t_lower_lower1_idx ON public.t USING btree (lower(bee), lower(bee))
--|  CREATE INDEX t_substr ON public.t USING btree (SUBSTRING(bee FROM 1 FOR 3))
--| (6 rows)
alter table t alter column bee type varchar;
--| ALTER TABLE
select indexdef from pg_indexes where tablename = 't' and indexdef like '%bee%' order by indexname;
--|                                              indexdef
--| --------------------------------------------------------------------------------------------------
--|  CREATE INDEX t_case ON public.t USING btree ((                                                  +
--|  CASE                                                                                            +
--|      WHEN (a > 10) THEN bee                                                                      +
--|      ELSE c                                                                                      +
--|  END))
--|  CREATE INDEX t_coalesce ON public.t USING btree (COALESCE(bee, ((c)::text)::character varying))
--|  CREATE INDEX t_lower ON public.t USING btree (lower((bee)::text))
--|  CREATE INDEX t_lower_a_idx ON public.t USING btree (lower((bee)::text), a DESC)
--|  CREATE INDEX t_lower_lower1_idx ON public.t USING btree (lower((bee)::text), lower((bee)::text))
--|  CREATE INDEX t_substr ON public.t USING btree (SUBSTRING(bee FROM 1 FOR 3))
--| (6 rows)
select a from t where lower(bee) = 'name7' and a < 300 order by a;
--|   a
--| -----
--|  107
--|  207
--| (2 rows)
alter table t alter column c type int using a;
--| ERROR:  42804: CASE types integer and character varying cannot be matched
alter table t drop column bee;
--| ALTER TABLE
select indexname from pg_indexes where tablename = 't' order by 1;
--|     indexname
--| ------------------
--|  t_cast
--|  t_expr_idx
--|  t_expr_idx1
--|  t_expr_lower_idx
--|  t_part
--|  t_two
--| (6 rows)
begin;
--| BEGIN
create index t_tx on t ((a - 1));
--| CREATE INDEX
insert into t (a) values (9000);
--| INSERT 0 1
select a from t where a - 1 = 8999;
--|   a
--| ------
--|  9000
--| (1 row)
rollback;
--| ROLLBACK
select a from t where a - 1 = 8999;
--|  a
--| ---
--| (0 rows)
reindex index t_cast;
--| REINDEX
select count(*) from t where n::int = 5;
--|  count
--| -------
--|      3
--| (1 row)

-- ON CONFLICT of an INSERT that is part of something else.
create table v (k text, n int);
--| CREATE TABLE
create unique index v_k on v (lower(k)) where n > 0;
--| CREATE INDEX
with i as (insert into v values ('A', 1) on conflict (lower(k)) where n > 0 do nothing returning k) select * from i;
--|  k
--| ---
--|  A
--| (1 row)
with i as (insert into v values ('a', 2) on conflict (lower(k)) where n > 0 do update set n = excluded.n returning k, n) select * from i;
--|  k | n
--| ---+---
--|  A | 2
--| (1 row)
prepare ins (text, int) as insert into v values ($1, $2) on conflict (lower(k)) where n > 0 do update set n = v.n + excluded.n;
--| PREPARE
execute ins ('a', 5);
--| INSERT 0 1
execute ins ('b', 5);
--| INSERT 0 1
execute ins ('B', 5);
--| INSERT 0 1
explain (costs off) insert into v values ('b', 1) on conflict (lower(k)) where n > 0 do nothing;
--|            QUERY PLAN
--| ---------------------------------
--|  Insert on v
--|    Conflict Resolution: NOTHING
--|    Conflict Arbiter Indexes: v_k
--|    ->  Result
--| (4 rows)
select * from v order by k, n;
--|  k | n
--| ---+----
--|  A |  7
--|  b | 10
--| (2 rows)
