-- Collations: orders of texts that are not by bytes.
create table c1(id int primary key, a text collate "en-x-icu", b text collate "C", d text, v varchar(20) collate "de-x-icu");
--| CREATE TABLE
insert into c1 values (1,'b','b','b','b'),(2,'A','A','A','Ä'),(3,'a','a','a','a'),(4,'B','B','B','z'),(5,'ä','ä','ä','A'),(6,null,null,null,null),(7,'Z','Z','Z','B');
--| INSERT 0 7
select a from c1 order by a;
--|  a
--| ---
--|  a
--|  A
--|  ä
--|  b
--|  B
--|  Z
--|
--| (7 rows)
select a from c1 order by a desc nulls last;
--|  a
--| ---
--|  Z
--|  B
--|  b
--|  ä
--|  A
--|  a
--|
--| (7 rows)
select b from c1 order by b;
--|  b
--| ---
--|  A
--|  B
--|  Z
--|  a
--|  b
--|  ä
--|
--| (7 rows)
select b from c1 order by b collate "en-x-icu";
--|  b
--| ---
--|  a
--|  A
--|  ä
--|  b
--|  B
--|  Z
--|
--| (7 rows)
select v from c1 order by v;
--|  v
--| ---
--|  a
--|  A
--|  Ä
--|  b
--|  B
--|  z
--|
--| (7 rows)
select d from c1 order by d collate "sv-x-icu", id;
--|  d
--| ---
--|  a
--|  A
--|  b
--|  B
--|  Z
--|  ä
--|
--| (7 rows)
select a, a < 'b' as lt, b < 'b' as ltb, a > 'B' as gt from c1 order by id;
--|  a | lt | ltb | gt
--| ---+----+-----+----
--|  b | f  | f   | f
--|  A | t  | t   | f
--|  a | t  | t   | f
--|  B | f  | t   | f
--|  ä | t  | f   | f
--|    |    |     |
--|  Z | f  | t   | t
--| (7 rows)
select min(a), max(a), min(b), max(b), min(v), max(v) from c1;
--|  min | max | min | max | min | max
--| -----+-----+-----+-----+-----+-----
--|  a   | Z   | A   | ä   | a   | z
--| (1 row)
select greatest(a, 'B'), least(a, 'B') from c1 order by id;
--|  greatest | least
--| ----------+-------
--|  B        | b
--|  B        | A
--|  B        | a
--|  B        | B
--|  B        | ä
--|  B        | B
--|  Z        | B
--| (7 rows)
select a from c1 where a between 'a' and 'b' order by a;
--|  a
--| ---
--|  a
--|  A
--|  ä
--|  b
--| (4 rows)
select a < b from c1;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select a < b collate "C" from c1 order by id;
--|  ?column?
--| ----------
--|  f
--|  f
--|  f
--|  f
--|  f
--|
--|  f
--| (7 rows)
select a collate "C" < b collate "en-x-icu" from c1;
--| ERROR:  42P21: collation mismatch between explicit collations "C" and "en-x-icu"
select * from (select a as x from c1 union select v from c1) s order by x;
--| ERROR:  42P21: collation mismatch between implicit collations "en-x-icu" and "de-x-icu"
--| HINT:  You can choose the collation by applying the COLLATE clause to one or both expressions.
select * from (select a as x from c1 union all select b from c1) s order by x;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select x from (select a || 'x' as x from c1) s order by x;
--|  x
--| ----
--|  ax
--|  Ax
--|  äx
--|  bx
--|  Bx
--|  Zx
--|
--| (7 rows)
select x from (select lower(a) as x from c1) s order by x;
--|  x
--| ---
--|  a
--|  a
--|  ä
--|  b
--|  b
--|  z
--|
--| (7 rows)
select coalesce(a, b) from c1 order by 1;
--| ERROR:  42P21: collation mismatch between implicit collations "en-x-icu" and "C"
--| HINT:  You can choose the collation by applying the COLLATE clause to one or both expressions.
select coalesce(a, d) from c1 order by 1;
--|  coalesce
--| ----------
--|  a
--|  A
--|  ä
--|  b
--|  B
--|  Z
--|
--| (7 rows)
select case when id > 3 then a else d end from c1 order by 1;
--|  d
--| ---
--|  a
--|  A
--|  ä
--|  b
--|  B
--|  Z
--|
--| (7 rows)
select array_agg(a order by a), string_agg(a, ',' order by a desc) from c1;
--|      array_agg      | string_agg
--| --------------------+-------------
--|  {a,A,ä,b,B,Z,NULL} | Z,B,b,ä,A,a
--| (1 row)
select a, row_number() over (order by a), rank() over (partition by id > 3 order by a) from c1 order by id;
--|  a | row_number | rank
--| ---+------------+------
--|  b |          4 |    3
--|  A |          2 |    2
--|  a |          1 |    1
--|  B |          5 |    2
--|  ä |          3 |    1
--|    |          7 |    4
--|  Z |          6 |    3
--| (7 rows)
select first_value(a) over (order by a), max(a) over (order by id) from c1 order by id;
--|  first_value | max
--| -------------+-----
--|  a           | b
--|  a           | b
--|  a           | b
--|  a           | B
--|  a           | B
--|  a           | B
--|  a           | Z
--| (7 rows)
with t as (select a from c1) select * from t order by a;
--|  a
--| ---
--|  a
--|  A
--|  ä
--|  b
--|  B
--|  Z
--|
--| (7 rows)
select (select a from c1 x where x.id = c1.id) as y from c1 order by y;
--|  y
--| ---
--|  a
--|  A
--|  ä
--|  b
--|  B
--|  Z
--|
--| (7 rows)
select id from c1 where a < (select v from c1 where id = 1);
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select id from c1 where a < (select a from c1 where id = 1) order by id;
--|  id
--| ----
--|   2
--|   3
--|   5
--| (3 rows)
select id from c1 where a < any (select a from c1 where id in (1, 2)) order by id;
--|  id
--| ----
--|   2
--|   3
--|   5
--| (3 rows)
select id from c1 where a > all (array['A','a']) order by id;
--|  id
--| ----
--|   1
--|   4
--|   5
--|   7
--| (4 rows)
select id from c1 where (a, id) < ('b', 0) order by id;
--|  id
--| ----
--|   2
--|   3
--|   5
--| (3 rows)
select distinct a from c1 order by a;
--|  a
--| ---
--|  a
--|  A
--|  ä
--|  b
--|  B
--|  Z
--|
--| (7 rows)
select a, count(*) from c1 group by a order by a;
--|  a | count
--| ---+-------
--|  a |     1
--|  A |     1
--|  ä |     1
--|  b |     1
--|  B |     1
--|  Z |     1
--|    |     1
--| (7 rows)
select distinct on (a) a, id from c1 order by a, id;
--|  a | id
--| ---+----
--|  a |  3
--|  A |  2
--|  ä |  5
--|  b |  1
--|  B |  4
--|  Z |  7
--|    |  6
--| (7 rows)
create index c1_a on c1(a);
--| CREATE INDEX
create index c1_ac on c1(a collate "C");
--| CREATE INDEX
create index c1_ld on c1(lower(d) collate "sv-x-icu");
--| CREATE INDEX
create unique index c1_v on c1(v);
--| CREATE INDEX
select pg_get_indexdef('c1_a'::regclass), pg_get_indexdef('c1_ac'::regclass), pg_get_indexdef('c1_ld'::regclass);
--|                 pg_get_indexdef                 |                       pg_get_indexdef                       |                              pg_get_indexdef
--| ------------------------------------------------+-------------------------------------------------------------+---------------------------------------------------------------------------
--|  CREATE INDEX c1_a ON public.c1 USING btree (a) | CREATE INDEX c1_ac ON public.c1 USING btree (a COLLATE "C") | CREATE INDEX c1_ld ON public.c1 USING btree (lower(d) COLLATE "sv-x-icu")
--| (1 row)
set enable_seqscan = off;
--| SET
select a from c1 where a > 'a' order by a;
--|  a
--| ---
--|  A
--|  ä
--|  b
--|  B
--|  Z
--| (5 rows)
select a from c1 where a >= 'A' and a < 'z' order by a desc;
--|  a
--| ---
--|  B
--|  b
--|  ä
--|  A
--| (4 rows)
select a from c1 where a = 'A';
--|  a
--| ---
--|  A
--| (1 row)
select a from c1 where a in ('A','a','q') order by a;
--|  a
--| ---
--|  a
--|  A
--| (2 rows)
select a from c1 where a collate "C" > 'a' order by id;
--|  a
--| ---
--|  b
--|  ä
--| (2 rows)
select lower(d) from c1 where lower(d) collate "sv-x-icu" > 'b' order by lower(d) collate "sv-x-icu";
--|  lower
--| -------
--|  z
--|  ä
--| (2 rows)
insert into c1 values (8, 'q', 'q', 'q', 'z');
--| ERROR:  23505: duplicate key value violates unique constraint "c1_v"
--| DETAIL:  Key (v)=(z) already exists.
insert into c1 values (8, 'q', 'q', 'q', 'zz') on conflict (v) do nothing;
--| INSERT 0 1
select min(a), max(a) from c1;
--|  min | max
--| -----+-----
--|  a   | Z
--| (1 row)
reset enable_seqscan;
--| RESET
select collation for (a), collation for (b), collation for (d), collation for (a || b collate "C") from c1 where id = 1;
--|  pg_collation_for | pg_collation_for | pg_collation_for | pg_collation_for
--| ------------------+------------------+------------------+------------------
--|  "en-x-icu"       | "C"              | "default"        | "C"
--| (1 row)
select 'a' collate "en-x-icu" < 'B', 'a' collate "C" < 'B';
--|  ?column? | ?column?
--| ----------+----------
--|  t        | f
--| (1 row)
select 'a' collate "de-x-icu" < 'B' collate "en-x-icu";
--| ERROR:  42P21: collation mismatch between explicit collations "de-x-icu" and "en-x-icu"
select 1 collate "C";
--| ERROR:  42804: collations are not supported by type integer
select 'a' collate "nope";
--| ERROR:  42704: collation "nope" for encoding "UTF8" does not exist
select 'a' collate pg_catalog."en-x-icu", 'a' collate "und-x-icu", 'x' collate unicode;
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  a        | a        | x
--| (1 row)
create table c2 as select a, b, d from c1;
--| SELECT 8
select attname, attcollation::regcollation from pg_attribute where attrelid = 'c2'::regclass and attnum > 0;
--|  attname | attcollation
--| ---------+--------------
--|  a       | "en-x-icu"
--|  b       | "C"
--|  d       | "default"
--| (3 rows)
create view v1 as select a, b collate "de-x-icu" as bb, d from c1 where a < 'z' order by d collate "C";
--| CREATE VIEW
select pg_get_viewdef('v1'::regclass);
--|           pg_get_viewdef
--| -----------------------------------
--|   SELECT a,                       +
--|      (b COLLATE "de-x-icu") AS bb,+
--|      d                            +
--|     FROM c1                       +
--|    WHERE (a < 'z'::text)          +
--|    ORDER BY (d COLLATE "C");
--| (1 row)
select attname, attcollation::regcollation from pg_attribute where attrelid = 'v1'::regclass and attnum > 0;
--|  attname | attcollation
--| ---------+--------------
--|  a       | "en-x-icu"
--|  bb      | "de-x-icu"
--|  d       | "default"
--| (3 rows)
select bb from v1 order by bb;
--|  bb
--| ----
--|  a
--|  A
--|  ä
--|  b
--|  B
--|  q
--| (6 rows)
alter table c1 alter a type text collate "sv-x-icu";
--| ERROR:  0A000: cannot alter type of a column used by a view or rule
--| DETAIL:  rule _RETURN on view v1 depends on column "a"
select a from c1 order by a;
--|  a
--| ---
--|  a
--|  A
--|  ä
--|  b
--|  B
--|  q
--|  Z
--|
--| (8 rows)
select a from c1 where a > 'a' order by a;
--|  a
--| ---
--|  A
--|  ä
--|  b
--|  B
--|  q
--|  Z
--| (6 rows)
alter table c1 alter a type text;
--| ERROR:  0A000: cannot alter type of a column used by a view or rule
--| DETAIL:  rule _RETURN on view v1 depends on column "a"
select a from c1 order by a;
--|  a
--| ---
--|  a
--|  A
--|  ä
--|  b
--|  B
--|  q
--|  Z
--|
--| (8 rows)
create table c3 (a text collate "en-x-icu" primary key check (a > 'a'), g text collate "C" generated always as (upper(a)) stored);
--| CREATE TABLE
insert into c3(a) values ('B'), ('b');
--| INSERT 0 2
insert into c3(a) values ('A');
--| INSERT 0 1
insert into c3(a) values ('a');
--| ERROR:  23514: new row for relation "c3" violates check constraint "c3_a_check"
--| DETAIL:  Failing row contains (a, A).
insert into c3(a) values ('0');
--| ERROR:  23514: new row for relation "c3" violates check constraint "c3_a_check"
--| DETAIL:  Failing row contains (0, 0).
create table c4 (r text references c3(a));
--| CREATE TABLE
insert into c4 values ('B');
--| INSERT 0 1
insert into c4 values ('x');
--| ERROR:  23503: insert or update on table "c4" violates foreign key constraint "c4_r_fkey"
--| DETAIL:  Key (r)=(x) is not present in table "c3".
select * from c3 join c4 on a = r;
--|  a | g | r
--| ---+---+---
--|  B | B | B
--| (1 row)
update c3 set a = 'Bb' where a = 'B';
--| ERROR:  23503: update or delete on table "c3" violates foreign key constraint "c4_r_fkey" on table "c4"
--| DETAIL:  Key (a)=(B) is still referenced from table "c4".
delete from c3 where a > 'a' collate "C";
--| DELETE 1
create table c5 (l int, u text[] collate "en-x-icu");
--| CREATE TABLE
insert into c5 values (1, '{a,B}'), (2, '{A,b}'), (3,'{b}'), (4, '{}');
--| INSERT 0 4
select u from c5 order by u;
--|    u
--| -------
--|  {}
--|  {a,B}
--|  {A,b}
--|  {b}
--| (4 rows)
select max(a collate "en-x-icu") from c2 where d = d;
--|  max
--| -----
--|  Z
--| (1 row)
select a from c1 order by a using >;
--|  a
--| ---
--|
--|  Z
--|  q
--|  B
--|  b
--|  ä
--|  A
--|  a
--| (8 rows)
select percentile_disc(0.5) within group (order by b collate "en-x-icu") from c1;
--|  percentile_disc
--| -----------------
--|  b
--| (1 row)
select mode() within group (order by a) from c1;
--|  mode
--| ------
--|  a
--| (1 row)
select string_agg(distinct v, ',' order by v) from c1;
--|    string_agg
--| ----------------
--|  a,A,Ä,b,B,z,zz
--| (1 row)
select a from c3 order by upper(a) collate "en-x-icu", a;
--|  a
--| ---
--|  A
--|  B
--| (2 rows)
create view v2 as select a, b collate "de-x-icu" as bb, lower(d) as l from c1;
--| CREATE VIEW
select attname, attcollation::regcollation from pg_attribute where attrelid = 'v2'::regclass and attnum > 0;
--|  attname | attcollation
--| ---------+--------------
--|  a       | "en-x-icu"
--|  bb      | "de-x-icu"
--|  l       | "default"
--| (3 rows)
create materialized view m2 as select a, b from c1;
--| SELECT 8
select attname, attcollation::regcollation from pg_attribute where attrelid = 'm2'::regclass and attnum > 0;
--|  attname | attcollation
--| ---------+--------------
--|  a       | "en-x-icu"
--|  b       | "C"
--| (2 rows)
create table cc as select a || b as x from c1;
--| ERROR:  42P22: no collation was derived for column "x" with collatable type text
--| HINT:  Use the COLLATE clause to set the collation explicitly.
create view vc as select a || b as x from c1;
--| ERROR:  42P22: could not determine which collation to use for view column "x"
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select a||b from c1 order by 1;
--| ERROR:  42P21: collation mismatch between implicit collations "en-x-icu" and "C"
--| HINT:  You can choose the collation by applying the COLLATE clause to one or both expressions.
select a from c1 union all select b from c1 order by 1;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
values ((select a from c1 limit 1)), ((select b from c1 limit 1)) order by 1;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select collation for (1);
--| ERROR:  42804: collations are not supported by type integer
select collation for (upper('x')), collation for (a), collation for (a||b) from c1 limit 1;
--|  pg_collation_for | pg_collation_for | pg_collation_for
--| ------------------+------------------+------------------
--|  "default"        | "en-x-icu"       |
--| (1 row)
select collation from (select 1 as collation) s;
--|  collation
--| -----------
--|          1
--| (1 row)
create table k (a text collate "en-x-icu", b int, primary key (a, b));
--| CREATE TABLE
insert into k select chr(97 + i % 26) || case when i % 3 = 0 then 'X' else 'x' end || i, i from generate_series(1, 500) i;
--| INSERT 0 500
analyze k;
--| ANALYZE
select a from k where (a, b) > ('bX5', 3) order by a, b limit 3;
--|    a
--| -------
--|  bx53
--|  bx79
--|  cx106
--| (3 rows)
select max(a), min(a) from k;
--|  max  |  min
--| ------+-------
--|  zx77 | ax104
--| (1 row)
select a from k order by a collate "C" limit 1;
--|    a
--| -------
--|  aX156
--| (1 row)
select count(*) from k where a like 'b%';
--|  count
--| -------
--|     20
--| (1 row)
select a from k where a > 'y' and a < 'yz' collate "en-x-icu" order by a limit 5;
--|    a
--| -------
--|  yX102
--|  yx128
--|  yx154
--|  yX180
--|  yx206
--| (5 rows)
insert into k values ('bX5', 1), ('BX5', 1), ('bx5', 1);
--| INSERT 0 3
insert into k values ('bX5', 1);
--| ERROR:  23505: duplicate key value violates unique constraint "k_pkey"
--| DETAIL:  Key (a, b)=(bX5, 1) already exists.
select a, b from k where lower(a) = 'bx5' order by a;
--|   a  | b
--| -----+---
--|  bx5 | 1
--|  bX5 | 1
--|  BX5 | 1
--| (3 rows)
insert into k values ('BX5', 1) on conflict do nothing;
--| INSERT 0 0
update k set b = b + 1000 where a = 'BX5' returning a, b;
--|   a  |  b
--| -----+------
--|  BX5 | 1001
--| (1 row)
--| UPDATE 1
delete from k where a >= 'bX5' and a <= 'BX5';
--| DELETE 2
select count(*) from k;
--|  count
--| -------
--|    501
--| (1 row)
create table p (k text collate "sv-x-icu" primary key);
--| CREATE TABLE
create table q (k text collate "de-x-icu" references p, n int);
--| CREATE TABLE
insert into p values ('ä'), ('z'), ('Z');
--| INSERT 0 3
insert into q values ('ä', 1), ('Z', 2);
--| INSERT 0 2
insert into q values ('Ä', 3);
--| ERROR:  23503: insert or update on table "q" violates foreign key constraint "q_k_fkey"
--| DETAIL:  Key (k)=(Ä) is not present in table "p".
delete from p where k = 'Z';
--| ERROR:  23503: update or delete on table "p" violates foreign key constraint "q_k_fkey" on table "q"
--| DETAIL:  Key (k)=(Z) is still referenced from table "q".
delete from p where k = 'z';
--| DELETE 1
select p.k, n from p left join q on p.k = q.k order by p.k;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select * from p join q on p.k < q.k;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select * from p join q on p.k < q.k collate "C" order by 1, 2;
--|  k | k | n
--| ---+---+---
--|  Z | ä | 1
--| (1 row)
select * from p join q using (k) order by k;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select k from p order by k desc;
--|  k
--| ---
--|  ä
--|  Z
--| (2 rows)
begin;
--| BEGIN
declare cu scroll cursor for select k from p order by k;
--| DECLARE CURSOR
fetch all cu;
--|  k
--| ---
--|  Z
--|  ä
--| (2 rows)
fetch backward all cu;
--|  k
--| ---
--|  ä
--|  Z
--| (2 rows)
commit;
--| COMMIT
create temp table tt (a varchar(10) collate "fr-x-icu", c char(4) collate "fr-x-icu");
--| CREATE TABLE
insert into tt values ('cote','cote'),('côte','côte'),('coté','coté'),('côté','côté'),('a','a'),('A','A');
--| INSERT 0 6
select a from tt order by a;
--|   a
--| ------
--|  a
--|  A
--|  cote
--|  coté
--|  côte
--|  côté
--| (6 rows)
select c from tt order by c;
--|   c
--| ------
--|  a
--|  A
--|  cote
--|  coté
--|  côte
--|  côté
--| (6 rows)
select c from tt where c < 'b' order by c;
--|   c
--| ------
--|  a
--|  A
--| (2 rows)
create index on tt(c);
--| CREATE INDEX
select c from tt order by c;
--|   c
--| ------
--|  a
--|  A
--|  cote
--|  coté
--|  côte
--|  côté
--| (6 rows)
select c from tt where c >= 'a' and c < 'côte' order by c;
--|   c
--| ------
--|  a
--|  A
--|  cote
--|  coté
--| (4 rows)
select string_agg(a, ' ' order by a) from tt;
--|        string_agg
--| -------------------------
--|  a A cote coté côte côté
--| (1 row)
select a, lag(a) over (order by a) from tt;
--|   a   | lag
--| ------+------
--|  a    |
--|  A    | a
--|  cote | A
--|  coté | cote
--|  côte | coté
--|  côté | côte
--| (6 rows)
select a, count(*) over (order by a range between unbounded preceding and current row) from tt;
--|   a   | count
--| ------+-------
--|  a    |     1
--|  A    |     2
--|  cote |     3
--|  coté |     4
--|  côte |     5
--|  côté |     6
--| (6 rows)
select percentile_disc(array[0.2, 0.5]) within group (order by a) from tt;
--|  percentile_disc
--| -----------------
--|  {A,cote}
--| (1 row)
select x from unnest(array['b','A','a','B']) x order by x collate "en-x-icu";
--|  x
--| ---
--|  a
--|  A
--|  b
--|  B
--| (4 rows)
select x from (values ('b'), ('A'), ('a')) v(x) order by x collate "en-x-icu";
--|  x
--| ---
--|  a
--|  A
--|  b
--| (3 rows)
select * from (values ('b' collate "en-x-icu"), ('A'), ('a')) v(x) order by x;
--|  x
--| ---
--|  a
--|  A
--|  b
--| (3 rows)
with recursive r(x) as (select 'a' collate "en-x-icu" union all select x || 'B' from r where length(x) < 3) select x from r order by x;
--|   x
--| -----
--|  a
--|  aB
--|  aBB
--| (3 rows)
select case a when 'a' then 1 else 2 end from tt order by a;
--|  case
--| ------
--|     1
--|     2
--|     2
--|     2
--|     2
--|     2
--| (6 rows)
select a from tt where a in ('a', 'cote') order by a desc;
--|   a
--| ------
--|  cote
--|  a
--| (2 rows)
select distinct on (a collate "C") a from tt order by a collate "C";
--|   a
--| ------
--|  A
--|  a
--|  cote
--|  coté
--|  côte
--|  côté
--| (6 rows)
select a from tt group by a having a > 'b' order by a;
--|   a
--| ------
--|  cote
--|  coté
--|  côte
--|  côté
--| (4 rows)
select a from tt union select c from tt order by a;
--|   a
--| ------
--|  a
--|  A
--|  cote
--|  coté
--|  côte
--|  côté
--| (6 rows)
(select a from tt) except (select 'a') order by 1;
--|   a
--| ------
--|  A
--|  cote
--|  coté
--|  côte
--|  côté
--| (5 rows)
select row(a, 1) < row('b', 2) from tt order by a;
--|  ?column?
--| ----------
--|  t
--|  t
--|  f
--|  f
--|  f
--|  f
--| (6 rows)
select a < all (select c::varchar from tt) from tt order by a;
--|  ?column?
--| ----------
--|  f
--|  f
--|  f
--|  f
--|  f
--|  f
--| (6 rows)
create table g (a text collate "en-x-icu", b text generated always as (a || 'x') stored, c bool generated always as (a > 'B') virtual);
--| CREATE TABLE
insert into g values ('a'), ('A'), ('b'), ('C');
--| INSERT 0 4
select * from g order by b;
--|  a | b  | c
--| ---+----+---
--|  A | Ax | f
--|  C | Cx | t
--|  a | ax | f
--|  b | bx | f
--| (4 rows)
select * from g where c order by a;
--|  a | b  | c
--| ---+----+---
--|  C | Cx | t
--| (1 row)
create index g_a on g (a) where a > 'b';
--| CREATE INDEX
select a from g where a > 'b' order by a;
--|  a
--| ---
--|  C
--| (1 row)
alter table g add constraint gc check (a < 'z');
--| ALTER TABLE
insert into g values ('Z');
--| ERROR:  23514: new row for relation "g" violates check constraint "gc"
--| DETAIL:  Failing row contains (Z, Zx, virtual).
insert into g values ('zz');
--| ERROR:  23514: new row for relation "g" violates check constraint "gc"
--| DETAIL:  Failing row contains (zz, zzx, virtual).
copy g to stdout;
--| a
--| A
--| b
--| C
create table lk (like k including all);
--| CREATE TABLE
select pg_get_indexdef(indexrelid), indcollation from pg_index where indrelid = 'lk'::regclass;
--|                        pg_get_indexdef                       | indcollation
--| -------------------------------------------------------------+--------------
--|  CREATE UNIQUE INDEX lk_pkey ON public.lk USING btree (a, b) | 12528 0
--| (1 row)
select attname, attcollation::regcollation from pg_attribute where attrelid = 'lk'::regclass and attnum > 0;
--|  attname | attcollation
--| ---------+--------------
--|  a       | "en-x-icu"
--|  b       | -
--| (2 rows)
alter table k alter b type bigint;
--| ALTER TABLE
select a from k where a > 'y' order by a limit 3;
--|    a
--| -------
--|  yX102
--|  yx128
--|  yx154
--| (3 rows)
reindex table k;
--| REINDEX
select a from k where a > 'y' order by a limit 3;
--|    a
--| -------
--|  yX102
--|  yx128
--|  yx154
--| (3 rows)
truncate k;
--| TRUNCATE TABLE
select collname from pg_collation where collname in ('C', 'POSIX', 'default', 'unicode', 'de-x-icu', 'ucs_basic') order by collname;
--|  collname
--| -----------
--|  C
--|  POSIX
--|  de-x-icu
--|  default
--|  ucs_basic
--|  unicode
--| (6 rows)
select * from k order by a collate "xx-x-icu";
--| ERROR:  42704: collation "xx-x-icu" for encoding "UTF8" does not exist
merge into p using (values ('Ö')) s(k) on p.k = s.k when not matched then insert values (s.k);
--| MERGE 1
select k from p order by k;
--|  k
--| ---
--|  Z
--|  ä
--|  Ö
--| (3 rows)
create table ck (a text, b text collate "en-x-icu", check (a < 'z' collate "de-x-icu"), check (b > 'a'), d text default ('x' collate "C"));
--| CREATE TABLE
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'ck'::regclass order by 1;
--|   conname   |             pg_get_constraintdef
--| ------------+----------------------------------------------
--|  ck_a_check | CHECK ((a < ('z'::text COLLATE "de-x-icu")))
--|  ck_b_check | CHECK ((b > 'a'::text))
--| (2 rows)
create view ckv as select a collate "de-x-icu" as x, b < 'a' as y, greatest(b, 'a') as z, min(b) over (order by a collate "sv-x-icu") as w from ck where a > 'b' collate "de-x-icu" order by b, a collate "C" desc;
--| CREATE VIEW
select pg_get_viewdef('ckv'::regclass);
--|                      pg_get_viewdef
--| --------------------------------------------------------
--|   SELECT (a COLLATE "de-x-icu") AS x,                  +
--|      (b < 'a'::text) AS y,                             +
--|      GREATEST(b, 'a'::text) AS z,                      +
--|      min(b) OVER (ORDER BY (a COLLATE "sv-x-icu")) AS w+
--|     FROM ck                                            +
--|    WHERE (a > ('b'::text COLLATE "de-x-icu"))          +
--|    ORDER BY b, (a COLLATE "C") DESC;
--| (1 row)
create index cki on ck ((a collate "de-x-icu"), (b || 'x'), lower(a collate "sv-x-icu")) where a > 'b' collate "de-x-icu";
--| CREATE INDEX
select pg_get_indexdef('cki'::regclass);
--|                                                                         pg_get_indexdef
--| ----------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  CREATE INDEX cki ON public.ck USING btree (a COLLATE "de-x-icu", ((b || 'x'::text)), lower((a COLLATE "sv-x-icu"))) WHERE (a > ('b'::text COLLATE "de-x-icu"))
--| (1 row)
select pg_get_indexdef(indexrelid), indcollation::text ~ '^[0-9]+ [0-9]+ [0-9]+$' from pg_index where indexrelid = 'cki'::regclass;
--|                                                                         pg_get_indexdef                                                                         | ?column?
--| ----------------------------------------------------------------------------------------------------------------------------------------------------------------+----------
--|  CREATE INDEX cki ON public.ck USING btree (a COLLATE "de-x-icu", ((b || 'x'::text)), lower((a COLLATE "sv-x-icu"))) WHERE (a > ('b'::text COLLATE "de-x-icu")) | t
--| (1 row)
insert into ck values ('é', 'b');
--| INSERT 0 1
insert into ck values ('ž', 'b');
--| ERROR:  23514: new row for relation "ck" violates check constraint "ck_a_check"
--| DETAIL:  Failing row contains (ž, b, x).
select * from ckv;
--|  x | y | z | w
--| ---+---+---+---
--|  é | f | b | b
--| (1 row)
select upper('straße i' collate "de-x-icu"), lower('İI' collate "tr-x-icu"), upper('ii ı' collate "tr-x-icu"), initcap('o''neil ÀB-cd x_y 3rd ǆABC' collate "en-x-icu");
--|    upper   | lower | upper |          initcap
--| -----------+-------+-------+---------------------------
--|  STRASSE I | iı    | İİ I  | O'neil Àb-Cd X_y 3rd ǅabc
--| (1 row)
create table up (t text collate "tr-x-icu");
--| CREATE TABLE
insert into up values ('Iİi');
--| INSERT 0 1
select lower(t), upper(t), lower(t collate "C"), upper(t collate "en-x-icu") from up;
--|  lower | upper | lower | upper
--| -------+-------+-------+-------
--|  ıii   | Iİİ   | iİi   | IİI
--| (1 row)
create index on up (lower(t));
--| CREATE INDEX
select t from up where lower(t) = 'ıii';
--|   t
--| -----
--|  Iİi
--| (1 row)
create view upv as select lower(t) as l from up;
--| CREATE VIEW
select pg_get_viewdef('upv'::regclass);
--|     pg_get_viewdef
--| -----------------------
--|   SELECT lower(t) AS l+
--|     FROM up;
--| (1 row)
select attname, attcollation::regcollation from pg_attribute where attrelid = 'upv'::regclass and attnum > 0;
--|  attname | attcollation
--| ---------+--------------
--|  l       | "tr-x-icu"
--| (1 row)
select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'up'::regclass;
--|                         pg_get_indexdef
--| ---------------------------------------------------------------
--|  CREATE INDEX up_lower_idx ON public.up USING btree (lower(t))
--| (1 row)
select array_sort(array['b','A'] collate "C");
--|  array_sort
--| ------------
--|  {A,b}
--| (1 row)
create table bp (c char(4) collate "en-x-icu", v varchar(5) collate "en-x-icu");
--| CREATE TABLE
insert into bp values ('b', 'b'), ('A', 'A'), ('a', 'a'), (null, null);
--| INSERT 0 4
select max(c) || '|', min(c) || '|', greatest(max(c), 'AA') || '|' from bp;
--|  ?column? | ?column? | ?column?
--| ----------+----------+----------
--|  b|       | a|       | b|
--| (1 row)
select greatest(c, 'B'::char(4) ), least(v, 'B') from bp order by c;
--|  greatest | least
--| ----------+-------
--|  B        | a
--|  B        | A
--|  B        | b
--|  B        | B
--| (4 rows)
select rank('B') within group (order by v), dense_rank('a') within group (order by v desc), cume_dist('A') within group (order by v), rank('B') within group (order by v collate "C") from bp;
--|  rank | dense_rank | cume_dist | rank
--| ------+------------+-----------+------
--|     4 |          4 |       0.6 |    2
--| (1 row)
select max(v), max(array[v]), min(array[v, 'a']) from bp;
--|  max |  max   |  min
--| -----+--------+-------
--|  b   | {NULL} | {a,a}
--| (1 row)
create view bpv as select rank('B') within group (order by v) as r from bp;
--| CREATE VIEW
select pg_get_viewdef('bpv'::regclass);
--|                            pg_get_viewdef
--| ---------------------------------------------------------------------
--|   SELECT rank('B'::character varying) WITHIN GROUP (ORDER BY v) AS r+
--|     FROM bp;
--| (1 row)
select greatest(array['b','a'] collate "en-x-icu", array['B']), max(array['x', v]), least(null, v collate "en-x-icu") from bp group by v order by v;
--|  greatest |   max    | least
--| ----------+----------+-------
--|  {B}      | {x,a}    | a
--|  {B}      | {x,A}    | A
--|  {B}      | {x,b}    | b
--|  {B}      | {x,NULL} |
--| (4 rows)
select percentile_disc('{0,1}'::float8[]) within group (order by v) from bp;
--|  percentile_disc
--| -----------------
--|  {a,b}
--| (1 row)
create table at (a text, b varchar(9) collate "sv-x-icu", n int);
--| CREATE TABLE
create index at_a on at (a); create index at_ap on at (a text_pattern_ops); create index at_e on at ((a || 'x')); create unique index at_ub on at (b, n);
--| CREATE INDEX
--| CREATE INDEX
--| CREATE INDEX
--| CREATE INDEX
insert into at select chr(97 + i % 26) || case i % 2 when 0 then 'X' else 'x' end, chr(65 + i % 26) || i, i from generate_series(1, 200) i;
--| INSERT 0 200
alter table at alter a type text collate "en-x-icu", alter b type text;
--| ALTER TABLE
select array_agg(a order by a) from (select distinct a from at) s;
--|                                     array_agg
--| ---------------------------------------------------------------------------------
--|  {aX,bx,cX,dx,eX,fx,gX,hx,iX,jx,kX,lx,mX,nx,oX,px,qX,rx,sX,tx,uX,vx,wX,xx,yX,zx}
--| (1 row)
select a from at where a > 'y' order by a limit 3;
--|  a
--| ----
--|  yX
--|  yX
--|  yX
--| (3 rows)
select b from at where b > 'Y' order by b limit 3;
--|   b
--| ------
--|  Y102
--|  Y128
--|  Y154
--| (3 rows)
select a || 'x' from at where a || 'x' > 'z' order by a || 'x', n limit 2;
--|  ?column?
--| ----------
--|  zxx
--|  zxx
--| (2 rows)
select attname, attcollation::regcollation from pg_attribute where attrelid = 'at'::regclass and attnum > 0;
--|  attname | attcollation
--| ---------+--------------
--|  a       | "en-x-icu"
--|  b       | "default"
--|  n       | -
--| (3 rows)
alter table at alter a type varchar(7) collate "C" using a || 'q';
--| ALTER TABLE
select a from at where a > 'y' order by a limit 3;
--|   a
--| -----
--|  yXq
--|  yXq
--|  yXq
--| (3 rows)
alter table at add c text collate "de-x-icu" default 'ä', add check (c < 'b');
--| ALTER TABLE
select max(c) from at;
--|  max
--| -----
--|  ä
--| (1 row)
create table at2 (like at including all);
--| CREATE TABLE
insert into at2 select * from at;
--| INSERT 0 200
select a from at2 where c < 'b' and b > 'Y' order by b limit 2;
--|   a
--| -----
--|  yXq
--|  yXq
--| (2 rows)
select count(*), min(b), max(b) from at;
--|  count | min  | max
--| -------+------+-----
--|    200 | A104 | Z77
--| (1 row)
select array_sort(array['b','A','a',null,'B'] collate "en-x-icu"), array_sort(array['b','A','a','B'] collate "en-x-icu", true), array_sort(array['b','A','a','B']);
--|    array_sort   | array_sort | array_sort
--| ----------------+------------+------------
--|  {a,A,b,B,NULL} | {B,b,A,a}  | {A,B,a,b}
--| (1 row)
create view asv as select array_sort(array['b', a] collate "en-x-icu") as s, upper('straße' collate "de-x-icu") as u from (values ('A'), ('z')) v(a) group by a order by upper(a collate "de-x-icu");
--| CREATE VIEW
select pg_get_viewdef('asv'::regclass);
--|                            pg_get_viewdef
--| --------------------------------------------------------------------
--|   SELECT array_sort((ARRAY['b'::text, a] COLLATE "en-x-icu")) AS s,+
--|      upper(('straße'::text COLLATE "de-x-icu")) AS u               +
--|     FROM ( VALUES ('A'::text), ('z'::text)) v(a)                   +
--|    GROUP BY a                                                      +
--|    ORDER BY (upper((a COLLATE "de-x-icu")));
--| (1 row)
select * from asv;
--|    s   |    u
--| -------+---------
--|  {A,b} | STRASSE
--|  {b,z} | STRASSE
--| (2 rows)
select upper('straße'), lower('ÀΣ'), array_sort(array['b','A','a','B']);
--|  upper  | lower | array_sort
--| --------+-------+------------
--|  STRAßE | àσ    | {A,B,a,b}
--| (1 row)
select collname from pg_collation where collversion is distinct from pg_collation_actual_version(oid);
--|  collname
--| ----------
--| (0 rows)
