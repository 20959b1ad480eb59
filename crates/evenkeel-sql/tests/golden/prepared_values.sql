-- Parameters of domains are values of these; what a prepared statement says is read once.
create domain pvd as int check (value > 0);
--| CREATE DOMAIN
create domain pvn as text not null;
--| CREATE DOMAIN
create domain pvv as varchar(3);
--| CREATE DOMAIN
prepare p1(pvd) as select $1;
--| PREPARE
execute p1(1);
--|  ?column?
--| ----------
--|         1
--| (1 row)
execute p1(-1);
--| ERROR:  23514: value for domain pvd violates check constraint "pvd_check"
execute p1('-1');
--| ERROR:  23514: value for domain pvd violates check constraint "pvd_check"
execute p1(null);
--|  ?column?
--| ----------
--|
--| (1 row)
prepare p2(pvn) as select $1;
--| PREPARE
execute p2(null);
--| ERROR:  23502: domain pvn does not allow null values
execute p2('x');
--|  ?column?
--| ----------
--|  x
--| (1 row)
prepare p3(pvv) as select $1 || '|';
--| PREPARE
execute p3('abcdef');
--| ERROR:  22001: value too long for type character varying(3)
execute p3('abc   ');
--|  ?column?
--| ----------
--|  abc|
--| (1 row)
prepare p4(pvd[]) as select $1;
--| PREPARE
execute p4(array[1, -1]);
--| ERROR:  23514: value for domain pvd violates check constraint "pvd_check"
execute p4('{1,2}');
--|  ?column?
--| ----------
--|  {1,2}
--| (1 row)
prepare p5(pvd) as select count(*) from generate_series(1, 3) g where g > $1;
--| PREPARE
execute p5(-1);
--| ERROR:  23514: value for domain pvd violates check constraint "pvd_check"
execute p5(2);
--|  count
--| -------
--|      1
--| (1 row)
prepare p6(varchar(3)) as select $1;
--| PREPARE
execute p6('abcdef');
--|  ?column?
--| ----------
--|  abcdef
--| (1 row)
create temp table pvu as execute p1(-5);
--| ERROR:  23514: value for domain pvd violates check constraint "pvd_check"
create type pve as enum ('a', 'b');
--| CREATE TYPE
create table pvx (e pve, d timestamptz, m date);
--| CREATE TABLE
set timezone = 'UTC';
--| SET
insert into pvx values ('a', '2020-01-01 00:00+00', '2020-01-02'), ('b', '2020-06-01', '2020-02-01');
--| INSERT 0 2
prepare q1 as select e from pvx where e >= 'a' and e = any ('{a,b}') order by e;
--| PREPARE
execute q1;
--|  e
--| ---
--|  a
--|  b
--| (2 rows)
alter type pve rename value 'a' to 'z';
--| ALTER TYPE
execute q1;
--|  e
--| ---
--|  z
--|  b
--| (2 rows)
prepare q2 as select count(*) from pvx where d = '2020-01-01';
--| PREPARE
execute q2;
--|  count
--| -------
--|      1
--| (1 row)
set timezone = 'America/New_York';
--| SET
execute q2;
--|  count
--| -------
--|      1
--| (1 row)
prepare q3 as insert into pvx (d, m) values ('2021-06-01 12:00', '01/02/2020') returning d at time zone 'UTC', m;
--| PREPARE
execute q3;
--|       timezone       |     m
--| ---------------------+------------
--|  2021-06-01 16:00:00 | 2020-01-02
--| (1 row)
--| INSERT 0 1
set timezone = 'UTC';
--| SET
set datestyle = 'ISO, DMY';
--| SET
execute q3;
--|       timezone       |     m
--| ---------------------+------------
--|  2021-06-01 16:00:00 | 2020-01-02
--| (1 row)
--| INSERT 0 1
prepare q4 as select '01/02/2020'::date, date '01/02/2020', 'pvx'::regclass::text;
--| PREPARE
execute q4;
--|     date    |    date    | text
--| ------------+------------+------
--|  2020-02-01 | 2020-02-01 | pvx
--| (1 row)
reset datestyle;
--| RESET
execute q4;
--|     date    |    date    | text
--| ------------+------------+------
--|  2020-02-01 | 2020-02-01 | pvx
--| (1 row)
alter table pvx rename to pvy;
--| ALTER TABLE
execute q4;
--| ERROR:  42P01: relation "pvx" does not exist
select '01/02/2020'::date;
--|     date
--| ------------
--|  2020-01-02
--| (1 row)
