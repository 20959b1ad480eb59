-- Roles: attributes, memberships, SET ROLE, settings, owners.
create role ra;
--| CREATE ROLE
create role ra;
--| ERROR:  42710: role "ra" already exists
create user rb password 'secret' connection limit 5 valid until '2030-01-01 00:00:00+00';
--| CREATE ROLE
create group rc nologin createdb;
--| CREATE ROLE
create role rd superuser createrole createdb replication bypassrls login noinherit;
--| CREATE ROLE
create role pg_x;
--| ERROR:  42939: role name "pg_x" is reserved
--| DETAIL:  Role names starting with "pg_" are reserved.
create role "public";
--| ERROR:  42939: role name "public" is reserved
create role none;
--| ERROR:  42939: role name "none" is reserved
create role re superuser superuser;
--| ERROR:  42601: conflicting or redundant options
create role re nonsense;
--| ERROR:  42601: unrecognized role option "nonsense"
create role re connection limit -2;
--| ERROR:  22023: invalid connection limit: -2
select rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolconnlimit, rolvaliduntil is null, rolbypassrls from pg_roles where rolname ~ '^r[a-z]$' order by 1;
--|  rolname | rolsuper | rolinherit | rolcreaterole | rolcreatedb | rolcanlogin | rolreplication | rolconnlimit | ?column? | rolbypassrls
--| ---------+----------+------------+---------------+-------------+-------------+----------------+--------------+----------+--------------
--|  ra      | f        | t          | f             | f           | f           | f              |           -1 | t        | f
--|  rb      | f        | t          | f             | f           | t           | f              |            5 | f        | f
--|  rc      | f        | t          | f             | t           | f           | f              |           -1 | t        | f
--|  rd      | t        | f          | t             | t           | t           | t              |           -1 | t        | t
--| (4 rows)
select left(rolpassword, 14) from pg_authid where rolname = 'rb';
--|       left
--| ----------------
--|  SCRAM-SHA-256$
--| (1 row)
alter role ra with login createrole;
--| ALTER ROLE
alter role ra valid until 'infinity';
--| ALTER ROLE
alter user ra nologin;
--| ALTER ROLE
alter role nobody login;
--| ERROR:  42704: role "nobody" does not exist
alter role pg_monitor login;
--| ERROR:  42939: role name "pg_monitor" is reserved
--| DETAIL:  Cannot alter reserved roles.
alter role postgres nosuperuser;
--| ERROR:  0A000: permission denied to alter role
--| DETAIL:  The bootstrap superuser must have the SUPERUSER attribute.
alter role ra rename to rx;
--| ALTER ROLE
alter role rx rename to rb;
--| ERROR:  42710: role "rb" already exists
alter role rx rename to ra;
--| ALTER ROLE
alter role nobody rename to x;
--| ERROR:  42704: role "nobody" does not exist

-- Memberships.
grant rc to ra, rb;
--| GRANT ROLE
grant rc to ra;
--| NOTICE:  role "ra" has already been granted membership in role "rc" by role "postgres"
--| GRANT ROLE
grant ra to rc;
--| ERROR:  0LP01: role "ra" is a member of role "rc"
grant ra to ra;
--| ERROR:  0LP01: role "ra" is a member of role "ra"
grant nobody to ra;
--| ERROR:  42704: role "nobody" does not exist
grant rc to nobody;
--| ERROR:  42704: role "nobody" does not exist
grant pg_read_all_data to ra with inherit false, set false;
--| GRANT ROLE
grant rd to ra with admin option;
--| GRANT ROLE
select r.rolname, m.rolname, g.rolname, admin_option, inherit_option, set_option from pg_auth_members a join pg_roles r on r.oid = roleid join pg_roles m on m.oid = member join pg_roles g on g.oid = grantor where m.rolname ~ '^r[a-z]$' order by 1, 2;
--|      rolname      | rolname | rolname  | admin_option | inherit_option | set_option
--| ------------------+---------+----------+--------------+----------------+------------
--|  pg_read_all_data | ra      | postgres | f            | f              | f
--|  rc               | ra      | postgres | f            | t              | t
--|  rc               | rb      | postgres | f            | t              | t
--|  rd               | ra      | postgres | t            | t              | t
--| (4 rows)
revoke admin option for rd from ra;
--| REVOKE ROLE
revoke rd from rb;
--| WARNING:  role "rb" has not been granted membership in role "rd" by role "postgres"
--| REVOKE ROLE
revoke inherit option for rc from rb;
--| REVOKE ROLE
revoke rd from ra;
--| REVOKE ROLE
alter group rc drop user ra;
--| ALTER ROLE
alter group rc add user ra;
--| ALTER ROLE
select r.rolname, m.rolname, admin_option, inherit_option, set_option from pg_auth_members a join pg_roles r on r.oid = roleid join pg_roles m on m.oid = member where m.rolname ~ '^r[a-z]$' order by 1, 2;
--|      rolname      | rolname | admin_option | inherit_option | set_option
--| ------------------+---------+--------------+----------------+------------
--|  pg_read_all_data | ra      | f            | f              | f
--|  rc               | ra      | f            | t              | t
--|  rc               | rb      | f            | f              | t
--| (3 rows)
select pg_has_role('ra', 'rc', 'member'), pg_has_role('rb', 'rc', 'usage'), pg_has_role('rb', 'rc', 'set'), pg_has_role('ra', 'rd', 'member');
--|  pg_has_role | pg_has_role | pg_has_role | pg_has_role
--| -------------+-------------+-------------+-------------
--|  t           | f           | t           | f
--| (1 row)

