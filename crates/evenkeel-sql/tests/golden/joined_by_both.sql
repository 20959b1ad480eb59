-- Two columns of one relation that are equal to one of another are equal to each other.
create table a (x int, z int);
--| CREATE TABLE
create table b (y int);
--| CREATE TABLE
insert into a values (1, 1), (2, 3), (3, 2);
--| INSERT 0 3
insert into b select g from generate_series(1, 1000) g;
--| INSERT 0 1000
create index on b (y);
--| CREATE INDEX
analyze a;
--| ANALYZE
analyze b;
--| ANALYZE
select * from a, b where a.x = b.y and a.z = b.y order by 1, 2, 3;
--|  x | z | y
--| ---+---+---
--|  1 | 1 | 1
--| (1 row)
update b set y = y from a where a.x = b.y and a.z = b.y returning b.*;
--|  y
--| ---
--|  1
--| (1 row)
--| UPDATE 1
delete from b using a where a.x = b.y and a.z = b.y returning b.*;
--|  y
--| ---
--|  1
--| (1 row)
--| DELETE 1
select count(*) from a join b on a.x = b.y and a.z = b.y;
--|  count
--| -------
--|      0
--| (1 row)
select count(*) from b c, a join b on a.x = b.y and a.z = b.y where c.y = b.y;
--|  count
--| -------
--|      0
--| (1 row)
-- What is equal is not the same.
create table t (id int primary key, d date, n numeric);
--| CREATE TABLE
insert into t values (1, '2024-01-31', 1), (2, '2024-02-29', 2), (3, '2024-03-01', 3);
--| INSERT 0 3
select max(d + interval '1 month'), max(d + interval '30 days') from t;
--|          max         |         max
--| ---------------------+---------------------
--|  2024-04-01 00:00:00 | 2024-03-31 00:00:00
--| (1 row)
select id, first_value(d + interval '1 month') over (order by id), first_value(d + interval '30 days') over (order by id) from t;
--|  id |     first_value     |     first_value
--| ----+---------------------+---------------------
--|   1 | 2024-02-29 00:00:00 | 2024-03-01 00:00:00
--|   2 | 2024-02-29 00:00:00 | 2024-03-01 00:00:00
--|   3 | 2024-02-29 00:00:00 | 2024-03-01 00:00:00
--| (3 rows)
select sum(n + 1.0), sum(n + 1.00) from t;
--|  sum | sum
--| -----+------
--|  9.0 | 9.00
--| (1 row)
create index on t ((d + interval '1 month'));
--| CREATE INDEX
set enable_seqscan = off;
--| SET
select id from t where d + interval '30 days' = timestamp '2024-03-01' order by id;
--|  id
--| ----
--|   1
--| (1 row)
reset enable_seqscan;
--| RESET
select max(x), min(x) from (values (1.0), (1.00)) v (x);
--|  max  | min
--| ------+------
--|  1.00 | 1.00
--| (1 row)
-- NOT NULL that is NOT VALID says nothing of the rows that were there.
create table nv (id int, a int);
--| CREATE TABLE
insert into nv select g, nullif(g % 5, 0) from generate_series(1, 2000) g;
--| INSERT 0 2000
create index on nv (a);
--| CREATE INDEX
analyze nv;
--| ANALYZE
alter table nv add constraint nn not null a not valid;
--| ALTER TABLE
select a from nv order by a desc limit 2;
--|  a
--| ---
--|
--|
--| (2 rows)
select a from nv order by a nulls first limit 2;
--|  a
--| ---
--|
--|
--| (2 rows)
drop table a, b, t, nv;
--| DROP TABLE
