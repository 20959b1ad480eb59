-- What time zones and their abbreviations are shown as.

select * from pg_timezone_abbrevs where abbrev in ('CEST', 'EST', 'EDT', 'UTC', 'Z', 'NZDT') order by 1;
--|  abbrev | utc_offset | is_dst
--| --------+------------+--------
--|  CEST   | 02:00:00   | t
--|  EDT    | -04:00:00  | t
--|  EST    | -05:00:00  | f
--|  NZDT   | 13:00:00   | t
--|  UTC    | 00:00:00   | f
--|  Z      | 00:00:00   | f
--| (6 rows)
select abbrev, utc_offset, is_dst from pg_timezone_abbrevs_abbrevs() where abbrev in ('MSK', 'MSD', 'IST', 'VET') order by 1;
--|  abbrev | utc_offset | is_dst
--| --------+------------+--------
--|  IST    | 02:00:00   | f
--|  MSD    | 04:00:00   | t
--|  MSK    | 03:00:00   | f
--|  VET    | -04:00:00  | f
--| (4 rows)
set timezone = 'Europe/Berlin';
--| SET
select * from pg_timezone_abbrevs_zone() order by 1;
--|  abbrev | utc_offset | is_dst
--| --------+------------+--------
--|  CEMT   | 03:00:00   | t
--|  CEST   | 02:00:00   | t
--|  CET    | 01:00:00   | f
--|  LMT    | 00:53:28   | f
--| (4 rows)
set timezone = 'Asia/Kolkata';
--| SET
select * from pg_timezone_abbrevs where abbrev in ('IST', 'HMT', 'LMT', 'MMT', 'PST') order by 1;
--|  abbrev | utc_offset | is_dst
--| --------+------------+--------
--|  HMT    | 05:53:20   | f
--|  IST    | 05:30:00   | f
--|  LMT    | 05:53:28   | f
--|  MMT    | 05:21:10   | f
--|  PST    | -08:00:00  | f
--| (5 rows)
reset timezone;
--| RESET
select count(*) > 140, count(distinct abbrev) = count(*), bool_and(abbrev = upper(abbrev)) from pg_timezone_abbrevs;
--|  ?column? | ?column? | bool_and
--| ----------+----------+----------
--|  t        | t        | t
--| (1 row)
select name, utc_offset, is_dst from pg_timezone_names() where name in ('UTC', 'Asia/Kolkata', 'America/Phoenix') order by 1;
--|       name       | utc_offset | is_dst
--| -----------------+------------+--------
--|  America/Phoenix | -07:00:00  | f
--|  Asia/Kolkata    | 05:30:00   | f
--|  UTC             | 00:00:00   | f
--| (3 rows)
select name, abbrev, utc_offset, is_dst from pg_timezone_names where name in ('UTC', 'Asia/Tokyo', 'Etc/GMT+5') order by 1;
--|     name    | abbrev | utc_offset | is_dst
--| ------------+--------+------------+--------
--|  Asia/Tokyo | JST    | 09:00:00   | f
--|  Etc/GMT+5  | -05    | -05:00:00  | f
--|  UTC        | UTC    | 00:00:00   | f
--| (3 rows)
