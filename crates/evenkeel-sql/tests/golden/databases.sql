-- Databases: made, changed, copied, dropped; what belongs to one and what to all.

select datname, datistemplate, datallowconn, datconnlimit from pg_database order by oid;
--|   datname  | datistemplate | datallowconn | datconnlimit
--| -----------+---------------+--------------+--------------
--|  template1 | t             | t            |           -1
--|  template0 | t             | f            |           -1
--|  b         | f             | t            |           -1
--| (3 rows)
create database one;
--| CREATE DATABASE
create database one;
--| ERROR:  42P04: database "one" already exists
create database two template one;
--| CREATE DATABASE
create database three template nowhere;
--| ERROR:  3D000: template database "nowhere" does not exist
create database four encoding 'LATIN1';
--| ERROR:  0A000: encoding "LATIN1" is not supported for databases: they are in UTF8
create database four encoding 'nonsense';
--| ERROR:  42704: nonsense is not a valid encoding name
create database four lc_collate 'C' lc_ctype 'C' encoding 'UTF8' template template0;
--| CREATE DATABASE
create database five with owner nobody;
--| ERROR:  42704: role "nobody" does not exist
create database five connection limit -7;
--| ERROR:  22023: invalid connection limit: -7
create database five connection limit 3 connection limit 3;
--| ERROR:  42601: conflicting or redundant options
create database five frozen true;
--| ERROR:  42601: option "frozen" not recognized
create database five tablespace nowhere;
--| ERROR:  42704: tablespace "nowhere" does not exist
create database five with owner = postgres template = template0 allow_connections = false is_template = true connection limit = 3;
--| CREATE DATABASE
select datname, datistemplate, datallowconn, datconnlimit from pg_database where datname = 'five';
--|  datname | datistemplate | datallowconn | datconnlimit
--| ---------+---------------+--------------+--------------
--|  five    | t             | f            |            3
--| (1 row)
drop database five;
--| ERROR:  42809: cannot drop a template database
alter database five is_template false;
--| ALTER DATABASE
alter database five with connection limit 5 allow_connections true;
--| ALTER DATABASE
select datname, datistemplate, datallowconn, datconnlimit from pg_database where datname = 'five';
--|  datname | datistemplate | datallowconn | datconnlimit
--| ---------+---------------+--------------+--------------
--|  five    | f             | t            |            5
--| (1 row)
alter database five rename to six;
--| ALTER DATABASE
alter database six rename to one;
--| ERROR:  42P04: database "one" already exists
alter database b rename to c;
--| ERROR:  0A000: current database cannot be renamed
alter database b allow_connections false;
--| ERROR:  22023: cannot disallow connections for current database
alter database nowhere rename to c;
--| ERROR:  3D000: database "nowhere" does not exist
alter database six refresh collation version;
--| NOTICE:  version has not changed
--| ALTER DATABASE
alter database six set tablespace pg_default;
--| ALTER DATABASE
alter database six set work_mem = '8MB';
--| ALTER DATABASE
alter role postgres in database six set timezone = 'UTC';
--| ALTER ROLE
select setdatabase = (select oid from pg_database where datname = 'six') as of_six, setrole, setconfig from pg_db_role_setting order by setrole;
--|  of_six | setrole |   setconfig
--| --------+---------+----------------
--|  t      |       0 | {work_mem=8MB}
--|  t      |      10 | {timezone=UTC}
--| (2 rows)
drop database b;
--| ERROR:  55006: cannot drop the currently open database
drop database template1;
--| ERROR:  42809: cannot drop a template database
drop database nowhere;
--| ERROR:  3D000: database "nowhere" does not exist
drop database if exists nowhere;
--| NOTICE:  database "nowhere" does not exist, skipping
--| DROP DATABASE
begin;
--| BEGIN
create database seven;
--| ERROR:  25001: CREATE DATABASE cannot run inside a transaction block
rollback;
--| ROLLBACK
begin;
--| BEGIN
drop database six;
--| ERROR:  25001: DROP DATABASE cannot run inside a transaction block
rollback;
--| ROLLBACK
comment on database six is 'the sixth';
--| COMMENT
select shobj_description(oid, 'pg_database') from pg_database where datname = 'six';
--|  shobj_description
--| -------------------
--|  the sixth
--| (1 row)
create role builder createdb;
--| CREATE ROLE
create role other;
--| CREATE ROLE
grant builder to postgres;
--| GRANT ROLE
alter database six owner to builder;
--| ALTER DATABASE
grant connect on database six to other;
--| GRANT
drop role builder;
--| ERROR:  2BP01: role "builder" cannot be dropped because some objects depend on it
--| DETAIL:  owner of database six
set role builder;
--| SET
create database seven owner other;
--| ERROR:  42501: must be able to SET ROLE "other"
create database seven template one;
--| ERROR:  42501: permission denied to copy database "one"
create database seven;
--| CREATE DATABASE
drop database one;
--| ERROR:  42501: must be owner of database one
alter database seven rename to eight;
--| ALTER DATABASE
drop database eight;
--| DROP DATABASE
drop database six with (force);
--| DROP DATABASE
reset role;
--| RESET
set role other;
--| SET
create database nine;
--| ERROR:  42501: permission denied to create database
reset role;
--| RESET
drop role builder, other;
--| DROP ROLE
select has_database_privilege('one', 'connect'), has_database_privilege('nowhere', 'connect');
--| ERROR:  3D000: database "nowhere" does not exist
select pg_database_size('one') >= 0, current_database();
--|  ?column? | current_database
--| ----------+------------------
--|  t        | b
--| (1 row)
select count(*) from pg_db_role_setting;
--|  count
--| -------
--|      0
--| (1 row)
drop database one;
--| DROP DATABASE
drop database two;
--| DROP DATABASE
drop database four;
--| DROP DATABASE
select datname from pg_database order by oid;
--|   datname
--| -----------
--|  template1
--|  template0
--|  b
--| (3 rows)

