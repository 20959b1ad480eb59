-- The extensions pg_trgm and btree_gin.
SELECT similarity('a', 'b');
--| ERROR:  42883: function similarity(unknown, unknown) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
SELECT 'a'::text % 'b'::text;
--| ERROR:  42883: operator does not exist: text % text
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
CREATE TABLE books (id int PRIMARY KEY, title text, author varchar(40), tags text[]);
--| CREATE TABLE
CREATE INDEX books_title ON books USING gin (title gin_trgm_ops);
--| ERROR:  42704: operator class "gin_trgm_ops" does not exist for access method "gin"
CREATE EXTENSION pg_trgm;
--| CREATE EXTENSION
CREATE INDEX books_title ON books USING gin (title public.gin_trgm_ops);
--| CREATE INDEX
CREATE INDEX books_author ON books USING gist (author gist_trgm_ops);
--| CREATE INDEX
INSERT INTO books SELECT n, 'Book of number ' || n, CASE n % 3 WHEN 0 THEN 'Ann Other' WHEN 1 THEN 'Bob_Smith' ELSE NULL END, ARRAY['t' || n % 5] FROM generate_series(1, 300) AS n;
--| INSERT 0 300
INSERT INTO books VALUES (301, 'The 100% solution', 'C. Doyle', '{}'), (302, 'Ärger im Büro', 'Ümit', NULL), (303, '', '--', NULL), (304, 'foo bar foobar', 'x', NULL);
--| INSERT 0 4
ANALYZE books;
--| ANALYZE
EXPLAIN (COSTS OFF) SELECT id FROM books WHERE title LIKE '%solution%';
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  Bitmap Heap Scan on books
--|    Filter: (title ~~ '%solution%'::text)
--|    ->  Bitmap Index Scan on books_title
--|          Index Cond: (title ~~ '%solution%'::text)
--| (4 rows)
EXPLAIN (COSTS OFF) SELECT id FROM books WHERE author ILIKE '%doyle';
--|                    QUERY PLAN
--| -------------------------------------------------
--|  Bitmap Heap Scan on books
--|    Filter: ((author)::text ~~* '%doyle'::text)
--|    ->  Bitmap Index Scan on books_author
--|          Index Cond: (author ~~* '%doyle'::text)
--| (4 rows)
EXPLAIN (COSTS OFF) SELECT id FROM books WHERE title LIKE '%so%';
--|             QUERY PLAN
--| -----------------------------------
--|  Seq Scan on books
--|    Filter: (title ~~ '%so%'::text)
--| (2 rows)
SELECT id FROM books WHERE title LIKE '%solution%';
--|  id
--| -----
--|  301
--| (1 row)
SELECT id FROM books WHERE title LIKE '%SOLUTION%';
--|  id
--| ----
--| (0 rows)
SELECT id FROM books WHERE title ILIKE '%SOLUTION%';
--|  id
--| -----
--|  301
--| (1 row)
SELECT id FROM books WHERE title ILIKE '%ÄRGER%';
--|  id
--| -----
--|  302
--| (1 row)
SELECT id FROM books WHERE title LIKE 'foo bar%';
--|  id
--| -----
--|  304
--| (1 row)
SELECT id FROM books WHERE title LIKE '%o b_r%';
--|  id
--| -----
--|  304
--| (1 row)
SELECT id FROM books WHERE title LIKE '%100\% sol%';
--|  id
--| -----
--|  301
--| (1 row)
SELECT id FROM books WHERE title = 'foo bar foobar';
--|  id
--| -----
--|  304
--| (1 row)
SELECT id FROM books WHERE title = '';
--|  id
--| -----
--|  303
--| (1 row)
SELECT count(*) FROM books WHERE title LIKE '%o%';
--|  count
--| -------
--|    303
--| (1 row)
SELECT count(*) FROM books WHERE author LIKE 'Bob\_S%';
--|  count
--| -------
--|    100
--| (1 row)
SELECT id FROM books WHERE author ILIKE 'ümi_';
--|  id
--| -----
--|  302
--| (1 row)
PREPARE by_title AS SELECT id FROM books WHERE title ILIKE $1;
--| PREPARE
EXECUTE by_title('%solu%');
--|  id
--| -----
--|  301
--| (1 row)
EXECUTE by_title('the%');
--|  id
--| -----
--|  301
--| (1 row)
EXECUTE by_title(NULL);
--|  id
--| ----
--| (0 rows)
UPDATE books SET title = 'Another solution' WHERE id = 7;
--| UPDATE 1
DELETE FROM books WHERE id = 301;
--| DELETE 1
SELECT id FROM books WHERE title LIKE '%solution%';
--|  id
--| ----
--|   7
--| (1 row)
SELECT similarity('word', 'two words'), similarity('', 'a'), similarity('abc', 'abc'), similarity('ABC', 'abc');
--|  similarity | similarity | similarity | similarity
--| ------------+------------+------------+------------
--|  0.36363637 |          0 |          1 |          1
--| (1 row)
SELECT word_similarity('word', 'two words'), strict_word_similarity('word', 'two words'), word_similarity('two', 'x'), strict_word_similarity('ab cd', 'cd ab cd');
--|  word_similarity | strict_word_similarity | word_similarity | strict_word_similarity
--| -----------------+------------------------+-----------------+------------------------
--|              0.8 |              0.5714286 |               0 |                      1
--| (1 row)
SELECT round(word_similarity(a, b)::numeric, 5), round(strict_word_similarity(a, b)::numeric, 5), round(similarity(a, b)::numeric, 5) FROM (VALUES ('Kabankala', 'Kaban City'), ('baz', 'foo bar baz qux'), ('hello there', 'well hello their friend'), ('aaa', 'aaaa aa'), ('one two', 'two one two three')) AS v (a, b);
--|   round  |  round  |  round
--| ---------+---------+---------
--|  0.50000 | 0.45455 | 0.31250
--|  1.00000 | 1.00000 | 0.28571
--|  0.75000 | 0.60000 | 0.34615
--|  1.00000 | 1.00000 | 1.00000
--|  1.00000 | 1.00000 | 0.61539
--| (5 rows)
SELECT show_trgm('Cat dog'), show_trgm(''), show_trgm('é');
--|                    show_trgm                   | show_trgm |      show_trgm
--| -----------------------------------------------+-----------+---------------------
--|  {"  c","  d"," ca"," do","at ",cat,dog,"og "} | {}        | {0xe69b54,0xe82c48}
--| (1 row)
SELECT 'word' <-> 'two words', 'word' <<-> 'two words', 'two words' <->> 'word', 'word' <<<-> 'two words', 'two words' <->>> 'word';
--|  ?column?  |  ?column?  |  ?column?  | ?column?  | ?column?
--| -----------+------------+------------+-----------+-----------
--|  0.6363636 | 0.19999999 | 0.19999999 | 0.4285714 | 0.4285714
--| (1 row)
SELECT 'word' % 'two words', 'word' <% 'two words', 'two words' %> 'word', 'word' <<% 'two words', 'two words' %>> 'word';
--|  ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------
--|  t        | t        | t        | t        | t
--| (1 row)
SELECT show_limit(), set_limit(0.2), show_limit();
--|  show_limit | set_limit | show_limit
--| ------------+-----------+------------
--|         0.3 |       0.2 |        0.2
--| (1 row)
SELECT id FROM books WHERE title % 'solutions' ORDER BY title <-> 'solutions' LIMIT 1;
--|  id
--| ----
--|   7
--| (1 row)
SET pg_trgm.similarity_threshold = 0.9;
--| SET
SELECT 'word' % 'words';
--|  ?column?
--| ----------
--|  f
--| (1 row)
SELECT 5 % 3, pg_typeof(5 % 3);
--|  ?column? | pg_typeof
--| ----------+-----------
--|         2 | integer
--| (1 row)
SELECT indexdef FROM pg_indexes WHERE tablename = 'books' ORDER BY 1;
--|                                   indexdef
--| -----------------------------------------------------------------------------
--|  CREATE INDEX books_author ON public.books USING gist (author gist_trgm_ops)
--|  CREATE INDEX books_title ON public.books USING gin (title gin_trgm_ops)
--|  CREATE UNIQUE INDEX books_pkey ON public.books USING btree (id)
--| (3 rows)
SET search_path = pg_catalog;
--| SET
SELECT pg_get_indexdef('public.books_title'::regclass);
--|                                 pg_get_indexdef
--| --------------------------------------------------------------------------------
--|  CREATE INDEX books_title ON public.books USING gin (title public.gin_trgm_ops)
--| (1 row)
RESET search_path;
--| RESET
CREATE INDEX ON books USING gin (id);
--| ERROR:  42704: data type integer has no default operator class for access method "gin"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
CREATE EXTENSION btree_gin;
--| CREATE EXTENSION
CREATE INDEX books_both ON books USING gin (id, tags);
--| CREATE INDEX
CREATE INDEX ON books USING gin (id int4_ops);
--| CREATE INDEX
SELECT id FROM books WHERE id = 11 AND tags @> '{t1}';
--|  id
--| ----
--|  11
--| (1 row)
SELECT count(*) FROM books WHERE tags @> '{t1}';
--|  count
--| -------
--|     60
--| (1 row)
CREATE INDEX ON books USING gist (id);
--| ERROR:  42704: data type integer has no default operator class for access method "gist"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
CREATE INDEX ON books USING gist (title);
--| ERROR:  42704: data type text has no default operator class for access method "gist"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
CREATE UNIQUE INDEX ON books USING gin (title gin_trgm_ops);
--| ERROR:  0A000: access method "gin" does not support unique indexes
CREATE INDEX ON books USING gin (id gin_trgm_ops);
--| ERROR:  42804: operator class "gin_trgm_ops" does not accept data type integer
CREATE INDEX ON books USING gist (title gin_trgm_ops);
--| ERROR:  42704: operator class "gin_trgm_ops" does not exist for access method "gist"
DROP EXTENSION pg_trgm;
--| ERROR:  2BP01: cannot drop extension pg_trgm because other objects depend on it
--| DETAIL:  index books_title depends on operator class gin_trgm_ops for access method gin
--| index books_author depends on operator class gist_trgm_ops for access method gist
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
DROP INDEX books_title, books_author;
--| DROP INDEX
DROP EXTENSION pg_trgm;
--| DROP EXTENSION
SELECT similarity('a', 'b');
--| ERROR:  42883: function similarity(unknown, unknown) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
