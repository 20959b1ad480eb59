-- The extension citext: texts that are compared in any letters.
SELECT 'a'::citext;
--| ERROR:  42704: type "citext" does not exist
CREATE EXTENSION citext;
--| CREATE EXTENSION
CREATE TABLE people (id int PRIMARY KEY, email citext UNIQUE, nick citext DEFAULT 'Nobody', old citext[], CHECK (nick <> 'root'));
--| CREATE TABLE
INSERT INTO people VALUES (1, 'Ann@Example.org', 'Ann'), (2, 'bob@example.org', 'BOB'), (3, NULL, NULL);
--| INSERT 0 3
INSERT INTO people VALUES (4, 'ANN@example.ORG', 'x');
--| ERROR:  23505: duplicate key value violates unique constraint "people_email_key"
--| DETAIL:  Key (email)=(ANN@example.ORG) already exists.
INSERT INTO people VALUES (4, 'x', 'ROOT');
--| ERROR:  23514: new row for relation "people" violates check constraint "people_nick_check"
--| DETAIL:  Failing row contains (4, x, ROOT, null).
INSERT INTO people (id, email, old) VALUES (5, 'Zed', '{Zed,zED}');
--| INSERT 0 1
SELECT id, email, nick, old FROM people ORDER BY email, id;
--|  id |      email      |  nick  |    old
--| ----+-----------------+--------+-----------
--|   1 | Ann@Example.org | Ann    |
--|   2 | bob@example.org | BOB    |
--|   5 | Zed             | Nobody | {Zed,zED}
--|   3 |                 |        |
--| (4 rows)
SELECT id FROM people WHERE email = 'ann@EXAMPLE.org';
--|  id
--| ----
--|   1
--| (1 row)
SELECT id FROM people WHERE email = 'ann@EXAMPLE.org'::text;
--|  id
--| ----
--| (0 rows)
SELECT id FROM people WHERE email = ANY ('{ANN@example.org,ZED}');
--|  id
--| ----
--|   1
--|   5
--| (2 rows)
SELECT id FROM people WHERE email IN ('zed', 'BOB@EXAMPLE.ORG') ORDER BY id;
--|  id
--| ----
--|   2
--|   5
--| (2 rows)
SELECT id FROM people WHERE email > 'BOB@example.org' ORDER BY id;
--|  id
--| ----
--|   5
--| (1 row)
SELECT id FROM people WHERE email LIKE 'ANN%';
--|  id
--| ----
--|   1
--| (1 row)
SELECT id FROM people WHERE email NOT LIKE 'ANN%' ORDER BY id;
--|  id
--| ----
--|   2
--|   5
--| (2 rows)
SELECT id FROM people WHERE email ~ '^BOB' ORDER BY id;
--|  id
--| ----
--|   2
--| (1 row)
SELECT id FROM people WHERE email !~* 'example' ORDER BY id;
--|  id
--| ----
--|   5
--| (1 row)
SELECT id FROM people WHERE old @> '{ZED}';
--|  id
--| ----
--|   5
--| (1 row)
SELECT id FROM people WHERE nick::text LIKE 'a%';
--|  id
--| ----
--| (0 rows)
SELECT 'A'::citext = 'a'::citext, 'A'::citext = 'a', 'A'::citext = 'a'::text, 'A'::citext <> 'b', 'B'::citext > 'a', 'a'::citext < 'B';
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------
--|  t        | t        | f        | t        | t        | t
--| (1 row)
SELECT pg_typeof('x'::citext), pg_typeof('x'::citext || 'y'), pg_typeof(lower('X'::citext)), pg_typeof(coalesce('x'::citext, 'y'::text));
--|  pg_typeof | pg_typeof | pg_typeof | pg_typeof
--| -----------+-----------+-----------+-----------
--|  citext    | text      | text      | text
--| (1 row)
SELECT min(email), max(nick), count(DISTINCT lower(email)) FROM people;
--|        min       |  max   | count
--| -----------------+--------+-------
--|  Ann@Example.org | Nobody |     3
--| (1 row)
SELECT x, count(*) FROM unnest('{a,A,b,B,c}'::citext[]) AS x GROUP BY x ORDER BY count(*) DESC, x;
--|  x | count
--| ---+-------
--|  a |     2
--|  b |     2
--|  c |     1
--| (3 rows)
SELECT DISTINCT x::text = x::text FROM unnest('{a,A}'::citext[]) AS x;
--|  ?column?
--| ----------
--|  t
--| (1 row)
SELECT a.x::text, b.x::text FROM unnest('{a,B}'::citext[]) AS a (x) JOIN unnest('{A,b}'::citext[]) AS b (x) USING (x) ORDER BY 1;
--|  x | x
--| ---+---
--|  B | b
--|  a | A
--| (2 rows)
SELECT replace('aBcAbC'::citext, 'AB', '-'), strpos('xAB'::citext, 'ab'), split_part('1x2X3'::citext, 'X', 3), translate('abCA'::citext, 'Ac', '12');
--|  replace | strpos | split_part | translate
--| ---------+--------+------------+-----------
--|  -c-C    |      2 | 3          | 1b21
--| (1 row)
SELECT regexp_replace('foo'::citext, 'O', 'x'), regexp_replace('foO'::citext, 'O', 'x', 'g'), regexp_replace('foO'::citext, 'O', 'x', 'c');
--|  regexp_replace | regexp_replace | regexp_replace
--| ----------------+----------------+----------------
--|  fxo            | fxx            | fox
--| (1 row)
SELECT regexp_match('fooBAR'::citext, 'b(a)R'), regexp_split_to_array('1a2A3'::citext, 'A');
--|  regexp_match | regexp_split_to_array
--| --------------+-----------------------
--|  {A}          | {1,2,3}
--| (1 row)
SELECT regexp_split_to_table('1a2A3'::citext, 'A');
--|  regexp_split_to_table
--| -----------------------
--|  1
--|  2
--|  3
--| (3 rows)
SELECT regexp_matches('aBAb'::citext, 'AB', 'g');
--|  regexp_matches
--| ----------------
--|  {aB}
--|  {Ab}
--| (2 rows)
SELECT true::citext, 5::citext, '10.1.2.3/32'::inet::citext, 'x '::char(2)::citext;
--|  citext | citext |   citext    | citext
--| --------+--------+-------------+--------
--|  true   | 5      | 10.1.2.3/32 | x
--| (1 row)
SELECT 'yes'::citext::bool, '5'::citext::int;
--|  bool | int4
--| ------+------
--|  t    |    5
--| (1 row)
CREATE TABLE children (email citext REFERENCES people (email), word text);
--| CREATE TABLE
INSERT INTO children VALUES ('ZED', 'x');
--| INSERT 0 1
INSERT INTO children VALUES ('nobody', 'x');
--| ERROR:  23503: insert or update on table "children" violates foreign key constraint "children_email_fkey"
--| DETAIL:  Key (email)=(nobody) is not present in table "people".
SELECT c.email, p.email FROM children c JOIN people p ON p.email = c.email;
--|  email | email
--| -------+-------
--|  ZED   | Zed
--| (1 row)
ALTER TABLE children ALTER word TYPE citext;
--| ALTER TABLE
SELECT word = 'X' FROM children;
--|  ?column?
--| ----------
--|  t
--| (1 row)
CREATE INDEX children_word ON children (word, lower(email));
--| CREATE INDEX
CREATE DOMAIN address AS citext CHECK (VALUE LIKE '%@%');
--| CREATE DOMAIN
SELECT 'A@B'::address = 'a@b', 'x'::address;
--| ERROR:  23514: value for domain address violates check constraint "address_check"
CREATE VIEW named AS SELECT id, nick FROM people WHERE nick = 'ann';
--| CREATE VIEW
SELECT * FROM named;
--|  id | nick
--| ----+------
--|   1 | Ann
--| (1 row)
SELECT column_name, data_type, udt_schema, udt_name FROM information_schema.columns WHERE table_name = 'people' ORDER BY ordinal_position;
--|  column_name |  data_type   | udt_schema | udt_name
--| -------------+--------------+------------+----------
--|  id          | integer      | pg_catalog | int4
--|  email       | USER-DEFINED | public     | citext
--|  nick        | USER-DEFINED | public     | citext
--|  old         | ARRAY        | public     | _citext
--| (4 rows)
SELECT format_type('citext'::regtype, -1), typcategory, typtype, typcollation <> 0 FROM pg_type WHERE typname = 'citext';
--|  format_type | typcategory | typtype | ?column?
--| -------------+-------------+---------+----------
--|  citext      | S           | b       | t
--| (1 row)
SET search_path = pg_catalog;
--| SET
SELECT format_type(atttypid, -1) FROM pg_attribute WHERE attrelid = 'public.people'::regclass AND attnum > 1 ORDER BY attnum;
--|    format_type
--| -----------------
--|  public.citext
--|  public.citext
--|  public.citext[]
--| (3 rows)
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'public.people'::regclass;
--|        pg_get_expr
--| -------------------------
--|  'Nobody'::public.citext
--| (1 row)
SELECT 'a'::public.citext;
--|  citext
--| --------
--|  a
--| (1 row)
SELECT 'a'::citext;
--| ERROR:  42704: type "citext" does not exist
RESET search_path;
--| RESET
DROP EXTENSION citext;
--| ERROR:  2BP01: cannot drop extension citext because other objects depend on it
--| DETAIL:  column email of table people depends on type citext
--| column nick of table people depends on type citext
--| column old of table people depends on type citext[]
--| column email of table children depends on type citext
--| column word of table children depends on type citext
--| view named depends on type citext
--| type address depends on type citext
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
INSERT INTO people VALUES (6, 'q', 'w') ON CONFLICT (email) DO NOTHING;
--| INSERT 0 1
INSERT INTO people VALUES (7, 'Q', 'w') ON CONFLICT (email) DO UPDATE SET nick = excluded.email RETURNING id, nick;
--|  id | nick
--| ----+------
--|   6 | Q
--| (1 row)
--| INSERT 0 1
DROP TABLE children;
--| DROP TABLE
DROP VIEW named;
--| DROP VIEW
DROP DOMAIN address;
--| DROP DOMAIN
DROP TABLE people;
--| DROP TABLE
DROP EXTENSION citext;
--| DROP EXTENSION
CREATE EXTENSION citext;
--| CREATE EXTENSION
CREATE DOMAIN address AS citext CHECK (VALUE <> 'root'::citext);
--| CREATE DOMAIN
CREATE TABLE partial (id int, note text, word citext);
--| CREATE TABLE
CREATE INDEX ON partial (id) WHERE word > 'b'::citext;
--| CREATE INDEX
CREATE VIEW partial_view AS SELECT id, note::citext AS n, note::address AS a FROM partial WHERE word = 'B'::citext;
--| CREATE VIEW
INSERT INTO partial VALUES (1, 'X', 'b');
--| INSERT 0 1
SELECT n = 'x' AS same, * FROM partial_view;
--|  same | id | n | a
--| ------+----+---+---
--|  t    |  1 | X | X
--| (1 row)
DROP VIEW partial_view;
--| DROP VIEW
DROP TABLE partial;
--| DROP TABLE
DROP DOMAIN address;
--| DROP DOMAIN
DROP EXTENSION citext;
--| DROP EXTENSION
CREATE EXTENSION citext;
--| CREATE EXTENSION
CREATE TABLE named_in (a text DEFAULT lower('X'::citext), CONSTRAINT small CHECK (a::citext <> 'no'));
--| CREATE TABLE
CREATE INDEX named_in_part ON named_in (a) WHERE a::citext > 'b'::citext;
--| CREATE INDEX
CREATE VIEW named_view AS SELECT lower(a::citext) AS b FROM named_in;
--| CREATE VIEW
DROP EXTENSION citext;
--| ERROR:  2BP01: cannot drop extension citext because other objects depend on it
--| DETAIL:  default value for column a of table named_in depends on type citext
--| constraint small on table named_in depends on type citext
--| index named_in_part depends on type citext
--| view named_view depends on type citext
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
DROP VIEW named_view;
--| DROP VIEW
DROP TABLE named_in;
--| DROP TABLE
DROP EXTENSION citext;
--| DROP EXTENSION
