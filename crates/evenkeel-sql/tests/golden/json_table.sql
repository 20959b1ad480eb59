-- JSON_TABLE: rows of what paths find, and rows within them.

select * from json_table('[{"a":1,"n":[1,2]},{"a":2}]', '$[*]' columns (a int, nested '$.n[*]' columns (n int path '$'), c text path '$.a', nested '$.n[*]' columns (m int path '$')));
--|  a | c | n | m
--| ---+---+---+---
--|  1 | 1 | 1 |
--|  1 | 1 | 2 |
--|  1 | 1 |   | 1
--|  1 | 1 |   | 2
--|  2 | 2 |   |
--| (5 rows)
select * from json_table('[1,"x"]', '$[*]' columns (a int path '$'));
--|  a
--| ---
--|  1
--|
--| (2 rows)
select * from json_table('[1,"x"]', '$[*]' columns (a int path '$') error on error);
--|  a
--| ---
--|  1
--|
--| (2 rows)
select * from json_table('[1,"x"]', '$[*]' columns (a int path '$' error on error));
--| ERROR:  22P02: invalid input syntax for type integer: "x"
select * from json_table('{"x":1}', 'strict $.a' columns (a int path '$'));
--|  a
--| ---
--| (0 rows)
select * from json_table('{"x":1}', 'strict $.a' columns (a int path '$') error on error);
--| ERROR:  2203A: JSON object does not contain key "a"
select * from json_table('{"x":1}', 'strict $.a' columns (a int path '$') null on error);
--| ERROR:  42601: invalid ON ERROR behavior
--| DETAIL:  Only EMPTY [ ARRAY ] or ERROR is allowed in the top-level ON ERROR clause.
select * from json_table('{"x":1}', '$' columns (a int path '$.y' error on empty));
--| ERROR:  22035: no SQL/JSON item found for specified path of column "a"
select * from json_table('{"x":1}', '$' columns (a int path '$.y', nested path 'strict $.q' columns (z int)) error on error);
--| ERROR:  2203A: JSON object does not contain key "q"
select * from json_table('{"x":1}', '$' columns (a int path '$.y', nested path 'strict $.q' columns (z int)) );
--|  a | z
--| ---+---
--|    |
--| (1 row)
select * from json_table(null::jsonb, '$' columns (a int path '$.y'));
--|  a
--| ---
--| (0 rows)
select * from json_table('bad', '$' columns (a int path '$.y'));
--| ERROR:  22P02: invalid input syntax for type json
--| DETAIL:  Token "bad" is invalid.
--| CONTEXT:  JSON data, line 1: bad
select * from json_table('bad', '$' columns (a int path '$.y') error on error);
--| ERROR:  22P02: invalid input syntax for type json
--| DETAIL:  Token "bad" is invalid.
--| CONTEXT:  JSON data, line 1: bad
select * from json_table('1', '$' || '.a' columns (a int path '$.y'));
--| ERROR:  0A000: only string constants are supported in JSON_TABLE path specification
select * from json_table('1', '$.a[' columns (a int path '$.y'));
--| ERROR:  42601: syntax error at end of jsonpath input
select * from json_table('1', '$' columns (a int path '$.y', a int));
--| ERROR:  42712: duplicate JSON_TABLE column or path name: a
select * from json_table('1', '$' as a columns (a int path '$.y'));
--| ERROR:  42712: duplicate JSON_TABLE column or path name: a
select * from json_table('1', '$' columns (a int path '$.y', nested path '$' as p columns (b int), nested path '$' as p columns (c int)));
--| ERROR:  42712: duplicate JSON_TABLE column or path name: p
select * from json_table('1', '$' columns ());
--| ERROR:  42601: syntax error at or near ")"
select * from json_table('1', '$');
--| ERROR:  42601: syntax error at or near ")"
select * from json_table(1, '$' columns (a int));
--| ERROR:  42846: cannot cast type integer to jsonb
select * from json_table('1', '$' columns (a int exists));
--|  a
--| ---
--|  0
--| (1 row)
select * from json_table('{"a":1}', '$' columns (a int exists, b bool exists, t text exists, f float exists));
--| ERROR:  42804: could not coerce ON ERROR expression (FALSE) to the RETURNING type
--| DETAIL:  invalid input syntax for type double precision: "false"
select * from json_table('{"a":1}', '$' columns (a int exists, f text[] exists));
--| ERROR:  42804: could not coerce ON ERROR expression (FALSE) to the RETURNING type
--| DETAIL:  expected JSON array
select * from json_table('{"a":1}', '$' columns (a int exists null on error));
--| ERROR:  42601: invalid ON ERROR behavior for column "a"
--| DETAIL:  Only ERROR, TRUE, FALSE, or UNKNOWN is allowed in ON ERROR for EXISTS columns.
select * from json_table('{"a":1}', '$' columns (a int exists unknown on error path '$'));
--| ERROR:  42601: syntax error at or near "path"
select * from json_table('{"a":1}', '$' columns (a int exists path 'strict $.b' unknown on error, b int exists path 'strict $.b' true on error, c bool exists path 'strict $.b' error on error));
--| ERROR:  2203A: JSON object does not contain key "b"
select * from json_table('{"a":1}', '$' columns (a int exists path 'strict $.b' unknown on error, b int exists path 'strict $.b' true on error));
--|  a | b
--| ---+---
--|    | 1
--| (1 row)
select * from json_table('{"a":1}', '$' columns (a int exists true on empty));
--| ERROR:  42601: syntax error at or near "empty"
select * from json_table('{"a":"x"}', '$' columns (a text path '$.a' with wrapper, b text path '$.a' omit quotes, c text path '$.a' keep quotes, d jsonb path '$.a', e json path '$.a', f jsonb path '$.a' omit quotes));
--|    a   | b |  c  |  d  |  e  | f
--| -------+---+-----+-----+-----+---
--|  ["x"] | x | "x" | "x" | "x" |
--| (1 row)
select * from json_table('{"a":"x"}', '$' columns (a text path '$.a' with wrapper omit quotes));
--| ERROR:  42601: SQL/JSON QUOTES behavior must not be specified when WITH WRAPPER is used
select * from json_table('{"a":[1,2]}', '$' columns (a int[], b int[] path '$.a[*]' with wrapper, c text path '$.a', d text format json path '$.a', e text format json path '$.a[*]' , f text format json path '$.a[*]' error on error));
--| ERROR:  22034: JSON path expression for column "f" must return single item when no wrapper is requested
--| HINT:  Use the WITH WRAPPER clause to wrap SQL/JSON items into an array.
select * from json_table('{"a":[1,2]}', '$' columns (a int path '$.z' default 5 on empty, b int path '$.a' default -1 on error, c int path '$.a' default '7' on error default 8 on empty));
--| ERROR:  42601: syntax error at or near "default"
select * from json_table('{"a":[1,2]}', '$' columns (a int path '$.z' default x on empty)), (values(1)) v(x);
--| ERROR:  42703: column "x" does not exist
select * from json_table('{"a":[1,2]}', '$' columns (a int path '$.z' empty array on empty));
--| ERROR:  42601: invalid ON EMPTY behavior for column "a"
--| DETAIL:  Only ERROR, NULL, or DEFAULT expression is allowed in ON EMPTY for scalar columns.
select * from json_table('{"a":[1,2]}', '$' columns (a jsonb path '$.z' true on empty));
--| ERROR:  42601: invalid ON EMPTY behavior for column "a"
--| DETAIL:  Only ERROR, NULL, EMPTY ARRAY, EMPTY OBJECT, or DEFAULT expression is allowed in ON EMPTY for formatted columns.
select * from json_table('{"a":[1,2]}', '$' columns (a jsonb path '$.z' empty object on empty default '1' on error));
--|  a
--| ----
--|  {}
--| (1 row)
select * from json_table('{"a":[1,2]}', '$' columns (a int path '$.z' format json));
--| ERROR:  42601: syntax error at or near "format"
select * from json_table('{"a":[1,2]}', '$' columns (a int format json));
--| ERROR:  0A000: cannot use JSON format with non-string output types
select * from json_table('{"a":[1,2]}', '$' columns (a int format json error on error));
--| ERROR:  0A000: cannot use JSON format with non-string output types
select * from json_table('{"a":[1,2]}', '$.a[*]' columns (a for ordinality, b for ordinality, c int path '$'));
--| ERROR:  42601: only one FOR ORDINALITY column is allowed
select * from json_table('{"a":[1,2]}', '$.a[*] ? (@ < $x)' passing 2 as x columns (c int path '$', d int path '$x'));
--|  c | d
--| ---+---
--|  1 | 2
--| (1 row)
select * from json_table('{"a":[1,2]}', '$.a[*] ? (@ < $x)' passing 2 as x, 3 as x columns (c int path '$'));
--|  c
--| ---
--|  1
--| (1 row)
select * from json_table('{"a":[1,2]}', '$.a[*] ? (@ < $y)' passing 2 as x columns (c int path '$'));
--| ERROR:  42704: could not find jsonpath variable "y"
select * from json_table('{"a":[1,2]}', '$.a[*] ? (@ < $y)' passing 2 as x columns (c int path '$') error on error);
--| ERROR:  42704: could not find jsonpath variable "y"
select jt.*, v from (values ('[1,2]'::json),('[3]'),(null)) v(doc), json_table(v.doc, '$[*]' columns (o for ordinality, x int path '$')) jt;
--|  o | x |     v
--| ---+---+-----------
--|  1 | 1 | ("[1,2]")
--|  2 | 2 | ("[1,2]")
--|  1 | 3 | ([3])
--| (3 rows)
select jt.*, v from (values ('[1,2]'::json),('[]')) v(doc) left join json_table(v.doc, '$[*]' columns (o for ordinality, x int path '$')) jt on true;
--|  o | x |     v
--| ---+---+-----------
--|  1 | 1 | ("[1,2]")
--|  2 | 2 | ("[1,2]")
--|    |   | ([])
--| (3 rows)
select jt.x from (values ('[1,2]'::json),('[]')) v(doc) cross join lateral json_table(v.doc, '$[*]' columns (o for ordinality, x int path '$')) as jt(a);
--|  x
--| ---
--|  1
--|  2
--| (2 rows)
select jt from json_table('[1,2]', '$[*]' columns (o for ordinality, x int path '$')) jt;
--|   jt
--| -------
--|  (1,1)
--|  (2,2)
--| (2 rows)
select * from json_table('[1,2]', '$[*]' columns (o for ordinality, x int path '$')) with ordinality;
--| ERROR:  42601: syntax error at or near "with"
select * from json_table('[1,2]', '$[*]' columns (x int path '$' null on empty null on error null on error));
--| ERROR:  42601: syntax error at or near "null"
select * from json_table('[1,2]', '$[*]' columns (x int path '$' null on error null on empty));
--| ERROR:  42601: syntax error at or near "null"
select * from json_table('[1,2]', '$[*]' columns (x setof int));
--| ERROR:  0A000: returning SETOF types is not supported in SQL/JSON functions
select * from json_table('[1,2]', '$[*]' columns (x record));
--| ERROR:  0A000: returning pseudo-types is not supported in SQL/JSON functions
create type jtc as (a int, b text);
--| CREATE TYPE
create domain jtd as int check (value > 1);
--| CREATE DOMAIN
create domain jtdj as jsonb check (value <> '1');
--| CREATE DOMAIN
select * from json_table('[{"a":1,"b":"x"}]', '$[*]' columns (x jtc path '$', y jtc path '$.a', z jtd path '$.a', w jtd path '$.b'));
--|    x   | y | z | w
--| -------+---+---+---
--|  (1,x) |   |   |
--| (1 row)
select * from json_table('[{"a":1,"b":"x"}]', '$[*]' columns (z jtd path '$.a' error on error));
--| ERROR:  23514: value for domain jtd violates check constraint "jtd_check"
select * from json_table('[1,2]', '$[*]' columns (z jtdj path '$', y jtd path '$' default 0 on error));
--| ERROR:  42804: could not coerce ON ERROR expression (DEFAULT) to the RETURNING type
--| DETAIL:  value for domain jtd violates check constraint "jtd_check"
select json_table from (values (1)) json_table(json_table);
--|  json_table
--| ------------
--|           1
--| (1 row)
create table json_table(a int);
--| CREATE TABLE
select count(*) from json_table;
--|  count
--| -------
--|      0
--| (1 row)
drop table json_table;
--| DROP TABLE
select * from json_table('[1,2]' format json, '$[*]' columns (x int path '$'));
--|  x
--| ---
--|  1
--|  2
--| (2 rows)
select * from json_table(jsonb '[1,2]' format json, '$[*]' columns (x int path '$'));
--|  x
--| ---
--|  1
--|  2
--| (2 rows)
select * from json_table('{"a":[{"b":[1,2],"c":[3]},{"b":[],"c":[4,5]},{}]}', '$.a[*]' columns (o for ordinality, nested '$.b[*]' columns (bo for ordinality, b int path '$'), nested '$.c[*]' columns (co for ordinality, c int path '$')));
--|  o | bo | b | co | c
--| ---+----+---+----+---
--|  1 |  1 | 1 |    |
--|  1 |  2 | 2 |    |
--|  1 |    |   |  1 | 3
--|  2 |    |   |  1 | 4
--|  2 |    |   |  2 | 5
--|  3 |    |   |    |
--| (6 rows)
select * from json_table('{"a":[{"b":[{"d":[7,8]},{"d":[]}]},{"b":[]}]}', '$.a[*]' columns (o for ordinality, nested '$.b[*]' columns (bo for ordinality, nested '$.d[*]' columns (d int path '$', dno for ordinality))));
--|  o | bo | d | dno
--| ---+----+---+-----
--|  1 |  1 | 7 |   1
--|  1 |  1 | 8 |   2
--|  1 |  2 |   |
--|  2 |    |   |
--| (4 rows)
select * from json_table('[1,2]', '$[*]' columns (nested '$' columns (z int path '$')));
--|  z
--| ---
--|  1
--|  2
--| (2 rows)
select * from json_table('[1,2]', '$[*]' columns (x int path '$', nested path '$' || 'a' columns (z int path '$')));
--| ERROR:  42601: syntax error at or near "||"
prepare p as select * from json_table($1::jsonb, '$[*] ? (@ > $min)' passing $2::int as min columns (x int path '$'));
--| PREPARE
execute p('[1,2,3]', 1);
--|  x
--| ---
--|  2
--|  3
--| (2 rows)
with c as (select '[5,6]'::jsonb j) select sum(x) from c, json_table(c.j, '$[*]' columns (x int path '$'));
--|  sum
--| -----
--|   11
--| (1 row)
select (select string_agg(x::text, ',') from json_table(v.j, '$[*]' columns (x int path '$'))) from (values ('[1,2]'::jsonb),('[3]')) v(j);
--|  string_agg
--| ------------
--|  1,2
--|  3
--| (2 rows)
select * from json_table('["2024-01-02"]', '$[*].datetime()' columns (d date path '$', t timestamptz path '$', s text path '$'));
--|      d      |           t            |     s
--| ------------+------------------------+------------
--|  2024-01-02 | 2024-01-02 00:00:00+00 | 2024-01-02
--| (1 row)
select * from json_table('[1]', '$[*]' columns (x numeric(3,1) path '$', y varchar(2) path '$', z char(3) path '$', t text collate "C" path '$'));
--| ERROR:  42601: syntax error at or near "collate"
select * from json_table('["abc"]', '$[*]' columns (y varchar(2) path '$', z char(2) path '$', w varchar(2) path '$' error on error));
--| ERROR:  22001: value too long for type character varying(2)
select * from json_table('["abc"]', '$[*]' columns (y varchar(2) path '$'));
--|  y
--| ---
--|
--| (1 row)
select * from json_table('[{"a":true,"b":null}]', '$[*]' columns (a bool, a2 text path '$.a', b int, b2 jsonb path '$.b', b3 text path '$.b', b4 text format json path '$.b'));
--|  a | a2 | b |  b2  | b3 |  b4
--| ---+----+---+------+----+------
--|  t | t  |   | null |    | null
--| (1 row)
select * from json_table('[1]', '$[*]' as "Q" columns (x int path '$')) where x > 0;
--|  x
--| ---
--|  1
--| (1 row)
select * from json_table('[1]', '$[*]' columns (x int path '$', "Y z" int path '$', "q""r" text)) t order by x;
--|  x | Y z | q"r
--| ---+-----+-----
--|  1 |   1 |
--| (1 row)
insert into jti select * from json_table('[1]', '$[*]' columns (x int path '$'));
--| ERROR:  42P01: relation "jti" does not exist
select x.* from json_table('[1]', '$[*]' passing 5 as "a b" columns (x int path '$."a"' default 3 on empty)) x;
--|  x
--| ---
--|  3
--| (1 row)
select * from json_table('[{"a": 1}, {"a": 2}]', '$[*]' columns (a int)) j1 join json_table('[{"a": 2}]', '$[*]' columns (a int)) j2 using (a);
--|  a
--| ---
--|  2
--| (1 row)

