-- What sqlparser lacks of expressions, where they are no part of a statement of its own: in ALTER TABLE, in domains, in EXECUTE.

create table p(id int, a int, b text, c int, d timestamptz, j jsonb, ar int[]);
--| CREATE TABLE
insert into p(id) values (1);
--| INSERT 0 1
alter table p add constraint k1 check (trim(both from b) <> '' and length(trim(leading from b)) > 1 and trim(trailing 'x' from b) <> trim(b) and trim(b, 'x') <> '');
--| ALTER TABLE
alter table p add constraint k2 check (upper(substring(b similar 'a' escape '#')) is null) not valid;
--| ALTER TABLE
alter table p add constraint k3 check (d at local > '2020-01-01' and (d at time zone 'UTC') > timestamp '2020-01-01');
--| ALTER TABLE
alter table p add constraint k4 check (a isnull or b notnull and c is not null);
--| ALTER TABLE
alter table p add constraint k5 check (concat(variadic array['a']) <> '' and num_nonnulls(variadic ar) > 0);
--| ALTER TABLE
alter table p add constraint k6 check (json_query(j, '$.b' with wrapper) is not null and json_exists(j, '$.a') and json_value(j, '$.a' returning int) > 1) not valid;
--| ALTER TABLE
alter table p add constraint k7 check (j is json object and b is not json and json_object('a': a null on null) is not null);
--| ALTER TABLE
alter table p add constraint k8 check (a in (1, 2, (3)) or n'x' = 'x' or b is nfc normalized);
--| ALTER TABLE
alter table p alter b set default trim(both from ' x '), alter c set default (json_value('{"a":5}', '$.a'))::int, alter d set default now() at local;
--| ALTER TABLE
alter table p alter c type text using concat(variadic array[c::text]), alter b type national character varying(20) using trim(both '0' from b);
--| ALTER TABLE
alter table p add x1 text generated always as (trim(leading from b)) stored, add x2 text default trim(both from ' q '), add x3 text check (trim(both from x3) <> '') default substring('abc' similar 'a#"b#"c' escape '#');
--| ALTER TABLE
alter table p alter x1 set expression as (substring(b similar 'a#"b#"c' escape '#') || trim(both from b));
--| ALTER TABLE
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'p'::regclass order by 1;
--|   conname   |                                                                                      pg_get_constraintdef
--| ------------+------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  k1         | CHECK (((TRIM(BOTH FROM b) <> ''::text) AND (length(TRIM(LEADING FROM b)) > 1) AND (TRIM(TRAILING 'x'::text FROM b) <> TRIM(BOTH FROM b)) AND (TRIM(BOTH 'x'::text FROM b) <> ''::text)))
--|  k2         | CHECK ((upper(SUBSTRING(b SIMILAR 'a'::text ESCAPE '#'::text)) IS NULL)) NOT VALID
--|  k3         | CHECK ((((d AT LOCAL) > '2020-01-01 00:00:00'::timestamp without time zone) AND ((d AT TIME ZONE 'UTC'::text) > '2020-01-01 00:00:00'::timestamp without time zone)))
--|  k4         | CHECK (((a IS NULL) OR ((b IS NOT NULL) AND (c IS NOT NULL))))
--|  k5         | CHECK (((concat(VARIADIC ARRAY['a'::text]) <> ''::text) AND (num_nonnulls(VARIADIC ar) > 0)))
--|  k6         | CHECK (((JSON_QUERY(j, '$."b"' RETURNING jsonb WITH UNCONDITIONAL WRAPPER KEEP QUOTES) IS NOT NULL) AND JSON_EXISTS(j, '$."a"') AND (JSON_VALUE(j, '$."a"' RETURNING integer) > 1))) NOT VALID
--|  k7         | CHECK (((j IS JSON OBJECT) AND (NOT ((b)::text IS JSON)) AND (JSON_OBJECT('a' : a RETURNING json) IS NOT NULL)))
--|  k8         | CHECK (((a = ANY (ARRAY[1, 2, 3])) OR ('x'::bpchar = 'x'::bpchar) OR (b IS NFC NORMALIZED)))
--|  p_x3_check | CHECK ((TRIM(BOTH FROM x3) <> ''::text))
--| (9 rows)
select pg_get_expr(adbin, adrelid, true) from pg_attrdef where adrelid = 'p'::regclass order by adnum;
--|                                 pg_get_expr
--| ----------------------------------------------------------------------------
--|  TRIM(BOTH FROM ' x '::text)
--|  JSON_VALUE('{"a":5}'::text, '$."a"' RETURNING text)::integer
--|  (now() AT LOCAL)
--|  SUBSTRING(b SIMILAR 'a#"b#"c'::text ESCAPE '#'::text) || TRIM(BOTH FROM b)
--|  TRIM(BOTH FROM ' q '::text)
--|  SUBSTRING('abc'::text SIMILAR 'a#"b#"c'::text ESCAPE '#'::text)
--| (6 rows)
alter table p drop constraint k1, alter d drop default, alter x1 drop expression;
--| ALTER TABLE
insert into p(id, b, c) values (2, 'abc', '1') returning x1, x2, x3;
--| ERROR:  23514: new row for relation "p" violates check constraint "k6"
--| DETAIL:  Failing row contains (2, null, abc, 1, null, null, null, null, q, b).
create domain d1 as text default trim(both from ' 007 ') check (trim(both from value) <> '' and value isnull is false and substring(value similar 'a#"b#"c' escape '#') is null);
--| CREATE DOMAIN
alter domain d1 add check (trim(leading from value) <> '' and concat(variadic array[value]) <> 'y');
--| ALTER DOMAIN
alter domain d1 set default trim(leading from ' x');
--| ALTER DOMAIN
select pg_get_constraintdef(oid) from pg_constraint where contypid = 'd1'::regtype order by conname;
--|                                                                  pg_get_constraintdef
--| ------------------------------------------------------------------------------------------------------------------------------------------------------
--|  CHECK (((TRIM(BOTH FROM VALUE) <> ''::text) AND ((VALUE IS NULL) IS FALSE) AND (SUBSTRING(VALUE SIMILAR 'a#"b#"c'::text ESCAPE '#'::text) IS NULL)))
--|  CHECK (((TRIM(LEADING FROM VALUE) <> ''::text) AND (concat(VARIADIC ARRAY[VALUE]) <> 'y'::text)))
--| (2 rows)
create table q(v d1);
--| CREATE TABLE
insert into q default values returning v || '.';
--|  ?column?
--| ----------
--|  x.
--| (1 row)
--| INSERT 0 1
insert into q values ('  ');
--| ERROR:  23514: value for domain d1 violates check constraint "d1_check"
insert into q values ('abc');
--| ERROR:  23514: value for domain d1 violates check constraint "d1_check"
prepare e(text, int) as select $1, $2;
--| PREPARE
execute e(trim(both from ' 007 '), num_nonnulls(variadic array[1, 2]));
--|  ?column? | ?column?
--| ----------+----------
--|  007      |        2
--| (1 row)
execute e(substring('abc' similar 'a#"b#"c' escape '#'), (json_value('{"a":5}', '$.a' returning int)));
--|  ?column? | ?column?
--| ----------+----------
--|  b        |        5
--| (1 row)
alter table p add check (trim(both from) <> '');
--| ERROR:  42601: syntax error at or near ")"
