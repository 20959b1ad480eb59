-- A row of the target that a row of the source has deleted is not there to be inserted again by the next.
create table t(id int primary key, a int); insert into t values (1,1),(2,2); create view v as select * from t;
--| CREATE TABLE
--| INSERT 0 2
--| CREATE VIEW
begin; merge into t using (values (2),(2)) x(i) on t.id=x.i when matched then delete returning merge_action(), t.*; rollback;
--| ERROR:  21000: MERGE command cannot affect row a second time
--| HINT:  Ensure that not more than one source row matches any one target row.
begin; merge into t using (values (2),(2)) x(i) on t.id=x.i when matched then delete when not matched then insert values (x.i, 99) returning merge_action(), t.*; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; merge into t using (values (2),(2)) x(i) on t.id=x.i when matched and t.a<3 then update set a=t.a+1 when matched then delete returning merge_action(), t.*; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; merge into v using (values (2),(2)) x(i) on v.id=x.i when matched then delete returning merge_action(), v.*; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; merge into t using (values (2,1),(2,2)) x(i,k) on t.id=x.i when matched and x.k=1 then delete when matched then update set a=5 returning merge_action(), t.*; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; merge into t using (values (2,1),(2,2)) x(i,k) on t.id=x.i when matched and x.k=1 then delete when matched then do nothing returning merge_action(), t.*; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; merge into t using (values (2,1),(2,2)) x(i,k) on t.id=x.i when matched and x.k=2 then delete when matched then update set a=5 returning merge_action(), t.*; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
drop view v; drop table t;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
create table t(id int primary key, a int); insert into t values (1,1),(2,2),(3,3);
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; with d as (delete from t where id=2 returning *) insert into t select id, a+10 from d returning *; select * from t order by id; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; with d as (delete from t where id=2 returning *) insert into t select id, a+10 from d on conflict do nothing returning *; select * from t order by id; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; with d as (delete from t where id=2 returning *) insert into t select id, a+10 from d on conflict (id) do update set a=77 returning *; select * from t order by id; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; with d as (delete from t where id=2 returning *) update t set a=99 from d where t.id=d.id returning *; select * from t order by id; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; with d as (delete from t where id=2 returning *) merge into t using d on t.id=d.id when matched then update set a=99 when not matched then insert values (d.id,5) returning merge_action(), t.*; select * from t order by id; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; with d as (update t set a=50 where id=2 returning *) merge into t using d on t.id=d.id when matched then update set a=99 when not matched then insert values (d.id,5) returning merge_action(), t.*; select * from t order by id; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; with d as (update t set a=50 where id=2 returning *) merge into t using d on t.id=d.id when matched then delete returning merge_action(), t.*; select * from t order by id; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; with d as (insert into t values (9,9) returning *) merge into t using d on t.id=d.id when matched then delete when not matched then insert values (d.id,5) returning merge_action(), t.*; select * from t order by id; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; with d as (delete from t where id=2 returning *) delete from t using d where t.id=d.id returning *; select * from t order by id; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; with m as (merge into t using (values (1),(2)) x(i) on t.id=x.i when matched then delete returning t.id) merge into t using m on t.id=m.id when matched then delete when not matched then insert values (m.id, 3) returning merge_action(), t.*; select * from t order by id; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; with d as (delete from t where id=2 returning *) select t.* from t, d for update of t; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; insert into t values (5,1),(5,2) on conflict (id) do update set a=9; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; merge into t using (values (5),(5)) x(i) on t.id=x.i when not matched then insert values (x.i,1) when matched then update set a=2; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; merge into t using (values (1,1),(1,2)) x(i,k) on t.id=x.i when matched and k=1 then update set id=100 when matched then update set a=2 returning merge_action(), t.*; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
begin; merge into t using (values (1,1),(1,2)) x(i,k) on t.id=x.i when matched and k=1 then update set id=100 when matched then delete when not matched then insert values (x.i,8) returning merge_action(), t.*; rollback;
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
