create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
--| CREATE COLLATION
create collation ai (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
--| CREATE COLLATION
create table t (id int, a text collate ci, b text collate ai, c varchar(20) collate ci);
--| CREATE TABLE
insert into t values (1, 'Hello', 'Café', 'ABC'), (2, 'hELLO world', 'cafe', 'abc'), (3, 'Ää_%\', 'CAFÉ au lait', 'x'), (4, '', '', ''), (5, null, null, null), (6, E'e\u0301t\u00e9', E'e\u0301te', 'Été');
--| INSERT 0 6
select id from t where a like 'hello' order by id;
--|  id
--| ----
--|   1
--| (1 row)
select id from t where a like 'HELLO%' order by id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from t where a like '%O W%' order by id;
--|  id
--| ----
--|   2
--| (1 row)
select id from t where a like 'h_l%' order by id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from t where a like '_____' order by id;
--|  id
--| ----
--|   1
--|   3
--| (2 rows)
select id from t where a not like 'h%' order by id;
--|  id
--| ----
--|   3
--|   4
--|   6
--| (3 rows)
select id from t where a like '%' order by id;
--|  id
--| ----
--|   1
--|   2
--|   3
--|   4
--|   6
--| (5 rows)
select id from t where a like '' order by id;
--|  id
--| ----
--|   4
--| (1 row)
select id from t where a like '%\_\%\\' order by id;
--|  id
--| ----
--|   3
--| (1 row)
select id from t where a like '%#_#%\\' escape '#' order by id;
--|  id
--| ----
--| (0 rows)
select id from t where b like 'cafe%' order by id;
--|  id
--| ----
--|   1
--|   2
--|   3
--| (3 rows)
select id from t where b like '%e a_%' order by id;
--|  id
--| ----
--|   3
--| (1 row)
select id from t where b like 'ete' order by id;
--|  id
--| ----
--|   6
--| (1 row)
select id from t where b like 'e_e' order by id;
--|  id
--| ----
--|   6
--| (1 row)
select id from t where a like 'ÉT%' order by id;
--|  id
--| ----
--|   6
--| (1 row)
select id from t where a like '_te' order by id;
--|  id
--| ----
--| (0 rows)
select id from t where c like 'ab_' order by id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select id from t where c like any (array['ab_']) order by id;
--| ERROR:  0A000: nondeterministic collations are not supported for LIKE ANY and ALL
select id from t where a ilike 'hello' order by id;
--| ERROR:  0A000: nondeterministic collations are not supported for ILIKE
select id from t where a similar to 'hello' order by id;
--| ERROR:  0A000: nondeterministic collations are not supported for regular expressions
select a like '%\' from t where id = 1;
--| ERROR:  22025: LIKE pattern must not end with escape character
select 'ABC' like 'a%' collate ci, 'ABC' collate ci like 'a%c', 'ABC' collate ci like null, 'abc' like 'A%';
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        | t        |          | f
--| (1 row)
prepare p(text) as select id from t where a like $1 order by id;
--| PREPARE
execute p('%WORLD');
--|  id
--| ----
--|   2
--| (1 row)
execute p(null);
--|  id
--| ----
--| (0 rows)
create view v as select id from t where a like 'hello%';
--| CREATE VIEW
select * from v order by id;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
select pg_get_viewdef('v');
--|          pg_get_viewdef
--| --------------------------------
--|   SELECT id                    +
--|     FROM t                     +
--|    WHERE (a ~~ 'hello%'::text);
--| (1 row)
-- UNION keeps one of what is not told apart
select a from t where id < 3 union select 'HELLO' union select 'hello WORLD' order by 1;
--|       a
--| -------------
--|  Hello
--|  hELLO world
--| (2 rows)
select count(*) from (select c from t union select upper(c) from t) x;
--|  count
--| -------
--|      5
--| (1 row)
select count(*) from (select c, id from t union select upper(c), id from t) x;
--|  count
--| -------
--|      6
--| (1 row)
select a from t where id = 1 union all select 'HELLO' order by 1;
--|    a
--| -------
--|  Hello
--|  HELLO
--| (2 rows)
select a from t intersect select 'HELLO';
--| ERROR:  0A000: nondeterministic collations are not supported for INTERSECT
with recursive w (x) as (select a from t where id = 1 union select lower(x) from w) select * from w;
--| ERROR:  0A000: nondeterministic collations are not supported for recursive UNION
create view u as select a from t where id = 1 union select upper(a) from t where id = 1;
--| CREATE VIEW
select count(*) from u;
--|  count
--| -------
--|      1
--| (1 row)
