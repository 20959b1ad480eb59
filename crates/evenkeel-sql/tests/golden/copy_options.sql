-- COPY: options, older spellings, conditions, encodings; as PostgreSQL 18 answers.

create table cp(a int, b text default 'dflt', c numeric);
--| CREATE TABLE

copy cp from stdin;
--< 1	x	1.5
--< 2	\N	\N
--| COPY 2

copy cp from stdin with csv header;
--< a,b,c
--< 3,"x,y",7
--| COPY 1

copy cp from stdin (format csv, header match);
--< a,b,c
--< 4,q,7
--| COPY 1

copy cp from stdin (format csv, header match);
--< a,x,c
--< 4,q,7
--| ERROR:  22P04: column name mismatch in header line field 2: got "x", expected "b"
--| CONTEXT:  COPY cp, line 1: "a,x,c"

copy cp from stdin (format csv, header match);
--< a,b
--< 4,q,7
--| ERROR:  22P04: wrong number of fields in header line: got 2, expected 3
--| CONTEXT:  COPY cp, line 1: "a,b"

copy cp from stdin (header match, null 'b');
--< a	b	c
--| ERROR:  22P04: column name mismatch in header line field 2: got null value ("b"), expected "b"
--| CONTEXT:  COPY cp, line 1: "a	b	c"

copy cp from stdin (default 'D');
--< 5	D	1
--| COPY 1

copy cp from stdin (default 'D', format csv);
--< D,D,1
--| ERROR:  22P04: unexpected default marker in COPY data
--| DETAIL:  Column "a" has no default value.
--| CONTEXT:  COPY cp, line 1: "D,D,1"

copy cp from stdin (format csv, default 'D');
--< 6,"D",1
--< 7,D,3
--| COPY 2

copy cp from stdin (on_error ignore);
--< a	b	1
--< 8	b	zz
--< 9	b	1
--| NOTICE:  2 rows were skipped due to data type incompatibility
--| COPY 1

copy cp from stdin (on_error ignore, log_verbosity verbose);
--< a	b	1
--< 8	b	zz
--< 10	b	1
--| NOTICE:  skipping row due to data type incompatibility at line 1 for column "a": "a"
--| NOTICE:  skipping row due to data type incompatibility at line 2 for column "c": "zz"
--| NOTICE:  2 rows were skipped due to data type incompatibility
--| COPY 1

copy cp from stdin (on_error ignore, log_verbosity silent);
--< a	b	1
--| COPY 0

copy cp from stdin (on_error ignore, reject_limit 1);
--< a	b	1
--< 8	b	zz
--< 10	b	1
--| ERROR:  22P02: skipped more than REJECT_LIMIT (1) rows due to data type incompatibility
--| CONTEXT:  COPY cp, line 2, column c: "zz"

copy cp from stdin (on_error stop);
--< a	b	1
--| ERROR:  22P02: invalid input syntax for type integer: "a"
--| CONTEXT:  COPY cp, line 1, column a: "a"

copy cp from stdin where a > 10;
--< 9	n	1
--< 11	y	1
--| COPY 1

copy cp from stdin where a + 1;
--| ERROR:  42804: argument of WHERE must be type boolean, not type integer

copy cp from stdin where a in (select 1);
--| ERROR:  0A000: cannot use subquery in COPY FROM WHERE condition

copy cp from stdin where sum(a) > 1;
--| ERROR:  42803: aggregate functions are not allowed in COPY FROM WHERE conditions

copy cp to stdout where a > 1;
--| ERROR:  42601: WHERE clause not allowed with COPY TO

copy cp from stdin (format csv, force_not_null (b), force_null (c));
--< 20,,""
--| COPY 1

copy cp from stdin (format csv, force_null *);
--< 21,"",""
--| COPY 1

copy cp from stdin (format csv, force_null (zz));
--| ERROR:  42703: column "zz" of relation "cp" does not exist

copy cp(a) from stdin (format csv, force_null (b));
--| ERROR:  42P10: FORCE_NULL column "b" not referenced by COPY

