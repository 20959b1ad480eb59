-- Settings with a dot are the client's own: there, with nothing, from when they are first named on.

begin;
--| BEGIN
set local app.u = '7';
--| SET
commit;
--| COMMIT
select current_setting('app.u');
--|  current_setting
--| -----------------
--|
--| (1 row)
begin;
--| BEGIN
set app.v = '7';
--| SET
rollback;
--| ROLLBACK
select current_setting('app.v');
--|  current_setting
--| -----------------
--|
--| (1 row)
show app.v;
--|  app.v
--| -------
--|
--| (1 row)
reset app.w;
--| RESET
show app.w;
--|  app.w
--| -------
--|
--| (1 row)
begin;
--| BEGIN
savepoint a;
--| SAVEPOINT
set app.y = '7';
--| SET
rollback to a;
--| ROLLBACK
select current_setting('app.y');
--|  current_setting
--| -----------------
--|
--| (1 row)
commit;
--| COMMIT
select current_setting('app.y');
--|  current_setting
--| -----------------
--|
--| (1 row)
begin;
--| BEGIN
select set_config('app.z', 'x', true);
--|  set_config
--| ------------
--|  x
--| (1 row)
select current_setting('app.z');
--|  current_setting
--| -----------------
--|  x
--| (1 row)
rollback;
--| ROLLBACK
select current_setting('app.z');
--|  current_setting
--| -----------------
--|
--| (1 row)
set app.q = 4;
--| SET
reset all;
--| RESET
show app.q;
--|  app.q
--| -------
--|
--| (1 row)
select current_setting('app.never', true);
--|  current_setting
--| -----------------
--|
--| (1 row)
select current_setting('app.never');
--| ERROR:  42704: unrecognized configuration parameter "app.never"
