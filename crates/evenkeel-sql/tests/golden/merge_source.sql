-- MERGE … WHEN NOT MATCHED BY SOURCE.

create table t (id int primary key, v int, note text default 'new');
--| CREATE TABLE
create table s (id int, v int);
--| CREATE TABLE
insert into t values (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c');
--| INSERT 0 3
insert into s values (2, 200), (4, 400);
--| INSERT 0 2
create table r (id int, v int, note text, what text);
--| CREATE TABLE
-- of one side
begin;
--| BEGIN
merge into t using s on t.id = s.id when not matched by source then delete returning merge_action(), t.*, s.*;
--|  merge_action | id | v  | note | id | v
--| --------------+----+----+------+----+---
--|  DELETE       |  1 | 10 | a    |    |
--|  DELETE       |  3 | 30 | c    |    |
--| (2 rows)
select * from t order by id;
--|  id | v  | note
--| ----+----+------
--|   2 | 20 | b
--| (1 row)
rollback;
--| ROLLBACK
begin;
--| BEGIN
merge into t using s on t.id = s.id when not matched by source and t.v > 20 then update set v = 0, note = 'lost' when not matched by source then do nothing;
--| MERGE 1
select * from t order by id;
--|  id | v  | note
--| ----+----+------
--|   1 | 10 | a
--|   2 | 20 | b
--|   3 |  0 | lost
--| (3 rows)
rollback;
--| ROLLBACK
begin;
--| BEGIN
merge into t using s on t.id = s.id when matched then update set v = s.v when not matched by source then delete;
--| MERGE 3
select * from t order by id;
--|  id |  v  | note
--| ----+-----+------
--|   2 | 200 | b
--| (1 row)
rollback;
--| ROLLBACK
-- of both sides
begin;
--| BEGIN
with m as (merge into t using s on t.id = s.id when matched then update set v = s.v when not matched by source then update set note = 'lost' when not matched by target then insert values (s.id, s.v) returning merge_action() as what, old, new, s.id as sid) select * from m order by new;
--|   what  |   old    |     new     | sid
--| --------+----------+-------------+-----
--|  UPDATE | (1,10,a) | (1,10,lost) |
--|  UPDATE | (2,20,b) | (2,200,b)   |   2
--|  UPDATE | (3,30,c) | (3,30,lost) |
--|  INSERT |          | (4,400,new) |   4
--| (4 rows)
select * from t order by id;
--|  id |  v  | note
--| ----+-----+------
--|   1 |  10 | lost
--|   2 | 200 | b
--|   3 |  30 | lost
--|   4 | 400 | new
--| (4 rows)
rollback;
--| ROLLBACK
begin;
--| BEGIN
with m as (merge into t using s on t.id = s.id when matched then update set v = s.v when not matched by source then update set note = 'lost' when not matched by target then insert values (s.id, s.v) returning merge_action() as what, old.v as was, new.v as is, s.id as sid, t.id) select * from m order by id;
--|   what  | was | is  | sid | id
--| --------+-----+-----+-----+----
--|  UPDATE |  10 |  10 |     |  1
--|  UPDATE |  20 | 200 |   2 |  2
--|  UPDATE |  30 |  30 |     |  3
--|  INSERT |     | 400 |   4 |  4
--| (4 rows)
rollback;
--| ROLLBACK
begin;
--| BEGIN
merge into t using s on t.id = s.id when matched and s.v > 1000 then delete when not matched by source and t.id = 1 then delete when not matched by target and s.v < 0 then insert values (s.id) when not matched by target then insert values (s.id, s.v);
--| MERGE 2
select * from t order by id;
--|  id |  v  | note
--| ----+-----+------
--|   2 |  20 | b
--|   3 |  30 | c
--|   4 | 400 | new
--| (3 rows)
rollback;
--| ROLLBACK
-- BY TARGET alone is as NOT MATCHED
begin;
--| BEGIN
merge into t using s on t.id = s.id when not matched by target then insert (id, v) values (s.id, s.v);
--| MERGE 1
select * from t order by id;
--|  id |  v  | note
--| ----+-----+------
--|   1 |  10 | a
--|   2 |  20 | b
--|   3 |  30 | c
--|   4 | 400 | new
--| (4 rows)
rollback;
--| ROLLBACK
-- no rows on one side
begin;
--| BEGIN
merge into t using (select * from s where false) s on t.id = s.id when not matched by source then delete when not matched then insert values (s.id, s.v);
--| MERGE 3
select * from t;
--|  id | v | note
--| ----+---+------
--| (0 rows)
merge into t using s on t.id = s.id when not matched by source then delete when not matched then insert values (s.id, s.v);
--| MERGE 2
select * from t order by id;
--|  id |  v  | note
--| ----+-----+------
--|   2 | 200 | new
--|   4 | 400 | new
--| (2 rows)
rollback;
--| ROLLBACK
-- rows of NULLs are rows
begin;
--| BEGIN
insert into s values (null, null);
--| INSERT 0 1
merge into t using s on t.id = s.id when not matched by source and t.id > 1 then delete when not matched then insert values (coalesce(s.id, 99), s.v) returning old;
--|    old
--| ----------
--|  (3,30,c)
--|
--|
--| (3 rows)
select * from t order by id;
--|  id |  v  | note
--| ----+-----+------
--|   1 |  10 | a
--|   2 |  20 | b
--|   4 | 400 | new
--|  99 |     | new
--| (4 rows)
rollback;
--| ROLLBACK
-- conditions of one side
begin;
--| BEGIN
merge into t using s on t.id = s.id and t.v > 1000 when matched then delete when not matched by source then update set note = 'alone' when not matched and s.id > 2 then insert values (s.id, 0);
--| MERGE 4
select * from t order by id;
--|  id | v  | note
--| ----+----+-------
--|   1 | 10 | alone
--|   2 | 20 | alone
--|   3 | 30 | alone
--|   4 |  0 | new
--| (4 rows)
rollback;
--| ROLLBACK
begin;
--| BEGIN
merge into t using s on t.id = s.id and s.v < 0 when not matched by source then delete;
--| MERGE 3
select * from t order by id;
--|  id | v | note
--| ----+---+------
--| (0 rows)
rollback;
--| ROLLBACK
begin;
--| BEGIN
merge into t using s on true when matched and s.id = 2 then do nothing when not matched by source then delete when not matched then insert values (7, 7);
--| MERGE 0
select * from t order by id;
--|  id | v  | note
--| ----+----+------
--|   1 | 10 | a
--|   2 | 20 | b
--|   3 | 30 | c
--| (3 rows)
rollback;
--| ROLLBACK
begin;
--| BEGIN
merge into t using s on false when not matched by source then delete;
--| MERGE 3
select * from t order by id;
--|  id | v | note
--| ----+---+------
--| (0 rows)
rollback;
--| ROLLBACK
merge into t using s on t.id > s.id when not matched by source then delete when not matched then insert values (1);
--| ERROR:  0A000: FULL JOIN is only supported with merge-joinable or hash-joinable join conditions
merge into t using s on t.id > s.id when not matched by source and t.id = 1 then do nothing when not matched then do nothing;
--| MERGE 0
begin;
--| BEGIN
merge into t using s on t.id > s.id when not matched by source then update set note = 'least';
--| MERGE 2
select * from t order by id;
--|  id | v  | note
--| ----+----+-------
--|   1 | 10 | least
--|   2 | 20 | least
--|   3 | 30 | c
--| (3 rows)
rollback;
--| ROLLBACK
-- what a clause sees
merge into t using s on t.id = s.id when not matched by source and s.v > 1 then delete;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "s"
--| DETAIL:  There is an entry for table "s", but it cannot be referenced from this part of the query.
merge into t using s on t.id = s.id when not matched by source then update set v = s.v;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "s"
--| DETAIL:  There is an entry for table "s", but it cannot be referenced from this part of the query.
merge into t using (select id as sid, v as sv from s) s on t.id = s.sid when not matched by source then update set v = sv;
--| ERROR:  42703: column "sv" does not exist
--| DETAIL:  There is a column named "sv" in table "s", but it cannot be referenced from this part of the query.
merge into t using s on t.id = s.id when not matched by target then insert values (t.id);
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "t"
--| DETAIL:  There is an entry for table "t", but it cannot be referenced from this part of the query.
merge into t using s on t.id = s.id when not matched by target then insert values (s.id, 1, note);
--| ERROR:  42703: column "note" does not exist
--| DETAIL:  There is a column named "note" in table "t", but it cannot be referenced from this part of the query.
merge into t using s on t.id = s.id when not matched by source then insert values (1);
--| ERROR:  42601: syntax error at or near "insert"
merge into t using s on t.id = s.id when not matched by target then delete;
--| ERROR:  42601: syntax error at or near "delete"
merge into t using s on t.id = s.id when not matched by source then delete when not matched by source then do nothing;
--| ERROR:  42601: unreachable WHEN clause specified after unconditional WHEN clause
merge into t using s on t.id = s.id when not matched by target then do nothing when not matched then do nothing;
--| ERROR:  42601: unreachable WHEN clause specified after unconditional WHEN clause
begin;
--| BEGIN
merge into t using s on t.id = s.id when matched and (select s.v) > 1 then delete when not matched by source and (select count(*) from s where s.id > t.id) = 1 then update set v = (select max(s.v) from s), note = id::text;
--| MERGE 2
select * from t order by id;
--|  id |  v  | note
--| ----+-----+------
--|   1 |  10 | a
--|   3 | 400 | 3
--| (2 rows)
rollback;
--| ROLLBACK
merge into t using s on t.id = s.id when matched and (select s.v) > 1 then delete when not matched by source and (select s.v) > 1 then delete;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "s"
--| DETAIL:  There is an entry for table "s", but it cannot be referenced from this part of the query.
-- views
create view w as select id, v as val from t where id < 3;
--| CREATE VIEW
begin;
--| BEGIN
merge into w using s on w.id = s.id when not matched by source then delete returning old.*, new.*;
--|  id | val | id | val
--| ----+-----+----+-----
--|   1 |  10 |    |
--| (1 row)
select * from t order by id;
--|  id | v  | note
--| ----+----+------
--|   2 | 20 | b
--|   3 | 30 | c
--| (2 rows)
rollback;
--| ROLLBACK
begin;
--| BEGIN
insert into s values (3, 300);
--| INSERT 0 1
merge into w using (select * from s where id <> 3) s on w.id = s.id when matched then update set val = s.v when not matched by source then update set val = -1 when not matched then insert values (s.id, s.v);
--| MERGE 3
select * from t order by id;
--|  id |  v  | note
--| ----+-----+------
--|   1 |  -1 | a
--|   2 | 200 | b
--|   3 |  30 | c
--|   4 | 400 | new
--| (4 rows)
rollback;
--| ROLLBACK
begin;
--| BEGIN
insert into s values (3, 300);
--| INSERT 0 1
merge into w using s on w.id = s.id when not matched by source then update set val = -1 when not matched then insert values (s.id + 10, s.v);
--| MERGE 3
select * from t order by id;
--|  id |  v  | note
--| ----+-----+------
--|   1 |  -1 | a
--|   2 |  20 | b
--|   3 |  30 | c
--|  13 | 300 | new
--|  14 | 400 | new
--| (5 rows)
rollback;
--| ROLLBACK
-- generated columns, constraints, foreign keys
create table g (id int primary key, a int check (a < 100), d int generated always as (a * 2) stored, w int generated always as (coalesce(a, 0) + 1) virtual);
--| CREATE TABLE
insert into g values (1, 1), (2, 2), (3, 3);
--| INSERT 0 3
with m as (merge into g using s on g.id = s.id when matched then delete when not matched by source then update set a = a + 10 when not matched then insert values (s.id, 50) returning merge_action() what, g.*, old.w as was, new.w as is) select * from m order by id;
--|   what  | id | a  |  d  | w  | was | is
--| --------+----+----+-----+----+-----+----
--|  UPDATE |  1 | 11 |  22 | 12 |   2 | 12
--|  DELETE |  2 |  2 |   4 |  3 |   3 |
--|  UPDATE |  3 | 13 |  26 | 14 |   4 | 14
--|  INSERT |  4 | 50 | 100 | 51 |     | 51
--| (4 rows)
merge into g using s on g.id = s.id when not matched by source then update set a = 100;
--| ERROR:  23514: new row for relation "g" violates check constraint "g_a_check"
--| DETAIL:  Failing row contains (1, 100, 200, virtual).
create table gs (id int, w int generated always as (coalesce(id, 0) + 1) virtual);
--| CREATE TABLE
insert into gs values (1);
--| INSERT 0 1
with m as (merge into g using gs on g.id = gs.id when matched then do nothing when not matched by source then delete returning g.id, gs.w) select * from m order by id;
--|  id | w
--| ----+---
--|   3 |
--|   4 |
--| (2 rows)
create table c (id int primary key references g on delete cascade);
--| CREATE TABLE
insert into c values (1);
--| INSERT 0 1
merge into g using (values (9)) y(i) on g.id = y.i when not matched by source then delete when not matched then insert values (i, i);
--| MERGE 2
select * from c;
--|  id
--| ----
--| (0 rows)
select * from g;
--|  id | a | d  | w
--| ----+---+----+----
--|   9 | 9 | 18 | 10
--| (1 row)
prepare sync as merge into t using (select $1::int as id, $2::int as v) s on t.id = s.id when matched then update set v = s.v when not matched by source and t.id = $3 then delete when not matched then insert values (s.id, s.v);
--| PREPARE
execute sync(2, 22, 1);
--| MERGE 2
execute sync(8, 88, 3);
--| MERGE 2
select * from t order by id;
--|  id | v  | note
--| ----+----+------
--|   2 | 22 | b
--|   8 | 88 | new
--| (2 rows)
