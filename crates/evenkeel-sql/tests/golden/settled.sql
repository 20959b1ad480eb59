-- OVERLAPS, branches of CASE that literals settle, and pg_get_viewdef by name.
select (date '2000-11-27', date '2000-11-28') overlaps (date '2000-11-27', interval '1 day');
--|  overlaps
--| ----------
--|  t
--| (1 row)
select (timestamptz '2000-11-27 00:00+00', interval '12 hours') overlaps (timestamptz '2000-11-27 12:00+00', interval '12 hours');
--|  overlaps
--| ----------
--|  f
--| (1 row)
select row(timestamp '2000-11-26', timestamp '2000-11-27') overlaps (timestamp '2000-11-26 12:00', timestamp '2000-11-30');
--|  overlaps
--| ----------
--|  t
--| (1 row)
select (1, 2, 3) overlaps (1, 2);
--| ERROR:  42601: wrong number of parameters on left side of OVERLAPS expression
select (timestamp '2000-11-26', null) overlaps (timestamp '2000-11-26 12:00', null);
--|  overlaps
--| ----------
--|
--| (1 row)
select case when 1=0 then 1/0 when 1=1 then 1 else 2/0 end;
--|  case
--| ------
--|     1
--| (1 row)
select case 1 when 0 then 1/0 when 1 then 1 else 2/0 end;
--|  case
--| ------
--|     1
--| (1 row)
select case when not 1=1 then 1/0 else 2 end, coalesce(1, 1/0), 1=1 or 1/0=1, 1=0 and 1/0=1, null = 1 and 1/0 = 1;
--| ERROR:  22012: division by zero
select case when 1 = null then 1/0 else 3 end;
--|  case
--| ------
--|     3
--| (1 row)
select case when 1 = 1 then 1/0 else 3 end;
--| ERROR:  22012: division by zero
create view vo as select 1 as a;
--| CREATE VIEW
select pg_get_viewdef('vo', true), pg_get_viewdef('vo'::text, false), pg_get_viewdef('vo'::regclass, true);
--|  pg_get_viewdef  | pg_get_viewdef  | pg_get_viewdef
--| -----------------+-----------------+-----------------
--|   SELECT 1 AS a; |  SELECT 1 AS a; |  SELECT 1 AS a;
--| (1 row)
drop view vo;
--| DROP VIEW
