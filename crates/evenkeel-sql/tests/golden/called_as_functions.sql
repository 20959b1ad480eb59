-- Operators by their functions' names, and what is quoted of any type.
select like('abc', 'a%'), notlike('abc', 'a%'), "like"('abc', 'b%'), pg_catalog.like('abc', 'a_c'), pg_catalog.notlike('abc', 'b%');
--|  like | notlike | like | like | notlike
--| ------+---------+------+------+---------
--|  t    | f       | f    | t    | t
--| (1 row)
select textlike('abc', 'a%'), textnlike('abc', 'a%'), texticlike('abc', 'A%'), texticnlike('abc', 'A%'), bpcharlike('abc'::char(5), 'abc  '), namelike('abc'::name, 'a%');
--|  textlike | textnlike | texticlike | texticnlike | bpcharlike | namelike
--| ----------+-----------+------------+-------------+------------+----------
--|  t        | f         | t          | f           | t          | t
--| (1 row)
select textregexeq('abc', '^a'), textregexne('abc', '^a'), texticregexeq('abc', '^A'), texticregexne('abc', '^A');
--|  textregexeq | textregexne | texticregexeq | texticregexne
--| -------------+-------------+---------------+---------------
--|  t           | f           | t             | f
--| (1 row)
select bytealike('abc', 'a%'), byteanlike('abc', 'a%'), like('abc'::bytea, 'a%'::bytea);
--|  bytealike | byteanlike | like
--| -----------+------------+------
--|  t         | f          | t
--| (1 row)
select textcat('a', 'b'), textanycat('a', 1), anytextcat(1, 'a'), byteacat('\x01', '\x02');
--|  textcat | textanycat | anytextcat | byteacat
--| ---------+------------+------------+----------
--|  ab      | a1         | 1a         | \x0102
--| (1 row)
select like(null, 'a'), like(1, 2);
--| ERROR:  42883: function like(integer, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select similar_escape('a%', '#'), similar_escape('a\%', null), similar_escape(null, '#');
--|  similar_escape | similar_escape | similar_escape
--| ----------------+----------------+----------------
--|  ^(?:a.*)$      | ^(?:a\%)$      |
--| (1 row)
select quote_literal(42), quote_literal(1.5), quote_literal(true), quote_literal(date '2020-01-01'), quote_literal(null);
--|  quote_literal | quote_literal | quote_literal | quote_literal | quote_literal
--| ---------------+---------------+---------------+---------------+---------------
--|  '42'          | '1.5'         | 'true'        | '2020-01-01'  |
--| (1 row)
select quote_literal(array[1, 2]), quote_nullable(array['a''']), quote_nullable(null::int[]), quote_literal(row(1, 'x''y'));
--|  quote_literal | quote_nullable | quote_nullable | quote_literal
--| ---------------+----------------+----------------+---------------
--|  '{1,2}'       | '{a''}'        | NULL           | '(1,x''y)'
--| (1 row)
create view v as select "like"(x, 'a%') as l, quote_literal(a) as q from (values ('abc', array[1])) s(x, a);
--| CREATE VIEW
select pg_get_viewdef('v'), * from v;
--|                   pg_get_viewdef                   | l |   q
--| ---------------------------------------------------+---+-------
--|   SELECT "like"(x, 'a%'::text) AS l,              +| t | '{1}'
--|      quote_literal((a)::text) AS q                +|   |
--|     FROM ( VALUES ('abc'::text,ARRAY[1])) s(x, a); |   |
--| (1 row)
