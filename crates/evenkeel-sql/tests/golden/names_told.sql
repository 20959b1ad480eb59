-- Messages call row types and own collations by their names; what an extension has and this server has not is told by its name.

create table p (id int primary key, name text);
--| CREATE TABLE
select null::p + 1;
--| ERROR:  42883: operator does not exist: p + integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select coalesce(null::p, 1);
--| ERROR:  42804: COALESCE types p and integer cannot be matched
select null::p[] || 5;
--| ERROR:  42883: operator does not exist: p[] || integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
--| CREATE COLLATION
create collation num (provider = icu, locale = 'en-u-kn-true');
--| CREATE COLLATION
create table c (t text collate ci, u text collate num, v text);
--| CREATE TABLE
select t from c order by t || u;
--| ERROR:  42P21: collation mismatch between implicit collations "ci" and "num"
--| HINT:  You can choose the collation by applying the COLLATE clause to one or both expressions.
select t collate ci < u collate num from c;
--| ERROR:  42P21: collation mismatch between explicit collations "ci" and "num"
select t from c order by t || v;
--|  t
--| ---
--| (0 rows)
select collation for ('a'), collation for ('a'::text), collation for (t), collation for (v) from (select null::text collate ci as t, 'x'::text as v) x;
--|  pg_collation_for | pg_collation_for | pg_collation_for | pg_collation_for
--| ------------------+------------------+------------------+------------------
--|                   | "default"        | ci               | "default"
--| (1 row)
select crypt('pw', 'salt');
--| ERROR:  42883: function crypt(unknown, unknown) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
create extension pgcrypto;
--| CREATE EXTENSION
select crypt('pw', gen_salt('bf', 4));
--| ERROR:  0A000: function gen_salt() of extension pgcrypto is not supported
select encrypt('a', 'k', 'aes');
--| ERROR:  0A000: function encrypt() of extension pgcrypto is not supported
select pgp_sym_decrypt('\x00', 'k');
--| ERROR:  0A000: function pgp_sym_decrypt() of extension pgcrypto is not supported
