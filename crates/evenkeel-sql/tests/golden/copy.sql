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
