-- Rows that an index leads to one beside the other are read by a cursor over the table: forward, backward, with gaps, in small groups, and after changes. Each answer beside that of the table read whole.
create table n (id int primary key, g int, d int, v int, t text);
--| CREATE TABLE
insert into n select i, (i / 5 * 7919) % 1009, -i, i % 17, repeat('x', i % 40) from generate_series(1, 4000) i;
--| INSERT 0 4000
create index on n (g);
--| CREATE INDEX
create index on n (d);
--| CREATE INDEX
delete from n where id % 7 in (0, 3) or id between 1000 and 1100 or id % 100 < 12;
--| DELETE 1549
update n set v = v + 100, t = repeat('y', 3000) where id % 50 = 20;
--| UPDATE 55
analyze n;
--| ANALYZE
explain (costs off) select sum(v) from n where id between 200 and 700;
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  Aggregate
--|    ->  Index Scan using n_pkey on n
--|          Index Cond: ((id >= 200) AND (id <= 700))
--| (3 rows)
select count(*), sum(v), sum(length(t)) from n where id between 200 and 700;
--|  count | sum  |  sum
--| -------+------+-------
--|    315 | 3174 | 27169
--| (1 row)
select count(*), sum(v), sum(length(t)) from n where id + 0 between 200 and 700;
--|  count | sum  |  sum
--| -------+------+-------
--|    315 | 3174 | 27169
--| (1 row)
select count(*), sum(v), sum(length(t)) from n where d between -900 and -850;
--|  count | sum | sum
--| -------+-----+------
--|     35 | 376 | 3614
--| (1 row)
select count(*), sum(v), sum(length(t)) from n where d + 0 between -900 and -850;
--|  count | sum | sum
--| -------+-----+------
--|     35 | 376 | 3614
--| (1 row)
select count(*), sum(v), sum(length(t)) from n where g < 60;
--|  count | sum  | sum
--| -------+------+------
--|    150 | 1350 | 5880
--| (1 row)
select count(*), sum(v), sum(length(t)) from n where g + 0 < 60;
--|  count | sum  | sum
--| -------+------+------
--|    150 | 1350 | 5880
--| (1 row)
select count(*), sum(v), sum(length(t)) from n where id in (select 300 + i from generate_series(1, 60) i);
--|  count | sum | sum
--| -------+-----+------
--|     35 | 381 | 3779
--| (1 row)
select count(*), sum(v), sum(length(t)) from n where id + 0 in (select 300 + i from generate_series(1, 60) i);
--|  count | sum | sum
--| -------+-----+------
--|     35 | 381 | 3779
--| (1 row)
select md5(string_agg(s.id || '.' || s.v || '.' || length(s.t), ',')) from (select * from n where id < 900 order by id desc limit 300) s;
--|                md5
--| ----------------------------------
--|  ac704e3f354b9bf6d3bd74d5334f737d
--| (1 row)
select md5(string_agg(s.id || '.' || s.v || '.' || length(s.t), ',')) from (select * from n where id + 0 < 900 order by id + 0 desc limit 300) s;
--|                md5
--| ----------------------------------
--|  ac704e3f354b9bf6d3bd74d5334f737d
--| (1 row)
select count(*), sum(a.v), sum(length(b.t)) from n a join n b on b.id = a.id + 1 where a.id between 300 and 500;
--|  count | sum | sum
--| -------+-----+------
--|     75 | 776 | 7488
--| (1 row)
select count(*), sum(a.v), sum(length(b.t)) from n a join n b on b.id + 0 = a.id + 1 where a.id + 0 between 300 and 500;
--|  count | sum | sum
--| -------+-----+------
--|     75 | 776 | 7488
--| (1 row)
-- Rows between those that are asked for are passed over.
create index on n ((id % 2), id);
--| CREATE INDEX
analyze n;
--| ANALYZE
explain (costs off) select sum(v) from n where id % 2 = 1 and id between 500 and 800;
--|                               QUERY PLAN
--| ----------------------------------------------------------------------
--|  Aggregate
--|    ->  Index Scan using n_expr_id_idx on n
--|          Index Cond: (((id % 2) = 1) AND (id >= 500) AND (id <= 800))
--| (3 rows)
select count(*), sum(v), sum(length(t)) from n where id % 2 = 1 and id between 500 and 800;
--|  count | sum | sum
--| -------+-----+------
--|     96 | 739 | 2016
--| (1 row)
select count(*), sum(v), sum(length(t)) from n where id % 2 = 1 and id + 0 between 500 and 800;
--|  count | sum | sum
--| -------+-----+------
--|     96 | 739 | 2016
--| (1 row)
-- What a statement changes it does not meet.
begin;
--| BEGIN
update n set v = v + 1, id = id + 10000 where id between 100 and 300;
--| UPDATE 125
select count(*), sum(v) from n where id between 10100 and 10300;
--|  count | sum
--| -------+------
--|    125 | 1451
--| (1 row)
select count(*), sum(v) from n where id + 0 between 10100 and 10300;
--|  count | sum
--| -------+------
--|    125 | 1451
--| (1 row)
declare c scroll cursor for select id, v, length(t) from n where id between 300 and 420 order by id;
--| DECLARE CURSOR
fetch 5 from c;
--|  id  | v  | length
--| -----+----+--------
--|  312 |  6 |     32
--|  313 |  7 |     33
--|  314 |  8 |     34
--|  316 | 10 |     36
--|  317 | 11 |     37
--| (5 rows)
delete from n where id between 310 and 400;
--| DELETE 63
update n set v = 0 where id > 400;
--| UPDATE 2325
move 10 from c;
--| MOVE 10
fetch 3 from c;
--|  id  | v  | length
--| -----+----+--------
--|  333 | 10 |     13
--|  334 | 11 |     14
--|  335 | 12 |     15
--| (3 rows)
fetch backward 4 from c;
--|  id  | v  | length
--| -----+----+--------
--|  334 | 11 |     14
--|  333 | 10 |     13
--|  331 |  8 |     11
--|  330 |  7 |     10
--| (4 rows)
fetch last from c;
--|  id  | v  | length
--| -----+----+--------
--|  419 | 11 |     19
--| (1 row)
select count(*), sum(v) from n where id between 300 and 420;
--|  count | sum
--| -------+-----
--|      6 |   0
--| (1 row)
select count(*), sum(v) from n where id + 0 between 300 and 420;
--|  count | sum
--| -------+-----
--|      6 |   0
--| (1 row)
rollback;
--| ROLLBACK
select count(*), sum(v) from n where id between 300 and 420;
--|  count | sum
--| -------+-----
--|     69 | 750
--| (1 row)
drop table n;
--| DROP TABLE
