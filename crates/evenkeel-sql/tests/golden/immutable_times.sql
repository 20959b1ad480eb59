-- A day is compared with a moment without a zone everywhere alike, and a moment is cut in a zone that is named.
create table imt (a int, d date, ts timestamp, tz timestamptz);
--| CREATE TABLE
create index on imt (a) where ts > d;
--| CREATE INDEX
create index on imt (a) where d <= ts and d > timestamp '2024-01-01';
--| CREATE INDEX
create index on imt ((date_trunc('day', tz, 'UTC')));
--| CREATE INDEX
create index on imt ((d = ts));
--| CREATE INDEX
create index on imt (a) where tz > d;
--| ERROR:  42P17: functions in index predicate must be marked IMMUTABLE
create index on imt ((date_trunc('day', tz)));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create table img (d date, ts timestamp, tz timestamptz, b bool generated always as (ts > d) stored, c timestamptz generated always as (date_trunc('day', tz, 'UTC')) stored);
--| CREATE TABLE
insert into img values ('2024-02-01', '2024-02-01 01:00', '2024-02-01 23:30-03');
--| INSERT 0 1
set timezone = 'UTC';
--| SET
table img;
--|      d      |         ts          |           tz           | b |           c
--| ------------+---------------------+------------------------+---+------------------------
--|  2024-02-01 | 2024-02-01 01:00:00 | 2024-02-02 02:30:00+00 | t | 2024-02-02 00:00:00+00
--| (1 row)
select count(*) from imt where ts > d and a = 1;
--|  count
--| -------
--|      0
--| (1 row)