-- Views keep them.
create view jt1 as select * from (values ('{"a":[1,2]}'::jsonb)) d(doc), json_table(doc, '$.a[*]' as p passing 1 as x, 'y' as "Y y" columns (
 id for ordinality, a int path '$', b text path '$.b' default 'q' || 'r' on empty error on error, "C c" jsonb, d json format json path '$.d' with conditional wrapper, e text format json without wrapper omit quotes null on empty, e2 text format json omit quotes, e3 varchar(3) with wrapper keep quotes,
 ex bool exists path '$.x', ex2 int exists error on error, ex3 bool exists true on error,
 nested path '$.n[*]' as np columns (n1 int, nested '$.z' columns (z text, zo for ordinality)), nested '$.m[*]' columns (m1 numeric(5,2), m2 int[] )) error on error) as j;
--| CREATE VIEW
select pg_get_viewdef('jt1');
--|                                               pg_get_viewdef
--| -----------------------------------------------------------------------------------------------------------
--|   SELECT d.doc,                                                                                           +
--|      j.id,                                                                                                +
--|      j.a,                                                                                                 +
--|      j.b,                                                                                                 +
--|      j."C c",                                                                                             +
--|      j.d,                                                                                                 +
--|      j.e,                                                                                                 +
--|      j.e2,                                                                                                +
--|      j.e3,                                                                                                +
--|      j.ex,                                                                                                +
--|      j.ex2,                                                                                               +
--|      j.ex3,                                                                                               +
--|      j.n1,                                                                                                +
--|      j.z,                                                                                                 +
--|      j.zo,                                                                                                +
--|      j.m1,                                                                                                +
--|      j.m2                                                                                                 +
--|     FROM ( VALUES ('{"a": [1, 2]}'::jsonb)) d(doc),                                                       +
--|      LATERAL JSON_TABLE(                                                                                  +
--|              d.doc, '$."a"[*]' AS p                                                                       +
--|              PASSING                                                                                      +
--|                  1 AS x,                                                                                  +
--|                  'y'::text AS "Y y"                                                                       +
--|              COLUMNS (                                                                                    +
--|                  id FOR ORDINALITY,                                                                       +
--|                  a integer PATH '$',                                                                      +
--|                  b text PATH '$."b"' DEFAULT ('q'::text || 'r'::text) ON EMPTY ERROR ON ERROR,            +
--|                  "C c" jsonb PATH '$."C c"' WITHOUT WRAPPER KEEP QUOTES,                                  +
--|                  d json PATH '$."d"' WITH CONDITIONAL WRAPPER KEEP QUOTES,                                +
--|                  e text FORMAT JSON PATH '$."e"' WITHOUT WRAPPER OMIT QUOTES,                             +
--|                  e2 text FORMAT JSON PATH '$."e2"' WITHOUT WRAPPER OMIT QUOTES,                           +
--|                  e3 character varying(3) FORMAT JSON PATH '$."e3"' WITH UNCONDITIONAL WRAPPER KEEP QUOTES,+
--|                  ex boolean EXISTS PATH '$."x"',                                                          +
--|                  ex2 integer EXISTS PATH '$."ex2"' ERROR ON ERROR,                                        +
--|                  ex3 boolean EXISTS PATH '$."ex3"' TRUE ON ERROR,                                         +
--|                  NESTED PATH '$."n"[*]' AS np                                                             +
--|                  COLUMNS (                                                                                +
--|                      n1 integer PATH '$."n1"',                                                            +
--|                      NESTED PATH '$."z"' AS json_table_path_0                                             +
--|                      COLUMNS (                                                                            +
--|                          z text PATH '$."z"',                                                             +
--|                          zo FOR ORDINALITY                                                                +
--|                      )                                                                                    +
--|                  ),                                                                                       +
--|                  NESTED PATH '$."m"[*]' AS json_table_path_1                                              +
--|                  COLUMNS (                                                                                +
--|                      m1 numeric(5,2) PATH '$."m1"',                                                       +
--|                      m2 integer[] PATH '$."m2"' WITHOUT WRAPPER KEEP QUOTES                               +
--|                  )                                                                                        +
--|              ) ERROR ON ERROR                                                                             +
--|          ) j;
--| (1 row)
select * from jt1;
--|       doc      | id | a | b  | C c | d | e | e2 | e3 | ex | ex2 | ex3 | n1 | z | zo | m1 | m2
--| ---------------+----+---+----+-----+---+---+----+----+----+-----+-----+----+---+----+----+----
--|  {"a": [1, 2]} |  1 | 1 | qr |     |   |   |    |    | f  |   0 | f   |    |   |    |    |
--|  {"a": [1, 2]} |  2 | 2 | qr |     |   |   |    |    | f  |   0 | f   |    |   |    |    |
--| (2 rows)
create view jt2 as select j.* from json_table('[1,2]'::json, 'strict $[*]' columns (a int path '$' null on error)) j;
--| CREATE VIEW
select pg_get_viewdef('jt2');
--|                         pg_get_viewdef
--| ---------------------------------------------------------------
--|   SELECT a                                                    +
--|     FROM JSON_TABLE(                                          +
--|              '[1,2]'::json, 'strict $[*]' AS json_table_path_0+
--|              COLUMNS (                                        +
--|                  a integer PATH '$'                           +
--|              )                                                +
--|          ) j;
--| (1 row)
select pg_get_viewdef('jt2'::regclass, true);
--|                         pg_get_viewdef
--| ---------------------------------------------------------------
--|   SELECT a                                                    +
--|     FROM JSON_TABLE(                                          +
--|              '[1,2]'::json, 'strict $[*]' AS json_table_path_0+
--|              COLUMNS (                                        +
--|                  a integer PATH '$'                           +
--|              )                                                +
--|          ) j;
--| (1 row)
select * from jt2;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
create view jt3 as select * from json_table('[1,2]', 'strict $[*]' columns (a jsonb[] path '$' empty array on error)  empty array on error) j, lateral json_table(jsonb '[1]', '$' columns (x int path '$')) as json_table;
--| CREATE VIEW
select pg_get_viewdef('jt3');
--|                                    pg_get_viewdef
--| -------------------------------------------------------------------------------------
--|   SELECT j.a,                                                                       +
--|      "json_table".x                                                                 +
--|     FROM JSON_TABLE(                                                                +
--|              '[1,2]'::text, 'strict $[*]' AS json_table_path_0                      +
--|              COLUMNS (                                                              +
--|                  a jsonb[] PATH '$' WITHOUT WRAPPER KEEP QUOTES EMPTY ARRAY ON ERROR+
--|              )                                                                      +
--|          ) j,                                                                       +
--|      LATERAL JSON_TABLE(                                                            +
--|              '[1]'::jsonb, '$' AS json_table_path_0                                 +
--|              COLUMNS (                                                              +
--|                  x integer PATH '$'                                                 +
--|              )                                                                      +
--|          ) "json_table";
--| (1 row)
create view jt4 as select a+1 as z from json_table('[1,2]', 'strict $[*]' columns (a int path '$') empty on error) ;
--| CREATE VIEW
select pg_get_viewdef('jt4');
--|                         pg_get_viewdef
--| ---------------------------------------------------------------
--|   SELECT (a + 1) AS z                                         +
--|     FROM JSON_TABLE(                                          +
--|              '[1,2]'::text, 'strict $[*]' AS json_table_path_0+
--|              COLUMNS (                                        +
--|                  a integer PATH '$'                           +
--|              )                                                +
--|          );
--| (1 row)
explain (costs off) select * from jt4;
--|              QUERY PLAN
--| -------------------------------------
--|  Table Function Scan on "json_table"
--| (1 row)
create view jt5 as select x from (select j.x from (values ('[1,2]'::jsonb, 1)) v(doc, n), json_table(v.doc, '$[*] ? (@ >= $n)' passing v.n as n, n + 1 as m columns (x int path '$', y int path '$' default 1 + 2 on empty default -1 on error)) j) s;
--| CREATE VIEW
select pg_get_viewdef('jt5');
--|                                            pg_get_viewdef
--| ----------------------------------------------------------------------------------------------------
--|   SELECT x                                                                                         +
--|     FROM ( SELECT j.x                                                                              +
--|             FROM ( VALUES ('[1, 2]'::jsonb,1)) v(doc, n),                                          +
--|              LATERAL JSON_TABLE(                                                                   +
--|                      v.doc, '$[*]?(@ >= $"n")' AS json_table_path_0                                +
--|                      PASSING                                                                       +
--|                          v.n AS n,                                                                 +
--|                          (v.n + 1) AS m                                                            +
--|                      COLUMNS (                                                                     +
--|                          x integer PATH '$',                                                       +
--|                          y integer PATH '$' DEFAULT (1 + 2) ON EMPTY DEFAULT '-1'::integer ON ERROR+
--|                      )                                                                             +
--|                  ) j) s;
--| (1 row)
select * from jt5;
--|  x
--| ---
--|  1
--|  2
--| (2 rows)
create view jt6 as select 1 as a where exists (select 1 from json_table('[1]', '$[*]' columns (x int path '$', nested path '$.a[*]' columns (y text exists, z text format json)) empty array on error) where x = 1 group by y having count(*) > 0);
--| CREATE VIEW
select pg_get_viewdef('jt6');
--|                                      pg_get_viewdef
--| -----------------------------------------------------------------------------------------
--|   SELECT 1 AS a                                                                         +
--|    WHERE (EXISTS ( SELECT 1                                                             +
--|             FROM JSON_TABLE(                                                            +
--|                      '[1]'::text, '$[*]' AS json_table_path_0                           +
--|                      COLUMNS (                                                          +
--|                          x integer PATH '$',                                            +
--|                          NESTED PATH '$."a"[*]' AS json_table_path_1                    +
--|                          COLUMNS (                                                      +
--|                              y text EXISTS PATH '$."y"',                                +
--|                              z text FORMAT JSON PATH '$."z"' WITHOUT WRAPPER KEEP QUOTES+
--|                          )                                                              +
--|                      )                                                                  +
--|                  )                                                                      +
--|            WHERE ("json_table".x = 1)                                                   +
--|            GROUP BY "json_table".y                                                      +
--|           HAVING (count(*) > 0)));
--| (1 row)
create view jt7 as select * from json_table('[1]', '$[*]' columns (x int path '$')) j(a);
--| CREATE VIEW
select * from jt7;
--|  a
--| ---
--|  1
--| (1 row)
create table docs (id int primary key, doc jsonb);
--| CREATE TABLE
insert into docs select g, jsonb_build_object('n', g, 'items', (select jsonb_agg(jsonb_build_object('k', k, 'v', k * g)) from generate_series(1, 3) k)) from generate_series(1, 3) g;
--| INSERT 0 3
select d.id, j.* from docs d, json_table(d.doc, '$' columns (n int, nested '$.items[*]' columns (k int, v int))) j order by 1, k;
--|  id | n | k | v
--| ----+---+---+---
--|   1 | 1 | 1 | 1
--|   1 | 1 | 2 | 2
--|   1 | 1 | 3 | 3
--|   2 | 2 | 1 | 2
--|   2 | 2 | 2 | 4
--|   2 | 2 | 3 | 6
--|   3 | 3 | 1 | 3
--|   3 | 3 | 2 | 6
--|   3 | 3 | 3 | 9
--| (9 rows)
select id, (select sum(v) from json_table(doc, '$.items[*]' columns (v int))) from docs order by 1;
--|  id | sum
--| ----+-----
--|   1 |   6
--|   2 |  12
--|   3 |  18
--| (3 rows)
update docs set doc = jsonb_build_object('sum', j.s) from (select id, sum(v) s from docs, json_table(doc, '$.items[*]' columns (v int)) group by id) j where j.id = docs.id;
--| UPDATE 3
select * from docs order by 1;
--|  id |     doc
--| ----+-------------
--|   1 | {"sum": 6}
--|   2 | {"sum": 12}
--|   3 | {"sum": 18}
--| (3 rows)
delete from docs using json_table('[1,2]', '$[*]' columns (i int path '$')) j where id = j.i;
--| DELETE 2
select count(*) from docs;
--|  count
--| -------
--|      1
--| (1 row)
insert into docs select i, to_jsonb(i) from json_table('[7,8]', '$[*]' columns (i int path '$'));
--| INSERT 0 2
select * from docs order by 1;
--|  id |     doc
--| ----+-------------
--|   3 | {"sum": 18}
--|   7 | 7
--|   8 | 8
--| (3 rows)
select * from json_table('[1,2]', '$[*]' columns (x int path '$')) a left join json_table('[2,3]', '$[*]' columns (y int path '$')) b on x = y order by 1;
--|  x | y
--| ---+---
--|  1 |
--|  2 | 2
--| (2 rows)
select * from json_table('[[1,2],[3]]', '$[*]' columns (o for ordinality, nested path '$[*]' as inside columns (i for ordinality, v int path '$', w text path '$' default 'none' on empty)));
--|  o | i | v | w
--| ---+---+---+---
--|  1 | 1 | 1 | 1
--|  1 | 2 | 2 | 2
--|  2 | 1 | 3 | 3
--| (3 rows)
select * from json_table((select jsonb_agg(x) from json_table('[1,2]', '$[*]' columns (x int path '$'))), '$[*]' columns (y int path '$'));
--|  y
--| ---
--|  1
--|  2
--| (2 rows)
select count(*), sum(x) from json_table((select jsonb_agg(g) from generate_series(1, 20000) g), '$[*]' columns (x int path '$'));
--|  count |    sum
--| -------+-----------
--|  20000 | 200010000
--| (1 row)