-- SET ROLE.
select current_user, session_user, user, current_role;
--|  current_user | session_user |   user   | current_role
--| --------------+--------------+----------+--------------
--|  postgres     | postgres     | postgres | postgres
--| (1 row)
set role ra;
--| SET
select current_user, session_user, current_setting('role'), current_setting('is_superuser');
--|  current_user | session_user | current_setting | current_setting
--| --------------+--------------+-----------------+-----------------
--|  ra           | postgres     | ra              | off
--| (1 row)
set role rd;
--| SET
reset role;
--| RESET
set role nobody;
--| ERROR:  22023: role "nobody" does not exist
show role;
--|  role
--| ------
--|  none
--| (1 row)
set session authorization ra;
--| SET
select current_user, session_user;
--|  current_user | session_user
--| --------------+--------------
--|  ra           | ra
--| (1 row)
set role rc;
--| SET
select current_user, session_user;
--|  current_user | session_user
--| --------------+--------------
--|  rc           | ra
--| (1 row)
set role rd;
--| ERROR:  42501: permission denied to set role "rd"
set session authorization rb;
--| SET
select current_user, session_user;
--|  current_user | session_user
--| --------------+--------------
--|  rb           | rb
--| (1 row)
reset session authorization;
--| RESET
select current_user, session_user;
--|  current_user | session_user
--| --------------+--------------
--|  postgres     | postgres
--| (1 row)
begin;
--| BEGIN
set local role ra;
--| SET
select current_user;
--|  current_user
--| --------------
--|  ra
--| (1 row)
rollback;
--| ROLLBACK
select current_user;
--|  current_user
--| --------------
--|  postgres
--| (1 row)
begin;
--| BEGIN
set role ra;
--| SET
rollback;
--| ROLLBACK
select current_user;
--|  current_user
--| --------------
--|  postgres
--| (1 row)

-- What a role with CREATEROLE may do.
set session authorization ra;
--| SET
create role rf superuser;
--| ERROR:  42501: permission denied to create role
--| DETAIL:  Only roles with the SUPERUSER attribute may create roles with the SUPERUSER attribute.
create role rf createdb;
--| ERROR:  42501: permission denied to create role
--| DETAIL:  Only roles with the CREATEDB attribute may create roles with the CREATEDB attribute.
create role rf;
--| CREATE ROLE
alter role rb login;
--| ERROR:  42501: permission denied to alter role
--| DETAIL:  Only roles with the CREATEROLE attribute and the ADMIN option on role "rb" may alter this role.
alter role rf login;
--| ALTER ROLE
alter role rf createdb;
--| ERROR:  42501: permission denied to alter role
--| DETAIL:  Only roles with the CREATEDB attribute may change the CREATEDB attribute.
alter role ra password 'x';
--| ALTER ROLE
alter role rb password 'x';
--| ERROR:  42501: permission denied to alter role
--| DETAIL:  To change another role's password, the current user must have the CREATEROLE attribute and the ADMIN option on the role.
grant rf to rb;
--| GRANT ROLE
grant rc to rf;
--| ERROR:  42501: permission denied to grant role "rc"
--| DETAIL:  Only roles with the ADMIN option on role "rc" may grant this role.
drop role rb;
--| ERROR:  42501: permission denied to drop role
--| DETAIL:  Only roles with the CREATEROLE attribute and the ADMIN option on role "rb" may drop this role.
drop role rf;
--| DROP ROLE
drop role rd;
--| ERROR:  42501: permission denied to drop role
--| DETAIL:  Only roles with the SUPERUSER attribute may drop roles with the SUPERUSER attribute.
alter role all set work_mem = '1MB';
--| ERROR:  42501: permission denied to alter setting
--| DETAIL:  Only roles with the SUPERUSER attribute may alter settings globally.
reset session authorization;
--| RESET
set session authorization rb;
--| SET
create role rg;
--| ERROR:  42501: permission denied to create role
--| DETAIL:  Only roles with the CREATEROLE attribute may create roles.
alter role rb password 'x';
--| ALTER ROLE
alter role rb nologin;
--| ERROR:  42501: permission denied to alter role
--| DETAIL:  Only roles with the CREATEROLE attribute and the ADMIN option on role "rb" may alter this role.
drop role ra;
--| ERROR:  42501: permission denied to drop role
--| DETAIL:  Only roles with the CREATEROLE attribute and the ADMIN option on the target roles may drop roles.
reset session authorization;
--| RESET

