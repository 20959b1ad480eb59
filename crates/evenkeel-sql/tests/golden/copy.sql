-- COPY in both directions.

create table t (a int primary key, b text, c date, d numeric(6,2));
--| CREATE TABLE
copy t from stdin;
--< 1	one	2020-01-01	1.5
--< 2	\N	\N	\N
--< 3	tab\there\\and\nline	2020-12-31	-2
--< \.
--< never read
--| COPY 3
copy t to stdout;
--| 1	one	2020-01-01	1.50
--| 2	\N	\N	\N
--| 3	tab\there\\and\nline	2020-12-31	-2.00
copy t (a, b) to stdout with (format csv, header);
--| a,b
--| 1,one
--| 2,
--| 3,"tab	here\and
--| line"
copy (select a, b from t where a < 3 order by a desc) to stdout with csv quote '''' null 'NULL';
--| 2,NULL
--| 1,one
copy t (a, b) from stdin with (format csv);
--< 10,plain
--< 11,"quoted, with comma"
--< 12,"two ""quotes"""
--< 13,
--< 14,""
--< 15,"line
--< break"
--| COPY 6
select a, b, b is null as nul from t where a >= 10 order by a;
--|  a  |         b          | nul
--| ----+--------------------+-----
--|  10 | plain              | f
--|  11 | quoted, with comma | f
--|  12 | two "quotes"       | f
--|  13 |                    | t
--|  14 |                    | f
--|  15 | line              +| f
--|     | break              |
--| (6 rows)
copy t (a, b) from stdin with (format csv, header true, delimiter ';', null 'nil');
--< a;b
--< 20;nil
--< 21;"nil"
--| COPY 2
select a, b from t where a >= 20 order by a;
--|  a  |  b
--| ----+-----
--|  20 |
--|  21 | nil
--| (2 rows)
copy t (a) to stdout (delimiter '|');
--| 1
--| 2
--| 3
--| 10
--| 11
--| 12
--| 13
--| 14
--| 15
--| 20
--| 21
copy t from stdin;
--< 30	x
--| ERROR:  22P04: missing data for column "c"
--| CONTEXT:  COPY t, line 1: "30	x"
copy t from stdin;
--< 30	x	2020-01-01	1	extra
--| ERROR:  22P04: extra data after last expected column
--| CONTEXT:  COPY t, line 1: "30	x	2020-01-01	1	extra"
copy t (a, d) from stdin;
--< 30	abc
--| ERROR:  22P02: invalid input syntax for type numeric: "abc"
--| CONTEXT:  COPY t, line 1, column d: "abc"
copy t (a, d) from stdin;
--< 1	1
--| ERROR:  23505: duplicate key value violates unique constraint "t_pkey"
--| DETAIL:  Key (a)=(1) already exists.
--| CONTEXT:  COPY t, line 1
copy t (b) from stdin;
--< nokey
--| ERROR:  23502: null value in column "a" of relation "t" violates not-null constraint
--| DETAIL:  Failing row contains (null, nokey, null, null).
--| CONTEXT:  COPY t, line 1: "nokey"
copy nothere from stdin;
--| ERROR:  42P01: relation "nothere" does not exist
copy t (nope) from stdin;
--| ERROR:  42703: column "nope" of relation "t" does not exist
copy t to stdout with (format nonsense);
--| ERROR:  22023: COPY format "nonsense" not recognized
copy t to stdout with (delimiter 'ab');
--| ERROR:  0A000: COPY delimiter must be a single one-byte character
copy t to '/tmp/file';
--| ERROR:  0A000: COPY with a file or a program on the server is not supported
--| HINT:  Use COPY ... FROM STDIN or TO STDOUT; psql's \copy does.
copy (insert into t (a) values (99) returning a) to stdout;
--| 99
select count(*) from t;
--|  count
--| -------
--|     12
--| (1 row)
copy t (a, b) to stdout with (format csv, force_quote *);
--| "1","one"
--| "2",
--| "3","tab	here\and
--| line"
--| "10","plain"
--| "11","quoted, with comma"
--| "12","two ""quotes"""
--| "13",
--| "14",""
--| "15","line
--| break"
--| "20",
--| "21","nil"
--| "99",
-- values that domains refuse are left out as others are
create domain copied_positive as int check (value > 0);
--| CREATE DOMAIN
create domain copied_known as int not null;
--| CREATE DOMAIN
create table copied_domains (a copied_positive, b copied_known);
--| CREATE TABLE
copy copied_domains from stdin with (on_error ignore, log_verbosity verbose);
--< 1	1
--< -1	1
--< 2	\N
--< x	3
--< 5	5
--| NOTICE:  skipping row due to data type incompatibility at line 2 for column "a": "-1"
--| NOTICE:  skipping row due to data type incompatibility at line 3 for column "b": null input
--| NOTICE:  skipping row due to data type incompatibility at line 4 for column "a": "x"
--| NOTICE:  3 rows were skipped due to data type incompatibility
--| COPY 2
table copied_domains;
--|  a | b
--| ---+---
--|  1 | 1
--|  5 | 5
--| (2 rows)
copy copied_domains from stdin;
--< 7	7
--< 0	7
--| ERROR:  23514: value for domain copied_positive violates check constraint "copied_positive_check"
--| CONTEXT:  COPY copied_domains, line 2, column a: "0"
-- a table without columns has empty lines
create table copied_empty ();
--| CREATE TABLE
copy copied_empty from stdin;
--< 
--< 
--| COPY 2
select count(*) from copied_empty;
--|  count
--| -------
--|      2
--| (1 row)
copy copied_empty from stdin;
--< x
--| ERROR:  22P04: extra data after last expected column
--| CONTEXT:  COPY copied_empty, line 1: "x"
-- the mark of the end stands alone
create table copied_texts (a text, b text);
--| CREATE TABLE
copy copied_texts from stdin;
--< x	ab\.cd
--| ERROR:  22P04: end-of-copy marker is not alone on its line
--| CONTEXT:  COPY copied_texts, line 1
copy copied_texts from stdin;
--< x	y
--< \.z
--| ERROR:  22P04: end-of-copy marker is not alone on its line
--| CONTEXT:  COPY copied_texts, line 2
copy copied_texts from stdin;
--< x	y\.
--| ERROR:  22P04: end-of-copy marker is not alone on its line
--| CONTEXT:  COPY copied_texts, line 1
-- a carriage return among newlines
copy copied_texts from stdin;
--< a	b
--< cx	d
--| ERROR:  22P04: literal carriage return found in data
--| HINT:  Use "\r" to represent carriage return.
--| CONTEXT:  COPY copied_texts, line 2
copy copied_texts from stdin csv;
--< a,b
--< cx,d
--| ERROR:  22P04: unquoted carriage return found in data
--| HINT:  Use quoted CSV field to represent carriage return.
--| CONTEXT:  COPY copied_texts, line 2
copy copied_texts from stdin csv;
--< a,"bx"
--< "c
--< d",e
--| COPY 2
select a, length(a), length(b) from copied_texts;
--|  a | length | length
--| ---+--------+--------
--|  a |      1 |      3
--|  c+|      3 |      1
--|  d |        |
--| (2 rows)
