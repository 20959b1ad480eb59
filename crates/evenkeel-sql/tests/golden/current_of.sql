-- UPDATE and DELETE of the row that a cursor stands on.

create table c (id int primary key, v text);
--| CREATE TABLE
insert into c select n, 'v' || n from generate_series(1, 6) n;
--| INSERT 0 6
create table d (id int, w int);
--| CREATE TABLE
insert into d values (1, 10), (2, 20);
--| INSERT 0 2
update c set v = 'x' where current of nope;
--| ERROR:  34000: cursor "nope" does not exist
begin;
--| BEGIN
declare a cursor for select v, id from c where id > 1;
--| DECLARE CURSOR
update c set v = 'x' where current of a;
--| ERROR:  24000: cursor "a" is not positioned on a row
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare a cursor for select v, id from c where id > 1;
--| DECLARE CURSOR
fetch 2 from a;
--|  v  | id
--| ----+----
--|  v2 |  2
--|  v3 |  3
--| (2 rows)
update c set v = v || '!' where current of a returning *;
--|  id |  v
--| ----+-----
--|   3 | v3!
--| (1 row)
--| UPDATE 1
update c set v = v || '!' where current of a returning *;
--|  id |  v
--| ----+------
--|   3 | v3!!
--| (1 row)
--| UPDATE 1
fetch a;
--|  v  | id
--| ----+----
--|  v4 |  4
--| (1 row)
delete from c where current of a returning *;
--|  id | v
--| ----+----
--|   4 | v4
--| (1 row)
--| DELETE 1
delete from c where current of a;
--| DELETE 0
fetch all from a;
--|  v  | id
--| ----+----
--|  v5 |  5
--|  v6 |  6
--| (2 rows)
savepoint s;
--| SAVEPOINT
delete from c where current of a;
--| ERROR:  24000: cursor "a" is not positioned on a row
rollback to s;
--| ROLLBACK
update d set w = 1 where current of a;
--| ERROR:  24000: cursor "a" is not a simply updatable scan of table "d"
commit;
--| ROLLBACK
table c order by id;
--|  id | v
--| ----+----
--|   1 | v1
--|   2 | v2
--|   3 | v3
--|   4 | v4
--|   5 | v5
--|   6 | v6
--| (6 rows)
-- FOR UPDATE: any query that locks the table's rows.
begin;
--| BEGIN
declare f cursor for select c.id, w from c left join d on d.id = c.id order by c.id desc for update of c;
--| DECLARE CURSOR
fetch 2 from f;
--|  id | w
--| ----+---
--|   6 |
--|   5 |
--| (2 rows)
update c set v = 'locked' where current of f returning *;
--|  id |   v
--| ----+--------
--|   5 | locked
--| (1 row)
--| UPDATE 1
savepoint s;
--| SAVEPOINT
update d set w = 1 where current of f;
--| ERROR:  24000: cursor "f" does not have a FOR UPDATE/SHARE reference to table "d"
rollback to s;
--| ROLLBACK
declare g cursor for select x.id from c x, c y where x.id = y.id - 1 for update;
--| DECLARE CURSOR
fetch g;
--|  id
--| ----
--|   1
--| (1 row)
update c set v = 'twice' where current of g;
--| ERROR:  24000: cursor "g" has multiple FOR UPDATE/SHARE references to table "c"
rollback to s;
--| ROLLBACK
declare h scroll cursor for select * from c order by id for update of c;
--| ERROR:  0A000: DECLARE SCROLL CURSOR ... FOR UPDATE is not supported
--| DETAIL:  Scrollable cursors must be READ ONLY.
rollback to s;
--| ROLLBACK
declare h scroll cursor for select * from c;
--| DECLARE CURSOR
fetch 3 from h;
--|  id | v
--| ----+----
--|   1 | v1
--|   2 | v2
--|   3 | v3
--| (3 rows)
fetch prior from h;
--|  id | v
--| ----+----
--|   2 | v2
--| (1 row)
update c set v = 'prior' where current of h returning *;
--|  id |   v
--| ----+-------
--|   2 | prior
--| (1 row)
--| UPDATE 1
move last from h;
--| MOVE 1
delete from c where current of h returning id;
--|  id
--| ----
--|   6
--| (1 row)
--| DELETE 1
move absolute 1 in h;
--| MOVE 1
update c set v = 'first' where current of h returning *;
--|  id |   v
--| ----+-------
--|   1 | first
--| (1 row)
--| UPDATE 1
fetch relative 0 from h;
--|  id | v
--| ----+----
--|   1 | v1
--| (1 row)
close h;
--| CLOSE CURSOR
update c set v = 'x' where current of h;
--| ERROR:  34000: cursor "h" does not exist
rollback;
--| ROLLBACK
-- What is not simply updatable.
begin;
--| BEGIN
declare a cursor for select distinct id from c;
--| DECLARE CURSOR
fetch a;
--|  id
--| ----
--|   1
--| (1 row)
update c set v = 'x' where current of a;
--| ERROR:  24000: cursor "a" is not a simply updatable scan of table "c"
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare a cursor for select count(*) from c;
--| DECLARE CURSOR
fetch a;
--|  count
--| -------
--|      6
--| (1 row)
update c set v = 'x' where current of a;
--| ERROR:  24000: cursor "a" is not a simply updatable scan of table "c"
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare a cursor for select c.id from c join d using (id);
--| DECLARE CURSOR
fetch a;
--|  id
--| ----
--|   1
--| (1 row)
update c set v = 'x' where current of a;
--| ERROR:  24000: cursor "a" is not a simply updatable scan of table "c"
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare a cursor with hold for select id from c;
--| DECLARE CURSOR
fetch a;
--|  id
--| ----
--|   1
--| (1 row)
update c set v = 'held' where current of a returning *;
--|  id |  v
--| ----+------
--|   1 | held
--| (1 row)
--| UPDATE 1
commit;
--| COMMIT
fetch a;
--|  id
--| ----
--|   2
--| (1 row)
update c set v = 'x' where current of a;
--| ERROR:  24000: cursor "a" is held from a previous transaction
close a;
--| CLOSE CURSOR
-- Several tables, RETURNING, and the row that somebody changed meanwhile in this transaction.
begin;
--| BEGIN
declare a cursor for select * from c where v like 'v%';
--| DECLARE CURSOR
fetch a;
--|  id | v
--| ----+----
--|   2 | v2
--| (1 row)
update c set v = 'moved' where id = 1;
--| UPDATE 1
savepoint s;
--| SAVEPOINT
update c set v = v || '+' from d where current of a and d.id = 1;
--| ERROR:  42601: syntax error at or near "and"
rollback to s;
--| ROLLBACK
update c set v = v || '+' where current of a returning *;
--|  id |  v
--| ----+-----
--|   2 | v2+
--| (1 row)
--| UPDATE 1
delete from c where id = 1;
--| DELETE 1
update c set v = v || '+' where current of a returning *;
--|  id |  v
--| ----+------
--|   2 | v2++
--| (1 row)
--| UPDATE 1
explain (costs off) update c set v = 'x' where current of a;
--|            QUERY PLAN
--| --------------------------------
--|  Update on c
--|    ->  Tid Scan on c
--|          TID Cond: CURRENT OF a
--| (3 rows)
create view cv as select * from c;
--| CREATE VIEW
update cv set v = 'x' where current of a;
--| ERROR:  0A000: WHERE CURRENT OF on a view is not implemented
rollback;
--| ROLLBACK
begin;
--| BEGIN
declare "A b" no scroll cursor for select * from c where id = 2 limit 3;
--| DECLARE CURSOR
fetch "A b";
--|  id | v
--| ----+----
--|   2 | v2
--| (1 row)
with q as (delete from c where current of "A b" returning *) select * from q;
--|  id | v
--| ----+----
--|   2 | v2
--| (1 row)
rollback;
--| ROLLBACK
select * from c where current of a;
--| ERROR:  42601: syntax error at or near "of"
begin;
--| BEGIN
declare a cursor for values (1);
--| DECLARE CURSOR
fetch a;
--|  column1
--| ---------
--|        1
--| (1 row)
delete from c where current of a;
--| ERROR:  24000: cursor "a" is not a simply updatable scan of table "c"
rollback;
--| ROLLBACK
prepare p as update c set v = $1 where current of pc;
--| PREPARE
begin;
--| BEGIN
declare pc cursor for select id from c order by id;
--| DECLARE CURSOR
fetch pc;
--|  id
--| ----
--|   1
--| (1 row)
execute p ('prepared');
--| UPDATE 1
fetch pc;
--|  id
--| ----
--|   2
--| (1 row)
execute p ('again');
--| UPDATE 1
rollback;
--| ROLLBACK
drop table c, d cascade;
--| DROP TABLE