copy cp(a) to stdout (format csv, force_quote (b));
--| ERROR:  42P10: FORCE_QUOTE column "b" not referenced by COPY

copy cp(a,b) to stdout (format csv, force_quote (b));
--| 1,"x"
--| 2,
--| 3,"x,y"
--| 4,"q"
--| 5,"dflt"
--| 6,"D"
--| 7,"dflt"
--| 9,"b"
--| 10,"b"
--| 11,"y"
--| 20,""
--| 21,

copy cp to stdout (format csv, force_quote *);
--| "1","x","1.5"
--| "2",,
--| "3","x,y","7"
--| "4","q","7"
--| "5","dflt","1"
--| "6","D","1"
--| "7","dflt","3"
--| "9","b","1"
--| "10","b","1"
--| "11","y","1"
--| "20","",
--| "21",,

copy cp to stdout csv force quote a, c header;
--| a,b,c
--| "1",x,"1.5"
--| "2",,
--| "3","x,y","7"
--| "4",q,"7"
--| "5",dflt,"1"
--| "6",D,"1"
--| "7",dflt,"3"
--| "9",b,"1"
--| "10",b,"1"
--| "11",y,"1"
--| "20","",
--| "21",,

copy cp from stdin csv force not null b;
--< 22,,
--| COPY 1

copy (insert into cp values (100,'r',1) returning a, b) to stdout;
--| 100	r

copy (update cp set c = 5 where a = 100 returning a, c) to stdout csv;
--| 100,5

copy (delete from cp where a = 100 returning *) to stdout;
--| 100	r	5

copy (delete from cp where a = 100) to stdout;
--| ERROR:  0A000: COPY query must have a RETURNING clause

copy (values (1,2)) from stdin;
--| ERROR:  42601: syntax error at or near "from"

copy cp to stdout using delimiters '|' with null as 'NN';
--| 1|x|1.5
--| 2|NN|NN
--| 3|x,y|7
--| 4|q|7
--| 5|dflt|1
--| 6|D|1
--| 7|dflt|3
--| 9|b|1
--| 10|b|1
--| 11|y|1
--| 20||NN
--| 21|NN|NN
--| 22||NN

copy cp to stdout (header match);
--| ERROR:  0A000: cannot use "match" with HEADER in COPY TO

copy cp to stdout (on_error ignore);
--| ERROR:  22023: COPY ON_ERROR cannot be used with COPY TO

copy cp from stdin (reject_limit 3);
--| ERROR:  22023: COPY REJECT_LIMIT requires ON_ERROR to be set to IGNORE

copy cp from stdin (on_error ignore, reject_limit 0);
--| ERROR:  22023: REJECT_LIMIT (0) must be greater than zero

copy cp from stdin (format binary, on_error ignore);
--| ERROR:  42601: only ON_ERROR STOP is allowed in BINARY mode

copy cp from stdin (format binary, header);
--| ERROR:  0A000: cannot specify HEADER in BINARY mode

copy cp from stdin (format binary, delimiter ',');
--| ERROR:  42601: cannot specify DELIMITER in BINARY mode

copy cp from stdin (format binary, null '');
--| ERROR:  42601: cannot specify NULL in BINARY mode

copy cp from stdin (quote 'x');
--| ERROR:  0A000: COPY QUOTE requires CSV mode

copy cp from stdin (escape 'x');
--| ERROR:  0A000: COPY ESCAPE requires CSV mode

copy cp from stdin (force_quote *);
--| ERROR:  0A000: COPY FORCE_QUOTE requires CSV mode

copy cp from stdin (format csv, force_quote *);
--| ERROR:  0A000: COPY FORCE_QUOTE cannot be used with COPY FROM

copy cp to stdout (format csv, force_null *);
--| ERROR:  22023: COPY FORCE_NULL cannot be used with COPY TO

copy cp to stdout (format csv, force_not_null (a));
--| ERROR:  22023: COPY FORCE_NOT_NULL cannot be used with COPY TO

