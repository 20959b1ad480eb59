-- Cursors: directions, positions, what they see, and how long they live.

create table t (id int primary key, v text);
--| CREATE TABLE
insert into t select g, 'v' || g from generate_series(1, 10) g;
--| INSERT 0 10
begin;
--| BEGIN
declare c scroll cursor for select id, v from t order by id;
--| DECLARE CURSOR
fetch c;
--|  id | v
--| ----+----
--|   1 | v1
--| (1 row)
fetch next from c;
--|  id | v
--| ----+----
--|   2 | v2
--| (1 row)
fetch prior in c;
--|  id | v
--| ----+----
--|   1 | v1
--| (1 row)
fetch prior c;
--|  id | v
--| ----+---
--| (0 rows)
fetch prior c;
--|  id | v
--| ----+---
--| (0 rows)
fetch 3 from c;
--|  id | v
--| ----+----
--|   1 | v1
--|   2 | v2
--|   3 | v3
--| (3 rows)
fetch forward 2 c;
--|  id | v
--| ----+----
--|   4 | v4
--|   5 | v5
--| (2 rows)
fetch backward 2 from c;
--|  id | v
--| ----+----
--|   4 | v4
--|   3 | v3
--| (2 rows)
fetch first c;
--|  id | v
--| ----+----
--|   1 | v1
--| (1 row)
fetch last c;
--|  id |  v
--| ----+-----
--|  10 | v10
--| (1 row)
fetch next c;
--|  id | v
--| ----+---
--| (0 rows)
fetch prior c;
--|  id |  v
--| ----+-----
--|  10 | v10
--| (1 row)
fetch absolute 4 c;
--|  id | v
--| ----+----
--|   4 | v4
--| (1 row)
fetch absolute 2 c;
--|  id | v
--| ----+----
--|   2 | v2
--| (1 row)
fetch absolute -3 c;
--|  id | v
--| ----+----
--|   8 | v8
--| (1 row)
fetch absolute 0 c;
--|  id | v
--| ----+---
--| (0 rows)
fetch relative 3 c;
--|  id | v
--| ----+----
--|   3 | v3
--| (1 row)
fetch relative -2 c;
--|  id | v
--| ----+----
--|   1 | v1
--| (1 row)
fetch relative 0 c;
--|  id | v
--| ----+----
--|   1 | v1
--| (1 row)
fetch 0 c;
--|  id | v
--| ----+----
--|   1 | v1
--| (1 row)
fetch forward 0 c;
--|  id | v
--| ----+----
--|   1 | v1
--| (1 row)
fetch -1 c;
--|  id | v
--| ----+---
--| (0 rows)
fetch -1 c;
--|  id | v
--| ----+---
--| (0 rows)
fetch relative 0 c;
--|  id | v
--| ----+---
--| (0 rows)
fetch absolute 100 c;
--|  id | v
--| ----+---
--| (0 rows)
fetch backward c;
--|  id |  v
--| ----+-----
--|  10 | v10
--| (1 row)
fetch all c;
--|  id | v
--| ----+---
--| (0 rows)
fetch backward all from c;
--|  id |  v
--| ----+-----
--|  10 | v10
--|   9 | v9
--|   8 | v8
--|   7 | v7
--|   6 | v6
--|   5 | v5
--|   4 | v4
--|   3 | v3
--|   2 | v2
--|   1 | v1
--| (10 rows)
fetch forward all c;
--|  id |  v
--| ----+-----
--|   1 | v1
--|   2 | v2
--|   3 | v3
--|   4 | v4
--|   5 | v5
--|   6 | v6
--|   7 | v7
--|   8 | v8
--|   9 | v9
--|  10 | v10
--| (10 rows)
move backward 4 c;
--| MOVE 4
fetch c;
--|  id | v
--| ----+----
--|   8 | v8
--| (1 row)
move c;
--| MOVE 1
move 2 c;
--| MOVE 1
move all c;
--| MOVE 0
move backward all c;
--| MOVE 10
move absolute 5 c;
--| MOVE 1
move relative 0 c;
--| MOVE 1
fetch c;
--|  id | v
--| ----+----
--|   6 | v6
--| (1 row)
move last c;
--| MOVE 1
move prior c;
--| MOVE 1
move -2 c;
--| MOVE 2
fetch relative 0 in c;
--|  id | v
--| ----+----
--|   7 | v7
--| (1 row)
move forward all c;
--| MOVE 3
move relative 0 c;
--| MOVE 0
fetch nope;
--| ERROR:  34000: cursor "nope" does not exist
move nope;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
rollback;
--| ROLLBACK
-- What PostgreSQL lets go backward without being asked.
begin;
--| BEGIN
declare a cursor for select id from t;
--| DECLARE CURSOR
declare b no scroll cursor for select id from t;
--| DECLARE CURSOR
declare d cursor for select count(*) from t;
--| DECLARE CURSOR
declare e cursor for select 1;
--| DECLARE CURSOR
declare f cursor for select generate_series(1, 3);
--| DECLARE CURSOR
declare g cursor for select * from generate_series(1, 3);
--| DECLARE CURSOR
declare h cursor for select t.id from t, generate_series(1, 2) u;
--| DECLARE CURSOR
declare i cursor for select id from t order by v desc;
--| DECLARE CURSOR
declare j binary insensitive scroll cursor with hold for values (1), (2);
--| DECLARE CURSOR
declare k asensitive cursor without hold for select id from t limit 2;
--| DECLARE CURSOR
declare l cursor for select id from t for update;
--| DECLARE CURSOR
declare m cursor for select distinct v from t;
--| DECLARE CURSOR
select name, statement, is_holdable, is_binary, is_scrollable from pg_cursors order by name;
--|  name |                                 statement                                 | is_holdable | is_binary | is_scrollable
--| ------+---------------------------------------------------------------------------+-------------+-----------+---------------
--|  a    | declare a cursor for select id from t;                                    | f           | f         | t
--|  b    | declare b no scroll cursor for select id from t;                          | f           | f         | f
--|  d    | declare d cursor for select count(*) from t;                              | f           | f         | f
--|  e    | declare e cursor for select 1;                                            | f           | f         | f
--|  f    | declare f cursor for select generate_series(1, 3);                        | f           | f         | f
--|  g    | declare g cursor for select * from generate_series(1, 3);                 | f           | f         | t
--|  h    | declare h cursor for select t.id from t, generate_series(1, 2) u;         | f           | f         | f
--|  i    | declare i cursor for select id from t order by v desc;                    | f           | f         | t
--|  j    | declare j binary insensitive scroll cursor with hold for values (1), (2); | t           | t         | t
--|  k    | declare k asensitive cursor without hold for select id from t limit 2;    | f           | f         | t
--|  l    | declare l cursor for select id from t for update;                         | f           | f         | f
--|  m    | declare m cursor for select distinct v from t;                            | f           | f         | f
--| (12 rows)
fetch 2 b;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
savepoint s;
--| SAVEPOINT
fetch prior b;
--| ERROR:  55000: cursor can only scan forward
--| HINT:  Declare it with SCROLL option to enable backward scan.
rollback to s;
--| ROLLBACK
fetch relative 0 b;
--| ERROR:  55000: portal "b" cannot be run
rollback to s;
--| ROLLBACK
fetch absolute 1 b;
--| ERROR:  55000: portal "b" cannot be run
rollback to s;
--| ROLLBACK
fetch absolute 3 b;
--| ERROR:  55000: portal "b" cannot be run
fetch absolute 5 b;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
rollback to s;
--| ROLLBACK
move backward all b;
--| ERROR:  55000: portal "b" cannot be run
rollback to s;
--| ROLLBACK
fetch 2 a;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
fetch prior a;
--|  id
--| ----
--|   1
--| (1 row)
fetch 2 i;
--|  id
--| ----
--|   9
--|   8
--| (2 rows)
close a;
--| CLOSE CURSOR
close a;
--| ERROR:  34000: cursor "a" does not exist
rollback to s;
--| ROLLBACK
close all;
--| CLOSE CURSOR ALL
select name from pg_cursors;
--|  name
--| ------
--| (0 rows)
commit;
--| COMMIT
-- What it sees is what there was when it was declared.
begin;
--| BEGIN
declare c cursor for select id, v from t where id <= 3;
--| DECLARE CURSOR
declare d scroll cursor for select v, id from t where id in (1, 2, 3) order by v;
--| DECLARE CURSOR
update t set v = 'new' where id = 2;
--| UPDATE 1
delete from t where id = 3;
--| DELETE 1
insert into t values (0, 'zero');
--| INSERT 0 1
fetch all c;
--|  id | v
--| ----+----
--|   1 | v1
--|   2 | v2
--|   3 | v3
--| (3 rows)
fetch all d;
--|  v  | id
--| ----+----
--|  v1 |  1
--|  v2 |  2
--|  v3 |  3
--| (3 rows)
select * from t where id < 4 order by id;
--|  id |  v
--| ----+------
--|   0 | zero
--|   1 | v1
--|   2 | new
--| (3 rows)
fetch backward 1 d;
--|  v  | id
--| ----+----
--|  v3 |  3
--| (1 row)
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c cursor for select id from t where id < 5;
--| DECLARE CURSOR
fetch 2 c;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
drop table if exists nothing;
--| NOTICE:  table "nothing" does not exist, skipping
--| DROP TABLE
create table other (x int);
--| CREATE TABLE
fetch all c;
--|  id
--| ----
--|   3
--|   4
--| (2 rows)
commit;
--| COMMIT
-- Savepoints.
begin;
--| BEGIN
declare a cursor for select id from t order by id;
--| DECLARE CURSOR
fetch a;
--|  id
--| ----
--|   1
--| (1 row)
savepoint s;
--| SAVEPOINT
declare b cursor for select id from t order by id desc;
--| DECLARE CURSOR
fetch b;
--|  id
--| ----
--|  10
--| (1 row)
fetch a;
--|  id
--| ----
--|   2
--| (1 row)
select 1/0;
--| ERROR:  22012: division by zero
fetch a;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
rollback to s;
--| ROLLBACK
fetch a;
--|  id
--| ----
--|   3
--| (1 row)
fetch b;
--| ERROR:  34000: cursor "b" does not exist
rollback to s;
--| ROLLBACK
fetch a;
--|  id
--| ----
--|   4
--| (1 row)
declare d cursor for select 7;
--| DECLARE CURSOR
release s;
--| RELEASE
savepoint s;
--| SAVEPOINT
fetch a;
--|  id
--| ----
--|   5
--| (1 row)
rollback to s;
--| ROLLBACK
fetch d;
--|  ?column?
--| ----------
--|         7
--| (1 row)
commit;
--| COMMIT
fetch a;
--| ERROR:  34000: cursor "a" does not exist
-- Beyond the transaction.
declare h cursor with hold for select id from t order by id;
--| DECLARE CURSOR
fetch 2 h;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
fetch prior h;
--|  id
--| ----
--|   1
--| (1 row)
delete from t where id > 5;
--| DELETE 5
fetch all h;
--|  id
--| ----
--|   2
--|   3
--|   4
--|   5
--|   6
--|   7
--|   8
--|   9
--|  10
--| (9 rows)
select name, is_holdable from pg_cursors;
--|  name | is_holdable
--| ------+-------------
--|  h    | t
--| (1 row)
close h;
--| CLOSE CURSOR
begin;
--| BEGIN
declare h scroll cursor with hold for select id from t order by id;
--| DECLARE CURSOR
declare n no scroll cursor with hold for select id from t order by id;
--| DECLARE CURSOR
fetch 2 h;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
fetch 2 n;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
commit;
--| COMMIT
fetch h;
--|  id
--| ----
--|   3
--| (1 row)
fetch first h;
--|  id
--| ----
--|   1
--| (1 row)
fetch 2 n;
--|  id
--| ----
--|   3
--|   4
--| (2 rows)
fetch prior n;
--| ERROR:  55000: cursor can only scan forward
--| HINT:  Declare it with SCROLL option to enable backward scan.
begin;
--| BEGIN
fetch absolute 2 h;
--|  id
--| ----
--|   2
--| (1 row)
fetch absolute 5 n;
--| ERROR:  55000: portal "n" cannot be run
select 1/0;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
rollback;
--| ROLLBACK
fetch next h;
--|  id
--| ----
--|   3
--| (1 row)
close all;
--| CLOSE CURSOR ALL
begin;
--| BEGIN
declare h cursor with hold for select id from t order by id;
--| DECLARE CURSOR
rollback;
--| ROLLBACK
fetch h;
--| ERROR:  34000: cursor "h" does not exist
declare h cursor with hold for select 1/(3 - id) from t order by id;
--| ERROR:  22012: division by zero
begin;
--| BEGIN
declare c cursor for select 1/(3 - id) from t order by id;
--| DECLARE CURSOR
fetch 2 c;
--|  ?column?
--| ----------
--|         0
--|         1
--| (2 rows)
savepoint s;
--| SAVEPOINT
fetch c;
--| ERROR:  22012: division by zero
rollback to s;
--| ROLLBACK
fetch c;
--| ERROR:  55000: portal "c" cannot be run
rollback;
--| ROLLBACK
-- What is refused.
declare c cursor for select 1;
--| ERROR:  25P01: DECLARE CURSOR can only be used in transaction blocks
begin;
--| BEGIN
declare c cursor for select 1;
--| DECLARE CURSOR
declare c cursor for select 2;
--| ERROR:  42P03: cursor "c" already exists
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c scroll no scroll cursor for select 1;
--| ERROR:  42P11: cannot specify both SCROLL and NO SCROLL
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c insensitive asensitive cursor for select 1;
--| ERROR:  42P11: cannot specify both ASENSITIVE and INSENSITIVE
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c scroll cursor for select id from t for update;
--| ERROR:  0A000: DECLARE SCROLL CURSOR ... FOR UPDATE is not supported
--| DETAIL:  Scrollable cursors must be READ ONLY.
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c cursor with hold for select id from t for share;
--| ERROR:  0A000: DECLARE CURSOR WITH HOLD ... FOR SHARE is not supported
--| DETAIL:  Holdable cursors must be READ ONLY.
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare c insensitive cursor for select id from t for no key update;
--| ERROR:  42P11: DECLARE INSENSITIVE CURSOR ... FOR NO KEY UPDATE is not valid
--| DETAIL:  Insensitive cursors must be READ ONLY.
rollback;
--| ROLLBACK
declare c cursor for insert into t values (1);
--| ERROR:  42601: syntax error at or near "insert"
declare c cursor for nonsense;
--| ERROR:  42601: syntax error at or near "nonsense"
declare c for select 1;
--| ERROR:  42601: syntax error at or near "for"
fetch sideways 3 c;
--| ERROR:  42601: syntax error at or near "3"
fetch absolute c;
--| ERROR:  42601: syntax error at or near "c"
fetch 3000000000 c;
--| ERROR:  42601: syntax error at or near "3000000000"
close;
--| ERROR:  42601: syntax error at or near ";"
begin;
--| BEGIN
declare c cursor for select nope from t;
--| ERROR:  42703: column "nope" does not exist
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare next cursor for select 5;
--| DECLARE CURSOR
fetch next;
--|  ?column?
--| ----------
--|         5
--| (1 row)
fetch next from next;
--|  ?column?
--| ----------
--| (0 rows)
move next;
--| MOVE 0
close next;
--| CLOSE CURSOR
declare "All" cursor for select 6;
--| DECLARE CURSOR
fetch "All";
--|  ?column?
--| ----------
--|         6
--| (1 row)
close "All";
--| CLOSE CURSOR
commit;
--| COMMIT
-- Rows are locked as they are read.
begin;
--| BEGIN
declare c cursor for select id from t order by id for update;
--| DECLARE CURSOR
fetch 2 c;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
update t set v = 'again' where id = 1;
--| UPDATE 1
fetch 1 c;
--|  id
--| ----
--|   3
--| (1 row)
commit;
--| COMMIT
select * from t order by id;
--|  id |   v
--| ----+-------
--|   1 | again
--|   2 | v2
--|   3 | v3
--|   4 | v4
--|   5 | v5
--| (5 rows)
-- DISCARD closes what is held.
declare h cursor with hold for select 1;
--| DECLARE CURSOR
discard all;
--| DISCARD ALL
select count(*) from pg_cursors;
--|  count
--| -------
--|      0
--| (1 row)
set work_mem = '64kB';
--| SET
begin;
--| BEGIN
declare big scroll cursor for select g, repeat('x', 100) as x from generate_series(1, 5000) g;
--| DECLARE CURSOR
move 4000 big;
--| MOVE 4000
fetch absolute 7 big;
--|  g |                                                  x
--| ---+------------------------------------------------------------------------------------------------------
--|  7 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
--| (1 row)
fetch relative 3000 big;
--|   g   |                                                  x
--| ------+------------------------------------------------------------------------------------------------------
--|  3007 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
--| (1 row)
fetch last big;
--|   g   |                                                  x
--| ------+------------------------------------------------------------------------------------------------------
--|  5000 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
--| (1 row)
select 1;
--|  ?column?
--| ----------
--|         1
--| (1 row)
fetch prior big;
--|   g   |                                                  x
--| ------+------------------------------------------------------------------------------------------------------
--|  4999 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
--| (1 row)
declare big2 cursor with hold for select g, repeat('y', 100) as y from generate_series(1, 5000) g;
--| DECLARE CURSOR
fetch big2;
--|  g |                                                  y
--| ---+------------------------------------------------------------------------------------------------------
--|  1 | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
--| (1 row)
commit;
--| COMMIT
fetch big2;
--|  g |                                                  y
--| ---+------------------------------------------------------------------------------------------------------
--|  2 | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
--| (1 row)
move 4000 big2;
--| MOVE 4000
fetch big2;
--|   g   |                                                  y
--| ------+------------------------------------------------------------------------------------------------------
--|  4003 | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
--| (1 row)
close big2;
--| CLOSE CURSOR
