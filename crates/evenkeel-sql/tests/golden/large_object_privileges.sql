-- Owners, privileges and comments of large objects: as PostgreSQL 18 answers.
create role lob_a;
--| CREATE ROLE
create role lob_b;
--| CREATE ROLE
create role lob_c;
--| CREATE ROLE
set session authorization lob_a;
--| SET
select lo_create(1001);
--|  lo_create
--| -----------
--|       1001
--| (1 row)
select lo_create(1002);
--|  lo_create
--| -----------
--|       1002
--| (1 row)
select lo_create(1003);
--|  lo_create
--| -----------
--|       1003
--| (1 row)
grant all on large object 1001 to public;
--| GRANT
grant select on large object 1002 to lob_b;
--| GRANT
grant select, update on large object 1003 to lob_b with grant option;
--| GRANT
grant select on large object 1001, 1002 to lob_c;
--| GRANT
grant insert on large object 1001 to lob_b;
--| ERROR:  0LP01: invalid privilege type INSERT for large object
grant usage on large object 1001 to lob_b;
--| ERROR:  0LP01: invalid privilege type USAGE for large object
grant select on large object 999 to lob_b;
--| ERROR:  42704: large object 999 does not exist
grant all on large object 1001 to nosuch;
--| ERROR:  42704: role "nosuch" does not exist
select oid, lomowner::regrole, lomacl from pg_largeobject_metadata where oid in (1001,1002,1003) order by 1;
--|  oid  | lomowner |                    lomacl
--| ------+----------+----------------------------------------------
--|  1001 | lob_a    | {lob_a=rw/lob_a,=rw/lob_a,lob_c=r/lob_a}
--|  1002 | lob_a    | {lob_a=rw/lob_a,lob_b=r/lob_a,lob_c=r/lob_a}
--|  1003 | lob_a    | {lob_a=rw/lob_a,lob_b=r*w*/lob_a}
--| (3 rows)
set session authorization lob_b;
--| SET
select loread(lo_open(1001, x'40000'::int), 32);
--|  loread
--| --------
--|  \x
--| (1 row)
select lowrite(lo_open(1001, x'20000'::int), 'x');
--|  lowrite
--| ---------
--|        1
--| (1 row)
select loread(lo_open(1002, x'40000'::int), 32);
--|  loread
--| --------
--|  \x
--| (1 row)
select lowrite(lo_open(1002, x'20000'::int), 'x');
--| ERROR:  42501: permission denied for large object 1002
select lo_get(1002);
--|  lo_get
--| --------
--|  \x
--| (1 row)
select lo_put(1002, 0, 'x');
--| ERROR:  42501: permission denied for large object 1002
select lo_unlink(1001);
--| ERROR:  42501: must be owner of large object 1001
grant select on large object 1001 to lob_c;
--| WARNING:  no privileges were granted for "large object 1001"
--| GRANT
grant select on large object 1002 to lob_c;
--| WARNING:  no privileges were granted for "large object 1002"
--| GRANT
revoke select on large object 1002 from lob_c;
--| WARNING:  no privileges could be revoked for "large object 1002"
--| REVOKE
grant all on large object 1003 to lob_c;
--| GRANT
grant all on large object 1002 to lob_c;
--| WARNING:  no privileges were granted for "large object 1002"
--| GRANT
select oid, lomowner::regrole, lomacl from pg_largeobject_metadata where oid in (1001,1002,1003) order by 1;
--|  oid  | lomowner |                      lomacl
--| ------+----------+--------------------------------------------------
--|  1001 | lob_a    | {lob_a=rw/lob_a,=rw/lob_a,lob_c=r/lob_a}
--|  1002 | lob_a    | {lob_a=rw/lob_a,lob_b=r/lob_a,lob_c=r/lob_a}
--|  1003 | lob_a    | {lob_a=rw/lob_a,lob_b=r*w*/lob_a,lob_c=rw/lob_b}
--| (3 rows)
alter large object 1001 owner to lob_b;
--| ERROR:  42501: must be owner of large object 1001
alter large object 99 owner to lob_b;
--| ERROR:  42704: large object 99 does not exist
comment on large object 1001 is 'mine?';
--| ERROR:  42501: must be owner of large object 1001
select lo_import('/etc/passwd');
--| ERROR:  42501: permission denied for function lo_import
select lo_export(1001, '/tmp/lob_x');
--| ERROR:  42501: permission denied for function lo_export
select * from pg_largeobject limit 1;
--| ERROR:  42501: permission denied for table pg_largeobject
set lo_compat_privileges = on;
--| ERROR:  42501: permission denied to set parameter "lo_compat_privileges"
set session authorization lob_c;
--| SET
select loread(lo_open(1003, x'40000'::int), 32);
--|  loread
--| --------
--|  \x
--| (1 row)
select has_largeobject_privilege(1003, 'SELECT'), has_largeobject_privilege('lob_b', 1003, 'SELECT WITH GRANT OPTION'), has_largeobject_privilege('lob_c', 1003, 'update with grant option, select');
--|  has_largeobject_privilege | has_largeobject_privilege | has_largeobject_privilege
--| ---------------------------+---------------------------+---------------------------
--|  t                         | t                         | t
--| (1 row)
select has_largeobject_privilege('nosuch', 1003, 'SELECT');
--| ERROR:  42704: role "nosuch" does not exist
select has_largeobject_privilege('public', 1001, 'SELECT');
--|  has_largeobject_privilege
--| ---------------------------
--|  t
--| (1 row)
select has_largeobject_privilege(1003, 'DELETE');
--| ERROR:  22023: unrecognized privilege type: "DELETE"
select has_largeobject_privilege(1003, 'bogus');
--| ERROR:  22023: unrecognized privilege type: "bogus"
reset session authorization;
--| RESET
set session authorization lob_a;
--| SET
revoke grant option for select on large object 1003 from lob_b;
--| ERROR:  2BP01: dependent privileges exist
--| HINT:  Use CASCADE to revoke them too.
revoke grant option for select on large object 1003 from lob_b cascade;
--| REVOKE
select oid, lomowner::regrole, lomacl from pg_largeobject_metadata where oid in (1001,1002,1003) order by 1;
--|  oid  | lomowner |                     lomacl
--| ------+----------+------------------------------------------------
--|  1001 | lob_a    | {lob_a=rw/lob_a,=rw/lob_a,lob_c=r/lob_a}
--|  1002 | lob_a    | {lob_a=rw/lob_a,lob_b=r/lob_a,lob_c=r/lob_a}
--|  1003 | lob_a    | {lob_a=rw/lob_a,lob_b=rw*/lob_a,lob_c=w/lob_b}
--| (3 rows)
comment on large object 1001 is 'said';
--| COMMENT
comment on large object 999 is 'said';
--| ERROR:  42704: large object 999 does not exist
select obj_description(1001, 'pg_largeobject');
--|  obj_description
--| -----------------
--|  said
--| (1 row)
select objoid, classoid::regclass, objsubid, description from pg_description where objoid = 1001;
--|  objoid |    classoid    | objsubid | description
--| --------+----------------+----------+-------------
--|    1001 | pg_largeobject |        0 | said
--| (1 row)
select lo_unlink(1001);
--|  lo_unlink
--| -----------
--|          1
--| (1 row)
select obj_description(1001, 'pg_largeobject');
--|  obj_description
--| -----------------
--|
--| (1 row)
alter large object 1002 owner to lob_c;
--| ERROR:  42501: must be able to SET ROLE "lob_c"
reset session authorization;
--| RESET
set lo_compat_privileges = on;
--| SET
set session authorization lob_c;
--| SET
select lo_get(1002);
--|  lo_get
--| --------
--|  \x
--| (1 row)
reset session authorization;
--| RESET
reset lo_compat_privileges;
--| RESET
alter large object 1002 owner to lob_c;
--| ALTER LARGE OBJECT
select oid, lomowner::regrole, lomacl from pg_largeobject_metadata where oid in (1001,1002,1003) order by 1;
--|  oid  | lomowner |                     lomacl
--| ------+----------+------------------------------------------------
--|  1002 | lob_c    | {lob_c=rw/lob_c,lob_b=r/lob_c}
--|  1003 | lob_a    | {lob_a=rw/lob_a,lob_b=rw*/lob_a,lob_c=w/lob_b}
--| (2 rows)
drop role lob_b;
--| ERROR:  2BP01: role "lob_b" cannot be dropped because some objects depend on it
--| DETAIL:  privileges for large object 1002
--| privileges for large object 1003
drop role lob_c;
--| ERROR:  2BP01: role "lob_c" cannot be dropped because some objects depend on it
--| DETAIL:  owner of large object 1002
--| privileges for large object 1003
reassign owned by lob_c to lob_a;
--| REASSIGN OWNED
select oid, lomowner::regrole, lomacl from pg_largeobject_metadata where oid in (1001,1002,1003) order by 1;
--|  oid  | lomowner |                     lomacl
--| ------+----------+------------------------------------------------
--|  1002 | lob_a    | {lob_a=rw/lob_a,lob_b=r/lob_a}
--|  1003 | lob_a    | {lob_a=rw/lob_a,lob_b=rw*/lob_a,lob_c=w/lob_b}
--| (2 rows)
alter default privileges for role lob_a grant select on large objects to lob_c;
--| ALTER DEFAULT PRIVILEGES
alter default privileges for role lob_a in schema public grant select on large objects to lob_c;
--| ERROR:  0LP01: cannot use IN SCHEMA clause when using GRANT/REVOKE ON LARGE OBJECTS
alter default privileges for role lob_a grant insert on large objects to lob_c;
--| ERROR:  0LP01: invalid privilege type INSERT for large object
set role lob_a;
--| SET
select lo_create(1004);
--|  lo_create
--| -----------
--|       1004
--| (1 row)
select lo_from_bytea(1005, 'abc');
--|  lo_from_bytea
--| ---------------
--|           1005
--| (1 row)
reset role;
--| RESET
select oid, lomowner::regrole, lomacl from pg_largeobject_metadata where oid > 1001 and oid < 1010 order by 1;
--|  oid  | lomowner |                     lomacl
--| ------+----------+------------------------------------------------
--|  1002 | lob_a    | {lob_a=rw/lob_a,lob_b=r/lob_a}
--|  1003 | lob_a    | {lob_a=rw/lob_a,lob_b=rw*/lob_a,lob_c=w/lob_b}
--|  1004 | lob_a    | {lob_a=rw/lob_a,lob_c=r/lob_a}
--|  1005 | lob_a    | {lob_a=rw/lob_a,lob_c=r/lob_a}
--| (4 rows)
select defaclrole::regrole, defaclnamespace, defaclobjtype, defaclacl from pg_default_acl;
--|  defaclrole | defaclnamespace | defaclobjtype |           defaclacl
--| ------------+-----------------+---------------+--------------------------------
--|  lob_a      |               0 | L             | {lob_a=rw/lob_a,lob_c=r/lob_a}
--| (1 row)
grant pg_read_all_data, pg_write_all_data to lob_b;
--| GRANT ROLE
set role lob_b;
--| SET
select lo_get(1005);
--| ERROR:  42501: permission denied for large object 1005
select lo_put(1005, 0, 'x');
--| ERROR:  42501: permission denied for large object 1005
reset role;
--| RESET
revoke all on large object 1003 from lob_c cascade;
--| REVOKE
-- Of what others granted DROP OWNED takes a role out, too: PostgreSQL keeps lob_c=w/lob_b.
drop owned by lob_c;
--| DROP OWNED
select oid, lomowner::regrole, lomacl from pg_largeobject_metadata where oid > 1001 and oid < 1010 order by 1;
--|  oid  | lomowner |              lomacl
--| ------+----------+----------------------------------
--|  1002 | lob_a    | {lob_a=rw/lob_a,lob_b=r/lob_a}
--|  1003 | lob_a    | {lob_a=rw/lob_a,lob_b=rw*/lob_a}
--|  1004 | lob_a    | {lob_a=rw/lob_a}
--|  1005 | lob_a    | {lob_a=rw/lob_a}
--| (4 rows)
drop owned by lob_a;
--| DROP OWNED
select oid, lomowner::regrole, lomacl from pg_largeobject_metadata where oid > 1001 and oid < 1010 order by 1;
--|  oid | lomowner | lomacl
--| -----+----------+--------
--| (0 rows)
select count(*) from pg_largeobject where loid = 1005;
--|  count
--| -------
--|      0
--| (1 row)
drop owned by lob_b;
--| DROP OWNED
drop role lob_a, lob_b, lob_c;
--| DROP ROLE
select oid::regprocedure from pg_proc where oid = 952;
--|          oid
--| ----------------------
--|  lo_open(oid,integer)
--| (1 row)
select proname, oid from pg_catalog.pg_proc where proname in ('lo_open','lo_close','lo_creat','lo_create','lo_unlink','lo_lseek','lo_lseek64','lo_tell','lo_tell64','lo_truncate','lo_truncate64','loread','lowrite') and pronamespace = (select oid from pg_catalog.pg_namespace where nspname = 'pg_catalog') order by 2;
--|     proname    | oid
--| ---------------+------
--|  lo_create     |  715
--|  lo_open       |  952
--|  lo_close      |  953
--|  loread        |  954
--|  lowrite       |  955
--|  lo_lseek      |  956
--|  lo_creat      |  957
--|  lo_tell       |  958
--|  lo_unlink     |  964
--|  lo_truncate   | 1004
--|  lo_lseek64    | 3170
--|  lo_tell64     | 3171
--|  lo_truncate64 | 3172
--| (13 rows)
select pg_relation_size('pg_largeobject') >= 0;
--|  ?column?
--| ----------
--|  t
--| (1 row)
show lo_compat_privileges;
--|  lo_compat_privileges
--| ----------------------
--|  off
--| (1 row)
select relname, relkind from pg_class where oid in (2613, 2995) order by 1;
--|          relname         | relkind
--| -------------------------+---------
--|  pg_largeobject          | r
--|  pg_largeobject_metadata | r
--| (2 rows)