copy cp to stdout (format csv, default 'x');
--| ERROR:  0A000: COPY DEFAULT cannot be used with COPY TO

copy cp from stdin (default '	');
--| ERROR:  0A000: COPY delimiter character must not appear in the DEFAULT specification

copy cp from stdin (default '\N');
--| ERROR:  0A000: NULL specification and DEFAULT specification cannot be the same

copy cp from stdin (format csv, delimiter ',', delimiter ',');
--| ERROR:  42601: conflicting or redundant options

copy cp from stdin (format foo);
--| ERROR:  22023: COPY format "foo" not recognized

copy cp from stdin (foo);
--| ERROR:  42601: option "foo" not recognized

copy cp from stdin (header foo);
--| ERROR:  42601: header requires a Boolean value or "match"

copy cp from stdin (header 2);
--| ERROR:  42601: header requires a Boolean value or "match"

copy cp from stdin (freeze foo);
--| ERROR:  42601: freeze requires a Boolean value

copy cp from stdin (on_error foo);
--| ERROR:  22023: COPY ON_ERROR "foo" not recognized

copy cp from stdin (log_verbosity foo);
--| ERROR:  22023: COPY LOG_VERBOSITY "foo" not recognized

copy cp from stdin (encoding 'foo');
--| ERROR:  22023: argument to option "encoding" must be a valid encoding name

copy cp from stdin (delimiter 'ab');
--| ERROR:  0A000: COPY delimiter must be a single one-byte character

copy cp from stdin (delimiter 'a');
--| ERROR:  22023: COPY delimiter cannot be "a"

copy cp from stdin (format csv, quote ',');
--| ERROR:  22023: COPY delimiter and quote must be different

copy cp from stdin (format csv, quote 'ab');
--| ERROR:  0A000: COPY quote must be a single one-byte character

copy cp from stdin (null ',', delimiter ',');
--| ERROR:  22023: COPY delimiter character must not appear in the NULL specification

copy cp from stdin (format csv, null '"');
--| ERROR:  22023: CSV quote character must not appear in the NULL specification

copy cp from stdin (force_null a);
--| ERROR:  22023: argument to option "force_null" must be a list of column names

copy nosuch to stdout;
--| ERROR:  42P01: relation "nosuch" does not exist

copy cp(nosuch) to stdout;
--| ERROR:  42703: column "nosuch" of relation "cp" does not exist

copy cp(a,a) to stdout;
--| ERROR:  42701: column "a" specified more than once

copy cp(nosuch) from stdin;
--| ERROR:  42703: column "nosuch" of relation "cp" does not exist

copy cp from stdin (encoding latin1);
--< 200	é	1
--| COPY 1

select * from cp where a = 200;
--|   a  | b  | c
--| -----+----+---
--|  200 | Ã© | 1
--| (1 row)

copy (select '€') to stdout (encoding 'latin1');
--| ERROR:  22P05: character with byte sequence 0xe2 0x82 0xac in encoding "UTF8" has no equivalent in encoding "LATIN1"

copy cp from stdin;
--< 1	2
--| ERROR:  22P04: missing data for column "c"
--| CONTEXT:  COPY cp, line 1: "1	2"

copy cp from stdin;
--< 1	2	3	4
--| ERROR:  22P04: extra data after last expected column
--| CONTEXT:  COPY cp, line 1: "1	2	3	4"

copy cp from stdin (format csv);
--| COPY 0

select * from cp order by a, b;
--|   a  |  b   |  c
--| -----+------+-----
--|    1 | x    | 1.5
--|    2 |      |
--|    3 | x,y  |   7
--|    4 | q    |   7
--|    5 | dflt |   1
--|    6 | D    |   1
--|    7 | dflt |   3
--|    9 | b    |   1
--|   10 | b    |   1
--|   11 | y    |   1
--|   20 |      |
--|   21 |      |
--|   22 |      |
--|  200 | Ã©   |   1
--| (14 rows)
