-- DROP of what there is nothing of.
create table st (a int);
--| CREATE TABLE
drop function if exists nofn;
--| NOTICE:  function nofn() does not exist, skipping
--| DROP FUNCTION
drop function if exists nofn(int, text);
--| NOTICE:  function nofn(pg_catalog.int4,text) does not exist, skipping
--| DROP FUNCTION
drop function if exists nofn(nosuchtype);
--| NOTICE:  type "nosuchtype" does not exist, skipping
--| DROP FUNCTION
drop function if exists noschema.nofn(int);
--| NOTICE:  schema "noschema" does not exist, skipping
--| DROP FUNCTION
drop function nofn(int);
--| ERROR:  42883: function nofn(integer) does not exist
drop function nofn;
--| ERROR:  42883: could not find a function named "nofn"
drop function nofn(nosuchtype);
--| ERROR:  42704: type "nosuchtype" does not exist
drop function lower(text);
--| ERROR:  2BP01: cannot drop function lower(text) because it is required by the database system
drop procedure if exists nofn(int);
--| NOTICE:  procedure nofn(pg_catalog.int4) does not exist, skipping
--| DROP PROCEDURE
drop procedure nofn();
--| ERROR:  42883: procedure nofn() does not exist
drop aggregate if exists noagg(int);
--| NOTICE:  aggregate noagg(pg_catalog.int4) does not exist, skipping
--| DROP AGGREGATE
drop aggregate noagg(int);
--| ERROR:  42883: aggregate noagg(integer) does not exist
drop aggregate if exists noagg(*);
--| NOTICE:  aggregate noagg() does not exist, skipping
--| DROP AGGREGATE
drop routine if exists nofn;
--| NOTICE:  routine nofn() does not exist, skipping
--| DROP ROUTINE
drop trigger if exists notr on st;
--| NOTICE:  trigger "notr" for relation "st" does not exist, skipping
--| DROP TRIGGER
drop trigger notr on st;
--| ERROR:  42704: trigger "notr" for table "st" does not exist
drop trigger if exists notr on notable;
--| NOTICE:  relation "notable" does not exist, skipping
--| DROP TRIGGER
drop rule if exists noru on st;
--| NOTICE:  rule "noru" for relation "st" does not exist, skipping
--| DROP RULE
drop policy if exists nopo on st;
--| NOTICE:  policy "nopo" for relation "st" does not exist, skipping
--| DROP POLICY
drop language if exists nolang;
--| NOTICE:  language "nolang" does not exist, skipping
--| DROP LANGUAGE
drop conversion if exists noconv;
--| NOTICE:  conversion "noconv" does not exist, skipping
--| DROP CONVERSION
drop server if exists nosrv;
--| NOTICE:  server "nosrv" does not exist, skipping
--| DROP SERVER
drop foreign table if exists noft;
--| NOTICE:  foreign table "noft" does not exist, skipping
--| DROP FOREIGN TABLE
drop foreign data wrapper if exists nofdw;
--| NOTICE:  foreign-data wrapper "nofdw" does not exist, skipping
--| DROP FOREIGN DATA WRAPPER
drop event trigger if exists noet;
--| NOTICE:  event trigger "noet" does not exist, skipping
--| DROP EVENT TRIGGER
drop publication if exists nopub;
--| NOTICE:  publication "nopub" does not exist, skipping
--| DROP PUBLICATION
drop subscription if exists nosub;
--| NOTICE:  subscription "nosub" does not exist, skipping
--| DROP SUBSCRIPTION
drop statistics if exists nostat;
--| NOTICE:  statistics object "nostat" does not exist, skipping
--| DROP STATISTICS
drop access method if exists noam;
--| NOTICE:  access method "noam" does not exist, skipping
--| DROP ACCESS METHOD
drop text search configuration if exists notsc;
--| NOTICE:  text search configuration "notsc" does not exist, skipping
--| DROP TEXT SEARCH CONFIGURATION
drop function if exists a.b.c.d(int);
--| ERROR:  42601: improper qualified name (too many dotted names): a.b.c.d
drop function if exists nofn(in a int, out b text, varchar(3), double precision, timestamp with time zone, x nosuch);
--| NOTICE:  type "nosuch" does not exist, skipping
--| DROP FUNCTION
drop function if exists nofn(in a int, out b text, varchar(3), double precision, timestamp with time zone, int[], "MyName" numeric(3,2)), nofn2, lower2(text) cascade;
--| NOTICE:  function nofn(pg_catalog.int4,pg_catalog.varchar,pg_catalog.float8,pg_catalog.timestamptz,pg_catalog.int4[],pg_catalog.numeric) does not exist, skipping
--| NOTICE:  function nofn2() does not exist, skipping
--| NOTICE:  function lower2(text) does not exist, skipping
--| DROP FUNCTION
drop function nofn(in a int, out b text, varchar(3), double precision, timestamp with time zone, int[], "MyName" numeric(3,2));
--| ERROR:  42883: function nofn(integer, character varying, double precision, timestamp with time zone, integer[], numeric) does not exist
drop function if exists nofn(;
--| ERROR:  42601: syntax error at or near ";"
drop function if exists nofn(int,);
--| ERROR:  42601: syntax error at or near ")"
drop function if exists nofn(int) foo;
--| ERROR:  42601: syntax error at or near "foo"
drop function;
--| ERROR:  42601: syntax error at or near ";"
drop trigger notr;
--| ERROR:  42601: syntax error at or near ";"
drop trigger if exists tr on nosuch.t;
--| NOTICE:  schema "nosuch" does not exist, skipping
--| DROP TRIGGER
drop trigger if exists tr on st cascade;
--| NOTICE:  trigger "tr" for relation "st" does not exist, skipping
--| DROP TRIGGER
drop trigger if exists tr on st, st2;
--| ERROR:  42601: syntax error at or near ","
drop policy po on st;
--| ERROR:  42704: policy "po" for table "st" does not exist
drop rule ru on st;
--| ERROR:  42704: rule "ru" for relation "st" does not exist
drop rule ru on notable;
--| ERROR:  42P01: relation "notable" does not exist
drop language nolang;
--| ERROR:  42704: language "nolang" does not exist
drop procedural language if exists nolang;
--| NOTICE:  language "nolang" does not exist, skipping
--| DROP LANGUAGE
drop publication if exists a, b;
--| NOTICE:  publication "a" does not exist, skipping
--| NOTICE:  publication "b" does not exist, skipping
--| DROP PUBLICATION
drop publication a;
--| ERROR:  42704: publication "a" does not exist
drop foreign table if exists st;
--| ERROR:  42809: "st" is not a foreign table
--| HINT:  Use DROP TABLE to remove a table.
drop foreign table noft;
--| ERROR:  42P01: foreign table "noft" does not exist
drop event trigger noet;
--| ERROR:  42704: event trigger "noet" does not exist
drop server nosrv;
--| ERROR:  42704: server "nosrv" does not exist
drop text search dictionary nod;
--| ERROR:  42704: text search dictionary "nod" does not exist
drop statistics if exists s.t;
--| NOTICE:  schema "s" does not exist, skipping
--| DROP STATISTICS
drop statistics stt;
--| ERROR:  42704: statistics object "stt" does not exist
drop access method am;
--| ERROR:  42704: access method "am" does not exist
drop aggregate sum(int);
--| ERROR:  2BP01: cannot drop function sum(integer) because it is required by the database system
create extension "uuid-ossp";
--| CREATE EXTENSION
drop function uuid_generate_v4();
--| ERROR:  2BP01: cannot drop function uuid_generate_v4() because extension uuid-ossp requires it
--| HINT:  You can drop extension uuid-ossp instead.
drop function if exists uuid_nil();
--| ERROR:  2BP01: cannot drop function uuid_nil() because extension uuid-ossp requires it
--| HINT:  You can drop extension uuid-ossp instead.
begin read only;
--| BEGIN
drop function if exists nofn(int);
--| ERROR:  25006: cannot execute DROP FUNCTION in a read-only transaction
rollback;
--| ROLLBACK
