-- Where nobody knows in which collation texts are told apart.
create table ct (id int, s text collate "sv-x-icu", c text collate "C", d text collate "de-x-icu", x text, n name, a text[] collate "sv-x-icu");
--| CREATE TABLE
insert into ct values (1,'b','b','b','b','b','{b}'), (2,'A','A','A','A','A','{A}');
--| INSERT 0 2
select id from ct where s = c;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select id from ct where s <> c;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select id from ct where s = c collate "C" order by id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from ct where s = x and s = 'b';
--|  id
--| ----
--|   1
--| (1 row)
select id from ct where s is distinct from c;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select id from ct where s in ('a', c);
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select id from ct where s not in ('a', x, 'b');
--|  id
--| ----
--| (0 rows)
select id from ct where (s, id) = (c, id);
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select id from ct where (s, id) in ((c, 1));
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select id from ct where (s, id) in (select c, id from ct);
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select id from ct where s = any (select c from ct);
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select id from ct where s not in (select c from ct);
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select id from ct where s in (select x from ct) order by id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from ct where s = any (array[c]);
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select nullif(s, c) from ct;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select case s when c then 1 end from ct;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select 1 from ct a join ct b on a.s = b.c;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select count(*) from ct a join ct b on a.s = b.x;
--|  count
--| -------
--|      2
--| (1 row)
select 1 from ct a join (select c as s from ct) b using (s);
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select 1 from ct natural join (select c as s from ct) b;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select array[s] = array[c] from ct;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select a @> array[c], a && array[c] from ct;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select array_position(a, c) from ct;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select array_remove(a, c) from ct;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select row(s) = row(c) from ct;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select s like c from ct;
--| ERROR:  42P22: could not determine which collation to use for LIKE
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select s ilike c from ct;
--| ERROR:  42P22: could not determine which collation to use for ILIKE
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select s ~ c from ct;
--| ERROR:  42P22: could not determine which collation to use for regular expression
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select regexp_replace(s, c, 'x') from ct;
--| ERROR:  42P22: could not determine which collation to use for regular expression
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select strpos(s, c) from ct;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select starts_with(s, c), split_part(s, c, 1), replace(s, c, 'x') from ct;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select upper(s || c) from ct;
--| ERROR:  42P22: could not determine which collation to use for upper() function
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select lower(s || c) from ct;
--| ERROR:  42P22: could not determine which collation to use for lower() function
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select initcap(s || c) from ct;
--| ERROR:  42P22: could not determine which collation to use for initcap() function
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select max(s || c) from ct;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select n = s from ct;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select n = x, n = c from ct where id = 1;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
-- Sorted, grouped and told apart.
select distinct s || c from ct;
--| ERROR:  42P21: collation mismatch between implicit collations "sv-x-icu" and "C"
--| HINT:  You can choose the collation by applying the COLLATE clause to one or both expressions.
select distinct on (s || c) id from ct;
--| ERROR:  42P21: collation mismatch between implicit collations "sv-x-icu" and "C"
--| HINT:  You can choose the collation by applying the COLLATE clause to one or both expressions.
select s || c, count(*) from ct group by s || c;
--| ERROR:  42P21: collation mismatch between implicit collations "sv-x-icu" and "C"
--| HINT:  You can choose the collation by applying the COLLATE clause to one or both expressions.
select s || c, count(*) from ct group by 1;
--| ERROR:  42P21: collation mismatch between implicit collations "sv-x-icu" and "C"
--| HINT:  You can choose the collation by applying the COLLATE clause to one or both expressions.
select count(distinct s || c) from ct;
--| ERROR:  42P21: collation mismatch between implicit collations "sv-x-icu" and "C"
--| HINT:  You can choose the collation by applying the COLLATE clause to one or both expressions.
select rank() over (partition by s || c) from ct;
--| ERROR:  42P21: collation mismatch between implicit collations "sv-x-icu" and "C"
--| HINT:  You can choose the collation by applying the COLLATE clause to one or both expressions.
select rank() over (order by s || c) from ct;
--| ERROR:  42P21: collation mismatch between implicit collations "sv-x-icu" and "C"
--| HINT:  You can choose the collation by applying the COLLATE clause to one or both expressions.
select s || c from ct order by 1;
--| ERROR:  42P21: collation mismatch between implicit collations "sv-x-icu" and "C"
--| HINT:  You can choose the collation by applying the COLLATE clause to one or both expressions.
select s || c || (d collate "de-x-icu") from ct order by 1;
--|  ?column?
--| ----------
--|  AAA
--|  bbb
--| (2 rows)
-- A column of a subquery's that has none: what is beside it has its own.
select o < 'b' from (select s || c as o from ct) q;
--|  ?column?
--| ----------
--|  f
--|  t
--| (2 rows)
select o < x from (select s || c as o, x from ct) q;
--|  ?column?
--| ----------
--|  f
--|  f
--| (2 rows)
select o < s from (select s || c as o, s from ct) q;
--|  ?column?
--| ----------
--|  f
--|  f
--| (2 rows)
select o < o from (select s || c as o from ct) q;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select o = o from (select s || c as o from ct) q;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select o || 'x' from (select s || c as o from ct) q order by 1;
--|  ?column?
--| ----------
--|  AAx
--|  bbx
--| (2 rows)
select o || o from (select s || c as o from ct) q order by 1;
--|  ?column?
--| ----------
--|  AAAA
--|  bbbb
--| (2 rows)
select coalesce(o, o) from (select s || c as o from ct) q order by 1;
--|  coalesce
--| ----------
--|  AA
--|  bb
--| (2 rows)
select o from (select s || c as o from ct) q order by 1;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select o from (select s || c as o from ct) q union select x from ct order by 1;
--|  o
--| ----
--|  A
--|  AA
--|  b
--|  bb
--| (4 rows)
select o from (select s || c as o from ct) q union select o from (select s || c as o from ct) q;
--| ERROR:  42P22: could not determine which collation to use for string comparison
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select upper(o) from (select s || c as o from ct) q;
--| ERROR:  42P22: could not determine which collation to use for upper() function
--| HINT:  Use the COLLATE clause to set the collation explicitly.
select collation for (o), collation for (o || 'x') from (select s || c as o from ct) q limit 1;
--|  pg_collation_for | pg_collation_for
--| ------------------+------------------
--|                   | "default"
--| (1 row)
create view cto as select s || c as o from ct;
--| ERROR:  42P22: could not determine which collation to use for view column "o"
--| HINT:  Use the COLLATE clause to set the collation explicitly.
create table ctt as select s || c as o from ct;
--| ERROR:  42P22: no collation was derived for column "o" with collatable type text
--| HINT:  Use the COLLATE clause to set the collation explicitly.
create index on ct ((s || c));
--| ERROR:  42P22: could not determine which collation to use for index expression
--| HINT:  Use the COLLATE clause to set the collation explicitly.
create index cti on ct ((s || c) collate "de-x-icu");
--| CREATE INDEX
select pg_get_indexdef(indexrelid) from pg_index where indexrelid = 'cti'::regclass;
--|                               pg_get_indexdef
--| ---------------------------------------------------------------------------
--|  CREATE INDEX cti ON public.ct USING btree (((s || c)) COLLATE "de-x-icu")
--| (1 row)
-- What a recursion begins with has to have the collation of all.
with recursive r(q) as (select 'b' union all select s from ct, r where q = 'b' and id = 2) select q from r;
--| ERROR:  42P21: recursive query "r" column 1 has collation "default" in non-recursive term but collation "sv-x-icu" overall
--| HINT:  Use the COLLATE clause to set the collation of the non-recursive term.
with recursive r(q) as (select 'b'::text collate "sv-x-icu" union all select s from ct, r where q = 'b' and id = 2) select q from r order by q;
--|  q
--| ---
--|  A
--|  b
--| (2 rows)
with recursive r(q) as (select 'b'::text union all select q || x from ct, r where length(q) < 2) select q from r order by q;
--|  q
--| ----
--|  b
--|  bA
--|  bb
--| (3 rows)
