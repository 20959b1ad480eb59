-- Tables that a cursor of the transaction reads are not redefined.

create table t (a int primary key, b int); insert into t values (1,1),(2,2);
--| CREATE TABLE
--| INSERT 0 2
create table u (a int references t); create view v as select * from t; create materialized view m as select * from t; create index ti on t (b);
--| CREATE TABLE
--| CREATE VIEW
--| SELECT 2
--| CREATE INDEX
begin; declare c cursor for select * from t; alter table t add c int;
--| ERROR:  55006: cannot ALTER TABLE "t" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; drop table t;
--| ERROR:  2BP01: cannot drop table t because other objects depend on it
--| DETAIL:  constraint u_a_fkey on table u depends on table t
--| view v depends on table t
--| materialized view m depends on table t
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; drop table t cascade;
--| NOTICE:  drop cascades to 3 other objects
--| DETAIL:  drop cascades to constraint u_a_fkey on table u
--| drop cascades to view v
--| drop cascades to materialized view m
--| ERROR:  55006: cannot DROP TABLE "t" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; truncate t;
--| ERROR:  55006: cannot TRUNCATE "t" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; truncate t cascade;
--| ERROR:  55006: cannot TRUNCATE "t" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor for select * from u; truncate t cascade;
--| NOTICE:  truncate cascades to table "u"
--| ERROR:  55006: cannot TRUNCATE "u" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; create index on t (b);
--| ERROR:  55006: cannot CREATE INDEX "t" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; alter table t rename to t2;
--| BEGIN
--| DECLARE CURSOR
--| ALTER TABLE
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; alter table t rename b to c;
--| BEGIN
--| DECLARE CURSOR
--| ALTER TABLE
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; alter table t set schema pg_temp;
--| ERROR:  0A000: cannot move objects into or out of temporary schemas
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; alter table t owner to postgres;
--| ERROR:  55006: cannot ALTER TABLE "t" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; alter index ti rename to ti2;
--| BEGIN
--| DECLARE CURSOR
--| ALTER INDEX
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; drop index ti;
--| BEGIN
--| DECLARE CURSOR
--| DROP INDEX
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; reindex table t;
--| BEGIN
--| DECLARE CURSOR
--| REINDEX
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; comment on table t is 'x'; grant select on t to public; analyze t;
--| BEGIN
--| DECLARE CURSOR
--| COMMENT
--| GRANT
--| ANALYZE
rollback;
--| ROLLBACK
begin; declare c cursor for select * from v; alter table t add c int;
--| ERROR:  55006: cannot ALTER TABLE "t" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor for select * from v; drop view v;
--| BEGIN
--| DECLARE CURSOR
--| DROP VIEW
rollback;
--| ROLLBACK
begin; declare c cursor for select * from v; create or replace view v as select a, b, 1 as c from t;
--| BEGIN
--| DECLARE CURSOR
--| CREATE VIEW
rollback;
--| ROLLBACK
begin; declare c cursor for select * from m; refresh materialized view m;
--| ERROR:  55006: cannot REFRESH MATERIALIZED VIEW "m" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; refresh materialized view m;
--| BEGIN
--| DECLARE CURSOR
--| REFRESH MATERIALIZED VIEW
rollback;
--| ROLLBACK
begin; declare c cursor for select 1 where exists (select 1 from t); alter table t add c int;
--| ERROR:  55006: cannot ALTER TABLE "t" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor with hold for select * from t; alter table t add c int;
--| ERROR:  55006: cannot ALTER TABLE "t" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor with hold for select * from t; commit; alter table t add c int; fetch all from c; close c; alter table t drop c;
--| BEGIN
--| DECLARE CURSOR
--| COMMIT
--| ALTER TABLE
--|  a | b
--| ---+---
--|  1 | 1
--|  2 | 2
--| (2 rows)
--| CLOSE CURSOR
--| ALTER TABLE
begin; declare c cursor for select * from t; fetch all from c; alter table t add c int;
--| ERROR:  55006: cannot ALTER TABLE "t" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; close c; alter table t add c int;
--| BEGIN
--| DECLARE CURSOR
--| CLOSE CURSOR
--| ALTER TABLE
rollback;
--| ROLLBACK
begin; savepoint s; declare c cursor for select * from t; rollback to s; alter table t add c int;
--| BEGIN
--| SAVEPOINT
--| DECLARE CURSOR
--| ROLLBACK
--| ALTER TABLE
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; alter table u add foreign key (a) references t;
--| BEGIN
--| DECLARE CURSOR
--| ALTER TABLE
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; alter table t alter a set statistics 5;
--| ERROR:  55006: cannot ALTER TABLE "t" because it is being used by active queries in this session
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t; lock table t; create table t3 (like t); create table t4 (a int references t); insert into t values (3,3); update t set b = 0; delete from u; fetch all from c;
--| BEGIN
--| DECLARE CURSOR
--| LOCK TABLE
--| CREATE TABLE
--| CREATE TABLE
--| INSERT 0 1
--| UPDATE 3
--| DELETE 0
--|  a | b
--| ---+---
--|  1 | 1
--|  2 | 2
--| (2 rows)
rollback;
--| ROLLBACK
begin; declare c cursor for select * from t where a = 1; drop index ti;
--| BEGIN
--| DECLARE CURSOR
--| DROP INDEX
rollback;
--| ROLLBACK
drop table t, u cascade;
--| NOTICE:  drop cascades to 2 other objects
--| DETAIL:  drop cascades to view v
--| drop cascades to materialized view m
--| DROP TABLE
