-- Of an assignment the value is looked at first, then the column that gets it.
create table t (id int, a int);
--| CREATE TABLE
update t set v = v + 1;
--| ERROR:  42703: column "v" does not exist
update t set v = a + 1;
--| ERROR:  42703: column "v" of relation "t" does not exist
update t set v = nosuch;
--| ERROR:  42703: column "nosuch" does not exist
update t set v = default;
--| ERROR:  42703: column "v" of relation "t" does not exist
update t set (id, v) = (1, w);
--| ERROR:  42703: column "w" does not exist
insert into t values (1) on conflict do nothing;
--| INSERT 0 1
create unique index on t (id);
--| CREATE INDEX
insert into t values (1) on conflict (id) do update set v = excluded.v;
--| ERROR:  42703: column excluded.v does not exist
merge into t using (values (1)) x(b) on id = b when matched then update set v = x.c;
--| ERROR:  42703: column x.c does not exist