-- Settings.
alter role rb set work_mem = '7MB';
--| ALTER ROLE
alter role rb set search_path = a, "B";
--| ALTER ROLE
alter role rb in database nosuch set work_mem = '7MB';
--| ERROR:  3D000: database "nosuch" does not exist
alter role rb set nonsense = 1;
--| ERROR:  42704: unrecognized configuration parameter "nonsense"
alter role rb set my.own = 'x y';
--| ALTER ROLE
select rolname, rolconfig from pg_roles where rolname = 'rb';
--|  rolname |                     rolconfig
--| ---------+----------------------------------------------------
--|  rb      | {work_mem=7MB,"search_path=a, \"B\"","my.own=x y"}
--| (1 row)
alter role rb reset work_mem;
--| ALTER ROLE
select setdatabase, setrole::regrole, setconfig from pg_db_role_setting;
--|  setdatabase | setrole |               setconfig
--| -------------+---------+---------------------------------------
--|            0 | rb      | {"search_path=a, \"B\"","my.own=x y"}
--| (1 row)
alter role rb reset all;
--| ALTER ROLE
select count(*) from pg_db_role_setting;
--|  count
--| -------
--|      0
--| (1 row)

-- Owners.
create schema sa authorization ra;
--| CREATE SCHEMA
create table t1 (a int primary key, b serial);
--| CREATE TABLE
alter table t1 owner to ra;
--| ALTER TABLE
select relname, relowner::regrole from pg_class where relname like 't1%' order by 1;
--|  relname  | relowner
--| ----------+----------
--|  t1       | ra
--|  t1_b_seq | ra
--|  t1_pkey  | ra
--| (3 rows)
alter table t1 owner to nobody;
--| ERROR:  42704: role "nobody" does not exist
alter table nosuch owner to ra;
--| ERROR:  42P01: relation "nosuch" does not exist
alter table if exists nosuch owner to ra;
--| NOTICE:  relation "nosuch" does not exist, skipping
--| ALTER TABLE
alter index t1_pkey owner to ra;
--| ALTER INDEX
alter sequence t1_b_seq owner to rb;
--| ERROR:  0A000: cannot change owner of sequence "t1_b_seq"
--| DETAIL:  Sequence "t1_b_seq" is linked to table "t1".
create sequence sq1;
--| CREATE SEQUENCE
alter sequence sq1 owner to rb;
--| ALTER SEQUENCE
alter table sq1 owner to ra;
--| ALTER TABLE
alter sequence t1 owner to ra;
--| ERROR:  42809: "t1" is not a sequence
alter schema sa owner to rb;
--| ALTER SCHEMA
select nspname, nspowner::regrole from pg_namespace where nspname in ('sa', 'public') order by 1;
--|  nspname |     nspowner
--| ---------+-------------------
--|  public  | pg_database_owner
--|  sa      | rb
--| (2 rows)
drop role ra;
--| ERROR:  2BP01: role "ra" cannot be dropped because some objects depend on it
--| DETAIL:  owner of table t1
--| owner of sequence t1_b_seq
--| owner of sequence sq1
drop role ra, rb;
--| ERROR:  2BP01: role "ra" cannot be dropped because some objects depend on it
--| DETAIL:  owner of table t1
--| owner of sequence t1_b_seq
--| owner of sequence sq1
reassign owned by ra to rb;
--| REASSIGN OWNED
drop role ra;
--| DROP ROLE
select relname, relowner::regrole from pg_class where relname like 't1%' order by 1;
--|  relname  | relowner
--| ----------+----------
--|  t1       | rb
--|  t1_b_seq | rb
--|  t1_pkey  | rb
--| (3 rows)
reassign owned by rb to postgres;
--| REASSIGN OWNED
drop owned by rb;
--| DROP OWNED
drop role if exists ra, rb, nobody;
--| NOTICE:  role "ra" does not exist, skipping
--| NOTICE:  role "nobody" does not exist, skipping
--| DROP ROLE
drop role nobody;
--| ERROR:  42704: role "nobody" does not exist
drop role postgres;
--| ERROR:  55006: current user cannot be dropped
drop role rc, rd;
--| DROP ROLE
drop user rf;
--| ERROR:  42704: role "rf" does not exist
drop table t1;
--| DROP TABLE
drop schema sa;
--| DROP SCHEMA
