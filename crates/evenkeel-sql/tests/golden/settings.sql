-- Settings and what depends on them.

show server_version_num;
--|  server_version_num
--| --------------------
--|  180000
--| (1 row)
set extra_float_digits = 3;
--| SET
show extra_float_digits;
--|  extra_float_digits
--| --------------------
--|  3
--| (1 row)
set extra_float_digits to 99;
--| ERROR:  22023: 99 is outside the valid range for parameter "extra_float_digits" (-15 .. 3)
reset extra_float_digits;
--| RESET
show search_path;
--|    search_path
--| -----------------
--|  "$user", public
--| (1 row)
set search_path = 'a b', public;
--| SET
show search_path;
--|   search_path
--| ---------------
--|  "a b", public
--| (1 row)
reset search_path;
--| RESET
set datestyle = 'SQL, DMY';
--| SET
select date '2020-01-31', timestamp '2020-01-31 12:34:56';
--|     date    |      timestamp
--| ------------+---------------------
--|  31/01/2020 | 31/01/2020 12:34:56
--| (1 row)
reset datestyle;
--| RESET
set time zone 'America/New_York';
--| SET
select timestamptz '2020-07-01 12:00+00';
--|       timestamptz
--| ------------------------
--|  2020-07-01 08:00:00-04
--| (1 row)
show timezone;
--|      TimeZone
--| ------------------
--|  America/New_York
--| (1 row)
set time zone default;
--| SET
select timestamptz '2020-07-01 12:00+00';
--|       timestamptz
--| ------------------------
--|  2020-07-01 12:00:00+00
--| (1 row)
set timezone = 'Nowhere/City';
--| ERROR:  22023: invalid value for parameter "TimeZone": "Nowhere/City"
set statement_timeout = '5min';
--| SET
show statement_timeout;
--|  statement_timeout
--| -------------------
--|  5min
--| (1 row)
set statement_timeout = 1500;
--| SET
show statement_timeout;
--|  statement_timeout
--| -------------------
--|  1500ms
--| (1 row)
set statement_timeout = 'soon';
--| ERROR:  22023: invalid value for parameter "statement_timeout": "soon"
set nonsense = 1;
--| ERROR:  42704: unrecognized configuration parameter "nonsense"
show nonsense;
--| ERROR:  42704: unrecognized configuration parameter "nonsense"
set my.custom = 'hello';
--| SET
show my.custom;
--|  my.custom
--| -----------
--|  hello
--| (1 row)
select current_setting('my.custom'), current_setting('nope', true) is null;
--|  current_setting | ?column?
--| -----------------+----------
--|  hello           | t
--| (1 row)
select set_config('my.custom', 'bye', false), current_setting('my.custom');
--|  set_config | current_setting
--| ------------+-----------------
--|  bye        | bye
--| (1 row)
set client_encoding = 'LATIN1';
--| SET
set client_encoding = 'UTF8';
--| SET
set server_version = '1';
--| ERROR:  55P02: parameter "server_version" cannot be changed
begin;
--| BEGIN
set local statement_timeout = '1s';
--| SET
show statement_timeout;
--|  statement_timeout
--| -------------------
--|  1s
--| (1 row)
commit;
--| COMMIT
show statement_timeout;
--|  statement_timeout
--| -------------------
--|  1500ms
--| (1 row)
begin;
--| BEGIN
set statement_timeout = '2s';
--| SET
rollback;
--| ROLLBACK
show statement_timeout;
--|  statement_timeout
--| -------------------
--|  1500ms
--| (1 row)
set local statement_timeout = '3s';
--| WARNING:  SET LOCAL can only be used in transaction blocks
--| SET
reset all;
--| RESET
show statement_timeout;
--|  statement_timeout
--| -------------------
--|  0
--| (1 row)
set bytea_output = escape;
--| SET
select '\x61ff'::bytea;
--|  bytea
--| -------
--|  a\377
--| (1 row)
set bytea_output = hex;
--| SET
select '\x61ff'::bytea;
--|  bytea
--| --------
--|  \x61ff
--| (1 row)
prepare p1 (int) as select $1 + 1;
--| PREPARE
execute p1 (41);
--|  ?column?
--| ----------
--|        42
--| (1 row)
execute p1;
--| ERROR:  42601: wrong number of parameters for prepared statement "p1"
--| DETAIL:  Expected 1 parameters but got 0.
prepare p1 as select 1;
--| ERROR:  42P05: prepared statement "p1" already exists
prepare p2 as select $1::text || $2;
--| PREPARE
execute p2 ('a', 'b');
--|  ?column?
--| ----------
--|  ab
--| (1 row)
select name, statement from pg_prepared_statements order by name;
--|  name |              statement
--| ------+--------------------------------------
--|  p1   | prepare p1 (int) as select $1 + 1;
--|  p2   | prepare p2 as select $1::text || $2;
--| (2 rows)
deallocate p1;
--| DEALLOCATE
execute p1 (1);
--| ERROR:  26000: prepared statement "p1" does not exist
deallocate all;
--| DEALLOCATE ALL
discard all;
--| DISCARD ALL
set standard_conforming_strings = on;
--| SET
set application_name = 'golden';
--| SET
select application_name from pg_stat_activity where pid = pg_backend_pid();
--|  application_name
--| ------------------
--|  golden
--| (1 row)
show application_name;
--|  application_name
--| ------------------
--|  golden
--| (1 row)
checkpoint;
--| CHECKPOINT
select current_user, current_database(), current_schema, pg_backend_pid() > 0;
--|  current_user | current_database | current_schema | ?column?
--| --------------+------------------+----------------+----------
--|  postgres     | b                | public         | t
--| (1 row)
set application_name = 'aä	b';
--| SET
show application_name;
--|  application_name
--| ------------------
--|  a\xc3\xa4\x09b
--| (1 row)
reset application_name;
--| RESET
