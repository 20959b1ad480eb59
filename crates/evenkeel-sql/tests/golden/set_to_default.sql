-- set_config() of NULL sets to the default; SET SEED, SET SCHEMA, and other words for values.

set work_mem = '5MB';
--| SET
select set_config('work_mem', null, false);
--|  set_config
--| ------------
--|  4MB
--| (1 row)
show work_mem;
--|  work_mem
--| ----------
--|  4MB
--| (1 row)
select set_config('app.n', null, false);
--|  set_config
--| ------------
--|
--| (1 row)
select current_setting('app.n');
--|  current_setting
--| -----------------
--|
--| (1 row)
create table vis(a int);
--| CREATE TABLE
select set_config('search_path', null, false);
--|    set_config
--| -----------------
--|  "$user", public
--| (1 row)
select * from vis;
--|  a
--| ---
--| (0 rows)
begin;
--| BEGIN
set work_mem = '7MB';
--| SET
select set_config('work_mem', null, true);
--|  set_config
--| ------------
--|  4MB
--| (1 row)
show work_mem;
--|  work_mem
--| ----------
--|  4MB
--| (1 row)
commit;
--| COMMIT
show work_mem;
--|  work_mem
--| ----------
--|  7MB
--| (1 row)
reset work_mem;
--| RESET
select set_config('nosuch', null, false);
--| ERROR:  42704: unrecognized configuration parameter "nosuch"
select set_config('server_version', null, false);
--| ERROR:  55P02: parameter "server_version" cannot be changed
select set_config('transaction_isolation', null, false);
--| ERROR:  0A000: parameter "transaction_isolation" cannot be reset
reset transaction_isolation;
--| ERROR:  0A000: parameter "transaction_isolation" cannot be reset
set schema 'public';
--| SET
show search_path;
--|  search_path
--| -------------
--|  public
--| (1 row)
set schema nosuch;
--| ERROR:  42601: syntax error at or near "nosuch"
set schema 'a', 'b';
--| ERROR:  42601: syntax error at or near ","
set session schema 'x';
--| SET
show search_path;
--|  search_path
--| -------------
--|  x
--| (1 row)
set schema = 'y';
--| ERROR:  42704: unrecognized configuration parameter "schema"
reset search_path;
--| RESET
set seed = 0.5;
--| SET
show seed;
--|     seed
--| -------------
--|  unavailable
--| (1 row)
create table drawn as select random() r;
--| SELECT 1
select setseed(0.5);
--|  setseed
--| ---------
--|
--| (1 row)
select r = random() from drawn;
--|  ?column?
--| ----------
--|  t
--| (1 row)
set seed = 2;
--| ERROR:  22023: 2 is outside the valid range for parameter "seed" (-1 .. 1)
set seed to default;
--| ERROR:  0A000: parameter "seed" cannot be reset
reset seed;
--| ERROR:  0A000: parameter "seed" cannot be reset
set seed = 'x';
--| ERROR:  22023: invalid value for parameter "seed": "x"
select set_config('seed', '0.5', false);
--|  set_config
--| -------------
--|  unavailable
--| (1 row)
select r = random() from drawn;
--|  ?column?
--| ----------
--|  t
--| (1 row)
set client_min_messages = debug;
--| SET
show client_min_messages;
--|  client_min_messages
--| ---------------------
--|  debug2
--| (1 row)
reset client_min_messages;
--| RESET
set constraint_exclusion = 0;
--| SET
show constraint_exclusion;
--|  constraint_exclusion
--| ----------------------
--|  off
--| (1 row)
set backslash_quote = true;
--| SET
show backslash_quote;
--|  backslash_quote
--| -----------------
--|  on
--| (1 row)
set enable_seqscan = on, off;
--| ERROR:  22023: SET enable_seqscan takes only one argument
set work_mem = 1, 2;
--| ERROR:  22023: SET work_mem takes only one argument
set app.x = 1, 2;
--| ERROR:  22023: SET app.x takes only one argument
set nosuch = 1, 2;
--| ERROR:  22023: SET nosuch takes only one argument
set datestyle = iso, dmy;
--| SET
show datestyle;
--|  DateStyle
--| -----------
--|  ISO, DMY
--| (1 row)
