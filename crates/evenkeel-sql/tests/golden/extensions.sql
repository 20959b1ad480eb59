-- Extensions that are built in, and digests.

create extension "uuid-ossp";
--| CREATE EXTENSION
create extension "uuid-ossp";
--| ERROR:  42710: extension "uuid-ossp" already exists
create extension if not exists "uuid-ossp" with schema public;
--| NOTICE:  extension "uuid-ossp" already exists, skipping
--| CREATE EXTENSION
create extension if not exists pgcrypto with schema public;
--| CREATE EXTENSION
create extension if not exists plpgsql with schema pg_catalog;
--| NOTICE:  extension "plpgsql" already exists, skipping
--| CREATE EXTENSION
create extension postgis;
--| ERROR:  0A000: extension "postgis" is not available
--| DETAIL:  Only what is built in can be asked for: see pg_available_extensions.
comment on extension "uuid-ossp" is 'generate universally unique identifiers (UUIDs)';
--| COMMENT
select extname, extversion, extnamespace::regnamespace from pg_extension order by 1;
--|   extname  | extversion | extnamespace
--| -----------+------------+--------------
--|  pgcrypto  | 1.4        | public
--|  plpgsql   | 1.0        | pg_catalog
--|  uuid-ossp | 1.1        | public
--| (3 rows)
select name, default_version, installed_version from pg_available_extensions where name in ('pgcrypto', 'plpgsql', 'uuid-ossp') order by 1;
--|    name    | default_version | installed_version
--| -----------+-----------------+-------------------
--|  pgcrypto  | 1.4             | 1.4
--|  plpgsql   | 1.0             | 1.0
--|  uuid-ossp | 1.1             | 1.1
--| (3 rows)
create table t (id uuid primary key default public.uuid_generate_v4(), n int);
--| CREATE TABLE
insert into t (n) values (1), (2);
--| INSERT 0 2
select count(distinct id), min(uuid_extract_version(id)) from t;
--|  count | min
--| -------+-----
--|      2 |   4
--| (1 row)
select uuid_generate_v5(uuid_ns_dns(), 'www.example.com'), uuid_generate_v3(uuid_ns_url(), 'http://example.com');
--|            uuid_generate_v5           |           uuid_generate_v3
--| --------------------------------------+--------------------------------------
--|  2ed6657d-e927-568b-95e1-2665a8aea6a2 | d632b50c-7913-3137-ae9a-2d93f56e70d5
--| (1 row)
select uuid_extract_version(uuid_generate_v1()), uuid_extract_version(uuid_generate_v1mc()), uuid_nil(), uuid_ns_oid(), uuid_ns_x500();
--|  uuid_extract_version | uuid_extract_version |               uuid_nil               |             uuid_ns_oid              |             uuid_ns_x500
--| ----------------------+----------------------+--------------------------------------+--------------------------------------+--------------------------------------
--|                     1 |                    1 | 00000000-0000-0000-0000-000000000000 | 6ba7b812-9dad-11d1-80b4-00c04fd430c8 | 6ba7b814-9dad-11d1-80b4-00c04fd430c8
--| (1 row)
select abs(extract(epoch from now() - uuid_extract_timestamp(uuid_generate_v1()))) < 60;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select sha224('abc'), sha256('abc');
--|                            sha224                           |                               sha256
--| ------------------------------------------------------------+--------------------------------------------------------------------
--|  \x23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7 | \xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
--| (1 row)
select sha384('abc'), sha512('abc');
--|                                                sha384                                               |                                                               sha512
--| ----------------------------------------------------------------------------------------------------+------------------------------------------------------------------------------------------------------------------------------------
--|  \xcb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7 | \xddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
--| (1 row)
select encode(digest('abc', 'sha1'), 'hex'), encode(digest('abc'::bytea, 'md5'), 'hex'), encode(digest('abc', 'SHA256'), 'hex');
--|                   encode                  |              encode              |                              encode
--| ------------------------------------------+----------------------------------+------------------------------------------------------------------
--|  a9993e364706816aba3e25717850c26c9cd0d89d | 900150983cd24fb0d6963f7d28e17f72 | ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
--| (1 row)
select encode(hmac('data', 'key', 'sha256'), 'hex'), encode(hmac('data'::bytea, 'key'::bytea, 'md5'), 'hex'), encode(hmac('data', 'key', 'sha512'), 'hex');
--|                               encode                              |              encode              |                                                              encode
--| ------------------------------------------------------------------+----------------------------------+----------------------------------------------------------------------------------------------------------------------------------
--|  5031fe3d989c6d1537a013fa6e739da23463fdaec3b70137d828e36ace221bd0 | 9d5c73ef85594d34ec4438b7c97e51d8 | 3c5953a18f7303ec653ba170ae334fafa08e3846f2efe317b87efce82376253cb52a8c31ddcde5a3a2eee183c2b34cb91f85e64ddbc325f7692b199473579c58
--| (1 row)
select digest('abc', 'nope');
--| ERROR:  22023: Cannot use "nope": No such hash algorithm
select length(gen_random_bytes(16));
--|  length
--| --------
--|      16
--| (1 row)
select gen_random_bytes(0);
--| ERROR:  39000: Length not in range
drop extension pgcrypto;
--| DROP EXTENSION
drop extension pgcrypto;
--| ERROR:  42704: extension "pgcrypto" does not exist
drop extension if exists pgcrypto;
--| NOTICE:  extension "pgcrypto" does not exist, skipping
--| DROP EXTENSION
-- unaccent: what it does to all characters was compared with PostgreSQL 18.
select unaccent('é');
--| ERROR:  42883: function unaccent(unknown) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select name, default_version, comment from pg_available_extensions where name = 'unaccent';
--|    name   | default_version |                   comment
--| ----------+-----------------+---------------------------------------------
--|  unaccent | 1.1             | text search dictionary that removes accents
--| (1 row)
create extension unaccent;
--| CREATE EXTENSION
select unaccent('Œuvre ½ ﬁ © ″ à'), unaccent('varchar ö'::varchar), unaccent(null), unaccent('');
--|         unaccent        | unaccent  | unaccent | unaccent
--| ------------------------+-----------+----------+----------
--|  OEuvre  1/2 fi (C) " a | varchar o |          |
--| (1 row)
select unaccent(U&'e\0301'), length(unaccent(repeat('ﬃ', 1000)));
--|  unaccent | length
--| ----------+--------
--|  e        |   3000
--| (1 row)
select unaccent('ÀÁÂÃÄÅĀĂĄçćĉċčÐďđ ßẞ № ℌ ㎞ ①② “quoted” «x» Ελληνικά Ёж ﬀ Ω');
--|                              unaccent
--| -------------------------------------------------------------------
--|  AAAAAAAAAcccccDdd ssSS No H km ①② "quoted" <<x>> Ελληνικα Еж ff Ω
--| (1 row)
create table accents (t text);
--| CREATE TABLE
create index on accents (unaccent(t));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create view unaccented as select unaccent(t) from accents;
--| CREATE VIEW
select pg_get_viewdef('unaccented');
--|          pg_get_viewdef
--| ---------------------------------
--|   SELECT unaccent(t) AS unaccent+
--|     FROM accents;
--| (1 row)
drop view unaccented;
--| DROP VIEW
drop table accents;
--| DROP TABLE
drop extension unaccent;
--| DROP EXTENSION