-- Domains, defaults and aliases.
create domain jtt as text check (value <> 'foo');
--| CREATE DOMAIN
select * from json_table(jsonb '[true, "foo", 1.50, null]', '$[*]' columns (x jtt path '$', y text path '$'));
--|   x   |  y
--| ------+------
--|  true | t
--|       | foo
--|  1.50 | 1.50
--|       |
--| (4 rows)
select * from json_table(jsonb '{}', '$' columns (x jtt path '$.a' default 'foo'::jtt on empty));
--| ERROR:  42804: could not coerce ON EMPTY expression (DEFAULT) to the RETURNING type
--| DETAIL:  value for domain jtt violates check constraint "jtt_check"
select * from json_table(jsonb '{}', '$' columns (x jtt path '$.a' default 'bar'::jtt on empty, y int path '$.a' default 1 / 0 on empty));
--| ERROR:  22012: division by zero
create view jt8 as select * from json_table(jsonb '1', '$' columns (x jtt path '$', y jtd path '$' with wrapper, z bool exists)) j;
--| CREATE VIEW
select pg_get_viewdef('jt8');
--|                              pg_get_viewdef
--| ------------------------------------------------------------------------
--|   SELECT x,                                                            +
--|      y,                                                                +
--|      z                                                                 +
--|     FROM JSON_TABLE(                                                   +
--|              '1'::jsonb, '$' AS json_table_path_0                      +
--|              COLUMNS (                                                 +
--|                  x jtt PATH '$',                                       +
--|                  y jtd PATH '$' WITH UNCONDITIONAL WRAPPER KEEP QUOTES,+
--|                  z boolean EXISTS PATH '$."z"'                         +
--|              )                                                         +
--|          ) j;
--| (1 row)
select * from json_table(jsonb '1', '$' columns (a int path '$') default 1 on error);
--| ERROR:  42601: invalid ON ERROR behavior
--| DETAIL:  Only EMPTY [ ARRAY ] or ERROR is allowed in the top-level ON ERROR clause.
select * from json_table(jsonb '1', '$' columns (a int path '$')) as f(x, y);
--| ERROR:  42P10: JSON_TABLE function has 1 columns available but 2 columns specified
select 1, json_table('1', '$' columns (a int));
--| ERROR:  42601: syntax error at or near "("
with b as (select 2), json_table(a) as (values (1)) select * from json_table, b;
--|  a | ?column?
--| ---+----------
--|  1 |        2
--| (1 row)
select * from json_table('1', '$' columns (path int, format text path '$', nested int path '$', error int path '$' error on error));
--|  path | format | nested | error
--| ------+--------+--------+-------
--|       | 1      |      1 |     1
--| (1 row)
-- JSON as bytes.
select json_value('\x31'::bytea format json, '$'), json_query('\x5b315d'::bytea format json encoding utf8, '$'), json_query('1', '$' returning bytea format json encoding utf8);
--|  json_value | json_query | json_query
--| ------------+------------+------------
--|  1          | [1]        | \x31
--| (1 row)
select * from json_table('\x31'::bytea format json encoding utf8, '$' columns (a int path '$', b bytea format json encoding utf8 path '$', c text path '$'));
--|  a |  b   | c
--| ---+------+---
--|  1 | \x31 | 1
--| (1 row)
select json_value('\x31'::bytea, '$');
--| ERROR:  42846: cannot cast type bytea to jsonb
select json_value('1' format json encoding utf8, '$');
--| ERROR:  42804: JSON ENCODING clause is only allowed for bytea input type
select json_value('1' format json encoding latin1, '$');
--| ERROR:  22023: unrecognized JSON encoding: latin1
select json_query('1', '$' returning text format json encoding utf8);
--| ERROR:  0A000: cannot set JSON encoding for non-bytea output types
select json_query('1', '$' returning bytea format json encoding utf16);
--| ERROR:  0A000: unsupported JSON encoding
--| HINT:  Only UTF8 JSON encoding is supported.
select * from json_table('1', '$' columns (c text format json encoding utf8 path '$'));
--| ERROR:  0A000: cannot set JSON encoding for non-bytea output types
select * from json_table('1', '$' columns (c int format json encoding utf8 path '$'));
--| ERROR:  0A000: cannot use JSON format with non-string output types
create view of_bytes as select a, b, v from json_table('\x31'::bytea format json encoding utf8, '$' columns (a int path '$', b bytea format json encoding utf8 path '$')), json_value('\x31'::bytea format json, '$') v;
--| CREATE VIEW
select pg_get_viewdef('of_bytes');
--|                                 pg_get_viewdef
--| -------------------------------------------------------------------------------
--|   SELECT "json_table".a,                                                      +
--|      "json_table".b,                                                          +
--|      v.v                                                                      +
--|     FROM JSON_TABLE(                                                          +
--|              '\x31'::bytea FORMAT JSON ENCODING UTF8, '$' AS json_table_path_0+
--|              COLUMNS (                                                        +
--|                  a integer PATH '$',                                          +
--|                  b bytea PATH '$' WITHOUT WRAPPER KEEP QUOTES                 +
--|              )                                                                +
--|          ),                                                                   +
--|      JSON_VALUE('\x31'::bytea FORMAT JSON, '$' RETURNING text) v(v);
--| (1 row)
select * from of_bytes;
--|  a |  b   | v
--| ---+------+---
--|  1 | \x31 | 1
--| (1 row)
-- Something empty that is no value of the type; what is looked at first.
select json_query('7', '$.a' returning int empty array on empty);
--| ERROR:  42804: could not coerce ON EMPTY expression (EMPTY ARRAY) to the RETURNING type
--| DETAIL:  invalid input syntax for type integer: "[]"
select json_query('7', '$.a' returning varchar(1) empty object on empty);
--| ERROR:  42804: could not coerce ON EMPTY expression (EMPTY OBJECT) to the RETURNING type
--| DETAIL:  value too long for type character varying(1)
select * from json_table('7', '$' columns (a mood_of_none path '$', a int));
--| ERROR:  42712: duplicate JSON_TABLE column or path name: a
select * from json_table('7', '$' columns (a float8 path '$' empty on empty, b int, b int));
--| ERROR:  42712: duplicate JSON_TABLE column or path name: b
select * from json_table('7', '$' columns (a bytea path '$.x' default 3 on empty) null on error);
--| ERROR:  42601: invalid ON ERROR behavior
--| DETAIL:  Only EMPTY [ ARRAY ] or ERROR is allowed in the top-level ON ERROR clause.
select * from json_table('7', '$' columns (a bytea path '$.x' default 3 on empty, b int path '$' default 'x' on empty empty array on error));
--| ERROR:  42601: invalid ON ERROR behavior for column "b"
--| DETAIL:  Only ERROR, NULL, or DEFAULT expression is allowed in ON ERROR for scalar columns.
select * from json_table('7', '$' columns (a bytea path '$.x' default 3 on empty));
--|      a
--| ------------
--|  \x00000003
--| (1 row)
select * from json_table('7', '$' columns (json_table_path_0 int path '$'));
--| ERROR:  42712: duplicate JSON_TABLE column or path name: json_table_path_0
select * from json_table('7', '$' as json_table_path_0 columns (nested '$' as p columns (p int path '$')));
--| ERROR:  42712: duplicate JSON_TABLE column or path name: p
