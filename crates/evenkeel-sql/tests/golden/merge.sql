-- MERGE.

create table t (id int primary key, v int, note text default 'new', d int generated always as (v * 2) stored, w int generated always as (v * 3) virtual);
--| CREATE TABLE
create table s (id int, v int);
--| CREATE TABLE
insert into t (id, v) values (1, 10), (2, 20), (3, 30);
--| INSERT 0 3
insert into s values (1, 100), (2, null), (4, 400), (5, 500);
--| INSERT 0 4
merge into t using s on t.id = s.id when matched and s.v is null then delete when matched then update set v = s.v, note = 'upd' when not matched and s.v > 450 then do nothing when not matched then insert (id, v) values (s.id, s.v) returning merge_action(), t.*, s.v;
--|  merge_action | id |  v  | note |  d  |  w   |  v
--| --------------+----+-----+------+-----+------+-----
--|  UPDATE       |  1 | 100 | upd  | 200 |  300 | 100
--|  DELETE       |  2 |  20 | new  |  40 |   60 |
--|  INSERT       |  4 | 400 | new  | 800 | 1200 | 400
--| (3 rows)
select * from t order by id;
--|  id |  v  | note |  d  |  w
--| ----+-----+------+-----+------
--|   1 | 100 | upd  | 200 |  300
--|   3 |  30 | new  |  60 |   90
--|   4 | 400 | new  | 800 | 1200
--| (3 rows)
merge into t as x using (select * from s where v is not null) y on x.id = y.id when matched then update set v = x.v + y.v when not matched then insert values (y.id, y.v, default) returning *;
--|  id |  v  | id |  v  | note |  d   |  w
--| ----+-----+----+-----+------+------+------
--|   1 | 100 |  1 | 200 | upd  |  400 |  600
--|   4 | 400 |  4 | 800 | new  | 1600 | 2400
--|   5 | 500 |  5 | 500 | new  | 1000 | 1500
--| (3 rows)
select * from t order by id;
--|  id |  v  | note |  d   |  w
--| ----+-----+------+------+------
--|   1 | 200 | upd  |  400 |  600
--|   3 |  30 | new  |   60 |   90
--|   4 | 800 | new  | 1600 | 2400
--|   5 | 500 | new  | 1000 | 1500
--| (4 rows)
merge into t using (values (1), (1)) y(i) on t.id = y.i when matched then update set v = 0;
--| ERROR:  21000: MERGE command cannot affect row a second time
--| HINT:  Ensure that not more than one source row matches any one target row.
merge into t using (values (1)) y(i) on t.id = y.i when matched then do nothing;
--| MERGE 0
merge into t using (values (9)) y(i) on t.id = y.i when matched then delete;
--| MERGE 0
merge into t using (values (9), (9)) y(i) on t.id = y.i when not matched then insert (id) values (y.i);
--| ERROR:  23505: duplicate key value violates unique constraint "t_pkey"
--| DETAIL:  Key (id)=(9) already exists.
merge into t using (values (9)) y(i) on t.id = y.i when not matched then insert (id, note) values (y.i, default) returning merge_action() as what, id, note;
--|   what  | id | note
--| --------+----+------
--|  INSERT |  9 | new
--| (1 row)
merge into t using (values (9)) y(i) on t.id = y.i when matched then update set d = 5;
--| ERROR:  428C9: column "d" can only be updated to DEFAULT
--| DETAIL:  Column "d" is a generated column.
merge into t using (values (9)) y(i) on t.id = y.i when matched then update set d = default, v = 7 returning t.v, d, w;
--|  v | d  | w
--| ---+----+----
--|  7 | 14 | 21
--| (1 row)
merge into t using (values (10)) y(i) on t.id = y.i when not matched then insert (id, d) values (y.i, 5);
--| ERROR:  428C9: cannot insert a non-DEFAULT value into column "d"
--| DETAIL:  Column "d" is a generated column.
merge into t using (values (10)) y(i) on t.id = y.i when not matched then insert (id, v) values (y.i);
--| ERROR:  42601: INSERT has more target columns than expressions
merge into t using (values (10)) y(i) on t.id = y.i when not matched then insert (id) values (y.i, 5);
--| ERROR:  42601: INSERT has more expressions than target columns
merge into t using (values (10)) y(i) on t.id = y.i when matched then delete when matched then do nothing;
--| ERROR:  42601: unreachable WHEN clause specified after unconditional WHEN clause
merge into t using (values (10)) y(i) on t.id = y.i when matched then insert (id) values (1);
--| ERROR:  42601: syntax error at or near "insert"
merge into t using (values (10)) y(i) on t.id = y.i when not matched then delete;
--| ERROR:  42601: syntax error at or near "delete"
select merge_action();
--| ERROR:  42601: MERGE_ACTION() can only be used in the RETURNING list of a MERGE command
merge into nosuch using s on true when matched then delete;
--| ERROR:  42P01: relation "nosuch" does not exist
with src as (select 20 as k) merge into t using src on t.id = src.k when not matched then insert (id, v) values (k, k) returning id, v;
--|  id | v
--| ----+----
--|  20 | 20
--| (1 row)
with m as (merge into t using (values (20), (21)) y(i) on t.id = y.i when matched then update set v = -1 when not matched then insert (id, v) values (i, i) returning merge_action() a, id, t.v) select * from m order by id;
--|    a    | id | v
--| --------+----+----
--|  UPDATE | 20 | -1
--|  INSERT | 21 | 21
--| (2 rows)
create table p (id int primary key);
--| CREATE TABLE
create table c (id int references p on delete cascade);
--| CREATE TABLE
insert into p values (1), (2);
--| INSERT 0 2
insert into c values (1), (2);
--| INSERT 0 2
merge into p using (values (1), (3)) y(i) on p.id = y.i when matched then delete when not matched then insert values (y.i);
--| MERGE 2
select * from c;
--|  id
--| ----
--|   2
--| (1 row)
merge into c using (values (7)) y(i) on c.id = y.i when not matched then insert values (y.i);
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_id_fkey"
--| DETAIL:  Key (id)=(7) is not present in table "p".
begin read only;
--| BEGIN
merge into p using (values (1)) y(i) on p.id = y.i when not matched then insert values (1);
--| ERROR:  25006: cannot execute MERGE in a read-only transaction
rollback;
--| ROLLBACK
prepare mm as merge into p using (select $1::int as i) y on p.id = y.i when not matched then insert values (i) returning merge_action(), p.id;
--| PREPARE
execute mm(50);
--|  merge_action | id
--| --------------+----
--|  INSERT       | 50
--| (1 row)
execute mm(50);
--|  merge_action | id
--| --------------+----
--| (0 rows)
merge into p using generate_series(1, 3) g on p.id = g when matched and p.id = 3 then update set id = 33 when not matched then insert values (g);
--| MERGE 2
select * from p order by 1;
--|  id
--| ----
--|   1
--|   2
--|  33
--|  50
--| (4 rows)
select * from t order by id;
--|  id |  v  | note |  d   |  w
--| ----+-----+------+------+------
--|   1 | 200 | upd  |  400 |  600
--|   3 |  30 | new  |   60 |   90
--|   4 | 800 | new  | 1600 | 2400
--|   5 | 500 | new  | 1000 | 1500
--|   9 |   7 | new  |   14 |   21
--|  20 |  -1 | new  |   -2 |   -3
--|  21 |  21 | new  |   42 |   63
--| (7 rows)