-- Locales by the names that applications' scripts give them: of a builtin locale those of the C library's say nothing, so C is as good as C.UTF-8.
create database l1 encoding 'UTF8' lc_collate 'C.UTF-8' lc_ctype 'C.UTF-8';
--| CREATE DATABASE
create database l2 with owner = postgres encoding = 'UTF8' locale = 'C.UTF-8' template = l1;
--| CREATE DATABASE
create database l3 lc_collate 'C' template l2;
--| CREATE DATABASE
create database l4 encoding 'unicode' lc_collate '' template template0;
--| CREATE DATABASE
create database l5 encoding 'UTF8' lc_collate 'en_US.UTF-8' lc_ctype 'en_US.UTF-8' template template0;
--| CREATE DATABASE
create database l6 lc_collate 'en_US.UTF-8';
--| ERROR:  22023: new collation (en_US.UTF-8) is incompatible with the collation of the template database (C)
--| HINT:  Use the same collation as in the template database, or use template0 as template.
create database l6 lc_collate 'C' template l5;
--| ERROR:  22023: new collation (C) is incompatible with the collation of the template database (en_US.UTF-8)
--| HINT:  Use the same collation as in the template database, or use template0 as template.
create database l6 locale_provider libc locale 'C.UTF-8' template l2;
--| ERROR:  22023: new locale provider (libc) does not match locale provider of the template database (builtin)
--| HINT:  Use the same locale provider as in the template database, or use template0 as template.
create database l6 locale 'nonsense';
--| ERROR:  42809: invalid LC_COLLATE locale name: "nonsense"
--| HINT:  If the locale name is specific to the builtin provider, use BUILTIN_LOCALE.
create database l6 encoding 0;
--| ERROR:  0A000: encoding "0" is not supported for databases: they are in UTF8
create database l6 encoding 42;
--| ERROR:  42704: 42 is not a valid encoding code
create database l6 oid 5;
--| ERROR:  22023: OIDs less than 16384 are reserved for system objects
select datname, datlocprovider, datcollate, datctype, datlocale from pg_database where datname ~ '^l\d' order by 1;
--|  datname | datlocprovider | datcollate  |  datctype   | datlocale
--| ---------+----------------+-------------+-------------+-----------
--|  l1      | b              | C.UTF-8     | C.UTF-8     | C.UTF-8
--|  l2      | b              | C.UTF-8     | C.UTF-8     | C.UTF-8
--|  l3      | b              | C           | C.UTF-8     | C.UTF-8
--|  l4      | b              | C           | C           | C.UTF-8
--|  l5      | c              | en_US.UTF-8 | en_US.UTF-8 |
--| (5 rows)
drop database l1;
--| DROP DATABASE
drop database l2;
--| DROP DATABASE
drop database l3;
--| DROP DATABASE
drop database l4;
--| DROP DATABASE
drop database l5;
--| DROP DATABASE
